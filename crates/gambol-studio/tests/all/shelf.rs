//! The studio's folder holds what a user made, for years. It must stay readable by its user alone, stay within its limits,
//! lose what is least missed first, and lead nowhere else: not even if somebody plants links in it.

use std::fs;
use std::path::Path;

use gambol_studio::protocol::Source;
use gambol_studio::server::DiskShelf;
use gambol_studio::{Shelf, Trouble};
use serde_json::json;
use tempfile::tempdir;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn keep(shelf: &mut DiskShelf, name: &str, content: &[u8]) -> String {
    shelf.keep(&[(name.to_owned(), content)]).unwrap()
}

/// File systems keep time to some milliseconds.
fn a_moment_passes() {
    std::thread::sleep(std::time::Duration::from_millis(30));
}

#[cfg(unix)]
#[test]
fn it_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let around = tempdir().unwrap();
    let folder = around.path().join("a/b");
    let shelf = DiskShelf::open(&folder).unwrap();
    let token = shelf.token().unwrap().text().to_owned();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("work"))), (0o700, 0o700));
    assert_eq!(mode(&folder.join("token")), 0o600);
    assert_eq!(shelf.token().unwrap().text(), token);
    assert_eq!(names(&folder), ["bundles", "gaits", "token", "work"], "nothing is left beside the token");
    // A token that others could read is worth nothing; nor is half of one.
    fs::set_permissions(folder.join("token"), fs::Permissions::from_mode(0o644)).unwrap();
    let second = shelf.token().unwrap().text().to_owned();
    assert_ne!(second, token);
    assert_eq!(mode(&folder.join("token")), 0o600);
    fs::write(folder.join("token"), &second[..16]).unwrap();
    assert_eq!(shelf.token().unwrap().text().len(), 32);
}

#[test]
fn bundles_are_kept_once_and_whole() {
    let folder = tempdir().unwrap();
    let mut shelf = DiskShelf::open(folder.path()).unwrap();
    let files: [(String, &[u8]); 2] =
        [("dog.xml".to_owned(), b"<mujoco/>"), ("meshes/leg.stl".to_owned(), b"solid")];
    let bundle = shelf.keep(&files).unwrap();
    assert_eq!(shelf.keep(&files).unwrap(), bundle);
    assert_eq!(names(&folder.path().join("bundles")), [bundle.as_str()], "once, and no half is left");
    let kept = shelf.files(&bundle).unwrap();
    assert_eq!(kept.read("meshes/leg.stl").unwrap(), b"solid");
    assert_eq!(kept.read("meshes/../dog.xml").unwrap(), b"<mujoco/>");
    assert_eq!(kept.only_one("XML").as_deref(), Some("dog.xml"));
    kept.read("../../token").unwrap_err();
    // Damaged by somebody: dropping it again sets it right.
    fs::write(folder.path().join("bundles").join(&bundle).join("dog.xml"), "?").unwrap();
    shelf.keep(&files).unwrap();
    assert_eq!(shelf.file(&bundle, "dog.xml").unwrap(), b"<mujoco/>");
}

#[test]
fn what_was_not_used_for_long_goes_first() {
    let folder = tempdir().unwrap();
    let mut shelf = DiskShelf::open(folder.path()).unwrap().with_room(3000, 100);
    let [in_work, old, used] = ["in-work", "old", "used"].map(|name| {
        a_moment_passes();
        keep(&mut shelf, name, &[1; 1000])
    });
    shelf.save("tab", &json!({ "present": { "bundle": in_work } })).unwrap();
    a_moment_passes();
    shelf.file(&used, "used").unwrap();
    a_moment_passes();
    let new = keep(&mut shelf, "new", &[1; 1000]);
    shelf.file(&old, "old").unwrap_err();
    for (bundle, name) in [(&in_work, "in-work"), (&used, "used"), (&new, "new")] {
        shelf.file(bundle, name).unwrap();
    }
    // If nothing else is left, what a work speaks of goes too, but never what was dropped just now.
    let large = keep(&mut shelf, "large", &[1; 3000]);
    assert_eq!(names(&folder.path().join("bundles")), [large.as_str()]);
    let Trouble(said) = shelf.file(&in_work, "in-work").unwrap_err();
    assert!(said.contains("drop them again"), "{said}");
}

#[test]
fn old_works_go_when_there_are_too_many() {
    let folder = tempdir().unwrap();
    let mut shelf = DiskShelf::open(folder.path()).unwrap().with_room(1000, 3);
    for tab in ["a", "b", "c"] {
        shelf.save(tab, &json!(tab)).unwrap();
        a_moment_passes();
    }
    shelf.save("a", &json!("again")).unwrap();
    a_moment_passes();
    shelf.save("d", &json!("d")).unwrap();
    assert_eq!(names(&folder.path().join("work")), ["a.json", "c.json", "d.json"]);
    assert_eq!(shelf.load("a").unwrap(), Some(json!("again")));
    assert_eq!(shelf.load("b").unwrap(), None);
}

#[test]
fn gaits_keep_their_names() {
    let folder = tempdir().unwrap();
    let mut shelf = DiskShelf::open(folder.path()).unwrap();
    let first = shelf.share("my trot", "a = 1").unwrap();
    assert_eq!(fs::read_to_string(&first.path).unwrap(), "a = 1");
    assert_eq!(shelf.share("my trot", "a = 1").unwrap().name, first.name);
    let second = shelf.share("my trot", "a = 2").unwrap();
    assert_ne!(second.name, first.name);
    assert_eq!(shelf.shared(&first.name).unwrap(), "a = 1");
    assert_eq!(shelf.shared(&second.name).unwrap(), "a = 2");
    let odd = shelf.share("../../x", "a = 3").unwrap();
    assert!(Path::new(&odd.path).canonicalize().unwrap().starts_with(folder.path().canonicalize().unwrap()));
    shelf.shared("no-such").unwrap_err();
}

/// Whoever can write into the folder can plant links in it, or a program that unpacks an archive there.
#[cfg(unix)]
#[test]
fn planted_links_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let around = tempdir().unwrap();
    let outside = around.path().join("outside");
    fs::create_dir(&outside).unwrap();
    for name in ["secret.xml", "secret.json", "secret.toml"] {
        fs::write(outside.join(name), "\"secret\"").unwrap();
    }
    let folder = around.path().join("studio");
    let mut shelf = DiskShelf::open(&folder).unwrap();
    let bundle = keep(&mut shelf, "dog.xml", b"<mujoco/>");
    let inside = folder.join("bundles").join(&bundle);
    symlink(outside.join("secret.xml"), inside.join("file.xml")).unwrap();
    symlink(&outside, inside.join("folder")).unwrap();
    for name in ["file.xml", "folder/secret.xml"] {
        shelf.file(&bundle, name).unwrap_err();
        shelf.files(&bundle).unwrap().read(name).unwrap_err();
    }
    let planted = "0".repeat(32);
    symlink(&outside, folder.join("bundles").join(&planted)).unwrap();
    shelf.file(&planted, "secret.xml").unwrap_err();
    symlink(outside.join("secret.json"), folder.join("work/tab.json")).unwrap();
    shelf.load("tab").unwrap_err();
    shelf.save("tab", &json!("overwritten")).unwrap_err();
    symlink(outside.join("secret.toml"), folder.join("gaits/trot.toml")).unwrap();
    shelf.shared("trot").unwrap_err();
    assert_ne!(shelf.share("trot", "a = 1").unwrap().name, "trot");
    // A link to nothing would be made by writing to it.
    symlink(outside.join("new.json"), folder.join("work/new.json")).unwrap();
    shelf.save("new", &json!(1)).unwrap_err();
    // A folder of ours that leads elsewhere.
    fs::remove_dir_all(folder.join("gaits")).unwrap();
    symlink(&outside, folder.join("gaits")).unwrap();
    shelf.share("walk", "a = 1").unwrap_err();
    shelf.shared("secret").unwrap_err();
    assert_eq!(names(&outside), ["secret.json", "secret.toml", "secret.xml"]);
    for name in names(&outside) {
        assert_eq!(fs::read_to_string(outside.join(name)).unwrap(), "\"secret\"");
    }
}

/// What the user names in the terminal stays in its place, with the meshes beside it; its folder may be the user's home.
#[test]
fn a_linked_creature_opens_what_creatures_are_made_of() {
    let around = tempdir().unwrap();
    let home = around.path().join("home");
    fs::create_dir_all(home.join("meshes")).unwrap();
    for (name, content) in [
        ("dog.xml", "<mujoco/>"),
        ("meshes/leg.stl", "solid"),
        ("tree.drf", "units"),
        ("id_rsa", "secret"),
        (".netrc", "secret"),
    ] {
        fs::write(home.join(name), content).unwrap();
    }
    fs::write(around.path().join("other.xml"), "secret").unwrap();
    let folder = around.path().join("studio");
    let mut shelf = DiskShelf::open(&folder).unwrap();
    let Source::File { bundle, name } = shelf.link(&home.join("dog.xml")).unwrap() else {
        panic!("it is a file")
    };
    assert_eq!(name, "dog.xml");
    assert_eq!(shelf.link(&home.join("dog.xml")).unwrap(), Source::File { bundle: bundle.clone(), name });
    let files = shelf.files(&bundle).unwrap();
    assert_eq!(files.read("dog.xml").unwrap(), b"<mujoco/>");
    assert_eq!(files.read("meshes/leg.stl").unwrap(), b"solid");
    // The units of a plant: `gambol studio walnut.mtg` failed without.
    assert_eq!(files.read("tree.drf").unwrap(), b"units");
    for name in ["id_rsa", ".netrc", "../other.xml", "/etc/passwd", "../studio/token"] {
        files.read(name).unwrap_err();
        shelf.file(&bundle, name).unwrap_err();
    }
    // The page cannot make a link: its bundles are folders, and it does not choose their names.
    let forged = keep(&mut shelf, &format!("{}.link", "1".repeat(32)), b"/etc/passwd");
    assert!(folder.join("bundles").join(&forged).is_dir());
    shelf.file(&"1".repeat(32), "passwd").unwrap_err();
    fs::remove_file(home.join("dog.xml")).unwrap();
    shelf.file(&bundle, "dog.xml").unwrap_err();
}

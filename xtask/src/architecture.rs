//! Keeps the crate table of `ARCHITECTURE.md` true: what a crate is said to know is what its `Cargo.toml` depends on.

use std::collections::BTreeSet;
use std::path::Path;

use crate::shell::{Result, root};

const PAGE: &str = "ARCHITECTURE.md";
const FRONT_DOOR: &str = "gambol";

/// Compares every row of the table with the crate's dependencies, and the rows with the crates there are.
pub(crate) fn run() -> Result<()> {
    let page = read(&root().join(PAGE))?;
    let rows = rows(&page);
    let folder = root().join("crates");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut crates: BTreeSet<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    for (index, (name, knows)) in rows.iter().enumerate() {
        if !crates.remove(name) {
            return Err(format!("{PAGE}: there is no crate {name}"));
        }
        let known = dependencies(&read(&folder.join(name).join("Cargo.toml"))?);
        let above: BTreeSet<String> = rows[..index].iter().map(|(name, _)| name.clone()).collect();
        let said = if knows == "all above" { above.clone() } else { named(knows) };
        if said != known {
            return Err(format!("{PAGE} says that {name} knows {said:?}; its Cargo.toml says {known:?}"));
        }
        if let Some(below) = known.difference(&above).next() {
            return Err(format!("{PAGE}: {name} knows {below}, which is not above it"));
        }
    }
    match crates.first() {
        Some(missing) => Err(format!("{PAGE} has no row for {missing}")),
        None => Ok(()),
    }
}

/// Name and last column of every row of the first table that is about a crate of the workspace.
fn rows(page: &str) -> Vec<(String, String)> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells.first()?.strip_prefix('`')?.strip_suffix('`')?;
        let ours = name == FRONT_DOOR || name.starts_with("gambol-");
        (ours && cells.len() == 3).then(|| (name.to_owned(), cells[2].to_owned()))
    };
    page.lines().filter_map(row).collect()
}

/// `model, dynamics` as names of crates; a dash is none.
fn named(knows: &str) -> BTreeSet<String> {
    let names = knows.split(", ").filter(|name| *name != "–");
    names.map(|name| if name == FRONT_DOOR { name.to_owned() } else { format!("gambol-{name}") }).collect()
}

/// Crates of the workspace that a manifest depends on; tests may depend on others.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let section = manifest.split("\n[").find_map(|section| section.strip_prefix("dependencies]"));
    let lines = section.unwrap_or_default().lines();
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| *name == FRONT_DOOR || name.starts_with("gambol-")).map(str::to_owned).collect()
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Rooms that describe creatures, and the files in them that may build one: doors of their own, which hand over what they
/// built. Everything else leaves that to who asked, so that a creature is built once, from file to clip.
#[cfg(test)]
const DESCRIBERS: [(&str, &[&str]); 2] =
    [("gambol-anatomy", &[]), ("gambol-formats", &["gltf/rig.rs", "mocap/mod.rs"])];

/// The only files below the front ends that reach for threads, clocks, files and the process, so that a page or another
/// host can give the engine what it has of them: an executor for threads, a `Files` for files. Clocks have none.
#[cfg(test)]
const DOORS: [&str; 4] = [
    "gambol-control/src/threads.rs",
    "gambol-formats/src/files.rs",
    "gambol-formats/src/mjcf/write.rs",
    "gambol-formats/src/write.rs",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// That nothing else is reached from the engine, `cargo xtask wasm` shows by running it where none of them exists; this says
    /// where a new one came in. Break it with a `std::time::Instant` anywhere in a library room.
    #[test]
    fn threads_clocks_and_files_have_rooms_of_their_own() {
        const OUTSIDE: [&str; 6] =
            ["std::thread", "std::time", "std::fs", "std::net", "std::process", "std::env::"];
        let crates = root().join("crates");
        let rooms = std::fs::read_dir(&crates).unwrap().map(|entry| entry.unwrap().path());
        let front_ends = ["gambol-cli", "gambol-python"];
        let files = rooms.filter(|room| !front_ends.iter().any(|front_end| room.ends_with(front_end)));
        let files = files.flat_map(|room| rust_files(&room.join("src")));
        let server = crates.join("gambol-studio/src/server");
        let mut found = Vec::new();
        for file in files.filter(|file| !file.starts_with(&server)) {
            let text = read(&file).unwrap();
            let own = text.split("#[cfg(test)]").next().unwrap_or_default();
            let mut code = own.lines().filter(|line| !line.trim_start().starts_with("//"));
            if code.any(|line| OUTSIDE.iter().any(|word| line.contains(word))) {
                found.push(file.strip_prefix(&crates).unwrap().to_string_lossy().into_owned());
            }
        }
        found.sort();
        assert_eq!(found, DOORS, "each of these reaches outside the program");
    }

    #[test]
    fn the_table_is_true() {
        run().unwrap();
    }

    /// A fox was once built three times on its way from file to clip: to see where it looks, to see where its knees are,
    /// and to be animated.
    #[test]
    fn who_describes_a_creature_does_not_build_it() {
        for (name, doors) in DESCRIBERS {
            let source = root().join("crates").join(name).join("src");
            let mut builders = Vec::new();
            for file in rust_files(&source) {
                let text = read(&file).unwrap();
                let own = text.split("#[cfg(test)]").next().unwrap_or_default();
                let builds = own
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("//"))
                    .any(|line| line.contains(".build()"));
                if builds {
                    builders.push(file.strip_prefix(&source).unwrap().to_string_lossy().into_owned());
                }
            }
            builders.sort();
            assert_eq!(builders, doors, "{name}: each of these builds a creature");
        }
    }

    /// What would help is a `Hint` in the rooms below the command line, which each front end words for its reader. Break it
    /// with a message such as "try --root free" in any of them.
    #[test]
    fn only_the_command_line_names_its_options() {
        let options_in = |room: &Path| -> Vec<String> {
            let mut found = Vec::new();
            for file in rust_files(&room.join("src")) {
                let text = read(&file).unwrap();
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                found.extend(
                    code.filter(|line| has_option(line)).map(|line| format!("{}: {line}", file.display())),
                );
            }
            found
        };
        let rooms = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
        let (front, below): (Vec<_>, Vec<_>) = rooms.partition(|room| room.ends_with("gambol-cli"));
        assert!(below.len() > 8, "{below:?}");
        let found: Vec<String> = below.iter().flat_map(|room| options_in(room)).collect();
        assert!(found.is_empty(), "{}", found.join("\n"));
        assert!(!options_in(&front[0]).is_empty(), "the check finds what there is");
    }

    /// Two dashes and a letter; no operator of Rust looks like that.
    fn has_option(line: &str) -> bool {
        line.match_indices("--").any(|(at, _)| line[at + 2..].starts_with(char::is_alphabetic))
    }

    fn rust_files(folder: &Path) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
        let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        let is_code = |path: &std::path::PathBuf| {
            path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs")
        };
        files
            .into_iter()
            .filter(is_code)
            .chain(folders.iter().flat_map(|folder| rust_files(folder)))
            .collect()
    }
}

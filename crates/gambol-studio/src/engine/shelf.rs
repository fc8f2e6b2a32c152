//! What is kept for the page: files it dropped, the work of each tab, gaits that links open.

use std::collections::BTreeMap;

use gambol::formats::Files;
use gambol::formats::files::Memory;
use serde_json::Value;

use super::{Answer, Trouble};
use crate::protocol::{Kept, MOST_BYTES, NewFile, Shared, split};

/// Where an engine keeps what must outlive it. Names come from the page: an implementation trusts none of them.
pub trait Shelf: Send {
    /// Keeps files together; the name of the bundle is the same for the same files.
    fn keep(&mut self, files: &[(String, &[u8])]) -> Result<String, Trouble>;
    /// A file of a bundle.
    fn file(&self, bundle: &str, name: &str) -> Result<Vec<u8>, Trouble>;
    /// All files of a bundle, for a creature's reader.
    fn files(&self, bundle: &str) -> Result<Box<dyn Files>, Trouble>;
    /// Keeps the work of a tab.
    fn save(&mut self, tab: &str, work: &Value) -> Result<(), Trouble>;
    /// The work of a tab, if there is any.
    fn load(&self, tab: &str) -> Result<Option<Value>, Trouble>;
    /// Keeps a gait file under this name, or one like it if that is taken by another.
    fn share(&mut self, name: &str, text: &str) -> Result<Shared, Trouble>;
    /// A gait file that was shared.
    fn shared(&self, name: &str) -> Result<String, Trouble>;
}

/// Most files in one bundle: a robot with a mesh for every part of every hand has a few hundred.
const MOST_FILES: usize = 2000;
/// Longest name of a file or folder, bytes: what file systems take.
const LONGEST_PART: usize = 255;
/// Longest name with its folders, bytes; and how deep folders go.
const LONGEST_NAME: usize = 1000;
const DEEPEST: usize = 16;
/// Longest name of a tab, a bundle or a shared gait, letters.
const LONGEST_ID: usize = 64;

/// What a person can drop.
const DROPPABLE: &str = "drop a .glb, .gltf, .xml (MJCF), .urdf, .bvh or .amc file, together with the files that it needs, or a plant: .mtg, .swc or .csv";

/// Keeps the files of a request.
pub(super) fn keep(shelf: &mut dyn Shelf, files: &[NewFile], bytes: &[u8]) -> Result<Answer, Trouble> {
    let said = files.iter().fold(0_usize, |sum, file| sum.saturating_add(file.size));
    if said.max(bytes.len()) > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        return Err(Trouble(format!("the files are larger than {most} MiB together; drop smaller ones")));
    }
    if files.len() > MOST_FILES {
        return Err(Trouble(format!("{} files are too many; at most {MOST_FILES}", files.len())));
    }
    let ranges = split(files, bytes)
        .ok_or_else(|| Trouble("the files did not arrive whole; drop them again".to_owned()))?;
    let mut named: Vec<(String, &[u8])> = Vec::with_capacity(files.len());
    for (file, range) in files.iter().zip(ranges) {
        safe_name(&file.name)?;
        named.push((file.name.clone(), &bytes[range]));
    }
    named.sort_by(|a, b| a.0.cmp(&b.0));
    check_together(&named)?;
    let name = creature_of(&named)?.to_owned();
    let bundle = shelf.keep(&named)?;
    Answer::new(Kept { bundle, name }, Vec::new())
}

/// No file twice, and none that is also a folder; `files` in order.
fn check_together(files: &[(String, &[u8])]) -> Result<(), Trouble> {
    for (index, (name, _)) in files.iter().enumerate() {
        let clash = files[index + 1..].iter().find(|(other, _)| {
            other == name || other.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
        });
        if let Some((other, _)) = clash {
            return Err(Trouble(format!("the files {name:?} and {other:?} cannot be kept together")));
        }
    }
    Ok(())
}

/// Which file is the creature: by its ending, glTF before the rest; an included XML file is not.
fn creature_of<'n>(files: &'n [(String, &[u8])]) -> Result<&'n str, Trouble> {
    let with = |endings: &[&str]| -> Vec<&'n (String, &'n [u8])> {
        files.iter().filter(|(name, _)| endings.contains(&ending(name).as_str())).collect()
    };
    let groups: [&[&str]; 8] = [
        &["glb", "gltf"],
        &["xml", "urdf"],
        &["bvh"],
        &["amc"],
        &["asf"],
        &["mtg"],
        &["swc"],
        &["csv", "tsv", "txt"],
    ];
    let Some(mut found) = groups.iter().map(|endings| with(endings)).find(|found| !found.is_empty()) else {
        let what = match files {
            [] => "nothing was dropped".to_owned(),
            [(name, _)] => format!("{name:?} is not a creature"),
            _ => "none of these files is a creature".to_owned(),
        };
        return Err(Trouble(format!("{what}; {DROPPABLE}")));
    };
    if found.len() > 1 {
        let texts: Vec<(&str, String)> = found
            .iter()
            .map(|(name, bytes)| (name.as_str(), String::from_utf8_lossy(bytes).into_owned()))
            .collect();
        let is_xml = |name: &str| matches!(ending(name).as_str(), "xml" | "urdf");
        let names_it = |text: &str, name: &str| {
            let short = name.rsplit('/').next().unwrap_or(name);
            [format!("\"{short}\""), format!("/{short}\""), format!("'{short}'"), format!("/{short}'")]
                .iter()
                .any(|quoted| text.contains(quoted))
        };
        // Beside creatures lie files like ROS's `package.xml`, and parts that the whole includes.
        let is_whole = |index: usize| {
            let (name, text) = &texts[index];
            let creature = text.contains("<mujoco") || text.contains("<robot");
            let included =
                texts.iter().enumerate().any(|(other, (_, text))| other != index && names_it(text, name));
            creature && !included
        };
        if is_xml(&found[0].0) {
            found = (0..found.len()).filter(|&index| is_whole(index)).map(|index| found[index]).collect();
        }
    }
    match found[..] {
        [(name, _)] if ending(name) == "amc" && with(&["asf"]).is_empty() => Err(Trouble(format!(
            "{name:?} is a motion without its skeleton; drop the .asf file together with it"
        ))),
        [(name, _)] => Ok(name),
        [] => Err(Trouble(format!("none of the XML files is a creature of its own; {DROPPABLE}"))),
        [(first, _), (second, _), ..] => Err(Trouble(format!(
            "several files could be the creature, {first:?} and {second:?} among them; drop one at a time"
        ))),
    }
}

/// `glb` of `Fox.GLB`.
pub(crate) fn ending(name: &str) -> String {
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
}

/// Checks the name of a file in a bundle: relative, with `/` between folders, going down only. Nothing else that the
/// page says becomes part of a path.
pub(crate) fn safe_name(name: &str) -> Result<(), Trouble> {
    let parts = name.split('/');
    let odd = |part: &str| {
        part.is_empty()
            || part == "."
            || part == ".."
            || part.len() > LONGEST_PART
            || part.ends_with([' ', '.']) // other systems drop these
            || part.contains(|letter: char| letter == '\\' || letter == ':' || letter.is_control())
    };
    if name.len() > LONGEST_NAME || parts.clone().count() > DEEPEST || parts.into_iter().any(odd) {
        return Err(Trouble(format!("{:?} is not a name for a file here; rename it", shorten(name))));
    }
    Ok(())
}

/// Checks the name of a tab or a bundle: letters and digits.
pub(crate) fn safe_id(id: &str) -> Result<(), Trouble> {
    let good =
        !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if good { Ok(()) } else { Err(Trouble(format!("{:?} is not made of letters and digits", shorten(id)))) }
}

/// Checks the name of a shared gait: letters, digits, `-`, `_`, and `.` inside.
pub(crate) fn safe_gait_name(name: &str) -> Result<(), Trouble> {
    let good = !name.is_empty()
        && name.len() <= LONGEST_ID
        && !name.starts_with('.')
        && !name.ends_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if good { Ok(()) } else { Err(Trouble(format!("{:?} is not the name of a shared gait", shorten(name)))) }
}

/// A name for a shared gait that is like the user's wish.
pub(crate) fn gait_name(wish: &str) -> String {
    // Room for a number after it.
    const LONGEST_WISH: usize = LONGEST_ID - 8;
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "_.".contains(letter) { letter } else { '-' };
    let name: String = wish.chars().take(LONGEST_WISH).map(plain).collect();
    let name = name.trim_matches(['.', '-']);
    if name.is_empty() { "gait".to_owned() } else { name.to_owned() }
}

/// `wish`, or `wish-2` and so on if that is taken: the first name at which `found` has nothing or the same text.
pub(crate) fn free_name(wish: &str, text: &str, found: impl Fn(&str) -> Option<String>) -> String {
    let wish = gait_name(wish);
    let is_free = |name: &String| found(name).is_none_or(|there| there == text);
    std::iter::once(wish.clone())
        .chain((2_u32..100_000).map(|number| format!("{wish}-{number}")))
        .find(is_free)
        .unwrap_or(wish)
}

/// The name of a bundle: FNV-1a of all names and contents, 128 bits, as hexadecimal digits. `files` in order.
pub(crate) fn bundle_id(files: &[(String, &[u8])]) -> String {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut hash = BASIS;
    let mut add = |bytes: &[u8]| {
        for part in [&(bytes.len() as u64).to_le_bytes(), bytes] {
            for &byte in part {
                hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
            }
        }
    };
    for (name, content) in files {
        add(name.as_bytes());
        add(content);
    }
    format!("{hash:032x}")
}

/// A name as it may stand in a message.
fn shorten(name: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String = name.chars().take(LONGEST).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    short
}

/// A shelf that forgets: for tests, and for a page that is its own host.
#[derive(Default)]
pub struct MemoryShelf {
    bundles: BTreeMap<String, Memory>,
    works: BTreeMap<String, Value>,
    gaits: BTreeMap<String, String>,
}

impl MemoryShelf {
    fn bundle(&self, bundle: &str) -> Result<&Memory, Trouble> {
        self.bundles.get(bundle).ok_or_else(|| {
            Trouble("the files of this creature are no longer here; drop them again".to_owned())
        })
    }
}

impl Shelf for MemoryShelf {
    fn keep(&mut self, files: &[(String, &[u8])]) -> Result<String, Trouble> {
        let id = bundle_id(files);
        let mut memory = Memory::new();
        for (name, content) in files {
            safe_name(name)?;
            memory = memory.with(name, *content);
        }
        self.bundles.insert(id.clone(), memory);
        Ok(id)
    }

    fn file(&self, bundle: &str, name: &str) -> Result<Vec<u8>, Trouble> {
        safe_name(name)?;
        self.bundle(bundle)?.read(name).map_err(Trouble::from_error)
    }

    fn files(&self, bundle: &str) -> Result<Box<dyn Files>, Trouble> {
        Ok(Box::new(self.bundle(bundle)?.clone()))
    }

    fn save(&mut self, tab: &str, work: &Value) -> Result<(), Trouble> {
        safe_id(tab)?;
        self.works.insert(tab.to_owned(), work.clone());
        Ok(())
    }

    fn load(&self, tab: &str) -> Result<Option<Value>, Trouble> {
        safe_id(tab)?;
        Ok(self.works.get(tab).cloned())
    }

    fn share(&mut self, name: &str, text: &str) -> Result<Shared, Trouble> {
        let name = free_name(name, text, |name| self.gaits.get(name).cloned());
        self.gaits.insert(name.clone(), text.to_owned());
        Ok(Shared { path: format!("{name}.toml"), name })
    }

    fn shared(&self, name: &str) -> Result<String, Trouble> {
        safe_gait_name(name)?;
        let gone = || Trouble(format!("there is no shared gait {name:?} here; ask for the file itself"));
        self.gaits.get(name).cloned().ok_or_else(gone)
    }
}

#[cfg(test)]
mod tests {
    //! Names from the page become parts of paths. Whatever could lead out of a bundle's folder, on any system, is
    //! refused; ordinary names are not.

    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x.glb",
            "a/../b",
            "a/..",
            "./a",
            "a//b",
            "a/",
            "C:\\x",
            "C:x",
            "a\\b",
            "a\0b",
            "a\nb",
            "a/b.",
            "a ",
            "\u{7f}",
        ] {
            assert!(safe_name(name).is_err(), "{name:?}");
            assert!(safe_gait_name(name).is_err(), "{name:?}");
            assert!(safe_id(name).is_err(), "{name:?}");
            safe_gait_name(&gait_name(name)).unwrap();
        }
        assert!(safe_name(&"a".repeat(256)).is_err());
        assert!(safe_name(&"a/".repeat(20)).is_err());
        for name in ["fox.glb", "textures/fur.png", "Mein Hund (2).glb", "a..b.bin", ".hidden", "狗.glb"] {
            safe_name(name).unwrap();
        }
        for wish in ["walk", "trot 2", "..", "é", &"x".repeat(500)] {
            safe_gait_name(&gait_name(wish)).unwrap();
        }
        assert_eq!(free_name("a b", "t", |name| (name == "a-b").then(|| "u".to_owned())), "a-b-2");
        assert_eq!(free_name("a b", "t", |name| (name == "a-b").then(|| "t".to_owned())), "a-b");
    }

    #[test]
    fn the_creature_is_found_among_its_files() {
        let which = |files: &[(&str, &str)]| {
            let files: Vec<(String, &[u8])> =
                files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes())).collect();
            creature_of(&files).map(str::to_owned).map_err(|Trouble(text)| text)
        };
        assert_eq!(which(&[("a.bin", ""), ("a.gltf", ""), ("b.xml", "")]).unwrap(), "a.gltf");
        assert_eq!(which(&[("Fox.GLB", "")]).unwrap(), "Fox.GLB");
        let scene = "<mujoco><include file=\"x/dog.xml\"/></mujoco>";
        let both = [("dog.xml", "<mujoco/>"), ("package.xml", "<package/>"), ("scene.xml", scene)];
        assert_eq!(which(&both).unwrap(), "scene.xml");
        assert_eq!(which(&[("02.asf", ""), ("02_01.amc", "")]).unwrap(), "02_01.amc");
        assert!(which(&[("02_01.amc", "")]).unwrap_err().contains(".asf"));
        assert!(which(&[]).unwrap_err().contains("drop a .glb"));
        assert!(which(&[("cat.jpg", "")]).unwrap_err().contains("cat.jpg"));
        assert!(which(&[("a.glb", ""), ("b.glb", "")]).unwrap_err().contains("one at a time"));
    }

    #[test]
    fn bundles_are_named_by_what_is_in_them() {
        let id = |files: &[(&str, &str)]| {
            let files: Vec<(String, &[u8])> =
                files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes())).collect();
            bundle_id(&files)
        };
        // FNV-1a's own basis for nothing at all.
        assert_eq!(id(&[]), "6c62272e07bb014262b821756295c58d");
        assert_eq!(id(&[("a", "b")]), id(&[("a", "b")]));
        assert_ne!(id(&[("a", "bc")]), id(&[("ab", "c")]));
        assert_ne!(id(&[("a", "b"), ("c", "d")]), id(&[("a", "bc"), ("", "d")]));
        safe_id(&id(&[("a", "b")])).unwrap();
    }

    #[test]
    fn files_that_cannot_lie_side_by_side_are_refused() {
        let files = |names: &[&str]| {
            let mut files: Vec<(String, &[u8])> =
                names.iter().map(|name| ((*name).to_owned(), &[][..])).collect();
            files.sort();
            files
        };
        check_together(&files(&["a", "b", "ab/c"])).unwrap();
        check_together(&files(&["a", "a"])).unwrap_err();
        check_together(&files(&["a", "a-b", "a/c"])).unwrap_err();
    }
}

//! `cargo xtask protocol`: the words that the studio's page and engine exchange, as TypeScript.
//!
//! The Rust types and their serde attributes are the truth. They are read from their sources: from every request the way leads
//! over the types of its fields, in whatever crate they are, to all that the page may say or hear. Whatever serde can do
//! and this cannot is an error here, never a wrong word there.
//!
//! Sources rather than a derive macro such as ts-rs: that would be a feature in every crate that has a type of the page, and
//! with it `nalgebra` and all above would be built twice, once with the macro's own needs and once without.

mod serde_words;
mod typescript;

use std::fmt::Write as _;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use syn::{Fields, Item, ItemConst, ItemEnum, Variant};

use crate::shell::{Result, root};
use serde_words::{Words, docs, is_ours};
use typescript::{comment, constant, declaration, field_lines};

/// What is written.
const PAGE: &str = "crates/gambol-studio/web/src/protocol.ts";
/// Where requests and answers are.
const ROOT: &str = "crates/gambol-studio/src/protocol";
/// Whose types may be among the words: all but the front ends.
const CRATES: &str = "crates";
const NOT_IN: [&str; 2] = ["gambol-cli", "gambol-picture"];
/// The enum of all requests.
const REQUESTS: &str = "Request";
/// What a request's comment has before the name of its answer.
const ANSWER: &str = "Answer: ";

const HEAD: &str = "\
// What the page and the engine say to each other. Written by `cargo xtask protocol` from crates/gambol-studio/src/protocol and
// the types of the library: change those.
// Lengths in metres, angles in radians, x forward, z up, quaternions w x y z.

export type Vec3 = [number, number, number]
export type Quat = [number, number, number, number]
";

/// Writes the page's words anew.
pub(crate) fn write() -> Result<()> {
    let file = root().join(PAGE);
    std::fs::write(&file, generate()?).map_err(|error| format!("{}: {error}", file.display()))
}

/// A type with serde's derives, and where it is.
struct Found {
    item: Item,
    file: String,
}

/// All types with serde's derives by the name that serde gives them, and the constants of the protocol.
#[derive(Default)]
struct Sources {
    types: BTreeMap<String, Vec<Found>>,
    constants: Vec<ItemConst>,
}

fn generate() -> Result<String> {
    let mut sources = Sources::default();
    let folder = root().join(CRATES);
    for entry in sorted(&folder)? {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !NOT_IN.contains(&name.as_str()) && entry.join("src").is_dir() {
            sources.add_folder(&entry.join("src"))?;
        }
    }
    sources.page()
}

fn sorted(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

impl Sources {
    fn add_folder(&mut self, folder: &Path) -> Result<()> {
        for path in sorted(folder)? {
            if path.is_dir() {
                self.add_folder(&path)?;
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text =
                    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                let place = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
                self.add(&place, &text)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, place: &str, text: &str) -> Result<()> {
        let is_protocol = place.starts_with(ROOT);
        if !is_protocol && !text.contains("Serialize") {
            return Ok(());
        }
        let file = syn::parse_file(text).map_err(|error| format!("{place}: {error}"))?;
        for item in file.items {
            let named = match &item {
                Item::Struct(item) if is_ours(&item.attrs) => Some((&item.ident, &item.attrs)),
                Item::Enum(item) if is_ours(&item.attrs) => Some((&item.ident, &item.attrs)),
                Item::Const(constant) if is_protocol => {
                    self.constants.push(constant.clone());
                    None
                }
                _ => None,
            };
            if let Some((ident, attributes)) = named {
                // What no word of the page leads to may use serde as it likes.
                let name = Words::of(attributes).ok().and_then(|words| words.rename);
                let name = name.unwrap_or_else(|| ident.to_string());
                let found = Found { item: item.clone(), file: place.to_owned() };
                self.types.entry(name).or_default().push(found);
            }
        }
        Ok(())
    }

    /// The one type of this name.
    fn find(&self, name: &str) -> Result<&Item> {
        match self.types.get(name).map(Vec::as_slice) {
            Some([one]) => Ok(&one.item),
            None => {
                Err(format!("{name} is a word of the page, but no type of this name derives serde's traits"))
            }
            Some(all) => {
                let places: Vec<&str> = all.iter().map(|found| found.file.as_str()).collect();
                Err(format!("{name} could be several types: {}; rename one for serde", places.join(", ")))
            }
        }
    }

    /// The whole file.
    fn page(&self) -> Result<String> {
        let Item::Enum(requests) = self.find(REQUESTS)? else {
            return Err(format!("{REQUESTS} is no enum"));
        };
        let mut out = HEAD.to_owned();
        for item in &self.constants {
            out += &constant(item)?;
        }
        let (table, mut wanted) = request_table(requests)?;
        let mut told = BTreeSet::new();
        while let Some(name) = wanted.pop_front() {
            if !told.insert(name.clone()) {
                continue;
            }
            let in_type = |reason: String| format!("{name}: {reason}");
            let (text, more) = declaration(&name, self.find(&name)?).map_err(in_type)?;
            out += &text;
            wanted.extend(more);
        }
        Ok(out + &table)
    }
}

/// What every request has to say and what answers it; and the types that it names.
fn request_table(requests: &ItemEnum) -> Result<(String, VecDeque<String>)> {
    let words = Words::of(&requests.attrs)?;
    let mut out = String::from("\n/** Requests, and what answers them. */\nexport interface Requests {\n");
    let mut wanted = VecDeque::new();
    for variant in &requests.variants {
        let name = words.variant(variant)?;
        let in_request = |reason: String| format!("request {name}: {reason}");
        let (about, answer) = about_request(variant).map_err(in_request)?;
        let fields = match &variant.fields {
            Fields::Named(fields) => &fields.named.iter().cloned().collect::<Vec<_>>(),
            Fields::Unit => &Vec::new(),
            Fields::Unnamed(_) => return Err(in_request("its fields have no names".to_owned())),
        };
        let (lines, more) = field_lines(fields, "      ", true).map_err(in_request)?;
        wanted.extend(more);
        let answer = match answer.as_str() {
            "{}" => "{}".to_owned(),
            named => {
                wanted.push_back(named.to_owned());
                named.to_owned()
            }
        };
        let ask = if lines.is_empty() { "{}".to_owned() } else { format!("{{\n{lines}    }}") };
        out += &comment(&about, "  ");
        let _ = write!(out, "  '{name}': {{\n    ask: {ask}\n    answer: {answer}\n  }}\n");
    }
    Ok((out + "}\n", wanted))
}

/// The comment of a request, and the answer that it names: `Answer: [`Hello`].`, or `{}`.
fn about_request(variant: &Variant) -> Result<(String, String)> {
    let text = docs(&variant.attrs);
    let (about, rest) =
        text.split_once(ANSWER).ok_or_else(|| format!("its comment says no `{ANSWER}[`Type`]`"))?;
    let answer = rest.trim_start_matches(['[', '`']).split('`').next().unwrap_or_default();
    Ok((about.trim().to_owned(), answer.to_owned()))
}

#[cfg(test)]
mod tests;

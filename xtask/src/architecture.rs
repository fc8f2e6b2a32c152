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

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_true() {
        super::run().unwrap();
    }
}

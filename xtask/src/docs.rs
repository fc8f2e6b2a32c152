//! Tables that are written into the docs.

use crate::shell::{Result, root};

/// Puts `table` between the marks `<!-- name -->` and `<!-- /name -->` of a file of the project.
pub(crate) fn put_table(file: &str, name: &str, table: &str) -> Result<()> {
    let path = root().join(file);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
    let marks = [format!("<!-- {name} -->\n"), format!("<!-- /{name} -->")];
    let parts =
        text.split_once(&marks[0]).and_then(|(before, rest)| Some((before, rest.split_once(&marks[1])?.1)));
    let (before, after) = parts.ok_or_else(|| format!("{file} has no {}", marks[0].trim()))?;
    let text = format!("{before}{}\n{table}\n{}{after}", marks[0], marks[1]);
    std::fs::write(&path, text).map_err(|error| format!("{file}: {error}"))
}

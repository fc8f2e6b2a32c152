//! `<include file="…"/>`: the children of the named file's root stand where the element stood.

use std::collections::HashSet;

use crate::xml::{Document, Element, ElementId};
use crate::{Files, FormatError};

/// Most files one creature may include.
const MAX_INCLUDES: usize = 10_000;

/// Replaces every include by what it includes. Paths are relative to the main file or, if there is no such file, to
/// the file that includes. A file can be included once only, as in MuJoCo; this also rules out circles.
pub(crate) fn expand(files: &dyn Files, document: &mut Document) -> Result<(), FormatError> {
    let mut included = HashSet::from([document.file().to_owned()]);
    let mut next = Some(document.root().id());
    while let Some(id) = next {
        if document.element(id).tag() == "include" {
            next = replace(files, document, id, &mut included)?;
        } else {
            next = document.element(id).first_child().map(Element::id).or_else(|| after(document, id));
        }
    }
    Ok(())
}

/// Puts the content of an included file in place of the element `id`; returns the element to go on with.
fn replace(
    files: &dyn Files,
    document: &mut Document,
    id: ElementId,
    included: &mut HashSet<String>,
) -> Result<Option<ElementId>, FormatError> {
    let element = document.element(id);
    if element.first_child().is_some() {
        return Err(element.error("an include cannot have content of its own"));
    }
    if element.parent().is_none() {
        return Err(element.error("an include cannot be the whole file"));
    }
    let name = element.required("file")?.to_owned();
    let beside = beside(element.file(), &name);
    let error_here = |reason: String| element.error(reason);
    if included.contains(&name) || included.contains(&beside) {
        return Err(error_here(format!("the file {name:?} is included already")));
    }
    if included.len() > MAX_INCLUDES {
        return Err(error_here(format!("more than {MAX_INCLUDES} files are included")));
    }
    let missing = error_here(String::new());
    let (path, source) = match document.append(files, &name) {
        Ok(source) => (name, source),
        // Only a file that cannot be opened has no line; anything else is wrong with the file itself.
        Err(error) if error.line.is_some() => return Err(error),
        Err(first) if beside == name => return Err(at(&missing, &first)),
        Err(first) => match document.append(files, &beside) {
            Ok(source) => (beside, source),
            Err(second) if second.line.is_some() => return Err(second),
            Err(_) => return Err(at(&missing, &first)),
        },
    };
    included.insert(path);
    let first = document.element(source).first_child().map(Element::id);
    let following = after(document, id);
    document.replace_by_children(id, source);
    Ok(first.or(following))
}

/// The next element in document order that is not inside `id`.
fn after(document: &Document, id: ElementId) -> Option<ElementId> {
    let mut element = document.element(id);
    loop {
        if let Some(next) = element.next() {
            return Some(next.id());
        }
        element = element.parent()?;
    }
}

/// `name` seen from the folder of `file`.
fn beside(file: &str, name: &str) -> String {
    match file.rfind('/') {
        Some(slash) if !name.starts_with('/') => format!("{}/{name}", &file[..slash]),
        _ => name.to_owned(),
    }
}

/// The reason of `error`, told at the place of the include.
fn at(place: &FormatError, error: &FormatError) -> FormatError {
    FormatError { reason: format!("{}: {}", error.file, error.reason), hint: error.hint, ..place.clone() }
}

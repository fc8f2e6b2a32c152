//! XML with places: a tree whose elements know file and line, typed attributes, and a record of what was read, so that
//! what nobody asked for can be reported.
//!
//! Parsing and every walk are loops, never recursion: a file of 200,000 nested elements needs no deep stack.

use std::borrow::Cow;
use std::cell::Cell;
use std::str::FromStr;

use gambol_model::{Vec3, Warning};
use roxmltree::ParsingOptions;

use crate::{Files, FormatError};

/// Most XML nodes (elements and the text between them) in all files of one creature: forty for each of the 200,000
/// bodies a creature may have.
pub const MAX_NODES: u32 = 8_000_000;
/// Most bytes in one XML file. Meshes stand in files of their own.
pub const MAX_XML_BYTES: usize = 64 << 20;

/// Index of an element in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(u32);

impl ElementId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// One XML file, or several that include each other.
#[derive(Debug)]
pub struct Document {
    files: Vec<String>,
    elements: Vec<ElementData>,
}

#[derive(Debug)]
struct ElementData {
    file: u32,
    line: u32,
    tag: Box<str>,
    attributes: Box<[Attribute]>,
    parent: Option<ElementId>,
    first_child: Option<ElementId>,
    next: Option<ElementId>,
    /// Some attribute was asked for: the rest of its attributes matter.
    known: Cell<bool>,
}

#[derive(Debug)]
struct Attribute {
    name: Box<str>,
    value: Box<str>,
    read: Cell<bool>,
}

impl Document {
    /// Reads and parses the file `path`.
    pub fn read(files: &dyn Files, path: &str) -> Result<Self, FormatError> {
        let mut document = Self { files: Vec::new(), elements: Vec::new() };
        document.append(files, path)?;
        Ok(document)
    }

    /// Parses `text`; `name` stands for the file in messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, FormatError> {
        let mut document = Self { files: Vec::new(), elements: Vec::new() };
        document.append_text(name, text)?;
        Ok(document)
    }

    /// The outermost element of the main file.
    pub fn root(&self) -> Element<'_> {
        self.element(ElementId(0))
    }

    /// The element with this index.
    pub fn element(&self, id: ElementId) -> Element<'_> {
        Element { document: self, id }
    }

    /// Name of the main file.
    pub fn file(&self) -> &str {
        &self.files[0]
    }

    /// Adds another file to the document and returns its outermost element, which is not part of the tree yet.
    pub(crate) fn append(&mut self, files: &dyn Files, path: &str) -> Result<ElementId, FormatError> {
        let bytes = files.read(path)?;
        // A stray byte in a comment must not lose the creature; in a name it becomes the replacement character.
        self.append_text(path, &String::from_utf8_lossy(&bytes))
    }

    fn append_text(&mut self, file: &str, text: &str) -> Result<ElementId, FormatError> {
        if text.len() > MAX_XML_BYTES {
            return Err(FormatError::new(
                file,
                format!("the XML is larger than {} MiB", MAX_XML_BYTES >> 20),
            ));
        }
        // A mark at the front and zeros at the end come from editors and other programs; neither is part of the text.
        let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\0', ' ', '\r', '\n', '\t']);
        let text = blank_late_declaration(&blank_loose_comments(text)).into_owned();
        let used = u32::try_from(self.elements.len()).unwrap_or(u32::MAX);
        let options =
            ParsingOptions { nodes_limit: MAX_NODES.saturating_sub(used), ..ParsingOptions::default() };
        let tree = roxmltree::Document::parse_with_options(&text, options)
            .map_err(|error| syntax_error(file, &text, &error))?;
        let file_index = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        self.files.push(file.to_owned());
        Ok(self.copy(file_index, &tree, &LineTable::new(&text)))
    }

    /// Copies a parsed tree in document order, which puts a parent before its children.
    fn copy(&mut self, file: u32, tree: &roxmltree::Document<'_>, lines: &LineTable) -> ElementId {
        let root = self.next_id();
        // For each element on the way to the current one: its index here and its last child so far.
        let mut open: Vec<(roxmltree::NodeId, ElementId, Option<ElementId>)> = Vec::new();
        for node in tree.root_element().descendants().filter(roxmltree::Node::is_element) {
            let id = self.next_id();
            let parent_in_tree = node.parent_element().map(|parent| parent.id());
            while open.last().is_some_and(|(in_tree, ..)| Some(*in_tree) != parent_in_tree) {
                open.pop();
            }
            let parent = open.last().map(|(_, parent, _)| *parent);
            if let Some((_, parent, last_child)) = open.last_mut() {
                match last_child {
                    Some(last) => self.elements[last.index()].next = Some(id),
                    None => self.elements[parent.index()].first_child = Some(id),
                }
                *last_child = Some(id);
            }
            self.elements.push(ElementData {
                file,
                line: lines.line(node.range().start),
                tag: node.tag_name().name().into(),
                attributes: node.attributes().map(|attribute| Attribute::new(&attribute)).collect(),
                parent,
                first_child: None,
                next: None,
                known: Cell::new(false),
            });
            open.push((node.id(), id, None));
        }
        root
    }

    fn next_id(&self) -> ElementId {
        ElementId(u32::try_from(self.elements.len()).unwrap_or(u32::MAX))
    }

    /// Puts the children of `source` into the tree where `target` stands, which disappears.
    pub(crate) fn replace_by_children(&mut self, target: ElementId, source: ElementId) {
        let parent = self.elements[target.index()].parent;
        let after = self.elements[target.index()].next;
        let mut last = None;
        let mut child = self.elements[source.index()].first_child;
        let first = child;
        while let Some(id) = child {
            self.elements[id.index()].parent = parent;
            last = Some(id);
            child = self.elements[id.index()].next;
        }
        if let Some(last) = last {
            self.elements[last.index()].next = after;
        }
        let Some(parent) = parent else { return };
        let successor = first.or(after);
        if self.elements[parent.index()].first_child == Some(target) {
            self.elements[parent.index()].first_child = successor;
            return;
        }
        let mut sibling = self.elements[parent.index()].first_child;
        while let Some(id) = sibling {
            sibling = self.elements[id.index()].next;
            if sibling == Some(target) {
                self.elements[id.index()].next = successor;
                return;
            }
        }
    }

    /// Attributes that nobody read, of elements that somebody did read.
    pub fn unread(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for (index, data) in self.elements.iter().enumerate().filter(|(_, data)| data.known.get()) {
            let element = self.element(ElementId(u32::try_from(index).unwrap_or(u32::MAX)));
            for attribute in data.attributes.iter().filter(|attribute| !attribute.read.get()) {
                warnings.push(
                    element.warning(format!("the attribute {:?} is unknown and was ignored", attribute.name)),
                );
            }
        }
        warnings
    }
}

impl Attribute {
    fn new(attribute: &roxmltree::Attribute<'_, '_>) -> Self {
        Self { name: attribute.name().into(), value: attribute.value().into(), read: Cell::new(false) }
    }
}

/// An element of a [`Document`].
#[derive(Clone, Copy, Debug)]
pub struct Element<'d> {
    document: &'d Document,
    id: ElementId,
}

impl<'d> Element<'d> {
    fn data(self) -> &'d ElementData {
        &self.document.elements[self.id.index()]
    }

    /// Its index in the document.
    pub fn id(self) -> ElementId {
        self.id
    }

    /// Its name, without a prefix.
    pub fn tag(self) -> &'d str {
        &self.data().tag
    }

    /// The file it stands in.
    pub fn file(self) -> &'d str {
        &self.document.files[self.data().file as usize]
    }

    /// The line it starts in, counted from 1.
    pub fn line(self) -> u32 {
        self.data().line
    }

    /// The element around it.
    pub fn parent(self) -> Option<Element<'d>> {
        self.data().parent.map(|id| self.document.element(id))
    }

    /// The first element in it.
    pub fn first_child(self) -> Option<Element<'d>> {
        self.data().first_child.map(|id| self.document.element(id))
    }

    /// The element after it in the same parent.
    pub fn next(self) -> Option<Element<'d>> {
        self.data().next.map(|id| self.document.element(id))
    }

    /// The elements in it, in order.
    pub fn children(self) -> impl Iterator<Item = Element<'d>> {
        std::iter::successors(self.first_child(), |child| child.next())
    }

    /// The elements in it with this name.
    pub fn children_named(self, tag: &'d str) -> impl Iterator<Item = Element<'d>> {
        self.children().filter(move |child| child.tag() == tag)
    }

    /// An error at this element.
    pub fn error(self, reason: impl Into<String>) -> FormatError {
        FormatError::new(self.file(), reason).at_line(self.line()).in_tag(self.tag())
    }

    /// A warning at this element.
    pub fn warning(self, text: impl Into<String>) -> Warning {
        Warning::new(format!("{}:{}: <{}>", self.file(), self.line(), self.tag()), text)
    }

    /// The text of an attribute.
    pub fn text(self, name: &str) -> Option<&'d str> {
        let data = self.data();
        data.known.set(true);
        let attribute = data.attributes.iter().find(|attribute| &*attribute.name == name)?;
        attribute.read.set(true);
        Some(&attribute.value)
    }

    /// Whether it has an attribute. This counts as reading it.
    pub fn has(self, name: &str) -> bool {
        self.text(name).is_some()
    }

    /// Says that these attributes are known and left out on purpose.
    pub fn ignore(self, names: &[&str]) {
        let data = self.data();
        data.known.set(true);
        for attribute in &data.attributes {
            if names.contains(&&*attribute.name) {
                attribute.read.set(true);
            }
        }
    }

    /// Says that nothing about this element matters but what was read already.
    pub fn ignore_rest(self) {
        self.data().known.set(false);
    }

    /// The text of an attribute that must be there.
    pub fn required(self, name: &str) -> Result<&'d str, FormatError> {
        self.text(name).ok_or_else(|| self.error(format!("the attribute {name:?} is missing")))
    }

    /// A finite number.
    pub fn f64(self, name: &str) -> Result<Option<f64>, FormatError> {
        Ok(self.array::<1>(name)?.map(|[x]| x))
    }

    /// A whole number.
    pub fn int(self, name: &str) -> Result<Option<i64>, FormatError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let error = || self.error(format!("{name}={text:?} is not a whole number"));
        text.trim().parse().map(Some).map_err(|_| error())
    }

    /// Exactly `N` finite numbers.
    pub fn array<const N: usize>(self, name: &str) -> Result<Option<[f64; N]>, FormatError> {
        let Some(numbers) = self.numbers(name)? else { return Ok(None) };
        let count = numbers.len();
        let expected = if N == 1 { "1 number".to_owned() } else { format!("{N} numbers") };
        match <[f64; N]>::try_from(numbers) {
            Ok(array) => Ok(Some(array)),
            Err(_) => Err(self.error(format!("{name:?} has {count} numbers; {expected} expected"))),
        }
    }

    /// Exactly three finite numbers.
    pub fn vec3(self, name: &str) -> Result<Option<Vec3>, FormatError> {
        Ok(self.array::<3>(name)?.map(Vec3::from))
    }

    /// Any number of finite numbers, separated by white space.
    pub fn numbers(self, name: &str) -> Result<Option<Vec<f64>>, FormatError> {
        let Some(numbers) = self.list::<f64>(name, "a number")? else { return Ok(None) };
        match numbers.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(self.error(format!("{name:?} contains {x}"))),
            None => Ok(Some(numbers)),
        }
    }

    /// Any number of whole numbers.
    pub fn ints(self, name: &str) -> Result<Option<Vec<i64>>, FormatError> {
        self.list(name, "a whole number")
    }

    fn list<T: FromStr>(self, name: &str, what: &str) -> Result<Option<Vec<T>>, FormatError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let parse = |word: &str| {
            word.parse()
                .map_err(|_| self.error(format!("{name:?} contains {:?}, which is not {what}", clip(word))))
        };
        text.split_ascii_whitespace().map(parse).collect::<Result<_, _>>().map(Some)
    }

    /// One of a few words, each with its meaning.
    pub fn keyword<T: Copy>(self, name: &str, meanings: &[(&str, T)]) -> Result<Option<T>, FormatError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        if let Some((_, meaning)) = meanings.iter().find(|(word, _)| *word == text) {
            return Ok(Some(*meaning));
        }
        let words: Vec<&str> = meanings.iter().map(|(word, _)| *word).collect();
        Err(self.error(format!("{name}={:?} is not one of: {}", clip(text), words.join(", "))))
    }

    /// `true` or `false`.
    pub fn bool(self, name: &str) -> Result<Option<bool>, FormatError> {
        self.keyword(name, &[("false", false), ("true", true)])
    }
}

/// The start of a text, short enough for a message.
fn clip(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).collect::<String>() + "…"
    }
}

/// Byte offsets of line starts.
struct LineTable {
    starts: Vec<usize>,
}

impl LineTable {
    fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { starts: std::iter::once(0).chain(breaks).collect() }
    }

    fn line(&self, offset: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }
}

/// `<?xml …?>` after empty lines is not XML, but MuJoCo reads it. It becomes blanks, so that lines keep their numbers.
fn blank_late_declaration(text: &str) -> Cow<'_, str> {
    let start = text.len() - text.trim_start().len();
    match text[start..].find("?>") {
        Some(end) if start > 0 && text[start..].starts_with("<?xml") => {
            Cow::Owned(format!("{}{}{}", &text[..start], " ".repeat(end + 2), &text[start + end + 2..]))
        }
        _ => Cow::Borrowed(text),
    }
}

/// `--` inside a comment is not XML, but MuJoCo reads it and many files draw rulers with it. Such comments become
/// white space; their line breaks stay, so that lines keep their numbers.
fn blank_loose_comments(text: &str) -> std::borrow::Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(start) = text[at..].find("<!--").map(|found| at + found) {
        let Some(end) = text[start + 4..].find("-->").map(|found| start + 4 + found) else { break };
        let inside = &text[start + 4..end];
        at = end + 3;
        if inside.contains("--") || inside.ends_with('-') {
            out.push_str(&text[copied..start]);
            out.extend(text[start..at].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            copied = at;
        }
    }
    if copied == 0 {
        return text.into();
    }
    out.push_str(&text[copied..]);
    out.into()
}

fn syntax_error(file: &str, text: &str, error: &roxmltree::Error) -> FormatError {
    let reason = match error {
        roxmltree::Error::NoRootNode => return FormatError::new(file, "there is no XML element in it"),
        roxmltree::Error::UnexpectedEndOfStream | roxmltree::Error::UnclosedRootNode => {
            let line = LineTable::new(text.trim_end()).line(text.len());
            return FormatError::new(file, "the XML is broken: the file ends before its last element")
                .at_line(line);
        }
        roxmltree::Error::NodesLimitReached => format!("more than {MAX_NODES} XML nodes"),
        roxmltree::Error::DtdDetected => {
            return FormatError::new(
                file,
                "document type and entity declarations (<!DOCTYPE …>) are not read",
            );
        }
        other => format!("the XML is broken: {other}"),
    };
    let line = error.pos().row;
    FormatError::new(file, reason).at_line(line)
}

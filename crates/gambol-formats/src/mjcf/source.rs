//! A model file with all that is needed to understand its elements. There are several where one attaches others.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::assets::{MeshAsset, MeshSource};
use super::compiler::Compiler;
use super::defaults::{Classes, MAIN};
use super::include;
use crate::xml::{Document, Element};
use crate::{Files, FormatError};

/// Most model files that one creature may attach.
const MAX_MODELS: usize = 1000;

/// The documents of the main model and of those it attaches, and who names whom.
#[derive(Debug)]
pub(crate) struct Library {
    documents: Vec<Document>,
    /// Document and model name → document.
    models: HashMap<(usize, String), usize>,
}

impl Library {
    /// Reads all files that `main` needs, except meshes.
    pub(crate) fn read(files: &dyn Files, mut main: Document) -> Result<Self, FormatError> {
        include::expand(files, &mut main)?;
        let mut paths = vec![main.file().to_owned()];
        let mut library = Self { documents: vec![main], models: HashMap::new() };
        let mut next = 0;
        while next < library.documents.len() {
            for (name, path, line_error) in library.named_models(next)? {
                let known = paths.iter().position(|other| *other == path);
                let index = match known {
                    Some(index) => index,
                    None if library.documents.len() >= MAX_MODELS => return Err(line_error),
                    None => {
                        library.documents.push(read_model(files, &path, &line_error)?);
                        paths.push(path);
                        library.documents.len() - 1
                    }
                };
                let name = name.unwrap_or_else(|| model_name(&library.documents[index]).to_owned());
                library.models.insert((next, name), index);
            }
            next += 1;
        }
        Ok(library)
    }

    /// `<model>` assets of a document: name, path, and the error to give if there is something wrong with it.
    fn named_models(&self, index: usize) -> Result<Vec<(Option<String>, String, FormatError)>, FormatError> {
        let document = &self.documents[index];
        let mut found = Vec::new();
        for asset in document.root().children_named("asset") {
            for model in asset.children_named("model") {
                model.ignore(&["content_type"]);
                let path = join(folder(document.file()), model.required("file")?);
                let error = model.error(format!("more than {MAX_MODELS} models are attached"));
                found.push((model.text("name").map(str::to_owned), path, error));
            }
        }
        Ok(found)
    }

    /// The documents as sources of elements.
    pub(crate) fn sources(&self) -> Result<Vec<Source<'_>>, FormatError> {
        self.documents.iter().map(Source::new).collect()
    }

    /// The source that `from` knows under this name.
    pub(crate) fn model(&self, from: usize, name: &str) -> Option<usize> {
        self.models.get(&(from, name.to_owned())).copied()
    }

    /// All documents.
    pub(crate) fn documents(&self) -> &[Document] {
        &self.documents
    }
}

fn read_model(files: &dyn Files, path: &str, at: &FormatError) -> Result<Document, FormatError> {
    let mut document = Document::read(files, path).map_err(|error| match error.line {
        Some(_) => error,
        None => FormatError {
            reason: format!("{}: {}", error.file, error.reason),
            hint: error.hint,
            ..at.clone()
        },
    })?;
    if document.root().tag() != "mujoco" {
        return Err(document.root().error("only MJCF models can be attached"));
    }
    include::expand(files, &mut document)?;
    Ok(document)
}

/// The name a model gives itself; MuJoCo's if it gives none.
fn model_name(document: &Document) -> &str {
    document.root().text("model").unwrap_or("MuJoCo Model")
}

/// A model and how to understand it.
#[derive(Debug)]
pub(crate) struct Source<'d> {
    pub(crate) document: &'d Document,
    pub(crate) compiler: Compiler,
    pub(crate) classes: Classes<'d>,
    /// Mesh assets by name.
    pub(crate) meshes: HashMap<String, MeshSource<'d>>,
    /// Colours of materials.
    pub(crate) materials: HashMap<String, [f32; 4]>,
    /// Meshes that were needed, as far as they are loaded.
    loaded: RefCell<HashMap<String, Rc<MeshAsset>>>,
}

impl<'d> Source<'d> {
    fn new(document: &'d Document) -> Result<Self, FormatError> {
        let root = document.root();
        root.ignore(&["model"]);
        let compiler = Compiler::read(root)?;
        let classes = Classes::read(root)?;
        let mut source = Self {
            document,
            compiler,
            classes,
            meshes: HashMap::new(),
            materials: HashMap::new(),
            loaded: RefCell::default(),
        };
        for asset in root.children_named("asset") {
            for element in asset.children() {
                source.add_asset(element)?;
            }
        }
        Ok(source)
    }

    fn add_asset(&mut self, element: Element<'d>) -> Result<(), FormatError> {
        match element.tag() {
            "mesh" => {
                let cascade = self.classes.cascade(element, MAIN)?;
                let mesh = MeshSource::new(cascade)?;
                let name = mesh.name().to_owned();
                if self.meshes.insert(name.clone(), mesh).is_some() {
                    return Err(element.error(format!("another mesh has the name {name:?}")));
                }
            }
            "material" => {
                let cascade = self.classes.cascade(element, MAIN)?;
                let rgba = cascade.array::<4>("rgba")?.unwrap_or([1.0; 4]);
                if let Some(name) = element.text("name") {
                    self.materials.insert(name.to_owned(), rgba.map(to_f32));
                }
                cascade.ignore_rest();
            }
            _ => {} // textures, height fields and skins have no mass; models were read before
        }
        Ok(())
    }

    /// The mesh of this name, from its file if it was not needed before.
    pub(crate) fn mesh(
        &self,
        files: &dyn Files,
        user: Element<'_>,
        name: &str,
    ) -> Result<Rc<MeshAsset>, FormatError> {
        if let Some(mesh) = self.loaded.borrow().get(name) {
            return Ok(Rc::clone(mesh));
        }
        let source = self.meshes.get(name).ok_or_else(|| user.error(format!("there is no mesh {name:?}")))?;
        let mesh = Rc::new(source.load(files, folder(self.document.file()), &self.compiler)?);
        self.loaded.borrow_mut().insert(name.to_owned(), Rc::clone(&mesh));
        Ok(mesh)
    }
}

/// Colours need no more precision.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn to_f32(x: f64) -> f32 {
    x as f32
}

/// The folder part of a path, without the last slash.
pub(crate) fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}

/// `name` in `folder`; an absolute name stays as it is.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() || name.starts_with('/') {
        return name.to_owned();
    }
    format!("{}/{name}", folder.trim_end_matches('/'))
}

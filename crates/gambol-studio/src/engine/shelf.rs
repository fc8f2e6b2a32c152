//! What is kept for the page: files it dropped, the work of each tab, gaits that links open.

use std::collections::BTreeMap;

use gambol::formats::Files;
use gambol::formats::files::Memory;
use serde_json::Value;

use super::{Answer, Trouble};
use crate::protocol::{Kept, NewFile, Shared, split};

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

/// Keeps the files of a request.
pub(super) fn keep(shelf: &mut dyn Shelf, files: &[NewFile], bytes: &[u8]) -> Result<Answer, Trouble> {
    let _ = (shelf, split(files, bytes), Kept { bundle: String::new(), name: String::new() });
    Err(Trouble("not yet".to_owned()))
}

/// A shelf that forgets: for tests, and for a page that is its own host.
#[derive(Default)]
pub struct MemoryShelf {
    bundles: BTreeMap<String, Memory>,
}

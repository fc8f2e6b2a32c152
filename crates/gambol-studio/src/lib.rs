//! The studio: a page in the browser, and the engine behind it.
//!
//! ```text
//! web/ (TypeScript) ◄── Message ──► Engine ──► gambol
//!                      (server)       │
//!                                     ▼
//!                                   Shelf: files, work and shared gaits that are kept
//! ```
//!
//! An [`Engine`] answers one page's messages. It has no file, clock or thread of its own: what it
//! keeps goes through its [`Shelf`]. All that a user made travels with each request, so that an engine can be thrown away at
//! any time; what it remembers is only there to be fast.

mod engine;
pub mod protocol;
#[cfg(not(target_family = "wasm"))] // there the page is its own host
pub mod server;

pub use engine::{Engine, MemoryShelf, Shelf, Trouble};

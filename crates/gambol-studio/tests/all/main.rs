//! The studio: its engine as the page sees it, its server, its shelf on disk.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod engine;
mod page_fixture;
mod server;
#[path = "../../examples/session/mod.rs"]
mod session;
mod shelf;
mod studio;

//! Makes a table of the files of the page, which `src/server/page.rs` includes.
//!
//! The page comes with the crate, in `page/`, so that nobody who builds it needs Node. `cargo xtask page` makes it from
//! the sources in `web/`, which are not in the package.

mod page_sources;

use std::fs;
use std::path::{Path, PathBuf};

use page_sources::{SOURCES, STAMP, add_files, stamp};

fn main() {
    let crate_folder = PathBuf::from(env("CARGO_MANIFEST_DIR"));
    let (page, web) = (crate_folder.join("page"), crate_folder.join("web"));
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rerun-if-changed=page_sources.rs");
    println!("cargo::rerun-if-changed=build.rs");
    if web.is_dir() {
        for source in SOURCES {
            println!("cargo::rerun-if-changed=web/{source}");
        }
        let made_of = fs::read_to_string(page.join(STAMP)).unwrap_or_default();
        if stamp(&web).is_ok_and(|now| now.trim() != made_of.trim()) {
            println!(
                "cargo::warning=the studio's page is older than its sources: `cargo xtask page` makes it anew"
            );
        }
    }
    let mut files = Vec::new();
    add_files(&page, &mut files).expect("the page is in the folder page/");
    files.retain(|file| *file != page.join(STAMP));
    files.sort();
    let table: String = files.iter().map(|file| row(&page, file)).collect();
    let out = PathBuf::from(env("OUT_DIR")).join("page.rs");
    fs::write(out, format!("&[\n{table}]\n")).expect("cargo's own folder can be written to");
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// One row of the table: path in the URL, type, content.
fn row(page: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(page).expect("it was found there");
    let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
    let kind = match file.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/vnd.microsoft.icon",
        Some("wasm") => "application/wasm",
        Some("json" | "webmanifest") => "application/json",
        _ => "application/octet-stream",
    };
    let (path, file) = (parts.join("/"), file.to_string_lossy());
    format!("    ({path:?}, {kind:?}, include_bytes!({file:?}) as &[u8]),\n")
}

//! What tests of the command line share.
#![allow(missing_docs)]

use std::path::Path;
use std::process::{Command, Output};

/// Runs gambol.
pub(crate) fn gambol(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gambol")).args(arguments).output().expect("gambol runs")
}

/// It must end with `status`, say `message`, and print nothing else.
pub(crate) fn assert_fails(arguments: &[&str], status: i32, message: &str) {
    let output = gambol(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
    assert!(said.contains(message), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

/// Names of the files in a folder, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entry = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = std::fs::read_dir(folder).unwrap().map(entry).collect();
    names.sort();
    names
}

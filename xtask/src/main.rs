//! Tasks longer than one cargo command.
fn main() {}

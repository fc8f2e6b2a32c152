//! The command line; everything is in [`gambol::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    gambol::cli::run()
}

//! Prints a line for each computation: a number that all bits of the result go into, and what was computed. It has no
//! thread, clock or file, so that it runs wherever gambol does.

use std::process::ExitCode;

fn main() -> ExitCode {
    match bits::lines() {
        Ok(lines) => {
            print!("{lines}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

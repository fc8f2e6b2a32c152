//! A session with the engine: `engine_session FILE` writes every message, its answer, and how long that took
//! (ms, f64), each with its length (u32) in front, little-endian. `cargo xtask wasm` lets the engine answer the same in WebAssembly.

mod session;

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: engine_session FILE")?;
    let mut out = BufWriter::new(File::create(file)?);
    for (message, answer, millis) in session::session()? {
        for bytes in [message.to_bytes(), answer.to_bytes(), millis.to_le_bytes().to_vec()] {
            out.write_all(&u32::try_from(bytes.len())?.to_le_bytes())?;
            out.write_all(&bytes)?;
        }
    }
    Ok(out.flush()?)
}

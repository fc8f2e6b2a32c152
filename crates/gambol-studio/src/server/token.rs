//! The secret in the page's address.

use std::fs::{self, OpenOptions};
use std::hint::black_box;
use std::io::{self, Write};
use std::path::Path;

/// Bytes of a token: nobody guesses 128 bits.
const BYTES: usize = 16;

/// A secret of 32 hexadecimal digits.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// From the system's random source.
    pub fn new() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(format!("{:032x}", u128::from_le_bytes(bytes))))
    }

    /// The token in this file, or a new one that is kept there for the next start: a page that is still open finds its
    /// server again. Nobody else may read the file; if others could, the token is replaced.
    pub fn kept_in(file: &Path) -> io::Result<Self> {
        if is_private(file) {
            let text = fs::read_to_string(file).unwrap_or_default();
            if text.len() == 2 * BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Ok(Self(text));
            }
        }
        let token = Self::new()?;
        // Written beside its place and renamed, so that no half of it is ever there.
        let half = file.with_extension(format!("{}.part", std::process::id()));
        let _ = fs::remove_file(&half);
        private(OpenOptions::new().write(true).create_new(true))
            .open(&half)?
            .write_all(token.0.as_bytes())?;
        fs::rename(&half, file)?;
        Ok(token)
    }

    /// As it stands in the address.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is it. Takes as long for a wrong first digit as for a wrong last one.
    pub(super) fn is(&self, other: &str) -> bool {
        let differ = self.0.bytes().zip(other.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
        black_box(differ) == 0 && other.len() == self.0.len()
    }
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

/// Elsewhere a user's folders are closed to others.
#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(unix)]
fn is_private(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    const OF_OTHERS: u32 = 0o077;
    fs::symlink_metadata(file)
        .is_ok_and(|there| there.is_file() && there.permissions().mode() & OF_OTHERS == 0)
}

#[cfg(not(unix))]
fn is_private(file: &Path) -> bool {
    fs::symlink_metadata(file).is_ok_and(|there| there.is_file())
}

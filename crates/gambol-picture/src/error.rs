//! What can go wrong with a picture.

use std::path::PathBuf;

/// Why a picture could not be made or written.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The file's ending names no format.
    #[error("{}: a picture's file ends in .svg or .png", path.display())]
    Ending {
        /// The file.
        path: PathBuf,
    },
    /// There is a file already, and it was not said that it may go.
    #[error("{} exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("{}: cannot be written: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// No image can have this size.
    #[error("an image of {width:.0} by {height:.0} pixels cannot be made; the most is {most} on a side")]
    Size {
        /// Pixels.
        width: f64,
        /// Pixels.
        height: f64,
        /// The most pixels on a side.
        most: u32,
    },
}

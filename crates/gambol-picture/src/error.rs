//! What can go wrong with a picture.

use std::path::PathBuf;

use gambol_formats::WriteError;

/// Why a picture could not be made or written.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The file's ending names no format.
    #[error("{}: a picture's file ends in .svg or .png", path.display())]
    Ending {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] WriteError),
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

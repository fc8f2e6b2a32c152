//! What can go wrong with a picture.

use std::path::PathBuf;

use gambol_formats::WriteError;
use gambol_motion::ClipError;

/// Why a picture could not be made or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The file's ending names no format.
    #[error("{}: a picture's file ends in {known}", path.display())]
    Ending {
        /// The file.
        path: PathBuf,
        /// The endings there are.
        known: &'static str,
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
    /// The clip is none of this creature's.
    #[error("the clip cannot be drawn: {0}")]
    Clip(#[from] ClipError),
    /// An option that no animation can have.
    #[error("an animation cannot have {0}")]
    Option(String),
    /// The image's file format refuses.
    #[error("the image cannot be encoded: {0}")]
    Encoding(String),
}

impl From<png::EncodingError> for PictureError {
    fn from(error: png::EncodingError) -> Self {
        Self::Encoding(error.to_string())
    }
}

impl From<gif::EncodingError> for PictureError {
    fn from(error: gif::EncodingError) -> Self {
        Self::Encoding(error.to_string())
    }
}

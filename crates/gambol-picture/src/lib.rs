//! Pictures of creatures, as SVG and PNG.
//!
//! A [`Picture`] is a flat list of polygons, lines, circles and texts in pixels; it knows nothing of creatures. A
//! [`Drawing`] is a creature at a pose seen from a [`View`], in metres. The functions on top lay drawings out:
//! [`three_views`] of one pose, a [`sheet`] of many creatures, a [`mode_sheet`] of one creature's motions, a
//! [`film_strip`] of one motion's frames. [`write()`] puts a picture into a file.
//!
//! Text is drawn with a stroke font of our own (module `font`): it needs no font files and looks the same everywhere.
//!
//! ```
//! use gambol_model::samples;
//! use gambol_picture::three_views;
//!
//! let creature = samples::chain(8);
//! let picture = three_views(&creature, creature.reference_pose());
//! assert!(picture.to_svg().starts_with("<svg"));
//! # assert!(!picture.to_png(1.0)?.is_empty());
//! # Ok::<(), gambol_picture::PictureError>(())
//! ```

mod drawing;
mod error;
mod font;
mod labels;
mod modes;
mod order;
mod picture;
mod png;
mod sheet;
mod strip;
mod surface;
mod svg;
mod view;
mod write;

pub use drawing::{Bounds, Drawing, Look, Marks, Paint, Placement};
pub use error::PictureError;
pub use font::text_width;
pub use modes::{ModeTile, best_view, mode_sheet};
pub use picture::{Anchor, Colour, Item, Picture, Point, Stroke};
pub use sheet::{Tile, sheet, three_views};
pub use strip::{Frame, film_strip};
pub use view::View;
pub use write::write;

//! Pictures of creatures, as SVG, PNG, GIF and APNG.
//!
//! A [`Picture`] is a flat list of polygons, lines, circles and texts in pixels; it knows nothing of creatures. A
//! [`Drawing`] is a creature at a pose seen from a [`View`], in metres. The functions on top lay drawings out:
//! [`three_views`] of one pose, a [`sheet`] of many creatures, a [`mode_sheet`] of one creature's motions, a
//! [`clip_strip`] of a gait's frames with its footfalls. A [`clip_animation`] shows the gait itself. [`write()`] puts a
//! picture into a file, [`write_clip`] a clip.
//!
//! Text in Latin, Greek and Cyrillic letters is drawn with a font that comes with the crate, and so looks the same on
//! every machine; other scripts with the system's fonts, shaped as their readers expect. [`Picture::missing_letters`]
//! tells what no font here has. In SVG, text is text.
//!
//! ```
//! use gambol_model::{BodySpec, CreatureSpec, Shape, ShapeSpec};
//! use gambol_picture::three_views;
//!
//! let mut spec = CreatureSpec::new("stone");
//! let stone = spec.add_body(0, BodySpec::new("stone"))?;
//! spec.bodies[stone].shapes.push(ShapeSpec::new(Shape::Sphere { radius: 0.1 }));
//! let creature = spec.build()?;
//! let picture = three_views(&creature, creature.reference_pose());
//! assert!(picture.to_svg().starts_with("<svg"));
//! # assert!(!picture.to_png(1.0)?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod animation;
mod clip;
mod drawing;
mod error;
mod forces;
mod gif;
mod labels;
mod modes;
mod order;
mod picture;
mod png;
mod raster;
mod sheet;
mod sides;
mod stage;
mod strip;
mod surface;
mod svg;
mod text;
mod track;
mod view;
mod write;

pub use animation::{AnimationFormat, clip_animation, picture_animation};
pub use clip::{ClipOptions, Height};
pub use drawing::{Bounds, Drawing, Look, Marks, Paint, Placement};
pub use error::PictureError;
pub use forces::ForceCurves;
pub use modes::{ModeTile, best_view, mode_sheet};
pub use picture::{Anchor, Colour, Item, Picture, Point, Stroke};
pub use raster::Raster;
pub use sheet::{Tile, sheet, three_views};
pub use strip::clip_strip;
pub use text::{missing_letters, text_width};
pub use view::View;
pub use write::{write, write_clip};

/// The vectors and matrices that this crate's functions take and give.
pub use nalgebra;

//! How a clip is shown.

use crate::{ForceCurves, View};

/// Height of the ground at x and y, world, all in m.
pub type Height<'a> = &'a dyn Fn(f64, f64) -> f64;

/// How a clip is shown as a strip or as an animation.
#[derive(Clone)]
pub struct ClipOptions<'a> {
    /// Over a strip; the creature's and the clip's name if not given.
    pub title: Option<String>,
    /// As seen from a creature that looks along x; if not given, from the side, or from above where that shows more.
    pub view: Option<View>,
    /// The ground; flat at 0 if not given.
    pub ground: Option<Height<'a>>,
    /// Of a strip: forces to be shown under it.
    pub forces: Option<&'a ForceCurves>,
    /// Of a strip.
    pub frames: usize,
    /// Of an animation, per second; GIF counts in 1/100 s, so that the next rate is taken with which the loop is as
    /// long as the clip.
    pub rate: f64,
    /// Of an animation, px.
    pub width: f64,
}

impl Default for ClipOptions<'_> {
    fn default() -> Self {
        Self { title: None, view: None, ground: None, forces: None, frames: 8, rate: 25.0, width: 480.0 }
    }
}

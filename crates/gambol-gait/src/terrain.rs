//! What the shape of the ground means for a step.

use gambol_model::Vec3;

use crate::Terrain;

/// How far the ground rises above the straight line between two places, m.
pub(crate) fn hill(terrain: &Terrain, from: Vec3, to: Vec3) -> f64 {
    /// A hill narrower than a sixteenth of a step is a stone, which a foot pushes aside.
    const HILL_LOOKS: u32 = 16;
    let above = |k: u32| {
        let at = from + (to - from) * (f64::from(k) / f64::from(HILL_LOOKS));
        terrain.height(at.x, at.y) - at.z
    };
    (0..=HILL_LOOKS).map(above).fold(0.0, f64::max)
}

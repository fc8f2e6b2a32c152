//! A plant in the wind as files.

use gambol_formats::clip::{ClipFileError, jointed_surface_to_glb};
use gambol_formats::npz;
use gambol_model::Vec3;
use gambol_picture::{AnimationFormat, Picture, PictureError, picture_animation};
use serde_json::{Value, json};

use crate::{
    Detail, PlantDrawing, PlantMode, Swayed, TubeSettings, WindReport, WindStage, plant_strip,
    swaying_surface,
};

/// Nodes of a file for viewers, which move each of them by itself.
const GLB_NODES: usize = 500;
/// Frames of a film strip.
const STRIP: usize = 6;
/// px
const FRAME: [f64; 2] = [420.0, 460.0];

impl WindStage {
    /// Moments side by side.
    pub fn strip(&self, swayed: &Swayed) -> Picture {
        let last = self.times.len() - 1;
        let frame = |k: usize| {
            let index = last * k / (STRIP - 1);
            (self.times[index], swayed.winds[index], self.places(swayed, index))
        };
        let frames: Vec<_> = (0..STRIP.min(last + 1)).map(frame).collect();
        plant_strip(&self.plant, &self.leaves, &frames)
    }

    /// All frames as a film; `progress` hears how many are drawn, and of how many.
    pub fn animation(
        &self,
        swayed: &Swayed,
        format: AnimationFormat,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<u8>, PictureError> {
        let mut frame = |k: usize| {
            let drawing = PlantDrawing {
                plant: &self.plant,
                leaves: &self.leaves,
                flutter: (swayed.winds[k], self.times[k]),
                opacity: 1.0,
            };
            drawing.frame(FRAME[0], FRAME[1], &self.places(swayed, k))
        };
        picture_animation(self.times.len(), 1.0 / self.fps, format, &mut frame, progress)
    }

    /// Tubes and leaves on nodes that move, the clip being called `wind`, and the basis in `asset.extras.gambol`.
    pub fn glb(&self, swayed: &Swayed, report: &WindReport) -> Result<Vec<u8>, ClipFileError> {
        let detail = Detail::new(&self.plant, self.nodes.unwrap_or(GLB_NODES));
        let tubes = TubeSettings::default();
        let moved = &swayed.displacements;
        let mut surface = swaying_surface(&self.plant, &detail, &self.leaves, &self.times, moved, &tubes);
        let shape = |mode: &PlantMode| -> Vec<[f64; 3]> {
            detail.kept.iter().map(|node| mode.displacement(*node).into()).collect()
        };
        surface.extras = json!({
            "frequencies": report.frequencies,
            "damping_ratios": report.damping_ratios,
            "projection": self.basis.projection.iter().map(|p| <[f64; 3]>::from(*p)).collect::<Vec<_>>(),
            "shapes": self.modes.iter().map(shape).collect::<Vec<_>>(),
            "mean_wind": report.mean_wind,
        });
        jointed_surface_to_glb(&surface)
    }

    /// `times` (t), `wind` (t × 3), `coordinates` (t × k), `nodes` (n × 3), `parents` (n), `displacements` (t × n × 3), `frequencies` (k).
    pub fn arrays(&self, swayed: &Swayed) -> std::io::Result<Vec<u8>> {
        let (t, n, k) = (self.times.len(), self.plant.len(), self.modes.len());
        let flat = |vectors: &[Vec3]| -> Vec<f64> { vectors.iter().flat_map(|v| [v.x, v.y, v.z]).collect() };
        let displacements: Vec<f64> = swayed.displacements.iter().flat_map(|moved| flat(moved)).collect();
        let coordinates: Vec<f64> = swayed.coordinates.concat();
        let frequencies: Vec<f64> = self.modes.iter().map(PlantMode::frequency).collect();
        let index = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
        let of_node = |(node, parent): (usize, &usize)| if node == 0 { -1 } else { index(*parent) };
        let parents: Vec<i64> = self.plant.parents.iter().enumerate().map(of_node).collect();
        let (nodes, winds) = (flat(&self.plant.nodes), flat(&swayed.winds));
        let numbers = |name, shape, values| npz::Array { name, shape, values: npz::Values::Numbers(values) };
        npz::to_bytes(&[
            numbers("times", vec![t], &self.times),
            numbers("wind", vec![t, 3], &winds),
            numbers("coordinates", vec![t, k], &coordinates),
            numbers("nodes", vec![n, 3], &nodes),
            npz::Array { name: "parents", shape: vec![n], values: npz::Values::Integers(&parents) },
            numbers("displacements", vec![t, n, 3], &displacements),
            numbers("frequencies", vec![k], &frequencies),
        ])
    }

    /// The report, and what changes over time: wind, modes, and the top.
    pub fn series(&self, swayed: &Swayed, report: &WindReport) -> Value {
        let top = self.plant.top();
        let vector = |v: &Vec3| <[f64; 3]>::from(*v);
        json!({
            "report": report,
            "times": self.times,
            "wind": swayed.winds.iter().map(vector).collect::<Vec<_>>(),
            "coordinates": swayed.coordinates,
            "top": swayed.displacements.iter().map(|moved| vector(&moved[top])).collect::<Vec<_>>(),
        })
    }
}

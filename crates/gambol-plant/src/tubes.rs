//! The surface of a plant: a tube for each element, and leaves, on the nodes that carry them.

use gambol_formats::clip::{JointedPart, JointedSurface};
use gambol_model::{Vec3, math};

use crate::Plant;
use crate::beam::{Beam, Constants, Section, WoodSettings};
use crate::detail::{Binding, Detail};
use crate::leaves::Leaf;

gambol_model::settings! {
    /// How fine the surface is.
    pub struct TubeSettings {
        /// Sides of the thickest tube; the thinnest have three.
        sides: usize = 8, AtLeastOne;
    }
}

/// How far a tube reaches beyond its ends, in parts of its radius.
const OVERLAP: f64 = 0.3;

/// Colours of bark and leaves: red, green, blue, opacity.
const BARK: [f32; 4] = [0.30, 0.22, 0.16, 1.0];
const GREEN: [f32; 4] = [0.24, 0.42, 0.12, 1.0];

/// The surface on the nodes of `detail`, and how these move: `displacements` of all nodes of the plant at each time.
pub fn swaying_surface(
    plant: &Plant,
    detail: &Detail,
    leaves: &[Leaf],
    times: &[f64],
    displacements: &[Vec<Vec3>],
    settings: &TubeSettings,
) -> JointedSurface {
    let joints: Vec<Vec3> = detail.kept.iter().map(|&node| plant.nodes[node]).collect();
    let places = displacements
        .iter()
        .map(|moved| detail.kept.iter().map(|&node| plant.nodes[node] + moved[node]).collect())
        .collect();
    JointedSurface {
        name: plant.name.clone(),
        motion: "wind".to_owned(),
        joints,
        parts: vec![bark(plant, &detail.bindings, settings), foliage(plant, detail, leaves)],
        times: times.to_vec(),
        places,
        extras: serde_json::Value::Null,
    }
}

/// A tube for each element; `bindings` say what each node of the plant follows.
pub(crate) fn bark(plant: &Plant, bindings: &[Binding], settings: &TubeSettings) -> JointedPart {
    let mut part = JointedPart { name: "bark".to_owned(), rgba: BARK, ..JointedPart::default() };
    let thickest = plant.radii.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let section = Section::new(1.0, &WoodSettings::default(), Constants::Disc); // the surface has no stiffness
    for node in 1..plant.len() {
        let parent = plant.parents[node];
        let share = (plant.radii[node] / thickest).sqrt();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few
        let sides = ((settings.sides as f64 * share).round() as usize).max(3);
        let axes =
            Beam::new(plant.nodes[parent], plant.nodes[node], plant.radii[node], section).local_from_world;
        let begins =
            if plant.orders[node] == plant.orders[parent] { plant.radii[parent] } else { plant.radii[node] };
        let first = part.positions.len();
        // Tubes reach a little into each other, so that no light falls through where a branch bends.
        let along: Vec3 = axes.row(0).transpose();
        for (end, radius, beyond) in [(parent, begins, -OVERLAP), (node, plant.radii[node], OVERLAP)] {
            let middle = plant.nodes[end] + along * (beyond * plant.radii[node]);
            for side in 0..sides {
                let (sin, cos) = math::sin_cos(std::f64::consts::TAU * side as f64 / sides as f64);
                let out: Vec3 = axes.row(1).transpose() * cos + axes.row(2).transpose() * sin;
                vertex(&mut part, middle + out * radius, out, bindings[end]);
            }
        }
        for side in 0..sides {
            let [a, b] = [first + side, first + (side + 1) % sides];
            part.triangles.extend([[a, b, b + sides], [a, b + sides, a + sides]]);
        }
    }
    part
}

/// A leaf is two triangles, seen from both sides.
fn foliage(plant: &Plant, detail: &Detail, leaves: &[Leaf]) -> JointedPart {
    let mut part = JointedPart { name: "leaves".to_owned(), rgba: GREEN, ..JointedPart::default() };
    for leaf in leaves {
        let out = leaf.out;
        let across = out.cross(&Vec3::z());
        let across = if across.norm() > 1e-6 { across.normalize() } else { Vec3::x() };
        let base = plant.nodes[leaf.node] + leaf.offset - out * leaf.radius;
        let first = part.positions.len();
        let corners = [Vec3::zeros(), out + across * 0.5, out * 2.0, out - across * 0.5];
        for corner in corners {
            vertex(&mut part, base + corner * leaf.radius, out.cross(&across), detail.bindings[leaf.node]);
        }
        part.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    part
}

fn vertex(part: &mut JointedPart, at: Vec3, normal: Vec3, binding: Binding) {
    part.positions.push(at);
    part.normals.push(normal);
    part.joints.push((binding.first, binding.second, binding.share));
}

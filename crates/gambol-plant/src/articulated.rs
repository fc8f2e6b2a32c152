//! A plant as a creature: the same elements as rigid links on hinges with springs.
//!
//! Each element is one link, or a row of them. A spring between two links gives way as much as the half of either that it
//! stands for: 1/k = l₁/(2 E I₁) + l₂/(2 E I₂), and the same for twist; at the root one half is missing. With more links an
//! element the frequencies converge to those of the beams. This is what `inspect`, `export` and the studio take a plant as.

use gambol_model::{
    BodySpec, CreatureSpec, JointSpec, ModelError, Quat, Remark, Shape, ShapeSpec, Transform, Vec3, Warning,
    math,
};

use crate::beam::{Beam, Constants, Section, WoodSettings};
use crate::{Mechanics, Plant, PlantError, PlantMode};
use gambol_model::Creature;
use gambol_motion::{Basis, BasisSpec, Direction, Metric};

/// Colour of bark: red, green, blue, opacity.
const BARK: [f32; 4] = [0.42, 0.33, 0.25, 1.0];

/// A link before it is a body.
struct Link {
    /// Body that it hangs on, 0 for the world.
    parent: usize,
    from: Vec3,
    to: Vec3,
    section: Section,
    radius: f64,
    name: String,
}

/// The creature of a plant, `links` rigid links an element.
pub fn articulated(
    plant: &Plant,
    wood: &WoodSettings,
    constants: Constants,
    links: usize,
) -> Result<CreatureSpec, PlantError> {
    wood.check()?;
    let links = links.max(1);
    let mut spec = CreatureSpec::new(&plant.name);
    let mut made: Vec<Link> = Vec::with_capacity((plant.len() - 1) * links);
    // The body that ends in each node; the root is the world.
    let mut bodies = vec![0; plant.len()];
    let tips = plant.tips();
    for node in 1..plant.len() {
        let (from, to) = (plant.nodes[plant.parents[node]], plant.nodes[node]);
        let at = |k: usize| from + (to - from) * (k as f64 / links as f64);
        let mut parent = bodies[plant.parents[node]];
        for k in 0..links {
            let name =
                if links == 1 { format!("node {node}") } else { format!("node {node} link {}", k + 1) };
            let section = Section::new(plant.radii[node], wood, constants);
            let link = Link { parent, from: at(k), to: at(k + 1), section, radius: plant.radii[node], name };
            let leaf = tips[node] && k + 1 == links && wood.leaf_mass > 0.0;
            parent = add(&mut spec, &made, &link, wood, leaf)
                .map_err(|error| PlantError::Mismatch(error.to_string()))?;
            made.push(link);
        }
        bodies[node] = parent;
    }
    let warning =
        |remark: &Remark| Warning { place: plant.name.clone(), text: remark.text.clone(), hint: remark.hint };
    spec.warnings.extend(plant.remarks.iter().map(warning));
    Ok(spec)
}

fn add(
    spec: &mut CreatureSpec,
    made: &[Link],
    link: &Link,
    wood: &WoodSettings,
    leaf: bool,
) -> Result<usize, ModelError> {
    let beam = Beam::new(link.from, link.to, link.radius, link.section);
    let above = link.parent.checked_sub(1).map(|index| &made[index]);
    let spring = |of: fn(&Section) -> f64| {
        let half = |link: &Link| 0.5 * (link.to - link.from).norm() / of(&link.section);
        1.0 / (half(link) + above.map_or(0.0, half))
    };
    let (bending, torsion) = (spring(|section| section.bending), spring(|section| section.torsion));
    let mut body = BodySpec::new(&link.name);
    // Bodies stand along the world's axes where they begin, so that a pose of zeros is the plant.
    let origin = above.map_or(Vec3::zeros(), |above| above.from);
    body.parent_from_body = moved(link.from - origin);
    for (axis, (way, stiffness)) in
        [("twist", torsion), ("bend 1", bending), ("bend 2", bending)].iter().enumerate()
    {
        let direction: Vec3 = beam.local_from_world.row(axis).transpose();
        body.joints
            .push(JointSpec::hinge(format!("{} {way}", link.name), direction).with_stiffness(*stiffness));
    }
    let along = nalgebra::Unit::new_normalize(link.to - link.from);
    let turn = Quat::rotation_between_axis(&Vec3::z_axis(), &along)
        .unwrap_or_else(|| Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI));
    let middle = (link.to - link.from) * 0.5;
    body.shapes.push(ShapeSpec {
        density: wood.density,
        rgba: BARK,
        body_from_shape: Transform::from_parts(middle.into(), turn),
        ..ShapeSpec::new(Shape::Cylinder { radius: link.radius, half_length: 0.5 * beam.length })
    });
    if leaf {
        let radius = math::cbrt(wood.leaf_mass / wood.density).max(link.radius);
        body.shapes.push(ShapeSpec {
            mass: Some(wood.leaf_mass),
            rgba: [0.35, 0.55, 0.2, 1.0],
            body_from_shape: moved(link.to - link.from),
            ..ShapeSpec::new(Shape::Sphere { radius })
        });
    }
    spec.add_body(link.parent, body)
}

fn moved(by: Vec3) -> Transform {
    Transform::translation(by.x, by.y, by.z)
}

/// The modes of the beams as a basis of the creature with one link an element: each hinge turns as far as its element turns
/// against the one that it hangs on. Coordinates are those of the modes, of unit modal mass.
pub fn plant_basis(
    plant: &Plant,
    mechanics: &Mechanics,
    modes: &[PlantMode],
    creature: &Creature,
) -> Result<Basis, PlantError> {
    if creature.nv() != 3 * (plant.len() - 1) {
        let reason =
            format!("{} moves by {} hinges, not by three an element", creature.name(), creature.nv());
        return Err(PlantError::Mismatch(reason));
    }
    let direction = |(index, mode): (usize, &PlantMode)| {
        let turns: Vec<Vec3> =
            (0..plant.len()).map(|node| element_turn(plant, mechanics, mode, node)).collect();
        let mut shape = Vec::with_capacity(creature.nv());
        for (node, parent, beam) in mechanics.elements() {
            let against = beam.local_from_world * (turns[node] - turns[parent]);
            shape.extend(against.iter());
        }
        let mut direction = Direction::new(shape);
        direction.name = format!("u{index}");
        direction.spread = 1.0 / mode.omega_squared.sqrt();
        direction.omega_squared = Some(mode.omega_squared);
        direction
    };
    let directions = modes.iter().enumerate().map(direction).collect();
    let spec = BasisSpec::new(creature.reference_pose().to_vec(), Metric::Mass, directions);
    Basis::new(creature, spec).map_err(|error| PlantError::Mismatch(error.to_string()))
}

/// The rotation of the element that ends in a node: of its chord across, of its ends' mean about it.
fn element_turn(plant: &Plant, mechanics: &Mechanics, mode: &PlantMode, node: usize) -> Vec3 {
    if node == 0 {
        return Vec3::zeros();
    }
    let parent = plant.parents[node];
    let beam = mechanics.beam(node);
    let along: Vec3 = beam.local_from_world.row(0).transpose();
    let chord = (mode.displacement(node) - mode.displacement(parent)) / beam.length;
    let twist = (mode.shape[node].fixed_rows::<3>(3) + mode.shape[parent].fixed_rows::<3>(3)) * 0.5;
    along.cross(&chord) + along * along.dot(&twist)
}

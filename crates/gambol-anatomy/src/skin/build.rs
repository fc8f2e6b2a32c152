//! Puts the creature together: bodies with mass and shapes in its own world, first with a ball at every joint, then,
//! when it is known where its limbs are, with the joints they ask for.

use std::collections::HashSet;

use gambol_model::{
    BodySpec, CreatureSpec, Hint, InertiaSpec, JointKind, JointSpec, MassProperties, MeshMass, Remark, Role,
    Side, SiteSpec, Transform, TriMesh, Vec3, math,
};
use nalgebra::{Isometry3, Rotation3, Similarity3, Translation3, UnitQuaternion};

use super::nodes::{NodePlaces, RigNodes};
use super::segments::Segments;
use super::settings::SkinShapeSettings;
use super::solid::{self, Piece};
use super::surface::Skin;
use super::wishes::RigWishes;
use super::{fit, joints, symmetry};
use crate::ease;
use crate::springs::{SpringSettings, Standing, stance_springs};
use crate::survey::Survey;
use crate::{AnatomyError, ClassSettings, Measures};

/// Other units, m, in the order in which they are tried: centimetres, millimetres, and toys that were shrunk.
const OTHER_UNITS: [(f64, &str); 5] = [
    (0.01, "a centimetre"),
    (0.001, "a millimetre"),
    (0.0254, "an inch"),
    (100.0, "100 m, as the model was shrunk to a toy"),
    (10_000.0, "10 km, as the model was shrunk to a speck"),
];

/// What was read, and the bodies it is to become.
pub(super) struct Model<'a> {
    pub(super) name: &'a str,
    pub(super) nodes: &'a RigNodes,
    pub(super) places: &'a NodePlaces,
    pub(super) skin: &'a Skin,
    pub(super) segments: Segments,
    pub(super) wishes: &'a RigWishes,
}

/// A creature, and the way back from it to the nodes it was made of.
#[derive(Clone, Debug)]
pub struct Embodied {
    /// The creature; it is yet to be built.
    pub spec: CreatureSpec,
    /// The creature's world (m, z up, x forward) from the scene: a rotation and one scale.
    pub world_from_scene: Similarity3<f64>,
    /// Nodes that bodies move. Their parents come first.
    pub bones: Vec<RigBone>,
    /// Per body after the world: the node whose origin is its joint.
    pub joints: Vec<usize>,
    /// The node that takes the travel of the root.
    pub root: usize,
    /// It lies in the file's pose, and stands in its own.
    pub lies: bool,
    /// Guesses, in words.
    pub notes: Vec<Remark>,
}

/// A node that follows a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigBone {
    /// Index of the node.
    pub node: usize,
    /// Index into [`gambol_model::Creature::bodies`].
    pub body: usize,
    /// The body frame from the node frame without its scale, in creature metres.
    pub body_from_node: Transform,
}

/// A body in the creature's world, in the file's pose.
#[derive(Clone)]
pub(super) struct Part {
    /// Where its joint is, m.
    pub(super) origin: Vec3,
    /// Its skin about its origin, along the world's axes, m.
    pub(super) piece: Piece,
    /// About its origin.
    pub(super) mass: MassProperties,
}

impl Part {
    /// The same turned about the origin of the world.
    fn turned(&self, turn: &Rotation3<f64>) -> Self {
        let points = self.piece.points.iter().map(|point| turn * point).collect();
        let about =
            Transform::from_parts(Translation3::identity(), UnitQuaternion::from_rotation_matrix(turn));
        Self {
            origin: turn * self.origin,
            piece: Piece { points, triangles: self.piece.triangles.clone() },
            mass: self.mass.transformed(&about),
        }
    }
}

impl Model<'_> {
    /// As the file has it, or raised to its feet where that is lying and nobody says which way is up.
    pub(super) fn embody(&self, notes: Vec<Remark>) -> Result<Embodied, AnatomyError> {
        let up = self.wishes.up.unwrap_or_else(Vec3::y);
        let (embodied, raised) = self.embody_along(up, notes.clone())?;
        let level = |up: &Vec3| self.wishes.forward.is_none_or(|forward| forward.dot(up).abs() < 0.5);
        let Some(raised) = raised.filter(|up| self.wishes.up.is_none() && level(up)) else {
            return Ok(embodied);
        };
        let (mut standing, _) = self.embody_along(raised, notes)?;
        let told = "it stands here, where its legs point down; in the file they do not";
        standing.notes.push(Remark::new(told, Hint::FilePose));
        // Its nodes are turned with it: what stands in the world stands in the scene.
        let unit = standing.world_from_scene.scaling();
        standing.world_from_scene = similarity(&to_world(usual_forward(up), up), unit);
        Ok(Embodied { lies: true, ..standing })
    }

    /// With its back along `up`; also the direction that ought to be up if it lies so.
    ///
    /// The skin is weighed once and looked at once, as it is drawn; what then turns to face forward takes both along.
    fn embody_along(
        &self,
        up: Vec3,
        mut notes: Vec<Remark>,
    ) -> Result<(Embodied, Option<Vec3>), AnatomyError> {
        let unit = self.unit(up, &mut notes)?;
        let forward = self.wishes.forward.unwrap_or_else(|| usual_forward(up));
        let as_drawn = to_world(forward, up);
        let mut world_from_scene = similarity(&as_drawn, unit);
        let drawn = self.weigh(&world_from_scene);
        let mut parts = self.balanced(drawn.clone());
        let mut spec = self.draft(&parts, &world_from_scene);
        let raised = spec.upright()?.map(|up| world_from_scene.inverse_transform_vector(&up).normalize());
        let nodes: Vec<usize> = self.segments.all.iter().map(|segment| segment.node).collect();
        self.wishes.check(&nodes)?;
        let mut survey = Survey::new(&spec)?;
        let yaw = if self.wishes.forward.is_some() { 0.0 } else { to_forward(&survey) };
        if yaw != 0.0 {
            let turn = Rotation3::from_axis_angle(&Vec3::z_axis(), yaw);
            world_from_scene = similarity(&(turn * as_drawn), unit);
            parts = self.balanced(drawn.iter().map(|part| part.turned(&turn)).collect());
            spec = self.draft(&parts, &world_from_scene);
            survey = survey.turned(&UnitQuaternion::from_rotation_matrix(&turn));
        }
        let in_scene = world_from_scene.inverse_transform_vector(&Vec3::x());
        notes.push(format!("it faces {} of the file", in_words(in_scene)).into());

        joints::shape_joints(&mut spec, &survey, &self.wishes.settings);
        let wings = ease::spread_wings(&spec, &survey, &ClassSettings::default());
        ease::free_joints(&mut spec, &survey, &wings, self.wishes.settings.balls.shoulder);
        let masses = masses(&parts);
        let usual = stiffen(&mut spec, &survey, &parts, &masses);
        let told = format!("its joints have a stiffness of {usual:.3} N·m/rad, from its weight and height");
        notes.push(told.into());
        self.wishes.apply(&mut spec, &nodes)?;
        stand_at_ease(&mut spec, &survey, &masses, &wings, &mut notes);
        let mass: f64 = parts.iter().map(|part| part.mass.mass).sum();
        let told = match self.wishes.measures.mass {
            Some(_) => format!("its mass is {} kg as given", number(mass)),
            None => format!("its skin holds {} kg at the density of water", number(mass)),
        };
        notes.push(told.into());
        let bones = self.bones(&world_from_scene, &parts);
        let root = self.travelling_node(&bones);
        Ok((Embodied { spec, world_from_scene, bones, joints: nodes, root, lies: false, notes }, raised))
    }

    /// Of the skin as it is drawn, in units of the file.
    fn height(&self, up: Vec3) -> f64 {
        let heights = self.skin.points.iter().map(|point| point.dot(&up));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        high - low
    }

    /// Metres per unit of the file.
    fn unit(&self, up: Vec3, notes: &mut Vec<Remark>) -> Result<f64, AnatomyError> {
        let Measures { height: wanted, unit, .. } = self.wishes.measures;
        let (low, high) = self.skin.bounds();
        let tall = self.height(up);
        let height = tall.max(self.wishes.settings.size.lying * (high - low).norm());
        if height <= 0.0 {
            return Err(AnatomyError::Figure("its skin has no size".to_owned()));
        }
        if let Some(unit) = unit {
            return Ok(unit);
        }
        if let Some(wanted) = wanted {
            return Ok(wanted / tall.max(f64::MIN_POSITIVE));
        }
        let [least, most] = self.wishes.settings.size.heights;
        let fits = |unit: f64| (least..=most).contains(&(height * unit));
        if fits(1.0) {
            let told = format!("it is {} m high, its unit taken for a metre", number(tall));
            notes.push(Remark::new(told, Hint::Size));
            return Ok(1.0);
        }
        let (unit, name) =
            OTHER_UNITS.into_iter().find(|(unit, _)| fits(*unit)).unwrap_or((1.0 / height, "no known one"));
        let told = format!(
            "it is {} units high, so its unit was taken for {name}: {} m",
            number(tall),
            number(tall * unit)
        );
        notes.push(Remark::new(told, Hint::Size));
        Ok(unit)
    }

    /// The segment that moves each triangle most.
    fn triangle_owners(&self) -> Vec<usize> {
        let mut share = vec![0.0; self.segments.all.len()];
        let mut owner = Vec::with_capacity(self.skin.triangles.len());
        for triangle in &self.skin.triangles {
            let mut touched: Vec<usize> = Vec::new();
            for &(node, weight) in triangle.iter().flat_map(|&vertex| &self.skin.weights[vertex]) {
                let segment = self.segments.segment_of[node].unwrap_or(0);
                share[segment] += weight;
                touched.push(segment);
            }
            let most = touched.iter().copied().reduce(|a, b| if share[b] > share[a] { b } else { a });
            for &segment in &touched {
                share[segment] = 0.0;
            }
            owner.push(most.unwrap_or(0));
        }
        owner
    }

    /// What each segment carries and weighs, at the density of water or that of the mass which is given.
    fn weigh(&self, world_from_scene: &Similarity3<f64>) -> Vec<Part> {
        let world = |point: &Vec3| world_from_scene.transform_point(&(*point).into()).coords;
        let points: Vec<Vec3> = self.skin.points.iter().map(world).collect();
        let triangles = &self.skin.triangles;
        let (low, high) = self.skin.bounds();
        let size = (high - low).norm() * world_from_scene.scaling();

        let mut owned: Vec<Vec<[usize; 3]>> = vec![Vec::new(); self.segments.all.len()];
        for (triangle, segment) in triangles.iter().zip(self.triangle_owners()) {
            owned[segment].push(*triangle);
        }
        let cut = |triangles: &Vec<[usize; 3]>| Piece::cut(&points, triangles, |_| true);
        let mut pieces: Vec<Piece> = owned.iter().map(cut).collect();
        let parents: Vec<Option<usize>> = self.segments.all.iter().map(|segment| segment.parent).collect();
        let settings = &self.wishes.settings.flesh;
        let masses =
            solid::weigh(&points, triangles, &self.body_weights(), &pieces, &parents, size, settings);
        let volume: f64 = masses.iter().map(|mass| mass.mass).sum();
        let density = self.wishes.measures.mass.map_or(settings.density, |mass| mass / volume);
        let least = settings.least_mass * volume;
        let mut parts = Vec::new();
        for (segment, (piece, mass)) in self.segments.all.iter().zip(pieces.iter_mut().zip(masses)) {
            let origin = world(&self.places.origin(segment.node));
            piece.points.iter_mut().for_each(|point| *point -= origin);
            let raised =
                if mass.mass < least { mass.scaled(least / mass.mass.max(f64::MIN_POSITIVE)) } else { mass };
            let mass = MassProperties { com: raised.com - origin, ..raised.scaled(density) };
            parts.push(Part { origin, piece: std::mem::take(piece), mass });
        }
        parts
    }

    /// The same on both sides, and as the user wishes.
    fn balanced(&self, mut parts: Vec<Part>) -> Vec<Part> {
        symmetry::balance(&mut parts, &self.wishes.settings.balance);
        self.weigh_as_wished(&mut parts);
        parts
    }

    /// Weights of the segments on each vertex.
    fn body_weights(&self) -> Vec<Vec<(usize, f64)>> {
        let segment = |node: usize| self.segments.segment_of[node].unwrap_or(0);
        let of_vertex = |weights: &Vec<(usize, f64)>| {
            weights.iter().map(|&(node, weight)| (segment(node), weight)).collect()
        };
        self.skin.weights.iter().map(of_vertex).collect()
    }

    /// Masses of bodies that the user gives, and all scaled to that of the whole.
    fn weigh_as_wished(&self, parts: &mut [Part]) {
        for (part, segment) in parts.iter_mut().zip(&self.segments.all) {
            if let Some(mass) = self.wishes.mass(segment.node) {
                part.mass = part.mass.scaled(mass / part.mass.mass);
            }
        }
        if let Some(whole) = self.wishes.measures.mass {
            let sum: f64 = parts.iter().map(|part| part.mass.mass).sum();
            for part in parts {
                part.mass = part.mass.scaled(whole / sum);
            }
        }
    }

    /// All bodies, with a ball at every joint.
    fn draft(&self, parts: &[Part], world_from_scene: &Similarity3<f64>) -> CreatureSpec {
        let mut spec = CreatureSpec::new(self.name);
        spec.landmark_overrides.clone_from(&self.wishes.landmarks);
        let heights = parts.iter().flat_map(|part| part.piece.points.iter().map(|p| part.origin.z + p.z));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        let mut names = HashSet::from(["world".to_owned()]);
        for (index, segment) in self.segments.all.iter().enumerate() {
            let part = &parts[index];
            let name = unique(
                self.wishes.body_name(segment.node).unwrap_or(&self.nodes.names[segment.node]),
                &mut names,
            );
            let place = part.origin - segment.parent.map_or_else(Vec3::zeros, |parent| parts[parent].origin);
            let joint = match segment.parent {
                Some(_) => JointSpec::ball(&name),
                None => JointSpec::free("root"),
            };
            let along = self.along(parts, index);
            let settings = &self.wishes.settings.shapes;
            let stands =
                part.piece.points.iter().any(|p| part.origin.z + p.z - low < settings.stands * (high - low));
            let shape = if stands && is_flat(&part.piece, settings) {
                fit::standing_box(&part.piece)
            } else {
                fit::capsule(&part.piece, part.mass.com, along, settings.other_axis)
            };
            let body = BodySpec {
                parent: segment.parent.map_or(0, |parent| parent + 1),
                parent_from_body: Transform::from_parts(place.into(), UnitQuaternion::identity()),
                joints: vec![joint],
                inertia: InertiaSpec::Given(part.mass),
                shapes: vec![shape],
                sites: self.ends(index, parts, world_from_scene),
                ..BodySpec::new(name)
            };
            spec.bodies.push(body);
        }
        spec
    }

    /// The ends of a segment's bones, as sites: nodes without skin or children that hang from them.
    fn ends(&self, index: usize, parts: &[Part], world_from_scene: &Similarity3<f64>) -> Vec<SiteSpec> {
        let segment = &self.segments.all[index];
        let is_end = |node: &usize| {
            let hangs = self.nodes.parent[*node].is_some_and(|parent| segment.nodes.contains(&parent));
            hangs && self.nodes.is_bare_end[*node]
        };
        let own =
            |node: &usize| self.segments.segment_of[*node] == Some(index) && !segment.nodes.contains(node);
        let site = |node: usize| {
            let at = world_from_scene.transform_point(&self.places.origin(node).into()).coords
                - parts[index].origin;
            SiteSpec {
                name: self.nodes.names[node].clone(),
                body_from_site: Transform::translation(at.x, at.y, at.z),
            }
        };
        (0..self.nodes.parent.len()).filter(is_end).filter(own).map(site).collect()
    }

    /// The direction of a bone: towards the one bone that goes on from it.
    fn along(&self, parts: &[Part], index: usize) -> Option<Vec3> {
        let mut children = (0..parts.len()).filter(|&child| self.segments.all[child].parent == Some(index));
        match (children.next(), children.next()) {
            (Some(child), None) => Some(parts[child].origin - parts[index].origin),
            _ => None,
        }
    }

    fn bones(&self, world_from_scene: &Similarity3<f64>, parts: &[Part]) -> Vec<RigBone> {
        let mut depth = vec![0; self.nodes.parent.len()];
        for &node in &self.nodes.order {
            depth[node] = self.nodes.parent[node].map_or(0, |parent| depth[parent] + 1);
        }
        let (low, high) = self.skin.bounds();
        let size = (high - low).norm();
        let own = self.segments.all.iter().enumerate();
        let own = own.flat_map(|(index, segment)| segment.nodes.iter().map(move |&node| (index, node)));
        let folded = (0..depth.len()).filter_map(|node| Some((self.segments.segment_of[node]?, node)));
        let bent = folded.filter(|&(index, node)| self.is_bent(node, index, size));
        let bone = |(index, node): (usize, usize)| {
            let at = world_from_scene.transform_point(&self.places.origin(node).into()).coords;
            let turn = world_from_scene.isometry.rotation * self.places.rotation(node);
            let body_from_node = Isometry3::from_parts((at - parts[index].origin).into(), turn);
            RigBone { node, body: index + 1, body_from_node }
        };
        let mut bones: Vec<RigBone> = own.chain(bent).map(bone).collect();
        bones.sort_by_key(|bone| (depth[bone.node], bone.node));
        bones
    }

    /// Whether a bone that was folded into a segment stands otherwise in the file than in the pose that was taken: an ear
    /// in some pose of a clip would stay there.
    fn is_bent(&self, node: usize, segment: usize, size: f64) -> bool {
        /// Entries of a matrix, lengths in parts of the size; files have seven digits.
        const SAME_PLACE_IN_FILE: f64 = 1e-4;
        let folded = self.nodes.is_joint[node]
            && self.segments.segment_of[node] == Some(segment)
            && !self.segments.all[segment].nodes.contains(&node);
        let Some(parent) = self.nodes.parent[node].filter(|_| folded) else { return false };
        let apart = self.places.0[parent] * self.nodes.local[node] - self.places.0[node];
        let scale = self.places.0[node].fixed_view::<3, 3>(0, 0).norm();
        apart.fixed_view::<3, 3>(0, 0).norm() > SAME_PLACE_IN_FILE * scale
            || apart.fixed_view::<3, 1>(0, 3).norm() > SAME_PLACE_IN_FILE * size
    }

    /// The nearest node above all bones; one of its own that the rig has for this (a root bone without skin) if there is
    /// one, else the topmost bone.
    fn travelling_node(&self, bones: &[RigBone]) -> usize {
        let first: Vec<usize> = self.nodes.up(bones[0].node).collect();
        let is_common =
            |node: &usize| bones.iter().all(|bone| self.nodes.up(bone.node).any(|above| above == *node));
        let Some(common) = first.iter().copied().find(is_common) else { return bones[0].node };
        let driven = bones.iter().any(|bone| bone.node == common);
        let above = self.nodes.parent[common].filter(|&parent| self.nodes.is_joint[parent]);
        if driven { above.unwrap_or(common) } else { common }
    }
}

/// Whether a piece is a foot: not much higher than its footprint is long.
fn is_flat(piece: &Piece, settings: &SkinShapeSettings) -> bool {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for point in &piece.points {
        (low, high) = (low.inf(point), high.sup(point));
    }
    let extent = high - low;
    let hull =
        TriMesh::hull_of(&piece.points).map_or(0.0, |hull| hull.unit_mass_properties(MeshMass::Exact).mass);
    extent.z <= settings.flat_foot * extent.x.max(extent.y)
        && hull >= settings.fills * extent.x * extent.y * extent.z
}

/// Where creatures look that nothing else is known of: along z where y is up, as glTF has it, and as Blender and other
/// programs have it where they do not convert.
fn usual_forward(up: Vec3) -> Vec3 {
    if up.z.abs() > 0.9 { -Vec3::y() } else { Vec3::z() }
}

/// The rotation that makes `up` z and `forward`, as far as it is level, x.
fn to_world(forward: Vec3, up: Vec3) -> Rotation3<f64> {
    let left = up.cross(&forward).normalize();
    Rotation3::from_basis_unchecked(&[left.cross(&up), left, up]).transpose()
}

/// The turn about the vertical that makes a creature face x, rad. Directions near an axis are that axis.
fn to_forward(survey: &Survey) -> f64 {
    const NEAR_AXIS: f64 = 0.15; // rad; artists draw along axes, and landmarks are not that exact
    let marks = &survey.landmarks;
    let mut left = Vec3::zeros();
    for mark in marks.iter().filter(|mark| mark.side == Some(Side::Left)) {
        let other = marks.iter().find(|other| {
            other.side == Some(Side::Right) && other.role == mark.role && other.row == mark.row
        });
        if let Some(other) = other {
            left += survey.place(mark) - survey.place(other);
        }
    }
    let end = |role: Role| survey.marks(role).next().map(|mark| survey.place(mark));
    let forward = match (left.norm() > 0.0, end(Role::Head), end(Role::Tail)) {
        (true, _, _) => left.cross(&Vec3::z()),
        (false, Some(head), Some(tail)) => head - tail,
        _ => return 0.0,
    };
    if math::hypot(forward.x, forward.y) <= 0.0 {
        return 0.0;
    }
    let yaw = math::atan2(forward.y, forward.x);
    let quarter = std::f64::consts::FRAC_PI_2;
    let nearest = (yaw / quarter).round() * quarter;
    -if (yaw - nearest).abs() < NEAR_AXIS { nearest } else { yaw }
}

/// A turn and one scale.
fn similarity(turn: &Rotation3<f64>, scale: f64) -> Similarity3<f64> {
    Similarity3::from_parts(Translation3::identity(), UnitQuaternion::from_rotation_matrix(turn), scale)
}

/// Mass of each body, kg, the world's first, and its centre in the world, m.
fn masses(parts: &[Part]) -> Vec<(f64, Vec3)> {
    let of_part = |part: &Part| (part.mass.mass, part.origin + part.mass.com);
    std::iter::once((0.0, Vec3::zeros())).chain(parts.iter().map(of_part)).collect()
}

/// Gives all joints their springs. Returns the stiffness of a leg's joint, N·m/rad.
fn stiffen(spec: &mut CreatureSpec, survey: &Survey, parts: &[Part], masses: &[(f64, Vec3)]) -> f64 {
    let settings = SpringSettings::default();
    let low = parts.iter().flat_map(|part| part.piece.points.iter().map(|p| part.origin.z + p.z));
    let low = low.fold(f64::INFINITY, f64::min);
    let standing = Standing { survey, masses, low, gravity: spec.gravity.norm() };
    let springs = stance_springs(&standing, &settings);
    for (body, stiffness) in spec.bodies.iter_mut().zip(springs.turn) {
        for joint in body.joints.iter_mut().filter(|joint| joint.kind != JointKind::Free) {
            joint.stiffness = stiffness;
            joint.damping = settings.damping * stiffness;
        }
    }
    springs.usual
}

fn stand_at_ease(
    spec: &mut CreatureSpec,
    survey: &Survey,
    masses: &[(f64, Vec3)],
    wings: &ease::Turns,
    notes: &mut Vec<Remark>,
) {
    let masses: Vec<f64> = masses.iter().map(|(mass, _)| *mass).collect();
    let arms = ease::apart_from(survey, ease::lowered_arms(spec, survey), wings);
    if !wings.is_empty() {
        notes.push(Remark::new("its wings are folded in the file and spread here", Hint::FilePose));
    }
    let snake = ease::laid_down(survey, &masses);
    if !arms.is_empty() {
        notes.push(Remark::new("its arms are stretched out in the file and hang down here", Hint::FilePose));
    }
    if !snake.is_empty() {
        notes.push(Remark::new(
            "it rears up or lies in a coil in the file and lies straight here",
            Hint::FilePose,
        ));
    }
    let prone = ease::prone(spec, survey);
    if !prone.is_empty() {
        let told = "it is drawn upright with a tail for legs, and lies on its belly here";
        notes.push(Remark::new(told, Hint::FilePose));
    }
    // Wings last: folded, the rest is at ease already.
    let rest: ease::Turns = arms.into_iter().chain(snake).collect();
    if ![&rest, &prone, wings].iter().all(|turns| turns.is_empty()) {
        ease::remember(spec, ease::FILE_POSE);
    }
    ease::turn(spec, &rest);
    ease::turn(spec, &prone);
    if !wings.is_empty() {
        ease::remember(spec, ease::FOLDED_WINGS);
        ease::turn(spec, wings);
    }
}

/// A name that is not taken yet.
fn unique(name: &str, names: &mut HashSet<String>) -> String {
    let mut unique = name.to_owned();
    let mut number = 1;
    while !names.insert(unique.clone()) {
        number += 1;
        unique = format!("{name} {number}");
    }
    unique
}

/// `+z` or the numbers.
fn in_words(direction: Vec3) -> String {
    for (k, name) in ["x", "y", "z"].iter().enumerate() {
        if direction[k].abs() > 0.999 * direction.norm() {
            return format!("{}{name}", if direction[k] > 0.0 { "+" } else { "−" });
        }
    }
    let unit = direction.normalize();
    format!("({:.2} {:.2} {:.2})", unit.x, unit.y, unit.z)
}

/// Three digits.
fn number(x: f64) -> String {
    let digits = (0..6).rev().find(|&digits| x.abs() * math::powi(10.0, digits) < 1000.0).unwrap_or(0);
    format!("{x:.*}", usize::try_from(digits).unwrap_or(0))
}

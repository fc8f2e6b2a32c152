//! Puts the creature together: bodies with mass and shapes in its own world, first with a ball at every joint, then,
//! when the landmarks are known, with the joints they ask for.

use std::collections::HashSet;

use gambol_model::{
    BodySpec, Creature, CreatureSpec, InertiaSpec, JointSpec, MassProperties, MeshMass, Role, Side, SiteSpec,
    Transform, TriMesh, Vec3, math,
};
use nalgebra::{Isometry3, Rotation3, Similarity3, Translation3, UnitQuaternion};

use super::container::Container;
use super::fit;
use super::joints;
use super::rig::{Bone, Rig, Source};
use super::scene::{Globals, Scene};
use super::settings::Told;
use super::skeleton::Skeleton;
use super::solid::{self, Piece};
use super::surface::Surface;
use super::symmetry;
use crate::{FormatError, LoadOptions};

/// Heights of creatures, m: from a mouse to the largest dinosaur. Outside of this the unit of the file is another one.
const HEIGHTS: [f64; 2] = [0.1, 20.0];
/// Other units, m, in the order in which they are tried: centimetres, millimetres, and toys that were shrunk.
const UNITS: [(f64, &str); 5] = [
    (0.01, "a centimetre"),
    (0.001, "a millimetre"),
    (0.0254, "an inch"),
    (100.0, "100 m, as the model was shrunk to a toy"),
    (10_000.0, "10 km, as the model was shrunk to a speck"),
];
/// kg/m³; animals float.
const DENSITY: f64 = 1000.0;
/// A body whose skin comes this near to the lowest point of all, as part of the height, stands on the ground.
const STANDS: f64 = 0.02;
/// A standing body that is higher than this part of its footprint is a leg without a foot, and round.
const FLAT: f64 = 0.8;
/// A foot fills this part of the box around it; a leg that sprawls does not.
const FILLS: f64 = 0.4;

/// What was read, and the bodies it is to become.
pub(super) struct Model<'a> {
    pub(super) container: &'a Container,
    pub(super) scene: &'a Scene,
    pub(super) globals: &'a Globals,
    pub(super) surface: &'a Surface,
    pub(super) skeleton: Skeleton,
    pub(super) told: Told<'a>,
}

/// A body in the creature's world, in the file's pose.
pub(super) struct Part {
    /// Where its joint is, m.
    pub(super) origin: Vec3,
    /// Its skin about its origin, along the world's axes, m.
    pub(super) piece: Piece,
    /// About its origin.
    pub(super) mass: MassProperties,
}

impl Model<'_> {
    pub(super) fn build(
        &self,
        source: Source,
        mut notes: Vec<String>,
        options: &LoadOptions,
    ) -> Result<(CreatureSpec, Rig), FormatError> {
        let unit = self.unit(options, &mut notes)?;
        let owner = self.triangle_owners();
        let up = self.up();
        let forward = self.told.forward().unwrap_or_else(|| usual_forward(up));
        let as_drawn = to_world(forward, up);
        let towards = |turn: &Rotation3<f64>| {
            Similarity3::from_parts(
                Translation3::identity(),
                UnitQuaternion::from_rotation_matrix(turn),
                unit,
            )
        };

        let mut world_from_scene = towards(&as_drawn);
        let mut parts = self.parts(&world_from_scene, &owner, options);
        let draft = self.draft(&parts, &world_from_scene);
        let nodes: Vec<usize> = self.skeleton.segments.iter().map(|segment| segment.node).collect();
        self.told.check(&draft, &nodes)?;
        let creature = self.creature(&draft, options)?;
        let turn = if self.told.forward().is_some() { 0.0 } else { to_forward(&creature) };
        if turn != 0.0 {
            let turned = Rotation3::from_axis_angle(&Vec3::z_axis(), turn) * as_drawn;
            world_from_scene = towards(&turned);
            parts = self.parts(&world_from_scene, &owner, options);
        }
        let in_scene = world_from_scene.inverse_transform_vector(&Vec3::x());
        notes.push(format!("it faces {} of the file", in_words(in_scene)));

        let mut spec = self.draft(&parts, &world_from_scene);
        let creature = self.creature(&spec, options)?;
        joints::refine(&mut spec, &creature, &parts, &mut notes, |spec| self.told.apply(spec, &nodes))?;
        spec.landmark_overrides.clone_from(&options.landmarks);
        let mass: f64 = parts.iter().map(|part| part.mass.mass).sum();
        notes.push(match options.mass {
            Some(_) => format!("its mass is {} kg as given", number(mass)),
            None => format!("its skin holds {} kg at the density of water", number(mass)),
        });
        let rig = self.rig(source, world_from_scene, &parts, notes);
        Ok((spec, rig))
    }

    /// In the axes of the file, of length 1.
    fn up(&self) -> Vec3 {
        self.told.up().unwrap_or_else(Vec3::y)
    }

    /// Of the skin as it is drawn, in units of the file.
    fn height(&self) -> f64 {
        let heights = self.surface.points.iter().map(|point| point.dot(&self.up()));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        high - low
    }

    /// Metres per unit of the file.
    fn unit(&self, options: &LoadOptions, notes: &mut Vec<String>) -> Result<f64, FormatError> {
        for (given, name) in [(options.height, "height"), (options.unit, "unit"), (options.mass, "mass")] {
            if let Some(value) = given.filter(|value| !(value.is_finite() && *value > 0.0)) {
                return Err(self.container.error(format!("a {name} of {value} is not a number above 0")));
            }
        }
        let (low, high) = self.surface.bounds();
        let tall = self.height();
        // A fish is as long as it is flat: the largest extent of what lies, the height of what stands.
        let height = tall.max(0.3 * (high - low).norm());
        if height <= 0.0 {
            return Err(self.container.error("its skin has no size"));
        }
        if let Some(unit) = options.unit {
            return Ok(unit);
        }
        if let Some(wanted) = options.height {
            return Ok(wanted / tall.max(f64::MIN_POSITIVE));
        }
        let fits = |unit: f64| (HEIGHTS[0]..=HEIGHTS[1]).contains(&(height * unit));
        if fits(1.0) {
            notes.push(format!(
                "it is {} m high, its unit taken for a metre; --height or --unit sets it right",
                number(tall)
            ));
            return Ok(1.0);
        }
        let (unit, name) =
            UNITS.into_iter().find(|(unit, _)| fits(*unit)).unwrap_or((1.0 / height, "no known one"));
        notes.push(format!(
            "it is {} units high, so its unit was taken for {name}: {} m; --height or --unit sets it right",
            number(tall),
            number(tall * unit)
        ));
        Ok(unit)
    }

    /// The segment that moves each triangle most.
    fn triangle_owners(&self) -> Vec<usize> {
        let mut share = vec![0.0; self.skeleton.segments.len()];
        let mut owner = Vec::with_capacity(self.surface.triangles.len());
        for triangle in &self.surface.triangles {
            let mut touched: Vec<usize> = Vec::new();
            for &(node, weight) in triangle.iter().flat_map(|&vertex| &self.surface.weights[vertex]) {
                let segment = self.skeleton.segment_of[node].unwrap_or(0);
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

    fn parts(
        &self,
        world_from_scene: &Similarity3<f64>,
        owner: &[usize],
        options: &LoadOptions,
    ) -> Vec<Part> {
        let world = |point: &Vec3| world_from_scene.transform_point(&(*point).into()).coords;
        let points: Vec<Vec3> = self.surface.points.iter().map(world).collect();
        let triangles = &self.surface.triangles;
        let (low, high) = self.surface.bounds();
        let size = (high - low).norm() * world_from_scene.scaling();

        let mut owned: Vec<Vec<[usize; 3]>> = vec![Vec::new(); self.skeleton.segments.len()];
        for (triangle, &segment) in triangles.iter().zip(owner) {
            owned[segment].push(*triangle);
        }
        let cut = |triangles: &Vec<[usize; 3]>| Piece::cut(&points, triangles, |_| true);
        let mut pieces: Vec<Piece> = owned.iter().map(cut).collect();
        let parents: Vec<Option<usize>> =
            self.skeleton.segments.iter().map(|segment| segment.parent).collect();
        let masses = solid::weigh(&points, triangles, &self.body_weights(), &pieces, &parents, size);
        let volume: f64 = masses.iter().map(|mass| mass.mass).sum();
        let density = options.mass.map_or(DENSITY, |mass| mass / volume);
        // Nothing weighs so little that it would tremble like a gnat.
        let least = 1e-5 * volume;
        let mut parts = Vec::new();
        for (segment, (piece, mass)) in self.skeleton.segments.iter().zip(pieces.iter_mut().zip(masses)) {
            let origin = world(&self.globals.origin(segment.node));
            piece.points.iter_mut().for_each(|point| *point -= origin);
            let raised =
                if mass.mass < least { mass.scaled(least / mass.mass.max(f64::MIN_POSITIVE)) } else { mass };
            let mass = MassProperties { com: raised.com - origin, ..raised.scaled(density) };
            parts.push(Part { origin, piece: std::mem::take(piece), mass });
        }
        symmetry::balance(&mut parts);
        self.weigh_as_told(&mut parts, options);
        parts
    }

    /// Weights of the segments on each vertex.
    fn body_weights(&self) -> Vec<Vec<(usize, f64)>> {
        let segment = |node: usize| self.skeleton.segment_of[node].unwrap_or(0);
        let of_vertex = |weights: &Vec<(usize, f64)>| {
            weights.iter().map(|&(node, weight)| (segment(node), weight)).collect()
        };
        self.surface.weights.iter().map(of_vertex).collect()
    }

    /// Masses of bodies that the user gives, and all scaled to that of the whole.
    fn weigh_as_told(&self, parts: &mut [Part], options: &LoadOptions) {
        for (part, segment) in parts.iter_mut().zip(&self.skeleton.segments) {
            if let Some(mass) = self.told.mass(segment.node) {
                part.mass = part.mass.scaled(mass / part.mass.mass);
            }
        }
        if let Some(whole) = options.mass {
            let sum: f64 = parts.iter().map(|part| part.mass.mass).sum();
            for part in parts {
                part.mass = part.mass.scaled(whole / sum);
            }
        }
    }

    /// All bodies, with a ball at every joint.
    fn draft(&self, parts: &[Part], world_from_scene: &Similarity3<f64>) -> CreatureSpec {
        let stem = self.container.path.rsplit('/').next().unwrap_or_default();
        let mut spec = CreatureSpec::new(stem.rsplit_once('.').map_or(stem, |(stem, _)| stem));
        let heights = parts.iter().flat_map(|part| part.piece.points.iter().map(|p| part.origin.z + p.z));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        let mut names = HashSet::from(["world".to_owned()]);
        for (index, segment) in self.skeleton.segments.iter().enumerate() {
            let part = &parts[index];
            let name = unique(
                self.told.body_name(segment.node).unwrap_or(&self.scene.names[segment.node]),
                &mut names,
            );
            let place = part.origin - segment.parent.map_or_else(Vec3::zeros, |parent| parts[parent].origin);
            let joint = match segment.parent {
                Some(_) => JointSpec::ball(&name),
                None => JointSpec::free("root"),
            };
            let along = self.along(parts, index);
            let stands = part.piece.points.iter().any(|p| part.origin.z + p.z - low < STANDS * (high - low));
            let shape = if stands && is_flat(&part.piece) {
                fit::standing_box(&part.piece)
            } else {
                fit::capsule(&part.piece, part.mass.com, along)
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
        let nodes = &self.container.document.nodes;
        let segment = &self.skeleton.segments[index];
        let is_end = |node: &usize| {
            let hangs = self.scene.parent[*node].is_some_and(|parent| segment.nodes.contains(&parent));
            hangs && nodes[*node].children.is_empty() && nodes[*node].mesh.is_none()
        };
        let own =
            |node: &usize| self.skeleton.segment_of[*node] == Some(index) && !segment.nodes.contains(node);
        let site = |node: usize| {
            let at = world_from_scene.transform_point(&self.globals.origin(node).into()).coords
                - parts[index].origin;
            SiteSpec {
                name: self.scene.names[node].clone(),
                body_from_site: Transform::translation(at.x, at.y, at.z),
            }
        };
        (0..nodes.len()).filter(is_end).filter(own).map(site).collect()
    }

    /// The direction of a bone: towards the one bone that goes on from it.
    fn along(&self, parts: &[Part], index: usize) -> Option<Vec3> {
        let mut children =
            (0..parts.len()).filter(|&child| self.skeleton.segments[child].parent == Some(index));
        match (children.next(), children.next()) {
            (Some(child), None) => Some(parts[child].origin - parts[index].origin),
            _ => None,
        }
    }

    fn creature(&self, spec: &CreatureSpec, options: &LoadOptions) -> Result<Creature, FormatError> {
        let mut spec = spec.clone();
        spec.landmark_overrides.clone_from(&options.landmarks);
        spec.build().map_err(|error| self.container.error(error.to_string()))
    }

    fn rig(
        &self,
        source: Source,
        world_from_scene: Similarity3<f64>,
        parts: &[Part],
        notes: Vec<String>,
    ) -> Rig {
        let mut depth = vec![0; self.scene.parent.len()];
        for &node in &self.scene.order {
            depth[node] = self.scene.parent[node].map_or(0, |parent| depth[parent] + 1);
        }
        let (low, high) = self.surface.bounds();
        let size = (high - low).norm();
        let own = self.skeleton.segments.iter().enumerate();
        let own = own.flat_map(|(index, segment)| segment.nodes.iter().map(move |&node| (index, node)));
        let folded = (0..depth.len()).filter_map(|node| Some((self.skeleton.segment_of[node]?, node)));
        let bent = folded.filter(|&(index, node)| self.is_bent(node, index, size));
        let bone = |(index, node): (usize, usize)| {
            let at = world_from_scene.transform_point(&self.globals.origin(node).into()).coords;
            let turn = world_from_scene.isometry.rotation * self.globals.rotation(node);
            let body_from_node = Isometry3::from_parts((at - parts[index].origin).into(), turn);
            Bone { node, body: index + 1, body_from_node }
        };
        let mut bones: Vec<Bone> = own.chain(bent).map(bone).collect();
        bones.sort_by_key(|bone| (depth[bone.node], bone.node));
        let joints = self.skeleton.segments.iter().map(|segment| segment.node).collect();
        let root = self.travelling_node(&bones);
        Rig { world_from_scene, bones, joints, root, source, notes }
    }

    /// Whether a bone that was folded into a segment stands otherwise in the file than in the pose that was taken: an ear
    /// in some pose of a clip would stay there.
    fn is_bent(&self, node: usize, segment: usize, size: f64) -> bool {
        /// Entries of a matrix, lengths in parts of the size; files have seven digits.
        const SAME: f64 = 1e-4;
        let folded = self.scene.is_joint[node]
            && self.skeleton.segment_of[node] == Some(segment)
            && !self.skeleton.segments[segment].nodes.contains(&node);
        let Some(parent) = self.scene.parent[node].filter(|_| folded) else { return false };
        let apart = self.globals.0[parent] * self.scene.local[node] - self.globals.0[node];
        let scale = self.globals.0[node].fixed_view::<3, 3>(0, 0).norm();
        apart.fixed_view::<3, 3>(0, 0).norm() > SAME * scale
            || apart.fixed_view::<3, 1>(0, 3).norm() > SAME * size
    }

    /// The nearest node above all bones; one of its own that the rig has for this (a root bone without skin) if there is
    /// one, else the topmost bone.
    fn travelling_node(&self, bones: &[Bone]) -> usize {
        let first: Vec<usize> = self.scene.up(bones[0].node).collect();
        let is_common =
            |node: &usize| bones.iter().all(|bone| self.scene.up(bone.node).any(|above| above == *node));
        let Some(common) = first.iter().copied().find(is_common) else { return bones[0].node };
        let driven = bones.iter().any(|bone| bone.node == common);
        let above = self.scene.parent[common].filter(|&parent| self.scene.is_joint[parent]);
        if driven { above.unwrap_or(common) } else { common }
    }
}

/// Whether a piece is a foot: not much higher than its footprint is long.
fn is_flat(piece: &Piece) -> bool {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for point in &piece.points {
        (low, high) = (low.inf(point), high.sup(point));
    }
    let extent = high - low;
    let hull =
        TriMesh::hull_of(&piece.points).map_or(0.0, |hull| hull.unit_mass_properties(MeshMass::Exact).mass);
    extent.z <= FLAT * extent.x.max(extent.y) && hull >= FILLS * extent.x * extent.y * extent.z
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
fn to_forward(creature: &Creature) -> f64 {
    const NEAR: f64 = 0.15; // rad; artists draw along axes, and landmarks are not that exact
    let origins = origins(creature);
    let place = |body: usize, point: Vec3| origins[body] + point;
    let marks = creature.landmarks();
    let mut left = Vec3::zeros();
    for mark in marks.iter().filter(|mark| mark.side == Some(Side::Left)) {
        let other = marks.iter().find(|other| {
            other.side == Some(Side::Right) && other.role == mark.role && other.row == mark.row
        });
        if let Some(other) = other {
            left += place(mark.body, mark.point) - place(other.body, other.point);
        }
    }
    let end =
        |role: Role| marks.iter().find(|mark| mark.role == role).map(|mark| place(mark.body, mark.point));
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
    -if (yaw - nearest).abs() < NEAR { nearest } else { yaw }
}

/// Body origins in the draft, where no frame is turned.
pub(super) fn origins(creature: &Creature) -> Vec<Vec3> {
    let mut origins: Vec<Vec3> = Vec::with_capacity(creature.bodies().len());
    for (index, body) in creature.bodies().iter().enumerate() {
        let above = if index == 0 { Vec3::zeros() } else { origins[body.parent] };
        origins.push(above + body.parent_from_body.translation.vector);
    }
    origins
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

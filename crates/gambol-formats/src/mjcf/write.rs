//! Creatures out as MJCF: what a [`Creature`] says, and as much around it as MuJoCo needs to run it at once.
//!
//! Numbers are written to the last digit and masses body by body, so that MuJoCo and our own reader make the same
//! creature of it. What MJCF cannot say is a warning. `docs/formats.md` has the table.

mod links;
mod meshes;
mod names;
mod places;
mod text;

use std::path::Path;

use gambol_model::{Creature, Joint, JointKind, MassProperties, Shape, ShapeSpec, Tendon, Warning};

use self::links::{Driven, Links};
use self::meshes::Meshes;
use self::names::{Names, free};
use self::places::Places;
use self::text::{Page, Tag};
use super::mass::{Axes, principal_axes};
use crate::{WriteError, write_files};

/// Bodies nested deeper than this MuJoCo's XML reader refuses (found by trial with 4.0.0).
const MAX_NESTED: usize = 496;
/// Stands for a limit that is not there, where the other one is: no joint turns or slides that far, rad or m.
const NO_LIMIT: f64 = 1e10;
/// Rest orientations of a ball closer to the reference than this, as quaternions, are the reference.
const SAME_TURN: f64 = 1e-12;
/// An inertia may exceed what a real body can have by this share, which is rounding.
const ROUNDING: f64 = 1e-12;

/// How a creature is written.
#[derive(Clone, Debug)]
pub struct MjcfOptions {
    /// A plane at z = 0 with a light above it. Default: on.
    pub ground: bool,
    /// Bodies touch each other, not only the ground and scenery; MuJoCo leaves out neighbours. Default: off.
    pub self_collision: bool,
    /// MuJoCo's time step, s, above 0. Default: 0.002.
    pub timestep: f64,
    /// MuJoCo's integrator. Default: implicitfast.
    pub integrator: Integrator,
    /// What drives the joints. Default: nothing.
    pub actuators: Actuators,
    /// Folder for meshes, beside the file. Default: `assets`.
    pub assets: String,
}

impl Default for MjcfOptions {
    fn default() -> Self {
        Self {
            ground: true,
            self_collision: false,
            timestep: 0.002,
            integrator: Integrator::ImplicitFast,
            actuators: Actuators::None,
            assets: "assets".into(),
        }
    }
}

/// MuJoCo's integrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// Implicit in velocities: dampers of any strength are stable, springs are explicit.
    ImplicitFast,
    /// Semi-implicit Euler with implicit joint dampers.
    Euler,
    /// Runge–Kutta of fourth order: keeps vibrations best, and stable only while springs and dampers are soft.
    Rk4,
}

impl Integrator {
    const fn name(self) -> &'static str {
        match self {
            Self::ImplicitFast => "implicitfast",
            Self::Euler => "Euler",
            Self::Rk4 => "RK4",
        }
    }
}

/// What drives the joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actuators {
    /// Springs are springs.
    None,
    /// The spring of a hinge, slide, ball or tendon becomes an actuator whose control moves the spring's rest, rad or
    /// m. With all controls at zero the creature is the same.
    Position,
}

/// A model and its meshes.
#[derive(Clone, Debug)]
pub struct MjcfFiles {
    /// The model.
    pub xml: String,
    /// Mesh files: path from the folder of the model, and content.
    pub meshes: Vec<(String, Vec<u8>)>,
    /// What MJCF or MuJoCo cannot do.
    pub warnings: Vec<Warning>,
}

impl MjcfFiles {
    /// Writes the model to `path` and its meshes beside it, all or none; what is there is kept unless `force`.
    pub fn write(&self, path: &Path, force: bool) -> Result<(), WriteError> {
        let beside = path.parent().unwrap_or(Path::new(""));
        let mut files = vec![(path.to_owned(), self.xml.as_bytes())];
        files.extend(self.meshes.iter().map(|(name, bytes)| (beside.join(name), bytes.as_slice())));
        let folder = self.meshes.first().and_then(|(name, _)| Some(beside.join(Path::new(name).parent()?)));
        let is_new = folder.as_ref().is_some_and(|folder| !folder.exists());
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder)
                .map_err(|error| WriteError::Io { path: folder.clone(), error })?;
        }
        let written = write_files(&files, force);
        if let (Err(_), true, Some(folder)) = (&written, is_new, &folder) {
            let _ = std::fs::remove_dir(folder); // the first error is the one to tell
        }
        written
    }
}

/// The creature as an MJCF model.
pub fn to_mjcf(creature: &Creature, options: &MjcfOptions) -> MjcfFiles {
    let mut export = Export::new(creature, options);
    let links =
        Links::of(creature, &mut export.names, &mut export.places, &export.driven, &mut export.warnings);
    let mut page = Page::default();
    page.open(&Tag::new("mujoco").text("model", creature.name()));
    export.head(&mut page);
    export.assets(&mut page);
    export.tree(&mut page);
    if !links.tendons.is_empty() {
        page.blank();
        page.open(&Tag::new("tendon"));
        for (tendon, joints) in &links.tendons {
            page.open(tendon);
            for joint in joints {
                page.leaf(joint);
            }
            page.close();
        }
        page.close();
    }
    page.section("equality", &links.equalities);
    page.section("actuator", &links::actuators(creature, &export.names, &export.driven));
    let keys = export.keys();
    page.section("keyframe", &keys);
    let meshes = export.meshes.files;
    let in_folder = |(name, bytes)| (format!("{}/{name}", options.assets), bytes);
    MjcfFiles {
        xml: page.finish(),
        meshes: meshes.into_iter().map(in_folder).collect(),
        warnings: export.warnings,
    }
}

struct Export<'a> {
    creature: &'a Creature,
    options: &'a MjcfOptions,
    names: Names,
    places: Places,
    meshes: Meshes,
    /// Bodies from the root down, each before its children and these before the next sibling, as MJCF nests them.
    order: Vec<usize>,
    /// Number of bodies above each, the world not counted.
    depth: Vec<usize>,
    /// Bodies that cannot move.
    is_static: Vec<bool>,
    driven: Driven,
    /// Joints whose spring rests where MJCF cannot say.
    rests_elsewhere: Vec<bool>,
    warnings: Vec<Warning>,
}

impl<'a> Export<'a> {
    fn new(creature: &'a Creature, options: &'a MjcfOptions) -> Self {
        let bodies = creature.bodies();
        let (mut depth, mut is_static) = (vec![0; bodies.len()], vec![true; bodies.len()]);
        for (index, body) in bodies.iter().enumerate().skip(1) {
            depth[index] = depth[body.parent] + usize::from(body.parent != 0);
            is_static[index] = is_static[body.parent] && body.joints.is_empty();
        }
        let rests_elsewhere: Vec<bool> =
            creature.joints().iter().map(|joint| rests_elsewhere(creature, joint)).collect();
        let servos = options.actuators == Actuators::Position;
        let of_joint = |(joint, elsewhere): (&Joint, &bool)| {
            servos && joint.kind != JointKind::Free && joint.stiffness > 0.0 && !elsewhere
        };
        let of_tendon = |tendon: &Tendon| {
            servos && tendon.stiffness > 0.0 && tendon.rest[0] == tendon.rest[1] && !tendon.terms.is_empty()
        };
        let driven = Driven {
            joints: creature.joints().iter().zip(&rests_elsewhere).map(of_joint).collect(),
            tendons: creature.tendons().iter().map(of_tendon).collect(),
        };
        let mut export = Self {
            creature,
            options,
            names: Names::of(creature),
            places: Places::of(creature),
            meshes: Meshes::of(creature),
            order: depth_first(creature),
            depth,
            is_static,
            driven,
            rests_elsewhere,
            warnings: Vec::new(),
        };
        export.warn_of_shape();
        export
    }

    fn warn(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.warnings.push(Warning::new(place, text));
    }

    /// What MuJoCo makes of the tree as a whole.
    fn warn_of_shape(&mut self) {
        if self.depth.iter().any(|depth| depth + 1 > MAX_NESTED) {
            let text =
                format!("MuJoCo does not read bodies nested more than {MAX_NESTED} deep; other readers may");
            self.warn("bodies", text);
        }
        if !self.order.is_sorted() {
            self.warn(
                "bodies",
                "MJCF nests bodies, so that their order and that of the pose's numbers changes",
            );
        }
        for index in (0..self.rests_elsewhere.len()).filter(|&joint| self.rests_elsewhere[joint]) {
            let text = "the spring of a ball or free joint rests in the reference pose in MJCF, here it does \
                        not; the key with the springs' rest is what model.qpos_spring must be set to";
            self.warnings.push(Warning::new(format!("joint {:?}", self.names.joints[index]), text));
        }
    }

    fn head(&self, page: &mut Page) {
        let mut compiler = Tag::new("compiler").text("angle", "radian").text("inertiafromgeom", "false");
        if !self.meshes.files.is_empty() {
            compiler = compiler.text("meshdir", &self.options.assets);
        }
        page.leaf(&compiler);
        page.leaf(
            &Tag::new("option")
                .numbers("timestep", &[self.options.timestep])
                .text("integrator", self.options.integrator.name())
                .numbers("gravity", self.creature.gravity().as_slice()),
        );
    }

    fn assets(&self, page: &mut Page) {
        let mut tags = self.meshes.tags.clone();
        if self.options.ground {
            tags.push(
                Tag::new("texture")
                    .text("name", "ground")
                    .text("type", "2d")
                    .text("builtin", "checker")
                    .numbers("rgb1", &[0.8, 0.82, 0.84])
                    .numbers("rgb2", &[0.68, 0.71, 0.74])
                    .text("width", "256")
                    .text("height", "256"),
            );
            // Squares of 0.5 m: a creature's way can be read off them.
            tags.push(
                Tag::new("material")
                    .text("name", "ground")
                    .text("texture", "ground")
                    .text("texuniform", "true")
                    .numbers("texrepeat", &[1.0, 1.0]),
            );
        }
        page.section("asset", &tags);
    }

    fn tree(&mut self, page: &mut Page) {
        page.blank();
        page.open(&Tag::new("worldbody"));
        let outside = page.depth();
        if self.options.ground {
            page.leaf(
                &Tag::new("light").text("directional", "true").text("pos", "0 0 4").text("dir", "0.2 0.3 -1"),
            );
            let ground = Tag::new("geom").text("name", &self.names.new_geom("ground")).text("type", "plane");
            let ground = ground.numbers("size", &[0.0, 0.0, 1.0]).text("material", "ground");
            page.leaf(&touching(ground, true, false));
        }
        for body in self.order.clone() {
            if body != 0 {
                while page.depth() > outside + self.depth[body] {
                    page.close();
                }
                self.body(page, body);
            }
            self.shapes(page, body);
            for (name, pose) in &self.places.sites[body] {
                page.leaf(&Tag::new("site").text("name", name).pose(pose.translation.vector, pose.rotation));
            }
        }
        while page.depth() >= outside {
            page.close();
        }
    }

    /// Opens a body and writes its mass and joints.
    fn body(&mut self, page: &mut Page, index: usize) {
        let creature = self.creature;
        let body = &creature.bodies()[index];
        let pose = &body.parent_from_body;
        page.open(
            &Tag::new("body")
                .text("name", &self.names.bodies[index])
                .pose(pose.translation.vector, pose.rotation),
        );
        if body.mass.mass > 0.0 || body.mass.inertia.amax() > 0.0 {
            page.leaf(&self.inertial(index, &body.mass));
        }
        for joint in body.joints.clone() {
            page.leaf(&self.joint(joint));
        }
    }

    /// Mass and inertia. MuJoCo wants the principal moments where one of them is zero.
    fn inertial(&mut self, body: usize, mass: &MassProperties) -> Tag {
        let tag = Tag::new("inertial").numbers("mass", &[mass.mass]);
        let i = &mass.inertia;
        let (axes, moments) = principal_axes(mass, Axes::Exact);
        if moments[0] > (moments[1] + moments[2]) * (1.0 + ROUNDING) {
            let place = format!("body {:?}", self.names.bodies[body]);
            self.warn(place, "MuJoCo refuses an inertia that no real body has");
        }
        if (i.m12, i.m13, i.m23) == (0.0, 0.0, 0.0) {
            return tag.numbers("pos", mass.com.as_slice()).numbers("diaginertia", i.diagonal().as_slice());
        }
        if moments[2] > 0.0 {
            let full = [i.m11, i.m22, i.m33, i.m12, i.m13, i.m23];
            return tag.numbers("pos", mass.com.as_slice()).numbers("fullinertia", &full);
        }
        let wxyz = [axes.rotation.w, axes.rotation.i, axes.rotation.j, axes.rotation.k];
        tag.numbers("pos", mass.com.as_slice())
            .numbers("quat", &wxyz)
            .numbers("diaginertia", moments.map(|moment| moment.max(0.0)).as_slice())
    }

    fn joint(&self, index: usize) -> Tag {
        let joint = &self.creature.joints()[index];
        let stiffness = if self.driven.joints[index] { 0.0 } else { joint.stiffness };
        let springs = [stiffness, joint.damping, joint.armature];
        if joint.kind == JointKind::Free && springs == [0.0; 3] {
            return Tag::new("freejoint").text("name", &self.names.joints[index]);
        }
        let mut tag =
            Tag::new("joint").text("name", &self.names.joints[index]).text("type", joint.kind.name());
        if joint.kind != JointKind::Free {
            tag = tag.numbers_unless("pos", joint.anchor.as_slice(), &[0.0; 3]);
        }
        if matches!(joint.kind, JointKind::Hinge | JointKind::Slide) {
            tag = tag
                .numbers("axis", joint.axis.as_slice())
                .numbers_unless("ref", &[self.creature.reference_pose()[joint.q]], &[0.0])
                .numbers_unless("springref", &[self.creature.rest_pose()[joint.q]], &[0.0]);
        }
        for (name, value) in ["stiffness", "damping", "armature"].into_iter().zip(springs) {
            tag = tag.numbers_unless(name, &[value], &[0.0]);
        }
        match joint.limit {
            Some([_, most]) if joint.kind == JointKind::Ball => {
                tag.numbers("range", &[0.0, most.min(NO_LIMIT)])
            }
            Some(range) if joint.kind != JointKind::Free => {
                tag.numbers("range", &range.map(|x| x.clamp(-NO_LIMIT, NO_LIMIT)))
            }
            _ => tag,
        }
    }

    fn shapes(&mut self, page: &mut Page, body: usize) {
        let creature = self.creature;
        for index in creature.bodies()[body].shapes.clone() {
            let shape = &creature.shapes()[index];
            let Some(tag) = self.geom(index, shape) else { continue };
            let pose = &shape.body_from_shape;
            let tag = tag.pose(pose.translation.vector, pose.rotation);
            let tag = tag.text("rgba", &shape.rgba.map(|share| share.to_string()).join(" "));
            let flat = matches!(&shape.shape, Shape::Mesh { mesh, .. } if shape.collides && mesh.convex_hull().is_err());
            if flat {
                let place = format!("body {:?}", self.names.bodies[body]);
                self.warn(place, "MuJoCo lets no flat mesh touch anything; it is only to be seen");
            }
            page.leaf(&if shape.collides && !flat {
                touching(tag, self.is_static[body], self.options.self_collision)
            } else {
                tag.text("contype", "0").text("conaffinity", "0")
            });
        }
    }

    /// Name, type and size; `None` where MuJoCo has no such geom.
    fn geom(&mut self, index: usize, shape: &ShapeSpec) -> Option<Tag> {
        let tag = Tag::new("geom").text("name", &self.names.geoms[index]);
        Some(match &shape.shape {
            Shape::Sphere { radius } => tag.text("type", "sphere").numbers("size", &[*radius]),
            Shape::Capsule { radius, half_length } => {
                tag.text("type", "capsule").numbers("size", &[*radius, *half_length])
            }
            Shape::Cylinder { radius, half_length } => {
                tag.text("type", "cylinder").numbers("size", &[*radius, *half_length])
            }
            Shape::Box { half } => tag.text("type", "box").numbers("size", half.as_slice()),
            Shape::Ellipsoid { radii } => tag.text("type", "ellipsoid").numbers("size", radii.as_slice()),
            Shape::Mesh { .. } => {
                let Some(mesh) = &self.meshes.of_shape[index] else {
                    self.warn("meshes", "a mesh of fewer than 4 corners was left out");
                    return None;
                };
                tag.text("type", "mesh").text("mesh", mesh)
            }
        })
    }

    /// Named poses, and where the springs rest if the joints cannot say it.
    fn keys(&self) -> Vec<Tag> {
        let creature = self.creature;
        let key = |name: &str, qpos: &[f64]| {
            let numbers: Vec<f64> = self
                .order
                .iter()
                .flat_map(|&body| creature.bodies()[body].joints.clone())
                .flat_map(|joint| {
                    let joint = &creature.joints()[joint];
                    qpos[joint.q..joint.q + joint.kind.nq()].to_vec()
                })
                .collect();
            Tag::new("key").text("name", name).numbers("qpos", &numbers)
        };
        let mut keys: Vec<Tag> = creature.poses().iter().map(|pose| key(&pose.name, &pose.qpos)).collect();
        if self.rests_elsewhere.contains(&true) {
            let mut taken = creature.poses().iter().map(|pose| pose.name.clone()).collect();
            keys.push(key(&free("springs' rest", &mut taken), creature.rest_pose()));
        }
        keys
    }
}

/// Bodies as MJCF nests them.
fn depth_first(creature: &Creature) -> Vec<usize> {
    let bodies = creature.bodies();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
    for (index, body) in bodies.iter().enumerate().skip(1) {
        children[body.parent].push(index);
    }
    let (mut order, mut waiting) = (Vec::with_capacity(bodies.len()), vec![0]);
    while let Some(body) = waiting.pop() {
        order.push(body);
        waiting.extend(children[body].iter().rev());
    }
    order
}

/// Whether the spring of a ball or free joint rests in another pose than the reference.
fn rests_elsewhere(creature: &Creature, joint: &Joint) -> bool {
    let turning = match joint.kind {
        JointKind::Free => joint.q + 3..joint.q + 7,
        JointKind::Ball => joint.q..joint.q + 4,
        JointKind::Hinge | JointKind::Slide => return false,
    };
    let (rest, reference) = (creature.rest_pose(), creature.reference_pose());
    let apart = |sign: f64| {
        turning.clone().map(|k| (rest[k] - sign * reference[k]).abs()).fold(0.0, f64::max) > SAME_TURN
    };
    // A quaternion and its negative are one turn.
    let shifted = (joint.q..turning.start).any(|k| (rest[k] - reference[k]).abs() > SAME_TURN);
    joint.stiffness > 0.0 && (shifted || apart(1.0) && apart(-1.0))
}

/// Contact masks. Two geoms touch if a bit of one's `contype` is in the other's `conaffinity`: what moves has the
/// first, what stands the second, and with self-collision what moves has both.
fn touching(tag: Tag, is_static: bool, self_collision: bool) -> Tag {
    let bit = |set: bool| if set { "1" } else { "0" };
    tag.text("contype", bit(!is_static)).text("conaffinity", bit(is_static || self_collision))
}

//! The creature as the rest of the house reads it: compact, checked, immutable but for its springs.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    BodyClass, Constraint, Landmark, MassProperties, ModelError, ShapeSpec, Transform, Vec3, Warning,
};

/// What a joint lets move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JointKind {
    /// Three translations in the world and three rotations in the body.
    Free,
    /// Three rotations in the body.
    Ball,
    /// One translation.
    Slide,
    /// One rotation.
    Hinge,
}

impl JointKind {
    /// Number of pose coordinates.
    pub const fn nq(self) -> usize {
        match self {
            Self::Free => 7,
            Self::Ball => 4,
            Self::Slide | Self::Hinge => 1,
        }
    }

    /// Number of velocity coordinates.
    pub const fn nv(self) -> usize {
        match self {
            Self::Free => 6,
            Self::Ball => 3,
            Self::Slide | Self::Hinge => 1,
        }
    }

    /// Its name in files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Ball => "ball",
            Self::Slide => "slide",
            Self::Hinge => "hinge",
        }
    }
}

/// A rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Index of the parent; the world (index 0) is its own parent.
    pub parent: usize,
    /// Pose in the parent while the body's joints are at their reference.
    pub parent_from_body: Transform,
    /// Mass, centre of mass and inertia in the body frame.
    pub mass: MassProperties,
    /// Joints between this body and its parent, in the order they act.
    pub joints: Range<usize>,
    /// Velocity coordinates of those joints.
    pub dofs: Range<usize>,
    /// Shapes on this body.
    pub shapes: Range<usize>,
    /// Sites on this body.
    pub sites: Range<usize>,
}

/// A joint between a body and its parent.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// The body it moves.
    pub body: usize,
    /// What it lets move.
    pub kind: JointKind,
    /// The point it turns about, in the body frame, m.
    pub anchor: Vec3,
    /// Unit axis of a hinge or slide, in the body frame.
    pub axis: Vec3,
    /// First pose coordinate.
    pub q: usize,
    /// First velocity coordinate.
    pub v: usize,
    /// N·m/rad or N/m
    pub stiffness: f64,
    /// N·m·s/rad or N·s/m
    pub damping: f64,
    /// kg·m² or kg
    pub armature: f64,
    /// Hinge and slide: lower and upper bound. Ball: zero and the largest angle from the reference.
    pub limit: Option<[f64; 2]>,
}

/// One velocity coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Dof {
    /// The joint it belongs to.
    pub joint: usize,
    /// The body it moves.
    pub body: usize,
    /// The next velocity coordinate towards the root, if any; always a smaller index.
    pub parent: Option<usize>,
    /// Number of coordinates on the way to the root, this one included.
    pub depth: usize,
    /// Copy of the joint's armature, kg·m² or kg.
    pub armature: f64,
}

/// A named point on a body.
#[derive(Clone, Debug)]
pub struct Site {
    /// Name.
    pub name: String,
    /// The body it is fixed to.
    pub body: usize,
    /// Its pose in the body.
    pub body_from_site: Transform,
}

/// A linear combination of hinge and slide coordinates with a spring and a damper of its own.
#[derive(Clone, Debug)]
pub struct Tendon {
    /// Name.
    pub name: String,
    /// Joint index and coefficient.
    pub terms: Vec<(usize, f64)>,
    /// Force per length.
    pub stiffness: f64,
    /// Force per rate of length.
    pub damping: f64,
    /// The spring is at rest between these lengths.
    pub rest: [f64; 2],
}

/// A named pose.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPose {
    /// Unique name.
    pub name: String,
    /// `nq` numbers.
    pub qpos: Vec<f64>,
}

/// A creature: see the [crate] documentation. Built by [`crate::CreatureSpec::build`].
#[derive(Clone, Debug)]
pub struct Creature {
    pub(crate) name: String,
    pub(crate) gravity: Vec3,
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) dofs: Vec<Dof>,
    pub(crate) shapes: Vec<ShapeSpec>,
    pub(crate) sites: Vec<Site>,
    pub(crate) tendons: Vec<Tendon>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) poses: Vec<NamedPose>,
    pub(crate) landmarks: Vec<Landmark>,
    pub(crate) class: Option<BodyClass>,
    pub(crate) labels: Vec<String>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) reference_pose: Vec<f64>,
    pub(crate) rest_pose: Vec<f64>,
    pub(crate) attached: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Creature {
    /// Name of the creature.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Acceleration of gravity in the world, m/s².
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// All bodies; index 0 is the world.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// All joints of the tree.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// All velocity coordinates.
    pub fn dofs(&self) -> &[Dof] {
        &self.dofs
    }

    /// All shapes, grouped by body.
    pub fn shapes(&self) -> &[ShapeSpec] {
        &self.shapes
    }

    /// All sites, grouped by body.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Springs over several joints.
    pub fn tendons(&self) -> &[Tendon] {
        &self.tendons
    }

    /// Constraints beyond the tree.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Named poses.
    pub fn poses(&self) -> &[NamedPose] {
        &self.poses
    }

    /// Feet, knees, hands, elbows, head, spine and tail.
    pub fn landmarks(&self) -> &[Landmark] {
        &self.landmarks
    }

    /// How it gets about, if the user said so; `gambol_anatomy::classify` guesses it otherwise.
    pub fn stated_class(&self) -> Option<BodyClass> {
        self.class
    }

    /// What its file calls things that are no bodies: its clips, what its bones hang from.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// What was noticed while reading and building.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Length of a pose.
    pub fn nq(&self) -> usize {
        self.reference_pose.len()
    }

    /// Length of a velocity.
    pub fn nv(&self) -> usize {
        self.dofs.len()
    }

    /// The pose the description is drawn in (MuJoCo's `qpos0`).
    pub fn reference_pose(&self) -> &[f64] {
        &self.reference_pose
    }

    /// The pose in which all joint springs are at rest (MuJoCo's `qpos_spring`).
    pub fn rest_pose(&self) -> &[f64] {
        &self.rest_pose
    }

    /// Total mass, kg.
    pub fn mass(&self) -> f64 {
        self.bodies.iter().map(|body| body.mass.mass).sum()
    }

    /// Index of the body with this name.
    pub fn body_index(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }

    /// Index of the joint with this name.
    pub fn joint_index(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The named pose, if there is one.
    pub fn pose(&self, name: &str) -> Option<&[f64]> {
        self.poses.iter().find(|pose| pose.name == name).map(|pose| pose.qpos.as_slice())
    }

    /// The landmark with this name, e.g. `foot.front.left`.
    pub fn landmark(&self, name: &str) -> Option<&Landmark> {
        self.landmarks.iter().find(|landmark| landmark.name() == name)
    }

    /// Lets data of another room come along with this very creature and its copies, e.g. gaits that somebody made for it.
    /// The model does not look at it; a second value of the same type takes the place of the first.
    pub fn attach<T: Any + Send + Sync>(&mut self, data: T) {
        self.attached.retain(|old| !old.is::<T>());
        self.attached.push(Arc::new(data));
    }

    /// What was attached of this type.
    pub fn attached<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.attached.iter().find_map(|data| data.downcast_ref())
    }

    /// Sets the stiffness of one joint, N·m/rad or N/m.
    pub fn set_stiffness(&mut self, joint: usize, stiffness: f64) -> Result<(), ModelError> {
        let joint = &mut self.joints[joint];
        joint.stiffness = checked_stiffness("joint", &joint.name, stiffness)?;
        Ok(())
    }

    /// Sets the damping of one joint, N·m·s/rad or N·s/m.
    pub fn set_damping(&mut self, joint: usize, damping: f64) -> Result<(), ModelError> {
        let joint = &mut self.joints[joint];
        if !(damping.is_finite() && damping >= 0.0) {
            let reason = format!("a damping of {damping} is not a finite number of at least 0");
            return Err(ModelError::new(format!("joint {:?}", joint.name), reason));
        }
        joint.damping = damping;
        Ok(())
    }

    /// Sets the stiffness of one tendon, force per length.
    pub fn set_tendon_stiffness(&mut self, tendon: usize, stiffness: f64) -> Result<(), ModelError> {
        let tendon = &mut self.tendons[tendon];
        tendon.stiffness = checked_stiffness("tendon", &tendon.name, stiffness)?;
        Ok(())
    }

    /// Moves the equilibrium of all joint springs to `qpos`.
    pub fn set_rest_pose(&mut self, qpos: &[f64]) -> Result<(), ModelError> {
        self.rest_pose = self.checked_pose("rest pose", qpos)?;
        Ok(())
    }

    /// Takes its weight away: it floats.
    pub fn remove_gravity(&mut self) {
        self.gravity = Vec3::zeros();
    }

    /// Multiplies gravity: as on another planet, or for a body of another size that is to move in step with its own clips.
    pub fn scale_gravity(&mut self, factor: f64) -> Result<(), ModelError> {
        if !(factor.is_finite() && factor > 0.0) {
            let reason = format!("a factor of {factor} is not a finite number above 0");
            return Err(ModelError::new("gravity", reason));
        }
        self.gravity *= factor;
        Ok(())
    }

    /// Multiplies the density of one body, inertia included.
    pub fn scale_mass(&mut self, body: usize, factor: f64) -> Result<(), ModelError> {
        let body = &mut self.bodies[body];
        if !(factor.is_finite() && factor > 0.0) {
            return Err(ModelError::new(
                format!("body {:?}", body.name),
                format!("a mass factor of {factor} is not a finite number above 0"),
            ));
        }
        body.mass = body.mass.scaled(factor);
        Ok(())
    }
}

fn checked_stiffness(what: &str, name: &str, stiffness: f64) -> Result<f64, ModelError> {
    if stiffness.is_finite() && stiffness >= 0.0 {
        return Ok(stiffness);
    }
    let reason = format!("a stiffness of {stiffness} is not a finite number of at least 0");
    Err(ModelError::new(format!("{what} {name:?}"), reason))
}

//! What a creature is, as data: the object that `gambol inspect --json` prints.

use gambol_anatomy::{ClassSettings, classify};
use gambol_dynamics::{
    Data, TooLarge, TreeMatrix, bias_forces, center_of_mass, constraint_rows, degrees_of_freedom,
    forward_kinematics, mass_matrix,
};
use gambol_model::{BodyClass, ConstraintKind, Creature, Source, Vec3};
use serde::Serialize;

/// Everything `gambol inspect` tells about a creature at one pose.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Name of the creature.
    pub name: String,
    /// Bodies in tree order, the world left out.
    pub bodies: Vec<BodyReport>,
    /// Joints in tree order.
    pub joints: Vec<JointReport>,
    /// Degrees of freedom at this pose: `nv` less the independent constraint rows.
    pub dof: usize,
    /// Length of a pose.
    pub nq: usize,
    /// Length of a velocity.
    pub nv: usize,
    /// kg
    pub mass: f64,
    /// Centre of mass in the world at this pose, m.
    pub com: [f64; 3],
    /// Acceleration of gravity, m/s².
    pub gravity: [f64; 3],
    /// Constraints beyond the tree.
    pub constraints: Vec<ConstraintReport>,
    /// Names of tendons.
    pub tendons: Vec<String>,
    /// Names of the poses the file gives.
    pub poses: Vec<String>,
    /// The pose this report is about: its name, and the pose itself.
    pub pose: String,
    /// `nq` numbers.
    pub qpos: Vec<f64>,
    /// How it gets about: legs, fish, wings and so on.
    pub class: BodyClass,
    /// Why it is taken for that.
    pub class_reason: String,
    /// Feet, knees, hands, elbows, head, spine, tail.
    pub landmarks: Vec<LandmarkReport>,
    /// What was noticed while reading and building.
    pub warnings: Vec<String>,
    /// nv × nv, by rows, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass_matrix: Option<Vec<Vec<f64>>>,
    /// Coriolis, centrifugal and gravity forces at this pose and velocity, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias: Option<Vec<f64>>,
}

/// A body.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct BodyReport {
    /// Unique name.
    pub name: String,
    /// Name of its parent, `world` at the top.
    pub parent: String,
    /// kg
    pub mass: f64,
    /// Centre of mass in the body frame, m.
    pub com: [f64; 3],
    /// About the centre of mass, body axes: xx, yy, zz, xy, xz, yz, kg·m².
    pub inertia: [f64; 6],
    /// Origin in the world at this pose, m.
    pub position: [f64; 3],
}

/// A joint.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct JointReport {
    /// Unique name.
    pub name: String,
    /// `free`, `ball`, `hinge` or `slide`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The body it moves.
    pub body: String,
    /// First index in a pose.
    pub qpos: usize,
    /// First index in a velocity.
    pub qvel: usize,
    /// N·m/rad or N/m
    pub stiffness: f64,
    /// N·m·s/rad or N·s/m
    pub damping: f64,
    /// kg·m² or kg
    pub armature: f64,
    /// Lower and upper bound, rad or m.
    pub limit: Option<[f64; 2]>,
}

/// A constraint beyond the tree.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ConstraintReport {
    /// May be empty.
    pub name: String,
    /// `connect`, `hinge`, `weld`, `coupling`, `orientation`, `pin` or `cart`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Scalar equations.
    pub rows: usize,
}

/// A landmark.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct LandmarkReport {
    /// `role[.row][.side]`
    pub name: String,
    /// The body it is on.
    pub body: String,
    /// The joint it marks, if any.
    pub joint: Option<String>,
    /// In the body frame, m.
    pub point: [f64; 3],
    /// In the world at this pose, m.
    pub position: [f64; 3],
    /// `file`, `guess` or `user`.
    pub source: &'static str,
    /// Why, in words.
    pub reason: String,
}

/// Where a creature is looked at.
#[derive(Clone, Debug)]
pub struct State {
    /// Name of the pose.
    pub name: String,
    /// `nq` numbers.
    pub qpos: Vec<f64>,
    /// `nv` numbers.
    pub qvel: Vec<f64>,
}

impl Report {
    /// Looks at `creature` in `state`; with `matrix`, its mass matrix and bias forces too.
    pub fn new(creature: &Creature, state: &State, matrix: bool) -> Result<Self, TooLarge> {
        let mut data = Data::new(creature);
        let class = classify(creature, &mut data, &ClassSettings::default());
        let com = center_of_mass(creature, &mut data, &state.qpos);
        let dof = degrees_of_freedom(creature, &mut data, &state.qpos);
        forward_kinematics(creature, &mut data, &state.qpos);
        let bodies = bodies(creature, &data);
        let landmarks = landmarks(creature, &data);
        let (mass_matrix, bias) = if matrix {
            let mut m = TreeMatrix::new(creature)?;
            mass_matrix(creature, &mut data, &state.qpos, &mut m);
            let rows = m.to_dense().row_iter().map(|row| row.iter().copied().collect()).collect();
            (Some(rows), Some(bias_forces(creature, &mut data, &state.qpos, &state.qvel).to_vec()))
        } else {
            (None, None)
        };
        Ok(Self {
            name: creature.name().to_owned(),
            bodies,
            joints: joints(creature),
            dof,
            nq: creature.nq(),
            nv: creature.nv(),
            mass: creature.mass(),
            com: com.into(),
            gravity: creature.gravity().into(),
            constraints: constraints(creature),
            tendons: creature.tendons().iter().map(|tendon| tendon.name.clone()).collect(),
            poses: creature.poses().iter().map(|pose| pose.name.clone()).collect(),
            pose: state.name.clone(),
            qpos: state.qpos.clone(),
            class: class.class,
            class_reason: class.reason,
            landmarks,
            warnings: creature.warnings().iter().map(ToString::to_string).collect(),
            mass_matrix,
            bias,
        })
    }

    /// Rows of all constraints, redundant ones included.
    pub fn constraint_rows(&self) -> usize {
        self.constraints.iter().map(|constraint| constraint.rows).sum()
    }
}

fn bodies(creature: &Creature, data: &Data) -> Vec<BodyReport> {
    let report = |(index, body): (usize, &gambol_model::Body)| {
        let i = &body.mass.inertia;
        BodyReport {
            name: body.name.clone(),
            parent: creature.bodies()[body.parent].name.clone(),
            mass: body.mass.mass,
            com: body.mass.com.into(),
            inertia: [i.m11, i.m22, i.m33, i.m12, i.m13, i.m23],
            position: data.frames[index].position.into(),
        }
    };
    creature.bodies().iter().enumerate().skip(1).map(report).collect()
}

fn joints(creature: &Creature) -> Vec<JointReport> {
    let report = |joint: &gambol_model::Joint| JointReport {
        name: joint.name.clone(),
        kind: joint.kind.name(),
        body: creature.bodies()[joint.body].name.clone(),
        qpos: joint.q,
        qvel: joint.v,
        stiffness: joint.stiffness,
        damping: joint.damping,
        armature: joint.armature,
        limit: joint.limit,
    };
    creature.joints().iter().map(report).collect()
}

fn constraints(creature: &Creature) -> Vec<ConstraintReport> {
    let report = |constraint: &gambol_model::Constraint| ConstraintReport {
        name: constraint.name.clone(),
        kind: match constraint.kind {
            ConstraintKind::Connect { .. } => "connect",
            ConstraintKind::Hinge { .. } => "hinge",
            ConstraintKind::Weld { .. } => "weld",
            ConstraintKind::Coupling { .. } => "coupling",
            ConstraintKind::Orientation { .. } => "orientation",
            ConstraintKind::Pin { .. } => "pin",
            ConstraintKind::Cart { .. } => "cart",
        },
        rows: constraint_rows(std::slice::from_ref(constraint)),
    };
    creature.constraints().iter().map(report).collect()
}

fn landmarks(creature: &Creature, data: &Data) -> Vec<LandmarkReport> {
    let report = |landmark: &gambol_model::Landmark| {
        let position: Vec3 = data.frames[landmark.body].point_in_world(landmark.point);
        LandmarkReport {
            name: landmark.name(),
            body: creature.bodies()[landmark.body].name.clone(),
            joint: landmark.joint.map(|joint| creature.joints()[joint].name.clone()),
            point: landmark.point.into(),
            position: position.into(),
            source: match landmark.source {
                Source::File => "file",
                Source::Guess => "guess",
                Source::User => "user",
            },
            reason: landmark.reason.clone(),
        }
    };
    creature.landmarks().iter().map(report).collect()
}

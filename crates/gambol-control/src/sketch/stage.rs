//! What a sketch means for a creature.

use gambol_anatomy::{Foot, Heading, Mirror, feet};
use gambol_dynamics::{Data, forward_kinematics, stiffness_matrix};
use gambol_model::{BodyPoint, Constraint, ConstraintKind, Creature, JointKind, Role, Vec3};
use gambol_modes::{Settings, analyze};
use gambol_motion::Basis;
use nalgebra::{DMatrix, DVector};

use super::{Legs, Misfit, Phase, Sketch};

/// Vibrations that may be used where a sketch does not say which.
pub(super) const LOWEST: usize = 12;

/// Part of the mass that must have a mirror image for legs to alternate.
const SYMMETRIC: f64 = 0.999;

/// A mode that may be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Active {
    /// Index in its basis.
    pub mode: usize,
    /// Its least amplitude, with its sign, if it has priority, rad.
    pub priority: Option<f64>,
    /// Torque on every coordinate per radian of amplitude, K u: what the springs would do if their equilibrium moved along
    /// the mode, so that all joints take part as they do in the vibration. Where all joints have one stiffness k this is the
    /// paper's τ = Φ ψ with ψ = k times the amplitude. Nothing acts on the root.
    pub torque: Vec<f64>,
}

/// A creature that is ready for a sketch.
#[derive(Clone, Debug)]
pub struct Stage {
    /// With the rest pose and the damping of the sketch.
    pub creature: Creature,
    /// Φ_f, of the free creature.
    pub flight: Basis,
    /// Φ_g, with the toes of the stance pinned.
    pub ground: Basis,
    /// Permissible modes in flight and on the ground, those with priority first.
    pub active: [Vec<Active>; 2],
    /// The feet that stand in the first half of the cycle.
    pub stance: Vec<Foot>,
    /// Their mates, if legs alternate.
    pub others: Vec<Foot>,
    /// Left for right, of tangent vectors at the rest pose, if legs alternate.
    pub mirror: Option<DMatrix<f64>>,
    /// The same if all stand and swing together and the feet that stand are each other's mirror images: such a hop is its own
    /// mirror image at all times.
    pub symmetry: Option<DMatrix<f64>>,
    /// The body whose height says whether the creature is upright.
    pub torso: usize,
    /// Forward, left and up.
    pub axes: [Vec3; 3],
    /// Of the sketch: least mean speed, m/s, and most effort, N²m².
    pub least_speed: f64,
    /// See there.
    pub most_effort: f64,
    /// See there.
    pub size: f64,
}

fn misfit(key: &'static str, reason: impl Into<String>) -> Misfit {
    Misfit::new(key, reason)
}

impl Stage {
    /// Prepares `creature`, or says what is wrong with the sketch or does not fit.
    pub fn new(sketch: &Sketch, mut creature: Creature) -> Result<Self, Misfit> {
        sketch.check()?;
        let pose = match &sketch.pose {
            None => creature.reference_pose().to_vec(),
            Some(name) => creature.pose(name).map(<[f64]>::to_vec).ok_or_else(|| {
                let known: Vec<&str> = creature.poses().iter().map(|pose| pose.name.as_str()).collect();
                misfit(
                    "pose",
                    format!("{} has no pose {name:?}; it has {}", creature.name(), known.join(", ")),
                )
            })?,
        };
        creature.set_rest_pose(&pose).map_err(|error| misfit("pose", error.to_string()))?;
        for joint in 0..creature.joints().len() {
            let stiffness = sketch.stiffness * creature.joints()[joint].stiffness;
            let damping = sketch.damping * stiffness;
            creature
                .set_stiffness(joint, stiffness)
                .map_err(|error| misfit("stiffness", error.to_string()))?;
            creature.set_damping(joint, damping).map_err(|error| misfit("damping", error.to_string()))?;
        }
        if !creature.joints().first().is_some_and(|joint| joint.kind == JointKind::Free) {
            return Err(misfit("creature", format!("{} does not float, so it cannot run", creature.name())));
        }

        let mut data = Data::new(&creature);
        let heading = Heading::of_reference(&creature, &mut data);
        let axes = [heading.forward, heading.left, heading.up];
        let feet = feet(&creature, &mut data, &pose);
        let (stance, others) = stance(sketch, &creature, &feet)?;
        let (mirror, symmetry) = match sketch.legs {
            Legs::Alternate => (Some(mirror(&creature, &mut data, &pose)?), None),
            Legs::Together if is_own_image(&creature, &mut data, &stance) => {
                (None, mirror(&creature, &mut data, &pose).ok())
            }
            Legs::Together => (None, None),
        };

        let analyze = |data: &mut Data, constraints: Vec<Constraint>| {
            let settings = Settings { constraints, ..Settings::default() };
            analyze(&creature, data, &pose, &settings).map_err(|error| misfit("creature", error.to_string()))
        };
        let flight = analyze(&mut data, Vec::new())?;
        forward_kinematics(&creature, &mut data, &pose);
        let pin = |foot: &Foot| Constraint {
            name: foot.name.clone(),
            kind: ConstraintKind::Pin { point: foot.toe, position_in_world: in_world(&data, foot.toe) },
        };
        let pins = stance.iter().map(pin).collect();
        let ground = analyze(&mut data, pins)?;

        let stiffness = stiffness_matrix(&creature);
        let active = [
            active(sketch, Phase::Flight, &flight, &stiffness)?,
            active(sketch, Phase::Ground, &ground, &stiffness)?,
        ];
        let torso = torso(&creature);
        let &Sketch { least_speed, most_effort, size, .. } = sketch;
        Ok(Self {
            creature,
            flight,
            ground,
            active,
            stance,
            others,
            mirror,
            symmetry,
            torso,
            axes,
            least_speed,
            most_effort,
            size,
        })
    }

    /// The same with torques joint by joint instead of along modes: the canonical basis, without a sketch.
    pub fn joint_by_joint(mut self) -> Self {
        let stiffness = stiffness_matrix(&self.creature);
        let nv = self.creature.nv();
        let joints: Vec<Active> = (6..nv)
            .map(|dof| {
                let mut torque = vec![0.0; nv];
                torque[dof] = stiffness[(dof, dof)];
                Active { mode: dof, priority: None, torque }
            })
            .collect();
        self.active = [joints.clone(), joints];
        self
    }

    /// The basis of one phase.
    pub fn basis(&self, phase: Phase) -> &Basis {
        match phase {
            Phase::Flight => &self.flight,
            Phase::Ground => &self.ground,
        }
    }

    /// The mirror image of a tangent vector at the rest pose: a displacement from it, a velocity or a torque. The vector itself
    /// if legs do not alternate.
    pub fn mirrored(&self, x: &[f64]) -> Vec<f64> {
        match &self.mirror {
            None => x.to_vec(),
            Some(mirror) => (mirror * DVector::from_column_slice(x)).as_slice().to_vec(),
        }
    }
}

fn in_world(data: &Data, point: BodyPoint) -> Vec3 {
    data.frames[point.body].point_in_world(point.point)
}

/// The body above the highest joint of the spine, else the root.
fn torso(creature: &Creature) -> usize {
    let spine = creature.landmarks().iter().filter(|mark| mark.role == Role::Spine);
    spine.map(|mark| mark.body).max().unwrap_or(1)
}

/// The feet that stand first, and their mates if legs alternate.
fn stance(sketch: &Sketch, creature: &Creature, feet: &[Foot]) -> Result<(Vec<Foot>, Vec<Foot>), Misfit> {
    let Some(first) = feet.first() else {
        return Err(misfit("creature", format!("{} has no feet", creature.name())));
    };
    let named = |name: &String| {
        feet.iter().find(|foot| foot.name == *name).cloned().ok_or_else(|| {
            let known: Vec<&str> = feet.iter().map(|foot| foot.name.as_str()).collect();
            misfit("stance", format!("{} has no foot {name:?}; it has {}", creature.name(), known.join(", ")))
        })
    };
    let stance = match sketch.stance.as_slice() {
        [] => vec![first.clone()],
        names => names.iter().map(named).collect::<Result<_, _>>()?,
    };
    if sketch.legs == Legs::Together {
        return Ok((stance, Vec::new()));
    }
    let mate = |foot: &Foot| {
        let found = foot.mate.map(|mate| feet[mate].clone());
        found.ok_or_else(|| misfit("stance", format!("{} has no mate on the other side", foot.name)))
    };
    let others = stance.iter().map(mate).collect::<Result<_, _>>()?;
    Ok((stance, others))
}

/// Whether every foot has its mate among them.
fn is_own_image(creature: &Creature, data: &mut Data, feet: &[Foot]) -> bool {
    let mates = Mirror::new(creature, data);
    feet.iter().all(|foot| feet.iter().any(|other| mates.body(foot.toe.body) == Some(other.toe.body)))
}

/// The mirror image of tangent vectors at the pose `q`, which must be its own mirror image.
fn mirror(creature: &Creature, data: &mut Data, q: &[f64]) -> Result<DMatrix<f64>, Misfit> {
    let mirror = Mirror::new(creature, data);
    let nv = creature.nv();
    let lopsided =
        || misfit("legs", format!("{} has no left and right that could alternate", creature.name()));
    if mirror.matched() < SYMMETRIC {
        return Err(lopsided());
    }
    let mut matrix = DMatrix::zeros(nv, nv);
    let mut unit = vec![0.0; nv];
    for column in 0..nv {
        unit.fill(0.0);
        unit[column] = 1.0;
        let image = mirror.tangent(creature, q, &unit).ok_or_else(lopsided)?;
        matrix.set_column(column, &DVector::from_vec(image));
    }
    let mut bent = vec![0.0; nv];
    creature.difference(creature.reference_pose(), q, &mut bent);
    let bent = DVector::from_vec(bent);
    let apart = (&matrix * &bent - &bent).rows(6, nv - 6).amax();
    // A tenth of a degree: keyframes are written to six digits, and what a person would see is more.
    if apart > 2e-3 {
        return Err(misfit("pose", "legs can only alternate about a pose that is the same on both sides"));
    }
    Ok(matrix)
}

/// The permissible modes of one phase, those with priority first.
fn active(
    sketch: &Sketch,
    phase: Phase,
    basis: &Basis,
    stiffness: &DMatrix<f64>,
) -> Result<Vec<Active>, Misfit> {
    let palette = sketch.palette(phase);
    let last = basis.directions().len().saturating_sub(1);
    let blame = |mode: usize, reason: String| Misfit::of_mode(phase, mode, reason);
    let named = palette.priority.iter().map(|priority| priority.mode);
    let others = palette.permissible.iter().flatten().chain(&palette.excluded).copied();
    for mode in named.clone().chain(others) {
        if mode > last {
            return Err(blame(
                mode,
                format!("there is no {} mode {mode}; there are {} to {last}", phase.name(), basis.rigid()),
            ));
        }
        if mode < basis.rigid() {
            let reason = format!("mode {mode} bends nothing; the first vibration is mode {}", basis.rigid());
            return Err(blame(mode, reason));
        }
    }
    let lowest = || (basis.rigid()..basis.directions().len()).take(LOWEST).collect();
    let permissible = palette.permissible.clone().unwrap_or_else(lowest);
    let more = permissible.into_iter().filter(|mode| !named.clone().any(|named| named == *mode));
    let more = more.filter(|mode| !palette.excluded.contains(mode)).map(|mode| (mode, None));
    let all = palette.priority.iter().map(|priority| (priority.mode, Some(priority.amplitude))).chain(more);
    let active: Vec<Active> = all
        .map(|(mode, priority)| {
            let mut torque = stiffness * DVector::from_column_slice(&basis.directions()[mode].shape);
            torque.rows_mut(0, 6).fill(0.0);
            Active { mode, priority, torque: torque.as_slice().to_vec() }
        })
        .collect();
    if active.is_empty() {
        return Err(misfit(phase.name(), "no permissible mode is left"));
    }
    Ok(active)
}

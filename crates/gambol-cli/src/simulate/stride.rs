//! Controllers that `gambol optimize` found.

use gambol_control::locomotion::{Balance, Balanced, Bursts, Fall, Upright, read_controller, world};
use gambol_control::{AnyController, Rollout};
use gambol_dynamics::{State, World};
use gambol_model::{Creature, Joint, JointKind};

use super::Scene;
use crate::Failure;
use crate::sketch_file::SketchFile;

/// So many cycles are simulated if nobody says.
const USUAL: f64 = 20.0;

/// The cycles of a controller.
pub(super) struct Cycles {
    /// s
    pub(super) period: f64,
    /// Of the simulation, s.
    pub(super) step: f64,
    /// Whether corrections keep it up.
    pub(super) balance: bool,
    upright: Upright,
}

impl Cycles {
    /// s
    pub(super) fn usual_seconds(&self) -> f64 {
        USUAL * self.period
    }

    /// How it fell, if it did.
    pub(super) fn fall(&self, world: &World, rollout: &Rollout) -> Option<Fall> {
        self.upright.fall(world.creature(), &rollout.clip, world.settings().ground.as_ref())
    }
}

/// Bursts of torque by the clock alone, from the state in which a cycle begins. Pose, stiffness and damping are those of the
/// controller's sketch. `step` is that of the simulation, if it is another one than it was found with. With `balance` the bursts
/// are corrected by the state at the start of every half cycle.
pub(super) fn run_by_clock(
    creature: Creature,
    file: &SketchFile,
    step: Option<f64>,
    balance: bool,
) -> Result<Scene, Failure> {
    // A creature that is not where the controller has it cannot be compared; its numbers will have to fit.
    let find = |name: &str| match file.find(name).ok().and_then(|(own, _)| difference(name, &own, &creature))
    {
        Some(reason) => Err(reason),
        None => Ok(creature),
    };
    let (sketch, stage, stride, found_with) =
        read_controller(&file.text, find).map_err(|error| file.error(&error))?;
    let step = step.unwrap_or(found_with);
    let bursts = Bursts::new(&stage, &stride, step);
    let controller: Box<dyn AnyController> = if balance {
        let flat = world(&stage, step).map_err(|error| Failure::Failed(error.to_string()))?;
        Box::new(Balanced::new(bursts, Balance::new(&stage, &flat, &stride)))
    } else {
        Box::new(bursts)
    };
    Ok(Scene {
        start: State::new(&stride.q, &stride.v),
        controller,
        terrain: None,
        warnings: Vec::new(),
        waves: Vec::new(),
        cycles: Some(Cycles { period: stride.period, step, balance, upright: Upright::new(&stage) }),
        balancing: None,
        name: sketch.name,
        creature: stage.creature,
    })
}

/// What differs between the joints of the creature that a controller is for and those of another one.
fn difference(name: &str, own: &Creature, other: &Creature) -> Option<String> {
    let (a, b) = (own.joints(), other.joints());
    let told = |joint: Option<&Joint>| {
        joint.map_or_else(|| "not there".to_owned(), |joint| format!("{} {:?}", kind(joint.kind), joint.name))
    };
    let same = |a: &Joint, b: &Joint| a.name == b.name && a.kind == b.kind && a.body == b.body;
    let first = (0..a.len().max(b.len())).find(|&k| match (a.get(k), b.get(k)) {
        (Some(a), Some(b)) => !same(a, b),
        _ => true,
    })?;
    let (wanted, found) = (told(a.get(first)), told(b.get(first)));
    let found = if found == wanted { "on another body".to_owned() } else { found };
    Some(format!(
        "the controller is for {name} with {} joints, and {} has {}; joint {first} is {found} instead of {wanted}",
        a.len(),
        other.name(),
        b.len()
    ))
}

fn kind(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Free => "free",
        JointKind::Ball => "ball",
        JointKind::Hinge => "hinge",
        JointKind::Slide => "slide",
    }
}

//! A sketch before it is a controller: what its bursts alone do to the creature (Nunes et al. 2012, section 4.3).

use gambol_dynamics::{State, StepError, StepSettings, Stepper, World};
use gambol_motion::Clip;

use super::{Active, Sketch, Stage};
use crate::locomotion::{Bursts, Stride};
use crate::{Plan, simulate};

/// Poses per second.
const FPS: f64 = 60.0;

/// The creature floats, without gravity and ground, and is moved by bursts along the priority modes with the amplitudes of the
/// sketch, at its period. It starts at rest.
pub fn preview(sketch: &Sketch, stage: &Stage, seconds: f64) -> Result<Clip, StepError> {
    let settings = StepSettings { ground: None, ..StepSettings::default() };
    let step = settings.step;
    let mut creature = stage.creature.clone();
    creature.remove_gravity();
    let world = World::new(creature, settings)?;
    let stride = sketched(sketch, stage);
    let bursts = Bursts::new(stage, &stride, step);
    let start = State::new(&stride.q, &stride.v);
    let plan = Plan { fps: FPS, keep_poses: true, ..Plan::new(&bursts, start, seconds) };
    let mut clip = simulate(&world, &mut Stepper::new(&world), &plan, &mut |_| ()).clip;
    clip.name.clone_from(&sketch.name);
    Ok(clip)
}

/// The stride of a sketch as it stands: at rest, and nothing but the priority modes.
fn sketched(sketch: &Sketch, stage: &Stage) -> Stride {
    let amplitudes = |active: &[Active]| active.iter().map(|active| active.priority.unwrap_or(0.0)).collect();
    Stride {
        q: stage.creature.rest_pose().to_vec(),
        v: vec![0.0; stage.creature.nv()],
        flight: amplitudes(&stage.active[0]),
        ground: amplitudes(&stage.active[1]),
        bursts: sketch.bursts,
        period: sketch.period,
        flight_share: sketch.flight_share,
    }
}

//! Gaits by torques alone: `--balance` for creatures on legs.

use std::path::Path;

use clap::ValueEnum;
use gambol_control::legged::{LegAccount, LegState, Method, RoamMemory, STRIDE_KEYS, Walker, WalkerSettings};
use gambol_control::locomotion::{Fall, Upright};
use gambol_control::{Rollout, Status};
use gambol_dynamics::{Data, Terrain, World};
use gambol_gait::{Body, Gait, Sampling, Wish, modal_share, perform, prepare};
use gambol_model::{Creature, JointKind, Vec3, math};
use gambol_motion::Clip;
use serde::Serialize;

use super::Scene;
use super::roam::RoamJson;
use crate::Failure;
use crate::gait_file::{is_file, read_gait};

/// What finds the torques.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ControllerName {
    /// forces at all contacts at once, for the accelerations of the whole body
    Whole,
    /// virtual forces on the bodies that legs hang on (Coros et al. 2011)
    Coros,
    /// six controllers of a rigid body, forces by linear programming (Kokkevis et al. 1995)
    Kokkevis,
}

impl ControllerName {
    fn method(self) -> Method {
        match self {
            Self::Whole => Method::Whole,
            Self::Coros => Method::Coros,
            Self::Kokkevis => Method::Kokkevis,
        }
    }
}

impl Balancing {
    /// Of a creature that goes where it is told.
    pub(super) fn roaming(roaming: &gambol::Roaming) -> Self {
        let Walker { pilot, strength, step, upright, .. } = &roaming.walker;
        Self {
            controller: ControllerName::Whole,
            step: *step,
            upright: upright.clone(),
            speed: 0.0,
            direction: pilot.units.forward,
            names: pilot.reference.feet.iter().map(|foot| foot.name.clone()).collect(),
            limit: strength.first().copied().unwrap_or(0.0),
            strength: strength.clone(),
            wall: 0.0,
            gaits: roaming.controller.ladder().gaits.clone(),
            style: None,
        }
    }
}

/// What is asked of a creature that balances.
pub(super) struct BalanceWish {
    pub(super) controller: ControllerName,
    /// N·m or N, of every joint; none: as strong as it takes.
    pub(super) torque_limit: Option<f64>,
    /// m/s; none: the gait's own.
    pub(super) speed: Option<f64>,
}

/// A creature that balances.
pub(super) struct Balancing {
    controller: ControllerName,
    pub(super) step: f64,
    upright: Upright,
    /// m/s
    speed: f64,
    /// Where it is to go, level, of length 1.
    direction: Vec3,
    names: Vec<String>,
    /// N·m or N, of every joint.
    limit: f64,
    pub(super) strength: Vec<f64>,
    /// How long it was computed, s.
    pub(super) wall: f64,
    /// Gaits of a creature that goes where it is told, by their number in its ladder.
    gaits: Vec<String>,
    /// The body whose vibrations its gait is made of, the gait, and their share in its clip.
    style: Option<(Body, Gait, f64)>,
}

/// A creature that follows a gait by its own torques.
pub(super) fn balance(creature: Creature, name: &str, wish: &BalanceWish) -> Result<Scene, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
    let mut data = Data::new(&creature);
    let (body, mut gait, mut warnings) = designed(creature, &mut data, name, wish)?;
    let terrain = std::mem::replace(&mut gait.ground.terrain, Terrain::Flat);
    let performance = perform(&body, &mut data, &gait, &Sampling { seconds: None, fps: STRIDE_KEYS })?;
    warnings.extend(performance.warnings);
    let share = performance.report.modal_share;
    let style = share.map(|share| (body.clone(), gait.clone(), share));
    let walker = Walker::new(body.creature, &performance.clip, wish.torque_limit, &WalkerSettings::default())
        .map_err(|error| failed(&error))?;
    let controller = walker.controller(wish.controller.method(), None).map_err(|error| failed(&error))?;
    let Walker { creature, pilot, strength, start, step, upright, .. } = walker;
    let balancing = Balancing {
        controller: wish.controller,
        step,
        upright,
        speed: pilot.own_course().speed,
        direction: pilot.reference.velocity.try_normalize(1e-9).unwrap_or(pilot.units.forward),
        names: pilot.reference.feet.iter().map(|foot| foot.name.clone()).collect(),
        limit: strength.first().copied().unwrap_or(0.0),
        strength,
        wall: 0.0,
        gaits: Vec::new(),
        style,
    };
    Ok(Scene {
        controller,
        start,
        terrain: Some(terrain),
        warnings,
        waves: Vec::new(),
        cycles: None,
        balancing: Some(balancing),
        name: gait.name,
        creature,
    })
}

fn designed(
    creature: Creature,
    data: &mut Data,
    name: &str,
    wish: &BalanceWish,
) -> Result<(Body, Gait, Vec<String>), Failure> {
    let pace = Wish { speed: wish.speed, ..Wish::default() };
    let (body, design) = if is_file(name) {
        gambol_gait::adopt(creature, data, read_gait(Path::new(name))?, |_| (), &pace)?
    } else {
        prepare(creature, data, name, |_| (), &pace)?
    };
    Ok((body, design.gait, design.hints))
}

/// What is told of a creature that balanced.
#[derive(Serialize)]
pub(super) struct BalanceJson {
    controller: &'static str,
    /// How it fell, if it did.
    fall: Option<FallJson>,
    /// Until it fell, s.
    up: f64,
    speed: SpeedJson,
    /// rad from where it was to go, of its way up to a fall.
    heading_error: f64,
    torque: TorqueJson,
    /// N: besides pushes nothing acts on the creature but the ground.
    outside_force: f64,
    /// Mean way of a foot along the ground while it pushed, mm per second.
    slip_mm: f64,
    legs: Vec<LegJson>,
    solver: SolverJson,
    real_time_factor: f64,
    /// Elastic energy along the modes of the gait, as a share of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    modal_share: Option<ShareJson>,
    /// Of a creature that goes where it is told.
    #[serde(flatten)]
    roam: Option<RoamJson>,
}

#[derive(Serialize)]
struct FallJson {
    /// s
    time: f64,
    /// What touched the ground and is no foot; none: its centre of mass came below half of its height.
    body: Option<String>,
}

#[derive(Serialize)]
struct ShareJson {
    /// As it was designed, ...
    clip: f64,
    /// ... and as it was simulated, until it fell.
    simulated: f64,
}

/// m/s
#[derive(Serialize)]
struct SpeedJson {
    wanted: f64,
    mean: f64,
}

#[derive(Serialize)]
struct TorqueJson {
    /// N·m or N
    limit: f64,
    peak: Vec<PeakJson>,
    /// Share of the time of all joints that was spent at the limit.
    share_at_limit: f64,
}

#[derive(Serialize)]
struct PeakJson {
    joint: String,
    /// N·m or N, of the largest of its coordinates.
    peak: f64,
}

#[derive(Serialize)]
struct LegJson {
    foot: String,
    pushes: usize,
    late: usize,
    jammed: usize,
}

#[derive(Serialize)]
struct SolverJson {
    /// Mean per step.
    iterations: f64,
    failures: usize,
}

/// A fall in words.
pub(super) fn told(world: &World, fall: &Fall) -> String {
    let creature = world.creature();
    let why = fall.body.map_or("it had sunk to half its height".to_owned(), |body| {
        format!("{} touched the ground", creature.bodies()[body].name)
    });
    format!("{} fell at {:.2} s: {why}", creature.name(), fall.time)
}

impl Balancing {
    /// How it fell, if it did.
    pub(super) fn fall(&self, world: &World, rollout: &Rollout) -> Option<Fall> {
        self.upright.fall(world.creature(), &rollout.clip, world.settings().ground.as_ref())
    }

    /// One word for how it ended.
    pub(super) fn status(&self, world: &World, rollout: &Rollout) -> &'static str {
        match (&rollout.status, self.fall(world, rollout)) {
            (_, Some(_)) => "fell",
            (Status::Diverged(_), None) => "diverged",
            (Status::Finished | Status::Stopped, None) => "up",
        }
    }

    pub(super) fn json(&self, world: &World, rollout: &Rollout) -> Option<BalanceJson> {
        let creature = world.creature();
        let roams: Option<&RoamMemory> = rollout.memory.get();
        let account = match roams {
            Some(roams) => LegAccount { solver: roams.whole.solver, slip: roams.whole.slip },
            None => LegAccount::of(&rollout.memory)?,
        };
        let fall = self.fall(world, rollout);
        let report = &rollout.report;
        let up = fall.as_ref().map_or(report.seconds, |fall| fall.time);
        let way = Self::way(creature, rollout, up);
        let ahead = way.dot(&self.direction);
        let left = way.dot(&Vec3::z().cross(&self.direction));
        let count = |foot: usize, state: LegState| {
            let own = |event: &&gambol_control::Event| {
                event.which == foot && event.what == state.name() && event.time <= up
            };
            report.events.iter().filter(own).count()
        };
        let leg = |(foot, name): (usize, &String)| LegJson {
            foot: name.clone(),
            pushes: count(foot, LegState::Pushes),
            late: count(foot, LegState::Late),
            jammed: count(foot, LegState::Jammed),
        };
        let joints = creature.joints().iter().filter(|joint| joint.kind != JointKind::Free);
        let peak = joints.map(|joint| PeakJson {
            joint: joint.name.clone(),
            peak: report.efforts[joint.v..joint.v + joint.kind.nv()]
                .iter()
                .fold(0.0, |most, own| own.peak.max(most)),
        });
        let solves = account.solver.solves.max(1) as f64;
        let coordinates = creature.nv().saturating_sub(6).max(1) as f64;
        Some(BalanceJson {
            controller: self.controller.method().name(),
            fall: fall.map(|Fall { time, body }| FallJson {
                time,
                body: body.map(|body| creature.bodies()[body].name.clone()),
            }),
            up,
            speed: match roams {
                // Over all of its way, curves and rests included.
                Some(roams) => {
                    SpeedJson { wanted: roams.sums[0] / report.seconds, mean: roams.sums[1] / report.seconds }
                }
                None => SpeedJson { wanted: self.speed, mean: if up > 0.0 { ahead / up } else { 0.0 } },
            },
            heading_error: match roams {
                Some(roams) => (roams.sums[2] / report.seconds).sqrt(),
                None if ahead == 0.0 && left == 0.0 => 0.0,
                None => math::atan2(left, ahead),
            },
            torque: TorqueJson {
                limit: self.limit,
                peak: peak.collect(),
                share_at_limit: report.efforts.iter().map(|own| own.at_limit).sum::<f64>() / coordinates,
            },
            outside_force: report.outside_force,
            slip_mm: 1e3 * account.slip / report.seconds.max(f64::MIN_POSITIVE) / self.names.len() as f64,
            legs: self.names.iter().enumerate().map(leg).collect(),
            solver: SolverJson {
                iterations: account.solver.iterations as f64 / solves,
                failures: account.solver.failures,
            },
            real_time_factor: report.seconds / self.wall.max(f64::MIN_POSITIVE),
            modal_share: self.style_kept(&rollout.clip, up),
            roam: roams.map(|roams| RoamJson::new(&self.gaits, roams, &report.events)),
        })
    }

    /// How much of the gait's vibrations is to be seen in what was simulated until `time`, next to its clip.
    fn style_kept(&self, clip: &Clip, time: f64) -> Option<ShareJson> {
        let (body, gait, share) = self.style.as_ref()?;
        let until = clip.times.partition_point(|key| *key <= time);
        let simulated = modal_share(body, gait, &clip.poses[..until])?;
        Some(ShareJson { clip: *share, simulated })
    }

    /// Of the root until `time`, m.
    fn way(creature: &Creature, rollout: &Rollout, time: f64) -> Vec3 {
        let Some(root) = creature.joints().iter().find(|joint| joint.kind == JointKind::Free) else {
            return Vec3::zeros();
        };
        let place = |pose: &[f64]| Vec3::new(pose[root.q], pose[root.q + 1], 0.0);
        let clip = &rollout.clip;
        let last = clip.times.partition_point(|key| *key <= time).max(1) - 1;
        match (clip.poses.first(), clip.poses.get(last)) {
            (Some(first), Some(last)) => place(last) - place(first),
            _ => Vec3::zeros(),
        }
    }
}

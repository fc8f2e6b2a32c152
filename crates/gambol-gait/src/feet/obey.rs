//! A motion that gravity believes: the body as a whole moves as the pushes of its feet make it.
//!
//! 1. The feet are pinned at even moments of the cycle: a draft. Its centre of mass and its angular momentum are what the
//!    vibrations would like to do.
//! 2. `push` plans forces at the standing feet whose motion comes near to that. From here on the centre of mass of the
//!    vibrations is carried along that path: a foot that leaves the ground goes with the body.
//! 3. The feet are pinned again with six more conditions: the centre of mass is where the plan has it, and the correction δ
//!    turns the body, from the δ before, by what its angular momentum L lacked: A(q) (δ − δ₀) = ∫ (L_plan − L) dt, A the
//!    angular rows of the centroidal momentum matrix (Orin, Goswami and Lee 2013). Where legs do not reach, the body sinks.
//! 4. From 3 until nothing is lacking. Where the nearest pose jumps from one side to another, corrections are smoothed and only brought home,
//!    and 3 goes on from there.
//!
//! What gives way are the joints, by their compliance: of all motions that can be, it is one near to that of the
//! vibrations. Each correction is drawn to a smoothed one of the round before, so that it moves as a body would.

use std::f64::consts::TAU;

use gambol_dynamics::{Data, FloatingBase, center_of_mass, momentum_matrix};
use gambol_model::{Creature, Mat3, Vec3, math};

use crate::ObeySettings;
use crate::path::moved;

use super::pin::{Asked, Goal, Held, Pinned, Precision, Solver, pin, reach};
use super::push::{Lump, Plan, Pusher, SHAPES, Wanted, plan};
use super::road::Road;
use super::scene::FeetScene;
use super::series::{convolved, integrator, look_up, mixed};
use super::target::Plant;
use super::way::Way;

/// Share of the harmonics that are looked up in full where nothing is to be smoothed: all but the last, which would ring.
const SHARP: f64 = 0.9;

/// Differences of fourth order need five, and a cycle some more.
const FEWEST_SAMPLES: usize = 16;

/// What the pushes make of a motion.
#[derive(Clone)]
pub(super) struct Obeyed {
    /// The plan as it was made; it carries the vibrations along.
    carrier: Plan,
    /// The same plan, sunk to where the legs reach.
    plan: Plan,
    base: FloatingBase,
    /// Per sample: the correction of the pose.
    deltas: Vec<Vec<f64>>,
    /// Per sample: how it shall turn the body further, m.
    turns: Vec<Vec3>,
    /// From N·m·s² to m: the inverse of the inertia times the legs' length, so that turns compare with shifts.
    unit: Mat3,
    /// Share of a smoothed correction that the next one is drawn to.
    inert: f64,
    /// How frames are found: `pin`, or `reach` where the nearest pose would jump.
    pub(super) solver: Solver,
}

impl Obeyed {
    /// The course `before` it obeyed, carried by the plan.
    pub(super) fn course<'a>(&'a self, before: &Course<'a>) -> Course<'a> {
        Course { carrier: Some(&self.carrier), ..*before }
    }

    /// What is asked of the body at `cycle`, and a correction that nearly does it.
    pub(super) fn at(&self, course: &Course, cycle: f64) -> (Held, Vec<f64>) {
        let n = self.deltas.len();
        let sharp = look_up(n, SHARP, cycle);
        let turn = sharp.iter().zip(&self.turns).map(|(weight, turn)| turn * *weight).sum();
        self.held(course, cycle, mixed(&sharp, &self.deltas), turn)
    }

    /// The same for a turn from the correction `from`.
    fn held(&self, course: &Course, cycle: f64, from: Vec<f64>, turn: Vec3) -> (Held, Vec<f64>) {
        let smooth = mixed(&look_up(self.deltas.len(), 0.0, cycle), &self.deltas);
        let around = smooth.iter().map(|d| d * self.inert).collect();
        let center = self.plan.center(cycle);
        let Self { base, unit, .. } = *self;
        let (slow, settings) = (course.slow(cycle), course.scene.settings);
        let astray = slow * settings.pin.astray + (1.0 - slow) * settings.obey.astray;
        (Held { base, center, turn, from, unit, astray, around }, smooth)
    }
}

/// A motion over the flat ground, before it obeys or after.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    pub(super) scene: &'a FeetScene<'a>,
    /// The pose of the vibrations at a cycle, with its root in place.
    pub(super) free: &'a dyn Fn(&FeetScene, f64) -> Vec<f64>,
    pub(super) ways: &'a [Way],
    pub(super) road: &'a Road,
    /// In a cycle: one of a gait, many of a script.
    pub(super) strides: usize,
    /// Whether it leaps at a cycle, or stands before or after that: its free pose is as high as the pushes of a leap would have it.
    pub(super) leaps: &'a dyn Fn(f64) -> bool,
    /// Where the centre of mass of the vibrations shall be, once that is known.
    pub(super) carrier: Option<&'a Plan>,
    pub(super) precision: Precision,
}

/// What is asked of a pose.
pub(super) struct Moment {
    /// Time in cycles.
    cycle: f64,
    /// The modal pose with its root in place.
    free: Vec<f64>,
    /// Where feet shall be.
    goals: Vec<Goal>,
}

/// What a cycle of poses does as a whole, in the creature's ground frame.
struct Whole {
    /// Per sample, m.
    center: Vec<Vec3>,
    /// Per sample: angular momentum about it, N·m·s.
    momentum: Vec<Vec3>,
    /// Mean inertia about the centre of mass with all joints held, kg·m².
    inertia: Mat3,
    /// How much lower the body must be for no standing leg to be straight, m.
    short: f64,
}

/// What a motion lacks to be one that gravity believes, or one that can be looked at.
#[derive(Clone, Copy)]
struct Lack {
    /// Root mean square of the moment that is not there, weights times height.
    moment: f64,
    /// How far a joint jumps more than it may, rad (or m).
    jump: f64,
}

impl Lack {
    /// Feet are not where they shall be.
    const ALL: Self = Self { moment: f64::INFINITY, jump: 0.0 };

    /// In one number, weights times height.
    fn all(&self, settings: &ObeySettings) -> f64 {
        self.moment + settings.flick * self.jump
    }
}

impl Course<'_> {
    /// Makes it one that gravity believes; `None` where nothing can, as without weight, or with joints that cannot do it.
    pub(super) fn obey(&self, data: &mut Data) -> Option<Obeyed> {
        let scene = self.scene;
        let settings = &scene.settings.obey;
        let base = FloatingBase::of(scene.creature)?;
        if self.is_beyond_reach() {
            return None;
        }
        let n = self.strides * settings.samples.max(FEWEST_SAMPLES);
        let moments: Vec<Moment> = (0..n).map(|k| self.moment(data, k as f64 / n as f64)).collect();
        let (mut poses, mut deltas) = (Vec::with_capacity(n), Vec::with_capacity(n));
        // Every frame is found from that before.
        let mut delta = vec![0.0; scene.creature.nv()];
        for moment in &moments {
            poses.push(self.solved(data, moment, None, &mut delta, pin).pose);
            deltas.push(delta.clone());
        }
        let draft = self.measure(data, &base, &poses);
        let frame = moments.iter().map(|moment| self.road.moving(moment.cycle)).collect();
        let lump = Lump {
            mass: base.mass,
            gravity: scene.creature.gravity().norm(),
            up: scene.up,
            inertia: draft.inertia,
            length: scene.legs.length,
            period: 1.0 / scene.frequency,
            strides: self.strides as f64,
            forward: self.road.forward(),
            frame: if self.road.is_inertial() { Vec::new() } else { frame },
            level: self.level(&moments),
        };
        let mut wanted = Wanted { center: draft.center, momentum: draft.momentum };
        // Legs would rather stay as they are than crouch: who leaps is as high as its pushes want it, and not as the draft has it.
        for (center, moment) in wanted.center.iter_mut().zip(&moments).filter(|(_, m)| (self.leaps)(m.cycle))
        {
            center.z = center_of_mass(scene.creature, data, &moment.free).z;
        }
        let plan = plan(&lump, &self.pushers(n), &wanted, settings, scene.settings.feet.push_humps)?;
        let carrier = plan.clone();
        let course = Course { carrier: Some(&carrier), ..*self };
        let moments: Vec<Moment> = moments.iter().map(|moment| course.moment(data, moment.cycle)).collect();
        let unit = draft.inertia.try_inverse()? * scene.legs.length;
        let turns = vec![Vec3::zeros(); n];
        let mut obeyed =
            Obeyed { carrier: plan.clone(), plan, base, deltas, turns, unit, inert: 0.0, solver: pin };
        let (lacks, miss) = course.settle(data, &moments, &mut obeyed, &mut poses);
        // Feet that are far from the ground are not brought there by smoothing.
        if lacks.all(settings) <= settings.retry || miss > settings.hopeless * scene.legs.length {
            return (lacks.all(settings) <= settings.most).then_some(obeyed);
        }
        // The nearest pose may jump from one side to another. Corrections that are smoothed and brought home do not.
        let mut smooth = Obeyed { solver: reach, ..obeyed.clone() };
        let (mut best, mut before) = ((lacks.all(settings), obeyed), lacks.all(settings));
        for tries in 1..=if self.strides > 1 { settings.script_retries } else { settings.retries } {
            let lacks = course.settle(data, &moments, &mut smooth, &mut poses).0;
            let all = lacks.all(settings);
            if all < best.0 {
                best = (all, smooth.clone());
            }
            let lost = lacks.moment > settings.lost && (tries > 1 || lacks.moment.is_finite());
            let gains = self.strides > 1 || all.is_infinite() || all < settings.gains * before;
            if all <= settings.retry || lost || !gains {
                break;
            }
            before = all;
        }
        (best.0 <= settings.most).then_some(best.1)
    }

    /// Whether a foot would have to stand while the body goes by further than any leg reaches: nothing needs to be tried then.
    fn is_beyond_reach(&self) -> bool {
        let scene = self.scene;
        self.ways.iter().zip(&scene.legs.legs).any(|(way, leg)| {
            let most = scene.settings.obey.widest * leg.straight.max(leg.length);
            let goes = |plant: &Plant| plant.seen(self.road, plant.end) - plant.seen(self.road, plant.start);
            way.plants.iter().any(|plant| goes(plant).norm() > most)
        })
    }

    /// Lets corrections and momenta agree. Returns what is lacking then, all where feet miss, and by how much they do at most, m.
    fn settle(
        &self,
        data: &mut Data,
        moments: &[Moment],
        obeyed: &mut Obeyed,
        poses: &mut [Vec<f64>],
    ) -> (Lack, f64) {
        let (scene, settings) = (self.scene, &self.scene.settings.obey);
        let (n, period) = (poses.len(), 1.0 / scene.frequency);
        let once = integrator(n, 1, period);
        let weight = obeyed.base.mass * scene.creature.gravity().norm();
        let lowest = obeyed.carrier.mean.z - settings.deepest * scene.legs.length;
        let mut miss = f64::INFINITY;
        for round in 0..settings.rounds {
            obeyed.inert = if round == 0 { obeyed.inert } else { settings.inert };
            miss = 0.0;
            let mut found = Vec::with_capacity(n);
            for (k, (pose, moment)) in poses.iter_mut().zip(moments).enumerate() {
                let (held, mut delta) =
                    obeyed.held(self, moment.cycle, obeyed.deltas[k].clone(), obeyed.turns[k]);
                let pinned = self.solved(data, moment, Some(&held), &mut delta, obeyed.solver);
                miss = miss.max(pinned.error);
                *pose = pinned.pose;
                found.push(delta);
            }
            obeyed.deltas = found;
            let now = self.measure(data, &obeyed.base, poses);
            let lacking: Vec<Vec3> =
                obeyed.plan.momentum.iter().zip(&now.momentum).map(|(plan, now)| plan - now).collect();
            let mean = lacking.iter().sum::<Vec3>() / n as f64;
            let lacking: Vec<Vec3> = lacking.iter().map(|lacking| lacking - mean).collect();
            obeyed.turns = convolved(&once, &lacking).iter().map(|turn| obeyed.unit * turn).collect();
            // The moment that is not there, if what is lacking has the third harmonic, in weights times height.
            let square = lacking.iter().map(Vec3::norm_squared).sum::<f64>() / n as f64;
            let moment = 3.0 * TAU / period * square.sqrt() / (weight * obeyed.plan.mean.z);
            let low = now.short.max(miss);
            if moment < settings.enough && low < settings.low_enough * scene.legs.length {
                break;
            }
            let sinks = settings.sink * low.min(settings.sinks * scene.legs.length);
            obeyed.plan.mean.z = (obeyed.plan.mean.z - sinks).max(lowest);
        }
        let stands = miss <= scene.settings.warnings.reach * scene.legs.length;
        (if stands { self.lacks(data, obeyed) } else { Lack::ALL }, miss)
    }

    /// What a motion lacks, seen between the samples too, where joints may be thrown about; and at them once more, where the nearest pose may
    /// change sides in the next round.
    fn lacks(&self, data: &mut Data, obeyed: &Obeyed) -> Lack {
        let n = 2 * obeyed.deltas.len();
        let pose = |k: usize| {
            let cycle = k as f64 / n as f64;
            let (held, mut delta) = obeyed.at(self, cycle);
            let moment = self.moment(data, cycle);
            self.solved(data, &moment, Some(&held), &mut delta, obeyed.solver).pose
        };
        let poses: Vec<Vec<f64>> = (0..n).map(pose).collect();
        let settings = &self.scene.settings.obey;
        let jumps = jumps(self.scene.creature, settings.light, obeyed.base.v, &poses);
        let most = if self.strides > 1 { settings.script_jump } else { settings.jump };
        let now = self.measure(data, &obeyed.base, &poses).momentum;
        let planned = |k: usize| -> Vec3 {
            let weights = look_up(n / 2, SHARP, k as f64 / n as f64);
            weights.iter().zip(&obeyed.plan.momentum).map(|(weight, momentum)| momentum * *weight).sum()
        };
        let lacking: Vec<Vec3> = (0..n).map(|k| planned(k) - now[k]).collect();
        let rate = 0.5 * n as f64 * self.scene.frequency;
        let square = |k: usize| ((lacking[(k + 1) % n] - lacking[(k + n - 1) % n]) * rate).norm_squared();
        let mean = (0..n).map(square).sum::<f64>() / n as f64;
        let weight = obeyed.base.mass * self.scene.creature.gravity().norm();
        let moment = mean.sqrt() / (weight * obeyed.plan.mean.z);
        Lack { moment, jump: (jumps - most).max(0.0) }
    }

    /// The pose of the vibrations with its root in place, which `pin` starts from.
    pub(super) fn free(&self, data: &mut Data, cycle: f64) -> Vec<f64> {
        let scene = self.scene;
        let mut pose = (self.free)(scene, cycle);
        if let Some(carrier) = self.carrier {
            let shift = carrier.center(cycle) - center_of_mass(scene.creature, data, &pose);
            for axis in 0..3 {
                pose[scene.root_q + axis] += shift[axis];
            }
        }
        pose
    }

    /// How slowly it goes, 0 to 1.
    fn slow(&self, cycle: f64) -> f64 {
        let scene = self.scene;
        let speed = self.road.moving(cycle).speed.abs();
        scene.settings.obey.slowness(speed, scene.creature.gravity().norm(), scene.legs.length)
    }

    /// How much its height matters at each moment, beyond what it does to everybody: to who goes slowly, or leaps. Who strolls in a gait without a
    /// flight keeps it.
    fn level(&self, moments: &[Moment]) -> Vec<f64> {
        let (scene, settings) = (self.scene, &self.scene.settings.obey);
        let stands = |moment: &Moment| self.ways.iter().any(|way| way.stands(moment.cycle).is_some());
        let strolls = if self.strides == 1 && moments.iter().all(stands) {
            let speed = self.road.moving(0.0).speed.abs();
            settings.strolling(speed, scene.creature.gravity().norm(), scene.legs.length)
        } else {
            0.0
        };
        let level = |moment: &Moment| {
            if (self.leaps)(moment.cycle) {
                return settings.leap;
            }
            settings.level * self.slow(moment.cycle) + settings.steady * strolls
        };
        moments.iter().map(level).collect()
    }

    /// The pose nearest to `pose`, in the creature's ground frame, that has its feet where they shall be at `cycle`, with its centre of mass where
    /// it is and not turned as a whole: what it weighs on stays.
    pub(super) fn settled_near(&self, data: &mut Data, obeyed: &Obeyed, cycle: f64, pose: &[f64]) -> Pinned {
        let creature = self.scene.creature;
        let goals = self.scene.goals(data, cycle, pose, self.ways, self.road);
        let mut delta = vec![0.0; creature.nv()];
        let (held, _) = obeyed.held(self, cycle, delta.clone(), Vec3::zeros());
        let center = center_of_mass(creature, data, pose);
        let held = Held { center, around: delta.clone(), ..held };
        let moment = Moment { cycle, free: pose.to_vec(), goals };
        self.solved(data, &moment, Some(&held), &mut delta, pin)
    }

    /// What is asked of the pose at `cycle`.
    pub(super) fn moment(&self, data: &mut Data, cycle: f64) -> Moment {
        let free = self.free(data, cycle);
        let goals = self.scene.goals(data, cycle, &free, self.ways, self.road);
        Moment { cycle, free, goals }
    }

    /// The pose of a moment, in the creature's ground frame, as `solve` (`pin` or `reach`) finds it from the guess `delta`.
    pub(super) fn solved(
        &self,
        data: &mut Data,
        moment: &Moment,
        held: Option<&Held>,
        delta: &mut [f64],
        solve: Solver,
    ) -> Pinned {
        let scene = self.scene;
        let stride = self.road.between(0.0, moment.cycle);
        let floor = |x: f64, y: f64| {
            let place = moved(&stride, Vec3::new(x, y, 0.0));
            scene.terrain.height(place.x, place.y)
        };
        let asked = Asked {
            free: &moment.free,
            goals: &moment.goals,
            floor: &floor,
            held,
            precision: self.precision,
        };
        solve(scene, data, &asked, delta)
    }

    /// The feet that push, and where the ground pushes them at each of `n` samples.
    fn pushers(&self, n: usize) -> Vec<Pusher> {
        let mut pushers = Vec::new();
        for (sole, way) in self.scene.soles.iter().zip(self.ways) {
            for plant in way.plants.iter().filter(|plant| (0.0..1.0).contains(&plant.start)) {
                let (mut points, mut levers) = (Vec::with_capacity(n), Vec::with_capacity(n));
                for k in 0..n {
                    // This stance, or the one that began in the cycle before.
                    let cycle = k as f64 / n as f64;
                    let cycle = if cycle < plant.start { cycle + 1.0 } else { cycle };
                    let s = ((cycle - plant.start) / (plant.end - plant.start)).min(1.0);
                    let (middle, lever) = sole.pressed(s, &self.road.forward(), &self.scene.settings.obey);
                    points.push(plant.seen(self.road, cycle) + middle);
                    levers.push(lever);
                }
                let Plant { start, end, duty, load, .. } = *plant;
                pushers.push(Pusher { start, end, duty, load, shapes: self.shapes(plant), points, levers });
            }
        }
        pushers
    }

    /// As many as a stance of a gait has, for as long as such a one lasts.
    fn shapes(&self, plant: &Plant) -> usize {
        let strides = self.strides as f64 * (plant.end - plant.start);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // strides are few
        if strides > 1.0 { (SHAPES as f64 * strides).ceil() as usize } else { SHAPES }
    }

    fn measure(&self, data: &mut Data, base: &FloatingBase, poses: &[Vec<f64>]) -> Whole {
        let (creature, n) = (self.scene.creature, poses.len());
        let nv = creature.nv();
        let step = 1.0 / (self.scene.frequency * n as f64);
        let (mut rows, mut d, mut v) = (vec![0.0; 6 * nv], vec![0.0; nv], vec![0.0; nv]);
        let mut whole =
            Whole { center: Vec::new(), momentum: Vec::new(), inertia: Mat3::zeros(), short: 0.0 };
        for (k, pose) in poses.iter().enumerate() {
            // Differences of fourth order: the cycle has few harmonics.
            v.fill(0.0);
            for (offset, weight) in [(1, 8.0), (2, -1.0), (n - 1, -8.0), (n - 2, 1.0)] {
                creature.difference(pose, &poses[(k + offset) % n], &mut d);
                for (v, d) in v.iter_mut().zip(&d) {
                    *v += weight / (12.0 * step) * d;
                }
            }
            whole.center.push(momentum_matrix(creature, base, data, pose, &mut rows));
            let row = |row: usize| rows[row * nv..(row + 1) * nv].iter().zip(&v).map(|(a, b)| a * b).sum();
            let rotation = data.frames[base.body].rotation;
            let inertia = Mat3::from_fn(|i, j| rows[(3 + i) * nv + base.v + 3 + j]) * rotation.transpose();
            // The ground frame turns; what is told in it lacks that.
            let cycle = k as f64 / n as f64;
            let turned = inertia * (Vec3::z() * self.road.moving(cycle).turn);
            whole.momentum.push(Vec3::new(row(3), row(4), row(5)) + turned);
            whole.inertia += inertia / n as f64;
            for (index, way) in self.ways.iter().enumerate() {
                if let Some(plant) = way.stands(cycle) {
                    let short = self.short(data, index, plant.seen(self.road, cycle), cycle);
                    whole.short = whole.short.max(short);
                }
            }
        }
        whole
    }

    /// How much lower the hip must be, m, for a leg that stands at `place` not to be straight, with its sole as flat as it shall
    /// be: a foot on its toes is no way to reach the ground. `data` has the frames of the pose.
    fn short(&self, data: &Data, index: usize, place: Vec3, cycle: f64) -> f64 {
        let (scene, forward) = (self.scene, self.road.forward());
        let leg = &scene.legs.legs[index];
        let flat =
            scene.flat[index].iter().filter(|flat| flat.heel).map(|flat| flat.weight).fold(0.0, f64::max);
        let flat = flat * self.ways[index].flat(cycle, &scene.settings.footholds, true);
        // Over a foot on its heel the ankle is further back, and higher.
        let sole = &scene.soles[index];
        let (sine, cosine) = math::sin_cos(scene.heel_strike(index, &self.ways[index], cycle));
        let [x, y, z]: [f64; 3] = sole.ankle.into();
        let lies = Vec3::new(x * cosine - z * sine, y, x * sine + z * cosine - sole.along[0] * sine);
        let lies = place + forward * lies.x + Vec3::z().cross(&forward) * lies.y + Vec3::z() * lies.z;
        let is = leg.ankle_in_world(scene.creature, &data.frames);
        let reach = is + (lies - is) * flat - leg.hip_in_world(scene.creature, &data.frames);
        let most = scene.settings.obey.stretched * leg.straight;
        -reach.z - (most * most - reach.xy().norm_squared()).max(0.0).sqrt()
    }
}

/// The largest change of a joint's step from one pose of a cycle to the next, rad (or m). Parts at the end of a limb that are lighter than the share
/// `light` of the body do not count: toes flick as they leave the ground.
fn jumps(creature: &Creature, light: f64, root: usize, poses: &[Vec<f64>]) -> f64 {
    let bodies = creature.bodies();
    let ends = |body: usize| bodies.iter().skip(1).all(|other| other.parent != body);
    let heavy = |dof: &usize| {
        let body = creature.joints()[creature.dofs()[*dof].joint].body;
        let flicks = ends(body) && bodies[body].mass.mass < light * creature.mass();
        !(root..root + 6).contains(dof) && !flicks
    };
    let heavy: Vec<usize> = (0..creature.nv()).filter(heavy).collect();
    let n = poses.len();
    let (mut before, mut after) = (vec![0.0; creature.nv()], vec![0.0; creature.nv()]);
    let mut most: f64 = 0.0;
    for (k, pose) in poses.iter().enumerate() {
        creature.difference(pose, &poses[(k + n - 1) % n], &mut before);
        creature.difference(pose, &poses[(k + 1) % n], &mut after);
        for &dof in &heavy {
            most = most.max((before[dof] + after[dof]).abs());
        }
    }
    most
}

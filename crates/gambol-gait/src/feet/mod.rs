//! Feet on the ground: what Kry et al. 2009 left for later (section 4.2, last paragraph).
//!
//! 1. `stance` (one floor up): when each foot stands, from the modal motion.
//! 2. `bounce`: how the centre of mass rises and falls under the pushes of these stances.
//! 3. `root`: the root trajectory, plants and speed of least elastic energy.
//! 4. `target`: where each foot shall be, in stance and in swing.
//! 5. `pin`: the pose nearest to the modal one, in the elastic metric, that has all feet there.
//! 6. `round`: corrections without jumps over time.
//!
//! Everything happens in the creature's ground frame, which travels along the path and turns with it; poses are taken to
//! the world at the end.

mod bounce;
mod pin;
mod root;
mod round;
mod sole;
mod target;

use gambol_dynamics::{BodyFrame, Data, Touch, forward_kinematics, stiffness_matrix, touches};
use gambol_model::{Constraint, ConstraintKind, Creature, Quat, Role, Vec3, math};

use crate::limits::limit;
use crate::modal::ModalMotion;
use crate::path::{Path, moved};
use crate::stance::{Sign, Stance, stances};
use crate::terrain::hill;
use crate::{Body, Gait, GaitError, Leg, Legs, Support, Terrain};

use bounce::Bounce;
use pin::{Goal, Pinned, pin, reach};
use root::RootTrack;
use round::round_off;
use sole::{Local, Stand};
use target::{Jet, Plant, Swing, ease};

/// What the ground needs to know about the gait.
struct Scene<'a> {
    creature: &'a Creature,
    legs: &'a Legs,
    motion: &'a ModalMotion<'a>,
    /// Cycles per second.
    frequency: f64,
    bounce: Bounce,
    /// First coordinates of the free root.
    root_q: usize,
    root_v: usize,
    /// Per velocity coordinate: rad per N·m (or m per N).
    compliance: Vec<f64>,
    /// Mean over the joints.
    mean_compliance: f64,
    /// A frame is the nearest pose if no joint would move by more in the next step, rad.
    settled: f64,
    /// Factor of the creature's weight.
    weight: f64,
    /// Per leg: what is set down flat.
    flat: Vec<Vec<Flat>>,
    /// The head and its orientation in the rest pose, which it likes to keep.
    head: Option<(usize, Quat)>,
    /// What else of the body may come near the ground: tails, knees, hands.
    low: Vec<Touch>,
    /// Closed loops of the creature, and what the gait holds (a steady head, hands on a cart).
    constraints: Vec<Constraint>,
    terrain: &'a Terrain,
}

/// A sole, or toes, long enough to lie flat.
struct Flat {
    body: usize,
    /// How much that matters, 0 to 1: all for a plantigrade's sole, little for a paw.
    weight: f64,
    /// The sole's normal in the body: what points up in the rest pose.
    normal: Vec3,
    /// Whether it may rise before the foot leaves the ground.
    heel: bool,
}

/// A sole whose half length is above this share of the leg's length is set down flat.
const SOLE: f64 = 0.02;

/// From this share on it is a plantigrade's, which must lie flat; a person's has 0.1 and the toes besides.
const PLANTIGRADE: f64 = 0.1;

/// What is within this share of the leg's length above the lowest point stands on the ground in the rest pose.
const LEVEL: f64 = 0.03;

/// The root yields to the feet where the joints cannot follow, and is this many times as stiff as the legs.
const ROOT_STIFFNESS: f64 = 5.0;

/// Share of the stance after which the heel may rise.
const HEEL: f64 = 0.55;

/// Poses over the cycle (or over the whole way on uneven ground), with feet on the ground.
pub(crate) struct Grounded {
    /// One per sample, in the world.
    pub(crate) poses: Vec<Vec<f64>>,
    /// Modal poses with their limits, for comparison; the joints count, the root does not.
    pub(crate) modal: Vec<Vec<f64>>,
    pub(crate) stances: Vec<Stance>,
    pub(crate) path: Path,
    /// Largest distance of a foot from its target, m, with the time (cycles) and the leg.
    pub(crate) miss: f64,
}

/// Plays `gait` on its feet. `cycles` are the times of the samples, in cycles, rising. A `draft` is not smoothed over time.
pub(crate) fn ground(
    body: &Body,
    data: &mut Data,
    gait: &Gait,
    motion: &ModalMotion,
    constraints: Vec<Constraint>,
    cycles: &[f64],
    draft: bool,
) -> Result<Grounded, GaitError> {
    let mut scene = Scene::new(body, data, gait, motion, constraints)?;
    scene.settled = SETTLED[usize::from(draft)];
    let stances = scene.stances(data, gait, &body.style.injured);
    let g = body.creature.gravity().norm();
    if !rises(body, gait, scene.root_v) {
        scene.bounce = scene.bounded(Bounce::new(&stances, gait.frequency, g));
    }
    let root::Fit { track, plants, path } =
        root::fit(&scene, data, &stances, gait.ground.speed, gait.ground.turn)?;
    let ways = scene.ways(data, &stances, &plants, &track, &path, gait.ground.clearance, cycles);
    let frame = |data: &mut Data, cycle: f64, delta: &mut [f64], solve: Solver| {
        let free = scene.free_pose(cycle, &track, &ways, &path);
        let goals = scene.goals(data, cycle, &free, &ways, &path);
        let stride = path.after(cycle / gait.frequency);
        let floor = |x: f64, y: f64| {
            let place = moved(&stride, Vec3::new(x, y, 0.0));
            scene.terrain.height(place.x, place.y)
        };
        let mut pinned = solve(&scene, data, &free, &goals, &floor, delta);
        stride.apply(&body.creature, &mut pinned.pose);
        pinned
    };
    // The nearest pose of every frame, found from that of the frame before.
    let mut delta = vec![0.0; body.creature.nv()];
    let (mut deltas, mut frames): (Vec<Vec<f64>>, Vec<Pinned>) = (Vec::new(), Vec::new());
    for &cycle in cycles {
        frames.push(frame(data, cycle, &mut delta, pin));
        deltas.push(delta.clone());
    }
    let repeats = *scene.terrain == Terrain::Flat;
    if repeats && !draft {
        // The first frame had none before it. In a loop it has: where that leads elsewhere, as far as it does.
        for (k, &cycle) in cycles.iter().enumerate() {
            frames[k] = frame(data, cycle, &mut delta, pin);
            let same = deltas[k].iter().zip(&delta).all(|(a, b)| (a - b).abs() < SAME);
            deltas[k].copy_from_slice(&delta);
            if same {
                break;
            }
        }
    }
    // The nearest pose may jump from one side to another, as a foot that tips does; over a moment it is rounded, where
    // the feet can still be where they shall be.
    let mut rounded = if draft { Vec::new() } else { round_off(&deltas, cycles, repeats) };
    for ((&cycle, delta), pinned) in cycles.iter().zip(&mut rounded).zip(&mut frames) {
        let reached = frame(data, cycle, delta, reach);
        if reached.error <= pinned.error.max(EXACT * scene.legs.length) {
            *pinned = reached;
        }
    }
    for pinned in &mut frames {
        scene.unbury(data, &mut pinned.pose);
    }
    let miss = frames.iter().map(|frame| frame.error).fold(0.0, f64::max);
    let poses = frames.into_iter().map(|frame| frame.pose).collect();
    let modal = cycles.iter().map(|&cycle| motion.pose(cycle)).collect();
    Ok(Grounded { poses, modal, stances, path, miss })
}

/// `pin` or `reach`.
type Solver = fn(&Scene, &mut Data, &[f64], &[Goal], &dyn Fn(f64, f64) -> f64, &mut [f64]) -> Pinned;

/// A foot is where it shall be if it is within this share of the leg's length: five micrometres for half a metre.
const EXACT: f64 = 1e-5;

/// Feet that cannot reach may draw the body this share of the leg's length into the ground, and no further.
const BURIED: f64 = 0.15;

/// How far a swinging foot is carried on by the slope or the curvature of its gap, as a share of the leg's length: a
/// third of a step. More would throw the foot far ahead of the body.
const STRAYS: f64 = 0.25;

/// Feet are lifted by this share of the leg's length more where the ground is not level.
const ROUGH: f64 = 0.03;

/// When a frame is done, rad: so near that velocities at a thousand frames a second are smooth; of a draft, to the eye.
const SETTLED: [f64; 2] = [3e-6, 3e-4];

/// Corrections that are the same to the eye, rad or m.
const SAME: f64 = 1e-3;

/// The way of one foot over the clip: plants, and swings between them.
struct Way {
    plants: Vec<Plant>,
    swings: Vec<Swing>,
    /// Where the foot is in the rest pose relative to the root's ground frame, m.
    rest: Vec3,
}

/// What a foot does at a moment.
enum Doing<'w> {
    Stands(&'w Plant),
    Swings(&'w Swing, &'w Plant, &'w Plant),
}

impl Way {
    fn doing(&self, cycle: f64) -> Doing<'_> {
        let next = self.plants.partition_point(|plant| plant.start <= cycle);
        let plant = &self.plants[next.saturating_sub(1)];
        if cycle <= plant.end || next == 0 || next >= self.plants.len() {
            return Doing::Stands(plant);
        }
        Doing::Swings(&self.swings[next - 1], plant, &self.plants[next])
    }

    /// How flat a sole shall be, 0 to 1: flat from touchdown on; then the heel rises (toes stay until lift-off), until
    /// the middle of the swing.
    fn flatness(&self, cycle: f64, heel: bool) -> f64 {
        let share = if heel { HEEL } else { 1.0 };
        match self.doing(cycle) {
            Doing::Stands(plant) => {
                let index = self.plants.partition_point(|other| other.start <= plant.start) - 1;
                let heel = plant.start + share * (plant.end - plant.start);
                let until = self.swings.get(index).map_or(plant.end, |swing| 0.5 * (swing.start + swing.end));
                1.0 - ease((cycle - heel) / (until - heel))
            }
            Doing::Swings(swing, before, _) => {
                let s = swing.progress(cycle);
                if s > 0.5 {
                    return ease(2.0 * s - 1.0);
                }
                let heel = before.start + share * (before.end - before.start);
                1.0 - ease((cycle - heel) / (0.5 * (swing.start + swing.end) - heel))
            }
        }
    }

    /// The ground under the foot, as seen from the ground frame at `cycle`; smooth over the swing.
    fn local(&self, path: &Path, frequency: f64, cycle: f64) -> Local {
        match self.doing(cycle) {
            Doing::Stands(plant) => plant.local(path, frequency, cycle),
            Doing::Swings(swing, before, after) => {
                let s = swing.progress(cycle);
                let share = ease(s);
                let [before, after] = [before, after].map(|plant| plant.local(path, frequency, cycle));
                Local {
                    height: before.height + (after.height - before.height) * share,
                    normal: (before.normal + (after.normal - before.normal) * share).normalize(),
                    aloft: math::square(4.0 * s * (1.0 - s)),
                    ..before
                }
            }
        }
    }
}

impl<'a> Scene<'a> {
    fn new(
        body: &'a Body,
        data: &mut Data,
        gait: &'a Gait,
        motion: &'a ModalMotion<'a>,
        mut constraints: Vec<Constraint>,
    ) -> Result<Self, GaitError> {
        let creature = &body.creature;
        let cannot = |reason: &str| GaitError::DoesNotFit {
            creature: creature.name().to_owned(),
            gait: gait.name.clone(),
            reason: reason.to_owned(),
        };
        if body.legs.is_empty() {
            return Err(cannot("it has no feet to stand on"));
        }
        if body.legs.heading.up.z < 0.999 {
            return Err(cannot("gravity must point down along z"));
        }
        let root = body.free_root().map_err(|reason| cannot(&reason))?;
        // Feet that the analysis pins are the ground's business here.
        constraints.retain(|constraint| !matches!(constraint.kind, ConstraintKind::Pin { .. }));
        constraints.extend(creature.constraints().iter().cloned());
        let frames = forward_kinematics(creature, data, body.basis.mean());
        let flat = body.legs.legs.iter().map(|leg| flats(leg, frames)).collect();
        let head = creature.landmarks().iter().find(|mark| mark.role == Role::Head);
        let head = head.map(|mark| (mark.body, frames[mark.body].orientation));
        let (compliance, mean_compliance) = compliance(creature, root.v, body.legs.length);
        Ok(Self {
            creature,
            legs: &body.legs,
            motion,
            frequency: gait.frequency,
            bounce: Bounce::default(),
            root_q: root.q,
            root_v: root.v,
            compliance,
            mean_compliance,
            settled: SETTLED[0],
            weight: body.style.weight,
            flat,
            head,
            low: low(body, data, motion),
            constraints,
            terrain: &gait.ground.terrain,
        })
    }

    /// When each foot stands.
    fn stances(&self, data: &mut Data, gait: &Gait, injured: &[String]) -> Vec<Stance> {
        let sign = if gait.ground.support == Support::Crouch { Sign::Crouch } else { Sign::Sweep };
        let mut paths = vec![Vec::with_capacity(root::SAMPLES); self.legs.legs.len()];
        for k in 0..root::SAMPLES {
            let pose = self.motion.pose(k as f64 / root::SAMPLES as f64);
            let frames = forward_kinematics(self.creature, data, &pose);
            for (leg, path) in self.legs.legs.iter().zip(&mut paths) {
                let place = frames[leg.foot].point_in_world(leg.point);
                path.push(match sign {
                    Sign::Sweep => self.legs.heading.components(place),
                    // A bent leg is a short one, wherever it points and however high the body is.
                    Sign::Crouch => Vec3::z() * -(place - leg.hip_in_world(self.creature, frames)).norm(),
                });
            }
        }
        let duty = |leg: &Leg| {
            let hurt = injured.iter().any(|name| leg.name.ends_with(name.as_str()));
            let heavy = math::powf(self.weight, HEAVY);
            (gait.ground.duty * heavy * if hurt { HURT } else { 1.0 }).min(LONGEST.max(gait.ground.duty))
        };
        let of_leg = |(index, path): (usize, &Vec<Vec3>)| {
            let leg = &self.legs.legs[index];
            match gait.ground.footfalls.get(&leg.name) {
                Some(&middle) => vec![Stance::around(index, middle, duty(leg))],
                None => stances(index, path, sign, duty(leg)),
            }
        };
        paths.iter().enumerate().flat_map(of_leg).collect()
    }

    /// Of a leg of joints of mean compliance, m/N.
    fn leg_compliance(&self) -> f64 {
        self.mean_compliance * self.legs.length * self.legs.length
    }

    /// Lifts a pose, in the world, that is buried: feet that ask for so much miss.
    fn unbury(&self, data: &mut Data, pose: &mut [f64]) {
        let frames = forward_kinematics(self.creature, data, pose);
        let of_feet: Vec<usize> =
            self.legs.legs.iter().flat_map(|leg| leg.sole.iter().map(|touch| touch.body)).collect();
        let mut deepest: f64 = 0.0;
        for body in (1..frames.len()).filter(|body| !of_feet.contains(body)) {
            for touch in touches(self.creature, body, &frames[body], Vec3::z()) {
                let low = touch.lowest(&frames[body], Vec3::z()).point;
                deepest = deepest.max(self.terrain.height(low.x, low.y) - low.z);
            }
        }
        if deepest > BURIED * self.legs.length {
            pose[self.root_q + 2] += deepest;
        }
    }

    /// A bounce that the legs can follow: at most this share of their length.
    fn bounded(&self, bounce: Bounce) -> Bounce {
        let most = BOUNCE * self.legs.length;
        let range = bounce.range();
        if range > most { bounce.scaled(most / range) } else { bounce }
    }

    /// Equation 4 without limits, with the root where bounce and track have it.
    fn rooted(&self, cycle: f64, track: &RootTrack) -> Vec<f64> {
        let mut pose = self.motion.unlimited(cycle);
        let mut shift = track.at(cycle);
        shift[2] += self.bounce.height(cycle);
        self.move_root(&mut pose, &shift);
        pose
    }

    fn move_root(&self, pose: &mut [f64], tangent: &[f64; 6]) {
        for k in 0..3 {
            pose[self.root_q + k] += tangent[k];
        }
        let turn = Quat::from_scaled_axis(Vec3::new(tangent[3], tangent[4], tangent[5]));
        let quat = &mut pose[self.root_q + 3..self.root_q + 7];
        let before = nalgebra::Quaternion::new(quat[0], quat[1], quat[2], quat[3]);
        let after = before * turn.into_inner();
        quat.copy_from_slice(&[after.w, after.i, after.j, after.k]);
    }

    /// The same with limits.
    fn modal_pose(&self, cycle: f64, track: &RootTrack) -> Vec<f64> {
        let mut pose = self.rooted(cycle, track);
        limit(self.creature, &mut pose, &mut Vec::new());
        pose
    }

    /// The pose that `pin` starts from: the modal one with soft limits, which `pin` applies once more to what it adds, so
    /// that a joint far past its limit is not out of its reach. On uneven ground, the body rises and tilts with what its feet stand on.
    fn free_pose(&self, cycle: f64, track: &RootTrack, ways: &[Way], path: &Path) -> Vec<f64> {
        let mut pose = self.modal_pose(cycle, track);
        if *self.terrain != Terrain::Flat {
            self.tilt(&mut pose, cycle, ways, path);
        }
        pose
    }

    /// Lifts and tilts the root to the plane through the ground under the feet. Feet that stand close together say
    /// little about the slope: the plane is tied to level over a leg's length.
    fn tilt(&self, pose: &mut [f64], cycle: f64, ways: &[Way], path: &Path) {
        let mut matrix = nalgebra::Matrix3::zeros();
        let mut right = Vec3::zeros();
        for way in ways {
            let row = Vec3::new(1.0, way.rest.x, way.rest.y);
            matrix += row * row.transpose();
            right += row * way.local(path, self.frequency, cycle).height;
        }
        let tie = 0.25 * self.legs.length * self.legs.length * ways.len() as f64;
        matrix[(1, 1)] += tie;
        matrix[(2, 2)] += tie;
        let Some(plane) = matrix.try_inverse().map(|inverse| inverse * right) else { return };
        let normal = Vec3::new(-plane[1], -plane[2], 1.0);
        let turn = Quat::rotation_between(&Vec3::z(), &normal).unwrap_or_else(Quat::identity);
        let at = Vec3::new(pose[self.root_q], pose[self.root_q + 1], pose[self.root_q + 2]);
        let moved = turn * at + Vec3::z() * plane[0];
        pose[self.root_q..self.root_q + 3].copy_from_slice(moved.as_slice());
        let quat = &mut pose[self.root_q + 3..self.root_q + 7];
        let after = turn.into_inner() * nalgebra::Quaternion::new(quat[0], quat[1], quat[2], quat[3]);
        quat.copy_from_slice(&[after.w, after.i, after.j, after.k]);
    }

    /// Plants and swings of all feet over the clip.
    #[allow(clippy::too_many_arguments)] // each is one stage's result
    fn ways(
        &self,
        data: &mut Data,
        stances: &[Stance],
        plants: &[Vec3],
        track: &RootTrack,
        path: &Path,
        clearance: f64,
        cycles: &[f64],
    ) -> Vec<Way> {
        let (first, last) = (cycles.first().copied().unwrap_or(0.0), cycles.last().copied().unwrap_or(0.0));
        let mut ways: Vec<Way> = Vec::new();
        for (index, leg) in self.legs.legs.iter().enumerate() {
            let mut found: Vec<Plant> = Vec::new();
            let mut number = first.floor() - 2.0;
            while number <= last.ceil() + 1.0 {
                for (stance, plant) in stances.iter().zip(plants).filter(|(stance, _)| stance.leg == index) {
                    found.push(self.plant(data, stance, *plant, number, track, path));
                }
                number += 1.0;
            }
            found.sort_by(|a, b| a.start.total_cmp(&b.start));
            let swings =
                found.windows(2).map(|pair| self.swing(leg, &pair[0], &pair[1], path, clearance)).collect();
            ways.push(Way { plants: found, swings, rest: leg.hip });
        }
        // The gaps last: how the body tilts depends on the plants of all feet.
        for leg in 0..ways.len() {
            for index in 0..ways[leg].swings.len() {
                let (before, after) = (&ways[leg].plants[index], &ways[leg].plants[index + 1]);
                let from = self.jet(data, leg, before, before.end, track, path, &ways);
                let to = self.jet(data, leg, after, after.start, track, path, &ways);
                (ways[leg].swings[index].from, ways[leg].swings[index].to) = (from, to);
            }
        }
        ways
    }

    /// A stance in the cycle `number`.
    fn plant(
        &self,
        data: &mut Data,
        stance: &Stance,
        place: Vec3,
        number: f64,
        track: &RootTrack,
        path: &Path,
    ) -> Plant {
        let pose = self.modal_pose(stance.middle(), track);
        let frames = forward_kinematics(self.creature, data, &pose);
        let (start, end) = (stance.start + number, stance.end + number);
        let stride = path.after(0.5 * (start + end) / self.frequency);
        let in_world = moved(&stride, place);
        let height = self.terrain.height(in_world.x, in_world.y);
        let normal = self.terrain.normal(in_world.x, in_world.y);
        let normal = Quat::from_axis_angle(&Vec3::z_axis(), -stride.yaw) * normal;
        // Turn the sole's normal, and nothing else, to the ground's.
        let lying = |flat: &Flat| {
            let now = frames[flat.body].orientation;
            let turn = Quat::rotation_between(&(now * flat.normal), &normal).unwrap_or_else(Quat::identity);
            turn * now
        };
        let orientations = self.flat[stance.leg].iter().map(lying).collect();
        Plant { start, end, place: Vec3::new(place.x, place.y, height), normal, orientations }
    }

    /// A swing whose gaps are not yet known.
    fn swing(&self, leg: &Leg, before: &Plant, after: &Plant, path: &Path, clearance: f64) -> Swing {
        // What rises between the two plants must be stepped over.
        let world = |plant: &Plant| moved(&path.after(plant.middle() / self.frequency), plant.place);
        let hill = hill(self.terrain, world(before), world(after));
        let rough = if *self.terrain == Terrain::Flat { 0.0 } else { ROUGH };
        Swing {
            start: before.end,
            end: after.start,
            from: Jet::default(),
            to: Jet::default(),
            clearance: (clearance + rough) * leg.length + hill,
            reach: STRAYS * leg.length,
        }
    }

    /// The gap of a standing foot and its derivatives at `cycle`, by central differences.
    #[allow(clippy::too_many_arguments)] // each is one stage's result
    fn jet(
        &self,
        data: &mut Data,
        leg: usize,
        plant: &Plant,
        cycle: f64,
        track: &RootTrack,
        path: &Path,
        ways: &[Way],
    ) -> Jet {
        // Second differences lose 1e-16/h² of a metre, and err by h² times the fourth derivative: both below 1e-6.
        const H: f64 = 1e-3;
        let mut gap = |at: f64| {
            let mut pose = self.free_pose(at, track, ways, path);
            limit(self.creature, &mut pose, &mut Vec::new());
            let frames = forward_kinematics(self.creature, data, &pose);
            let ground = Local { aloft: 0.0, ..ways[leg].local(path, self.frequency, at) };
            plant.seen(path, self.frequency, at) - Stand::new(&self.legs.legs[leg], frames, &ground).place
        };
        let (a, b, c) = (gap(cycle - H), gap(cycle), gap(cycle + H));
        Jet { value: b, slope: (c - a) / (2.0 * H), curvature: (a + c - b * 2.0) / (H * H) }
    }

    /// Where all feet shall be at `cycle`. `free` is the unlimited modal pose there.
    fn goals(&self, data: &mut Data, cycle: f64, free: &[f64], ways: &[Way], path: &Path) -> Vec<Goal> {
        let mut pose = free.to_vec();
        limit(self.creature, &mut pose, &mut Vec::new());
        let frames = forward_kinematics(self.creature, data, &pose);
        let goal = |(leg, way): (usize, &Way)| {
            let mut ground = way.local(path, self.frequency, cycle);
            let (place, nearest, astray) = match way.doing(cycle) {
                Doing::Stands(plant) => (plant.seen(path, self.frequency, cycle), plant, 0.0),
                Doing::Swings(swing, before, after) => {
                    // The modal foot by its lowest point, and how much higher its planted point is.
                    let leg = &self.legs.legs[leg];
                    if *self.terrain != Terrain::Flat {
                        // On a slope feet hang otherwise than the modal motion has them: the lowest point counts.
                        ground.aloft = 0.0;
                    }
                    let modal = Stand::new(leg, frames, &Local { aloft: 0.0, ..ground }).place;
                    ground.sole = Stand::new(leg, frames, &Local { aloft: 1.0, ..ground }).place.z - modal.z;
                    let mut place = modal + swing.gap(cycle);
                    place.z = swing.clear(cycle, place.z);
                    (place, if swing.progress(cycle) < 0.5 { before } else { after }, swing.bump(cycle))
                }
            };
            let lying = nearest.lying(path, self.frequency, cycle);
            let flat = self.flat[leg].iter().zip(lying);
            let flat =
                flat.map(|(flat, lies)| (flat.body, lies, flat.weight * way.flatness(cycle, flat.heel)));
            Goal { leg, place, astray, ground, flat: flat.collect() }
        };
        ways.iter().enumerate().map(goal).collect()
    }
}

/// Stance lasts longer under a load: by a tenth for twice the weight, about what people do with heavy packs.
const HEAVY: f64 = 0.14;

/// A foot needs this share of the cycle to swing.
const LONGEST: f64 = 0.9;

/// An injured leg stands for this share of the time of a sound one.
const HURT: f64 = 0.75;

/// Largest bounce, as a share of the legs' length: a higher one would need a jump, which the legs cannot follow.
const BOUNCE: f64 = 0.4;

/// Whether the gait says itself how the body rises, by a rigid mode.
fn rises(body: &Body, gait: &Gait, root_v: usize) -> bool {
    gait.components.iter().any(|component| {
        let mode = &body.basis.directions()[component.mode];
        mode.is_rigid() && mode.shape[root_v + 2].abs() > 0.5 && component.amplitude != 0.0
    })
}

/// What besides the feet comes as near to the ground as this share of the legs' length is watched.
const WATCHED: f64 = 1.0;

/// Touches of all bodies but the feet that come near the ground somewhere in the cycle.
fn low(body: &Body, data: &mut Data, motion: &ModalMotion) -> Vec<Touch> {
    let creature = &body.creature;
    let frames = forward_kinematics(creature, data, body.basis.mean());
    let of_feet: Vec<usize> =
        body.legs.legs.iter().flat_map(|leg| leg.sole.iter().map(|touch| touch.body)).collect();
    let mut found: Vec<(Touch, bool)> = (1..creature.bodies().len())
        .filter(|index| !of_feet.contains(index))
        .flat_map(|index| touches(creature, index, &frames[index], Vec3::z()))
        .map(|touch| (touch, false))
        .collect();
    for k in 0..LOOKS {
        let frames = forward_kinematics(creature, data, &motion.pose(f64::from(k) / f64::from(LOOKS)));
        for (touch, near) in &mut found {
            let height = touch.lowest(&frames[touch.body], Vec3::z()).point.z - body.legs.ground;
            *near |= height < WATCHED * body.legs.length;
        }
    }
    found.into_iter().filter(|(_, near)| *near).map(|(touch, _)| touch).collect()
}

/// Moments of the cycle at which `low` looks.
const LOOKS: u32 = 16;

/// What of a foot lies flat in the rest pose: the foot itself, and toes that hang on it.
fn flats(leg: &Leg, frames: &[BodyFrame]) -> Vec<Flat> {
    let lowest: Vec<Vec3> =
        leg.sole.iter().map(|touch| touch.lowest(&frames[touch.body], Vec3::z()).point).collect();
    let least = lowest.iter().map(|point| point.z).fold(f64::INFINITY, f64::min);
    let mut bodies: Vec<usize> =
        leg.sole.iter().map(|touch| touch.body).filter(|&body| body >= leg.foot).collect();
    bodies.dedup();
    let mut flats = Vec::new();
    for body in bodies {
        let standing: Vec<(&Touch, &Vec3)> = leg
            .sole
            .iter()
            .zip(&lowest)
            .filter(|(touch, point)| touch.body == body && point.z < least + LEVEL * leg.length)
            .collect();
        // How far apart the points are on which it stands: what rolls on one point has nothing to lay flat.
        let half = |axis: Vec3| {
            let along = standing.iter().map(|(_, point)| point.dot(&axis));
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            0.5 * (high - low)
        };
        let size = half(Vec3::x()).max(half(Vec3::y())) / leg.length;
        if size > SOLE {
            let normal = frames[body].orientation.inverse() * Vec3::z();
            let weight = math::square((size / PLANTIGRADE).min(1.0));
            flats.push(Flat { body, weight, normal, heel: body == leg.foot });
        }
    }
    flats
}

/// 1/k of every joint coordinate; the root's is that of the legs, divided by `ROOT_STIFFNESS`.
fn compliance(creature: &Creature, root_v: usize, length: f64) -> (Vec<f64>, f64) {
    let k = stiffness_matrix(creature);
    let mut compliance: Vec<f64> = (0..creature.nv()).map(|dof| k[(dof, dof)]).collect();
    let joints: Vec<f64> = compliance.iter().copied().filter(|&k| k > 0.0).collect();
    let mean = joints.iter().map(|k| 1.0 / k).sum::<f64>() / joints.len().max(1) as f64;
    for (dof, c) in compliance.iter_mut().enumerate() {
        let root = (root_v..root_v + 6).contains(&dof);
        *c = match *c {
            // A leg of this length on joints of this compliance gives by c·length² under a force, c·length⁰ under a torque.
            _ if root && dof < root_v + 3 => mean * length * length / ROOT_STIFFNESS,
            _ if root => mean / ROOT_STIFFNESS,
            k if k > 0.0 => 1.0 / k,
            _ => mean,
        };
    }
    (compliance, mean)
}

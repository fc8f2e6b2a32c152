//! What forces a clip takes, and how much of them nothing could give.
//!
//! ```text
//! for each key:   v, a by differences on the manifold                       (track)
//!                 w = what must act from outside                            (outside_wrench)
//!                 f = forces at the standing soles, inside friction cones, that explain w best   (explain)
//!                 residual = w − what f explains
//! ```
//!
//! A motion that physics made has a residual of a few hundredths of the weight, a person's recording a tenth. Where it is more
//! than [`crate::ForceSettings::believed`], the clip cannot be believed: something would have to hold the creature up or push
//! it down.
//!
//! A foot that stands at the key before or after counts, since a blow may fall between keys. It is pushed at all points of its
//! sole that are low, heel and toe, so that its centre of pressure can move.

mod figures;
mod stances;
mod track;

pub use figures::{ForceFigures, WorstResidual};
pub use stances::{Stances, find_stances};

use gambol_dynamics::{
    Data, FloatingBase, SupportPoint, SupportSettings, Touch, Wrench, center_of_mass, each_axis_above,
    explain, forward_kinematics, outside_wrench, touches,
};
use gambol_model::{Creature, Mat3, Vec3};
use gambol_motion::{Clip, ClipError, Contact};
use serde::Serialize;

use crate::{ForceSettings, Legs, StanceSettings, Terrain};
use track::{Rates, Track, Window};

/// Why no forces can be told.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ForceError {
    /// The clip is not one of the creature.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// Nothing could push.
    #[error("it has no feet that could be pushed")]
    NoFeet,
    /// What holds it takes up any force.
    #[error("it is held by the world, or is several creatures: nothing of it must carry itself")]
    Held,
    /// There is no weight to compare with.
    #[error("there is no gravity")]
    NoGravity,
    /// No acceleration without three keys.
    #[error("it has {keys} keys, and accelerations need 3")]
    TooFewKeys {
        /// As many as there are.
        keys: usize,
    },
    /// Keys too close to each other, or numbers too large.
    #[error("its accelerations at {time} s are beyond numbers")]
    NotFinite {
        /// s
        time: f64,
    },
}

/// Forces over a clip. All lists but `feet` have one entry per key that was measured: all of a loop but the last, which is its
/// first, and all but the first and the last of another clip. Forces are in body weights, along the world axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forces {
    /// s
    pub times: Vec<f64>,
    /// From front to hind, left before right.
    pub feet: Vec<FootForces>,
    /// Length of the force that no foot could give.
    pub residual_force: Vec<f64>,
    /// Length of the moment about the centre of mass that no foot could give, body weights × height of the centre of mass.
    pub residual_moment: Vec<f64>,
    /// Where the forces of all feet act, in the world, m; `None` where nothing pushes.
    pub center_of_pressure: Vec<Option<Vec3>>,
    /// In the world, m.
    pub center_of_mass: Vec<Vec3>,
    /// Sum of what the joints do, W.
    pub power: Vec<f64>,
    /// When the clip cannot be believed: stretches of time, s.
    pub unbelieved: Vec<[f64; 2]>,
    /// Whether the stances were found here, since the clip does not say them.
    pub found_stances: bool,
    /// The same in a few numbers.
    pub figures: ForceFigures,
}

/// Forces on one foot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FootForces {
    /// Name of its landmark.
    pub name: String,
    /// Per key: force on the foot, body weights.
    pub force: Vec<Vec3>,
    /// Per key: whether it stands.
    pub stands: Vec<bool>,
    /// Largest force, body weights.
    pub peak: f64,
    /// Share of all vertical push.
    pub share: f64,
    /// Share of the time that it stands.
    pub duty: f64,
}

/// Measures the forces of `clip` on ground of the shape `ground`. The stances are those that the clip says, or else found.
pub fn forces(
    creature: &Creature,
    data: &mut Data,
    legs: &Legs,
    ground: &Terrain,
    clip: &Clip,
    (settings, stances): (&ForceSettings, &StanceSettings),
) -> Result<Forces, ForceError> {
    clip.check(creature)?;
    if legs.is_empty() && clip.contacts.is_empty() {
        return Err(ForceError::NoFeet);
    }
    let base = FloatingBase::of(creature).ok_or(ForceError::Held)?;
    if creature.gravity().norm() == 0.0 {
        return Err(ForceError::NoGravity);
    }
    let track = Track::new(creature, clip);
    let keys = measured(&track);
    if keys.is_empty() {
        return Err(ForceError::TooFewKeys { keys: clip.times.len() });
    }
    let found = clip.contacts.iter().all(|contact| contact.intervals.is_empty()) && !legs.is_empty();
    let contacts = if found {
        find_stances(creature, data, legs, clip, stances)?.contacts
    } else {
        clip.contacts.clone()
    };
    forward_kinematics(creature, data, creature.rest_pose());
    let foot = |contact: &Contact| Foot::new(creature, data, legs, &track, contact);
    let feet: Vec<Foot> =
        contacts.iter().filter(|contact| contact.body < creature.bodies().len()).map(foot).collect();
    // Of a flight without any stance there is nothing to be found, and nothing that shakes.
    let noisy = found && feet.iter().any(|foot| foot.stands.contains(&true));
    let meter = Meter { creature, base, ground, track, feet, settings, leg_length: legs.length, noisy };
    meter.measure(data, legs, keys, found)
}

/// Keys at which there is an acceleration.
fn measured(track: &Track) -> std::ops::Range<usize> {
    match (track.loops(), track.count) {
        (_, ..3) => 0..0,
        (true, count) => 0..count,
        (false, count) => 1..count - 1,
    }
}

/// What may be pushed.
struct Foot {
    name: String,
    sole: Vec<Touch>,
    /// A point of it, for its velocity.
    planted: (usize, Vec3),
    /// Per key of the track: it stands.
    stands: Vec<bool>,
}

impl Foot {
    /// `data` has the frames of the pose in which `legs` stand.
    fn new(creature: &Creature, data: &Data, legs: &Legs, track: &Track, contact: &Contact) -> Self {
        const SAME: f64 = 1e-9; // s; a stance begins or ends at the key
        let leg = legs.legs.iter().find(|leg| leg.foot == contact.body);
        // What stands besides the feet of the legs: a toe, a tail, a hand.
        let own = || {
            let point = Touch { body: contact.body, center: contact.point, ellipsoid: Mat3::zeros() };
            let found = touches(creature, contact.body, &data.frames[contact.body], legs.heading.up);
            if found.is_empty() { vec![point] } else { found }
        };
        let inside = |time: f64| contact.intervals.iter().any(|[a, b]| time > a - SAME && time < b + SAME);
        let length = track.length();
        Self {
            name: contact.name.clone(),
            sole: leg.map_or_else(own, |leg| leg.sole.clone()),
            planted: (contact.body, contact.point),
            stands: (0..track.count)
                .map(|key| {
                    let time = track.time(key, 0);
                    // The first key of a loop is its last one too.
                    inside(time) || track.loops() && key == 0 && inside(time + length)
                })
                .collect(),
        }
    }

    /// Whether it stands so many keys after `key`.
    fn stands_near(&self, track: &Track, key: usize, by: isize) -> bool {
        track.neighbour(key, by).is_some_and(|near| self.stands[near])
    }
}

/// All that does not change from key to key.
struct Meter<'m> {
    creature: &'m Creature,
    base: FloatingBase,
    ground: &'m Terrain,
    track: Track<'m>,
    feet: Vec<Foot>,
    settings: &'m ForceSettings,
    /// m
    leg_length: f64,
    /// Its keys shake, as those of a recording do.
    noisy: bool,
}

/// What is known at one key.
struct Moment {
    /// Per foot, N.
    forces: Vec<Vec3>,
    residual: Wrench,
    pressure: Option<Vec3>,
    /// Sum over joints of what each gives and takes, W.
    power: f64,
    /// The same, all counted as given.
    effort: f64,
}

impl Meter<'_> {
    fn measure(
        &self,
        data: &mut Data,
        legs: &Legs,
        keys: std::ops::Range<usize>,
        found: bool,
    ) -> Result<Forces, ForceError> {
        let heights = figures::Heights::new(self, data, legs);
        let weight = self.base.mass * self.creature.gravity().norm();
        let support = SupportSettings { friction: self.settings.friction, weight, length: heights.unit };
        let mut rates = Rates::new(self.creature);
        let mut moments = Vec::with_capacity(keys.len());
        for key in keys.clone() {
            let moment = self.moment(data, key, &support, &mut rates);
            let Moment { residual: Wrench { force, moment: turning, .. }, power, .. } = &moment;
            if !(force.norm().is_finite() && turning.norm().is_finite() && power.is_finite()) {
                return Err(ForceError::NotFinite { time: self.track.time(key, 0) });
            }
            moments.push(moment);
        }
        Ok(figures::summary(self, &heights, &support, keys, &moments, found))
    }

    /// The keys about this one that tell its velocity: one on either side, but more in flight and in a recording.
    fn window(&self, key: usize) -> Window {
        if self.noisy {
            let reach = self.track.within(key, self.settings.noise);
            return Window { keys: self.track.window(key, reach), noisy: true };
        }
        let flies = |reach: usize| {
            let [from, to] = self.track.window(key, reach);
            // One key further, since a foot may come down between the last two.
            let near = |foot: &Foot| (from - 1..=to + 1).any(|by| foot.stands_near(&self.track, key, by));
            2 * reach < self.track.count && !self.feet.iter().any(near)
        };
        let reach = (2..=self.settings.flight_reach).rev().find(|&reach| flies(reach)).unwrap_or(1);
        Window { keys: self.track.window(key, reach), noisy: false }
    }

    fn moment(&self, data: &mut Data, key: usize, support: &SupportSettings, rates: &mut Rates) -> Moment {
        let (creature, base) = (self.creature, &self.base);
        let window = self.window(key);
        self.track.rates(key, &window, rates);
        let pose = self.track.pose(key, 0);
        let (wrench, tau) = outside_wrench(creature, base, data, &pose, &rates.v, &rates.a);
        let mut tau = tau.to_vec();
        let (points, owners) = self.points(data, key, &window);
        let mut forces = vec![Vec3::zeros(); points.len()];
        let residual = explain(&wrench, &points, support, &mut forces);
        let mut moment = Moment {
            forces: vec![Vec3::zeros(); self.feet.len()],
            residual,
            pressure: pressure(&points, &forces),
            power: 0.0,
            effort: 0.0,
        };
        for ((point, force), (foot, body)) in points.iter().zip(&forces).zip(&owners) {
            moment.forces[*foot] += force;
            // τ = M a + C − Jᵀ f
            each_axis_above(creature, data, *body, |dof, angular, linear, origin| {
                tau[dof] -= force.dot(&(linear + angular.cross(&(point.point - origin))));
            });
        }
        let root = base.v..base.v + 6;
        for (_, (tau, v)) in tau.iter().zip(&rates.v).enumerate().filter(|(dof, _)| !root.contains(dof)) {
            moment.power += tau * v;
            moment.effort += (tau * v).abs();
        }
        moment
    }

    /// Where the standing feet may be pushed, with foot and body of each point. Needs the frames of the pose.
    fn points(&self, data: &Data, key: usize, window: &Window) -> (Vec<SupportPoint>, Vec<(usize, usize)>) {
        let (mut points, mut owners) = (Vec::new(), Vec::new());
        for (index, foot) in self.feet.iter().enumerate() {
            // A blow may fall between this key and the next ones that tell its velocity.
            let [from, to] = if window.noisy { window.keys } else { [-1, 1] };
            if !(from..=to).any(|by| foot.stands_near(&self.track, key, by)) {
                continue;
            }
            let lowest = |touch: &Touch| {
                let frame = &data.frames[touch.body];
                let normal = self.ground.normal(frame.position.x, frame.position.y);
                let point = touch.lowest_point(frame, normal);
                (touch.body, point, self.ground.normal(point.x, point.y))
            };
            let low: Vec<(usize, Vec3, Vec3)> = foot.sole.iter().map(lowest).collect();
            let height = |point: &Vec3| point.z - self.ground.height(point.x, point.y);
            let least = low.iter().map(|(_, point, _)| height(point)).fold(f64::INFINITY, f64::min);
            let tolerance = self.settings.sole * self.leg_length;
            let near = || low.iter().filter(|(_, point, _)| height(point) <= least + tolerance);
            let price = near().count() as f64;
            for (body, point, normal) in near() {
                points.push(SupportPoint { point: *point, normal: *normal, price });
                owners.push((index, *body));
            }
        }
        (points, owners)
    }

    fn center(&self, data: &mut Data, key: usize) -> Vec3 {
        center_of_mass(self.creature, data, &self.track.pose(key, 0))
    }
}

/// The mean of the points, by how hard each is pushed along the ground's normal.
fn pressure(points: &[SupportPoint], forces: &[Vec3]) -> Option<Vec3> {
    let mut sum = Vec3::zeros();
    let mut all = 0.0;
    for (point, force) in points.iter().zip(forces) {
        let push = force.dot(&point.normal);
        sum += point.point * push;
        all += push;
    }
    (all > 0.0).then(|| sum / all)
}

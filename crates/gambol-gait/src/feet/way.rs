//! The ways of the feet over the clip: plants, swings between them, and what that asks of every foot at a moment.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Quat, Vec3, math};

use crate::limits::limit;
use crate::path::{Path, moved};
use crate::stance::Stance;
use crate::terrain::hill;
use crate::{FootholdSettings, Leg, Terrain};

use super::pin::Goal;
use super::root::RootTrack;
use super::scene::{FeetScene, Flat};
use super::sole::Local;
use super::target::{Jet, Plant, Swing, ease};

/// The way of one foot over the clip: plants, and swings between them.
pub(super) struct Way {
    plants: Vec<Plant>,
    swings: Vec<Swing>,
    /// Where the foot is in the rest pose relative to the root's ground frame, m.
    pub(super) rest: Vec3,
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
    /// `heel` is the share of the stance after which it may rise.
    fn flatness(&self, cycle: f64, heel: Option<f64>) -> f64 {
        let share = heel.unwrap_or(1.0);
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
    pub(super) fn local(&self, path: &Path, frequency: f64, cycle: f64) -> Local {
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

impl FeetScene<'_> {
    /// Plants and swings of all feet over the clip.
    #[allow(clippy::too_many_arguments)] // each is one stage's result
    pub(super) fn ways(
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
        let FootholdSettings { rough, strays, fade, .. } = self.settings.footholds;
        let rough = if *self.terrain == Terrain::Flat { 0.0 } else { rough };
        Swing {
            start: before.end,
            end: after.start,
            from: Jet::default(),
            to: Jet::default(),
            clearance: (clearance + rough) * leg.length + hill,
            reach: strays * leg.length,
            fade,
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
            limit(self.creature, self.settings.limits.soft, &mut pose, &mut Vec::new());
            let frames = forward_kinematics(self.creature, data, &pose);
            let ground = Local { aloft: 0.0, ..ways[leg].local(path, self.frequency, at) };
            plant.seen(path, self.frequency, at) - self.stand(&self.legs.legs[leg], frames, &ground).place
        };
        let (a, b, c) = (gap(cycle - H), gap(cycle), gap(cycle + H));
        Jet { value: b, slope: (c - a) / (2.0 * H), curvature: (a + c - b * 2.0) / (H * H) }
    }

    /// Where all feet shall be at `cycle`. `free` is the unlimited modal pose there.
    pub(super) fn goals(
        &self,
        data: &mut Data,
        cycle: f64,
        free: &[f64],
        ways: &[Way],
        path: &Path,
    ) -> Vec<Goal> {
        let mut pose = free.to_vec();
        limit(self.creature, self.settings.limits.soft, &mut pose, &mut Vec::new());
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
                    let modal = self.stand(leg, frames, &Local { aloft: 0.0, ..ground }).place;
                    ground.sole = self.stand(leg, frames, &Local { aloft: 1.0, ..ground }).place.z - modal.z;
                    let mut place = modal + swing.gap(cycle);
                    place.z = swing.clear(cycle, place.z);
                    (place, if swing.progress(cycle) < 0.5 { before } else { after }, swing.bump(cycle))
                }
            };
            let lying = nearest.lying(path, self.frequency, cycle);
            let flat = self.flat[leg].iter().zip(lying);
            let flat = flat.map(|(flat, lies)| {
                let heel = flat.heel.then_some(self.settings.footholds.heel);
                (flat.body, lies, flat.weight * way.flatness(cycle, heel))
            });
            Goal { leg, place, astray, ground, flat: flat.collect() }
        };
        ways.iter().enumerate().map(goal).collect()
    }
}

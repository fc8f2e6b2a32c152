//! The ways of the feet over the clip: plants, swings between them, and what that asks of every foot at a moment.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Quat, Vec3, math};

use crate::ease::ease;
use crate::limits::limit;
use crate::path::moved;
use crate::stance::Stance;
use crate::terrain::hill;
use crate::{FootholdSettings, Leg, Terrain};

use super::pin::Goal;
use super::road::Road;
use super::root::{Fit, RootTrack};
use super::scene::{FeetScene, Flat};
use super::sole::Local;
use super::target::{Plant, Swing};

/// The way of one foot over the clip: plants, and swings between them.
pub(super) struct Way {
    pub(super) plants: Vec<Plant>,
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
    /// Draws the foot up by `height` m in the middle of a flight, which is from one moment to another, cycles.
    pub(super) fn fold(&mut self, [off, on]: [f64; 2], height: f64) {
        let flies = |swing: &&mut Swing| {
            (swing.start - off).rem_euclid(1.0).min((off - swing.start).rem_euclid(1.0)) < 1e-9
                && (swing.end - swing.start - (on - off)).abs() < 1e-9
        };
        for swing in self.swings.iter_mut().filter(flies) {
            swing.fold = height;
        }
    }

    fn doing(&self, cycle: f64) -> Doing<'_> {
        let next = self.plants.partition_point(|plant| plant.start <= cycle);
        let plant = &self.plants[next.saturating_sub(1)];
        if cycle <= plant.end || next == 0 || next >= self.plants.len() {
            return Doing::Stands(plant);
        }
        Doing::Swings(&self.swings[next - 1], plant, &self.plants[next])
    }

    /// The plant of a foot that stands.
    pub(super) fn stands(&self, cycle: f64) -> Option<&Plant> {
        match self.doing(cycle) {
            Doing::Stands(plant) => Some(plant),
            Doing::Swings(..) => None,
        }
    }

    /// How flat a sole shall be, 0 to 1: flat from touchdown on, until at the share `heel` of the stance its heel rises (toes stay
    /// until lift-off). It hangs freely when the share `hang` of the swing is over, and is level again well before it
    /// lands: toes that hang drag.
    pub(super) fn flat(&self, cycle: f64, settings: &FootholdSettings, is_heel: bool) -> f64 {
        let FootholdSettings { hang, .. } = *settings;
        let heel = if is_heel { settings.heel } else { 1.0 };
        let (before, swing) = match self.doing(cycle) {
            Doing::Stands(plant) => {
                let index = self.plants.partition_point(|other| other.start <= plant.start) - 1;
                (plant, self.swings.get(index))
            }
            Doing::Swings(swing, before, _) => (before, Some(swing)),
        };
        let rises = before.start + heel * (before.end - before.start);
        let hangs = swing.map_or(before.end, |swing| swing.start + hang * (swing.end - swing.start));
        let level = swing.map_or(0.0, |swing| ease((swing.progress(cycle) - hang) / (1.0 - 2.0 * hang)));
        level.max(1.0 - ease((cycle - rises) / (hangs - rises)))
    }

    /// How far the toes of a sole shall point up, rad: who stands for more than half of the cycle, as walkers do, sets down
    /// the heel first. The sole comes up as it gets level in the swing, and is flat when the share `struck` of the stance
    /// is over.
    pub(super) fn strike(&self, cycle: f64, settings: &FootholdSettings) -> f64 {
        let FootholdSettings { strike, struck, hang, .. } = *settings;
        let walks = |plant: &Plant| plant.end - plant.start > 0.5;
        match self.doing(cycle) {
            Doing::Stands(plant) if walks(plant) => {
                let s = (cycle - plant.start) / (plant.end - plant.start);
                strike * (1.0 - ease(s / struck))
            }
            Doing::Swings(swing, _, after) if walks(after) => {
                strike * ease((swing.progress(cycle) - hang) / (1.0 - 2.0 * hang))
            }
            _ => 0.0,
        }
    }

    /// The ground under the foot, as seen from the ground frame at `cycle`; smooth over the swing.
    pub(super) fn local(&self, road: &Road, cycle: f64) -> Local {
        match self.doing(cycle) {
            Doing::Stands(plant) => plant.local(road, cycle),
            Doing::Swings(swing, before, after) => {
                let s = swing.progress(cycle);
                let share = ease(s);
                let [before, after] = [before, after].map(|plant| plant.local(road, cycle));
                Local {
                    height: before.height + (after.height - before.height) * share,
                    normal: (before.normal + (after.normal - before.normal) * share).normalize(),
                    aloft: math::powi(4.0 * s * (1.0 - s), 4),
                    loose: 1.0 - math::powi(1.0 - 4.0 * s * (1.0 - s), 4),
                    ..before
                }
            }
        }
    }
}

impl FeetScene<'_> {
    /// Plants and swings of all feet over the clip.
    pub(super) fn ways(
        &self,
        data: &mut Data,
        stances: &[Stance],
        fit: &Fit,
        road: &Road,
        clearance: f64,
        cycles: &[f64],
    ) -> Vec<Way> {
        let Fit { track, plants, .. } = fit;
        let (first, last) = (cycles.first().copied().unwrap_or(0.0), cycles.last().copied().unwrap_or(0.0));
        let mut ways: Vec<Way> = Vec::new();
        for (index, leg) in self.legs.legs.iter().enumerate() {
            let mut found: Vec<Plant> = Vec::new();
            let mut number = first.floor() - 2.0;
            while number <= last.ceil() + 1.0 {
                for (stance, plant) in stances.iter().zip(plants).filter(|(stance, _)| stance.leg == index) {
                    found.push(self.plant(data, stance, *plant, number, stances.len(), track, road));
                }
                number += 1.0;
            }
            found.sort_by(|a, b| a.start.total_cmp(&b.start));
            ways.push(self.way(leg, found, road, clearance));
        }
        ways
    }

    /// The way of a foot that is planted so.
    pub(super) fn way(&self, leg: &Leg, plants: Vec<Plant>, road: &Road, clearance: f64) -> Way {
        let pairs = plants.windows(2);
        let swings = pairs.map(|pair| self.swing(leg, &pair[0], &pair[1], road, clearance)).collect();
        Way { plants, swings, rest: leg.hip }
    }

    /// A stance in the cycle `number`, one of so many `stances` in every cycle.
    #[allow(clippy::too_many_arguments)] // each is one stage's result
    fn plant(
        &self,
        data: &mut Data,
        stance: &Stance,
        place: Vec3,
        number: f64,
        stances: usize,
        track: &RootTrack,
        road: &Road,
    ) -> Plant {
        let pose = self.modal_pose(stance.middle(), track);
        let frames = forward_kinematics(self.creature, data, &pose);
        let (start, end) = (stance.start + number, stance.end + number);
        let stride = road.between(0.0, 0.5 * (start + end));
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
        // All stances of a cycle carry the weight, each as much.
        let (duty, load) = (end - start, 1.0 / ((end - start) * stances as f64));
        Plant { start, end, place: Vec3::new(place.x, place.y, height), normal, duty, load, orientations }
    }

    /// The swing between two plants.
    fn swing(&self, leg: &Leg, before: &Plant, after: &Plant, road: &Road, clearance: f64) -> Swing {
        // What rises between the two plants must be stepped over.
        let world = |plant: &Plant| moved(&road.between(0.0, plant.middle()), plant.place);
        let hill = hill(self.terrain, world(before), world(after));
        let FootholdSettings { rough, fade, drag, .. } = self.settings.footholds;
        let rough = if *self.terrain == Terrain::Flat { 0.0 } else { rough };
        Swing {
            start: before.end,
            end: after.start,
            clearance: (clearance + rough) * leg.length + hill,
            fold: 0.0,
            fade,
            drag,
        }
    }

    /// How far the toes of a leg shall point up, rad: of who walks on two soles over level ground.
    pub(super) fn heel_strike(&self, leg: usize, way: &Way, cycle: f64) -> f64 {
        let has_heel = self.flat[leg].iter().any(|flat| flat.heel);
        if self.legs.pairs == 1 && has_heel && *self.terrain == Terrain::Flat {
            way.strike(cycle, &self.settings.footholds)
        } else {
            0.0
        }
    }

    /// What of `way`, how far a swinging foot is from the straight line between its places on the ground, it shall not do: it may go
    /// aside by so much that it passes the others, and further the more its leg sprawls, by `stands` from its hip.
    fn straighter(&self, leg: &Leg, way: Vec3, stands: Vec3, road: &Road) -> Vec3 {
        let aside = Vec3::z().cross(&road.forward());
        let settings = &self.settings.footholds;
        let most = settings.aside * leg.length + settings.sprawls * stands.dot(&aside).abs();
        let goes = way.dot(&aside);
        let beyond = (goes.abs() - most).max(0.0);
        let left = beyond / math::hypot(1.0, beyond / (settings.aside_softness * leg.length));
        aside * (goes.signum() * (left - beyond))
    }

    /// Where all feet shall be at `cycle`. `free` is the unlimited modal pose there.
    pub(super) fn goals(
        &self,
        data: &mut Data,
        cycle: f64,
        free: &[f64],
        ways: &[Way],
        road: &Road,
    ) -> Vec<Goal> {
        let mut pose = free.to_vec();
        limit(self.creature, self.settings.limits.soft, &mut pose, &mut Vec::new());
        let frames = forward_kinematics(self.creature, data, &pose);
        let goal = |(leg, way): (usize, &Way)| {
            let mut ground = way.local(road, cycle);
            let lying = |plant: &Plant| -> Vec<Quat> { plant.lying(road, cycle).collect() };
            let (place, lies, astray) = match way.doing(cycle) {
                Doing::Stands(plant) => (plant.seen(road, cycle), lying(plant), 0.0),
                Doing::Swings(swing, before, after) => {
                    // The modal foot by its lowest point, and how much higher its planted point is.
                    let leg = &self.legs.legs[leg];
                    if *self.terrain != Terrain::Flat {
                        // On a slope feet hang otherwise than the modal motion has them: the lowest point counts.
                        ground.aloft = 0.0;
                    }
                    let modal = self.stand(leg, frames, &Local { aloft: 0.0, ..ground }).place;
                    ground.sole = self.stand(leg, frames, &Local { aloft: 1.0, ..ground }).place.z - modal.z;
                    let [leaving, landing] = swing.dragged(cycle);
                    let left = before.seen(road, leaving);
                    let lands = after.seen(road, landing);
                    let share = ease(swing.progress(cycle));
                    let mut place = swing.place(cycle, left, modal, lands);
                    place.z = swing.clear(cycle, place.z);
                    let hip = leg.hip_in_world(self.creature, frames);
                    place += self.straighter(leg, place - (left + (lands - left) * share), left - hip, road);
                    let lies =
                        lying(before).iter().zip(&lying(after)).map(|(a, b)| between(a, b, share)).collect();
                    (place, lies, swing.bump(cycle))
                }
            };
            let up = self.heel_strike(leg, way, cycle);
            let up = Quat::from_scaled_axis(Vec3::z().cross(&road.forward()) * -up);
            let flat = self.flat[leg].iter().zip(lies);
            let flat = flat.map(|(flat, lies)| {
                (flat.body, up * lies, flat.weight * way.flat(cycle, &self.settings.footholds, flat.heel))
            });
            Goal { leg, place, astray, ground, flat: flat.collect() }
        };
        ways.iter().enumerate().map(goal).collect()
    }
}

/// The share of the shortest turn from one orientation to another.
fn between(from: &Quat, to: &Quat, share: f64) -> Quat {
    from * Quat::from_scaled_axis((from.inverse() * to).scaled_axis() * share)
}

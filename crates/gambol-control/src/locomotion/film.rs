//! A stride as a clip.

use gambol_anatomy::Mirror;
use gambol_dynamics::{Data, State, Stepper, World};
use gambol_model::{Landmark, Role, Vec3};
use gambol_motion::{Clip, Contact, Travel};

use super::{Bursts, Stride};
use crate::sketch::Stage;
use crate::{Plan, simulate};

/// One cycle as a clip with about `fps` keys per second. What was simulated to judge the stride is what is seen: of legs that
/// alternate half a cycle, and after it its mirror image. The gap that is left is spread evenly over what was simulated, so that
/// it loops. A stride with a larger gap than `most_gap`, rad or m, in any coordinate of the pose would not be shown as it is:
/// it gives a whole cycle by the clock, or what there is of one, which does not loop.
pub fn cycle_clip(stage: &Stage, world: &World, stride: &Stride, fps: f64, most_gap: f64) -> Clip {
    let part = if stage.mirror.is_some() { 0.5 * stride.period } else { stride.period };
    let mut clip = simulated(stage, world, stride, fps, part);
    if !close(stage, &mut clip, part, most_gap) && stage.mirror.is_some() {
        clip = simulated(stage, world, stride, fps, stride.period);
    }
    clip.align_signs(&stage.creature);
    clip
}

/// From the start of the cycle, for `length`, s, with a key at its end unless the simulation broke off.
fn simulated(stage: &Stage, world: &World, stride: &Stride, fps: f64, length: f64) -> Clip {
    let h = world.settings().step;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // periods and rates are bounded
    let keys = (length * fps).round().max(2.0) as usize;
    let controller = Bursts::new(stage, stride, h);
    let seconds = length + h; // a whole number of steps that has the last key in it
    let start = State::new(&stride.q, &stride.v);
    let plan = Plan { fps: keys as f64 / length, keep_poses: true, ..Plan::new(&controller, start, seconds) };
    let mut clip = simulate(world, &mut Stepper::new(world), &plan, &mut |_| ()).clip;
    clip.times.truncate(keys + 1);
    clip.poses.truncate(keys + 1);
    for contact in &mut clip.contacts {
        contact.intervals.retain(|[start, _]| *start < length);
        contact.intervals.iter_mut().for_each(|interval| interval[1] = interval[1].min(length));
    }
    clip.contacts.retain(|contact| !contact.intervals.is_empty());
    clip
}

/// Makes what was simulated for `length`, s, end where its next part begins, adds the mirror image of it if legs alternate, and
/// makes it a loop; false if it is too far from one.
fn close(stage: &Stage, clip: &mut Clip, length: f64, most_gap: f64) -> bool {
    let creature = &stage.creature;
    let nv = creature.nv();
    let image = |pose: &[f64]| {
        let mut displacement = vec![0.0; nv];
        creature.difference(creature.rest_pose(), pose, &mut displacement);
        let mut image = creature.rest_pose().to_vec();
        creature.integrate(&mut image, &stage.mirrored(&displacement), 1.0);
        image
    };
    let keys = clip.poses.len() - 1;
    // The free root comes first.
    let mut end = image(&clip.poses[0]);
    let mut on = root(&clip.poses[keys]) - root(&end);
    on -= stage.axes[2] * on.dot(&stage.axes[2]);
    let go_on = |pose: &mut [f64]| (0..3).for_each(|k| pose[k] += on[k]);
    go_on(&mut end);
    let mut way = vec![0.0; nv];
    creature.difference(&clip.poses[keys], &end, &mut way);
    let broke_off = clip.duration() < (1.0 - 1e-6) * length;
    if broke_off || way.iter().any(|gap| gap.abs() > most_gap) {
        return false;
    }
    for (k, pose) in clip.poses.iter_mut().enumerate() {
        creature.integrate(pose, &way, k as f64 / keys as f64);
    }
    clip.poses[keys] = end;
    if stage.mirror.is_some() {
        for k in 1..=keys {
            let mut pose = image(&clip.poses[k]);
            go_on(&mut pose);
            clip.poses.push(pose);
            clip.times.push(length + clip.times[k]);
        }
        mirror_contacts(stage, &mut clip.contacts, length);
    }
    let last = clip.poses.len() - 1;
    let shift = root(&clip.poses[last]) - root(&clip.poses[0]);
    let (stride_length, period) = (shift.norm(), clip.duration());
    clip.stride = Some(gambol_motion::Stride { yaw: 0.0, shift });
    clip.travel =
        Some(Travel { speed: stride_length / period, stride_length, stride_frequency: period.recip() });
    true
}

fn root(pose: &[f64]) -> Vec3 {
    Vec3::new(pose[0], pose[1], pose[2])
}

/// What stands on one side stands `later` on the other.
fn mirror_contacts(stage: &Stage, contacts: &mut Vec<Contact>, later: f64) {
    let creature = &stage.creature;
    let mirror = Mirror::new(creature, &mut Data::new(creature));
    for first in contacts.clone() {
        let body = mirror.body(first.body).unwrap_or(first.body);
        let at = contacts.iter().position(|contact| contact.body == body).unwrap_or_else(|| {
            let foot = creature.landmarks().iter().find(|mark| mark.role == Role::Foot && mark.body == body);
            contacts.push(Contact {
                name: foot.map_or_else(|| creature.bodies()[body].name.clone(), Landmark::name),
                body,
                point: foot.map_or(creature.bodies()[body].mass.com, |mark| mark.point),
                intervals: Vec::new(),
            });
            contacts.len() - 1
        });
        for [start, end] in first.intervals.iter().map(|interval| interval.map(|time| time + later)) {
            match contacts[at].intervals.last_mut() {
                // It stood at the end of the first half, and goes on.
                Some(last) if last[1] >= start => last[1] = end,
                _ => contacts[at].intervals.push([start, end]),
            }
        }
    }
    contacts.sort_by_key(|contact| contact.body);
}

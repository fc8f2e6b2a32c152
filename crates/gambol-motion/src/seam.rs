//! Loops in a recording: how far two of its keys are from being one, and where to cut it.

use gambol_model::{Creature, JointKind, Quat, Vec3, math};
use nalgebra::Quaternion;

use crate::{Clip, Stride, Travel};

/// A jump of the velocities counts as much as the angle that it leads to in this time, s: about as long as an eye needs
/// to follow.
const FOLLOW: f64 = 0.1;
/// The search compares so many keys with each other first, and then those near to the best.
const COARSE: usize = 240;
/// A loop lasts at least this long, s; a step of the fastest small animal does.
const SHORTEST: f64 = 0.2;

/// How far a loop is from closing, if it goes from one key to another. All but the place on the ground and the heading
/// counts, which may differ by a stride.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seam {
    /// The two keys.
    pub keys: [usize; 2],
    /// Root mean square over all coordinates, rad; shifts of the root in parts of the creature's reach.
    pub pose: f64,
    /// The same of the velocities, rad/s.
    pub velocity: f64,
    /// The largest coordinate of the way between the two poses, rad.
    pub largest: f64,
    /// The pose and velocity gap in parts of how far the motion goes between the two keys: 0 closes, 1 is no loop.
    pub share: f64,
}

impl Clip {
    /// How the loop over all of the clip would close; none for a clip of one key.
    pub fn seam(&self, creature: &Creature) -> Option<Seam> {
        let last = self.times.len().checked_sub(1).filter(|last| *last > 0)?;
        let search = Search::new(self, creature);
        let way = (1..last).map(|key| search.pose_gap(0, key).0).fold(0.0, f64::max);
        Some(search.seam(0, last, way))
    }

    /// The loop that closes best, in parts of the motion inside it; none in a clip that is too short for any.
    pub fn best_loop(&self, creature: &Creature) -> Option<Seam> {
        let search = Search::new(self, creature);
        let count = self.times.len();
        let every = count.div_ceil(COARSE);
        let coarse: Vec<usize> = (0..count).step_by(every).collect();
        let mut best: Option<Seam> = None;
        for &from in &coarse {
            let mut way = 0.0_f64;
            for &to in coarse.iter().filter(|to| **to > from) {
                if self.times[to] - self.times[from] >= SHORTEST {
                    let seam = search.seam(from, to, way);
                    best = Some(best.filter(|best| best.share <= seam.share).unwrap_or(seam));
                }
                way = way.max(search.pose_gap(from, to).0);
            }
        }
        let Seam { keys, .. } = best?;
        let near = |key: usize| key.saturating_sub(every - 1)..(key + every).min(count);
        for from in near(keys[0]) {
            let inside = (from + 1..keys[1]).step_by(every);
            let way = inside.map(|key| search.pose_gap(from, key).0).fold(0.0, f64::max);
            for to in near(keys[1]).filter(|to| *to > from) {
                let seam = search.seam(from, to, way);
                best = best.filter(|best| best.share <= seam.share).or(Some(seam));
            }
        }
        best
    }

    /// The part between the two keys of a seam as a loop: what is left open is spread evenly over it, and the way that it
    /// goes becomes its stride.
    #[must_use]
    pub fn looped(&self, creature: &Creature, seam: &Seam) -> Self {
        let mut clip = self.part(seam.keys[0], seam.keys[1]);
        let [first, .., last] = clip.poses.as_slice() else { return clip };
        let stride = stride_between(creature, first, last);
        let mut end = first.clone();
        stride.apply(creature, &mut end);
        let mut way = vec![0.0; creature.nv()];
        creature.difference(last, &end, &mut way);
        let (length, count) = (clip.duration(), clip.poses.len());
        for (pose, time) in clip.poses.iter_mut().zip(&clip.times) {
            creature.integrate(pose, &way, time / length);
        }
        clip.poses[count - 1] = end;
        clip.stride = Some(stride);
        let stride_length = stride.shift.xy().norm();
        clip.travel =
            Some(Travel { speed: stride_length / length, stride_length, stride_frequency: length.recip() });
        clip.align_signs(creature);
        clip
    }
}

/// A clip whose keys are compared.
struct Search<'c> {
    clip: &'c Clip,
    creature: &'c Creature,
    /// First pose and first velocity coordinate of the first free joint.
    root: Option<[usize; 2]>,
    /// The longest way along the bodies from the root to an end, m: what the root's shifts are measured by.
    length: f64,
}

impl<'c> Search<'c> {
    fn new(clip: &'c Clip, creature: &'c Creature) -> Self {
        let mut reach = vec![0.0; creature.bodies().len()];
        for (index, body) in creature.bodies().iter().enumerate().filter(|(_, body)| body.parent != 0) {
            reach[index] = reach[body.parent] + body.parent_from_body.translation.vector.norm();
        }
        let length = reach.into_iter().fold(0.0, f64::max);
        Self { clip, creature, root: root(creature), length: if length > 0.0 { length } else { 1.0 } }
    }

    /// Root mean square and largest turn of the way from one key to another without its stride.
    fn pose_gap(&self, from: usize, to: usize) -> (f64, f64) {
        let [from, to] = [from, to].map(|key| &self.clip.poses[key]);
        let mut moved = from.clone();
        stride_between(self.creature, from, to).apply(self.creature, &mut moved);
        let mut way = vec![0.0; self.creature.nv()];
        self.creature.difference(&moved, to, &mut way);
        (self.size(&mut way), way.iter().map(|x| x.abs()).fold(0.0, f64::max))
    }

    /// Root mean square of a tangent vector; the root's lengths are made angles.
    fn size(&self, way: &mut [f64]) -> f64 {
        if let Some([_, v]) = self.root {
            way[v..v + 3].iter_mut().for_each(|x| *x /= self.length);
        }
        (way.iter().map(|x| x * x).sum::<f64>() / way.len().max(1) as f64).sqrt()
    }

    /// Velocity at a key, from the keys around it. Along the ground it is seen from the creature.
    fn velocity(&self, key: usize) -> Vec<f64> {
        let Clip { times, poses, .. } = self.clip;
        let (from, to) = (key.saturating_sub(1), (key + 1).min(times.len() - 1));
        let mut velocity = vec![0.0; self.creature.nv()];
        self.creature.difference(&poses[from], &poses[to], &mut velocity);
        let time = times[to] - times[from];
        for x in &mut velocity {
            *x /= time;
        }
        if let Some([q, v]) = self.root {
            let back = Quat::from_axis_angle(&Vec3::z_axis(), -heading(&poses[key][q + 3..q + 7]));
            let seen = back * Vec3::new(velocity[v], velocity[v + 1], velocity[v + 2]);
            velocity[v..v + 3].copy_from_slice(seen.as_slice());
        }
        velocity
    }

    fn seam(&self, from: usize, to: usize, way: f64) -> Seam {
        let (pose, largest) = self.pose_gap(from, to);
        let [out, into] = [from, to].map(|key| self.velocity(key));
        let mut jump: Vec<f64> = out.iter().zip(into).map(|(a, b)| a - b).collect();
        let velocity = self.size(&mut jump);
        let gap = math::hypot(pose, FOLLOW * velocity);
        // In a clip that stands still nothing opens and nothing moves.
        let share = if gap < f64::EPSILON { 0.0 } else { gap / way.max(gap) };
        Seam { keys: [from, to], pose, velocity, largest, share }
    }
}

fn root(creature: &Creature) -> Option<[usize; 2]> {
    let free = creature.joints().iter().find(|joint| joint.kind == JointKind::Free)?;
    Some([free.q, free.v])
}

/// The motion along the ground that leads the root of one pose above that of another, with the same heading.
fn stride_between(creature: &Creature, from: &[f64], to: &[f64]) -> Stride {
    let Some([q, _]) = root(creature) else { return Stride::NONE };
    let yaw = heading(&relative(&from[q + 3..q + 7], &to[q + 3..q + 7]));
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), yaw);
    let place = |pose: &[f64]| Vec3::new(pose[q], pose[q + 1], 0.0);
    Stride { yaw, shift: place(to) - turn * place(from) }
}

/// The turn in the world from one orientation to another, w x y z.
fn relative(from: &[f64], to: &[f64]) -> [f64; 4] {
    let quat = |wxyz: &[f64]| Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
    let turn = quat(to) * quat(from).conjugate();
    [turn.w, turn.i, turn.j, turn.k]
}

/// The share of a rotation that turns about the vertical, rad in −π to π: the twist of swing and twist.
fn heading(wxyz: &[f64]) -> f64 {
    let twice = 2.0 * math::atan2(wxyz[3], wxyz[0]);
    twice - std::f64::consts::TAU * (twice / std::f64::consts::TAU).round()
}

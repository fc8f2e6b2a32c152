//! How far two clips of one creature are apart.
//!
//! ```text
//! d = 100 ‖A − B‖ / ‖A − E(A)‖         distortion: positions of all joints over time, E their means
//! shell = max |a(p) − b(p)|             over all bodies, times, and points p of a body's axes, 3 cm off its origin
//! ```
//!
//! The distortion is that of Karni and Gotsman (2004), as Tournier and others (2009, section 4) take it. The shell is what ACL
//! measures: it sees turns that move no joint.

use gambol_dynamics::{BodyFrame, Data, forward_kinematics};
use gambol_model::{Creature, Vec3};

use crate::{Clip, ClipError, shell};

/// How far a clip is from another, in metres where nothing else is said.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// d, %. 0 / 0 is 0: nobody moved.
    pub distortion: f64,
    /// 100 ‖A − B‖² / ‖A − E(A)‖², %: the ratio of the squares.
    pub distortion_squared: f64,
    /// Root mean square distance of joints.
    pub rms: f64,
    /// Largest distance of a joint.
    pub max: f64,
    /// Largest error of a shell about the joints.
    pub shell_error: f64,
    /// Thickness of the shell.
    pub shell: f64,
    /// The body with the largest shell error.
    pub body: usize,
    /// When, s.
    pub time: f64,
    /// How far feet slide in each clip while they stand in the first: the mean over stances of the way of the standing point.
    pub skate: [f64; 2],
}

/// Compares `b` with `a`, at the keys of `a`.
pub fn compare(creature: &Creature, a: &Clip, b: &Clip) -> Result<Comparison, ClipError> {
    a.check(creature)?;
    b.check(creature)?;
    let (mut data, mut other) = (Data::new(creature), Data::new(creature));
    let mut sums = Sums::new(creature);
    for (&time, pose) in a.times.iter().zip(&a.poses) {
        let first = forward_kinematics(creature, &mut data, pose);
        let second = forward_kinematics(creature, &mut other, &b.pose_at(creature, time));
        sums.add(first, second, time);
    }
    let skate = [skate(creature, &mut data, a, a), skate(creature, &mut data, a, b)];
    Ok(sums.finish(skate))
}

struct Sums {
    shell: f64,
    keys: f64,
    /// Per body but the world: sum of positions and of their squares.
    bodies: Vec<(Vec3, f64)>,
    squares: f64,
    max: f64,
    worst: ShellError,
    time: f64,
}

impl Sums {
    fn new(creature: &Creature) -> Self {
        let bodies = vec![(Vec3::zeros(), 0.0); creature.bodies().len() - 1];
        let worst = ShellError { error: 0.0, body: 0 };
        Self { shell: shell(creature), keys: 0.0, bodies, squares: 0.0, max: 0.0, worst, time: 0.0 }
    }

    fn add(&mut self, a: &[BodyFrame], b: &[BodyFrame], time: f64) {
        self.keys += 1.0;
        for ((sum, squares), (a, b)) in self.bodies.iter_mut().zip(a.iter().zip(b).skip(1)) {
            *sum += a.position;
            *squares += a.position.norm_squared();
            let apart = (a.position - b.position).norm_squared();
            self.squares += apart;
            self.max = self.max.max(apart.sqrt());
        }
        let worst = shell_error(a, b, self.shell);
        if worst.error > self.worst.error {
            (self.worst, self.time) = (worst, time);
        }
    }

    fn finish(self, skate: [f64; 2]) -> Comparison {
        // Σ |a − E(a)|² = Σ |a|² − |Σ a|² / m
        let about_mean = |(sum, squares): &(Vec3, f64)| squares - sum.norm_squared() / self.keys;
        let spread: f64 = self.bodies.iter().map(about_mean).sum::<f64>().max(0.0);
        let ratio = if self.squares == 0.0 { 0.0 } else { self.squares / spread };
        let count = (self.keys * self.bodies.len() as f64).max(1.0);
        Comparison {
            distortion: 100.0 * ratio.sqrt(),
            distortion_squared: 100.0 * ratio,
            rms: (self.squares / count).sqrt(),
            max: self.max,
            shell_error: self.worst.error,
            shell: self.shell,
            body: self.worst.body,
            time: self.time,
            skate,
        }
    }
}

/// The largest error among bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ShellError {
    pub(crate) error: f64,
    pub(crate) body: usize,
}

/// The largest distance of points at `shell` along the axes of all bodies, and of their origins.
pub(crate) fn shell_error(a: &[BodyFrame], b: &[BodyFrame], shell: f64) -> ShellError {
    let mut worst = ShellError { error: 0.0, body: 0 };
    for (body, (a, b)) in a.iter().zip(b).enumerate().skip(1) {
        let apart = a.position - b.position;
        let turn =
            a.orientation.to_rotation_matrix().into_inner() - b.orientation.to_rotation_matrix().into_inner();
        let mut squared = apart.norm_squared();
        for axis in 0..3 {
            let way = turn.column(axis) * shell;
            squared = squared.max((apart + way).norm_squared()).max((apart - way).norm_squared());
        }
        if squared > worst.error {
            worst = ShellError { error: squared, body };
        }
    }
    ShellError { error: worst.error.sqrt(), ..worst }
}

/// The mean over the stances of `stances` of how far the standing point goes in `clip`.
fn skate(creature: &Creature, data: &mut Data, stances: &Clip, clip: &Clip) -> f64 {
    let (mut ways, mut count) = (0.0, 0.0_f64);
    for contact in stances.contacts.iter().filter(|contact| contact.body < creature.bodies().len()) {
        for &[start, end] in &contact.intervals {
            let times = stances.times.iter().filter(|time| (start..=end).contains(*time));
            let places: Vec<Vec3> = times
                .map(|&time| {
                    let pose = clip.pose_at(creature, time);
                    forward_kinematics(creature, data, &pose)[contact.body].point_in_world(contact.point)
                })
                .collect();
            ways += places.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum::<f64>();
            count += 1.0;
        }
    }
    ways / count.max(1.0)
}

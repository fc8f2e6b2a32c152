//! How a body lies on flat ground.
//!
//! A body at rest has its centre of mass as low as it goes. With the heights hᵢ of everything that may touch the
//! ground, seen from the centre of mass, the ground is where the lowest of them is, or smoothly
//!
//! φ(up) = ℓ log Σ exp(−hᵢ/ℓ)
//!
//! below it: a function of the tilt alone. At its least value, the shares λᵢ = exp(−hᵢ/ℓ)/Σ are the forces on the
//! touches, in parts of the weight: their moments balance. Nothing is below that ground, because no term of a sum of
//! positive terms exceeds the sum.
//!
//! Where balance is lost, a body tips over to the next place in no time. Here it takes some: the tilt follows the
//! slope of φ through a little viscosity, one implicit step per sample.

use gambol_dynamics::{BodyFrame, Lowest, Touch, touches};
use gambol_model::{Mat3, Quat, Transform, Vec3, math};
use nalgebra::{Matrix2, Vector2};

use super::scene::BellyScene;
use crate::{GaitError, LieSettings};

/// Difference of up, rad, at which a tilt is the same again.
const SAME_TILT: f64 = 1e-11;

/// Shares of the load below this do not matter.
const NO_LOAD: f64 = 1e-9;

/// What touches the ground, and how much of the weight is on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub(super) body: usize,
    /// Body frame, m.
    pub(super) point: Vec3,
    /// Share of the weight; all add up to 1.
    pub(super) load: f64,
}

/// A body lying on the ground through all its periods.
pub(super) struct Lying {
    /// Rotation of the floating frame, without what friction turns it: it never turns about the vertical by itself.
    /// One more than there are samples: the last is the first but for a turn about the vertical.
    pub(super) tilts: Vec<Quat>,
    /// Height of the centre of mass over the ground, m.
    pub(super) heights: Vec<f64>,
    pub(super) contacts: Vec<Vec<Contact>>,
    /// Height of the lowest point at the worst, m.
    pub(super) hover: f64,
    /// Depth of the lowest point at the worst, m.
    pub(super) penetration: f64,
}

/// All that may touch the ground.
pub(super) struct Rest<'s> {
    scene: &'s BellyScene<'s>,
    touches: Vec<Touch>,
    soft: f64,
    /// It pitches and does not roll: it moves in its sagittal plane, or keeps its belly down.
    pitches: bool,
}

/// φ with its slope and curvature for a turn about x and y of the world.
struct Slope {
    value: f64,
    first: Vector2<f64>,
    second: Matrix2<f64>,
}

impl<'s> Rest<'s> {
    /// `belly_down`: its muscles keep it from rolling over, however high its head is.
    pub(super) fn new(scene: &'s BellyScene, belly_down: bool) -> Result<Self, GaitError> {
        let mut all: Vec<Touch> = Vec::new();
        for body in 1..scene.creature.bodies().len() {
            add_from_all_sides(scene, body, &mut all);
        }
        if all.is_empty() {
            return Err(GaitError::Body(format!("{} has nothing to lie on", scene.creature.name())));
        }
        let pitches = scene.planar || belly_down;
        let LieSettings { supple, soft, .. } = scene.settings.lie;
        let soft = if belly_down { supple } else { soft };
        Ok(Self { scene, touches: all, soft: soft * scene.size, pitches })
    }

    /// The whole motion, from where it starts to repeat itself.
    pub(super) fn lie(&self) -> Result<Lying, GaitError> {
        let n = self.scene.samples();
        let viscosity = self.scene.settings.lie.tipping * n as f64 * self.scene.size;
        let mut tilts = vec![self.settle(0, Quat::identity(), 1e-6 * self.scene.size)];
        for _ in 0..self.scene.settings.lie.patience {
            for k in 1..=n {
                let before = tilts[tilts.len() - 1];
                tilts.push(self.settle(k % n, before, viscosity));
            }
            if let Some(periods) = self.comes_back(&tilts) {
                return Ok(self.lying(&tilts[tilts.len() - 1 - periods * n..]));
            }
        }
        Err(GaitError::Body(format!("{} does not come to a steady motion", self.scene.creature.name())))
    }

    /// After how many periods the last tilt has come back.
    fn comes_back(&self, tilts: &[Quat]) -> Option<usize> {
        let (n, last) = (self.scene.samples(), tilts.len() - 1);
        let up = |k: usize| tilts[k].inverse() * Vec3::z();
        let most = self.scene.settings.lie.most_periods.min(last / n);
        (1..=most).find(|periods| (up(last) - up(last - periods * n)).norm() < SAME_TILT)
    }

    fn lying(&self, tilts: &[Quat]) -> Lying {
        let n = self.scene.samples();
        let tilts = self.smoothed(tilts);
        let mut lying =
            Lying { tilts, heights: Vec::new(), contacts: Vec::new(), hover: 0.0, penetration: 0.0 };
        let mut needed = Vec::new();
        for k in 0..lying.tilts.len() - 1 {
            let found = self.lowest(k % n, &lying.tilts[k]);
            let heights: Vec<f64> = found.iter().map(|(_, low)| low.point.z).collect();
            needed.push(-heights.iter().copied().fold(f64::INFINITY, f64::min));
            lying.contacts.push(self.contacts(&found, &heights));
        }
        // Where load passes from one touch to another, the height needed has a kink. Rounded, it may be too low by a
        // little at times; what is missing is added, rounded as well.
        let rounded = self.scene.rounded(&needed);
        let missing: Vec<f64> =
            needed.iter().zip(&rounded).map(|(needed, rounded)| needed - rounded).collect();
        let raise = self.scene.rounded_above(&missing);
        lying.heights = rounded.iter().zip(&raise).map(|(rounded, raise)| rounded + raise).collect();
        for (height, needed) in lying.heights.iter().zip(&needed) {
            lying.hover = lying.hover.max(height - needed);
            lying.penetration = lying.penetration.max(needed - height);
        }
        lying
    }

    /// The tilts without the jerks of what hits the ground: up is rounded over time, and the rest follows without a
    /// turn about the vertical.
    fn smoothed(&self, tilts: &[Quat]) -> Vec<Quat> {
        let ups: Vec<Vec3> = tilts[..tilts.len() - 1].iter().map(|tilt| tilt.inverse() * Vec3::z()).collect();
        let ups = self.scene.rounded(&ups);
        let mut tilt = tilts[0];
        let mut smooth = Vec::with_capacity(tilts.len());
        for k in 0..tilts.len() {
            let up = tilt * ups[k % ups.len()];
            tilt = Quat::rotation_between(&up, &Vec3::z()).unwrap_or_else(Quat::identity) * tilt;
            smooth.push(tilt);
        }
        smooth
    }

    /// Height of the lowest point over the centre of mass at a sample and a rotation, m.
    pub(super) fn lowest_point(&self, sample: usize, rotation: &Quat) -> f64 {
        let found = self.lowest(sample, rotation);
        found.iter().map(|(_, low)| low.point.z).fold(f64::INFINITY, f64::min)
    }

    fn contacts(&self, found: &[(BodyFrame, Lowest)], heights: &[f64]) -> Vec<Contact> {
        let (ground, soft) = (soft_lowest(heights, self.soft), self.soft);
        let mut contacts = Vec::new();
        for ((touch, (frame, low)), height) in self.touches.iter().zip(found).zip(heights) {
            let load = math::exp((ground - height) / soft);
            if load > NO_LOAD {
                let point = frame.rotation.tr_mul(&(low.point - frame.position));
                contacts.push(Contact { body: touch.body, point, load });
            }
        }
        contacts
    }

    /// Lowest points of all touches along the world axes, seen from the centre of mass.
    fn lowest(&self, sample: usize, tilt: &Quat) -> Vec<(BodyFrame, Lowest)> {
        let frame_of = |float_from_body: &Transform| {
            let orientation = tilt * float_from_body.rotation;
            BodyFrame {
                position: tilt * float_from_body.translation.vector,
                rotation: orientation.to_rotation_matrix().into_inner(),
                orientation,
                offset: Vec3::zeros(),
            }
        };
        let frames: Vec<BodyFrame> = self.scene.frames[sample].iter().map(frame_of).collect();
        let lowest = |touch: &Touch| (frames[touch.body], touch.lowest(&frames[touch.body], Vec3::z()));
        self.touches.iter().map(lowest).collect()
    }

    fn slope(&self, sample: usize, tilt: &Quat) -> Slope {
        let found = self.lowest(sample, tilt);
        let heights: Vec<f64> = found.iter().map(|(_, low)| low.point.z).collect();
        let (ground, soft) = (soft_lowest(&heights, self.soft), self.soft);
        // A turn ω lifts a point p by ω·(p × z), and by −½|ω|² p_z more; a round piece by −½ (z×ω)ᵀ roundness (z×ω).
        let lift = |p: &Vec3| Vector2::new(p.y, -p.x);
        let (mut mean, mut square, mut curved) = (Vector2::zeros(), Matrix2::zeros(), Matrix2::zeros());
        for (_, low) in &found {
            let load = math::exp((ground - low.point.z) / soft);
            if load < NO_LOAD * NO_LOAD {
                continue;
            }
            let lifts = lift(&low.point);
            mean += lifts * load;
            square += lifts * lifts.transpose() * load;
            let r = &low.roundness;
            let round = Matrix2::new(r.m22, -r.m12, -r.m12, r.m11);
            curved += (round + Matrix2::identity() * low.point.z) * load;
        }
        Slope { value: -ground, first: -mean, second: curved + (square - mean * mean.transpose()) / soft }
    }

    /// The tilt after one implicit step of viscous tipping: the least φ + ½ viscosity · turn², from `from`.
    fn settle(&self, sample: usize, from: Quat, viscosity: f64) -> Quat {
        let (mut tilt, mut turned) = (from, Vector2::zeros());
        let mut here = self.slope(sample, &tilt);
        for _ in 0..self.scene.settings.lie.newton_steps {
            let first = here.first + turned * viscosity;
            let second = here.second + Matrix2::identity() * viscosity;
            let step = self.newton_step(&tilt, first, second);
            let length = step.norm();
            if length.is_nan() || length < 1e-14 {
                break;
            }
            // Halve until the energy falls as far as the slope promises.
            let energy = here.value + 0.5 * viscosity * turned.norm_squared();
            let mut part = 1.0;
            loop {
                let turn = turned + step * part;
                let next = turn_by(step * part) * tilt;
                let there = self.slope(sample, &next);
                let gain = energy - there.value - 0.5 * viscosity * turn.norm_squared();
                // Near the end, the gain drowns in rounding, and Newton's step needs no check.
                if gain >= -1e-4 * part * first.dot(&step) || part * length < 1e-7 {
                    (tilt, turned, here) = (next, turn, there);
                    break;
                }
                part *= 0.5;
            }
            if part * length < 1e-13 {
                break;
            }
        }
        tilt
    }

    /// −second⁻¹ first, made a descent where the curvature is negative, and not too long.
    fn newton_step(&self, tilt: &Quat, first: Vector2<f64>, second: Matrix2<f64>) -> Vector2<f64> {
        let eigen = second.symmetric_eigen();
        let floor = 1e-3 * self.scene.size;
        // Left stays level.
        let across = tilt * self.scene.left;
        let pitch = Vector2::new(across.x, across.y).normalize();
        let mut step = Vector2::zeros();
        if self.pitches {
            step = -pitch * (first.dot(&pitch) / pitch.dot(&(second * pitch)).abs().max(floor));
        } else {
            for k in 0..2 {
                let axis = eigen.eigenvectors.column(k);
                step -= axis * (axis.dot(&first) / eigen.eigenvalues[k].abs().max(floor));
            }
        }
        let length = step.norm();
        let longest = self.scene.settings.lie.longest_step;
        if length > longest { step * (longest / length) } else { step }
    }
}

/// −ℓ log Σ exp(−h/ℓ): a little below the lowest.
fn soft_lowest(heights: &[f64], soft: f64) -> f64 {
    let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let sum: f64 = heights.iter().map(|h| math::exp((lowest - h) / soft)).sum();
    lowest - soft * math::ln(sum)
}

/// A turn about a level axis.
fn turn_by(turn: Vector2<f64>) -> Quat {
    Quat::from_scaled_axis(Vec3::new(turn.x, turn.y, 0.0))
}

/// What of a body can touch the ground, whichever side is down.
fn add_from_all_sides(scene: &BellyScene, body: usize, all: &mut Vec<Touch>) {
    let frame = BodyFrame {
        position: Vec3::zeros(),
        rotation: Mat3::identity(),
        orientation: Quat::identity(),
        offset: Vec3::zeros(),
    };
    let same = |a: &Touch, b: &Touch| {
        a.body == b.body
            && (a.center - b.center).norm() < 1e-9 * scene.size
            && (a.ellipsoid - b.ellipsoid).norm() < 1e-9 * scene.size * scene.size
    };
    for axis in 0..3 {
        for up in [Vec3::ith(axis, 1.0), Vec3::ith(axis, -1.0)] {
            for touch in touches(scene.creature, body, &frame, up) {
                if !all.iter().any(|known| same(known, &touch)) {
                    all.push(touch);
                }
            }
        }
    }
}

#[cfg(test)]
impl Rest<'_> {
    /// Slope and curvature of φ against differences, in tilts around the given one.
    pub(super) fn check_differences(&self, sample: usize) {
        let step = 1e-5;
        for (x, y) in [(0.0, 0.0), (0.02, -0.03), (-0.4, 0.1)] {
            let tilt = turn_by(Vector2::new(x, y)) * self.scene.given[sample].rotation;
            let at = |turn: Vector2<f64>| self.slope(sample, &(turn_by(turn) * tilt));
            let here = at(Vector2::zeros());
            for k in 0..2 {
                let axis = Vector2::ith(k, step);
                let (up, down) = (at(axis), at(-axis));
                let first = (up.value - down.value) / (2.0 * step);
                let second = (up.first - down.first) / (2.0 * step);
                // φ curves like size²/ℓ, its next derivative like size³/ℓ²: times step², over the scale.
                let scale = self.scene.size * self.scene.size / self.soft;
                assert!((first - here.first[k]).abs() < 1e-6 * scale, "{first} for {}", here.first[k]);
                let curved = here.second.column(k).into_owned();
                assert!((second[k] - curved[k]).abs() < 1e-3 * scale, "{second} for {curved}");
            }
        }
    }

    /// The settled tilt: centre of mass over the centre of the loads, and no tilt around it is lower.
    pub(super) fn check_balance(&self, sample: usize) {
        let tilt = self.settle(sample, self.scene.given[sample].rotation, 1e-9 * self.scene.size);
        let found = self.lowest(sample, &tilt);
        let heights: Vec<f64> = found.iter().map(|(_, low)| low.point.z).collect();
        let contacts = self.contacts(&found, &heights);
        let place = |contact: &Contact| {
            tilt * (self.scene.frames[sample][contact.body] * nalgebra::Point3::from(contact.point)).coords
        };
        let centre: Vec3 = contacts.iter().map(|contact| place(contact) * contact.load).sum();
        let loads: f64 = contacts.iter().map(|contact| contact.load).sum();
        assert!((loads - 1.0).abs() < 1e-6, "the loads bear {loads} of the weight");
        let off = centre;
        assert!(off.xy().norm() < 1e-6 * self.scene.size, "{off:?}");
        let least = self.slope(sample, &tilt).value;
        for (x, y) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)] {
            assert!(self.slope(sample, &(turn_by(Vector2::new(x, y)) * tilt)).value > least);
        }
    }
}

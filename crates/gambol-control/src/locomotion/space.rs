//! What is searched for: the numbers of a stride, and where they begin.

use gambol_model::JointKind;

use crate::cma::Bounds;
use crate::sketch::{Sketch, Stage};

/// All numbers of a controller and the state it starts from (Nunes et al. 2012, section 6.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Stride {
    /// q₀
    pub q: Vec<f64>,
    /// q̇₀
    pub v: Vec<f64>,
    /// ψ_f of the permissible modes, rad.
    pub flight: Vec<f64>,
    /// ψ_g of the permissible modes, rad.
    pub ground: Vec<f64>,
    /// δ_f and δ_g, s.
    pub bursts: [f64; 2],
    /// T, s.
    pub period: f64,
    /// α
    pub flight_share: f64,
}

/// The space of strides of a sketch: which coordinate is what, where it begins and how far it may be off.
///
/// The initial state is the displacement of every coordinate from the rest pose and its velocity. Only where the creature stands
/// on the plane is left out, as nothing depends on it: the paper's 88 numbers of its runner are 86 here.
#[derive(Clone, Debug)]
pub struct Space {
    /// Where a search begins.
    pub mean: Vec<f64>,
    /// Its first standard deviations.
    pub deviation: Vec<f64>,
    /// Where each coordinate has to stay.
    pub bounds: Vec<Bounds>,
    nv: usize,
    counts: [usize; 2],
}

/// Coordinates of the root that nothing depends on: x and y.
pub(super) const PLACE: usize = 2;

/// First deviations: of angles, rad, and the height, m; of joint velocities, rad/s; of the root's velocities, m/s and rad/s; of
/// amplitudes, rad. About a third of what a run has.
const ANGLE: f64 = 0.1;
const HEIGHT: f64 = 0.03;
const RATE: f64 = 0.7;
const ROOT_RATE: f64 = 0.3;
const AMPLITUDE: f64 = 0.1;

/// Most that a mode may be driven by, rad: a spring that is asked for more than a right angle is no longer one.
const MOST_AMPLITUDE: f64 = 1.6;

/// Period and bursts stay within these factors of what the sketch says.
const PERIOD_FACTORS: [f64; 2] = [0.6, 1.6];
const BURST_FACTORS: [f64; 2] = [0.25, 2.0];

impl Space {
    /// The space of a sketch.
    pub fn new(sketch: &Sketch, stage: &Stage) -> Self {
        let nv = stage.creature.nv();
        let mut space = Self {
            mean: Vec::new(),
            deviation: Vec::new(),
            bounds: Vec::new(),
            nv,
            counts: [stage.active[0].len(), stage.active[1].len()],
        };
        for dof in PLACE..nv {
            space.push(0.0, if dof == 2 { HEIGHT } else { ANGLE }, Bounds::NONE);
        }
        let forward = stage.axes[0] * sketch.speed;
        for dof in 0..nv {
            let mean = if dof < 3 { forward[dof] } else { 0.0 };
            let joint = &stage.creature.joints()[stage.creature.dofs()[dof].joint];
            let rate = if joint.kind == JointKind::Free { ROOT_RATE } else { RATE };
            space.push(mean, rate, Bounds::NONE);
        }
        for active in stage.active.iter().flatten() {
            match active.priority {
                // The amplitude of the sketch is a lower bound.
                Some(least) => {
                    let most = (2.0 * least.abs()).max(MOST_AMPLITUDE);
                    let (a, b) = if least > 0.0 { (least, most) } else { (-most, least) };
                    space.push(1.2 * least, 0.5 * AMPLITUDE, Bounds::new(a, b));
                }
                None => space.push(0.0, AMPLITUDE, Bounds::new(-MOST_AMPLITUDE, MOST_AMPLITUDE)),
            }
        }
        for burst in sketch.bursts {
            let [least, most] = BURST_FACTORS.map(|factor| factor * burst);
            space.push(burst, 0.2 * burst, Bounds::new(least, most));
        }
        let [least, most] = PERIOD_FACTORS.map(|factor| factor * sketch.period);
        space.push(sketch.period, 0.05 * sketch.period, Bounds::new(least, most));
        space.push(sketch.flight_share, 0.05, Bounds::new(0.1, 0.9));
        space
    }

    fn push(&mut self, mean: f64, deviation: f64, bounds: Bounds) {
        self.mean.push(mean);
        self.deviation.push(deviation);
        self.bounds.push(bounds);
    }

    /// How many numbers there are.
    pub fn dimension(&self) -> usize {
        self.mean.len()
    }

    /// The stride at a place.
    pub fn stride(&self, stage: &Stage, x: &[f64]) -> Stride {
        let mut displacement = vec![0.0; self.nv];
        let (place, rest) = x.split_at(self.nv - PLACE);
        displacement[PLACE..].copy_from_slice(place);
        let mut q = stage.creature.rest_pose().to_vec();
        stage.creature.integrate(&mut q, &displacement, 1.0);
        let (v, rest) = rest.split_at(self.nv);
        let (flight, rest) = rest.split_at(self.counts[0]);
        let (ground, rest) = rest.split_at(self.counts[1]);
        Stride {
            q,
            v: v.to_vec(),
            flight: flight.to_vec(),
            ground: ground.to_vec(),
            bursts: [rest[0], rest[1]],
            period: rest[2],
            flight_share: rest[3],
        }
    }

    /// The place of a stride, but for x and y: what [`Self::stride`] makes it of. Numbers that are out of bounds, as those of a
    /// sketch that has changed since may be, are moved to their bounds. None for a stride of another creature or of other modes.
    pub fn place(&self, stage: &Stage, stride: &Stride) -> Option<Vec<f64>> {
        let creature = &stage.creature;
        let counts = [stride.flight.len(), stride.ground.len()];
        if stride.q.len() != creature.nq() || stride.v.len() != self.nv || counts != self.counts {
            return None;
        }
        let mut displacement = vec![0.0; self.nv];
        creature.difference(creature.rest_pose(), &stride.q, &mut displacement);
        let numbers =
            displacement[PLACE..].iter().chain(&stride.v).chain(&stride.flight).chain(&stride.ground);
        let numbers = numbers.chain(&stride.bursts).chain([&stride.period, &stride.flight_share]);
        Some(numbers.zip(&self.bounds).map(|(x, bounds)| x.clamp(bounds.least, bounds.most)).collect())
    }
}

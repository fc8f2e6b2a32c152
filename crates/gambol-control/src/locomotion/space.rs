//! What is searched for: the numbers of a stride, and where they begin.

use gambol_model::math;
use nalgebra::{DMatrix, DVector};

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

/// The space of strides of a sketch: which number is what, where it begins and how far it may be off.
///
/// The initial state is a displacement from the rest pose and a velocity. Only where the creature stands on the plane is left
/// out, as nothing depends on it: the paper's 88 numbers of its runner are 86 here.
#[derive(Clone, Debug)]
pub struct Space {
    /// Where a search begins.
    pub mean: Vec<f64>,
    /// Its first standard deviations.
    pub deviation: Vec<f64>,
    /// Where each coordinate has to stay.
    pub bounds: Vec<Bounds>,
    /// What a number of the initial pose, and one of the initial velocity, moves: columns.
    pose: DMatrix<f64>,
    rate: DMatrix<f64>,
    counts: [usize; 2],
}

/// Numbers of the root, and those of its place on the plane, which nothing depends on: x and y.
const ROOT: usize = 6;
pub(super) const PLACE: usize = 2;

/// First deviations of the root: angles, rad; height, m; velocities, rad/s and m/s. About a third of what a run has.
const ROOT_ANGLE: f64 = 0.1;
const HEIGHT: f64 = 0.03;
const ROOT_RATE: f64 = 0.3;

/// Of each joint in its own coordinates, rad and rad/s.
const JOINT_ANGLE: f64 = 0.1;
const JOINT_RATE: f64 = 0.7;

/// Of the softest vibration, rad and rad/s. Stiffer ones have less, with the square root of the frequency: all the same would
/// break ankles, and all of one energy would never bend a knee under a load.
const SOFT_ANGLE: f64 = 0.2;
const SOFT_RATE: f64 = 1.4;

/// Of amplitudes, rad.
const AMPLITUDE: f64 = 0.1;

/// Most that a mode may be driven by, rad: a spring that is asked for more than a right angle is no longer one.
const MOST_AMPLITUDE: f64 = 1.6;

/// Period and bursts stay within these factors of what the sketch says.
const PERIOD_FACTORS: [f64; 2] = [0.6, 1.6];
const BURST_FACTORS: [f64; 2] = [0.25, 2.0];

/// What is left of a direction beside others, in parts of it, for it to be one of its own.
const INDEPENDENT: f64 = 0.1;

/// A direction in which the creature may be off at the start: how far, and how fast.
struct Direction {
    shape: DVector<f64>,
    /// None: x or y.
    pose: Option<f64>,
    rate: f64,
}

impl Space {
    /// The space of a sketch. The initial state lies along the vibrations of the free creature, and is its own mirror image if
    /// the stride is.
    pub fn modal(sketch: &Sketch, stage: &Stage) -> Self {
        let basis = &stage.flight;
        let omega_squared = |mode| basis.omega_squared(&stage.creature, mode);
        let softest = basis.flexible().first().map_or(1.0, omega_squared);
        let along = basis.flexible().iter().map(|mode| {
            let soft = math::powf(softest / omega_squared(mode), 0.25);
            let shape = DVector::from_column_slice(&mode.shape);
            Direction { shape, pose: Some(SOFT_ANGLE * soft), rate: SOFT_RATE * soft }
        });
        let all = root(stage).chain(along).collect();
        let directions = match &stage.symmetry {
            None => all,
            Some(mirror) => symmetric(all, mirror),
        };
        Self::new(sketch, stage, &directions)
    }

    /// The space of the paper: the initial state joint by joint.
    pub fn canonical(sketch: &Sketch, stage: &Stage) -> Self {
        let nv = stage.creature.nv();
        let joints = (ROOT..nv).map(|dof| Direction {
            shape: unit(nv, dof),
            pose: Some(JOINT_ANGLE),
            rate: JOINT_RATE,
        });
        Self::new(sketch, stage, &root(stage).chain(joints).collect::<Vec<_>>())
    }

    fn new(sketch: &Sketch, stage: &Stage, directions: &[Direction]) -> Self {
        let nv = stage.creature.nv();
        let matrix = |shapes: Vec<DVector<f64>>| {
            if shapes.is_empty() { DMatrix::zeros(nv, 0) } else { DMatrix::from_columns(&shapes) }
        };
        let places = directions.iter().filter(|direction| direction.pose.is_some());
        let mut space = Self {
            mean: Vec::new(),
            deviation: Vec::new(),
            bounds: Vec::new(),
            pose: matrix(places.map(|direction| direction.shape.clone()).collect()),
            rate: matrix(directions.iter().map(|direction| direction.shape.clone()).collect()),
            counts: [stage.active[0].len(), stage.active[1].len()],
        };
        for pose in directions.iter().filter_map(|direction| direction.pose) {
            space.push(0.0, pose, Bounds::NONE);
        }
        let forward = stage.axes[0] * sketch.speed;
        for Direction { shape, rate, .. } in directions {
            // Vibrations move the root too, but do not travel.
            let bends = shape.rows(ROOT, nv - ROOT).amax() > 0.0;
            let along = if bends { 0.0 } else { shape.rows(0, 3).dot(&forward) / shape.norm_squared() };
            space.push(along, *rate, Bounds::NONE);
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
        let (pose, rest) = x.split_at(self.pose.ncols());
        let displacement = &self.pose * DVector::from_column_slice(pose);
        let mut q = stage.creature.rest_pose().to_vec();
        stage.creature.integrate(&mut q, displacement.as_slice(), 1.0);
        q[..PLACE].copy_from_slice(&stage.creature.rest_pose()[..PLACE]);
        let (v, rest) = rest.split_at(self.rate.ncols());
        let v = &self.rate * DVector::from_column_slice(v);
        let (flight, rest) = rest.split_at(self.counts[0]);
        let (ground, rest) = rest.split_at(self.counts[1]);
        Stride {
            q,
            v: v.as_slice().to_vec(),
            flight: flight.to_vec(),
            ground: ground.to_vec(),
            bursts: [rest[0], rest[1]],
            period: rest[2],
            flight_share: rest[3],
        }
    }

    /// The place of a stride: what [`Self::stride`] makes it of, but for x and y. Where the space has only strides that are their
    /// own mirror image it is that of the nearest one. Numbers that are out of bounds, as those of a sketch that has changed
    /// since may be, are moved to their bounds. None for a stride of another creature or of other modes.
    pub fn place(&self, stage: &Stage, stride: &Stride) -> Option<Vec<f64>> {
        let creature = &stage.creature;
        let nv = creature.nv();
        let counts = [stride.flight.len(), stride.ground.len()];
        if stride.q.len() != creature.nq() || stride.v.len() != nv || counts != self.counts {
            return None;
        }
        let mut displacement = DVector::zeros(nv);
        creature.difference(creature.rest_pose(), &stride.q, displacement.as_mut_slice());
        let pose =
            nearest(self.pose.rows(PLACE, nv - PLACE).into(), &displacement.rows(PLACE, nv - PLACE).into())?;
        let rate = nearest(self.rate.clone(), &DVector::from_column_slice(&stride.v))?;
        let numbers = pose.iter().chain(rate.iter()).chain(&stride.flight).chain(&stride.ground);
        let numbers = numbers.chain(&stride.bursts).chain([&stride.period, &stride.flight_share]);
        Some(numbers.zip(&self.bounds).map(|(x, bounds)| x.clamp(bounds.least, bounds.most)).collect())
    }
}

/// x with the least |A x − b|; columns of A are independent.
fn nearest(a: DMatrix<f64>, b: &DVector<f64>) -> Option<DVector<f64>> {
    let factors = a.qr();
    factors.r().solve_upper_triangular(&factors.q().tr_mul(b))
}

/// The root's coordinates.
fn root(stage: &Stage) -> impl Iterator<Item = Direction> + use<> {
    let nv = stage.creature.nv();
    (0..ROOT).map(move |dof| Direction {
        shape: unit(nv, dof),
        pose: match dof {
            0..PLACE => None,
            PLACE => Some(HEIGHT),
            _ => Some(ROOT_ANGLE),
        },
        rate: ROOT_RATE,
    })
}

fn unit(nv: usize, dof: usize) -> DVector<f64> {
    DVector::from_fn(nv, |k, _| f64::from(u8::from(k == dof)))
}

/// What of each direction is its own mirror image, if the ones before do not have it already.
fn symmetric(all: Vec<Direction>, mirror: &DMatrix<f64>) -> Vec<Direction> {
    let mut kept: Vec<Direction> = Vec::new();
    let mut basis: Vec<DVector<f64>> = Vec::new();
    for direction in all {
        let own = 0.5 * (&direction.shape + mirror * &direction.shape);
        let mut rest = own.clone();
        for known in &basis {
            rest -= known * known.dot(&rest);
        }
        if rest.norm() > INDEPENDENT * direction.shape.norm() {
            basis.push(rest.normalize());
            kept.push(Direction { shape: own, ..direction });
        }
    }
    kept
}

//! What is searched for: the numbers of a stride, and where they begin.

use gambol_model::math;
use nalgebra::{DMatrix, DVector};

use crate::cma::Bounds;
use crate::search::Number;
use crate::sketch::{Phase, Sketch, Stage};

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
    /// Where a search begins, how far off that may be, and where each number has to stay.
    pub numbers: Vec<Number>,
    /// What a number of the initial pose, and one of the initial velocity, moves: columns.
    pose: DMatrix<f64>,
    rate: DMatrix<f64>,
    counts: [usize; 2],
}

/// Numbers of the root, and those of its place on the plane, which nothing depends on: x and y.
const ROOT: usize = 6;
pub(super) const PLACE: usize = 2;

/// First deviations and bounds. Where no other origin is given, a number was found by trying, on the sketches of the gallery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpaceSettings {
    /// First deviations of the root: angles, rad. Default: 0.1, about a third of what a run has, as are the next two.
    pub root_angle: f64,
    /// Of its height, m. Default: 0.03.
    pub root_height: f64,
    /// Of its velocities, rad/s and m/s. Default: 0.3.
    pub root_rate: f64,
    /// Of each joint in its own coordinates, rad. Default: 0.1.
    pub joint_angle: f64,
    /// rad/s. Default: 0.7.
    pub joint_rate: f64,
    /// Of the softest vibration, rad. Default: 0.2. Stiffer ones have less, with the square root of the frequency: all the same
    /// would break ankles, and all of one energy would never bend a knee under a load.
    pub soft_angle: f64,
    /// rad/s. Default: 1.4.
    pub soft_rate: f64,
    /// Of amplitudes, rad; half of it where a mode has priority. Default: 0.1.
    pub amplitude: f64,
    /// Where a mode with priority begins, in parts of its least amplitude. Default: 1.2, off the bound.
    pub above_least: f64,
    /// Most that a mode may be driven by, rad. Default: 1.6; a spring that is asked for more than a right angle is no longer
    /// one.
    pub most_amplitude: f64,
    /// The period stays within these factors of what the sketch says. Default: 0.6 to 1.6.
    pub period_factors: [f64; 2],
    /// Its first deviation in parts of it. Default: 0.05.
    pub period: f64,
    /// Bursts stay within these factors of what the sketch says. Default: ¼ to 2.
    pub burst_factors: [f64; 2],
    /// Their first deviation in parts of them. Default: 0.2.
    pub burst: f64,
    /// The share of flight stays within these. Default: 0.1 to 0.9: there are always both phases.
    pub flight_share_range: [f64; 2],
    /// Its first deviation. Default: 0.05.
    pub flight_share: f64,
    /// What is left of a direction beside others, in parts of it, for it to be one of its own. Default: 0.1.
    pub independent: f64,
}

impl Default for SpaceSettings {
    fn default() -> Self {
        Self {
            root_angle: 0.1,
            root_height: 0.03,
            root_rate: 0.3,
            joint_angle: 0.1,
            joint_rate: 0.7,
            soft_angle: 0.2,
            soft_rate: 1.4,
            amplitude: 0.1,
            above_least: 1.2,
            most_amplitude: 1.6,
            period_factors: [0.6, 1.6],
            period: 0.05,
            burst_factors: [0.25, 2.0],
            burst: 0.2,
            flight_share_range: [0.1, 0.9],
            flight_share: 0.05,
            independent: 0.1,
        }
    }
}

/// A direction in which the creature may be off at the start: how far, and how fast.
struct Direction {
    name: String,
    shape: DVector<f64>,
    /// None: x or y.
    pose: Option<f64>,
    rate: f64,
}

impl Space {
    /// The space of a sketch. The initial state lies along the vibrations of the free creature, and is its own mirror image if
    /// the stride is.
    pub fn modal(sketch: &Sketch, stage: &Stage) -> Self {
        Self::modal_with(sketch, stage, &SpaceSettings::default())
    }

    pub(super) fn modal_with(sketch: &Sketch, stage: &Stage, settings: &SpaceSettings) -> Self {
        let basis = &stage.flight;
        let omega_squared = |mode| basis.omega_squared(&stage.creature, mode);
        let softest = basis.flexible().first().map_or(1.0, omega_squared);
        let along = basis.flexible().iter().map(|mode| {
            let soft = math::powf(softest / omega_squared(mode), 0.25);
            let shape = DVector::from_column_slice(&mode.shape);
            Direction {
                name: format!("flight mode {}", mode.index),
                shape,
                pose: Some(settings.soft_angle * soft),
                rate: settings.soft_rate * soft,
            }
        });
        let all = root(stage, settings).chain(along).collect();
        let directions = match &stage.symmetry {
            None => all,
            Some(mirror) => symmetric(all, mirror, settings.independent),
        };
        Self::new(sketch, stage, &directions, settings)
    }

    /// The space of the paper: the initial state joint by joint.
    pub fn canonical(sketch: &Sketch, stage: &Stage) -> Self {
        Self::canonical_with(sketch, stage, &SpaceSettings::default())
    }

    pub(super) fn canonical_with(sketch: &Sketch, stage: &Stage, settings: &SpaceSettings) -> Self {
        let nv = stage.creature.nv();
        let joints = (ROOT..nv).map(|dof| Direction {
            name: stage.creature.joints()[stage.creature.dofs()[dof].joint].name.clone(),
            shape: unit(nv, dof),
            pose: Some(settings.joint_angle),
            rate: settings.joint_rate,
        });
        let all: Vec<Direction> = root(stage, settings).chain(joints).collect();
        Self::new(sketch, stage, &all, settings)
    }

    fn new(sketch: &Sketch, stage: &Stage, directions: &[Direction], settings: &SpaceSettings) -> Self {
        let nv = stage.creature.nv();
        let matrix = |shapes: Vec<DVector<f64>>| {
            if shapes.is_empty() { DMatrix::zeros(nv, 0) } else { DMatrix::from_columns(&shapes) }
        };
        let places = directions.iter().filter(|direction| direction.pose.is_some());
        let mut space = Self {
            numbers: Vec::new(),
            pose: matrix(places.map(|direction| direction.shape.clone()).collect()),
            rate: matrix(directions.iter().map(|direction| direction.shape.clone()).collect()),
            counts: [stage.active[0].len(), stage.active[1].len()],
        };
        for Direction { name, pose, .. } in directions {
            if let Some(deviation) = *pose {
                space.push(format!("pose, {name}"), 0.0, deviation, Bounds::NONE);
            }
        }
        let forward = stage.axes[0] * sketch.speed;
        for Direction { name, shape, rate, .. } in directions {
            // Vibrations move the root too, but do not travel.
            let bends = shape.rows(ROOT, nv - ROOT).amax() > 0.0;
            let along = if bends { 0.0 } else { shape.rows(0, 3).dot(&forward) / shape.norm_squared() };
            space.push(format!("velocity, {name}"), along, *rate, Bounds::NONE);
        }
        let phases = Phase::BOTH.iter().zip(&stage.active);
        for (phase, active) in phases.flat_map(|(phase, all)| all.iter().map(move |active| (phase, active))) {
            let name = format!("amplitude, {} mode {}", phase.name(), active.mode);
            if let Some(least) = active.priority {
                // The amplitude of the sketch is a lower bound.
                let most = (2.0 * least.abs()).max(settings.most_amplitude);
                let (a, b) = if least > 0.0 { (least, most) } else { (-most, least) };
                let (mean, spread) = (settings.above_least * least, 0.5 * settings.amplitude);
                space.push(name, mean, spread, Bounds::new(a, b));
            } else {
                let bounds = Bounds::new(-settings.most_amplitude, settings.most_amplitude);
                space.push(name, 0.0, settings.amplitude, bounds);
            }
        }
        for (phase, burst) in Phase::BOTH.iter().zip(sketch.bursts) {
            let [least, most] = settings.burst_factors.map(|factor| factor * burst);
            let name = format!("burst, {}", phase.name());
            space.push(name, burst, settings.burst * burst, Bounds::new(least, most));
        }
        let [least, most] = settings.period_factors.map(|factor| factor * sketch.period);
        space.push(
            "period".to_owned(),
            sketch.period,
            settings.period * sketch.period,
            Bounds::new(least, most),
        );
        let [first, last] = settings.flight_share_range;
        space.push(
            "flight share".to_owned(),
            sketch.flight_share,
            settings.flight_share,
            Bounds::new(first, last),
        );
        space
    }

    fn push(&mut self, name: String, mean: f64, deviation: f64, bounds: Bounds) {
        self.numbers.push(Number { name, mean, deviation, bounds });
    }

    /// How many numbers there are.
    pub fn dimension(&self) -> usize {
        self.numbers.len()
    }

    /// Where a search begins.
    pub fn mean(&self) -> Vec<f64> {
        self.numbers.iter().map(|number| number.mean).collect()
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
        let within = |(x, number): (&f64, &Number)| x.clamp(number.bounds.least, number.bounds.most);
        Some(numbers.zip(&self.numbers).map(within).collect())
    }
}

/// x with the least |A x − b|; columns of A are independent.
fn nearest(a: DMatrix<f64>, b: &DVector<f64>) -> Option<DVector<f64>> {
    let factors = a.qr();
    factors.r().solve_upper_triangular(&factors.q().tr_mul(b))
}

/// The root's coordinates.
fn root(stage: &Stage, settings: &SpaceSettings) -> impl Iterator<Item = Direction> + use<> {
    let nv = stage.creature.nv();
    let SpaceSettings { root_angle, root_height, root_rate, .. } = *settings;
    (0..ROOT).map(move |dof| Direction {
        name: format!("root {}", ["x", "y", "z", "about x", "about y", "about z"][dof]),
        shape: unit(nv, dof),
        pose: match dof {
            0..PLACE => None,
            PLACE => Some(root_height),
            _ => Some(root_angle),
        },
        rate: root_rate,
    })
}

fn unit(nv: usize, dof: usize) -> DVector<f64> {
    DVector::from_fn(nv, |k, _| f64::from(u8::from(k == dof)))
}

/// What of each direction is its own mirror image, if the ones before do not have it already.
fn symmetric(all: Vec<Direction>, mirror: &DMatrix<f64>, independent: f64) -> Vec<Direction> {
    let mut kept: Vec<Direction> = Vec::new();
    let mut basis: Vec<DVector<f64>> = Vec::new();
    for direction in all {
        let own = 0.5 * (&direction.shape + mirror * &direction.shape);
        let mut rest = own.clone();
        for known in &basis {
            rest -= known * known.dot(&rest);
        }
        if rest.norm() > independent * direction.shape.norm() {
            basis.push(rest.normalize());
            kept.push(Direction { shape: own, ..direction });
        }
    }
    kept
}

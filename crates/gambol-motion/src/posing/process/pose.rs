//! The likeliest pose of a process that brings handles where they are pulled (Wu and others 2011, "Synthesizing poses with constraints").
//!
//! ```text
//! L(x, y) = |y − f(x)|²/2σ²(x) + ½ D ln σ²(x) + ½ |x|²
//! E = L + 10 Σ |h(y) − t|² + 200 |root|² + ½ |y − y_before|²
//! ```
//!
//! Their lengths have no unit in the paper; those of CMU's files are units of 56 mm.

use gambol_dynamics::{Data, Goal, Turn, each_axis_above, forward_kinematics};
use gambol_model::{Creature, JointKind, Vec3};
use nalgebra::DVector;

use super::lbfgs::descend;
use super::{PoseProcess, ProcessSettings};
use crate::basis::lay_over;
use crate::basis::metric::posture_dofs;
use crate::posing::{Posed, RootMotion, free_root};

pub(super) fn pose(
    process: &PoseProcess,
    creature: &Creature,
    data: &mut Data,
    at: &[f64],
    goals: &[Goal],
    root: RootMotion,
) -> Posed {
    let (frame, rooted) = nearest(process, creature, data, at, goals, root);
    let mut search = Search::new(process, creature, goals, rooted, frame, root);
    let mut z = search.start(frame);
    descend(&mut z, process.settings.pose_rounds, |z| search.energy(data, z));
    let pose = search.pose(&z);
    let frames = forward_kinematics(creature, data, &pose);
    let miss = |goal: &Goal| (goal.target - frames[goal.point.body].point_in_world(goal.point.point)).norm();
    Posed { miss: goals.iter().map(miss).fold(0.0, f64::max), pose }
}

/// The frame whose handles are nearest to their targets, and the mean pose with its root where the search begins.
fn nearest(
    process: &PoseProcess,
    creature: &Creature,
    data: &mut Data,
    at: &[f64],
    goals: &[Goal],
    root: RootMotion,
) -> (usize, Vec<f64>) {
    let (mut best, mut rooted) = ((f64::INFINITY, 0), process.mean.clone());
    for (index, frame) in process.frames.poses().iter().enumerate() {
        let mut pose = frame.clone();
        if let Some(joint) = free_root(creature) {
            pose[joint.q..joint.q + 7].copy_from_slice(&at[joint.q..joint.q + 7]);
            if root == RootMotion::Free {
                lay_over(creature, data, &mut pose, goals);
            }
        }
        let frames = forward_kinematics(creature, data, &pose);
        let apart = |goal: &Goal| {
            (goal.target - frames[goal.point.body].point_in_world(goal.point.point)).norm_squared()
        };
        let far: f64 = goals.iter().map(apart).sum();
        if far < best.0 {
            best = (far, index);
            if let Some(joint) = free_root(creature) {
                rooted[joint.q..joint.q + 7].copy_from_slice(&pose[joint.q..joint.q + 7]);
            }
        }
    }
    (best.1, rooted)
}

/// x, y and the way of a free root, one after the other.
struct Search<'p> {
    process: &'p PoseProcess,
    creature: &'p Creature,
    goals: &'p [Goal],
    /// The mean with its root where it begins.
    rooted: Vec<f64>,
    /// y of the pose before: where it begins.
    before: Vec<f64>,
    dofs: Vec<usize>,
    /// Coordinates of a root that goes along.
    root: Vec<usize>,
    tangent: Vec<f64>,
    slope: Vec<f64>,
}

impl<'p> Search<'p> {
    fn new(
        process: &'p PoseProcess,
        creature: &'p Creature,
        goals: &'p [Goal],
        rooted: Vec<f64>,
        frame: usize,
        root: RootMotion,
    ) -> Self {
        let free = free_root(creature).filter(|_| root == RootMotion::Free);
        Self {
            process,
            creature,
            goals,
            rooted,
            before: process.y_of(frame),
            dofs: posture_dofs(creature),
            root: free.map_or(Vec::new(), |joint| (joint.v..joint.v + 6).collect()),
            tangent: vec![0.0; creature.nv()],
            slope: vec![0.0; creature.nv()],
        }
    }

    fn start(&self, frame: usize) -> Vec<f64> {
        let x = self.process.hidden.x.column(frame);
        x.iter().chain(&self.before).copied().chain(self.root.iter().map(|_| 0.0)).collect()
    }

    fn set_tangent(&mut self, z: &[f64]) {
        let latent = self.process.hidden.x.nrows();
        for (&dof, y) in self.dofs.iter().zip(&z[latent..]) {
            self.tangent[dof] = *y;
        }
        for (&dof, way) in self.root.iter().zip(&z[latent + self.dofs.len()..]) {
            self.tangent[dof] = *way;
        }
    }

    fn pose(&mut self, z: &[f64]) -> Vec<f64> {
        self.set_tangent(z);
        let mut pose = self.rooted.clone();
        self.creature.integrate(&mut pose, &self.tangent, 1.0);
        pose
    }

    /// E and its slopes.
    fn energy(&mut self, data: &mut Data, z: &[f64]) -> (f64, Vec<f64>) {
        let ProcessSettings { handle_weight, root_weight, smooth_weight, unit, .. } = self.process.settings;
        let latent = self.process.hidden.x.nrows();
        let (x, rest) = z.split_at(latent);
        let (y, way) = rest.split_at(self.dofs.len());
        let (mut energy, mut slopes) = self.process.unlikely(x, y);
        for (slope, (y, before)) in slopes[latent..].iter_mut().zip(y.iter().zip(&self.before)) {
            energy += 0.5 * smooth_weight * (y - before) * (y - before);
            *slope += smooth_weight * (y - before);
        }
        // Turns count in rad, ways in units.
        let scale = |k: usize| if k < 3 { 1.0 / unit } else { 1.0 };
        for (k, way) in way.iter().enumerate() {
            let way = scale(k) * way;
            energy += root_weight * way * way;
            slopes.push(2.0 * root_weight * way * scale(k));
        }
        let pose = self.pose(z);
        forward_kinematics(self.creature, data, &pose);
        self.slope.fill(0.0);
        for goal in self.goals {
            let there = data.frames[goal.point.body].point_in_world(goal.point.point);
            let apart = (there - goal.target) / unit;
            energy += handle_weight * apart.norm_squared();
            let pull = apart * (2.0 * handle_weight / unit);
            each_axis_above(self.creature, data, goal.point.body, |dof, angular, linear, origin| {
                self.slope[dof] += (linear + angular.cross(&(there - origin))).dot(&pull);
            });
        }
        self.straighten();
        let moved = self.dofs.iter().chain(&self.root);
        slopes[latent..].iter_mut().zip(moved).for_each(|(slope, dof)| *slope += self.slope[*dof]);
        (energy, slopes)
    }

    /// From slopes along velocities to those along the logarithms of joints.
    fn straighten(&mut self) {
        for joint in self.creature.joints() {
            let first = match joint.kind {
                JointKind::Free => joint.v + 3,
                JointKind::Ball => joint.v,
                JointKind::Hinge | JointKind::Slide => continue,
            };
            let turn = Turn::new(Vec3::from_column_slice(&self.tangent[first..first + 3]));
            let slope = turn.transposed(Vec3::from_column_slice(&self.slope[first..first + 3]));
            self.slope[first..first + 3].copy_from_slice(slope.as_slice());
        }
    }
}

impl PoseProcess {
    /// L and its slopes, along x and then along y.
    fn unlikely(&self, x: &[f64], y: &[f64]) -> (f64, Vec<f64>) {
        let outputs = y.len() as f64;
        let point = DVector::from_column_slice(x);
        let known = &self.predictor;
        let k = known.kernel.from(&point, &known.centres);
        let mean = known.weights.tr_mul(&k);
        let r = &known.known * &k;
        let floor = known.kernel.noise;
        let spread = (known.kernel.own() - k.dot(&r)).max(0.0) + floor;
        let apart = DVector::from_fn(y.len(), |d, _| y[d] - self.centre[d] - mean[d]);
        let far = apart.norm_squared();
        let energy =
            0.5 * far / spread + 0.5 * outputs * gambol_model::math::ln(spread) + 0.5 * point.norm_squared();
        let by_spread = 0.5 * (outputs - far / spread) / spread;
        // dk = −γ (k − ν) (x − c)
        let by_k = (&known.weights * &apart) * (-1.0 / spread) - r * (2.0 * by_spread);
        let mut slopes: Vec<f64> = x.to_vec();
        for (j, centre) in known.centres.column_iter().enumerate() {
            let pull = -by_k[j] * known.kernel.gamma * (k[j] - known.kernel.nu);
            slopes
                .iter_mut()
                .zip(x.iter().zip(centre.iter()))
                .for_each(|(slope, (x, c))| *slope += pull * (x - c));
        }
        slopes.extend(apart.iter().map(|x| x / spread));
        (energy, slopes)
    }

    /// The logarithms of a frame's joints.
    fn y_of(&self, frame: usize) -> Vec<f64> {
        self.y.row(frame).iter().zip(&self.centre).map(|(y, centre)| y + centre).collect()
    }
}

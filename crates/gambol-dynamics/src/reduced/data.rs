//! One thread's memory for a reduced body, and what only its place decides: frames, Jacobian, mass matrix.

use crate::kinematics::{body_inertias, forward_kinematics};
use crate::spatial::RigidInertia;
use crate::{Data, Force, Motion, Turn, Vec3};

use super::{PLACE, ROOT, ReducedBody};

/// Scratch memory and results of one reduced body on one thread.
#[derive(Clone, Debug)]
pub struct ReducedData {
    /// Of the creature; its frames and axes are those of the last place.
    pub full: Data,
    /// The pose of the last place, `nq` numbers.
    pub q: Vec<f64>,
    /// Rotations and lengths from the mean, `nv` numbers.
    pub(super) tangent: Vec<f64>,
    /// Of each ball, in the order of joints.
    pub(super) turns: Vec<Turn>,
    /// Velocity of the creature's joints per unit of ẋ: `nv` rows of k numbers.
    pub(super) chart: Vec<f64>,
    /// Per body and direction: its motion per unit of ẋ, k in a row.
    pub(super) columns: Vec<Motion>,
    /// M by rows.
    pub(super) mass: Vec<f64>,
    /// Per velocity coordinate of the creature: velocity, ...
    pub(super) velocity: Vec<f64>,
    /// ... the rate of the rotation vector, ...
    pub(super) rate: Vec<f64>,
    /// ... and the motion that carries its axis.
    pub(super) carriers: Vec<Motion>,
    /// Per body: momentum and weight of it and of all that hangs on it.
    pub(super) momenta: Vec<Force>,
    pub(super) weights: Vec<Force>,
    /// Per velocity coordinate of the creature.
    pub(super) pulled: Vec<f64>,
    /// Per direction.
    pub(super) hanging: Vec<Force>,
    /// n numbers each.
    pub(super) out: Vec<f64>,
    pub(super) step: Vec<f64>,
    pub(super) net: Vec<f64>,
    /// n × n
    pub(super) matrix: Vec<f64>,
}

impl ReducedData {
    /// Memory for a body.
    pub fn new(body: &ReducedBody) -> Self {
        let creature = body.creature();
        let (nv, bodies, k, n) = (creature.nv(), creature.bodies().len(), body.directions(), body.n());
        Self {
            full: Data::new(creature),
            q: creature.reference_pose().to_vec(),
            tangent: vec![0.0; nv],
            turns: vec![Turn::new(Vec3::zeros()); body.balls().count()],
            chart: vec![0.0; nv * k],
            columns: vec![Motion::ZERO; bodies * k],
            mass: vec![0.0; n * n],
            velocity: vec![0.0; nv],
            rate: vec![0.0; nv],
            carriers: vec![Motion::ZERO; nv],
            momenta: vec![Force::default(); bodies],
            weights: vec![Force::default(); bodies],
            pulled: vec![0.0; nv],
            hanging: vec![Force::default(); k],
            out: vec![0.0; n],
            step: vec![0.0; n],
            net: vec![0.0; n],
            matrix: vec![0.0; n * n],
        }
    }

    /// Puts the body at `g`: frames, Jacobian and mass matrix. Returns M, n × n.
    pub fn place(&mut self, body: &ReducedBody, g: &[f64]) -> &[f64] {
        assert_eq!(g.len(), PLACE + body.directions(), "the place has the wrong length");
        body.pose(g, &mut self.tangent, &mut self.q);
        forward_kinematics(body.creature(), &mut self.full, &self.q);
        body_inertias(body.creature(), &mut self.full);
        self.differentiate_chart(body);
        self.differentiate_bodies(body);
        self.gather_mass(body);
        &self.mass
    }

    /// M of the last place, n × n.
    pub fn mass(&self) -> &[f64] {
        &self.mass
    }

    /// Velocities of the creature's joints along each direction: balls turn by D φ where they are turned by θ.
    fn differentiate_chart(&mut self, body: &ReducedBody) {
        let k = body.directions();
        self.chart.copy_from_slice(&body.shapes);
        for (turn, v) in self.turns.iter_mut().zip(body.balls()) {
            *turn = Turn::new(Vec3::from_column_slice(&self.tangent[v..v + 3]));
            for i in 0..k {
                let [x, y, z] = [v * k + i, (v + 1) * k + i, (v + 2) * k + i];
                let velocity = turn.velocity(Vec3::new(self.chart[x], self.chart[y], self.chart[z]));
                (self.chart[x], self.chart[y], self.chart[z]) = (velocity.x, velocity.y, velocity.z);
            }
        }
    }

    /// Motions of all bodies along each direction, parents first.
    fn differentiate_bodies(&mut self, body: &ReducedBody) {
        let k = body.directions();
        for (index, own) in body.creature().bodies().iter().enumerate().skip(1) {
            let offset = self.full.frames[index].offset;
            let (before, here) = self.columns.split_at_mut(index * k);
            let parent = &before[own.parent * k..(own.parent + 1) * k];
            for (column, parent) in here[..k].iter_mut().zip(parent) {
                *column = parent.shifted(offset);
            }
            for dof in own.dofs.clone() {
                let (axis, chart) = (self.full.axes[dof], &self.chart[dof * k..(dof + 1) * k]);
                for (column, by) in here[..k].iter_mut().zip(chart) {
                    *column += axis * *by;
                }
            }
        }
    }

    /// M = Jᵀ M̂ J, with the armature of joints. The root's part is the whole body's inertia about it.
    fn gather_mass(&mut self, body: &ReducedBody) {
        let (k, n, base) = (body.directions(), body.n(), body.base());
        let origin = self.full.frames[base.body].position;
        self.mass.fill(0.0);
        self.hanging.fill(Force::default());
        let mut whole = RigidInertia::default();
        for index in 1..body.creature().bodies().len() {
            let inertia = self.full.inertias[index];
            let arm = self.full.frames[index].position - origin;
            whole += inertia.shifted(arm);
            let columns = &self.columns[index * k..(index + 1) * k];
            for (i, column) in columns.iter().enumerate() {
                let momentum = inertia.apply(*column);
                self.hanging[i] += momentum.shifted(arm);
                let first = (ROOT + i) * n + ROOT;
                let row = &mut self.mass[first..=first + i];
                for (entry, other) in row.iter_mut().zip(columns) {
                    *entry += other.dot(&momentum);
                }
            }
        }
        for r in 0..ROOT {
            let axis = self.full.axes[base.v + r];
            let momentum = whole.apply(axis);
            for s in 0..=r {
                self.mass[r * n + s] = self.full.axes[base.v + s].dot(&momentum);
            }
            for i in 0..k {
                self.mass[(ROOT + i) * n + r] = axis.dot(&self.hanging[i]);
            }
        }
        self.add_armature(body);
        for r in 0..n {
            for s in 0..r {
                self.mass[s * n + r] = self.mass[r * n + s];
            }
        }
    }

    fn add_armature(&mut self, body: &ReducedBody) {
        let (k, n, base) = (body.directions(), body.n(), body.base());
        for (dof, about) in body.creature().dofs().iter().enumerate().filter(|(_, dof)| dof.armature > 0.0) {
            if base.dofs().contains(&dof) {
                self.mass[(dof - base.v) * (n + 1)] += about.armature;
            }
            let chart = &self.chart[dof * k..(dof + 1) * k];
            for i in 0..k {
                for j in 0..=i {
                    self.mass[(ROOT + i) * n + ROOT + j] += about.armature * chart[i] * chart[j];
                }
            }
        }
    }

    /// Motion per unit of velocity of a point of the world that is fixed to `body_index`: calls `write(coordinate, angular,
    /// linear)` for all n, along the world axes.
    pub fn point_motion(
        &self,
        body: &ReducedBody,
        body_index: usize,
        at: Vec3,
        mut write: impl FnMut(usize, Vec3, Vec3),
    ) {
        let (k, base) = (body.directions(), body.base());
        if body_index == 0 {
            return;
        }
        let root_arm = at - self.full.frames[base.body].position;
        for r in 0..ROOT {
            let moved = self.full.axes[base.v + r].shifted(root_arm);
            write(r, moved.angular, moved.linear);
        }
        let arm = at - self.full.frames[body_index].position;
        for (i, column) in self.columns[body_index * k..(body_index + 1) * k].iter().enumerate() {
            let moved = column.shifted(arm);
            write(ROOT + i, moved.angular, moved.linear);
        }
    }

    /// The momentum matrix: rows 0–2 linear momentum, 3–5 angular momentum about the centre of mass, per unit of each of the n
    /// velocity coordinates; six rows of n numbers. Returns the centre of mass, m.
    pub fn momentum_rows(&self, body: &ReducedBody, rows: &mut [f64]) -> Vec3 {
        let (k, n, base) = (body.directions(), body.n(), body.base());
        assert_eq!(rows.len(), 6 * n, "the momentum matrix has six rows");
        let origin = self.full.frames[base.body].position;
        let mut whole = RigidInertia::default();
        for index in 1..body.creature().bodies().len() {
            whole += self.full.inertias[index].shifted(self.full.frames[index].position - origin);
        }
        let arm = whole.first / base.mass;
        for column in 0..ROOT + k {
            let momentum = match column.checked_sub(ROOT) {
                None => whole.apply(self.full.axes[base.v + column]),
                Some(i) => self.hanging[i],
            };
            let about_center = momentum.shifted(-arm);
            for r in 0..3 {
                rows[r * n + column] = about_center.force[r];
                rows[(3 + r) * n + column] = about_center.moment[r];
            }
        }
        origin + arm
    }
}

//! Forces at the contacts, and the torques that go with them.

use gambol_dynamics::{Sense, each_axis_above};
use gambol_model::Vec3;

use super::{MOST_GIVEN, MOST_POINTS, NEAR_LIMIT, Pushed, ROOT, ROUNDS, Whole, WholeMemory, dot};
use crate::legged::dense;
use crate::solve::SolveStatus;

impl Whole {
    /// Contacts of feet that are to push.
    pub(super) fn find_points(&self, sense: &Sense, memory: &mut WholeMemory) {
        memory.points.clear();
        let near = self.pilot.settings.touch * self.pilot.units.length;
        let friction = sense.world().settings().friction * self.settings.grip;
        for contact in sense.contacts().iter().filter(|contact| contact.bodies[1] == 0 && contact.gap < near)
        {
            let of_foot = |(leg, plan): (&crate::legged::LegMemory, &crate::legged::FootPlan)| {
                leg.state.pushes() && plan.bodies.contains(&contact.bodies[0])
            };
            let pushes = memory.pilot.legs.iter().zip(&self.pilot.reference.feet).any(of_foot);
            if pushes && memory.points.len() < MOST_POINTS {
                let normal = contact.normal;
                let other = if normal.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
                let first = (other - normal * normal.dot(&other)).normalize();
                let axes = [normal, first, normal.cross(&first)];
                memory.points.push(Pushed { body: contact.bodies[0], point: contact.point, axes, friction });
            }
        }
    }

    /// Forces, accelerations and torques. A joint that would need more than it has is *bounded*: its torque becomes an unknown of the
    /// program, as forces are, with its limits as rows, and all is solved anew, a few times at most. Those that were bounded in the last
    /// step are from the start.
    pub(super) fn solve(&self, sense: &Sense, memory: &mut WholeMemory) {
        memory.solver.solves += 1;
        let root = self.root();
        memory
            .given
            .retain(|dof| !root.contains(dof) && memory.tau[*dof].abs() >= NEAR_LIMIT * self.limits[*dof]);
        memory.given.splice(0..0, root);
        if !memory.h.factor() {
            memory.solver.failures += 1;
            memory.tau.fill(0.0);
            return;
        }
        memory.h.solve(&mut memory.best);
        let mut first = 0;
        for _ in 0..ROUNDS {
            if !Self::reduce(sense, memory, first) {
                memory.solver.failures += 1;
                break;
            }
            first = memory.given.len();
            self.find_forces(sense, memory);
            Self::accelerate(sense, memory);
            if !self.find_limited(memory) {
                break;
            }
        }
    }

    /// Rows of M for the coordinates whose forces are given, from the `first` new one on; X, W and w*, and what forces at the contacts do.
    fn reduce(sense: &Sense, memory: &mut WholeMemory, first: usize) -> bool {
        let nv = memory.a.len();
        for k in first..memory.given.len() {
            let dof = memory.given[k];
            let row = &mut memory.rows[k * nv..(k + 1) * nv];
            memory.way.fill(0.0);
            memory.way[dof] = 1.0;
            memory.mass.multiply(&memory.way, row);
            let x = &mut memory.x[k * nv..(k + 1) * nv];
            x.copy_from_slice(row);
            memory.h.solve(x);
        }
        let count = memory.given.len();
        for (k, dof) in memory.given.iter().enumerate() {
            let row = &memory.rows[k * nv..(k + 1) * nv];
            memory.wanted[k] = dot(row, &memory.best) + sense.bias_forces()[*dof];
            for l in 0..count {
                memory.w[l * count + k] = dot(row, &memory.x[l * nv..(l + 1) * nv]);
            }
        }
        memory.reach.fill(0.0);
        for (p, point) in memory.points.iter().enumerate() {
            let (given, reach) = (&memory.given, &mut memory.reach);
            each_axis_above(sense.creature(), sense.data(), point.body, |dof, angular, linear, origin| {
                if let Some(k) = given.iter().position(|own| *own == dof) {
                    let moves = linear + angular.cross(&(point.point - origin));
                    for (side, axis) in point.axes.iter().enumerate() {
                        reach[(3 * p + side) * count + k] = moves.dot(axis);
                    }
                }
            });
        }
        let forces = 3 * memory.points.len();
        for k in ROOT..count {
            memory.reach[(forces + k - ROOT) * count + k] = 1.0;
        }
        dense::factor(&mut memory.w[..count * count], count)
    }

    /// The program in the forces and the torques of bounded joints.
    fn find_forces(&self, sense: &Sense, memory: &mut WholeMemory) {
        let (rows, forces) = (memory.given.len(), 3 * memory.points.len());
        let count = forces + rows - ROOT;
        if count == 0 {
            return;
        }
        let price = self.settings.force_price * self.settings.center_weight / self.pilot.reference.base.mass;
        let mass = self.pilot.reference.base.mass;
        let pull = self.settings.center_weight / mass;
        let pilot = &memory.pilot;
        let wanted = pilot.acceleration + pilot.push;
        let lift = (wanted - sense.creature().gravity()) * mass;
        let (program, points) = (&mut memory.program, &memory.points);
        let axis = |i: usize| points[i / 3].axes[i % 3];
        program.begin(count);
        for i in 0..count {
            let pulled = &mut memory.pulled[..rows];
            pulled.copy_from_slice(&memory.reach[i * rows..(i + 1) * rows]);
            dense::solve(&memory.w[..rows * rows], pulled);
            program.gradient_mut()[i] = -dot(pulled, &memory.wanted);
            for j in i..count {
                let entry = dot(pulled, &memory.reach[j * rows..(j + 1) * rows]);
                let along = if j < forces { pull * axis(i).dot(&axis(j)) } else { 0.0 };
                let own = if i == j && i < forces { price } else { 0.0 };
                program.hessian_mut()[i * count + j] = entry + along + own;
            }
            if i < forces {
                program.gradient_mut()[i] -= pull * axis(i).dot(&lift);
            }
        }
        for (k, point) in memory.points.iter().enumerate() {
            program.at_least(0.0)[3 * k] = 1.0;
            for (side, sign) in [(1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
                let row = program.at_least(0.0);
                row[3 * k] = point.friction;
                row[3 * k + side] = sign;
            }
        }
        for (k, dof) in memory.given[ROOT..].iter().enumerate() {
            program.at_least(-self.limits[*dof])[forces + k] = 1.0;
            program.at_most(self.limits[*dof])[forces + k] = 1.0;
        }
        let status = program.solve();
        memory.solver.iterations += program.steps();
        if status == SolveStatus::Optimal {
            memory.forces[..count].copy_from_slice(program.x());
        } else {
            memory.solver.failures += 1;
            program.forget();
        }
    }

    /// a = a* + X W (G f − w*), and τ = M a + C − Jᵀ f.
    fn accelerate(sense: &Sense, memory: &mut WholeMemory) {
        let (rows, nv) = (memory.given.len(), memory.a.len());
        let short = &mut memory.pulled[..rows];
        for (short, wanted) in short.iter_mut().zip(&memory.wanted) {
            *short = -wanted;
        }
        for (i, force) in memory.forces.iter().take(3 * memory.points.len() + rows - ROOT).enumerate() {
            for (short, reach) in short.iter_mut().zip(&memory.reach[i * rows..]) {
                *short += reach * force;
            }
        }
        dense::solve(&memory.w[..rows * rows], short);
        memory.a.copy_from_slice(&memory.best);
        for (k, change) in short.iter().enumerate() {
            for (a, x) in memory.a.iter_mut().zip(&memory.x[k * nv..]) {
                *a += x * change;
            }
        }
        memory.mass.multiply(&memory.a, &mut memory.tau);
        for (tau, bias) in memory.tau.iter_mut().zip(sense.bias_forces()) {
            *tau += bias;
        }
        for (point, force) in memory.points.iter().zip(memory.forces.chunks_exact(3)) {
            let force = point.axes[0] * force[0] + point.axes[1] * force[1] + point.axes[2] * force[2];
            let tau = &mut memory.tau;
            each_axis_above(sense.creature(), sense.data(), point.body, |dof, angular, linear, origin| {
                tau[dof] -= force.dot(&(linear + angular.cross(&(point.point - origin))));
            });
        }
    }

    /// Joints that would need more than they have: they are bounded from now on. Whether there are new ones.
    fn find_limited(&self, memory: &mut WholeMemory) -> bool {
        let before = memory.given.len();
        for (dof, tau) in memory.tau.iter().enumerate() {
            let limit = self.limits[dof];
            let known = memory.given.contains(&dof);
            if tau.abs() > limit * (1.0 + 1e-9) && !known && memory.given.len() < MOST_GIVEN {
                memory.given.push(dof);
            }
        }
        memory.given.len() > before
    }
}

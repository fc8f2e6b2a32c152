//! A pose to begin in: a few directions do not have the very pose in which a creature stands, but one near it with level feet.

use gambol_anatomy::Leg;
use gambol_dynamics::reduced::{PLACE, ROOT, solve_dense};
use gambol_model::Vec3;

use super::step::{ReducedMemory, ReducedWorld};

/// Rounds of Gauss–Newton; ten are usual.
const ROUNDS: usize = 100;

/// Weight of the pose that is wished, against a metre or a radian of a foot: enough to choose among poses that stand.
const POSE: f64 = 1e-4;

/// Largest step of a coordinate, rad or m, so that far poses do not overshoot.
const STRIDE: f64 = 0.2;

/// Brings the coordinates `g` near to where they are to a pose that stands: all feet level and on the ground, the centre of mass over
/// their middle. `ups` are the directions of each foot that point up where it is level, in the body. What is left is the largest
/// height of a foot, m.
pub fn stand(
    world: &ReducedWorld,
    memory: &mut ReducedMemory,
    legs: &[Leg],
    ups: &[Vec3],
    g: &mut [f64],
) -> f64 {
    let n = world.body.n();
    let wished = g.to_vec();
    let mut left = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut place =
            gambol_dynamics::reduced::ReducedState::new(&world.body, &mut memory.data, g, &vec![0.0; n]);
        world.look(memory, &place);
        let mut normal = Normal { n, h: vec![0.0; n * n], b: vec![0.0; n] };
        left = 0.0;
        let mut middle = Vec3::zeros();
        for (leg, up_in_foot) in legs.iter().zip(ups) {
            let frame = &memory.data.full.frames[leg.foot];
            let point = frame.point_in_world(leg.point);
            middle += point / legs.len() as f64;
            let ground =
                |at: Vec3| world.settings.ground.as_ref().map_or(0.0, |ground| ground.height(at.x, at.y));
            let soles = leg
                .sole
                .iter()
                .map(|touch| touch.lowest(&memory.data.full.frames[touch.body], Vec3::z()).point);
            let lowest =
                soles.min_by(|a, b| (a.z - ground(*a)).total_cmp(&(b.z - ground(*b)))).unwrap_or(point);
            let gap = lowest.z - ground(lowest);
            left = f64::max(left, gap.abs());
            let mut row = vec![0.0; n];
            memory.data.point_motion(&world.body, leg.foot, lowest, |k, _, linear| row[k] = linear.z);
            normal.add(&row, -gap, 1.0);
            let up =
                world.settings.ground.as_ref().map_or_else(Vec3::z, |ground| ground.normal(point.x, point.y));
            let turn = (frame.rotation * up_in_foot).cross(&up);
            for axis in 0..3 {
                memory
                    .data
                    .point_motion(&world.body, leg.foot, point, |k, angular, _| row[k] = angular[axis]);
                let along = if up[axis].abs() > 0.9 { 0.0 } else { 1.0 };
                normal.add(&row, turn[axis], along * 0.3);
            }
        }
        for axis in 0..2 {
            let mass = world.body.base().mass;
            let mut row: Vec<f64> =
                memory.momenta[axis * n..(axis + 1) * n].iter().map(|m| m / mass).collect();
            for leg in legs {
                let point = memory.data.full.frames[leg.foot].point_in_world(leg.point);
                let share = 1.0 / legs.len() as f64;
                let data = &memory.data;
                data.point_motion(&world.body, leg.foot, point, |k, _, linear| {
                    row[k] -= share * linear[axis];
                });
            }
            // Four feet and more carry it wherever it is between them.
            if matches!(legs.len(), 1 | 2) {
                normal.add(&row, middle[axis] - memory.center[axis], 0.3);
            }
        }
        for k in 0..n {
            let error = if k < ROOT { 0.0 } else { wished[PLACE + k - ROOT] - g[PLACE + k - ROOT] };
            let mut row = vec![0.0; n];
            row[k] = 1.0;
            normal.add(&row, error, if k < ROOT { 1e-6 } else { POSE });
        }
        if !solve_dense(&mut normal.h, &mut normal.b) {
            break;
        }
        let most = normal.b.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let share = (STRIDE / most.max(f64::MIN_POSITIVE)).min(1.0);
        normal.b.iter_mut().for_each(|step| *step *= share);
        if gambol_dynamics::reduced::advance(&world.body, &memory.data, &mut place, 1.0, &normal.b).is_err() {
            break;
        }
        g.copy_from_slice(&place.g);
        if most < 1e-9 {
            break;
        }
    }
    left
}

/// Σ w aᵀ a and Σ w aᵀ b.
struct Normal {
    n: usize,
    h: Vec<f64>,
    b: Vec<f64>,
}

impl Normal {
    fn add(&mut self, row: &[f64], wanted: f64, weight: f64) {
        for r in 0..self.n {
            for s in 0..self.n {
                self.h[r * self.n + s] += weight * row[r] * row[s];
            }
            self.b[r] += weight * row[r] * wanted;
        }
    }
}

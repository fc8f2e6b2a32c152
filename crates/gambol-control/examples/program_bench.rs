//! `cargo xtask bench programs`: prints the microseconds that the quadratic program of a dog's feet takes, first without
//! memory, then from the rows that held the last time, and the steps of each; then the same of Kokkevis' linear program.

use std::time::Instant;

use gambol_control::solve::{LinearProgram, QuadraticProgram, SolveStatus};
use gambol_model::{Random, math};

/// Of the ground under each foot, m from its middle.
const POINTS: [[f64; 2]; 4] = [[0.02, 0.01], [0.02, -0.01], [-0.02, 0.01], [-0.02, -0.01]];
/// Feet in the frame of the centre of mass, m.
const FEET: [[f64; 3]; 4] = [[0.3, 0.1, -0.5], [0.3, -0.1, -0.5], [-0.3, 0.1, -0.5], [-0.3, -0.1, -0.5]];
/// Joints of a leg.
const JOINTS: usize = 6;
/// Of the floor.
const FRICTION: f64 = 0.8;
/// At every joint, N·m.
const TORQUE: f64 = 40.0;
/// Of a dog, N.
const WEIGHT: f64 = 34.0 * 9.81;
/// Programs of one timing: a second of simulation, in which the dog is pushed to and fro.
const STEPS: usize = 1000;
/// Of other work on the machine some are free.
const STRETCHES: usize = 10;

/// The part of the wrench about the centre of mass that each force has: six rows of 48.
fn wrench_of_forces() -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; 3 * FEET.len() * POINTS.len()]; 6];
    for (k, (foot, point)) in FEET.iter().flat_map(|foot| POINTS.map(|point| (foot, point))).enumerate() {
        let [x, y, z] = [foot[0] + point[0], foot[1] + point[1], foot[2]];
        let moments = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
        for axis in 0..3 {
            rows[axis][3 * k + axis] = 1.0;
            (0..3).for_each(|turn| rows[3 + turn][3 * k + axis] = moments[turn][axis]);
        }
    }
    rows
}

/// What is wanted at a step, N and N·m: the weight, and pushes that come and go.
fn wanted(step: usize) -> [f64; 6] {
    let wave = |rate: f64| math::sin(rate * step as f64 / STEPS as f64);
    [
        200.0 * wave(9.0),
        150.0 * wave(14.0),
        WEIGHT * (1.0 + 0.3 * wave(25.0)),
        30.0 * wave(11.0),
        40.0 * wave(17.0),
        10.0,
    ]
}

fn fill_quadratic(program: &mut QuadraticProgram, wrench: &[Vec<f64>], torque: &[Vec<f64>], step: usize) {
    let n = wrench[0].len();
    program.begin(n);
    for (row, wanted) in wrench.iter().zip(wanted(step)) {
        for i in 0..n {
            program.gradient_mut()[i] -= wanted * row[i];
            (0..n).for_each(|j| program.hessian_mut()[i * n + j] += row[i] * row[j]);
        }
    }
    (0..n).for_each(|i| program.hessian_mut()[i * n + i] += 1e-4);
    for point in 0..n / 3 {
        for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
            let row = program.at_least(0.0);
            row[3 * point + 2] = FRICTION;
            row[3 * point + axis] = sign;
        }
    }
    for row in torque {
        program.at_least(-TORQUE).copy_from_slice(row);
        program.at_most(TORQUE).copy_from_slice(row);
    }
}

fn fill_linear(program: &mut LinearProgram, step: usize) {
    program.begin(3 * FEET.len());
    for unknown in 0..3 * FEET.len() {
        program.set_bounds(unknown, if unknown % 3 == 2 { 0.0 } else { -WEIGHT }, WEIGHT);
    }
    for (k, wanted) in wanted(step).into_iter().enumerate() {
        let row = program.near(wanted, 1.0);
        for (leg, [x, y, z]) in FEET.into_iter().enumerate() {
            let moments = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
            for axis in 0..3 {
                row[3 * leg + axis] =
                    if k < 3 { f64::from(u8::from(k == axis)) } else { moments[k - 3][axis] };
            }
        }
    }
}

/// Mean microseconds of a program, each the best of some stretches, and mean steps.
fn time(mut one: impl FnMut(usize) -> (f64, usize)) -> (f64, f64) {
    let mut best = vec![(f64::INFINITY, 0); STEPS];
    for _ in 0..STRETCHES {
        for (step, best) in best.iter_mut().enumerate() {
            let (time, steps) = one(step);
            *best = (best.0.min(time), steps);
        }
    }
    let mean = |number: &dyn Fn(&(f64, usize)) -> f64| best.iter().map(number).sum::<f64>() / STEPS as f64;
    (1e6 * mean(&|best| best.0), mean(&|best| best.1 as f64))
}

fn main() {
    let wrench = wrench_of_forces();
    let n = wrench[0].len();
    let mut random = Random::new(1);
    // Torques of a leg: by the forces at its own foot.
    let mut torque = vec![vec![0.0; n]; FEET.len() * JOINTS];
    for (joint, row) in torque.iter_mut().enumerate() {
        let first = joint / JOINTS * n / FEET.len();
        random.fill_normal(&mut row[first..first + n / FEET.len()]);
        for arm in row {
            *arm *= 0.2;
        }
    }
    let mut program = QuadraticProgram::new(n, 4 * n / 3 + 2 * torque.len());
    for warm in [false, true] {
        let (time, steps) = time(|step| {
            fill_quadratic(&mut program, &wrench, &torque, step);
            if !warm {
                program.forget();
            }
            let start = Instant::now();
            assert_eq!(program.solve(), SolveStatus::Optimal);
            (start.elapsed().as_secs_f64(), program.steps())
        });
        println!("{time:.2} {steps:.1}");
    }
    let mut program = LinearProgram::new(3 * FEET.len(), 6);
    let (time, steps) = time(|step| {
        fill_linear(&mut program, step);
        let start = Instant::now();
        assert_eq!(program.solve(), SolveStatus::Optimal);
        (start.elapsed().as_secs_f64(), program.steps())
    });
    println!("{time:.2} {steps:.1}");
}

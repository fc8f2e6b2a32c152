use gambol_control::solve::{LinearProgram, LinearSettings, SolveStatus};
use gambol_model::Random;

use super::{normal, times};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Equal,
    AtLeast,
    AtMost,
    Near(f64),
}
use Relation::{AtLeast, AtMost, Equal, Near};

/// A program, in the open.
#[derive(Clone, Debug)]
struct Problem {
    cost: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    rows: Vec<(Relation, Vec<f64>, f64)>,
}

impl Problem {
    fn fill(&self, program: &mut LinearProgram) {
        program.begin(self.cost.len());
        program.cost_mut().copy_from_slice(&self.cost);
        for (i, (lower, upper)) in self.bounds.iter().enumerate() {
            program.set_bounds(i, *lower, *upper);
        }
        for (relation, a, b) in &self.rows {
            let row = match relation {
                Equal => program.equal(*b),
                AtLeast => program.at_least(*b),
                AtMost => program.at_most(*b),
                Near(weight) => program.near(*b, *weight),
            };
            row.copy_from_slice(a);
        }
    }

    fn solve(&self) -> (SolveStatus, LinearProgram) {
        let mut program = LinearProgram::new(self.cost.len(), self.rows.len());
        self.fill(&mut program);
        (program.solve(), program)
    }

    fn value(&self, x: &[f64]) -> f64 {
        let deviation = |(relation, a, b): &(Relation, Vec<f64>, f64)| match relation {
            Near(weight) => weight * (times(a, x) - b).abs(),
            _ => 0.0,
        };
        times(&self.cost, x) + self.rows.iter().map(deviation).sum::<f64>()
    }

    /// What is allowed is allowed within `share` of its numbers, the prices have their signs, and the cost is that of the dual:
    /// y·b and what the bounds of unknowns add with the rest of the slope.
    fn assert_solved(&self, program: &LinearProgram, share: f64, what: &str) {
        let (x, y) = (program.x(), program.multipliers());
        let length = 1.0 + times(x, x).sqrt();
        for (x, (lower, upper)) in x.iter().zip(&self.bounds) {
            assert!(
                *x >= lower - share * length && *x <= upper + share * length,
                "{what}: {x} in {lower}, {upper}"
            );
        }
        let most = self.rows.iter().map(|row| if let Near(weight) = row.0 { weight } else { 0.0 });
        let price = self
            .cost
            .iter()
            .copied()
            .chain(most)
            .chain(y.iter().copied())
            .fold(1.0, |p: f64, c| p.max(c.abs()));
        let mut dual = 0.0;
        for (k, (relation, a, b)) in self.rows.iter().enumerate() {
            let slack = times(a, x) - b;
            let scale = share * (times(a, a).sqrt() * length + b.abs());
            let sound = match relation {
                Equal => slack.abs() <= scale,
                AtLeast => slack >= -scale && y[k] >= -share * price,
                AtMost => slack <= scale && y[k] <= share * price,
                Near(weight) => y[k].abs() <= weight + share * price,
            };
            assert!(sound, "{what}: row {k}, {relation:?}, slack {slack}, price {}", y[k]);
            dual += if b.is_finite() { y[k] * b } else { 0.0 };
        }
        for (j, (lower, upper)) in self.bounds.iter().enumerate() {
            let terms = || self.rows.iter().zip(y).map(|(row, y)| row.1[j] * y);
            let scale = self.cost[j].abs() + terms().map(f64::abs).sum::<f64>();
            let reduced = self.cost[j] - terms().sum::<f64>();
            let bound = if reduced > 0.0 { *lower } else { *upper };
            if reduced.abs() > share * scale {
                assert!(bound.is_finite(), "{what}: unknown {j} could lower the cost for ever");
                dual += reduced * bound;
            }
        }
        let value = self.value(x);
        assert!(
            (value - dual).abs() <= share * (1.0 + value.abs()) * price * length,
            "{what}: {value} and {dual}"
        );
    }
}

fn random_problem(random: &mut Random, n: usize, m: usize) -> Problem {
    let inside = normal(random, n);
    let bounds = inside.iter().map(|x| match random.below(5) {
        0 => (f64::NEG_INFINITY, x + random.unit()),
        1 => (x - random.unit(), f64::INFINITY),
        2 => (*x, *x),
        _ => (x - random.unit(), x + random.unit()),
    });
    let bounds: Vec<(f64, f64)> = bounds.collect();
    let mut rows: Vec<(Relation, Vec<f64>, f64)> = Vec::new();
    for _ in 0..m {
        let a: Vec<f64> =
            normal(random, n).iter().map(|a| if random.below(3) == 0 { 0.0 } else { *a }).collect();
        let (b, room) = (times(&a, &inside), if random.below(3) == 0 { 0.0 } else { random.unit() });
        rows.push(match random.below(5) {
            0 => (Equal, a, b),
            1 => (AtLeast, a, b - room),
            2 => (AtMost, a, b + room),
            _ => (Near(random.unit()), a, b + 3.0 * random.symmetric()),
        });
        if random.below(4) == 0 {
            rows.extend(rows.last().cloned());
        }
    }
    // A cost that is a sum of what is bounded has a least value.
    let mut cost = vec![0.0; n];
    for (relation, a, _) in &rows {
        let price = match relation {
            Equal => random.symmetric(),
            AtLeast => random.unit(),
            AtMost => -random.unit(),
            Near(_) => 0.0,
        };
        cost.iter_mut().zip(a).for_each(|(cost, a)| *cost += price * a);
    }
    for (cost, (lower, upper)) in cost.iter_mut().zip(&bounds) {
        *cost += match (lower.is_finite(), upper.is_finite()) {
            (true, true) => random.symmetric(),
            (true, false) => random.unit(),
            _ => -random.unit(),
        };
    }
    Problem { cost, bounds, rows }
}

/// As for quadratic programs; the bases are as badly conditioned as random matrices of their size are at times.
const SHARE: f64 = 1e-9;

#[test]
fn solutions_of_random_programs_are_proved() {
    let mut random = Random::new(1);
    for (n, rounds) in [(1, 60), (2, 100), (4, 100), (10, 40), (24, 10), (48, 3)] {
        for round in 0..rounds {
            let m = random.below(n + 2);
            let problem = random_problem(&mut random, n, m);
            let (status, program) = problem.solve();
            let what = format!("{n} unknowns, round {round}");
            assert_eq!(status, SolveStatus::Optimal, "{what}");
            problem.assert_solved(&program, SHARE, &what);
        }
    }
}

/// Where the steepest descent goes round for ever (Beale 1955); the least value is −1/20.
#[test]
fn a_cycle_is_left() {
    let problem = Problem {
        cost: vec![-0.75, 150.0, -0.02, 6.0],
        bounds: vec![(0.0, f64::INFINITY); 4],
        rows: vec![
            (AtMost, vec![0.25, -60.0, -0.04, 9.0], 0.0),
            (AtMost, vec![0.5, -90.0, -0.02, 3.0], 0.0),
            (AtMost, vec![0.0, 0.0, 1.0, 0.0], 1.0),
        ],
    };
    let (status, program) = problem.solve();
    assert_eq!(status, SolveStatus::Optimal);
    assert!((problem.value(program.x()) + 0.05).abs() < 1e-15);
    problem.assert_solved(&program, 1e-14, "Beale");
}

#[test]
fn what_cannot_be_met_or_has_no_end_is_said_to_be_so() {
    let mut random = Random::new(9);
    for round in 0..60 {
        let n = 2 + random.below(20);
        let m = random.below(n);
        let sound = random_problem(&mut random, n, m);
        // Farkas: rows that add up to zero, with bounds that add up to more.
        let mut problem = sound.clone();
        let (a, b) = (normal(&mut random, n), random.symmetric());
        let (c, d) = (normal(&mut random, n), random.symmetric());
        let both: Vec<f64> = a.iter().zip(&c).map(|(a, c)| a + 2.0 * c).collect();
        problem.rows.extend([(AtLeast, a, b), (AtLeast, c, d), (AtMost, both, b + 2.0 * d - 0.01)]);
        assert_eq!(problem.solve().0, SolveStatus::Infeasible, "round {round}");
        // A further unknown without end that no row knows, or two that only matter together.
        let mut problem = sound;
        problem.cost.extend([-1.0, 0.5]);
        problem.bounds.extend([(0.0, f64::INFINITY); 2]);
        problem.rows.iter_mut().for_each(|row| row.1.extend([1.0, -1.0]));
        assert_eq!(problem.solve().0, SolveStatus::Unbounded, "round {round}");
    }
}

#[test]
fn a_program_that_makes_no_sense_has_a_status() {
    let sound = Problem {
        cost: vec![1.0, 2.0],
        bounds: vec![(0.0, 1.0), (f64::NEG_INFINITY, f64::INFINITY)],
        rows: vec![(AtLeast, vec![1.0, 1.0], 1.0), (Near(1.0), vec![1.0, -1.0], 0.0)],
    };
    assert_eq!(sound.solve().0, SolveStatus::Optimal);
    for place in 0..5 {
        let mut problem = sound.clone();
        match place {
            0 => problem.cost[0] = f64::NAN,
            1 => problem.bounds[1].0 = f64::NAN,
            2 => problem.rows[0].1[1] = f64::INFINITY,
            3 => problem.rows[1].2 = f64::INFINITY,
            _ => problem.rows[1].0 = Near(-1.0),
        }
        assert_eq!(problem.solve().0, SolveStatus::NotFinite, "{place}");
    }
    let mut problem = sound.clone();
    problem.bounds[0] = (1.0, 0.0);
    assert_eq!(problem.solve().0, SolveStatus::Infeasible);
    // A bound that asks for nothing is none.
    problem = sound.clone();
    problem.rows.push((AtMost, vec![1.0, 1.0], f64::INFINITY));
    let (status, program) = problem.solve();
    assert_eq!((status, program.x()), (SolveStatus::Optimal, sound.solve().1.x()));

    let few = LinearSettings { steps: 1, ..LinearSettings::default() };
    let mut program = LinearProgram::new(2, 2).with_settings(few);
    sound.fill(&mut program);
    assert_eq!(program.solve(), SolveStatus::Limit);
    program.begin(0);
    assert_eq!(program.solve(), SolveStatus::Optimal);
}

/// Kokkevis et al. 1995, equations 4 to 7: four legs and six numbers that are wanted of them. What they can do is done exactly;
/// what they cannot is missed by what the weights say is cheapest.
#[test]
fn legs_share_a_wrench() {
    let feet = [[0.3, 0.1, -0.5], [0.3, -0.1, -0.5], [-0.3, 0.1, -0.5], [-0.3, -0.1, -0.5]];
    let most = 150.0;
    let wrench = |wanted: [f64; 6], legs: &[usize]| {
        let mut rows: Vec<(Relation, Vec<f64>, f64)> =
            (0..6).map(|k| (Near(1.0), vec![0.0; 3 * legs.len()], wanted[k])).collect();
        for (leg, foot) in legs.iter().enumerate() {
            let [x, y, z] = feet[*foot];
            let torque = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
            for axis in 0..3 {
                rows[axis].1[3 * leg + axis] = 1.0;
                (0..3).for_each(|k| rows[3 + k].1[3 * leg + axis] = torque[k][axis]);
            }
        }
        let mut bounds = vec![(-most, most); 3 * legs.len()];
        bounds.iter_mut().skip(2).step_by(3).for_each(|bound| bound.0 = 0.0);
        Problem { cost: vec![0.0; 3 * legs.len()], bounds, rows }
    };
    let weight = 34.0 * 9.81;
    let problem = wrench([20.0, -5.0, weight, 3.0, -8.0, 4.0], &[0, 1, 2, 3]);
    let (status, program) = problem.solve();
    assert_eq!(status, SolveStatus::Optimal);
    assert!(problem.value(program.x()) < 1e-10, "{}", problem.value(program.x()));
    problem.assert_solved(&program, 1e-12, "four legs");
    // Two legs bear at most 300 N: the rest of the weight is missed.
    let problem = wrench([0.0, 0.0, weight, 0.0, 0.0, 0.0], &[0, 3]);
    let (status, program) = problem.solve();
    assert_eq!(status, SolveStatus::Optimal);
    assert!((problem.value(program.x()) - (weight - 2.0 * most)).abs() < 1e-10);
    problem.assert_solved(&program, 1e-12, "two legs");
    // No leg: all of it.
    let problem = wrench([1.0, -2.0, 3.0, 0.0, 0.0, 0.0], &[]);
    assert_eq!(problem.solve().0, SolveStatus::Optimal);
}

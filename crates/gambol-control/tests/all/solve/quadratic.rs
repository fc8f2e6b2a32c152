use gambol_control::solve::{QuadraticProgram, QuadraticSettings, SolveStatus};
use gambol_model::Random;

use super::{normal, times};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Equal,
    AtLeast,
    AtMost,
}
use Relation::{AtLeast, AtMost, Equal};

/// A program, in the open.
#[derive(Clone, Debug)]
struct Problem {
    /// By rows, symmetric.
    hessian: Vec<Vec<f64>>,
    gradient: Vec<f64>,
    rows: Vec<(Relation, Vec<f64>, f64)>,
}

impl Problem {
    fn unknowns(&self) -> usize {
        self.gradient.len()
    }

    fn fill(&self, program: &mut QuadraticProgram) {
        let n = self.unknowns();
        program.begin(n);
        program.hessian_mut().copy_from_slice(&self.hessian.concat());
        program.gradient_mut().copy_from_slice(&self.gradient);
        for (relation, a, b) in &self.rows {
            let row = match relation {
                Equal => program.equal(*b),
                AtLeast => program.at_least(*b),
                AtMost => program.at_most(*b),
            };
            row.copy_from_slice(a);
        }
    }

    fn solve(&self) -> (SolveStatus, QuadraticProgram) {
        let mut program = QuadraticProgram::new(self.unknowns(), self.rows.len());
        self.fill(&mut program);
        (program.solve(), program)
    }

    fn objective(&self, x: &[f64]) -> f64 {
        let curved: f64 = (0..x.len()).map(|i| x[i] * times(&self.hessian[i], x)).sum();
        0.5 * curved + times(&self.gradient, x)
    }

    /// The conditions of Karush, Kuhn and Tucker, each within `share` of the numbers that it is the difference of.
    fn assert_solved(&self, program: &QuadraticProgram, share: f64, what: &str) {
        let (x, u) = (program.x(), program.multipliers());
        for i in 0..self.unknowns() {
            let (mut sum, mut scale) = (self.gradient[i], self.gradient[i].abs());
            let mut take = |term: f64| {
                sum += term;
                scale += term.abs();
            };
            (0..x.len()).for_each(|k| take(self.hessian[i][k] * x[k]));
            (0..u.len()).for_each(|k| take(-u[k] * self.rows[k].1[i]));
            let largest = self.gradient.iter().fold(scale, |most, g| most.max(g.abs()));
            assert!(sum.abs() <= share * largest, "{what}: slope {i} is {sum}, of {largest}");
        }
        let length = times(x, x).sqrt();
        for (k, (relation, a, b)) in self.rows.iter().enumerate() {
            let slack = times(a, x) - b;
            let scale = share * (times(a, a).sqrt() * length + b.abs());
            match relation {
                Equal => assert!(slack.abs() <= scale, "{what}: row {k} is off by {slack}"),
                AtLeast => assert!(slack >= -scale && u[k] >= 0.0, "{what}: row {k}: {slack}, {}", u[k]),
                AtMost => assert!(slack <= scale && u[k] <= 0.0, "{what}: row {k}: {slack}, {}", u[k]),
            }
            assert!(
                *relation == Equal || u[k] == 0.0 || slack.abs() <= scale,
                "{what}: row {k} pushes from afar"
            );
        }
    }
}

/// A Hessian with eigenvalues between 1 and `condition`, about: a product of random matrices and a ridge.
fn hessian(random: &mut Random, n: usize, condition: f64) -> Vec<Vec<f64>> {
    let factor: Vec<Vec<f64>> = (0..n).map(|_| normal(random, n)).collect();
    let entry = |i: usize, j: usize| {
        let product: f64 = (0..n).map(|k| factor[k][i] * factor[k][j]).sum();
        condition * product / (4 * n) as f64 + f64::from(u8::from(i == j))
    };
    let mut rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    for i in 0..n {
        for j in 0..i {
            rows[i][j] = rows[j][i];
        }
    }
    rows
}

/// A program with a point that satisfies all rows: some of them with equality, some of them twice.
fn random_problem(random: &mut Random, n: usize, equalities: usize, inequalities: usize) -> Problem {
    let mut problem =
        Problem { hessian: hessian(random, n, 100.0), gradient: normal(random, n), rows: Vec::new() };
    problem.gradient.iter_mut().for_each(|g| *g *= 100.0);
    let inside = normal(random, n);
    for k in 0..equalities + inequalities {
        let mut a = normal(random, n);
        // Rows of one foot, in part.
        if random.below(2) == 0 {
            let first = random.below(n);
            a[..first].fill(0.0);
            a[(first + 3).min(n)..].fill(0.0);
        }
        let room = if random.below(3) == 0 { 0.0 } else { random.unit() };
        let b = times(&a, &inside);
        let row = match (k < equalities, random.below(2)) {
            (true, _) => (Equal, a, b),
            (_, 0) => (AtLeast, a, b - room),
            _ => (AtMost, a, b + room),
        };
        problem.rows.push(row.clone());
        if random.below(4) == 0 {
            // Again, in other units.
            let scale = 0.5 + random.unit();
            problem.rows.push((row.0, row.1.iter().map(|a| scale * a).collect(), scale * row.2));
        }
    }
    problem
}

/// Rounding grows with the sums, which are of n numbers, and with the condition of the Hessian and of the rows that hold: some
/// hundreds each. The worst of these programs is at a hundredth of this.
const SHARE: f64 = 1e-10;

#[test]
fn solutions_of_random_programs_are_proved() {
    let mut random = Random::new(7);
    for (n, rounds) in [(1, 40), (2, 60), (3, 60), (7, 40), (16, 20), (33, 8), (60, 4)] {
        for round in 0..rounds {
            let equalities = random.below(n / 2 + 1);
            let inequalities = random.below(5 * n / 2 + 3);
            let problem = random_problem(&mut random, n, equalities, inequalities);
            let (status, program) = problem.solve();
            let what = format!("{n} unknowns, round {round}");
            assert_eq!(status, SolveStatus::Optimal, "{what}");
            problem.assert_solved(&program, SHARE, &what);
        }
    }
}

/// The least of all sets of rows that may hold with equality, each solved by elimination: a second algorithm, for few unknowns.
fn least_by_trying_all(problem: &Problem) -> Option<f64> {
    let n = problem.unknowns();
    let mut least: Option<f64> = None;
    for set in 0..1_usize << problem.rows.len() {
        let holds: Vec<usize> = (0..problem.rows.len()).filter(|k| set >> k & 1 == 1).collect();
        if holds.len() > n {
            continue;
        }
        let size = n + holds.len();
        let mut matrix = nalgebra::DMatrix::zeros(size, size);
        let mut right = nalgebra::DVector::zeros(size);
        for i in 0..n {
            right[i] = -problem.gradient[i];
            (0..n).for_each(|j| matrix[(i, j)] = problem.hessian[i][j]);
            for (k, row) in holds.iter().enumerate() {
                matrix[(i, n + k)] = problem.rows[*row].1[i];
                matrix[(n + k, i)] = problem.rows[*row].1[i];
                right[n + k] = problem.rows[*row].2;
            }
        }
        let Some(solution) = matrix.full_piv_lu().solve(&right) else { continue };
        let x = &solution.as_slice()[..n];
        let allowed = problem.rows.iter().all(|(relation, a, b)| {
            let slack = times(a, x) - b;
            match relation {
                Equal => slack.abs() < 1e-9,
                AtLeast => slack > -1e-9,
                AtMost => slack < 1e-9,
            }
        });
        if allowed {
            let value = problem.objective(x);
            least = Some(least.map_or(value, |least: f64| least.min(value)));
        }
    }
    least
}

#[test]
fn no_choice_of_rows_is_better() {
    let mut random = Random::new(3);
    let (mut solved, mut refused) = (0, 0);
    for round in 0..120 {
        let n = 1 + random.below(3);
        let equalities = random.below(2).min(n - 1);
        let inequalities = 1 + random.below(4);
        let mut problem = random_problem(&mut random, n, equalities, inequalities);
        problem.rows.truncate(8);
        if round % 3 == 0 {
            // Bounds of which nobody knows whether they can be met together.
            for row in &mut problem.rows {
                row.2 += 2.0 * random.symmetric();
            }
        }
        let (status, program) = problem.solve();
        match least_by_trying_all(&problem) {
            Some(least) => {
                assert_eq!(status, SolveStatus::Optimal, "round {round}");
                let value = problem.objective(program.x());
                assert!(
                    (value - least).abs() <= 1e-9 * (1.0 + least.abs()),
                    "round {round}: {value} {least}"
                );
                solved += 1;
            }
            None => {
                assert_eq!(status, SolveStatus::Infeasible, "round {round}");
                refused += 1;
            }
        }
    }
    assert!(solved > 60 && refused > 5, "{solved} solved and {refused} refused test little");
}

/// Farkas: rows that add up to zero, with positive weights, and bounds that add up to more.
#[test]
fn what_cannot_be_met_is_said_to_be_so() {
    let mut random = Random::new(11);
    for round in 0..60 {
        let n = 2 + random.below(30);
        let mut problem = random_problem(&mut random, n, 0, n);
        let many = 2 + random.below(n);
        let mut rest = vec![0.0; n];
        let mut bounds = 0.0;
        for _ in 1..many {
            let (a, b, weight) = (normal(&mut random, n), random.symmetric(), 0.1 + random.unit());
            rest.iter_mut().zip(&a).for_each(|(rest, a)| *rest -= weight * a);
            bounds += weight * b;
            problem.rows.push((AtLeast, a, b));
        }
        problem.rows.push((AtLeast, rest, -bounds + 0.01));
        assert_eq!(problem.solve().0, SolveStatus::Infeasible, "round {round}");
    }
    // Equalities that contradict each other, one that contradicts itself, and a bound that nothing reaches.
    let one = |rows| Problem { hessian: vec![vec![1.0]], gradient: vec![0.0], rows };
    let contradictory = one(vec![(Equal, vec![1.0], 1.0), (Equal, vec![1.0], 2.0)]);
    assert_eq!(contradictory.solve().0, SolveStatus::Infeasible);
    assert_eq!(one(vec![(Equal, vec![0.0], 2.0)]).solve().0, SolveStatus::Infeasible);
    assert_eq!(one(vec![(AtLeast, vec![0.0], 1e-3)]).solve().0, SolveStatus::Infeasible);
    assert_eq!(one(vec![(AtMost, vec![0.0], 1e-3)]).solve().0, SolveStatus::Optimal);
}

/// Where many rows meet in one point more hold than there are unknowns, and which of them push is not decided by the point.
#[test]
fn a_corner_of_many_rows_is_found() {
    let mut random = Random::new(5);
    for n in [2, 5, 12, 24] {
        let corner = normal(&mut random, n);
        let mut problem =
            Problem { hessian: hessian(&mut random, n, 100.0), gradient: vec![0.0; n], rows: Vec::new() };
        // A cone around the direction (1, 1, …) with its tip at the corner; the slope at the tip points into its dual.
        for _ in 0..4 * n {
            let mut a = normal(&mut random, n);
            a.iter_mut().for_each(|a| *a = 1.0 + 0.3 * *a);
            let b = times(&a, &corner);
            problem.rows.push((AtLeast, a, b));
        }
        for i in 0..n {
            let slope: f64 = problem.rows.iter().map(|row| row.1[i]).sum();
            problem.gradient[i] = slope - times(&problem.hessian[i], &corner);
        }
        let (status, program) = problem.solve();
        assert_eq!(status, SolveStatus::Optimal, "{n}");
        problem.assert_solved(&program, SHARE, &format!("corner of {n}"));
        for (x, corner) in program.x().iter().zip(&corner) {
            assert!((x - corner).abs() < 1e-9, "{n}: {x} is not {corner}");
        }
    }
}

#[test]
fn the_nearest_point_of_a_box_is_clamped() {
    let mut program = QuadraticProgram::new(8, 16);
    let wanted: Vec<f64> = (0..8).map(|i| f64::from(i) - 3.5).collect();
    program.begin(8);
    for i in 0..8 {
        program.hessian_mut()[9 * i] = 2.0;
        program.gradient_mut()[i] = -2.0 * wanted[i];
        program.at_least(-1.5)[i] = 1.0;
        program.at_most(2.0)[i] = 1.0;
    }
    assert_eq!(program.solve(), SolveStatus::Optimal);
    assert_eq!(program.steps(), 4);
    for (i, (x, wanted)) in program.x().iter().zip(&wanted).enumerate() {
        let clamped = wanted.clamp(-1.5, 2.0);
        assert!((x - clamped).abs() < 1e-15);
        let push = 2.0 * (clamped - wanted);
        let pushed = program.multipliers()[2 * i] + program.multipliers()[2 * i + 1];
        assert!((pushed - push).abs() < 1e-14, "{pushed} {push}");
    }
}

/// What held the last time is where the next one starts: the same solution in fewer steps; and what it remembers of another program
/// does no harm.
#[test]
fn the_last_solution_is_a_good_start() {
    let mut random = Random::new(23);
    let mut program = QuadraticProgram::new(24, 80);
    let (mut cold, mut warm) = (0, 0);
    for round in 0..20 {
        let mut problem = random_problem(&mut random, 24, 3, 50);
        problem.fill(&mut program);
        assert_eq!(program.solve(), SolveStatus::Optimal, "after another program, {round}");
        problem.assert_solved(&program, SHARE, "after another program");
        for g in &mut problem.gradient {
            *g *= 1.0 + 1e-3 * random.symmetric();
        }
        problem.fill(&mut program);
        assert_eq!(program.solve(), SolveStatus::Optimal);
        problem.assert_solved(&program, SHARE, "warm");
        let fresh = problem.solve().1;
        for (x, y) in program.x().iter().zip(fresh.x()) {
            assert!((x - y).abs() < 1e-9 * (1.0 + y.abs()), "{x} {y}");
        }
        (cold, warm) = (cold + fresh.steps(), warm + program.steps());
        // Forgotten, it is bit for bit what a new one finds.
        problem.fill(&mut program);
        program.forget();
        program.solve();
        assert_eq!((program.x(), program.multipliers()), (fresh.x(), fresh.multipliers()));
    }
    assert!(warm * 10 < cold, "{warm} steps from the last solution and {cold} without");
}

#[test]
fn a_program_that_makes_no_sense_has_a_status() {
    let sound = Problem {
        hessian: vec![vec![2.0, 1.0], vec![1.0, 2.0]],
        gradient: vec![1.0, 1.0],
        rows: vec![(AtLeast, vec![1.0, 0.0], 1.0), (Equal, vec![0.0, 1.0], 1.0)],
    };
    assert_eq!(sound.solve().0, SolveStatus::Optimal);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..5 {
            let mut problem = sound.clone();
            match place {
                0 => problem.hessian[0][0] = bad,
                1 => problem.gradient[1] = bad,
                2 => problem.rows[0].1[1] = bad,
                3 => problem.rows[1].2 = bad,
                _ => problem.hessian[0][1] = bad,
            }
            let (status, program) = problem.solve();
            let expected = if place == 4 { SolveStatus::NotConvex } else { SolveStatus::NotFinite };
            assert_eq!(status, expected, "{bad} at {place}");
            assert!(program.x().iter().all(|x| x.is_finite()));
        }
    }
    for hessian in
        [vec![vec![1.0, 1.0], vec![1.0, 1.0]], vec![vec![1.0, 2.0], vec![2.0, 1.0]], vec![vec![0.0; 2]; 2]]
    {
        let problem = Problem { hessian, ..sound.clone() };
        assert_eq!(problem.solve().0, SolveStatus::NotConvex);
    }
    // A bound that asks for nothing is none.
    let mut problem = sound.clone();
    problem.rows[0].2 = f64::NEG_INFINITY;
    assert_eq!(problem.solve().0, SolveStatus::Optimal);

    let few = QuadraticSettings { steps: 1, ..QuadraticSettings::default() };
    let mut program = QuadraticProgram::new(2, 4).with_settings(few);
    let mut hurried = sound;
    hurried.rows = vec![(AtLeast, vec![1.0, 0.0], 1.0), (AtLeast, vec![0.0, 1.0], 1.0)];
    hurried.fill(&mut program);
    assert_eq!(program.solve(), SolveStatus::Limit);

    // Nothing is asked, and nothing is found.
    program.begin(0);
    assert_eq!(program.solve(), SolveStatus::Optimal);
    program.begin(0);
    program.at_least(1.0);
    assert_eq!(program.solve(), SolveStatus::Infeasible);
}

/// More than it was made for: it grows.
#[test]
fn a_larger_program_than_expected_is_solved_too() {
    let mut random = Random::new(2);
    let mut program = QuadraticProgram::new(1, 0);
    for n in [3, 20, 5] {
        let problem = random_problem(&mut random, n, 1, 2 * n);
        problem.fill(&mut program);
        assert_eq!(program.solve(), SolveStatus::Optimal);
        problem.assert_solved(&program, SHARE, "grown");
    }
}

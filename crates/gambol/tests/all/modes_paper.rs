//! Modes against the paper's own formulation (Kry et al. 2009, section 3.1): maximal coordinates, the null space N of
//! G by singular values, and Nᵀ M N, Nᵀ Rᵀ K R N — to 1e-8 on the creatures and constraints of its figure 3.

use std::f64::consts::TAU;

use gambol::dynamics::{Data, paper};
use gambol::model::{Constraint, Creature};
use gambol::modes::{Settings, analyze, parse_constraint};
use gambol::{LoadOptions, load};
use nalgebra::DMatrix;

/// Null space by singular values; nalgebra's decomposition is thin, so the matrix is padded to a square.
fn null_space(g: &DMatrix<f64>) -> DMatrix<f64> {
    let side = g.nrows().max(g.ncols());
    let mut square = DMatrix::zeros(side, g.ncols());
    square.rows_mut(0, g.nrows()).copy_from(g);
    let svd = gambol::model::svd(square).unwrap();
    let (values, v_t) = (svd.singular_values, svd.v_t.expect("asked for"));
    let largest = values.max();
    let null: Vec<usize> = (0..g.ncols()).filter(|&k| values[k] < 1e-9 * largest).collect();
    v_t.select_rows(&null).transpose()
}

/// Frequencies in Hz by the paper's route, rigid ones included, ascending.
fn frequencies_by_the_paper(creature: &Creature, constraints: &[Constraint]) -> Vec<f64> {
    let mut data = Data::new(creature);
    let q = creature.reference_pose();
    let all: Vec<Constraint> = creature.constraints().iter().chain(constraints).cloned().collect();
    let g = paper::constraint_matrix(creature, &mut data, q, &all);
    let (r, stiffness) = paper::joint_matrix(creature, &mut data, q);
    let n = null_space(&g);
    let m = n.transpose() * paper::body_mass_matrix(creature) * &n;
    let rn = r * &n;
    let k = rn.transpose() * DMatrix::from_diagonal(&stiffness.into()) * &rn;
    let l = m.cholesky().expect("M is positive definite").l();
    let half = l.solve_lower_triangular(&k).expect("regular");
    let reduced = l.solve_lower_triangular(&half.transpose()).expect("regular");
    let reduced = (&reduced + reduced.transpose()) * 0.5;
    let mut values: Vec<f64> = reduced.symmetric_eigenvalues().iter().copied().collect();
    values.sort_by(f64::total_cmp);
    values.iter().map(|x| x.max(0.0).sqrt() / TAU).collect()
}

fn check(name: &str, constraint: Option<&str>, dof: usize, rigid: usize) {
    let creature = load(name, &LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let q = creature.reference_pose();
    let constraints: Vec<_> =
        constraint.iter().map(|text| parse_constraint(&creature, &mut data, q, text).unwrap()).collect();
    let settings = Settings { constraints: constraints.clone(), ..Settings::default() };
    let modes = analyze(&creature, &mut data, q, &settings).unwrap();
    assert_eq!((modes.dof(), modes.rigid()), (dof, rigid), "{name} {constraint:?}");
    let oracle = frequencies_by_the_paper(&creature, &constraints);
    assert_eq!(oracle.len(), dof, "{name} {constraint:?}");
    let highest = oracle[dof - 1];
    for (mode, expected) in modes.directions().iter().zip(&oracle) {
        if mode.is_rigid() {
            // The paper's route leaves √(eps) of the highest frequency in place of zero.
            assert!(*expected < 1e-6 * highest, "{name} {constraint:?}: u{} is not rigid", mode.index);
        } else {
            let difference = (mode.frequency().unwrap() / expected - 1.0).abs();
            assert!(difference < 1e-8, "{name} {constraint:?}: u{}: {difference:e}", mode.index);
        }
    }
}

#[test]
fn loop_and_linear() {
    check("loop", None, 19, 6);
    check("linear", None, 21, 6);
}

#[test]
fn dog() {
    check("dog", None, 80, 6);
}

#[test]
fn human_free_with_its_head_held_and_pushing_a_cart() {
    check("human", None, 47, 6);
    check("human", Some("orientation:head"), 44, 3);
    check("human", Some("hands:cart"), 42, 2);
}

#[test]
fn other_constraints() {
    check("human", Some("ground:foot.left"), 44, 3);
    check("human", Some("weld:hand.left,hand.right"), 41, 6);
    check("human", Some("connect:hand.left,hand.right"), 44, 6);
    check("snake", Some("orientation:head"), 31, 3);
}

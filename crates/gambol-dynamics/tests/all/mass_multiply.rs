//! M x without M, against the matrix itself: one vector and several side by side, on every random tree. The two share
//! no step beyond the kinematics. Caught: a force added to a parent whose acceleration was still in the same place.

use crate::support::{relative, state, trees};
use gambol_dynamics::{Data, MassMultiplier, TreeMatrix, mass_matrix, multiply_mass, prepare_mass};

#[test]
fn product_is_that_of_the_mass_matrix() {
    for (seed, creature) in trees() {
        let (q, x) = state(&creature, seed);
        let mut data = Data::new(&creature);
        let mut m = TreeMatrix::new(&creature).unwrap();
        mass_matrix(&creature, &mut data, &q, &mut m);
        let mut expected = vec![0.0; creature.nv()];
        m.multiply(&x, &mut expected);

        let mut data = Data::new(&creature);
        prepare_mass(&creature, &mut data, &q);
        let mut product = vec![0.0; creature.nv()];
        multiply_mass(&creature, &mut data, &x, &mut product);
        assert!(relative(&product, &expected) < 1e-12, "tree {seed}");

        // Lane l holds (l + 1) x.
        let lanes: Vec<[f64; 4]> = x.iter().map(|x| [*x, 2.0 * x, 3.0 * x, 4.0 * x]).collect();
        let mut products = vec![[0.0; 4]; creature.nv()];
        MassMultiplier::<4>::new(&creature, &data).multiply(&lanes, &mut products);
        for l in 0..4 {
            let one: Vec<f64> = products.iter().map(|row| row[l] / (l + 1) as f64).collect();
            assert!(relative(&one, &expected) < 1e-12, "tree {seed}, lane {l}");
        }
    }
}

#[test]
fn several_products_in_a_row_do_not_disturb_each_other() {
    let (seed, creature) = trees().nth(24).unwrap();
    let (q, x) = state(&creature, seed);
    let mut data = Data::new(&creature);
    prepare_mass(&creature, &mut data, &q);
    let (mut first, mut again) = (vec![0.0; creature.nv()], vec![0.0; creature.nv()]);
    multiply_mass(&creature, &mut data, &x, &mut first);
    multiply_mass(&creature, &mut data, &x, &mut again);
    assert_eq!(first, again);
}

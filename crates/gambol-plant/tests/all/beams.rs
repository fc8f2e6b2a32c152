//! Beams against closed forms that somebody else derived, and modes against their definition.

use gambol_modes::krylov::LANES;
use gambol_plant::{AirSettings, Constants, Mechanics, PlantMode, Vec6, WindBasis, WoodSettings};

use crate::help::{gallery, rod, solved};

/// Roots of cos x cosh x = −1: a cantilever's vibrations are x² √(EI/ρA) / L².
const CANTILEVER: [f64; 3] = [1.875_104_068_711_961, 4.694_091_132_974_174, 7.854_757_438_237_613];

/// Bending in pairs, then torsion and stretching as a rod's: ω = (2n − 1) π c / 2L with c = √(GJ/ρJ) and √(E/ρ).
#[test]
fn a_cantilever_vibrates_as_its_closed_form() {
    // Whatever way it points: the element's frame is made of it.
    for direction in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.6, 0.0, 0.8], [-0.48, 0.6, -0.64]] {
        let (_, modes) = solved(&rod(24, direction), 12);
        let (young, density, radius, length) = (1e10_f64, 1000.0, 0.02, 1.5);
        let bending = (young * radius * radius / 4.0 / density).sqrt() / (length * length);
        let frequencies: Vec<f64> = modes.iter().map(PlantMode::frequency).collect();
        for (pair, x) in CANTILEVER.iter().enumerate() {
            let expected = x * x * bending / std::f64::consts::TAU;
            for found in &frequencies[2 * pair..2 * pair + 2] {
                // 24 cubic elements leave an error of the fourth power of their length.
                assert!((found / expected - 1.0).abs() < 1e-5, "{direction:?}: {found} is not {expected}");
            }
        }
        let torsion = (young / 2.6 / density).sqrt() / (4.0 * length);
        let nearest = frequencies.iter().map(|f| (f / torsion - 1.0).abs()).fold(f64::MAX, f64::min);
        assert!(nearest < 2e-4, "{direction:?}: no torsion at {torsion} among {frequencies:?}");
    }
}

/// p₁ = C D 0.78299 √(L/ρA): 0.78299 is the mean of the first mode of a cantilever whose mean square is 1.
#[test]
fn wind_on_a_cantilever_is_its_closed_form() {
    let (mechanics, modes) = solved(&rod(16, [0.0, 0.0, 1.0]), 2);
    let air = AirSettings::default();
    let basis = WindBasis::new(&mechanics, &modes, &air);
    let area = std::f64::consts::PI * 0.02 * 0.02;
    let expected = air.constant() * 0.04 * 0.782_991_756 * (1.5 / (1000.0 * area)).sqrt();
    for p in &basis.projection {
        assert!((p.norm() / expected - 1.0).abs() < 1e-6, "{} is not {expected}", p.norm());
    }
}

/// Under its own weight's worth of wind a cantilever bends by w L⁴ / 8 E I, with its residual shapes and any number of modes.
#[test]
fn a_steady_wind_bends_a_cantilever_as_its_closed_form() {
    let plant = rod(5, [0.0, 0.0, 1.0]);
    let (mechanics, modes) = solved(&plant, 3);
    let air = AirSettings::default();
    let basis = WindBasis::new(&mechanics, &modes, &air);
    let inertia = std::f64::consts::PI * (0.02 * 0.02 * 0.02 * 0.02) / 4.0;
    let expected = air.constant() * 0.04 * (1.5 * 1.5 * 1.5 * 1.5) / (8.0 * 1e10 * inertia);
    let by_modes: f64 = modes
        .iter()
        .zip(&basis.projection)
        .map(|(mode, p)| mode.displacement(5).x * p.x / mode.omega_squared)
        .sum();
    let whole = by_modes + basis.residual[0][5].x;
    assert!((whole / expected - 1.0).abs() < 1e-9, "{whole} is not {expected}");
}

/// K φ = ω² M φ and φᵀ M φ = 1 on a plant with forks, taper and thousands of coordinates.
#[test]
fn modes_are_what_they_are_by_definition() {
    let plant = gallery("sapling");
    let (mechanics, modes) = solved(&plant, 12);
    let rows = |shape: &[Vec6]| -> Vec<[f64; LANES]> {
        shape.iter().flat_map(|u| (0..6).map(|k| [u[k], 0.0, 0.0, 0.0])).collect()
    };
    let dot =
        |a: &[[f64; LANES]], b: &[[f64; LANES]]| -> f64 { a.iter().zip(b).map(|(a, b)| a[0] * b[0]).sum() };
    for (i, mode) in modes.iter().enumerate() {
        let x = rows(&mode.shape);
        let (mut mx, mut kx) = (x.clone(), x.clone());
        mechanics.mass().multiply(&x, &mut mx);
        mechanics.stiffness().multiply(&x, &mut kx);
        let mut off = kx.clone();
        off.iter_mut().zip(&mx).for_each(|(k, m)| k[0] -= mode.omega_squared * m[0]);
        // In the metric of K⁻¹, in which rounding of stiff elements does not count as error of soft ones.
        let mut solved = off.clone();
        mechanics.factor().solve(&mut solved);
        let residual = dot(&off, &solved).abs().sqrt() / mode.omega_squared.sqrt();
        assert!(residual < 1e-6, "mode {i} is off by {residual}");
        for (j, other) in modes.iter().enumerate() {
            let product = dot(&rows(&other.shape), &mx);
            assert!((product - f64::from(u8::from(i == j))).abs() < 1e-8, "modes {i} and {j}: {product}");
        }
    }
    assert!(modes.windows(2).all(|pair| pair[0].omega_squared <= pair[1].omega_squared));
}

/// A⁻¹ A x = x for the factor of a forked plant.
#[test]
fn a_factor_solves_what_its_matrix_multiplies() {
    let plant = gallery("grass");
    let mechanics = crate::help::mechanics(&plant);
    let mut x = vec![[0.0; LANES]; 6 * plant.len()];
    for (k, row) in x.iter_mut().enumerate().skip(6) {
        *row = [(k % 7) as f64 - 3.0, (k % 5) as f64, 1.0, -0.5 * (k % 3) as f64];
    }
    let mut y = x.clone();
    mechanics.stiffness().multiply(&x, &mut y);
    mechanics.factor().solve(&mut y);
    let largest =
        x.iter().zip(&y).flat_map(|(x, y)| (0..LANES).map(|l| (x[l] - y[l]).abs())).fold(0.0, f64::max);
    // Thin blades on a stout crown: a condition number of some 1e9.
    assert!(largest < 1e-5, "{largest}");
}

/// The paper's constants make I a quarter, GJ 6.76·√2/8 of what they are; a cantilever's bending is half as fast.
#[test]
fn printed_constants_are_softer() {
    let plant = rod(8, [0.0, 0.0, 1.0]);
    let printed = Mechanics::new(&plant, &WoodSettings::default(), Constants::Printed).unwrap();
    let (_, modes) = solved(&plant, 1);
    let soft = gambol_plant::plant_modes(&plant, &printed, 1).unwrap();
    assert!((soft[0].frequency() / modes[0].frequency() - 0.5).abs() < 1e-9);
}

/// The same plant gives the same modes, signs included, and so does one whose lines stand in another order.
#[test]
fn signs_do_not_depend_on_the_order_of_lines() {
    let forward = "id,parent,x,y,z,radius\n1,,0,0,0,0.03\n2,1,0,0,1,0.02\n3,2,0.5,0.1,1.5,0.01\n4,2,-0.3,0.3,1.6,0.012\n";
    let backward = "id,parent,x,y,z,radius\n4,2,-0.3,0.3,1.6,0.012\n3,2,0.5,0.1,1.5,0.01\n2,1,0,0,1,0.02\n1,,0,0,0,0.03\n";
    let [a, b] = [forward, backward].map(|text| crate::help::plant("fork.csv", text).unwrap());
    let ((_, modes), (_, other)) = (solved(&a, 6), solved(&b, 6));
    for (mode, other) in modes.iter().zip(&other) {
        for (node, at) in a.nodes.iter().enumerate() {
            let same = b.nodes.iter().position(|found| found == at).unwrap();
            assert!((mode.displacement(node) - other.displacement(same)).norm() < 1e-7);
        }
    }
}

/// All modes of plants of one, two and a few elements, the fast ones along their axes included: a search for the slowest does not end
/// there, and `gambol modes` of a single stick failed.
#[test]
fn a_plant_of_few_elements_has_all_its_modes() {
    for elements in [1, 2, 5] {
        let plant = rod(elements, [0.3, 0.1, 0.9]);
        let count = 6 * elements;
        let (mechanics, modes) = solved(&plant, count);
        assert_eq!(modes.len(), count);
        for pair in modes.windows(2) {
            assert!(pair[0].omega_squared <= pair[1].omega_squared * (1.0 + 1e-9));
        }
        let slowest = &solved(&plant, 2).1[0];
        assert!((slowest.omega_squared / modes[0].omega_squared - 1.0).abs() < 1e-9);
        assert!(mechanics.total_mass() > 0.0);
    }
}

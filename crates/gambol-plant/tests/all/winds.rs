//! Wind on modes: equation 16 against equation 12, damping by the air, and winds themselves.

use gambol_formats::plant::WindTable;
use gambol_model::Vec3;
use gambol_plant::{AirSettings, FrontSettings, GustSettings, Wind, WindBasis};

use crate::help::{gallery, solved};

/// Points and weights of Gauss–Legendre with five points on 0..1: another rule than the library's.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_095),
    (0.230_765_344_947_158, 0.239_314_335_249_683),
    (0.5, 0.284_444_444_444_444),
    (0.769_234_655_052_842, 0.239_314_335_249_683),
    (0.953_089_922_969_332, 0.118_463_442_528_095),
];

/// Equation 12 as an integral over every element, against equation 16.
#[test]
fn the_projection_is_the_integral() {
    let plant = gallery("sapling");
    let (mechanics, modes) = solved(&plant, 5);
    let air = AirSettings { density: 1.3, drag: 0.8 };
    let basis = WindBasis::new(&mechanics, &modes, &air);
    let wind = Vec3::new(5.0, -3.0, 1.0);
    for (index, mode) in modes.iter().enumerate() {
        let mut force = 0.0;
        let mut damping = 0.0;
        for (node, parent, beam) in mechanics.elements() {
            for (s, weight) in GAUSS {
                let phi = beam.displacement(s, &mode.shape[parent], &mode.shape[node]);
                let strip = air.constant() * 2.0 * beam.radius * beam.length * weight;
                force += strip * wind.norm() * wind.dot(&phi);
                // The derivative of ‖v − ṗ‖(v − ṗ) along φ, by differences.
                let h = 1e-4;
                let drag = |rate: f64| {
                    let v = wind - phi * rate;
                    v * v.norm()
                };
                damping -= strip * phi.dot(&((drag(h) - drag(-h)) / (2.0 * h)));
            }
        }
        let found = basis.force(index, wind);
        assert!(
            (found - force).abs() < 1e-11 * basis.projection[index].norm() * wind.norm_squared(),
            "{found} {force}"
        );
        let found = basis.aerodynamic_damping(index, wind);
        assert!((found / damping - 1.0).abs() < 1e-6, "{found} is not {damping}");
    }
    assert_eq!(basis.aerodynamic_damping(0, Vec3::zeros()), 0.0);
}

/// With residual shapes a steady wind is exact with two modes as with twenty.
#[test]
fn residual_shapes_make_steady_wind_exact() {
    let plant = gallery("sapling");
    let (mechanics, modes) = solved(&plant, 20);
    let air = AirSettings::default();
    let steady = |count: usize| -> Vec<Vec3> {
        let basis = WindBasis::new(&mechanics, &modes[..count], &air);
        (0..plant.len())
            .map(|node| {
                let by_modes = modes[..count].iter().zip(&basis.projection);
                by_modes.map(|(mode, p)| mode.displacement(node) * (p.y / mode.omega_squared)).sum::<Vec3>()
                    + basis.residual[1][node]
            })
            .collect()
    };
    let (two, twenty) = (steady(2), steady(20));
    let size = twenty.iter().map(Vec3::norm_squared).sum::<f64>().sqrt();
    let error = two.iter().zip(&twenty).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt();
    assert!(error < 1e-9 * size, "{error} of {size}");
}

#[test]
fn bearings_are_those_of_weather_reports() {
    let towards = |degrees| Wind::from_bearing(2.0, degrees).at(Vec3::zeros(), 0.0);
    assert!((towards(270.0) - Vec3::new(2.0, 0.0, 0.0)).norm() < 1e-12);
    assert!((towards(0.0) - Vec3::new(0.0, -2.0, 0.0)).norm() < 1e-12);
    assert!((towards(90.0) - Vec3::new(-2.0, 0.0, 0.0)).norm() < 1e-12);
}

/// Their strength is what was asked for, they travel with the wind, and a seed gives them again.
#[test]
fn gusts_have_their_strength_and_travel() {
    let gusty = |seed| Wind::from_bearing(8.0, 270.0).with_gusts(0.3, seed, &GustSettings::default());
    let wind = gusty(3);
    let samples: Vec<f64> = (0..20_000).map(|k| wind.at(Vec3::zeros(), 0.1 * f64::from(k)).x - 8.0).collect();
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let spread = (samples.iter().map(|x| x * x).sum::<f64>() / count - mean * mean).sqrt();
    assert!(mean.abs() < 0.1 && (spread / 2.4 - 1.0).abs() < 0.03, "{mean} {spread}");
    let (here, there) = (wind.at(Vec3::zeros(), 5.0), wind.at(Vec3::new(16.0, 0.0, 0.0), 7.0));
    assert!((here - there).norm() < 1e-9, "16 m on it is there 2 s later");
    assert!((wind.at(Vec3::zeros(), 1.0) - gusty(3).at(Vec3::zeros(), 1.0)).norm() == 0.0);
    assert!((wind.at(Vec3::zeros(), 1.0) - gusty(4).at(Vec3::zeros(), 1.0)).norm() > 0.01);
    assert!((wind.at(Vec3::new(0.0, 30.0, 0.0), 1.0) - wind.at(Vec3::zeros(), 1.0)).norm() > 0.01);
    // Calm has no gusts.
    let calm = Wind::constant(Vec3::zeros()).with_gusts(0.3, 1, &GustSettings::default());
    assert_eq!(calm.at(Vec3::zeros(), 1.0), Vec3::zeros());
}

#[test]
fn a_front_arrives_where_and_when_it_is_said_to() {
    let front = FrontSettings::default();
    let wind = Wind::from_bearing(10.0, 270.0).with_front(front.clone());
    let speed = |x: f64, t: f64| wind.at(Vec3::new(x, 0.0, 0.0), t).norm();
    assert!((speed(0.0, 1.9) - 10.0).abs() < 1e-12);
    assert!((speed(0.0, front.arrives + front.rise) - 10.0 * front.gain).abs() < 1e-9);
    assert!((speed(50.0, front.arrives + front.rise + 5.0) - 10.0 * front.gain).abs() < 1e-9);
    assert!(speed(0.0, 60.0) < 10.001);
}

#[test]
fn recorded_winds_are_read_and_bad_ones_told() {
    let table = WindTable::from_csv("storm.csv", "t,vx,vy\n0,1,0\n2,3,2\n").unwrap();
    assert_eq!(table.at(1.0), Vec3::new(2.0, 1.0, 0.0));
    assert_eq!((table.at(-1.0), table.at(9.0)), (Vec3::new(1.0, 0.0, 0.0), Vec3::new(3.0, 2.0, 0.0)));
    let wind = Wind::recorded(table);
    assert_eq!(wind.mean(), Vec3::new(2.0, 1.0, 0.0));
    for (text, message) in [
        ("", "storm.csv: the file is empty"),
        ("t,vx\n0,1\n", "storm.csv:1: there is no column vy"),
        ("t,vx,vy\n", "no line with a wind"),
        ("t,vx,vy\n0,1,x\n", "storm.csv:2: vy: \"x\" is not a number"),
        ("t,vx,vy\n0,1,1\n0,1,1\n", "storm.csv:3: t: 0 is not later"),
        ("t,vx,vy\n0,1\n", "storm.csv:2: vy is missing"),
    ] {
        let told = WindTable::from_csv("storm.csv", text).unwrap_err().to_string();
        assert!(told.contains(message), "{told}");
    }
}

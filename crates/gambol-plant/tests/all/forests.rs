//! Forests: a tree of one is the tree, larger ones are slower, and displacements are a product of matrices.

use gambol_model::Vec3;
use gambol_plant::{
    AirSettings, Detail, Forest, ForestSettings, GustSettings, Planting, Stepping, Sway, SwaySettings, Wind,
    WindBasis, stand_of,
};

use crate::help::{gallery, solved};

/// A tree of its own size and turn 0 moves as `Sway` does: matrices in single precision against vectors in double.
#[test]
fn a_forest_of_one_is_the_tree() {
    let plant = gallery("sapling");
    let (mechanics, modes) = solved(&plant, 8);
    let basis = WindBasis::new(&mechanics, &modes, &AirSettings::default());
    let wind = Wind::from_bearing(7.0, 250.0).with_gusts(0.4, 5, &GustSettings::default());
    let settings = SwaySettings::default();
    let forest_settings = ForestSettings { sizes: [1.0, 1.0], ..ForestSettings::default() };
    for count in [1, 6] {
        let mut stand = stand_of(&plant, count, 1, Planting::Wood, &forest_settings).unwrap();
        for tree in &mut stand {
            tree.turn = 0.0;
        }
        let mut forest = Forest::new(&plant, (&modes, &basis), stand, plant.len(), &settings, &wind).unwrap();
        let mut sway = Sway::new(&modes, &basis, &settings, wind.mean(), Stepping::Exact).unwrap();
        let place = forest.instances[count - 1].place;
        for k in 0..300 {
            let time = f64::from(k) * settings.step;
            forest.step(&wind, time);
            sway.step(&basis, wind.at(place, time));
        }
        let mut moved = Vec::new();
        forest.displacements(8, &mut moved);
        let columns = 3 * plant.len();
        let own = &moved[(count - 1) * columns..];
        let expected = |node: usize| -> Vec3 {
            modes.iter().zip(sway.states()).map(|(mode, [q, _])| mode.displacement(node) * *q).sum()
        };
        let largest = (0..plant.len()).map(|node| expected(node).norm()).fold(0.0, f64::max);
        for node in 0..plant.len() {
            let found = Vec3::new(own[3 * node].into(), own[3 * node + 1].into(), own[3 * node + 2].into());
            // Eight sums in single precision.
            assert!((found - expected(node)).norm() < 1e-5 * largest, "{count} trees, node {node}");
        }
    }
}

/// Whatever the number of trees, nodes and modes: the blocked product is the plain one.
#[test]
fn displacements_are_a_product() {
    let plant = gallery("grass");
    let (mechanics, modes) = solved(&plant, 7);
    let basis = WindBasis::new(&mechanics, &modes, &AirSettings::default());
    let wind = Wind::from_bearing(3.0, 200.0);
    for (count, nodes) in [(1, 9), (4, 100), (5, 33), (11, plant.len()), (262, plant.len())] {
        let stand = stand_of(&plant, count, 2, Planting::Wood, &ForestSettings::default()).unwrap();
        let mut forest =
            Forest::new(&plant, (&modes, &basis), stand, nodes, &SwaySettings::default(), &wind).unwrap();
        for used in [3, 7] {
            let mut moved = Vec::new();
            forest.displacements(used, &mut moved);
            let (q, phi, columns) = (forest.matrix_q(), forest.matrix_phi(), 3 * forest.detail.kept.len());
            assert_eq!(moved.len(), count * columns);
            for (index, found) in moved.iter().enumerate() {
                let (tree, column) = (index / columns, index % columns);
                let plain: f32 = (0..used).map(|m| q[2 * (7 * tree + m)] * phi[m * columns + column]).sum();
                assert_eq!(*found, plain, "bit for bit, whatever registers there are");
            }
        }
    }
}

/// A tree twice as large has half the frequencies and bends twice as far, as beams of wood do.
#[test]
fn larger_trees_are_slower_and_go_farther() {
    let plant = gallery("sapling");
    let mut large = plant.clone();
    large.nodes.iter_mut().for_each(|node| *node *= 2.0);
    large.radii.iter_mut().for_each(|radius| *radius *= 2.0);
    let ((mechanics, modes), (wide, slow)) = (solved(&plant, 1), solved(&large, 1));
    assert!((slow[0].frequency() / modes[0].frequency() - 0.5).abs() < 1e-6);
    let air = AirSettings::default();
    let bend = |mechanics, modes: &[gambol_plant::PlantMode]| {
        let basis = WindBasis::new(mechanics, modes, &air);
        modes[0].reach() * basis.projection[0].norm() / modes[0].omega_squared
    };
    let gamma = |mechanics, modes: &[gambol_plant::PlantMode]| {
        WindBasis::new(mechanics, modes, &air).aerodynamic_damping(0, Vec3::x())
    };
    assert!((bend(&wide, &slow) / bend(&mechanics, &modes) - 2.0).abs() < 1e-6);
    assert!((gamma(&wide, &slow) / gamma(&mechanics, &modes) - 0.5).abs() < 1e-6);
}

#[test]
fn fewer_nodes_carry_the_others() {
    let plant = gallery("oak");
    for count in [2, 10, 100, 1000, usize::MAX] {
        let detail = Detail::new(&plant, count);
        assert!(detail.kept.len() <= count.max(2) && detail.kept[0] == 0);
        assert!(count > plant.len() || detail.kept.len() * 2 > count, "{count}: {}", detail.kept.len());
        // A plant that is moved as a whole is moved as a whole by the few.
        for binding in &detail.bindings {
            assert!(
                (0.0..=1.0).contains(&binding.share)
                    && binding.first < detail.kept.len()
                    && binding.second < detail.kept.len()
            );
        }
        for (index, node) in detail.kept.iter().enumerate() {
            assert_eq!((detail.bindings[*node].first, detail.bindings[*node].share), (index, 0.0));
        }
    }
}

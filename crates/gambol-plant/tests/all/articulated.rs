//! A plant as a creature: the same elements on hinges converge to the beams, and its basis is that of the beams.

use gambol_dynamics::Data;
use gambol_modes::{Settings, analyze};
use gambol_plant::{Constants, WoodSettings, articulated, plant_basis};

use crate::help::{gallery, plant, solved};

const FORK: &str = "id,parent,x,y,z,radius\n1,,0,0,0,0.03\n2,1,0,0,1,0.03\n3,2,0,0,2,0.025\n4,2,0.7,0,1.6,0.02\n5,3,0,0.6,2.6,0.015\n";

/// By modal analysis of rigid bodies on springs, which knows nothing of beams.
#[test]
fn links_converge_to_beams() {
    let fork = plant("fork.csv", FORK).unwrap();
    let (_, modes) = solved(&fork, 3);
    let errors: Vec<f64> = [1, 4, 16]
        .iter()
        .map(|links| {
            let spec = articulated(&fork, &WoodSettings::default(), Constants::Disc, *links).unwrap();
            let creature = spec.build().unwrap();
            let settings = Settings { count: Some(3), ..Settings::default() };
            let basis =
                analyze(&creature, &mut Data::new(&creature), creature.reference_pose(), &settings).unwrap();
            (basis.directions()[0].frequency().unwrap() / modes[0].frequency() - 1.0).abs()
        })
        .collect();
    assert!(errors[0] > errors[1] && errors[1] > errors[2] && errors[2] < 2e-3, "{errors:?}");
}

/// Coordinates of the basis move the creature's links as the mode moves the nodes.
#[test]
fn the_basis_moves_links_as_modes_move_nodes() {
    let fork = plant("fork.csv", FORK).unwrap();
    let (mechanics, modes) = solved(&fork, 2);
    let creature = articulated(&fork, &WoodSettings::default(), Constants::Disc, 1).unwrap().build().unwrap();
    let basis = plant_basis(&fork, &mechanics, &modes, &creature).unwrap();
    assert_eq!(basis.directions()[0].frequency(), Some(modes[0].frequency()));
    let small = 1e-5;
    let pose = basis.pose(&creature, &[small, 0.0]).unwrap();
    let mut data = Data::new(&creature);
    let frames = gambol_dynamics::forward_kinematics(&creature, &mut data, &pose);
    for node in 1..fork.len() {
        let along = fork.nodes[node] - fork.nodes[fork.parents[node]];
        let end = frames[node].point_in_world(along);
        let expected = fork.nodes[node] + modes[0].displacement(node) * small;
        // Beams stretch a little, and hinges turn on circles.
        assert!((end - expected).norm() < 2e-3 * small * modes[0].reach(), "node {node}");
    }
    let other = articulated(&gallery("grass"), &WoodSettings::default(), Constants::Disc, 1)
        .unwrap()
        .build()
        .unwrap();
    assert!(plant_basis(&fork, &mechanics, &modes, &other).is_err());
}

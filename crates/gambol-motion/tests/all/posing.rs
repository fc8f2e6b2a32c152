//! Poses from handles: what is in reach is met, the elastic body of any rig bends its knees to their side, and a free root is taken along.

use gambol_dynamics::{Data, Goal, forward_kinematics};
use gambol_model::samples::{Random, TreeKind, random_tree};
use gambol_motion::{
    Basis, Clip, ElasticSettings, GeodesicSettings, Keep, Prior, RootMotion, bone_end, reconstruct,
};

/// Handles taken from a pose near the mean are met, whether the root is given or has to be found.
#[test]
fn handles_of_a_pose_are_met() {
    for seed in [0, 2, 4] {
        let creature = random_tree(seed, TreeKind { bodies: 8, free_root: true, armature: true });
        let mut random = Random::new(seed);
        let poses: Vec<Vec<f64>> = (0..80).map(|_| random.pose(&creature, 0.2)).collect();
        let slices: Vec<&[f64]> = poses.iter().map(Vec::as_slice).collect();
        let settings = GeodesicSettings { keep: Keep::All, metric: None };
        let learnt = Prior::Basis(Basis::from_poses(&creature, &slices, &settings).unwrap().basis);
        let elastic = Prior::Elastic(ElasticSettings::default());
        let mut data = Data::new(&creature);
        let truth = poses[3].clone();
        let frames = forward_kinematics(&creature, &mut data, &truth).to_vec();
        let goals: Vec<Goal> = [3, 5, 7]
            .map(|body| {
                let point = bone_end(&creature, body);
                Goal { point, target: frames[body].point_in_world(point.point) }
            })
            .to_vec();
        for prior in [&learnt, &elastic] {
            let given = prior.pose_for(&creature, &mut data, &truth, &goals, RootMotion::Given).unwrap();
            // A goal within reach is missed by a millionth of its way; joints of random trees have limits that may be in it.
            assert!(given.miss < 0.02, "{seed}: {}", given.miss);
            let from = creature.reference_pose();
            let free = prior.pose_for(&creature, &mut data, from, &goals, RootMotion::Free).unwrap();
            assert!(free.miss < 0.02, "{seed}, free: {}", free.miss);
            creature.checked_pose("free", &free.pose).unwrap();
        }
        let again = reconstruct(
            &creature,
            &clip(&poses),
            &learnt,
            &[3, 5, 7].map(|body| bone_end(&creature, body)),
            RootMotion::Given,
            4,
        );
        let again = again.unwrap();
        assert!(again.frames == 4 && again.distance < 1.0 && again.miss < 0.02, "{again:?}");
    }
}

fn clip(poses: &[Vec<f64>]) -> Clip {
    Clip {
        name: String::from("poses"),
        times: (0..poses.len()).map(|k| k as f64).collect(),
        poses: poses.to_vec(),
        stride: None,
        contacts: Vec::new(),
        travel: None,
    }
}

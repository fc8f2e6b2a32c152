//! Poses from handles: what is in reach is met, the elastic body of any rig bends its knees to their side, and a free root is taken along.

use std::ops::ControlFlow;

use gambol_dynamics::{Data, Goal, forward_kinematics};
use gambol_model::samples::{Random, TreeKind, random_tree};
use gambol_model::{BodyPoint, Creature, Vec3};
use gambol_motion::samples::{stick_person, stick_pose};
use gambol_motion::{
    Basis, BasisError, Clip, ElasticSettings, FrameSelector, GeodesicSettings, Keep, Look, PoseFrames,
    PoseProcess, Prior, ProcessMethod, ProcessSettings, ProcessSpec, RootMotion, SelectorSettings, bone_end,
    reconstruct,
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
        assert!(again.poses.len() == 4 && again.distance < 1.0 && again.miss < 0.02, "{again:?}");
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

/// What a person does by two numbers, on a grid of them.
fn recorded(person: &Creature) -> Vec<Vec<f64>> {
    let numbers =
        (0..21).flat_map(|i| (0..11).map(move |j| (f64::from(i) / 10.0 - 1.0, f64::from(j) / 10.0)));
    numbers.map(|(swing, crouch)| stick_pose(person, swing, crouch, 3.0 * swing)).collect()
}

fn learnt(person: &Creature, poses: &[Vec<f64>], keep: usize) -> PoseFrames {
    let mut selector = FrameSelector::new(person, SelectorSettings { keep, fresh: 50 });
    for pose in poses {
        selector.add(pose).unwrap();
    }
    assert_eq!(selector.seen(), poses.len());
    selector.finish().unwrap()
}

fn ends(person: &Creature) -> Vec<BodyPoint> {
    let at = |name: &str| {
        let mark = person.landmarks().iter().find(|mark| mark.name() == name).unwrap();
        BodyPoint { body: mark.body, point: mark.point }
    };
    ["head", "hand.left", "hand.right", "foot.left", "foot.right"].map(at).to_vec()
}

/// Poses of a family that two numbers describe are found again from the places of their ends, although they are between the frames that
/// were learnt: all bones to within millimetres, where a body without recordings is centimetres off. The truth is the family itself.
#[test]
fn frames_say_where_bones_are_that_nobody_holds() {
    let person = stick_person();
    let prior = Prior::Frames(learnt(&person, &recorded(&person), 150));
    let elastic = Prior::Elastic(ElasticSettings::default());
    let mut random = Random::new(7);
    let unseen: Vec<Vec<f64>> = (0..20)
        .map(|_| {
            let x = random.numbers(3, 0.9);
            stick_pose(&person, x[0], x[1].abs(), x[2])
        })
        .collect();
    for (root, most) in [(RootMotion::Given, 0.004), (RootMotion::Free, 0.008)] {
        let again = reconstruct(&person, &clip(&unseen), &prior, &ends(&person), root, 20).unwrap();
        // 0.1 between frames of the grid is 6 cm of a hand; regression leaves its second order.
        assert!(again.distance < most && again.miss < 1e-3, "{root:?}: {} {}", again.distance, again.miss);
        let without = reconstruct(&person, &clip(&unseen), &elastic, &ends(&person), root, 20).unwrap();
        assert!(without.distance > 4.0 * again.distance, "{root:?}: {} {}", without.distance, again.distance);
    }
}

/// Who was only seen to lift the left hand lifts the right one as well: places of a mirrored question are the mirrored places.
#[test]
fn a_frame_counts_as_its_mirror_image() {
    let person = stick_person();
    let prior = Prior::Frames(learnt(&person, &recorded(&person), 150));
    let handles = ends(&person);
    let flip = |v: Vec3| Vec3::new(v.x, -v.y, v.z);
    let truth = stick_pose(&person, 0.65, 0.35, 0.0);
    let mut data = Data::new(&person);
    let place = |data: &mut Data, pose: &[f64], name: &str| {
        let body = person.body_index(name).unwrap();
        forward_kinematics(&person, data, pose)[body].position
    };
    let frames = forward_kinematics(&person, &mut data, &truth).to_vec();
    let seen = |k: usize| flip(frames[handles[k].body].point_in_world(handles[k].point));
    let targets = [0, 2, 1, 4, 3].map(seen);
    let poser = prior.poser(&person, &handles).unwrap();
    let found = poser.pose(&mut data, person.reference_pose(), &targets, RootMotion::Given).unwrap();
    assert!(found.miss < 1e-3, "{}", found.miss);
    for (name, twin) in [("shank.left", "shank.right"), ("lower.right", "lower.left"), ("head", "head")] {
        let apart = place(&mut data, &found.pose, name) - flip(place(&mut data, &truth, twin));
        // Angles are those of recorded frames, not of mirrored ones, and pull a little.
        assert!(apart.norm() < 0.02, "{name}: {}", apart.norm());
    }
}

/// Few frames stand for many: nobody is lost, each is near one that was kept, and what was seen a thousand times is kept once.
#[test]
fn representative_frames_stand_for_all() {
    let person = stick_person();
    let all = recorded(&person);
    let kept = learnt(&person, &all, 40);
    assert!(kept.poses().len() == 40 && (kept.counts().iter().sum::<f64>() - all.len() as f64).abs() < 1e-9);
    let mut data = Data::new(&person);
    let mut posture = |pose: &[f64]| {
        let mut pose = pose.to_vec();
        pose[..7].copy_from_slice(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        forward_kinematics(&person, &mut data, &pose).iter().map(|frame| frame.position).collect::<Vec<_>>()
    };
    let chosen: Vec<Vec<Vec3>> = kept.poses().iter().map(|pose| posture(pose)).collect();
    for pose in &all {
        let here = posture(pose);
        let far = |there: &Vec<Vec3>| here.iter().zip(there).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let nearest = chosen.iter().map(far).fold(f64::INFINITY, f64::min);
        // A grid of 21 by 11 in 40 cells: two or three steps of 6 cm from the middle of a cell to its corner.
        assert!(nearest < 0.2, "{nearest}");
    }
    let three = [0, 100, 200].map(|k| all[k].clone());
    let many: Vec<Vec<f64>> = (0..3000).map(|k| three[k % 3].clone()).collect();
    let kept = learnt(&person, &many, 10);
    assert_eq!((kept.poses().len(), kept.counts()), (3, [1000.0; 3].as_slice()));
    assert_eq!(learnt(&person, &all, 5000).poses().len(), all.len());
}

/// A hand that is pulled to the hip comes from an arm that hangs, a foot that is lifted bends its knee, and the other leg stays straight.
#[test]
fn an_elastic_person_bends_what_is_pulled() {
    let person = stick_person();
    let prior = Prior::Elastic(ElasticSettings::default());
    let handles = ends(&person);
    let mut data = Data::new(&person);
    let goal = |k: usize, target: Vec3| Goal { point: handles[k], target };
    let goals = [goal(1, Vec3::new(0.15, 0.3, 1.0)), goal(3, Vec3::new(0.2, 0.1, 0.35))];
    let found =
        prior.pose_for(&person, &mut data, person.reference_pose(), &goals, RootMotion::Given).unwrap();
    assert!(found.miss < 1e-3, "{}", found.miss);
    let angle = |name: &str| {
        let joint = person.joints().iter().find(|joint| joint.name == name).unwrap();
        found.pose[joint.q]
    };
    assert!(
        angle("knee.left") > 0.3 && angle("elbow.left") > 0.3,
        "{} {}",
        angle("knee.left"),
        angle("elbow.left")
    );
    assert!(angle("knee.right") < 1e-6, "{}", angle("knee.right"));
    let frames = forward_kinematics(&person, &mut data, &found.pose);
    let shoulder = frames[person.body_index("upper.left").unwrap()].position;
    let elbow = frames[person.body_index("lower.left").unwrap()].position;
    assert!(elbow.z < shoulder.z - 0.1, "the elbow is below the shoulder: {elbow} {shoulder}");
}

/// A process that was trained on somebody who swings and crouches poses them by their ends, its likelihood has grown, what is stopped keeps what
/// it has learnt, the same seed learns the same, and what is read from numbers says the same.
#[test]
fn a_process_learns_and_poses() {
    let person = stick_person();
    let frames = learnt(&person, &recorded(&person), 60);
    let settings = || ProcessSettings { latent: 3, inducing: 20, ..ProcessSettings::default() };
    let unseen: Vec<Vec<f64>> =
        (0..6).map(|k| stick_pose(&person, 0.3 * f64::from(k) - 0.75, 0.45, 0.0)).collect();
    let elastic = Prior::Elastic(ElasticSettings::default());
    let far = |prior: &Prior| {
        reconstruct(&person, &clip(&unseen), prior, &ends(&person), RootMotion::Given, 6).unwrap().distance
    };
    let without = far(&elastic);
    for method in ProcessMethod::ALL {
        let begin = || PoseProcess::begin(&person, frames.clone(), method, settings()).unwrap();
        let mut process = begin();
        let before = process.cost().unwrap();
        let after = process.train(30, |_, _| ControlFlow::Continue(())).unwrap();
        assert!(after < before - 50.0, "{method:?}: {before} {after}");
        assert!((process.cost().unwrap() - after).abs() < 1e-6 * after.abs());
        let mut again = begin();
        let stop = |round: usize| if round < 10 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let stopped = again.train(30, |round, _| stop(round)).unwrap();
        assert!(stopped < before && stopped > after, "{method:?}: {stopped}");
        let read = PoseProcess::from_spec(&person, frames.clone(), &process.spec()).unwrap();
        let [one, two] = [process, read].map(|process| far(&Prior::Process(Box::new(process))));
        assert!(
            one < 0.02 && one < 0.5 * without && (one - two).abs() < 1e-9,
            "{method:?}: {one} {two} {without}"
        );
    }
    let process = PoseProcess::begin(&person, frames.clone(), ProcessMethod::Fitc, settings()).unwrap();
    let whole = process.spec();
    for bad in [
        ProcessSpec { latent: whole.latent[1..].to_vec(), ..whole.clone() },
        ProcessSpec { inducing: Vec::new(), ..whole.clone() },
        ProcessSpec { inducing: vec![vec![0.0]], ..whole.clone() },
        ProcessSpec { kernel: [f64::NAN; 4], ..whole.clone() },
        ProcessSpec { block: 0, ..whole },
    ] {
        assert!(PoseProcess::from_spec(&person, frames.clone(), &bad).is_err());
    }
}

/// A head turns to what it looks at, with every prior, and hands stay where they are pulled.
#[test]
fn a_head_looks_where_it_is_told() {
    let person = stick_person();
    let learnt = Prior::Frames(learnt(&person, &recorded(&person), 100));
    let elastic = Prior::Elastic(ElasticSettings::default());
    let head = person.body_index("head").unwrap();
    let look = [Look { body: head, target: Vec3::new(2.0, 1.0, 0.8) }];
    let mut data = Data::new(&person);
    let target = Vec3::new(0.3, 0.3, 1.2);
    let goals = [Goal { point: ends(&person)[1], target }];
    for prior in [&elastic, &learnt] {
        let at = person.reference_pose();
        let (posed, past) =
            prior.pose_looking(&person, &mut data, at, &goals, &look, RootMotion::Given).unwrap();
        assert!(past < 0.05 && posed.miss < 0.01, "{past} {}", posed.miss);
        let frame = forward_kinematics(&person, &mut data, &posed.pose)[head];
        let way = (look[0].target - frame.position).normalize();
        assert!((frame.rotation * Vec3::x()).dot(&way) > 0.99);
    }
}

/// One frame, frames that stand for nothing, poses of somebody else, and targets that are not one for each handle.
#[test]
fn what_is_no_prior_is_told() {
    let person = stick_person();
    let pose = person.reference_pose().to_vec();
    let two = vec![pose.clone(), pose.clone()];
    assert_eq!(PoseFrames::new(&person, &two[..1], vec![1.0]), Err(BasisError::Frames { frames: 1 }));
    for counts in [vec![1.0], vec![1.0, 0.0], vec![1.0, f64::NAN]] {
        assert_eq!(PoseFrames::new(&person, &two, counts), Err(BasisError::Counts));
    }
    assert!(PoseFrames::new(&person, &[pose.clone(), vec![0.0]], vec![1.0; 2]).is_err());
    let frames = PoseFrames::new(&person, &two, vec![1.0; 2]).unwrap();
    let stranger = random_tree(0, TreeKind { bodies: 3, free_root: true, armature: true });
    let prior = Prior::Frames(frames);
    assert!(prior.poser(&stranger, &[]).is_err());
    let poser = prior.poser(&person, &ends(&person)).unwrap();
    let mut data = Data::new(&person);
    let told = poser.pose(&mut data, &pose, &[Vec3::zeros()], RootMotion::Given);
    assert_eq!(told, Err(BasisError::Handles { handles: 5, targets: 1 }));
    // Frozen frames and targets far out of reach: as near as it gets, and finite.
    let far = poser.pose(&mut data, &pose, &[Vec3::new(9.0, 0.0, 9.0); 5], RootMotion::Given).unwrap();
    assert!(far.miss > 5.0 && far.pose.iter().all(|x| x.is_finite()), "{}", far.miss);
    let beyond = poser.pose(&mut data, &pose, &[Vec3::repeat(1e200); 5], RootMotion::Given);
    assert_eq!(beyond, Err(BasisError::Bounds));
}

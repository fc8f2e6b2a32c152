//! A set for a game: all clips that it needs, in step with each other.

use gambol_dynamics::Data;
use gambol_gait::{SetRole, locomotion_set};

#[test]
fn clips_of_a_set_fit_each_other() {
    let creature = gambol::load("biped", &gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let mut told = Vec::new();
    let set = locomotion_set(&creature, &mut data, &|_| (), 60.0, &mut |name, done, all| {
        told.push((name.to_owned(), done, all));
    })
    .unwrap();
    let names: Vec<&str> = set.clips.iter().map(|clip| clip.performance.clip.name.as_str()).collect();
    let expected = [
        "idle",
        "walk",
        "jog",
        "run",
        "walk-left",
        "walk-right",
        "run-left",
        "run-right",
        "walk-start",
        "walk-stop",
        "run-start",
        "run-stop",
        "turn-left",
        "turn-right",
        "jump",
    ];
    assert_eq!(names, expected);
    assert!(set.left_out.is_empty(), "{:?}", set.left_out);
    // Every clip was announced, and as many as were said to come.
    let announced: Vec<&str> = told.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(announced, expected);
    assert!(told.iter().enumerate().all(|(k, (_, done, all))| *done == k && *all == expected.len()));

    let find = |name: &str| set.clips.iter().find(|clip| clip.performance.clip.name == name).unwrap();
    for clip in &set.clips {
        let (clip, report) = (&clip.performance.clip, &clip.performance.report);
        let (force, moment) = (report.residual_force.unwrap(), report.residual_moment.unwrap());
        assert!(force < 0.3 && moment < 0.3, "{}: {force:.3} {moment:.3}", clip.name);
        assert!(report.slip_mm.unwrap() < 1.0, "{}: slips", clip.name);
        assert!(report.penetration_mm.unwrap() < 1.0, "{}: {:?}", clip.name, report.penetration_mm);
    }
    // Loops of gaits begin with the touchdown of the same foot.
    let loops =
        set.clips.iter().filter(|clip| clip.role == SetRole::Loop && clip.performance.report.speed > 0.1);
    let mut count = 0;
    for clip in loops {
        let start = clip.performance.report.feet[0].stance[0][0];
        assert!(start.min(1.0 - start) < 1e-6, "{}: {start}", clip.performance.clip.name);
        assert!(clip.performance.report.loop_gap < 1e-9);
        count += 1;
    }
    assert_eq!(count, 7);
    // What starts ends in the first pose of its loop, what stops begins in it, up to the place: the free root is 7 numbers.
    for gait in ["walk", "run"] {
        let first = &find(gait).performance.clip.poses[0];
        let starts = find(&format!("{gait}-start")).performance.clip.poses.last().unwrap().clone();
        let stops = find(&format!("{gait}-stop")).performance.clip.poses[0].clone();
        for pose in [starts, stops] {
            let apart = first[7..].iter().zip(&pose[7..]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-6, "{gait}: joints differ by {apart}");
            assert!((first[2] - pose[2]).abs() < 1e-6, "{gait}: {} {} m high", first[2], pose[2]);
        }
    }
    assert!(find("walk-left").turn > 0.0 && find("run-right").turn < 0.0);
}

#[test]
fn a_creature_without_legs_has_no_set() {
    let creature = gambol::load("snake", &gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let error = locomotion_set(&creature, &mut data, &|_| (), 60.0, &mut |_, _, _| ()).unwrap_err();
    assert!(error.to_string().contains("no legs"), "{error}");
}

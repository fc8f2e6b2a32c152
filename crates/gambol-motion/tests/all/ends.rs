//! Clips packed as trajectories of their ends: sizes of the paper's table 2, poses of the clip where its basis and levels lose nothing, ends that go
//! where they are moved, and shared bases.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::samples::Random;
use gambol_model::{BodyPoint, Creature, Vec3, math};
use gambol_motion::samples::{stick_person, stick_pose};
use gambol_motion::{
    Basis, BasisError, Clip, EndsChoice, EndsSettings, GeodesicSettings, Keep, Pack, PackEdit, PackError,
    PackSettings, edit_pack, end_points, ends_floats, level_sizes, pack, pack_ends, pack_with,
};

/// Two seconds of somebody who swings and crouches, and walks a circle.
fn dance(person: &Creature, keys: usize) -> Clip {
    let times: Vec<f64> = (0..keys).map(|k| k as f64 / 60.0).collect();
    let pose = |t: &f64| {
        let mut pose = stick_pose(person, math::sin(3.0 * t), 0.5 + 0.4 * math::cos(2.0 * t), 0.3 * t);
        pose[0] += 0.4 * math::sin(0.5 * t);
        pose[1] += 0.4 * math::cos(0.5 * t);
        pose
    };
    let poses = times.iter().map(pose).collect();
    Clip { name: "dance".into(), times, poses, stride: None, contacts: Vec::new(), travel: None }
}

/// Table 2 of Tournier and others (2009): frames, directions, levels of the root and of the ends, and the printed ratio.
#[test]
fn sizes_are_those_of_the_paper() {
    let rows = [
        (141, 6, [4, 4], 17.9, 18.0),
        (6179, 12, [8, 8], 182.7, 182.0),
        (22948, 17, [12, 12], 69.3, 69.0),
        (4499, 15, [9, 9], 97.1, 97.0),
        (2783, 12, [8, 9], 61.5, 61.0),
    ];
    for (frames, directions, levels, ratio, printed) in rows {
        let sizes = level_sizes(frames);
        let samples = levels.map(|levels| sizes[sizes.len() - levels]);
        let [original, packed] = ends_floats(frames, 31, directions, samples, 5);
        assert_eq!(original, 96 * frames);
        assert_eq!(packed, 93 * (directions + 1) + 6 * samples[0] + 15 * samples[1]);
        let found = original as f64 / packed as f64;
        assert!((found - ratio).abs() < 0.05 && (found - printed).abs() < 1.0, "{frames}: {found}");
    }
}

/// With all levels and all directions, poses come back; fewer levels cost a little, and the file is as large as its numbers.
#[test]
fn a_dance_comes_back_from_its_ends() {
    let person = stick_person();
    let clip = dance(&person, 121);
    let pack = |count: usize, levels: [usize; 2]| {
        let settings = EndsSettings { count, smooth: 1e-6, ..EndsSettings::default() };
        pack_ends(&person, &clip, &settings, &EndsChoice { levels: Some(levels), ..EndsChoice::default() })
    };
    let whole = pack(4, [8, 8]).unwrap();
    // The dance goes in two ways, up to what is curved about them: four directions leave millimetres.
    assert!(whole.comparison.rms < 5e-3, "{}", 1e3 * whole.comparison.rms);
    assert_eq!((whole.samples, whole.ends.len()), ([121, 121], 5));
    let coarser = pack(4, [5, 5]).unwrap();
    assert_eq!(coarser.samples, [16, 16]);
    assert!(coarser.comparison.rms < 0.02 && coarser.comparison.rms >= whole.comparison.rms);
    let nv = person.nv() - 6;
    let numbers = |samples: usize| 4 * (nv * 5 + samples * 21);
    for report in [&whole, &coarser] {
        let rest = report.bytes.len() - numbers(report.samples[0]);
        assert!(rest < 300, "{rest}");
    }
    assert!(matches!(pack(99, [5, 5]), Err(PackError::Basis(BasisError::Rank { count: 99, .. }))));
}

/// Somebody who does one thing and then another has a basis for each, and does not jump between them.
#[test]
fn parts_have_bases_of_their_own() {
    let person = stick_person();
    let mut clip = dance(&person, 241);
    let other = dance(&person, 241);
    for key in 120..241 {
        // Mirrored arms: another motion altogether, taken up at the same pose.
        let share = ((key - 120) as f64 / 40.0).min(1.0);
        let mut way = vec![0.0; person.nv()];
        let joint = person.joints().iter().find(|joint| joint.name == "shoulder.right").unwrap();
        way[joint.v + 2] = share * 1.2 * math::sin(9.0 * clip.times[key]);
        clip.poses[key].clone_from(&other.poses[key]);
        person.integrate(&mut clip.poses[key], &way, 1.0);
    }
    let found = |parts: usize| {
        let settings = EndsSettings { count: 2, left_out: 0, parts, ..EndsSettings::default() };
        pack_ends(&person, &clip, &settings, &EndsChoice::default()).unwrap()
    };
    let (one, two) = (found(1), found(2));
    assert!(two.comparison.rms < 0.9 * one.comparison.rms, "{} {}", two.comparison.rms, one.comparison.rms);
    let read = Pack::open(&person, &two.bytes).unwrap().clip();
    let mut way = vec![0.0; person.nv()];
    for (true_pair, pair) in clip.poses.windows(2).zip(read.poses.windows(2)) {
        person.difference(&pair[0], &pair[1], &mut way);
        let far = way.iter().skip(6).fold(0.0_f64, |most, x| most.max(x.abs()));
        person.difference(&true_pair[0], &true_pair[1], &mut way);
        let own = way.iter().skip(6).fold(0.0_f64, |most, x| most.max(x.abs()));
        assert!(far < own + 0.12, "no joint jumps: {far} where it goes by {own}");
    }
}

fn places(person: &Creature, clip: &Clip, end: BodyPoint) -> Vec<Vec3> {
    let mut data = Data::new(person);
    let place =
        |pose: &Vec<f64>| forward_kinematics(person, &mut data, pose)[end.body].point_in_world(end.point);
    clip.poses.iter().map(place).collect()
}

/// A hand that is moved in a packed clip is there when it is unpacked, nothing moves at other times, and taking the edit away gives the same bytes as
/// before: for both methods, and for a body that has no trajectory of its own.
#[test]
fn ends_are_moved_in_packed_clips() {
    let person = stick_person();
    let clip = dance(&person, 121);
    let settings = EndsSettings { count: 6, left_out: 1, ..EndsSettings::default() };
    let ends = pack_ends(&person, &clip, &settings, &EndsChoice::default()).unwrap().bytes;
    let direct = pack(&person, &clip, &PackSettings::default()).unwrap().bytes;
    let of_hand = |end: &BodyPoint| person.bodies()[end.body].name == "lower.left";
    let hand = end_points(&person).into_iter().find(of_hand).unwrap();
    let forearm =
        BodyPoint { body: person.body_index("lower.right").unwrap(), point: Vec3::new(0.0, -0.15, 0.0) };
    let offset = Vec3::new(0.03, -0.05, 0.04);
    for (bytes, end, near) in
        [(&ends, hand, 1e-5), (&direct, hand, 1e-5), (&direct, forearm, 1e-5), (&ends, forearm, 1e-5)]
    {
        let edit = PackEdit { point: end, offset, start: 0.5, length: 0.8 };
        let edited = edit_pack(&person, bytes, None, std::slice::from_ref(&edit), false).unwrap();
        assert!(edited.misses[0] < near && edited.edits == 1, "{:?}", edited.misses);
        let [before, after] = [bytes, &edited.bytes]
            .map(|bytes| places(&person, &Pack::open(&person, bytes).unwrap().clip(), end));
        for (time, (before, after)) in clip.times.iter().zip(before.iter().zip(&after)) {
            let share = ((time - 0.5) / 0.8).clamp(0.0, 1.0);
            let wanted = before + offset * math::square(math::sin(std::f64::consts::PI * share));
            // λ keeps a frame near to the one before, so that an edit dies away after its end.
            let near = if share < 1.0 || end == forearm { near } else { 0.01 };
            assert!((after - wanted).norm() < near + 1e-6, "{time}: {}", (after - wanted).norm());
        }
        let cleared = edit_pack(&person, &edited.bytes, None, &[], true).unwrap();
        assert_eq!(&cleared.bytes, bytes);
    }
    // A hand does not go ten metres away, and says how far it is from there.
    let edit = PackEdit { point: hand, offset: Vec3::new(10.0, 0.0, 0.0), start: 0.5, length: 0.8 };
    let far = edit_pack(&person, &ends, None, &[edit], false).unwrap().misses[0];
    assert!(far > 8.0 && far < 10.0, "{far}");
    let told = |edit: PackEdit| edit_pack(&person, &direct, None, &[edit], false).unwrap_err().to_string();
    let edit = PackEdit { point: hand, offset, start: 0.5, length: 0.8 };
    assert!(told(PackEdit { start: 7.0, ..edit.clone() }).contains("the clip ends at 2.000 s"));
    assert!(told(PackEdit { length: 0.0, ..edit.clone() }).contains("above 0"));
    assert!(told(PackEdit { point: BodyPoint { body: 99, ..hand }, ..edit }).contains("no body"));
}

/// Clips that share a basis are smaller, come back with it, and say so without it or with another.
#[test]
fn a_basis_is_shared() {
    let person = stick_person();
    let clip = dance(&person, 121);
    let geodesics = |count| GeodesicSettings { keep: Keep::Count(count), metric: None };
    let basis = Basis::from_clips(&person, [&clip], &geodesics(6)).unwrap().basis;
    let other = Basis::from_clips(&person, [&clip], &geodesics(5)).unwrap().basis;
    let shared = Some((&basis, "dance.basis"));
    let settings = PackSettings { count: Some(6), ..PackSettings::default() };
    let [own, less] = [None, shared].map(|shared| pack_with(&person, &clip, &settings, shared).unwrap());
    assert!(less.bytes.len() < own.bytes.len() && less.comparison.shell_error <= 1e-3);
    let choice = EndsChoice { shared, ..EndsChoice::default() };
    let ends = EndsSettings { count: 6, ..EndsSettings::default() };
    let by_ends = pack_ends(&person, &clip, &ends, &choice).unwrap();
    let apart = pack_ends(&person, &clip, &ends, &EndsChoice::default()).unwrap();
    assert!((by_ends.comparison.rms - apart.comparison.rms).abs() < 1e-3);
    assert!(by_ends.bytes.len() + 400 < apart.bytes.len());
    for bytes in [&less.bytes, &by_ends.bytes] {
        assert_eq!(Pack::basis_of(bytes).unwrap().as_deref(), Some("dance.basis"));
        assert!(Pack::open_with(&person, bytes, Some(&basis)).is_ok());
        assert!(matches!(Pack::open(&person, bytes), Err(PackError::NeedsBasis { .. })));
        let wrong = Pack::open_with(&person, bytes, Some(&other));
        assert!(matches!(wrong, Err(PackError::OtherBasis { .. })));
    }
    assert_eq!(Pack::basis_of(&own.bytes).unwrap(), None);
}

/// Any bit may be another: an error, or a clip.
#[test]
fn damaged_bytes_are_told() {
    let person = stick_person();
    let clip = dance(&person, 31);
    let settings = EndsSettings { count: 3, ..EndsSettings::default() };
    let bytes = pack_ends(&person, &clip, &settings, &EndsChoice::default()).unwrap().bytes;
    for length in 0..bytes.len() {
        assert!(Pack::open(&person, &bytes[..length]).is_err(), "{length}");
    }
    let mut random = Random::new(9);
    for _ in 0..200 {
        let mut bad = bytes.clone();
        let place = random.below(bad.len());
        bad[place] ^= 1 << random.below(8);
        if let Ok(read) = Pack::open(&person, &bad) {
            read.clip().check(&person).unwrap();
        }
    }
    let frozen = Clip { poses: vec![clip.poses[0].clone(); 31], ..clip };
    let told = pack_ends(&person, &frozen, &settings, &EndsChoice::default());
    assert!(matches!(told, Err(PackError::Basis(BasisError::Still { .. }))), "{told:?}");
}

//! Bases and packed clips as files: they come back bit for bit, name the joints that another creature lacks, and damage is told.

use gambol_formats::basis::{JointMatch, creature_of_basis, from_basis_file, to_basis_file};
use gambol_formats::pack::{clip_of_pack, creature_of_pack, to_pack_file};
use gambol_formats::prior::{from_prior_file, prior_of_file, to_prior_file, to_process_file};
use gambol_model::samples::{Random, TreeKind, chain, random_tree};
use gambol_model::{Creature, Vec3};
use gambol_motion::samples::wander;
use gambol_motion::{
    Basis, BasisSpec, Direction, GeodesicSettings, Keep, Metric, PackSettings, PoseFrames, PoseProcess,
    Prior, ProcessMethod, ProcessSettings, Stride, compare, pack,
};
use nalgebra::DMatrix;

fn tree() -> Creature {
    random_tree(2, TreeKind { bodies: 6, free_root: true, armature: true })
}

fn basis(creature: &Creature, metric: Metric) -> Basis {
    let mut random = Random::new(3);
    let poses: Vec<Vec<f64>> = (0..20).map(|_| random.pose(creature, 0.4)).collect();
    let poses: Vec<&[f64]> = poses.iter().map(Vec::as_slice).collect();
    let settings = GeodesicSettings { keep: Keep::Count(4), metric: Some(metric) };
    Basis::from_poses(creature, &poses, &settings).unwrap().basis
}

#[test]
fn a_basis_comes_back_bit_for_bit() {
    let creature = tree();
    let own = DMatrix::from_fn(creature.nv(), creature.nv(), |i, j| if i == j { 2.0 } else { 0.1 });
    for metric in [Metric::Joint, Metric::Mass, Metric::position(&creature), Metric::Matrix(own)] {
        let basis = basis(&creature, metric);
        let text = to_basis_file(&creature, &basis);
        assert_eq!(from_basis_file("a.basis", &text, &creature, JointMatch::Same).unwrap(), basis);
        assert_eq!(from_basis_file("a.basis", &text, &creature, JointMatch::ByName).unwrap(), basis);
        assert_eq!(creature_of_basis("a.basis", &text).unwrap(), creature.name());
    }
    // What every value is as likely of, and a frequency.
    let mut rigid = Direction::new(vec![1.0; creature.nv()]);
    (rigid.spread, rigid.omega_squared) = (f64::INFINITY, Some(0.0));
    let spec = BasisSpec::new(creature.reference_pose().to_vec(), Metric::Joint, vec![rigid]);
    let basis = Basis::new(&creature, spec).unwrap();
    let text = to_basis_file(&creature, &basis);
    assert_eq!(from_basis_file("a.basis", &text, &creature, JointMatch::Same).unwrap(), basis);
}

#[test]
fn a_basis_of_another_skeleton_names_the_joints() {
    let (creature, other) = (tree(), chain(3));
    let text = to_basis_file(&creature, &basis(&creature, Metric::Joint));
    let told = from_basis_file("a.basis", &text, &other, JointMatch::Same).unwrap_err().to_string();
    let [joint, link] = [&creature, &other].map(|creature| creature.joints()[1].name.clone());
    assert!(told.contains(&format!("{joint:?}")) && told.contains(&format!("{link:?}")), "{told}");
    let told = from_basis_file("a.basis", &text, &other, JointMatch::ByName).unwrap_err().to_string();
    assert!(told.contains("no joint in common"), "{told}");
}

#[test]
fn damaged_bases_are_told() {
    let creature = tree();
    let text = to_basis_file(&creature, &basis(&creature, Metric::Joint));
    let told =
        |text: &str| from_basis_file("a.basis", text, &creature, JointMatch::Same).unwrap_err().to_string();
    for (from, to, message) in [
        ("gambol-basis", "gambol-gait", "this is no basis"),
        ("\"version\":1", "\"version\":7", "version 7 of the format"),
        ("\"free\"", "\"wheel\"", "\"wheel\" is no kind of joint"),
        ("\"mean\":[", "\"mean\":[0.0,", "\"mean\" has not one number"),
        ("\"shape\":[", "\"shape\":[0.0,", "has not one number"),
        ("\"name\":\"joint\"", "\"name\":\"taste\"", "this is no basis"),
        ("\"spread\":", "\"spread\":-", "above 0"),
    ] {
        let bad = text.replacen(from, to, 1);
        assert_ne!(bad, text, "{from}");
        assert!(told(&bad).contains(message), "{from}: {}", told(&bad));
    }
    for length in (0..text.len()).step_by(97) {
        assert!(told(&text[..length]).starts_with("a.basis:"));
    }
}

#[test]
fn a_prior_comes_back_and_damage_is_told() {
    let creature = tree();
    let mut random = Random::new(9);
    let poses: Vec<Vec<f64>> = (0..5).map(|_| random.pose(&creature, 0.4)).collect();
    let frames = PoseFrames::new(&creature, &poses, vec![1.0, 2.0, 3.0, 4.0, 5.5]).unwrap();
    let text = to_prior_file(&creature, &frames);
    let read = |text: &str| from_prior_file("a.prior", text, &creature, JointMatch::Same);
    let back = read(&text).unwrap();
    assert_eq!(back.counts(), frames.counts());
    let numbers = |frames: &PoseFrames| frames.poses().iter().flatten().copied().collect::<Vec<f64>>();
    for (a, b) in numbers(&back).iter().zip(numbers(&frames)) {
        // Six digits behind the point, and quaternions of length 1 again.
        assert!((a - b).abs() < 2e-6, "{a} {b}");
    }
    // Written again, it is the same text but for the last digit of quaternions.
    assert_eq!(read(&to_prior_file(&creature, &back)).unwrap().poses().len(), 5);
    let told = |text: &str| read(text).unwrap_err().to_string();
    for (from, to, message) in [
        ("gambol-prior", "gambol-basis", "this is no prior"),
        ("\"version\":1", "\"version\":7", "version 7 of the format"),
        ("\"free\"", "\"wheel\"", "\"wheel\" is no kind of joint"),
        ("\"poses\":[[", "\"poses\":[[0.0,", "pose 0 has not one number"),
        ("\"counts\":[1.0", "\"counts\":[-1.0", "a count above 0"),
        ("\"counts\":[1.0,", "\"counts\":[", "a count above 0"),
        ("\"poses\":[[", "\"poses\":[[1e999,", "this is no prior"),
    ] {
        let bad = text.replacen(from, to, 1);
        assert_ne!(bad, text, "{from}");
        assert!(told(&bad).contains(message), "{from}: {}", told(&bad));
    }
    for length in (0..text.len()).step_by(97) {
        assert!(told(&text[..length]).starts_with("a.prior:"));
    }
    // A process of the same poses says where they are as before; what does not go together is told.
    let settings = ProcessSettings { latent: 2, inducing: 3, ..ProcessSettings::default() };
    let process = PoseProcess::begin(&creature, frames, ProcessMethod::Fitc, settings).unwrap();
    let text = to_process_file(&creature, &process);
    let of = |text: &str| prior_of_file("a.prior", text, &creature, JointMatch::Same);
    match of(&text).unwrap() {
        Prior::Process(read) => assert_eq!(read.spec(), process.spec()),
        other => panic!("{other:?}"),
    }
    assert!(matches!(of(&to_prior_file(&creature, &back)), Ok(Prior::Frames(_))));
    for (from, to, message) in [
        ("\"fitc\"", "\"magic\"", "\"magic\" is no method: gp, dtc, pitc and fitc are"),
        ("\"fitc\"", "\"gp\"", "inducing points do not go with its method"),
        ("\"latent\":[[", "\"latent\":[[0.0,", "the same number of hidden coordinates"),
        ("\"block\":100", "\"block\":0", "inducing points do not go with its method"),
    ] {
        let bad = text.replacen(from, to, 1);
        assert_ne!(bad, text, "{from}");
        let told = of(&bad).unwrap_err().to_string();
        assert!(told.contains(message), "{from}: {told}");
    }
    let strange = from_prior_file("a.prior", &text, &chain(3), JointMatch::Same).unwrap_err().to_string();
    assert!(strange.contains("its joints are not those of"), "{strange}");
}

#[test]
fn a_packed_clip_is_a_clip_and_damage_is_told() {
    let creature = tree();
    let clip = wander(&creature, 5, 50, 0.5, Stride { yaw: 0.1, shift: Vec3::x() });
    let bytes = to_pack_file(&pack(&creature, &clip, &PackSettings::default()).unwrap().bytes);
    assert_eq!(creature_of_pack("a.pack", &bytes).unwrap(), creature.name());
    let read = clip_of_pack("a.pack", &bytes, &creature).unwrap();
    assert!(compare(&creature, &clip, &read).unwrap().shell_error <= 1e-3);
    assert_eq!((read.contacts.len(), read.stride), (clip.contacts.len(), clip.stride));
    let told = |bytes: &[u8]| clip_of_pack("a.pack", bytes, &creature).unwrap_err().to_string();
    assert!(told(b"").contains("this is no packed clip"));
    assert!(told(&bytes[..10]).contains("ends early"));
    for place in (12..bytes.len()).step_by(31) {
        let mut bad = bytes.clone();
        bad[place] ^= 4;
        assert!(told(&bad).contains("checksum"), "{place}");
        assert!(told(&bytes[..place]).contains("checksum"), "{place}");
    }
    assert!(clip_of_pack("a.pack", &bytes, &chain(3)).unwrap_err().to_string().contains("joints or bones"));
}

//! The front door: every creature of the gallery moves in one call, as the rooms behind it make it move, and goes home as
//! a file.

use gambol::dynamics::Data;
use gambol::gait::{Sampling, Wish, gaits_for, perform, prepare};
use gambol::render::Format;
use gambol::{LoadOptions, animate, gallery, load};

#[test]
fn every_creature_of_the_gallery_moves() {
    for name in gallery::names() {
        let creature = load(name, &LoadOptions::default()).unwrap();
        let usual = ["walk", "crawl", "roll"];
        let moved = usual.iter().find_map(|gait| animate(&creature, gait).ok()).expect(name);
        assert!(moved.report.speed > 0.0, "{name} does not get on");
        assert!(moved.clip.poses.len() > 3 && moved.clip.travel.is_some(), "{name}");
        assert!(gaits_for(&moved.body, &mut Data::new(&moved.body.creature)).len() > 10);
    }
}

/// As long a way through the house gives: a preset in its own pose, and a gait of the list.
#[test]
fn it_is_what_the_rooms_make() {
    for (name, gait) in [("human", "run"), ("human", "walk"), ("snake", "slither")] {
        let creature = load(name, &LoadOptions::default()).unwrap();
        let moved = animate(&creature, gait).unwrap();
        let mut data = Data::new(&creature);
        let (body, designed) = prepare(creature, &mut data, gait, |_| (), &Wish::default()).unwrap();
        let played =
            perform(&body, &mut data, &designed.gait, &Sampling { seconds: None, fps: 60.0 }).unwrap();
        assert_eq!(moved.gait, designed.gait);
        assert_eq!(moved.clip.poses, played.clip.poses);
        assert_eq!(moved.report, played.report);
    }
    let human = load("human", &LoadOptions::default()).unwrap();
    assert_eq!(animate(&human, "run").unwrap().gait.style.pose.as_deref(), Some("run"));
    let error = animate(&human, "trot").unwrap_err().to_string();
    assert!(error.contains("human cannot trot: that takes two pairs of legs"), "{error}");
}

#[test]
fn it_is_saved_by_its_ending() {
    let folder = tempfile::tempdir().unwrap();
    let dog = load("dog", &LoadOptions::default()).unwrap();
    let trot = animate(&dog, "trot").unwrap();
    let file = folder.path().join("trot.GLB");
    trot.save(&file).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), trot.render(Format::Glb).unwrap());
    trot.save(&file).unwrap(); // again
    let error = trot.save(folder.path().join("trot.doc")).unwrap_err().to_string();
    assert!(
        error.ends_with("trot.doc: the ending is none of glb, gltf, bvh, json, npz, png, svg, gif, apng"),
        "{error}"
    );
    assert!(!folder.path().join("trot.doc").exists());
}

//! The gallery's creatures can be drawn in every way there is, and are to be seen.

use gambol::model::Creature;
use gambol::picture::{
    Drawing, Look, Marks, ModeTile, Paint, Picture, Tile, View, best_view, mode_sheet, sheet, three_views,
};
use gambol::{LoadOptions, gallery, load};

fn creature(name: &str) -> Creature {
    load(name, &LoadOptions::default()).expect("the gallery is valid")
}

/// The reference pose moved along one joint's coordinates.
fn moved(creature: &Creature, along: &[(&str, usize, f64)]) -> Vec<f64> {
    let mut velocity = vec![0.0; creature.nv()];
    for &(joint, axis, angle) in along {
        let joint = creature.joint_index(joint).expect("the joint is there");
        velocity[creature.joints()[joint].v + axis] = angle;
    }
    let mut pose = creature.reference_pose().to_vec();
    creature.integrate(&mut pose, &velocity, 1.0);
    pose
}

/// Share of the pixels that are not page.
fn ink(picture: &Picture) -> f64 {
    let png = picture.to_png(1.0).expect("a picture of usual size");
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((f64::from(info.width), f64::from(info.height)), (picture.width, picture.height));
    let inked = bytes.chunks_exact(3).filter(|pixel| **pixel != [255; 3]).count();
    inked as f64 / f64::from(info.width * info.height)
}

#[test]
fn every_creature_is_to_be_seen_in_every_picture() {
    for name in gallery::names() {
        let creature = creature(name);
        let rest = creature.reference_pose().to_vec();
        let mut bent = rest.clone();
        creature.integrate(&mut bent, &vec![0.1; creature.nv()], 1.0);
        let tile =
            ModeTile { caption: "u6  1.36 Hz".into(), name: "bend".into(), poses: [rest, bent.clone()] };
        let look =
            Look { paint: Paint::Ghost, skeleton: true, ground: true, shadow: true, landmarks: Marks::Named };
        let drawing = Drawing::new(&creature, &bent, View::three_quarter());
        let pictures = [
            ("views", three_views(&creature, &bent)),
            ("modes", mode_sheet(&creature, name, &[tile.clone(), tile])),
            ("sheet", sheet(&[Tile { drawing, look, caption: name.into() }], 5)),
        ];
        for (kind, picture) in pictures {
            let svg = picture.to_svg();
            roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{name} {kind}: {error}"));
            let ink = ink(&picture);
            assert!(ink > 0.01, "{name} {kind}: {ink}");
        }
    }
}

#[test]
fn a_picture_is_the_same_every_time() {
    let dog = creature("dog");
    let svg = || three_views(&dog, dog.reference_pose()).to_svg();
    assert_eq!(svg(), svg());
}

#[test]
fn a_motion_is_seen_from_where_it_shows() {
    let human = creature("human");
    let rest = human.reference_pose();
    let view = |along: &[(&str, usize, f64)]| best_view(&human, [&moved(&human, along), rest]).name;
    assert_eq!(view(&[("hip.left", 1, 0.5), ("hip.right", 1, 0.5)]), "side");
    assert_eq!(view(&[("hip.left", 0, 0.4), ("hip.right", 0, 0.4)]), "front");
    let snake = creature("snake");
    let mut aside = snake.reference_pose().to_vec();
    aside[1] += 0.3;
    assert_eq!(best_view(&snake, [&aside, snake.reference_pose()]).name, "top");
}

/// Legs that swing against each other change places from one extreme to the other: seen from the side, the second
/// pose would hide behind the first.
#[test]
fn a_motion_that_covers_itself_is_seen_from_aslant() {
    let human = creature("human");
    let stride = |angle: f64| moved(&human, &[("hip.left", 1, angle), ("hip.right", 1, -angle)]);
    assert_eq!(best_view(&human, [&stride(0.5), &stride(-0.5)]).name, "three-quarter");
}

//! A picture says the same as SVG and as PNG, whatever is on it, and gets into a file whole or not at all.

use gambol_formats::WriteError;
use gambol_model::samples::{TreeKind, chain, random_tree};
use gambol_model::{BodySpec, Creature, CreatureSpec, InertiaSpec, JointSpec, MassProperties, Mat3, Vec3};
use gambol_picture::{
    Anchor, Colour, Item, ModeTile, Picture, PictureError, Stroke, mode_sheet, sheet, text_width,
    three_views, write,
};

const RED: Colour = Colour::hex(0xff_00_00);
const BLUE: Colour = Colour::hex(0x00_00_ff);

/// Width, height and pixels as red, green, blue.
fn decode(png: &[u8]) -> (u32, u32, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width, info.height, bytes.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect())
}

fn assert_good(picture: &Picture) {
    let svg = picture.to_svg();
    let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    assert_eq!(document.root_element().tag_name().name(), "svg");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let (width, height, pixels) = decode(&picture.to_png(1.0).unwrap());
    assert_eq!((f64::from(width), f64::from(height)), (picture.width, picture.height));
    assert_eq!(pixels.len(), (width * height) as usize);
}

fn all_items() -> Picture {
    let mut picture = Picture::new(100.0, 80.0);
    let stroke = Stroke { colour: BLUE, width: 2.0 };
    picture.rectangle([10.0, 10.0], [30.0, 30.0], RED, Some(stroke));
    picture.line([50.0, 40.0], [90.0, 40.0], stroke);
    let circle = Item::Circle {
        centre: [70.0, 20.0],
        radius: 8.0,
        fill: Colour { alpha: 128, ..BLUE },
        outline: None,
        title: "<&\">".to_owned(),
    };
    picture.items.push(circle);
    picture.text([50.0, 70.0], Anchor::Middle, 14.0, RED, "a < b & \"c\" \u{1} °²");
    picture
}

#[test]
fn every_item_is_painted_where_it_says() {
    let picture = all_items();
    assert_good(&picture);
    let (width, _, pixels) = decode(&picture.to_png(1.0).unwrap());
    let at = |x: u32, y: u32| pixels[(y * width + x) as usize];
    assert_eq!(at(20, 20), [255, 0, 0]);
    assert_eq!(at(10, 20), [0, 0, 255], "outline");
    assert_eq!(at(70, 39), [0, 0, 255], "line");
    assert_eq!(at(70, 20), [127, 127, 255], "half transparent");
    assert_eq!(at(0, 0), [255, 255, 255]);
    let written = (55..75).flat_map(|y| (0..100).map(move |x| (x, y))).filter(|&(x, y)| at(x, y)[1] < 128);
    assert!(written.count() > 30, "text is to be seen");
}

#[test]
fn text_can_be_found_in_an_svg() {
    let svg = all_items().to_svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let text = document.descendants().find(|node| node.has_tag_name("text")).unwrap();
    assert_eq!(text.text(), Some("a < b & \"c\"   °²"));
    let titles: Vec<_> = document.descendants().filter(|node| node.has_tag_name("title")).collect();
    assert_eq!(titles[0].text(), Some("<&\">"));
}

#[test]
fn png_has_the_size_that_was_asked_for_or_none() {
    let picture = all_items();
    for (scale, size) in [(1.0, (100, 80)), (2.0, (200, 160)), (0.5, (50, 40))] {
        let (width, height, _) = decode(&picture.to_png(scale).unwrap());
        assert_eq!((width, height), size);
    }
    for scale in [0.0, -1.0, 1e9, f64::NAN, f64::INFINITY] {
        assert!(matches!(picture.to_png(scale), Err(PictureError::Size { .. })), "{scale}");
    }
}

#[test]
fn long_text_is_cut_to_fit() {
    for text in ["left-right sway of the trunk", "......................", "mmmmmmmmmmmmmmm", "mm", ""] {
        let mut picture = Picture::new(100.0, 20.0);
        picture.text_within(60.0, [50.0, 15.0], Anchor::Middle, 12.0, RED, text);
        let Item::Text { text, size, .. } = &picture.items[0] else { panic!("no text") };
        assert!(text_width(text, *size) <= 60.0, "{text:?} at {size}");
    }
}

fn without_shapes() -> Creature {
    let mut spec = CreatureSpec::new("bones");
    let mass = MassProperties { mass: 1.0, com: Vec3::z(), inertia: Mat3::identity() };
    for parent in 0..3 {
        let mut body = BodySpec::new(format!("bone.{parent}"));
        body.parent_from_body.translation.vector = Vec3::z();
        body.joints.push(JointSpec::hinge("", Vec3::y()));
        body.inertia = InertiaSpec::Given(mass);
        spec.add_body(parent, body).unwrap();
    }
    spec.build().unwrap()
}

#[test]
fn creatures_of_all_kinds_can_be_drawn() {
    let mut creatures: Vec<_> = (0..6)
        .map(|seed| random_tree(seed, TreeKind { bodies: 12, free_root: seed % 2 == 0, armature: false }))
        .collect();
    creatures.extend([chain(30), without_shapes()]);
    for creature in &creatures {
        let rest = creature.reference_pose().to_vec();
        let mut bent = rest.clone();
        creature.integrate(&mut bent, &vec![0.3; creature.nv()], 1.0);
        assert_good(&three_views(creature, &bent));
        let tile = ModeTile { caption: "u6".into(), name: "all".into(), poses: [rest, bent] };
        assert_good(&mode_sheet(creature, "modes", &[tile.clone(), tile]));
    }
    assert_good(&mode_sheet(&creatures[0], "nothing", &[]));
    assert_good(&sheet(&[], 3));
}

#[test]
fn a_file_is_kept_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let picture = all_items();
    for name in ["a.svg", "b.png", "c.PNG"] {
        let file = folder.path().join(name);
        std::fs::write(&file, "old").unwrap();
        let error = write(&file, &picture, false).unwrap_err();
        assert!(
            matches!(error, PictureError::File(WriteError::Exists { .. }))
                && error.to_string().contains(name),
            "{error}"
        );
        assert_eq!(std::fs::read(&file).unwrap(), b"old");
        write(&file, &picture, true).unwrap();
        assert!(std::fs::read(&file).unwrap().len() > 200);
    }
    assert!(std::fs::read(folder.path().join("a.svg")).unwrap().starts_with(b"<svg"));
    let png = std::fs::read(folder.path().join("b.png")).unwrap();
    assert_eq!(decode(&png).0, 200, "two pixels for one");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left beside them");
}

#[test]
fn a_failed_write_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let picture = all_items();
    for name in ["a.jpg", "svg", ".svg", "a.svg.txt"] {
        let error = write(folder.path().join(name), &picture, true).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(".svg or .png"), "{error}");
    }
    let nowhere = folder.path().join("no/such/folder.svg");
    let error = write(&nowhere, &picture, false).unwrap_err();
    assert!(
        matches!(error, PictureError::File(WriteError::Io { .. }))
            && error.to_string().contains("folder.svg"),
        "{error}"
    );
    // A folder cannot be replaced by a file: the rename fails after the picture was written beside.
    let taken = folder.path().join("taken.svg");
    std::fs::create_dir(&taken).unwrap();
    assert!(matches!(write(&taken, &picture, true), Err(PictureError::File(WriteError::Io { .. }))));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "only the folder is there");
}

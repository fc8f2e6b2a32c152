//! Course files: what is written is read back bit for bit, and every mistake is told with its line.

use gambol_dynamics::{Base, Block, Course, CourseSpec, HeightField, Patch, Terrain};
use gambol_formats::course::{course_from_toml, course_from_toml_with, course_to_toml};
use gambol_model::samples::Random;

const WRITTEN: &str = r#"# Two banks, a ramp and ice.
version = 1

[base]
level = -0.5

[[block]]
name = "bank"
center = [0, 0]
size = [2, 2]
top = 0

[[block]]
center = [2.5, 0.5]
size = [1.0, 0.5]
heading_degrees = 90
top = 0.25
slope_degrees = -10
friction = 0.6

[[patch]]
name = "ice"
center = [1, 0]
size = [0.5, 4]
friction = 0.05
"#;

#[test]
fn a_course_is_what_its_file_says() {
    let course = course_from_toml(WRITTEN).unwrap();
    let CourseSpec { base, blocks, patches } = course.spec();
    assert_eq!(*base, Base::Level(-0.5));
    assert_eq!(blocks[0].name, "bank");
    assert_eq!((blocks[1].center, blocks[1].size), ([2.5, 0.5], [1.0, 0.5]));
    assert_eq!(blocks[1].heading, std::f64::consts::FRAC_PI_2);
    assert_eq!((blocks[0].friction, blocks[1].friction), (None, Some(0.6)));
    assert_eq!((patches[0].name.as_str(), patches[0].friction), ("ice", 0.05));
    assert_eq!(course_from_toml("version = 1").unwrap().spec().base, Base::Level(0.0));
    assert_eq!(
        course_from_toml("version = 1\n[base]\nslope_degrees = 0").unwrap().spec().base,
        Base::Slope(0.0)
    );
}

#[test]
fn what_is_written_is_read_back() {
    let mut random = Random::new(5);
    for round in 0..50 {
        let base = match round % 3 {
            0 => Base::Level(random.symmetric()),
            1 => Base::Slope(random.symmetric()),
            _ => Base::Field(HeightField {
                origin: [random.symmetric(), 1.0],
                spacing: random.unit() + 0.1,
                columns: 3,
                heights: (0..9).map(|_| random.symmetric()).collect(),
            }),
        };
        let blocks = (0..random.below(4)).map(|k| Block {
            name: if k == 1 { "a \"wall\"".into() } else { String::new() },
            center: [10.0 * k as f64, random.symmetric()],
            size: [0.1 + random.unit(), 0.1 + random.unit()],
            heading: if k == 0 { 0.0 } else { 9.0 * random.symmetric() },
            top: random.symmetric(),
            slope: if k == 2 { 0.0 } else { random.symmetric() },
            friction: (k > 0).then(|| random.unit()),
        });
        let blocks = blocks.collect();
        let patches = vec![Patch {
            name: String::new(),
            center: [random.symmetric(), 0.0],
            size: [random.unit() + 0.01, 1.0],
            heading: random.symmetric(),
            friction: random.unit(),
        }];
        let course = Course::new(CourseSpec { base, blocks, patches }).unwrap();
        let text = course_to_toml(&course);
        assert_eq!(course_from_toml(&text).unwrap(), course, "{text}");
        // As JSON too, and what is no course is none there either.
        let terrain = Terrain::Course(course);
        let json = serde_json::to_string(&terrain).unwrap();
        assert_eq!(serde_json::from_str::<Terrain>(&json).unwrap(), terrain);
    }
    let bad = r#"{"course": {"base": {"level": 0.0}, "patches": [], "blocks": [{"name": "", "center": [0.0, 0.0], "size": [-1.0, 1.0],
        "heading": 0.0, "top": 0.1, "slope": 0.0, "friction": null}]}}"#;
    let error = serde_json::from_str::<Terrain>(bad).unwrap_err().to_string();
    assert!(error.contains("block 1: a side of -1 m"), "{error}");
}

#[test]
fn a_picture_is_fetched() {
    let text = "version = 1\n[base]\nfile = \"hill.png\"\nsize = 4\nheight = 0.5\n";
    let field = HeightField { origin: [0.0; 2], spacing: 1.0, columns: 2, heights: vec![0.0, 0.1, 0.2, 0.3] };
    let mut asked = None;
    let course = course_from_toml_with(text, &mut |file| {
        asked = Some((file.file.clone(), file.size, file.height));
        Ok(field.clone())
    });
    assert_eq!(course.unwrap().spec().base, Base::Field(field));
    assert_eq!(asked, Some(("hill.png".into(), 4.0, 0.5)));
}

#[test]
fn every_mistake_has_its_line() {
    let block = "version = 1\n[[block]]\ncenter = [0, 0]\nsize = [1, 1]\ntop = 0.1\n";
    for (text, told) in [
        ("", "a course file: version is missing"),
        ("version = 2", "line 1: version: version 2 is newer"),
        ("version = 1\nblocks = []", "line 2: a course file has no key \"blocks\"; did you mean block?"),
        ("version = 1\nblock = 3", "line 2: block: 3 is not a list of tables [[block]]"),
        ("version = 1\n[base]\nlevel = nan", "line 3: level: nan is not a finite number"),
        ("version = 1\n[base]\nlevel = 1\nspacing = 2", "line 4: [base] has no key \"spacing\""),
        ("version = 1\n[base]\nslope_degrees = 90", "line 3: slope_degrees: a slope is less than 90° steep"),
        (
            "version = 1\n[base]\nfile = \"a.png\"\nsize = 1\nheight = 1",
            "line 3: file: the terrain \"a.png\" cannot be read",
        ),
        (
            "version = 1\n[[block]]\nsize = [1, 1]\ntop = 1",
            "line 2: [[block]]: center is missing: x and y of its middle (m)",
        ),
        ("version = 1\n[[block]]\ncenter = [1]\nsize = [1, 1]", "line 3: center: it is two numbers, x and y"),
        ("version = 1\n[[block]]\ncenter = [0, nan]", "line 3: center: nan is not a finite number"),
        (
            "version = 1\n[[block]]\ncenter = [0, 0]\nsize = [1, -2]",
            "line 4: size: a side of -2 m is not above 0",
        ),
        (
            "version = 1\n[[block]]\ncenter = [0, 0]\nsize = [1, 2]",
            "line 2: [[block]]: top is missing: its height (m)",
        ),
        (&format!("{block}slope_degrees = 100"), "line 6: slope_degrees: a slope is less than 90° steep"),
        (&format!("{block}friction = -1"), "line 6: friction: -1 is not a finite number of at least 0"),
        (&format!("{block}colour = 1"), "line 6: [[block]] has no key \"colour\""),
        (
            &format!("{block}[[block]]\nname = \"other\"\ncenter = [0.9, 0]\nsize = [1, 1]\ntop = 0.1\n"),
            "line 6: [[block]]: it overlaps block 1; blocks may touch, but none lies in another",
        ),
        ("version = 1\n[[patch]]\ncenter = [0, 0]\nsize = [1, 1]", "line 2: [[patch]]: friction is missing"),
    ] {
        let error = course_from_toml(text).unwrap_err().to_string();
        assert!(error.contains(told), "{error:?} does not say {told:?}");
    }
}

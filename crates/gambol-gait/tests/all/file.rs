//! Gait files. A file that somebody has must mean the same for ever, a gait must come back from its file bit by bit, and
//! what is wrong in a file must be told with its line: people write these files by hand.

use gambol_gait::{
    Component, Gait, Ground, HeightField, Style, Support, Terrain, from_toml, from_toml_with, to_toml,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn style() -> Style {
    Style {
        pose: Some("rest".into()),
        bend: Vec::new(),
        stiffness: Some(100.0),
        scale: vec![("spine.*".into(), 5.0), ("tail".into(), 0.25), ("a=b".into(), 2.0)],
        constraints: vec!["orientation:head".into()],
        weight: 1.25,
        tension: 0.8,
        injured: vec!["hind.left".into()],
    }
}

/// A quarter turn as a file has it: 90 × (π/180), which is π/2 bit by bit.
const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

#[test]
fn files_of_version_1_mean_what_they_meant() {
    let limp = Gait {
        name: "limp".into(),
        creature: Some("dog".into()),
        style: style(),
        frequency: 1.6,
        components: vec![
            Component { mode: 9, amplitude: 0.35, phase: -QUARTER, harmonic: 1, offset: 0.05 },
            Component { mode: 13, amplitude: 0.25, phase: 1.25, harmonic: 2, offset: 0.0 },
            Component { mode: 2, amplitude: 0.0, phase: 0.0, harmonic: 1, offset: 0.0 },
        ],
        ground: Ground {
            support: Support::Feet,
            duty: 0.65,
            speed: Some(0.9),
            turn: 0.174_532_925_199_432_95, // 10°
            clearance: 0.08,
            footfalls: [("foot.front.left".to_owned(), 0.25), ("foot.hind.left".to_owned(), 0.0)].into(),
            terrain: Terrain::Field(HeightField {
                origin: [-1.0, 0.5],
                spacing: 0.25,
                columns: 3,
                heights: vec![0.0, 0.1, 0.2, 0.05, 0.15, 0.25],
            }),
        },
    };
    assert_eq!(from_toml(include_str!("../files/gait-v1.toml")), Ok(limp));
    let swim = Gait {
        name: "swim".into(),
        creature: None,
        style: Style::default(),
        frequency: 0.75, // that of the slowest component
        components: vec![
            Component { mode: 7, amplitude: 0.4, phase: 0.0, harmonic: 2, offset: 0.0 },
            Component { mode: 6, amplitude: 0.4, phase: QUARTER, harmonic: 1, offset: 0.0 },
        ],
        ground: Ground {
            support: Support::Water { across: 2.5, advance: None },
            duty: 0.5,
            speed: None,
            turn: 0.5,
            clearance: 0.1,
            footfalls: BTreeMap::new(),
            terrain: Terrain::Slope(-0.218_166_156_499_291_2), // −12.5°
        },
    };
    assert_eq!(from_toml(include_str!("../files/gait-v1-water.toml")), Ok(swim));
}

#[test]
fn a_file_reads_well() {
    let mut gait = from_toml(include_str!("../files/gait-v1.toml")).unwrap();
    gait.ground.terrain = Terrain::Slope(QUARTER / 9.0);
    let text = to_toml(&gait, &["hind legs alternate".into(), "two\nlines".into()]);
    assert_eq!(text, include_str!("../files/written.toml"));
    // A gait of an unchanged body says nothing about it.
    gait.style = Style::default();
    assert!(!to_toml(&gait, &[]).contains("[style]"));
}

#[test]
fn bent_joints_are_a_table() {
    let mut gait = from_toml("version = 1\nfrequency = 1\n").unwrap();
    gait.style.bend = vec![("knee.left".into(), vec![0.5]), ("a hip".into(), vec![0.1, 0.0, -0.2])];
    let text = to_toml(&gait, &[]);
    assert!(text.contains("\n\"knee.left\" = 0.5\n\"a hip\" = [0.1, 0.0, -0.2]\n"), "{text}");
    assert_eq!(from_toml(&text), Ok(gait));
    // As people write it; the order is that of the file.
    let by_hand =
        "version = 1\nfrequency = 1\nstyle = { bend = { spine = 1, \"hip\" = [1, 2, 3], ankle = [0] } }\n";
    let read = from_toml(by_hand).unwrap().style.bend;
    let expected = [("spine", vec![1.0]), ("hip", vec![1.0, 2.0, 3.0]), ("ankle", vec![0.0])];
    assert_eq!(read, expected.map(|(joint, by)| (joint.to_owned(), by)));
}

#[test]
fn the_file_in_the_docs_can_be_read() {
    let docs = include_str!("../../../../docs/gaits.md");
    let mut examples = docs.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let example = examples.find(|example| example.contains("[[component]]")).unwrap();
    let gait = from_toml(example).unwrap();
    assert_eq!((gait.name.as_str(), gait.components.len(), gait.components[1].harmonic), ("limp", 2, 2));
}

#[test]
fn a_picture_of_the_ground_is_fetched() {
    let text = "version = 1\nfrequency = 1\n[ground]\n[ground.terrain]\nfile = \"hills.png\"\nsize = 10\nheight = 0.5";
    let field = HeightField { origin: [0.0; 2], spacing: 1.0, columns: 2, heights: vec![0.0; 4] };
    let fetched = from_toml_with(text, |terrain| {
        assert_eq!((terrain.file.as_str(), terrain.size, terrain.height), ("hills.png", 10.0, 0.5));
        Ok(field.clone())
    });
    assert_eq!(fetched.unwrap().ground.terrain, Terrain::Field(field));
    let error = from_toml_with(text, |_| Err("hills.png: cannot be read".into())).unwrap_err();
    assert_eq!(error.to_string(), "line 5: file: hills.png: cannot be read");
    assert_eq!(error.line, Some(5));
}

/// A file of one mistake per case: what is on line 4 and after, and what is said.
#[test]
fn mistakes_are_told_with_their_line() {
    let cases: &[(&str, &str)] = &[
        ("amplitude = ", "line 4: "),
        ("[style]\nweigth = 2", "line 5: [style] has no key \"weigth\"; did you mean weight?"),
        ("[style]\nbanana = 2", "line 5: [style] has no key \"banana\"; it has pose, stiffness, scale"),
        ("[gruond]", "line 4: a gait file has no key \"gruond\"; did you mean ground?"),
        ("[style]\nweight = -1", "line 5: weight: -1 is not a finite number above 0"),
        ("[style]\nweight = nan", "line 5: weight: nan is not a finite number above 0"),
        ("[style]\ntension = inf", "line 5: tension: inf is not a finite number above 0"),
        ("[style]\ntension = 1e999", "line 5: tension: 1e999 is not a finite number above 0"),
        ("[style]\nstiffness = \"stiff\"", "line 5: stiffness: \"stiff\" is not a finite number above 0"),
        ("[style]\npose = 3", "line 5: pose: 3 is not a text in quotes"),
        ("[style]\nscale = \"a=2\"", "line 5: scale: \"a=2\" is not a list in brackets"),
        ("[style]\nscale = [\n\"a=2\",\n\"b\"]", "line 7: scale \"b\": expected PATTERN=FACTOR"),
        ("[style]\nscale = [\"a=x\"]", "line 5: scale \"a=x\": the factor is not a number"),
        ("[style]\nscale = [\"a=0\"]", "line 5: scale \"a=0\": the factor is not a finite number above 0"),
        ("[style]\ninjured = [1]", "line 5: injured: 1 is not a text in quotes"),
        ("[style.bend]\nknee = nan", "line 5: knee: nan is not a finite number"),
        ("[style.bend]\nknee = [1, \"x\"]", "line 5: knee: \"x\" is not a finite number"),
        ("[style]\nbend = 3", "line 5: bend: 3 is not a table [style.bend]"),
        ("style = 1", "line 4: style: 1 is not a table [style]"),
        ("component = 1", "line 4: component: 1 is not a list of tables [[component]]"),
        ("[[component]]\namplitude = 0.1", "line 4: [[component]]: mode is missing"),
        ("[[component]]\nmode = -1", "line 5: mode: -1 is not a whole number of at least 0"),
        ("[[component]]\nmode = 6.5", "line 5: mode: 6.5 is not a whole number of at least 0"),
        ("[[component]]\nmode = 6\namplitude = inf", "line 6: amplitude: inf is not a finite number"),
        (
            "[[component]]\nmode = 6\namplitud = 1",
            "line 6: [[component]] has no key \"amplitud\"; did you mean amplitude?",
        ),
        ("[[component]]\nmode = 6\nfrequency = -2", "line 6: frequency: -2 is not a finite number above 0"),
        (
            "[[component]]\nmode = 6\nfrequency = 3",
            "line 6: frequency: a frequency of 3 Hz is no whole multiple of the gait's 2 Hz, so that the motion would never repeat",
        ),
        ("[[component]]\nmode = 6\nfrequency = 1", "line 6: frequency: a frequency of 1 Hz is no whole"),
        (
            "[[component]]\nmode = 6\nphase = 90\nphase_radians = 1",
            "line 7: phase_radians: phase is given already",
        ),
        ("[ground]\nduty = 0", "line 5: duty: 0 is not a share of the cycle, above 0 and at most 1"),
        ("[ground]\nduty = 1.01", "line 5: duty: 1.01 is not a share of the cycle"),
        ("[ground]\nspeed = -1", "line 5: speed: -1 is not a finite number of at least 0"),
        ("[ground]\nclearance = -1", "line 5: clearance: -1 is not a finite number of at least 0"),
        (
            "[ground]\nsupport = \"stilts\"",
            "line 5: support: \"stilts\" carries nothing; there are feet, crouch, belly, water, air",
        ),
        ("[ground]\nsupport = \"belly\"", "line 5: support: support = \"belly\" needs across: friction"),
        ("[ground]\nacross = 2", "line 5: across: it is for belly and water only"),
        ("[ground]\nterrain = \"moon\"", "line 5: terrain: there is no terrain \"moon\""),
        ("[ground]\nterrain = 3", "line 5: terrain: 3 is not a table [ground.terrain]"),
        ("[ground.terrain]\nslope_degrees = 95", "line 5: slope_degrees: a slope is less than 90° steep"),
        (
            "[ground.terrain]\nslope_degrees = 5\nspacing = 1",
            "line 6: [ground.terrain] has no key \"spacing\"",
        ),
        ("[ground.terrain]\nspacing = 1\ncolumns = 2", "line 4: [ground.terrain]: heights is missing"),
        (
            "[ground.terrain]\nspacing = 1\ncolumns = 2\nheights = [1, 2, 3]",
            "line 7: heights: 3 heights do not fill rows of 2",
        ),
        (
            "[ground.terrain]\nspacing = 1\ncolumns = 2\nheights = [1, 2, 3,\nnan]",
            "line 8: heights: nan is not a finite number",
        ),
        (
            "[ground.terrain]\nspacing = 1\ncolumns = 0\nheights = []",
            "line 7: heights: 0 heights do not fill",
        ),
        ("[ground.terrain]\nfile = \"a.png\"\nsize = 1", "line 4: [ground.terrain]: height is missing (m)"),
        (
            "[ground.terrain]\nfile = \"a.png\"\nsize = 1\nheight = 1",
            "line 5: file: the terrain \"a.png\" cannot be read from here",
        ),
    ];
    for (text, message) in cases {
        let file = format!("version = 1\nname = \"x\"\nfrequency = 2\n{text}\n");
        let error = from_toml(&file).expect_err(text).to_string();
        assert!(error.starts_with(message), "{text}\n{error}\n{message}");
    }
}

#[test]
fn versions_are_checked_first() {
    for (text, message) in [
        ("name = \"x\"", "a gait file: version is missing; a gait file begins with version = 1"),
        ("", "a gait file: version is missing"),
        ("version = 0", "line 1: version: there is no version 0"),
        ("version = \"1\"", "line 1: version: \"1\" is not a whole number"),
        (
            "wings = true\n\nversion = 2",
            "line 3: version: version 2 is newer than this gambol (reads up to 1)",
        ),
        ("version = 1", "a gait file: frequency is missing"),
        ("frequency = 0\nversion = 1", "line 1: frequency: 0 is not a finite number above 0"),
    ] {
        let error = from_toml(text).expect_err(text).to_string();
        assert!(error.starts_with(message), "{text}\n{error}");
    }
}

/// Numbers of all sizes, and the angles that people use.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -10.0..10.0,
        prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL,
        (-24..24_i32).prop_map(|quarter| f64::from(quarter) * QUARTER / 4.0),
    ]
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![1e-3..1e3, (1..100_u32).prop_map(|x| f64::from(x) / 10.0)]
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![Just("dog".to_owned()), Just("\"\\\n\t\u{7f}\u{1}é=#".to_owned()), any::<String>()]
}

/// Of each joint once: a table has no room for more.
fn bends() -> impl Strategy<Value = Vec<(String, Vec<f64>)>> {
    let by = prop_oneof![prop::collection::vec(number(), 1), prop::collection::vec(number(), 3)];
    prop::collection::hash_map(words(), by, 0..3).prop_map(|map| map.into_iter().collect())
}

fn styles() -> impl Strategy<Value = Style> {
    (
        (prop::option::of(words()), bends()),
        prop::option::of(positive()),
        prop::collection::vec((words(), positive()), 0..3),
        prop::collection::vec(words(), 0..3),
        (positive(), positive()),
        prop::collection::vec(words(), 0..3),
    )
        .prop_map(|((pose, bend), stiffness, scale, constraints, (weight, tension), injured)| Style {
            pose,
            bend,
            stiffness,
            scale,
            constraints,
            weight,
            tension,
            injured,
        })
}

fn components() -> impl Strategy<Value = Vec<Component>> {
    let component = (0..1000_usize, number(), number(), 1..20_u32, number());
    prop::collection::vec(component, 0..5).prop_map(|list| {
        let make = |(mode, amplitude, phase, harmonic, offset)| Component {
            mode,
            amplitude,
            phase,
            harmonic,
            offset,
        };
        list.into_iter().map(make).collect()
    })
}

fn supports() -> impl Strategy<Value = Support> {
    prop_oneof![
        Just(Support::Air),
        Just(Support::Feet),
        Just(Support::Crouch),
        positive().prop_map(|across| Support::Belly { across }),
        (positive(), prop::option::of(number()))
            .prop_map(|(across, advance)| Support::Water { across, advance }),
    ]
}

fn terrains() -> impl Strategy<Value = Terrain> {
    let field = (2..4_usize, [number(), number()], positive(), prop::collection::vec(number(), 12));
    prop_oneof![
        Just(Terrain::Flat),
        (-1.5..1.5).prop_map(Terrain::Slope),
        field.prop_map(|(columns, origin, spacing, heights)| Terrain::Field(HeightField {
            origin,
            spacing,
            columns,
            heights
        })),
    ]
}

fn grounds() -> impl Strategy<Value = Ground> {
    let footfalls = prop::collection::btree_map("[a-z. \"]{1,9}", number(), 0..3);
    (supports(), 1e-3..=1.0, prop::option::of(0.0..50.0), number(), 0.0..1.0, footfalls, terrains()).prop_map(
        |(support, duty, speed, turn, clearance, footfalls, terrain)| Ground {
            support,
            duty,
            speed,
            turn,
            clearance,
            footfalls,
            terrain,
        },
    )
}

/// The bits of all numbers of a gait, since −0 = 0.
fn bits(gait: &Gait) -> Vec<u64> {
    let mut numbers = vec![gait.frequency, gait.ground.turn, gait.ground.clearance, gait.ground.duty];
    numbers.extend(gait.components.iter().flat_map(|c| [c.amplitude, c.phase, c.offset]));
    if let Terrain::Field(field) = &gait.ground.terrain {
        numbers.extend(field.origin.iter().chain(&field.heights));
    }
    numbers.into_iter().map(f64::to_bits).collect()
}

proptest! {
    #[test]
    fn a_gait_comes_back_bit_by_bit(
        name in words(), creature in prop::option::of(words()), style in styles(), frequency in positive(),
        components in components(), ground in grounds(), labels in prop::collection::vec(words(), 0..4),
    ) {
        let gait = Gait { name, creature, style, frequency, components, ground };
        let text = to_toml(&gait, &labels);
        let back = from_toml(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&back, &gait);
        prop_assert_eq!(bits(&back), bits(&gait), "{}", text);
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), cut in 0..900_usize) {
        let _ = from_toml(&text);
        let file = include_str!("../files/gait-v1.toml");
        let cut = file.ceil_char_boundary(cut);
        let _ = from_toml(&file[..cut.min(file.len())]);
        let _ = from_toml(&format!("{}{text}{}", &file[..cut.min(file.len())], &file[cut.min(file.len())..]));
    }
}

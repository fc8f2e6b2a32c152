//! From the points of files to plants: what merges, how thick an element is, what is left out, and what is refused.

use std::fmt::Write;

use gambol_formats::LoadOptions;
use gambol_formats::files::Memory;
use gambol_formats::plant::{UpAxis, read_plant};
use gambol_model::Vec3;
use gambol_plant::{PLANTS, Plant, PlantReader};

use crate::help::{plant, plant_with, solved};

const MTG: &str = "CODE:\tFORM-A\n\nCLASSES:\nSYMBOL\tSCALE\n$\t0\nP\t1\nA\t2\nS\t3\n\nMTG:\n\nENTITY-CODE\t\t\tXX\tYY\tZZ\tTopDia\n\
/P1\n\
\t/A1\t\t0\t0\t0\t200\n\
\t^/S1\t\t0\t0\t100\t160\n\
\t\t+A1\t30\t0\t120\t40\n\
\t\t^/S1\t30\t0\t120\t40\n\
\t\t^<S2<<S5\t60\t0\t150\n\
\t^<S2/E1\t\t0\t0\t200\t100\n";

/// In cm and mm, as the walnut's digitisers wrote: `+A1` and its `S1` are one point, a run's numbers are its last entity's, a
/// missing diameter is the nearest one below, and a branch's first element has its own radius.
#[test]
fn an_mtg_is_read_as_its_coding_says() {
    let options = LoadOptions { unit: Some(0.01), ..LoadOptions::default() };
    let files = Memory::new().with("tree.mtg", MTG).with("tree.drf", "DiameterUnit = 10 # mm\n");
    let tree = Plant::from_file(&read_plant(&files, "tree.mtg", &options).unwrap(), None).unwrap();
    assert_eq!(tree.parents, [0, 0, 1, 2, 1]);
    assert_eq!(tree.orders, [0, 0, 1, 1, 0]);
    assert!((tree.nodes[3] - Vec3::new(0.6, 0.0, 1.5)).norm() < 1e-12);
    let shared = MTG.replace("<<", "<.<");
    assert_eq!(
        plant_with("tree.mtg", &shared, &options).unwrap().nodes,
        tree.nodes,
        "a run that shares its numbers"
    );
    let expected = [0.1, 0.09, 0.02, 0.02, 0.065];
    assert!(
        tree.radii.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12),
        "{:?}",
        tree.radii
    );
}

/// Without a word about units the size of trees tells them: a trunk of 20 cm carries a tree of metres.
#[test]
fn units_are_guessed_from_how_trees_are_built() {
    let tree =
        plant_with("tree.mtg", &MTG.replace("200\t100\n", "800\t100\n"), &LoadOptions::default()).unwrap();
    assert!((tree.height() - 8.0).abs() < 1e-9 && (tree.radii[0] - 0.1).abs() < 1e-12, "{:?}", tree.remarks);
    assert!(tree.remarks[0].to_string().contains("taken as cm"));
    let tall =
        plant_with("tree.mtg", MTG, &LoadOptions { height: Some(12.0), ..LoadOptions::default() }).unwrap();
    assert!((tall.height() - 12.0).abs() < 1e-9);
}

#[test]
fn tables_of_points_cylinders_and_swc_are_the_same_plant() {
    let points =
        "id,parent,x,y,z,radius\n1,,0,0,0,0.03\n2,1,0,0,1,0.03\n3,2,0,0,2,0.03\n4,2,0.5,0,1.5,0.01\n";
    let cylinders = "id,parent,sx,sy,sz,ax,ay,az,length,radius,branch\n1,0,0,0,0,0,0,1,1,0.03,1\n2,1,0,0,1,0,0,2,1,0.03,1\n\
                     3,1,0,0,1,1,0,1,0.70710678118654757,0.01,2\n";
    let swc = "# a tree\n1 1 0 0 0 0.03 -1\n2 1 0 0 1 0.03 1\n3 1 0 0 2 0.03 2\n4 1 0.5 0 1.5 0.01 2\n";
    let edges = "id;parent;edge;x;y;z;radius\nr;;;0;0;0;0.03\na;r;<;0;0;1;0.03\nb;a;<;0;0;2;0.03\nc;a;+;0.5;0;1.5;0.01\n";
    for (name, text) in [("a.csv", points), ("a.csv", cylinders), ("a.swc", swc), ("a.csv", edges)] {
        let tree = plant(name, text).unwrap();
        assert_eq!(
            (tree.parents.as_slice(), tree.orders.as_slice()),
            (&[0, 0, 1, 1][..], &[0, 0, 0, 1][..]),
            "{text}"
        );
        assert!((tree.nodes[3] - Vec3::new(0.5, 0.0, 1.5)).norm() < 1e-12);
        assert!((tree.radii[3] - 0.01).abs() < 1e-15 && (tree.radii[1] - 0.03).abs() < 1e-15);
    }
    let up = LoadOptions { up: Some(UpAxis::X), unit: Some(2.0), ..LoadOptions::default() };
    let turned = plant_with("a.csv", points, &up).unwrap();
    assert!((turned.nodes[3] - Vec3::new(-3.0, 0.0, 1.0)).norm() < 1e-12);
}

/// A cylinder of a trunk bears branches anywhere along it: there it has a node, from which a piece of the branch's thickness leads to
/// where the branch begins. What goes on begins where its parent ends, whatever little gap the table has; which is which the column
/// `branch` tells, though the side branch is thicker here.
#[test]
fn branches_begin_along_cylinders() {
    let text = "id,parent,sx,sy,sz,ax,ay,az,length,radius,branch\n1,0,0,0,0,0,0,1,2,0.05,1\n2,1,0,0,2.003,0,0,1,1,0.03,1\n\
                3,1,0.05,0,1.5,1,0,0,1,0.04,2\n4,1,0,0.05,0.5,0,1,0,1,0.01,3\n";
    let tree = plant("a.csv", text).unwrap();
    assert_eq!(tree.parents, [0, 0, 1, 2, 1, 4, 5, 4, 7]);
    assert_eq!(tree.orders, [0, 0, 1, 1, 0, 0, 0, 1, 1]);
    assert_eq!(tree.radii, [0.05, 0.05, 0.01, 0.01, 0.05, 0.05, 0.03, 0.04, 0.04]);
    for (node, at) in [
        (1, [0.0, 0.0, 0.5]),
        (2, [0.0, 0.05, 0.5]),
        (3, [0.0, 1.05, 0.5]),
        (4, [0.0, 0.0, 1.5]),
        (6, [0.0, 0.0, 3.003]),
        (7, [0.05, 0.0, 1.5]),
        (8, [1.05, 0.0, 1.5]),
    ] {
        assert!((tree.nodes[node] - Vec3::from(at)).norm() < 1e-12, "{node}: {:?}", tree.nodes[node]);
    }
}

#[test]
fn near_points_merge_and_loose_pieces_are_counted() {
    let text = "id,parent,x,y,z,radius\n1,,0,0,0,0.03\n2,1,0,0,1,0.02\n3,2,0,0,1.00005,0.02\n4,3,0,0,2,0.01\n\
                8,77,5,5,5,0.1\n9,8,5,5,6,0.1\n10,99,5,5,5,0.1\n";
    let tree = plant("a.csv", text).unwrap();
    assert_eq!((tree.len(), tree.loose_pieces), (3, 2));
    assert!(tree.remarks[0].to_string().contains("2 loose pieces"));
}

/// A missing radius in the middle is that of what it grows on; none at all is an error with a way out, and the way out is
/// Leonardo's.
#[test]
fn missing_radii() {
    let some = "id,parent,x,y,z,radius\n1,,0,0,0,0.03\n2,1,0,0,1,\n3,2,0,0,2,0.01\n";
    assert_eq!(plant("a.csv", some).unwrap().radii, [0.03, 0.03, 0.02]);
    let none = "id,parent,x,y,z\n1,,0,0,0\n2,1,0,0,1\n3,2,0,1,2\n4,2,0,-1,2\n";
    let told = plant("a.csv", none).unwrap_err().to_string();
    assert!(told.contains("the plant has no diameters; `pipe` gives them"), "{told}");
    let piped =
        plant_with("a.csv", none, &LoadOptions { pipe: Some(0.01), ..LoadOptions::default() }).unwrap();
    assert!((piped.radii[1] - 0.01 * 2.0_f64.sqrt()).abs() < 1e-15 && piped.radii[3] == 0.01);
    let told =
        plant_with("a.csv", none, &LoadOptions { pipe: Some(-1.0), ..LoadOptions::default() }).unwrap_err();
    assert!(told.to_string().contains("tip's radius of -1 m"));
}

/// File, line and reason, whatever is wrong.
#[test]
fn bad_plants_are_told_where_and_why() {
    let head = "id,parent,x,y,z,radius\n1,,0,0,0,0.03\n";
    for (name, text, message) in [
        (
            "a.csv",
            format!("{head}2,3,0,0,1,0.1\n3,2,0,0,2,0.1\n"),
            "a.csv:3: 2 points hang on each other in a circle",
        ),
        ("a.csv", format!("{head}2,2,0,0,1,0.1\n"), "a.csv:3: the point is its own parent"),
        ("a.csv", format!("{head}2,,0,0,1,0.1\n"), "a.csv:3: a second root; the first is in line 2"),
        ("a.csv", format!("{head}2,1,0,0,nan,0.1\n"), "a.csv:3: z: nan is not a finite number"),
        ("a.csv", format!("{head}2,1,0,0,1,-0.1\n"), "a.csv:3: radius: -0.1 is negative"),
        ("a.csv", format!("{head}2,1,0,0\n"), "a.csv:3: z is missing"),
        ("a.csv", format!("{head}1,1,0,0,1,0.1\n"), "a.csv:3: id 1 is that of line 2 too"),
        ("a.csv", format!("{head}2,1,0,0,700,0.1\n"), "a.csv:3: the plant is 700 m high"),
        ("a.csv", head.to_owned(), "a.csv:2: the plant is a single point"),
        ("a.csv", "id,parent,x,y\n1,,0,0\n".to_owned(), "a.csv:1: there is no column z"),
        (
            "a.csv",
            "id,parent,sx,sy,sz\n1,,0,0,0\n".to_owned(),
            "a.csv:1: there are no columns ax, ay, az, length",
        ),
        ("a.csv", "id,parent,edge,x,y,z\n1,,?,0,0,0\n".to_owned(), "a.csv:2: edge: \"?\" is not"),
        ("a.csv", "id,parent,x,y,z\n".to_owned(), "no point with coordinates"),
        ("a.swc", "1 1 0 0 0 0.1\n".to_owned(), "a.swc:1: 6 numbers, not 7"),
        ("a.swc", "1 1 0 0 0 0.1 -1\n2 1 0 0 x 0.1 1\n".to_owned(), "a.swc:2: z: \"x\" is not a number"),
        ("a.mtg", "hello".to_owned(), "a.mtg: an MTG file begins with CODE: FORM-A"),
        ("a.mtg", "CODE: FORM-B\n".to_owned(), "a.mtg:1: CODE: \"FORM-B\" is not read"),
        ("a.mtg", "CODE: FORM-A\n".to_owned(), "a.mtg: there is no section MTG:"),
        ("a.mtg", MTG[..MTG.find("ENTITY").unwrap()].to_owned(), "no line ENTITY-CODE"),
        ("a.mtg", MTG.replace("XX\tYY\tZZ", "a\tb\tc"), "there is no column XX"),
        (
            "a.mtg",
            MTG.replace("30\t0\t120\t40\n\t\t^/S1", "30\t0\n\t\t^/S1"),
            "only some are given; the line may be cut off",
        ),
        ("a.mtg", MTG[..MTG.len() - 6].to_owned(), "a.mtg:19: the file ends in the middle of this line"),
        ("a.mtg", MTG.replace("^/S1\t\t0", "^S1\t\t0"), "\"S1\" is not a code"),
        ("a.mtg", MTG.replace("0\t0\t100\t160", "0\t0\tten\t160"), "a.mtg:15: ZZ: \"ten\" is not a number"),
        ("a.mtg", MTG.replace("/P1\n", "/P1\n\t\t^<S9\n"), "hangs on nothing"),
    ] {
        let told = plant(name, &text).unwrap_err().to_string();
        assert!(told.contains(message), "{message:?} is not in {told:?}");
    }
}

/// A million zeros, a chain that is deep, and a star that is wide take no recursion.
#[test]
fn deep_and_wide_plants_are_read() {
    let mut chain = "id,parent,x,y,z,radius\n0,,0,0,0,0.5\n".to_owned();
    let mut star = chain.clone();
    for k in 1..20_000 {
        writeln!(chain, "{k},{},{},0,{},0.05", k - 1, 0.001 * f64::from(k % 7), 0.002 * f64::from(k))
            .unwrap();
        writeln!(star, "{k},0,{},1,1,0.01", 0.001 * f64::from(k)).unwrap();
    }
    assert_eq!(plant("a.csv", &chain).unwrap().len(), 20_000);
    assert_eq!(plant("a.csv", &star).unwrap().len(), 20_000);
}

/// Every plant of the gallery stands on the ground, is slower than it is stiff, and sways as one in its first mode.
#[test]
fn the_gallery_grows_and_sways() {
    for entry in PLANTS {
        let tree = entry.plant();
        assert_eq!(tree, entry.plant(), "{} grows the same way again", entry.name);
        assert!(
            (1..tree.len())
                .all(|node| tree.parents[node] < node && tree.length(node) > 1e-4 && tree.radii[node] > 0.0)
        );
        assert!(tree.bounds()[0].z > -0.2 * tree.height(), "{} grows into the ground", entry.name);
        if tree.len() > 6000 {
            continue; // modes of large ones take their time in a test
        }
        let (mechanics, modes) = solved(&tree, 4);
        let first = modes[0].frequency();
        assert!((0.1..8.0).contains(&first), "{}: {first} Hz", entry.name);
        let reading = PlantReader::new(&tree, &mechanics).read(&modes[0]);
        assert!(
            (reading.energy_by_order.iter().sum::<f64>() - 1.0).abs() < 1e-9,
            "{}: {reading:?}",
            entry.name
        );
        assert!(!reading.name.is_empty());
    }
}

/// Files with bytes changed, cut, doubled and swapped at random: an error or a plant, and never a panic. `cargo xtask fuzz` does the
/// same for longer, guided by what is reached; `GAMBOL_MUTATIONS` makes this one longer.
#[test]
fn damaged_files_are_errors_or_plants() {
    let cylinders =
        "id,parent,sx,sy,sz,ax,ay,az,length,radius\n1,0,0,0,0,0,0,1,1,0.03\n2,1,0,0,1,1,0,1,0.7,0.01\n";
    let points =
        "id,parent,edge,x,y,z,radius\n1,,,0,0,0,0.03\n2,1,<,0,0,1,0.02\n3,2,+,0.5,0,1.5,\n4,9,+,1,1,1,\n";
    let swc = "# tree\n1 1 0 0 0 0.03 -1\n2 1 0 0 1 0.03 1\n3 1 0.5 0 1.5 0.01 2\n";
    let seeds = [("a.mtg", MTG), ("a.csv", points), ("a.csv", cylinders), ("a.swc", swc)];
    let mut random = gambol_model::Random::new(17);
    let count = std::env::var("GAMBOL_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(1500);
    let mut plants = 0;
    for round in 0..count {
        let (name, text) = seeds[round % seeds.len()];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => bytes[at] = b"0123456789.,-+<>/^\t\n eEnaif"[random.below(27)],
                1 => bytes.truncate(at.max(1)),
                2 => drop(bytes.drain(at..(at + 1 + random.below(8)).min(bytes.len()))),
                3 => bytes.splice(at..at, text.bytes().skip(random.below(text.len())).take(9)).for_each(drop),
                _ => bytes[at] = (random.next() & 0xff) as u8,
            }
            if bytes.is_empty() {
                bytes.push(b'\n');
            }
        }
        let options = LoadOptions { pipe: round.is_multiple_of(3).then_some(0.01), ..LoadOptions::default() };
        let files = Memory::new().with(name, bytes);
        let Ok(file) = read_plant(&files, name, &options) else { continue };
        let Ok(tree) = Plant::from_file(&file, options.pipe) else { continue };
        plants += 1;
        let Ok(mechanics) = gambol_plant::Mechanics::new(
            &tree,
            &gambol_plant::WoodSettings::default(),
            gambol_plant::Constants::Disc,
        ) else {
            continue;
        };
        if let Ok(modes) = gambol_plant::plant_modes(&tree, &mechanics, 2) {
            assert!(modes.iter().all(|mode| mode.omega_squared > 0.0 && mode.reach().is_finite()));
        }
    }
    assert!(plants > count / 20, "most mutants are no plants at all: {plants}");
}

//! Files that are no creature: each must end as one error that names file, place and reason, and never in a panic.

use gambol_formats::files::Memory;
use gambol_formats::{LoadOptions, load, load_from, load_str};

/// The message for a broken file.
fn message(text: &str) -> String {
    match load_str("bad.xml", text, &LoadOptions::default()) {
        Ok(spec) => match spec.build() {
            Ok(_) => panic!("this file should be refused: {text}"),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    }
}

fn in_world(inside: &str) -> String {
    message(&format!("<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n</mujoco>"))
}

const ONE_BODY: &str = "<worldbody><body name=\"b\"><joint name=\"j\"/><geom size=\"1\"/></body></worldbody>";

fn beside_body(inside: &str) -> String {
    message(&format!("<mujoco>\n{ONE_BODY}\n{inside}\n</mujoco>"))
}

#[test]
fn not_a_creature() {
    assert_eq!(
        message("<svg/>"),
        "bad.xml: the root element is <svg>; a creature is <mujoco> (MJCF) or <robot> (URDF)"
    );
    assert_eq!(
        message(""),
        "bad.xml: the file is empty; a creature is read from glTF (.glb, .gltf, .vrm), FBX (.fbx), MJCF (.xml), URDF \
         (.urdf), BVH (.bvh) or ASF (.asf), a plant from MTG (.mtg), SWC (.swc) or a table (.csv) of id, parent, x, y, z, radius"
    );
    assert_eq!(message("<!-- nothing -->"), "bad.xml: there is no XML element in it");
}

#[test]
fn truncated() {
    let text = "<mujoco>\n<worldbody>\n<body name=\"a\">";
    assert_eq!(message(text), "bad.xml:3: the XML is broken: the file ends before its last element");
    let text = "<mujoco>\n<worldbody>\n<body name=\"a";
    assert_eq!(message(text), "bad.xml:3: the XML is broken: the file ends before its last element");
}

#[test]
fn entity_bombs() {
    let mut text = String::from("<!DOCTYPE mujoco [<!ENTITY a0 \"ha\">");
    for level in 1..20 {
        let before = format!("&a{};", level - 1).repeat(10);
        text += &["<!ENTITY a", &level.to_string(), " \"", &before, "\">"].concat();
    }
    text.push_str("]><mujoco model=\"&a19;\"/>");
    assert_eq!(message(&text), "bad.xml: document type and entity declarations (<!DOCTYPE …>) are not read");
}

#[test]
fn includes_in_a_circle() {
    let files = Memory::new()
        .with("main.xml", "<mujoco>\n<include file=\"a.xml\"/></mujoco>")
        .with("a.xml", "<x>\n\n<include file=\"b.xml\"/></x>")
        .with("b.xml", "<x><include file=\"a.xml\"/></x>");
    let error = load_from(&files, "main.xml", &LoadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "b.xml:1: <include>: the file \"a.xml\" is included already");
    let own = message("<mujoco>\n<include file=\"bad.xml\"/></mujoco>");
    assert_eq!(own, "bad.xml:2: <include>: the file \"bad.xml\" is included already");
    let missing = message("<mujoco>\n<include file=\"no.xml\"/></mujoco>");
    assert_eq!(missing, "bad.xml:2: <include>: no.xml: there is no such file");
}

#[test]
fn numbers_that_are_none() {
    let geom = |attribute: &str| in_world(&format!("<body><joint/>\n<geom {attribute}/></body>"));
    assert_eq!(geom("size=\"nan\""), "bad.xml:4: <geom>: \"size\" contains NaN");
    assert_eq!(geom("size=\"1\" pos=\"0 0 inf\""), "bad.xml:4: <geom>: \"pos\" contains inf");
    assert_eq!(geom("size=\"1e999\""), "bad.xml:4: <geom>: \"size\" contains inf");
    assert_eq!(geom("size=\"1,5\""), "bad.xml:4: <geom>: \"size\" contains \"1,5\", which is not a number");
    assert_eq!(
        geom("size=\"1\" pos=\"0 0\""),
        "bad.xml:4: <geom>: \"pos\" has 2 numbers; 3 numbers expected"
    );
    assert_eq!(geom("size=\"1 2 3 4\""), "bad.xml:4: <geom>: \"size\" has 4 numbers; 1 to 3 expected");
    assert_eq!(geom("size=\"-1\""), "bad.xml:4: <geom>: a size of -1 is not above 0");
    assert_eq!(geom("size=\"1\" mass=\"-1\""), "bad.xml:4: <geom>: mass and density cannot be negative");
    assert_eq!(
        geom("type=\"cube\" size=\"1\""),
        "bad.xml:4: <geom>: type=\"cube\" is not one of: plane, hfield, sphere, capsule, ellipsoid, cylinder, box, \
         mesh, sdf"
    );
    assert_eq!(
        geom("size=\"1\" quat=\"1 0 0 0\" euler=\"0 0 0\""),
        "bad.xml:4: <geom>: both \"quat\" and \"euler\" give the orientation"
    );
    assert_eq!(geom("size=\"1\" quat=\"0 0 0 0\""), "bad.xml:4: <geom>: the quaternion is zero");
    assert_eq!(
        geom("type=\"capsule\" size=\"1\" fromto=\"1 1 1 1 1 1\""),
        "bad.xml:4: <geom>: the two points of \"fromto\" are one"
    );
}

#[test]
fn joints_that_cannot_be() {
    let joint = |joint: &str| in_world(&format!("<body name=\"a\"><geom size=\"1\"/>\n{joint}</body>"));
    assert_eq!(joint("<joint axis=\"0 0 0\"/>"), "bad.xml:4: <joint>: the axis has no direction");
    assert_eq!(
        joint("<joint range=\"2 1\" limited=\"true\"/>"),
        "bad.xml:4: <joint>: the lower limit 2 is not below the upper limit 1"
    );
    assert_eq!(
        joint("<joint type=\"ball\" range=\"1 2\"/>"),
        "bad.xml:4: <joint>: the range of a ball joint starts at 0"
    );
    assert_eq!(
        joint("<body><freejoint/></body>"),
        "bad.xml:4: <freejoint>: a free joint can only move a body that stands directly in the world"
    );
    assert_eq!(in_world("<joint/>"), "bad.xml:3: <joint>: the world cannot have joints");
    assert_eq!(
        in_world("<body><replicate count=\"2\">\n<joint/></replicate></body>"),
        "bad.xml:4: <joint>: a joint cannot stand directly in <replicate>; put it in a body"
    );
    assert_eq!(
        message(
            "<mujoco><compiler autolimits=\"false\"/><worldbody><body><geom size=\"1\"/><joint range=\"0 1\"/></body></worldbody></mujoco>"
        ),
        "bad.xml:1: <joint>: there is a range but no limited=\"true\" or \"false\", and autolimits is off"
    );
}

#[test]
fn no_mass() {
    assert_eq!(
        in_world("<body name=\"a\"><joint/></body>"),
        "body \"a\": it moves but has no mass: give it a shape with density or an inertia"
    );
    assert_eq!(
        in_world(
            "<body name=\"a\"><joint/><inertial pos=\"0 0 0\" mass=\"-1\" diaginertia=\"1 1 1\"/></body>"
        ),
        "bad.xml:3: <inertial>: a mass of -1 kg is negative"
    );
    assert_eq!(
        in_world(
            "<body name=\"a\"><joint/><inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"1 1 1 2 0 0\"/></body>"
        ),
        "bad.xml:3: <inertial>: \"fullinertia\" must have positive principal moments"
    );
    assert_eq!(in_world("<inertial/>"), "bad.xml:3: <inertial>: the world has no inertia");
}

#[test]
fn too_much() {
    let many = "<body><geom size=\"1\"/></body>\n".repeat(200_001);
    assert_eq!(in_world(&many), "bad.xml:200003: <body>: more than 200000 bodies");
    assert_eq!(
        in_world("<replicate count=\"999999\"><body><geom size=\"1\"/></body></replicate>"),
        "bad.xml:3: <body>: more than 200000 bodies"
    );
    let nested = "<replicate count=\"1000\">".repeat(5) + "<geom size=\"1\"/>" + &"</replicate>".repeat(5);
    assert_eq!(in_world(&nested), "bad.xml:3: <geom>: more than 2000000 elements, copies included");
    assert_eq!(
        in_world("<replicate count=\"0\"/>"),
        "bad.xml:3: <replicate>: \"count\" is not between 1 and 2000000"
    );
}

#[test]
fn names_that_lead_nowhere() {
    assert_eq!(in_world("<body><geom class=\"no\"/></body>"), "bad.xml:3: <geom>: there is no class \"no\"");
    assert_eq!(in_world("<body childclass=\"no\"/>"), "bad.xml:3: <body>: there is no class \"no\"");
    assert_eq!(
        in_world("<body><geom type=\"mesh\" mesh=\"no\"/></body>"),
        "bad.xml:3: <geom>: there is no mesh \"no\""
    );
    assert_eq!(
        in_world("<attach model=\"no\" prefix=\"\"/>"),
        "bad.xml:3: <attach>: there is no model \"no\""
    );
    assert_eq!(
        beside_body("<equality><joint joint1=\"no\"/></equality>"),
        "bad.xml:3: <joint>: there is no joint \"no\""
    );
    assert_eq!(
        beside_body("<equality><connect body1=\"no\" anchor=\"0 0 0\"/></equality>"),
        "bad.xml:3: <connect>: there is no body \"no\""
    );
    assert_eq!(
        beside_body("<tendon><fixed>\n<joint joint=\"no\" coef=\"1\"/></fixed></tendon>"),
        "bad.xml:4: <joint>: there is no joint \"no\""
    );
    assert_eq!(
        beside_body("<equality><tendon tendon1=\"no\"/></equality>"),
        "bad.xml:3: <tendon>: there is no tendon \"no\""
    );
}

#[test]
fn names_given_twice() {
    let body = "<body name=\"a\"><joint name=\"j\"/><geom name=\"g\" size=\"1\"/><site name=\"s\"/></body>\n";
    let twice = |other: &str| in_world(&format!("{body}<body><joint/>{other}<geom size=\"1\"/></body>"));
    assert_eq!(twice("<body name=\"a\"/>"), "bad.xml:4: <body>: another body has the name \"a\"");
    assert_eq!(twice("<joint name=\"j\"/>"), "bad.xml:4: <joint>: another joint has the name \"j\"");
    assert_eq!(twice("<geom name=\"g\" size=\"1\"/>"), "bad.xml:4: <geom>: another geom has the name \"g\"");
    assert_eq!(twice("<site name=\"s\"/>"), "bad.xml:4: <site>: another site has the name \"s\"");
    assert_eq!(twice("<body name=\"world\"/>"), "bad.xml:4: <body>: another body has the name \"world\"");
    assert_eq!(
        beside_body("<default><default class=\"c\"/>\n<default class=\"c\"/></default>"),
        "bad.xml:4: <default>: another class has the name \"c\""
    );
    assert_eq!(
        beside_body("<keyframe><key name=\"k\"/>\n<key name=\"k\"/></keyframe>"),
        "bad.xml:4: <key>: another key has the name \"k\""
    );
}

#[test]
fn keyframes_of_the_wrong_length() {
    assert_eq!(
        beside_body("<keyframe>\n<key qpos=\"1 2\"/></keyframe>"),
        "bad.xml:4: <key>: \"qpos\" has 2 numbers; the pose has 1"
    );
}

#[test]
fn global_coordinates() {
    assert_eq!(
        message("<mujoco><compiler coordinate=\"global\"/></mujoco>"),
        "bad.xml:1: <compiler>: global coordinates are no longer part of MJCF"
    );
}

#[test]
fn meshes_that_are_none() {
    let mesh = |attributes: &str| {
        message(&format!(
            "<mujoco><asset>\n<mesh name=\"m\" {attributes}/></asset><worldbody><body><joint/>\n\
             <geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>"
        ))
    };
    assert_eq!(mesh("vertex=\"0 0 0 1\""), "bad.xml:2: <mesh>: vertices and faces come in threes");
    assert_eq!(mesh("vertex=\"0 0 0\""), "bad.xml:2: <mesh>: a mesh needs at least 4 vertices");
    assert_eq!(mesh(""), "bad.xml:2: <mesh>: a mesh needs a file or vertices");
    assert_eq!(mesh("file=\"no.stl\""), "bad.xml:2: <mesh>: no.stl: there is no such file");
    assert_eq!(
        mesh("builtin=\"sphere\" params=\"1\""),
        "bad.xml:2: <mesh>: built-in meshes (here \"sphere\") are not supported; save the mesh as a file"
    );
    assert_eq!(
        mesh("vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" face=\"0 1 4\""),
        "bad.xml:2: <mesh>: a face names vertex 4, but there are 4"
    );
}

#[test]
fn paths_that_leave_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(folder.path().join("secret.xml"), "<x><option gravity=\"0 0 -5\"/></x>").unwrap();
    let main = inner.join("main.xml");
    let read = |include: &str, assets: Option<&std::path::Path>| {
        std::fs::write(&main, format!("<mujoco>\n<include file=\"{include}\"/></mujoco>")).unwrap();
        let options = LoadOptions { assets: assets.map(Into::into), ..LoadOptions::default() };
        load(&main, &options).map_err(|error| error.to_string())
    };
    let outside = |path: &str| {
        format!(
            "main.xml:2: <include>: {path}: it lies outside of the creature's folder; `assets` opens another folder"
        )
    };
    assert_eq!(read("../secret.xml", None).unwrap_err(), outside("../secret.xml"));
    let absolute = folder.path().join("secret.xml");
    let absolute = absolute.to_str().unwrap();
    assert_eq!(read(absolute, None).unwrap_err(), outside(absolute));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path().join("secret.xml"), inner.join("link.xml")).unwrap();
        assert_eq!(read("link.xml", None).unwrap_err(), outside("link.xml"));
    }
    assert_eq!(read("../secret.xml", Some(folder.path())).unwrap().gravity.z, -5.0);
}

/// Found in published robots: a declaration after an empty line, a byte order mark, zeros at the end. MuJoCo reads them.
#[test]
fn slips_that_do_no_harm() {
    let model = format!("<mujoco>\n{ONE_BODY}\n</mujoco>");
    for text in [
        format!("\n<?xml version=\"1.0\" ?>\n{model}"),
        format!("\u{feff}<?xml version=\"1.0\"?>{model}"),
        format!("{model}\r\n\0"),
    ] {
        assert_eq!(load_str("slip.xml", &text, &LoadOptions::default()).unwrap().bodies.len(), 2, "{text:?}");
    }
    // Lines keep their numbers.
    let late = message(
        "\n<?xml version=\"1.0\" ?>\n<mujoco>\n<worldbody><body><joint/></body></worldbody>\n<option gravity=\"1\"/></mujoco>",
    );
    assert!(late.starts_with("bad.xml:5: <option>"), "{late}");
}

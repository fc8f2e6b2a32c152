//! URDF as MuJoCo 4.0.0 understands it. Numbers and orders said to be MuJoCo's were printed by that version from the
//! same text; names of bodies, joints, masses, inertias, axes, limits and couplings of about 120 robots were compared
//! with it in the same way when this was written.

use gambol_model::{Creature, InertiaSpec, JointKind};

use super::*;
use crate::files::Memory;
use crate::load_from;

const INERTIAL: &str =
    r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"#;
const BOX: &str = r#"<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>"#;

fn link(name: &str, content: &str) -> String {
    format!("<link name=\"{name}\">{content}</link>\n")
}

fn solid(name: &str) -> String {
    link(name, INERTIAL)
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, content: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{content}</joint>\n"
    )
}

/// The text starts in line 2.
fn robot(content: &str) -> String {
    format!("<robot name=\"r\">\n{content}</robot>")
}

fn load(content: &str) -> Result<CreatureSpec, FormatError> {
    load_from(&Memory::new().with("r.urdf", robot(content)), "r.urdf", &LoadOptions::default())
}

/// The same robot, floating.
fn load_free(content: &str) -> CreatureSpec {
    let options = LoadOptions { free_root: true, ..LoadOptions::default() };
    load_from(&Memory::new().with("r.urdf", robot(content)), "r.urdf", &options).unwrap()
}

#[track_caller]
fn build(content: &str) -> Creature {
    load(content).unwrap().build().unwrap()
}

#[track_caller]
fn message(content: &str) -> String {
    load(content).unwrap_err().to_string()
}

/// Two links with one joint.
fn pair(kind: &str, content: &str) -> String {
    solid("a") + &solid("b") + &joint("j", kind, "a", "b", content)
}

fn body_names(creature: &Creature) -> Vec<&str> {
    creature.bodies().iter().skip(1).map(|body| body.name.as_str()).collect()
}

fn joint_names(creature: &Creature) -> Vec<&str> {
    creature.joints().iter().map(|joint| joint.name.as_str()).collect()
}

/// Of the floating robot: a fixed root has a warning of its own.
fn warnings(content: &str) -> Vec<String> {
    load_free(content).warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn kinds_of_joints() {
    let cases = [
        ("revolute", vec![JointKind::Hinge]),
        ("continuous", vec![JointKind::Hinge]),
        ("prismatic", vec![JointKind::Slide]),
        ("fixed", vec![]),
        ("floating", vec![JointKind::Free]),
        ("planar", vec![JointKind::Slide, JointKind::Slide, JointKind::Hinge]),
        ("spherical", vec![JointKind::Ball]),
        ("ball", vec![JointKind::Ball]),
    ];
    for (kind, expected) in cases {
        let creature = build(&pair(kind, ""));
        let kinds: Vec<_> = creature.joints().iter().map(|joint| joint.kind).collect();
        assert_eq!(kinds, expected, "{kind}");
        if let [JointKind::Hinge] = expected[..] {
            assert_eq!(creature.joints()[0].axis, Vec3::x(), "the axis when none is given");
        }
    }
}

/// MuJoCo 4.0.0 gives a range only to a revolute or prismatic joint with both ends in order, and the ball's angle.
#[test]
fn limits_and_dynamics() {
    let limit = |kind: &str, limit: &str| build(&pair(kind, limit)).joints()[0].limit;
    let range = r#"<limit lower="-1" upper="0.5" effort="9" velocity="9"/>"#;
    assert_eq!(limit("revolute", range), Some([-1.0, 0.5]));
    assert_eq!(limit("prismatic", range), Some([-1.0, 0.5]));
    assert_eq!(limit("continuous", range), None);
    assert_eq!(limit("planar", range), Some([-1.0, 0.5]));
    assert_eq!(limit("spherical", r#"<limit lower="0" upper="1"/>"#), Some([0.0, 1.0]));
    assert_eq!(limit("revolute", r#"<limit effort="1"/>"#), None);
    for bad in [r#"upper="1""#, r#"lower="1""#, r#"lower="2" upper="1""#, r#"lower="0" upper="0""#] {
        let text = pair("revolute", &format!("<limit {bad}/>"));
        assert_eq!(build(&text).joints()[0].limit, None);
        assert!(warnings(&text)[0].contains("it turns or slides without limits"), "{bad}");
    }
    let text = pair("planar", r#"<dynamics damping="0.5" friction="0.1"/>"#);
    assert!(build(&text).joints().iter().all(|joint| joint.damping == 0.5));
    assert_eq!(
        warnings(&text),
        ["r.urdf:4: <dynamics>: dry friction in joints is not supported and was left out"]
    );
}

/// Axes of the two slides as MuJoCo 4.0.0 has them.
#[test]
fn planar_joints_slide_across_their_normal() {
    let axes = |normal: &str| {
        let creature = build(&pair("planar", &format!("<axis xyz=\"{normal}\"/>")));
        assert_eq!(joint_names(&creature), ["j_TX", "j_TY", "j_RZ"]);
        [0, 1, 2].map(|joint: usize| creature.joints()[joint].axis)
    };
    let close = |found: [Vec3; 3], expected: [[f64; 3]; 3]| {
        found.iter().zip(expected).all(|(a, b)| (a - Vec3::from(b)).amax() < 1e-6)
    };
    assert!(close(axes("0 0 2"), [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]));
    assert!(close(axes("1 0 0"), [[0., 0., -1.], [0., 1., 0.], [1., 0., 0.]]));
    assert!(close(axes("0 1 0"), [[1., 0., 0.], [0., 0., -1.], [0., 1., 0.]]));
    assert!(close(axes("0 0 -1"), [[1., 0., 0.], [0., -1., 0.], [0., 0., -1.]]));
    let oblique = [
        [0.960_357, -0.079_287, -0.267_261],
        [-0.079_287, 0.841_427, -0.534_522],
        [0.267_261, 0.534_522, 0.801_784],
    ];
    assert!(close(axes("1 2 3"), oblique));
}

/// Depth first, children in the order of their joints, whatever the order of links: MuJoCo's order of `qpos`, the same
/// whether links without joints are parts of their parents or bodies.
#[test]
fn bodies_and_joints_come_in_mujoco_order() {
    let links: String = ["y", "w", "r", "f", "x", "f1", "g", "g1"].map(solid).concat();
    let joints = [
        joint("jr", "revolute", "w", "r", ""),
        joint("jf", "fixed", "r", "f", ""),
        joint("jg", "fixed", "r", "g", ""),
        joint("jy", "revolute", "r", "y", ""),
        joint("j1", "revolute", "f", "f1", ""),
        joint("jg1", "revolute", "g", "g1", ""),
        joint("jx", "revolute", "r", "x", ""),
    ]
    .concat();
    let fused = build(&(links.clone() + &joints));
    assert_eq!(body_names(&fused), ["w", "r", "f1", "g1", "y", "x"]);
    assert_eq!(joint_names(&fused), ["jr", "j1", "jg1", "jy", "jx"]);
    let sites: Vec<_> = fused.sites().iter().map(|site| site.name.as_str()).collect();
    assert_eq!(sites, ["f", "g"]);
    let extension = "<mujoco><compiler fusestatic=\"false\"/></mujoco>";
    let apart = build(&(extension.to_owned() + &links + &joints));
    assert_eq!(body_names(&apart), ["w", "r", "f", "f1", "g", "g1", "y", "x"]);
    assert_eq!(joint_names(&apart), joint_names(&fused));
    // Unfused, the root keeps the 1 kg that otherwise becomes a part of the world.
    assert_eq!((apart.mass(), fused.mass()), (8.0, 7.0));
}

/// MuJoCo 4.0.0: `body_mass`, `body_ipos`, `body_quat` and the full inertia of body "a".
#[test]
fn parts_add_up_as_in_mujoco() {
    let a = r#"<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="1"/>
        <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.01" ixz="0.005" iyz="0.02"/></inertial>"#;
    let b = r#"<collision><origin xyz="0.5 0 0" rpy="0 0.5 0"/>
        <geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>"#;
    let c = r#"<inertial><origin xyz="0 0 1"/><mass value="3"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"#;
    let text = [
        link("w", ""),
        link("a", a),
        link("b", b),
        link("c", c),
        joint("j", "revolute", "w", "a", r#"<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>"#),
        joint("k", "fixed", "a", "b", r#"<origin xyz="0 1 0" rpy="0 0 1"/>"#),
        joint("l", "fixed", "b", "c", r#"<origin xyz="0.1 0 0" rpy="1 0 0"/>"#),
    ]
    .concat();
    let creature = build(&text);
    let body = &creature.bodies()[2];
    let mass = 16.566_370_614_359_172;
    let com = [0.348_967_833_137_586_1, 1.203_762_994_438_920_3, 0.115_952_187_858_180_7];
    let inertia = [
        [3.729_720_725_581_746_6, 0.662_406_446_321_550_9, -0.588_496_754_213_375_6],
        [0.662_406_446_321_550_9, 1.865_854_253_046_860_5, 1.188_257_622_862_846_5],
        [-0.588_496_754_213_375_6, 1.188_257_622_862_846_5, 3.682_403_253_363_571],
    ];
    let quat = [
        0.983_347_443_256_355_8,
        0.034_270_798_550_482_096,
        0.106_020_511_061_795_62,
        0.143_572_175_027_391_9,
    ];
    let rotation = body.parent_from_body.rotation;
    let found = [rotation.w, rotation.i, rotation.j, rotation.k];
    assert!(found.iter().zip(quat).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?}");
    assert_eq!(body.parent_from_body.translation.vector, Vec3::new(1.0, 2.0, 3.0));
    assert!((body.mass.mass - mass).abs() < 1e-12);
    assert!((body.mass.com - Vec3::from(com)).amax() < 1e-12);
    assert!((body.mass.inertia - gambol_model::Mat3::from(inertia)).amax() < 1e-9, "{}", body.mass.inertia);
}

/// What counts: `<inertial>` before geometry, collision but never visual geometry.
#[test]
fn mass_comes_from_the_inertial_or_from_collision_geometry() {
    let mass = |extension: &str, content: &str| {
        let text =
            extension.to_owned() + &solid("a") + &link("b", content) + &joint("j", "revolute", "a", "b", "");
        build(&text).bodies()[2].mass.mass
    };
    let visual = r#"<visual><geometry><sphere radius="1"/></geometry></visual>"#;
    assert!((mass("", BOX) - 8.0).abs() < 1e-12);
    assert!((mass("", &format!("{visual}{BOX}")) - 8.0).abs() < 1e-12);
    assert_eq!(mass("", &format!("{INERTIAL}{BOX}")), 1.0);
    let compiler = |attributes: &str| format!("<mujoco><compiler {attributes}/></mujoco>");
    let kept = compiler("discardvisual=\"false\"");
    assert!((mass(&kept, &format!("{visual}{BOX}")) - 8.0).abs() < 1e-12);
    let from_geometry = compiler("inertiafromgeom=\"true\"");
    assert!((mass(&from_geometry, &format!("{INERTIAL}{BOX}")) - 8.0).abs() < 1e-12);
    assert!((mass(&compiler("settotalmass=\"10\""), INERTIAL) - 10.0).abs() < 1e-12);
    let zero =
        r#"<inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>"#;
    assert_eq!(mass(&compiler("boundmass=\"0.01\" boundinertia=\"0.002\""), zero), 0.01);
    // MuJoCo 4.0.0 bounds each link before it makes one part of another.
    let parts = |second: &str| {
        let links = solid("a") + &link("b", BOX) + &link("c", second);
        let text = compiler("boundmass=\"10\"")
            + &links
            + &joint("j", "revolute", "a", "b", "")
            + &joint("k", "fixed", "b", "c", "");
        build(&text).bodies()[2].mass.mass
    };
    assert_eq!((parts(""), parts(BOX)), (20.0, 20.0));
    let text = solid("a") + &link("b", BOX) + &joint("j", "revolute", "a", "b", "");
    assert_eq!(
        warnings(&text),
        [
            "r.urdf:3: <link>: link \"b\": it has no <inertial>; its mass is that of its collision geometry at 1000 kg/m³"
        ]
    );
}

/// MuJoCo 4.0.0 with `balanceinertia`: 1, 2, 5 become 8/3 each. A part without mass loses its inertia.
#[test]
fn odd_inertias() {
    let inertial = |mass: &str, [x, y, z]: [f64; 3]| {
        format!(
            "<inertial><mass value=\"{mass}\"/><inertia ixx=\"{x}\" iyy=\"{y}\" izz=\"{z}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
        )
    };
    let extension = "<mujoco><compiler balanceinertia=\"true\"/></mujoco>";
    let text = extension.to_owned()
        + &solid("a")
        + &link("b", &inertial("2", [1.0, 2.0, 5.0]))
        + &joint("j", "revolute", "a", "b", "");
    let found = build(&text).bodies()[2].mass.inertia;
    assert!((found - gambol_model::Mat3::from_diagonal_element(8.0 / 3.0)).amax() < 1e-14);
    let ghost = solid("a") + &link("b", &inertial("0", [1.0; 3])) + &joint("j", "fixed", "a", "b", "");
    assert_eq!(load_free(&ghost).build().unwrap().bodies()[1].mass.inertia, gambol_model::Mat3::identity());
    let point = solid("a") + &link("b", &inertial("2", [0.0; 3])) + &joint("j", "fixed", "a", "b", "");
    assert_eq!(
        warnings(&point),
        ["r.urdf:3: <inertial>: link \"b\": its inertia is zero: it counts as a point"]
    );
}

/// MuJoCo 4.0.0: the equality of "k" with "j" has the polynomial 0.3 + 2 q. Set free, the joints are still the same.
#[test]
fn mimic_is_a_coupling() {
    let mimic = r#"<mimic joint="j" multiplier="2" offset="0.3"/>"#;
    let text = ["a", "b", "c"].map(solid).concat()
        + &joint("k", "revolute", "a", "c", mimic)
        + &joint("j", "revolute", "a", "b", "");
    let coupling = |spec: CreatureSpec| spec.build().unwrap().constraints()[0].kind.clone();
    let expected = |k: usize, j: usize| ConstraintKind::Coupling {
        left: vec![(k, 1.0)],
        right: vec![(j, 1.0)],
        polynomial: [0.3, 2.0, 0.0, 0.0, 0.0],
    };
    assert_eq!(coupling(load(&text).unwrap()), expected(0, 1));
    assert_eq!(coupling(load_free(&text)), expected(1, 2));
    let text = pair("revolute", r#"<mimic joint="nope"/>"#);
    assert!(warnings(&text)[0].contains("joint \"j\" cannot mimic \"nope\""));
    assert!(build(&text).constraints().is_empty());
    assert_eq!(
        message(&pair("revolute", r#"<mimic joint="j"/>"#)),
        "r.urdf:4: <mimic>: joint \"j\" mimics itself"
    );
}

#[test]
fn roots_are_fixed_unless_they_float() {
    let fixed = build(&pair("revolute", ""));
    assert_eq!((fixed.nq(), body_names(&fixed)), (1, vec!["a", "b"]));
    assert_eq!((fixed.mass(), fixed.warnings().len()), (1.0, 1));
    assert_eq!(
        fixed.warnings()[0].to_string(),
        "link \"a\": it is fixed to the world, so its 1 kg do not count; `free_root` sets it free"
    );
    let free = load_free(&pair("revolute", "")).build().unwrap();
    assert_eq!((free.nq(), free.mass()), (8, 2.0));
    // A link named world is the world; a floating link hangs from the world however far its fixed parents are.
    let origin = r#"<origin xyz="1 2 3"/>"#;
    let world = link("world", "") + &solid("b") + &joint("j", "floating", "world", "b", origin);
    assert_eq!(build(&world).reference_pose(), [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]);
    let holder = link("map", "") + &solid("b") + &joint("j", "floating", "map", "b", origin);
    assert_eq!(body_names(&build(&holder)), ["b"]);
    let chain = solid("a")
        + &solid("b")
        + &solid("c")
        + &joint("i", "fixed", "a", "b", origin)
        + &joint("j", "floating", "b", "c", origin);
    assert_eq!(build(&chain).reference_pose()[..3], [2.0, 4.0, 6.0]);
    let deep = solid("a")
        + &solid("b")
        + &solid("c")
        + &joint("i", "revolute", "a", "b", "")
        + &joint("j", "floating", "b", "c", "");
    assert_eq!(
        message(&deep),
        "r.urdf:6: <joint>: a floating joint must hang from a link that is fixed to the world"
    );
}

fn tetrahedron() -> &'static str {
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
}

/// ROS packages, MuJoCo's `meshdir` and `strippath`, and scales that mirror.
#[test]
fn meshes_are_found_and_scaled() {
    let mass = |place: &str, file: &str, compiler: &str, scale: &str| {
        let mesh = format!(
            "<collision><geometry><mesh filename=\"{file}\" scale=\"{scale}\"/></geometry></collision>"
        );
        let extension = format!("<mujoco><compiler {compiler}/></mujoco>");
        let text =
            robot(&(extension + &solid("a") + &link("b", &mesh) + &joint("j", "revolute", "a", "b", "")));
        let files = Memory::new().with("r.urdf", text).with(place, tetrahedron());
        load_from(&files, "r.urdf", &LoadOptions::default())
            .map(|spec| spec.build().unwrap().bodies()[2].mass.mass)
    };
    let places = [
        ("m.obj", "m.obj", ""),
        ("m.obj", "file://m.obj", ""),
        ("pkg/meshes/m.obj", "package://pkg/meshes/m.obj", ""),
        ("meshes/m.obj", "package://pkg/meshes/m.obj", ""),
        ("../meshes/m.obj", "package://pkg/meshes/m.obj", ""),
        ("../../pkg/meshes/m.obj", "model://pkg/meshes/m.obj", ""),
        ("d/m.obj", "m.obj", "meshdir=\"d/\""),
        ("m.obj", "package://pkg/meshes/m.obj", "strippath=\"true\""),
        ("d/m.obj", "x\\\\m.obj", "strippath=\"true\" meshdir=\"d\""),
    ];
    for (place, file, compiler) in places {
        let found = mass(place, file, compiler, "1 1 1").unwrap();
        assert!((found - 1000.0 / 6.0).abs() < 1e-9, "{file}");
    }
    assert!((mass("m.obj", "m.obj", "", "2 -2 2").unwrap() - 8000.0 / 6.0).abs() < 1e-9);
    assert_eq!(
        mass("m.obj", "package://pkg/n.obj", "", "1 1 1").unwrap_err().to_string(),
        "r.urdf:3: <mesh>: the mesh \"package://pkg/n.obj\" was not found; `assets` opens another folder"
    );
    assert_eq!(
        mass("m.dae", "m.dae", "", "1 1 1").unwrap_err().to_string(),
        "r.urdf:3: <mesh>: the mesh \"m.dae\" is in a format that is not supported; convert it to .stl, .obj or .msh"
    );
}

/// Pictures are not worth an error; a mesh that can touch nothing is worth a warning.
#[test]
fn meshes_that_do_not_matter_for_the_mass() {
    let mesh =
        |tag: &str, file: &str| format!("<{tag}><geometry><mesh filename=\"{file}\"/></geometry></{tag}>");
    let text = link("a", &(INERTIAL.to_owned() + &mesh("visual", "none.stl")));
    assert_eq!(
        warnings(&text),
        [
            "r.urdf:2: <visual>: left out of pictures: the mesh \"none.stl\" was not found; `assets` opens another \
             folder"
        ]
    );
    let text = link("a", &(INERTIAL.to_owned() + &mesh("collision", "a.dae")));
    assert_eq!(
        warnings(&text),
        ["r.urdf:2: <collision>: collision meshes in .dae files are not supported; they can touch nothing"]
    );
    // Where there is collision geometry, visuals are not even looked for.
    assert!(warnings(&link("a", &(INERTIAL.to_owned() + BOX + &mesh("visual", "none.stl")))).is_empty());
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    let files = Memory::new().with("r.urdf", robot(&text));
    assert!(load_from(&files, "r.urdf", &strict).is_err());
}

#[test]
fn colours_come_from_materials() {
    let material = r#"<material name="red"><color rgba="1 0 0 1"/></material>"#;
    let visual = r#"<visual><geometry><sphere radius="1"/></geometry><material name="red"/></visual>"#;
    let spec = load(&(material.to_owned() + &link("a", &(INERTIAL.to_owned() + visual + BOX)))).unwrap();
    let shapes = &spec.bodies[1].shapes;
    assert_eq!((shapes.len(), shapes[0].rgba), (1, [1.0, 0.0, 0.0, 1.0]));
    assert!(!shapes[0].massive && shapes[0].collides);
    assert!(matches!(spec.bodies[1].inertia, InertiaSpec::Given(_)));
}

#[test]
fn strangers_are_told_or_known() {
    let known = "<transmission/><gazebo reference=\"a\"/><sensor/><material name=\"m\"/>";
    assert!(warnings(&(known.to_owned() + &solid("a"))).is_empty());
    let odd = "<loop_joint/>\n<loop_joint/>\n".to_owned()
        + &link("a", &INERTIAL.replace("<mass", "<mass vlaue=\"2\""));
    assert_eq!(
        warnings(&odd),
        [
            "r.urdf:2: <loop_joint>: the element <loop_joint> is unknown here and was ignored",
            "r.urdf:4: <mass>: the attribute \"vlaue\" is unknown and was ignored",
        ]
    );
    let template = "<robot xmlns:xacro=\"x\"><xacro:macro/></robot>";
    let error =
        load_from(&Memory::new().with("r.urdf", template), "r.urdf", &LoadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "r.urdf:1: <macro>: this is a xacro template, not a robot; expand it with `xacro` first"
    );
}

#[test]
fn bad_robots_are_errors_that_name_line_and_reason() {
    let two = solid("a") + &solid("b");
    let inertial = |mass: &str, ixx: &str| {
        let text = format!(
            "<inertial><mass value=\"{mass}\"/><inertia ixx=\"{ixx}\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
        );
        link("a", &text)
    };
    let collision = |content: &str| link("a", &format!("{INERTIAL}<collision>{content}</collision>"));
    let cases: Vec<(String, &str)> = vec![
        (String::new(), "r.urdf:1: <robot>: there is no <link>"),
        (
            two.clone(),
            "r.urdf:3: <link>: link \"b\" hangs from no joint, nor does \"a\"; a robot has one root link",
        ),
        (solid("a") + &solid("a"), "r.urdf:3: <link>: another link has the name \"a\""),
        (link("", ""), "r.urdf:2: <link>: the name is empty"),
        ("<link/>".into(), "r.urdf:2: <link>: the attribute \"name\" is missing"),
        (
            two.clone() + &joint("j", "fixed", "a", "b", "") + &joint("k", "fixed", "b", "a", ""),
            "r.urdf:2: <link>: link \"a\" hangs from itself: the joints make a cycle",
        ),
        (
            solid("r") + &two + &joint("j", "fixed", "a", "b", "") + &joint("k", "fixed", "b", "a", ""),
            "r.urdf:3: <link>: link \"a\" hangs from itself: the joints make a cycle",
        ),
        (
            solid("r") + &two + &joint("j", "fixed", "r", "b", "") + &joint("k", "fixed", "a", "b", ""),
            "r.urdf:6: <joint>: link \"b\" already hangs from joint \"j\"; a link has one parent",
        ),
        (
            solid("a") + &joint("j", "fixed", "a", "z", ""),
            "r.urdf:3: <child>: joint \"j\": there is no link \"z\"",
        ),
        (
            solid("a") + "<joint name=\"j\" type=\"fixed\"/>",
            "r.urdf:3: <joint>: joint \"j\" has no <parent link=\"…\"/>",
        ),
        (
            two.clone()
                + &solid("c")
                + &joint("j", "fixed", "a", "b", "")
                + &joint("j", "fixed", "a", "c", ""),
            "r.urdf:6: <joint>: another joint has the name \"j\"",
        ),
        (
            two.clone() + &joint("j", "screw", "a", "b", ""),
            "r.urdf:4: <joint>: type=\"screw\" is not one of: revolute, continuous, prismatic, fixed, floating, planar, \
             spherical, ball",
        ),
        (pair("revolute", "<axis xyz=\"0 0 0\"/>"), "r.urdf:4: <axis>: the axis has no direction"),
        (pair("revolute", "<axis/>"), "r.urdf:4: <axis>: the attribute \"xyz\" is missing"),
        (
            pair("revolute", "<origin xyz=\"1 2\"/>"),
            "r.urdf:4: <origin>: \"xyz\" has 2 numbers; 3 numbers expected",
        ),
        (pair("revolute", "<origin rpy=\"0 nan 0\"/>"), "r.urdf:4: <origin>: \"rpy\" contains NaN"),
        (pair("revolute", "<dynamics damping=\"-1\"/>"), "r.urdf:4: <dynamics>: a damping of -1 is negative"),
        (inertial("-2", "1"), "r.urdf:2: <mass>: a mass of -2 kg is negative"),
        (inertial("nan", "1"), "r.urdf:2: <mass>: \"value\" contains NaN"),
        (inertial("1", "inf"), "r.urdf:2: <inertia>: \"ixx\" contains inf"),
        (
            inertial("1", "-1"),
            "r.urdf:2: <inertia>: the smallest moment of inertia is -1e0 kg·m², not a positive number",
        ),
        (link("a", "<inertial><mass value=\"1\"/></inertial>"), "r.urdf:2: <inertial>: <inertia> is missing"),
        (collision(""), "r.urdf:2: <collision>: <geometry> is missing"),
        (collision("<geometry/>"), "r.urdf:2: <geometry>: it is empty"),
        (
            collision("<geometry><plane/></geometry>"),
            "r.urdf:2: <plane>: <plane> is not one of: box, cylinder, sphere, capsule, mesh",
        ),
        (
            collision("<geometry><sphere radius=\"0\"/></geometry>"),
            "r.urdf:2: <sphere>: radius=\"0\" is not above 0",
        ),
        (
            collision("<geometry><box size=\"1 1 -1\"/></geometry>"),
            "r.urdf:2: <box>: \"size\" must be three numbers above 0",
        ),
        (
            solid("a") + &solid("world") + &joint("j", "fixed", "a", "world", ""),
            "r.urdf:3: <link>: only the root link can be the world",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(message(&text), expected);
    }
}

/// Links in a chain of a hundred thousand need no deep stack.
#[test]
fn a_long_chain() {
    let count = 100_000;
    let mut text = solid("l0");
    for k in 1..count {
        text += &solid(&format!("l{k}"));
        text += &joint(&format!("j{k}"), "revolute", &format!("l{}", k - 1), &format!("l{k}"), "");
    }
    assert_eq!(load(&text).unwrap().bodies.len(), count + 1);
}

/// A file cut off anywhere, or with any one byte changed, is a robot or an error.
#[test]
fn damaged_files_do_no_harm() {
    let limit = r#"<origin rpy="0 0 1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/><mimic joint="j"/>"#;
    let text = robot(&(link("a", BOX) + &solid("b") + &joint("j", "planar", "a", "b", limit))).into_bytes();
    for at in 0..text.len() {
        for byte in [None, Some(b'<'), Some(b'"'), Some(b'-'), Some(b'9'), Some(0xff)] {
            let mut damaged = text.clone();
            match byte {
                Some(byte) => damaged[at] = byte,
                None => damaged.truncate(at),
            }
            let files = Memory::new().with("r.urdf", damaged);
            if let Ok(spec) = load_from(&files, "r.urdf", &LoadOptions::default()) {
                let _ = spec.build();
            }
        }
    }
}

//! Each rule of the MJCF reader on a file of a few lines. The expected numbers are those of the model that MuJoCo 4.0.0
//! compiles from the same text; they are given to 15 digits or so and compared to a relative 1e-12, the rounding of a
//! handful of operations. Masses and inertias feed the mass matrix, which must agree with MuJoCo's to 1e-9.

use gambol_formats::files::Memory;
use gambol_formats::{LoadOptions, load_from, load_str};
use gambol_model::{Constraint, ConstraintKind, Creature, CreatureSpec, InertiaSpec, JointKind, Vec3, math};

fn spec(inside: &str) -> CreatureSpec {
    let text = format!("<mujoco>{inside}</mujoco>");
    load_str("test.xml", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn creature(inside: &str) -> Creature {
    spec(inside).build().unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn close(ours: &[f64], theirs: &[f64]) {
    assert_eq!(ours.len(), theirs.len(), "{ours:?} against {theirs:?}");
    let scale = theirs.iter().fold(1e-300_f64, |scale, x| scale.max(x.abs()));
    let worst = ours.iter().zip(theirs).fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
    assert!(worst <= 1e-12 * scale, "{ours:?} against {theirs:?}");
}

/// w x y z of the first body.
fn orientation(compiler: &str, attributes: &str) -> [f64; 4] {
    let body = format!("<worldbody><body {attributes}><joint/><geom size=\"0.1\"/></body></worldbody>");
    let q = creature(&format!("{compiler}{body}")).bodies()[1].parent_from_body.rotation;
    [q.w, q.i, q.j, q.k]
}

/// A free body with one geom: mass and the diagonal of its inertia.
fn geom(attributes: &str) -> [f64; 4] {
    let creature = creature(&format!("<worldbody><body><freejoint/><geom {attributes}/></body></worldbody>"));
    let mass = creature.bodies()[1].mass;
    [mass.mass, mass.inertia[(0, 0)], mass.inertia[(1, 1)], mass.inertia[(2, 2)]]
}

#[test]
fn every_form_of_orientation() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    close(&orientation("", r#"quat="2 0 0 2""#), &[half, 0.0, 0.0, half]);
    close(&orientation("", r#"axisangle="0 3 0 90""#), &[half, 0.0, half, 0.0]);
    close(&orientation("", r#"euler="90 0 90""#), &[0.5, 0.5, -0.5, 0.5]);
    close(&orientation(r#"<compiler eulerseq="XYZ"/>"#, r#"euler="90 0 90""#), &[0.5, 0.5, 0.5, 0.5]);
    close(
        &orientation(r#"<compiler angle="radian" eulerseq="zYx"/>"#, r#"euler="0.5 0.6 0.7""#),
        &[0.844_448_264_775_707_2, 0.386_079_266_204_749_3, 0.350_018_872_629_427_9, 0.123_841_500_020_483_9],
    );
    close(&orientation("", r#"xyaxes="0 2 0 -1 1 0""#), &[half, 0.0, 0.0, half]);
    close(
        &orientation("", r#"zaxis="0 1 1""#),
        &[0.923_879_532_511_286_7, -0.382_683_432_365_089_8, 0.0, 0.0],
    );
    close(&orientation("", r#"zaxis="0 0 -1""#), &[0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn mass_of_every_primitive() {
    let i = 0.016_755_160_819_145_56;
    close(&geom(r#"size="0.1""#), &[4.188_790_204_786_391, i, i, i]);
    close(
        &geom(r#"type="capsule" size="0.1 0.2""#),
        &[16.755_160_819_145_57, 0.446_106_156_809_751, 0.446_106_156_809_751, 0.079_587_013_890_941],
    );
    close(
        &geom(r#"type="capsule" size="0.1" fromto="0 0 0 0.3 0 0.4""#),
        &[19.896_753_472_735_362, 0.497_418_836_818_384, 0.723_613_507_876_849, 0.321_489_648_217_356],
    );
    close(
        &geom(r#"type="cylinder" size="0.1 0.2""#),
        &[12.566_370_614_359_174, 0.198_967_534_727_354, 0.198_967_534_727_354, 0.062_831_853_071_796],
    );
    close(&geom(r#"type="box" size="0.1 0.2 0.3""#), &[48.0, 2.08, 1.6, 0.8]);
    close(
        &geom(r#"type="ellipsoid" size="0.1 0.2 0.3""#),
        &[25.132_741_228_718_345, 0.653_451_271_946_677, 0.502_654_824_574_367, 0.251_327_412_287_183],
    );
    close(&geom(r#"type="box" size="0.1 0.2 0.3" mass="2""#), &[2.0, 0.26 / 3.0, 0.2 / 3.0, 0.1 / 3.0]);
    close(&geom(r#"type="box" size="0.1" fromto="0 0 0 0 0 1""#), &[40.0, 10.4 / 3.0, 10.4 / 3.0, 0.8 / 3.0]);
    close(
        &geom(r#"type="box" size="0.1 0.2 0.3" shellinertia="true""#),
        &[880.0, 162.4 / 3.0, 126.4 / 3.0, 72.8 / 3.0],
    );
    close(
        &geom(r#"type="cylinder" size="0.1 0.2" shellinertia="true" density="2""#),
        &[0.628_318_530_717_958_6, 0.014_556_045_961_633, 0.014_556_045_961_633, 0.005_654_866_776_462],
    );
}

#[test]
fn several_geoms_make_one_body() {
    let creature = creature(
        r#"<compiler angle="radian"/><worldbody><body><freejoint/>
        <geom type="box" size=".1 .2 .3" pos="1 0 0" euler="0.3 0 0"/><geom size=".2" density="500"/>
        </body></worldbody>"#,
    );
    let mass = creature.bodies()[1].mass;
    close(&[mass.mass], &[64.755_160_819_145_57]);
    close(mass.com.as_slice(), &[0.741_253_660_601_029_4, 0.0, 0.0]);
    let (a, b) = (13.557_772_618_293_118, 0.225_856_989_358_014_9);
    close(
        mass.inertia.as_slice(),
        &[2.348_082_573_106_34, 0.0, 0.0, 0.0, 14.218_041_110_220_86, b, 0.0, b, a],
    );
}

#[test]
fn classes_are_resolved_attribute_by_attribute() {
    let creature = creature(
        r#"<compiler angle="radian"/>
        <default><geom density="500" size="1 2 3" euler="0.3 0 0"/><joint damping="3"/>
          <default class="leg"><geom type="box"/><joint stiffness="5"/>
            <default class="toe"><joint damping="7"/></default></default></default>
        <worldbody><body name="a" childclass="leg"><joint name="j"/><geom size="0.1" quat="1 0 0 0"/>
          <body name="b"><joint name="k" class="toe"/><joint name="l" axis="1 0 0" class="main"/><geom/>
        </body></body></worldbody>"#,
    );
    // One number replaces the first of three; the density comes from the outermost class.
    close(&[creature.bodies()[1].mass.mass], &[0.1 * 2.0 * 3.0 * 8.0 * 500.0]);
    let joints: Vec<_> = creature.joints().iter().map(|j| (j.stiffness, j.damping)).collect();
    assert_eq!(joints, [(5.0, 3.0), (5.0, 7.0), (0.0, 3.0)]);
    // A quaternion of the geom's own replaces the angles of its class: the inertia is along the axes.
    assert_eq!(creature.bodies()[1].mass.inertia[(1, 2)], 0.0);
    assert!(creature.bodies()[2].mass.inertia[(1, 2)].abs() > 1.0);
}

#[test]
fn joints_of_every_kind() {
    let creature = creature(
        r#"<worldbody>
        <body name="root"><freejoint name="free"/><geom size="1"/>
          <body name="hinge"><joint name="h" axis="0 3 4" pos="1 2 3" range="-90 180" ref="90" springref="45"
             stiffness="2" damping="3" armature="4"/><geom size="1"/>
            <body name="slide"><joint name="s" type="slide" range="-90 180" ref="2" limited="false"/><geom size="1"/>
              <body name="ball"><joint name="b" type="ball" range="0 90"/><geom size="1"/></body></body></body>
        </body></worldbody>"#,
    );
    let pi = std::f64::consts::PI;
    let [free, hinge, slide, ball] = creature.joints() else { panic!("four joints") };
    assert_eq!((free.kind, hinge.kind), (JointKind::Free, JointKind::Hinge));
    assert_eq!((slide.kind, ball.kind), (JointKind::Slide, JointKind::Ball));
    close(hinge.axis.as_slice(), &[0.0, 0.6, 0.8]);
    close(hinge.anchor.as_slice(), &[1.0, 2.0, 3.0]);
    close(&hinge.limit.unwrap(), &[-pi / 2.0, pi]);
    assert_eq!((slide.limit, ball.limit), (None, Some([0.0, pi / 2.0])));
    assert_eq!((hinge.stiffness, hinge.damping, hinge.armature), (2.0, 3.0, 4.0));
    let reference = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, pi / 2.0, 2.0, 1.0, 0.0, 0.0, 0.0];
    close(creature.reference_pose(), &reference);
    close(&creature.rest_pose()[7..9], &[pi / 4.0, 0.0]);
}

#[test]
fn frames_move_what_stands_in_them() {
    let creature = creature(
        r#"<compiler angle="radian"/><worldbody><frame pos="1 0 0" euler="0 0 1.5707963267948966">
        <body name="b" pos="1 0 0"><frame pos="0 0 3" euler="0 1 0">
          <joint axis="0 0 1" pos="1 0 0"/><inertial pos="0.5 0 0" mass="1" diaginertia="1 2 3"/>
          <site name="s" pos="1 0 0"/></frame></body></frame></worldbody>"#,
    );
    let body = &creature.bodies()[1];
    close(body.parent_from_body.translation.vector.as_slice(), &[1.0, 1.0, 0.0]);
    let (sin, cos) = math::sin_cos(1.0);
    close(body.mass.com.as_slice(), &[0.5 * cos, 0.0, 3.0 - 0.5 * sin]);
    close(creature.joints()[0].axis.as_slice(), &[sin, 0.0, cos]);
    close(creature.joints()[0].anchor.as_slice(), &[cos, 0.0, 3.0 - sin]);
    close(creature.sites()[0].body_from_site.translation.vector.as_slice(), &[cos, 0.0, 3.0 - sin]);
}

#[test]
fn replicate_copies_what_refers_to_it() {
    let spec = spec(
        r#"<compiler angle="radian"/><worldbody><body name="base"><freejoint/><geom size="1"/></body>
        <replicate count="10" sep="-" offset="1 0 0" euler="0 0 0.1">
          <body name="a" pos="1 0 0"><joint name="j"/><geom size="1"/>
            <body name="b"><joint name="k"/><geom size="1"/></body></body></replicate></worldbody>
        <equality><joint joint1="j" joint2="k" name="e"/><connect body1="a" body2="base" anchor="0 0 0"/></equality>
        <tendon><fixed name="t" stiffness="3"><joint joint="k" coef="2"/></fixed></tendon>"#,
    );
    let names: Vec<&str> = spec.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names[..6], ["world", "base", "a-00", "b-00", "a-01", "b-01"]);
    let at = |index: usize| spec.bodies[index].parent_from_body.translation.vector;
    close(at(4).as_slice(), &[1.995_004_165_278_025_8, 0.099_833_416_646_828_15, 0.0]);
    close(at(6).as_slice(), &[2.975_070_743_119_267, 0.298_502_747_441_889_4, 0.0]);
    // The link between a copy and something that has no copies is dropped, as in MuJoCo.
    assert_eq!(spec.constraints.len(), 10);
    assert_eq!(spec.constraints[1].name, "e-01");
    assert_eq!((spec.tendons.len(), spec.tendons[9].name.as_str()), (10, "t-09"));
    assert_eq!(spec.tendons[9].terms, [("k-09".to_owned(), 2.0)]);
}

#[test]
fn attached_models_keep_their_own_rules() {
    let files = Memory::new()
        .with(
            "main.xml",
            r#"<mujoco><asset><model name="kid" file="sub/kid.xml"/></asset><worldbody>
            <body name="p"><freejoint/><geom size="1"/><frame pos="0 0 1"><attach model="kid" body="k" prefix="L_"/>
            </frame></body></worldbody></mujoco>"#,
        )
        .with(
            "sub/kid.xml",
            r#"<mujoco><compiler angle="radian"/><default class="main"><geom density="50"/></default><worldbody>
            <geom size="9"/><body name="k" pos="1 0 0"><joint name="j" range="-1 1"/><geom size="1"/></body>
            </worldbody><tendon><fixed name="t" stiffness="1"><joint joint="j" coef="1"/></fixed></tendon></mujoco>"#,
        );
    let creature = load_from(&files, "main.xml", &LoadOptions::default()).unwrap().build().unwrap();
    let body = &creature.bodies()[2];
    assert_eq!((body.name.as_str(), body.parent), ("L_k", 1));
    close(body.parent_from_body.translation.vector.as_slice(), &[1.0, 0.0, 1.0]);
    close(&[body.mass.mass], &[4.0 / 3.0 * std::f64::consts::PI * 50.0]);
    assert_eq!(creature.joints()[1].limit, Some([-1.0, 1.0]));
    assert_eq!(creature.tendons()[0].name, "L_t");
}

#[test]
fn includes_are_relative_to_the_main_file() {
    let files = Memory::new()
        .with("main.xml", r#"<mujoco><include file="sub/a.xml"/><worldbody><body><joint/><geom class="q"/></body></worldbody></mujoco>"#)
        .with("sub/a.xml", r#"<mujocoinclude><include file="sub/b.xml"/><!---- rulers are no XML, but fine ----></mujocoinclude>"#)
        .with("sub/b.xml", r#"<x><default><default class="q"><geom size="1" mass="7"/></default></default></x>"#);
    let creature = load_from(&files, "main.xml", &LoadOptions::default()).unwrap().build().unwrap();
    assert_eq!(creature.mass(), 7.0);
}

#[test]
fn the_compiler_bounds_scales_and_picks_masses() {
    let two = r#"<worldbody><body><joint/><geom size=".1"/><body><joint/><geom size=".2"/></body></body></worldbody>"#;
    let scaled = creature(&format!(r#"<compiler settotalmass="5"/>{two}"#));
    let masses: Vec<f64> = scaled.bodies().iter().map(|body| body.mass.mass).collect();
    close(&masses, &[0.0, 5.0 / 9.0, 40.0 / 9.0]);
    close(&[scaled.bodies()[2].mass.inertia[(0, 0)]], &[0.071_111_111_111_111_11]);

    let bounded = creature(&format!(r#"<compiler boundmass="100" boundinertia="0.5"/>{two}"#));
    close(&[bounded.bodies()[1].mass.mass, bounded.bodies()[1].mass.inertia[(1, 1)]], &[100.0, 0.5]);

    let picked = creature(
        r#"<compiler inertiafromgeom="true" inertiagrouprange="1 2"/><worldbody><body><joint/>
        <geom size=".1" group="1" mass="3"/><geom size=".2"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>"#,
    );
    assert_eq!(picked.mass(), 3.0);

    let balanced = creature(
        r#"<compiler balanceinertia="true"/><worldbody><body><joint/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 4"/></body></worldbody>"#,
    );
    close(&[balanced.bodies()[1].mass.inertia[(2, 2)]], &[2.0]);
}

#[test]
fn fused_bodies_become_part_of_their_parents() {
    let creature = creature(
        r#"<compiler fusestatic="true"/><worldbody><body name="w"><geom size=".1"/><body name="a" pos="1 0 0"><joint/>
        <geom size=".1"/><body name="s" pos="1 0 0"><geom size=".1"/><body name="c" pos="0 0 1"><joint/>
        <geom size=".1"/></body></body><body name="kept"><geom size=".1"/></body></body></body></worldbody>
        <contact><exclude body1="kept" body2="c"/></contact>"#,
    );
    let names: Vec<&str> = creature.bodies().iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["world", "a", "c", "kept"]);
    close(&[creature.bodies()[1].mass.mass], &[2.0 * 4.188_790_204_786_391]);
    close(creature.bodies()[2].parent_from_body.translation.vector.as_slice(), &[1.0, 0.0, 1.0]);
}

#[test]
fn a_lone_free_body_can_move_to_its_centre_of_mass() {
    let creature = creature(
        r#"<compiler alignfree="true" angle="radian"/><worldbody><body pos="1 2 3" euler="0 0 0.5"><freejoint/>
        <geom type="box" size=".1 .2 .3" pos="1 0 0"/><site name="s" pos="2 0 0"/></body></worldbody>"#,
    );
    let (w, z) = (0.968_912_421_710_644_7, 0.247_403_959_254_522_94);
    let reference = [1.877_582_561_890_372_8, 2.479_425_538_604_203, 3.0, w, 0.0, 0.0, z];
    close(creature.reference_pose(), &reference);
    close(creature.sites()[0].body_from_site.translation.vector.as_slice(), &[1.0, 0.0, 0.0]);
    close(creature.bodies()[1].mass.com.as_slice(), &[0.0; 3]);
}

const TETRAHEDRON: &str = r#"vertex="0 0 0  1 0 0  0 1 0  0 0 1.5" face="0 2 1  0 1 3  0 3 2  1 2 3""#;

#[test]
fn meshes_are_scaled_and_placed_as_the_file_says() {
    let creature = creature(&format!(
        r#"<asset><mesh name="m" {TETRAHEDRON} scale="1 2 -1"/></asset><worldbody><body><freejoint/>
        <geom type="mesh" mesh="m" pos="0 0 1"/></body></worldbody>"#
    ));
    let mass = creature.bodies()[1].mass;
    close(&[mass.mass], &[500.0]);
    close(mass.com.as_slice(), &[0.25, 0.5, 0.625]);
    // MuJoCo leaves the principal axes of a mesh a little off: the exact entry is 117.1875.
    let diagonal = [117.187_500_109_182_79, 60.937_499_979_547_83, 93.749_999_911_269_28];
    close(mass.inertia.diagonal().as_slice(), &diagonal);
}

#[test]
fn primitives_are_fitted_to_meshes() {
    let mass = |kind: &str| {
        creature(&format!(
            r#"<asset><mesh name="m" {TETRAHEDRON}/></asset><worldbody><body><freejoint/>
            <geom type="{kind}" mesh="m"/></body></worldbody>"#
        ))
        .mass()
    };
    close(&[mass("capsule")], &[327.748_061_786_349_2]);
    close(&[mass("box")], &[348.568_501_158_668]);
    close(&[mass("sphere")], &[224.459_550_031_093_2]);
    close(&[mass("cylinder")], &[299.671_918_921_700_86]);
    close(&[mass("ellipsoid")], &[182.510_040_418_812_76]);
}

#[test]
fn springs_by_time_constant_and_damping_ratio() {
    // Not the diagonal of the mass matrix counts but that of its inverse: the slide gives way.
    let creature = creature(
        r#"<worldbody><body><joint type="slide" axis="1 0 0"/><geom size=".1"/>
        <body pos="1 0 0"><joint springdamper="0.5 1.2" armature="0.1" axis="0 1 0"/><geom size=".1" pos="0.3 0 0"/>
        </body></body></worldbody>"#,
    );
    let joint = &creature.joints()[1];
    close(&[joint.stiffness, joint.damping], &[1.371_517_442_360_892_2, 1.974_985_116_999_684_8]);
}

const TWO_FREE: &str = r#"<compiler angle="radian"/><worldbody>
    <body name="a" pos="1 0 0"><freejoint/><geom size=".1"/><site name="s1" pos="1 0 0"/></body>
    <body name="b" pos="0 2 0" euler="0 0 0.5"><freejoint/><geom size=".1"/><site name="s2" pos="0 1 0"/></body></worldbody>"#;

fn constraints(equality: &str) -> Vec<Constraint> {
    spec(&format!("{TWO_FREE}<equality>{equality}</equality>")).constraints
}

#[test]
fn connect_and_weld_in_both_frames() {
    let found = constraints(r#"<connect body1="a" body2="b" anchor="0.1 0.2 0.3"/>"#);
    let [Constraint { kind: ConstraintKind::Connect { a, b }, .. }] = &found[..] else { panic!("{found:?}") };
    assert_eq!((a.body, b.body), (1, 2));
    close(b.point.as_slice(), &[0.102_374_848_591_844_54, -2.107_016_703_867_294, 0.3]);

    let found = constraints(r#"<connect site1="s1" site2="s2"/><weld body1="a" active="false"/>"#);
    let [Constraint { kind: ConstraintKind::Connect { a, b }, .. }] = &found[..] else { panic!("{found:?}") };
    assert_eq!((a.point, b.point), (Vec3::x(), Vec3::y()));

    // The position in "relpose" is that of the anchor: body b stands there less its turned anchor.
    let found = constraints(r#"<weld body1="a" body2="b" anchor="0.1 0.2 0.3" relpose="1 2 3 0 1 0 0"/>"#);
    let [Constraint { kind: ConstraintKind::Weld { a_from_b, .. }, .. }] = &found[..] else {
        panic!("{found:?}")
    };
    close(a_from_b.translation.vector.as_slice(), &[0.9, 2.2, 3.3]);

    let found = constraints(r#"<weld body1="a" body2="b"/>"#);
    let [Constraint { kind: ConstraintKind::Weld { a_from_b, .. }, .. }] = &found[..] else {
        panic!("{found:?}")
    };
    close(a_from_b.translation.vector.as_slice(), &[-1.0, 2.0, 0.0]);
}

#[test]
fn two_connects_make_a_hinge() {
    let found = constraints(
        r#"<connect name="left" body1="a" body2="b" anchor="0 0 1"/><connect body1="a" body2="b" anchor="0 0 -1"/>
        <connect body1="a" anchor="0 0 -1"/>"#,
    );
    assert_eq!((found.len(), found[0].name.as_str(), found[0].kind.rows()), (2, "left", 5));
    let ConstraintKind::Hinge { a, axis_in_a, axis_in_b, .. } = &found[0].kind else { panic!("{found:?}") };
    assert_eq!(a.point, Vec3::z());
    close(axis_in_a.as_slice(), &[0.0, 0.0, -1.0]);
    close(axis_in_b.as_slice(), &[0.0, 0.0, -1.0]);
    // The same point twice is no axis.
    let twice = constraints(r#"<connect body1="a" anchor="0 0 1"/><connect body1="a" anchor="0 0 1"/>"#);
    assert_eq!(twice.iter().map(|constraint| constraint.kind.rows()).collect::<Vec<_>>(), [3, 3]);
}

#[test]
fn tendons_and_couplings() {
    let spec = spec(
        r#"<compiler angle="radian"/><worldbody><body><freejoint/><geom size="1"/><body><joint name="j" springref="0.9"/>
        <geom size="1"/><body><joint name="k"/><geom size="1"/></body></body></body></worldbody>
        <tendon><fixed name="t" stiffness="1"><joint joint="j" coef="2"/><joint joint="k" coef="3"/></fixed>
          <fixed name="u" damping="4" springlength="0.1"><joint joint="k" coef="1"/></fixed></tendon>
        <equality><joint joint1="k" joint2="j" polycoef="0.5 2"/><tendon tendon1="t" tendon2="u"/><joint joint1="j"/>
        </equality>"#,
    );
    // Without a rest length the spring is slack while the joints are at their springs' rest.
    assert_eq!(spec.tendons[0].rest, Some([1.8, 1.8]));
    assert_eq!((spec.tendons[1].rest, spec.tendons[1].damping), (Some([0.1, 0.1]), 4.0));
    let kinds: Vec<_> = spec.constraints.into_iter().map(|constraint| constraint.kind).collect();
    let coupling = |left, right, polynomial| ConstraintKind::Coupling { left, right, polynomial };
    let identity = [0.0, 1.0, 0.0, 0.0, 0.0];
    assert_eq!(kinds[0], coupling(vec![(2, 1.0)], vec![(1, 1.0)], [0.5, 2.0, 0.0, 0.0, 0.0]));
    assert_eq!(kinds[1], coupling(vec![(1, 2.0), (2, 3.0)], vec![(2, 1.0)], identity));
    assert_eq!(kinds[2], coupling(vec![(1, 1.0)], vec![], identity));
}

#[test]
fn rotors_of_actuators_count_gear_squared() {
    let creature = creature(
        r#"<default><motor gear="3"/></default><worldbody><body><joint name="j" armature="1"/><geom size="1"/></body>
        </worldbody><actuator><motor joint="j" armature="0.5" damping="0.25"/>
        <position joint="j" gear="2" armature="0.5" kp="9"/></actuator>"#,
    );
    let joint = &creature.joints()[0];
    assert_eq!((joint.armature, joint.damping), (1.0 + 4.5 + 2.0, 2.25));
}

#[test]
fn options_and_keys() {
    let creature = creature(
        r#"<option gravity="0 0 -1"/><option timestep="0.1"><flag gravity="enable" limit="disable"/></option>
        <worldbody><body><joint ref="90" range="0 1"/><geom size="1"/></body></worldbody>
        <keyframe><key/><key name="up" qpos="2"/></keyframe>"#,
    );
    assert_eq!(creature.gravity(), Vec3::new(0.0, 0.0, -1.0));
    assert_eq!(creature.joints()[0].limit, None);
    close(creature.pose("key 0").unwrap(), &[std::f64::consts::FRAC_PI_2]);
    assert_eq!(creature.pose("up"), Some(&[2.0][..]));
    let weightless = spec(r#"<option><flag gravity="disable"/></option>"#);
    assert_eq!(weightless.gravity, Vec3::zeros());
}

#[test]
fn free_roots_take_poses_and_couplings_along() {
    let text = r#"<mujoco><worldbody><body name="scenery"/><body name="a" pos="1 2 3"><geom size="1"/>
        <body><joint name="root"/><geom size="1"/></body></body></worldbody>
        <equality><joint joint1="root"/></equality><keyframe><key name="k" qpos="0.5"/></keyframe></mujoco>"#;
    let options = LoadOptions { free_root: true, ..LoadOptions::default() };
    let creature = load_str("test.xml", text, &options).unwrap().build().unwrap();
    assert_eq!(creature.nq(), 8);
    assert_eq!(creature.joints()[0].name, "root of a");
    assert_eq!(creature.pose("k"), Some(&[1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.5][..]));
    let ConstraintKind::Coupling { left, .. } = &creature.constraints()[0].kind else { panic!() };
    assert_eq!(left, &[(1, 1.0)]);
}

#[test]
fn nameless_things_get_names() {
    let spec = spec(
        r#"<worldbody><body name="body 2"><joint/><geom size="1"/><body><joint name="joint 1"/><joint axis="1 0 0"/>
        <geom size="1"/></body></body></worldbody>"#,
    );
    assert_eq!(spec.bodies[2].name, "body 2'");
    let joints: Vec<&str> = spec.bodies.iter().flat_map(|b| &b.joints).map(|j| j.name.as_str()).collect();
    assert_eq!(joints, ["joint 0", "joint 1", "joint 2"]);
}

#[test]
fn bodies_of_plain_shapes_stay_editable() {
    let spec = spec(
        r#"<worldbody><body><freejoint/><geom size="1"/><geom size="1" pos="1 0 0"/></body></worldbody>"#,
    );
    assert!(matches!(spec.bodies[1].inertia, InertiaSpec::FromShapes));
    assert!(spec.bodies[1].shapes[0].collides);
}

#[test]
fn colours_come_from_materials() {
    let spec = spec(
        r#"<asset><material name="red" rgba="1 0 0 1"/></asset><worldbody><body><freejoint/>
        <geom size="1" material="red" contype="0" conaffinity="0"/></body></worldbody>"#,
    );
    assert_eq!(spec.bodies[1].shapes[0].rgba, [1.0, 0.0, 0.0, 1.0]);
    assert!(!spec.bodies[1].shapes[0].collides);
}

#[test]
fn what_is_not_supported_is_told_once() {
    let text = r#"<mujoco><option density="1"/><worldbody><body gravcomp="1"><joint frictionloss="1" stiffness="1 2"/>
        <geom size="1" wobble="3"/><body><joint frictionloss="1"/><geom size="1"/><camera/></body></body>
        <flexcomp name="f"/></worldbody><sensor/><visual/></mujoco>"#;
    let spec = load_str("test.xml", text, &LoadOptions::default()).unwrap();
    let warnings: Vec<String> = spec.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "test.xml:1: <body>: gravity compensation (\"gravcomp\") is not supported and was left out",
            "test.xml:1: <joint>: only the linear part of a polynomial \"stiffness\" is used",
            "test.xml:1: <joint>: dry friction (\"frictionloss\") is not supported and was left out",
            "test.xml:3: <flexcomp>: soft bodies (flex) are not supported and were left out",
            "test.xml:1: <option>: the drag of air or water is not supported and was left out",
            "test.xml:2: <geom>: the attribute \"wobble\" is unknown and was ignored",
        ]
    );
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    let error = load_str("test.xml", text, &strict).unwrap_err();
    assert_eq!(error.to_string(), warnings[0]);
}

/// The reader must not recurse: a stack of 2 MiB holds some ten thousand frames, not 200,000.
#[test]
fn two_hundred_thousand_nested_bodies() {
    let count = 200_000;
    let mut text = String::from("<mujoco><worldbody>");
    for _ in 0..count {
        text.push_str("<body><joint/><geom size=\"1\"/>");
    }
    for _ in 0..count {
        text.push_str("</body>");
    }
    text.push_str("</worldbody></mujoco>");
    let spec = load_str("deep.xml", &text, &LoadOptions::default()).unwrap();
    assert_eq!((spec.bodies.len(), spec.bodies[count].parent), (count + 1, count - 1));
}

/// Five faces of a cube: MuJoCo 4.0.0 weighs it by its legacy rule as below, and so do we, with a word about it. A mesh
/// that MuJoCo refuses because its faces point inwards gets the mass of its convex hull.
#[test]
fn meshes_that_are_no_solids_are_told() {
    let cube = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1";
    let five = "0 2 1 0 3 2 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7";
    let body = |mesh: &str| {
        let text = format!(
            "<mujoco><asset><mesh name='m' {mesh}/></asset>\n\
             <worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
        );
        let creature = load_str("m.xml", &text, &LoadOptions::default()).unwrap().build().unwrap();
        let warnings: Vec<String> = creature.warnings().iter().map(ToString::to_string).collect();
        (creature.mass(), warnings)
    };
    let (mass, warnings) = body(&format!("vertex='{cube}' face='{five}'"));
    assert!((mass / 804.166_666_666_666_7 - 1.0).abs() < 1e-9, "{mass}");
    assert_eq!(
        warnings[0],
        "m.xml:2: <geom>: a mesh is no solid, the surface is not closed; its mass follows MuJoCo's rule for such meshes"
    );
    let inwards = "vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 2 0 3 1 0 2 3 1 3 2' inertia='exact'";
    let (mass, warnings) = body(inwards);
    assert!((mass - 1000.0 / 6.0).abs() < 1e-9, "{mass}");
    assert_eq!(
        warnings[0],
        "m.xml:2: <geom>: a mesh is no solid, faces point inwards or disagree about the outside; \
         its mass is that of its convex hull"
    );
}

//! A creature of one's own, in code: a lamp of two limbs on a free base, its springs, and how it vibrates.

use gambol::dynamics::Data;
use gambol::model::{BodySpec, CreatureSpec, JointKind, JointSpec, Shape, ShapeSpec, Vec3};
use gambol::modes::{Settings, analyze, set_uniform};

/// A limb of 30 cm that hangs on its parent by a hinge across.
fn limb(name: &str) -> BodySpec {
    let mut body = BodySpec::new(name);
    body.parent_from_body.translation.vector = Vec3::new(0.0, 0.0, 0.3);
    body.joints.push(JointSpec::hinge(format!("{name} hinge"), Vec3::y()));
    body.shapes.push(ShapeSpec::new(Shape::Capsule { radius: 0.03, half_length: 0.12 }));
    body
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut spec = CreatureSpec::new("lamp");
    let mut base = BodySpec::new("base");
    base.joints.push(JointSpec::new("root", JointKind::Free));
    base.shapes.push(ShapeSpec::new(Shape::Sphere { radius: 0.1 }));
    let base = spec.add_body(0, base)?;
    let lower = spec.add_body(base, limb("lower"))?;
    spec.add_body(lower, limb("upper"))?;

    // Every rule is checked here, and nowhere else: what is built cannot be invalid.
    let mut lamp = spec.build()?;
    set_uniform(&mut lamp, 20.0)?; // N·m/rad

    let mut data = Data::new(&lamp);
    let modes = analyze(&lamp, &mut data, lamp.rest_pose(), &Settings::default())?;
    for mode in modes.flexible() {
        println!("{:.2} Hz", modes.frequency(&lamp, mode));
    }
    Ok(())
}

//! Creatures of many kinds from one plan, for gaits on bodies that nobody tuned.

use std::f64::consts::PI;
use std::sync::Arc;

use gambol_model::{
    BodyPoint, BodySpec, Constraint, ConstraintKind, Creature, CreatureSpec, JointSpec, MeshMass, Shape,
    ShapeSpec, Transform, TriMesh, Vec3, math,
};
use nalgebra::{Translation3, UnitQuaternion};

/// What stands on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Foot {
    Sphere,
    Box,
    Mesh,
    /// A body with mass and nothing to see.
    Nothing,
}

/// How a leg hangs on the trunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hip {
    /// A ball, a hinged knee and a hinged ankle: five freedoms.
    Ball,
    /// Abduction, flexion and knee, as most robots have: three freedoms.
    Robot,
    /// Flexion and knee: nothing goes sideways.
    Planar,
}

/// A creature of capsules with legs of two segments and a foot; lengths before `scale` are of a large dog.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) pairs: usize,
    /// Legs on the midline: behind the pairs, or all there is.
    pub(crate) middle: usize,
    pub(crate) hip: Hip,
    pub(crate) foot: Foot,
    /// How far knees and feet are out, m.
    pub(crate) sprawl: f64,
    /// How far the knee is before the line from hip to foot, m; negative: behind it.
    pub(crate) knee: f64,
    /// Of all lengths.
    pub(crate) scale: f64,
    /// The creature faces this way, rad from +x.
    pub(crate) yaw: f64,
    /// Left legs are longer and heavier by this factor.
    pub(crate) uneven: f64,
    /// rad to each side of the rest pose
    pub(crate) limit: Option<f64>,
    /// A rod from the thigh to the foot, parallel to the shin, closes a loop in every leg.
    pub(crate) rods: bool,
    /// m/s²
    pub(crate) gravity: f64,
    /// Balls between the pairs, or one stiff trunk.
    pub(crate) supple: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            pairs: 2,
            middle: 0,
            hip: Hip::Ball,
            foot: Foot::Sphere,
            sprawl: 0.0,
            knee: 0.06,
            scale: 1.0,
            yaw: 0.0,
            uneven: 1.0,
            limit: None,
            rods: false,
            gravity: 9.81,
            supple: true,
        }
    }
}

fn at(place: Vec3) -> Transform {
    Transform::from_parts(Translation3::from(place), UnitQuaternion::identity())
}

fn capsule(from: Vec3, to: Vec3, radius: f64) -> ShapeSpec {
    let turn = UnitQuaternion::rotation_between(&Vec3::z(), &(to - from))
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vec3::x_axis(), PI));
    let mut shape = ShapeSpec::new(Shape::Capsule { radius, half_length: 0.5 * (to - from).norm() });
    shape.body_from_shape = Transform::from_parts((0.5 * (from + to)).into(), turn);
    shape
}

/// A wedge: higher behind than in front, with the sole at z = −2 h.
fn wedge(l: f64, w: f64, h: f64) -> Shape {
    let vertices = [(-l, -w, -h), (l, -w, -h), (l, w, -h), (-l, w, -h), (-l, -w, h), (-l, w, h)]
        .map(|(x, y, z)| Vec3::new(x, y, z - h))
        .to_vec();
    let faces = vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 5], [1, 5, 4], [2, 3, 5], [3, 0, 4], [3, 4, 5]];
    Shape::Mesh { mesh: Arc::new(TriMesh::new(vertices, faces).unwrap()), mass: MeshMass::Convex }
}

impl Plan {
    pub(crate) fn build(&self) -> Creature {
        let mut spec = CreatureSpec::new("synthetic");
        spec.gravity = Vec3::new(0.0, 0.0, -self.gravity);
        let s = self.scale;
        // Stiff enough for its weight: torque is weight times length, so that it goes with the fourth power of size.
        let stiffness = 30.0 * math::powi(s, 4) * self.gravity / 9.81;
        let rows = self.pairs + self.middle;
        let mut carrier = 0;
        for row in 1..=rows {
            let mut trunk = BodySpec::new(format!("trunk.{row}"));
            trunk.shapes.push(capsule(Vec3::zeros(), Vec3::new(-0.3 * s, 0.0, 0.0), 0.08 * s));
            trunk.parent_from_body = if row == 1 {
                let turn = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), self.yaw);
                Transform::from_parts(Translation3::new(0.0, 0.0, 0.6 * s), turn)
            } else {
                at(Vec3::new(-0.4 * s, 0.0, 0.0))
            };
            if row == 1 {
                trunk.joints.push(JointSpec::free("root"));
            } else if self.supple {
                trunk.joints.push(JointSpec::ball(format!("back.{row}")).with_stiffness(10.0 * stiffness));
            }
            carrier = spec.add_body(carrier, trunk).unwrap();
            if row == 1 {
                // It shows where the front is.
                let mut head = BodySpec::new("head");
                head.parent_from_body = at(Vec3::new(0.1, 0.0, 0.08) * s);
                head.shapes.push(capsule(Vec3::zeros(), Vec3::new(0.15, 0.0, 0.1) * s, 0.05 * s));
                head.joints.push(JointSpec::ball("neck").with_stiffness(stiffness));
                spec.add_body(carrier, head).unwrap();
            }
            if row <= self.pairs {
                self.leg(&mut spec, carrier, &format!("{row}.left"), 1.0, stiffness);
                self.leg(&mut spec, carrier, &format!("{row}.right"), -1.0, stiffness);
            } else {
                self.leg(&mut spec, carrier, &format!("{row}"), 0.0, stiffness);
            }
        }
        spec.build().unwrap()
    }

    fn leg(&self, spec: &mut CreatureSpec, trunk: usize, name: &str, side: f64, stiffness: f64) {
        let s = self.scale * if side > 0.0 { self.uneven } else { 1.0 };
        let knee = Vec3::new(self.knee, 0.5 * self.sprawl * side, -0.28) * s;
        let ankle = Vec3::new(-self.knee, 0.5 * self.sprawl * side, -0.28) * s;
        let hinge = |joint: &str, axis: Vec3| {
            let mut hinge = JointSpec::hinge(format!("{joint}.{name}"), axis).with_stiffness(stiffness);
            hinge.limit = self.limit.map(|limit| [-limit, limit]);
            hinge
        };
        let mut thigh = BodySpec::new(format!("thigh.{name}"));
        thigh.parent_from_body = at(Vec3::new(-0.05, 0.1 * side, 0.0) * self.scale);
        thigh.shapes.push(capsule(Vec3::zeros(), knee, 0.03 * s));
        match self.hip {
            Hip::Ball => {
                let mut ball = JointSpec::ball(format!("hip.{name}")).with_stiffness(stiffness);
                ball.limit = self.limit.map(|limit| [0.0, limit]);
                thigh.joints.push(ball);
            }
            Hip::Robot => {
                thigh.joints.push(hinge("abduction", Vec3::x()));
                thigh.joints.push(hinge("hip", Vec3::y()));
            }
            Hip::Planar => thigh.joints.push(hinge("hip", Vec3::y())),
        }
        let thigh = spec.add_body(trunk, thigh).unwrap();
        let mut shin = BodySpec::new(format!("shin.{name}"));
        shin.parent_from_body = at(knee);
        shin.shapes.push(capsule(Vec3::zeros(), ankle, 0.025 * s));
        shin.joints.push(hinge("knee", Vec3::y()));
        let shin = spec.add_body(thigh, shin).unwrap();
        let mut foot = BodySpec::new(format!("foot.{name}"));
        foot.parent_from_body = at(ankle);
        if self.hip == Hip::Ball {
            foot.joints.push(hinge("ankle", Vec3::y()));
        }
        match self.foot {
            Foot::Sphere => foot.shapes.push(ShapeSpec::new(Shape::Sphere { radius: 0.035 * s })),
            Foot::Box => {
                let mut sole = ShapeSpec::new(Shape::Box { half: Vec3::new(0.08, 0.03, 0.015) * s });
                sole.body_from_shape = at(Vec3::new(0.04, 0.0, -0.03) * s);
                foot.shapes.push(sole);
            }
            Foot::Mesh => {
                let mut sole = ShapeSpec::new(wedge(0.08 * s, 0.03 * s, 0.02 * s));
                sole.body_from_shape = at(Vec3::new(0.04, 0.0, 0.0) * s);
                foot.shapes.push(sole);
            }
            Foot::Nothing => {
                foot.inertia = gambol_model::InertiaSpec::Given(
                    Shape::Sphere { radius: 0.035 * s }.unit_mass_properties(false).scaled(1000.0),
                );
            }
        }
        let foot = spec.add_body(shin, foot).unwrap();
        if self.rods {
            // From a point before the knee, on the thigh, to a point before the ankle, on the foot.
            let lever = Vec3::new(0.05, 0.0, 0.0) * s;
            let mut rod = BodySpec::new(format!("rod.{name}"));
            rod.parent_from_body = at(knee + lever);
            rod.shapes.push(capsule(Vec3::zeros(), ankle, 0.008 * s));
            rod.joints.push(hinge("rod", Vec3::y()));
            let rod = spec.add_body(thigh, rod).unwrap();
            let (a, b) = (BodyPoint { body: rod, point: ankle }, BodyPoint { body: foot, point: lever });
            spec.constraints
                .push(Constraint { name: format!("rod.{name}"), kind: ConstraintKind::Connect { a, b } });
        }
    }
}

/// Every kind, by name.
pub(crate) fn zoo() -> Vec<(&'static str, Plan)> {
    let plan = Plan::default();
    vec![
        ("one pair", Plan { pairs: 1, ..plan }),
        ("two pairs", plan),
        ("three pairs", Plan { pairs: 3, ..plan }),
        ("four pairs", Plan { pairs: 4, ..plan }),
        ("five pairs", Plan { pairs: 5, ..plan }),
        ("hopper", Plan { pairs: 0, middle: 1, ..plan }),
        ("hopper box", Plan { pairs: 0, middle: 1, foot: Foot::Box, ..plan }),
        ("three legs", Plan { pairs: 1, middle: 1, ..plan }),
        ("sprawled", Plan { sprawl: 0.4, ..plan }),
        ("sprawled six", Plan { pairs: 3, sprawl: 0.5, ..plan }),
        ("stilts", Plan { knee: 0.0, ..plan }),
        ("biped stilts", Plan { pairs: 1, knee: 0.0, foot: Foot::Box, ..plan }),
        ("knees back", Plan { knee: -0.06, ..plan }),
        ("ant 5 mm", Plan { pairs: 3, sprawl: 0.4, scale: 8e-3, ..plan }),
        ("sauropod 20 m", Plan { scale: 20.0, ..plan }),
        ("boxes", Plan { foot: Foot::Box, ..plan }),
        ("biped boxes", Plan { pairs: 1, foot: Foot::Box, ..plan }),
        ("meshes", Plan { foot: Foot::Mesh, ..plan }),
        ("no shape", Plan { foot: Foot::Nothing, ..plan }),
        ("robot", Plan { hip: Hip::Robot, supple: false, ..plan }),
        ("robot six", Plan { pairs: 3, hip: Hip::Robot, supple: false, sprawl: 0.3, ..plan }),
        ("robot biped", Plan { pairs: 1, hip: Hip::Robot, supple: false, foot: Foot::Box, ..plan }),
        ("planar", Plan { hip: Hip::Planar, supple: false, ..plan }),
        ("planar biped", Plan { pairs: 1, hip: Hip::Planar, supple: false, ..plan }),
        ("faces +y", Plan { yaw: 0.5 * PI, ..plan }),
        ("faces -x", Plan { yaw: PI, foot: Foot::Box, ..plan }),
        ("uneven", Plan { uneven: 1.1, ..plan }),
        ("tight limits", Plan { limit: Some(0.2), ..plan }),
        ("tight robot", Plan { limit: Some(0.25), hip: Hip::Robot, supple: false, ..plan }),
        ("rods", Plan { rods: true, ..plan }),
        ("on the moon", Plan { gravity: 1.62, ..plan }),
        ("biped on the moon", Plan { pairs: 1, gravity: 1.62, foot: Foot::Box, ..plan }),
    ]
}

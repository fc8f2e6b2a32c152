//! Worlds to step in.

use gambol_dynamics::{ContactModel, Drive, State, StepSettings, Stepper, World, step};
use gambol_model::{
    BodyPoint, BodySpec, Constraint, ConstraintKind, Creature, CreatureSpec, JointSpec, Shape, ShapeSpec,
    Transform, Vec3,
};

/// The paper's penalty, stiff enough that a kilogramme sinks by ten micrometres.
pub(crate) const PENALTY: ContactModel = ContactModel::Penalty { stiffness: 1e6, damping: 1e3 };

/// One body of 1 kg with one shape and the joints given, its origin at `position`.
pub(crate) fn single(shape: Shape, joints: Vec<JointSpec>, position: Vec3) -> Creature {
    let mut spec = CreatureSpec::new("single");
    let mut body = BodySpec::new("body");
    body.parent_from_body = Transform::translation(position.x, position.y, position.z);
    body.joints = joints;
    let mut shape = ShapeSpec::new(shape);
    shape.mass = Some(1.0);
    body.shapes.push(shape);
    spec.bodies.push(body);
    spec.build().expect("a single body is valid")
}

/// A ring of `links` boxes hinged about y, closed where its ends meet.
pub(crate) fn ring(links: usize) -> Creature {
    let angle = std::f64::consts::TAU / links as f64;
    let length = 0.0571;
    let half = Vec3::new(0.5 * length, 0.014, 0.014);
    let mut spec = CreatureSpec::new("ring");
    for link in 0..links {
        let mut body = BodySpec::new(format!("link.{link}"));
        body.parent = link;
        // Origins at the joints; each link leads along its own x and the next turns up by `angle`.
        body.parent_from_body = if link == 0 {
            Transform::translation(0.0, 0.0, 1.0)
        } else {
            Transform::new(Vec3::new(length, 0.0, 0.0), -Vec3::y() * angle)
        };
        body.joints.push(if link == 0 {
            JointSpec::free("root")
        } else {
            JointSpec::hinge(format!("joint.{link}"), Vec3::y()).with_stiffness(1.0)
        });
        let mut shape = ShapeSpec::new(Shape::Box { half });
        shape.body_from_shape = Transform::translation(half.x, 0.0, 0.0);
        body.shapes.push(shape);
        spec.bodies.push(body);
    }
    spec.constraints.push(Constraint {
        name: "closure".into(),
        kind: ConstraintKind::Connect {
            a: BodyPoint { body: links, point: Vec3::new(length, 0.0, 0.0) },
            b: BodyPoint { body: 1, point: Vec3::zeros() },
        },
    });
    spec.build().unwrap()
}

/// A world and what stepping it needs.
pub(crate) struct Run {
    pub(crate) world: World,
    pub(crate) stepper: Stepper,
    pub(crate) state: State,
}

impl Run {
    /// A creature at rest in its reference pose.
    pub(crate) fn new(creature: Creature, settings: StepSettings) -> Self {
        let state = State::new(creature.reference_pose(), &vec![0.0; creature.nv()]);
        let world = World::new(creature, settings).expect("the settings make sense");
        Self { stepper: Stepper::new(&world), world, state }
    }

    /// One step without any drive.
    pub(crate) fn step(&mut self) {
        let rest = self.world.creature().rest_pose().to_vec();
        self.step_about(&rest);
    }

    /// One step with the springs at rest in `rest`.
    pub(crate) fn step_about(&mut self, rest: &[f64]) {
        let drive = Drive { rest, torque: &[], strength: &[], pushes: &[] };
        step(&self.world, &mut self.stepper, &mut self.state, &drive).expect("it goes on");
    }

    /// Steps until `time`, s.
    pub(crate) fn until(&mut self, time: f64) {
        while self.state.time < time - 0.5 * self.world.settings().step {
            self.step();
        }
    }
}

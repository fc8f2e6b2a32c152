//! The editable description of a creature. Importers and programs write it; [`CreatureSpec::build`] checks it.

use std::collections::HashSet;

use crate::{
    BodyClass, Constraint, ConstraintKind, JointKind, MassProperties, ModelError, Shape, Transform, Vec3,
    Warning,
};

/// A creature as somebody describes it. Validity is stated at each field and checked by [`CreatureSpec::build`].
#[derive(Clone, Debug)]
pub struct CreatureSpec {
    /// Name of the creature.
    pub name: String,
    /// Acceleration of gravity in the world, m/s².
    pub gravity: Vec3,
    /// Bodies; index 0 is the world, a parent stands before its children, siblings stay in the order of the file.
    pub bodies: Vec<BodySpec>,
    /// Linear combinations of joint coordinates with a spring, a damper or a limit of their own.
    pub tendons: Vec<TendonSpec>,
    /// Constraints beyond the tree.
    pub constraints: Vec<Constraint>,
    /// Named poses, e.g. keyframes.
    pub poses: Vec<PoseSpec>,
    /// Landmarks the user sets right.
    pub landmark_overrides: Vec<LandmarkOverride>,
    /// How it gets about, if the user says so.
    pub class: Option<BodyClass>,
    /// What its file calls things that are no bodies: its clips, what its bones hang from. Weak hints at what it is.
    pub labels: Vec<String>,
    /// What the importer already noticed.
    pub warnings: Vec<Warning>,
}

/// One rigid body.
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// Unique name; an empty one is replaced by `body N`.
    pub name: String,
    /// Index of the parent body, smaller than the body's own. Ignored for the world.
    pub parent: usize,
    /// Pose of the body in its parent while all its joints are at their reference.
    pub parent_from_body: Transform,
    /// Joints between this body and its parent, applied in this order. None: the body is fixed to its parent.
    pub joints: Vec<JointSpec>,
    /// Where mass and inertia come from.
    pub inertia: InertiaSpec,
    /// Solids that make up the body.
    pub shapes: Vec<ShapeSpec>,
    /// Named points.
    pub sites: Vec<SiteSpec>,
}

/// Where the mass of a body comes from.
#[derive(Clone, Debug)]
pub enum InertiaSpec {
    /// The sum of the body's shapes.
    FromShapes,
    /// Given, in the body frame.
    Given(MassProperties),
}

/// A joint between a body and its parent.
#[derive(Clone, Debug)]
pub struct JointSpec {
    /// Unique name; an empty one is replaced by `joint N`.
    pub name: String,
    /// What it lets move.
    pub kind: JointKind,
    /// The point it turns about, in the body frame, m. Ignored for free and slide joints.
    pub anchor: Vec3,
    /// Axis of a hinge or slide in the body frame; any length but zero.
    pub axis: Vec3,
    /// Coordinate of a hinge or slide when the body is in its reference pose, rad or m.
    pub reference: f64,
    /// Coordinate of a hinge or slide at which its spring is at rest, rad or m.
    pub rest: f64,
    /// N·m/rad or N/m
    pub stiffness: f64,
    /// N·m·s/rad or N·s/m
    pub damping: f64,
    /// Inertia added to the diagonal of the mass matrix for each coordinate, kg·m² or kg.
    pub armature: f64,
    /// Hinge and slide: lower and upper bound. Ball: zero and the largest angle from the reference.
    pub limit: Option<[f64; 2]>,
}

/// A solid on a body.
#[derive(Clone, Debug)]
pub struct ShapeSpec {
    /// May be empty.
    pub name: String,
    /// The solid.
    pub shape: Shape,
    /// Pose of the shape in its body.
    pub body_from_shape: Transform,
    /// kg/m³ (kg/m² for a shell); ignored when `mass` is given.
    pub density: f64,
    /// kg
    pub mass: Option<f64>,
    /// All mass sits on the surface.
    pub shell: bool,
    /// It counts for the body's mass when this comes from shapes.
    pub massive: bool,
    /// It can touch the ground and other bodies.
    pub collides: bool,
    /// Red, green, blue, alpha in 0..1, for pictures.
    pub rgba: [f32; 4],
}

/// A named point on a body.
#[derive(Clone, Debug)]
pub struct SiteSpec {
    /// Name, the place where landmarks are given.
    pub name: String,
    /// Pose of the site in its body.
    pub body_from_site: Transform,
}

/// A fixed tendon: length = Σ coefficient · joint coordinate.
#[derive(Clone, Debug)]
pub struct TendonSpec {
    /// Name.
    pub name: String,
    /// Joint name (hinge or slide) and coefficient.
    pub terms: Vec<(String, f64)>,
    /// Spring on the length.
    pub stiffness: f64,
    /// Damper on the rate of the length.
    pub damping: f64,
    /// The spring is at rest between these lengths; `None` takes the length in the reference pose.
    pub rest: Option<[f64; 2]>,
}

/// A named pose.
#[derive(Clone, Debug)]
pub struct PoseSpec {
    /// Unique name.
    pub name: String,
    /// `nq` numbers; quaternions are normalised.
    pub qpos: Vec<f64>,
}

/// A landmark that the user places, e.g. `foot.front.left = paw_L`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LandmarkOverride {
    /// Landmark name in the grammar of [`crate::Landmark`].
    pub landmark: String,
    /// Name of a body, site or joint; empty: there is no such landmark.
    pub target: String,
}

impl CreatureSpec {
    /// An empty creature: just the world, with standard gravity as MuJoCo has it (9.81 m/s² down).
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            gravity: Vec3::new(0.0, 0.0, -9.81),
            bodies: vec![BodySpec::new("world")],
            tendons: Vec::new(),
            constraints: Vec::new(),
            poses: Vec::new(),
            landmark_overrides: Vec::new(),
            class: None,
            labels: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds a body under `parent` and returns its index.
    pub fn add_body(&mut self, parent: usize, mut body: BodySpec) -> Result<usize, ModelError> {
        if parent >= self.bodies.len() {
            return Err(ModelError::new(
                format!("body {:?}", body.name),
                format!("there is no parent body {parent}"),
            ));
        }
        body.parent = parent;
        self.bodies.push(body);
        Ok(self.bodies.len() - 1)
    }

    /// `--root free`: gives a free joint to each body that is fixed to the world and has mass; scenery without mass
    /// stays. Poses and couplings, which count coordinates and joints, follow.
    pub fn free_roots(&mut self) {
        let heavy = self.heavy_pieces();
        let mut names: HashSet<String> =
            self.bodies.iter().flat_map(|body| &body.joints).map(|joint| joint.name.clone()).collect();
        let (mut first_joint, mut first_q) = (0, 0);
        for index in 1..self.bodies.len() {
            let body = &mut self.bodies[index];
            if body.parent == 0 && body.joints.is_empty() && heavy[index] {
                let mut name = "root".to_owned();
                while !names.insert(name.clone()) {
                    name = format!("{name} of {}", body.name);
                }
                body.joints.push(JointSpec::free(name));
                let (at, turn) = (body.parent_from_body.translation.vector, body.parent_from_body.rotation);
                let numbers = [at.x, at.y, at.z, turn.w, turn.i, turn.j, turn.k];
                for pose in &mut self.poses {
                    let place = first_q.min(pose.qpos.len());
                    pose.qpos.splice(place..place, numbers);
                }
                self.shift_couplings(first_joint);
            }
            let body = &self.bodies[index];
            first_joint += body.joints.len();
            first_q += body.joints.iter().map(|joint| joint.kind.nq()).sum::<usize>();
        }
    }

    /// Whether what moves as one piece with each body has mass.
    fn heavy_pieces(&self) -> Vec<bool> {
        let has_mass = |body: &BodySpec| match &body.inertia {
            InertiaSpec::Given(mass) => mass.mass > 0.0,
            InertiaSpec::FromShapes => {
                body.shapes.iter().any(|s| s.massive && s.mass_properties().mass > 0.0)
            }
        };
        let mut heavy: Vec<bool> = self.bodies.iter().map(has_mass).collect();
        for index in (1..self.bodies.len()).rev() {
            if self.bodies[index].joints.is_empty() {
                heavy[self.bodies[index].parent] |= heavy[index];
            }
        }
        heavy
    }

    /// Makes room for one more joint at `from`.
    fn shift_couplings(&mut self, from: usize) {
        for constraint in &mut self.constraints {
            if let ConstraintKind::Coupling { left, right, .. } = &mut constraint.kind {
                for (joint, _) in left.iter_mut().chain(right) {
                    *joint += usize::from(*joint >= from);
                }
            }
        }
    }

    /// Index of the body with this name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }
}

impl BodySpec {
    /// A body at its parent's origin with nothing in it.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            parent: 0,
            parent_from_body: Transform::identity(),
            joints: Vec::new(),
            inertia: InertiaSpec::FromShapes,
            shapes: Vec::new(),
            sites: Vec::new(),
        }
    }
}

impl JointSpec {
    /// A joint of `kind` at the body's origin, without spring, damper or limit.
    pub fn new(name: impl Into<String>, kind: JointKind) -> Self {
        Self {
            name: name.into(),
            kind,
            anchor: Vec3::zeros(),
            axis: Vec3::z(),
            reference: 0.0,
            rest: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            armature: 0.0,
            limit: None,
        }
    }

    /// Six degrees of freedom: a body that floats.
    pub fn free(name: impl Into<String>) -> Self {
        Self::new(name, JointKind::Free)
    }

    /// Three rotations about the body's origin.
    pub fn ball(name: impl Into<String>) -> Self {
        Self::new(name, JointKind::Ball)
    }

    /// One rotation about `axis` through the body's origin.
    pub fn hinge(name: impl Into<String>, axis: Vec3) -> Self {
        Self { axis, ..Self::new(name, JointKind::Hinge) }
    }

    /// One translation along `axis`.
    pub fn slide(name: impl Into<String>, axis: Vec3) -> Self {
        Self { axis, ..Self::new(name, JointKind::Slide) }
    }

    /// The same joint with a spring.
    #[must_use]
    pub fn with_stiffness(mut self, stiffness: f64) -> Self {
        self.stiffness = stiffness;
        self
    }

    /// The same joint about another point of the body.
    #[must_use]
    pub fn with_anchor(mut self, anchor: Vec3) -> Self {
        self.anchor = anchor;
        self
    }
}

impl ShapeSpec {
    /// A solid at the body's origin, at the density of water.
    pub fn new(shape: Shape) -> Self {
        Self {
            name: String::new(),
            shape,
            body_from_shape: Transform::identity(),
            density: 1000.0,
            mass: None,
            shell: false,
            massive: true,
            collides: true,
            rgba: [0.5, 0.5, 0.5, 1.0],
        }
    }

    /// Mass properties in the body frame.
    pub fn mass_properties(&self) -> MassProperties {
        let unit = self.shape.unit_mass_properties(self.shell);
        let factor = match self.mass {
            Some(mass) if unit.mass > 0.0 => mass / unit.mass,
            Some(_) => 0.0,
            None => self.density,
        };
        unit.scaled(factor).transformed(&self.body_from_shape)
    }
}

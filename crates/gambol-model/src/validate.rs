//! From description to creature: every rule that a [`CreatureSpec`] must keep is checked here, and only here.

use std::collections::HashSet;

use crate::creature::{Body, Creature, Dof, Joint, JointKind, NamedPose, Site, Tendon};
use crate::{
    BodySpec, ConstraintKind, CreatureSpec, InertiaSpec, JointSpec, Landmark, MassProperties, ModelError,
    ShapeSpec, Warning, landmark,
};

/// Mass and inertia below this are taken as zero, as in MuJoCo (`mjMINVAL`).
const TINY: f64 = 1e-15;

impl CreatureSpec {
    /// Checks the description and makes the creature.
    pub fn build(mut self) -> Result<Creature, ModelError> {
        let overrides = std::mem::take(&mut self.landmark_overrides);
        let mut creature = self.lay_out()?;
        landmark::find(&mut creature, &overrides)?;
        Ok(creature)
    }

    /// The landmarks that the creature would have, for those who still describe it: what a joint should be depends on
    /// what it is a joint of.
    pub fn landmarks(&self) -> Result<Vec<Landmark>, ModelError> {
        let mut draft = self.clone().lay_out()?;
        landmark::find(&mut draft, &self.landmark_overrides)?;
        Ok(draft.landmarks)
    }

    /// The direction that ought to be up, for a description of somebody who lies: legs that point along the back carry nobody.
    pub fn upright(&self) -> Result<Option<crate::Vec3>, ModelError> {
        Ok(landmark::lies(&self.clone().lay_out()?))
    }

    /// Checks every rule and numbers everything; landmarks are still to be found.
    fn lay_out(self) -> Result<Creature, ModelError> {
        let mut creature = Creature {
            name: self.name,
            gravity: self.gravity,
            bodies: Vec::with_capacity(self.bodies.len()),
            joints: Vec::new(),
            dofs: Vec::new(),
            shapes: Vec::new(),
            sites: Vec::new(),
            tendons: Vec::new(),
            constraints: Vec::new(),
            poses: Vec::new(),
            landmarks: Vec::new(),
            class: self.class,
            labels: self.labels,
            warnings: self.warnings,
            reference_pose: Vec::new(),
            rest_pose: Vec::new(),
            attached: Vec::new(),
        };
        finite("gravity", "the vector", creature.gravity.as_slice())?;
        let mut names = Names::default();
        for (index, body) in self.bodies.into_iter().enumerate() {
            creature.push_body(index, body, &mut names)?;
        }
        creature.check_moving_masses()?;
        for tendon in self.tendons {
            creature.push_tendon(tendon)?;
        }
        for constraint in self.constraints {
            creature.check_constraint(&constraint)?;
            creature.constraints.push(constraint);
        }
        for pose in self.poses {
            let place = format!("pose {:?}", pose.name);
            if creature.pose(&pose.name).is_some() {
                return Err(ModelError::new(place, "the name is taken"));
            }
            let qpos = creature.checked_pose(&place, &pose.qpos)?;
            creature.poses.push(NamedPose { name: pose.name, qpos });
        }
        Ok(creature)
    }
}

#[derive(Default)]
struct Names {
    bodies: HashSet<String>,
    joints: HashSet<String>,
}

impl Creature {
    fn push_body(&mut self, index: usize, mut spec: BodySpec, names: &mut Names) -> Result<(), ModelError> {
        if spec.name.is_empty() {
            spec.name = format!("body {index}");
        }
        let place = format!("body {:?}", spec.name);
        if index > 0 && spec.parent >= index {
            return Err(ModelError::new(
                place,
                "its parent does not stand before it: the bodies are not a tree",
            ));
        }
        if !names.bodies.insert(spec.name.clone()) {
            return Err(ModelError::new(place, "another body has the same name"));
        }
        finite(&place, "its position", spec.parent_from_body.translation.vector.as_slice())?;
        finite(&place, "its orientation", spec.parent_from_body.rotation.coords.as_slice())?;
        check_joints(&place, index, &spec)?;

        // The world does not move: whatever stands on it has no part in the creature's mass.
        let mass = if index == 0 { MassProperties::default() } else { self.body_mass(&place, &spec)? };
        let first_joint = self.joints.len();
        let first_dof = self.dofs.len();
        for joint in std::mem::take(&mut spec.joints) {
            self.push_joint(index, spec.parent, joint, &spec, names)?;
        }
        let first_shape = self.shapes.len();
        self.shapes.append(&mut spec.shapes);
        let first_site = self.sites.len();
        for site in spec.sites {
            finite(
                &format!("site {:?}", site.name),
                "its position",
                site.body_from_site.translation.vector.as_slice(),
            )?;
            self.sites.push(Site { name: site.name, body: index, body_from_site: site.body_from_site });
        }
        self.bodies.push(Body {
            name: spec.name,
            parent: if index == 0 { 0 } else { spec.parent },
            parent_from_body: spec.parent_from_body,
            mass,
            joints: first_joint..self.joints.len(),
            dofs: first_dof..self.dofs.len(),
            shapes: first_shape..self.shapes.len(),
            sites: first_site..self.sites.len(),
        });
        Ok(())
    }

    fn push_joint(
        &mut self,
        body: usize,
        parent_body: usize,
        mut spec: JointSpec,
        body_spec: &BodySpec,
        names: &mut Names,
    ) -> Result<(), ModelError> {
        let index = self.joints.len();
        if spec.name.is_empty() {
            spec.name = format!("joint {index}");
        }
        let place = format!("joint {:?}", spec.name);
        let error = |reason: String| Err(ModelError::new(place.clone(), reason));
        if !names.joints.insert(spec.name.clone()) {
            return error("another joint has the same name".into());
        }
        finite(&place, "its anchor", spec.anchor.as_slice())?;
        finite(&place, "its axis", spec.axis.as_slice())?;
        let scalars = [("stiffness", spec.stiffness), ("damping", spec.damping), ("armature", spec.armature)];
        for (what, value) in scalars {
            if !(value.is_finite() && value >= 0.0) {
                return error(format!("its {what} is {value}, not a finite number of at least 0"));
            }
        }
        finite(&place, "its reference or rest", &[spec.reference, spec.rest])?;
        let has_axis = matches!(spec.kind, JointKind::Hinge | JointKind::Slide);
        let Some(axis) = spec.axis.try_normalize(1e-12) else {
            return error("its axis has no direction".into());
        };
        if let Some([low, high]) =
            spec.limit.filter(|[low, high]| low.is_nan() || high.is_nan() || low >= high)
        {
            return error(format!("its lower limit {low} is not below its upper limit {high}"));
        }

        let q = self.reference_pose.len();
        let v = self.dofs.len();
        match spec.kind {
            JointKind::Free => {
                let pose = &body_spec.parent_from_body;
                self.reference_pose.extend_from_slice(pose.translation.vector.as_slice());
                let r = pose.rotation;
                self.reference_pose.extend_from_slice(&[r.w, r.i, r.j, r.k]);
            }
            JointKind::Ball => self.reference_pose.extend_from_slice(&[1.0, 0.0, 0.0, 0.0]),
            JointKind::Hinge | JointKind::Slide => self.reference_pose.push(spec.reference),
        }
        if has_axis {
            self.rest_pose.push(spec.rest);
        } else {
            self.rest_pose.extend_from_slice(&self.reference_pose[q..]);
        }
        for _ in 0..spec.kind.nv() {
            let dof = self.dofs.len();
            // The chain to the root: the previous coordinate of this body, else the last one of the nearest ancestor.
            let first_of_body =
                self.joints[..].iter().rev().take_while(|j| j.body == body).count() == 0 && dof == v;
            let parent = if first_of_body { self.last_dof_at_or_above(parent_body) } else { Some(dof - 1) };
            let depth = parent.map_or(1, |p: usize| self.dofs[p].depth + 1);
            self.dofs.push(Dof { joint: index, body, parent, depth, armature: spec.armature });
        }
        self.joints.push(Joint {
            name: spec.name,
            body,
            kind: spec.kind,
            anchor: spec.anchor,
            axis,
            q,
            v,
            stiffness: spec.stiffness,
            damping: spec.damping,
            armature: spec.armature,
            limit: spec.limit,
        });
        Ok(())
    }

    fn last_dof_at_or_above(&self, mut body: usize) -> Option<usize> {
        while body != 0 && self.bodies[body].dofs.is_empty() {
            body = self.bodies[body].parent;
        }
        self.bodies[body].dofs.clone().last()
    }

    fn body_mass(&mut self, place: &str, spec: &BodySpec) -> Result<MassProperties, ModelError> {
        for shape in &spec.shapes {
            check_shape(place, shape)?;
        }
        let mass = match &spec.inertia {
            InertiaSpec::Given(mass) => *mass,
            InertiaSpec::FromShapes => {
                let massive = || spec.shapes.iter().filter(|shape| shape.massive);
                massive().try_for_each(|shape| check_mesh(place, shape))?;
                let pieces: Vec<_> = massive().map(ShapeSpec::mass_properties).collect();
                MassProperties::sum(&pieces)
            }
        };
        finite(place, "its mass", &[mass.mass])?;
        finite(place, "its centre of mass", mass.com.as_slice())?;
        finite(place, "its inertia", mass.inertia.as_slice())?;
        if mass.mass < 0.0 {
            return Err(ModelError::new(place, format!("its mass is {} kg", mass.mass)));
        }
        if mass.mass > 0.0 {
            let moments = mass.principal_moments();
            let slack = 1e-6 * moments[2].abs();
            if moments[0] < -slack {
                return Err(ModelError::new(
                    place,
                    format!("its inertia is not positive: the smallest moment is {:e} kg·m²", moments[0]),
                ));
            }
            if moments[0] + moments[1] < moments[2] - slack {
                self.warnings.push(Warning::new(
                    place,
                    "no real body has this inertia: the largest moment exceeds the sum of the other two",
                ));
            }
        }
        Ok(mass)
    }

    /// A body with joints must have mass, its own or that of what is fixed to it; else it has no acceleration.
    fn check_moving_masses(&self) -> Result<(), ModelError> {
        // The part of mass that moves as one piece with each body, gathered towards the body that has the joints.
        let mut mass: Vec<f64> = self.bodies.iter().map(|body| body.mass.mass).collect();
        let mut inertia: Vec<f64> = self.bodies.iter().map(|body| body.mass.inertia.trace()).collect();
        for index in (1..self.bodies.len()).rev() {
            let body = &self.bodies[index];
            if body.joints.is_empty() {
                mass[body.parent] += mass[index];
                inertia[body.parent] += inertia[index];
            } else if mass[index] < TINY || inertia[index] < TINY {
                let what = if mass[index] < TINY { "mass" } else { "rotational inertia" };
                return Err(ModelError::new(
                    format!("body {:?}", body.name),
                    format!("it moves but has no {what}: give it a shape with density or an inertia"),
                ));
            }
        }
        Ok(())
    }

    fn push_tendon(&mut self, spec: crate::TendonSpec) -> Result<(), ModelError> {
        let place = format!("tendon {:?}", spec.name);
        for (what, value) in [("stiffness", spec.stiffness), ("damping", spec.damping)] {
            if !(value.is_finite() && value >= 0.0) {
                let reason = format!("its {what} is {value}, not a finite number of at least 0");
                return Err(ModelError::new(place, reason));
            }
        }
        let mut terms = Vec::with_capacity(spec.terms.len());
        let mut reference_length = 0.0;
        for (name, coefficient) in &spec.terms {
            finite(&place, "a coefficient", &[*coefficient])?;
            let Some(joint) = self.joint_index(name) else {
                return Err(ModelError::new(place, format!("there is no joint {name:?}")));
            };
            if !matches!(self.joints[joint].kind, JointKind::Hinge | JointKind::Slide) {
                return Err(ModelError::new(place, format!("joint {name:?} is neither a hinge nor a slide")));
            }
            reference_length += coefficient * self.reference_pose[self.joints[joint].q];
            terms.push((joint, *coefficient));
        }
        let rest = spec.rest.unwrap_or([reference_length; 2]);
        finite(&place, "its rest length", &rest)?;
        self.tendons.push(Tendon {
            name: spec.name,
            terms,
            stiffness: spec.stiffness,
            damping: spec.damping,
            rest,
        });
        Ok(())
    }

    /// Checks that a constraint speaks of bodies and joints that exist, with finite numbers.
    pub fn check_constraint(&self, constraint: &crate::Constraint) -> Result<(), ModelError> {
        let place = format!("constraint {:?}", constraint.name);
        let body = |index: usize| {
            let error = || ModelError::new(&place, format!("there is no body {index}"));
            (index < self.bodies.len()).then_some(()).ok_or_else(error)
        };
        let point =
            |p: &crate::BodyPoint| body(p.body).and_then(|()| finite(&place, "a point", p.point.as_slice()));
        match &constraint.kind {
            ConstraintKind::Connect { a, b } => point(a).and_then(|()| point(b)),
            ConstraintKind::Hinge { a, b, axis_in_a, axis_in_b } => {
                point(a)?;
                point(b)?;
                finite(&place, "its axis", axis_in_a.as_slice())?;
                finite(&place, "its axis", axis_in_b.as_slice())
            }
            ConstraintKind::Weld { a, b, a_from_b } => {
                body(*a)?;
                body(*b)?;
                finite(&place, "its position", a_from_b.translation.vector.as_slice())?;
                finite(&place, "its orientation", a_from_b.rotation.coords.as_slice())
            }
            ConstraintKind::Coupling { left, right, polynomial } => {
                for (joint, coefficient) in left.iter().chain(right) {
                    let scalar = self.joints.get(*joint).is_some_and(|j| j.kind.nq() == 1);
                    if !scalar {
                        return Err(ModelError::new(place, "only hinges and slides can be coupled"));
                    }
                    finite(&place, "a coefficient", &[*coefficient])?;
                }
                finite(&place, "its polynomial", polynomial)
            }
            ConstraintKind::Orientation { body: index, world_from_body } => {
                body(*index)?;
                finite(&place, "its orientation", world_from_body.as_slice())
            }
            ConstraintKind::Pin { point: p, position_in_world } => {
                point(p)?;
                finite(&place, "its position", position_in_world.as_slice())
            }
            ConstraintKind::Cart { hands, positions_in_world, forward } => {
                if hands.is_empty() || hands.len() != positions_in_world.len() {
                    return Err(ModelError::new(
                        place,
                        "a cart needs at least one hand, each with its position",
                    ));
                }
                hands.iter().try_for_each(point)?;
                positions_in_world.iter().try_for_each(|p| finite(&place, "a position", p.as_slice()))?;
                finite(&place, "its direction", forward.as_slice())
            }
        }
    }
}

fn check_joints(place: &str, index: usize, spec: &BodySpec) -> Result<(), ModelError> {
    let error = |reason: &str| Err(ModelError::new(place, reason));
    if index == 0 && !spec.joints.is_empty() {
        return error("the world cannot have joints");
    }
    let has = |kind| spec.joints.iter().filter(|joint| joint.kind == kind).count();
    if has(JointKind::Free) > 0 && (spec.joints.len() > 1 || spec.parent != 0) {
        return error("a free joint stands alone on a body that hangs from the world");
    }
    // MuJoCo's rules: a ball's axes turn with it, so no rotation can follow; more than six are never needed.
    let turns = |joint: &JointSpec| matches!(joint.kind, JointKind::Ball | JointKind::Hinge);
    let after_ball = spec.joints.iter().skip_while(|joint| joint.kind != JointKind::Ball).skip(1);
    if after_ball.into_iter().any(turns) {
        return error("no rotation can follow a ball joint on the same body");
    }
    if spec.joints.iter().map(|joint| joint.kind.nv()).sum::<usize>() > 6 {
        return error("its joints have more than six degrees of freedom");
    }
    Ok(())
}

fn check_shape(place: &str, spec: &ShapeSpec) -> Result<(), ModelError> {
    use crate::Shape;
    let name = if spec.name.is_empty() { String::new() } else { format!(" {:?}", spec.name) };
    let place = format!("{place}, shape{name}");
    let sizes: Vec<f64> = match &spec.shape {
        Shape::Sphere { radius } => vec![*radius],
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
            vec![*radius, *half_length]
        }
        Shape::Box { half: size } | Shape::Ellipsoid { radii: size } => size.as_slice().to_vec(),
        Shape::Mesh { .. } => Vec::new(),
    };
    if let Some(size) = sizes.iter().find(|size| !(size.is_finite() && **size > 0.0)) {
        return Err(ModelError::new(place, format!("a size of {size} m is not a finite number above 0")));
    }
    for (what, value) in [("density", spec.density), ("mass", spec.mass.unwrap_or(0.0))] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(ModelError::new(
                place,
                format!("its {what} is {value}, not a finite number of at least 0"),
            ));
        }
    }
    finite(&place, "its position", spec.body_from_shape.translation.vector.as_slice())?;
    finite(&place, "its orientation", spec.body_from_shape.rotation.coords.as_slice())
}

/// A mesh that is to give a body its mass must have a volume (or area) by the rule it is used with.
fn check_mesh(place: &str, spec: &ShapeSpec) -> Result<(), ModelError> {
    let crate::Shape::Mesh { mesh, mass } = &spec.shape else { return Ok(()) };
    let rule = if spec.shell { crate::MeshMass::Shell } else { *mass };
    let name = if spec.name.is_empty() { String::new() } else { format!(" {:?}", spec.name) };
    let at_shape = |error: ModelError| ModelError::new(format!("{place}, mesh{name}"), error.reason);
    mesh.try_unit_mass_properties(rule).map(|_| ()).map_err(at_shape)
}

fn finite(place: &str, what: &str, numbers: &[f64]) -> Result<(), ModelError> {
    match numbers.iter().find(|x| !x.is_finite()) {
        Some(x) => Err(ModelError::new(place, format!("{what} contains {x}"))),
        None => Ok(()),
    }
}

//! URDF, the format of ROS, with the meaning that MuJoCo 4.0 gives it.
//!
//! Links become bodies in depth-first order, children in the order of their joints in the file, so that poses are laid
//! out as in MuJoCo. A link that is fixed to its parent becomes a part of it, as MuJoCo does by default for URDF; its
//! name stays as a site. A root link that is fixed to the world stays a body without mass, unless it is set free. What is read and what is left out is listed in `docs/formats.md`.

mod geometry;
mod joint;
mod link;
mod meshes;
mod settings;
mod tree;

use std::collections::HashMap;

use gambol_model::{
    BodySpec, Constraint, ConstraintKind, CreatureSpec, Hint, InertiaSpec, MassProperties, ShapeSpec,
    SiteSpec, Transform, Vec3, Warning,
};

use crate::notes::Notes;
use crate::xml::{Document, Element};
use crate::{Files, FormatError, LoadOptions};
use joint::Kind;
use meshes::Meshes;

use settings::Settings;
use tree::Tree;

/// Reads a creature from a URDF document.
pub(crate) fn read(
    files: &dyn Files,
    document: &Document,
    options: &LoadOptions,
) -> Result<CreatureSpec, FormatError> {
    let root = document.root();
    let mut notes = Notes::new(options.strict);
    check_elements(root, &mut notes)?;
    let settings = Settings::read(root)?;
    let tree = Tree::read(root)?;
    let mut spec = CreatureSpec::new(root.text("name").unwrap_or("robot"));
    root.ignore(&["version"]);
    if let Some(gravity) = settings::gravity(root)? {
        spec.gravity = gravity;
    }
    let mut builder = Builder {
        meshes: Meshes::new(files, &settings),
        colours: geometry::colours(root),
        places: vec![
            Place { body: 0, body_from_link: Transform::identity(), moves: false };
            tree.links.len()
        ],
        given: vec![Vec::new()],
        joint_numbers: HashMap::new(),
        joint_count: 0,
        settings,
        notes,
        spec,
    };
    for link in tree.depth_first() {
        builder.place(&tree, link)?;
        builder.fill(&tree, link)?;
    }
    builder.couple(&tree)?;
    builder.finish(document, options)
}

/// Says what stands beside links and joints and is not read.
fn check_elements(root: Element<'_>, notes: &mut Notes) -> Result<(), FormatError> {
    for element in root.children() {
        match element.tag() {
            // Colours, actuators, and the business of other programs.
            "link"
            | "joint"
            | "mujoco"
            | "material"
            | "transmission"
            | "gazebo"
            | "sensor"
            | "ros2_control"
            | "group"
            | "group_state"
            | "disable_collisions"
            | "disable_default_collisions"
            | "end_effector"
            | "virtual_joint"
            | "passive_joint"
            | "collision_checking"
            | "self_collision_checking"
            | "contacts" => {}
            "macro" | "include" | "property" | "arg" | "if" | "unless" => {
                return Err(
                    element.error("this is a xacro template, not a robot; expand it with `xacro` first")
                );
            }
            _ => notes.unknown(element)?,
        }
    }
    Ok(())
}

/// Where a link ended up.
#[derive(Clone, Copy)]
struct Place {
    body: usize,
    body_from_link: Transform,
    /// A joint lies between it and the world.
    moves: bool,
}

struct Builder<'d, 'f> {
    settings: Settings,
    notes: Notes,
    meshes: Meshes<'f>,
    colours: HashMap<&'d str, [f32; 4]>,
    spec: CreatureSpec,
    places: Vec<Place>,
    /// For each body, the `<inertial>` of its links in the body frame.
    given: Vec<Vec<MassProperties>>,
    /// Number of each hinge and slide that has a joint of the file to itself.
    joint_numbers: HashMap<&'d str, usize>,
    joint_count: usize,
}

impl<'d> Builder<'d, '_> {
    /// Makes a body for a link, or finds the body that it is a part of.
    fn place(&mut self, tree: &Tree<'d>, link: usize) -> Result<(), FormatError> {
        let name = tree.links[link].name;
        let Some(joint) = tree.parent_joint[link].map(|joint| &tree.joints[joint]) else {
            // The root: itself the world if it says so, or if it only holds what floats.
            if name != "world" && !tree.is_empty_holder(link)? {
                self.places[link].body = self.add_body(0, name, Transform::identity())?;
            }
            return Ok(());
        };
        if name == "world" {
            return Err(tree.links[link].element.error("only the root link can be the world"));
        }
        let kind = joint::kind(joint.element)?;
        let above = self.places[joint.parent];
        let body_from_link = above.body_from_link * link::origin(joint.element)?;
        if kind == Kind::Fixed && self.settings.fuse_static && above.body != 0 {
            self.places[link] = Place { body_from_link, ..above };
            let site = SiteSpec { name: name.to_owned(), body_from_site: body_from_link };
            self.spec.bodies[above.body].sites.push(site);
            return Ok(());
        }
        let (parent, parent_from_body) = match kind {
            Kind::Floating if above.moves => {
                return Err(joint
                    .element
                    .error("a floating joint must hang from a link that is fixed to the world"));
            }
            Kind::Floating => (0, self.spec.bodies[above.body].parent_from_body * body_from_link),
            _ => (above.body, body_from_link),
        };
        let body = self.add_body(parent, name, parent_from_body)?;
        let joints = joint::read(joint.element, kind, &mut self.notes)?;
        if kind.is_scalar() {
            self.joint_numbers.insert(joint.name, self.joint_count);
        }
        self.joint_count += joints.len();
        let moves = above.moves || !joints.is_empty();
        self.spec.bodies[body].joints = joints;
        self.places[link] = Place { body, body_from_link: Transform::identity(), moves };
        Ok(())
    }

    fn add_body(
        &mut self,
        parent: usize,
        name: &str,
        parent_from_body: Transform,
    ) -> Result<usize, FormatError> {
        let body = BodySpec { parent_from_body, ..BodySpec::new(name) };
        self.given.push(Vec::new());
        self.spec.add_body(parent, body).map_err(|error| FormatError::new(error.place, error.reason))
    }

    /// Gives the body of a link the link's mass and shapes.
    fn fill(&mut self, tree: &Tree<'d>, link: usize) -> Result<(), FormatError> {
        let element = tree.links[link].element;
        let Place { body, body_from_link, .. } = self.places[link];
        let mut inertial = link::inertial(element, &self.settings, &mut self.notes)?;
        let mut shapes = self.shapes(element, inertial.is_none())?;
        if shapes.iter().any(|shape| shape.massive) {
            let text = "it has no <inertial>; its mass is that of its collision geometry at 1000 kg/m³";
            self.notes.push(element.warning(format!("link {:?}: {text}", tree.links[link].name)));
        }
        if inertial.is_none() && self.settings.has_bounds() {
            inertial = Some(mass_of(&shapes));
            for shape in &mut shapes {
                shape.massive = false;
            }
        }
        // As in MuJoCo, a part without mass adds no inertia to the body it is a part of.
        let own = self.spec.bodies[body].name == tree.links[link].name;
        let piece =
            inertial.map(|piece| self.settings.corrected(piece)).filter(|piece| own || piece.mass > 0.0);
        self.given[body].extend(piece.map(|piece| piece.transformed(&body_from_link)));
        for shape in &mut shapes {
            shape.body_from_shape = body_from_link * shape.body_from_shape;
        }
        self.spec.bodies[body].shapes.extend(shapes);
        Ok(())
    }

    /// `<mimic>` elements become constraints: q = multiplier · other + offset.
    fn couple(&mut self, tree: &Tree<'d>) -> Result<(), FormatError> {
        for joint in &tree.joints {
            let Some(mimic) = joint.element.children_named("mimic").next() else { continue };
            let other = mimic.required("joint")?;
            if other == joint.name {
                return Err(mimic.error(format!("joint {other:?} mimics itself")));
            }
            let polynomial =
                [mimic.f64("offset")?.unwrap_or(0.0), mimic.f64("multiplier")?.unwrap_or(1.0), 0.0, 0.0, 0.0];
            let [left, right] = [joint.name, other].map(|name| self.joint_numbers.get(name).copied());
            let (Some(left), Some(right)) = (left, right) else {
                let text = format!(
                    "joint {:?} cannot mimic {other:?}: both must turn or slide; ignored",
                    joint.name
                );
                self.notes.unsupported(mimic, &text)?;
                continue;
            };
            let kind =
                ConstraintKind::Coupling { left: vec![(left, 1.0)], right: vec![(right, 1.0)], polynomial };
            self.spec.constraints.push(Constraint { name: joint.name.to_owned(), kind });
        }
        Ok(())
    }

    fn finish(mut self, document: &Document, options: &LoadOptions) -> Result<CreatureSpec, FormatError> {
        let moves = self.moving_bodies();
        let mut masses: Vec<Option<MassProperties>> = vec![None; self.spec.bodies.len()];
        for body in 1..self.spec.bodies.len() {
            masses[body] = self.body_mass(body);
        }
        if let Some(total) = self.settings.total_mass {
            self.scale_masses(document.root(), &mut masses, total, &moves)?;
        }
        for (body, mass) in self.spec.bodies.iter_mut().zip(masses) {
            body.inertia = mass.map_or(InertiaSpec::FromShapes, InertiaSpec::Given);
        }
        if self.settings.fuse_static && !options.free_root {
            self.give_to_the_world(&moves);
        }
        for warning in document.unread() {
            self.notes.push(warning);
        }
        self.spec.warnings = self.notes.warnings;
        Ok(self.spec)
    }

    /// Links that are fixed to the world are a part of it, as in MuJoCo: their mass is not the robot's.
    fn give_to_the_world(&mut self, moves: &[bool]) {
        for (body, _) in self.spec.bodies.iter_mut().zip(moves).skip(1).filter(|(_, moves)| !**moves) {
            let mass = match &body.inertia {
                InertiaSpec::Given(mass) => mass.mass,
                InertiaSpec::FromShapes => mass_of(&body.shapes).mass,
            };
            if mass > 0.0 {
                let text = format!("it is fixed to the world, so its {mass} kg do not count");
                let place = format!("link {:?}", body.name);
                self.notes.push(Warning::new(place, text).with_hint(Hint::FreeRoot));
            }
            body.inertia = InertiaSpec::Given(MassProperties::default());
        }
    }

    fn moving_bodies(&self) -> Vec<bool> {
        let mut moves = vec![false; self.spec.bodies.len()];
        for place in &self.places {
            moves[place.body] |= place.moves;
        }
        moves
    }

    /// The mass of a body that is not just the sum of its shapes.
    fn body_mass(&self, body: usize) -> Option<MassProperties> {
        let mut pieces = self.given[body].clone();
        if pieces.is_empty() {
            return None;
        }
        pieces.push(mass_of(&self.spec.bodies[body].shapes));
        Some(MassProperties::sum(&pieces))
    }

    /// Scales all masses so that they add up to `total`, leaving aside what MuJoCo makes a part of the world.
    fn scale_masses(
        &self,
        place: Element<'_>,
        masses: &mut [Option<MassProperties>],
        total: f64,
        moves: &[bool],
    ) -> Result<(), FormatError> {
        for (body, mass) in masses.iter_mut().enumerate().skip(1) {
            mass.get_or_insert_with(|| mass_of(&self.spec.bodies[body].shapes));
        }
        let counts = |body: usize| moves[body] || !self.settings.fuse_static;
        let sum: f64 = (1..masses.len())
            .filter(|body| counts(*body))
            .filter_map(|body| masses[body])
            .map(|m| m.mass)
            .sum();
        if sum <= 0.0 {
            return Err(place.error("\"settotalmass\" needs a body with mass"));
        }
        for mass in masses.iter_mut().flatten() {
            *mass = mass.scaled(total / sum);
        }
        Ok(())
    }
}

/// What the massive ones of some shapes weigh together.
fn mass_of(shapes: &[ShapeSpec]) -> MassProperties {
    let massive = shapes.iter().filter(|shape| shape.massive);
    MassProperties::sum(&massive.map(ShapeSpec::mass_properties).collect::<Vec<_>>())
}

/// Rotation that turns z to `axis` on the shortest way.
fn turn_z_to(axis: Vec3) -> gambol_model::Quat {
    // Straight down there is no shortest way; MuJoCo turns about x.
    gambol_model::Quat::rotation_between(&Vec3::z(), &axis)
        .unwrap_or_else(|| gambol_model::Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI))
}

#[cfg(test)]
mod tests;

//! What ties joints and bodies together beyond the tree: `<tendon>`, `<equality>`, and what `<actuator>` adds to
//! the inertia and damping of a joint.

use std::collections::HashMap;

use gambol_model::{
    BodyPoint, Constraint, ConstraintKind, CreatureSpec, JointKind, TendonSpec, Transform, Vec3,
};

use super::defaults::{Cascade, MAIN};
use super::joint::linear_part;
use super::orient::{quat_from, transform};
use super::source::Source;
use super::springs::reference_poses;
use super::tree::{Instance, Names};
use crate::FormatError;
use crate::notes::Notes;
use crate::xml::Element;

const ACTUATORS: [&str; 13] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "orientation",
    "pid",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
];

/// Reads the links of all models into `spec`, whose bodies are complete.
pub(crate) struct Links<'a, 'd> {
    spec: &'a mut CreatureSpec,
    names: &'a Names,
    sources: &'a [Source<'d>],
    notes: &'a mut Notes,
    /// Tendon name → index; `None` for a spatial one.
    tendons: HashMap<String, Option<usize>>,
    /// Poses of all bodies while all joints are at their reference.
    world_from_body: Vec<Transform>,
    /// Number of joints before those of each body.
    first_joint: Vec<usize>,
}

/// One of the copies that an element outside of the tree has, if what it names was copied.
#[derive(Clone, Debug)]
struct Scope<'a> {
    prefix: &'a str,
    suffix: &'a str,
    /// A part of a model was attached: names may lead nowhere.
    partial: bool,
}

impl Scope<'_> {
    fn name(&self, name: &str) -> String {
        format!("{}{name}{}", self.prefix, self.suffix)
    }
}

impl<'a, 'd> Links<'a, 'd> {
    /// Ready to read.
    pub(crate) fn new(
        spec: &'a mut CreatureSpec,
        names: &'a Names,
        sources: &'a [Source<'d>],
        notes: &'a mut Notes,
    ) -> Self {
        let world_from_body = reference_poses(&spec.bodies);
        let counts = spec.bodies.iter().scan(0, |sum, body| {
            let before = *sum;
            *sum += body.joints.len();
            Some(before)
        });
        let first_joint = counts.collect();
        Self { spec, names, sources, notes, tendons: HashMap::new(), world_from_body, first_joint }
    }

    /// Reads all links.
    pub(crate) fn read(&mut self, instances: &[Instance]) -> Result<(), FormatError> {
        for instance in instances {
            let root = self.sources[instance.source].document.root();
            for section in root.children_named("tendon") {
                self.each(instance, section, Self::tendon)?;
            }
        }
        for instance in instances {
            let root = self.sources[instance.source].document.root();
            for section in root.children_named("equality") {
                self.each(instance, section, Self::equality)?;
            }
            for section in root.children_named("actuator") {
                self.each(instance, section, Self::actuator)?;
            }
        }
        merge_hinges(&mut self.spec.constraints);
        Ok(())
    }

    /// Reads each child of a section once for each copy of what it names.
    fn each(
        &mut self,
        instance: &Instance,
        section: Element<'d>,
        read: impl Fn(&mut Self, Element<'d>, &Source<'d>, &Scope<'_>) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let sources = self.sources;
        let source = &sources[instance.source];
        let partial = !instance.prefix.is_empty() || instance.source != 0;
        for element in section.children() {
            let names = self.names;
            match copies(names, &instance.prefix, element) {
                None => {
                    read(self, element, source, &Scope { prefix: &instance.prefix, suffix: "", partial })?;
                }
                Some(suffixes) => {
                    for suffix in suffixes {
                        // A link between a copy and something that was not copied is dropped, as in MuJoCo.
                        let scope = Scope { prefix: &instance.prefix, suffix, partial: true };
                        read(self, element, source, &scope)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `None` inside of `Ok`: the name leads nowhere and need not.
    fn found<T: Copy>(
        map: &HashMap<String, T>,
        element: Element<'_>,
        kind: &str,
        name: &str,
        scope: &Scope<'_>,
    ) -> Result<Option<T>, FormatError> {
        match map.get(&scope.name(name)) {
            Some(value) => Ok(Some(*value)),
            None if scope.partial => Ok(None),
            None => Err(element.error(format!("there is no {kind} {name:?}"))),
        }
    }

    fn tendon(
        &mut self,
        element: Element<'d>,
        source: &Source<'d>,
        scope: &Scope<'_>,
    ) -> Result<(), FormatError> {
        let cascade = source.classes.cascade_by(element, MAIN, |tag| tag == "tendon")?;
        let stiffness = linear_part(&cascade, "stiffness", self.notes)?;
        let damping = linear_part(&cascade, "damping", self.notes)?;
        let armature = cascade.f64("armature")?.unwrap_or(0.0);
        cascade.ignore(&IGNORED_OF_TENDONS);
        if cascade.f64("frictionloss")?.is_some_and(|friction| friction > 0.0) {
            self.notes
                .unsupported(element, "dry friction (\"frictionloss\") is not supported and was left out")?;
        }
        let name = element.text("name").map(|name| scope.name(name)).unwrap_or_default();
        let index = match element.tag() {
            "fixed" => {
                let Some(terms) = self.terms(element, scope)? else { return Ok(()) };
                let rest = self.rest(&cascade, &terms)?;
                let terms =
                    terms.into_iter().map(|((body, joint), c)| (self.joint_name(body, joint), c)).collect();
                if armature != 0.0 {
                    self.notes.unsupported(element, TENDON_INERTIA)?;
                }
                let tendon = TendonSpec { name: name.clone(), terms, stiffness, damping, rest: Some(rest) };
                self.spec.tendons.push(tendon);
                Some(self.spec.tendons.len() - 1)
            }
            "spatial" => {
                if stiffness != 0.0 || damping != 0.0 || armature != 0.0 {
                    let text =
                        "spatial tendons are not supported; their springs, dampers and inertia were left out";
                    self.notes.unsupported(element, text)?;
                }
                None
            }
            _ => return self.notes.unknown(element),
        };
        if !name.is_empty() && self.tendons.insert(name.clone(), index).is_some() {
            return Err(element.error(format!("another tendon has the name {name:?}")));
        }
        Ok(())
    }

    /// Joints (body and number in it) and coefficients of a fixed tendon.
    #[allow(clippy::type_complexity)]
    fn terms(
        &self,
        element: Element<'d>,
        scope: &Scope<'_>,
    ) -> Result<Option<Vec<((usize, usize), f64)>>, FormatError> {
        let mut terms = Vec::new();
        for part in element.children() {
            let name = part.required("joint")?;
            let Some(joint) = self.scalar_joint(part, name, scope)? else { return Ok(None) };
            let coefficient =
                part.f64("coef")?.ok_or_else(|| part.error("the attribute \"coef\" is missing"))?;
            terms.push((joint, coefficient));
        }
        if terms.is_empty() {
            return Err(element.error("the tendon is empty"));
        }
        Ok(Some(terms))
    }

    fn scalar_joint(
        &self,
        element: Element<'_>,
        name: &str,
        scope: &Scope<'_>,
    ) -> Result<Option<(usize, usize)>, FormatError> {
        let Some((body, joint)) = Self::found(&self.names.joints, element, "joint", name, scope)? else {
            return Ok(None);
        };
        match self.spec.bodies[body].joints[joint].kind {
            JointKind::Hinge | JointKind::Slide => Ok(Some((body, joint))),
            _ => Err(element.error(format!("the joint {name:?} is neither a hinge nor a slide"))),
        }
    }

    fn joint_name(&self, body: usize, joint: usize) -> String {
        self.spec.bodies[body].joints[joint].name.clone()
    }

    /// Rest lengths of a fixed tendon: those given, else its length while all joint springs are at rest.
    fn rest(&self, cascade: &Cascade<'_>, terms: &[((usize, usize), f64)]) -> Result<[f64; 2], FormatError> {
        let given = cascade.who_has(&["springlength"]);
        let numbers = given.map_or(Ok(None), |element| element.numbers("springlength"))?;
        let given = match numbers.as_deref() {
            None | Some([-1.0] | [-1.0, -1.0]) => None,
            Some([length]) => Some([*length; 2]),
            Some([low, high]) => Some([*low, *high]),
            Some(_) => return Err(cascade.own().error("\"springlength\" takes 1 or 2 numbers")),
        };
        let at_rest = || {
            terms
                .iter()
                .map(|((body, joint), c)| c * self.spec.bodies[*body].joints[*joint].rest)
                .sum::<f64>()
        };
        Ok(given.unwrap_or_else(|| [at_rest(); 2]))
    }

    fn actuator(
        &mut self,
        element: Element<'d>,
        source: &Source<'d>,
        scope: &Scope<'_>,
    ) -> Result<(), FormatError> {
        if !ACTUATORS.contains(&element.tag()) {
            return self.notes.unknown(element);
        }
        let cascade = source.classes.cascade_by(element, MAIN, |tag| ACTUATORS.contains(&tag))?;
        let armature = cascade.f64("armature")?.unwrap_or(0.0);
        let damping = cascade.overlay("damping", [0.0; 3])?[0];
        cascade.ignore_rest();
        if armature == 0.0 && damping == 0.0 {
            return Ok(());
        }
        let gear = cascade.overlay("gear", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])?[0];
        // A rotor behind a gear moves gear times as fast: it counts gear² times.
        let (armature, damping) = (armature * gear * gear, damping * gear * gear);
        if let Some(name) = element.text("joint").or_else(|| element.text("jointinparent")) {
            let Some((body, joint)) = Self::found(&self.names.joints, element, "joint", name, scope)? else {
                return Ok(());
            };
            let joint = &mut self.spec.bodies[body].joints[joint];
            if matches!(joint.kind, JointKind::Hinge | JointKind::Slide) {
                joint.armature += armature;
                joint.damping += damping;
            } else {
                let text =
                    "the inertia of actuators of ball and free joints is not supported and was left out";
                self.notes.unsupported(element, text)?;
            }
        } else if let Some(name) = element.text("tendon") {
            match Self::found(&self.tendons, element, "tendon", name, scope)? {
                Some(Some(tendon)) => {
                    self.spec.tendons[tendon].damping += damping;
                    if armature != 0.0 {
                        self.notes.unsupported(element, TENDON_INERTIA)?;
                    }
                }
                Some(None) => {
                    let text =
                        "spatial tendons are not supported; their springs, dampers and inertia were left out";
                    self.notes.unsupported(element, text)?;
                }
                None => {}
            }
        }
        cascade.ignore_rest();
        Ok(())
    }

    fn equality(
        &mut self,
        element: Element<'d>,
        source: &Source<'d>,
        scope: &Scope<'_>,
    ) -> Result<(), FormatError> {
        let cascade = source.classes.cascade_by(element, MAIN, |tag| tag == "equality")?;
        cascade.ignore(&["solref", "solimp"]);
        if cascade.bool("active")? == Some(false) {
            cascade.ignore_rest();
            return Ok(());
        }
        let kind = match element.tag() {
            "connect" => self.connect(element, scope)?,
            "weld" => self.weld(element, scope)?,
            "joint" => self.coupled_joints(element, scope)?,
            "tendon" => self.coupled_tendons(element, scope)?,
            "flex" | "flexvert" | "flexstrain" => {
                self.notes.unsupported(element, "soft bodies (flex) are not supported and were left out")?;
                None
            }
            _ => {
                self.notes.unknown(element)?;
                None
            }
        };
        if let Some(kind) = kind {
            let name = element.text("name").map(|name| scope.name(name)).unwrap_or_default();
            self.spec.constraints.push(Constraint { name, kind });
        }
        Ok(())
    }

    /// The bodies that `body1` and `body2` name; without `body2`, the world.
    fn bodies(&self, element: Element<'_>, scope: &Scope<'_>) -> Result<Option<[usize; 2]>, FormatError> {
        let first = Self::found(&self.names.bodies, element, "body", element.required("body1")?, scope)?;
        let second = match element.text("body2") {
            None | Some("world") => Some(0),
            Some(name) => Self::found(&self.names.bodies, element, "body", name, scope)?,
        };
        Ok(first.zip(second).map(|(a, b)| [a, b]))
    }

    /// The sites that `site1` and `site2` name: body and pose in it.
    #[allow(clippy::type_complexity)]
    fn sites(
        &self,
        element: Element<'_>,
        scope: &Scope<'_>,
    ) -> Result<Option<[(usize, Transform); 2]>, FormatError> {
        let [first, second] = ["site1", "site2"].map(|attribute| {
            Self::found(&self.names.sites, element, "site", element.required(attribute)?, scope)
        });
        Ok(first?.zip(second?).map(|(a, b)| [a, b]))
    }

    fn connect(
        &self,
        element: Element<'_>,
        scope: &Scope<'_>,
    ) -> Result<Option<ConstraintKind>, FormatError> {
        if element.has("site1") || element.has("site2") {
            let point = |(body, pose): (usize, Transform)| BodyPoint { body, point: pose.translation.vector };
            let sites = self.sites(element, scope)?;
            return Ok(sites.map(|[a, b]| ConstraintKind::Connect { a: point(a), b: point(b) }));
        }
        let anchor = element.vec3("anchor")?;
        let anchor =
            anchor.ok_or_else(|| element.error("either \"body1\" and \"anchor\" or two sites are needed"))?;
        let Some([a, b]) = self.bodies(element, scope)? else { return Ok(None) };
        let b_from_a = self.world_from_body[b].inverse() * self.world_from_body[a];
        let on_b = b_from_a.transform_point(&anchor.into()).coords;
        Ok(Some(ConstraintKind::Connect {
            a: BodyPoint { body: a, point: anchor },
            b: BodyPoint { body: b, point: on_b },
        }))
    }

    fn weld(&self, element: Element<'_>, scope: &Scope<'_>) -> Result<Option<ConstraintKind>, FormatError> {
        element.ignore(&["torquescale"]);
        if element.has("site1") || element.has("site2") {
            let sites = self.sites(element, scope)?;
            return Ok(sites.map(|[(a, a_from_site), (b, b_from_site)]| ConstraintKind::Weld {
                a,
                b,
                a_from_b: a_from_site * b_from_site.inverse(),
            }));
        }
        let anchor = element.vec3("anchor")?.unwrap_or_default();
        let relpose = element.array::<7>("relpose")?;
        let Some([a, b]) = self.bodies(element, scope)? else { return Ok(None) };
        let given = relpose.and_then(|[x, y, z, qw, qx, qy, qz]| {
            let rotation = quat_from([qw, qx, qy, qz])?;
            // The position is that of the anchor, which is a point of the second body.
            Some(transform(Vec3::new(x, y, z) - rotation * anchor, rotation))
        });
        let a_from_b = given.unwrap_or_else(|| self.world_from_body[a].inverse() * self.world_from_body[b]);
        Ok(Some(ConstraintKind::Weld { a, b, a_from_b }))
    }

    fn coupled_joints(
        &self,
        element: Element<'_>,
        scope: &Scope<'_>,
    ) -> Result<Option<ConstraintKind>, FormatError> {
        let Some(first) = self.scalar_joint(element, element.required("joint1")?, scope)? else {
            return Ok(None);
        };
        let mut right = Vec::new();
        if let Some(name) = element.text("joint2") {
            let Some(second) = self.scalar_joint(element, name, scope)? else { return Ok(None) };
            right.push((self.joint_index(second), 1.0));
        }
        let left = vec![(self.joint_index(first), 1.0)];
        Ok(Some(ConstraintKind::Coupling { left, right, polynomial: polynomial(element)? }))
    }

    fn coupled_tendons(
        &mut self,
        element: Element<'_>,
        scope: &Scope<'_>,
    ) -> Result<Option<ConstraintKind>, FormatError> {
        let mut sides = [Vec::new(), Vec::new()];
        for (side, attribute) in sides.iter_mut().zip(["tendon1", "tendon2"]) {
            let name = match element.text(attribute) {
                Some(name) => name,
                None if attribute == "tendon2" => continue,
                None => element.required(attribute)?,
            };
            match Self::found(&self.tendons, element, "tendon", name, scope)? {
                Some(Some(tendon)) => {
                    let terms = &self.spec.tendons[tendon].terms;
                    *side =
                        terms.iter().map(|(joint, c)| (self.joint_index(self.names_of(joint)), *c)).collect();
                }
                Some(None) => {
                    self.notes.unsupported(element, "couplings of spatial tendons are not supported")?;
                    return Ok(None);
                }
                None => return Ok(None),
            }
        }
        let [left, right] = sides;
        Ok(Some(ConstraintKind::Coupling { left, right, polynomial: polynomial(element)? }))
    }

    /// Body and number of a joint by its full name.
    fn names_of(&self, joint: &str) -> (usize, usize) {
        self.names.joints.get(joint).copied().unwrap_or_default()
    }

    /// Index among all joints of the creature.
    fn joint_index(&self, (body, joint): (usize, usize)) -> usize {
        self.first_joint[body] + joint
    }
}

/// It couples joints of different branches, which a mass matrix as sparse as the tree cannot hold.
const TENDON_INERTIA: &str = "the inertia (\"armature\") of tendons is not supported and was left out";

const IGNORED_OF_TENDONS: [&str; 17] = [
    "group",
    "limited",
    "actuatorfrclimited",
    "range",
    "actuatorfrcrange",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "springyield",
    "width",
    "material",
    "margin",
    "rgba",
    "user",
    "springlength",
    "class",
];

/// Coefficients of a coupling; the identity if none are given.
fn polynomial(element: Element<'_>) -> Result<[f64; 5], FormatError> {
    let mut polynomial = [0.0, 1.0, 0.0, 0.0, 0.0];
    if let Some(numbers) = element.numbers("polycoef")? {
        if numbers.len() > 5 {
            return Err(element.error("\"polycoef\" takes at most 5 numbers"));
        }
        polynomial[..numbers.len()].copy_from_slice(&numbers);
    }
    Ok(polynomial)
}

/// The ends that copies add to the names in an element, if it names something inside of a `<replicate>`.
fn copies<'n>(names: &'n Names, prefix: &str, element: Element<'_>) -> Option<&'n Vec<String>> {
    const REFERENCES: [(&str, &str); 8] = [
        ("body1", "body"),
        ("body2", "body"),
        ("site1", "site"),
        ("site2", "site"),
        ("joint1", "joint"),
        ("joint2", "joint"),
        ("joint", "joint"),
        ("jointinparent", "joint"),
    ];
    if names.copies.is_empty() {
        return None;
    }
    let of = |element: Element<'_>| {
        REFERENCES.iter().find_map(|(attribute, kind)| {
            let name = element.text(attribute)?;
            names.copies.get(&format!("{kind} {prefix}{name}"))
        })
    };
    of(element).or_else(|| element.children().find_map(of))
}

/// Two `connect`s between the same two bodies are a hinge about the line through both points.
fn merge_hinges(constraints: &mut Vec<Constraint>) {
    let mut first: HashMap<(usize, usize), usize> = HashMap::new();
    let mut merged: Vec<Constraint> = Vec::with_capacity(constraints.len());
    for constraint in constraints.drain(..) {
        let ConstraintKind::Connect { a, b } = &constraint.kind else {
            merged.push(constraint);
            continue;
        };
        let pair = (a.body, b.body);
        let hinge = first.get(&pair).and_then(|at| hinge(&merged[*at].kind, *a, *b).map(|kind| (*at, kind)));
        if let Some((at, kind)) = hinge {
            merged[at].kind = kind;
            first.remove(&pair);
        } else {
            first.entry(pair).or_insert(merged.len());
            merged.push(constraint);
        }
    }
    *constraints = merged;
}

/// The hinge that a connect and a second pair of points make, if the points lie equally far apart on both bodies.
fn hinge(connect: &ConstraintKind, a: BodyPoint, b: BodyPoint) -> Option<ConstraintKind> {
    let ConstraintKind::Connect { a: first_a, b: first_b } = connect else { return None };
    let (on_a, on_b) = (a.point - first_a.point, b.point - first_b.point);
    let (length_a, length_b) = (on_a.norm(), on_b.norm());
    // Closer than this, two points are one; and points that cannot both meet make no hinge.
    if length_a < 1e-9 || (length_a - length_b).abs() > 1e-6 * length_a {
        return None;
    }
    Some(ConstraintKind::Hinge {
        a: *first_a,
        b: *first_b,
        axis_in_a: on_a / length_a,
        axis_in_b: on_b / length_b,
    })
}

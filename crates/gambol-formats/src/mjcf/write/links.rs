//! What ties joints and bodies together beyond the tree: tendons, constraints, and actuators in place of springs.

use std::collections::HashSet;

use gambol_model::{BodyPoint, ConstraintKind, Creature, JointKind, ShapeSpec, Transform, Vec3, Warning};

use super::names::{Names, free};
use super::places::Places;
use super::text::Tag;

/// Two points that are closer than this in the reference pose are one there, m: rounding, no more.
const TOGETHER: f64 = 1e-12;
/// Distance of the two points that make a hinge where the first body has no shape to measure by, m.
const HINGE_ARM: f64 = 0.1;
/// MJCF's word for a spring whose rest length is to be worked out.
const AUTOMATIC_LENGTH: f64 = -1.0;

/// Sections of the file behind the tree.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Fixed tendons with their joints.
    pub(super) tendons: Vec<(Tag, Vec<Tag>)>,
    pub(super) equalities: Vec<Tag>,
}

impl Links {
    /// Tendons and constraints. Points that meet in another pose than the reference become sites in `places`.
    pub(super) fn of(
        creature: &Creature,
        names: &mut Names,
        places: &mut Places,
        driven: &Driven,
        warnings: &mut Vec<Warning>,
    ) -> Self {
        let mut links = Self::default();
        let mut taken = HashSet::new();
        for (index, tendon) in creature.tendons().iter().enumerate() {
            let stiffness = if driven.tendons[index] { 0.0 } else { tendon.stiffness };
            let tag = Tag::new("fixed")
                .text("name", &names.tendons[index])
                .numbers_unless("stiffness", &[stiffness], &[0.0])
                .numbers_unless("damping", &[tendon.damping], &[0.0])
                .numbers("springlength", &spring_length(tendon.rest));
            links.add_tendon(tag, &tendon.terms, names);
        }
        for (index, constraint) in creature.constraints().iter().enumerate() {
            let name = free(&constraint.name, &mut taken);
            let label = if name.is_empty() { format!("constraint {index}") } else { name.clone() };
            let mut builder = Equality { creature, names, places, links: &mut links, name, label };
            match builder.tags(&constraint.kind) {
                Ok(tags) => links.equalities.extend(tags),
                Err(reason) => {
                    let place = format!("constraint {:?}", builder.label);
                    warnings.push(Warning::new(place, reason));
                }
            }
        }
        links
    }

    fn add_tendon(&mut self, tag: Tag, terms: &[(usize, f64)], names: &Names) {
        let terms = merged(terms);
        if terms.is_empty() {
            return; // it has no length, so that its spring does nothing
        }
        let joint = |(joint, coefficient): &(usize, f64)| {
            Tag::new("joint").text("joint", &names.joints[*joint]).numbers("coef", &[*coefficient])
        };
        self.tendons.push((tag, terms.iter().map(joint).collect()));
    }
}

/// MuJoCo wants each joint once.
fn merged(terms: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut merged: Vec<(usize, f64)> = Vec::with_capacity(terms.len());
    for &(joint, coefficient) in terms {
        match merged.iter_mut().find(|(known, _)| *known == joint) {
            Some((_, sum)) => *sum += coefficient,
            None => merged.push((joint, coefficient)),
        }
    }
    merged
}

/// Rest lengths; what MJCF takes for a wish is the next number to it.
fn spring_length(rest: [f64; 2]) -> [f64; 2] {
    if rest == [AUTOMATIC_LENGTH; 2] { [AUTOMATIC_LENGTH.next_down(); 2] } else { rest }
}

/// A constraint on its way to elements of `<equality>`.
struct Equality<'a, 'c> {
    creature: &'c Creature,
    names: &'a mut Names,
    places: &'a mut Places,
    links: &'a mut Links,
    /// Goes to the first element.
    name: String,
    /// What is made for it is called after this.
    label: String,
}

impl Equality<'_, '_> {
    /// The elements that say it, or why there are none.
    fn tags(&mut self, kind: &ConstraintKind) -> Result<Vec<Tag>, String> {
        Ok(match kind {
            ConstraintKind::Connect { a, b } => vec![self.connect(*a, *b, "")],
            ConstraintKind::Pin { point, position_in_world } => {
                vec![self.connect(*point, BodyPoint { body: 0, point: *position_in_world }, "")]
            }
            ConstraintKind::Hinge { a, b, axis_in_a, axis_in_b } => {
                let arm = reach(self.creature, a.body).max(reach(self.creature, b.body));
                let arm = if arm > 0.0 { arm } else { HINGE_ARM };
                let along = |p: &BodyPoint, axis: &Vec3| BodyPoint {
                    body: p.body,
                    point: p.point + axis.normalize() * arm,
                };
                let first = self.connect(*a, *b, "");
                vec![first, self.connect(along(a, axis_in_a), along(b, axis_in_b), " axis")]
            }
            ConstraintKind::Weld { a, b, a_from_b } => vec![self.weld(*a, *b, a_from_b)],
            ConstraintKind::Coupling { left, right, polynomial } => {
                vec![self.coupling(&merged(left), &merged(right), polynomial)?]
            }
            ConstraintKind::Orientation { .. } => {
                return Err("MuJoCo has no constraint that keeps an orientation and leaves the place free; \
                            it was left out"
                    .into());
            }
            ConstraintKind::Cart { .. } => {
                return Err("MuJoCo has no constraint for hands on a cart; it was left out".into());
            }
        })
    }

    fn element(&mut self, kind: &'static str) -> Tag {
        Tag::new(kind).text("name", &std::mem::take(&mut self.name))
    }

    /// Two points stay together. One anchor says it if they are together in the reference pose, else two sites.
    fn connect(&mut self, a: BodyPoint, b: BodyPoint, end: &str) -> Tag {
        let tag = self.element("connect");
        if (self.places.in_world(a) - self.places.in_world(b)).norm() <= TOGETHER {
            return self.bodies(tag, a.body, b.body).numbers("anchor", a.point.as_slice());
        }
        let site = |p: BodyPoint| Transform::translation(p.point.x, p.point.y, p.point.z);
        let [first, second] = [(a, "a"), (b, "b")]
            .map(|(p, which)| self.places.add_site(p.body, &format!("{}{end} {which}", self.label), site(p)));
        tag.text("site1", &first).text("site2", &second)
    }

    fn weld(&mut self, a: usize, b: usize, a_from_b: &Transform) -> Tag {
        let (at, turn) = (a_from_b.translation.vector, a_from_b.rotation);
        let pose = [at.x, at.y, at.z, turn.w, turn.i, turn.j, turn.k];
        let tag = self.element("weld");
        self.bodies(tag, a, b).numbers("relpose", &pose)
    }

    /// Without a second body it is the world.
    fn bodies(&self, tag: Tag, a: usize, b: usize) -> Tag {
        let tag = tag.text("body1", &self.names.bodies[a]);
        if b == 0 { tag } else { tag.text("body2", &self.names.bodies[b]) }
    }

    /// Of single joints a coupling of joints, c x = p(d y) as x = Σ pₖ dᵏ/c yᵏ; of several one of tendons.
    fn coupling(
        &mut self,
        left: &[(usize, f64)],
        right: &[(usize, f64)],
        p: &[f64; 5],
    ) -> Result<Tag, String> {
        match (left, right) {
            ([], _) => Err("MuJoCo couples no joints to nothing; it was left out".into()),
            ([(first, c)], [] | [_]) if *c != 0.0 => {
                let (second, d) = right.first().map_or((None, 1.0), |(joint, d)| (Some(*joint), *d));
                let mut scale = 1.0 / c;
                let coefficients = p.map(|p| {
                    let scaled = p * scale;
                    scale *= d;
                    scaled
                });
                let tag = self.element("joint");
                let second = second.map_or("", |joint| self.names.joints[joint].as_str());
                let tag = tag.text("joint1", &self.names.joints[*first]).text("joint2", second);
                Ok(tag.numbers("polycoef", &coefficients))
            }
            _ => {
                let first = self.tendon_of(left, "left");
                let second = if right.is_empty() { String::new() } else { self.tendon_of(right, "right") };
                let tag = self.element("tendon").text("tendon1", &first).text("tendon2", &second);
                Ok(tag.numbers("polycoef", p))
            }
        }
    }

    /// The tendon with these terms; a new one without a spring if there is none.
    fn tendon_of(&mut self, terms: &[(usize, f64)], side: &str) -> String {
        let known = self.creature.tendons().iter().position(|tendon| merged(&tendon.terms) == terms);
        if let Some(tendon) = known {
            return self.names.tendons[tendon].clone();
        }
        let name = self.names.new_tendon(&format!("{} {side}", self.label));
        let tag = Tag::new("fixed").text("name", &name);
        self.links.add_tendon(tag, terms, self.names);
        name
    }
}

/// How far the shapes of a body go from its origin, m.
fn reach(creature: &Creature, body: usize) -> f64 {
    let far = |shape: &ShapeSpec| {
        let (half, centre) = shape.shape.bounds();
        (shape.body_from_shape * nalgebra::Point3::from(centre)).coords.norm() + half.norm()
    };
    let shapes = &creature.shapes()[creature.bodies()[body].shapes.clone()];
    if body == 0 { 0.0 } else { shapes.iter().map(far).fold(0.0, f64::max) }
}

/// Springs that are actuators.
#[derive(Debug)]
pub(super) struct Driven {
    /// For each joint.
    pub(super) joints: Vec<bool>,
    /// For each tendon; never one whose spring is slack over a range.
    pub(super) tendons: Vec<bool>,
}

/// A servo for each coordinate with a spring: its control moves the spring's rest, and at zero it is the spring.
/// force = k · control + k · rest − k · q; a ball's three are along its axes, q its rotation vector.
pub(super) fn actuators(creature: &Creature, names: &Names, driven: &Driven) -> Vec<Tag> {
    let mut taken = HashSet::new();
    let mut servo = |wish: &str, kind: &str, target: &str, k: f64, rest: f64| {
        Tag::new("general")
            .text("name", &free(wish, &mut taken))
            .text(kind, target)
            .text("biastype", "affine")
            .numbers("gainprm", &[k])
            .numbers("biasprm", &[k * rest, -k, 0.0])
    };
    let mut tags = Vec::new();
    for (index, joint) in creature.joints().iter().enumerate().filter(|(index, _)| driven.joints[*index]) {
        let (k, name) = (joint.stiffness, &names.joints[index]);
        if joint.kind == JointKind::Ball {
            for (axis, gear) in [("x", Vec3::x()), ("y", Vec3::y()), ("z", Vec3::z())] {
                let servo = servo(&format!("{name}.{axis}"), "joint", name, k, 0.0);
                tags.push(servo.numbers("gear", gear.as_slice()));
            }
        } else {
            tags.push(servo(name, "joint", name, k, creature.rest_pose()[joint.q]));
        }
    }
    for (index, tendon) in creature.tendons().iter().enumerate().filter(|(index, _)| driven.tendons[*index]) {
        let name = &names.tendons[index];
        tags.push(servo(name, "tendon", name, tendon.stiffness, tendon.rest[0]));
    }
    tags
}

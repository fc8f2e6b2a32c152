//! `fusestatic`: bodies without joints become part of their parents, unless something speaks of them.

use std::collections::HashSet;

use gambol_model::{InertiaSpec, MassProperties, Transform};

use super::source::Source;
use super::tree::{Draft, Names, Tree};
use crate::xml::Element;

/// Names that are spoken of elsewhere in the file.
#[derive(Default)]
struct Spoken<'d> {
    bodies: HashSet<&'d str>,
    /// Sites of force and torque sensors, which measure what holds their body.
    sites: HashSet<&'d str>,
}

/// Fuses the bodies of a tree if the main model asks for it.
pub(crate) fn fuse(tree: &mut Tree, sources: &[Source<'_>]) {
    if !sources[0].compiler.fuse_static {
        return;
    }
    let spoken = spoken(sources[0].document.root());
    // For each old body: its new index, and its pose in that body.
    let mut new_place: Vec<(usize, Transform)> = Vec::with_capacity(tree.bodies.len());
    let mut kept: Vec<Draft> = Vec::new();
    for mut body in std::mem::take(&mut tree.bodies) {
        let (parent, parent_from_old) = match new_place.get(body.spec.parent) {
            Some(place) => *place,
            None => (0, Transform::identity()), // the world is its own parent
        };
        let pose = parent_from_old * body.spec.parent_from_body;
        if !kept.is_empty() && stays_separate(&body, &spoken) || kept.is_empty() {
            new_place.push((kept.len(), Transform::identity()));
            body.spec.parent = parent;
            body.spec.parent_from_body = pose;
            kept.push(body);
        } else {
            new_place.push((parent, pose));
            absorb(&mut kept[parent], parent == 0, body, &pose);
        }
    }
    tree.bodies = kept;
    follow(&mut tree.names, &new_place);
}

fn stays_separate(body: &Draft, spoken: &Spoken<'_>) -> bool {
    !body.spec.joints.is_empty()
        || !body.fusible
        || spoken.bodies.contains(body.spec.name.as_str())
        || body.spec.sites.iter().any(|site| spoken.sites.contains(site.name.as_str()))
}

/// Makes `body`, at `pose` in `parent`, a part of it. What is fixed to the world has no mass to speak of.
fn absorb(parent: &mut Draft, world: bool, body: Draft, pose: &Transform) {
    let given = |draft: &Draft| matches!(draft.spec.inertia, InertiaSpec::Given(_));
    if !world && (given(parent) || given(&body)) {
        let sum = MassProperties::sum(&[parent.mass(), body.mass().transformed(pose)]);
        parent.spec.inertia = InertiaSpec::Given(sum);
    }
    parent.spec.shapes.extend(body.spec.shapes.into_iter().map(|mut shape| {
        shape.body_from_shape = pose * shape.body_from_shape;
        shape
    }));
    parent.spec.sites.extend(body.spec.sites.into_iter().map(|mut site| {
        site.body_from_site = pose * site.body_from_site;
        site
    }));
}

/// Lets names lead to the new bodies.
fn follow(names: &mut Names, new_place: &[(usize, Transform)]) {
    for body in names.bodies.values_mut() {
        *body = new_place[*body].0;
    }
    for (body, _) in names.joints.values_mut() {
        *body = new_place[*body].0;
    }
    for (body, pose) in names.sites.values_mut() {
        let (new, new_from_old) = new_place[*body];
        *pose = new_from_old * *pose;
        *body = new;
    }
}

fn spoken<'d>(root: Element<'d>) -> Spoken<'d> {
    let mut spoken = Spoken::default();
    let mut waiting: Vec<Element<'d>> = root.children().collect();
    while let Some(element) = waiting.pop() {
        for attribute in ["body", "body1", "body2", "target", "subtree1", "subtree2"] {
            spoken.bodies.extend(element.text(attribute).into_iter().flat_map(str::split_ascii_whitespace));
        }
        for (kind, name) in [("objtype", "objname"), ("reftype", "refname")] {
            if matches!(element.text(kind), Some("body" | "xbody")) {
                spoken.bodies.extend(element.text(name));
            }
        }
        if matches!(element.tag(), "force" | "torque") {
            spoken.sites.extend(element.text("site"));
        }
        waiting.extend(element.children());
    }
    spoken
}

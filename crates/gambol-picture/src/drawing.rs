//! A creature at a pose, seen from a view.

use gambol_dynamics::{BodyFrame, Data, forward_kinematics};
use gambol_model::{Body, Creature, JointKind, Mat3, Transform, Vec3, math};

use crate::labels::Label;
use crate::order::{Solid, back_to_front};
use crate::picture::{Colour, Item, Picture, Point, Stroke};
use crate::sides::far_bodies;
use crate::surface::Surface;
use crate::{View, labels};

/// How bodies are painted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// In their own colours.
    #[default]
    Natural,
    /// In their own colours, but limbs on the far side darker and greyer, so that left and right can be told apart.
    Sided,
    /// Pale, for a second pose under the first.
    Ghost,
    /// Not at all.
    Hidden,
}

/// How landmarks are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// Not at all.
    #[default]
    Hidden,
    /// By dots; a browser shows their names under the pointer.
    Dots,
    /// By dots, with names beside them where there is room.
    Named,
}

/// What is drawn of a creature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The bodies.
    pub paint: Paint,
    /// Joints as dots and bones as lines, over the bodies; a creature without shapes is always drawn so.
    pub skeleton: bool,
    /// The ground as a line, where it is seen edge on.
    pub ground: bool,
    /// The creature's shadow on the ground.
    pub shadow: bool,
    /// The landmarks.
    pub landmarks: Marks,
}

/// A rectangle on the picture plane: right and up, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower left corner.
    pub low: [f64; 2],
    /// Upper right corner.
    pub high: [f64; 2],
}

impl Bounds {
    /// Holds nothing.
    pub(crate) const EMPTY: Self = Self { low: [f64::MAX; 2], high: [f64::MIN; 2] };

    /// Width and height, m.
    pub fn size(&self) -> [f64; 2] {
        [(self.high[0] - self.low[0]).max(0.0), (self.high[1] - self.low[1]).max(0.0)]
    }

    /// The smallest rectangle around both.
    pub fn union(&self, other: &Self) -> Self {
        self.with(&other.low).with(&other.high)
    }

    /// The smallest rectangle around this one and a point.
    pub(crate) fn with(&self, [x, y]: &[f64; 2]) -> Self {
        Self {
            low: [self.low[0].min(*x), self.low[1].min(*y)],
            high: [self.high[0].max(*x), self.high[1].max(*y)],
        }
    }

    /// Larger by `margin` on all sides.
    pub(crate) fn inflated(&self, margin: f64) -> Self {
        Self { low: self.low.map(|x| x - margin), high: self.high.map(|x| x + margin) }
    }

    pub(crate) fn contains(&self, point: &[f64; 2]) -> bool {
        (0..2).all(|axis| (self.low[axis]..=self.high[axis]).contains(&point[axis]))
    }
}

/// Where a drawing goes on a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Pixels per metre.
    pub scale: f64,
    /// Where the world's origin comes to lie, px.
    pub origin: Point,
}

impl Placement {
    /// Puts the middle of `bounds` at `at`.
    pub fn centred(bounds: &Bounds, scale: f64, at: Point) -> Self {
        let [x, y] = [0, 1].map(|axis| 0.5 * (bounds.low[axis] + bounds.high[axis]) * scale);
        Self { scale, origin: [at[0] - x, at[1] + y] }
    }

    /// Puts the middle of the lower edge of `bounds` at `at`.
    pub fn standing(bounds: &Bounds, scale: f64, at: Point) -> Self {
        let middle = 0.5 * (bounds.low[0] + bounds.high[0]) * scale;
        Self { scale, origin: [at[0] - middle, at[1] + bounds.low[1] * scale] }
    }

    /// Moved by less than a pixel so that a level line through the origin fills one row of pixels.
    pub(crate) fn crisp(self) -> Self {
        Self { origin: [self.origin[0], self.origin[1].floor() + 0.5], ..self }
    }

    /// A point of the picture plane (right, up, m) on the picture.
    pub fn place(&self, point: [f64; 2]) -> Point {
        [self.origin[0] + point[0] * self.scale, self.origin[1] - point[1] * self.scale]
    }
}

/// One solid on the picture plane.
struct Patch {
    /// Of the centre, towards the eye, m.
    depth: f64,
    /// Right, up, m.
    outline: Vec<[f64; 2]>,
    /// What it darkens on the ground, right, up, m.
    shadow: Vec<[f64; 2]>,
    rgba: [f64; 4],
    /// Of a limb on the far side.
    is_far: bool,
}

/// A landmark on the picture plane.
struct Mark {
    name: String,
    at: [f64; 2],
    /// Towards the eye, m.
    depth: f64,
}

/// A creature at a pose, drawn in one view.
pub struct Drawing {
    /// From back to front.
    patches: Vec<Patch>,
    bones: Vec<[[f64; 2]; 2]>,
    joints: Vec<[f64; 2]>,
    marks: Vec<Mark>,
    level: bool,
    bounds: Bounds,
}

impl Drawing {
    /// Draws `creature` at `qpos` as seen in `view`.
    pub fn new(creature: &Creature, qpos: &[f64], view: View) -> Self {
        Self::sided(creature, &mut Data::new(creature), qpos, view, &far_bodies(creature, &view))
    }

    /// The same, where it is known which bodies are on the far side.
    pub(crate) fn sided(
        creature: &Creature,
        data: &mut Data,
        qpos: &[f64],
        view: View,
        is_far: &[bool],
    ) -> Self {
        let frames = forward_kinematics(creature, data, qpos);
        let eye = view.eye_from_world;
        let (bones, joints) = skeleton(creature, frames, &eye);
        let marks = creature.landmarks().iter().map(|landmark| {
            let at = eye * frames[landmark.body].point_in_world(landmark.point);
            Mark { name: landmark.name(), at: [at.x, at.y], depth: at.z }
        });
        let mut drawing = Self {
            patches: patches(creature, frames, &eye, is_far),
            bones,
            joints,
            marks: marks.collect(),
            level: view.is_level(),
            bounds: Bounds::EMPTY,
        };
        drawing.bounds = drawing.find_bounds();
        drawing
    }

    /// Around all bodies; around the joints if no body has a shape.
    fn find_bounds(&self) -> Bounds {
        let outlines = self.patches.iter().flat_map(|patch| &patch.outline);
        let mut bounds = outlines.fold(Bounds::EMPTY, |bounds, point| bounds.with(point));
        if self.patches.is_empty() {
            bounds = self.joints.iter().fold(bounds, |bounds, point| bounds.with(point));
        }
        if bounds == Bounds::EMPTY { Bounds { low: [0.0; 2], high: [0.0; 2] } } else { bounds }
    }

    /// Where the bodies are on the picture plane.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Width and height, m.
    pub fn size(&self) -> [f64; 2] {
        self.bounds.size()
    }

    /// Draws onto `picture`.
    pub fn draw(&self, picture: &mut Picture, placement: Placement, look: &Look) {
        if look.shadow {
            self.draw_shadow(picture, placement);
        }
        if look.ground && self.level {
            self.draw_ground(picture, placement);
        }
        match look.paint {
            Paint::Natural => self.draw_bodies(picture, placement, |patch, far| natural(patch.rgba, far)),
            Paint::Sided => self.draw_bodies(picture, placement, |patch, _| sided(patch)),
            Paint::Ghost => self.draw_bodies(picture, placement, |patch, _| ghost(patch.rgba)),
            Paint::Hidden => (),
        }
        if look.skeleton || self.patches.is_empty() {
            self.draw_skeleton(picture, placement);
        }
        if look.landmarks != Marks::Hidden {
            self.draw_landmarks(picture, placement, look.landmarks == Marks::Named);
        }
    }

    /// `colour` takes a patch and how far back it is, 0..1.
    fn draw_bodies(
        &self,
        picture: &mut Picture,
        placement: Placement,
        colour: impl Fn(&Patch, f64) -> [f64; 4],
    ) {
        let depths = || self.patches.iter().map(|patch| patch.depth);
        let (far, near) = (depths().fold(f64::MAX, f64::min), depths().fold(f64::MIN, f64::max));
        for patch in &self.patches {
            let distance = if near > far { (near - patch.depth) / (near - far) } else { 0.0 };
            let [r, g, b, a] = colour(patch, distance);
            let edge = Colour::from_unit([0.62 * r, 0.62 * g, 0.62 * b, a]);
            picture.items.push(Item::Polygon {
                points: simplified(&patch.outline, placement),
                fill: Colour::from_unit([r, g, b, a]),
                outline: Some(Stroke { colour: edge, width: 0.8 }),
            });
        }
    }

    fn draw_shadow(&self, picture: &mut Picture, placement: Placement) {
        const SHADE: Colour = Colour::hex(0xe3_e3_e0);
        for patch in &self.patches {
            let points = simplified(&patch.shadow, placement);
            // Seen edge on, a shadow is a line: the outline keeps it visible.
            let outline = Some(Stroke { colour: SHADE, width: 1.6 });
            picture.items.push(Item::Polygon { points, fill: SHADE, outline });
        }
    }

    fn draw_ground(&self, picture: &mut Picture, placement: Placement) {
        let beyond = 12.0 / placement.scale.max(1e-9);
        let ends = [self.bounds.low[0] - beyond, self.bounds.high[0] + beyond];
        let [from, to] = ends.map(|x| placement.place([x, 0.0]));
        picture.line(from, to, Stroke { colour: Colour::hex(0xa8_a8_a4), width: 1.0 });
    }

    fn draw_skeleton(&self, picture: &mut Picture, placement: Placement) {
        const INK: Colour = Colour::hex(0x26_2b_33);
        for [from, to] in &self.bones {
            let stroke = Stroke { colour: INK, width: 1.4 };
            picture.line(placement.place(*from), placement.place(*to), stroke);
        }
        for joint in &self.joints {
            picture.items.push(Item::Circle {
                centre: placement.place(*joint),
                radius: 2.2,
                fill: Colour::hex(0xff_ff_ff),
                outline: Some(Stroke { colour: INK, width: 1.1 }),
                title: String::new(),
            });
        }
    }

    fn draw_landmarks(&self, picture: &mut Picture, placement: Placement, named: bool) {
        let labels: Vec<Label> = self
            .marks
            .iter()
            .map(|mark| Label { name: mark.name.clone(), at: placement.place(mark.at), depth: mark.depth })
            .collect();
        labels::draw_dots(picture, &labels);
        if named {
            let Bounds { low, high } = self.bounds.inflated(labels::ROOM / placement.scale);
            let corners = [placement.place([low[0], high[1]]), placement.place([high[0], low[1]])];
            labels::draw_names(picture, &labels, corners);
        }
    }
}

/// All bodies' shapes from back to front.
fn patches(creature: &Creature, frames: &[BodyFrame], eye: &Mat3, is_far: &[bool]) -> Vec<Patch> {
    let mut solids = Vec::new();
    let mut paints = Vec::new();
    for ((body, frame), is_far) in creature.bodies().iter().zip(frames).zip(is_far).skip(1) {
        let world_from_body = Transform::from_parts(frame.position.into(), frame.orientation);
        for shape in creature.shapes()[body.shapes.clone()].iter().filter(|shape| shape.rgba[3] > 0.0) {
            let surface = Surface::new(&shape.shape, &(world_from_body * shape.body_from_shape), eye);
            solids.push(Solid::new(surface));
            paints.push((shape.rgba.map(f64::from), *is_far));
        }
    }
    let order = back_to_front(&solids);
    let patch = |index: usize| {
        let solid: &Solid = &solids[index];
        let shadow = shadow(&solid.surface, eye);
        let (rgba, is_far) = paints[index];
        Patch { depth: solid.depth, outline: solid.outline.clone(), shadow, rgba, is_far }
    };
    order.into_iter().map(patch).collect()
}

/// The outline seen from above, laid on the ground.
fn shadow(surface: &Surface, eye: &Mat3) -> Vec<[f64; 2]> {
    let [right, up, above] = [0, 1, 2].map(|axis| eye.column(axis).into_owned());
    let on_ground = |point: &Vec3| point - above * above.dot(point);
    surface.outline(right, up).iter().map(on_ground).map(|p| [p.x, p.y]).collect()
}

/// Bones, and the joints at their ends.
fn skeleton(creature: &Creature, frames: &[BodyFrame], eye: &Mat3) -> (Vec<[[f64; 2]; 2]>, Vec<[f64; 2]>) {
    let bodies = creature.bodies();
    let starts: Vec<[f64; 2]> = bodies
        .iter()
        .zip(frames)
        .map(|(body, frame)| {
            let at = eye * frame.point_in_world(start_in_body(creature, body));
            [at.x, at.y]
        })
        .collect();
    let mut is_leaf = vec![true; bodies.len()];
    bodies.iter().skip(1).for_each(|body| is_leaf[body.parent] = false);
    let mut bones: Vec<[[f64; 2]; 2]> = (1..bodies.len())
        .filter(|&index| bodies[index].parent > 0)
        .map(|index| [starts[bodies[index].parent], starts[index]])
        .collect();
    for index in (1..bodies.len()).filter(|&index| is_leaf[index]) {
        let end = eye * frames[index].point_in_world(bodies[index].mass.com);
        bones.push([starts[index], [end.x, end.y]]);
    }
    let jointed = |body: &Body| !body.joints.is_empty();
    let joints = bodies.iter().zip(&starts).filter(|(body, _)| jointed(body)).map(|(_, at)| *at).collect();
    (bones, joints)
}

/// Where a body hangs on its parent; a free one has no such place, and its bones meet in its centre of mass.
fn start_in_body(creature: &Creature, body: &Body) -> Vec3 {
    match creature.joints()[body.joints.clone()].first() {
        Some(joint) if joint.kind == JointKind::Free => body.mass.com,
        Some(joint) => joint.anchor,
        None => Vec3::zeros(),
    }
}

/// What is far away is a little paler, so that the near legs stand out from the far ones.
fn natural([r, g, b, a]: [f64; 4], distance: f64) -> [f64; 4] {
    let fade = |c: f64| mix(c, 0.93, 0.35 * distance);
    [fade(r), fade(g), fade(b), a]
}

/// What is on the far side is as in the shade: darker, and with less of its colour.
fn sided(patch: &Patch) -> [f64; 4] {
    let [r, g, b, a] = patch.rgba;
    if !patch.is_far {
        return patch.rgba;
    }
    let grey = 0.3 * r + 0.59 * g + 0.11 * b;
    let shade = |c: f64| 0.62 * mix(c, grey, 0.55);
    [shade(r), shade(g), shade(b), a]
}

/// A cool pale tint that no creature has, with a trace of its own colour.
fn ghost([r, g, b, _]: [f64; 4]) -> [f64; 4] {
    let trace = 0.14;
    [mix(0.80, r, trace), mix(0.87, g, trace), mix(0.96, b, trace), 1.0]
}

fn mix(from: f64, to: f64, share: f64) -> f64 {
    from + (to - from) * share
}

/// The outline in pixels without the corners that nobody would miss.
fn simplified(outline: &[[f64; 2]], placement: Placement) -> Vec<Point> {
    const UNSEEN: f64 = 0.05; // px
    let points: Vec<Point> = outline.iter().map(|point| placement.place(*point)).collect();
    let mut kept = Vec::new();
    let mut start = 0;
    while start < points.len() {
        kept.push(points[start]);
        let mut end = start + 1;
        while end + 1 < points.len()
            && (start + 1..=end).all(|k| distance(points[k], points[start], points[end + 1]) < UNSEEN)
        {
            end += 1;
        }
        start = end;
    }
    kept
}

/// From a point to the line between two others, px.
fn distance(point: Point, from: Point, to: Point) -> f64 {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let (px, py) = (point[0] - from[0], point[1] - from[1]);
    let length = math::hypot(dx, dy);
    if length < 1e-9 { math::hypot(px, py) } else { (dx * py - dy * px).abs() / length }
}

//! Drawings of a creature as SVG: its shapes seen from afar, the nearer over the farther, and its landmarks.

use std::fmt::Write;

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, Mat3, Shape, Transform, Vec3};

/// Where the creature is seen from. A view is right, up and towards the eye, as rows.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Caption.
    pub name: &'static str,
    /// Rows: right, up, towards the eye.
    eye_from_world: Mat3,
}

impl View {
    /// From the creature's right side, so that it looks to the right.
    pub fn side() -> Self {
        Self { name: "side", eye_from_world: Mat3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0) }
    }

    /// From before it.
    pub fn front() -> Self {
        Self { name: "front", eye_from_world: Mat3::new(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0) }
    }

    /// From above, looking to the right.
    pub fn top() -> Self {
        Self { name: "top", eye_from_world: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) }
    }

    /// From half before and a little above: `azimuth` and `elevation` in radians from the side view.
    pub fn turned(azimuth: f64, elevation: f64) -> Self {
        let (sa, ca) = azimuth.sin_cos();
        let (se, ce) = elevation.sin_cos();
        let right = Vec3::new(ca, sa, 0.0);
        let towards = Vec3::new(sa * ce, -ca * ce, se);
        let up = towards.cross(&right);
        Self {
            name: "three-quarter",
            eye_from_world: Mat3::from_rows(&[right.transpose(), up.transpose(), towards.transpose()]),
        }
    }
}

/// One outline on the picture plane.
struct Patch {
    /// Distance towards the eye, m.
    depth: f64,
    /// Closed outline: right, up, m.
    outline: Vec<[f64; 2]>,
    /// Red, green, blue in 0..1.
    colour: [f32; 3],
}

/// A creature at a pose, drawn in one view.
pub struct Drawing {
    patches: Vec<Patch>,
    landmarks: Vec<(String, [f64; 2])>,
    low: [f64; 2],
    high: [f64; 2],
}

/// Points on a round outline; enough to look round at any size a page has.
const ROUND: usize = 40;

impl Drawing {
    /// Draws `creature` at `qpos` as seen in `view`.
    pub fn new(creature: &Creature, qpos: &[f64], view: View) -> Self {
        let mut data = Data::new(creature);
        forward_kinematics(creature, &mut data, qpos);
        let eye = view.eye_from_world;
        let mut drawing =
            Self { patches: Vec::new(), landmarks: Vec::new(), low: [f64::MAX; 2], high: [f64::MIN; 2] };
        for (index, body) in creature.bodies().iter().enumerate().skip(1) {
            let frame = &data.frames[index];
            let world_from_body = Transform::from_parts(frame.position.into(), frame.orientation);
            for shape in &creature.shapes()[body.shapes.clone()] {
                let world_from_shape = world_from_body * shape.body_from_shape;
                drawing.add_shape(&shape.shape, &world_from_shape, &eye, shape.rgba);
            }
        }
        for landmark in creature.landmarks() {
            let at = eye * data.frames[landmark.body].point_in_world(landmark.point);
            drawing.landmarks.push((landmark.name(), [at.x, at.y]));
        }
        drawing.patches.sort_by(|a, b| a.depth.total_cmp(&b.depth));
        drawing
    }

    fn add_shape(&mut self, shape: &Shape, world_from_shape: &Transform, eye: &Mat3, rgba: [f32; 4]) {
        if rgba[3] == 0.0 {
            return;
        }
        let rotation = eye * world_from_shape.rotation.to_rotation_matrix().matrix();
        let centre = eye * world_from_shape.translation.vector;
        // The outline of a convex shape seen from afar: its farthest points all around the picture plane.
        let outline: Vec<[f64; 2]> = (0..ROUND)
            .map(|k| {
                let angle = std::f64::consts::TAU * k as f64 / ROUND as f64;
                let direction = Vec3::new(angle.cos(), angle.sin(), 0.0);
                let point = centre + rotation * shape.support(rotation.transpose() * direction);
                [point.x, point.y]
            })
            .collect();
        for point in &outline {
            for axis in 0..2 {
                self.low[axis] = self.low[axis].min(point[axis]);
                self.high[axis] = self.high[axis].max(point[axis]);
            }
        }
        self.patches.push(Patch { depth: centre.z, outline, colour: [rgba[0], rgba[1], rgba[2]] });
    }

    /// Width and height, m.
    pub fn size(&self) -> [f64; 2] {
        [(self.high[0] - self.low[0]).max(0.0), (self.high[1] - self.low[1]).max(0.0)]
    }

    /// Appends the drawing to an SVG: `scale` pixels per metre, its lower left corner at (`left`, `bottom`).
    pub fn write(&self, svg: &mut String, scale: f64, left: f64, bottom: f64, landmarks: bool) {
        let place =
            |p: &[f64; 2]| (left + (p[0] - self.low[0]) * scale, bottom - (p[1] - self.low[1]) * scale);
        let (nearest, farthest) = self
            .patches
            .iter()
            .fold((f64::MIN, f64::MAX), |(near, far), patch| (near.max(patch.depth), far.min(patch.depth)));
        for patch in &self.patches {
            // What is far away is a little paler, so that the near legs stand out from the far ones.
            let nearness =
                if nearest > farthest { (patch.depth - farthest) / (nearest - farthest) } else { 1.0 };
            let fade = 0.35 * (1.0 - nearness);
            let faded = patch.colour.map(|c| f64::from(c) + (0.93 - f64::from(c)) * fade);
            let [r, g, b] = faded.map(to_byte);
            let [dr, dg, db] = faded.map(|c| to_byte(0.62 * c));
            let mut points = String::new();
            for point in &patch.outline {
                let (x, y) = place(point);
                let _ = write!(points, "{x:.1},{y:.1} ");
            }
            let _ = writeln!(
                svg,
                r##"<polygon points="{}" fill="#{r:02x}{g:02x}{b:02x}" stroke="#{dr:02x}{dg:02x}{db:02x}" stroke-width="0.8" stroke-linejoin="round"/>"##,
                points.trim_end()
            );
        }
        if landmarks {
            for (name, at) in &self.landmarks {
                let (x, y) = place(at);
                let _ = writeln!(
                    svg,
                    r##"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill="#d62828" stroke="#ffffff"><title>{}</title></circle>"##,
                    escape(name)
                );
            }
        }
    }
}

/// 0..1 to 0..255.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
fn to_byte(c: f64) -> u8 {
    (c.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Opens an SVG of this size with a white page.
pub fn open(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    )
}

/// A caption centred at x.
pub fn caption(svg: &mut String, x: f64, y: f64, size: f64, text: &str) {
    let _ = writeln!(
        svg,
        r##"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="middle" fill="#333333">{}</text>"##,
        escape(text)
    );
}

/// Side, front and top beside each other, with landmarks: `gambol inspect --picture`.
pub fn three_views(creature: &Creature, qpos: &[f64]) -> String {
    const MARGIN: f64 = 24.0;
    const HEIGHT: f64 = 320.0;
    let views = [View::side(), View::front(), View::top()];
    let drawings = views.map(|view| Drawing::new(creature, qpos, view));
    let tallest = drawings.iter().map(|d| d.size()[1]).fold(1e-9, f64::max);
    let widest = drawings.iter().map(|d| d.size()[0]).fold(1e-9, f64::max);
    let scale = (HEIGHT / tallest).min(2.0 * HEIGHT / widest);
    let width: f64 = drawings.iter().map(|d| d.size()[0] * scale + 2.0 * MARGIN).sum();
    let height = tallest * scale + 2.0 * MARGIN + 48.0;
    let mut svg = open(width.max(200.0), height);
    caption(&mut svg, width.max(200.0) / 2.0, 22.0, 16.0, creature.name());
    let mut left = MARGIN;
    for (drawing, view) in drawings.iter().zip(views) {
        let [w, _] = drawing.size();
        drawing.write(&mut svg, scale, left, height - MARGIN - 20.0, true);
        caption(&mut svg, left + w * scale / 2.0, height - 12.0, 12.0, view.name);
        left += w * scale + 2.0 * MARGIN;
    }
    svg.push_str("</svg>\n");
    svg
}

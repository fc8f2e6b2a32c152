//! A contact sheet of a creature's motions: one tile each, the two extreme poses over each other.

use gambol_dynamics::{BodyFrame, Data, forward_kinematics};
use gambol_model::{Creature, Mat3, Role, Vec3, math};
use nalgebra::Point3;

use crate::picture::{Anchor, Colour, Item, Picture, Point, Stroke};
use crate::sheet::{DARK, GREY};
use crate::track::{Track, about_z};
use crate::{Bounds, Drawing, Look, Paint, Placement, View, text_width};

/// One motion.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeTile {
    /// First line below it, e.g. `u6  1.36 Hz`.
    pub caption: String,
    /// Second line: what it does.
    pub name: String,
    /// Its two extreme poses, `nq` numbers each; the first is drawn in full colour.
    pub poses: [Vec<f64>; 2],
}

/// All motions in a grid. Each is seen from where it shows best; all have one scale. Lines show the way of feet,
/// hands, head and tail (of the ends of the body where it has none) from the pale pose to the full one.
pub fn mode_sheet(creature: &Creature, title: &str, tiles: &[ModeTile]) -> Picture {
    let scenes: Vec<Scene> = tiles.iter().map(|tile| Scene::new(creature, tile)).collect();
    let layout = Layout::new(tiles, &scenes);
    let mut picture = Picture::new(layout.width(), layout.height());
    title.clone_into(&mut picture.title);
    let at = [Layout::MARGIN, 29.0];
    picture.text_within(picture.width - 2.0 * Layout::MARGIN, at, Anchor::Start, 18.0, DARK, title);
    for (k, (tile, scene)) in tiles.iter().zip(&scenes).enumerate() {
        let corner = layout.corner(k);
        layout.draw_card(&mut picture, corner, tile, scene.view);
        scene.draw(&mut picture, &layout, corner);
    }
    picture
}

/// A motion with its view, ready to be drawn.
struct Scene {
    view: View,
    drawings: [Drawing; 2],
    bounds: Bounds,
    trails: Vec<Vec<[f64; 2]>>,
}

impl Scene {
    fn new(creature: &Creature, tile: &ModeTile) -> Self {
        let [solid, pale] = &tile.poses;
        let view = best_view(creature, [solid, pale]);
        let drawings = [solid, pale].map(|pose| Drawing::new(creature, pose, view));
        let bodies = drawings[0].bounds().union(&drawings[1].bounds());
        // A trail that leads far away from both poses would make all tiles small.
        let room = bodies.inflated(0.15 * bodies.size()[0].max(bodies.size()[1]));
        let mut trails = trails(creature, pale, solid, &view.eye_from_world);
        trails.retain(|trail| trail.iter().all(|point| room.contains(point)));
        let bounds = trails.iter().flatten().fold(bodies, |all, point| all.with(point));
        Self { view, drawings, bounds, trails }
    }

    fn draw(&self, picture: &mut Picture, layout: &Layout, corner: Point) {
        const INK: Colour = Colour::hex(0xc2_25_3d);
        let middle = [corner[0] + 0.5 * layout.tile[0], corner[1] + Layout::HEADER + 0.5 * layout.room[1]];
        let placement = Placement::centred(&self.bounds, layout.scale, middle);
        let [solid, pale] = &self.drawings;
        pale.draw(picture, placement, &Look { paint: Paint::Ghost, ..Look::default() });
        solid.draw(picture, placement, &Look::default());
        for trail in &self.trails {
            let points: Vec<Point> = trail.iter().map(|point| placement.place(*point)).collect();
            let length: f64 =
                points.windows(2).map(|p| math::hypot(p[1][0] - p[0][0], p[1][1] - p[0][1])).sum();
            // What moves less than this is not what the motion is about.
            if length < 5.0 {
                continue;
            }
            let Some(&end) = points.last() else { continue };
            picture.items.push(Item::Polyline { points, stroke: Stroke { colour: INK, width: 1.1 } });
            picture.items.push(Item::Circle {
                centre: end,
                radius: 2.0,
                fill: INK,
                outline: None,
                title: String::new(),
            });
        }
    }
}

/// Sizes on a mode sheet, px.
struct Layout {
    columns: usize,
    rows: usize,
    /// Pixels per metre.
    scale: f64,
    /// For the creature, within a tile.
    room: [f64; 2],
    tile: [f64; 2],
}

impl Layout {
    const MARGIN: f64 = 16.0;
    const TITLE: f64 = 44.0;
    const GAP: f64 = 10.0;
    const PADDING: f64 = 12.0;
    /// Above the creature, for the view's name.
    const HEADER: f64 = 20.0;
    /// Below the creature, for the caption.
    const FOOTER: f64 = 34.0;
    /// For a line of the name.
    const LINE: f64 = 15.0;
    /// Of the name's letters.
    const NAME: f64 = 11.5;

    fn new(tiles: &[ModeTile], scenes: &[Scene]) -> Self {
        const AREA: f64 = 200.0 * 160.0;
        const LONGEST: f64 = 300.0;
        const NARROWEST: f64 = 140.0;
        const WIDEST_SHEET: f64 = 1280.0;
        let sizes = scenes.iter().map(|scene| scene.bounds.size());
        let [wide, tall] = sizes.fold([1e-6_f64; 2], |m, [w, h]| [m[0].max(w), m[1].max(h)]);
        // Tiles take the creature's own proportions and have about the same area for all creatures.
        let scale = (AREA / (wide * tall)).sqrt().min(LONGEST / wide.max(tall));
        let room = [(wide * scale).max(NARROWEST), (tall * scale).max(40.0)];
        let wide = room[0] + 2.0 * Self::PADDING;
        let fits = |tile: &ModeTile| text_width(&tile.name, Self::NAME) <= wide - Self::PADDING;
        let lines = if tiles.iter().all(fits) { 1.0 } else { 2.0 };
        let tile = [wide, room[1] + Self::HEADER + Self::FOOTER + lines * Self::LINE];
        let pitch = [tile[0] + Self::GAP, tile[1] + Self::GAP];
        let count = scenes.len().max(1);
        // As many columns as make the sheet a little wider than tall.
        let even = (1.5 * count as f64 * pitch[1] / pitch[0]).sqrt().ceil();
        let most = (WIDEST_SHEET / pitch[0]).floor();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most a few hundred
        let columns = fullest((even.min(most).max(1.0) as usize).min(count), count);
        Self { columns, rows: count.div_ceil(columns), scale, room, tile }
    }

    fn width(&self) -> f64 {
        self.columns as f64 * (self.tile[0] + Self::GAP) - Self::GAP + 2.0 * Self::MARGIN
    }

    fn height(&self) -> f64 {
        Self::TITLE + self.rows as f64 * (self.tile[1] + Self::GAP) - Self::GAP + Self::MARGIN
    }

    /// Upper left corner of the tile.
    fn corner(&self, k: usize) -> Point {
        let (column, row) = (k % self.columns, k / self.columns);
        let [wide, tall] = self.tile;
        [Self::MARGIN + column as f64 * (wide + Self::GAP), Self::TITLE + row as f64 * (tall + Self::GAP)]
    }

    /// The tile itself with its words.
    fn draw_card(&self, picture: &mut Picture, [left, top]: Point, tile: &ModeTile, view: View) {
        let [wide, tall] = self.tile;
        let edge = Stroke { colour: Colour::hex(0xe2_e2_dd), width: 1.0 };
        picture.rectangle([left, top], [left + wide, top + tall], Colour::hex(0xfa_fa_f8), Some(edge));
        let right = [left + wide - 7.0, top + 14.0];
        picture.text(right, Anchor::End, 9.5, Colour::hex(0x9a_9d_a3), view.name);
        let (middle, within) = (left + 0.5 * wide, wide - Self::PADDING);
        let mut base = top + Self::HEADER + self.room[1] + 21.0;
        picture.text_within(within, [middle, base], Anchor::Middle, 14.0, DARK, &tile.caption);
        base += 3.0;
        for line in wrap(&tile.name, Self::NAME, within, 2) {
            base += Self::LINE;
            picture.text_within(within, [middle, base], Anchor::Middle, Self::NAME, GREY, &line);
        }
    }
}

/// `columns`, or one less where the last row is then fuller.
fn fullest(columns: usize, count: usize) -> usize {
    let gaps = |columns: usize| columns * count.div_ceil(columns) - count;
    let fewer = columns.saturating_sub(1).max(1);
    if gaps(fewer) < gaps(columns) { fewer } else { columns }
}

/// `text` in lines of at most `width` px, broken at blanks; what is left is on the last of `most` lines.
fn wrap(text: &str, size: f64, width: f64, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let count = lines.len();
        let line = &mut lines[count - 1];
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if line.is_empty() || count == most || text_width(&longer, size) <= width {
            *line = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// The view among side, front, top and three-quarter that shows most of the motion between two poses.
pub fn best_view(creature: &Creature, poses: [&[f64]; 2]) -> View {
    let mut data = Data::new(creature);
    let [from, to] = poses.map(|pose| forward_kinematics(creature, &mut data, pose).to_vec());
    let points = surface_points(creature, &from, &to);
    let candidates =
        [(View::side(), 1.0), (View::top(), 0.95), (View::front(), 0.95), (View::three_quarter(), 0.88)];
    let best = most_seen(&points, &candidates);
    if covers_itself(&points, &best) { View::three_quarter() } else { best }
}

/// From the side for what goes on feet, since so we know gaits. Else from the side unless a clip shows clearly more from
/// above, as a snake's does: compared are poses half a clip apart, of a gait opposite phases.
pub(crate) fn clip_view(track: &Track) -> View {
    const PAIRS: u32 = 4;
    let is_foot = |name: &str| track.creature.landmark(name).is_some_and(|mark| mark.role == Role::Foot);
    if track.clip.contacts.iter().any(|contact| is_foot(&contact.name)) {
        return View::side();
    }
    let mut data = Data::new(track.creature);
    let heading = about_z(track.heading());
    let mut points = Vec::new();
    for pair in 0..PAIRS {
        let times = [pair, pair + PAIRS].map(|k| track.duration() * f64::from(k) / f64::from(2 * PAIRS));
        let [from, to] = times.map(|time| track.frames(&mut data, time).to_vec());
        let [first, second] = times.map(|time| (track.world_from_camera(time) * heading).inverse());
        points.extend(surface_points(track.creature, &from, &to).into_iter().map(|point| Moved {
            from: (first * Point3::from(point.from)).coords,
            to: (second * Point3::from(point.to)).coords,
            ..point
        }));
    }
    most_seen(&points, &[(View::side(), 1.0), (View::top(), 0.85)])
}

/// The view that shows most. Each comes with how easily it is read.
fn most_seen(points: &[Moved], candidates: &[(View, f64)]) -> View {
    let (motion, extent) = spread(points);
    // What is seen of a spread is all of it but what lies along the line of sight.
    let seen = |spread: &Mat3, view: &View| {
        let towards = view.towards();
        spread.trace() - towards.dot(&(spread * towards))
    };
    // Of two views that show the motion as well, the one that shows more of the body is easier to read, and one
    // along an axis easier than a slanted one.
    let score = |(view, ease): &(View, f64)| {
        let body = seen(&extent, view) / extent.trace().max(1e-300);
        seen(&motion, view) * (1.0 + 0.3 * body) * ease
    };
    let mut best = &candidates[0];
    for candidate in &candidates[1..] {
        if score(candidate) > score(best) {
            best = candidate;
        }
    }
    best.0
}

/// A point on the creature's surface in both poses, m.
struct Moved {
    from: Vec3,
    to: Vec3,
    /// How much of the surface it stands for, m².
    weight: f64,
}

/// Six points of each shape.
fn surface_points(creature: &Creature, from: &[BodyFrame], to: &[BodyFrame]) -> Vec<Moved> {
    let mut points = Vec::new();
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        for shape in &creature.shapes()[body.shapes.clone()] {
            let (half, centre) = shape.shape.bounds();
            // An eye moves as far as the head it sits on, but is not what one looks at.
            let weight = half.x * half.y + half.y * half.z + half.z * half.x;
            let body_from_shape = &shape.body_from_shape;
            for k in 0..6 {
                // The middles of the box's faces: a twist moves them though it does not move the centre.
                let face = centre + Vec3::ith(k / 2, half[k / 2] * if k % 2 == 0 { 1.0 } else { -1.0 });
                let point = body_from_shape.rotation * face + body_from_shape.translation.vector;
                let [from, to] = [from, to].map(|frames| frames[index].point_in_world(point));
                points.push(Moved { from, to, weight });
            }
        }
    }
    points
}

/// Second moments of how the surface moves between the poses, and of the surface itself about its middle.
fn spread(points: &[Moved]) -> (Mat3, Mat3) {
    let total = points.iter().map(|point| point.weight).sum::<f64>().max(1e-300);
    let middle = points.iter().map(|point| point.from * (point.weight / total)).sum::<Vec3>();
    let (mut motion, mut extent) = (Mat3::zeros(), Mat3::zeros());
    for Moved { from, to, weight } in points {
        let (way, arm) = (to - from, from - middle);
        motion += way * way.transpose() * *weight;
        extent += arm * arm.transpose() * *weight;
    }
    (motion, extent)
}

/// Whether one pose hides the other: legs that swing against each other change places when seen from the side.
fn covers_itself(points: &[Moved], view: &View) -> bool {
    const MOST_COMPARED: usize = 3000; // every point is compared with every other
    const VISIBLE: f64 = 0.025; // of the creature's size
    const HIDDEN: f64 = 0.6; // of all that moves
    if points.len() > MOST_COMPARED {
        return false;
    }
    // In the plane of the picture: what is left of a point without its depth.
    let plane = |point: &Vec3| point - view.towards() * view.towards().dot(point);
    let ghost: Vec<Vec3> = points.iter().map(|point| plane(&point.to)).collect();
    let middle = ghost.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let size = 2.0 * ghost.iter().map(|point| (point - middle).norm()).fold(0.0, f64::max);
    let (mut hidden, mut all) = (0.0, 0.0);
    for (point, to) in points.iter().zip(&ghost) {
        let from = plane(&point.from);
        let moved = (to - from).norm();
        if moved > 2.0 * VISIBLE * size {
            let is_hidden = ghost.iter().any(|other| (other - from).norm() < VISIBLE * size);
            hidden += if is_hidden { point.weight * moved } else { 0.0 };
            all += point.weight * moved;
        }
    }
    hidden > HIDDEN * all
}

/// The ways of the creature's ends from one pose to the other, on the picture plane.
fn trails(creature: &Creature, from: &[f64], to: &[f64], eye: &Mat3) -> Vec<Vec<[f64; 2]>> {
    const STEPS: usize = 12;
    let mut way = vec![0.0; creature.nv()];
    creature.difference(from, to, &mut way);
    let ends = ends(creature);
    let mut trails = vec![Vec::with_capacity(STEPS + 1); ends.len()];
    let mut data = Data::new(creature);
    for step in 0..=STEPS {
        let mut pose = from.to_vec();
        creature.integrate(&mut pose, &way, step as f64 / STEPS as f64);
        let frames = forward_kinematics(creature, &mut data, &pose);
        for (trail, (body, point)) in trails.iter_mut().zip(&ends) {
            let at = eye * frames[*body].point_in_world(*point);
            trail.push([at.x, at.y]);
        }
    }
    trails
}

/// Feet, hands, head and tail; of a small creature without any, all bodies; of a large one, the ends of its tree.
fn ends(creature: &Creature) -> Vec<(usize, Vec3)> {
    const FEW: usize = 24;
    let is_end = |role| matches!(role, Role::Foot | Role::Hand | Role::Head | Role::Tail);
    let landmarks = creature.landmarks().iter().filter(|landmark| is_end(landmark.role));
    let ends: Vec<_> = landmarks.map(|landmark| (landmark.body, landmark.point)).collect();
    if !ends.is_empty() {
        return ends;
    }
    let bodies = creature.bodies();
    let mut shown = vec![true; bodies.len()];
    if bodies.len() > FEW {
        for body in bodies {
            shown[body.parent] = false;
        }
    }
    (1..bodies.len()).filter(|&index| shown[index]).map(|index| (index, bodies[index].mass.com)).collect()
}

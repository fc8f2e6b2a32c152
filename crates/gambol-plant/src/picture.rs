//! Plants drawn: branches as tapered strips from back to front, leaves as dots of green, the ground as a line or a plane.

use gambol_model::{Mat3, Vec3, math};
use gambol_picture::{Anchor, Colour, Item, Picture, Point, Stroke};

use crate::leaves::{Leaf, LeafSettings};
use crate::{Foliage, Forest, Plant, PlantLevel, PlantMode, Wind};

const INK: Colour = Colour::hex(0x2a_2d_33);
const SOFT: Colour = Colour::hex(0x6d_71_78);
const GROUND: Colour = Colour::hex(0xa8_a8_a4);

/// Where plants are seen from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantEye {
    /// Rows: right, up, towards the eye.
    eye_from_world: Mat3,
    /// The point that is in the middle of the picture, m.
    target: Vec3,
    /// Where that is, px.
    middle: Point,
    /// Pixels per metre at the target.
    scale: f64,
    /// How far the eye is from the target, m; infinitely far if not given.
    distance: Option<f64>,
}

impl PlantEye {
    /// From far away: `azimuth` rad from the side (−y) towards the front, `elevation` rad up.
    pub fn far(azimuth: f64, elevation: f64, target: Vec3, middle: Point, scale: f64) -> Self {
        let ((sa, ca), (se, ce)) = (math::sin_cos(azimuth), math::sin_cos(elevation));
        let right = Vec3::new(ca, sa, 0.0);
        let towards = Vec3::new(sa * ce, -ca * ce, se);
        let up = towards.cross(&right);
        let eye_from_world = Mat3::from_rows(&[right.transpose(), up.transpose(), towards.transpose()]);
        Self { eye_from_world, target, middle, scale, distance: None }
    }

    /// The same from a distance of so many metres.
    #[must_use]
    pub fn at_distance(mut self, distance: f64) -> Self {
        self.distance = Some(distance);
        self
    }

    /// Where a point is on the picture, pixels per metre there, and how near it is; nothing behind the eye.
    fn see(&self, point: Vec3) -> Option<Seen> {
        let seen = self.eye_from_world * (point - self.target);
        let scale = match self.distance {
            None => self.scale,
            Some(distance) => {
                let away = distance - seen.z;
                if away < 0.02 * distance {
                    return None;
                }
                self.scale * distance / away
            }
        };
        Some(([self.middle[0] + seen.x * scale, self.middle[1] - seen.y * scale], scale, seen.z))
    }
}

/// How a plant is drawn.
#[derive(Clone, Copy, Debug)]
pub struct PlantDrawing<'a> {
    /// What is drawn.
    pub plant: &'a Plant,
    /// Its leaves.
    pub leaves: &'a [Leaf],
    /// Wind and time, by which leaves flutter.
    pub flutter: (Vec3, f64),
    /// How opaque, 0..1, for a second pose under the first.
    pub opacity: f64,
}

/// Something to paint, and how near it is.
struct Stroked {
    near: f64,
    item: Item,
}

impl PlantDrawing<'_> {
    /// Draws the plant with its nodes at `places`, m.
    pub fn draw(&self, picture: &mut Picture, eye: &PlantEye, places: &[Vec3]) {
        let mut strokes = self.strokes(eye, places);
        strokes.sort_by(|a, b| a.near.total_cmp(&b.near));
        picture.items.extend(strokes.into_iter().map(|stroke| stroke.item));
    }

    fn strokes(&self, eye: &PlantEye, places: &[Vec3]) -> Vec<Stroked> {
        let plant = self.plant;
        let mut strokes = Vec::new();
        let thickest = plant.radii.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        for node in 1..plant.len() {
            let parent = plant.parents[node];
            let (Some(a), Some(b)) = (eye.see(places[parent]), eye.see(places[node])) else { continue };
            let begins = if plant.orders[node] == plant.orders[parent] {
                plant.radii[parent]
            } else {
                plant.radii[node]
            };
            let [wide, narrow] = [begins * a.1, plant.radii[node] * b.1];
            let Some(points) = strip(a.0, b.0, wide, narrow) else { continue };
            let fill = self.bark(node, (plant.radii[node] / thickest).sqrt());
            strokes.push(Stroked {
                near: 0.5 * (a.2 + b.2),
                item: Item::Polygon { points, fill, outline: None },
            });
        }
        let settings = LeafSettings::default();
        let (wind, time) = self.flutter;
        for (index, leaf) in self.leaves.iter().enumerate() {
            let at = places[leaf.node] + leaf.offset + leaf.flutter(wind, time, &settings);
            let ends = [at - leaf.out * leaf.radius, at + leaf.out * leaf.radius].map(|end| eye.see(end));
            let [Some(stalk), Some(tip)] = ends else { continue };
            strokes.push(Stroked { near: 0.5 * (stalk.2 + tip.2), item: self.leaf(index, leaf, stalk, tip) });
        }
        strokes
    }

    /// Thin wood is lighter: young bark is, and it is in the light. Blades of grass and the ribs of fronds are green.
    fn bark(&self, node: usize, thickness: f64) -> Colour {
        let young = 1.0 - thickness;
        let is_green = match self.plant.foliage {
            Foliage::Blades => true,
            Foliage::Fronds => self.plant.orders[node] > 0,
            Foliage::Broad | Foliage::Needles => false,
        };
        Colour::from_unit(if is_green {
            let tone = 0.5 + 0.5 * math::sin(1.7 * f64::from(self.blade(node)));
            [0.34 + 0.16 * tone, 0.48 + 0.14 * tone, 0.18 + 0.08 * tone, self.opacity]
        } else {
            [0.26 + 0.22 * young, 0.20 + 0.20 * young, 0.15 + 0.16 * young, self.opacity]
        })
    }

    /// The node where a node's branch begins: blades differ from each other in colour, and are of one colour each.
    fn blade(&self, mut node: usize) -> u32 {
        while self.plant.orders[self.plant.parents[node]] == self.plant.orders[node] && node > 0 {
            node = self.plant.parents[node];
        }
        u32::try_from(node).unwrap_or(0)
    }

    /// A pointed leaf between its two ends; where it is seen from its tip it is as round as it is wide.
    fn leaf(&self, index: usize, leaf: &Leaf, stalk: Seen, tip: Seen) -> Item {
        let tone = 0.5 + 0.5 * math::sin(2.4 * index as f64);
        let [dark, span, slender] = match self.plant.foliage {
            Foliage::Needles => [[0.15, 0.27, 0.17], [0.10, 0.14, 0.06], [0.45; 3]],
            Foliage::Fronds => [[0.26, 0.42, 0.16], [0.14, 0.16, 0.08], [0.13; 3]],
            Foliage::Broad | Foliage::Blades => [[0.28, 0.43, 0.15], [0.16, 0.17, 0.08], [0.42; 3]],
        };
        let rgb: [f64; 3] = std::array::from_fn(|k| dark[k] + span[k] * tone);
        let fill = Colour::from_unit([rgb[0], rgb[1], rgb[2], 0.9 * self.opacity]);
        let drawn = leaf.radius * stalk.1;
        let grown = (SMALLEST_LEAF / drawn.max(1e-9)).clamp(1.0, 2.0);
        let wide = (slender[0] * drawn * grown).max(0.3);
        let [a, b] = [stalk.0, tip.0];
        let along = [b[0] - a[0], b[1] - a[1]];
        let length = math::hypot(along[0], along[1]).max(1e-9);
        // Never shorter than wide, so that what points at the eye does not vanish.
        let stretch = (2.0 * wide / length).max(grown);
        let (half, unit) = (0.5 * length * stretch, along.map(|x| x / length));
        let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
        let at = |forth: f64, aside: f64| {
            [
                middle[0] + unit[0] * half * forth - unit[1] * wide * aside,
                middle[1] + unit[1] * half * forth + unit[0] * wide * aside,
            ]
        };
        let outline: &[[f64; 2]] = if self.plant.foliage == Foliage::Needles { &SPRAY } else { &LEAF };
        let mirrored = outline.iter().rev().map(|[forth, aside]| at(*forth, -aside));
        let points = outline.iter().map(|[forth, aside]| at(*forth, *aside)).chain(mirrored).collect();
        Item::Polygon { points, fill, outline: None }
    }
}

/// px from the middle of a leaf to its tip below which it is drawn larger: twigs are never thinner than a line can be, and would hide it.
const SMALLEST_LEAF: f64 = 2.2;

/// Half of a leaf's outline, from its stalk (−1) to its tip (1); and of a spray of needles, which point ahead on both sides of a twig.
const LEAF: [[f64; 2]; 4] = [[-1.0, 0.0], [-0.35, 1.0], [0.35, 0.8], [1.0, 0.0]];
const SPRAY: [[f64; 2]; 11] = [
    [-1.0, 0.06],
    [-0.8, 0.1],
    [-0.45, 0.75],
    [-0.5, 0.12],
    [-0.1, 1.0],
    [-0.15, 0.12],
    [0.25, 0.85],
    [0.2, 0.1],
    [0.6, 0.55],
    [0.55, 0.08],
    [1.0, 0.0],
];

/// A point as the eye sees it: where, pixels per metre there, and how near it is.
type Seen = (Point, f64, f64);

/// A strip between two points; never so thin that it cannot be seen.
fn strip(a: Point, b: Point, wide: f64, narrow: f64) -> Option<Vec<Point>> {
    const THINNEST: f64 = 0.28; // px, half of the width
    let along = [b[0] - a[0], b[1] - a[1]];
    let length = math::hypot(along[0], along[1]);
    if length < 1e-6 {
        return None;
    }
    let across = [-along[1] / length, along[0] / length];
    let corner = |at: Point, by: f64| [at[0] + across[0] * by, at[1] + across[1] * by];
    let [wide, narrow] = [wide.max(THINNEST), narrow.max(THINNEST)];
    Some(vec![corner(a, wide), corner(b, narrow), corner(b, -narrow), corner(a, -wide)])
}

fn ground(picture: &mut Picture, from: Point, to: Point) {
    picture.line(from, to, Stroke { colour: GROUND, width: 1.0 });
}

/// Pixels per metre at which a plant with room to sway fits into a tile.
fn fitting(plant: &Plant, width: f64, height: f64) -> f64 {
    let [low, high] = plant.bounds();
    let wide = (high.xy() - low.xy()).norm().max(0.4 * (high.z - low.z));
    (width / wide).min(height / (high.z - low.z).max(0.2 * wide)).min(1e6)
}

fn middle_of(plant: &Plant) -> Vec3 {
    let [low, high] = plant.bounds();
    (low + high) * 0.5
}

/// The plant from the side, the front and above.
pub fn plant_views(plant: &Plant, leaves: &[Leaf]) -> Picture {
    const TILE: [f64; 2] = [330.0, 360.0];
    let mut picture = Picture::new(3.0 * TILE[0], TILE[1] + 60.0);
    picture.title = format!("{} from the side, the front and above", plant.name);
    picture.text([1.5 * TILE[0], 26.0], Anchor::Middle, 17.0, INK, &plant.name);
    let quarter = std::f64::consts::FRAC_PI_2;
    let scale = fitting(plant, TILE[0] - 30.0, TILE[1] - 20.0);
    for (k, (name, azimuth, elevation)) in
        [("side", 0.0, 0.0), ("front", quarter, 0.0), ("top", 0.0, quarter)].into_iter().enumerate()
    {
        let middle = [TILE[0] * (k as f64 + 0.5), 40.0 + 0.5 * TILE[1]];
        let eye = PlantEye::far(azimuth, elevation, middle_of(plant), middle, scale);
        let drawing = PlantDrawing { plant, leaves, flutter: (Vec3::zeros(), 0.0), opacity: 1.0 };
        drawing.draw(&mut picture, &eye, &plant.nodes);
        picture.text([middle[0], TILE[1] + 50.0], Anchor::Middle, 12.0, SOFT, name);
    }
    picture
}

/// The plant small, from the side and on no ground, for lists; as many branches as there are pixels for.
pub fn plant_thumbnail(plant: &Plant, leaves: &[Leaf], width: f64, height: f64) -> Picture {
    const NODES: usize = 160;
    let level = PlantLevel::new(plant, leaves, NODES);
    let mut picture = Picture::new(width, height);
    let scale = 0.95 * fitting(plant, width, height);
    let eye = PlantEye::far(0.4, 0.06, middle_of(plant), [0.5 * width, 0.5 * height], scale);
    let drawing = PlantDrawing {
        plant: &level.plant,
        leaves: &level.leaves,
        flutter: (Vec3::zeros(), 0.0),
        opacity: 1.0,
    };
    drawing.draw(&mut picture, &eye, &level.plant.nodes);
    picture
}

/// A tile for each mode, as figure 4 of Diener et al. 2009: both ends of its swing over each other. Captions stand below.
pub fn plant_mode_sheet(plant: &Plant, modes: &[PlantMode], captions: &[String]) -> Picture {
    const TILE: [f64; 2] = [210.0, 250.0];
    const COLUMNS: usize = 5;
    const SWING: f64 = 0.13; // of the plant's size, at the node that moves most
    let columns = COLUMNS.min(modes.len().max(1));
    let rows = modes.len().div_ceil(columns);
    let mut picture = Picture::new(TILE[0] * columns as f64, 44.0 + TILE[1] * rows as f64);
    picture.title = format!("{}: natural vibrations", plant.name);
    picture.text([0.5 * picture.width, 26.0], Anchor::Middle, 17.0, INK, picture.title.clone());
    let [low, high] = plant.bounds();
    let scale = 0.88 * fitting(plant, TILE[0] - 16.0, TILE[1] - 44.0);
    for (k, mode) in modes.iter().enumerate() {
        let middle = [
            TILE[0] * ((k % columns) as f64 + 0.5),
            44.0 + TILE[1] * ((k / columns) as f64) + 0.5 * (TILE[1] - 30.0),
        ];
        let eye = PlantEye::far(azimuth_of(mode), 0.12, middle_of(plant), middle, scale);
        let far = SWING * (high - low).norm() / mode.reach().max(f64::MIN_POSITIVE);
        for (q, opacity) in [(-far, 0.25), (far, 1.0)] {
            let places: Vec<Vec3> =
                crate::bend(plant, mode, q).iter().zip(&plant.nodes).map(|(u, at)| at + u).collect();
            let drawing = PlantDrawing { plant, leaves: &[], flutter: (Vec3::zeros(), 0.0), opacity };
            drawing.draw(&mut picture, &eye, &places);
        }
        let caption = captions.get(k).map_or("", String::as_str);
        let at = [middle[0], 44.0 + TILE[1] * ((k / columns) as f64 + 1.0) - 12.0];
        picture.text_within(TILE[0] - 10.0, at, Anchor::Middle, 12.0, INK, caption);
    }
    picture
}

/// The direction from which most of a mode's motion is seen: across its level part.
fn azimuth_of(mode: &PlantMode) -> f64 {
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for u in &mode.shape {
        xx += u[0] * u[0];
        xy += u[0] * u[1];
        yy += u[1] * u[1];
    }
    0.5 * math::atan2(2.0 * xy, xx - yy)
}

/// Moments of a motion side by side: `frames` are times, winds and places of all nodes.
pub fn plant_strip(plant: &Plant, leaves: &[Leaf], frames: &[(f64, Vec3, Vec<Vec3>)]) -> Picture {
    const TILE: [f64; 2] = [250.0, 300.0];
    let columns = frames.len().clamp(1, 6);
    let rows = frames.len().div_ceil(columns);
    let mut picture = Picture::new(TILE[0] * columns as f64, TILE[1] * rows as f64);
    picture.title = format!("{} in the wind", plant.name);
    for (k, (time, wind, places)) in frames.iter().enumerate() {
        let corner = [TILE[0] * (k % columns) as f64, TILE[1] * (k / columns) as f64];
        // Its wood at rest, pale, so that one sees how far the wind bends it.
        let drawing = PlantDrawing { plant, leaves: &[], flutter: (Vec3::zeros(), 0.0), opacity: 0.3 };
        drawing.draw(&mut picture, &frame_eye(plant, corner, TILE), &plant.nodes);
        plant_frame(&mut picture, corner, TILE, plant, leaves, (*time, *wind, places));
    }
    picture
}

/// px below the ground of a tile: for the wind's arrow and its caption.
const BELOW: f64 = 34.0;

/// Where a tile's ground has its middle, px.
fn frame_base(corner: Point, size: [f64; 2]) -> Point {
    [corner[0] + 0.5 * size[0], corner[1] + size[1] - BELOW]
}

/// From the side, so that the plant stands on the ground of its tile.
fn frame_eye(plant: &Plant, corner: Point, size: [f64; 2]) -> PlantEye {
    let scale = 0.86 * fitting(plant, size[0] - 10.0, size[1] - BELOW - 14.0);
    let [low, high] = plant.bounds();
    let base = frame_base(corner, size);
    let middle = [base[0], base[1] - 0.5 * (high.z - low.z) * scale];
    PlantEye::far(0.0, 0.0, middle_of(plant), middle, scale)
}

/// One moment in a tile of a picture, with the wind as an arrow.
pub(crate) fn plant_frame(
    picture: &mut Picture,
    corner: Point,
    size: [f64; 2],
    plant: &Plant,
    leaves: &[Leaf],
    (time, wind, places): (f64, Vec3, &[Vec3]),
) {
    let base = frame_base(corner, size);
    let eye = frame_eye(plant, corner, size);
    ground(picture, [corner[0] + 8.0, base[1]], [corner[0] + size[0] - 8.0, base[1]]);
    PlantDrawing { plant, leaves, flutter: (wind, time), opacity: 1.0 }.draw(picture, &eye, places);
    // Four pixels for a metre per second, from the side that it blows from.
    let long = (4.0 * wind.x).clamp(-0.45 * size[0], 0.45 * size[0]);
    let at = [base[0] - 0.5 * long, corner[1] + size[1] - 20.0];
    let tip = [at[0] + long, at[1]];
    let colour = Colour::hex(0x3b_6f_a8);
    picture.line(at, tip, Stroke { colour, width: 1.6 });
    let head = if long < 0.0 { 5.0 } else { -5.0 };
    picture.items.push(Item::Polygon {
        points: vec![tip, [tip[0] + head, tip[1] - 3.0], [tip[0] + head, tip[1] + 3.0]],
        fill: colour,
        outline: None,
    });
    let text = format!("{time:.2} s   {:.1} m/s", wind.norm());
    picture.text([base[0], corner[1] + size[1] - 4.0], Anchor::Middle, 11.0, SOFT, text);
}

/// One frame of a motion as a picture of its own.
impl PlantDrawing<'_> {
    /// A frame `width` by `height` px with the plant, the ground and the wind.
    pub fn frame(&self, width: f64, height: f64, places: &[Vec3]) -> Picture {
        let mut picture = Picture::new(width, height);
        let (wind, time) = self.flutter;
        plant_frame(&mut picture, [0.0, 0.0], [width, height], self.plant, self.leaves, (time, wind, places));
        picture
    }
}

/// A moment of a forest.
#[derive(Clone, Copy, Debug)]
pub struct ForestShot<'a> {
    /// The plant that it is made of.
    pub plant: &'a Plant,
    /// Its leaves.
    pub leaves: &'a [Leaf],
    /// The trees.
    pub forest: &'a Forest,
    /// U of them.
    pub displacements: &'a [f32],
    /// The wind.
    pub wind: &'a Wind,
    /// s
    pub time: f64,
}

/// A forest from a hill beside it, `width` by `height` px. Far trees are drawn with fewer branches and leaves, and paler.
pub fn forest_picture(shot: &ForestShot<'_>, width: f64, height: f64) -> Picture {
    let ForestShot { plant, forest, .. } = shot;
    let mut picture = Picture::new(width, height);
    let tall = plant.height().max(f64::MIN_POSITIVE);
    let half = forest.instances.iter().map(|tree| tree.place.y.abs()).fold(0.0, f64::max);
    // A wood is looked over: the eye is at its near edge, a few trees up, and looks at a point not far in. A row is looked at.
    let (target, elevation, horizon) = if half > tall {
        (Vec3::new(0.0, -half + 3.0 * tall, 0.5 * tall), 0.20, 0.24 * height)
    } else {
        (Vec3::new(0.0, 0.0, 0.6 * tall), 0.04, 0.52 * height)
    };
    picture.rectangle([0.0, 0.0], [width, horizon + 2.0], Colour::hex(0xcf_df_ec), None);
    picture.rectangle([0.0, horizon], [width, height], Colour::hex(0x9f_ad_78), None);
    let scale = width / (4.2 * tall);
    let eye =
        PlantEye::far(0.0, elevation, target, [0.5 * width, 0.62 * height], scale).at_distance(4.5 * tall);
    let columns = 3 * forest.detail.kept.len();
    let mut order: Vec<usize> = (0..forest.instances.len()).collect();
    order.sort_by(|&a, &b| forest.instances[b].place.y.total_cmp(&forest.instances[a].place.y));
    let levels = [usize::MAX, 400, 120, 40].map(|count| PlantLevel::new(plant, shot.leaves, count));
    for index in order {
        let tree = forest.instances[index];
        let Some((at, scale, _)) = eye.see(tree.place) else { continue };
        let size = tall * tree.size * scale;
        if at[0] < -size || at[0] > width + size || at[1] < -0.1 * height || size < 1.5 {
            continue;
        }
        let own = &shot.displacements[index * columns..(index + 1) * columns];
        // As many branches as there are pixels for.
        let level = match size {
            s if s > 260.0 => 0,
            s if s > 110.0 => 1,
            s if s > 40.0 => 2,
            _ => 3,
        };
        levels[level].draw_tree(&mut picture, shot, &eye, index, own, (size / (0.5 * height)).min(1.0));
    }
    picture
}

impl PlantLevel {
    fn draw_tree(
        &self,
        picture: &mut Picture,
        shot: &ForestShot<'_>,
        eye: &PlantEye,
        index: usize,
        moved: &[f32],
        near: f64,
    ) {
        let tree = shot.forest.instances[index];
        let detail = &shot.forest.detail;
        let of_kept = |kept: usize| Vec3::from_fn(|axis, _| f64::from(moved[3 * kept + axis]));
        let place = |(at, node): (&Vec3, &usize)| {
            let binding = detail.bindings[*node];
            let u = of_kept(binding.first) * (1.0 - binding.share) + of_kept(binding.second) * binding.share;
            tree.to_world(at + u)
        };
        let places: Vec<Vec3> = self.plant.nodes.iter().zip(&self.nodes).map(place).collect();
        let wind = shot.wind.at(tree.place, shot.time);
        let (sin, cos) = math::sin_cos(tree.turn);
        let turned = |v: Vec3| Vec3::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y, v.z) * tree.size;
        let leaves: Vec<Leaf> = self
            .leaves
            .iter()
            .map(|leaf| Leaf {
                offset: turned(leaf.offset),
                out: turned(leaf.out) / tree.size,
                radius: leaf.radius * tree.size,
                ..*leaf
            })
            .collect();
        let first = picture.items.len();
        let drawing =
            PlantDrawing { plant: &self.plant, leaves: &leaves, flutter: (wind, shot.time), opacity: 1.0 };
        drawing.draw(picture, eye, &places);
        // Haze: what is far is nearer to the sky's colour.
        let haze = 0.55 * (1.0 - near) * (1.0 - near);
        for item in &mut picture.items[first..] {
            if let Item::Polygon { fill, .. } | Item::Circle { fill, .. } = item {
                *fill = pale(*fill, haze);
            }
        }
    }
}

fn pale(colour: Colour, share: f64) -> Colour {
    let sky = [0xcf, 0xdf, 0xec].map(f64::from);
    let mix = |own: u8, sky: f64| (f64::from(own) * (1.0 - share) + sky * share) / 255.0;
    let rgb = [mix(colour.red, sky[0]), mix(colour.green, sky[1]), mix(colour.blue, sky[2])];
    Colour::from_unit([rgb[0], rgb[1], rgb[2], f64::from(colour.alpha) / 255.0])
}

//! Ground with sharp edges: blocks and ramps on a base, and patches that are slippery or rough.
//!
//! Everything is a height over the plane, z ≤ h(x, y): a block reaches down to whatever is below it. A gap is what is left between two
//! blocks over a lower base, a step is a block beside a higher one, a barrier is a thin block.

use serde::{Deserialize, Serialize};

use crate::{HeightField, Terrain, TerrainError, Vec3};
use gambol_model::math;

/// Places nearer to each other than this are one, m: blocks may share an edge in spite of rounding, and what lies beyond an edge
/// is looked at this far out.
const EDGE: f64 = 1e-6;

/// What is under the blocks.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// A level plane at this height, m.
    Level(f64),
    /// A plane through the origin that rises along x, rad.
    Slope(f64),
    /// Heights on a grid.
    Field(HeightField),
}

/// A box or a ramp.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Block {
    /// What it is called in errors; may be empty.
    pub name: String,
    /// x and y of its middle, m.
    pub center: [f64; 2],
    /// Length along its heading and width across, m.
    pub size: [f64; 2],
    /// Which way its length points, rad from x towards y.
    pub heading: f64,
    /// Height of its top in the world over its middle, m.
    pub top: f64,
    /// How steep the top rises along its heading, rad.
    pub slope: f64,
    /// Coulomb's coefficient on it; none: that of the patch or world it is in.
    pub friction: Option<f64>,
}

/// A part of the plane with a friction of its own.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Patch {
    /// What it is called in errors; may be empty.
    pub name: String,
    /// x and y of its middle, m.
    pub center: [f64; 2],
    /// Length along its heading and width across, m.
    pub size: [f64; 2],
    /// Which way its length points, rad from x towards y.
    pub heading: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
}

/// A course, as it is written down.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CourseSpec {
    /// What is under the blocks.
    pub base: Base,
    /// None overlaps another; edges may touch.
    pub blocks: Vec<Block>,
    /// Of several that lie on each other the last counts.
    pub patches: Vec<Patch>,
}

/// Ground with sharp edges, checked.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "CourseSpec", into = "CourseSpec")]
pub struct Course {
    spec: CourseSpec,
    prisms: Vec<Prism>,
    patches: Vec<Rectangle>,
}

impl TryFrom<CourseSpec> for Course {
    type Error = TerrainError;

    fn try_from(spec: CourseSpec) -> Result<Self, TerrainError> {
        Self::new(spec)
    }
}

impl From<Course> for CourseSpec {
    fn from(course: Course) -> Self {
        course.spec
    }
}

impl Course {
    /// Checks a course: sizes above 0, tops that are no walls, no block on another.
    pub fn new(spec: CourseSpec) -> Result<Self, TerrainError> {
        match &spec.base {
            Base::Level(height) if height.is_finite() => Ok(()),
            Base::Level(height) => Err(TerrainError::Base(*height)),
            Base::Slope(angle) => Terrain::Slope(*angle).check(),
            Base::Field(field) => Terrain::Field(field.clone()).check(),
        }?;
        for (index, block) in spec.blocks.iter().enumerate() {
            check_block(block).map_err(|reason| TerrainError::Block {
                index,
                name: block.name.clone(),
                reason,
            })?;
        }
        for (index, patch) in spec.patches.iter().enumerate() {
            check_patch(patch).map_err(|reason| TerrainError::Patch {
                index,
                name: patch.name.clone(),
                reason,
            })?;
        }
        let prisms: Vec<Prism> = spec.blocks.iter().map(Prism::new).collect();
        for (index, prism) in prisms.iter().enumerate() {
            if let Some(other) =
                prisms[..index].iter().position(|other| prism.footprint.overlaps(&other.footprint))
            {
                let named = |index: usize| match spec.blocks[index].name.as_str() {
                    "" => format!("block {}", index + 1),
                    name => format!("{name:?}"),
                };
                let reason =
                    format!("it overlaps {}; blocks may touch, but none lies in another", named(other));
                return Err(TerrainError::Block { index, name: spec.blocks[index].name.clone(), reason });
            }
        }
        let rectangle = |patch: &Patch| Rectangle::new(patch.center, patch.size, patch.heading);
        let patches = spec.patches.iter().map(rectangle).collect();
        Ok(Self { spec, prisms, patches })
    }

    /// What it was made of.
    pub fn spec(&self) -> &CourseSpec {
        &self.spec
    }

    pub(crate) fn prisms(&self) -> &[Prism] {
        &self.prisms
    }

    /// Height of the ground at a place, m, and its unit normal there; on an edge those of the higher side.
    pub fn height_and_normal(&self, x: f64, y: f64) -> (f64, Vec3) {
        let base = match &self.spec.base {
            Base::Level(height) => (*height, Vec3::z()),
            Base::Slope(angle) => {
                let slope = Terrain::Slope(*angle);
                (slope.height(x, y), slope.normal(x, y))
            }
            Base::Field(field) => field.height_and_normal(x, y),
        };
        match self.highest_block(x, y, None) {
            Some((height, k)) if height >= base.0 => (height, self.prisms[k].normal),
            _ => base,
        }
    }

    /// Coulomb's coefficient at a place, if it has one of its own.
    pub fn friction(&self, x: f64, y: f64) -> Option<f64> {
        let of_block = || self.spec.blocks[self.highest_block(x, y, None)?.1].friction;
        let patch = || self.patches.iter().rposition(|patch| patch.holds(x, y));
        of_block().or_else(|| Some(self.spec.patches[patch()?].friction))
    }

    /// Height of the highest block at a place, and which; one may be left out.
    fn highest_block(&self, x: f64, y: f64, without: Option<usize>) -> Option<(f64, usize)> {
        let mut highest: Option<(f64, usize)> = None;
        for (k, prism) in self.prisms.iter().enumerate().filter(|(k, _)| Some(*k) != without) {
            let [u, v] = prism.footprint.seen_from(x, y);
            if prism.footprint.holds_seen(u, v) {
                let height = prism.top + prism.rise * u;
                highest = highest.filter(|highest| highest.0 >= height).or(Some((height, k)));
            }
        }
        highest
    }

    /// Whether a block is over a place of the base.
    pub(crate) fn covers(&self, point: Vec3) -> bool {
        self.highest_block(point.x, point.y, None).is_some_and(|(height, _)| height > point.z + EDGE)
    }

    /// Whether the ground goes on beyond a place on the edge of a block: then there is no edge to be felt. `outward` need not be
    /// of length one.
    pub(crate) fn goes_on(&self, block: usize, place: Vec3, outward: Vec3) -> bool {
        let out = outward.xy().try_normalize(0.0).unwrap_or_default() * (2.0 * EDGE);
        let (x, y) = (place.x + out.x, place.y + out.y);
        let base = match &self.spec.base {
            Base::Level(height) => *height,
            Base::Slope(angle) => Terrain::Slope(*angle).height(x, y),
            Base::Field(field) => field.height(x, y),
        };
        let beyond = self.highest_block(x, y, Some(block)).map_or(base, |(height, _)| height.max(base));
        beyond >= place.z - EDGE
    }
}

fn check_footprint(center: &[f64; 2], size: &[f64; 2], heading: f64) -> Result<(), String> {
    if let Some(x) = center.iter().find(|x| !x.is_finite()) {
        return Err(format!("{x} is no place: x and y are finite numbers"));
    }
    if let Some(x) = size.iter().find(|x| !(x.is_finite() && **x > 0.0)) {
        return Err(format!("a side of {x} m is not a finite number above 0"));
    }
    if heading.is_finite() { Ok(()) } else { Err(format!("a heading of {heading} rad is not finite")) }
}

fn check_friction(friction: f64) -> Result<(), String> {
    if friction.is_finite() && friction >= 0.0 {
        Ok(())
    } else {
        Err(format!("a friction of {friction} is not a finite number of at least 0"))
    }
}

fn check_block(block: &Block) -> Result<(), String> {
    check_footprint(&block.center, &block.size, block.heading)?;
    if !block.top.is_finite() {
        return Err(format!("a top at {} m is not finite", block.top));
    }
    if block.slope.is_nan() || block.slope.abs() >= std::f64::consts::FRAC_PI_2 {
        return Err(format!("a slope of {} rad is not between -π/2 and π/2", block.slope));
    }
    block.friction.map_or(Ok(()), check_friction)
}

fn check_patch(patch: &Patch) -> Result<(), String> {
    check_footprint(&patch.center, &patch.size, patch.heading)?;
    check_friction(patch.friction)
}

/// A rectangle in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rectangle {
    center: [f64; 2],
    /// Unit, along its length.
    along: [f64; 2],
    /// Half of length and width, m.
    pub(crate) half: [f64; 2],
}

impl Rectangle {
    fn new(center: [f64; 2], size: [f64; 2], heading: f64) -> Self {
        let (sine, cosine) = math::sin_cos(heading);
        Self { center, along: [cosine, sine], half: size.map(|side| 0.5 * side) }
    }

    /// A place as seen from the middle: along and across.
    pub(crate) fn seen_from(&self, x: f64, y: f64) -> [f64; 2] {
        let ([a, b], [dx, dy]) = (self.along, [x - self.center[0], y - self.center[1]]);
        [a * dx + b * dy, a * dy - b * dx]
    }

    /// A direction of its own in the world.
    pub(crate) fn turned(&self, u: f64, v: f64, z: f64) -> Vec3 {
        let [a, b] = self.along;
        Vec3::new(a * u - b * v, b * u + a * v, z)
    }

    /// A place of its own in the world.
    pub(crate) fn place(&self, u: f64, v: f64, z: f64) -> Vec3 {
        Vec3::new(self.center[0], self.center[1], 0.0) + self.turned(u, v, z)
    }

    fn holds_seen(&self, u: f64, v: f64) -> bool {
        u.abs() <= self.half[0] && v.abs() <= self.half[1]
    }

    fn holds(&self, x: f64, y: f64) -> bool {
        let [u, v] = self.seen_from(x, y);
        self.holds_seen(u, v)
    }

    /// Whether two share more than an edge: no line along a side of either has one on each side.
    fn overlaps(&self, other: &Self) -> bool {
        let apart = |a: &Self, b: &Self| {
            let [u, v] = a.seen_from(b.center[0], b.center[1]);
            let cosine = (a.along[0] * b.along[0] + a.along[1] * b.along[1]).abs();
            let sine = (a.along[0] * b.along[1] - a.along[1] * b.along[0]).abs();
            let reach = [b.half[0] * cosine + b.half[1] * sine, b.half[0] * sine + b.half[1] * cosine];
            u.abs() >= a.half[0] + reach[0] - EDGE || v.abs() >= a.half[1] + reach[1] - EDGE
        };
        !(apart(self, other) || apart(other, self))
    }
}

/// A block, worked out: z ≤ top + rise·u over a rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prism {
    pub(crate) footprint: Rectangle,
    /// Over the middle, m.
    pub(crate) top: f64,
    /// Of the top along u, m/m.
    pub(crate) rise: f64,
    /// Of the top, in the world.
    pub(crate) normal: Vec3,
}

/// A place seen from a block: how far it is from its surface, and where that is nearest.
pub(crate) struct Seen {
    /// m, negative inside.
    pub(crate) distance: f64,
    /// Out of the block, unit.
    pub(crate) normal: Vec3,
    /// The point of the surface.
    pub(crate) nearest: Vec3,
    /// That point lies on the top and not on an edge or wall.
    pub(crate) on_top: bool,
}

impl Prism {
    fn new(block: &Block) -> Self {
        let footprint = Rectangle::new(block.center, block.size, block.heading);
        let rise = math::tan(block.slope);
        let normal = footprint.turned(-rise, 0.0, 1.0).normalize();
        Self { footprint, top: block.top, rise, normal }
    }

    /// A place along and across, from the middle, and its height in the world.
    pub(crate) fn local(&self, place: Vec3) -> Vec3 {
        let [u, v] = self.footprint.seen_from(place.x, place.y);
        Vec3::new(u, v, place.z)
    }

    /// Height of the top at u.
    pub(crate) fn top_at(&self, u: f64) -> f64 {
        self.top + self.rise * u
    }

    /// A corner of the top, of four.
    pub(crate) fn corner(&self, k: usize) -> Vec3 {
        let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let (u, v) = (sign(0) * self.footprint.half[0], sign(1) * self.footprint.half[1]);
        self.footprint.place(u, v, self.top_at(u))
    }

    /// Whether all within this of a place is over the footprint.
    pub(crate) fn holds_around(&self, place: Vec3, radius: f64) -> bool {
        let [l, w] = self.footprint.half;
        let local = self.local(place);
        local.x.abs() + radius <= l && local.y.abs() + radius <= w
    }

    /// Whether a ball may touch it.
    pub(crate) fn is_near(&self, center: Vec3, radius: f64) -> bool {
        let ([l, w], local) = (self.footprint.half, self.local(center));
        let highest = self.top + self.rise.abs() * l;
        local.x.abs() < l + radius && local.y.abs() < w + radius && center.z < highest + radius
    }

    /// A place from outside: the nearest point. The footprint is a product of two, so that v is held by itself; in the plane of u and
    /// z the region has a slanted top between two walls. `None` inside.
    pub(crate) fn outside(&self, place: Vec3) -> Option<Seen> {
        let ([l, w], [u, v, z]) = (self.footprint.half, self.local(place).into());
        let above = z - self.top_at(u);
        if above <= 0.0 && u.abs() <= l && v.abs() <= w {
            return None;
        }
        let foot = (u + self.rise * (z - self.top)) / (1.0 + self.rise * self.rise);
        let (near_u, near_z, on_top) = if above > 0.0 && foot.abs() <= l {
            (foot, self.top_at(foot), true)
        } else if above <= 0.0 && u.abs() <= l {
            (u, z, false)
        } else {
            let side = l.copysign(if above > 0.0 { foot } else { u });
            (side, z.min(self.top_at(side)), false)
        };
        let near_v = v.clamp(-w, w);
        let away = Vec3::new(u - near_u, v - near_v, z - near_z);
        let distance = away.norm();
        let on_top = on_top && near_v == v;
        let normal =
            if on_top { self.normal } else { self.footprint.turned(away.x, away.y, away.z) / distance };
        let nearest = self.footprint.place(near_u, near_v, near_z);
        Some(Seen { distance, normal, nearest, on_top })
    }

    /// A place inside: out through the top, and through each wall.
    pub(crate) fn inside(&self, place: Vec3) -> [Seen; 3] {
        let ([l, w], [u, v, z]) = (self.footprint.half, self.local(place).into());
        let up = (z - self.top_at(u)) * self.normal.z;
        let [side_u, side_v] = [1f64.copysign(u), 1f64.copysign(v)];
        let top = Seen { distance: up, normal: self.normal, nearest: place - self.normal * up, on_top: true };
        let wall = |distance: f64, normal: Vec3| Seen {
            distance,
            normal,
            nearest: place - normal * distance,
            on_top: false,
        };
        [
            top,
            wall(u.abs() - l, self.footprint.turned(side_u, 0.0, 0.0)),
            wall(v.abs() - w, self.footprint.turned(0.0, side_v, 0.0)),
        ]
    }

    /// Signed distance, m; convex along every line.
    pub(crate) fn distance(&self, place: Vec3) -> f64 {
        match self.outside(place) {
            Some(seen) => seen.distance,
            None => self.inside(place).iter().fold(f64::NEG_INFINITY, |most, seen| most.max(seen.distance)),
        }
    }

    /// Shares of the way between two places at which it comes over the footprint and leaves it; `None` if it never does.
    pub(crate) fn over(&self, ends: [Vec3; 2]) -> Option<[f64; 2]> {
        let [a, b] = ends.map(|end| self.local(end));
        let mut over = [0.0, 1.0];
        for (from, to, half) in [(a.x, b.x, self.footprint.half[0]), (a.y, b.y, self.footprint.half[1])] {
            let way = to - from;
            if way == 0.0 {
                if from.abs() > half {
                    return None;
                }
                continue;
            }
            let (s, t) = ((-half - from) / way, (half - from) / way);
            over = [f64::max(over[0], s.min(t)), f64::min(over[1], s.max(t))];
        }
        (over[0] < over[1]).then_some(over)
    }
}

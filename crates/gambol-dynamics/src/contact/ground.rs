//! Shapes against the ground.
//!
//! On a plane everything happens in the frame of the body: with the plane's normal u seen from there and the height h
//! of the body's origin, a point p of the body is h + u·p above the plane, and only points that touch are turned into
//! the world. A height field is a plane under each body for choosing which points may touch; each of them then meets
//! the ground that is under itself.

use super::hull::Hull;
use super::solid::{Ball, Cylinder, Form, Solid};
use super::{Collider, Contact, key};
use crate::touch::{eight_directions, rise};
use crate::{BodyFrame, HeightField, Mat3, Vec3};

/// A standing cylinder rests on four points of its rim. While these are within this of the lowest point, it is left
/// out, m: it runs around the rim with the least tilt, which would unsettle a solver, and a micrometre is nothing.
const FLAT_RIM: f64 = 1e-6;
/// Cosine of the tilt up to which those four points are of use: beyond, the lowest is far below the others.
const STANDING: f64 = 0.5;
/// Ground is thought to be tilted this much to eight sides to find the corners of a hull that keep it steady, rad: the
/// first finds the corners of the face it rests on, the second those of a sole that is not down yet.
const TILTS: [f64; 2] = [1e-3, 0.1];
/// At most this many corners of a hull touch: enough for a foot that stands on a polygon.
const CORNERS: usize = 6;
/// Most steps to the nearest point of a height field. Each divides the error by about the ratio of the ground's radius of
/// curvature to the distance, so that eight leave micrometres where a ball fits into the valleys.
const STEPS: usize = 8;
/// Steps shorter than this are the last, m.
const SHORT_STEP: f64 = 1e-7;

/// An edge over a height field is looked at so many times per grid point, to find the bumps that it lies on.
const LOOKS: f64 = 4.0;
/// But not more often than this: bumps under an edge four grid points long or more may be missed if narrow.
const MOST_LOOKS: usize = 16;

/// How a body stands over the ground.
pub(super) struct View<'a> {
    frame: &'a BodyFrame,
    /// Normal of the plane under the body, along the body's axes.
    up_in_body: Vec3,
    /// The same in the world.
    up: Vec3,
    /// Height of the body's origin over that plane, m.
    height: f64,
}

/// Where a point or a ball meets the ground.
pub(super) struct Hit {
    pub(super) gap: f64,
    pub(super) point: Vec3,
    pub(super) normal: Vec3,
}

/// What the ground must answer.
pub(super) trait Ground {
    /// What is lowest comes first.
    fn is_plane(&self) -> bool;
    /// The ground under a body, or `None` if the ball (in its frame), and so all within, is farther than `reach`.
    fn under<'a>(&self, frame: &'a BodyFrame, bounds: Ball, reach: f64) -> Option<View<'a>>;
    /// Whether a ball of the body may be within reach.
    fn near(&self, view: &View, bounds: Ball, reach: f64) -> bool;
    /// A ball of the body, or `None` if farther than `reach`. A corner is one without radius.
    fn ball(&self, view: &View, ball: Ball, reach: f64) -> Option<Hit>;
    /// The lowest ball between two, ends not included, if it lies on a bump of the ground. On a plane it never does.
    fn between(&self, view: &View, ends: [Vec3; 2], radius: f64, reach: f64) -> Option<Hit>;
    /// An ellipsoid of the body.
    fn ellipsoid(&self, view: &View, center: Vec3, squares: &Mat3, reach: f64) -> Option<Hit>;
}

/// A plane.
pub(super) struct Plane {
    normal: Vec3,
    /// Its normal is z.
    level: bool,
    /// Of the plane along its normal, from the origin of the world, m.
    offset: f64,
}

impl Plane {
    pub(super) fn level() -> Self {
        Self::at_height(0.0)
    }

    pub(super) fn at_height(height: f64) -> Self {
        Self { normal: Vec3::z(), level: true, offset: height }
    }

    /// Through the origin.
    pub(super) fn new(normal: Vec3) -> Self {
        Self { normal, level: false, offset: 0.0 }
    }

    pub(super) fn through(normal: Vec3, point: Vec3) -> Self {
        Self { normal, level: false, offset: normal.dot(&point) }
    }

    fn hit(&self, view: &View, lowest_in_body: Vec3, gap: f64) -> Hit {
        Hit { gap, point: view.frame.point_in_world(lowest_in_body), normal: self.normal }
    }
}

impl Ground for Plane {
    fn is_plane(&self) -> bool {
        true
    }

    #[inline(always)]
    fn under<'a>(&self, frame: &'a BodyFrame, bounds: Ball, reach: f64) -> Option<View<'a>> {
        let (up_in_body, height) = if self.level {
            let r = &frame.rotation;
            (Vec3::new(r.m31, r.m32, r.m33), frame.position.z - self.offset)
        } else {
            (frame.rotation.tr_mul(&self.normal), self.normal.dot(&frame.position) - self.offset)
        };
        let near = height + up_in_body.dot(&bounds.center) - bounds.radius < reach;
        near.then_some(View { frame, up_in_body, up: self.normal, height })
    }

    fn ball(&self, view: &View, ball: Ball, reach: f64) -> Option<Hit> {
        let gap = view.height + view.up_in_body.dot(&ball.center) - ball.radius;
        (gap < reach).then(|| self.hit(view, ball.center - view.up_in_body * ball.radius, gap))
    }

    fn near(&self, view: &View, bounds: Ball, reach: f64) -> bool {
        view.height + view.up_in_body.dot(&bounds.center) - bounds.radius < reach
    }

    fn between(&self, _: &View, _: [Vec3; 2], _: f64, _: f64) -> Option<Hit> {
        None
    }

    fn ellipsoid(&self, view: &View, center: Vec3, squares: &Mat3, reach: f64) -> Option<Hit> {
        let (y, h) = rise(squares, view.up_in_body);
        let gap = view.height + view.up_in_body.dot(&center) - h;
        (gap < reach).then(|| self.hit(view, center - y, gap))
    }
}

/// A height field.
pub(super) struct Field<'a>(pub(super) &'a HeightField);

impl Field<'_> {
    /// The point of the ground nearest to `center`, and the normal there.
    ///
    /// Gauss–Newton: the foot of the perpendicular on the tangent plane at the last point, brought back to the ground.
    /// A step that leads away is halved.
    fn nearest(&self, center: Vec3) -> (Vec3, Vec3) {
        let on_ground = |x: f64, y: f64| {
            let (height, normal) = self.0.height_and_normal(x, y);
            (Vec3::new(x, y, height), normal)
        };
        let (mut point, mut normal) = on_ground(center.x, center.y);
        let mut share = 1.0;
        let mut distance = (center - point).norm_squared();
        for _ in 0..STEPS {
            let away = center - point;
            let along = (away - normal * normal.dot(&away)) * share;
            if along.norm_squared() < SHORT_STEP * SHORT_STEP {
                break;
            }
            let (next, its_normal) = on_ground(point.x + along.x, point.y + along.y);
            let its_distance = (center - next).norm_squared();
            if its_distance <= distance {
                (point, normal, distance) = (next, its_normal, its_distance);
            } else {
                share *= 0.5;
            }
        }
        (point, normal)
    }

    /// Whether a ball may be within reach: not if all ground nearby is below it.
    fn is_near(&self, center: Vec3, radius: f64, reach: f64) -> bool {
        // The nearest ground is not farther to the side than this.
        let wide = radius + reach.max(0.0);
        center.z - wide <= self.0.highest(center.x, center.y, wide)
    }

    fn ball_at(&self, center: Vec3, radius: f64, reach: f64) -> Option<Hit> {
        if radius == 0.0 {
            return self.corner(center, reach);
        }
        if !self.is_near(center, radius, reach) {
            return None;
        }
        let (ground, normal) = self.nearest(center);
        let away = center - ground;
        let gap = away.norm().copysign(normal.dot(&away)) - radius;
        (gap < reach).then(|| Hit { gap, point: center - normal * radius, normal })
    }

    /// A point of a body over the ground that is under it.
    fn corner(&self, point: Vec3, reach: f64) -> Option<Hit> {
        let (height, normal) = self.0.height_and_normal(point.x, point.y);
        let gap = (point.z - height) * normal.z;
        (gap < reach).then_some(Hit { gap, point, normal })
    }
}

impl Ground for Field<'_> {
    fn is_plane(&self) -> bool {
        false
    }

    fn under<'a>(&self, frame: &'a BodyFrame, bounds: Ball, reach: f64) -> Option<View<'a>> {
        let center = frame.point_in_world(bounds.center);
        if !self.is_near(center, bounds.radius, reach) {
            return None;
        }
        let (height, up) = self.0.height_and_normal(center.x, center.y);
        let ground = Vec3::new(center.x, center.y, height);
        let height = up.dot(&(frame.position - ground));
        Some(View { frame, up_in_body: frame.rotation.tr_mul(&up), up, height })
    }

    fn ball(&self, view: &View, ball: Ball, reach: f64) -> Option<Hit> {
        self.ball_at(view.frame.point_in_world(ball.center), ball.radius, reach)
    }

    fn between(&self, view: &View, ends: [Vec3; 2], radius: f64, reach: f64) -> Option<Hit> {
        let [from, to] = ends.map(|end| view.frame.point_in_world(end));
        let way = to - from;
        let looks = LOOKS * way.xy().norm() / self.0.spacing;
        // A place that is not a number is held to two looks, and found nowhere.
        let looks = (2..MOST_LOOKS).find(|n| *n as f64 >= looks).unwrap_or(MOST_LOOKS);
        let at = |share: f64| from + way * (share / looks as f64);
        let clearance = |k: usize| {
            let at = at(k as f64);
            at.z - self.0.height(at.x, at.y)
        };
        let (mut before, mut here) = (clearance(0), clearance(1));
        let mut lowest: Option<(f64, f64)> = None;
        for k in 1..looks {
            let after = clearance(k + 1);
            if here < before && here <= after && lowest.is_none_or(|lowest| here < lowest.0) {
                // The bottom of the parabola through the three.
                let bottom = 0.5 * (before - after) / (before - 2.0 * here + after);
                lowest = Some((here, k as f64 + bottom));
            }
            (before, here) = (here, after);
        }
        self.ball_at(at(lowest?.1), radius, reach)
    }

    fn near(&self, view: &View, bounds: Ball, reach: f64) -> bool {
        self.is_near(view.frame.point_in_world(bounds.center), bounds.radius, reach)
    }

    fn ellipsoid(&self, view: &View, center: Vec3, squares: &Mat3, reach: f64) -> Option<Hit> {
        // The lowest point against the normal of the ground that is under the lowest point.
        let mut up = view.up;
        let mut lowest = Vec3::repeat(f64::INFINITY);
        for _ in 0..STEPS {
            let up_in_body = view.frame.rotation.tr_mul(&up);
            let last = lowest;
            lowest = view.frame.point_in_world(center - rise(squares, up_in_body).0);
            if (lowest - last).norm_squared() < SHORT_STEP * SHORT_STEP {
                break;
            }
            up = self.0.height_and_normal(lowest.x, lowest.y).1;
        }
        self.corner(lowest, reach)
    }
}

impl Collider {
    /// All contacts with the ground, body by body.
    pub(super) fn meet(
        &self,
        ground: &impl Ground,
        frames: &[BodyFrame],
        reach: &[f64],
        found: &mut Vec<Contact>,
    ) {
        for cluster in &self.clusters {
            let (body, reach) = (cluster.body, reach[cluster.body]);
            let Some(view) = ground.under(&frames[body], cluster.bounds, reach) else { continue };
            let solids = &self.solids[cluster.solids.clone()];
            let near = |solid: &&Solid| solids.len() == 1 || ground.near(&view, solid.bounds, reach);
            for solid in solids.iter().filter(near) {
                meet_solid(ground, &view, solid, reach, |hit, feature| {
                    let Hit { gap, point, normal } = hit;
                    let key = key(solid.shape + 1, 0, feature);
                    found.push(Contact { bodies: [body, 0], point, normal, gap, key });
                });
            }
        }
    }
}

/// Reports where a solid is within reach of the ground, and a number for each of its features that is.
pub(super) fn meet_solid(
    ground: &impl Ground,
    view: &View,
    solid: &Solid,
    reach: f64,
    mut report: impl FnMut(Hit, usize),
) {
    let ball = |center: Vec3, radius: f64| ground.ball(view, Ball { center, radius }, reach);
    let mut report = |hit: Option<Hit>, feature: usize| {
        if let Some(hit) = hit {
            report(hit, feature);
        }
    };
    match &solid.form {
        Form::Ball(Ball { center, radius }) => report(ball(*center, *radius), 0),
        Form::Capsule { ends, radius } => {
            report(ball(ends[0], *radius), 0);
            report(ball(ends[1], *radius), 1);
            report(ground.between(view, *ends, *radius, reach), 2);
        }
        Form::Box { center, arms } => {
            let corner = |k: usize| {
                let arm = |axis: usize| if k >> axis & 1 == 0 { -arms[axis] } else { arms[axis] };
                center + arm(0) + arm(1) + arm(2)
            };
            for k in 0..8 {
                report(ball(corner(k), 0.0), k);
                // Edges along each axis from here, if this is their first corner.
                for axis in (0..3).filter(|axis| k >> axis & 1 == 0) {
                    let ends = [corner(k), corner(k | 1 << axis)];
                    report(ground.between(view, ends, 0.0, reach), 8 * (axis + 1) + k);
                }
            }
        }
        Form::Ellipsoid { center, squares } => report(ground.ellipsoid(view, *center, squares, reach), 0),
        Form::Cylinder(cylinder) => {
            let mut lowest = [cylinder.center; 2]; // stays there where the rims have no lowest point
            rims(cylinder, view.up_in_body, |point, feature| {
                report(ball(point, 0.0), feature);
                if feature < 2 {
                    lowest[feature] = point;
                }
            });
            report(ground.between(view, lowest, 0.0, reach), 10);
        }
        Form::Hull(hull) => {
            let corner = |k: usize| ball(hull.corner(k), 0.0);
            sole(hull, view.up_in_body, ground.is_plane(), corner, report);
        }
    }
}

/// Points of a cylinder that may touch: the lowest of each rim, and of the lower rim four that stay where they are.
pub(super) fn rims(cylinder: &Cylinder, up: Vec3, mut report: impl FnMut(Vec3, usize)) {
    let Cylinder { center, axis, spokes, radius, half_length } = cylinder;
    let rise = up.dot(axis);
    let across = up - axis * rise;
    let slant = across.norm(); // sine of the tilt from standing
    let lower = usize::from(rise <= 0.0);
    let rim = |end: usize| center + axis * if end == 0 { -half_length } else { *half_length };
    let standing = rise.abs() > STANDING;
    if standing {
        for (k, spoke) in [spokes[0], spokes[1], -spokes[0], -spokes[1]].into_iter().enumerate() {
            report(rim(lower) + spoke, 2 + 4 * lower + k);
        }
    }
    // Between two of the four points the rim is deeper by at most r (1 − cos 45°) times the sine of the tilt.
    if !standing || radius * (1.0 - std::f64::consts::FRAC_1_SQRT_2) * slant > FLAT_RIM {
        let lowest = across * (-radius / slant);
        for end in 0..2 {
            report(rim(end) + lowest, end);
        }
    }
}

/// A few corners of a hull that keep it steady: the lowest, and those that would be if the ground were tilted a little
/// to eight sides. Where more than [`CORNERS`] of them are within reach, those farthest apart.
pub(super) fn sole(
    hull: &Hull,
    up: Vec3,
    lowest_first: bool,
    meet: impl Fn(usize) -> Option<Hit>,
    mut report: impl FnMut(Option<Hit>, usize),
) {
    const CANDIDATES: usize = 1 + 8 * TILTS.len();
    let lowest = hull.farthest(-up);
    let first = meet(lowest);
    if lowest_first && first.is_none() {
        return;
    }
    let mut corners = [lowest; CANDIDATES];
    let mut count = 1;
    let side = up.cross(&Vec3::ith(up.iamin(), 1.0)).normalize();
    let other = up.cross(&side);
    for tilt in TILTS {
        for (cosine, sine) in eight_directions() {
            let corner = hull.climb((side * cosine + other * sine) * tilt - up, lowest);
            if !corners[..count].contains(&corner) {
                corners[count] = corner;
                count += 1;
            }
        }
    }
    // Empty where beyond reach or reported.
    let mut hits: [Option<Hit>; CANDIDATES] =
        std::array::from_fn(|k| (k < count).then(|| meet(corners[k]))?);
    let mut distances = [f64::INFINITY; CANDIDATES];
    for _ in 0..CORNERS {
        let farthest = (0..count)
            .filter(|k| hits[*k].is_some())
            .reduce(|best, k| if distances[k] > distances[best] { k } else { best });
        let Some(chosen) = farthest else { return };
        let at = hull.corner(corners[chosen]);
        for k in 0..count {
            distances[k] = distances[k].min((hull.corner(corners[k]) - at).norm_squared());
        }
        report(hits[chosen].take(), corners[chosen]);
    }
}

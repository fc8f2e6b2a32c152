//! Where two solids are nearest.
//!
//! Balls and capsules are segments with a skin: closed form. For the rest, parry's GJK finds the nearest points of
//! what is within the skins, and its EPA the shortest way out where these overlap. That gives one point, also where
//! two faces lie on each other.

use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::SupportMap;

use super::solid::Solid;
use crate::{BodyFrame, Vec3};

/// Sine of the angle up to which two capsules count as parallel and touch at both ends of what they share: over
/// a tenth of a metre the gap changes by 5 mm, beyond which a second point is of no use.
const PARALLEL: f64 = 0.05;
/// What they share is one point if shorter than this part of the first.
const SHORT: f64 = 0.01;
/// A point between the two ends is reported if it is nearer than both by this, m.
const NEARER: f64 = 1e-9;

/// Where two solids are nearest.
#[derive(Clone, Copy)]
pub(super) struct Meeting {
    /// On the surface of the first, m; seen from where the solids were placed.
    pub(super) point: Vec3,
    /// Unit, out of the second into the first.
    pub(super) normal: Vec3,
    pub(super) gap: f64,
    /// 0 for the nearest point, 1 and 2 for the ends of parallel capsules.
    pub(super) feature: usize,
}

/// A solid somewhere, along the world axes.
pub(super) struct Placed<'a> {
    solid: &'a Solid,
    frame: &'a BodyFrame,
    /// From where all is seen to the body's origin, m.
    offset: Vec3,
}

impl<'a> Placed<'a> {
    pub(super) fn new(solid: &'a Solid, frame: &'a BodyFrame, seen_from: Vec3) -> Self {
        Self { solid, frame, offset: frame.position - seen_from }
    }

    fn point(&self, in_body: Vec3) -> Vec3 {
        self.offset + self.frame.rotation * in_body
    }

    fn segment(&self) -> Option<[Vec3; 2]> {
        self.solid.segment().map(|ends| ends.map(|end| self.point(end)))
    }

    /// Within the skin.
    fn farthest(&self, direction: Vec3) -> Vec3 {
        self.point(self.solid.farthest(self.frame.rotation.tr_mul(&direction)))
    }

    /// Centre and radius of the ball around it.
    pub(super) fn bounds(&self) -> (Vec3, f64) {
        (self.point(self.solid.bounds.center), self.solid.bounds.radius)
    }
}

impl SupportMap for Placed<'_> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        to_parry(self.farthest(from_parry(direction)))
    }
}

pub(super) fn to_parry(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

pub(super) fn from_parry(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// Reports where two solids are nearer to each other than `reach`.
pub(super) fn meet(a: &Placed, b: &Placed, reach: f64, mut report: impl FnMut(Meeting)) {
    let skins = [a.solid.skin(), b.solid.skin()];
    let mut within_reach = |meeting: Meeting| {
        if meeting.gap < reach {
            report(meeting);
        }
    };
    match (a.segment(), b.segment()) {
        (Some(p), Some(q)) => meet_segments(p, q, skins, a.bounds().0 - b.bounds().0, within_reach),
        _ => {
            if let Some(meeting) = meet_convex(a, b, skins, a.bounds().0 - b.bounds().0, reach) {
                within_reach(meeting);
            }
        }
    }
}

/// Two segments with skins. `apart` is from the second's middle to the first's: the way out where they cross.
fn meet_segments(p: [Vec3; 2], q: [Vec3; 2], skins: [f64; 2], apart: Vec3, mut report: impl FnMut(Meeting)) {
    let (d, e) = (p[1] - p[0], q[1] - q[0]);
    let between = |s: f64, t: f64, feature: usize| {
        let on_p = p[0] + d * s;
        let away = on_p - (q[0] + e * t);
        let distance = away.norm();
        // Where the segments themselves cross, out sideways.
        let normal = if distance > 0.0 {
            away / distance
        } else {
            let across = d.cross(&e);
            let sideways = across * 1f64.copysign(across.dot(&apart));
            [sideways, apart].iter().find_map(|n| n.try_normalize(0.0)).unwrap_or_else(Vec3::z)
        };
        Meeting { point: on_p - normal * skins[0], normal, gap: distance - skins[0] - skins[1], feature }
    };
    let (s, t) = nearest_on_segments(p, q);
    let nearest = between(s, t, 0);
    let (dd, ee) = (d.norm_squared(), e.norm_squared());
    let parallel = d.cross(&e).norm_squared() < PARALLEL * PARALLEL * dd * ee;
    if parallel {
        // The part of the first that is beside the second.
        let along = q.map(|end| ((end - p[0]).dot(&d) / dd).clamp(0.0, 1.0));
        let (low, high) = (along[0].min(along[1]), along[0].max(along[1]));
        if high - low > SHORT {
            let opposite = |s: f64| ((p[0] + d * s - q[0]).dot(&e) / ee).clamp(0.0, 1.0);
            let ends = [between(low, opposite(low), 1), between(high, opposite(high), 2)];
            if nearest.gap < ends[0].gap.min(ends[1].gap) - NEARER {
                report(nearest);
            }
            ends.into_iter().for_each(report);
            return;
        }
    }
    report(nearest);
}

/// Shares of the way along two segments, 0 to 1, at which they are nearest.
///
/// |p(s) − q(t)|² is a convex quadratic. Its minimum over the line of s and t, held to 0..1 in s, gives t; if that has
/// to be held to 0..1 as well, the best s for it is the answer.
fn nearest_on_segments(p: [Vec3; 2], q: [Vec3; 2]) -> (f64, f64) {
    let (d, e, r) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
    let (dd, ee, de) = (d.norm_squared(), e.norm_squared(), d.dot(&e));
    let (dr, er) = (d.dot(&r), e.dot(&r));
    let held = |numerator: f64, denominator: f64| {
        if denominator > 0.0 { (numerator / denominator).clamp(0.0, 1.0) } else { 0.0 }
    };
    // Where they are parallel to rounding any s will do.
    let determinant = dd * ee - de * de;
    let s = if determinant > 1e-14 * dd * ee { held(de * er - ee * dr, determinant) } else { 0.0 };
    let t = held(de * s + er, ee);
    (held(de * t - dr, dd), t)
}

/// Two convex solids by GJK, and EPA where what is within their skins overlaps.
///
/// `apart` is from the second's middle to the first's.
pub(super) fn meet_convex(
    a: &impl SupportMap,
    b: &impl SupportMap,
    skins: [f64; 2],
    apart: Vec3,
    reach: f64,
) -> Option<Meeting> {
    let skin = skins[0] + skins[1];
    let towards_b = to_parry(-apart.try_normalize(0.0).unwrap_or_else(Vec3::x));
    let same = Pose::IDENTITY; // both are seen from one place
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&same, a, b, towards_b));
    let (on_a, on_b, towards_b) = match closest_points(&same, a, b, reach + skin, true, &mut simplex) {
        GJKResult::ClosestPoints(on_a, on_b, towards_b) => (on_a, on_b, towards_b),
        GJKResult::Intersection => {
            EPA::new().closest_points(&same, a, b, &simplex).unwrap_or_else(|| {
                // Flat solids can defeat it. The line of centres leads out too, if by a longer way.
                (a.local_support_point(towards_b), b.local_support_point(-towards_b), towards_b)
            })
        }
        GJKResult::NoIntersection(_) | GJKResult::Proximity(_) => return None,
    };
    let distance = (on_b - on_a).dot(towards_b);
    let normal = -from_parry(towards_b);
    Some(Meeting { point: from_parry(on_a) - normal * skins[0], normal, gap: distance - skin, feature: 0 })
}

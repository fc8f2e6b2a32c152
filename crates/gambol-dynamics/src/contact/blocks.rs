//! Shapes against blocks with sharp edges.
//!
//! Over the middle of a block its top is a plane, and all is as on one. Near an edge every corner, ball and edge of a shape meets the
//! block as a solid, in closed form; so do the corners of the block and the faces of a box. Where an edge of a block pokes into an
//! ellipsoid, cylinder, hull or box, GJK adds the one point where they are nearest, or deepest. An edge or wall that other ground hides is not felt:
//! blocks of one height beside each other are one.

use std::cell::Cell;

use parry3d_f64::math::Vector;
use parry3d_f64::shape::SupportMap;

use super::ground::{Field, Ground, Hit, Plane, meet_solid, rims, sole};
use super::narrow::{Placed, from_parry, meet_convex, to_parry};
use super::solid::{Ball, Form, Solid};
use super::{Collider, Contact, key};
use crate::course::{Base, Course, Prism, Seen};
use crate::touch::rise;
use crate::{BodyFrame, Terrain, Vec3};

/// Numbers of blocks among those of shapes, in keys.
const FIRST_BLOCK: usize = 1 << 20;
/// Features of edges come behind those of corners, rims and ends, of which a box has 32; a hull has its corners up to here.
const FIRST_EDGE: usize = 1 << 21;
/// The point of GJK.
const NEAREST: usize = FIRST_EDGE - 1;
/// Corners of the block.
const FIRST_CORNER: usize = FIRST_EDGE - 8;
/// Sine of the tilt up to which a face of a box lies on the corners of a block, though it would touch only one: as [`super::ground`]
/// looks for the corners of a sole that is not down yet.
const LIES: f64 = 0.1;
/// A further point of an edge is told if it is deeper than those that were by this, m.
const DEEPER: f64 = 1e-9;
/// GJK and EPA end about this near, m: what they find is told if it is deeper than the rest by more.
const ROUGHLY: f64 = 1e-6;
/// Steps of a golden section: the last of its intervals is a 5e-8 part of the first.
const SECTIONS: usize = 35;
/// 1/φ
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// A solid near a block.
struct Edges<'a> {
    course: &'a Course,
    block: usize,
    prism: &'a Prism,
    frame: &'a BodyFrame,
    reach: f64,
}

impl Collider {
    /// All contacts with a course: its base, then block by block for each body.
    pub(super) fn meet_course(
        &self,
        course: &Course,
        frames: &[BodyFrame],
        reach: &[f64],
        found: &mut Vec<Contact>,
    ) {
        match &course.spec().base {
            Base::Level(height) => self.meet(&Plane::at_height(*height), frames, reach, found),
            Base::Slope(angle) => {
                self.meet(&Plane::new(Terrain::Slope(*angle).normal(0.0, 0.0)), frames, reach, found);
            }
            Base::Field(field) => self.meet(&Field(field), frames, reach, found),
        }
        found.retain(|contact| !course.covers(contact.point - contact.normal * contact.gap));
        for cluster in &self.clusters {
            let (body, reach) = (cluster.body, reach[cluster.body]);
            let frame = &frames[body];
            let around = |bounds: Ball| (frame.point_in_world(bounds.center), bounds.radius + reach.max(0.0));
            let (center, radius) = around(cluster.bounds);
            for (block, prism) in course.prisms().iter().enumerate() {
                if !prism.is_near(center, radius) {
                    continue;
                }
                let edges = Edges { course, block, prism, frame, reach };
                for solid in &self.solids[cluster.solids.clone()] {
                    let (center, radius) = around(solid.bounds);
                    if prism.is_near(center, radius) {
                        edges.meet(solid, |Hit { gap, point, normal }, feature| {
                            let key = key(solid.shape + 1, FIRST_BLOCK + block, feature);
                            found.push(Contact { bodies: [body, 0], point, normal, gap, key });
                        });
                    }
                }
            }
        }
    }
}

impl Edges<'_> {
    /// Reports where a solid is within reach, and a number for each of its features that is.
    fn meet(&self, solid: &Solid, mut report: impl FnMut(Hit, usize)) {
        let center = self.frame.point_in_world(solid.bounds.center);
        if self.prism.holds_around(center, solid.bounds.radius + self.reach.max(0.0)) {
            let plane = Plane::through(self.prism.normal, self.prism.corner(0));
            if let Some(view) = plane.under(self.frame, solid.bounds, self.reach) {
                meet_solid(&plane, &view, solid, self.reach, report);
            }
            return;
        }
        let least = Cell::new(f64::INFINITY);
        let mut report = |hit: Option<Hit>, feature: usize| {
            if let Some(hit) = hit {
                least.set(least.get().min(hit.gap));
                report(hit, feature);
            }
        };
        let up_in_body = self.frame.rotation.tr_mul(&self.prism.normal);
        let corner = |in_body: Vec3| self.ball(self.frame.point_in_world(in_body), 0.0);
        match &solid.form {
            Form::Ball(Ball { center, radius }) => {
                report(self.ball(self.frame.point_in_world(*center), *radius), 0);
            }
            Form::Capsule { ends, radius } => {
                let ends = ends.map(|end| self.frame.point_in_world(end));
                report(self.ball(ends[0], *radius), 0);
                report(self.ball(ends[1], *radius), 1);
                self.edge(ends, *radius, FIRST_EDGE, &mut report);
            }
            Form::Box { center, arms } => self.meet_box(*center, arms, &mut report),
            Form::Ellipsoid { center, squares } => report(corner(center - rise(squares, up_in_body).0), 0),
            Form::Cylinder(cylinder) => {
                let mut lowest = [cylinder.center; 2]; // stays there where the rims have no lowest point
                rims(cylinder, up_in_body, |point, feature| {
                    report(corner(point), feature);
                    if feature < 2 {
                        lowest[feature] = point;
                    }
                });
                let ends = lowest.map(|end| self.frame.point_in_world(end));
                self.edge(ends, 0.0, FIRST_EDGE, &mut report);
            }
            Form::Hull(hull) => sole(hull, up_in_body, false, |k| corner(hull.corner(k)), &mut report),
        }
        // Corners and edges of a box are all there is of it, until they are inside: then the way out may be between two edges.
        let wants_nearest = match &solid.form {
            Form::Ball(_) | Form::Capsule { .. } => false,
            Form::Box { .. } => least.get() < 0.0,
            Form::Ellipsoid { .. } | Form::Cylinder(_) | Form::Hull(_) => true,
        };
        if wants_nearest {
            let nearest = self.nearest(solid);
            report(nearest.filter(|hit| hit.gap < least.get() - ROUGHLY), NEAREST);
        }
    }

    /// A ball against the block; a corner is one without radius.
    fn ball(&self, center: Vec3, radius: f64) -> Option<Hit> {
        let seen = match self.prism.outside(center) {
            Some(seen) => Some(seen).filter(|seen| seen.on_top || !self.is_hidden(seen)),
            // Out by the shortest way that is open; the top always is.
            None => self
                .prism
                .inside(center)
                .into_iter()
                .filter(|seen| seen.on_top || !self.is_hidden(seen))
                .reduce(|best, seen| if seen.distance > best.distance { seen } else { best }),
        }?;
        let gap = seen.distance - radius;
        (gap < self.reach).then(|| Hit { gap, point: center - seen.normal * radius, normal: seen.normal })
    }

    /// An edge or wall with other ground right beside it.
    fn is_hidden(&self, seen: &Seen) -> bool {
        self.course.goes_on(self.block, seen.nearest, seen.normal)
    }

    /// What is between the ends of an edge with a skin: where it crosses the rim of the block, and where it is deepest if that is
    /// elsewhere.
    fn edge(
        &self,
        ends: [Vec3; 2],
        radius: f64,
        feature: usize,
        report: &mut impl FnMut(Option<Hit>, usize),
    ) {
        let [from, way] = [ends[0], ends[1] - ends[0]];
        let distance = |share: f64| self.prism.distance(from + way * share);
        // Distances change along an edge by no more than its length.
        let ends = [distance(0.0), distance(1.0)];
        if 0.5 * (ends[0] + ends[1] - way.norm()) - radius >= self.reach {
            return;
        }
        let mut least = ends[0].min(ends[1]);
        for (k, share) in self.prism.over([from, from + way]).into_iter().flatten().enumerate() {
            if share > 0.0 && share < 1.0 {
                let at = from + way * share;
                least = least.min(distance(share));
                let outward = if k == 0 { -way } else { way };
                let rim = Vec3::new(at.x, at.y, self.prism.top_at(self.prism.local(at).x));
                if !self.course.goes_on(self.block, rim, outward) {
                    report(self.ball(at, radius), feature + k);
                }
            }
        }
        let share = least_of_convex(distance);
        if distance(share) < least - DEEPER {
            report(self.ball(from + way * share, radius), feature + 2);
        }
    }

    /// Corners and edges of a box against the block, and corners of the block against faces of the box.
    fn meet_box(&self, center: Vec3, arms: &[Vec3; 3], report: &mut impl FnMut(Option<Hit>, usize)) {
        let corner = |k: usize| {
            let arm = |axis: usize| if k >> axis & 1 == 0 { -arms[axis] } else { arms[axis] };
            self.frame.point_in_world(center + arm(0) + arm(1) + arm(2))
        };
        for k in 0..8 {
            report(self.ball(corner(k), 0.0), k);
            for axis in (0..3).filter(|axis| k >> axis & 1 == 0) {
                let ends = [corner(k), corner(k | 1 << axis)];
                self.edge(ends, 0.0, FIRST_EDGE + 4 * (8 * axis + k), report);
            }
        }
        for k in 0..4 {
            report(self.corner_of_block(k, center, arms), FIRST_CORNER + k);
        }
    }

    /// A corner of the block's top under or in a face of a box, where the block is what is sharp.
    fn corner_of_block(&self, k: usize, center: Vec3, arms: &[Vec3; 3]) -> Option<Hit> {
        let corner = self.prism.corner(k);
        let local = self.frame.rotation.tr_mul(&(corner - self.frame.point_in_world(center)));
        let half = arms.map(|arm| arm.norm());
        // Out of each face, on the corner's side of the box.
        let out = [0, 1, 2].map(|axis| {
            let along = local.dot(&arms[axis]) / half[axis];
            (along.abs() - half[axis], arms[axis] * (1f64.copysign(along) / half[axis]))
        });
        let (gap, face) = out.iter().copied().reduce(|best, out| if out.0 > best.0 { out } else { best })?;
        let beside = out.iter().filter(|out| out.0 > 0.0).count() > 1;
        if beside || gap >= self.reach {
            return None;
        }
        let normal = -(self.frame.rotation * face);
        // It has to point out of the corner, or nearly: against the edges of the block that lead away from there.
        let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let walls = [
            self.prism.footprint.turned(sign(0), 0.0, sign(0) * self.prism.rise).normalize(),
            self.prism.footprint.turned(0.0, sign(1), 0.0),
        ];
        let fits = normal.z > 0.0 && walls.iter().all(|wall| normal.dot(wall) > -LIES);
        let hidden = walls.iter().all(|wall| self.course.goes_on(self.block, corner, *wall));
        (fits && !hidden).then(|| Hit { gap, point: corner + normal * gap, normal })
    }

    /// One point by GJK.
    fn nearest(&self, solid: &Solid) -> Option<Hit> {
        let placed = Placed::new(solid, self.frame, Vec3::zeros());
        let (center, radius) = placed.bounds();
        let near = Near::new(self.prism, center, radius + self.reach.max(0.0));
        let meeting = meet_convex(&placed, &near, [0.0, 0.0], center - near.middle(), self.reach)?;
        let touched = meeting.point - meeting.normal * meeting.gap;
        let on_top = meeting.normal.dot(&self.prism.normal) > 1.0 - 1e-9;
        let hidden = !on_top && self.course.goes_on(self.block, touched, meeting.normal);
        (meeting.gap < self.reach && !hidden).then_some(Hit {
            gap: meeting.gap,
            point: meeting.point,
            normal: meeting.normal,
        })
    }
}

/// The share of the way, 0 to 1, at which a convex function is least.
fn least_of_convex(f: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b) = (0.0, 1.0);
    let (mut c, mut d) = (1.0 - GOLDEN, GOLDEN);
    let (mut at_c, mut at_d) = (f(c), f(d));
    for _ in 0..SECTIONS {
        if at_c <= at_d {
            (b, d, at_d) = (d, c, at_c);
            c = b - GOLDEN * (b - a);
            at_c = f(c);
        } else {
            (a, c, at_c) = (c, d, at_d);
            d = a + GOLDEN * (b - a);
            at_d = f(d);
        }
    }
    0.5 * (a + b)
}

/// The part of a block around a solid: as wide as GJK needs, so that no digits are lost on a long wall.
struct Near<'a> {
    prism: &'a Prism,
    low: [f64; 2],
    high: [f64; 2],
    bottom: f64,
}

/// That part reaches this many radii from the middle of the solid: farther than the way out of anything that is not lost inside.
const AROUND: f64 = 4.0;

impl<'a> Near<'a> {
    fn new(prism: &'a Prism, center: Vec3, radius: f64) -> Self {
        let local = prism.local(center);
        let span = AROUND * radius;
        let [l, w] = prism.footprint.half;
        let held = |at: f64, half: f64| [(at - span).clamp(-half, half), (at + span).clamp(-half, half)];
        let (u, v) = (held(local.x, l), held(local.y, w));
        let bottom = prism.top_at(u[0]).min(prism.top_at(u[1])).min(center.z) - span;
        Self { prism, low: [u[0], v[0]], high: [u[1], v[1]], bottom }
    }

    fn middle(&self) -> Vec3 {
        let u = 0.5 * (self.low[0] + self.high[0]);
        let v = 0.5 * (self.low[1] + self.high[1]);
        self.prism.footprint.place(u, v, 0.5 * (self.bottom + self.prism.top_at(u)))
    }
}

impl SupportMap for Near<'_> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let direction = from_parry(direction);
        let footprint = &self.prism.footprint;
        let along = direction.dot(&footprint.turned(1.0, 0.0, 0.0));
        let across = direction.dot(&footprint.turned(0.0, 1.0, 0.0));
        let v = if across > 0.0 { self.high[1] } else { self.low[1] };
        let place = if direction.z > 0.0 {
            let u = if along + direction.z * self.prism.rise > 0.0 { self.high[0] } else { self.low[0] };
            footprint.place(u, v, self.prism.top_at(u))
        } else {
            let u = if along > 0.0 { self.high[0] } else { self.low[0] };
            footprint.place(u, v, self.bottom)
        };
        to_parry(place)
    }
}

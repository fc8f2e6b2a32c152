//! What hides what: the order in which solids are painted.
//!
//! Sorting by the depth of the centres fails for long bodies: a torso's centre is nearer than a leg that stands before
//! its end. So every two solids that overlap on the picture are compared where they overlap, and painted in an order
//! that respects all these comparisons; only where they contradict each other do the centres decide.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use gambol_model::Vec3;

use crate::surface::Surface;

/// Comparing costs the square of the number of solids where all overlap; beyond this many the centres decide.
const MOST_COMPARED: usize = 3000;
/// Corners of an outline that are enough to find where two overlap.
const COARSE: usize = 16;

type Plane = [f64; 2];

/// A solid on the picture.
pub(crate) struct Solid<'c> {
    pub(crate) surface: Surface<'c>,
    /// Convex, counter-clockwise, m.
    pub(crate) outline: Vec<Plane>,
    /// Of the outline, m².
    area: f64,
    /// Of the centre, towards the eye, m.
    pub(crate) depth: f64,
}

impl<'c> Solid<'c> {
    pub(crate) fn new(surface: Surface<'c>) -> Self {
        let outline: Vec<Plane> = surface.outline(Vec3::x(), Vec3::y()).iter().map(|p| [p.x, p.y]).collect();
        let next = outline.iter().cycle().skip(1);
        let twice: f64 = outline.iter().zip(next).map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum();
        Self { depth: surface.centre().z, area: 0.5 * twice, outline, surface }
    }
}

/// Indices of `solids` from the first to be painted to the last.
pub(crate) fn back_to_front(solids: &[Solid]) -> Vec<usize> {
    let hides = if solids.len() <= MOST_COMPARED { comparisons(solids) } else { Vec::new() };
    let mut above = vec![Vec::new(); solids.len()];
    let mut below_count = vec![0usize; solids.len()];
    for &[low, high] in &hides {
        above[low].push(high);
        below_count[high] += 1;
    }
    let mut by_depth: Vec<usize> = (0..solids.len()).collect();
    by_depth.sort_by(|&a, &b| solids[a].depth.total_cmp(&solids[b].depth));
    let mut ready: BinaryHeap<Ready> = BinaryHeap::new();
    let wait = |index: usize| Ready { depth: solids[index].depth, index };
    ready.extend((0..solids.len()).filter(|&k| below_count[k] == 0).map(wait));
    let mut painted = vec![false; solids.len()];
    let mut order = Vec::with_capacity(solids.len());
    let mut farthest = by_depth.into_iter();
    while order.len() < solids.len() {
        // Nothing is ready where solids hide each other in a ring: the farthest breaks it.
        let Some(next) = ready.pop().map(|ready| ready.index).or_else(|| farthest.find(|&k| !painted[k]))
        else {
            break;
        };
        if std::mem::replace(&mut painted[next], true) {
            continue;
        }
        order.push(next);
        for &higher in &above[next] {
            below_count[higher] -= 1;
            if below_count[higher] == 0 {
                ready.push(wait(higher));
            }
        }
    }
    order
}

/// A solid with nothing unpainted below it; the farthest is the greatest.
struct Ready {
    depth: f64,
    index: usize,
}

impl Ord for Ready {
    fn cmp(&self, other: &Self) -> Ordering {
        other.depth.total_cmp(&self.depth).then(other.index.cmp(&self.index))
    }
}

impl PartialOrd for Ready {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ready {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ready {}

/// Pairs [below, above] of all solids that overlap, found by a sweep from left to right.
fn comparisons(solids: &[Solid]) -> Vec<[usize; 2]> {
    let coarse: Vec<Vec<Plane>> = solids.iter().map(|solid| thin_out(&solid.outline)).collect();
    let boxes: Vec<[Plane; 2]> = coarse.iter().map(|outline| box_of(outline)).collect();
    let mut order: Vec<usize> = (0..solids.len()).collect();
    order.sort_by(|&a, &b| boxes[a][0][0].total_cmp(&boxes[b][0][0]));
    let mut pairs = Vec::new();
    for (k, &a) in order.iter().enumerate() {
        for &b in order[k + 1..].iter().take_while(|&&b| boxes[b][0][0] < boxes[a][1][0]) {
            if boxes[a][0][1] < boxes[b][1][1] && boxes[b][0][1] < boxes[a][1][1] {
                let nearer = nearer(&solids[a], &solids[b], &clip(&coarse[a], &coarse[b]));
                if nearer != 0.0 {
                    pairs.push(if nearer > 0.0 { [b, a] } else { [a, b] });
                }
            }
        }
    }
    pairs
}

/// Positive if `a` should hide `b` over their common area, negative if `b` should hide `a`.
fn nearer(a: &Solid, b: &Solid, common: &[Plane]) -> f64 {
    // An eye sunk in a head is missed if it is hidden; so the smaller of two comes out on top where a good part of it
    // is in front, not only where the greater part is.
    let ratio = a.area.min(b.area) / a.area.max(b.area).max(1e-300);
    let enough = (0.2 + 0.4 * ratio).min(0.5);
    let count = common.len() as f64;
    let middle = common.iter().fold([0.0; 2], |sum, p| [sum[0] + p[0] / count, sum[1] + p[1] / count]);
    let towards = |p: &Plane, share: f64| [0, 1].map(|axis| middle[axis] + share * (p[axis] - middle[axis]));
    // Not on the rim itself, where one of the two is seen edge on.
    let rings = [0.85, 0.5].into_iter().flat_map(|share| common.iter().map(move |p| towards(p, share)));
    let (mut a_in_front, mut all) = (0.0, 0.0);
    for [x, y] in rings {
        if let (Some(near_a), Some(near_b)) = (a.surface.front(x, y), b.surface.front(x, y)) {
            all += 1.0;
            a_in_front += f64::from(u8::from(near_a > near_b)) + 0.5 * f64::from(u8::from(near_a == near_b));
        }
    }
    if all == 0.0 {
        return 0.0;
    }
    let needed = if a.area < b.area { enough } else { 1.0 - enough };
    a_in_front / all - needed
}

fn thin_out(outline: &[Plane]) -> Vec<Plane> {
    outline.iter().copied().step_by((outline.len() / COARSE).max(1)).collect()
}

fn box_of(outline: &[Plane]) -> [Plane; 2] {
    outline.iter().fold([[f64::MAX; 2], [f64::MIN; 2]], |[low, high], p| {
        [[low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])]]
    })
}

/// The common area of two convex outlines: the first cut off along each edge of the second (Sutherland and Hodgman).
fn clip(subject: &[Plane], window: &[Plane]) -> Vec<Plane> {
    let mut area = subject.to_vec();
    for (k, from) in window.iter().enumerate() {
        let to = window[(k + 1) % window.len()];
        let left_of = |p: &Plane| (to[0] - from[0]) * (p[1] - from[1]) - (to[1] - from[1]) * (p[0] - from[0]);
        let mut kept = Vec::with_capacity(area.len() + 1);
        for (k, p) in area.iter().enumerate() {
            let next = &area[(k + 1) % area.len()];
            let (here, there) = (left_of(p), left_of(next));
            if here >= 0.0 {
                kept.push(*p);
            }
            if (here >= 0.0) != (there >= 0.0) {
                let t = here / (here - there);
                kept.push([p[0] + t * (next[0] - p[0]), p[1] + t * (next[1] - p[1])]);
            }
        }
        area = kept;
    }
    area
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_model::{Mat3, Quat, Shape, Transform};

    fn solid(shape: &Shape, at: Vec3, turn: Quat) -> Solid<'_> {
        let surface = Surface::new(shape, &Transform::from_parts(at.into(), turn), &Mat3::identity());
        Solid::new(surface)
    }

    #[test]
    fn overlap_of_two_squares() {
        let square = |x: f64| vec![[x, x], [x + 2.0, x], [x + 2.0, x + 2.0], [x, x + 2.0]];
        let common = clip(&square(0.0), &square(1.0));
        assert_eq!(box_of(&common), [[1.0, 1.0], [2.0, 2.0]]);
        assert!(clip(&square(0.0), &square(5.0)).len() < 3);
    }

    /// A long rod comes out of the picture; a small ball near its far end is nearer than the rod there, though the
    /// rod's centre is nearer than the ball's. Sorted by centres, the rod would hide the ball.
    #[test]
    fn a_long_body_does_not_hide_what_stands_before_its_far_end() {
        let rod = Shape::Capsule { radius: 0.1, half_length: 2.0 };
        let ball = Shape::Sphere { radius: 0.15 };
        let slanted = Quat::from_axis_angle(&Vec3::y_axis(), 0.8);
        let far_end = slanted * Vec3::new(0.0, 0.0, -1.8);
        let solids =
            [solid(&rod, Vec3::zeros(), slanted), solid(&ball, far_end + Vec3::z() * 0.4, Quat::identity())];
        assert!(solids[0].depth > solids[1].depth);
        assert_eq!(back_to_front(&solids), [0, 1]);
    }

    /// Three rods that lie on each other in a ring have no order; all are painted all the same.
    #[test]
    fn a_ring_is_broken() {
        let rod = Shape::Capsule { radius: 0.05, half_length: 1.0 };
        let solids: Vec<_> = (0..3)
            .map(|k| {
                let around = Quat::from_axis_angle(&Vec3::z_axis(), f64::from(k) * 2.1);
                let lean = Quat::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2 - 0.4);
                solid(&rod, around * Vec3::new(0.0, 0.4, 0.0), around * lean)
            })
            .collect();
        let mut order = back_to_front(&solids);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2]);
    }
}

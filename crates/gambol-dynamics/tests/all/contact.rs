//! Contacts against brute force: the surface of every shape is sampled densely, by its definition and not by the closed
//! forms, and the lowest sample is the deepest point. What is asked for is what a solver lives on: the gap, its sign,
//! the point and the normal, that nothing within reach is missed, and that keys stay while nothing much moves.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use gambol_dynamics::{BodyFrame, Collider, Contact, Data, HeightField, Terrain, forward_kinematics};
use gambol_model::math;
use gambol_model::samples::Random;
use gambol_model::{
    BodySpec, Creature, CreatureSpec, JointSpec, MeshMass, Quat, Shape, ShapeSpec, Transform, TriMesh, Vec3,
};
use nalgebra::Point3;

/// Samples along a right angle.
const FINE: u32 = 60;
/// A surface with radii of curvature up to 0.3 m, sampled every π/120 rad, is at most 0.3 (π/240)²/2·2 m above its
/// lowest point: both directions are half a step away.
const SAMPLING: f64 = 0.3 * (PI / 240.0) * (PI / 240.0);

fn mesh(points: &[Vec3]) -> Shape {
    Shape::Mesh { mesh: Arc::new(TriMesh::hull_of(points).unwrap()), mass: MeshMass::ClosedOrHull }
}

/// A cloud of points on a ball: a hull with `count` corners.
fn pebble(count: usize, random: &mut Random) -> Shape {
    let points: Vec<Vec3> = (0..count).map(|_| random.vector(1.0).normalize() * 0.2).collect();
    mesh(&points)
}

fn shapes() -> Vec<Shape> {
    let mut random = Random::new(3);
    vec![
        Shape::Sphere { radius: 0.2 },
        Shape::Capsule { radius: 0.1, half_length: 0.2 },
        Shape::Box { half: Vec3::new(0.1, 0.2, 0.3) },
        Shape::Ellipsoid { radii: Vec3::new(0.1, 0.2, 0.15) },
        Shape::Cylinder { radius: 0.15, half_length: 0.1 },
        pebble(12, &mut random),
        pebble(2000, &mut random),
    ]
}

/// A dense sample of the surface, shape frame.
fn surface(shape: &Shape) -> Vec<Vec3> {
    let turn = |k: u32| f64::from(k) / f64::from(FINE) * FRAC_PI_2;
    let circle = || (0..4 * FINE).map(turn);
    let ball: Vec<Vec3> = (0..=2 * FINE)
        .flat_map(|i| circle().map(move |a| (turn(i), a)))
        .map(|(polar, a)| {
            Vec3::new(math::sin(polar) * math::cos(a), math::sin(polar) * math::sin(a), math::cos(polar))
        })
        .collect();
    match shape {
        Shape::Sphere { radius } => ball.iter().map(|p| p * *radius).collect(),
        Shape::Ellipsoid { radii } => ball.iter().map(|p| p.component_mul(radii)).collect(),
        // The tube between the ends is nowhere below both: its samples are left to the two ends.
        Shape::Capsule { radius, half_length } => [-half_length, *half_length]
            .iter()
            .flat_map(|z| ball.iter().map(move |p| p * *radius + Vec3::z() * *z))
            .collect(),
        Shape::Cylinder { radius, half_length } => [-half_length, *half_length]
            .iter()
            .flat_map(|z| circle().map(move |a| Vec3::new(math::cos(a) * radius, math::sin(a) * radius, *z)))
            .collect(),
        Shape::Box { half } => {
            let ends = [-1.0, 0.0, 1.0];
            let grid = ends.iter().flat_map(|x| ends.iter().flat_map(move |y| ends.map(|z| (*x, *y, z))));
            grid.map(|(x, y, z)| half.component_mul(&Vec3::new(x, y, z))).collect()
        }
        Shape::Mesh { mesh, .. } => mesh.vertices().to_vec(),
    }
}

/// One free body with one shape, off its centre.
fn lump(shape: &Shape, body_from_shape: Transform) -> Creature {
    let mut spec = CreatureSpec::new("lump");
    let body = spec.add_body(0, BodySpec::new("lump")).unwrap();
    spec.bodies[body].joints.push(JointSpec::free("root"));
    spec.bodies[body].shapes.push(ShapeSpec { body_from_shape, ..ShapeSpec::new(shape.clone()) });
    spec.build().unwrap()
}

fn frames_at(creature: &Creature, q: &[f64]) -> Vec<BodyFrame> {
    forward_kinematics(creature, &mut Data::new(creature), q).to_vec()
}

/// The pose of a free body.
fn at(position: Vec3, turn: Quat) -> Vec<f64> {
    let [x, y, z, w] = turn.coords.into();
    vec![position.x, position.y, position.z, w, x, y, z]
}

fn find(collider: &Collider, frames: &[BodyFrame], terrain: &Terrain, reach: f64) -> Vec<Contact> {
    let mut found = Vec::new();
    collider.find(frames, terrain, &vec![reach; frames.len()], &mut found);
    found
}

fn deepest(contacts: &[Contact]) -> Option<&Contact> {
    contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap))
}

/// Points of a shape in the world.
fn in_world<'a>(
    frame: &'a BodyFrame,
    body_from_shape: &'a Transform,
    points: &'a [Vec3],
) -> impl Iterator<Item = Vec3> + 'a {
    points.iter().map(move |p| frame.point_in_world((body_from_shape * Point3::from(*p)).coords))
}

#[test]
fn every_shape_on_a_plane_is_as_deep_as_its_lowest_sample() {
    let mut random = Random::new(1);
    for shape in shapes() {
        let samples = surface(&shape);
        for trial in 0..60 {
            let body_from_shape = Transform::from_parts(random.vector(0.1).into(), random.rotation());
            let creature = lump(&shape, body_from_shape);
            let collider = Collider::new(&creature, false);
            let terrain = if trial % 2 == 0 { Terrain::Flat } else { Terrain::Slope(random.symmetric()) };
            let normal = terrain.normal(0.0, 0.0);
            let position =
                Vec3::new(random.symmetric(), random.symmetric(), 0.0) + normal * (0.4 * random.symmetric());
            let frames = frames_at(&creature, &at(position, random.rotation()));
            let lowest = in_world(&frames[1], &body_from_shape, &samples)
                .map(|p| normal.dot(&p))
                .fold(f64::INFINITY, f64::min);

            let contacts = find(&collider, &frames, &terrain, 10.0);
            let deepest = deepest(&contacts).unwrap();
            let error = lowest - deepest.gap;
            assert!(error > -1e-12 && error < SAMPLING, "{shape:?}: {} for {lowest}", deepest.gap);
            for contact in &contacts {
                assert_eq!(contact.bodies, [1, 0]);
                assert!((contact.normal - normal).norm() < 1e-12);
                // On the surface of the body, as far from the ground as it says.
                assert!((normal.dot(&contact.point) - contact.gap).abs() < 1e-12);
            }
            // Found just before the reach and not just after.
            assert!(find(&collider, &frames, &terrain, deepest.gap).is_empty());
            let within = find(&collider, &frames, &terrain, deepest.gap + 1e-9);
            assert!(!within.is_empty() && within.iter().all(|contact| contact.gap < deepest.gap + 1e-9));
        }
    }
}

/// Samples of the body within `reach` of the ground: none of them is farther from all contacts, to the side, than what
/// the shape spans there.
#[test]
fn standing_shapes_rest_on_what_carries_them() {
    let count = |shape: Shape, turn: Quat, height: f64| {
        let creature = lump(&shape, Transform::identity());
        let frames = frames_at(&creature, &at(Vec3::new(0.0, 0.0, height), turn));
        let contacts = find(&Collider::new(&creature, false), &frames, &Terrain::Flat, 1e-3);
        for contact in &contacts {
            assert!(contact.gap.abs() < 1e-3);
        }
        // Around the centre of mass: it cannot tip, or only to the side it rolls to.
        let spread = |f: fn(&Vec3) -> f64| {
            let values = contacts.iter().map(|contact| f(&contact.point));
            (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
        };
        (contacts.len(), spread(|p| p.x), spread(|p| p.y))
    };
    let upright = Quat::identity();
    let tilted = Quat::from_scaled_axis(Vec3::new(3e-4, -2e-4, 0.3));
    let lying = Quat::from_scaled_axis(Vec3::y() * FRAC_PI_2);
    let can = || Shape::Cylinder { radius: 0.15, half_length: 0.1 };
    for turn in [upright, tilted] {
        let (points, x, y) = count(can(), turn, 0.1);
        assert!((4..=6).contains(&points), "{points}");
        assert!(x.0 < -0.1 && x.1 > 0.1 && y.0 < -0.1 && y.1 > 0.1);
    }
    let (points, x, _) = count(can(), lying, 0.15);
    assert_eq!(points, 2);
    assert!((x.0 + 0.1).abs() < 1e-12 && (x.1 - 0.1).abs() < 1e-12);

    let (points, x, y) = count(Shape::Box { half: Vec3::new(0.1, 0.05, 0.02) }, upright, 0.02);
    assert_eq!((points, x, y), (4, (-0.1, 0.1), (-0.05, 0.05)));
    let (points, x, _) = count(Shape::Capsule { radius: 0.1, half_length: 0.2 }, lying, 0.1);
    assert_eq!(points, 2);
    assert!((x.0 + 0.2).abs() < 1e-12 && (x.1 - 0.2).abs() < 1e-12);

    // A foot: a sole of 40 points, and a smaller ankle above. Level, and tilted within the reach.
    let sole = |z: f64, scale: f64| {
        (0..40).map(move |k| {
            let a = TAU * f64::from(k) / 40.0;
            Vec3::new(0.12 * math::cos(a), 0.05 * math::sin(a), 0.0) * scale + Vec3::z() * z
        })
    };
    let foot = mesh(&sole(-0.03, 1.0).chain(sole(0.03, 0.5)).collect::<Vec<_>>());
    for turn in [upright, tilted] {
        let (points, x, y) = count(foot.clone(), turn, 0.03);
        assert!((4..=6).contains(&points), "{points}");
        assert!(x.0 < -0.09 && x.1 > 0.09 && y.0 < -0.035 && y.1 > 0.035, "{x:?} {y:?}");
    }
    // A brick as a mesh has its four corners, however it is turned about the vertical.
    let corners: Vec<Vec3> = (0..8)
        .map(|k| Vec3::new([-0.1, 0.1][k & 1], [-0.05, 0.05][k >> 1 & 1], [-0.02, 0.02][k >> 2]))
        .collect();
    for k in 0..50 {
        let turn = Quat::from_scaled_axis(Vec3::z() * (0.1 * f64::from(k)));
        assert_eq!(count(mesh(&corners), turn, 0.02).0, 4);
    }
}

#[test]
fn keys_stay_while_nothing_much_moves() {
    let mut random = Random::new(5);
    for shape in shapes() {
        let creature = lump(&shape, Transform::identity());
        let collider = Collider::new(&creature, false);
        for _ in 0..20 {
            let mut position = Vec3::new(0.0, 0.0, 0.1);
            let mut turn = random.rotation();
            let gap = |p: Vec3, turn: Quat| {
                let frames = frames_at(&creature, &at(p, turn));
                deepest(&find(&collider, &frames, &Terrain::Flat, 10.0)).unwrap().gap
            };
            position.z -= gap(position, turn);
            let mut last: Option<u64> = None;
            // Less than a micrometre a step.
            let spin = random.vector(1e-6);
            let mut changes = 0;
            for _ in 0..50 {
                turn = Quat::from_scaled_axis(spin) * turn;
                let contacts =
                    find(&collider, &frames_at(&creature, &at(position, turn)), &Terrain::Flat, 1e-3);
                let mut keys: Vec<u64> = contacts.iter().map(|contact| contact.key).collect();
                let key = deepest(&contacts).unwrap().key;
                changes += usize::from(last.is_some_and(|last| last != key));
                last = Some(key);
                keys.sort_unstable();
                keys.dedup();
                assert_eq!(keys.len(), contacts.len(), "no key twice");
            }
            assert!(changes <= 1, "{shape:?}: {changes}");
        }
    }
}

fn hills() -> HeightField {
    let mut random = Random::new(9);
    let heights = (0..40 * 30).map(|_| 0.03 * random.symmetric()).collect();
    HeightField::new([-2.0, -1.5], 0.1, 40, heights).unwrap()
}

/// Distance from a point to the ground, with the sign of its height over it, by search over a grid that shrinks.
fn distance_to(field: &HeightField, center: Vec3) -> f64 {
    let distance = |x: f64, y: f64| (Vec3::new(x, y, field.height(x, y)) - center).norm();
    let (mut x, mut y, mut half) = (center.x, center.y, 0.4);
    while half > 1e-6 {
        let steps = (-20..=20).flat_map(|i| (-20..=20).map(move |j| (f64::from(i), f64::from(j))));
        let (i, j) = steps
            .min_by(|a, b| {
                let at = |s: &(f64, f64)| distance(x + s.0 * half / 20.0, y + s.1 * half / 20.0);
                at(a).total_cmp(&at(b))
            })
            .unwrap();
        (x, y, half) = (x + i * half / 20.0, y + j * half / 20.0, half * 0.2);
    }
    distance(x, y).copysign(center.z - field.height(center.x, center.y))
}

#[test]
fn a_ball_on_a_height_field_is_as_near_as_its_nearest_point() {
    let terrain = Terrain::Field(hills());
    let Terrain::Field(field) = &terrain else { unreachable!() };
    let mut random = Random::new(2);
    for radius in [0.02, 0.05, 0.1] {
        let creature = lump(&Shape::Sphere { radius }, Transform::identity());
        let collider = Collider::new(&creature, false);
        for _ in 0..200 {
            let (x, y) = (1.5 * random.symmetric(), random.symmetric());
            let center = Vec3::new(x, y, field.height(x, y) + radius + 0.01 * random.symmetric());
            let gap = distance_to(field, center) - radius;
            let contacts =
                find(&collider, &frames_at(&creature, &at(center, random.rotation())), &terrain, 1.0);
            assert_eq!(contacts.len(), 1);
            let Contact { normal, point, .. } = contacts[0];
            // A nearest point over there may be nearer still where a ball bridges a valley: then this one is second.
            let error = contacts[0].gap - gap;
            assert!(error > -1e-9 && error < 0.02 * radius, "{error} at {center:?}, radius {radius}");
            assert!((normal.norm() - 1.0).abs() < 1e-12 && normal.z > 0.0);
            assert!((center - point - normal * radius).norm() < 1e-12);
        }
    }
}

#[test]
fn every_shape_on_a_gentle_height_field() {
    // Slopes up to a tenth: vertical distance and distance differ little, and a closed form for a plane will do.
    let heights = (0..60 * 60).map(|k| {
        let (x, y) = (f64::from(k % 60) * 0.1 - 3.0, f64::from(k / 60) * 0.1 - 3.0);
        0.05 * math::sin(2.0 * x) * math::cos(1.5 * y)
    });
    let field = HeightField::new([-3.0, -3.0], 0.1, 60, heights.collect()).unwrap();
    let terrain = Terrain::Field(field.clone());
    let mut random = Random::new(8);
    for shape in shapes() {
        let samples = surface(&shape);
        let creature = lump(&shape, Transform::identity());
        let collider = Collider::new(&creature, false);
        for _ in 0..60 {
            let place = Vec3::new(2.0 * random.symmetric(), 2.0 * random.symmetric(), 0.2 * random.unit());
            let frames = frames_at(&creature, &at(place, random.rotation()));
            // Lowest sample by its distance along the normal there.
            let lowest = in_world(&frames[1], &Transform::identity(), &samples)
                .map(|p| {
                    let (height, normal) = field.height_and_normal(p.x, p.y);
                    (p.z - height) * normal.z
                })
                .fold(f64::INFINITY, f64::min);
            let contacts = find(&collider, &frames, &terrain, 1.0);
            // The ground curves by 0.2/m: over half a hull of 0.2 m by 2 mm, where the lowest corner may be another.
            let error = deepest(&contacts).unwrap().gap - lowest;
            assert!(error.abs() < 2e-3, "{shape:?}: {error}");
            // Nothing is missed for its bounds: shapes out of reach of the highest hill are the only ones skipped.
            assert_eq!(find(&collider, &frames, &terrain, lowest - 5e-3).len(), 0);
            assert!(!find(&collider, &frames, &terrain, lowest + 5e-3).is_empty());
        }
    }
}

/// A rod across a ridge touches between its ends: as near as the nearest of many balls along it.
#[test]
fn what_lies_across_a_ridge_touches_it() {
    let heights =
        (0..60 * 60).map(|k| 0.08 * math::exp(-math::square(f64::from(k % 60) * 0.05 - 1.5) / 0.02));
    let field = HeightField::new([-1.5, -1.5], 0.05, 60, heights.collect()).unwrap();
    let terrain = Terrain::Field(field.clone());
    let lying = Quat::from_scaled_axis(Vec3::y() * FRAC_PI_2);
    let half_length = 0.3;
    let rods = [
        (Shape::Capsule { radius: 0.03, half_length }, 0.03),
        (Shape::Box { half: Vec3::new(0.03, 0.03, half_length) }, 0.03),
        (Shape::Cylinder { radius: 0.03, half_length }, 0.03),
    ];
    for (shape, radius) in rods {
        let creature = lump(&shape, Transform::identity());
        let collider = Collider::new(&creature, false);
        for (shift, slant) in [(0.0, 0.0), (0.1, 0.05), (-0.13, -0.1)] {
            let turn = Quat::from_scaled_axis(Vec3::y() * slant) * lying;
            let middle = Vec3::new(shift, 0.2, 0.115);
            let frames = frames_at(&creature, &at(middle, turn));
            let contacts = find(&collider, &frames, &terrain, 0.05);
            let found = deepest(&contacts).unwrap();
            let along = turn * Vec3::z();
            let nearest = (-30..=30)
                .map(|k| distance_to(&field, middle + along * (f64::from(k) * 1e-2)) - radius)
                .fold(f64::INFINITY, f64::min);
            // A capsule to the error of the parabola. Of the others an edge touches, whose distance is taken down to
            // the ground below it: on a slope of 0.1 that is within a hundredth of the radius.
            let error = found.gap - nearest;
            assert!(error.abs() < 3e-4, "{shape:?}: {} for {nearest}", found.gap);
            assert!(found.point.x.abs() < 0.05, "on the ridge");
        }
    }
}

#[test]
fn scenery_and_decoration_do_not_touch() {
    let ball = || ShapeSpec::new(Shape::Sphere { radius: 0.1 });
    let mut spec = CreatureSpec::new("stage");
    spec.bodies[0].shapes.push(ball());
    let fixed = spec.add_body(0, BodySpec::new("fixed")).unwrap();
    spec.bodies[fixed].shapes.push(ball());
    let moving = spec.add_body(fixed, BodySpec::new("moving")).unwrap();
    spec.bodies[moving].joints.push(JointSpec::hinge("hinge", Vec3::y()));
    spec.bodies[moving].shapes.push(ball());
    spec.bodies[moving].shapes.push(ShapeSpec { collides: false, ..ball() });
    let tool = spec.add_body(moving, BodySpec::new("tool")).unwrap();
    spec.bodies[tool].shapes.push(ball());
    let creature = spec.build().unwrap();
    let frames = frames_at(&creature, creature.reference_pose());
    let contacts = find(&Collider::new(&creature, true), &frames, &Terrain::Flat, 0.0);
    let bodies: Vec<_> = contacts.iter().map(|contact| contact.bodies).collect();
    assert_eq!(bodies, [[moving, 0], [tool, 0]]);
    // Each body has its own reach.
    let mut found = Vec::new();
    Collider::new(&creature, false).find(&frames, &Terrain::Flat, &[0.0, 0.0, -0.2, 0.0], &mut found);
    assert_eq!(found.len(), 1);
}

/// Two bodies that are free of each other, one shape each.
fn two(a: &Shape, b: &Shape) -> Creature {
    let mut spec = CreatureSpec::new("two");
    for (shape, name) in [(a, "a"), (b, "b")] {
        let body = spec.add_body(0, BodySpec::new(name)).unwrap();
        // Far apart in the reference pose, so that they count as two things.
        spec.bodies[body].parent_from_body = Transform::translation(10.0 * body as f64, 0.0, 0.0);
        spec.bodies[body].joints.push(JointSpec::free(name));
        spec.bodies[body].shapes.push(ShapeSpec::new(shape.clone()));
    }
    spec.build().unwrap()
}

/// How far two convex shapes are apart along n, out of b into a: positive for some n if and only if they are separate,
/// and then the largest is the distance; if they overlap, the largest is minus the shortest way out.
fn gap_along(shapes: [&Shape; 2], frames: &[BodyFrame], n: Vec3) -> f64 {
    let support = |k: usize, direction: Vec3| {
        let frame = &frames[k + 1];
        frame.point_in_world(shapes[k].support(frame.rotation.tr_mul(&direction))).dot(&n)
    };
    support(0, -n) - support(1, n)
}

/// The largest of them, by trying directions all around and then ever closer to the best few.
fn gap_by_search(shapes: [&Shape; 2], frames: &[BodyFrame]) -> f64 {
    let gap = |n: Vec3| gap_along(shapes, frames, n);
    let mut tried: Vec<(f64, Vec3)> =
        surface(&Shape::Sphere { radius: 1.0 }).into_iter().step_by(7).map(|n| (gap(n), n)).collect();
    tried.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut random = Random::new(4);
    let refine = |(mut best, mut n): (f64, Vec3)| {
        let mut size = 0.1;
        while size > 1e-7 {
            let mut better = false;
            for _ in 0..12 {
                let next = (n + random.vector(size)).normalize();
                let its = gap(next);
                if its > best {
                    (best, n, better) = (its, next, true);
                }
            }
            if !better {
                size *= 0.5;
            }
        }
        best
    };
    tried.into_iter().take(8).map(refine).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn every_pair_of_shapes_is_as_far_apart_as_the_best_direction_says() {
    let mut random = Random::new(6);
    let mut shapes = shapes();
    shapes.pop(); // the search over the corners of the big one takes too long; see the next test
    for a in &shapes {
        for b in &shapes {
            let creature = two(a, b);
            let collider = Collider::new(&creature, true);
            for _ in 0..6 {
                let (turns, way) = ([random.rotation(), random.rotation()], random.vector(1.0).normalize());
                let pose = |distance: f64| {
                    let high = Vec3::new(3.0, -2.0, 5.0);
                    [at(high, turns[0]), at(high - way * distance, turns[1])].concat()
                };
                // Along the way, half overlapping by up to 4 cm.
                let gap_at = |distance: f64| gap_along([a, b], &frames_at(&creature, &pose(distance)), way);
                let touching = -gap_at(0.0);
                let frames = frames_at(&creature, &pose(touching + 0.04 * random.symmetric()));
                let expected = gap_by_search([a, b], &frames);

                let contacts = find(&collider, &frames, &Terrain::Flat, 0.1);
                let found = deepest(&contacts).unwrap();
                // No direction does better, and the one reported does as well as it says: it is the best. GJK and
                // EPA stall within micrometres where two smooth surfaces meet.
                assert!(found.gap > expected - 1e-7, "{a:?} {b:?}: {} for {expected}", found.gap);
                let Contact { point, normal, gap, .. } = *found;
                assert!((normal.norm() - 1.0).abs() < 1e-9);
                let along = gap_along([a, b], &frames, normal);
                assert!((along - gap).abs() < 1e-5, "{a:?} {b:?}: {gap} along the normal {along}");
                // The point is where the first body ends.
                let end = frames[1].point_in_world(a.support(frames[1].rotation.tr_mul(&-normal)));
                assert!((end - point).dot(&normal).abs() < 1e-5, "{a:?} {b:?}");
                assert!(contacts.iter().all(|contact| contact.bodies == [1, 2]));
                // Each body's reach is half of what is asked for.
                let within = |gap: f64| find(&collider, &frames, &Terrain::Flat, 0.5 * gap);
                assert!(within(found.gap - 1e-6).is_empty() && !within(found.gap + 1e-6).is_empty());
            }
        }
    }
}

#[test]
fn parallel_capsules_touch_at_both_ends_of_what_they_share() {
    let rod = |half_length: f64| Shape::Capsule { radius: 0.05, half_length };
    let creature = two(&rod(0.3), &rod(0.2));
    let collider = Collider::new(&creature, true);
    let lying = Quat::from_scaled_axis(Vec3::y() * FRAC_PI_2);
    let contacts_at = |a: Vec3, b: Vec3, turn: Quat| {
        let q = [at(a, lying), at(b, turn * lying)].concat();
        find(&collider, &frames_at(&creature, &q), &Terrain::Flat, 0.01)
    };
    // One on the other, shifted by a bit: from −0.1 to 0.3.
    let (low, high) = (Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.1, 0.0, 1.1));
    let contacts = contacts_at(low, high, Quat::identity());
    let mut ends: Vec<f64> = contacts.iter().map(|contact| contact.point.x).collect();
    ends.sort_by(f64::total_cmp);
    assert_eq!(ends.len(), 2);
    assert!((ends[0] + 0.1).abs() < 1e-12 && (ends[1] - 0.3).abs() < 1e-12);
    for contact in &contacts {
        assert!(contact.gap.abs() < 1e-12 && (contact.normal + Vec3::z()).norm() < 1e-12);
        assert!((contact.point.z - 1.05).abs() < 1e-12);
    }
    // Crossed, and across each other at no distance at all: out the short way, whichever that is.
    let across = Quat::from_scaled_axis(Vec3::z() * FRAC_PI_2);
    let crossed = contacts_at(low, high - Vec3::x() * 0.1, across);
    assert_eq!(crossed.len(), 1);
    assert!(crossed[0].gap.abs() < 1e-12 && (crossed[0].point - Vec3::new(0.0, 0.0, 1.05)).norm() < 1e-12);
    let within = contacts_at(low, low, across);
    assert!((within[0].gap + 0.1).abs() < 1e-12 && (within[0].normal.z.abs() - 1.0).abs() < 1e-12);
    // End to end they share nothing.
    assert_eq!(contacts_at(low, Vec3::new(0.6, 0.0, 1.0), Quat::identity()).len(), 1);
}

/// A chain of three balls: neighbours overlap, ends may touch, and a fourth starts inside the first.
#[test]
fn neighbours_and_what_overlaps_at_rest_are_left_alone() {
    let ball = |x: f64| ShapeSpec {
        body_from_shape: Transform::translation(x, 0.0, 0.0),
        ..ShapeSpec::new(Shape::Sphere { radius: 0.06 })
    };
    let mut spec = CreatureSpec::new("chain");
    for link in 0..4 {
        let body = spec.add_body(link, BodySpec::new(format!("link.{link}"))).unwrap();
        let joint =
            if link == 0 { JointSpec::free("root") } else { JointSpec::hinge(format!("j{link}"), Vec3::y()) };
        spec.bodies[body].joints.push(joint);
        spec.bodies[body].parent_from_body =
            Transform::translation(0.1, 0.0, if link == 0 { 1.0 } else { 0.0 });
        spec.bodies[body].shapes.push(ball(0.05));
    }
    spec.bodies[4].shapes.push(ball(-0.25)); // on the first
    let creature = spec.build().unwrap();
    let collider = Collider::new(&creature, true);
    let mut q = creature.reference_pose().to_vec();
    assert!(find(&collider, &frames_at(&creature, &q), &Terrain::Flat, 0.0).is_empty());
    // Folded to a triangle the first and the third touch, and the fourth comes back to the first.
    (q[7], q[8]) = (2.0, 2.2);
    let contacts = find(&collider, &frames_at(&creature, &q), &Terrain::Flat, 0.0);
    assert!(contacts.iter().any(|contact| contact.bodies == [1, 3]));
    assert!(contacts.iter().all(|contact| contact.bodies != [1, 2] && contact.bodies != [2, 3]));
    assert!(
        find(&Collider::new(&creature, false), &frames_at(&creature, &q), &Terrain::Flat, 0.0).is_empty()
    );
}

/// Whatever a diverging simulation asks, the answer is no contact or a finite one, never a panic.
#[test]
fn absurd_places_are_survived() {
    let mut random = Random::new(12);
    let shapes = shapes();
    let grounds = [Terrain::Flat, Terrain::Slope(0.3), Terrain::Field(hills())];
    for a in &shapes {
        for b in &shapes {
            let creature = two(a, b);
            let collider = Collider::new(&creature, true);
            for trial in 0..40 {
                // Coincident, aligned and slightly off: what makes simplices flat.
                let nudge = [0.0, 1e-15, 1e-9, 1e-3, 0.1][trial % 5];
                let turn = if trial % 2 == 0 { Quat::identity() } else { random.rotation() };
                let off = Quat::from_scaled_axis(random.vector(nudge));
                let q = [at(Vec3::z(), turn), at(Vec3::z() + random.vector(nudge), off * turn)].concat();
                let mut frames = frames_at(&creature, &q);
                match trial {
                    35 => frames[1].position.x = f64::NAN,
                    36 => frames[1].rotation.m22 = f64::NAN,
                    37 => frames[1].position.z = f64::NEG_INFINITY,
                    38 => frames[1].rotation.fill(0.0),
                    39 => frames[2].position.y = 1e300,
                    _ => (),
                }
                for ground in &grounds {
                    for contact in find(&collider, &frames, ground, 0.01) {
                        assert!(contact.normal.norm() < 1.0 + 1e-9 && !contact.gap.is_nan(), "{contact:?}");
                        assert!(trial > 34 || contact.point.iter().all(|x| x.is_finite()));
                    }
                }
            }
        }
    }
}

/// One collider is shared by all rollouts: every thread gets the same bits in the same order, whatever it asked before.
#[test]
fn threads_share_a_collider() {
    let creature = gambol_model::samples::star(7, 5);
    let collider = Collider::new(&creature, true);
    let frames: Vec<Vec<BodyFrame>> = (0..20)
        .map(|seed| {
            let mut q = Random::new(seed).pose(&creature, 1.0);
            q[2] = 0.1;
            frames_at(&creature, &q)
        })
        .collect();
    let terrain = Terrain::Field(hills());
    let ask = |order: &mut dyn Iterator<Item = usize>| {
        let mut answers = vec![String::new(); frames.len()];
        let mut found = Vec::new();
        for k in order {
            collider.find(&frames[k], &terrain, &vec![0.01; creature.bodies().len()], &mut found);
            answers[k] = format!("{found:?}");
        }
        answers
    };
    let forward = ask(&mut (0..20));
    assert!(forward.iter().all(|answer| answer.contains("Contact")), "nothing to compare");
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| ask(&mut (0..20).rev()))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), forward);
        }
    });
}

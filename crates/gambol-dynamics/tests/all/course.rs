//! Ground with sharp edges. Distances against Dykstra's projection onto the planes of a block, which knows no closed form; contacts of
//! every shape against dense samples of its surface; and what is made of edges: a box stands as long as its middle is over the
//! step, on a pillar smaller than itself, a bar bridges a gap, a seam between two blocks is not felt, friction is that of the patch.

use std::sync::Arc;

use crate::support::stepping::{Run, single};
use gambol_dynamics::{
    Base, Block, BodyFrame, Collider, Contact, Course, CourseSpec, Data, Patch, StepSettings, Terrain,
    TerrainError, forward_kinematics,
};
use gambol_model::samples::Random;
use gambol_model::{Creature, JointSpec, MeshMass, Quat, Shape, TriMesh, Vec3, math};

fn block(center: [f64; 2], size: [f64; 2], top: f64) -> Block {
    Block { name: String::new(), center, size, heading: 0.0, top, slope: 0.0, friction: None }
}

fn course(base: Base, blocks: Vec<Block>) -> Course {
    Course::new(CourseSpec { base, blocks, patches: Vec::new() }).unwrap()
}

/// Far below: nothing touches it.
const DEEP: Base = Base::Level(-100.0);

/// The planes of a block, out of it: n·x ≤ d.
fn planes(block: &Block) -> [(Vec3, f64); 5] {
    let (sine, cosine) = math::sin_cos(block.heading);
    let (along, across) = (Vec3::new(cosine, sine, 0.0), Vec3::new(-sine, cosine, 0.0));
    let middle = Vec3::new(block.center[0], block.center[1], block.top);
    let up = (Vec3::z() - along * math::tan(block.slope)).normalize();
    let wall = |n: Vec3, half: f64| (n, n.dot(&middle) + half);
    let [l, w] = block.size.map(|side| side / 2.0);
    [(up, up.dot(&middle)), wall(along, l), wall(-along, l), wall(across, w), wall(-across, w)]
}

/// The signed distance to a block, by Dykstra's projections (1983).
fn distance(block: &Block, place: Vec3) -> f64 {
    let planes = planes(block);
    let deepest = planes.iter().map(|(n, d)| n.dot(&place) - d).fold(f64::NEG_INFINITY, f64::max);
    if deepest <= 0.0 {
        return deepest;
    }
    let (mut x, mut steps) = (place, [Vec3::zeros(); 5]);
    for _ in 0..300 {
        for ((n, d), step) in planes.iter().zip(&mut steps) {
            let from = x + *step;
            x = from - n * (n.dot(&from) - d).max(0.0);
            *step = from - x;
        }
    }
    (place - x).norm()
}

fn pebble(random: &mut Random) -> Shape {
    let points: Vec<Vec3> = (0..12).map(|_| random.vector(1.0).normalize() * 0.1).collect();
    Shape::Mesh { mesh: Arc::new(TriMesh::hull_of(&points).unwrap()), mass: MeshMass::ClosedOrHull }
}

fn shapes(random: &mut Random) -> Vec<Shape> {
    vec![
        Shape::Sphere { radius: 0.1 },
        Shape::Capsule { radius: 0.04, half_length: 0.1 },
        Shape::Box { half: Vec3::new(0.05, 0.08, 0.1) },
        Shape::Ellipsoid { radii: Vec3::new(0.05, 0.1, 0.08) },
        Shape::Cylinder { radius: 0.08, half_length: 0.05 },
        pebble(random),
    ]
}

/// How many samples along a side; a sample is within `SAMPLED` of every place of the surface.
const FINE: usize = 24;
/// Half the diagonal of the widest cell: 0.2 m, or 0.1 m · π, in so many parts.
const SAMPLED: f64 = 0.011;

/// A dense sample of the surface.
fn surface(shape: &Shape) -> Vec<Vec3> {
    let shares = || (0..=FINE).map(|k| k as f64 / FINE as f64);
    let grid = || shares().flat_map(|s| shares().map(move |t| (s, t)));
    let ball = || {
        grid().map(|(s, t)| {
            let (polar, turn) = (s * std::f64::consts::PI, t * std::f64::consts::TAU);
            Vec3::new(
                math::sin(polar) * math::cos(turn),
                math::sin(polar) * math::sin(turn),
                math::cos(polar),
            )
        })
    };
    let triangle = |a: Vec3, b: Vec3, c: Vec3| {
        grid().filter(|(s, t)| s + t <= 1.0 + 1e-9).map(move |(s, t)| a + (b - a) * s + (c - a) * t)
    };
    match shape {
        Shape::Sphere { radius } => ball().map(|p| p * *radius).collect(),
        Shape::Ellipsoid { radii } => ball().map(|p| p.component_mul(radii)).collect(),
        Shape::Capsule { radius, half_length } => {
            let shift = |z: f64| ball().map(move |p| p * *radius + Vec3::z() * z);
            shares().flat_map(|s| shift((2.0 * s - 1.0) * half_length)).collect()
        }
        Shape::Cylinder { radius, half_length } => {
            let rim = |(s, t): (f64, f64)| {
                let turn = t * std::f64::consts::TAU;
                (Vec3::new(math::cos(turn), math::sin(turn), 0.0) * *radius, 2.0 * s - 1.0)
            };
            let side = grid().map(rim).map(|(rim, z)| rim + Vec3::z() * (z * half_length));
            let ends = grid().map(rim).map(|(rim, z)| rim * z.abs() + Vec3::z() * half_length.copysign(z));
            side.chain(ends).collect()
        }
        Shape::Box { half } => (0..3)
            .flat_map(|axis| [-1.0, 1.0].map(|side| (axis, side)))
            .flat_map(|(axis, side)| {
                grid().map(move |(s, t)| {
                    let mut p = Vec3::repeat(side);
                    p[(axis + 1) % 3] = 2.0 * s - 1.0;
                    p[(axis + 2) % 3] = 2.0 * t - 1.0;
                    p.component_mul(half)
                })
            })
            .collect(),
        Shape::Mesh { mesh, .. } => mesh
            .faces()
            .iter()
            .flat_map(|corners| {
                let [a, b, c] = corners.map(|k| mesh.vertices()[k as usize]);
                triangle(a, b, c)
            })
            .collect(),
    }
}

fn free(shape: Shape) -> Creature {
    single(shape, vec![JointSpec::free("root")], Vec3::zeros())
}

fn at(position: Vec3, turn: Quat) -> Vec<f64> {
    let [x, y, z, w] = turn.coords.into();
    vec![position.x, position.y, position.z, w, x, y, z]
}

fn frames_at(creature: &Creature, q: &[f64]) -> Vec<BodyFrame> {
    forward_kinematics(creature, &mut Data::new(creature), q).to_vec()
}

fn find(creature: &Creature, q: &[f64], terrain: &Terrain, reach: f64) -> Vec<Contact> {
    let mut found = Vec::new();
    let frames = frames_at(creature, q);
    Collider::new(creature, false).find(&frames, terrain, &vec![reach; frames.len()], &mut found);
    found
}

fn deepest(contacts: &[Contact]) -> Option<&Contact> {
    contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap))
}

fn random_block(random: &mut Random) -> Block {
    let mut size = || 0.05 + 0.5 * random.unit();
    let size = [size(), size()];
    let center = [random.symmetric(), random.symmetric()];
    let slope = if random.below(2) == 0 { 0.0 } else { 0.6 * random.symmetric() };
    Block { heading: 3.0 * random.symmetric(), slope, ..block(center, size, random.symmetric()) }
}

/// m
const TINY: f64 = 1e-3;

/// Points, as balls of next to no size, everywhere around blocks and ramps.
#[test]
fn distances_are_those_of_projections() {
    let mut random = Random::new(1);
    let creature = free(Shape::Sphere { radius: TINY });
    for trial in 0..400 {
        let block = random_block(&mut random);
        let terrain = Terrain::Course(course(DEEP, vec![block.clone()]));
        let place = Vec3::new(block.center[0], block.center[1], block.top) + random.vector(0.4);
        let contacts = find(&creature, &at(place, Quat::identity()), &terrain, 5.0);
        let [contact] = contacts[..] else { panic!("{} contacts, {trial}", contacts.len()) };
        let expected = distance(&block, place);
        // Dykstra's projections approach slowly where planes are not at right angles.
        assert!((contact.gap + TINY - expected).abs() < 1e-6, "{trial}: {} for {expected}", contact.gap);
        // Back along the normal it is on the surface.
        let touched = place - contact.normal * (contact.gap + TINY);
        assert!(distance(&block, touched).abs() < 1e-6, "{trial}");
        assert!((contact.normal.norm() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn every_shape_is_as_near_as_its_nearest_sample() {
    let mut random = Random::new(2);
    let (mut apart, mut within) = (0, 0);
    for shape in shapes(&mut random) {
        let creature = free(shape.clone());
        let samples = surface(&shape);
        for trial in 0..60 {
            let block = random_block(&mut random);
            let terrain = Terrain::Course(course(DEEP, vec![block.clone()]));
            // Near an edge or a corner of the top.
            let (sine, cosine) = math::sin_cos(block.heading);
            let [u, v] = [0, 1].map(|k| (random.symmetric() * 1.4).clamp(-1.0, 1.0) * block.size[k] / 2.0);
            let rim = Vec3::new(
                block.center[0] + cosine * u - sine * v,
                block.center[1] + sine * u + cosine * v,
                block.top + math::tan(block.slope) * u,
            );
            let pose = at(rim + random.vector(0.15), random.rotation());
            let frame = frames_at(&creature, &pose)[1];
            let nearest = least_distance(&block, samples.iter().map(|p| frame.point_in_world(*p)));
            let contacts = find(&creature, &pose, &terrain, 1.0);
            let contact =
                deepest(&contacts).unwrap_or_else(|| panic!("{shape:?}, {trial}: nothing within reach"));
            if nearest > 0.005 {
                // Not farther than the nearest sample, but for what GJK leaves, and not nearer than the surface can be.
                let error = nearest - contact.gap;
                assert!(
                    error > -1e-5 && error < SAMPLED,
                    "{shape:?}, {trial}: {} for {nearest}",
                    contact.gap
                );
                for contact in contacts.iter().filter(|contact| contact.gap > 0.0) {
                    // Faces lie on corners of a block up to a tilt of 0.1 rad, of which the cosine is 0.995.
                    let error = distance(&block, contact.point) - contact.gap;
                    assert!(error.abs() < 1e-6 + 0.005 * contact.gap, "{shape:?}, {trial}: {error}");
                }
                apart += 1;
            } else if nearest < -1e-3 {
                assert!(contact.gap < 0.0, "{shape:?}, {trial}: {} in spite of {nearest}", contact.gap);
                // The way out of where it is deepest is a way out for all of it, if it is not deep.
                if contact.gap > -0.01 {
                    let mut moved = pose.clone();
                    (0..3).for_each(|k| moved[k] -= contact.normal[k] * contact.gap);
                    let frame = frames_at(&creature, &moved)[1];
                    let left = least_distance(&block, samples.iter().map(|p| frame.point_in_world(*p)));
                    assert!(
                        left > -2e-3,
                        "{shape:?}, {trial}: {left} left of {} by {:?}",
                        contact.gap,
                        contact.normal
                    );
                }
                within += 1;
            }
        }
    }
    assert!(apart > 100 && within > 80, "{apart} apart and {within} within");
}

/// The least distance of some places. Planes alone say that most of them are not the nearest.
fn least_distance(block: &Block, places: impl Iterator<Item = Vec3>) -> f64 {
    let planes = planes(block);
    places.fold(f64::INFINITY, |least, place| {
        let deepest = planes.iter().map(|(n, d)| n.dot(&place) - d).fold(f64::NEG_INFINITY, f64::max);
        if deepest <= 0.0 || deepest >= least {
            least.min(deepest)
        } else {
            least.min(distance_few(block, place))
        }
    })
}

/// Fewer projections: to a tenth of a millimetre.
fn distance_few(block: &Block, place: Vec3) -> f64 {
    let planes = planes(block);
    let (mut x, mut steps) = (place, [Vec3::zeros(); 5]);
    for _ in 0..12 {
        for ((n, d), step) in planes.iter().zip(&mut steps) {
            let from = x + *step;
            x = from - n * (n.dot(&from) - d).max(0.0);
            *step = from - x;
        }
    }
    (place - x).norm()
}

/// Four blocks that share edges and a corner are a plane.
#[test]
fn a_seam_is_not_felt() {
    let mut random = Random::new(3);
    let centers = [[-0.5, -0.3], [0.5, -0.3], [-0.5, 0.7], [0.5, 0.7]];
    let paved = Terrain::Course(course(DEEP, centers.map(|center| block(center, [1.0, 1.0], 0.0)).to_vec()));
    for shape in shapes(&mut random) {
        let creature = free(shape.clone());
        for trial in 0..40 {
            let place =
                Vec3::new(0.1 * random.symmetric(), 0.2 + 0.1 * random.symmetric(), 0.1 * random.symmetric());
            let pose = at(place, random.rotation());
            let [on_blocks, on_plane] =
                [&paved, &Terrain::Flat].map(|terrain| find(&creature, &pose, terrain, 1.0));
            let (Some(ours), Some(plane)) = (deepest(&on_blocks), deepest(&on_plane)) else {
                panic!("{shape:?}, {trial}: nothing within reach")
            };
            assert!(
                (ours.gap - plane.gap).abs() < 1e-6,
                "{shape:?}, {trial}: {} for {}",
                ours.gap,
                plane.gap
            );
            for contact in &on_blocks {
                assert!((contact.normal - Vec3::z()).norm() < 1e-6, "{shape:?}, {trial}: {contact:?}");
            }
        }
    }
}

fn on(terrain: Terrain, friction: f64, shape: Shape, position: Vec3) -> Run {
    let settings = StepSettings { step: 0.001, friction, ground: Some(terrain), ..StepSettings::default() };
    let mut run = Run::new(free(shape), settings);
    run.state.q.copy_from_slice(&at(position, Quat::identity()));
    run
}

/// How far a body has turned, rad.
fn turned(run: &Run) -> f64 {
    2.0 * math::acos(run.state.q[3].abs().min(1.0))
}

#[test]
fn a_box_stands_on_an_edge_as_long_as_its_middle_is_over_it() {
    let half = Vec3::new(0.1, 0.06, 0.02);
    for heading in [0.0, 0.7] {
        let step = Block { heading, ..block([0.0, 0.0], [1.0, 1.0], 0.3) };
        let (sine, cosine) = math::sin_cos(heading);
        let terrain = || Terrain::Course(course(Base::Level(0.0), vec![step.clone()]));
        for (inside, stands) in [(0.02, true), (0.005, true), (-0.005, false), (-0.02, false)] {
            let u = 0.5 - inside;
            let mut run =
                on(terrain(), 1.0, Shape::Box { half }, Vec3::new(cosine * u, sine * u, 0.3 + half.z));
            run.until(0.5);
            let turned = turned(&run);
            assert_eq!(
                turned < 1e-3,
                stands,
                "middle {inside} m inside, heading {heading}: turned by {turned}"
            );
        }
    }
}

/// A pillar under the face of a box: no corner or edge of the box is near.
#[test]
fn what_is_smaller_than_a_sole_bears_it() {
    for slope in [0.0, 0.2] {
        let pillar = Block { slope, ..block([0.3, -0.2], [0.05, 0.04], 0.4) };
        let terrain = Terrain::Course(course(Base::Level(0.0), vec![pillar]));
        let half = Vec3::new(0.1, 0.1, 0.02);
        let mut run = on(terrain, 1.0, Shape::Box { half }, Vec3::new(0.3, -0.2, 0.0));
        let turn = Quat::from_scaled_axis(-Vec3::y() * slope);
        let place = Vec3::new(0.3, -0.2, 0.4) + turn * Vec3::z() * half.z;
        run.state.q.copy_from_slice(&at(place, turn));
        run.until(0.5);
        let moved = (Vec3::new(run.state.q[0], run.state.q[1], run.state.q[2]) - place).norm();
        assert!(moved < 1e-3, "slope {slope}: it moved by {moved} m");
    }
}

#[test]
fn bars_bridge_a_gap_and_balls_fall_into_it() {
    let banks = vec![block([-0.6, 0.0], [1.0, 1.0], 0.0), block([0.6, 0.0], [1.0, 1.0], 0.0)];
    let terrain = || Terrain::Course(course(Base::Level(-0.5), banks.clone()));
    for shape in [
        Shape::Capsule { radius: 0.03, half_length: 0.25 },
        Shape::Cylinder { radius: 0.03, half_length: 0.25 },
        Shape::Box { half: Vec3::new(0.03, 0.03, 0.25) },
    ] {
        let mut run = on(terrain(), 1.0, shape.clone(), Vec3::zeros());
        let lying = Quat::from_scaled_axis(Vec3::y() * std::f64::consts::FRAC_PI_2);
        run.state.q.copy_from_slice(&at(Vec3::new(0.02, 0.0, 0.031), lying));
        run.until(0.5);
        assert!((run.state.q[2] - 0.03).abs() < 1e-3, "{shape:?} is at {}", run.state.q[2]);
    }
    let mut run = on(terrain(), 1.0, Shape::Sphere { radius: 0.05 }, Vec3::new(0.01, 0.0, 0.1));
    run.until(1.0);
    assert!((run.state.q[2] + 0.45).abs() < 1e-3, "the ball is at {}", run.state.q[2]);
    // One that is too large stays between the edges: 0.1 m from the middle each.
    let mut run = on(terrain(), 1.0, Shape::Sphere { radius: 0.125 }, Vec3::new(0.0, 0.0, 0.08));
    run.until(0.5);
    assert!((run.state.q[2] - 0.075).abs() < 1e-3, "the large ball is at {}", run.state.q[2]);
}

/// A ball that rolls over blocks beside each other goes as on a plane, and stops at a wall.
#[test]
fn a_ball_rolls_over_seams() {
    let stones = (0..6).map(|k| block([0.2 + 0.4 * f64::from(k), 0.0], [0.4, 1.0], 0.0)).collect();
    let run_on = |terrain: Terrain| {
        let mut run = on(terrain, 1.0, Shape::Sphere { radius: 0.05 }, Vec3::new(0.1, 0.0, 0.05));
        (run.state.v[0], run.state.v[4]) = (2.0, 40.0);
        run.until(1.0);
        (run.state.q[0], run.state.q[2], run.state.v[0])
    };
    let [paved, plane] = [Terrain::Course(course(DEEP, stones)), Terrain::Flat].map(run_on);
    assert!((paved.0 - plane.0).abs() < 1e-4 && (paved.1 - plane.1).abs() < 1e-6, "{paved:?} {plane:?}");
    assert!((paved.2 - 2.0).abs() < 1e-3, "{paved:?}");
    let wall = vec![block([0.6, 0.0], [0.2, 1.0], 0.3)];
    let (x, ..) = run_on(Terrain::Course(course(Base::Level(0.0), wall)));
    assert!(x < 0.45 + 1e-3, "the ball is in the wall at {x}");
}

#[test]
fn friction_is_that_of_the_place() {
    let ice = Patch { name: "ice".into(), center: [2.0, 0.0], size: [1.0, 4.0], heading: 0.0, friction: 0.1 };
    let mat = Block { friction: Some(0.8), ..block([0.0, 0.0], [1.0, 1.0], 0.1) };
    let spec = CourseSpec { base: Base::Level(0.0), blocks: vec![mat], patches: vec![ice] };
    let terrain = Terrain::Course(Course::new(spec).unwrap());
    assert_eq!(terrain.friction(0.2, 0.2), Some(0.8));
    assert_eq!(terrain.friction(2.2, 1.0), Some(0.1));
    assert_eq!(terrain.friction(1.2, 1.0), None);
    for (x, top, friction) in [(0.0, 0.1, 0.8), (2.0, 0.0, 0.1), (5.0, 0.0, 0.4)] {
        let half = Vec3::new(0.1, 0.1, 0.02);
        let mut run = on(terrain.clone(), 0.4, Shape::Box { half }, Vec3::new(x, 0.0, top + half.z));
        run.until(0.05);
        run.state.v[1] = 1.0;
        run.until(0.1);
        // v = v₀ − μ g t, within the solver's tolerance.
        let expected = 1.0 - friction * 9.81 * 0.05;
        assert!((run.state.v[1] - expected).abs() < 1e-3, "at {x}: {} for {expected}", run.state.v[1]);
    }
}

#[test]
fn heights_and_normals_are_those_of_what_is_on_top() {
    let ramp =
        Block { slope: 0.3, heading: std::f64::consts::FRAC_PI_2, ..block([2.0, 0.0], [1.0, 0.6], 0.5) };
    let course = course(Base::Slope(0.1), vec![block([0.0, 0.0], [1.0, 1.0], 0.4), ramp]);
    let terrain = Terrain::Course(course);
    assert_eq!((terrain.height(0.2, -0.3), terrain.normal(0.2, -0.3)), (0.4, Vec3::z()));
    let expected = 0.5 + 0.2 * math::tan(0.3);
    assert!((terrain.height(2.1, 0.2) - expected).abs() < 1e-12);
    assert!((terrain.normal(2.1, 0.2) - Vec3::new(0.0, -math::sin(0.3), math::cos(0.3))).norm() < 1e-12);
    let base = Terrain::Slope(0.1);
    assert_eq!(
        (terrain.height(1.0, 0.0), terrain.normal(1.0, 0.0)),
        (base.height(1.0, 0.0), base.normal(1.0, 0.0))
    );
    assert!(terrain.check().is_ok());
}

#[test]
fn what_is_no_course_is_refused_in_words() {
    let says = |spec: CourseSpec, words: &str| {
        let message = Course::new(spec).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    };
    let with = |blocks: Vec<Block>| CourseSpec { base: Base::Level(0.0), blocks, patches: Vec::new() };
    let sound = block([0.0, 0.0], [1.0, 1.0], 0.2);
    says(with(vec![Block { size: [-1.0, 1.0], ..sound.clone() }]), "block 1: a side of -1 m");
    says(with(vec![sound.clone(), Block { top: f64::NAN, ..sound.clone() }]), "block 2: a top at NaN m");
    says(with(vec![Block { center: [f64::INFINITY, 0.0], ..sound.clone() }]), "inf is no place");
    says(with(vec![Block { slope: 1.6, ..sound.clone() }]), "a slope of 1.6 rad");
    says(with(vec![Block { friction: Some(-0.1), ..sound.clone() }]), "a friction of -0.1");
    let named = |name: &str, center| Block { name: name.into(), center, ..sound.clone() };
    says(with(vec![named("a", [0.0, 0.0]), named("b", [0.9, 0.9])]), "block 2 \"b\": it overlaps \"a\"");
    let turned = Block { heading: std::f64::consts::FRAC_PI_4, ..named("b", [1.15, 0.0]) };
    says(with(vec![named("a", [0.0, 0.0]), turned.clone()]), "overlaps");
    assert!(Course::new(with(vec![sound.clone(), Block { center: [1.21, 0.0], ..turned }])).is_ok());
    assert!(
        Course::new(with(vec![sound.clone(), named("beside", [1.0, 0.5])])).is_ok(),
        "they share an edge"
    );
    says(CourseSpec { base: Base::Level(f64::NAN), ..with(Vec::new()) }, "base");
    let patch =
        Patch { name: String::new(), center: [0.0; 2], size: [1.0, 0.0], heading: 0.0, friction: 0.5 };
    says(CourseSpec { patches: vec![patch], ..with(Vec::new()) }, "patch 1: a side of 0 m");
    let error: TerrainError = Course::new(with(vec![Block { heading: f64::NAN, ..sound }])).unwrap_err();
    assert!(matches!(error, TerrainError::Block { index: 0, .. }));
}

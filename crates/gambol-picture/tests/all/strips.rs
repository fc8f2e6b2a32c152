//! A strip shows what a clip says: the ground belongs to the world, so that a standing foot keeps its place on it; the
//! camera takes away the mean travel and nothing else; left and right can be told apart. All is read off the picture,
//! in pixels, and compared with the clip, in metres.

use std::f64::consts::TAU;

use crate::fake::{Fake, TROT};
use gambol_model::math;
use gambol_model::samples::{TreeKind, chain, random_tree};
use gambol_model::{BodySpec, Creature, CreatureSpec, JointSpec, LandmarkOverride, Shape, ShapeSpec, Vec3};
use gambol_motion::{Clip, ClipError, Contact, Stride};
use gambol_picture::{
    ClipOptions, Colour, Drawing, ForceCurves, Item, Look, Paint, Picture, PictureError, Placement, Point,
    Stroke, View, clip_strip,
};

/// Of a near foot that stands, and of the ground.
const NEAR: Colour = Colour::hex(0x2a_2d_33);
const GROUND: Colour = Colour::hex(0x8c_8f_94);
const TRUNK: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// A ball that flies, and a box on the ground: two bodies that nothing joins.
fn ball_and_foot() -> Creature {
    let mut spec = CreatureSpec::new("ball");
    for (name, shape, rgba) in [
        ("ball", Shape::Sphere { radius: 0.1 }, TRUNK),
        ("foot", Shape::Box { half: Vec3::new(0.05, 0.03, 0.02) }, [0.0, 0.0, 1.0, 1.0]),
    ] {
        let mut body = BodySpec::new(name);
        body.joints.push(JointSpec::free(name));
        let mut shape = ShapeSpec::new(shape);
        shape.rgba = rgba;
        body.shapes.push(shape);
        spec.add_body(0, body).unwrap();
    }
    spec.build().unwrap()
}

const SPEED: f64 = 0.8;
const BOB: f64 = 0.07;
const SURGE: f64 = 0.05;
const FOOT: f64 = 0.37;

/// Over a slope of `slope` the ball flies at `SPEED`, bobs and surges; the foot stands at x = `FOOT`.
fn clip_over(creature: &Creature, slope: f64) -> Clip {
    const KEYS: u32 = 48;
    let times: Vec<f64> = (0..=KEYS).map(|key| f64::from(key) / f64::from(KEYS)).collect();
    let pose = |time: f64| {
        let mut pose = creature.reference_pose().to_vec();
        let along = SPEED * time + SURGE * math::sin(TAU * time);
        let ball = [along, 0.0, slope * SPEED * time + 0.5 + BOB * math::sin(2.0 * TAU * time)];
        pose[..3].copy_from_slice(&ball);
        pose[7..10].copy_from_slice(&[FOOT, 0.0, slope * FOOT + 0.02]);
        pose
    };
    Clip {
        name: "flight".into(),
        poses: times.iter().map(|time| pose(*time)).collect(),
        times,
        stride: Some(Stride { yaw: 0.0, shift: Vec3::new(SPEED, 0.0, slope * SPEED) }),
        contacts: vec![Contact {
            name: "foot".into(),
            body: 2,
            point: Vec3::new(0.0, 0.0, -0.02),
            intervals: vec![[0.0, 1.0]],
        }],
        travel: None,
    }
}

fn side() -> ClipOptions<'static> {
    ClipOptions { view: Some(View::side()), ..ClipOptions::default() }
}

/// Lines of the ground from left to right, one for each frame.
fn grounds(picture: &Picture) -> Vec<Vec<Point>> {
    let lines = picture.items.iter().filter_map(|item| match item {
        Item::Polyline { points, stroke } if stroke.colour == GROUND => Some(points.clone()),
        _ => None,
    });
    lines.collect()
}

/// Middles of all areas of a colour.
fn middles(picture: &Picture, colour: Colour) -> Vec<Point> {
    let areas = picture.items.iter().filter_map(|item| match item {
        Item::Polygon { points, fill, .. } if *fill == colour => {
            let range = |axis: usize| {
                let values = points.iter().map(|point| point[axis]);
                0.5 * (values.clone().fold(f64::MAX, f64::min) + values.fold(f64::MIN, f64::max))
            };
            Some([range(0), range(1)])
        }
        _ => None,
    });
    areas.collect()
}

fn within(line: &[Point], x: f64) -> bool {
    (line[0][0]..=line[line.len() - 1][0]).contains(&x)
}

/// Numbers on the ruler of one frame: what they say, m, and where they are, px.
fn numbers(picture: &Picture, ground: &[Point]) -> Vec<(f64, f64)> {
    let lowest = ground.iter().map(|point| point[1]).fold(f64::MIN, f64::max);
    let numbers = picture.items.iter().filter_map(|item| match item {
        Item::Text { text, at, .. } if within(ground, at[0]) && at[1] < lowest + 20.0 => {
            text.parse().ok().map(|number: f64| (number, at[0]))
        }
        _ => None,
    });
    numbers.collect()
}

/// Pixels per metre, from the numbers of all rulers.
fn scale(picture: &Picture) -> f64 {
    let rulers = grounds(picture).into_iter().map(|ground| numbers(picture, &ground));
    let pairs = rulers.filter_map(|ruler| match ruler[..] {
        [(a, at_a), (b, at_b), ..] => Some((at_b - at_a) / (b - a)),
        _ => None,
    });
    pairs.reduce(f64::max).expect("a frame with two numbers")
}

#[test]
fn a_standing_foot_keeps_its_place_on_the_ruler() {
    let creature = ball_and_foot();
    let clip = clip_over(&creature, 0.0);
    let picture = clip_strip(&creature, &clip, &side()).unwrap();
    let scale = scale(&picture);
    let bars = middles(&picture, NEAR);
    let mut seen = 0;
    let mut across: Vec<f64> = Vec::new();
    for ground in grounds(&picture) {
        let bar = bars.iter().find(|bar| within(&ground, bar[0]) && (bar[1] - ground[0][1]).abs() < 8.0);
        let bar = bar.expect("the foot stands in all frames");
        across.push(bar[0] - ground[0][0]);
        for (number, at) in numbers(&picture, &ground) {
            let place = number + (bar[0] - at) / scale;
            // The scale is found to a few parts in a thousand million; all else is exact.
            assert!((place - FOOT).abs() < 1e-6, "{place}");
            seen += 1;
        }
    }
    assert!(seen >= 8, "{seen} numbers on the rulers");
    // And the ground passes: from frame to frame the foot falls back by an eighth of the stride.
    for pair in across.windows(2) {
        assert!((pair[0] - pair[1] - SPEED / 8.0 * scale).abs() < 1e-6);
    }
}

/// A camera on the centre of mass would show neither bob nor surge.
#[test]
fn the_camera_takes_away_the_mean_travel_and_nothing_else() {
    let creature = ball_and_foot();
    let clip = clip_over(&creature, 0.0);
    let picture = clip_strip(&creature, &clip, &side()).unwrap();
    let scale = scale(&picture);
    let balls = middles(&picture, Colour::from_unit(TRUNK.map(f64::from)));
    let grounds = grounds(&picture);
    assert_eq!((balls.len(), grounds.len()), (8, 8));
    for (k, (ball, ground)) in balls.iter().zip(&grounds).enumerate() {
        let phase = TAU * k as f64 / 8.0;
        let along = (ball[0] - ground[0][0]) - (balls[0][0] - grounds[0][0][0]);
        let up = balls[0][1] - ball[1];
        // An outline of 64 corners has its middle within a hundredth of a pixel of its own.
        assert!((along / scale - SURGE * math::sin(phase)).abs() < 1e-4, "frame {k}: {along}");
        assert!((up / scale - BOB * math::sin(2.0 * phase)).abs() < 1e-4, "frame {k}: {up}");
    }
}

#[test]
fn uneven_ground_is_drawn_under_the_foot() {
    let creature = ball_and_foot();
    let slope = 0.3;
    let clip = clip_over(&creature, slope);
    let height = |x: f64, _: f64| slope * x;
    let options = ClipOptions { ground: Some(&height), ..side() };
    let picture = clip_strip(&creature, &clip, &options).unwrap();
    let bars = middles(&picture, NEAR);
    let mut starts = Vec::new();
    for ground in grounds(&picture) {
        let (from, to) = (ground[0], ground[ground.len() - 1]);
        let rise = (from[1] - to[1]) / (to[0] - from[0]);
        assert!((rise - slope).abs() < 1e-9, "{rise}");
        starts.push(from[1]);
        let bar = bars.iter().find(|bar| within(&ground, bar[0])).expect("the foot stands");
        let under = from[1] - rise * (bar[0] - from[0]);
        // A bar hangs under the line and is at most five pixels thick.
        assert!((0.0..6.0).contains(&(bar[1] - under)), "{} under {under}", bar[1]);
    }
    // The camera climbs with the travel, so that all frames are on one level.
    assert!(starts.iter().all(|start| (start - starts[0]).abs() < 1e-6), "{starts:?}");
}

/// A trunk on two legs of different colours.
fn biped() -> Creature {
    let mut spec = CreatureSpec::new("biped");
    let mut add = |parent: usize, name: &str, at: Vec3, rgba: [f32; 4]| {
        let mut body = BodySpec::new(name);
        body.parent_from_body.translation.vector = at;
        body.joints.push(if parent == 0 {
            JointSpec::free("root")
        } else {
            JointSpec::hinge(name, Vec3::y())
        });
        let mut shape = ShapeSpec::new(Shape::Capsule { radius: 0.05, half_length: 0.2 });
        shape.rgba = rgba;
        body.shapes.push(shape);
        spec.add_body(parent, body).unwrap()
    };
    let trunk = add(0, "trunk", Vec3::z() * 1.0, [0.5, 0.5, 0.5, 1.0]);
    add(trunk, "left", Vec3::new(0.0, 0.1, -0.5), LEFT);
    add(trunk, "right", Vec3::new(0.0, -0.1, -0.5), RIGHT);
    for side in ["left", "right"] {
        let landmark = format!("foot.{side}");
        spec.landmark_overrides.push(LandmarkOverride { landmark, target: side.to_owned() });
    }
    spec.build().unwrap()
}

const LEFT: [f32; 4] = [0.8, 0.4, 0.2, 1.0];
const RIGHT: [f32; 4] = [0.2, 0.6, 0.8, 1.0];

fn luminance(colour: Colour) -> f64 {
    0.3 * f64::from(colour.red) + 0.59 * f64::from(colour.green) + 0.11 * f64::from(colour.blue)
}

#[test]
fn limbs_on_the_far_side_are_darker() {
    let biped = biped();
    let look = Look { paint: Paint::Sided, ..Look::default() };
    let painted = |view: View| -> Vec<Colour> {
        let mut picture = Picture::new(100.0, 100.0);
        let placement = Placement { scale: 50.0, origin: [50.0, 90.0] };
        Drawing::new(&biped, biped.reference_pose(), view).draw(&mut picture, placement, &look);
        let fills = picture.items.iter().filter_map(|item| match item {
            Item::Polygon { fill, .. } => Some(*fill),
            _ => None,
        });
        fills.collect()
    };
    let [left, right] = [LEFT, RIGHT].map(|rgba| Colour::from_unit(rgba.map(f64::from)));
    // The side view is from the right; half a turn on, the left is near.
    let from_left = View::turned(std::f64::consts::PI, 0.0);
    for (view, near, far) in [(View::side(), right, left), (from_left, left, right)] {
        let colours = painted(view);
        assert!(colours.contains(&near) && !colours.contains(&far), "{}: {colours:?}", view.name);
        let darkest = colours.iter().map(|colour| luminance(*colour)).fold(f64::MAX, f64::min);
        assert!(darkest < 0.75 * luminance(far), "{}: {darkest}", view.name);
    }
    // From before and from above both sides show, and none is dark.
    for view in [View::front(), View::top()] {
        let colours = painted(view);
        assert!(colours.contains(&left) && colours.contains(&right), "{}", view.name);
    }
}

#[test]
fn a_strip_has_the_frames_that_were_asked_for() {
    let dog = crate::fake::creature("dog");
    let clip = TROT.clip(&dog);
    for frames in [1, 2, 8, 10, 13] {
        let options = ClipOptions { frames, ..side() };
        let picture = clip_strip(&dog, &clip, &options).unwrap();
        assert_eq!(grounds(&picture).len(), frames);
        assert!(picture.width < 1800.0, "{}", picture.width);
    }
}

/// The bars of the diagram are as long as the feet stand, and over each frame's line a foot that stands has its bar.
#[test]
fn the_gait_diagram_says_which_foot_stands_when() {
    let creature = ball_and_foot();
    let mut clip = clip_over(&creature, 0.0);
    clip.contacts[0].intervals = vec![[0.0, 0.2], [0.6, 1.0]];
    let picture = clip_strip(&creature, &clip, &side()).unwrap();
    let ground = grounds(&picture)[0][0][1];
    let bars: Vec<[f64; 2]> = picture
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Polygon { points, fill, .. } if *fill == NEAR && points[0][1] > ground + 10.0 => {
                Some([points[0][0], points[1][0]])
            }
            _ => None,
        })
        .collect();
    // It goes on over the end of the loop: from before the first frame to 0.2, and from 0.6 on.
    assert_eq!(bars.len(), 2, "{bars:?}");
    let grounds = grounds(&picture);
    let middle = |k: usize| 0.5 * (grounds[k][0][0] + grounds[k][1][0]);
    let second = 8.0 * (middle(1) - middle(0));
    let at = |time: f64| middle(0) + second * time;
    let expected = [[at(-1.0 / 16.0), at(0.2)], [at(0.6), at(15.0 / 16.0)]];
    for (bar, expected) in bars.iter().zip(expected) {
        assert!((0..2).all(|k| (bar[k] - expected[k]).abs() < 1e-6), "{bar:?} is not {expected:?}");
    }
}

#[test]
fn a_millipede_has_a_gait_diagram_too() {
    let creature = ball_and_foot();
    let mut clip = clip_over(&creature, 0.0);
    clip.contacts = vec![clip.contacts[0].clone(); 80];
    let picture = clip_strip(&creature, &clip, &side()).unwrap();
    let named = picture.items.iter().any(|item| matches!(item, Item::Text { text, .. } if text == "foot"));
    assert!(!named, "80 names have no room");
    assert!(picture.height < 600.0, "{}", picture.height);
}

/// Along a circle the camera turns with the creature, so that the strip is that of the straight way. It looks across
/// the way of the centre of mass, not of the root, which differ by some hundredths of a radian: two pixels.
#[test]
fn a_turn_looks_like_the_straight_way() {
    let dog = crate::fake::creature("dog");
    let turn = Fake { yaw: 0.3, ..TROT };
    let [straight, turning] = [TROT, turn].map(|fake| clip_strip(&dog, &fake.clip(&dog), &side()).unwrap());
    let shapes = |picture: &Picture| -> Vec<(Colour, Point)> {
        let polygons = picture.items.iter().filter_map(|item| match item {
            Item::Polygon { fill, outline: Some(_), .. } => Some(*fill),
            _ => None,
        });
        let mut colours: Vec<Colour> = polygons.collect();
        colours.sort_by_key(|c| [c.red, c.green, c.blue]);
        colours.dedup();
        colours.iter().flat_map(|&c| middles(picture, c).into_iter().map(move |at| (c, at))).collect()
    };
    let (straight, turning) = (shapes(&straight), shapes(&turning));
    assert_eq!(straight.len(), turning.len());
    for (colour, at) in straight {
        let same = turning.iter().filter(|(other, _)| *other == colour);
        let nearest = same.map(|(_, p)| math::hypot(p[0] - at[0], p[1] - at[1])).fold(f64::MAX, f64::min);
        assert!(nearest < 2.0, "{nearest} px");
    }
}

#[test]
fn a_snake_is_seen_from_above_and_a_dog_from_the_side() {
    let snake = crate::fake::creature("snake");
    let slither = Fake { name: "slither", modes: [(8, 0.35), (9, 0.35)], speed: 0.4, ..TROT };
    let strip = |creature: &Creature, fake: &Fake, view: Option<View>| {
        clip_strip(creature, &fake.clip(creature), &ClipOptions { view, ..ClipOptions::default() }).unwrap()
    };
    assert_eq!(strip(&snake, &slither, None), strip(&snake, &slither, Some(View::top())));
    let dog = crate::fake::creature("dog");
    assert_eq!(strip(&dog, &TROT, None), strip(&dog, &TROT, Some(View::side())));
}

#[test]
fn clips_of_all_kinds_can_be_drawn() {
    let mut creatures: Vec<_> = (0..6)
        .map(|seed| random_tree(seed, TreeKind { bodies: 12, free_root: seed % 2 == 0, armature: false }))
        .collect();
    creatures.extend([chain(30), ball_and_foot()]);
    let bumps = |x: f64, y: f64| 0.1 * math::sin(5.0 * x) * math::cos(3.0 * y);
    for creature in &creatures {
        let rest = creature.reference_pose().to_vec();
        let mut bent = rest.clone();
        creature.integrate(&mut bent, &vec![0.3; creature.nv()], 1.0);
        for times in [vec![0.0], vec![0.0, 0.5], vec![0.2, 0.7]] {
            let clip = Clip {
                name: "x".into(),
                poses: [rest.clone(), bent.clone()][..times.len()].to_vec(),
                times,
                stride: None,
                contacts: vec![Contact {
                    name: "foot.left".into(),
                    body: creature.bodies().len() - 1,
                    point: Vec3::zeros(),
                    intervals: vec![[0.3, 0.4]],
                }],
                travel: None,
            };
            for view in [None, Some(View::front()), Some(View::top()), Some(View::three_quarter())] {
                let options = ClipOptions { view, ..ClipOptions::default() };
                for ground in [None, Some(&bumps as &dyn Fn(f64, f64) -> f64)] {
                    let options = ClipOptions { ground, ..options.clone() };
                    let svg = clip_strip(creature, &clip, &options).unwrap().to_svg();
                    roxmltree::Document::parse(&svg).unwrap();
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", creature.name());
                }
            }
        }
    }
}

/// With the ground in the picture, what flies high would be a dot.
#[test]
fn what_flies_high_is_shown_without_the_ground() {
    let dog = crate::fake::creature("dog");
    let clip = TROT.clip(&dog);
    let mut high = clip.clone();
    high.poses.iter_mut().for_each(|pose| pose[2] += 30.0);
    let [low, high] = [clip, high].map(|clip| clip_strip(&dog, &clip, &side()).unwrap());
    assert_eq!((grounds(&low).len(), grounds(&high).len()), (8, 0));
    let widest = |picture: &Picture| -> f64 {
        let areas = picture.items.iter().filter_map(|item| match item {
            Item::Polygon { points, outline: Some(_), .. } => Some(points),
            _ => None,
        });
        let widths = areas.map(|points| {
            let right = points.iter().map(|point| point[0]).fold(f64::MIN, f64::max);
            right - points.iter().map(|point| point[0]).fold(f64::MAX, f64::min)
        });
        widths.fold(0.0, f64::max)
    };
    assert!(widest(&high) > 0.9 * widest(&low), "{} and {}", widest(&high), widest(&low));
}

#[test]
fn a_clip_of_another_creature_is_refused() {
    let [dog, human] = ["dog", "human"].map(crate::fake::creature);
    let clip = TROT.clip(&dog);
    assert!(matches!(clip_strip(&human, &clip, &side()), Err(PictureError::Clip(ClipError::Pose(_)))));
    let empty = Clip { times: Vec::new(), poses: Vec::new(), ..clip };
    let error = clip_strip(&dog, &empty, &side()).unwrap_err();
    assert!(matches!(error, PictureError::Clip(ClipError::Empty { .. })), "{error}");
}

/// Forces below a strip: each number is at its time, body weights go up, what repeats goes on over the end of the loop, and where
/// the clip cannot be believed there is a band.
#[test]
fn forces_stand_below_the_frames_at_their_times() {
    let dog = crate::fake::creature("dog");
    let clip = TROT.clip(&dog);
    let plain = clip_strip(&dog, &clip, &side()).unwrap();
    let duration = clip.duration();
    let times: Vec<f64> = (0..40).map(|key| duration * f64::from(key) / 40.0).collect();
    // One body weight by turns, and a blow from nowhere in the middle.
    let stands =
        |late: bool| times.iter().map(|time| f64::from(u8::from((*time < 0.5 * duration) != late))).collect();
    let curves = ForceCurves {
        feet: clip
            .contacts
            .iter()
            .take(2)
            .zip([false, true])
            .map(|(foot, late)| (foot.name.clone(), stands(late)))
            .collect(),
        residual: (0..40).map(|key| if key == 20 { 3.0 } else { 0.0 }).collect(),
        unbelieved: vec![[0.45 * duration, 0.55 * duration]],
        times,
    };
    let picture = clip_strip(&dog, &clip, &ClipOptions { forces: Some(&curves), ..side() }).unwrap();
    assert!(picture.height > plain.height + 80.0 && picture.width == plain.width);
    let lines: Vec<(&Vec<Point>, &Stroke)> = picture
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Polyline { points, stroke } if points.len() > 30 => Some((points, stroke)),
            _ => None,
        })
        .collect();
    let red = |stroke: &Stroke| stroke.colour.red > 180 && stroke.colour.green < 80;
    let (residual, _) =
        lines.iter().find(|(points, stroke)| red(stroke) && points[0][1] > plain.height - 20.0).unwrap();
    let peak = residual.iter().min_by(|a, b| a[1].total_cmp(&b[1])).unwrap();
    let (first, last) = (residual[0], residual[residual.len() - 1]);
    // The loop is shown from half a frame before its start: the middle of the clip is half a frame right of the middle.
    let frame = (last[0] - first[0]) / 8.0;
    assert!(
        (peak[0] - (0.5 * (first[0] + last[0]) + 0.5 * frame)).abs() < 0.1 * frame,
        "{peak:?} {first:?} {last:?}"
    );
    let band = picture.items.iter().find_map(|item| match item {
        Item::Polygon { points, fill, .. } if fill.alpha < 255 && fill.red > 180 => Some(points.clone()),
        _ => None,
    });
    let band = band.expect("a band where it cannot be believed");
    assert!(band[0][0] < peak[0] && band[1][0] > peak[0]);
    // Numbers that do not fit the times are not drawn.
    let odd = ForceCurves { residual: vec![1.0], ..curves };
    let picture = clip_strip(&dog, &clip, &ClipOptions { forces: Some(&odd), ..side() }).unwrap();
    assert_eq!(picture.height, plain.height);
}

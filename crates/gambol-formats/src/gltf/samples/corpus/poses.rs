//! Bodies as people draw them: wings folded, necks reared, tails laid along, limbs of many small bones.

use gambol_model::BodyClass;

use super::{At, LETTERS, Plan, back, four_legs, hand, nameless, person};

/// Name, body, what it is, and the gait that comes first.
type Posed = (&'static str, Plan, BodyClass, Option<&'static str>);

pub(super) fn posed() -> Vec<Posed> {
    use BodyClass::{Belly, Floats, Hand, Legs, Paddles, Whale, Wings};
    let (walk, swim, slither, fly) = (Some("walk"), Some("swim"), Some("slither"), Some("fly"));
    vec![
        ("pigeon-wings-folded", pigeon(), Wings, fly),
        ("pigeon-wings-folded-no-names", nameless(pigeon()), Wings, fly),
        ("duck-wings-laid-back", duck(), Wings, fly),
        ("ostrich", ostrich(), Legs, walk),
        ("dragon-wings-folded", folded_dragon(), Wings, fly),
        ("bat-of-many-fingers", bat_of_fingers(), Wings, fly),
        ("bat-of-many-fingers-no-names", nameless(bat_of_fingers()), Wings, fly),
        ("mermaid", mermaid(), Whale, swim),
        ("arms-of-the-viewer", viewer_arms(), Hand, None),
        ("hand-no-names", nameless(hand()), Hand, None),
        ("hand-spread-no-names", nameless(spread_hand()), Hand, None),
        ("hand-flat-no-names", nameless(spread_hand().turned(gambol_model::Vec3::x(), 90.0)), Hand, None),
        ("cobra-reared", cobra(), Belly, slither),
        ("cobra-reared-no-names", nameless(cobra()), Belly, slither),
        ("whale-low-flippers", whale(), Whale, swim),
        ("whale-low-flippers-no-names", nameless(whale()), Whale, swim),
        ("robot-that-hangs", hanging_robot(), Floats, Some("hover")),
        ("butterfly-no-names", nameless(butterfly()), Wings, fly),
        ("sea-turtle-no-names", nameless(super::turtle()), Paddles, swim),
        ("crocodile", crocodile(), Legs, walk),
        ("octopus", octopus(), Floats, Some("hover")),
        ("kangaroo", kangaroo(), Legs, walk),
        ("scorpion", scorpion(), Legs, walk),
        ("robot-of-long-arms", long_armed(), Legs, walk),
        ("person-of-many-fingers", fingered_person(), Legs, walk),
        ("centaur", centaur(), Legs, walk),
        ("pegasus-wings-folded", pegasus(), Wings, fly),
        ("angel", angel(), Wings, fly),
        ("person-with-tail-and-ears", faun(), Legs, walk),
    ]
}

/// A bird that stands, with wings of `wing` on each side.
fn bird(wing: &[At]) -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Body", None, &[[0., 0.16, -0.1], [0., 0.2, 0.08]], 0.05);
    plan.chain("Neck", Some(body), &[[0., 0.21, 0.1], [0., 0.27, 0.13]], 0.025);
    plan.chain("Head", Some(1), &[[0., 0.27, 0.13], [0., 0.28, 0.2]], 0.022);
    plan.chain("Tail", Some(body), &[[0., 0.15, -0.12], [0., 0.13, -0.24]], 0.02);
    plan.pair("Wing", body, wing, 0.016);
    plan.pair(
        "Leg",
        body,
        &[[0.03, 0.13, 0.0], [0.035, 0.09, 0.02], [0.035, 0.02, -0.01], [0.035, 0.008, 0.04]],
        0.007,
    );
    plan
}

/// Elbow back, wrist ahead, feathers back.
fn pigeon() -> Plan {
    bird(&[[0.05, 0.2, 0.07], [0.065, 0.18, -0.04], [0.07, 0.175, 0.08], [0.055, 0.165, -0.14]])
}

/// Along the body, in two straight pieces.
fn duck() -> Plan {
    bird(&[[0.05, 0.2, 0.07], [0.065, 0.19, -0.06], [0.05, 0.17, -0.2]])
}

/// Wings that would not carry it.
fn ostrich() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Body", None, &[[0., 1.2, -0.4], [0., 1.25, 0.3]], 0.25);
    plan.chain("Neck", Some(body), &[[0., 1.3, 0.35], [0., 1.7, 0.5], [0., 2.2, 0.5]], 0.05);
    plan.chain("Head", Some(2), &[[0., 2.2, 0.5], [0., 2.2, 0.7]], 0.06);
    plan.pair("Wing", body, &[[0.25, 1.3, 0.1], [0.3, 1.2, -0.2], [0.27, 1.15, -0.5]], 0.05);
    plan.pair(
        "Leg",
        body,
        &[[0.15, 1.15, 0.], [0.16, 0.9, 0.12], [0.15, 0.5, -0.05], [0.14, 0.05, 0.0], [0.14, 0.03, 0.2]],
        0.05,
    );
    plan
}

fn folded_dragon() -> Plan {
    let mut plan = four_legs(0.45, 0.9).scaled(3.0);
    let wing = [[0.3, 1.95, 0.6], [0.5, 2.6, -0.3], [0.45, 2.2, 0.9], [0.4, 1.9, -1.2]];
    plan.pair("Wing", 1, &wing, 0.1);
    plan
}

/// Each wing has an arm and four fingers of three bones.
fn bat_of_fingers() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Spine", None, &[[0., 0.5, -0.05], [0., 0.5, 0.08]], 0.035);
    plan.chain("Head", Some(body), &[[0., 0.5, 0.08], [0., 0.52, 0.15]], 0.03);
    let first = plan.bones.len();
    plan.pair("Arm", body, &[[0.03, 0.52, 0.05], [0.15, 0.53, 0.1], [0.3, 0.53, 0.06]], 0.012);
    for (side, name, hand) in [(1.0, "L", first + 1), (-1.0, "R", first + 3)] {
        for (letter, [x, z]) in LETTERS.iter().zip([[0.62, 0.12], [0.6, 0.0], [0.52, -0.12], [0.4, -0.2]]) {
            let at = |share: f64| [side * (0.3 + share * (x - 0.3)), 0.53, 0.06 + share * (z - 0.06)];
            plan.chain(
                &format!("Finger{letter}_{name}_"),
                Some(hand),
                &[at(0.0), at(0.4), at(0.75), at(1.0)],
                0.012,
            );
        }
    }
    plan
}

/// Its arms, stretched out in the file, reach the ground where they hang.
fn long_armed() -> Plan {
    let mut plan = person();
    for bone in plan.bones.iter_mut().filter(|bone| bone.name.starts_with("Arm")) {
        for end in [&mut bone.head, &mut bone.tail] {
            end.x += 0.75 * (end.x - 0.2 * end.x.signum());
        }
    }
    plan
}

/// Upright, with a tail for legs.
fn mermaid() -> Plan {
    let mut plan = person();
    plan.bones.retain(|bone| !bone.name.starts_with("Leg"));
    let tail = [[0., 0.95, 0.], [0., 0.7, 0.02], [0., 0.45, 0.02], [0., 0.25, 0.], [0., 0.1, -0.05]];
    let tail = plan.chain("Tail", Some(0), &tail, 0.12);
    plan.pair("Fluke", tail, &[[0.03, 0.1, -0.05], [0.28, 0.05, -0.15]], 0.03);
    plan
}

/// Two arms with hands and nothing else, as one sees one's own.
fn viewer_arms() -> Plan {
    let mut plan = Plan::default();
    let root = plan.chain("Root", None, &[[0., 1.3, 0.], [0., 1.4, 0.]], 0.02);
    let first = plan.bones.len();
    plan.pair(
        "Arm",
        root,
        &[[0.2, 1.35, 0.], [0.25, 1.2, 0.2], [0.15, 1.25, 0.45], [0.14, 1.26, 0.53]],
        0.04,
    );
    for (side, name, hand) in [(1.0, "L", first + 2), (-1.0, "R", first + 5)] {
        for (finger, x) in ["Index", "Middle", "Ring", "Pinky"].iter().zip([0.12, 0.135, 0.15, 0.165]) {
            let at = |z: f64| [side * x, 1.26, z];
            let points = [at(0.54), at(0.58), at(0.61), at(0.63)];
            plan.chain(&format!("Finger{finger}_{name}_"), Some(hand), &points, 0.008);
        }
    }
    plan
}

/// Hands of five fingers of three bones, as most people in public collections have.
fn fingered_person() -> Plan {
    let mut plan = person();
    for (side, name) in [(1.0, ".L"), (-1.0, ".R")] {
        let hand = plan.bones.iter().position(|bone| bone.name == format!("Arm3{name}")).unwrap_or(0);
        for (finger, z) in
            ["Thumb", "Index", "Middle", "Ring", "Pinky"].iter().zip([0.05, 0.03, 0.01, -0.01, -0.03])
        {
            let at = |x: f64| [side * x, 1.4, z];
            plan.chain(
                &format!("{finger}{name}"),
                Some(hand),
                &[at(0.9), at(0.94), at(0.97), at(0.99)],
                0.01,
            );
        }
    }
    plan
}

/// Broader than it is long, with its thumb far out.
fn spread_hand() -> Plan {
    let mut plan = Plan::default();
    let palm = plan.chain("Palm", None, &[[0., 0.02, 0.], [0., 0.09, 0.]], 0.035);
    let fingers = [
        ("Thumb", [0.11, 0.08]),
        ("Index", [0.06, 0.17]),
        ("Middle", [0.0, 0.18]),
        ("Ring", [-0.05, 0.17]),
        ("Pinky", [-0.09, 0.13]),
    ];
    for (finger, [x, y]) in fingers {
        let root = [0.35 * x, if finger == "Thumb" { 0.04 } else { 0.09 }, 0.];
        let at =
            |share: f64| [root[0] + share * (x - root[0]), root[1] + share * (y - root[1]), 0.01 * share];
        plan.chain(finger, Some(palm), &[at(0.0), at(0.45), at(0.75), at(1.0)], 0.009);
    }
    plan
}

/// A third of it stands upright.
fn cobra() -> Plan {
    let mut plan = Plan::default();
    let mut points: Vec<At> = (0..=11).map(|k| [0., 0.03, -1.1 + 0.1 * f64::from(k)]).collect();
    points.extend([[0., 0.1, 0.06], [0., 0.2, 0.06], [0., 0.3, 0.04], [0., 0.4, 0.03], [0., 0.46, 0.1]]);
    points.reverse();
    plan.chain("Bone", None, &points, 0.03);
    "Head".clone_into(&mut plan.bones[0].name);
    let last = plan.bones.len() - 1;
    "Tail".clone_into(&mut plan.bones[last].name);
    plan
}

/// Flippers that are its lowest part.
fn whale() -> Plan {
    let mut plan = Plan::default();
    let [chest, _, tail] = back(&mut plan, ["Body", "Head", "Tail"], (2.5, 12.0), 8, 1.2);
    plan.pair("Flipper", chest, &[[1.1, 1.8, 2.5], [1.9, 0.8, 2.0], [2.4, 0.1, 1.5]], 0.25);
    plan.pair("Fluke", tail, &[[0.1, 2.5, -6.0], [1.7, 2.5, -6.8]], 0.3);
    plan
}

/// Two pairs of thin wings and a small body.
fn butterfly() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Thorax", None, &[[0., 0.1, -0.005], [0., 0.1, 0.012]], 0.004);
    plan.chain("Head", Some(body), &[[0., 0.1, 0.012], [0., 0.1, 0.02]], 0.003);
    plan.chain("Abdomen", Some(body), &[[0., 0.1, -0.005], [0., 0.098, -0.03]], 0.003);
    plan.pair("FrontWing", body, &[[0.003, 0.101, 0.008], [0.03, 0.105, 0.02], [0.05, 0.106, 0.025]], 0.003);
    plan.pair(
        "HindWing",
        body,
        &[[0.003, 0.101, -0.002], [0.02, 0.104, -0.015], [0.035, 0.105, -0.025]],
        0.003,
    );
    plan
}

/// Short legs that stick out, and a tail of half its length.
fn crocodile() -> Plan {
    let mut plan = Plan::default();
    let hips = plan.chain("Hips", None, &[[0., 0.3, -0.5], [0., 0.3, 0.0]], 0.2);
    let chest = plan.chain("Chest", Some(hips), &[[0., 0.3, 0.0], [0., 0.3, 0.5]], 0.2);
    plan.chain("Head", Some(chest), &[[0., 0.3, 0.5], [0., 0.3, 0.7], [0., 0.28, 1.2]], 0.12);
    let tail: Vec<At> = (0..=7).map(|k| [0., 0.28, -0.5 - 0.25 * f64::from(k)]).collect();
    plan.chain("Tail", Some(hips), &tail, 0.12);
    for (name, above, z) in [("FrontLeg", chest, 0.4), ("BackLeg", hips, -0.4)] {
        let leg = [[0.18, 0.25, z], [0.4, 0.22, z + 0.03], [0.45, 0.05, z], [0.47, 0.03, z + 0.12]];
        plan.pair(name, above, &leg, 0.045);
    }
    plan
}

/// Eight arms in a ring.
fn octopus() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Head", None, &[[0., 0.5, 0.], [0., 0.8, 0.]], 0.15);
    for (k, letter) in ('A'..='H').enumerate() {
        let (sine, cosine) = gambol_model::math::sin_cos(std::f64::consts::TAU * (k as f64 + 0.5) / 8.0);
        let at = |r: f64, y: f64| [r * cosine, y, r * sine];
        let name = format!("Tentacle{letter}_");
        plan.chain(&name, Some(body), &[at(0.1, 0.45), at(0.2, 0.3), at(0.35, 0.2), at(0.5, 0.15)], 0.03);
    }
    plan
}

/// A ball with two arms stretched out, hung from nothing, a little longer than high.
fn hanging_robot() -> Plan {
    let mut plan = Plan::default();
    let head = plan.chain("Head", None, &[[0., 0.4, -0.15], [0., 0.4, 0.15]], 0.16);
    plan.pair(
        "Arm",
        head,
        &[[0.16, 0.42, 0.], [0.45, 0.44, 0.02], [0.8, 0.4, 0.05], [0.95, 0.38, 0.08]],
        0.04,
    );
    plan.chain("Eye", Some(head), &[[0., 0.4, 0.2], [0., 0.4, 0.3]], 0.05);
    plan
}

fn kangaroo() -> Plan {
    let mut plan = Plan::default();
    let hips = plan.chain("Hips", None, &[[0., 0.6, -0.1], [0., 0.8, 0.05]], 0.15);
    let chest = plan.chain("Chest", Some(hips), &[[0., 0.8, 0.05], [0., 1.1, 0.2]], 0.12);
    plan.chain("Neck", Some(chest), &[[0., 1.12, 0.22], [0., 1.3, 0.3]], 0.05);
    plan.chain("Head", Some(2), &[[0., 1.3, 0.3], [0., 1.3, 0.5]], 0.06);
    plan.chain(
        "Tail",
        Some(hips),
        &[[0., 0.55, -0.15], [0., 0.35, -0.45], [0., 0.15, -0.8], [0., 0.05, -1.2]],
        0.06,
    );
    plan.pair(
        "Arm",
        chest,
        &[[0.1, 1.05, 0.25], [0.12, 0.9, 0.27], [0.11, 0.8, 0.38], [0.11, 0.78, 0.44]],
        0.025,
    );
    plan.pair(
        "Leg",
        hips,
        &[[0.12, 0.55, -0.1], [0.15, 0.4, 0.2], [0.14, 0.1, -0.2], [0.14, 0.03, 0.15], [0.14, 0.02, 0.25]],
        0.05,
    );
    plan
}

/// Eight legs, claws, and a tail over its back.
fn scorpion() -> Plan {
    let mut plan = super::many_legs(4, "Leg");
    let tail = [[0., 0.2, -0.24], [0., 0.3, -0.4], [0., 0.45, -0.42], [0., 0.55, -0.3], [0., 0.55, -0.15]];
    plan.chain("Tail", Some(3), &tail, 0.03);
    plan.pair("Claw", 0, &[[0.06, 0.2, 0.24], [0.2, 0.2, 0.35], [0.15, 0.2, 0.5], [0.1, 0.2, 0.58]], 0.025);
    plan
}

fn centaur() -> Plan {
    let mut plan = four_legs(0.8, 0.5);
    plan.bones.retain(|bone| !bone.name.starts_with("Neck"));
    // Only the neck's two bones were taken, and nothing hung from them.
    for bone in &mut plan.bones {
        bone.parent = bone.parent.map(|parent| if parent > 1 { parent - 2 } else { parent });
    }
    let chest = 1;
    let waist = plan.chain("Spine", Some(chest), &[[0., 0.95, 0.32], [0., 1.2, 0.34], [0., 1.45, 0.34]], 0.1);
    plan.chain("Head", Some(waist), &[[0., 1.48, 0.34], [0., 1.72, 0.36]], 0.08);
    plan.pair(
        "Arm",
        waist,
        &[[0.18, 1.4, 0.34], [0.42, 1.4, 0.34], [0.66, 1.4, 0.34], [0.78, 1.4, 0.34]],
        0.035,
    );
    plan
}

fn pegasus() -> Plan {
    let mut plan = four_legs(0.9, 0.5);
    let wing = [[0.13, 1.1, 0.2], [0.16, 1.25, -0.2], [0.17, 1.1, 0.3], [0.15, 1.0, -0.75]];
    plan.pair("Wing", 1, &wing, 0.04);
    plan
}

fn angel() -> Plan {
    let mut plan = person();
    plan.pair("Wing", 1, &[[0.08, 1.4, -0.12], [0.5, 1.7, -0.2], [1.1, 1.6, -0.25], [1.7, 1.3, -0.3]], 0.05);
    plan
}

fn faun() -> Plan {
    let mut plan = person();
    plan.chain(
        "Tail",
        Some(0),
        &[[0., 0.95, -0.12], [0., 0.85, -0.3], [0., 0.6, -0.45], [0., 0.5, -0.6]],
        0.03,
    );
    plan.pair("Ear", 2, &[[0.07, 1.75, 0.], [0.09, 1.87, 0.]], 0.02);
    plan
}

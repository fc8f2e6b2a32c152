//! Bodies that were taken for something else once: each is here for the one thing that is odd about it.

use gambol_model::BodyClass;

use super::{At, LETTERS, Plan, flier, nameless, person};

/// Name, body, what it is, and the gait that comes first.
type Stranger = (&'static str, Plan, BodyClass, Option<&'static str>);

pub(super) fn strangers() -> Vec<Stranger> {
    use BodyClass::{Belly, Fish, Legs, Plant, Thing, Wheels, Wings};
    let (walk, swim, slither, fly) = (Some("walk"), Some("swim"), Some("slither"), Some("fly"));
    vec![
        // The tail fin parts into lobes, which hang from the end of a back that begins at the head.
        ("fish-from-its-head", fish_from_head(), Fish, swim),
        ("fish-from-its-head-no-names", nameless(fish_from_head()), Fish, swim),
        ("snake-in-a-coil", coil(), Belly, slither),
        ("bat-of-fingers", bat(), Wings, fly),
        ("bird-of-arms", bird_of_arms(), Wings, fly),
        ("bee-on-legs-no-names", nameless(bee_on_legs()), Wings, fly),
        ("penguin-with-wings", penguin(), Legs, walk),
        ("person-with-a-sword", with_sword(), Legs, walk),
        ("car-no-names", nameless(car()), Wheels, None),
        ("helicopter", helicopter(), Wheels, None),
        ("tree", tree(), Plant, None),
        ("tree-no-names", nameless(tree()), Thing, None),
        ("robot-arm", robot_arm(), Thing, None),
        ("lamp", lamp(), Thing, None),
        ("gun", gun(), Thing, None),
    ]
}

fn fish_from_head() -> Plan {
    let mut plan = Plan::default();
    let at = |k: usize| [0., 0.5, 0.25 - 0.5 * k as f64 / 7.0];
    let points: Vec<At> = (0..=7).map(at).collect();
    let tail = plan.chain("Spine", None, &points, 0.045);
    "Head".clone_into(&mut plan.bones[0].name);
    plan.chain("CaudalUpper", Some(tail), &[at(7), [0., 0.56, -0.31]], 0.01);
    plan.chain("CaudalLower", Some(tail), &[at(7), [0., 0.44, -0.31]], 0.01);
    plan.pair("PectoralFin", 1, &[[0.03, 0.48, 0.1], [0.1, 0.45, 0.05]], 0.01);
    plan.chain("DorsalFin", Some(2), &[[0., 0.56, 0.05], [0., 0.61, 0.]], 0.01);
    plan
}

fn coil() -> Plan {
    let mut plan = Plan::default();
    let at = |k: usize| {
        let (sine, cosine) = gambol_model::math::sin_cos(0.5 * k as f64);
        let radius = 0.25 * (1.0 - 0.02 * k as f64);
        [radius * cosine, 0.04, radius * sine]
    };
    let points: Vec<At> = (0..26).map(at).collect();
    plan.chain("Bone", None, &points, 0.03);
    plan
}

/// Wings of an arm and three fingers.
fn bat() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Spine", None, &[[0., 0.5, -0.05], [0., 0.5, 0.08]], 0.035);
    plan.chain("Head", Some(body), &[[0., 0.5, 0.08], [0., 0.52, 0.15]], 0.03);
    let first = plan.bones.len();
    plan.pair("Arm", body, &[[0.03, 0.52, 0.05], [0.15, 0.53, 0.1], [0.3, 0.53, 0.06]], 0.012);
    for (side, hand) in [(1.0, first + 1), (-1.0, first + 3)] {
        for (letter, [x, z]) in LETTERS.iter().zip([[0.6, 0.05], [0.55, -0.1], [0.42, -0.2]]) {
            let points = [[side * 0.3, 0.53, 0.06], [side * x, 0.53, z]];
            plan.chain(&format!("Finger{letter}_"), Some(hand), &points, 0.012);
        }
    }
    plan
}

fn bird_of_arms() -> Plan {
    flier(1, 1.6, true).renamed(|_, name| name.replace("Wing", "Arm"))
}

fn bee_on_legs() -> Plan {
    let mut plan = flier(1, 1.2, false);
    for (letter, z) in LETTERS.iter().zip([0.1, 0.0, -0.1]) {
        let leg = [[0.05, 0.57, z], [0.13, 0.6, 1.5 * z], [0.16, 0.4, 2.0 * z]];
        plan.pair(&format!("Leg{letter}_"), 0, &leg, 0.01);
    }
    plan
}

/// Upright, with wings that hang.
fn penguin() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Body", None, &[[0., 0.15, 0.], [0., 0.55, 0.]], 0.14);
    plan.chain("Head", Some(body), &[[0., 0.55, 0.], [0., 0.72, 0.03]], 0.09);
    plan.pair("Wing", body, &[[0.13, 0.5, 0.], [0.2, 0.38, 0.], [0.24, 0.25, 0.]], 0.04);
    plan.pair("Leg", body, &[[0.06, 0.13, 0.], [0.06, 0.04, 0.], [0.06, 0.02, 0.1]], 0.04);
    plan
}

fn with_sword() -> Plan {
    let mut plan = person();
    let hand = plan.bones.iter().position(|bone| bone.name == "Arm3.R").unwrap_or(0);
    plan.chain("Sword", Some(hand), &[[-0.9, 1.4, 0.], [-0.9, 1.4, 1.2]], 0.02);
    plan
}

fn car() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Body", None, &[[0., 0.8, -2.], [0., 0.8, 2.]], 0.7);
    for z in [1.3, -1.3] {
        plan.pair("Wheel", body, &[[0.8, 0.35, z], [0.92, 0.35, z]], 0.35);
    }
    plan
}

fn helicopter() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Body", None, &[[0., 1.5, -1.], [0., 1.5, 1.5]], 0.8);
    let tail = plan.chain("TailBoom", Some(body), &[[0., 1.8, -1.], [0., 2., -4.]], 0.2);
    plan.chain("MainRotor", Some(body), &[[0., 2.6, 0.], [0., 2.8, 0.]], 4.0);
    plan.chain("TailRotor", Some(tail), &[[0.1, 2., -4.], [0.3, 2., -4.]], 0.5);
    plan
}

fn tree() -> Plan {
    let mut plan = Plan::default();
    plan.chain("Trunk", None, &[[0., 0., 0.], [0., 1., 0.], [0., 2., 0.], [0., 3., 0.]], 0.15);
    for (k, letter) in ('A'..='H').enumerate() {
        let (sine, cosine) = gambol_model::math::sin_cos(std::f64::consts::TAU * k as f64 / 8.0);
        let base = (k % 3) as f64;
        let out = |r: f64, rise: f64| [r * cosine, base + rise, r * sine];
        let name = format!("Branch{letter}_");
        let branch =
            plan.chain(&name, Some(k % 3), &[[0., base + 1., 0.], out(0.6, 1.5), out(1.2, 1.8)], 0.05);
        plan.chain("Leaf", Some(branch), &[out(1.2, 1.8), out(1.5, 1.9)], 0.2);
    }
    plan
}

fn robot_arm() -> Plan {
    let mut plan = Plan::default();
    let points =
        [[0., 0., 0.], [0., 0.3, 0.], [0., 0.8, 0.1], [0., 1.1, 0.5], [0., 1., 0.8], [0., 0.95, 0.9]];
    plan.chain("link", None, &points, 0.08);
    plan
}

fn lamp() -> Plan {
    let mut plan = Plan::default();
    let points = [[0., 0., 0.], [0., 0.1, 0.], [0., 0.4, -0.2], [0., 0.7, 0.1], [0., 0.65, 0.25]];
    plan.chain("Arm", None, &points, 0.04);
    plan
}

fn gun() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Frame", None, &[[0., 1., -0.2], [0., 1., 0.5]], 0.04);
    plan.chain("Trigger", Some(body), &[[0., 0.97, 0.], [0., 0.94, 0.]], 0.01);
    plan.chain("Magazine", Some(body), &[[0., 0.95, 0.1], [0., 0.8, 0.1]], 0.03);
    plan.chain("Slide", Some(body), &[[0., 1.05, -0.1], [0., 1.05, 0.3]], 0.03);
    plan
}

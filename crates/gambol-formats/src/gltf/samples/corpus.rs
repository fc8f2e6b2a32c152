//! Odd bodies of our own making: what people have in their folders, as tubes on bones. Each says what it is.

use gambol_model::{BodyClass, Vec3};
use nalgebra::UnitQuaternion;

use super::{Awkward, Bone, file_of};

mod poses;
mod strangers;

/// A file, and what somebody who looks at it would say.
#[derive(Clone, Debug)]
pub struct OddBody {
    /// What it is called; a file name without an ending.
    pub name: String,
    /// A GLB file.
    pub file: Vec<u8>,
    /// How it gets about.
    pub class: BodyClass,
    /// The gait that comes first; none of somebody who goes nowhere.
    pub gait: Option<&'static str>,
}

/// Bones while they are put together. The creature looks along z, y is up, m.
#[derive(Clone, Default)]
struct Plan {
    bones: Vec<Bone>,
}

type At = [f64; 3];

/// Digits are dropped from names, letters tell apart.
const LETTERS: [char; 4] = ['A', 'B', 'C', 'D'];

impl Plan {
    /// Bones from point to point, called `name`, `name2` and so on; the last one's index.
    fn chain(&mut self, name: &str, parent: Option<usize>, points: &[At], radius: f64) -> usize {
        let mut above = parent;
        for (k, pair) in points.windows(2).enumerate() {
            let number = if k == 0 { String::new() } else { (k + 1).to_string() };
            let bone = Bone {
                name: format!("{name}{number}"),
                parent: above,
                head: pair[0].into(),
                tail: pair[1].into(),
                radius: radius * (1.0 - 0.1 * k as f64 / points.len() as f64),
            };
            self.bones.push(bone);
            above = Some(self.bones.len() - 1);
        }
        above.unwrap_or(0)
    }

    /// The same on both sides.
    fn pair(&mut self, name: &str, parent: usize, points: &[At], radius: f64) {
        for (side, sign) in [(".L", 1.0), (".R", -1.0)] {
            let points: Vec<At> = points.iter().map(|[x, y, z]| [sign * x, *y, *z]).collect();
            let first = self.bones.len();
            self.chain(name, Some(parent), &points, radius);
            for bone in &mut self.bones[first..] {
                bone.name.push_str(side);
            }
        }
    }

    fn moved(mut self, place: impl Fn(Vec3) -> Vec3) -> Self {
        for bone in &mut self.bones {
            (bone.head, bone.tail) = (place(bone.head), place(bone.tail));
        }
        self
    }

    /// With another one three metres to its left.
    fn beside(mut self, other: Self) -> Self {
        let first = self.bones.len();
        for bone in other.moved(|point| point + Vec3::new(3.0, 0.0, 0.0)).bones {
            self.bones.push(Bone { parent: bone.parent.map(|parent| parent + first), ..bone });
        }
        self
    }

    fn scaled(mut self, scale: f64) -> Self {
        for bone in &mut self.bones {
            (bone.head, bone.tail, bone.radius) = (bone.head * scale, bone.tail * scale, bone.radius * scale);
        }
        self
    }

    fn turned(self, axis: Vec3, degrees: f64) -> Self {
        let axis = nalgebra::Unit::new_normalize(axis);
        let turn = UnitQuaternion::from_axis_angle(&axis, degrees.to_radians());
        self.moved(|point| turn * point)
    }

    fn renamed(mut self, name: impl Fn(usize, &str) -> String) -> Self {
        for (k, bone) in self.bones.iter_mut().enumerate() {
            bone.name = name(k, &bone.name);
        }
        self
    }
}

/// A body along z at a height, from tail to head, in so many bones.
fn back(
    plan: &mut Plan,
    names: [&str; 3],
    (height, length): (f64, f64),
    bones: usize,
    radius: f64,
) -> [usize; 3] {
    let at = |k: usize| [0.0, height, length * (k as f64 / bones as f64 - 0.5)];
    let middle = bones / 2;
    let front: Vec<At> = (middle..=bones).map(at).collect();
    let hind: Vec<At> = (0..=middle).rev().map(at).collect();
    let chest = plan.chain(names[0], None, &front[..2], radius);
    let head = plan.chain(names[1], Some(chest), &front[1..], 0.9 * radius);
    let tail = plan.chain(names[2], Some(chest), &hind, 0.8 * radius);
    [chest, head, tail]
}

fn four_legs(leg: f64, tail: f64) -> Plan {
    let mut plan = Plan::default();
    let h = leg + 0.1;
    let hips = plan.chain("Hips", None, &[[0., h, -0.3], [0., h, 0.0]], 0.11);
    let chest = plan.chain("Chest", Some(hips), &[[0., h, 0.0], [0., h, 0.3]], 0.12);
    plan.chain("Neck", Some(chest), &[[0., h, 0.3], [0., h + 0.2, 0.42], [0., h + 0.2, 0.6]], 0.06);
    plan.chain("Tail", Some(hips), &[[0., h, -0.3], [0., h, -0.3 - 0.5 * tail], [0., h, -0.3 - tail]], 0.03);
    let down =
        |z: f64| [[0.1, h, z], [0.1, 0.5 * leg, z + 0.03], [0.1, 0.06, z - 0.03], [0.1, 0.03, z + 0.06]];
    plan.pair("FrontLeg", chest, &down(0.25), 0.04);
    plan.pair("BackLeg", hips, &down(-0.25), 0.045);
    plan
}

fn person() -> Plan {
    let mut plan = Plan::default();
    let hips = plan.chain("Hips", None, &[[0., 0.95, 0.], [0., 1.15, 0.]], 0.13);
    let chest = plan.chain("Spine", Some(hips), &[[0., 1.15, 0.], [0., 1.45, 0.]], 0.14);
    plan.chain("Head", Some(chest), &[[0., 1.5, 0.], [0., 1.75, 0.02]], 0.09);
    plan.pair("Arm", chest, &[[0.2, 1.4, 0.], [0.48, 1.4, 0.], [0.75, 1.4, 0.], [0.9, 1.4, 0.]], 0.045);
    let leg = [[0.1, 0.95, 0.], [0.1, 0.5, 0.02], [0.1, 0.08, -0.02], [0.1, 0.03, 0.15]];
    plan.pair("Leg", hips, &leg, 0.07);
    plan
}

fn many_legs(pairs: usize, names: &str) -> Plan {
    let mut plan = Plan::default();
    let length = 0.12 * pairs as f64;
    let at = |k: usize| [0., 0.2, length * (0.5 - k as f64 / pairs as f64)];
    let points: Vec<At> = (0..=pairs).map(at).collect();
    let first = plan.bones.len();
    plan.chain("Body", None, &points, 0.06);
    for pair in 0..pairs {
        let z = 0.5 * (points[pair][2] + points[pair + 1][2]);
        let leg = [[0.05, 0.2, z], [0.2, 0.3, z], [0.32, 0.02, z]];
        plan.pair(&format!("{names}{}_", pair + 1), first + pair, &leg, 0.015);
    }
    plan
}

fn fish(length: f64, radius: f64, fins: bool) -> Plan {
    let mut plan = Plan::default();
    let [chest, ..] = back(&mut plan, ["Body", "Head", "Tail"], (0.5, length), 8, radius);
    if fins {
        let r = radius;
        plan.pair("Fin", chest, &[[0.8 * r, 0.5, 0.1], [2.2 * r, 0.45, -0.05]], 0.2 * r);
    }
    plan
}

fn dolphin(named: bool) -> Plan {
    let mut plan = Plan::default();
    let [chest, _, tail] = back(&mut plan, ["Body", "Head", "Tail"], (0.3, 2.2), 8, 0.22);
    let (flipper, fluke) = if named { ("Flipper", "Fluke") } else { ("Bone", "End") };
    plan.pair(flipper, chest, &[[0.18, 0.2, 0.3], [0.35, 0.08, 0.1], [0.45, 0.02, 0.0]], 0.035);
    plan.pair(fluke, tail, &[[0.02, 0.3, -1.1], [0.3, 0.3, -1.25]], 0.05);
    plan
}

fn manta() -> Plan {
    let mut plan = Plan::default();
    let [chest, ..] = back(&mut plan, ["Spine", "Head", "Tail"], (0.5, 1.6), 6, 0.12);
    plan.pair(
        "Flipper",
        chest,
        &[[0.1, 0.5, 0.], [0.5, 0.5, -0.05], [0.9, 0.5, -0.12], [1.2, 0.5, -0.2]],
        0.11,
    );
    plan
}

fn turtle() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Shell", None, &[[0., 0.3, -0.4], [0., 0.3, 0.4]], 0.25);
    plan.chain("Head", Some(body), &[[0., 0.3, 0.4], [0., 0.33, 0.65]], 0.08);
    plan.pair("FrontFlipper", body, &[[0.25, 0.28, 0.25], [0.6, 0.25, 0.15], [0.8, 0.24, 0.]], 0.09);
    plan.pair("BackFlipper", body, &[[0.2, 0.28, -0.35], [0.4, 0.26, -0.5], [0.5, 0.25, -0.6]], 0.08);
    plan
}

/// Legs that stick out, and a shell.
fn pond_turtle() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Shell", None, &[[0., 0.08, -0.1], [0., 0.08, 0.1]], 0.07);
    plan.chain("Head", Some(body), &[[0., 0.09, 0.12], [0., 0.1, 0.19]], 0.025);
    plan.chain("Tail", Some(body), &[[0., 0.06, -0.12], [0., 0.04, -0.2]], 0.008);
    for (name, z, ahead) in [("FrontLeg", 0.08, 1.0), ("BackLeg", -0.08, -1.0)] {
        let leg = [
            [0.06, 0.06, z],
            [0.11, 0.05, z + 0.02 * ahead],
            [0.13, 0.015, z + 0.01 * ahead],
            [0.14, 0.008, z + 0.04],
        ];
        plan.pair(name, body, &leg, 0.014);
    }
    plan
}

/// With so many pairs of wings, and legs if `legs`.
fn flier(wings: usize, span: f64, legs: bool) -> Plan {
    let mut plan = Plan::default();
    let h = if legs { 0.35 } else { 0.6 };
    let body = plan.chain("Body", None, &[[0., h, -0.2], [0., h, 0.15]], 0.08);
    plan.chain("Head", Some(body), &[[0., h + 0.02, 0.15], [0., h + 0.08, 0.32]], 0.05);
    plan.chain("Tail", Some(body), &[[0., h, -0.2], [0., h, -0.4]], 0.04);
    for pair in 0..wings {
        let z = 0.05 - 0.12 * pair as f64;
        let wing = [[0.06, h + 0.05, z], [0.2 * span, h + 0.08, z], [0.5 * span, h + 0.06, z - 0.03]];
        let name = if wings == 1 { "Wing".to_owned() } else { format!("Wing{}_", LETTERS[pair % 4]) };
        plan.pair(&name, body, &wing, 0.04);
    }
    if legs {
        plan.pair(
            "Leg",
            body,
            &[[0.05, h, -0.05], [0.05, 0.5 * h, -0.02], [0.05, 0.02, 0.0], [0.05, 0.01, 0.07]],
            0.015,
        );
    }
    plan
}

/// Short front legs, and long hind ones that are folded to leap.
fn frog() -> Plan {
    let mut plan = Plan::default();
    let hips = plan.chain("Hips", None, &[[0., 0.07, -0.06], [0., 0.08, 0.0]], 0.03);
    let chest = plan.chain("Chest", Some(hips), &[[0., 0.08, 0.0], [0., 0.09, 0.06]], 0.035);
    plan.chain("Head", Some(chest), &[[0., 0.09, 0.06], [0., 0.1, 0.12]], 0.03);
    plan.pair(
        "FrontLeg",
        chest,
        &[[0.03, 0.08, 0.05], [0.05, 0.04, 0.04], [0.05, 0.008, 0.06], [0.05, 0.005, 0.08]],
        0.008,
    );
    plan.pair(
        "BackLeg",
        hips,
        &[
            [0.03, 0.06, -0.06],
            [0.05, 0.07, 0.03],
            [0.05, 0.02, -0.07],
            [0.05, 0.008, 0.0],
            [0.05, 0.005, 0.03],
        ],
        0.011,
    );
    plan
}

/// Four legs and wings, 5 m from head to tail.
fn dragon() -> Plan {
    let mut plan = four_legs(0.45, 0.9).scaled(3.0);
    let at = |x: f64, y: f64, z: f64| [x, y + 1.65, z];
    plan.pair(
        "Wing",
        1,
        &[at(0.3, 0.3, 0.6), at(1.6, 0.9, 0.5), at(3.0, 0.7, 0.2), at(4.2, 0.5, -0.3)],
        0.12,
    );
    plan
}

fn ghost() -> Plan {
    let mut plan = Plan::default();
    let body = plan.chain("Root", None, &[[0., 0.8, 0.], [0., 1.4, 0.]], 0.25);
    plan.chain("Head", Some(body), &[[0., 1.4, 0.], [0., 1.75, 0.]], 0.15);
    plan.pair("Arm", body, &[[0.25, 1.3, 0.], [0.5, 1.1, 0.], [0.7, 0.95, 0.]], 0.05);
    plan
}

fn hand() -> Plan {
    let mut plan = Plan::default();
    let palm = plan.chain("Palm", None, &[[0., 0.1, 0.], [0., 0.2, 0.]], 0.05);
    for (finger, x) in
        [("Index", 0.03), ("MiddleFinger", 0.01), ("RingFinger", -0.01), ("Pinky", -0.03), ("Thumb", 0.06)]
    {
        plan.chain(finger, Some(palm), &[[x, 0.2, 0.], [x, 0.24, 0.], [x, 0.27, 0.], [x, 0.29, 0.]], 0.009);
    }
    plan
}

fn tank() -> Plan {
    let mut plan = Plan::default();
    let hull = plan.chain("Hull", None, &[[0., 0.5, -1.], [0., 0.5, 1.]], 0.4);
    let turret = plan.chain("Turret", Some(hull), &[[0., 0.9, 0.], [0., 1.1, 0.2]], 0.3);
    plan.chain("Barrel", Some(turret), &[[0., 1.0, 0.3], [0., 1.0, 1.6]], 0.05);
    for (k, z) in [-0.8, 0.0, 0.8].into_iter().enumerate() {
        plan.pair(&format!("Wheel{k}_"), hull, &[[0.5, 0.2, z], [0.65, 0.2, z]], 0.2);
    }
    plan
}

fn plant() -> Plan {
    let mut plan = Plan::default();
    let stem = plan.chain("Stem", None, &[[0., 0., 0.], [0., 0.4, 0.], [0., 0.8, 0.02]], 0.03);
    for (k, [x, z]) in [[0.3, 0.1], [-0.3, 0.05], [0.05, -0.3], [-0.1, 0.3]].into_iter().enumerate() {
        plan.chain(
            &format!("Leaf{}_", LETTERS[k]),
            Some(stem),
            &[[0., 0.8, 0.], [0.5 * x, 0.9, 0.5 * z], [x, 0.85, z]],
            0.04,
        );
    }
    plan
}

fn snake(bones: usize, length: f64) -> Plan {
    let mut plan = Plan::default();
    back(&mut plan, ["Body", "Head", "Tail"], (0.03, length), bones, 0.03);
    plan
}

fn lone(bones: usize) -> Plan {
    let mut plan = Plan::default();
    let points: Vec<At> = (0..=bones).map(|k| [0., 0.2 + 0.3 * k as f64, 0.]).collect();
    plan.chain("Bone", None, &points, 0.1);
    plan
}

fn nameless(plan: Plan) -> Plan {
    plan.renamed(|_, _| String::new())
}

/// What hips, spine, head, arm and leg are called.
const GERMAN: [&str; 5] = ["Hüfte", "Wirbelsäule", "Kopf", "Arm", "Bein"];
const SPANISH: [&str; 5] = ["cadera", "columna", "cabeza", "brazo", "pierna"];
const CHINESE: [&str; 5] = ["臀", "脊柱", "头", "臂", "腿"];

/// A person's bones in another language; their numbers and sides stay.
fn in_words(words: [&'static str; 5]) -> impl Fn(usize, &str) -> String {
    move |_, name| {
        let known = ["Hips", "Spine", "Head", "Arm", "Leg"].into_iter().zip(words);
        let mut said = known.filter_map(|(known, word)| Some(format!("{word}{}", name.strip_prefix(known)?)));
        said.next().unwrap_or_else(|| name.to_owned())
    }
}

/// At least forty bodies, the plain ones first.
pub fn odd_bodies() -> Vec<OddBody> {
    use BodyClass::{Belly, Fish, Floats, Hand, Legs, Paddles, Plant, Ray, Thing, Whale, Wheels, Wings};
    let mut all = Vec::new();
    let mut add = |name: &str, plan: Plan, awkward: Awkward, class: BodyClass, gait: Option<&'static str>| {
        all.push(OddBody { name: name.to_owned(), file: file_of(&plan.bones, &awkward), class, gait });
    };
    let plain = Awkward::PLAIN;
    let (walk, swim, slither, fly) = (Some("walk"), Some("swim"), Some("slither"), Some("fly"));
    for (name, plan, class, gait) in [
        ("dog", four_legs(0.45, 0.4), Legs, walk),
        ("person", person(), Legs, walk),
        ("ant", many_legs(3, "Leg"), Legs, walk),
        ("spider", many_legs(4, "Leg"), Legs, walk),
        ("centipede", many_legs(12, "Leg"), Legs, walk),
        ("long-tail", four_legs(0.3, 2.0), Legs, walk),
        ("giraffe", four_legs(1.6, 0.5), Legs, walk),
        ("dachshund", four_legs(0.14, 0.2), Legs, walk),
        ("fish", fish(0.9, 0.09, false), Fish, swim),
        ("fish-with-fins", fish(0.9, 0.09, true), Fish, swim),
        ("shark", fish(3.2, 0.3, true), Fish, swim),
        ("dolphin", dolphin(true), Whale, swim),
        ("dolphin-nameless-flippers", dolphin(false), Whale, swim),
        ("manta", manta(), Ray, swim),
        ("turtle", turtle(), Paddles, swim),
        ("snake", snake(16, 1.6), Belly, slither),
        ("snake-300-bones", snake(300, 6.0), Belly, slither),
        ("gull", flier(1, 1.2, true), Wings, fly),
        ("bee", flier(1, 0.8, false), Wings, fly),
        ("dragonfly", flier(2, 1.0, false), Wings, fly),
        ("six-wings", flier(3, 1.4, false), Wings, fly),
        ("butterfly", flier(2, 1.2, false).scaled(0.3), Wings, fly),
        ("bat", flier(1, 1.3, true).scaled(0.3), Wings, fly),
        ("dragon", dragon(), Wings, fly),
        ("frog", frog(), Legs, walk),
        ("pond-turtle", pond_turtle(), Legs, walk),
        ("eel-that-swims", fish(0.7, 0.05, true), Fish, swim),
        ("ghost", ghost(), Floats, Some("hover")),
        ("hand", hand(), Hand, None),
        ("tank", tank(), Wheels, None),
        ("plant", plant(), Plant, None),
        ("one-bone", lone(1), Thing, None),
        ("two-bones", lone(2), Thing, None),
    ] {
        add(name, plan, plain, class, gait);
    }
    let mirror = |point: Vec3| Vec3::new(-point.x, point.y, point.z);
    let russian = |k: usize, _: &str| {
        ["таз", "грудь", "шея", "голова", "хвост", "лапа"][k % 6].to_owned() + &k.to_string()
    };
    let japanese =
        |k: usize, _: &str| ["腰", "胸", "首", "頭", "尾", "脚"][k % 6].to_owned() + &k.to_string();
    for (name, plan, awkward, class, gait) in [
        ("dog-mirrored", four_legs(0.45, 0.4).moved(mirror), plain, Legs, walk),
        ("dog-0.01", four_legs(0.45, 0.4).scaled(0.01), plain, Legs, walk),
        ("dog-100", four_legs(0.45, 0.4).scaled(100.0), plain, Legs, walk),
        ("dog-turned", four_legs(0.45, 0.4).turned(Vec3::y(), 90.0), plain, Legs, walk),
        ("dog-askew", four_legs(0.45, 0.4).turned(Vec3::y(), 37.0), plain, Legs, walk),
        ("dog-backwards", four_legs(0.45, 0.4).turned(Vec3::y(), 180.0), plain, Legs, walk),
        ("dog-two-skins", four_legs(0.45, 0.4), Awkward { two_skins: true, ..plain }, Legs, walk),
        (
            "dog-in-matrices",
            four_legs(0.45, 0.4),
            Awkward { matrices: true, scale: 0.01, turned: true, ..plain },
            Legs,
            walk,
        ),
        ("dog-no-names", four_legs(0.45, 0.4).renamed(|_, _| String::new()), plain, Legs, walk),
        ("dog-russian", four_legs(0.45, 0.4).renamed(russian), plain, Legs, walk),
        ("dog-japanese", four_legs(0.45, 0.4).renamed(japanese), plain, Legs, walk),
        ("person-lying-on-back", person().turned(Vec3::x(), -90.0), plain, Legs, walk),
        ("person-lying-on-face", person().turned(Vec3::x(), 90.0), plain, Legs, walk),
        ("person-0.01", person().scaled(0.01), plain, Legs, walk),
        ("person-no-names", person().renamed(|_, _| String::new()), plain, Legs, walk),
        ("fish-turned", fish(0.9, 0.09, false).turned(Vec3::y(), 90.0), plain, Fish, swim),
        ("fish-no-names", fish(0.9, 0.09, false).renamed(|_, _| String::new()), plain, Fish, swim),
        ("snake-no-names", snake(16, 1.6).renamed(|_, _| String::new()), plain, Belly, slither),
        ("gull-no-names", flier(1, 1.4, true).renamed(|_, _| String::new()), plain, Wings, fly),
        ("bee-japanese", flier(1, 0.9, false).renamed(japanese), plain, Wings, fly),
        ("dog-z-up", four_legs(0.45, 0.4).turned(Vec3::x(), 90.0), plain, Legs, walk),
        ("dog-nose-up", four_legs(0.45, 0.4).turned(Vec3::x(), -90.0), plain, Legs, walk),
        ("dog-on-its-side", four_legs(0.45, 0.4).turned(Vec3::z(), 90.0), plain, Legs, walk),
        ("dog-on-its-back", four_legs(0.45, 0.4).turned(Vec3::z(), 180.0), plain, Legs, walk),
        ("dog-z-up-no-names", nameless(four_legs(0.45, 0.4)).turned(Vec3::x(), 90.0), plain, Legs, walk),
        ("person-on-its-side", person().turned(Vec3::z(), 90.0), plain, Legs, walk),
        ("person-faces-back", person().turned(Vec3::y(), 180.0), plain, Legs, walk),
        ("person-faces-x", person().turned(Vec3::y(), 90.0), plain, Legs, walk),
        ("person-german", person().renamed(in_words(GERMAN)), plain, Legs, walk),
        ("person-spanish", person().renamed(in_words(SPANISH)), plain, Legs, walk),
        ("person-chinese", person().renamed(in_words(CHINESE)), plain, Legs, walk),
        ("robot-dog", four_legs(0.45, 0.4), Awkward { rigid: true, ..plain }, Legs, walk),
        ("robot-person", person(), Awkward { rigid: true, ..plain }, Legs, walk),
        ("person-and-dog", person().beside(four_legs(0.45, 0.4)), plain, Legs, walk),
        ("manta-no-names", nameless(manta()), plain, Ray, swim),
        ("fish-with-fins-no-names", nameless(fish(0.9, 0.09, true)), plain, Fish, swim),
        ("gull-askew", flier(1, 1.2, true).turned(Vec3::y(), 37.0), plain, Wings, fly),
    ] {
        add(name, plan, awkward, class, gait);
    }
    for (name, plan, class, gait) in strangers::strangers().into_iter().chain(poses::posed()) {
        add(name, plan, plain, class, gait);
    }
    all
}

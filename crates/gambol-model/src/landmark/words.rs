//! What ordinary names say: `L_calf`, `FR_foot`, `mixamorig:LeftForeArm`, `Bip01 R Toe0`, `lfemur`.
//!
//! A name is cut into words; each word is a part of the body, a side, a row or nothing. What comes out is a claim:
//! the geometry confirms it or not.

use super::{LandmarkName, Role, Row, Side};
use crate::Creature;

/// Parts of a body that names speak of, as a set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts(u32);

impl Parts {
    pub(super) const FOOT: Self = Self(1);
    pub(super) const TOE: Self = Self(1 << 1);
    pub(super) const ANKLE: Self = Self(1 << 2);
    pub(super) const SHIN: Self = Self(1 << 3);
    pub(super) const KNEE: Self = Self(1 << 4);
    pub(super) const LEG: Self = Self(1 << 5);
    pub(super) const HAND: Self = Self(1 << 6);
    pub(super) const WRIST: Self = Self(1 << 7);
    pub(super) const FOREARM: Self = Self(1 << 8);
    pub(super) const ELBOW: Self = Self(1 << 9);
    pub(super) const ARM: Self = Self(1 << 10);
    pub(super) const HEAD: Self = Self(1 << 11);
    pub(super) const TAIL: Self = Self(1 << 12);
    pub(super) const SPINE: Self = Self(1 << 13);
    /// Ears, eyes, antennae, jaws: on the head, and no limb to walk or reach with.
    pub(super) const TRINKET: Self = Self(1 << 14);
    /// A part that is no landmark but tells a word from a chance letter: `lscapula`.
    pub(super) const OTHER: Self = Self(1 << 15);

    /// Fins, flippers and flukes: they beat water, and carry nobody on the ground.
    pub(super) const FIN: Self = Self(1 << 16);
    /// Wings: arms that beat the air.
    pub(super) const WING: Self = Self(1 << 17);

    pub(super) const ANY_LEG: Self = Self(0b11_1111);
    pub(super) const ANY_ARM: Self = Self(0b111_1100_0000);

    pub(super) fn has(self, any_of: Self) -> bool {
        self.0 & any_of.0 != 0
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    fn remove(&mut self, other: Self) {
        self.0 &= !other.0;
    }
}

/// What the names of a body and its joints say about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) parts: Parts,
    pub(super) side: Option<Side>,
    pub(super) row: Option<Row>,
}

impl Words {
    /// Reads one name.
    pub(super) fn read(name: &str) -> Self {
        let mut claims = Claims::default();
        for token in words_of_name(name) {
            claims.hear(&token);
        }
        claims.conclude()
    }

    /// What somebody said explicitly of this body.
    pub(super) fn overrule(&mut self, name: LandmarkName) {
        self.side = name.side.or(self.side);
        self.row = name.row.filter(|row| !matches!(row, Row::Number(_))).or(self.row);
        match name.role {
            Role::Head => self.parts.add(Parts::HEAD),
            Role::Tail => self.parts.add(Parts::TAIL),
            _ => {}
        }
    }

    fn join(self, other: Self) -> Self {
        Self {
            parts: Parts(self.parts.0 | other.parts.0),
            side: self.side.or(other.side),
            row: self.row.or(other.row),
        }
    }
}

/// What each body is called, its own name before those of its joints.
pub(super) fn of_bodies(creature: &Creature) -> Vec<Words> {
    let of_body = |body: &crate::Body| {
        let joints = creature.joints[body.joints.clone()].iter().map(|joint| Words::read(&joint.name));
        joints.fold(Words::read(&body.name), Words::join)
    };
    creature.bodies.iter().map(of_body).collect()
}

/// Cuts a name into lower-case words: at punctuation, before capitals, around digits. What stands before the last
/// `:`, `|` or `/` is a namespace. Digits are dropped.
pub fn words_of_name(name: &str) -> Vec<String> {
    let local = name.rsplit([':', '|', '/']).find(|part| !part.is_empty()).unwrap_or(name);
    let chars: Vec<char> = local.chars().collect();
    let mut words = vec![String::new()];
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|k| chars[k]);
        let after = chars.get(i + 1);
        // `leftFoot` is cut before F, `FLFoot` between L and F.
        let hump = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase() || b.is_uppercase() && after.is_some_and(|a| a.is_lowercase())
            });
        if !c.is_alphabetic() || hump {
            words.push(String::new());
        }
        if c.is_alphabetic() {
            words.last_mut().expect("never empty").extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The words of one name, before they are weighed against each other.
#[derive(Default)]
struct Claims {
    parts: Parts,
    /// Sides by how plainly they are said: `left`, `FL`, `l`.
    sides: [Vec<Side>; 3],
    row: Option<Row>,
    back: bool,
    lower: bool,
    fore: bool,
    /// How often a middle is said.
    middles: usize,
}

impl Claims {
    fn hear(&mut self, token: &str) -> bool {
        if let Some(part) = part(token) {
            self.parts.add(part);
        } else if let Some((row, side)) = robot_code(token) {
            self.row = self.row.or(Some(row));
            self.sides[1].push(side);
        } else {
            match token {
                "left" => self.sides[0].push(Side::Left),
                "right" => self.sides[0].push(Side::Right),
                "l" => self.sides[2].push(Side::Left),
                "r" => self.sides[2].push(Side::Right),
                "front" | "anterior" => self.row = Some(Row::Front),
                "rear" | "hind" | "posterior" => self.row = Some(Row::Hind),
                "mid" | "middle" => self.middles += 1,
                "fore" => self.fore = true,
                "back" => self.back = true,
                "lower" | "low" => self.lower = true,
                "upper" | "up" => {}
                _ => return self.hear_glued(token),
            }
        }
        true
    }

    /// `lfoot`, `leftfoot`, `bthigh`, `lowerleg`: prefixes and a part without anything between them.
    fn hear_glued(&mut self, token: &str) -> bool {
        const PREFIXES: [(&str, &str); 16] = [
            ("left", "left"),
            ("right", "right"),
            ("front", "front"),
            ("fore", "fore"),
            ("hind", "hind"),
            ("rear", "rear"),
            ("back", "back"),
            ("middle", "middle"),
            ("mid", "mid"),
            ("lower", "lower"),
            ("upper", "upper"),
            ("l", "left"),
            ("r", "right"),
            ("f", "front"),
            ("b", "back"),
            ("h", "hind"),
        ];
        // No such word is longer; it keeps hostile names cheap.
        const LONGEST: usize = 24;
        if token.len() > LONGEST {
            return false;
        }
        for (prefix, meaning) in PREFIXES {
            let Some(rest) = token.strip_prefix(prefix) else { continue };
            let known = match part(rest) {
                Some(part) => {
                    self.parts.add(part);
                    true
                }
                None if rest == "back" => self.hear(rest),
                None => prefix.len() > 1 && self.hear_glued(rest),
            };
            if known {
                return self.hear(meaning);
            }
        }
        false
    }

    fn conclude(mut self) -> Words {
        let limb = self.parts.has(Parts::ANY_LEG) || self.parts.has(Parts::ANY_ARM);
        let side = self.side();
        if self.fore && self.parts.has(Parts::ARM) || self.lower && self.parts.has(Parts::ARM) {
            self.parts.add(Parts::FOREARM);
        } else if self.fore {
            self.row = self.row.or(Some(Row::Front));
        }
        if self.lower && self.parts.has(Parts::LEG) {
            self.parts.add(Parts::SHIN);
        }
        // A back leg is behind; a back alone is a spine.
        if self.back && (limb || side.is_some()) {
            self.row = self.row.or(Some(Row::Hind));
        } else if self.back {
            self.parts.add(Parts::SPINE);
        }
        // The middle one; of eight legs `MidFront` and `MidBack` are rows that have no word of their own.
        if self.middles > 0 {
            self.row = if self.row.is_none() { Some(Row::Middle) } else { None };
        }
        if self.parts.has(Parts::TRINKET) {
            self.parts.remove(Parts::HEAD); // head_camera, head_ear
        }
        Words { parts: self.parts, side, row: self.row }
    }

    /// The plainest side the name says, unless it says both equally plainly.
    fn side(&self) -> Option<Side> {
        let said = self.sides.iter().find(|sides| !sides.is_empty())?;
        said.iter().all(|side| *side == said[0]).then_some(said[0])
    }
}

fn part(word: &str) -> Option<Parts> {
    Some(match word {
        "foot" | "feet" | "paw" | "hoof" | "sole" => Parts::FOOT,
        "toe" | "toes" | "tarsus" => Parts::TOE,
        "ankle" | "hock" => Parts::ANKLE,
        "shin" | "shank" | "calf" | "tibia" | "crus" | "lowleg" => Parts::SHIN,
        "knee" | "stifle" => Parts::KNEE,
        "leg" | "thigh" | "femur" | "coxa" | "upleg" => Parts::LEG,
        "hand" | "palm" | "gripper" | "manus" => Parts::HAND,
        "wrist" | "carpus" => Parts::WRIST,
        "forearm" | "radius" | "ulna" | "lowarm" => Parts::FOREARM,
        "elbow" => Parts::ELBOW,
        "arm" | "humerus" | "uparm" => Parts::ARM,
        "wing" | "wings" | "feather" | "pinion" => Parts::WING.or(Parts::ARM),
        "fin" | "fins" | "flipper" | "flippers" | "fluke" | "flukes" => Parts::FIN,
        "head" | "skull" | "cranium" => Parts::HEAD,
        "tail" | "caudal" => Parts::TAIL,
        "spine" | "lumbar" | "thorax" | "thoracic" | "vertebra" | "vertebrae" | "chest" | "abdomen"
        | "waist" | "loin" => Parts::SPINE,
        "ear" | "eye" | "antenna" | "horn" | "whisker" | "jaw" | "mandible" | "tongue" | "camera" | "cam"
        | "tooth" | "teeth" | "nose" | "hair" | "proboscis" | "labrum" | "rostrum" | "haustellum" => {
            Parts::TRINKET
        }
        "hip" | "shoulder" | "scapula" | "clavicle" | "collar" | "finger" | "fingers" | "thumb" | "neck"
        | "pelvis" | "torso" | "trunk" | "pastern" | "metatarsus" | "metacarpus" | "cannon" | "hipjoint" => {
            Parts::OTHER
        }
        _ => return None,
    })
}

/// The two letters by which robots name their legs: front, rear, hind, back or middle, left or right.
fn robot_code(word: &str) -> Option<(Row, Side)> {
    let row = |c| match c {
        'f' => Some(Row::Front),
        'h' | 'b' => Some(Row::Hind),
        'm' => Some(Row::Middle),
        _ => None,
    };
    let side = |c| match c {
        'l' => Some(Side::Left),
        'r' => Some(Side::Right),
        _ => None,
    };
    let mut letters = word.chars();
    let (first, second) = (letters.next()?, letters.next()?);
    if letters.next().is_some() {
        return None;
    }
    match (first, second) {
        // r is rear where it stands before a side, and right where it stands beside a row.
        ('r', 'l' | 'r') => Some((Row::Hind, side(second)?)),
        _ => row(first).zip(side(second)).or_else(|| row(second).zip(side(first))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        assert_eq!(words_of_name("mixamorig:LeftForeArm"), ["left", "fore", "arm"]);
        assert_eq!(words_of_name("lThigh"), ["l", "thigh"]);
        assert_eq!(words_of_name("FLFoot_2"), ["fl", "foot"]);
        assert_eq!(words_of_name("Bip01 R Toe0"), ["bip", "r", "toe"]);
        assert_eq!(words_of_name("ORG-foot.L.001"), ["org", "foot", "l"]);
        assert_eq!(words_of_name(""), [""; 0]);
        assert_eq!(words_of_name("::"), [""; 0]);
    }

    #[test]
    fn words_say_part_side_and_row() {
        use {Row::*, Side::*};
        let table = [
            ("L_calf", Parts::SHIN, Some(Left), None),
            ("right_shin", Parts::SHIN, Some(Right), None),
            ("lower_leg.R", Parts::SHIN, Some(Right), None),
            ("FR_foot", Parts::FOOT, Some(Right), Some(Front)),
            ("RL_calf_joint", Parts::SHIN, Some(Left), Some(Hind)),
            ("LH_HAA_knee", Parts::KNEE, Some(Left), Some(Hind)),
            ("RF_SHANK", Parts::SHIN, Some(Right), Some(Front)),
            ("mixamorig:LeftForeArm", Parts::FOREARM, Some(Left), None),
            ("lfoot", Parts::FOOT, Some(Left), None),
            ("rtibia", Parts::SHIN, Some(Right), None),
            ("bfoot", Parts::FOOT, None, Some(Hind)),
            ("back_left_paw", Parts::FOOT, Some(Left), Some(Hind)),
            ("lower_leg_front_leftR_link", Parts::SHIN, Some(Left), Some(Front)),
            ("MidLeg.R", Parts::LEG, Some(Right), Some(Middle)),
            ("MidFrontLeg2.L", Parts::LEG, Some(Left), None),
            ("MidBackLeg2.L", Parts::LEG, Some(Left), None),
            ("back", Parts::SPINE, None, None),
            ("lowerback", Parts::SPINE, None, None),
            ("tail.3", Parts::TAIL, None, None),
            ("Bip01 Head", Parts::HEAD, None, None),
        ];
        for (name, part, side, row) in table {
            let words = Words::read(name);
            assert!(words.parts.has(part), "{name}: {words:?}");
            assert_eq!((words.side, words.row), (side, row), "{name}");
        }
    }

    #[test]
    fn words_that_only_look_like_parts_say_nothing() {
        for name in ["", "link", "handle", "header", "football", "alarm", "rear", "body 7", "été", "ljung"]
        {
            assert_eq!(Words::read(name).parts, Parts::default(), "{name}");
        }
        assert_eq!(Words::read("l_r_foot").side, None, "both sides at once is none");
    }
}

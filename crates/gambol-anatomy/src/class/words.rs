//! Words of bones that tell what a body is.

pub(super) const FIN: &[&str] = &["fin", "fins", "flipper", "flippers", "fluke", "flukes"];
pub(super) const FLUKE: &[&str] = &["fluke", "flukes"];
pub(super) const WING: &[&str] = &["wing", "wings"];
pub(super) const LEG: &[&str] = &[
    "leg", "legs", "foot", "feet", "paw", "hoof", "thigh", "shin", "calf", "knee", "toe", "toes", "femur",
    "tibia", "upleg", "hock", "ankle", "coxa", "hindleg", "foreleg",
];
pub(super) const ARM: &[&str] =
    &["arm", "arms", "hand", "forearm", "upperarm", "lowerarm", "elbow", "claw", "tentacle"];
pub(super) const FINGER: &[&str] = &[
    "finger",
    "fingers",
    "thumb",
    "index",
    "middle",
    "ring",
    "pinky",
    "knuckle",
    "phalanx",
    "metacarpal",
    "proximal",
    "intermediate",
    "distal",
];
pub(super) const WHEEL: &[&str] = &[
    "wheel",
    "wheels",
    "track",
    "tracks",
    "tread",
    "treads",
    "tire",
    "tyre",
    "turret",
    "axle",
    "chassis",
    "rotor",
    "rotors",
    "propeller",
    "aileron",
    "rudder",
    "fuselage",
];
pub(super) const LEAF: &[&str] = &["leaf", "leaves", "branch", "branches", "twig", "stem", "petal", "frond"];
pub(super) const SWIMS: &[&str] =
    &["swim", "swimming", "fish", "shark", "dolphin", "whale", "eel", "orca", "ray", "manta"];
pub(super) const FLIES: &[&str] =
    &["fly", "flying", "flap", "flapping", "glide", "bird", "bat", "soar", "hover"];
pub(super) const LIES: &[&str] = &["snake", "worm", "slither", "slug", "caterpillar", "serpent"];

/// `wing1`'s number is dropped by [`gambol_model::words_of_name`]; words that artists run together are taken apart here: `finright`.
pub(super) fn singular(word: String) -> String {
    for part in ["wing", "fin", "leg", "arm", "foot", "wheel"] {
        let rest = word.strip_prefix(part).or_else(|| word.strip_suffix(part));
        if rest.is_some_and(|rest| ["left", "right", "l", "r", "front", "back", "hind"].contains(&rest)) {
            return part.to_owned();
        }
    }
    word
}

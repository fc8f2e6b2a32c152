//! What parts of a body are called in names.

use gambol_anatomy::LimbPart;
use gambol_model::Row;

/// Words in the names of joints and bodies, with what a person says for one and for both of them. The first that
/// occurs is taken.
const PARTS: [(&str, &str, &str); 34] = [
    ("antenna", "antenna", "antennae"),
    ("flagellum", "antenna", "antennae"),
    ("jaw", "jaw", "jaws"),
    ("palp", "palp", "palps"),
    ("knee", "knee", "knees"),
    ("elbow", "elbow", "elbows"),
    ("ankle", "ankle", "ankles"),
    ("hock", "hock", "hocks"),
    ("wrist", "wrist", "wrists"),
    ("pastern", "pastern", "pasterns"),
    ("finger", "finger", "fingers"),
    ("thumb", "thumb", "thumbs"),
    ("wing", "wing", "wings"),
    ("paw", "paw", "paws"),
    ("hoof", "hoof", "hooves"),
    ("toe", "toe", "toes"),
    ("shoulder", "shoulder", "shoulders"),
    ("scapula", "shoulder blade", "shoulder blades"),
    ("clavicle", "collar bone", "collar bones"),
    ("collar", "collar bone", "collar bones"),
    ("upperarm", "shoulder", "shoulders"),
    ("forearm", "elbow", "elbows"),
    ("shin", "knee", "knees"),
    ("shank", "knee", "knees"),
    ("calf", "knee", "knees"),
    ("tibia", "knee", "knees"),
    ("tarsus", "foot", "feet"),
    ("thigh", "hip", "hips"),
    ("femur", "hip", "hips"),
    ("coxa", "hip", "hips"),
    ("hip", "hip", "hips"),
    ("foot", "foot", "feet"),
    ("hand", "hand", "hands"),
    ("ear", "ear", "ears"),
];

/// One or both of what a name speaks of.
pub(super) fn of_name(name: &str) -> Option<[&'static str; 2]> {
    let name = name.to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    // A short word hides in others (`ear` in `rear`): it has to stand alone or with an s.
    let says = |part: &str| {
        words
            .iter()
            .any(|word| if part.len() > 3 { word.contains(part) } else { word.trim_end_matches('s') == part })
    };
    PARTS.iter().find(|(part, ..)| says(part)).map(|&(_, one, both)| [one, both])
}

/// A name without sides and numbers: `L_flap.2` is a flap.
pub(super) fn stem(name: &str) -> String {
    let is_side = |word: &&str| !matches!(word.to_lowercase().as_str(), "l" | "r" | "left" | "right" | "");
    let words: Vec<&str> = name.split(|c: char| !c.is_alphabetic()).filter(is_side).collect();
    if words.is_empty() { name.to_owned() } else { words.join(" ") }
}

pub(super) fn plural(one: &str) -> String {
    if one.ends_with('s') { one.to_owned() } else { format!("{one}s") }
}

/// `front `, `middle `, `first `, `top `; empty where there is one row only.
pub(super) fn row(part: LimbPart, row: Option<Row>, rows: usize) -> String {
    let Some(row) = row.filter(|_| rows > 1) else { return String::new() };
    let word = match (row, part, rows) {
        (Row::Front, ..) => "front",
        (Row::Middle, ..) => "middle",
        (Row::Hind, ..) => "hind",
        // "Upper arms" would be something else.
        (Row::Number(1), LimbPart::Arm, 2) => "top",
        (Row::Number(2), LimbPart::Arm, 2) => "bottom",
        (Row::Number(1), ..) => "first",
        (Row::Number(2), ..) => "second",
        (Row::Number(3), ..) => "third",
        (Row::Number(4), ..) => "fourth",
        (Row::Number(number), ..) => return format!("{number}th "),
    };
    format!("{word} ")
}

/// once, twice, three times
pub(super) fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        3 => "three times".to_owned(),
        _ => format!("{count} times"),
    }
}

/// `a`, `a and b`, `a, b and c`
pub(super) fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_parts() {
        assert_eq!(of_name("toes.front.left"), Some(["toe", "toes"]));
        assert_eq!(of_name("RearHinge"), None);
        assert_eq!(of_name("LeftForeArm"), Some(["elbow", "elbows"]));
        assert_eq!(of_name("R_ear"), Some(["ear", "ears"]));
    }

    #[test]
    fn stems_have_no_side_and_no_number() {
        assert_eq!(stem("L_flap.2"), "flap");
        assert_eq!(stem("12"), "12");
    }

    #[test]
    fn lists_read_like_sentences() {
        let words = |n: usize| ["a", "b", "c"][..n].iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            (list(&words(1)), list(&words(2)), list(&words(3))),
            ("a".into(), "a and b".into(), "a, b and c".into())
        );
    }
}

//! VRM 0.x and 1.0: glTF files of people that say which bone is which.

use gambol_model::LandmarkOverride;
use serde_json::{Map, Value};

/// Bones of a VRM humanoid that are landmarks.
const BONES: [(&str, &str); 9] = [
    ("leftFoot", "foot.left"),
    ("rightFoot", "foot.right"),
    ("leftLowerLeg", "knee.left"),
    ("rightLowerLeg", "knee.right"),
    ("leftHand", "hand.left"),
    ("rightHand", "hand.right"),
    ("leftLowerArm", "elbow.left"),
    ("rightLowerArm", "elbow.right"),
    ("head", "head"),
];

/// The landmarks that the file gives; none of a file that is no VRM. Bones whose name another node has too are left to guesses.
pub(super) fn landmarks(extensions: &Map<String, Value>, names: &[String]) -> Vec<LandmarkOverride> {
    let nodes = humanoid(extensions);
    let named = |(bone, node): (String, usize)| {
        let (_, landmark) = BONES.iter().find(|(known, _)| *known == bone)?;
        let target = names.get(node)?.clone();
        let alone = names.iter().filter(|name| **name == target).count() == 1;
        alone.then(|| LandmarkOverride { landmark: (*landmark).to_owned(), target })
    };
    nodes.into_iter().filter_map(named).collect()
}

/// Bones and their nodes.
fn humanoid(extensions: &Map<String, Value>) -> Vec<(String, usize)> {
    let index = |value: &Value| value.as_u64().and_then(|node| usize::try_from(node).ok());
    // 0.x has a list, 1.0 a table.
    let old = extensions.get("VRM").map(|vrm| &vrm["humanoid"]["humanBones"]);
    let of_list = |bone: &Value| Some((bone["bone"].as_str()?.to_owned(), index(&bone["node"])?));
    let old = old.and_then(Value::as_array).into_iter().flatten().filter_map(of_list);
    let new = extensions.get("VRMC_vrm").map(|vrm| &vrm["humanoid"]["humanBones"]);
    let of_table = |(name, bone): (&String, &Value)| Some((name.clone(), index(&bone["node"])?));
    let new = new.and_then(Value::as_object).into_iter().flatten().filter_map(of_table);
    old.chain(new).collect()
}

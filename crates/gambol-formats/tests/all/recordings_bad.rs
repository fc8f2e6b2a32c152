//! A recording that is broken is refused with file, line and reason; none makes the reader panic, recurse without end or
//! take memory for what a file only claims. Every case is a small change of a file that is read.

use gambol_formats::LoadOptions;
use gambol_formats::asf::{Text, read_amc};
use gambol_formats::bvh::read_bvh;
use gambol_formats::clip::{from_json, to_json};
use gambol_model::samples::chain;
use gambol_motion::{Stride, samples::wander};

const BVH: &str = include_str!("../files/two_joints.bvh");
const AWKWARD: &str = include_str!("../files/awkward.bvh");
const ASF: &str = include_str!("../files/pendulum.asf");
const AMC: &str = include_str!("../files/pendulum.amc");

fn bvh(text: &str) -> Result<(), String> {
    read_bvh("x.bvh", text, &LoadOptions::default()).map(drop).map_err(|error| error.to_string())
}

fn amc(asf: &str, amc: &str) -> Result<(), String> {
    let [asf, amc] = [("x.asf", asf), ("x.amc", amc)].map(|(file, text)| Text { file, text });
    read_amc(asf, amc, None, &LoadOptions::default()).map(drop).map_err(|error| error.to_string())
}

/// `text` with a part replaced, which must be there.
fn with(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old:?} is not in the file");
    text.replacen(old, new, 1)
}

#[test]
fn bvh_is_refused_with_line_and_reason() {
    bvh(BVH).unwrap();
    for (old, new, message) in [
        ("HIERARCHY", "HIRARCHY", "x.bvh:1: \"HIRARCHY\" where HIERARCHY should be"),
        ("ROOT hip", "ROOT", "x.bvh:2: a joint has no name"),
        ("ROOT hip\n{", "ROOT hip\n", "x.bvh:4: \"OFFSET\" where { should be"),
        ("ROOT hip", "JOINT hip", "x.bvh:2: \"JOINT\" has no place outside of all joints"),
        ("JOINT knee", "ROOT knee", "x.bvh:6: \"ROOT\" has no place in a joint"),
        ("JOINT knee", "JOINT hip", "x.bvh:6: two joints are called \"hip\""),
        ("JOINT knee", "JOINT world", "body \"world\": another body has the same name"),
        ("OFFSET 0 -1 0\n\t\tCH", "OFFSET 0 down 0\n\t\tCH", "x.bvh:8: \"down\" is not a number"),
        ("OFFSET 0 -1 0\n\t\tCH", "OFFSET 0 NaN 0\n\t\tCH", "x.bvh:8: NaN is not a finite number"),
        ("OFFSET 0 -1 0\n\t\tCH", "OFFSET 0 -inf 0\n\t\tCH", "x.bvh:8: -inf is not a finite number"),
        ("OFFSET 0 -1 0\n\t\tCH", "OFFSET 0 1e300 0\n\t\tCH", "is too large to be a length or an angle"),
        ("OFFSET 0 -1 0\n\t\tCH", "OFFSET 0 -1\n\t\tCH", "x.bvh:9: \"CHANNELS\" is not a number"),
        ("CHANNELS 3", "CHANNELS 4", "there is no channel \"End\"; there are Xposition,"),
        ("CHANNELS 3", "CHANNELS 2", "x.bvh:9: \"Xrotation\" has no place in a joint"),
        ("CHANNELS 3", "CHANNELS 4000000000", "\"4000000000\" is not a number of channels from 0 to 6"),
        ("CHANNELS 3", "CHANNELS -1", "\"-1\" is not a number of channels"),
        ("3 Zrotation", "3 Wrotation", "x.bvh:9: there is no channel \"Wrotation\""),
        ("3 Zrotation", "3 Zscale", "x.bvh:9: there is no channel \"Zscale\""),
        ("3 Zrotation", "3 Ärotation", "x.bvh:9: there is no channel \"Ärotation\""),
        ("3 Zrotation", "3 Xrotation", "x.bvh:9: the joint has two channels Xrotation"),
        (
            "\t\tEnd Site",
            "\t\tCHANNELS 1 Xrotation\n\t\tEnd Site",
            "x.bvh:10: the joint has channels already",
        ),
        ("MOTION", "}", "x.bvh:16: \"}\" has no place outside of all joints"),
        ("\t}\n}\nMOTION", "\t}\nMOTION", "x.bvh:15: \"MOTION\" has no place in a joint"),
        ("Frames: 3", "Frames: three", "x.bvh:17: \"three\" is not a number of frames"),
        ("Frames: 3", "Frames: -3", "x.bvh:17: \"-3\" is not a number of frames"),
        ("Frames: 3", "Frames: 0", "x.bvh:17: there are no frames"),
        ("Frames: 3", "Frames: 4", "x.bvh:17: 4 frames are claimed and 3 are there"),
        ("Frames: 3", "Frames: 1000000000", "x.bvh:17: 1000000000 frames are claimed and 3 are there"),
        ("Frames: 3\n", "", "x.bvh:17: \"Frame Time: 0.5\" where \"Frames:\" should be"),
        ("Frame Time: 0.5", "Frame Time: 0", "x.bvh:18: a frame time of 0 s is not above 0"),
        ("Frame Time: 0.5", "Frame Time: -0.5", "x.bvh:18: a frame time of -0.5 s is not above 0"),
        ("Frame Time: 0.5", "Frame Time: nan", "x.bvh:18: NaN is not a finite number"),
        ("Frame Time: 0.5", "Frame Time:", "x.bvh:18: \"\" is not a number"),
        ("1 2 3 90 0 90 0 0 90", "1 2 3 90 0 90 0 0", "x.bvh:20: frame 1 has 8 numbers; the channels are 9"),
        (
            "1 2 3 90 0 90 0 0 90",
            "1 2 3 90 0 90 0 0 90 7",
            "x.bvh:20: frame 1 has 10 numbers; the channels are 9",
        ),
        ("1 2 3 90 0 90 0 0 90", "1 2 3 90 0 90 0 0 NaN", "x.bvh:20: NaN is not a finite number"),
        ("1 2 3 90 0 90 0 0 90", "1,5 2 3 90 0 90 0 0 9", "x.bvh:20: \"1,5\" is not a number"),
    ] {
        let error = bvh(&with(BVH, old, new)).unwrap_err();
        assert!(error.contains(message), "{new:?}: {error}");
    }
    let still =
        BVH.replace("CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation", "CHANNELS 0");
    let still = still.replace("CHANNELS 3 Zrotation Yrotation Xrotation", "CHANNELS 0");
    assert!(bvh(&still).unwrap_err().contains("nothing can move"));
    let point = BVH.replace("0 -1 0", "0 0 0");
    assert!(bvh(&point).unwrap_err().contains("the skeleton has no size"));
    for options in [
        LoadOptions { unit: Some(0.0), ..LoadOptions::default() },
        LoadOptions { height: Some(-1.0), ..LoadOptions::default() },
        LoadOptions { mass: Some(f64::NAN), ..LoadOptions::default() },
    ] {
        assert!(
            read_bvh("x.bvh", BVH, &options)
                .unwrap_err()
                .to_string()
                .contains("is not a finite number above 0")
        );
    }
}

/// A file that ends anywhere is an error, not a panic; at the end of the last frame it is whole.
#[test]
fn truncated_anywhere() {
    for (end, _) in BVH.char_indices() {
        if BVH[end..].trim().is_empty() || BVH[end..].trim_start() == "0" {
            continue;
        }
        // A last number that has lost digits is a number still: that cannot be seen.
        let is_inside_last_number = end > BVH.trim_end().rfind(' ').unwrap();
        assert!(bvh(&BVH[..end]).is_err() || is_inside_last_number, "{end}");
    }
    for end in (0..AWKWARD.len()).step_by(37).filter(|end| AWKWARD.is_char_boundary(*end)) {
        let _ = bvh(&AWKWARD[..end]); // without a panic
    }
    for end in (0..ASF.len()).filter(|end| ASF.is_char_boundary(*end)) {
        let _ = amc(&ASF[..end], AMC);
    }
    for end in 0..AMC.len() {
        let _ = amc(ASF, &AMC[..end]);
    }
}

/// More text after the claimed frames is told.
#[test]
fn more_frames_than_claimed() {
    let recording = read_bvh("x.bvh", &with(BVH, "Frames: 3", "Frames: 2"), &LoadOptions::default()).unwrap();
    assert_eq!(recording.clip.times.len(), 2);
    let told: Vec<String> = recording.creature.warnings().iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|text| text == "x.bvh:21: what follows the 2 frames was ignored"), "{told:?}");
}

/// A frame of one number in a small file may ask for a pose of many joints.
#[test]
fn small_frames_of_large_skeletons() {
    let joints: String =
        (0..10_000).map(|k| ["JOINT j", &k.to_string(), " { OFFSET 0 1 0 }\n"].concat()).collect();
    let head = "HIERARCHY ROOT j { OFFSET 0 0 0 CHANNELS 1 Xrotation\n".to_owned() + &joints;
    let text = head + "}\nMOTION\nFrames: 100000\nFrame Time: 1\n" + &"5\n".repeat(100_000);
    assert!(bvh(&text).unwrap_err().contains("100000 frames of so many joints are too many"));
}

/// Depth costs no stack, and there is an end to it.
#[test]
fn deep_nesting() {
    let nested = |count: usize| {
        let joint = |k: usize| ["JOINT j", &k.to_string(), "\n{\nOFFSET 0 0.01 0\nCHANNELS 0\n"].concat();
        let joints: String = (1..count).map(joint).collect();
        let root = String::from("HIERARCHY\nROOT j\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n");
        root + &joints + &"}\n".repeat(count) + "MOTION\nFrames: 1\nFrame Time: 1\n5\n"
    };
    bvh(&nested(3000)).unwrap();
    assert!(bvh(&nested(30_000)).unwrap_err().contains("more than 20000 joints"));
}

#[test]
fn asf_is_refused_with_line_and_reason() {
    amc(ASF, AMC).unwrap();
    for (old, new, message) in [
        ("length 0.45", "length -1", "x.asf:6: a unit of length -1 is not above 0"),
        ("length 0.45", "length", "x.asf:6: \"length\" needs 1 numbers"),
        ("order TX", "order QX", "x.asf:11: \"QX\" is not a dof"),
        ("axis XYZ", "axis XY", "x.asf:12: \"XY\" is not an order of axes such as XYZ"),
        ("name thigh", "nome thigh", "x.asf:18: a bone has no \"nome\""),
        ("name thigh", "name", "x.asf:16: the bone that begins here has no name"),
        ("name shank", "name thigh", "x.asf:25: two bones are called \"thigh\""),
        ("name shank", "name root", "x.asf:25: two bones are called \"root\""),
        ("direction 0 -1 0", "direction 0 -1", "x.asf:19: \"direction\" needs 3 numbers"),
        ("direction 0 -1 0", "direction 0 -1 nan", "x.asf:19: NaN is not a finite number"),
        ("length 15", "length -15", "x.asf:20: a bone of length -15"),
        ("axis 0 0 90 XYZ", "axis 0 0 90 XYW", "x.asf:21: \"XYW\" is not an order of axes"),
        ("dof rx\n", "dof bend\n", "x.asf:22: \"bend\" is not a dof: tx, ty, tz, rx, ry, rz or l"),
        ("(-160.0 20.0)", "(-160.0)", "x.asf:16: a limit of bone \"thigh\" has no upper bound"),
        ("(-160.0 20.0)", "(-160 20) (3 4)", "x.asf:23: the limits of bone \"thigh\" are more than its dof"),
        ("thigh shank", "thigh calf", "x.asf:47: there is no bone \"calf\""),
        ("thigh shank", "thigh shank\n thigh shank", "x.asf:48: bone \"shank\" would have two parents"),
        ("thigh shank", "thigh root", "x.asf:47: bone \"root\" would have two parents"),
        ("root thigh", "foot thigh", "3 bones do not hang from the root, \"thigh\" is one"),
        ("thigh shank\n", "\n", "2 bones do not hang from the root, \"shank\" is one"),
    ] {
        let error = amc(&with(ASF, old, new), AMC).unwrap_err();
        assert!(error.contains(message), "{new:?}: {error}");
    }
    assert!(amc("", AMC).unwrap_err().contains("x.asf: this is no ASF file"));
    assert!(amc(BVH, AMC).unwrap_err().contains("x.asf: this is no ASF file"));
    let open = ASF.split_once("  end").unwrap().0;
    assert!(amc(open, AMC).unwrap_err().contains("the bone that begins here has no end"));
}

#[test]
fn amc_is_refused_with_line_and_reason() {
    for (old, new, message) in [
        ("1\nroot", "root", "x.amc:4: \"root\" where the number of a frame should be"),
        ("thigh 90", "thigh", "x.amc:11: bone \"thigh\" has 0 numbers; its dof are 1"),
        ("thigh 90", "thigh 90 1", "x.amc:11: bone \"thigh\" has 2 numbers; its dof are 1"),
        ("thigh 90", "thigh nan", "x.amc:11: NaN is not a finite number"),
        ("thigh 90", "thigh x", "x.amc:11: \"x\" is not a number"),
        ("thigh 90", "tail 90", "x.amc:11: the skeleton has no bone \"tail\" that moves"),
        ("thigh 90", "thigh 90\nthigh 90", "x.amc:12: bone \"thigh\" has two lines in this frame"),
        ("thigh 90\n", "", "x.amc:9: the frame that starts here has no line for bone \"thigh\""),
        ("root 1 30 2 0 90 90\n", "", "x.amc:14: the frame that starts here has no line for bone \"root\""),
    ] {
        let error = amc(ASF, &with(AMC, old, new)).unwrap_err();
        assert!(error.contains(message), "{new:?}: {error}");
    }
    for empty in ["", ":DEGREES\n", "# nothing\n"] {
        assert!(amc(ASF, empty).unwrap_err().contains("x.amc: there are no frames"));
    }
    let [asf, motion] = [("x.asf", ASF), ("x.amc", AMC)].map(|(file, text)| Text { file, text });
    let error = read_amc(asf, motion, Some(0.0), &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("0 frames per second are not above 0"), "{error}");
}

#[test]
fn json_is_refused_with_reason() {
    let creature = chain(3);
    let clip = wander(&creature, 1, 3, 0.1, Stride::NONE);
    let text = to_json(&creature, &clip).unwrap();
    let read = |text: &str| from_json("x.json", text, &creature).map(drop).map_err(|error| error.to_string());
    read(&text).unwrap();
    for (old, new, message) in [
        ("\"gambol-clip\"", "\"clip\"", "x.json: this is no clip"),
        ("\"version\":1", "\"version\":9", "x.json: version 9 of the format; this program reads 1"),
        ("\"times\":[0.0", "\"times\":[1.0", "key 1: times must start at 0 or later and rise strictly"),
        ("\"times\":[0.0", "\"times\":[\"now\"", "\"times\" is not made of lists of numbers"),
        ("\"times\"", "\"time\"", "\"times\" is missing"),
        ("\"qpos\":[[", "\"qpos\":[[7,", "numbers given, the pose has"),
        ("\"joint_names\":[", "\"joint_names\":[\"tail\",", "the clip is of another creature"),
        ("\"yaw\":0.0", "\"yaw\":null", "\"yaw\" is not a number"),
        ("{", "[", "x.json:1: not JSON"),
    ] {
        let error = read(&with(&text, old, new)).unwrap_err();
        assert!(error.contains(message), "{new:?}: {error}");
    }
    assert!(read("").is_err() && read("[]").is_err() && read("{}").is_err());
}

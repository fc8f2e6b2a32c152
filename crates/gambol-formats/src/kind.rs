//! What a file is that is no creature, in words: a table, a picture and a Blender file are each told as what they are.

use crate::FormatError;

/// What creatures are read from, for messages.
const READ: &str = "a creature is read from glTF (.glb, .gltf, .vrm), FBX (.fbx), MJCF (.xml), URDF (.urdf), BVH (.bvh) or ASF (.asf), a plant from MTG (.mtg), SWC (.swc) or a table (.csv) of id, parent, x, y, z, radius";

/// What to do with a program's own file.
const EXPORT: &str = "export it from there as glTF (.glb)";
/// What a file of triangles lacks.
const MESH: &str = "a mesh alone has no bones; rig it, and export it as glTF (.glb)";

/// Files that begin with these bytes, whatever their name.
const BEGINNINGS: [(&[u8], &str, &str); 13] = [
    (b"BLENDER", "a Blender file", EXPORT),
    (b"PXR-USDC", "a USD file", EXPORT),
    (b"#usda", "a USD file", EXPORT),
    (b"ply\n", "a PLY mesh", MESH),
    (b"ply\r", "a PLY mesh", MESH),
    (b"solid ", "an STL mesh", MESH),
    (b"\x89PNG", "a PNG picture", ""),
    (b"\xff\xd8\xff", "a JPEG picture", ""),
    (b"GIF8", "a GIF picture", ""),
    (b"RIFF", "a sound, film or picture", ""),
    (b"%PDF", "a PDF document", ""),
    (b"PK\x03\x04", "a zip archive", "unpack it"),
    (b"\x1f\x8b", "a packed archive", "unpack it"),
];

/// Files whose name ends so, where their beginning says nothing.
const ENDINGS: [(&str, &str, &str); 22] = [
    ("csv", "a table (CSV)", ""),
    ("tsv", "a table (TSV)", ""),
    ("fbx", "an FBX file", EXPORT),
    ("blend", "a Blender file", EXPORT),
    ("max", "a 3ds Max file", EXPORT),
    ("ma", "a Maya file", EXPORT),
    ("mb", "a Maya file", EXPORT),
    ("c4d", "a Cinema 4D file", EXPORT),
    ("usd", "a USD file", EXPORT),
    ("usdc", "a USD file", EXPORT),
    ("obj", "an OBJ mesh", MESH),
    ("stl", "an STL mesh", MESH),
    ("msh", "a mesh", MESH),
    ("3ds", "a 3DS mesh", MESH),
    ("amc", "the motion of an ASF skeleton", ""),
    ("c3d", "markers of a recording (C3D)", "solve it to a skeleton and export that as BVH"),
    ("json", "JSON", ""),
    ("toml", "a TOML file", ""),
    ("yaml", "a YAML file", ""),
    ("md", "text", ""),
    ("txt", "text", ""),
    ("py", "a Python program", ""),
];

/// An error for what cannot be a creature, as far as its first bytes tell; what may be one is left to its reader.
pub(crate) fn refuse_strangers(name: &str, bytes: &[u8]) -> Result<(), FormatError> {
    // What every XML reader skips.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if text.starts_with(b"<") || is_wide(bytes) {
        return Ok(());
    }
    let what =
        if bytes.trim_ascii().is_empty() { "the file is empty".to_owned() } else { describe(name, bytes) };
    Err(FormatError::new(name, format!("{what}; {READ}")))
}

/// XML in 16 bits a character has its own message.
fn is_wide(bytes: &[u8]) -> bool {
    [b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<"].iter().any(|mark| bytes.starts_with(*mark))
}

/// `this is a Blender file: export it from there as glTF (.glb)`
fn describe(name: &str, bytes: &[u8]) -> String {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    let by_beginning =
        BEGINNINGS.iter().find(|(start, ..)| bytes.starts_with(start)).map(|(_, what, then)| (what, then));
    let by_ending = ENDINGS.iter().find(|(end, ..)| *end == ending).map(|(_, what, then)| (what, then));
    match by_beginning.or(by_ending) {
        Some((what, &"")) => format!("this is {what}, not a creature"),
        Some((what, then)) => format!("this is {what}: {then}"),
        None if std::str::from_utf8(bytes).is_ok() => {
            "this is text, but of no kind that is known here".to_owned()
        }
        None => "this is of no kind that is known here".to_owned(),
    }
}

/// An error for a folder, which is no file.
pub(crate) fn folder(path: &str) -> FormatError {
    FormatError::new(path, format!("this is a folder; {READ}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str, bytes: &[u8]) -> String {
        refuse_strangers(name, bytes).unwrap_err().to_string()
    }

    #[test]
    fn strangers_are_told_by_what_they_are() {
        for (name, bytes, what) in [
            (
                "walk.csv",
                &b"time,x,y\n0,1,2\n"[..],
                "walk.csv: this is a table (CSV), not a creature; a creature is read",
            ),
            ("fox.fbx", b"\0\x1a\0", "this is an FBX file: export it from there as glTF (.glb);"),
            ("fox.blend", b"BLENDER-v404", "this is a Blender file: export"),
            // Blender packs its files, so that only the name tells.
            ("fox.blend", b"\x28\xb5\x2f\xfd\x00", "this is a Blender file: export"),
            ("fox.obj", b"v 0 0 0\n", "this is an OBJ mesh: a mesh alone has no bones"),
            ("fox.xml", b"", "fox.xml: the file is empty; a creature is read from glTF"),
            ("fox.xml", b" \n", "the file is empty"),
            ("fox", b"\0\x01\x02\xff", "fox: this is of no kind that is known here;"),
            ("fox", b"hello", "fox: this is text, but of no kind"),
            ("fox.png", b"\x89PNG\r\n", "this is a PNG picture, not a creature"),
            ("fox.zip", b"PK\x03\x04", "this is a zip archive: unpack it"),
        ] {
            assert!(told(name, bytes).contains(what), "{name}: {}", told(name, bytes));
        }
    }

    #[test]
    fn what_may_be_xml_is_left_to_its_reader() {
        for bytes in
            [&b"<mujoco/>"[..], b"\n\t <robot", b"\xef\xbb\xbf<mujoco>", b"\xff\xfe<\0m\0", b"<!-- table -->"]
        {
            assert_eq!(refuse_strangers("any.csv", bytes), Ok(()));
        }
    }
}

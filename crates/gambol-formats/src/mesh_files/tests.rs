//! Mesh files as they come and as they should not come. Numbers from MuJoCo are those of version 4.0.0, of a body
//! with one mesh geom of density 1 and `inertia="exact"`.

use std::fmt::Write;

use gambol_model::{MeshDefect, MeshMass};

use super::*;
use crate::files::Memory;

fn parse(name: &str, content: impl Into<Vec<u8>>) -> Result<TriMesh, FormatError> {
    read(&Memory::new().with(name, content), name)
}

#[track_caller]
fn message(name: &str, content: impl Into<Vec<u8>>) -> String {
    parse(name, content).unwrap_err().to_string()
}

fn volume(mesh: &TriMesh) -> f64 {
    mesh.try_unit_mass_properties(MeshMass::Exact).unwrap().mass
}

const TETRAHEDRON: [[[f32; 3]; 3]; 4] = [
    [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
];

fn binary_stl(header: &[u8], count: u32, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes[..header.len()].copy_from_slice(header);
    bytes.extend(count.to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn text_stl(triangles: &[[[f32; 3]; 3]]) -> String {
    let mut text = "solid a name with words\n".to_owned();
    for triangle in triangles {
        text += " facet normal 0 0 0\n  outer loop\n";
        for [x, y, z] in triangle {
            writeln!(text, "   vertex {x} {y:e} {z}").unwrap();
        }
        text += "  endloop\n endfacet\n";
    }
    text + "endsolid a name with words\n"
}

fn msh(counts: [u32; 4], floats: &[f32], faces: &[u32]) -> Vec<u8> {
    let mut bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
    bytes.extend(floats.iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend(faces.iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

const POINTS: [f32; 12] = [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.];
const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

#[test]
fn one_tetrahedron_in_every_format() {
    let faces = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("a.stl", binary_stl(b"", 4, &TETRAHEDRON)),
        ("solid.STL", binary_stl(b"solid but binary", 4, &TETRAHEDRON)),
        ("text.stl", text_stl(&TETRAHEDRON).into()),
        ("windows.stl", text_stl(&TETRAHEDRON).replace('\n', "\r\n").to_uppercase().into()),
        ("a.msh", msh([4, 0, 0, 4], &POINTS, &faces)),
        ("full.msh", msh([4, 4, 4, 4], &[&POINTS[..], &POINTS, &[0.5; 8]].concat(), &faces)),
        (
            "a.obj",
            format!("# c\nmtllib x\n{OBJ}vn 0 0 1\ns off\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n").into(),
        ),
        (
            "slashes.obj",
            format!("{OBJ}f 1/1 3/2 2/3\nf 1//1 2//1 4//1\nf 1/1/1 4/1/1 3/1/1\nf 2 3 4\n").into(),
        ),
        ("back.obj", format!("{OBJ}f -4 -2 -3\nf -4 -3 \\\n  -1\nf 1 4 3\nl 1 2\nf 1 2\nf 2 3 4").into()),
    ];
    for (name, content) in files {
        let mesh = parse(name, content).unwrap();
        assert_eq!((mesh.vertices().len(), mesh.faces().len()), (4, 4), "{name}");
        assert_eq!(mesh.defect(), None, "{name}");
        assert_eq!(volume(&mesh), 1.0 / 6.0, "{name}");
    }
}

#[test]
fn points_without_faces_are_their_hull() {
    assert_eq!(volume(&parse("a.obj", OBJ).unwrap()), 1.0 / 6.0);
    assert_eq!(volume(&parse("a.msh", msh([4, 0, 0, 0], &POINTS, &[])).unwrap()), 1.0 / 6.0);
}

/// Polygons that are not flat have the volume that MuJoCo gives them only if they are cut where MuJoCo cuts them.
#[test]
fn polygons_are_cut_as_in_mujoco() {
    let quad =
        "v 0 0 0\nv 1 0 0\nv 1 1 0.3\nv 0 1 0\nv 0.5 0.5 -1\nf 1 2 3 4\nf 2 1 5\nf 3 2 5\nf 4 3 5\nf 1 4 5\n";
    let mass = parse("a.obj", quad).unwrap().try_unit_mass_properties(MeshMass::Exact).unwrap();
    assert!((mass.mass - 0.333_333_333_333_333_26).abs() < 1e-12);
    assert!((mass.com.z - -0.212_499_998_509_883_85).abs() < 1e-12);
    let pentagon = "v 0 0 0\nv 1 0 0\nv 1.3 0.6 0.3\nv 1 1 0\nv 0 1 0.2\nv 0.5 0.5 -1\nf 1 2 3 4 5\nf 2 1 6\nf 3 2 6\n\
                    f 4 3 6\nf 5 4 6\nf 1 5 6\n";
    let mesh = parse("a.obj", pentagon).unwrap();
    assert_eq!(mesh.defect(), None);
    assert!((volume(&mesh) - 0.408_333_326_379_458_1).abs() < 1e-12, "{}", volume(&mesh));
}

/// A star has reflex corners: a fan would cover its outside too. Its area is known, so is that of the prism.
#[test]
fn polygons_that_are_not_convex() {
    let outline = [(0, 0), (4, 0), (4, 4), (3, 4), (3, 1), (1, 1), (1, 4), (0, 4)]; // a U of area 4·1 + 2·3·1
    let mut text = String::new();
    for z in [0, 1] {
        text.extend(outline.iter().map(|(x, y)| format!("v {x} {y} {z}\n")));
    }
    text += "f 8 7 6 5 4 3 2 1\nf 9 10 11 12 13 14 15 16\n";
    for k in 0..8 {
        let next = (k + 1) % 8;
        writeln!(text, "f {} {} {} {}", k + 1, next + 1, next + 9, k + 9).unwrap();
    }
    let mesh = parse("u.obj", text).unwrap();
    assert_eq!(mesh.defect(), None);
    assert!((volume(&mesh) - 10.0).abs() < 1e-12);
    let shell = mesh.try_unit_mass_properties(MeshMass::Shell).unwrap();
    assert!((shell.mass - (20.0 + 22.0)).abs() < 1e-12, "{}", shell.mass);
}

/// MuJoCo 4.0.0 reads the first object of an OBJ and drops the rest in silence; here all count, with a note.
#[test]
fn several_objects_are_one_mesh() {
    let text = format!("{OBJ}o a\ng b\nf 1 3 2\nf 1 2 4\no c\nf 1 4 3\nf 2 3 4\n");
    let (mesh, note) = read_with_note(&Memory::new().with("a.obj", text), "a.obj").unwrap();
    assert_eq!(mesh.defect(), None);
    assert_eq!(note.unwrap(), "it has 2 objects, of which MuJoCo reads only the first; all are used");
}

#[test]
fn an_open_stl_is_read_and_leaks() {
    let mesh = parse("a.stl", binary_stl(b"", 3, &TETRAHEDRON[..3])).unwrap();
    assert_eq!(mesh.defect(), Some(MeshDefect::Leaky));
}

#[test]
fn bad_files_are_errors_that_name_file_and_reason() {
    let lying = binary_stl(b"", u32::MAX, &TETRAHEDRON);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.stl", vec![], "a.stl: it is 0 bytes long, too short for an STL file"),
        (
            "a.stl",
            lying,
            "a.stl: it claims 4294967295 triangles, which take 214748364834 bytes, but is 284 bytes long",
        ),
        ("a.stl", binary_stl(b"", 0, &[]), "a.stl: it has no triangles"),
        ("a.stl", b"solid\nendsolid\n".into(), "a.stl: it has no triangles"),
        ("a.stl", b"solid\nvertex 0 0\n".into(), "a.stl:2: a vertex needs three numbers"),
        ("a.stl", b"solid\nfacet\nvertex 0 0 0\nendfacet\n".into(), "a.stl:4: a facet needs three vertices"),
        ("a.stl", b"solid\nvertex 0 x 0\n".into(), "a.stl:2: \"x\" is not a number"),
        ("a.stl", b"solid\nhello\n".into(), "a.stl:2: \"hello\" is no STL"),
        (
            "a.stl",
            b"solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n".into(),
            "a.stl: it ends before its last facet and `endsolid`",
        ),
        ("a.msh", vec![0; 15], "a.msh: it is 15 bytes long, too short for an MSH file"),
        (
            "a.msh",
            msh([4, 0, 0, u32::MAX], &POINTS, &[]),
            "a.msh: it claims 4 vertices, 0 normals, 0 texture coordinates and 4294967295 faces, which take \
             51539607604 bytes, but is 64 bytes long",
        ),
        ("a.msh", msh([4, 0, 0, 1], &POINTS, &[0, 1, 9]), "a.msh: face 0 uses vertex 9 of 4"),
        ("a.msh", msh([0, 0, 0, 0], &[], &[]), "a.msh: it has 0 different points; a convex hull needs 4"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n".into(), "a.obj: face 0 uses vertex 1 of 1"),
        ("a.obj", b"v 0 0 0\nf 1 2 3 4\n".into(), "a.obj:2: there is no vertex 2"),
        ("a.obj", b"v 0 0 0\nf 0 1 1\n".into(), "a.obj:2: there is no vertex 0"),
        ("a.obj", b"v 0 0 0\nf 1 1 -2\n".into(), "a.obj:2: there is no vertex -2"),
        ("a.obj", b"f a b c\n".into(), "a.obj:1: \"a\" is not a vertex of a face"),
        ("a.obj", b"v 0 0\n".into(), "a.obj:1: a vertex needs three numbers"),
        ("a.obj", b"v 0 0 nan\nf 1 1 1\n".into(), "a.obj: vertex 0 is at 0 0 NaN, not within 1.073741824e9"),
        (
            "a.obj",
            format!("v 0 0 0\nf{}\n", " 1".repeat(1025)).into(),
            "a.obj:2: a polygon of 1025 corners; the limit is 1024",
        ),
        ("a.dae", vec![], "a.dae: meshes in .dae files are not supported; convert it to .stl, .obj or .msh"),
        ("b/a", vec![], "b/a: a mesh file needs the extension .stl, .obj or .msh"),
    ];
    for (name, content, expected) in cases {
        assert_eq!(message(name, content), expected);
    }
    assert_eq!(read(&Memory::new(), "a.stl").unwrap_err().to_string(), "a.stl: there is no such file");
    assert!(supported("x/A.STL") && supported("a.obj") && !supported("a.dae") && !supported("stl"));
}

/// Each prefix of a file, and each file with one byte changed, is a mesh or an error, and no panic.
#[test]
fn damaged_files_do_no_harm() {
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("a.stl", binary_stl(b"", 4, &TETRAHEDRON)),
        ("a.stl", text_stl(&TETRAHEDRON).into()),
        ("a.msh", msh([4, 0, 0, 4], &POINTS, &[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])),
        ("a.obj", format!("{OBJ}f 1/1 3//2 2\nf 1 2 4\nf 1 -1 3\nf 2 3 4 1\nf 1 2 3 4 2\n").into()),
    ];
    for (name, content) in files {
        for end in 0..content.len() {
            let _ = parse(name, &content[..end]);
            for byte in [0, 0x7f, 0xff, b'-', b'9'] {
                let mut damaged = content.clone();
                damaged[end] = byte;
                if let Ok(mesh) = parse(name, damaged) {
                    let _ = mesh.unit_mass_properties(MeshMass::ClosedOrHull);
                }
            }
        }
    }
}

//! Mass, closedness and hulls of meshes against closed forms and against MuJoCo 4.0.0. Numbers from MuJoCo are
//! `body_mass`, `body_ipos` and `body_iquat · body_inertia` of a body with one mesh geom of density 1; it rounds
//! vertices to 32 bits, so those here are rounded too.

use proptest::prelude::*;

use super::*;
use crate::{MassProperties, Mat3, Shape, Transform, math};

const BOX_FACES: [[u32; 3]; 12] = [
    [0, 1, 3],
    [0, 3, 2],
    [4, 6, 7],
    [4, 7, 5],
    [0, 4, 5],
    [0, 5, 1],
    [2, 3, 7],
    [2, 7, 6],
    [0, 2, 6],
    [0, 6, 4],
    [1, 5, 7],
    [1, 7, 3],
];

fn box_vertices(half: Vec3) -> Vec<Vec3> {
    let sign = |index: u32, bit: u32| if index >> bit & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|i| half.component_mul(&Vec3::new(sign(i, 2), sign(i, 1), sign(i, 0)))).collect()
}

fn box_mesh(half: Vec3) -> TriMesh {
    TriMesh::new(box_vertices(half), BOX_FACES.to_vec()).unwrap()
}

/// Without its top.
fn open_box(half: Vec3) -> TriMesh {
    TriMesh::new(box_vertices(half), BOX_FACES[..10].to_vec()).unwrap()
}

fn inside_out(mesh: &TriMesh) -> TriMesh {
    let faces = mesh.faces().iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    TriMesh::new(mesh.vertices().to_vec(), faces).unwrap()
}

/// The cube ±1 with a pyramid cut into its top, down to z = −0.5.
fn dented_box() -> TriMesh {
    let mut vertices = box_vertices(Vec3::repeat(1.0));
    vertices.push(Vec3::new(0.0, 0.0, -0.5));
    let mut faces = BOX_FACES[..10].to_vec();
    faces.extend([[1, 5, 8], [5, 7, 8], [7, 3, 8], [3, 1, 8]]);
    TriMesh::new(vertices, faces).unwrap()
}

fn tetrahedron() -> TriMesh {
    let vertices = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
}

/// An octahedron whose faces are split `levels` times and pushed out to the unit sphere, then scaled.
fn ellipsoid(radii: Vec3, levels: usize) -> TriMesh {
    let mut vertices = vec![Vec3::x(), Vec3::y(), Vec3::z(), -Vec3::x(), -Vec3::y(), -Vec3::z()];
    let mut faces: Vec<[u32; 3]> =
        vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    for _ in 0..levels {
        let mut split = Vec::new();
        for [a, b, c] in faces {
            let mut middle = |p: u32, q: u32| {
                vertices.push((vertices[p as usize] + vertices[q as usize]).normalize());
                u32::try_from(vertices.len() - 1).unwrap()
            };
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            split.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        faces = split;
    }
    TriMesh::new(vertices, faces).unwrap().scaled(radii).unwrap()
}

fn mass(mesh: &TriMesh, rule: MeshMass) -> MassProperties {
    mesh.try_unit_mass_properties(rule).unwrap()
}

#[track_caller]
fn assert_close(found: &MassProperties, expected: &MassProperties, tolerance: f64) {
    let size = (expected.inertia.amax() / expected.mass).sqrt();
    assert!(
        (found.mass / expected.mass - 1.0).abs() < tolerance,
        "mass {} for {}",
        found.mass,
        expected.mass
    );
    assert!(
        (found.com - expected.com).amax() < tolerance * size,
        "com {:?} for {:?}",
        found.com,
        expected.com
    );
    let error = (found.inertia - expected.inertia).amax();
    assert!(
        error < tolerance * expected.inertia.amax(),
        "inertia {} for {}",
        found.inertia,
        expected.inertia
    );
}

fn diagonal(mass: f64, com_z: f64, moments: [f64; 3]) -> MassProperties {
    MassProperties {
        mass,
        com: Vec3::new(0.0, 0.0, com_z),
        inertia: Mat3::from_diagonal(&Vec3::from(moments)),
    }
}

const SOLID_RULES: [MeshMass; 4] =
    [MeshMass::ClosedOrHull, MeshMass::Exact, MeshMass::Legacy, MeshMass::Convex];

#[test]
fn a_box_has_the_mass_of_a_box_wherever_it_is() {
    let half = Vec3::new(0.1, 0.2, 0.3);
    let place = Transform::new(Vec3::new(3.0, -2.0, 1.0), Vec3::new(0.3, -1.1, 0.7));
    let moved: Vec<Vec3> =
        box_vertices(half).iter().map(|v| place * nalgebra::Point3::from(*v)).map(|p| p.coords).collect();
    let moved = TriMesh::new(moved, BOX_FACES.to_vec()).unwrap();
    assert_eq!(moved.defect(), None);
    for rule in SOLID_RULES {
        let expected = Shape::Box { half }.unit_mass_properties(false);
        assert_close(&mass(&box_mesh(half), rule), &expected, 1e-14);
        assert_close(&mass(&moved, rule), &expected.transformed(&place), 1e-12);
    }
    let expected = Shape::Box { half }.unit_mass_properties(true);
    assert_close(&mass(&moved, MeshMass::Shell), &expected.transformed(&place), 1e-12);
}

/// Closed forms: volume 1/6, centre 1/4, Ixx = ∫ y² + z² about the centre = 1/80, Ixy = 1/480. The shell's numbers are
/// MuJoCo's.
#[test]
fn a_tetrahedron() {
    let inertia = Mat3::from_fn(|i, j| if i == j { 1.0 / 80.0 } else { 1.0 / 480.0 });
    let expected = MassProperties { mass: 1.0 / 6.0, com: Vec3::repeat(0.25), inertia };
    for rule in SOLID_RULES {
        assert_close(&mass(&tetrahedron(), rule), &expected, 1e-14);
    }
    let inertia =
        Mat3::from_fn(|i, j| if i == j { 0.294_966_726_486_584_9 } else { 0.049_685_420_405_411_7 });
    let expected = MassProperties {
        mass: 2.366_025_403_784_438_4,
        com: Vec3::repeat(0.262_891_711_531_604_34),
        inertia,
    };
    assert_close(&mass(&tetrahedron(), MeshMass::Shell), &expected, 1e-12);
}

/// The defining property of a refinement: the error falls fourfold with each split, towards the closed form.
#[test]
fn an_ellipsoid_converges_to_its_closed_form() {
    let radii = Vec3::new(0.3, 0.2, 0.1);
    let exact = Shape::Ellipsoid { radii }.unit_mass_properties(false);
    let error = |levels| 1.0 - mass(&ellipsoid(radii, levels), MeshMass::ClosedOrHull).mass / exact.mass;
    let (coarse, fine) = (error(4), error(5));
    assert!(fine > 0.0 && fine < 0.002, "{fine}");
    assert!((coarse / fine - 4.0).abs() < 0.1, "{coarse} {fine}");
    let mesh = ellipsoid(radii, 5);
    assert_close(&mass(&mesh, MeshMass::Exact), &exact, 0.005);
    assert_close(&mass(&mesh, MeshMass::Convex), &mass(&mesh, MeshMass::Exact), 1e-12);
}

/// MuJoCo 4.0.0, all four of its rules, on a solid that is not convex: `legacy` counts 7.05 for a volume of 6.
#[test]
fn mujoco_rules_on_a_dented_box() {
    let mesh = dented_box();
    assert_eq!(mesh.defect(), None);
    let cases = [
        (
            MeshMass::Legacy,
            7.052_146_498_921_599,
            -0.105_445_062_904_400_7,
            [4.307_180_174_447_532, 4.954_191_932_902_002_5],
        ),
        (MeshMass::Exact, 6.0, -0.208_333_333_333_333_4, [3.722_916_666_666_684_6, 4.533_333_333_333_355]),
        (
            MeshMass::ClosedOrHull,
            6.0,
            -0.208_333_333_333_333_4,
            [3.722_916_666_666_684_6, 4.533_333_333_333_355],
        ),
        (MeshMass::Convex, 8.0, 0.0, [5.333_333_333_333_333, 5.333_333_333_333_333]),
        (
            MeshMass::Shell,
            27.211_102_550_927_976,
            -0.014_495_874_387_954_88,
            [26.435_479_761_077_43, 28.807_401_700_618_8],
        ),
    ];
    for (rule, volume, com_z, [xy, z]) in cases {
        assert_close(&mass(&mesh, rule), &diagonal(volume, com_z, [xy, xy, z]), 1e-12);
    }
}

/// MuJoCo 4.0.0 takes an open box as it is with `legacy` and `exact`; ours takes the hull and says why.
#[test]
fn an_open_box_is_taken_as_its_hull_and_says_so() {
    let half = Vec3::new(f64::from(0.1f32), f64::from(0.2f32), f64::from(0.3f32));
    let mesh = open_box(half);
    assert_eq!(mesh.defect(), Some(MeshDefect::Leaky));
    assert_eq!(mesh.defect().unwrap().to_string(), "the surface is not closed");
    assert_close(
        &mass(&mesh, MeshMass::ClosedOrHull),
        &Shape::Box { half }.unit_mass_properties(false),
        1e-14,
    );
    let as_is = diagonal(
        0.038_697_961_876_917_44,
        -0.048_826_532_468_582_956,
        [0.001_440_894_196_342_916_8, 0.001_016_706_399_088_190_3, 0.000_706_979_662_091_210_8],
    );
    assert_close(&mass(&mesh, MeshMass::Legacy), &as_is, 1e-12);
    assert_close(&mass(&mesh, MeshMass::Exact), &as_is, 1e-12);
    let shell = diagonal(
        0.800_000_041_723_251_8,
        -0.030_000_000_521_540_63,
        [0.045_146_671_702_265_93, 0.033_946_670_776_407_1, 0.022_933_335_236_708_374],
    );
    assert_close(&mass(&mesh, MeshMass::Shell), &shell, 1e-12);
}

/// MuJoCo refuses `exact` here ("mesh volume is negative (misoriented triangles)") and takes the rest.
#[test]
fn inverted_and_twisted_boxes() {
    let half = Vec3::new(0.1, 0.2, 0.3);
    let mesh = inside_out(&box_mesh(half));
    assert_eq!(mesh.defect(), Some(MeshDefect::Inverted));
    let message = mesh.try_unit_mass_properties(MeshMass::Exact).unwrap_err().to_string();
    assert!(message.contains("m³ is negative: faces point inwards"), "{message}");
    assert_eq!(mesh.unit_mass_properties(MeshMass::Exact), MassProperties::default());
    for rule in [MeshMass::ClosedOrHull, MeshMass::Legacy, MeshMass::Convex] {
        assert_close(&mass(&mesh, rule), &Shape::Box { half }.unit_mass_properties(false), 1e-14);
    }
    let mut faces = BOX_FACES.to_vec();
    faces[0].swap(0, 1);
    let twisted = TriMesh::new(box_vertices(half), faces).unwrap();
    assert_eq!(twisted.defect(), Some(MeshDefect::Inverted));
}

/// STL has no shared vertices: the mesh is closed all the same, and a repeated vertex is one place.
#[test]
fn repeated_vertices_are_one_place() {
    let mesh = box_mesh(Vec3::new(0.1, 0.2, 0.3));
    let corners = mesh.faces().iter().flatten().map(|v| mesh.vertices()[*v as usize]).collect::<Vec<_>>();
    let faces = (0..12).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    let soup = TriMesh::new(corners, faces).unwrap();
    assert_eq!(soup.defect(), None);
    let merged = soup.merged();
    assert_eq!((merged.vertices().len(), merged.faces().len()), (8, 12));
    assert_eq!(mass(&merged, MeshMass::Legacy), mass(&soup, MeshMass::Legacy));
}

/// MuJoCo 4.0.0 with `refpos="1 2 3" refquat=".5 .5 .5 .5" scale="1 2 -3" inertia="exact"` on the box.
#[test]
fn mirrored_and_seen_from_elsewhere() {
    let half = Vec3::new(f64::from(0.1f32), f64::from(0.2f32), f64::from(0.3f32));
    let turn = Quat::from_quaternion(nalgebra::Quaternion::new(0.5, 0.5, 0.5, 0.5));
    let mesh = box_mesh(half).seen_from(Vec3::new(1.0, 2.0, 3.0), turn).unwrap();
    let mesh = mesh.scaled(Vec3::new(1.0, 2.0, -3.0)).unwrap();
    assert_eq!(mesh.defect(), None);
    let inertia = Vec3::new(0.043_200_006_008_148_634, 0.012_480_001_239_776_696, 0.038_400_005_531_311_44);
    let expected = MassProperties {
        mass: 0.288_000_020_027_161_13,
        com: Vec3::new(-2.0, -6.0, 3.0),
        inertia: Mat3::from_diagonal(&inertia),
    };
    assert_close(&mass(&mesh, MeshMass::Exact), &expected, 1e-12);
}

#[test]
fn flat_and_tiny_meshes_are_errors_with_reasons() {
    let square = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.0)];
    let sheet = TriMesh::new(square.clone(), vec![[0, 1, 2], [1, 3, 2]]).unwrap();
    let reason = |mesh: &TriMesh, rule| mesh.try_unit_mass_properties(rule).unwrap_err().reason;
    assert_eq!(sheet.defect(), Some(MeshDefect::Leaky));
    assert_eq!(reason(&sheet, MeshMass::Legacy), "its volume of 0e0 m³ is too small for a solid");
    let no_hull = "its points lie in a plane or on a line, so it has no convex hull";
    assert_eq!(reason(&sheet, MeshMass::Convex), no_hull);
    assert_eq!(reason(&sheet, MeshMass::ClosedOrHull), no_hull);
    assert_eq!(mass(&sheet, MeshMass::Shell).mass, 1.0);
    // A tilted plane is flat but for rounding.
    let tilted = square.iter().map(|p| Quat::from_euler_angles(0.3, 0.5, 0.7) * p + Vec3::new(0.1, 0.2, 0.3));
    assert_eq!(TriMesh::hull_of(&tilted.collect::<Vec<_>>()).unwrap_err().reason, no_hull);
    let point = TriMesh::new(vec![Vec3::x(); 4], vec![[0, 1, 2]]).unwrap();
    assert_eq!(reason(&point, MeshMass::Convex), "it has 1 different points; a convex hull needs 4");
    assert_eq!(reason(&point, MeshMass::Legacy), "its surface of 0e0 m² is too small");
    // MuJoCo 4.0.0: "mesh volume is too small" for the same cube.
    let speck = box_mesh(Vec3::repeat(4e-6));
    assert!(reason(&speck, MeshMass::Legacy).contains("too small for a solid"));
}

/// A body never loses the mass of a mesh in silence.
#[test]
fn a_flat_mesh_gives_no_body_its_mass() {
    let square = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.0)];
    let mesh = std::sync::Arc::new(TriMesh::new(square, vec![[0, 1, 2], [1, 3, 2]]).unwrap());
    let mut spec = crate::CreatureSpec::new("kite");
    let body = spec.add_body(0, crate::BodySpec::new("sail")).unwrap();
    spec.bodies[body].shapes.push(crate::ShapeSpec::new(Shape::Mesh { mesh, mass: MeshMass::Legacy }));
    let message = spec.build().unwrap_err().to_string();
    assert_eq!(message, "body \"sail\", mesh: its volume of 0e0 m³ is too small for a solid");
}

#[test]
fn bad_meshes_are_refused() {
    let new =
        |vertices: Vec<Vec3>, faces: Vec<[u32; 3]>| TriMesh::new(vertices, faces).unwrap_err().to_string();
    let triangle = vec![Vec3::zeros(), Vec3::x(), Vec3::y()];
    assert_eq!(new(triangle.clone(), vec![]), "mesh: it has no faces");
    assert_eq!(new(triangle.clone(), vec![[0, 1, 2], [0, 1, 3]]), "mesh: face 1 uses vertex 3 of 3");
    let mut broken = triangle.clone();
    broken[1].y = f64::NAN;
    assert_eq!(new(broken, vec![[0, 1, 2]]), "mesh: vertex 1 is at 1 NaN 0, not within 1.073741824e9");
    let far = TriMesh::new(triangle, vec![[0, 1, 2]]).unwrap().scaled(Vec3::repeat(1e10)).unwrap_err();
    assert_eq!(far.to_string(), "mesh: vertex 1 is at 10000000000 0 0, not within 1.073741824e9");
}

#[test]
fn bounds_and_support() {
    let mesh = box_mesh(Vec3::new(0.1, 0.2, 0.3)).seen_from(Vec3::x(), Quat::identity()).unwrap();
    let (half, centre) = mesh.bounds();
    assert!((half - Vec3::new(0.1, 0.2, 0.3)).amax() < 1e-15 && (centre + Vec3::x()).amax() < 1e-15);
    assert_eq!(mesh.support(Vec3::new(1.0, -1.0, 1.0)), Vec3::new(-0.9, -0.2, 0.3));
}

/// A full lattice has nearly all points in the planes of the hull's faces: the worst case for tolerances.
#[test]
fn the_hull_of_a_lattice_is_its_box() {
    let points: Vec<Vec3> = (0..1000)
        .map(|k| Vec3::new(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100)) * 0.1)
        .collect();
    let hull = TriMesh::hull_of(&points).unwrap();
    assert_eq!(hull.defect(), None);
    assert!((mass(&hull, MeshMass::Exact).mass - math::powi(0.9, 3)).abs() < 1e-14);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Points from few values fall into common planes and lines in every way; the hull is closed, convex and holds
    /// them all, or there is none.
    #[test]
    fn hulls_are_closed_convex_and_hold_all_points(
        cells in prop::collection::vec((0..5i32, 0..5i32, 0..5i32), 0..40),
        tilt in -1.0..1.0f64,
    ) {
        let turn = Quat::from_euler_angles(tilt, 2.0 * tilt, 0.0);
        let points: Vec<Vec3> = cells.iter().map(|(x, y, z)| turn * Vec3::new((*x).into(), (*y).into(), (*z).into())).collect();
        if let Ok(hull) = TriMesh::hull_of(&points) {
            prop_assert_eq!(hull.defect(), None);
            for face in hull.faces() {
                let [a, b, c] = hull.corners(*face);
                let normal = (b - a).cross(&(c - a));
                for point in &points {
                    prop_assert!(normal.dot(&(point - a)) < 1e-12);
                }
            }
        }
    }

    /// Whatever the triangles, nothing panics, and the rules that succeed give finite positive masses.
    #[test]
    fn any_triangles_have_a_mass_or_a_reason(
        points in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64), 1..12),
        picks in prop::collection::vec((0..12usize, 0..12usize, 0..12usize), 1..20),
    ) {
        let count = points.len();
        let vertices = points.into_iter().map(|(x, y, z)| Vec3::new(x, y, z)).collect();
        let index = |k: usize| u32::try_from(k % count).unwrap();
        let faces = picks.into_iter().map(|(a, b, c)| [index(a), index(b), index(c)]).collect();
        let mesh = TriMesh::new(vertices, faces).unwrap();
        let rules = [MeshMass::ClosedOrHull, MeshMass::Exact, MeshMass::Legacy, MeshMass::Convex, MeshMass::Shell];
        for rule in rules {
            if let Ok(found) = mesh.try_unit_mass_properties(rule) {
                prop_assert!(found.com.iter().chain(found.inertia.iter()).all(|x| x.is_finite()));
                prop_assert!(found.mass > 0.0 || rule == MeshMass::Exact);
            }
        }
    }
}

/// Once the hull asked for its own bounds, which asked for its hull, and so on.
#[test]
fn support_and_bounds_of_a_mesh_are_those_of_its_vertices() {
    let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 4.0], [0.1, 0.1, 0.1]];
    let vertices = corners.map(Vec3::from).to_vec();
    let mesh = TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4], [1, 4, 3], [2, 3, 4]])
        .unwrap();
    assert_eq!(mesh.support(Vec3::y()), Vec3::new(0.0, 3.0, 0.0));
    assert_eq!(mesh.bounds(), (Vec3::new(1.0, 1.5, 2.0), Vec3::new(1.0, 1.5, 2.0)));
    let larger = mesh.scaled(Vec3::new(2.0, 1.0, 1.0)).unwrap();
    assert_eq!(larger.support(Vec3::x()), Vec3::new(4.0, 0.0, 0.0));
    assert_eq!(larger.bounds().0.x, 2.0);
}

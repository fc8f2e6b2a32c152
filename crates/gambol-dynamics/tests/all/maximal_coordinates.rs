//! The paper's own formulation (Kry et al. 2009, section 3.1 and appendix A) as an independent oracle: every body has
//! six coordinates, joints are constraint rows G in joint frames (equation 7), springs act through R, and the
//! admissible directions N are the null space of G by singular values. Nothing of it uses the tree recursions.

use std::f64::consts::PI;

use crate::support::{adjoint, generalized_eigenvalues, poses_by_composition};
use gambol_dynamics::{
    Data, TreeMatrix, degrees_of_freedom, mass_matrix, null_space, paper, stiffness_matrix,
};
use gambol_model::math;
use gambol_model::samples::{Random, chain};
use gambol_model::{
    BodyPoint, BodySpec, Constraint, ConstraintKind, Creature, CreatureSpec, JointKind, JointSpec, Shape,
    ShapeSpec, TendonSpec, Transform, Vec3, nearest_rotation,
};
use nalgebra::{DMatrix, Matrix6, UnitQuaternion};

/// A joint between two bodies in the world: frame with x along the axis, and its spring.
struct MaximalJoint {
    child: usize,
    parent: usize,
    kind: JointKind,
    world_from_joint: Transform,
    stiffness: f64,
}

/// (M, G, RᵀKR) in maximal coordinates; body frames at the centre of mass along principal axes.
fn assemble(
    creature: &Creature,
    poses: &[Transform],
    joints: &[MaximalJoint],
) -> (DMatrix<f64>, DMatrix<f64>, DMatrix<f64>) {
    let n = creature.bodies().len() - 1;
    let mut m = DMatrix::zeros(6 * n, 6 * n);
    let mut world_from_principal = vec![Transform::identity()];
    for (k, body) in creature.bodies()[1..].iter().enumerate() {
        let eigen = body.mass.inertia.symmetric_eigen();
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes.column_mut(0).neg_mut();
        }
        let rotation = nearest_rotation(&axes).unwrap();
        world_from_principal.push(poses[k + 1] * Transform::from_parts(body.mass.com.into(), rotation));
        for axis in 0..3 {
            m[(6 * k + axis, 6 * k + axis)] = eigen.eigenvalues[axis];
            m[(6 * k + 3 + axis, 6 * k + 3 + axis)] = body.mass.mass;
        }
    }
    let mut g_rows = Vec::new();
    let mut k_full = DMatrix::zeros(6 * n, 6 * n);
    for joint in joints {
        // ʲφ_{a−b} = ʲAd_a φ_a − ʲAd_b φ_b
        let mut relative = DMatrix::zeros(6, 6 * n);
        for (body, sign) in [(joint.child, 1.0), (joint.parent, -1.0)] {
            if body > 0 {
                let ad: Matrix6<f64> =
                    adjoint(&(joint.world_from_joint.inverse() * world_from_principal[body]));
                relative.view_mut((0, 6 * (body - 1)), (6, 6)).copy_from(&(ad * sign));
            }
        }
        let free: &[usize] = match joint.kind {
            JointKind::Hinge => &[0],
            JointKind::Ball => &[0, 1, 2],
            JointKind::Slide => &[3],
            JointKind::Free => &[0, 1, 2, 3, 4, 5],
        };
        for row in 0..6 {
            if free.contains(&row) {
                let r = relative.row(row).into_owned();
                k_full += r.transpose() * r * joint.stiffness;
            } else {
                g_rows.push(relative.row(row).into_owned());
            }
        }
    }
    let g = if g_rows.is_empty() { DMatrix::zeros(0, 6 * n) } else { DMatrix::from_rows(&g_rows) };
    (m, g, k_full)
}

/// Null space of G by singular values, and its rank.
fn null_space_by_svd(g: &DMatrix<f64>) -> (usize, DMatrix<f64>) {
    let columns = g.ncols();
    // nalgebra's SVD is thin: pad to square so that all right singular vectors come out.
    let mut square = DMatrix::zeros(columns.max(g.nrows()), columns);
    square.rows_mut(0, g.nrows()).copy_from(g);
    let svd = gambol_model::svd(square).unwrap();
    let largest = svd.singular_values.max();
    let v_t = svd.v_t.expect("asked for");
    let null: Vec<_> = (0..columns).filter(|&k| svd.singular_values[k] < 1e-10 * largest).collect();
    let rank = columns - null.len();
    let basis: Vec<_> = null.iter().map(|&k| v_t.row(k).transpose()).collect();
    (rank, DMatrix::from_columns(&basis))
}

fn tree_joints(creature: &Creature, poses: &[Transform]) -> Vec<MaximalJoint> {
    creature
        .joints()
        .iter()
        .map(|joint| {
            let to_axis = UnitQuaternion::rotation_between(&Vec3::x(), &joint.axis)
                .unwrap_or_else(|| UnitQuaternion::from_scaled_axis(Vec3::z() * PI));
            let world_from_joint = poses[joint.body] * Transform::from_parts(joint.anchor.into(), to_axis);
            MaximalJoint {
                child: joint.body,
                parent: creature.bodies()[joint.body].parent,
                kind: joint.kind,
                world_from_joint,
                stiffness: joint.stiffness,
            }
        })
        .collect()
}

/// A tree with exactly one joint per body, hinges, balls and slides at random.
fn single_joint_tree(seed: u64) -> Creature {
    let mut random = Random::new(seed);
    let mut spec = CreatureSpec::new("tree");
    for index in 1..=9 {
        let mut body = BodySpec::new(format!("b{index}"));
        body.parent = index - 1;
        if random.below(2) == 0 && body.parent > 1 {
            body.parent = spec.bodies[body.parent].parent; // fork
        }
        body.parent_from_body = Transform::from_parts(random.vector(0.3).into(), random.rotation());
        let mut shape = ShapeSpec::new(Shape::Box { half: random.vector(0.04).add_scalar(0.05) });
        shape.body_from_shape = Transform::from_parts(random.vector(0.1).into(), random.rotation());
        body.shapes.push(shape);
        let kind = match (index, random.below(3)) {
            (1, _) => JointKind::Free,
            (_, 0) => JointKind::Ball,
            (_, 1) => JointKind::Slide,
            _ => JointKind::Hinge,
        };
        let mut joint = JointSpec::new(format!("j{index}"), kind).with_anchor(random.vector(0.1));
        joint.axis = random.vector(1.0);
        joint.stiffness = if kind == JointKind::Free { 0.0 } else { 1.0 + random.unit() };
        body.joints.push(joint);
        spec.bodies.push(body);
    }
    spec.build().unwrap()
}

/// λ to 1e-8 of the largest: the squared length of G's null space vectors carries the error of the SVD twice.
fn assert_same_spectrum(a: &[f64], b: &[f64], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let scale = b[b.len() - 1];
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() < 1e-10 * scale + 1e-8 * y.abs(), "{what}: {x} against {y}");
    }
}

#[test]
fn trees_have_the_same_spectrum_in_both_coordinates() {
    for seed in 0..12 {
        let creature = single_joint_tree(seed);
        let q = Random::new(seed + 100).pose(&creature, 0.6);
        let poses = poses_by_composition(&creature, &q);
        let (m, g, k) = assemble(&creature, &poses, &tree_joints(&creature, &poses));
        let (rank, n) = null_space_by_svd(&g);
        assert_eq!(6 * (creature.bodies().len() - 1) - rank, creature.nv(), "tree {seed}");
        let oracle = generalized_eigenvalues(&(n.transpose() * k * &n), &(n.transpose() * m * &n));

        let mut data = Data::new(&creature);
        let mut mass = TreeMatrix::new(&creature).unwrap();
        mass_matrix(&creature, &mut data, &q, &mut mass);
        let ours = generalized_eigenvalues(&stiffness_matrix(&creature), &mass.to_dense());
        assert_same_spectrum(&ours, &oracle, &format!("tree {seed}"));

        // The library's own G, R and N say the same: G N = 0, and R N recovers the joint velocities.
        let g = paper::constraint_matrix(&creature, &mut data, &q, &[]);
        let n = paper::admissible_directions(&creature, &mut data, &q, &[]);
        assert!((&g * &n).amax() < 1e-12, "tree {seed}: G N = 0");
        let (r, stiffness) = paper::joint_matrix(&creature, &mut data, &q);
        let rn = &r * &n;
        let expected =
            DMatrix::identity(creature.nv(), creature.nv()).rows(6, creature.nv() - 6).into_owned();
        assert!((&rn - expected).amax() < 1e-10, "tree {seed}: R N picks the joints");
        assert_eq!(stiffness.len(), creature.nv() - 6);
    }
}

/// A ring of `n` boxes in the x–z plane; the last joint is a closed hinge with a spring over all others.
fn ring(n: usize) -> Creature {
    let length = 0.0571;
    let half = Vec3::new(length, length / 2.0, length / 2.0) * 0.5;
    let turn = 2.0 * PI / n as f64;
    let mut spec = CreatureSpec::new("ring");
    for k in 0..n {
        let mut body = BodySpec::new(format!("segment.{}", k + 1));
        body.parent = k;
        if k > 0 {
            let hinge = Transform::from_parts(
                Vec3::new(half.x, 0.0, 0.0).into(),
                UnitQuaternion::from_scaled_axis(-Vec3::y() * turn),
            );
            body.parent_from_body = hinge * Transform::translation(half.x, 0.0, 0.0);
        }
        let anchor = Vec3::new(-half.x, 0.0, 0.0);
        body.joints.push(if k == 0 {
            JointSpec::free("root")
        } else {
            JointSpec::hinge(format!("joint.{k}"), Vec3::y()).with_anchor(anchor).with_stiffness(1.0)
        });
        body.shapes.push(ShapeSpec::new(Shape::Box { half }));
        spec.bodies.push(body);
    }
    spec.tendons.push(TendonSpec {
        name: "closing spring".into(),
        terms: (1..n).map(|k| (format!("joint.{k}"), 1.0)).collect(),
        stiffness: 1.0,
        damping: 0.0,
        rest: None,
    });
    let end = Vec3::new(half.x, 0.0, 0.0);
    spec.constraints.push(Constraint {
        name: "closure".into(),
        kind: ConstraintKind::Hinge {
            a: BodyPoint { body: n, point: end },
            b: BodyPoint { body: 1, point: -end },
            axis_in_a: Vec3::y(),
            axis_in_b: Vec3::y(),
        },
    });
    spec.build().unwrap()
}

/// The exact angular frequency of harmonic h of a ring of n links, squared (derived from link rotations Θ zⁱ with
/// closed ends: tangential and normal motion follow from the closure of neighbouring links).
fn ring_formula(n: usize, h: usize, creature: &Creature) -> f64 {
    let (m, i, length) = (creature.bodies()[1].mass.mass, creature.bodies()[1].mass.inertia.m22, 0.0571);
    let a = 2.0 * PI / n as f64;
    let na = h as f64 * a;
    let lever = (math::square(math::sin(a)) + math::square(math::sin(na)))
        / math::square(math::cos(a) - math::cos(na));
    4.0 * math::square(math::sin(na / 2.0)) / (i + m * length * length / 4.0 * lever)
}

#[test]
fn the_ring_has_redundant_rows_and_its_exact_frequencies() {
    let creature = ring(16);
    let q = creature.reference_pose().to_vec();
    let mut data = Data::new(&creature);

    // 16 hinges of 5 rows on 16 bodies; parallel axes make 3 rows redundant (Kry et al. 2009, figure 3: 19 DOF).
    let g = paper::constraint_matrix(&creature, &mut data, &q, creature.constraints());
    assert_eq!(g.shape(), (80, 96));
    let (rank, _) = null_space_by_svd(&g);
    assert_eq!(rank, 77);
    assert_eq!(degrees_of_freedom(&creature, &mut data, &q), 19);

    // The oracle: maximal coordinates with the sixteenth joint as a joint like the others.
    let poses = poses_by_composition(&creature, &q);
    let mut joints = tree_joints(&creature, &poses);
    let to_axis = UnitQuaternion::rotation_between(&Vec3::x(), &Vec3::y()).unwrap();
    joints.push(MaximalJoint {
        child: 16,
        parent: 1,
        kind: JointKind::Hinge,
        world_from_joint: poses[16]
            * Transform::from_parts(Vec3::new(0.0571 / 2.0, 0.0, 0.0).into(), to_axis),
        stiffness: 1.0,
    });
    let (m, g, k) = assemble(&creature, &poses, &joints);
    let (rank, n) = null_space_by_svd(&g);
    assert_eq!((g.nrows(), rank), (80, 77));
    let oracle = generalized_eigenvalues(&(n.transpose() * k * &n), &(n.transpose() * m * &n));

    // Ours: joint coordinates, closure projected out.
    let mut mass = TreeMatrix::new(&creature).unwrap();
    mass_matrix(&creature, &mut data, &q, &mut mass);
    let z = null_space(&creature, &mut data, &q, creature.constraints()).basis;
    let ours = generalized_eigenvalues(
        &(z.transpose() * stiffness_matrix(&creature) * &z),
        &(z.transpose() * mass.to_dense() * &z),
    );
    assert_eq!(ours.len(), 19);
    assert_same_spectrum(&ours, &oracle, "ring");

    // The closed form: pairs for h = 2 … 7, a single one for h = 8.
    let mut exact: Vec<f64> = (2..=7).flat_map(|h| [ring_formula(16, h, &creature); 2]).collect();
    exact.push(ring_formula(16, 8, &creature));
    assert_same_spectrum(&ours[6..], &exact, "ring formula");
    let first_hz = ours[6].sqrt() / (2.0 * PI);
    assert!((first_hz - 5.253_135_7).abs() < 1e-6, "{first_hz}");
}

#[test]
fn the_linear_creature_has_the_frequencies_of_the_independent_oracle() {
    // Joint coordinates with MuJoCo's mass matrix and SciPy's eigensolver gave these.
    let oracle =
        [1.126_864_080_562_821, 3.098_520_589_645_767_5, 6.053_544_192_420_861, 9.960_490_887_193_878];
    let creature = chain(16);
    let mut data = Data::new(&creature);
    let mut mass = TreeMatrix::new(&creature).unwrap();
    mass_matrix(&creature, &mut data, creature.reference_pose(), &mut mass);
    let values = generalized_eigenvalues(&stiffness_matrix(&creature), &mass.to_dense());
    for (value, expected) in values[6..].iter().zip(oracle) {
        let hz = value.sqrt() / (2.0 * PI);
        assert!((hz / expected - 1.0).abs() < 1e-10, "{hz} against {expected}");
    }
}

/// Found by fuzzing: more constraint rows than coordinates made the rank decision read a matrix that is not square.
#[test]
fn more_constraint_rows_than_coordinates() {
    let creature = chain(2);
    let weld = |a: usize| ConstraintKind::Weld {
        a,
        b: 0,
        a_from_b: Transform::translation(-0.0571 * (a - 1) as f64, 0.0, 0.0),
    };
    let constraints = [1, 2].map(|a| Constraint { name: String::new(), kind: weld(a) });
    let mut data = Data::new(&creature);
    let reduction = null_space(&creature, &mut data, creature.reference_pose(), &constraints);
    assert_eq!((creature.nv(), reduction.rank, reduction.basis.ncols()), (7, 7, 0));
}

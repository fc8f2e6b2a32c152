//! `--root free`: creatures that hang fixed from the world float instead.

use std::collections::HashSet;

use gambol_model::{BodySpec, ConstraintKind, CreatureSpec, InertiaSpec, JointSpec};

/// Gives a free joint to each body that is fixed to the world and has mass. Poses and couplings, which count
/// coordinates and joints, follow.
pub(crate) fn free_roots(spec: &mut CreatureSpec) {
    let heavy = heavy_pieces(&spec.bodies);
    let mut names: HashSet<String> =
        spec.bodies.iter().flat_map(|body| &body.joints).map(|joint| joint.name.clone()).collect();
    let (mut first_joint, mut first_q) = (0, 0);
    for index in 1..spec.bodies.len() {
        let body = &mut spec.bodies[index];
        if body.parent == 0 && body.joints.is_empty() && heavy[index] {
            let mut name = "root".to_owned();
            while !names.insert(name.clone()) {
                name = format!("{name} of {}", body.name);
            }
            body.joints.push(JointSpec::free(name));
            let (at, turn) = (body.parent_from_body.translation.vector, body.parent_from_body.rotation);
            let numbers = [at.x, at.y, at.z, turn.w, turn.i, turn.j, turn.k];
            for pose in &mut spec.poses {
                let place = first_q.min(pose.qpos.len());
                pose.qpos.splice(place..place, numbers);
            }
            shift_couplings(spec, first_joint);
        }
        let body = &spec.bodies[index];
        first_joint += body.joints.len();
        first_q += body.joints.iter().map(|joint| joint.kind.nq()).sum::<usize>();
    }
}

/// Whether what moves as one piece with each body has mass: scenery without any stays where it is.
fn heavy_pieces(bodies: &[BodySpec]) -> Vec<bool> {
    let has_mass = |body: &BodySpec| match &body.inertia {
        InertiaSpec::Given(mass) => mass.mass > 0.0,
        InertiaSpec::FromShapes => body.shapes.iter().any(|s| s.massive && s.mass_properties().mass > 0.0),
    };
    let mut heavy: Vec<bool> = bodies.iter().map(has_mass).collect();
    for index in (1..bodies.len()).rev() {
        if bodies[index].joints.is_empty() {
            heavy[bodies[index].parent] |= heavy[index];
        }
    }
    heavy
}

/// Makes room for one more joint at `from`.
fn shift_couplings(spec: &mut CreatureSpec, from: usize) {
    for constraint in &mut spec.constraints {
        if let ConstraintKind::Coupling { left, right, .. } = &mut constraint.kind {
            for (joint, _) in left.iter_mut().chain(right) {
                *joint += usize::from(*joint >= from);
            }
        }
    }
}

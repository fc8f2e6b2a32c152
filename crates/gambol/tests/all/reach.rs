//! Pulling at creatures of the gallery: closed loops stay closed, and whatever is pulled however far, poses stay poses.

use gambol::LoadOptions;
use gambol::dynamics::{Data, Goal, Hold, constraint_residual, forward_kinematics, reach};
use gambol::model::samples::Random;
use gambol::model::{BodyPoint, Vec3};

#[test]
fn closed_loops_stay_closed() {
    let creature = gambol::load("loop", &LoadOptions::default()).unwrap();
    let pose = creature.reference_pose().to_vec();
    let mut data = Data::new(&creature);
    forward_kinematics(&creature, &mut data, &pose);
    let body = creature.bodies().len() / 2;
    let place = data.frames[body].position;
    let size = (place - data.frames[1].position).norm();
    let goal = Goal {
        point: BodyPoint { body, point: Vec3::zeros() },
        target: place + 0.2 * (data.frames[1].position - place),
    };
    let reached = reach(&creature, &mut data, &pose, &[goal], Hold::Root);
    let open = constraint_residual(&creature, &mut data, &reached.pose, creature.constraints());
    // The goals and the closing share one softness: a millionth of the way.
    assert!(open.amax() < 1e-4 * size, "{}", open.amax());
    assert!(reached.miss < 0.02 * size, "{} of {size}", reached.miss);
}

#[test]
fn no_pull_breaks_a_creature() {
    for name in gambol::gallery::names() {
        let creature = gambol::load(name, &LoadOptions::default()).unwrap();
        let mut data = Data::new(&creature);
        let mut random = Random::new(7);
        for _ in 0..20 {
            let body = 1 + random.below(creature.bodies().len() - 1);
            let goal =
                Goal { point: BodyPoint { body, point: random.vector(0.2) }, target: random.vector(3.0) };
            for hold in [Hold::Root, Hold::Goals] {
                let reached = reach(&creature, &mut data, creature.reference_pose(), &[goal], hold);
                creature.checked_pose(name, &reached.pose).unwrap();
                for joint in creature.joints() {
                    let (Some([low, high]), 1) = (joint.limit, joint.kind.nq()) else { continue };
                    let angle = reached.pose[joint.q];
                    assert!((low - 1e-9..=high + 1e-9).contains(&angle), "{name}: {} at {angle}", joint.name);
                }
            }
        }
    }
}

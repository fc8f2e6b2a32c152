//! Pull a limb: inverse kinematics from the rest pose, in the elastic metric.

use gambol::dynamics::{Goal, Hold, forward_kinematics, reach};
use gambol::gait::Style;
use gambol::model::{BodyPoint, Creature, JointKind, Role, Vec3};

use super::body::Dressed;
use super::{Answer, Trouble};
use crate::protocol::{Pull, ReachAnswer, StyleWork};

/// A joint that turns by less than this is not bent, rad or m: rounding.
const STRAIGHT: f64 = 1e-6;

/// The rest pose with these points pulled to their places. Who pulls at the trunk moves it over its standing feet.
pub(super) fn answer(dressed: &mut Dressed, style: &StyleWork, pulls: &[Pull]) -> Result<Answer, Trouble> {
    let Dressed { body, data, read, .. } = dressed;
    let (creature, pose) = (&body.creature, body.basis.mean().to_vec());
    let mut goals = pulls.iter().map(|pull| goal(creature, pull)).collect::<Result<Vec<_>, _>>()?;
    let of_trunk = |pull: &Pull| creature.bodies()[pull.body].parent == 0;
    let hold = if pulls.iter().any(of_trunk) { Hold::Goals } else { Hold::Root };
    if hold == Hold::Goals {
        forward_kinematics(creature, data, &pose);
        let feet = creature.landmarks().iter().filter(|landmark| landmark.role == Role::Foot);
        goals.extend(feet.map(|foot| Goal {
            point: BodyPoint { body: foot.body, point: foot.point },
            target: data.frames[foot.body].point_in_world(foot.point),
        }));
    }
    let reached = reach(creature, data, &pose, &goals, hold);
    // A heavy creature sags besides: bends are told without that, or it would sag twice.
    let style = Style::from(style);
    let unbent = style.named_pose(&read.creature).map_err(Trouble::from_error)?;
    let mut bent = style.bent_pose(&read.creature).map_err(Trouble::from_error)?;
    let mut turn = vec![0.0; creature.nv()];
    creature.difference(&pose, &reached.pose, &mut turn);
    creature.integrate(&mut bent, &turn, 1.0);
    let bend = bends(&read.creature, &unbent, &bent);
    Answer::new(ReachAnswer { pose: reached.pose, bend, miss: reached.miss }, Vec::new())
}

fn goal(creature: &Creature, pull: &Pull) -> Result<Goal, Trouble> {
    let finite = pull.point.iter().chain(&pull.target).all(|x| x.is_finite());
    if pull.body == 0 || pull.body >= creature.bodies().len() || !finite {
        return Err(Trouble(format!("nothing can be pulled at body {}", pull.body)));
    }
    let point = BodyPoint { body: pull.body, point: Vec3::from(pull.point) };
    Ok(Goal { point, target: Vec3::from(pull.target) })
}

/// Joints that are bent between two poses, and how far, as a style has it.
fn bends(creature: &Creature, from: &[f64], to: &[f64]) -> Vec<(String, Vec<f64>)> {
    let mut turn = vec![0.0; creature.nv()];
    creature.difference(from, to, &mut turn);
    let joints = creature.joints().iter().filter(|joint| joint.kind != JointKind::Free);
    let bent = joints.map(|joint| (joint.name.clone(), turn[joint.v..joint.v + joint.kind.nv()].to_vec()));
    bent.filter(|(_, turn)| turn.iter().any(|x| x.abs() > STRAIGHT)).collect()
}

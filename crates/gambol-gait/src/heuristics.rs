//! Heuristics A to G of Kry et al. 2009, section 4.3: what each mode is good for.
//!
//! Every mode is measured at the rest pose: how far it moves each foot forward, left and up, and how far it bends each
//! knee. From that come rankings per pair of legs, for feet that go in turn and for feet that go together, and the
//! modes that are of no use, with the reason.

use gambol_anatomy::Heading;
use gambol_dynamics::{Data, body_velocities, forward_kinematics, point_jacobian, stiffness_matrix};
use gambol_model::{Creature, JointKind, Role, Vec3, math};
use gambol_modes::{ModesError, Reader, Reading, Symmetry};
use gambol_motion::Basis;
use nalgebra::{DMatrix, DVector, Rotation3, Unit};

use crate::{HeuristicSettings, Leg, Legs};

/// What a leg does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Its knee (or elbow) bends.
    Bend,
    /// Its foot goes forward and back.
    Swing,
    /// Its foot goes up and down.
    Lift,
}

/// How the two legs of a pair go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timing {
    /// One does the opposite of the other.
    Alternating,
    /// Both do the same. The leg of a creature that has one in the middle does so with itself.
    Together,
}

/// What a mode may be good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Category {
    /// Which pair of legs, from 0 in front.
    pub pair: usize,
    /// What they do.
    pub action: Action,
    /// How they do it.
    pub timing: Timing,
}

impl Category {
    /// The paper's letter: A to E for the hindmost of `pairs` pairs, F and G for those before it. Two that the paper
    /// has no need of have none: feet that go forward together, and front feet that rise.
    pub fn letter(self, pairs: usize) -> Option<char> {
        let hindmost = self.pair + 1 == pairs;
        match (self.action, self.timing) {
            (Action::Bend, _) if !hindmost => Some('F'),
            (Action::Swing, _) if !hindmost => Some('G'),
            (Action::Bend, Timing::Alternating) => Some('A'),
            (Action::Swing, Timing::Alternating) => Some('B'),
            (Action::Lift, Timing::Alternating) if hindmost => Some('C'),
            (Action::Bend, Timing::Together) => Some('D'),
            (Action::Lift, Timing::Together) if hindmost => Some('E'),
            _ => None,
        }
    }
}

/// The modes of one category, best first.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// What they are good for.
    pub category: Category,
    /// Mode and score: leg lengths (or radians of a knee) per √J of elastic energy, times the purity of the motion
    /// and the square of the legs' part of the energy: a back that heaves the feet is no lift of the legs.
    pub modes: Vec<(usize, f64)>,
}

/// A mode that is of no use for locomotion.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// Index of the mode.
    pub mode: usize,
    /// In words, e.g. "twists the body".
    pub reason: String,
    /// Whether it moves the legs, if in a way that is of no use.
    pub moves_legs: bool,
}

/// What a mode does to one leg, per unit of its amplitude.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LegMotion {
    /// Foot, m.
    pub forward: f64,
    /// Foot, m.
    pub left: f64,
    /// Foot, m.
    pub up: f64,
    /// Knee, rad; positive draws the foot to the hip.
    pub bend: f64,
    /// How high the middle of the foot comes, m; with what a bent knee shortens the leg beyond first order.
    pub lift: f64,
}

/// What a mode does to all legs.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// In the order of the legs.
    pub legs: Vec<LegMotion>,
    /// uᵀ K u, J: twice the elastic energy at unit amplitude; 0 for a rigid motion.
    pub energy: f64,
}

/// What every mode does to every leg, rigid motions included, about the rest pose.
pub fn measure(
    creature: &Creature,
    data: &mut Data,
    basis: &Basis,
    legs: &Legs,
    settings: &HeuristicSettings,
) -> Vec<Measure> {
    forward_kinematics(creature, data, basis.mean());
    let rows: Vec<LegRows> =
        legs.legs.iter().map(|leg| LegRows::new(creature, data, legs, leg, settings)).collect();
    let k = stiffness_matrix(creature);
    basis
        .directions()
        .iter()
        .map(|mode| {
            let u = DVector::from_column_slice(&mode.shape);
            let energy = if mode.is_rigid() { 0.0 } else { u.dot(&(&k * &u)) };
            Measure { legs: rows.iter().map(|rows| rows.apply(&u)).collect(), energy }
        })
        .collect()
}

/// First-order motion of a leg as rows over all velocity coordinates.
struct LegRows {
    heading: Heading,
    /// Of the point that stands.
    foot: DMatrix<f64>,
    /// Of the foot's centre of mass: a toe points down when the knee bends, which the ankle takes back.
    middle: DMatrix<f64>,
    bend: DVector<f64>,
    /// m of lift per rad of bend, beyond first order.
    fold: f64,
}

impl LegRows {
    fn new(creature: &Creature, data: &Data, legs: &Legs, leg: &Leg, settings: &HeuristicSettings) -> Self {
        let nv = creature.nv();
        let stands = data.frames[leg.foot].point_in_world(leg.point);
        let mut foot = DMatrix::zeros(3, nv);
        point_jacobian(creature, data, leg.foot, stands, &mut foot);
        let center = data.frames[leg.foot].point_in_world(creature.bodies()[leg.foot].mass.com);
        let mut middle = DMatrix::zeros(3, nv);
        point_jacobian(creature, data, leg.foot, center, &mut middle);
        let mut bend = DVector::zeros(nv);
        let mut fold = 0.0;
        if let Some(knee) = leg.knee {
            let joint = &creature.joints()[knee];
            let at = data.frames[joint.body].point_in_world(joint.anchor);
            for (dof, share) in bend_direction(creature, data, legs, leg, knee, stands, settings.straight) {
                bend[dof] = share;
            }
            if joint.kind != JointKind::Slide {
                let axis: Vec3 =
                    (0..joint.kind.nv()).map(|k| data.axes[joint.v + k].angular * bend[joint.v + k]).sum();
                fold = fold_rate(leg.hip, at, center, axis, settings.usual_bend);
            }
        }
        Self { heading: legs.heading, foot, middle, bend, fold }
    }

    fn apply(&self, u: &DVector<f64>) -> LegMotion {
        let components = |rows: &DMatrix<f64>| {
            let moved = rows * u;
            self.heading.components(Vec3::new(moved[0], moved[1], moved[2]))
        };
        let (foot, middle) = (components(&self.foot), components(&self.middle));
        let bend = self.bend.dot(u);
        LegMotion { forward: foot.x, left: foot.y, up: foot.z, bend, lift: middle.z + self.fold * bend }
    }
}

/// Velocity coordinates of the knee, and their part in bending it: one of a hinge, a unit vector of a ball.
pub(crate) fn bend_direction(
    creature: &Creature,
    data: &Data,
    legs: &Legs,
    leg: &Leg,
    knee: usize,
    stands: Vec3,
    straight: f64,
) -> Vec<(usize, f64)> {
    let joint = &creature.joints()[knee];
    if joint.kind != JointKind::Ball {
        return vec![(joint.v, leg.bend)];
    }
    let at = data.frames[joint.body].point_in_world(joint.anchor);
    let lever = stands - at;
    let towards = (leg.hip - stands).normalize();
    // Shortening of the leg per rad about an axis a: towards · (a × lever) = a · (lever × towards).
    let shortens = lever.cross(&towards);
    let axis = shortens.try_normalize(straight * lever.norm()).unwrap_or(legs.heading.left);
    (0..3).map(|k| (joint.v + k, data.axes[joint.v + k].angular.dot(&axis))).collect()
}

/// How much nearer `foot` comes to the hip when the knee bends by `bend`, beyond first order, m per rad.
fn fold_rate(hip: Vec3, knee: Vec3, foot: Vec3, axis: Vec3, bend: f64) -> f64 {
    let Some(axis) = Unit::try_new(axis, 1e-9) else { return 0.0 };
    let bent = knee + Rotation3::from_axis_angle(&axis, bend) * (foot - knee);
    let length = (foot - hip).norm();
    let first_order = axis.cross(&(foot - knee)).dot(&(hip - foot)) / length.max(1e-12);
    (length - (bent - hip).norm()) / bend - first_order
}

/// Ranks all vibrations, per pair of legs and for each action and timing; and says which are of no use, and why.
pub fn rank(
    creature: &Creature,
    data: &mut Data,
    basis: &Basis,
    legs: &Legs,
    settings: &HeuristicSettings,
) -> Result<(Vec<Ranking>, Vec<Rejection>), ModesError> {
    let measures = measure(creature, data, basis, legs, settings);
    let reader = Reader::new(creature, data, basis.mean())?;
    let trunk = trunk(creature, legs);
    let mut rejections = Vec::new();
    let mut useful = Vec::new();
    for mode in basis.flexible() {
        let motions = in_leg_lengths(&measures[mode.index], legs.length);
        let reading = reader.read(data, mode);
        let twist =
            trunk_twist(creature, data, &trunk, legs.heading, basis.mean(), &mode.shape, settings.yaw);
        if let Some(reason) = objection(&motions, twist, &reading, settings.still) {
            let moves_legs = useful_motion(&motions) >= settings.still;
            rejections.push(Rejection { mode: mode.index, reason, moves_legs });
            continue;
        }
        let in_legs: f64 = legs.legs.iter().flat_map(|leg| &leg.joints).map(|&j| reading.joints[j]).sum();
        useful.push((mode.index, motions, measures[mode.index].energy, in_legs));
    }
    let mut rankings = Vec::new();
    for pair in 0..legs.pairs {
        for action in [Action::Bend, Action::Swing, Action::Lift] {
            for timing in [Timing::Alternating, Timing::Together] {
                let category = Category { pair, action, timing };
                let mut modes: Vec<(usize, f64)> = useful
                    .iter()
                    .map(|(mode, motions, energy, in_legs)| {
                        (*mode, in_legs * in_legs * score(category, motions, *energy, legs))
                    })
                    .filter(|(_, score)| *score > 0.0)
                    .collect();
                modes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                rankings.push(Ranking { category, modes });
            }
        }
    }
    Ok((rankings, rejections))
}

/// Lengths in leg lengths, so that they compare with the angles of knees.
fn in_leg_lengths(measure: &Measure, length: f64) -> Vec<LegMotion> {
    let scale = |m: &LegMotion| LegMotion {
        forward: m.forward / length,
        left: m.left / length,
        up: m.up / length,
        bend: m.bend,
        lift: m.lift / length,
    };
    measure.legs.iter().map(scale).collect()
}

/// Bodies that carry legs without being part of one, and those of the spine.
fn trunk(creature: &Creature, legs: &Legs) -> Vec<usize> {
    let of_legs: Vec<usize> =
        legs.legs.iter().flat_map(|leg| &leg.joints).map(|&joint| creature.joints()[joint].body).collect();
    let mut trunk: Vec<usize> = creature
        .landmarks()
        .iter()
        .filter(|mark| mark.role == Role::Spine)
        .filter_map(|mark| mark.joint.map(|joint| creature.joints()[joint].body))
        .collect();
    for leg in &legs.legs {
        let mut body = creature.bodies()[leg.foot].parent;
        while body != 0 {
            if !of_legs.contains(&body) {
                trunk.push(body);
            }
            body = creature.bodies()[body].parent;
        }
    }
    trunk.sort_unstable();
    trunk.dedup();
    trunk
}

/// How far the trunk rolls and yaws where it does so most, rad per unit of amplitude.
fn trunk_twist(
    creature: &Creature,
    data: &mut Data,
    trunk: &[usize],
    heading: Heading,
    pose: &[f64],
    shape: &[f64],
    yaw: f64,
) -> f64 {
    let velocities = body_velocities(creature, data, pose, shape);
    let twist = |&body: &usize| {
        let turn = heading.components(velocities[body].angular);
        math::hypot(turn.x, yaw * turn.z)
    };
    trunk.iter().map(twist).fold(0.0, f64::max)
}

/// How far feet go forward and up and knees bend, leg lengths and rad.
fn useful_motion(motions: &[LegMotion]) -> f64 {
    let most = |part: fn(&LegMotion) -> f64| motions.iter().map(|m| part(m).abs()).fold(0.0, f64::max);
    math::hypot(math::hypot(most(|m| m.forward), most(|m| m.up)), most(|m| m.bend))
}

/// Why a mode is of no use for walking, if it is not.
fn objection(motions: &[LegMotion], twist: f64, reading: &Reading, still: f64) -> Option<String> {
    let name = &reading.name;
    let useful = useful_motion(motions);
    let sideways = motions.iter().map(|m| m.left.abs()).fold(0.0, f64::max);
    if math::hypot(useful, sideways) < still {
        return Some(format!("moves no leg ({name})"));
    }
    if twist > useful {
        return Some(format!("twists the body ({name})"));
    }
    let sum = |part: fn(&LegMotion) -> f64| motions.iter().map(|m| part(m) * part(m)).sum::<f64>();
    if sum(|m| m.left) > sum(|m| m.forward) + sum(|m| m.up) + sum(|m| m.bend) {
        return Some(match reading.symmetry {
            Symmetry::Symmetric => format!("spreads the feet, as jumping jacks do ({name})"),
            _ => format!("sways sideways ({name})"),
        });
    }
    (useful < still).then(|| format!("moves no leg ({name})"))
}

/// Motion per √energy, which prefers low frequencies, times its share in all motion of feet and knees.
fn score(category: Category, motions: &[LegMotion], energy: f64, legs: &Legs) -> f64 {
    let part = |m: &LegMotion| match category.action {
        Action::Bend => m.bend,
        Action::Swing => m.forward,
        Action::Lift => m.up,
    };
    let of_pair: Vec<f64> = legs
        .legs
        .iter()
        .zip(motions)
        .filter(|(leg, _)| leg.pair == category.pair)
        .map(|(_, motion)| part(motion))
        .collect();
    let mean = of_pair.iter().sum::<f64>() / of_pair.len().max(1) as f64;
    let wanted = match category.timing {
        Timing::Together => of_pair.len() as f64 * mean * mean,
        Timing::Alternating => of_pair.iter().map(|x| (x - mean) * (x - mean)).sum(),
    };
    let square = |m: &LegMotion| {
        math::square(m.forward) + math::square(m.left) + math::square(m.up) + math::square(m.bend)
    };
    let all: f64 = motions.iter().map(square).sum();
    if all > 0.0 && energy > 0.0 { (wanted / energy).sqrt() * wanted / all } else { 0.0 }
}

//! From a clip to trajectories of its ends (Tournier and others 2009, figure 1 and section 3.6).

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{BodyPoint, Creature, Quat, Role, Vec3};

use super::bytes::{Content, Head, SharedBasis, write_content};
use super::ends::{EndsClip, MOST_ENDS, MOST_KEYS, Part, root_turn};
use super::pyramid::{coarse, kept};
use super::{MOST_NUMBERS, Pack, PackError};
use crate::posing::{bone_end, free_root};
use crate::{Basis, Clip, Comparison, GeodesicSettings, Keep, Metric, compare};

gambol_model::settings! {
    /// Of a clip that is packed as trajectories of its ends.
    pub struct EndsSettings {
        /// Principal directions of each part: 10 to 15 are enough for five ends (section 4).
        count: usize = 12, AtLeastOne;
        /// Levels of detail that are left out of the root's trajectory and of those of the ends, where `levels` does not say how many are kept:
        /// three make them an eighth (section 3.6).
        left_out: usize = 3, AtLeastZero;
        /// λ: how near a pose keeps to the one before, as m² of the ends for each m² of coordinates in the metric of positions. From
        /// 1e-4 to 1e-2 recordings of people come out alike.
        smooth: f64 = 1e-3, AtLeastZero;
        /// Parts of equal length with a basis each.
        parts: usize = 1, AtLeastOne;
    }
}

/// What else is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndsChoice<'b> {
    /// Levels of detail that are kept of the root and of the ends, from the coarsest of one sample on.
    pub levels: Option<[usize; 2]>,
    /// The ends whose trajectories are kept. None: [`end_points`].
    pub ends: Vec<BodyPoint>,
    /// What counts as far for the directions. Default: positions.
    pub metric: Option<Metric>,
    /// A basis that is kept elsewhere, and the name of its file.
    pub shared: Option<(&'b Basis, &'b str)>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndsReport {
    /// The packed clip.
    pub bytes: Vec<u8>,
    /// What a reader gets, beside the original.
    pub comparison: Comparison,
    /// Samples that are kept of the root and of the ends.
    pub samples: [usize; 2],
    /// Ends whose trajectories are kept.
    pub ends: Vec<BodyPoint>,
    /// Numbers of the original and of the packed clip, as the paper counts them: [`ends_floats`].
    pub floats: [usize; 2],
}

/// How many numbers a clip of `frames` poses with `joints` joints has, and how many packed with so many directions and so many samples
/// of its root and of its `ends` (Tournier and others 2009, section 3.6): three for each joint's turn, and three for the root's place.
pub fn ends_floats(
    frames: usize,
    joints: usize,
    directions: usize,
    samples: [usize; 2],
    ends: usize,
) -> [usize; 2] {
    [3 * (joints + 1) * frames, 3 * joints * (directions + 1) + 6 * samples[0] + 3 * ends * samples[1]]
}

/// Ends of a creature that has neither head nor hands nor feet: the paper's number.
const ENDS: usize = 5;

/// Head, hands and feet where the creature has such, else the ends of bones that carry no other: the five of these that are farthest
/// from the root at most.
pub fn end_points(creature: &Creature) -> Vec<BodyPoint> {
    let ends = |mark: &&gambol_model::Landmark| matches!(mark.role, Role::Head | Role::Hand | Role::Foot);
    let marks: Vec<BodyPoint> = creature
        .landmarks()
        .iter()
        .filter(ends)
        .map(|mark| BodyPoint { body: mark.body, point: mark.point })
        .collect();
    if !marks.is_empty() {
        return marks;
    }
    let bodies = creature.bodies();
    let is_last = |body: &usize| !bodies.iter().any(|child| child.parent == *body);
    let frames = forward_kinematics(creature, &mut Data::new(creature), creature.reference_pose()).to_vec();
    let from_root = |at: &BodyPoint| (frames[at.body].point_in_world(at.point) - frames[1].position).norm();
    let mut last: Vec<BodyPoint> =
        (1..bodies.len()).filter(is_last).map(|body| bone_end(creature, body)).collect();
    last.sort_by(|a, b| from_root(b).total_cmp(&from_root(a)));
    last.truncate(ENDS);
    last
}

/// Packs a clip as trajectories of its root and of its ends; poses are found by inverse kinematics when it is read.
pub fn pack_ends(
    creature: &Creature,
    clip: &Clip,
    settings: &EndsSettings,
    choice: &EndsChoice,
) -> Result<EndsReport, PackError> {
    clip.check(creature)?;
    let count = clip.times.len();
    settings.check().map_err(|error| PackError::Settings(error.to_string()))?;
    let numbers = count.saturating_mul(creature.nq());
    if numbers > MOST_NUMBERS || count > MOST_KEYS {
        let most = MOST_NUMBERS.min(MOST_KEYS.saturating_mul(creature.nq()));
        return Err(PackError::TooLong { numbers, most });
    }
    let ends = if choice.ends.is_empty() { end_points(creature) } else { choice.ends.clone() };
    if ends.len() > MOST_ENDS {
        return Err(PackError::Settings(format!("{} ends are more than {MOST_ENDS}", ends.len())));
    }
    let [root, tracks] = [0, 1].map(|k| {
        let all = super::pyramid::level_sizes(count).len();
        kept(count, choice.levels.map_or(all.saturating_sub(settings.left_out), |levels| levels[k]))
    });
    let (turns, places) = root_samples(creature, clip);
    let mut data = Data::new(creature);
    let mut at = |end: &BodyPoint| -> Vec<Vec3> {
        let place = |pose: &Vec<f64>| {
            forward_kinematics(creature, &mut data, pose)[end.body].point_in_world(end.point)
        };
        clip.poses.iter().map(place).collect()
    };
    let packed = EndsClip {
        head: Head::of(clip, choice.shared.map(|(basis, file)| SharedBasis::of(basis, file))),
        smooth: settings.smooth,
        left_out: [root.1, tracks.1],
        turns: coarse(&turns, root.1),
        places: coarse(&places, root.1),
        tracks: ends.iter().map(|end| coarse(&at(end), tracks.1)).collect(),
        ends: ends.clone(),
        parts: parts(creature, clip, settings, choice)?,
    };
    let directions = packed.parts.iter().map(|part| part.directions.len() + 1).sum::<usize>();
    // Every body of a recording has a joint; the first is the root's.
    let joints = creature.bodies().len() - 1;
    let bytes = write_content(creature, &Content::Ends(packed));
    let read = Pack::open_with(creature, &bytes, choice.shared.map(|(basis, _)| basis))?;
    let comparison = compare(creature, clip, &read.clip())?;
    let samples = [root.0, tracks.0];
    let floats = ends_floats(count, joints, directions - 1, samples, ends.len());
    Ok(EndsReport { bytes, comparison, samples, ends, floats })
}

/// How a free root is turned and where it is, at every key.
fn root_samples(creature: &Creature, clip: &Clip) -> (Vec<Quat>, Vec<Vec3>) {
    let Some(root) = free_root(creature) else { return (Vec::new(), Vec::new()) };
    let of = |pose: &Vec<f64>| {
        let q = &pose[root.q..root.q + 7];
        (root_turn(&q[3..]), Vec3::new(q[0], q[1], q[2]))
    };
    clip.poses.iter().map(of).unzip()
}

/// The bases of equal parts of a clip.
fn parts(
    creature: &Creature,
    clip: &Clip,
    settings: &EndsSettings,
    choice: &EndsChoice,
) -> Result<Vec<Part>, PackError> {
    if let Some((basis, _)) = choice.shared {
        let known = basis.flexible().len();
        if settings.count > known {
            return Err(crate::BasisError::Rank { count: settings.count, rank: known }.into());
        }
        return Ok(vec![Part::shared(creature, basis, settings.count)]);
    }
    let count = clip.times.len();
    let mut found = Vec::new();
    for index in 0..settings.parts {
        let [first, next] = [index, index + 1].map(|k| k * count / settings.parts);
        let poses: Vec<&[f64]> = clip.poses[first..next].iter().map(Vec::as_slice).collect();
        let geodesics = GeodesicSettings { keep: Keep::Count(settings.count), metric: choice.metric.clone() };
        let basis = Basis::from_poses(creature, &poses, &geodesics)?.basis;
        found.push(Part { first, ..Part::shared(creature, &basis, settings.count) });
    }
    Ok(found)
}

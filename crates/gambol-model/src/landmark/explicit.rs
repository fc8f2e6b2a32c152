//! Landmarks somebody placed: the user by an override, the file by a site, joint or body with a landmark's name.

use super::stand::Stand;
use super::{Found, Landmark, LandmarkName, Role, Row, Side, Source};
use crate::{Creature, JointKind, LandmarkOverride, ModelError, Quat, Transform, Vec3};

/// What was said, still unplaced.
#[derive(Default)]
pub(super) struct Explicit {
    pub(super) given: Vec<Given>,
    /// Landmarks the creature shall not have.
    pub(super) removed: Vec<LandmarkName>,
}

/// A landmark's name and what goes by the name of its target: one or more of site, body and joint.
pub(super) struct Given {
    pub(super) name: LandmarkName,
    target: String,
    source: Source,
    site: Option<usize>,
    body: Option<usize>,
    joint: Option<usize>,
}

impl Given {
    /// The body meant.
    pub(super) fn body(&self, creature: &Creature) -> usize {
        let of_site = self.site.map(|site| creature.sites[site].body);
        let of_joint = self.joint.map(|joint| creature.joints[joint].body);
        let order = if self.name.role.is_joint() {
            [of_joint, of_site, self.body]
        } else {
            [of_site, self.body, of_joint]
        };
        order.into_iter().flatten().next().unwrap_or(0)
    }

    /// The joint meant: the one of that name, else the one of the body (or the nearest above it) closest to the site.
    /// Of several about one point a site that is turned means the one along its z axis, else it is the first.
    fn meant_joint(&self, creature: &Creature) -> Option<usize> {
        let turns =
            |&joint: &usize| matches!(creature.joints[joint].kind, JointKind::Hinge | JointKind::Ball);
        if self.joint.is_some() {
            return self.joint;
        }
        let mut body = self.body(creature);
        let site = self.site.map_or_else(Transform::identity, |site| creature.sites[site].body_from_site);
        let is_turned = site.rotation != Quat::identity();
        let along = |joint: &usize| {
            let cosine = creature.joints[*joint].axis.dot(&(site.rotation * Vec3::z()));
            if is_turned { cosine.abs() } else { 0.0 }
        };
        while body != 0 {
            let joints = creature.bodies[body].joints.clone().filter(turns);
            let away = |joint: &usize| (creature.joints[*joint].anchor - site.translation.vector).norm();
            let nearer =
                |a: &usize, b: &usize| away(a).total_cmp(&away(b)).then(along(b).total_cmp(&along(a)));
            if let Some(joint) = joints.min_by(nearer) {
                return Some(joint);
            }
            body = creature.bodies[body].parent;
        }
        None
    }

    fn landmark(&self, creature: &Creature, stand: &Stand) -> Option<Landmark> {
        let LandmarkName { role, row, side } = self.name;
        let joint = if role.is_joint() { Some(self.meant_joint(creature)?) } else { None };
        let body = joint.map_or_else(|| self.body(creature), |joint| creature.joints[joint].body);
        let site = self.site.map(|site| &creature.sites[site]).filter(|site| site.body == body);
        let point = match (site, joint) {
            (Some(site), _) => site.body_from_site.translation.vector,
            (None, Some(joint)) => creature.joints[joint].anchor,
            (None, None) => default_point(creature, stand, role, body),
        };
        let what = match (self.site, self.body, self.joint) {
            (Some(_), _, _) if !role.is_joint() => "site",
            (_, _, Some(_)) if role.is_joint() => "joint",
            (Some(_), _, _) => "site",
            (_, Some(_), _) => "body",
            _ => "joint",
        };
        let who = if self.source == Source::User { "given by the user" } else { "named so in the file" };
        let reason = format!("{what} `{}`, {who}", self.target);
        Some(Landmark { role, row, side, body, point, joint, source: self.source, reason })
    }
}

/// Where on a body a landmark is: under a foot, at the tip of a tail, in the middle of a head or hand.
pub(super) fn default_point(creature: &Creature, stand: &Stand, role: Role, body: usize) -> Vec3 {
    let in_world = match role {
        Role::Foot => stand.sole(creature, body),
        Role::Tail => {
            let direction = stand.com[body] - stand.base(creature, body);
            stand.extreme(creature, body, direction.try_normalize(1e-9).unwrap_or(-stand.up))
        }
        _ => stand.com[body],
    };
    stand.in_body(body, in_world)
}

impl Explicit {
    pub(super) fn resolve(&self, creature: &Creature, stand: &Stand) -> Found {
        let placed =
            self.given.iter().filter_map(|given| Some((given.name, given.landmark(creature, stand)?)));
        placed.collect()
    }
}

/// Everything in the file whose name is a landmark's name. Where a site, a joint and a body share it, it is one
/// landmark. A body that is just called `foot` has an ordinary name; a site `foot` is there to be a landmark.
pub(super) fn from_file(creature: &Creature) -> Explicit {
    let mut given: std::collections::BTreeMap<LandmarkName, Given> = std::collections::BTreeMap::new();
    let ordinary = |name: LandmarkName| {
        matches!(name.role, Role::Foot | Role::Knee | Role::Hand | Role::Elbow)
            && name.row.is_none()
            && name.side.is_none()
    };
    let mut entry = |text: &str, is_site: bool, set: &mut dyn FnMut(&mut Given)| {
        let Some(name) = text.parse::<LandmarkName>().ok().filter(|&name| is_site || !ordinary(name)) else {
            return;
        };
        let new =
            || Given { name, target: text.into(), source: Source::File, site: None, body: None, joint: None };
        set(given.entry(name).or_insert_with(new));
    };
    for (index, site) in creature.sites.iter().enumerate() {
        entry(&site.name, true, &mut |given| given.site = given.site.or(Some(index)));
    }
    for (index, body) in creature.bodies.iter().enumerate().skip(1) {
        entry(&body.name, false, &mut |given| given.body = Some(index));
    }
    for (index, joint) in creature.joints.iter().enumerate() {
        entry(&joint.name, false, &mut |given| given.joint = Some(index));
    }
    Explicit { given: given.into_values().collect(), removed: Vec::new() }
}

/// What the user says, checked.
pub(super) fn from_user(creature: &Creature, overrides: &[LandmarkOverride]) -> Result<Explicit, ModelError> {
    let mut explicit = Explicit::default();
    for LandmarkOverride { landmark, target } in overrides {
        let name: LandmarkName = landmark.parse().map_err(|error: ModelError| {
            let similar = nearest(landmark, landmark_names());
            ModelError::new(error.place, format!("{}; the nearest one is {similar:?}", error.reason))
        })?;
        if target.is_empty() {
            explicit.removed.push(name);
            continue;
        }
        let given = Given {
            name,
            target: target.clone(),
            source: Source::User,
            site: creature.sites.iter().position(|site| site.name == *target),
            body: creature.body_index(target).filter(|&body| body != 0),
            joint: creature.joint_index(target),
        };
        let place = format!("landmark {landmark:?}");
        if given.site.or(given.body).or(given.joint).is_none() {
            let similar = nearest(target, creature_names(creature));
            let reason =
                format!("there is no body, site or joint {target:?}; the nearest name is {similar:?}");
            return Err(ModelError::new(place, reason));
        }
        if name.role.is_joint() && given.meant_joint(creature).is_none() {
            return Err(ModelError::new(place, format!("{target:?} has no joint that turns")));
        }
        explicit.given.push(given);
    }
    Ok(explicit)
}

fn creature_names(creature: &Creature) -> Vec<String> {
    let bodies = creature.bodies.iter().skip(1).map(|body| body.name.clone());
    let joints = creature.joints.iter().map(|joint| joint.name.clone());
    let sites = creature.sites.iter().map(|site| site.name.clone());
    bodies.chain(joints).chain(sites).filter(|name| !name.is_empty()).collect()
}

/// The landmark names in use, to help those who misspell one.
fn landmark_names() -> Vec<String> {
    let rows = [None, Some(Row::Front), Some(Row::Middle), Some(Row::Hind), Some(Row::Number(1))];
    let sides = [None, Some(Side::Left), Some(Side::Right)];
    let mut names = Vec::new();
    for role in [Role::Foot, Role::Knee, Role::Hand, Role::Elbow, Role::Head, Role::Spine, Role::Tail] {
        for row in rows {
            for side in sides {
                let name = LandmarkName { role, row, side }.to_string();
                names.extend(name.parse::<LandmarkName>().is_ok().then_some(name));
            }
        }
    }
    names
}

/// The name that takes the fewest letters changed, added or dropped; the first of several.
fn nearest(text: &str, names: Vec<String>) -> String {
    // Over the first letters: longer names do not matter for a hint.
    const LONGEST: usize = 64;
    let start = |name: &str| name.to_lowercase().chars().take(LONGEST).collect::<String>();
    let text = start(text);
    names.into_iter().min_by_key(|name| strsim::levenshtein(&text, &start(name))).unwrap_or_default()
}

//! Sites: the creature's own, its landmarks, and those that constraints need.

use std::collections::{HashMap, HashSet};
use std::f64::consts::PI;

use gambol_model::{BodyPoint, Creature, JointKind, Landmark, Quat, Site, Transform, Vec3};

use super::names::free;
use crate::mjcf::orient::{transform, turn_z_to};

/// Sites of each body, and where bodies are in the reference pose.
#[derive(Debug)]
pub(super) struct Places {
    /// For each body, name and pose in it.
    pub(super) sites: Vec<Vec<(String, Transform)>>,
    taken: HashSet<String>,
    world_from_body: Vec<Transform>,
}

impl Places {
    /// The creature's sites, and one for each landmark under its name: that is how our reader knows landmarks. A site
    /// with the name of a landmark that is elsewhere gets another name.
    pub(super) fn of(creature: &Creature) -> Self {
        let mut world_from_body = vec![Transform::identity()];
        for body in creature.bodies().iter().skip(1) {
            world_from_body.push(world_from_body[body.parent] * body.parent_from_body);
        }
        let sites = vec![Vec::new(); creature.bodies().len()];
        let mut places = Self { sites, taken: HashSet::new(), world_from_body };
        let names: Vec<String> = creature.landmarks().iter().map(Landmark::name).collect();
        let is_at = |site: &Site, landmark: usize| {
            let landmark = &creature.landmarks()[landmark];
            (landmark.body, landmark.point) == (site.body, site.body_from_site.translation.vector)
        };
        let index: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let mut is_there = vec![false; names.len()];
        places.taken.extend(names.iter().cloned());
        for site in creature.sites() {
            let landmark = index.get(site.name.as_str()).copied();
            match landmark.filter(|&landmark| !is_there[landmark] && is_at(site, landmark)) {
                Some(landmark) => {
                    is_there[landmark] = true;
                    places.sites[site.body].push((site.name.clone(), site.body_from_site));
                }
                None => drop(places.add_site(site.body, &site.name, site.body_from_site)),
            }
        }
        for ((landmark, name), is_there) in creature.landmarks().iter().zip(&names).zip(is_there) {
            if !is_there {
                let pose = transform(landmark.point, landmark_turn(creature, landmark));
                places.sites[landmark.body].push((name.clone(), pose));
            }
        }
        places
    }

    /// Adds a site and returns its name, which is `wish` if nobody has that.
    pub(super) fn add_site(&mut self, body: usize, wish: &str, body_from_site: Transform) -> String {
        let name = free(wish, &mut self.taken);
        self.sites[body].push((name.clone(), body_from_site));
        name
    }

    /// Where a point is in the reference pose.
    pub(super) fn in_world(&self, point: BodyPoint) -> Vec3 {
        self.world_from_body[point.body].transform_point(&point.point.into()).coords
    }
}

/// A landmark may mark one of several joints about one point: the z axis of its site tells which. A site that is not
/// turned tells nothing, so that one along z is turned about itself.
fn landmark_turn(creature: &Creature, landmark: &Landmark) -> Quat {
    let Some(joint) = landmark.joint.map(|joint| &creature.joints()[joint]) else { return Quat::identity() };
    let siblings = creature.bodies()[joint.body].joints.len();
    if joint.kind != JointKind::Hinge || siblings == 1 {
        return Quat::identity();
    }
    let turn = turn_z_to(joint.axis);
    if turn == Quat::identity() { Quat::from_axis_angle(&Vec3::z_axis(), PI) } else { turn }
}

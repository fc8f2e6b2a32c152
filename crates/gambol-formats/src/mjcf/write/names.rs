//! Names that MuJoCo accepts: within a kind, no two are the same.

use std::collections::HashSet;

use gambol_model::Creature;

/// The names of a creature's parts as the file has them, in the creature's order.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) bodies: Vec<String>,
    pub(super) joints: Vec<String>,
    pub(super) geoms: Vec<String>,
    pub(super) tendons: Vec<String>,
    taken_tendons: HashSet<String>,
    taken_geoms: HashSet<String>,
}

impl Names {
    pub(super) fn of(creature: &Creature) -> Self {
        let mut taken = HashSet::from(["world".to_owned()]);
        let mut bodies = vec!["world".to_owned()];
        bodies.extend(creature.bodies().iter().skip(1).map(|body| free(&body.name, &mut taken)));
        let mut taken = HashSet::new();
        let joints = creature.joints().iter().map(|joint| free(&joint.name, &mut taken)).collect();
        let mut taken_geoms = HashSet::new();
        let geoms = creature.shapes().iter().map(|shape| free(&shape.name, &mut taken_geoms)).collect();
        let mut taken_tendons = HashSet::new();
        let named = |(index, name): (usize, &str)| match name {
            "" => format!("tendon {index}"),
            name => name.to_owned(),
        };
        let tendons = creature.tendons().iter().map(|tendon| tendon.name.as_str()).enumerate().map(named);
        let tendons = tendons.map(|name| free(&name, &mut taken_tendons)).collect();
        Self { bodies, joints, geoms, tendons, taken_tendons, taken_geoms }
    }

    /// A name for a tendon that the creature does not have.
    pub(super) fn new_tendon(&mut self, wish: &str) -> String {
        free(wish, &mut self.taken_tendons)
    }

    /// A name for a geom that the creature does not have.
    pub(super) fn new_geom(&mut self, wish: &str) -> String {
        free(wish, &mut self.taken_geoms)
    }
}

/// `wish`, with primes behind it until nobody has that name. Who has none may stay without.
pub(super) fn free(wish: &str, taken: &mut HashSet<String>) -> String {
    let mut name = wish.to_owned();
    while !name.is_empty() && !taken.insert(name.clone()) {
        name.push('\'');
    }
    name
}

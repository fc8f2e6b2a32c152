//! Strides between strides: two of one creature, brought into step and blended.

use gambol_model::Creature;

use super::reference::{FootPlan, Moving, StrideReference};
use super::{FootStances, GaitGraph};

impl StrideReference {
    /// The same stride, begun so many keys later.
    #[must_use]
    pub fn begun_later(mut self, keys: usize) -> Self {
        let keys = keys % self.poses.len();
        let later = keys as f64 / self.poses.len() as f64;
        self.poses.rotate_left(keys);
        self.v.rotate_left(keys);
        self.a.rotate_left(keys);
        self.com.rotate_left(keys);
        for foot in &mut self.feet {
            foot.path.rotate_left(keys);
            foot.turns.rotate_left(keys);
        }
        for stances in self.graph.feet.iter_mut().map(|foot| &mut foot.stances) {
            for stance in stances.iter_mut() {
                stance[0] = (stance[0] - later).rem_euclid(1.0);
            }
            stances.sort_by(|a, b| a[0].total_cmp(&b[0]));
        }
        self
    }

    /// Begun so that its feet are where those of `other` are, as nearly as can be over the stride: then a creature can go over from one
    /// to the other at any phase.
    #[must_use]
    pub fn in_step_with(self, other: &Self) -> Self {
        let keys = self.poses.len();
        let apart = |later: usize| -> f64 {
            let feet = self.feet.iter().zip(&other.feet);
            let one = |(own, others): (&FootPlan, &FootPlan)| -> f64 {
                (0..keys)
                    .map(|key| {
                        // Against the centre of mass: carriages begin anywhere.
                        let here =
                            own.path[(key + later) % keys].place - self.com[(key + later) % keys].place;
                        let there = others.path[key].place - other.com[key].place;
                        (here - there).norm_squared()
                    })
                    .sum()
            };
            feet.map(one).sum()
        };
        let best = (0..keys).min_by(|a, b| apart(*a).total_cmp(&apart(*b))).unwrap_or(0);
        self.begun_later(best)
    }

    /// The stride that is `share` of the way from this one to `other`, both of one creature, with the same feet and in step.
    #[must_use]
    pub fn blended(&self, creature: &Creature, other: &Self, share: f64) -> Self {
        let mix = |a: f64, b: f64| a + share * (b - a);
        let moving = |(a, b): (&Moving, &Moving)| Moving {
            place: a.place.lerp(&b.place, share),
            velocity: a.velocity.lerp(&b.velocity, share),
            acceleration: a.acceleration.lerp(&b.acceleration, share),
        };
        let rates = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let row = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| mix(*a, *b)).collect();
            a.iter().zip(b).map(row).collect()
        };
        let mut way = vec![0.0; creature.nv()];
        let mut pose = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            let mut pose = a.clone();
            creature.difference(a, b, &mut way);
            creature.integrate(&mut pose, &way, share);
            pose
        };
        let foot = |(a, b): (&FootPlan, &FootPlan)| FootPlan {
            path: a.path.iter().zip(&b.path).map(moving).collect(),
            turns: (a.turns.iter().zip(&b.turns))
                .map(|(a, b)| (a.0.slerp(&b.0, share), a.1.lerp(&b.1, share)))
                .collect(),
            ..a.clone()
        };
        Self {
            name: if share < 0.5 { self.name.clone() } else { other.name.clone() },
            graph: self.graph.blended(&other.graph, share),
            feet: self.feet.iter().zip(&other.feet).map(foot).collect(),
            velocity: self.velocity.lerp(&other.velocity, share),
            turn: mix(self.turn, other.turn),
            base: self.base,
            poses: self.poses.iter().zip(&other.poses).map(&mut pose).collect(),
            v: rates(&self.v, &other.v),
            a: rates(&self.a, &other.a),
            com: self.com.iter().zip(&other.com).map(moving).collect(),
        }
    }
}

impl GaitGraph {
    /// The graph that is `share` of the way from this one to `other`, for the same feet. Each stance begins and ends between those of both,
    /// the short way round; a foot that has not as often a stance in both has those of the nearer.
    #[must_use]
    pub fn blended(&self, other: &Self, share: f64) -> Self {
        let mix = |a: f64, b: f64| a + share * (b - a);
        let foot = |(a, b): (&FootStances, &FootStances)| {
            if a.stances.len() != b.stances.len() {
                return if share < 0.5 { a.clone() } else { b.clone() };
            }
            let mut stances: Vec<[f64; 2]> = a
                .stances
                .iter()
                .map(|own| {
                    let theirs = nearest(own, &b.stances);
                    let [middle, length] = [own[0] + 0.5 * own[1], mix(own[1], theirs[1])];
                    // One that never ends has no middle.
                    let endless = |stance: &[f64; 2]| stance[1] >= 1.0;
                    let middle = match (endless(own), endless(&theirs)) {
                        (true, _) => theirs[0] + 0.5 * theirs[1],
                        (_, true) => middle,
                        _ => middle + share * apart(middle, theirs[0] + 0.5 * theirs[1]),
                    };
                    [(middle - 0.5 * length).rem_euclid(1.0), length]
                })
                .collect();
            stances.sort_by(|a, b| a[0].total_cmp(&b[0]));
            FootStances { name: a.name.clone(), stances }
        };
        Self {
            period: mix(self.period, other.period),
            feet: self.feet.iter().zip(&other.feet).map(foot).collect(),
        }
    }
}

/// The short way from one phase to another, cycles.
fn apart(from: f64, to: f64) -> f64 {
    let way = (to - from).rem_euclid(1.0);
    if way > 0.5 { way - 1.0 } else { way }
}

/// The stance whose middle is nearest.
fn nearest(own: &[f64; 2], stances: &[[f64; 2]]) -> [f64; 2] {
    let middle = |stance: &[f64; 2]| stance[0] + 0.5 * stance[1];
    let far = |stance: &&[f64; 2]| apart(middle(own), middle(stance)).abs();
    stances.iter().min_by(|a, b| far(a).total_cmp(&far(b))).copied().unwrap_or(*own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(period: f64, stances: &[[f64; 2]]) -> GaitGraph {
        let foot = |stance: &[f64; 2]| FootStances { name: String::new(), stances: vec![*stance] };
        GaitGraph { period, feet: stances.iter().map(foot).collect() }
    }

    #[test]
    fn graphs_go_over_into_each_other_the_short_way_round() {
        let (walk, trot) = (graph(0.8, &[[0.9, 0.6], [0.1, 0.6]]), graph(0.4, &[[0.0, 0.4], [0.0, 0.4]]));
        let half = walk.blended(&trot, 0.5);
        assert!((half.period - 0.6).abs() < 1e-12);
        for (foot, stances) in half.feet.iter().enumerate() {
            assert!((half.duty(foot) - 0.5).abs() < 1e-12);
            // Middles 0.2 (0.9 + 0.3 − 1) and 0.4 against 0.2.
            let middle = (stances.stances[0][0] + 0.25).rem_euclid(1.0);
            assert!((middle - [0.2, 0.3][foot]).abs() < 1e-12, "{middle}");
        }
        assert_eq!(walk.blended(&trot, 0.0).period, walk.period);
    }

    #[test]
    fn who_stands_lifts_each_foot_in_the_middle_of_its_swing_first() {
        let (stand, walk) = (graph(0.8, &[[0.0, 1.0]]), graph(0.8, &[[0.3, 0.6]]));
        let little = stand.blended(&walk, 0.1);
        let [start, length] = little.feet[0].stances[0];
        assert!((length - 0.96).abs() < 1e-12);
        // The middle of the swing is that of the walk, half a cycle from the middle of its stance.
        assert!(((start + 0.5 * length).rem_euclid(1.0) - 0.6).abs() < 1e-12);
    }
}

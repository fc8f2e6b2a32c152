//! Gait graphs: which foot stands when (Coros et al. 2011, figure 4).

use gambol_motion::Clip;

/// When each foot stands within a stride. Phases are in cycles, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct GaitGraph {
    /// Of a stride, s.
    pub period: f64,
    /// In the order of the clip's contacts.
    pub feet: Vec<FootStances>,
}

/// The stances of one foot.
#[derive(Clone, Debug, PartialEq)]
pub struct FootStances {
    /// Of its landmark.
    pub name: String,
    /// Start, from 0 to 1, and how long, both in cycles; by start.
    pub stances: Vec<[f64; 2]>,
}

/// Where a foot is in its graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FootPhase {
    /// It stands: share of the stance that is over, and what is left of it, cycles.
    Stands {
        /// 0 to 1.
        share: f64,
        /// Cycles.
        left: f64,
        /// Of the whole stance, cycles.
        length: f64,
    },
    /// It swings: share of the swing that is over, and what is left of it, cycles.
    Swings {
        /// 0 to 1.
        share: f64,
        /// Cycles.
        left: f64,
        /// Of the whole swing, cycles.
        length: f64,
        /// Of the stance that comes next, cycles.
        next: f64,
    },
}

/// Stances that are less than this apart are one, cycles: one that runs over the end of a clip appears as two.
const SAME: f64 = 1e-6;

impl GaitGraph {
    /// The graph of a clip that loops.
    pub fn of_clip(clip: &Clip) -> Self {
        let (start, period) = (clip.times[0], clip.duration() - clip.times[0]);
        let feet = clip.contacts.iter().map(|contact| {
            let phase = |time: f64| (time - start) / period;
            let mut stances: Vec<[f64; 2]> =
                contact.intervals.iter().map(|[a, b]| [phase(*a), phase(*b) - phase(*a)]).collect();
            stances.retain(|[_, length]| *length > SAME);
            stances.sort_by(|a, b| a[0].total_cmp(&b[0]));
            join(&mut stances);
            FootStances { name: contact.name.clone(), stances }
        });
        Self { period, feet: feet.collect() }
    }

    /// A graph from a table: name of each foot, where its stance begins and how long it is, cycles.
    pub fn of_table(period: f64, rows: &[(&str, f64, f64)]) -> Self {
        let feet = rows.iter().map(|(name, from, duty)| {
            let mut stances = vec![[from.rem_euclid(1.0), duty.clamp(0.0, 1.0)]];
            stances.retain(|[_, length]| *length > SAME);
            FootStances { name: (*name).to_owned(), stances }
        });
        Self { period, feet: feet.collect() }
    }

    /// Where `foot` is at `phase`, cycles. A foot that never stands swings for ever, one that always does stands.
    pub fn at(&self, foot: usize, phase: f64) -> FootPhase {
        let stances = &self.feet[foot].stances;
        let phase = phase.rem_euclid(1.0);
        let Some([_, mut next]) = stances.first().copied() else {
            return FootPhase::Swings { share: 0.0, left: 1.0, length: 1.0, next: 0.0 };
        };
        let mut wait = f64::INFINITY;
        let mut since = f64::INFINITY;
        for &[from, length] in stances {
            let into = (phase - from).rem_euclid(1.0);
            if into < length || length >= 1.0 - SAME {
                return FootPhase::Stands { share: into / length, left: length - into, length };
            }
            if 1.0 - into < wait {
                (wait, next) = (1.0 - into, length);
            }
            since = since.min(into - length);
        }
        let length = since + wait;
        FootPhase::Swings { share: since / length, left: wait, length, next }
    }

    /// Share of the stride that a foot stands.
    pub fn duty(&self, foot: usize) -> f64 {
        self.feet[foot].stances.iter().map(|[_, length]| length).sum()
    }
}

/// Makes one stance of two that meet, also over the end of the stride.
fn join(stances: &mut Vec<[f64; 2]>) {
    let mut joined: Vec<[f64; 2]> = Vec::with_capacity(stances.len());
    for [start, length] in stances.drain(..) {
        match joined.last_mut() {
            Some(last) if start <= last[0] + last[1] + SAME => {
                last[1] = last[1].max(start + length - last[0]);
            }
            _ => joined.push([start, length]),
        }
    }
    if joined.len() > 1
        && joined[joined.len() - 1][0] + joined[joined.len() - 1][1] >= joined[0][0] + 1.0 - SAME
    {
        let first = joined.remove(0);
        if let Some(last) = joined.last_mut() {
            last[1] += first[1];
        }
    }
    for stance in &mut joined {
        *stance = [stance[0].rem_euclid(1.0), stance[1].min(1.0)];
    }
    *stances = joined;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(stances: Vec<[f64; 2]>) -> GaitGraph {
        let mut stances = stances;
        join(&mut stances);
        GaitGraph { period: 1.0, feet: vec![FootStances { name: "foot".to_owned(), stances }] }
    }

    #[test]
    fn a_stance_over_the_end_of_the_stride_is_one() {
        let graph = graph(vec![[0.0, 0.2], [0.7, 0.3]]);
        assert_eq!(graph.feet[0].stances.len(), 1);
        assert!((graph.duty(0) - 0.5).abs() < 1e-12);
        let FootPhase::Stands { share, left, .. } = graph.at(0, 0.1) else { panic!("it stands") };
        assert!((share - 0.8).abs() < 1e-12 && (left - 0.1).abs() < 1e-12);
        let FootPhase::Swings { share, left, length, next } = graph.at(0, 0.45) else { panic!("it swings") };
        assert!((share - 0.5).abs() < 1e-12 && (left - 0.25).abs() < 1e-12);
        assert!((length - 0.5).abs() < 1e-12 && (next - 0.5).abs() < 1e-12);
    }

    #[test]
    fn feet_that_always_or_never_stand() {
        assert!(matches!(graph(vec![[0.0, 1.0]]).at(0, 0.3), FootPhase::Stands { .. }));
        assert!(matches!(graph(vec![]).at(0, 0.3), FootPhase::Swings { .. }));
    }
}

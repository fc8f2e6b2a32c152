//! How far joints turn: ellipsoids of least volume round the orientations that were observed (section 7).

use gambol_dynamics::reduced::{PLACE, ROOT, ReducedBody};
use gambol_model::{Creature, JointKind, Vec3};
use nalgebra::{DMatrix, DVector};

use super::contacts::Rows;

/// Rounds of Khachiyan's algorithm; hundreds are usual.
const ROUNDS: usize = 2000;

/// It has settled where no point is outside by more than this share of the dimension.
const SETTLED: f64 = 1e-3;

/// Observed angles that vary by less than this, rad, are given room of as much: a joint that was never seen to turn may turn by noise.
const LEAST: f64 = 0.05;

/// A joint outside its ellipsoid is led back no faster than this, 1/s: of E, which is 1 in the middle.
const LEAD_BACK: f64 = 5.0;

/// Why limits cannot be learnt.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct LimitError(String);

/// An ellipsoid (θ − c)ᵀ S (θ − c) ≤ 1 of a ball's rotation vectors from the mean, or the interval of a hinge.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLimit {
    /// First velocity coordinate of the joint.
    pub dof: usize,
    /// 3 or 1 coordinates.
    pub count: usize,
    /// c, rad.
    pub center: Vec3,
    /// S, 1/rad²: of an interval, its first entry.
    pub shape: nalgebra::Matrix3<f64>,
}

impl JointLimit {
    /// The limits of all joints but the root's, from the poses of recordings; `mean` is that of the basis.
    pub fn learn<'p>(
        creature: &Creature,
        mean: &[f64],
        poses: impl IntoIterator<Item = &'p [f64]>,
    ) -> Result<Vec<Self>, LimitError> {
        let mut away = vec![0.0; creature.nv()];
        let mut seen: Vec<Vec<f64>> = Vec::new();
        for pose in poses {
            if pose.len() != creature.nq() {
                return Err(LimitError(format!(
                    "a pose of {} has {} numbers",
                    creature.name(),
                    creature.nq()
                )));
            }
            creature.difference(mean, pose, &mut away);
            seen.push(away.clone());
        }
        if seen.is_empty() {
            return Err(LimitError("there are no poses to learn limits from".to_owned()));
        }
        let joints = creature.joints().iter().filter(|joint| joint.kind != JointKind::Free);
        Ok(joints.map(|joint| Self::round(joint.v, joint.kind.nv(), &seen)).collect())
    }

    fn round(dof: usize, count: usize, seen: &[Vec<f64>]) -> Self {
        let points: Vec<Vec<f64>> = seen.iter().map(|away| away[dof..dof + count].to_vec()).collect();
        // Room for noise: each extreme pose with a little to all sides.
        let mut all = points.clone();
        for axis in 0..count {
            for sign in [-1.0, 1.0] {
                let far = |p: &&Vec<f64>| sign * p[axis];
                if let Some(most) = points.iter().max_by(|a, b| far(a).total_cmp(&far(b))) {
                    let mut moved = most.clone();
                    moved[axis] += sign * LEAST;
                    all.push(moved);
                }
            }
        }
        let (center, shape) = enclose(&all);
        let mut limit = Self { dof, count, center: Vec3::zeros(), shape: nalgebra::Matrix3::zeros() };
        for r in 0..count {
            limit.center[r] = center[r];
            for s in 0..count {
                limit.shape[(r, s)] = shape[(r, s)];
            }
        }
        limit
    }

    /// E = 1 − (θ − c)ᵀ S (θ − c) at the coordinates x, and its gradient by θ.
    fn room(&self, body: &ReducedBody, x: &[f64]) -> (f64, Vec3) {
        let mut away = -self.center;
        for k in 0..self.count {
            away[k] += body.shape(self.dof + k).iter().zip(x).map(|(u, x)| u * x).sum::<f64>();
        }
        let pull = self.shape * away;
        (1.0 - away.dot(&pull), pull * -2.0)
    }

    /// Adds the row Ė ≥ −E/h to those of a step: θ is linear in x.
    pub(super) fn add_row(&self, body: &ReducedBody, g: &[f64], h: f64, rows: &mut Rows) {
        let (room, gradient) = self.room(body, &g[PLACE..]);
        let size = gradient.norm();
        // In the middle, where nothing limits, there is nothing to say.
        if room > 0.5 || size < 1e-9 {
            return;
        }
        let row = rows.add(body.n(), (-room / h).min(LEAD_BACK) / size);
        for k in 0..self.count {
            for (entry, u) in row[ROOT..].iter_mut().zip(body.shape(self.dof + k)) {
                *entry += gradient[k] / size * u;
            }
        }
    }

    /// Whether a joint is outside, at the coordinates x, by more than this share of its room.
    pub fn is_beyond(&self, body: &ReducedBody, x: &[f64], share: f64) -> bool {
        self.room(body, x).0 < -share
    }
}

/// The ellipsoid (p − c)ᵀ S (p − c) ≤ 1 of least volume round some points (Khachiyan 1996; Todd and Yıldırım 2007): its centre and S.
///
/// ```text
/// weights u = 1/N;  points lifted to q = (p, 1);  X = Σ u q qᵀ
/// the point farthest out, j with the largest qᵀ X⁻¹ q = m, gains weight (m − d − 1)/((d + 1)(m − 1))
/// ```
pub fn enclose(points: &[Vec<f64>]) -> (DVector<f64>, DMatrix<f64>) {
    let (count, d) = (points.len(), points.first().map_or(0, Vec::len));
    let lifted = DMatrix::from_fn(d + 1, count, |r, c| if r < d { points[c][r] } else { 1.0 });
    let mut weights = DVector::from_element(count, 1.0 / count.max(1) as f64);
    for _ in 0..ROUNDS {
        let mut spread = DMatrix::zeros(d + 1, d + 1);
        for (column, weight) in lifted.column_iter().zip(weights.iter()) {
            spread.ger(*weight, &column, &column, 1.0);
        }
        let Some(inverse) = spread.try_inverse() else { break };
        let reach = |j: usize| lifted.column(j).dot(&(&inverse * lifted.column(j)));
        let farthest = (0..count).map(|j| (reach(j), j)).max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((most, j)) = farthest else { break };
        let n = (d + 1) as f64;
        if most <= n * (1.0 + SETTLED) {
            break;
        }
        let step = (most - n) / (n * (most - 1.0));
        weights *= 1.0 - step;
        weights[j] += step;
    }
    let center = DVector::from_fn(d, |r, _| (0..count).map(|c| weights[c] * points[c][r]).sum());
    let mut spread = DMatrix::zeros(d, d);
    for (point, weight) in points.iter().zip(weights.iter()) {
        let away = DVector::from_column_slice(point) - &center;
        spread.ger(*weight, &away, &away, 1.0);
    }
    let mut shape = (spread * d as f64).try_inverse().unwrap_or_else(|| DMatrix::zeros(d, d));
    // What rounding and the last round leave outside is let in.
    let outermost = points.iter().map(|point| {
        let away = DVector::from_column_slice(point) - &center;
        away.dot(&(&shape * &away))
    });
    let outermost = outermost.fold(1.0, f64::max);
    shape /= outermost;
    (center, shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_model::Random;

    /// Corners of a box: the ellipsoid of least volume through them has semi-axes √d times half its sides (John's theorem for a box).
    #[test]
    fn the_least_ellipsoid_round_a_box_is_known() {
        let half = [0.3, 1.0, 2.0];
        let points: Vec<Vec<f64>> = (0..8)
            .map(|corner| {
                (0..3).map(|k| 0.5 + if corner >> k & 1 == 0 { half[k] } else { -half[k] }).collect()
            })
            .collect();
        let (center, shape) = enclose(&points);
        for k in 0..3 {
            assert!((center[k] - 0.5).abs() < 1e-9);
            // The algorithm settles within a thousandth of the volume.
            assert!((shape[(k, k)] * 3.0 * half[k] * half[k] - 1.0).abs() < 5e-3, "{shape}");
        }
    }

    #[test]
    fn all_points_are_inside_and_some_on_it() {
        let mut random = Random::new(5);
        let points: Vec<Vec<f64>> =
            (0..200).map(|_| random.numbers(3, 1.0).iter().map(|x| x * x * x).collect()).collect();
        let (center, shape) = enclose(&points);
        let reach = |point: &Vec<f64>| {
            let away = DVector::from_column_slice(point) - &center;
            away.dot(&(&shape * &away))
        };
        let most = points.iter().map(reach).fold(0.0, f64::max);
        assert!((most - 1.0).abs() < 1e-12);
        assert!(points.iter().filter(|point| reach(point) > 0.99).count() >= 4);
    }
}

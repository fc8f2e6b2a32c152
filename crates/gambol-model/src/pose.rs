//! Poses live on a manifold: they move by a tangent vector ([`Creature::integrate`]), and the tangent vector between
//! two of them is their [`Creature::difference`]. Nothing is ever added to a quaternion.

use nalgebra::{Quaternion, UnitQuaternion};

use crate::{Creature, JointKind, ModelError, Quat, Vec3, math};

impl Creature {
    /// Moves the pose `q` by the velocity `v` for the time `dt`, in place: `q ← q ⊕ v·dt`.
    ///
    /// Free joints: the position moves along the world axes, the orientation turns about the body axes.
    pub fn integrate(&self, q: &mut [f64], v: &[f64], dt: f64) {
        debug_assert!(q.len() == self.nq() && v.len() == self.nv());
        for joint in &self.joints {
            let (iq, iv) = (joint.q, joint.v);
            match joint.kind {
                JointKind::Free => {
                    for k in 0..3 {
                        q[iq + k] += v[iv + k] * dt;
                    }
                    rotate(&mut q[iq + 3..iq + 7], &v[iv + 3..iv + 6], dt);
                }
                JointKind::Ball => rotate(&mut q[iq..iq + 4], &v[iv..iv + 3], dt),
                JointKind::Hinge | JointKind::Slide => q[iq] += v[iv] * dt,
            }
        }
    }

    /// The velocity that leads from `from` to `to` in unit time: `v = to ⊖ from`, the inverse of `integrate`.
    pub fn difference(&self, from: &[f64], to: &[f64], v: &mut [f64]) {
        debug_assert!(from.len() == self.nq() && to.len() == self.nq() && v.len() == self.nv());
        for joint in &self.joints {
            let (iq, iv) = (joint.q, joint.v);
            match joint.kind {
                JointKind::Free => {
                    for k in 0..3 {
                        v[iv + k] = to[iq + k] - from[iq + k];
                    }
                    let turn = rotation_between(&from[iq + 3..iq + 7], &to[iq + 3..iq + 7]);
                    v[iv + 3..iv + 6].copy_from_slice(turn.as_slice());
                }
                JointKind::Ball => {
                    let turn = rotation_between(&from[iq..iq + 4], &to[iq..iq + 4]);
                    v[iv..iv + 3].copy_from_slice(turn.as_slice());
                }
                JointKind::Hinge | JointKind::Slide => v[iv] = to[iq] - from[iq],
            }
        }
    }

    /// `qpos` with its length and numbers checked and its quaternions normalised.
    pub fn checked_pose(&self, place: &str, qpos: &[f64]) -> Result<Vec<f64>, ModelError> {
        if qpos.len() != self.nq() {
            return Err(ModelError::new(
                place,
                format!("{} numbers given, the pose has {}", qpos.len(), self.nq()),
            ));
        }
        if let Some(k) = qpos.iter().position(|x| !x.is_finite()) {
            return Err(ModelError::new(place, format!("number {} is {}", k + 1, qpos[k])));
        }
        let mut qpos = qpos.to_vec();
        for joint in &self.joints {
            let quat = match joint.kind {
                JointKind::Free => &mut qpos[joint.q + 3..joint.q + 7],
                JointKind::Ball => &mut qpos[joint.q..joint.q + 4],
                JointKind::Hinge | JointKind::Slide => continue,
            };
            let norm = quat.iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm < 1e-10 {
                return Err(ModelError::new(
                    place,
                    format!("the quaternion of joint {:?} is zero", joint.name),
                ));
            }
            for x in quat {
                *x /= norm;
            }
        }
        Ok(qpos)
    }

    /// `qvel` with its length and numbers checked.
    pub fn checked_velocity(&self, place: &str, qvel: &[f64]) -> Result<Vec<f64>, ModelError> {
        if qvel.len() != self.nv() {
            return Err(ModelError::new(
                place,
                format!("{} numbers given, the velocity has {}", qvel.len(), self.nv()),
            ));
        }
        if let Some(k) = qvel.iter().position(|x| !x.is_finite()) {
            return Err(ModelError::new(place, format!("number {} is {}", k + 1, qvel[k])));
        }
        Ok(qvel.to_vec())
    }
}

/// Reads a rotation from four numbers w x y z of any positive norm.
fn read_quat(wxyz: &[f64]) -> Quat {
    UnitQuaternion::from_quaternion(Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]))
}

/// Turns the quaternion `wxyz` by the body-frame angular velocity `omega` for the time `dt`.
fn rotate(wxyz: &mut [f64], omega: &[f64], dt: f64) {
    let half = Vec3::new(omega[0], omega[1], omega[2]) * (0.5 * dt);
    let angle = half.norm();
    // sin x / x ≈ 1 − x²/6 below 1e-4 is exact to double precision.
    let sinc = if angle < 1e-4 { 1.0 - angle * angle / 6.0 } else { math::sin(angle) / angle };
    let turn = Quaternion::from_parts(math::cos(angle), half * sinc);
    let turned = read_quat(wxyz).into_inner() * turn;
    let turned = turned / turned.norm();
    wxyz.copy_from_slice(&[turned.w, turned.i, turned.j, turned.k]);
}

/// Rotation vector, in the body frame of `from`, of the shortest turn from `from` to `to`.
fn rotation_between(from: &[f64], to: &[f64]) -> Vec3 {
    let turn = (read_quat(from).inverse() * read_quat(to)).into_inner();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let vector = Vec3::new(turn.i, turn.j, turn.k);
    let sine = vector.norm();
    // 2 atan2(s, w)/s → 2 (1 − s²/6 …)/w for small s; the first term is enough below 1e-8.
    let factor = if sine < 1e-8 { 2.0 } else { 2.0 * math::atan2(sine, turn.w) / sine };
    vector * factor
}

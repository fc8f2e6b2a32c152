//! Spatial vectors along the world axes at a stated origin (Featherstone 2008, chapter 2, with translations only).
//!
//! A shift from origin `o` to origin `p` needs `d = o − p` alone:
//!
//! ```text
//! velocity:  v_o = v_p + ω × d        (the field of a rigid motion)
//! force:     τ_p = τ_o + d × f        (the moment of a force)
//! ```

use crate::{Mat3, Vec3};

/// Velocity or acceleration of a rigid body: the field `linear + angular × (x − origin)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// rad/s or rad/s²
    pub angular: Vec3,
    /// Of the point at the origin, m/s or m/s².
    pub linear: Vec3,
}

/// A wrench or a momentum: a vector and its moment about the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force {
    /// Moment about the origin, N·m or N·m·s.
    pub moment: Vec3,
    /// N or N·s
    pub force: Vec3,
}

impl Motion {
    pub(crate) const ZERO: Self =
        Self { angular: Vec3::new(0.0, 0.0, 0.0), linear: Vec3::new(0.0, 0.0, 0.0) };

    pub(crate) fn new(angular: Vec3, linear: Vec3) -> Self {
        Self { angular, linear }
    }

    /// The same field read at an origin that lies `d` further on.
    #[inline(always)]
    pub(crate) fn shifted(self, d: Vec3) -> Self {
        Self { angular: self.angular, linear: self.linear + self.angular.cross(&d) }
    }

    /// Power of a force on this motion.
    #[inline(always)]
    pub(crate) fn dot(self, f: &Force) -> f64 {
        self.angular.dot(&f.moment) + self.linear.dot(&f.force)
    }

    /// `self × other`: how fast `other` changes in space when it is carried along by `self`.
    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            angular: self.angular.cross(&other.angular),
            linear: self.angular.cross(&other.linear) + self.linear.cross(&other.angular),
        }
    }

    /// `self ×* force`: how fast a force or momentum that is carried along by `self` changes in space.
    #[inline(always)]
    pub(crate) fn cross_force(self, f: &Force) -> Force {
        Force {
            moment: self.angular.cross(&f.moment) + self.linear.cross(&f.force),
            force: self.angular.cross(&f.force),
        }
    }
}

impl std::ops::Add for Motion {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { angular: self.angular + other.angular, linear: self.linear + other.linear }
    }
}

impl std::ops::AddAssign for Motion {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::ops::Mul<f64> for Motion {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f64) -> Self {
        Self { angular: self.angular * s, linear: self.linear * s }
    }
}

impl Force {
    /// The same force with its moment about an origin from which the old one lies `d` away.
    #[inline(always)]
    pub(crate) fn shifted(self, d: Vec3) -> Self {
        Self { moment: self.moment + d.cross(&self.force), force: self.force }
    }
}

impl std::ops::Add for Force {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { moment: self.moment + other.moment, force: self.force + other.force }
    }
}

impl std::ops::AddAssign for Force {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Inertia of a rigid body about an origin: ten numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RigidInertia {
    /// kg
    pub mass: f64,
    /// Mass times the position of the centre of mass, kg·m.
    pub first: Vec3,
    /// Rotational inertia about the origin, kg·m²: xx, yy, zz, xy, xz, yz.
    pub second: [f64; 6],
}

impl RigidInertia {
    /// From mass, centre of mass `c` and inertia about it, all along the world axes.
    #[inline(always)]
    pub(crate) fn new(mass: f64, c: Vec3, about_com: [f64; 6]) -> Self {
        let first = c * mass;
        Self { mass, first, second: add_steiner(about_com, c, first) }
    }

    /// The same inertia about an origin from which the old one lies `d` away.
    #[inline(always)]
    pub(crate) fn shifted(&self, d: Vec3) -> Self {
        // c' = c + d: I' = I + [2 h·d + m d·d] 1 − (h dᵀ + d hᵀ) − m d dᵀ, written with g = 2h + m d, symmetrised.
        let h = self.first;
        let moved = h + d * self.mass;
        let [xx, yy, zz, xy, xz, yz] = self.second;
        let s = h + moved;
        Self {
            mass: self.mass,
            first: moved,
            second: [
                xx + d.y * s.y + d.z * s.z,
                yy + d.z * s.z + d.x * s.x,
                zz + d.x * s.x + d.y * s.y,
                xy - h.x * d.y - d.x * moved.y,
                xz - h.x * d.z - d.x * moved.z,
                yz - h.y * d.z - d.y * moved.z,
            ],
        }
    }

    /// Momentum of this body in `motion`, or the force that accelerates it so.
    #[inline(always)]
    pub(crate) fn apply(&self, motion: Motion) -> Force {
        let (w, v) = (motion.angular, motion.linear);
        Force {
            moment: symmetric_times(&self.second, w) + self.first.cross(&v),
            force: v * self.mass + w.cross(&self.first),
        }
    }
}

impl std::ops::AddAssign for RigidInertia {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.mass += other.mass;
        self.first += other.first;
        for k in 0..6 {
            self.second[k] += other.second[k];
        }
    }
}

/// I + m (c·c 1 − c cᵀ), with `first` = m c.
#[inline(always)]
fn add_steiner(inertia: [f64; 6], c: Vec3, first: Vec3) -> [f64; 6] {
    let [xx, yy, zz, xy, xz, yz] = inertia;
    [
        xx + c.y * first.y + c.z * first.z,
        yy + c.z * first.z + c.x * first.x,
        zz + c.x * first.x + c.y * first.y,
        xy - c.x * first.y,
        xz - c.x * first.z,
        yz - c.y * first.z,
    ]
}

/// R I Rᵀ for a symmetric I as six numbers.
#[inline(always)]
pub(crate) fn rotate_symmetric(r: &Mat3, i: &[f64; 6]) -> [f64; 6] {
    let [xx, yy, zz, xy, xz, yz] = *i;
    let full = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let t = r * full;
    let dot = |a: usize, b: usize| t[(a, 0)] * r[(b, 0)] + t[(a, 1)] * r[(b, 1)] + t[(a, 2)] * r[(b, 2)];
    [dot(0, 0), dot(1, 1), dot(2, 2), dot(0, 1), dot(0, 2), dot(1, 2)]
}

#[inline(always)]
pub(crate) fn symmetric_times(i: &[f64; 6], w: Vec3) -> Vec3 {
    let [xx, yy, zz, xy, xz, yz] = *i;
    Vec3::new(xx * w.x + xy * w.y + xz * w.z, xy * w.x + yy * w.y + yz * w.z, xz * w.x + yz * w.y + zz * w.z)
}

/// Inertia of a body whose subtree hangs on joints that give way (Featherstone 2008, section 7.3): symmetric 6 × 6 by
/// columns, angular part first. Two rows of padding let the compiler work on whole vector registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArticulatedInertia {
    columns: [[f64; 8]; 6],
}

impl ArticulatedInertia {
    pub(crate) const ZERO: Self = Self { columns: [[0.0; 8]; 6] };

    #[inline(always)]
    pub(crate) fn set_rigid(&mut self, rigid: &RigidInertia) {
        let [xx, yy, zz, xy, xz, yz] = rigid.second;
        let (h, m) = (rigid.first, rigid.mass);
        self.columns = [
            [xx, xy, xz, 0.0, -h.z, h.y, 0.0, 0.0],
            [xy, yy, yz, h.z, 0.0, -h.x, 0.0, 0.0],
            [xz, yz, zz, -h.y, h.x, 0.0, 0.0, 0.0],
            [0.0, h.z, -h.y, m, 0.0, 0.0, 0.0, 0.0],
            [-h.z, 0.0, h.x, 0.0, m, 0.0, 0.0, 0.0],
            [h.y, -h.x, 0.0, 0.0, 0.0, m, 0.0, 0.0],
        ];
    }

    /// I s, padded.
    #[inline(always)]
    pub(crate) fn apply(&self, s: &Motion) -> [f64; 8] {
        let s = [s.angular.x, s.angular.y, s.angular.z, s.linear.x, s.linear.y, s.linear.z];
        let mut out = [0.0; 8];
        for (column, s) in self.columns.iter().zip(s) {
            for r in 0..8 {
                out[r] += column[r] * s;
            }
        }
        out
    }

    /// I ← I − u uᵀ / d: the joint with I s = u gives way.
    #[inline(always)]
    pub(crate) fn release(&mut self, u: &[f64; 8], d_inverse: f64) {
        for k in 0..6 {
            let factor = u[k] * d_inverse;
            for r in 0..8 {
                self.columns[k][r] -= u[r] * factor;
            }
        }
    }

    /// Adds `other`, whose origin lies `d` away from ours.
    #[inline(always)]
    pub(crate) fn add_shifted(&mut self, other: &Self, d: Vec3) {
        let c = &other.columns;
        let mut angular = [c[0], c[1], c[2]];
        // Columns: the angular ones take the linear velocity ω × d that a turn about our origin means at the other's.
        for r in 0..8 {
            angular[0][r] += d.y * c[5][r] - d.z * c[4][r];
            angular[1][r] += d.z * c[3][r] - d.x * c[5][r];
            angular[2][r] += d.x * c[4][r] - d.y * c[3][r];
        }
        // Rows: moments take d × force.
        for k in 0..3 {
            let [_, _, _, fx, fy, fz, _, _] = angular[k];
            angular[k][0] += d.y * fz - d.z * fy;
            angular[k][1] += d.z * fx - d.x * fz;
            angular[k][2] += d.x * fy - d.y * fx;
            for r in 0..8 {
                self.columns[k][r] += angular[k][r];
            }
        }
        for k in 0..3 {
            // The moments in the linear columns are the forces in the angular ones, by symmetry.
            let column = [
                angular[0][3 + k],
                angular[1][3 + k],
                angular[2][3 + k],
                c[3 + k][3],
                c[3 + k][4],
                c[3 + k][5],
                0.0,
                0.0,
            ];
            for r in 0..8 {
                self.columns[3 + k][r] += column[r];
            }
        }
    }
}

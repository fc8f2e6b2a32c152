//! One element: a straight round beam between two nodes (Diener et al. 2009, section 3.1 and appendix).
//!
//! A node has six degrees of freedom, three displacements and three rotations. Between two nodes the displacement is linear
//! along the beam and a cubic of Hermite across it (equation 20); stiffness and mass are the second derivatives of the
//! potential and kinetic energies of the appendix, both exact for that interpolation ("consistent").
//!
//! Misprints of the appendix: a disc has I = πr⁴/4, not πr⁴/16; J = 2I, not √2 I; and G = E / 2(1 + ν) = E/2.6, not 2.6 E.

use gambol_model::{Mat3, Vec3};
use nalgebra::{Matrix2, Matrix4, SMatrix, SVector};

/// 6 by 6.
pub type Mat6 = SMatrix<f64, 6, 6>;
/// Displacement and rotation of a node: u, ψ.
pub type Vec6 = SVector<f64, 6>;
type Mat12 = SMatrix<f64, 12, 12>;

gambol_model::settings! {
    /// What wood is like.
    pub struct WoodSettings {
        /// E, Pa. Green wood has 5 to 15 GPa; the paper takes 10.
        young: f64 = 1e10, Positive;
        /// ρ, kg/m³. Green wood is about as heavy as water.
        density: f64 = 1000.0, Positive;
        /// ν; with 0.3, G = E/2.6.
        poisson: f64 = 0.3, AtLeastZero;
        /// Mass of the leaves at each tip, kg. The paper leaves them out.
        leaf_mass: f64 = 0.0, AtLeastZero;
    }
}

/// Which constants of a disc are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Constants {
    /// I = πr⁴/4, J = 2I, G = E / 2(1 + ν).
    #[default]
    Disc,
    /// As the paper prints them: I = πr⁴/16, J = √2 I, G = 2.6 E.
    Printed,
}

/// EA, EI, GJ and ρA, ρJ of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// EA, N
    pub axial: f64,
    /// EI, N·m²
    pub bending: f64,
    /// GJ, N·m²
    pub torsion: f64,
    /// ρA, kg/m
    pub mass: f64,
    /// ρJ, kg·m
    pub spin: f64,
}

impl Section {
    /// Of a disc of this radius, m.
    pub fn new(radius: f64, wood: &WoodSettings, constants: Constants) -> Self {
        let area = std::f64::consts::PI * radius * radius;
        let fourth = area * radius * radius;
        let (second, polar, shear) = match constants {
            Constants::Disc => (0.25 * fourth, 0.5 * fourth, wood.young / (2.0 * (1.0 + wood.poisson))),
            Constants::Printed => (fourth / 16.0, std::f64::consts::SQRT_2 * fourth / 16.0, 2.6 * wood.young),
        };
        Self {
            axial: wood.young * area,
            bending: wood.young * second,
            torsion: shear * polar,
            mass: wood.density * area,
            spin: wood.density * polar,
        }
    }
}

/// An element in space.
#[derive(Clone, Copy, Debug)]
pub struct Beam {
    /// m
    pub length: f64,
    /// m
    pub radius: f64,
    /// Rows: along the beam, and two directions across.
    pub local_from_world: Mat3,
    /// What it is made of.
    pub section: Section,
}

/// The four blocks of an element's matrix in the world's axes: parent's, node's, and how the node feels the parent.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// Of the parent alone.
    pub parent: Mat6,
    /// Of the node alone.
    pub node: Mat6,
    /// Rows of the node, columns of the parent.
    pub coupling: Mat6,
}

impl Beam {
    /// The beam from `from` to `to`, which are apart.
    pub fn new(from: Vec3, to: Vec3, radius: f64, section: Section) -> Self {
        let along = to - from;
        let length = along.norm();
        let x = along / length;
        // The axis that is most across; a disc does not mind which way its two others point.
        let helper = if x.z.abs() < 0.9 { Vec3::z() } else { Vec3::x() };
        let y = helper.cross(&x).normalize();
        let z = x.cross(&y);
        let local_from_world = Mat3::from_rows(&[x.transpose(), y.transpose(), z.transpose()]);
        Self { length, radius, local_from_world, section }
    }

    /// Second derivative of the potential energy, in N/m, N and N·m.
    pub fn stiffness(&self) -> Blocks {
        let l = self.length;
        let Section { axial, bending, torsion, .. } = self.section;
        let line = Matrix2::new(1.0, -1.0, -1.0, 1.0) / l;
        #[rustfmt::skip]
        let hermite = Matrix4::new(
            12.0, 6.0 * l, -12.0, 6.0 * l,
            6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l,
            -12.0, -6.0 * l, 12.0, -6.0 * l,
            6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l,
        ) / (l * l * l);
        self.blocks(&(line * axial), &(hermite * bending), &(line * torsion))
    }

    /// Second derivative of the kinetic energy, in kg, kg·m and kg·m².
    pub fn mass(&self) -> Blocks {
        let Section { mass, spin, .. } = self.section;
        self.weighted(mass, spin)
    }

    /// ∫ NᵀN `per_metre` dx, and the same of the rotation about the axis with `spin_per_metre`.
    pub fn weighted(&self, per_metre: f64, spin_per_metre: f64) -> Blocks {
        let l = self.length;
        let line = Matrix2::new(2.0, 1.0, 1.0, 2.0) * (l / 6.0);
        #[rustfmt::skip]
        let hermite = Matrix4::new(
            156.0, 22.0 * l, 54.0, -13.0 * l,
            22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l,
            54.0, 13.0 * l, 156.0, -22.0 * l,
            -13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l,
        ) * (l / 420.0);
        self.blocks(&(line * per_metre), &(hermite * per_metre), &(line * spin_per_metre))
    }

    /// Puts a matrix together of what acts along, across and about the beam, and turns it into the world's axes.
    fn blocks(&self, along: &Matrix2<f64>, across: &Matrix4<f64>, about: &Matrix2<f64>) -> Blocks {
        let mut local = Mat12::zeros();
        for (i, j) in pairs(2) {
            local[(6 * i, 6 * j)] = along[(i, j)];
            local[(6 * i + 3, 6 * j + 3)] = about[(i, j)];
        }
        for (i, j) in pairs(4) {
            // ψ_z = du_y/dx, but ψ_y = −du_z/dx.
            let (y, z) = ([1, 5, 7, 11], [2, 4, 8, 10]);
            let sign = if (i + j).is_multiple_of(2) { 1.0 } else { -1.0 };
            local[(y[i], y[j])] = across[(i, j)];
            local[(z[i], z[j])] = sign * across[(i, j)];
        }
        let turned = |row: usize, column: usize| -> Mat6 {
            let block: Mat6 = local.fixed_view::<6, 6>(6 * row, 6 * column).into_owned();
            let turn = self.turn();
            turn.transpose() * block * turn
        };
        Blocks { parent: turned(0, 0), node: turned(1, 1), coupling: turned(1, 0) }
    }

    fn turn(&self) -> Mat6 {
        let mut turn = Mat6::zeros();
        turn.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.local_from_world);
        turn.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.local_from_world);
        turn
    }

    /// Displacement at the share `s` of its length, of its ends' displacements and rotations: N(p) u (equation 20).
    pub fn displacement(&self, s: f64, parent: &Vec6, node: &Vec6) -> Vec3 {
        self.local_from_world.transpose() * self.local_displacement(s, &self.ends(parent, node))
    }

    /// Displacements and rotations of both ends along the beam's own axes.
    pub(crate) fn ends(&self, parent: &Vec6, node: &Vec6) -> [Vec3; 4] {
        let turned = |v: &Vec6, first: usize| self.local_from_world * v.fixed_rows::<3>(first);
        [turned(parent, 0), turned(parent, 3), turned(node, 0), turned(node, 3)]
    }

    /// The same displacement along the beam's own axes.
    pub(crate) fn local_displacement(&self, s: f64, [u, psi, v, chi]: &[Vec3; 4]) -> Vec3 {
        let l = self.length;
        let h = [
            1.0 - s * s * (3.0 - 2.0 * s),
            l * s * (1.0 - s) * (1.0 - s),
            s * s * (3.0 - 2.0 * s),
            -l * s * s * (1.0 - s),
        ];
        Vec3::new(
            (1.0 - s) * u.x + s * v.x,
            h[0] * u.y + h[1] * psi.z + h[2] * v.y + h[3] * chi.z,
            h[0] * u.z - h[1] * psi.y + h[2] * v.z - h[3] * chi.y,
        )
    }

    /// ∫ Nᵀ dx, the nodes' share of a force of 1 N/m along each of the world's axes: of the parent and of the node, a column
    /// for each axis.
    pub fn load(&self) -> [SMatrix<f64, 6, 3>; 2] {
        let l = self.length;
        let end = |sign: f64| {
            let mut local = SMatrix::<f64, 6, 3>::zeros();
            (0..3).for_each(|axis| local[(axis, axis)] = 0.5 * l);
            // ∫ h₂ = l²/12 of the slope at the start, and −l²/12 at the end.
            local[(5, 1)] = sign * l * l / 12.0;
            local[(4, 2)] = -sign * l * l / 12.0;
            self.turn().transpose() * local * self.local_from_world
        };
        [end(1.0), end(-1.0)]
    }
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (0..n).map(move |j| (i, j)))
}

//! The inverse problem of a creature as an operator on long vectors: A = Fᵀ S F, K⁻¹ = F Fᵀ, without any matrix.

use gambol_dynamics::{Data, MassMultiplier, prepare_mass};
use gambol_model::{Constraint, Creature};
use nalgebra::{Cholesky, DMatrix, Dyn, SymmetricEigen};

use super::block::{Block, LANES, Row, Square, gram, orthonormalize, subtract};
use super::lanczos::Operator;
use crate::ModesError;
use crate::coordinates::Coordinates;
use crate::dense::{RANK_TOLERANCE, Root};

/// Numbers in all columns that are kept besides the Krylov space (root, tendons, constraints): 512 MB.
const MOST_NUMBERS: usize = 1 << 26;

/// S u = μ K u over the elastic joints; see the text of [`super`].
pub(super) struct Problem {
    mass: MassMultiplier<LANES>,
    springs: Springs,
    root: Follow,
    /// Orthonormal: what the constraints on the joints alone forbid of x.
    forbidden: Columns,
    dimension: usize,
    /// Scratch: u, M u.
    u: Block,
    f: Block,
}

impl Problem {
    pub(super) fn new(
        creature: &Creature,
        data: &mut Data,
        q: &[f64],
        coordinates: &Coordinates,
        constraints: &[Constraint],
    ) -> Result<Self, ModesError> {
        let nv = creature.nv();
        let rows: usize = constraints.iter().map(|constraint| constraint.kind.rows()).sum();
        let columns = 2 * coordinates.root.len() + creature.tendons().len() + 2 * rows;
        if columns.saturating_mul(nv) > MOST_NUMBERS {
            return Err(ModesError::TooLarge { columns, nv });
        }
        prepare_mass(creature, data, q);
        let mut mass = MassMultiplier::new(creature, data);
        let springs = Springs::new(creature, coordinates)?;
        let bound = Root::new(creature, data, q, coordinates, constraints);
        let mut rows_on_x = Columns::from_rows(&bound.left_over, &coordinates.elastic, nv);
        for block in &mut rows_on_x.blocks {
            springs.scale(block);
        }
        let negligible = RANK_TOLERANCE * rows_on_x.largest_norm();
        let (forbidden, r) = rows_on_x.orthonormalized(negligible);
        let rank = r.diagonal().iter().filter(|r| **r > 0.0).count();
        let root = Follow::new(&mut mass, nv, coordinates, bound)?;
        let dimension = coordinates.elastic.len() - rank;
        let zero = vec![[0.0; LANES]; nv];
        Ok(Self { mass, springs, root, forbidden, dimension, u: zero.clone(), f: zero })
    }

    /// Orthonormal root directions that stay free: root × rigid motions.
    pub(super) fn free(&self) -> &DMatrix<f64> {
        &self.root.free
    }

    /// The motions u over all coordinates that belong to `x`. Leaves the forces M u on them in `self.f`.
    ///
    /// The root first takes the motion that cancels all momentum, and then once more what rounding left of it.
    pub(super) fn motion(&mut self, x: &[Row]) -> &[Row] {
        self.u.copy_from_slice(x);
        self.springs.scale(&mut self.u);
        self.root.follow(&mut self.u);
        self.mass.multiply(&self.u, &mut self.f);
        self.root.stop_momentum(&mut self.u, &mut self.f);
        &self.u
    }
}

impl Operator for Problem {
    fn rows(&self) -> usize {
        self.u.len()
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn apply(&mut self, x: &[Row], out: &mut [Row]) {
        self.motion(x);
        out.copy_from_slice(&self.f);
        self.root.transmit(out);
        self.springs.scale_transposed(out);
        self.restrict(out);
    }

    fn restrict(&self, x: &mut [Row]) {
        self.springs.keep_elastic(x);
        for block in &self.forbidden.blocks {
            let c = gram(block, x);
            subtract(x, block, &c);
        }
    }
}

/// F with K⁻¹ = F Fᵀ. Without tendons F = D^-½, D the joint stiffnesses. Tendons add C C ᵀ to D: with D^-½ C = Q R,
///
/// ```text
/// K = D^½ (1 + Q R Rᵀ Qᵀ) D^½,   F = D^-½ (1 − Q B Qᵀ),   B = 1 − (1 + R Rᵀ)^-½
/// ```
struct Springs {
    /// 1/√k of each velocity coordinate; zero on the root's.
    inverse_root: Vec<f64>,
    /// Q
    tendons: Columns,
    /// B
    softened: DMatrix<f64>,
}

impl Springs {
    fn new(creature: &Creature, coordinates: &Coordinates) -> Result<Self, ModesError> {
        let mut inverse_root = vec![0.0; creature.nv()];
        for (&dof, k) in coordinates.elastic.iter().zip(&coordinates.stiffness) {
            inverse_root[dof] = 1.0 / k.sqrt();
        }
        let has_spring =
            |tendon: &&gambol_model::Tendon| tendon.stiffness > 0.0 && tendon.rest[0] == tendon.rest[1];
        let sprung: Vec<_> = creature.tendons().iter().filter(has_spring).collect();
        let mut columns = Columns::zeros(sprung.len(), creature.nv());
        for (k, tendon) in sprung.iter().enumerate() {
            for &(joint, c) in &tendon.terms {
                let dof = creature.joints()[joint].v;
                columns.blocks[k / LANES][dof][k % LANES] += c * tendon.stiffness.sqrt() * inverse_root[dof];
            }
        }
        let negligible = f64::EPSILON * columns.largest_norm();
        let (tendons, r) = columns.orthonormalized(negligible);
        let side = r.nrows();
        let mut softened = DMatrix::zeros(side, side);
        if side > 0 {
            let gram = DMatrix::identity(side, side) + &r * r.transpose();
            let eigen =
                SymmetricEigen::try_new(gram, f64::EPSILON, 100 * side).ok_or(ModesError::NotConverged)?;
            let shares = eigen.eigenvalues.map(|value| 1.0 - 1.0 / value.sqrt());
            softened = &eigen.eigenvectors * DMatrix::from_diagonal(&shares) * eigen.eigenvectors.transpose();
        }
        Ok(Self { inverse_root, tendons, softened })
    }

    /// x ← F x
    fn scale(&self, x: &mut [Row]) {
        self.soften(x);
        self.scale_by_joints(x);
    }

    /// x ← Fᵀ x
    fn scale_transposed(&self, x: &mut [Row]) {
        self.scale_by_joints(x);
        self.soften(x);
    }

    fn scale_by_joints(&self, x: &mut [Row]) {
        for (row, s) in x.iter_mut().zip(&self.inverse_root) {
            for x in row {
                *x *= s;
            }
        }
    }

    /// x ← (1 − Q B Qᵀ) x
    fn soften(&self, x: &mut [Row]) {
        if !self.tendons.blocks.is_empty() {
            let along = &self.softened * self.tendons.dot(x);
            self.tendons.add_to(x, &-along);
        }
    }

    fn keep_elastic(&self, x: &mut [Row]) {
        for (row, s) in x.iter_mut().zip(&self.inverse_root) {
            if *s == 0.0 {
                *row = [0.0; LANES];
            }
        }
    }
}

/// How the root moves with the joints: r = T j + Φ z, with z such that Φᵀ (M u)_r = 0. T is what constraints
/// determine, Φ what they leave free.
struct Follow {
    /// Velocity coordinates of the root.
    root: Vec<usize>,
    /// Φ
    free: DMatrix<f64>,
    /// Columns of M that belong to the root.
    momenta: Columns,
    /// M_rr
    inertia: DMatrix<f64>,
    /// Φᵀ M_rr Φ
    free_inertia: Option<Cholesky<f64, Dyn>>,
    /// Rows of T; none without constraints.
    determined: Option<Columns>,
}

impl Follow {
    fn new(
        mass: &mut MassMultiplier<LANES>,
        nv: usize,
        coordinates: &Coordinates,
        bound: Root,
    ) -> Result<Self, ModesError> {
        let root = coordinates.root.clone();
        let mut momenta = Columns::zeros(root.len(), nv);
        let mut unit = vec![[0.0; LANES]; nv];
        for (k, dofs) in root.chunks(LANES).enumerate() {
            unit.fill([0.0; LANES]);
            dofs.iter().enumerate().for_each(|(l, &dof)| unit[dof][l] = 1.0);
            mass.multiply(&unit, &mut momenta.blocks[k]);
        }
        let inertia =
            DMatrix::from_fn(root.len(), root.len(), |i, j| momenta.blocks[j / LANES][root[i]][j % LANES]);
        let free_inertia = if bound.free.ncols() == 0 {
            None
        } else {
            let inertia = bound.free.transpose() * &inertia * &bound.free;
            let place = || "the root".to_owned();
            Some(inertia.cholesky().ok_or_else(|| ModesError::Massless { place: place() })?)
        };
        let determined = bound.determined.map(|t| Columns::from_rows(&t, &coordinates.elastic, nv));
        Ok(Self { root, free: bound.free, momenta, inertia, free_inertia, determined })
    }

    /// Sets the root's part of u from the joints' part; it must be zero before.
    fn follow(&self, u: &mut [Row]) {
        let mut momentum = self.momenta.dot(u).rows(0, self.root.len()).into_owned();
        let mut r = DMatrix::zeros(self.root.len(), LANES);
        if let Some(t) = &self.determined {
            r += t.dot(u).rows(0, self.root.len());
            momentum += &self.inertia * &r;
        }
        r += self.answer(&momentum);
        for (&dof, r) in self.root.iter().zip(r.row_iter()) {
            u[dof] = std::array::from_fn(|l| r[l]);
        }
    }

    /// Takes what is left of the momentum out of u and f = M u.
    fn stop_momentum(&self, u: &mut [Row], f: &mut [Row]) {
        let r = self.answer(&self.on_root(f));
        for (&dof, r) in self.root.iter().zip(r.row_iter()) {
            (0..LANES).for_each(|l| u[dof][l] += r[l]);
        }
        self.momenta.add_to(f, &r);
    }

    /// f_j ← f_j + Tᵀ f_r: forces that the determined root passes on to the joints.
    fn transmit(&self, f: &mut [Row]) {
        if let Some(t) = &self.determined {
            let on_root = self.on_root(f);
            t.add_to(f, &on_root);
        }
    }

    fn on_root(&self, f: &[Row]) -> DMatrix<f64> {
        DMatrix::from_fn(self.root.len(), LANES, |k, l| f[self.root[k]][l])
    }

    /// Root motion −Φ (Φᵀ M_rr Φ)⁻¹ Φᵀ p that stops the momentum p.
    fn answer(&self, momentum: &DMatrix<f64>) -> DMatrix<f64> {
        match &self.free_inertia {
            Some(inertia) => -(&self.free * inertia.solve(&(self.free.transpose() * momentum))),
            None => DMatrix::zeros(self.root.len(), LANES),
        }
    }
}

/// Some long columns, padded with zero columns to whole blocks.
struct Columns {
    blocks: Vec<Block>,
}

impl Columns {
    fn zeros(columns: usize, rows: usize) -> Self {
        Self { blocks: vec![vec![[0.0; LANES]; rows]; columns.div_ceil(LANES)] }
    }

    /// The rows of `matrix`, whose columns stand for the coordinates `places`.
    fn from_rows(matrix: &DMatrix<f64>, places: &[usize], rows: usize) -> Self {
        let mut columns = Self::zeros(matrix.nrows(), rows);
        for (column, &place) in matrix.column_iter().zip(places) {
            for (k, value) in column.iter().enumerate() {
                columns.blocks[k / LANES][place][k % LANES] = *value;
            }
        }
        columns
    }

    fn largest_norm(&self) -> f64 {
        let norm = |block: &Block| {
            let squares = gram(block, block);
            (0..LANES).map(|k| squares[k][k]).fold(0.0, f64::max)
        };
        self.blocks.iter().map(norm).fold(0.0, f64::max).sqrt()
    }

    /// Columnsᵀ x, one row per column.
    fn dot(&self, x: &[Row]) -> DMatrix<f64> {
        let mut dots = DMatrix::zeros(self.blocks.len() * LANES, LANES);
        for (k, block) in self.blocks.iter().enumerate() {
            write(&mut dots, k, 0, &gram(block, x));
        }
        dots
    }

    /// x ← x + Columns c
    fn add_to(&self, x: &mut [Row], c: &DMatrix<f64>) {
        for (k, block) in self.blocks.iter().enumerate() {
            let entry = |a: usize, b: usize| c.get((k * LANES + a, b)).map_or(0.0, |c| -c);
            let square: Square = std::array::from_fn(|a| std::array::from_fn(|b| entry(a, b)));
            subtract(x, block, &square);
        }
    }

    /// Orthonormal columns Q and R with Q R = these columns; what is shorter than `negligible` becomes zero in both.
    fn orthonormalized(mut self, negligible: f64) -> (Self, DMatrix<f64>) {
        let side = self.blocks.len() * LANES;
        let mut r = DMatrix::zeros(side, side);
        for k in 0..self.blocks.len() {
            let (before, rest) = self.blocks.split_at_mut(k);
            let block = &mut rest[0];
            for _ in 0..2 {
                for (i, other) in before.iter().enumerate() {
                    let c = gram(other, block);
                    subtract(block, other, &c);
                    write(&mut r, i, k, &c);
                }
            }
            write(&mut r, k, k, &orthonormalize(block, negligible));
        }
        (self, r)
    }
}

/// Adds a square to block (i, k) of a matrix.
fn write(matrix: &mut DMatrix<f64>, i: usize, k: usize, square: &Square) {
    for (a, row) in square.iter().enumerate() {
        for (b, value) in row.iter().enumerate() {
            matrix[(i * LANES + a, k * LANES + b)] += value;
        }
    }
}

//! Dense modal analysis for rigs, on the inverse problem.
//!
//! A plain eigensolver on (K, M) loses the low modes of long bodies, whose λ are tiny beside the largest. Here the
//! root is eliminated and the problem turned round: with r the root's coordinates (no springs) and j the elastic
//! joints, a vibration carries no rigid momentum, which gives r as a function of j and leaves
//!
//! ```text
//! S u = μ K u,   S = M_jj − M_jr M_rr⁻¹ M_rj,   μ = 1/λ
//! ```
//!
//! The largest μ are the lowest modes, and K^-½ S K^-½ is a plain symmetric matrix: K is diagonal (or, with tendons,
//! has a Cholesky factor L in place of K^½).
//!
//! **Constraints** J_r r + J_j j = 0 act in the small space where they live. Singular vectors of J_r split the root
//! into directions that the constraints determine, r_d = T j, and directions that stay free, the rigid motions; the
//! rows that are left bind the joints alone and are taken out by as many Householder reflections.

use gambol_dynamics::{Data, TreeMatrix, constraint_jacobian, constraint_residual, mass_matrix};
use gambol_model::{Constraint, Creature};
use gambol_motion::Basis;
use nalgebra::{DMatrix, DVector, SVD};

use crate::coordinates::Coordinates;
use crate::eigen::largest_eigenpairs;
use crate::finish::finish;
use crate::pin::Raw;
use crate::{ModesError, Settings, rigid};

/// Constraint rows below this share of the largest entry are redundant: coordinates in files carry some ten digits.
pub(crate) const RANK_TOLERANCE: f64 = 1e-9;

/// Largest gap of a constraint in the pose, m or rad: poses in files are written with six digits.
const LARGEST_GAP: f64 = 1e-4;

/// The modes of `creature` about the pose `q` by a dense eigensolver; cost O(nv³).
pub fn analyze_dense(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    settings: &Settings,
) -> Result<Basis, ModesError> {
    let coordinates = Coordinates::new(creature)?;
    let constraints = all_constraints(creature, data, q, settings)?;
    let mass = Mass::new(creature, data, q, &coordinates)?;
    let root = Root::new(creature, data, q, &coordinates, &constraints);
    let springs = Springs::new(creature, &coordinates)?;

    let (s, momentum_free) = root.eliminate(&mass);
    let mut inverse = springs.scale(s);
    let reflections = Reflections::new(springs.scale_rows(&root.left_over));
    reflections.apply_both_sides(&mut inverse);
    let bound = reflections.count();
    let size = inverse.nrows() - bound;
    let dof = root.free.ncols() + size;
    if dof == 0 {
        return Err(ModesError::OverConstrained { rank: creature.nv(), nv: creature.nv() });
    }
    let wanted = settings.count.map_or(size, |count| size.min(count.saturating_sub(root.free.ncols())));
    let (values, vectors) =
        largest_eigenpairs(inverse.view((bound, bound), (size, size)).into_owned(), wanted)
            .map_err(|_| ModesError::NotConverged)?;

    let mut vibrations = Vec::with_capacity(wanted);
    for (k, &mu) in values.iter().enumerate() {
        let mut w = DVector::zeros(inverse.nrows());
        w.rows_mut(bound, size).copy_from(&vectors.column(k));
        reflections.apply(&mut w);
        if mu.is_nan() || mu <= 0.0 {
            return Err(massless(creature, &coordinates, &w));
        }
        // uᵀ M u = wᵀ (K^-½ S K^-½) w = μ for a unit w.
        let u = springs.unscale(&w) / mu.sqrt();
        let r = &momentum_free * &u;
        let mut shape = vec![0.0; creature.nv()];
        scatter(&mut shape, &coordinates.elastic, &u);
        scatter(&mut shape, &coordinates.root, &r);
        vibrations.push(Raw { eigenvalue: 1.0 / mu, shape });
    }
    let rigid = rigid::canonical(creature, data, &coordinates, &root.free);
    finish(creature, data, q, dof, rigid, vibrations, settings.count)
}

/// The creature's constraints and those of this analysis, which must hold in the pose.
pub(crate) fn all_constraints(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    settings: &Settings,
) -> Result<Vec<Constraint>, ModesError> {
    let constraints: Vec<_> = creature.constraints().iter().chain(&settings.constraints).cloned().collect();
    for constraint in &constraints {
        creature.check_constraint(constraint).map_err(|error| ModesError::Pose(error.to_string()))?;
        let gap = constraint_residual(creature, data, q, std::slice::from_ref(constraint)).amax();
        if gap.is_nan() || gap > LARGEST_GAP {
            return Err(ModesError::Contradiction { constraint: constraint.name.clone(), gap });
        }
    }
    Ok(constraints)
}

/// The mass matrix in blocks: elastic joints, root, and between them.
struct Mass {
    jj: DMatrix<f64>,
    rj: DMatrix<f64>,
    rr: DMatrix<f64>,
}

impl Mass {
    fn new(
        creature: &Creature,
        data: &mut Data,
        q: &[f64],
        coordinates: &Coordinates,
    ) -> Result<Self, ModesError> {
        let mut m = TreeMatrix::new(creature).map_err(|error| ModesError::Pose(error.to_string()))?;
        mass_matrix(creature, data, q, &mut m);
        let (elastic, root) = (&coordinates.elastic, &coordinates.root);
        // Place of each coordinate in its block; root coordinates are counted from the end of the elastic ones.
        let mut place = vec![0; creature.nv()];
        for (k, &dof) in elastic.iter().chain(root).enumerate() {
            place[dof] = k;
        }
        let n = elastic.len();
        let mut blocks = Self {
            jj: DMatrix::zeros(n, n),
            rj: DMatrix::zeros(root.len(), n),
            rr: DMatrix::zeros(root.len(), root.len()),
        };
        for i in 0..creature.nv() {
            for (&j, &value) in m.row_columns(i).iter().zip(m.row(i)) {
                let (a, b) = (place[i], place[j as usize]);
                match (a < n, b < n) {
                    (true, true) => {
                        blocks.jj[(a, b)] = value;
                        blocks.jj[(b, a)] = value;
                    }
                    (false, false) => {
                        blocks.rr[(a - n, b - n)] = value;
                        blocks.rr[(b - n, a - n)] = value;
                    }
                    (true, false) => blocks.rj[(b - n, a)] = value,
                    (false, true) => blocks.rj[(a - n, b)] = value,
                }
            }
        }
        for (k, &dof) in elastic.iter().enumerate() {
            let own = blocks.jj[(k, k)];
            if own.is_nan() || own <= 0.0 {
                return Err(ModesError::Massless { place: place_name(creature, dof) });
            }
        }
        Ok(blocks)
    }
}

pub(crate) fn place_name(creature: &Creature, dof: usize) -> String {
    format!("joint {:?}", creature.joints()[creature.dofs()[dof].joint].name)
}

/// What constraints do to the root.
pub(crate) struct Root {
    /// Orthonormal directions that stay free: root × rigid motions.
    pub(crate) free: DMatrix<f64>,
    /// r_d = T j: root × joints; `None` without constraints.
    pub(crate) determined: Option<DMatrix<f64>>,
    /// Constraint rows that bind the joints alone.
    pub(crate) left_over: DMatrix<f64>,
}

impl Root {
    pub(crate) fn new(
        creature: &Creature,
        data: &mut Data,
        q: &[f64],
        coordinates: &Coordinates,
        constraints: &[Constraint],
    ) -> Self {
        let (n_root, n_elastic) = (coordinates.root.len(), coordinates.elastic.len());
        let unbound = Self {
            free: DMatrix::identity(n_root, n_root),
            determined: None,
            left_over: DMatrix::zeros(0, n_elastic),
        };
        if constraints.is_empty() {
            return unbound;
        }
        let jacobian = constraint_jacobian(creature, data, q, constraints);
        let on_root = jacobian.select_columns(&coordinates.root);
        let on_joints = jacobian.select_columns(&coordinates.elastic);
        let smallest = RANK_TOLERANCE * jacobian.amax();
        // Square, so that the singular vectors span everything: the padding adds zero singular values only.
        let side = on_root.nrows().max(n_root);
        let mut square = DMatrix::zeros(side, side);
        square.view_mut((0, 0), on_root.shape()).copy_from(&on_root);
        let Some(SVD { u: Some(u), v_t: Some(v_t), singular_values }) = gambol_model::svd(square) else {
            return unbound;
        };
        let is_bound = |k: &usize| singular_values[*k] > smallest;
        let bound: Vec<usize> = (0..side).filter(is_bound).collect();
        let loose: Vec<usize> = (0..side).filter(|k| !is_bound(k)).collect();

        // Right vectors of zero singular values, without those that live in the padding.
        let free = orthonormal(&v_t.select_rows(&loose).columns(0, n_root).transpose(), n_root - bound.len());
        let mut determined = DMatrix::zeros(n_root, n_elastic);
        for &k in &bound {
            let row = u.column(k).rows(0, on_joints.nrows()).transpose() * &on_joints / singular_values[k];
            determined -= v_t.row(k).columns(0, n_root).transpose() * row;
        }
        let left_over = u.select_columns(&loose).rows(0, on_joints.nrows()).transpose() * &on_joints;
        Self { free, determined: Some(determined), left_over }
    }

    /// The inertia of the joints alone, S, and the root's motion per joint motion, r = (…) j: what the constraints
    /// determine, and what keeps every rigid momentum at zero.
    fn eliminate(&self, mass: &Mass) -> (DMatrix<f64>, DMatrix<f64>) {
        let mut s = mass.jj.clone();
        let mut rj = mass.rj.clone();
        let mut follow = DMatrix::zeros(rj.nrows(), rj.ncols());
        if let Some(t) = &self.determined {
            let rr_t = &mass.rr * t;
            s += t.transpose() * &mass.rj;
            s += mass.rj.transpose() * t;
            s += t.transpose() * &rr_t;
            rj += rr_t;
            follow += t;
        }
        // B = Φᵀ (M_rj + M_rr T), G = Φᵀ M_rr Φ:  S −= Bᵀ G⁻¹ B,  r −= Φ G⁻¹ B j.
        let b = self.free.transpose() * rj;
        if let Some(g) = (self.free.transpose() * &mass.rr * &self.free).cholesky() {
            let half = g.l_dirty().solve_lower_triangular_unchecked(&b);
            s.gemm_tr(-1.0, &half, &half, 1.0);
            follow -= &self.free * g.solve(&b);
        }
        (s, follow)
    }
}

/// An orthonormal basis of the column space of `columns`, which has dimension `rank`.
fn orthonormal(columns: &DMatrix<f64>, rank: usize) -> DMatrix<f64> {
    if rank == 0 {
        return DMatrix::zeros(columns.nrows(), 0);
    }
    columns.clone().col_piv_qr().q().columns(0, rank).into_owned()
}

/// K over the elastic joints as L Lᵀ.
enum Springs {
    /// Joint springs alone: L = K^½ is diagonal; 1/√k of each.
    Joints(DVector<f64>),
    /// With tendons: the Cholesky factor.
    Tendons(DMatrix<f64>),
}

impl Springs {
    fn new(creature: &Creature, coordinates: &Coordinates) -> Result<Self, ModesError> {
        if creature.tendons().iter().all(|tendon| tendon.stiffness == 0.0) {
            let inverse = coordinates.stiffness.iter().map(|k| 1.0 / k.sqrt());
            return Ok(Self::Joints(DVector::from_iterator(coordinates.stiffness.len(), inverse)));
        }
        let k = gambol_dynamics::stiffness_matrix(creature);
        let k = k.select_rows(&coordinates.elastic).select_columns(&coordinates.elastic);
        let factor = k.cholesky().ok_or_else(|| ModesError::Pose("the stiffness is not positive".into()))?;
        Ok(Self::Tendons(factor.unpack()))
    }

    /// L⁻¹ S L⁻ᵀ
    fn scale(&self, mut s: DMatrix<f64>) -> DMatrix<f64> {
        match self {
            Self::Joints(inverse) => {
                for (mut column, right) in s.column_iter_mut().zip(inverse) {
                    for (value, left) in column.iter_mut().zip(inverse) {
                        *value *= left * right;
                    }
                }
                s
            }
            Self::Tendons(l) => {
                let half = l.solve_lower_triangular_unchecked(&s);
                let full = l.solve_lower_triangular_unchecked(&half.transpose());
                (&full + full.transpose()) * 0.5
            }
        }
    }

    /// J L⁻ᵀ, transposed: constraint rows on the scaled coordinates, as columns.
    fn scale_rows(&self, rows: &DMatrix<f64>) -> DMatrix<f64> {
        let columns = rows.transpose();
        match self {
            Self::Joints(inverse) => DMatrix::from_diagonal(inverse) * columns,
            Self::Tendons(l) => l.solve_lower_triangular_unchecked(&columns),
        }
    }

    /// L⁻ᵀ w
    fn unscale(&self, w: &DVector<f64>) -> DVector<f64> {
        match self {
            Self::Joints(inverse) => w.component_mul(inverse),
            Self::Tendons(l) => l.tr_solve_lower_triangular_unchecked(w),
        }
    }
}

/// Householder reflections that turn the span of a few columns into the first axes.
struct Reflections {
    /// Unit normals, in the order they act.
    normals: Vec<DVector<f64>>,
}

impl Reflections {
    fn new(mut columns: DMatrix<f64>) -> Self {
        let scale = columns.column_iter().map(|column| column.norm()).fold(0.0, f64::max);
        let mut normals: Vec<DVector<f64>> = Vec::new();
        loop {
            let first = normals.len();
            if first >= columns.nrows() {
                break;
            }
            // The column with most left of it; redundant ones end as rounding.
            let rest = |column: usize| columns.column(column).rows_range(first..).norm();
            let Some(best) = (0..columns.ncols()).max_by(|&a, &b| rest(a).total_cmp(&rest(b))) else { break };
            let length = rest(best);
            if length <= RANK_TOLERANCE * scale || length == 0.0 {
                break;
            }
            let mut normal = DVector::zeros(columns.nrows());
            normal.rows_range_mut(first..).copy_from(&columns.column(best).rows_range(first..));
            normal[first] += length.copysign(normal[first]);
            normal.normalize_mut();
            for mut column in columns.column_iter_mut() {
                let along = 2.0 * normal.dot(&column);
                column.axpy(-along, &normal, 1.0);
            }
            normals.push(normal);
        }
        Self { normals }
    }

    fn count(&self) -> usize {
        self.normals.len()
    }

    /// A ← H A H for each reflection H = 1 − 2 n nᵀ, by a symmetric update of rank two.
    fn apply_both_sides(&self, a: &mut DMatrix<f64>) {
        for n in &self.normals {
            let mut p = &*a * n;
            let along = n.dot(&p);
            p.axpy(-along, n, 1.0);
            a.ger(-2.0, n, &p, 1.0);
            a.ger(-2.0, &p, n, 1.0);
        }
    }

    /// w ← H₁ H₂ … w
    fn apply(&self, w: &mut DVector<f64>) {
        for n in self.normals.iter().rev() {
            let along = 2.0 * n.dot(w);
            w.axpy(-along, n, 1.0);
        }
    }
}

fn massless(creature: &Creature, coordinates: &Coordinates, w: &DVector<f64>) -> ModesError {
    ModesError::Massless { place: place_name(creature, coordinates.elastic[w.iamax()]) }
}

fn scatter(shape: &mut [f64], dofs: &[usize], values: &DVector<f64>) {
    for (&dof, value) in dofs.iter().zip(values.iter()) {
        shape[dof] = *value;
    }
}

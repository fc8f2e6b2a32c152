//! The potential energy of a creature on the ground, its gradient and its Hessian.
//!
//! Contacts and constraints enter by their augmented Lagrangian (Hestenes 1969, Powell 1969; for inequalities
//! Rockafellar 1973): springs of a moderate stiffness κ, preloaded by multipliers λ that take over the whole force as
//! the iteration of `equilibrium` goes on, so that in the end nothing sinks and nothing slips.
//!
//! ```text
//! contact     N = max(0, λₙ − κ gap)                  energy (N² − λₙ²)/2κ
//! friction    v = λₜ − κ slip,  T = v · min(1, b/|v|)  energy |v|²/2κ, or (b|v| − b²/2)/κ where |v| > b
//! constraint  f = λ + κ w g                           energy (f² − λ²)/2κw,  w = 1 for metres, size² for radians
//! ```
//!
//! The friction bound b = μ N is that of the last round (Haslinger 1983), so that within a round there is an energy.

use nalgebra::{DMatrix, DVector};

use gambol_dynamics::{
    Data, Lowest, bias_forces, center_of_mass, constraint_jacobian, constraint_residual, energy,
    forward_kinematics, passive_forces,
};
use gambol_model::{Constraint, ConstraintKind, Creature, JointKind, Mat3, Vec3, math};

use super::ground::Ground;
use super::{StandSettings, WeightError, is_root};

/// κ lets the ground give by this share of the creature's size under its whole weight. Softer needs more rounds,
/// harder makes narrow valleys of the energy.
const SINK: f64 = 1e-4;

/// A creature, its pose and its ground.
pub(super) struct Problem<'a> {
    /// Its springs are at rest in the pose.
    pub(super) creature: Creature,
    pub(super) data: &'a mut Data,
    /// Factor on all springs.
    pub(super) scale: f64,
    pub(super) ground: Ground,
    /// N
    pub(super) weight: f64,
    /// Height of the centre of mass above the ground, or size of a hanging creature, m.
    pub(super) length: f64,
    /// Diagonal of the box around the creature, m; at least `length`.
    pub(super) size: f64,
    /// Centre of mass in the pose.
    pub(super) rest_com: Vec3,
    /// κ, N/m
    pub(super) contact_stiffness: f64,
    still: Vec<f64>,
    /// w, per row of the creature's constraints.
    row_weights: Vec<f64>,
}

/// Multipliers: the forces that contacts and constraints are known to carry.
#[derive(Clone, Debug)]
pub(super) struct Multipliers {
    /// λₙ per feature, N.
    pub(super) normal: Vec<f64>,
    /// λₜ per feature, N.
    pub(super) tangent: Vec<Vec3>,
    /// b per feature, N; infinite: it cannot slip.
    pub(super) bound: Vec<f64>,
    /// How b has been changing, per feature.
    pub(super) trend: Vec<Trend>,
    /// λ per row of the creature's constraints.
    pub(super) closure: DVector<f64>,
}

/// The last change of a friction bound.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trend {
    /// μ N − b, N.
    missing: f64,
    /// What share of it was made up for.
    share: f64,
}

impl Multipliers {
    /// Moves the friction bound of a feature towards μ N.
    ///
    /// N depends on T where feet slide, so b ← μ N alone swings, or crawls: Aitken's rule takes the share of the way
    /// that the last two rounds would have needed (Irons and Tuck 1969).
    pub(super) fn set_bound(&mut self, index: usize, target: f64, slides: bool) {
        let (bound, last) = (self.bound[index], self.trend[index]);
        if !slides || bound.is_infinite() || target == 0.0 {
            (self.bound[index], self.trend[index]) = (target, Trend::default());
            return;
        }
        let missing = target - bound;
        let share =
            if last.share == 0.0 { 0.5 } else { last.share * last.missing / (last.missing - missing) };
        let share = if share.is_finite() { share.clamp(0.3, 3.0) } else { 0.5 };
        self.bound[index] = (bound + share * missing).max(0.0);
        self.trend[index] = Trend { missing, share };
    }
}

/// A feature and the ground.
pub(super) struct Touch {
    pub(super) lowest: Lowest,
    /// N, newtons
    pub(super) normal: f64,
    /// Whether it stands on the ground.
    pub(super) stands: bool,
    /// The point of the feature that stood on the ground in the pose.
    pub(super) sole: Vec3,
    /// b, N; 0 where nothing grips
    pub(super) bound: f64,
    /// v, N
    pub(super) drag: Vec3,
    /// T, N
    pub(super) tangent: Vec3,
    pub(super) slides: bool,
}

/// The gradient of E at a pose, and the forces it is made of.
pub(super) struct Evaluation {
    pub(super) gradient: DVector<f64>,
    pub(super) touches: Vec<Touch>,
    /// g, per row of the creature's constraints.
    pub(super) residual: DVector<f64>,
    /// f, per row of the creature's constraints.
    pub(super) closure: DVector<f64>,
}

/// What one coordinate does to a point of a body: a column of the Jacobians of the body's turn and the point's place.
struct Lever {
    dof: usize,
    joint: usize,
    turn: Vec3,
    shift: Vec3,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        creature: &Creature,
        data: &'a mut Data,
        pose: &[f64],
        settings: &StandSettings,
    ) -> Result<Self, WeightError> {
        settings.check()?;
        let mut creature = creature.clone();
        creature.set_rest_pose(pose).map_err(|error| WeightError::Pose(error.to_string()))?;
        check_springs(&creature)?;
        let moving: f64 = creature.bodies().iter().skip(1).map(|body| body.mass.mass).sum();
        let weight = moving * creature.gravity().norm();
        let up = (-creature.gravity()).try_normalize(0.0).filter(|_| weight > 0.0);
        let up = up.ok_or(WeightError::Weightless)?;

        let pose = creature.rest_pose().to_vec();
        let rest_com = center_of_mass(&creature, data, &pose);
        let ground = Ground::new(&creature, forward_kinematics(&creature, data, &pose), rest_com, up)?;
        let height = rest_com.dot(&up) - ground.level;
        let hangs = ground.features.is_empty();
        let size = extent(&creature, data).max(if hangs { 0.0 } else { height });
        let length = if hangs { size } else { height };
        if length.is_nan() || length <= 0.0 {
            return Err(WeightError::NothingToStandOn);
        }
        let still = vec![0.0; creature.nv()];
        let row_weights =
            creature.constraints().iter().flat_map(|constraint| row_weights(constraint, size)).collect();
        let contact_stiffness = weight / (SINK * size);
        Ok(Self {
            creature,
            data,
            scale: 1.0,
            ground,
            weight,
            length,
            size,
            rest_com,
            contact_stiffness,
            still,
            row_weights,
        })
    }

    /// Drop of the centre of mass at the pose `q`, m.
    pub(super) fn drop(&mut self, q: &[f64]) -> f64 {
        let com = center_of_mass(&self.creature, self.data, q);
        (self.rest_com - com).dot(&self.ground.up)
    }

    /// Energy in the springs, J.
    pub(super) fn elastic_energy(&mut self, q: &[f64]) -> f64 {
        self.scale * energy(&self.creature, self.data, q, &self.still).elastic
    }

    /// Natural unit of each coordinate: 1 rad, or the creature's size.
    pub(super) fn unit(&self, dof: usize) -> f64 {
        let joint = &self.creature.joints()[self.creature.dofs()[dof].joint];
        let slides = joint.kind == JointKind::Slide || joint.kind == JointKind::Free && dof < joint.v + 3;
        if slides { self.size } else { 1.0 }
    }

    /// The gradient of E at the pose `q`.
    ///
    /// With `hold`, what the multipliers say stands does so whatever its place: new multipliers ask for a pose that is
    /// not there yet, and in the old one a foot may seem to have left the ground.
    pub(super) fn evaluate(&mut self, q: &[f64], multipliers: &Multipliers, hold: bool) -> Evaluation {
        let creature = &self.creature;
        let mut gradient = DVector::from_column_slice(bias_forces(creature, self.data, q, &self.still));
        let springs = passive_forces(creature, self.data, q, &self.still);
        gradient.iter_mut().zip(springs).for_each(|(g, spring)| *g -= self.scale * spring);

        let touches: Vec<Touch> =
            (0..self.ground.features.len()).map(|index| self.touch(index, multipliers, hold)).collect();
        for (feature, touch) in self.ground.features.iter().zip(&touches) {
            if touch.stands {
                self.push(feature.body, touch.lowest.point, self.ground.up * touch.normal, &mut gradient);
            }
            if touch.bound > 0.0 {
                self.push(feature.body, touch.sole, touch.tangent, &mut gradient);
            }
        }
        let (residual, closure) = self.close(q, multipliers, &mut gradient);
        Evaluation { gradient, touches, residual, closure }
    }

    /// The constraints' part of the gradient; returns g and f.
    fn close(
        &mut self,
        q: &[f64],
        multipliers: &Multipliers,
        gradient: &mut DVector<f64>,
    ) -> (DVector<f64>, DVector<f64>) {
        let constraints = self.creature.constraints();
        if constraints.is_empty() {
            return (DVector::zeros(0), DVector::zeros(0));
        }
        let residual = constraint_residual(&self.creature, self.data, q, constraints);
        let jacobian = constraint_jacobian(&self.creature, self.data, q, constraints);
        let mut force = multipliers.closure.clone();
        for (row, f) in force.iter_mut().enumerate() {
            *f += self.contact_stiffness * self.row_weights[row] * residual[row];
        }
        *gradient += jacobian.tr_mul(&force);
        (residual, force)
    }

    /// A feature against the ground. Needs `data.frames`.
    fn touch(&self, index: usize, multipliers: &Multipliers, hold: bool) -> Touch {
        let (up, kappa) = (self.ground.up, self.contact_stiffness);
        let feature = &self.ground.features[index];
        let frame = &self.data.frames[feature.body];
        let lowest = feature.lowest(frame, up);
        let gap = lowest.point.dot(&up) - self.ground.level;
        let normal = multipliers.normal[index] - kappa * gap;
        let stands = normal > 0.0 || hold && multipliers.normal[index] > 0.0;
        let normal = if stands { normal } else { 0.0 };
        let sole = frame.point_in_world(feature.sole);
        let moved = sole - feature.anchor;
        let slip = moved - up * moved.dot(&up);
        let bound = if feature.grips { multipliers.bound[index] } else { 0.0 };
        let drag = if bound > 0.0 { multipliers.tangent[index] - slip * kappa } else { Vec3::zeros() };
        let slides = drag.norm() > bound;
        let tangent = if slides { drag * (bound / drag.norm()) } else { drag };
        Touch { lowest, normal, stands, sole, bound, drag, tangent, slides }
    }

    /// gradient ← gradient − Jᵀ force. Needs `data.frames` and `data.axes`.
    fn push(&self, body: usize, at: Vec3, force: Vec3, gradient: &mut DVector<f64>) {
        for lever in self.levers(body, at) {
            gradient[lever.dof] -= lever.shift.dot(&force);
        }
    }

    /// The Hessian of E at the pose `q`, where `evaluation` was made. Contacts and constraints count as springs of
    /// stiffness `hardness` times κ; with a large one this is the Hessian on what they leave free, for all that its
    /// sign says.
    pub(super) fn hessian(&mut self, q: &[f64], evaluation: &Evaluation, hardness: f64) -> DMatrix<f64> {
        let nv = self.creature.nv();
        let mut h = DMatrix::zeros(nv, nv);
        self.add_springs(q, &mut h);
        self.add_constraints(q, evaluation, hardness, &mut h); // moves `data` about
        forward_kinematics(&self.creature, self.data, q);
        for (index, body) in self.creature.bodies().iter().enumerate().skip(1) {
            let com = self.data.frames[index].point_in_world(body.mass.com);
            add_curvature(&mut h, &self.levers(index, com), self.creature.gravity() * body.mass.mass);
        }
        for (index, touch) in evaluation.touches.iter().enumerate() {
            self.add_contact(index, touch, hardness, &mut h);
        }
        h
    }

    /// Joints and tendons. A ball at the angle θ from rest, about the axis n, has
    /// k (n nᵀ + θ/2 cot θ/2 (1 − n nᵀ)): the Hessian of ½ k θ² on the rotations.
    fn add_springs(&mut self, q: &[f64], h: &mut DMatrix<f64>) {
        let mut stretch = vec![0.0; self.creature.nv()];
        self.creature.difference(self.creature.rest_pose(), q, &mut stretch);
        for joint in self.creature.joints().iter().filter(|joint| joint.stiffness > 0.0) {
            let k = self.scale * joint.stiffness;
            let turning = match joint.kind {
                JointKind::Ball => Some(joint.v),
                JointKind::Free => Some(joint.v + 3),
                JointKind::Hinge | JointKind::Slide => None,
            };
            for dof in joint.v..turning.unwrap_or(joint.v + joint.kind.nv()) {
                h[(dof, dof)] += k;
            }
            if let Some(v) = turning {
                let turn = Vec3::new(stretch[v], stretch[v + 1], stretch[v + 2]);
                let mut block = h.fixed_view_mut::<3, 3>(v, v);
                block += angle_hessian(turn) * k;
            }
        }
        let stretched =
            |rest: [f64; 2], length: f64| rest[0] == rest[1] || length < rest[0] || length > rest[1];
        for tendon in self.creature.tendons() {
            let place = |&(joint, c): &(usize, f64)| (&self.creature.joints()[joint], c);
            let length: f64 = tendon.terms.iter().map(place).map(|(joint, c)| c * q[joint.q]).sum();
            if stretched(tendon.rest, length) {
                for (a, ca) in tendon.terms.iter().map(place) {
                    for (b, cb) in tendon.terms.iter().map(place) {
                        h[(a.v, b.v)] += self.scale * tendon.stiffness * ca * cb;
                    }
                }
            }
        }
    }

    /// One feature on the ground: its contact spring, its friction spring, and how the directions of the two forces
    /// turn with the body. A round feature rolls: its lowest point wanders away from under a body that tilts.
    fn add_contact(&self, index: usize, touch: &Touch, hardness: f64, h: &mut DMatrix<f64>) {
        let (up, kappa) = (self.ground.up, self.contact_stiffness * hardness);
        let body = self.ground.features[index].body;
        if touch.stands {
            let levers = self.levers(body, touch.lowest.point);
            add_stiffness(h, &levers, |lever| lever.shift, &(up * up.transpose() * kappa));
            add_curvature(h, &levers, up * touch.normal);
            let roll = touch.lowest.roundness * touch.normal;
            add_stiffness(h, &levers, |lever| lever.turn.cross(&up), &roll);
        }
        if touch.bound > 0.0 {
            let levers = self.levers(body, touch.sole);
            let flat = Mat3::identity() - up * up.transpose();
            let stiffness = if touch.slides {
                // Only across the slide: T keeps its size and turns with v.
                let along = touch.drag.normalize();
                (flat - along * along.transpose())
                    * (self.contact_stiffness * touch.tangent.norm() / touch.drag.norm())
            } else {
                flat * kappa
            };
            add_stiffness(h, &levers, |lever| lever.shift, &stiffness);
            add_curvature(h, &levers, touch.tangent);
        }
    }

    /// The creature's constraints: κ Jᵀ w J + ∂(Jᵀ f)/∂q at constant f, the latter by central differences.
    fn add_constraints(&mut self, q: &[f64], evaluation: &Evaluation, hardness: f64, h: &mut DMatrix<f64>) {
        const STEP: f64 = 6e-6; // eps^(1/3): best for a second-order difference
        let constraints = self.creature.constraints();
        if constraints.is_empty() {
            return;
        }
        let mut jacobian = constraint_jacobian(&self.creature, self.data, q, constraints);
        for (mut row, w) in jacobian.row_iter_mut().zip(&self.row_weights) {
            row *= (self.contact_stiffness * hardness * w).sqrt();
        }
        *h += jacobian.tr_mul(&jacobian);
        let nv = self.creature.nv();
        let mut curvature = DMatrix::zeros(nv, nv);
        for dof in 0..nv {
            let mut force = |step: f64| {
                let (mut moved, mut direction) = (q.to_vec(), vec![0.0; nv]);
                direction[dof] = 1.0;
                self.creature.integrate(&mut moved, &direction, step);
                constraint_jacobian(&self.creature, self.data, &moved, constraints)
                    .tr_mul(&evaluation.closure)
            };
            curvature.set_column(dof, &((force(STEP) - force(-STEP)) / (2.0 * STEP)));
        }
        *h += (&curvature + curvature.transpose()) * 0.5;
    }

    /// The coordinates that move a body, from the body to the root. Needs `data.frames` and `data.axes`.
    fn levers(&self, mut body: usize, at: Vec3) -> Vec<Lever> {
        let mut levers = Vec::new();
        while body != 0 {
            let arm = at - self.data.frames[body].position;
            for dof in self.creature.bodies()[body].dofs.clone().rev() {
                let axis = &self.data.axes[dof];
                levers.push(Lever {
                    dof,
                    joint: self.creature.dofs()[dof].joint,
                    turn: axis.angular,
                    shift: axis.linear + axis.angular.cross(&arm),
                });
            }
            body = self.creature.bodies()[body].parent;
        }
        levers
    }
}

/// h ← h + Aᵀ C A, the columns of A being `column(lever)`.
fn add_stiffness(h: &mut DMatrix<f64>, levers: &[Lever], column: impl Fn(&Lever) -> Vec3, c: &Mat3) {
    for a in levers {
        let pull = c * column(a);
        for b in levers {
            h[(b.dof, a.dof)] += column(b).dot(&pull);
        }
    }
}

/// h ← h − force · ∂²p/∂q², p the point the levers belong to.
///
/// A turn nearer to the root carries what lies beyond it along: ∂²p/∂qᵢ∂qⱼ = ωᵢ × ∂p/∂qⱼ for i nearer to the root.
/// The three turns of one ball have no order; the mean of both is the second derivative along the exponential map.
/// The shift of a free joint is along the world axes, whatever its turn.
fn add_curvature(h: &mut DMatrix<f64>, levers: &[Lever], force: Vec3) {
    for (k, leaf) in levers.iter().enumerate() {
        for root in &levers[k..] {
            let carried = force.dot(&root.turn.cross(&leaf.shift));
            let value = if root.joint != leaf.joint {
                carried
            } else if root.turn == Vec3::zeros() || leaf.turn == Vec3::zeros() {
                0.0
            } else {
                0.5 * (carried + force.dot(&leaf.turn.cross(&root.shift)))
            };
            h[(leaf.dof, root.dof)] -= value;
            if leaf.dof != root.dof {
                h[(root.dof, leaf.dof)] -= value;
            }
        }
    }
}

/// n nᵀ + θ/2 cot θ/2 (1 − n nᵀ) for the rotation vector θ n.
fn angle_hessian(turn: Vec3) -> Mat3 {
    let angle = turn.norm();
    // x cot x = 1 − x²/3 − …, exact to double precision below 1e-4.
    let half = 0.5 * angle;
    let across = if half < 1e-4 { 1.0 - half * half / 3.0 } else { half / math::tan(half) };
    let axis = turn.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
    Mat3::identity() * across + axis * axis.transpose() * (1.0 - across)
}

fn check_springs(creature: &Creature) -> Result<(), WeightError> {
    let in_tendon = |index| {
        let holds = |tendon: &&gambol_model::Tendon| tendon.stiffness > 0.0;
        creature.tendons().iter().filter(holds).any(|tendon| tendon.terms.iter().any(|term| term.0 == index))
    };
    let in_coupling = |index| {
        creature.constraints().iter().any(|constraint| match &constraint.kind {
            ConstraintKind::Coupling { left, right, .. } => {
                left.iter().chain(right).any(|term| term.0 == index)
            }
            _ => false,
        })
    };
    for (index, joint) in creature.joints().iter().enumerate() {
        if joint.stiffness == 0.0 && !is_root(creature, index) && !in_tendon(index) && !in_coupling(index) {
            return Err(WeightError::NoStiffness { joint: joint.name.clone() });
        }
    }
    Ok(())
}

/// w of each row: 1 where it is in metres, size² where it is in radians.
fn row_weights(constraint: &Constraint, size: f64) -> Vec<f64> {
    let metres = match constraint.kind {
        ConstraintKind::Connect { .. }
        | ConstraintKind::Hinge { .. }
        | ConstraintKind::Weld { .. }
        | ConstraintKind::Pin { .. } => 3,
        ConstraintKind::Cart { .. } => constraint.kind.rows(),
        ConstraintKind::Coupling { .. } | ConstraintKind::Orientation { .. } => 0,
    };
    (0..constraint.kind.rows()).map(|row| if row < metres { 1.0 } else { size * size }).collect()
}

/// Diagonal of the box around the bodies' origins and centres of mass, m. Needs `data.frames`.
fn extent(creature: &Creature, data: &Data) -> f64 {
    let (mut least, mut most) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for (body, frame) in creature.bodies().iter().zip(&data.frames).skip(1) {
        for point in [frame.position, frame.point_in_world(body.mass.com)] {
            (least, most) = (least.inf(&point), most.sup(&point));
        }
    }
    (most - least).norm()
}

//! What is stepped, and how: settings that are checked, and all that is computed once.

use gambol_model::{Body, ShapeSpec};

use crate::{Collider, Contact, Creature, Terrain};

/// How the joint springs are stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Springs {
    /// Second order, without loss; the default.
    Elastic,
    /// The paper's equation 6: first order, eats vibrations.
    ImplicitEuler,
}

/// What the ground does to a body that would sink into it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactModel {
    /// It must not: complementarity between gap and force; the default.
    Hard,
    /// The paper's stiff implicit penalty: a spring and a damper, taken at the end of the step.
    Penalty {
        /// N/m, of each contact.
        stiffness: f64,
        /// N·s/m, along the normal and against sliding.
        damping: f64,
    },
}

/// How to step.
#[derive(Clone, Debug)]
pub struct StepSettings {
    /// Length of a step, s; above 0.
    pub step: f64,
    /// How the joint springs are stepped.
    pub springs: Springs,
    /// What the ground does.
    pub contact: ContactModel,
    /// Shape of the ground; none: there is no ground.
    pub ground: Option<Terrain>,
    /// Coulomb's coefficient, at least 0, where the ground has none of its own. Default: 1, as MuJoCo has it.
    pub friction: f64,
    /// Bodies touch each other.
    pub self_collision: bool,
    /// Most sweeps over the contacts in a step; a pile of many contacts gets fewer.
    pub sweeps: usize,
    /// Sweeps end when no velocity changes by more, m/s.
    pub tolerance: f64,
}

impl Default for StepSettings {
    fn default() -> Self {
        Self {
            step: 0.002,
            springs: Springs::Elastic,
            contact: ContactModel::Hard,
            ground: Some(Terrain::Flat),
            friction: 1.0,
            self_collision: false,
            sweeps: 160,
            tolerance: 1e-5,
        }
    }
}

impl StepSettings {
    /// Coulomb's coefficient where something touches: that of the ground there, if it has one of its own.
    pub fn friction_at(&self, contact: &Contact) -> f64 {
        let of_ground = |ground: &Terrain| ground.friction(contact.point.x, contact.point.y);
        let on_ground = contact.bodies[1] == 0;
        self.ground.as_ref().filter(|_| on_ground).and_then(of_ground).unwrap_or(self.friction)
    }
}

/// A setting that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what}: {reason}")]
pub struct StepError {
    /// Which one.
    pub what: &'static str,
    /// Why.
    pub reason: String,
}

/// A creature and its surroundings: shared by all threads, never changed by a step.
#[derive(Clone, Debug)]
pub struct World {
    pub(super) creature: Creature,
    pub(super) settings: StepSettings,
    pub(super) collider: Collider,
    /// Per body: largest distance of its shapes from its origin, m.
    pub(super) extents: Vec<f64>,
    /// Per coordinate: h D + s h² K.
    pub(super) extra: Vec<f64>,
}

impl World {
    /// A world for `creature`.
    pub fn new(creature: Creature, settings: StepSettings) -> Result<Self, StepError> {
        let error = |what, reason: String| Err(StepError { what, reason });
        if !(settings.step.is_finite() && settings.step > 0.0) {
            return error("step", format!("{} is not a number of seconds above 0", settings.step));
        }
        if !(settings.friction.is_finite() && settings.friction >= 0.0) {
            return error("friction", format!("{} is not a finite number of at least 0", settings.friction));
        }
        if !(settings.tolerance.is_finite() && settings.tolerance >= 0.0) || settings.sweeps == 0 {
            return error("solver", "needs a sweep, and a tolerance of at least 0".into());
        }
        if let ContactModel::Penalty { stiffness, damping } = settings.contact
            && !(stiffness.is_finite() && stiffness > 0.0 && damping.is_finite() && damping >= 0.0)
        {
            return error(
                "penalty",
                format!(
                    "stiffness {stiffness} N/m and damping {damping} N·s/m must be finite, stiffness above 0"
                ),
            );
        }
        if let Some(ground) = &settings.ground {
            let check = ground.check();
            check.map_err(|reason| StepError { what: "ground", reason: reason.to_string() })?;
        }
        let collider = Collider::new(&creature, settings.self_collision);
        let extents = extents(&creature);
        let h = settings.step;
        let share = settings.springs.share();
        let extra = creature
            .dofs()
            .iter()
            .map(|dof| &creature.joints()[dof.joint])
            .map(|joint| h * joint.damping + share * h * h * joint.stiffness)
            .collect();
        Ok(Self { creature, settings, collider, extents, extra })
    }

    /// The creature in it.
    pub fn creature(&self) -> &Creature {
        &self.creature
    }

    /// How it is stepped.
    pub fn settings(&self) -> &StepSettings {
        &self.settings
    }
}

impl Springs {
    /// s in M + h D + s h² K.
    pub(super) fn share(self) -> f64 {
        match self {
            Self::Elastic => 0.25,
            Self::ImplicitEuler => 1.0,
        }
    }
}

/// Per body: largest distance of its shapes from its origin, m.
fn extents(creature: &Creature) -> Vec<f64> {
    let reach = |spec: &ShapeSpec| {
        let (half, center) = spec.shape.bounds();
        let center = spec.body_from_shape.transform_point(&center.into());
        center.coords.norm() + half.norm()
    };
    let of_body = |body: &Body| creature.shapes()[body.shapes.clone()].iter().map(reach).fold(0.0, f64::max);
    creature.bodies().iter().map(of_body).collect()
}

//! The balance controller (section 6.2.4): head and centre of mass over the support, feet where they stand, no spin, a height; and
//! changes of support, crouches and jumps on command.

use gambol_anatomy::{Leg, Legs};
use gambol_dynamics::reduced::{PLACE, ReducedState};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, Quat, Role, Vec3};
use nalgebra::Vector2;

use super::feature::{Aim, Feature, Wishes, hangs};
use super::stand::stand;
use super::step::{ReducedMemory, ReducedWorld};

gambol_model::settings! {
    /// How a body balances. Times are those of critically damped springs, s; weights are in masses of the body.
    pub struct BalanceSettings {
        /// The centre of mass to over its support: below √(height/g), about 0.3 s of a person, it would fall first.
        center_time: f64 = 0.15, Positive;
        /// What the others are measured by.
        center_weight: f64 = 10.0, AtLeastZero;
        /// The head to over the support.
        head_time: f64 = 0.4, Positive;
        /// Little: the trunk bends to catch the body, and the head goes along.
        head_weight: f64 = 0.01, AtLeastZero;
        /// The centre of mass to its height; a jump is as quick as this.
        height_time: f64 = 0.15, Positive;
        /// As the centre of mass.
        height_weight: f64 = 1.0, AtLeastZero;
        /// Spin is gone after this.
        momentum_time: f64 = 0.1, Positive;
        /// Arms and trunk may spin while they catch the body.
        momentum_weight: f64 = 0.1, AtLeastZero;
        /// Feet hold more than all else: the body stands on them. Of each place where a foot touches.
        foot_weight: f64 = 10.0, AtLeastZero;
        /// Share of that of who is to be higher than it stood: who leaps leaves the ground.
        leap: f64 = 0.001, AtLeastZero;
        /// A lifted foot to its place.
        lift_time: f64 = 0.3, Positive;
        /// As much as a tenth of the centre of mass: of less a free leg swings about and throws the body over.
        lift_weight: f64 = 1.0, AtLeastZero;
        /// How fast what is to carry it changes from some feet to others, in leg lengths a second: the body follows without falling.
        shift: f64 = 0.4, Positive;
        /// How high a foot is lifted, as a share of the leg's length.
        lift_height: f64 = 0.15, AtLeastZero;
        /// A foot is lifted once the centre of mass is within this of the other feet's middle, as a share of the leg's length, …
        handover: f64 = 0.05, Positive;
        /// … and moves towards it slower than this, in leg lengths a second.
        handover_speed: f64 = 0.3, Positive;
        /// The pose to the mean, or what is followed.
        posture_time: f64 = 0.3, Positive;
        /// What is left over, but not nothing: of its own inertia.
        posture_weight: f64 = 0.03, AtLeastZero;
    }
}

/// When a foot is in the air: from, and until, s.
#[derive(Clone, Debug, PartialEq)]
pub struct FootPlan {
    /// Name of its landmark.
    pub name: String,
    /// Index of its body.
    pub body: usize,
    /// What stands, in the body frame, m.
    pub point: Vec3,
    /// m
    pub leg: f64,
    /// What points up where it is level, in the body frame.
    pub up: Vec3,
    /// From and until, s; infinite if it stays up.
    pub lifted: Vec<[f64; 2]>,
}

/// What a body that balances is told.
#[derive(Clone, Debug)]
pub struct Balance {
    /// How it does so.
    pub settings: BalanceSettings,
    /// All feet.
    pub feet: Vec<FootPlan>,
    /// From a time on (s), the share of its first height at which the centre of mass is to be.
    pub heights: Vec<[f64; 2]>,
    /// Whether spin is stopped: figures 6 and 7.
    pub stops_spin: bool,
    /// What else is wished.
    pub features: Vec<Feature>,
    head: Option<(usize, Vec3)>,
    legs: Vec<Leg>,
}

/// Where it stands, from step to step.
#[derive(Clone, Debug)]
pub struct Command {
    /// Height of the centre of mass over the ground at the start, m.
    pub standing: f64,
    /// Middle of the support in the last step, m.
    pub support: Option<Vec3>,
    feet: Vec<FootState>,
    /// The pose that it began in.
    posture: Feature,
    /// From the middle of all feet to under the centre of mass as it stood at first, m.
    lean: Option<Vec3>,
}

#[derive(Clone, Copy, Debug)]
struct FootState {
    /// Where it was put, in the world, and how it is turned.
    place: Vec3,
    orientation: Quat,
    is_up: bool,
    touched: bool,
}

impl Balance {
    /// The balance of a creature on its own feet, which are level on level ground in `pose`.
    pub fn new(creature: &Creature, pose: &[f64]) -> Self {
        let mut data = Data::new(creature);
        let legs = Legs::new(creature, &mut data, pose);
        let frames = forward_kinematics(creature, &mut data, pose);
        let feet = legs.legs.iter().map(|leg| FootPlan {
            name: leg.name.clone(),
            body: leg.foot,
            point: leg.point,
            leg: leg.length,
            up: frames[leg.foot].rotation.tr_mul(&Vec3::z()),
            lifted: Vec::new(),
        });
        let head = creature.landmarks().iter().find(|mark| mark.role == Role::Head);
        Self {
            settings: BalanceSettings::default(),
            feet: feet.collect(),
            heights: Vec::new(),
            stops_spin: true,
            features: Vec::new(),
            head: head.map(|mark| (mark.body, mark.point)),
            legs: legs.legs,
        }
    }

    /// Brings the coordinates `g` to a pose near them in which it stands. Returns how far a foot is off the ground still, m.
    pub fn stand(&self, world: &ReducedWorld, memory: &mut ReducedMemory, g: &mut [f64]) -> f64 {
        let ups: Vec<Vec3> = self.feet.iter().map(|foot| foot.up).collect();
        stand(world, memory, &self.legs, &ups, g)
    }

    /// Length of the longest leg, m.
    fn leg(&self) -> f64 {
        self.feet.iter().map(|foot| foot.leg).fold(0.0, f64::max)
    }

    /// What it begins with.
    pub fn begin(&self, world: &ReducedWorld, memory: &mut ReducedMemory, state: &ReducedState) -> Command {
        let body = &world.body;
        memory.data.place(body, &state.g);
        let creature = body.creature();
        let frames = forward_kinematics(creature, &mut memory.data.full, &memory.data.q);
        let feet: Vec<FootState> = self
            .feet
            .iter()
            .map(|foot| FootState {
                place: frames[foot.body].point_in_world(foot.point),
                orientation: frames[foot.body].orientation,
                is_up: false,
                touched: true,
            })
            .collect();
        let center = gambol_dynamics::center_of_mass_of(creature, frames);
        let lowest = feet.iter().map(|foot| foot.place.z).fold(f64::INFINITY, f64::min);
        let standing = center.z - if lowest.is_finite() { lowest } else { 0.0 };
        let (settings, target) = (&self.settings, state.g[PLACE..].to_vec());
        let (time, weight) = (settings.posture_time, settings.posture_weight);
        let posture = Feature::calm(Aim::Posture { target }, time, weight, world.settings.step);
        Command { standing, support: None, feet, posture, lean: None }
    }

    /// How high the centre of mass is to be now, as a share of its height at the start.
    pub fn height_at(&self, time: f64) -> f64 {
        let begun = self.heights.iter().filter(|[from, _]| *from <= time);
        begun.max_by(|a, b| a[0].total_cmp(&b[0])).map_or(1.0, |[_, share]| *share)
    }

    /// Adds what balance asks for in the step that begins.
    pub fn wish(
        &self,
        world: &ReducedWorld,
        memory: &ReducedMemory,
        state: &ReducedState,
        command: &mut Command,
        wishes: &mut Wishes,
    ) {
        let (settings, h) = (&self.settings, world.settings.step);
        self.see_feet(world, memory, state, command);
        let mut support = self.support(world.body.creature(), memory, state.time, command);
        let lifted =
            |plan: &FootPlan| plan.lifted.iter().any(|[from, to]| (*from..*to).contains(&state.time));
        if let Some(middle) = &mut support
            && self.feet.len() > 2
            && !self.feet.iter().any(lifted)
        {
            // On four feet or more it need not stand over their middle: it goes on as it began.
            let away = memory.center - *middle;
            *middle += *command.lean.get_or_insert(Vec3::new(away.x, away.y, 0.0));
        }
        if let (Some(new), Some(old)) = (&mut support, command.support) {
            let most = settings.shift * self.leg() * h;
            let way = *new - old;
            *new = old + way * (most / way.norm().max(most));
        }
        command.support = support;
        let mut add = |aim, time, weight| {
            wishes.wish(world, memory, state, support, &Feature::calm(aim, time, weight, h));
        };
        add(Aim::OverSupport, settings.center_time, settings.center_weight);
        if let Some((body, point)) = self.head {
            add(Aim::PointOverSupport { body, point }, settings.head_time, settings.head_weight);
        }
        let share = self.height_at(state.time);
        let (height, leaps) = (share * command.standing, share > 1.0);
        add(Aim::CenterHeight { height }, settings.height_time, settings.height_weight);
        if self.stops_spin {
            add(Aim::AngularMomentum, settings.momentum_time, settings.momentum_weight);
        }
        for (plan, foot) in self.feet.iter().zip(&command.feet) {
            let FootPlan { body, point, leg, .. } = *plan;
            let FootState { place, orientation, is_up, .. } = *foot;
            if is_up {
                let target = place + Vec3::z() * (settings.lift_height * leg);
                add(Aim::Point { body, point, target }, settings.lift_time, settings.lift_weight);
            } else if foot.touched {
                let holds = if leaps { settings.leap } else { 1.0 };
                add(Aim::Planted { body }, 1.0, holds * settings.foot_weight);
            } else {
                // On its way down, level.
                let ground = support.map_or(place.z, |support| support.z);
                let place = Vec3::new(place.x, place.y, ground);
                add(Aim::Held { body, point, place, orientation }, settings.lift_time, settings.lift_weight);
            }
        }
        // Posture weighs by the inertia of each coordinate.
        let follows = self.features.iter().any(|feature| matches!(feature.aim, Aim::Posture { .. }));
        if !follows {
            wishes.wish(world, memory, state, support, &command.posture);
        }
        for feature in &self.features {
            wishes.wish(world, memory, state, support, feature);
        }
    }

    /// Which feet touch, and which are to be up: one that comes down stays where it lands.
    fn see_feet(
        &self,
        world: &ReducedWorld,
        memory: &ReducedMemory,
        state: &ReducedState,
        command: &mut Command,
    ) {
        let others = self.support(world.body.creature(), memory, state.time, command);
        for (plan, foot) in self.feet.iter().zip(&mut command.feet) {
            let frame = &memory.data.full.frames[plan.body];
            let touches = Self::touches(world.body.creature(), memory, plan.body);
            let wanted = plan.lifted.iter().any(|[from, to]| (*from..*to).contains(&state.time));
            if wanted && !foot.is_up {
                foot.is_up = others.is_some_and(|support| self.is_over(memory, state, support, plan.leg));
            }
            foot.is_up &= wanted;
            if touches && !foot.touched {
                foot.place = frame.point_in_world(plan.point);
                let up = ground_normal(world, foot.place);
                let level = Quat::rotation_between(&(frame.rotation * plan.up), &up);
                foot.orientation = level.unwrap_or_else(Quat::identity) * frame.orientation;
            }
            foot.touched = touches;
        }
    }

    /// Whether the centre of mass is over what will carry it.
    fn is_over(&self, memory: &ReducedMemory, state: &ReducedState, support: Vec3, leg: f64) -> bool {
        let n = state.v.len();
        let mass: f64 = memory.mass;
        let rate = |axis: usize| {
            let row = &memory.momenta[axis * n..(axis + 1) * n];
            row.iter().zip(&state.v).map(|(a, v)| a * v).sum::<f64>() / mass
        };
        let away = Vector2::new(memory.center.x - support.x, memory.center.y - support.y);
        away.norm() < self.settings.handover * leg
            && Vector2::new(rate(0), rate(1)).norm() < self.settings.handover_speed * leg
    }

    fn touches(creature: &Creature, memory: &ReducedMemory, foot: usize) -> bool {
        memory
            .contacts()
            .iter()
            .any(|contact| contact.touches && hangs(creature, contact.contact.bodies[0], foot))
    }

    /// The middle of the feet that are to carry it: of each, the mean of the places where it touches the ground, or of where it is to
    /// touch it again. None in the air.
    fn support(
        &self,
        creature: &Creature,
        memory: &ReducedMemory,
        time: f64,
        command: &Command,
    ) -> Option<Vec3> {
        let touching = || memory.contacts().iter().filter(|contact| contact.touches);
        touching().next()?;
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        for (plan, foot) in self.feet.iter().zip(&command.feet) {
            if foot.is_up || plan.lifted.iter().any(|[from, to]| (*from..*to).contains(&time)) {
                continue;
            }
            let own = || touching().filter(|contact| hangs(creature, contact.contact.bodies[0], plan.body));
            let places = own().map(|contact| contact.contact.point).sum::<Vec3>();
            sum += match own().count() {
                0 => foot.place,
                touches => places / touches as f64,
            };
            count += 1.0;
        }
        (count > 0.0).then(|| sum / count)
    }
}

fn ground_normal(world: &ReducedWorld, at: Vec3) -> Vec3 {
    world.settings.ground.as_ref().map_or_else(Vec3::z, |ground| ground.normal(at.x, at.y))
}

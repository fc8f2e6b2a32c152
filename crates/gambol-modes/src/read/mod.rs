//! What a mode looks like, in words and numbers: which limbs move, how left relates to right, in which plane, and the
//! name a person would give it (Kry et al. 2009, figure 1: "bounding, back twisting, stretching, and alternating
//! legs").
//!
//! [`Heading`] says which way the creature faces, [`Mirror`] which parts are each other's mirror images, [`Limbs`] which
//! joints belong to which limb. `motion` measures one mode on all of them; `act` turns that into what each pair of
//! limbs does, `wave` into bends along a body without limbs, and `name` chooses the words.

mod act;
mod motion;
mod name;
mod nouns;
mod settings;
mod wave;

use gambol_anatomy::{Heading, Limb, LimbPart, Limbs, Mirror};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, Vec3};
use gambol_motion::{Basis, Direction};
use serde::{Deserialize, Serialize};

use crate::ModesError;
use motion::{Motion, Scene, share};

pub use settings::ReadSettings;

/// How left and right go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Symmetry {
    /// Both sides do the same, reflected: bounding, splaying.
    Symmetric,
    /// One side does the opposite of the other's reflection: alternating legs, twists, sideways bends.
    Antisymmetric,
    /// Neither, or the creature has no mirror symmetry.
    Neither,
}

impl Symmetry {
    /// `symmetric`, `antisymmetric`, `neither`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Symmetric => "symmetric",
            Self::Antisymmetric => "antisymmetric",
            Self::Neither => "neither",
        }
    }
}

/// Where a motion takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// Forward, back, up and down: of use for walking.
    Sagittal,
    /// To the sides.
    Lateral,
    /// With roll and yaw of the trunk.
    Twisting,
    /// No one of them has half of it.
    Mixed,
}

impl Plane {
    /// `sagittal`, `lateral`, `twisting`, `mixed`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sagittal => "sagittal",
            Self::Lateral => "lateral",
            Self::Twisting => "twisting",
            Self::Mixed => "mixed",
        }
    }
}

/// Parts of a motion by plane, adding up to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaneShares {
    /// In the sagittal plane.
    pub sagittal: f64,
    /// Sideways.
    pub lateral: f64,
    /// What the trunk's roll and yaw give to all it carries.
    pub twisting: f64,
}

/// A limb's part in a mode.
#[derive(Clone, Debug, PartialEq)]
pub struct LimbShare {
    /// `leg.front.left`, `arm.right`, `head`, `tail`, `spine` (the trunk), or the name of the first body of a branch
    /// without a landmark.
    pub name: String,
    /// Part of the elastic energy, 0..1.
    pub elastic: f64,
    /// Part of the kinetic energy, 0..1; the trunk's own motion counts.
    pub kinetic: f64,
}

/// The landmark that moves most.
#[derive(Clone, Debug, PartialEq)]
pub struct Strongest {
    /// Name of the landmark, e.g. `foot.front.left`.
    pub landmark: String,
    /// Unit vector in the world. A mode swings both ways: of the two directions, the one more forward, left or up.
    pub direction: Vec3,
    /// How far it goes from rest at the mode's unit amplitude, seen from the trunk where its limb hangs, m.
    pub distance: f64,
}

/// What a mode looks like. It is the same for a shape and its negative.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// Short, for people: "bounding", "hind legs alternate". Two modes may share a name.
    pub name: String,
    /// How left and right go together.
    pub symmetry: Symmetry,
    /// Cosine between the motion and its mirror image in the metric of the kinetic energy: +1 symmetric,
    /// −1 antisymmetric.
    pub symmetry_measure: f64,
    /// Where it takes place.
    pub plane: Plane,
    /// The same in numbers.
    pub planes: PlaneShares,
    /// Per limb, the trunk first as it comes.
    pub limbs: Vec<LimbShare>,
    /// Part of the elastic energy in each joint, in the order of [`Creature::joints`]; a tendon's energy goes to its
    /// joints. All 0 for a rigid motion.
    pub joints: Vec<f64>,
    /// The landmark that moves most; `None` without landmarks, for a rigid motion, or if none moves against the trunk.
    pub strongest: Option<Strongest>,
}

/// Reads the modes of one creature about one pose; what is the same for all of them is worked out once.
#[derive(Clone, Debug)]
pub struct Reader<'c> {
    creature: &'c Creature,
    scene: Scene,
    mirror: Mirror,
    limbs: Limbs,
    /// Spine joints from hind to front.
    spine: Vec<usize>,
    wave: Option<wave::Chain>,
    settings: ReadSettings,
}

impl<'c> Reader<'c> {
    /// A reader for modes of `creature` about `pose`.
    pub fn new(creature: &'c Creature, data: &mut Data, pose: &[f64]) -> Result<Self, ModesError> {
        Self::with_settings(creature, data, pose, ReadSettings::default())
    }

    /// The same by other numbers than the usual ones.
    pub fn with_settings(
        creature: &'c Creature,
        data: &mut Data,
        pose: &[f64],
        settings: ReadSettings,
    ) -> Result<Self, ModesError> {
        settings.check()?;
        let pose = creature
            .checked_pose("pose of the modes", pose)
            .map_err(|error| ModesError::Pose(error.to_string()))?;
        let heading = Heading::of_reference(creature, data);
        let root =
            creature.bodies().iter().position(|body| body.parent == 0 && !body.dofs.is_empty()).unwrap_or(0);
        let reference_root = data.frames[root].rotation;
        let mirror = Mirror::across(creature, data, heading.left);
        let limbs = Limbs::new(creature, &mirror);
        forward_kinematics(creature, data, &pose);
        let heading = heading.turned(data.frames[root].rotation * reference_root.transpose() * heading.left);
        let scene = Scene::new(creature, data, pose, heading);
        let wave = wave::Chain::find(creature, &limbs, &scene, &settings);
        let spine = wave::spine_joints(creature).unwrap_or_default();
        Ok(Self { creature, scene, mirror, limbs, spine, wave, settings })
    }

    /// The creature's mirror symmetry.
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// Names of the limbs as [`Reading::limbs`] has them, and the joints that bend each, from the trunk outwards.
    pub fn limbs(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.limbs.all.iter().map(|limb| (limb.name.as_str(), limb.joints.as_slice()))
    }

    /// What `mode` looks like. Numbers missing from its shape count as 0.
    pub fn read(&self, data: &mut Data, mode: &Direction) -> Reading {
        let mut shape = mode.shape.clone();
        shape.resize(self.creature.nv(), 0.0);
        let motion = Motion::new(self.creature, data, &self.scene, &shape);
        let symmetry_measure = motion.symmetry(self.creature, &self.mirror);
        let symmetry = match symmetry_measure {
            c if c >= self.settings.symmetric => Symmetry::Symmetric,
            c if c <= -self.settings.symmetric => Symmetry::Antisymmetric,
            _ => Symmetry::Neither,
        };
        let [sagittal, lateral, twisting] =
            motion.planes(self.creature, &self.limbs, mode.is_rigid().then(|| motion.centre(self.creature)));
        let planes = PlaneShares { sagittal, lateral, twisting };
        let namer = name::Namer { reader: self, motion: &motion, symmetry };
        Reading {
            name: if mode.is_rigid() { namer.rigid() } else { namer.vibration() },
            symmetry,
            symmetry_measure,
            plane: main_plane(planes, self.settings.plane),
            planes,
            limbs: self.limb_shares(&motion),
            strongest: if mode.is_rigid() { None } else { self.strongest(&motion) },
            joints: motion.elastic,
        }
    }

    fn limb_shares(&self, motion: &Motion) -> Vec<LimbShare> {
        let total: f64 = motion.kinetic.iter().sum();
        let of_limb = |limb: &Limb| LimbShare {
            name: limb.name.clone(),
            elastic: limb.joints.iter().map(|&joint| motion.elastic[joint]).sum(),
            kinetic: share(limb.bodies.iter().map(|&body| motion.kinetic[body]).sum(), total),
        };
        self.limbs.all.iter().map(of_limb).collect()
    }

    fn strongest(&self, motion: &Motion) -> Option<Strongest> {
        // Left and right move equally far but for rounding: the first of them is named.
        const FARTHER: f64 = 1.0 + 1e-6;
        let mut best: Option<(usize, Vec3)> = None;
        for (index, landmark) in self.creature.landmarks().iter().enumerate() {
            let Some(limb) = self.limbs.owner[landmark.body].map(|limb| &self.limbs.all[limb]) else {
                continue;
            };
            let point = self.scene.marks[index];
            let moved = if limb.part == LimbPart::Spine && !self.limbs.has_extremities() {
                motion.carried(landmark.body, point) // a snake has no trunk but itself
            } else {
                motion.relative(landmark.body, point, limb.attach)
            };
            if best.is_none_or(|(_, most)| moved.norm() > FARTHER * most.norm()) {
                best = Some((index, moved));
            }
        }
        let (index, moved) = best?;
        let direction = moved.try_normalize(1e-9)?;
        let parts = self.scene.heading.components(direction);
        let positive = parts[parts.iamax()] >= 0.0;
        Some(Strongest {
            landmark: self.creature.landmarks()[index].name(),
            direction: if positive { direction } else { -direction },
            distance: moved.norm(),
        })
    }
}

/// What direction `index` of `basis` looks like. To read many, make one [`Reader`].
pub fn read_mode(
    creature: &Creature,
    data: &mut Data,
    basis: &Basis,
    index: usize,
) -> Result<Reading, ModesError> {
    let modes = basis.directions();
    let mode = modes.get(index).ok_or_else(|| {
        ModesError::Pose(format!("there is no mode {index}: {} were computed, counted from 0", modes.len()))
    })?;
    Ok(Reader::new(creature, data, basis.mean())?.read(data, mode))
}

fn main_plane(planes: PlaneShares, mostly: f64) -> Plane {
    match planes {
        PlaneShares { sagittal, .. } if sagittal > mostly => Plane::Sagittal,
        PlaneShares { lateral, .. } if lateral > mostly => Plane::Lateral,
        PlaneShares { twisting, .. } if twisting > mostly => Plane::Twisting,
        _ => Plane::Mixed,
    }
}

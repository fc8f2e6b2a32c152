//! The creature every verb takes, and how to read it.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gambol_anatomy::recording::unit_from_text;
use gambol_anatomy::{SpringSettings, give_springs};
use gambol_dynamics::Data;
use gambol_formats::gltf::{Rig, RigSettings};
use gambol_formats::plant::UpAxis;
use gambol_model::{BodyClass, Creature, LandmarkOverride};
use gambol_modes::{Scale, set_uniform};
use gambol_plant::Plant;

use super::Failure;
use super::hint::told;
use gambol::report::State;
use gambol::{LoadOptions, Motion, is_motion, load_motion};

#[derive(Args)]
pub(super) struct CreatureArguments {
    /// A name from `gambol gallery`, or an MJCF, URDF, glTF, VRM, FBX, BVH, ASF or AMC file, or a plant: MTG, SWC or CSV
    pub(super) creature: String,

    /// Make what the file asks for and gambol cannot do an error instead of a warning
    #[arg(long)]
    strict: bool,

    /// Let a creature that hangs fixed from the world float freely
    #[arg(long, value_enum, default_value_t = Root::Given)]
    root: Root,

    /// A further folder that the file may read meshes and includes from
    #[arg(long, value_name = "DIR")]
    assets: Option<PathBuf>,

    /// Set a landmark right: `foot.front.left=paw_L`, with the name of a body, site or joint; `tail=` removes it
    #[arg(long, value_name = "NAME=TARGET", value_parser = landmark)]
    landmark: Vec<LandmarkOverride>,

    /// How it gets about, if the guess is wrong: legs, belly, fish, whale, ray, paddles, wings, floats, wheels, hand, plant, thing
    #[arg(long, value_name = "CLASS")]
    class: Option<BodyClass>,

    /// glTF: a file that says what was guessed wrong about the rig; `gambol rig` writes one to edit
    #[arg(long, value_name = "FILE.toml")]
    rig: Option<PathBuf>,

    /// glTF, BVH, ASF, plants: the creature's height in the pose of its file, m
    #[arg(long, value_name = "M", conflicts_with = "unit")]
    height: Option<f64>,

    /// glTF, BVH, ASF, plants: the length of the file's unit: m, cm, mm, in, ft, cmu or a number of metres
    #[arg(long, value_name = "U", value_parser = unit_from_text)]
    unit: Option<f64>,

    /// glTF, BVH, ASF: the mass of the whole creature, kg; water fills its skin if not given
    #[arg(long, value_name = "KG")]
    mass: Option<f64>,

    /// Plants: which way is up in the file: x, y, z, -x, -y or -z; z if not given
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    up: Option<UpAxis>,

    /// Plants: the radius of the tips, m; those below follow, so that r² of a stem is the sum of its branches'
    #[arg(long, value_name = "TIP_RADIUS")]
    pipe: Option<f64>,

    /// Give joints that came without springs, as robots do, those that hold up its weight
    #[arg(long)]
    give_springs: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Root {
    /// as the file has it
    Given,
    /// floating
    Free,
}

fn landmark(text: &str) -> Result<LandmarkOverride, String> {
    let (landmark, target) = text.split_once('=').ok_or("expected NAME=TARGET")?;
    Ok(LandmarkOverride { landmark: landmark.to_owned(), target: target.to_owned() })
}

impl CreatureArguments {
    pub(super) fn load(&self) -> Result<Creature, Failure> {
        self.load_rig().map(|(creature, _)| creature)
    }

    /// The creature and, if it came from a glTF file, the way back to its nodes.
    pub(super) fn load_rig(&self) -> Result<(Creature, Option<Rig>), Failure> {
        let options = self.options()?;
        let (mut creature, rig) =
            gambol::load_rig(&self.creature, &options).map_err(|error| Failure::hinted(&error))?;
        if self.give_springs {
            let mut data = Data::new(&creature);
            if let Some(given) = give_springs(&mut creature, &mut data, &SpringSettings::default()) {
                eprintln!("gambol: {given}");
            }
        }
        Ok((creature, rig))
    }

    /// The plant, if it is one.
    pub(super) fn load_plant(&self) -> Result<Option<Plant>, Failure> {
        let plant = gambol::load_plant(&self.creature, &self.options()?);
        let plant = plant.map_err(|error| Failure::hinted(&error))?;
        if let Some(plant) = &plant {
            plant.remarks.iter().for_each(|remark| eprintln!("gambol: {}", told(remark)));
        }
        Ok(plant)
    }

    /// Refuses a plant, for what only creatures do.
    pub(super) fn refuse_plant(&self) -> Result<(), Failure> {
        let name = &self.creature;
        match self.load_plant()? {
            None => Ok(()),
            Some(_) => Err(Failure::Failed(format!(
                "{name}: a plant stays where it is; `gambol wind {name}` moves it"
            ))),
        }
    }

    /// The creature's file, if it has one.
    pub(super) fn file(&self) -> &Path {
        Path::new(&self.creature)
    }

    /// Whether what cannot be done is an error.
    pub(super) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Files that are read, which nothing may be written over.
    pub(super) fn inputs(&self) -> Vec<&Path> {
        std::iter::once(self.file()).chain(self.rig.as_deref()).collect()
    }

    /// The creature of a file that has motion in it, with that.
    pub(super) fn load_motion(&self) -> Result<Option<Motion>, Failure> {
        let path = Path::new(&self.creature);
        if !(is_motion(path) && path.exists()) {
            return Ok(None);
        }
        let motion = load_motion(path, &self.options()?.into());
        motion.map(Some).map_err(|error| Failure::hinted(&error))
    }

    pub(super) fn options(&self) -> Result<LoadOptions, Failure> {
        Ok(LoadOptions {
            strict: self.strict,
            free_root: self.root == Root::Free,
            assets: self.assets.clone(),
            landmarks: self.landmark.clone(),
            class: self.class,
            rig: self.rig.as_deref().map(read_rig).transpose()?,
            height: self.height,
            unit: self.unit,
            mass: self.mass,
            up: self.up,
            pipe: self.pipe,
        })
    }
}

fn read_rig(path: &Path) -> Result<RigSettings, Failure> {
    let place = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Failed(format!("{place}: cannot be read: {error}")))?;
    RigSettings::from_toml(&place, &text).map_err(|error| Failure::Failed(error.to_string()))
}

#[derive(Args)]
pub(super) struct PoseArguments {
    /// A pose that the creature's file names; the reference pose if not given
    #[arg(long, value_name = "NAME", conflicts_with = "qpos")]
    pose: Option<String>,

    /// A pose as a JSON array of nq numbers
    #[arg(long, value_name = "FILE")]
    qpos: Option<PathBuf>,
}

/// A pose and what to call it.
pub(super) struct Pose {
    pub(super) name: String,
    pub(super) qpos: Vec<f64>,
}

impl PoseArguments {
    pub(super) fn is_given(&self) -> bool {
        self.pose.is_some() || self.qpos.is_some()
    }

    pub(super) fn read(&self, creature: &Creature) -> Result<Pose, Failure> {
        if let Some(name) = &self.pose {
            return Ok(Pose { name: name.clone(), qpos: named_pose(creature, name)? });
        }
        let Some(file) = &self.qpos else {
            return Ok(Pose { name: "reference".to_owned(), qpos: creature.reference_pose().to_vec() });
        };
        let name = file.display().to_string();
        let qpos = creature.checked_pose(&name, &read_numbers(file)?).map_err(failed)?;
        Ok(Pose { name, qpos })
    }
}

/// The springs, as a verb may change them.
#[derive(Args)]
pub(super) struct SpringArguments {
    /// One stiffness for all joints, N·m/rad or N/m; the creature's own if not given
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    stiffness: Option<f64>,

    /// Multiply the stiffness of the joints whose name matches: 'spine.*=5'; may be given several times
    #[arg(long, value_name = "PATTERN=F")]
    scale: Vec<Scale>,
}

impl SpringArguments {
    pub(super) fn is_given(&self) -> bool {
        self.stiffness.is_some() || !self.scale.is_empty()
    }

    pub(super) fn apply(&self, creature: &mut Creature) -> Result<(), Failure> {
        if let Some(stiffness) = self.stiffness {
            set_uniform(creature, stiffness)?;
        }
        for scale in &self.scale {
            scale.apply(creature)?;
        }
        Ok(())
    }
}

/// A creature in a pose, with its springs as the user wants them.
#[derive(Args)]
pub(super) struct ElasticArguments {
    #[command(flatten)]
    creature: CreatureArguments,

    #[command(flatten)]
    pose: PoseArguments,

    #[command(flatten)]
    springs: SpringArguments,
}

impl ElasticArguments {
    /// The plant, if it is one. It has wood instead of joints.
    pub(super) fn load_plant(&self) -> Result<Option<Plant>, Failure> {
        let plant = self.creature.load_plant()?;
        if plant.is_some() && (self.springs.is_given() || self.pose.is_given()) {
            let reason =
                "a plant stands as it grew and has wood instead of springs; --young sets its stiffness";
            return Err(Failure::Failed(reason.to_owned()));
        }
        Ok(plant)
    }

    pub(super) fn load(&self) -> Result<(Creature, Pose), Failure> {
        let mut creature = self.creature.load()?;
        self.springs.apply(&mut creature)?;
        let pose = self.pose.read(&creature)?;
        Ok((creature, pose))
    }
}

#[derive(Args)]
pub(super) struct StateArguments {
    #[command(flatten)]
    pose: PoseArguments,

    /// A velocity as a JSON array of nv numbers; zero if not given
    #[arg(long, value_name = "FILE")]
    qvel: Option<PathBuf>,
}

impl StateArguments {
    pub(super) fn read(&self, creature: &Creature) -> Result<State, Failure> {
        let Pose { name, qpos } = self.pose.read(creature)?;
        let qvel = match &self.qvel {
            Some(file) => creature
                .checked_velocity(&file.display().to_string(), &read_numbers(file)?)
                .map_err(failed)?,
            None => vec![0.0; creature.nv()],
        };
        Ok(State { name, qpos, qvel })
    }
}

#[allow(clippy::needless_pass_by_value)] // for `map_err`
fn failed(error: gambol_model::ModelError) -> Failure {
    Failure::Failed(error.to_string())
}

fn named_pose(creature: &Creature, name: &str) -> Result<Vec<f64>, Failure> {
    if let Some(qpos) = creature.pose(name) {
        return Ok(qpos.to_vec());
    }
    if name == "reference" {
        return Ok(creature.reference_pose().to_vec());
    }
    let mut names = vec!["reference"];
    names.extend(creature.poses().iter().map(|pose| pose.name.as_str()));
    Err(Failure::Failed(format!("{} has no pose {name:?}; it has {}", creature.name(), names.join(", "))))
}

fn read_numbers(file: &Path) -> Result<Vec<f64>, Failure> {
    let place = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::Failed(format!("{place}: cannot be read: {error}")))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::Failed(format!("{place}: not a JSON array of numbers: {error}")))
}

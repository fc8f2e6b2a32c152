//! The creatures that come with gambol: MJCF files of our own, embedded in the program, and what comes with them.

use gambol_control::PumpPreset;
use gambol_control::sketch::RunningPose;
use gambol_formats::LoadOptions;
use gambol_formats::toml_file::FileError;
use gambol_gait::Presets;
use gambol_model::Creature;

use crate::LoadError;

/// A creature of the gallery.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What the command line calls it.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The file itself.
    pub mjcf: &'static str,
    /// Gaits that were made for this creature, for [`Presets::from_toml`].
    pub presets: Option<&'static str>,
    /// How it is pumped, where the rule of [`gambol_control::suggest`] does not do.
    pub pump: Option<PumpPreset>,
    /// The pose of its file that it runs in.
    pub running: Option<RunningPose>,
}

impl Entry {
    /// The creature, with all that comes with it.
    pub fn load(&self, options: &LoadOptions) -> Result<Creature, LoadError> {
        let file = format!("{}.xml", self.name);
        let spec = gambol_formats::load_str(&file, self.mjcf, options)?;
        let mut creature =
            spec.build().map_err(|error| LoadError::Model { file: self.name.to_owned(), error })?;
        self.furnish(&mut creature)?;
        Ok(creature)
    }

    /// Attaches what comes with the creature besides its body to a creature that was read from its MJCF: by where it came
    /// from, and not by what it is called.
    pub fn furnish(&self, creature: &mut Creature) -> Result<(), LoadError> {
        if let Some(text) = self.presets {
            creature.attach(Presets::from_toml(text).map_err(|error| self.broken(error))?);
        }
        if let Some(preset) = self.pump {
            creature.attach(preset);
        }
        if let Some(pose) = self.running {
            creature.attach(pose);
        }
        Ok(())
    }

    fn broken(&self, error: FileError) -> LoadError {
        LoadError::Presets { file: format!("presets/{}.toml", self.name), error }
    }
}

macro_rules! entry {
    ($name:literal, $about:literal) => {
        Entry {
            name: $name,
            about: $about,
            mjcf: include_str!(concat!("../gallery/", $name, ".xml")),
            presets: None,
            pump: None,
            running: None,
        }
    };
    ($name:literal, $about:literal, with presets) => {
        Entry {
            presets: Some(include_str!(concat!("../gallery/presets/", $name, ".toml"))),
            ..entry!($name, $about)
        }
    };
}

/// All creatures, the simplest first.
pub const ENTRIES: [Entry; 13] = [
    entry!("loop", "sixteen boxes closed to a ring that rolls (Kry et al. 2009)", with presets),
    Entry {
        // It lies flat, and is only lifted by more than what its weight suggests (figure 3 of the paper has 1 rad at 5 Hz).
        pump: Some(PumpPreset { amplitude: 0.6, frequency: 5.0 }),
        ..entry!("linear", "sixteen boxes in a row that crawls (Kry et al. 2009)", with presets)
    },
    entry!("dog", "a large dog on its toes (Kry et al. 2009)", with presets),
    Entry {
        running: Some(RunningPose("run")),
        ..entry!("human", "a person of 1.75 m; poses rest, t-pose, run (Kry et al. 2009)", with presets)
    },
    Entry {
        running: Some(RunningPose("run")),
        ..entry!("biped", "a runner; poses rest, run, squat, one-leg (Nunes et al. 2012)")
    },
    entry!("bird", "an ostrich: two long legs, a long neck, small wings"),
    Entry {
        running: Some(RunningPose("hop")),
        ..entry!("kangaroo", "long feet and a tail to stand on (Nunes et al. 2012)")
    },
    Entry {
        running: Some(RunningPose("run")),
        ..entry!("monster", "a four-armed giant (Nunes et al. 2012)")
    },
    entry!("insect", "an ant of 0.4 m on six legs"),
    entry!("spider", "eight legs, half a metre wide"),
    entry!("snake", "2.4 m and no legs at all"),
    entry!("gull", "a herring gull of 1.34 m from tip to tip; poses rest, folded"),
    entry!("dragonfly", "a hawker of 0.75 g on four wings"),
];

/// The creature with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// The names of all creatures.
pub fn names() -> Vec<&'static str> {
    ENTRIES.iter().map(|entry| entry.name).collect()
}

macro_rules! sketch {
    ($name:literal) => {
        ($name, include_str!(concat!("../gallery/", $name, ".toml")))
    };
}

/// Sketches of gaits for [`gambol_control::sketch::read`]: those of table 1 of Nunes et al. 2012, then the styles of its
/// sections 8.1 and 8.2.
const SKETCHES: [(&str, &str); 8] = [
    sketch!("runner"),
    sketch!("hopper"),
    sketch!("monster"),
    sketch!("kangaroo"),
    sketch!("lateral"),
    sketch!("twist"),
    sketch!("flap"),
    sketch!("squat"),
];

/// The file of the sketch with this name.
pub fn sketch(name: &str) -> Option<&'static str> {
    SKETCHES.iter().find(|sketch| sketch.0 == name).map(|sketch| sketch.1)
}

/// The names of all sketches.
pub fn sketches() -> Vec<&'static str> {
    SKETCHES.iter().map(|sketch| sketch.0).collect()
}

macro_rules! controller {
    ($name:literal) => {
        ($name, include_str!(concat!("../gallery/controllers/", $name, ".toml")))
    };
}

/// Controllers that were found for the sketches of the same names, for [`gambol_control::locomotion::read_controller`].
const CONTROLLERS: [(&str, &str); 8] = [
    controller!("runner"),
    controller!("hopper"),
    controller!("monster"),
    controller!("kangaroo"),
    controller!("lateral"),
    controller!("twist"),
    controller!("flap"),
    controller!("squat"),
];

/// The file of the controller with this name.
pub fn controller(name: &str) -> Option<&'static str> {
    CONTROLLERS.iter().find(|controller| controller.0 == name).map(|controller| controller.1)
}

/// Names and files of all controllers.
pub fn controllers() -> &'static [(&'static str, &'static str)] {
    &CONTROLLERS
}

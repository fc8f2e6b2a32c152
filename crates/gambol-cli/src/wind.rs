//! `gambol wind`: a plant, or a forest of it, in the wind.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gambol_formats::plant::WindTable;
use gambol_model::SettingError;
use gambol_plant::{
    FrontSettings, GustSettings, LeafSettings, Mechanics, Planting, Stepping, SwaySettings, Wind, WindBasis,
    WindStage, leaves, plant_modes,
};

use super::creature::CreatureArguments;
use super::plant_settings::{AirArguments, WoodArguments};
use super::{Failure, wind_files, wind_forest, write_json};

/// Lets the wind blow on a plant: modes of its wood as oscillators, for one tree or for a forest
#[derive(Args)]
#[command(
    after_help = "Wind comes from a bearing as in weather reports: 270 is from the west and blows along +x. Files: .glb has tubes on the \
    nodes and a clip,\n.gif and .apng show it, .png and .svg are a film strip, .npz and .json have all numbers. A forest is drawn \
    as .png, .svg, .gif or .apng.\n\n\
    Examples:\n  gambol wind oak --gusts 0.3 -o oak.gif\n  gambol wind walnut.mtg --speed 10 --front 2 -o walnut.glb\n  \
    gambol wind spruce --json\n  gambol wind palm --wind storm.csv -o palm.png\n  \
    gambol wind oak --forest 400 --gusts 0.3 -o forest.png\n  gambol wind poplar --forest 12 --row --gusts 0.3 -o row.gif\n  gambol wind walnut.mtg --forest 4000 --report"
)]
#[allow(clippy::struct_excessive_bools)] // each is an option of its own
pub(super) struct WindVerb {
    #[command(flatten)]
    creature: CreatureArguments,

    /// Mean speed, m/s
    #[arg(long, value_name = "M/S", default_value_t = 8.0, allow_negative_numbers = true)]
    speed: f64,

    /// Where it comes from, degrees: 0 north (+y), 90 east (+x), 270 west
    #[arg(long, value_name = "DEG", default_value_t = 270.0, allow_negative_numbers = true)]
    from: f64,

    /// Strength of gusts, in parts of the mean speed; 0.1 is calm, 0.3 is usual among trees
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    gusts: f64,

    /// A front of stronger wind that comes after so many seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    front: Option<f64>,

    /// A wind that was recorded: a table with columns t, vx, vy and perhaps vz (s, m/s); replaces --speed and --from
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["speed", "from"])]
    wind: Option<PathBuf>,

    /// Number that gusts and forests follow from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How long, s
    #[arg(long, value_name = "S", default_value_t = 10.0, allow_negative_numbers = true)]
    seconds: f64,

    /// Frames a second
    #[arg(long, value_name = "N", default_value_t = 20.0, allow_negative_numbers = true)]
    fps: f64,

    /// How many modes; 25, or all of a plant that has fewer
    #[arg(long, value_name = "N")]
    count: Option<usize>,

    /// How many nodes a .glb or a forest has; the others follow them. All in a --report
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,

    /// Damping a,b of the wood, C = a M + b K (1/s, s); what the air takes comes on top
    #[arg(long, value_name = "A,B", value_parser = damping)]
    damping: Option<[f64; 2]>,

    /// How oscillators go on
    #[arg(long, value_enum, default_value_t = StepName::Exact)]
    step: StepName,

    /// Leave branches as long as their modes make them: without the correction of lengths
    #[arg(long)]
    linear: bool,

    /// Draw no leaves
    #[arg(long)]
    bare: bool,

    #[command(flatten)]
    wood: WoodArguments,

    #[command(flatten)]
    air: AirArguments,

    /// So many trees of this kind
    #[arg(long, value_name = "TREES")]
    forest: Option<usize>,

    /// In one row, as along a road, and not in a wood
    #[arg(long, requires = "forest")]
    row: bool,

    /// Time the forest's steps
    #[arg(long, requires = "forest")]
    report: bool,

    /// The files; may be given several times
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Replace existing files
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StepName {
    /// exactly, whatever the step
    Exact,
    /// by the paper's explicit step, which explodes for fast modes
    Explicit,
}

fn damping(text: &str) -> Result<[f64; 2], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|x| x.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[a, b]) if a >= 0.0 && b >= 0.0 && (a + b).is_finite() => Ok([a, b]),
        _ => Err("expected two numbers of at least 0, a,b".to_owned()),
    }
}

/// As many modes as the paper takes.
const MODES: usize = 25;
/// The most frames, which are kept in memory.
const MOST_FRAMES: f64 = 20_000.0;

/// A plant ready to move, and what its files need.
pub(super) struct Stage {
    pub(super) scene: WindStage,
    pub(super) seed: u64,
    pub(super) planting: Planting,
    pub(super) force: bool,
}

impl WindVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.check()?;
        wind_files::check(&self.output, self.creature.file(), self.forest.is_some(), self.force)?;
        let stage = self.stage()?;
        if let Some(trees) = self.forest {
            return wind_forest::run(&stage, trees, &self.output, (self.report, self.json), out);
        }
        let scene = &stage.scene;
        let swayed = scene.sway()?;
        let mut report = scene.report(&swayed);
        report.files = self.output.iter().map(|path| path.display().to_string()).collect();
        for path in &self.output {
            wind_files::write(path, scene, &swayed, &report, self.force)?;
        }
        if self.json {
            return write_json(out, &report);
        }
        let [x, y, z] = report.top_steady;
        writeln!(
            out,
            "{}: {} nodes, {:.3} kg, {} modes from {:.3} Hz",
            report.name,
            report.nodes,
            report.mass,
            scene.modes.len(),
            report.frequencies[0]
        )?;
        writeln!(
            out,
            "  wind {:.1} m/s; steady, the top goes by ({x:.3}, {y:.3}, {z:.3}) m",
            scene.wind.mean().norm()
        )?;
        writeln!(
            out,
            "  damping of the first mode {:.1} % of critical, the air's included",
            100.0 * report.damping_ratios[0]
        )?;
        writeln!(out, "  top at most {:.3} m from its place at rest", report.top_farthest)?;
        let [mean, most] = report.length_errors.map(|error| 100.0 * error);
        Ok(writeln!(out, "  lengths of elements: {mean:.3} % off in the mean, {most:.2} % at most")?)
    }

    /// Numbers that make no sense, before any work.
    fn check(&self) -> Result<(), Failure> {
        let at_least = |name: &str, value: f64, least: f64| {
            if value.is_finite() && value >= least {
                return Ok(());
            }
            Err(Failure::Failed(format!("--{name}: {value} is not a finite number of at least {least}")))
        };
        at_least("speed", self.speed, 0.0)?;
        if !self.from.is_finite() {
            return Err(Failure::Failed(format!("--from: {} is not a bearing in degrees", self.from)));
        }
        at_least("gusts", self.gusts, 0.0)?;
        at_least("front", self.front.unwrap_or(0.0), 0.0)?;
        at_least("seconds", self.seconds, 0.0)?;
        at_least("fps", self.fps, 1.0)?;
        if self.seconds * self.fps > MOST_FRAMES {
            return Err(Failure::Failed(format!(
                "{:.0} frames are more than {MOST_FRAMES:.0}",
                self.seconds * self.fps
            )));
        }
        if self.forest == Some(0) || self.nodes == Some(0) {
            return Err(Failure::Failed(
                "a forest has at least one tree, and a tree at least one node".to_owned(),
            ));
        }
        Ok(())
    }

    fn stage(&self) -> Result<Stage, Failure> {
        let Some(plant) = self.creature.load_plant()? else {
            // An unknown name is told as everywhere; what is there is no plant.
            self.creature.load()?;
            let reason = format!(
                "{}: only plants move in the wind: MTG, SWC, CSV, or one of the gallery's",
                self.creature.creature
            );
            return Err(Failure::Failed(reason));
        };
        let refused = |error: SettingError| Failure::Failed(error.to_string());
        let mechanics =
            Mechanics::new(&plant, &self.wood.settings().map_err(refused)?, self.wood.constants())?;
        let count = self.count.unwrap_or_else(|| MODES.min(6 * (plant.len() - 1)));
        let modes = plant_modes(&plant, &mechanics, count)?;
        let basis = WindBasis::new(&mechanics, &modes, &self.air.settings().map_err(refused)?);
        let mut sway = SwaySettings::default();
        if let Some([mass, stiffness]) = self.damping {
            (sway.mass_damping, sway.stiffness_damping) = (mass, stiffness);
        }
        let leaves = if self.bare { Vec::new() } else { leaves(&plant, &LeafSettings::of(&plant)) };
        let length = (self.seconds, self.fps);
        let mut scene = WindStage::new(plant, (mechanics, modes, basis), self.blow()?, &sway, length);
        scene.stepping = if self.step == StepName::Exact { Stepping::Exact } else { Stepping::Explicit };
        scene.keeps_lengths = !self.linear;
        (scene.leaves, scene.nodes) = (leaves, self.nodes);
        let planting = if self.row { Planting::Row } else { Planting::Wood };
        Ok(Stage { scene, seed: self.seed, planting, force: self.force })
    }

    fn blow(&self) -> Result<Wind, Failure> {
        let mut wind = match &self.wind {
            None => Wind::from_bearing(self.speed, self.from),
            Some(path) => {
                let place = path.display().to_string();
                let text = std::fs::read_to_string(path)
                    .map_err(|error| Failure::Failed(format!("{place}: cannot be read: {error}")))?;
                Wind::recorded(WindTable::from_csv(&place, &text).map_err(|error| Failure::hinted(&error))?)
            }
        };
        wind = wind.with_gusts(self.gusts, self.seed, &GustSettings::default());
        Ok(match self.front {
            Some(arrives) => wind.with_front(FrontSettings { arrives, ..FrontSettings::default() }),
            None => wind,
        })
    }
}

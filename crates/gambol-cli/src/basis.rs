//! `gambol basis`: the few directions that recorded poses are made of, or the vibrations of a body, as a file.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gambol::{MOTION_FILES, MotionOptions, MotionPlace};
use gambol_dynamics::Data;
use gambol_formats::basis::to_basis_file;
use gambol_formats::write_file;
use gambol_model::Creature;
use gambol_modes::{Settings, analyze};
use gambol_motion::{
    Basis, Clip, Direction, ExactSettings, GeodesicSettings, Geodesics, Keep, Metric, Refined,
};
use gambol_picture::{self as picture, ModeTile, Picture};
use serde::Serialize;

use super::hint::told;
use super::settings::{count, share};
use super::table::plain;
use super::{Failure, is_same_file, write_json, written};

/// Finds the few directions that recorded poses are made of, or takes the vibrations of a creature
#[derive(Args)]
#[command(
    after_help = "A basis is a mean pose and directions in its tangent space. Principal geodesics come from clips (.bvh, .amc, .json,\n\
    .npz, .pack, those in .glb, .gltf, .vrm, .fbx) of one skeleton; vibrations from a creature, with --modes. Other commands take either (docs/motion.md).\n\n\
    Examples:\n  gambol basis walk.bvh run.bvh -o human.basis\n  gambol basis 17_10.amc --count 12 --sheet boxing.png\n  \
    gambol basis fox.glb#Walk --count 6\n  gambol basis 17_10.amc --metric joint --variance 0.95 --json\n  gambol basis dog --modes 12 -o dog.basis"
)]
#[allow(clippy::struct_excessive_bools)] // each is an option of its own
pub(super) struct BasisVerb {
    /// Clips of one skeleton; with --modes, one creature: a name from the gallery or a file
    #[arg(required = true, value_name = "CLIP|CREATURE")]
    from: Vec<PathBuf>,

    /// Take so many vibrations of a creature instead of directions of clips, the rigid motions not counted
    #[arg(long, value_name = "N", value_parser = count, conflicts_with_all = ["count", "variance", "metric", "exact"])]
    modes: Option<usize>,

    /// Keep so many directions
    #[arg(long, value_name = "K", value_parser = count, conflicts_with = "variance")]
    count: Option<usize>,

    /// Keep as few directions as explain this share of the variance; 0.99 if not given
    #[arg(long, value_name = "F", value_parser = share)]
    variance: Option<f64>,

    /// What counts as far: angles of joints, the way of joints and of points 3 cm off the bones, or mass in motion
    #[arg(long, value_enum, default_value_t = MetricName::Position)]
    metric: MetricName,

    /// Turn the directions to where their poses are nearest in the curved space of poses, and tell the difference
    #[arg(long)]
    exact: bool,

    /// Take joints of the same names from clips of other skeletons, and leave the others as they are
    #[arg(long)]
    by_name: bool,

    /// Write the basis
    #[arg(short, long, value_name = "FILE.basis")]
    output: Option<PathBuf>,

    /// Draw a contact sheet: each direction's two poses at twice its spread over each other
    #[arg(long, value_name = "FILE.png|.svg")]
    sheet: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Replace existing files
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MetricName {
    /// angles
    Joint,
    /// ways in space
    Position,
    /// kinetic energy
    Mass,
}

#[derive(Serialize)]
struct BasisJson<'a> {
    name: &'a str,
    metric: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    geodesics: Option<GeodesicsJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<ExactJson>,
    mean: &'a [f64],
    joint_names: Vec<&'a str>,
    directions: Vec<DirectionJson<'a>>,
}

#[derive(Serialize)]
struct GeodesicsJson<'a> {
    frames: usize,
    /// Of the intrinsic mean.
    rounds: usize,
    residual: f64,
    /// Directions for so much of the variance.
    for_95: usize,
    for_99: usize,
    explained: f64,
    variances: &'a [f64],
    far: Vec<(&'a str, f64)>,
}

#[derive(Serialize)]
struct ExactJson {
    before: f64,
    after: f64,
    angle: f64,
}

#[derive(Serialize)]
struct DirectionJson<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency: Option<f64>,
    shape: &'a [f64],
}

impl BasisVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.check_files()?;
        match self.modes {
            Some(count) => {
                let (creature, basis) = self.vibrations(count)?;
                self.finish(out, &creature, &basis, None, None)
            }
            None => self.geodesics(out),
        }
    }

    /// What can be known before the work.
    fn check_files(&self) -> Result<(), Failure> {
        let outputs = self.output.iter().chain(&self.sheet);
        for path in outputs {
            let fail = |reason: &str| Err(Failure::Failed(format!("{}{reason}", path.display())));
            if self.from.iter().any(|input| is_same_file(&MotionPlace::of(input).file, path)) {
                return fail(" is read here and never written over; choose another name");
            }
            if path.exists() && !self.force {
                return fail(" exists; --force replaces it");
            }
        }
        Ok(())
    }

    fn vibrations(&self, count: usize) -> Result<(Creature, Basis), Failure> {
        let [name] = self.from.as_slice() else {
            return Err(Failure::Failed("--modes takes one creature".to_owned()));
        };
        let creature = gambol::load(&name.to_string_lossy(), &gambol::LoadOptions::default())
            .map_err(|error| Failure::hinted(&error))?;
        let mut data = Data::new(&creature);
        let all = Settings { count: None, constraints: Vec::new() };
        let modes = analyze(&creature, &mut data, creature.reference_pose(), &all)?;
        if count > modes.flexible().len() {
            let has = modes.flexible().len();
            return Err(Failure::Failed(format!("{} has {has} vibrations, not {count}", creature.name())));
        }
        let basis = modes.truncated(count);
        Ok((creature, basis))
    }

    fn geodesics(&self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(stranger) = self.from.iter().find(|path| !MotionPlace::of(path).may_move()) {
            let reason = format!("{MOTION_FILES}; --modes takes a creature");
            return Err(Failure::Failed(format!("{}: {reason}", stranger.display())));
        }
        let paths: Vec<&Path> = self.from.iter().map(PathBuf::as_path).collect();
        let (creature, clips) = gambol::load_motions(&paths, &MotionOptions::default(), self.by_name)
            .map_err(|error| Failure::hinted(&error))?;
        let found = Basis::from_clips(&creature, &clips, &self.settings(&creature))?;
        for far in &found.far {
            eprintln!(
                "gambol: warning: {} turns by {:.0} degrees from its mean; near half a turn a pose has two logarithms",
                far.joint,
                far.angle.to_degrees()
            );
        }
        if self.exact {
            let refined = refined(&creature, &clips, &found)?;
            let basis = refined.basis.clone();
            return self.finish(out, &creature, &basis, Some(&found), Some(&refined));
        }
        self.finish(out, &creature, &found.basis, Some(&found), None)
    }

    fn settings(&self, creature: &Creature) -> GeodesicSettings {
        let keep = match (self.count, self.variance) {
            (Some(count), _) => Keep::Count(count),
            (None, Some(share)) => Keep::Variance(share),
            (None, None) => GeodesicSettings::default().keep,
        };
        let metric = match self.metric {
            MetricName::Joint => Metric::Joint,
            MetricName::Position => Metric::position(creature),
            MetricName::Mass => Metric::Mass,
        };
        GeodesicSettings { keep, metric: Some(metric) }
    }

    fn finish(
        &self,
        out: &mut impl Write,
        creature: &Creature,
        basis: &Basis,
        found: Option<&Geodesics>,
        exact: Option<&Refined>,
    ) -> Result<(), Failure> {
        if let Some(file) = &self.sheet {
            written::picture(file, &sheet(creature, basis)?, self.force)?;
        }
        if let Some(file) = &self.output {
            write_file(file, to_basis_file(creature, basis).as_bytes(), self.force)?;
            written::tell(file, &written::count(basis.directions().len(), "direction"));
        }
        for warning in creature.warnings().iter().filter(|_| found.is_none()) {
            eprintln!("gambol: warning: {}", told(warning));
        }
        if self.json {
            return write_json(out, &json(creature, basis, found, exact));
        }
        tell(out, creature, basis, found, exact)
    }
}

fn refined(creature: &Creature, clips: &[Clip], found: &Geodesics) -> Result<Refined, Failure> {
    let poses: Vec<&[f64]> = clips.iter().flat_map(|clip| clip.poses.iter().map(Vec::as_slice)).collect();
    Ok(found.basis.refined(creature, &poses, &ExactSettings::default())?)
}

fn tell(
    out: &mut impl Write,
    creature: &Creature,
    basis: &Basis,
    found: Option<&Geodesics>,
    exact: Option<&Refined>,
) -> Result<(), Failure> {
    let (directions, metric) = (written::count(basis.directions().len(), "direction"), basis.metric().name());
    writeln!(out, "{}: {directions} in the metric {metric}", creature.name())?;
    if let Some(found) = found {
        let (frames, rounds) = (written::count(found.frames, "pose"), written::count(found.rounds, "round"));
        writeln!(out, "{frames}; their mean found in {rounds}, to {:.0e} rad", found.residual)?;
        let [most, nearly_all] = [0.95, 0.99].map(|share| found.directions_for(share));
        writeln!(
            out,
            "{:.1} % of the variance; 95 % take {most} directions, 99 % take {nearly_all}",
            100.0 * found.explained()
        )?;
    }
    if let Some(exact) = exact {
        writeln!(
            out,
            "exact: root mean square distance {:.6} instead of {:.6}; the directions turn by up to {:.2} degrees",
            exact.after,
            exact.before,
            exact.angle.to_degrees()
        )?;
    }
    let mut table = plain(&["direction", "spread", "variance %", "Hz", "moves most"]);
    let total: f64 = found.map_or(0.0, |found| found.variances.iter().sum());
    for (k, direction) in basis.directions().iter().enumerate() {
        let variance =
            found.and_then(|found| found.variances.get(k)).map(|x| format!("{:.2}", 100.0 * x / total));
        let spread =
            if direction.spread.is_finite() { format!("{:.4}", direction.spread) } else { String::new() };
        let frequency = direction.frequency().map(|hertz| format!("{hertz:.4}"));
        table.add_row([
            direction.name.clone(),
            spread,
            variance.filter(|_| exact.is_none()).unwrap_or_default(),
            frequency.unwrap_or_default(),
            moves_most(creature, direction),
        ]);
    }
    Ok(writeln!(out, "\n{table}")?)
}

/// The joints that a direction moves most.
fn moves_most(creature: &Creature, direction: &Direction) -> String {
    const NAMED: usize = 3;
    let size = |joint: &gambol_model::Joint| {
        direction.shape[joint.v..joint.v + joint.kind.nv()].iter().map(|x| x * x).sum::<f64>()
    };
    let mut joints: Vec<(&str, f64)> =
        creature.joints().iter().map(|joint| (joint.name.as_str(), size(joint))).collect();
    joints.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named: Vec<&str> =
        joints.iter().take(NAMED).filter(|(_, size)| *size > 0.0).map(|(name, _)| *name).collect();
    named.join(", ")
}

fn json<'a>(
    creature: &'a Creature,
    basis: &'a Basis,
    found: Option<&'a Geodesics>,
    exact: Option<&Refined>,
) -> BasisJson<'a> {
    let geodesics = |found: &'a Geodesics| GeodesicsJson {
        frames: found.frames,
        rounds: found.rounds,
        residual: found.residual,
        for_95: found.directions_for(0.95),
        for_99: found.directions_for(0.99),
        explained: found.explained(),
        variances: &found.variances,
        far: found.far.iter().map(|far| (far.joint.as_str(), far.angle)).collect(),
    };
    let direction = |direction: &'a Direction| DirectionJson {
        name: &direction.name,
        spread: Some(direction.spread).filter(|spread| spread.is_finite()),
        frequency: direction.frequency(),
        shape: &direction.shape,
    };
    BasisJson {
        name: creature.name(),
        metric: basis.metric().name(),
        geodesics: found.map(geodesics),
        exact: exact.map(|exact| ExactJson { before: exact.before, after: exact.after, angle: exact.angle }),
        mean: basis.mean(),
        joint_names: creature.joints().iter().map(|joint| joint.name.as_str()).collect(),
        directions: basis.directions().iter().map(direction).collect(),
    }
}

/// One tile per direction that bends the creature, at twice its spread to either side.
fn sheet(creature: &Creature, basis: &Basis) -> Result<Picture, Failure> {
    /// Of a direction without a spread of its own, rad of the joint that moves most, and the most of any.
    const PLAIN: f64 = 0.5;
    const MOST: f64 = 1.5;
    let mut tiles = Vec::new();
    for direction in basis.flexible() {
        let spread = Some(2.0 * direction.spread).filter(|_| direction.omega_squared.is_none());
        let far = spread.unwrap_or(PLAIN).min(MOST);
        let pose = |side: f64| {
            let mut x = vec![0.0; basis.directions().len()];
            x[direction.index] = side * far;
            basis.pose(creature, &x)
        };
        tiles.push(ModeTile {
            caption: direction.name.clone(),
            name: moves_most(creature, direction),
            poses: [pose(1.0)?, pose(-1.0)?],
        });
    }
    let title = format!("{}: {}", creature.name(), written::count(tiles.len(), "direction"));
    Ok(picture::mode_sheet(creature, &title, &tiles))
}

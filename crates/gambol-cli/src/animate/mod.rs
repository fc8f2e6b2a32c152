//! `gambol animate`: a gait, from the natural vibrations of a body to files that other programs open.

mod acts;
mod report;
mod tries;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use gambol::felt_tempo;
use gambol::render::{Format, render_clips, render_forces};
use gambol_dynamics::Data;
use gambol_formats::gltf::Rig;
use gambol_formats::write_files;
use gambol_gait::{
    Believed, Body, Felt, FeltSettings, Gait, GaitError, Performance, Sampling, Script, Style, Support,
    Terrain, Wish, adopt, forces, gaits_for, perform, perform_believed, to_toml,
};
use gambol_model::{Creature, JointKind};
use gambol_modes::Reader;
use gambol_motion::Clip;
use serde::Serialize;

use super::creature::CreatureArguments;
use super::files::Outputs;
use super::gait_file::{is_file, read_gait};
use super::hint::told;
use super::settings::{self, Ground, ModeValue, positive, rate, seconds, share, turn_rate};
use super::{Failure, render, write_json, written};

/// Makes a creature walk, trot, jump, swim: a gait of a few natural vibrations, with its feet on the ground
#[derive(Args)]
#[command(
    after_help = "GAIT is a name (leave it out to see which suit the creature) or a gait file, see docs/gaits.md.\n\
    Output by ending: .glb or .gltf (a glTF creature's own file with the clip in it, else a body of ours), .bvh, .json, .npz (NumPy); .png or .svg (a film strip), .gif or .apng (a loop).\n\
    M=… is the number of a mode as `gambol modes` counts them. Of --speed, --stride and --frequency two decide.\n\
    A script has acts between commas: idle 1 (s), walk 3 @1.2 (3 s at 1.2 m/s), go 4 @3 (by the gait that suits the speed), run 2 left 40 (degrees per second), turn right 90, jump 0.3 far 0.8 (m), stop; `in 0.8` says how long an act takes to come about.\n\n\
    Examples:\n  gambol animate dog\n  gambol animate dog trot -o trot.glb -o trot.gif\n  \
    gambol animate dog walk --speed 0.8 --injured hind.left --report\n  \
    gambol animate dog trot --forces -o trot-forces.png\n  \
    gambol animate human walk --terrain slope:8 --weight 1.4 -o uphill.bvh\n  \
    gambol animate dog trot --amplitude 9=0.5 --offset 6=-0.1 --save-gait my-trot.toml\n  \
    gambol animate dog walk --prefer 7,9 --avoid 12\n  \
    gambol animate human walk --bend knee.left=25 --bend knee.right=25 -o crouched.gif\n  \
    gambol animate dog my-trot.toml --turn 20 --seconds 4 -o circle.glb\n  \
    gambol animate fox.glb walk trot -o fox-alive.glb\n  \
    gambol animate fox.glb walk --rig fox.toml --root-motion in-place -o fox-game.glb\n  \
    gambol animate horse.glb walk gallop --tempo own -o horse-alive.glb\n  \
    gambol animate actor.bvh walk --height 1.8 -o actor-walks.gif\n  \
    gambol animate human --script \"idle 1, walk 3 @1.2, run 4 @3, stop\" -o go.glb\n  \
    gambol animate fox.glb --set locomotion -o fox-game.glb"
)]
#[allow(clippy::struct_excessive_bools)] // each is an option of its own
pub(crate) struct Animate {
    #[command(flatten)]
    creature: CreatureArguments,

    /// A name, or a gait file (.toml); a glTF creature's own file takes several
    #[arg(value_name = "GAIT")]
    gaits: Vec<String>,

    /// What it does, one act after another, as one clip; see below
    #[arg(
        long,
        value_name = "ACTS",
        conflicts_with_all = ["gaits", "save_gait", "speed", "stride", "frequency", "duty", "turn", "terrain", "no_ground",
            "seconds", "amplitude", "offset", "phase", "prefer", "avoid"]
    )]
    script: Option<String>,

    /// All clips that a game needs, in one file: standing, going, turning, starting, stopping, a jump
    #[arg(
        long,
        value_enum,
        value_name = "SET",
        conflicts_with_all = ["gaits", "script", "save_gait", "speed", "stride", "frequency", "duty", "turn", "terrain",
            "no_ground", "seconds", "amplitude", "offset", "phase", "prefer", "avoid"]
    )]
    set: Option<SetChoice>,

    /// Write the clip; may be given several times
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Write the gait itself, as a file to edit and to animate again
    #[arg(long, value_name = "FILE.toml")]
    save_gait: Option<PathBuf>,

    /// Print what was measured: modes, speed, footfalls, slip, limits, and what forces the motion takes
    #[arg(long)]
    report: bool,

    /// Show the forces on the feet under a film strip (.png, .svg), and in red what no foot could give
    #[arg(long)]
    forces: bool,

    /// Print the same as one JSON object
    #[arg(long)]
    json: bool,

    /// Replace existing files
    #[arg(long)]
    force: bool,

    #[command(flatten, next_help_heading = "Ground and time")]
    ground: GroundArguments,

    #[command(flatten, next_help_heading = "Motion, mode by mode")]
    motion: MotionArguments,

    #[command(flatten, next_help_heading = "Style")]
    style: StyleArguments,
}

/// How it goes over the ground, and for how long.
#[derive(Args)]
struct GroundArguments {
    /// m/s
    #[arg(long, value_name = "V", value_parser = settings::at_least_0, allow_negative_numbers = true)]
    speed: Option<f64>,

    /// Length of a stride (a whole cycle), m
    #[arg(long, value_name = "L", value_parser = positive, allow_negative_numbers = true)]
    stride: Option<f64>,

    /// Strides per second, Hz
    #[arg(long, value_name = "F", value_parser = positive, allow_negative_numbers = true)]
    frequency: Option<f64>,

    /// Share of the cycle that a foot stands, above 0 and at most 1
    #[arg(long, value_name = "D", value_parser = share, allow_negative_numbers = true)]
    duty: Option<f64>,

    /// Turn to the left, degrees per second
    #[arg(long, value_name = "DEG/S", value_parser = turn_rate, allow_negative_numbers = true)]
    turn: Option<f64>,

    /// flat, slope:DEGREES, or a picture whose brightness is height: FILE.png:SIZE,HEIGHT (m; 10,0.3 if not given)
    #[arg(long, value_name = "TERRAIN", value_parser = settings::ground)]
    terrain: Option<Ground>,

    /// Leave the ground away: the vibrations alone, in the air
    #[arg(long, conflicts_with_all = ["speed", "stride", "turn", "terrain", "duty"])]
    no_ground: bool,

    /// Length of the clip, made a whole number of strides; one stride if not given
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    seconds: Option<f64>,

    /// Keys per second, made to divide the stride
    #[arg(long, value_name = "F", default_value_t = 60.0, value_parser = rate, allow_negative_numbers = true)]
    fps: f64,

    /// How fast all goes: as the creature's size has it, or as the gaits among a glTF file's own clips do
    #[arg(long, value_enum, default_value_t = TempoChoice::Size)]
    tempo: TempoChoice,

    /// Whether the creature travels in the files, or stays in place for a game to lead it
    #[arg(long, value_enum, default_value_t = RootMotion::Travel)]
    root_motion: RootMotion,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RootMotion {
    /// over the ground
    Travel,
    /// on the spot
    InPlace,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SetChoice {
    /// on its legs: every loop begins with the same foot, what starts ends as its loop begins
    Locomotion,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TempoChoice {
    /// by the length of its legs, under the gravity of the earth
    Size,
    /// in step with its own clips: gravity is made so strong, or so weak, that their cadence is that of its size
    Own,
}

impl From<RootMotion> for gambol_formats::clip::RootMotion {
    fn from(root_motion: RootMotion) -> Self {
        match root_motion {
            RootMotion::Travel => Self::Travel,
            RootMotion::InPlace => Self::InPlace,
        }
    }
}

/// The components, mode by mode.
#[derive(Args)]
struct MotionArguments {
    /// How far a mode swings, rad of the joint that moves most; a mode that the gait does not use is added
    #[arg(long, value_name = "M=A")]
    amplitude: Vec<ModeValue>,

    /// A lasting offset of the posture along a mode, rad
    #[arg(long, value_name = "M=B")]
    offset: Vec<ModeValue>,

    /// When in the cycle a mode swings, degrees
    #[arg(long, value_name = "M=DEG")]
    phase: Vec<ModeValue>,

    /// Modes to be seen in the gait, whether it would use them or not: 7,9
    #[arg(long, value_name = "M,M", value_delimiter = ',', value_parser = settings::mode)]
    prefer: Vec<usize>,

    /// Modes that the gait must not use
    #[arg(long, value_name = "M,M", value_delimiter = ',', value_parser = settings::mode)]
    avoid: Vec<usize>,
}

/// What is changed of the body; each replaces what the gait file says.
#[derive(Args)]
struct StyleArguments {
    /// The rest pose: one that the creature's file names, or `reference`
    #[arg(long, value_name = "NAME")]
    pose: Option<String>,

    /// Bend a joint of that pose, degrees (m of a slide): knee.left=30; of a ball joint three numbers, axis times angle;
    /// may be given several times
    #[arg(long, value_name = "JOINT=DEG[,DEG,DEG]", value_parser = settings::bend)]
    bend: Vec<(String, Vec<f64>)>,

    /// One stiffness for all joints, N·m/rad or N/m
    #[arg(long, value_name = "K", value_parser = positive, allow_negative_numbers = true)]
    stiffness: Option<f64>,

    /// Multiply the stiffness of the joints whose name matches: 'spine.*=5'; may be given several times
    #[arg(long, value_name = "PATTERN=F", value_parser = settings::scale)]
    scale: Vec<(String, f64)>,

    /// A constraint of the vibrations, as in `gambol modes`; may be given several times
    #[arg(long, value_name = "C")]
    constrain: Vec<String>,

    /// Times the mass: a heavier creature crouches, a lighter one stretches up
    #[arg(long, value_name = "F", value_parser = positive, allow_negative_numbers = true)]
    weight: Option<f64>,

    /// Times the stiffness at the same energy: above 1 tense, below 1 relaxed
    #[arg(long, value_name = "F", value_parser = positive, allow_negative_numbers = true)]
    tension: Option<f64>,

    /// A leg that is hurt, by its foot: hind.left; may be given several times
    #[arg(long, value_name = "LEG")]
    injured: Vec<String>,
}

impl StyleArguments {
    fn apply(&self, creature: &Creature, style: &mut Style) {
        fn replace<T: Clone>(own: &mut Vec<T>, given: &[T]) {
            if !given.is_empty() {
                *own = given.to_vec();
            }
        }
        style.pose = self.pose.clone().or(style.pose.take());
        replace(&mut style.bend, &self.bend(creature));
        style.stiffness = self.stiffness.or(style.stiffness);
        replace(&mut style.scale, &self.scale);
        replace(&mut style.constraints, &self.constrain);
        style.weight = self.weight.unwrap_or(style.weight);
        style.tension = self.tension.unwrap_or(style.tension);
        replace(&mut style.injured, &self.injured);
    }

    /// Degrees to radians, but for what slides.
    fn bend(&self, creature: &Creature) -> Vec<(String, Vec<f64>)> {
        let slides = |name: &str| {
            creature.joints().iter().any(|joint| joint.name == name && joint.kind == JointKind::Slide)
        };
        let turned = |(joint, by): &(String, Vec<f64>)| {
            let unit = if slides(joint) { 1.0 } else { 1_f64.to_radians() };
            (joint.clone(), by.iter().map(|number| number * unit).collect())
        };
        self.bend.iter().map(turned).collect()
    }
}

/// A gait as it was played.
struct Show {
    /// What its own clips made of gravity, if they did.
    felt: Option<Felt>,
    body: Body,
    gait: Gait,
    /// What each of its components does.
    names: Vec<String>,
    performance: Performance,
}

impl From<GaitError> for Failure {
    fn from(error: GaitError) -> Self {
        Self::hinted(&error)
    }
}

impl Animate {
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        let Self { motion, .. } = self;
        let (prefer, avoid) = (motion.prefer.clone(), motion.avoid.clone());
        let wish = Wish { prefer, avoid, ..self.ground.wish()? };
        let mut inputs = self.creature.inputs();
        inputs.extend(self.gaits.iter().map(Path::new));
        let outputs = Outputs::check(&self.output, self.save_gait.as_deref(), &inputs, self.force)?;
        let script: Option<Script> = self.script.as_deref().map(str::parse).transpose()?;
        self.creature.refuse_plant()?;
        let (creature, rig) = self.creature.load_rig()?;
        if self.gaits.is_empty() && script.is_none() && self.set.is_none() {
            return self.list(out, creature);
        }
        let several = if self.set.is_some() { 2 } else { self.gaits.len() };
        outputs.fit(several, rig.is_some())?;
        let (creature, felt) = self.at_tempo(creature, rig.as_ref())?;
        if let Some(script) = script {
            return self.play_script(out, (&creature, rig.as_ref()), &outputs, &script);
        }
        if let Some(SetChoice::Locomotion) = self.set {
            return self.play_set(out, (&creature, rig.as_ref()), &outputs);
        }

        let shows = self.gaits.iter().map(|name| self.show(&creature, felt.as_ref(), name, &wish));
        let shows = shows.collect::<Result<Vec<Show>, Failure>>()?;
        self.write(&outputs, &shows, rig.as_ref())?;
        let warnings = shows.iter().flat_map(|show| show.performance.warnings.iter().cloned());
        tell(&creature, rig.as_ref(), warnings);
        let json = |show| -> report::ReportJson { report::json(show) };
        match shows.as_slice() {
            [show] if self.json => return write_json(out, &json(show)),
            shows if self.json => return write_json(out, &shows.iter().map(json).collect::<Vec<_>>()),
            _ => (),
        }
        if self.report || self.output.is_empty() {
            shows.iter().try_for_each(|show| report::write(out, show))?;
        }
        Ok(())
    }

    /// The creature as its own clips have it, if that is asked for; else a word where they have it quite otherwise.
    fn at_tempo(
        &self,
        mut creature: Creature,
        rig: Option<&Rig>,
    ) -> Result<(Creature, Option<Felt>), Failure> {
        let own = self.ground.tempo == TempoChoice::Own;
        let Some(rig) = rig else {
            let file = &self.creature.creature;
            return if own {
                Err(Failure::Failed(format!(
                    "--tempo own: {file} is no glTF file, which alone has clips of its own"
                )))
            } else {
                Ok((creature, None))
            };
        };
        match felt_tempo(self.creature.file(), &self.creature.options()?, (&creature, rig)) {
            Ok(felt) if own => {
                felt.apply(&mut creature)?;
                Ok((creature, Some(felt)))
            }
            Ok(felt) => {
                if felt.differs(&FeltSettings::default()) {
                    eprintln!("gambol: {}; --tempo own goes in step with its clips", felt.offer());
                }
                Ok((creature, None))
            }
            Err(error) if own => {
                Err(Failure::Failed(format!("--tempo own: {error}; leave it out to go by its size")))
            }
            // Who does not ask for clips is not told what is wrong with them.
            Err(_) => Ok((creature, None)),
        }
    }

    /// One gait, played.
    fn show(
        &self,
        creature: &Creature,
        felt: Option<&Felt>,
        name: &str,
        wish: &Wish,
    ) -> Result<Show, Failure> {
        let mut warnings = Vec::new();
        let mut data = Data::new(creature);
        let restyle = |style: &mut Style| self.style.apply(creature, style);
        let terrain = self.ground.terrain.as_ref().map(Ground::read_smooth).transpose()?;
        let tries = tries::Tries::of(name);
        let adjust = |body: &Body, gait: &mut Gait| {
            tries.one_more();
            gait.creature = Some(self.creature.creature.clone());
            self.motion.apply(body, gait)?;
            self.ground.apply(gait, terrain.as_ref());
            Ok(())
        };
        let sampling = Sampling { seconds: self.ground.seconds, fps: self.ground.fps };
        let Believed { body, design, mut performance, .. } = if is_file(name) {
            let gait = read_gait(Path::new(name))?;
            warnings.extend(self.stranger(name, &gait, creature));
            let (body, mut design) = adopt(creature.clone(), &mut data, gait, restyle, wish)?;
            adjust(&body, &mut design.gait)?;
            let performance = perform(&body, &mut data, &design.gait, &sampling)?;
            Believed { body, design, performance, replaced: false }
        } else {
            perform_believed(creature, &mut data, name, &restyle, wish, &adjust, &sampling)?
        };
        warnings.extend(design.hints);
        performance.warnings.splice(0..0, warnings);
        performance.warnings.extend(doubt(&body, &performance));
        let names = mode_names(&body, &mut data, &design.gait)?;
        Ok(Show { felt: felt.cloned(), body, gait: design.gait, names, performance })
    }

    /// Everything is made before anything is written.
    fn write(&self, outputs: &Outputs, shows: &[Show], rig: Option<&Rig>) -> Result<(), Failure> {
        let [Show { body, gait, names, .. }, ..] = shows else { return Ok(()) };
        let clips: Vec<Clip> = shows.iter().map(|show| show.performance.clip.clone()).collect();
        let mut ready = self.rendered(outputs, body, &gait.ground.terrain, &clips, rig)?;
        if let Some(path) = outputs.gait {
            ready.push((path, to_toml(gait, names).into_bytes()));
        }
        write_files(&ready, self.force)?;
        outputs.tell(&clips, &[body.creature.name(), &gait.name]);
        if let Some(path) = outputs.gait {
            written::tell(path, &format!("1 gait, {}", written::count(gait.components.len(), "mode")));
        }
        Ok(())
    }

    /// The bytes of all files that clips are asked for in.
    fn rendered<'o>(
        &self,
        outputs: &'o Outputs,
        body: &Body,
        terrain: &Terrain,
        clips: &[Clip],
        rig: Option<&Rig>,
    ) -> Result<Vec<(&'o Path, Vec<u8>)>, Failure> {
        let [clip, ..] = clips else { return Ok(Vec::new()) };
        let (creature, root_motion) = (&body.creature, self.ground.root_motion.into());
        let (input, options) = (self.creature.file(), self.creature.options()?);
        let mut ready = Vec::new();
        for (path, format) in &outputs.clips {
            let bytes = match rig.filter(|_| format.is_gltf()) {
                Some(rig) => {
                    let (file, rig) = ((*format, path.as_path()), (rig, input, &options));
                    render::to_rig_bytes(file, rig, creature, clips, root_motion)
                }
                None if format.is_gltf() => render_clips(creature, clips, root_motion),
                None if self.forces && matches!(format, Format::Png | Format::Svg) => {
                    let settings = (&body.settings.forces, &body.settings.stances);
                    let mut data = Data::new(creature);
                    let forces = forces(creature, &mut data, &body.legs, terrain, clip, settings)
                        .map_err(|error| Failure::Failed(format!("no forces can be shown: {error}")))?;
                    render_forces(*format, creature, Some(terrain), clip, &forces)
                }
                None => render::to_bytes(*format, creature, Some(terrain), clip, root_motion),
            };
            let bytes = bytes.map_err(|reason| Failure::Failed(format!("{}: {reason}", path.display())))?;
            ready.push((path.as_path(), bytes));
        }
        Ok(ready)
    }

    /// A word about a gait that was made for another creature.
    fn stranger(&self, file: &str, gait: &Gait, creature: &Creature) -> Option<String> {
        let made_for = gait.creature.as_deref()?;
        let is_it = made_for == self.creature.creature || made_for == creature.name();
        let name = creature.name();
        (!is_it).then(|| {
            format!("{file} was made for {made_for}; the same modes of {name} may move it otherwise")
        })
    }

    /// Which gaits suit the creature, and why others do not.
    fn list(&self, out: &mut impl Write, creature: Creature) -> Result<(), Failure> {
        #[derive(Serialize)]
        struct Row {
            name: String,
            suits: bool,
            reason: Option<String>,
        }
        if !self.output.is_empty() || self.save_gait.is_some() || self.report {
            return Err(Failure::Failed(
                "which gait? Without -o, --save-gait and --report they are listed".into(),
            ));
        }
        let mut style = Style::default();
        self.style.apply(&creature, &mut style);
        let mut data = Data::new(&creature);
        let body = Body::new(creature, &mut data, &style)?;
        let reason = |error: GaitError| match error {
            GaitError::DoesNotFit { reason, .. } => told(&reason),
            other => told(&other),
        };
        let gaits = gaits_for(&body, &mut data).into_iter();
        let rows: Vec<Row> = gaits
            .map(|(name, suits)| Row { name, suits: suits.is_ok(), reason: suits.err().map(reason) })
            .collect();
        if self.json {
            return write_json(out, &rows);
        }
        let suits: Vec<&str> = rows.iter().filter(|row| row.suits).map(|row| row.name.as_str()).collect();
        writeln!(out, "{} can {}", body.creature.name(), suits.join(", "))?;
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(["it cannot", "because"]);
        for row in &rows {
            if let Some(reason) = &row.reason {
                table.add_row([&row.name, reason]);
            }
        }
        if suits.len() < rows.len() {
            writeln!(out, "\n{table}")?;
        }
        Ok(())
    }
}

impl GroundArguments {
    /// What is asked of a gait; two of speed, stride and frequency decide the third.
    fn wish(&self) -> Result<Wish, Failure> {
        let (mut speed, mut frequency) = (self.speed, self.frequency);
        match (self.speed, self.stride, self.frequency) {
            (Some(v), Some(l), Some(f)) if (v - l * f).abs() > 1e-6 * v.abs() => {
                let message = format!(
                    "a stride of {l} m at {f} Hz makes {} m/s, not {v}; leave one of them out",
                    l * f
                );
                return Err(Failure::Failed(message));
            }
            (Some(0.0), Some(_), None) => {
                return Err(Failure::Failed("a stride takes for ever at a speed of 0".to_owned()));
            }
            (Some(v), Some(l), None) => frequency = Some(v / l),
            (None, Some(l), Some(f)) => speed = Some(l * f),
            _ => (),
        }
        Ok(Wish { speed, frequency, stride_length: self.stride, duty: self.duty, ..Wish::default() })
    }

    fn apply(&self, gait: &mut Gait, terrain: Option<&Terrain>) {
        if self.no_ground {
            gait.ground.support = Support::Air;
        }
        gait.ground.turn = self.turn.unwrap_or(gait.ground.turn);
        if let Some(terrain) = terrain {
            gait.ground.terrain = terrain.clone();
        }
    }
}

impl MotionArguments {
    fn apply(&self, body: &Body, gait: &mut Gait) -> Result<(), GaitError> {
        for ModeValue { mode, value } in &self.amplitude {
            gait.set_amplitude(body, *mode, *value)?;
        }
        for ModeValue { mode, value } in &self.offset {
            gait.set_offset(body, *mode, *value)?;
        }
        for ModeValue { mode, value } in &self.phase {
            gait.set_phase(body, *mode, value.to_radians())?;
        }
        Ok(())
    }
}

/// What was guessed, and what a user should know.
fn tell(creature: &Creature, rig: Option<&Rig>, warnings: impl Iterator<Item = String>) {
    for note in rig.iter().flat_map(|rig| &rig.notes) {
        eprintln!("gambol: guessed: {}", told(note));
    }
    for warning in creature.warnings().iter().map(told).chain(warnings) {
        eprintln!("gambol: warning: {warning}");
    }
}

/// Why gravity would not believe it, if so.
fn doubt(body: &Body, performance: &Performance) -> Option<String> {
    performance.forces.as_ref().and_then(|forces| forces.doubt(body.settings.forces.believed))
}

/// In words what each component does.
fn mode_names(body: &Body, data: &mut Data, gait: &Gait) -> Result<Vec<String>, Failure> {
    let reader = Reader::new(&body.creature, data, body.basis.mean())?;
    let modes = gait.components.iter().map(|component| &body.basis.directions()[component.mode]);
    Ok(modes.map(|mode| reader.read(data, mode).name).collect())
}

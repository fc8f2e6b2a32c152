//! Controllers as TOML files: the sketch they came from, and the numbers of a stride in a table `[stride]`.

use std::fmt::Write as _;

use gambol_formats::toml_file::{ABOVE_0, FileError, Section, digits, parse, quoted};
use gambol_model::{Creature, Joint};

use super::{Stride, StrideSearch};
use crate::search::Outcome;
use crate::sketch::{Active, SHARE, Sketch, Stage, read, written};

/// How a stride was found, for whoever reads the file; nothing depends on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// `converged`, `stopped`, or `stalled` with what is violated most and by how much.
    pub status: String,
    /// Of the search.
    pub seed: u64,
    /// Cycles that were simulated.
    pub evaluations: usize,
    /// Mean, forward, m/s.
    pub speed: f64,
    /// E_e, N²m².
    pub effort: f64,
    /// The largest gap in parts of its tolerance.
    pub gap: f64,
}

impl Found {
    /// How the nearest stride of a search was found; none before there is one.
    pub fn of(search: &StrideSearch, outcome: &Outcome) -> Option<Self> {
        let (_, score) = search.nearest()?;
        let status = match outcome {
            Outcome::Converged => "converged".to_owned(),
            Outcome::Stopped => "stopped".to_owned(),
            Outcome::Stalled { constraint, by } => format!("stalled: {constraint} violated by {by:.3}"),
        };
        Some(Self {
            status,
            seed: search.settings().seed,
            evaluations: search.evaluations(),
            speed: score.speed,
            effort: score.effort,
            gap: search.largest_gap(score),
        })
    }
}

/// Whether a text is that of a controller rather than of a sketch or a gait: it has a table `[stride]`.
pub fn is_controller(text: &str) -> bool {
    parse(text).is_ok_and(|document| document.get_ref().contains_key("stride"))
}

/// Reads a controller and prepares the creature that its sketch names, as `find` gives it: sketch, stage, stride, and the
/// length of the steps of the simulation that it was found with, s. Mistakes are told with their lines.
pub fn read_controller(
    text: &str,
    find: impl FnOnce(&str) -> Result<Creature, String>,
) -> Result<(Sketch, Stage, Stride, f64), FileError> {
    let document = parse(text)?;
    let root = Section::new(text, "a controller", &document);
    let Some(section) = root.table("stride", "[stride]")? else {
        return Err(root.error("[stride] is missing; gambol optimize makes a controller of a sketch"));
    };
    let (sketch, stage) = read(text, find)?;
    root.table("found", "[found]")?;
    section.only(&["step", "period", "flight_share", "bursts", "pose", "velocity", "flight", "ground"])?;
    let above_0 = |key: &str| {
        section.number(key, ABOVE_0)?.ok_or_else(|| section.error(format!("{key} is missing (s)")))
    };
    let step = above_0("step")?;
    let period = above_0("period")?;
    let flight_share =
        section.number("flight_share", SHARE)?.ok_or_else(|| section.error("flight_share is missing"))?;
    let bursts = bursts(&section)?;
    let creature = &stage.creature;
    let coordinates = |what: &str| format!("{what} of {}", creature.name());
    let q = numbers(&section, "pose", creature.nq(), &coordinates("coordinates"))?;
    let v = numbers(&section, "velocity", creature.nv(), &coordinates("velocities"))?;
    let modes = |key: &str, active: &[Active]| {
        numbers(&section, key, active.len(), &format!("permissible modes in [{key}]"))
    };
    let (flight, ground) = (modes("flight", &stage.active[0])?, modes("ground", &stage.active[1])?);
    let q = of_unit_length(creature, &q).map_err(|reason| section.error_at("pose", reason))?;
    let stride = Stride { q, v, flight, ground, bursts, period, flight_share };
    Ok((sketch, stage, stride, step))
}

fn bursts(section: &Section) -> Result<[f64; 2], FileError> {
    let list = section.numbers("bursts")?.ok_or_else(|| section.error("bursts is missing"))?;
    match <[f64; 2]>::try_from(list) {
        Ok(bursts) if bursts.iter().all(|burst| *burst > 0.0) => Ok(bursts),
        _ => Err(section.error_at("bursts", "they are two lengths above 0, in flight and on the ground (s)")),
    }
}

/// So many numbers; `what` they are says whose.
fn numbers(section: &Section, key: &str, count: usize, what: &str) -> Result<Vec<f64>, FileError> {
    let list = section.numbers(key)?.ok_or_else(|| section.error(format!("{key} is missing")))?;
    if list.len() == count {
        return Ok(list);
    }
    let reason = format!("{} numbers for {count} {what}; is it of another creature?", list.len());
    Err(section.error_at(key, reason))
}

/// Largest error of a quaternion's numbers that is left as it is, so that a pose comes back bit for bit.
const ROUNDED: f64 = 1e-9;

/// The pose, with quaternions that a person wrote made of unit length.
fn of_unit_length(creature: &Creature, q: &[f64]) -> Result<Vec<f64>, String> {
    let checked = creature.checked_pose("it", q).map_err(|error| error.to_string())?;
    let apart = q.iter().zip(&checked).map(|(given, unit)| (given - unit).abs()).fold(0.0, f64::max);
    Ok(if apart < ROUNDED { q.to_vec() } else { checked })
}

/// Writes a controller: `stride` of `sketch`, found in a simulation with steps of `step`, s. All numbers come back bit for bit.
pub fn controller_to_toml(
    sketch: &Sketch,
    stage: &Stage,
    stride: &Stride,
    step: f64,
    found: Option<&Found>,
) -> String {
    let about =
        "A controller: the sketch it was found from, and [stride], what was found (docs/controllers.md).";
    let mut out = written(sketch, about);
    let mut line = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    let explained = |text: String, comment: &str| format!("{text:<36} # {comment}");
    line("\n[stride]");
    line(&explained(format!("step = {}", digits(step)), "of the simulation, s"));
    line(&explained(format!("period = {}", digits(stride.period)), "s"));
    line(&explained(format!("flight_share = {}", digits(stride.flight_share)), "of a foot's cycle"));
    let [flight, ground] = stride.bursts.map(digits);
    line(&explained(format!("bursts = [{flight}, {ground}]"), "of torque in flight and on the ground, s"));
    let creature = &stage.creature;
    let of_joints = |numbers: &[f64], part: fn(&Joint) -> std::ops::Range<usize>| {
        let row = |joint: &Joint| (numbers[part(joint)].to_vec(), joint.name.clone());
        creature.joints().iter().map(row).collect::<Vec<_>>()
    };
    let of_modes = |numbers: &[f64], active: &[Active]| {
        let row = |(active, number): (&Active, &f64)| (vec![*number], format!("mode {}", active.mode));
        active.iter().zip(numbers).map(row).collect::<Vec<_>>()
    };
    let pose = of_joints(&stride.q, |joint| joint.q..joint.q + joint.kind.nq());
    let velocity = of_joints(&stride.v, |joint| joint.v..joint.v + joint.kind.nv());
    line(&list("pose", "at the start, m and rad, quaternions w x y z", &pose));
    line(&list("velocity", "at the start, m/s and rad/s", &velocity));
    line(&list("flight", "amplitudes, rad", &of_modes(&stride.flight, &stage.active[0])));
    line(&list("ground", "amplitudes, rad", &of_modes(&stride.ground, &stage.active[1])));
    if let Some(Found { status, seed, evaluations, speed, effort, gap }) = found {
        line("\n[found]");
        line(&format!("status = {}", quoted(status)));
        line(&explained(format!("seed = {seed}"), "of the search"));
        line(&explained(format!("evaluations = {evaluations}"), "cycles that were simulated"));
        for (name, number, comment) in [
            ("speed", speed, "on average, m/s"),
            ("effort", effort, "mean of the sum of squared torques, N²m²"),
            ("gap", gap, "the largest, in tolerances"),
        ] {
            if number.is_finite() {
                line(&explained(format!("{name} = {}", digits(*number)), comment));
            }
        }
    }
    out
}

/// A list of numbers with a line for each row, and what the row is.
fn list(key: &str, about: &str, rows: &[(Vec<f64>, String)]) -> String {
    let mut out = format!("{key} = [ # {about}\n");
    for (numbers, name) in rows {
        let numbers: Vec<String> = numbers.iter().map(|number| digits(*number) + ",").collect();
        let numbers = numbers.join(" ");
        let name: String = name.chars().filter(|letter| !letter.is_control()).collect();
        let _ = writeln!(out, "  {numbers:<25} # {name}"); // a String takes all
    }
    out.push(']');
    out
}

//! `gambol roam`: a creature that goes where it is told, by its own torques.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use gambol_control::Event;
use gambol_control::legged::{CATCHES, CHANGES, Errand, RoamMemory, Timed};
use gambol_dynamics::Springs;
use serde::Serialize;

use super::legged::Balancing;
use super::{RunArguments, Scene};
use crate::Failure;
use crate::gait_file::read_errand;
use crate::settings::{at_least_0, finite, positive};

/// Lets a creature on legs go where it is told, by its own torques
#[derive(Args)]
#[command(
    after_help = "It begins by standing. Speeds, turns and headings hold from their time on; the gait follows the speed. Targets are gone to one\n\
    after another, faster the further they are; a ball rolls on whenever it is nearly reached. A push at `front` or `hind` is one at the\n\
    body that those legs hang on. It ends with 3 if the creature fell. See docs/roam.md.\n\n\
    Examples:\n  gambol roam dog --speed 0.8@1 --speed 2@5 --turn 30@8 --seconds 12 -o roams.glb\n  \
    gambol roam dog --target 4,1 --target 0,3 --seconds 30 --json\n  \
    gambol roam dog --ball 3,0 --seconds 60 --torque-limit 100 --report\n  \
    gambol roam human --gait walk --speed 1.2 --heading 90@4 -o walks.gif\n  \
    gambol roam dog errand.toml --push front:0,80,0@3+0.3"
)]
pub(crate) struct RoamVerb {
    #[command(flatten)]
    run: RunArguments,

    /// Speeds, turns, headings, targets and a ball as a file (docs/formats.md); options add to it
    #[arg(value_name = "ROAM.toml")]
    errand: Option<PathBuf>,

    /// How fast, m/s, from a time on (s; from the start if not given); may be given several times
    #[arg(long, value_name = "V@T", value_parser = speed, allow_negative_numbers = true)]
    speed: Vec<Timed>,

    /// Turn to the left, degrees a second, from a time on; may be given several times
    #[arg(long, value_name = "DEG@T", value_parser = degrees, allow_hyphen_values = true)]
    turn: Vec<Timed>,

    /// Head so many degrees to the left of where it faced at first, from a time on; may be given several times
    #[arg(long, value_name = "DEG@T", value_parser = degrees, allow_hyphen_values = true)]
    heading: Vec<Timed>,

    /// Go to a place (m), then to the next; may be given several times
    #[arg(long, value_name = "X,Y", value_parser = place, allow_hyphen_values = true)]
    target: Vec<[f64; 2]>,

    /// Run after a ball that lies there (m), and rolls on when it is nearly reached; --seed says how
    #[arg(long, value_name = "X,Y", value_parser = place, allow_hyphen_values = true)]
    ball: Option<[f64; 2]>,

    /// The one gait for all speeds, or auto: the gait that suits the speed
    #[arg(long, value_name = "NAME", default_value = "auto")]
    gait: String,

    /// Largest torque of every joint, N·m (of a slide: force, N); as much as it takes if not given
    #[arg(long, value_name = "NM", value_parser = positive, allow_negative_numbers = true)]
    torque_limit: Option<f64>,
}

/// `VALUE@TIME`, or a value from the start on.
fn timed(text: &str, value: impl Fn(&str) -> Result<f64, String>) -> Result<Timed, String> {
    let (number, time) = text.split_once('@').unwrap_or((text, "0"));
    Ok(Timed { time: at_least_0(time)?, value: value(number)? })
}

fn speed(text: &str) -> Result<Timed, String> {
    timed(text, at_least_0)
}

fn degrees(text: &str) -> Result<Timed, String> {
    timed(text, |text| finite(text).map(f64::to_radians))
}

fn place(text: &str) -> Result<[f64; 2], String> {
    let (x, y) = text.split_once(',').ok_or("expected X,Y, for example 4,-1.5")?;
    Ok([finite(x)?, finite(y)?])
}

impl RoamVerb {
    pub(crate) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        let (outputs, creature, rig) = self.run.begin(self.errand.as_deref())?;
        let errand = self.errand()?;
        let fastest = errand.speeds.iter().map(|timed| timed.value).reduce(f64::max);
        let pursues = !errand.targets.is_empty() || errand.ball.is_some();
        let wish = gambol::RoamWish {
            gait: (self.gait != "auto").then(|| self.gait.clone()),
            fastest: if pursues { None } else { fastest.or(Some(0.0)) },
            torque_limit: self.torque_limit,
            errand,
        };
        let roaming = gambol::roam(&creature, &wish).map_err(|error| Failure::hinted(&error))?;
        let scene = Scene {
            balancing: Some(Balancing::roaming(&roaming)),
            creature: roaming.walker.creature,
            controller: Box::new(roaming.controller),
            start: roaming.walker.start,
            terrain: None,
            warnings: roaming.warnings,
            waves: Vec::new(),
            cycles: None,
            name: "roam".to_owned(),
        };
        self.run.finish(&outputs, scene, Springs::Elastic, rig.as_ref(), out)
    }

    /// What the file says, and then the options.
    fn errand(&self) -> Result<Errand, Failure> {
        let mut errand = self.errand.as_deref().map_or_else(|| Ok(Errand::default()), read_errand)?;
        errand.speeds.extend(&self.speed);
        errand.turns.extend(&self.turn);
        errand.headings.extend(&self.heading);
        errand.targets.extend(&self.target);
        if let Some(place) = self.ball {
            errand.ball = Some((place, self.run.time.seed));
        }
        for list in [&mut errand.speeds, &mut errand.turns, &mut errand.headings] {
            list.sort_by(|a, b| a.time.total_cmp(&b.time));
        }
        Ok(errand)
    }
}

/// What is told of a creature that went where it was told, besides what is told of all that balance.
#[derive(Serialize)]
pub(super) struct RoamJson {
    /// In the order in which they came.
    gaits: Vec<GaitJson>,
    /// Targets and balls that were reached, and when, s.
    caught: usize,
    caught_at: Vec<f64>,
}

#[derive(Serialize)]
struct GaitJson {
    gait: String,
    /// s
    from: f64,
}

impl RoamJson {
    pub(super) fn new(names: &[String], memory: &RoamMemory, events: &[Event]) -> Self {
        let first = GaitJson { gait: names.first().cloned().unwrap_or_default(), from: 0.0 };
        let changes = events.iter().filter(|event| event.what == CHANGES);
        let then = changes.map(|event| GaitJson { gait: names[event.which].clone(), from: event.time });
        let catches = events.iter().filter(|event| event.what == CATCHES);
        Self {
            gaits: std::iter::once(first).chain(then).collect(),
            caught: memory.caught,
            caught_at: catches.map(|event| event.time).collect(),
        }
    }
}

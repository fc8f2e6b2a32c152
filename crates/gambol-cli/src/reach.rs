//! `gambol reach`: a creature pulled by its limbs, as a pose.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use comfy_table::Table;
use gambol_dynamics::{Data, Goal};
use gambol_formats::write_file;
use gambol_gait::{Body, Reach, Style};
use gambol_model::{BodyPoint, Creature, Vec3};
use serde::Serialize;

use super::creature::CreatureArguments;
use super::settings::finite;
use super::table::plain;
use super::{Failure, write_json};

/// Pulls a creature by its limbs into another pose: its joints give way as their springs would
#[derive(Args)]
#[command(
    after_help = "Who pulls at the trunk moves it over its standing feet; else the trunk stays. What is out of reach is missed as little as possible.\n\
                  The pose is for --qpos of other commands; the bends are for [style.bend] of a gait file (docs/gaits.md).\n\n\
                  Examples:\n  gambol reach human --pull hand.left:0.4,0.3,1.2\n  \
                  gambol reach dog --pull head:0.6,0,0.3 --modes 20\n  \
                  gambol reach dog --pull head:0.6,0,0.3 --pull foot.front.left:0.4,0.1,0.1 -o sniff.json\n  \
                  gambol modes dog --qpos sniff.json"
)]
pub(super) struct ReachVerb {
    #[command(flatten)]
    creature: CreatureArguments,

    /// A landmark or a body, and where it shall be, in metres of the world; may be given several times
    #[arg(long, value_name = "NAME:X,Y,Z", value_parser = pull, required = true, allow_hyphen_values = true)]
    pull: Vec<Pull>,

    /// Bend only along so many of its lowest vibrations, and as little as these can; all joints by their springs if not given
    #[arg(long, value_name = "COUNT")]
    modes: Option<usize>,

    /// The pose to begin with; the reference pose if not given
    #[arg(long, value_name = "NAME")]
    pose: Option<String>,

    /// Write the pose, a JSON array of nq numbers
    #[arg(short, long, value_name = "FILE.json")]
    output: Option<PathBuf>,

    /// Print pose, bends and miss as one JSON object
    #[arg(long)]
    json: bool,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// A pull as it is written.
#[derive(Clone)]
struct Pull {
    name: String,
    target: Vec3,
}

fn pull(text: &str) -> Result<Pull, String> {
    let wanted = "expected NAME:X,Y,Z, for example head:0.5,0,0.4";
    let (name, place) = text.rsplit_once(':').ok_or(wanted)?;
    let place: Vec<f64> = place.split(',').map(finite).collect::<Result<_, _>>()?;
    let [x, y, z] = place.as_slice() else { return Err(wanted.to_owned()) };
    Ok(Pull { name: name.to_owned(), target: Vec3::new(*x, *y, *z) })
}

#[derive(Serialize)]
struct ReachJson<'a> {
    name: &'a str,
    qpos: &'a [f64],
    bend: &'a [(String, Vec<f64>)],
    /// m
    miss: f64,
}

impl ReachVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        let creature = self.creature.load()?;
        let goals = self.pull.iter().map(|Pull { name, target }| goal(&creature, name, *target));
        let goals = goals.collect::<Result<Vec<_>, _>>()?;
        let mut data = Data::new(&creature);
        let style = Style { pose: self.pose.clone(), ..Style::default() };
        let body = Body::new(creature, &mut data, &style)?;
        let reach = match self.modes {
            Some(count) => body.reach_along(&mut data, &body.basis.truncated(count), &goals)?,
            None => body.reach(&mut data, &goals)?,
        };
        if let Some(file) = &self.output {
            let text = serde_json::to_string(&reach.pose).map_err(std::io::Error::from)? + "\n";
            write_file(file, text.as_bytes(), self.force)?;
        }
        let name = body.creature.name();
        if self.json {
            let Reach { pose, bend, miss } = &reach;
            return write_json(out, &ReachJson { name, qpos: pose, bend, miss: *miss });
        }
        writeln!(out, "{name} reaches to within {:.1} mm", 1e3 * reach.miss)?;
        Ok(writeln!(out, "\n{}", bends(&reach))?)
    }
}

/// What `--pull` is to bring to `target`: the place of a landmark, else the centre of mass of a body.
pub(super) fn goal(creature: &Creature, name: &str, target: Vec3) -> Result<Goal, Failure> {
    let mark = creature.landmarks().iter().find(|mark| mark.name() == name);
    let of_mark = mark.map(|mark| BodyPoint { body: mark.body, point: mark.point });
    let of_body = || {
        let body = creature.body_index(name).filter(|body| *body > 0)?;
        Some(BodyPoint { body, point: creature.bodies()[body].mass.com })
    };
    let point = of_mark.or_else(of_body).ok_or_else(|| {
        let marks: Vec<String> = creature.landmarks().iter().map(gambol_model::Landmark::name).collect();
        let has = format!("it has {} and the bodies that gambol inspect lists", marks.join(", "));
        Failure::Failed(format!("--pull: {} has no landmark or body {name:?}; {has}", creature.name()))
    })?;
    Ok(Goal { point, target })
}

fn bends(reach: &Reach) -> Table {
    let mut table = plain(&["joint", "bent by (rad or m)"]);
    for (joint, by) in &reach.bend {
        let by: Vec<String> = by.iter().map(|x| format!("{x:.4}")).collect();
        table.add_row([joint.clone(), by.join(", ")]);
    }
    table
}

//! `gambol inspect`: what a creature is made of.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use super::clip_report::{ClipReport, clip_table};
use super::creature::{CreatureArguments, StateArguments};
use super::hint::told;
use super::plant_report::PlantReport;

use super::{Failure, write_json, written};
use gambol::report::{JointReport, Report};
use gambol::{load_clips, picture};
use gambol_formats::gltf::{GltfClip, Rig};
use gambol_model::Creature;
use gambol_plant::{LeafSettings, Plant, leaves, plant_views};

/// Tells what a creature is made of (bodies, joints, mass, landmarks, what was guessed), and what a clip holds
#[derive(Args)]
#[command(
    after_help = "Besides creatures, clips are taken: .bvh, .amc, .json, .npz and .pack. Of a clip, frames, rate, unit, way, stances, \
                        how well it would loop and what forces it takes come first, then who moves. Of a glTF file's own clips \
                        a line each; --clip tells all of one.\n\nExamples:\n  gambol inspect dog\n  gambol inspect human --pose run --picture run.svg\n  \
                        gambol inspect fox.glb --rig fox.toml\n  \
                        gambol inspect robot.urdf --root free --json\n  gambol inspect walk.bvh\n  gambol inspect trot.npz\n  \
                        gambol inspect fox.glb --clip Run\n  \
                        gambol inspect dog --json --matrix --qpos pose.json --qvel velocity.json"
)]
pub(super) struct Inspect {
    #[command(flatten)]
    creature: CreatureArguments,

    #[command(flatten)]
    state: StateArguments,

    /// glTF: tell all of one of the file's own clips, by its name
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Add the mass matrix and the bias forces (gravity on) to the JSON
    #[arg(long, requires = "json")]
    matrix: bool,

    /// Draw the creature from the side, the front and above, with its landmarks
    #[arg(long, value_name = "FILE.svg|FILE.png")]
    picture: Option<PathBuf>,

    /// Replace an existing picture
    #[arg(long)]
    force: bool,
}

impl Inspect {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(plant) = self.creature.load_plant()? {
            return self.run_plant(&plant, out);
        }
        let motion = self.creature.load_motion()?;
        let (creature, rig) = match &motion {
            Some(motion) => (motion.creature.clone(), None),
            None => self.creature.load_rig()?,
        };
        let state = self.state.read(&creature)?;
        let mut report = Report::new(&creature, &state, self.matrix)
            .map_err(|error| Failure::Failed(error.to_string()))?;
        report.warnings = creature.warnings().iter().map(told).collect();
        let mut clip = motion.map(ClipReport::new);
        let clips = rig.as_ref().map(|rig| self.clips(&creature, rig)).transpose()?;
        if let Some(name) = &self.clip {
            clip = Some(named(name, clips.as_deref(), clip)?);
        }
        if let Some(file) = &self.picture {
            written::picture(file, &picture::three_views(&creature, &state.qpos), self.force)?;
        }
        let guesses: Option<Vec<String>> = rig.as_ref().map(|rig| rig.notes.iter().map(told).collect());
        if self.json {
            let clips = clips.filter(|_| self.clip.is_none());
            return write_json(
                out,
                &Inspected { creature: &report, guesses, clip: clip.as_ref(), clips: clips.as_deref() },
            );
        }
        if let Some(clip) = &clip {
            clip.write(out)?;
        }
        write_report(out, &report)?;
        if let Some(clips) = clips.as_ref().filter(|clips| self.clip.is_none() && !clips.is_empty()) {
            writeln!(out, "\nits own clips\n{}", clip_table(clips))?;
        }
        if let Some(guesses) = guesses {
            writeln!(out, "\nguessed from the skin (`gambol rig` writes it down to be set right)")?;
            guesses.iter().try_for_each(|guess| writeln!(out, "  {guess}"))?;
        }
        let doubts = clip.iter().flat_map(|clip| &clip.doubts);
        for warning in report.warnings.iter().chain(doubts) {
            eprintln!("gambol: warning: {warning}");
        }
        Ok(())
    }

    /// Of a plant, what it is made of; its masses and joints as a creature are those of `gambol export`.
    fn run_plant(&self, plant: &Plant, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(file) = &self.picture {
            let leaves = leaves(plant, &LeafSettings::of(plant));
            written::picture(file, &plant_views(plant, &leaves), self.force)?;
        }
        let report = PlantReport::new(plant)?;
        if self.json { write_json(out, &report) } else { report.write(out) }
    }

    /// The clips that a glTF file brings along.
    fn clips(&self, creature: &Creature, rig: &Rig) -> Result<Vec<ClipReport>, Failure> {
        let options = self.creature.options()?;
        let clips = load_clips(self.creature.file(), &options, (creature, rig))
            .map_err(|error| Failure::hinted(&error))?;
        let wanted = |found: &&GltfClip| self.clip.as_ref().is_none_or(|name| *name == found.clip.name);
        // One that is asked for and not there is told by the names of all.
        let all = !clips.iter().any(|found| wanted(&found));
        let chosen = clips.iter().filter(|found| all || wanted(found));
        Ok(chosen.map(|found| ClipReport::of_gltf(creature, found)).collect())
    }
}

/// The clip that is called so.
fn named(name: &str, clips: Option<&[ClipReport]>, own: Option<ClipReport>) -> Result<ClipReport, Failure> {
    let clips = clips.unwrap_or_default();
    if let Some(found) = own.into_iter().chain(clips.iter().cloned()).find(|clip| clip.name == name) {
        return Ok(found);
    }
    let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
    Err(Failure::Failed(match names.as_slice() {
        [] => format!("there is no clip {name:?}: the file has none"),
        names => format!("there is no clip {name:?}; the file has {}", names.join(", ")),
    }))
}

/// What is printed as JSON: the creature, and its motion if the file has one.
#[derive(Serialize)]
struct Inspected<'a> {
    #[serde(flatten)]
    creature: &'a Report,
    /// Of a glTF model: what its file does not say, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    guesses: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<&'a ClipReport>,
    /// Of a glTF model: those of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    clips: Option<&'a [ClipReport]>,
}

fn write_report(out: &mut impl Write, report: &Report) -> Result<(), Failure> {
    let [x, y, z] = report.com;
    writeln!(out, "{}", report.name)?;
    writeln!(out, "  {} bodies, {} joints", report.bodies.len(), report.joints.len())?;
    let loops = match report.constraints.len() {
        0 => String::new(),
        1 => format!(" (a constraint takes {} of {})", report.nv - report.dof, report.nv),
        n => format!(" ({n} constraints take {} of {})", report.nv - report.dof, report.nv),
    };
    writeln!(out, "  {} degrees of freedom{loops}, nq {}, nv {}", report.dof, report.nq, report.nv)?;
    writeln!(
        out,
        "  mass {:.4} kg, centre of mass ({x:.4}, {y:.4}, {z:.4}) m in pose {}",
        report.mass, report.pose
    )?;
    writeln!(out, "  class {}: {}", report.class, report.class_reason)?;
    if !report.poses.is_empty() {
        writeln!(out, "  poses {}", report.poses.join(", "))?;
    }
    writeln!(out, "\n{}", body_table(report))?;
    if !report.landmarks.is_empty() {
        writeln!(out, "\n{}", landmark_table(report))?;
    }
    Ok(())
}

/// Bodies indented as a tree, with their joints beside them.
fn body_table(report: &Report) -> Table {
    let mut children: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, body) in report.bodies.iter().enumerate() {
        children.entry(&body.parent).or_default().push(index);
    }
    let mut joints: HashMap<&str, Vec<&JointReport>> = HashMap::new();
    for joint in &report.joints {
        joints.entry(&joint.body).or_default().push(joint);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["body", "mass kg", "joints", "stiffness", "limits"]);
    let below = |body: &str, level: usize| {
        children.get(body).into_iter().flatten().rev().map(move |&child| (child, level))
    };
    let mut waiting: Vec<(usize, usize)> = below("world", 1).collect();
    while let Some((index, level)) = waiting.pop() {
        let body = &report.bodies[index];
        waiting.extend(below(&body.name, level + 1));
        let own = joints.get(body.name.as_str()).map_or(&[][..], Vec::as_slice);
        let join = |text: Vec<String>| text.join("\n");
        table.add_row([
            format!("{}{}", "  ".repeat(level.min(12)), body.name),
            format!("{:.4}", body.mass),
            join(own.iter().map(|joint| format!("{} {}", joint.kind, joint.name)).collect()),
            join(own.iter().map(|joint| number(joint.stiffness)).collect()),
            join(own.iter().map(|joint| limits(joint.kind, joint.limit)).collect()),
        ]);
    }
    for column in [1, 3] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn landmark_table(report: &Report) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["landmark", "on", "known from", "because"]);
    for landmark in &report.landmarks {
        let on = landmark.joint.as_ref().unwrap_or(&landmark.body);
        table.add_row([&landmark.name, on, landmark.source, &landmark.reason]);
    }
    table
}

fn number(x: f64) -> String {
    if x == 0.0 { String::from("–") } else { format!("{x}") }
}

fn limits(kind: &str, limit: Option<[f64; 2]>) -> String {
    match limit {
        None => String::from("–"),
        Some([low, high]) if kind == "slide" => format!("{low:.3} to {high:.3} m"),
        Some([_, high]) if kind == "ball" => format!("up to {:.0}°", high.to_degrees()),
        Some([low, high]) => format!("{:.0}° to {:.0}°", low.to_degrees(), high.to_degrees()),
    }
}

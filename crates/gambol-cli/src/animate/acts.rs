//! More than one gait: what a creature does one act after another, and sets of clips for games.

use std::io::Write;

use gambol_dynamics::Data;
use gambol_formats::gltf::Rig;
use gambol_formats::write_files;
use gambol_gait::{
    Body, Performance, Report, Script, SetClip, SetRole, Style, Terrain, locomotion_set, perform_script,
};
use gambol_model::Creature;
use gambol_motion::Clip;
use serde::Serialize;

use super::report::quality;
use super::{Animate, doubt, tell};
use crate::files::Outputs;
use crate::table::{plain, right_align};
use crate::{Failure, forces, render, write_json};

#[derive(Serialize)]
struct ClipJson<'a> {
    name: &'a str,
    creature: &'a str,
    /// What it is for, in a set.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<SetRole>,
    /// Degrees per second to the left, in a set.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<f64>,
    /// Under which all was made and measured, m/s².
    gravity: f64,
    #[serde(flatten)]
    report: &'a Report,
    seconds: f64,
    frames: usize,
    warnings: &'a [String],
}

impl<'a> ClipJson<'a> {
    fn new(creature: &'a Creature, performance: &'a Performance, of_set: Option<&SetClip>) -> Self {
        let Performance { clip, report, warnings, .. } = performance;
        Self {
            name: &clip.name,
            creature: creature.name(),
            role: of_set.map(|clip| clip.role),
            turn: of_set.map(|clip| clip.turn.to_degrees()),
            gravity: creature.gravity().norm(),
            report,
            seconds: clip.duration(),
            frames: clip.times.len(),
            warnings,
        }
    }
}

impl Animate {
    /// `--script`
    pub(super) fn play_script(
        &self,
        out: &mut impl Write,
        (creature, rig): (&Creature, Option<&Rig>),
        outputs: &Outputs,
        script: &Script,
    ) -> Result<(), Failure> {
        let mut data = Data::new(creature);
        let restyle = |style: &mut Style| self.style.apply(creature, style);
        render::bar("planning all steps", 0, 1);
        let played = perform_script(creature, &mut data, script, &restyle, self.ground.fps);
        render::end_of_bar();
        let mut performance = played?;
        let mut style = Style::default();
        restyle(&mut style);
        let body = Body::new(creature.clone(), &mut data, &style)?;
        performance.warnings.extend(doubt(&body, &performance));
        let clips = std::slice::from_ref(&performance.clip);
        write_files(&self.rendered(outputs, &body, &Terrain::Flat, clips, rig)?, self.force)?;
        outputs.tell(clips, &[creature.name(), &performance.clip.name]);
        tell(creature, rig, performance.warnings.iter().cloned());
        if self.json {
            return write_json(out, &ClipJson::new(creature, &performance, None));
        }
        if self.report || self.output.is_empty() {
            let Performance { clip, report, .. } = &performance;
            let (keys, seconds) = (clip.times.len(), clip.duration());
            writeln!(
                out,
                "{}: {keys} keys in {seconds:.3} s, {:.3} m/s in the mean",
                creature.name(),
                report.speed
            )?;
            writeln!(out, "\n{}", quality(&performance))?;
            if let Some(forces) = &performance.forces {
                writeln!(out, "\n{}", forces::table(&forces.figures))?;
            }
        }
        Ok(())
    }

    /// `--set`
    pub(super) fn play_set(
        &self,
        out: &mut impl Write,
        (creature, rig): (&Creature, Option<&Rig>),
        outputs: &Outputs,
    ) -> Result<(), Failure> {
        let mut data = Data::new(creature);
        let restyle = |style: &mut Style| self.style.apply(creature, style);
        let set = locomotion_set(creature, &mut data, &restyle, self.ground.fps, &mut render::bar);
        render::end_of_bar();
        let mut set = set?;
        for SetClip { performance, .. } in &mut set.clips {
            performance.warnings.extend(doubt(&set.body, performance));
        }
        let clips: Vec<Clip> = set.clips.iter().map(|clip| clip.performance.clip.clone()).collect();
        write_files(&self.rendered(outputs, &set.body, &Terrain::Flat, &clips, rig)?, self.force)?;
        outputs.tell(&clips, &[creature.name()]);
        let named = |SetClip { performance, .. }: &SetClip| {
            let name = performance.clip.name.clone();
            performance.warnings.iter().map(move |warning| format!("{name}: {warning}")).collect::<Vec<_>>()
        };
        let left_out = set.left_out.iter().map(|reason| format!("left out: {reason}"));
        tell(creature, rig, set.clips.iter().flat_map(named).chain(left_out));
        if self.json {
            let clips = set.clips.iter();
            let clips: Vec<ClipJson> =
                clips.map(|clip| ClipJson::new(creature, &clip.performance, Some(clip))).collect();
            return write_json(out, &clips);
        }
        if self.report || self.output.is_empty() {
            writeln!(out, "{}", table(&set.clips))?;
        }
        Ok(())
    }
}

/// A line for each clip.
fn table(clips: &[SetClip]) -> comfy_table::Table {
    let mut table =
        plain(&["clip", "", "s", "m/s", "turns, °/s", "force from nowhere", "moment from nowhere"]);
    for SetClip { role, turn, performance } in clips {
        let Performance { clip, report, .. } = performance;
        let role = match role {
            SetRole::Loop => "loops",
            SetRole::Start => "starts",
            SetRole::Stop => "stops",
            SetRole::Once => "once",
        };
        let number = |number: Option<f64>| number.map(|number| format!("{number:.3}")).unwrap_or_default();
        table.add_row([
            clip.name.clone(),
            role.to_owned(),
            format!("{:.3}", clip.duration()),
            format!("{:.3}", report.speed),
            format!("{:.0}", turn.to_degrees()),
            number(report.residual_force),
            number(report.residual_moment),
        ]);
    }
    right_align(&mut table, &[2, 3, 4, 5, 6]);
    table
}

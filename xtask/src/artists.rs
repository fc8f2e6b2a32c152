//! `cargo xtask artists FOLDER`: our gaits beside those that artists drew for the same characters, in step with them: a table of what an eye
//! would compare, and strips of both skins as three.js shows them.

use std::path::{Path, PathBuf};

use gambol::dynamics::{Data, forward_kinematics};
use gambol::formats::gltf::{GltfClip, Rig};
use gambol::gait::{
    Believed, Body, ForceSettings, Forces, Leg, Legs, Sampling, StanceSettings, Style, Terrain, Wish, forces,
    perform_believed,
};
use gambol::model::Creature;
use gambol::motion::Clip;
use gambol::{LoadOptions, felt_tempo, load_clips, load_rig};
use serde_json::{Value, json};

use crate::corpus::{collect, draw_sheets};
use crate::shell::{Result, build_gambol, command, run as run_command, target};

/// Words in the names of clips, the gaits that they are called for on two legs and on four, and words of clips that are something else.
const GAITS: [(&str, &str, &str); 4] = [
    ("walk", "walk", "walk"),
    ("trot", "run", "trot"),
    ("gallop", "run", "gallop"),
    ("run", "run", "gallop"),
];
const OTHERS: [&str; 5] = ["jump", "hit", "attack", "react", "gun"];

/// Keys per second at which both are measured.
const FPS: f64 = 120.0;

pub(crate) fn run(folder: &Path) -> Result<()> {
    let out = target().join("artists");
    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let program = build_gambol("debug")?;
    let mut strips = Vec::new();
    println!(
        "| character | gait | by | cadence Hz | duty | knees bend ° | legs swing ° | feet rise, % of leg | trunk rises, % | force from nowhere | moment |"
    );
    println!("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut files = Vec::new();
    collect(folder, &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
    files.sort();
    // What three.js draws.
    files.retain(|file| file.extension().is_some_and(|ending| ending == "glb"));
    for file in files {
        let Ok((creature, rig, clips)) = open(&file) else { continue };
        for (clip, gait) in
            clips.iter().filter_map(|found| Some((&found.clip, named(&creature, &found.clip)?)))
        {
            match beside(&file, (&creature, &rig), clip, gait) {
                Ok([theirs, ours]) => {
                    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                    println!("| {name} | {gait} | artist | {} |", theirs.row());
                    println!("| | | gambol | {} |", ours.row());
                    strips.extend(strip(&program, &out, &file, &clip.name, gait)?);
                }
                Err(reason) => eprintln!("{}, {}: {reason}", file.display(), clip.name),
            }
        }
    }
    let names = draw_sheets(&out, &strips, Some("jpeg"))?;
    eprintln!("{} in {}", names.trim().replace('\n', ", "), out.display());
    Ok(())
}

fn open(file: &Path) -> Result<(Creature, Rig, Vec<GltfClip>)> {
    let options = LoadOptions::default();
    let wrong = |error: gambol::LoadError| error.to_string();
    let (creature, rig) = load_rig(&file.display().to_string(), &options).map_err(wrong)?;
    let rig = rig.ok_or("it has no skin")?;
    let clips = load_clips(file, &options, (&creature, &rig)).map_err(wrong)?;
    Ok((creature, rig, clips))
}

/// Which of our gaits a clip is to be compared with, by its name.
fn named(creature: &Creature, clip: &Clip) -> Option<&'static str> {
    let mut data = Data::new(creature);
    let body = Body::new(creature.clone(), &mut data, &Style::default()).ok()?;
    let name = clip.name.to_lowercase();
    if OTHERS.iter().any(|other| name.contains(other)) || body.legs.is_empty() {
        return None;
    }
    let (_, two, four) = GAITS.iter().find(|(word, ..)| name.contains(word))?;
    Some(match body.legs.legs.len() {
        4 => four,
        _ => two,
    })
}

/// The artist's clip and ours, measured alike.
fn beside(file: &Path, (creature, rig): (&Creature, &Rig), clip: &Clip, gait: &str) -> Result<[Figures; 2]> {
    let mut ours = creature.clone();
    if let Ok(felt) = felt_tempo(file, &LoadOptions::default(), (creature, rig)) {
        felt.apply(&mut ours).map_err(|error| error.to_string())?;
    }
    let mut data = Data::new(&ours);
    let (wish, sampling) = (Wish::default(), Sampling { seconds: None, fps: FPS });
    let Believed { body, performance, .. } =
        perform_believed(&ours, &mut data, gait, &|_| (), &wish, &|_, _| Ok(()), &sampling)
            .map_err(|error| error.to_string())?;
    // Both under the gravity that the artist's tempo has, on the same legs.
    let figures = |data: &mut Data, clip: &Clip| Figures::of(&ours, &body.legs, data, clip);
    Ok([figures(&mut data, clip)?, figures(&mut data, &performance.clip)?])
}

/// What an eye would compare.
struct Figures {
    /// Strides per second, if the clip is one.
    cadence: f64,
    forces: Forces,
    /// Means over the legs of what each goes through: rad, rad, and leg lengths.
    knee: f64,
    swing: f64,
    lift: f64,
}

impl Figures {
    fn of(creature: &Creature, legs: &Legs, data: &mut Data, clip: &Clip) -> Result<Self> {
        let settings = (&ForceSettings::default(), &StanceSettings::default());
        let measured = forces(creature, data, legs, &Terrain::Flat, clip, settings);
        let mut ranges = vec![[Range::default(); 3]; legs.legs.len()];
        for pose in &clip.poses {
            let frames = forward_kinematics(creature, data, pose);
            for (leg, [knee, swing, lift]) in legs.legs.iter().zip(&mut ranges) {
                let (hip, ankle) = (leg.hip_in_world(creature, frames), leg.ankle_in_world(creature, frames));
                knee.add(knee_angle(creature, leg, hip, ankle, frames));
                let along = legs.heading.components(ankle - hip);
                swing.add(gambol::model::math::atan2(along.x, -along.z));
                lift.add(frames[leg.foot].point_in_world(leg.point).z / leg.length);
            }
        }
        let mean =
            |k: usize| ranges.iter().map(|ranges| ranges[k].width()).sum::<f64>() / ranges.len() as f64;
        Ok(Self {
            cadence: 1.0 / clip.duration(),
            forces: measured.map_err(|error| error.to_string())?,
            knee: mean(0),
            swing: mean(1),
            lift: mean(2),
        })
    }

    fn row(&self) -> String {
        let Self { cadence, forces, knee, swing, lift } = self;
        let duty = forces.feet.iter().map(|foot| foot.duty).sum::<f64>() / forces.feet.len() as f64;
        let figures = &forces.figures;
        format!(
            "{cadence:.2} | {duty:.2} | {:.0} | {:.0} | {:.0} | {:.1} | {:.2} | {:.2}",
            knee.to_degrees(),
            swing.to_degrees(),
            100.0 * lift,
            100.0 * figures.trunk_swing,
            figures.residual_force,
            figures.residual_moment
        )
    }
}

/// How far the knee is bent from a straight leg, rad; nothing for a leg without one.
fn knee_angle(
    creature: &Creature,
    leg: &Leg,
    hip: gambol::model::Vec3,
    ankle: gambol::model::Vec3,
    frames: &[gambol::dynamics::BodyFrame],
) -> f64 {
    leg.knee.map_or(0.0, |knee| {
        let knee = &creature.joints()[knee];
        let knee = frames[knee.body].point_in_world(knee.anchor);
        (knee - hip).angle(&(ankle - knee))
    })
}

/// From the least to the most.
#[derive(Clone, Copy)]
struct Range(f64, f64);

impl Default for Range {
    fn default() -> Self {
        Self(f64::INFINITY, f64::NEG_INFINITY)
    }
}

impl Range {
    fn add(&mut self, value: f64) {
        (self.0, self.1) = (self.0.min(value), self.1.max(value));
    }

    fn width(self) -> f64 {
        self.1 - self.0
    }
}

/// The user's way: our gait in the artist's own file. The two strips to draw of it.
fn strip(program: &Path, out: &Path, file: &Path, clip: &str, gait: &str) -> Result<[Value; 2]> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let [theirs, ours]: [PathBuf; 2] =
        [out.join(format!("{name}-artist.glb")), out.join(format!("{name}-{gait}.glb"))];
    std::fs::copy(file, &theirs).map_err(|error| format!("{}: {error}", theirs.display()))?;
    let mut animate = command(program, &["animate"]);
    animate.arg(file).args([gait, "--tempo", "own", "--root-motion", "in-place", "--force", "-o"]).arg(&ours);
    if run_command(&mut animate).is_err() {
        // Without clips that tell a tempo.
        let mut animate = command(program, &["animate"]);
        animate.arg(file).args([gait, "--root-motion", "in-place", "--force", "-o"]).arg(&ours);
        run_command(&mut animate)?;
    }
    let row = |path: &Path, by: &str, clip: &str| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        json!({ "file": file, "label": format!("{name}, {gait}: {by}"), "clip": clip, "view": [0.95, 0.18, 0.25] })
    };
    Ok([row(&theirs, "the artist's", clip), row(&ours, "gambol's", "")])
}

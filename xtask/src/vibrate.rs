//! `cargo xtask vibrate`: predicted vibrations against motion in time, as MuJoCo integrates it.

use std::path::Path;

use gambol::LoadOptions;
use gambol::model::Creature;
use gambol::motion::Direction;
use serde::Deserialize;

use crate::modes::{GAP, all_modes, sprung};
use crate::peers;
use crate::shell::{Result, command, output, target};

/// Measured frequency, relative. MuJoCo's motion at 1e-4 rad is off by 9e-6 at most, and that is proportional to the
/// amplitude: the body is not linear, the modes are right.
const SWUNG: f64 = 1e-4;
/// Share of the energy that must stay in a mode, or in its group; 5e-5 leave at most.
const KEPT: f64 = 0.999;
/// Vibrations of each creature that are swung.
const VIBRATIONS: usize = 6;
/// Gallery creatures with springs of their own.
const GALLERY: [&str; 6] = ["loop", "linear", "dog", "human", "insect", "snake"];
/// Models of dm_control, with the same spring everywhere.
const DM_CONTROL: [&str; 2] = ["suite/humanoid.xml", "locomotion/walkers/assets/dog_v2/dog.xml"];

/// What MuJoCo measured.
#[derive(Deserialize)]
struct Swung {
    name: String,
    mode: usize,
    predicted: f64,
    /// Not a number in JSON if it did not oscillate.
    measured: Option<f64>,
    least_share: f64,
    most_share: f64,
}

/// Lets MuJoCo swing creatures along their first vibrations and compares frequencies.
pub(crate) fn run() -> Result<()> {
    let folder = target().join("vibrate");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut creatures = Vec::new();
    for name in GALLERY {
        let creature = gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string())?;
        let file = folder.join(format!("{name}.xml"));
        let entry = gambol::gallery::find(name).ok_or_else(|| format!("the gallery has no {name}"))?;
        write(&file, entry.mjcf)?;
        creatures.push(to_swing(name, &file, &creature)?);
    }
    let dm_control = peers::dm_control()?;
    for name in DM_CONTROL {
        let file = dm_control.join(name);
        creatures.push(to_swing(name, &file, &sprung(&file.display().to_string())?)?);
    }
    let input = folder.join("creatures.json");
    write(&input, &serde_json::Value::from(creatures).to_string())?;
    let lines = output(command(peers::python()?, &["xtask/peers/vibrate.py"]).arg(&input))?;

    println!(
        "{:<40} {:>4} {:>10} {:>10} {:>9} {:>9}",
        "creature", "mode", "Hz", "MuJoCo", "off by", "energy"
    );
    let mut failed = 0;
    for line in lines.lines() {
        let swung: Swung =
            serde_json::from_str(line).map_err(|error| format!("vibrate.py: {error}: {line}"))?;
        let measured = swung.measured.unwrap_or(f64::NAN);
        let off = measured / swung.predicted - 1.0;
        println!(
            "{:<40} {:>4} {:>10.5} {measured:>10.5} {off:>9.0e} {:>8.3}%",
            swung.name,
            swung.mode,
            swung.predicted,
            100.0 * swung.least_share
        );
        let kept = swung.least_share >= KEPT && swung.most_share <= 2.0 - KEPT;
        if !(off.abs() < SWUNG && kept) {
            failed += 1;
        }
    }
    let count = lines.lines().count();
    println!("{} passed, {failed} failed", count - failed);
    if count != VIBRATIONS * (GALLERY.len() + DM_CONTROL.len()) {
        return Err(format!("MuJoCo swung {count} modes only"));
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} vibrations differ from MuJoCo's motion")) }
}

/// A creature and its modes for `vibrate.py`.
fn to_swing(name: &str, file: &Path, creature: &Creature) -> Result<serde_json::Value> {
    let modes = all_modes(creature, &[])?;
    let frequencies: Vec<f64> = modes.directions().iter().filter_map(Direction::frequency).collect();
    let starts = (0..frequencies.len())
        .filter(|&i| i == 0 || frequencies[i] - frequencies[i - 1] > GAP * frequencies[i]);
    let starts: Vec<usize> = starts.chain([frequencies.len()]).collect();
    let shapes: Vec<_> = modes
        .directions()
        .iter()
        .map(|mode| serde_json::json!({"frequency": mode.frequency(), "shape": mode.shape}))
        .collect();
    Ok(serde_json::json!({
        "name": name,
        "path": file,
        "pose": modes.mean(),
        "stiffness": creature.joints().iter().map(|joint| joint.stiffness).collect::<Vec<_>>(),
        "modes": shapes,
        "groups": starts.windows(2).collect::<Vec<_>>(),
        "swing": (modes.rigid()..modes.rigid() + VIBRATIONS).collect::<Vec<_>>(),
    }))
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

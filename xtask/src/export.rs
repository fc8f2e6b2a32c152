//! `cargo xtask export`: creatures exported as MJCF, what MuJoCo makes of them, and what it made of the originals.
//!
//! Two questions. Does MuJoCo compute with the exported file what we compute with the creature it was made of (masses,
//! mass matrix, forces, constraints)? And is the exported file for MuJoCo the same model as the original?

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gambol::LoadOptions;
use gambol::formats::{Actuators, MjcfOptions, to_mjcf};
use gambol::model::Creature;
use serde::Deserialize;

use crate::shell::{Result, command, output, target};
use crate::{compare, peers};

/// Relative differences: double precision less the conditioning of large models; inertias are turned to their
/// principal axes and back.
const EXACT: f64 = 1e-9;

/// What MuJoCo found.
#[derive(Deserialize)]
struct Found {
    name: String,
    error: Option<String>,
    #[serde(default)]
    read: f64,
    #[serde(default)]
    worst: String,
    #[serde(default)]
    matrix: f64,
    #[serde(default)]
    springs: f64,
    #[serde(default)]
    actuators: f64,
    #[serde(default)]
    controls: usize,
}

/// A model and where its exports are.
struct Exported {
    name: String,
    original: PathBuf,
    plain: PathBuf,
    driven: PathBuf,
    creature: Creature,
}

/// The gallery, and every model below `folders` that we read and in which something moves.
pub(crate) fn run(folders: &[PathBuf]) -> Result<()> {
    let place = target().join("export");
    if place.exists() {
        std::fs::remove_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    }
    let mut exported = Vec::new();
    for name in gambol::gallery::names() {
        let entry = gambol::gallery::find(name).ok_or_else(|| format!("the gallery has no {name}"))?;
        let original = place.join("originals").join(format!("{name}.xml"));
        write(&original, entry.mjcf)?;
        exported.push(export(name, &original, &place)?);
    }
    for folder in folders {
        for file in models(folder)? {
            let name = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
            match export(&name.display().to_string().replace(['/', '\\'], "."), &file, &place) {
                Ok(one) if one.creature.nv() > 0 => exported.push(one),
                Ok(one) => println!("left out: {}: nothing moves", one.name),
                Err(reason) => println!("left out: {reason}"),
            }
        }
    }
    against_ours(&place, &exported)?;
    against_originals(&place, &exported)
}

/// Everything exported once with springs and once with actuators.
fn export(name: &str, original: &Path, place: &Path) -> Result<Exported> {
    let path = original.display().to_string();
    let creature = gambol::load(&path, &LoadOptions::default()).map_err(|error| error.to_string())?;
    let [plain, driven] =
        [("plain", Actuators::None), ("driven", Actuators::Position)].map(|(kind, actuators)| {
            let folder = place.join(kind);
            std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            let file = folder.join(format!("{name}.xml"));
            let options =
                MjcfOptions { actuators, assets: format!("{name}_assets"), ..MjcfOptions::default() };
            let files = to_mjcf(&creature, &options);
            if kind == "plain" {
                files.warnings.iter().for_each(|warning| println!("{name}: {warning}"));
            }
            files.write(&file, true).map_err(|error| error.to_string())?;
            Ok::<_, String>(file)
        });
    Ok(Exported {
        name: name.into(),
        original: original.to_owned(),
        plain: plain?,
        driven: driven?,
        creature,
    })
}

/// MuJoCo with the exported file against us with the creature.
fn against_ours(place: &Path, exported: &[Exported]) -> Result<()> {
    let creatures: HashMap<&Path, &Creature> =
        exported.iter().map(|one| (one.plain.as_path(), &one.creature)).collect();
    let find = |path: &str| -> Result<Creature> {
        let creature = creatures.get(Path::new(path)).ok_or_else(|| format!("{path} was not exported"))?;
        Ok((*creature).clone())
    };
    let compared = compare::run_with(&place.join("plain"), find)?;
    if compared == exported.len() {
        Ok(())
    } else {
        Err(format!("{} models were exported, MuJoCo read {compared}", exported.len()))
    }
}

/// MuJoCo with the exported file against MuJoCo with the original.
fn against_originals(place: &Path, exported: &[Exported]) -> Result<()> {
    let pair = |one: &Exported| {
        serde_json::json!({
            "name": one.name, "original": one.original, "exported": one.plain, "driven": one.driven,
        })
    };
    let input = place.join("pairs.json");
    write(&input, &serde_json::Value::from(exported.iter().map(pair).collect::<Vec<_>>()).to_string())?;
    let lines = output(command(peers::python()?, &["xtask/peers/export.py"]).arg(&input))?;
    println!(
        "{:<44} {:>8} {:>8} {:>8} {:>9} {:>8}",
        "exported, and driven by actuators", "numbers", "M", "springs", "actuators", "controls"
    );
    let mut failed = Vec::new();
    for line in lines.lines() {
        let found: Found =
            serde_json::from_str(line).map_err(|error| format!("export.py: {error}: {line}"))?;
        if let Some(error) = found.error {
            failed.push(format!("{}: {error}", found.name));
            continue;
        }
        println!(
            "{:<44} {:>8.0e} {:>8.0e} {:>8.0e} {:>9.0e} {:>8}",
            found.name, found.read, found.matrix, found.springs, found.actuators, found.controls
        );
        let off = [found.read, found.matrix, found.springs, found.actuators];
        // Not `>`: what is not a number must fail.
        if !off.iter().all(|off| *off < EXACT) {
            failed.push(format!("{}: not the model it was; the worst number: {}", found.name, found.worst));
        }
    }
    failed.iter().for_each(|line| println!("failed: {line}"));
    println!("{} passed, {} failed", exported.len() - failed.len(), failed.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("{} exported models are not the same", failed.len())) }
}

/// All MJCF models below a folder, in order; a file that is only a part of one is none.
fn models(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut models = Vec::new();
    for path in paths {
        if path.is_dir() {
            models.extend(self::models(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "xml")
            && std::fs::read_to_string(&path).is_ok_and(|text| text.contains("<mujoco"))
        {
            models.push(path);
        }
    }
    Ok(models)
}

fn write(file: &Path, text: &str) -> Result<()> {
    let folder = file.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

//! `cargo xtask export`: creatures exported as MJCF, what MuJoCo makes of them, and what it made of the originals.
//!
//! Two questions. Does MuJoCo compute with the exported file what we compute with the creature it was made of (masses,
//! mass matrix, forces, constraints)? And is the exported file for MuJoCo the same model as the original?

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gambol::LoadOptions;
use gambol::dynamics::{Data, forward_kinematics};
use gambol::formats::{Actuators, MjcfOptions, load_str, to_mjcf};
use gambol::model::samples::{TreeKind, random_tree};
use gambol::model::{BodyPoint, Constraint, ConstraintKind, Creature, Transform, Vec3};
use serde::Deserialize;

use crate::shell::{Result, command, output, target};
use crate::{compare, peers};

/// Relative differences: double precision less the conditioning of large models; inertias are turned to their
/// principal axes and back.
const EXACT: f64 = 1e-9;

/// Places of shapes, relative to the largest coordinate: corners of meshes have 32 bits.
const SINGLE: f64 = 1e-6;

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
    shapes: f64,
    #[serde(default)]
    matrix: f64,
    #[serde(default)]
    springs: f64,
    #[serde(default)]
    actuators: f64,
    #[serde(default)]
    controls: usize,
}

/// A creature and where its exports are.
struct Exported {
    name: String,
    /// What MuJoCo can read, if the creature came from a file.
    original: Option<PathBuf>,
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
        exported.push(export_file(&format!("gallery.{name}"), &original, &place)?);
    }
    for (name, creature) in made()? {
        exported.push(export(&name, None, creature, &place)?);
    }
    for folder in folders {
        for file in models(folder)? {
            // With the folder's own name: the gallery has a dog as well.
            let around = folder.parent().unwrap_or(folder);
            let name = file.strip_prefix(around).unwrap_or(&file).with_extension("");
            match export_file(&name.display().to_string().replace(['/', '\\'], "."), &file, &place) {
                Ok(one) if one.creature.nv() > 0 => exported.push(one),
                Ok(one) => println!("left out: {}: nothing moves", one.name),
                Err(reason) => println!("left out: {reason}"),
            }
        }
    }
    against_ours(&place, &exported)?;
    against_originals(&place, &exported)
}

/// Random trees with joints of all kinds, and one with every constraint that MJCF has. Constraints hold in the
/// reference pose: off it, a hinge and the two points that MuJoCo makes of it allow different motion.
fn made() -> Result<Vec<(String, Creature)>> {
    let kind = TreeKind { bodies: 12, free_root: true, armature: true };
    let mut creatures: Vec<_> =
        (0..8).map(|seed| (format!("tree.{seed}"), random_tree(seed, kind))).collect();
    let tree = &creatures[0].1;
    let mut data = Data::new(tree);
    let frames = forward_kinematics(tree, &mut data, tree.reference_pose());
    let world_from: Vec<Transform> =
        frames.iter().map(|frame| Transform::from_parts(frame.position.into(), frame.orientation)).collect();
    let place = Vec3::new(0.2, -0.1, 0.3);
    let on = |body: usize| BodyPoint {
        body,
        point: world_from[body].inverse_transform_point(&place.into()).coords,
    };
    let along = |body: usize| world_from[body].inverse_transform_vector(&Vec3::new(0.6, 0.0, 0.8));
    let scalar: Vec<usize> =
        (0..tree.joints().len()).filter(|&joint| tree.joints()[joint].kind.nq() == 1).collect();
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| scalar[k]);
    let apart = BodyPoint { body: 5, point: Vec3::new(0.1, 0.2, 0.3) };
    let kinds = [
        ("connect", ConstraintKind::Connect { a: on(3), b: on(7) }),
        ("apart", ConstraintKind::Connect { a: on(3), b: apart }),
        ("world", ConstraintKind::Connect { a: on(0), b: on(7) }),
        ("pin", ConstraintKind::Pin { point: on(6), position_in_world: place }),
        ("hinge", ConstraintKind::Hinge { a: on(3), b: on(7), axis_in_a: along(3), axis_in_b: along(7) }),
        ("weld", ConstraintKind::Weld { a: 3, b: 7, a_from_b: world_from[3].inverse() * world_from[7] }),
        ("grown", ConstraintKind::Weld { a: 0, b: 7, a_from_b: world_from[7] }),
        ("joint", coupling(&[(a, 2.0)], &[(b, -3.0)])),
        ("still", coupling(&[(a, 1.0)], &[])),
        ("joints", coupling(&[(a, 2.0), (b, 1.0)], &[(c, -3.0), (d, 0.5)])),
    ];
    // A creature cannot be changed; the description of the same one can.
    let xml = to_mjcf(tree, &MjcfOptions::default()).xml;
    for (name, kind) in kinds {
        let mut spec =
            load_str("tree.xml", &xml, &LoadOptions::default()).map_err(|error| error.to_string())?;
        spec.constraints.push(Constraint { name: name.into(), kind });
        creatures.push((format!("tied.{name}"), spec.build().map_err(|error| error.to_string())?));
    }
    Ok(creatures)
}

fn coupling(left: &[(usize, f64)], right: &[(usize, f64)]) -> ConstraintKind {
    ConstraintKind::Coupling {
        left: left.to_vec(),
        right: right.to_vec(),
        polynomial: [0.0, 0.2, 0.3, 0.4, 0.5],
    }
}

fn export_file(name: &str, original: &Path, place: &Path) -> Result<Exported> {
    let path = original.display().to_string();
    let creature = gambol::load(&path, &LoadOptions::default()).map_err(|error| error.to_string())?;
    export(name, Some(original.to_owned()), creature, place)
}

/// The creature exported once with springs and once with actuators.
fn export(name: &str, original: Option<PathBuf>, creature: Creature, place: &Path) -> Result<Exported> {
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
    Ok(Exported { name: name.into(), original, plain: plain?, driven: driven?, creature })
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
        "{:<44} {:>8} {:>8} {:>8} {:>8} {:>9} {:>8}",
        "exported, and driven by actuators", "numbers", "shapes", "M", "springs", "actuators", "controls"
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
            "{:<44} {:>8.0e} {:>8.0e} {:>8.0e} {:>8.0e} {:>9.0e} {:>8}",
            found.name,
            found.read,
            found.shapes,
            found.matrix,
            found.springs,
            found.actuators,
            found.controls
        );
        let off = [found.read, found.matrix, found.springs, found.actuators];
        // Not `>`: what is not a number must fail.
        if !(off.iter().all(|off| *off < EXACT) && found.shapes < SINGLE) {
            failed.push(format!("{}: not the model it was; the worst number: {}", found.name, found.worst));
        }
    }
    for line in &failed {
        println!("failed: {line}");
    }
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

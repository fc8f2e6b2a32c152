//! `cargo xtask masses MODEL.xml SKIN.skn`: mass and inertia of limbs from a skin alone, against the model it belongs to.
//!
//! The skin becomes a GLB and that a creature. A skin may be of another size than its model (that of dm_control's rat was
//! made before the model was shrunk), so it is scaled to the model's bones first. Density cannot be seen on a skin, so the
//! total is compared at the density of water and limbs after the total is given.

use std::collections::HashSet;
use std::path::Path;

use gambol::dynamics::{Data, forward_kinematics};
use gambol::model::{Creature, MassProperties, Role};
use gambol::{LoadOptions, load};
use nalgebra::Isometry3;

use crate::shell::{Result, command, output, target};

/// A limb's mass and inertia are right within this factor.
const FACTOR: f64 = 1.5;

pub(crate) fn run(model: &Path, skin: &Path) -> Result<()> {
    let model = model.canonicalize().map_err(|error| format!("{}: {error}", model.display()))?;
    let skin = skin.canonicalize().map_err(|error| format!("{}: {error}", skin.display()))?;
    let glb = target().join("skin.glb");
    output(command("python3", &["xtask/peers/skin_to_glb.py"]).args([&model, &skin, &glb]))?;
    let read = |path: &Path, options: &LoadOptions| {
        load(&path.display().to_string(), options).map_err(|error| error.to_string())
    };
    let known = read(&model, &LoadOptions::default())?;
    let as_drawn = read(&glb, &LoadOptions { unit: Some(1.0), ..LoadOptions::default() })?;
    let scale = scale(&known, &as_drawn).ok_or("the skin and the model have no bones in common")?;
    println!("scale: the model's bones are {scale:.4} as long as those of the skin");
    let unit = Some(scale);
    let water = read(&glb, &LoadOptions { unit, ..LoadOptions::default() })?;
    let limbs = limbs(&known);
    let mass: f64 = limbs.iter().map(|(_, bodies)| sum(&known, bodies).mass).sum();
    println!("total: {mass:.3} kg in the model, {:.3} kg of water in the skin", water.mass());
    let skinned = read(&glb, &LoadOptions { unit, mass: Some(mass), ..LoadOptions::default() })?;

    let mut off = 0;
    println!("| limb | model kg | skin kg | factor | inertia, model kg m² | skin kg m² | factor |");
    println!("|---|---|---|---|---|---|---|");
    for (name, bodies) in limbs {
        let (a, b) = (sum(&known, &bodies), sum(&skinned, &bodies));
        let (mass, inertia) = (b.mass / a.mass, b.inertia.trace() / a.inertia.trace());
        let (at, bt) = (a.inertia.trace(), b.inertia.trace());
        println!(
            "| {name} | {:.4} | {:.4} | {mass:.2} | {at:.2e} | {bt:.2e} | {inertia:.2} |",
            a.mass, b.mass
        );
        off += [mass, inertia].iter().filter(|x| !(1.0 / FACTOR..FACTOR).contains(*x)).count();
    }
    println!("{off} of these factors are beyond {FACTOR}");
    Ok(())
}

/// Median of the lengths of the model's bones over those of the same bones of the skin.
fn scale(known: &Creature, skinned: &Creature) -> Option<f64> {
    /// A bone shorter than this, m, tells nothing.
    const SHORTEST: f64 = 1e-4;
    let length = |creature: &Creature, name: &str| {
        let mut data = Data::new(creature);
        let frames = forward_kinematics(creature, &mut data, creature.reference_pose());
        let body = creature.body_index(name)?;
        let parent = creature.bodies()[body].parent;
        let parent_name = creature.bodies()[parent].name.clone();
        Some((parent_name, (frames[body].position - frames[parent].position).norm()))
    };
    let ratio = |name: &String| {
        let ((a, known), (b, skinned)) = (length(known, name)?, length(skinned, name)?);
        (a == b && a != "world" && known > SHORTEST && skinned > SHORTEST).then(|| known / skinned)
    };
    let names: Vec<String> = known.bodies().iter().map(|body| body.name.clone()).collect();
    let mut ratios: Vec<f64> = names.iter().filter_map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

/// Each leg, the neck with the head, the tail, and what is left: names of bodies.
fn limbs(creature: &Creature) -> Vec<(String, HashSet<String>)> {
    let bodies = creature.bodies();
    let up =
        |body: usize| std::iter::successors(Some(body), |&b| Some(bodies[b].parent)).take_while(|&b| b != 0);
    let ends: Vec<_> = creature
        .landmarks()
        .iter()
        .filter(|mark| matches!(mark.role, Role::Foot | Role::Head | Role::Tail))
        .collect();
    let mut users = vec![0; bodies.len()];
    for mark in &ends {
        up(mark.body).for_each(|body| users[body] += 1);
    }
    // A ball that lies beside the creature is no part of it.
    let tops: HashSet<usize> = ends.iter().filter_map(|mark| up(mark.body).last()).collect();
    let is_own = |&body: &usize| up(body).last().is_some_and(|top| tops.contains(&top));
    let mut rest: HashSet<String> =
        (1..bodies.len()).filter(is_own).map(|body| bodies[body].name.clone()).collect();
    let mut limbs = Vec::new();
    for mark in ends {
        let Some(top) = up(mark.body).take_while(|&body| users[body] == 1).last() else { continue };
        let below = (1..bodies.len()).filter(|&body| up(body).any(|above| above == top));
        let names: HashSet<String> = below.map(|body| bodies[body].name.clone()).collect();
        rest.retain(|name| !names.contains(name));
        limbs.push((format!("{} from {}", mark.name(), bodies[top].name), names));
    }
    limbs.push(("trunk".into(), rest));
    limbs
}

/// Mass properties of some bodies together, in the reference pose.
fn sum(creature: &Creature, names: &HashSet<String>) -> MassProperties {
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, creature.reference_pose());
    let pieces: Vec<MassProperties> = creature
        .bodies()
        .iter()
        .zip(frames)
        .filter(|(body, _)| names.contains(&body.name))
        .map(|(body, frame)| {
            let turn = gambol::model::orientation_of(&frame.rotation);
            body.mass.transformed(&Isometry3::from_parts(frame.position.into(), turn))
        })
        .collect();
    MassProperties::sum(&pieces)
}

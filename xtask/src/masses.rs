//! `cargo xtask masses MODEL.xml SKIN.skn`: mass and inertia of limbs from a skin alone, against the model it belongs to.
//!
//! The skin becomes a GLB and that a creature. Density cannot be seen on a skin, so the total is compared at the density
//! of water and limbs after the total is given.

use std::collections::HashSet;
use std::path::Path;

use gambol::dynamics::{Data, forward_kinematics};
use gambol::model::{Creature, MassProperties, Role};
use gambol::{LoadOptions, load};
use nalgebra::{Isometry3, UnitQuaternion};

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
    let unit = Some(1.0);
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
            let turn = UnitQuaternion::from_matrix(&frame.rotation);
            body.mass.transformed(&Isometry3::from_parts(frame.position.into(), turn))
        })
        .collect();
    MassProperties::sum(&pieces)
}

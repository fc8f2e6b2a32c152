//! Our side of `cargo xtask bench modes`: `modes_bench CREATURE SECONDS` prints the best time of a modal analysis
//! as JSON, the mass matrix included, with the frequencies it found.
//!
//! CREATURE is a file, a name from the gallery, a name with `+head` (the orientation of the head is fixed) or `+cart`
//! (both hands push a cart forward), or `chain:DOFS`, of which the lowest 20 vibrations are computed. Every joint has
//! the stiffness 20.

use std::error::Error;
use std::time::{Duration, Instant};

use gambol::LoadOptions;
use gambol::dynamics::{Data, forward_kinematics};
use gambol::model::{BodyPoint, Constraint, ConstraintKind, Creature, JointKind, Vec3, samples};
use gambol::modes::{Settings, analyze};
use gambol::motion::Direction;

const STIFFNESS: f64 = 20.0;
/// Lowest vibrations of a chain.
const LOWEST: usize = 20;
/// Coordinates, and rigid motions, of a free root.
const ROOT: usize = 6;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, name, seconds] = arguments.as_slice() else {
        return Err("usage: modes_bench CREATURE SECONDS".into());
    };
    let (mut creature, count) = match name.strip_prefix("chain:") {
        Some(dofs) => (samples::chain(dofs.parse::<usize>()? + 1 - ROOT), Some(ROOT + LOWEST)),
        None => (gambol::load(name.split('+').next().unwrap_or(name), &LoadOptions::default())?, None),
    };
    for joint in 0..creature.joints().len() {
        if creature.joints()[joint].kind != JointKind::Free {
            creature.set_stiffness(joint, STIFFNESS)?;
        }
    }
    let q = creature.reference_pose().to_vec();
    creature.set_rest_pose(&q)?;
    let mut data = Data::new(&creature);
    forward_kinematics(&creature, &mut data, &q);
    let constraints = match name.split('+').nth(1) {
        None => Vec::new(),
        Some(demand) => vec![constraint(&creature, &data, demand).ok_or("no such constraint")?],
    };
    let settings = Settings { count, constraints };

    let end = Instant::now() + Duration::try_from_secs_f64(seconds.parse()?)?;
    let mut best = Duration::MAX;
    let modes = loop {
        let start = Instant::now();
        let modes = analyze(&creature, &mut data, &q, &settings)?;
        best = best.min(start.elapsed());
        if Instant::now() > end {
            break modes;
        }
    };
    let frequencies: Vec<f64> = modes.flexible().iter().filter_map(Direction::frequency).collect();
    let result = serde_json::json!({
        "dofs": creature.nv(),
        "total": best.as_nanos() as f64,
        "frequencies": frequencies,
    });
    println!("{result}");
    Ok(())
}

/// What the paper demands of its human; `None` if the creature has no such parts.
fn constraint(creature: &Creature, data: &Data, demand: &str) -> Option<Constraint> {
    let kind = match demand {
        "head" => {
            let body = creature.landmark("head")?.body;
            ConstraintKind::Orientation { body, world_from_body: data.frames[body].rotation }
        }
        "cart" => {
            let hand =
                |name| creature.landmark(name).map(|hand| BodyPoint { body: hand.body, point: hand.point });
            let hands = vec![hand("hand.left")?, hand("hand.right")?];
            let in_world = |hand: &BodyPoint| data.frames[hand.body].point_in_world(hand.point);
            let positions_in_world = hands.iter().map(in_world).collect();
            ConstraintKind::Cart { hands, positions_in_world, forward: Vec3::x() }
        }
        _ => return None,
    };
    Some(Constraint { name: demand.to_owned(), kind })
}

//! The paper's open loop (Kry et al. 2009, section 4.1, figure 2): two vibrations a quarter of a cycle apart make the loop
//! creature roll and the linear creature crawl, and the sign of the phase decides which way. In phase there is no
//! travelling wave, so the loop stays about where it is. The thresholds are those that a prototype in MuJoCo met;
//! `cargo xtask pump` repeats the runs there. A creature that slid or fell by itself would fail the signs.

use std::f64::consts::TAU;

use gambol_control::{Plan, Pump, Report, Rollout, Status, Wave, rollouts, soft_ground, stand_on, suggest};
use gambol_dynamics::{Data, State, StepSettings, Terrain, World, center_of_mass};
use gambol_model::{Creature, Joint, math};
use gambol_modes::{Settings, analyze};
use gambol_motion::Basis;

const SECONDS: f64 = 8.0;

fn load(name: &str) -> (Creature, Basis) {
    let mut creature = gambol::load(name, &gambol::LoadOptions::default()).unwrap();
    let pose = creature.reference_pose().to_vec();
    creature.set_rest_pose(&pose).unwrap();
    let modes = analyze(&creature, &mut Data::new(&creature), &pose, &Settings::default()).unwrap();
    (creature, modes)
}

/// Reports of one run per phase between the two modes, degrees.
fn pump(name: &str, step: f64, phases: &[f64]) -> Vec<Report> {
    let (creature, modes) = load(name);
    run(&creature, &modes, step, phases, false).into_iter().map(|run| run.report).collect()
}

/// The runs themselves, with every step as a pose if `all`.
fn run(creature: &Creature, modes: &Basis, step: f64, phases: &[f64], all: bool) -> Vec<Rollout> {
    let settings = StepSettings { step, contact: soft_ground(creature), ..StepSettings::default() };
    let mut start = modes.mean().to_vec();
    stand_on(creature, &Terrain::Flat, &mut start);
    let pumps: Vec<Pump> = phases
        .iter()
        .map(|phase| {
            let mut waves = suggest(creature, modes, &[]);
            waves[1].phase = phase.to_radians();
            Pump::new(creature, modes, &waves).unwrap()
        })
        .collect();
    let still = vec![0.0; creature.nv()];
    let plan = |pump| Plan {
        fps: if all { 1.0 / step } else { 60.0 },
        keep_poses: all,
        ..Plan::new(pump, State::new(&start, &still), SECONDS)
    };
    let plans: Vec<Plan> = pumps.iter().map(|pump| plan(pump)).collect();
    let world = World::new(creature.clone(), settings).unwrap();
    let runs = rollouts(&world, &plans, 2);
    for run in &runs {
        assert_eq!(run.status, Status::Finished);
    }
    runs
}

/// Half a metre a second, and a fifth of that, are what is asked of the loop.
fn assert_rolls(step: f64) {
    let [ahead, behind, standing] = pump("loop", step, &[90.0, -90.0, 0.0]).try_into().unwrap();
    let speed = |report: &Report| report.displacement.x / SECONDS;
    let (ahead, behind, standing) = (speed(&ahead), speed(&behind), speed(&standing));
    assert!(ahead * behind < 0.0, "{ahead} and {behind} m/s");
    let slower = ahead.abs().min(behind.abs());
    assert!(slower > 0.5, "{ahead} and {behind} m/s");
    assert!(standing.abs() < 0.2 * slower, "{standing} m/s in phase, {slower} m/s otherwise");
}

#[test]
fn the_loop_rolls_the_way_of_the_phase() {
    assert_rolls(0.002);
}

#[test]
fn so_it_does_at_half_the_step() {
    assert_rolls(0.001);
}

#[test]
fn the_linear_creature_crawls_the_way_of_the_phase() {
    // A tenth of its length a second, either way, and about as fast: front and rear of it are alike.
    let [ahead, behind] = pump("linear", 0.002, &[90.0, -90.0]).try_into().unwrap();
    let (ahead, behind) = (ahead.displacement.x / SECONDS, behind.displacement.x / SECONDS);
    assert!(ahead * behind < 0.0, "{ahead} and {behind} m/s");
    assert!(ahead.abs().min(behind.abs()) > 0.09, "{ahead} and {behind} m/s");
    assert!((ahead + behind).abs() < 0.5 * (ahead - behind).abs(), "{ahead} and {behind} m/s");
}

/// What a creature is called means nothing: what the gallery knows of its linear creature comes along with it, and the same
/// body under the same name from elsewhere is pumped by its weight.
#[test]
fn a_preset_comes_with_the_creature_and_not_with_its_name() {
    let amplitudes = |creature: &Creature| {
        let pose = creature.reference_pose();
        let modes = analyze(creature, &mut Data::new(creature), pose, &Settings::default()).unwrap();
        suggest(creature, &modes, &[]).iter().map(|wave| (wave.amplitude, wave.frequency)).collect::<Vec<_>>()
    };
    let (kept, _) = load("linear");
    assert_eq!(amplitudes(&kept), [(0.6, 5.0); 2]);
    let entry = gambol::gallery::find("linear").unwrap();
    let spec = gambol::formats::load_str("linear.xml", entry.mjcf, &gambol::LoadOptions::default()).unwrap();
    let bare = spec.build().unwrap();
    assert_eq!(bare.name(), kept.name());
    for (amplitude, frequency) in amplitudes(&bare) {
        assert!(amplitude > 0.0 && amplitude <= 0.5 && frequency != 5.0, "{amplitude} rad at {frequency} Hz");
    }
}

#[test]
fn rolling_is_paid_for() {
    const STEP: f64 = 0.002;
    let (creature, modes) = load("loop");
    let [run] = run(&creature, &modes, STEP, &[90.0], true).try_into().unwrap();
    let report = run.report;
    // The budget closes by definition; each part must have the sign that physics gives it.
    let budget = report.budget;
    assert!(budget.drive > 0.0 && budget.damping > 0.0 && budget.contact > 0.0, "{budget:?}");
    // What it cost, from the poses of the clip alone: a spring of energy ½ k (q − r)² whose rest r moves gets −k (q − r) dr.
    let mut waves = suggest(&creature, &modes, &[]);
    waves[1].phase = 90_f64.to_radians();
    let slowest = waves.iter().map(|wave| wave.frequency).fold(f64::INFINITY, f64::min);
    let rest = |joint: &Joint, time: f64| -> f64 {
        let begun = (time * slowest).min(1.0);
        let swing = |wave: &Wave| {
            let shape = modes.directions()[wave.mode].shape[joint.v];
            wave.amplitude * math::sin(TAU * wave.frequency * time + wave.phase) * shape
        };
        modes.mean()[joint.q] + begun * begun * (3.0 - 2.0 * begun) * waves.iter().map(swing).sum::<f64>()
    };
    // The sixteenth joint, which closes the ring, is a tendon over the other fifteen.
    let spring = |joint: usize| (creature.joints()[joint].stiffness, vec![(joint, 1.0)]);
    let springs = (0..creature.joints().len()).map(spring);
    let tendons = creature.tendons().iter().map(|tendon| (tendon.stiffness, tendon.terms.clone()));
    let (mut drive, mut positive) = (0.0, 0.0);
    for (stiffness, terms) in springs.chain(tendons).filter(|(stiffness, _)| *stiffness > 0.0) {
        let sum = |of: &dyn Fn(&Joint) -> f64| -> f64 {
            terms.iter().map(|(joint, share)| share * of(&creature.joints()[*joint])).sum()
        };
        for (pose, time) in run.clip.poses.windows(2).zip(run.clip.times.windows(2)) {
            let [before, after] = [0, 1].map(|k| sum(&|joint| rest(joint, time[k])));
            let [from, to] = [0, 1].map(|k: usize| sum(&|joint| pose[k][joint.q]));
            let work = -stiffness * 0.5 * (from + to - before - after) * (after - before);
            drive += work;
            positive += work.max(0.0);
        }
    }
    // The books are kept at the middle of a step, as the sum above: alike to what a step bends the way of a joint.
    assert!((drive / budget.drive - 1.0).abs() < 2e-3, "{drive} J, {budget:?}");
    assert!((positive / budget.positive_drive - 1.0).abs() < 2e-3, "{positive} J, {budget:?}");
    let mut data = Data::new(&creature);
    let mut at = |pose: &[f64]| center_of_mass(&creature, &mut data, pose).xy();
    let way = (at(&run.clip.poses[run.clip.poses.len() - 1]) - at(&run.clip.poses[0])).norm();
    let weight = 16.0 * 0.046_542_352_75 * 9.81; // the gallery's file: sixteen boxes
    let cost = report.cost_of_transport.unwrap();
    assert!((cost / (positive / (weight * way)) - 1.0).abs() < 2e-3, "{cost}");
    // Some body bears the weight at any time: the loads of all make up the weight, but for what the centre of mass
    // gained in momentum, m v / t.
    let load: f64 = report.touching.iter().map(|touching| touching.load).sum();
    assert!((load - weight).abs() < 0.05 * weight, "{load} N of {weight} N");
}

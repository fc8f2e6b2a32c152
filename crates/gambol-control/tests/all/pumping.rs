//! The paper's open loop (Kry et al. 2009, section 4.1, figure 2): two vibrations a quarter of a cycle apart make the loop
//! creature roll and the linear creature crawl, and the sign of the phase decides which way. In phase there is no
//! travelling wave, so the loop stays about where it is. The thresholds are those that a prototype in MuJoCo met;
//! `cargo xtask pump` repeats the runs there. A creature that slid or fell by itself would fail the signs.

use gambol_control::{Plan, Pump, Report, Status, rollouts, soft_ground, stand_on, suggest};
use gambol_dynamics::{Data, State, StepSettings, Terrain, World};
use gambol_model::Creature;
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
    let settings = StepSettings { step, contact: soft_ground(&creature), ..StepSettings::default() };
    let mut start = modes.mean().to_vec();
    stand_on(&creature, &Terrain::Flat, &mut start);
    let pumps: Vec<Pump> = phases
        .iter()
        .map(|phase| {
            let mut waves = suggest(&creature, &modes, &[]);
            waves[1].phase = phase.to_radians();
            Pump::new(&creature, &modes, &waves).unwrap()
        })
        .collect();
    let still = vec![0.0; creature.nv()];
    let plans: Vec<Plan> =
        pumps.iter().map(|pump| Plan::new(pump, State::new(&start, &still), SECONDS)).collect();
    let world = World::new(creature, settings).unwrap();
    let runs = rollouts(&world, &plans, 2);
    for run in &runs {
        assert_eq!(run.status, Status::Finished);
    }
    runs.into_iter().map(|run| run.report).collect()
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
    let [report] = pump("loop", 0.002, &[90.0]).try_into().unwrap();
    // The budget closes by definition; each part must have the sign that physics gives it.
    let budget = report.budget;
    assert!(budget.drive > 0.0 && budget.damping > 0.0 && budget.contact > 0.0, "{budget:?}");
    assert!(budget.positive_drive >= budget.drive);
    let cost = report.cost_of_transport.unwrap();
    let weight = 16.0 * 0.046_542_352_75 * 9.81; // the gallery's file: sixteen boxes
    let way = report.displacement.xy().norm();
    assert!((cost - budget.positive_drive / (weight * way)).abs() < 1e-6 * cost);
    // Some body bears the weight at any time: the loads of all make up the weight, but for what the centre of mass
    // gained in momentum, m v / t.
    let load: f64 = report.touching.iter().map(|touching| touching.load).sum();
    assert!((load - weight).abs() < 0.05 * weight, "{load} N of {weight} N");
}

//! `cargo xtask strides`: what the search for controllers finds, over many seeds (Nunes et al. 2012, sections 8.1, 8.2 and 8.4).

use std::sync::Arc;

use gambol::LoadOptions;
use gambol::control::locomotion::{
    Balance, Balanced, Bursts, Judge, Stride, StrideSearch, StrideSettings, Upright, cycle_clip,
    read_controller, spectrum, world,
};
use gambol::control::search::{Method, Outcome, SearchSettings, Threads};
use gambol::control::sketch::{Phase, Sketch, Stage, read};
use gambol::control::{AnyController, Plan, rollouts};
use gambol::dynamics::{Data, State, Terrain, World};
use gambol::gait::{ForceSettings, Legs, StanceSettings, forces};
use gambol::modes::Reader;
use gambol::picture::{ClipOptions, View, clip_strip};
use gambol::render::force_curves;

use crate::replay;
use crate::shell::{Result, root};

/// Keys of a cycle per second, for its spectrum.
const FPS: f64 = 120.0;

/// A gap that is too wide to be shown as a loop, rad or m: wider than any that is left by a search that converged.
const WIDE: f64 = 0.1;

/// Cycles that a controller has to stay up for.
const CYCLES: f64 = 20.0;

/// What one search came to.
struct Trial {
    converged: bool,
    evaluations: usize,
    product: f64,
    /// Share of the motion that is not along modes with priority.
    distance: f64,
}

fn load(name: &str) -> std::result::Result<gambol::model::Creature, String> {
    gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string())
}

fn sketch(name: &str) -> Result<(Sketch, Stage)> {
    let text = gambol::gallery::sketch(name).ok_or_else(|| format!("there is no sketch {name}"))?;
    read(text, load).map_err(|error| error.to_string())
}

/// Section 8.4: the sketch's modes against all joints, the twelve lowest modes and the modes with priority alone; and the
/// search of the paper against ours.
pub(crate) fn compare(name: &str, seeds: u64, budget: usize) -> Result<()> {
    let (own, stage) = sketch(name)?;
    let with = |permissible: Option<Vec<usize>>| {
        let mut sketch = own.clone();
        sketch.flight.permissible.clone_from(&permissible);
        sketch.ground.permissible = permissible;
        let stage = Stage::new(&sketch, load(&sketch.creature)?).map_err(|misfit| misfit.to_string())?;
        Ok::<_, String>((sketch, stage))
    };
    let (naive, naive_stage) = with(None)?;
    let (narrow, narrow_stage) = with(Some(Vec::new()))?;
    let joints = stage.clone().joint_by_joint();
    println!("{name}, {seeds} seeds, at most {budget} cycles simulated each\n");
    println!(
        "| torques along | numbers | converged | cycles simulated | E_v E_e | motion not along the sketch |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    let closing = Method::Closing;
    row("modes of the sketch", &own, &stage, &stage, closing, seeds, budget)?;
    row(
        "the same, initial state and search of the paper",
        &own,
        &stage,
        &stage,
        Method::Multipliers,
        seeds,
        budget,
    )?;
    row("all joints (canonical)", &own, &joints, &stage, closing, seeds, budget)?;
    row("the twelve lowest modes (naive)", &naive, &naive_stage, &stage, closing, seeds, budget)?;
    row("modes with priority alone", &narrow, &narrow_stage, &stage, closing, seeds, budget)
}

/// `own`: the stage that knows the modes with priority.
fn row(
    name: &str,
    sketch: &Sketch,
    stage: &Stage,
    own: &Stage,
    method: Method,
    seeds: u64,
    budget: usize,
) -> Result<()> {
    let stage = Arc::new(stage.clone());
    let mut numbers = 0;
    let mut trials = Vec::new();
    for seed in 1..=seeds {
        let settings = SearchSettings { method, seed, budget, ..SearchSettings::default() };
        let step = StrideSettings::default().step;
        let mut search =
            StrideSearch::of_sketch(sketch, &stage, step, settings).map_err(|error| error.to_string())?;
        numbers = search.problem().space().dimension();
        let outcome = search.run(&mut Threads(threads()), &mut |_| true);
        let evaluations = search.evaluations();
        let Some((stride, score)) = search.nearest_stride() else { continue };
        trials.push(Trial {
            converged: outcome == Outcome::Converged,
            evaluations,
            product: score.product(),
            distance: 1.0 - along_priority(own, &stage, search.problem().world(), &stride),
        });
        eprintln!("{name}, seed {seed}: {outcome:?} after {evaluations} cycles");
    }
    let good: Vec<&Trial> = trials.iter().filter(|trial| trial.converged).collect();
    let median = |of: &dyn Fn(&Trial) -> f64| {
        let mut values: Vec<f64> = good.iter().map(|trial| of(trial)).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let told = |x: Option<f64>, factor: f64, digits: usize| {
        x.map_or_else(|| "–".to_owned(), |x| format!("{:.digits$}", factor * x))
    };
    println!(
        "| {name} | {numbers} | {} of {} | {} | {} | {} % |",
        good.len(),
        trials.len(),
        told(median(&|trial| trial.evaluations as f64), 1.0, 0),
        told(median(&|trial| trial.product), 1.0, 0),
        told(median(&|trial| trial.distance), 100.0, 0),
    );
    Ok(())
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Share of a stride's motion that is along modes with priority in flight, of `own`, which may be another stage of the creature.
fn along_priority(own: &Stage, stage: &Stage, world: &World, stride: &Stride) -> f64 {
    let clip = cycle_clip(stage, world, stride, FPS, WIDE);
    let shares = spectrum(own, Phase::Flight, &clip.poses);
    own.active[0].iter().filter(|active| active.priority.is_some()).map(|active| shares[active.mode]).sum()
}

/// Controllers, all of the gallery if none is named: how long they stay up, and what vibrations they are made of (sections 8.1
/// and 8.2). With `film`, also as strips in docs/controllers.
pub(crate) fn tell(names: &[String], film: bool) -> Result<()> {
    let all = || gambol::gallery::controllers().iter().map(|(name, _)| (*name).to_owned()).collect();
    let names: Vec<String> = if names.is_empty() { all() } else { names.to_vec() };
    println!(
        "| controller | cycles per second | m/s | deviations grow by, per half cycle | corrected | up, cycles | corrected | largest vibrations, % of the motion |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|---|");
    for name in &names {
        let (sketch, stage, stride, step) =
            read_controller(&replay::text(name)?, load).map_err(|error| error.to_string())?;
        let world = world(&stage, step).map_err(|error| error.to_string())?;
        let speed = Judge::new(&stage, &world).cycle(&stride, false).score.speed;
        let [free, held] = Balance::new(&stage, &world, &stride).growth();
        let [alone, corrected] = cycles_up(&stage, &world, &stride);
        println!(
            "| `{}` | {:.2} | {speed:.2} | {free:.2} | {held:.2} | {alone} | {corrected} | {} |",
            sketch.name,
            stride.period.recip(),
            largest(&stage, &world, &stride)?
        );
        if film {
            strips(&sketch.name, &stage, &world, &stride)?;
        }
    }
    Ok(())
}

/// One cycle from the side, with its forces, and of legs that alternate from the front too.
fn strips(name: &str, stage: &Stage, world: &World, stride: &Stride) -> Result<()> {
    let clip = cycle_clip(stage, world, stride, FPS, WIDE);
    let (creature, mut data) = (&stage.creature, Data::new(&stage.creature));
    let legs = Legs::new(creature, &mut data, creature.rest_pose());
    let settings = (&ForceSettings::default(), &StanceSettings::default());
    let measured = forces(creature, &mut data, &legs, &Terrain::Flat, &clip, settings);
    let curves = force_curves(&measured.map_err(|error| format!("{name}: {error}"))?);
    let views = [(View::side(), "", Some(&curves)), (View::front(), "-front", None)];
    for (view, ending, forces) in views.into_iter().take(if stage.mirror.is_some() { 2 } else { 1 }) {
        let (title, view) = (Some(name.to_owned()), Some(view));
        let options = ClipOptions { title, view, forces, ..ClipOptions::default() };
        let picture = clip_strip(&stage.creature, &clip, &options).map_err(|error| error.to_string())?;
        let path = root().join(format!("docs/controllers/{name}{ending}.svg"));
        std::fs::write(&path, picture.to_svg()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The four largest vibrations of a stride in the basis of flight.
fn largest(stage: &Stage, world: &World, stride: &Stride) -> Result<String> {
    let creature = &stage.creature;
    let clip = cycle_clip(stage, world, stride, FPS, WIDE);
    let shares = spectrum(stage, Phase::Flight, &clip.poses);
    let mut data = Data::new(creature);
    let reader = Reader::new(creature, &mut data, creature.rest_pose()).map_err(|error| error.to_string())?;
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]));
    let told = order.iter().take(4).map(|&mode| {
        let name = reader.read(&mut data, &stage.flight.directions()[mode]).name;
        let wanted = stage.active[0].iter().any(|active| active.mode == mode && active.priority.is_some());
        let (mark, share) = (if wanted { "**" } else { "" }, 100.0 * shares[mode]);
        format!("{mark}{name}{mark} {share:.0}")
    });
    Ok(told.collect::<Vec<_>>().join(", "))
}

/// Cycles that a stride stays up for, of [`CYCLES`], by the clock alone and with corrections.
fn cycles_up(stage: &Stage, world: &World, stride: &Stride) -> [String; 2] {
    let bursts = Bursts::new(stage, stride, world.settings().step);
    let balanced = Balanced::new(bursts.clone(), Balance::new(stage, world, stride));
    [&bursts as &dyn AnyController, &balanced].map(|controller| {
        let start = State::new(&stride.q, &stride.v);
        let plan = Plan { keep_poses: true, ..Plan::new(controller, start, CYCLES * stride.period) };
        let rollout = rollouts(world, &[plan], 1).swap_remove(0);
        let ground = world.settings().ground.as_ref();
        match Upright::new(stage).fall(&stage.creature, &rollout.clip, ground) {
            Some(fall) => format!("{:.1}", fall.time / stride.period),
            None => format!("all {CYCLES:.0}"),
        }
    })
}

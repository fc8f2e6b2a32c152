//! `cargo xtask motion FOLDER`: recordings as bases and packed, and frames posed by their handles, as tables for docs/motion.md.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use gambol::model::{BodyPoint, Creature, Random};
use gambol::motion::{
    Basis, Clip, ElasticSettings, EndsChoice, EndsSettings, FrameSelector, GeodesicSettings, Geodesics, Keep,
    Metric, Pack, PackSettings, PackTarget, PoseFrames, PoseProcess, Prior, ProcessMethod, ProcessSettings,
    RootMotion, SelectorSettings, bone_end, pack, pack_ends, reconstruct,
};
use gambol::{MotionOptions, load_motion, load_motions};

use crate::shell::Result;

/// Largest errors that clips are packed with, m: what ACL 2.1 at level high keeps of these recordings with precisions of 1 and 5 mm.
const ERRORS: [f64; 2] = [1.5e-3, 7e-3];

/// Handles of people in CMU's recordings.
const HANDLES: [&str; 5] = ["head", "lfingers", "rfingers", "ltoes", "rtoes"];

/// Frames of each recording that are posed, equally spaced.
const FRAMES: usize = 40;

pub(crate) fn run(folder: &Path) -> Result<()> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "amc" || ending == "bvh"))
        .collect();
    files.sort();
    directions(&files)?;
    sizes(&files)?;
    ends(&files)?;
    speeds(&files)?;
    poses(&files)?;
    processes(&files)
}

fn name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn load(file: &Path) -> Result<(Creature, Clip)> {
    let mut motion = load_motion(file, &MotionOptions::default()).map_err(|error| error.to_string())?;
    motion.drop_first_apart();
    Ok((motion.creature, motion.clip))
}

fn geodesics(creature: &Creature, clip: &Clip, metric: Metric) -> Result<Geodesics> {
    let settings = GeodesicSettings { keep: Keep::All, metric: Some(metric) };
    Basis::from_clips(creature, [clip], &settings).map_err(|error| error.to_string())
}

/// Directions for 95 and 99 % of the variance, by metric.
fn directions(files: &[PathBuf]) -> Result<()> {
    println!("| recording | frames | joint | position | mass |\n|---|--:|--:|--:|--:|");
    for file in files {
        let (creature, clip) = load(file)?;
        let mut cells = Vec::new();
        for metric in [Metric::Joint, Metric::position(&creature), Metric::Mass] {
            let found = geodesics(&creature, &clip, metric)?;
            cells.push(format!("{}/{}", found.directions_for(0.95), found.directions_for(0.99)));
        }
        println!("| {} | {} | {} |", name(file), clip.times.len(), cells.join(" | "));
    }
    println!();
    Ok(())
}

/// Bytes at equal largest errors.
fn sizes(files: &[PathBuf]) -> Result<()> {
    println!(
        "| recording | at most, mm | bytes | a frame | root mean square, mm | d, % | knots | directions |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for file in files {
        let (creature, clip) = load(file)?;
        for error in ERRORS {
            let settings = PackSettings { target: PackTarget::MaxError(error), count: None };
            let report = pack(&creature, &clip, &settings).map_err(|error| error.to_string())?;
            let (bytes, found) = (report.bytes.len(), &report.comparison);
            println!(
                "| {} | {:.2} | {bytes} | {:.1} | {:.2} | {:.3} | {} | {} |",
                name(file),
                1e3 * found.shell_error,
                bytes as f64 / clip.times.len() as f64,
                1e3 * found.rms,
                found.distortion,
                report.segment,
                report.directions
            );
        }
    }
    println!();
    Ok(())
}

/// Rows of table 2 of Tournier and others (2009) whose recordings are there: directions, levels of the root and of the ends, and the printed
/// distortion, %.
const TABLE_2: [(&str, usize, [usize; 2], f64); 2] =
    [("09_06", 6, [4, 4], 0.36), ("17_10", 12, [8, 9], 0.49)];

/// Clips as trajectories of their ends, at the paper's settings.
fn ends(files: &[PathBuf]) -> Result<()> {
    println!("| recording | metric | ratio | d, % | d², % | printed | root mean square, mm | bytes |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    for (recording, count, levels, printed) in TABLE_2 {
        let Some(file) = files.iter().find(|file| name(file) == recording) else { continue };
        let (creature, clip) = load(file)?;
        for metric in [Metric::Joint, Metric::position(&creature)] {
            let settings = EndsSettings { count, ..EndsSettings::default() };
            let choice =
                EndsChoice { levels: Some(levels), metric: Some(metric.clone()), ..EndsChoice::default() };
            let report =
                pack_ends(&creature, &clip, &settings, &choice).map_err(|error| error.to_string())?;
            let found = &report.comparison;
            println!(
                "| {recording} | `{}` | 1:{:.1} | {:.2} | {:.3} | {printed} | {:.1} | {} |",
                metric.name(),
                report.floats[0] as f64 / report.floats[1] as f64,
                found.distortion,
                found.distortion_squared,
                1e3 * found.rms,
                report.bytes.len()
            );
        }
    }
    println!();
    Ok(())
}

/// What reading takes, of the longest recording: a pose at a random time, and one by inverse kinematics.
fn speeds(files: &[PathBuf]) -> Result<()> {
    /// Random times; some milliseconds altogether.
    const TIMES: usize = 100_000;
    let Some(file) = files.iter().find(|file| name(file) == "17_10") else { return Ok(()) };
    let (creature, clip) = load(file)?;
    let told = |error: gambol::motion::PackError| error.to_string();
    let direct = pack(&creature, &clip, &PackSettings::default()).map_err(told)?;
    let ends = pack_ends(&creature, &clip, &EndsSettings::default(), &EndsChoice::default()).map_err(told)?;
    let read = Pack::open(&creature, &direct.bytes).map_err(told)?;
    let mut random = Random::new(1);
    let times: Vec<f64> = (0..TIMES).map(|_| random.unit() * read.duration()).collect();
    let mut pose = vec![0.0; read.nq()];
    let mut sum = 0.0;
    let began = Instant::now();
    for time in &times {
        read.sample(*time, &mut pose);
        sum += pose[0];
    }
    let sampled = began.elapsed().as_secs_f64() / TIMES as f64;
    let began = Instant::now();
    Pack::open(&creature, &ends.bytes).map_err(told)?;
    let solved = began.elapsed().as_secs_f64() / clip.times.len() as f64;
    println!("| of 17_10 | µs |\n|---|--:|");
    println!("| `Pack::sample` at random times (their sum {sum:.0}) | {:.2} |", 1e6 * sampled);
    println!("| a frame of `--method ik`, as the file is opened | {:.1} |\n", 1e6 * solved);
    Ok(())
}

/// Ways of posing.
const WAYS: usize = 6;

/// Frames of each recording posed by what all others say, mean distance of bone ends, mm.
fn poses(files: &[PathBuf]) -> Result<()> {
    println!(
        "| recording | frames, root given | root free | Gaussian, root given | root free | elastic, root given | root free |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let mut sums = [0.0; WAYS];
    for file in files {
        let (creature, clip) = load(file)?;
        let row = posed(files, file, &creature, &clip)?;
        let told: Vec<String> = row.iter().map(|metres| format!("{:.1}", 1e3 * metres)).collect();
        println!("| {} | {} |", name(file), told.join(" | "));
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / files.len() as f64);
    }
    let told: Vec<String> = sums.iter().map(|metres| format!("{:.1}", 1e3 * metres)).collect();
    println!("| mean | {} |", told.join(" | "));
    Ok(())
}

/// Rounds that processes are trained for; the paper's.
const ROUNDS: usize = 100;

/// Gaussian processes of the same frames: how long they train, and how near they come.
fn processes(files: &[PathBuf]) -> Result<()> {
    println!("| method | frames | training, s | root given, mm | handles, mm | a pose, ms |");
    println!("|---|--:|--:|--:|--:|--:|");
    for (method, keep) in [
        (ProcessMethod::Full, 500),
        (ProcessMethod::Dtc, 500),
        (ProcessMethod::Pitc, 500),
        (ProcessMethod::Fitc, 500),
        (ProcessMethod::Fitc, 2000),
    ] {
        let [mut distance, mut miss, mut trained, mut seconds] = [0.0; 4];
        for file in files {
            let (creature, clip) = load(file)?;
            let frames = frames_of_others(files, file, &creature, keep)?.1;
            let began = Instant::now();
            let begun = PoseProcess::begin(&creature, frames, method, ProcessSettings::default());
            let mut process = begun.map_err(|error| error.to_string())?;
            process.train(ROUNDS, |_, _| ControlFlow::Continue(())).map_err(|error| error.to_string())?;
            trained += began.elapsed().as_secs_f64() / files.len() as f64;
            let handles = handles(&creature)?;
            let prior = Prior::Process(Box::new(process));
            let began = Instant::now();
            let found = reconstruct(&creature, &clip, &prior, &handles, RootMotion::Given, FRAMES)
                .map_err(|error| error.to_string())?;
            seconds += began.elapsed().as_secs_f64() / (FRAMES * files.len()) as f64;
            distance += found.distance / files.len() as f64;
            miss += found.miss / files.len() as f64;
        }
        let [distance, miss, seconds] = [distance, miss, seconds].map(|x| 1e3 * x);
        let name = method.name();
        println!("| `{name}` | {keep} | {trained:.1} | {distance:.1} | {miss:.1} | {seconds:.1} |");
    }
    Ok(())
}

fn handles(creature: &Creature) -> Result<Vec<BodyPoint>> {
    let body = |name: &str| creature.body_index(name).ok_or_else(|| format!("there is no bone {name}"));
    HANDLES.map(|name| body(name).map(|body| bone_end(creature, body))).into_iter().collect()
}

/// All recordings but one, for its skeleton, and the frames that stand for them.
fn frames_of_others(
    files: &[PathBuf],
    file: &Path,
    creature: &Creature,
    keep: usize,
) -> Result<(Vec<Clip>, PoseFrames)> {
    let others: Vec<&Path> = std::iter::once(file)
        .chain(files.iter().map(PathBuf::as_path).filter(|other| *other != file))
        .collect();
    // The first says whose skeleton it is, and is left out of what is learnt.
    let (_, mut clips) =
        load_motions(&others, &MotionOptions::default(), false).map_err(|error| error.to_string())?;
    clips.remove(0);
    let mut selector = FrameSelector::new(creature, SelectorSettings { keep, ..SelectorSettings::default() });
    for pose in clips.iter().flat_map(|clip| &clip.poses) {
        selector.add(pose).map_err(|error| error.to_string())?;
    }
    let frames = selector.finish().map_err(|error| error.to_string())?;
    Ok((clips, frames))
}

fn posed(files: &[PathBuf], file: &Path, creature: &Creature, clip: &Clip) -> Result<[f64; WAYS]> {
    let (clips, frames) = frames_of_others(files, file, creature, SelectorSettings::default().keep)?;
    let settings = GeodesicSettings { keep: Keep::All, metric: None };
    let gaussian = Basis::from_clips(creature, &clips, &settings).map_err(|error| error.to_string())?.basis;
    let priors = [Prior::Frames(frames), Prior::Basis(gaussian), Prior::Elastic(ElasticSettings::default())];
    let handles = handles(creature)?;
    let mut row = [0.0; WAYS];
    let ways =
        priors.iter().flat_map(|prior| [RootMotion::Given, RootMotion::Free].map(|root| (prior, root)));
    for (cell, (prior, root)) in row.iter_mut().zip(ways) {
        let found =
            reconstruct(creature, clip, prior, &handles, root, FRAMES).map_err(|error| error.to_string())?;
        *cell = found.distance;
    }
    Ok(row)
}

//! `cargo xtask motion FOLDER`: recordings as bases and packed, and frames posed by their handles, as tables for docs/motion.md.

use std::path::{Path, PathBuf};

use gambol::model::Creature;
use gambol::motion::{
    Basis, Clip, ElasticSettings, FrameSelector, GeodesicSettings, Geodesics, Keep, Metric, PackSettings,
    PackTarget, Prior, RootMotion, SelectorSettings, bone_end, pack, reconstruct,
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
    poses(&files)
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

fn posed(files: &[PathBuf], file: &Path, creature: &Creature, clip: &Clip) -> Result<[f64; WAYS]> {
    let others: Vec<&Path> = std::iter::once(file)
        .chain(files.iter().map(PathBuf::as_path).filter(|other| *other != file))
        .collect();
    // The first says whose skeleton it is, and is left out of what is learnt.
    let (_, clips) =
        load_motions(&others, &MotionOptions::default(), false).map_err(|error| error.to_string())?;
    let settings = GeodesicSettings { keep: Keep::All, metric: None };
    let gaussian =
        Basis::from_clips(creature, &clips[1..], &settings).map_err(|error| error.to_string())?.basis;
    let mut selector = FrameSelector::new(creature, SelectorSettings::default());
    for pose in clips[1..].iter().flat_map(|clip| &clip.poses) {
        selector.add(pose).map_err(|error| error.to_string())?;
    }
    let frames = selector.finish().map_err(|error| error.to_string())?;
    let priors = [Prior::Frames(frames), Prior::Basis(gaussian), Prior::Elastic(ElasticSettings::default())];
    let body = |name: &str| creature.body_index(name).ok_or_else(|| format!("there is no bone {name}"));
    let handles = HANDLES.map(|name| body(name).map(|body| bone_end(creature, body)));
    let handles = handles.into_iter().collect::<Result<Vec<_>>>()?;
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

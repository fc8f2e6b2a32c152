//! Many searches: every sketch by every seed, one search a thread, into a folder.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use clap::{Args, ValueEnum};
use gambol_control::locomotion::StrideSearch;
use gambol_control::search::{Outcome, Threads};
use gambol_control::sketch::{Sketch, Stage, read};
use gambol_formats::write_file;
use serde::{Deserialize, Serialize};

use super::{KEPT_EVERY, Optimize, STALLED, controller, cores};
use crate::hint::told;
use crate::interrupt::{STOPPED, stop_flag};
use crate::sketch_file::SketchFile;
use crate::table::{plain, right_align};
use crate::{Failure, write_json};

/// What was found, in the folder: a search that is here and left no checkpoint is done.
const FOUND: &str = "found.json";

#[derive(Args)]
pub(super) struct ManyArguments {
    /// Search with each of these seeds, for each SKETCH, each search on a thread of its own; -o is a folder then
    #[arg(long, value_name = "N-M", value_parser = seeds, conflicts_with_all = ["seed", "controller", "preview", "checkpoint"])]
    pub(super) seeds: Option<Seeds>,

    /// Which controllers of a sketch stay in the folder: of the least effort over speed squared, or all
    #[arg(long, value_enum, default_value_t = Keep::Best, requires = "seeds")]
    keep: Keep,
}

/// In the order in which they were given, none twice.
#[derive(Clone)]
pub(super) struct Seeds(Vec<u64>);

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Keep {
    Best,
    All,
}

/// `1-20`, `7`, `1-3,9`.
fn seeds(text: &str) -> Result<Seeds, String> {
    /// More are a mistake: they would take months.
    const MOST: u64 = 100_000;
    let number =
        |word: &str| word.trim().parse::<u64>().map_err(|_| format!("{word:?} is not a whole number"));
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(format!("{part} has no seed in it: expected the smaller one first, as in 1-20"));
        }
        if last - first >= MOST {
            return Err(format!("{part} are more than {MOST} searches"));
        }
        for seed in first..=last {
            if all.contains(&seed) {
                return Err(format!("seed {seed} is given twice"));
            }
            all.push(seed);
        }
    }
    Ok(Seeds(all))
}

/// A sketch, read once for all of its seeds.
struct Prepared {
    file: SketchFile,
    sketch: Sketch,
    stage: Arc<Stage>,
}

/// One search that has ended.
#[derive(Clone, Serialize, Deserialize)]
struct Row {
    sketch: String,
    seed: u64,
    /// `converged`, `stalled` or `stopped`
    status: String,
    /// Cycles simulated in all.
    evaluations: usize,
    best: Option<Best>,
    /// The controller's file in the folder; none where a better one was kept.
    controller: Option<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Best {
    /// m/s
    speed: f64,
    /// N²m²
    effort: f64,
    /// Effort over speed squared, by which searches are compared.
    product: f64,
    /// The largest, in tolerances.
    gap: f64,
}

impl Row {
    fn is_good(&self) -> bool {
        self.status == "converged"
    }

    /// The less the better: who converged comes first, then who takes least, then who is nearest to repeating itself.
    fn rank(&self) -> (bool, f64) {
        let worst = f64::INFINITY;
        let best = self.best.as_ref();
        let worth = if self.is_good() { best.map(|best| best.product) } else { best.map(|best| best.gap) };
        (!self.is_good(), worth.unwrap_or(worst))
    }
}

impl Optimize {
    /// Searches for all, and says how it went.
    pub(super) fn run_many(&self, seeds: &Seeds, out: &mut impl Write) -> Result<(), Failure> {
        let [folder] = self.output.as_slice() else {
            let message = "--seeds needs one folder for what it finds: -o DIR";
            return Err(Failure::Failed(message.to_owned()));
        };
        let sketches = self.prepared()?;
        let jobs: Vec<(&Prepared, u64)> =
            sketches.iter().flat_map(|one| seeds.0.iter().map(move |seed| (one, *seed))).collect();
        let mut rows = self.already_found(folder, &jobs)?;
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::Failed(format!("{}: {error}", folder.display())))?;
        let left: Vec<(&Prepared, u64)> = jobs
            .iter()
            .copied()
            .filter(|(one, seed)| !rows.contains_key(&(one.file.stem(), *seed)))
            .collect();
        self.search_all(folder, &left, &mut rows)?;

        let of_jobs = |(one, seed): &(&Prepared, u64)| rows.get(&(one.file.stem(), *seed)).cloned();
        let mut found: Vec<Row> = jobs.iter().filter_map(of_jobs).collect();
        let is_stopped = found.len() < jobs.len() || found.iter().any(|row| row.status == "stopped");
        if self.many.keep == Keep::Best && !is_stopped {
            drop_all_but_best(folder, &mut found)?;
        }
        write_rows(folder, &found)?;
        if self.json {
            write_json(out, &found)?;
        } else {
            tell(folder, &found, out)?;
        }
        let stems: Vec<String> = sketches.iter().map(|one| one.file.stem()).collect();
        let fails = |stem: &&String| !found.iter().any(|row| row.sketch == **stem && row.is_good());
        if is_stopped {
            Err(Failure::Ended { status: STOPPED, message: Some("stopped; --resume goes on".to_owned()) })
        } else if let Some(stem) = stems.iter().find(fails) {
            let message = Some(format!("no search for {stem} converged"));
            Err(Failure::Ended { status: STALLED, message })
        } else {
            Ok(())
        }
    }

    /// All sketches; nothing is begun if one of them is wrong.
    fn prepared(&self) -> Result<Vec<Prepared>, Failure> {
        let names = std::iter::once(&self.sketch).chain(&self.gait).chain(&self.more);
        let mut all: Vec<Prepared> = Vec::new();
        for name in names {
            let file = SketchFile::read(name)?;
            if all.iter().any(|one| one.file.stem() == file.stem()) {
                let message =
                    format!("two sketches are called {}: their files would be the same", file.stem());
                return Err(Failure::Failed(message));
            }
            let find = |name: &str| file.find(name).map(|(creature, _)| creature);
            let (sketch, stage) = read(&file.text, find).map_err(|error| file.error(&error))?;
            for warning in stage.creature.warnings() {
                eprintln!("gambol: {name}: warning: {}", told(warning));
            }
            all.push(Prepared { file, sketch, stage: Arc::new(stage) });
        }
        Ok(all)
    }

    /// What an earlier run into this folder has done; nothing that is there is lost by mistake.
    fn already_found(
        &self,
        folder: &Path,
        jobs: &[(&Prepared, u64)],
    ) -> Result<BTreeMap<(String, u64), Row>, Failure> {
        if folder.exists() && !folder.is_dir() {
            return Err(Failure::Failed(format!("{} is no folder", folder.display())));
        }
        let list = folder.join(FOUND);
        if !self.search.resume {
            let files = jobs.iter().flat_map(|(one, seed)| files(folder, &one.file, *seed));
            let there = std::iter::once(list).chain(files).find(|file| file.exists());
            return match there.filter(|_| !self.force) {
                Some(file) => {
                    let message =
                        format!("{} exists; --resume goes on from it, --force begins anew", file.display());
                    Err(Failure::Failed(message))
                }
                None => Ok(BTreeMap::new()),
            };
        }
        if !list.exists() {
            return Ok(BTreeMap::new()); // killed before the first had ended
        }
        let failed = |error: &dyn std::fmt::Display| Failure::Failed(format!("{}: {error}", list.display()));
        let text = std::fs::read_to_string(&list).map_err(|error| failed(&error))?;
        let rows: Vec<Row> = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        // One that ended without convergence has left a checkpoint, from which a larger budget leads on.
        let goes_on = |row: &Row| folder.join(format!("{}-{}.checkpoint", row.sketch, row.seed)).exists();
        let done = rows.into_iter().filter(|row| !goes_on(row));
        Ok(done.map(|row| ((row.sketch.clone(), row.seed), row)).collect())
    }

    /// Threads take the next search as soon as they are free, until Ctrl-C.
    fn search_all(
        &self,
        folder: &Path,
        jobs: &[(&Prepared, u64)],
        rows: &mut BTreeMap<(String, u64), Row>,
    ) -> Result<(), Failure> {
        let stop = stop_flag()?;
        let threads = self.search.threads.unwrap_or_else(cores).min(jobs.len());
        let (next, done) = (AtomicUsize::new(0), Mutex::new((rows, Ok::<(), Failure>(()))));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let Some((one, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else {
                            return;
                        };
                        let row = self.search_one(folder, one, *seed, &stop);
                        let Ok(mut done) = done.lock() else { return };
                        match row {
                            Ok(row) => {
                                done.0.insert((row.sketch.clone(), row.seed), row);
                                let all: Vec<Row> = done.0.values().cloned().collect();
                                if let Err(error) = write_rows(folder, &all) {
                                    done.1 = Err(error);
                                }
                            }
                            Err(error) => done.1 = Err(error),
                        }
                        if done.1.is_err() {
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        done.into_inner()
            .map_or_else(|_| Err(Failure::Failed("a search panicked".to_owned())), |(_, ended)| ended)
    }

    /// One search from its checkpoint, if there is one, to its end.
    fn search_one(
        &self,
        folder: &Path,
        one: &Prepared,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Row, Failure> {
        let [checkpoint, written] = files(folder, &one.file, seed);
        let settings = gambol_control::search::SearchSettings { seed, ..self.settings() };
        let is_kept = self.search.resume && checkpoint.exists();
        let mut search =
            self.begun(&one.file, (&one.sketch, &one.stage), &checkpoint, (settings, is_kept))?;
        let keep = |search: &StrideSearch| write_file(&checkpoint, search.checkpoint().as_bytes(), true);
        let began = Instant::now();
        let (mut kept, mut failed) = (began, None);
        let outcome = search.run(&mut Threads(1), &mut |search| {
            if kept.elapsed() >= KEPT_EVERY {
                kept = Instant::now();
                failed = keep(search).err();
            }
            failed.is_none() && !stop.load(Ordering::Relaxed)
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        let stage = (&one.sketch, &*one.stage);
        if let Some(text) = controller(&one.file, Some(&written), &search, stage, &outcome) {
            write_file(&written, text.as_bytes(), true)?;
        }
        if outcome == Outcome::Converged {
            let _ = std::fs::remove_file(&checkpoint);
        } else {
            keep(&search)?;
        }
        let status = match outcome {
            Outcome::Converged => "converged",
            Outcome::Stalled { .. } => "stalled",
            Outcome::Stopped => "stopped",
        };
        let seconds = began.elapsed().as_secs_f64();
        eprintln!(
            "gambol: {}, seed {seed}: {status} after {} cycles; {seconds:.1} s",
            one.file.stem(),
            search.evaluations()
        );
        let best = search.nearest().map(|(_, score)| Best {
            speed: score.speed,
            effort: score.effort,
            product: score.product(),
            gap: search.largest_gap(score),
        });
        Ok(Row {
            sketch: one.file.stem(),
            seed,
            status: status.to_owned(),
            evaluations: search.evaluations(),
            controller: best.and(written.file_name()).map(|name| name.to_string_lossy().into_owned()),
            best,
        })
    }
}

/// Checkpoint and controller of a search.
fn files(folder: &Path, file: &SketchFile, seed: u64) -> [PathBuf; 2] {
    ["checkpoint", "toml"].map(|ending| folder.join(format!("{}-{seed}.{ending}", file.stem())))
}

fn write_rows(folder: &Path, rows: &[Row]) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(rows).map_err(|error| Failure::Failed(error.to_string()))?;
    Ok(write_file(folder.join(FOUND), text.as_bytes(), true)?)
}

/// Of each sketch only the best controller stays.
fn drop_all_but_best(folder: &Path, rows: &mut [Row]) -> Result<(), Failure> {
    let bests: Vec<(String, u64)> = best_of_each(rows).map(|row| (row.sketch.clone(), row.seed)).collect();
    for row in rows.iter_mut().filter(|row| !bests.contains(&(row.sketch.clone(), row.seed))) {
        if let Some(name) = row.controller.take() {
            let file = folder.join(name);
            std::fs::remove_file(&file)
                .map_err(|error| Failure::Failed(format!("{}: {error}", file.display())))?;
        }
    }
    Ok(())
}

/// The best search for each sketch, in their order.
fn best_of_each(rows: &[Row]) -> impl Iterator<Item = &Row> {
    let of_sketch = |sketch: &str| {
        let all = rows.iter().filter(|row| row.sketch == sketch);
        all.min_by(|a, b| a.rank().0.cmp(&b.rank().0).then(a.rank().1.total_cmp(&b.rank().1)))
    };
    let firsts =
        rows.iter().enumerate().filter(|(k, row)| rows[..*k].iter().all(|old| old.sketch != row.sketch));
    firsts.filter_map(move |(_, row)| of_sketch(&row.sketch))
}

fn tell(folder: &Path, rows: &[Row], out: &mut impl Write) -> Result<(), Failure> {
    let header =
        ["sketch", "converged", "cycles", "best seed", "m/s", "effort, N²m²", "effort/speed²", "controller"];
    let mut table = plain(&header);
    right_align(&mut table, &[2, 3, 4, 5, 6]);
    for best in best_of_each(rows) {
        let of_it: Vec<&Row> = rows.iter().filter(|row| row.sketch == best.sketch).collect();
        let good = of_it.iter().filter(|row| row.is_good()).count();
        let mut cycles: Vec<usize> = of_it.iter().map(|row| row.evaluations).collect();
        cycles.sort_unstable();
        let number = |what: fn(&Best) -> f64, digits: usize| {
            best.best.as_ref().map_or_else(|| "–".to_owned(), |best| format!("{:.digits$}", what(best)))
        };
        let file = best.controller.as_ref().map(|name| folder.join(name).display().to_string());
        table.add_row(vec![
            best.sketch.clone(),
            format!("{good} of {}", of_it.len()),
            cycles[cycles.len() / 2].to_string(),
            best.seed.to_string(),
            number(|best| best.speed, 3),
            number(|best| best.effort, 0),
            number(|best| best.product, 0),
            file.unwrap_or_default(),
        ]);
    }
    writeln!(out, "{table}")?;
    Ok(())
}

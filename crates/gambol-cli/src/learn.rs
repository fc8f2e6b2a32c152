//! `gambol learn`: what poses are likely, from recordings, as a file.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use gambol::{MotionOptions, is_motion, load_motion, load_motion_of};
use gambol_formats::prior::to_prior_file;
use gambol_formats::write_file;
use gambol_model::Creature;
use gambol_motion::{Clip, FrameSelector, SelectorSettings};
use serde::Serialize;

use super::settings::count;
use super::{Failure, is_same_file, write_json, written};

/// Learns from recordings what poses are likely, for `gambol pose --prior`
#[derive(Args)]
#[command(
    after_help = "Of all frames, those that stand for the others are kept: new ones are read in rounds of 8000, and frames that are near each\n\
    other become one. Memory is that of a round, however long the recordings are (docs/motion.md).\n\n\
    Examples:\n  gambol learn walk.bvh run.bvh dance.bvh -o human.prior\n  gambol learn *.amc -o human.prior --frames 4000\n  \
    gambol pose 17_10.amc --prior human.prior --goal lfingers=0.4,0.3,1.2 -o pose.png"
)]
pub(super) struct LearnVerb {
    /// Clips: .bvh, .amc, .json, .npz or .pack; the skeleton is that of the first
    #[arg(required = true, value_name = "CLIP")]
    clips: Vec<PathBuf>,

    /// The file to write
    #[arg(short, long, value_name = "FILE.prior")]
    output: PathBuf,

    /// Keep so many frames
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = count)]
    frames: usize,

    /// Take joints of the same names from clips of other skeletons, and leave the others as they are
    #[arg(long)]
    by_name: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct LearnJson<'a> {
    name: &'a str,
    clips: usize,
    seen: usize,
    kept: usize,
    bytes: usize,
}

impl LearnVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.check_files()?;
        let read = |path: &Path| {
            let mut motion =
                load_motion(path, &MotionOptions::default()).map_err(|error| Failure::hinted(&error))?;
            motion.drop_first_apart();
            Ok::<_, Failure>(motion)
        };
        let first = read(&self.clips[0])?;
        let creature = first.creature;
        let settings = SelectorSettings { keep: self.frames, ..SelectorSettings::default() };
        let mut selector = FrameSelector::new(&creature, settings);
        self.see(&mut selector, 0, &first.clip)?;
        for (index, path) in self.clips.iter().enumerate().skip(1) {
            let clip = load_motion_of(path, &creature, &MotionOptions::default(), self.by_name)
                .map_err(|error| Failure::hinted(&error))?;
            self.see(&mut selector, index, &clip)?;
        }
        self.finish(out, &creature, selector)
    }

    /// What can be known before the work.
    fn check_files(&self) -> Result<(), Failure> {
        let fail = |path: &Path, reason: &str| Err(Failure::Failed(format!("{}{reason}", path.display())));
        if let Some(stranger) = self.clips.iter().find(|path| !is_motion(path)) {
            return fail(stranger, ": motion is read from .bvh, .amc, .json, .npz and .pack files");
        }
        if self.clips.iter().any(|input| is_same_file(input, &self.output)) {
            return fail(&self.output, " is read here and never written over; choose another name");
        }
        if self.output.exists() && !self.force {
            return fail(&self.output, " exists; --force replaces it");
        }
        Ok(())
    }

    fn see(&self, selector: &mut FrameSelector, index: usize, clip: &Clip) -> Result<(), Failure> {
        for pose in &clip.poses {
            selector.add(pose)?;
        }
        let (of, path) = (self.clips.len(), self.clips[index].display());
        let seen = written::count(selector.seen(), "frame");
        eprintln!("gambol: clip {} of {of}, {path}: {seen} seen", index + 1);
        Ok(())
    }

    fn finish(
        &self,
        out: &mut impl Write,
        creature: &Creature,
        selector: FrameSelector,
    ) -> Result<(), Failure> {
        let seen = selector.seen();
        let frames = selector.finish()?;
        let text = to_prior_file(creature, &frames);
        write_file(&self.output, text.as_bytes(), self.force)?;
        written::tell(&self.output, &written::count(frames.poses().len(), "frame"));
        let (clips, kept, bytes) = (self.clips.len(), frames.poses().len(), text.len());
        if self.json {
            return write_json(out, &LearnJson { name: creature.name(), clips, seen, kept, bytes });
        }
        let (clips, seen) = (written::count(clips, "clip"), written::count(seen, "frame"));
        Ok(writeln!(out, "{}: {kept} of {seen} of {clips} stand for all", creature.name())?)
    }
}

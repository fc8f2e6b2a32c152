//! What `gambol inspect` says of a clip.

use std::io::Write;

use gambol_dynamics::{Data, center_of_mass};
use gambol_motion::{Clip, Seam};
use serde::Serialize;

use super::Failure;
use super::convert::loop_in_words;
use super::hint::told;
use gambol::{Motion, guess_contacts};

/// Stances of a foot that are listed.
const SHOWN: usize = 8;

/// A clip as data.
#[derive(Debug, Serialize)]
pub(super) struct ClipReport {
    frames: usize,
    /// 1/s
    fps: f64,
    /// s
    duration: f64,
    joints: usize,
    /// Length of a recording's unit, m, and how it is known.
    unit: Option<f64>,
    unit_reason: Option<String>,
    /// m
    height: Option<f64>,
    /// The first frame is a pose of its own and left out of what follows.
    first_apart: bool,
    /// m/s, on average
    speed: f64,
    /// m along the ground, of the centre of mass from the first frame to the last
    distance: f64,
    /// It is a loop as it is.
    loops: bool,
    whole: Option<SeamReport>,
    best: Option<SeamReport>,
    contacts: Vec<ContactReport>,
    #[serde(skip)]
    words: Vec<String>,
}

/// How a loop would close.
#[derive(Debug, Serialize)]
struct SeamReport {
    /// s
    start: f64,
    /// s
    end: f64,
    /// rad
    pose: f64,
    /// rad
    largest: f64,
    /// rad/s
    velocity: f64,
    share: f64,
}

/// When a foot stands.
#[derive(Debug, Serialize)]
struct ContactReport {
    landmark: String,
    /// Share of the time.
    duty: f64,
    /// s
    intervals: Vec<[f64; 2]>,
    guessed: bool,
}

impl SeamReport {
    fn new(clip: &Clip, seam: &Seam) -> Self {
        let [start, end] = seam.keys.map(|key| clip.times[key]);
        Self {
            start,
            end,
            pose: seam.pose,
            largest: seam.largest,
            velocity: seam.velocity,
            share: seam.share,
        }
    }
}

impl ClipReport {
    pub(super) fn new(mut motion: Motion) -> Self {
        let frames = motion.clip.times.len();
        let first_apart = motion.drop_first_apart();
        let Motion { creature, clip, scale, .. } = &motion;
        let (whole, best) = (clip.seam(creature), clip.best_loop(creature));
        let length = clip.duration() - clip.times[0];
        let mut data = Data::new(creature);
        let mut centre = |pose: &Vec<f64>| center_of_mass(creature, &mut data, pose).xy();
        let ends = [&clip.poses[0], &clip.poses[clip.poses.len() - 1]].map(&mut centre);
        let distance = (ends[1] - ends[0]).norm();
        let guessed = clip.contacts.is_empty();
        let contacts = if guessed { guess_contacts(creature, clip) } else { clip.contacts.clone() };
        let mut words = Vec::new();
        words.extend(whole.as_ref().map(|seam| format!("as a whole: {}", loop_in_words(clip, seam))));
        words.extend(best.as_ref().map(|seam| format!("at best: {}", loop_in_words(clip, seam))));
        Self {
            frames,
            fps: if length > 0.0 { (clip.times.len() - 1) as f64 / length } else { 0.0 },
            duration: length,
            joints: creature.joints().len(),
            unit: scale.as_ref().map(|scale| scale.metres),
            unit_reason: scale.as_ref().map(|scale| told(&scale.remark())),
            height: scale.as_ref().map(|scale| scale.height),
            first_apart,
            speed: if length > 0.0 { distance / length } else { 0.0 },
            distance,
            loops: clip.stride.is_some(),
            whole: whole.as_ref().map(|seam| SeamReport::new(clip, seam)),
            best: best.as_ref().map(|seam| SeamReport::new(clip, seam)),
            contacts: contacts
                .iter()
                .map(|contact| ContactReport {
                    landmark: contact.name.clone(),
                    duty: contact.intervals.iter().fold(0.0, |sum, [a, b]| sum + b - a)
                        / length.max(f64::MIN_POSITIVE),
                    intervals: contact.intervals.clone(),
                    guessed,
                })
                .collect(),
            words,
        }
    }

    pub(super) fn write(&self, out: &mut impl Write) -> Result<(), Failure> {
        writeln!(
            out,
            "clip: {} frames at {:.2} per second, {:.2} s, {} joints",
            self.frames, self.fps, self.duration, self.joints
        )?;
        if let Some(reason) = &self.unit_reason {
            writeln!(out, "  {reason}")?;
        }
        if self.first_apart {
            writeln!(out, "  the first frame is a pose apart from the motion; what follows is without it")?;
        }
        writeln!(out, "  goes {:.2} m over the ground, {:.2} m/s", self.distance, self.speed)?;
        if self.loops {
            writeln!(out, "  loops")?;
        }
        for words in self.words.iter().filter(|_| !self.loops) {
            writeln!(out, "  {words}")?;
        }
        for contact in &self.contacts {
            let shown = contact.intervals.iter().take(SHOWN);
            let mut times: Vec<String> = shown.map(|[a, b]| format!("{a:.2}–{b:.2} s")).collect();
            let more = contact.intervals.len() - times.len();
            times.extend((more > 0).then(|| format!("and {more} more")));
            let guessed = if contact.guessed { ", guessed from height and speed" } else { "" };
            writeln!(
                out,
                "  {} stands {:.0} % of the time{guessed}{}{}",
                contact.landmark,
                100.0 * contact.duty,
                if times.is_empty() { "" } else { ": " },
                times.join(", ")
            )?;
        }
        Ok(writeln!(out)?)
    }
}

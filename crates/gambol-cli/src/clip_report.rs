//! What `gambol inspect` says of a clip.

use std::io::Write;

use comfy_table::Table;
use gambol_dynamics::{Data, center_of_mass};
use gambol_formats::gltf::GltfClip;
use gambol_gait::{ForceFigures, ForceSettings};
use gambol_model::Creature;
use gambol_motion::{Clip, Contact, Seam};
use serde::Serialize;

use super::convert::loop_in_words;
use super::hint::told;
use super::table::{plain, right_align};
use super::{Failure, forces};
use gambol::{Motion, guess_contacts};

/// Stances of a foot that are listed.
const SHOWN: usize = 8;

/// A clip as data.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ClipReport {
    pub(super) name: String,
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
    /// What forces it takes, body weights.
    #[serde(flatten)]
    pub(super) figures: Option<ForceFigures>,
    /// When it cannot be believed, s.
    unbelieved: Vec<[f64; 2]>,
    /// Why there are no forces.
    unmeasured: Option<String>,
    /// Of a glTF file: how far a body is from its bone at most, m.
    bones_off: Option<f64>,
    /// That and where it cannot be believed, and what else speaks against these numbers.
    #[serde(skip)]
    pub(super) doubts: Vec<String>,
    #[serde(skip)]
    words: Vec<String>,
}

/// How a loop would close.
#[derive(Clone, Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
struct ContactReport {
    landmark: String,
    /// Share of the time.
    duty: f64,
    /// s
    intervals: Vec<[f64; 2]>,
    guessed: bool,
    /// Share of all vertical push.
    load: Option<f64>,
    /// Largest force, body weights.
    peak_force: Option<f64>,
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
    /// Of an animation of a glTF file.
    pub(super) fn of_gltf(creature: &Creature, GltfClip { clip, miss }: &GltfClip) -> Self {
        /// A body that is so far from its bone, in parts of the height of the centre of mass, is seen to be.
        const SEEN: f64 = 0.03;
        let motion = Motion {
            creature: creature.clone(),
            clip: clip.clone(),
            scale: None,
            first_apart: false,
            rig: None,
        };
        let mut report = Self::new(motion);
        report.bones_off = Some(*miss);
        let size = report.figures.as_ref().map_or(1.0, |figures| figures.com_height);
        if *miss > SEEN * size {
            report.doubts.push(format!(
                "its bones are stretched or shifted by up to {miss:.2} m, which joints cannot follow: what is told is of the \
                 nearest poses"
            ));
        }
        report
    }

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
        let measured = forces::measure(creature, clip);
        let foot = |contact: &Contact| {
            let feet = &measured.as_ref().ok()?.feet;
            feet.iter().find(|foot| foot.name == contact.name).map(|foot| (foot.share, foot.peak))
        };
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
                    load: foot(contact).map(|(load, _)| load),
                    peak_force: foot(contact).map(|(_, peak)| peak),
                })
                .collect(),
            doubts: measured
                .iter()
                .filter_map(|forces| forces.doubt(ForceSettings::default().believed))
                .collect(),
            bones_off: None,
            unbelieved: measured.as_ref().map(|forces| forces.unbelieved.clone()).unwrap_or_default(),
            unmeasured: measured.as_ref().err().map(ToString::to_string),
            figures: measured.ok().map(|forces| forces.figures),
            name: clip.name.clone(),
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
        self.write_forces(out)?;
        Ok(writeln!(out)?)
    }

    fn write_forces(&self, out: &mut impl Write) -> Result<(), Failure> {
        let Some(figures) = &self.figures else {
            let why = self.unmeasured.as_deref().unwrap_or("there are none");
            return Ok(writeln!(out, "  its forces cannot be told: {why}")?);
        };
        let mut feet = plain(&["foot", "stands", "carries", "at most"]);
        for contact in &self.contacts {
            let [load, peak] = forces::carries(contact.load, contact.peak_force);
            feet.add_row([contact.landmark.clone(), format!("{:.0} %", 100.0 * contact.duty), load, peak]);
        }
        right_align(&mut feet, &[1, 2, 3]);
        Ok(writeln!(out, "\n{feet}\n\n{}", forces::table(figures))?)
    }

    /// A row of [`clip_table`].
    fn row(&self) -> [String; 8] {
        let figures = self.figures.as_ref();
        let told = |of: &dyn Fn(&ForceFigures) -> String| figures.map_or_else(|| "–".to_owned(), of);
        [
            self.name.clone(),
            format!("{:.2} s", self.duration),
            if self.loops { "loops" } else { "" }.to_owned(),
            told(&|f| format!("{:.2}", f.speed)),
            told(&|f| format!("{:.2}", f.residual_force)),
            told(&|f| format!("{:.2}", f.residual_moment)),
            told(&|f| format!("{:.1}", 100.0 * f.com_swing)),
            told(&|f| forces::phase_word(f).to_owned()),
        ]
    }
}

/// A line for each clip of a file.
pub(super) fn clip_table(clips: &[ClipReport]) -> Table {
    let mut table =
        plain(&["clip", "lasts", "", "m/s", "force from nowhere", "moment", "swing %", "over standing feet"]);
    for clip in clips {
        table.add_row(clip.row());
    }
    right_align(&mut table, &[1, 3, 4, 5, 6]);
    table
}

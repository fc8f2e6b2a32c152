//! A clip as an animation without end.

use gambol_dynamics::Data;
use gambol_model::Creature;
use gambol_motion::Clip;

use crate::gif::{Palette, encode_gif};
use crate::picture::Picture;
use crate::png::encode_apng;
use crate::raster::Raster;
use crate::stage::{Ruler, Stage, Window};
use crate::strip::nice_ruler;
use crate::{Bounds, ClipOptions, PictureError, Placement};

/// The file format of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnimationFormat {
    /// 255 colours; every program shows it.
    Gif,
    /// All colours; browsers show it.
    Apng,
}

/// A clip as an animation without end. The camera follows the mean travel, and the ground passes under it.
///
/// A clip that loops has no seam: the last pose, which is the first again, is shown once, and the ticks of the ground
/// divide the stride. Another clip rests on its last pose before it starts again. `progress` hears how many frames of
/// how many are done.
pub fn clip_animation(
    creature: &Creature,
    clip: &Clip,
    format: AnimationFormat,
    options: &ClipOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<u8>, PictureError> {
    clip.check(creature)?;
    check(options)?;
    let stage = Stage::new(creature, clip, options);
    let timing = Timing::new(stage.track.duration(), clip.stride.is_some(), options.rate);
    let mut data = Data::new(creature);
    let set = Set::new(&stage, &mut data, &timing, options.width);
    let total = timing.times.len();
    let palette = match format {
        AnimationFormat::Gif => {
            const SAMPLES: usize = 8; // no frame has colours that these have not
            let samples = evenly(&timing.times, SAMPLES);
            let samples: Result<Vec<Raster>, _> =
                samples.iter().map(|&time| set.raster(&mut data, time)).collect();
            Some(Palette::new(&samples?))
        }
        AnimationFormat::Apng => None,
    };
    let frames = timing.times.iter().enumerate().map(|(k, &time)| {
        let raster = set.raster(&mut data, time)?;
        progress(k + 1, total);
        Ok(raster)
    });
    match palette {
        Some(palette) => encode_gif(&palette, &timing.hundredths(), frames),
        None => encode_apng(&timing.seconds(), frames),
    }
}

/// Pictures one after the other, `step` s each, as an animation without end. All have the same size; `frame` is asked for some
/// of them twice, because a GIF has one palette for all. `progress` hears how many of `count` are done.
pub fn picture_animation(
    count: usize,
    step: f64,
    format: AnimationFormat,
    frame: &mut dyn FnMut(usize) -> Picture,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<u8>, PictureError> {
    const SAMPLES: usize = 6;
    let palette = match format {
        AnimationFormat::Gif => {
            let samples = (0..count).step_by(count.div_ceil(SAMPLES).max(1));
            let samples: Result<Vec<Raster>, _> = samples.map(|k| frame(k).to_raster(1.0)).collect();
            Some(Palette::new(&samples?))
        }
        AnimationFormat::Apng => None,
    };
    let frames = (0..count).map(|k| {
        let raster = frame(k).to_raster(1.0)?;
        progress(k + 1, count);
        Ok(raster)
    });
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
    let hundredths = (100.0 * step).round().clamp(2.0, 1000.0) as u16;
    match palette {
        Some(palette) => encode_gif(&palette, &vec![hundredths; count], frames),
        None => encode_apng(&vec![step; count], frames),
    }
}

fn check(options: &ClipOptions) -> Result<(), PictureError> {
    let ClipOptions { rate, width, .. } = *options;
    if !(1.0..=50.0).contains(&rate) {
        return Err(PictureError::Option(format!("{rate} frames per second; 1 to 50 can be shown")));
    }
    if !(16.0..=4096.0).contains(&width) {
        return Err(PictureError::Option(format!("a width of {width} pixels; 16 to 4096 can be")));
    }
    Ok(())
}

/// At most `most` of `all`.
fn evenly(all: &[f64], most: usize) -> Vec<f64> {
    all.iter().copied().step_by(all.len().div_ceil(most).max(1)).collect()
}

/// Which pose is shown when.
struct Timing {
    /// s after the first key, one for each frame
    times: Vec<f64>,
    /// s that a frame is to be shown
    step: f64,
    /// The same for GIF, 1/100 s.
    step_hundredths: u16,
    /// s that the last frame is shown longer
    rest: f64,
    /// Frames while the clip lasts once.
    per_clip: f64,
}

impl Timing {
    /// Frames of equal length, of which a whole number lasts as long as the clip: of the next rates that GIF can show,
    /// the one with which the loop is nearest to its length. A frame longer now and then would be nearer, but jerks.
    fn new(duration: f64, loops: bool, rate: f64) -> Self {
        const SHORTEST: f64 = 2.0; // hundredths; below it browsers take a tenth of a second
        const LEAST: f64 = 0.5; // s; a shorter loop is repeated, so that frames need not divide one cycle
        const REST: f64 = 0.8; // s
        let turns = if loops && duration > 0.0 { (LEAST / duration).ceil().clamp(1.0, 50.0) } else { 1.0 };
        let whole = 100.0 * duration * turns;
        let fit = |step: f64| ((whole / step).round().max(1.0), step);
        let error = |(count, step): (f64, f64)| (count * step - whole).abs();
        let slow = (100.0 / rate).round().max(SHORTEST);
        let [slow, fast] = [fit(slow), fit((slow - 1.0).max(SHORTEST))];
        let (count, step) = if error(fast) < error(slow) { fast } else { slow };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small and positive
        let (frames, step_hundredths) = (count as usize, step as u16);
        let time = |k: usize| duration * (turns * k as f64 / count % 1.0);
        let mut times: Vec<f64> = (0..frames).map(time).collect();
        if !loops && duration > 0.0 {
            times.push(duration);
        }
        let step = if duration > 0.0 { whole / 100.0 / count } else { REST };
        Self { times, step, step_hundredths, rest: if loops { 0.0 } else { REST }, per_clip: count / turns }
    }

    fn seconds(&self) -> Vec<f64> {
        let mut delays = vec![self.step; self.times.len()];
        if let Some(last) = delays.last_mut() {
            *last += self.rest;
        }
        delays
    }

    fn hundredths(&self) -> Vec<u16> {
        let mut delays = vec![self.step_hundredths; self.times.len()];
        if let Some(last) = delays.last_mut() {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below a second
            let rest = (100.0 * self.rest) as u16;
            *last += rest;
        }
        delays
    }
}

/// A stage with a place on the picture.
struct Set<'a> {
    stage: &'a Stage<'a>,
    window: Window,
    placement: Placement,
    /// px
    size: [f64; 2],
    ruler: Ruler,
}

impl<'a> Set<'a> {
    fn new(stage: &'a Stage<'a>, data: &mut Data, timing: &Timing, width: f64) -> Self {
        const SAMPLES: usize = 24; // between them a creature does not leave the room around it
        const TALLEST: f64 = 0.75; // of the width
        const BELOW: f64 = 10.0; // for the ticks
        let window = stage.window(data, &evenly(&timing.times, SAMPLES));
        let [wide, tall] = window.bounds.size().map(|side| side.max(1e-9));
        let scale = (width / wide).min((TALLEST * width - BELOW) / tall);
        let size = [width.round(), (tall * scale + BELOW).ceil()];
        let placement = Placement::standing(&window.bounds, scale, [0.5 * size[0], size[1] - BELOW]).crisp();
        let ruler = Ruler { labelled: 0, spacing: tick_spacing(stage, timing, scale) };
        Self { stage, window, placement, size, ruler }
    }

    fn raster(&self, data: &mut Data, time: f64) -> Result<Raster, PictureError> {
        let mut picture = Picture::new(self.size[0], self.size[1]);
        let Bounds { low, high } = self.window.bounds;
        let beyond = self.size[0] / self.placement.scale;
        let span = [low[0] - beyond, high[0] + beyond];
        let shot = self.stage.shot(data, time);
        self.stage.draw(&mut picture, self.placement, &shot, &self.window, span, &self.ruler);
        picture.to_raster(1.0)
    }
}

/// m; a part of the stride, so that the loop has no seam. Ticks that move on by half their distance from frame to frame
/// or more seem to run backwards, so they are a few times as far apart.
fn tick_spacing(stage: &Stage, timing: &Timing, scale: f64) -> f64 {
    const FRAMES: f64 = 3.0; // from tick to tick
    // px; lines across the ground catch the eye more than ticks below it
    let apart = if stage.view.is_level() { 24.0 } else { 48.0 };
    let distance = stage.distance();
    if distance * scale < 1.0 || stage.track.clip.stride.is_none() {
        let least = FRAMES * distance / timing.per_clip;
        return nice_ruler(scale).spacing.max(least);
    }
    let parts = (distance * scale / apart).min(timing.per_clip / FRAMES).floor().max(1.0);
    distance / parts
}

//! A film strip: the frames of a motion beside each other, and below them which foot stands when.

use gambol_dynamics::Data;
use gambol_model::{Creature, math};
use gambol_motion::{Clip, Contact};

use crate::forces::{ForceChart, ForcePlace};
use crate::picture::{Anchor, Colour, Picture, Stroke};
use crate::sheet::{DARK, GREY};
use crate::stage::{FAR, NEAR, Ruler, Shot, Stage, Window};
use crate::{ClipOptions, PictureError, Placement, text_width};

/// One cycle of a clip that loops, or the whole of another one, in equal steps of time.
///
/// All frames have one scale and one camera, which follows the mean travel: bob and pitch show. The ground is a ruler
/// that belongs to the world, so that one sees it pass, and a standing foot stays where it is on it. A bar under the
/// ground marks a foot that stands. Limbs on the far side are darker. The gait diagram below (Hildebrand's) has a row
/// for every foot and a bar where it stands; its time runs so that each frame is over its own time. Below it, if the options have
/// some, are the forces on the feet, and in red what no foot could give.
pub fn clip_strip(creature: &Creature, clip: &Clip, options: &ClipOptions) -> Result<Picture, PictureError> {
    clip.check(creature)?;
    let stage = Stage::new(creature, clip, options);
    let mut data = Data::new(creature);
    let times = frame_times(stage.track.duration(), clip.stride.is_some(), options.frames);
    let shots: Vec<Shot> = times.iter().map(|&time| stage.shot(&mut data, time)).collect();
    let window = stage.window(&mut data, &times);
    let chart = options.forces.filter(|curves| curves.fits()).map(|curves| ForceChart::new(curves, clip));
    let layout = Layout::new(&stage, &window, times.len(), chart.is_some());
    let mut picture = Picture::new(layout.width(), layout.height());
    let title = options.title.clone().unwrap_or_else(|| format!("{} {}", creature.name(), clip.name));
    layout.draw_title(&mut picture, title.trim(), &facts(clip));
    let ruler = nice_ruler(layout.scale);
    for row in 0..layout.rows {
        let frames = row * layout.columns..((row + 1) * layout.columns).min(shots.len());
        let steps = Steps { step: stage.track.duration() / layout.intervals(clip), frames: frames.clone() };
        layout.draw_gaits(&mut picture, &stage, row, &steps);
        if let Some(chart) = &chart {
            layout.draw_forces(&mut picture, &stage, row, &steps, chart);
        }
        for k in frames {
            let (placement, span) = layout.frame(&window, k);
            stage.draw(&mut picture, placement, &shots[k], &window, span, &ruler);
        }
    }
    picture.title = title;
    Ok(picture)
}

/// The last pose of a loop is the first again and is left out.
fn frame_times(duration: f64, loops: bool, frames: usize) -> Vec<f64> {
    if duration <= 0.0 {
        return vec![0.0];
    }
    let frames = frames.max(1);
    let intervals = if loops { frames } else { (frames - 1).max(1) };
    (0..frames).map(|k| duration * k as f64 / intervals as f64).collect()
}

/// What a gait's figures say, in words.
fn facts(clip: &Clip) -> String {
    let Some(travel) = &clip.travel else {
        return format!("{} s", figure(clip.duration() - clip.times[0]));
    };
    format!(
        "{} m/s  ·  stride {} m  ·  {} Hz",
        figure(travel.speed),
        figure(travel.stride_length),
        figure(travel.stride_frequency)
    )
}

/// Three digits that count.
fn figure(value: f64) -> String {
    let decimals = if value.abs() >= 99.95 {
        0
    } else if value.abs() >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}

/// A long tick about every 60 px, and short ones between, at round numbers of metres.
pub(crate) fn nice_ruler(scale: f64) -> Ruler {
    let least = 55.0 / scale;
    let decade = math::powf(10.0, math::log10(least).floor());
    let choices = [(1.0, 5), (2.0, 4), (5.0, 5)];
    let (factor, labelled) =
        choices.into_iter().find(|(factor, _)| factor * decade >= least).unwrap_or((10.0, 5));
    Ruler { spacing: factor * decade / labelled as f64, labelled }
}

/// The times over which one row of frames stands.
struct Steps {
    /// s from frame to frame
    step: f64,
    frames: std::ops::Range<usize>,
}

/// Sizes on a strip, px.
struct Layout {
    columns: usize,
    rows: usize,
    frames: usize,
    /// Pixels per metre.
    scale: f64,
    /// For one frame.
    tile: [f64; 2],
    /// Left of the first frame, for the names of feet.
    left: f64,
    feet: usize,
    /// From foot to foot in the gait diagram.
    line: f64,
    /// Whether there is room for the feet's names.
    named: bool,
    /// Below the ground, for the ruler.
    ruler: f64,
    /// Below the times, for the forces.
    chart: f64,
}

impl Layout {
    const MARGIN: f64 = 16.0;
    const TITLE: f64 = 52.0;
    /// Between two frames.
    const GAP: f64 = 8.0;
    /// Below the gait diagram, for the times.
    const TIMES: f64 = 16.0;
    /// Of the feet's names and the times.
    const SMALL: f64 = 9.5;
    /// Of a chart of forces, …
    const CHART: f64 = 92.0;
    /// … above it and below it, for its legend.
    const CHART_MARGINS: [f64; 2] = [10.0, 16.0];
    /// Between two rows of frames.
    const BETWEEN: f64 = 14.0;
    const MOST_IN_ROW: usize = 10;

    fn new(stage: &Stage, window: &Window, frames: usize, charted: bool) -> Self {
        const AREA: f64 = 160.0 * 120.0;
        const TALLEST: f64 = 160.0;
        const WIDEST: f64 = 300.0;
        const WIDEST_ROW: f64 = 1600.0;
        const DIAGRAM: f64 = 180.0; // the tallest gait diagram whose lines have room
        let [width, height] = window.bounds.size().map(|side| side.max(1e-9));
        // Frames take the creature's own proportions and have about the same area for all creatures.
        let mut scale = (AREA / (width * height)).sqrt().min(TALLEST / height).min(WIDEST / width);
        let clip = stage.track.clip;
        if !clip.contacts.is_empty() && frames <= Self::MOST_IN_ROW {
            // A gait diagram is read as a whole.
            scale = scale.min((WIDEST_ROW / frames as f64 - Self::GAP) / width);
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small and positive
        let fitting = (WIDEST_ROW / (width * scale + Self::GAP) + 1e-9) as usize;
        let rows = frames.div_ceil(fitting.clamp(1, Self::MOST_IN_ROW)).max(1);
        let feet = clip.contacts.len();
        let line = (DIAGRAM / feet.max(1) as f64).clamp(3.0, 11.0);
        let named = line >= 0.9 * Self::SMALL;
        let names =
            clip.contacts.iter().filter(|_| named).map(|contact| text_width(&name(contact), Self::SMALL));
        let widest = names.fold(0.0, f64::max);
        Self {
            columns: frames.div_ceil(rows),
            rows,
            frames,
            scale,
            tile: [width * scale + Self::GAP, height * scale],
            left: match widest > 0.0 {
                true => Self::MARGIN + widest + 8.0,
                false if charted => Self::MARGIN + 20.0,
                false => Self::MARGIN,
            },
            feet,
            line,
            named,
            ruler: if stage.view.is_level() { 20.0 } else { 6.0 },
            chart: if charted { Self::CHART + Self::CHART_MARGINS.iter().sum::<f64>() } else { 0.0 },
        }
    }

    fn width(&self) -> f64 {
        const NARROWEST: f64 = 260.0; // for the title
        (self.left + self.tile[0] * self.columns as f64 + Self::MARGIN).max(NARROWEST)
    }

    fn height(&self) -> f64 {
        Self::TITLE + self.row_height() * self.rows as f64 + Self::MARGIN - Self::BETWEEN
    }

    fn row_height(&self) -> f64 {
        self.tile[1] + self.ruler + self.feet as f64 * self.line + Self::TIMES + self.chart + Self::BETWEEN
    }

    /// Steps of time in the whole clip.
    fn intervals(&self, clip: &Clip) -> f64 {
        let intervals = if clip.stride.is_some() { self.frames } else { self.frames.saturating_sub(1) };
        intervals.max(1) as f64
    }

    /// Where frame `k` is placed, and how much ground it has, m.
    fn frame(&self, window: &Window, k: usize) -> (Placement, [f64; 2]) {
        let [row, column] = [k / self.columns, k % self.columns].map(|k| k as f64);
        let bounds = &window.bounds;
        let corner = [self.left + self.tile[0] * column, Self::TITLE + self.row_height() * row];
        let at = [corner[0] + 0.5 * self.tile[0], corner[1] + self.tile[1]];
        (Placement::standing(bounds, self.scale, at).crisp(), [bounds.low[0], bounds.high[0]])
    }

    fn draw_title(&self, picture: &mut Picture, title: &str, facts: &str) {
        let width = self.width() - 2.0 * Self::MARGIN;
        picture.text_within(width, [Self::MARGIN, 25.0], Anchor::Start, 16.0, DARK, title);
        picture.text_within(width, [Self::MARGIN, 42.0], Anchor::Start, 11.0, GREY, facts);
    }

    /// Where a time is in a row, px.
    fn x_at(&self, steps: &Steps, time: f64) -> f64 {
        self.left + self.tile[0] * (time / steps.step - steps.frames.start as f64 + 0.5)
    }

    /// The forces of one row, below its times.
    fn draw_forces(
        &self,
        picture: &mut Picture,
        stage: &Stage,
        row: usize,
        steps: &Steps,
        chart: &ForceChart,
    ) {
        if stage.track.duration() <= 0.0 {
            return;
        }
        let above = self.tile[1] + self.ruler + self.feet as f64 * self.line + Self::TIMES;
        let top = Self::TITLE + self.row_height() * row as f64 + above + Self::CHART_MARGINS[0];
        let place = ForcePlace {
            top,
            bottom: top + Self::CHART,
            shown: shown(stage, steps),
            x_at: &|time| self.x_at(steps, time),
            small: Self::SMALL,
        };
        let is_far = |name: &str| {
            let contacts = &stage.track.clip.contacts;
            contacts.iter().find(|contact| contact.name == name).is_some_and(|foot| stage.is_far(foot))
        };
        chart.draw(picture, &place, &is_far);
    }

    /// The gait diagram of one row, with a line under every frame and its time below.
    fn draw_gaits(&self, picture: &mut Picture, stage: &Stage, row: usize, steps: &Steps) {
        const BACK: Colour = Colour::hex(0xf1_f1_ef);
        const LINE: Stroke = Stroke { colour: Colour::hex(0xd4_d5_d8), width: 0.8 };
        let half = 0.27 * self.line;
        let top = Self::TITLE + self.row_height() * row as f64 + self.tile[1] + self.ruler;
        let bottom = top + self.feet as f64 * self.line;
        let first = steps.frames.start as f64;
        let duration = stage.track.duration();
        let x_at = |time: f64| self.x_at(steps, time);
        let clip = stage.track.clip;
        let shown = shown(stage, steps);
        if duration > 0.0 {
            for (k, contact) in clip.contacts.iter().enumerate() {
                let middle = top + (k as f64 + 0.5) * self.line;
                let [low, high] = [middle - half, middle + half];
                picture.rectangle([x_at(shown[0]), low], [x_at(shown[1]), high], BACK, None);
                let colour = if stage.is_far(contact) { FAR } else { NEAR };
                for [from, to] in stances(clip, contact, shown) {
                    picture.rectangle([x_at(from), low], [x_at(to), high], colour, None);
                }
                if self.named {
                    let at = [self.left - 6.0, middle + 0.36 * Self::SMALL];
                    picture.text(at, Anchor::End, Self::SMALL, GREY, name(contact));
                }
            }
        }
        for k in steps.frames.clone() {
            let x = self.left + self.tile[0] * (k as f64 - first + 0.5);
            if self.feet > 0 && duration > 0.0 {
                picture.line([x, top], [x, bottom + 2.0], LINE);
            }
            let decimals = if steps.step < 0.05 { 3 } else { 2 };
            let time = format!("{:.decimals$} s", k as f64 * steps.step);
            let below = [x, bottom + 2.0 + 1.1 * Self::SMALL];
            picture.text_within(self.tile[0], below, Anchor::Middle, Self::SMALL, GREY, &time);
        }
    }
}

/// What of the time is shown in a row, s after the first key: half a step beyond its frames, of what does not loop within the clip.
fn shown(stage: &Stage, steps: &Steps) -> [f64; 2] {
    let shown = [steps.frames.start as f64 - 0.5, steps.frames.end as f64 - 0.5].map(|k| k * steps.step);
    match stage.track.clip.stride {
        Some(_) => shown,
        None => shown.map(|time| time.clamp(0.0, stage.track.duration())),
    }
}

/// `foot.front.left` is the front left one: all are feet.
fn name(contact: &Contact) -> String {
    contact.name.strip_prefix("foot.").unwrap_or(&contact.name).replace('.', " ")
}

/// When a foot stands within `shown`, s after the first key. A loop goes on before its start and after its end.
fn stances(clip: &Clip, contact: &Contact, shown: [f64; 2]) -> Vec<[f64; 2]> {
    const SAME: f64 = 1e-9; // s; the two halves of a stance over the end of a loop are one
    let duration = clip.duration() - clip.times[0];
    let turns: &[f64] = if clip.stride.is_some() { &[-1.0, 0.0, 1.0] } else { &[0.0] };
    let mut all: Vec<[f64; 2]> = Vec::new();
    for turn in turns {
        let moved = |time: f64| time - clip.times[0] + turn * duration;
        all.extend(contact.intervals.iter().map(|interval| interval.map(moved)));
    }
    all.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut joined: Vec<[f64; 2]> = Vec::new();
    for [from, to] in all {
        match joined.last_mut() {
            Some(last) if from <= last[1] + SAME => last[1] = last[1].max(to),
            _ => joined.push([from, to]),
        }
    }
    let cut = |[from, to]: [f64; 2]| [from.max(shown[0]), to.min(shown[1])];
    joined.into_iter().map(cut).filter(|[from, to]| from < to).collect()
}

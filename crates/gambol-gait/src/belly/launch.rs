//! Taking off and landing: from standing to level flight and back.
//!
//! ```text
//! plan   of the centre of mass: s-shaped from rest to the speed of flight, on a slope
//! trim   of every beat: frequency and incidence such that its mean force is m (c̈ + g) at its speed
//! play   strokes go over into each other; what the blades do within a beat moves the body about the plan
//! ```
//!
//! What the air, and feet until it rises, do not give of m (c̈ + g) is the residual, measured on the finished path. Who has no legs to
//! lift its wings off the ground takes off from a perch, and lands on one: as high as its first strokes need.

use gambol_anatomy::FOLDED_WINGS;
use gambol_dynamics::Data;
use gambol_model::{Transform, Vec3, math};
use gambol_motion::Clip;
use nalgebra::Translation3;

use super::fly::{Air, Flow, nose_up};
use super::rest::Rest;
use super::scene::BellyScene;
use super::stroke::{Beats, Stroke, Trim};
use crate::limits::{Give, limit};
use crate::perform::Report;
use crate::{Body, Component, FlightSettings, Gait, GaitError, Performance, Support, Wish};

/// Rounds in which the times of beats and the plan settle.
const CLOCK_ROUNDS: usize = 3;
/// Who has risen by no more than this share of its size has feet on the ground.
const TOUCHES: f64 = 2e-3;

/// A take-off or a landing as a clip that is played once.
pub(crate) fn launch(body: &Body, data: &mut Data, gait: &Gait, fps: f64) -> Result<Performance, GaitError> {
    let Support::Launch { speed, density, lands } = gait.ground.support else {
        return Err(GaitError::Body("only wings take off and land".into()));
    };
    let settings = &body.settings.flight;
    let beats = Beats::new(body, data);
    let wish = Wish { speed: Some(speed), ..Wish::default() };
    let level = beats.trimmed(data, "fly", &wish, &mut Vec::new())?;
    let still = beats.trimmed(data, "hover", &Wish::default(), &mut Vec::new())?;
    let ends = Ends { still, level, speed, density };
    let mut score = Score::new(&beats, data, &ends, lands, settings)?;
    // It ends, or begins, as the flight that it was designed with.
    let flies = if lands { 0 } else { score.strokes.len() - 1 };
    score.strokes[flies].parts = parts(body, &gait.components);
    played(body, data, gait, &score, fps)
}

/// The two strokes between which it goes over.
struct Ends {
    still: Stroke,
    level: Stroke,
    speed: f64,
    density: f64,
}

impl Ends {
    /// Where the search for a stroke at a share of the speed begins.
    fn between(&self, share: f64, flow: Flow) -> Stroke {
        let mix = |a: f64, b: f64| a + share * (b - a);
        let (a, b) = (&self.still, &self.level);
        Stroke {
            flap: mix(a.flap, b.flap),
            twist: mix(a.twist, b.twist),
            incidence: mix(a.incidence, b.incidence),
            raised: 0.0,
            tuck: mix(a.tuck, b.tuck),
            frequency: a.frequency * math::powf(b.frequency / a.frequency, share),
            flow,
        }
    }
}

/// Where the centre of mass shall be: s(t) = 6t⁵ − 15t⁴ + 10t³ of the speed, and of the height.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// From when on, and for how long it speeds up, s.
    from: f64,
    time: f64,
    /// m/s, m
    speed: f64,
    height: f64,
    /// s from the end, of a landing.
    mirrored: Option<f64>,
}

/// Place, velocity and acceleration, ahead and upwards.
struct Planned {
    at: [f64; 2],
    velocity: [f64; 2],
    acceleration: [f64; 2],
}

impl Plan {
    fn at(&self, t: f64) -> Planned {
        let Some(end) = self.mirrored else { return self.rising(t) };
        // The same backwards in time, and away from where it ends.
        let Planned { at, velocity, acceleration } = self.rising(end - t);
        let far = self.rising(end).at[0];
        Planned {
            at: [far - at[0], at[1]],
            velocity: [velocity[0], -velocity[1]],
            acceleration: [-acceleration[0], acceleration[1]],
        }
    }

    fn rising(&self, t: f64) -> Planned {
        let (speed, height, time) = (self.speed, self.height, self.time);
        let s = ((t - self.from) / time).clamp(0.0, 1.0);
        let rate = if s > 0.0 && s < 1.0 { 30.0 * s * s * (s - 1.0) * (s - 1.0) } else { 0.0 };
        let bends = if s > 0.0 && s < 1.0 { 60.0 * s * (2.0 * s - 1.0) * (s - 1.0) } else { 0.0 };
        let beyond = (t - self.from - time).max(0.0);
        let way = speed * time * math::powi(s, 4) * (s * s - 3.0 * s + 2.5) + speed * beyond;
        Planned {
            at: [way, height * smooth(s)],
            velocity: [speed * smooth(s), height * rate / time],
            acceleration: [speed * rate / time, height * bends / (time * time)],
        }
    }
}

/// From 0 to 1 with nothing to be seen at the ends.
fn smooth(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * s * (10.0 + s * (6.0 * s - 15.0))
}

/// A stroke as parts that go with cos, sin and last.
type Parts = [Vec<f64>; 3];

/// What is played at a whole number of beats.
struct Station {
    parts: Parts,
    frequency: f64,
}

/// Strokes over beats, and the plan.
struct Score {
    strokes: Vec<Station>,
    /// s at each station.
    times: Vec<f64>,
    plan: Plan,
    lands: bool,
    /// Of a body that has just left the ground, rad.
    pitch: f64,
    /// How far wings are raised there, rad.
    raised: f64,
    /// Beats in which the body rears up; its wings take twice that to unfold.
    unfold: f64,
    density: f64,
    friction: f64,
    /// The largest force that a trim lacks, in weights.
    lacks: f64,
    /// How far each station's trim came from where it began: the next round begins there.
    trims: Vec<[f64; 2]>,
}

impl Score {
    fn new(
        beats: &Beats,
        data: &mut Data,
        ends: &Ends,
        lands: bool,
        settings: &FlightSettings,
    ) -> Result<Self, GaitError> {
        let mean = (ends.still.frequency * ends.level.frequency).sqrt();
        let gravity = 9.81;
        let pull = if lands { settings.launch_brake } else { settings.launch_pull };
        let wanted = ends.speed / (pull * gravity) * mean;
        let [fewest, most] = settings.launch_beats;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between the fewest and the most
        let count = (wanted.clamp(fewest, most) + settings.launch_unfold).ceil() as usize;
        let mut score = Self {
            strokes: Vec::new(),
            times: (0..=count).map(|k| k as f64 / mean).collect(),
            plan: Plan { from: 0.0, time: 1.0, speed: ends.speed, height: 0.0, mirrored: None },
            lands,
            pitch: settings.launch_pitch,
            raised: settings.launch_raised,
            unfold: settings.launch_unfold,
            density: ends.density,
            friction: settings.launch_friction,
            lacks: 0.0,
            trims: vec![[0.0; 2]; count + 1],
        };
        for round in 1..=CLOCK_ROUNDS {
            score.schedule(settings);
            let enough = if round < CLOCK_ROUNDS { settings.rough } else { settings.enough };
            score.trim(beats, data, ends, gravity, enough)?;
        }
        score.schedule(settings);
        Ok(score)
    }

    fn last(&self) -> usize {
        self.times.len() - 1
    }

    fn duration(&self) -> f64 {
        self.times[self.last()]
    }

    /// Beats from the ground, at a place in the score.
    fn beats_off_ground(&self, beat: f64) -> f64 {
        if self.lands { self.last() as f64 - beat } else { beat }
    }

    /// The plan for the times of the beats.
    fn schedule(&mut self, settings: &FlightSettings) {
        let total = self.duration();
        let stands = 1.5 * self.unfold;
        let ground = if self.lands { self.last() as f64 - stands } else { stands };
        let from = if self.lands { total - self.time_of(ground) } else { self.time_of(ground) };
        let time = total - from;
        let height = settings.launch_climb * 0.5 * self.plan.speed * time;
        let mirrored = self.lands.then_some(total);
        self.plan = Plan { from, time, height, mirrored, ..self.plan };
    }

    /// s at a beat; beyond the ends at their pace.
    fn time_of(&self, beat: f64) -> f64 {
        let (k, share) = self.place(beat);
        self.times[k] + share * (self.times[k + 1] - self.times[k])
    }

    /// The station before a beat, and how far beyond it.
    fn place(&self, beat: f64) -> (usize, f64) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // not beyond the last
        let k = (beat.max(0.0) as usize).min(self.last() - 1);
        (k, beat - k as f64)
    }

    /// The beat at a time, which may be beyond the ends.
    fn beat_at(&self, t: f64) -> f64 {
        let k = self.times.partition_point(|&time| time <= t).clamp(1, self.last()) - 1;
        let [from, to] = [self.strokes[k].frequency, self.strokes[k + 1].frequency];
        let (past, whole) = (t - self.times[k], self.times[k + 1] - self.times[k]);
        // The pace goes evenly from one station's to the next one's; beyond the ends it stays.
        let inside = past.clamp(0.0, whole);
        let outside = if past < 0.0 { past * from } else { (past - inside) * to };
        k as f64 + inside * (from + 0.5 * (to - from) * inside / whole) + outside
    }

    fn pitch_at(&self, beat: f64, speed: f64) -> f64 {
        self.reared(speed) * smooth(self.beats_off_ground(beat) / self.unfold)
    }

    /// How far the body points up at a speed, rad: it lies down soon when it takes off, and late rears up to brake.
    fn reared(&self, speed: f64) -> f64 {
        let slow = 1.0 - speed / self.plan.speed;
        self.pitch * if self.lands { slow } else { slow * slow }
    }

    /// The stroke of every station, and from that the times.
    fn trim(
        &mut self,
        beats: &Beats,
        data: &mut Data,
        ends: &Ends,
        gravity: f64,
        enough: f64,
    ) -> Result<(), GaitError> {
        let settings = &beats.body().settings.flight;
        let mut strokes = Vec::with_capacity(self.times.len());
        self.lacks = 0.0;
        for (k, &t) in self.times.iter().enumerate() {
            let Planned { velocity, acceleration, .. } = self.plan.at(t);
            let pitch = self.reared(velocity[0]);
            let flow = Flow { speed: velocity[0], climb: velocity[1], pitch, density: self.density };
            // Near the ground wings beat above the back.
            let near = 1.0 - (self.plan.at(t).at[1] / beats.reach()).min(1.0);
            let raised = self.raised * near * near;
            let start = Stroke { raised, ..ends.between(velocity[0] / self.plan.speed, flow) };
            let speeds_up = acceleration.map(|a| a / gravity);
            let trim = Trim { from: self.trims[k], enough, patience: settings.patience };
            let (stroke, lacks, trim) = beats.balanced_from(data, start, &trim, false, speeds_up)?;
            // What does not balance it is no place to begin at.
            self.trims[k] = if lacks < settings.tell { trim } else { [0.0; 2] };
            if self.beats_off_ground(k as f64) > 2.0 * self.unfold {
                self.lacks = self.lacks.max(lacks);
            }
            let parts = parts(beats.body(), &beats.components(data, &stroke));
            strokes.push(Station { parts, frequency: stroke.frequency });
        }
        for k in 0..self.last() {
            let pace = 0.5 * (strokes[k].frequency + strokes[k + 1].frequency);
            self.times[k + 1] = self.times[k] + 1.0 / pace;
        }
        self.strokes = strokes;
        Ok(())
    }

    /// The tangent vector at the rest pose at a beat.
    fn tangent(&self, beat: f64) -> Vec<f64> {
        let (k, share) = self.place(beat.clamp(0.0, self.last() as f64));
        let (sine, cosine) = math::sin_cos(std::f64::consts::TAU * beat);
        let unfolded = smooth(0.5 * self.beats_off_ground(beat) / self.unfold);
        let of = |station: &Station, dof: usize| {
            let [c, s, lasts] = &station.parts;
            c[dof] * cosine + s[dof] * sine + lasts[dof]
        };
        let [a, b] = [&self.strokes[k], &self.strokes[k + 1]];
        let count = a.parts[0].len();
        (0..count).map(|dof| unfolded * ((1.0 - share) * of(a, dof) + share * of(b, dof))).collect()
    }
}

/// What components do with cos ωt, with sin ωt, and what lasts.
fn parts(body: &Body, components: &[Component]) -> Parts {
    let mut parts = [0, 1, 2].map(|_| vec![0.0; body.creature.nv()]);
    for component in components.iter().filter(|component| component.mode < body.basis.directions().len()) {
        let (sine, cosine) = math::sin_cos(component.phase);
        let sizes = [component.amplitude * sine, component.amplitude * cosine, component.offset];
        for (part, size) in parts.iter_mut().zip(sizes) {
            part.iter_mut()
                .zip(&body.basis.directions()[component.mode].shape)
                .for_each(|(sum, u)| *sum += size * u);
        }
    }
    parts
}

/// Samples of a score in time, more than it has, so that the first and the last have neighbours.
struct Samples {
    step: f64,
    /// Before the first that counts.
    before: usize,
    /// That count.
    count: usize,
    beats: Vec<f64>,
}

impl Samples {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small and positive
    fn new(score: &Score, fps: f64, finer: usize) -> Self {
        let keys = (score.duration() * fps).round().max(2.0) as usize;
        let step = score.duration() / (keys * finer) as f64;
        let slowest = score.strokes.iter().map(|stroke| stroke.frequency).fold(f64::INFINITY, f64::min);
        let before = (1.0 / (slowest * step)).ceil() as usize;
        let count = keys * finer + 1;
        let beat = |k: usize| score.beat_at((k as f64 - before as f64) * step);
        let all = (0..count + 2 * before).map(beat);
        // What stands before it takes off, or after it has landed, has no beats.
        let end = score.last() as f64;
        let beats = all.map(|beat| if score.lands { beat.min(end) } else { beat.max(0.0) }).collect();
        Self { step, before, count, beats }
    }

    fn time(&self, k: usize) -> f64 {
        (k as f64 - self.before as f64) * self.step
    }

    /// The mean over the beats around every sample: 1 + cos π Δ over a beat to either side, which leaves nothing of what recurs with
    /// every beat and has no edges.
    fn over_beats(&self, series: &[Vec3]) -> Vec<Vec3> {
        let last = series.len() - 1;
        // cos π(a − b) from the angles of both: there are as many pairs as a slow beat has samples, times all samples.
        let angles: Vec<(f64, f64)> =
            self.beats.iter().map(|beat| math::sin_cos(std::f64::consts::PI * beat)).collect();
        let mean = |k: usize| {
            let (mut sum, mut all) = (series[k] * 2.0, 2.0);
            let (sine, cosine) = angles[k];
            // As far to either side as there are samples, so that a straight line stays one.
            for away in 1..=k.min(last - k) {
                let [before, after] = [k - away, k + away].map(|other| {
                    let near = (self.beats[other] - self.beats[k]).abs() < 1.0;
                    if near { 1.0 + sine * angles[other].0 + cosine * angles[other].1 } else { 0.0 }
                });
                let weight = before.min(after);
                if weight == 0.0 {
                    break;
                }
                sum += (series[k - away] + series[k + away]) * weight;
                all += 2.0 * weight;
            }
            sum / all
        };
        (0..series.len()).map(mean).collect()
    }
}

/// The clip of a score, and what was measured on it.
fn played(
    body: &Body,
    data: &mut Data,
    gait: &Gait,
    score: &Score,
    fps: f64,
) -> Result<Performance, GaitError> {
    let (creature, heading) = (&body.creature, body.legs.heading);
    let fastest = score.strokes.iter().map(|stroke| stroke.frequency).fold(0.0, f64::max);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few
    let finer = (body.settings.flight.samples as f64 * fastest / fps).ceil().max(1.0) as usize;
    let samples = Samples::new(score, fps, finer);
    let poses: Vec<Vec<f64>> = samples.beats.iter().map(|&beat| posed(body, score, beat)).collect();
    let period = samples.step * poses.len() as f64;
    let scene = BellyScene::new(creature, data, &heading, &poses, period, &body.settings)?;
    let flight = Flight::new(&scene, score, &samples)?;
    let residual = flight.residual(&scene, score, &samples);
    let keys = (0..samples.count).step_by(finer).map(|k| k + samples.before);
    let (mut times, mut placed) = (Vec::new(), Vec::new());
    for k in keys {
        let mut pose = poses[k].clone();
        scene.place(&mut pose, k, &flight.frames[k]);
        times.push(samples.time(k));
        placed.push(pose);
    }
    let name = gait.name.clone();
    let mut clip = Clip { name, times, poses: placed, stride: None, contacts: Vec::new(), travel: None };
    clip.align_signs(creature);
    let report = Report {
        speed: score.plan.speed,
        residual_force: Some(residual),
        ..Report::of_clip(creature, gait.frequency, &clip)
    };
    let mut warnings = Vec::new();
    if flight.perch > TOUCHES * scene.size {
        let what = if score.lands { "it lands on" } else { "it takes off from" };
        warnings.push(format!("{what} a perch {:.2} m high, as low as its wings let it", flight.perch));
    }
    if score.lacks > body.settings.flight.tell {
        warnings.push(format!("its wings lack {:.0} % of its weight in the worst beat", 100.0 * score.lacks));
    }
    Ok(Performance { clip, report, forces: None, warnings })
}

/// Who walks with its wings folded unfolds them while it stands, or folds them in the end.
fn posed(body: &Body, score: &Score, beat: f64) -> Vec<f64> {
    let mut pose = body.basis.mean().to_vec();
    let own = body.creature.pose(FOLDED_WINGS).filter(|_| body.style.pose.is_none());
    if let Some(folded) = own {
        let mut folds = vec![0.0; body.creature.nv()];
        body.creature.difference(&pose, folded, &mut folds);
        let share = smooth(score.beats_off_ground(beat) / score.unfold);
        body.creature.integrate(&mut pose, &folds, 1.0 - share);
    }
    body.creature.integrate(&mut pose, &score.tangent(beat), 1.0);
    let mut give: Vec<Give> = Vec::new();
    limit(&body.creature, body.settings.limits.soft, &mut pose, &mut give);
    pose
}

/// Where the body is, and the air's force on it.
struct Flight {
    frames: Vec<Transform>,
    /// N
    forces: Vec<Vec3>,
    /// Whether feet carry what the air does not.
    carried: Vec<bool>,
    /// Height of what it stands on, m.
    perch: f64,
}

impl Flight {
    fn new(scene: &BellyScene, score: &Score, samples: &Samples) -> Result<Self, GaitError> {
        let still = Flow { speed: 0.0, climb: 0.0, pitch: 0.0, density: score.density };
        let air = Air::new(scene, &still)?;
        let forward = scene.left.cross(&Vec3::z());
        let count = samples.beats.len();
        let planned: Vec<Planned> = (0..count).map(|k| score.plan.at(samples.time(k))).collect();
        let pitches: Vec<f64> =
            (0..count).map(|k| score.pitch_at(samples.beats[k], planned[k].velocity[0])).collect();
        let force = |k: usize| {
            let [speed, climb] = planned[k].velocity;
            air.force(k, &Flow { speed, climb, pitch: pitches[k], density: score.density })
        };
        let forces: Vec<Vec3> = (0..count).map(force).collect();
        // What differs from the mean of a beat moves it about the plan.
        let mass = scene.creature.mass();
        let pushes: Vec<Vec3> = forces.iter().map(|force| force / mass).collect();
        let away = |series: &[Vec3]| -> Vec<Vec3> {
            series.iter().zip(samples.over_beats(series)).map(|(x, mean)| x - mean).collect()
        };
        // Summed with the sample for velocities and before it for places, so that second differences give the pushes back.
        let sums = |series: &[Vec3], with: f64| -> Vec<Vec3> {
            let mut sum = Vec3::zeros();
            let add = |x: &Vec3| {
                let before = sum;
                sum += x * samples.step;
                before + (sum - before) * with
            };
            series.iter().map(add).collect()
        };
        let sway = away(&sums(&away(&sums(&away(&pushes), 1.0)), 0.0));
        let rest = Rest::new(scene, false)?;
        let ground = if score.lands { count - 1 } else { 0 };
        let stands = -rest.lowest_point(ground, &nose_up(scene, 0.0));
        let (mut frames, mut carried) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut perch: f64 = 0.0;
        for k in 0..count {
            let turn = nose_up(scene, pitches[k]);
            let [ahead, up] = planned[k].at;
            let free = smooth((score.beats_off_ground(samples.beats[k]) - score.unfold) / score.unfold);
            let at = forward * ahead + Vec3::z() * (stands + up) + sway[k] * free;
            perch = f64::max(perch, -(at.z + rest.lowest_point(k, &turn)));
            carried.push(up <= TOUCHES * scene.size);
            frames.push(Transform::from_parts(Translation3::from(at), turn));
        }
        for frame in &mut frames {
            frame.translation.z += perch;
        }
        Ok(Self { frames, forces, carried, perch })
    }

    /// Force that neither the air nor feet that touch give, in weights, root mean square.
    fn residual(&self, scene: &BellyScene, score: &Score, samples: &Samples) -> f64 {
        let (mass, gravity) = (scene.creature.mass(), scene.creature.gravity().norm());
        let at = |k: usize| self.frames[k].translation.vector;
        let mut sum = 0.0;
        for k in samples.before..samples.before + samples.count {
            let moves = (at(k + 1) + at(k - 1) - at(k) * 2.0) / (samples.step * samples.step);
            let mut lacks = (moves + Vec3::z() * gravity) * mass - self.forces[k];
            if self.carried[k] {
                let carried = lacks.z.max(0.0);
                let level = Vec3::new(lacks.x, lacks.y, 0.0);
                let held = level.norm().min(score.friction * carried);
                lacks -= level.try_normalize(1e-12).unwrap_or_else(Vec3::zeros) * held + Vec3::z() * carried;
            }
            sum += lacks.norm_squared();
        }
        (sum / samples.count as f64).sqrt() / (mass * gravity).max(f64::MIN_POSITIVE)
    }
}

//! Wind as a function of place and time.

use gambol_formats::plant::WindTable;
use gambol_model::{Random, Vec3, math};

gambol_model::settings! {
    /// Gusts: a sum of waves that the mean wind carries along (Taylor's frozen turbulence), with the spectrum of Kaimal et al.
    /// 1972, n S(n) ∝ f / (1 + 33 f)^(5/3), f = n z / U.
    pub struct GustSettings {
        /// Waves; their frequencies are spread evenly over the octaves. More look the same.
        waves: usize = 32, AtLeastOne;
        /// Slowest and fastest wave, Hz: below, it is weather; above, a tree does not follow.
        band: [f64; 2] = [0.02, 3.0], Positive;
        /// z, m: height that the size of eddies goes with.
        height: f64 = 10.0, Positive;
        /// Strength across and upwards, in parts of that along the wind (Panofsky and Dutton 1984).
        across: [f64; 2] = [0.75, 0.5], AtLeastZero;
    }
}

gambol_model::settings! {
    /// A square of gusts that repeats itself, for a field of any size.
    pub struct GustPatchSettings {
        /// Cells along a side.
        side: usize = 64, AtLeastOne;
        /// Length of a side, in heights of what stands there.
        length: f64 = 30.0, Positive;
        /// Waves; the shortest is as long as two and a half cells.
        waves: usize = 48, AtLeastOne;
    }
}

gambol_model::settings! {
    /// A front of stronger wind that travels with the wind.
    pub struct FrontSettings {
        /// When it reaches the origin, s.
        arrives: f64 = 2.0, Finite;
        /// How many times as strong the wind is behind it.
        gain: f64 = 2.5, AtLeastZero;
        /// s from calm to full strength.
        rise: f64 = 1.0, Positive;
        /// s until a third of it is left.
        lasts: f64 = 3.0, Positive;
    }
}

/// One wave of a gust.
#[derive(Clone, Debug, PartialEq)]
struct Wave {
    /// rad/s
    omega: f64,
    /// rad/m across the wind, level.
    across: f64,
    /// rad
    phases: [f64; 3],
    /// In parts of the mean speed.
    amplitudes: [f64; 3],
}

/// A wind: a mean that gusts, a front or a recording change.
#[derive(Clone, Debug, PartialEq)]
pub struct Wind {
    mean: Vec3,
    waves: Vec<Wave>,
    front: Option<FrontSettings>,
    table: Option<WindTable>,
}

/// Slower winds, m/s, do not carry gusts anywhere.
const CALM: f64 = 1e-3;

impl Wind {
    /// The same everywhere and always, m/s.
    pub fn constant(mean: Vec3) -> Self {
        Self { mean, waves: Vec::new(), front: None, table: None }
    }

    /// A level wind of `speed` m/s from a bearing in degrees, as weather reports have it: 0 from the north (+y), 90 from the
    /// east (+x), 270 from the west.
    pub fn from_bearing(speed: f64, degrees: f64) -> Self {
        let (sin, cos) = math::sin_cos(degrees.to_radians());
        Self::constant(Vec3::new(-sin, -cos, 0.0) * speed)
    }

    /// As it was recorded, the same everywhere.
    pub fn recorded(table: WindTable) -> Self {
        Self { mean: table.mean(), waves: Vec::new(), front: None, table: Some(table) }
    }

    /// With gusts whose standard deviation along the wind is `intensity` times the mean speed.
    #[must_use]
    pub fn with_gusts(mut self, intensity: f64, seed: u64, settings: &GustSettings) -> Self {
        let speed = self.mean.norm();
        if intensity <= 0.0 || speed < CALM {
            return self;
        }
        let mut random = Random::new(seed ^ 0x0077_696e_6473);
        let [low, high] = settings.band;
        let count = settings.waves as f64;
        let frequency = |k: usize| low * math::powf(high / low, (k as f64 + 0.5) / count);
        let power = |n: f64| {
            let f = n * settings.height / speed;
            f / math::powf(1.0 + 33.0 * f, 5.0 / 3.0)
        };
        let total: f64 = (0..settings.waves).map(|k| power(frequency(k))).sum();
        self.waves = (0..settings.waves)
            .map(|k| {
                // Off the middle of its share of the band: a common period would be heard.
                let n = frequency(k) * math::powf(high / low, 0.45 * random.symmetric() / count);
                let along = intensity * (2.0 * power(frequency(k)) / total).sqrt();
                let omega = std::f64::consts::TAU * n;
                Wave {
                    omega,
                    // Eddies are about as wide as long.
                    across: random.symmetric() * omega / speed,
                    phases: std::array::from_fn(|_| std::f64::consts::PI * random.symmetric()),
                    amplitudes: [along, along * settings.across[0], along * settings.across[1]],
                }
            })
            .collect();
        self
    }

    /// With a front that travels with the wind.
    #[must_use]
    pub fn with_front(mut self, front: FrontSettings) -> Self {
        self.front = Some(front);
        self
    }

    /// Without gusts, fronts and changes, m/s.
    pub fn mean(&self) -> Vec3 {
        self.mean
    }

    /// m/s at a place, m, and time, s.
    pub fn at(&self, place: Vec3, time: f64) -> Vec3 {
        let base = self.table.as_ref().map_or(self.mean, |table| table.at(time));
        let speed = self.mean.norm();
        if speed < CALM {
            return base;
        }
        let along = self.mean / speed;
        let level = Vec3::z().cross(&along);
        let across = if level.norm() > 0.0 { level.normalize() } else { Vec3::y() };
        let up = along.cross(&across);
        let late = time - place.dot(&along) / speed;
        let mut gust = Vec3::zeros();
        for wave in &self.waves {
            let angle = wave.omega * late + wave.across * place.dot(&across);
            let part = |k: usize| wave.amplitudes[k] * math::cos(angle + wave.phases[k]);
            gust += along * part(0) + across * part(1) + up * part(2);
        }
        let strength = self.front.as_ref().map_or(1.0, |front| front.strength(late));
        (base + gust * speed) * strength
    }
}

/// Gusts on a square that repeats itself: a page lets the mean wind carry it along and looks up four numbers for a tree, where
/// [`Wind::at`] sums a hundred waves.
#[derive(Clone, Debug, PartialEq)]
pub struct GustPatch {
    /// Cells along a side.
    pub side: usize,
    /// Of a side, m.
    pub length: f64,
    /// Row by row across the wind, along the wind within a row: along, across and up, in parts of the standard deviation along.
    pub field: Vec<Vec3>,
}

impl GustPatch {
    /// The same spectrum as [`Wind::with_gusts`] has; a wave of length λ passes at n = U/λ, so that f = n z/U = z/λ whatever the wind.
    pub fn new(height: f64, seed: u64, settings: &GustPatchSettings, gusts: &GustSettings) -> Self {
        let side = settings.side;
        let most = (0.4 * side as f64).max(1.0);
        let mut random = Random::new(seed ^ 0x0070_6174_6368);
        let mut field = vec![Vec3::zeros(); side * side];
        for k in 0..settings.waves {
            // Whole waves fit into the square; their numbers are spread evenly over the octaves.
            let along = math::powf(most, (k as f64 + random.unit()) / settings.waves as f64).round().max(1.0);
            let across = (along * random.symmetric()).round();
            let f = along / settings.length;
            let size = (2.0 * f / math::powf(1.0 + 33.0 * f, 5.0 / 3.0)).sqrt();
            let phases: [f64; 3] = std::array::from_fn(|_| std::f64::consts::PI * random.symmetric());
            let shares = [1.0, gusts.across[0], gusts.across[1]];
            for (cell, gust) in field.iter_mut().enumerate() {
                let (row, column) = ((cell / side) as f64, (cell % side) as f64);
                let angle = std::f64::consts::TAU * (along * column + across * row) / side as f64;
                *gust += Vec3::from_fn(|axis, _| size * shares[axis] * math::cos(angle + phases[axis]));
            }
        }
        let variance = field.iter().map(|gust| gust.x * gust.x).sum::<f64>() / field.len() as f64;
        let scale = 1.0 / variance.sqrt().max(f64::MIN_POSITIVE);
        for gust in &mut field {
            *gust *= scale;
        }
        Self { side, length: settings.length * height, field }
    }
}

impl FrontSettings {
    /// By what the wind is multiplied, `late` seconds after it passes the origin.
    fn strength(&self, late: f64) -> f64 {
        let since = late - self.arrives;
        let rise = (since / self.rise).clamp(0.0, 1.0);
        let smooth = rise * rise * (3.0 - 2.0 * rise);
        let fall = math::exp(-(since - self.rise).max(0.0) / self.lasts);
        1.0 + (self.gain - 1.0) * smooth * fall
    }
}

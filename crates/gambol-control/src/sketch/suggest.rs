//! A first sketch for any creature with feet: no mode is marked yet, and its size says how fast it runs.

use gambol_anatomy::{Foot, Heading, StandSettings, diagonal_feet, feet, stiffness_from_weight};
use gambol_dynamics::{Data, center_of_mass};
use gambol_model::Creature;
use gambol_model::math::{log10, powf};

use super::{Legs, Misfit, Palette, Sketch, Stage};

/// How a first sketch is chosen. All numbers are those of Nunes' runner in parts of its size, h being the height of the centre
/// of mass over the feet: creatures that are alike but for their size run alike at equal Froude number v²/(g h).
#[derive(Clone, Debug, PartialEq)]
pub struct SuggestSettings {
    /// Speed to begin with in parts of √(g h): Froude number 1, at which people and most animals run.
    pub speed: f64,
    /// Least mean speed in parts of the speed to begin with: 2 m/s of the runner's 3.1 m/s.
    pub least_speed: f64,
    /// Period in parts of √(h / g): 0.7 s of the runner, whose h is 1 m.
    pub period: f64,
    /// Bursts in flight and on the ground in parts of the period: 0.12 and 0.15 s of the runner's 0.7 s.
    pub bursts: [f64; 2],
    /// Share of a foot's cycle that it flies: the runner's.
    pub flight_share: f64,
    /// Most effort in parts of the square of mass and h, N²m²/(kg m)²: 500 000 N²m² for the runner's 70 kg and 1 m.
    pub effort: f64,
    /// k_d / k_s, s: as published.
    pub damping: f64,
    /// Springs in parts of those with which the creature just stands: who lands with twice its weight and may give a little
    /// needs more than who stands. Never below the creature's own.
    pub stiffness: f64,
}

impl Default for SuggestSettings {
    fn default() -> Self {
        Self {
            speed: 1.0,
            least_speed: 0.65,
            period: 2.2,
            bursts: [0.17, 0.21],
            flight_share: 0.5,
            effort: 100.0,
            damping: 0.1,
            stiffness: 1.5,
        }
    }
}

/// Where a creature weighs nothing, its pace is that on Earth, m/s².
const GRAVITY: f64 = 9.81;

/// No creature is so low that it cannot run at all, m.
const LEAST_HEIGHT: f64 = 1e-3;

/// The name of a rest pose that is made for running. Attached to a creature ([`Creature::attach`]), it is what a first sketch
/// begins with; no pose means anything by what it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningPose(pub &'static str);

/// A sketch that suits `creature`, which its file calls `name`, and its creature made ready for it: legs alternate along the
/// diagonals if it has a left and a right, else all feet hop.
pub fn suggest(
    creature: &Creature,
    name: &str,
    settings: &SuggestSettings,
) -> Result<(Sketch, Stage), Misfit> {
    let mut data = Data::new(creature);
    let feet = feet(creature, &mut data, creature.reference_pose());
    if feet.is_empty() {
        return Err(Misfit::new("creature", format!("{} has no feet to run on", creature.name())));
    }
    let plain = unmarked(creature, name, &feet, &mut data, settings);
    let running = creature.attached::<RunningPose>().map(|pose| pose.0);
    let poses = running.filter(|name| creature.pose(name).is_some()).map(Some).into_iter().chain([None]);
    let heading = Heading::of_reference(creature, &mut data);
    let names = |feet: Vec<&Foot>| feet.into_iter().map(|foot| foot.name.clone()).collect::<Vec<_>>();
    let turns = [
        (Legs::Alternate, names(diagonal_feet(&feet, &heading))),
        (Legs::Together, names(feet.iter().collect())),
    ];
    let mut first = None;
    for pose in poses {
        for (legs, stance) in turns.iter().filter(|(_, stance)| !stance.is_empty()) {
            let pose = pose.map(str::to_owned);
            let sketch = Sketch { pose, legs: *legs, stance: stance.clone(), ..plain.clone() };
            match Stage::new(&sketch, creature.clone()) {
                Ok(stage) => return Ok((sketch, stage)),
                Err(misfit) => first = first.or(Some(misfit)),
            }
        }
    }
    Err(first.unwrap_or_else(|| Misfit::new("creature", "no sketch suits this creature")))
}

/// All but pose and legs.
fn unmarked(
    creature: &Creature,
    name: &str,
    feet: &[Foot],
    data: &mut Data,
    settings: &SuggestSettings,
) -> Sketch {
    let pose = creature.reference_pose();
    let lowest = feet.iter().map(|foot| foot.place.z).fold(f64::INFINITY, f64::min);
    let height = (center_of_mass(creature, data, pose).z - lowest).max(LEAST_HEIGHT);
    let speed = settings.speed * (GRAVITY * height).sqrt();
    let period = settings.period * (height / GRAVITY).sqrt();
    let stands = stiffness_from_weight(creature, data, pose, &StandSettings::default());
    let stiffness = stands.map_or(1.0, |report| (settings.stiffness * report.scale).max(1.0));
    let heavy = creature.mass() * height;
    Sketch {
        name: "run".to_owned(),
        creature: name.to_owned(),
        pose: None,
        legs: Legs::Alternate,
        stance: Vec::new(),
        stiffness: round(stiffness),
        damping: settings.damping,
        period: round(period),
        flight_share: settings.flight_share,
        bursts: settings.bursts.map(|share| round(share * period)),
        speed: round(speed),
        least_speed: round(settings.least_speed * speed),
        most_effort: round(settings.effort * heavy * heavy),
        size: round(height),
        flight: Palette::default(),
        ground: Palette::default(),
    }
}

/// Two digits are enough for a beginning.
pub(super) fn round(number: f64) -> f64 {
    let scale = powf(10.0, 1.0 - log10(number.abs().max(1e-9)).floor());
    (number * scale).round() / scale
}

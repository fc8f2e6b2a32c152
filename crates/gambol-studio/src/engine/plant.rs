//! Plants in the wind: what the page needs to move and draw a forest by itself, and files of one tree.

use gambol::model::math;
use gambol::picture::AnimationFormat;
use gambol::plant::{
    AirSettings, Constants, Correction, CorrectionSettings, Detail, ForestSettings, GustPatch,
    GustPatchSettings, GustSettings, Instance, Leaf, LeafSettings, Mechanics, Plant, PlantLevel, PlantMode,
    PlantReader, Planting, SwaySettings, TubeSettings, Wind, WindBasis, WindStage, WoodSettings, leaves,
    plant_modes, stand_of,
};

use super::export::{Wanted, mime, plain};
use super::hint::told;
use super::{Answer, Shelf, Trouble, creature};
use crate::protocol::{
    CreatureWork, ExportAnswer, ForestAnswer, GustPart, LevelPart, MOST_NODES, MOST_TREES, PLANT_MODES,
    PlantAnswer, PlantModePart, WindWork, push,
};

/// Nodes of the levels, the finest first: as many branches as there are pixels for.
const LEVELS: [usize; 4] = [4000, 400, 100, 16];
/// Sides of the thickest tube of each level.
const SIDES: [usize; 4] = [9, 6, 4, 3];
/// Turns and sizes of trees are these many: trees of one kind share the steps of their oscillators, and nobody sees that.
const TURNS: f64 = 16.0;
const SIZES: f64 = 8.0;
/// Seed of the gusts on the page.
const GUSTS: u64 = 1;
/// Frames a second of a file, as on the command line; and how long it is unless the user says so, s.
const FPS: f64 = 20.0;
const SECONDS: f64 = 10.0;
/// Longest file, s.
const LONGEST: f64 = 60.0;

/// A plant, and all that wind makes of it.
pub(super) struct Planted {
    work: CreatureWork,
    plant: Plant,
    mechanics: Mechanics,
    modes: Vec<PlantMode>,
    basis: WindBasis,
    correction: Correction,
    leaves: Vec<Leaf>,
}

impl Planted {
    fn new(shelf: &dyn Shelf, work: &CreatureWork) -> Result<Self, Trouble> {
        let plant = creature::plant(shelf, work)?.ok_or_else(|| {
            Trouble(
                "only plants move in the wind; open an .mtg, .swc or .csv file, or one of the gallery's"
                    .to_owned(),
            )
        })?;
        let count = PLANT_MODES.min(6 * (plant.len() - 1));
        let (mechanics, modes, basis) = solved(&plant, &WoodSettings::default(), count)?;
        let correction = Correction::new(&plant, &modes, &CorrectionSettings::of(&plant));
        let leaves = leaves(&plant, &LeafSettings::of(&plant));
        Ok(Self { work: work.clone(), plant, mechanics, modes, basis, correction, leaves })
    }

    /// Solves a plant, or remembers it.
    pub(super) fn get<'p>(
        known: &'p mut Option<Self>,
        shelf: &dyn Shelf,
        work: &CreatureWork,
    ) -> Result<&'p Self, Trouble> {
        let planted = match known.take().filter(|planted| planted.work == *work) {
            Some(planted) => planted,
            None => Self::new(shelf, work)?,
        };
        Ok(known.insert(planted))
    }
}

fn solved(
    plant: &Plant,
    wood: &WoodSettings,
    count: usize,
) -> Result<(Mechanics, Vec<PlantMode>, WindBasis), Trouble> {
    let mechanics = Mechanics::new(plant, wood, Constants::Disc).map_err(Trouble::hinted)?;
    let modes = plant_modes(plant, &mechanics, count).map_err(Trouble::hinted)?;
    let basis = WindBasis::new(&mechanics, &modes, &AirSettings::default());
    Ok((mechanics, modes, basis))
}

/// Tells the page about a plant.
pub(super) fn answer(planted: &Planted, nodes: usize) -> Result<Answer, Trouble> {
    if nodes > MOST_NODES {
        return Err(Trouble(format!("{nodes} nodes are more than the {MOST_NODES} that a card can move")));
    }
    let Planted { plant, mechanics, modes, basis, correction, leaves, .. } = planted;
    let detail = Detail::new(plant, nodes);
    let mut bytes = Vec::new();
    let skeleton = PlantLevel::new(plant, &[], nodes.min(plant.len()));
    let kept = || detail.kept.iter();
    let places = push(&mut bytes, kept().flat_map(|&node| <[f64; 3]>::from(plant.nodes[node])));
    let parents = push(&mut bytes, skeleton.plant.parents.iter().map(|&parent| parent as f64));
    let radii = push(&mut bytes, kept().map(|&node| plant.radii[node]));
    let ways = || correction.ways.iter().flat_map(|ways| kept().map(|&node| ways[node]));
    let shapes = push(&mut bytes, ways().flat_map(|way| <[f64; 3]>::from(way.v)));
    let bends = push(&mut bytes, ways().flat_map(|way| <[f64; 3]>::from(way.w)));
    let left = basis.residual.iter().flat_map(|left| kept().map(|&node| left[node]));
    let residual = push(&mut bytes, left.flat_map(<[f64; 3]>::from));
    let levels = LEVELS.into_iter().zip(SIDES).map(|(count, sides)| {
        level_part(&PlantLevel::new(plant, leaves, count), &detail, &TubeSettings { sides }, &mut bytes)
    });
    let levels = levels.collect();
    let patch = GustPatch::new(
        plant.height().max(f64::MIN_POSITIVE),
        GUSTS,
        &GustPatchSettings::default(),
        &GustSettings::default(),
    );
    let field = push(&mut bytes, patch.field.iter().flat_map(|gust| <[f64; 3]>::from(*gust)));
    let [low, high] = plant.bounds();
    let sway = SwaySettings::default();
    let reader = PlantReader::new(plant, mechanics);
    let head = PlantAnswer {
        name: plant.name.clone(),
        nodes: plant.len(),
        mass: mechanics.total_mass(),
        height: plant.height(),
        width: (high.x - low.x).max(high.y - low.y),
        middle: ((low + high) * 0.5).into(),
        foliage: plant.foliage,
        notes: plant.remarks.iter().map(told).collect(),
        damping: [sway.mass_damping, sway.stiffness_damping],
        modes: (0..modes.len()).map(|index| mode_part(planted, &reader, index)).collect(),
        places,
        parents,
        radii,
        shapes,
        bends,
        residual,
        levels,
        gusts: GustPart { side: patch.side, length: patch.length, field },
    };
    Answer::new(head, bytes)
}

fn mode_part(planted: &Planted, reader: &PlantReader<'_>, index: usize) -> PlantModePart {
    let mode = &planted.modes[index];
    let drag = planted.basis.drag[index];
    let way = planted.correction.ways[index].first().copied().unwrap_or_default();
    PlantModePart {
        frequency: mode.frequency(),
        name: reader.read(mode).name,
        omega_squared: mode.omega_squared,
        projection: planted.basis.projection[index].into(),
        drag: std::array::from_fn(|row| std::array::from_fn(|column| drag[(row, column)])),
        bend: [way.a, way.b, way.largest],
        reach: mode.reach(),
    }
}

fn level_part(level: &PlantLevel, detail: &Detail, tubes: &TubeSettings, bytes: &mut Vec<u8>) -> LevelPart {
    let bark = level.bark(detail, tubes);
    let bindings = level.bindings(detail);
    let leaf = |leaf: &Leaf| {
        let at = level.plant.nodes[leaf.node] + leaf.offset;
        let follows = bindings[leaf.node];
        let nodes = [follows.first as f64, follows.second as f64, follows.share];
        [at.x, at.y, at.z, leaf.radius, leaf.phase, leaf.rate, nodes[0], nodes[1], nodes[2]]
    };
    let joint = |&(first, second, share): &(usize, usize, f64)| [first as f64, second as f64, share];
    LevelPart {
        positions: push(bytes, bark.positions.iter().flat_map(|at| <[f64; 3]>::from(*at))),
        normals: push(bytes, bark.normals.iter().flat_map(|normal| <[f64; 3]>::from(*normal))),
        joints: push(bytes, bark.joints.iter().flat_map(joint)),
        triangles: push(bytes, bark.triangles.iter().flatten().map(|&corner| corner as f64)),
        leaves: push(bytes, level.leaves.iter().flat_map(leaf)),
        outs: push(bytes, level.leaves.iter().flat_map(|leaf| <[f64; 3]>::from(leaf.out))),
    }
}

/// Where trees stand.
pub(super) fn forest(
    planted: &Planted,
    trees: usize,
    planting: Planting,
    seed: u64,
) -> Result<Answer, Trouble> {
    if !(1..=MOST_TREES).contains(&trees) {
        return Err(Trouble(format!("a forest has from 1 to {MOST_TREES} trees, not {trees}")));
    }
    let settings = ForestSettings::of(&planted.plant);
    let mut stand = stand_of(&planted.plant, trees, seed, planting, &settings).map_err(Trouble::hinted)?;
    if let [only] = stand.as_mut_slice() {
        // One tree is the plant itself.
        *only = Instance { place: gambol::model::Vec3::zeros(), turn: 0.0, size: 1.0 };
    }
    let mut bytes = Vec::new();
    let row = |tree: &Instance| {
        let Instance { place, turn, size } = snapped(*tree, &settings);
        [place.x, place.y, place.z, turn, size]
    };
    let trees = push(&mut bytes, stand.iter().flat_map(row));
    Answer::new(ForestAnswer { trees }, bytes)
}

/// A tree with the nearest of the few turns and sizes.
fn snapped(tree: Instance, settings: &ForestSettings) -> Instance {
    let part = std::f64::consts::TAU / TURNS;
    let [small, large] = settings.sizes;
    let step = (large - small) / SIZES;
    let size = if tree.size == 1.0 {
        1.0
    } else {
        small + step * (((tree.size - small) / step).floor().clamp(0.0, SIZES - 1.0) + 0.5)
    };
    Instance { turn: (tree.turn / part).round() * part, size, ..tree }
}

/// A tree in the wind as a file, as `gambol wind` writes it.
pub(super) fn export(planted: &Planted, work: &WindWork, wanted: &Wanted) -> Result<Answer, Trouble> {
    let seconds = wanted.seconds.unwrap_or(SECONDS);
    if !(seconds > 0.0 && seconds <= LONGEST) {
        return Err(Trouble(format!("a clip lasts above 0 and at most {LONGEST} s, not {seconds} s")));
    }
    let [x, y] = work.wind;
    let sensible = [x, y, work.gusts].iter().all(|number| number.abs() <= 100.0);
    let factors = [work.stiffness, work.damping].iter().all(|factor| (1e-3..=1e3).contains(factor));
    if !sensible || !factors || work.gusts < 0.0 {
        return Err(Trouble("this wind makes no sense; put the sliders back".to_owned()));
    }
    let usual = WoodSettings::default();
    let wood = WoodSettings { young: usual.young * work.stiffness, ..usual };
    let count = work.modes.clamp(1, planted.modes.len());
    let parts = solved(&planted.plant, &wood, count)?;
    let wind = Wind::constant(gambol::model::Vec3::new(x, y, 0.0));
    let wind = wind.with_gusts(work.gusts, work.seed, &GustSettings::default());
    let usual = SwaySettings::default();
    let sway = SwaySettings {
        mass_damping: usual.mass_damping * work.damping,
        stiffness_damping: usual.stiffness_damping * work.damping,
        ..usual
    };
    let mut stage = WindStage::new(planted.plant.clone(), parts, wind, &sway, (seconds, FPS));
    stage.leaves.clone_from(&planted.leaves);
    let swayed = stage.sway().map_err(Trouble::hinted)?;
    let report = stage.report(&swayed);
    let bytes = match wanted.format {
        "glb" => stage.glb(&swayed, &report).map_err(Trouble::from_error)?,
        "npz" => stage.arrays(&swayed).map_err(Trouble::from_error)?,
        "json" => stage.series(&swayed, &report).to_string().into_bytes(),
        "svg" => stage.strip(&swayed).to_svg().into_bytes(),
        "png" => stage.strip(&swayed).to_png(2.0).map_err(Trouble::from_error)?,
        "gif" => film(&stage, &swayed, AnimationFormat::Gif)?,
        "apng" => film(&stage, &swayed, AnimationFormat::Apng)?,
        other => return Err(Trouble(format!("a plant in the wind is no {other:?}; take the GLB"))),
    };
    let speed = math::hypot(x, y);
    let name = format!("{}-wind-{speed:.0}.{}", plain(&planted.plant.name), wanted.format);
    Answer::new(ExportAnswer { name, mime: mime(wanted.format), warnings: Vec::new() }, bytes)
}

fn film(
    stage: &WindStage,
    swayed: &gambol::plant::Swayed,
    format: AnimationFormat,
) -> Result<Vec<u8>, Trouble> {
    stage.animation(swayed, format, &mut |_, _| ()).map_err(Trouble::from_error)
}

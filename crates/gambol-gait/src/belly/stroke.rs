//! Strokes of wings: flap and twist a quarter of a beat apart, as sums of modes, at the beat that carries the weight.
//!
//! ```text
//! flap   φ(t) = Φ cos ωt          about the way ahead; hind pairs a quarter of a beat later
//! twist  θ(t) = −α + Θ sin ωt     about the span: leading edge down while the wing goes down
//! trim   frequency and α such that the mean force carries the weight and nothing pushes ahead or back
//! ```
//!
//! Legs of somebody who has some trail behind in flight.

use std::collections::BTreeMap;

use gambol_anatomy::{Wing, blades, wings};
use gambol_dynamics::{Data, center_of_mass, forward_kinematics, point_jacobian, stiffness_matrix};
use gambol_model::{BodyClass, JointKind, Side, Vec3, math};
use nalgebra::{DMatrix, DVector};

use super::fly::{self, Flow};
use super::row::{self, Row};
use super::scene::BellyScene;
use super::way::Way;
use crate::modal::ModalMotion;
use crate::{Body, Component, Design, FlightSettings, Gait, GaitError, Ground, Support, Terrain, Wish};

/// Gaits of wings.
pub(crate) const WINGED: [&str; 5] = ["fly", "hover", "glide", "take-off", "land"];

/// Of differences in the search for a trim.
const STEP: f64 = 1e-3;

/// Numbers of a stroke.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    /// Φ, rad
    pub(super) flap: f64,
    /// Θ, rad
    pub(super) twist: f64,
    /// α, rad
    pub(super) incidence: f64,
    /// How far wings are raised on the mean, rad.
    pub(super) raised: f64,
    /// How far legs point back, rad.
    pub(super) tuck: f64,
    /// Beats per second.
    pub(super) frequency: f64,
    pub(super) flow: Flow,
}

/// Whether wings or fins like them move this body in the gait `name`.
pub(crate) fn is_winged(body: &Body, name: &str) -> bool {
    let beats = matches!(body.class.class, BodyClass::Ray | BodyClass::Paddles);
    WINGED.contains(&name) || name == "swim" && (beats || row::rows(body))
}

/// The gait `name` of a body with wings.
pub(crate) fn design_winged(
    body: &Body,
    data: &mut Data,
    name: &str,
    wish: &Wish,
) -> Result<Design, GaitError> {
    let misfit = |reason: String| GaitError::DoesNotFit {
        creature: body.creature.name().to_owned(),
        gait: name.to_owned(),
        reason: reason.into(),
    };
    body.free_root().map_err(|reason| misfit(reason.to_string()))?;
    let class = body.class.class;
    if name == "swim" && row::rows(body) {
        return row::design(body, data, wish);
    }
    if class == BodyClass::Floats && name == "hover" {
        return Ok(Design { gait: floating(body, data, wish), hints: Vec::new() });
    }
    let wings = wings(&body.creature, data);
    let flies = class == BodyClass::Wings || name == "swim";
    if wings.len() < 2 || !flies {
        return Err(misfit("it has no wings".to_owned()));
    }
    let beats = Beats { body, wings, rows: None };
    let mut hints = Vec::new();
    if let "take-off" | "land" = name {
        let level = beats.trimmed(data, "fly", wish, &mut hints)?;
        let mut gait = beats.gait(name, &level, beats.components(data, &level));
        let Flow { speed, density, .. } = level.flow;
        gait.ground.support = Support::Launch { speed, density, lands: name == "land" };
        return Ok(Design { gait, hints });
    }
    let stroke = beats.trimmed(data, name, wish, &mut hints)?;
    let components = beats.components(data, &stroke);
    if components.is_empty() {
        return Err(misfit("its wings have no joints at the trunk".to_owned()));
    }
    let gait = beats.gait(name, &stroke, components);
    Ok(Design { gait, hints })
}

/// A flight along its way: what a turn or a climb asks of the air beyond level flight is trimmed for, and added to the strokes that the gait
/// has. `None` for gaits that go straight on, and those in water, which carries them.
pub(crate) fn steered(body: &Body, data: &mut Data, gait: &Gait) -> Result<Option<Gait>, GaitError> {
    let way = Way::of(&gait.ground);
    let Support::Wings { speed, pitch, density } = gait.ground.support else { return Ok(None) };
    let flow = Flow { speed, climb: 0.0, pitch, density };
    let beats = Beats::new(body, data);
    if way.is_straight()
        || speed <= 0.0
        || flow.is_water(&body.settings.flight)
        || !matches!(gait.name.as_str(), "fly" | "glide")
    {
        return Ok(None);
    }
    let wish = Wish { speed: Some(speed), ..Wish::default() };
    let level = beats.trimmed(data, &gait.name, &wish, &mut Vec::new())?;
    let demand = way.demand(speed, body.creature.gravity().norm(), &body.settings);
    let turned = if gait.name == "glide" {
        beats.carried(data, level, demand[1])?
    } else {
        let balanced = beats.balanced(data, level, false, demand)?.0;
        // Who goes down faster than it glides would stop beating; what it lacks to brake is told as force from nowhere.
        let slowest = body.settings.way.slowest_beat * level.frequency;
        if balanced.frequency < slowest {
            beats.balanced(data, Stroke { frequency: slowest, ..level }, true, demand)?.0
        } else {
            balanced
        }
    };
    let mut steered = gait.clone();
    steered.frequency *= turned.frequency / level.frequency;
    let [before, after] = [level, turned].map(|stroke| beats.components(data, &stroke));
    steered.components.extend(after);
    steered.components.extend(before.into_iter().map(|part| Component {
        amplitude: -part.amplitude,
        offset: -part.offset,
        ..part
    }));
    Ok(Some(steered))
}

/// Somebody who hangs in the air: a slow rise and fall, and limbs that the air holds back, each part by its area: they droop as it rises.
fn floating(body: &Body, data: &mut Data, wish: &Wish) -> Gait {
    const RISE: usize = 2; // the rigid mode along the vertical
    let (creature, settings) = (&body.creature, &body.settings.flight);
    let middle = center_of_mass(creature, data, body.basis.mean());
    let k = stiffness_matrix(creature);
    let mut sway = vec![0.0; creature.nv()];
    let mut jacobian = DMatrix::zeros(3, creature.nv());
    let mut reach: f64 = 0.0;
    for part in 1..creature.bodies().len() {
        let mass = &creature.bodies()[part].mass;
        let at = data.frames[part].point_in_world(mass.com);
        reach = reach.max((at - middle).norm());
        point_jacobian(creature, data, part, at, &mut jacobian);
        let area = math::powf(mass.mass, 2.0 / 3.0);
        for dof in (0..creature.nv()).filter(|&dof| k[(dof, dof)] > 0.0) {
            sway[dof] -= area * jacobian[(2, dof)] / k[(dof, dof)];
        }
    }
    let most = sway.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for x in &mut sway {
        *x *= settings.bob_sway / most.max(f64::MIN_POSITIVE);
    }
    let still = vec![0.0; creature.nv()];
    let amplitude = settings.bob_rise * reach;
    let mut components = vec![Component { mode: RISE, amplitude, phase: 0.0, harmonic: 1, offset: 0.0 }];
    components.extend(modal_parts(body, [sway, still.clone(), still]));
    let ground = Ground {
        support: Support::Air,
        duty: 1.0,
        speed: None,
        turn: 0.0,
        clearance: 0.0,
        footfalls: BTreeMap::new(),
        terrain: Terrain::Flat,
    };
    Gait {
        name: "hover".to_owned(),
        creature: Some(body.creature.name().to_owned()),
        style: body.style.clone(),
        frequency: wish.frequency.unwrap_or(settings.bob),
        components,
        ground,
    }
}

/// A body, and what it beats with.
pub(super) struct Beats<'b> {
    body: &'b Body,
    wings: Vec<Wing>,
    /// Strokes of legs instead.
    rows: Option<Vec<Row>>,
}

impl<'b> Beats<'b> {
    pub(super) fn new(body: &'b Body, data: &mut Data) -> Self {
        Self { body, wings: wings(&body.creature, data), rows: None }
    }

    /// With legs instead of wings.
    pub(super) fn rowing(body: &'b Body, rows: Vec<Row>) -> Self {
        Self { body, wings: Vec::new(), rows: Some(rows) }
    }

    /// Length of the longest wing, m.
    pub(super) fn reach(&self) -> f64 {
        self.wings.iter().map(|wing| wing.length).fold(f64::MIN_POSITIVE, f64::max)
    }

    pub(super) fn body(&self) -> &'b Body {
        self.body
    }

    /// Area of all wings, m².
    fn area(&self, data: &mut Data) -> f64 {
        let creature = &self.body.creature;
        let of_wing = |wing: &Wing| {
            blades(creature, data, wing).iter().map(|blade| blade.chord * blade.width).sum::<f64>()
        };
        self.wings.iter().map(of_wing).sum()
    }

    /// How far legs are laid back in flight, rad: an angel's hang, below a trunk that stays upright.
    fn tuck(&self) -> f64 {
        let settings = &self.body.settings.flight;
        let Body { class, legs, .. } = self.body;
        let middle = |points: &mut dyn Iterator<Item = Vec3>| {
            let points: Vec<Vec3> = points.collect();
            points.iter().sum::<Vec3>() / points.len().max(1) as f64
        };
        let shoulders = middle(&mut self.wings.iter().map(|wing| wing.shoulder));
        let trunk = shoulders - middle(&mut legs.legs.iter().map(|leg| leg.hip));
        match trunk.dot(&legs.heading.up) > settings.upright * trunk.norm() {
            _ if !class.walks => 0.0,
            true => settings.upright_tuck,
            false => settings.tuck,
        }
    }

    /// The stroke that the body can keep up.
    pub(super) fn trimmed(
        &self,
        data: &mut Data,
        name: &str,
        wish: &Wish,
        hints: &mut Vec<String>,
    ) -> Result<Stroke, GaitError> {
        let settings = &self.body.settings.flight;
        let creature = &self.body.creature;
        let (weight, area) =
            (creature.mass() * creature.gravity().norm(), self.area(data).max(f64::MIN_POSITIVE));
        let reach = self.wings.iter().map(|wing| wing.length).fold(0.0, f64::max);
        let water = name == "swim";
        let mut density = if water { settings.water } else { settings.air };
        let loading = weight / area;
        if !water && loading > settings.most_loading {
            // A toy's wings, filled with water: nothing that lives could beat them fast enough.
            let denser = (loading / settings.most_loading).min(settings.most_denser);
            density *= denser;
            hints.push(format!(
                "its wings would carry {loading:.0} N/m², and swans' carry 200: it flies here as in air {denser:.0} times as dense; a \
                 smaller mass gives the true beat"
            ));
        }
        // Level flight at the lift that wings have at their best glide: ½ρV² S C_L = m g.
        let level = (2.0 * weight / (density * area * settings.cruise_lift)).sqrt();
        let flow = |speed: f64, pitch: f64| Flow { speed, climb: 0.0, pitch, density };
        let tuck = self.tuck();
        let stroke = match name {
            "glide" => {
                let flow = flow(wish.speed.unwrap_or(level), 0.0);
                let frequency = wish.frequency.unwrap_or(settings.glide_beat);
                let incidence = settings.glide_incidence;
                let still = Stroke { flap: 0.0, twist: 0.0, incidence, raised: 0.0, tuck, frequency, flow };
                let stroke = self.carried(data, still, 0.0)?;
                let [ahead, up] = self.missing(data, stroke)?;
                if up.abs() < settings.tell && ahead < 0.0 {
                    hints.push(format!(
                        "held level here; it would sink by 1 m on every {:.0} m",
                        -1.0 / ahead
                    ));
                }
                return Ok(stroke);
            }
            "hover" => {
                let several = self.wings.iter().any(|wing| wing.row > 0);
                let flap = if several { settings.hover_flap_of_pairs } else { settings.hover_flap };
                Stroke {
                    flap,
                    twist: settings.hover_twist,
                    incidence: 0.0,
                    raised: 0.0,
                    tuck: 0.0,
                    frequency: level / (std::f64::consts::TAU * flap * reach),
                    flow: flow(0.0, settings.hover_pitch),
                }
            }
            "swim" => Stroke {
                flap: settings.swim_flap,
                twist: settings.swim_twist,
                incidence: 0.0,
                raised: 0.0,
                tuck: 0.0,
                // One length of the wing per beat at the Strouhal number of swimmers and fliers.
                frequency: settings.swim_beat / reach.sqrt(),
                flow: flow(reach * settings.swim_beat / reach.sqrt(), 0.0),
            },
            _ => {
                let speed = wish.speed.unwrap_or(level);
                let swing = 2.0 * settings.flap * reach;
                let flow = flow(speed, 0.0);
                // Taylor, Nudds and Thomas 2003: St = f A / V is 0.2 to 0.4 for whatever flies or swims.
                let frequency = settings.strouhal * speed / swing;
                let (flap, incidence) = (settings.flap, settings.incidence);
                Stroke { flap, twist: 0.0, incidence, raised: 0.0, tuck, frequency, flow }
            }
        };
        let stroke = Stroke { frequency: wish.frequency.unwrap_or(stroke.frequency), ..stroke };
        if water {
            return self.driven(data, stroke, hints);
        }
        let (stroke, missing) = self.balanced(data, stroke, wish.frequency.is_some(), [0.0; 2])?;
        if missing > settings.tell {
            hints.push(format!(
                "its wings do not balance it: {:.0} % of its weight is missing at {:.2} beats per second",
                100.0 * missing,
                stroke.frequency
            ));
        }
        Ok(stroke)
    }

    /// The twist that a blade's way asks for.
    fn twisted(&self, stroke: Stroke) -> Stroke {
        if stroke.flow.speed <= 0.0 || stroke.flap == 0.0 || stroke.flow.is_water(&self.body.settings.flight)
        {
            return stroke;
        }
        let reach = self.wings.iter().map(|wing| wing.length).fold(0.0, f64::max);
        let beat = std::f64::consts::TAU * stroke.frequency * stroke.flap * 0.7 * reach;
        let twist = self.body.settings.flight.twist_share * math::atan2(beat, stroke.flow.speed);
        Stroke { twist, ..stroke }
    }

    /// What is missing ahead and upwards, in weights, at a stroke.
    fn missing(&self, data: &mut Data, stroke: Stroke) -> Result<[f64; 2], GaitError> {
        let stroke = self.twisted(stroke);
        let components = self.components(data, &stroke);
        let gait = self.gait("trim", &stroke, components);
        let motion = ModalMotion::new(self.body, &gait)?;
        let n = self.body.settings.flight.samples;
        let poses: Vec<Vec<f64>> = (0..n).map(|k| motion.pose(k as f64 / n as f64)).collect();
        let (body, heading) = (self.body, self.body.legs.heading);
        let period = 1.0 / stroke.frequency;
        let scene = BellyScene::new(&body.creature, data, &heading, &poses, period, &body.settings)?;
        let missing = fly::missing(&scene, &stroke.flow)?;
        Ok([missing.dot(&heading.forward), missing.z])
    }

    /// The stroke that carries the weight and speeds the body up, ahead and upwards in g, and what is missing for that, in weights:
    /// Newton's method on the logarithm of the frequency, unless it is `fixed`, and the incidence; derivatives follow from steps
    /// that help much.
    pub(super) fn balanced(
        &self,
        data: &mut Data,
        start: Stroke,
        fixed: bool,
        speeds_up: [f64; 2],
    ) -> Result<(Stroke, f64), GaitError> {
        let FlightSettings { enough, rounds, .. } = self.body.settings.flight;
        let trim = Trim { from: [0.0; 2], enough, patience: rounds };
        let (stroke, lacks, _) = self.balanced_from(data, start, &trim, fixed, speeds_up)?;
        Ok((stroke, lacks))
    }

    /// The same by another way of searching; also where it ended.
    pub(super) fn balanced_from(
        &self,
        data: &mut Data,
        start: Stroke,
        trim: &Trim,
        fixed: bool,
        speeds_up: [f64; 2],
    ) -> Result<(Stroke, f64, [f64; 2]), GaitError> {
        let settings = &self.body.settings.flight;
        let at = |x: [f64; 2]| Stroke {
            frequency: start.frequency * math::exp(x[0]),
            incidence: start.incidence + x[1],
            ..start
        };
        let mut lacks = |x: [f64; 2]| -> Result<[f64; 2], GaitError> {
            let [ahead, up] = self.missing(data, at(x))?;
            Ok([ahead - speeds_up[0], up - speeds_up[1]])
        };
        let mut x = trim.from;
        let mut best = (f64::INFINITY, x);
        let (mut in_vain, mut last) = (0, f64::INFINITY);
        let mut known: Option<Known> = None;
        for _ in 0..settings.rounds {
            let r = lacks(x)?;
            let size = math::hypot(r[0], r[1]);
            in_vain = if size < settings.better * best.0 { 0 } else { in_vain + 1 };
            if size < best.0 {
                best = (size, x);
            }
            if size < trim.enough || in_vain > trim.patience {
                break;
            }
            let goes_well = size < WELL * last;
            last = size;
            let [f, a] = match known {
                Some(known) if goes_well => known.after(r),
                _ => {
                    let rf = lacks([x[0] + STEP, x[1]])?;
                    let ra = lacks([x[0], x[1] + STEP])?;
                    [rf, ra].map(|moved| [(moved[0] - r[0]) / STEP, (moved[1] - r[1]) / STEP])
                }
            };
            let determinant = f[0] * a[1] - f[1] * a[0];
            let by = if fixed {
                [0.0, -r[1] / a[1]]
            } else {
                [(-r[0] * a[1] + r[1] * a[0]) / determinant, (-f[0] * r[1] + f[1] * r[0]) / determinant]
            };
            if by.iter().any(|by| !by.is_finite()) {
                break;
            }
            let limit = [settings.frequency_step, settings.incidence_step];
            let from = x;
            for k in 0..2 {
                x[k] += by[k].clamp(-limit[k], limit[k]);
            }
            x[1] = x[1]
                .clamp(-settings.most_incidence - start.incidence, settings.most_incidence - start.incidence);
            x[0] = x[0].clamp(-settings.frequency_range, settings.frequency_range);
            let step = [x[0] - from[0], x[1] - from[1]];
            if step == [0.0; 2] {
                break; // both at their limits
            }
            known = Some(Known { columns: [f, a], step, before: r });
        }
        Ok((self.twisted(at(best.1)), best.0, best.1))
    }

    /// A glide: the incidence that carries the weight and `more` of it; what is left is its drag, and it sinks by that.
    fn carried(&self, data: &mut Data, start: Stroke, more: f64) -> Result<Stroke, GaitError> {
        let settings = &self.body.settings.flight;
        let at = |incidence: f64| Stroke { incidence, ..start };
        let [mut low, mut high] = [-settings.most_incidence, settings.most_incidence];
        for _ in 0..settings.rounds {
            let middle = 0.5 * (low + high);
            if self.missing(data, at(middle))?[1] < more { low = middle } else { high = middle }
        }
        Ok(at(0.5 * (low + high)))
    }

    /// Through water: the speed at which its beat pushes as much as its drag holds back.
    pub(super) fn driven(
        &self,
        data: &mut Data,
        start: Stroke,
        hints: &mut Vec<String>,
    ) -> Result<Stroke, GaitError> {
        let settings = &self.body.settings.flight;
        let at = |speed: f64| Stroke { flow: Flow { speed, ..start.flow }, ..start };
        let [mut low, mut high] = [0.0, 10.0 * start.flow.speed.max(f64::MIN_POSITIVE)];
        for _ in 0..settings.rounds {
            let middle = 0.5 * (low + high);
            if self.missing(data, at(middle))?[0] > 0.0 { low = middle } else { high = middle }
        }
        if low == 0.0 {
            let what = if self.rows.is_some() { "legs" } else { "fins" };
            hints.push(format!("its {what} do not push it ahead"));
        }
        Ok(at(0.5 * (low + high)))
    }

    pub(super) fn gait(&self, name: &str, stroke: &Stroke, components: Vec<Component>) -> Gait {
        let Flow { speed, pitch, density, .. } = stroke.flow;
        Gait {
            name: name.to_owned(),
            creature: Some(self.body.creature.name().to_owned()),
            style: self.body.style.clone(),
            frequency: stroke.frequency,
            components,
            ground: Ground {
                support: Support::Wings { speed, pitch, density },
                duty: 1.0,
                speed: None,
                turn: 0.0,
                clearance: 0.0,
                footfalls: BTreeMap::new(),
                terrain: Terrain::Flat,
            },
        }
    }

    /// The stroke as a sum of modes.
    pub(super) fn components(&self, data: &mut Data, stroke: &Stroke) -> Vec<Component> {
        modal_parts(self.body, self.directions(data, stroke))
    }

    /// Wanted motions of joints that go with cos ωt and sin ωt, and what lasts.
    fn directions(&self, data: &mut Data, stroke: &Stroke) -> [Vec<f64>; 3] {
        if let Some(rows) = &self.rows {
            return row::directions(self.body, data, rows);
        }
        let settings = &self.body.settings.flight;
        let creature = &self.body.creature;
        let heading = self.body.legs.heading;
        forward_kinematics(creature, data, self.body.basis.mean());
        let mut parts = [0, 1, 2].map(|_| vec![0.0; creature.nv()]);
        for wing in &self.wings {
            let side = if wing.side == Side::Left { 1.0 } else { -1.0 };
            let later = wing.row as f64 * settings.rows_apart;
            let up = heading.forward * side;
            let (sine, cosine) = math::sin_cos(later);
            for (k, &joint_body) in wing.bodies.iter().enumerate() {
                let share = if k == 0 { 1.0 } else { settings.outer / (wing.bodies.len() - 1) as f64 };
                let lag = if k == 0 { 0.0 } else { settings.outer_lag };
                let (lag_sine, lag_cosine) = math::sin_cos(later + lag);
                let flap = up * (stroke.flap * share);
                turn(creature, data, joint_body, flap * lag_cosine, &mut parts[0]);
                turn(creature, data, joint_body, flap * lag_sine, &mut parts[1]);
                if k == 0 {
                    // sin(ωt − later) = sin ωt cos later − cos ωt sin later
                    let twist = heading.left * stroke.twist;
                    turn(creature, data, joint_body, -twist * sine, &mut parts[0]);
                    turn(creature, data, joint_body, twist * cosine, &mut parts[1]);
                    turn(creature, data, joint_body, -heading.left * stroke.incidence, &mut parts[2]);
                    turn(creature, data, joint_body, up * stroke.raised, &mut parts[2]);
                }
            }
        }
        for leg in self.body.legs.legs.iter().filter(|_| stroke.tuck != 0.0) {
            let hip = leg.joints.first().map(|&joint| creature.joints()[joint].body);
            let Some(hip) = hip.filter(|_| leg.side.is_some()) else { continue };
            turn(creature, data, hip, heading.left * stroke.tuck, &mut parts[2]);
        }
        parts
    }
}

/// How a stroke is searched for.
pub(super) struct Trim {
    /// The logarithm of the frequency and the incidence that it begins with, each beyond those of the stroke at the start.
    pub(super) from: [f64; 2],
    /// It ends where no more than this is missing, in weights, …
    pub(super) enough: f64,
    /// … or after more than so many rounds in vain.
    pub(super) patience: usize,
}

/// Derivatives follow from a step that leaves less than this part of what was missing; else they are found anew.
const WELL: f64 = 0.3;

/// What a search for the zero of two functions of two numbers knows after a step.
struct Known {
    /// Derivatives by each number, where the step began.
    columns: [[f64; 2]; 2],
    step: [f64; 2],
    /// The functions where it began.
    before: [f64; 2],
}

impl Known {
    /// Columns where it ended: J + (y − J s) sᵀ / sᵀs, y the difference of the functions (Broyden 1965).
    fn after(&self, now: [f64; 2]) -> [[f64; 2]; 2] {
        let Self { columns, step, before } = self;
        let own = step[0] * step[0] + step[1] * step[1];
        let off =
            [0, 1].map(|row| now[row] - before[row] - columns[0][row] * step[0] - columns[1][row] * step[1]);
        [0, 1].map(|k| [0, 1].map(|row| columns[k][row] + off[row] * step[k] / own))
    }
}

/// Motions of joints that go with cos ωt, with sin ωt, and what lasts, as a sum of modes: what each brings to it by the springs that it bends,
/// α = uᵀK d / uᵀK u, exact where no coordinate is without a spring.
fn modal_parts(body: &Body, parts: [Vec<f64>; 3]) -> Vec<Component> {
    let k = stiffness_matrix(&body.creature);
    let parts = parts.map(|part| &k * DVector::from_vec(part));
    let mut components = Vec::new();
    for mode in body.basis.flexible() {
        let u = DVector::from_column_slice(&mode.shape);
        let own = u.dot(&(&k * &u));
        let [c, s, o] = [0, 1, 2].map(|part| u.dot(&parts[part]) / own);
        let amplitude = math::hypot(c, s);
        components.push(Component {
            mode: mode.index,
            amplitude,
            phase: math::atan2(c, s),
            harmonic: 1,
            offset: o,
        });
    }
    let size = |component: &Component| component.amplitude.max(component.offset.abs());
    let largest = components.iter().map(size).fold(0.0, f64::max);
    components.retain(|component| size(component) > body.settings.flight.weak * largest && largest > 0.0);
    components.extend(level(body, &components));
    components
}

/// What lasts must not tilt the trunk: vibrations turn it against what they move, as a body does that nothing holds, but in a lasting
/// posture air or water holds it.
fn level(body: &Body, components: &[Component]) -> Option<Component> {
    let (creature, left) = (&body.creature, body.legs.heading.left);
    let root = creature.joints().iter().find(|joint| joint.kind == JointKind::Free)?;
    let pitch = |shape: &[f64]| (0..3).map(|k| shape[root.v + 3 + k] * left[k]).sum::<f64>();
    let directions = body.basis.directions();
    let tilt: f64 = components.iter().map(|c| c.offset * pitch(&directions[c.mode].shape)).sum();
    let rigid = directions.iter().filter(|direction| direction.is_rigid());
    let turns = rigid.max_by(|a, b| pitch(&a.shape).abs().total_cmp(&pitch(&b.shape).abs()))?;
    let offset = -tilt / pitch(&turns.shape);
    let component = Component { mode: turns.index, amplitude: 0.0, phase: 0.0, harmonic: 1, offset };
    (offset.is_finite() && offset != 0.0).then_some(component)
}

/// Adds the turn of a body against its parent, world, rad, to a tangent vector as far as its joints can.
pub(super) fn turn(creature: &gambol_model::Creature, data: &Data, body: usize, by: Vec3, out: &mut [f64]) {
    let frame = &data.frames[body];
    for joint in &creature.joints()[creature.bodies()[body].joints.clone()] {
        match joint.kind {
            JointKind::Ball => {
                let inner = frame.orientation.inverse() * by;
                (0..3).for_each(|k| out[joint.v + k] += inner[k]);
            }
            JointKind::Hinge => out[joint.v] += (frame.rotation * joint.axis).dot(&by),
            JointKind::Free | JointKind::Slide => {}
        }
    }
}

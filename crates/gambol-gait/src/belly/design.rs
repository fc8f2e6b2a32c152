//! Gaits of bodies without legs: waves that run along them.
//!
//! Two shapes a quarter of a wave apart, moved a quarter of a period apart, make a wave that travels:
//! cos(ks) cos(ωt) + sin(ks) sin(ωt) = cos(ks − ωt). The bends of a long body alternate between such shapes from mode
//! to mode; those of a ring come in pairs. Which way the wave has to run is tried out.

use gambol_anatomy::Heading;
use gambol_dynamics::{Data, body_velocities, forward_kinematics, stiffness_matrix};
use gambol_model::{BodyClass, Vec3, math};
use gambol_motion::Direction;
use nalgebra::DVector;

use super::chain::Chain;
use super::{carry, thrust};
use crate::close::close;
use crate::marks::{Marks, visible};
use crate::{Body, Component, GaitError, Support, WaveSettings};

/// The gaits of legless creatures.
const NAMES: [&str; 4] = ["roll", "crawl", "slither", "swim"];

/// What carries the gait `name`.
pub(crate) fn legless_support(name: &str, settings: &WaveSettings) -> Support {
    match name {
        "slither" => Support::Belly { across: settings.slither_across },
        "swim" => Support::Water { across: settings.swim_across, advance: None },
        _ => Support::Belly { across: settings.crawl_across },
    }
}

/// Cycles per second that a wave of these components has by itself: Rayleigh's quotient
/// ω² = Σ α² uᵀK u / Σ α² uᵀM u, with uᵀM u = uᵀK u / ω² for every mode.
pub(crate) fn legless_frequency(body: &Body, components: &[Component]) -> f64 {
    let k = stiffness_matrix(&body.creature);
    let (mut elastic, mut kinetic) = (0.0, 0.0);
    for component in components {
        let mode = &body.basis.directions()[component.mode];
        let u = DVector::from_column_slice(&mode.shape);
        let energy = math::square(component.amplitude) * u.dot(&(&k * &u));
        elastic += energy;
        kinetic += energy / body.basis.omega_squared(&body.creature, mode);
    }
    (elastic / kinetic).sqrt() / std::f64::consts::TAU
}

/// Beats per second at which a swimmer with a tail cruises, from its length; `None` for others and other gaits.
pub(crate) fn cruising_beat(body: &Body, data: &mut Data, name: &str) -> Option<f64> {
    if name != "swim" || !body.class.class.swims() {
        return None;
    }
    let settings = &body.settings.swim;
    forward_kinematics(&body.creature, data, body.basis.mean());
    let chain = Chain::find(&body.creature, data, &body.legs.heading)?;
    (chain.length > 0.0).then(|| settings.cruise_beat * math::powf(chain.length, settings.cruise_power))
}

/// The components of the gait `name` for a creature without legs, such that it moves forward.
pub(crate) fn design_legless(
    body: &Body,
    data: &mut Data,
    name: &str,
    marks: &Marks,
) -> Result<Vec<Component>, GaitError> {
    if !NAMES.contains(&name) {
        let known = NAMES.map(String::from).to_vec();
        return Err(GaitError::Unknown { name: name.into(), known });
    }
    let misfit = |reason: &str| GaitError::DoesNotFit {
        creature: body.creature.name().into(),
        gait: name.into(),
        reason: reason.into(),
    };
    if !body.legs.is_empty() {
        return Err(misfit("it has legs"));
    }
    let (heading, settings) = (body.legs.heading, &body.settings.waves);
    forward_kinematics(&body.creature, data, body.basis.mean());
    let chain = Chain::find(&body.creature, data, &heading).ok_or_else(|| misfit("it has no joints"))?;
    let waves = Waves { body, chain, heading, marks };
    let tail = name == "swim" && body.class.class.swims();
    let wave = match (name, waves.chain.ring) {
        ("roll", true) => waves.ring(data),
        ("roll", false) => return Err(misfit("its body is not closed to a ring")),
        (_, true) => return Err(misfit("its body is a ring, which can only roll")),
        ("crawl", _) => {
            waves.serpent(data, heading.left, Wave::even(settings.crawl_angle, settings.crawl_waves))
        }
        ("slither", _) => waves.serpent(data, heading.up, Wave::even(settings.slither_angle, settings.waves)),
        _ => {
            // Sideways like a fish, or up and down like a whale; the other way if it cannot bend so.
            let mut swims = |about| {
                if tail {
                    waves.sweeping(data, about)
                } else {
                    Ok(waves.serpent(data, about, Wave::even(settings.swim_angle, settings.waves)))
                }
            };
            let whale = body.class.class == BodyClass::Whale;
            let [first, second] = if whale { [heading.left, heading.up] } else { [heading.up, heading.left] };
            let wave = swims(first)?;
            if wave.is_empty() { swims(second)? } else { wave }
        }
    };
    if wave.is_empty() {
        return Err(misfit(&marks.reason(match name {
            "roll" => "its ring has no pair of waves in the upright plane",
            "crawl" => "it cannot bend up and down in enough joints to carry a wave",
            "slither" => "it cannot bend sideways in enough joints to carry a wave",
            _ => "it cannot bend in enough joints to carry a wave",
        })));
    }
    let tried = [components(&wave, 1.0), components(&wave, -1.0)];
    let mut way = [0.0; 2];
    for (way, components) in way.iter_mut().zip(&tried) {
        let poses = sampled(body, data, components, settings.samples / 2)?;
        let support = legless_support(name, settings);
        let carried = carry(&body.creature, data, &heading, &poses, 1.0, support, &body.settings)?;
        *way = carried.figures.speed;
    }
    let forward = usize::from(way[1] > way[0]);
    // A tail that flaps does not crawl through the water by drag, as a snake does; it throws the water back.
    if way[forward] < settings.nowhere * waves.chain.length && !tail {
        return Err(misfit(&marks.reason("the waves of its body take it nowhere")));
    }
    let [ahead, back] = tried;
    Ok(if forward == 0 { ahead } else { back })
}

/// Way per beat, m, that the thrust of a wave of these components and the drag of the body have; `None` for what is no chain.
pub(crate) fn swim_advance(
    body: &Body,
    data: &mut Data,
    components: &[Component],
    frequency: f64,
) -> Result<Option<f64>, GaitError> {
    let heading = body.legs.heading;
    let poses = sampled(body, data, components, body.settings.waves.samples / 2)?;
    forward_kinematics(&body.creature, data, body.basis.mean());
    let Some(chain) = Chain::find(&body.creature, data, &heading) else { return Ok(None) };
    let bends = |about: Vec3| -> f64 {
        let of = |component: &Component| {
            let shape = &body.basis.directions()[component.mode].shape;
            component.amplitude * chain.bends(data, shape, about).iter().map(|bend| bend.abs()).sum::<f64>()
        };
        components.iter().map(of).sum()
    };
    let about = if bends(heading.left) > bends(heading.up) { heading.left } else { heading.up };
    thrust::advance(body, data, &chain, &poses, (about, 1.0 / frequency)).map(Some)
}

/// The wave with the preferred modes in it: where one would not be seen, it swings once a period, a quarter of it earlier
/// or later than the wave as takes the creature furthest.
pub(crate) fn with_preferred(
    body: &Body,
    data: &mut Data,
    marks: &Marks,
    mut components: Vec<Component>,
    support: Support,
) -> Result<Vec<Component>, GaitError> {
    // What is tried out is how drag takes the wave along; a way that is given would hide it.
    let support = match support {
        Support::Water { across, .. } => Support::Water { across, advance: None },
        other => other,
    };
    for &mode in &marks.prefer {
        if components.iter().any(|component| component.mode == mode) {
            continue; // a wave of a few modes shows each of them
        }
        let amplitude = visible(body, data, mode);
        let mut best: Option<(f64, Vec<Component>)> = None;
        for quarter in 0..4 {
            let phase = f64::from(quarter) * std::f64::consts::FRAC_PI_2;
            let with =
                [components.as_slice(), &[Component { mode, amplitude, phase, harmonic: 1, offset: 0.0 }]];
            let with = with.concat();
            let poses = sampled(body, data, &with, body.settings.waves.samples / 2)?;
            let carried =
                carry(&body.creature, data, &body.legs.heading, &poses, 1.0, support, &body.settings)?;
            if best.as_ref().is_none_or(|(speed, _)| carried.figures.speed > *speed) {
                best = Some((carried.figures.speed, with));
            }
        }
        components = best.map_or(components, |(_, with)| with);
    }
    Ok(components)
}

/// A mode's part in a wave: that which goes with cos ωt, and that with sin ωt, rad.
#[derive(Clone, Copy, Debug)]
struct Part {
    mode: usize,
    cosine: f64,
    sine: f64,
}

/// A wave that runs towards the head (or around the ring) for `direction` = 1 and back for −1.
fn components(wave: &[Part], direction: f64) -> Vec<Component> {
    use std::f64::consts::{FRAC_PI_2, PI};
    let component = |part: &Part| {
        // cos ωt is a quarter period ahead of sin ωt.
        let (swing, phase) =
            if part.cosine == 0.0 { (direction * part.sine, 0.0) } else { (part.cosine, FRAC_PI_2) };
        let phase = if swing < 0.0 { phase - PI } else { phase };
        Component { mode: part.mode, amplitude: swing.abs(), phase, harmonic: 1, offset: 0.0 }
    };
    wave.iter().map(component).collect()
}

/// Equation 4 over one period of 1 s, on the creature's constraints.
pub(super) fn sampled(
    body: &Body,
    data: &mut Data,
    components: &[Component],
    count: usize,
) -> Result<Vec<Vec<f64>>, GaitError> {
    let mut poses = Vec::with_capacity(count);
    for k in 0..count {
        let angle = std::f64::consts::TAU * k as f64 / count as f64;
        let mut way = vec![0.0; body.creature.nv()];
        for component in components {
            let swing = component.amplitude * math::sin(angle + component.phase) + component.offset;
            way.iter_mut()
                .zip(&body.basis.directions()[component.mode].shape)
                .for_each(|(w, u)| *w += swing * u);
        }
        let mut pose = body.basis.mean().to_vec();
        body.creature.integrate(&mut pose, &way, 1.0);
        close(&body.creature, data, &mut pose)?;
        poses.push(pose);
    }
    Ok(poses)
}

/// What makes waves. Its functions need `data.frames` and `data.axes` at the rest pose; an empty wave says that the
/// body cannot make it.
struct Waves<'b> {
    body: &'b Body,
    chain: Chain,
    heading: Heading,
    marks: &'b Marks,
}

/// A wave along a chain.
#[derive(Clone, Copy, Debug)]
struct Wave {
    /// Largest angle of a segment to the way of the whole, rad.
    angle: f64,
    /// Waves along the body.
    count: f64,
    /// Bend at the head over that at the tail.
    head: f64,
}

impl Wave {
    fn even(angle: f64, count: f64) -> Self {
        Self { angle, count, head: 1.0 }
    }

    /// Depth at a place, from 0 at the tail to 1 at the head, over that at the tail.
    fn grown(&self, place: f64) -> f64 {
        1.0 + (self.head - 1.0) * place
    }
}

/// A mode that bends the chain in one plane.
struct Bending<'m> {
    mode: &'m Direction,
    /// Per link, rad.
    bends: Vec<f64>,
}

impl Waves<'_> {
    /// The modes that bend the chain about the axis `about`; twists, and what only a head or a jaw does, are not.
    fn bendings(&self, data: &Data, about: Vec3) -> Vec<Bending<'_>> {
        let creature = &self.body.creature;
        let stiffness = self.chain.stiffness(creature, data, about);
        let bending = |mode: &'_ Direction| {
            let bends = self.chain.bends(data, &mode.shape, about);
            let own: f64 = bends.iter().zip(&stiffness).map(|(bend, k)| k * bend * bend).sum();
            let joints = creature.dofs().iter().zip(&mode.shape);
            let all: f64 = joints.map(|(dof, u)| creature.joints()[dof.joint].stiffness * u * u).sum();
            (own > self.body.settings.waves.in_plane * all).then_some(bends)
        };
        let modes = self.body.basis.flexible().iter();
        modes.filter_map(|mode| Some(Bending { mode, bends: bending(mode)? })).collect()
    }

    /// Places of the links that bend about `about`, with the length of body that each bends.
    fn joints(&self, data: &Data, about: Vec3) -> Vec<(usize, f64, f64)> {
        let stiffness = self.chain.stiffness(&self.body.creature, data, about);
        let links: Vec<usize> = (0..stiffness.len()).filter(|&link| stiffness[link] > 0.0).collect();
        let place = |k: usize| self.chain.links[links[k]].place;
        let last = links.len().saturating_sub(1);
        let own = |k: usize| {
            let (before, after) = (place(k.saturating_sub(1)), place((k + 1).min(last)));
            // The outer half of the first and last one is as long as the inner half.
            (after - before) * if k == 0 || k == last { 1.0 } else { 0.5 }
        };
        (0..links.len()).map(|k| (links[k], place(k), own(k))).collect()
    }

    /// A wave of constant depth from head to tail (a serpenoid curve), or one that grows: its bends, cos and sin, by what modes
    /// can do. The angle to the mean way is φ sin(ks), so from the middle of one straight segment to the next, a length l, it
    /// changes by 2 φ sin(kl/2) cos(ks).
    fn serpent(&self, data: &Data, about: Vec3, wave: Wave) -> Vec<Part> {
        let joints = self.joints(data, about);
        let settings = &self.body.settings.waves;
        let flaps = wave.head < 1.0;
        let fewest = if flaps { settings.fewest_fish_bends } else { settings.fewest_bends };
        if joints.len() < fewest {
            return Vec::new();
        }
        let angle = wave.angle;
        let waves = wave.count.min(joints.len() as f64 / settings.joints_per_wave);
        let k = std::f64::consts::TAU * waves / self.chain.length;
        let stiffness = self.chain.stiffness(&self.body.creature, data, about);
        let part = |bending: &Bending| {
            let (mut cosine, mut sine, mut own) = (0.0, 0.0, 0.0);
            for &(link, place, length) in &joints {
                let (s, c) = math::sin_cos(k * (place - 0.5 * self.chain.length));
                let bend = bending.bends[link] * stiffness[link];
                let turn = 2.0 * angle * math::sin(0.5 * k * length) * wave.grown(place / self.chain.length);
                cosine += bend * c * turn;
                sine += bend * s * turn;
                own += bend * bending.bends[link];
            }
            // Phases are multiples of 90°: a mode goes with the one it is more like.
            let (cosine, sine) = (cosine / own, sine / own);
            let main = if cosine.abs() > sine.abs() { (cosine, 0.0) } else { (0.0, sine) };
            Part { mode: bending.mode.index, cosine: main.0, sine: main.1 }
        };
        let bendings = self.bendings(data, about);
        let few = bendings
            .iter()
            .enumerate()
            .filter(|(bends, _)| (*bends as f64) < 2.0 * waves + settings.spare_bends);
        let few = few.filter(|(_, bending)| self.marks.allow(bending.mode.index));
        let all: Vec<Part> = few.map(|(_, bending)| part(bending)).collect();
        let size = |part: &Part| part.cosine.abs().max(part.sine.abs());
        let largest = all.iter().map(size).fold(0.0, f64::max);
        let wave: Vec<Part> = all.into_iter().filter(|part| size(part) > settings.weak * largest).collect();
        let both = wave.iter().any(|part| part.cosine != 0.0) && wave.iter().any(|part| part.sine != 0.0);
        if both || flaps { self.within_limits(wave) } else { Vec::new() }
    }

    /// A wave that grows towards the tail. Where joints do not bend far enough for as many waves as fish have, bends that alternate undo
    /// each other: fewer waves sweep wider.
    fn sweeping(&self, data: &mut Data, about: Vec3) -> Result<Vec<Part>, GaitError> {
        let settings = &self.body.settings.waves;
        let (angle, head) = (settings.fish_angle, settings.fish_head);
        let mut best = (0.0, Vec::new());
        for share in settings.fish_fewer {
            forward_kinematics(&self.body.creature, data, self.body.basis.mean());
            let wave = self.serpent(data, about, Wave { angle, count: share * settings.fish_waves, head });
            if wave.is_empty() {
                continue;
            }
            let sweep = self.sweep(data, about, &components(&wave, 1.0))?;
            if best.1.is_empty() || sweep > best.0 {
                best = (sweep, wave);
            }
            if best.0 >= settings.fish_sweep {
                break;
            }
        }
        forward_kinematics(&self.body.creature, data, self.body.basis.mean());
        Ok(best.1)
    }

    /// From side to side of the end of the tail, as a share of the length.
    fn sweep(&self, data: &mut Data, about: Vec3, components: &[Component]) -> Result<f64, GaitError> {
        const SAMPLES: usize = 24;
        let aside = about.cross(&self.heading.forward);
        let last = self.chain.bodies[0];
        let com = self.body.creature.bodies()[last].mass.com;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for pose in sampled(self.body, data, components, SAMPLES)? {
            let frames = forward_kinematics(&self.body.creature, data, &pose);
            let at = frames[last].point_in_world(com).dot(&aside);
            (low, high) = (low.min(at), high.max(at));
        }
        Ok((high - low) / self.chain.length.max(f64::MIN_POSITIVE))
    }

    /// The lowest pair of waves around a ring in the upright plane.
    fn ring(&self, data: &mut Data) -> Vec<Part> {
        let mut bendings = self.bendings(data, self.heading.left);
        bendings.retain(|bending| self.marks.allow(bending.mode.index));
        let hertz = |bending: &Bending| self.body.basis.frequency(&self.body.creature, bending.mode);
        let even = |pair: &&[Bending]| {
            let [low, high] = [hertz(&pair[0]), hertz(&pair[1])];
            high - low < self.body.settings.waves.ring_pair * low
        };
        let Some(pair) = bendings.windows(2).find(even) else { return Vec::new() };
        let (creature, bodies) = (&self.body.creature, &self.chain.bodies);
        let place =
            |data: &Data, body: usize| data.frames[body].point_in_world(creature.bodies()[body].mass.com);
        let centre = bodies.iter().map(|&body| place(data, body)).sum::<Vec3>() / bodies.len() as f64;
        // √2 times the root mean square of a wave around the ring is its crest, wherever that is.
        let mut part = |mode: &Direction| {
            body_velocities(creature, data, self.body.basis.mean(), &mode.shape);
            let (mut squares, mut radius) = (0.0, 0.0);
            for &body in bodies {
                let spoke = place(data, body) - centre;
                let velocity = data.velocities[body];
                let moves = velocity.linear
                    + velocity.angular.cross(&(place(data, body) - data.frames[body].position));
                squares += math::square(moves.dot(&spoke) / spoke.norm());
                radius += spoke.norm();
            }
            let count = bodies.len() as f64;
            self.body.settings.waves.ring_dent * (radius / count) / (2.0 * squares / count).sqrt()
        };
        let wave = vec![
            Part { mode: pair[0].mode.index, cosine: part(pair[0].mode), sine: 0.0 },
            Part { mode: pair[1].mode.index, cosine: 0.0, sine: part(pair[1].mode) },
        ];
        self.within_limits(wave)
    }

    /// The wave, smaller if a joint would leave its range.
    fn within_limits(&self, mut wave: Vec<Part>) -> Vec<Part> {
        let (creature, basis) = (&self.body.creature, &self.body.basis);
        let mut scale: f64 = 1.0;
        for joint in creature.joints() {
            let Some([low, high]) = joint.limit else { continue };
            let swing = |dof: usize| {
                let sum = |take: fn(&Part) -> f64| -> f64 {
                    wave.iter().map(|part| take(part) * basis.directions()[part.mode].shape[dof]).sum()
                };
                math::hypot(sum(|part| part.cosine), sum(|part| part.sine))
            };
            let swing = (joint.v..joint.v + joint.kind.nv()).map(swing).fold(0.0, math::hypot);
            let room = match joint.kind.nv() {
                1 => (high - basis.mean()[joint.q]).min(basis.mean()[joint.q] - low),
                _ => high,
            };
            if swing > 0.0 && room > 0.0 {
                scale = scale.min(self.body.settings.waves.range * room / swing);
            }
        }
        for part in &mut wave {
            part.cosine *= scale;
            part.sine *= scale;
        }
        wave
    }
}

//! Changes of a gait, mode by mode and in its pace.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use gambol_dynamics::Terrain;
use serde::{Deserialize, Serialize};

use crate::{Body, Component, Gait, GaitError, Ground, Support, Wish};

/// What a user says about one mode of a gait; what is not said stays.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct ModeEdit {
    /// Index.
    pub mode: usize,
    /// rad of the joint that moves most
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amplitude: Option<f64>,
    /// rad
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<f64>,
    /// A lasting offset, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// Multiple of the gait's frequency: 1 or 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harmonic: Option<u32>,
}

/// A body that is moved as a whole has no frequency of its own: once a second is easily watched, Hz.
const WATCHABLE: f64 = 1.0;

impl Gait {
    /// A gait in the air of which nothing moves yet, for `modes` that are added by hand: at the pace of the slowest vibration
    /// of them, unless a frequency (Hz) is given.
    pub fn in_air(body: &Body, modes: &[usize], frequency: Option<f64>) -> Self {
        let vibrations = modes.iter().filter_map(|mode| body.basis.directions().get(*mode));
        let slowest = vibrations
            .filter(|mode| !mode.is_rigid())
            .map(|mode| body.basis.frequency(&body.creature, mode))
            .reduce(f64::min);
        Self {
            name: "modes".to_owned(),
            creature: Some(body.creature.name().to_owned()),
            style: body.style.clone(),
            frequency: frequency.or(slowest).unwrap_or(WATCHABLE),
            components: Vec::new(),
            ground: Ground {
                support: Support::Air,
                duty: 0.5,
                speed: None,
                turn: 0.0,
                clearance: 0.0,
                footfalls: BTreeMap::new(),
                terrain: Terrain::Flat,
            },
        }
    }

    /// Changes one mode as `edit` says; a mode that the gait does not use is added.
    pub fn edit(&mut self, body: &Body, edit: &ModeEdit) -> Result<(), GaitError> {
        let &ModeEdit { mode, amplitude, phase, offset, harmonic } = edit;
        body.check_mode(mode)?;
        if let Some(offset) = offset {
            self.set_offset(body, mode, offset)?;
        }
        if let Some(amplitude) = amplitude {
            self.set_amplitude(body, mode, amplitude)?;
        }
        if let Some(phase) = phase {
            self.set_phase(body, mode, phase)?;
        }
        if let Some(harmonic) = harmonic {
            for component in self.components.iter_mut().filter(|component| component.mode == mode) {
                component.harmonic = harmonic;
            }
        }
        Ok(())
    }

    /// Lets a mode swing by `amplitude`, rad of the joint that moves most; a mode that the gait does not use is added.
    ///
    /// Of several components of one mode, the largest gets the amplitude and the others keep their ratio to it.
    pub fn set_amplitude(&mut self, body: &Body, mode: usize, amplitude: f64) -> Result<(), GaitError> {
        finite("amplitude", mode, amplitude)?;
        let mut all = self.components_of(body, mode)?;
        let largest = all.iter().fold(0.0, |most: f64, component| most.max(component.amplitude.abs()));
        for component in &mut all {
            component.amplitude =
                if largest > 0.0 { component.amplitude * amplitude / largest } else { amplitude };
        }
        Ok(())
    }

    /// A lasting offset of posture along a mode, rad; a mode that the gait does not use is added.
    pub fn set_offset(&mut self, body: &Body, mode: usize, offset: f64) -> Result<(), GaitError> {
        finite("offset", mode, offset)?;
        for (k, component) in self.components_of(body, mode)?.into_iter().enumerate() {
            component.offset = if k == 0 { offset } else { 0.0 };
        }
        Ok(())
    }

    /// When in the cycle a mode swings, rad. The mode's first component gets the phase, and others keep their distance
    /// from it. Footfalls are forgotten: feet stand when the new motion has them low and moving back.
    pub fn set_phase(&mut self, body: &Body, mode: usize, phase: f64) -> Result<(), GaitError> {
        finite("phase", mode, phase)?;
        let mut all = self.components_of(body, mode)?;
        let shift = phase - all[0].phase;
        for component in &mut all[1..] {
            component.phase += shift;
        }
        all[0].phase = phase;
        self.ground.footfalls.clear();
        Ok(())
    }

    /// The same gait at another pace: the frequency, speed and duty of `wish`, where it has them. Of speed, stride and
    /// frequency two decide the third.
    pub fn retime(&mut self, wish: &Wish) {
        let of_stride = match (wish.speed, wish.stride_length) {
            (Some(speed), Some(stride)) if speed > 0.0 && stride > 0.0 => Some(speed / stride),
            _ => None,
        };
        self.frequency = wish.frequency.or(of_stride).unwrap_or(self.frequency);
        let speed = wish.speed.or(wish.stride_length.map(|stride| stride * self.frequency));
        self.ground.speed = speed.or(self.ground.speed);
        self.ground.duty = wish.duty.unwrap_or(self.ground.duty);
    }

    /// The same gait, begun at `cycle` of it: equation 4 with all phases moved on.
    pub fn begin_at(&mut self, cycle: f64) {
        for component in &mut self.components {
            component.phase += TAU * f64::from(component.harmonic) * cycle;
        }
        for phase in self.ground.footfalls.values_mut() {
            *phase = (*phase - cycle).rem_euclid(1.0);
        }
    }

    /// Whether `body` has every mode that the gait names: that of a file may be for another one.
    pub fn check_modes(&self, body: &Body) -> Result<(), GaitError> {
        let count = body.basis.directions().len();
        match self.components.iter().position(|component| component.mode >= count) {
            None => Ok(()),
            Some(index) => Err(GaitError::Mode {
                component: index + 1,
                mode: self.components[index].mode,
                creature: body.creature.name().to_owned(),
                last: count.saturating_sub(1),
            }),
        }
    }

    /// The components of a mode, at least one: a mode that the gait does not use is added at rest.
    fn components_of(&mut self, body: &Body, mode: usize) -> Result<Vec<&mut Component>, GaitError> {
        body.check_mode(mode)?;
        if self.components.iter().all(|component| component.mode != mode) {
            self.components.push(Component { mode, amplitude: 0.0, phase: 0.0, harmonic: 1, offset: 0.0 });
        }
        Ok(self.components.iter_mut().filter(|component| component.mode == mode).collect())
    }
}

impl Body {
    /// Whether there is a mode of this number.
    pub(crate) fn check_mode(&self, mode: usize) -> Result<(), GaitError> {
        let count = self.basis.directions().len();
        if mode < count {
            return Ok(());
        }
        let creature = self.creature.name().to_owned();
        Err(GaitError::NoMode { mode, creature, last: count.saturating_sub(1) })
    }
}

fn finite(what: &str, mode: usize, value: f64) -> Result<(), GaitError> {
    if value.is_finite() {
        return Ok(());
    }
    let reason = format!("{value} is not a finite number");
    Err(GaitError::Number { place: format!("{what} of mode {mode}"), reason })
}

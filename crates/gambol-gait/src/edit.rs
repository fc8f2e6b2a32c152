//! Changes of a gait, mode by mode and in its pace.

use crate::{Body, Component, Gait, GaitError, Wish};

impl Gait {
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

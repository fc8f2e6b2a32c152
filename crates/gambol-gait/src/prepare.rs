//! A gait by name or from a file, with the body that it is for.

use gambol_dynamics::Data;
use gambol_model::Creature;

use crate::marks::Marks;
use crate::{Body, Design, Gait, GaitError, Style, Wish, design, preset_style};

/// The gait called `name` for a creature as its file has it, and the body that it moves.
///
/// The style is that of the preset of this name, if the creature has one, and then as `restyle` changes it. Some presets
/// are more than a gait of the list: where one has to be asked for in a way that does not fit the list, it is played at
/// another pace.
pub fn prepare(
    creature: Creature,
    data: &mut Data,
    name: &str,
    restyle: impl FnOnce(&mut Style),
    wish: &Wish,
) -> Result<(Body, Design), GaitError> {
    let preset = preset_style(creature.name(), name);
    let is_preset = preset.is_some();
    let mut style = preset.unwrap_or_default();
    restyle(&mut style);
    let body = Body::new(creature, data, &style)?;
    let designed = match design(&body, data, name, wish) {
        Err(GaitError::DoesNotFit { .. }) if is_preset && *wish != wish.marks_only() => {
            let mut designed = design(&body, data, name, &wish.marks_only())?;
            designed.gait.retime(wish);
            designed
        }
        other => other?,
    };
    Ok((body, designed))
}

/// A gait of a file, and the body that it is for as `restyle` changes it: the numbers of its modes follow their shapes,
/// its pace is that of `wish`, and so are the modes to be seen and those to be left out.
pub fn adopt(
    creature: Creature,
    data: &mut Data,
    gait: Gait,
    restyle: impl FnOnce(&mut Style),
    wish: &Wish,
) -> Result<(Body, Design), GaitError> {
    let mut style = gait.style.clone();
    restyle(&mut style);
    let (body, gait, hints) = if style == gait.style {
        let body = Body::new(creature, data, &style)?;
        gait.check_modes(&body)?;
        (body, gait, Vec::new())
    } else {
        let from = Body::new(creature.clone(), data, &gait.style)?;
        gait.check_modes(&from)?;
        let body = Body::new(creature, data, &style)?;
        let (gait, hints) = body.follow(&from, &gait);
        (body, gait, hints)
    };
    let mut gait = Marks::new(&body, wish)?.apply(&body, data, gait)?;
    gait.retime(wish);
    gait.style = body.style.clone();
    Ok((body, Design { gait, hints }))
}

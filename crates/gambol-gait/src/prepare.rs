//! A gait by name or from a file, with the body that it is for.

use gambol_dynamics::Data;
use gambol_model::Creature;

use crate::marks::Marks;
use crate::preset;
use crate::{Body, Design, Gait, GaitError, Style, Wish, design, preset_style};

/// The gait called `name` for a creature as its file has it, and the body that it moves.
///
/// The style is that of the preset of this name, if the creature has one, or that of who runs at the speed of `wish`, and
/// then as `restyle` changes it.
pub fn prepare(
    creature: Creature,
    data: &mut Data,
    name: &str,
    restyle: impl FnOnce(&mut Style),
    wish: &Wish,
) -> Result<(Body, Design), GaitError> {
    let mut style = preset_style(&creature, name).unwrap_or_default();
    style.lean_for(&creature, data, wish);
    restyle(&mut style);
    let body = Body::new(creature, data, &style)?;
    let designed = design_at_pace(&body, data, name, wish)?;
    Ok((body, designed))
}

/// As [`design`], but some presets are more than a gait of the list: where one has to be asked for in a way that does not
/// fit the list, it is played at another pace.
pub fn design_at_pace(body: &Body, data: &mut Data, name: &str, wish: &Wish) -> Result<Design, GaitError> {
    let is_preset = preset::find(&body.creature, name).is_some();
    match design(body, data, name, wish) {
        Err(GaitError::DoesNotFit { .. }) if is_preset && *wish != wish.marks_only() => {
            let mut designed = design(body, data, name, &wish.marks_only())?;
            designed.gait.retime(wish);
            Ok(designed)
        }
        other => other,
    }
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
    let from = if style == gait.style { None } else { Some(Body::new(creature.clone(), data, &gait.style)?) };
    let body = Body::new(creature, data, &style)?;
    let design = adopt_onto(&body, data, gait, from.as_ref(), wish)?;
    Ok((body, design))
}

/// The same onto a body that is there already; `from` is the body of the gait's own style, where that is another.
pub fn adopt_onto(
    body: &Body,
    data: &mut Data,
    gait: Gait,
    from: Option<&Body>,
    wish: &Wish,
) -> Result<Design, GaitError> {
    gait.check_modes(from.unwrap_or(body))?;
    let (gait, hints) = match from {
        Some(from) => body.follow(from, &gait),
        None => (gait, Vec::new()),
    };
    let mut gait = Marks::new(body, wish)?.apply(body, data, gait)?;
    gait.retime(wish);
    gait.style = body.style.clone();
    Ok(Design { gait, hints })
}

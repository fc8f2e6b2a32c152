//! When feet stand in a recording that does not say it.

use gambol_dynamics::Data;
use gambol_gait::{Legs, StanceSettings, find_stances};
use gambol_model::Creature;
use gambol_motion::{Clip, Contact};

/// Guesses from the height and the speed of each foot's sole when it stands ([`gambol_gait::find_stances`]). Feet are the
/// creature's landmarks; one without any has no contacts.
pub fn guess_contacts(creature: &Creature, clip: &Clip) -> Vec<Contact> {
    let mut data = Data::new(creature);
    let legs = Legs::new(creature, &mut data, creature.rest_pose());
    let found = find_stances(creature, &mut data, &legs, clip, &StanceSettings::default());
    found.map(|stances| stances.contacts).unwrap_or_default()
}

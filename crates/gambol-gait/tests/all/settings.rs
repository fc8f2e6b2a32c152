//! The numbers by which gaits are made are the caller's: a field that nothing reads any more, or a constant that came back beside
//! it, fails here, and so does a body that takes a number that makes no sense.

use gambol_dynamics::Data;
use gambol_gait::{Body, GaitSettings, Style, Wish, design};

fn walk_of(settings: GaitSettings) -> gambol_gait::Gait {
    let creature = gambol::load("dog", &gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let body = Body::with_settings(creature, &mut data, &Style::default(), settings).unwrap();
    design(&body, &mut data, "walk", &Wish { speed: Some(0.6), ..Wish::default() }).unwrap().gait
}

#[test]
fn a_setting_changes_the_gait_as_it_says() {
    let usual = walk_of(GaitSettings::default());
    let mut settings = GaitSettings::default();
    settings.tempo.stride *= 0.8;
    let shorter = walk_of(settings);
    // At one speed, strides of four fifths of the length come five quarters as often.
    assert!((shorter.frequency / usual.frequency - 1.25).abs() < 1e-9, "{} Hz", shorter.frequency);
}

#[test]
fn a_setting_that_makes_no_sense_is_refused_by_name() {
    let creature = gambol::load("dog", &gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let mut settings = GaitSettings::default();
    settings.tempo.stride = -1.0;
    let error = Body::with_settings(creature, &mut data, &Style::default(), settings).map(drop).unwrap_err();
    assert!(error.to_string().contains("stride"), "{error}");
}

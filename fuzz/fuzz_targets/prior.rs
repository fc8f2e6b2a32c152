//! Any text as a prior of a small creature: an error, or poses that are written and read again, and that pose it.
#![no_main]

use gambol_dynamics::Data;
use gambol_formats::LoadOptions;
use gambol_formats::basis::JointMatch;
use gambol_formats::prior::{from_prior_file, to_prior_file};
use gambol_model::Vec3;
use gambol_motion::{Prior, RootMotion, bone_end};
use libfuzzer_sys::fuzz_target;

const BODY: &str = r#"<mujoco><worldbody><body name="a"><freejoint name="root"/><geom size="0.1"/>
<body name="b" pos="0 0 0.3"><joint name="ball" type="ball"/><geom size="0.1"/></body></body></worldbody></mujoco>"#;

fuzz_target!(|text: &str| {
    let spec = gambol_formats::load_str("body.xml", BODY, &LoadOptions::default()).expect("it is right");
    let creature = spec.build().expect("it is right");
    for joints in [JointMatch::Same, JointMatch::ByName] {
        let Ok(frames) = from_prior_file("fuzz.prior", text, &creature, joints) else { continue };
        let written = to_prior_file(&creature, &frames);
        from_prior_file("again.prior", &written, &creature, JointMatch::Same).expect("what was written is read");
        let prior = Prior::Frames(frames);
        let poser = prior.poser(&creature, &[bone_end(&creature, 2)]).expect("it is of this creature");
        let (at, target) = (creature.reference_pose(), [Vec3::new(0.2, 0.0, 0.4)]);
        let found = poser.pose(&mut Data::new(&creature), at, &target, RootMotion::Free).expect("one handle, one target");
        assert!(found.pose.iter().all(|x| x.is_finite()));
    }
});

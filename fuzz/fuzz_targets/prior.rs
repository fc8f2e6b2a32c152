//! Any text as a prior of a small creature: an error, or poses that are written and read again, and that pose it.
#![no_main]

use gambol_dynamics::Data;
use gambol_formats::LoadOptions;
use gambol_formats::basis::JointMatch;
use gambol_formats::prior::{prior_of_file, to_prior_file, to_process_file};
use gambol_model::Vec3;
use gambol_motion::{Prior, RootMotion, bone_end};
use libfuzzer_sys::fuzz_target;

const BODY: &str = r#"<mujoco><worldbody><body name="a"><freejoint name="root"/><geom size="0.1"/>
<body name="b" pos="0 0 0.3"><joint name="ball" type="ball"/><geom size="0.1"/></body></body></worldbody></mujoco>"#;

fuzz_target!(|text: &str| {
    let spec = gambol_formats::load_str("body.xml", BODY, &LoadOptions::default()).expect("it is right");
    let creature = spec.build().expect("it is right");
    for joints in [JointMatch::Same, JointMatch::ByName] {
        let Ok(prior) = prior_of_file("fuzz.prior", text, &creature, joints) else { continue };
        let written = match &prior {
            Prior::Frames(frames) => to_prior_file(&creature, frames),
            Prior::Process(process) => to_process_file(&creature, process),
            _ => unreachable!("a file has frames or a process"),
        };
        let again = prior_of_file("again.prior", &written, &creature, JointMatch::Same);
        // Poses are written to six digits, and a process may hang on the others.
        assert!(again.is_ok() || matches!(prior, Prior::Process(_)), "what was written is read");
        let poser = prior.poser(&creature, &[bone_end(&creature, 2)]).expect("it is of this creature");
        let (at, target) = (creature.reference_pose(), [Vec3::new(0.2, 0.0, 0.4)]);
        // Hidden coordinates may be too far away to be told from one another.
        let Ok(found) = poser.pose(&mut Data::new(&creature), at, &target, RootMotion::Free) else { continue };
        assert!(found.pose.iter().all(|x| x.is_finite()));
    }
});

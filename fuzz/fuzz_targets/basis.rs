//! Any text as a basis of a small creature: an error, or a basis that is written and read again as it was.
#![no_main]

use gambol_formats::LoadOptions;
use gambol_formats::basis::{JointMatch, from_basis_file, to_basis_file};
use libfuzzer_sys::fuzz_target;

const BODY: &str = r#"<mujoco><worldbody><body name="a"><freejoint name="root"/><geom size="0.1"/>
<body name="b" pos="0 0 0.3"><joint name="ball" type="ball"/><geom size="0.1"/></body></body></worldbody></mujoco>"#;

fuzz_target!(|text: &str| {
    let spec = gambol_formats::load_str("body.xml", BODY, &LoadOptions::default()).expect("it is right");
    let creature = spec.build().expect("it is right");
    for joints in [JointMatch::Same, JointMatch::ByName] {
        let Ok(basis) = from_basis_file("fuzz.basis", text, &creature, joints) else { continue };
        let written = to_basis_file(&creature, &basis);
        let again = from_basis_file("again.basis", &written, &creature, JointMatch::Same);
        assert_eq!(again.expect("what was written is read"), basis);
    }
});

//! Any bytes as a packed clip of a small creature, with and without the head and checksum of a file: an error, or a clip that is one of
//! the creature's. The seed is one of it, so that what is behind its fingerprint is reached.
#![no_main]

use gambol_formats::LoadOptions;
use gambol_motion::Pack;
use libfuzzer_sys::fuzz_target;

const BODY: &str = r#"<mujoco><worldbody><body name="a"><freejoint name="root"/><geom size="0.1"/>
<body name="b" pos="0 0 0.3"><joint name="ball" type="ball"/><geom size="0.1"/></body></body></worldbody></mujoco>"#;

fuzz_target!(|bytes: &[u8]| {
    let spec = gambol_formats::load_str("body.xml", BODY, &LoadOptions::default()).expect("it is right");
    let creature = spec.build().expect("it is right");
    let read = Pack::open(&creature, bytes);
    if let Ok(pack) = read {
        pack.clip().check(&creature).expect("a packed clip is a clip");
    }
    let _ = gambol_formats::pack::clip_of_pack("fuzz.pack", bytes, &creature);
});

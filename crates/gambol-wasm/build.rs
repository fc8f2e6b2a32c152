//! Room for the engine's calls: as the studio's server gives its engine's thread. A module has one megabyte by itself.

/// Bytes.
const STACK: usize = 8 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-cdylib-link-arg=-zstack-size={STACK}");
    }
}

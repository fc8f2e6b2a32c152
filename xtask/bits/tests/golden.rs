//! On this machine, and as tests are built, the bits are those that were written down. `cargo xtask bits` builds the same
//! computations in other ways for other machines; all must agree. It caught matrix products that were fused on one processor
//! and not on another.

#[test]
fn the_bits_are_those_written_down() {
    let found = bits::lines().unwrap();
    assert_eq!(bits::differences(&found), "", "cargo xtask bits --write writes down new ones");
}

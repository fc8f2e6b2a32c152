//! A game asks packed clips for poses all the time: none of that may touch the heap. A counting allocator proves it, and proves with
//! a positive control that it counts.

#[path = "../../gambol-dynamics/tests/counting/mod.rs"]
mod counting;

use gambol_model::Vec3;
use gambol_model::samples::{TreeKind, random_tree};
use gambol_motion::samples::wander;
use gambol_motion::{Pack, PackSettings, Stride, pack};

use counting::allocations;

#[test]
fn sampling_does_not_allocate() {
    let creature = random_tree(2, TreeKind { bodies: 8, free_root: true, armature: true });
    let clip = wander(&creature, 2, 40, 0.5, Stride { yaw: 0.0, shift: Vec3::x() });
    let packed =
        Pack::open(&creature, &pack(&creature, &clip, &PackSettings::default()).unwrap().bytes).unwrap();
    let mut pose = vec![0.0; packed.nq()];
    assert!(allocations(|| drop(vec![0u8; 16])) > 0, "the counter does not count");
    assert_eq!(allocations(|| (0..50).for_each(|k| packed.sample(0.02 * f64::from(k), &mut pose))), 0);
}

//! One creature, many threads: each has its own `Data`, all get the bits that one thread alone gets. Searches rely on
//! it to give the same result on any number of threads.

use gambol_dynamics::{Data, TreeMatrix, bias_forces, forward_dynamics, mass_matrix};
use gambol_model::Creature;
use gambol_model::samples::{TreeKind, random_tree};

/// A hash of every bit of the results at 50 states.
fn work(creature: &Creature) -> Vec<u64> {
    let mut data = Data::new(creature);
    let mut m = TreeMatrix::new(creature).unwrap();
    let mut bits = Vec::new();
    for seed in 0..50 {
        let (q, v) = crate::support::state(creature, seed);
        mass_matrix(creature, &mut data, &q, &mut m);
        bits.extend(
            (0..creature.nv()).flat_map(|i| m.row(i).iter().map(|x| x.to_bits()).collect::<Vec<_>>()),
        );
        bits.extend(bias_forces(creature, &mut data, &q, &v).iter().map(|x| x.to_bits()));
        bits.extend(forward_dynamics(creature, &mut data, &q, &v, &v).iter().map(|x| x.to_bits()));
    }
    bits
}

#[test]
fn threads_share_a_creature_and_agree_to_the_bit() {
    let creature = random_tree(5, TreeKind { bodies: 30, free_root: true, armature: true });
    let alone = work(&creature);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| work(&creature))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

#[test]
fn earlier_calls_leave_no_trace() {
    let creature = random_tree(6, TreeKind { bodies: 30, free_root: true, armature: true });
    let (q, v) = crate::support::state(&creature, 3);
    let mut used = Data::new(&creature);
    for seed in 10..20 {
        let (q, v) = crate::support::state(&creature, seed);
        forward_dynamics(&creature, &mut used, &q, &v, &v);
        bias_forces(&creature, &mut used, &q, &v);
    }
    let mut fresh = Data::new(&creature);
    let a = forward_dynamics(&creature, &mut fresh, &q, &v, &v);
    assert_eq!(forward_dynamics(&creature, &mut used, &q, &v, &v), a);
}

//! A sketch is a small file that people write by hand. What it says must come back as it was, and every mistake must be
//! told with its line: a mode that does not exist, one that is wanted and excluded at once, nothing left to move with. The
//! sketches of the gallery must fit their creatures with as many modes as table 1 of Nunes et al. 2012 has.

use gambol::LoadOptions;
use gambol_control::sketch::{FileError, Legs, Phase, Sketch, Stage, read, to_toml};
use gambol_model::{Creature, math};

fn find(name: &str) -> Result<Creature, String> {
    gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string())
}

fn gallery(name: &str) -> (Sketch, Stage) {
    let text = gambol::gallery::sketch(name).expect("it is in the gallery");
    read(text, find).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn sketches_of_the_gallery_have_as_many_modes_as_the_paper() {
    // Priority and permissible modes, in flight and on the ground; degrees of freedom inside.
    let table = [
        ("runner", [3, 4], [5, 7], 30),
        ("hopper", [2, 5], [6, 8], 30),
        ("monster", [3, 4], [5, 7], 42),
        ("kangaroo", [1, 3], [4, 6], 36),
    ];
    assert_eq!(gambol::gallery::sketches()[..4], table.map(|row| row.0));
    for (name, priority, permissible, dof) in table {
        let (sketch, stage) = gallery(name);
        assert_eq!(sketch.name, name);
        assert_eq!(stage.creature.nv() - 6, dof, "{name}");
        for (k, phase) in Phase::BOTH.into_iter().enumerate() {
            assert_eq!(sketch.palette(phase).priority.len(), priority[k], "{name}, {}", phase.name());
            assert_eq!(stage.active[k].len(), permissible[k], "{name}, {}", phase.name());
        }
        // Flight modes are free, and each pinned toe takes three coordinates.
        assert_eq!(stage.flight.rigid(), 6, "{name}");
        assert_eq!(stage.flight.dof() - stage.ground.dof(), 3 * stage.stance.len(), "{name}");
        assert_eq!(stage.mirror.is_some(), sketch.legs == Legs::Alternate);
    }
}

#[test]
fn what_is_written_is_read_back() {
    for name in gambol::gallery::sketches() {
        let (sketch, _) = gallery(name);
        let (back, _) = read(&to_toml(&sketch), find).unwrap();
        assert_eq!(back, sketch);
    }
}

#[test]
fn torques_are_what_springs_do_along_a_mode() {
    // In a vibration with one stiffness everywhere the torque of every joint is that stiffness times its angle: the paper's
    // Φ ψ. Nothing may act on the root.
    let mut creature = find("biped").unwrap();
    gambol::modes::set_uniform(&mut creature, 250.0).unwrap();
    let (sketch, _) = gallery("runner");
    let stage = Stage::new(&sketch, creature).unwrap();
    for (k, phase) in Phase::BOTH.into_iter().enumerate() {
        for active in &stage.active[k] {
            let shape = &stage.basis(phase).directions()[active.mode].shape;
            assert!(active.torque[..6].iter().all(|torque| *torque == 0.0));
            for (torque, angle) in active.torque[6..].iter().zip(&shape[6..]) {
                assert!((torque - 250.0 * angle).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn left_for_right_and_back_is_nothing() {
    let (_, stage) = gallery("runner");
    let v: Vec<f64> = (0..stage.creature.nv()).map(|k| math::sin(k as f64)).collect();
    let twice = stage.mirrored(&stage.mirrored(&v));
    assert!(v.iter().zip(&twice).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!(stage.stance[0].name, "foot.left");
    assert_eq!(stage.others[0].name, "foot.right");
    // Forwards stays forwards, sideways turns round.
    let image = stage.mirrored(&v);
    assert!(
        (image[0] - v[0]).abs() < 1e-12 && (image[1] + v[1]).abs() < 1e-12 && (image[2] - v[2]).abs() < 1e-12
    );
}

/// The first sketch, changed.
fn changed(from: &str, to: &str) -> FileError {
    let text = gambol::gallery::sketch("runner").unwrap();
    assert!(text.contains(from), "{from}");
    read(&text.replacen(from, to, 1), find).expect_err("nonsense")
}

/// The line on which `words` first stand in the runner's file.
fn line(words: &str) -> Option<usize> {
    let text = gambol::gallery::sketch("runner").unwrap();
    text.lines().position(|line| line.contains(words)).map(|line| line + 1)
}

#[test]
fn mistakes_are_told_with_their_lines() {
    let error = changed("mode = 18", "mode = 99");
    assert_eq!(error.line, line("mode = 18"));
    assert!(error.reason.contains("no flight mode 99") && error.reason.contains("35"), "{error}");

    let error = changed("mode = 11", "mode = 3");
    assert_eq!(error.line, line("mode = 11"));
    assert!(error.reason.contains("bends nothing"), "{error}");

    let error = changed("[flight]\n", "[flight]\nexcluded = [7]\n");
    assert_eq!(error.line, line("[flight]").map(|line| line + 1));
    assert!(error.reason.contains("has priority and is excluded"), "{error}");

    let error = changed("permissible = [10, 21]", "excluded = [10]\npermissible = [10, 21]");
    assert!(error.reason.contains("permissible and excluded"), "{error}");

    let error = changed("legs = \"alternate\"", "legs = \"skip\"");
    assert_eq!(error.line, line("legs ="));
    let error = changed("pose = \"run\"", "pose = \"fly\"");
    assert_eq!(error.line, line("pose ="));
    assert!(error.reason.contains("squat"), "{error}");
    let error = changed("\"foot.left\"", "\"paw\"");
    assert!(error.reason.contains("foot.right"), "{error}");
    let error = changed("pose = \"run\"", "pose = \"one-leg\"");
    assert!(error.reason.contains("same on both sides"), "{error}");
    let error = changed("creature = \"biped\"", "creature = \"snake\"");
    assert!(error.reason.contains("snake has no pose"), "{error}");
    let error = changed("creature = \"biped\"", "creature = \"nobody\"");
    assert_eq!(error.line, line("creature ="));
    let error = changed("damping = 0.1", "damping = -1");
    assert_eq!(error.line, line("damping ="));
    let error = changed("period = 0.7", "perod = 0.7");
    assert!(error.reason.contains("did you mean period?"), "{error}");
    let error = changed("amplitude = -0.2", "amplitude = 0");
    assert!(error.reason.contains("amplitude"), "{error}");
    let error = changed("version = 1", "version = 2");
    assert!(error.reason.contains("newer"), "{error}");
}

#[test]
fn no_permissible_mode_left() {
    let head = "version = 1\ncreature = \"biped\"\npose = \"run\"\nperiod = 0.7\nspeed = 3\n";
    let error = read(&format!("{head}[flight]\npermissible = []\n"), find).expect_err("nothing to fly with");
    assert!(error.reason.contains("no permissible mode is left"), "{error}");
    // Without a word, the twelve lowest may be used.
    let (_, stage) = read(head, find).unwrap();
    assert_eq!(stage.active[0].len(), 12);
    assert_eq!(stage.active[1].len(), 12);
}

//! `cargo xtask pictures`: the pictures of the docs, drawn by gambol itself.

use gambol::formats::gltf::samples::{Awkward, quadruped};
use gambol::formats::write_file;
use gambol::picture::{
    AnimationFormat, ClipOptions, Drawing, Look, Picture, Tile, View, clip_animation, clip_strip, sheet,
    write,
};
use gambol::{LoadOptions, gallery};

use crate::gaits::{Played, play};
use crate::shell::{Result, command, output, root, target};

/// Gaits whose film strips the docs show: the rows of figure 3, then what else the gallery does.
const STRIPS: [(&str, &[&str]); 10] = [
    ("loop", &["roll"]),
    ("linear", &["crawl", "swim"]),
    ("dog", &["trot", "amble", "gallop", "walk", "pace", "bound", "rotary-gallop"]),
    ("human", &["t-pose-walk", "jump", "jumping-jacks", "run", "steady-run", "push-cart", "walk", "hop"]),
    ("bird", &["walk", "run"]),
    ("kangaroo", &["hop"]),
    ("monster", &["walk", "run"]),
    ("insect", &["tripod", "wave"]),
    ("spider", &["walk"]),
    ("snake", &["slither", "swim"]),
];
/// Keys per second of the clips that are drawn; a strip shows eight moments.
const FPS: f64 = 60.0;
/// Width of the animation in the README, px, and its pictures per second: small enough to load at once.
const WIDTH: f64 = 400.0;
const RATE: f64 = 25.0;

pub(crate) fn run() -> Result<()> {
    let file = root().join("docs/gallery.svg");
    write(&file, &gallery_sheet()?, true).map_err(|error| error.to_string())?;
    println!("{}", file.display());
    // The first twelve vibrations of the creatures that the page on modes shows.
    for (name, count) in [("dog", "18"), ("human", "18"), ("loop", "12")] {
        let file = format!("docs/modes-{name}.svg");
        let mut gambol = command(
            "cargo",
            &["run", "--release", "--quiet", "--package", "gambol-cli", "--", "modes", name],
        );
        output(gambol.args(["--count", count, "--force", "--sheet", &file]))?;
        println!("{}", root().join(file).display());
    }
    physics()?;
    strips()?;
    rig_strips()?;
    animation("dog", "trot")
}

/// Figure 2 of the paper, in `docs/physics`: vibrations, and what comes of pumping the first two.
fn physics() -> Result<()> {
    let folder = root().join("docs/physics");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let gambol = |arguments: &[&str], file: &str| {
        let file = folder.join(file);
        let mut gambol = command("cargo", &["run", "--release", "--quiet", "--package", "gambol-cli", "--"]);
        output(gambol.args(arguments).arg(&file))?;
        println!("{}", file.display());
        Ok(())
    };
    for name in ["loop", "linear"] {
        let pump = ["simulate", name, "pump", "--phase", "90", "--seconds", "2", "--force", "--output"];
        gambol(&pump, &format!("{name}-pump.svg"))?;
    }
    gambol(&["modes", "linear", "--count", "12", "--force", "--sheet"], "linear-modes.svg")
}

/// A skinned file of our own, as awkward as any, at three of its gaits, in `docs/rigs`.
fn rig_strips() -> Result<()> {
    let folder = root().join("docs/rigs");
    let file = target().join("pictures/sample.glb");
    for folder in [Some(folder.as_path()), file.parent()].into_iter().flatten() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let awkward = Awkward { scale: 0.01, turned: true, helpers: true, two_skins: true, ..Awkward::PLAIN };
    write_file(&file, &quadruped(&awkward), true).map_err(|error| error.to_string())?;
    for gait in ["walk", "trot", "gallop"] {
        let Played { body, performance, .. } = play(&file.display().to_string(), gait, FPS)?;
        let strip = clip_strip(&body.creature, &performance.clip, &ClipOptions::default());
        let file = folder.join(format!("sample-{gait}.svg"));
        strip.and_then(|strip| write(&file, &strip, true)).map_err(|error| error.to_string())?;
        println!("{}", file.display());
    }
    Ok(())
}

/// Film strips in `docs/gaits`; SVG, which is half as large as PNG here.
fn strips() -> Result<()> {
    let folder = root().join("docs/gaits");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (creature, gaits) in STRIPS {
        for gait in gaits {
            let Played { body, performance, .. } = play(creature, gait, FPS)?;
            let strip = clip_strip(&body.creature, &performance.clip, &shown(creature, gait));
            let file = folder.join(format!("{creature}-{gait}.svg"));
            let written = strip.and_then(|strip| write(&file, &strip, true));
            written.map_err(|error| error.to_string())?;
            println!("{}", file.display());
        }
    }
    Ok(())
}

/// How a gait is shown so that one sees what it does; from the side, in eight frames, if nothing speaks against it.
fn shown(creature: &str, gait: &str) -> ClipOptions<'static> {
    let usual = ClipOptions::default();
    match (creature, gait) {
        // In eight frames it rolls on by two links each, and every other link looks the same.
        ("loop", _) => ClipOptions { frames: 7, ..usual },
        (_, "jumping-jacks") => ClipOptions { view: Some(View::front()), ..usual },
        // Arms and sprawling legs hide each other from the side.
        (_, "t-pose-walk") | ("insect" | "spider", _) => {
            ClipOptions { view: Some(View::turned(0.5, 0.35)), ..usual }
        }
        _ => usual,
    }
}

/// A loop in `docs/gaits`.
fn animation(creature: &str, gait: &str) -> Result<()> {
    let Played { body, performance, .. } = play(creature, gait, FPS)?;
    let options = ClipOptions { width: WIDTH, rate: RATE, ..ClipOptions::default() };
    let gif =
        clip_animation(&body.creature, &performance.clip, AnimationFormat::Gif, &options, &mut |_, _| {});
    let file = root().join(format!("docs/gaits/{creature}-{gait}.gif"));
    write_file(&file, &gif.map_err(|error| error.to_string())?, true).map_err(|error| error.to_string())?;
    println!("{}", file.display());
    Ok(())
}

/// All creatures of the gallery.
fn gallery_sheet() -> Result<Picture> {
    let tile = |entry: &gallery::Entry| {
        let creature =
            gambol::load(entry.name, &LoadOptions::default()).map_err(|error| error.to_string())?;
        let drawing = Drawing::new(&creature, creature.reference_pose(), View::turned(0.45, 0.16));
        let look = Look { shadow: true, ..Look::default() };
        Ok(Tile { drawing, look, caption: entry.name.to_owned() })
    };
    let tiles = gallery::ENTRIES.iter().map(tile).collect::<Result<Vec<_>>>()?;
    let mut picture = sheet(&tiles, 5);
    picture.title = String::from("The creatures of the gallery");
    Ok(picture)
}

//! `cargo xtask pictures`: the pictures of the docs, drawn by gambol itself.

use std::path::Path;

use gambol::formats::gltf::samples::{Awkward, quadruped};
use gambol::formats::write_file;
use gambol::picture::{
    AnimationFormat, ClipOptions, Drawing, Look, Picture, Tile, View, clip_animation, clip_strip, sheet,
    write,
};
use gambol::{LoadOptions, gallery};

use crate::gaits::{Played, play};
use crate::shell::{Result, build_gambol, command, output, root, target};

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

/// Draws pictures into their files.
type Draw = fn() -> Result<()>;

/// What is drawn, by the name that `cargo xtask pictures` takes.
const GROUPS: [(&str, Draw); 7] = [
    ("gallery", gallery_picture),
    ("modes", modes),
    ("physics", physics),
    ("gaits", strips),
    ("rigs", rig_strips),
    ("animation", || animation("dog", "trot")),
    ("plants", plants),
];

/// All pictures, or those of the groups named.
pub(crate) fn run(only: &[String]) -> Result<()> {
    let names = GROUPS.map(|(name, _)| name);
    if let Some(unknown) = only.iter().find(|word| !names.contains(&word.as_str())) {
        return Err(format!("there are no pictures {unknown:?}; there are: {}", names.join(", ")));
    }
    let asked = |name: &str| only.is_empty() || only.iter().any(|word| word == name);
    GROUPS.iter().filter(|(name, _)| asked(name)).try_for_each(|(_, draw)| draw())
}

/// The program `gambol` draws into a file, the last of its arguments.
fn draw(arguments: &[&str], file: &Path) -> Result<()> {
    output(command(build_gambol("debug")?, arguments).arg(file))?;
    println!("{}", file.display());
    Ok(())
}

/// The first vibrations of the creatures that the page on modes shows.
fn modes() -> Result<()> {
    for (name, count) in [("dog", "18"), ("human", "18"), ("loop", "12")] {
        let file = root().join(format!("docs/modes-{name}.svg"));
        draw(&["modes", name, "--count", count, "--force", "--sheet"], &file)?;
    }
    Ok(())
}

/// Figure 2 of the paper, in `docs/physics`: vibrations, and what comes of pumping the first two.
fn physics() -> Result<()> {
    let folder = root().join("docs/physics");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for name in ["loop", "linear"] {
        let pump = ["simulate", name, "pump", "--phase", "90", "--seconds", "2", "--force", "--output"];
        draw(&pump, &folder.join(format!("{name}-pump.svg")))?;
    }
    let sheet = ["modes", "linear", "--count", "12", "--force", "--sheet"];
    draw(&sheet, &folder.join("linear-modes.svg"))
}

/// Plants of the gallery in `docs/plants`: modes as in figure 4 of Diener et al. 2009, a breeze, a front, a forest and a row.
fn plants() -> Result<()> {
    let folder = root().join("docs/plants");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    draw(&["modes", "sapling", "--count", "10", "--force", "--sheet"], &folder.join("sapling-modes.png"))?;
    let front = [
        "wind",
        "spruce",
        "--speed",
        "9",
        "--gusts",
        "0.2",
        "--front",
        "2",
        "--seconds",
        "5",
        "--force",
        "-o",
    ];
    draw(&front, &folder.join("spruce-front.png"))?;
    let breeze = [
        "wind",
        "sapling",
        "--speed",
        "6",
        "--gusts",
        "0.35",
        "--seconds",
        "4",
        "--fps",
        "15",
        "--force",
        "-o",
    ];
    draw(&breeze, &folder.join("sapling-breeze.gif"))?;
    let forest = [
        "wind",
        "spruce",
        "--forest",
        "900",
        "--speed",
        "12",
        "--gusts",
        "0.3",
        "--seconds",
        "0",
        "--force",
        "-o",
    ];
    draw(&forest, &folder.join("forest.gif"))?;
    let row = [
        "wind",
        "poplar",
        "--forest",
        "14",
        "--row",
        "--speed",
        "12",
        "--gusts",
        "0.3",
        "--seconds",
        "0",
        "--force",
        "-o",
    ];
    draw(&row, &folder.join("row.gif"))
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

fn gallery_picture() -> Result<()> {
    let file = root().join("docs/gallery.svg");
    write(&file, &gallery_sheet()?, true).map_err(|error| error.to_string())?;
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

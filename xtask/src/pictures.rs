//! `cargo xtask pictures`: the pictures of the docs, drawn by gambol itself.

use gambol::picture::{Drawing, Look, Picture, Tile, View, sheet, write};
use gambol::{LoadOptions, gallery};

use crate::shell::{Result, command, output, root};

pub(crate) fn run() -> Result<()> {
    let file = root().join("docs/gallery.svg");
    write(&file, &gallery_sheet()?, true).map_err(|error| error.to_string())?;
    println!("{}", file.display());
    // The first twelve vibrations of the creatures that the page on modes shows.
    for (name, count) in [("dog", "18"), ("human", "18"), ("loop", "12")] {
        let file = format!("docs/modes-{name}.svg");
        let mut gambol =
            command("cargo", &["run", "--release", "--quiet", "--package", "gambol", "--", "modes", name]);
        output(gambol.args(["--count", count, "--force", "--sheet", &file]))?;
        println!("{}", root().join(file).display());
    }
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

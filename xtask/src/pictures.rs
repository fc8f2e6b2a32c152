//! `cargo xtask pictures`: the pictures of the docs, drawn by gambol itself.

use gambol::picture::{Drawing, View, caption, open};
use gambol::{LoadOptions, gallery};

use crate::shell::{Result, root};

pub(crate) fn run() -> Result<()> {
    let file = root().join("docs/gallery.svg");
    std::fs::write(&file, gallery_sheet()?).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}

/// All creatures of the gallery in a row of tiles, each as large as its tile allows.
fn gallery_sheet() -> Result<String> {
    const TILE: [f64; 2] = [216.0, 210.0];
    const COLUMNS: usize = 5;
    const MARGIN: f64 = 16.0;
    let rows = gallery::ENTRIES.len().div_ceil(COLUMNS);
    let mut svg = open(TILE[0] * COLUMNS as f64, TILE[1] * rows as f64);
    for (k, entry) in gallery::ENTRIES.iter().enumerate() {
        let creature =
            gambol::load(entry.name, &LoadOptions::default()).map_err(|error| error.to_string())?;
        let drawing = Drawing::new(&creature, creature.reference_pose(), View::turned(0.45, 0.16));
        let [width, height] = drawing.size();
        let room = [TILE[0] - 2.0 * MARGIN, TILE[1] - 2.0 * MARGIN - 20.0];
        let scale = (room[0] / width).min(room[1] / height);
        let left = TILE[0] * (k % COLUMNS) as f64;
        let top = TILE[1] * (k / COLUMNS) as f64;
        let bottom = top + TILE[1] - MARGIN - 20.0;
        drawing.write(&mut svg, scale, left + (TILE[0] - width * scale) / 2.0, bottom, false);
        caption(&mut svg, left + TILE[0] / 2.0, top + TILE[1] - 10.0, 14.0, entry.name);
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

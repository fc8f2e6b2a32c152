//! Fonts: the one that comes with the crate, and those of the system for what it lacks.

use std::sync::{Arc, LazyLock};

use skrifa::{Font, GlyphId, PathSink, ScalerFont};

/// Noto Sans for Latin, Greek and Cyrillic; `font/README.md` says how it was made and `font/OFL.txt` is its licence.
static EMBEDDED: LazyLock<Arc<Face>> = LazyLock::new(|| {
    let data: &'static [u8] = include_bytes!("../../font/NotoSans-Regular-subset.ttf");
    Arc::new(Face::new(Font::new(data, 0).expect("the font of this crate can be read")))
});

/// A font that text is drawn with.
pub(super) struct Face {
    pub(super) font: Font,
    scaler: ScalerFont,
}

impl Face {
    fn new(font: Font) -> Self {
        let scaler = ScalerFont::unhinted(font.clone(), None);
        Self { font, scaler }
    }

    /// Letters are measured in these.
    pub(super) fn units_per_em(&self) -> f64 {
        f64::from(self.font.units_per_em().max(1))
    }

    /// Whether it has a glyph for every character that needs one.
    fn covers(&self, text: &str) -> bool {
        let charmap = self.font.charmap();
        text.chars().filter(|c| needs_glyph(*c)).all(|c| {
            let glyph = charmap.map_unicode(c).filter(|glyph| glyph.to_u32() != 0);
            glyph.is_some_and(|glyph| c.is_whitespace() || self.shows(glyph))
        })
    }

    /// Whether a glyph is an outline or a picture: some fonts have emoji as neither.
    fn shows(&self, glyph: GlyphId) -> bool {
        let mut seen = Seen(false);
        self.draw(glyph, &mut seen);
        seen.0 || self.bitmap(glyph).is_some()
    }

    /// The outline of a glyph in the font's units, y up; nothing if it has none.
    pub(super) fn draw(&self, glyph: GlyphId, sink: &mut impl PathSink) {
        if let Some(outline) = self.scaler.outline(glyph) {
            // A glyph that is broken in its file is one that is not there.
            let _ = outline.draw(skrifa::DrawMemory::Scratch, sink);
        }
    }

    /// The largest picture of a glyph, as fonts of emoji have them, with its place on the em: left, top, width, height.
    pub(super) fn bitmap(&self, glyph: GlyphId) -> Option<([f64; 4], &[u8])> {
        let bitmap = self.font.bitmap_strikes().select_bitmap(glyph, None)?;
        let extents = bitmap.extents();
        match bitmap.pixels() {
            skrifa::font::glyph::bitmap::Pixels::Png(png) => {
                let place = [extents.x_bearing, extents.y_bearing, extents.width, extents.height];
                Some((place.map(|x| f64::from(x) / self.units_per_em()), png))
            }
            _ => None,
        }
    }
}

/// Hears whether anything is drawn.
struct Seen(bool);

impl PathSink for Seen {
    fn move_to(&mut self, _: f32, _: f32) {}
    fn line_to(&mut self, _: f32, _: f32) {
        self.0 = true;
    }
    fn quad_to(&mut self, _: f32, _: f32, _: f32, _: f32) {
        self.0 = true;
    }
    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {
        self.0 = true;
    }
    fn close(&mut self) {}
}

/// Characters that only tell others how to look: joiners, marks of direction, selectors of variants.
fn needs_glyph(character: char) -> bool {
    !matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e01ef}'
    )
}

/// The face of the crate.
pub(super) fn embedded() -> &'static Arc<Face> {
    &EMBEDDED
}

/// A face that has all of `cluster`, which is drawn as one: the crate's own, the one before it, or one of the system's.
pub(super) fn face_for(cluster: &str, before: Option<&Arc<Face>>) -> Option<Arc<Face>> {
    let known = [before, Some(embedded())].into_iter().flatten();
    // A stop goes with the word before it; a letter of ours always looks the same, and a blank is as wide.
    let mut known: Vec<&Arc<Face>> = known.collect();
    if cluster.chars().any(|c| c.is_alphanumeric() || c.is_whitespace()) {
        known.reverse();
    }
    known.into_iter().find(|face| face.covers(cluster)).cloned().or_else(|| system::face_for(cluster))
}

#[cfg(not(target_family = "wasm"))]
mod system {
    //! The system's fonts, looked through only when a letter is not in ours.

    use std::collections::HashMap;
    use std::sync::{Arc, LazyLock, Mutex, PoisonError};

    use fontdb::{Database, FaceInfo, ID, Style};
    use skrifa::Font;
    use skrifa::raw::{FontRef, TableProvider};

    use super::{Face, needs_glyph};

    /// Families that go well with ours, the best first; others come after them by name.
    const PREFERRED: [&str; 3] = ["Noto Sans", "DejaVu Sans", "Liberation Sans"];
    /// A font of placeholders that has every letter and shows none.
    const PLACEHOLDERS: &str = "LastResort";
    /// The weight of our own.
    const REGULAR: u16 = 400;

    static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::new);

    struct Fonts {
        database: Database,
        /// The faces we like best first.
        order: Vec<ID>,
        /// What was looked for before: most names are drawn on every frame of an animation.
        found: Mutex<HashMap<String, Option<Arc<Face>>>>,
        opened: Mutex<HashMap<ID, Option<Arc<Face>>>>,
    }

    pub(super) fn face_for(cluster: &str) -> Option<Arc<Face>> {
        let mut found = FONTS.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(face) = found.get(cluster) {
            return face.clone();
        }
        let face = FONTS.find(cluster);
        found.insert(cluster.to_owned(), face.clone());
        face
    }

    impl Fonts {
        fn new() -> Self {
            let mut database = Database::new();
            database.load_system_fonts();
            let mut faces: Vec<&FaceInfo> = database.faces().collect();
            faces.retain(|face| !face.post_script_name.contains(PLACEHOLDERS));
            faces.sort_by_cached_key(|face| rank(face));
            let order = faces.into_iter().map(|face| face.id).collect();
            Self { database, order, found: Mutex::default(), opened: Mutex::default() }
        }

        fn find(&self, cluster: &str) -> Option<Arc<Face>> {
            let covering = |id: &&ID| {
                self.database.with_face_data(**id, |data, index| is_mapped(data, index, cluster))
                    == Some(true)
            };
            let faces = self.order.iter().filter(covering).filter_map(|id| self.open(*id));
            faces.into_iter().find(|face| face.covers(cluster))
        }

        /// A font's file is read once, and whole, so that it may change or vanish afterwards.
        fn open(&self, id: ID) -> Option<Arc<Face>> {
            let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            let read = || {
                let (data, index) = self.database.with_face_data(id, |data, index| (data.to_vec(), index))?;
                Font::new(data, index).map(|font| Arc::new(Face::new(font)))
            };
            opened.entry(id).or_insert_with(read).clone()
        }
    }

    /// Upright before slanted, regular before bold, any letter as wide as it is before all of one width.
    fn rank(face: &FaceInfo) -> (usize, bool, u16, bool, String, String) {
        let family = face.families.first().map(|(name, _)| name.clone()).unwrap_or_default();
        let preferred = PREFERRED.iter().position(|name| family.starts_with(name)).unwrap_or(PREFERRED.len());
        let weight = face.weight.0.abs_diff(REGULAR);
        let slanted = face.style != Style::Normal;
        (preferred, slanted, weight, face.monospaced, family, face.post_script_name.clone())
    }

    /// Whether the font's table of characters, which is all that is read of it, has the whole cluster.
    fn is_mapped(data: &[u8], index: u32, cluster: &str) -> bool {
        let Ok(cmap) = FontRef::from_index(data, index).and_then(|font| font.cmap()) else { return false };
        cluster.chars().filter(|c| needs_glyph(*c)).all(|c| cmap.map_codepoint(c).is_some())
    }
}

#[cfg(target_family = "wasm")]
mod system {
    //! A page has no fonts to read.

    use std::sync::Arc;

    use super::Face;

    pub(super) fn face_for(_: &str) -> Option<Arc<Face>> {
        None
    }
}

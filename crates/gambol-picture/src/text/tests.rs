use super::*;

/// Whether all of a text is in the font of this crate, so that it looks the same on every machine.
fn is_embedded(text: &str) -> bool {
    let line = Line::new(text);
    line.missing.is_empty() && line.glyphs.iter().all(|glyph| Arc::ptr_eq(&glyph.face, embedded()))
}

/// What is in the glyphs of a line: the left and right end of its ink, px.
fn ink(line: &Line, size: f64, at: Point, anchor: Anchor) -> [f64; 2] {
    let mut ends = [f64::MAX, f64::MIN];
    for mark in line.marks(size, at, anchor) {
        let Mark::Outline(pens) = mark else { continue };
        for pen in pens {
            if let Pen::Move(to) | Pen::Line(to) | Pen::Quad(_, to) | Pen::Cubic(_, _, to) = pen {
                ends = [ends[0].min(to[0]), ends[1].max(to[0])];
            }
        }
    }
    ends
}

#[test]
fn our_own_font_has_europes_letters_and_what_pictures_say() {
    let ascii: String = (' '..='~').collect();
    for text in [&ascii, "°·–µ²×…", "Łódź œuvre Ångström Đặng", "Ελληνικά άλογο", "Русский конь їжак"]
    {
        assert!(is_embedded(text), "{text}");
    }
    assert!(!is_embedded("狐"));
}

#[test]
fn every_letter_of_our_font_is_seen_and_no_two_of_ascii_look_the_same() {
    let mut seen = Vec::new();
    for character in '!'..='~' {
        let line = Line::new(&character.to_string());
        let outline: Vec<Vec<Pen>> = line
            .marks(100.0, [0.0; 2], Anchor::Start)
            .into_iter()
            .map(|mark| match mark {
                Mark::Outline(pens) => pens,
                Mark::Image(..) => panic!("{character} is a picture"),
            })
            .collect();
        assert!(outline.iter().any(|pens| !pens.is_empty()), "{character:?}");
        assert!(!seen.contains(&outline), "{character:?} looks like another");
        seen.push(outline);
    }
}

#[test]
fn text_lies_where_its_anchor_says() {
    let line = Line::new("nun");
    let width = text_width("nun", 20.0);
    for (anchor, left) in
        [(Anchor::Start, 100.0), (Anchor::Middle, 100.0 - width / 2.0), (Anchor::End, 100.0 - width)]
    {
        let [low, high] = ink(&line, 20.0, [100.0, 50.0], anchor);
        // The letters' side bearings: less than a tenth of the size.
        assert!((0.0..2.0).contains(&(low - left)), "{anchor:?}: {low} {left}");
        assert!((0.0..2.0).contains(&(left + width - high)), "{anchor:?}: {high}");
    }
    assert_eq!(text_width("", 20.0), 0.0);
}

/// An accent is set over its letter: it adds no width, and its ink stays within the letter's.
#[test]
fn accents_stand_on_their_letters() {
    let (plain, composed, apart) = ("g", "g\u{303}", "x\u{323}\u{302}");
    assert_eq!(text_width(plain, 10.0), text_width(composed, 10.0));
    assert_eq!(text_width("x", 10.0), text_width(apart, 10.0));
    let [low, high] = ink(&Line::new(apart), 10.0, [0.0; 2], Anchor::Start);
    assert!(low >= 0.0 && high <= text_width("x", 10.0), "{low} {high}");
}

/// Kerning: a V after an A comes closer than either alone. A font without its tables would fail this.
#[test]
fn letters_are_kerned() {
    assert!(text_width("AV", 100.0) < text_width("A", 100.0) + text_width("V", 100.0) - 1.0);
}

/// Control characters are blanks, and nothing panics on what text may hold.
#[test]
fn any_text_can_be_set() {
    assert_eq!(text_width("a\tb\n", 10.0), text_width("a b ", 10.0));
    for text in [
        "\u{2029}",
        "\u{202e}abc",
        "\u{0}",
        "a\u{300}\u{301}\u{302}",
        "\u{fffe}",
        "👩\u{200d}🚀",
        "\u{e0100}",
    ] {
        assert!(text_width(text, 10.0).is_finite(), "{text:?}");
    }
}

/// What no font has is told once per letter, and a box stands for it: private letters are in no font of a system.
#[test]
fn what_no_font_has_is_told() {
    let line = Line::new("a\u{10fffd}b\u{10fffd}");
    assert_eq!(line.missing, ['\u{10fffd}']);
    let boxes = line.glyphs.iter().filter(|glyph| glyph.id == GlyphId::new(0)).count();
    assert_eq!(boxes, 2);
}

/// Hebrew is set from right to left, also within a Latin sentence, and the full stop after it stands at its left end. Where
/// no font has Hebrew, boxes stand for its letters in the same places.
#[test]
fn right_to_left_runs_are_set_from_the_right() {
    let order = BidiInfo::new("ab אב cd", None);
    let (levels, runs) = order.visual_runs(&order.paragraphs[0], 0..order.text.len());
    assert_eq!(runs.len(), 3);
    assert!(levels[runs[1].start].is_rtl() && !levels[runs[0].start].is_rtl());
    let line = Line::new("אב.");
    assert_eq!(line.glyphs.len(), 3);
    let first = &line.glyphs[0];
    assert_eq!(Some(first.id), first.face.font.charmap().map_unicode('.'));
    assert_eq!(first.at[0], 0.0);
}

/// A blank after a word in another font is ours: those of emoji are as wide as a fox.
#[test]
fn blanks_are_ours() {
    let line = Line::new("א א");
    assert_eq!(line.glyphs.len(), 3);
    assert!(Arc::ptr_eq(&line.glyphs[1].face, embedded()));
}

//! Animations as GIF: a palette that fits the frames, and the frames through it.

use std::collections::HashMap;

use crate::PictureError;
use crate::raster::{Raster, changed, part};

/// Most colours; one of the 256 means that a pixel stays as it was.
const COLOURS: usize = 255;
/// That one.
const UNCHANGED: u8 = 255;

type Rgb = [u8; 3];

/// At most 255 colours.
pub(crate) struct Palette {
    colours: Vec<Rgb>,
}

impl Palette {
    /// For pictures like these. Flat areas keep their very colours; the many shades along their edges share the rest
    /// of the palette (median cut, Heckbert 1982).
    pub(crate) fn new(samples: &[Raster]) -> Self {
        const FLAT: usize = 48;
        let mut counts: HashMap<Rgb, u64> = HashMap::new();
        for rgb in samples.iter().flat_map(|raster| &raster.rgb) {
            *counts.entry(*rgb).or_default() += 1;
        }
        let mut counts: Vec<(Rgb, u64)> = counts.into_iter().collect();
        // By colour where the counts are equal: the order of a hash map is not the same every time.
        counts.sort_by_key(|&(rgb, count)| (std::cmp::Reverse(count), rgb));
        if counts.len() <= COLOURS {
            return Self { colours: counts.into_iter().map(|(rgb, _)| rgb).collect() };
        }
        let shades = counts.split_off(FLAT);
        let mut colours: Vec<Rgb> = counts.into_iter().map(|(rgb, _)| rgb).collect();
        colours.extend(median_cut(shades, COLOURS - FLAT));
        Self { colours }
    }

    /// The index of the nearest colour.
    #[allow(clippy::cast_possible_truncation)] // at most 255 of them
    fn nearest(&self, rgb: Rgb) -> u8 {
        let distance =
            |colour: &Rgb| -> u32 { (0..3).map(|k| u32::from(colour[k].abs_diff(rgb[k])).pow(2)).sum() };
        (0..self.colours.len()).min_by_key(|&k| distance(&self.colours[k])).unwrap_or(0) as u8
    }
}

/// `most` colours for these: the box of colours with most in it is cut in half until there are enough.
fn median_cut(colours: Vec<(Rgb, u64)>, most: usize) -> Vec<Rgb> {
    let mut boxes = vec![colours];
    while boxes.len() < most {
        // What is gained by a cut grows with the number of pixels and with how different they are.
        let gain = |colours: &[(Rgb, u64)]| widest(colours).1.pow(2) * total(colours);
        let Some(largest) = (0..boxes.len()).max_by_key(|&k| gain(&boxes[k])) else { break };
        let (channel, width) = widest(&boxes[largest]);
        if width == 0 {
            break;
        }
        let mut low = std::mem::take(&mut boxes[largest]);
        low.sort_by_key(|(rgb, _)| (rgb[channel], *rgb));
        let half = total(&low) / 2;
        let mut below = 0;
        let middle = low.iter().position(|(_, count)| {
            below += count;
            below > half
        });
        let high = low.split_off(middle.unwrap_or(0).clamp(1, low.len() - 1));
        boxes[largest] = low;
        boxes.push(high);
    }
    boxes.iter().map(|colours| mean(colours)).collect()
}

fn total(colours: &[(Rgb, u64)]) -> u64 {
    colours.iter().map(|(_, count)| count).sum()
}

/// The channel in which these differ most, and by how much.
fn widest(colours: &[(Rgb, u64)]) -> (usize, u64) {
    let width = |channel: usize| {
        let values = colours.iter().map(|(rgb, _)| rgb[channel]);
        u64::from(values.clone().max().unwrap_or(0) - values.min().unwrap_or(0))
    };
    (0..3).map(|channel| (channel, width(channel))).max_by_key(|(_, width)| *width).unwrap_or((0, 0))
}

#[allow(clippy::cast_possible_truncation)] // a mean of bytes
fn mean(colours: &[(Rgb, u64)]) -> Rgb {
    let count = total(colours).max(1);
    [0, 1, 2].map(|k| {
        let sum: u64 = colours.iter().map(|(rgb, count)| u64::from(rgb[k]) * count).sum();
        ((sum + count / 2) / count) as u8
    })
}

/// An animation without end; `delays` are in 1/100 s, one for each frame. Pixels that stay as they were are not
/// written again.
pub(crate) fn encode_gif(
    palette: &Palette,
    delays: &[u16],
    frames: impl Iterator<Item = Result<Raster, PictureError>>,
) -> Result<Vec<u8>, PictureError> {
    let mut known: HashMap<Rgb, u8> = HashMap::new();
    let mut encoder = None;
    let mut before: Vec<u8> = Vec::new();
    for (frame, &delay) in frames.zip(delays) {
        let Raster { width, height, rgb } = frame?;
        let pixels: Vec<u8> =
            rgb.into_iter().map(|rgb| *known.entry(rgb).or_insert_with(|| palette.nearest(rgb))).collect();
        let encoder = match &mut encoder {
            Some(encoder) => encoder,
            None => encoder.insert(begin(palette, [width, height])?),
        };
        let (area, seen) = if before.is_empty() {
            ([0, 0, width, height], pixels.clone())
        } else {
            let kept = |(new, old): (&u8, &u8)| if new == old { UNCHANGED } else { *new };
            // A frame cannot be empty: where nothing changes it is one pixel.
            let area = changed(width, &before, &pixels).unwrap_or([0, 0, 1, 1]);
            (area, part(&pixels.iter().zip(&before).map(kept).collect::<Vec<_>>(), width, area))
        };
        let [left, top, width, height] = area.map(|side| u16::try_from(side).unwrap_or(u16::MAX));
        encoder.write_frame(&gif::Frame {
            delay,
            dispose: gif::DisposalMethod::Keep,
            transparent: (!before.is_empty()).then_some(UNCHANGED),
            left,
            top,
            width,
            height,
            buffer: seen.into(),
            ..gif::Frame::default()
        })?;
        before = pixels;
    }
    match encoder {
        Some(encoder) => Ok(encoder.into_inner()?),
        None => Ok(Vec::new()),
    }
}

fn begin(palette: &Palette, size: [u32; 2]) -> Result<gif::Encoder<Vec<u8>>, PictureError> {
    let [width, height] = size.map(|side| u16::try_from(side).unwrap_or(u16::MAX));
    let mut colours = palette.colours.clone();
    colours.resize(256, [0; 3]);
    let mut encoder = gif::Encoder::new(Vec::new(), width, height, colours.as_flattened())?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    Ok(encoder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept() {
        let rgb: Vec<Rgb> = (0..200).map(|k| [k, 255 - k, 7]).collect();
        let palette = Palette::new(&[Raster { width: 200, height: 1, rgb: rgb.clone() }]);
        assert!(rgb.iter().all(|rgb| palette.colours[palette.nearest(*rgb) as usize] == *rgb));
    }

    /// A ramp over all greys, and a flat area of a colour far from it: the area keeps its colour, and no grey is off
    /// by more than the width of its box, 256/207 levels, and rounding.
    #[test]
    fn many_colours_are_near_and_flat_ones_exact() {
        let mut rgb: Vec<Rgb> = (0..=255u8).flat_map(|k| [[k; 3], [k, k, k.saturating_add(1)]]).collect();
        rgb.extend([[200, 120, 40]; 1000]);
        let palette = Palette::new(&[Raster { width: 1512, height: 1, rgb: rgb.clone() }]);
        assert!(palette.colours.len() <= COLOURS);
        assert_eq!(palette.colours[0], [200, 120, 40]);
        for rgb in rgb {
            let found = palette.colours[palette.nearest(rgb) as usize];
            assert!((0..3).all(|k| found[k].abs_diff(rgb[k]) <= 3), "{rgb:?} became {found:?}");
        }
    }
}

//! Heights of the ground from a picture.

use std::io::Cursor;

use png::{ColorType, Decoder, Limits, Transformations};

use crate::FormatError;

/// The most pixels of a height field. A field of 4096 × 4096 already takes 128 MiB as numbers.
const MAX_PIXELS: u64 = 1 << 24;
/// What the decoder may take, bytes: the largest picture with 16-bit red, green, blue and alpha, and some for itself.
const MAX_DECODER_BYTES: usize = 9 << 24;
/// Shares of red, green and blue in what the eye sees as bright (ITU-R BT.709).
const LUMA: [f64; 3] = [0.2126, 0.7152, 0.0722];

/// Heights on a grid over the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightGrid {
    /// Number of points along x.
    pub columns: usize,
    /// Number of points along y.
    pub rows: usize,
    /// Distance of neighbouring points, m.
    pub spacing: f64,
    /// m, row by row: x runs first, then y.
    pub heights: Vec<f64>,
}

/// Reads heights from a PNG picture seen from above, x to the right and y up: its lowest row is the first. Black is
/// `range[0]` and white is `range[1]`, m; points are `spacing` metres apart. Colours count by how bright they are, opacity
/// does not count. `name` stands for the file in messages.
pub fn height_field_from_png(
    name: &str,
    bytes: &[u8],
    spacing: f64,
    range: [f64; 2],
) -> Result<HeightGrid, FormatError> {
    let wrong = |reason: String| FormatError::new(name, reason);
    if !(spacing.is_finite() && spacing > 0.0) {
        return Err(wrong(format!("a spacing of {spacing} m is not a finite number above 0")));
    }
    if !range.iter().all(|height| height.is_finite()) {
        return Err(wrong(format!("heights from {} m to {} m are not finite", range[0], range[1])));
    }
    let failed = |error: png::DecodingError| wrong(format!("cannot be read as PNG: {error}"));
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MAX_DECODER_BYTES });
    // Palettes to colours and one, two and four bits to eight; sixteen stay.
    decoder.set_transformations(Transformations::EXPAND);
    let (width, height) = decoder.read_header_info().map_err(failed)?.size();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(wrong(format!("{width} x {height} pixels are more than the limit of {MAX_PIXELS}")));
    }
    let mut reader = decoder.read_info().map_err(failed)?;
    let size = reader.output_buffer_size().ok_or_else(|| wrong("the picture is too large".into()))?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(failed)?;

    let sixteen = frame.bit_depth == png::BitDepth::Sixteen;
    let samples: Vec<f64> = if sixteen {
        let (pairs, _) = pixels.as_chunks::<2>();
        pairs.iter().map(|pair| f64::from(u16::from_be_bytes(*pair)) / f64::from(u16::MAX)).collect()
    } else {
        pixels.iter().map(|&byte| f64::from(byte) / f64::from(u8::MAX)).collect()
    };
    let bright = |pixel: &[f64]| match frame.color_type {
        ColorType::Rgb | ColorType::Rgba => {
            pixel.iter().zip(LUMA).map(|(sample, share)| sample * share).sum()
        }
        _ => pixel[0],
    };
    let (columns, rows) = (width as usize, height as usize);
    let channels = frame.color_type.samples();
    let from_below = samples.chunks_exact(columns * channels).take(rows).rev();
    let heights = from_below
        .flat_map(|row| row.chunks_exact(channels))
        .map(|pixel| range[0] + (range[1] - range[0]) * bright(pixel))
        .collect();
    Ok(HeightGrid { columns, rows, spacing, heights })
}

#[cfg(test)]
mod tests {
    use super::*;
    use png::BitDepth;

    fn encode(
        size: [u32; 2],
        colour: ColorType,
        depth: BitDepth,
        data: &[u8],
        palette: Option<&[u8]>,
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        if let Some(palette) = palette {
            encoder.set_palette(palette.to_vec());
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    fn heights(png: &[u8]) -> Vec<f64> {
        let grid = height_field_from_png("hill.png", png, 0.5, [-1.0, 1.0]).unwrap();
        assert_eq!((grid.columns, grid.rows, grid.spacing), (2, 2, 0.5));
        grid.heights
    }

    /// The same picture in every kind of PNG: black, grey of 1/5 above white, black. y runs up, so the lower row is first.
    #[test]
    fn every_kind_of_pixel_is_read() {
        let expected = [1.0, -1.0, -1.0, -0.6];
        let grey = [0, 51, 255, 0];
        let size = [2, 2];
        let wide: Vec<u8> = grey.iter().flat_map(|&g| [g, g]).collect();
        let alpha: Vec<u8> = grey.iter().flat_map(|&g| [g, 7]).collect();
        let rgb: Vec<u8> = grey.iter().flat_map(|&g| [g; 3]).collect();
        let wide_rgba: Vec<u8> = grey.iter().flat_map(|&g| [g, g, g, g, g, g, 9, 9]).collect();
        let files = [
            encode(size, ColorType::Grayscale, BitDepth::Eight, &grey, None),
            encode(size, ColorType::Grayscale, BitDepth::Sixteen, &wide, None),
            // Four bits: 0, 3 of 15; 15, 0.
            encode(size, ColorType::Grayscale, BitDepth::Four, &[0x03, 0xf0], None),
            encode(size, ColorType::GrayscaleAlpha, BitDepth::Eight, &alpha, None),
            encode(size, ColorType::Rgb, BitDepth::Eight, &rgb, None),
            encode(size, ColorType::Rgba, BitDepth::Sixteen, &wide_rgba, None),
            encode(
                size,
                ColorType::Indexed,
                BitDepth::Eight,
                &[0, 1, 2, 0],
                Some(&[0, 0, 0, 51, 51, 51, 255, 255, 255]),
            ),
        ];
        for (number, file) in files.iter().enumerate() {
            for (ours, expected) in heights(file).iter().zip(expected) {
                assert!((ours - expected).abs() < 1e-15, "file {number}: {ours} for {expected}");
            }
        }
    }

    #[test]
    fn colours_count_by_brightness() {
        let data = [255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0];
        let file = encode([2, 2], ColorType::Rgb, BitDepth::Eight, &data, None);
        let grid = height_field_from_png("hill.png", &file, 1.0, [0.0, 1.0]).unwrap();
        assert_eq!(grid.heights, [0.0722, 0.0, 0.2126, 0.7152]);
    }

    #[test]
    fn bad_files_are_told() {
        let good = encode([2, 2], ColorType::Grayscale, BitDepth::Eight, &[0; 4], None);
        let told = |bytes: &[u8], spacing, range| {
            height_field_from_png("hill.png", bytes, spacing, range).unwrap_err().to_string()
        };
        assert!(told(b"not a picture", 1.0, [0.0, 1.0]).starts_with("hill.png: cannot be read as PNG"));
        assert!(told(&good[..good.len() - 20], 1.0, [0.0, 1.0]).contains("cannot be read as PNG"));
        assert!(told(&good, 0.0, [0.0, 1.0]).contains("spacing of 0 m"));
        assert!(told(&good, f64::NAN, [0.0, 1.0]).contains("spacing of NaN m"));
        assert!(told(&good, 1.0, [0.0, f64::INFINITY]).contains("not finite"));
        // A header that claims 100,000 x 100,000 pixels, with its checksum set right.
        let mut huge = good;
        huge[16..24].copy_from_slice(&[0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0]);
        let sum = crc(&huge[12..29]);
        huge[29..33].copy_from_slice(&sum.to_be_bytes());
        assert!(told(&huge, 1.0, [0.0, 1.0]).contains("100000 x 100000 pixels are more than the limit"));
    }

    /// CRC-32 of PNG chunks, bit by bit.
    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 * (sum & 1)))
        })
    }
}

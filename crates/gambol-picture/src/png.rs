//! Pictures as PNG, and animations as APNG.

use std::io::Cursor;

use tiny_skia::{ColorU8, Pixmap};

use crate::raster::{Raster, changed, part};
use crate::{Picture, PictureError};

impl Picture {
    /// The picture as a PNG file with `scale` pixels for each of its own, antialiased.
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, PictureError> {
        let raster = self.to_raster(scale)?;
        let mut file = Vec::new();
        let mut encoder = encoder(&mut file, &raster);
        // Quickly: a quarter larger than by default, in a third of the time.
        encoder.set_compression(png::Compression::Fast);
        encoder.write_header()?.write_image_data(raster.rgb.as_flattened())?;
        Ok(file)
    }
}

/// The first image of a PNG file with its opacity; nothing if it cannot be read.
pub(crate) fn read(file: &[u8]) -> Option<Pixmap> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    // Palettes as colours, fewer bits as eight, and an opacity for all.
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().ok()?;
    let mut bytes = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut bytes).ok()?;
    let mut image = Pixmap::new(frame.width, frame.height)?;
    let channels = frame.color_type.samples();
    for (pixel, values) in image.pixels_mut().iter_mut().zip(bytes.chunks_exact(channels)) {
        let [red, green, blue, alpha] = match *values {
            [grey, alpha] => [grey, grey, grey, alpha],
            [red, green, blue, alpha] => [red, green, blue, alpha],
            _ => return None,
        };
        *pixel = ColorU8::from_rgba(red, green, blue, alpha).premultiply();
    }
    Some(image)
}

fn encoder<'f>(file: &'f mut Vec<u8>, raster: &Raster) -> png::Encoder<'static, &'f mut Vec<u8>> {
    let mut encoder = png::Encoder::new(file, raster.width, raster.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder
}

/// An animation without end; `delays` are in s, one for each frame. After the first frame, only where a frame differs
/// from the one before is written.
pub(crate) fn encode_apng(
    delays: &[f64],
    mut frames: impl Iterator<Item = Result<Raster, PictureError>>,
) -> Result<Vec<u8>, PictureError> {
    const PER_SECOND: u16 = 10_000; // a frame may then last six seconds
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let ticks = |delay: f64| (delay * f64::from(PER_SECOND)).round() as u16;
    let count =
        u32::try_from(delays.len()).map_err(|_| PictureError::Option(format!("{} frames", delays.len())))?;
    let mut file = Vec::new();
    let Some(first) = frames.next() else { return Ok(file) };
    let mut before = first?;
    let mut encoder = encoder(&mut file, &before);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_animated(count, 0)?;
    encoder.set_frame_delay(ticks(delays[0]), PER_SECOND)?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(before.rgb.as_flattened())?;
    for (frame, delay) in frames.zip(&delays[1..]) {
        let frame = frame?;
        // A frame cannot be empty: where nothing changes it is one pixel.
        let area = changed(frame.width, &before.rgb, &frame.rgb).unwrap_or([0, 0, 1, 1]);
        let [x, y, width, height] = area;
        writer.set_frame_delay(ticks(*delay), PER_SECOND)?;
        writer.set_frame_position(0, 0)?;
        writer.set_frame_dimension(width, height)?;
        writer.set_frame_position(x, y)?;
        writer.write_image_data(part(&frame.rgb, frame.width, area).as_flattened())?;
        before = frame;
    }
    writer.finish()?;
    Ok(file)
}

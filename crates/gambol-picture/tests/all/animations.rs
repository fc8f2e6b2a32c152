//! An animation shows a clip at its own pace and without a seam. Its files are read back by the decoders of the crates
//! `gif` and `png`, put together frame by frame as a browser does, and compared with each other: two formats, of which
//! one has all colours.

use crate::fake::{Fake, TROT};
use gambol_formats::WriteError;
use gambol_motion::Clip;
use gambol_picture::{AnimationFormat, ClipOptions, PictureError, View, clip_animation, write_clip};

/// An animation as it is seen.
struct Seen {
    width: usize,
    height: usize,
    /// Red, green, blue.
    frames: Vec<Vec<[u8; 3]>>,
    /// s
    delays: Vec<f64>,
}

fn read_gif(file: &[u8]) -> Seen {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(file).unwrap();
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    let [width, height] = [decoder.width(), decoder.height()].map(usize::from);
    let mut page = vec![[0; 3]; width * height];
    let mut seen = Seen { width, height, frames: Vec::new(), delays: Vec::new() };
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!(frame.dispose, gif::DisposalMethod::Keep);
        for (k, rgba) in frame.buffer.chunks_exact(4).enumerate() {
            let [x, y] = [k % usize::from(frame.width), k / usize::from(frame.width)];
            if rgba[3] > 0 {
                let at = (y + usize::from(frame.top)) * width + x + usize::from(frame.left);
                page[at] = [rgba[0], rgba[1], rgba[2]];
            }
        }
        seen.frames.push(page.clone());
        seen.delays.push(f64::from(frame.delay) / 100.0);
    }
    seen
}

fn read_apng(file: &[u8]) -> Seen {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let control = *reader.info().animation_control().expect("it is animated");
    assert_eq!(control.num_plays, 0, "without end");
    let [width, height] = [reader.info().width, reader.info().height].map(|side| side as usize);
    let mut page = vec![[0; 3]; width * height];
    let mut seen = Seen { width, height, frames: Vec::new(), delays: Vec::new() };
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    for _ in 0..control.num_frames {
        reader.next_frame(&mut bytes).unwrap();
        let frame = *reader.info().frame_control().expect("each frame has one");
        let wide = frame.width as usize;
        for (k, rgb) in bytes.chunks_exact(3).take(wide * frame.height as usize).enumerate() {
            let at = (k / wide + frame.y_offset as usize) * width + k % wide + frame.x_offset as usize;
            page[at] = [rgb[0], rgb[1], rgb[2]];
        }
        seen.frames.push(page.clone());
        seen.delays.push(f64::from(frame.delay_num) / f64::from(frame.delay_den));
    }
    assert!(reader.next_frame(&mut bytes).is_err(), "no frame is left");
    seen
}

fn animation(clip: &Clip, format: AnimationFormat, options: &ClipOptions) -> Vec<u8> {
    clip_animation(&crate::fake::creature("dog"), clip, format, options, &mut |_, _| ()).unwrap()
}

/// Mean difference of two frames, levels of 255.
fn difference(a: &[[u8; 3]], b: &[[u8; 3]]) -> f64 {
    let sum: u64 =
        a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / (3 * a.len()) as f64
}

#[test]
fn gif_and_apng_show_the_same() {
    let clip = TROT.clip(&crate::fake::creature("dog"));
    for view in [None, Some(View::three_quarter())] {
        let options = ClipOptions { view, ..ClipOptions::default() };
        let gif = read_gif(&animation(&clip, AnimationFormat::Gif, &options));
        let apng = read_apng(&animation(&clip, AnimationFormat::Apng, &options));
        assert_eq!((gif.width, gif.height), (480, apng.height));
        assert_eq!(gif.width, apng.width);
        assert_eq!(gif.frames.len(), apng.frames.len());
        for (few, all) in gif.frames.iter().zip(&apng.frames) {
            // 255 colours for flat areas and their edges: no pixel is far off, and most are right.
            let far =
                few.iter().zip(all).map(|(a, b)| (0..3).map(|k| a[k].abs_diff(b[k])).max().unwrap()).max();
            assert!(far.unwrap() <= 40, "{far:?}");
            assert!(difference(few, all) < 0.2, "{}", difference(few, all));
            assert_eq!(few[0], [255; 3], "the page is white");
        }
    }
}

#[test]
fn a_loop_has_no_seam_and_shows_no_pose_twice() {
    let clip = TROT.clip(&crate::fake::creature("dog"));
    let seen = read_apng(&animation(&clip, AnimationFormat::Apng, &ClipOptions::default()));
    let count = seen.frames.len();
    let steps: Vec<f64> =
        (0..count).map(|k| difference(&seen.frames[k], &seen.frames[(k + 1) % count])).collect();
    let (seam, within) = steps.split_last().unwrap();
    let least = within.iter().copied().fold(f64::MAX, f64::min);
    let most = within.iter().copied().fold(0.0, f64::max);
    // From the last frame to the first is a step like any other; a pose shown twice would be none, and a jump a large
    // one.
    assert!((0.7 * least..1.3 * most).contains(seam), "{seam} in {least}..{most}");
}

/// Where the ticks under the ground are in one frame, px; each is one or two columns wide.
fn ticks(seen: &Seen, frame: &[[u8; 3]]) -> Vec<f64> {
    let dark = |x: usize, y: usize| 255.0 - f64::from(frame[y * seen.width + x][0]);
    let ground = (0..seen.height).find(|&y| dark(1, y) > 60.0).expect("the ground reaches the edge");
    // Below the bars of standing feet, which are up to five pixels thick.
    let row = ground + 6;
    let mut ticks = Vec::new();
    let mut x = 0;
    while x + 1 < seen.width {
        let [here, next] = [dark(x, row), dark(x + 1, row)];
        if here + next > 40.0 && here > 0.0 {
            ticks.push(x as f64 + 0.5 + next / (here + next));
            x += 2;
        } else {
            x += 1;
        }
    }
    ticks
}

/// Also over the seam, the ground moves back by the same part of the stride from each frame to the next.
#[test]
fn the_ground_passes_evenly() {
    let clip = TROT.clip(&crate::fake::creature("dog"));
    let seen = read_apng(&animation(&clip, AnimationFormat::Apng, &ClipOptions::default()));
    let all: Vec<Vec<f64>> = seen.frames.iter().map(|frame| ticks(&seen, frame)).collect();
    let inner = &all[0][1..all[0].len() - 1];
    let spacing = (inner[inner.len() - 1] - inner[0]) / (inner.len() - 1) as f64;
    let count = all.len();
    let step = |k: usize| (all[k][2] - all[(k + 1) % count][2]).rem_euclid(spacing);
    let first = step(0);
    assert!(first > 2.0 && first < 0.5 * spacing, "{first} of {spacing}: it is seen to move back");
    for k in 0..count {
        // A tick is found to a fifth of a pixel.
        let error = (step(k) - first + 0.5 * spacing).rem_euclid(spacing) - 0.5 * spacing;
        assert!(error.abs() < 0.5, "frame {k}: {} and not {first}", step(k));
    }
}

/// The loop lasts as long as the clip, or a whole number of times as long, at 25 to 34 frames per second.
#[test]
fn a_loop_lasts_as_long_as_its_clip() {
    let dog = crate::fake::creature("dog");
    for frequency in [0.37, 1.0, 1.7, 2.0, 2.9, 7.3] {
        let clip = Fake { frequency, ..TROT }.clip(&dog);
        let options = ClipOptions { width: 64.0, ..ClipOptions::default() };
        let gif = read_gif(&animation(&clip, AnimationFormat::Gif, &options));
        let apng = read_apng(&animation(&clip, AnimationFormat::Apng, &options));
        let [in_gif, in_apng] = [&gif, &apng].map(|seen| seen.delays.iter().sum::<f64>());
        let times = (in_apng / clip.duration()).round();
        let whole = clip.duration() * times;
        assert!(times >= 1.0 && in_gif > 0.45, "{frequency}");
        // APNG counts in 1/10000 s, and GIF in 1/100 s with frames of one length: half a frame at most is lost.
        assert!(
            (in_apng - whole).abs() <= 0.5e-4 * apng.delays.len() as f64 + 1e-9,
            "{frequency}: {in_apng}"
        );
        assert!((in_gif - whole).abs() <= 0.0201, "{frequency}: {in_gif} for {whole}");
        assert!(gif.delays.iter().all(|delay| *delay == gif.delays[0]), "even");
        assert!((0.03..=0.04).contains(&gif.delays[0]));
    }
}

#[test]
fn what_does_not_loop_ends_on_its_last_pose() {
    let dog = crate::fake::creature("dog");
    let clip = Clip { stride: None, ..TROT.clip(&dog) };
    let seen = read_gif(&animation(&clip, AnimationFormat::Gif, &ClipOptions::default()));
    let (last, others) = seen.delays.split_last().unwrap();
    assert!(*last > 0.5 && others.iter().all(|delay| *delay < 0.05));
    // Half a second at 25 to 34 frames per second, and one frame more for the end.
    assert!((13..=18).contains(&seen.frames.len()), "{}", seen.frames.len());
}

#[test]
fn the_same_clip_gives_the_same_file() {
    let clip = TROT.clip(&crate::fake::creature("dog"));
    for format in [AnimationFormat::Gif, AnimationFormat::Apng] {
        let options = ClipOptions { width: 200.0, ..ClipOptions::default() };
        assert!(animation(&clip, format, &options) == animation(&clip, format, &options));
    }
}

#[test]
fn progress_is_told() {
    let dog = crate::fake::creature("dog");
    let clip = TROT.clip(&dog);
    let mut told = Vec::new();
    let options = ClipOptions { width: 64.0, ..ClipOptions::default() };
    let mut hear = |done, total| told.push((done, total));
    clip_animation(&dog, &clip, AnimationFormat::Gif, &options, &mut hear).unwrap();
    let total = told[0].1;
    assert_eq!(told, (1..=total).map(|done| (done, total)).collect::<Vec<_>>());
}

#[test]
fn the_ending_decides() {
    let dog = crate::fake::creature("dog");
    let clip = TROT.clip(&dog);
    let folder = tempfile::tempdir().unwrap();
    let options = ClipOptions { width: 64.0, ..ClipOptions::default() };
    let write = |name: &str, force: bool| {
        let file = folder.path().join(name);
        write_clip(&file, &dog, &clip, &options, force, &mut |_, _| ()).map(|()| std::fs::read(file).unwrap())
    };
    assert!(write("a.svg", false).unwrap().starts_with(b"<svg"));
    assert!(write("a.gif", false).unwrap().starts_with(b"GIF89a"));
    let [strip, moving] = ["a.png", "a.APNG"].map(|name| write(name, false).unwrap());
    assert!(strip.starts_with(b"\x89PNG") && moving.starts_with(b"\x89PNG"));
    let has_animation = |file: &[u8]| file.windows(4).any(|chunk| chunk == b"acTL");
    assert!(!has_animation(&strip) && has_animation(&moving));
    assert!(matches!(write("a.gif", false), Err(PictureError::File(WriteError::Exists { .. }))));
    assert!(write("a.gif", true).is_ok());
    for name in ["a.mp4", "gif", "a"] {
        let error = write(name, true).unwrap_err().to_string();
        assert!([".png", ".svg", ".gif", ".apng", name].iter().all(|part| error.contains(part)), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "nothing is left beside them");
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let dog = crate::fake::creature("dog");
    let clip = TROT.clip(&dog);
    let usual = ClipOptions::default();
    for options in [
        ClipOptions { rate: 0.0, ..usual.clone() },
        ClipOptions { rate: f64::NAN, ..usual.clone() },
        ClipOptions { rate: 1000.0, ..usual.clone() },
        ClipOptions { width: 0.0, ..usual.clone() },
        ClipOptions { width: f64::INFINITY, ..usual.clone() },
    ] {
        let result = clip_animation(&dog, &clip, AnimationFormat::Gif, &options, &mut |_, _| ());
        assert!(matches!(result, Err(PictureError::Option(_))));
    }
}

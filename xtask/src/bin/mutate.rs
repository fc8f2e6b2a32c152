//! `mutate READER SECONDS [FOLDER]`: sound files with something changed in them, at random, through a reader. No compiler has to watch it, as
//! libFuzzer wants: what is changed is chosen by what files are made of. The same files in the same order every time.
//!
//! What panics, or takes longer than [`LIMIT`], is kept in `target/mutate`; so is the file at hand, for when the whole program dies.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gambol_formats::gltf::samples::odd_bodies;
use serde_json::Value;

#[allow(dead_code, unreachable_pub)] // most of it is for other readers
#[path = "../../../fuzz/src/lib.rs"]
mod targets;

/// No file may take longer.
const LIMIT: Duration = Duration::from_secs(10);
/// A file that takes longer is kept, to be looked at.
const SLOW: Duration = Duration::from_secs(1);
/// Larger files are no seeds: reading them is all that would be done.
const LARGEST_SEED: usize = 2 << 20;

/// What is read.
#[derive(Clone, Copy)]
struct Reader {
    name: &'static str,
    /// Endings of its files.
    endings: &'static [&'static str],
    read: fn(&[u8]) -> bool,
}

const READERS: [Reader; 3] = [
    Reader { name: "fbx", endings: &["fbx"], read: |bytes| targets::read_character("it.fbx", bytes) },
    Reader {
        name: "vrm",
        endings: &["vrm", "glb", "gltf"],
        read: |bytes| targets::read_character("it.vrm", bytes),
    },
    Reader {
        name: "draco",
        endings: &["drc", "bin", "glb"],
        // Whole files as they are, compressed bytes in a file of their own.
        read: |bytes| {
            let whole = bytes.starts_with(b"glTF");
            if whole {
                targets::read_character("it.glb", bytes)
            } else {
                targets::read_character("it.glb", &targets::draco_file(bytes))
            }
        },
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, seconds, folders @ ..] = &arguments[..] else {
        eprintln!("mutate READER SECONDS [FOLDER]");
        return ExitCode::FAILURE;
    };
    let reader = READERS.iter().find(|reader| reader.name == *name);
    let (Some(reader), Ok(seconds)) = (reader, seconds.parse()) else {
        eprintln!("readers are {}, and seconds are a number", READERS.map(|reader| reader.name).join(", "));
        return ExitCode::FAILURE;
    };
    let mut seeds = own_seeds(reader);
    for folder in folders {
        collect(Path::new(folder), reader, &mut seeds);
    }
    let stop = Instant::now() + Duration::from_secs(seconds);
    let hunt = Hunt::new(reader, PathBuf::from("target/mutate"));
    let found = hunt.run(&seeds, &mut |_| Instant::now() < stop);
    println!(
        "{name}: {} files from {} seeds, {} of them creatures, the slowest took {:.2} s; {} panics",
        found.files,
        seeds.len(),
        found.creatures,
        found.slowest.as_secs_f64(),
        found.panics.len()
    );
    for panic in &found.panics {
        println!("{panic}");
    }
    if found.panics.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Those of the fuzz targets, and a few of our odd bodies.
fn own_seeds(reader: &Reader) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(reader.name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    seeds.extend(files.iter().filter_map(|file| std::fs::read(file).ok()));
    if reader.name == "vrm" {
        seeds.extend(odd_bodies().into_iter().map(|odd| odd.file).filter(|file| file.len() < 100_000));
    }
    seeds
}

fn collect(folder: &Path, reader: &Reader, seeds: &mut Vec<Vec<u8>>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, reader, seeds);
        }
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        if ending.is_some_and(|ending| reader.endings.contains(&ending.as_str())) {
            seeds.extend(std::fs::read(&path).ok().filter(|bytes| bytes.len() < LARGEST_SEED));
        }
    }
}

/// What became of the changed files.
#[derive(Default)]
struct Found {
    files: u64,
    creatures: u64,
    slowest: Duration,
    /// One for each place in the code.
    panics: Vec<String>,
}

/// One reader at work, watched.
struct Hunt<'a> {
    reader: &'a Reader,
    out: PathBuf,
    began: Instant,
    /// When the file at hand was begun, ms after `began`; 0 between files.
    since: Arc<AtomicU64>,
}

impl<'a> Hunt<'a> {
    fn new(reader: &'a Reader, out: PathBuf) -> Self {
        std::fs::create_dir_all(&out).expect("the folder for findings can be made");
        Self { reader, out, began: Instant::now(), since: Arc::default() }
    }

    fn at_hand(&self) -> PathBuf {
        self.out.join(format!("{}-at-hand", self.reader.name))
    }

    /// Until `goes_on` says no of the number of files.
    fn run(&self, seeds: &[Vec<u8>], goes_on: &mut dyn FnMut(u64) -> bool) -> Found {
        self.watch();
        let last = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&last);
        std::panic::set_hook(Box::new(move |info| {
            if let Ok(mut last) = heard.lock() {
                *last = info.to_string();
            }
        }));
        let mut random = Random(1);
        let mut found = Found::default();
        while goes_on(found.files) {
            let changed = changed(&mut random, seeds);
            std::fs::write(self.at_hand(), &changed).expect("the file at hand can be written");
            let start = Instant::now();
            self.since.store(1 + self.milliseconds(), Ordering::Relaxed);
            let read = std::panic::catch_unwind(|| (self.reader.read)(&changed));
            self.since.store(0, Ordering::Relaxed);
            found.files += 1;
            if start.elapsed() > found.slowest.max(SLOW) {
                let kept = self.out.join(format!("{}-slowest", self.reader.name));
                std::fs::write(&kept, &changed).expect("a finding can be written");
            }
            found.slowest = found.slowest.max(start.elapsed());
            if let Ok(creature) = read {
                found.creatures += u64::from(creature);
                continue;
            }
            let said = last.lock().map(|last| last.clone()).unwrap_or_default();
            let place = said.lines().next().unwrap_or_default();
            if !found.panics.iter().any(|known| known.starts_with(place)) {
                let kept = self.out.join(format!("{}-panic-{}", self.reader.name, found.panics.len()));
                std::fs::write(&kept, &changed).expect("a finding can be written");
                found.panics.push(format!("{said}\n  by {}", kept.display()));
            }
        }
        let _ = std::panic::take_hook();
        found
    }

    fn milliseconds(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Nobody can stop a thread that does not come back: the program ends, and the file at hand is there.
    fn watch(&self) {
        let (since, began, at_hand) = (Arc::downgrade(&self.since), self.began, self.at_hand());
        std::thread::spawn(move || {
            while let Some(since) = since.upgrade() {
                let now = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                let begun = since.load(Ordering::Relaxed);
                if begun > 0 && u128::from(now - begun.min(now)) > LIMIT.as_millis() {
                    eprintln!("longer than {} s: {}", LIMIT.as_secs(), at_hand.display());
                    std::process::exit(1);
                }
                std::thread::sleep(Duration::from_millis(200));
            }
        });
    }
}

/// The same numbers every time (splitmix64, Steele et al. 2014).
struct Random(u64);

impl Random {
    /// Below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let share = (u128::from(x ^ (x >> 31)) * end as u128) >> 64;
        usize::try_from(share).unwrap_or(0)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// A file with something changed: its document, what its buffer holds, or any of its bytes.
fn changed(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let [seed, other] = [0, 1].map(|_| seeds[random.below(seeds.len())].as_slice());
    match halves(seed) {
        // A document and a buffer keep their lengths right: else nothing but the lengths would be read.
        Some((json, buffer)) if !random.one_in(10) => {
            if random.one_in(3) {
                targets::glb(json.to_vec(), &strewn(random, buffer, other))
            } else {
                targets::glb(unsettled(random, json, other), buffer)
            }
        }
        None if seed.starts_with(b"{") => unsettled(random, seed, other),
        _ => strewn(random, seed, other),
    }
}

/// Document and buffer of a GLB file.
fn halves(glb: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usize::try_from(u32::from_le_bytes(glb.get(12..16)?.try_into().ok()?)).ok()?;
    let buffer = glb.get(28 + length..)?;
    glb.starts_with(b"glTF").then_some((&glb[20..20 + length], buffer))
}

/// A document with a few of its values changed; at times only a few of its bytes.
fn unsettled(random: &mut Random, json: &[u8], other: &[u8]) -> Vec<u8> {
    let document = serde_json::from_slice::<Value>(json);
    let Some(mut document) = document.ok().filter(|_| !random.one_in(8)) else {
        return strewn(random, json, other);
    };
    for _ in 0..=random.below(4) {
        unsettle(random, &mut document);
    }
    document.to_string().into_bytes()
}

fn unsettle(random: &mut Random, value: &mut Value) {
    let here = random.one_in(6);
    match value {
        Value::Array(items) if !items.is_empty() => {
            let (k, to) = (random.below(items.len()), random.below(items.len()));
            match random.below(4) {
                0 if here => drop(items.remove(k)),
                1 if here => items.insert(to, items[k].clone()),
                2 if here => items.swap(k, to),
                3 if here => items[k] = extreme(random),
                _ => unsettle(random, &mut items[k]),
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            let Some(name) = fields.keys().nth(random.below(fields.len())).cloned() else { return };
            match random.below(3) {
                0 if here => drop(fields.remove(&name)),
                1 if here => drop(fields.insert(name, extreme(random))),
                _ => unsettle(random, &mut fields[&name]),
            }
        }
        _ => *value = extreme(random),
    }
}

/// What programs stumble over.
fn extreme(random: &mut Random) -> Value {
    let small = random.below(40);
    let all = serde_json::json!([
        0,
        1,
        -1,
        2,
        255,
        256,
        65_535,
        65_536,
        i32::MAX,
        u32::MAX,
        u64::MAX,
        0.5,
        1e-300,
        1e300,
        -1e300,
        1e38,
        null,
        true,
        "",
        "NaN",
        [],
        {},
        [0, 0, 0],
        [1e300, -1e300, 0],
        [0, 0, 0, 0],
        "data:,",
        small,
        small,
        small,
        small,
        small
    ]);
    let Value::Array(all) = all else { return Value::Null };
    all[random.below(all.len())].clone()
}

/// A few bytes changed, dropped, doubled or taken from another file.
fn strewn(random: &mut Random, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(6) {
        if bytes.is_empty() {
            break;
        }
        let at = place(random, &bytes);
        let length = 1 + random.below((bytes.len() - at).min(64));
        match random.below(9) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'-', b'9'][random.below(7)],
            2 | 3 => put(&mut bytes, at, &number(random)),
            4 => drop(bytes.drain(at..at + length)),
            5 => {
                let copy = bytes[at..at + length].to_vec();
                bytes.splice(at..at, copy);
            }
            6 if !other.is_empty() => {
                let from = random.below(other.len());
                put(&mut bytes, at, &other[from..(from + length).min(other.len())]);
            }
            7 => bytes.truncate(if random.one_in(8) { at } else { bytes.len() }),
            _ => words(random, &mut bytes, at),
        }
    }
    bytes
}

/// Anywhere, or where letters are: names and kinds are what a file is held together by, and most bytes are points.
fn place(random: &mut Random, bytes: &[u8]) -> usize {
    let at = random.below(bytes.len());
    if random.one_in(2) {
        return at;
    }
    let word = bytes[at..].windows(4).take(1 << 16).position(|four| four.iter().all(u8::is_ascii_alphabetic));
    let near = word.map_or(at, |word| at + word);
    (near + random.below(48)).saturating_sub(24).min(bytes.len() - 1)
}

fn put(bytes: &mut [u8], at: usize, what: &[u8]) {
    let end = bytes.len().min(at + what.len());
    bytes[at..end].copy_from_slice(&what[..end - at]);
}

fn number(random: &mut Random) -> Vec<u8> {
    let wide =
        [0, 1, 2, 0x7fff_ffff, 0x8000_0000, u64::from(u32::MAX), i64::MAX as u64, u64::MAX][random.below(8)];
    let real = [f64::NAN, f64::INFINITY, 1e300, -1e300, 1e-310, 0.0][random.below(6)];
    match random.below(5) {
        0 => wide.to_le_bytes()[..2].to_vec(),
        1 => wide.to_le_bytes()[..4].to_vec(),
        2 => wide.to_le_bytes().to_vec(),
        #[allow(clippy::cast_possible_truncation)] // infinity is meant
        3 => (real as f32).to_le_bytes().to_vec(),
        _ => real.to_le_bytes().to_vec(),
    }
}

/// A number that is written out, as another one.
fn words(random: &mut Random, bytes: &mut Vec<u8>, at: usize) {
    let Some(from) = bytes[at..].iter().position(u8::is_ascii_digit).map(|k| at + k) else { return };
    let digits = bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let texts: [&[u8]; 8] =
        [b"0", b"-1", b"4294967295", b"18446744073709551615", b"1e308", b"nan", b"", b"3"];
    bytes.splice(from..from + digits, texts[random.below(8)].iter().copied());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short hunt: what long ones found is a test beside each reader.
    #[test]
    fn changed_files_are_creatures_or_errors() {
        let folder = tempfile::tempdir().unwrap();
        for (reader, files) in READERS.iter().zip([400, 400, 400]) {
            let hunt = Hunt::new(reader, folder.path().to_path_buf());
            let found = hunt.run(&own_seeds(reader), &mut |done| done < files);
            assert!(found.panics.is_empty(), "{}: {:?}", reader.name, found.panics);
            assert!(
                reader.name != "vrm" || found.creatures > 0,
                "{}: nothing was read to its end",
                reader.name
            );
        }
    }
}

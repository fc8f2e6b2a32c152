//! `cargo xtask corpus [FOLDER]`: every creature of a folder through loading, its first gait, export, the Khronos validator and a
//! moment of physics, each step with a time limit; one table, and sheets of film strips of the skinned clips as three.js shows them. Without
//! a folder it is our own corpus of odd bodies, of which it is known what each is.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gambol_formats::gltf::samples::{OddBody, odd_bodies};
use serde_json::Value;

use crate::node;
use crate::shell::{Result, build_gambol, command, output, target};
use crate::studio;

/// No step may take longer, s.
const LIMIT: Duration = Duration::from_secs(10);
/// Endings of files that are creatures.
const ENDINGS: [&str; 9] = ["glb", "gltf", "vrm", "fbx", "xml", "urdf", "bvh", "asf", "mjcf"];

/// Reads a file and prints how many errors the Khronos validator finds; and what draws the sheets.
const SHEET: &str = include_str!("corpus/sheet.mjs");
const VALIDATE: &str = "\
import { readFileSync } from 'node:fs';
import validator from 'gltf-validator';
const report = await validator.validateBytes(new Uint8Array(readFileSync(process.argv[2])), { maxIssues: 1 });
console.log(report.issues.numErrors);
";

/// What became of a file.
#[derive(Default)]
struct Row {
    name: String,
    class: String,
    gait: String,
    speed: String,
    residual: String,
    validator: String,
    physics: String,
    seconds: f64,
    trouble: Option<String>,
    strip: Option<String>,
}

pub(crate) fn run(folder: Option<&Path>, limit: Option<usize>) -> Result<()> {
    let out = target().join("corpus");
    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let known = if folder.is_none() { odd_bodies() } else { Vec::new() };
    let folder = match folder {
        Some(folder) => folder.to_path_buf(),
        None => write_own(&known, &out)?,
    };
    let mut files = Vec::new();
    collect(&folder, &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
    files.sort();
    files.truncate(limit.unwrap_or(usize::MAX));
    // Ten seconds of what people have.
    let program = build_gambol("release")?;
    let validator = node::script("corpus_validate.mjs", VALIDATE).ok();
    let mut rows = Vec::new();
    for (index, file) in files.iter().enumerate() {
        eprintln!("{} of {}: {}", index + 1, files.len(), file.display());
        let name = file.strip_prefix(&folder).unwrap_or(file).display().to_string();
        rows.push(Try { program: &program, validator: validator.as_deref(), out: &out }.run(file, name));
    }
    let table = table(&rows);
    println!("{table}");
    write(&out.join("corpus.md"), &table)?;
    write(&out.join("corpus.html"), &sheet(&rows))?;
    match skinned_sheets(&rows, &out) {
        Ok(names) => eprintln!("{}", names.trim().replace('\n', ", ")),
        Err(reason) => eprintln!("no sheets of skinned strips: {reason}"),
    }
    eprintln!("corpus.md and corpus.html are in {}", out.display());
    judge(&rows, &known)
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

fn write_own(bodies: &[OddBody], out: &Path) -> Result<PathBuf> {
    let folder = out.join("own");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for body in bodies {
        let file = folder.join(format!("{}.glb", body.name));
        std::fs::write(&file, &body.file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(folder)
}

pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        if path.is_dir() {
            collect(&path, files)?;
        } else if ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
            files.push(path);
        }
    }
    Ok(())
}

/// One file's way.
struct Try<'a> {
    program: &'a Path,
    validator: Option<&'a Path>,
    out: &'a Path,
}

impl Try<'_> {
    fn run(&self, file: &Path, name: String) -> Row {
        let mut row = Row { name, ..Row::default() };
        let start = Instant::now();
        let done = self.steps(file, &mut row);
        row.seconds = start.elapsed().as_secs_f64();
        row.trouble = done.err();
        row
    }

    fn steps(&self, file: &Path, row: &mut Row) -> Result<()> {
        let path = file.display().to_string();
        let seen: Value = json(&self.gambol(&["inspect", &path, "--json"])?)?;
        seen["class"].as_str().unwrap_or_default().clone_into(&mut row.class);
        let gaits: Value = json(&self.gambol(&["animate", &path, "--json"])?)?;
        let suits = gaits.as_array().into_iter().flatten().find(|gait| gait["suits"] == true);
        if let Some(gait) = suits.and_then(|gait| gait["name"].as_str()) {
            gait.clone_into(&mut row.gait);
            let stem = row.name.replace(['/', '\\', '.', ' '], "_");
            let (glb, png) = (self.out.join(format!("{stem}.glb")), self.out.join(format!("{stem}.png")));
            let [glb, png] = [glb, png].map(|path| path.display().to_string());
            let told = self
                .gambol(&["animate", &path, gait, "-o", &glb, "-o", &png, "--report", "--json", "--force"])?;
            let told: Value = json(&told)?;
            let number = |key: &str| told["report"][key].as_f64().or_else(|| told[key].as_f64());
            let text = |key: &str| number(key).map_or_else(String::new, |x| format!("{x:.2}"));
            (row.speed, row.residual) = (text("speed"), text("residual_force"));
            row.strip = Some(format!("{stem}.png"));
            if let Some(script) = self.validator {
                let errors = |file: &Path| -> Result<u64> {
                    let said = output(command("node", &[]).arg(script).arg(file))?;
                    said.trim().parse().map_err(|error| format!("the validator says {said:?}: {error}"))
                };
                let is_gltf = file.extension().is_some_and(|ending| ending == "glb" || ending == "gltf");
                // What was wrong before is the file's own.
                let own = if is_gltf { errors(file).unwrap_or(0) } else { 0 };
                row.validator = errors(Path::new(&glb))?.saturating_sub(own).to_string();
            }
        }
        row.physics = match self.gambol(&["simulate", &path, "--seconds", "0.1"]) {
            Ok(_) => "moves".to_owned(),
            Err(reason) => reason.lines().last().unwrap_or_default().chars().take(60).collect(),
        };
        Ok(())
    }

    /// What the program prints; an error if it fails, or takes too long and is stopped.
    fn gambol(&self, arguments: &[&str]) -> Result<String> {
        let mut child = Command::new(self.program)
            .args(arguments)
            .stdout(Stdio::from(temporary(self.out, "stdout")?))
            .stderr(Stdio::from(temporary(self.out, "stderr")?))
            .spawn()
            .map_err(|error| error.to_string())?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait().map_err(|error| error.to_string())? {
                Some(status) => break status,
                None if start.elapsed() > LIMIT => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!("{}: longer than {} s", arguments[0], LIMIT.as_secs()));
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let said = |name: &str| std::fs::read_to_string(self.out.join(name)).unwrap_or_default();
        if status.success() { Ok(said("stdout")) } else { Err(said("stderr").trim().to_owned()) }
    }
}

fn temporary(folder: &Path, name: &str) -> Result<std::fs::File> {
    std::fs::File::create(folder.join(name)).map_err(|error| error.to_string())
}

fn json(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| file | class | first gait | m/s | force from nowhere | validator's errors | physics | s |\n",
    );
    text.push_str("|---|---|---|--:|--:|--:|---|--:|\n");
    for row in rows {
        let Row { name, class, gait, speed, residual, validator, physics, seconds, trouble, .. } = row;
        let line = match trouble {
            Some(trouble) => {
                format!("| {name} | {class} | {} ||||| {seconds:.1} |\n", trouble.replace(['\n', '|'], " "))
            }
            None => format!(
                "| {name} | {class} | {gait} | {speed} | {residual} | {validator} | {physics} | {seconds:.1} |\n"
            ),
        };
        text.push_str(&line);
    }
    text
}

/// Skinned strips of all clips that were written, on as many sheets as it takes; their names.
fn skinned_sheets(rows: &[Row], out: &Path) -> Result<String> {
    let clip = |row: &Row| {
        let file = row.strip.as_ref()?.replace(".png", ".glb");
        let label = format!("{}: {}, {}", row.name, row.class, row.gait);
        Some(serde_json::json!({ "file": file, "label": label, "clip": row.gait }))
    };
    let clips: Vec<Value> = rows.iter().filter_map(clip).collect();
    draw_sheets(out, &clips, None)
}

/// Draws strips of the skinned `clips` of files in the folder `out` on sheets there, as PNG or another `kind`; their names.
pub(crate) fn draw_sheets(out: &Path, clips: &[Value], kind: Option<&str>) -> Result<String> {
    let config = serde_json::json!({
        "chromium": studio::chromium()?, "modules": target().join("node/node_modules"), "folder": out, "clips": clips, "type": kind,
    });
    let file = out.join("sheet.json");
    write(&file, &config.to_string())?;
    let script = node::script("corpus_sheet.mjs", SHEET)?;
    output(command("node", &[]).arg(script).arg(file))
}

/// All film strips on one page.
fn sheet(rows: &[Row]) -> String {
    let strip = |row: &Row| {
        let Row { name, class, gait, strip, .. } = row;
        let image =
            strip.as_ref().map_or_else(String::new, |file| format!("<img src=\"{file}\" width=\"760\">"));
        format!("<figure><figcaption>{name}: {class}, {gait}</figcaption>{image}</figure>\n")
    };
    let strips: String = rows.iter().map(strip).collect();
    format!(
        "<!doctype html><meta charset=\"utf-8\"><title>corpus</title><style>figure{{display:inline-block}}</style>\n{strips}"
    )
}

/// Our own bodies are what they are; whatever takes too long or is written wrongly is an error.
fn judge(rows: &[Row], known: &[OddBody]) -> Result<()> {
    let mut wrong = Vec::new();
    for row in rows {
        if let Some(trouble) =
            row.trouble.as_ref().filter(|trouble| !known.is_empty() || trouble.contains("longer than"))
        {
            wrong.push(format!("{}: {trouble}", row.name));
        }
        if !matches!(row.validator.as_str(), "" | "0") {
            wrong.push(format!("{}: the validator finds {} errors", row.name, row.validator));
        }
        let Some(body) = known.iter().find(|body| format!("{}.glb", body.name) == row.name) else { continue };
        if row.class != body.class.name() || row.gait != body.gait.unwrap_or_default() {
            wrong.push(format!(
                "{}: {} and {:?}, not {} and {:?}",
                row.name, row.class, row.gait, body.class, body.gait
            ));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

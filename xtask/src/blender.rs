//! `cargo xtask blender`: skinned files with a clip in them, as Blender imports them. On ten frames every bone must be
//! where our kinematics put it. With `--round` they go out of it again, as GLB and as FBX, and must be the same creatures. Blender is a test
//! client only (its licence is the GPL): it is a wheel of a gigabyte, in an environment of its own under `target/blender`.

use std::path::{Path, PathBuf};

use gambol::LoadOptions;
use gambol::dynamics::{Data, forward_kinematics};
use gambol::model::Vec3;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::rigs_out::{self, RATE};
use crate::shell::{Result, command, output, run as run_command, target};

/// A Blender as a wheel, which is for one Python.
#[derive(Clone, Copy)]
pub(crate) struct Blender {
    /// What its folder under `target/blender` is called.
    pub(crate) name: &'static str,
    python: &'static str,
    /// The wheel first, then what Blender itself comes with and the wheel does not.
    pub(crate) packages: &'static [&'static str],
}

/// The newest, and the oldest that the extension says it runs in, which has long-term support.
pub(crate) const WHEELS: [Blender; 2] = [
    Blender { name: "newest", python: "3.13", packages: &["bpy==5.2.3"] },
    Blender { name: "lts", python: "3.11", packages: &["bpy==4.2.23", "numpy==1.24.4"] },
];
/// Distance of bones, in parts of the creature's size. Blender keeps bones as 32-bit matrices in the pose of their rest.
const NEAR: f64 = 1e-4;

/// What Blender found.
#[derive(Deserialize)]
struct Found {
    file: PathBuf,
    /// Largest distance of a bone, in units of the file.
    off: f64,
    /// The same without any clip, which is Blender's own.
    rest_off: f64,
    /// Bones that were compared, and nodes that Blender has no bone for.
    bones: usize,
    missing: usize,
}

/// In the test command: a machine without the wheel is told so, and passes.
pub(crate) fn run_if_possible() -> Result<()> {
    match python() {
        Ok(_) => run(None),
        Err(reason) => {
            println!("Blender is left out: {reason}");
            Ok(())
        }
    }
}

/// All our awkward files, and those of `characters` if given.
pub(crate) fn run(characters: Option<&Path>) -> Result<()> {
    let python = python()?;
    let files = rigs_out::write_all(characters)?;
    let cases: Value = files
        .iter()
        .map(|rig| {
            let frames: Vec<f64> = rig.frames.times.iter().map(|time| time * RATE).collect();
            let bones: Value = rig.frames.bones.iter().map(|bone| json!([bone.node, bone.places])).collect();
            json!({ "file": rig.file, "frames": frames, "bones": bones })
        })
        .collect();
    let list = target().join("gltf/blender.json");
    std::fs::write(&list, cases.to_string()).map_err(|error| format!("{}: {error}", list.display()))?;
    let said = output(command(python, &["xtask/peers/blender.py"]).arg(&list))?;
    println!("{:<36} {:>5} {:>8} {:>9} {:>9}", "file", "bones", "missing", "off", "at rest");
    let (mut count, mut failed) = (0, 0);
    // Blender talks on stdout too.
    let lines = said.lines().filter(|line| line.starts_with('{'));
    for (line, rig) in lines.zip(&files) {
        let found: Found =
            serde_json::from_str(line).map_err(|error| format!("blender.py: {error}: {line}"))?;
        let (off, at_rest) = (found.off / rig.frames.size, found.rest_off / rig.frames.size);
        let name = found.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name:<36} {:>5} {:>8} {off:>9.0e} {at_rest:>9.0e}", found.bones, found.missing);
        count += 1;
        // Not `off >= …`, so that NaN fails. What is off by itself is so again with a clip, turned with its parents.
        failed += usize::from(!(off < NEAR + 2.0 * at_rest && found.bones > 0 && found.missing == 0));
    }
    println!("{} passed, {failed} failed", count - failed);
    if count != files.len() {
        return Err(format!("Blender read only {count} of {} files", files.len()));
    }
    if failed == 0 {
        Ok(())
    } else {
        Err(format!("Blender reads {failed} files otherwise than they were meant"))
    }
}

/// What Blender wrote of a file that it read, or why it could not.
#[derive(Deserialize)]
struct Back {
    file: PathBuf,
    #[serde(default)]
    glb: PathBuf,
    #[serde(default)]
    fbx: PathBuf,
    error: Option<String>,
}

/// The same files into Blender and out again, as GLB and as FBX: the creatures must be the same.
pub(crate) fn round(characters: Option<&Path>) -> Result<()> {
    let python = python()?;
    let files: Vec<PathBuf> = rigs_out::write_all(characters)?.into_iter().map(|rig| rig.file).collect();
    let list = target().join("gltf/blender_round.json");
    std::fs::write(&list, json!(files).to_string())
        .map_err(|error| format!("{}: {error}", list.display()))?;
    let said = output(command(python, &["xtask/peers/blender_round.py"]).arg(&list))?;
    println!("{:<36} {:>6} {:>9} {:>9}", "file", "bodies", "as GLB", "as FBX");
    let (mut count, mut failed) = (0, 0);
    for line in said.lines().filter(|line| line.starts_with('{')) {
        let back: Back =
            serde_json::from_str(line).map_err(|error| format!("blender_round.py: {error}: {line}"))?;
        count += 1;
        let name = back.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(reason) = back.error {
            println!("{name:<36} is left out: {reason}");
            continue;
        }
        let ours = joints(&back.file)?;
        let off = [&back.glb, &back.fbx].map(|file| joints(file).map(|theirs| apart(&ours, &theirs)));
        let words = off.iter().map(|off| match off {
            Ok(off) => format!("{off:>9.0e}"),
            Err(reason) => format!(" {reason}"),
        });
        println!("{name:<36} {:>6} {}", ours.len(), words.collect::<Vec<_>>().join(" "));
        // Not `off >= …`, so that NaN fails.
        failed += usize::from(!off.iter().all(|off| off.as_ref().is_ok_and(|off| *off < NEAR)));
    }
    if count != files.len() {
        return Err(format!("Blender wrote only {count} of {} files", files.len()));
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} creatures come back as others")) }
}

/// Places of all joints of a file's creature as it stands, about its first, m.
fn joints(file: &Path) -> Result<Vec<(String, Vec3)>> {
    let creature = gambol::load(&file.display().to_string(), &LoadOptions::default())
        .map_err(|error| error.to_string())?;
    let mut data = Data::new(&creature);
    let frames = forward_kinematics(&creature, &mut data, creature.reference_pose());
    let bodies = creature.bodies().iter().zip(frames).skip(1);
    Ok(bodies.map(|(body, frame)| (body.name.clone(), frame.position - frames[1].position)).collect())
}

/// The largest distance of joints of the same name, in parts of the size; infinite where one has none.
fn apart(ours: &[(String, Vec3)], theirs: &[(String, Vec3)]) -> f64 {
    let size = ours.iter().map(|(_, at)| at.norm()).fold(f64::MIN_POSITIVE, f64::max);
    let off = |(name, at): &(String, Vec3)| {
        let same = theirs.iter().find(|(other, _)| other == name);
        same.map_or(f64::INFINITY, |(_, other)| (at - other).norm())
    };
    let missing = if ours.len() == theirs.len() { 0.0 } else { f64::INFINITY };
    ours.iter().map(off).fold(missing, f64::max) / size
}

/// A Python that can import the newest Blender that can be had.
fn python() -> Result<PathBuf> {
    let mut reasons = Vec::new();
    for blender in WHEELS {
        match blender.python() {
            Ok(python) => return Ok(python),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(reasons.join("; "))
}

impl Blender {
    /// A Python that can import it, made at the first call.
    pub(crate) fn python(&self) -> Result<PathBuf> {
        let folder = target().join("blender").join(self.name);
        let python = folder.join("bin/python");
        let stamp = folder.join("installed");
        let wanted = self.packages.join("\n");
        if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(python);
        }
        let system = self.system_python().ok_or_else(|| {
            format!("{} is for Python {}, which is not here with venv", self.packages[0], self.python)
        })?;
        run_command(command(system, &["-m", "venv", "--clear"]).arg(&folder))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run_command(command(&python, &pip).args(self.packages))?;
        let library = "a library that Blender needs is missing; on Debian: apt-get install libgl1 libx11-6 libxi6 \
                       libxrender1 libxfixes3 libxkbcommon0 libsm6";
        output(&mut command(&python, &["-c", "import bpy"]))
            .map_err(|error| format!("{library}\n{error}"))?;
        std::fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
        Ok(python)
    }

    /// On the path, or one that uv or pyenv keeps.
    fn system_python(&self) -> Option<PathBuf> {
        let works = |python: &Path| output(&mut command(python, &["-c", "import venv, ensurepip"])).is_ok();
        let on_path = PathBuf::from(format!("python{}", self.python));
        let of_uv = output(&mut command("uv", &["python", "find", self.python])).ok();
        let pyenv =
            output(&mut command("pyenv", &["root"])).ok().map(|root| Path::new(root.trim()).join("versions"));
        let of_pyenv =
            pyenv.and_then(|versions| std::fs::read_dir(versions).ok()).into_iter().flatten().flatten();
        let named = |entry: &std::fs::DirEntry| {
            entry.file_name().to_string_lossy().starts_with(&format!("{}.", self.python))
        };
        let of_pyenv = of_pyenv.filter(named).map(|entry| entry.path().join("bin/python"));
        let mut known = std::iter::once(on_path).chain(of_uv.map(|path| path.trim().into())).chain(of_pyenv);
        known.find(|python| works(python))
    }
}

//! Creatures from files, and clips to files. One module per format; bad files end here, as errors that name file, place
//! and reason.
//!
//! ```
//! use gambol_formats::{LoadOptions, load_str};
//!
//! let text = r#"<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#;
//! let ball = load_str("ball.xml", text, &LoadOptions::default())?.build()?;
//! assert_eq!((ball.nq(), ball.nv()), (7, 6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod asf;
pub mod basis;
pub mod bvh;
pub mod clip;
pub mod course;
mod error;
mod fbx;
pub mod files;
pub mod gltf;
mod height_field;
mod kind;
pub mod mesh_files;
mod mjcf;
pub mod mocap;
mod notes;
pub mod npz;
pub mod pack;
pub mod plant;
pub mod prior;
mod stored_zip;
pub mod toml_file;
mod urdf;
mod write;
pub mod xml;

use std::path::{Path, PathBuf};

use gambol_anatomy::Measures;
use gambol_model::{BodyClass, CreatureSpec, LandmarkOverride};

pub use error::FormatError;
pub use files::Files;
pub use height_field::{HeightGrid, height_field_from_png};
pub use mjcf::write::{Actuators, Integrator, MjcfFiles, MjcfOptions, to_mjcf};
pub use write::{WriteError, write_file, write_files};

/// The vectors and matrices that this crate's functions take and give.
pub use nalgebra;

/// How a creature file is read.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// What the file asks for and gambol cannot do is an error, not a warning. Default: off.
    pub strict: bool,
    /// Trees that hang fixed from the world float freely instead. Default: off.
    pub free_root: bool,
    /// A folder beside that of the main file that may be read. Default: none.
    pub assets: Option<PathBuf>,
    /// Landmarks that the user sets right. Default: none.
    pub landmarks: Vec<LandmarkOverride>,
    /// How the creature gets about, if the guess is wrong. Default: guessed.
    pub class: Option<BodyClass>,
    /// glTF: what the user says about the rig. Default: all is guessed.
    pub rig: Option<gltf::RigSettings>,
    /// glTF, BVH, ASF, plants: height of the creature in the file's pose, m. Default: the file's unit.
    pub height: Option<f64>,
    /// glTF, BVH, ASF, plants: length of the file's unit, m. Default: a metre, unless the size says otherwise.
    pub unit: Option<f64>,
    /// glTF, BVH, ASF: mass of the whole creature, kg. Default: the volume of its skin at the density of water.
    pub mass: Option<f64>,
    /// Plants: which way is up in the file. Default: z.
    pub up: Option<plant::UpAxis>,
    /// Plants: radius of the tips, m; those below follow from Leonardo's rule, r² is the sum of the children's. Default: the
    /// file's own radii.
    pub pipe: Option<f64>,
}

impl LoadOptions {
    /// How large the creature is to be.
    fn measures(&self) -> Measures {
        Measures { height: self.height, unit: self.unit, mass: self.mass }
    }
}

/// Reads a creature from a file on disk.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<CreatureSpec, FormatError> {
    load_rig(path, options).map(|(spec, _)| spec)
}

/// Reads a creature from a file on disk and, if that is a glTF file, the way back to its nodes.
pub fn load_rig(
    path: impl AsRef<Path>,
    options: &LoadOptions,
) -> Result<(CreatureSpec, Option<gltf::Rig>), FormatError> {
    let (files, name) = open(path.as_ref(), options)?;
    load_rig_from(&files, &name, options)
}

/// The folder of a file, opened for reading, and the file's name in it.
pub fn open(path: &Path, options: &LoadOptions) -> Result<(files::Folder, String), FormatError> {
    if path.is_dir() {
        return Err(kind::folder(&path.display().to_string()));
    }
    let Some(name) = path.file_name() else {
        return Err(FormatError::new(path.display().to_string(), "this is not the path of a file"));
    };
    let Some(name) = name.to_str() else {
        return Err(FormatError::new(path.display().to_string(), "the file's name is not UTF-8"));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok((files::Folder::new(folder, options.assets.as_deref())?, name.to_owned()))
}

/// Reads a creature from text. It cannot name other files; `name` stands for the file in messages.
pub fn load_str(name: &str, text: &str, options: &LoadOptions) -> Result<CreatureSpec, FormatError> {
    load_from(&files::Memory::new().with(name, text), name, options)
}

/// Reads the creature `main` from `files`. The content tells the format, not the name; but recordings are told by their
/// ending.
pub fn load_from(files: &dyn Files, main: &str, options: &LoadOptions) -> Result<CreatureSpec, FormatError> {
    load_rig_from(files, main, options).map(|(spec, _)| spec)
}

/// Reads the creature `main` from `files` and, if that is a glTF file, the way back to its nodes.
pub fn load_rig_from(
    files: &dyn Files,
    main: &str,
    options: &LoadOptions,
) -> Result<(CreatureSpec, Option<gltf::Rig>), FormatError> {
    let (mut spec, rig) = load_any(files, main, options)?;
    spec.class = options.class.or(spec.class);
    Ok((spec, rig))
}

/// By what the file is.
fn load_any(
    files: &dyn Files,
    main: &str,
    options: &LoadOptions,
) -> Result<(CreatureSpec, Option<gltf::Rig>), FormatError> {
    if let Some(kind) = mocap::kind(main) {
        return Ok((mocap::read(files, main, kind, options)?, None));
    }
    let bytes = files.read(main)?;
    if gltf::is_gltf(&bytes) || fbx::is_fbx(&bytes) {
        let (spec, rig) = gltf::read(files, main, options)?;
        return Ok((spec, Some(rig)));
    }
    let ending = main.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    if ending.is_some_and(|ending| ending == "glb" || ending == "gltf") {
        return Err(FormatError::new(
            main,
            "this is not a glTF file: it begins neither with \"glTF\" nor with a {",
        ));
    }
    kind::refuse_strangers(main, &bytes)?;
    let document = xml::Document::read(files, main)?;
    let root = document.root();
    let mut spec = match root.tag() {
        "mujoco" => mjcf::read(files, document, options)?,
        "robot" => urdf::read(files, &document, options)?,
        other => {
            let reason =
                format!("the root element is <{other}>; a creature is <mujoco> (MJCF) or <robot> (URDF)");
            return Err(FormatError::new(main, reason));
        }
    };
    if options.free_root {
        spec.free_roots();
    }
    spec.landmark_overrides.clone_from(&options.landmarks);
    Ok((spec, None))
}

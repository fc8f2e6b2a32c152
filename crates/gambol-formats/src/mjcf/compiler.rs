//! `<compiler>`: how the rest of the file is to be understood. Read before everything else.

use crate::FormatError;
use crate::xml::Element;

/// Where a body's mass comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FromGeoms {
    /// Only from `<inertial>`.
    Never,
    /// From geoms even if there is an `<inertial>`.
    Always,
    /// From geoms if there is no `<inertial>`.
    Auto,
}

/// The settings, with MuJoCo's defaults.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // so many switches has MJCF
pub(crate) struct Compiler {
    /// A joint with a range is limited without saying so.
    pub(crate) autolimits: bool,
    /// Smallest mass of a body, kg.
    pub(crate) bound_mass: f64,
    /// Smallest principal moment of a body, kg·m².
    pub(crate) bound_inertia: f64,
    /// If positive: the mass of all bodies together, kg.
    pub(crate) total_mass: f64,
    /// Impossible inertias become isotropic.
    pub(crate) balance_inertia: bool,
    /// Only the last part of a file name counts.
    pub(crate) strip_path: bool,
    /// Angles in the file are degrees.
    pub(crate) degrees: bool,
    /// Primitives are fitted to the bounding box of a mesh rather than to its inertia.
    pub(crate) fit_aabb: bool,
    /// Axes of Euler angles; upper case: about fixed axes.
    pub(crate) euler_sequence: [char; 3],
    /// Folder of mesh files.
    pub(crate) mesh_dir: String,
    /// Bodies without joints become part of their parents.
    pub(crate) fuse_static: bool,
    /// Where mass comes from.
    pub(crate) from_geoms: FromGeoms,
    /// Geoms outside of this range of groups have no mass.
    pub(crate) groups: [i64; 2],
    /// The frame of a lone free body moves to its centre of mass.
    pub(crate) align_free: bool,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            autolimits: true,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: -1.0,
            balance_inertia: false,
            strip_path: false,
            degrees: true,
            fit_aabb: false,
            euler_sequence: ['x', 'y', 'z'],
            mesh_dir: String::new(),
            fuse_static: false,
            from_geoms: FromGeoms::Auto,
            groups: [0, 5],
            align_free: false,
        }
    }
}

impl Compiler {
    /// All `<compiler>` elements of a model, one after the other.
    pub(crate) fn read(root: Element<'_>) -> Result<Self, FormatError> {
        let mut compiler = Self::default();
        for element in root.children_named("compiler") {
            compiler.update(element)?;
        }
        Ok(compiler)
    }

    fn update(&mut self, element: Element<'_>) -> Result<(), FormatError> {
        fn set<T>(field: &mut T, value: Option<T>) {
            if let Some(value) = value {
                *field = value;
            }
        }
        set(&mut self.autolimits, element.bool("autolimits")?);
        set(&mut self.bound_mass, element.f64("boundmass")?);
        set(&mut self.bound_inertia, element.f64("boundinertia")?);
        set(&mut self.total_mass, element.f64("settotalmass")?);
        set(&mut self.balance_inertia, element.bool("balanceinertia")?);
        set(&mut self.strip_path, element.bool("strippath")?);
        set(&mut self.degrees, element.keyword("angle", &[("radian", false), ("degree", true)])?);
        set(&mut self.fit_aabb, element.bool("fitaabb")?);
        set(&mut self.fuse_static, element.bool("fusestatic")?);
        set(&mut self.align_free, element.bool("alignfree")?);
        // A folder of its own for meshes goes before the one for all assets.
        set(&mut self.mesh_dir, element.text("assetdir").map(str::to_owned));
        set(&mut self.mesh_dir, element.text("meshdir").map(str::to_owned));
        let from_geoms =
            [("false", FromGeoms::Never), ("true", FromGeoms::Always), ("auto", FromGeoms::Auto)];
        set(&mut self.from_geoms, element.keyword("inertiafromgeom", &from_geoms)?);
        if let Some(groups) = element.ints("inertiagrouprange")? {
            self.groups = <[i64; 2]>::try_from(groups)
                .map_err(|_| element.error("\"inertiagrouprange\" takes 2 whole numbers"))?;
        }
        if let Some(text) = element.text("eulerseq") {
            self.euler_sequence = euler_sequence(text)
                .ok_or_else(|| element.error("\"eulerseq\" takes three letters out of x, y, z, X, Y, Z"))?;
        }
        if element.keyword("coordinate", &[("local", false), ("global", true)])? == Some(true) {
            return Err(element.error("global coordinates are no longer part of MJCF"));
        }
        element.ignore(&[
            "texturedir",
            "discardvisual", // what it discards has no mass, or keeps its mass as an explicit inertia
            "usethread",
            "saveinertial",
            "savecompiled",
            "savecanonical",
            "conflict",
            "passthrough",
            "convexhull",
        ]);
        Ok(())
    }

    /// An angle of the file in radians.
    pub(crate) fn radians(&self, angle: f64) -> f64 {
        if self.degrees { angle / 180.0 * std::f64::consts::PI } else { angle }
    }
}

fn euler_sequence(text: &str) -> Option<[char; 3]> {
    let letters: Vec<char> = text.chars().collect();
    let letters = <[char; 3]>::try_from(letters).ok()?;
    letters.iter().all(|letter| "xyzXYZ".contains(*letter)).then_some(letters)
}

//! `<mujoco><compiler …/></mujoco>`, MuJoCo's extension of URDF, with its defaults for URDF.

use gambol_model::{MassProperties, Mat3, Vec3};

use crate::FormatError;
use crate::xml::Element;

/// Where the mass of a link comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FromGeometry {
    /// Only from `<inertial>`.
    Never,
    /// From geometry even if there is an `<inertial>`.
    Always,
    /// From geometry if there is no `<inertial>`.
    Auto,
}

#[allow(clippy::struct_excessive_bools)] // each is a switch of the file format
pub(super) struct Settings {
    /// Folder of mesh files.
    pub(super) mesh_dir: String,
    /// Only the last part of a file name counts. Default: off.
    pub(super) strip_path: bool,
    /// Links without a joint become part of their parents. Default: on.
    pub(super) fuse_static: bool,
    /// Visual geometry is not read. Default: on.
    pub(super) discard_visual: bool,
    /// Impossible inertias become isotropic. Default: off.
    pub(super) balance_inertia: bool,
    /// Smallest mass of a body, kg. Default: 0.
    pub(super) bound_mass: f64,
    /// Smallest principal moment of a body, kg·m². Default: 0.
    pub(super) bound_inertia: f64,
    /// The mass of all moving bodies together, kg. Default: as it is.
    pub(super) total_mass: Option<f64>,
    /// Default: auto.
    pub(super) from_geometry: FromGeometry,
}

impl Settings {
    pub(super) fn read(root: Element<'_>) -> Result<Self, FormatError> {
        let mut settings = Self {
            mesh_dir: String::new(),
            strip_path: false,
            fuse_static: true,
            discard_visual: true,
            balance_inertia: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: None,
            from_geometry: FromGeometry::Auto,
        };
        if let Some(compiler) = extension(root, "compiler") {
            settings.update(compiler)?;
        }
        Ok(settings)
    }

    fn update(&mut self, element: Element<'_>) -> Result<(), FormatError> {
        let choices =
            [("false", FromGeometry::Never), ("true", FromGeometry::Always), ("auto", FromGeometry::Auto)];
        element
            .text("meshdir")
            .or(element.text("assetdir"))
            .unwrap_or_default()
            .clone_into(&mut self.mesh_dir);
        self.strip_path = element.bool("strippath")?.unwrap_or(self.strip_path);
        self.fuse_static = element.bool("fusestatic")?.unwrap_or(self.fuse_static);
        self.discard_visual = element.bool("discardvisual")?.unwrap_or(self.discard_visual);
        self.balance_inertia = element.bool("balanceinertia")?.unwrap_or(self.balance_inertia);
        self.bound_mass = element.f64("boundmass")?.unwrap_or(self.bound_mass);
        self.bound_inertia = element.f64("boundinertia")?.unwrap_or(self.bound_inertia);
        self.total_mass = element.f64("settotalmass")?.filter(|mass| *mass > 0.0);
        self.from_geometry = element.keyword("inertiafromgeom", &choices)?.unwrap_or(self.from_geometry);
        // URDF has one unit of angles and one order of rotations, whatever these say; the rest is about other things.
        element.ignore(&[
            "angle",
            "eulerseq",
            "coordinate",
            "autolimits",
            "convexhull",
            "usethread",
            "texturedir",
        ]);
        Ok(())
    }

    /// At least the mass and the principal moments that the file asks for.
    pub(super) fn bounded(&self, mass: &MassProperties) -> MassProperties {
        if self.bound_mass <= 0.0 && self.bound_inertia <= 0.0 {
            return *mass;
        }
        let mut axes = mass.inertia.symmetric_eigen();
        axes.eigenvalues.apply(|moment| *moment = moment.max(self.bound_inertia));
        MassProperties { mass: mass.mass.max(self.bound_mass), com: mass.com, inertia: axes.recompose() }
    }

    /// An inertia of no real body made isotropic, if the file asks for it.
    pub(super) fn balanced(&self, mass: MassProperties) -> MassProperties {
        let moments = mass.principal_moments();
        // A rod has moments a, a, 0 and may miss by rounding.
        let possible = moments[0] + moments[1] >= moments[2] * (1.0 - 1e-12);
        if possible || !self.balance_inertia {
            return mass;
        }
        MassProperties { inertia: Mat3::from_diagonal_element(moments.sum() / 3.0), ..mass }
    }
}

/// `<mujoco><option gravity="…"/></mujoco>`, m/s².
pub(super) fn gravity(root: Element<'_>) -> Result<Option<Vec3>, FormatError> {
    let Some(option) = extension(root, "option") else { return Ok(None) };
    let gravity = option.vec3("gravity")?;
    option.ignore_rest(); // how MuJoCo simulates
    Ok(gravity)
}

fn extension<'d>(root: Element<'d>, tag: &'d str) -> Option<Element<'d>> {
    root.children_named("mujoco").next()?.children_named(tag).next()
}

//! `<joint>`: from the seven kinds of URDF to hinges, slides, balls and free joints.

use gambol_model::{JointSpec, Vec3};

use super::turn_z_to;
use crate::FormatError;
use crate::notes::Notes;
use crate::xml::Element;

/// The kinds of joints of URDF, and the ball joint that Bullet and MuJoCo add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    Planar,
    Spherical,
}

impl Kind {
    /// It becomes one hinge or one slide.
    pub(super) fn is_scalar(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

pub(super) fn kind(joint: Element<'_>) -> Result<Kind, FormatError> {
    let kinds = [
        ("revolute", Kind::Revolute),
        ("continuous", Kind::Continuous),
        ("prismatic", Kind::Prismatic),
        ("fixed", Kind::Fixed),
        ("floating", Kind::Floating),
        ("planar", Kind::Planar),
        ("spherical", Kind::Spherical),
        ("ball", Kind::Spherical),
    ];
    joint.keyword("type", &kinds)?.ok_or_else(|| joint.error("the attribute \"type\" is missing"))
}

/// The joints that stand for a joint of the file; none for a fixed one.
pub(super) fn read(joint: Element<'_>, kind: Kind, notes: &mut Notes) -> Result<Vec<JointSpec>, FormatError> {
    let name = joint.text("name").unwrap_or_default();
    let mut joints = match kind {
        Kind::Fixed => return Ok(Vec::new()),
        Kind::Revolute | Kind::Continuous => vec![JointSpec::hinge(name, axis(joint)?)],
        Kind::Prismatic => vec![JointSpec::slide(name, axis(joint)?)],
        Kind::Floating => vec![JointSpec::free(name)],
        Kind::Spherical => vec![JointSpec::ball(name)],
        Kind::Planar => planar(name, axis(joint)?),
    };
    // A range belongs to the first of the three joints of a planar one, as in MuJoCo.
    joints[0].limit = limit(joint, kind, notes)?;
    let damping = dynamics(joint, notes)?;
    for joint in &mut joints {
        joint.damping = damping;
    }
    Ok(joints)
}

/// Two slides in the plane and a hinge about its normal.
fn planar(name: &str, normal: Vec3) -> Vec<JointSpec> {
    let turn = turn_z_to(normal);
    vec![
        JointSpec::slide(format!("{name}_TX"), turn * Vec3::x()),
        JointSpec::slide(format!("{name}_TY"), turn * Vec3::y()),
        JointSpec::hinge(format!("{name}_RZ"), normal),
    ]
}

fn axis(joint: Element<'_>) -> Result<Vec3, FormatError> {
    let Some(element) = joint.children_named("axis").next() else { return Ok(Vec3::x()) };
    element.required("xyz")?;
    let axis = element.vec3("xyz")?.unwrap_or_else(Vec3::x);
    axis.try_normalize(1e-12).ok_or_else(|| element.error("the axis has no direction"))
}

fn limit(joint: Element<'_>, kind: Kind, notes: &mut Notes) -> Result<Option<[f64; 2]>, FormatError> {
    let Some(element) = joint.children_named("limit").next() else { return Ok(None) };
    // What a motor can do, not what the joint can do.
    element.ignore(&["effort", "velocity", "acceleration", "deceleration", "jerk"]);
    let (low, high) = (element.f64("lower")?, element.f64("upper")?);
    if matches!(kind, Kind::Continuous | Kind::Floating) {
        return Ok(None);
    }
    let mut ignored = |why: &str| {
        let name = joint.text("name").unwrap_or_default();
        notes.push(element.warning(format!("joint {name:?}: {why}; it turns or slides without limits")));
        Ok(None)
    };
    match (low, high) {
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => ignored("one of \"lower\" and \"upper\" is missing"),
        (Some(low), Some(high)) if low == 0.0 && high == 0.0 => ignored("both limits are 0"),
        (Some(low), Some(high)) if low >= high => ignored("its lower limit is not below its upper limit"),
        (Some(low), Some(_)) if kind == Kind::Spherical && low != 0.0 => {
            ignored("a ball joint's lower limit must be 0")
        }
        (Some(low), Some(high)) => Ok(Some([low, high])),
    }
}

/// Damping; friction is told once.
fn dynamics(joint: Element<'_>, notes: &mut Notes) -> Result<f64, FormatError> {
    let Some(element) = joint.children_named("dynamics").next() else { return Ok(0.0) };
    if element.f64("friction")?.unwrap_or(0.0) != 0.0 {
        notes.unsupported(element, "dry friction in joints is not supported and was left out")?;
    }
    let damping = element.f64("damping")?.unwrap_or(0.0);
    if damping < 0.0 {
        return Err(element.error(format!("a damping of {damping} is negative")));
    }
    Ok(damping)
}

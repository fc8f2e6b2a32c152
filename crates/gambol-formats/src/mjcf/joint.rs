//! `<joint>` and `<freejoint>`.

use gambol_model::{JointKind, JointSpec, Transform, Vec3};

use super::compiler::Compiler;
use super::defaults::Cascade;
use crate::FormatError;
use crate::notes::Notes;
use crate::xml::Element;

/// What a joint says beyond its [`JointSpec`].
#[derive(Debug)]
pub(crate) struct Joint {
    pub(crate) spec: JointSpec,
    /// Time constant and damping ratio from which spring and damper follow once all masses are known.
    pub(crate) springdamper: Option<[f64; 2]>,
    /// The frame of a lone free body is to be moved to its centre of mass; `None`: as the compiler says.
    pub(crate) align: Option<bool>,
}

/// `true`, `false` or `auto`.
const TRISTATE: [(&str, Option<bool>); 3] = [("false", Some(false)), ("true", Some(true)), ("auto", None)];

/// Reads a `<joint>`; `body_from_frame` is the pose of the frames it stands in.
pub(crate) fn read(
    cascade: &Cascade<'_>,
    compiler: &Compiler,
    body_from_frame: &Transform,
    notes: &mut Notes,
) -> Result<Joint, FormatError> {
    let element = cascade.own();
    let kinds = [JointKind::Free, JointKind::Ball, JointKind::Slide, JointKind::Hinge]
        .map(|kind| (kind.name(), kind));
    let kind = cascade.keyword("type", &kinds)?.unwrap_or(JointKind::Hinge);
    let turns = kind == JointKind::Hinge;
    let angle = |x: f64| if turns { compiler.radians(x) } else { x };
    let stiffness = linear_part(cascade, "stiffness", notes)?;
    let damping = linear_part(cascade, "damping", notes)?;
    let spec = JointSpec {
        name: String::new(),
        kind,
        anchor: anchor(cascade, kind, body_from_frame)?,
        axis: axis(cascade, kind, body_from_frame)?,
        reference: angle(cascade.f64("ref")?.unwrap_or(0.0)),
        rest: angle(cascade.f64("springref")?.unwrap_or(0.0)),
        stiffness,
        damping,
        armature: cascade.f64("armature")?.unwrap_or(0.0),
        limit: limit(cascade, kind, compiler)?,
    };
    if cascade.f64("frictionloss")?.is_some_and(|friction| friction > 0.0) {
        notes.unsupported(element, "dry friction (\"frictionloss\") is not supported and was left out")?;
    }
    if cascade.f64("springyield")?.is_some_and(|limit| limit > 0.0) {
        notes.unsupported(
            element,
            "springs that yield (\"springyield\") are not supported; they stay elastic",
        )?;
    }
    cascade.ignore(&[
        "group",
        "actuatorfrclimited",
        "actuatorfrcrange",
        "actuatorgravcomp",
        "solreflimit",
        "solimplimit",
        "solreffriction",
        "solimpfriction",
        "margin",
        "user",
    ]);
    let align = cascade.keyword("align", &TRISTATE)?.flatten();
    Ok(Joint { spec, springdamper: springdamper(cascade)?, align })
}

/// Reads a `<freejoint>`, which has no class.
pub(crate) fn read_free(element: Element<'_>) -> Result<Joint, FormatError> {
    element.ignore(&["group"]);
    let align = element.keyword("align", &TRISTATE)?.flatten();
    Ok(Joint { spec: JointSpec::free(""), springdamper: None, align })
}

fn anchor(cascade: &Cascade<'_>, kind: JointKind, body_from_frame: &Transform) -> Result<Vec3, FormatError> {
    let position = cascade.vec3("pos")?.unwrap_or_default();
    Ok(match kind {
        JointKind::Free => Vec3::zeros(),
        _ => body_from_frame.transform_point(&position.into()).coords,
    })
}

fn axis(cascade: &Cascade<'_>, kind: JointKind, body_from_frame: &Transform) -> Result<Vec3, FormatError> {
    let axis = cascade.vec3("axis")?.unwrap_or_else(Vec3::z);
    if matches!(kind, JointKind::Free | JointKind::Ball) {
        return Ok(Vec3::z());
    }
    let unit = axis.try_normalize(1e-14);
    let unit = unit.ok_or_else(|| cascade.own().error("the axis has no direction"))?;
    Ok(body_from_frame.rotation * unit)
}

/// Springs and dampers may be polynomials; about the rest pose only their linear part counts.
pub(crate) fn linear_part(cascade: &Cascade<'_>, name: &str, notes: &mut Notes) -> Result<f64, FormatError> {
    let [linear, square, cubic] = cascade.overlay(name, [0.0; 3])?;
    if square != 0.0 || cubic != 0.0 {
        let text = format!("only the linear part of a polynomial {name:?} is used");
        notes.unsupported(cascade.own(), &text)?;
    }
    Ok(linear)
}

fn limit(
    cascade: &Cascade<'_>,
    kind: JointKind,
    compiler: &Compiler,
) -> Result<Option<[f64; 2]>, FormatError> {
    let [low, high] = cascade.array("range")?.unwrap_or([0.0; 2]);
    let limited = cascade.keyword("limited", &TRISTATE)?.flatten();
    if kind == JointKind::Free || limited == Some(false) {
        return Ok(None);
    }
    let element = cascade.who_has(&["range"]).unwrap_or(cascade.own());
    if limited.is_none() && !compiler.autolimits {
        if low != 0.0 || high != 0.0 {
            return Err(
                element.error("there is a range but no limited=\"true\" or \"false\", and autolimits is off")
            );
        }
        return Ok(None);
    }
    if limited.is_none() && low >= high {
        return Ok(None);
    }
    if kind == JointKind::Ball && low != 0.0 {
        return Err(element.error("the range of a ball joint starts at 0"));
    }
    if low >= high {
        return Err(element.error(format!("the lower limit {low} is not below the upper limit {high}")));
    }
    let convert = |x: f64| if kind == JointKind::Slide { x } else { compiler.radians(x) };
    Ok(Some([convert(low), convert(high)]))
}

fn springdamper(cascade: &Cascade<'_>) -> Result<Option<[f64; 2]>, FormatError> {
    match cascade.array("springdamper")? {
        None | Some([0.0, 0.0]) => Ok(None),
        Some(values) if values.iter().all(|value| *value > 0.0) => Ok(Some(values)),
        Some(_) => Err(cascade.own().error("both numbers of \"springdamper\" must be above 0")),
    }
}

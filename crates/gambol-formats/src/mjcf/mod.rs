//! MJCF, the format of MuJoCo and gambol's own creature format.
//!
//! The stages are MuJoCo's: includes, compiler settings, default classes and assets, then the tree of bodies, then
//! what refers to it. What is read, left out on purpose and not supported is listed in `docs/formats.md`.

mod assets;
mod compiler;
mod defaults;
mod fuse;
mod geom;
mod include;
mod joint;
mod keys;
mod links;
mod mass;
mod orient;
mod source;
mod springs;
mod tree;
pub(crate) mod write;

use std::collections::HashSet;

use gambol_model::{BodySpec, CreatureSpec, InertiaSpec, Vec3};

use self::links::Links;
use self::source::Library;
use self::tree::{Walk, body_mass};
use crate::notes::Notes;
use crate::xml::{Document, Element};
use crate::{Files, FormatError, LoadOptions};

/// Reads a creature from an MJCF document.
pub(crate) fn read(
    files: &dyn Files,
    document: Document,
    options: &LoadOptions,
) -> Result<CreatureSpec, FormatError> {
    let library = Library::read(files, document)?;
    let sources = library.sources()?;
    let root = sources[0].document.root();
    let mut notes = Notes::new(options.strict);
    check_sections(root, &mut notes)?;

    let mut tree = Walk::run(files, &library, &sources, &mut notes)?;
    for body in tree.bodies.iter_mut().skip(1) {
        body.finish(&sources[body.source]);
    }
    fuse::fuse(&mut tree, &sources);
    let mut spec = CreatureSpec::new(root.text("model").unwrap_or(assets::stem(sources[0].document.file())));
    let mut springdampers = Vec::with_capacity(tree.bodies.len());
    spec.bodies.clear();
    for body in tree.bodies {
        springdampers.push(body.springdampers);
        spec.bodies.push(body.spec);
    }
    set_total_mass(&mut spec.bodies, sources[0].compiler.total_mass);
    name_the_nameless(&mut spec.bodies);
    Links::new(&mut spec, &tree.names, &sources, &mut notes).read(&tree.instances)?;
    springs::settle(&mut spec.bodies, &springdampers);
    apply_options(root, &mut spec, &mut notes)?;
    spec.poses = keys::read(root, &spec.bodies, &mut notes)?;
    for document in library.documents() {
        document.unread().into_iter().for_each(|warning| notes.push(warning));
    }
    spec.warnings = notes.warnings;
    Ok(spec)
}

/// Tells of sections that are unknown or that would change the motion.
fn check_sections(root: Element<'_>, notes: &mut Notes) -> Result<(), FormatError> {
    for section in root.children() {
        match section.tag() {
            "compiler" | "option" | "default" | "asset" | "worldbody" | "tendon" | "equality" | "actuator"
            | "keyframe"
            // and, since nothing of this moves a body by itself:
            | "size" | "visual" | "statistic" | "contact" | "sensor" | "custom" | "extension" => {}
            "deformable" => {
                if let Some(flex) = section.children_named("flex").next() {
                    notes.unsupported(flex, "soft bodies (flex) are not supported and were left out")?;
                }
            }
            _ => notes.unknown(section)?,
        }
    }
    Ok(())
}

/// Scales all masses so that they sum up to `total`, if this is above zero.
fn set_total_mass(bodies: &mut [BodySpec], total: f64) {
    let masses: Vec<_> = bodies.iter().map(body_mass).collect();
    let sum: f64 = masses.iter().skip(1).map(|mass| mass.mass).sum();
    if total <= 0.0 || sum <= 0.0 {
        return;
    }
    for (body, mass) in bodies.iter_mut().zip(masses).skip(1) {
        body.inertia = InertiaSpec::Given(mass.scaled(total / sum));
    }
}

/// Bodies and joints without a name get one that no other has: `body 7`, `joint 12`.
fn name_the_nameless(bodies: &mut [BodySpec]) {
    let mut taken: HashSet<String> = bodies.iter().map(|body| body.name.clone()).collect();
    for (index, body) in bodies.iter_mut().enumerate().filter(|(_, body)| body.name.is_empty()) {
        body.name = free_name("body", index, &mut taken);
    }
    let joints = || bodies.iter().flat_map(|body| &body.joints);
    let mut taken: HashSet<String> = joints().map(|joint| joint.name.clone()).collect();
    for (index, joint) in bodies.iter_mut().flat_map(|body| &mut body.joints).enumerate() {
        if joint.name.is_empty() {
            joint.name = free_name("joint", index, &mut taken);
        }
    }
}

/// `kind index`, with dashes behind it until nobody has that name.
pub(crate) fn free_name(kind: &str, index: usize, taken: &mut HashSet<String>) -> String {
    let mut name = format!("{kind} {index}");
    while !taken.insert(name.clone()) {
        name.push('\'');
    }
    name
}

/// `<option>`: gravity, and parts of the physics that are switched off.
fn apply_options(root: Element<'_>, spec: &mut CreatureSpec, notes: &mut Notes) -> Result<(), FormatError> {
    for option in root.children_named("option") {
        if let Some(gravity) = option.vec3("gravity")? {
            spec.gravity = gravity;
        }
        for name in ["density", "viscosity"] {
            if option.f64(name)?.is_some_and(|value| value > 0.0) {
                notes.unsupported(option, "the drag of air or water is not supported and was left out")?;
            }
        }
        option.ignore_rest();
    }
    let is_off = |name: &str| -> Result<bool, FormatError> {
        let mut off = false;
        for flag in root.children_named("option").flat_map(|option| option.children_named("flag")) {
            let enabled = flag.keyword(name, &[("disable", false), ("enable", true)])?;
            off = enabled.map_or(off, |enabled| !enabled);
            flag.ignore_rest();
        }
        Ok(off)
    };
    if is_off("gravity")? {
        spec.gravity = Vec3::zeros();
    }
    let constraints_off = is_off("constraint")?;
    if constraints_off || is_off("equality")? {
        spec.constraints.clear();
    }
    let (no_springs, no_dampers) = (is_off("spring")?, is_off("damper")?);
    let no_limits = constraints_off || is_off("limit")?;
    for joint in spec.bodies.iter_mut().flat_map(|body| &mut body.joints) {
        joint.stiffness = if no_springs { 0.0 } else { joint.stiffness };
        joint.damping = if no_dampers { 0.0 } else { joint.damping };
        joint.limit = joint.limit.filter(|_| !no_limits);
    }
    for tendon in &mut spec.tendons {
        tendon.stiffness = if no_springs { 0.0 } else { tendon.stiffness };
        tendon.damping = if no_dampers { 0.0 } else { tendon.damping };
    }
    Ok(())
}

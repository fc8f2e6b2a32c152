//! The tree of bodies: a walk over `<worldbody>` with a stack of its own, so that depth costs no call stack.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use gambol_model::{BodySpec, InertiaSpec, JointKind, MassProperties, ShapeSpec, SiteSpec, Transform};

use super::compiler::FromGeoms;
use super::defaults::{ClassId, MAIN};
use super::geom;
use super::joint::{self, Joint};
use super::mass::{self, Axes, Inertial, corrected, principal_axes};
use super::orient::{euler, own_pose, transform};
use super::source::{Library, Source};
use crate::notes::Notes;
use crate::xml::Element;
use crate::{Files, FormatError};

/// Most bodies of a creature.
pub(crate) const MAX_BODIES: usize = 200_000;
/// Most elements of the tree after all copies are made, so that a few nested `<replicate>` cannot fill the memory.
const MAX_ELEMENTS: usize = 2_000_000;
/// Models attached to models attached to models …
const MAX_ATTACH_DEPTH: usize = 50;

/// A body on its way to a [`BodySpec`].
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) spec: BodySpec,
    /// Which model it comes from.
    pub(crate) source: usize,
    pub(crate) springdampers: Vec<Option<[f64; 2]>>,
    pub(crate) children: usize,
    /// It may become part of its parent.
    pub(crate) fusible: bool,
    /// It has an `<inertial>`, which may stand behind its geoms.
    explicit: bool,
    inertial: Option<Inertial>,
    /// Mass and principal axes of its geoms, alike `spec.shapes`.
    pieces: Vec<(MassProperties, Transform)>,
    align: Option<bool>,
}

/// Where the names of the file lead.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) bodies: HashMap<String, usize>,
    /// Body, and number among its joints.
    pub(crate) joints: HashMap<String, (usize, usize)>,
    /// Body, and pose in it.
    pub(crate) sites: HashMap<String, (usize, Transform)>,
    geoms: HashSet<String>,
    /// Names inside of `<replicate>`, and the ends that its copies add to them.
    pub(crate) copies: HashMap<String, Vec<String>>,
}

/// A model that was attached, or the main one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    pub(crate) source: usize,
    pub(crate) prefix: String,
}

/// What the walk found.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) bodies: Vec<Draft>,
    pub(crate) names: Names,
    pub(crate) instances: Vec<Instance>,
}

/// Where the walk is.
#[derive(Clone, Debug)]
struct Context {
    source: usize,
    /// Class of elements that name none.
    class: ClassId,
    body: usize,
    /// Pose of the frames around, in the body.
    body_from_frame: Transform,
    prefix: Rc<str>,
    suffix: Rc<str>,
    attach_depth: usize,
    /// Directly inside of a `<replicate>`, where joints cannot stand.
    replicated: bool,
}

/// What is left to do.
enum Task<'d> {
    /// This element and those after it.
    Siblings(Element<'d>, Rc<Context>),
    /// One element alone.
    One(Element<'d>, Rc<Context>),
    /// The rest of the copies of a `<replicate>`.
    Copies(Replicate<'d>),
}

struct Replicate<'d> {
    element: Element<'d>,
    context: Rc<Context>,
    count: usize,
    next: usize,
    separator: &'d str,
    offset: gambol_model::Vec3,
    angles: [f64; 3],
    /// Position of the next copy.
    position: gambol_model::Vec3,
}

/// The walk.
pub(crate) struct Walk<'a, 'd> {
    files: &'a dyn Files,
    library: &'d Library,
    sources: &'a [Source<'d>],
    notes: &'a mut Notes,
    tree: Tree,
    tasks: Vec<Task<'d>>,
    elements: usize,
}

impl<'a, 'd> Walk<'a, 'd> {
    /// Walks over the main model and all that it attaches.
    pub(crate) fn run(
        files: &'a dyn Files,
        library: &'d Library,
        sources: &'a [Source<'d>],
        notes: &'a mut Notes,
    ) -> Result<Tree, FormatError> {
        let root = sources[0].document.root();
        let mut world = Draft::new(BodySpec::new("world"), 0);
        world.fusible = false;
        let mut names = Names::default();
        names.bodies.insert("world".to_owned(), 0);
        let main = Instance { source: 0, prefix: String::new() };
        let tree = Tree { bodies: vec![world], names, instances: vec![main] };
        let mut walk = Self { files, library, sources, notes, tree, tasks: Vec::new(), elements: 0 };
        for section in root.children_named("worldbody") {
            if let Some(first) = section.first_child() {
                walk.tasks.push(Task::Siblings(first, Rc::new(Context::world())));
                walk.work()?;
            }
        }
        Ok(walk.tree)
    }

    fn work(&mut self) -> Result<(), FormatError> {
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Siblings(element, context) => {
                    if let Some(next) = element.next() {
                        self.tasks.push(Task::Siblings(next, Rc::clone(&context)));
                    }
                    self.element(element, &context)?;
                }
                Task::One(element, context) => self.element(element, &context)?,
                Task::Copies(replicate) => self.copy(replicate),
            }
        }
        Ok(())
    }

    fn element(&mut self, element: Element<'d>, context: &Rc<Context>) -> Result<(), FormatError> {
        self.elements += 1;
        if self.elements > MAX_ELEMENTS {
            return Err(element.error(format!("more than {MAX_ELEMENTS} elements, copies included")));
        }
        match element.tag() {
            "body" => self.body(element, context),
            "frame" => self.frame(element, context),
            "replicate" => self.replicate(element, context),
            "attach" => self.attach(element, context),
            "inertial" => self.inertial(element, context),
            "joint" | "freejoint" => self.joint(element, context),
            "geom" => self.geom(element, context),
            "site" => self.site(element, context),
            "camera" | "light" => Ok(()),
            "composite" | "flexcomp" => {
                self.notes.unsupported(element, "soft bodies (flex) are not supported and were left out")
            }
            "plugin" => self.notes.unsupported(element, "plugins are not supported and were left out"),
            _ => self.notes.unknown(element),
        }
    }

    fn push_children(&mut self, element: Element<'d>, context: Context) {
        if let Some(first) = element.first_child() {
            self.tasks.push(Task::Siblings(first, Rc::new(context)));
        }
    }

    fn source(&self, context: &Context) -> &'a Source<'d> {
        &self.sources[context.source]
    }

    /// The class that `childclass` names, else the one around.
    fn child_class(&self, element: Element<'d>, context: &Context) -> Result<ClassId, FormatError> {
        let classes = &self.source(context).classes;
        let own = classes.named(element, "class")?.unwrap_or(context.class);
        Ok(classes.named(element, "childclass")?.unwrap_or(own))
    }

    fn body(&mut self, element: Element<'d>, context: &Rc<Context>) -> Result<(), FormatError> {
        let index = self.tree.bodies.len();
        if index > MAX_BODIES {
            return Err(element.error(format!("more than {MAX_BODIES} bodies")));
        }
        let class = self.child_class(element, context)?;
        let pose = context.body_from_frame * own_pose(element, &self.source(context).compiler)?;
        let mut draft = Draft::new(BodySpec::new(""), context.source);
        draft.spec.parent = context.body;
        draft.spec.parent_from_body = pose;
        draft.spec.name = context.name(element);
        draft.explicit = has_inertial(element);
        if !draft.spec.name.is_empty() {
            self.remember_copy("body", element, context);
            let name = draft.spec.name.clone();
            if self.tree.names.bodies.insert(name, index).is_some() {
                return Err(taken(element, "body", &draft.spec.name));
            }
        }
        if element.f64("gravcomp")?.is_some_and(|factor| factor != 0.0) {
            self.notes.unsupported(
                element,
                "gravity compensation (\"gravcomp\") is not supported and was left out",
            )?;
        }
        let mocap = element.bool("mocap")?.unwrap_or(false);
        let sleeps = element.text("sleep").is_some_and(|policy| policy != "auto");
        let plugin = element.children().any(|child| child.tag() == "plugin");
        draft.fusible = !mocap && !sleeps && !plugin && element.text("fuse") != Some("false");
        element.ignore(&["simple", "user"]);
        self.tree.bodies[context.body].children += 1;
        self.tree.bodies.push(draft);
        let inside = Context {
            class,
            body: index,
            body_from_frame: Transform::identity(),
            replicated: false,
            ..Context::clone(context)
        };
        self.push_children(element, inside);
        Ok(())
    }

    fn frame(&mut self, element: Element<'d>, context: &Rc<Context>) -> Result<(), FormatError> {
        let class = self.child_class(element, context)?;
        let pose = own_pose(element, &self.source(context).compiler)?;
        element.ignore(&["name"]);
        let inside =
            Context { class, body_from_frame: context.body_from_frame * pose, ..Context::clone(context) };
        self.push_children(element, inside);
        Ok(())
    }

    fn replicate(&mut self, element: Element<'d>, context: &Rc<Context>) -> Result<(), FormatError> {
        let count =
            element.int("count")?.ok_or_else(|| element.error("the attribute \"count\" is missing"))?;
        let count = usize::try_from(count).ok().filter(|count| (1..=MAX_ELEMENTS).contains(count));
        let count =
            count.ok_or_else(|| element.error(format!("\"count\" is not between 1 and {MAX_ELEMENTS}")))?;
        let class = self.child_class(element, context)?;
        let replicate = Replicate {
            element,
            context: Rc::new(Context { class, replicated: true, ..Context::clone(context) }),
            count,
            next: 0,
            separator: element.text("sep").unwrap_or(""),
            offset: element.vec3("offset")?.unwrap_or_default(),
            angles: element.array("euler")?.unwrap_or_default(),
            position: gambol_model::Vec3::zeros(),
        };
        self.tasks.push(Task::Copies(replicate));
        Ok(())
    }

    /// Copy `next` of a replicate; the later ones wait below it.
    fn copy(&mut self, mut replicate: Replicate<'d>) {
        let compiler = &self.source(&replicate.context).compiler;
        let turned = replicate.angles.map(|angle| angle * replicate.next as f64);
        let pose = transform(replicate.position, euler(turned, compiler));
        let width = replicate.count.to_string().len();
        let suffix = format!("{}{:0width$}{}", replicate.separator, replicate.next, replicate.context.suffix);
        let context = Context {
            body_from_frame: replicate.context.body_from_frame * pose,
            suffix: suffix.into(),
            ..Context::clone(&replicate.context)
        };
        // Each copy is placed in the frame of the one before.
        replicate.position += pose.rotation * replicate.offset;
        replicate.next += 1;
        let element = replicate.element;
        if replicate.next < replicate.count {
            self.tasks.push(Task::Copies(replicate));
        }
        self.push_children(element, context);
    }

    fn inertial(&mut self, element: Element<'d>, context: &Context) -> Result<(), FormatError> {
        if context.body == 0 {
            return Err(element.error("the world has no inertia"));
        }
        let inertial = mass::read(element, &self.source(context).compiler, &context.body_from_frame)?;
        self.tree.bodies[context.body].inertial = Some(inertial);
        Ok(())
    }

    fn joint(&mut self, element: Element<'d>, context: &Context) -> Result<(), FormatError> {
        if context.body == 0 {
            return Err(element.error("the world cannot have joints"));
        }
        if context.replicated {
            return Err(element.error("a joint cannot stand directly in <replicate>; put it in a body"));
        }
        let source = self.source(context);
        let Joint { mut spec, springdamper, align } = if element.tag() == "freejoint" {
            joint::read_free(element)?
        } else {
            let cascade = source.classes.cascade(element, context.class)?;
            joint::read(&cascade, &source.compiler, &context.body_from_frame, self.notes)?
        };
        spec.name = context.name(element);
        if spec.kind == JointKind::Free && self.tree.bodies[context.body].spec.parent != 0 {
            return Err(element.error("a free joint can only move a body that stands directly in the world"));
        }
        if !spec.name.is_empty() {
            self.remember_copy("joint", element, context);
            let place = (context.body, self.tree.bodies[context.body].spec.joints.len());
            if self.tree.names.joints.insert(spec.name.clone(), place).is_some() {
                return Err(taken(element, "joint", &spec.name));
            }
        }
        let body = &mut self.tree.bodies[context.body];
        body.align = body.align.or(align);
        body.spec.joints.push(spec);
        body.springdampers.push(springdamper);
        Ok(())
    }

    fn geom(&mut self, element: Element<'d>, context: &Context) -> Result<(), FormatError> {
        let source = self.source(context);
        let cascade = source.classes.cascade(element, context.class)?;
        let name = context.name(element);
        if !name.is_empty() && !self.tree.names.geoms.insert(name.clone()) {
            return Err(taken(element, "geom", &name));
        }
        let explicit = self.tree.bodies[context.body].explicit;
        let inferred = context.body != 0 && infers(source.compiler.from_geoms, explicit);
        let read = geom::read(self.files, source, &cascade, &context.body_from_frame, inferred, self.notes)?;
        if let Some(mut geom) = read {
            geom.spec.name = name;
            let body = &mut self.tree.bodies[context.body];
            body.spec.shapes.push(geom.spec);
            body.pieces.push((geom.mass, geom.body_from_axes));
        }
        Ok(())
    }

    fn site(&mut self, element: Element<'d>, context: &Context) -> Result<(), FormatError> {
        let source = self.source(context);
        let cascade = source.classes.cascade(element, context.class)?;
        let body_from_site = context.body_from_frame * geom::read_site(source, &cascade)?;
        let name = context.name(element);
        if !name.is_empty() {
            self.remember_copy("site", element, context);
            if self.tree.names.sites.insert(name.clone(), (context.body, body_from_site)).is_some() {
                return Err(taken(element, "site", &name));
            }
        }
        self.tree.bodies[context.body].spec.sites.push(SiteSpec { name, body_from_site });
        Ok(())
    }

    /// `<attach>`: a body, a frame or all of another model (or of this one) stands here, with a prefix to its names.
    fn attach(&mut self, element: Element<'d>, context: &Rc<Context>) -> Result<(), FormatError> {
        if context.attach_depth >= MAX_ATTACH_DEPTH {
            return Err(
                element.error(format!("models are attached to each other more than {MAX_ATTACH_DEPTH} deep"))
            );
        }
        let source = match element.text("model") {
            Some(name) => self.library.model(context.source, name),
            None => Some(context.source),
        };
        let Some(source) = source else {
            return Err(
                element.error(format!("there is no model {:?}", element.text("model").unwrap_or_default()))
            );
        };
        let prefix: Rc<str> = format!("{}{}", context.prefix, element.required("prefix")?).into();
        let inside = Context {
            source,
            class: MAIN,
            prefix: Rc::clone(&prefix),
            attach_depth: context.attach_depth + 1,
            ..Context::clone(context)
        };
        let root = self.sources[source].document.root();
        let part = ["body", "frame"].into_iter().find_map(|tag| element.text(tag).map(|name| (tag, name)));
        match part {
            Some((tag, name)) => {
                let found = find(root, tag, name).ok_or_else(|| {
                    element.error(format!("there is no {tag} {name:?} in the model to attach"))
                })?;
                let class = self.class_around(source, found)?;
                self.tasks.push(Task::One(found, Rc::new(Context { class, ..inside })));
            }
            None if source == context.source => {
                return Err(
                    element.error("\"body\" or \"frame\" is missing: a model cannot be attached to itself")
                );
            }
            None => {
                let sections: Vec<_> =
                    root.children_named("worldbody").filter_map(Element::first_child).collect();
                let inside = Rc::new(inside);
                let tasks = sections.into_iter().rev().map(|first| Task::Siblings(first, Rc::clone(&inside)));
                self.tasks.extend(tasks);
            }
        }
        if root.children_named("keyframe").next().is_some() && source != context.source {
            self.notes.once(element, "keyframes of attached models are not read");
        }
        let instance = Instance { source, prefix: prefix.to_string() };
        if !self.tree.instances.contains(&instance) {
            self.tree.instances.push(instance);
        }
        Ok(())
    }

    /// The class that holds for the children of an element's parent.
    fn class_around(&self, source: usize, element: Element<'d>) -> Result<ClassId, FormatError> {
        let classes = &self.sources[source].classes;
        let mut around = element.parent();
        while let Some(parent) = around {
            if let Some(class) = classes.named(parent, "childclass")? {
                return Ok(class);
            }
            around = parent.parent();
        }
        Ok(MAIN)
    }

    fn remember_copy(&mut self, kind: &str, element: Element<'d>, context: &Context) {
        if context.suffix.is_empty() {
            return;
        }
        let name = element.text("name").unwrap_or_default();
        let key = format!("{kind} {}{name}", context.prefix);
        self.tree.names.copies.entry(key).or_default().push(context.suffix.to_string());
    }
}

impl Context {
    fn world() -> Self {
        Self {
            source: 0,
            class: MAIN,
            body: 0,
            body_from_frame: Transform::identity(),
            prefix: "".into(),
            suffix: "".into(),
            attach_depth: 0,
            replicated: false,
        }
    }

    /// The full name of an element, or nothing if it has none.
    fn name(&self, element: Element<'_>) -> String {
        match element.text("name") {
            Some(name) if !name.is_empty() => format!("{}{name}{}", self.prefix, self.suffix),
            _ => String::new(),
        }
    }
}

fn taken(element: Element<'_>, kind: &str, name: &str) -> FormatError {
    element.error(format!("another {kind} has the name {name:?}"))
}

/// The element with this tag and name somewhere in the `<worldbody>` of a model.
fn find<'d>(root: Element<'d>, tag: &str, name: &str) -> Option<Element<'d>> {
    let mut waiting: Vec<Element<'d>> = root.children_named("worldbody").collect();
    while let Some(element) = waiting.pop() {
        if element.tag() == tag && element.text("name") == Some(name) {
            return Some(element);
        }
        waiting
            .extend(element.children().filter(|child| matches!(child.tag(), "body" | "frame" | "replicate")));
    }
    None
}

/// Whether a body has an `<inertial>`, perhaps in a frame.
fn has_inertial(body: Element<'_>) -> bool {
    let mut waiting = vec![body];
    while let Some(element) = waiting.pop() {
        for child in element.children() {
            match child.tag() {
                "inertial" => return true,
                "frame" => waiting.push(child),
                _ => {}
            }
        }
    }
    false
}

fn infers(from_geoms: FromGeoms, explicit: bool) -> bool {
    match from_geoms {
        FromGeoms::Always => true,
        FromGeoms::Auto => !explicit,
        FromGeoms::Never => false,
    }
}

impl Draft {
    fn new(spec: BodySpec, source: usize) -> Self {
        Self {
            spec,
            source,
            springdampers: Vec::new(),
            children: 0,
            fusible: true,
            explicit: false,
            inertial: None,
            pieces: Vec::new(),
            align: None,
        }
    }

    /// Settles mass, inertia and, for a lone free body, its frame.
    pub(crate) fn finish(&mut self, source: &Source<'_>) {
        let compiler = &source.compiler;
        let inferred = infers(compiler.from_geoms, self.explicit);
        let (mut mass, body_from_axes) = match &self.inertial {
            Some(inertial) if !inferred => (inertial.mass, inertial.body_from_axes),
            _ if inferred => self.mass_of_shapes(),
            _ => (MassProperties::default(), Transform::identity()),
        };
        if mass.mass == 0.0 && self.inertial.is_none() {
            // MuJoCo puts the centre of a body without any mass there, which counts if the mass is bounded below.
            let here = self.spec.parent_from_body;
            let lone = self.spec.shapes.iter().filter(|shape| shape.massive).count() == 0;
            mass.com = if lone { here.translation.vector } else { mass.com };
        }
        let fixed = corrected(&mass, compiler);
        let mass = fixed.unwrap_or(mass);
        if fixed.is_some() || !inferred || !nearly_equal(&mass, &self.mass()) {
            self.spec.inertia = InertiaSpec::Given(mass);
        }
        if self.aligns(compiler.align_free) {
            self.align_to(&body_from_axes, &mass);
        }
    }

    /// Mass from geoms, and the principal axes as MuJoCo picks them: those of the geom if it is the only one.
    fn mass_of_shapes(&self) -> (MassProperties, Transform) {
        let counts = self.spec.shapes.iter().map(|shape| shape.massive);
        let pieces: Vec<_> =
            self.pieces.iter().zip(counts).filter(|(_, counts)| *counts).map(|(p, _)| *p).collect();
        if let [only] = pieces[..] {
            return only;
        }
        let sum = MassProperties::sum(&pieces.iter().map(|(mass, _)| *mass).collect::<Vec<_>>());
        (sum, principal_axes(&sum, Axes::Exact).0)
    }

    fn aligns(&self, by_default: bool) -> bool {
        let lone =
            self.children == 0 && matches!(&self.spec.joints[..], [joint] if joint.kind == JointKind::Free);
        lone && self.align.unwrap_or(by_default)
    }

    /// Moves the body frame to the centre of mass and the principal axes.
    fn align_to(&mut self, body_from_axes: &Transform, mass: &MassProperties) {
        let axes_from_body = body_from_axes.inverse();
        self.spec.parent_from_body *= body_from_axes;
        for shape in &mut self.spec.shapes {
            shape.body_from_shape = axes_from_body * shape.body_from_shape;
        }
        for site in &mut self.spec.sites {
            site.body_from_site = axes_from_body * site.body_from_site;
        }
        if matches!(self.spec.inertia, InertiaSpec::Given(_)) {
            self.spec.inertia = InertiaSpec::Given(mass.transformed(&axes_from_body));
        }
    }

    /// Mass properties in the body frame as they stand now.
    pub(crate) fn mass(&self) -> MassProperties {
        body_mass(&self.spec)
    }
}

/// Whether two masses agree so well that it does not matter which is used.
fn nearly_equal(a: &MassProperties, b: &MassProperties) -> bool {
    let close = 1e-13;
    (a.inertia - b.inertia).amax() <= close * b.inertia.amax() && (a.mass - b.mass).abs() <= close * b.mass
}

/// Mass properties of a described body, in its frame.
pub(crate) fn body_mass(body: &BodySpec) -> MassProperties {
    match &body.inertia {
        InertiaSpec::Given(mass) => *mass,
        InertiaSpec::FromShapes => {
            let pieces: Vec<_> =
                body.shapes.iter().filter(|shape| shape.massive).map(ShapeSpec::mass_properties).collect();
            MassProperties::sum(&pieces)
        }
    }
}

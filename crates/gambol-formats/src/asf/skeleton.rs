//! The skeleton of an ASF file.

use std::collections::HashMap;

use gambol_anatomy::recording::{Channel, ChannelKind, RecordedJoint};
use gambol_model::{Quat, Vec3, Warning};
use nalgebra::Unit;

use super::{Text, lines};
use crate::FormatError;
use crate::mocap::{MAX_JOINTS, axis, number, shorten, z_up};

/// Inch, m: what CMU's lengths are in after division by the `length` of the units.
const INCH: f64 = 0.0254;
/// Name of the joint that floats.
const ROOT: &str = "root";

/// A skeleton and what its motion file will say of it.
pub(super) struct Asf {
    /// Parents first.
    pub(super) joints: Vec<RecordedJoint>,
    /// For each bone that has numbers in a motion file: first column and how many.
    pub(super) numbers: HashMap<String, [usize; 2]>,
    /// Numbers per frame.
    pub(super) columns: usize,
    /// Per column: it is an angle.
    pub(super) is_turn: Vec<bool>,
    /// Angles are degrees unless the motion says otherwise.
    pub(super) degrees: bool,
    /// Length of the unit as the file says it, m.
    pub(super) unit: Option<f64>,
    pub(super) warnings: Vec<Warning>,
}

/// What the file says of a bone.
#[derive(Default)]
struct Bone {
    name: String,
    line: u32,
    direction: Vec3,
    length: f64,
    axes: Option<Axes>,
    dofs: Vec<Dof>,
    limits: Vec<f64>,
}

/// Three angles as the file has them, and the order in which they act.
struct Axes {
    angles: [f64; 3],
    order: Vec<Vec3>,
}

#[derive(Clone, Copy)]
enum Dof {
    Move(ChannelKind, Vec3),
    /// The bone's length, which no body of ours changes.
    Length,
}

/// The part of the file that is being read.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Units,
    Root,
    Bones,
    Hierarchy,
    Other,
}

struct Reader<'t> {
    file: &'t str,
    /// The root, then all bones.
    bones: Vec<Bone>,
    index: HashMap<String, usize>,
    /// Per bone.
    parents: Vec<Option<usize>>,
    length: Option<f64>,
    degrees: bool,
    position: Vec3,
}

impl Asf {
    pub(super) fn read(asf: Text<'_>, strict: bool) -> Result<Self, FormatError> {
        let mut reader = Reader {
            file: asf.file,
            bones: vec![Bone { name: ROOT.to_owned(), ..Bone::default() }],
            index: HashMap::from([(ROOT.to_owned(), 0)]),
            parents: vec![None],
            length: None,
            degrees: true,
            position: Vec3::zeros(),
        };
        reader.read(asf.text)?;
        reader.finish(strict)
    }
}

impl Reader<'_> {
    fn error(&self, line: u32, reason: impl Into<String>) -> FormatError {
        FormatError::new(self.file, reason).at_line(line)
    }

    fn numbers<const N: usize>(&self, line: u32, words: &[&str]) -> Result<[f64; N], FormatError> {
        let Some(words) = words.get(1..=N) else {
            return Err(self.error(line, format!("{:?} needs {N} numbers", shorten(words[0]))));
        };
        let mut numbers = [0.0; N];
        for (number, word) in numbers.iter_mut().zip(words) {
            *number = self.number(line, word)?;
        }
        Ok(numbers)
    }

    fn number(&self, line: u32, word: &str) -> Result<f64, FormatError> {
        number(word).map_err(|reason| self.error(line, reason))
    }

    fn read(&mut self, text: &str) -> Result<(), FormatError> {
        let mut section = Section::Other;
        let (mut bone, mut known_sections, mut last_line) = (None, 0, 0);
        for (line, words) in lines(text) {
            last_line = line;
            if let Some(name) = words[0].strip_prefix(':') {
                section = match name.to_ascii_lowercase().as_str() {
                    "units" => Section::Units,
                    "root" => Section::Root,
                    "bonedata" => Section::Bones,
                    "hierarchy" => Section::Hierarchy,
                    _ => Section::Other,
                };
                known_sections += u32::from(section != Section::Other);
                continue;
            }
            match section {
                Section::Units => self.unit(line, &words)?,
                Section::Root => self.root(line, &words)?,
                Section::Bones => self.bone(line, &words, &mut bone)?,
                Section::Hierarchy => self.branch(line, &words)?,
                Section::Other => {}
            }
        }
        if known_sections == 0 {
            return Err(FormatError::new(
                self.file,
                "this is no ASF file: it has no :bonedata and no :hierarchy",
            ));
        }
        if let Some(Bone { line, .. }) = bone {
            return Err(
                self.error(line, format!("the bone that begins here has no end up to line {last_line}"))
            );
        }
        Ok(())
    }

    fn unit(&mut self, line: u32, words: &[&str]) -> Result<(), FormatError> {
        match words[0].to_ascii_lowercase().as_str() {
            "length" => {
                let [length] = self.numbers(line, words)?;
                if length <= 0.0 {
                    return Err(self.error(line, format!("a unit of length {length} is not above 0")));
                }
                self.length = Some(length);
            }
            "angle" => {
                self.degrees = !words.get(1).is_some_and(|word| word.to_ascii_lowercase().starts_with("rad"));
            }
            _ => {}
        }
        Ok(())
    }

    fn root(&mut self, line: u32, words: &[&str]) -> Result<(), FormatError> {
        match words[0].to_ascii_lowercase().as_str() {
            "order" => self.bones[0].dofs = self.dofs(line, &words[1..])?,
            "position" => {
                let [x, y, z] = self.numbers(line, words)?;
                self.position = z_up(x, y, z);
            }
            "axis" => {
                let order = self.order(line, words.get(1).copied().unwrap_or_default())?;
                self.bones[0].axes.get_or_insert_with(Axes::none).order = order;
            }
            "orientation" => {
                let angles = self.numbers(line, words)?;
                self.bones[0].axes.get_or_insert_with(Axes::none).angles = angles;
            }
            _ => {}
        }
        Ok(())
    }

    fn bone(&mut self, line: u32, words: &[&str], open: &mut Option<Bone>) -> Result<(), FormatError> {
        let key = words[0].to_ascii_lowercase();
        let Some(bone) = open else {
            if key != "begin" {
                return Err(self.error(line, format!("{:?} where begin should be", shorten(words[0]))));
            }
            *open = Some(Bone { line, ..Bone::default() });
            return Ok(());
        };
        match key.as_str() {
            "end" => {
                if let Some(bone) = open.take() {
                    self.add(bone)?;
                }
            }
            "name" => words.get(1).copied().unwrap_or_default().clone_into(&mut bone.name),
            "direction" => {
                let [x, y, z] = self.numbers(line, words)?;
                bone.direction = z_up(x, y, z);
            }
            "length" => {
                let [length] = self.numbers(line, words)?;
                if length < 0.0 {
                    return Err(self.error(line, format!("a bone of length {length}")));
                }
                bone.length = length;
            }
            "axis" => {
                let angles = self.numbers(line, words)?;
                let order = self.order(line, words.get(4).copied().unwrap_or("XYZ"))?;
                bone.axes = Some(Axes { angles, order });
            }
            "dof" => bone.dofs = self.dofs(line, &words[1..])?,
            "limits" => self.limits(line, &words[1..], bone)?,
            "id" | "bodymass" | "cofmass" | "begin" => {}
            // More limits, below the first.
            _ if !bone.limits.is_empty() => self.limits(line, words, bone)?,
            _ => return Err(self.error(line, format!("a bone has no {:?}", shorten(words[0])))),
        }
        Ok(())
    }

    fn limits(&self, line: u32, words: &[&str], bone: &mut Bone) -> Result<(), FormatError> {
        for word in words {
            let endless = word.trim_start_matches(['-', '+']).eq_ignore_ascii_case("inf");
            bone.limits.push(if endless { f64::INFINITY } else { self.number(line, word)? });
        }
        if bone.limits.len() > 2 * bone.dofs.len() {
            let reason = format!("the limits of bone {:?} are more than its dof", shorten(&bone.name));
            return Err(self.error(line, reason));
        }
        Ok(())
    }

    fn add(&mut self, bone: Bone) -> Result<(), FormatError> {
        let line = bone.line;
        if bone.name.is_empty() {
            return Err(self.error(line, "the bone that begins here has no name"));
        }
        if bone.limits.len() % 2 == 1 {
            return Err(
                self.error(line, format!("a limit of bone {:?} has no upper bound", shorten(&bone.name)))
            );
        }
        if self.bones.len() == MAX_JOINTS {
            return Err(self.error(line, format!("more than {MAX_JOINTS} bones")));
        }
        if self.index.insert(bone.name.clone(), self.bones.len()).is_some() {
            return Err(self.error(line, format!("two bones are called {:?}", shorten(&bone.name))));
        }
        self.bones.push(bone);
        self.parents.push(None);
        Ok(())
    }

    /// `parent child child …`
    fn branch(&mut self, line: u32, words: &[&str]) -> Result<(), FormatError> {
        if words.len() == 1 && ["begin", "end"].iter().any(|word| words[0].eq_ignore_ascii_case(word)) {
            return Ok(());
        }
        let find = |name: &&str| {
            let found = self.index.get(*name).copied();
            found.ok_or_else(|| self.error(line, format!("there is no bone {:?}", shorten(name))))
        };
        let family: Vec<usize> = words.iter().map(find).collect::<Result<_, _>>()?;
        for &child in &family[1..] {
            if child == 0 || self.parents[child].is_some() {
                let reason = format!("bone {:?} would have two parents", shorten(&self.bones[child].name));
                return Err(self.error(line, reason));
            }
            self.parents[child] = Some(family[0]);
        }
        Ok(())
    }

    /// `TX`, `rx`, `l` …
    fn dofs(&self, line: u32, words: &[&str]) -> Result<Vec<Dof>, FormatError> {
        let dof = |word: &&str| {
            let lower = word.to_ascii_lowercase();
            let mut letters = lower.chars();
            match (letters.next(), letters.next().and_then(axis), letters.next()) {
                (Some('l'), None, None) if lower == "l" => Ok(Dof::Length),
                (Some('t'), Some(axis), None) => Ok(Dof::Move(ChannelKind::Shift, axis)),
                (Some('r'), Some(axis), None) => Ok(Dof::Move(ChannelKind::Turn, axis)),
                _ => Err(self
                    .error(line, format!("{:?} is not a dof: tx, ty, tz, rx, ry, rz or l", shorten(word)))),
            }
        };
        if words.len() > 7 {
            return Err(self.error(line, "more than 7 dof"));
        }
        words.iter().map(dof).collect()
    }

    fn order(&self, line: u32, word: &str) -> Result<Vec<Vec3>, FormatError> {
        let axes: Option<Vec<Vec3>> = word.chars().map(axis).collect();
        axes.filter(|axes| axes.len() == 3).ok_or_else(|| {
            self.error(line, format!("{:?} is not an order of axes such as XYZ", shorten(word)))
        })
    }

    /// Bones in an order in which parents come first.
    fn finish(self, strict: bool) -> Result<Asf, FormatError> {
        let mut children = vec![Vec::new(); self.bones.len()];
        for (child, parent) in self.parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(child);
            }
        }
        let mut asf = Asf {
            joints: Vec::new(),
            numbers: HashMap::new(),
            columns: 0,
            is_turn: Vec::new(),
            degrees: self.degrees,
            unit: self.length.map(|length| INCH / length),
            warnings: Vec::new(),
        };
        let mut waiting = vec![(0, None)];
        while let Some((bone, parent)) = waiting.pop() {
            let joint = asf.joints.len();
            waiting.extend(children[bone].iter().rev().map(|&child| (child, Some(joint))));
            let offset = self.parents[bone].map_or(self.position, |parent| self.bones[parent].way());
            let mut new = self.joint(&self.bones[bone], &mut asf, strict)?;
            (new.parent, new.offset) = (parent, offset);
            if children[bone].is_empty() && bone != 0 {
                new.ends.push(self.bones[bone].way());
            }
            asf.joints.push(new);
        }
        let lost = self.bones.len() - asf.joints.len();
        if lost > 0 {
            let reached = |bone: &&Bone| asf.joints.iter().any(|joint| joint.name == bone.name);
            let name = self.bones.iter().find(|bone| !reached(bone)).map_or("", |bone| bone.name.as_str());
            let reason = format!("{lost} bones do not hang from the root, {:?} is one", shorten(name));
            return Err(FormatError::new(self.file, reason));
        }
        Ok(asf)
    }

    /// The joint of a bone, and its columns in a motion.
    fn joint(&self, bone: &Bone, asf: &mut Asf, strict: bool) -> Result<RecordedJoint, FormatError> {
        let axes = bone.axes.as_ref().map_or_else(Quat::identity, |axes| axes.turn(self.degrees));
        let first = asf.columns;
        let mut channels = Vec::new();
        for (k, dof) in bone.dofs.iter().enumerate() {
            asf.is_turn.push(matches!(dof, Dof::Move(ChannelKind::Turn, _)));
            let bounds = bone.limits.get(2 * k..2 * k + 2);
            match *dof {
                Dof::Length if strict => {
                    return Err(self.error(bone.line, "bones that change their length are not supported"));
                }
                Dof::Length => asf.warnings.push(Warning::new(
                    format!("{}:{}", self.file, bone.line),
                    "the changes of the bone's length were ignored",
                )),
                Dof::Move(kind, axis) => channels.push(Channel {
                    kind,
                    // Shifts are along the axes of the parent.
                    axis: if kind == ChannelKind::Shift { axes.inverse() * axis } else { axis },
                    column: first + k,
                    limit: bounds.and_then(|bounds| self.limit(bounds)),
                }),
            }
        }
        // The first of the list acts first: it is the last factor.
        channels.reverse();
        asf.columns += bone.dofs.len();
        if !bone.dofs.is_empty() {
            asf.numbers.insert(bone.name.clone(), [first, bone.dofs.len()]);
        }
        Ok(RecordedJoint {
            name: bone.name.clone(),
            parent: None,
            offset: Vec3::zeros(),
            ends: Vec::new(),
            axes,
            channels,
            whole_place: false,
            fixed: false,
        })
    }

    /// In rad; bounds that are endless or in no order bind nothing.
    fn limit(&self, bounds: &[f64]) -> Option<[f64; 2]> {
        let [low, high] = [0, 1].map(|k| if self.degrees { bounds[k].to_radians() } else { bounds[k] });
        (low.is_finite() && high.is_finite() && low < high).then_some([low, high])
    }
}

impl Bone {
    /// From its start to its end.
    fn way(&self) -> Vec3 {
        self.direction * self.length
    }
}

impl Axes {
    fn none() -> Self {
        Self { angles: [0.0; 3], order: "xyz".chars().filter_map(axis).collect() }
    }

    /// The first of the order acts first.
    fn turn(&self, degrees: bool) -> Quat {
        self.order.iter().zip(self.angles).fold(Quat::identity(), |turn, (axis, angle)| {
            let angle = if degrees { angle.to_radians() } else { angle };
            Quat::from_axis_angle(&Unit::new_unchecked(*axis), angle) * turn
        })
    }
}

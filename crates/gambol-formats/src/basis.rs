//! `.basis`: a mean pose and directions, as JSON, with the names of the joints that they are of. What it holds is in
//! `docs/motion.md`.

use gambol_model::{Creature, JointKind};
use gambol_motion::{Basis, BasisSpec, Direction, JointList, JointMap, Metric};
use nalgebra::DMatrix;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::FormatError;

const FORMAT: &str = "gambol-basis";
const VERSION: u32 = 1;

/// How joints of a file are found in a creature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointMatch {
    /// All of them, in their order.
    Same,
    /// Those of the same names and kinds; others stay as they are.
    ByName,
}

impl JointMatch {
    /// The way from the joints of a file to those of a creature.
    pub(crate) fn map(
        self,
        file: &str,
        joints: &JointList,
        creature: &Creature,
    ) -> Result<JointMap, FormatError> {
        let map = match self {
            Self::Same => joints.same(creature),
            Self::ByName => joints.by_name(creature),
        };
        map.map_err(|error| FormatError::new(file, error.to_string()))
    }
}

#[derive(Serialize, Deserialize)]
struct BasisFile {
    format: String,
    version: u32,
    creature: String,
    joint_names: Vec<String>,
    joint_kinds: Vec<String>,
    mean: Vec<f64>,
    metric: MetricFile,
    dof: usize,
    rigid: usize,
    directions: Vec<DirectionFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "lowercase")]
enum MetricFile {
    Joint,
    Mass,
    Position { shell: f64 },
    Matrix { rows: Vec<Vec<f64>> },
}

#[derive(Serialize, Deserialize)]
struct DirectionFile {
    name: String,
    shape: Vec<f64>,
    /// None: every value is as likely as another.
    spread: Option<f64>,
    omega_squared: Option<f64>,
}

/// A basis of a creature as the text of a `.basis` file.
pub fn to_basis_file(creature: &Creature, basis: &Basis) -> String {
    let direction = |direction: &Direction| DirectionFile {
        name: direction.name.clone(),
        shape: direction.shape.clone(),
        spread: Some(direction.spread).filter(|spread| spread.is_finite()),
        omega_squared: direction.omega_squared,
    };
    let metric = match basis.metric() {
        Metric::Mass => MetricFile::Mass,
        Metric::Position { shell } => MetricFile::Position { shell: *shell },
        Metric::Matrix(w) => {
            MetricFile::Matrix { rows: w.row_iter().map(|row| row.iter().copied().collect()).collect() }
        }
        _ => MetricFile::Joint,
    };
    let file = BasisFile {
        format: FORMAT.to_owned(),
        version: VERSION,
        creature: creature.name().to_owned(),
        joint_names: creature.joints().iter().map(|joint| joint.name.clone()).collect(),
        joint_kinds: creature.joints().iter().map(|joint| joint.kind.name().to_owned()).collect(),
        mean: basis.mean().to_vec(),
        metric,
        dof: basis.dof(),
        rigid: basis.rigid(),
        directions: basis.directions().iter().map(direction).collect(),
    };
    // A struct of numbers and texts has no way to fail.
    serde_json::to_string(&file).unwrap_or_default() + "\n"
}

/// Reads a basis for `creature`; `file` names it in messages.
pub fn from_basis_file(
    file: &str,
    text: &str,
    creature: &Creature,
    joints: JointMatch,
) -> Result<Basis, FormatError> {
    let error = |reason: String| FormatError::new(file, reason);
    let read = parse(file, text)?;
    let map = joints.map(file, &joint_list(file, &read.joint_names, &read.joint_kinds)?, creature)?;
    let same = joints == JointMatch::Same;
    let length = |what: &str| error(format!("{what} has not one number for each coordinate of the joints"));
    let mean = map.pose(creature, &read.mean).ok_or_else(|| length("\"mean\""))?;
    let mut directions = Vec::with_capacity(read.directions.len());
    for direction in read.directions {
        let name = format!("direction {:?}", direction.name);
        let shape = map.velocity(creature, &direction.shape).ok_or_else(|| length(&name))?;
        // What only joints move that the creature has not is no direction of it.
        if !same && shape.iter().all(|x| *x == 0.0) {
            continue;
        }
        let mut own = Direction::new(shape);
        own.name = direction.name;
        own.spread = direction.spread.unwrap_or(f64::INFINITY);
        own.omega_squared = direction.omega_squared;
        directions.push(own);
    }
    let metric = metric(file, read.metric, creature, &map)?;
    let mut spec = BasisSpec::new(mean, metric, directions);
    if same {
        (spec.dof, spec.rigid) = (Some(read.dof), Some(read.rigid));
    }
    Basis::new(creature, spec).map_err(|why| error(why.to_string()))
}

/// Name of the creature that a basis is of; `file` names it in messages.
pub fn creature_of_basis(file: &str, text: &str) -> Result<String, FormatError> {
    parse(file, text).map(|read| read.creature)
}

fn parse(file: &str, text: &str) -> Result<BasisFile, FormatError> {
    parse_versioned(file, text, "basis", FORMAT, VERSION)
}

/// Reads JSON that says what format it is and which version of it, before all else; `noun` is what the user calls it.
pub(crate) fn parse_versioned<T: DeserializeOwned>(
    file: &str,
    text: &str,
    noun: &str,
    format: &str,
    version: u32,
) -> Result<T, FormatError> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
        version: u32,
    }
    let wrong = |error: serde_json::Error| {
        let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
        FormatError::new(file, format!("this is no {noun}: {error}")).at_line(line)
    };
    let head: Head = serde_json::from_str(text).map_err(wrong)?;
    if head.format != format {
        return Err(FormatError::new(file, format!("this is no {noun}: \"format\" is not {format:?}")));
    }
    if head.version != version {
        let reason = format!("version {} of the format; this program reads {version}", head.version);
        return Err(FormatError::new(file, reason));
    }
    serde_json::from_str(text).map_err(wrong)
}

/// The joints that a file names.
pub(crate) fn joint_list(file: &str, names: &[String], kinds: &[String]) -> Result<JointList, FormatError> {
    if names.len() != kinds.len() {
        return Err(FormatError::new(file, "it has not as many kinds of joints as names"));
    }
    let known = [JointKind::Free, JointKind::Ball, JointKind::Hinge, JointKind::Slide];
    let joint = |(name, kind): (&String, &String)| {
        let found = known.into_iter().find(|known| known.name() == kind);
        let found = found.ok_or_else(|| FormatError::new(file, format!("{kind:?} is no kind of joint")))?;
        Ok((name.clone(), found))
    };
    Ok(JointList { joints: names.iter().zip(kinds).map(joint).collect::<Result<_, FormatError>>()? })
}

fn metric(
    file: &str,
    metric: MetricFile,
    creature: &Creature,
    map: &JointMap,
) -> Result<Metric, FormatError> {
    Ok(match metric {
        MetricFile::Joint => Metric::Joint,
        MetricFile::Mass => Metric::Mass,
        MetricFile::Position { shell } => Metric::Position { shell },
        MetricFile::Matrix { rows } => {
            let wrong =
                || FormatError::new(file, "the matrix of the metric is not square, or of another size");
            let columns: Option<Vec<Vec<f64>>> = rows.iter().map(|row| map.velocity(creature, row)).collect();
            let columns = columns.ok_or_else(wrong)?;
            let nv = creature.nv();
            let mut w = DMatrix::zeros(nv, nv);
            for column in 0..nv {
                let entries: Vec<f64> = columns.iter().map(|row| row[column]).collect();
                let mapped = map.velocity(creature, &entries).ok_or_else(wrong)?;
                w.column_mut(column).copy_from_slice(&mapped);
            }
            Metric::Matrix(w)
        }
    })
}

//! The names of landmarks: `role[.row][.side]`.

use std::fmt;
use std::str::FromStr;

use super::{Role, Row, Side};
use crate::ModelError;

/// The name of a landmark: `role[.row][.side]` with row = `front`, `middle`, `hind` or a number from 1, and
/// side = `left` or `right`. `foot.front.left`, `knee.right`, `hand.1.left`, `head`, `spine.1`. Head and tail stand
/// alone, spine joints have a number and no side.
///
/// ```
/// use gambol_model::{LandmarkName, Role, Row, Side};
///
/// let name: LandmarkName = "foot.front.left".parse()?;
/// assert_eq!(name, LandmarkName { role: Role::Foot, row: Some(Row::Front), side: Some(Side::Left) });
/// assert_eq!(name.to_string(), "foot.front.left");
/// assert!("foot.leftish".parse::<LandmarkName>().is_err());
/// # Ok::<(), gambol_model::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LandmarkName {
    /// What it is.
    pub role: Role,
    /// Which pair of limbs, where there are several.
    pub row: Option<Row>,
    /// Left or right; `None` on the midline.
    pub side: Option<Side>,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Foot => "foot",
            Self::Knee => "knee",
            Self::Hand => "hand",
            Self::Elbow => "elbow",
            Self::Head => "head",
            Self::Spine => "spine",
            Self::Tail => "tail",
        })
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Front => f.write_str("front"),
            Self::Middle => f.write_str("middle"),
            Self::Hind => f.write_str("hind"),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

impl fmt::Display for LandmarkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.role)?;
        self.row.iter().try_for_each(|row| write!(f, ".{row}"))?;
        self.side.iter().try_for_each(|side| write!(f, ".{side}"))
    }
}

impl FromStr for LandmarkName {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        parse(text).ok_or_else(|| {
            ModelError::new(
                format!("landmark {text:?}"),
                "not a landmark name: role[.row][.side] with role = foot, knee, hand, elbow, head, spine or tail, \
                 row = front, middle, hind or a number from 1, side = left or right",
            )
        })
    }
}

fn parse(text: &str) -> Option<LandmarkName> {
    let mut parts = text.split('.').peekable();
    let role = parse_role(parts.next()?)?;
    let row = parts.peek().and_then(|part| parse_row(part));
    if row.is_some() {
        parts.next();
    }
    let side = parts.peek().and_then(|part| parse_side(part));
    if side.is_some() {
        parts.next();
    }
    let fits = match role {
        Role::Head | Role::Tail => row.is_none() && side.is_none(),
        Role::Spine => matches!(row, None | Some(Row::Number(_))) && side.is_none(),
        Role::Foot | Role::Knee | Role::Hand | Role::Elbow => true,
    };
    (fits && parts.next().is_none()).then_some(LandmarkName { role, row, side })
}

fn parse_role(text: &str) -> Option<Role> {
    Some(match text {
        "foot" => Role::Foot,
        "knee" => Role::Knee,
        "hand" => Role::Hand,
        "elbow" => Role::Elbow,
        "head" => Role::Head,
        "spine" => Role::Spine,
        "tail" => Role::Tail,
        _ => return None,
    })
}

fn parse_row(text: &str) -> Option<Row> {
    match text {
        "front" => Some(Row::Front),
        "middle" => Some(Row::Middle),
        "hind" => Some(Row::Hind),
        // `01` and `+1` would print otherwise than they are written.
        _ => text.parse().ok().filter(|&n: &u32| n > 0 && n.to_string() == text).map(Row::Number),
    }
}

fn parse_side(text: &str) -> Option<Side> {
    match text {
        "left" => Some(Side::Left),
        "right" => Some(Side::Right),
        _ => None,
    }
}

//! A plant: nodes on its axes, each joined to its parent by an element of one radius.

use std::collections::HashSet;

use gambol_formats::FormatError;
use gambol_formats::plant::{PlantEdge, PlantFile, PlantParent, RadiusOf};
use gambol_model::{Hint, Remark, Vec3};

use crate::{Foliage, PlantError};

/// Points closer than this, m, are one: digitisers measure no finer, and an element between them would be a stone in the
/// stiffness matrix.
pub const MERGE_DISTANCE: f64 = 1e-4;

/// A plant. Node 0 is where it is rooted; a parent stands before its children.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plant {
    /// What it is called.
    pub name: String,
    /// Places of the nodes, m, z up.
    pub nodes: Vec<Vec3>,
    /// Parent of each node; the root's is 0, itself.
    pub parents: Vec<usize>,
    /// Radius of the element that ends in each node, m; the root's is that of the plant where it begins.
    pub radii: Vec<f64>,
    /// How many times one branches off between the root and each node.
    pub orders: Vec<u32>,
    /// What grows on its twigs; leaves, where a file does not say.
    pub foliage: Foliage,
    /// Pieces of the file that hang on nothing and were left out.
    pub loose_pieces: usize,
    /// What was guessed or left out.
    pub remarks: Vec<Remark>,
}

/// A point of the file that will be a node.
struct Draft {
    position: Vec3,
    parent: usize,
    branches: bool,
    radius: Option<f64>,
    radius_of: RadiusOf,
}

impl Plant {
    /// Makes a plant of what a file holds. With `pipe`, the radius of its tips in m, all radii follow from Leonardo's rule:
    /// r² of a stem is the sum of its branches'.
    pub fn from_file(file: &PlantFile, pipe: Option<f64>) -> Result<Self, PlantError> {
        let children = Children::of(file)?;
        let (drafts, loose_pieces) = children.grow(file)?;
        let radii = match pipe {
            Some(tip) => pipe_radii(&file.file, &drafts, tip)?,
            None => element_radii(file, &drafts)?,
        };
        let mut orders = vec![0; drafts.len()];
        for node in 1..drafts.len() {
            orders[node] = orders[drafts[node].parent] + u32::from(drafts[node].branches);
        }
        let mut remarks = file.remarks.clone();
        if loose_pieces > 0 {
            let told = if loose_pieces == 1 {
                "piece hangs on nothing and is"
            } else {
                "pieces hang on nothing and are"
            };
            remarks.push(format!("{loose_pieces} loose {told} left out").into());
        }
        let name = file.stem().rsplit('/').next().unwrap_or_default().to_owned();
        Ok(Self {
            name,
            nodes: drafts.iter().map(|draft| draft.position).collect(),
            parents: drafts.iter().map(|draft| draft.parent).collect(),
            radii,
            orders,
            foliage: Foliage::default(),
            loose_pieces,
            remarks,
        })
    }

    /// How many nodes it has, the root included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no element at all; no plant that comes from a file is.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() < 2
    }

    /// Length of the element that ends in a node, m.
    pub fn length(&self, node: usize) -> f64 {
        (self.nodes[node] - self.nodes[self.parents[node]]).norm()
    }

    /// Whether nothing hangs on a node.
    pub fn tips(&self) -> Vec<bool> {
        let mut tips = vec![true; self.len()];
        (1..self.len()).for_each(|node| tips[self.parents[node]] = false);
        tips
    }

    /// Lowest and highest corner, m.
    pub fn bounds(&self) -> [Vec3; 2] {
        let first = self.nodes.first().copied().unwrap_or_default();
        self.nodes.iter().fold([first; 2], |[low, high], node| [low.inf(node), high.sup(node)])
    }

    /// Height over its lowest point, m.
    pub fn height(&self) -> f64 {
        let [low, high] = self.bounds();
        high.z - low.z
    }

    /// The highest node.
    pub fn top(&self) -> usize {
        (0..self.len()).max_by(|&a, &b| self.nodes[a].z.total_cmp(&self.nodes[b].z)).unwrap_or(0)
    }

    /// The volume of its wood, m³.
    pub fn volume(&self) -> f64 {
        (1..self.len())
            .map(|node| std::f64::consts::PI * self.radii[node] * self.radii[node] * self.length(node))
            .sum()
    }
}

/// The points that hang on each point.
struct Children {
    root: usize,
    below: Vec<Vec<usize>>,
}

impl Children {
    fn of(file: &PlantFile) -> Result<Self, FormatError> {
        let mut below = vec![Vec::new(); file.points.len()];
        let mut root: Option<usize> = None;
        for (index, point) in file.points.iter().enumerate() {
            match point.parent {
                PlantParent::Point(parent) => below[parent].push(index),
                PlantParent::Missing => {}
                PlantParent::Root => match root {
                    None => root = Some(index),
                    Some(first) => {
                        let first = file.points[first].line;
                        let reason =
                            format!("a second root; the first is in line {first}, and a plant has one");
                        return Err(file.error(point.line, reason));
                    }
                },
            }
        }
        match root {
            Some(root) => Ok(Self { root, below }),
            None => Err(no_root(file)),
        }
    }

    /// Nodes from the root on, depth first and in the order of the file; and how many pieces were left out.
    fn grow(&self, file: &PlantFile) -> Result<(Vec<Draft>, usize), FormatError> {
        let mut drafts: Vec<Draft> = Vec::new();
        let mut reached = vec![false; file.points.len()];
        // A point, the node that it hangs on, and whether a branch begins between them.
        let mut waiting = vec![(self.root, 0, false)];
        while let Some((index, parent, began)) = waiting.pop() {
            let point = &file.points[index];
            reached[index] = true;
            let branches = began || point.edge == PlantEdge::Branches;
            let near = drafts
                .get(parent)
                .is_some_and(|draft: &Draft| (draft.position - point.position).norm() < MERGE_DISTANCE);
            let node = if near { parent } else { drafts.len() };
            if near {
                drafts[parent].radius = drafts[parent].radius.or(point.radius);
            } else {
                drafts.push(Draft {
                    position: point.position,
                    parent,
                    branches,
                    radius: point.radius,
                    radius_of: point.radius_of,
                });
            }
            // Where a branch begins in the very place of its parent, its first element is the next one.
            let carried = near && branches;
            waiting.extend(self.below[index].iter().rev().map(|&child| (child, node, carried)));
        }
        let loose = self.loose(file, &mut reached)?;
        if drafts.len() < 2 {
            let line = file.points[self.root].line;
            return Err(file.error(line, "the plant is a single point"));
        }
        Ok((drafts, loose))
    }

    /// How many pieces hang on what is not there. What hangs on itself is an error.
    fn loose(&self, file: &PlantFile, reached: &mut [bool]) -> Result<usize, FormatError> {
        let mut pieces = 0;
        for (index, point) in file.points.iter().enumerate() {
            if point.parent == PlantParent::Missing {
                pieces += 1;
                let mut waiting = vec![index];
                while let Some(index) = waiting.pop() {
                    reached[index] = true;
                    waiting.extend(&self.below[index]);
                }
            }
        }
        match reached.iter().position(|reached| !reached) {
            Some(index) => Err(cycle(file, index)),
            None => Ok(pieces),
        }
    }
}

fn no_root(file: &PlantFile) -> FormatError {
    match file.points.iter().position(|point| matches!(point.parent, PlantParent::Point(_))) {
        Some(index) => cycle(file, index),
        None => FormatError::new(&file.file, "no point is the root: every parent is missing"),
    }
}

/// Points that hang on each other in a circle, told at the one that comes first in the file.
fn cycle(file: &PlantFile, from: usize) -> FormatError {
    let mut seen = HashSet::new();
    let mut at = from;
    while seen.insert(at) {
        match file.points[at].parent {
            PlantParent::Point(parent) => at = parent,
            PlantParent::Missing | PlantParent::Root => {
                return FormatError::new(&file.file, "no point is the root: every parent is missing");
            }
        }
    }
    let mut ring = vec![at];
    let mut next = at;
    while let PlantParent::Point(parent) = file.points[next].parent {
        if parent == at {
            break;
        }
        ring.push(parent);
        next = parent;
    }
    let first = ring.iter().map(|&index| file.points[index].line).min().unwrap_or(0);
    let reason = match ring.len() {
        1 => "the point is its own parent".to_owned(),
        n => format!("{n} points hang on each other in a circle"),
    };
    file.error(first, reason)
}

/// r² of a stem is the sum of its branches' (Leonardo da Vinci; the pipe model of Shinozaki et al. 1964).
fn pipe_radii(file: &str, drafts: &[Draft], tip: f64) -> Result<Vec<f64>, FormatError> {
    if !(tip.is_finite() && tip > 0.0) {
        return Err(FormatError::new(file, format!("a tip's radius of {tip} m is not above 0")));
    }
    let mut squares = vec![0.0; drafts.len()];
    for node in (0..drafts.len()).rev() {
        if squares[node] == 0.0 {
            squares[node] = tip * tip;
        }
        if node > 0 {
            squares[drafts[node].parent] += squares[node];
        }
    }
    Ok(squares.into_iter().map(f64::sqrt).collect())
}

/// The mean of an element's two ends; on the first element of a branch, and of a cylinder, its own. What was not measured is
/// as thick as the nearest that was, towards the root: a tiny default would be a hinge, and ruin all modes.
fn element_radii(file: &PlantFile, drafts: &[Draft]) -> Result<Vec<f64>, FormatError> {
    let Some(first) = drafts.iter().find_map(|draft| draft.radius) else {
        return Err(FormatError::new(&file.file, "the plant has no diameters").with_hint(Hint::Pipe));
    };
    let mut ends = Vec::with_capacity(drafts.len());
    for (node, draft) in drafts.iter().enumerate() {
        let towards_root = if node == 0 { first } else { ends[draft.parent] };
        ends.push(draft.radius.unwrap_or(towards_root));
    }
    let element = |(node, draft): (usize, &Draft)| {
        if node == 0 || draft.branches || draft.radius_of == RadiusOf::Segment {
            ends[node]
        } else {
            0.5 * (ends[node] + ends[draft.parent])
        }
    };
    Ok(drafts.iter().enumerate().map(element).collect())
}

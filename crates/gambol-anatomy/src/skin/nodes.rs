//! The nodes of a rig as a tree, and where they are.

use gambol_model::{Quat, Vec3, orientation_of};
use nalgebra::Matrix4;

/// The tree of a rig's nodes, in the scene's axes and units.
#[derive(Clone, Debug, Default)]
pub struct RigNodes {
    /// All nodes, parents first.
    pub order: Vec<usize>,
    /// The node that each hangs from.
    pub parent: Vec<Option<usize>>,
    /// Parent from node, as the file has it.
    pub local: Vec<Matrix4<f64>>,
    /// Whether a skin moves with it.
    pub is_joint: Vec<bool>,
    /// Whether it shows nothing and nothing hangs from it: the end of a bone.
    pub is_bare_end: Vec<bool>,
    /// What each is called; never empty.
    pub names: Vec<String>,
}

/// Where each node is: scene from node.
#[derive(Clone, Debug)]
pub struct NodePlaces(pub Vec<Matrix4<f64>>);

impl NodePlaces {
    /// Where a node's origin is.
    pub fn origin(&self, node: usize) -> Vec3 {
        self.0[node].fixed_view::<3, 1>(0, 3).into_owned()
    }

    /// Orientation without scale: the rotation nearest to the node's axes. A mirrored node is turned inside out first.
    pub fn rotation(&self, node: usize) -> Quat {
        orientation_of(&self.0[node].fixed_view::<3, 3>(0, 0).into_owned())
    }
}

impl RigNodes {
    /// Nodes from `node` up to its root, itself first.
    pub fn up(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |&node| self.parent[node])
    }

    /// All nodes, given where some of them are; the others follow their parents as the file has them.
    pub fn place(&self, placed: &[Option<Matrix4<f64>>]) -> NodePlaces {
        let mut places = vec![Matrix4::identity(); self.parent.len()];
        for &node in &self.order {
            let above = self.parent[node].map_or_else(Matrix4::identity, |parent| places[parent]);
            places[node] = placed[node].unwrap_or_else(|| above * self.local[node]);
        }
        NodePlaces(places)
    }

    /// Where the joints of all skins are.
    fn joints<'a>(&'a self, places: &'a NodePlaces) -> impl Iterator<Item = Vec3> + 'a {
        (0..self.is_joint.len()).filter(|&node| self.is_joint[node]).map(|node| places.origin(node))
    }
}

/// Whether the joints in pose `a` are much nearer to their mirror images than in pose `b`.
pub fn is_straighter(nodes: &RigNodes, a: &NodePlaces, b: &NodePlaces) -> bool {
    /// Of the size; a rig is drawn no more exactly than this.
    const SYMMETRIC: f64 = 1e-4;
    /// Half as far off is clearly better.
    const BETTER: f64 = 0.5;
    let (a, b) = (asymmetry(nodes, a), asymmetry(nodes, b));
    b > SYMMETRIC && a < BETTER * b
}

/// Mean distance of each joint's mirror image from the nearest joint, over the size of the rig; for the better of the
/// two upright planes along the axes. The scene is y up.
pub fn asymmetry(nodes: &RigNodes, places: &NodePlaces) -> f64 {
    /// A larger crowd is not compared pair by pair.
    const MOST_JOINTS: usize = 1000;
    let joints: Vec<Vec3> = nodes.joints(places).take(MOST_JOINTS).collect();
    let count = joints.len().max(1) as f64;
    let middle = joints.iter().sum::<Vec3>() / count;
    let size = joints.iter().map(|joint| (joint - middle).norm()).fold(f64::MIN_POSITIVE, f64::max);
    let across = |axis: usize| {
        // The middle of the box, not the mean: one loose target must not shift the plane of all.
        let (low, high) = joints
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[axis]), high.max(p[axis])));
        let distance = |joint: &Vec3| {
            let mut mirrored = *joint;
            mirrored[axis] = low + high - joint[axis];
            joints.iter().map(|other| (other - mirrored).norm()).fold(f64::INFINITY, f64::min)
        };
        joints.iter().map(distance).sum::<f64>() / count / size
    };
    across(0).min(across(2))
}

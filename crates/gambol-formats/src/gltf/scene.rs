//! The nodes of a file as a checked tree, and where they are in its two poses: at rest, and where the skin was bound.

use gambol_anatomy::skin::{NodePlaces, RigNodes};
use gambol_model::Vec3;
use nalgebra::{Matrix3, Matrix4, Quaternion, UnitQuaternion};

use super::container::Container;
use crate::FormatError;

/// A scale or determinant below this, relative to the rest, has no inverse.
const SINGULAR: f64 = 1e-12;

/// The nodes of a file. Every node is in it, whatever scene it is in.
pub(super) struct GltfScene {
    /// As a checked tree.
    pub(super) nodes: RigNodes,
    /// Whether the node is in the scene that is shown.
    pub(super) shown: Vec<bool>,
}

impl GltfScene {
    pub(super) fn read(container: &Container) -> Result<Self, FormatError> {
        let nodes = &container.document.nodes;
        let mut parent: Vec<Option<usize>> = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for &child in &node.children {
                match parent.get(child) {
                    None => {
                        let reason = format!(
                            "node {index} has the child {child}, but there are {} nodes",
                            nodes.len()
                        );
                        return Err(container.error(reason));
                    }
                    Some(Some(other)) => {
                        return Err(
                            container.error(format!("node {child} is a child of both {other} and {index}"))
                        );
                    }
                    Some(None) => parent[child] = Some(index),
                }
            }
        }
        let mut order: Vec<usize> = (0..nodes.len()).filter(|&node| parent[node].is_none()).collect();
        let mut next = 0;
        while next < order.len() {
            order.extend(&nodes[order[next]].children);
            next += 1;
        }
        if order.len() < nodes.len() {
            let mut reached = vec![false; nodes.len()];
            for &node in &order {
                reached[node] = true;
            }
            let first = reached.iter().position(|reached| !reached).unwrap_or(0);
            return Err(container.error(format!("node {first} is an ancestor of itself")));
        }

        let mut shown = vec![true; nodes.len()];
        if let Some(scene) = container.document.scenes.get(container.document.scene.unwrap_or(0)) {
            for &node in &order {
                shown[node] = scene.nodes.contains(&node) || parent[node].is_some_and(|p| shown[p]);
            }
        }
        let mut is_joint = vec![false; nodes.len()];
        for (index, skin) in container.document.skins.iter().enumerate() {
            for &joint in &skin.joints {
                let Some(flag) = is_joint.get_mut(joint) else {
                    return Err(
                        container.error(format!("skin {index} has the joint {joint}, which is not a node"))
                    );
                };
                *flag = true;
            }
        }
        if container.document.skins.is_empty() {
            is_joint = puppet_joints(container, &order, &parent);
        }
        let local = (0..nodes.len()).map(|node| local(container, node)).collect::<Result<_, _>>()?;
        let names = (0..nodes.len()).map(|node| name(container, node)).collect();
        let is_bare_end = nodes.iter().map(|node| node.children.is_empty() && node.mesh.is_none()).collect();
        Ok(Self { nodes: RigNodes { order, parent, local, is_joint, is_bare_end, names }, shown })
    }

    /// The file's rest pose.
    pub(super) fn at_rest(&self) -> NodePlaces {
        let placed = vec![None; self.shown.len()];
        self.nodes.place(&placed)
    }

    /// The poses in which the skin may have been bound: inverse bind matrices turned round. They leave one transform free
    /// per skin: that of the node that shows the mesh, as most tools write it, or what brings the first joint to where
    /// it is at rest. None without such matrices, or if one of them cannot be inverted.
    pub(super) fn bound(
        &self,
        container: &Container,
        rest: &NodePlaces,
        binds: &[Vec<Matrix4<f64>>],
    ) -> Vec<NodePlaces> {
        let by_mesh = |skin: usize| {
            let shows = |node: &super::json::Node| node.skin == Some(skin) && node.mesh.is_some();
            container.document.nodes.iter().position(shows).map(|node| rest.0[node])
        };
        let by_joint = |skin: usize| {
            let joints = &container.document.skins[skin].joints;
            let is_top = |k: &usize| !self.nodes.up(joints[*k]).skip(1).any(|above| joints.contains(&above));
            let top = (0..joints.len()).find(is_top)?;
            Some(rest.0[joints[top]] * binds[skin][top])
        };
        let poses = [self.bound_by(container, binds, by_mesh), self.bound_by(container, binds, by_joint)];
        poses.into_iter().flatten().filter(|pose| self.is_near(pose, rest)).collect()
    }

    fn bound_by(
        &self,
        container: &Container,
        binds: &[Vec<Matrix4<f64>>],
        scene_from_bind: impl Fn(usize) -> Option<Matrix4<f64>>,
    ) -> Option<NodePlaces> {
        let mut placed: Vec<Option<Matrix4<f64>>> = vec![None; self.shown.len()];
        for (index, skin) in container.document.skins.iter().enumerate() {
            let Some(scene_from_bind) = scene_from_bind(index) else { continue };
            for (&joint, inverse) in skin.joints.iter().zip(&binds[index]) {
                let bind = inverse.try_inverse().filter(|m| m.iter().all(|x| x.is_finite()))?;
                placed[joint].get_or_insert(scene_from_bind * bind);
            }
        }
        Some(self.nodes.place(&placed))
    }

    /// Whether the joints are about where they are at rest: a pose of the same creature in the same units.
    fn is_near(&self, pose: &NodePlaces, rest: &NodePlaces) -> bool {
        /// Mean distance over the mean distance from the middle, of the larger of both: arms that are put out take all bones of their fingers
        /// along, which may be most.
        const NEAR: f64 = 1.0;
        /// Mean distance from the middle over that at rest: arms that hang make it half as much, other units a tenth or a hundredth.
        const ALIKE: [f64; 2] = [0.4, 2.5];
        let joints: Vec<usize> =
            (0..self.nodes.is_joint.len()).filter(|&node| self.nodes.is_joint[node]).collect();
        let count = joints.len().max(1) as f64;
        let size = |places: &NodePlaces| -> f64 {
            let middle = joints.iter().map(|&joint| places.origin(joint)).sum::<Vec3>() / count;
            joints.iter().map(|&joint| (places.origin(joint) - middle).norm()).sum()
        };
        let moved: f64 = joints.iter().map(|&joint| (rest.origin(joint) - pose.origin(joint)).norm()).sum();
        let (size, posed) = (size(rest), size(pose));
        moved <= NEAR * size.max(posed) && (ALIKE[0] * size..=ALIKE[1] * size).contains(&posed)
    }
}

/// The joints of a file that has no skin: nodes that its clips turn, and all that hangs from them. One alone is a door, not a
/// creature. Where no clip says it, they are the nodes of parts that hang from parts.
fn puppet_joints(container: &Container, order: &[usize], parent: &[Option<usize>]) -> Vec<bool> {
    const FEWEST_TURNED: usize = 2;
    let mut turned = vec![false; parent.len()];
    for channel in
        container.document.animations.iter().filter_map(|clip| clip["channels"].as_array()).flatten()
    {
        let node = channel["target"]["node"].as_u64().and_then(|node| usize::try_from(node).ok());
        let turns = channel["target"]["path"] == "rotation";
        if let Some(turned) = node.filter(|_| turns).and_then(|node| turned.get_mut(node)) {
            *turned = true;
        }
    }
    if turned.iter().filter(|turned| **turned).count() < FEWEST_TURNED {
        return jointed_parts(container, order, parent);
    }
    for &node in order {
        turned[node] |= parent[node].is_some_and(|parent| turned[parent]);
    }
    turned
}

/// The nodes of a robot made of one mesh for each part: parts hang from parts. Parts that all hang from one node are scenery, as a
/// room with its furniture is.
fn jointed_parts(container: &Container, order: &[usize], parent: &[Option<usize>]) -> Vec<bool> {
    const FEWEST_HANGING: usize = 2;
    let nodes = &container.document.nodes;
    let has_mesh = |node: usize| nodes[node].mesh.is_some();
    // A mesh by itself below a node without one is that node's.
    let is_shell = |node: usize| {
        let alone = |parent: usize| {
            !has_mesh(parent) && nodes[parent].children.iter().filter(|&&child| has_mesh(child)).count() == 1
        };
        has_mesh(node) && nodes[node].children.is_empty() && parent[node].is_some_and(alone)
    };
    let is_part: Vec<bool> = (0..nodes.len())
        .map(|node| {
            has_mesh(node) && !is_shell(node) || nodes[node].children.iter().any(|&child| is_shell(child))
        })
        .collect();
    let mut below: Vec<usize> = is_part.iter().map(|part| usize::from(*part)).collect();
    for &node in order.iter().rev() {
        if let Some(parent) = parent[node] {
            below[parent] += below[node];
        }
    }
    // The largest tree of parts, from the lowest node on that holds all of it.
    let Some(top) =
        order.iter().copied().filter(|&node| parent[node].is_none()).max_by_key(|&node| below[node])
    else {
        return vec![false; nodes.len()];
    };
    let holds_all = |node: usize| {
        nodes[node]
            .children
            .iter()
            .copied()
            .find(|&child| below[child] == below[top])
            .filter(|_| !is_part[node])
    };
    let root = std::iter::successors(Some(top), |&node| holds_all(node)).last().unwrap_or(top);
    let mut joints = vec![false; nodes.len()];
    let (mut under_part, mut hanging) = (vec![false; nodes.len()], 0);
    for &node in order {
        let above = parent[node].filter(|&parent| joints[parent]);
        joints[node] = (node == root || above.is_some()) && below[node] > 0 && !is_shell(node);
        under_part[node] = above.is_some_and(|above| under_part[above] || is_part[above]);
        hanging += usize::from(joints[node] && is_part[node] && under_part[node]);
    }
    if hanging < FEWEST_HANGING { vec![false; nodes.len()] } else { joints }
}

/// Inverse bind matrices of every skin; identities where the file has none.
pub(super) fn inverse_binds(container: &Container) -> Result<Vec<Vec<Matrix4<f64>>>, FormatError> {
    let of_skin = |(index, skin): (usize, &super::json::Skin)| {
        let Some(accessor) = skin.inverse_bind_matrices else {
            return Ok(vec![Matrix4::identity(); skin.joints.len()]);
        };
        let numbers = container.numbers(accessor, "inverse bind matrices", &["MAT4"])?;
        if numbers.len() < 16 * skin.joints.len() {
            let (have, need) = (numbers.len() / 16, skin.joints.len());
            return Err(
                container.error(format!("skin {index} has {have} inverse bind matrices for {need} joints"))
            );
        }
        Ok(numbers.chunks_exact(16).take(skin.joints.len()).map(Matrix4::from_column_slice).collect())
    };
    container.document.skins.iter().enumerate().map(of_skin).collect()
}

/// Parent from node.
fn local(container: &Container, node: usize) -> Result<Matrix4<f64>, FormatError> {
    /// Products of thirty of these stay finite, and no rig is deeper with such numbers.
    const LARGEST: f64 = 1e9;
    let data = &container.document.nodes[node];
    let matrix = if let Some(matrix) = data.matrix {
        Matrix4::from_column_slice(&matrix)
    } else {
        let [x, y, z, w] = data.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        // One of length zero turns nothing, as other programs show it.
        let rotation = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), SINGULAR).unwrap_or_default();
        let scale = Vec3::from(data.scale.unwrap_or([1.0; 3]));
        let axes = rotation.to_rotation_matrix().into_inner() * Matrix3::from_diagonal(&scale);
        let mut matrix = axes.to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vec3::from(data.translation.unwrap_or([0.0; 3])));
        matrix
    };
    if matrix.iter().all(|x| x.abs() < LARGEST) {
        return Ok(matrix);
    }
    Err(container.error(format!("node {node} has a transform that is not finite or far too large")))
}

fn name(container: &Container, node: usize) -> String {
    match &container.document.nodes[node].name {
        Some(name) if !name.is_empty() => name.clone(),
        _ => format!("node {node}"),
    }
}

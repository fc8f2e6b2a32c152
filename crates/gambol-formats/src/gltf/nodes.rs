//! The nodes of a glTF file as a tree of affine maps, for writing; the reader has checked the file.

use std::ops::Mul;

use gambol_model::{Quat, Vec3, nearest_rotation};
use nalgebra::{Matrix3, Quaternion, UnitQuaternion};
use serde_json::Value;

/// A matrix whose axes are this far from being square to each other, as a cosine, is sheared. Matrices of files have seven
/// digits.
const SHEAR: f64 = 1e-4;

/// x → linear · x + translation
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Affine {
    pub(super) linear: Matrix3<f64>,
    pub(super) translation: Vec3,
}

/// Scale, then rotate, then translate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trs {
    pub(super) translation: Vec3,
    pub(super) rotation: Quat,
    pub(super) scale: Vec3,
}

impl Affine {
    pub(super) const IDENTITY: Self = Self {
        linear: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        translation: Vec3::new(0.0, 0.0, 0.0),
    };

    /// `None` if the map shears or flattens. A mirror is a negative scale along x.
    fn to_trs(self) -> Option<Trs> {
        let mut columns = [0, 1, 2].map(|k| self.linear.column(k).into_owned());
        let mut scale = Vec3::from_fn(|k, _| columns[k].norm());
        if scale.min() <= 0.0 {
            return None;
        }
        if self.linear.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        columns.iter_mut().zip(&scale).for_each(|(column, scale)| *column /= *scale);
        let [x, y, z] = &columns;
        if [x.dot(y), y.dot(z), z.dot(x)].iter().any(|cosine| cosine.abs() > SHEAR) {
            return None;
        }
        let rotation = nearest_rotation(&Matrix3::from_columns(&columns))?;
        Some(Trs { translation: self.translation, rotation, scale })
    }
}

impl From<Trs> for Affine {
    fn from(trs: Trs) -> Self {
        let turn = trs.rotation.to_rotation_matrix();
        Self { linear: turn.matrix() * Matrix3::from_diagonal(&trs.scale), translation: trs.translation }
    }
}

impl Mul for Affine {
    type Output = Self;

    fn mul(self, inner: Self) -> Self {
        Self {
            linear: self.linear * inner.linear,
            translation: self.linear * inner.translation + self.translation,
        }
    }
}

/// All nodes of a file.
pub(super) struct Nodes {
    pub(super) parents: Vec<Option<usize>>,
    pub(super) local: Vec<Affine>,
    /// The same in parts, as the file has them or taken from its matrix; none of a matrix that shears or flattens.
    pub(super) trs: Vec<Option<Trs>>,
    /// Whether the file gives the node as a matrix.
    pub(super) is_matrix: Vec<bool>,
    names: Vec<Option<String>>,
    /// Parents before children.
    pub(super) order: Vec<usize>,
}

impl Nodes {
    /// An error is a reason in words.
    pub(super) fn new(document: &Value) -> Result<Self, String> {
        let list = document["nodes"].as_array().ok_or("it has no nodes")?;
        let (local, trs) = list.iter().map(local).unzip();
        let mut nodes = Self {
            parents: vec![None; list.len()],
            local,
            trs,
            is_matrix: list.iter().map(|node| !node["matrix"].is_null()).collect(),
            names: list.iter().map(|node| node["name"].as_str().map(str::to_owned)).collect(),
            order: Vec::with_capacity(list.len()),
        };
        for (index, node) in list.iter().enumerate() {
            for child in node["children"].as_array().into_iter().flatten() {
                let child = child.as_u64().and_then(|child| usize::try_from(child).ok());
                let parent = child.and_then(|child| nodes.parents.get_mut(child));
                let parent = parent.ok_or_else(|| format!("node {index} has a child that there is not"))?;
                if parent.replace(index).is_some() {
                    return Err(format!("a child of node {index} has two parents"));
                }
            }
        }
        let mut waiting: Vec<usize> =
            (0..list.len()).filter(|&index| nodes.parents[index].is_none()).collect();
        waiting.reverse();
        while let Some(index) = waiting.pop() {
            nodes.order.push(index);
            let children = list[index]["children"].as_array().into_iter().flatten().rev();
            waiting
                .extend(children.filter_map(Value::as_u64).filter_map(|child| usize::try_from(child).ok()));
        }
        if nodes.order.len() < list.len() {
            Err("its nodes go round in a circle".to_owned())
        } else {
            Ok(nodes)
        }
    }

    /// The maps of all nodes to the scene.
    pub(super) fn world(&self) -> Vec<Affine> {
        let mut world = self.local.clone();
        for &node in &self.order {
            if let Some(parent) = self.parents[node] {
                world[node] = world[parent] * self.local[node];
            }
        }
        world
    }

    /// The parents of a node up to the root, without itself.
    pub(super) fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parents[node], |&parent| self.parents[parent])
    }

    /// The node's name, or its number.
    pub(super) fn label(&self, node: usize) -> String {
        self.names[node].clone().unwrap_or_else(|| format!("node {node}"))
    }
}

/// The node in its parent, whole and in parts.
fn local(node: &Value) -> (Affine, Option<Trs>) {
    let numbers = |key: &str, default: &[f64]| -> Vec<f64> {
        let given =
            node[key].as_array().map(|list| list.iter().filter_map(Value::as_f64).collect::<Vec<_>>());
        given.filter(|given| given.len() == default.len()).unwrap_or_else(|| default.to_vec())
    };
    if !node["matrix"].is_null() {
        let identity: [f64; 16] = std::array::from_fn(|k| f64::from(u8::from(k % 5 == 0)));
        let matrix = nalgebra::Matrix4::from_column_slice(&numbers("matrix", &identity));
        let affine = Affine {
            linear: matrix.fixed_view::<3, 3>(0, 0).into_owned(),
            translation: matrix.fixed_view::<3, 1>(0, 3).into_owned(),
        };
        return (affine, affine.to_trs());
    }
    let rotation = numbers("rotation", &[0.0, 0.0, 0.0, 1.0]);
    let rotation = Quaternion::new(rotation[3], rotation[0], rotation[1], rotation[2]);
    let trs = Trs {
        translation: Vec3::from_column_slice(&numbers("translation", &[0.0; 3])),
        rotation: UnitQuaternion::try_new(rotation, 0.0).unwrap_or_default(),
        scale: Vec3::from_column_slice(&numbers("scale", &[1.0; 3])),
    };
    (Affine::from(trs), Some(trs))
}

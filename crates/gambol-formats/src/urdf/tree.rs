//! Which link hangs from which.

use std::collections::HashMap;

use super::joint::{self, Kind};
use crate::FormatError;
use crate::xml::Element;

pub(super) struct Link<'d> {
    pub(super) name: &'d str,
    pub(super) element: Element<'d>,
}

pub(super) struct Joint<'d> {
    pub(super) name: &'d str,
    pub(super) element: Element<'d>,
    /// Index of the link above.
    pub(super) parent: usize,
    /// Index of the link below.
    pub(super) child: usize,
}

/// Links and joints of a file: one root, and every other link below it exactly once.
pub(super) struct Tree<'d> {
    pub(super) links: Vec<Link<'d>>,
    pub(super) joints: Vec<Joint<'d>>,
    /// For each link, the joint above it.
    pub(super) parent_joint: Vec<Option<usize>>,
    /// For each link, the joints below it in the order of the file.
    child_joints: Vec<Vec<usize>>,
    root: usize,
}

impl<'d> Tree<'d> {
    pub(super) fn read(robot: Element<'d>) -> Result<Self, FormatError> {
        let mut numbers = HashMap::new();
        let mut links = Vec::new();
        for element in robot.children_named("link") {
            let name = name(element)?;
            if numbers.insert(name, links.len()).is_some() {
                return Err(element.error(format!("another link has the name {name:?}")));
            }
            links.push(Link { name, element });
        }
        let joints = read_joints(robot, &numbers)?;
        let mut parent_joint: Vec<Option<usize>> = vec![None; links.len()];
        let mut child_joints = vec![Vec::new(); links.len()];
        for (number, joint) in joints.iter().enumerate() {
            if let Some(other) = parent_joint[joint.child].replace(number) {
                let reason = format!(
                    "link {:?} already hangs from joint {:?}; a link has one parent",
                    links[joint.child].name, joints[other].name
                );
                return Err(joint.element.error(reason));
            }
            child_joints[joint.parent].push(number);
        }
        let root = find_root(robot, &links, &parent_joint)?;
        let tree = Self { links, joints, parent_joint, child_joints, root };
        tree.check_connected()?;
        Ok(tree)
    }

    /// All links, parents first, children in the order of their joints.
    pub(super) fn depth_first(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.links.len());
        let mut open = vec![self.root];
        while let Some(link) = open.pop() {
            order.push(link);
            open.extend(self.child_joints[link].iter().rev().map(|joint| self.joints[*joint].child));
        }
        order
    }

    /// Whether a link has nothing in it and only links that float hang from it.
    pub(super) fn is_empty_holder(&self, link: usize) -> Result<bool, FormatError> {
        let empty = self.links[link].element.first_child().is_none();
        for joint in &self.child_joints[link] {
            if joint::kind(self.joints[*joint].element)? != Kind::Floating {
                return Ok(false);
            }
        }
        Ok(empty && !self.child_joints[link].is_empty())
    }

    /// With one root and one parent each, what cannot be reached hangs in a cycle.
    fn check_connected(&self) -> Result<(), FormatError> {
        let mut reached = vec![false; self.links.len()];
        for link in self.depth_first() {
            reached[link] = true;
        }
        match reached.iter().position(|reached| !reached) {
            Some(link) => Err(cycle(&self.links[link])),
            None => Ok(()),
        }
    }
}

fn name(element: Element<'_>) -> Result<&str, FormatError> {
    let name = element.required("name")?;
    if name.is_empty() { Err(element.error("the name is empty")) } else { Ok(name) }
}

fn read_joints<'d>(robot: Element<'d>, links: &HashMap<&str, usize>) -> Result<Vec<Joint<'d>>, FormatError> {
    let mut joints: Vec<Joint<'d>> = Vec::new();
    let mut names = HashMap::new();
    for element in robot.children_named("joint") {
        let name = name(element)?;
        if names.insert(name, joints.len()).is_some() {
            return Err(element.error(format!("another joint has the name {name:?}")));
        }
        let end = |tag: &'d str| {
            let end = element.children_named(tag).next();
            let end =
                end.ok_or_else(|| element.error(format!("joint {name:?} has no <{tag} link=\"…\"/>")))?;
            let link = end.required("link")?;
            links
                .get(link)
                .copied()
                .ok_or_else(|| end.error(format!("joint {name:?}: there is no link {link:?}")))
        };
        joints.push(Joint { name, element, parent: end("parent")?, child: end("child")? });
    }
    Ok(joints)
}

fn find_root(
    robot: Element<'_>,
    links: &[Link<'_>],
    parents: &[Option<usize>],
) -> Result<usize, FormatError> {
    let mut roots = (0..links.len()).filter(|link| parents[*link].is_none());
    let Some(root) = roots.next() else {
        return Err(links.first().map_or_else(|| robot.error("there is no <link>"), cycle));
    };
    if let Some(other) = roots.next() {
        let (first, second) = (links[root].name, links[other].name);
        let reason =
            format!("link {second:?} hangs from no joint, nor does {first:?}; a robot has one root link");
        return Err(links[other].element.error(reason));
    }
    Ok(root)
}

fn cycle(link: &Link<'_>) -> FormatError {
    link.element.error(format!("link {:?} hangs from itself: the joints make a cycle", link.name))
}

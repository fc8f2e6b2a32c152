//! Levels of detail in nodes: a few of them carry all others (Diener et al. 2009, section 5.1).

use crate::Plant;

/// How a node follows those that are kept: two of them, and how much the second counts, 0..1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Binding {
    /// Index among the kept nodes.
    pub first: usize,
    /// Index among the kept nodes.
    pub second: usize,
    /// 0..1
    pub share: f64,
}

/// A few nodes of a plant that stand for all.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    /// Nodes that are kept, the root first, ascending.
    pub kept: Vec<usize>,
    /// For each node of the plant.
    pub bindings: Vec<Binding>,
}

impl Detail {
    /// At most `count` nodes, at least the root and one more: ends and forks of the longest axes first, then points along them at
    /// equal distances. All of them if there are no more.
    pub fn new(plant: &Plant, count: usize) -> Self {
        let kept = if count >= plant.len() { vec![true; plant.len()] } else { choose(plant, count.max(2)) };
        let mut index = vec![0; plant.len()];
        let mut nodes = Vec::new();
        for node in (0..plant.len()).filter(|node| kept[*node]) {
            index[node] = nodes.len();
            nodes.push(node);
        }
        Self { bindings: bind(plant, &kept, &index), kept: nodes }
    }
}

/// Distance from each node to the farthest tip below it, and the child that leads there.
fn farthest(plant: &Plant) -> (Vec<f64>, Vec<Option<usize>>) {
    let (mut reach, mut next) = (vec![0.0; plant.len()], vec![None; plant.len()]);
    for node in (1..plant.len()).rev() {
        let parent = plant.parents[node];
        let through = reach[node] + plant.length(node);
        if through > reach[parent] {
            reach[parent] = through;
            next[parent] = Some(node);
        }
    }
    (reach, next)
}

fn choose(plant: &Plant, count: usize) -> Vec<bool> {
    let (reach, next) = farthest(plant);
    // An axis starts at a node that is not the longest way on of its parent.
    let starts = (1..plant.len()).filter(|&node| next[plant.parents[node]] != Some(node));
    let mut axes: Vec<(f64, usize)> = starts.map(|node| (reach[node] + plant.length(node), node)).collect();
    if let Some(first) = next[0] {
        axes.push((f64::MAX, first));
    }
    axes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut kept = vec![false; plant.len()];
    kept[0] = true;
    let mut left = count - 1;
    let mut chosen = Vec::new();
    for &(_, start) in &axes {
        // Half of what there is goes to ends and forks.
        let needed = 1 + usize::from(!kept[plant.parents[start]]);
        if left < needed || left - needed < (count - 1) / 2 && !chosen.is_empty() {
            break;
        }
        kept[plant.parents[start]] = true;
        let mut tip = start;
        while let Some(on) = next[tip] {
            tip = on;
        }
        kept[tip] = true;
        left -= needed;
        chosen.push(start);
    }
    let total: f64 = chosen.iter().map(|&start| reach[start] + plant.length(start)).sum();
    let spacing = total / (left + 1) as f64;
    for start in chosen {
        let (mut node, mut since) = (start, plant.length(start));
        while let Some(on) = next[node] {
            if since >= spacing && !kept[node] && left > 0 {
                kept[node] = true;
                left -= 1;
            }
            if kept[node] {
                since = 0.0;
            }
            since += plant.length(on);
            node = on;
        }
    }
    // Axes have gaps of whole elements: what is left over goes to the nodes that most hangs on.
    let mut others: Vec<usize> = (0..plant.len()).filter(|node| !kept[*node]).collect();
    others.sort_by(|&a, &b| reach[b].total_cmp(&reach[a]).then(a.cmp(&b)));
    others.into_iter().take(left).for_each(|node| kept[node] = true);
    kept
}

fn bind(plant: &Plant, kept: &[bool], index: &[usize]) -> Vec<Binding> {
    // The kept node below, and how far it is.
    let mut below: Vec<Option<(usize, f64)>> = vec![None; plant.len()];
    for node in (1..plant.len()).rev() {
        let here = if kept[node] { Some((index[node], 0.0)) } else { below[node] };
        let parent = plant.parents[node];
        if below[parent].is_none() {
            below[parent] = here.map(|(kept, distance)| (kept, distance + plant.length(node)));
        }
    }
    let mut bindings: Vec<Binding> = Vec::with_capacity(plant.len());
    // The kept node above, and how far it is.
    let mut above = vec![(0, 0.0); plant.len()];
    for node in 0..plant.len() {
        if kept[node] {
            above[node] = (index[node], 0.0);
            bindings.push(Binding { first: index[node], second: index[node], share: 0.0 });
            continue;
        }
        let parent = plant.parents[node];
        above[node] = (above[parent].0, above[parent].1 + plant.length(node));
        bindings.push(match below[node] {
            Some((second, down)) => {
                let (first, up) = above[node];
                Binding { first, second, share: up / (up + down) }
            }
            None => bindings[parent],
        });
    }
    bindings
}

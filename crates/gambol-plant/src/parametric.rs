//! Plants of our own, grown by rule: the gallery's.

use gambol_model::{Random, Vec3, math};

use crate::{Foliage, Plant};

/// A plant of the gallery.
#[derive(Clone, Copy, Debug)]
pub struct PlantEntry {
    /// What the command line calls it.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    grow: fn(&mut Grower),
}

impl PlantEntry {
    /// Grows it; always the same.
    pub fn plant(&self) -> Plant {
        let mut grower = Grower::new(self.name);
        (self.grow)(&mut grower);
        grower.plant
    }
}

/// All plants of the gallery.
pub const PLANTS: [PlantEntry; 6] = [
    PlantEntry {
        name: "sapling",
        about: "a young broadleaf",
        grow: |grower| grower.broadleaf(3.0, 0.02, 2, 7),
    },
    PlantEntry {
        name: "oak",
        about: "an old broadleaf with a wide crown",
        grow: |grower| grower.broadleaf(14.0, 0.28, 3, 10),
    },
    PlantEntry {
        name: "spruce",
        about: "a conifer of 18 m in whorls",
        grow: |grower| grower.conifer(18.0, 0.17),
    },
    PlantEntry {
        name: "poplar",
        about: "a slender broadleaf of 16 m, as they stand along roads",
        grow: |grower| grower.poplar(16.0, 0.15),
    },
    PlantEntry {
        name: "palm",
        about: "a palm of 9 m with twenty fronds",
        grow: |grower| grower.palm(9.0, 0.08),
    },
    // Each blade has two slow modes, so that twenty-five are of all blades.
    PlantEntry { name: "grass", about: "a tuft of tall grass, 0.8 m", grow: |grower| grower.grass(0.8, 12) },
];

/// The plant with this name.
pub fn find_plant(name: &str) -> Option<&'static PlantEntry> {
    PLANTS.iter().find(|entry| entry.name == name)
}

/// The golden angle, rad, by which leaves and branches follow each other round a stem.
const GOLDEN: f64 = 2.399_963_229_728_653;

/// Twigs are at least so thick, in parts of their length.
const SLENDER: f64 = 0.006;

struct Grower {
    plant: Plant,
    random: Random,
}

/// A twig's direction, and how it goes on.
#[derive(Clone, Copy)]
struct Shoot {
    node: usize,
    direction: Vec3,
    length: f64,
    radius: f64,
    order: u32,
}

impl Grower {
    fn new(name: &str) -> Self {
        let plant = Plant {
            name: name.to_owned(),
            nodes: vec![Vec3::zeros()],
            parents: vec![0],
            radii: vec![0.0],
            orders: vec![0],
            foliage: Foliage::default(),
            loose_pieces: 0,
            remarks: Vec::new(),
        };
        let seed =
            name.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Self { plant, random: Random::new(seed) }
    }

    fn add(&mut self, parent: usize, by: Vec3, radius: f64, order: u32) -> usize {
        let at = self.plant.nodes[parent] + by;
        self.plant.nodes.push(at);
        self.plant.parents.push(parent);
        self.plant.radii.push(radius);
        self.plant.orders.push(order);
        self.plant.nodes.len() - 1
    }

    fn wobble(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.random.symmetric(), self.random.symmetric(), self.random.symmetric()) * size
    }

    /// Grows an axis of `pieces` elements that tapers to a third, bends by `bend` at each piece, and returns its nodes with
    /// the directions there.
    fn axis(&mut self, shoot: Shoot, pieces: usize, bend: Vec3, wobble: f64) -> Vec<(usize, Vec3)> {
        let (mut node, mut direction) = (shoot.node, shoot.direction);
        let mut nodes = Vec::with_capacity(pieces);
        for k in 0..pieces {
            direction = (direction + bend + self.wobble(wobble)).normalize();
            let radius = shoot.radius * (1.0 - 0.67 * (k as f64 + 0.5) / pieces as f64);
            node = self.add(node, direction * (shoot.length / pieces as f64), radius, shoot.order);
            nodes.push((node, direction));
        }
        nodes
    }

    /// A direction at `spread` rad from another, `turn` rad round it.
    fn aside(direction: Vec3, spread: f64, turn: f64) -> Vec3 {
        let helper = if direction.z.abs() < 0.9 { Vec3::z() } else { Vec3::x() };
        let (u, v) =
            (helper.cross(&direction).normalize(), direction.cross(&helper.cross(&direction).normalize()));
        let ((sin, cos), (st, ct)) = (math::sin_cos(spread), math::sin_cos(turn));
        direction * cos + (u * ct + v * st) * sin
    }

    /// A trunk that branches, whose branches branch, `orders` deep.
    fn broadleaf(&mut self, height: f64, radius: f64, orders: u32, branches: usize) {
        let trunk = Shoot { node: 0, direction: Vec3::z(), length: 0.72 * height, radius, order: 0 };
        self.plant.radii[0] = radius;
        let mut waiting = vec![trunk];
        let mut turn = 0.0;
        while let Some(shoot) = waiting.pop() {
            let pieces = if shoot.order == 0 { 2 * branches } else { branches };
            let up = Vec3::z() * if shoot.order == 0 { 0.05 } else { 0.10 };
            let nodes = self.axis(shoot, pieces, up, 0.09);
            if shoot.order >= orders {
                continue;
            }
            let bare = if shoot.order == 0 { pieces / 3 } else { pieces / 4 };
            let count = nodes.len();
            for (k, (node, direction)) in nodes.into_iter().enumerate().skip(bare) {
                turn += GOLDEN + 0.3 * self.random.symmetric();
                let along = (k + 1) as f64 / count as f64;
                let own = self.plant.radii[node];
                let spread = 0.85 + 0.25 * self.random.symmetric() - 0.25 * along;
                // Lower branches have had more time; twigs are a share of what they grow on.
                let share = if shoot.order == 0 { 0.75 - 0.35 * along } else { 0.55 };
                let thickness = (0.62 * own).min(0.55 * shoot.radius);
                // A twig that is longer for its thickness would hang as a thread does.
                let length = shoot.length * share * (1.0 + 0.2 * self.random.symmetric());
                let length = length.min(thickness / SLENDER);
                waiting.push(Shoot {
                    node,
                    direction: Self::aside(direction, spread, turn),
                    length,
                    radius: thickness,
                    order: shoot.order + 1,
                });
            }
        }
    }

    /// A trunk to the very top, and steep branches that are longest in the lower third.
    fn poplar(&mut self, height: f64, radius: f64) {
        const PIECES: usize = 28;
        self.plant.radii[0] = radius;
        let trunk = Shoot { node: 0, direction: Vec3::z(), length: height, radius, order: 0 };
        let mut turn = 0.0;
        let nodes = self.axis(trunk, PIECES, Vec3::z() * 0.2, 0.012);
        for (k, (node, direction)) in nodes.into_iter().enumerate().skip(3) {
            let along = (k + 1) as f64 / PIECES as f64;
            for _ in 0..4 {
                turn += GOLDEN + 0.3 * self.random.symmetric();
                let length =
                    height * (0.03 + 0.2 * (1.0 - along).sqrt()) * (1.0 + 0.2 * self.random.symmetric());
                let thickness = (0.14 * self.plant.radii[node]).max(SLENDER * length);
                let spread = 0.42 + 0.1 * self.random.symmetric();
                let branch = Shoot {
                    node,
                    direction: Self::aside(direction, spread, turn),
                    length,
                    radius: thickness,
                    order: 1,
                };
                let twigs = self.axis(branch, 6, Vec3::z() * 0.07, 0.04);
                for (node, direction) in twigs.into_iter().skip(1) {
                    let own = 0.5 * self.plant.radii[node];
                    for _ in 0..2 {
                        turn += GOLDEN;
                        let twig = Shoot {
                            node,
                            direction: Self::aside(direction, 0.65, turn),
                            length: (0.34 * length).min(own / SLENDER),
                            radius: own,
                            order: 2,
                        };
                        self.axis(twig, 4, Vec3::z() * 0.1, 0.06);
                    }
                }
            }
        }
    }

    /// Whorls of branches that droop, shorter towards the top.
    fn conifer(&mut self, height: f64, radius: f64) {
        self.plant.foliage = Foliage::Needles;
        self.plant.radii[0] = radius;
        let trunk = Shoot { node: 0, direction: Vec3::z(), length: height, radius, order: 0 };
        let nodes = self.axis(trunk, 30, Vec3::z() * 0.2, 0.01);
        for (k, (node, _)) in nodes.into_iter().enumerate().skip(3) {
            let along = (k + 1) as f64 / 30.0;
            let start = self.random.symmetric() * std::f64::consts::PI;
            for whorl in 0..6 {
                let turn =
                    start + f64::from(whorl) * std::f64::consts::TAU / 6.0 + 0.2 * self.random.symmetric();
                let (sin, cos) = math::sin_cos(turn);
                let branch = Shoot {
                    node,
                    direction: Vec3::new(cos, sin, 0.25 - 0.45 * (1.0 - along)).normalize(),
                    length: (0.26 * height * (1.0 - along) + 0.3) * (1.0 + 0.15 * self.random.symmetric()),
                    radius: 0.05 * radius + 0.12 * radius * (1.0 - along),
                    order: 1,
                };
                let twigs = self.axis(branch, 5, Vec3::z() * 0.03, 0.03);
                for (piece, (node, direction)) in twigs.into_iter().enumerate().skip(1) {
                    for side in [-1.0, 1.0] {
                        let level = Vec3::z().cross(&direction).normalize() * side;
                        let twig = Shoot {
                            node,
                            direction: (direction + level * 0.9).normalize(),
                            length: branch.length * 0.28 * (1.0 - 0.12 * piece as f64),
                            radius: 0.45 * self.plant.radii[node],
                            order: 2,
                        };
                        self.axis(twig, 2, Vec3::z() * -0.08, 0.03);
                    }
                }
            }
        }
    }

    /// A bare stem and fronds that bend over.
    fn palm(&mut self, height: f64, radius: f64) {
        self.plant.foliage = Foliage::Fronds;
        self.plant.radii[0] = radius;
        let stem = Shoot {
            node: 0,
            direction: Vec3::new(0.12, 0.05, 1.0).normalize(),
            length: height,
            radius: 1.3 * radius,
            order: 0,
        };
        let nodes = self.axis(stem, 16, Vec3::z() * 0.02, 0.015);
        let Some((top, _)) = nodes.last().copied() else { return };
        for frond in 0..20 {
            let (sin, cos) = math::sin_cos(GOLDEN * f64::from(frond));
            let rise = 1.3 - 0.11 * f64::from(frond);
            let shoot = Shoot {
                node: top,
                direction: Vec3::new(cos, sin, rise).normalize(),
                length: 2.6 + 0.3 * self.random.symmetric(),
                radius: 0.013,
                order: 1,
            };
            self.axis(shoot, 10, Vec3::new(0.0, 0.0, -0.16), 0.01);
        }
    }

    /// Blades from one root.
    fn grass(&mut self, height: f64, blades: u32) {
        self.plant.foliage = Foliage::Blades;
        self.plant.radii[0] = 0.006;
        let crown = self.add(0, Vec3::z() * 0.02, 0.006, 0);
        for blade in 0..blades {
            let (sin, cos) = math::sin_cos(GOLDEN * f64::from(blade));
            let lean = 0.08 + 0.45 * self.random.unit();
            let shoot = Shoot {
                node: crown,
                direction: Vec3::new(lean * cos, lean * sin, 1.0).normalize(),
                length: height * (0.7 + 0.3 * self.random.unit()),
                radius: 0.0017,
                order: 1,
            };
            self.axis(shoot, 8, Vec3::new(0.05 * cos, 0.05 * sin, -0.03), 0.02);
        }
    }
}

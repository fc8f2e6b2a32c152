//! Which kind of body is it? By what its bones are called where that helps, else by shape, symmetry and mass.
//!
//! Words come first, since artists say what they mean: a wing is a wing however it is drawn. Where names say nothing, a walker
//! is told from a swimmer by the room between its belly and the ground, a fish from a snake by how slender it is, a ray by how broad and flat.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{BodyClass, Creature, Role, Shape, Source, Vec3, settings, words_of_name};
use nalgebra::Point3;

mod shape;
mod words;

use self::shape::{Back, fingers, wheels};
use self::words::{ARM, FIN, FINGER, FLIES, FLUKE, LEAF, LEG, LIES, SWIMS, WHEEL, WING, singular};
use crate::{Heading, Legs, Mirror};

/// What a creature is, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// How it gets about in the first place.
    pub class: BodyClass,
    /// Why, in words that a user can check.
    pub reason: String,
    /// Whether it has legs that carry it too.
    pub walks: bool,
    /// Whether the user said so.
    pub is_stated: bool,
}

settings! {
    /// Where one kind of body ends and another begins.
    pub struct ClassSettings {
        /// Length over the root of the mean cross-section, of a body without limbs. Tunas and sharks have 6 to 8, eels 20, snakes
        /// 30 and more (Bainbridge 1960 and Videler 1993 give fineness ratios of 4 to 6 for fish that swim by their tails).
        slender: f64 = 14.0, Positive;
        /// Of wings of somebody with legs, length over that of the legs: an ostrich's do not carry it, a dragon's do.
        wing_over_leg: f64 = 1.0, Positive;
        /// Span over height of somebody who stands upright with wings: a penguin's is 0.7, an angel's 2.
        upright_span: f64 = 0.8, Positive;
        /// The same where nobody says that they are wings: people's arms reach 0.9 times as far as their legs are long, gibbons' 1.5.
        unnamed_wing: f64 = 1.6, AtLeastOne;
        /// The same of what is called an arm; the arms of a siamang reach 1.8 times as far.
        armed_wing: f64 = 2.2, AtLeastOne;
        /// Breadth over length of a body with broad fins: a manta has 1.2 and more, a shark with its fins spread 0.6.
        broad: f64 = 0.8, Positive;
        /// Height over breadth below which a broad body is flat as a ray is; a bird's trunk between its wings is a fifth and more.
        flat: f64 = 0.18, Share;
        /// The same where fins aside are named, of which tall ones are no ray's.
        ray_flat: f64 = 0.5, Share;
        /// Mass of a ray's fins over that of the whole; a shark's are 0.04.
        ray_fins: f64 = 0.15, Share;
        /// Breadth over length of somebody without legs or names whose limbs aside are taken for wings.
        wing_span: f64 = 1.2, Positive;
        /// What is this far from the midline, as a share of the breadth, is a fin of one side.
        aside: f64 = 0.08, Share;
        /// Room below the belly over the height: less than this is no walker's. A dachshund has a fifth.
        clearance: f64 = 0.12, Share;
        /// Height of hips above feet over the largest extent, of limbs that nobody calls legs: less than this is a wing or a fin that hangs.
        stands: f64 = 0.04, Share;
        /// Height over reach aside of one or two pairs of limbs that nobody calls legs: a lizard's have 0.5, a ray that lies on the ground
        /// and a butterfly 0.1.
        sprawls: f64 = 0.2, Share;
        /// Mass of what could be flippers over that of the whole: a dolphin's are 0.02, a dog's legs 0.15 and more.
        flippers: f64 = 0.07, Share;
        /// The same of a pair that cannot be legs, however high the belly is: a flamingo's are 0.05.
        twigs: f64 = 0.025, Share;
        /// Share of the moving bodies that are fingers, where it is a hand.
        fingers: f64 = 0.6, Share;
        /// Fewest fingers of a hand that nobody names …
        fewest_fingers: usize = 4, AtLeastOne;
        /// … and most …
        most_fingers: usize = 6, AtLeastOne;
        /// … length of the shortest over that of the longest: a thumb has half and more …
        short_finger: f64 = 0.3, Share;
        /// … length of the mean of the ways that they point, of 1 m each: of a hand that is spread with its thumb aside 0.8 …
        fingers_agree: f64 = 0.7, Share;
        /// … how far their tips are from a line, over their reach along it: of a hand 0.1, of a ring of arms 1 …
        finger_plane: f64 = 0.35, Share;
        /// … and the least distance of two tips over the mean one: legs of one trunk stand in pairs, and have none.
        finger_gap: f64 = 0.25, Share;
        /// Length of fingers over the reach aside of the limb that they end: a bat's have half, a person's with arms stretched out a fifth.
        wing_fingers: f64 = 0.3, Share;
        /// Breadth ahead over height of limbs called arms that are wings though nobody says that they fly: as roots of second moments.
        flat_arm: f64 = 2.0, AtLeastOne;
        /// Reach aside of a limb over that of the farthest, beyond which it is one of several pairs of wings or flippers.
        broad_limb: f64 = 0.4, Share;
        /// Breadth from tip to tip over that of the trunk, of two pairs of limbs that nobody names: a sea turtle's is 3, a butterfly's 10 and more.
        paddled: f64 = 4.5, Positive;
        /// Share of the moving bodies that are called leaves or branches, where it is a plant.
        leaves: f64 = 0.3, Share;
        /// Parts in pairs over parts of the back, of somebody without names: beyond this it is no back with a fin or two.
        branching: usize = 2, AtLeastOne;
        /// Joints along the body that a wave takes.
        bends: usize = 3, AtLeastOne;
        /// Joints of a side branch over those of the back from which on it is no fin: two of these, and it is a hand or a star.
        branch: f64 = 0.45, Share;
        /// Rise over length of a back that stands upright or hangs: a rope, an arm of a robot. Who rears up is laid down before.
        upright: f64 = 0.5, Share;
        /// Distance of a wheel's centre from its axle over its radius.
        off_axle: f64 = 0.15, Share;
        /// Its extents ahead and up differ by less than this part.
        round: f64 = 0.1, Share;
        /// Breadth over height, as roots of second moments, of a last bone that is flukes.
        fluke: f64 = 2.0, AtLeastOne;
        /// Flukes are in this hindmost part of the length.
        hindmost: f64 = 0.25, Share;
    }
}

/// kg/m³
const WATER: f64 = 1000.0;
/// Fewest rows into which a limb parts that ends in a bat's fingers.
const FANNED: usize = 3;

/// What a creature is.
pub fn classify(creature: &Creature, data: &mut Data, settings: &ClassSettings) -> Classified {
    let legs = Legs::new(creature, data, creature.reference_pose());
    let look = Look::new(creature, data, legs.heading, settings);
    let walks = look.walks(creature, &legs, settings);
    if let Some(class) = creature.stated_class() {
        let walks = class == BodyClass::Legs || walks && class == BodyClass::Wings;
        return Classified { class, reason: "as the user says".to_owned(), walks, is_stated: true };
    }
    let (class, reason) = look.guess(creature, &legs, walks, settings);
    let walks = walks && matches!(class, BodyClass::Legs | BodyClass::Wings);
    Classified { class, reason, walks, is_stated: false }
}

/// What can be seen of a creature.
struct Look {
    /// Words of each body and its joints; none of bodies that cannot move against their parents and are not the root.
    words: Vec<Vec<String>>,
    labels: Vec<String>,
    /// Lowest and highest along forward, left and up, of all shapes, m.
    low: Vec3,
    high: Vec3,
    /// The same of what lies on the midline.
    trunk_low: f64,
    /// Of each body's centre along forward, m.
    ahead: Vec<f64>,
    /// Breadth over height of each body, as roots of second moments.
    breadth: Vec<f64>,
    /// Extent ahead over height, likewise.
    chord: Vec<f64>,
    /// Of what lies on the midline, m.
    trunk_breadth: f64,
    /// Rows that spread from one body as fingers do.
    fan: usize,
    back: Back,
    /// Round parts at the ground that turn about their middle.
    wheels: usize,
    /// Farthest from the midline of each body, m.
    aside: Vec<f64>,
    /// How far each body's centre is from the midline, m.
    com_aside: Vec<f64>,
    /// Bodies that are their own mirror images.
    on_midline: Vec<bool>,
    /// The same, and bodies without any mate: a snake that lies in bends is all midline.
    unpaired: Vec<bool>,
}

impl Look {
    fn new(creature: &Creature, data: &mut Data, heading: Heading, settings: &ClassSettings) -> Self {
        let mirror = Mirror::new(creature, data);
        let frames = forward_kinematics(creature, data, creature.reference_pose());
        let of_body = |(index, body): (usize, &gambol_model::Body)| {
            let joints = creature.joints()[body.joints.clone()].iter();
            let names = std::iter::once(body.name.as_str()).chain(joints.map(|joint| joint.name.as_str()));
            let moves = index > 0 && !body.joints.is_empty();
            names.filter(|_| moves).flat_map(words_of_name).map(singular).collect()
        };
        let words = creature.bodies().iter().enumerate().map(of_body).collect();
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let (mut trunk_low, mut aside) = (f64::INFINITY, vec![0.0; creature.bodies().len()]);
        let on_midline: Vec<bool> =
            (0..creature.bodies().len()).map(|body| mirror.body(body) == Some(body)).collect();
        let unpaired: Vec<bool> = (0..creature.bodies().len())
            .map(|body| mirror.body(body).is_none_or(|mate| mate == body))
            .collect();
        let axes = [heading.forward, heading.left, heading.up];
        for (index, body) in creature.bodies().iter().enumerate().skip(1) {
            let frame = &frames[index];
            let mut own = vec![frame.point_in_world(body.mass.com)];
            for shape in creature.shapes()[body.shapes.clone()].iter().filter(|shape| bounded(&shape.shape)) {
                for toward in axes.into_iter().flat_map(|axis| [axis, -axis]) {
                    let inner =
                        shape.body_from_shape.rotation.inverse() * (frame.orientation.inverse() * toward);
                    let point = shape.body_from_shape * Point3::from(shape.shape.support(inner));
                    own.push(frame.point_in_world(point.coords));
                }
            }
            for at in
                own.iter().filter(|at| at.iter().all(|x| x.is_finite())).map(|at| heading.components(*at))
            {
                (low, high) = (low.inf(&at), high.sup(&at));
                aside[index] = f64::max(aside[index], at.y.abs());
                if on_midline[index] {
                    trunk_low = f64::min(trunk_low, at.z);
                }
            }
        }
        let left = heading.left;
        let moment = |body: usize, axis: Vec3| -> f64 {
            let axis = frames[body].orientation.inverse() * axis;
            let mass = &creature.bodies()[body].mass;
            0.5 * mass.inertia.trace() - (mass.inertia * axis).dot(&axis)
        };
        let over_height = |axis: Vec3| {
            let of = |body| (moment(body, axis) / moment(body, heading.up).max(1e-300)).max(0.0).sqrt();
            (0..creature.bodies().len()).map(of).collect::<Vec<f64>>()
        };
        let [breadth, chord] = [left, heading.forward].map(over_height);
        let trunk_breadth = 2.0
            * (1..on_midline.len())
                .filter(|&body| on_midline[body])
                .map(|body| aside[body])
                .fold(0.0, f64::max);
        let fan = fingers(creature, frames, settings);
        let ahead = (0..creature.bodies().len())
            .map(|body| frames[body].point_in_world(creature.bodies()[body].mass.com).dot(&heading.forward))
            .collect();
        let wheels = wheels(creature, frames, &unpaired, &heading, [low.z, high.z], settings);
        let back = Back::find(creature, frames, &unpaired, heading.up);
        let middle = 0.5 * (low.y + high.y);
        let com_aside =
            creature.bodies().iter().zip(frames).map(|(body, frame)| {
                (heading.components(frame.point_in_world(body.mass.com)).y - middle).abs()
            });
        let com_aside = com_aside.collect();
        let labels = creature.labels().iter().flat_map(|label| words_of_name(label)).map(singular).collect();
        Self {
            words,
            labels,
            low,
            high,
            trunk_low,
            ahead,
            breadth,
            chord,
            trunk_breadth,
            fan,
            back,
            wheels,
            aside,
            com_aside,
            on_midline,
            unpaired,
        }
    }

    fn says(&self, body: usize, words: &[&str]) -> bool {
        self.words[body].iter().any(|word| words.contains(&word.as_str()))
    }

    fn count(&self, words: &[&str]) -> usize {
        (0..self.words.len()).filter(|&body| self.says(body, words)).count()
    }

    fn moving(&self) -> usize {
        self.words.iter().filter(|words| !words.is_empty()).count()
    }

    fn labelled(&self, words: &[&str]) -> bool {
        self.labels.iter().any(|label| words.contains(&label.as_str()))
    }

    /// Along forward, left and up, m.
    fn extent(&self) -> Vec3 {
        self.high - self.low
    }

    /// Whether its legs carry it.
    fn walks(&self, creature: &Creature, legs: &Legs, settings: &ClassSettings) -> bool {
        if legs.is_empty() {
            return false;
        }
        if legs.legs.iter().any(|leg| self.leg_says(creature, leg.foot, LEG)) {
            return true;
        }
        // Guessed legs without a mate are the trunk of a tree, the tail of a sea horse, the foot of a lamp, cubes.
        let guessed =
            creature.landmarks().iter().all(|mark| mark.role != Role::Foot || mark.source == Source::Guess);
        if guessed
            && ((0..legs.legs.len()).all(|leg| legs.partner(leg).is_none()) || self.sprawl(legs, settings))
        {
            return false;
        }
        let other = [FIN, WING, ARM];
        let beats =
            legs.legs.iter().all(|leg| other.iter().any(|word| self.leg_says(creature, leg.foot, word)));
        let height = self.extent().z.max(f64::MIN_POSITIVE);
        let ground = self.low.z;
        let share = self.leg_mass(creature, legs) / creature.mass().max(f64::MIN_POSITIVE);
        let low = self.trunk_low - ground < settings.clearance * height && share < settings.flippers;
        // A bird's legs are as thin; its wings reach further aside.
        let hands = creature.landmarks().iter().filter(|mark| mark.role == Role::Hand);
        let winged =
            hands.map(|mark| self.aside[mark.body]).fold(0.0, f64::max) > settings.unnamed_wing * legs.length;
        let thin = share < settings.twigs && !winged;
        let flippers = legs.pairs == 1 && (low || thin) && self.extent().x > height;
        let stands = legs.length > settings.stands * self.extent().max();
        !beats && !flippers && stands
    }

    /// Whether its few legs reach so far aside and so little down that they are wings or fins on the ground.
    fn sprawl(&self, legs: &Legs, settings: &ClassSettings) -> bool {
        let aside = |leg: &crate::Leg| self.aside[leg.foot] - leg.hip.dot(&legs.heading.left).abs();
        let mean = legs.legs.iter().map(aside).sum::<f64>() / legs.legs.len().max(1) as f64;
        legs.pairs <= 2 && legs.length < settings.sprawls * mean
    }

    /// Whether a body, or one between it and the midline, is called so.
    fn leg_says(&self, creature: &Creature, body: usize, words: &[&str]) -> bool {
        let up = std::iter::successors(Some(body), |&body| Some(creature.bodies()[body].parent));
        up.take_while(|&body| body != 0 && !self.on_midline[body]).any(|body| self.says(body, words))
    }

    fn leg_mass(&self, creature: &Creature, legs: &Legs) -> f64 {
        let of_leg = |leg: &crate::Leg| {
            let joints = leg.joints.iter().map(|&joint| creature.joints()[joint].body);
            let mut bodies: Vec<usize> = joints.filter(|&body| !self.on_midline[body]).collect();
            bodies.dedup();
            bodies.iter().map(|&body| creature.bodies()[body].mass.mass).sum::<f64>()
        };
        legs.legs.iter().map(of_leg).sum()
    }

    fn guess(
        &self,
        creature: &Creature,
        legs: &Legs,
        walks: bool,
        settings: &ClassSettings,
    ) -> (BodyClass, String) {
        let told = |class: BodyClass, reason: &str| (class, reason.to_owned());
        let has_legs = self.count(LEG) > 0;
        if self.count(WHEEL) >= 2 && !has_legs {
            return told(BodyClass::Wheels, "its parts are called wheels, tracks or rotors");
        }
        if !has_legs && self.wheels >= 2 {
            return told(BodyClass::Wheels, "round parts at the ground turn about their middle: wheels");
        }
        let share = |words: &[&str]| self.count(words) as f64 / self.moving().max(1) as f64;
        let webbed = self.has_webbed_hands(creature, settings);
        if share(FINGER) >= settings.fingers && !has_legs && !webbed {
            return told(BodyClass::Hand, "most of its parts are fingers");
        }
        let named = [LEG, WING, FIN].iter().any(|words| self.count(words) > 0);
        if self.fan > 0 && !named && !webbed {
            return (BodyClass::Hand, format!("{} rows of parts spread from one as fingers do", self.fan));
        }
        if share(LEAF) >= settings.leaves && !has_legs {
            return told(BodyClass::Plant, "its parts are called leaves or branches");
        }
        if let Some(found) = self.winged(creature, legs, walks, settings) {
            return found;
        }
        if let Some(found) = self.unnamed_wings(creature, legs, walks, settings) {
            return found;
        }
        if walks {
            let pairs = legs.pairs;
            let plural = if pairs == 1 { "a pair of legs stands" } else { "several pairs of legs stand" };
            return (BodyClass::Legs, format!("{plural} on the ground"));
        }
        if self.count(FIN) > 0 || (self.labelled(SWIMS) || self.labelled(FIN)) && self.bends() > 0 {
            return self.swimmer(creature, settings);
        }
        self.unnamed(creature, legs, settings)
    }

    /// Wings by name, if they are more than an ostrich's.
    fn winged(
        &self,
        creature: &Creature,
        legs: &Legs,
        walks: bool,
        settings: &ClassSettings,
    ) -> Option<(BodyClass, String)> {
        let wings: Vec<usize> = (1..self.words.len()).filter(|&body| self.says(body, WING)).collect();
        let sides = wings.iter().any(|&body| !self.on_midline[body]);
        if wings.len() < 2 || !sides {
            return None;
        }
        let reach = wings.iter().map(|&body| self.aside[body]).fold(0.0, f64::max);
        if walks && (reach < settings.wing_over_leg * legs.length || !self.spans(reach, settings)) {
            return None;
        }
        if self.labelled(SWIMS) && !self.labelled(FLIES) {
            return Some((BodyClass::Ray, "its fins are called wings, and its clips swim".to_owned()));
        }
        let name = &creature.bodies()[wings[0]].name;
        Some((BodyClass::Wings, format!("{} of its parts are called wings, as {name:?}", wings.len())))
    }

    /// Limbs of a walker that nobody calls arms and that reach far beyond what arms do.
    fn unnamed_wings(
        &self,
        creature: &Creature,
        legs: &Legs,
        walks: bool,
        settings: &ClassSettings,
    ) -> Option<(BodyClass, String)> {
        if !walks || self.count(WING) > 0 || self.count(FIN) > 0 {
            return None;
        }
        let of_leg = |body: usize| {
            let mut joints = legs.legs.iter().flat_map(|leg| &leg.joints);
            joints.any(|&joint| creature.joints()[joint].body == body)
                || legs.legs.iter().any(|leg| leg.foot == body)
        };
        let limbs = (1..self.words.len()).filter(|&body| !self.unpaired[body] && !of_leg(body));
        let reach = limbs.map(|body| self.aside[body]).fold(0.0, f64::max);
        // An insect's legs reach aside themselves.
        let aside = legs.legs.iter().map(|leg| self.aside[leg.foot]).fold(0.0, f64::max);
        let share = reach / legs.length.max(if legs.pairs > 1 { aside } else { 0.0 }).max(f64::MIN_POSITIVE);
        // And wider than it is long: a crocodile's short legs make nothing a wing.
        let wide = 2.0 * reach > self.extent().x && self.spans(reach, settings);
        let least = if self.count(ARM) > 0 { settings.armed_wing } else { settings.unnamed_wing };
        (wide && share > least).then(|| {
            let reason = format!("limbs aside reach {share:.1} times as far as its legs are long");
            (BodyClass::Wings, reason)
        })
    }

    /// Whether wings that reach so far carry somebody who stands upright.
    fn spans(&self, reach: f64, settings: &ClassSettings) -> bool {
        let size = self.extent();
        size.x > size.z || 2.0 * reach > settings.upright_span * size.z
    }

    /// Which way it swims, with fins by name or a clip that says so.
    fn swimmer(&self, creature: &Creature, settings: &ClassSettings) -> (BodyClass, String) {
        let size = self.extent();
        let fins: Vec<usize> = (1..self.words.len()).filter(|&body| self.says(body, FIN)).collect();
        // Drawn as they are, fins need not mirror each other to a hair.
        let aside = |&&body: &&usize| self.com_aside[body] > settings.aside * size.y;
        let begins = |&&body: &&usize| !self.says(creature.bodies()[body].parent, FIN);
        let paired = fins.iter().filter(aside).filter(begins).count();
        let fin_mass: f64 = fins.iter().filter(aside).map(|&body| creature.bodies()[body].mass.mass).sum();
        if self.count(FLUKE) > 0 || self.has_flukes(creature, settings) {
            return (BodyClass::Whale, "its tail ends in flukes that lie flat".to_owned());
        }
        let broad = size.y > settings.broad * size.x || fin_mass > settings.ray_fins * creature.mass();
        if broad && paired <= 2 && size.z < settings.ray_flat * size.y {
            let share = 100.0 * fin_mass / creature.mass();
            return (BodyClass::Ray, format!("it is flat, and {share:.0} % of it are fins aside"));
        }
        if paired >= 4 && fin_mass > settings.flippers * creature.mass() {
            return (BodyClass::Paddles, "it has flippers on both sides and no tail to swim with".to_owned());
        }
        let why = if fins.is_empty() { "its file speaks of swimming" } else { "it has fins and a tail" };
        (BodyClass::Fish, why.to_owned())
    }

    /// Nobody says what it is.
    fn unnamed(&self, creature: &Creature, legs: &Legs, settings: &ClassSettings) -> (BodyClass, String) {
        let told = |class: BodyClass, reason: String| (class, reason);
        let (size, bends) = (self.extent(), self.bends());
        if Self::is_ring(creature) {
            return told(BodyClass::Belly, "its body is closed to a ring".to_owned());
        }
        let pairs = (1..self.words.len()).any(|body| !self.unpaired[body] && !self.words[body].is_empty());
        let broad = pairs && size.y > settings.wing_span * size.x;
        let flippers = legs.legs.len() > 1 && self.count(LEG) == 0 && size.x > size.z && legs.pairs == 1;
        if flippers && !broad && bends + 1 >= settings.bends {
            let class = if self.has_flukes(creature, settings) { BodyClass::Whale } else { BodyClass::Fish };
            return told(class, "its belly is on the ground between two small limbs: flippers".to_owned());
        }
        // Arms hang from who is upright; a bat's are wings.
        let arms = (1..self.words.len()).any(|body| self.says(body, ARM) && !self.unpaired[body]);
        let flat = self.has_flat_arms(settings) || self.labelled(FLIES);
        let webbed = self.has_webbed_hands(creature, settings);
        let flies = broad && (webbed || size.x > size.z && flat);
        if arms && !flies && legs.legs.iter().all(|leg| !self.leg_says(creature, leg.foot, LEG)) {
            return told(BodyClass::Floats, "it has arms and no legs, and hangs in the air".to_owned());
        }
        let limbs = self.broad_limbs(creature, settings);
        if broad && !flies && limbs == 4 && size.y < settings.paddled * self.trunk_breadth {
            return told(
                BodyClass::Paddles,
                "two pairs of limbs on a broad trunk carry nobody: flippers".to_owned(),
            );
        }
        if broad {
            let flat = size.z < settings.flat * size.y && !flies && limbs < 4;
            let class = if flat { BodyClass::Ray } else { BodyClass::Wings };
            let reason = format!("it is {:.1} times as broad as long, without legs", size.y / size.x);
            return told(class, reason);
        }
        let moving = |unpaired: bool| {
            (1..self.words.len())
                .filter(|&body| self.unpaired[body] == unpaired && !self.words[body].is_empty())
                .count()
        };
        if moving(false) > settings.branching * moving(true) {
            let reason = "most of it branches off in pairs that are neither legs, wings nor fins".to_owned();
            return told(BodyClass::Thing, reason);
        }
        if self.back.branches(settings) >= 2 {
            return told(
                BodyClass::Thing,
                "several rows of parts hang from it, and none is its back".to_owned(),
            );
        }
        if bends >= settings.bends {
            return self.limbless(creature, settings);
        }
        told(BodyClass::Thing, "it has neither legs, wings nor fins, nor a body that bends".to_owned())
    }

    /// Whether limbs of a pair end in fingers that are a good part of their length, as a bat's do.
    fn has_webbed_hands(&self, creature: &Creature, settings: &ClassSettings) -> bool {
        let half = 0.5 * self.extent().y;
        let begins = |body: &usize| {
            let parent = creature.bodies()[*body].parent;
            self.says(*body, FINGER) && !self.says(parent, FINGER) && !self.unpaired[parent]
        };
        let root = (1..self.words.len()).filter(begins).map(|body| self.com_aside[body]).reduce(f64::min);
        let tip = (1..self.words.len()).filter(|&body| self.says(body, FINGER)).map(|body| self.aside[body]);
        root.is_some_and(|root| tip.fold(0.0, f64::max) - root > settings.wing_fingers * half)
            || self.count(FINGER) == 0 && self.fans_out(creature, settings.wing_fingers * half)
    }

    /// Whether a limb of a pair parts into three rows or more that reach so much further aside, m: fingers that nobody names.
    fn fans_out(&self, creature: &Creature, further: f64) -> bool {
        let bodies = creature.bodies();
        let mut reach = self.aside.clone();
        for body in (1..bodies.len()).rev() {
            let parent = bodies[body].parent;
            reach[parent] = reach[parent].max(reach[body]);
        }
        let row = |body: &usize, hub: usize| {
            bodies[*body].parent == hub && reach[*body] - self.com_aside[hub] > further
        };
        (1..bodies.len())
            .filter(|&hub| !self.unpaired[hub])
            .any(|hub| (hub + 1..bodies.len()).filter(|body| row(body, hub)).count() >= FANNED)
    }

    /// Limbs of pairs that reach aside by a good part of what the widest do: not the horns of a manta.
    fn broad_limbs(&self, creature: &Creature, settings: &ClassSettings) -> usize {
        let mut reach = self.aside.clone();
        for body in (1..reach.len()).rev() {
            let parent = creature.bodies()[body].parent;
            reach[parent] = reach[parent].max(reach[body]);
        }
        let roots = (1..reach.len()).filter(|&body| {
            !self.unpaired[body]
                && self.unpaired[creature.bodies()[body].parent]
                && !self.words[body].is_empty()
        });
        roots.filter(|&body| reach[body] > settings.broad_limb * 0.5 * self.extent().y).count()
    }

    /// Whether what is called an arm is as flat as a wing.
    fn has_flat_arms(&self, settings: &ClassSettings) -> bool {
        let arms = (1..self.words.len()).filter(|&body| self.says(body, ARM) && !self.unpaired[body]);
        let chords: Vec<f64> = arms.map(|body| self.chord[body]).collect();
        chords.iter().sum::<f64>() > settings.flat_arm * chords.len() as f64 && !chords.is_empty()
    }

    /// A body that is all back.
    fn limbless(&self, creature: &Creature, settings: &ClassSettings) -> (BodyClass, String) {
        if self.has_flukes(creature, settings) {
            return (BodyClass::Whale, "it is all back, and its tail ends in a pair: flukes".to_owned());
        }
        let length = self.extent().max().max(self.back.length).max(f64::MIN_POSITIVE);
        if self.back.rises > settings.upright * self.back.length
            && !self.labelled(SWIMS)
            && !self.labelled(LIES)
        {
            return (BodyClass::Thing, "it is a row of parts that stands upright or hangs".to_owned());
        }
        let slender = length / (creature.mass() / WATER / length).sqrt().max(f64::MIN_POSITIVE);
        if self.labelled(LIES) || slender > settings.slender {
            return (BodyClass::Belly, format!("it is all back, {slender:.0} times as long as thick"));
        }
        (BodyClass::Fish, format!("it is all back, and stout: {slender:.0} times as long as thick"))
    }

    /// Whether the tail ends in a pair, or in what lies flatter than it stands.
    fn has_flukes(&self, creature: &Creature, settings: &ClassSettings) -> bool {
        // Whose flippers were taken for feet has no tail by the landmarks: it is the hindmost part of the midline.
        let marked = creature.landmarks().iter().find(|mark| mark.role == Role::Tail).map(|mark| mark.body);
        let midline = (1..self.words.len()).filter(|&body| self.unpaired[body]);
        let hindmost = midline.min_by(|&a, &b| self.ahead[a].total_cmp(&self.ahead[b]));
        let Some(tail) = marked.or(hindmost) else { return false };
        let parent = |body: usize| creature.bodies()[body].parent;
        let behind = |body: usize| parent(body) == tail || parent(tail) == parent(body);
        let last = |body: usize| self.ahead[body] < self.low.x + settings.hindmost * self.extent().x;
        let pair =
            (1..self.words.len()).filter(|&body| !self.unpaired[body] && behind(body) && last(body)).count();
        // What hangs from the trunk itself is no tail: a turtle's hind flippers.
        let bends = parent(tail) != 0 && parent(parent(tail)) != 0;
        bends && (pair >= 2 || self.breadth[tail] > settings.fluke && last(tail))
    }

    /// Joints along its back.
    fn bends(&self) -> usize {
        self.back.bends
    }

    fn is_ring(creature: &Creature) -> bool {
        let spine = creature.landmarks().iter().any(|mark| mark.role == Role::Spine);
        !creature.constraints().is_empty() && !spine && creature.bodies().len() > 4
    }
}

/// A plane has no farthest point.
fn bounded(shape: &Shape) -> bool {
    shape.support(Vec3::x()).iter().all(|x| x.is_finite())
}

//! The name a person would give to a mode.

use gambol_anatomy::{Limb, LimbPart};
use gambol_model::{Role, Row, Vec3};

use super::act::{self, Act, Sync, Way, largest};
use super::motion::Motion;
use super::nouns::{self, list, times};
use super::wave::directions;
use super::{ReadSettings, Reader, Symmetry};

/// A mode, about to be named.
pub(super) struct Namer<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) motion: &'a Motion<'a>,
    pub(super) symmetry: Symmetry,
}

/// Limbs of one part that do the same, the strongest row first.
#[derive(Debug)]
struct Cast {
    acts: Vec<Act>,
    share: f64,
}

impl Cast {
    /// Rows that move about as much as the strongest, from front to hind.
    /// `equal`: see [`ReadSettings::equal_rows`].
    fn leading_rows(&self, equal: f64) -> Vec<&Act> {
        let least = equal * self.acts[0].share;
        let mut rows: Vec<&Act> = self.acts.iter().filter(|act| act.share >= least).collect();
        rows.sort_by_key(|act| act.row);
        rows
    }

    /// Front legs go back while hind legs go forward.
    fn is_gathering(&self, equal: f64) -> bool {
        let rows = self.leading_rows(equal);
        rows.len() > 1 && rows[0].swing.x * rows[rows.len() - 1].swing.x < 0.0
    }
}

impl Namer<'_> {
    /// "rigid: forward", "rigid: roll".
    pub(super) fn rigid(&self) -> String {
        let heading = &self.motion.scene.heading;
        let mass: f64 = self.reader.creature.bodies().iter().map(|body| body.mass.mass).sum();
        let bodies = self.reader.creature.bodies().iter().zip(&self.motion.bodies);
        let momentum: Vec3 = bodies.map(|(body, moving)| moving.linear * body.mass.mass).sum();
        let turning = self.motion.bodies.iter().map(|moving| moving.angular);
        let turn = turning.fold(Vec3::zeros(), |most, x| if x.norm() > most.norm() { x } else { most });
        let (turn, shift) = (heading.components(turn), heading.components(momentum));
        let (words, vector) = if turn.norm() > 1e-6 {
            (["roll", "pitch", "yaw"], turn)
        } else if shift.norm() > 1e-9 * mass {
            (["forward", "sideways", "up"], shift)
        } else {
            return "rigid".to_owned();
        };
        // A direction between the axes has no name of its own.
        let main = vector.iamax();
        if vector[main].abs() > 0.9 * vector.norm() {
            format!("rigid: {}", words[main])
        } else {
            "rigid".to_owned()
        }
    }

    pub(super) fn vibration(&self) -> String {
        if let Some(chain) = &self.reader.wave {
            return chain.name(self.motion, &self.reader.settings);
        }
        let casts = self.casts();
        self.of_trunk(&casts)
            .or_else(|| self.of_bow(&casts))
            .or_else(|| self.of_sway(&casts))
            .or_else(|| of_arms_and_legs(&casts, &self.reader.settings))
            .or_else(|| self.of_leader(&casts))
            .or_else(|| self.of_many(&casts))
            .unwrap_or_else(|| self.of_joints())
    }

    /// Groups of limbs that do the same, by share.
    fn casts(&self) -> Vec<Cast> {
        let mut casts: Vec<Cast> = Vec::new();
        for act in act::of_groups(self.reader, self.motion) {
            let joins = |cast: &&mut Cast| {
                let first = &cast.acts[0];
                first.part == act.part && first.sync == act.sync && self.same_way(first, &act)
            };
            let has_rows = matches!(act.part, LimbPart::Leg | LimbPart::Arm);
            match casts.iter_mut().find(|cast| has_rows && joins(cast)) {
                Some(cast) => {
                    cast.share += act.share;
                    cast.acts.push(act);
                }
                None => casts.push(Cast { share: act.share, acts: vec![act] }),
            }
        }
        for cast in &mut casts {
            cast.acts.sort_by(|a, b| b.share.total_cmp(&a.share));
        }
        casts.sort_by(|a, b| b.share.total_cmp(&a.share));
        casts
    }

    fn same_way(&self, a: &Act, b: &Act) -> bool {
        match (a.way.joint(), b.way.joint()) {
            (Some(x), Some(y)) => {
                std::mem::discriminant(&a.way) == std::mem::discriminant(&b.way)
                    && self.joint_noun(a, x) == self.joint_noun(b, y)
            }
            (None, None) => a.way == b.way,
            _ => false,
        }
    }

    /// The trunk bends or twists.
    fn of_trunk(&self, casts: &[Cast]) -> Option<String> {
        let trunk = casts.iter().find(|cast| cast.acts[0].part == LimbPart::Spine)?;
        let most = casts.first()?.share;
        if trunk.share < self.reader.settings.trunk || trunk.share < self.reader.settings.names_all * most {
            return None;
        }
        let act = &trunk.acts[0];
        let bends = act.turns_back + 1;
        Some(match act.way {
            Way::Vertical if bends == 1 && self.is_bounding(casts) => "bounding".to_owned(),
            Way::Vertical if bends == 1 && self.has_four_legs() => "back arches".to_owned(),
            Way::Vertical if bends == 1 => "back bends forward and back".to_owned(),
            Way::Vertical => format!("back bends {} forward and back", times(bends)),
            Way::Sideways if bends == 1 => "body bends sideways".to_owned(),
            Way::Sideways => format!("body bends {} sideways", times(bends)),
            _ if bends == 1 => "back twists".to_owned(),
            _ => format!("back twists {}", times(bends)),
        })
    }

    fn has_four_legs(&self) -> bool {
        self.reader.limbs.rows(LimbPart::Leg) == 2
    }

    /// Front and hind legs gather under the trunk as the back rounds, and stretch as it hollows.
    fn is_bounding(&self, casts: &[Cast]) -> bool {
        let legs = || casts.iter().flat_map(|cast| &cast.acts).filter(|act| act.part == LimbPart::Leg);
        let swing = |row: Row| {
            legs()
                .find(|act| act.row == Some(row) && act.share > self.reader.settings.bounding)
                .map(|act| act.swing.x)
        };
        let gathers = |(front, hind): (f64, f64)| front * hind < 0.0 && hind * self.rounding() > 0.0;
        let symmetric = self.symmetry == Symmetry::Symmetric;
        self.has_four_legs() && symmetric && swing(Row::Front).zip(swing(Row::Hind)).is_some_and(gathers)
    }

    /// How far the back rounds, rad: the front of the trunk pitches down against its hind end.
    fn rounding(&self) -> f64 {
        let (spine, left) = (&self.reader.spine, self.motion.scene.heading.left);
        let signs = directions(self.reader.creature, spine);
        spine.iter().zip(signs).map(|(&joint, sign)| sign * self.motion.turns[joint].dot(&left)).sum()
    }

    /// The head goes down while the front legs reach forward, as in a play bow.
    fn of_bow(&self, casts: &[Cast]) -> Option<String> {
        let head = casts
            .iter()
            .find(|cast| cast.acts[0].part == LimbPart::Head && cast.share > self.reader.settings.bow)?;
        let legs = casts
            .iter()
            .find(|cast| cast.acts[0].part == LimbPart::Leg && cast.share > self.reader.settings.bow)?;
        let (head, legs) = (&head.acts[0], &legs.acts[0]);
        let fits = self.has_four_legs()
            && self.symmetry == Symmetry::Symmetric
            && legs.row == Some(Row::Front)
            && (legs.way, legs.sync) == (Way::Forward, Sync::Together)
            && head.way == Way::Vertical;
        if !fits {
            return None;
        }
        let bows = head.swing.z * legs.swing.x < 0.0;
        Some(if bows { "stretching" } else { "head and front legs rise together" }.to_owned())
    }

    /// All that moves goes to the sides, arms and legs first of all.
    fn of_sway(&self, casts: &[Cast]) -> Option<String> {
        let seen: Vec<&Cast> = casts.iter().filter(|cast| cast.share > self.reader.settings.spoken).collect();
        let is_extremity = |cast: &&&Cast| matches!(cast.acts[0].part, LimbPart::Leg | LimbPart::Arm);
        let sways = |cast: &&Cast| {
            let act = &cast.acts[0];
            match act.part {
                LimbPart::Leg | LimbPart::Arm => (act.way, act.sync) == (Way::Sideways, Sync::InTurn),
                LimbPart::Other => false,
                _ => act.way == Way::Sideways,
            }
        };
        let extremities: Vec<&Cast> = seen.iter().filter(is_extremity).copied().collect();
        let moving: f64 = extremities.iter().map(|cast| cast.share).sum();
        if seen.len() < 2 || moving < self.reader.settings.names_all || !seen.iter().all(sways) {
            return None;
        }
        // Hands and feet to one side, the trunk to the other; or hands to one, feet to the other, the trunk between.
        Some(match extremities.as_slice() {
            [a, b] if a.acts[0].swing.y * b.acts[0].swing.y > 0.0 => "arms and legs sway sideways".to_owned(),
            [only] => self.phrase(only),
            _ => "body sways sideways".to_owned(),
        })
    }

    /// One part has clearly most of the motion.
    fn of_leader(&self, casts: &[Cast]) -> Option<String> {
        let first = casts.first()?;
        let second = casts.get(1).map_or(0.0, |cast| cast.share);
        let leads = first.share > self.reader.settings.names_all
            || first.share > self.reader.settings.leader && first.share > self.reader.settings.leads * second;
        leads.then(|| self.phrase(first))
    }

    /// Nothing leads: those that move, and how left and right go together.
    fn of_many(&self, casts: &[Cast]) -> Option<String> {
        let least = 0.5 * casts.first()?.share;
        let spoken = casts
            .iter()
            .filter(|cast| cast.share > least.max(self.reader.settings.spoken))
            .take(self.reader.settings.most_spoken);
        let mut subjects: Vec<String> = Vec::new();
        for subject in spoken.map(|cast| self.subject(cast)) {
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
        if subjects.is_empty() {
            return None;
        }
        let how = match self.symmetry {
            Symmetry::Symmetric => ", symmetric",
            Symmetry::Antisymmetric => ", antisymmetric",
            Symmetry::Neither => "",
        };
        Some(format!("{}{how}", list(&subjects)))
    }

    /// The joints that bend most, for what has no limbs to speak of.
    fn of_joints(&self) -> String {
        let joint = largest(&self.motion.elastic);
        match self.reader.creature.joints().get(joint) {
            Some(found) if self.motion.elastic[joint] > 0.5 => format!("{} moves", found.name),
            _ => "many joints".to_owned(),
        }
    }

    fn limb(&self, act: &Act) -> &Limb {
        &self.reader.limbs.all[act.limb]
    }

    /// "hind legs", "knees", "tail".
    fn subject(&self, cast: &Cast) -> String {
        let act = &cast.acts[0];
        let many = !matches!(act.sync, Sync::Single | Sync::Only(_));
        let side = match act.sync {
            Sync::Only(limb) => {
                self.reader.limbs.all[limb].side.map_or_else(String::new, |side| format!("{side} "))
            }
            _ => String::new(),
        };
        format!("{side}{}{}", self.rows(cast), self.noun(act, many))
    }

    /// "front ", "front and hind ", nothing for all rows.
    fn rows(&self, cast: &Cast) -> String {
        let act = &cast.acts[0];
        let rows = self.reader.limbs.rows(act.part);
        // Elbows and knees of a quadruped say themselves which row they are of.
        let landmark = act.way.joint().and_then(|joint| {
            self.reader.creature.landmarks().iter().find(|landmark| landmark.joint == Some(joint))
        });
        if landmark.is_some_and(|landmark| landmark.row.is_none()) {
            return String::new();
        }
        let named = cast.leading_rows(self.reader.settings.equal_rows);
        if named.len() == rows {
            return String::new();
        }
        let words: Vec<String> =
            named.iter().map(|act| nouns::row(act.part, act.row, rows).trim_end().to_owned()).collect();
        let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
        if words.is_empty() { String::new() } else { format!("{} ", list(&words)) }
    }

    fn noun(&self, act: &Act, many: bool) -> String {
        if let Some(joint) = act.way.joint() {
            return self.joint_noun(act, joint)[usize::from(many)].clone();
        }
        let limb = self.limb(act);
        let bodies = self.reader.creature.bodies();
        let [one, both] = match act.part {
            LimbPart::Leg => ["leg", "legs"],
            LimbPart::Arm if self.is_wing(limb) => ["wing", "wings"],
            LimbPart::Arm => ["arm", "arms"],
            LimbPart::Head if self.is_neck(limb) => return "neck".to_owned(),
            LimbPart::Head => return "head".to_owned(),
            LimbPart::Tail => return "tail".to_owned(),
            LimbPart::HindBody => return "hind body".to_owned(),
            LimbPart::Spine => return "back".to_owned(),
            LimbPart::Other => {
                let name = &bodies[limb.bodies[0]].name;
                let Some(known) = nouns::of_name(name) else {
                    let stem = nouns::stem(name);
                    return if many { nouns::plural(&stem) } else { stem };
                };
                known
            }
        };
        if many { both } else { one }.to_owned()
    }

    fn is_wing(&self, limb: &Limb) -> bool {
        limb.bodies
            .iter()
            .any(|&body| self.reader.creature.bodies()[body].name.to_lowercase().contains("wing"))
    }

    /// Whether a neck bends rather than the head on it.
    fn is_neck(&self, limb: &Limb) -> bool {
        let head = limb.landmark.map(|mark| self.reader.creature.landmarks()[mark].body);
        let own = |&joint: &usize| Some(self.reader.creature.joints()[joint].body) == head;
        let energy = |joint: &usize| self.motion.elastic[*joint];
        let of_head: f64 = limb.joints.iter().filter(|joint| own(joint)).map(energy).sum();
        of_head < 0.5 * limb.joints.iter().map(energy).sum::<f64>()
    }

    /// One and both of a joint below the root of a limb.
    fn joint_noun(&self, act: &Act, joint: usize) -> [String; 2] {
        let limb = self.limb(act);
        let creature = self.reader.creature;
        let found = &creature.joints()[joint];
        let own = |[one, both]: [&str; 2]| [one.to_owned(), both.to_owned()];
        if limb.middle == Some(joint) {
            let is_knee = creature
                .landmarks()
                .iter()
                .any(|landmark| landmark.joint == Some(joint) && landmark.role == Role::Knee);
            return own(if is_knee { ["knee", "knees"] } else { ["elbow", "elbows"] });
        }
        let named =
            nouns::of_name(&found.name).or_else(|| nouns::of_name(&creature.bodies()[found.body].name));
        own(named.unwrap_or(match act.part {
            LimbPart::Leg => ["foot", "feet"],
            LimbPart::Arm => ["hand", "hands"],
            _ => ["tip", "tips"],
        }))
    }

    /// Subject and verb.
    fn phrase(&self, cast: &Cast) -> String {
        let act = &cast.acts[0];
        let subject = self.subject(cast);
        match act.part {
            LimbPart::Head | LimbPart::Tail | LimbPart::HindBody | LimbPart::Spine => {
                chain_phrase(act, &subject)
            }
            LimbPart::Other if act.way.joint().is_none() => other_phrase(act, &subject),
            _ => self.limb_phrase(cast, &subject),
        }
    }

    fn limb_phrase(&self, cast: &Cast, subject: &str) -> String {
        let act = &cast.acts[0];
        let leg = act.part == LimbPart::Leg;
        match (act.way, act.sync) {
            (Way::Forward, Sync::InTurn) if leg => format!("{subject} alternate{}", self.pattern(cast)),
            (Way::Forward, Sync::Together) if leg && cast.is_gathering(self.reader.settings.equal_rows) => {
                format!("{subject} gather and stretch")
            }
            (Way::Forward, sync) => conjugate(subject, "swing", sync),
            (Way::Sideways, Sync::Together) if leg => format!("{subject} splay"),
            (Way::Sideways, Sync::Together) => format!("{subject} spread"),
            (Way::Sideways, Sync::InTurn) => format!("{subject} sway sideways"),
            (Way::Sideways, sync) => conjugate(subject, "sway", sync),
            (Way::Vertical, sync) if act.part == LimbPart::Arm && self.is_wing(self.limb(act)) => {
                conjugate(subject, "flap", sync)
            }
            (Way::Vertical, sync) => conjugate(subject, "lift", sync),
            (Way::Twist | Way::Turn(_), sync) => conjugate(subject, "twist", sync),
            (Way::Bend(_), sync) => conjugate(subject, "bend", sync),
            (Way::Tilt(_), sync) => conjugate(subject, "tilt", sync),
        }
    }

    /// How rows of alternating legs go with each other: as in a trot, in a pace, or in tripods.
    fn pattern(&self, cast: &Cast) -> &'static str {
        let rows = cast.leading_rows(self.reader.settings.equal_rows);
        if rows.len() != self.reader.limbs.rows(LimbPart::Leg) {
            return "";
        }
        let ahead: Vec<bool> = rows.iter().map(|act| act.swing.x > 0.0).collect();
        match ahead.as_slice() {
            [_] | [] => "",
            all if all.iter().all(|&x| x == all[0]) => " side by side",
            [_, _] => " diagonally",
            [front, middle, hind] if front == hind && middle != front => " in tripods",
            all if all.windows(2).all(|two| two[0] != two[1]) => " in two sets",
            _ => "",
        }
    }
}

/// Arms and legs swing forward and back, both together or both in turn.
fn of_arms_and_legs(casts: &[Cast], settings: &ReadSettings) -> Option<String> {
    let swings = |part: LimbPart| {
        casts.iter().find(|cast| {
            let act = &cast.acts[0];
            act.part == part && act.way == Way::Forward && cast.share > settings.with_arms
        })
    };
    let (arms, legs) = (swings(LimbPart::Arm)?, swings(LimbPart::Leg)?);
    let (arm, leg) = (&arms.acts[0], &legs.acts[0]);
    let most = arms.share + legs.share > settings.names_all;
    let alike = arm.swing.x * leg.swing.x > 0.0;
    match (arm.sync, leg.sync, alike) {
        _ if !most => None,
        (Sync::Together, Sync::Together, true) => Some("arms and legs swing together"),
        (Sync::Together, Sync::Together, false) => Some("arms swing against legs"),
        (Sync::InTurn, Sync::InTurn, true) => Some("arms and legs alternate side by side"),
        (Sync::InTurn, Sync::InTurn, false) => Some("arms and legs alternate crosswise"),
        _ => None,
    }
    .map(str::to_owned)
}

fn chain_phrase(act: &Act, subject: &str) -> String {
    if act.turns_back > 0 {
        let count = times(act.turns_back + 1);
        let subject = if act.part == LimbPart::Head { "neck" } else { subject };
        return match act.way {
            Way::Sideways => format!("{subject} bends {count} sideways"),
            Way::Twist => format!("{subject} twists {count}"),
            _ => format!("{subject} bends {count} up and down"),
        };
    }
    match (act.part, act.way) {
        (LimbPart::Head, Way::Vertical) => "head nods".to_owned(),
        (LimbPart::Head, Way::Twist) => format!("{subject} turns"),
        (LimbPart::Tail, Way::Vertical) => "tail wags up and down".to_owned(),
        (_, Way::Vertical) => format!("{subject} bobs"),
        (_, Way::Twist) => format!("{subject} twists"),
        _ => format!("{subject} sways"),
    }
}

fn other_phrase(act: &Act, subject: &str) -> String {
    let verb = match (act.way, subject) {
        (_, "jaw") => return "jaw opens and shuts".to_owned(),
        (Way::Sideways, _) if act.sync == Sync::Together => return format!("{subject} spread"),
        (Way::Sideways, _) => "sway",
        (Way::Vertical, _) => "lift",
        (Way::Twist, _) => "twist",
        _ => "swing",
    };
    conjugate(subject, verb, act.sync)
}

/// "knees bend together", "knees bend in turn", "left knee bends".
fn conjugate(subject: &str, verb: &str, sync: Sync) -> String {
    match sync {
        Sync::Together => format!("{subject} {verb} together"),
        Sync::InTurn => format!("{subject} {verb} in turn"),
        Sync::Uneven => format!("{subject} {verb}"),
        Sync::Single | Sync::Only(_) => format!("{subject} {verb}s"),
    }
}

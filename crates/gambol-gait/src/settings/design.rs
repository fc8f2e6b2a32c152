//! From a name to a mixture of modes.

gambol_model::settings! {
    /// Which modes are good for walking (`heuristics`; Kry et al. 2009, section 4.3).
    pub struct HeuristicSettings {
        /// A knee that bends by this, rad, lifts the foot by more than first order tells, and by that a mode's lift is
        /// measured: a straight leg would seem not to lift at all. About what a knee does in the swing of a walk.
        usual_bend: f64 = 0.8, Positive;
        /// Below this part of the lever from knee to foot a leg is straight, and no direction of bending shortens it more
        /// than another. About a degree: files carry poses that are straight to a few digits.
        straight: f64 = 0.02, Positive;
        /// A mode that moves feet by less, leg lengths per rad, and bends knees by less, rad per rad, moves no leg. By eye.
        still: f64 = 0.1, Positive;
        /// Yaw of the trunk counts this much against its roll: shoulders that turn against the hips belong to a walk. By
        /// eye.
        yaw: f64 = 0.5, AtLeastZero;
    }
}

gambol_model::settings! {
    /// Wanted motions of feet as sums of a few modes (`palette`). All by eye on the gallery's legged creatures, each against
    /// the fault that it names.
    pub struct PaletteSettings {
        /// Sideways motion of a foot counts this much against forward motion.
        sideways: f64 = 0.5, AtLeastZero;
        /// Lift of a foot counts this much: feet go up less far than forward, and must, or they drag.
        lift: f64 = 3.0, Positive;
        /// Bend of a knee counts this much under an upright leg, and less (by the square) the more the leg sprawls: a spider
        /// lifts its feet by the hip.
        bend: f64 = 0.2, AtLeastZero;
        /// Knees bend by this for each leg length that the foot rises, rad.
        bend_per_lift: f64 = 6.0, AtLeastZero;
        /// No knee is asked to bend further than this to each side, rad.
        most_bend: f64 = 0.7, Positive;
        /// Modes of each ranking that are tried: more change nothing in the gallery, and cost time.
        tried: usize = 6, AtLeastOne;
        /// They are tried if their score is at least this part of the best one's.
        good: f64 = 0.05, Share;
        /// Modes per pair of legs: one that swings it and two that lift it, or the same for each timing it needs. The paper
        /// has two or three.
        per_pair: usize = 3, AtLeastOne;
        /// The best of all modes, per elastic energy, gives up this part of its motion to save energy; others more.
        thrift: f64 = 0.02, Positive;
        /// The same for radians: the mode that moves the feet furthest per radian gives up this part; those that wave a neck
        /// or a tail about to move the feet a little give up more.
        modesty: f64 = 0.012, AtLeastZero;
        /// What is left of both once the modes are chosen: then they may as well do the work.
        discount: f64 = 0.2, Share;
        /// A mode must explain this part of the wanted motion of one pair to be taken.
        worth: f64 = 0.008, Positive;
        /// What a mode that the user prefers costs, and must be worth, against others.
        favour: f64 = 0.1, Share;
        /// A mixture that misses more than this part of the wanted motion may use modes that twist the body, …
        poor: f64 = 0.1, AtLeastZero;
        /// … if that misses only this part of what it missed before.
        twist_gains: f64 = 0.7, Share;
        /// Components that move the feet less than this part of the strongest one are left out.
        faint: f64 = 0.08, AtLeastZero;
    }
}

gambol_model::settings! {
    /// What goes with the legs (`posture`).
    pub struct PostureSettings {
        /// A knee is never bent by more than this to make room for its swing, rad. By eye: beyond, a walk is a sneak.
        deepest_crouch: f64 = 0.4, AtLeastZero;
        /// Part of a mode's elastic energy that back and neck must have for it to be a bob: most of it.
        bob_trunk: f64 = 0.5, Share;
        /// A mode that moves a foot by this many leg lengths per rad, or bends a knee so far, is no bob of the back.
        bob_legs_still: f64 = 0.5, Positive;
        /// Swing of the arms to each side, rad about the shoulders, when the feet stand for half of the time; less in a walk,
        /// more in a run. People's shoulders go through 30° to 45° in a walk (Murray, Sepic and Barnard 1967), which is 37°
        /// here, …
        arm_swing: f64 = 0.4, AtLeastZero;
        /// … and through 60° to 70° in a run (Hinrichs 1987), whatever its duty: no more than this many times as far.
        most_arm_swing: f64 = 1.5, AtLeastOne;
        /// Modes that swing the arms: three for each of two timings, as of the legs ([`PaletteSettings::per_pair`]).
        arm_modes: usize = 6, AtLeastOne;
        /// A foot that they move by a leg's length counts like this many arms that go astray by an arm's length: legs are
        /// placed already.
        arms_spare_feet: f64 = 2.0, AtLeastZero;
        /// Upper arms shorter than this, leg lengths, are none: what is above is the same joint in two bodies.
        shortest_arm: f64 = 0.02, Positive;
        /// Feet of jumping jacks go this far to each side, leg lengths.
        jacks_feet: f64 = 0.3, AtLeastZero;
        /// Arm joints of jumping jacks swing this far to each side, rad: the figure's own (Kry et al. 2009, figure 3).
        jacks_arms: f64 = 0.95, AtLeastZero;
    }
}

gambol_model::settings! {
    /// How fast, how often, how far, by dynamic similarity (`tempo`).
    pub struct TempoSettings {
        /// λ/h = 2.4 Fr^0.34: cursorial mammals from ferret to rhinoceros (Alexander and Jayes 1983).
        stride: f64 = 2.4, Positive;
        /// Its power (the same).
        stride_power: f64 = 0.34, Positive;
        /// f √(h/g) of who runs on two legs, at least: people take 1.35 to 1.5 strides a second at all speeds of running
        /// below a sprint (Cavanagh and Kram 1989), slow ones only shorter.
        cadence: f64 = 0.42, Positive;
        /// Duty falls with speed as Fr to this power (the same).
        duty_power: f64 = -0.14, Finite;
        /// f √(h/g) of jumping on the spot: 1.25 Hz for a person, who with a duty of 0.5 is then 0.2 m up in the air.
        jump_frequency: f64 = 0.38, Positive;
        /// Speed, frequency and stride length given together must agree to this part: people write two or three digits.
        agree: f64 = 0.01, Positive;
        /// Legs that point less far along the way than this swing like upright ones: cosine of 25°, more than a hock stands
        /// back.
        upright: f64 = 0.9, Share;
        /// Highest rise and fall of the body in a gait that goes somewhere, leg lengths: kangaroos and hopping people keep to
        /// about a third.
        highest_bounce: f64 = 0.33, Positive;
    }
}

gambol_model::settings! {
    /// From a name to a gait (`design`, `preset`).
    pub struct DesignSettings {
        /// Joints of legs swing no further than this to each side, rad; what asks for more looks like a puppet. By eye.
        farthest_swing: f64 = 1.0, Positive;
        /// Where the usual speed of a gait asks for more, or feet miss, its Froude number is multiplied by this …
        slower: f64 = 0.7, Share;
        /// … and its lift by this, …
        lower: f64 = 0.85, Share;
        /// … so often at most: the speed is then a quarter (0.7^4).
        gentler_tries: usize = 8, AtLeastOne;
        /// A gait that is not believed at its own speed is tried at this share of it, and again, …
        held_back: f64 = 0.85, Share;
        /// … so often at most: the speed is then half (0.85^5 = 0.44).
        held_back_tries: usize = 5, AtLeastOne;
        /// … the same of who jumps where it is: down to a twenty-fifth of the height, since a body of many metres does not leap by metres.
        lower_tries: usize = 10, AtLeastOne;
        /// Not tried slower is what takes more than this from nowhere, body weights: clips of a foot that flicks took up to 14.
        wild: f64 = 15.0, Positive;
        /// Halvings, by ratio, between a speed that can be believed and one that cannot: within 8 % for one ten times too fast.
        nearer_tries: usize = 5, AtLeastOne;
        /// A draft is made gentler where something is deeper below the ground than this, leg lengths. Below it is left to
        /// the performance, which says so.
        buried: f64 = 0.05, Positive;
        /// Moments of the cycle at which a draft is looked at: a foot stands for ten of them at the shortest duty.
        looks: usize = 48, AtLeastOne;
        /// A speed that works is looked for in steps of this factor: a guess need not be finer.
        speed_step: f64 = 0.8, Share;
        /// So many of them: down to a fourteenth.
        speed_steps: usize = 12, AtLeastOne;
        /// Hips of a standing creature are at least this part of a leg's span above its feet; those of a spider a quarter.
        stands: f64 = 0.05, Positive;
        /// How often the wanted lift is raised where a foot would drag, …
        lift_tries: usize = 5, AtLeastOne;
        /// … and by what factor.
        lift_factor: f64 = 1.4, AtLeastOne;
        /// This part of the wanted path of a foot counts as a path, and this part of the wanted lift as a lift.
        enough: f64 = 0.25, Share;
        /// A step to compare signs and phases with, leg lengths; multiples of 90° hardly depend on it.
        compared_step: f64 = 0.3, Positive;
    }
}

gambol_model::settings! {
    /// Modes that the user wants to see (`marks`; Nunes et al. 2012, section 4.3).
    pub struct MarkSettings {
        /// What the eye catches at a glance: a joint that swings by 17° to each side, rad (or m of a slide).
        visible: f64 = 0.3, Positive;
        /// In a mode that bends many joints at once less is enough: no part moves further than this share of the distance
        /// from the middle of the creature to its end.
        far: f64 = 0.2, Positive;
        /// A mode that swings by this share of that is seen already.
        seen: f64 = 0.5, Share;
        /// Where the feet do not reach the ground any more, the preferred modes are tried at these shares of it.
        shares: [f64; 3] = [1.0, 0.6, 0.3], Share;
        /// A mode goes with the feet if it has this share of their motion at least.
        moves_feet: f64 = 0.05, Positive;
    }
}

gambol_model::settings! {
    /// A designed gait and the ground agree (`settle`).
    pub struct SettleSettings {
        /// Projections; each about halves what is left.
        rounds: usize = 3, AtLeastOne;
        /// Samples per cycle: twelve times the highest harmonic that components use.
        samples: usize = 24, AtLeastOne;
        /// What is smaller than this share of the largest component is left out.
        small: f64 = 0.03, AtLeastZero;
    }
}

//! By what numbers creatures keep their balance. Times are in parts of √(l/g), the natural time of a leg of length l, so that one set of
//! numbers suits a spider and a horse; weights are in parts of the inertia of what they weigh.

gambol_model::settings! {
    /// How a creature follows its stride.
    pub struct PilotSettings {
        /// Swing phase from which a foot that touches has landed, and pushes (Coros et al. 2011, section 3.1).
        early: f64 = 0.8, Share;
        /// Swing phase in which a leg is at the centre of its swing (Kokkevis et al. 1995, figure 4).
        center: f64 = 0.5, Share;
        /// A foot this far from where its stride has it, in leg lengths, is jammed: its leg would soon be stretched out.
        jammed: f64 = 0.55, Positive;
        /// Share of a stride for which a jammed leg is lifted.
        unjam: f64 = 0.15, Share;
        /// A foot is set down at most this far from where its stride has it beside the centre of mass, leg lengths.
        reach: f64 = 0.6, Positive;
        /// Speed of a late foot on its way down, faster than the creature falls, √(g l).
        late: f64 = 0.6, Positive;
        /// Rate at which a foot that landed on its heel comes down on its sole, √(g/l).
        roll: f64 = 3.0, AtLeastZero;
        /// A contact this near bears load, leg lengths: half a millimetre of a dog's leg.
        touch: f64 = 1e-3, Positive;
        /// The carriage waits for a creature that is further behind than this, leg lengths, and runs after one that is ahead.
        leash: f64 = 0.15, Positive;
        /// Acceleration that a change of course asks for at most, weights.
        haste: f64 = 0.3, Positive;
        /// Rate at which being behind the carriage is made up for by speed, √(g/l): slow against a stride, so that the mean speed is met and
        /// no stride is disturbed.
        trim: f64 = 0.05, AtLeastZero;
        /// Most of that speed, √(g l).
        most_trim: f64 = 0.15, AtLeastZero;
        /// A foot's target no longer moves when this share of its swing is left: it could not follow.
        settled: f64 = 0.1, Share;
    }
}

gambol_model::settings! {
    /// What is tolerable: deviations from a stride, and what is done about them, each as large as hurts as much as any other. Only their
    /// ratios matter.
    pub struct RegulatorSettings {
        /// Of the centre of mass along the ground, leg lengths.
        place: f64 = 0.5, Positive;
        /// Of its height, leg lengths.
        height: f64 = 0.1, Positive;
        /// Of its velocity along the ground, √(g l), ...
        velocity: f64 = 0.3, Positive;
        /// ... and up and down.
        rise: f64 = 0.3, Positive;
        /// Of the trunk's roll and pitch, rad, ...
        lean: f64 = 0.15, Positive;
        /// ... and of its heading.
        heading: f64 = 0.3, Positive;
        /// Of its angular velocity as it rolls and pitches, √(g/l), ...
        spin: f64 = 1.0, Positive;
        /// ... and as it turns.
        swerve: f64 = 0.5, Positive;
        /// Of the force of a foot, weights, ...
        force: f64 = 0.4, Positive;
        /// ... that stands for this share of the stride or longer, as in a walk: who stands shorter must push the more as long as it does, 0.86
        /// weights of a dog's gallop.
        stands: f64 = 0.62, Share;
        /// Moment of a whole sole, in that force times leg lengths: half of the sole's length.
        sole: f64 = 0.1, Positive;
        /// Of the place where a foot is set down, leg lengths.
        step: f64 = 0.15, Positive;
    }
}

gambol_model::settings! {
    /// The whole-body controller.
    pub struct WholeSettings {
        /// Frequency at which joints return to their stride, critically damped, √(g/l).
        joints: f64 = 5.0, Positive;
        /// Frequency at which swinging feet return to their way, critically damped, √(g/l).
        swing: f64 = 12.0, Positive;
        /// Rate at which a standing foot comes to rest, √(g/l).
        stance: f64 = 40.0, Positive;
        /// Weight of the joints of legs, in parts of their own inertia; the unit of all weights.
        joint_weight: f64 = 1.0, Positive;
        /// Weight of all other joints: a creature that lacks a foothold is not to row with its back, its neck or its arms.
        body_weight: f64 = 20.0, Positive;
        /// Weight of the trunk's orientation, in parts of the inertia of the whole.
        trunk_weight: f64 = 20.0, Positive;
        /// Weight of the centre of mass, in parts of the mass.
        center_weight: f64 = 20.0, Positive;
        /// Weight of swinging feet, in parts of what of the leg moves with them.
        swing_weight: f64 = 60.0, Positive;
        /// Weight of standing feet.
        stance_weight: f64 = 100.0, Positive;
        /// Frequency at which feet with a sole return to their orientation, critically damped, √(g/l).
        sole: f64 = 8.0, Positive;
        /// Weight of that, in parts of what of the leg turns with the foot.
        sole_weight: f64 = 60.0, Positive;
        /// What is no foot is lifted where it comes nearer to the ground than this, leg lengths: a dog's wrist over 2 cm.
        clear: f64 = 0.04, Positive;
        /// Frequency at which the head turns to what is looked at, critically damped, √(g/l): a dog's is there in a third of a second.
        look: f64 = 2.0, Positive;
        /// Weight of that, in parts of what of the neck turns with the head: more than that of the joints that are to keep their stride.
        look_weight: f64 = 200.0, Positive;
        /// How far a head turns from where the creature goes, rad: necks of people and dogs reach 70°.
        look_aside: f64 = 1.2, Positive;
        /// A turn of the head further than this is begun as if it were no further, rad: no head is thrown round.
        look_step: f64 = 0.5, Positive;
        /// Price of contact forces, in parts of what it costs if the whole creature falls freely: small, so that it decides only how feet
        /// share what many shares explain.
        force_price: f64 = 1e-3, Positive;
        /// Part of the friction that is made use of.
        grip: f64 = 0.9, Share;
        /// Torque that every joint has if nobody says, in weights times the length of a stretched leg: the 100 N·m of the dog of Coros et al.
        /// 2011 are 0.5, what people have in their hips and knees 0.3 to 0.6.
        strength: f64 = 1.0, Positive;
        /// Time in which a joint's damper brings it to the planned velocity, √(l/g).
        damper: f64 = 0.03, Positive;
    }
}

gambol_model::settings! {
    /// How a creature goes where it is told.
    pub struct RoamSettings {
        /// The speed that is asked of a stride is at most this far from the present one, √(g l): 0.5 m/s of a dog with legs of half a metre.
        spread: f64 = 0.22, Positive;
        /// Acceleration with which the speed that is asked for changes, weights.
        haste: f64 = 0.12, Positive;
        /// Acceleration with which turns begin and end, rad/s² in g/l.
        swerve: f64 = 0.15, Positive;
        /// Rate at which it turns to its heading, √(g/l).
        heading: f64 = 0.5, Positive;
        /// Fastest turn, √(g/l): 75° a second of a dog ...
        turn: f64 = 0.3, Positive;
        /// ... and the sideways acceleration of a turn at most, weights: friction holds more, and legs would need time.
        sideways: f64 = 0.25, Positive;
        /// Speeds below this, √(g l), turn as if at it.
        slow: f64 = 0.1, Positive;
        /// Shortest time on a rung of the ladder, √(l/g): a change of gait, three rungs, takes 0.3 s of a dog (Coros et al. 2011, section 3.3).
        dwell: f64 = 0.45, Positive;
        /// It goes on in the ladder when its centre of mass is as near as this to its stride, leg lengths and √(g l), or out of patience.
        calm: f64 = 0.1, Positive;
        /// A neighbour in the ladder must be nearer by this share of the distance between both.
        margin: f64 = 0.1, Share;
        /// Who begins to go lifts the first foot when its capture point is this near to that of the stride, aside, leg lengths, ...
        lean: f64 = 0.02, Positive;
        /// ... and after this time at the latest, as all that it waits for, √(l/g): people take half a second.
        patience: f64 = 2.5, Positive;
        /// Speed towards a target per distance, √(g/l): 1 m/s for every metre of a dog's.
        pursuit: f64 = 0.22, Positive;
        /// Fastest towards a target, √(g l): a dog's trot. Who gallops past its prey has not caught it.
        hurry: f64 = 1.0, Positive;
        /// Share of that speed at least, however far aside the target lies.
        aside: f64 = 0.15, Share;
        /// A target this near the centre of mass is reached, leg lengths.
        reach: f64 = 1.6, Positive;
        /// What is pursued is this high over the ground, leg lengths: where the head turns to.
        ball: f64 = 0.2, AtLeastZero;
        /// How far a ball rolls on, leg lengths: from and to, ...
        rolls: [f64; 2] = [4.0, 12.0], Positive;
        /// ... and how far aside at most, rad.
        aslant: f64 = 1.2, Positive;
    }
}

gambol_model::settings! {
    /// The controller of Kokkevis et al. 1995.
    pub struct KokkevisSettings {
        /// ζ of equation 3.
        damping: f64 = 0.707, Positive;
        /// ω of equation 3, √(g/l). The paper's 3.14 rad/s are 0.7 for the dog, whose legs are half a metre long; legs that weigh something
        /// push it about faster than that takes back.
        frequency: f64 = 1.76, Positive;
        /// Weights of equation 6 for forces ahead, aside and up, ...
        forces: [f64; 3] = [1.0, 1.0, 5.2], Positive;
        /// ... and for torques that roll, pitch and turn it, over the length of the legs.
        torques: [f64; 3] = [1.5, 1.5, 1.0], Positive;
        /// What it costs that a foot bears more or less than its share: little, so that it decides only between what is as good.
        even: f64 = 0.063, AtLeastZero;
        /// Most that a leg bears, weights (equation 7).
        most: f64 = 2.0, Positive;
        /// Part of the friction that is made use of.
        grip: f64 = 0.9, Share;
        /// When feet are lifted in its walk, cycles: left hind, left fore, right hind, right fore.
        walk: [f64; 4] = [0.0, 0.25, 0.5, 0.75], AtLeastZero;
        /// Share of the stride that a foot stands in the walk: three feet are always down.
        walk_duty: f64 = 0.75, Share;
        /// The same of its trot: the diagonals.
        trot: [f64; 4] = [0.0, 0.5, 0.5, 0.0], AtLeastZero;
        /// Two feet are always down.
        trot_duty: f64 = 0.5, Share;
        /// It trots above this speed, √(g l): in the middle of the 1.0 to 1.5 m/s at which a dog does (Coros et al. 2011).
        trots: f64 = 0.56, Positive;
        /// Frequency at which all that is no leg keeps its posture, √(g/l).
        hold: f64 = 8.0, Positive;
        /// Frequency at which swinging legs go to where they are to be, √(g/l).
        swing: f64 = 13.4, Positive;
        /// Feet are led so far under the ground where they are to land, leg lengths.
        firmly: f64 = 0.025, AtLeastZero;
        /// Share of its swing in which a foot is led to the ground: who follows with a spring comes a little late.
        lands: f64 = 0.95, Share;
        /// Frequency at which standing legs keep their shape, √(g/l).
        shape: f64 = 3.65, Positive;
        /// By how much further feet are set down for a speed that is not wanted, √(l/g).
        capture: f64 = 0.35, AtLeastZero;
    }
}

gambol_model::settings! {
    /// The controller of Coros et al. 2011. Its trajectories come from the stride; these are the numbers that all of them share.
    pub struct CorosSettings {
        /// Frequency at which leg frames keep their height (F_h), √(g/l), ...
        height: f64 = 3.0, Positive;
        /// ... and the share of critical damping.
        height_damping: f64 = 1.0, Positive;
        /// Rate at which leg frames come to their speed (k_v of F_v), √(g/l).
        speed: f64 = 0.7, AtLeastZero;
        /// Frequency at which leg frames keep their orientation (τ_LF), √(g/l), ...
        orientation: f64 = 3.0, Positive;
        /// ... and the share of critical damping.
        orientation_damping: f64 = 1.0, Positive;
        /// Share of the front frame's torque that the spine bears.
        spine_share: f64 = 0.5, AtLeastZero;
        /// Share of the virtual forces that standing hips keep beside algorithm 2, which gives them all to the leg frame's orientation.
        hips: f64 = 1.0, AtLeastZero;
        /// Share of what swinging legs and spine do to a frame that its standing hips undo: 1 in algorithm 2.
        reaction: f64 = 0.0, AtLeastZero;
        /// s_fp, √(l/g).
        placement: f64 = 0.5, AtLeastZero;
        /// Square root of k_ft, the gain of the force that tracks swinging feet, √(g/l).
        tracking: f64 = 4.0, AtLeastZero;
        /// F_D(D), weights, from a foot half a leg length ahead to one as far behind.
        drive: [f64; 6] = [0.0; 6], Finite;
        /// Frequency at which the spine comes to the difference of its leg frames, √(g/l).
        spine: f64 = 8.0, Positive;
        /// Frequency at which neck, head and tail keep their posture, √(g/l).
        hold: f64 = 8.0, Positive;
        /// Frequency of the joints of swinging legs, √(g/l).
        swing: f64 = 15.0, Positive;
        /// Frequency of the joints of standing legs below the hip, √(g/l).
        stance: f64 = 6.0, Positive;
        /// Δt_a and Δt_b: how long before it is lifted and before it strikes a foot is pitched, √(l/g).
        feet: [f64; 2] = [0.3, 0.3], AtLeastZero;
        /// Share of its swing in which a foot is led to the ground: who follows with a spring comes a little late.
        lands: f64 = 0.95, Share;
        /// Feet are led so far under the ground where they are to land, leg lengths.
        firmly: f64 = 0.03, AtLeastZero;
        /// How far a late foot is led down at a time, leg lengths.
        late: f64 = 0.1, Positive;
    }
}

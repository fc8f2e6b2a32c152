//! Numbers of scripts.

gambol_model::settings! {
    /// How one act of a script goes over into the next (`script`).
    pub struct ScriptSettings {
        /// Time of a change, strides of the slower of both: people reach the speed of their walk within two steps, and stop as fast. Where nobody
        /// goes, in units of √(h/g), h the length of the legs.
        change: f64 = 1.2, Positive;
        /// The mean acceleration of a change at most, weights: a runner who stops brakes with twice that for a moment.
        haste: f64 = 0.15, Positive;
        /// Rest before and after, √(h/g), where nobody asked for it.
        pause: f64 = 2.0, Positive;
        /// Time to push off for a leap, and to land, √(h/g): people crouch and stretch within
        /// half a second; who takes longer crouches deeper, and has more time to lean ahead. The first that can be believed.
        push: [f64; 2] = [1.6, 2.4], Positive;
        /// Legs are folded by this much of their length in the middle of a leap: by eye, stretched ones would look like a fall.
        fold: f64 = 0.15, AtLeastZero;
        /// A leap is not tried for which the body would have to sink by more than this before it, leg lengths: legs fold to about half; …
        deepest_crouch: f64 = 0.45, Positive;
        /// … or that is further than this: a horse leaps over 8 m.
        farthest_leap: f64 = 8.0, Positive;
        /// The most that a stride on the spot turns the body, rad: legs cross at half a right angle per step.
        turn: f64 = 0.8, Positive;
        /// Strides of a turn on the spot at least: one to begin and one to end.
        fewest_turns: f64 = 2.0, AtLeastOne;
        /// A leap that cannot be believed is tried smaller, by this, …
        smaller: f64 = 0.82, Share;
        /// … so often at most: down to a ninth, for a body of many metres does not leap by metres.
        smaller_tries: usize = 12, AtLeastOne;
        /// A script that cannot be believed is tried at this share of its speeds, …
        slower: f64 = 0.8, Share;
        /// … so often at most: down to half.
        slower_tries: usize = 3, AtLeastOne;
        /// Froude number v²/(g h) up to which animals walk (Alexander and Jayes 1983).
        walks: f64 = 0.5, Positive;
        /// … and up to which those with four legs trot; beyond, they gallop.
        trots: f64 = 2.5, Positive;
        /// Breaths per s of 1 kg at rest, and how they go with the mass: 53.5 M^−0.26 a minute (Stahl 1967).
        breaths: f64 = 0.892, Positive;
        /// … the power.
        breaths_power: f64 = -0.26, Finite;
        /// Slowest and fastest breath that is shown, 1/s: whales and shrews; what weighs less has no lungs.
        slowest_breath: f64 = 0.05, Positive;
        /// … the fastest.
        fastest_breath: f64 = 3.0, Positive;
        /// How far back and head give with a breath, rad of the joint that moves most: seen, and not nodding.
        breath: f64 = 0.02, Positive;
        /// How far the body rises with a breath, legs, where no vibration is of the trunk alone.
        breath_rise: f64 = 0.006, Positive;
        /// Longest script, s: the plan of its pushes is one problem, whose time grows with the cube of this.
        longest: f64 = 60.0, Positive;
    }
}

gambol_model::settings! {
    /// What a set of clips for a game has in it (`set`).
    pub struct SetSettings {
        /// Speed of a jog, as a share of that of the run.
        jog: f64 = 0.75, Share;
        /// How far a stride of a slow gait turns the creature in its curves, rad: a circle in some dozen strides.
        slow_turn: f64 = 0.5, Positive;
        /// The same of a fast one: flights are long, and friction holds no more.
        fast_turn: f64 = 0.35, Positive;
        /// Times that a curve is made wider by half where it cannot be believed.
        wider_tries: usize = 2, AtLeastOne;
        /// Strides of a start or a stop on the way, at least: in the first of them it comes to its speed; who gallops takes longer.
        strides: f64 = 2.0, Positive;
        /// Turn on the spot, rad.
        turn: f64 = std::f64::consts::FRAC_PI_2, Positive;
        /// How high a jump rises, legs; it lands where it left, and a game leads it.
        jump_height: f64 = 0.3, Positive;
        /// Breaths of a clip that stands.
        breaths: f64 = 2.0, AtLeastOne;
        /// How long it stands before it leaves and after it has come, √(h/g).
        rest: f64 = 0.8, Positive;
    }
}

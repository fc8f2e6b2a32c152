//! What forces a clip takes. Lengths are leg lengths, speeds parts of √(g · leg length), unless they say otherwise.

gambol_model::settings! {
    /// How forces are measured on a clip (`forces`).
    pub struct ForceSettings {
        /// Coefficient of friction of the ground: rubber or a paw on dry ground has 0.6 to 1.
        friction: f64 = 0.8, Positive;
        /// What of a standing sole is within this above its lowest point is pushed by the ground: 2 cm for a person, whose
        /// recorded heels and toes are no better known.
        sole: f64 = 0.02, Positive;
        /// Keys on either side from which velocities are taken where nothing touches the ground: flight is smooth, and
        /// differences of eighth order follow it to a millionth of the weight at 60 keys a second. With feet on the ground it
        /// is one key, since a blow may fall between any two.
        flight_reach: usize = 4, AtLeastOne;
        /// The noise of a recording: where stances had to be found, velocities and accelerations are those of the parabola of least
        /// squares through the keys within this on either side, s. A person's motion has little above 8 Hz, and markers at 120
        /// keys a second shake by half a millimetre: 7 m/s² between neighbours, 0.2 m/s² so. Keys that are further apart than
        /// this are taken as they are.
        noise: f64 = 0.035, Positive;
        /// A clip whose residual is larger, in body weights (times the height of the centre of mass), cannot be believed: a
        /// person's recording has 0.13, of which half is the skeleton's fault.
        believed: f64 = 0.3, Positive;
        /// Slower than this nothing travels, and there is no cost of transport.
        travels: f64 = 0.03, Positive;
        /// A centre of mass that swings by less, in parts of its height, has no phase.
        swings: f64 = 1e-3, Positive;
    }
}

gambol_model::settings! {
    /// How the stances of a clip are found that does not say them (`forces::stances`).
    pub struct StanceSettings {
        /// A foot whose sole is within this above the ground may stand: markers and artists' soles are a few centimetres off.
        low: f64 = 0.07, Positive;
        /// It stands when a low part of the sole is slower than this against the ground: 0.45 m/s of a person, whose swinging
        /// foot does 1 to 4 m/s.
        slow: f64 = 0.15, Positive;
        /// On a belt, the same as a share of the belt's speed: feet of artists' loops do not keep it well.
        slow_belt: f64 = 0.3, Positive;
        /// A foot that stands goes on until it is this many times as high or as fast.
        lasts: f64 = 1.6, AtLeastOne;
        /// The ground under a foot is where the sole is below in this share of the keys: single keys may be wrong.
        lowest: f64 = 0.05, Share;
        /// A foot whose ground is this far above that of the lowest foot never stands: it is held up. So are all that are never
        /// nearer to the ground of the world, z = 0.
        held_up: f64 = 0.25, Positive;
        /// What tells the belt is below this share of the height to which the foot is lifted: a foot in the air is above it for most of
        /// its way.
        lower: f64 = 0.3, Share;
        /// Below a clip that stays in place the ground is a belt if low feet move by this share of `slow` on average: those of who
        /// stands about do not, and those that walk do several times as much.
        belt: f64 = 0.5, Share;
        /// Stances and steps shorter than this are noise, s.
        shortest: f64 = 0.04, Positive;
    }
}

gambol_model::settings! {
    /// How the tempo of a creature's own clips is told (`felt`).
    pub struct FeltSettings {
        /// A loop of fewer keys shows no stride.
        fewest_keys: usize = 6, AtLeastOne;
        /// Moments at which a loop is looked at: a dozen for each of the most strides.
        samples: usize = 96, AtLeastOne;
        /// A loop has no more strides than this; most have one.
        most_strides: usize = 8, AtLeastOne;
        /// In a gait every foot has at least this share of its way to and fro at the cadence: the rest is in how it stands and
        /// swings. In a leap out of a gallop it has less.
        pure: f64 = 0.6, Share;
        /// Feet go to and fro by this to each side at least; in a stroll it is 0.2.
        least_swing: f64 = 0.08, Positive;
        /// That swing in parts of a stride: 0.22 of feet that stand for 0.6 of the time, 0.19 at 0.4, as the sinusoid that
        /// follows the ground best while a foot stands.
        swing_per_stride: f64 = 0.205, Positive;
        /// Clips that are slower or faster than their size has them by more than these are no evidence: between them lie an
        /// elephant that feels like a mouse, and the reverse.
        times: [f64; 2] = [0.1, 10.0], Positive;
        /// A tempo that is this many times faster or slower is seen: the scatter of animals about Alexander and Jayes' line is
        /// a quarter.
        seen: f64 = 1.3, AtLeastOne;
    }
}

//! A motion of one creature as that of another.

gambol_model::settings! {
    /// How a motion becomes another creature's (`retarget`).
    pub struct RetargetSettings {
        /// Turns of bodies may be off by about this, rad, where a foot has to stand: a tenth of a radian is what two people differ by who walk alike.
        turns: f64 = 0.1, Positive;
        /// Feet are off their way by this part of the leg's length while the pose is sought; standing ones are put to their places afterwards.
        stands: f64 = 0.002, Positive;
        /// Joints that nothing turns stay as at rest to about this, rad: so much that it is not felt where something does.
        rest: f64 = 3.0, Positive;
        /// Joints may go past their limits by about this, rad or m, before they are stopped: a stop that gives way lets the search pass by.
        past_limits: f64 = 0.01, Positive;
        /// Bones shorter than this part of the leg's length count as so long: the turn of a joint that is a point would not count at all.
        least_bone: f64 = 0.05, Positive;
        /// A stance whose foot rests no further above or below the ground than this part of the leg's length is on the ground: noise of
        /// recordings is a hundredth, and the lowest step is 15 cm, a sixth of a person's leg.
        level: f64 = 0.05, AtLeastZero;
        /// A foot that goes further than this part of the leg's length from the middle of its stance does not stand: the clip stays in place, and
        /// the ground goes by below it. Feet of recordings slide by a hundredth.
        slides: f64 = 0.1, Positive;
        /// Who goes lower so that a leg reaches does so over this long before and after, s: as long as a step's own rise and fall.
        evens: f64 = 0.12, Positive;
        /// Times are longer by this power of the ratio of sizes: 0 keeps them, ½ is how animals of the same shape go (Alexander and Jayes 1983).
        tempo: f64 = 0.0, AtLeastZero;
    }
}

//! What a style does to a body, and its soft joint limits.

gambol_model::settings! {
    /// What weight and injuries do to a body and its stances (`style`, `feet`).
    pub struct StyleSettings {
        /// Times the stiffness of a hurt leg's joints below the hip. A joint of the same energy then swings by a third
        /// (1/√8), which the eye reads as a limp.
        hurt_stiffness: f64 = 8.0, AtLeastOne;
        /// The same of the hip: it still has to carry the stiff leg forward. By eye.
        hurt_hip_stiffness: f64 = 3.0, AtLeastOne;
        /// Share of a sound leg's stance for which a hurt one stands. By eye.
        hurt_duty: f64 = 0.75, Share;
        /// Power of the weight with which stance lasts longer: a tenth for twice the weight, about what people do with heavy
        /// packs.
        heavy_duty_power: f64 = 0.14, AtLeastZero;
        /// How far one more body weight pushes the hips down, leg lengths. Legs of running animals give by about 0.1
        /// (Blickhan and Full 1993, relative stiffness 10); this is softer, so that the eye sees it.
        sag_per_weight: f64 = 0.25, Positive;
        /// How far one more body weight bends a knee that is straight, rad: such a leg hardly shortens at first, however
        /// much its knee gives. By eye.
        bend_per_weight: f64 = 1.6, Positive;
        /// No joint gives by more, rad: beyond, nothing is left of the posture. By eye.
        most_give: f64 = 1.2, Positive;
        /// A foot that slides by this, leg lengths, as its leg gives costs what a joint costs for 1 rad. By eye: small
        /// enough that feet seem to stay.
        foot_slides: f64 = 0.03, Positive;
        /// The same of a foot that turns, rad.
        foot_turns: f64 = 0.1, Positive;
        /// A knee that is straight, or a little beyond, lowers the foot at first, by up to this, leg lengths per rad; one
        /// that lowers it by more gives the wrong way.
        straight_knee: f64 = 0.1, AtLeastZero;
        /// Likeness (a cosine in the metric of mass) below which a mode of a changed body is not that of the body before, and
        /// the user is told. Half of the motion's energy is then the same (0.7²).
        counterpart: f64 = 0.7, Share;
    }
}

gambol_model::settings! {
    /// Soft joint limits (Kry et al. 2009, section 4.2).
    pub struct LimitSettings {
        /// Δθ_soft: how far a joint may go past its limit, rad (or m of a slide). About 6°: less looks like a stop, more
        /// like no limit at all. The paper has the letter, not the number.
        soft: f64 = 0.1, Positive;
    }
}

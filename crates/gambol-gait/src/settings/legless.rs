//! Bodies without legs: the waves that run along them, and what carries them.

gambol_model::settings! {
    /// Waves along a body (`belly::design`).
    pub struct WaveSettings {
        /// Largest angle between a segment and the way of the whole body, rad: a wave as deep as those of real snakes. Below
        /// 90° the body always leads on, so that it cannot cross itself.
        slither_angle: f64 = 0.95, Positive;
        /// The same of a fish or a snake in water, whose waves are shallower.
        swim_angle: f64 = 0.6, Positive;
        /// The same of a crawl in the upright plane: enough to see it lift, little enough to keep its balance.
        crawl_angle: f64 = 0.65, Positive;
        /// Waves along a slithering or swimming body (Hu et al. 2009 see 1 to 2 on snakes).
        waves: f64 = 1.5, Positive;
        /// Waves along a crawling body: enough that it always stands on two of them.
        crawl_waves: f64 = 1.75, Positive;
        /// A wave needs so many joints to look like one; a body of fewer bends in a part of a wave.
        joints_per_wave: f64 = 4.0, Positive;
        /// Rise and fall of a ring's radius as a share of it. A third makes its lower side flat; a little more, and it stands
        /// on two feet with one always coming down ahead.
        ring_dent: f64 = 0.4, Positive;
        /// Modes that bring less than this share of the strongest one are left out.
        weak: f64 = 0.05, AtLeastZero;
        /// Bends of the highest mode in a wave, beyond two for each wave: the body's ends need some.
        spare_bends: f64 = 1.5, AtLeastZero;
        /// Share of a mode's elastic energy that has to bend the chain in one plane for the mode to count as a wave there.
        in_plane: f64 = 0.8, Share;
        /// Two modes of a ring are a pair if their frequencies differ by less than this share: those of a round ring are
        /// equal, and artists' rings are not round.
        ring_pair: f64 = 0.1, Positive;
        /// A creature that moves less than this share of its length in a period gets nowhere.
        nowhere: f64 = 0.01, AtLeastZero;
        /// Share of a joint's range that a designed wave may use.
        range: f64 = 0.95, Share;
        /// Bends that a chain needs in a plane to carry a wave: two carry a bend, not its travel.
        fewest_bends: usize = 3, AtLeastOne;
        /// Friction across a slithering body over that along it: scales and the roughness that a snake leans on hold it
        /// across far better than along; its scales on cloth alone do so only about twice as well (Hu et al. 2009).
        slither_across: f64 = 10.0, Positive;
        /// Drag across a swimming body over that along it: one of some size is held across by its breadth, along by its skin
        /// only.
        swim_across: f64 = 10.0, Positive;
        /// Friction across a body that crawls or rolls over that along it: it does not care for direction.
        crawl_across: f64 = 1.0, Positive;
        /// Samples of a period that it is carried with. Contacts come and go within a few hundredths of a period; a clip of
        /// fewer keys takes every n-th.
        samples: usize = 240, AtLeastOne;
    }
}

gambol_model::settings! {
    /// How a body lies on the ground and moves along it (`belly::rest`, `slide`, `scene`). Lengths are shares of the body's
    /// size, times are in periods.
    pub struct LieSettings {
        /// ℓ of balance and of friction. What is this much higher than the lowest bears a third of the load, so load passes
        /// from one touch to the next within a few samples, and all that follows has a velocity.
        soft: f64 = 1e-3, Positive;
        /// The same of a body that keeps its belly down: it is supple, and lies along its whole length though its head is
        /// thick and its tail thin.
        supple: f64 = 0.03, Positive;
        /// Time in which a body as high as it is long tips over: too short to be seen, long enough for a few samples.
        tipping: f64 = 0.01, Positive;
        /// A motion that does not come back to the same tilt (but for a turn) within so many periods is not periodic.
        most_periods: usize = 16, AtLeastOne;
        /// Periods to wait for that: the viscosity forgets how it started within one or two.
        patience: usize = 64, AtLeastOne;
        /// Newton steps per sample: a handful, more where a body tips over.
        newton_steps: usize = 100, AtLeastOne;
        /// Largest Newton step, rad: the touches that matter change beyond.
        longest_step: f64 = 0.2, Positive;
        /// Radius of what stands for one touch: it matters only where the body stands on a single point, which would spin
        /// freely otherwise.
        patch: f64 = 1e-3, Positive;
        /// Time over which motion on the ground is rounded (the width of a bell curve). What falls onto the ground stops at
        /// once; over a fiftieth of a period it looks like weight, not like a fault. A wave loses half a percent.
        rounding: f64 = 0.015, Positive;
        /// Ways per period shorter than this have no direction.
        stays: f64 = 1e-4, Positive;
    }
}

gambol_model::settings! {
    /// How a body goes through water (`belly::swim`).
    pub struct SwimSettings {
        /// Time in which a body rights itself, in periods: slow enough to leave the swimming alone, fast enough to settle
        /// within some periods.
        righting: f64 = 0.5, Positive;
        /// Thickness of a segment, as a share of the body's size: even a body that stretches straight up resists turning.
        thickness: f64 = 0.01, Positive;
        /// Periods until it has settled: the rest falls by e² in each.
        patience: usize = 64, AtLeastOne;
    }
}

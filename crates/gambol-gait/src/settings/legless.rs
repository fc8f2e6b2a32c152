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
        /// Waves along a fish or a whale: its wave is nearly as long as itself (Videler 1993).
        fish_waves: f64 = 1.2, Positive;
        /// Bend of a swimmer with a tail at its head over that at the end of the tail: the head swings by a fifth of what the tail does
        /// (Bainbridge 1958; Videler and Hess 1984).
        fish_head: f64 = 0.2, Share;
        /// Largest angle of the tail of such a swimmer to its way, rad; its end then sweeps a fifth of its length from side to side
        /// (Bainbridge 1958).
        fish_angle: f64 = 1.1, Positive;
        /// From side to side of the end of the tail, as a share of the length: less is too little (Bainbridge 1958 has 0.2) …
        fish_sweep: f64 = 0.15, Positive;
        /// … and so many of these waves are tried, until it is enough.
        fish_fewer: [f64; 4] = [1.0, 0.7, 0.45, 0.25], Positive;
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
        /// The same of a swimmer whose tail drives it: one is a tail that flaps.
        fewest_fish_bends: usize = 1, AtLeastOne;
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
        /// Of water, kg/m³.
        density: f64 = 1000.0, Positive;
        /// Kinematic viscosity of water at 20 °C, m²/s.
        viscosity: f64 = 1e-6, Positive;
        /// Reynolds number from which the skin's drag is turbulent (Hoerner 1965).
        turbulent: f64 = 5e5, Positive;
        /// Skin over √(volume × length): 2√π of a cylinder, a little less of what tapers.
        skin: f64 = 3.3, Positive;
        /// Beats per second of a swimmer of a metre that cruises …
        cruise_beat: f64 = 1.6, Positive;
        /// … and the power of its length that they go with: 4 Hz of a trout of 25 cm, 1 Hz of a dolphin of 2 m, 0.3 Hz of a whale of 10 m
        /// (Bainbridge 1958; Fish 1993; Sato et al. 2007, who find mass^−0.29 from seals to whales). Springs that hold a body up on land
        /// ring three times as fast.
        cruise_power: f64 = -0.7, Finite;
        /// Drag of a body that swims over that of one that is towed straight: 3 to 5 (Lighthill 1971, Webb 1975).
        swimming_drag: f64 = 4.0, AtLeastOne;
    }
}

gambol_model::settings! {
    /// Turns through water and air (`belly::way`).
    pub struct WaySettings {
        /// Farthest that a body leans into a turn, rad: the load on wings at 70° is three times the weight.
        most_lean: f64 = 1.2, Positive;
        /// Beats of a flier that goes down over those in level flight, at least.
        slowest_beat: f64 = 0.5, Share;
        /// Farthest that a back bends along the arc, from head to tail, rad: angelfish and pike fold to half a turn in their quickest
        /// (Domenici and Blake 1997), and nobody swims on like that.
        most_bend: f64 = 1.5, Positive;
    }
}

gambol_model::settings! {
    /// Wings (`belly::stroke`, `belly::fly`).
    pub struct FlightSettings {
        /// Of air at sea level, kg/m³.
        air: f64 = 1.2, Positive;
        /// Of water, kg/m³.
        water: f64 = 1000.0, Positive;
        /// Weight over wing area, N/m², beyond which a body flies as in denser air: gulls have 45, geese 150, swans 200.
        most_loading: f64 = 200.0, Positive;
        /// Times that the air may be denser; water is 800.
        most_denser: f64 = 300.0, AtLeastOne;
        /// Lift coefficient of level flight: gulls and pigeons cruise near their best glide, at 0.6 to 0.9 (Pennycuick 2008).
        cruise_lift: f64 = 0.7, Positive;
        /// Swing of a wing to each side of its mean in level flight, rad: gulls 30 to 40°, pigeons up to 50°.
        flap: f64 = 0.65, Positive;
        /// St = f A / V that the search for a beat begins at (Taylor, Nudds and Thomas 2003).
        strouhal: f64 = 0.25, Positive;
        /// Angle of wings to the way that it begins at, rad.
        incidence: f64 = 0.1, Positive;
        /// Twist over the angle of the way of a blade at seven tenths of the span: enough that it does not stall.
        twist_share: f64 = 0.6, Share;
        /// Swing to each side of a hovering wing, rad: bees 45°, hummingbirds 75° (Ellington 1984).
        hover_flap: f64 = 1.0, Positive;
        /// The same of several pairs, which would strike each other (Norberg 1975: 60° from end to end).
        hover_flap_of_pairs: f64 = 0.55, Positive;
        /// Twist of a hovering wing, rad: it meets the air at about 45° on both ways.
        hover_twist: f64 = 0.8, Positive;
        /// How far a hovering body points up, rad: its wings beat in a plane that lies level.
        hover_pitch: f64 = 1.2, Positive;
        /// Cycles per second of the clip of a glide, in which nothing beats.
        glide_beat: f64 = 0.5, Positive;
        /// Angle of gliding wings that the search begins at, rad.
        glide_incidence: f64 = 0.1, Positive;
        /// Swing and twist of fins that row or wave, rad.
        swim_flap: f64 = 0.6, Positive;
        /// The same of the twist.
        swim_twist: f64 = 0.5, Positive;
        /// Beats per second of a fin of a metre; it goes with the root of the length. Mantas of 2 m fins have 0.4 (Fish et al. 2016).
        swim_beat: f64 = 0.6, Positive;
        /// Share of the flap that the outer parts of a wing add, later …
        outer: f64 = 0.4, AtLeastZero;
        /// … by this part of a beat, rad: the hand wing drops last.
        outer_lag: f64 = 1.0, Finite;
        /// Hind wings are so much later, rad: dragonflies have a quarter of a beat and more between their pairs (Alexander 1984).
        rows_apart: f64 = 1.57, Finite;
        /// Modes that bring less than this share of the strongest one are left out: more would spoil the twist of a wing whose legs trail.
        weak: f64 = 0.002, AtLeastZero;
        /// Frontal area of a trunk over (mass / density of water)^⅔: 1.2 of a ball, less of what is long.
        frontal: f64 = 0.8, Positive;
        /// Drag coefficient of a trunk in air by its frontal area: 0.1, which the beats of birds ask for (Pennycuick et al. 1996); wind tunnels
        /// had given 0.2 to 0.4 for frozen bodies.
        air_drag: f64 = 0.1, Positive;
        /// The same in water.
        water_drag: f64 = 0.15, Positive;
        /// Wings shorter than this, m, are those of insects, at Reynolds numbers below 10⁴.
        insect: f64 = 0.08, Positive;
        /// Angle at which a large wing stalls, rad, and that at which nothing of its lift is left, rad.
        stall: [f64; 2] = [0.28, 0.45], Positive;
        /// How far legs point back in flight, rad: gulls stretch theirs under the tail.
        tuck: f64 = 1.1, AtLeastZero;
        /// … and of whoever is upright, …
        upright_tuck: f64 = 0.3, AtLeastZero;
        /// … whose shoulders are above its hips by this part of the way between them: a pigeon's by 0.7, an angel's by 0.96.
        upright: f64 = 0.85, Share;
        /// How far the body points up when it leaves the ground or comes down on it, rad: pigeons 45° and more (Berg and Biewener 2010).
        launch_pitch: f64 = 0.9, AtLeastZero;
        /// How far wings are raised there, rad: they would strike the ground.
        launch_raised: f64 = 0.5, AtLeastZero;
        /// Mean acceleration of a take-off, in g: pigeons speed up by 0.3 to 0.6 at first (Berg and Biewener 2010).
        launch_pull: f64 = 0.25, Positive;
        /// The same of a landing: wings brake less well than they pull.
        launch_brake: f64 = 0.12, Positive;
        /// Climb over way: 15°.
        launch_climb: f64 = 0.27, AtLeastZero;
        /// Fewest and most beats of a take-off or a landing.
        launch_beats: [f64; 2] = [4.0, 60.0], AtLeastOne;
        /// Beats in which the body rears up; its wings take twice that to unfold.
        launch_unfold: f64 = 0.75, Positive;
        /// Friction of feet that carry while wings begin to.
        launch_friction: f64 = 0.8, AtLeastZero;
        /// Beats per second of somebody who hangs in the air and bobs …
        bob: f64 = 0.5, Positive;
        /// … by this share of the way from its middle to its farthest part, to either side …
        bob_rise: f64 = 0.1, AtLeastZero;
        /// … and how far the limb that the air bends most sways, rad: enough to be seen.
        bob_sway: f64 = 0.25, AtLeastZero;
        /// Samples of a beat in the search.
        samples: usize = 48, AtLeastOne;
        /// Rounds of the search.
        rounds: usize = 24, AtLeastOne;
        /// A round that leaves more than this part of what was missing is in vain …
        better: f64 = 0.98, Share;
        /// … and after more than so many the search for a beat of a take-off or a landing ends: most of what wings cannot give near the
        /// ground is not found by looking longer.
        patience: usize = 4, AtLeastOne;
        /// Missing force, in weights, that is none.
        enough: f64 = 1e-4, Positive;
        /// The same while the times of a take-off's beats are still to settle.
        rough: f64 = 1e-2, Positive;
        /// Missing force, in weights, that users are told of.
        tell: f64 = 0.05, Positive;
        /// Largest step of a round: of the logarithm of the frequency, and of the incidence, rad.
        frequency_step: f64 = 0.5, Positive;
        /// The same of the incidence, rad.
        incidence_step: f64 = 0.1, Positive;
        /// Largest logarithm of the frequency over that at which the search begins.
        frequency_range: f64 = 3.5, Positive;
        /// Largest incidence, rad.
        most_incidence: f64 = 0.8, Positive;
    }
}

gambol_model::settings! {
    /// Legs that row (`belly::row`). Angles in rad.
    pub struct RowSettings {
        /// Strokes per second of somebody with legs of a metre; they go with the root of the length: 1.7 of a dog, whose strokes
        /// are rarer the larger it is (Fish, DiNenno and Trail 2020), 3 of a muskrat (Fish 1984).
        beat: f64 = 1.2, Positive;
        /// Swing of a leg to each side of its mean …
        sweep: f64 = 0.75, Positive;
        /// … which is so far behind where it stands: legs push from straight down on.
        held: f64 = 0.2, AtLeastZero;
        /// Fold of the knee while the foot comes forward.
        fold: f64 = 1.5, Positive;
        /// Force on a leg that comes forward over that on one that goes back as fast: toes spread and close, and the paw is turned edge
        /// on (Fish 1984; Fish, DiNenno and Trail 2020).
        closed: f64 = 0.4, Share;
        /// Beats that a pair is later than the one behind it: dogs put down left hind, right fore, right hind, left fore (Fish,
        /// DiNenno and Trail 2020).
        paddler: f64 = 0.25, Share;
        /// The same of those whose legs stick out, as pond turtles' do: diagonals together (Pace, Blob and Westneat 2001).
        rower: f64 = 0.5, Share;
        /// Cosine of the angle to the vertical below which a leg sticks out.
        aside: f64 = 0.7, Share;
        /// Angle that legs keep to the way at the end of a kick, and arms that lie along the body.
        trails: f64 = 0.35, AtLeastZero;
        /// Sine of the angle to the way below which a leg says nothing about its stroke.
        straight: f64 = 0.2, Share;
        /// Height over length of somebody on two legs beyond which it would have to lie down to swim: a duck has 0.8, a person 5.
        upright: f64 = 1.5, Positive;
        /// The same of somebody who has hands too: a tyrannosaur has 0.5, whoever holds a gun out 1.
        upright_with_hands: f64 = 0.8, Positive;
    }
}

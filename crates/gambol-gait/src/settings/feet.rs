//! Feet on the ground. Lengths are leg lengths unless they say otherwise.

gambol_model::settings! {
    /// What the ground makes of a gait (`feet`, `scene`).
    pub struct FeetSettings {
        /// A sole whose half length is above this is set down flat: less is a hoof or the tip of a paw.
        sole: f64 = 0.02, AtLeastZero;
        /// From this on it is a plantigrade's, which must lie flat; a person's has 0.1 and the toes besides.
        plantigrade: f64 = 0.1, Positive;
        /// What is within this above the lowest point stands on the ground in the rest pose: artists' soles are so even.
        level: f64 = 0.03, Positive;
        /// The root yields to the feet where the joints cannot follow, and is this many times as stiff as the legs. By eye:
        /// the trunk should not twitch with every step.
        root_stiffness: f64 = 5.0, Positive;
        /// What a correction of an arm costs, in times of what its springs and its inertia say. Arms are light and loose, and
        /// would pay for all that the body as a whole lacks: in a walk they swung through 80° along the way and as far
        /// aside. With 30 a biped's still go through 70°; beyond 100 little changes.
        arm_stiffness: f64 = 130.0, Positive;
        /// What is added to that of a neck as long as the legs, and to others with the square of their length: heads of long necks would be thrown
        /// ahead in every flight for the turn that the body lacks, where an ostrich runs with its head still. Short necks stay as they are:
        /// a biped needs its own to balance in a walk.
        neck_stiffness: f64 = 20.0, AtLeastZero;
        /// Feet that cannot reach may draw the body this far into the ground, and no further: a picture of what is wrong is
        /// better than none, and one from above the ground better than from below.
        deepest_body: f64 = 0.15, Positive;
        /// A foot stands for no more than this share of the cycle: it needs the rest to swing.
        longest_stance: f64 = 0.9, Share;
        /// A second harmonic of a foot's motion must be this many times the first for the foot to stand twice a cycle: one
        /// that lifts twice in one stride is rare (jumping jacks).
        stands_twice: f64 = 1.5, AtLeastOne;
        /// Two humps in the push of a foot at the duty of a slow walk; Alexander and Jayes 1978 find q ≈ 0.4 to 0.6 there and
        /// 0 in a run.
        push_humps: f64 = 0.4, AtLeastZero;
        /// Largest bounce: a higher one would need a jump, which the legs cannot follow.
        highest_bounce: f64 = 0.4, Positive;
        /// What besides the feet comes as near to the ground as this is watched, so that tails and knees stay out of it.
        watched: f64 = 1.0, Positive;
        /// Moments of the cycle at which is looked for what comes near.
        watched_looks: usize = 16, AtLeastOne;
        /// The plane through the ground under the feet is tied to level over this many leg lengths squared per foot: feet that
        /// stand close together say little about the slope.
        level_tie: f64 = 0.25, Positive;
        /// Corrections that are the same to the eye, rad or m.
        same: f64 = 1e-3, Positive;
        /// Corrections are rounded over this share of the cycle (the standard deviation of a bell): a frame at 60 a second,
        /// so that what jumps has a velocity.
        rounding: f64 = 0.012, Positive;
        /// A rounded frame is taken if its feet are this near to where they shall be: five micrometres for half a metre.
        exact: f64 = 1e-5, Positive;
    }
}

gambol_model::settings! {
    /// Where feet stand, and how they get there (`way`, `target`, `sole`).
    pub struct FootholdSettings {
        /// A swinging foot goes aside of its way by no more than this: trunks that bend sideways would fling the legs that hang from them by a
        /// third of their length, which nobody sees from the side and everybody from the front. Trotting dogs need 0.14 to pass their own feet.
        aside: f64 = 0.15, Positive;
        /// … and softly by this much more.
        aside_softness: f64 = 0.05, Positive;
        /// … and by this share of how far aside of its hip it stands: sprawling legs swing in arcs.
        sprawls: f64 = 0.5, AtLeastZero;
        /// Share of the stance after which the heel may rise; people's do at about half.
        heel: f64 = 0.55, Share;
        /// Toes of who walks on two soles point up by this when the heel comes down, rad: 15° to 25° in people (Perry 1992,
        /// chapter 4). The ball of the foot is what stays where it stands, and the heel slides under it by 1 − cos of this:
        /// 5 mm of a person at 15°, and more beyond.
        strike: f64 = 0.26, AtLeastZero;
        /// Share of the stance after which the sole is flat: an eighth of the cycle in people (the same).
        struck: f64 = 0.2, Share;
        /// Share of the swing after which a sole hangs freely, and as long before its end it is level again: people's feet are
        /// level from the middle of the swing on. Below a half.
        hang: f64 = 0.25, Positive;
        /// Feet are lifted by this more where the ground is not level.
        rough: f64 = 0.03, AtLeastZero;
        /// Share of the swing over which a foot goes over from the ground to the modal motion, and back: both together more than
        /// a swing, so that nothing is in haste. With less, a person's foot comes down so late that it tips on its heel.
        fade: f64 = 0.6, Share;
        /// Share of the swing over which the ground still drags a foot that leaves, or already one that lands. With more a spider's legs
        /// are stretched until they pull its body down.
        drag: f64 = 0.05, Positive;
        /// Heights of corners within this blend into one another, so that the lowest point of a foot moves smoothly when the
        /// foot tips from one corner to the next: 0.5 mm for a leg of half a metre.
        blend: f64 = 1e-3, Positive;
        /// The same in the middle of a swing, where nobody sees which corner is the lowest.
        blend_aloft: f64 = 0.01, Positive;
    }
}

gambol_model::settings! {
    /// The root trajectory, plants and speed of least elastic energy (`root`).
    pub struct RootSettings {
        /// Samples per cycle of the fit. Independent of the frame rate, so that a gait is the same at any.
        samples: usize = 48, AtLeastOne;
        /// How strongly the root holds to the modal motion and the bounce, as a share of the legs' own stiffness. With 1 the
        /// feet would have to do half of the work, with 0 nothing would carry the body through flight.
        tie: f64 = 0.5, Positive;
        /// The same of its height, which a flight or a vault decides and not the legs.
        tie_height: f64 = 10.0, Positive;
        /// A leg that is nearly straight is nearly rigid along itself, at the linear level only: it can fold. This share of
        /// the mean compliance is lent to that direction.
        supple: f64 = 0.05, Positive;
        /// The same for all directions. Legs that cannot give at all in one, as the hinges of a robot sideways, are followed
        /// by the root to this share.
        rigid: f64 = 1e-3, Positive;
        /// The body goes on average no further down than this below where it stands.
        sink: f64 = 0.4, Positive;
    }
}

gambol_model::settings! {
    /// The pose nearest to the modal one that has all feet where they shall be (`pin`). Compliances are shares of that of a
    /// leg of joints of mean compliance.
    pub struct PinSettings {
        /// Iterations at most; a frame that follows its neighbour takes three to six.
        iterations: usize = 40, AtLeastOne;
        /// Iterations of drawing feet home, which converge as Newton's do.
        reach_iterations: usize = 20, AtLeastOne;
        /// A foot is where it shall be if it is within this: 50 nm for half a metre. Well below what matters, so that the
        /// seam of a loop does not show where the iteration started.
        near: f64 = 1e-7, Positive;
        /// The same in the rounds of a motion that comes to obey, from which the body as a whole and a guess are taken: half a micrometre. With 5 µm a
        /// person in a T-pose walks with a jerk.
        near_round: f64 = 1e-6, Positive;
        /// The same of a draft, which asks what feet can reach and what modes can do.
        near_draft: f64 = 1e-6, Positive;
        /// A frame is done when no joint is further than this from where the iteration leads, rad: so near that velocities at a
        /// thousand frames a second are smooth.
        settled: f64 = 3e-6, Positive;
        /// The same in the rounds, a sixtieth of a degree: at 1e-3 a dog rears before a leap.
        settled_round: f64 = 3e-4, Positive;
        /// The same of a draft: what is designed from it is then the same to 1e-6 for a body and its mirror image.
        settled_draft: f64 = 3e-5, Positive;
        /// Nothing moves any more, rad: feet that are not there by now do not get there.
        still: f64 = 1e-7, Positive;
        /// Least compliance lent to the feet. What is lent slows the last digits down by its share; …
        least_lent: f64 = 1e-7, Positive;
        /// … at first; …
        first_lent: f64 = 1e-5, Positive;
        /// … and at most: the more, the smaller the steps where feet cannot get there.
        most_lent: f64 = 1e-2, Positive;
        /// Factor of what is lent after a round that left much, or little.
        lend: f64 = 10.0, AtLeastOne;
        /// A round that left this share of the error or more left much: more is lent.
        slow: f64 = 0.9, Share;
        /// One that left this share or less left little: less is lent.
        fast: f64 = 0.3, Share;
        /// A relaxing step is between these multiples of the linear one.
        relax: [f64; 2] = [0.1, 2.0], Positive;
        /// Weight of a miss of one leg's length against rad² of mean stiffness, where feet cannot get there: more than the
        /// pull on any foot that can, even with joints well past their limits. A miss of a thousandth of the leg counts like
        /// 1 rad.
        missed: f64 = 1000.0, Positive;
        /// Largest step of one iteration, rad: beyond, the linear picture of a leg does not hold.
        longest_step: f64 = 0.4, Positive;
        /// A flat sole is this many times as stiff as the joints of its leg are on average: at 2 a person's foot hangs by its toes
        /// until it lands, and flips; at 3 it tips onto its heel.
        flat: f64 = 5.0, Positive;
        /// How much the head keeps its orientation, as a share of how much a sole does: eyes and ears like it (Kry et al. 2009,
        /// section 4.3), and the neck of a galloping animal takes up most of the pitch of its body.
        steady_head: f64 = 0.3, AtLeastZero;
        /// Tails and knees stay above the ground by about this, and give by that much.
        margin: f64 = 0.02, Positive;
        /// The spring that keeps them out sets in over this share of the margin.
        margin_softness: f64 = 0.3, Positive;
        /// Compliance of the level place of a foot in the middle of its swing: there it may be a millimetre off, and more
        /// where the legs have too few joints to swing it past the other feet.
        astray: f64 = 0.02, AtLeastZero;
        /// Most that is lent to the feet where the body is held as a whole, as a share of how that gives: feet come first.
        feet_first: f64 = 0.1, Share;
        /// A knee stays bent by about this, rad: people's do by 5° to 10° when the heel strikes.
        bent: f64 = 0.15, Positive;
        /// The spring that keeps it bent sets in over this share of that, …
        bent_softness: f64 = 0.4, Positive;
        /// … and is this many times as stiff as the knee.
        bent_stiffness: f64 = 30.0, Positive;
        /// At the ends of a swing the margin of heel and toes goes to this share of it.
        least_aloft: f64 = 0.05, Positive;
        /// Compliance of what keeps tails and knees out.
        hard: f64 = 0.003, Positive;
    }
}

gambol_model::settings! {
    /// A motion that gravity believes (`push`, `obey`). Weights are of the plan's wishes, against one another.
    pub struct ObeySettings {
        /// Samples per cycle: ten or more in the shortest stance.
        samples: usize = 48, AtLeastOne;
        /// Rounds of the plan's linear least squares: moments are products of a place and a force, and small in the fifth.
        plans: usize = 5, AtLeastOne;
        /// Weight of the centre of mass by a leg's length from that of the vibrations: forward, sideways, up. The last is mostly
        /// for the pushes to say.
        center: [f64; 3] = [1.0, 1.0, 0.1], AtLeastZero;
        /// What is added to the last for who goes slowly: legs that overlap can carry the body as they like. At 0.5 an insect's crawl swings by 15.4 %
        /// of its height, above the 15 % that the gate of gaits allows; at 0.65 by less.
        level: f64 = 0.65, AtLeastZero;
        /// What is added for who strolls: over a step of a second a tenth of the weight too much lifts the body by a hand. Without it a person at
        /// 0.3 m/s sat down at every step, by 16 % of the height of its centre of mass.
        steady: f64 = 4.0, AtLeastZero;
        /// Froude numbers below which a creature strolls, and above which it does not: animals walk at 0.2.
        strolls: [f64; 2] = [0.03, 0.18], Positive;
        /// What is added for who leaps, and stands before and after it: sharp pushes are dear after a long stance, and a dog swung up and down
        /// through half of its height instead, with its leap as one of the swings.
        leap: f64 = 2.0, AtLeastZero;
        /// Of its mean height over a stride of a script.
        height: f64 = 2.0, AtLeastZero;
        /// Froude numbers below which a creature goes slowly, and above which it does not: between walk and trot or run.
        slow: [f64; 2] = [0.3, 0.6], Positive;
        /// Of a body turned by 1 rad from that of the vibrations.
        turn: f64 = 1.0, AtLeastZero;
        /// Of a push by a body weight off that of animals.
        shape: f64 = 0.05, Positive;
        /// Of a push by a body weight outside its cone.
        cone: f64 = 30.0, AtLeastZero;
        /// Friction that is counted on: less than most grounds have (0.8), so that a controller has some to spare.
        friction: f64 = 0.6, Positive;
        /// Where a sole is pressed at touchdown and at lift-off, as shares of its length from the heel: a person's pressure goes
        /// from behind the ankle to the ball of the foot.
        rolls: [f64; 2] = [0.3, 0.9], Positive;
        /// Rounds of pinning at most. Two thirds of the lack are left after each; most gaits need four.
        rounds: usize = 8, AtLeastOne;
        /// It is enough if the moment that is lacking is below this, body weights times height: what physics itself scores by
        /// differences of keys.
        enough: f64 = 0.01, Positive;
        /// How what the pushes ask of the body as a whole gives, its shift and its turn, as shares of a leg's compliance: by a
        /// hundredth of a millimetre, and more where a body has too few joints for that and for its feet. What is left of the
        /// turn the next round asks for.
        soft: [f64; 2] = [1e-5, 1e-4], Positive;
        /// Compliance of a foot in the middle of its swing for who goes fast, as a share of a leg's: legs swing as their joints
        /// like, and throw the body about less. Who goes slowly has [`PinSettings::astray`].
        astray: f64 = 0.1, AtLeastZero;
        /// Where more is lacking after the last round than this, weights times height, the joints cannot do it: better a motion near to the
        /// vibrations, which says that it cannot be believed, than limbs thrown about. Such a one lacks two to four.
        most: f64 = 0.8, Positive;
        /// What a joint that jumps further than it may counts as, weights times height per rad: an eye sees a hundredth of a radian.
        flick: f64 = 80.0, Positive;
        /// Where more than this is lacking, it is tried again with smoothed corrections: a third of what a gait may lack to be believed.
        retry: f64 = 0.1, Positive;
        /// … unless feet miss by more than this, leg lengths: then legs are too short, and not jerky; …
        hopeless: f64 = 0.05, Positive;
        /// … so often at most, each time from where the last one ended, …
        retries: usize = 4, AtLeastOne;
        /// … and, of a loop, not again where more than this share of what was lacking is left; …
        gains: f64 = 0.9, Share;
        /// … of a script, which is long, no more often than this; …
        script_retries: usize = 2, AtLeastOne;
        /// … but not again where this much is lacking after the first: what was at 4 or more never came below that.
        lost: f64 = 3.0, Positive;
        /// Who is asked for stances that go by more than this many lengths of a leg, stretched, cannot: a leg that swings from straight ahead to straight back takes
        /// its hip by two, and a trunk that bends by some more.
        widest: f64 = 2.5, Positive;
        /// The same as `most` where a joint changes its step by more than this from one sample to the next, at twice the samples, rad.
        jump: f64 = 0.16, Positive;
        /// The same of a script: one twitch in minutes is better than minutes that nobody believes.
        script_jump: f64 = 0.4, Positive;
        /// … unless all that it carries is lighter than this share of the body: toes flick.
        light: f64 = 0.004, Share;
        /// Samples of a script from one wish of its plan to the next: what is twice integrated is smooth, and a plan of many strides takes long.
        thinned: usize = 3, AtLeastOne;
        /// Share of a smoothed correction that the next one is drawn to. The more, the smoother, and the less it matters what is
        /// nearest to the vibrations.
        inert: f64 = 0.97, Share;
        /// Standing legs are stretched to this share of their length at most: a knee is then bent by 16°.
        stretched: f64 = 0.99, Share;
        /// Where they would have to be longer, or feet miss, the body sinks by this share of what is missing after each round, …
        sink: f64 = 0.7, Share;
        /// … and no more than this at once, leg lengths, …
        sinks: f64 = 0.05, Positive;
        /// … or than this in all.
        deepest: f64 = 0.15, Positive;
        /// The body is low enough if less than this is missing, leg lengths.
        low_enough: f64 = 2e-3, Positive;
    }
}

gambol_model::settings! {
    /// What users are told of a clip (`perform`, `measure`).
    pub struct WarningSettings {
        /// A foot further from its target than this, leg lengths, is missed: half a millimetre for half a metre.
        reach: f64 = 1e-3, Positive;
        /// What is deeper below the ground than this, m, is told: a millimetre can be seen in a still.
        below_ground: f64 = 1e-3, Positive;
        /// A shin nearer to its thigh than this is folded into it, rad: flesh has a thickness.
        folded: f64 = 0.1, Positive;
        /// A joint of a leg that turns further than this from the rest pose has lost all posture, rad.
        turned: f64 = 2.2, Positive;
        /// A joint that is asked for this much beyond its limit shows little of its motion, rad: soft limits leave a tenth of
        /// it.
        beyond: f64 = 1.0, Positive;
    }
}

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
        /// A frame is done when no joint would move by more in the next step, rad: so near that velocities at a thousand
        /// frames a second are smooth.
        settled: f64 = 3e-6, Positive;
        /// The same of a draft: to the eye.
        settled_draft: f64 = 3e-4, Positive;
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
        /// Share of the stance after which the heel may rise; people's do at about half.
        heel: f64 = 0.55, Share;
        /// How far a swinging foot is carried on by the slope or the curvature of its gap: a third of a step. More would
        /// throw the foot far ahead of the body.
        strays: f64 = 0.25, Positive;
        /// Feet are lifted by this more where the ground is not level.
        rough: f64 = 0.03, AtLeastZero;
        /// Share of the swing over which a gap fades: both ends together more than a swing, so that nothing waits.
        fade: f64 = 0.6, Share;
        /// Heights of corners within this blend into one another, so that the lowest point of a foot moves smoothly when the
        /// foot tips from one corner to the next: 0.5 mm for a leg of half a metre.
        blend: f64 = 1e-3, Positive;
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
        /// A flat sole is this many times as stiff as the joints of its leg are on average. By eye.
        flat: f64 = 2.0, Positive;
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
        /// At the ends of a swing the margin of heel and toes goes to this share of it.
        least_aloft: f64 = 0.05, Positive;
        /// Compliance of what keeps tails and knees out.
        hard: f64 = 0.005, Positive;
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

//! By what numbers modes are read.

gambol_model::settings! {
    /// From which number on a motion is called something. Shares are of a mode's elastic energy. They are set so that the dog
    /// and the human of the gallery get the names that people gave their modes by looking.
    pub struct ReadSettings {
        /// Correlation of a motion with its mirror image from which on it counts as symmetric, and below minus which as
        /// antisymmetric. A symmetric creature has ±1 but for rounding; a pose in mid-stride blurs it.
        symmetric: f64 = 0.8, Share;
        /// A plane has a motion to itself from this part of it on: half.
        plane: f64 = 0.5, Share;
        /// Part of a pair's energy that makes one of them alone worth naming.
        alone: f64 = 0.85, Share;
        /// Correlation of a pair's motions from which on they go together, or in turn.
        in_step: f64 = 0.6, Share;
        /// Part of a limb's energy below its root that moves the name from the limb to that joint.
        below_root: f64 = 0.55, Share;
        /// The end of a limb that swings as a whole moves at least this many lengths per radian of its largest joint.
        swings: f64 = 0.25, Positive;
        /// A joint that turns less than this part of the largest one does not bend a chain the other way.
        bends_back: f64 = 0.15, AtLeastZero;
        /// A limb with less is not spoken of.
        spoken: f64 = 0.1, AtLeastZero;
        /// So many are spoken of at most: a name is short.
        most_spoken: usize = 3, AtLeastOne;
        /// A row of legs with more takes part in bounding.
        bounding: f64 = 0.05, AtLeastZero;
        /// Arms and legs that swing together are named together from here on.
        with_arms: f64 = 0.15, AtLeastZero;
        /// The trunk gives the name from here on, unless something else has much more.
        trunk: f64 = 0.3, AtLeastZero;
        /// Both halves of a play bow have more.
        bow: f64 = 0.25, AtLeastZero;
        /// One thing gives the name whatever else moves.
        names_all: f64 = 0.6, Share;
        /// It gives the name if it also has this many times as much as the next, …
        leads: f64 = 1.4, AtLeastOne;
        /// … and no less than this.
        leader: f64 = 0.35, AtLeastZero;
        /// Rows of legs that have this part of the strongest row's share are named with it.
        equal_rows: f64 = 0.75, Share;
        /// Part of the joints that have to lie on one way for a tree to count as a chain.
        chain: f64 = 0.8, Share;
        /// Wave crests and nodes are told apart where one is this many times as strong: 22.5° from either.
        crest: f64 = 2.4, AtLeastOne;
    }
}

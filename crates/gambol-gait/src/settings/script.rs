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
        /// Time to push off for a leap, and to land, √(h/g): people crouch and stretch within 0.7 s.
        push: f64 = 2.2, Positive;
    }
}

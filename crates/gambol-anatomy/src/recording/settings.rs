//! Every tuned number on the way from a recorded skeleton to a body, one struct per algorithm, each with unit, reason and origin.

use gambol_model::{SettingError, settings};

/// By what numbers [`super::embody`] makes a body of a skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordingSettings {
    /// How the skeleton stands.
    pub stance: RecordedStanceSettings,
    /// How large a unit of the file is.
    pub size: RecordedSizeSettings,
    /// How thick its flesh is.
    pub flesh: BoneFleshSettings,
}

impl RecordingSettings {
    /// Refuses the first number that makes no sense.
    pub fn check(&self) -> Result<(), SettingError> {
        self.stance.check()?;
        self.size.check()?;
        self.flesh.check()
    }
}

settings! {
    /// How a skeleton stands, from the frames of its take.
    pub struct RecordedStanceSettings {
        /// So many frames at most, evenly chosen, tell how tall it stands: a median of fewer would hang on single ones.
        frames: usize = 99, AtLeastOne;
        /// A pose with all angles zero that is lower than this part of the recorded ones is no standing pose.
        low: f64 = 0.7, Share;
        /// A first frame is apart from the motion if it is turned by more than this, rad, from the second: 15°, more than any joint
        /// does in a hundredth of a second …
        apart: f64 = 0.26, Positive;
        /// … and by more than so many times the usual step.
        apart_steps: f64 = 10.0, AtLeastOne;
        /// A leg leads along z if its way along z is so many times that along y: 63° from y.
        clearly: f64 = 2.0, AtLeastOne;
        /// Who is longer than this, in parts of the height, goes on all fours; a person is 0.2 long.
        all_fours: f64 = 0.8, Positive;
    }
}

settings! {
    /// How large a unit of the file is, where nobody says it.
    pub struct RecordedSizeSettings {
        /// Recordings are of people, nearly always: the height that a guess aims at, m.
        person: f64 = 1.7, Positive;
        /// A guess is sure if the height is within this factor of a person's: children and giants.
        sure: f64 = 1.5, AtLeastOne;
        /// Heights of animals on all fours, m, from a rat to an elephant. Between these no guess is better than another: the first
        /// unit that fits, of metres, centimetres and millimetres, is taken.
        animals: [f64; 2] = [0.08, 4.0], Positive;
    }
}

settings! {
    /// How thick the flesh around bones is, from their lengths and places.
    pub struct BoneFleshSettings {
        /// What lies within this share of the way from a person's knee to the last joint of the foot, or from the elbow to that of
        /// the hand, is still shank or forearm: ankles are at nine tenths, and some skeletons have a joint for the twist between.
        still_lower: f64 = 0.5, Share;
        /// Radius of a limb over the length of its bone; a thigh of 43 cm has 5 cm.
        limb: f64 = 0.12, Positive;
        /// The thinnest and the thickest limb, in parts of the height: a finger, a thigh.
        limb_radii: [f64; 2] = [0.006, 0.06], Positive;
        /// A limb tapers by at most this from bone to bone: a foot is short, but not thin, and so is a neck.
        taper: f64 = 0.45, Share;
        /// Radius of the trunk over its length, from hips to shoulders: 12 cm of 50.
        trunk: f64 = 0.25, Positive;
        /// The thinnest and the thickest trunk, in parts of the height.
        trunk_radii: [f64; 2] = [0.065, 0.15], Positive;
        /// Radius of a head in parts of the height: a person's is 11 cm of 1.75 m.
        head: f64 = 0.06, Positive;
        /// A limb reaches this far, in parts of the height; fingers and faces do not. Where two limbs part is trunk.
        limb_reach: f64 = 0.2, Share;
    }
}

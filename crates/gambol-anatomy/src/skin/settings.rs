//! Every tuned number on the way from a skin to a body, one struct per algorithm, each with unit, reason and origin.
//!
//! "On rigs" means that the number separates what it is to separate on the models of `docs/rigs.md` and on the awkward ones of our own
//! making. What is mathematics or the digits of a file stands beside its formula instead.

use gambol_model::{SettingError, settings};

/// By what numbers [`super::embody`] makes a body of a skin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinSettings {
    /// Which of several characters is taken.
    pub crowd: CrowdSettings,
    /// Which bones are bodies.
    pub segments: SegmentSettings,
    /// How large a unit of the file is.
    pub size: SkinSizeSettings,
    /// What each body weighs.
    pub flesh: FleshSettings,
    /// Whether left and right weigh the same.
    pub balance: BalanceSettings,
    /// What shape each body has.
    pub shapes: SkinShapeSettings,
    /// How knees and elbows bend.
    pub hinges: HingeSettings,
    /// How far balls turn.
    pub balls: BallSettings,
}

impl SkinSettings {
    /// Refuses the first number that makes no sense.
    pub fn check(&self) -> Result<(), SettingError> {
        self.crowd.check()?;
        self.segments.check()?;
        self.size.check()?;
        self.flesh.check()?;
        self.balance.check()?;
        self.shapes.check()?;
        self.hinges.check()?;
        self.balls.check()
    }
}

settings! {
    /// Which of several characters that stand apart is taken.
    pub struct CrowdSettings {
        /// A character of its own has at least this part of the skin's area of the largest one; less is a prop. On rigs.
        least_area: f64 = 0.1, Share;
        /// And at least this part of its bones. On rigs: a sword has one, a saddle a few.
        least_bones: f64 = 0.25, Share;
        /// Fewer bones are no character.
        fewest_bones: usize = 3, AtLeastOne;
    }
}

settings! {
    /// Which bones of a rig are bodies, and where they hang.
    pub struct SegmentSettings {
        /// A bone that carries less than this part of the skin's area is no body of its own. On rigs: controls, targets and poles
        /// carry nothing or a few stray vertices.
        hardly_any: f64 = 1e-3, Share;
        /// A last bone is part of the one before it if it carries less than this part of the area … On rigs: fingers, ears, hooves.
        small_area: f64 = 0.012, Share;
        /// … and reaches less far than this part of the creature's size.
        small_reach: f64 = 0.05, Share;
        /// A bone hung elsewhere belongs to the one that ends within this part of the size from where it begins. Artists put the two
        /// into one place by hand.
        same_end: f64 = 0.03, Share;
        /// Feet and hands that hang elsewhere carry less than this part of the area each. On rigs: a foot has 2 to 4 %.
        end_area: f64 = 0.06, Share;
        /// The hub of a rig that carries less than this part of the area is one body with its nearest neighbour: as a body of its own
        /// it would weigh next to nothing between heavy ones.
        light_hub: f64 = 0.02, Share;
        /// Twins carry areas that differ by less than this part. Weights are painted by hand.
        twin_area: f64 = 0.1, Share;
        /// A bone goes on along its parent if the cosine of the angle between them is above this: 8°.
        in_line: f64 = 0.99, Share;
    }
}

settings! {
    /// How large a unit of the file is, where nobody says it.
    pub struct SkinSizeSettings {
        /// Heights of creatures, m: from a mouse to the largest dinosaur. Outside of this the unit of the file is another one.
        heights: [f64; 2] = [0.1, 20.0], Positive;
        /// A fish is as long as it is flat: what lies is taken for as high as this part of its diagonal.
        lying: f64 = 0.3, Share;
    }
}

settings! {
    /// What each body weighs.
    pub struct FleshSettings {
        /// kg/m³: animals float, hardly.
        density: f64 = 1000.0, Positive;
        /// Nothing weighs less than this part of the whole: it would tremble like a gnat.
        least_mass: f64 = 1e-5, Share;
        /// Cubes along the longest side of the skin's box: a lower leg is two or three cubes thick then, and all of it takes
        /// milliseconds.
        cubes_along: f64 = 72.0, AtLeastOne;
        /// Cubes alone count for a body that has at least so many; with fewer, a third of them could lie across its skin.
        cubes: f64 = 150.0, AtLeastOne;
        /// With at least so many they count if they hold more than the closed skin: a patch of a flank has flesh behind it.
        patch: f64 = 10.0, AtLeastOne;
        /// A closed piece holds between these parts of the volume of its convex hull; outside of it, it is broken or a sheet. A thin
        /// ring holds an eighth, and rounding a thousandth more than all.
        of_hull: [f64; 2] = [0.12, 1.001], Positive;
        /// The whole skin is closed if its volumes by triangles and by cubes differ by less than this factor: a cube lies on either
        /// side of the skin by chance.
        closed: f64 = 1.15, AtLeastOne;
        /// A piece without any volume is a sheet of this thickness, as part of the size of all: a cape, a leaf.
        sheet: f64 = 0.005, Share;
    }
}

settings! {
    /// Whether left and right are made to weigh the same.
    pub struct BalanceSettings {
        /// Joints are twins if one is this near to the other's mirror image, as part of the size of the rig. On rigs: those that were
        /// mirrored by hand are off by a hundredth.
        twin_place: f64 = 0.02, Share;
        /// The rig is symmetric if all but this part of its joints have a twin: hair, a tail curled to one side.
        odd_ones: f64 = 0.1, Share;
    }
}

settings! {
    /// What shape each body has, for contact and pictures.
    pub struct SkinShapeSettings {
        /// A body whose skin comes this near to the lowest point of all, as part of the height, stands on the ground.
        stands: f64 = 0.02, Share;
        /// A standing body that is higher than this part of its footprint is a leg without a foot, and round.
        flat_foot: f64 = 0.8, Positive;
        /// A foot fills this part of the box around it; a leg that sprawls does not.
        fills: f64 = 0.4, Share;
        /// Another axis than that of the bone must bring the skin's mean distance from its capsule down to this part.
        other_axis: f64 = 0.5, Share;
    }
}

settings! {
    /// How knees and elbows bend.
    pub struct HingeSettings {
        /// Below this a limb is straight, and the way it bends is known from what it is, rad.
        straight: f64 = 0.3, Positive;
        /// A limb that is bent by less than this part of `straight` may as well bend to the other side.
        undecided: f64 = 0.25, Share;
        /// A drawn bend tells the side if it lies in the plane in which such limbs bend: cosine of 60°.
        in_plane: f64 = 0.5, Share;
        /// A knee or elbow is folded at most so far from straight, rad: a person's heel nearly touches the seat.
        folded: f64 = 2.4, Positive;
        /// It stretches at least so far beyond its drawn pose, rad, however it is drawn.
        least_stretch: f64 = 0.05, AtLeastZero;
        /// It folds at least so far from there, rad: a step needs no less.
        least_fold: f64 = 0.6, Positive;
    }
}

settings! {
    /// Largest angles of balls from the pose of the file, rad. What people and dogs do when they walk and run, and somewhat more; a
    /// wish in the rig file overrules each.
    pub struct BallSettings {
        /// Of one vertebra of a few; five of them make a somersault.
        spine: f64 = 0.45, Positive;
        /// Of one vertebra: a dog's nose to the ground and to its flank takes two or three.
        neck: f64 = 0.7, Positive;
        /// Of one vertebra.
        tail: f64 = 0.6, Positive;
        /// A step to the front and one to the back, and a high knee.
        hip: f64 = 1.1, Positive;
        /// Arms are raised above the head.
        shoulder: f64 = 1.9, Positive;
        /// A collar bone or shoulder blade.
        girdle: f64 = 0.5, Positive;
        /// Ankles, wrists and what follows them.
        ankle: f64 = 0.9, Positive;
        /// What is none of these: wings, hair, straps.
        other: f64 = 0.6, Positive;
    }
}

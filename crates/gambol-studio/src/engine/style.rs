//! Styles, to and from the page.

use gambol::gait::Style;

use crate::protocol::StyleWork;

impl From<&StyleWork> for Style {
    fn from(work: &StyleWork) -> Self {
        Self {
            pose: work.pose.clone(),
            bend: work.bend.clone(),
            stiffness: work.stiffness,
            scale: work.scale.clone(),
            constraints: work.constraints.clone(),
            weight: work.weight,
            tension: work.tension,
            injured: work.injured.clone(),
        }
    }
}

impl From<Style> for StyleWork {
    fn from(style: Style) -> Self {
        Self {
            pose: style.pose,
            bend: style.bend,
            stiffness: style.stiffness,
            scale: style.scale,
            constraints: style.constraints,
            weight: style.weight,
            tension: style.tension,
            injured: style.injured,
        }
    }
}

//! A moving creature before its camera, with the ground that passes under it and the feet that stand.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, Vec3};
use gambol_motion::{Clip, Contact};
use nalgebra::Point3;

use crate::modes::clip_view;
use crate::picture::{Anchor, Colour, Item, Picture, Point, Stroke};
use crate::sheet::GREY;
use crate::sides::far_bodies;
use crate::track::{Track, about_z, turned};
use crate::{Bounds, ClipOptions, Drawing, Height, Look, Paint, Placement, View};

/// Of marks for what is near and for what is far.
pub(crate) const NEAR: Colour = Colour::hex(0x2a_2d_33);
pub(crate) const FAR: Colour = Colour::hex(0x9b_a1_aa);
const GROUND: Stroke = Stroke { colour: Colour::hex(0x8c_8f_94), width: 1.0 };
const TICK: Stroke = Stroke { colour: Colour::hex(0xa9_ac_b1), width: 0.9 };

/// What is in front of the camera while a clip lasts.
pub(crate) struct Stage<'a> {
    pub(crate) track: Track<'a>,
    /// Of the camera frame.
    pub(crate) view: View,
    /// Per body: whether it is on the side away from the eye.
    far: Vec<bool>,
    ground: Option<Height<'a>>,
    /// Where the travel goes; horizontal unit vector, camera frame.
    forward: Vec3,
    /// m/s
    speed: f64,
}

/// The creature at one time.
pub(crate) struct Shot {
    /// s after the first key
    pub(crate) time: f64,
    drawing: Drawing,
    /// Where the camera's origin is on the plane of the drawing, m.
    origin: [f64; 2],
    feet: Vec<StandingFoot>,
}

/// A foot that stands.
struct StandingFoot {
    /// On the ground, camera frame, m.
    at: Vec3,
    is_far: bool,
}

/// What has to be seen of a stage.
pub(crate) struct Window {
    /// Around the creature and the ground under it, picture plane of the camera, m.
    pub(crate) bounds: Bounds,
    /// The ground under the creature: along the travel and to the left of it, seen from the creature's middle, m.
    runway: Bounds,
    /// Whether it is near enough to be seen.
    has_ground: bool,
}

/// Marks on the ground.
pub(crate) struct Ruler {
    /// m from tick to tick
    pub(crate) spacing: f64,
    /// Every so many ticks one is longer and says where it is; 0 for none.
    pub(crate) labelled: i64,
}

impl Shot {
    /// On the picture plane of the camera, m.
    pub(crate) fn bounds(&self) -> Bounds {
        let Bounds { low, high } = self.drawing.bounds();
        let seen = |point: [f64; 2]| [point[0] - self.origin[0], point[1] - self.origin[1]];
        Bounds { low: seen(low), high: seen(high) }
    }
}

impl<'a> Stage<'a> {
    /// `clip` has been checked.
    pub(crate) fn new(creature: &'a Creature, clip: &'a Clip, options: &ClipOptions<'a>) -> Self {
        let track = Track::new(creature, clip, options.ground);
        let heading = about_z(track.heading());
        let seen = options.view.unwrap_or_else(|| clip_view(&track));
        let far = far_bodies(creature, &seen);
        let view = View { eye_from_world: turned(&seen.eye_from_world, &heading), ..seen };
        let velocity = track.velocity();
        let along = Vec3::new(velocity.x, velocity.y, 0.0);
        // A creature on the spot travels nowhere; its ground is laid out where it looks.
        let forward = if along.norm() > 1e-9 { along.normalize() } else { heading * Vec3::x() };
        Self { track, view, far, ground: options.ground, forward, speed: along.norm() }
    }

    /// The creature at `time` after the first key.
    pub(crate) fn shot(&self, data: &mut Data, time: f64) -> Shot {
        let camera = self.track.world_from_camera(time);
        let view = View { eye_from_world: turned(&self.view.eye_from_world, &camera.rotation), ..self.view };
        let origin = view.eye_from_world * camera.translation.vector;
        let pose = self.track.pose(time);
        let creature = self.track.creature;
        let drawing = Drawing::sided(creature, data, &pose, view, &self.far);
        let frames = forward_kinematics(creature, data, &pose);
        let standing = self
            .track
            .clip
            .contacts
            .iter()
            .filter(|contact| contact.body < frames.len() && self.stands(contact, time));
        let feet = standing.map(|contact| {
            let foot = frames[contact.body].point_in_world(contact.point);
            let foot_in_camera = camera.inverse_transform_point(&foot.into()).coords;
            StandingFoot { at: self.on_ground(time, foot_in_camera), is_far: self.far[contact.body] }
        });
        Shot { time, drawing, origin: [origin.x, origin.y], feet: feet.collect() }
    }

    /// An interval that ends with the clip holds its end.
    fn stands(&self, contact: &Contact, time: f64) -> bool {
        let time = self.track.clip.times[0] + time;
        let end = self.track.clip.duration();
        contact.intervals.iter().any(|&[from, to]| from <= time && (time < to || (time == to && to >= end)))
    }

    /// Whether this contact's foot is on the far side.
    pub(crate) fn is_far(&self, contact: &Contact) -> bool {
        self.far.get(contact.body).copied().unwrap_or(false)
    }

    /// m that the ground passes while the clip lasts
    pub(crate) fn distance(&self) -> f64 {
        self.speed * self.track.duration()
    }

    /// The point of the ground over or under a point, both in the camera frame, m.
    fn on_ground(&self, time: f64, point: Vec3) -> Vec3 {
        let camera = self.track.world_from_camera(time);
        let at = camera * Point3::from(point);
        let height = self.ground.map_or(0.0, |height| height(at.x, at.y));
        Vec3::new(point.x, point.y, height - camera.translation.z)
    }

    /// A point of the camera frame on the picture plane.
    fn on_plane(&self, point: Vec3) -> [f64; 2] {
        let seen = self.view.eye_from_world * point;
        [seen.x, seen.y]
    }

    /// The ground `along` the travel and to the `left` of it, from the middle of the creature, camera frame, m.
    fn ground_point(&self, time: f64, along: f64, left: f64) -> Vec3 {
        let aside = Vec3::z().cross(&self.forward);
        self.on_ground(time, self.track.middle + self.forward * along + aside * left)
    }

    /// Around all that is to be seen at `times`.
    pub(crate) fn window(&self, data: &mut Data, times: &[f64]) -> Window {
        const AROUND: f64 = 0.06; // of the creature's size
        const DEEPEST: f64 = 1.0; // the same; what flies higher is shown without the ground
        let mut bounds = Bounds::EMPTY;
        for &time in times {
            bounds = bounds.union(&self.shot(data, time).bounds());
        }
        let size = bounds.size()[0].max(bounds.size()[1]);
        let below =
            times.iter().map(|&time| bounds.low[1] - self.on_plane(self.ground_point(time, 0.0, 0.0))[1]);
        let has_ground = below.fold(f64::MAX, f64::min) <= DEEPEST * size;
        let mut runway = Bounds::EMPTY;
        if has_ground && self.view.is_level() {
            let span = [bounds.low[0], bounds.high[0]];
            let points = times.iter().flat_map(|&time| self.profile(time, span));
            bounds = points.fold(bounds, |bounds, point| bounds.with(&point));
        } else if has_ground {
            runway = self.runway(data, times).inflated(2.0 * AROUND * size);
            let points = times.iter().flat_map(|&time| self.corners(time, &runway));
            bounds = points.fold(bounds, |bounds, point| bounds.with(&point));
        }
        Window { bounds: bounds.inflated(AROUND * size), runway, has_ground }
    }

    /// What the creature covers seen from above: along the travel and to the left of it, from its middle, m.
    fn runway(&self, data: &mut Data, times: &[f64]) -> Bounds {
        let above = self.top_view();
        let mut runway = Bounds::EMPTY;
        for &time in times {
            let camera = self.track.world_from_camera(time);
            let view = View { eye_from_world: turned(&above.eye_from_world, &camera.rotation), ..above };
            let middle = view.eye_from_world * (camera * Point3::from(self.track.middle)).coords;
            let seen = Drawing::sided(self.track.creature, data, &self.track.pose(time), view, &self.far);
            let Bounds { low, high } = seen.bounds();
            let moved = |p: [f64; 2]| [p[0] - middle.x, p[1] - middle.y];
            runway = runway.union(&Bounds { low: moved(low), high: moved(high) });
        }
        runway
    }

    /// From above, with the travel to the right.
    fn top_view(&self) -> View {
        let aside = Vec3::z().cross(&self.forward);
        let rows = [self.forward.transpose(), aside.transpose(), Vec3::z().transpose()];
        View { eye_from_world: gambol_model::Mat3::from_rows(&rows), ..View::top() }
    }

    /// Where a level view sees the ground: a line from left to right through the creature's middle.
    fn profile(&self, time: f64, [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
        const STEPS: u32 = 96; // shorter than two pixels each
        let right = self.view.right();
        let steps = if self.ground.is_some() { STEPS } else { 1 };
        let at = |k: u32| {
            let x = from + (to - from) * f64::from(k) / f64::from(steps);
            let point = self.track.middle + right * (x - right.dot(&self.track.middle));
            self.on_plane(self.on_ground(time, point))
        };
        (0..=steps).map(at).collect()
    }

    /// The border of the runway on the picture plane.
    fn corners(&self, time: f64, runway: &Bounds) -> Vec<[f64; 2]> {
        const STEPS: u32 = 24; // for uneven ground
        let steps = if self.ground.is_some() { STEPS } else { 1 };
        let Bounds { low, high } = *runway;
        let corners = [low, [high[0], low[1]], high, [low[0], high[1]]];
        let edge = |k: usize| {
            let (from, to) = (corners[k], corners[(k + 1) % 4]);
            (0..steps).map(move |step| {
                let share = f64::from(step) / f64::from(steps);
                [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share)
            })
        };
        let border = (0..4).flat_map(edge);
        border.map(|[along, left]| self.on_plane(self.ground_point(time, along, left))).collect()
    }

    /// Draws ground, creature and standing feet. `span` is how far the ground of a level view reaches, m.
    pub(crate) fn draw(
        &self,
        picture: &mut Picture,
        placement: Placement,
        shot: &Shot,
        window: &Window,
        span: [f64; 2],
        ruler: &Ruler,
    ) {
        let is_level = self.view.is_level();
        if window.has_ground && is_level {
            self.draw_profile(picture, placement, shot.time, span, ruler);
        } else if window.has_ground {
            self.draw_runway(picture, placement, shot.time, window, ruler);
        }
        let [x, y] = shot.origin.map(|x| x * placement.scale);
        let origin = [placement.origin[0] - x, placement.origin[1] + y];
        // A shadow lies on even ground; from right above it is under the creature.
        let shadow = window.has_ground && !is_level && self.ground.is_none() && self.view.towards().z < 0.99;
        let look = Look { paint: Paint::Sided, shadow, ..Look::default() };
        shot.drawing.draw(picture, Placement { origin, ..placement }, &look);
        if !window.has_ground {
            return;
        }
        let size = window.bounds.size();
        let half = (0.038 * size[0].max(size[1]) * placement.scale).clamp(4.0, 10.0);
        // The far feet first, so that the near ones are on top of them.
        for is_far in [true, false] {
            for foot in shot.feet.iter().filter(|foot| foot.is_far == is_far) {
                self.draw_mark(picture, placement, shot.time, foot, half);
            }
        }
    }

    fn draw_profile(
        &self,
        picture: &mut Picture,
        placement: Placement,
        time: f64,
        span: [f64; 2],
        ruler: &Ruler,
    ) {
        const LONG: f64 = 7.0;
        const SIZE: f64 = 8.5;
        let short = if ruler.labelled > 0 { 4.0 } else { LONG };
        let ends = span.map(|x| placement.place([x, 0.0])[0]);
        for (k, along) in self.ticks(time, self.along(span), ruler) {
            let at = placement.place(self.on_plane(self.ground_point(time, along, 0.0)));
            let is_labelled = ruler.labelled > 0 && k.rem_euclid(ruler.labelled) == 0;
            let length = if is_labelled { LONG } else { short };
            picture.line(at, [at[0], at[1] + length], TICK);
            let text = label(k as f64 * ruler.spacing);
            let half = 0.5 * crate::text_width(&text, SIZE);
            if is_labelled && at[0] - half >= ends[0] && at[0] + half <= ends[1] {
                let below = [at[0], at[1] + LONG + 0.95 * SIZE];
                picture.text(below, Anchor::Middle, SIZE, GREY, text);
            }
        }
        let points: Vec<Point> =
            self.profile(time, span).into_iter().map(|point| placement.place(point)).collect();
        picture.items.push(Item::Polyline { points, stroke: GROUND });
    }

    fn draw_runway(
        &self,
        picture: &mut Picture,
        placement: Placement,
        time: f64,
        window: &Window,
        ruler: &Ruler,
    ) {
        const STEPS: u32 = 12;
        let points = |plane: Vec<[f64; 2]>| plane.into_iter().map(|p| placement.place(p)).collect();
        picture.items.push(Item::Polygon {
            points: points(self.corners(time, &window.runway)),
            fill: Colour::hex(0xf5_f5_f2),
            outline: None,
        });
        let Bounds { low, high } = window.runway;
        let steps = if self.ground.is_some() { STEPS } else { 1 };
        for (k, along) in self.ticks(time, [low[0], high[0]], ruler) {
            let across = (0..=steps).map(|step| {
                let left = low[1] + (high[1] - low[1]) * f64::from(step) / f64::from(steps);
                self.on_plane(self.ground_point(time, along, left))
            });
            let is_strong = ruler.labelled == 0 || k.rem_euclid(ruler.labelled) == 0;
            let colour = if is_strong { Colour::hex(0xc2_c5_ca) } else { Colour::hex(0xdf_e1_e3) };
            let stroke = Stroke { colour, width: 1.0 };
            picture.items.push(Item::Polyline { points: points(across.collect()), stroke });
        }
    }

    /// Of a level view: a span of the picture plane as distances along the travel from the creature's middle.
    fn along(&self, span: [f64; 2]) -> [f64; 2] {
        const LEAST: f64 = 0.3; // seen from before, ticks would lie on each other
        let right = self.view.right();
        let slant = right.dot(&self.forward);
        if slant.abs() < LEAST {
            return [0.0, -1.0];
        }
        let [a, b] = span.map(|x| (x - right.dot(&self.track.middle)) / slant);
        [a.min(b), a.max(b)]
    }

    /// Number and place, along the travel from the creature's middle, of each tick in a range. They belong to the
    /// world: tick k is `k * spacing` metres along the way.
    fn ticks(&self, time: f64, range: [f64; 2], ruler: &Ruler) -> impl Iterator<Item = (i64, f64)> {
        const MOST: i64 = 400; // more would be one grey area
        let passed = self.forward.dot(&self.track.middle) + self.speed * time;
        let spacing = ruler.spacing;
        #[allow(clippy::cast_possible_truncation)] // saturates, and `take` bounds it
        let first = ((range[0] + passed) / spacing).ceil() as i64;
        (0..MOST)
            .map(move |k| (first.saturating_add(k), first.saturating_add(k) as f64 * spacing - passed))
            .take_while(move |(_, along)| *along <= range[1])
    }

    /// A foot that stands: a bar under the ground seen edge on, a dot where the ground is seen.
    /// `half` of its length, px.
    fn draw_mark(
        &self,
        picture: &mut Picture,
        placement: Placement,
        time: f64,
        foot: &StandingFoot,
        half: f64,
    ) {
        let fill = if foot.is_far { FAR } else { NEAR };
        if self.view.is_level() {
            let beside = |x: f64| {
                let point = foot.at + self.view.right() * (x / placement.scale);
                placement.place(self.on_plane(self.on_ground(time, point)))
            };
            let [from, to] = [beside(-half), beside(half)];
            let below = |[x, y]: Point, depth: f64| [x, y + depth];
            let [high, low] = [0.5, 0.5 + 0.46 * half];
            let points = vec![below(from, high), below(to, high), below(to, low), below(from, low)];
            picture.items.push(Item::Polygon { points, fill, outline: None });
        } else {
            picture.items.push(Item::Circle {
                centre: placement.place(self.on_plane(foot.at)),
                radius: 0.4 * half,
                fill,
                outline: Some(Stroke { colour: Colour::hex(0xff_ff_ff), width: 0.8 }),
                title: String::new(),
            });
        }
    }
}

/// A length in metres, without zeros that say nothing.
fn label(length: f64) -> String {
    let text = format!("{length:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if matches!(text, "-0" | "") { "0".to_owned() } else { text.to_owned() }
}

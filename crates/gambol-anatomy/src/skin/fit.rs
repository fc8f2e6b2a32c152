//! Simple shapes around the skin of a body: a capsule where it is round, a box where it stands flat on the ground.

use gambol_model::{Quat, Shape, ShapeSpec, Transform, Vec3};
use nalgebra::{Matrix3, Rotation3};

use super::solid::Piece;

/// Grey with a little warmth, opaque.
const SKIN: [f32; 4] = [0.72, 0.62, 0.52, 1.0];

/// A capsule around a piece. `along` is the direction of its bone if it has one; the shape's own long axes are tried too,
/// and the one with the smallest distance between skin and capsule is taken, if it is less than `other_axis` times the bone's. All in the frame of the
/// body.
pub(super) fn capsule(piece: &Piece, com: Vec3, along: Option<Vec3>, other_axis: f64) -> ShapeSpec {
    let samples = samples(piece);
    let axes = principal_axes(&samples, com);
    let own = [axes.column(0).into_owned(), axes.column(1).into_owned()];
    let fitted = |axis: Vec3| fit(&samples, com, axis.try_normalize(1e-12)?);
    let best = own.into_iter().filter_map(fitted).min_by(|x, y| x.error.total_cmp(&y.error));
    let best = match (along.and_then(fitted), best) {
        (Some(bone), Some(own)) if own.error >= other_axis * bone.error => Some(bone),
        (bone, own) => own.or(bone),
    };
    let Some(Fit { axis, middle, radius, half_length, .. }) = best else {
        return shape(Shape::Sphere { radius: 1e-3 }, Transform::translation(com.x, com.y, com.z));
    };
    let turn = Quat::rotation_between(&Vec3::z(), &axis)
        .unwrap_or_else(|| Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI));
    let placed = Transform::from_parts(middle.into(), turn);
    if half_length < 1e-3 * radius {
        return shape(Shape::Sphere { radius }, placed);
    }
    shape(Shape::Capsule { radius, half_length }, placed)
}

/// A box that stands on its lowest face, turned about the vertical to where it is smallest.
pub(super) fn standing_box(piece: &Piece) -> ShapeSpec {
    const TURNS: u32 = 18; // 5° each
    let extent = |angle: f64| {
        let box_from_world = Rotation3::from_axis_angle(&Vec3::z_axis(), -angle);
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for point in &piece.points {
            let point = box_from_world * point;
            (low, high) = (low.inf(&point), high.sup(&point));
        }
        (low, high)
    };
    let footprint = |angle: f64| {
        let (low, high) = extent(angle);
        (high.x - low.x) * (high.y - low.y)
    };
    let angles = (0..TURNS).map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2 / f64::from(TURNS));
    // A straight foot stays straight unless a turned box is clearly smaller.
    let angle = angles.reduce(|a, b| if footprint(b) < 0.95 * footprint(a) { b } else { a }).unwrap_or(0.0);
    let (low, high) = extent(angle);
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), angle);
    let least = 1e-4 * (high - low).norm().max(1e-6);
    let half = ((high - low) / 2.0).map(|x| x.max(least));
    let middle = turn * ((low + high) / 2.0);
    shape(Shape::Box { half }, Transform::from_parts(middle.into(), turn))
}

fn shape(shape: Shape, body_from_shape: Transform) -> ShapeSpec {
    ShapeSpec { body_from_shape, rgba: SKIN, massive: false, ..ShapeSpec::new(shape) }
}

/// Points of the surface with the area they stand for: middles of triangles and of the lines to their corners.
fn samples(piece: &Piece) -> Vec<(Vec3, f64)> {
    let mut samples = Vec::with_capacity(4 * piece.triangles.len());
    for triangle in &piece.triangles {
        let corners = triangle.map(|k| piece.points[k as usize]);
        let area = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm() / 2.0;
        let middle = corners.iter().sum::<Vec3>() / 3.0;
        samples.push((middle, 0.25 * area));
        samples.extend(corners.map(|corner| (0.5 * (corner + middle), 0.25 * area)));
    }
    if samples.is_empty() {
        samples.extend(piece.points.iter().map(|point| (*point, 1.0)));
    }
    samples
}

/// Columns from the longest axis to the shortest.
fn principal_axes(samples: &[(Vec3, f64)], middle: Vec3) -> Matrix3<f64> {
    let moment: Matrix3<f64> =
        samples.iter().map(|(point, area)| (point - middle) * (point - middle).transpose() * *area).sum();
    let eigen = moment.symmetric_eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    Matrix3::from_columns(&order.map(|k| eigen.eigenvectors.column(k).into_owned()))
}

struct Fit {
    axis: Vec3,
    middle: Vec3,
    radius: f64,
    half_length: f64,
    /// Mean distance between skin and capsule, m.
    error: f64,
}

/// The capsule along `axis` through `com` whose radius is the mean distance of the skin from the axis and whose ends are
/// those of the skin.
fn fit(samples: &[(Vec3, f64)], com: Vec3, axis: Vec3) -> Option<Fit> {
    let total: f64 = samples.iter().map(|(_, area)| area).sum();
    if total <= 0.0 {
        return None;
    }
    let along = |point: &Vec3| (point - com).dot(&axis);
    let across = |point: &Vec3| (point - com - axis * along(point)).norm();
    let (low, high) = samples.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (p, _)| {
        (low.min(along(p)), high.max(along(p)))
    });
    // Skin at the ends closes in; what is between speaks for the radius.
    let inner =
        |point: &Vec3| along(point) > low + 0.15 * (high - low) && along(point) < high - 0.15 * (high - low);
    let mean = |some: &dyn Fn(&Vec3) -> bool| {
        let (sum, area) = samples
            .iter()
            .filter(|(point, _)| some(point))
            .fold((0.0, 0.0), |(sum, area), (point, a)| (sum + a * across(point), area + a));
        (area > 0.0).then(|| sum / area)
    };
    let radius = mean(&inner).or_else(|| mean(&|_| true))?.min(0.5 * (high - low));
    if radius.is_nan() || radius <= 0.0 {
        return None;
    }
    let half_length = (0.5 * (high - low) - radius).max(0.0);
    let middle = com + axis * (0.5 * (low + high));
    let distance = |point: &Vec3| {
        let t = (point - middle).dot(&axis).clamp(-half_length, half_length);
        ((point - middle - axis * t).norm() - radius).abs()
    };
    let error = samples.iter().map(|(point, area)| area * distance(point)).sum::<f64>() / total;
    Some(Fit { axis, middle, radius, half_length, error })
}

//! `cargo xtask rigs FOLDER`: what is found in every skinned model of a folder and how it goes, as a table for the docs.

use std::path::{Path, PathBuf};
use std::time::Instant;

use gambol::LoadOptions;
use gambol::dynamics::Data;
use gambol::formats::files::Folder;
use gambol::formats::gltf::{Rig, read_gltf};
use gambol::gait::{Body, Performance, Report, Sampling, Style, Wish, design, perform};
use gambol::model::{Creature, JointKind, Landmark, Role, Row, Side};

use crate::shell::Result;

pub(crate) fn run(folder: &Path) -> Result<()> {
    let mut files = Vec::new();
    collect(folder, &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
    files.sort();
    println!(
        "| file | bodies (hinges) | height m | mass kg | feet | knees and elbows | hands | head | tail | spine | faces | ms | goes |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for file in &files {
        let name = file.strip_prefix(folder).unwrap_or(file).display();
        match read(file) {
            Ok((creature, rig, milliseconds)) => {
                println!("{} {} |", row(&name.to_string(), &creature, &rig, milliseconds), goes(creature));
            }
            Err(reason) => println!("| {name} | {reason} |"),
        }
    }
    if files.is_empty() {
        return Err(format!("{} holds no .glb or .gltf file", folder.display()));
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is = |extension: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
        if path.is_dir() {
            collect(&path, files)?;
        } else if is("glb") || is("gltf") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<(Creature, Rig, f64)> {
    let folder =
        Folder::new(file.parent().unwrap_or(Path::new("")), None).map_err(|error| error.to_string())?;
    let name = file.file_name().and_then(|name| name.to_str()).ok_or("its name is not UTF-8")?;
    let start = Instant::now();
    let (creature, rig) =
        read_gltf(&folder, name, &LoadOptions::default()).map_err(|error| error.to_string())?;
    Ok((creature, rig, 1e3 * start.elapsed().as_secs_f64()))
}

fn row(name: &str, creature: &Creature, rig: &Rig, milliseconds: f64) -> String {
    let marks = creature.landmarks();
    let of = |roles: &[Role]| -> Vec<&Landmark> {
        marks.iter().filter(|mark| roles.contains(&mark.role)).collect()
    };
    let hinges = creature.joints().iter().filter(|joint| joint.kind == JointKind::Hinge).count();
    let body = |role: Role| {
        let found = of(&[role]).first().map(|mark| creature.bodies()[mark.body].name.clone());
        found.unwrap_or_else(|| "–".into())
    };
    let forward = rig.world_from_scene.inverse_transform_vector(&nalgebra::Vector3::x()).normalize();
    let axis = ["x", "y", "z"].iter().enumerate().find(|(k, _)| forward[*k].abs() > 0.99);
    let faces = axis.map_or_else(
        || format!("({:.2} {:.2} {:.2})", forward.x, forward.y, forward.z),
        |(k, name)| format!("{}{name}", if forward[k] > 0.0 { "+" } else { "−" }),
    );
    format!(
        "| {name} | {} ({hinges}) | {:.2} | {:.3} | {} | {} | {} | {} | {} | {} | {faces} | {milliseconds:.0} |",
        creature.bodies().len() - 1,
        height(creature),
        creature.mass(),
        places(creature, &of(&[Role::Foot])),
        places(creature, &of(&[Role::Knee, Role::Elbow])),
        places(creature, &of(&[Role::Hand])),
        body(Role::Head),
        body(Role::Tail),
        of(&[Role::Spine]).len(),
    )
}

/// How it walks, or how it slithers and swims: speed, stride, and how far the trunk goes up and down, of the legs' length.
fn goes(creature: Creature) -> String {
    let mut data = Data::new(&creature);
    let Ok(body) = Body::new(creature, &mut data, &Style::default()) else { return "–".into() };
    let gaits: &[&str] = if body.legs.is_empty() { &["slither", "swim"] } else { &["walk"] };
    let found: Vec<String> = gaits.iter().filter_map(|gait| goes_at(&body, &mut data, gait)).collect();
    if found.is_empty() { "–".into() } else { found.join("; ") }
}

fn goes_at(body: &Body, data: &mut Data, gait: &str) -> Option<String> {
    let designed = design(body, data, gait, &Wish::default()).ok()?;
    let sampling = Sampling { seconds: None, fps: 60.0 };
    let Performance { clip, report, .. } = perform(body, data, &designed.gait, &sampling).ok()?;
    let heights = || clip.poses.iter().map(|pose| pose[2]);
    let bob = heights().fold(f64::NEG_INFINITY, f64::max) - heights().fold(f64::INFINITY, f64::min);
    let length = body.legs.length;
    let bob = if length > 0.0 { format!(", bobs {:.0} %", 100.0 * bob / length) } else { String::new() };
    let Report { speed, stride_length, .. } = report;
    Some(format!("{gait}: {speed:.2} m/s, strides of {stride_length:.2} m{bob}"))
}

/// `front L R: Paw.L`, one name per row of limbs: the left one's.
fn places(creature: &Creature, marks: &[&Landmark]) -> String {
    let mut rows: Vec<(Role, Option<Row>)> = marks.iter().map(|mark| (mark.role, mark.row)).collect();
    rows.dedup();
    let of_row = |&(role, row): &(Role, Option<Row>)| {
        let in_row = || marks.iter().filter(move |mark| mark.role == role && mark.row == row);
        let sides: String = in_row()
            .map(|mark| match mark.side {
                Some(Side::Left) => 'L',
                Some(Side::Right) => 'R',
                None => 'M',
            })
            .collect();
        let on = in_row().next().map_or("", |mark| creature.bodies()[mark.body].name.as_str());
        let label = match (role, row) {
            (Role::Knee, _) => "knee ",
            (Role::Elbow, _) => "elbow ",
            (_, Some(Row::Front)) => "front ",
            (_, Some(Row::Middle)) => "middle ",
            (_, Some(Row::Hind)) => "hind ",
            _ => "",
        };
        format!("{label}{sides}: {on}")
    };
    if rows.is_empty() { "–".into() } else { rows.iter().map(of_row).collect::<Vec<_>>().join("; ") }
}

/// From the lowest point of all shapes to the highest in the reference pose, m.
fn height(creature: &Creature) -> f64 {
    let mut data = Data::new(creature);
    let frames = gambol::dynamics::forward_kinematics(creature, &mut data, creature.reference_pose());
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (index, body) in creature.bodies().iter().enumerate() {
        for shape in &creature.shapes()[body.shapes.clone()] {
            let turn =
                frames[index].rotation * shape.body_from_shape.rotation.to_rotation_matrix().into_inner();
            let middle = frames[index].point_in_world(shape.body_from_shape.translation.vector);
            let up = shape.shape.support(turn.tr_mul(&nalgebra::Vector3::z()));
            let down = shape.shape.support(turn.tr_mul(&-nalgebra::Vector3::z()));
            high = high.max((middle + turn * up).z);
            low = low.min((middle + turn * down).z);
        }
    }
    high - low
}

//! `gambol pose`: a natural pose from a few handles, and how near it comes to recorded ones.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};
use gambol::{MotionOptions, is_motion, load_motion};
use gambol_dynamics::{Data, Goal};
use gambol_formats::basis::{JointMatch, from_basis_file};
use gambol_formats::clip::to_npz;
use gambol_formats::prior::prior_of_file;
use gambol_formats::write_file;
use gambol_model::{BodyPoint, Creature, Vec3};
use gambol_motion::{Clip, ElasticSettings, Look, Prior, Reconstruction, RootMotion, bone_end, reconstruct};
use gambol_picture::{self as picture, ModeTile};
use serde::Serialize;

use super::settings::{count, finite};
use super::{Failure, is_same_file, write_json, written};

/// Poses a creature by a few handles: by what recordings say is likely, or as an elastic body
#[derive(Args)]
#[command(
    group(ArgGroup::new("likely").required(true).args(["prior", "basis", "elastic"])),
    after_help = "A handle is a landmark, or the far end of a body's bone, or with +x,y,z a point of a body. With --basis the pose is the likeliest\n\
    one of that basis (gambol basis), with --prior what poses of recordings near these handles have in common (gambol learn),\n\
    with --elastic the joints give way by their stiffness and knees bend to their side. With --reconstruct, a picture shows\n\
    the poses that were found over the true ones, which are paler.\n\n\
    Examples:\n  gambol pose dog --elastic --goal foot.front.left=0.5,0.1,0.2 --look head=1,1,0.2 -o paw.png\n  \
    gambol pose 17_10.amc --prior human.prior --goal head=0,0,1.5 --goal lfingers=0.4,0.3,1.2 -o pose.json\n  \
    gambol pose --reconstruct 17_10.amc --prior others.prior --handles head,lfingers,rfingers,ltoes,rtoes --json"
)]
#[allow(clippy::struct_excessive_bools)] // each is an option of its own
pub(super) struct PoseVerb {
    /// A name from `gambol gallery`, or a file of a creature or of a recording
    #[arg(required_unless_present = "reconstruct", conflicts_with = "reconstruct")]
    creature: Option<String>,

    /// What recordings say is likely: a file of gambol learn
    #[arg(long, value_name = "FILE.prior")]
    prior: Option<PathBuf>,

    /// The basis that poses are likely in, with its spreads
    #[arg(long, value_name = "FILE.basis")]
    basis: Option<PathBuf>,

    /// No recordings: joints by their stiffness, knees and elbows bent to their side
    #[arg(long)]
    elastic: bool,

    /// A handle and where it shall be, m of the world; may be given several times
    #[arg(long, value_name = "BODY[+x,y,z]=X,Y,Z", value_parser = handle, allow_hyphen_values = true)]
    goal: Vec<Handle>,

    /// A body that looks at a place, m of the world: it turns there what it has in front at rest; may be given several times
    #[arg(long, value_name = "BODY=X,Y,Z", value_parser = handle, allow_hyphen_values = true)]
    look: Vec<Handle>,

    /// Whether the root stays where it is or goes where the handles take it
    #[arg(long, value_enum, default_value_t = Root::Given)]
    root: Root,

    /// Pose frames of a recording by the places of their own handles, and tell how near that comes
    #[arg(long, value_name = "CLIP", requires = "handles")]
    reconstruct: Option<PathBuf>,

    /// The handles of --reconstruct
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', requires = "reconstruct")]
    handles: Vec<String>,

    /// How many frames to reconstruct, equally spaced
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = count)]
    frames: usize,

    /// Take joints of the same names from a basis of another skeleton
    #[arg(long)]
    by_name: bool,

    /// Write the pose: a JSON array of nq numbers, or a picture; of --reconstruct a picture, or an .npz clip
    #[arg(short, long, value_name = "FILE.json|.npz|.png|.svg")]
    output: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Root {
    /// it stays
    Given,
    /// it goes along
    Free,
}

/// A handle as it is written.
#[derive(Clone)]
struct Handle {
    name: String,
    point: Option<Vec3>,
    target: Vec3,
}

fn vector(text: &str) -> Result<Vec3, String> {
    let numbers: Vec<f64> = text.split(',').map(finite).collect::<Result<_, _>>()?;
    match numbers[..] {
        [x, y, z] => Ok(Vec3::new(x, y, z)),
        _ => Err("expected BODY=X,Y,Z or BODY+x,y,z=X,Y,Z".to_owned()),
    }
}

fn handle(text: &str) -> Result<Handle, String> {
    let (what, place) = text.rsplit_once('=').ok_or("expected BODY=X,Y,Z, for example head=0.5,0,0.4")?;
    let target = vector(place)?;
    // A name may have a plus in it: only three numbers after it are a point.
    let split = what.rsplit_once('+').and_then(|(name, point)| Some((name, vector(point).ok()?)));
    Ok(match split {
        Some((name, point)) => Handle { name: name.to_owned(), point: Some(point), target },
        None => Handle { name: what.to_owned(), point: None, target },
    })
}

#[derive(Serialize)]
struct PoseJson<'a> {
    name: &'a str,
    qpos: &'a [f64],
    /// m
    miss: f64,
    /// The largest angle between where a body looks and what it shall look at, rad.
    looks_past: f64,
}

#[derive(Serialize)]
struct ReconstructJson<'a> {
    name: &'a str,
    frames: usize,
    handles: &'a [String],
    root: &'static str,
    /// m, over the ends of all bones
    mean_distance: f64,
    /// m, over the handles
    mean_miss: f64,
    /// s, of one pose
    seconds: f64,
}

impl PoseVerb {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        self.check_files()?;
        match (&self.reconstruct, &self.creature) {
            (Some(clip), _) => self.reconstruct(out, clip),
            (None, Some(creature)) => self.pose(out, creature),
            (None, None) => Err(Failure::Failed("a creature is needed".to_owned())),
        }
    }

    fn check_files(&self) -> Result<(), Failure> {
        let Some(path) = &self.output else { return Ok(()) };
        let fail = |reason: &str| Err(Failure::Failed(format!("{}{reason}", path.display())));
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let (known, told): (&[&str], _) = if self.reconstruct.is_some() {
            (&["npz", "png", "svg"], ": reconstructed poses are written as .npz, .png or .svg")
        } else {
            (&["json", "png", "svg"], ": a pose's file ends in .json, .png or .svg")
        };
        if !ending.is_some_and(|ending| known.contains(&ending.as_str())) {
            return fail(told);
        }
        let inputs = self.basis.iter().chain(&self.prior).chain(&self.reconstruct);
        if inputs.into_iter().any(|input| is_same_file(input, path)) {
            return fail(" is read here and never written over; choose another name");
        }
        if path.exists() && !self.force {
            return fail(" exists; --force replaces it");
        }
        Ok(())
    }

    fn prior(&self, creature: &Creature) -> Result<Prior, Failure> {
        let Some(file) = self.prior.as_ref().or(self.basis.as_ref()) else {
            return Ok(Prior::Elastic(ElasticSettings::default()));
        };
        let place = file.display().to_string();
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::Failed(format!("{place}: cannot be read: {error}")))?;
        let read = |joints| {
            if self.prior.is_some() {
                prior_of_file(&place, &text, creature, joints)
            } else {
                from_basis_file(&place, &text, creature, joints).map(Prior::Basis)
            }
        };
        if self.by_name {
            return read(JointMatch::ByName).map_err(|error| Failure::Failed(error.to_string()));
        }
        read(JointMatch::Same).map_err(|error| {
            let by_name = read(JointMatch::ByName).is_ok();
            let hint = if by_name { "; --by-name takes those that it has" } else { "" };
            Failure::Failed(format!("{error}{hint}"))
        })
    }

    fn root(&self) -> RootMotion {
        if self.root == Root::Free { RootMotion::Free } else { RootMotion::Given }
    }

    fn pose(&self, out: &mut impl Write, name: &str) -> Result<(), Failure> {
        if self.goal.is_empty() && self.look.is_empty() {
            return Err(Failure::Failed(
                "at least one --goal or --look says where a handle shall be".to_owned(),
            ));
        }
        let creature = load(name)?;
        let prior = self.prior(&creature)?;
        let goals = self.goal.iter().map(|handle| {
            let point = match handle.point {
                Some(point) => Ok(BodyPoint { body: body(&creature, &handle.name)?, point }),
                None => point(&creature, &handle.name),
            };
            point.map(|point| Goal { point, target: handle.target })
        });
        let goals: Vec<Goal> = goals.collect::<Result<_, _>>()?;
        let look = |handle: &Handle| -> Result<Look, Failure> {
            Ok(Look { body: point(&creature, &handle.name)?.body, target: handle.target })
        };
        let looks: Vec<Look> = self.look.iter().map(look).collect::<Result<_, _>>()?;
        let at = creature.reference_pose();
        let mut data = Data::new(&creature);
        let (reached, past) = prior.pose_looking(&creature, &mut data, at, &goals, &looks, self.root())?;
        if let Some(file) = &self.output {
            self.write(file, &creature, &reached.pose)?;
        }
        if self.json {
            return write_json(
                out,
                &PoseJson {
                    name: creature.name(),
                    qpos: &reached.pose,
                    miss: reached.miss,
                    looks_past: past,
                },
            );
        }
        writeln!(out, "{}: handles met to within {:.1} mm", creature.name(), 1e3 * reached.miss)?;
        if !looks.is_empty() {
            writeln!(out, "looks past by {:.1}° at most", past.to_degrees())?;
        }
        Ok(())
    }

    fn write(&self, file: &Path, creature: &Creature, pose: &[f64]) -> Result<(), Failure> {
        if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
            let text = serde_json::to_string(pose).map_err(std::io::Error::from)? + "\n";
            write_file(file, text.as_bytes(), self.force)?;
            written::tell(file, "1 pose");
            return Ok(());
        }
        Ok(written::picture(file, &picture::three_views(creature, pose), self.force)?)
    }

    /// The poses that were found as a clip, or over the true ones.
    fn write_found(
        &self,
        file: &Path,
        creature: &Creature,
        clip: &Clip,
        found: &Reconstruction,
    ) -> Result<(), Failure> {
        let times: Vec<f64> = found.keys.iter().map(|key| clip.times[*key]).collect();
        if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npz")) {
            let name = format!("{} reconstructed", clip.name);
            let clip = Clip {
                name,
                times,
                poses: found.poses.clone(),
                stride: None,
                contacts: Vec::new(),
                travel: None,
            };
            let bytes = to_npz(creature, &clip).map_err(|error| Failure::Failed(error.to_string()))?;
            write_file(file, &bytes, self.force)?;
            written::tell(file, &written::clips(std::slice::from_ref(&clip)));
            return Ok(());
        }
        let tile = |(pose, (time, key)): (&Vec<f64>, (&f64, &usize))| ModeTile {
            caption: format!("{time:.2} s"),
            name: String::new(),
            poses: [pose.clone(), clip.poses[*key].clone()],
        };
        let tiles: Vec<ModeTile> = found.poses.iter().zip(times.iter().zip(&found.keys)).map(tile).collect();
        let title = format!("{}: bone ends {:.1} mm from where they were", clip.name, 1e3 * found.distance);
        Ok(written::picture(file, &picture::mode_sheet(creature, &title, &tiles), self.force)?)
    }

    fn reconstruct(&self, out: &mut impl Write, path: &Path) -> Result<(), Failure> {
        let mut motion =
            load_motion(path, &MotionOptions::default()).map_err(|error| Failure::hinted(&error))?;
        motion.drop_first_apart();
        let (creature, clip) = (motion.creature, motion.clip);
        let prior = self.prior(&creature)?;
        let points: Vec<BodyPoint> =
            self.handles.iter().map(|name| point(&creature, name)).collect::<Result<_, _>>()?;
        let start = std::time::Instant::now();
        let found = reconstruct(&creature, &clip, &prior, &points, self.root(), self.frames)?;
        let seconds = start.elapsed().as_secs_f64() / found.poses.len().max(1) as f64;
        if let Some(file) = &self.output {
            self.write_found(file, &creature, &clip, &found)?;
        }
        let root = if self.root == Root::Free { "free" } else { "given" };
        if self.json {
            let Reconstruction { ref poses, distance, miss, .. } = found;
            return write_json(
                out,
                &ReconstructJson {
                    name: creature.name(),
                    frames: poses.len(),
                    handles: &self.handles,
                    root,
                    mean_distance: distance,
                    mean_miss: miss,
                    seconds,
                },
            );
        }
        Ok(writeln!(
            out,
            "{}: {}, root {root}: bone ends {:.1} mm from where they were, handles {:.1} mm; {:.2} ms a pose",
            creature.name(),
            written::count(found.poses.len(), "frame"),
            1e3 * found.distance,
            1e3 * found.miss,
            1e3 * seconds
        )?)
    }
}

/// A creature of the gallery, of a file, or the one of a recording.
fn load(name: &str) -> Result<Creature, Failure> {
    let path = Path::new(name);
    if path.exists() && is_motion(path) {
        let motion = load_motion(path, &MotionOptions::default()).map_err(|error| Failure::hinted(&error))?;
        return Ok(motion.creature);
    }
    gambol::load(name, &gambol::LoadOptions::default()).map_err(|error| Failure::hinted(&error))
}

pub(super) fn body(creature: &Creature, name: &str) -> Result<usize, Failure> {
    creature.body_index(name).filter(|body| *body > 0).ok_or_else(|| {
        let marks: Vec<String> = creature.landmarks().iter().map(gambol_model::Landmark::name).collect();
        let has = format!("it has {} and the bodies that gambol inspect lists", marks.join(", "));
        Failure::Failed(format!("{} has no landmark or body {name:?}; {has}", creature.name()))
    })
}

/// A landmark, else the end of a body's bone.
pub(super) fn point(creature: &Creature, name: &str) -> Result<BodyPoint, Failure> {
    let mark =
        creature.landmarks().iter().find(|mark| mark.name() == name && creature.body_index(name).is_none());
    if let Some(mark) = mark {
        return Ok(BodyPoint { body: mark.body, point: mark.point });
    }
    Ok(bone_end(creature, body(creature, name)?))
}

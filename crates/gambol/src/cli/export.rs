//! `gambol export`: a creature as an MJCF file, for MuJoCo and whoever else reads that.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gambol_formats::{Actuators, Integrator, MjcfOptions, to_mjcf};

use super::creature::{CreatureArguments, SpringArguments};
use super::{Failure, is_same_file};

/// Writes a creature as MJCF, so that MuJoCo can run it
#[derive(Args)]
#[command(
    after_help = "Masses, springs, limits, constraints, poses (as keys) and landmarks (as sites) are in the file; \
    meshes go into a\nfolder beside it, FILE_assets. What MuJoCo cannot do is a warning, with --strict an error.\n\n\
    Examples:\n  gambol export dog -o dog.xml\n  gambol export loop --stiffness 2 --actuators position -o loop.xml\n  \
    gambol export fox.glb --timestep 0.001 --integrator RK4 -o fox.xml\n  python -m mujoco.viewer --mjcf=dog.xml"
)]
pub(super) struct Export {
    #[command(flatten)]
    creature: CreatureArguments,

    #[command(flatten)]
    springs: SpringArguments,

    /// The file
    #[arg(short, long, value_name = "FILE.xml")]
    output: PathBuf,

    /// What to stand on
    #[arg(long, value_enum, default_value_t = Ground::Plane)]
    ground: Ground,

    /// Let bodies touch each other, not only the ground
    #[arg(long)]
    self_collision: bool,

    /// MuJoCo's time step, s
    #[arg(long, value_name = "S", default_value_t = 0.002, value_parser = timestep, allow_negative_numbers = true)]
    timestep: f64,

    /// MuJoCo's integrator
    #[arg(long, value_enum, ignore_case = true, default_value_t = IntegratorName::ImplicitFast)]
    integrator: IntegratorName,

    /// What drives the joints
    #[arg(long, value_enum, default_value_t = ActuatorsName::None)]
    actuators: ActuatorsName,

    /// Replace existing files
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ground {
    /// a plane at z = 0, and light
    Plane,
    /// nothing
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IntegratorName {
    /// implicit in velocities
    #[value(name = "implicitfast")]
    ImplicitFast,
    /// semi-implicit
    #[value(name = "Euler")]
    Euler,
    /// Runge-Kutta of fourth order
    #[value(name = "RK4")]
    Rk4,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ActuatorsName {
    /// springs are springs
    None,
    /// springs are actuators; a control moves the rest of its spring, and at zero it is as before
    Position,
}

fn timestep(text: &str) -> Result<f64, String> {
    let step: f64 = text.trim().parse().map_err(|_| format!("{text:?} is not a number"))?;
    if step.is_finite() && step > 0.0 {
        Ok(step)
    } else {
        Err(format!("{step} is not a finite time above 0 s"))
    }
}

impl Export {
    pub(super) fn run(&self) -> Result<(), Failure> {
        self.check_output()?;
        let mut creature = self.creature.load()?;
        self.springs.apply(&mut creature)?;
        let stem = self.output.file_stem().unwrap_or_default().to_string_lossy();
        let options = MjcfOptions {
            ground: self.ground == Ground::Plane,
            self_collision: self.self_collision,
            timestep: self.timestep,
            integrator: match self.integrator {
                IntegratorName::ImplicitFast => Integrator::ImplicitFast,
                IntegratorName::Euler => Integrator::Euler,
                IntegratorName::Rk4 => Integrator::Rk4,
            },
            actuators: match self.actuators {
                ActuatorsName::None => Actuators::None,
                ActuatorsName::Position => Actuators::Position,
            },
            assets: format!("{stem}_assets"),
        };
        let files = to_mjcf(&creature, &options);
        if let Some(warning) = files.warnings.first().filter(|_| self.creature.is_strict()) {
            return Err(Failure::Failed(warning.to_string()));
        }
        files.write(&self.output, self.force)?;
        for warning in creature.warnings().iter().chain(&files.warnings) {
            eprintln!("gambol: warning: {warning}");
        }
        let meshes = match files.meshes.len() {
            0 => String::new(),
            count => format!(", {count} meshes in {}", options.assets),
        };
        let bodies = creature.bodies().len() - 1;
        eprintln!("gambol: {}: {bodies} bodies, nv = {}{meshes}", self.output.display(), creature.nv());
        Ok(())
    }

    /// What can be known before the work.
    fn check_output(&self) -> Result<(), Failure> {
        let fail = |reason: &str| Err(Failure::Failed(format!("{}{reason}", self.output.display())));
        let ending = self.output.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if !["xml", "mjcf", ""].contains(&ending.as_str()) {
            return fail(": creatures go out as MJCF, in a file that ends in .xml");
        }
        if self.creature.inputs().into_iter().any(|input: &Path| is_same_file(input, &self.output)) {
            return fail(" is read here and never written over; choose another name");
        }
        Ok(())
    }
}

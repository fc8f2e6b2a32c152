//! `gambol export`: a creature as an MJCF file, for MuJoCo and whoever else reads that.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gambol_dynamics::{Data, stiffness_matrix};
use gambol_formats::{Actuators, Integrator, MjcfOptions, to_mjcf};
use gambol_model::Creature;
use gambol_modes::{Settings, analyze};
use gambol_motion::Direction;
use nalgebra::DVector;

use super::creature::{CreatureArguments, SpringArguments};
use super::hint::told;
use super::{Failure, is_same_file, written};

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

    /// MuJoCo's time step, s; 0.002 if not given, or what the fastest vibration needs
    #[arg(long, value_name = "S", value_parser = timestep, allow_negative_numbers = true)]
    timestep: Option<f64>,

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

/// The default step is this factor below the largest: other postures and contacts are stiffer than the rest pose.
const MARGIN: f64 = 2.0;
/// Within this distance of zero, and left of it, Runge–Kutta of fourth order is stable.
const RK4_RADIUS: f64 = 2.6;
/// The vibrations of larger creatures take too long to find for a word about a time step.
const MAX_NV: usize = 500;

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
        let integrator = match self.integrator {
            IntegratorName::ImplicitFast => Integrator::ImplicitFast,
            IntegratorName::Euler => Integrator::Euler,
            IntegratorName::Rk4 => Integrator::Rk4,
        };
        let options = MjcfOptions {
            ground: self.ground == Ground::Plane,
            self_collision: self.self_collision,
            timestep: self.step(&creature, integrator),
            integrator,
            actuators: match self.actuators {
                ActuatorsName::None => Actuators::None,
                ActuatorsName::Position => Actuators::Position,
            },
            assets: format!("{stem}_assets"),
        };
        let files = to_mjcf(&creature, &options);
        if let Some(warning) = files.warnings.first().filter(|_| self.creature.is_strict()) {
            return Err(Failure::hinted(warning));
        }
        files.write(&self.output, self.force)?;
        for warning in creature.warnings().iter().chain(&files.warnings) {
            eprintln!("gambol: warning: {}", told(warning));
        }
        let meshes = match files.meshes.len() {
            0 => String::new(),
            1 => format!(", 1 mesh in {}", options.assets),
            count => format!(", {count} meshes in {}", options.assets),
        };
        let bodies = creature.bodies().len() - 1;
        let bodies = if bodies == 1 { "1 body".to_owned() } else { format!("{bodies} bodies") };
        written::tell(&self.output, &format!("1 creature, {bodies}, nv = {}{meshes}", creature.nv()));
        Ok(())
    }

    /// The time step that was asked for, else a usual one with which MuJoCo's springs are stable.
    fn step(&self, creature: &Creature, integrator: Integrator) -> f64 {
        let usual = MjcfOptions::default().timestep;
        let Some(limit) = largest_step(creature, integrator) else { return self.timestep.unwrap_or(usual) };
        if let Some(step) = self.timestep {
            if step > limit {
                let text = "MuJoCo's springs are explicit; with this creature they blow up beyond a step of";
                eprintln!("gambol: warning: {text} {limit:.2e} s");
            }
            return step;
        }
        let mut step = usual;
        while step > limit / MARGIN {
            step /= 2.0;
        }
        step
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

/// The largest time step with which every vibration is stable, s.
fn largest_step(creature: &Creature, integrator: Integrator) -> Option<f64> {
    if creature.nv() > MAX_NV {
        return None;
    }
    let modes =
        analyze(creature, &mut Data::new(creature), creature.rest_pose(), &Settings::default()).ok()?;
    let stiffness = stiffness_matrix(creature);
    let limit = |mode: &Direction| {
        let shape = DVector::from_column_slice(&mode.shape);
        let ratio = damper_power(creature, &mode.shape) / shape.dot(&(&stiffness * &shape));
        let omega_squared = modes.omega_squared(creature, mode);
        largest_step_of(omega_squared, ratio * omega_squared, integrator)
    };
    modes.flexible().iter().map(limit).reduce(f64::min)
}

/// The largest stable step for x″ + c x′ + ω² x = 0, s.
///
/// With implicit dampers and explicit springs, (1 + h c) v₁ = v₀ − h ω² x₀ and x₁ = x₀ + h v₁: stable while
/// ω² h² < 4 + 2 c h. Runge–Kutta is stable while h times the faster root is within its half disc.
fn largest_step_of(omega_squared: f64, c: f64, integrator: Integrator) -> f64 {
    match integrator {
        Integrator::ImplicitFast | Integrator::Euler => {
            (c + (c * c + 4.0 * omega_squared).sqrt()) / omega_squared
        }
        Integrator::Rk4 => {
            let discriminant = c * c / 4.0 - omega_squared;
            let root = if discriminant > 0.0 { c / 2.0 + discriminant.sqrt() } else { omega_squared.sqrt() };
            RK4_RADIUS / root
        }
    }
}

/// φᵀDφ of the dampers of joints and tendons.
fn damper_power(creature: &Creature, shape: &[f64]) -> f64 {
    let joints = creature.joints().iter().map(|joint| {
        let squares = shape[joint.v..joint.v + joint.kind.nv()].iter().map(|x| x * x);
        joint.damping * squares.sum::<f64>()
    });
    let tendons = creature.tendons().iter().map(|tendon| {
        let rate: f64 = tendon.terms.iter().map(|&(joint, c)| c * shape[creature.joints()[joint].v]).sum();
        tendon.damping * rate * rate
    });
    joints.chain(tendons).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of the undamped, the critically and the overdamped oscillator, by the schemes themselves.
    #[test]
    fn the_largest_step_is_where_the_scheme_turns_unstable() {
        let implicit = |omega: f64, c: f64, h: f64| {
            let (mut x, mut v) = (1.0, 0.0);
            for _ in 0..10_000 {
                v = (v - h * omega * omega * x) / (1.0 + h * c);
                x += h * v;
            }
            f64::abs(x)
        };
        let rk4 = |omega: f64, c: f64, h: f64| {
            let rate = |x: f64, v: f64| (v, -c * v - omega * omega * x);
            let (mut x, mut v) = (1.0, 0.0);
            for _ in 0..10_000 {
                let a = rate(x, v);
                let b = rate(x + 0.5 * h * a.0, v + 0.5 * h * a.1);
                let d = rate(x + 0.5 * h * b.0, v + 0.5 * h * b.1);
                let e = rate(x + h * d.0, v + h * d.1);
                x += h / 6.0 * (a.0 + 2.0 * b.0 + 2.0 * d.0 + e.0);
                v += h / 6.0 * (a.1 + 2.0 * b.1 + 2.0 * d.1 + e.1);
            }
            f64::abs(x)
        };
        for (omega, c) in [(30.0, 0.0), (30.0, 20.0), (30.0, 60.0), (30.0, 200.0)] {
            let limit = largest_step_of(omega * omega, c, Integrator::ImplicitFast);
            assert!(implicit(omega, c, 0.99 * limit) < 100.0, "{c}");
            assert!(implicit(omega, c, 1.01 * limit).min(1e9) >= 1e9, "{c}");
            // The half disc is inside of the region, by 10 % at most.
            let limit = largest_step_of(omega * omega, c, Integrator::Rk4);
            assert!(rk4(omega, c, limit) < 1.0, "{c}");
            assert!(rk4(omega, c, 1.15 * limit).min(1e9) >= 1e9, "{c}");
        }
    }
}

//! The peers: a Python environment with MuJoCo, dm_control, Pinocchio and pycma under `target/peers`.

use std::path::PathBuf;

use crate::shell::{Result, command, output, run, target};

/// What the oracle needs: the versions that the numbers in the docs were measured with.
const ORACLE: &[&str] = &["mujoco==4.0.0", "dm_control==1.0.50", "numpy==2.4.6", "scipy==1.17.1"];
/// What the benchmark needs on top: Pinocchio's headers and the Eigen they are written in.
const PINOCCHIO: &[&str] = &["pin==4.1.0", "cmeel-eigen"];
/// What our CMA-ES is compared with.
const CMA: &[&str] = &["cma==4.5.0"];

/// What our quadratic programs are compared with; linear ones are with SciPy's HiGHS.
const CLARABEL: &[&str] = &["clarabel==0.11.1"];

/// The Python of the environment, with `ORACLE` installed.
pub(crate) fn python() -> Result<PathBuf> {
    install(ORACLE)
}

/// The Python of the environment, with what the benchmark needs.
pub(crate) fn python_with_pinocchio() -> Result<PathBuf> {
    install(ORACLE)?;
    install(PINOCCHIO)
}

/// The Python of the environment, with what our CMA-ES is compared with.
pub(crate) fn python_with_cma() -> Result<PathBuf> {
    install(ORACLE)?;
    install(CMA)
}

/// The Python of the environment, with what our programs are compared with.
pub(crate) fn python_with_clarabel() -> Result<PathBuf> {
    install(ORACLE)?;
    install(CLARABEL)
}

/// Where dm_control keeps its models.
pub(crate) fn dm_control() -> Result<PathBuf> {
    let script = "import importlib.util as u; print(u.find_spec('dm_control').submodule_search_locations[0])";
    Ok(PathBuf::from(output(&mut command(python()?, &["-c", script]))?.trim()))
}

/// The folder of the environment.
pub(crate) fn environment() -> PathBuf {
    target().join("peers")
}

fn install(packages: &[&str]) -> Result<PathBuf> {
    let python = environment().join("bin/python");
    if !python.exists() {
        let system = ["python3.11", "python3"]
            .into_iter()
            .find(|python| output(&mut command(python, &["-c", "import venv, ensurepip"])).is_ok())
            .ok_or("no Python with venv found; on Debian: apt-get install python3 python3-venv")?;
        run(command(system, &["-m", "venv"]).arg(environment()))?;
    }
    let stamp = environment().join(format!("{}.installed", packages[0]));
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    run(command(&python, &["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages))?;
    std::fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(python)
}

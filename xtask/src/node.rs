//! What Node runs: scripts in a folder with the Khronos validator, three.js and playwright under `target/node`.

use std::path::{Path, PathBuf};

use crate::shell::{Result, command, output, run, target};

/// The versions that the comparisons were made with.
const PACKAGES: &[&str] = &[
    "gltf-validator@2.0.0-dev.3.10",
    "marked@18.2.1",
    "three@0.187.0",
    "playwright-core@1.65.0",
    // The last that speaks to Debian's Firefox, by WebDriver BiDi: newer ones ask for what that has not yet.
    "playwright-bidi@npm:playwright-core@1.57.0",
];

/// Writes `script` beside the installed packages, where it can import them, and returns its path.
pub(crate) fn script(name: &str, script: &str) -> Result<PathBuf> {
    let folder = installed()?;
    write(&folder, name, script)
}

/// Writes scripts that import each other into a folder of their own beside the packages, and returns the folder.
pub(crate) fn scripts(name: &str, scripts: &[(&str, &str)]) -> Result<PathBuf> {
    let folder = installed()?.join(name);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, script) in scripts {
        write(&folder, name, script)?;
    }
    Ok(folder)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let file = folder.join(name);
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display())).map(|()| file)
}

/// Installs the packages, if they are not there.
pub(crate) fn install() -> Result<()> {
    installed().map(|_| ())
}

/// The folder, with the packages in it.
fn installed() -> Result<PathBuf> {
    let folder = target().join("node");
    let wanted = PACKAGES.join("\n");
    if std::fs::read_to_string(folder.join("installed")).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    if output(&mut command("npm", &["--version"])).is_err() {
        return Err("no npm found; on Debian: apt-get install nodejs npm".into());
    }
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    write(&folder, "package.json", "{ \"private\": true, \"type\": \"module\" }\n")?;
    let install = ["install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "--prefix"];
    run(command("npm", &install).arg(&folder).args(PACKAGES))?;
    write(&folder, "installed", &wanted)?;
    Ok(folder)
}

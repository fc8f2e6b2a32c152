//! Readers of clips: a folder with the Khronos validator and three.js under `target/node`.

use std::path::PathBuf;

use crate::shell::{Result, command, output, run, target};

/// The versions that the comparison was made with.
const PACKAGES: &[&str] = &["gltf-validator@2.0.0-dev.3.10", "three@0.187.0"];

/// Writes `script` beside the installed packages, where it can import them, and returns its path.
pub(crate) fn script(name: &str, script: &str) -> Result<PathBuf> {
    let folder = target().join("node");
    let write = |file: &str, text: &str| {
        let file = folder.join(file);
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display())).map(|()| file)
    };
    let stamp = folder.join("installed");
    let wanted = PACKAGES.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return write(name, script);
    }
    if output(&mut command("npm", &["--version"])).is_err() {
        return Err("no npm found; on Debian: apt-get install nodejs npm".into());
    }
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    write("package.json", "{ \"private\": true, \"type\": \"module\" }\n")?;
    let install = ["install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "--prefix"];
    run(command("npm", &install).arg(&folder).args(PACKAGES))?;
    write("installed", &wanted)?;
    write(name, script)
}

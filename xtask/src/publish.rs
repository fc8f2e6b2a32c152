//! Whether the crates could be published: packages that build by themselves, and the oldest Rust that they claim.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::shell::{Result, cargo, command, output, root, run as run_command, target};

/// All that crates.io would look at, and a build of every package from what would be uploaded.
pub(crate) fn check() -> Result<()> {
    // Changes that are not committed are no reason to refuse: what is tested is what is here.
    let dry_run = ["publish", "--workspace", "--dry-run", "--quiet", "--allow-dirty", "--target-dir"];
    let mut publish = command(cargo(), &dry_run);
    // A folder that never was before: cargo unpacks each package once for its version and for the place of its registry, which is in
    // here, and would go on with what it found in a package of yesterday.
    let packages = target().join("packages");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| error.to_string())?;
    remove(&packages)?;
    publish.arg(packages.join(now.as_millis().to_string()));
    publish.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    let published = run_command(&mut publish);
    remove(&packages)?;
    published
}

fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(format!("{}: {error}", folder.display())),
        _ => Ok(()),
    }
}

/// Builds with the Rust that the manifests name as the oldest; rustup is asked for it.
pub(crate) fn oldest_rust() -> Result<()> {
    let version = oldest()?;
    if output(&mut command("rustup", &["--version"])).is_err() {
        println!("no rustup here: Rust {version} was not tried");
        return Ok(());
    }
    let install = ["toolchain", "install", &version, "--profile", "minimal", "--no-self-update"];
    run_command(&mut command("rustup", &install))?;
    let check = ["run", &version, "cargo", "check", "--workspace", "--locked", "--quiet", "--target-dir"];
    // `cargo` sets variables for what it starts that would lead rustup back to the usual Rust.
    let mut check = command("rustup", &check);
    check.arg(target().join("oldest")).env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTUP_TOOLCHAIN");
    run_command(&mut check)
}

/// `rust-version` of the workspace.
fn oldest() -> Result<String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).map_err(|error| error.to_string())?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \""));
    line.and_then(|rest| rest.split('"').next())
        .map(str::to_owned)
        .ok_or("Cargo.toml names no rust-version".into())
}

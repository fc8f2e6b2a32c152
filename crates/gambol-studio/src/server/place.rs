//! Where programs of this user keep their state.

use std::ffi::OsString;
use std::path::PathBuf;

/// The studio's folder if the user names none: `$XDG_STATE_HOME/gambol/studio` or what the system has for it. `None` if
/// this user has no home.
pub fn default_folder() -> Option<PathBuf> {
    folder(std::env::consts::OS, |name| std::env::var_os(name).filter(|value| !value.is_empty()))
}

fn folder(system: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let variable = |name: &str| variable(name).map(PathBuf::from);
    let state = match system {
        "windows" => variable("LOCALAPPDATA")?,
        "macos" => variable("HOME")?.join("Library/Application Support"),
        // Relative ones are to be ignored, says the XDG Base Directory Specification.
        _ => match variable("XDG_STATE_HOME").filter(|path| path.is_absolute()) {
            Some(state) => state,
            None => variable("HOME")?.join(".local/state"),
        },
    };
    Some(state.join("gambol").join("studio"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_has_a_place() {
        let place = |system: &str, set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.into());
            folder(system, value).map(|path| path.to_string_lossy().replace('\\', "/"))
        };
        let home = ("HOME", "/home/ada");
        assert_eq!(place("linux", &[home]).unwrap(), "/home/ada/.local/state/gambol/studio");
        assert_eq!(place("linux", &[home, ("XDG_STATE_HOME", "/s")]).unwrap(), "/s/gambol/studio");
        assert_eq!(
            place("linux", &[home, ("XDG_STATE_HOME", "s")]).unwrap(),
            "/home/ada/.local/state/gambol/studio"
        );
        assert_eq!(place("macos", &[home]).unwrap(), "/home/ada/Library/Application Support/gambol/studio");
        assert_eq!(place("windows", &[("LOCALAPPDATA", "C:/Ada")]).unwrap(), "C:/Ada/gambol/studio");
        assert_eq!(place("linux", &[]), None);
    }
}

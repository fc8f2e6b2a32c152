//! `gambol studio` prints one line, its address, for people and programs to open; what it cannot open it says before
//! anything is served; and a port that is taken, or a studio that is killed, costs nobody their work.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::command::{assert_fails, gambol};
use tempfile::tempdir;

/// A studio that runs, and its address.
struct Studio {
    child: Child,
    url: String,
}

impl Studio {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gambol"))
            .args(["studio", "--no-open", "--folder"])
            .arg(folder)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim_end().to_owned() }
    }

    /// `127.0.0.1:7400`
    fn host(&self) -> &str {
        self.url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).unwrap()
    }

    fn token(&self) -> &str {
        self.url.split_once("/?token=").unwrap().1
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.host()).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.host()).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        said
    }

    /// Kills it, as a crash would, and tells what it said on stderr.
    fn kill(mut self) -> String {
        self.child.kill().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        self.child.wait().unwrap();
        said
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_address_is_all_it_prints() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path(), &["--port", "0"]);
    assert!(studio.host().starts_with("127.0.0.1:"), "{}", studio.url);
    assert_eq!(studio.token().len(), 32);
    assert!(studio.get(&format!("/?token={}", studio.token())).starts_with("HTTP/1.1 200"));
    assert!(studio.get("/").starts_with("HTTP/1.1 403"));
    let token = studio.token().to_owned();
    studio.kill();
    let again = Studio::start(folder.path(), &["--port", "0", "spider"]);
    assert_eq!(again.token(), token, "a page that is still open finds its studio again");
}

#[test]
fn a_port_that_is_taken_is_no_obstacle() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    if port > u16::MAX - 50 {
        return; // no room for the next ones
    }
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path(), &["--port", &port.to_string()]);
    let other: u16 = studio.host().rsplit(':').next().unwrap().parse().unwrap();
    assert!(other > port && other <= port + 100, "{other} instead of {port}");
    assert!(studio.get(&format!("/?token={}", studio.token())).starts_with("HTTP/1.1 200"));
    let said = studio.kill();
    assert!(said.contains(&format!("Port {port} is taken")), "{said}");
}

#[test]
fn files_are_opened_where_they_are() {
    let folder = tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(place("hund.xml"), gambol(&["gallery", "dog"]).stdout).unwrap();
    let made = gambol(&["animate", "dog", "trot", "--save-gait", &place("trot.toml")]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let text = std::fs::read_to_string(place("trot.toml")).unwrap();
    std::fs::write(place("hund.toml"), text.replace("creature = \"dog\"", "creature = \"hund.xml\""))
        .unwrap();
    for creature in ["hund.xml", "trot.toml", "hund.toml"] {
        let studio = Studio::start(&folder.path().join("studio"), &["--port", "0", &place(creature)]);
        assert!(studio.url.starts_with("http://127.0.0.1:"), "{creature}");
    }
    let links = std::fs::read_dir(folder.path().join("studio/bundles")).unwrap().count();
    assert_eq!(links, 1, "hund.xml, twice the same; the dog is in the gallery");
}

#[test]
fn what_cannot_be_opened_is_told_at_once() {
    let folder = tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let studio = place("studio");
    let fails = |creature: &str, message: &str| {
        assert_fails(&["studio", creature, "--no-open", "--port", "0", "--folder", &studio], 1, message);
    };
    fails("unicorn", "there is no creature or file \"unicorn\"; the gallery has");
    std::fs::write(place("bad.xml"), "<mujoco><worldbody><bo").unwrap();
    fails(&place("bad.xml"), "bad.xml");
    std::fs::write(place("bad.toml"), "version = 1\nfrequenzy = 1\n").unwrap();
    fails(&place("bad.toml"), "bad.toml:2");
    fails(&place("none.toml"), "none.toml: cannot be read");
    assert!(gambol(&["animate", "dog", "trot", "--save-gait", &place("trot.toml")]).status.success());
    let text = std::fs::read_to_string(place("trot.toml")).unwrap();
    std::fs::write(place("whose.toml"), text.replace("creature = \"dog\"", "")).unwrap();
    fails(&place("whose.toml"), "names no creature");
    assert!(!Path::new(&studio).exists(), "nothing is made for a creature that there is not");
    std::fs::write(place("file"), "").unwrap();
    let file = place("file");
    assert_fails(&["studio", "dog", "--no-open", "--folder", &file], 1, "file: cannot be used");
    assert_fails(&["studio", "--port", "70000"], 2, "70000");
    assert_fails(&["studio", "dog", "cat"], 2, "cat");
}

#[test]
fn help_has_examples() {
    let help = String::from_utf8(gambol(&["studio", "--help"]).stdout).unwrap();
    for part in ["--port", "--no-open", "--folder", "gambol studio fox.glb", "Ctrl-C"] {
        assert!(help.contains(part), "{part}: {help}");
    }
}

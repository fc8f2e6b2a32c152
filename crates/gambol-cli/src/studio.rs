//! `gambol studio`: the page in the browser, and its server.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use gambol::{LoadOptions, gallery, load, load_plant};
use gambol_control::sketch::creature_of;
use gambol_plant::find_plant;
use gambol_studio::Engine;
use gambol_studio::protocol::{CreatureWork, Source};
use gambol_studio::server::{DiskShelf, Server, Token, default_folder, interrupted};

use super::Failure;
use super::gait_file::read_gait;
use super::sketch_file::SketchFile;

/// How many ports after the one that is taken are tried.
const NEXT_PORTS: u16 = 100;

/// Opens the studio in the browser: see a creature's natural motions, press walk, take it home
#[derive(Args)]
#[command(
    after_help = "The address, which holds a secret, is all that goes to stdout. Only this machine can reach it. \
                        Ctrl-C ends the studio; your work is kept.\n\n\
                        Examples:\n  gambol studio\n  gambol studio fox.glb\n  gambol studio oak\n  gambol studio trot.toml\n  \
                        gambol studio spider --port 8000 --no-open"
)]
pub(super) struct Studio {
    /// A name from `gambol gallery`, a creature's file, or a gait, a sketch or a controller (.toml)
    #[arg(default_value = "dog")]
    creature: String,

    /// The port to be reached at; the next free one if it is taken; 0 is any
    #[arg(long, value_name = "N", default_value_t = 7400)]
    port: u16,

    /// Do not open the browser
    #[arg(long)]
    no_open: bool,

    /// Where files, work and gaits are kept; a folder of your own if not given
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// What a new page begins with.
#[derive(Clone)]
struct Start {
    creature: CreatureWork,
    /// Text of a gait file.
    gait: Option<String>,
}

/// A creature of the gallery, or a file beside the one that names it.
fn beside(path: &Path, name: String) -> String {
    let beside = path.with_file_name(&name);
    let is_beside = gallery::find(&name).is_none() && beside.is_file();
    if is_beside { beside.to_string_lossy().into_owned() } else { name }
}

impl Studio {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        let (creature, gait) = self.find()?;
        // A plant is not built as a creature here: one of a hundred thousand hinges takes long.
        let options = LoadOptions::default();
        if load_plant(&creature, &options).map_err(|error| Failure::hinted(&error))?.is_none() {
            load(&creature, &options).map_err(|error| Failure::hinted(&error))?;
        }
        let folder = self.folder.clone().or_else(default_folder);
        let folder = folder.ok_or_else(|| failed("you have no home folder; say --folder DIR"))?;
        let cannot =
            |error: std::io::Error| failed(&format!("{}: cannot be used: {error}", folder.display()));
        let shelf = DiskShelf::open(&folder).map_err(cannot)?;
        let token = shelf.token().map_err(cannot)?;
        let start = Start { creature: CreatureWork::new(source(&creature, &shelf)?), gait };
        let server = self.bind(&token, &shelf, &start)?;
        let url = server.url();
        writeln!(out, "{url}")?;
        out.flush()?;
        if !self.no_open {
            open(&url);
        }
        eprintln!("The studio is open at this address; Ctrl-C ends it.");
        server.run(interrupted()).map_err(|error| failed(&format!("the studio cannot go on: {error}")))?;
        eprintln!("The studio has ended; your work is kept in {}", folder.display());
        Ok(())
    }

    /// The creature, and the text of the gait, sketch or controller if one was given.
    fn find(&self) -> Result<(String, Option<String>), Failure> {
        let path = Path::new(&self.creature);
        // Some sketches of the gallery have the name of their creature, which is what is meant then.
        let ours = gallery::find(&self.creature).is_none().then(|| gallery::sketch(&self.creature)).flatten();
        let text = ours.map(str::to_owned).or_else(|| Some(SketchFile::controller(&self.creature)?.text));
        if let Some(text) = text {
            let creature =
                creature_of(&text).map_err(|error| failed(&format!("{}: {error}", self.creature)))?;
            return Ok((beside(path, creature), Some(text)));
        }
        if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
            return Ok((self.creature.clone(), None));
        }
        let gait = read_gait(path)?;
        let place = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| failed(&format!("{place}: {error}")))?;
        let name = gait.creature.ok_or_else(|| {
            failed(&format!("{place}: it names no creature; add a line like: creature = \"dog\""))
        })?;
        Ok((beside(path, name), Some(text)))
    }

    /// Listens at the port, or at one after it.
    fn bind(&self, token: &Token, shelf: &DiskShelf, start: &Start) -> Result<Server, Failure> {
        let mut port = self.port;
        loop {
            let (shelf, start) = (shelf.clone(), start.clone());
            let engine = move || {
                let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
                Engine::new(Box::new(shelf.clone()), start.creature.clone())
                    .with_gait(start.gait.clone())
                    .with_threads(threads)
            };
            match Server::bind(port, token.clone(), engine) {
                Ok(server) => {
                    if port != self.port {
                        eprintln!("Port {} is taken; the studio is at {port}.", self.port);
                    }
                    return Ok(server);
                }
                Err(error)
                    if error.kind() == ErrorKind::AddrInUse
                        && port - self.port < NEXT_PORTS
                        && port < u16::MAX =>
                {
                    port += 1;
                }
                Err(error) => return Err(failed(&format!("port {port} cannot be had: {error}"))),
            }
        }
    }
}

fn failed(message: &str) -> Failure {
    Failure::Failed(message.to_owned())
}

fn source(creature: &str, shelf: &DiskShelf) -> Result<Source, Failure> {
    if gallery::find(creature).is_some() || find_plant(creature).is_some() {
        return Ok(Source::Gallery { name: creature.to_owned() });
    }
    shelf.link(Path::new(creature)).map_err(|trouble| failed(&trouble.to_string()))
}

/// Opens the user's browser. If that fails the address is there to be copied.
fn open(url: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        Command::new("xdg-open")
    };
    let child = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    std::thread::spawn(move || {
        // Some of them stay as long as the browser does.
        if !child.and_then(|mut child| child.wait()).is_ok_and(|status| status.success()) {
            eprintln!("No browser could be opened; open the address yourself.");
        }
    });
}

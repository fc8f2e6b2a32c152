//! Answers messages.

mod body;
mod controller;
mod creature;
mod export;
mod gait_file;
mod hint;
mod motion;
mod plant;
mod reach;
mod search;
mod set;
pub(crate) mod shelf;
mod simulation;
mod sketch;
mod stand;

use gambol::plant::Planting;
use serde::Serialize;
use serde_json::{Value, json};

use crate::protocol::{CreatureWork, DriveWork, Envelope, ExportWork, Message, Reply, Request, Source};
use body::Bodies;
use controller::Controller;
use plant::Planted;
use search::Seeker;
use set::Making;
use simulation::{Setting, Simulation};
use sketch::Stages;

pub use shelf::{MemoryShelf, Shelf};

/// Why a request has no answer, in words for the user: what happened, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Trouble(pub String);

impl Trouble {
    /// From any error of the rooms below, which say themselves what is wrong.
    #[allow(clippy::needless_pass_by_value)] // for `map_err`
    fn from_error(error: impl ToString) -> Self {
        Self(error.to_string())
    }
}

/// Answers the messages of one page.
pub struct Engine {
    shelf: Box<dyn Shelf>,
    start: CreatureWork,
    start_gait: Option<String>,
    /// The last creature and bodies asked about.
    bodies: Bodies,
    /// And the last sketches.
    stages: Stages,
    simulation: Option<Simulation>,
    /// The last plant asked about.
    plant: Option<Planted>,
    search: Option<Seeker>,
    /// The last set of clips asked for.
    set: Option<Making>,
    /// Of a search.
    threads: usize,
}

/// An answer and its bytes.
struct Answer {
    head: Value,
    bytes: Vec<u8>,
}

impl Answer {
    fn new(head: impl Serialize, bytes: Vec<u8>) -> Result<Self, Trouble> {
        Ok(Self { head: serde_json::to_value(head).map_err(Trouble::from_error)?, bytes })
    }

    fn empty() -> Self {
        Self { head: json!({}), bytes: Vec::new() }
    }
}

impl Engine {
    /// An engine that keeps files on `shelf`; a new page begins with `start`.
    pub fn new(shelf: Box<dyn Shelf>, start: CreatureWork) -> Self {
        Self {
            shelf,
            start,
            start_gait: None,
            bodies: Bodies::default(),
            stages: Stages::default(),
            simulation: None,
            plant: None,
            search: None,
            set: None,
            threads: 1,
        }
    }

    /// The same, and a new page plays this gait: the text of a gait file.
    #[must_use]
    pub fn with_gait(self, start_gait: Option<String>) -> Self {
        Self { start_gait, ..self }
    }

    /// The same, and a search tries candidates on so many threads.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The answer to one message. Bad messages are answered too.
    pub fn answer(&mut self, message: &Message) -> Message {
        let envelope: Envelope = match serde_json::from_str(&message.head) {
            Ok(envelope) => envelope,
            Err(error) => {
                return refuse(
                    &message.head,
                    &format!("the page asks what the engine does not know: {error}"),
                );
            }
        };
        let id = envelope.id;
        match self.handle(envelope.request, &message.bytes) {
            Ok(Answer { head, bytes }) => reply(&Reply { id, answer: Some(head), error: None }, bytes),
            Err(Trouble(error)) => reply(&Reply { id, answer: None, error: Some(error) }, Vec::new()),
        }
    }

    fn handle(&mut self, request: Request, bytes: &[u8]) -> Result<Answer, Trouble> {
        match request {
            Request::Hello => creature::hello(&self.start, self.start_gait.as_deref()),
            Request::Keep { files } => shelf::keep(self.shelf.as_mut(), &files, bytes),
            Request::File { bundle, name } => {
                Ok(Answer { head: json!({}), bytes: self.shelf.file(&bundle, &name)? })
            }
            Request::Creature { creature } => {
                self.bodies.creature(self.shelf.as_ref(), &creature).and_then(creature::answer)
            }
            Request::Body { creature, style, from, marks } => {
                body::answer(&mut self.bodies, self.shelf.as_ref(), &creature, &style, from.as_ref(), &marks)
            }
            Request::Gaits { creature, style } => {
                motion::gaits(self.bodies.body(self.shelf.as_ref(), &creature, &style)?)
            }
            Request::Motion { creature, style, gait } => {
                motion::answer(self.bodies.body(self.shelf.as_ref(), &creature, &style)?, &gait)
            }
            Request::Stand { creature, style } => {
                stand::answer(self.bodies.body(self.shelf.as_ref(), &creature, &style)?, &style)
            }
            Request::Reach { creature, style, pulls } => {
                reach::answer(self.bodies.body(self.shelf.as_ref(), &creature, &style)?, &pulls)
            }
            Request::Plant { creature, nodes } => {
                plant::answer(Planted::get(&mut self.plant, self.shelf.as_ref(), &creature)?, nodes)
            }
            Request::Forest { creature, trees, row, seed } => {
                let planted = Planted::get(&mut self.plant, self.shelf.as_ref(), &creature)?;
                plant::forest(planted, trees, if row { Planting::Row } else { Planting::Wood }, seed)
            }
            Request::Simulate { creature, style, drive, ground, slope, help } => {
                let setting = Setting { ground, slope, help };
                let (simulation, answer) = if let DriveWork::Controller { sketch } = &drive {
                    let read = self.bodies.creature(self.shelf.as_ref(), &creature)?;
                    Simulation::controlled(&Controller::new(&read, sketch)?, &setting)?
                } else {
                    let dressed = self.bodies.body(self.shelf.as_ref(), &creature, &style)?;
                    Simulation::start(dressed, &drive, &setting)?
                };
                self.simulation = Some(simulation);
                Ok(answer)
            }
            Request::Advance { seconds, pull } => match &mut self.simulation {
                Some(simulation) => simulation.advance(seconds, pull.as_ref()),
                None => Err(Trouble("no simulation is running; press play to start it".to_owned())),
            },
            Request::Sketch { creature, sketch, from } => {
                let read = self.bodies.creature(self.shelf.as_ref(), &creature)?;
                sketch::answer(&mut self.stages, &read, sketch.as_ref(), from.as_ref())
            }
            Request::Preview { creature, sketch } => {
                let read = self.bodies.creature(self.shelf.as_ref(), &creature)?;
                sketch::previewed(&self.stages.get(&read, &sketch)?)
            }
            Request::Cycle { creature, sketch } => {
                let read = self.bodies.creature(self.shelf.as_ref(), &creature)?;
                controller::played(&Controller::new(&read, &sketch)?)
            }
            Request::Search { creature, sketch, seed, checkpoint } => {
                self.search = None;
                let read = self.bodies.creature(self.shelf.as_ref(), &creature)?;
                let staged = self.stages.get(&read, &sketch)?;
                let (search, answer) = Seeker::start(staged, seed, checkpoint.as_deref(), self.threads)?;
                self.search = Some(search);
                Ok(answer)
            }
            Request::Improve { steps, keep } => match &mut self.search {
                Some(search) => search.improve(steps, keep),
                None => Err(Trouble("no search is running; press Optimise to start one".to_owned())),
            },
            Request::Stop => {
                self.search = None;
                Ok(Answer::empty())
            }
            Request::Set { creature, style, gait } => {
                self.make_set(&set::Wanted { creature: &creature, style: &style, gait: gait.as_deref() })
            }
            Request::Export { creature, style, what: ExportWork::Set { gait }, format, in_place, .. } => {
                let wanted = set::Wanted { creature: &creature, style: &style, gait: gait.as_deref() };
                let making = self.set.as_ref().filter(|making| making.is_of(&wanted));
                export::set(making, self.shelf.as_ref(), &format, in_place)
            }
            Request::Export {
                creature, what: ExportWork::Wind { wind }, format, in_place, seconds, ..
            } => {
                let planted = Planted::get(&mut self.plant, self.shelf.as_ref(), &creature)?;
                let wanted = export::Wanted { format: &format, in_place, seconds, name: None, keys: None };
                plant::export(planted, &wind, &wanted)
            }
            Request::Export { creature, style, what, format, in_place, seconds, name, keys } => {
                let wanted =
                    export::Wanted { format: &format, in_place, seconds, name: name.as_deref(), keys };
                let dressed = self.bodies.body(self.shelf.as_ref(), &creature, &style)?;
                let simulation = self.simulation.as_ref();
                export::answer(dressed, self.shelf.as_ref(), &what, simulation, &wanted)
            }
            Request::ReadGait { text, creature } => self.read_file(&text, creature),
            Request::Share { name, creature, style, gait, sketch } => {
                let text = if let Some(sketch) = sketch {
                    let read = self.bodies.creature(self.shelf.as_ref(), &creature)?;
                    let found = sketch.found.as_ref().is_some_and(|found| found.controller.is_some());
                    controller::file(&read, &sketch, found)?
                } else {
                    gait_file::write(self.bodies.body(self.shelf.as_ref(), &creature, &style)?, &gait)?.0
                };
                Answer::new(self.shelf.share(&name, &text)?, Vec::new())
            }
            Request::OpenShared { name, creature } => {
                let text = self.shelf.shared(&name)?;
                self.read_file(&text, creature)
            }
            Request::Save { tab, work } => {
                self.shelf.save(&tab, &work)?;
                Ok(Answer::empty())
            }
            Request::Load { tab } => {
                Answer::new(crate::protocol::Loaded { work: self.shelf.load(&tab)? }, Vec::new())
            }
        }
    }
}

impl Engine {
    /// One more clip of a set, or the beginning of one that takes the place of the last.
    fn make_set(&mut self, wanted: &set::Wanted) -> Result<Answer, Trouble> {
        let making = if let Some(making) = self.set.take().filter(|making| making.is_of(wanted)) {
            making.go_on()?
        } else {
            // Also checks the style.
            let dressed = self.bodies.body(self.shelf.as_ref(), wanted.creature, wanted.style)?;
            Making::begin(&dressed.read, wanted)?
        };
        let answer = Answer::new(making.told(), Vec::new());
        self.set = Some(making);
        answer
    }

    /// A gait, a sketch or a controller. A sketch is of the creature of the gallery that it names, else of `creature`.
    fn read_file(&mut self, text: &str, creature: Option<CreatureWork>) -> Result<Answer, Trouble> {
        if !gambol::control::sketch::is_sketch(text) {
            return gait_file::read(text);
        }
        let (bodies, shelf) = (&mut self.bodies, self.shelf.as_ref());
        controller::read_file(text, |name| {
            let ours = gambol::gallery::find(name).is_some();
            let same =
                |work: &CreatureWork| matches!(&work.source, Source::Gallery { name: now } if now == name);
            let work = match creature {
                Some(work) if !ours || same(&work) => work,
                _ if ours => CreatureWork::new(Source::Gallery { name: name.to_owned() }),
                _ => return Err(Trouble(format!("open its creature {name:?} first, then drop it again"))),
            };
            let read = bodies.creature(shelf, &work)?;
            Ok((work, read))
        })
    }
}

fn reply(reply: &Reply, bytes: Vec<u8>) -> Message {
    // Of plain texts and numbers, which are always JSON.
    let head = serde_json::to_string(reply).unwrap_or_default();
    Message { head, bytes }
}

/// The answer to a message that is not a request; with its number if it has one.
fn refuse(head: &str, reason: &str) -> Message {
    let id = serde_json::from_str::<Value>(head).ok().and_then(|head| head["id"].as_u64()).unwrap_or(0);
    reply(&Reply { id, answer: None, error: Some(reason.to_owned()) }, Vec::new())
}

//! Answers messages.

mod body;
mod creature;
mod export;
mod gait_file;
mod motion;
mod reach;
pub(crate) mod shelf;
mod simulation;
mod stand;
mod style;

use serde::Serialize;
use serde_json::{Value, json};

use crate::protocol::{CreatureWork, Envelope, Message, Reply, Request};
use body::Bodies;
use simulation::{Setting, Simulation};

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
    simulation: Option<Simulation>,
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
        Self { shelf, start, start_gait: None, bodies: Bodies::default(), simulation: None }
    }

    /// The same, and a new page plays this gait: the text of a gait file.
    #[must_use]
    pub fn with_gait(self, start_gait: Option<String>) -> Self {
        Self { start_gait, ..self }
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
                reach::answer(self.bodies.body(self.shelf.as_ref(), &creature, &style)?, &style, &pulls)
            }
            Request::Simulate { creature, style, drive, ground, slope, help } => {
                let dressed = self.bodies.body(self.shelf.as_ref(), &creature, &style)?;
                let (simulation, answer) =
                    Simulation::start(dressed, &drive, &Setting { ground, slope, help })?;
                self.simulation = Some(simulation);
                Ok(answer)
            }
            Request::Advance { seconds, pull } => match &mut self.simulation {
                Some(simulation) => simulation.advance(seconds, pull.as_ref()),
                None => Err(Trouble("no simulation is running; press play to start it".to_owned())),
            },
            Request::Export { creature, style, what, format, in_place, seconds } => {
                let wanted = export::Wanted { format: &format, in_place, seconds };
                let dressed = self.bodies.body(self.shelf.as_ref(), &creature, &style)?;
                let simulation = self.simulation.as_ref();
                export::answer(dressed, self.shelf.as_ref(), &what, simulation, &wanted)
            }
            Request::ReadGait { text } => gait_file::read(&text),
            Request::Share { name, creature, style, gait } => {
                let dressed = self.bodies.body(self.shelf.as_ref(), &creature, &style)?;
                let (text, _) = gait_file::write(dressed, &gait)?;
                Answer::new(self.shelf.share(&name, &text)?, Vec::new())
            }
            Request::OpenShared { name } => gait_file::read(&self.shelf.shared(&name)?),
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

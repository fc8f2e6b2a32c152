//! A page that can speak.

use gambol_studio::protocol::{CreatureWork, Message};
use gambol_studio::{Engine, MemoryShelf};
use serde_json::{Value, json};

/// An engine, and the number of the next request.
pub(crate) struct Page {
    pub(crate) engine: Engine,
    id: u64,
}

/// An answer: its head, and the numbers that it points to.
pub(crate) struct Answer {
    pub(crate) head: Value,
    pub(crate) bytes: Vec<u8>,
}

impl Page {
    pub(crate) fn new() -> Self {
        let start: CreatureWork = serde_json::from_value(gallery("dog")).unwrap();
        Self { engine: Engine::new(Box::new(MemoryShelf::default()), start), id: 0 }
    }

    /// Sends a request through bytes and back, as a socket would.
    pub(crate) fn send(&mut self, mut request: Value, bytes: &[u8]) -> (Value, Vec<u8>) {
        self.id += 1;
        request["id"] = json!(self.id);
        let sent = Message { head: request.to_string(), bytes: bytes.to_vec() }.to_bytes();
        let reply = self.engine.answer(&Message::from_bytes(&sent).unwrap()).to_bytes();
        let reply = Message::from_bytes(&reply).unwrap();
        let head: Value = serde_json::from_str(&reply.head).unwrap();
        assert_eq!(head["id"], json!(self.id), "{}", reply.head);
        (head, reply.bytes)
    }

    pub(crate) fn ask(&mut self, request: Value) -> Answer {
        let (mut reply, bytes) = self.send(request, &[]);
        assert_eq!(reply["error"], Value::Null);
        Answer { head: reply["answer"].take(), bytes }
    }

    /// What is wrong with a request.
    pub(crate) fn trouble(&mut self, request: Value, bytes: &[u8]) -> String {
        let (reply, bytes) = self.send(request, bytes);
        assert_eq!(reply["answer"], Value::Null, "{reply}");
        assert!(bytes.is_empty());
        reply["error"].as_str().unwrap().to_owned()
    }

    /// Drops files on the page; the creature that they are.
    pub(crate) fn drop_files(&mut self, files: &[(&str, &[u8])]) -> Value {
        let (reply, _) =
            self.send(keep(files), &files.iter().flat_map(|(_, bytes)| *bytes).copied().collect::<Vec<_>>());
        assert_eq!(reply["error"], Value::Null);
        let (bundle, name) = (&reply["answer"]["bundle"], &reply["answer"]["name"]);
        json!({ "source": { "from": "file", "bundle": bundle, "name": name } })
    }
}

pub(crate) fn keep(files: &[(&str, &[u8])]) -> Value {
    let files: Vec<Value> =
        files.iter().map(|(name, bytes)| json!({ "name": name, "size": bytes.len() })).collect();
    json!({ "ask": "keep", "files": files })
}

pub(crate) fn gallery(name: &str) -> Value {
    json!({ "source": { "from": "gallery", "name": name } })
}

impl Answer {
    /// The numbers at a place of the head, as the page reads them.
    pub(crate) fn numbers(&self, at: &Value) -> Vec<f32> {
        let [offset, count] = ["offset", "count"].map(|key| index(&at[key]));
        let bytes = &self.bytes[offset..offset + 4 * count];
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
    }
}

/// A whole number of an answer.
pub(crate) fn index(number: &Value) -> usize {
    usize::try_from(number.as_u64().unwrap()).unwrap()
}

pub(crate) fn floats(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

pub(crate) fn as_f32(numbers: impl IntoIterator<Item = f64>) -> Vec<f32> {
    #[allow(clippy::cast_possible_truncation)]
    numbers.into_iter().map(|number| number as f32).collect()
}

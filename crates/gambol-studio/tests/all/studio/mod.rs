//! A studio on a port of its own, and what it takes to talk to it.
#![allow(missing_docs)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

use gambol_studio::protocol::{CreatureWork, Message, Source};
use gambol_studio::server::{DiskShelf, Server};
use gambol_studio::{Engine, Shelf};
use serde_json::Value;
use tokio::sync::oneshot;
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Bytes, WebSocket, client};

/// Longer than anything here takes, so that a test ends even if an answer never comes.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Studio {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Studio {
    pub(crate) fn start(folder: &Path) -> Self {
        let shelf = DiskShelf::open(folder).unwrap();
        Self::with_shelves(folder, move || Box::new(shelf.clone()))
    }

    /// Each page gets a shelf that `make` makes.
    pub(crate) fn with_shelves(
        folder: &Path,
        make: impl Fn() -> Box<dyn Shelf> + Send + Sync + 'static,
    ) -> Self {
        let token = DiskShelf::open(folder).unwrap().token().unwrap();
        let start = CreatureWork::new(Source::Gallery { name: "dog".to_owned() });
        let server = Server::bind(0, token.clone(), move || Engine::new(make(), start.clone())).unwrap();
        let address = server.address();
        assert_eq!(server.url(), format!("http://{address}/?token={}", token.text()));
        let (stop, stopped) = oneshot::channel();
        let run = move || server.run(async move { stopped.await.unwrap_or(()) }).unwrap();
        let token = token.text().to_owned();
        Self { address, token, stop: Some(stop), thread: Some(std::thread::spawn(run)) }
    }

    pub(crate) fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            stop.send(()).unwrap();
        }
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    /// What comes back for a request, as it is: `lines` stand after the first one.
    pub(crate) fn raw(&self, first: &str, lines: &[&str]) -> Response {
        let mut stream = connect(self.address);
        let first = format!("{first} HTTP/1.1");
        let lines = [&[first.as_str()], lines, &["Connection: close"]].concat();
        write!(stream, "{}\r\n\r\n", lines.join("\r\n")).unwrap();
        Response::read(&mut stream)
    }

    /// A request as our own page makes it.
    pub(crate) fn get(&self, path: &str) -> Response {
        self.raw(&format!("GET {path}"), &[&format!("Host: {}", self.address)])
    }

    /// A page's connection.
    pub(crate) fn page(&self) -> Page {
        let url = format!("ws://{}/socket?token={}", self.address, self.token);
        let mut request = url.into_client_request().unwrap();
        request.headers_mut().insert("Origin", format!("http://{}", self.address).parse().unwrap());
        let (socket, _) = client(request, connect(self.address)).unwrap();
        Page { socket, number: 0 }
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.stop();
    }
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

pub(crate) struct Response {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Response {
    fn read(stream: &mut TcpStream) -> Self {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let all = String::from_utf8_lossy(&all).into_owned();
        let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }
}

/// A page that is open.
pub(crate) struct Page {
    pub(crate) socket: WebSocket<TcpStream>,
    number: u64,
}

impl Page {
    /// Sends a request, with its number.
    pub(crate) fn send(&mut self, mut request: Value, bytes: &[u8]) -> u64 {
        self.number += 1;
        request["id"] = self.number.into();
        let message = Message { head: request.to_string(), bytes: bytes.to_vec() };
        self.socket.send(tungstenite::Message::Binary(message.to_bytes().into())).unwrap();
        self.number
    }

    /// The next answer.
    pub(crate) fn receive(&mut self) -> (Value, Vec<u8>) {
        loop {
            if let tungstenite::Message::Binary(bytes) = self.socket.read().unwrap() {
                let message = Message::from_bytes(&bytes).unwrap();
                return (serde_json::from_str(&message.head).unwrap(), message.bytes);
            }
        }
    }

    pub(crate) fn ask(&mut self, request: Value, bytes: &[u8]) -> (Value, Vec<u8>) {
        let number = self.send(request, bytes);
        let (head, bytes) = self.receive();
        assert_eq!(head["id"], number);
        (head, bytes)
    }

    /// What the engine answers to a request that it can fulfil.
    pub(crate) fn asks(&mut self, request: Value) -> Value {
        let (head, _) = self.ask(request, &[]);
        assert!(head.get("error").is_none(), "{head}");
        head["answer"].clone()
    }

    /// Why the engine does not answer.
    pub(crate) fn asks_in_vain(&mut self, request: Value) -> String {
        let what = request.to_string();
        let (head, _) = self.ask(request, &[]);
        head["error"].as_str().unwrap_or_else(|| panic!("{what} is answered")).to_owned()
    }

    pub(crate) fn send_frame(&mut self, frame: tungstenite::Message) {
        self.socket.send(frame).unwrap();
    }

    /// Bytes as they are, frame or not.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.socket.get_mut().write_all(bytes).unwrap();
    }

    /// With which code and reason the server ends it.
    pub(crate) fn is_closed(&mut self) -> (CloseCode, String) {
        loop {
            match self.socket.read().unwrap() {
                tungstenite::Message::Close(frame) => {
                    let frame = frame.expect("it says why");
                    let _ = self.socket.flush(); // the answer to the goodbye
                    return (frame.code, frame.reason.as_str().to_owned());
                }
                tungstenite::Message::Binary(_) => panic!("an answer to what is none of ours"),
                _ => {}
            }
        }
    }

    pub(crate) fn keep(&mut self, files: &[(&str, &[u8])]) -> Result<(String, String), String> {
        let list: Vec<Value> = files
            .iter()
            .map(|(name, content)| serde_json::json!({ "name": name, "size": content.len() }))
            .collect();
        let bytes: Vec<u8> = files.iter().flat_map(|(_, content)| content.iter().copied()).collect();
        let (head, _) = self.ask(serde_json::json!({ "ask": "keep", "files": list }), &bytes);
        if let Some(error) = head["error"].as_str() {
            return Err(error.to_owned());
        }
        let text = |key: &str| head["answer"][key].as_str().unwrap().to_owned();
        Ok((text("bundle"), text("name")))
    }
}

/// Never read, only sent.
pub(crate) fn binary(bytes: &'static [u8]) -> tungstenite::Message {
    tungstenite::Message::Binary(Bytes::from_static(bytes))
}

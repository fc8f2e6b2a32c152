//! One page's connection, and the thread of its engine.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::WebSocketUpgrade;
use axum::extract::ws::{CloseCode, CloseFrame, Message as Frame, WebSocket, close_code};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{interval, timeout};

use super::Studio;
use crate::protocol::{MOST_BYTES, Message};

/// Room for a head beside the largest upload: a work with all its undo is far smaller.
const MOST_HEAD: usize = 16 << 20;
/// Requests that wait for the engine. More stay in the browser; a page asks for one thing of a kind at a time.
const WAITING: usize = 8;
/// How often the page is asked whether it is still there, and after how much silence it is not.
const PULSE: Duration = Duration::from_secs(20);
const SILENCE: Duration = Duration::from_secs(65);
/// How long the page may take to read an answer: a loopback takes milliseconds, a machine out of memory longer.
const SLOWEST_READER: Duration = Duration::from_secs(60);
/// How long the page may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(2);
/// Of the engine's thread, bytes: as the main thread has it, and the commands that run the same code there.
const STACK: usize = 8 << 20;

const STUMBLED: &str = "the engine stumbled over this; your work is safe, and it goes on with a fresh one. Undo what \
                        you did last, or try something else";

/// Why a connection ends.
struct Goodbye {
    code: CloseCode,
    /// At most 123 bytes, says RFC 6455.
    reason: &'static str,
}

/// The page is gone, or closed by itself.
const GONE: Goodbye = Goodbye { code: close_code::NORMAL, reason: "" };

/// Makes a connection of a request.
pub(super) fn accept(upgrade: WebSocketUpgrade, studio: Arc<Studio>) -> Response {
    let most = MOST_BYTES + MOST_HEAD;
    upgrade.max_message_size(most).max_frame_size(most).on_upgrade(move |socket| talk(socket, studio))
}

async fn talk(mut socket: WebSocket, studio: Arc<Studio>) {
    let goodbye = match studio.pages.clone().try_acquire_owned() {
        Ok(permit) => converse(&mut socket, studio, permit).await,
        Err(_) => Goodbye {
            code: close_code::AGAIN,
            reason: "the studio is open in too many tabs; close some and reload this one",
        },
    };
    let frame = CloseFrame { code: goodbye.code, reason: goodbye.reason.into() };
    let close = async {
        if socket.send(Frame::Close(Some(frame))).await.is_ok() {
            // What is on its way is read, so that the page hears the reason and not a broken connection.
            while let Some(Ok(_)) = socket.recv().await {}
        }
    };
    let _ = timeout(GOODBYE, close).await;
}

/// Takes requests to the engine and answers back, in order, until one side ends it.
async fn converse(socket: &mut WebSocket, studio: Arc<Studio>, permit: OwnedSemaphorePermit) -> Goodbye {
    let mut ending = studio.ending.clone();
    let (requests, waiting) = mpsc::channel(WAITING);
    let (done, mut answers) = mpsc::channel(WAITING);
    let thread = std::thread::Builder::new().name("engine".to_owned()).stack_size(STACK);
    if thread.spawn(move || work(&studio, permit, waiting, &done)).is_err() {
        return Goodbye { code: close_code::ERROR, reason: "the system has no thread left for an engine" };
    }
    let mut pulse = interval(PULSE);
    let mut heard = Instant::now();
    loop {
        let has_room = requests.capacity() > 0;
        tokio::select! {
            frame = socket.recv(), if has_room => {
                heard = Instant::now();
                match frame {
                    Some(Ok(Frame::Binary(bytes))) => {
                        let Ok(message) = Message::from_bytes(&bytes) else {
                            return Goodbye { code: close_code::INVALID, reason: "this is not a message of the studio's page" };
                        };
                        if requests.try_send(message).is_err() {
                            return Goodbye { code: close_code::ERROR, reason: "the engine is gone; reload the page" };
                        }
                    }
                    Some(Ok(Frame::Text(_))) => {
                        return Goodbye { code: close_code::UNSUPPORTED, reason: "messages of the studio's page are binary" };
                    }
                    Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
                    Some(Ok(Frame::Close(_))) | None => return GONE,
                    Some(Err(error)) => return Goodbye::from_error(&error),
                }
            }
            answer = answers.recv() => {
                let Some(answer) = answer else {
                    return Goodbye { code: close_code::ERROR, reason: "the engine is gone; reload the page" };
                };
                match timeout(SLOWEST_READER, socket.send(Frame::Binary(answer))).await {
                    Ok(Ok(())) => {}
                    _ => return GONE,
                }
            }
            _ = pulse.tick() => {
                if !has_room {
                    heard = Instant::now(); // we did not listen
                }
                if heard.elapsed() > SILENCE || socket.send(Frame::Ping(Bytes::new())).await.is_err() {
                    return GONE;
                }
            }
            _ = ending.changed() => {
                return Goodbye { code: close_code::AWAY, reason: "the studio was ended in its terminal" };
            }
        }
    }
}

impl Goodbye {
    fn from_error(error: &axum::Error) -> Self {
        let said = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
        if said.contains("too long") {
            Self {
                code: close_code::SIZE,
                reason: "a message is larger than the studio takes; drop smaller files",
            }
        } else {
            Self { code: close_code::PROTOCOL, reason: "this is not what a WebSocket sends" }
        }
    }
}

/// The engine's thread. `permit` goes back when it has nothing more to do.
fn work(
    studio: &Studio,
    permit: OwnedSemaphorePermit,
    mut requests: mpsc::Receiver<Message>,
    answers: &mpsc::Sender<Bytes>,
) {
    let mut engine = (studio.engine)();
    while let Some(message) = requests.blocking_recv() {
        // A broken engine is thrown away: all that counts travels with each request, or is on the shelf.
        let answer = catch_unwind(AssertUnwindSafe(|| engine.answer(&message))).unwrap_or_else(|_| {
            engine = (studio.engine)();
            stumbled(&message)
        });
        if answers.blocking_send(answer.to_bytes().into()).is_err() {
            break;
        }
    }
    drop(permit);
}

fn stumbled(message: &Message) -> Message {
    let head: Value = serde_json::from_str(&message.head).unwrap_or_default();
    Message { head: json!({ "id": head["id"], "error": STUMBLED }).to_string(), bytes: Vec::new() }
}

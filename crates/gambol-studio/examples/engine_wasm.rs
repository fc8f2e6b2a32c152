//! The engine as a module of WebAssembly that needs nothing from outside: the bytes of a message in, the bytes of its answer
//! out. `cargo xtask wasm` builds it and lets Node run a session in it.
//!
//! ```text
//! new Uint8Array(memory.buffer, room(length), length).set(message)
//! const answered = answer()
//! new Uint8Array(memory.buffer, place(), answered)
//! ```
#![allow(unsafe_code)] // names of a module's functions are the module's own affair

use std::cell::RefCell;

use gambol_studio::protocol::{CreatureWork, Message, Source};
use gambol_studio::{Engine, MemoryShelf};

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::new(Engine::new(
        Box::new(MemoryShelf::default()),
        CreatureWork::new(Source::Gallery { name: "dog".to_owned() }),
    ));
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Room for a message of so many bytes; where it is.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    ROOM.with_borrow_mut(|room| {
        room.clear();
        room.resize(length, 0);
        room.as_mut_ptr()
    })
}

/// Answers the message in the room. The answer takes its place; how many bytes it has, 0 if there was no message.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let Ok(message) = ROOM.with_borrow(|room| Message::from_bytes(room)) else { return 0 };
    let answer = ENGINE.with_borrow_mut(|engine| engine.answer(&message)).to_bytes();
    let length = answer.len();
    ROOM.set(answer);
    length
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn place() -> *const u8 {
    ROOM.with_borrow(Vec::as_ptr)
}

//! The engine as a module of WebAssembly that needs nothing from outside: the bytes of a message in, the bytes of its answer
//! out. `web/src/engine/module.ts` of the studio is the other side of it, and `@gambol/engine` for npm is made of the two.
//!
//! ```text
//! new Uint8Array(memory.buffer, room(length), length).set(message)
//! const answered = answer()
//! new Uint8Array(memory.buffer, place(), answered)
//! ```
//!
//! There is one engine in a module, on one thread; who wants another takes another instance. A panic traps, and an engine that
//! trapped is not to be asked again: all that counts travels with each request. What it said last is at `words`.
#![allow(unsafe_code)] // names of a module's functions are the module's own affair

use std::cell::RefCell;
use std::sync::Once;

use gambol_studio::protocol::{CreatureWork, Message, Source};
use gambol_studio::{Engine, MemoryShelf};

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::new(Engine::new(
        Box::new(MemoryShelf::default()),
        CreatureWork::new(Source::Gallery { name: "dog".to_owned() }),
    ));
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static WORDS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Room for a message of so many bytes; where it is.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        std::panic::set_hook(Box::new(|panic| WORDS.set(panic.to_string())));
    });
    ROOM.with_borrow_mut(|room| {
        room.clear();
        // Of a large file nothing stays when the next message is small.
        room.shrink_to(length);
        room.resize(length, 0);
        room.as_mut_ptr()
    })
}

/// Answers the message in the room. The answer takes its place; how many bytes it has, 0 if there was no message.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let Ok(message) = Message::from_bytes(&ROOM.take()) else { return 0 };
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

/// Where it stands what went wrong, after a trap.
#[unsafe(no_mangle)]
pub extern "C" fn words() -> *const u8 {
    WORDS.with_borrow(|words| words.as_ptr())
}

/// How many bytes of UTF-8 these are; 0 if nobody panicked.
#[unsafe(no_mangle)]
pub extern "C" fn words_length() -> usize {
    WORDS.with_borrow(String::len)
}

//! The engine as the page sees it: messages in as JSON, answers out as JSON and numbers.
//!
//! The page draws from these answers alone, so they are compared with what the library computes: kinematics, modes,
//! poses, skins. And whatever a page says, there is an answer: bad files, absurd numbers and torn messages end as a
//! sentence for the user.

mod answers;
mod bad;
mod kinematics;
mod live;
mod sets;
mod sketches;
mod support;

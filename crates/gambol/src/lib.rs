//! Rooms.

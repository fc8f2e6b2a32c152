//! Rigid motions.

//! The two derivatives of the potential energy, by differences.

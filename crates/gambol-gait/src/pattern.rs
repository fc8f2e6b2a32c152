//! Named gaits: which foot moves when.

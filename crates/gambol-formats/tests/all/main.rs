//! Files in and out: what they say, what comes back, and what bad ones are told.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod clips;
mod course_file;
mod fbx;
mod gltf;
mod gltf_clips;
mod gltf_out;
mod mjcf;
mod mjcf_bad;
mod motion_files;
mod odd_files;
mod recordings;
mod recordings_bad;
mod rig_file;
mod skinned;

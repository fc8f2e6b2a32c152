//! BVH in: the hierarchy word by word, the motion line by line.
//!
//! Lengths have no stated unit, angles are degrees. Turns act in the order in which each joint lists them. Depth costs
//! no stack, and the claimed number of frames no memory.

mod words;

use std::collections::HashSet;

use gambol_anatomy::recording::{Channel, ChannelKind, RecordedJoint, RecordedSkeleton, Take};
use gambol_model::{CreatureSpec, Quat, Vec3, Warning};

use crate::mocap::{Draft, MAX_JOINTS, MAX_NUMBERS, Recording, axis, number, shorten, z_up};
use crate::{FormatError, LoadOptions};
use words::{Word, Words};

/// The most channels of a joint.
const MAX_CHANNELS: usize = 6;

/// Reads the text of a BVH file; `file` names it in messages, and without its ending the creature and the clip.
pub fn read_bvh(file: &str, text: &str, options: &LoadOptions) -> Result<Recording, FormatError> {
    draft(file, text, options)?.finish()
}

/// The skeleton of a BVH file, as a creature.
pub(crate) fn read(file: &str, text: &str, options: &LoadOptions) -> Result<CreatureSpec, FormatError> {
    Ok(draft(file, text, options)?.creature())
}

fn draft(file: &str, text: &str, options: &LoadOptions) -> Result<Draft, FormatError> {
    let mut reader =
        Reader { file, words: Words::new(text), joints: Vec::new(), names: HashSet::new(), columns: 0 };
    reader.hierarchy()?;
    let (take, warnings) = reader.motion()?;
    Draft::new(file, RecordedSkeleton { joints: reader.joints }, &take, None, options, warnings)
}

struct Reader<'t> {
    file: &'t str,
    words: Words<'t>,
    joints: Vec<RecordedJoint>,
    names: HashSet<String>,
    /// Channels so far.
    columns: usize,
}

/// What a brace has opened.
enum Open {
    Joint(usize),
    /// An end site of a joint.
    End(usize),
}

impl<'t> Reader<'t> {
    fn error(&self, line: u32, reason: impl Into<String>) -> FormatError {
        FormatError::new(self.file, reason).at_line(line)
    }

    fn next(&mut self, wanted: &str) -> Result<Word<'t>, FormatError> {
        let line = self.words.line();
        self.words.next().ok_or_else(|| self.error(line, format!("the file ends where {wanted} should be")))
    }

    fn expect(&mut self, wanted: &str) -> Result<(), FormatError> {
        let word = self.next(wanted)?;
        if word.is(wanted) {
            return Ok(());
        }
        Err(self.error(word.line, format!("{:?} where {wanted} should be", shorten(word.text))))
    }

    fn number(&mut self) -> Result<f64, FormatError> {
        let word = self.next("a number")?;
        number(word.text).map_err(|reason| self.error(word.line, reason))
    }

    fn vector(&mut self) -> Result<Vec3, FormatError> {
        let [x, y, z] = [self.number()?, self.number()?, self.number()?];
        Ok(z_up(x, y, z))
    }

    /// From `HIERARCHY` to `MOTION`.
    fn hierarchy(&mut self) -> Result<(), FormatError> {
        self.expect("HIERARCHY")?;
        let mut open: Vec<Open> = Vec::new();
        loop {
            let word = self.next("MOTION")?;
            match (open.last(), word.text.to_ascii_uppercase().as_str()) {
                (None, "MOTION") if !self.joints.is_empty() => return Ok(()),
                (None, "ROOT") => open.push(self.joint(None, word.line)?),
                (Some(&Open::Joint(parent)), "JOINT") => open.push(self.joint(Some(parent), word.line)?),
                (Some(&Open::Joint(parent)), "END") => {
                    self.words.rest_of_line();
                    self.expect("{")?;
                    open.push(Open::End(parent));
                }
                (Some(&Open::Joint(joint)), "OFFSET") => self.joints[joint].offset = self.vector()?,
                (Some(&Open::End(joint)), "OFFSET") => {
                    let end = self.vector()?;
                    self.joints[joint].ends.push(end);
                }
                (Some(&Open::Joint(joint)), "CHANNELS") => self.channels(joint, word.line)?,
                (Some(_), "}") => drop(open.pop()),
                (inside, _) => {
                    let place = match inside {
                        None => "outside of all joints",
                        Some(Open::Joint(_)) => "in a joint",
                        Some(Open::End(_)) => "in an end site",
                    };
                    let reason = format!("{:?} has no place {place}", shorten(word.text));
                    return Err(self.error(word.line, reason));
                }
            }
        }
    }

    fn joint(&mut self, parent: Option<usize>, line: u32) -> Result<Open, FormatError> {
        let name = self.words.rest_of_line();
        if name.is_empty() {
            return Err(self.error(line, "a joint has no name"));
        }
        if self.joints.len() == MAX_JOINTS {
            return Err(self.error(line, format!("more than {MAX_JOINTS} joints")));
        }
        if !self.names.insert(name.clone()) {
            return Err(self.error(line, format!("two joints are called {:?}", shorten(&name))));
        }
        self.expect("{")?;
        self.joints.push(RecordedJoint {
            name,
            parent,
            offset: Vec3::zeros(),
            ends: Vec::new(),
            axes: Quat::identity(),
            channels: Vec::new(),
            whole_place: false,
            fixed: false,
        });
        Ok(Open::Joint(self.joints.len() - 1))
    }

    fn channels(&mut self, joint: usize, line: u32) -> Result<(), FormatError> {
        let count = self.next("the number of channels")?;
        let Some(count) = count.text.parse().ok().filter(|count| *count <= MAX_CHANNELS) else {
            let reason =
                format!("{:?} is not a number of channels from 0 to {MAX_CHANNELS}", shorten(count.text));
            return Err(self.error(count.line, reason));
        };
        if !self.joints[joint].channels.is_empty() {
            return Err(self.error(line, "the joint has channels already"));
        }
        for _ in 0..count {
            let word = self.next("a channel")?;
            let Some(channel) = channel(word.text, self.columns) else {
                let reason = format!(
                    "there is no channel {:?}; there are Xposition, Yposition, Zposition, Xrotation, Yrotation and \
                     Zrotation",
                    shorten(word.text)
                );
                return Err(self.error(word.line, reason));
            };
            let channels = &mut self.joints[joint].channels;
            let same = |other: &&Channel| other.kind == channel.kind && other.axis == channel.axis;
            if channels.iter().any(|other| same(&other)) {
                return Err(self.error(word.line, format!("the joint has two channels {}", word.text)));
            }
            channels.push(channel);
            self.columns += 1;
        }
        Ok(())
    }

    /// What follows `MOTION`.
    fn motion(&self) -> Result<(Take, Vec<Warning>), FormatError> {
        let (rest, first_line) = self.words.rest();
        let mut lines = (first_line..).zip(rest.lines()).filter(|(_, line)| !line.trim().is_empty());
        let mut value = |key: &str| {
            let (line, text) = lines
                .next()
                .ok_or_else(|| FormatError::new(self.file, format!("the file ends before {key:?}")))?;
            let text = text.trim();
            let head = text.get(..key.len()).filter(|head| head.eq_ignore_ascii_case(key));
            let value = head.map(|_| text[key.len()..].trim_start_matches([':', ' ', '\t']));
            value
                .map(|value| (line, value))
                .ok_or_else(|| self.error(line, format!("{:?} where \"{key}:\" should be", shorten(text))))
        };
        let (frames_line, frames) = value("Frames")?;
        let (step_line, step) = value("Frame Time")?;
        let Ok(claimed) = frames.parse::<usize>() else {
            return Err(self.error(frames_line, format!("{:?} is not a number of frames", shorten(frames))));
        };
        if claimed == 0 {
            return Err(self.error(frames_line, "there are no frames"));
        }
        let step = number(step).map_err(|reason| self.error(step_line, reason))?;
        if step <= 0.0 {
            return Err(self.error(step_line, format!("a frame time of {step} s is not above 0")));
        }
        if self.columns == 0 {
            return Err(self.error(frames_line, "no joint has a channel: nothing can move"));
        }
        let numbers = self.frames(claimed, frames_line, &mut lines)?;
        let warnings = match lines.next() {
            Some((line, _)) => {
                let place = format!("{}:{line}", self.file);
                vec![Warning::new(place, format!("what follows the {claimed} frames was ignored"))]
            }
            None => Vec::new(),
        };
        Ok((Take { step, columns: self.columns, numbers }, warnings))
    }

    fn frames(
        &self,
        claimed: usize,
        frames_line: u32,
        lines: &mut impl Iterator<Item = (u32, &'t str)>,
    ) -> Result<Vec<f64>, FormatError> {
        let is_turn: Vec<bool> = self
            .joints
            .iter()
            .flat_map(|joint| &joint.channels)
            .map(|channel| channel.kind == ChannelKind::Turn)
            .collect();
        let mut numbers = Vec::new();
        let mut count = 0;
        for (line, text) in lines.take(claimed) {
            let mut columns = is_turn.iter();
            for word in text.split_whitespace() {
                let value = number(word).map_err(|reason| self.error(line, reason))?;
                let Some(is_turn) = columns.next() else { break };
                numbers.push(if *is_turn { value.to_radians() } else { value });
            }
            let given = text.split_whitespace().count();
            if given != self.columns {
                let reason = format!("frame {count} has {given} numbers; the channels are {}", self.columns);
                return Err(self.error(line, reason));
            }
            if numbers.len() > MAX_NUMBERS {
                return Err(self.error(line, format!("more than {MAX_NUMBERS} numbers in all frames")));
            }
            count += 1;
        }
        if count < claimed {
            let reason = format!("{claimed} frames are claimed and {count} are there");
            return Err(self.error(frames_line, reason));
        }
        Ok(numbers)
    }
}

/// `Zrotation`, in any case.
fn channel(word: &str, column: usize) -> Option<Channel> {
    let axis = axis(word.chars().next()?)?;
    let kind = match word.get(1..)?.to_ascii_lowercase().as_str() {
        "position" => ChannelKind::Shift,
        "rotation" => ChannelKind::Turn,
        _ => return None,
    };
    Some(Channel { kind, axis, column, limit: None })
}

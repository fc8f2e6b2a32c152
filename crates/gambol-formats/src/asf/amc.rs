//! The motion of an AMC file: a number on a line of its own starts a frame, then a line for every bone that moves.

use gambol_anatomy::recording::Take;

use super::skeleton::Asf;
use super::{Text, lines};
use crate::FormatError;
use crate::mocap::{MAX_NUMBERS, number, shorten};

pub(super) fn read(amc: Text<'_>, asf: &Asf, rate: f64) -> Result<Take, FormatError> {
    let error = |line: u32, reason: String| FormatError::new(amc.file, reason).at_line(line);
    let mut degrees = asf.degrees;
    let mut take = Take { step: 1.0 / rate, columns: asf.columns, numbers: Vec::new() };
    // The frame that is being read: its line, and which numbers are there.
    let mut frame: Option<(u32, Vec<bool>)> = None;
    for (line, words) in lines(amc.text) {
        let first = words[0];
        if let Some(keyword) = first.strip_prefix(':') {
            match keyword.to_ascii_lowercase().as_str() {
                "degrees" => degrees = true,
                "radians" => degrees = false,
                _ => {}
            }
        } else if words.len() == 1 && first.bytes().all(|byte| byte.is_ascii_digit()) {
            if let Some((start, there)) = &frame {
                check_whole(asf, there).map_err(|reason| error(*start, reason))?;
            }
            if take.numbers.len() + asf.columns > MAX_NUMBERS {
                return Err(error(line, format!("more than {MAX_NUMBERS} numbers in all frames")));
            }
            take.numbers.resize(take.numbers.len() + asf.columns, 0.0);
            frame = Some((line, vec![false; asf.columns]));
        } else {
            let Some((_, there)) = &mut frame else {
                return Err(error(
                    line,
                    format!("{:?} where the number of a frame should be", shorten(first)),
                ));
            };
            let Some(&[column, count]) = asf.numbers.get(first) else {
                return Err(error(line, format!("the skeleton has no bone {:?} that moves", shorten(first))));
            };
            let given = words.len() - 1;
            if given != count {
                return Err(error(line, format!("bone {first:?} has {given} numbers; its dof are {count}")));
            }
            if std::mem::replace(&mut there[column], true) {
                return Err(error(line, format!("bone {first:?} has two lines in this frame")));
            }
            let start = take.numbers.len() - asf.columns;
            for (k, word) in (column..).zip(&words[1..]) {
                let value = number(word).map_err(|reason| error(line, reason))?;
                take.numbers[start + k] = if asf.is_turn[k] && degrees { value.to_radians() } else { value };
            }
        }
    }
    let Some((start, there)) = frame.filter(|_| asf.columns > 0) else {
        return Err(FormatError::new(amc.file, "there are no frames"));
    };
    check_whole(asf, &there).map_err(|reason| error(start, reason))?;
    Ok(take)
}

/// All bones that move have said how.
fn check_whole(asf: &Asf, there: &[bool]) -> Result<(), String> {
    let mut missing: Vec<&str> = asf
        .numbers
        .iter()
        .filter(|(_, [column, _])| !there[*column])
        .map(|(bone, _)| bone.as_str())
        .collect();
    missing.sort_unstable();
    match missing.first() {
        Some(bone) => Err(format!("the frame that starts here has no line for bone {:?}", shorten(bone))),
        None => Ok(()),
    }
}

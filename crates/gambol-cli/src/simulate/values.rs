//! Short texts of `gambol simulate`, checked as they are read.

use gambol_model::Vec3;

use crate::Failure;
use crate::settings::{at_least_0, finite, positive};

/// Numbers between commas.
#[derive(Clone)]
pub(super) struct Numbers(Vec<f64>);

pub(super) fn numbers(text: &str) -> Result<Numbers, String> {
    text.split(',').map(finite).collect::<Result<_, _>>().map(Numbers)
}

pub(super) fn mode(text: &str) -> Result<usize, String> {
    let digits = text.trim().trim_start_matches('u'); // as tables print it
    digits.parse().map_err(|_| format!("{text:?} is not the number of a mode"))
}

/// One number for each of `count` modes. A single one is spread by `spread`, which is told the place in the list.
pub(super) fn per_mode(
    what: &str,
    Numbers(numbers): &Numbers,
    count: usize,
    spread: impl Fn(usize, f64) -> f64,
) -> Result<Vec<f64>, Failure> {
    match numbers.as_slice() {
        [one] => Ok((0..count).map(|k| spread(k, *one)).collect()),
        all if all.len() == count => Ok(all.to_vec()),
        all => {
            let message =
                format!("--{what} has {} numbers for {count} modes; give one, or one for each", all.len());
            Err(Failure::Failed(message))
        }
    }
}

/// A push as it is written; the body is looked up in the creature.
#[derive(Clone)]
pub(super) struct ShoveText {
    pub(super) body: String,
    /// N
    pub(super) force: Vec3,
    /// s
    pub(super) start: f64,
    /// s
    pub(super) duration: f64,
}

pub(super) fn shove(text: &str) -> Result<ShoveText, String> {
    let wanted = "expected BODY:FX,FY,FZ@START+DURATION, for example chest:0,50,0@1+0.1";
    let (body, force, [start, duration]) = for_a_while(text, wanted)?;
    Ok(ShoveText { body, force, start, duration })
}

/// A pull as it is written.
#[derive(Clone, Debug)]
pub(super) struct PullText {
    /// A landmark or a body.
    pub(super) name: String,
    /// In the world, m.
    pub(super) target: Vec3,
    /// From when until when, s.
    pub(super) times: [f64; 2],
}

pub(super) fn pull(text: &str) -> Result<PullText, String> {
    let wanted = "expected NAME:X,Y,Z@START+DURATION, for example head:0.5,0,1@1+2";
    let (name, target, [start, duration]) = for_a_while(text, wanted)?;
    Ok(PullText { name, target, times: [start, start + duration] })
}

/// A name, a vector, start and duration; else what was wanted.
fn for_a_while(text: &str, wanted: &str) -> Result<(String, Vec3, [f64; 2]), String> {
    let (name, rest) = text.rsplit_once(':').ok_or(wanted)?;
    let (vector, times) = rest.split_once('@').ok_or(wanted)?;
    // An exponent may have a plus of its own: the last one counts.
    let (start, duration) = times.rsplit_once('+').ok_or(wanted)?;
    let vector: Vec<f64> = vector.split(',').map(finite).collect::<Result<_, _>>()?;
    let [x, y, z] = vector.as_slice() else { return Err(wanted.to_owned()) };
    Ok((name.to_owned(), Vec3::new(*x, *y, *z), [at_least_0(start)?, positive(duration)?]))
}

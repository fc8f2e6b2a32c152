//! How large a creature feels, by the cadence of clips that come with it. The clips are gaits of ours that were made to go
//! faster or slower, so that what has to be found is known; the poses stay, as they do when somebody draws a large animal
//! with the tempo of a small one.

use gambol_dynamics::Data;
use gambol_gait::{Body, FeltError, Sampling, Style, Wish, design, feel, perform};
use gambol_motion::Clip;

fn body(name: &str) -> (Body, Data) {
    let creature = gambol::load(name, &gambol::LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let body = Body::new(creature, &mut data, &Style::default()).unwrap();
    (body, data)
}

/// One cycle of a gait that takes 1/`faster` of its time, as a file would have it: nothing is told but poses.
fn clip(body: &Body, data: &mut Data, gait: &str, faster: f64, fps: f64) -> Clip {
    cycles(body, data, gait, faster, fps, 1.0)
}

fn cycles(body: &Body, data: &mut Data, gait: &str, faster: f64, fps: f64, count: f64) -> Clip {
    let designed = design(body, data, gait, &Wish::default()).unwrap();
    let seconds = Some(count / designed.gait.frequency);
    let played = perform(body, data, &designed.gait, &Sampling { seconds, fps }).unwrap();
    let times = played.clip.times.iter().map(|time| time / faster).collect();
    Clip { times, contacts: Vec::new(), travel: None, ..played.clip }
}

fn near(a: f64, b: f64, share: f64) -> bool {
    (a / b - 1.0).abs() < share
}

#[test]
fn clips_tell_the_tempo() {
    for (name, gait) in
        [("dog", "walk"), ("dog", "trot"), ("human", "walk"), ("spider", "walk"), ("bird", "run")]
    {
        let (body, mut data) = body(name);
        let usual = design(&body, &mut data, gait, &Wish::default()).unwrap().gait.frequency;
        for faster in [0.5, 1.0, 3.0] {
            for (fps, in_place) in [(60.0, false), (60.0, true), (24.0, true)] {
                let what = format!("{name} {gait} {faster} times as fast at {fps}, in place {in_place}");
                let mut own = clip(&body, &mut data, gait, faster, fps);
                if in_place {
                    own = own.in_place(&body.creature);
                }
                let felt = feel(&body, &mut data, &[own]).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(near(felt.clips[0].frequency, faster * usual, 1e-6), "{what}: {felt:?}");
                // A stride is told from the swing of the feet to a tenth or two, and the cadence hardly depends on it.
                assert!(near(felt.faster, faster, 0.25), "{what}: {felt:?}");
                assert!(near(felt.gravity, 9.81 * felt.faster * felt.faster, 1e-9), "{what}");
            }
        }
    }
}

#[test]
fn several_clips_and_several_strides() {
    let (body, mut data) = body("dog");
    let mut walk = |faster: f64| clip(&body, &mut data, "walk", faster, 60.0);
    let (slow, usual, fast) = (walk(0.25), walk(2.0), walk(2.2));
    // Three strides in one loop, and one clip in slow motion among others.
    let three = cycles(&body, &mut data, "walk", 2.0, 60.0, 3.0);
    let mut feels = |clips: &[Clip]| feel(&body, &mut data, clips).unwrap();
    let one = feels(std::slice::from_ref(&usual));
    // They are looked at in other moments, between keys.
    assert!(near(feels(&[three]).faster, one.faster, 0.01));
    assert!(near(feels(&[slow, usual, fast]).faster, one.faster, 1e-6));
}

/// What is no gait says nothing, and it is told why.
#[test]
fn clips_without_a_gait() {
    let (body, mut data) = body("dog");
    assert_eq!(feel(&body, &mut data, &[]), Err(FeltError::NoClips));
    let walk = clip(&body, &mut data, "walk", 1.0, 60.0);
    let still = Clip { poses: vec![walk.poses[0].clone(); walk.poses.len()], ..walk.clone() };
    let still = Clip { stride: Some(gambol_motion::Stride::NONE), ..still };
    // One that does not recur, and one of two keys.
    let once = Clip { stride: None, ..walk.clone() };
    let short = walk.part(0, 1);
    for none in [still, once, short] {
        assert_eq!(feel(&body, &mut data, std::slice::from_ref(&none)), Err(FeltError::NoGait));
        // It does not stand in the way of one that is.
        assert!(feel(&body, &mut data, &[none, walk.clone()]).is_ok());
    }
    let (body, mut data) = self::body("snake");
    assert_eq!(feel(&body, &mut data, &[]), Err(FeltError::Weightless));
}

/// A creature that feels so takes strides as quickly as its clips, of the same length, and the forces in body weights are
/// those of the size: all is the same motion in less time.
#[test]
fn what_feels_smaller_moves_the_same_in_less_time() {
    let (usual, mut data) = body("dog");
    let own = clip(&usual, &mut data, "walk", 2.0, 60.0);
    let felt = feel(&usual, &mut data, &[own]).unwrap();
    let mut creature = gambol::load("dog", &gambol::LoadOptions::default()).unwrap();
    felt.apply(&mut creature).unwrap();
    assert!(near(creature.gravity().norm(), felt.gravity, 1e-12));
    let mut other = Data::new(&creature);
    let quick = Body::new(creature, &mut other, &Style::default()).unwrap();
    let played = |body: &Body, data: &mut Data, fps: f64| {
        let gait = design(body, data, "walk", &Wish::default()).unwrap().gait;
        perform(body, data, &gait, &Sampling { seconds: None, fps }).unwrap()
    };
    let (a, b) = (played(&usual, &mut data, 60.0), played(&quick, &mut other, 60.0 * felt.faster));
    assert!(near(b.report.stride_frequency, felt.faster * a.report.stride_frequency, 1e-6));
    assert!(near(b.report.stride_length, a.report.stride_length, 1e-6));
    assert!(near(b.report.froude.unwrap(), a.report.froude.unwrap(), 1e-6));
    let off = (b.report.residual_force.unwrap() - a.report.residual_force.unwrap()).abs();
    assert!(off < 1e-3, "residuals differ by {off} body weights");
    assert_eq!(a.clip.poses.len(), b.clip.poses.len());
    for (a, b) in a.clip.poses.iter().zip(&b.clip.poses) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3));
    }
}

//! Searches as text, to go on from bit for bit.

use super::algorithm::{Judged, SearchStage};
use super::{Doing, Problem, Search, SearchError, SearchSettings};
use crate::cma::Cma;
use crate::text::{CheckpointError, END, Fields, Record};

/// What is written; 1 had settings that are another problem's now.
const VERSION: u32 = 2;

impl<P: Problem> Search<P> {
    /// All that it goes on from, as text.
    pub fn checkpoint(&self) -> String {
        let mut out = Fields::default();
        out.put(KIND, &[VERSION]);
        out.put("problem", &[fingerprint(&self.problem.identity())]);
        out.put("settings", &[fingerprint(&lasting(&self.settings))]);
        out.put("round", &[self.round]);
        out.put("evaluations", &[self.evaluations]);
        out.put("idle", &[self.idle]);
        out.put("multipliers", &self.multipliers);
        let (doing, made, at) = match &self.stage {
            SearchStage::Sampling { best, .. } => (Doing::Sampling, 0, best.as_ref()),
            SearchStage::Closing { at, made } => (Doing::Closing, *made, Some(at)),
            SearchStage::Improving { at, made } => (Doing::Improving, *made, Some(at)),
            SearchStage::Sealing { at } => (Doing::Sealing, 0, Some(at)),
            SearchStage::Done { at } => (Doing::Done, 0, at.as_ref()),
        };
        out.put("doing", &[doing as usize]);
        out.put("made", &[made]);
        for (name, judged) in [("at", at), ("line", self.line.as_ref()), ("nearest", self.nearest.as_ref())] {
            out.put(name, judged.map_or(&[], |judged| judged.x.as_slice()));
        }
        out.put::<u8>(END, &[]);
        match &self.stage {
            SearchStage::Sampling { cma, .. } => out.0 + INNER + &cma.checkpoint(),
            _ => out.0,
        }
    }

    /// Goes on from a checkpoint of the same problem and settings, bit for bit. Budget and rounds may be others.
    pub fn resume(problem: P, settings: SearchSettings, text: &str) -> Result<Self, SearchError> {
        let mut search = Self::new(problem, settings)?;
        let (outer, inner) = text.split_once(INNER).unwrap_or((text, ""));
        let record = Record::parse(KIND, outer)?;
        let other = |reason: String| CheckpointError::Other { reason };
        if record.one::<u32>(KIND)? != VERSION {
            return Err(record.broken("it is of another version").into());
        }
        if record.one::<u64>("problem")? != fingerprint(&search.problem.identity()) {
            return Err(other(format!("it was made from another {}", search.problem.kind())).into());
        }
        if record.one::<u64>("settings")? != fingerprint(&lasting(&search.settings)) {
            return Err(other("it was made with other settings".to_owned()).into());
        }
        search.round = record.one("round")?;
        search.evaluations = record.one("evaluations")?;
        search.idle = record.one("idle")?;
        search.multipliers = record.vector("multipliers", search.multipliers.len())?;
        let n = search.problem.numbers().len();
        let mut judge = search.problem.judge();
        let mut judged = |name: &str| -> Result<Option<Judged<P::Verdict>>, SearchError> {
            if record.list::<f64>(name)?.is_empty() {
                return Ok(None);
            }
            let x = record.vector(name, n)?;
            let score = judge(&x);
            Ok(Some(Judged { x, score }))
        };
        let (at, line, nearest) = (judged("at")?, judged("line")?, judged("nearest")?);
        drop(judge);
        let doing: usize = record.one("doing")?;
        let doing = Doing::ALL.get(doing).ok_or_else(|| record.broken("doing is not known"))?;
        let made = record.one("made")?;
        let known = |at: Option<Judged<P::Verdict>>| at.ok_or_else(|| record.broken("at is missing"));
        search.stage = match doing {
            Doing::Sampling => {
                let cma = Cma::resume(inner)?;
                if cma.mean().len() != n {
                    return Err(record.broken("its candidates have another length").into());
                }
                SearchStage::Sampling { cma: Box::new(cma), best: at }
            }
            Doing::Closing => SearchStage::Closing { at: known(at)?, made },
            Doing::Improving => SearchStage::Improving { at: known(at)?, made },
            Doing::Sealing => SearchStage::Sealing { at: known(at)? },
            Doing::Done => SearchStage::Done { at },
        };
        (search.line, search.nearest) = (line, nearest);
        Ok(search)
    }
}

const KIND: &str = "search";

/// Between the search and its CMA-ES.
const INNER: &str = "--- cma\n";

/// All settings that a search goes on with; its budget and rounds may be raised.
fn lasting(settings: &SearchSettings) -> String {
    format!("{:?}", SearchSettings { budget: 0, rounds: 0, ..settings.clone() })
}

/// FNV-1a.
pub(super) fn fingerprint(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

//! Searches as text, to go on from bit for bit.

use std::sync::Arc;

use super::{Doing, Judged, Search, SearchError, SearchSettings};
use crate::cma::Cma;
use crate::sketch::{Sketch, Stage};
use crate::text::{CheckpointError, END, Fields, Record};

impl Search {
    /// All that it goes on from, as text.
    pub fn checkpoint(&self) -> String {
        let mut out = Fields::default();
        out.put(KIND, &[1]);
        out.put("sketch", &[self.name]);
        out.put("settings", &[fingerprint(&lasting(&self.settings))]);
        out.put("round", &[self.round]);
        out.put("evaluations", &[self.evaluations]);
        out.put("doing", &[self.doing as usize]);
        out.put("steps", &[self.steps]);
        out.put("idle", &[self.idle]);
        out.put("multipliers", &self.multipliers);
        for (name, judged) in [("best", &self.best), ("line", &self.line), ("nearest", &self.nearest)] {
            out.put(name, judged.as_ref().map_or(&[], |judged| judged.x.as_slice()));
        }
        out.put::<u8>(END, &[]);
        out.0 + INNER + &self.cma.checkpoint()
    }

    /// Goes on from a checkpoint of the same sketch and settings, bit for bit. The budget may be another one.
    pub fn resume(
        sketch: &Sketch,
        stage: &Arc<Stage>,
        settings: SearchSettings,
        text: &str,
    ) -> Result<Self, SearchError> {
        let mut search = Self::new(sketch, stage, settings)?;
        let (outer, inner) = text.split_once(INNER).unwrap_or((text, ""));
        let record = Record::parse(KIND, outer)?;
        let other = |reason: &str| CheckpointError::Other { reason: reason.to_owned() };
        if record.one::<u64>("sketch")? != search.name {
            return Err(other("it was made from another sketch or creature").into());
        }
        if record.one::<u64>("settings")? != fingerprint(&lasting(&search.settings)) {
            return Err(other("it was made with other settings").into());
        }
        search.round = record.one("round")?;
        search.evaluations = record.one("evaluations")?;
        let doing: usize = record.one("doing")?;
        search.doing = *Doing::ALL.get(doing).ok_or_else(|| record.broken("doing is not known"))?;
        search.steps = record.one("steps")?;
        search.idle = record.one("idle")?;
        search.multipliers = record.vector("multipliers", search.multipliers.len())?;
        search.cma = Cma::resume(inner)?;
        let n = search.space.dimension();
        if search.cma.mean().len() != n {
            return Err(other("its creature has other coordinates").into());
        }
        let judged = |name: &str| -> Result<Option<Judged>, SearchError> {
            if record.list::<f64>(name)?.is_empty() {
                return Ok(None);
            }
            let x = record.vector(name, n)?;
            let score = search.judge(std::slice::from_ref(&x), 1).swap_remove(0);
            Ok(Some(Judged { x, score }))
        };
        let (best, line, nearest) = (judged("best")?, judged("line")?, judged("nearest")?);
        (search.best, search.line, search.nearest) = (best, line, nearest);
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

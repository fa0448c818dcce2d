//! How fast models answer: what a plan assumes, and how debates of this journal compare with that.

use std::collections::{BTreeMap, BTreeSet};

use agon_journal::{DebateSummary, Journal};
use agon_runtime::config::{Config, ModelSpec};

use crate::participants::{page_verifier::FETCHED, quote_verifier::QUOTES};

/// Tokens a second, read and written, that are assumed for a model of this machine and for one elsewhere.
const LOCAL_SPEED: (f64, f64) = (45.0, 8.0);
const REMOTE_SPEED: (f64, f64) = (5_000.0, 60.0);
/// What debates by the embedded model took on two cores, as a share of the assumed time: alone, and next to other work.
const EMBEDDED_RANGE: (f64, f64) = (0.2, 1.1);
/// How far the next debate may be from the only one that was measured, as a share.
const ALONE_SPREAD: f64 = 0.3;
/// Debates that are looked at, newest first.
const DEBATES_MAX: u32 = 30;

/// Tokens a second that a model is assumed to read and to write; infinitely many where nobody has to be waited for.
pub fn assumed_speed(spec: &ModelSpec) -> (f64, f64) {
    match spec {
        ModelSpec::Local(_) => LOCAL_SPEED,
        ModelSpec::Provider(_) | ModelSpec::Command(_) => REMOTE_SPEED,
        ModelSpec::Fetched
        | ModelSpec::Material
        | ModelSpec::Scripted(_)
        | ModelSpec::Recorded(_)
        | ModelSpec::Human
        | ModelSpec::Outside => (f64::INFINITY, f64::INFINITY),
    }
}

/// What debates by one model took, as shares of the time that was assumed for their tokens: the lowest and the highest,
/// by model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeasuredSpeeds(BTreeMap<String, (f64, f64)>);

impl MeasuredSpeeds {
    /// As the closed debates of `journal` have it. A debate that cannot be read says nothing.
    pub fn from_journal(journal: &Journal, config: &Config) -> Self {
        let mut speeds = Self::default();
        let closed = journal.list_debates(DEBATES_MAX).unwrap_or_default();
        for debate in closed.iter().filter(|debate| debate.outcome.is_some()) {
            let Some((model, share)) = measure_speed(journal, config, debate) else { continue };
            let (low, high) = speeds.0.entry(model).or_insert((share, share));
            (*low, *high) = (low.min(share), high.max(share));
        }
        speeds
    }

    /// The lowest and the highest share of the assumed time that a debate by `model` is expected to take; `None` where
    /// nothing was measured.
    pub fn range_of(&self, model: &str, spec: &ModelSpec) -> Option<(f64, f64)> {
        match self.0.get(model) {
            Some((low, high)) if low == high => Some((low * (1.0 - ALONE_SPREAD), high * (1.0 + ALONE_SPREAD))),
            Some(range) => Some(*range),
            None => matches!(spec, ModelSpec::Local(None)).then_some(EMBEDDED_RANGE),
        }
    }
}

/// The model of a debate that one model alone answered in, and its share of the assumed time.
fn measure_speed(journal: &Journal, config: &Config, debate: &DebateSummary) -> Option<(String, f64)> {
    let record = journal.read_record(&debate.id).ok()?;
    let models = record.opened().lineup.iter().map(|sat| sat.model.as_str());
    let models: BTreeSet<&str> = models.filter(|model| ![QUOTES, FETCHED].contains(model)).collect();
    let [model] = models.into_iter().collect::<Vec<_>>()[..] else { return None };
    let (read, written) = assumed_speed(&ModelSpec::parse(model, config).ok()?);
    let used = journal.sum_usage(&debate.id).ok()?;
    let assumed = used.prompt_tokens as f64 / read + used.completion_tokens as f64 / written;
    let share = debate.driven_ms as f64 / 1_000.0 / assumed;
    (assumed > 0.0 && share > 0.0).then(|| (model.to_owned(), share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_what_was_measured_or_what_is_known_of_the_embedded_model() {
        let local = ModelSpec::Local(None);
        let speeds =
            MeasuredSpeeds(BTreeMap::from([("local".to_owned(), (0.5, 2.0)), ("lab:x".to_owned(), (1.0, 1.0))]));
        assert_eq!(speeds.range_of("local", &local), Some((0.5, 2.0)));
        assert_eq!(speeds.range_of("lab:x", &local), Some((0.7, 1.3)));
        assert_eq!(speeds.range_of("other", &local), Some(EMBEDDED_RANGE));
        assert_eq!(speeds.range_of("other", &ModelSpec::Local(Some("x".into()))), None);
        assert_eq!(MeasuredSpeeds::default().range_of("human", &ModelSpec::Human), None);
    }
}

//! What a debate lost on its way, counted: seats that did not answer, refusals, drafts that were never usable, and
//! answers that had to be asked for again.

use agon_core::{FailureKind, Record, Reply, RulingKind, View};
use agon_protocols::common::source_check;
use agon_text::count_noun;

use super::{describe_absences, list_redrafts};

/// What was lost, with the first entry that shows any of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loss {
    /// Times that a seat gave no usable answer.
    pub absences: usize,
    /// Answers that a model declined or that a filter stopped.
    pub refusals: usize,
    /// Statements of which no draft kept the rules.
    pub abandoned: usize,
    /// Answers that were asked for again.
    pub redrafts: usize,
    /// Texts that may not be shown.
    pub redactions: usize,
    /// The first entry that shows any of it.
    pub seq: Option<u64>,
}

impl Loss {
    /// That of `record`.
    pub fn of(record: &Record) -> Self {
        let refused = |kind: FailureKind| matches!(kind, FailureKind::Refused | FailureKind::Filtered);
        let refusals = record.answers().filter(|(_, answer)| match &answer.reply {
            Reply::Failed(failed) => refused(failed.kind),
            _ => false,
        });
        let failures =
            record.answers().filter(|(_, answer)| !matches!(answer.reply, Reply::Said { .. })).map(|(seq, _)| seq);
        let absent = || record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Absent);
        let abandoned = absent().filter(|(_, key, _)| {
            let first = key.as_str().strip_suffix("/absent").and_then(|key| agon_core::Key::new(key).ok());
            let last = first.and_then(|first| record.find_answer(&source_check::find_latest_draft(record, &first).0));
            last.is_some_and(|(_, answer)| matches!(answer.reply, Reply::Said { .. }))
        });
        let redrafts: Vec<u64> = list_redrafts(record).map(|(seq, _)| seq).collect();
        let lost = absent().map(|(seq, ..)| seq).min();
        let absences = describe_absences(record).len();
        let seq = lost.or_else(|| failures.min().filter(|_| absences > 0)).or(redrafts.first().copied());
        Self {
            absences,
            refusals: refusals.count(),
            abandoned: abandoned.count(),
            redrafts: redrafts.len(),
            redactions: View::of_whole_record(record).rulings_of_kind(RulingKind::Redacted).count(),
            seq,
        }
    }

    /// In words; what was lost before what was asked for again.
    pub fn describe_loss(&self) -> String {
        let Self { absences, refusals, abandoned, redrafts, redactions, .. } = *self;
        let mut parts = Vec::new();
        if absences > 0 {
            parts.push(format!("{} without a usable answer", count_noun(absences, "request", "requests")));
        }
        if refusals > 0 {
            parts.push(count_noun(refusals, "answer refused", "answers refused"));
        }
        if abandoned > 0 {
            parts.push(count_noun(
                abandoned,
                "statement given up after its redrafts",
                "statements given up after their redrafts",
            ));
        }
        let lost = if parts.is_empty() { "nothing lost".to_owned() } else { format!("lost: {}", parts.join(", ")) };
        let redacted = match redactions {
            0 => String::new(),
            count => format!("; {} redacted", count_noun(count, "text", "texts")),
        };
        match redrafts {
            0 => lost + &redacted,
            _ => format!("{lost}; {} again{redacted}", count_noun(redrafts, "answer asked for", "answers asked for")),
        }
    }
}

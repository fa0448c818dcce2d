//! What a debate lost on its way, counted: seats that did not answer, refusals, drafts that were never usable, and
//! answers that had to be asked for again.

use agon_core::{FailureKind, Key, Record, Reply, RulingKind, View};
use agon_protocols::common::source_check;
use agon_text::count_noun;

use super::{describe_absences, list_redrafts};

/// In words, what was lost before what was asked for again; and the first entry that shows any of it.
pub fn describe_losses(record: &Record) -> (String, Option<u64>) {
    let failures = || record.answers().filter(|(_, answer)| !matches!(answer.reply, Reply::Said { .. }));
    let refused = |kind: FailureKind| matches!(kind, FailureKind::Refused | FailureKind::Filtered);
    let refusals =
        failures().filter(|(_, answer)| matches!(&answer.reply, Reply::Failed(failed) if refused(failed.kind))).count();
    let absent = || record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Absent);
    // Of these no draft kept the rules.
    let abandoned = absent().filter(|(_, key, _)| {
        let first = key.as_str().strip_suffix("/absent").and_then(|key| Key::new(key).ok());
        let last = first.and_then(|first| record.find_answer(&source_check::find_latest_draft(record, &first).0));
        last.is_some_and(|(_, answer)| matches!(answer.reply, Reply::Said { .. }))
    });
    let absences = describe_absences(record).len();
    let parts = [
        (absences, "request without a usable answer", "requests without a usable answer"),
        (refusals, "answer refused", "answers refused"),
        (abandoned.count(), "statement given up after its redrafts", "statements given up after their redrafts"),
    ];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, one, many)| count_noun(count, one, many)).collect();
    let mut told = if parts.is_empty() { "every request got a usable answer".to_owned() } else { parts.join(", ") };
    let redrafts: Vec<u64> = list_redrafts(record).map(|(seq, _)| seq).collect();
    if !redrafts.is_empty() {
        told += &format!("; {} again", count_noun(redrafts.len(), "answer asked for", "answers asked for"));
    }
    let redactions = View::of_whole_record(record).rulings_of_kind(RulingKind::Redacted).count();
    if redactions > 0 {
        told += &format!("; {} redacted", count_noun(redactions, "text", "texts"));
    }
    let failed = failures().map(|(seq, _)| seq).min().filter(|_| absences > 0);
    let seq = absent().map(|(seq, ..)| seq).min().or(failed).or(redrafts.first().copied());
    (told, seq)
}

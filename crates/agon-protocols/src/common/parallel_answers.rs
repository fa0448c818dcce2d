//! What is asked of several seats in parallel, where a person is among them: nobody reads what one of them said before all
//! have answered. The prompts keep answers of a round apart by themselves; this is for everything else that people read.

use std::borrow::Cow;

use agon_core::{Key, Protocol, Record, Request, Step, compute_next_step};

use super::request_values::list_requests;

/// The models in whose place a person answers.
pub const PEOPLE: [&str; 2] = ["outside", "human"];
/// Maximum number of steps of a script between two requests.
const STEPS_MAX: usize = 10_000;

/// How far a record may be read now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadableRecord {
    /// The number of its first entries that may be read.
    pub entries: usize,
    /// Whether a person is asked now together with others, so that what those write is not shown while they write it.
    pub is_apart: bool,
}

impl ReadableRecord {
    /// Of `record`, by the rules of its protocol.
    pub fn from_record(record: &Record) -> Self {
        let whole = Self { entries: record.entries().len(), is_apart: false };
        let has_person = record.opened().lineup.iter().any(|sat| is_person(&sat.model));
        match crate::find_rules(record) {
            Ok(protocol) if has_person && record.closing_outcome().is_none() => {
                Self::of_open_record(protocol, record).unwrap_or(whole)
            }
            _ => whole,
        }
    }

    fn of_open_record(protocol: &dyn Protocol, record: &Record) -> Option<Self> {
        // What the script asks next belongs to the same round: a draft that is to be written again.
        let mut next = record.clone();
        let open = advance_to_requests(protocol, &mut next)?;
        let seat_of = |request: &Request| record.opened().lineup.iter().find(|sat| sat.seat == request.seat);
        let asked: Vec<&Request> =
            open.iter().filter(|request| seat_of(request).is_some_and(|sat| is_person(&sat.model))).collect();
        let is_parallel = |other: &Request| {
            asked.iter().any(|one| one.heard == other.heard && statement_key(&next, one) != statement_key(&next, other))
        };
        // An answer that the script has gone by belongs to an earlier round.
        let heard = list_requests(&next).map(|request| request.heard).max().unwrap_or_default();
        let early = record.answers().find(|(seq, answered)| {
            *seq > heard && record.find_request(&answered.key).is_some_and(|(_, request)| is_parallel(request))
        });
        let all = record.entries().len();
        let entries = early.and_then(|(seq, _)| usize::try_from(seq).ok()).unwrap_or(all);
        Some(Self { entries, is_apart: entries < all || open.iter().any(is_parallel) })
    }
}

/// The part of `record` that may be read now.
pub fn readable_record(record: &Record) -> Cow<'_, Record> {
    let entries = ReadableRecord::from_record(record).entries;
    if entries == record.entries().len() {
        Cow::Borrowed(record)
    } else {
        Cow::Owned(record.copy_first_entries(entries))
    }
}

/// Whether a person answers for a seat of this model.
fn is_person(model: &str) -> bool {
    PEOPLE.contains(&model)
}

/// What is open in `record`, which then holds what its script decides on it; `None` where it is over.
pub fn advance_to_requests(protocol: &dyn Protocol, record: &mut Record) -> Option<Vec<Request>> {
    for _ in 0..STEPS_MAX {
        match compute_next_step(protocol, record).ok()? {
            Step::Await(open) => return Some(open),
            Step::Close(_) => return None,
            Step::Record(events) => {
                let at = record.entries().last()?.at.clone();
                for event in events {
                    record.append_event(at.clone(), event).ok()?;
                }
            }
        }
    }
    None
}

/// The key under which a statement was asked for first.
fn statement_key<'r>(record: &'r Record, request: &'r Request) -> &'r Key {
    let mut first = request;
    while let Some((_, of)) = first.redraft.as_ref().and_then(|redraft| record.find_request(&redraft.of)) {
        first = of;
    }
    &first.key
}

#[cfg(test)]
mod tests {
    use agon_core::{Answered, Answerer, Digest, Event, Reply, Stamp, View, sample};

    use super::*;

    fn stamp() -> Stamp {
        Stamp("2026-01-01T00:00:00.000Z".into())
    }

    fn exchange(models: [&str; 3]) -> (&'static dyn Protocol, Record, Vec<Request>) {
        let protocol = crate::find_protocol("exchange").unwrap();
        let mut opened = sample::opened_for(protocol.manifest());
        opened.limits.rounds = 1;
        opened.lineup.truncate(3);
        for (sat, model) in opened.lineup.iter_mut().zip(models) {
            sat.model = model.into();
        }
        let mut record = Record::open(opened, stamp()).unwrap();
        let open = advance_to_requests(protocol, &mut record).unwrap();
        (protocol, record, open)
    }

    fn answer(protocol: &dyn Protocol, record: &mut Record, request: &Request, is_sound: bool) {
        let schema = protocol.answer_schema(&View::new(record, request), request).unwrap();
        let seed = Digest::from_content(request.key.as_str()).as_str().bytes().map(u64::from).sum();
        let text = if is_sound { sample::sample_value(&schema, seed).to_string() } else { "{\"no\": 1}".into() };
        let by = Answerer::new("test");
        let answered = Answered::new(request.key.clone(), Reply::Said { text }, by);
        record.append_event(stamp(), Event::Answered(answered)).unwrap();
    }

    #[test]
    fn answers_of_a_round_are_read_when_the_last_person_has_answered() {
        for models in [["outside", "outside", "local"], ["local", "human", "local"]] {
            let (protocol, mut record, open) = exchange(models);
            assert_eq!(open.len(), 2, "{models:?}");
            assert!(ReadableRecord::from_record(&record).is_apart, "what is written meanwhile is not shown");
            let before = record.entries().len();
            answer(protocol, &mut record, &open[0], true);
            assert_eq!(ReadableRecord::from_record(&record), ReadableRecord { entries: before, is_apart: true });
            assert_eq!(readable_record(&record).len(), before as u64);
            answer(protocol, &mut record, &open[1], true);
            let whole = record.entries().len();
            assert_eq!(ReadableRecord::from_record(&record).entries, whole, "{models:?}");
        }
    }

    #[test]
    fn a_draft_that_is_asked_for_again_keeps_the_round_together() {
        let (protocol, mut record, open) = exchange(["outside", "outside", "local"]);
        let before = record.entries().len();
        answer(protocol, &mut record, &open[0], true);
        answer(protocol, &mut record, &open[1], false);
        // Between the answer and the request to write it again, nothing stands on the record.
        assert_eq!(ReadableRecord::from_record(&record).entries, before);
        let again = advance_to_requests(protocol, &mut record).unwrap();
        assert!(again.len() == 1 && again[0].redraft.is_some());
        assert_eq!(ReadableRecord::from_record(&record).entries, before);
        answer(protocol, &mut record, &again[0], true);
        assert_eq!(ReadableRecord::from_record(&record).entries, record.entries().len());
    }

    #[test]
    fn nothing_is_held_back_among_models_or_from_a_person_who_is_asked_alone() {
        let (protocol, mut record, open) = exchange(["local", "local", "outside"]);
        answer(protocol, &mut record, &open[0], true);
        assert_eq!(ReadableRecord::from_record(&record).entries, record.entries().len());
        answer(protocol, &mut record, &open[1], true);
        let judge = advance_to_requests(protocol, &mut record).unwrap();
        assert_eq!(judge.len(), 1, "the judge alone");
        let asked = ReadableRecord { entries: record.entries().len(), is_apart: false };
        assert_eq!(ReadableRecord::from_record(&record), asked);
        answer(protocol, &mut record, &judge[0], false);
        let again = advance_to_requests(protocol, &mut record).unwrap();
        assert!(again[0].redraft.is_some());
        assert_eq!(ReadableRecord::from_record(&record).entries, record.entries().len(), "one's own draft is read");
    }
}

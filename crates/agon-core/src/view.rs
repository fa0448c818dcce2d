//! The view: the part of the record that one request can see.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::{AcceptedAnswers, Answered, Key, Opened, Record, Reply, Request, Ruling, RulingKind, Seat};

/// The record as heard by one request: answers up to `heard`, rulings before its `Asked`. A prompt
/// that is rendered again after a crash, or years later, therefore reads the same, and what was
/// redacted before a request is missing from its prompt.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    record: &'a Record,
    heard: u64,
    asked: u64,
    own_draft: Option<&'a Key>,
    /// How many of the oldest statements are to be shown by their claim alone, to fit a model.
    pub shortened: u32,
}

impl<'a> View<'a> {
    /// The view of `request`, which `record` may hold already or is about to.
    pub fn new(record: &'a Record, request: &'a Request) -> Self {
        let asked = record.find_request(&request.key).map_or(record.len(), |(seq, _)| seq);
        let own_draft = request.redraft.as_ref().map(|redraft| &redraft.of);
        Self { record, heard: request.heard, asked, own_draft, shortened: 0 }
    }

    /// The whole record: for files and screens, never for prompts.
    pub fn of_whole_record(record: &'a Record) -> Self {
        Self { record, heard: record.len(), asked: record.len(), own_draft: None, shortened: 0 }
    }

    /// How the debate was opened.
    pub fn opened(&self) -> &'a Opened {
        self.record.opened()
    }

    /// A document that the debate was opened with, by name.
    pub fn document(&self, name: &str) -> Option<&'a str> {
        self.record.document(name)
    }

    /// The answer to `key`, if it was heard.
    pub fn find_answer(&self, key: &Key) -> Option<&'a Answered> {
        self.answer_entry(key).map(|(_, answer)| answer)
    }

    /// Whether the answer to `key` comes from the files that the debate was taken over from.
    pub fn is_imported(&self, key: &Key) -> bool {
        self.opened().import_details().is_some() && self.find_answer(key).is_some_and(Answered::is_imported)
    }

    /// What was said under `key`, if it was heard, succeeded and is not redacted.
    pub fn answer_text(&self, key: &Key) -> Option<&'a str> {
        self.find_answer(key)?.reply.text().filter(|_| !self.is_redacted(key))
    }

    /// The draft that this request asks to be written again, which its own author may see.
    pub fn own_draft(&self) -> Option<&'a str> {
        let (_, answer) = self.record.find_answer(self.own_draft?)?;
        answer.reply.text()
    }

    /// What `parse` makes of the words under `key`, computed once for each answer.
    pub fn parse_statement<T: Send + Sync + 'static>(
        &self,
        key: &Key,
        parse: impl FnOnce(&str) -> T,
    ) -> Option<Arc<T>> {
        let (seq, answer) = self.answer_entry(key)?;
        let text = answer.reply.text().filter(|_| !self.is_redacted(key))?;
        Some(self.record.parse_once(seq, || parse(text)))
    }

    /// Everything said up to here, oldest first, without what was redacted.
    pub fn everything_said(&self) -> impl Iterator<Item = (&'a Key, &'a str)> {
        let view = *self;
        self.record.answers().take_while(move |(seq, _)| *seq <= view.heard).filter_map(move |(_, answered)| {
            let Reply::Said { text } = &answered.reply else { return None };
            (!view.is_redacted(&answered.key)).then_some((&answered.key, text.as_str()))
        })
    }

    /// What was asked under `key`, if that was before this request.
    pub fn find_request(&self, key: &Key) -> Option<&'a Request> {
        self.record.find_request(key).filter(|(seq, _)| *seq < self.asked).map(|(_, request)| request)
    }

    /// The ruling under `key`, if it was made before this request.
    pub fn find_ruling(&self, key: impl AsRef<str>) -> Option<&'a Ruling> {
        self.record.find_ruling(&Key::from_parts(key)).filter(|(seq, _)| *seq < self.asked).map(|(_, ruling)| ruling)
    }

    /// The data of the ruling under `key`, if it was made before this request; read once for each
    /// ruling. `None` also if it is not a `T`.
    pub fn find_ruling_data<T: DeserializeOwned + Send + Sync + 'static>(
        &self,
        key: impl AsRef<str>,
    ) -> Option<Arc<T>> {
        self.record.find_ruling_data(key.as_ref()).filter(|(seq, _)| *seq < self.asked).map(|(_, data)| data)
    }

    /// What `make` makes of everything that this view shows; kept for the next who asks for the same.
    /// It must depend on nothing else.
    pub fn derive_once<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        self.record.derive_once((self.heard, self.asked), make)
    }

    /// Rulings of one kind made before this request, oldest first.
    pub fn rulings_of_kind(&self, kind: RulingKind) -> impl Iterator<Item = (&'a Key, &'a Ruling)> {
        let asked = self.asked;
        let before = self.record.rulings().take_while(move |(seq, ..)| *seq < asked);
        before.filter(move |(_, _, ruling)| ruling.kind == kind).map(|(_, key, ruling)| (key, ruling))
    }

    /// The answers that rounds accepted before this request ([`AcceptedAnswers`]), oldest first: of which round, who gave
    /// it, and its key. What was redacted is among them.
    pub fn accepted_answers(&self) -> impl Iterator<Item = (u32, Seat, Key)> {
        let accepted = self.rulings_of_kind(RulingKind::Noted).filter_map(|(_, ruling)| ruling.decode_data());
        accepted.flat_map(|AcceptedAnswers { round, statements }| {
            statements.into_iter().map(move |(seat, key)| (round, seat, key))
        })
    }

    /// What people said to all who take part before this request, oldest first: who, and the words.
    pub fn interjections(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.record.interjections_before(self.asked).map(|(_, by, text)| (by, text))
    }

    /// The same, each after how many of the rulings of one kind ([`View::rulings_of_kind`]).
    pub fn interjections_among(&self, kind: RulingKind) -> impl Iterator<Item = (usize, &'a str, &'a str)> {
        let rulings = self.record.rulings().filter(move |(_, _, ruling)| ruling.kind == kind);
        let made: Vec<u64> = rulings.map(|(seq, ..)| seq).collect();
        let before = self.record.interjections_before(self.asked);
        before.map(move |(seq, by, text)| (made.partition_point(|at| *at < seq), by, text))
    }

    /// Whether the answer to `key` may no longer be shown.
    pub fn is_redacted(&self, key: &Key) -> bool {
        self.record.redaction_seq(key).is_some_and(|at| at < self.asked)
    }

    fn answer_entry(&self, key: &Key) -> Option<(u64, &'a Answered)> {
        self.record.find_answer(key).filter(|(seq, _)| *seq <= self.heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Stamp};

    #[test]
    fn what_is_made_of_a_view_is_made_once_and_anew_when_something_happened() {
        let at = || Stamp("2026-01-01T00:00:00.000Z".into());
        let mut record = Record::open(crate::sample::sample_opened("test", &["judge"]), at()).unwrap();
        let seat = Seat::new("judge").unwrap();
        let rulings = |record: &Record, request: &Request| {
            let view = View::new(record, request);
            view.derive_once(|| view.rulings_of_kind(RulingKind::Noted).count())
        };
        let [one, other, later] = ["one", "other", "later"].map(|key| Request::new(key, &seat, "judgment"));
        let first = rulings(&record, &one);
        record.append_event(at(), Event::Asked(one.clone())).unwrap();
        record.append_event(at(), Event::Asked(other.clone())).unwrap();
        assert!(Arc::ptr_eq(&first, &rulings(&record, &other)), "requests change nothing");
        let ruling = Ruling::new(RulingKind::Noted, "x").with_data(serde_json::json!({"count": 3}));
        record.append_event(at(), Event::Ruled { key: Key::from_parts("noted"), ruling }).unwrap();
        assert_eq!((*rulings(&record, &later), *rulings(&record, &one)), (1, 0));
        assert_eq!(View::of_whole_record(&record).find_ruling_data::<Count>("noted").map(|data| data.count), Some(3));
        assert!(View::new(&record, &one).find_ruling_data::<Count>("noted").is_none(), "ruled after it was asked");
    }

    #[derive(serde::Deserialize)]
    struct Count {
        count: u32,
    }
}

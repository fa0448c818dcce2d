//! What may no longer be shown of a record: answers and entries that were struck, what rested on pages that
//! never were, and whatever others quote of them. Everything that leaves agon goes through here, the record
//! as a file and the append-only log of a chaired debate excepted.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    sync::Arc,
};

use agon_core::{Answered, Entry, Event, Key, Record, Reply, RulingKind, View, parse};
use agon_text::HiddenPassages;
use serde::Deserialize;

use super::{
    MATERIAL,
    fields::one_line,
    redacted_text::{REDACTED, RUN, rewrite_quoted_texts, rewrite_texts, said_otherwise},
    request_values::{list_requests, read_fact},
    verification::{self, CitedPlace, STRUCK, SourceStatus},
};

/// What a protocol withholds that strikes single entries of a log of its own.
pub trait LogRedaction: Debug + Send + Sync {
    /// What nobody may repeat, and the addresses of struck entries alone.
    fn hidden_passages(&self) -> (&HiddenPassages, &BTreeSet<String>);

    /// Whether an entry was struck.
    fn has_struck(&self) -> bool;

    /// Whether an entry of the answer under `key` was struck, or a sentence of it.
    fn is_struck(&self, key: &Key) -> bool;

    /// Whether the verifier gave the answer under `key`.
    fn is_verifier(&self, key: &Key) -> bool;

    /// The answer under `key` without what was struck of it; `None` where nothing was.
    fn redact_answer(&self, key: &Key, text: &str) -> Option<String>;

    /// A ruling without what it tells of a struck entry; `None` where it tells nothing.
    fn redact_ruling(&self, what: &Event) -> Option<Event>;
}

/// The parts of one record that no output shows, because the script struck them.
#[derive(Debug, Clone, Default)]
pub struct Withheld {
    /// Passages by the answer that holds them, where a protocol strikes them from its own statements.
    passages: BTreeMap<Key, Vec<(String, &'static str)>>,
    /// Answers of which nothing is shown.
    whole: BTreeSet<Key>,
    /// What nobody may repeat.
    quoted: HiddenPassages,
    /// Addresses that nobody may repeat; the verifier names them, since it says why.
    urls: BTreeSet<String>,
    /// What a protocol struck that redacts entries of a log: single ones, and figures that no entry holds.
    redaction: Option<Arc<dyn LogRedaction>>,
    /// Whether lookups of an open debate showed material that is not for all seats.
    shows_seat_material: bool,
}

/// Words in quotes without which a record withholds nothing, unless its protocol [has its own](has_own) rules: one of
/// its rulings names the first, or its opening the second.
pub const TRACES: (&str, &str) = ("redacted", "fetched");

/// Whether debates of the protocol `name` can withhold something without a trace of [`TRACES`].
pub fn has_own(name: &str) -> bool {
    crate::find_protocol(name).is_some_and(|protocol| protocol.manifest().redacts_entries)
}

/// `record` as it may be shown. Passages that a protocol strikes itself still stand in the answers that it
/// strikes them from: code that shows an answer as it was given calls [`Withheld::mask_answer`].
pub fn publishable_record(record: &Record) -> Cow<'_, Record> {
    let withheld = Withheld::from_record(record);
    if withheld.is_empty() {
        return Cow::Borrowed(record);
    }
    let is_own = |entry: &Entry| matches!(&entry.what, Event::Answered(answered) if withheld.passages.contains_key(&answered.key));
    let entry = |entry: &Entry| match withheld.mask_entry(entry) {
        Cow::Owned(shown) if !is_own(entry) => Some(shown),
        _ => None,
    };
    Cow::Owned(record.copy_for_readers(entry, |text| withheld.mask_text(text, true)))
}

/// The part of the list of material that says whose it is.
#[derive(Deserialize)]
struct MaterialSeats {
    files: Vec<FileSeats>,
}

#[derive(Deserialize)]
struct FileSeats {
    #[serde(default)]
    seats: Vec<String>,
}

fn shows_seat_material(record: &Record) -> bool {
    if record.closing_outcome().is_some() || record.answers().all(|(_, answered)| answered.lookups.is_empty()) {
        return false;
    }
    let list = record.document(MATERIAL).and_then(|list| serde_json::from_str::<MaterialSeats>(list).ok());
    list.is_some_and(|list| list.files.iter().any(|file| !file.seats.is_empty()))
}

impl Withheld {
    /// That of `record`, by what was found and ruled so far.
    pub fn from_record(record: &Record) -> Self {
        let mut withheld = Self { shows_seat_material: shows_seat_material(record), ..Self::default() };
        let shipped = crate::find_protocol(&record.opened().protocol).filter(|_| !crate::declared::is_declared(record));
        if shipped.is_some_and(|protocol| protocol.manifest().redacts_entries) {
            withheld.redaction = crate::find_log_redaction(record);
            if let Some((quoted, urls)) = withheld.redaction.as_ref().map(|redaction| redaction.hidden_passages()) {
                (withheld.quoted, withheld.urls) = (quoted.clone(), urls.clone());
            }
            return withheld;
        }
        withheld.strike_answers(record);
        withheld.strike_passages(record);
        withheld.quoted.allow_text(&record.opened().motion);
        record.documents().values().for_each(|text| withheld.quoted.allow_text(text));
        withheld
    }

    /// Whether everything may be shown.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty() && self.whole.is_empty() && self.redaction.is_none()
    }

    /// Whether the record is not a file that may be shown: something was struck, or the debate is open and a lookup showed
    /// what may be for one seat alone.
    pub fn withholds_record(&self) -> bool {
        self.shows_seat_material
            || !self.passages.is_empty()
            || !self.whole.is_empty()
            || self.redaction.as_ref().is_some_and(|redaction| redaction.has_struck())
    }

    /// Answers that a ruling strikes.
    fn strike_answers(&mut self, record: &Record) {
        for (_, ruling) in View::of_whole_record(record).rulings_of_kind(RulingKind::Redacted) {
            let Some(key) = ruling.redacted_answer() else { continue };
            let Some((_, answer)) = record.find_answer(&key) else { continue };
            let text = answer.reply.text().unwrap_or_default();
            let mut hide = |text: &str| -> Option<String> {
                self.quoted.hide_around_links(text, RUN);
                None
            };
            match parse::parse_json_answer(text) {
                Ok(mut value) => rewrite_texts(&mut value, &[], &mut hide),
                Err(_) => hide(text).is_some(),
            };
            self.whole.insert(key);
        }
    }

    /// Passages that rest on pages that never were.
    fn strike_passages(&mut self, record: &Record) {
        if !verification::is_fetched(record.opened()) {
            return;
        }
        // What is struck stays struck, by whichever rules the debate was held.
        let Ok(protocol) = crate::find_recorded_protocol(record) else { return };
        for request in list_requests(record) {
            let (Some(of), Some((_, answer))) = (read_fact(request, "of"), record.find_answer(&request.key)) else {
                continue;
            };
            if !answer.reply.text().is_some_and(|text| text.contains(SourceStatus::Fabricated.name())) {
                continue;
            }
            let facts = protocol.prompt_facts(&View::new(record, request), request);
            let entries = facts.get("entries").and_then(|entries| Vec::<CitedPlace>::deserialize(entries).ok());
            let cited = entries.unwrap_or_default();
            let found = verification::parse_source_checks(&answer.reply, &cited);
            let invented = found.iter().filter(|found| found.status == SourceStatus::Fabricated);
            let places: BTreeSet<&str> = invented.clone().map(|found| found.at.as_str()).collect();
            let words = cited.iter().filter(|cited| places.contains(cited.at.as_str()));
            words.clone().for_each(|cited| self.quoted.hide_around_links(&cited.content, RUN));
            self.urls.extend(invented.clone().map(|found| found.url.clone()));
            let passages = words.map(|cited| (cited.content.clone(), STRUCK));
            let addresses = invented.map(|found| (found.url.clone(), REDACTED));
            let struck: Vec<(String, &'static str)> = passages.chain(addresses).collect();
            if !struck.is_empty() {
                self.passages.entry(of).or_default().extend(struck);
            }
        }
    }

    /// `text` without what nobody may repeat; `None` where it repeats nothing.
    pub fn mask_text(&self, text: &str, with_urls: bool) -> Option<String> {
        let mut shown = self.quoted.redact_text(text, REDACTED);
        for url in self.urls.iter().filter(|url| with_urls && !url.is_empty()) {
            replace_in(text, &mut shown, url, REDACTED);
        }
        shown
    }

    /// The answer under `key` as it may be shown, whether it is prose or JSON.
    pub fn mask_answer<'t>(&self, key: &Key, text: &'t str) -> Cow<'t, str> {
        if self.whole.contains(key) {
            return Cow::Borrowed(REDACTED);
        }
        let own = self.passages.get(key).and_then(|passages| strike_in_answer(text, passages));
        let own = own.or_else(|| self.redaction.as_ref()?.redact_answer(key, text));
        let text = own.map_or(Cow::Borrowed(text), Cow::Owned);
        let with_urls = !self.redaction.as_ref().is_some_and(|redaction| redaction.is_verifier(key))
            && !key.as_str().contains("/verification");
        match said_otherwise(&text, &|text| self.mask_text(text, with_urls)) {
            Some(other) => Cow::Owned(other),
            None => text,
        }
    }

    /// An entry as it may be shown.
    pub fn mask_entry<'e>(&self, entry: &'e Entry) -> Cow<'e, Entry> {
        if self.is_empty() {
            return Cow::Borrowed(entry);
        }
        let what = match &entry.what {
            Event::Opened(_) | Event::Extended { .. } => None,
            Event::Answered(answered) => answered.reply.text().and_then(|text| {
                let shown = self.mask_answer(&answered.key, text);
                if matches!(shown, Cow::Borrowed(_)) && shown == text && answered.original.is_none() {
                    return None;
                }
                let reply = Reply::Said { text: shown.into_owned() };
                // As it came, an answer can say more than its statement.
                Some(Event::Answered(Answered { reply, original: None, lookups: Vec::new(), ..answered.clone() }))
            }),
            what => self.mask_event(what),
        };
        what.map_or(Cow::Borrowed(entry), |what| Cow::Owned(Entry { what, ..entry.clone() }))
    }

    /// A request, a ruling, an act or an end without what it repeats.
    fn mask_event(&self, what: &Event) -> Option<Event> {
        let own = self.redaction.as_ref().and_then(|redaction| redaction.redact_ruling(what));
        let mut what = own.map_or(Cow::Borrowed(what), Cow::Owned);
        // Faults quote the answer that they are about.
        if let Event::Asked(request) = &*what
            && request.redraft.as_ref().is_some_and(|redraft| self.is_struck(&redraft.of))
        {
            let mut request = request.clone();
            request.redraft.iter_mut().for_each(|redraft| redraft.faults.clear());
            what = Cow::Owned(Event::Asked(request));
        }
        let is_said = matches!(*what, Event::Acted(_));
        let mut value = serde_json::to_value(&*what).unwrap_or_default();
        let changed = rewrite_quoted_texts(&mut value, &|text| self.mask_text(text, is_said));
        match (changed, what) {
            (true, _) => serde_json::from_value(value).ok(),
            (false, Cow::Owned(what)) => Some(what),
            (false, Cow::Borrowed(_)) => None,
        }
    }

    /// Whether something of the answer under `key` was struck.
    fn is_struck(&self, key: &Key) -> bool {
        let redaction = self.redaction.as_ref();
        self.whole.contains(key)
            || self.passages.contains_key(key)
            || redaction.is_some_and(|redaction| redaction.is_struck(key))
    }
}

/// An answer without `passages`; `None` where it holds none of them.
fn strike_in_answer(text: &str, passages: &[(String, &'static str)]) -> Option<String> {
    let mut shown = None;
    for (passage, stands) in passages.iter().filter(|(passage, _)| !passage.is_empty()) {
        replace_in(text, &mut shown, passage, stands);
    }
    // Within JSON a passage may be written in more ways than one.
    let mut strike = |text: &str| {
        let line = one_line(text);
        let strike = |words: String, (passage, stands): &(String, &str)| words.replace(&one_line(passage), stands);
        let struck = passages.iter().fold(line.clone(), strike);
        (struck != line).then_some(struck)
    };
    if let Ok(mut value) = parse::parse_json_answer(text)
        && rewrite_texts(&mut value, &[], &mut strike)
    {
        return Some(value.to_string());
    }
    shown
}

/// Puts `other` in place of `part` where `text` has it, or `shown`, which it has become.
fn replace_in(text: &str, shown: &mut Option<String>, part: &str, other: &str) {
    let now = shown.as_deref().unwrap_or(text);
    if now.contains(part) {
        *shown = Some(now.replace(part, other));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn withheld(key: &Key, passage: &str) -> Withheld {
        let mut withheld = Withheld::default();
        withheld.passages.insert(key.clone(), vec![(passage.to_owned(), STRUCK)]);
        withheld.quoted.hide_runs(passage, RUN);
        withheld.urls.insert("http://a.b/never".into());
        withheld
    }

    #[test]
    fn a_passage_is_struck_however_json_writes_it() {
        let key = Key::from_parts("a");
        let withheld = withheld(&key, "The “guild” runs 91 % (http://a.b).");
        for said in [
            "So. The “guild” runs 91 % (http://a.b). Well.",
            r#"{"why": ["The “guild”\nruns 91 % (http://a.b)."]}"#,
            r#"{"why": "The \u201cguild\u201d runs 91 %  (http:\/\/a.b)."}"#,
        ] {
            let shown = withheld.mask_answer(&key, said);
            assert!(!shown.contains("91") && shown.contains("REDACTED"), "{said}: {shown}");
        }
        assert_eq!(withheld.mask_answer(&key, "{\"why\": \"no\"}"), "{\"why\": \"no\"}");
        assert_eq!(withheld.mask_answer(&Key::from_parts("b"), "91"), "91");
    }

    #[test]
    fn what_others_quote_is_left_out_and_names_of_things_are_not() {
        let withheld = withheld(&Key::from_parts("a"), "The guild counted every tram of the town in one night.");
        let quoting = r#"{"url": "http://a.b/never", "why": "They say the guild counted every tram of the town. See http://a.b/never."}"#;
        let shown = withheld.mask_answer(&Key::from_parts("b"), quoting).into_owned();
        assert_eq!(shown, r#"{"url":"http://a.b/never","why":"They say [REDACTED]. See [REDACTED]."}"#);
        let verified =
            withheld.mask_answer(&Key::from_parts("b/verification"), r#"{"why": "http://a.b/never is gone"}"#);
        assert!(verified.contains("a.b/never"), "the verifier says which page never was: {verified}");
    }
}

//! What a debate was opened with, and what a request says, as typed values.

use agon_core::{Event, Key, Opened, Record, Request, View};
use serde::{
    Serialize,
    de::{
        DeserializeOwned, IntoDeserializer,
        value::{Error, StrDeserializer},
    },
};

/// An option of a debate; `None` where it was not given, or not a `T`.
pub fn read_option<T: DeserializeOwned>(opened: &Opened, name: &str) -> Option<T> {
    T::deserialize(opened.options.get(name)?).ok()
}

/// A fact of a request; `None` where it has none, or it is not a `T`.
pub fn read_fact<T: DeserializeOwned>(request: &Request, name: &str) -> Option<T> {
    T::deserialize(request.facts.get(name)?).ok()
}

/// The words of the answer whose key is a fact of a request.
pub fn find_named_answer<'v>(heard: &View<'v>, request: &Request, name: &str) -> Option<&'v str> {
    heard.answer_text(&read_fact(request, name)?)
}

/// The requests of a record, in their order.
pub fn list_requests(record: &Record) -> impl Iterator<Item = &Request> {
    let entries = record.entries().iter();
    entries.filter_map(|entry| if let Event::Asked(request) = &entry.what { Some(request) } else { None })
}

/// The key that a request to the seat `verifier` names: the answer whose sources it looks up.
pub fn find_verified_key(request: &Request) -> Option<Key> {
    read_fact(request, "of").filter(|_| request.seat.as_str() == "verifier")
}

/// The word that answers and files have for a value.
pub fn word_of(value: impl Serialize) -> String {
    let word = serde_json::to_value(value).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}

/// The value that `word` names, as answers write it.
pub fn parse_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    let word: StrDeserializer<'_, Error> = word.into_deserializer();
    T::deserialize(word).ok()
}

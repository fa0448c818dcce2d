//! What a person does to a debate without having been asked. No rule of a protocol decides on it, and
//! all of it is on the record.

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// Name of the outcome of a debate that a person ended.
pub const CANCELLED: &str = "CANCELLED";

/// An action that a person or program took without being asked, and who took it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// Who, as they call themselves.
    pub by: String,
    /// What.
    pub deed: ActKind,
}

/// The actions that are possible without being asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActKind {
    /// Said something to all who take part: every prompt that is asked for afterwards shows it.
    Interjected {
        /// Verbatim.
        text: String,
    },
    /// Nothing more is to be asked, and nothing answered, for now.
    Paused {
        /// The reason; empty where none was given.
        why: String,
    },
    /// It may continue.
    Resumed,
    /// It is to end here; `closed` follows.
    Cancelled {
        /// The reason; empty where none was given.
        why: String,
    },
}

impl Act {
    /// One line for a reader; of an interjection without its words.
    pub fn describe_act(&self) -> String {
        let because = |why: &str| if why.is_empty() { String::new() } else { format!(": {why}") };
        match &self.deed {
            ActKind::Interjected { .. } => format!("{} interjected", self.by),
            ActKind::Paused { why } => format!("{} paused the debate{}", self.by, because(why)),
            ActKind::Resumed => format!("{} continued the debate", self.by),
            ActKind::Cancelled { why } => format!("{} cancelled the debate{}", self.by, because(why)),
        }
    }

    /// How a debate ends by this act, where it does.
    pub fn build_outcome(&self) -> Option<Outcome> {
        let ActKind::Cancelled { why } = &self.deed else { return None };
        let because = if why.is_empty() { ".".to_owned() } else { format!(": {why}") };
        Some(Outcome::void(CANCELLED, format!("{} ended this debate before its rules did{because}", self.by)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Extension, Key, Record, Ruling, RulingKind, Stamp};

    fn opened() -> Record {
        Record::open(crate::sample::sample_opened("test", &[]), Stamp("2026-01-01T00:00:00.000Z".into())).unwrap()
    }

    fn ruled(key: &str) -> Event {
        Event::Ruled { key: Key::from_parts(key), ruling: Ruling::new(RulingKind::Noted, "x") }
    }

    fn acted(deed: ActKind) -> Event {
        Event::Acted(Act { by: "Ada".into(), deed })
    }

    #[test]
    fn after_a_cancellation_comes_the_end_and_nothing_else() {
        let mut record = opened();
        let at = || Stamp("t".into());
        record.append_event(at(), acted(ActKind::Paused { why: String::new() })).unwrap();
        assert!(record.append_event(at(), acted(ActKind::Paused { why: "again".into() })).is_err());
        assert_eq!(record.find_pause().unwrap().by, "Ada");
        record.append_event(at(), acted(ActKind::Resumed)).unwrap();
        assert!(record.find_pause().is_none() && record.append_event(at(), acted(ActKind::Resumed)).is_err());
        record.append_event(at(), acted(ActKind::Cancelled { why: "late".into() })).unwrap();
        assert!(record.append_event(at(), ruled("a")).is_err());
        let outcome = record.find_cancellation().and_then(Act::build_outcome).unwrap();
        record.append_event(at(), Event::Closed { outcome }).unwrap();
        assert!(record.closing_positions().is_empty(), "no script has closed it");
        assert_eq!(record.closing_outcome().unwrap().name, CANCELLED);
        let more = Event::Extended { limits: Extension { rounds: 1, ..Default::default() } };
        record.append_event(at(), more).unwrap();
        assert!(record.find_cancellation().is_none());
        record.append_event(at(), ruled("a")).unwrap();
    }
}

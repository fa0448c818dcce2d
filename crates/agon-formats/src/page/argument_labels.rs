//! What a protocol's own reading adds to its statements: the ids that arguments are known by, and
//! the scores that stand.

use std::collections::BTreeMap;

use agon_core::{Key, Record};

use crate::views::Mark;

/// Ids and scores, by statement.
#[derive(Default)]
pub struct ArgumentLabels {
    by_key: BTreeMap<Key, Vec<Mark>>,
}

impl ArgumentLabels {
    /// The marks of a record; none for a protocol that has no such ids.
    pub fn of(record: &Record) -> Self {
        Self { by_key: crate::views_of(record).collect_argument_marks(record) }
    }

    /// The marks of the statement under `key`, in its order.
    pub fn marks_at(&self, key: &Key) -> &[Mark] {
        self.by_key.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether an argument of the page is known by `id`.
    pub fn has_argument(&self, id: &str) -> bool {
        self.by_key.values().flatten().any(|mark| mark.id == id)
    }
}

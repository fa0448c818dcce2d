//! A record with other words in the place of those that may not be shown.

use std::sync::Arc;

use super::Record;
use crate::Entry;

impl Record {
    /// The first `count` entries of it, the one that opened it at least, with its documents.
    pub fn copy_first_entries(&self, count: usize) -> Self {
        let mut record = Self::empty();
        self.entries.iter().take(count.max(1)).for_each(|entry| record.push_entry(Arc::clone(entry)));
        record.with_documents_of(self)
    }

    /// The same record for eyes alone: entries as `entry` shows them where it shows them otherwise, and
    /// documents likewise. Numbers and hashes are those of the true record, so nothing can be appended to
    /// it that the journal would take, and as a file it does not verify.
    pub fn copy_for_readers(
        &self,
        entry: impl Fn(&Entry) -> Option<Entry>,
        document: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let mut shown = self.clone();
        shown.kept.forget_values();
        for held in &mut shown.entries {
            if let Some(other) = entry(held) {
                *held = Arc::new(other);
            }
        }
        for text in shown.documents.values_mut() {
            if let Some(other) = document(text) {
                *text = other;
            }
        }
        shown
    }
}

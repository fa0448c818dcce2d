//! What was made of a record and need not be made again: of each entry, and of the whole as it stood
//! last. It follows from the record alone, so it is not part of it.

use std::{
    any::Any,
    sync::{Arc, Mutex, PoisonError},
};

type Value = Arc<dyn Any + Send + Sync>;
/// A record as it stood at an answer, and at what last happened before a request.
type At = (u64, Option<usize>);

#[derive(Debug, Default)]
pub(crate) struct DerivedCache {
    /// What was made of each entry.
    parsed: Vec<Mutex<Option<Value>>>,
    /// What was made of the whole, last.
    made: Mutex<Option<(At, Value)>>,
}

impl DerivedCache {
    /// One more entry.
    pub(crate) fn add_entry(&mut self) {
        self.parsed.push(Mutex::default());
    }

    /// What `parse` made of entry `seq` when it was first asked for.
    pub(crate) fn parse_once<T: Send + Sync + 'static>(&self, seq: u64, parse: impl FnOnce() -> T) -> Arc<T> {
        let Some(slot) = self.parsed.get(seq as usize) else { return Arc::new(parse()) };
        if let Some(value) = read_slot(slot).and_then(|value| value.downcast::<T>().ok()) {
            return value;
        }
        let value = Arc::new(parse());
        fill_slot(slot, value.clone());
        value
    }

    /// What `make` made of the whole as it stood at `at`, or makes now.
    pub(crate) fn derive_once<T: Send + Sync + 'static>(&self, at: At, make: impl FnOnce() -> T) -> Arc<T> {
        let last = read_slot(&self.made).filter(|(of, _)| *of == at);
        if let Some(value) = last.and_then(|(_, value)| value.downcast::<T>().ok()) {
            return value;
        }
        let value = Arc::new(make());
        fill_slot(&self.made, (at, value.clone()));
        value
    }
}

/// A copy knows what was made of each entry, so that the thread that draws it need not do so again.
impl Clone for DerivedCache {
    fn clone(&self) -> Self {
        let parsed = self.parsed.iter().map(|slot| Mutex::new(read_slot(slot))).collect();
        Self { parsed, made: Mutex::new(read_slot(&self.made)) }
    }
}

fn read_slot<T: Clone>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn fill_slot<T>(slot: &Mutex<Option<T>>, value: T) {
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
}

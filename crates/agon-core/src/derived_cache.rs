//! What was made of a record and need not be made again: of each entry, and of the whole as it stood
//! last. It follows from the record alone, so it is not part of it.

use std::{
    any::Any,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

type DerivedValue = Arc<dyn Any + Send + Sync>;
/// A record as it stood at an answer, and at what last happened before a request.
type At = (u64, Option<usize>);

#[derive(Debug, Default)]
pub(crate) struct DerivedCache {
    /// What was made of each entry, one value of a type: rules and prompts make different ones of the same answer.
    parsed: Vec<Mutex<Vec<DerivedValue>>>,
    /// Which entries are rulings that a step has compared with what the script says. A record only grows, and a step
    /// depends on nothing else, so one comparison is enough.
    confirmed: Vec<AtomicBool>,
    /// What was made of the whole, last.
    made: Mutex<Option<(At, DerivedValue)>>,
}

impl DerivedCache {
    /// One more entry.
    pub(crate) fn add_entry(&mut self) {
        self.parsed.push(Mutex::default());
        self.confirmed.push(AtomicBool::default());
    }

    /// Forgets what was made of entries that are shown otherwise from now on.
    pub(crate) fn forget_values(&mut self) {
        self.parsed.iter_mut().for_each(|slot| *slot = Mutex::default());
        self.made = Mutex::default();
    }

    /// Whether the ruling in entry `seq` was found to be what the script says, by an earlier step over this very record.
    pub(crate) fn is_confirmed(&self, seq: u64) -> bool {
        self.confirmed.get(seq as usize).is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    pub(crate) fn mark_confirmed(&self, seq: u64) {
        if let Some(flag) = self.confirmed.get(seq as usize) {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// What `parse` made of entry `seq` when it was first asked for.
    pub(crate) fn parse_once<T: Send + Sync + 'static>(&self, seq: u64, parse: impl FnOnce() -> T) -> Arc<T> {
        let Some(slot) = self.parsed.get(seq as usize) else { return Arc::new(parse()) };
        if let Some(value) = read_slot(slot).into_iter().find_map(|value| value.downcast::<T>().ok()) {
            return value;
        }
        // The slot is free meanwhile: what parses may ask for other things of the same entry.
        let value = Arc::new(parse());
        slot.lock().unwrap_or_else(PoisonError::into_inner).push(value.clone());
        value
    }

    /// What `make` made of the whole as it stood at `at`, or makes now.
    pub(crate) fn derive_once<T: Send + Sync + 'static>(&self, at: At, make: impl FnOnce() -> T) -> Arc<T> {
        let last = read_slot(&self.made).filter(|(of, _)| *of == at);
        if let Some(value) = last.and_then(|(_, value)| value.downcast::<T>().ok()) {
            return value;
        }
        let value = Arc::new(make());
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some((at, value.clone()));
        value
    }
}

/// A copy knows what was made and compared already, so that the thread that draws it need not do so again.
impl Clone for DerivedCache {
    fn clone(&self) -> Self {
        Self {
            parsed: self.parsed.iter().map(|slot| Mutex::new(read_slot(slot))).collect(),
            confirmed: self.confirmed.iter().map(|flag| flag.load(Ordering::Relaxed).into()).collect(),
            made: Mutex::new(read_slot(&self.made)),
        }
    }
}

fn read_slot<T: Clone>(slot: &Mutex<T>) -> T {
    slot.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn what_rules_and_prompts_make_of_one_entry_is_made_once_each() {
        let mut cache = DerivedCache::default();
        cache.add_entry();
        let times = Cell::new(0);
        for _ in 0..3 {
            let count = |value| {
                times.set(times.get() + 1);
                value
            };
            assert_eq!(*cache.parse_once(0, || count(7)), 7);
            assert_eq!(*cache.parse_once(0, || Some(count(8))), Some(8));
        }
        assert_eq!(times.get(), 2);
    }
}

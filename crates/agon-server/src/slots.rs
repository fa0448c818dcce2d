//! Places that are counted by key and given back by themselves.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

/// How many places are taken of each key. Clones share the counts; a key without a place is forgotten.
#[derive(Debug)]
pub(crate) struct PlaceCounts<K>(Arc<Mutex<HashMap<K, u32>>>);

/// One place of each of its keys, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct TakenPlaces<K: Copy + Eq + Hash> {
    counts: PlaceCounts<K>,
    keys: Vec<K>,
}

impl<K> Default for PlaceCounts<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Copy + Eq + Hash> PlaceCounts<K> {
    /// Takes a place of each of `keys`; `None` if `most` are taken of one of them.
    pub fn take_places(&self, keys: Vec<K>, most: u32) -> Option<TakenPlaces<K>> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.iter().any(|key| counts.get(key).is_some_and(|count| *count >= most)) {
            return None;
        }
        for key in &keys {
            *counts.entry(*key).or_default() += 1;
        }
        Some(TakenPlaces { counts: Self(Arc::clone(&self.0)), keys })
    }

    /// Whether no place is taken.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

impl<K: Copy + Eq + Hash> Drop for TakenPlaces<K> {
    fn drop(&mut self) {
        let mut counts = self.counts.0.lock().unwrap_or_else(PoisonError::into_inner);
        for key in &self.keys {
            if let Some(count) = counts.get_mut(key) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(key);
                }
            }
        }
    }
}

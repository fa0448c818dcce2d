//! Plausible text that follows from a seed.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

/// A beginning, a middle and an end of a sentence in each line, with a tab between them.
const SENTENCES: &str = include_str!("prose.txt");
const SENTENCES_COUNT: u64 = 12;

/// Splitmix64: small, and the same everywhere.
#[derive(Debug, Clone)]
pub struct Prose(u64);

impl Prose {
    /// Text that follows from `seed` alone.
    pub fn new(seed: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        Self(hasher.finish())
    }

    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The beginning, the middle or the end of some sentence.
    fn choose_part(&mut self, part: usize) -> &'static str {
        let line = SENTENCES.lines().nth((self.next_number() % SENTENCES_COUNT) as usize);
        line.and_then(|line| line.split('\t').nth(part)).unwrap_or_default()
    }

    /// `count` sentences.
    pub fn write_sentences(&mut self, count: usize) -> String {
        let one = |prose: &mut Self| {
            let [subject, verb, object] = [0, 1, 2].map(|part| prose.choose_part(part));
            format!("{subject} {verb} {object}, in {} of 100 cases.", prose.next_number() % 90 + 5)
        };
        (0..count).map(|_| one(self)).collect::<Vec<_>>().join(" ")
    }

    /// `value` with its free strings replaced by text of this seed; what `schema` enumerates or
    /// fixes stays.
    pub fn vary_strings(&mut self, value: &mut Value, schema: &Value) {
        if ["enum", "const", "anyOf"].iter().any(|fixes| schema.get(fixes).is_some()) {
            return;
        }
        if value.is_string() {
            let limit = schema["maxLength"].as_u64().unwrap_or(u64::MAX) as usize;
            *value = self.write_sentences(2).chars().take(limit).collect::<String>().into();
        }
        for item in value.as_array_mut().into_iter().flatten() {
            self.vary_strings(item, &schema["items"]);
        }
        for (name, field) in value.as_object_mut().into_iter().flatten() {
            self.vary_strings(field, &schema["properties"][name.as_str()]);
        }
    }
}

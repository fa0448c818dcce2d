//! Plausible text that follows from a seed.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

const SUBJECTS: [&str; 12] = [
    "The measured cost",
    "A team of eight",
    "What the record shows",
    "The strongest objection",
    "Every reversal so far",
    "A careful reader",
    "The second proposal",
    "Our own experience",
    "The burden of proof",
    "A smaller first step",
    "The price of waiting",
    "Most of the evidence",
];
const VERBS: [&str; 12] = [
    "points towards",
    "rules out",
    "depends on",
    "says little about",
    "outweighs",
    "is explained by",
    "cannot be separated from",
    "follows from",
    "was tested against",
    "stands or falls with",
    "contradicts",
    "leaves room for",
];
const OBJECTS: [&str; 12] = [
    "a decision that can be undone within a quarter",
    "what newcomers find when they look it up",
    "the two figures that both sides accept",
    "habits that nobody has written down yet",
    "a narrower claim with a clear test",
    "the delay that reviewers complained of",
    "an exception that swallows the rule",
    "the work of those who were not asked",
    "savings that appear only in the third year",
    "a comparison with the alternative at hand",
    "risks that grow with every month of silence",
    "the part of the motion that matters most",
];

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

    fn one_of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[(self.next_number() % words.len() as u64) as usize]
    }

    /// `count` sentences.
    pub fn write_sentences(&mut self, count: usize) -> String {
        let one = |prose: &mut Self| {
            let (subject, verb, object) = (prose.one_of(&SUBJECTS), prose.one_of(&VERBS), prose.one_of(&OBJECTS));
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

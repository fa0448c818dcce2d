//! The texts of a statement: those that cite pages, and the same with what rests on pages that never were
//! taken out.

use std::sync::Arc;

use super::{
    declaration::{Ask, FieldKind},
    form::{self, FormStatement},
};
use crate::common::verification::{self, CitedPlace, SourceCheck};

impl FormStatement {
    /// Its passages that cite pages.
    pub(super) fn find_cited_passages(&self, ask: &Ask) -> Vec<CitedPlace> {
        verification::cited_in(self.clone().texts_mut(ask))
    }

    /// The texts that a seat wrote, by their fields; prose has no name. A word that was chosen is the
    /// file's.
    fn texts_mut(&mut self, ask: &Ask) -> Vec<(String, &mut String)> {
        if ask.fields.is_empty() {
            return vec![(String::new(), &mut self.text)];
        }
        let is_text = |name: &String| ask.find_field(name).is_some_and(|field| field.kind == FieldKind::Text);
        let texts = self.values.iter_mut().flat_map(|(name, value)| {
            let (is_list, is_written) = (value.is_array(), value.is_array() || is_text(name));
            let texts = form::texts_mut(value).into_iter().enumerate().filter(move |_| is_written);
            texts.map(move |(i, text)| (if is_list { format!("{name}[{i}]") } else { name.clone() }, text))
        });
        texts.collect()
    }

    /// The same with every text as `change` makes it of its name and its words.
    pub(super) fn with_texts(&self, ask: &Ask, change: impl Fn(&str, &str) -> String) -> Self {
        let mut changed = self.clone();
        for (name, text) in changed.texts_mut(ask) {
            *text = change(&name, text);
        }
        if !changed.values.is_empty() {
            changed.text = form::format_fields(&changed.values);
        }
        changed
    }
}

/// `given` without what rests on pages that never were, and with what its pages do not bear out
/// labelled as conjecture.
pub(super) fn apply_source_checks(ask: &Ask, given: &Arc<FormStatement>, found: &[SourceCheck]) -> Arc<FormStatement> {
    match found.iter().any(|found| found.describe_fault().is_some()) {
        true => given.with_texts(ask, |name, text| verification::marked_of(name, text, found)).into(),
        false => Arc::clone(given),
    }
}

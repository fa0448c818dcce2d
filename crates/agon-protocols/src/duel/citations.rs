//! Claims and support of a turn that cite pages, and the consequences of checking them.

use std::sync::Arc;

use super::turn::Contribution;
use crate::common::verification::{self, CitedPlace, SourceCheck};

/// The places of a turn that cite pages: claims and entries of support.
pub fn collect_turn_citations(said: &Contribution) -> Vec<CitedPlace> {
    let mut said = said.clone();
    verification::collect_cited_places(said.citable_texts_mut().into_iter().map(|(at, words)| (at, words.as_str())))
}

impl Contribution {
    /// Every claim and every entry of support, with its path in the draft.
    pub(super) fn citable_texts_mut(&mut self) -> Vec<(String, &mut String)> {
        fn support_entries(path: String, support: &mut [String]) -> impl Iterator<Item = (String, &mut String)> {
            support.iter_mut().enumerate().map(move |(i, entry)| (format!("{path}[{i}]"), entry))
        }
        let mut all = vec![("position".to_owned(), &mut self.position)];
        let points = self.counterpoints.iter_mut().enumerate().map(|(i, point)| (format!("counterpoints[{i}]"), point));
        for (path, claim) in points.chain([("novel_argument".to_owned(), &mut self.novel)]) {
            all.push((format!("{path}.claim"), &mut claim.claim));
            all.extend(support_entries(format!("{path}.support"), &mut claim.support));
        }
        all.extend(support_entries("stance_revision_support".to_owned(), &mut self.stance_support));
        all
    }

    /// The same without what rests on a page that never was, and with what its page does not bear out
    /// labelled as conjecture.
    pub fn apply_source_checks(self: Arc<Self>, found: &[SourceCheck]) -> Arc<Self> {
        if !found.iter().any(|found| found.describe_fault().is_some()) {
            return self;
        }
        let mut judged = Self::clone(&self);
        for (at, words) in judged.citable_texts_mut() {
            verification::mark_words(words, &at, found);
        }
        Arc::new(judged)
    }
}

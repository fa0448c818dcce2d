//! Support of a turn that cites pages, and what follows from what was found there.

use std::sync::Arc;

use super::turn::Contribution;
use crate::common::verification::{self, Cited, Found, Status};

/// The entries of support that cite pages.
pub fn cited(said: &Contribution) -> Vec<Cited> {
    let mut all = Vec::new();
    for (path, support) in said.clone().supports() {
        for (i, entry) in support.iter().enumerate() {
            let urls = verification::addresses(entry);
            if !urls.is_empty() {
                all.push(Cited { at: format!("{path}[{i}]"), content: entry.clone(), urls });
            }
        }
    }
    all
}

impl Contribution {
    /// Every list of support, with its path in the draft.
    fn supports(&mut self) -> Vec<(String, &mut Vec<String>)> {
        let points = self.counterpoints.iter_mut().enumerate();
        let points = points.map(|(i, point)| (format!("counterpoints[{i}].support"), &mut point.support));
        let novel = ("novel_argument.support".to_owned(), &mut self.novel.support);
        points.chain([novel, ("stance_revision_support".to_owned(), &mut self.stance_support)]).collect()
    }

    /// The same without support whose page never was, and with what its page does not bear out labelled
    /// as conjecture.
    pub fn judged(self: Arc<Self>, found: &[Found]) -> Arc<Self> {
        if !found.iter().any(|found| found.fault().is_some()) {
            return self;
        }
        let mut judged = Self::clone(&self);
        for (path, support) in judged.supports() {
            for (i, entry) in support.iter_mut().enumerate() {
                let at = format!("{path}[{i}]");
                let worst = found.iter().filter(|found| found.at == at && found.fault().is_some());
                match worst.map(|found| found.status).max() {
                    Some(Status::Fabricated) => *entry = verification::STRUCK.to_owned(),
                    Some(_) if !entry.starts_with(verification::CONJECTURE) => {
                        *entry = format!("{} {entry}", verification::CONJECTURE);
                    }
                    _ => {}
                }
            }
        }
        Arc::new(judged)
    }
}

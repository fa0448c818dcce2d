//! What may no longer be shown: redacted words, and whatever quotes them.

use agon_core::{Key, View};

use super::{
    speech::{REDACTED, Speech, extract_quotations, to_plain_line},
    state::Panel,
};

impl Panel {
    /// Takes redacted words out of what quotes them.
    pub(super) fn redact_quotes(&mut self, view: &View<'_>, hidden: &[Speech]) {
        let is_hidden = |key: &Key| view.is_redacted(key);
        let blank = |text: &mut String| {
            for quoted in extract_quotations(text) {
                if hidden.iter().any(|speech| speech.has_quote(&quoted)) {
                    *text = to_plain_line(text).replace(&quoted, REDACTED);
                }
            }
        };
        let whole = |text: &mut String| *text = REDACTED.to_owned();
        let analysis = self.analysed.as_ref().is_some_and(|analysed| is_hidden(&analysed.of));
        let weighing = self.weighed.as_ref().is_some_and(|weighed| is_hidden(&weighed.of));
        if let Some(analysed) = self.analysed.as_mut().filter(|_| analysis) {
            whole(&mut analysed.shared);
            analysed.agreements.iter_mut().for_each(whole);
        }
        let count = self.analysed.as_ref().map_or(0, |analysed| analysed.disagreements.len());
        for (i, about) in self.disagreements.iter_mut().enumerate() {
            let gone = if i < count { analysis } else { weighing };
            if gone {
                whole(&mut about.topic);
            }
            for claim in &mut about.claims {
                if gone || hidden.iter().any(|speech| speech.has_quote(&claim.quote)) {
                    whole(&mut claim.quote);
                }
            }
        }
        for exchange in &mut self.exchanges {
            blank(&mut exchange.asked.question);
            if is_hidden(&exchange.asked.of) {
                whole(&mut exchange.asked.question);
            }
            exchange.notes.iter_mut().for_each(|note| blank(&mut note.text));
            let Some(found) = &mut exchange.found else { continue };
            let review = is_hidden(&found.of);
            for read in found.claims_mut() {
                if review || hidden.iter().any(|speech| speech.has_quote(&read.reading.quote)) {
                    whole(&mut read.reading.quote);
                }
            }
            if review {
                exchange.notes.iter_mut().for_each(|note| whole(&mut note.text));
            }
        }
    }
}

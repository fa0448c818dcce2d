//! Faults that do not make a turn unusable, all of them counted or compared: some are quoted to the author once, some
//! become warnings, and two become rulings.

use agon_core::Faults;
use agon_text::count_words;

use super::{
    conduct::ConductRuling,
    rule::{Conduct, RulingVerdict},
    source::SOURCES_MAX,
    statement::DebaterStatement,
    turn::{DebatePart, TurnRules},
};

/// Maximum number of words of a framework's name: it is to be called by it.
const FRAMEWORK_WORDS_MAX: usize = 4;

impl TurnRules<'_> {
    /// `said` without a framework whose name is too long: a fault until its author was `told`.
    pub fn check_framework(&self, mut said: DebaterStatement, told: bool) -> Result<DebaterStatement, Faults> {
        let is_name = |name: &str| (1..=FRAMEWORK_WORDS_MAX).contains(&count_words(name));
        if said.framework.as_ref().is_none_or(|(name, _)| is_name(name)) {
            return Ok(said);
        }
        said.framework = None;
        let message = format!(
            "a framework has a short name, of one to {FRAMEWORK_WORDS_MAX} words, then a colon and one sentence about it; leave it empty if you bring in none"
        );
        if told { Ok(said) } else { Err(Faults::one("framework", "framework", message)) }
    }

    /// What stands and should not: L8 (too many sources), L18 (new sources in a closing), entries that are too long,
    /// and, in an answer that was `redrafted`, copies: in a first one they are faults.
    pub fn find_slips(&self, said: &DebaterStatement, redrafted: bool) -> Vec<Slip> {
        let mut slips: Vec<Slip> = Vec::new();
        let cited = |url: &str| self.log.0.iter().any(|l| l.visible_sources().iter().any(|s| s.source == url));
        for (i, entry) in said.entries.iter().enumerate() {
            let mut slip = |code: &str, rule: Option<u32>, text: String| {
                let warning = format!("{code}: entry {}: {text}", i + 1);
                slips.push(Slip { warning, ruling: rule.map(|rule| (i, rule, text)) });
            };
            let cites = entry.cited_addresses(self.log, self.speaker).len();
            if cites > SOURCES_MAX {
                let more = cites - SOURCES_MAX;
                slip("L8", Some(16), format!("{more} of its sources are noted and not verified"));
            }
            if let Some(new) = entry.sources.iter().find(|s| self.part == DebatePart::Closing && !cited(&s.source)) {
                slip("L18", Some(4), format!("It brings a new source into the closing: {}", new.source));
            }
            let (count, (_, most)) = (count_words(&entry.content), self.part.word_bounds());
            if count > most {
                slip("length", None, format!("has {count} words; at most {most} are wanted"));
            }
        }
        // Comparing with everything said is costly, and a script runs again at every step.
        if redrafted {
            let copies = self.find_copies(said).0;
            slips.extend(copies.iter().map(|copy| Slip { warning: copy.to_string(), ruling: None }));
        }
        slips
    }
}

/// Something that stands and should not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// As a warning on the record.
    pub warning: String,
    /// The entry, the rule of the debate that it breaks, and how, where it breaks one.
    ruling: Option<(usize, u32, String)>,
}

impl Slip {
    /// The chair's warning, given the numbers of the entries in the log.
    pub(super) fn warning_ruling(&self, seqs: &[u64]) -> Option<ConductRuling> {
        let (entry, rule, reason) = self.ruling.clone()?;
        let conduct = Conduct::without_quote(*seqs.get(entry)?, rule, RulingVerdict::Warning);
        Some(ConductRuling { conduct, reason })
    }
}

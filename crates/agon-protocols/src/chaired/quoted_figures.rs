//! Figures of entries and what they stand in (conduct rules 11 and 24). An entry with sources that has a figure from
//! nowhere goes back once; then it stands, with its figures listed for the chair and for readers.

use std::collections::BTreeMap;

use agon_core::{Citation, Faults};

use super::{
    log::{DebateLog, Logged},
    statement::DebaterStatement,
    turn::{CONJECTURE, TurnRules},
};
use crate::common::unsourced::KnownFigures;

/// The rule that faults name.
pub const RULE: &str = "L24";

impl TurnRules<'_> {
    /// `said`, or the figures and calculations of it that stand on nothing: a fault until its author was `told`.
    pub fn check_figures(&self, said: DebaterStatement, motion: &str, told: bool) -> Result<DebaterStatement, Faults> {
        if told {
            return Ok(said);
        }
        let mut known = KnownFigures::of([motion]);
        self.log
            .0
            .iter()
            .filter(|logged| logged.struck.is_none())
            .for_each(|logged| add_known_figures(&mut known, logged));
        said.entries.iter().flat_map(|entry| &entry.sources).for_each(|source| known.add(&source.quote));
        let mut faults = Faults::default();
        for (i, entry) in said.entries.iter().enumerate() {
            let is_guess = entry.content.starts_with(CONJECTURE);
            for source in entry.sources.iter().filter(|_| !is_guess) {
                if let Err(why) = known.add_calculations(&source.calculation) {
                    let message = format!("the calculation {:?} does not hold: {why}", source.calculation);
                    faults.add(RULE, format!("entries[{i}].sources"), message);
                }
            }
            let is_sourced = entry.kind.is_argument() && !entry.cited_addresses(self.log, self.speaker).is_empty();
            if is_sourced && !is_guess {
                let listed = known.list_unsourced(&entry.content);
                if !listed.is_empty() {
                    faults.add(RULE, format!("entries[{i}].content"), describe_unsourced(&listed));
                }
            }
            known.add(&entry.content);
        }
        faults.into_result(said)
    }
}

fn describe_unsourced(listed: &[&str]) -> String {
    format!(
        "these figures stand in no quotation of the entry, in no calculation, and in no earlier entry: {}. \
         Quote the words of a page that have them, calculate them from quoted figures, leave them out, \
         or begin the entry with {CONJECTURE}",
        listed.join(", ")
    )
}

fn add_known_figures(known: &mut KnownFigures, logged: &Logged) {
    known.add(&logged.visible_content());
    add_cited_figures(known, logged);
}

/// The figures of the quotations of an entry, and then what is calculated from them: a calculation may stand at any source.
fn add_cited_figures(known: &mut KnownFigures, logged: &Logged) {
    logged.visible_sources().iter().for_each(|Citation { quote, .. }| known.add(quote));
    for Citation { calculation, .. } in logged.visible_sources() {
        // One that does not hold makes nothing known.
        let _ = known.add_calculations(calculation);
    }
}

/// The figures of each argument that stand in none of its quotations and calculations, nor in the motion or an entry
/// before it, by the number of the entry.
pub fn find_unsourced(motion: &str, log: &DebateLog) -> BTreeMap<u64, Vec<String>> {
    let mut known = KnownFigures::of([motion]);
    let mut all = BTreeMap::new();
    for logged in log.0.iter().filter(|logged| logged.struck.is_none()) {
        if logged.item.kind.is_argument() {
            let mut own = known.clone();
            add_cited_figures(&mut own, logged);
            let content = logged.visible_content();
            let listed: Vec<String> = own.list_unsourced(&content).into_iter().map(str::to_owned).collect();
            if !listed.is_empty() {
                all.insert(logged.item.seq, listed);
            }
        }
        add_known_figures(&mut known, logged);
    }
    all
}

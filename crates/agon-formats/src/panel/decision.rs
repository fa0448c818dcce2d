//! What would change the status of a panel, by the function that computes it, and what it did not settle.

use agon_core::View;
use agon_protocols::panel::{
    disagreement::{Disagreement, DisagreementState, PanelStatus},
    state::Panel,
};

use super::{graph::find_claim_holder, state_word};
use crate::{
    first_page::{Sentence, quote::QuotedEntries},
    graph::Graph,
};

/// Disagreements that are named.
const NAMED_MAX: usize = 3;

/// Disagreements whose state decides the status.
pub(super) fn list_decisive_points(entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
    let panel = Panel::of(&View::of_whole_record(entries.record));
    let now = panel.status();
    let told = panel.disagreements.iter().enumerate().filter_map(|(at, about)| {
        let (instead, what) = match about.state {
            DisagreementState::Converged => (DisagreementState::Unresolved, "had not converged"),
            DisagreementState::Active | DisagreementState::Deadlocked | DisagreementState::Unresolved => {
                (DisagreementState::Converged, "had converged")
            }
        };
        let states = panel.disagreements.iter().enumerate();
        let then = PanelStatus::of(states.map(|(other, about)| if other == at { instead } else { about.state }));
        let text =
            format!("If {} ({}) {what}, the panel would be {}.", about.id, about.topic, then.title().to_lowercase());
        (then != now).then(|| Sentence::new(find_claim_seq(entries, &panel, graph, about, 0), text))
    });
    let told: Vec<Sentence> = told.take(NAMED_MAX).collect();
    match (told.is_empty(), panel.disagreements.len()) {
        (true, 0) => {
            let text = "Nobody disagreed: one claim that another rejects would leave the panel unresolved.";
            vec![Sentence::new(entries.end_seq(), text)]
        }
        (true, _) => {
            let stays = now.title().to_lowercase();
            let text = format!(
                "No single disagreement decides: each of them could end otherwise, and the panel stays {stays}."
            );
            vec![Sentence::new(entries.end_seq(), text)]
        }
        (false, _) => told,
    }
}

/// Both sides of each disagreement that did not converge, in their words.
pub(super) fn list_open_points(entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
    let panel = Panel::of(&View::of_whole_record(entries.record));
    let left = panel.disagreements.iter().filter(|about| about.state != DisagreementState::Converged);
    let told = left.take(NAMED_MAX).flat_map(|about| {
        let state = state_word(about.state);
        let each = about.claims.iter().enumerate().filter_map(|(at, claim)| {
            let seq = find_claim_seq(entries, &panel, graph, about, at);
            let text = format!("{} ({}), {state}. {}:", about.id, about.topic, panel.panelist_name(&claim.seat));
            entries.quote_entry(seq, text, &claim.quote)
        });
        each.collect::<Vec<_>>()
    });
    told.collect()
}

/// The entry of the claim number `at` of a disagreement.
fn find_claim_seq(entries: &QuotedEntries<'_>, panel: &Panel, graph: &Graph, about: &Disagreement, at: usize) -> u64 {
    let held = find_claim_holder(panel, &about.claims[at]).and_then(|place| graph.statements.get(place));
    held.map_or(entries.end_seq(), |statement| statement.seq)
}

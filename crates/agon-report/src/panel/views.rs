//! What reports, pages and other commands show of a panel.

use agon_core::{Record, Seat, View};
use agon_protocols::panel::{
    answer_effect::{AnswerEffect, ClaimReading, Deadlock},
    disagreement::{Claim, Disagreement, DisagreementState, PanelStatus},
    panelist_prose::PanelTurn,
    state::{Examination, Panel},
};
use agon_text::count_noun;

use super::{basis, html, state_word};
use crate::{
    cited_source::{CitedSource, collect_prose_sources},
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, MOVED, Relation, answer_seq, shorten_text},
    page::part::PagePart,
    report::{Table, part::TURNING_CHARS_MAX},
    views::Views,
};

/// Disagreements that are named.
const NAMED_MAX: usize = 3;

/// The views of a panel.
pub(super) struct PanelViews;

impl Views for PanelViews {
    /// Openings and answers. The claims of a disagreement attack each other; an answer meets the other side of the
    /// disagreement it was asked about, unless the moderator heard it come round. Agreement that the moderator names
    /// of nobody in particular is not an edge.
    fn build_graph(&self, record: &Record) -> Graph {
        let view = View::of_whole_record(record);
        let panel = Panel::from_view(&view);
        let sides = panel.panelists.iter().map(|panelist| panelist.name.clone()).collect();
        let mut graph = Graph { sides, ..Graph::default() };
        for (at, turn) in panel.said.0.iter().enumerate() {
            let side = panel.panelists.iter().position(|panelist| panelist.seat == turn.seat).unwrap_or(0);
            let round = turn.round;
            let challenge = round == 0 && panel.valves.iter().any(|valve| valve.key == turn.key);
            let (id, when) = match (round, challenge) {
                (0, true) => (format!("challenge-{at}"), "Challenge".to_owned()),
                (0, false) => (format!("opening-{}", side + 1), "Opening".to_owned()),
                (round, _) => (format!("round-{round}"), format!("Round {round}")),
            };
            let text = (!view.is_redacted(&turn.key)).then(|| turn.speech.text.clone());
            let before = graph.statements.last().map_or(0, |last| last.step);
            let same = round == 0 && !challenge;
            let step = if same { 0 } else { before + 1 };
            let statement = graph.add_statement(id, answer_seq(record, &turn.key), side, (step, when), text);
            statement.speaker = panel.panelist_name(&turn.seat).to_owned();
        }
        link_disagreements(&mut graph, &panel);
        for exchange in &panel.exchanges {
            link_answer(&mut graph, &panel, exchange);
        }
        graph
    }

    fn list_stated_answers(&self, record: &Record) -> Vec<StatedAnswer> {
        basis::list_stated_answers(record)
    }

    fn collect_answer_basis(&self, record: &Record) -> AnswerBasis {
        basis::collect_answer_basis(record)
    }

    fn page_parts(&self, record: &Record, basis: &AnswerBasis) -> Vec<PagePart> {
        html::build_page_parts(record, basis)
    }

    fn list_cited_sources(&self, record: &Record, _: &Graph) -> Vec<CitedSource> {
        let panel = Panel::from_view(&View::of_whole_record(record));
        let mut all = Vec::new();
        for turn in &panel.said.0 {
            let when = if turn.round == 0 { "before round 1".to_owned() } else { format!("round {}", turn.round) };
            let of = format!("{}, {when}", panel.panelist_name(&turn.seat));
            all.extend(collect_prose_sources(&of, &turn.speech.text, &turn.speech.sources));
        }
        all
    }

    fn build_disagreement_table(&self, record: &Record) -> Option<Table> {
        let panel = Panel::from_view(&View::of_whole_record(record));
        let rows = panel.disagreements.iter().map(|about| {
            let [one, other] =
                about.claims.each_ref().map(|claim| format!("{}: “{}”", panel.panelist_name(&claim.seat), claim.quote));
            let state = state_word(about.state);
            let read = panel.reading_line(about).map(|line| format!(" ({line})")).unwrap_or_default();
            vec![about.id.clone(), about.topic.clone(), one, other, format!("{state}{read}")]
        });
        build_text_table("Disagreements", ["", "About", "One side", "The other", "Now"], rows.collect())
    }

    /// Questions that were answered, and the one that is.
    fn current_round(&self, record: &Record) -> Option<u32> {
        let panel = Panel::from_view(&View::of_whole_record(record));
        let is_open = panel.exchanges.last().is_some_and(|exchange| exchange.answer.is_none());
        Some(panel.count_answers() + u32::from(is_open)).filter(|round| *round > 0)
    }

    /// On how many points the panel agrees, and what became of its disagreements.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let panel = Panel::from_view(&View::of_whole_record(record));
        let agreements = panel.analysed.as_ref()?.agreements.len();
        let counts = ["open", "converged", "deadlocked", "unresolved"].map(|word| {
            let count = panel.disagreements.iter().filter(|about| state_word(about.state) == word).count();
            (count > 0).then(|| format!("{count} {word}"))
        });
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let disagreements = match counts.is_empty() {
            true => "no disagreement".to_owned(),
            false => format!("disagreements: {}", counts.join(", ")),
        };
        Some(format!("{}; {disagreements}", count_noun(agreements, "agreement", "agreements")))
    }

    fn decided_by(&self) -> &'static str {
        "the status follows from what became of each disagreement"
    }

    /// Disagreements whose state decides the status, by the function that computes it.
    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        let panel = Panel::from_view(&View::of_whole_record(entries.record));
        let now = panel.status();
        let told = panel.disagreements.iter().enumerate().filter_map(|(at, about)| {
            let (instead, what) = match about.state {
                DisagreementState::Converged => (DisagreementState::Unresolved, "had not converged"),
                _ => (DisagreementState::Converged, "had converged"),
            };
            let states = panel.disagreements.iter().enumerate();
            let then =
                PanelStatus::from_states(states.map(|(other, about)| if other == at { instead } else { about.state }));
            let (id, topic, status) = (&about.id, &about.topic, then.title().to_lowercase());
            let text = format!("If {id} ({topic}) {what}, the panel would be {status}.");
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
    fn open_points(&self, entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        let panel = Panel::from_view(&View::of_whole_record(entries.record));
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

    /// Who moved towards whom and what was new by then: a move that nothing new came before is agreement
    /// without a reason that anyone heard.
    fn build_move_table(&self, record: &Record) -> Option<Table> {
        let panel = Panel::from_view(&View::of_whole_record(record));
        let mut rows = Vec::new();
        for (at, exchange) in panel.exchanges.iter().enumerate() {
            let (Some(found), Some(answer)) = (&exchange.found, &exchange.answer) else { continue };
            let mover = &exchange.asked.seat;
            let since = panel.exchanges[..at].iter().rposition(|earlier| earlier.asked.seat == *mover);
            let heard = panel.exchanges[since.map_or(0, |last| last + 1)..=at].iter();
            let new = heard.filter_map(|exchange| exchange.found.as_ref()).flat_map(|found| &found.new_evidence);
            let new: Vec<&str> = new.map(String::as_str).collect();
            let new = match new.is_empty() {
                true => "nothing new had been brought".to_owned(),
                false => shorten_text(&new.join("; "), TURNING_CHARS_MAX),
            };
            let settled = found.claims().filter_map(|read| {
                let about = panel.find_disagreement(&read.disagreement)?;
                let with = panel.panelist_name(&about.opposing_claim(mover)?.seat);
                let how = match read.settled_reading()? {
                    ClaimReading::GivesUp => format!("agreed, towards {with}"),
                    _ => format!("took back the agreement with {with}"),
                };
                Some((how, about.topic.as_str()))
            });
            let shift = found
                .shift
                .iter()
                .map(|shift| (format!("moved, towards {}", panel.panelist_name(&shift.toward)), shift.on.as_str()));
            for (how, on) in settled.chain(shift) {
                rows.push(vec![
                    format!("round {}", answer.round),
                    panel.panelist_name(mover).to_owned(),
                    how,
                    shorten_text(on, TURNING_CHARS_MAX),
                    new.clone(),
                ]);
            }
        }
        let caption = "Changes of stance, and what was new since the one who moved last spoke";
        build_text_table(caption, ["When", "Who", "How", "On", "New evidence by then"], rows)
    }
}

/// A table of texts; none without rows.
fn build_text_table(caption: &str, columns: [&str; 5], rows: Vec<Vec<String>>) -> Option<Table> {
    Table::new(caption, &columns, &[], rows).if_filled()
}

/// The entry of the claim number `at` of a disagreement.
fn find_claim_seq(entries: &QuotedEntries<'_>, panel: &Panel, graph: &Graph, about: &Disagreement, at: usize) -> u64 {
    let held = find_claim_holder(panel, &about.claims[at]).and_then(|place| graph.statements.get(place));
    held.map_or(entries.end_seq(), |statement| statement.seq)
}

/// The statement that holds a claim: the first in which its words stand.
fn find_claim_holder(panel: &Panel, claim: &Claim) -> Option<usize> {
    let holds = |turn: &PanelTurn| turn.seat == claim.seat && turn.speech.has_quote(&claim.quote);
    let own = |turn: &PanelTurn| turn.seat == claim.seat;
    let turns = &panel.said.0;
    turns.iter().position(holds).or_else(|| turns.iter().position(own))
}

fn link_disagreements(graph: &mut Graph, panel: &Panel) {
    for about in &panel.disagreements {
        let [Some(one), Some(other)] = about.claims.each_ref().map(|claim| find_claim_holder(panel, claim)) else {
            continue;
        };
        let text = format!("{}: {}", about.id, about.topic);
        graph.add_edge(one, other, Relation::Attack, "disagreement", &text);
        graph.add_edge(other, one, Relation::Attack, "disagreement", &text);
    }
    if let Some(found) = panel.analysed.as_ref().filter(|found| found.disagreements.is_empty()) {
        // All hold the same: each later opening supports the one before.
        let openings = (0..graph.statements.len()).filter(|at| graph.statements[*at].step == 0);
        let openings: Vec<usize> = openings.collect();
        for pair in openings.windows(2) {
            graph.add_edge(pair[1], pair[0], Relation::Support, "agreement", &found.shared);
        }
    }
}

fn link_answer(graph: &mut Graph, panel: &Panel, exchange: &Examination) {
    let Some(answer) = &exchange.answer else { return };
    let turns = &panel.said.0;
    let Some(from) = turns.iter().position(|turn| turn.key == answer.key) else { return };
    let seat = &exchange.asked.seat;
    let latest = |of: &Seat| turns[..from].iter().rposition(|turn| turn.seat == *of);
    let found = exchange.found.as_ref();
    let mut met = Vec::new();
    let gave_up = |id: &str| {
        let mut claims = found.into_iter().flat_map(AnswerEffect::claims);
        claims.any(|read| read.disagreement == id && read.settled_reading() == Some(ClaimReading::GivesUp))
    };
    for read in found.into_iter().flat_map(AnswerEffect::claims) {
        let about = panel.find_disagreement(&read.disagreement).filter(|about| gave_up(&about.id));
        let with = about.and_then(|about| about.opposing_claim(seat)).and_then(|claim| latest(&claim.seat));
        if let (Some(about), Some(to)) = (about, with) {
            graph.add_edge(from, to, Relation::Concession, "converged", &about.topic);
            met.push(to);
        }
    }
    if let Some(shift) = found.and_then(|found| found.shift.as_ref())
        && let Some(to) = latest(&shift.toward).filter(|to| !met.contains(to))
    {
        graph.add_edge(from, to, Relation::Concession, MOVED, &shift.on);
        met.push(to);
    }
    let about = panel.find_disagreement(&exchange.asked.disagreement);
    let against = about.and_then(|about| about.opposing_claim(seat)).and_then(|claim| latest(&claim.seat));
    if let Some(to) = against.filter(|to| !met.contains(to)) {
        let stuck = answer.copies.is_some() || found.is_some_and(|found| found.deadlock != Deadlock::None);
        // A restatement brings nothing against what it was asked about.
        let (relation, kind) = if stuck { (Relation::Citation, "restates") } else { (Relation::Attack, "answer") };
        graph.add_edge(from, to, relation, kind, &exchange.asked.question);
    }
    if let Some(about) = about.filter(|about| about.has_side(seat))
        && let Some(claim) = about.claims.iter().find(|claim| claim.seat == *seat)
        && let Some(to) = find_claim_holder(panel, claim)
        && !gave_up(&about.id)
    {
        graph.add_edge(from, to, Relation::Support, "own claim", &about.topic);
    }
}

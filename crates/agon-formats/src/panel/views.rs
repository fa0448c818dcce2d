//! What reports, pages and other commands show of a panel.

use agon_core::{Record, View};
use agon_protocols::panel::{finding::ClaimReading, state::Panel};

use super::{PanelFiles, basis, decision, graph, html, state_word};
use crate::{
    cited::{CitedSource, collect_prose_sources},
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, shorten_text},
    page::part::PagePart,
    report::{
        Table,
        part::{TURNING_CHARS_MAX, format_count},
    },
    views::Views,
};

impl Views for PanelFiles {
    fn build_graph(&self, record: &Record) -> Graph {
        graph::of(record)
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
        let panel = Panel::of(&View::of_whole_record(record));
        let mut all = Vec::new();
        for turn in panel.said.turns() {
            let when = if turn.round == 0 { "before round 1".to_owned() } else { format!("round {}", turn.round) };
            let of = format!("{}, {when}", panel.panelist_name(&turn.seat));
            all.extend(collect_prose_sources(&of, &turn.speech.text, &turn.speech.sources));
        }
        all
    }

    fn build_disagreement_table(&self, record: &Record) -> Option<Table> {
        let panel = Panel::of(&View::of_whole_record(record));
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
        let panel = Panel::of(&View::of_whole_record(record));
        let is_open = panel.exchanges.last().is_some_and(|exchange| exchange.answer.is_none());
        Some(panel.count_answers() + u32::from(is_open)).filter(|round| *round > 0)
    }

    /// On how many points the panel agrees, and what became of its disagreements.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let panel = Panel::of(&View::of_whole_record(record));
        let agreements = panel.analysed.as_ref()?.agreements.len();
        let words = ["open", "converged", "deadlocked", "unresolved"];
        let counts = words.map(|word| {
            let count = panel.disagreements.iter().filter(|about| state_word(about.state) == word).count();
            (count > 0).then(|| format!("{count} {word}"))
        });
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let disagreements = match counts.is_empty() {
            true => "no disagreement".to_owned(),
            false => format!("disagreements: {}", counts.join(", ")),
        };
        Some(format!("{}; {disagreements}", format_count(agreements, "agreement")))
    }

    fn decided_by(&self) -> &'static str {
        "the status follows from what became of each disagreement"
    }

    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        decision::list_decisive_points(entries, graph)
    }

    fn open_points(&self, entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        decision::list_open_points(entries, graph)
    }

    /// Who moved towards whom and what was new by then: a move that nothing new came before is agreement
    /// without a reason that anyone heard.
    fn build_move_table(&self, record: &Record) -> Option<Table> {
        let panel = Panel::of(&View::of_whole_record(record));
        let mut rows = Vec::new();
        for (at, exchange) in panel.exchanges.iter().enumerate() {
            let (Some(found), Some(answer)) = (&exchange.found, &exchange.answer) else { continue };
            let mover = &exchange.asked.seat;
            let since = panel.exchanges[..at].iter().rposition(|earlier| earlier.asked.seat == *mover);
            let heard = panel.exchanges[since.map_or(0, |last| last + 1)..=at].iter();
            let new: Vec<&str> = heard
                .filter_map(|exchange| exchange.found.as_ref())
                .flat_map(|found| found.new_evidence.iter().map(String::as_str))
                .collect();
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

//! What reports, pages and other commands show of a panel.

use std::borrow::Cow;

use agon_core::{Record, Ruling, View};
use agon_protocols::panel::{disagreement::DisagreementState, finding::ClaimReading, state::Panel};

use super::{PanelFiles, basis, decision, graph, html};
use crate::{
    cited::{CitedSource, collect_prose_sources},
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, shorten_text},
    page::part::PagePart,
    report::{
        Table,
        part::{TURNING_CHARS_MAX, build_table_head, format_count},
    },
    ruling_view::tell_ruling,
    views::Views,
};

/// Why a member has another point of view than was found for it: as the protocol says it, and for readers.
const CRITICAL_LENS: [&str; 2] =
    [": no lens of the panel was critical", ", so that one of the panel looks for what is wrong"];

impl Views for PanelFiles {
    fn build_graph(&self, record: &Record) -> Graph {
        graph::of(record)
    }

    fn ruling_text<'r>(&self, ruling: &'r Ruling) -> Cow<'r, str> {
        let [recorded, told] = CRITICAL_LENS;
        match tell_ruling(ruling) {
            text if text.contains(recorded) => text.replace(recorded, told).into(),
            text => text,
        }
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
            let state = match about.state {
                DisagreementState::Active => "open",
                DisagreementState::Converged => "converged",
                DisagreementState::Deadlocked => "deadlocked",
                DisagreementState::Unresolved => "unresolved",
            };
            let read = panel.reading_line(about).map(|line| format!(" ({line})")).unwrap_or_default();
            vec![about.id.clone(), about.topic.clone(), one, other, format!("{state}{read}")]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        (!rows.is_empty()).then(|| Table {
            caption: "Disagreements".into(),
            head: build_table_head(&[
                ("", false),
                ("About", false),
                ("One side", false),
                ("The other", false),
                ("Now", false),
            ]),
            rows,
        })
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
        let states = [
            (DisagreementState::Active, "open"),
            (DisagreementState::Converged, "converged"),
            (DisagreementState::Deadlocked, "deadlocked"),
            (DisagreementState::Unresolved, "unresolved"),
        ];
        let counts =
            states.map(|(state, word)| (panel.disagreements.iter().filter(|about| about.state == state).count(), word));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
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
        (!rows.is_empty()).then(|| Table {
            caption: "Changes of stance, and what was new since the one who moved last spoke".into(),
            head: build_table_head(&[
                ("When", false),
                ("Who", false),
                ("How", false),
                ("On", false),
                ("New evidence by then", false),
            ]),
            rows,
        })
    }
}

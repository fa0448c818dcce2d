//! What reports, pages and other commands show of critique and revision.

use agon_core::{Outcome, Record, View};
use agon_protocols::revise::{critique::Severity, names, state::ReviseState};

use super::{ReviseFiles, basis, decision, graph, html};
use crate::{
    cited::{CitedSource, collect_prose_sources},
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, humanise_name},
    page::part::PagePart,
    report::{Illustration, Table, chart, part::format_count},
    views::Views,
};

impl Views for ReviseFiles {
    fn build_graph(&self, record: &Record) -> Graph {
        graph::of(record)
    }

    fn verdict_words(&self, outcome: &Outcome) -> String {
        match outcome.name.as_str() {
            "max_rounds" => "Joined without agreement".to_owned(),
            name => humanise_name(name),
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
        let Some(state) = ReviseState::of(&View::of_whole_record(record)) else { return Vec::new() };
        let (setup, mut all) = (&state.setup, Vec::new());
        for (author, versions) in setup.authors.iter().zip(&state.versions) {
            for version in versions {
                let Some(text) = &version.text else { continue };
                let of = match version.round {
                    0 => format!("{}, first version", author.name),
                    round => format!("{}, round {round}", author.name),
                };
                all.extend(collect_prose_sources(&of, text, &version.sources));
            }
        }
        for (round, number) in state.rounds.iter().zip(1_u32..) {
            for held in round.critiques.iter().filter(|held| held.critique.is_some()) {
                let by = setup.authors.get(held.critic).map_or("", |author| author.name.as_str());
                let of = format!("{by}, critique of round {number}");
                all.extend(held.sources.iter().map(|found| CitedSource::from_check(&of, found)));
            }
        }
        let joint = state.joint.iter().flat_map(|joint| &joint.sources);
        all.extend(joint.map(|found| CitedSource::from_check(names::result_file(setup.mode), found)));
        all
    }

    fn decided_by(&self) -> &'static str {
        "the outcome follows from what the authors' critiques still object to"
    }

    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        decision::list_decisive_points(entries)
    }

    fn open_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        decision::list_open_points(entries)
    }

    fn course_title(&self) -> &'static str {
        "Weaknesses by round"
    }

    fn draw_course(&self, record: &Record, _: &Graph) -> Option<Illustration> {
        let state = ReviseState::of(&View::of_whole_record(record))?;
        let (setup, mut rows) = (&state.setup, Vec::new());
        for (round, number) in state.rounds.iter().zip(1_u32..) {
            for author in 0..setup.authors.len() {
                if !round.critiques.iter().any(|held| held.target == author) {
                    continue;
                }
                let named = state.list_weaknesses(number, author);
                let count = |severity: Severity| {
                    named.iter().filter(|(_, _, weakness)| weakness.severity == severity).count() as f64
                };
                let parts = Severity::ALL.map(count);
                rows.push(chart::Row {
                    label: format!("Round {number}: {}", setup.authors[author].name),
                    side: Some(author),
                    value: parts.iter().sum::<f64>().to_string(),
                    parts: parts.into(),
                });
            }
        }
        if rows.is_empty() {
            return None;
        }
        let said = rows.iter().map(|row| {
            let [high, medium, low] = row.parts[..] else { return String::new() };
            format!("{}: {high} high, {medium} medium, {low} low.", row.label)
        });
        let said = said.collect::<Vec<_>>().join(" ");
        let figures = rows
            .iter()
            .map(|row| std::iter::once(row.label.clone()).chain(row.parts.iter().map(f64::to_string)).collect());
        let head = ["Document", "High", "Medium", "Low"];
        let caption =
            format!("Weaknesses that others named in each document, {}.", format_count(state.rounds.len(), "round"));
        Some(Illustration {
            legend: Some(chart::render_legend(&["high", "medium", "low"])),
            table: Some(Table::new("Weaknesses named by others", &head, &[1, 2, 3], figures)),
            ..Illustration::new(chart::draw_bars(&rows, &said), caption)
        })
    }

    /// What the reviews of the last round that has any hold against each document.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let state = ReviseState::of(&View::of_whole_record(record))?;
        let (number, _) = (1_u32..).zip(&state.rounds).filter(|(_, round)| !round.critiques.is_empty()).last()?;
        let against = state.setup.authors.iter().enumerate().filter_map(|(at, author)| {
            state.critiques_of(number, at).next()?;
            let high =
                state.list_weaknesses(number, at).iter().filter(|(_, _, w)| w.severity == Severity::High).count();
            Some(format!("{} {} ({high} high)", author.name, state.weakness_count(number, at)))
        });
        Some(format!("weaknesses in round {number}: {}", against.collect::<Vec<_>>().join(", ")))
    }

    fn are_documents(&self) -> bool {
        true
    }
}

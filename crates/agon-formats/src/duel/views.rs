//! What reports, pages and other commands show of a duel.

use agon_core::{Record, View};
use agon_protocols::{
    common::verification,
    duel::{
        history::{History, source_path},
        support,
        turn::Stance,
    },
};

use super::{DuelArtifact, basis, decision, graph, html};
use crate::{
    cited::CitedSource,
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, shorten_text},
    page::part::PagePart,
    report::{
        Illustration, Point, Table, Voice, chart,
        part::{TURNING_CHARS_MAX, positions},
    },
    views::Views,
};

/// Stances from agreement to dissent.
const SCALE: [Stance; 5] =
    [Stance::AcceptingConsensus, Stance::Converging, Stance::Revising, Stance::OpenToDebate, Stance::Dissenting];

impl Views for DuelArtifact {
    fn build_graph(&self, record: &Record) -> Graph {
        graph::of(record)
    }

    fn list_stated_answers(&self, record: &Record) -> Vec<StatedAnswer> {
        basis::collect_stated_answers(record)
    }

    fn collect_answer_basis(&self, record: &Record) -> AnswerBasis {
        basis::collect_answer_basis(record)
    }

    fn page_parts(&self, record: &Record, _: &AnswerBasis) -> Vec<PagePart> {
        html::build_page_parts(record)
    }

    fn list_cited_sources(&self, record: &Record, _: &Graph) -> Vec<CitedSource> {
        let path = source_path(record.opened());
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let mut all = Vec::new();
        for turn in &History::of(&View::of_whole_record(record)).turns {
            let of = format!("turn-{}", turn.accepted.turn);
            let Some(said) = &turn.contribution else { continue };
            all.extend(turn.accepted.sources.iter().map(|found| CitedSource::from_check(&of, found)));
            for line in said.support() {
                match support::SupportKind::of(line) {
                    Some(support::SupportKind::Url) => {
                        let urls = verification::find_addresses(line);
                        let known = urls.iter().any(|url| all.iter().any(|c| c.of == of && c.source == *url));
                        if !known {
                            all.push(CitedSource::unknown(&of, line));
                        }
                    }
                    Some(support::SupportKind::File) if line.contains(name) => {
                        let why = "compared with the copy of the opening".to_owned();
                        let status = "in the document".to_owned();
                        let source = line.clone();
                        all.push(CitedSource { of: of.clone(), source, status, is_open: false, why });
                    }
                    Some(support::SupportKind::File) => all.push(CitedSource::unknown(&of, line)),
                    _ => {}
                }
            }
        }
        all
    }

    fn build_voice(&self, record: &Record, graph: &Graph, side: usize) -> Option<Voice> {
        let history = History::of(&View::of_whole_record(record));
        let latest = history.members.get(side).and_then(|member| history.latest_turn(member));
        let tag = latest.map(|turn| turn.accepted.stance.describe()).unwrap_or_default();
        positions::build_ends_voice(graph, side, tag)
    }

    /// Stances that changed.
    fn turning_points(&self, record: &Record, graph: &Graph) -> Vec<Point> {
        let history = History::of(&View::of_whole_record(record));
        let changes = history.turns.iter().enumerate().filter_map(|(at, turn)| {
            let before = history.turns[..at].iter().rev().find(|other| other.accepted.seat == turn.accepted.seat)?;
            let (old, new) = (before.accepted.stance, turn.accepted.stance);
            let statement = graph.statements.get(at)?;
            let why = turn.contribution.as_ref().and_then(|said| said.stance_support.first().cloned());
            let why = why.map(|why| format!(": {}", shorten_text(&why, TURNING_CHARS_MAX))).unwrap_or_default();
            let text = format!("{} moved from {} to {}{why}", statement.speaker, old.describe(), new.describe());
            (old != new).then(|| (statement.seq, statement.when.clone(), text))
        });
        changes.collect()
    }

    /// The turn that is under way.
    fn current_round(&self, record: &Record) -> Option<u32> {
        record.closing_outcome().is_none().then(|| History::of(&View::of_whole_record(record)).next())
    }

    /// Where each stands.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let history = History::of(&View::of_whole_record(record));
        let stands = history.members.iter().filter_map(|member| {
            let accepted = &history.latest_turn(member)?.accepted;
            let blocking = match accepted.blocking {
                0 => String::new(),
                count => format!(" ({count} blocking)"),
            };
            Some(format!("{}: {}{blocking}", member.name, accepted.stance.describe()))
        });
        Some(stands.collect::<Vec<_>>().join("; ")).filter(|line| !line.is_empty())
    }

    fn decided_by(&self) -> &'static str {
        "the outcome follows from the stances that both took"
    }

    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        decision::list_outcome_changes(entries)
    }

    fn open_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        decision::list_open_points(entries)
    }

    fn course_title(&self) -> &'static str {
        "Stances over time"
    }

    fn draw_course(&self, record: &Record, graph: &Graph) -> Option<Illustration> {
        let history = History::of(&View::of_whole_record(record));
        let level = |wanted: Stance| SCALE.iter().position(|known| *known == wanted).unwrap_or(SCALE.len() - 1);
        let people = history.members.iter().map(|member| {
            let own = history.turns.iter().enumerate().filter(|(_, turn)| turn.accepted.seat == member.seat);
            (member.name.clone(), own.map(|(at, turn)| (at, level(turn.accepted.stance))).collect())
        });
        let people: Vec<(String, Vec<(usize, usize)>)> = people.collect();
        if history.turns.is_empty() {
            return None;
        }
        let times: Vec<String> = (1..=history.turns.len()).map(|turn| format!("Turn {turn}")).collect();
        let said = people.iter().map(|(name, course)| {
            let words: Vec<String> = course.iter().map(|(_, level)| SCALE[*level].describe()).collect();
            format!("{name}: {}.", words.join(", then "))
        });
        let said = said.collect::<Vec<_>>().join(" ");
        let words = SCALE.map(Stance::describe);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let rows = history.turns.iter().zip(&graph.statements).map(|(turn, statement)| {
            let blocking = turn.accepted.blocking.to_string();
            vec![statement.when.clone(), statement.speaker.clone(), turn.accepted.stance.describe(), blocking]
        });
        let table = Table::new("Stances", &["Turn", "Who", "Stance", "Blocking items"], &[3], rows);
        let drawing = chart::draw_stances(&words, &people, &times, &said);
        let caption = format!("Where each stood after each turn. {said}");
        Some(Illustration { table: Some(table), ..Illustration::new(drawing, caption) })
    }
}

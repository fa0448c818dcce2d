//! What reports, pages and other commands show of a duel.

use agon_core::{Record, View};
use agon_protocols::{
    common::verification,
    duel::{
        outcome::ACCEPTED_CONSENSUS,
        state::{ClosingVerdict, History, source_path},
        support,
        turn::{Contribution, Stance},
    },
};
use agon_text::count_noun;

use super::{basis, html};
use crate::{
    cited_source::CitedSource,
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, Relation, answer_seq, shorten_text},
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

/// Shortest open item that is quoted, in characters: `none` is none.
const ITEM_CHARS_MIN: usize = 12;

/// The views of a duel.
pub(super) struct DuelViews;

impl Views for DuelViews {
    /// Turns, with the counterpoints, agreements and references of each.
    fn build_graph(&self, record: &Record) -> Graph {
        let history = History::from_view(&View::of_whole_record(record));
        let sides = history.members.iter().map(|member| member.name.clone()).collect();
        let agreed = record.closing_outcome().is_some_and(|outcome| outcome.name == ACCEPTED_CONSENSUS);
        let mut graph = Graph { sides, agreed, ..Graph::default() };
        for turn in &history.turns {
            let accepted = &turn.accepted;
            let side = history.members.iter().position(|member| member.seat == accepted.seat).unwrap_or(0);
            let said = turn.contribution.as_ref();
            let (id, seq) = (format!("turn-{}", accepted.turn), answer_seq(record, &accepted.key));
            let when = (accepted.turn - 1, format!("Turn {}", accepted.turn));
            let statement = graph.add_statement(id, seq, side, when, said.map(|said| said.position.clone()));
            statement.words = said.map(|said| join_claims(said)).unwrap_or_default();
        }
        let path = source_path(record.opened());
        for (from, turn) in history.turns.iter().enumerate() {
            let Some(said) = &turn.contribution else { continue };
            for point in &said.counterpoints {
                for to in find_earlier_turns(&point.addresses, from) {
                    graph.add_edge(from, to, Relation::Attack, "counterpoint", &point.claim);
                }
            }
            let peer = graph.latest_statement(1 - graph.statements[from].side.min(1), from);
            for agreement in &said.agreements {
                let mut granted = find_earlier_turns(agreement, from);
                granted.retain(|to| graph.statements[*to].side != graph.statements[from].side);
                // What is granted without a number is granted to the last speaker.
                if granted.is_empty() {
                    granted.extend(peer);
                }
                for to in granted {
                    graph.add_edge(from, to, Relation::Concession, "agreement", agreement);
                }
            }
            for line in said.support().filter(|line| !line.starts_with(path)) {
                for to in find_earlier_turns(line, from) {
                    let own = graph.statements[to].side == graph.statements[from].side;
                    let relation = if own { Relation::Support } else { Relation::Citation };
                    graph.add_edge(from, to, relation, "support", line);
                }
            }
        }
        graph
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
        for turn in &History::from_view(&View::of_whole_record(record)).turns {
            let of = format!("turn-{}", turn.accepted.turn);
            let Some(said) = &turn.contribution else { continue };
            all.extend(turn.accepted.sources.iter().map(|found| CitedSource::from_check(&of, found)));
            for line in said.support() {
                match support::SupportKind::parse(line) {
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
        let history = History::from_view(&View::of_whole_record(record));
        let latest = history.members.get(side).and_then(|member| history.latest_turn(member));
        let tag = latest.map(|turn| turn.accepted.stance.describe()).unwrap_or_default();
        positions::build_ends_voice(graph, side, tag)
    }

    /// Stances that changed.
    fn turning_points(&self, record: &Record, graph: &Graph) -> Vec<Point> {
        let history = History::from_view(&View::of_whole_record(record));
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
        record.closing_outcome().is_none().then(|| History::from_view(&View::of_whole_record(record)).next())
    }

    /// Where each stands.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let history = History::from_view(&View::of_whole_record(record));
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

    /// The duel as if one participant had taken another stance in the end.
    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let record = entries.record;
        let history = History::from_view(&View::of_whole_record(record));
        let Some(now) = closing_verdict(&history) else { return Vec::new() };
        let seats: Vec<_> = history.members.iter().map(|member| (member.seat.clone(), member.name.clone())).collect();
        let told = seats.iter().filter_map(|(seat, name)| {
            let mut other = History::clone(&history);
            let latest = other.turns.iter_mut().rev().find(|turn| turn.accepted.seat == *seat)?;
            let (stance, blocking) = (latest.accepted.stance, latest.accepted.blocking);
            let entry = record.find_answer(&latest.accepted.key).map(|(seq, _)| seq)?;
            let what = match now {
                ClosingVerdict::Consensus => {
                    latest.accepted.blocking = 1;
                    format!("{name} accepted. Had it kept one blocking item")
                }
                ClosingVerdict::Dissent | ClosingVerdict::MaxTurns => {
                    (latest.accepted.stance, latest.accepted.blocking) = (Stance::AcceptingConsensus, 0);
                    let items = match blocking {
                        0 => String::new(),
                        count => format!(", with {}", count_noun(count, "blocking item", "blocking items")),
                    };
                    format!("{name} ended {}{items}. Had it accepted consensus", stance.describe())
                }
            };
            let then = match closing_verdict(&other)? {
                then if then == now => "the duel would have ended the same way".to_owned(),
                ClosingVerdict::MaxTurns => "the duel would have ended with its turns used up".to_owned(),
                then => format!("the duel would have ended in {}", then.name().to_lowercase().replace('_', " ")),
            };
            Some(Sentence::new(entry, format!("{what}, {then}.")))
        });
        told.collect()
    }

    /// What each leaves open in its last turn, blocking items first, and the claims that it holds to be off the topic.
    fn open_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let record: &Record = entries.record;
        let history = History::from_view(&View::of_whole_record(record));
        let mut all = Vec::new();
        for turn in &history.turns {
            let Some((seq, _)) = record.find_answer(&turn.accepted.key) else { continue };
            let name = history.find_member(&turn.accepted.seat).map_or("", |member| &member.name);
            for mark in turn.contribution.iter().flat_map(|said| &said.off_topic) {
                let text = format!("{name} holds {} to be off the topic:", mark.claim);
                all.extend(entries.quote_entry(seq, text, &mark.why).map(|sentence| (true, sentence)));
            }
        }
        for member in &history.members {
            let Some(turn) = history.latest_turn(member) else { continue };
            let Some((seq, _)) = record.find_answer(&turn.accepted.key) else { continue };
            for item in turn.contribution.iter().flat_map(|said| &said.unresolved) {
                if item.text.chars().count() < ITEM_CHARS_MIN {
                    continue;
                }
                let how = if item.blocking { "as blocking" } else { "without blocking" };
                let text = format!("{} leaves open, {how}:", member.name);
                all.extend(entries.quote_entry(seq, text, &item.text).map(|sentence| (!item.blocking, sentence)));
            }
        }
        all.sort_by_key(|(is_aside, _)| *is_aside);
        all.into_iter().map(|(_, sentence)| sentence).collect()
    }

    fn course_title(&self) -> &'static str {
        "Stances over time"
    }

    fn draw_course(&self, record: &Record, graph: &Graph) -> Option<Illustration> {
        let history = History::from_view(&View::of_whole_record(record));
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

fn join_claims(said: &Contribution) -> String {
    let claims = said.claims().into_iter().map(|(_, text)| text);
    claims.chain(said.agreements.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
}

/// Turns before the one at `from` that `text` names, as indices.
fn find_earlier_turns(text: &str, from: usize) -> Vec<usize> {
    let mut named: Vec<usize> =
        support::parse_turn_numbers(text).into_iter().filter_map(|turn| (turn as usize).checked_sub(1)).collect();
    named.retain(|to| *to < from);
    named.sort_unstable();
    named.dedup();
    named
}

/// How it ends with the turns that were taken.
fn closing_verdict(history: &History) -> Option<ClosingVerdict> {
    history.find_closing_verdict(0, history.turns.len() as u32)
}

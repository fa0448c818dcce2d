//! What reports, pages and other commands show of a chaired debate.

use agon_core::{Key, Record, Ruling, View};
use agon_protocols::{
    chaired::{
        announcements, audience,
        debaters::Debaters,
        log::{DebateLog, EntryRuling, Logged, Phase, Type},
        verification::{self, SourceFinding},
    },
    common::verification::SourceStatus,
};
use agon_text::count_noun;

use super::{basis, find_entry_ruling, html};
use crate::{
    agreement::Orders,
    cited_source::{CitedSource, UNREAD, explain_status},
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::{Graph, Relation, first_sentence},
    page::part::PagePart,
    ruling_view::{LogEntryView, RulingView},
    views::{Passage, Views},
};

/// The views of a chaired debate.
pub(super) struct ChairedViews;

impl Views for ChairedViews {
    fn ruling_view(&self, ruling: &Ruling) -> RulingView {
        let Some(entry) = ruling.decode_data::<EntryRuling>() else { return RulingView::Text };
        RulingView::LogEntry(LogEntryView {
            number: entry.seq,
            key: entry.key.filter(|_| entry.index.is_some()),
            is_chair_ruling: entry.kind == Type::Ruling && entry.speaker == "chair",
        })
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

    /// Arguments and source challenges. Rebuttals and challenges attack what they name; another number that a text
    /// mentions is a citation.
    fn build_graph(&self, record: &Record) -> Graph {
        let view = View::of_whole_record(record);
        let (log, debaters) = (DebateLog::from_view(&view), Debaters::in_view(&view));
        let sides = debaters.titles().into_iter().map(str::to_owned).collect();
        let mut graph = Graph { sides, ..Graph::default() };
        let mut round = 0;
        let mut step = 0;
        for logged in &log.0 {
            let item = &logged.item;
            if item.kind == Type::Announcement && item.phase == Phase::Rebuttal {
                round += u32::from(logged.visible_content().to_lowercase().contains("round"));
            }
            if !item.kind.is_argument() && item.kind != Type::SourceChallenge {
                continue;
            }
            let Some(side) = debaters.0.iter().position(|debater| debater.name == item.speaker) else { continue };
            let when = match item.phase {
                Phase::Opening => "Opening".to_owned(),
                Phase::Rebuttal if round > 0 => format!("Round {round}"),
                Phase::Closing => "Closing".to_owned(),
                Phase::Rebuttal | Phase::System => "Rebuttal".to_owned(),
            };
            step += u32::from(graph.statements.last().is_some_and(|last| last.when != when));
            let text = logged.struck.is_none().then(|| logged.visible_content());
            let seq = statement_seq(record, item.key.as_ref(), item.seq);
            graph.add_statement(format!("seq-{}", item.seq), seq, side, (step, when), text);
        }
        for logged in log.0.iter().filter(|logged| logged.struck.is_none()) {
            let Some(from) = find_statement(&graph, logged.item.seq) else { continue };
            let text = logged.visible_content();
            let target = logged.item.rebuttal_to_seq.or(logged.item.target_seq);
            let target = target.and_then(|seq| find_statement(&graph, seq));
            if let Some(to) = target {
                let kind = agon_text::humanize_name(logged.item.type_name());
                graph.add_edge(from, to, Relation::Attack, &kind.to_lowercase(), &first_sentence(&text));
            }
            let cited = audience::find_seq_references(&text).into_iter().filter_map(|seq| find_statement(&graph, seq));
            let cited: Vec<usize> = cited.filter(|to| *to < from && Some(*to) != target).collect();
            for to in cited {
                let own = graph.statements[to].side == graph.statements[from].side;
                let relation = if own { Relation::Support } else { Relation::Citation };
                graph.add_edge(from, to, relation, "mentions", &first_sentence(&text));
            }
        }
        graph
    }

    fn list_cited_sources(&self, record: &Record, graph: &Graph) -> Vec<CitedSource> {
        let view = View::of_whole_record(record);
        let log = DebateLog::from_view(&view);
        let findings = verification::collect_standing_findings(&view, &log);
        let latest = |seq: u64, url: &str| findings.iter().rfind(|found| found.seq == seq && found.url == url);
        let cite = |of: &str, source: &str, found: &SourceFinding, why: String| CitedSource {
            of: of.to_owned(),
            source: source.to_owned(),
            status: found.status.name().into(),
            is_open: found.status == SourceStatus::Unverified && !UNREAD.contains(&found.code.as_str()),
            why,
        };
        let mut all = Vec::new();
        for logged in &log.0 {
            let seq = logged.item.seq;
            let of = format!("seq-{seq}");
            // What was said in an entry that was struck is not shown again.
            if graph.statements.iter().any(|statement| statement.id == of && statement.text.is_none()) {
                let known = findings.iter().rev().filter(|found| found.seq == seq);
                all.extend(known.map(|found| cite(&of, "redacted", found, String::new())));
                continue;
            }
            for url in logged.cited_addresses() {
                all.push(match latest(seq, url) {
                    Some(found) => {
                        let SourceFinding { status, sentence, explanation, reading, .. } = found;
                        let why = explain_status(*status, sentence.as_ref(), explanation, reading.as_ref());
                        // Where the author corrected what was found wrong.
                        let by = log.find_corrections(seq).into_iter().find(|(_, old)| *old == found.url);
                        let corrected = by.map(|(seq, _)| format!("Corrected in seq-{seq}. "));
                        cite(&of, url, found, corrected.unwrap_or_default() + &why)
                    }
                    None => CitedSource::unknown(&of, url),
                });
            }
        }
        all
    }

    fn list_passages(&self, record: &Record) -> Option<Vec<Passage>> {
        let log = DebateLog::from_view(&View::of_whole_record(record));
        let argued = log.0.iter().filter(|logged| logged.struck.is_none() && logged.item.kind.is_argument());
        let passages = argued.map(|logged| {
            let sources = logged.visible_sources().iter().map(|source| source.source.clone());
            (entry_passage(logged), sources.collect())
        });
        Some(passages.collect())
    }

    /// Rounds of arguments. The chair announces each with its number.
    fn current_round(&self, record: &Record) -> Option<u32> {
        let log = DebateLog::from_view(&View::of_whole_record(record));
        let announced =
            |logged: &&Logged| logged.item.kind == Type::Announcement && logged.item.phase == Phase::Rebuttal;
        log.0.iter().filter(announced).rev().find_map(|logged| {
            let text = logged.visible_content();
            text.strip_prefix("Round ")?.split(' ').next()?.parse().ok()
        })
    }

    /// How many entries the log has, and what the chair did about them.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let log = DebateLog::from_view(&View::of_whole_record(record));
        let count = |kind: Type| log.0.iter().filter(|logged| logged.item.kind == kind).count();
        let argued = log.0.iter().filter(|logged| logged.item.kind.is_argument()).count();
        let struck = log.0.iter().filter(|logged| logged.struck.is_some()).count();
        let rulings = count_noun(count(Type::Ruling), "ruling", "rulings");
        (argued > 0).then(|| {
            format!("{}, {rulings} of the chair, {struck} struck", count_noun(argued, "argument", "arguments"))
        })
    }

    /// In how many orders a blind chair was asked, by the figure of the outcome.
    fn judgment_orders(&self, record: &Record) -> Orders {
        let judged = record.closing_outcome().map(|outcome| &outcome.figures["judged"]);
        let Some(judged) = judged.filter(|judged| judged.is_object()) else {
            return Orders { all: 1, ..Orders::default() };
        };
        let both = usize::from(judged["answered"].as_u64().unwrap_or_default() > 1);
        Orders { all: 1, both, flips: usize::from(judged["flip"] == true) }
    }

    /// The entries that the chair's reason rests on.
    fn list_decisive_points(&self, entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        let log = DebateLog::from_view(&View::of_whole_record(entries.record));
        let Some(conclusion) = log.find_conclusion() else { return Vec::new() };
        let seq = ruling_seq(entries, conclusion.item.seq);
        let mut named: Vec<(&str, Vec<u64>)> = Vec::new();
        for number in audience::find_seq_references(&conclusion.visible_content()) {
            let Some(statement) = graph.index(&format!("seq-{number}")).map(|at| &graph.statements[at]) else {
                continue;
            };
            match named.iter_mut().find(|(speaker, _)| *speaker == statement.speaker) {
                Some((_, seqs)) => seqs.push(number),
                None => named.push((&statement.speaker, vec![number])),
            }
        }
        let named = named.into_iter().map(|(speaker, mut seqs)| {
            seqs.sort_unstable();
            let seqs: Vec<String> = seqs.iter().map(u64::to_string).collect();
            format!("{} of {speaker}", seqs.join(", "))
        });
        let named: Vec<String> = named.collect();
        let text = match named.is_empty() {
            true => {
                "The chair's reason names no entry: another chair could decide otherwise on the same log.".to_owned()
            }
            false => format!(
                "The chair's reason rests on the entries {} in the public log: if one of them does not hold, the chair has to give its reason again.",
                named.join("; ")
            ),
        };
        vec![Sentence::new(seq, text)]
    }

    /// What the chair called unresolved before the closings.
    fn open_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        let log = DebateLog::from_view(&View::of_whole_record(entries.record));
        let Some(review) = announcements::find_review(&log) else { return Vec::new() };
        let (seq, content) = (ruling_seq(entries, review.item.seq), review.visible_content());
        let points = content
            .lines()
            .filter_map(|line| line.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok()));
        let told = points.filter_map(|(_, point)| {
            let words = point.rsplit_once(" — ").map_or(point, |(words, _)| words);
            entries.quote_entry(seq, "The chair left to the closings:", words)
        });
        told.collect()
    }

    fn given_positions(&self, record: &Record) -> Vec<(String, String)> {
        let debaters = Debaters::in_view(&View::of_whole_record(record));
        debaters.0.into_iter().map(|held| (held.title, held.position)).collect()
    }
}

/// The words of an entry with the quotations of its sources, and with no other quotation.
fn entry_passage(logged: &Logged) -> String {
    let content = logged.visible_content().replace(['"', '“', '”', '„', '«', '»', '「', '」'], "");
    let quotes = logged.visible_sources().iter().filter(|source| !source.quote.is_empty());
    let quotes = quotes.map(|source| format!(" “{}”", source.quote.replace(['“', '”'], "\"")));
    quotes.fold(content, |all, quote| all + &quote)
}

/// The ruling that fixed an entry of the log.
fn ruling_seq(entries: &QuotedEntries<'_>, of: u64) -> u64 {
    find_entry_ruling(entries.record, of).unwrap_or_else(|| entries.end_seq())
}

fn find_statement(graph: &Graph, seq: u64) -> Option<usize> {
    graph.index(&format!("seq-{seq}"))
}

/// The entry of the answer, or where the words are the script's, of the ruling.
fn statement_seq(record: &Record, answer: Option<&Key>, seq: u64) -> u64 {
    let answered = answer.and_then(|key| record.find_answer(key)).map(|(at, _)| at);
    answered.or_else(|| find_entry_ruling(record, seq)).unwrap_or(0)
}

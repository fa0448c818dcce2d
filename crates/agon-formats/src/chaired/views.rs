//! What reports, pages and other commands show of a chaired debate.

use agon_core::{Record, Ruling, View};
use agon_protocols::{
    chaired::{
        debaters::Debaters,
        log::{DebateLog, EntryRuling, Logged, Phase, Type},
        verification::{self, SourceFinding},
    },
    common::verification::SourceStatus,
};

use super::{ChairedFiles, basis, decision, graph, html};
use crate::{
    agreement::Orders,
    cited::{CitedSource, UNREAD, why},
    first_page::{AnswerBasis, Sentence, StatedAnswer, quote::QuotedEntries},
    graph::Graph,
    page::part::PagePart,
    report::part::counted,
    ruling_view::{LogEntryView, RulingView},
    views::{Passage, Views},
};

impl Views for ChairedFiles {
    fn ruling_view(&self, ruling: &Ruling) -> RulingView {
        let Some(entry) = ruling.decode::<EntryRuling>() else { return RulingView::Text };
        RulingView::LogEntry(LogEntryView {
            number: entry.seq,
            key: entry.key.filter(|_| entry.index.is_some()),
            is_chair_ruling: entry.kind == Type::Ruling && entry.speaker == "chair",
        })
    }

    fn answers(&self, record: &Record) -> Vec<StatedAnswer> {
        basis::answers(record)
    }

    fn basis(&self, record: &Record) -> AnswerBasis {
        basis::basis(record)
    }

    fn page_parts(&self, record: &Record, _: &AnswerBasis) -> Vec<PagePart> {
        html::parts(record)
    }

    fn graph(&self, record: &Record) -> Graph {
        graph::of(record)
    }

    fn sources(&self, record: &Record, graph: &Graph) -> Vec<CitedSource> {
        let view = View::whole(record);
        let log = DebateLog::of(&view);
        let findings = verification::all(&view).into_iter().flat_map(|all| all.findings);
        let findings: Vec<SourceFinding> = findings.map(|finding| finding.standing(&log)).collect();
        let latest =
            |seq: u64, url: &str| findings.iter().rfind(|found| found.seq == seq && found.url == url);
        let is_open = |found: &SourceFinding| {
            found.status == SourceStatus::Unverified && !UNREAD.contains(&found.code.as_str())
        };
        let mut all = Vec::new();
        for logged in &log.0 {
            let seq = logged.item.seq;
            let of = format!("seq-{seq}");
            // What was said in an entry that was struck is not shown again.
            if graph.statements.iter().any(|statement| statement.id == of && statement.text.is_none()) {
                let known = findings.iter().rev().filter(|found| found.seq == seq);
                all.extend(known.map(|found| CitedSource {
                    of: of.clone(),
                    source: "redacted".into(),
                    status: found.status.name().into(),
                    is_open: is_open(found),
                    why: String::new(),
                }));
                continue;
            }
            for url in logged.cites() {
                all.push(match latest(seq, url) {
                    Some(found) => CitedSource {
                        of: of.clone(),
                        source: url.to_owned(),
                        status: found.status.name().into(),
                        is_open: is_open(found),
                        why: corrected(&log, found)
                            + &why(
                                found.status,
                                found.sentence.as_ref(),
                                &found.explanation,
                                found.reading.as_ref(),
                            ),
                    },
                    None => CitedSource::unknown(&of, url),
                });
            }
        }
        all
    }

    fn passages(&self, record: &Record) -> Option<Vec<Passage>> {
        let log = DebateLog::of(&View::whole(record));
        let argued = log.0.iter().filter(|logged| logged.struck.is_none() && logged.item.kind.is_argument());
        let passages = argued.map(|logged| {
            let sources = logged.sources().iter().map(|source| source.source.clone());
            (passage(logged), sources.collect())
        });
        Some(passages.collect())
    }

    /// Rounds of arguments. The chair announces each with its number.
    fn round(&self, record: &Record) -> Option<u32> {
        let log = DebateLog::of(&View::whole(record));
        let announced =
            |logged: &&Logged| logged.item.kind == Type::Announcement && logged.item.phase == Phase::Rebuttal;
        log.0.iter().filter(announced).rev().find_map(|logged| {
            let text = logged.content();
            text.strip_prefix("Round ")?.split(' ').next()?.parse().ok()
        })
    }

    /// How many entries the log has, and what the chair did about them.
    fn progress_line(&self, record: &Record) -> Option<String> {
        let log = DebateLog::of(&View::whole(record));
        let count = |kind: Type| log.0.iter().filter(|logged| logged.item.kind == kind).count();
        let argued = log.0.iter().filter(|logged| logged.item.kind.is_argument()).count();
        let struck = log.0.iter().filter(|logged| logged.struck.is_some()).count();
        let rulings = counted(count(Type::Ruling), "ruling");
        (argued > 0)
            .then(|| format!("{}, {rulings} of the chair, {struck} struck", counted(argued, "argument")))
    }

    fn orders(&self, record: &Record) -> Orders {
        decision::orders(record)
    }

    fn flips(&self, entries: &QuotedEntries<'_>, graph: &Graph) -> Vec<Sentence> {
        decision::flips(entries, graph)
    }

    fn open_points(&self, entries: &QuotedEntries<'_>, _: &Graph) -> Vec<Sentence> {
        decision::open(entries)
    }

    fn given_positions(&self, record: &Record) -> Vec<(String, String)> {
        let debaters = Debaters::in_view(&View::whole(record));
        debaters.0.into_iter().map(|held| (held.title, held.position)).collect()
    }
}

/// The words of an entry with the quotations of its sources, and with no other quotation.
fn passage(logged: &Logged) -> String {
    let content = logged.content().replace(['"', '“', '”', '„', '«', '»', '「', '」'], "");
    let quotes = logged.sources().iter().filter(|source| !source.quote.is_empty());
    let quotes = quotes.map(|source| format!(" “{}”", source.quote.replace(['“', '”'], "\"")));
    quotes.fold(content, |all, quote| all + &quote)
}

/// Where the author corrected what was found wrong.
fn corrected(log: &DebateLog, found: &SourceFinding) -> String {
    let by = log.corrected(found.seq).into_iter().find(|(_, old)| *old == found.url);
    by.map(|(seq, _)| format!("Corrected in seq-{seq}. ")).unwrap_or_default()
}

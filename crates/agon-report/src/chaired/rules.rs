//! The rules of a log that a program can check: L1 to L17. Whatever breaks one is a warning, since
//! logs made elsewhere were written before some of the rules were.

use std::{collections::BTreeSet, ops::RangeInclusive};

use agon_protocols::chaired::{
    announcements,
    audience::OPINION_WORDS,
    debaters::ROLES,
    log::Type,
    source_form::{self, CORRECTION, SOURCES_MAX},
    turn_rules::CONJECTURE,
};
use agon_text::count_words;

use super::{
    log::{LogEntry, list_speakers},
    log_line::PHASES,
    metadata, redaction_reasons,
};
use crate::foreign_time::is_time;

/// A rule that a log breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleViolation {
    /// For example `L6`.
    pub rule: &'static str,
    /// The entry, where it is one.
    pub seq: Option<u64>,
    /// What is wrong.
    pub why: String,
}

/// Every rule that `entries` break. `debaters` in turn order; where none are named, those who speak,
/// in the order of their first entries. `rounds` are those that the log was configured for.
pub fn check_log(
    entries: &[LogEntry],
    debaters: &[String],
    rounds: Option<RangeInclusive<usize>>,
) -> Vec<RuleViolation> {
    let spoke = if debaters.is_empty() { list_speakers(entries) } else { debaters.to_vec() };
    let mut check = RuleCheck { entries, debaters: &spoke, broken: Vec::new() };
    for (at, entry) in entries.iter().enumerate() {
        check.check_place(at, entry);
        check.check_speaker(entry);
        check.check_references(entry);
        check.check_sources(entry);
        check.check_words(entry);
    }
    check.check_order();
    check.check_frame(rounds);
    check.check_fabrications();
    check.broken
}

struct RuleCheck<'e> {
    entries: &'e [LogEntry],
    debaters: &'e [String],
    broken: Vec<RuleViolation>,
}

impl<'e> RuleCheck<'e> {
    fn add(&mut self, rule: &'static str, seq: Option<u64>, why: impl Into<String>) {
        self.broken.push(RuleViolation { rule, seq, why: why.into() });
    }

    fn add_unless(&mut self, holds: bool, rule: &'static str, seq: Option<u64>, why: impl Into<String>) {
        if !holds {
            self.add(rule, seq, why);
        }
    }

    fn find_earlier(&self, seq: u64, before: u64) -> Option<&'e LogEntry> {
        self.entries.iter().find(|entry| entry.seq == seq && seq < before)
    }

    /// L1, L2.
    fn check_place(&mut self, at: usize, entry: &LogEntry) {
        let seq = Some(entry.seq);
        self.add_unless(entry.seq == at as u64, "L1", seq, format!("entry {at} has the number {}", entry.seq));
        if !is_time(&entry.timestamp) {
            let why = format!("{:?} is no time such as 2026-02-21T15:15:43Z", entry.timestamp);
            return self.add("L2", seq, why);
        }
        let before = self.entries[..at].iter().rev().find(|before| is_time(&before.timestamp));
        let is_younger = before.is_none_or(|before| before.timestamp <= entry.timestamp);
        self.add_unless(is_younger, "L2", seq, "it is older than the entry before");
    }

    /// L3, L4, L5.
    fn check_speaker(&mut self, entry: &LogEntry) {
        let (seq, kind, speaker) = (Some(entry.seq), entry.kind.as_str(), entry.speaker.as_str());
        let is_phase = PHASES.contains(&entry.phase.as_str());
        self.add_unless(is_phase, "L3", seq, format!("{:?} is no phase", entry.phase));
        let is_name = !speaker.is_empty() && speaker.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        self.add_unless(is_name, "L3", seq, format!("{speaker:?} is no name of a speaker"));
        let Some(known) = entry.known_type() else {
            return self.add("L3", seq, format!("{kind:?} is no type"));
        };
        let writer = match known {
            Type::Setup | Type::Announcement | Type::Ruling | Type::Redaction | Type::Conclusion => "chair",
            Type::VerificationResult => "verifier",
            Type::AudienceQuestion | Type::AudienceConclusion => "audience",
            _ => "",
        };
        let is_debater = self.debaters.iter().any(|debater| debater == speaker);
        let allowed = match ROLES.contains(&speaker) {
            true => writer == speaker,
            false if is_debater => writer.is_empty(),
            false => return self.add("L3", seq, format!("{speaker} is not in the line-up")),
        };
        self.add_unless(allowed, "L4", seq, format!("{speaker} may not write a {kind}"));
        let phase = match known {
            Type::OpeningStatement => "opening",
            Type::NewPoint | Type::Rebuttal | Type::Conjecture => "rebuttal",
            Type::ClosingStatement => "closing",
            _ => return,
        };
        let why = format!("a {kind} belongs to the phase {phase}, not {}", entry.phase);
        self.add_unless(entry.phase == phase, "L5", seq, why);
    }

    /// L6, L7.
    fn check_references(&mut self, entry: &LogEntry) {
        let seq = Some(entry.seq);
        let to = entry.rebuttal_to_seq.map(|to| (to, self.find_earlier(to, entry.seq)));
        match (entry.kind.as_str(), to) {
            ("rebuttal", None) => self.add("L6", seq, "a rebuttal without rebuttal_to_seq"),
            ("rebuttal", Some((to, found))) => {
                let other = found.filter(|found| found.speaker != entry.speaker && found.is_by_debater());
                if !other.is_some_and(LogEntry::is_argument) {
                    self.add("L6", seq, format!("seq {to} is no earlier argument of another debater"));
                }
            }
            (kind, Some(_)) => self.add("L6", seq, format!("a {kind} must not set rebuttal_to_seq")),
            _ => {}
        }
        let needs = ["verification_result", "source_challenge"].contains(&entry.kind.as_str());
        let found = entry.target_seq.is_some_and(|target| self.find_earlier(target, entry.seq).is_some());
        self.add_unless(
            found || !needs,
            "L7",
            seq,
            format!("a {} needs the target_seq of an earlier entry", entry.kind),
        );
    }

    /// L8, L10.
    fn check_sources(&mut self, entry: &LogEntry) {
        let seq = Some(entry.seq);
        let is_filled = entry.sources.as_ref().is_none_or(|sources| !sources.is_empty());
        self.add_unless(is_filled, "L8", seq, "its list of sources is empty; null is wanted");
        let count = entry.sources().len();
        let why = format!("{count} sources; those after the fifth are not verified");
        self.add_unless(count <= SOURCES_MAX, "L8", seq, why);
        for found in entry.sources() {
            if let Err(why) = source_form::check_url(&found.url) {
                self.add("L8", seq, why);
            }
            let is_date = agon_text::is_date(&found.accessed);
            self.add_unless(is_date, "L8", seq, format!("{:?} is no date", found.accessed));
        }
        let factual = ["opening_statement", "new_point", "rebuttal"].contains(&entry.kind.as_str());
        let holds = !factual || count > 0 || entry.content.starts_with(CONJECTURE);
        self.add_unless(holds, "L10", seq, "it has neither a source nor the label [CONJECTURE] at its beginning");
    }

    /// L9, L15, L16, L17.
    fn check_words(&mut self, entry: &LogEntry) {
        let (seq, text) = (Some(entry.seq), entry.content.as_str());
        match entry.kind.as_str() {
            "conjecture" if !text.starts_with(CONJECTURE) => {
                self.add("L9", seq, "a conjecture must begin with [CONJECTURE]");
            }
            "rebuttal" if text.starts_with(CONJECTURE) && entry.sources().is_empty() => {
                let beside = self.entries.iter().any(|other| {
                    other.speaker == entry.speaker && other.seq.abs_diff(entry.seq) <= 2 && !other.sources().is_empty()
                });
                self.add_unless(beside, "L9", seq, "a rebuttal of conjecture alone");
            }
            "ruling" if !text.starts_with("Ruling on seq ") => {
                self.add("L15", seq, "a ruling begins with \"Ruling on seq N: \"");
            }
            "redaction" => {
                let whole = text.starts_with("REDACTED: seq ")
                    && text.contains("). Reason: ")
                    && text.ends_with(". Entry is struck from the record.");
                self.add_unless(whole, "L15", seq, "a redaction has not the words of one");
            }
            "audience_conclusion" => {
                let count = count_words(text);
                let why = format!("{count} words; 200 to 400 are wanted");
                self.add_unless(OPINION_WORDS.contains(&count), "L16", seq, why);
            }
            _ => {}
        }
        if !entry.is_by_debater() || !text.contains(CORRECTION) {
            return;
        }
        match source_form::parse_correction(text) {
            Err(why) => self.add("L17", seq, why),
            Ok(None) => {}
            Ok(Some(found)) => {
                let ruled = announcements::ruling_text(found.seq, "");
                let mut before = self.entries.iter().filter(|e| e.seq < entry.seq && e.kind == "ruling");
                let is_ruled = before.any(|e| e.content.starts_with(&ruled) && e.content.contains("unreliable"));
                let why = format!("no ruling says that a source of seq {} is unreliable", found.seq);
                self.add_unless(is_ruled, "L17", seq, why);
            }
        }
    }

    /// L11: openings and each round in turn order, closings in reverse; a turn may have several
    /// entries, and a forfeited one has none.
    fn check_order(&mut self) {
        let mut last: Option<(&str, usize)> = None;
        let mut closed: BTreeSet<usize> = BTreeSet::new();
        for entry in self.entries {
            if entry.kind == "announcement" && entry.content.starts_with("Round ") {
                last = None;
            }
            let place = self.debaters.iter().position(|name| *name == entry.speaker);
            let Some(at) = place.filter(|_| entry.is_argument()) else { continue };
            let before = last.filter(|(phase, _)| *phase == entry.phase).map(|(_, at)| at);
            let fits = match entry.phase.as_str() {
                "closing" => closed.insert(at) && before.is_none_or(|before| at < before),
                "opening" => before.is_none_or(|before| at > before),
                _ => before.is_none_or(|before| at >= before),
            };
            self.add_unless(fits, "L11", Some(entry.seq), format!("{} speaks out of turn", entry.speaker));
            last = Some((&entry.phase, at));
        }
    }

    /// L12, L13.
    fn check_frame(&mut self, rounds: Option<RangeInclusive<usize>>) {
        let held = metadata::count_rounds(self.entries);
        let void = super::find_log_conclusion(self.entries).is_some_and(|(outcome, _)| outcome == "void");
        if let Some(wanted) = rounds.filter(|wanted| !void && !wanted.contains(&held)) {
            self.add("L12", None, format!("{held} rounds; {} to {} are wanted", wanted.start(), wanted.end()));
        }
        let at = |kind: &str| self.entries.iter().filter(|e| e.kind == kind).map(|e| e.seq).collect::<Vec<_>>();
        let (setups, conclusions) = (at("setup"), at("conclusion"));
        self.add_unless(setups == [0], "L13", None, format!("one setup, as entry 0, is wanted; found {setups:?}"));
        let count = conclusions.len();
        self.add_unless(count == 1, "L13", None, format!("one conclusion is wanted; found {count}"));
        if let Some(end) = conclusions.first() {
            let late = |e: &&LogEntry| {
                e.seq > *end && !["audience_conclusion", "verification_result", "conclusion"].contains(&e.kind.as_str())
            };
            if let Some(entry) = self.entries.iter().find(late) {
                self.add("L13", Some(entry.seq), "it stands after the conclusion");
            }
        }
    }

    /// L14.
    fn check_fabrications(&mut self) {
        let struck = redaction_reasons(self.entries);
        for (at, found) in metadata::list_verification_results(self.entries) {
            let Some(seq) = found.verified_seq.filter(|_| found.status.as_deref() == Some("fabricated")) else {
                continue;
            };
            let closes = |entry: &&LogEntry| {
                entry.seq > at && (entry.kind == "conclusion" || entry.content.starts_with("Round "))
            };
            let until = self.entries.iter().find(closes).map_or(u64::MAX, |entry| entry.seq);
            let redacted = |entry: &LogEntry| {
                entry.kind == "redaction"
                    && entry.seq < until
                    && entry.content.starts_with(&format!("REDACTED: seq {seq} "))
            };
            let in_time = struck.contains_key(&seq) && self.entries.iter().any(redacted);
            self.add_unless(in_time, "L14", Some(seq), "a source is fabricated, and the entry is not redacted in time");
        }
    }
}

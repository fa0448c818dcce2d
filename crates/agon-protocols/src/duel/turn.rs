//! The statement of a turn and its rules (D1 to D10 and D13).
//!
//! D12, that a turn stays on the topic, takes judgment: each claim says how it bears on the topic, and the peer may
//! mark a claim of the turn before as off the topic, which stands as a warning.

use std::collections::BTreeMap;

use agon_core::{Faults, parse};
use agon_text::{KnownTexts, folded_words};
use serde_json::Value;

pub use super::contribution::{ClaimReply, Contribution, OffTopicMark, ReplyStance, Stance, TurnClaim, Unresolved};
use super::support::{self, Evidence, SupportKind};
use crate::common::{
    citable_document::CitableDocument,
    fields::{one_line, shown_start},
    final_answer::{answer_field, parse_answer},
    form::{Form, Kind, Reader, choice_kind, form_field, list_kind, text_kind},
    imported_debate,
};

/// Maximum number of entries of a list in a turn: it ends a model that babbles, and no turn that has much to say.
const LIST_MAX: usize = 12;
/// Longest agreement, in characters.
const LINE_CHARS_MAX: usize = 1_000;
/// Outcomes that only the course of a duel can bring about: no turn declares them (D13).
const UNDECLARED: [&str; 3] = ["TIMEOUT", "MAX_TURNS", "INVALIDATED"];

/// The rules for one turn, which depend on the turns before it.
#[derive(Debug, Clone, Default)]
pub struct DuelTurnRules<'r> {
    /// Its number, from 1.
    pub turn: u32,
    /// The stance of the same participant before.
    pub before: Option<Stance>,
    /// What was asserted before, with the turn that did.
    pub asserted: Vec<(u32, &'r str)>,
    /// The words of earlier turns that may be shown.
    pub said: Vec<(u32, String)>,
    /// The claims of the turn before by name, such as `Turn 2, counterpoint 1`.
    pub peer_claims: Vec<String>,
    /// All claims of the peer that can be replied to, the latest turn's first.
    pub answerable: Vec<String>,
    /// Path of the document.
    pub path: &'r str,
    /// Text of the document, where it is at hand.
    pub document: Option<&'r str>,
    /// Whether the author was told before of support that cannot be shown: then it is left out where
    /// the claim has other support.
    pub told: bool,
}

impl DuelTurnRules<'_> {
    /// What a counterpoint may be said to address: earlier turns, the latest first, and the
    /// document with its headings.
    pub fn list_addressable_parts(&self) -> Vec<String> {
        let turns = (1..self.turn).rev().map(|turn| format!("Turn {turn}"));
        let source = CitableDocument::from_text(self.path, self.document);
        let headings = source.list_headings().map(|heading| format!("Source: {heading}")).collect::<Vec<_>>();
        turns.chain(["Source".to_owned()]).chain(headings).collect()
    }

    /// The form of a turn. The stance comes last: it should follow from what was written.
    pub fn turn_form(&self) -> Form {
        let passages = CitableDocument::from_text(self.path, self.document).list_passages();
        // Nobody has spoken before the first turn.
        let is_allowed = |stance: &Stance| self.turn > 1 || *stance != Stance::AcceptingConsensus;
        let stances = Stance::ALL.into_iter().filter(is_allowed).map(Stance::name);
        self.form_of(self.list_addressable_parts(), &passages, stances.collect())
    }

    fn form_of(&self, addressable: Vec<String>, passages: &[String], stances: Vec<&str>) -> Form {
        let bears_on = || form_field("bears_on", text_kind(0, 300)).as_optional();
        let repair = || form_field("repair", text_kind(0, 400)).as_optional();
        // Passages are offered where the document is answered, and not where something new is said.
        let kind = |count_min: usize, of: &[String]| support::support_list_kind(count_min, self.turn, of);
        let support = |rule: &str, of: &[String]| form_field("support", kind(1, of)).with_rule(rule);
        let counterpoint = [
            form_field("addresses", Kind::Reference(addressable)),
            form_field("claim", text_kind(30, 800)),
            bears_on(),
            support("D3", passages),
            repair(),
        ];
        let novel = [form_field("claim", text_kind(30, 800)), bears_on(), support("D5", &[]), repair()];
        let item = [form_field("text", text_kind(16, 500)), form_field("blocking", Kind::YesNo)];
        let peer_claims = Kind::Reference(self.peer_claims.clone());
        let mark = [form_field("claim", peer_claims), form_field("why", text_kind(8, 300))];
        let reply = [
            form_field("claim", Kind::Reference(self.answerable.clone())),
            form_field("stance", choice_kind(ReplyStance::ALL.map(ReplyStance::name))),
            form_field("why", text_kind(0, 800)).as_optional(),
        ];
        let replies = list_kind(0, self.answerable.len(), Kind::Object(Form::new("D14", reply)));
        let replies =
            (!self.answerable.is_empty()).then(|| form_field("replies", replies).with_rule("D14").as_optional());
        let listed =
            |name: &str, rule: &str, kind: Kind| form_field(name, list_kind(1, LIST_MAX, kind)).with_rule(rule);
        let position = form_field("position", text_kind(40, 1500)).with_rule("D2");
        let fields = [
            listed("counterpoints", "D3", Kind::Object(Form::new("D3", counterpoint))),
            listed("agreements", "D4", text_kind(16, 500)),
            form_field("novel_argument", Kind::Object(Form::new("D5", novel))).with_rule("D5"),
            listed("unresolved_items", "D6", Kind::Object(Form::new("D6", item))),
        ];
        let off_topic = list_kind(0, LIST_MAX, Kind::Object(Form::new("D12", mark)));
        let off_topic =
            (!self.peer_claims.is_empty()).then(|| form_field("off_topic", off_topic).with_rule("D12").as_optional());
        let last = [
            answer_field(),
            form_field("stance", choice_kind(stances)).with_rule("D1"),
            form_field("stance_revision_support", kind(0, &[])).with_rule("D7"),
        ];
        let first = [position].into_iter().chain(replies);
        Form::new("D1", first.chain(fields).chain(off_topic).chain(last))
    }

    /// The turn in `text`, or every rule it breaks.
    pub fn parse_turn(&self, text: &str) -> Result<Contribution, Faults> {
        self.parse_contribution(text, true)
    }

    /// The turn in `text`, which was accepted: rules of earlier versions asked for no answer.
    pub fn parse_accepted(&self, text: &str) -> Result<Contribution, Faults> {
        self.parse_contribution(text, false)
    }

    fn parse_contribution(&self, text: &str, wants_answer: bool) -> Result<Contribution, Faults> {
        let source = CitableDocument::from_text(self.path, self.document);
        let evidence = Evidence::new(self.turn, &source, &self.said, self.told);
        let form = self.form_of(Vec::new(), &[], Stance::ALL.map(Stance::name).into());
        form.read_statement(text, |fields, faults| {
            let (mut warnings, mut lost) = (Vec::new(), Faults::default());
            let mut said = Contribution {
                position: fields.read_text("position", faults),
                counterpoints: self.parse_counterpoints(fields, &evidence, faults),
                agreements: parse_agreements(fields, faults),
                novel: self.parse_novel_argument(fields, &evidence, faults),
                unresolved: parse_unresolved_items(fields, faults),
                off_topic: self.off_topic(fields),
                replies: self.parse_replies(fields, &mut warnings),
                answer: parse_answer(fields, if wants_answer { &mut *faults } else { &mut lost }),
                ..Contribution::default()
            };
            let stance: Option<Stance> = fields.read_enum("stance", faults);
            said.stance_support = evidence.parse_support(fields, "stance_revision_support", faults);
            if self.before.is_none() || self.before == stance {
                if !said.stance_support.is_empty() {
                    warnings.push("the stance is the one of before, so its support was left out".into());
                }
                said.stance_support.clear();
            } else if let (Some(before), Some(now), true) = (self.before, stance, said.stance_support.is_empty()) {
                let (before, now) = (before.name(), now.name());
                let message =
                    format!("your stance was {before} and is now {now}; give at least one support for the change");
                faults.add("D9", "stance_revision_support", message);
            }
            let left_out = evidence.left_out.take();
            said.told = !left_out.is_empty();
            said.warnings = warnings.into_iter().chain(left_out).collect();
            said.stance = stance?;
            self.check_consensus(&said, faults);
            self.check_declared_words(&said, faults);
            Some(said)
        })
    }

    /// The turn in `text`, which was made elsewhere, as it is; rules that it breaks are warnings.
    pub fn parse_imported(&self, text: &str) -> Result<Contribution, Faults> {
        let value = parse::parse_json_answer(text)?;
        let read = |value: &Value| one_line(value.as_str().unwrap_or_default());
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let texts = |value: &Value| list(value).iter().map(read).collect::<Vec<_>>();
        let point = |value: &Value| TurnClaim {
            addresses: read(&value["addresses"]),
            claim: read(&value["claim"]),
            support: texts(&value["support"]),
            bears_on: read(&value["bears_on"]),
            repair: String::new(),
        };
        let item = |item: &Value| {
            let blocking = item["blocking"].as_bool().unwrap_or(true);
            Unresolved { text: read(&item["text"]), blocking }
        };
        let stance = value["stance"].as_str().and_then(Stance::parse);
        let mut contribution = Contribution {
            position: read(&value["position"]),
            counterpoints: list(&value["counterpoints"]).iter().map(point).collect(),
            agreements: texts(&value["agreements"]),
            novel: point(&value["novel_argument"]),
            unresolved: list(&value["unresolved_items"]).iter().map(item).collect(),
            stance: stance.ok_or_else(|| Faults::one("D1", "stance", "a stance of the format is wanted"))?,
            stance_support: texts(&value["stance_revision_support"]),
            ..Contribution::default()
        };
        let mut faults = self.parse_accepted(text).err().unwrap_or_default();
        faults.0.extend(self.find_copies(&contribution).0);
        contribution.warnings = imported_debate::format_warnings(&faults).collect();
        Ok(contribution)
    }

    /// D3.
    fn parse_counterpoints(
        &self,
        fields: &Reader<'_, '_>,
        evidence: &Evidence<'_>,
        faults: &mut Faults,
    ) -> Vec<TurnClaim> {
        check_list_length(fields, "counterpoints", faults);
        let points = fields.read_parts("counterpoints", faults).into_iter().filter_map(|part| {
            let point = part.open(faults)?;
            let addresses = point.read_text("addresses", faults);
            if !addresses.is_empty()
                && let Err(why) = self.check_addressed_part(&addresses, evidence.source)
            {
                point.add_fault("addresses", why, faults);
            }
            let (claim, bears_on) = (point.read_text("claim", faults), point.read_text("bears_on", faults));
            let (support, repair) =
                (parse_required_support(&point, evidence, faults), point.read_text("repair", faults));
            Some(TurnClaim { addresses, claim, support, bears_on, repair })
        });
        points.collect()
    }

    /// Whether there is something to address under this name.
    fn check_addressed_part(&self, addresses: &str, source: &CitableDocument) -> Result<(), String> {
        let turns = support::parse_turn_numbers(addresses);
        if let Some(turn) = turns.iter().find(|turn| !(1..self.turn).contains(*turn)) {
            return Err(format!("turn {turn} does not come before this turn, which is turn {}", self.turn));
        }
        // Names are compared in any case of letters.
        let mut part = addresses.to_lowercase();
        for word in ["the ", "source", "document"] {
            part = part.strip_prefix(word).unwrap_or(&part).trim_start_matches([':', ',', ' ']).to_owned();
        }
        if turns.is_empty() && !part.is_empty() && !source.has_part(&part) {
            let parts = self.list_addressable_parts().into_iter().take(12).collect::<Vec<_>>().join("; ");
            let start = shown_start(addresses);
            let why =
                format!("{start:?} names neither an earlier turn nor a part of the document; use one of: {parts}");
            return Err(why);
        }
        Ok(())
    }

    /// D5 and D8.
    fn parse_novel_argument(&self, fields: &Reader<'_, '_>, evidence: &Evidence<'_>, faults: &mut Faults) -> TurnClaim {
        if fields.raw_value("novel_argument").is_null() {
            let message = "novel_argument is missing; bring a claim that nobody made yet";
            fields.add_fault("novel_argument", message, faults);
            return TurnClaim::default();
        }
        let part = fields.object_part("novel_argument");
        let Some(novel) = part.open(faults) else { return TurnClaim::default() };
        let (claim, bears_on) = (novel.read_text("claim", faults), novel.read_text("bears_on", faults));
        let normal = normalise_claim(&claim);
        let repeated = self.asserted.iter().find(|(_, earlier)| normalise_claim(earlier) == normal);
        if let Some((turn, _)) = repeated.filter(|_| !normal.is_empty()) {
            let message = format!("{:?} was said in turn {turn} already; bring a new claim", shown_start(&claim));
            faults.add("D8", novel.field_path("claim"), message);
        }
        let (support, repair) = (parse_required_support(&novel, evidence, faults), novel.read_text("repair", faults));
        TurnClaim { addresses: String::new(), claim, support, bears_on, repair }
    }

    /// D14: what the turn makes of its peer's claims. A reply to what is not there decides nothing; it is left out, and a
    /// warning says so.
    fn parse_replies(&self, fields: &Reader<'_, '_>, warnings: &mut Vec<String>) -> Option<Vec<ClaimReply>> {
        if self.answerable.is_empty() || fields.raw_value("replies").is_null() {
            return None;
        }
        let mut replies: Vec<ClaimReply> = Vec::new();
        let mut lost = Faults::default();
        for part in fields.read_parts("replies", &mut lost) {
            let Some(reply) = part.open(&mut lost) else { continue };
            let (claim, why) = (reply.read_text("claim", &mut lost), reply.read_text("why", &mut lost));
            let stance: Option<ReplyStance> = reply.read_enum("stance", &mut lost);
            match stance.filter(|_| self.answerable.contains(&claim)) {
                Some(_) if replies.iter().any(|known| known.claim == claim) => {}
                Some(stance) => replies.push(ClaimReply { claim, stance, why }),
                None => warnings.push(format!(
                    "D14 the reply to {:?} was left out: a claim of the peer and granted, narrowed or rejected are wanted",
                    shown_start(&claim)
                )),
            }
        }
        Some(replies)
    }

    /// D12: what the turn says of its peer's claims; marks of what is not there are dropped, for they decide nothing.
    fn off_topic(&self, fields: &Reader<'_, '_>) -> Vec<OffTopicMark> {
        if self.peer_claims.is_empty() {
            return Vec::new();
        }
        let mut lost = Faults::default();
        let marks = fields.read_parts("off_topic", &mut lost).into_iter().filter_map(|part| {
            let mark = part.open(&mut lost)?;
            let (claim, why) = (mark.read_text("claim", &mut lost), mark.read_text("why", &mut lost));
            (self.peer_claims.contains(&claim) && !why.is_empty()).then_some(OffTopicMark { claim, why })
        });
        marks.collect()
    }

    /// D10: consensus is accepted with evidence, and with nothing left that blocks.
    fn check_consensus(&self, contribution: &Contribution, faults: &mut Faults) {
        if contribution.stance != Stance::AcceptingConsensus {
            return;
        }
        if self.turn == 1 {
            faults.add("D10", "stance", "nobody has spoken before you; there is no consensus to accept yet");
        }
        if contribution.count_blocking() > 0 {
            let message = "an item is blocking, so consensus cannot be accepted; settle it or take another stance";
            faults.add("D10", "unresolved_items", message);
        }
        let is_evidence = |entry: &String| SupportKind::parse(entry).is_some_and(|kind| kind != SupportKind::Principle);
        if !contribution.support().any(is_evidence) {
            let message = "consensus is accepted on evidence: support a claim by the document, an earlier turn, an address or a file, not by principles alone";
            faults.add("D10", "stance", message);
        }
    }

    /// D13. A word that the document itself uses may be quoted.
    fn check_declared_words(&self, contribution: &Contribution, faults: &mut Faults) {
        let mut texts: BTreeMap<String, &str> = contribution.claims().into_iter().collect();
        let items = contribution.unresolved.iter().enumerate();
        texts.extend(items.map(|(i, item)| (format!("unresolved_items[{i}].text"), item.text.as_str())));
        texts.extend(contribution.answer.iter().map(|answer| ("answer.do".to_owned(), answer.action.as_str())));
        let agreed = contribution.agreements.iter().enumerate();
        texts.extend(agreed.map(|(i, text)| (format!("agreements[{i}]"), text.as_str())));
        let in_source = |word: &str| self.document.is_some_and(|text| text.contains(word));
        for (at, text) in texts {
            let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            if let Some(word) = words.into_iter().find(|word| UNDECLARED.contains(word) && !in_source(word)) {
                let message = format!("a turn does not declare {word}; say what you hold and why");
                faults.add("D13", at, message);
            }
        }
    }

    /// Claims that repeat an earlier one, or another of the same turn, nearly word for word.
    pub fn find_copies(&self, contribution: &Contribution) -> Faults {
        let mut faults = Faults::default();
        let mut known = KnownTexts::from_texts(self.asserted.iter().map(|(_, text)| *text));
        let mut places: Vec<String> = self.asserted.iter().map(|(turn, _)| format!("turn {turn}")).collect();
        for (at, claim) in contribution.claims() {
            if let Some(copied) = known.find_copied(claim) {
                let (start, place) = (shown_start(claim), &places[copied.of]);
                let message = format!("{start:?} repeats {place} almost word for word; say something new in new words");
                faults.add("repetition", at.clone(), message);
            }
            known.push(claim);
            places.push(at);
        }
        faults
    }
}

/// A list must not be empty, and holds what can still be weighed.
fn check_list_length(fields: &Reader<'_, '_>, name: &str, faults: &mut Faults) {
    let listed = fields.raw_value(name);
    let message = match listed.as_array().map(Vec::len).or(listed.is_null().then_some(0)) {
        Some(0) => format!("{name} is empty; at least one is wanted"),
        Some(count) if count > LIST_MAX => format!("{count} are too many; give the best {LIST_MAX} at most"),
        _ => return,
    };
    fields.add_fault(name, message, faults);
}

/// Support that must not be empty.
fn parse_required_support(fields: &Reader<'_, '_>, evidence: &Evidence<'_>, faults: &mut Faults) -> Vec<String> {
    let before = faults.0.len();
    let support = evidence.parse_support(fields, "support", faults);
    if support.is_empty() && faults.0.len() == before {
        fields.add_fault("support", "support is empty; a claim needs at least one", faults);
    }
    support
}

/// D4.
fn parse_agreements(fields: &Reader<'_, '_>, faults: &mut Faults) -> Vec<String> {
    check_list_length(fields, "agreements", faults);
    let mut agreements = Vec::new();
    for (i, item) in fields.read_items("agreements", faults).iter().enumerate() {
        let text = one_line(item.as_str().unwrap_or_default());
        if !text.contains(char::is_alphanumeric) || normalise_claim(&text) == "none" {
            faults.add("D4", format!("agreements[{i}]"), "this must be a text that says what you grant");
        }
        if text.chars().count() > LINE_CHARS_MAX {
            let message = format!("an agreement has at most {LINE_CHARS_MAX} characters");
            faults.add("D4", format!("agreements[{i}]"), message);
        }
        // The same once more grants nothing more.
        if !agreements.contains(&text) {
            agreements.push(text);
        }
    }
    agreements
}

/// D6. Whether an item blocks stands in its field, and the file writes it behind the text.
fn parse_unresolved_items(fields: &Reader<'_, '_>, faults: &mut Faults) -> Vec<Unresolved> {
    check_list_length(fields, "unresolved_items", faults);
    let mut unresolved = Vec::new();
    for part in fields.read_parts("unresolved_items", faults) {
        let Some(item) = part.open(faults) else { continue };
        let text = item.read_text("text", faults);
        if ["(blocking)", "(non-blocking)"].iter().any(|mark| text.to_lowercase().ends_with(mark)) {
            item.add_fault("text", "leave (blocking) out of the text; the field blocking says it", faults);
        }
        let blocking = item.read_bool("blocking", faults);
        unresolved.push(Unresolved { text, blocking });
    }
    unresolved
}

/// As claims are compared: their words, whatever their case and typography.
pub fn normalise_claim(text: &str) -> String {
    folded_words(text).join(" ")
}

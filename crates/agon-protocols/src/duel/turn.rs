//! The statement of a turn and its rules (D1 to D10 and D13).
//!
//! D12, that a turn stays on the topic, takes judgment: the prompt asks for it, and where not a word is
//! about it (`topic.rs`) the turn stands with a warning.

use std::collections::BTreeMap;

use agon_core::{Faults, parse};
use agon_text::KnownTexts;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    source::DuelDocument,
    support::{self, Evidence, SupportKind},
};
use crate::common::{
    fields::{ObjectReader, one_line, shown_start},
    imported,
};

/// Maximum number of entries of a list in a turn: what is more than this is not weighed any more.
const LIST_MAX: usize = 6;
/// Longest agreement, in characters.
const LINE_CHARS_MAX: usize = 1_000;
/// Outcomes that only the course of a duel can bring about: no turn declares them (D13).
const UNDECLARED: [&str; 3] = ["TIMEOUT", "MAX_TURNS", "INVALIDATED"];

/// The position of a participant on the topic after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Stance {
    /// Undecided.
    OpenToDebate,
    /// Moving towards the peer.
    Converging,
    /// Agrees, with nothing left that blocks.
    AcceptingConsensus,
    /// Disagrees.
    Dissenting,
    /// Takes something back, or changes it.
    Revising,
}

impl Stance {
    /// All of them, in the order of the format.
    pub const ALL: [Stance; 5] = [
        Stance::OpenToDebate,
        Stance::Converging,
        Stance::AcceptingConsensus,
        Stance::Dissenting,
        Stance::Revising,
    ];

    /// As turns and files name it.
    pub fn name(self) -> &'static str {
        match self {
            Stance::OpenToDebate => "OPEN_TO_DEBATE",
            Stance::Converging => "CONVERGING",
            Stance::AcceptingConsensus => "ACCEPTING_CONSENSUS",
            Stance::Dissenting => "DISSENTING",
            Stance::Revising => "REVISING",
        }
    }

    /// The stance called `name`.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stance| stance.name() == name)
    }
}

/// An objection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterpoint {
    /// The turn or the part of the document that it answers.
    pub addresses: String,
    /// What is wrong or missing there.
    pub claim: String,
    /// What that rests on; never empty.
    pub support: Vec<String>,
}

/// A claim that nobody made before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Novel {
    /// The claim.
    pub claim: String,
    /// What it rests on; never empty.
    pub support: Vec<String>,
}

/// An open question of a turn; a blocking one prevents consensus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// The question.
    pub text: String,
    /// Whether it stands in the way of consensus.
    pub blocking: bool,
}

/// The content of one turn, after its draft was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contribution {
    /// Where the participant stands on the topic.
    pub position: String,
    /// Objections; never empty.
    pub counterpoints: Vec<Counterpoint>,
    /// What is granted; never empty.
    pub agreements: Vec<String>,
    /// What is new.
    pub novel: Novel,
    /// What is left open; never empty.
    pub unresolved: Vec<Unresolved>,
    /// The stance after it.
    pub stance: Stance,
    /// Why the stance is another than before; empty where it is not.
    pub stance_support: Vec<String>,
    /// What is worth a warning and no redraft.
    pub warnings: Vec<String>,
    /// Whether support was left out of it, which its author was told of before.
    pub told: bool,
}

impl Contribution {
    /// What it asserts, by the place in the draft: position, objections, the new claim.
    pub fn claims(&self) -> Vec<(String, &str)> {
        let objections = self.counterpoints.iter().enumerate();
        let objections =
            objections.map(|(i, point)| (format!("counterpoints[{i}].claim"), point.claim.as_str()));
        let first = [("position".to_owned(), self.position.as_str())].into_iter();
        first
            .chain(objections)
            .chain([("novel_argument.claim".to_owned(), self.novel.claim.as_str())])
            .collect()
    }

    /// Every entry of support.
    pub fn support(&self) -> impl Iterator<Item = &String> {
        let objections = self.counterpoints.iter().flat_map(|point| &point.support);
        objections.chain(&self.novel.support).chain(&self.stance_support)
    }

    /// The same, standing in spite of `copies`.
    pub fn despite(mut self, copies: &Faults) -> Self {
        self.warnings.extend(copies.0.iter().map(ToString::to_string));
        self
    }

    /// How many open items stand in the way of consensus.
    pub fn blocking(&self) -> usize {
        self.unresolved.iter().filter(|item| item.blocking).count()
    }
}

/// The rules for one turn, which depend on the turns before it.
#[derive(Debug, Clone, Default)]
pub struct DuelTurnRules<'r> {
    /// Its number, from 1.
    pub turn: u32,
    /// The stance of the same participant before.
    pub before: Option<Stance>,
    /// What was asserted before, with the turn that did.
    pub asserted: Vec<(u32, &'r str)>,
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
    pub fn addressable(&self) -> Vec<String> {
        let turns = (1..self.turn).rev().map(|turn| format!("Turn {turn}"));
        let source = DuelDocument::of(self.path, self.document);
        let headings = source.headings().map(|heading| format!("Source: {heading}")).collect::<Vec<_>>();
        turns.chain(["Source".to_owned()]).chain(headings).collect()
    }

    /// The stances that this turn may take.
    pub fn stances(&self) -> impl Iterator<Item = Stance> {
        let first = self.turn == 1;
        Stance::ALL.into_iter().filter(move |stance| !first || *stance != Stance::AcceptingConsensus)
    }

    /// JSON Schema of a turn. The stance comes last: it should follow from what was written.
    pub fn schema(&self) -> Value {
        let text =
            |least: usize, most: usize| json!({"type": "string", "minLength": least, "maxLength": most});
        let list = |item: Value| json!({"type": "array", "minItems": 1, "maxItems": LIST_MAX, "items": item});
        let stances: Vec<&str> = self.stances().map(Stance::name).collect();
        let source = DuelDocument::of(self.path, self.document);
        let evidence = Evidence::of(self.turn, &source, false);
        object(json!({
            "position": text(40, 1500),
            "counterpoints": list(object(json!({
                "addresses": {"type": "string", "enum": self.addressable()},
                "claim": text(30, 800),
                "support": evidence.schema(1),
            }))),
            "agreements": list(text(16, 500)),
            "novel_argument": object(json!({"claim": text(30, 800), "support": evidence.schema(1)})),
            "unresolved_items": list(object(json!({"text": text(16, 500), "blocking": {"type": "boolean"}}))),
            "stance": {"type": "string", "enum": stances},
            "stance_revision_support": evidence.schema(0),
        }))
    }

    /// The turn in `text`, or every rule it breaks.
    pub fn parse(&self, text: &str) -> Result<Contribution, Faults> {
        let value = parse::json(text)?;
        let mut faults = Faults::default();
        let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
        let source = DuelDocument::of(self.path, self.document);
        let evidence = Evidence::of(self.turn, &source, self.told);
        let position = fields.text("position", "D2", &mut faults);
        let counterpoints = self.counterpoints(&fields, &evidence, &mut faults);
        let agreements = agreements(&fields, &mut faults);
        let novel = self.novel(&fields, &evidence, &mut faults);
        let unresolved = unresolved(&fields, &mut faults);
        let stances: Vec<&str> = Stance::ALL.map(Stance::name).into();
        let stance = Stance::of(&fields.choice("stance", &stances, "D1", &mut faults));
        let mut stance_support = evidence.read(&fields, "stance_revision_support", &mut faults);
        let mut warnings = Vec::new();
        if self.before.is_none() || self.before == stance {
            if !stance_support.is_empty() {
                warnings.push("the stance is the one of before, so its support was left out".into());
            }
            stance_support.clear();
        } else if let (Some(before), Some(now), true) = (self.before, stance, stance_support.is_empty()) {
            let message = format!(
                "your stance was {} and is now {}; give at least one support for the change",
                before.name(),
                now.name()
            );
            faults.add("D9", "stance_revision_support", message);
        }
        let left_out = evidence.left_out.into_inner();
        let told = !left_out.is_empty();
        warnings.extend(left_out);
        let Some(stance) = stance else { return Err(faults) };
        let contribution = Contribution {
            position,
            counterpoints,
            agreements,
            novel,
            unresolved,
            stance,
            stance_support,
            warnings,
            told,
        };
        self.acceptance(&contribution, &mut faults);
        self.declared(&contribution, &mut faults);
        faults.or(contribution)
    }

    /// The turn in `text`, which was made elsewhere, as it is; rules that it breaks are warnings.
    pub fn admit(&self, text: &str) -> Result<Contribution, Faults> {
        let value = parse::json(text)?;
        let read = |value: &Value| one_line(value.as_str().unwrap_or_default());
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let texts = |value: &Value| list(value).iter().map(read).collect::<Vec<_>>();
        let points = list(&value["counterpoints"]).into_iter().map(|point| Counterpoint {
            addresses: read(&point["addresses"]),
            claim: read(&point["claim"]),
            support: texts(&point["support"]),
        });
        let items = list(&value["unresolved_items"]).into_iter().map(|item| Unresolved {
            text: read(&item["text"]),
            blocking: item["blocking"].as_bool().unwrap_or(true),
        });
        let novel = &value["novel_argument"];
        let stance = value["stance"].as_str().and_then(Stance::of);
        let mut contribution = Contribution {
            position: read(&value["position"]),
            counterpoints: points.collect(),
            agreements: texts(&value["agreements"]),
            novel: Novel { claim: read(&novel["claim"]), support: texts(&novel["support"]) },
            unresolved: items.collect(),
            stance: stance.ok_or_else(|| Faults::one("D1", "stance", "a stance of the format is wanted"))?,
            stance_support: texts(&value["stance_revision_support"]),
            warnings: Vec::new(),
            told: false,
        };
        let mut faults = self.parse(text).err().unwrap_or_default();
        faults.0.extend(self.copies(&contribution).0);
        contribution.warnings = imported::warnings(&faults).collect();
        Ok(contribution)
    }

    /// D3.
    fn counterpoints(
        &self,
        fields: &ObjectReader<'_>,
        evidence: &Evidence<'_>,
        faults: &mut Faults,
    ) -> Vec<Counterpoint> {
        let items = listed(fields, "counterpoints", "D3", faults).iter().enumerate();
        let points = items.filter_map(|(i, item)| {
            let point = ObjectReader::of(item, format!("counterpoints[{i}]"), faults)?;
            let addresses = point.text("addresses", "D3", faults);
            if !addresses.is_empty()
                && let Err(why) = self.addressed(&addresses, evidence.source)
            {
                faults.add("D3", point.path("addresses"), why);
            }
            let claim = point.text("claim", "D3", faults);
            Some(Counterpoint { addresses, claim, support: supported(&point, "D3", evidence, faults) })
        });
        points.collect()
    }

    /// Whether there is something to address under this name.
    fn addressed(&self, addresses: &str, source: &DuelDocument) -> Result<(), String> {
        let turns = support::turns(addresses);
        if let Some(turn) = turns.iter().find(|turn| !(1..self.turn).contains(*turn)) {
            return Err(format!("turn {turn} does not come before this turn, which is turn {}", self.turn));
        }
        let names_source = addresses.to_lowercase().contains("source")
            || addresses.to_lowercase().contains("document")
            || source.has_part(addresses);
        if turns.is_empty() && !names_source {
            let addressable: Vec<String> = self.addressable().into_iter().take(12).collect();
            return Err(format!(
                "{:?} names neither an earlier turn nor a part of the document; use one of: {}",
                shown_start(addresses),
                addressable.join("; ")
            ));
        }
        Ok(())
    }

    /// D5 and D8.
    fn novel(&self, fields: &ObjectReader<'_>, evidence: &Evidence<'_>, faults: &mut Faults) -> Novel {
        let Some(novel) = fields.get("novel_argument") else {
            faults.add(
                "D5",
                "novel_argument",
                "novel_argument is missing; bring a claim that nobody made yet",
            );
            return Novel::default();
        };
        let Some(novel) = ObjectReader::of(novel, "novel_argument", faults) else { return Novel::default() };
        let claim = novel.text("claim", "D5", faults);
        let normal = normalised(&claim);
        let repeated = self.asserted.iter().find(|(_, earlier)| normalised(earlier) == normal);
        if let Some((turn, _)) = repeated.filter(|_| !normal.is_empty()) {
            let message =
                format!("{:?} was said in turn {turn} already; bring a new claim", shown_start(&claim));
            faults.add("D8", novel.path("claim"), message);
        }
        Novel { claim, support: supported(&novel, "D5", evidence, faults) }
    }

    /// D10: consensus is accepted with evidence, and with nothing left that blocks.
    fn acceptance(&self, contribution: &Contribution, faults: &mut Faults) {
        if contribution.stance != Stance::AcceptingConsensus {
            return;
        }
        if self.turn == 1 {
            faults.add("D10", "stance", "nobody has spoken before you; there is no consensus to accept yet");
        }
        if contribution.blocking() > 0 {
            let message =
                "an item is blocking, so consensus cannot be accepted; settle it or take another stance";
            faults.add("D10", "unresolved_items", message);
        }
        let is_evidence =
            |entry: &String| SupportKind::of(entry).is_some_and(|kind| kind != SupportKind::Principle);
        if !contribution.support().any(is_evidence) {
            let message = "consensus is accepted on evidence: support a claim by the document, an earlier turn, an address or a file, not by principles alone";
            faults.add("D10", "stance", message);
        }
    }

    /// D13. A word that the document itself uses may be quoted.
    fn declared(&self, contribution: &Contribution, faults: &mut Faults) {
        let mut texts: BTreeMap<String, &str> = contribution.claims().into_iter().collect();
        let items = contribution.unresolved.iter().enumerate();
        texts.extend(items.map(|(i, item)| (format!("unresolved_items[{i}].text"), item.text.as_str())));
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
    pub fn copies(&self, contribution: &Contribution) -> Faults {
        let mut faults = Faults::default();
        let mut known = KnownTexts::of(self.asserted.iter().map(|(_, text)| *text));
        let mut places: Vec<String> = self.asserted.iter().map(|(turn, _)| format!("turn {turn}")).collect();
        for (at, claim) in contribution.claims() {
            if let Some(copied) = known.find_copied(claim) {
                let message = format!(
                    "{:?} repeats {} almost word for word; say something new in new words",
                    shown_start(claim),
                    places[copied.of]
                );
                faults.add("repetition", at.clone(), message);
            }
            known.push(claim);
            places.push(at);
        }
        faults
    }
}

/// A list that must not be empty.
fn listed<'v>(fields: &ObjectReader<'v>, name: &str, rule: &str, faults: &mut Faults) -> &'v [Value] {
    let before = faults.0.len();
    let items = fields.list(name, rule, faults);
    if items.is_empty() && faults.0.len() == before {
        faults.add(rule, fields.path(name), format!("{name} is empty; at least one is wanted"));
    }
    if items.len() > LIST_MAX {
        let message = format!("{} are too many; give the best {LIST_MAX} at most", items.len());
        faults.add(rule, fields.path(name), message);
    }
    items
}

/// Support that must not be empty.
fn supported(
    fields: &ObjectReader<'_>,
    rule: &str,
    evidence: &Evidence<'_>,
    faults: &mut Faults,
) -> Vec<String> {
    let before = faults.0.len();
    let support = evidence.read(fields, "support", faults);
    if support.is_empty() && faults.0.len() == before {
        faults.add(rule, fields.path("support"), "support is empty; a claim needs at least one");
    }
    support
}

/// D4.
fn agreements(fields: &ObjectReader<'_>, faults: &mut Faults) -> Vec<String> {
    let mut agreements = Vec::new();
    for (i, item) in listed(fields, "agreements", "D4", faults).iter().enumerate() {
        let text = one_line(item.as_str().unwrap_or_default());
        if !text.contains(char::is_alphanumeric) {
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

/// D6.
fn unresolved(fields: &ObjectReader<'_>, faults: &mut Faults) -> Vec<Unresolved> {
    let mut unresolved = Vec::new();
    for (i, item) in listed(fields, "unresolved_items", "D6", faults).iter().enumerate() {
        let Some(item) = ObjectReader::of(item, format!("unresolved_items[{i}]"), faults) else { continue };
        let text = item.text("text", "D6", faults);
        let blocking = item.get("blocking").and_then(Value::as_bool);
        if blocking.is_none() {
            faults.add("D6", item.path("blocking"), "blocking must be true or false");
        }
        unresolved.push(Unresolved { text, blocking: blocking.unwrap_or(true) });
    }
    unresolved
}

/// As claims are compared: lower case, the format's punctuation as blanks, blanks collapsed.
pub fn normalised(text: &str) -> String {
    let plain: String =
        text.chars().map(|c| if "`*_~()[]{}.,:;!?'\"-".contains(c) { ' ' } else { c }).collect();
    plain.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A JSON Schema object whose fields are all required.
fn object(properties: Value) -> Value {
    let required: Vec<String> =
        properties.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

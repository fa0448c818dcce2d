//! A debater's statement: arguments in Toulmin's form, with attacks and defences.
//!
//! Rules X1 to X9 and S1 to S5 are those of the exchange format; word limits (S5) only warn.

use std::sync::OnceLock;

use agon_core::{Faults, parse};
use agon_text::{WordRuns, count_words};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::common::{fields::ObjectReader, imported, reserved::names_reserved_host};

/// Ways to attack an argument.
pub const ATTACK_TYPES: [&str; 4] = ["claim_attack", "grounds_attack", "warrant_attack", "backing_attack"];
/// Ways to defend one.
pub const DEFENSE_TYPES: [&str; 3] = ["reinforce", "clarify", "concede_and_pivot"];
/// Arguments a side in the opening exchange.
pub const OPENING_ARGUMENTS: usize = 3;

/// Keys of an argument; the last only of one made elsewhere.
const KNOWN: [&str; 9] =
    ["title", "claim", "grounds", "warrant", "backing", "qualifier", "attacks", "defends", "id"];
const GROUNDS_MAX: usize = 3;
const ATTACKS_MAX: usize = 3;
const DEFENDS_MAX: usize = 2;

/// A side of the motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// For the motion.
    Proposition,
    /// Against it.
    Opposition,
}

impl Side {
    /// Both, in the order of every list and file.
    pub const BOTH: [Side; 2] = [Side::Proposition, Side::Opposition];

    /// The seat's name.
    pub fn name(self) -> &'static str {
        match self {
            Side::Proposition => "proposition",
            Side::Opposition => "opposition",
        }
    }

    /// As ids and files abbreviate it.
    pub fn prefix(self) -> &'static str {
        match self {
            Side::Proposition => "prop",
            Side::Opposition => "opp",
        }
    }

    /// What it says of the motion.
    pub fn stance(self) -> &'static str {
        match self {
            Side::Proposition => "for",
            Side::Opposition => "against",
        }
    }

    /// What it wants, written out: the first thing a statement says.
    pub fn position(self) -> &'static str {
        match self {
            Side::Proposition => "for: the motion is right and should be adopted",
            Side::Opposition => "against: the motion is wrong and should be rejected",
        }
    }

    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::Proposition => Side::Opposition,
            Side::Opposition => Side::Proposition,
        }
    }

    /// Ids of its arguments in `exchange`: lettered in the opening.
    pub fn ids(self, exchange: u32) -> Vec<String> {
        let stem = format!("{}_{exchange:03}", self.prefix());
        if exchange == 0 {
            ["a", "b", "c"].map(|letter| format!("{stem}{letter}")).into()
        } else {
            vec![stem]
        }
    }
}

/// One argument in Toulmin's form (1958): claim, grounds, warrant, backing, qualifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// A phrase.
    pub title: String,
    /// What is asserted.
    pub claim: String,
    /// What it rests on; 1 to 3.
    pub grounds: Vec<Ground>,
    /// Why the grounds carry the claim.
    pub warrant: String,
    /// What the warrant rests on.
    #[serde(default)]
    pub backing: Option<String>,
    /// Where the claim does not hold.
    #[serde(default)]
    pub qualifier: Option<String>,
    /// Attacks on opposing arguments of earlier exchanges.
    #[serde(default)]
    pub attacks: Vec<Engagement>,
    /// Defences of own arguments of earlier exchanges.
    #[serde(default)]
    pub defends: Vec<Engagement>,
}

/// One piece of evidence for a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ground {
    /// Where it comes from.
    pub source: String,
    /// What it says.
    pub content: String,
    /// Why it matters here.
    pub relevance: String,
}

/// What a ground names as its source where it has none but the thought of its author.
const OWN_REASONING: &str = "own reasoning";

impl Ground {
    /// Whether it cites nothing: its content is the thought of its author.
    pub fn is_own_reasoning(&self) -> bool {
        let source = self.source.trim().trim_end_matches('.');
        source.is_empty() || source.eq_ignore_ascii_case(OWN_REASONING)
    }
}

/// An attack on another argument, or a defence of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engagement {
    /// The argument that is attacked or defended.
    pub target_id: String,
    /// One of [`ATTACK_TYPES`] or [`DEFENSE_TYPES`].
    pub kind: String,
    /// What is said about it.
    pub content: String,
}

/// The accepted statement of a debater in one exchange: three arguments in the opening, one in a rebuttal.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    /// Three in the opening, one later.
    pub arguments: Vec<Argument>,
    /// What is worth a warning and no redraft.
    pub warnings: Vec<String>,
    /// Ids that the arguments came with, where they were made elsewhere; else they follow from side
    /// and exchange.
    pub ids: Vec<String>,
    /// What each of `arguments` says, for the repetition check; counted when first wanted.
    pub runs: OnceLock<Vec<WordRuns>>,
}

impl Arguments {
    /// The runs of words of each argument: every later statement is compared with them.
    pub fn runs(&self) -> &[WordRuns] {
        self.runs.get_or_init(|| {
            self.arguments.iter().map(|argument| WordRuns::of(&argument.texts().join("\n"))).collect()
        })
    }
}

impl Argument {
    /// Everything it says, field by field: for the repetition check and for search.
    pub fn texts(&self) -> Vec<&str> {
        let grounds = self.grounds.iter().flat_map(|g| [g.content.as_str(), g.relevance.as_str()]);
        let engaged = self.attacks.iter().chain(&self.defends).map(|e| e.content.as_str());
        let optional = [&self.backing, &self.qualifier].into_iter().flatten().map(String::as_str);
        let parts = [self.title.as_str(), &self.claim].into_iter().chain(grounds);
        parts.chain([self.warrant.as_str()]).chain(optional).chain(engaged).collect()
    }
}

/// Rule of the side that an answer is on.
pub(super) const STANCE: &str = "side";

/// The rules for the arguments of one side in one exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentRules {
    /// Whose.
    pub side: Side,
    /// Which exchange, 0 for the opening.
    pub exchange: u32,
    /// Own arguments of earlier exchanges.
    pub own: Vec<String>,
    /// The other side's arguments of earlier exchanges.
    pub opposing: Vec<String>,
}

impl ArgumentRules {
    /// How many arguments are wanted.
    pub fn count(&self) -> usize {
        if self.exchange == 0 { OPENING_ARGUMENTS } else { 1 }
    }

    /// JSON Schema of the statement. The stance comes first, so that a small model writes down
    /// which side it is on before it argues.
    pub fn schema(&self) -> Value {
        let ground =
            object(json!({"source": text(4, 300), "content": text(40, 1200), "relevance": text(20, 500)}));
        let mut fields = json!({
            "title": text(16, 160), "claim": text(30, 400),
            "grounds": {"type": "array", "minItems": 1, "maxItems": GROUNDS_MAX, "items": ground},
            "warrant": text(30, 700),
            "backing": {"type": "string", "maxLength": 700}, "qualifier": {"type": "string", "maxLength": 200},
        });
        let engagement = |ids: &[String], kind: &str, kinds: &[&str], max: usize| {
            let target = json!({"type": "string", "enum": ids});
            let item = object(
                json!({"target_id": target, kind: {"type": "string", "enum": kinds}, "content": text(30, 900)}),
            );
            json!({"type": "array", "minItems": 0, "maxItems": max, "items": item})
        };
        if !self.opposing.is_empty() {
            fields["attacks"] = engagement(&self.opposing, "attack_type", &ATTACK_TYPES, ATTACKS_MAX);
        }
        if !self.own.is_empty() {
            fields["defends"] = engagement(&self.own, "defense_type", &DEFENSE_TYPES, DEFENDS_MAX);
        }
        let count = self.count();
        object(json!({
            "stance": {"type": "string", "enum": [self.side.position()]},
            "arguments": {"type": "array", "minItems": count, "maxItems": count, "items": object(fields)},
        }))
    }

    /// The statement in `text`, or every rule it breaks.
    pub fn parse(&self, text: &str) -> Result<Arguments, Faults> {
        let (arguments, faults) = self.read(text, false)?;
        faults.or(arguments)
    }

    /// The same of someone who was told that a stance is wanted: one that is left out again is a
    /// warning. The seat says whose the words are, and an argument must not be lost for it.
    pub fn accept(&self, text: &str) -> Result<Arguments, Faults> {
        let (mut arguments, mut faults) = self.read(text, false)?;
        if parse::json(text)?.get("stance").is_none_or(is_blank) {
            let told = faults.0.len();
            faults.0.retain(|fault| fault.rule != STANCE);
            if faults.0.len() < told {
                arguments.warnings.push("the answer states no stance".into());
            }
        }
        faults.or(arguments)
    }

    /// The statement in `text`, which was made elsewhere, under the ids that it came with; rules
    /// that it breaks are warnings.
    pub fn admit(&self, text: &str) -> Result<Arguments, Faults> {
        let (mut arguments, faults) = self.read(text, true)?;
        let broken = imported::warnings(&faults).collect();
        let listed = parse::json(text)?["arguments"].take();
        let ids = listed.as_array().into_iter().flatten().map(|item| item["id"].as_str().unwrap_or_default());
        arguments.ids = ids.map(str::to_owned).collect();
        let soft = std::mem::replace(&mut arguments.warnings, broken);
        arguments.warnings.extend(soft);
        Ok(arguments)
    }

    fn read(&self, text: &str, with_ids: bool) -> Result<(Arguments, Faults), Faults> {
        let statement = parse::json(text)?;
        let mut faults = Faults::default();
        let mut warnings = Vec::new();
        // The source system's own form, bare arguments, states no side; ours does.
        if statement.get("arguments").is_some() {
            let stance = statement["stance"].as_str().unwrap_or_default();
            if !stance.trim().to_lowercase().starts_with(self.side.stance()) {
                let wanted = self.side.position();
                let message = format!(
                    "you argue {} the motion; \"stance\" must be {wanted:?}, not {stance:?}",
                    self.side.stance()
                );
                faults.add(STANCE, "stance", message);
            }
        }
        let listed = statement.get("arguments").unwrap_or(&statement);
        let single = std::slice::from_ref(listed);
        let items = listed.as_array().map_or(single, Vec::as_slice);
        if items.len() != self.count() {
            let message = format!("{} argument(s) are wanted, found {}", self.count(), items.len());
            faults.add("S1", "arguments", message);
        }
        let mut arguments = Vec::new();
        for (i, item) in items.iter().enumerate() {
            if let Some(fields) = ObjectReader::of(item, format!("arguments[{i}]"), &mut faults) {
                let known = &KNOWN[..if with_ids { KNOWN.len() } else { KNOWN.len() - 1 }];
                let unknown = fields.unknown(known);
                if !unknown.is_empty() {
                    let unknown = unknown.join(", ");
                    warnings.push(format!("{}: unrecognised keys ignored: {unknown}", fields.at));
                }
                arguments.push(self.argument(&fields, &mut faults, &mut warnings));
            }
        }
        Ok((Arguments { arguments, warnings, ..Arguments::default() }, faults))
    }

    fn argument(
        &self,
        fields: &ObjectReader<'_>,
        faults: &mut Faults,
        warnings: &mut Vec<String>,
    ) -> Argument {
        let grounds = fields.list("grounds", "X5", faults);
        if !(1..=GROUNDS_MAX).contains(&grounds.len()) {
            let message = format!("1 to {GROUNDS_MAX} grounds are wanted, found {}", grounds.len());
            faults.add("X6", fields.path("grounds"), message);
        }
        let grounds = grounds.iter().enumerate().filter_map(|(i, ground)| {
            let ground = ObjectReader::of(ground, format!("{}[{i}]", fields.path("grounds")), faults)?;
            let source = ground.text("source", "X7", faults);
            if names_reserved_host(&source) {
                let message =
                    "this address belongs to nobody; name a real source, or write \"own reasoning\"";
                faults.add("source", ground.path("source"), message);
            }
            Some(Ground {
                source,
                content: ground.text("content", "X7", faults),
                relevance: ground.text("relevance", "X7", faults),
            })
        });
        let grounds: Vec<_> = grounds.collect();
        let attacks = ReferenceList {
            list: "attacks",
            kind: "attack_type",
            kinds: &ATTACK_TYPES,
            max: ATTACKS_MAX,
            rule: "X8",
        };
        let defends = ReferenceList {
            list: "defends",
            kind: "defense_type",
            kinds: &DEFENSE_TYPES,
            max: DEFENDS_MAX,
            rule: "X9",
        };
        let argument = Argument {
            title: fields.text("title", "X3", faults),
            claim: fields.text("claim", "X3", faults),
            grounds,
            warrant: fields.text("warrant", "X3", faults),
            backing: fields.optional_text("backing", "X3", faults),
            qualifier: fields.optional_text("qualifier", "X3", faults),
            attacks: self.engagements(fields, &attacks, &self.opposing, faults),
            defends: self.engagements(fields, &defends, &self.own, faults),
        };
        warnings.extend(argument.overlong().map(|what| format!("{}: {what}", fields.at)));
        argument
    }

    fn engagements(
        &self,
        fields: &ObjectReader<'_>,
        wanted: &ReferenceList<'_>,
        targets: &[String],
        faults: &mut Faults,
    ) -> Vec<Engagement> {
        let ReferenceList { list, kind, kinds, max, rule } = *wanted;
        let items = fields.list(list, rule, faults);
        if items.len() > max {
            faults.add(rule, fields.path(list), format!("too many {list} ({}); at most {max}", items.len()));
        }
        if self.exchange == 0 && !items.is_empty() {
            faults.add("S2", fields.path(list), format!("there are no {list} in the opening exchange"));
        }
        let mut engagements = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let at = format!("{}[{i}]", fields.path(list));
            let Some(item) = ObjectReader::of(item, at, faults) else { continue };
            let target_id = item.text("target_id", "S3", faults);
            if self.exchange > 0 && !target_id.is_empty() && !targets.contains(&target_id) {
                let message = unlisted(&target_id, targets);
                faults.add("S3", item.path("target_id"), message);
            }
            engagements.push(Engagement {
                target_id,
                kind: item.choice(kind, kinds, "S4", faults),
                content: item.text("content", "S4", faults),
            });
        }
        engagements
    }
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Says that `id` is none of the arguments that could be named.
pub(super) fn unlisted(id: &str, could: &[String]) -> String {
    if could.is_empty() {
        return format!("{id:?} names an argument, and there is none yet that it could be");
    }
    format!("{id:?} is not one of {}", could.join(", "))
}

/// A list of attacks or defences, as the format wants it.
struct ReferenceList<'a> {
    list: &'a str,
    kind: &'a str,
    kinds: &'a [&'a str],
    max: usize,
    rule: &'a str,
}

impl Argument {
    /// Fields over their word limit (S5).
    fn overlong(&self) -> impl Iterator<Item = String> {
        let mut fields = vec![("claim", self.claim.as_str(), 25), ("warrant", &self.warrant, 50)];
        fields.extend(self.backing.as_deref().map(|text| ("backing", text, 50)));
        fields.extend(self.qualifier.as_deref().map(|text| ("qualifier", text, 10)));
        fields.extend(self.grounds.iter().map(|g| ("a ground", g.content.as_str(), 100)));
        fields.extend(self.grounds.iter().map(|g| ("a ground's relevance", g.relevance.as_str(), 30)));
        fields.extend(
            self.attacks.iter().chain(&self.defends).map(|e| ("an engagement", e.content.as_str(), 75)),
        );
        let over = fields.into_iter().filter_map(|(name, text, max)| {
            let count = count_words(text);
            (count > max).then(|| format!("{name} has {count} words, {max} are asked for"))
        });
        over.collect::<Vec<_>>().into_iter()
    }
}

/// JSON Schema of a text that must be there. The upper bound is two to three times the word limit:
/// it ends a model that has begun to babble; the lower keeps a small one from writing the name of
/// the field. Neither touches anyone else.
pub(super) fn text(chars_min: u32, chars_max: u32) -> Value {
    json!({"type": "string", "minLength": chars_min, "maxLength": chars_max})
}

/// A JSON Schema object whose fields are all required.
pub(super) fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let required = json!(required);
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

//! A debater's statement: arguments in Toulmin's form, with attacks and defences.
//!
//! Rules X1 to X9 and S1 to S5 are those of the exchange format; word limits (S5) only warn.

use std::sync::OnceLock;

use agon_core::{Faults, parse};
use agon_text::{WordRuns, count_words};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::common::{
    form::{Field, Form, Kind, Reader, choice_kind, form_field, list_kind, text_kind},
    imported_debate,
};

/// Most pieces of evidence for a claim.
const GROUNDS_MAX: usize = 3;

/// A list of attacks or defences, as the format wants it.
struct EngagementList {
    name: &'static str,
    /// Name of the field that says in which way.
    kind: &'static str,
    kinds: &'static [&'static str],
    max: usize,
    rule: &'static str,
}

const ATTACKS: EngagementList = EngagementList {
    name: "attacks",
    kind: "attack_type",
    kinds: &["claim_attack", "grounds_attack", "warrant_attack", "backing_attack"],
    max: 3,
    rule: "X8",
};
const DEFENDS: EngagementList = EngagementList {
    name: "defends",
    kind: "defense_type",
    kinds: &["reinforce", "clarify", "concede_and_pivot"],
    max: 2,
    rule: "X9",
};

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

    /// One of two things: that of the proposition, or that of the opposition.
    pub fn pick<T>(self, [proposition, opposition]: [T; 2]) -> T {
        if self == Side::Proposition { proposition } else { opposition }
    }

    /// The seat's name.
    pub fn name(self) -> &'static str {
        self.pick(["proposition", "opposition"])
    }

    /// As ids and files abbreviate it.
    pub fn prefix(self) -> &'static str {
        self.pick(["prop", "opp"])
    }

    /// What it says of the motion.
    pub fn stance(self) -> &'static str {
        self.pick(["for", "against"])
    }

    /// What it wants, written out: the first thing a statement says.
    pub fn position(self) -> &'static str {
        self.pick([
            "for: the motion is right and should be adopted",
            "against: the motion is wrong and should be rejected",
        ])
    }

    /// The other one.
    pub fn opposite(self) -> Side {
        self.pick([Side::Opposition, Side::Proposition])
    }

    /// Ids of its arguments in `exchange`: lettered in the opening.
    pub fn argument_ids(self, exchange: u32) -> Vec<String> {
        let stem = format!("{}_{exchange:03}", self.prefix());
        if exchange == 0 { ["a", "b", "c"].map(|letter| format!("{stem}{letter}")).into() } else { vec![stem] }
    }
}

/// One argument in Toulmin's form (1958): claim, grounds, warrant, backing, qualifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    pub backing: Option<String>,
    /// Where the claim does not hold.
    pub qualifier: Option<String>,
    /// Attacks on opposing arguments of earlier exchanges.
    pub attacks: Vec<Engagement>,
    /// Defences of own arguments of earlier exchanges.
    pub defends: Vec<Engagement>,
}

/// One piece of evidence for a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Engagement {
    /// The argument that is attacked or defended.
    pub target_id: String,
    /// In which way.
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
    pub fn word_runs(&self) -> &[WordRuns] {
        self.runs.get_or_init(|| {
            self.arguments.iter().map(|argument| WordRuns::from_text(&argument.field_texts().join("\n"))).collect()
        })
    }
}

impl Argument {
    /// Everything it says, field by field: for the repetition check and for search.
    pub fn field_texts(&self) -> Vec<&str> {
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
    pub fn wanted_count(&self) -> usize {
        if self.exchange == 0 { 3 } else { 1 }
    }

    /// The form of the statement. The stance comes first, so that a small model writes down
    /// which side it is on before it argues.
    pub fn statement_form(&self) -> Form {
        let count = self.wanted_count();
        let arguments = list_kind(count, count, Kind::Object(self.argument_form(false)));
        let stance = form_field("stance", choice_kind([self.side.position()]));
        Form::new(STANCE, [stance, form_field("arguments", arguments)])
    }

    /// The form of one argument. Upper bounds are two to three times the word limit: they end a model that has
    /// begun to babble; lower ones keep a small one from writing the name of the field. Only a form that is
    /// read has the attacks and defences that nothing can be the target of.
    fn argument_form(&self, is_read: bool) -> Form {
        let optional = |chars_max| Kind::Text { chars_min: None, chars_max: Some(chars_max) };
        let ground = [
            form_field("source", text_kind(4, 300)),
            form_field("content", text_kind(40, 1200)),
            form_field("relevance", text_kind(20, 500)),
        ];
        let fields = [
            form_field("title", text_kind(16, 160)),
            form_field("claim", text_kind(30, 400)),
            form_field("grounds", list_kind(1, GROUNDS_MAX, Kind::Object(Form::new("X7", ground)))).with_rule("X5"),
            form_field("warrant", text_kind(30, 700)),
            form_field("backing", optional(700)),
            form_field("qualifier", optional(200)),
        ];
        let engaged = [(ATTACKS, &self.opposing), (DEFENDS, &self.own)].into_iter();
        let engaged = engaged.filter(|(_, targets)| is_read || !targets.is_empty());
        Form::new("X3", fields.into_iter().chain(engaged.map(|(list, targets)| list.form_field(targets))))
    }

    /// The statement in `text`, or every rule it breaks.
    pub fn parse_statement(&self, text: &str) -> Result<Arguments, Faults> {
        let (arguments, faults) = self.parse_with_faults(&parse::parse_json_answer(text)?, false);
        faults.into_result(arguments)
    }

    /// The same of someone who was told that a stance is wanted: one that is left out again is a
    /// warning. The seat says whose the words are, and an argument must not be lost for it.
    pub fn parse_redraft(&self, text: &str) -> Result<Arguments, Faults> {
        let (arguments, faults) = self.parse_with_faults(&parse::parse_json_answer(text)?, true);
        faults.into_result(arguments)
    }

    /// The statement in `text`, which was made elsewhere, under the ids that it came with; rules
    /// that it breaks are warnings.
    pub fn parse_imported(&self, text: &str) -> Result<Arguments, Faults> {
        let mut statement = parse::parse_json_answer(text)?;
        let listed = statement.get_mut("arguments").and_then(|listed| listed.as_array_mut()).into_iter().flatten();
        let ids = listed.map(|item| item.as_object_mut().and_then(|item| item.shift_remove("id")).unwrap_or_default());
        let ids = ids.map(|id| id.as_str().unwrap_or_default().to_owned()).collect();
        let (arguments, faults) = self.parse_with_faults(&statement, false);
        let warnings = imported_debate::format_warnings(&faults).chain(arguments.warnings).collect();
        Ok(Arguments { ids, warnings, ..arguments })
    }

    /// The statement, whatever rules it breaks; `is_told` after a draft that stated no stance.
    fn parse_with_faults(&self, statement: &Value, is_told: bool) -> (Arguments, Faults) {
        let mut faults = Faults::default();
        let mut warnings = Vec::new();
        let stance = statement["stance"].as_str().unwrap_or_default();
        let is_left_out =
            stance.trim().is_empty() && (statement["stance"].is_null() || statement["stance"].is_string());
        // The source system's own form, bare arguments, states no side; ours does.
        let is_wrong =
            statement.get("arguments").is_some() && !stance.trim().to_lowercase().starts_with(self.side.stance());
        if is_wrong && !(is_left_out && is_told) {
            let (argued, wanted) = (self.side.stance(), self.side.position());
            let message = format!("you argue {argued} the motion; \"stance\" must be {wanted:?}, not {stance:?}");
            faults.add(STANCE, "stance", message);
        }
        let listed = statement.get("arguments").unwrap_or(statement);
        let items = listed.as_array().map_or(std::slice::from_ref(listed), Vec::as_slice);
        if items.len() != self.wanted_count() {
            let message = format!("{} argument(s) are wanted, found {}", self.wanted_count(), items.len());
            faults.add("S1", "arguments", message);
        }
        let form = self.argument_form(true);
        let mut arguments = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let at = format!("arguments[{i}]");
            let Some(fields) = form.open_reader(item, at.as_str(), &mut faults) else { continue };
            let unknown = fields.unknown_fields().join(", ");
            if !unknown.is_empty() {
                warnings.push(format!("{at}: unrecognised keys ignored: {unknown}"));
            }
            let argument = self.parse_argument(&fields, &mut faults);
            warnings.extend(argument.find_overlong_fields().map(|what| format!("{at}: {what}")));
            arguments.push(argument);
        }
        if is_wrong && is_left_out && is_told {
            warnings.push("the answer states no stance".into());
        }
        (Arguments { arguments, warnings, ..Arguments::default() }, faults)
    }

    fn parse_argument(&self, fields: &Reader<'_, '_>, faults: &mut Faults) -> Argument {
        let grounds = fields.read_parts("grounds", faults);
        if !(1..=GROUNDS_MAX).contains(&grounds.len()) {
            let message = format!("1 to {GROUNDS_MAX} grounds are wanted, found {}", grounds.len());
            faults.add("X6", fields.field_path("grounds"), message);
        }
        let grounds = grounds.iter().filter_map(|ground| {
            let ground = ground.open(faults)?;
            let source = ground.read_text("source", faults);
            let (content, relevance) = (ground.read_text("content", faults), ground.read_text("relevance", faults));
            Some(Ground { source, content, relevance })
        });
        let grounds = grounds.collect();
        let [title, claim, warrant] = ["title", "claim", "warrant"].map(|name| fields.read_text(name, faults));
        let [backing, qualifier] = ["backing", "qualifier"].map(|name| fields.optional_text(name, faults));
        let attacks = self.parse_engagements(fields, &ATTACKS, &self.opposing, faults);
        let defends = self.parse_engagements(fields, &DEFENDS, &self.own, faults);
        Argument { title, claim, grounds, warrant, backing, qualifier, attacks, defends }
    }

    fn parse_engagements(
        &self,
        fields: &Reader<'_, '_>,
        &EngagementList { name, kind, max, .. }: &EngagementList,
        targets: &[String],
        faults: &mut Faults,
    ) -> Vec<Engagement> {
        let parts = fields.read_parts(name, faults);
        if parts.len() > max {
            fields.add_fault(name, format!("too many {name} ({}); at most {max}", parts.len()), faults);
        }
        if self.exchange == 0 && !parts.is_empty() {
            faults.add("S2", fields.field_path(name), format!("there are no {name} in the opening exchange"));
        }
        let engagements = parts.iter().filter_map(|part| {
            let item = part.open(faults)?;
            let target_id = item.read_text("target_id", faults);
            if self.exchange > 0 && !target_id.is_empty() && !targets.contains(&target_id) {
                item.add_fault("target_id", describe_unlisted(&target_id, targets), faults);
            }
            let (kind, content) = (item.read_text(kind, faults), item.read_text("content", faults));
            Some(Engagement { target_id, kind, content })
        });
        engagements.collect()
    }
}

impl EngagementList {
    /// The field of it, with what can be the target.
    fn form_field(&self, targets: &[String]) -> Field {
        let item = [
            form_field("target_id", Kind::Reference(targets.to_vec())).with_rule("S3"),
            form_field(self.kind, choice_kind(self.kinds.iter().copied())),
            form_field("content", text_kind(30, 900)),
        ];
        form_field(self.name, list_kind(0, self.max, Kind::Object(Form::new("S4", item)))).with_rule(self.rule)
    }
}

/// Says that `id` is none of the arguments that could be named.
pub(super) fn describe_unlisted(id: &str, could: &[String]) -> String {
    if could.is_empty() {
        return format!("{id:?} names an argument, and there is none yet that it could be");
    }
    format!("{id:?} is not one of {}", could.join(", "))
}

impl Argument {
    /// Fields over their word limit (S5).
    fn find_overlong_fields(&self) -> impl Iterator<Item = String> {
        let mut fields = vec![("claim", self.claim.as_str(), 25), ("warrant", &self.warrant, 50)];
        fields.extend(self.backing.as_deref().map(|text| ("backing", text, 50)));
        fields.extend(self.qualifier.as_deref().map(|text| ("qualifier", text, 10)));
        fields.extend(self.grounds.iter().map(|g| ("a ground", g.content.as_str(), 100)));
        fields.extend(self.grounds.iter().map(|g| ("a ground's relevance", g.relevance.as_str(), 30)));
        let engaged = self.attacks.iter().chain(&self.defends);
        fields.extend(engaged.map(|e| ("an engagement", e.content.as_str(), 75)));
        fields.into_iter().filter_map(|(name, text, max)| {
            let count = count_words(text);
            (count > max).then(|| format!("{name} has {count} words, {max} are asked for"))
        })
    }
}

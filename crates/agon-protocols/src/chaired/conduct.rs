//! Rulings on conduct: warnings for what the program itself can see, and what the chair rules on any entry
//! when it looks back at a round.
//!
//! Each names an entry, a rule of the debate and a reason. It stands in the log as a `ruling`, and what is
//! not lifted is put to the chair again when it concludes.

use agon_core::{Faults, Floor, Flow, parse};
use serde_json::{Value, json};

use super::{
    announce,
    debaters::Debaters,
    log::{DebateLog, EntryRuling, Logged, Phase, Type},
    object,
    rule::{Conduct, RULES, RulingVerdict, rule_name},
    state::ChairedState,
    verification::SourceFinding,
};
use crate::common::{fields::ObjectReader, verification::addresses};

/// Rulings that one look back may give.
const RULINGS_MAX: usize = 6;
/// Longest reason, in characters.
const REASON_CHARS_MAX: usize = 400;
/// Shortest quotation that is looked for in the log, in words.
const QUOTED_WORDS_MIN: usize = 4;

/// A ruling to be put on the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConductRuling {
    /// On what.
    pub conduct: Conduct,
    /// Why, in a sentence.
    pub reason: String,
}

/// Rulings that stand, each in the entry that gives it: the last on an entry and rule counts, and what was
/// lifted or is about a struck entry does not.
pub fn standing(log: &DebateLog) -> Vec<(&Logged, Conduct)> {
    let ruled = log.0.iter().filter_map(|logged| Some((logged, logged.item.conduct?)));
    let all: Vec<(&Logged, Conduct)> = ruled.collect();
    let stands = |at: usize, conduct: Conduct| {
        let later =
            all[at + 1..].iter().any(|(_, other)| (other.of, other.rule) == (conduct.of, conduct.rule));
        !later
            && conduct.verdict != RulingVerdict::Lifted
            && log.at(conduct.of).is_some_and(|l| l.struck.is_none())
    };
    all.iter().enumerate().filter(|(at, (_, conduct))| stands(*at, *conduct)).map(|(_, both)| *both).collect()
}

/// Standing rulings as prompts show them, of everyone or of `speaker` alone.
pub fn shown(log: &DebateLog, speaker: Option<&str>) -> Vec<Value> {
    let by = |conduct: Conduct| log.at(conduct.of).map(|logged| logged.item.speaker.as_str());
    let own = standing(log).into_iter().filter(|(_, conduct)| speaker.is_none() || by(*conduct) == speaker);
    let show = |(logged, conduct): (&Logged, Conduct)| {
        let text = logged.content();
        let text = text.split_once(": ").map_or(text.as_str(), |(_, text)| text);
        json!({"by": by(conduct), "seq": conduct.of, "rule": conduct.rule, "text": text})
    };
    own.map(show).collect()
}

/// What the program noticed and cannot judge: words that are quoted as another entry's and stand in none. What is
/// cited from a page, or stands on one that was `found`, belongs to no entry.
pub fn suspicions(log: &DebateLog, found: &[SourceFinding]) -> Vec<Value> {
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        format!(" {} ", words.map(str::to_lowercase).collect::<Vec<_>>().join(" "))
    };
    let said: Vec<String> = log.0.iter().map(|logged| plain(logged.original().0)).collect();
    let pages: Vec<String> = found.iter().filter_map(|found| found.sentence.as_deref()).map(plain).collect();
    let ruled = |seq: u64| log.0.iter().any(|l| l.item.conduct.is_some_and(|c| (c.of, c.rule) == (seq, 7)));
    let mut found = Vec::new();
    for logged in log.arguments().filter(|logged| !ruled(logged.item.seq)) {
        let content = logged.content();
        let attributed = content.split(['\n', ';']).filter(|part| part.to_lowercase().contains("seq "));
        let spoken = attributed.flat_map(quotations).filter(|(_, behind)| !is_cited(behind));
        let quoted = spoken.map(|(quoted, _)| quoted).filter(|quoted| {
            let own = said.get(logged.item.seq as usize);
            let elsewhere = said.iter().filter(|other| Some(*other) != own);
            quoted.split_whitespace().count() >= QUOTED_WORDS_MIN
                && !elsewhere.into_iter().chain(&pages).any(|other| other.contains(&plain(quoted)))
        });
        if let Some(quoted) = quoted.into_iter().next() {
            let what = format!("it quotes words that no other entry has: {quoted:?}");
            found.push(json!({"seq": logged.item.seq, "rule": 7, "what": what}));
        }
    }
    found
}

/// What stands between double quotation marks, each with what follows up to the next one.
fn quotations(text: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = text.split(['"', '“', '”', '„']).collect();
    let inside = (1..parts.len()).step_by(2);
    inside.map(|at| (parts[at], parts.get(at + 1).copied().unwrap_or_default())).collect()
}

/// Whether an address follows within the sentence: `… (https://a.b)` and `…, says the budget (https://a.b)`.
fn is_cited(behind: &str) -> bool {
    let own = behind.split_inclusive(". ").next().unwrap_or_default();
    !addresses(own).is_empty()
}

/// Whether a sentence of `content` is about the person of someone else: calls it by a word that means no
/// argument.
pub fn insults(content: &str, speaker: &str, debaters: &Debaters) -> Option<String> {
    const NOUNS: [&str; 16] = [
        "fool",
        "fools",
        "idiot",
        "idiots",
        "liar",
        "liars",
        "moron",
        "imbecile",
        "hypocrite",
        "coward",
        "clown",
        "charlatan",
        "simpleton",
        "buffoon",
        "crook",
        "ignoramus",
    ];
    const ADJECTIVES: [&str; 9] =
        ["stupid", "dumb", "foolish", "idiotic", "dishonest", "ignorant", "crazy", "insane", "pathetic"];
    let others: Vec<String> =
        debaters.names().into_iter().filter(|name| *name != speaker).map(str::to_lowercase).collect();
    content.split(['.', '!', '?', '\n']).find_map(|sentence| {
        let lower = sentence.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !(c.is_alphanumeric() || c == '-'))
            .filter(|word| !word.is_empty())
            .collect();
        let person = |word: &str| word == "you" || others.iter().any(|other| other == word);
        let noun = words.iter().any(|word| person(word)) && words.iter().any(|word| NOUNS.contains(word));
        // «You are stupid» is about a person, «your stupid tax» about a tax.
        let adjective = words.windows(3).any(|three| {
            person(three[0]) && ["are", "is", "re"].contains(&three[1]) && ADJECTIVES.contains(&three[2])
        });
        (noun || adjective).then(|| sentence.trim().to_owned())
    })
}

/// JSON Schema of rulings in an answer of the chair; `None` while there is nothing to rule on.
pub fn schema(log: &DebateLog) -> Option<Value> {
    let seqs: Vec<String> = log.arguments().map(|logged| logged.item.seq.to_string()).collect();
    let ruling = object(json!({
        "seq": {"type": "string", "enum": seqs},
        "rule": {"type": "integer", "enum": RULES.map(|(number, _)| number)},
        "ruling": {"type": "string", "enum": RulingVerdict::ALL.map(RulingVerdict::name)},
        "reason": {"type": "string", "minLength": 20, "maxLength": REASON_CHARS_MAX},
    }));
    let list = json!({"type": "array", "minItems": 0, "maxItems": RULINGS_MAX, "items": ruling});
    (!seqs.is_empty()).then_some(list)
}

/// Whether `text` says in plain words that exist no rulings.
fn says_none(text: &str) -> bool {
    let words = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    ["", "none", "no", "no ruling", "no rulings", "nothing", "no rulings on conduct"]
        .contains(&words.as_str())
}

/// The rulings in an answer of the chair, which may have none. One that cannot be is a fault, and left out
/// once its author was `told`.
pub fn read(text: &str, log: &DebateLog, told: bool) -> Result<Vec<ConductRuling>, Faults> {
    let mut value = parse::json(text)?;
    if value["rulings"].as_str().is_some_and(says_none) {
        value["rulings"] = json!([]);
    }
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let mut rulings: Vec<ConductRuling> = Vec::new();
    for (i, item) in fields.list("rulings", "conduct", &mut faults).iter().enumerate().take(RULINGS_MAX) {
        let mut own = Faults::default();
        let given = ObjectReader::of(item, format!("rulings[{i}]"), &mut own)
            .and_then(|item| ruling(&item, log, &mut own));
        match given.filter(|_| own.0.is_empty()) {
            Some(given) if !said_already(&given, log, &rulings) => rulings.push(given),
            _ => faults.0.extend(own.0),
        }
    }
    if told { Ok(rulings) } else { faults.or(rulings) }
}

fn said_already(given: &ConductRuling, log: &DebateLog, before: &[ConductRuling]) -> bool {
    before.iter().any(|other| other.conduct == given.conduct)
        || standing(log).into_iter().any(|(_, conduct)| conduct == given.conduct)
}

fn ruling(item: &ObjectReader<'_>, log: &DebateLog, faults: &mut Faults) -> Option<ConductRuling> {
    let number = |name: &str| {
        let value = item.get(name)?;
        let text = value
            .as_str()
            .map(|text| text.trim().trim_start_matches("seq").trim_start_matches("rule").trim());
        value.as_u64().or_else(|| text.and_then(|text| text.parse().ok()))
    };
    let seq = number("seq").filter(|seq| log.at(*seq).is_some_and(Logged::argues));
    if seq.is_none() {
        faults.add("conduct", item.path("seq"), "name the seq of a debater's entry that stands");
    }
    let rule =
        number("rule").and_then(|rule| u32::try_from(rule).ok()).filter(|rule| rule_name(*rule).is_some());
    if rule.is_none() {
        let rules = RULES.map(|(number, _)| number.to_string()).join(", ");
        faults.add("conduct", item.path("rule"), format!("rule must be one of {rules}"));
    }
    let name = item.text("ruling", "conduct", faults).to_lowercase().replace([' ', '-'], "_");
    let verdict = RulingVerdict::ALL.into_iter().find(|verdict| verdict.name() == name);
    if verdict.is_none() && !name.is_empty() {
        let names = RulingVerdict::ALL.map(RulingVerdict::name).join(", ");
        faults.add("conduct", item.path("ruling"), format!("{name:?} is not one of {names}"));
    }
    let reason: String = item.text("reason", "conduct", faults).chars().take(REASON_CHARS_MAX).collect();
    let conduct = Conduct { of: seq?, rule: rule?, verdict: verdict? };
    let stands =
        || standing(log).iter().any(|(_, other)| (other.of, other.rule) == (conduct.of, conduct.rule));
    if conduct.verdict == RulingVerdict::Lifted && !stands() {
        let message = format!(
            "no ruling on seq {} under rule {} stands that could be lifted",
            conduct.of, conduct.rule
        );
        faults.add("conduct", item.path("ruling"), message);
    }
    Some(ConductRuling { conduct, reason })
}

/// Puts rulings into the log, in the chair's name.
pub(super) fn rule(floor: &mut Floor<'_>, state: &mut ChairedState, rulings: &[ConductRuling]) -> Flow<()> {
    for ConductRuling { conduct, reason } in rulings {
        let mut item = EntryRuling::chair(Phase::System, Type::Ruling, announce::conduct(*conduct, reason));
        item.conduct = Some(*conduct);
        state.log.write(floor, item)?;
    }
    Ok(())
}

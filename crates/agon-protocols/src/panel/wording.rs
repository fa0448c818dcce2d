//! How a question is worded, told by its grammar: whether it asks openly, for something in the matter, of
//! one person, without leaning to a side, and not for the second time.
//!
//! English questions are taken apart: the words at the head of their clauses tell yes or no from which and
//! how. Of other languages only their question words are looked for; where none is known nothing is said.

use std::{collections::BTreeSet, sync::LazyLock};

use agon_text::count_words;
use serde::{Deserialize, Deserializer};

use super::speech::{plain, quotations};
use crate::common::shipped;

/// A question has fewer words than this (Q1).
pub const QUESTION_WORDS_BELOW: usize = 75;
/// Words at the head of a clause among which its question word stands, behind a preposition or two.
const HEAD_WORDS_MAX: usize = 3;
/// Words of a clause that asks to be confirmed.
const TAG_WORDS_MAX: usize = 4;
/// Share of the fewer words that two questions have in common where they ask the same.
const ALIKE_SHARE: f64 = 0.8;
/// So many words that matter, all the same, make two questions one whatever they quote.
const ALIKE_WORDS_MIN: usize = 5;
/// Letters by which forms of a word are one.
const STEM_CHARS: usize = 5;
/// Letters by which a word takes up another, however loosely.
const KIN_CHARS: usize = 3;

/// A closed class of words.
#[derive(Debug)]
struct Class(BTreeSet<String>);

impl Class {
    fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

impl<'de> Deserialize<'de> for Class {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(String::deserialize(from)?.split_whitespace().map(str::to_owned).collect()))
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Grammar {
    function: Class,
    generic: Class,
    questions: Class,
    auxiliaries: Class,
    prepositions: Class,
    demands: Class,
    cognition: Class,
    opinions: Class,
    restating: Class,
    judging: Class,
    adverbs: Class,
    verdicts: Class,
    presuming: Class,
    telling: Class,
    hypothetical: Class,
    cornering: Class,
    anaphors: Class,
    language: Vec<LanguageWords>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageWords {
    common: Class,
    questions: Class,
}

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| shipped(include_str!("wording.toml")));

/// Languages that are told by their script, with their question words.
const SCRIPTS: [&[&str]; 2] = [
    &["什么", "什麼", "哪", "怎么", "怎麼", "为什么", "多少", "谁", "誰", "如何", "何时", "几"],
    &["何", "なぜ", "どの", "どう", "どこ", "いつ", "誰", "いくつ", "どれ", "どんな"],
];

type Fault = (&'static str, String);

/// What is wrong with a question to `target`: `whole` is what is put, with its quote, `asked` the
/// moderator's own part, `others` who else sits there, `known` what has been said.
pub fn faults(whole: &str, asked: &str, target: &str, others: &[&str], known: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let count = count_words(whole);
    if count >= QUESTION_WORDS_BELOW {
        let message = format!(
            "the question has {count} words with its quotes; it must have fewer than {QUESTION_WORDS_BELOW}"
        );
        faults.push(("Q1", message));
    }
    let own = outside(asked);
    if !own.contains(['?', '？', '؟']) {
        let message = "it asks nothing; end with a question that evidence or reasoning can answer";
        faults.push(("Q3", message.into()));
        return faults;
    }
    let sentences = sentences(&own);
    faults.extend(addressees(&sentences, others));
    if is_english(&own) {
        let names: Vec<String> = others.iter().chain([&target]).flat_map(|name| tokens(name)).collect();
        faults.extend(english(&sentences, &names, known));
    } else if !has_question_word(&own) {
        faults.push(("Q5", YES_OR_NO.into()));
    }
    faults
}

const YES_OR_NO: &str = "this is answered by yes or no; ask what, which, how or why decides it";

/// `text` without what stands in quotation marks.
pub fn outside(text: &str) -> String {
    plain(text).split('"').step_by(2).collect::<Vec<_>>().join(" … ").trim().to_owned()
}

/// A sentence: its clauses as words, and whether it asks.
struct SentenceClauses {
    clauses: Vec<Vec<String>>,
    asks: bool,
}

fn sentences(own: &str) -> Vec<SentenceClauses> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in own.char_indices() {
        let end = at + c.len_utf8();
        let after = own[end..].chars().next();
        let ends = "?？؟!！。…".contains(c) || (c == '.' && after.is_none_or(char::is_whitespace));
        if ends || after.is_none() {
            let clauses = own[start..end].split([',', ';', ':', '—', '–', '(', ')', '，', '；']).map(tokens);
            let clauses: Vec<Vec<String>> = clauses.filter(|clause| !clause.is_empty()).collect();
            if !clauses.is_empty() {
                found.push(SentenceClauses { clauses, asks: "?？؟".contains(c) });
            }
            start = end;
        }
    }
    found
}

fn tokens(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Who is spoken to besides the one who is asked (Q6).
fn addressees(sentences: &[SentenceClauses], others: &[&str]) -> Option<Fault> {
    let clauses = || sentences.iter().flat_map(|sentence| &sentence.clauses);
    let called = others.iter().find(|other| {
        let name = tokens(other);
        let alone = clauses().any(|clause| *clause == name);
        let joined = clauses().any(|clause| {
            clause.strip_prefix(name.as_slice()).is_some_and(|rest| rest.len() == 2 && rest[0] == "and")
        });
        alone || joined
    });
    if let Some(other) = called {
        return Some(("Q6", format!("the question speaks to {other}; it goes to one panelist alone")));
    }
    let all = clauses().any(|clause| {
        clause.windows(3).any(|w| {
            matches!(w[0].as_str(), "both" | "each" | "all" | "any") && w[1] == "of" && w[2] == "you"
        }) || clause.windows(2).any(|w| w[0] == "you" && matches!(w[1].as_str(), "both" | "all"))
            || matches!(clause.first().map(String::as_str), Some("everyone" | "everybody"))
    });
    all.then(|| ("Q6", "the question speaks to several; one panelist is asked".to_owned()))
}

fn is_english(own: &str) -> bool {
    let grammar = &*GRAMMAR;
    let all = tokens(own);
    let hits = |class: &Class| all.iter().filter(|word| class.has(word)).count();
    let others = grammar.language.iter().map(|l| hits(&l.common) + hits(&l.questions)).max().unwrap_or(0);
    let own_hits = hits(&grammar.function);
    // A word alone ("Really?", "So?") is taken for English where it is spelled so.
    let ascii = own.chars().filter(|c| c.is_alphabetic()).all(|c| c.is_ascii());
    own_hits > others || (ascii && others == 0)
}

/// Whether a text in another language asks by a question word; so it does where none is known.
fn has_question_word(own: &str) -> bool {
    let all = tokens(own);
    if own.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}')) {
        return SCRIPTS.iter().any(|words| words.iter().any(|word| own.contains(word)));
    }
    let spoken = |language: &&LanguageWords| all.iter().any(|word| language.common.has(word));
    let mut spoken = GRAMMAR.language.iter().filter(spoken).peekable();
    if spoken.peek().is_none() {
        return true;
    }
    let heads: Vec<Vec<String>> = sentences(own).into_iter().flat_map(|sentence| sentence.clauses).collect();
    let heads = || heads.iter().map(|clause| &clause[..clause.len().min(HEAD_WORDS_MAX)]);
    let elided = heads().any(|head| head.windows(2).any(|w| w[0] == "qu" && w[1] == "est"));
    elided || spoken.any(|language| heads().flatten().any(|word| language.questions.has(word)))
}

/// The rules that go by English grammar.
fn english(sentences: &[SentenceClauses], names: &[String], known: &str) -> Vec<Fault> {
    let grammar = &*GRAMMAR;
    let known: BTreeSet<String> = content_of(known, KIN_CHARS);
    let mut faults = Vec::new();
    let mut add = |fault: Option<Fault>| faults.extend(fault);
    let content = |clauses: &[Vec<String>]| -> Vec<String> {
        let all = clauses.iter().flatten();
        let matters = |word: &&String| {
            !grammar.function.has(word) && !grammar.generic.has(word) && !names.contains(word)
        };
        all.filter(matters).cloned().collect()
    };
    for sentence in sentences.iter().filter(|sentence| sentence.asks) {
        let clauses: Vec<Vec<String>> = sentence.clauses.iter().map(|clause| headed(clause, names)).collect();
        let open = clauses.iter().find(|clause| is_open(clause));
        let Some(open) = open else {
            add(Some(("Q5", YES_OR_NO.into())));
            continue;
        };
        if content(&sentence.clauses).is_empty() {
            let message =
                "it asks for a reply and for nothing in the matter; ask for evidence, a case or a condition";
            add(Some(("Q5", message.into())));
        }
        add(mind(open, names));
        if sentence.clauses.iter().flatten().any(|word| grammar.restating.has(word)) {
            add(Some((
                "Q4",
                "it invites a restatement; ask how the claim stands against the one quoted".into(),
            )));
        }
        let touches = |word: &String| grammar.anaphors.has(word) || known.contains(&stem(word, KIN_CHARS));
        if !sentence.clauses.iter().flatten().any(touches) {
            add(Some(("Q2", "it takes up nothing that was said; ask about the quoted claim".into())));
        }
        if is_cornering(open) {
            let message = "it takes for granted that the one asked is wrong; ask without it";
            add(Some(("Q7", message.into())));
        }
    }
    if !sentences.iter().any(|sentence| sentence.asks) {
        add(Some((
            "Q3",
            "it asks nothing; end with a question that evidence or reasoning can answer".into(),
        )));
    }
    add(sentences.iter().find_map(leaning));
    let mut seen = BTreeSet::new();
    faults.retain(|fault: &Fault| seen.insert(fault.clone()));
    faults
}

/// A clause without the names and small words before its head.
fn headed(clause: &[String], names: &[String]) -> Vec<String> {
    let skipped = clause.iter().take_while(|word| names.contains(word) || GRAMMAR.prepositions.has(word));
    clause[skipped.count()..].to_vec()
}

/// Whether a clause asks for more than yes or no.
fn is_open(clause: &[String]) -> bool {
    let grammar = &*GRAMMAR;
    let Some(first) = clause.first() else { return false };
    if grammar.demands.has(first) {
        return clause.len() > 1;
    }
    if first == "when" || first == "where" {
        return clause.get(1).is_none_or(|next| grammar.auxiliaries.has(next));
    }
    if grammar.questions.has(first) {
        return true;
    }
    let inverted = |pair: &[String]| grammar.questions.has(&pair[0]) && grammar.auxiliaries.has(&pair[1]);
    !grammar.auxiliaries.has(first) && clause.windows(2).any(inverted)
}

/// Whether it asks for a state of mind (Q5), or for the whole case again (Q4).
fn mind(clause: &[String], names: &[String]) -> Option<Fault> {
    let grammar = &*GRAMMAR;
    let fault = || ("Q5", "it asks for an opinion; ask for what would decide the matter".to_owned());
    if !clause.first().is_some_and(|first| matches!(first.as_str(), "what" | "how" | "why" | "where")) {
        return None;
    }
    let rest: Vec<&String> = clause[1..].iter().filter(|word| *word != "s").collect();
    let is_you = |word: &str| word == "you" || names.iter().any(|name| name == word);
    if let [auxiliary, you, verbs @ ..] = rest.as_slice()
        && grammar.auxiliaries.has(auxiliary)
        && is_you(you)
    {
        let verb = verbs.iter().find(|word| !grammar.function.has(word));
        let makes_of = verb.is_some_and(|verb| *verb == "make") && verbs.iter().any(|word| *word == "of");
        return (makes_of || verb.is_some_and(|verb| grammar.cognition.has(verb))).then(fault);
    }
    let at = rest.iter().take(3).position(|word| *word == "your")?;
    let noun = rest[at + 1..].iter().take(3).find(|word| grammar.opinions.has(word))?;
    let is_what = rest[..at].iter().all(|word| grammar.auxiliaries.has(word));
    // "What is your case for" is the case; "what in your case" is not asked for it.
    let again = || ("Q4", format!("a restatement of the {noun} answers it; ask what stands against it"));
    match noun.as_str() {
        "argument" | "claim" | "case" | "point" | "position" => is_what.then(again),
        _ => is_what.then(fault),
    }
}

/// Whether a question drives into a corner: "why do you still cling to", "how can you defend such".
fn is_cornering(clause: &[String]) -> bool {
    let grammar = &*GRAMMAR;
    let first = clause.first().map(String::as_str);
    let why = matches!(first, Some("why" | "how"));
    let yours = clause.iter().any(|word| word == "you" || word == "your");
    why && yours && clause.iter().any(|word| grammar.cornering.has(word) || is_verdict(word))
}

fn is_verdict(word: &str) -> bool {
    GRAMMAR.verdicts.has(word) && !matches!(word, "better" | "right" | "correct" | "lost")
}

/// An opinion of the moderator's, said or taken for granted (Q7).
fn leaning(sentence: &SentenceClauses) -> Option<Fault> {
    let grammar = &*GRAMMAR;
    let all: Vec<&String> = sentence.clauses.iter().flatten().collect();
    if let Some(word) = all.iter().find(|word| grammar.adverbs.has(word)) {
        return Some((
            "Q7",
            format!("{word:?} is an opinion of yours; the moderator has none, ask without it"),
        ));
    }
    if all.windows(2).any(|w| w[0] == "of" && w[1] == "course") {
        return Some(("Q7", "\"of course\" is an opinion of yours; ask without it".into()));
    }
    for clause in &sentence.clauses {
        let own = clause
            .iter()
            .position(|word| word == "i")
            .is_some_and(|at| clause[at + 1..].iter().take(3).any(|word| grammar.judging.has(word)));
        let view = clause.windows(2).any(|w| {
            matches!(w[0].as_str(), "my" | "our") && (grammar.opinions.has(&w[1]) || w[1] == "mind")
        });
        if own || view {
            return Some((
                "Q7",
                "it gives an opinion of yours; the moderator has none, ask without it".into(),
            ));
        }
        let told = clause.iter().any(|word| grammar.telling.has(word));
        let supposed = clause.iter().any(|word| grammar.hypothetical.has(word));
        let presumes = clause.first().is_some_and(|first| grammar.presuming.has(first));
        let asks = sentence.asks && is_open(&headed(clause, &[]));
        let judges = clause.iter().any(|word| grammar.verdicts.has(word) && word != "lost");
        if judges && !told && !supposed && !asks && (presumes || !sentence.asks) {
            return Some(("Q7", "it says who is right; the moderator does not, ask without it".into()));
        }
    }
    let last = sentence.clauses.last().filter(|_| sentence.asks && sentence.clauses.len() > 1)?;
    let tag = last.len() <= TAG_WORDS_MAX
        && last.first().is_some_and(|first| grammar.auxiliaries.has(first))
        && last.iter().any(|word| word == "t" || word == "not");
    tag.then(|| ("Q7", "it asks to be confirmed; ask what speaks for it".to_owned()))
}

/// Whether two questions ask the same (Q4): nearly the same words that matter about the same quote, or
/// exactly the same whatever is quoted.
pub fn is_alike(earlier: &str, question: &str) -> bool {
    let own = [earlier, question].map(|text| matters(&unquoted(text)));
    let quoted = [earlier, question].map(|text| matters(&quotations(text).join(" ")));
    let share = |pair: &[BTreeSet<String>; 2]| {
        let fewer = pair[0].len().min(pair[1].len());
        (fewer, pair[0].intersection(&pair[1]).count() as f64 / fewer.max(1) as f64)
    };
    let same_words = own[0] == own[1] && own[0].len() >= ALIKE_WORDS_MIN;
    let (count, own) = share(&own);
    let (quotes, same_quote) = share(&quoted);
    let same_quote = quotes == 0 || same_quote >= ALIKE_SHARE;
    plain(earlier) == plain(question) || (count > 0 && own >= ALIKE_SHARE && same_quote) || same_words
}

/// What a question asks in words of its own, without those that introduce a quote.
fn unquoted(text: &str) -> String {
    let plain = plain(text);
    plain
        .split('"')
        .step_by(2)
        .filter(|part| !part.trim_end().ends_with("said:"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn matters(text: &str) -> BTreeSet<String> {
    content_of(text, STEM_CHARS)
}

/// How many of the words that matter two texts share.
pub fn shared(one: &str, other: &str) -> usize {
    matters(one).intersection(&matters(other)).count()
}

fn content_of(text: &str, chars: usize) -> BTreeSet<String> {
    let words = tokens(text).into_iter().filter(|word| !GRAMMAR.function.has(word));
    words.map(|word| stem(&word, chars)).collect()
}

fn stem(word: &str, chars: usize) -> String {
    word.chars().take(chars).collect()
}

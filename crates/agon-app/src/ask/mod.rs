//! `agon ask`: proposes kind, material and rounds of a debate for a question in plain words, by rules that the
//! manifests of the protocols declare. Where no word of the question tells the kind, a person chooses it, or a model reads
//! it.

mod choice;
mod named_material;
mod proposal_text;
mod protocol_reader;

use agon_core::{Manifest, MotionKind, ask::phrase_in};
use agon_material::local_changes::ChangesAtHand;
use agon_text::count_noun;

pub use self::{
    choice::{AskChoice, list_choices},
    named_material::{MaterialAtHand, NamedSource, at_hand},
    proposal_text::tell_proposal,
    protocol_reader::read_kind,
};
use crate::{
    failure::{Failure, Result},
    request::{OpeningRequest, SourceRequest},
};

/// Longest question, in characters: that of a motion.
const QUESTION_CHARS_MAX: usize = 20_000;
/// What a question counts for a kind that one of its phrases names, for one that it begins like, and for the kind
/// that is proposed otherwise.
const NAMED: usize = 10;
const BEGUN: usize = 3;
const OTHERWISE: usize = 1;
/// Words of a question that is about changes.
const CHANGES: &str =
    "change, changes, diff, commit, commits, branch, pull request, merge request, pr, patch, this code, my code, merge";
/// Words of a question that wants a short debate, and of one that wants a long one.
const QUICK: &str = "quick*, brief*, short*, fast";
const THOROUGH: &str = "thorough*, deep*, careful*, in depth, in detail";

/// A part of a proposal, and why it is so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskReason {
    /// `kind`, `material`, `rounds`, `options` or `line-up`.
    pub what: &'static str,
    /// What is proposed.
    pub value: String,
    /// Why, in a clause.
    pub why: String,
}

/// What is proposed for a question.
#[derive(Debug, Clone, PartialEq)]
pub struct AskProposal {
    /// The request that opens it.
    pub request: OpeningRequest,
    /// Each part, and why.
    pub reasons: Vec<AskReason>,
    /// The kinds that can be meant as well as the proposed one, which is the first of them; empty where a word of the
    /// question tells the kind.
    pub possible_kinds: Vec<String>,
}

/// A kind that is proposed.
struct ProposedKind<'m> {
    manifest: &'m Manifest,
    why: String,
    possible_kinds: Vec<String>,
}

/// Proposes a debate by `manifest` for `question`, since `why`; the rest as [`propose_debate`] does.
///
/// # Errors
///
/// Where the question names a file that is not there.
pub fn propose_kind(
    question: &str,
    wishes: OpeningRequest,
    found: &MaterialAtHand,
    (manifest, why): (&Manifest, String),
) -> Result<AskProposal> {
    build_proposal(question.trim(), wishes, found, ProposedKind { manifest, why, possible_kinds: Vec::new() })
}

/// Proposes a debate by one of `kinds` for `question`. What `wishes` says is taken as it is; `found` is what lies
/// at hand.
///
/// # Errors
///
/// Where the question is empty or too long, names a file that is not there, or no kind fits.
pub fn propose_debate(
    question: &str,
    wishes: OpeningRequest,
    found: &MaterialAtHand,
    kinds: &[&Manifest],
) -> Result<AskProposal> {
    let question = question.trim();
    if question.is_empty() || question.chars().count() > QUESTION_CHARS_MAX {
        return Err(Failure::usage(
            format!("a question has 1 to {QUESTION_CHARS_MAX} characters"),
            "say in a sentence what you want to know, for example: agon ask \"review my changes\"",
        ));
    }
    let words = question_words(question, found);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // Nothing else is debated in the place of what the question names.
    if let Some(missing) = found.missing.as_ref().filter(|_| wishes.context.sources.is_empty()) {
        return Err(Failure::usage(
            format!("the question names {missing}, and there is no such file in this folder"),
            "write its path as it is from here, in quotes if it has blanks, or name the material with --context",
        ));
    }
    let is_question = question.ends_with('?');
    let fitting = choose_kind(&words, is_question, &wishes, found, kinds)?;
    build_proposal(question, wishes, found, fitting)
}

fn build_proposal(
    question: &str,
    wishes: OpeningRequest,
    found: &MaterialAtHand,
    kind: ProposedKind<'_>,
) -> Result<AskProposal> {
    let ProposedKind { manifest, why, possible_kinds } = kind;
    let words = question_words(question, found);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut reasons = vec![build_reason("kind", &manifest.name, why)];
    let mut request = OpeningRequest { protocol: manifest.name.clone(), ..wishes };
    let document = named_document(found).filter(|_| manifest.motion == MotionKind::Document);
    match document {
        Some(path) => {
            request.motion = Some(path.to_owned());
            if let Some(option) = manifest.ask.as_ref().and_then(|ask| ask.question.as_deref()) {
                request.options.set(option, &question.into())?;
            }
            reasons.push(build_reason("material", path, "it is the document, and your question names it"));
        }
        None => request.motion = Some(question.to_owned()),
    }
    if request.context.sources.is_empty() && document.is_none() {
        let is_about_changes = has_phrase(CHANGES, &words);
        let wants_changes = manifest.needs_material || is_about_changes;
        for (source, why) in propose_material(found, wants_changes) {
            reasons.push(build_reason("material", &source, why));
            request.context.sources.push(SourceRequest::Named(source));
        }
    } else {
        for source in &request.context.sources {
            reasons.push(build_reason("material", source.as_named().unwrap_or_default(), "you name it"));
        }
    }
    choose_length(manifest, &words, &mut request, &mut reasons)?;
    Ok(AskProposal { request, reasons, possible_kinds })
}

fn build_reason(what: &'static str, value: impl Into<String>, why: impl Into<String>) -> AskReason {
    AskReason { what, value: value.into(), why: why.into() }
}

/// Whether one of `phrases`, which commas separate, is among `words`.
fn has_phrase(phrases: &str, words: &[&str]) -> bool {
    let phrases: Vec<String> = phrases.split(", ").map(str::to_owned).collect();
    phrase_in(&phrases, words, false).is_some()
}

/// Whether the changes at hand can be meant: "Should a review be mandatory?" is not about what happens to lie here.
fn may_mean_changes(is_question: bool, words: &[&str]) -> bool {
    !is_question || has_phrase(CHANGES, words)
}

/// The words of a question in lower case, without what names material: `review.md` asks for no review.
fn question_words(question: &str, found: &MaterialAtHand) -> Vec<String> {
    let is_named = |word: &&str| found.named.iter().all(|named| named_material::strip_punctuation(word) != named.word);
    let spans = found.named.iter().filter(|named| named.word.contains(' '));
    let question = spans.fold(question.to_owned(), |question, named| question.replace(&named.word, " "));
    let words = agon_text::split_words(&question).into_iter().map(|word| word.text).filter(is_named).map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.to_lowercase().replace('’', "'")
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// The one Markdown file that is named.
fn named_document(found: &MaterialAtHand) -> Option<&str> {
    match &found.named[..] {
        [only] if only.is_document => Some(&only.source),
        _ => None,
    }
}

/// The kind that fits best, and why.
fn choose_kind<'m>(
    words: &[&str],
    is_question: bool,
    wishes: &OpeningRequest,
    found: &MaterialAtHand,
    kinds: &[&'m Manifest],
) -> Result<ProposedKind<'m>> {
    let has_changes = found.changes.is_some() && may_mean_changes(is_question, words);
    let has_material = !wishes.context.sources.is_empty() || !found.named.is_empty() || has_changes;
    let fits = |manifest: &Manifest| match manifest.motion {
        MotionKind::Document => named_document(found).is_some(),
        MotionKind::Text => has_material || !manifest.needs_material,
    };
    let mut best: Option<(usize, &Manifest, String)> = None;
    let mut lacking: Option<(usize, &Manifest)> = None;
    for manifest in kinds {
        let Some(ask) = &manifest.ask else { continue };
        let names = ask.names.iter().filter_map(|name| phrase_in(std::slice::from_ref(name), words, false));
        let names: Vec<&str> = names.collect();
        let begins = phrase_in(&ask.begins, words, true);
        let weight =
            NAMED * names.len() + if begins.is_some() { BEGUN } else { 0 } + if ask.otherwise { OTHERWISE } else { 0 };
        let because = match names.first().copied().or(begins) {
            Some(phrase) => format!("{} (“{}”)", ask.why, phrase.trim_end_matches('*')),
            None => ask.why.clone(),
        };
        if weight == 0 {
            continue;
        }
        if !fits(manifest) {
            if lacking.is_none_or(|(most, _)| weight > most) {
                lacking = Some((weight, manifest));
            }
        } else if best.as_ref().is_none_or(|(most, ..)| weight > *most) {
            best = Some((weight, manifest, because));
        }
    }
    let lacking = lacking.map(|(weight, manifest)| (weight, manifest, describe_lack(manifest)));
    // A kind that is only proposed otherwise must not answer a question that names another.
    let best = best.filter(|(weight, ..)| *weight > OTHERWISE || lacking.is_none());
    match (best, lacking) {
        (Some((weight, manifest, because)), lacking) => {
            let mut why = because;
            if let Some((_, other, lack)) = lacking.filter(|(other, ..)| *other > weight) {
                why.push_str(&format!("; {} would fit better, but {lack}", other.name));
            }
            let mut possible_kinds = Vec::new();
            if weight == OTHERWISE {
                let others = kinds.iter().filter(|kind| kind.ask.is_some() && fits(kind) && kind.name != manifest.name);
                possible_kinds.push(manifest.name.clone());
                possible_kinds.extend(others.map(|kind| kind.name.clone()));
            }
            Ok(ProposedKind { manifest, why, possible_kinds })
        }
        (None, Some((_, manifest, lack))) => Err(Failure::usage(
            format!("{} fits the question, but {lack}", manifest.name),
            "name a file in the question, or use --context",
        )),
        (None, None) => Err(Failure::usage(
            "no kind of debate fits the question",
            "choose one: agon protocols list, then agon run PROTOCOL",
        )),
    }
}

fn describe_lack(manifest: &Manifest) -> &'static str {
    match manifest.motion {
        MotionKind::Document => "it is about one Markdown file, and the question names none that exists, or several",
        MotionKind::Text => "it needs material, and the question names none",
    }
}

/// The material that is proposed: what is named; the changes at hand only where they are asked for, since a question
/// of another kind is not about what happens to lie here.
fn propose_material(found: &MaterialAtHand, wants_changes: bool) -> Vec<(String, String)> {
    if !found.named.is_empty() {
        let named = found.named.iter().map(|named| (named.source.clone(), "your question names it".to_owned()));
        return named.collect();
    }
    match found.changes.as_ref().filter(|_| wants_changes) {
        None => Vec::new(),
        Some(ChangesAtHand::Branch { main, commits }) => {
            let commits = count_noun(*commits, "commit", "commits");
            vec![(format!("git:{main}..."), format!("{commits} of this branch that {main} does not have"))]
        }
        Some(ChangesAtHand::LastCommit { subject }) => {
            vec![("git:HEAD".to_owned(), format!("the last commit, since nothing is changed: “{subject}”"))]
        }
        Some(ChangesAtHand::Uncommitted { changed, new }) => {
            let changed = count_noun(*changed, "changed file", "changed files");
            let new = count_noun(*new, "new one", "new ones");
            vec![("git:.".to_owned(), format!("what is not committed yet: {changed}, {new}"))]
        }
    }
}

/// How long the debate is to be.
fn choose_length(
    manifest: &Manifest,
    words: &[&str],
    request: &mut OpeningRequest,
    reasons: &mut Vec<AskReason>,
) -> Result<()> {
    let rounds = &manifest.rounds;
    let quick = has_phrase(QUICK, words);
    let thorough = has_phrase(THOROUGH, words);
    let (wanted, why) = match (request.rounds, quick, thorough) {
        (Some(given), ..) => (given, "you say so".to_owned()),
        (None, true, _) => (rounds.min, "you want it quick".to_owned()),
        (None, false, true) if rounds.default < rounds.max => {
            (rounds.default + 1, "you want it thorough: one more than by default".to_owned())
        }
        _ => (rounds.default, format!("the default of {}", manifest.name)),
    };
    if wanted != rounds.default {
        request.rounds = Some(wanted);
    }
    let counted = if rounds.about.is_empty() { "rounds" } else { &rounds.about };
    reasons.push(build_reason("rounds", format!("{wanted} ({counted})"), why));
    if let Some(ask) = manifest.ask.as_ref().filter(|_| quick) {
        for (name, value) in &ask.quick {
            request.options.set(name, value)?;
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            reasons.push(build_reason("options", format!("{name}={shown}"), "you want it quick"));
        }
    }
    Ok(())
}

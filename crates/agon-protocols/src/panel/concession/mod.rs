//! Concessions: sentences in which a panelist says that another is right.
//!
//! What is beyond doubt counts without the moderator; what may be one is shown to the moderator, whose
//! word then makes it count; what is denied, conditional, mocked, asked or reported as the view of another
//! never does, in any participant's words. A language without cues is left to the moderator and a quote.

mod cues;
mod words;

use agon_core::Seat;

use self::{
    cues::{LanguageCues, Match, Pattern, languages},
    words::{SentenceToken, TokenisedSentence, sentences},
};
use super::speech::trimmed;

/// Common words of a language by which it is taken to be known.
const COMMON_WORDS_MIN: usize = 2;

/// A sentence in which a participant may have accepted the claim of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conceded {
    /// As it was said.
    pub sentence: String,
    /// Who is right by it.
    pub with: Seat,
    /// Whether it is beyond doubt.
    pub sure: bool,
}

/// How far a cue goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Refused,
    Open,
    Sure,
}

/// A cue in a sentence, and with whom it agrees, by the place of the name.
#[derive(Debug, Clone, Copy)]
struct ConcessionCue {
    with: usize,
    level: Level,
}

/// An answer, heard for concessions.
#[derive(Debug)]
pub struct ConcessionContext<'p> {
    others: Vec<(&'p Seat, &'p str)>,
    sentences: Vec<(TokenisedSentence, Vec<ConcessionCue>)>,
    is_known: bool,
}

impl<'p> ConcessionContext<'p> {
    /// `answer`, given among `others`; where it names nobody, it is about `opponent`.
    pub fn of(answer: &str, others: Vec<(&'p Seat, &'p str)>, opponent: Option<&Seat>) -> Self {
        let names: Vec<&str> = others.iter().map(|(_, name)| *name).collect();
        let opponent = opponent.and_then(|seat| others.iter().position(|(other, _)| *other == seat));
        let said = sentences(answer, &names);
        let all: Vec<SentenceToken> = said.iter().flat_map(|sentence| sentence.tokens.clone()).collect();
        let common = |language: &LanguageCues| language.common.iter().filter(|word| word.is_in(&all)).count();
        let is_known = languages().iter().any(|language| common(language) >= COMMON_WORDS_MIN);
        let of: Vec<&LanguageCues> = languages().iter().filter(|language| common(language) > 0).collect();
        let mut heard: Vec<(TokenisedSentence, Vec<ConcessionCue>)> = Vec::new();
        for (at, sentence) in said.iter().enumerate() {
            let near: Vec<usize> = [at.checked_sub(1), Some(at + 1)]
                .into_iter()
                .flatten()
                .filter_map(|at| said.get(at))
                .flat_map(|sentence| named(&sentence.tokens))
                .collect();
            let cues = of.iter().flat_map(|language| cues(language, sentence, &near, opponent)).collect();
            heard.push((sentence.clone(), cues));
        }
        let mut heard = Self { others, sentences: heard, is_known };
        heard.weigh(&of);
        heard
    }

    /// What is taken back elsewhere in the answer is not beyond doubt.
    fn weigh(&mut self, of: &[&LanguageCues]) {
        let stands = |sentence: &TokenisedSentence| {
            of.iter().any(|language| language.stands.iter().any(|words| words.is_in(&sentence.tokens)))
        };
        let turns = |sentence: &TokenisedSentence| {
            of.iter().any(|language| language.turns.iter().any(|words| words.is_at(&sentence.tokens)))
        };
        for at in 0..self.sentences.len() {
            let elsewhere = || self.sentences.iter().enumerate().filter(move |(other, _)| *other != at);
            let kept = elsewhere().any(|(_, (sentence, _))| stands(sentence))
                || self.sentences[at + 1..].iter().any(|(sentence, _)| turns(sentence));
            let denied: Vec<usize> = elsewhere()
                .flat_map(|(_, (_, cues))| cues)
                .filter(|cue| cue.level == Level::Refused)
                .map(|cue| cue.with)
                .collect();
            for cue in &mut self.sentences[at].1 {
                if cue.level == Level::Sure && (kept || denied.contains(&cue.with)) {
                    cue.level = Level::Open;
                }
            }
        }
    }

    /// What is or may be a concession, one for each sentence and name.
    pub fn conceded(&self) -> Vec<Conceded> {
        let mut found = Vec::new();
        for (sentence, cues) in &self.sentences {
            for (place, (seat, _)) in self.others.iter().enumerate() {
                let level = level(cues, place);
                if let Some(level) = level.filter(|level| *level > Level::Refused) {
                    let sentence = sentence.text.clone();
                    found.push(Conceded { sentence, with: (*seat).clone(), sure: level == Level::Sure });
                }
            }
        }
        found
    }

    /// Whether the moderator's word that this agrees with `with` counts: by `quote`, a passage of the
    /// answer, or without one by any sentence of it.
    pub fn bears(&self, with: &Seat, quote: Option<&str>) -> bool {
        let Some(place) = self.others.iter().position(|(seat, _)| *seat == with) else { return false };
        let quote = quote.map(trimmed);
        let mut quoted = self.sentences.iter().filter(|(sentence, _)| {
            let text = trimmed(&sentence.text);
            quote.as_ref().is_none_or(|quote| text.contains(quote) || quote.contains(&text))
        });
        match (self.is_known, &quote) {
            // Where no cue is known, the participant that quotes is responsible for it.
            (false, Some(_)) => quoted.all(|(_, cues)| level(cues, place) != Some(Level::Refused)),
            _ => quoted.any(|(_, cues)| level(cues, place).is_some_and(|level| level > Level::Refused)),
        }
    }
}

/// How far a sentence goes towards the name at `place`: one refusal outweighs the rest.
fn level(cues: &[ConcessionCue], place: usize) -> Option<Level> {
    let own = || cues.iter().filter(|cue| cue.with == place).map(|cue| cue.level);
    own().find(|level| *level == Level::Refused).or_else(|| own().max())
}

fn named(tokens: &[SentenceToken]) -> Vec<usize> {
    let mut names: Vec<usize> = tokens
        .iter()
        .filter_map(|token| if let SentenceToken::Name(place) = token { Some(*place) } else { None })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Every cue of one language in a sentence. `near` are the names in the sentences around it.
fn cues(
    language: &LanguageCues,
    sentence: &TokenisedSentence,
    near: &[usize],
    opponent: Option<usize>,
) -> Vec<ConcessionCue> {
    let kinds: [(&[Pattern], bool, Level); 5] = [
        (&language.verdict, true, Level::Sure),
        (&language.moved, false, Level::Sure),
        (&language.agreed, true, Level::Sure),
        (&language.own, true, Level::Sure),
        (&language.weak, true, Level::Open),
    ];
    let mut found = Vec::new();
    for (patterns, is_reported, most) in kinds {
        for at in patterns.iter().flat_map(|pattern| pattern.find(&sentence.tokens)) {
            let Some((with, clear)) = target(&at, &sentence.tokens, near, opponent) else { continue };
            let level = judged(language, sentence, &at, is_reported).min(most);
            // "Is right" has many uses; it gives up one's own claim only if the sentence says nothing else.
            let is_of = |kind: &[Pattern]| std::ptr::eq(patterns, kind);
            let bare = if is_of(&language.verdict) {
                is_bare(language, sentence, &at)
            } else {
                // What is conceded may be a point and not the matter.
                let that = language.that.iter().any(|words| words.is_at(&sentence.tokens[at.end..]));
                !(is_of(&language.own) && that)
            };
            let level = if bare { level } else { level.min(Level::Open) };
            found.push(ConcessionCue { with, level: if clear { level } else { level.min(Level::Open) } });
        }
    }
    found
}

/// With whom a cue agrees, and whether that is clear.
fn target(
    at: &Match,
    tokens: &[SentenceToken],
    near: &[usize],
    opponent: Option<usize>,
) -> Option<(usize, bool)> {
    if let Some(name) = at.name {
        return Some((name, true));
    }
    let here = named(tokens);
    let opponent = opponent?;
    Some(match here.as_slice() {
        [] => (opponent, near == [opponent]),
        [one] => (*one, true),
        _ => (opponent, false),
    })
}

/// How far a cue goes by the words around it.
fn judged(language: &LanguageCues, sentence: &TokenisedSentence, at: &Match, is_reported: bool) -> Level {
    let tokens = &sentence.tokens;
    let any =
        |patterns: &[Pattern], tokens: &[SentenceToken]| patterns.iter().any(|words| words.is_in(tokens));
    let is_border = |at: usize| {
        tokens[at] == SentenceToken::Break || language.turns.iter().any(|words| words.is_at(&tokens[at..]))
    };
    let begin = (0..at.start).rev().find(|at| is_border(*at)).map_or(0, |at| at + 1);
    let end = (at.end..tokens.len()).find(|at| is_border(*at)).unwrap_or(tokens.len());
    let unspaced = matches!(tokens.get(at.start), Some(SentenceToken::Word(word)) if word.chars().any(words::is_unspaced))
        || tokens
            .iter()
            .any(|token| matches!(token, SentenceToken::Word(word) if word.chars().any(words::is_unspaced)));
    // The words of the cue itself deny nothing.
    let after = if unspaced { end } else { (at.end + 1).min(end) };
    let around: Vec<Vec<SentenceToken>> = vec![
        tokens[begin..at.start].to_vec(),
        at.gaps.iter().map(|gap| tokens[*gap].clone()).collect(),
        tokens[at.end..after].to_vec(),
    ];
    let denied = around.iter().any(|part| any(&language.denied, part));
    let asked = sentence.text.trim_end_matches(['"', '”', ')', ' ']).ends_with(['?', '？']);
    // What follows a verdict may well be a question that it answers: "right: that does not tell us whether".
    let wondered = any(&language.wondering, &tokens[begin..at.start]);
    let conditional = wondered || any(&language.doubtful, tokens) && !any(&language.certain, tokens);
    let hedged = around.iter().any(|part| any(&language.hedged, part));
    let told = is_reported && reported(language, &tokens[begin..at.start], &around[1]);
    let stands = any(&language.stands, tokens);
    if asked || conditional || hedged || told || stands || any(&language.mocked, tokens) {
        return Level::Refused;
    }
    if denied {
        return if any(&language.undone, &tokens[begin..end]) { Level::Open } else { Level::Refused };
    }
    let turned =
        (at.end..tokens.len()).any(|at| language.turns.iter().any(|words| words.is_at(&tokens[at..])));
    if turned || any(&language.partial, &tokens[begin..end]) { Level::Open } else { Level::Sure }
}

/// Whether a verdict stands by itself: at the head of a clause, with nothing in or behind it that bends it.
fn is_bare(language: &LanguageCues, sentence: &TokenisedSentence, at: &Match) -> bool {
    let tokens = &sentence.tokens;
    let any = |patterns: &[Pattern], at: usize| patterns.iter().any(|words| words.is_at(&tokens[at..]));
    let begin =
        (0..at.start).rev().find(|at| tokens[*at] == SentenceToken::Break || any(&language.turns, *at));
    let led = begin.map_or(0, |at| at + 1)..at.start;
    let speaks = led.clone().any(|at| any(&language.speaker, at));
    let in_it = led.filter(|_| !speaks).chain(at.gaps.iter().copied());
    let bent = in_it.into_iter().any(|at| tokens[at] != SentenceToken::Break && !any(&language.adverbs, at));
    let ends =
        tokens.get(at.end).is_none_or(|next| *next == SentenceToken::Break) || any(&language.follows, at.end);
    ends && !bent
}

/// Whether the sentence attributes it to another participant.
fn reported(language: &LanguageCues, before: &[SentenceToken], gap: &[SentenceToken]) -> bool {
    let told = |tokens: &[SentenceToken]| {
        (0..tokens.len()).rfind(|at| language.told.iter().any(|words| words.is_at(&tokens[*at..])))
    };
    if told(gap).is_some() {
        return true;
    }
    // "Ada repeats that": whatever the verb is, the view is hers.
    let views = (0..before.len()).filter(|at| language.that.iter().any(|words| words.is_at(&before[*at..])));
    let is_theirs = |at: usize| {
        let back = before[..at].iter().enumerate().rev();
        let mut first = back.filter_map(|(at, token)| match token {
            SentenceToken::Name(_) => Some(true),
            _ => language.speaker.iter().any(|words| words.is_at(&before[at..])).then_some(false),
        });
        first.next().unwrap_or(false)
    };
    if views.into_iter().any(is_theirs) {
        return true;
    }
    let Some(at) = told(before) else { return false };
    let speaks = (0..at).rev().take_while(|at| !matches!(before[*at], SentenceToken::Name(_)));
    !speaks.into_iter().any(|at| language.speaker.iter().any(|words| words.is_at(&before[at..])))
}

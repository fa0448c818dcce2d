//! Cues: the words by which agreement is told, as patterns over the tokens of a sentence.

use std::sync::LazyLock;

use serde::{Deserialize, Deserializer};

use super::words::{SentenceToken, is_unspaced};
use crate::common::shipped;

/// Words that a gap of a pattern may span.
const GAP_WORDS_MAX: usize = 4;
/// The same in scripts where a character is a word.
const GAP_CHARACTERS_MAX: usize = 8;

/// The cues of one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LanguageCues {
    pub common: Vec<Pattern>,
    pub adverbs: Vec<Pattern>,
    pub follows: Vec<Pattern>,
    pub verdict: Vec<Pattern>,
    pub moved: Vec<Pattern>,
    pub agreed: Vec<Pattern>,
    pub own: Vec<Pattern>,
    pub weak: Vec<Pattern>,
    pub denied: Vec<Pattern>,
    pub undone: Vec<Pattern>,
    pub told: Vec<Pattern>,
    pub that: Vec<Pattern>,
    pub speaker: Vec<Pattern>,
    pub doubtful: Vec<Pattern>,
    #[serde(default)]
    pub wondering: Vec<Pattern>,
    pub certain: Vec<Pattern>,
    pub hedged: Vec<Pattern>,
    pub partial: Vec<Pattern>,
    pub turns: Vec<Pattern>,
    pub stands: Vec<Pattern>,
    pub mocked: Vec<Pattern>,
}

static LANGUAGES: LazyLock<Vec<LanguageCues>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct CueList {
        language: Vec<LanguageCues>,
    }
    shipped::<CueList>(include_str!("cues.toml")).language
});

/// Every language that cues are known of.
pub(super) fn languages() -> &'static [LanguageCues] {
    &LANGUAGES
}

/// One cue.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Vec<CuePart>);

#[derive(Debug, Clone)]
enum CuePart {
    Words(Vec<String>),
    Name,
    Break,
    Gap,
}

/// Where a pattern stands.
#[derive(Debug, Clone)]
pub(super) struct Match {
    /// Its first token.
    pub start: usize,
    /// The token after its last.
    pub end: usize,
    /// The name in it, if the pattern has one.
    pub name: Option<usize>,
    /// The tokens that its gaps span.
    pub gaps: Vec<usize>,
}

impl Pattern {
    fn of(text: &str) -> Self {
        let mut parts = Vec::new();
        for piece in text.split_whitespace() {
            match piece {
                "NAME" => parts.push(CuePart::Name),
                "~" => parts.push(CuePart::Gap),
                "," => parts.push(CuePart::Break),
                piece if piece.chars().any(is_unspaced) => unspaced(piece, &mut parts),
                piece => parts.push(CuePart::Words(piece.split('|').map(str::to_owned).collect())),
            }
        }
        Self(parts)
    }

    /// Where it stands in `tokens`: of what ends in one place the shortest.
    pub fn find(&self, tokens: &[SentenceToken]) -> Vec<Match> {
        let mut found: Vec<Match> = Vec::new();
        for start in 0..tokens.len() {
            let mut here = Match { start, end: start, name: None, gaps: Vec::new() };
            if follow(&self.0, tokens, start, &mut here) {
                found.retain(|earlier| earlier.end != here.end);
                found.push(here);
            }
        }
        found
    }

    /// Whether it stands in `tokens`.
    pub fn is_in(&self, tokens: &[SentenceToken]) -> bool {
        (0..tokens.len()).any(|start| self.is_at(&tokens[start..]))
    }

    /// Whether `tokens` begin with it.
    pub fn is_at(&self, tokens: &[SentenceToken]) -> bool {
        let mut here = Match { start: 0, end: 0, name: None, gaps: Vec::new() };
        follow(&self.0, tokens, 0, &mut here)
    }
}

fn follow(parts: &[CuePart], tokens: &[SentenceToken], at: usize, found: &mut Match) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        found.end = at;
        return true;
    };
    match (part, tokens.get(at)) {
        (CuePart::Gap, _) => {
            let mut spanned = Vec::new();
            let limit = match tokens.get(at) {
                Some(SentenceToken::Word(word)) if word.chars().any(is_unspaced) => GAP_CHARACTERS_MAX,
                _ => GAP_WORDS_MAX,
            };
            for end in at..=(at + limit).min(tokens.len()) {
                let mut here =
                    Match { gaps: [found.gaps.clone(), spanned.clone()].concat(), ..found.clone() };
                if follow(rest, tokens, end, &mut here) {
                    *found = here;
                    return true;
                }
                match tokens.get(end) {
                    // A name in a gap means that another participant is meant.
                    Some(SentenceToken::Name(_)) | None => break,
                    Some(_) => spanned.push(end),
                }
            }
            false
        }
        (CuePart::Name, Some(SentenceToken::Name(place))) => {
            found.name = Some(*place);
            follow(rest, tokens, at + 1, found)
        }
        (CuePart::Break, Some(SentenceToken::Break)) => follow(rest, tokens, at + 1, found),
        (CuePart::Words(words), Some(SentenceToken::Word(word))) if words.contains(word) => {
            follow(rest, tokens, at + 1, found)
        }
        _ => false,
    }
}

/// A piece without blanks: each character is a word.
fn unspaced(piece: &str, parts: &mut Vec<CuePart>) {
    let mut rest = piece;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("NAME") {
            parts.push(CuePart::Name);
            rest = after;
            continue;
        }
        parts.push(if c == '~' { CuePart::Gap } else { CuePart::Words(vec![c.to_string()]) });
        rest = &rest[c.len_utf8()..];
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::of(&String::deserialize(from)?))
    }
}

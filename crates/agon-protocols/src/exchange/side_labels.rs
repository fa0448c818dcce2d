//! What a judge is shown of the sides: neutral labels in a recorded order, plain text of equal
//! length, and nothing that says who argued.
//!
//! The record keeps every identity; what a judge says is mapped back by code.

use std::borrow::Cow;

use agon_core::{Digest, Opened, Request};
use agon_text::{ends_sentence, markdown::strip_markdown, take_words};

use super::argument::{Argument, Engagement, Ground, Side};
use crate::common::{family::self_names, request_values::read_fact};

/// The fact of a request that says which side is called A.
pub const FIRST: &str = "first";

/// The labels of the sides in one judgment: `first` is called SideA and is read first, the other is SideB. No language
/// has such words, so that they can be mapped back wherever a judge writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideLabels {
    /// Side A.
    pub first: Side,
}

impl SideLabels {
    /// The labels of a request; `None` for a judgment that is not blind.
    pub fn from_request(request: &Request) -> Option<Self> {
        Some(Self { first: read_fact(request, FIRST)? })
    }

    /// The labels by which judge number `judge` reads `exchange` first: drawn from the seed, and
    /// turned round from one judge of a panel to the next, so that neither side gains by them.
    pub fn draw(seed: u64, exchange: u32, judge: usize) -> Self {
        let digest = Digest::from_content(format!("{seed}/exchange-{exchange:03}/order"));
        let heads = digest.as_str().bytes().next().is_some_and(|digit| digit % 2 == 0);
        let first = if heads == judge.is_multiple_of(2) { Side::Proposition } else { Side::Opposition };
        Self { first }
    }

    /// The same with the sides swapped.
    pub fn swapped(self) -> Self {
        Self { first: self.first.opposite() }
    }

    /// What a side is called.
    pub fn label(self, side: Side) -> &'static str {
        if side == self.first { "SideA" } else { "SideB" }
    }

    fn letter(self, side: Side) -> &'static str {
        if side == self.first { "A" } else { "B" }
    }

    /// The side whose label `word` begins with, and what follows it.
    fn labelled(self, word: &str) -> Option<(Side, &str)> {
        let rest = |side: &Side| word.strip_prefix(self.label(*side));
        let (side, rest) = Side::BOTH.into_iter().find_map(|side| Some((side, rest(&side)?)))?;
        (!rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')).then_some((side, rest))
    }

    /// `prop_000a` as the judge sees it: `a_000a` or `b_000a`.
    pub fn label_id(self, id: &str) -> Cow<'_, str> {
        let side = |prefix: &str| Side::BOTH.into_iter().find(|side| side.prefix() == prefix);
        let shown = split_id(id).and_then(|(prefix, rest)| Some((self.letter(side(prefix)?), rest)));
        shown.map_or(Cow::Borrowed(id), |(letter, rest)| Cow::Owned(format!("{}_{rest}", letter.to_lowercase())))
    }

    /// The argument that the judge means by `id`. Ids of the format are understood, too.
    pub fn resolve_id(self, id: &str) -> Cow<'_, str> {
        let side = |letter: &str| self.find_side(&letter.to_ascii_uppercase());
        let meant = split_id(id).and_then(|(letter, rest)| Some((side(letter)?, rest)));
        meant.map_or(Cow::Borrowed(id), |(side, rest)| Cow::Owned(format!("{}_{rest}", side.prefix())))
    }

    /// The side that has a letter.
    fn find_side(self, letter: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.letter(*side) == letter)
    }

    /// A judge's words for readers, who know ids and sides by their own names.
    pub fn unlabel_text(self, text: &str) -> String {
        let mut told = String::with_capacity(text.len());
        let mut words = split_tokens(text);
        while let Some(word) = words.next() {
            let mut ahead = words.clone();
            let letter = Some(word).filter(|word| word.eq_ignore_ascii_case("side"));
            let letter = letter.and_then(|_| ahead.next().filter(|space| *space == " ")).and_then(|_| ahead.next());
            let named = match letter.and_then(|letter| self.find_side(letter)) {
                Some(side) => {
                    words = ahead;
                    Some((side, "", word.starts_with('S')))
                }
                None => {
                    self.labelled(word).map(|(side, rest)| (side, rest, told.trim().is_empty() || ends_sentence(&told)))
                }
            };
            match named {
                Some((side, rest, begins)) => {
                    let article = if begins { "The" } else { "the" };
                    told.push_str(&format!("{article} {}{rest}", side.name()));
                }
                None => told.push_str(&self.resolve_id(word)),
            }
        }
        told
    }

    /// An argument as a judge may read it.
    pub fn anonymise_argument(self, argument: &Argument, secrets: &Secrets) -> Argument {
        let veil = |text: &str, words_max: usize| {
            let shown = match text.contains('_') {
                true => Cow::Owned(split_tokens(text).map(|word| self.label_id(word)).collect()),
                false => Cow::Borrowed(text),
            };
            secrets.remove_secrets(to_plain_text(&shown, words_max))
        };
        let engaged = |all: &[Engagement]| {
            let one = |e: &Engagement| Engagement {
                target_id: self.label_id(&e.target_id).into_owned(),
                kind: e.kind.clone(),
                content: veil(&e.content, 75),
            };
            all.iter().map(one).collect()
        };
        let ground = |g: &Ground| Ground {
            source: veil(&g.source, 30),
            content: veil(&g.content, 100),
            relevance: veil(&g.relevance, 30),
        };
        Argument {
            title: veil(&argument.title, 10),
            claim: veil(&argument.claim, 25),
            grounds: argument.grounds.iter().map(ground).collect(),
            warrant: veil(&argument.warrant, 50),
            backing: argument.backing.as_deref().map(|text| veil(text, 50)),
            qualifier: argument.qualifier.as_deref().map(|text| veil(text, 10)),
            attacks: engaged(&argument.attacks),
            defends: engaged(&argument.defends),
        }
    }
}

/// `prop_000a` as `prop` and `000a`.
fn split_id(id: &str) -> Option<(&str, &str)> {
    id.split_once('_').filter(|(_, rest)| rest.len() >= 3 && rest.bytes().take(3).all(|b| b.is_ascii_digit()))
}

/// `text` in runs of letters, digits and `_`, and what stands between them.
fn split_tokens(text: &str) -> impl Iterator<Item = &str> + Clone {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        // Blanks stand alone, so that two words can be read over one of them.
        let end = match first {
            ' ' => 1,
            _ => rest
                .char_indices()
                .skip(1)
                .find(|(_, c)| *c == ' ' || is_word(*c) != is_word(first))
                .map_or(rest.len(), |(at, _)| at),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

/// What a text may exceed its word limit by before a judge no longer sees the rest, as a quotient:
/// a word or two too many must not cost a sentence its end.
const SLACK: (usize, usize) = (6, 5);

/// `text` without Markdown, and without what goes far beyond `words_max` words: neither emphasis nor
/// length may weigh with a judge.
pub fn to_plain_text(text: &str, words_max: usize) -> String {
    let shown = strip_markdown(text);
    let most = (words_max * SLACK.0).div_ceil(SLACK.1);
    let first = take_words(&shown, most);
    if first.len() == shown.len() { shown } else { format!("{first} …") }
}

/// What would say who argued: the ids of the models of the line-up, and the names by which these models
/// call themselves and their makers.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// Ids as runs of letters and digits: between them anything stands that joins a name.
    ids: Vec<Vec<String>>,
    names: Vec<&'static str>,
}

/// Beginnings of models' names as users write them; what follows tells who sits there.
const PROVIDERS: [&str; 10] = [
    "openai:",
    "anthropic:",
    "gemini:",
    "ollama:",
    "openrouter:",
    "azure:",
    "bedrock:",
    "scripted:",
    "recorded:",
    "cli:",
];

/// Stands where a model's id stood.
const WITHHELD: &str = "[withheld]";

impl Secrets {
    /// Those of a debate. Plain words (`local`), and what the motion itself is about, are none.
    pub fn from_opened(opened: &Opened) -> Self {
        let motion = opened.motion.to_lowercase();
        let models = opened.lineup.iter().map(|sat| sat.model.to_lowercase());
        let mut ids: Vec<Vec<String>> = models
            .filter_map(|model| {
                let (kind, id) = model.split_once(':')?;
                // What it is asked with is not a part of its name.
                let id = id.split_once('?').map_or(id, |(id, _)| id);
                let id = id.rsplit('/').next().unwrap_or(id);
                (!["scripted", "recorded"].contains(&kind)).then(|| id.to_owned())
            })
            .filter(|id| id.len() >= 4 && id.is_ascii())
            .filter(|id| id.contains(|c: char| c.is_ascii_digit() || c == '-'))
            .map(|id| {
                let runs = id.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
                runs.map(str::to_lowercase).collect()
            })
            .filter(|id: &Vec<String>| motion.char_indices().all(|(at, _)| named_here(&motion[at..], id).is_none()))
            .collect();
        ids.sort_by_key(|id| std::cmp::Reverse(id.iter().map(String::len).sum::<usize>()));
        ids.dedup();
        let names = opened.lineup.iter().flat_map(|sat| self_names(&sat.model)).copied();
        let mut names: Vec<&str> = names.filter(|name| !motion.contains(&name.to_lowercase())).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names.dedup();
        Self { ids, names }
    }

    /// Whether one of them can stand in `text`: most texts show at a glance that none does.
    fn may_stand_in(&self, text: &str) -> bool {
        text.contains(':')
            || self.names.iter().any(|name| text.contains(name))
            || (!self.ids.is_empty() && {
                let small = text.to_ascii_lowercase();
                self.ids.iter().any(|id| id.first().is_none_or(|run| small.contains(run.as_str())))
            })
    }

    /// `text` without them.
    fn remove_secrets(&self, text: String) -> String {
        if !self.may_stand_in(&text) {
            return text;
        }
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':');
        let mut shown = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(next) = text[at..].chars().next() {
            let begins = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
            let rest = &text[at..];
            let provider = || {
                let is_here =
                    |prefix: &&&str| rest.get(..prefix.len()).is_some_and(|here| here.eq_ignore_ascii_case(prefix));
                let prefix = PROVIDERS.iter().find(is_here)?;
                let id = rest[prefix.len()..].find(|c| !is_of_name(c)).unwrap_or(rest.len() - prefix.len());
                (id > 0).then_some(prefix.len() + id)
            };
            let id = || self.ids.iter().find_map(|id| named_here(rest, id));
            let name = || {
                let fits = |name: &&&str| {
                    rest.starts_with(**name) && rest[name.len()..].chars().next().is_none_or(|c| !c.is_alphabetic())
                };
                self.names.iter().find(fits).map(|name| name.len())
            };
            match begins.then(|| provider().or_else(id).or_else(name)).flatten() {
                Some(length) => {
                    shown.push_str(WITHHELD);
                    // A full stop that ends the sentence is not part of a name.
                    let length = rest[..length].trim_end_matches('.').len();
                    at += length;
                }
                None => {
                    shown.push(next);
                    at += next.len_utf8();
                }
            }
        }
        shown
    }
}

/// The length of `id` at the beginning of `text`, however its runs are joined: `claude-sonnet-4-5` is Claude
/// Sonnet 4.5.
fn named_here(text: &str, id: &[String]) -> Option<usize> {
    let mut at = 0;
    for (place, run) in id.iter().enumerate() {
        if place > 0 {
            let joins = |c: &char| matches!(c, ' ' | '-' | '_' | '.' | '/' | ':' | '\u{a0}' | '\u{2011}' | '\u{2010}');
            at += text[at..].chars().next().filter(joins).map_or(0, char::len_utf8);
        }
        let here = text.get(at..at + run.len())?;
        if !here.eq_ignore_ascii_case(run) {
            return None;
        }
        at += run.len();
    }
    text[at..].chars().next().is_none_or(|c| !c.is_alphanumeric()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRO_FIRST: SideLabels = SideLabels { first: Side::Proposition };

    #[test]
    fn ids_are_veiled_and_mapped_back() {
        for (id, shown) in [("prop_000a", "a_000a"), ("opp_012", "b_012"), ("prop", "prop"), ("x_001", "x_001")] {
            assert_eq!(PRO_FIRST.label_id(id), shown);
            assert_eq!(PRO_FIRST.resolve_id(shown), id);
        }
        assert_eq!(PRO_FIRST.swapped().label_id("prop_000a"), "b_000a");
        assert_eq!(PRO_FIRST.swapped().resolve_id("A_000b"), "opp_000b");
        assert_eq!(PRO_FIRST.resolve_id("prop_000a"), "prop_000a", "ids of the format are understood");
    }

    #[test]
    fn what_a_judge_says_is_told_with_the_names_of_readers() {
        let said = "Side A answers b_000c (see a_001); side B's table d'hôte, side a or so.";
        let told = "The proposition answers opp_000c (see prop_001); the opposition's table d'hôte, side a or so.";
        assert_eq!(PRO_FIRST.unlabel_text(said), told);
        let said = "SideA's cases presuppose it. SideB grants (b_001) \"SideBar\"; SideB的论点较强。";
        let told = "The proposition's cases presuppose it. The opposition grants (opp_001) \"SideBar\"; the opposition的论点较强。";
        assert_eq!(PRO_FIRST.unlabel_text(said), told);
    }

    #[test]
    fn markdown_is_stripped_and_length_is_capped() {
        for (text, words_max, shown) in [
            ("**Bold** and *soft* `code` __x__", 10, "Bold and soft code x"),
            ("# Head > quote * item 2*3 snake_case", 10, "Head quote item 2*3 snake_case"),
            ("see [the study](https://x.org/a_b)", 10, "see the study (https://x.org/a_b)"),
            ("one two three four five six seven", 5, "one two three four five six …"),
            ("one two three four five six", 5, "one two three four five six"),
            ("休息日让劳动者恢复体力，也让家庭有时间相聚。", 5, "休息日让劳动者恢复 …"),
            ("休息日让劳动者恢复体力。", 10, "休息日让劳动者恢复体力。"),
        ] {
            assert_eq!(to_plain_text(text, words_max), shown);
        }
    }

    #[test]
    fn ids_of_models_are_withheld_unless_the_motion_is_about_them() {
        let mut opened = agon_core::sample::sample_opened("exchange", &["proposition", "opposition", "judge"]);
        for (sat, model) in opened.lineup.iter_mut().zip(["openai:gpt-5", "ollama:org/Qwen3-8b", "local"]) {
            sat.model = model.into();
        }
        let text = "As GPT-5 I say, unlike qwen3-8b, that local matters.";
        let shown = "As [withheld] I say, unlike [withheld], that local matters.";
        assert_eq!(Secrets::from_opened(&opened).remove_secrets(text.into()), shown);
        for (text, shown) in [
            ("As GPT 5, by OpenAI, I say three.", "As [withheld], by [withheld], I say three."),
            ("GPT\u{2011}5 and ChatGPT. Qwen 3 8B?", "[withheld] and [withheld]. [withheld] 3 8B?"),
            ("my opponent is lab:x and openai:gpt-4.1.", "my opponent is lab:x and [withheld]."),
            ("model scripted:pro.json, sir", "model [withheld], sir"),
            ("the scripted: style, gpt-55, Qwendoline", "the scripted: style, gpt-55, Qwendoline"),
        ] {
            assert_eq!(Secrets::from_opened(&opened).remove_secrets(text.into()), shown);
        }
        opened.lineup[0].model = "lab:claude-sonnet-4-5".into();
        let text = "As Claude Sonnet 4.5 by Anthropic I say three.";
        assert_eq!(
            Secrets::from_opened(&opened).remove_secrets(text.into()),
            "As [withheld] by [withheld] I say three."
        );
        opened.lineup[0].model = "openai:gpt-5?effort=high".into();
        opened.motion = "Is gpt-5 safe?".into();
        assert!(Secrets::from_opened(&opened).remove_secrets("As GPT-5 I say".into()).contains("GPT-5"));
    }

    #[test]
    fn a_panel_hears_the_sides_in_both_orders() {
        for seed in 0..20 {
            assert_ne!(SideLabels::draw(seed, 0, 0), SideLabels::draw(seed, 0, 1));
        }
        let heads = (0..200).filter(|seed| SideLabels::draw(*seed, 1, 0) == PRO_FIRST).count();
        assert!((60..140).contains(&heads), "{heads}");
    }
}

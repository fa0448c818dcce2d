//! What may be told of a debate in addition to its words: figures and named sources that someone's standing entry
//! holds. What the chair, the reporter and the assessor write is held to them, and never to what was
//! struck.

use std::{collections::BTreeSet, ops::Range};

use agon_core::{Attempt, Faults, View, parse};
use agon_text::sentences;
use serde_json::Value;

use super::{
    debaters::Debaters,
    log::{DebateLog, Type},
    naming::{spans, tokens},
    verification::{self, SourceFinding, SourceStatus},
};
use crate::common::{
    figures::{self, PlacedFigure},
    verification::addresses,
};

/// The rule that faults name.
pub const RULE: &str = "figures";
/// Stands in place of a sentence that is not shown.
pub const WITHHELD: &str = "[A sentence is withheld: its figure or source stands in no entry that counts.]";
/// Statements that are held to the figures of the debate, by their prompts.
pub const PROMPTS: [&str; 4] = ["conclusion", "summary", "blog", "assessment"];
/// Who takes part in any debate, by name or by the letters of a blind one.
const KNOWN: &str = "chair moderator verifier audience reporter assessor debater-a debater-b debater-c debater-d debater-e debater-f";
/// What a source is called, before the word that says whose it is.
const WORKS: [&str; 12] = [
    "study",
    "survey",
    "report",
    "research",
    "census",
    "poll",
    "analysis",
    "paper",
    "figures",
    "statistics",
    "data",
    "findings",
];
/// Words within a name.
const JOINTS: [&str; 6] = ["of", "and", "for", "the", "de", "&"];

/// Said of a statement that is shown without such sentences.
pub const WARNING: &str =
    "a sentence is withheld: it gives a figure or names a source that no standing, unchallenged entry holds";

/// What was `checked` of a draft, or the faults of its figures too: its author is told of them once, then it
/// stands without them.
pub fn once<T>(
    held: &VerifiedFigures,
    draft: Attempt<'_>,
    is_article: bool,
    checked: Result<T, Faults>,
) -> Result<T, Faults> {
    if draft.was_told(RULE) {
        return checked;
    }
    match (checked, held.faults(draft.text, is_article)) {
        (checked, faults) if faults.0.is_empty() => checked,
        (Ok(_), faults) => Err(faults),
        (Err(mut all), faults) => {
            all.0.extend(faults.0);
            Err(all)
        }
    }
}

/// What is warned of in the statement `said`.
pub fn warnings(held: &VerifiedFigures, said: &str, is_article: bool) -> Vec<String> {
    let any = !held.faults(said, is_article).0.is_empty();
    any.then(|| WARNING.to_owned()).into_iter().collect()
}

/// The figures and names that standing entries support.
#[derive(Debug, Clone, Default)]
pub struct VerifiedFigures {
    /// Figures of the topic, of standing entries and of what verified pages say.
    figures: BTreeSet<figures::Value>,
    /// Figures of how the debate went: rulings, findings, questions, opinion.
    process: BTreeSet<figures::Value>,
    /// Figures that a struck entry brought in.
    struck: BTreeSet<figures::Value>,
    /// Every standing word, for names of sources.
    words: String,
    /// Pages that standing entries cite.
    urls: BTreeSet<String>,
}

impl VerifiedFigures {
    /// As `view` shows the debate whose log is `log`.
    pub fn of(view: &View<'_>, log: &DebateLog) -> Self {
        let findings: Vec<SourceFinding> =
            verification::all(view).into_iter().flat_map(|all| all.findings).collect();
        Self::by(&view.opened().motion, &Debaters::in_view(view), log, &findings)
    }

    /// By what was found about sources.
    pub fn by(motion: &str, debaters: &Debaters, log: &DebateLog, findings: &[SourceFinding]) -> Self {
        let latest = verification::latest(findings);
        let any = |seq: u64, statuses: &[SourceStatus]| {
            latest.iter().any(|found| found.seq == seq && statuses.contains(&found.status))
        };
        let mut held = Self::default();
        held.hold(motion);
        held.name(KNOWN);
        for debater in &debaters.0 {
            held.hold(&format!("{}. {}. {}", debater.persona, debater.position, debater.incentives));
            held.name(&debater.name);
        }
        let mut borne = held.figures.clone();
        for logged in &log.0 {
            let seq = logged.item.seq;
            if logged.struck.is_some() {
                held.struck.extend(values(logged.original().0).filter(|value| !held.figures.contains(value)));
            } else if logged.item.kind.is_argument() {
                let text = logged.content();
                if any(seq, &[SourceStatus::Verified]) {
                    borne.extend(values(&text));
                }
                if !any(seq, &[SourceStatus::Unreliable, SourceStatus::Fabricated]) {
                    held.hold(&text);
                    logged.sources().iter().for_each(|source| held.name(&source.title));
                    held.urls.extend(logged.cites().map(str::to_owned));
                }
            } else if logged.item.kind != Type::SourceChallenge {
                held.process.extend(values(&logged.content()));
                held.name(&logged.content());
            }
        }
        for found in latest.iter().filter(|found| found.status == SourceStatus::Verified) {
            let sentence = found.sentence.as_deref().unwrap_or_default();
            held.hold(sentence);
            borne.extend(values(sentence));
        }
        // What a page bears out, or was said before, is nobody's invention.
        held.struck.retain(|value| !borne.contains(value));
        held
    }

    fn hold(&mut self, text: &str) {
        self.figures.extend(values(text));
        self.name(text);
    }

    fn name(&mut self, text: &str) {
        self.words.push_str(&format!(" {} |", tokens(text).join(" ")));
    }

    /// Where sentences of `text` stand that may not be shown. An article is held to what was argued alone;
    /// what tells of the debate may also count its parts and tell of its rulings.
    fn barred(&self, text: &str, is_article: bool) -> Vec<Range<usize>> {
        let unknown = |figure: &PlacedFigure| {
            if !is_article && figure.counts_parts {
                return false;
            }
            let is_struck = figure.values.iter().any(|value| self.struck.contains(value));
            let known = |value: &figures::Value| {
                self.figures.contains(value) || (!is_article && self.process.contains(value))
            };
            is_struck || !figure.values.iter().any(known)
        };
        let is_barred = |sentence: &Range<usize>| {
            let words = &text[sentence.clone()];
            figures::of(words).iter().any(unknown)
                || attributed(words).iter().any(|name| !self.words.contains(&format!(" {name} ")))
                || addresses(words).iter().any(|url| !self.urls.contains(url))
        };
        // A single word names something: an entry, a debater, an outcome.
        if !text.trim().contains(char::is_whitespace) {
            return Vec::new();
        }
        sentence_ranges(text).into_iter().filter(is_barred).collect()
    }

    /// A fault for each sentence of the statement in `said` that may not be shown. It repeats nothing of it.
    pub fn faults(&self, said: &str, is_article: bool) -> Faults {
        let mut faults = Faults::default();
        let Ok(value) = parse::json(said) else { return faults };
        each(&value, String::new(), &mut |at, text| {
            let all = sentence_ranges(text);
            for barred in self.barred(text, is_article) {
                let number = all.iter().position(|one| *one == barred).map_or(1, |at| at + 1);
                let message = format!(
                    "sentence {number} gives a figure or names a source that no standing, unchallenged entry holds; leave it out"
                );
                faults.add(RULE, at, message);
            }
        });
        faults
    }

    /// `text` without the sentences that may not be shown; `None` where there are none.
    pub fn withheld(&self, text: &str, is_article: bool) -> Option<String> {
        let barred = self.barred(text, is_article);
        let last = barred.last()?.end;
        let (mut out, mut from) = (String::new(), 0);
        for sentence in barred {
            // Neighbours are withheld as one.
            if !(out.ends_with(WITHHELD) && text[from..sentence.start].trim().is_empty()) {
                out.push_str(&text[from..sentence.start]);
                out.push_str(WITHHELD);
            }
            from = sentence.end;
        }
        Some(out + &text[last..])
    }
}

fn sentence_ranges(text: &str) -> Vec<Range<usize>> {
    sentences(text).into_iter().map(|sentence| sentence.trim().range).collect()
}

fn values(text: &str) -> impl Iterator<Item = figures::Value> + use<> {
    figures::of(text).into_iter().flat_map(|figure| figure.values)
}

/// Every text within `value`, with its path.
fn each(value: &Value, at: String, tell: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => tell(&at, text),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| each(item, format!("{at}[{i}]"), tell))
        }
        Value::Object(fields) => fields.iter().for_each(|(name, field)| {
            let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
            each(field, at, tell);
        }),
        _ => {}
    }
}

/// Names to which `sentence` attributes what it says: after "according to", and after a study, survey or
/// report "by", "from" or "of" someone. In lower case.
fn attributed(sentence: &str) -> Vec<String> {
    let words: Vec<&str> = spans(sentence).into_iter().map(|(from, to)| &sentence[from..to]).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let mut names = Vec::new();
    for at in 0..words.len() {
        let is_according = lower[at] == "to" && at > 0 && lower[at - 1] == "according";
        let is_work = ["by", "from", "of"].contains(&lower[at].as_str())
            && lower[at.saturating_sub(2)..at].iter().any(|word| WORKS.contains(&word.as_str()));
        if !is_according && !is_work {
            continue;
        }
        let rest = words.iter().zip(&lower).skip(at + 1);
        let rest = rest.skip_while(|(_, word)| ["the", "a", "an"].contains(&word.as_str()));
        let is_name = |word: &str| word.starts_with(char::is_uppercase);
        let mut name: Vec<&str> = Vec::new();
        for (word, lower) in rest {
            if !is_name(word) && (name.is_empty() || !JOINTS.contains(&lower.as_str())) {
                break;
            }
            name.push(lower);
        }
        while name.last().is_some_and(|last| JOINTS.contains(last)) {
            name.pop();
        }
        names.extend((!name.is_empty()).then(|| name.join(" ")));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held() -> VerifiedFigures {
        let mut held = VerifiedFigures::default();
        held.hold("The Guild counted 132 of 240 workers, 55 per cent.");
        held.struck.extend(values("83 per cent"));
        held.process.extend(values("97 words"));
        held
    }

    #[test]
    fn a_sentence_with_a_figure_that_nobody_holds_is_withheld_and_the_others_stand() {
        let text =
            "It matters. Only 83% rode empty, and 91 per cent crashed. Of 240 people 132 walk. So 55% do.";
        let want = format!("It matters. {WITHHELD} Of 240 people 132 walk. So 55% do.");
        assert_eq!(held().withheld(text, true).as_deref(), Some(want.as_str()));
        assert_eq!(held().withheld("Of 240 people 132 walk, by three roads.", true), None);
        assert_eq!(held().withheld("Eighty-three per cent rode empty.", true).as_deref(), Some(WITHHELD));
    }

    #[test]
    fn a_source_that_nobody_named_is_withheld() {
        for text in [
            "According to a survey conducted by the University of Oxford, all is well.",
            "According to the Institute of Empty Buses it is.",
            "A report from Harbour Watch says so.",
            "See https://a.b/made-up for more.",
        ] {
            assert_eq!(held().withheld(text, true).as_deref(), Some(WITHHELD), "{text}");
        }
        for text in
            ["According to the Guild it is so.", "According to some, it is.", "A report of theirs says so."]
        {
            assert_eq!(held().withheld(text, true), None, "{text}");
        }
    }

    #[test]
    fn what_tells_of_the_debate_may_count_its_parts() {
        let text = "After 14 entries and 21 questions the opinion had 97 words.";
        assert_eq!(held().withheld(text, false), None);
        assert!(held().withheld(text, true).is_some());
        assert!(held().withheld("It was said that 83 per cent did.", false).is_some());
    }

    #[test]
    fn a_fault_names_the_place_and_repeats_nothing() {
        let said = r#"{"takeaways": ["So.", "It is so. And 91 % crashed."]}"#;
        let faults = held().faults(said, true);
        assert_eq!(faults.0.len(), 1);
        assert_eq!((faults.0[0].rule.as_str(), faults.0[0].at.as_str()), (RULE, "takeaways[1]"));
        assert!(faults.0[0].message.starts_with("sentence 2 ") && !faults.0[0].message.contains("91"));
    }
}

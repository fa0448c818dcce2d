//! What a turn leaves to be desired and yet stands: what its author is told of once, what is warned of, and
//! what is ruled on.

use agon_core::Faults;
use agon_text::count_words;

use super::{
    conduct::{self, ConductRuling},
    debaters::Debaters,
    log::{AnalyticalFramework, Type},
    rule::{Conduct, RulingVerdict},
    source::SOURCES_MAX,
    statement::DebaterStatement,
    turn::{CONJECTURE, DebatePart, TurnRules},
};

/// Maximum number of words of a framework's name: it is to be called by it.
const FRAMEWORK_WORDS_MAX: usize = 4;
/// What models write where they bring in none.
const NO_FRAMEWORK: [&str; 5] = ["none", "n/a", "null", "empty", "no framework"];

impl TurnRules<'_> {
    /// `said` with what may be fixed: a framework that is not a name and an entry that retells the
    /// description of its author are faults until that was `told`; then the framework is left out.
    pub fn mend(
        &self,
        mut said: DebaterStatement,
        told: impl Fn(&str) -> bool,
    ) -> Result<DebaterStatement, Faults> {
        let mut faults = Faults::default();
        said.framework =
            said.framework.filter(|(name, _)| !NO_FRAMEWORK.contains(&name.to_lowercase().as_str()));
        if said.framework.as_ref().is_some_and(|(name, _)| !is_short_name(name)) {
            said.framework = None;
            if !told("framework") {
                let message = format!(
                    "a framework has a short name, of one to {FRAMEWORK_WORDS_MAX} words, then a colon and one sentence about it; leave it empty if you bring in none"
                );
                faults.add("framework", "framework", message);
            }
        }
        for (i, entry) in said.entries.iter().enumerate() {
            if !told("person") && retells(&entry.content, self.speaker) {
                let message = "speak as this person, in the first person; do not describe yourself or repeat your description";
                faults.add("person", format!("entries[{i}].content"), message);
            }
        }
        faults.or(said)
    }

    /// What is worth a warning and no redraft: L8 (too many sources), L10, L18, L19, and, in an
    /// answer that was `redrafted`, copies: in a first one they are faults.
    pub fn warnings(
        &self,
        said: &DebaterStatement,
        redrafted: bool,
        frameworks: &[AnalyticalFramework],
    ) -> Vec<String> {
        self.slips(said, redrafted, frameworks, &Debaters::default()).iter().map(Slip::warning).collect()
    }

    /// The same with the other slips that are ruled on: words about the person of someone in `debaters`, and
    /// entries that are too long.
    pub fn slips(
        &self,
        said: &DebaterStatement,
        redrafted: bool,
        frameworks: &[AnalyticalFramework],
        debaters: &Debaters,
    ) -> Vec<Slip> {
        let mut slips: Vec<Slip> = Vec::new();
        let cited = |url: &str| self.log.0.iter().any(|l| l.sources().iter().any(|s| s.url == url));
        for (i, entry) in said.entries.iter().enumerate() {
            let mut slip = |code, rule, text: String| slips.push(Slip { code, rule, entry: Some(i), text });
            let cites = entry.cites(self.log, self.speaker).len();
            if cites > SOURCES_MAX {
                let more = cites - SOURCES_MAX;
                slip("L8", Some(16), format!("{more} of its sources are noted and not verified"));
            }
            let factual = matches!(entry.kind, Type::OpeningStatement | Type::NewPoint | Type::Rebuttal);
            if factual && cites == 0 && !entry.content.contains(CONJECTURE) {
                let text = "states facts without a source and without the label [CONJECTURE]";
                slip("L10", Some(11), text.into());
            }
            if let Some(new) =
                entry.sources.iter().find(|s| self.part == DebatePart::Closing && !cited(&s.url))
            {
                slip("L18", Some(4), format!("brings a new source into the closing: {}", new.url));
            }
            if let Some(insult) = conduct::insults(&entry.content, self.speaker, debaters) {
                slip("conduct", Some(6), format!("speaks against the person of another debater: {insult:?}"));
            }
            let (count, (_, most)) = (count_words(&entry.content), self.part.words());
            if count > most {
                slip("length", None, format!("has {count} words; at most {most} are wanted"));
            }
        }
        let all: String =
            said.entries.iter().map(|e| e.content.to_lowercase()).collect::<Vec<_>>().join("\n");
        // What interrupts a turn is not an argument yet; the turn continues and is looked at then.
        if !said.interrupts() && matches!(self.part, DebatePart::Round(_)) && !all.contains("defer") {
            let ignored = frameworks.iter().filter(|framework| !all.contains(&framework.name.to_lowercase()));
            slips.extend(ignored.map(|AnalyticalFramework { name, by, .. }| {
                let text = format!("neither engages with nor defers the framework {name:?} of {by}");
                Slip { code: "L19", rule: Some(23), entry: None, text }
            }));
        }
        // Comparing with everything said is costly, and a script runs again at every step.
        if redrafted {
            let copies = self.copies(said).0;
            slips.extend(copies.iter().map(|copy| Slip {
                code: "repetition",
                rule: None,
                entry: None,
                text: copy.to_string(),
            }));
        }
        slips
    }
}

/// Something that stands and should not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// What is broken, as warnings call it.
    pub code: &'static str,
    /// The rule of the debate that is broken, where it is one.
    pub rule: Option<u32>,
    /// The entry, where it is one.
    pub entry: Option<usize>,
    /// How.
    pub text: String,
}

impl Slip {
    /// As a warning on the record.
    pub fn warning(&self) -> String {
        let Slip { code, entry, text, .. } = self;
        match entry {
            Some(entry) => format!("{code}: entry {}: {text}", entry + 1),
            // The words of a fault name their place.
            None if *code == "repetition" => text.clone(),
            None => format!("{code}: {text}"),
        }
    }

    /// The chair's warning, given the numbers of the entries in the log.
    pub(super) fn ruling(&self, seqs: &[u64]) -> Option<ConductRuling> {
        let of = *seqs.get(self.entry.unwrap_or_default())?;
        let conduct = Conduct { of, rule: self.rule?, verdict: RulingVerdict::Warning };
        let reason = if self.text.starts_with(char::is_numeric) {
            self.text.clone()
        } else {
            format!("It {}", self.text)
        };
        Some(ConductRuling { conduct, reason })
    }
}

/// Whether a framework is called so.
fn is_short_name(name: &str) -> bool {
    (1..=FRAMEWORK_WORDS_MAX).contains(&count_words(name)) && !name.ends_with(['.', '!', '?'])
}

/// Whether `content` tells about `speaker` as someone else would, or repeats what it was told about itself.
fn retells(content: &str, speaker: &str) -> bool {
    const TELLS: [&str; 16] = [
        "is",
        "was",
        "has",
        "believes",
        "thinks",
        "argues",
        "holds",
        "wants",
        "cares",
        "represents",
        "supports",
        "opposes",
        "works",
        "runs",
        "as",
        "knows",
    ];
    let spoken = speaker.replace('-', " ").to_lowercase();
    let names = [speaker.to_lowercase(), spoken];
    let lower = content.trim_start_matches(CONJECTURE).to_lowercase();
    let mut sentences =
        lower.split(['.', '!', '?', '\n', ':']).map(str::trim).filter(|sentence| !sentence.is_empty());
    let labelled = ["position:", "starting position:", "incentives:", "persona:"];
    labelled.iter().any(|label| lower.contains(label))
        || sentences.any(|sentence| {
            names.iter().filter_map(|name| sentence.strip_prefix(name.as_str())).any(|rest| {
                let next = rest.trim_start_matches([',', ' ']).split(|c: char| !c.is_alphanumeric()).next();
                rest.starts_with([' ', ',']) && next.is_some_and(|next| TELLS.contains(&next))
            })
        })
}

//! The rules L5 to L10 and L17 to L19 about the entries of a debater's statement, and faults that do not make a turn
//! unusable, all of them counted or compared: some are quoted to the author once, some become warnings, and two become
//! rulings. And figures of entries and what they stand in (conduct rules 11 and 24): an entry with sources that has a
//! figure from nowhere goes back once; then it stands, with its figures listed for the chair and for readers.

use std::collections::BTreeMap;

use agon_core::{Citation, Faults};
use agon_text::{KnownTexts, count_words};

use super::{
    log::{DebateLog, Logged, Phase, Type},
    source_form::{self, SOURCES_MAX},
    statement::{DebaterStatement, DraftEntry, ENTRIES_MAX, parse_statement},
};
use crate::common::{
    form::{Form, Kind, choice_kind, form_field, list_kind, text_kind},
    unsourced_figures::KnownFigures,
    verification::CitedPlace,
};

/// The rule that faults in figures name.
pub(super) const FIGURES_RULE: &str = "L24";
/// How speculation begins (log rule L9).
pub const CONJECTURE: &str = "[CONJECTURE]";
/// Words of an opening or a closing, and of an entry of a round: what prompts ask for.
const STATEMENT_WORDS: (usize, usize) = (150, 350);
/// See [`STATEMENT_WORDS`].
const ENTRY_WORDS: (usize, usize) = (80, 250);
/// Longest words of one entry, in characters.
const CONTENT_CHARS_MAX: u32 = 6_000;
/// Maximum number of words of a framework's name: it is to be called by it.
const FRAMEWORK_WORDS_MAX: usize = 4;
/// Fewest words of a source challenge: it must name the claim.
const CHALLENGE_WORDS_MIN: usize = 8;

impl DraftEntry {
    /// Addresses that it rests on, were it the next entry of `log`.
    pub(super) fn cited_addresses(&self, log: &DebateLog, speaker: &str) -> Vec<String> {
        let listed = self.sources.iter().map(|source| source.source.clone());
        let in_words = match self.kind.is_argument() {
            true => log.in_words(speaker, &self.content, &self.sources),
            false => Vec::new(),
        };
        listed.chain(in_words).collect()
    }
}

/// The entries of `said` by `speaker` that cite pages, for those who open them before it is logged. A page that only
/// the words name is opened, and nothing of it is compared.
pub fn list_cited_places(said: &DebaterStatement, log: &DebateLog, speaker: &str) -> Vec<CitedPlace> {
    let entries = said.entries.iter().enumerate().map(|(i, entry)| {
        let in_words =
            entry.cited_addresses(log, speaker).into_iter().skip(entry.sources.len()).map(Citation::cite_page);
        let sources: Vec<Citation> = entry.sources.iter().cloned().chain(in_words).take(SOURCES_MAX).collect();
        CitedPlace::of_citations(format!("entries[{i}]"), entry.content.clone(), sources)
    });
    entries.filter(|cited| !cited.sources.is_empty()).collect()
}

/// The part of the debate that a turn belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebatePart {
    /// Phase 1.
    Opening,
    /// A round of phase 2; `true` where the turn may be interrupted by a request to the chair.
    Round(bool),
    /// Phase 3.
    Closing,
}

impl DebatePart {
    /// As log entries name it.
    pub fn phase(self) -> Phase {
        match self {
            DebatePart::Opening => Phase::Opening,
            DebatePart::Round(_) => Phase::Rebuttal,
            DebatePart::Closing => Phase::Closing,
        }
    }

    /// Fewest and most words of an entry. More stand, with a warning.
    pub fn word_bounds(self) -> (usize, usize) {
        if matches!(self, DebatePart::Round(_)) { ENTRY_WORDS } else { STATEMENT_WORDS }
    }

    fn allowed_types(self) -> Vec<Type> {
        let mut types = match self {
            DebatePart::Opening => vec![Type::OpeningStatement],
            DebatePart::Closing => vec![Type::ClosingStatement],
            DebatePart::Round(_) => vec![Type::NewPoint, Type::Rebuttal, Type::Conjecture],
        };
        if self == DebatePart::Round(true) {
            types.extend([Type::ClarificationRequest, Type::SourceChallenge]);
        }
        types
    }
}

/// The rules for a debater's next statement, which depend on the log so far.
#[derive(Debug, Clone, Copy)]
pub struct TurnRules<'l> {
    /// Everything logged so far.
    pub log: &'l DebateLog,
    /// Its name.
    pub speaker: &'l str,
    /// Where the debate stands.
    pub part: DebatePart,
}

impl TurnRules<'_> {
    /// Arguments of others, which can be rebutted.
    fn rebuttable_arguments(&self) -> impl Iterator<Item = &Logged> {
        self.log.standing_arguments().filter(|logged| logged.item.speaker != self.speaker)
    }

    /// Entries of others with sources, which can be challenged.
    fn challengeable_entries(&self) -> impl Iterator<Item = &Logged> {
        self.rebuttable_arguments().filter(|logged| logged.cited_addresses().next().is_some())
    }

    /// The form of the statement. References are enumerated as texts.
    pub fn statement_form(&self) -> Form {
        let round = matches!(self.part, DebatePart::Round(_));
        let seq = |logged: &Logged| Some(logged.item.seq.to_string());
        // Each kind with what it must be about; none is offered that has nothing to be about.
        let entry = |kind: Type| {
            let about: Vec<Option<String>> = match kind {
                Type::Rebuttal => self.rebuttable_arguments().map(seq).collect(),
                Type::SourceChallenge => self.challengeable_entries().map(seq).collect(),
                _ => vec![None],
            };
            let reference = |name: &str, of: Type| {
                form_field(name, Kind::OptionalReference(if kind == of { about.clone() } else { vec![None] }))
            };
            let mut fields = vec![form_field("type", choice_kind([kind.name()]))];
            fields.extend(round.then(|| reference("rebuttal_to_seq", Type::Rebuttal)));
            fields
                .extend((self.part == DebatePart::Round(true)).then(|| reference("target_seq", Type::SourceChallenge)));
            fields.push(form_field("content", text_kind(40, CONTENT_CHARS_MAX)));
            fields.push(form_field("sources", source_form::sources_kind()));
            (!about.is_empty()).then(|| Form::new("form", fields))
        };
        let entries = Kind::AnyOf(self.part.allowed_types().into_iter().filter_map(entry).collect());
        let framework = Kind::Text { chars_min: None, chars_max: Some(300) };
        let entries = list_kind(1, if round { ENTRIES_MAX } else { 1 }, entries);
        Form::new("form", [form_field("entries", entries), form_field("framework", framework)])
    }

    /// The statement in `text`, or every rule that it breaks. `told` says whether its author was
    /// told of a repetition before: a second copy stands.
    pub fn check_statement(&self, text: &str, told: bool) -> Result<DebaterStatement, Faults> {
        let said = parse_statement(text)?;
        let mut faults = Faults::default();
        let allowed = self.part.allowed_types();
        for (i, entry) in said.entries.iter().enumerate() {
            let at = |field: &str| format!("entries[{i}].{field}");
            if !allowed.contains(&entry.kind) {
                let names: Vec<&str> = allowed.iter().map(|kind| kind.name()).collect();
                let message = format!("{:?} does not belong here; use {}", entry.kind.name(), names.join(", "));
                faults.add("L5", at("type"), message);
            }
            if entry.content.chars().count() > CONTENT_CHARS_MAX as usize {
                faults.add("form", at("content"), format!("it is longer than {CONTENT_CHARS_MAX} characters"));
            }
            if matches!(self.part, DebatePart::Round(_)) {
                self.check_rebuttal(entry, &at, &mut faults);
                self.check_challenge(entry, &at, &mut faults);
            }
            check_conjecture(entry, &said, &at, &mut faults);
            self.check_correction(entry, &at, &mut faults);
        }
        if said.entries.len() > 1 && (said.is_interruption() || !matches!(self.part, DebatePart::Round(_))) {
            faults.add("L5", "entries", "this is to be the only entry of your answer; the turn goes on afterwards");
        }
        if !told {
            faults.0.extend(self.find_copies(&said).0);
        }
        faults.into_result(said)
    }

    /// L6.
    fn check_rebuttal(&self, entry: &DraftEntry, at: &dyn Fn(&str) -> String, faults: &mut Faults) {
        let targets: Vec<u64> = self.rebuttable_arguments().map(|logged| logged.item.seq).collect();
        let message = match (entry.kind, entry.rebuttal_to_seq) {
            (Type::Rebuttal, None) => "a rebuttal needs rebuttal_to_seq, the seq of the argument it answers".to_owned(),
            (Type::Rebuttal, Some(seq)) if !targets.contains(&seq) => {
                let shown: Vec<String> = targets.iter().rev().take(8).map(u64::to_string).collect();
                format!("seq {seq} is no standing argument of another debater; some are {}", shown.join(", "))
            }
            (kind, Some(_)) if kind != Type::Rebuttal => {
                format!("only a rebuttal has a rebuttal_to_seq; a {} has null there", kind.name())
            }
            _ => return,
        };
        faults.add("L6", at("rebuttal_to_seq"), message);
    }

    /// L7.
    fn check_challenge(&self, entry: &DraftEntry, at: &dyn Fn(&str) -> String, faults: &mut Faults) {
        let targets: Vec<u64> = self.challengeable_entries().map(|logged| logged.item.seq).collect();
        match (entry.kind, entry.target_seq) {
            (Type::SourceChallenge, seq) if !seq.is_some_and(|seq| targets.contains(&seq)) => {
                let message = "a source_challenge needs target_seq, the seq of another debater's entry with sources";
                faults.add("L7", at("target_seq"), message);
            }
            (Type::SourceChallenge, _) if count_words(&entry.content) < CHALLENGE_WORDS_MIN => {
                faults.add("L7", at("content"), "a challenge names the claim that the source fails to support");
            }
            (kind, Some(_)) if kind != Type::SourceChallenge => {
                faults.add("L7", at("target_seq"), format!("a {} has null there", kind.name()));
            }
            _ => {}
        }
    }

    /// L17. That a ruling about the source came before is looked up in the log.
    fn check_correction(&self, entry: &DraftEntry, at: &dyn Fn(&str) -> String, faults: &mut Faults) {
        let found = match source_form::parse_correction(&entry.content) {
            Ok(None) => return,
            Ok(Some(found)) => found,
            Err(why) => return faults.add("L17", at("content"), why),
        };
        let own = self.log.entry_at(found.seq).filter(|l| l.item.speaker == self.speaker && l.struck.is_none());
        let ruled = super::announcements::ruling_text(found.seq, "the source ");
        let warned = self.log.0.iter().any(|logged| {
            let ruling = logged.item.content.as_deref().filter(|_| logged.item.kind == Type::Ruling);
            ruling.is_some_and(|text| text.starts_with(&ruled))
        });
        if !own.is_some_and(|logged| logged.cited_addresses().any(|url| url == found.old)) {
            let message = format!("seq {} is no entry of yours that cites {:?}", found.seq, found.old);
            faults.add("L17", at("content"), message);
        } else if !warned {
            let message = format!("the chair has not ruled a source of seq {} unreliable", found.seq);
            faults.add("L17", at("content"), message);
        }
        if !entry.sources.iter().any(|source| source.source == found.new) {
            faults.add("L17", at("sources"), format!("{:?} is to be among the sources of this entry", found.new));
        }
    }

    /// Nearly verbatim copies of earlier entries and of each other.
    pub(super) fn find_copies(&self, said: &DebaterStatement) -> Faults {
        let mut faults = Faults::default();
        let earlier: Vec<&Logged> = self.log.0.iter().filter(|l| l.struck.is_none()).collect();
        let mut names: Vec<String> = earlier.iter().map(|l| format!("seq {}", l.item.seq)).collect();
        let mut known = KnownTexts::from_texts(earlier.iter().map(|logged| logged.original_content().0));
        for (i, entry) in said.entries.iter().enumerate() {
            if let Some(copy) = known.find_copied(&entry.content) {
                let of = &names[copy.of];
                let message =
                    format!("this repeats {of} almost word for word; refer to it by its seq and say something new");
                faults.add("repetition", format!("entries[{i}].content"), message);
            }
            known.push(&entry.content);
            names.push(format!("entries[{i}]"));
        }
        faults
    }

    /// `said`, or the figures and calculations of it that stand on nothing: a fault until its author was `told`.
    pub fn check_figures(&self, said: DebaterStatement, motion: &str, told: bool) -> Result<DebaterStatement, Faults> {
        if told {
            return Ok(said);
        }
        let mut known = KnownFigures::from_texts([motion]);
        let standing = self.log.0.iter().filter(|logged| logged.struck.is_none());
        standing.for_each(|logged| add_known_figures(&mut known, logged));
        said.entries.iter().flat_map(|entry| &entry.sources).for_each(|source| known.add(&source.quote));
        let mut faults = Faults::default();
        for (i, entry) in said.entries.iter().enumerate() {
            let is_guess = entry.content.starts_with(CONJECTURE);
            for source in entry.sources.iter().filter(|_| !is_guess) {
                if let Err(why) = known.add_calculations(&source.calculation) {
                    let message = format!("the calculation {:?} does not hold: {why}", source.calculation);
                    faults.add(FIGURES_RULE, format!("entries[{i}].sources"), message);
                }
            }
            let is_sourced = entry.kind.is_argument() && !entry.cited_addresses(self.log, self.speaker).is_empty();
            if is_sourced && !is_guess {
                let listed = known.list_unsourced(&entry.content);
                if !listed.is_empty() {
                    let message = format!(
                        "these figures stand in no quotation of the entry, in no calculation, and in no earlier entry: {}. \
                         Quote the words of a page that have them, calculate them from quoted figures, leave them out, \
                         or begin the entry with {CONJECTURE}",
                        listed.join(", ")
                    );
                    faults.add(FIGURES_RULE, format!("entries[{i}].content"), message);
                }
            }
            known.add(&entry.content);
        }
        faults.into_result(said)
    }

    /// `said` without a framework whose name is too long: a fault until its author was `told`.
    pub fn check_framework(&self, mut said: DebaterStatement, told: bool) -> Result<DebaterStatement, Faults> {
        let is_name = |name: &str| (1..=FRAMEWORK_WORDS_MAX).contains(&count_words(name));
        if said.framework.as_ref().is_none_or(|(name, _)| is_name(name)) {
            return Ok(said);
        }
        said.framework = None;
        let message = format!(
            "a framework has a short name, of one to {FRAMEWORK_WORDS_MAX} words, then a colon and one sentence about it; leave it empty if you bring in none"
        );
        if told { Ok(said) } else { Err(Faults::one("framework", "framework", message)) }
    }

    /// What stands and should not: L8 (too many sources), L18 (new sources in a closing), entries that are too long,
    /// and, in an answer that was `redrafted`, copies: in a first one they are faults. Warnings for the record, and of
    /// what breaks a rule of the debate the entry, the rule and how.
    pub fn find_slips(&self, said: &DebaterStatement, redrafted: bool) -> (Vec<String>, Vec<(usize, u32, String)>) {
        let (mut warnings, mut breaches) = (Vec::new(), Vec::new());
        let cited = |url: &str| self.log.0.iter().any(|l| l.visible_sources().iter().any(|s| s.source == url));
        for (i, entry) in said.entries.iter().enumerate() {
            let mut slip = |code: &str, rule: Option<u32>, text: String| {
                warnings.push(format!("{code}: entry {}: {text}", i + 1));
                breaches.extend(rule.map(|rule| (i, rule, text)));
            };
            let cites = entry.cited_addresses(self.log, self.speaker).len();
            if cites > SOURCES_MAX {
                let more = cites - SOURCES_MAX;
                slip("L8", Some(16), format!("{more} of its sources are noted and not verified"));
            }
            if let Some(new) = entry.sources.iter().find(|s| self.part == DebatePart::Closing && !cited(&s.source)) {
                slip("L18", Some(4), format!("It brings a new source into the closing: {}", new.source));
            }
            let (count, (_, most)) = (count_words(&entry.content), self.part.word_bounds());
            if count > most {
                slip("length", None, format!("has {count} words; at most {most} are wanted"));
            }
        }
        // Comparing with everything said is costly, and a script runs again at every step.
        if redrafted {
            warnings.extend(self.find_copies(said).0.iter().map(ToString::to_string));
        }
        (warnings, breaches)
    }
}

/// L9.
fn check_conjecture(entry: &DraftEntry, said: &DebaterStatement, at: &dyn Fn(&str) -> String, faults: &mut Faults) {
    let labelled = entry.content.starts_with(CONJECTURE);
    if entry.kind == Type::Conjecture && !labelled {
        faults.add("L9", at("content"), format!("a conjecture begins with {CONJECTURE}"));
    }
    let evidence = said.entries.iter().any(|e| !e.sources.is_empty() && !e.content.starts_with(CONJECTURE));
    if entry.kind == Type::Rebuttal && labelled && entry.sources.is_empty() && !evidence {
        let message = "a rebuttal must not rest on conjecture alone; add sourced evidence, or make it a conjecture";
        faults.add("L9", at("content"), message);
    }
}

fn add_known_figures(known: &mut KnownFigures, logged: &Logged) {
    known.add(&logged.visible_content());
    add_cited_figures(known, logged);
}

/// The figures of the quotations of an entry, and then what is calculated from them: a calculation may stand at any source.
fn add_cited_figures(known: &mut KnownFigures, logged: &Logged) {
    logged.visible_sources().iter().for_each(|Citation { quote, .. }| known.add(quote));
    for Citation { calculation, .. } in logged.visible_sources() {
        // One that does not hold makes nothing known.
        let _ = known.add_calculations(calculation);
    }
}

/// The figures of each argument that stand in none of its quotations and calculations, nor in the motion or an entry
/// before it, by the number of the entry.
pub fn find_unsourced(motion: &str, log: &DebateLog) -> BTreeMap<u64, Vec<String>> {
    let mut known = KnownFigures::from_texts([motion]);
    let mut all = BTreeMap::new();
    for logged in log.0.iter().filter(|logged| logged.struck.is_none()) {
        if logged.item.kind.is_argument() {
            let mut own = known.clone();
            add_cited_figures(&mut own, logged);
            let content = logged.visible_content();
            let listed: Vec<String> = own.list_unsourced(&content).into_iter().map(str::to_owned).collect();
            if !listed.is_empty() {
                all.insert(logged.item.seq, listed);
            }
        }
        add_known_figures(&mut known, logged);
    }
    all
}

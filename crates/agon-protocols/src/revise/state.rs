//! What has been written so far, read from the rulings of the script. Prompts, files and the script
//! itself all look at a debate through it.

use std::sync::Arc;

use agon_core::{Faults, Key, RulingKind, View};

pub use super::rulings::{
    Criticised, Critiques, Drafted, Drafts, Joint, MutualConcession, Revised, Revisions, RoundCheck, RoundStatus,
};
use super::{
    artifact_names,
    critique::{Critique, Weakness},
    document,
    joint_findings::{FindingSource, Unified},
    plan,
    review::{Finding, Review},
    revision::Revision,
    settings::{ReviseMode, Setup},
    synthesis::{Synthesis, SynthesisRequirements},
};
use crate::common::verification::{self, SourceCheck};

/// One round: its critiques, its revisions, and the check for convergence once both are there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Round {
    /// In the order of critics, then of their targets.
    pub critiques: Vec<Criticised>,
    /// In the order of authors.
    pub revisions: Vec<Revised>,
    /// Nothing while it continues.
    pub check: Option<RoundCheck>,
}

/// One accepted version of an author's document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The round that it was written in; 0 for the initial one.
    pub round: u32,
    /// Nothing where it was redacted.
    pub text: Option<String>,
    /// What was found about its sources.
    pub sources: Vec<SourceCheck>,
    /// Findings of high severity that its author dropped from a review without a weakness that it addressed: they
    /// stand all the same.
    pub withdrawn: Vec<Finding>,
}

/// The settings of a debate, and its versions, rounds and joined result, rebuilt from its rulings.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviseState {
    /// What it was opened with.
    pub setup: Arc<Setup>,
    /// By author, oldest first.
    pub versions: Vec<Vec<Version>>,
    /// From round 1.
    pub rounds: Vec<Round>,
    /// The latest synthesis.
    pub joint: Option<Joint>,
    /// Whether it was to be written again since, and nobody did: it joins what no longer stands.
    pub outdated: bool,
}

impl ReviseState {
    /// Nothing written yet.
    pub fn new(setup: Setup) -> Self {
        let versions = vec![Vec::new(); setup.authors.len()];
        Self { setup: setup.into(), versions, rounds: Vec::new(), joint: None, outdated: false }
    }

    /// As `view` shows it; nothing where the debate could not begin.
    pub fn from_view(view: &View<'_>) -> Option<Arc<Self>> {
        let setup = Setup::from_opened(view.opened()).ok()?;
        Some(view.derive_once(|| Self::read_view(view, setup)))
    }

    fn read_view(view: &View<'_>, setup: Setup) -> Self {
        let mut state = Self::new(setup);
        let mut joined = 0;
        for (key, ruling) in view.rulings_of_kind(RulingKind::Noted) {
            let key = key.as_str();
            if key.starts_with("drafts") {
                for drafted in ruling.decode_data::<Drafts>().into_iter().flat_map(|ruled| ruled.drafts) {
                    let text = state.find_draft_text(view, &drafted);
                    state.add_draft(drafted.author, text, drafted.sources);
                }
            } else if key.starts_with("synthesis") {
                state.joint = ruling.decode_data().or(state.joint);
                joined = parse_pass(key);
            }
        }
        let lost = view.rulings_of_kind(RulingKind::Absent).filter_map(|(key, _)| key.as_str().strip_suffix("/absent"));
        let lost: Vec<&str> = lost.filter(|key| key.starts_with("synthesis")).collect();
        state.outdated = state.joint.is_some() && lost.last().is_some_and(|key| parse_pass(key) > joined);
        for number in 1.. {
            if view.find_ruling(round_key(number, "phase")).is_none() {
                break;
            }
            state.rounds.push(Round::default());
            let critiques = view.find_ruling_data::<Critiques>(round_key(number, "critiques"));
            for mut held in critiques.iter().flat_map(|ruled| ruled.critiques.clone()) {
                held.critique = load_statement(view, &held.key, Critique::parse_with_faults);
                state.add_critique(held);
            }
            let revisions = view.find_ruling_data::<Revisions>(round_key(number, "revisions"));
            for mut held in revisions.iter().flat_map(|ruled| ruled.revisions.clone()) {
                let count = state.weakness_count(number, held.author);
                let previous = state.latest_text(held.author);
                let parse = |text: &str| Revision::parse_with_faults(text, count, previous);
                held.revision = load_statement(view, &held.key, parse);
                state.add_revision(held);
            }
            if let Some(round) = state.rounds.last_mut() {
                round.check = view.find_ruling_data(round_key(number, "check")).map(|check| RoundCheck::clone(&check));
            }
        }
        state
    }

    /// Adds an author's initial version, as what was found about its sources leaves it.
    pub fn add_draft(&mut self, author: usize, text: Option<String>, sources: Vec<SourceCheck>) {
        let text = text.map(|text| verification::mark_passages(&text, &sources));
        if let Some(versions) = self.versions.get_mut(author) {
            versions.insert(0, Version { round: 0, text, sources, withdrawn: Vec::new() });
        }
    }

    /// Adds a critique of the round that is under way.
    pub fn add_critique(&mut self, mut held: Criticised) {
        for (at, words) in held.critique.iter_mut().flat_map(Critique::citing_texts) {
            verification::mark_words(words, &at, &held.sources);
        }
        if let Some(round) = self.rounds.last_mut() {
            round.critiques.push(held);
        }
    }

    /// Adds a revision of the round that is under way.
    pub fn add_revision(&mut self, mut held: Revised) {
        if let Some(revision) = &mut held.revision {
            revision.document = verification::mark_passages(&revision.document, &held.sources);
        }
        let text = held.revision.as_ref().map(|revision| revision.document.clone());
        let sources = held.sources.clone();
        let round = self.rounds.len() as u32;
        let withdrawn =
            held.revision.iter().flat_map(|revision| self.find_withdrawn_findings(held.author, round, revision));
        let withdrawn = withdrawn.collect();
        if let Some(versions) = self.versions.get_mut(held.author) {
            versions.push(Version { round, text, sources, withdrawn });
        }
        if let Some(round) = self.rounds.last_mut() {
            round.revisions.push(held);
        }
    }

    /// Findings of high severity of an author's latest review that `revision` does not have as such, and that no
    /// weakness which it addresses speaks of.
    pub fn find_withdrawn_findings(&self, author: usize, round: u32, revision: &Revision) -> Vec<Finding> {
        if self.setup.mode != ReviseMode::Review {
            return Vec::new();
        }
        let weaknesses = self.list_weaknesses(round, author);
        let addressed = revision.points.iter().filter(|point| !point.defended).map(|point| {
            let named = weaknesses.iter().find(|(number, ..)| *number == point.weakness);
            let weakness = named.map(|(_, _, weakness)| format!("{}: {}", weakness.place, weakness.problem));
            format!("{} {}", weakness.unwrap_or_default(), point.words)
        });
        let reasons: Vec<String> = addressed.collect();
        let mut dropped = self.latest_review(author).find_dropped_findings(&Review::parse(&revision.document));
        dropped.retain(|finding| !reasons.iter().any(|reason| finding.is_named(reason)));
        dropped
    }

    /// The latest review of an author, with the findings that it may not drop.
    pub fn latest_review(&self, author: usize) -> Review {
        self.latest_version(author).map(Version::to_review).unwrap_or_default()
    }

    /// The weaknesses that a critic named in earlier rounds than `round`, with their numbers over all its critiques.
    /// Those of a redacted critique are missing, and their numbers with them.
    pub fn named_before(&self, critic: usize, round: u32) -> Vec<NumberedWeakness<'_>> {
        let rounds = self.rounds.iter().take((round as usize).saturating_sub(1));
        let own = rounds.flat_map(|round| &round.critiques).filter(|held| held.critic == critic);
        number_weaknesses(own)
    }

    /// What was found about the sources of versions, of critiques and of what was joined.
    pub fn source_checks(&self) -> impl Iterator<Item = &SourceCheck> {
        let critiques = self.rounds.iter().flat_map(|round| &round.critiques);
        let versions = self.versions.iter().flatten().flat_map(|version| &version.sources);
        let joint = self.joint.iter().flat_map(|joint| &joint.sources);
        versions.chain(critiques.flat_map(|held| &held.sources)).chain(joint)
    }

    /// As it was after so many rounds.
    pub fn after_rounds(&self, rounds: u32) -> Self {
        let mut then = self.clone();
        then.rounds.truncate(rounds as usize);
        then.versions.iter_mut().for_each(|versions| versions.retain(|version| version.round <= rounds));
        then
    }

    /// How the last round ended, if it did.
    pub fn last_round_status(&self) -> Option<RoundStatus> {
        Some(self.rounds.last()?.check.as_ref()?.status)
    }

    /// Authors who have written a version.
    pub fn present_authors(&self) -> Vec<usize> {
        (0..self.versions.len()).filter(|author| !self.versions[*author].is_empty()).collect()
    }

    /// The latest version of an author.
    pub fn latest_version(&self, author: usize) -> Option<&Version> {
        self.versions.get(author)?.last()
    }

    /// The file of the latest version of an author.
    pub fn latest_version_file(&self, author: usize) -> Option<String> {
        Some(artifact_names::version_file(&self.setup, author, self.latest_version(author)?.round))
    }

    /// The version that an author wrote in `round`.
    pub fn find_version(&self, author: usize, round: u32) -> Option<&Version> {
        self.versions.get(author)?.iter().find(|version| version.round == round)
    }

    /// The text of the latest version of an author; empty where there is none to be shown.
    pub fn latest_text(&self, author: usize) -> &str {
        self.latest_version(author).and_then(|version| version.text.as_deref()).unwrap_or_default()
    }

    /// The version that an author had before its revision in `round`.
    pub fn version_before(&self, author: usize, round: u32) -> Option<&Version> {
        self.versions.get(author)?.iter().rev().find(|version| version.round < round)
    }

    /// How many weaknesses the critiques of an author's document name in `round`.
    pub fn weakness_count(&self, round: u32, author: usize) -> usize {
        self.critiques_of(round, author).map(|held| held.weaknesses).sum()
    }

    /// The weaknesses of an author's document named in `round`, with their numbers.
    /// Those of a redacted critique are missing, and their numbers with them.
    pub fn list_weaknesses(&self, round: u32, author: usize) -> Vec<NumberedWeakness<'_>> {
        number_weaknesses(self.critiques_of(round, author))
    }

    /// The names of all weaknesses, round by round and author by author.
    pub fn weakness_names(&self) -> Vec<String> {
        let rounds = 1..=self.rounds.len() as u32;
        let targets = rounds.flat_map(|round| (0..self.versions.len()).map(move |author| (round, author)));
        let named = targets.flat_map(|(round, author)| {
            let weaknesses = self.list_weaknesses(round, author).into_iter();
            weaknesses.map(move |(number, ..)| artifact_names::weakness_name(&self.setup, author, number, round))
        });
        named.collect()
    }

    /// The critiques of an author's document in `round`.
    pub fn critiques_of(&self, round: u32, author: usize) -> impl Iterator<Item = &Criticised> {
        let round = (round as usize).checked_sub(1).and_then(|at| self.rounds.get(at));
        round.into_iter().flat_map(|round| &round.critiques).filter(move |held| held.target == author)
    }

    /// Findings of the last versions of the reviews, by ids of their own.
    pub fn list_finding_sources(&self) -> Vec<FindingSource> {
        let mut sources = Vec::new();
        for author in self.present_authors() {
            for finding in self.latest_review(author).findings {
                let id = format!("{}-{}", self.setup.authors[author].label, finding.id);
                sources.push(FindingSource { id, author, finding });
            }
        }
        sources
    }

    /// Disagreements above low severity in the critiques of the last round: the critic, the target
    /// and the point. Nothing where the authors converged.
    pub fn unresolved_disagreements(&self) -> Vec<(usize, usize, &str)> {
        let Some(last) = self.rounds.last() else { return Vec::new() };
        if self.last_round_status() == Some(RoundStatus::Converged) {
            return Vec::new();
        }
        let points = last.critiques.iter().flat_map(|held| {
            let disagreements = held.critique.iter().flat_map(|critique| &critique.disagreements);
            let serious = disagreements.filter(|d| d.severity > super::critique::Severity::Low);
            serious.map(|disagreement| (held.critic, held.target, disagreement.point.as_str()))
        });
        points.collect()
    }

    /// What the synthesizer made of a plan or draft.
    pub fn read_synthesis(&self, view: &View<'_>) -> Option<Synthesis> {
        let Joint { key, sources, rounds } = self.joint.as_ref().filter(|_| self.setup.mode != ReviseMode::Review)?;
        let mut synthesis = load_statement(view, key, Synthesis::parse_with_faults)?;
        verification::mark_each(synthesis.named_texts(), sources);
        // What was joined elsewhere is as it is.
        Some(match view.is_imported(key) {
            true => synthesis,
            false => self.after_rounds(*rounds).synthesis_requirements().restore_lost_tasks(synthesis),
        })
    }

    /// What the synthesizer made of the reviews.
    pub fn read_unified_list(&self, view: &View<'_>) -> Option<Unified> {
        let Joint { key, sources, .. } = self.joint.as_ref().filter(|_| self.setup.mode == ReviseMode::Review)?;
        let mut unified = load_statement(view, key, Unified::parse_with_faults)?;
        verification::mark_each(unified.named_texts(), sources);
        Some(unified.settle_findings(&self.list_finding_sources()))
    }

    /// What a synthesis of the last versions must fit.
    pub fn synthesis_requirements(&self) -> SynthesisRequirements {
        let critiques = self.rounds.iter().zip(1_u32..).flat_map(|(round, number)| {
            let critiques = round.critiques.iter();
            critiques.map(move |held| artifact_names::critique_file(&self.setup, held.critic, held.target, number))
        });
        let shared = || {
            let texts: Vec<&str> = self.present_authors().iter().map(|author| self.latest_text(*author)).collect();
            plan::find_shared_tasks(&texts)
        };
        SynthesisRequirements {
            mode: self.setup.mode,
            phase: self.setup.phase,
            critiques: critiques.collect(),
            weaknesses: self.weakness_names(),
            shared: if self.setup.mode == ReviseMode::Plan { shared() } else { Vec::new() },
            open: self.unresolved_disagreements().into_iter().map(|(_, _, point)| point.to_owned()).collect(),
        }
    }

    /// The initial version of an author, as `view` shows it.
    fn find_draft_text(&self, view: &View<'_>, drafted: &Drafted) -> Option<String> {
        let text = match &drafted.key {
            Some(key) => view.answer_text(key),
            None => view.document(&given_name(&self.setup.authors.get(drafted.author)?.label)),
        };
        text.map(document::clean_document)
    }
}

impl Version {
    /// What it says as a review, with the findings that its author may not drop.
    pub fn to_review(&self) -> Review {
        let mut review = Review::parse(self.text.as_deref().unwrap_or_default());
        self.withdrawn.iter().for_each(|finding| review.restore_finding(finding));
        review
    }
}

/// A weakness with its number and the critique that names it.
pub type NumberedWeakness<'c> = (usize, &'c Criticised, &'c Weakness);

/// The weaknesses in critiques with their numbers over all of these.
fn number_weaknesses<'c>(critiques: impl Iterator<Item = &'c Criticised>) -> Vec<NumberedWeakness<'c>> {
    let (mut all, mut number) = (Vec::new(), 0);
    for held in critiques {
        let weaknesses = held.critique.iter().flat_map(|critique| &critique.weaknesses);
        all.extend(weaknesses.enumerate().map(|(i, weakness)| (number + i + 1, held, weakness)));
        number += held.weaknesses;
    }
    all
}

/// The statement under `key`, which was checked before it was accepted. One from elsewhere was accepted
/// whatever it breaks.
fn load_statement<T: Clone + Send + Sync + 'static>(
    view: &View<'_>,
    key: &Key,
    parse: impl FnOnce(&str) -> Result<(T, Faults), Faults>,
) -> Option<T> {
    let said = view.parse_statement(key, |text| {
        let (statement, faults) = parse(text)?;
        if view.is_imported(key) { Ok(statement) } else { faults.into_result(statement) }
    });
    said?.as_ref().as_ref().ok().cloned()
}

/// How often a debate had been extended when a synthesis was asked for under a key such as
/// `synthesis/again-2/accepted`.
fn parse_pass(key: &str) -> u32 {
    let number = key.split('/').find_map(|part| part.strip_prefix("again-"));
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Key of a ruling or request of a round.
pub fn round_key(round: u32, what: &str) -> String {
    format!("round-{round}/{what}")
}

/// Name of the document that holds an initial version which the opener gave.
pub fn given_name(label: &str) -> String {
    format!("draft/{label}")
}

//! The findings of a debate and what became of each: rebuilt from the rulings, which name the statements.

use std::{collections::BTreeMap, sync::Arc};

use agon_core::{Faults, Key, Opened, Seat, Statement, View};
use agon_text::parse_place;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::{
    CRITIC, FIRST_LOOK,
    answers::{CriticAnswer, CriticStance, FindingCritique, FindingRuling, ForEach, HoldRuling, PlaceCheck},
    checked_answers::{ComparedAnswers, Heard, QuotingAnswer},
    finding::{FindingSeverity, FindingsList, MaterialFinding, quotes_overlap},
};
use crate::common::{MATERIAL, named_seat};

/// Findings that one prompt shows to the critic or the judge: what four reviewers can list at once. Others wait
/// for the next pass.
const ASKED_MAX: usize = 32;

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum FindingStatus {
    /// The critic agrees, or the judge says that it holds.
    Held,
    /// The critic had no evidence for or against it.
    Concern,
    /// The judge cannot tell, or a seat that it needs gave no answer.
    Undecided,
    /// The judge says that it does not hold.
    Refuted,
    /// It cites nothing that is in the material.
    Demoted,
    /// Another reviewer found the same.
    Merged,
}

impl FindingStatus {
    /// All, in the order of reports.
    pub const ALL: [FindingStatus; 6] =
        [Self::Held, Self::Concern, Self::Undecided, Self::Refuted, Self::Demoted, Self::Merged];

    /// As rulings and files write it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A finding with everything that was said about it.
#[derive(Debug, Clone)]
pub struct FindingCase {
    /// `F1`, `F2`, …, in the order of rounds and seats.
    pub id: String,
    /// Who found it.
    pub by: Seat,
    /// In which round.
    pub round: u32,
    /// The statement that lists it.
    pub key: Key,
    /// Whether the critic added it to those of the reviewers: the judge decides about it.
    pub is_added: bool,
    /// Its own words.
    pub finding: MaterialFinding,
    /// The highest severity that it, or one that was merged into it, was given.
    pub given_severity: FindingSeverity,
    /// What was found at its place; nothing before anyone looked.
    pub check: Option<PlaceCheck>,
    /// Number of the case that it was merged into.
    pub merged_into: Option<usize>,
    /// What the critic said: once, or twice of a serious one.
    pub looks: Vec<Heard<FindingCritique>>,
    /// What the judge said, in both orders.
    pub rulings: Vec<Heard<FindingRuling>>,
}

impl FindingCase {
    /// What became of it so far.
    pub fn status(&self) -> FindingStatus {
        match &self.check {
            None => FindingStatus::Undecided,
            Some(check) if check.code.is_demoting() => FindingStatus::Demoted,
            Some(_) if self.merged_into.is_some() => FindingStatus::Merged,
            Some(_) if self.is_contested() => self.judged_status(),
            Some(_) if self.counted_looks().next().is_none() => FindingStatus::Undecided,
            // One answer with evidence is enough: the second look cannot take a finding away by itself.
            Some(_) if self.counted_looks().any(|look| look.said.stance == CriticStance::Agree) => FindingStatus::Held,
            Some(_) => FindingStatus::Concern,
        }
    }

    /// How much it matters: as much as its author says, or less where the critic says so with a quotation in every look
    /// that was taken at it. One look alone takes no weight from a finding that got two.
    pub fn severity(&self) -> FindingSeverity {
        let lowered = self.looks.iter().map(|look| look.said.lowered.filter(|_| look.is_counted()));
        let lowered = lowered.map(|lowered| lowered.unwrap_or(self.given_severity)).max();
        lowered.map_or(self.given_severity, |lowered| lowered.min(self.given_severity))
    }

    /// Whether the critic refuted it, or added it: only then is the judge asked.
    pub fn is_contested(&self) -> bool {
        self.is_added || self.counted_looks().any(|look| look.said.stance == CriticStance::Refuted)
    }

    /// What the critic said that counts.
    pub fn counted_looks(&self) -> impl Iterator<Item = &Heard<FindingCritique>> {
        self.looks.iter().filter(|look| look.is_counted())
    }

    fn judged_status(&self) -> FindingStatus {
        let rulings: Vec<_> = self.rulings.iter().filter(|ruling| ruling.is_counted()).collect();
        match rulings[..] {
            [one, other] if one.said.ruling == other.said.ruling => match one.said.ruling {
                HoldRuling::Holds => FindingStatus::Held,
                HoldRuling::DoesNotHold => FindingStatus::Refuted,
                HoldRuling::CannotTell => FindingStatus::Undecided,
            },
            _ => FindingStatus::Undecided,
        }
    }

    /// Whether it stands for the critic: it cites something, and is not merged.
    fn is_standing(&self) -> bool {
        self.check.as_ref().is_some_and(|check| !check.code.is_demoting()) && self.merged_into.is_none()
    }

    /// Its place, corrected where the quote stands elsewhere.
    pub fn place(&self) -> &str {
        let corrected = self.check.as_ref().map(|check| check.place.as_str());
        corrected.filter(|place| parse_place(place).is_ok()).unwrap_or(&self.finding.place)
    }

    fn is_same(&self, other: &Self) -> bool {
        let lines = |case: &Self| parse_place(case.place()).ok();
        let overlap = lines(self).zip(lines(other)).is_some_and(|(one, other)| one.overlaps(&other));
        // Two findings of one answer are two by the word of their author.
        let is_other = (&self.by, self.round) != (&other.by, other.round);
        is_other && overlap && quotes_overlap(&self.finding.quote, &other.finding.quote)
    }
}

/// What became of one finding in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecidedFinding {
    /// The finding.
    pub id: String,
    /// What became of it.
    pub status: FindingStatus,
    /// The finding that it was merged into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
}

/// Who listed findings, and under which key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundBy {
    /// The reviewer.
    pub seat: Seat,
    /// The statement.
    pub key: Key,
}

/// Data of the ruling on what reviewers found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundInRound {
    /// The statements, in the order of the seats.
    pub statements: Vec<FoundBy>,
}

/// Data of a ruling on statements that answer findings; nothing in the place of one that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnsweredInRound {
    /// The statements.
    pub keys: Vec<Option<Key>>,
}

/// Data of the ruling on what became of findings, for the audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecidedInRound {
    /// Those whose status this round changed.
    pub findings: Vec<DecidedFinding>,
}

/// The answers of a round whose quotes are compared.
pub(super) type QuoteComparison = (u32, ComparedAnswers);

/// A quote that nobody compared yet: its name, the finding, and what quotes.
pub(super) type UncomparedQuote<'c> = (String, &'c FindingCase, &'c dyn QuotingAnswer);

/// Key of what belongs to a round.
pub fn round_key(round: u32, what: &str) -> String {
    format!("round-{round}/{what}")
}

/// All findings so far.
#[derive(Debug, Clone, Default)]
pub struct ReviewState {
    /// The findings, in the order of rounds and seats.
    pub cases: Vec<FindingCase>,
    /// Who has answered with a list of findings, an empty one included.
    pub heard: Vec<Seat>,
    /// Those of them whom no prompt showed any of the material. They have read nothing, whatever they say.
    pub unseeing: Vec<Seat>,
}

/// Whether the debate says of each answer which passages it was shown: it has material.
pub fn counts_passages(opened: &Opened) -> bool {
    opened.documents.contains_key(MATERIAL)
}

impl ReviewState {
    /// The state that the rulings of `view` lead to.
    pub fn from_view(view: &View<'_>) -> Arc<Self> {
        view.derive_once(|| Self::read_view(view))
    }

    fn read_view(view: &View<'_>) -> Self {
        let mut state = Self::default();
        let counts = counts_passages(view.opened());
        let sees = |key: &Key| !counts || view.find_answer(key).is_some_and(|answered| !answered.shown.is_empty());
        for round in 1.. {
            let Some(found) = view.find_ruling_data::<FoundInRound>(round_key(round, "findings")) else {
                break;
            };
            for FoundBy { seat, key } in &found.statements {
                let list = read_statement(view, key, FindingsList::parse_answer);
                match list {
                    Some(list) => state.add_findings(round, seat, &list, sees(key)),
                    None => state.record_reviewer(seat, sees(key)),
                }
            }
            state.read_checks(view, round, "checked", None);
            if let Some(answered) = view.find_ruling_data::<AnsweredInRound>(round_key(round, "answers")) {
                let open = state.list_open();
                let serious = state.filter_serious(&open);
                for (look, (key, ids)) in (FIRST_LOOK..).zip(answered.keys.iter().zip([open, serious])) {
                    let read = |text: &str| CriticAnswer::parse_answer(text, &ids, look == FIRST_LOOK);
                    let answers = key.as_ref().and_then(|key| read_statement(view, key, read));
                    answers.iter().for_each(|answers| state.add_critique(round, answers));
                }
            }
            state.read_checks(view, round, "added", None);
            state.read_checks(view, round, "answers-compared", Some(ComparedAnswers::Critic));
            if let Some(judged) = view.find_ruling_data::<AnsweredInRound>(round_key(round, "rulings")) {
                let ids = state.list_contested();
                let orders = judged.keys.iter().flatten();
                let orders =
                    orders.filter_map(|key| read_statement(view, key, |text| FindingRuling::parse_answer(text, &ids)));
                let orders: Vec<_> = orders.collect();
                state.add_rulings(&orders);
            }
            state.read_checks(view, round, "rulings-compared", Some(ComparedAnswers::Judge));
        }
        state
    }

    fn read_checks(&mut self, view: &View<'_>, round: u32, ruled: &str, of: Option<ComparedAnswers>) {
        let compared = of.map(|of| (round, of));
        let ruled = view.find_ruling_data::<AnsweredInRound>(round_key(round, ruled));
        for key in ruled.iter().flat_map(|ruled| ruled.keys.iter().flatten()) {
            let ids = self.list_lookups(compared);
            if let Some(checks) = read_statement(view, key, |text| PlaceCheck::parse_answer(text, &ids)) {
                self.apply_lookup(compared, &checks.value);
            }
        }
    }

    /// Takes what a reviewer found, who `sees` some of the material.
    pub fn add_findings(&mut self, round: u32, by: &Seat, list: &Statement<FindingsList>, sees: bool) {
        self.record_reviewer(by, sees);
        self.add_cases(round, by, &list.key, &list.value.0);
    }

    fn add_cases(&mut self, round: u32, by: &Seat, key: &Key, findings: &[MaterialFinding]) {
        for finding in findings {
            self.cases.push(FindingCase {
                id: format!("F{}", self.cases.len() + 1),
                by: by.clone(),
                round,
                key: key.clone(),
                is_added: by.as_str() == CRITIC,
                given_severity: finding.severity,
                finding: finding.clone(),
                check: None,
                merged_into: None,
                looks: Vec::new(),
                rulings: Vec::new(),
            });
        }
    }

    fn record_reviewer(&mut self, by: &Seat, sees: bool) {
        if !self.heard.contains(by) {
            self.heard.push(by.clone());
            self.unseeing.push(by.clone());
        }
        // Who read it in one pass has read it.
        self.unseeing.retain(|seat| !sees || seat != by);
    }

    /// What is still to be looked up: quotes of critic or judge by their names, or findings.
    pub(super) fn list_lookups(&self, of: Option<QuoteComparison>) -> Vec<String> {
        match of {
            Some(of) => self.list_uncompared(of).into_iter().map(|(id, ..)| id).collect(),
            None => self.list_unchecked(),
        }
    }

    /// Takes what was found there.
    pub(super) fn apply_lookup(&mut self, of: Option<QuoteComparison>, checks: &ForEach<PlaceCheck>) {
        match of {
            Some(of) => self.apply_comparison(of, checks),
            None => self.apply_checks(checks),
        }
    }

    /// Findings whose places are still to be looked up.
    pub fn list_unchecked(&self) -> Vec<String> {
        self.list_ids(|case| case.check.is_none())
    }

    /// Takes what was found at the places, and merges the same findings of different answers: only into a
    /// finding that the critic has still to read, since one that joins a decided finding would be decided unread.
    fn apply_checks(&mut self, checks: &ForEach<PlaceCheck>) {
        let mut fresh = Vec::new();
        for (at, case) in self.cases.iter_mut().enumerate() {
            if let Some(check) = checks.get(&case.id) {
                case.check = Some(check.clone());
                fresh.push(at);
            }
        }
        for at in fresh {
            let case = &self.cases[at];
            let same = |other: &usize| {
                let other = &self.cases[*other];
                other.is_standing() && other.looks.is_empty() && other.rulings.is_empty() && other.is_same(case)
            };
            if let Some(into) = (0..at).find(same).filter(|_| case.is_standing()) {
                let severity = case.given_severity.max(self.cases[into].given_severity);
                self.cases[into].given_severity = severity;
                self.cases[at].merged_into = Some(into);
            }
        }
    }

    /// Findings that the critic has not answered, those of the highest severity first where there are many.
    pub fn list_open(&self) -> Vec<String> {
        self.most_severe(|case| case.is_standing() && !case.is_added && case.counted_looks().next().is_none())
    }

    /// Those of `ids` that would block, and get a second look.
    pub fn filter_serious(&self, ids: &[String]) -> Vec<String> {
        self.list_ids(|case| case.severity() == FindingSeverity::High && ids.contains(&case.id))
    }

    /// Takes one look of the critic, with what it adds.
    pub fn add_critique(&mut self, round: u32, answers: &Statement<CriticAnswer>) {
        let Statement { key, value } = answers;
        for case in &mut self.cases {
            case.looks.extend(find_heard(key, &value.critiques, &case.id));
        }
        self.add_cases(round, &named_seat(CRITIC), key, &value.added);
    }

    /// Findings that the critic refuted or added and the judge has not ruled on in both orders.
    pub fn list_contested(&self) -> Vec<String> {
        let is_ruled = |case: &FindingCase| case.rulings.iter().filter(|ruling| ruling.is_counted()).count() == 2;
        self.most_severe(|case| case.is_standing() && case.is_contested() && !is_ruled(case))
    }

    /// Takes the rulings of the judge; one order alone decides nothing, and is kept.
    pub fn add_rulings(&mut self, orders: &[Statement<ForEach<FindingRuling>>]) {
        for case in &mut self.cases {
            let rulings: Vec<_> =
                orders.iter().filter_map(|order| find_heard(&order.key, &order.value, &case.id)).collect();
            if !rulings.is_empty() {
                case.rulings = rulings;
            }
        }
    }

    /// Quotes of this round that nobody compared yet.
    pub(super) fn list_uncompared(&self, (round, of): QuoteComparison) -> Vec<UncomparedQuote<'_>> {
        let round = &round_key(round, "");
        let mut all: Vec<UncomparedQuote<'_>> = Vec::new();
        for case in &self.cases {
            let id = &case.id;
            match of {
                ComparedAnswers::Critic => all.extend(case.looks.iter().filter_map(|look| {
                    Some((look.pending_comparison(id, round)?, case, &look.said as &dyn QuotingAnswer))
                })),
                ComparedAnswers::Judge => all.extend(case.rulings.iter().filter_map(|ruling| {
                    Some((ruling.pending_comparison(id, round)?, case, &ruling.said as &dyn QuotingAnswer))
                })),
            }
        }
        all
    }

    fn apply_comparison(&mut self, (round, of): QuoteComparison, checks: &ForEach<PlaceCheck>) {
        let round = &round_key(round, "");
        for case in &mut self.cases {
            let id = &case.id;
            match of {
                ComparedAnswers::Critic => {
                    case.looks.iter_mut().for_each(|look| look.apply_comparison(id, round, checks));
                }
                ComparedAnswers::Judge => {
                    case.rulings.iter_mut().for_each(|ruling| ruling.apply_comparison(id, round, checks));
                }
            }
        }
    }

    /// What became of the findings, without those that `before` says the same of.
    pub fn list_decided(&self, before: &BTreeMap<String, FindingStatus>) -> Vec<DecidedFinding> {
        let changed = self.cases.iter().filter(|case| before.get(&case.id) != Some(&case.status()));
        let decided = changed.map(|case| DecidedFinding {
            id: case.id.clone(),
            status: case.status(),
            into: case.merged_into.map(|into| self.cases[into].id.clone()),
        });
        decided.collect()
    }

    /// The status of each finding.
    pub fn statuses(&self) -> BTreeMap<String, FindingStatus> {
        self.cases.iter().map(|case| (case.id.clone(), case.status())).collect()
    }

    /// The findings of a status.
    pub fn with_status(&self, status: FindingStatus) -> impl Iterator<Item = &FindingCase> {
        self.cases.iter().filter(move |case| case.status() == status)
    }

    /// The findings that were merged into `case`.
    pub fn merged_into<'s>(&'s self, case: &'s FindingCase) -> impl Iterator<Item = &'s FindingCase> {
        let is_it = |at: usize| self.cases.get(at).is_some_and(|into| into.id == case.id);
        self.cases.iter().filter(move |other| other.merged_into.is_some_and(is_it))
    }

    /// The finding called `id`.
    pub fn find_case(&self, id: &str) -> Option<&FindingCase> {
        self.cases.iter().find(|case| case.id == id)
    }

    fn list_ids(&self, which: impl Fn(&FindingCase) -> bool) -> Vec<String> {
        self.cases.iter().filter(|case| which(case)).map(|case| case.id.clone()).collect()
    }

    fn most_severe(&self, which: impl Fn(&FindingCase) -> bool) -> Vec<String> {
        let mut cases: Vec<&FindingCase> = self.cases.iter().filter(|case| which(case)).collect();
        cases.sort_by_key(|case| std::cmp::Reverse(case.severity()));
        cases.into_iter().take(ASKED_MAX).map(|case| case.id.clone()).collect()
    }
}

/// What the statement under `key` says about the finding `id`.
fn find_heard<T: Clone + QuotingAnswer>(key: &Key, said: &ForEach<T>, id: &str) -> Option<Heard<T>> {
    Some(Heard::new(key.clone(), said.get(id)?.clone()))
}

/// The statement under `key`, where it may be read; its entry keeps what the check made of it.
fn read_statement<T: Send + Sync + 'static>(
    view: &View<'_>,
    key: &Key,
    read: impl Fn(&str) -> Result<T, Faults>,
) -> Option<Statement<T>> {
    let read: Arc<Result<Arc<T>, Faults>> = view.parse_statement(key, |text| read(text).map(Arc::new))?;
    let value = read.as_ref().as_ref().ok()?.clone();
    Some(Statement { key: key.clone(), value })
}

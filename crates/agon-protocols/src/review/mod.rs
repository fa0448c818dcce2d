//! The review: reviewers look for errors in material, each alone; a part of the program looks up what they
//! cite; a critic tries to refute what stands; a judge decides what is contested. The verdict follows from
//! the findings: no model can vote one away that holds.

pub mod answers;
pub mod checked_answers;
mod facts;
pub mod finding;
pub mod outcome;
pub mod state;

use std::collections::BTreeSet;

use agon_core::{
    Absent, Floor, Flow, Key, Lost, Opened, Outcome, Protocol, Request, RoundBegins, Ruling, RulingKind, Seat,
    Statement, View, draft::Draft,
};
use agon_text::count_noun;
use serde_json::json;

use self::{
    answers::{CriticAnswer, FindingRuling, PlaceCheck},
    checked_answers::ComparedAnswers,
    finding::FindingsList,
    state::{
        AnsweredInRound, DecidedInRound, FindingStatus, FoundBy, FoundInRound, QuoteComparison, ReviewState, round_key,
    },
};
use crate::common::{
    self,
    absence::rule_absent,
    named_seat,
    request_values::{read_fact, read_option},
};

/// The review.
pub struct MaterialReview;

/// Row of the reviewers, and the other seats.
const REVIEWER: &str = "reviewer";
const VERIFIER: &str = "verifier";
/// Seat of the critic.
pub const CRITIC: &str = "critic";
/// Seat of the judge.
pub const JUDGE: &str = "judge";
/// The look of the critic that can add findings; a second one is about serious findings alone.
const FIRST_LOOK: u64 = 1;
/// In which order the judge reads a finding and its refutation, by the last part of the request's key.
const ORDERS: [&str; 2] = ["judge-a", "judge-b"];

impl Protocol for MaterialReview {
    crate::shipped_files! {
        "review.toml", facts, people, skill;
        "review", "reviewer", "critique", "judgment", "finding", "refutation", "small/reviewer", "small/critique",
        "small/judgment"; common::REDRAFT
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let mut pass = ReviewPass::from_opened(floor.opened());
        loop {
            while pass.round < floor.current_limits().rounds {
                pass.round += 1;
                pass.run_pass(floor)?;
            }
            floor.adjourn_debate(outcome::review_outcome(&pass))?;
        }
    }

    fn sample_answer(&self, heard: &View<'_>, request: &Request) -> Option<String> {
        facts::sample_answer(heard, request)
    }
}

/// The seats that read the material: all of the row, or the first where one critique is wanted.
pub fn list_reviewers(opened: &Opened) -> Vec<Seat> {
    let row = opened.lineup.iter().map(|sat| &sat.seat);
    let row = row.filter(|seat| seat.as_str().strip_prefix(REVIEWER).is_some_and(|rest| rest.starts_with('-')));
    let most = if is_critique(opened) { 1 } else { usize::MAX };
    row.take(most).cloned().collect()
}

fn is_critique(opened: &Opened) -> bool {
    read_option::<String>(opened, "form").as_deref() == Some("critique")
}

/// A debate under way, pass by pass over the material.
#[derive(Default)]
struct ReviewPass {
    reviewers: Vec<Seat>,
    is_critique: bool,
    round: u32,
    state: ReviewState,
    /// Seats that gave no usable answer when they were asked last.
    absent: Vec<Absent>,
    /// The verifier, where it gave no answer to one of its requests in this pass.
    lost_verifier: Option<Absent>,
}

impl ReviewPass {
    fn from_opened(opened: &Opened) -> Self {
        Self { reviewers: list_reviewers(opened), is_critique: is_critique(opened), ..Self::default() }
    }

    /// One pass: what an earlier one left open is asked again, together with what is new.
    fn run_pass(&mut self, floor: &mut Floor<'_>) -> Flow<()> {
        let before = self.state.statuses();
        self.lost_verifier = None;
        let phase = Ruling::new(RulingKind::Phase, format!("Pass {}", self.round));
        floor.record_ruling(self.pass_key("phase"), phase.with_data(RoundBegins { round: self.round }))?;
        self.ask_reviewers(floor)?;
        self.look_up(floor, ["verification", "checked"], None)?;
        self.ask_critic(floor)?;
        self.ask_judge(floor)?;
        let findings = self.state.list_decided(&before);
        let decided = Ruling::new(RulingKind::Scored, self.describe_statuses()).with_data(DecidedInRound { findings });
        floor.record_ruling(self.pass_key("decided"), decided)
    }

    /// How many findings there are by what became of them.
    fn describe_statuses(&self) -> String {
        let told = FindingStatus::ALL.into_iter().filter_map(|status| {
            let [one, more] = match status {
                FindingStatus::Held => ["holds", "hold"],
                FindingStatus::Concern => ["is a concern", "are concerns"],
                FindingStatus::Undecided => ["is undecided", "are undecided"],
                FindingStatus::Refuted => ["was refuted", "were refuted"],
                FindingStatus::Demoted => ["cites nothing that is there", "cite nothing that is there"],
                FindingStatus::Merged => ["repeats another", "repeat others"],
            };
            let count = self.state.with_status(status).count();
            (count > 0).then(|| count_noun(count, one, more))
        });
        match told.collect::<Vec<_>>() {
            told if told.is_empty() => "No findings.".to_owned(),
            told => format!("Findings: {}.", told.join(", ")),
        }
    }

    /// All reviewers at once; none sees what another finds.
    fn ask_reviewers(&mut self, floor: &mut Floor<'_>) -> Flow<()> {
        let drafts = self.reviewers.iter().map(|reviewer| {
            let request =
                Request::new(self.pass_key(reviewer.as_str()), reviewer, "reviewer").with_fact("round", self.round);
            Draft::new(request.or_absent(), |draft| FindingsList::parse_answer(draft.text))
        });
        let answers = floor.ask_each_until_valid(drafts.collect())?;
        let mut statements = Vec::new();
        for (reviewer, answer) in self.reviewers.clone().into_iter().zip(answers) {
            let key = self.pass_key(reviewer.as_str());
            if let Some(list) = self.take_statement(floor, &reviewer, &key, answer)? {
                let sees = !state::counts_passages(floor.opened()) || !floor.shown_passages(&list.key).is_empty();
                self.state.add_findings(self.round, &reviewer, &list, sees);
                statements.push(FoundBy { seat: reviewer, key: list.key });
            }
        }
        let found = self.state.cases.iter().filter(|case| case.round == self.round).count();
        let found = count_noun(found, "finding", "findings");
        let reviewers = count_noun(self.reviewers.len(), "reviewer", "reviewers");
        let text = format!("{found} by {} of {reviewers}", statements.len());
        let ruling = Ruling::new(RulingKind::Noted, text).with_data(FoundInRound { statements });
        floor.record_ruling(self.pass_key("findings"), ruling)
    }

    /// A part of the program compares places and quotes of findings with the material, or the quotes of critic or judge:
    /// what quotes nothing that is there does not count. It is asked and ruled under these keys.
    fn look_up(&mut self, floor: &mut Floor<'_>, keys: [&str; 2], of: Option<ComparedAnswers>) -> Flow<()> {
        let [asked, ruled] = keys;
        let compared = of.map(|of| (self.round, of));
        let ids = self.state.list_lookups(compared);
        if ids.is_empty() {
            return Ok(());
        }
        let verifier = named_seat(VERIFIER);
        let mut request = Request::new(self.pass_key(asked), &verifier, "").or_absent();
        request.facts.extend(of.map(|of| ("of".to_owned(), json!(of))));
        let request = request.with_fact("round", self.round);
        let answer = floor.ask_until_valid(request, |draft| PlaceCheck::parse_answer(draft.text, &ids))?;
        let statement = self.take_statement(floor, &verifier, &self.pass_key(asked), answer)?;
        // One that answered another request of this pass is still missing for this one.
        match &self.lost_verifier {
            None => {
                self.lost_verifier = self.absent.iter().find(|absent| absent.seat == verifier).cloned();
            }
            Some(lost) if statement.is_some() => self.absent.push(lost.clone()),
            Some(_) => {}
        }
        let (what, [one, many], is_there) = match of {
            None => ("places", ["finding cites", "findings cite"], "what is in the material"),
            Some(_) => ("quotes", ["quote stands", "quotes stand"], "in the material"),
        };
        let mut text = format!("the {what} could not be looked up");
        if let Some(Statement { value, .. }) = &statement {
            self.state.apply_lookup(compared, value);
            let there = value.values().filter(|check| !check.code.is_demoting()).count();
            text = format!("{there} of {} {is_there}", count_noun(value.len(), one, many));
        }
        let keys = vec![statement.map(|statement| statement.key)];
        let ruling = Ruling::new(RulingKind::Noted, text).with_data(AnsweredInRound { keys });
        floor.record_ruling(self.pass_key(ruled), ruling)
    }

    /// The critic answers every finding that stands, and those that would block a second time.
    fn ask_critic(&mut self, floor: &mut Floor<'_>) -> Flow<()> {
        let open = self.state.list_open();
        if open.is_empty() {
            return Ok(());
        }
        let serious = if self.is_critique { Vec::new() } else { self.state.filter_serious(&open) };
        let looks = [("critic-1", open), ("critic-2", serious)];
        let looks = looks.iter().filter(|(_, ids)| !ids.is_empty());
        let asked = looks.zip(1..).map(|((name, ids), look)| {
            let request =
                Request::new(self.pass_key(name), &named_seat(CRITIC), "critique").with_fact("round", self.round);
            Draft::new(request.with_fact("look", look).or_absent(), move |draft| {
                CriticAnswer::parse_answer(draft.text, ids, look == FIRST_LOOK)
            })
        });
        let keys = self.ask_drafts(floor, CRITIC, asked.collect())?;
        for answers in keys.iter().flatten() {
            self.state.add_critique(self.round, answers);
        }
        let count =
            |of: fn(&CriticAnswer) -> usize| keys.iter().flatten().map(|answers| of(&answers.value)).max().unwrap_or(0);
        let answered = count_noun(count(|answer| answer.critiques.len()), "finding", "findings");
        let added = count(|answer| answer.added.len());
        let text = match added {
            0 => format!("the critic answered {answered}"),
            _ => format!("the critic answered {answered} and added {added}"),
        };
        let keys = keys.into_iter().map(|answers| Some(answers?.key)).collect();
        let answered = AnsweredInRound { keys };
        floor.record_ruling(self.pass_key("answers"), Ruling::new(RulingKind::Noted, text).with_data(answered))?;
        self.look_up(floor, ["verification-answers", "answers-compared"], Some(ComparedAnswers::Critic))?;
        match added {
            0 => Ok(()),
            _ => self.look_up(floor, ["verification-added", "added"], None),
        }
    }

    /// The judge reads each contested finding twice: before and after its refutation.
    fn ask_judge(&mut self, floor: &mut Floor<'_>) -> Flow<()> {
        let ids = self.state.list_contested();
        if ids.is_empty() {
            return Ok(());
        }
        let asked = ORDERS.iter().map(|order| {
            let request =
                Request::new(self.pass_key(order), &named_seat(JUDGE), "judgment").with_fact("round", self.round);
            let request = request.with_fact("refutation_first", *order == ORDERS[1]);
            Draft::new(request.or_absent(), |draft| FindingRuling::parse_answer(draft.text, &ids))
        });
        let rulings = self.ask_drafts(floor, JUDGE, asked.collect())?;
        let heard: Vec<_> = rulings.iter().flatten().cloned().collect();
        self.state.add_rulings(&heard);
        let ruled = heard.iter().flat_map(|order| order.value.keys()).collect::<BTreeSet<_>>().len();
        let keys = rulings.into_iter().map(|statement| Some(statement?.key)).collect();
        let text = format!("the judge ruled on {}", count_noun(ruled, "finding", "findings"));
        let ruling = Ruling::new(RulingKind::Noted, text);
        floor.record_ruling(self.pass_key("rulings"), ruling.with_data(AnsweredInRound { keys }))?;
        self.look_up(floor, ["verification-rulings", "rulings-compared"], Some(ComparedAnswers::Judge))
    }

    /// Asks one seat several things at once.
    fn ask_drafts<T: Send + Sync + 'static>(
        &mut self,
        floor: &mut Floor<'_>,
        name: &str,
        drafts: Vec<Draft<'_, T>>,
    ) -> Flow<Vec<Option<Statement<T>>>> {
        let keys: Vec<Key> = drafts.iter().map(|draft| draft.request.key.clone()).collect();
        let answers = floor.ask_each_until_valid(drafts)?;
        let mut lost = None;
        let mut given = Vec::new();
        for (key, answer) in keys.iter().zip(answers) {
            given.push(self.take_statement(floor, &named_seat(name), key.as_str(), answer)?);
            lost = lost.or_else(|| self.absent.iter().find(|absent| absent.seat.as_str() == name).cloned());
        }
        // A seat that answered one of two requests is missing for the other.
        self.absent.retain(|absent| absent.seat.as_str() != name);
        self.absent.extend(lost);
        Ok(given)
    }

    /// The statement in `answer`; without one the seat is absent until it answers again.
    fn take_statement<T>(
        &mut self,
        floor: &mut Floor<'_>,
        who: &Seat,
        key: &str,
        answer: Result<Statement<T>, Lost>,
    ) -> Flow<Option<Statement<T>>> {
        self.absent.retain(|absent| absent.seat != *who);
        match answer {
            Ok(statement) => Ok(Some(statement)),
            Err(lost) => {
                self.absent.push(rule_absent(floor, who, who.as_str(), key, &lost)?);
                Ok(None)
            }
        }
    }

    fn pass_key(&self, what: &str) -> String {
        round_key(self.round, what)
    }
}

/// The ids in a list of findings that a request is about, by the state that it is asked in.
fn asked_about(state: &ReviewState, request: &Request) -> Vec<String> {
    match request.prompt.as_str() {
        "" => state.list_lookups(requested_comparison(request)),
        "critique" if !is_first_look(request) => state.filter_serious(&state.list_open()),
        "critique" => state.list_open(),
        "judgment" => state.list_contested(),
        _ => Vec::new(),
    }
}

fn is_first_look(request: &Request) -> bool {
    read_fact(request, "look") == Some(FIRST_LOOK)
}

/// The answers whose quotes a request to the verifier is about; none where it is about findings.
fn requested_comparison(request: &Request) -> Option<QuoteComparison> {
    Some((read_fact(request, "round")?, read_fact(request, "of")?))
}

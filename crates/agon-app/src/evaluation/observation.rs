//! The observation that the record of a debate gives. Everything comes from the record, so that an observation that
//! was lost is made again without asking anything.

use std::collections::BTreeSet;

use agon_core::{Basis, Digest, Opened, Outcome, Record, Role, Seat, Standing, Usage};
use agon_eval::observation::{
    MirrorPair, Observation, ObservationState, ObservedSide, ObservedUsage, ObservedVote, PARTS_MAX,
};
use agon_journal::time::seconds_between;
use agon_protocols::{
    common::family::model_family,
    declared::{
        self, Declaration,
        candidate_sides::ArguedSide,
        decision,
        declaration::{Ask, OutcomeReading},
        form,
        quotes::{self, CONTEXT},
        state::{DeclaredState, PlacedStatement, list_slots},
    },
};
use serde_json::json;

use super::arms::{EVALUATION, EvaluationTag};

/// Longest reason of an observation that is not a plain answer, in characters.
const REASON_CHARS_MAX: usize = 300;

/// What a debate says about itself; `None` where it belongs to no evaluation.
pub fn read_tag(opened: &Opened) -> Option<EvaluationTag> {
    serde_json::from_value(opened.options.get(EVALUATION)?.clone()).ok()
}

/// The observation of a debate that ended; `None` where it belongs to no evaluation, or has not ended.
pub fn build_observation(record: &Record) -> Option<Observation> {
    let tag = read_tag(record.opened())?;
    let outcome = record.closing_outcome()?;
    let mut observation = opened_observation(record, &tag);
    observation.state = observation_state(outcome);
    match declared::read_declared_state(record) {
        Some((declaration, state)) => {
            let reading = DeclaredReading { record, tag: &tag, declaration: &declaration, state: &state };
            reading.fill_observation(&mut observation, outcome);
        }
        None => observation.answer = named_choice(&tag, outcome),
    }
    Some(observation)
}

/// The observation of a debate that did not end, for `reason`; `record` is what it has so far.
pub fn failed_observation(tag: &EvaluationTag, record: Option<&Record>, reason: &str) -> Observation {
    let observation = record.map_or_else(|| of_tag(tag), |record| opened_observation(record, tag));
    Observation { state: ObservationState::Failed { reason: shorten_text(reason) }, ..observation }
}

fn of_tag(tag: &EvaluationTag) -> Observation {
    Observation {
        item: tag.item.clone(),
        cluster: tag.cluster.clone(),
        arm: tag.arm.clone(),
        repetition: tag.repetition,
        gold: tag.gold.clone(),
        choices: tag.choices.clone(),
        item_digest: Some(tag.item_digest.to_string()),
        ..Observation::default()
    }
}

/// What holds for every debate that was opened.
fn opened_observation(record: &Record, tag: &EvaluationTag) -> Observation {
    let opened = record.opened();
    let models: BTreeSet<String> = record.answers().map(|(_, answered)| answering_model(answered)).collect();
    Observation {
        usage: observed_usage(record),
        models: models.into_iter().filter(|model| !model.is_empty()).take(PARTS_MAX).collect(),
        seed: Some(opened.seed),
        debate: Some(opened.debate.to_string()),
        record_hash: Some(record.head_hash().to_string()),
        prompt_digest: Some(Digest::from_content(json!(opened.prompts).to_string()).to_string()),
        ..of_tag(tag)
    }
}

/// The model that really answered, or the participant that did not say which.
fn answering_model(answered: &agon_core::Answered) -> String {
    answered.by.model.clone().unwrap_or_else(|| answered.by.participant.clone())
}

fn observation_state(outcome: &Outcome) -> ObservationState {
    let reason = shorten_text(&outcome.summary);
    match outcome.standing {
        Standing::Void => ObservationState::Degraded { reason },
        Standing::Valid if !outcome.absent.is_empty() => ObservationState::Degraded { reason },
        Standing::Valid => ObservationState::Answered,
    }
}

fn observed_usage(record: &Record) -> ObservedUsage {
    let mut used = Usage::default();
    let mut is_known = true;
    for (_, answered) in record.answers() {
        is_known &= answered.usage.cost_basis != Basis::Unknown;
        used += answered.usage;
    }
    let ends = record.entries().first().zip(record.entries().last());
    ObservedUsage {
        calls: Some(used.requests.into()),
        input_tokens: Some(used.prompt_tokens),
        cached_tokens: Some(used.cached_tokens.min(used.prompt_tokens)),
        output_tokens: Some(used.completion_tokens),
        money: is_known.then_some(used.cost_microusd as f64 / 1e6),
        seconds: ends.and_then(|(first, last)| seconds_between(&first.at, &last.at)),
    }
}

/// The choice that the outcome of a protocol of the program names.
fn named_choice(tag: &EvaluationTag, outcome: &Outcome) -> Option<String> {
    let names = [Some(&outcome.name), outcome.winner.as_ref()];
    let fits =
        |choice: &&String| names.into_iter().flatten().any(|name| name.trim().eq_ignore_ascii_case(choice.trim()));
    tag.choices.iter().find(fits).cloned().filter(|_| outcome.standing == Standing::Valid)
}

fn shorten_text(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(REASON_CHARS_MAX) {
        None => text,
        Some((at, _)) => format!("{} …", &text[..at]),
    }
}

/// The reading of a declared protocol's debate.
struct DeclaredReading<'r> {
    record: &'r Record,
    tag: &'r EvaluationTag,
    declaration: &'r Declaration,
    state: &'r DeclaredState,
}

impl DeclaredReading<'_> {
    fn fill_observation(&self, observation: &mut Observation, outcome: &Outcome) {
        let opened = self.record.opened();
        if outcome.standing == Standing::Valid && outcome.absent.iter().all(|absent| self.is_spare(&absent.seat)) {
            observation.state = ObservationState::Answered;
        }
        if self.declaration.outcome.read != OutcomeReading::Answer {
            let letter = form::chosen_letter(&outcome.name).and_then(|choice| self.choice_text(choice));
            observation.answer = named_choice(self.tag, outcome).or(letter);
            return;
        }
        let shown = form::list_choices(opened);
        // Whatever was said before a quorum was missed decides nothing.
        let decision =
            decision::count_decision(decision::list_deciding_asks(self.declaration), self.state, shown.len())
                .filter(|_| outcome.standing == Standing::Valid);
        observation.answer = decision.as_ref().and_then(|decision| self.choice_text(decision.choice?));
        observation.probabilities = decision.and_then(|decision| self.in_order(&decision.probabilities?));
        observation.initial = self.answer_to(self.declaration.outcome.before.as_deref());
        observation.critic = self.answer_to(self.declaration.outcome.critic.as_deref());
        observation.sides = self.observed_sides();
        observation.mirror = self.mirror_pair();
        observation.votes = self.judge_votes();
        observation.verified_quote = self.is_quote_verified();
    }

    /// Whether a seat that did not answer everything was asked for samples alone, and gave at least half of them: a
    /// vote does not need each.
    fn is_spare(&self, seat: &Seat) -> bool {
        let asked =
            |ask: &&Ask| list_slots(self.declaration, ask, self.record.opened()).iter().any(|slot| slot.seat == *seat);
        let asks: Vec<&Ask> = self.declaration.asks_with_phases().map(|(_, ask)| ask).filter(asked).collect();
        let is_enough = |ask: &&Ask| {
            let wanted = list_slots(self.declaration, ask, self.record.opened()).len();
            ask.samples.is_some() && 2 * self.state.last_statements(&ask.name).len() >= wanted
        };
        asks.iter().all(is_enough)
    }

    /// The text of a choice by its place among those that were shown.
    fn choice_text(&self, choice: usize) -> Option<String> {
        form::list_choices(self.record.opened()).get(choice).cloned()
    }

    /// Probabilities in the order of the item's choices.
    fn in_order(&self, shares: &[f64]) -> Option<Vec<f64>> {
        let shown = form::list_choices(self.record.opened());
        let share =
            |choice: &String| shown.iter().position(|other| other == choice).and_then(|at| shares.get(at).copied());
        self.tag.choices.iter().map(share).collect()
    }

    /// The choice that most answers to an ask name.
    fn answer_to(&self, ask: Option<&str>) -> Option<String> {
        let ask = self.declaration.find_ask(ask?)?;
        let choices = form::list_choices(self.record.opened()).len();
        self.choice_text(decision::count_decision([ask], self.state, choices)?.choice?)
    }

    fn judge_statements(&self) -> impl Iterator<Item = (&Ask, &PlacedStatement)> {
        let deciding = decision::list_deciding_asks(self.declaration);
        deciding.flat_map(|ask| self.state.last_statements(&ask.name).into_iter().map(move |said| (ask, said))).filter(
            |(_, said)| self.declaration.resolve_seat(said.seat.as_str()).is_some_and(|spec| spec.role == Role::Judge),
        )
    }

    /// Who argues for what in the phase of `ask`.
    fn argued_sides(&self, ask: &Ask) -> Vec<(Seat, ArguedSide)> {
        let phase = self.declaration.phase_of(&ask.name);
        phase.map_or_else(Vec::new, |phase| self.state.list_argued_sides(self.declaration, phase))
    }

    fn observed_sides(&self) -> Vec<ObservedSide> {
        let Some(ask) = decision::list_deciding_asks(self.declaration).next() else { return Vec::new() };
        let side = |(seat, side): (Seat, ArguedSide)| {
            let model = self.seat_model(&seat);
            ObservedSide {
                choice: side.text,
                family: model.as_deref().and_then(model_family).map(str::to_owned),
                model,
            }
        };
        self.argued_sides(ask).into_iter().map(side).collect()
    }

    /// The model that answered last at a seat.
    fn seat_model(&self, seat: &Seat) -> Option<String> {
        let said = self.state.said.iter().rev().find(|said| said.seat == *seat)?;
        self.record.find_answer(&said.key).map(|(_, answered)| answering_model(answered))
    }

    /// The places of the winners of a debate and of its mirror.
    fn mirror_pair(&self) -> Option<MirrorPair> {
        let place_in = |is_swapped: bool| {
            let (ask, said) = self
                .judge_statements()
                .find(|(ask, _)| self.declaration.phase_of(&ask.name).is_some_and(|phase| phase.swap == is_swapped))?;
            let answer = decision::answered_choice(ask, said)?;
            let arguing = self.argued_sides(ask);
            let own = arguing.iter().position(|(_, side)| side.choice == answer);
            // One who argues alone wins, or loses against what is not argued for.
            Some(match (own, arguing.len()) {
                (Some(place), _) => u8::try_from(place).ok(),
                (None, 1) => Some(1),
                (None, _) => None,
            })
        };
        let (debate, mirror) = (place_in(false)?, place_in(true)?);
        Some(MirrorPair { debate, mirror })
    }

    /// One vote of each judge; where it heard both orders of the sides, of both together.
    fn judge_votes(&self) -> Vec<ObservedVote> {
        let mut judges: Vec<(Seat, Vec<(&Ask, &PlacedStatement)>)> = Vec::new();
        for (ask, said) in self.judge_statements() {
            match judges.iter_mut().find(|(seat, _)| *seat == said.seat) {
                Some((_, all)) => all.push((ask, said)),
                None => judges.push((said.seat.clone(), vec![(ask, said)])),
            }
        }
        judges.into_iter().take(PARTS_MAX).map(|(seat, said)| self.judge_vote(&seat, &said)).collect()
    }

    fn judge_vote(&self, seat: &Seat, said: &[(&Ask, &PlacedStatement)]) -> ObservedVote {
        let model = self.seat_model(seat);
        let answers: Vec<Option<usize>> = said.iter().map(|(ask, said)| decision::answered_choice(ask, said)).collect();
        let agreed = answers.first().copied().flatten().filter(|one| answers.iter().all(|a| *a == Some(*one)));
        let shares: Vec<Vec<f64>> =
            said.iter().filter_map(|(ask, said)| self.in_order(&decision::stated_probabilities(ask, said)?)).collect();
        let mean =
            |choice: usize| shares.iter().filter_map(|of| of.get(choice)).sum::<f64>() / shares.len().max(1) as f64;
        let probabilities: Option<Vec<f64>> =
            (!shares.is_empty()).then(|| (0..self.tag.choices.len()).map(mean).collect());
        let margin = probabilities.as_ref().and_then(|of| Some(of.first()? - of.get(1)?));
        let first = said.first().filter(|_| said.len() == 1).map(|(ask, _)| self.argued_sides(ask));
        let first = first.filter(|arguing| arguing.len() > 1);
        let name = model.as_deref().map_or_else(|| seat.to_string(), |model| format!("{seat} ({model})"));
        ObservedVote {
            judge: name.chars().filter(|c| !c.is_control()).take(100).collect(),
            family: model.as_deref().and_then(model_family).map(str::to_owned),
            answer: agreed.and_then(|choice| self.choice_text(choice)),
            margin,
            first_shown: first.and_then(|arguing| arguing.first().map(|(_, side)| side.text.clone())),
            flip: (said.len() > 1).then_some(agreed.is_none()),
            probabilities,
        }
    }

    /// Whether a judge copied words that stand in the context; `None` where there was nothing to copy from, or no
    /// place for a quote.
    fn is_quote_verified(&self) -> Option<bool> {
        let context = self.record.document(CONTEXT).filter(|context| !context.is_empty())?;
        let asked = |ask: &Ask| ask.fields.iter().any(|field| field.kind.is_quoted());
        let found: Vec<bool> = self
            .judge_statements()
            .filter(|(ask, _)| asked(ask))
            .map(|(ask, said)| quotes::list_quotes(ask, &said.given).iter().any(|quote| quotes::is_in(quote, context)))
            .collect();
        (!found.is_empty()).then(|| found.contains(&true))
    }
}

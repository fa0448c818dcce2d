//! The observation that the record of a debate gives. Everything comes from the record, so that an observation that
//! was lost is made again without asking anything.

use std::collections::BTreeSet;

use agon_core::{Basis, Digest, Opened, Outcome, Record, Role, Seat, Standing, Usage};
use agon_eval::observation::{
    MirrorPair, Observation, ObservationState, ObservedSide, ObservedUsage, ObservedVote, PARTS_MAX,
};
use agon_journal::time::seconds_between;
use agon_protocols::{
    common::family::family,
    declared::{
        self, Declaration, decision,
        declaration::{Ask, OutcomeReading},
        form,
        quotes::{self, CONTEXT},
        sides::{self, ArguedSide},
        state::{DeclaredState, PlacedStatement, slots},
    },
};
use serde_json::json;

use super::arms::{EVALUATION, EvaluationTag};

/// Longest reason of an observation that is not a plain answer, in characters.
const REASON_CHARS_MAX: usize = 300;

/// What a debate says about itself; `None` where it belongs to no evaluation.
pub fn tag(opened: &Opened) -> Option<EvaluationTag> {
    serde_json::from_value(opened.options.get(EVALUATION)?.clone()).ok()
}

/// The observation of a debate that ended; `None` where it belongs to no evaluation, or has not ended.
pub fn observation(record: &Record) -> Option<Observation> {
    let tag = tag(record.opened())?;
    let outcome = record.closed()?;
    let mut observation = begun(record, &tag);
    observation.state = state(outcome);
    match declared::said(record) {
        Some((declaration, state)) => {
            let reading = DeclaredReading { record, tag: &tag, declaration: &declaration, state: &state };
            reading.fill(&mut observation, outcome);
        }
        None => observation.answer = named(&tag, outcome),
    }
    Some(observation)
}

/// The observation of a debate that did not end, for `reason`; `record` is what it has so far.
pub fn failed(tag: &EvaluationTag, record: Option<&Record>, reason: &str) -> Observation {
    let observation = match record {
        Some(record) => begun(record, tag),
        None => of_tag(tag),
    };
    Observation { state: ObservationState::Failed { reason: shortened(reason) }, ..observation }
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
fn begun(record: &Record, tag: &EvaluationTag) -> Observation {
    let opened = record.opened();
    let models: BTreeSet<String> = record.answers().map(|(_, answered)| answerer(answered)).collect();
    Observation {
        usage: usage(record),
        models: models.into_iter().filter(|model| !model.is_empty()).take(PARTS_MAX).collect(),
        seed: Some(opened.seed),
        debate: Some(opened.debate.to_string()),
        record_hash: Some(record.head().to_string()),
        prompt_digest: Some(Digest::of(json!(opened.prompts).to_string()).to_string()),
        ..of_tag(tag)
    }
}

/// The model that really answered, or the participant that did not say which.
fn answerer(answered: &agon_core::Answered) -> String {
    answered.by.model.clone().unwrap_or_else(|| answered.by.participant.clone())
}

fn state(outcome: &Outcome) -> ObservationState {
    let reason = shortened(&outcome.summary);
    match outcome.standing {
        Standing::Void => ObservationState::Degraded { reason },
        Standing::Valid if !outcome.absent.is_empty() => ObservationState::Degraded { reason },
        Standing::Valid => ObservationState::Answered,
    }
}

fn usage(record: &Record) -> ObservedUsage {
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
fn named(tag: &EvaluationTag, outcome: &Outcome) -> Option<String> {
    let names = [Some(&outcome.name), outcome.winner.as_ref()];
    let fits = |choice: &&String| {
        names.into_iter().flatten().any(|name| name.trim().eq_ignore_ascii_case(choice.trim()))
    };
    tag.choices.iter().find(fits).cloned().filter(|_| outcome.standing == Standing::Valid)
}

fn shortened(text: &str) -> String {
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
    fn fill(&self, observation: &mut Observation, outcome: &Outcome) {
        let opened = self.record.opened();
        if outcome.standing == Standing::Valid
            && outcome.absent.iter().all(|absent| self.is_spare(&absent.seat))
        {
            observation.state = ObservationState::Answered;
        }
        if self.declaration.outcome.read != OutcomeReading::Answer {
            let letter = form::chosen_letter(&outcome.name).and_then(|choice| self.text(choice));
            observation.answer = named(self.tag, outcome).or(letter);
            return;
        }
        let shown = form::choices(opened);
        // Whatever was said before a quorum was missed decides nothing.
        let decision = decision::of(decision::deciding(self.declaration), self.state, shown.len())
            .filter(|_| outcome.standing == Standing::Valid);
        observation.answer = decision.as_ref().and_then(|decision| self.text(decision.choice?));
        observation.probabilities = decision.and_then(|decision| self.in_order(&decision.probabilities?));
        observation.initial = self.answer_to(self.declaration.outcome.before.as_deref());
        observation.critic = self.answer_to(self.declaration.outcome.critic.as_deref());
        observation.sides = self.sides();
        observation.mirror = self.mirror();
        observation.votes = self.votes();
        observation.verified_quote = self.verified();
    }

    /// Whether a seat that did not answer everything was asked for samples alone, and gave at least half of them: a
    /// vote does not need each.
    fn is_spare(&self, seat: &Seat) -> bool {
        let asked = |ask: &&Ask| {
            slots(self.declaration, ask, self.record.opened()).iter().any(|slot| slot.seat == *seat)
        };
        let asks: Vec<&Ask> = self.declaration.asks().map(|(_, ask)| ask).filter(asked).collect();
        let is_enough = |ask: &&Ask| {
            let wanted = slots(self.declaration, ask, self.record.opened()).len();
            ask.samples.is_some() && 2 * self.state.last(&ask.name).len() >= wanted
        };
        asks.iter().all(is_enough)
    }

    /// The text of a choice by its place among those that were shown.
    fn text(&self, choice: usize) -> Option<String> {
        form::choices(self.record.opened()).get(choice).cloned()
    }

    /// Probabilities in the order of the item's choices.
    fn in_order(&self, shares: &[f64]) -> Option<Vec<f64>> {
        let shown = form::choices(self.record.opened());
        let share = |choice: &String| {
            shown.iter().position(|other| other == choice).and_then(|at| shares.get(at).copied())
        };
        self.tag.choices.iter().map(share).collect()
    }

    /// The choice that most answers to an ask name.
    fn answer_to(&self, ask: Option<&str>) -> Option<String> {
        let ask = self.declaration.ask(ask?)?;
        let choices = form::choices(self.record.opened()).len();
        self.text(decision::of([ask], self.state, choices)?.choice?)
    }

    fn judging(&self) -> impl Iterator<Item = (&Ask, &PlacedStatement)> {
        let deciding = decision::deciding(self.declaration);
        deciding.flat_map(|ask| self.state.last(&ask.name).into_iter().map(move |said| (ask, said))).filter(
            |(_, said)| {
                self.declaration.spec(said.seat.as_str()).is_some_and(|spec| spec.role == Role::Judge)
            },
        )
    }

    /// Who argues for what in the phase of `ask`.
    fn arguing(&self, ask: &Ask) -> Vec<(Seat, ArguedSide)> {
        let phase = self.declaration.phase_of(&ask.name);
        phase.map_or_else(Vec::new, |phase| {
            sides::all(self.declaration, phase, self.state, self.record.opened())
        })
    }

    fn sides(&self) -> Vec<ObservedSide> {
        let Some(ask) = decision::deciding(self.declaration).next() else { return Vec::new() };
        let side = |(seat, side): (Seat, ArguedSide)| {
            let model = self.model(&seat);
            ObservedSide {
                choice: side.text,
                family: model.as_deref().and_then(family).map(str::to_owned),
                model,
            }
        };
        self.arguing(ask).into_iter().map(side).collect()
    }

    /// The model that answered last at a seat.
    fn model(&self, seat: &Seat) -> Option<String> {
        let said = self.state.said.iter().rev().find(|said| said.seat == *seat)?;
        self.record.answer(&said.key).map(|(_, answered)| answerer(answered))
    }

    /// The places of the winners of a debate and of its mirror.
    fn mirror(&self) -> Option<MirrorPair> {
        let place_in = |is_swapped: bool| {
            let (ask, said) = self.judging().find(|(ask, _)| {
                self.declaration.phase_of(&ask.name).is_some_and(|phase| phase.swap == is_swapped)
            })?;
            let answer = decision::answer(ask, said)?;
            let arguing = self.arguing(ask);
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
    fn votes(&self) -> Vec<ObservedVote> {
        let mut judges: Vec<(Seat, Vec<(&Ask, &PlacedStatement)>)> = Vec::new();
        for (ask, said) in self.judging() {
            match judges.iter_mut().find(|(seat, _)| *seat == said.seat) {
                Some((_, all)) => all.push((ask, said)),
                None => judges.push((said.seat.clone(), vec![(ask, said)])),
            }
        }
        judges.into_iter().take(PARTS_MAX).map(|(seat, said)| self.vote(&seat, &said)).collect()
    }

    fn vote(&self, seat: &Seat, said: &[(&Ask, &PlacedStatement)]) -> ObservedVote {
        let model = self.model(seat);
        let answers: Vec<Option<usize>> =
            said.iter().map(|(ask, said)| decision::answer(ask, said)).collect();
        let agreed =
            answers.first().copied().flatten().filter(|one| answers.iter().all(|a| *a == Some(*one)));
        let shares: Vec<Vec<f64>> = said
            .iter()
            .filter_map(|(ask, said)| self.in_order(&decision::probabilities(ask, said)?))
            .collect();
        let mean = |choice: usize| {
            shares.iter().filter_map(|of| of.get(choice)).sum::<f64>() / shares.len().max(1) as f64
        };
        let probabilities: Option<Vec<f64>> =
            (!shares.is_empty()).then(|| (0..self.tag.choices.len()).map(mean).collect());
        let margin = probabilities.as_ref().and_then(|of| Some(of.first()? - of.get(1)?));
        let first = said.first().filter(|_| said.len() == 1).map(|(ask, _)| self.arguing(ask));
        let first = first.filter(|arguing| arguing.len() > 1);
        let name = model.as_deref().map_or_else(|| seat.to_string(), |model| format!("{seat} ({model})"));
        ObservedVote {
            judge: name.chars().filter(|c| !c.is_control()).take(100).collect(),
            family: model.as_deref().and_then(family).map(str::to_owned),
            answer: agreed.and_then(|choice| self.text(choice)),
            margin,
            first_shown: first.and_then(|arguing| arguing.first().map(|(_, side)| side.text.clone())),
            flip: (said.len() > 1).then_some(agreed.is_none()),
            probabilities,
        }
    }

    /// Whether a judge copied words that stand in the context; `None` where there was nothing to copy from, or no
    /// place for a quote.
    fn verified(&self) -> Option<bool> {
        let context = self.record.document(CONTEXT).filter(|context| !context.is_empty())?;
        let asked = |ask: &Ask| ask.fields.iter().any(|field| field.kind.is_quoted());
        let found: Vec<bool> = self
            .judging()
            .filter(|(ask, _)| asked(ask))
            .map(|(ask, said)| quotes::of(ask, &said.given).iter().any(|quote| quotes::is_in(quote, context)))
            .collect();
        (!found.is_empty()).then(|| found.contains(&true))
    }
}

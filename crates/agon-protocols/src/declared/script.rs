//! The script of every declared protocol: its phases from the top, the phase with the debate's
//! rounds again after an extension, and what follows it once more.

use agon_core::{
    Absent, Attempt, Floor, Flow, Opened, Outcome, Request, Ruling, RulingKind, Seat, Statement, draft::Draft,
};
use agon_text::has_word;

use super::{
    declaration::{Ask, Declaration, DeclaredField, DeclaredPhase, FieldKind, Order, PhaseRounds, Until},
    figures,
    form::{self, FormStatement},
    outcome,
    state::{
        AcceptedStatements, ComputedFigures, DeclaredState, PhaseBegins, PlacedStatement, SeatSlot, list_slots,
        seat_name,
    },
};
use crate::common::{absence::rule_absent, source_check, verification};

/// A debate under way.
pub(super) struct Execution<'d> {
    declaration: &'d Declaration,
    state: DeclaredState,
    /// Seats that did not answer something, once each.
    absent: Vec<Absent>,
    /// How often it was extended by rounds.
    lap: u32,
    /// Rounds of the debate that were gone through, and those that an early end gave up.
    rounds: u32,
    forgone: u32,
}

/// The rules, from the top.
pub(super) fn run(declaration: &Declaration, floor: &mut Floor<'_>) -> Flow<Outcome> {
    let state = DeclaredState::new(floor.opened());
    let mut course = Execution { declaration, state, absent: Vec::new(), lap: 0, rounds: 0, forgone: 0 };
    let repeated = declaration.phases.iter().position(|phase| phase.rounds == Some(PhaseRounds::Debate));
    loop {
        // What comes before the rounds is not asked again.
        let first = repeated.filter(|_| course.lap > 0).unwrap_or(0);
        for phase in &declaration.phases[first..] {
            course.run_phase(floor, phase)?;
        }
        loop {
            let rounds = floor.current_limits().rounds;
            if repeated.is_some() && rounds.saturating_sub(course.forgone) > course.rounds {
                course.lap += 1;
                break;
            }
            let outcome = outcome::compute_outcome(declaration, &course.state, &course.absent, floor.opened());
            let found = course.state.said.iter().flat_map(|said| &said.sources).map(|found| found.status);
            floor.adjourn_debate(verification::add_source_counts(outcome, found))?;
        }
    }
}

impl Execution<'_> {
    /// One phase, in as many rounds as it has.
    fn run_phase(&mut self, floor: &mut Floor<'_>, phase: &DeclaredPhase) -> Flow<()> {
        let of_debate = phase.rounds == Some(PhaseRounds::Debate);
        let mut round = if of_debate { self.rounds } else { 0 };
        loop {
            let most = match phase.rounds {
                None => 1,
                Some(PhaseRounds::Fixed(rounds)) => rounds,
                Some(PhaseRounds::Debate) => floor.current_limits().rounds.saturating_sub(self.forgone),
            };
            if round >= most {
                return Ok(());
            }
            round += 1;
            let key = match self.lap {
                lap if lap > 0 && !of_debate => format!("lap-{lap}/{}/round-{round}", phase.name),
                _ => format!("{}/round-{round}", phase.name),
            };
            let title = match phase.rounds {
                None | Some(PhaseRounds::Fixed(1)) => phase.title(),
                _ => format!("{}, round {round}", phase.title()),
            };
            let begins = PhaseBegins { phase: phase.name.clone(), round };
            let ruling = Ruling::new(RulingKind::Phase, title).with_data(begins);
            floor.record_ruling(format!("{key}/phase"), ruling)?;
            for ask in &phase.asks {
                self.run_ask(floor, ask, &key, round)?;
            }
            if of_debate {
                self.rounds = round;
            }
            if let Some(ending) = phase.until.as_ref().and_then(|until| self.find_ending(until, round, floor.opened()))
            {
                floor.record_ruling(format!("{key}/until"), ending)?;
                if of_debate {
                    self.forgone = floor.current_limits().rounds.saturating_sub(round);
                }
                return Ok(());
            }
        }
    }

    /// One thing asked of some seats. While fewer answer than must, the debate has no result; an
    /// extension gives those that did not another try.
    fn run_ask(&mut self, floor: &mut Floor<'_>, ask: &Ask, phase: &str, round: u32) -> Flow<()> {
        let asked = list_slots(self.declaration, ask, floor.opened());
        let needed = ask.quorum.map_or(asked.len(), |quorum| asked.len().min(quorum as usize));
        let base = format!("{phase}/{}", ask.name);
        let mut missing = asked.clone();
        for attempt in 0.. {
            let groups: Vec<Vec<SeatSlot>> = match ask.order {
                Order::Together => vec![missing],
                Order::InTurn => missing.into_iter().map(|slot| vec![slot]).collect(),
            };
            let mut absent = Vec::new();
            for group in groups {
                absent.extend(self.ask_group(floor, ask, &base, round, attempt, group, needed < asked.len())?);
            }
            let (lost, absent): (Vec<SeatSlot>, Vec<Absent>) = absent.into_iter().unzip();
            missing = lost;
            if asked.len() - missing.len() >= needed {
                for one in absent {
                    self.absent.retain(|known| known.seat != one.seat);
                    self.absent.push(one);
                }
                break;
            }
            floor.adjourn_debate(outcome::void_outcome(ask, floor.opened(), absent, asked.len(), needed))?;
            floor.current_limits();
        }
        let figures =
            self.statements_of_round(ask, round).map(|_| figures::count_fields(ask, &self.state)).unwrap_or_default();
        if !figures.is_empty() {
            let text = format!("{}: {}", ask.title(), figures::format_figures(&figures));
            let data = ComputedFigures { ask: ask.name.clone(), round, figures };
            floor.record_ruling(format!("{base}/figures"), Ruling::new(RulingKind::Scored, text).with_data(data))?;
        }
        Ok(())
    }

    /// Asks seats that answer at the same time; gives what does not come back.
    #[allow(clippy::too_many_arguments)]
    fn ask_group(
        &mut self,
        floor: &mut Floor<'_>,
        ask: &Ask,
        base: &str,
        round: u32,
        attempt: u32,
        group: Vec<SeatSlot>,
        dispensable: bool,
    ) -> Flow<Vec<(SeatSlot, Absent)>> {
        let key = |slot: &SeatSlot| match attempt {
            0 => format!("{base}/{slot}"),
            _ => format!("{base}/{slot}/again-{attempt}"),
        };
        let state = &self.state;
        let drafts = group.iter().map(|slot| {
            let mut request = Request::new(key(slot), &slot.seat, &ask.name).with_fact("round", round);
            if dispensable {
                request = request.or_absent();
            }
            let count = |field: &DeclaredField| state.count_things(field);
            Draft::new(request, move |draft: Attempt<'_>| form::parse_statement(ask, draft.text, count))
        });
        let opened = floor.opened();
        let name = |seat: &Seat| seat_name(opened, seat);
        let cited = |statement: &FormStatement| statement.find_cited_passages(ask);
        let answers = source_check::ask_each(floor, drafts.collect(), name, &cited)?;
        let mut absent = Vec::new();
        let mut accepted =
            AcceptedStatements { ask: ask.name.clone(), lap: self.lap, round, ..AcceptedStatements::default() };
        let mut who = Vec::new();
        for (slot, answer) in group.iter().zip(answers) {
            let seat = &slot.seat;
            match answer {
                Ok((Statement { key, value }, sources)) => {
                    if !sources.is_empty() {
                        accepted.sources.insert(key.clone(), sources);
                    }
                    self.state.add_statement(ask, &accepted, seat, &key, &value);
                    accepted.statements.push((seat.clone(), key));
                    who.push(name(seat));
                }
                Err(lost) => absent.push((slot.clone(), rule_absent(floor, seat, &name(seat), &key(slot), &lost)?)),
            }
        }
        if !who.is_empty() {
            if ask.samples.is_some() {
                // A seat that was asked several times is named once.
                who.dedup();
            }
            let text = format!("{}: {} answered", ask.title(), who.join(", "));
            let at = match group.as_slice() {
                [slot] => key(slot),
                _ if attempt == 0 => base.to_owned(),
                _ => format!("{base}/again-{attempt}"),
            };
            floor.record_ruling(format!("{at}/accepted"), Ruling::new(RulingKind::Noted, text).with_data(accepted))?;
        }
        Ok(absent)
    }

    /// What was said to `ask` in this round; `None` where nobody answered.
    fn statements_of_round(&self, ask: &Ask, round: u32) -> Option<Vec<&PlacedStatement>> {
        let said = self.state.last_statements(&ask.name);
        let here = said.first().is_some_and(|said| (said.lap, said.round) == (self.lap, round));
        here.then_some(said)
    }

    /// Why the phase ends here, if it does.
    fn find_ending(&self, until: &Until, round: u32, opened: &Opened) -> Option<Ruling> {
        let ask = self.declaration.find_ask(&until.ask)?;
        let said = self.statements_of_round(ask, round)?;
        if let Some(word) = &until.says {
            let by = said.iter().find(|said| has_word(&said.given.text, word))?;
            return Some(Ruling::new(RulingKind::Noted, format!("{} said {word:?}", seat_name(opened, &by.seat))));
        }
        let field = ask.find_field(until.field.as_deref()?)?;
        let name = field.name.replace(['-', '_'], " ");
        if let Some(wanted) = &until.is {
            let wanted = form::format_value(wanted);
            let value = |said: &PlacedStatement| said.statement.values.get(&field.name).map(form::format_value);
            let all = !said.is_empty() && said.iter().all(|said| value(said).is_some_and(|value| value == wanted));
            let text = format!("{}: {name} is {wanted}", ask.title());
            return all.then(|| Ruling::new(RulingKind::Noted, text));
        }
        if let Some(share) = until.stable {
            let now = figures::summarise_numbers(field, &said)?.median;
            let before = figures::summarise_numbers(field, &self.state.last_but_one(&ask.name))?.median;
            let stable = (now - before).abs() <= share * before.abs();
            let (before, now) = (figures::round_number(before), figures::round_number(now));
            let text = format!("The median of {name} is stable: {before}, then {now}");
            return stable.then(|| Ruling::new(RulingKind::Converged, text));
        }
        // All agree: on a word, or on the same thing.
        let votes = figures::count_votes(field, &said, &self.state.things_then(field, &said));
        let first = votes.first().filter(|vote| vote.votes == said.len() && !said.is_empty())?;
        let alone = field.kind != FieldKind::Picks || votes.get(1).is_none_or(|next| next.votes < first.votes);
        alone.then(|| Ruling::new(RulingKind::Converged, format!("All agree on {name}: {}", first.text)))
    }
}

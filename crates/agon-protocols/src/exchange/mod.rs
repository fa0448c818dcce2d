//! The judged exchange: two sides argue a motion in parallel, first three independent arguments
//! each, then one rebuttal each an exchange, and a judge scores every batch so that it sums to
//! zero. What one side wins the other loses.

pub mod argument;
mod facts;
pub mod hall;
pub mod judgment;
pub mod report;

use std::sync::{Arc, LazyLock};

use agon_core::{
    Absent, Attempt, Facts, Faults, Floor, Flow, Kind, Manifest, Outcome, Protocol, Request, Ruling, Seat,
    Statement, View, draft::Draft, repetition::Known,
};
use serde_json::{Value, json};

use self::{
    argument::{Arguments, Side},
    hall::{Accepted, Hall, Scored, Total, Totals, exchange_key},
    judgment::Judgment,
};
use crate::common::{
    self,
    absence::{rule_absent, warn},
};

/// The judged exchange.
pub struct Exchange;

static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| common::manifest(include_str!("exchange.toml")));

impl Protocol for Exchange {
    fn manifest(&self) -> &Manifest {
        &MANIFEST
    }

    fn prompts(&self) -> &[(&str, &str)] {
        &[
            ("opening", include_str!("prompts/opening.md")),
            ("rebuttal", include_str!("prompts/rebuttal.md")),
            ("judgment", include_str!("prompts/judgment.md")),
            ("report", include_str!("prompts/report.md")),
            ("debater", include_str!("prompts/debater.md")),
            ("arguments", include_str!("prompts/arguments.md")),
            ("terms", include_str!("prompts/terms.md")),
            common::REDRAFT,
        ]
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let mut hall = Hall::default();
        let mut exchange = 0;
        let mut reported = None;
        loop {
            while exchange <= floor.limits().rounds {
                floor.rule_by(exchange_key(exchange, "phase"), || {
                    Ruling::new(Kind::Phase, phase(exchange)).with(json!({"exchange": exchange}))
                })?;
                argue(floor, &mut hall, exchange)?;
                judge(floor, &mut hall, exchange)?;
                exchange += 1;
            }
            // An extension that allowed no further exchange changes nothing that could be reported.
            let absent = match reported.take() {
                Some((exchanges, absent)) if exchanges == exchange => absent,
                _ => report(floor, exchange, hall.totals())?,
            };
            reported = Some((exchange, absent.clone()));
            floor.adjourn(outcome(exchange, hall.totals(), absent))?;
        }
    }

    fn facts(&self, heard: &View<'_>, request: &Request) -> Facts {
        facts::facts(heard, request)
    }

    fn schema(&self, heard: &View<'_>, request: &Request) -> Option<Value> {
        facts::schema(heard, request)
    }
}

/// What a reader calls an exchange.
pub fn phase(exchange: u32) -> String {
    if exchange == 0 { "Opening exchange".into() } else { format!("Exchange {exchange}") }
}

fn seat(name: &str) -> Seat {
    common::seat(name)
}

/// Both sides argue at once. While one has no usable statement the debate has no result; an
/// extension gives that side another try.
fn argue(floor: &mut Floor<'_>, hall: &mut Hall, exchange: u32) -> Flow<()> {
    let mut standing: [Option<(u32, Statement<Arguments>)>; 2] = [None, None];
    for attempt in 0.. {
        let missing: Vec<Side> = Side::BOTH.into_iter().filter(|s| standing[*s as usize].is_none()).collect();
        let drafts = missing.iter().map(|side| draft(hall, *side, exchange, attempt)).collect();
        let answers = floor.ask_each_until_valid(drafts)?;
        let mut absent = Vec::new();
        for (side, answer) in missing.iter().zip(answers) {
            match answer {
                Ok(statement) => standing[*side as usize] = Some((attempt, statement)),
                Err(lost) => {
                    let (name, key) = (side.name(), again(exchange, side.name(), attempt));
                    absent.push(rule_absent(floor, &seat(name), name, &key, &lost)?);
                }
            }
        }
        if let [Some((_, proposition)), Some((_, opposition))] = &standing {
            let accepted = Accepted {
                exchange,
                proposition: proposition.key.clone(),
                opposition: opposition.key.clone(),
            };
            for (side, standing) in Side::BOTH.into_iter().zip(standing.iter().flatten()) {
                let (attempt, Statement { value, .. }) = standing;
                warn(floor, &again(exchange, side.name(), *attempt), side.name(), &value.warnings)?;
                hall.take(side, exchange, value);
            }
            let count = Side::BOTH.iter().map(|side| side.ids(exchange).len()).sum::<usize>();
            let ruling =
                Ruling::new(Kind::Noted, format!("{count} arguments accepted")).with(json!(accepted));
            return floor.rule(exchange_key(exchange, "arguments"), ruling);
        }
        floor.adjourn(void(exchange, absent, hall.totals()))?;
        floor.limits();
    }
    unreachable!("a debate without a side ends, extended or not")
}

fn draft<'h>(hall: &'h Hall, side: Side, exchange: u32, attempt: u32) -> Draft<'h, Arguments> {
    let prompt = if exchange == 0 { "opening" } else { "rebuttal" };
    let request = Request::new(again(exchange, side.name(), attempt), &seat(side.name()), prompt)
        .fact("side", side.name())
        .fact("exchange", exchange);
    Draft::new(request, move |draft: Attempt<'_>| {
        let mut arguments = hall.turn(side, exchange).parse(draft.text)?;
        match copies(&arguments, hall) {
            faults if faults.0.is_empty() => Ok(arguments),
            faults if !draft.was_told("repetition") => Err(faults),
            // A second copy stands: a model that cannot help it must not cost its side the debate.
            faults => {
                arguments.warnings.extend(faults.0.iter().map(ToString::to_string));
                Ok(arguments)
            }
        }
    })
}

/// Nearly verbatim copies of earlier arguments, of each other, and of a part of the same one.
fn copies(arguments: &Arguments, hall: &Hall) -> Faults {
    let mut faults = Faults::default();
    let mut names: Vec<String> = hall.arguments.iter().map(|held| held.id.clone()).collect();
    let held: Vec<String> = hall.arguments.iter().map(|held| held.argument().texts().join("\n")).collect();
    let mut known = Known::of(held.iter().map(String::as_str));
    for (i, argument) in arguments.arguments.iter().enumerate() {
        let mut own = Known::default();
        let mut copies: Vec<String> = Vec::new();
        let texts = argument.texts();
        for text in &texts {
            let of = known.copied(text).map(|copy| names[copy.of].as_str());
            if let Some(of) = of.or_else(|| own.copied(text).map(|_| "an earlier part of this argument")) {
                let start: String = text.chars().take(60).collect();
                copies.push(format!("{start:?}… repeats {of} almost word for word"));
            }
            own.push(text);
        }
        if !copies.is_empty() {
            let message = format!("{}; say something new in new words", copies.join("; "));
            faults.add("repetition", format!("arguments[{i}]"), message);
        }
        known.push(&texts.join("\n"));
        names.push(format!("arguments[{i}]"));
    }
    faults
}

/// The judge scores what is new. Without a judgment the debate has no result; an extension gives
/// the judge another try.
fn judge(floor: &mut Floor<'_>, hall: &mut Hall, exchange: u32) -> Flow<()> {
    for attempt in 0.. {
        let request = Request::new(again(exchange, "judgment", attempt), &seat("judge"), "judgment")
            .fact("exchange", exchange);
        // A judge that misses zero is told so once; after that its scores are centred.
        let check = |draft: Attempt<'_>| hall.batch(exchange).parse(draft.text, draft.was_told("J5"));
        match floor.ask_until_valid(request, check)? {
            Ok(Statement { key, value: judgment }) => {
                warn(floor, &again(exchange, "judgment", attempt), "judgment", &judgment.warnings)?;
                hall.apply(&judgment.scores, &judgment.rescores);
                return floor.rule_by(exchange_key(exchange, "scores"), || {
                    let totals = hall.totals();
                    let Judgment { scores, rescores, shift, .. } = Arc::unwrap_or_clone(judgment);
                    let scored = Scored { exchange, key, scores, rescores, shift, totals };
                    let Totals { proposition, opposition } = totals;
                    let text =
                        format!("proposition {:+.2}, opposition {:+.2}", proposition.total, opposition.total);
                    Ruling::new(Kind::Scored, text).with(json!(scored))
                });
            }
            Err(lost) => {
                let absent = rule_absent(
                    floor,
                    &seat("judge"),
                    "judge",
                    &again(exchange, "judgment", attempt),
                    &lost,
                )?;
                floor.adjourn(void(exchange, vec![absent], hall.totals()))?;
                floor.limits();
            }
        }
    }
    unreachable!("a debate without a judge ends, extended or not")
}

/// The reporter tells what happened; the debate stands without it.
fn report(floor: &mut Floor<'_>, exchanges: u32, totals: Totals) -> Flow<Vec<Absent>> {
    let key = format!("report-{exchanges:03}");
    let request = Request::new(&key, &seat("reporter"), "report").fact("exchanges", exchanges).or_absent();
    let ahead = totals.ahead();
    let behind: Vec<Side> = Side::BOTH.into_iter().filter(|side| ahead != Some(*side)).collect();
    Ok(match floor.ask_until_valid(request, |draft| report::parse(draft.text, &behind))? {
        Ok(statement) => {
            let ruling = Ruling::new(Kind::Noted, "report accepted").with(json!({"key": statement.key}));
            floor.rule(format!("{key}/accepted"), ruling)?;
            Vec::new()
        }
        Err(lost) => vec![rule_absent(floor, &seat("reporter"), "reporter", &key, &lost)?],
    })
}

/// Key of what is asked in an exchange, and asked again after an extension.
fn again(exchange: u32, what: &str, attempt: u32) -> String {
    match attempt {
        0 => exchange_key(exchange, what),
        _ => format!("{}/again-{attempt}", exchange_key(exchange, what)),
    }
}

fn void(exchange: u32, absent: Vec<Absent>, totals: Totals) -> Outcome {
    let names: Vec<String> = absent.iter().map(|a| format!("the {} ({})", a.seat, a.why)).collect();
    let what = phase(exchange).to_lowercase();
    let summary = format!("No verdict: in the {what} no usable answer came from {}.", names.join(" and "));
    Outcome { absent, figures: figures(exchange, totals), ..Outcome::void("no_verdict", summary) }
}

fn outcome(exchanges: u32, totals: Totals, absent: Vec<Absent>) -> Outcome {
    let Totals { proposition, opposition } = totals;
    let winner = totals.ahead().map(Side::name);
    let name = winner.map_or("even".to_owned(), |side| format!("{side}_ahead"));
    let missing: String =
        absent.iter().map(|a| format!("The {} did not answer ({}). ", a.seat, a.why)).collect();
    let score = |t: Total| format!("{:+.2} ({} arguments)", t.total, t.count);
    let verdict = match winner {
        Some(side) => format!("The {side} is ahead"),
        None => "The sides are even".into(),
    };
    let summary =
        format!("{missing}{verdict}: proposition {}, opposition {}.", score(proposition), score(opposition));
    Outcome {
        winner: winner.map(str::to_owned),
        absent,
        figures: figures(exchanges, totals),
        ..Outcome::valid(name, summary)
    }
}

fn figures(exchanges: u32, totals: Totals) -> Value {
    json!({"exchanges": exchanges, "proposition": totals.proposition, "opposition": totals.opposition})
}

//! The judged exchange: two sides argue a motion in parallel, first three independent arguments
//! each, then one rebuttal each an exchange, and a judge grades every batch. The scores that follow
//! sum to zero: what one side wins the other loses.

pub mod argument;
pub mod citations;
mod clash;
mod early_stop;
mod facts;
mod judge_round;
pub mod judge_seats;
pub mod judgment;
pub mod report;
pub mod side_labels;
mod sources;
pub mod state;
pub mod verdict;

use agon_core::{
    Absent, Attempt, Facts, Faults, Floor, Flow, Outcome, Protocol, Request, Ruling, RulingKind, Statement,
    draft::Draft,
};
use agon_text::{KnownTexts, format_signed};
use serde_json::json;

use self::{
    argument::{Arguments, STANCE, Side},
    early_stop::StopRule,
    judge_seats::JudgePanel,
    report::ReportRules,
    state::{AcceptedArguments, ExchangeBegins, ExchangeState, PlacedArgument, Total, Totals, exchange_key},
};
use crate::common::{
    self,
    absence::{record_warnings, rule_absent},
    named_seat, verification,
};

/// The judged exchange.
pub struct Exchange;

impl Protocol for Exchange {
    crate::shipped_files! {
        "exchange.toml", facts, people, skill;
        "opening", "rebuttal", "judgment", "report", "small/opening", "small/rebuttal", "small/judgment",
        "small/debater", "small/reason", "small/positions", "small/side", "small/form", "small/report",
        "debate", "arguments", "definitions", "terms"; common::final_answer::PROMPT, common::REDRAFT, common::claim_reading::PROMPT
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        common::imported_debate::record_import(floor)?;
        let judge_panel = JudgePanel::from_opened(floor.opened());
        let mut state = ExchangeState::default();
        let mut course = StopRule::default();
        let mut exchange = 0;
        let mut reported = None;
        // Judges that did not answer once, though the others sufficed.
        let mut missed: Vec<Absent> = Vec::new();
        loop {
            while exchange <= floor.current_limits().rounds && !course.has_stopped(floor.current_limits().rounds) {
                floor.rule_by(exchange_key(exchange, "phase"), || {
                    Ruling::new(RulingKind::Phase, exchange_title(exchange)).with_data(ExchangeBegins { exchange })
                })?;
                ask_arguments(floor, &mut state, exchange)?;
                let (tally, absent) = judge_round::judge_exchange(floor, &mut state, &judge_panel, exchange)?;
                missed.retain(|missed| absent.iter().all(|absent| absent.seat != missed.seat));
                missed.extend(absent);
                if judge_panel.stops {
                    course.record_exchange(&state, &tally);
                    course.stop_if_settled(floor, exchange)?;
                }
                exchange += 1;
            }
            // An extension that allowed no further exchange changes nothing that could be reported.
            let absent = match reported.take() {
                Some((exchanges, absent)) if exchanges == exchange => absent,
                _ => {
                    let ids = state.arguments.iter().map(|held| held.id.clone()).collect();
                    ask_report(floor, exchange, &ReportRules { ahead: judge_panel.leading_side(&state), ids })?
                }
            };
            reported = Some((exchange, absent.clone()));
            let stopped = course.has_stopped(floor.current_limits().rounds);
            let absent = missed.iter().cloned().chain(absent).collect();
            let outcome = build_outcome(exchange, &state, &judge_panel, stopped, absent);
            let found = state.arguments.iter().flat_map(PlacedArgument::looked_up).map(|found| found.status);
            floor.adjourn_debate(verification::add_source_counts(outcome, found))?;
        }
    }
}

/// What a reader calls an exchange.
pub fn exchange_title(exchange: u32) -> String {
    if exchange == 0 { "Opening exchange".into() } else { format!("Exchange {exchange}") }
}

/// Both sides argue at once. While one has no usable statement the debate has no result; an
/// extension gives that side another try.
fn ask_arguments(floor: &mut Floor<'_>, state: &mut ExchangeState, exchange: u32) -> Flow<()> {
    let mut standing: [Option<(u32, Statement<Arguments>)>; 2] = [None, None];
    for attempt in 0.. {
        let missing: Vec<Side> = Side::BOTH.into_iter().filter(|s| standing[*s as usize].is_none()).collect();
        let asked = |side: &Side| state.draft_side(*side, exchange, attempt_key(exchange, side.name(), attempt));
        let answers = floor.ask_each_until_valid(missing.iter().map(asked).collect())?;
        let mut absent = Vec::new();
        for (side, answer) in missing.iter().zip(answers) {
            match answer {
                Ok(statement) => standing[*side as usize] = Some((attempt, statement)),
                Err(lost) => {
                    let (name, key) = (side.name(), attempt_key(exchange, side.name(), attempt));
                    absent.push(rule_absent(floor, &named_seat(name), name, &key, &lost)?);
                }
            }
        }
        let mut sources = Vec::new();
        if let [Some(proposition), Some(opposition)] = &mut standing
            && verification::is_fetched(floor.opened())
        {
            sources = sources::check_sources(floor, state, exchange, [proposition, opposition])?;
        }
        if let [Some((_, proposition)), Some((_, opposition))] = &standing {
            let [proposition, opposition] = [proposition, opposition].map(|statement| statement.key.clone());
            let accepted = AcceptedArguments { exchange, proposition, opposition, sources };
            for (side, standing) in Side::BOTH.into_iter().zip(standing.iter().flatten()) {
                let (attempt, Statement { value, .. }) = standing;
                record_warnings(floor, &attempt_key(exchange, side.name(), *attempt), side.name(), &value.warnings)?;
                state.add_arguments(side, exchange, value, &accepted.sources);
            }
            let count = state.of_exchange(exchange).count();
            return floor.rule_by(exchange_key(exchange, "arguments"), || {
                let text = match verification::summarise_sources(&accepted.sources).as_str() {
                    "" => format!("{count} arguments accepted"),
                    looked_up => format!("{count} arguments accepted; sources: {looked_up}"),
                };
                Ruling::new(RulingKind::Noted, text).with_data(accepted)
            });
        }
        floor.adjourn_debate(void_outcome(exchange, absent, state.totals()))?;
        floor.current_limits();
    }
    unreachable!("a debate without a side ends, extended or not")
}

impl ExchangeState {
    /// A statement of one side, asked for under `key`.
    fn draft_side(&self, side: Side, exchange: u32, key: String) -> Draft<'_, Arguments> {
        let prompt = if exchange == 0 { "opening" } else { "rebuttal" };
        let request = Request::new(key, &named_seat(side.name()), prompt)
            .with_fact("side", side.name())
            .with_fact("exchange", exchange);
        Draft::new(request, move |draft: Attempt<'_>| {
            let turn = self.argument_rules(side, exchange);
            let mut arguments = match draft.imported {
                true => turn.parse_imported(draft.text)?,
                false if draft.was_told(STANCE) => turn.parse_redraft(draft.text)?,
                false => turn.parse_statement(draft.text)?,
            };
            // A second copy stands: a model that cannot help it must not cost its side the debate.
            let copies = find_copies(&arguments, self);
            warn_once_told(&draft, "repetition", &copies, &mut arguments.warnings)?;
            Ok(arguments)
        })
    }
}

/// Faults of `rule` that their author was told of before, or that come from elsewhere, as warnings; others are faults.
fn warn_once_told(draft: &Attempt<'_>, rule: &str, faults: &Faults, warnings: &mut Vec<String>) -> Result<(), Faults> {
    match draft.imported {
        true => warnings.extend(common::imported_debate::format_warnings(faults)),
        false if draft.was_told(rule) => warnings.extend(faults.0.iter().map(ToString::to_string)),
        false => faults.clone().into_result(())?,
    }
    Ok(())
}

/// Nearly verbatim copies of earlier arguments, of each other, and of a part of the same one.
fn find_copies(arguments: &Arguments, state: &ExchangeState) -> Faults {
    let mut faults = Faults::default();
    let mut names: Vec<String> = state.arguments.iter().map(|held| held.id.clone()).collect();
    let mut known: KnownTexts = state.arguments.iter().map(|held| held.word_runs().clone()).collect();
    for (i, argument) in arguments.arguments.iter().enumerate() {
        let (mut own, mut copies, texts) = (KnownTexts::default(), Vec::new(), argument.field_texts());
        for text in &texts {
            let of = known.find_copied(text).map(|copy| names[copy.of].as_str());
            if let Some(of) = of.or_else(|| own.find_copied(text).map(|_| "an earlier part of this argument")) {
                let start: String = text.chars().take(60).collect();
                copies.push(format!("{start:?}… repeats {of} almost word for word"));
            }
            own.push(text);
        }
        let whole = texts.join("\n");
        // Short texts are copies of no part: together they can be one.
        let of = known.find_copied(&whole).filter(|_| copies.is_empty());
        copies.extend(of.map(|copy| format!("it repeats {} almost word for word", names[copy.of])));
        if !copies.is_empty() {
            let message = format!("{}; say something new in new words", copies.join("; "));
            faults.add("repetition", format!("arguments[{i}]"), message);
        }
        known.push(&whole);
        names.push(format!("arguments[{i}]"));
    }
    faults
}

/// The reporter tells what happened; the debate stands without it.
fn ask_report(floor: &mut Floor<'_>, exchanges: u32, rules: &ReportRules) -> Flow<Vec<Absent>> {
    let key = format!("report-{exchanges:03}");
    let request = Request::new(&key, &named_seat("reporter"), "report").with_fact("exchanges", exchanges).or_absent();
    let check = |draft: Attempt<'_>| {
        if draft.imported {
            return report::parse_imported_report(draft.text, Some(rules));
        }
        let mut report = report::parse_report(draft.text, Some(rules))?;
        // The second time it stands: better a poor report than none.
        warn_once_told(&draft, "readable", &report.check_readability(), &mut report.warnings)?;
        Ok(report)
    };
    Ok(match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            record_warnings(floor, &key, "reporter", &statement.value.warnings)?;
            let accepted = report::AcceptedReport { key: statement.key };
            let ruling = Ruling::new(RulingKind::Noted, "report accepted").with_data(accepted);
            floor.record_ruling(format!("{key}/accepted"), ruling)?;
            Vec::new()
        }
        Err(lost) => vec![rule_absent(floor, &named_seat("reporter"), "reporter", &key, &lost)?],
    })
}

/// Key of what is asked in an exchange, and asked again after an extension.
fn attempt_key(exchange: u32, what: &str, attempt: u32) -> String {
    match attempt {
        0 => exchange_key(exchange, what),
        _ => format!("{}/again-{attempt}", exchange_key(exchange, what)),
    }
}

fn void_outcome(exchange: u32, absent: Vec<Absent>, totals: Totals) -> Outcome {
    let names: Vec<String> = absent.iter().map(|a| format!("the {} ({})", a.seat, a.why)).collect();
    let what = exchange_title(exchange).to_lowercase();
    let summary = format!("No verdict: in the {what} no usable answer came from {}.", names.join(" and "));
    Outcome { absent, figures: outcome_figures(exchange, totals).into(), ..Outcome::void("no_verdict", summary) }
}

fn build_outcome(
    exchanges: u32,
    state: &ExchangeState,
    judge_panel: &JudgePanel,
    stopped: bool,
    absent: Vec<Absent>,
) -> Outcome {
    let totals = state.totals();
    let Totals { proposition, opposition } = totals;
    let winner = judge_panel.leading_side(state).map(Side::name);
    let (name, verdict) = match (winner, totals.leading_side()) {
        (Some(side), _) => (format!("{side}_ahead"), format!("The {side} is ahead")),
        (None, None) => ("even".to_owned(), "The sides are even".to_owned()),
        (None, Some(_)) => ("undecided".into(), "No majority of the judges agrees on a winner".into()),
    };
    let missing: String = absent.iter().map(|a| format!("The {} did not answer ({}). ", a.seat, a.why)).collect();
    let score = |t: Total| format!("{} ({} arguments)", format_signed(t.total, 2), t.count);
    let [pro, con] = [proposition, opposition].map(score);
    let mut summary = format!("{missing}{verdict}: proposition {pro}, opposition {con}.");
    let flips = state.votes.iter().filter(|vote| vote.flip).count();
    if flips > 0 {
        let both = state.votes.iter().filter(|vote| vote.orders.len() > 1).count();
        summary += &format!(" The order of the sides decided {flips} of {both} judgments, which count as ties.");
    }
    let mut figures = outcome_figures(exchanges, totals);
    if let Some(judges) = judge_panel.judge_figures(state) {
        figures.insert("judges".into(), json!(judges));
    }
    if stopped {
        figures.insert("stopped".into(), "stable".into());
    }
    let figures = figures.into();
    Outcome { winner: winner.map(str::to_owned), absent, figures, ..Outcome::valid(name, summary) }
}

fn outcome_figures(exchanges: u32, totals: Totals) -> Facts {
    let figures = [
        ("exchanges", json!(exchanges)),
        ("proposition", json!(totals.proposition)),
        ("opposition", json!(totals.opposition)),
    ];
    figures.map(|(name, figure)| (name.to_owned(), figure)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_arguments_that_repeat_each_other_whole_are_copies() {
        let rules = ExchangeState::default().argument_rules(argument::Side::Proposition, 0);
        let argument = |title: &str, claim: &str| {
            json!({"title": title, "claim": claim, "warrant": "Rest heals.", "attacks": [], "defends": [], "grounds": [
                {"source": "Common knowledge", "content": "People tire.", "relevance": "It is about people."}]})
        };
        let found = |second: serde_json::Value, third: serde_json::Value| {
            let all = json!({"arguments": [argument("Rest", "Sundays should be free."), second, third]});
            let arguments = rules.parse_redraft(&all.to_string()).unwrap();
            find_copies(&arguments, &ExchangeState::default()).0.into_iter().map(|fault| fault.at).collect::<Vec<_>>()
        };
        let other = || argument("Shops", "Shops lose nothing on a Sunday.");
        let third = || argument("Night", "Nights are for sleep alone.");
        assert_eq!(found(other(), third()), Vec::<String>::new());
        let (same, louder) =
            (argument("Rest", "Sundays should be free."), argument("REST!", "“Sundays” should be free…"));
        assert_eq!(found(same, louder), ["arguments[1]", "arguments[2]"]);
    }
}

//! Phases 3 and 4: unresolved points, closings, the conclusion, and the reports.

use std::cell::LazyCell;

use agon_core::{Attempt, Faults, Floor, Flow, Key, Lost, Outcome, Request, Ruling, RulingKind, Seat};
use agon_text::{HiddenPassages, sentences};
use serde_json::{Value, json};

use super::{
    announce, audience,
    chair::{self, Concluded, Contest},
    conduct,
    debater_labels::{self, DebaterLabels, LABELS},
    log::{EntryRuling, Phase, Type},
    missing, opinion,
    report::{self, Barred},
    rounds, sources,
    state::ChairedState,
    turn::DebatePart,
    verification::{self, SourceStatus},
    verified_figures::{self, VerifiedFigures},
};
use crate::common::{self, absence::rule_absent, quoted::RUN};

/// Everything after the rounds.
pub(super) fn conclude(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<Outcome> {
    sources::resolve(floor, state)?;
    if state.active().len() < 2 || state.log.arguments().next().is_none() {
        return too_few(floor, state);
    }
    if state.closed.is_empty()
        && let Some(void) = unresolved_points(floor, state)?
    {
        return Ok(void);
    }
    let mut left = state.active();
    left.retain(|debater| !state.closed.contains(&debater.name));
    for debater in left.into_iter().rev() {
        sources::overhear(floor, state)?;
        let key = state.key(&format!("closing/{}", debater.seat));
        let request = Request::new(&key, &debater.seat, "closing");
        let said = rounds::speak(floor, state, &debater, request, DebatePart::Closing)?;
        if let Some((seqs, _)) = said {
            sources::check(floor, state, &key, &seqs, false)?;
        }
    }
    // The outcome relies on the closings, too.
    sources::resolve(floor, state)?;
    let relayed = sources::relayed(state);
    if !relayed.is_empty() {
        let text = announce::relay_closings(&relayed);
        state.log.write(floor, EntryRuling::chair(Phase::System, Type::Announcement, text))?;
    }
    if state.active().len() < 2 {
        return too_few(floor, state);
    }
    state.log.write(floor, EntryRuling::chair(Phase::System, Type::Announcement, announce::CLOSED))?;
    let held = held(floor, state);
    let contest = contest(state);
    let key = state.key("conclusion");
    let request = Request::new(&key, &chair_seat(), "conclusion").fact("eligible", json!(contest.eligible));
    let concluded = match debater_labels::orders(floor.opened()) {
        Some(both) => debater_labels::conclude(floor, state, &contest, &key, both, &held)?,
        None => {
            let answer = floor.ask_until_valid(request, |draft| contest.conclude(draft, &held))?;
            answer.map(|statement| (*statement.value).clone())
        }
    };
    let Concluded { outcome, reason, withheld } = match concluded {
        Ok(concluded) => concluded,
        Err(lost) => return without_chair(floor, state, &key, &lost),
    };
    let long = chair::too_long("the reason", &reason, chair::CONCLUSION_WORDS_MAX);
    let warnings: Vec<String> =
        withheld.then(|| verified_figures::WARNING.to_owned()).into_iter().chain(long).collect();
    common::absence::warn(floor, &key, "chair", &warnings)?;
    log_conclusion(floor, state, &outcome, &reason)?;
    if outcome == "void" {
        let ruling =
            Ruling::new(RulingKind::Invalidated, format!("The chair declared the debate void: {reason}"));
        floor.rule(state.key("conclusion/void"), ruling)?;
    }
    write_about(floor, state, &outcome)?;
    Ok(closed(state, &outcome, &reason))
}

/// Who may be declared the winner. A debater lost for good bars a winner: the others were not
/// answered by it.
pub(super) fn contest(state: &ChairedState) -> Contest {
    let names: Vec<String> = state.debaters.0.iter().map(|debater| debater.name.clone()).collect();
    let whole = state.active().len() == names.len();
    let eligible = names.iter().filter(|name| whole && !state.fabricators.contains(*name)).cloned().collect();
    Contest { names, eligible }
}

/// What may be told of the debate so far, worked out once it is asked for.
fn held(
    floor: &Floor<'_>,
    state: &ChairedState,
) -> LazyCell<VerifiedFigures, impl FnOnce() -> VerifiedFigures + use<>> {
    let motion = floor.opened().motion.clone();
    let (debaters, log, found) = (state.debaters.clone(), state.log.clone(), state.found.clone());
    LazyCell::new(move || VerifiedFigures::by(&motion, &debaters, &log, &found))
}

fn chair_seat() -> Seat {
    common::seat("chair")
}

/// One to three points that the closings should take up.
fn unresolved_points(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<Option<Outcome>> {
    let key = state.key("unresolved");
    let request = Request::new(&key, &chair_seat(), "chair").fact("matter", "unresolved");
    let log = &state.log;
    let check = |draft: Attempt<'_>| {
        let rulings = conduct::read(draft.text, log, draft.was_told("conduct"))?;
        chair::unresolved(draft.text, log).map(|points| (points, rulings))
    };
    match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let (points, rulings) = &*statement.value;
            conduct::rule(floor, state, rulings)?;
            let long = points
                .iter()
                .filter_map(|(point, _)| chair::too_long("a point", point, chair::POINT_WORDS_MAX));
            rounds::warn_of_length(floor, &key, long.collect())?;
            let text = announce::unresolved(points);
            state.log.write(floor, EntryRuling::chair(Phase::System, Type::Announcement, text))?;
            Ok(None)
        }
        Err(lost) => without_chair(floor, state, &key, &lost).map(Some),
    }
}

/// Fewer than two debaters are left: nothing can be concluded.
pub(super) fn too_few(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<Outcome> {
    let reason = "Fewer than two debaters are left, so the debate cannot be fairly concluded.";
    if state.absent.is_empty() {
        floor.rule(
            state.key("conclusion/void"),
            Ruling::new(RulingKind::Invalidated, "No argument stands."),
        )?;
    }
    log_conclusion(floor, state, "void", reason)?;
    Ok(closed(state, "void", reason))
}

fn without_chair(floor: &mut Floor<'_>, state: &mut ChairedState, key: &str, lost: &Lost) -> Flow<Outcome> {
    let absent = rule_absent(floor, &chair_seat(), "chair", key, lost)?;
    state.without(absent);
    let reason = "The chair gave no usable answer, so the debate cannot be concluded.";
    log_conclusion(floor, state, "void", reason)?;
    Ok(closed(state, "void", reason))
}

fn log_conclusion(floor: &mut Floor<'_>, state: &mut ChairedState, outcome: &str, reason: &str) -> Flow<()> {
    let text = announce::conclusion(outcome, reason);
    state.log.write(floor, EntryRuling::chair(Phase::System, Type::Conclusion, text)).map(drop)
}

/// Audience, reporter and assessor; the debate stands without each.
fn write_about(floor: &mut Floor<'_>, state: &mut ChairedState, outcome: &str) -> Flow<()> {
    opinion(floor, state)?;
    let names: Vec<String> = state.debaters.0.iter().map(|debater| debater.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let log = state.log.clone();
    let held = held(floor, state);
    let summary = written(floor, state, "reporter", "summary", &[], |draft| {
        let checked = report::summary(draft.text, &names, &log);
        let warnings = verified_figures::warnings(&held, draft.text, false);
        verified_figures::once(&held, draft, false, checked.map(|_| warnings))
    })?;
    let mut blog = None;
    if outcome != "void" {
        let topic = floor.opened().motion.clone();
        let barred = Barred { topic: &topic, names: &names, texts: barred(state) };
        let check = |draft: Attempt<'_>| {
            let checked = report::blog(draft.text, &barred, draft.was_told("length")).map(|blog| {
                let mut warnings = verified_figures::warnings(&held, draft.text, true);
                warnings.extend(report::length(&blog).map(|missed| format!("length: {missed}")));
                warnings
            });
            verified_figures::once(&held, draft, true, checked)
        };
        blog = written(floor, state, "reporter", "blog", &[], check)?;
    }
    let labels = DebaterLabels::for_assessor(floor.opened(), &names);
    let debaters = labels.as_ref().map(DebaterLabels::letters);
    let roles = report::roles(debaters.unwrap_or_else(|| names.iter().copied().map(str::to_owned).collect()));
    let mut read = vec![("summary", json!(summary)), ("blog", json!(blog))];
    read.extend(labels.map(|labels| (LABELS, labels.fact())));
    written(floor, state, "assessor", "assessment", &read, |draft| {
        let checked = report::assessment(draft.text, &roles, &log);
        let warnings = verified_figures::warnings(&held, draft.text, false);
        verified_figures::once(&held, draft, false, checked.map(|_| warnings))
    })?;
    Ok(())
}

/// What the blog post may not repeat: what was struck, and entries whose source is unreliable.
fn barred(state: &ChairedState) -> HiddenPassages {
    let log = &state.log;
    let mut barred = log.struck().clone();
    for logged in log.0.iter().filter(|logged| logged.struck.is_none()) {
        let ruled = announce::ruling(logged.item.seq, "the source ");
        if log.0.iter().any(|l| l.item.content.as_deref().is_some_and(|text| text.starts_with(&ruled))) {
            barred.hide(logged.original().0, RUN);
        }
    }
    borne_out(state).iter().for_each(|text| barred.allow(text));
    barred
}

/// What may be said although a faulty entry has the same words: the words of pages, and of entries whose sources are
/// verified, without the sentences in which those speak of another entry.
fn borne_out(state: &ChairedState) -> Vec<String> {
    let stands = |seq: u64| state.log.at(seq).filter(|logged| logged.struck.is_none());
    let latest = verification::latest(&state.found);
    let pages = latest.iter().filter(|found| stands(found.seq).is_some());
    let mut texts: Vec<String> = pages.filter_map(|found| found.sentence.clone()).collect();
    for logged in state.log.arguments() {
        let mut own = latest.iter().filter(|found| found.seq == logged.item.seq).peekable();
        if own.peek().is_some() && own.all(|found| found.status == SourceStatus::Verified) {
            let content = logged.content();
            let all = sentences(&content).into_iter().map(|sentence| sentence.text.trim());
            let own = all.filter(|words| !words.to_lowercase().contains("seq "));
            texts.extend(own.map(str::to_owned));
        }
    }
    texts
}

/// The audience's opinion, logged. One that misses its form a second time stands.
fn opinion(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    let key = state.key("opinion");
    let request = Request::new(&key, &common::seat("audience"), "opinion").or_absent();
    let log = &state.log;
    let check = |draft: Attempt<'_>| {
        let opinion = opinion::read(draft.text)?;
        if log.struck().is_in(&opinion.opinion) {
            let mut faults = Faults::default();
            report::leaks(&opinion.opinion, log.struck(), &mut faults);
            return Err(faults);
        }
        let shortcomings = audience::shortcomings(&opinion, log);
        if draft.was_told("L16") { Ok(opinion) } else { shortcomings.or(opinion) }
    };
    match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let short = audience::shortcomings(&statement.value, &state.log);
            let warnings: Vec<String> =
                short.0.iter().map(|fault| format!("{}: {fault}", fault.rule)).collect();
            common::absence::warn(floor, &key, "audience", &warnings)?;
            let item =
                EntryRuling::said(Phase::System, "audience", Type::AudienceConclusion, &statement.key, 0);
            state.log.write_text(floor, item, &statement.value.opinion)?;
        }
        Err(lost) => {
            let absent = rule_absent(floor, &common::seat("audience"), "audience", &key, &lost)?;
            state.without(absent);
        }
    }
    Ok(())
}

/// Something that is written about the debate, accepted by a ruling that names its answer. `facts`
/// say what its author is shown; the check gives what is warned of.
fn written(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    seat: &str,
    what: &str,
    facts: &[(&str, Value)],
    check: impl Fn(Attempt<'_>) -> Result<Vec<String>, Faults>,
) -> Flow<Option<Key>> {
    let seat = common::seat(seat);
    let key = state.key(what);
    let mut request = Request::new(&key, &seat, what).or_absent();
    for (name, of) in facts {
        request = request.fact(name, of.clone());
    }
    Ok(match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let conclusion = state.log.conclusion().map(|logged| logged.item.seq);
            let data = json!({"key": statement.key, "what": what, "conclusion": conclusion});
            let ruling = Ruling::new(RulingKind::Noted, format!("{what} accepted")).with(data);
            floor.rule(format!("{key}/accepted"), ruling)?;
            common::absence::warn(floor, &key, seat.as_str(), &statement.value)?;
            Some(statement.key)
        }
        Err(lost) => {
            let mut absent = rule_absent(floor, &seat, seat.as_str(), &key, &lost)?;
            // Each of several statements of one seat has its own reason.
            let known = state.absent.iter().find(|known| known.seat == seat);
            let before = known.map(|known| format!("{}; ", known.why)).unwrap_or_default();
            absent.why = format!("{before}no {what}: {}", absent.why);
            state.without(absent);
            None
        }
    })
}

/// The outcome; absent seats are named first.
pub(super) fn closed(state: &ChairedState, outcome: &str, reason: &str) -> Outcome {
    let absent = state.absent.clone();
    let first = missing(&absent, state);
    let winner = outcome.strip_suffix("_wins").map(str::to_owned);
    let verdict = match (&winner, outcome) {
        (Some(name), _) => format!("{name} wins. {reason}"),
        (None, "void") => format!("The debate is void. {reason}"),
        (None, _) => format!("A draw. {reason}"),
    };
    let summary = format!("{first}{verdict}");
    let redactions = state.log.0.iter().filter(|logged| logged.struck.is_some()).count();
    let mut figures = json!({"rounds": state.round, "entries": state.log.next(), "redactions": redactions});
    if let Some(judged) = &state.judged {
        figures["judged"] = judged.clone();
    }
    let made =
        if outcome == "void" { Outcome::void(outcome, summary) } else { Outcome::valid(outcome, summary) };
    Outcome { winner, absent, figures, ..made }
}

//! Phases 3 and 4: unresolved points, closings, the conclusion, and what is written about it.

use std::cell::LazyCell;

use agon_core::{Attempt, Faults, Floor, Flow, Key, Lost, Outcome, Request, Ruling, RulingKind, Seat};
use serde_json::{Value, json};

use super::{
    RULES_EVERY_SOURCE, RULES_LEAKS, announce, audience,
    blind::{self, DebaterLabels, LABELS},
    chair::{self, Concluded, Contest},
    conduct,
    hall::ChairedState,
    held::{self, VerifiedFigures},
    log::{EntryRuling, Phase, Type},
    missing, opinion,
    report::{self, Barred},
    rounds, sources,
    turn::DebatePart,
    verification::{self, SourceStatus},
};
use crate::common::{self, absence::rule_absent, prose::sentence_spans, quoted::Quoted};

/// Something that is worked out once it is asked for.
type Lazily<F> = LazyCell<Option<VerifiedFigures>, F>;

/// Everything after the rounds.
pub(super) fn conclude(floor: &mut Floor<'_>, hall: &mut ChairedState) -> Flow<Outcome> {
    sources::settle(floor, hall, true)?;
    sources::act(floor, hall)?;
    if hall.active().len() < 2 || hall.log.arguments().next().is_none() {
        return too_few(floor, hall);
    }
    if hall.closed.is_empty()
        && let Some(void) = unresolved_points(floor, hall)?
    {
        return Ok(void);
    }
    let mut left = hall.active();
    left.retain(|debater| !hall.closed.contains(&debater.name));
    for debater in left.into_iter().rev() {
        sources::overhear(floor, hall)?;
        let key = hall.key(&format!("closing/{}", debater.seat));
        let request = Request::new(&key, &debater.seat, "closing");
        let said = rounds::speak(floor, hall, &debater, request, DebatePart::Closing)?;
        if let Some((seqs, _)) = said.filter(|_| hall.looks_at_all()) {
            sources::check(floor, hall, &key, &seqs, false)?;
        }
    }
    // Whoever declares the outcome relies on the closings, too.
    if hall.looks_at_all() {
        sources::resolve(floor, hall)?;
        let relayed = sources::relayed(hall);
        if !relayed.is_empty() {
            let text = announce::relay_closings(&relayed);
            hall.log.write(floor, EntryRuling::chair(Phase::System, Type::Announcement, text))?;
        }
    }
    if hall.active().len() < 2 {
        return too_few(floor, hall);
    }
    hall.log.write(floor, EntryRuling::chair(Phase::System, Type::Announcement, announce::CLOSED))?;
    let held = held(floor, hall);
    let contest = contest(hall);
    let key = hall.key("conclusion");
    let request = Request::new(&key, &chair_seat(), "conclusion").fact("eligible", json!(contest.eligible));
    let concluded = match blind::orders(floor.opened()) {
        Some(both) => blind::conclude(floor, hall, &contest, &key, both, &held)?,
        None => {
            let answer = floor.ask_until_valid(request, |draft| contest.conclude(draft, held.as_ref()))?;
            answer.map(|statement| (*statement.value).clone())
        }
    };
    let Concluded { outcome, reason, withheld } = match concluded {
        Ok(concluded) => concluded,
        Err(lost) => return without_chair(floor, hall, &key, &lost),
    };
    let long = chair::too_long("the reason", &reason, chair::CONCLUSION_WORDS_MAX);
    let long = long.filter(|_| hall.log.rules_on_conduct());
    let warnings: Vec<String> = withheld.then(|| held::WARNING.to_owned()).into_iter().chain(long).collect();
    common::absence::warn(floor, &key, "chair", &warnings)?;
    log_conclusion(floor, hall, &outcome, &reason)?;
    if outcome == "void" {
        let ruling =
            Ruling::new(RulingKind::Invalidated, format!("The chair declared the debate void: {reason}"));
        floor.rule(hall.key("conclusion/void"), ruling)?;
    }
    write_about(floor, hall, &outcome)?;
    Ok(closed(hall, &outcome, &reason))
}

/// Who may be declared the winner. A debater lost for good bars a winner: the others were not
/// answered by it.
pub(super) fn contest(hall: &ChairedState) -> Contest {
    let names: Vec<String> = hall.cast.0.iter().map(|debater| debater.name.clone()).collect();
    let whole = hall.active().len() == names.len();
    let eligible = names.iter().filter(|name| whole && !hall.fabricators.contains(*name)).cloned().collect();
    Contest { names, eligible, whole_names: hall.log.rules_on_conduct() }
}

/// What may be told of the debate so far, worked out once it is asked for; `None` by the rules that hold
/// nobody to it.
fn held(floor: &Floor<'_>, hall: &ChairedState) -> Lazily<impl FnOnce() -> Option<VerifiedFigures> + use<>> {
    let (is_held, motion) = (hall.looks_at_all(), floor.opened().motion.clone());
    let (cast, log, found) = (hall.cast.clone(), hall.log.clone(), hall.found.clone());
    LazyCell::new(move || is_held.then(|| VerifiedFigures::by(&motion, &cast, &log, &found)))
}

fn chair_seat() -> Seat {
    common::seat("chair")
}

/// One to three points that the closings should take up.
fn unresolved_points(floor: &mut Floor<'_>, hall: &mut ChairedState) -> Flow<Option<Outcome>> {
    let key = hall.key("unresolved");
    let request = Request::new(&key, &chair_seat(), "chair").fact("matter", "unresolved");
    let log = &hall.log;
    let check = |draft: Attempt<'_>| {
        let rulings = rounds::rulings(&draft, log)?;
        chair::unresolved(draft.text, log).map(|points| (points, rulings))
    };
    match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let (points, rulings) = &*statement.value;
            conduct::rule(floor, hall, rulings)?;
            let long = points
                .iter()
                .filter_map(|(point, _)| chair::too_long("a point", point, chair::POINT_WORDS_MAX));
            rounds::warn_of_length(floor, hall, &key, long.collect())?;
            let text = announce::unresolved(points);
            hall.log.write(floor, EntryRuling::chair(Phase::System, Type::Announcement, text))?;
            Ok(None)
        }
        Err(lost) => without_chair(floor, hall, &key, &lost).map(Some),
    }
}

/// Fewer than two debaters are left: nothing can be concluded.
pub(super) fn too_few(floor: &mut Floor<'_>, hall: &mut ChairedState) -> Flow<Outcome> {
    let reason = "Fewer than two debaters are left, so the debate cannot be fairly concluded.";
    if hall.absent.is_empty() {
        floor
            .rule(hall.key("conclusion/void"), Ruling::new(RulingKind::Invalidated, "No argument stands."))?;
    }
    log_conclusion(floor, hall, "void", reason)?;
    Ok(closed(hall, "void", reason))
}

fn without_chair(floor: &mut Floor<'_>, hall: &mut ChairedState, key: &str, lost: &Lost) -> Flow<Outcome> {
    let absent = rule_absent(floor, &chair_seat(), "chair", key, lost)?;
    hall.without(absent);
    let reason = "The chair gave no usable answer, so the debate cannot be concluded.";
    log_conclusion(floor, hall, "void", reason)?;
    Ok(closed(hall, "void", reason))
}

fn log_conclusion(floor: &mut Floor<'_>, hall: &mut ChairedState, outcome: &str, reason: &str) -> Flow<()> {
    let text = announce::conclusion(outcome, reason);
    hall.log.write(floor, EntryRuling::chair(Phase::System, Type::Conclusion, text)).map(drop)
}

/// Audience, reporter and assessor; the debate stands without each.
fn write_about(floor: &mut Floor<'_>, hall: &mut ChairedState, outcome: &str) -> Flow<()> {
    opinion(floor, hall)?;
    let names: Vec<String> = hall.cast.0.iter().map(|debater| debater.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let log = hall.log.clone();
    let held = held(floor, hall);
    let summary = written(floor, hall, "reporter", "summary", &[], |draft| {
        let held = held.as_ref();
        let warnings = held::warnings(held, draft.text, false);
        held::once(held, draft, false, report::summary(draft.text, &names, &log).map(|_| warnings))
    })?;
    let mut blog = None;
    if outcome != "void" {
        let (topic, rules) = (floor.opened().motion.clone(), floor.opened().rules);
        let barred = Barred { rules, topic: &topic, names: &names, texts: barred(hall) };
        let check = |draft: Attempt<'_>| {
            let held = held.as_ref();
            let checked = report::blog(draft.text, &barred, draft.was_told("length")).map(|blog| {
                let length = report::length(&blog, rules).filter(|_| rules >= RULES_EVERY_SOURCE);
                let mut warnings = held::warnings(held, draft.text, true);
                warnings.extend(length.map(|missed| format!("length: {missed}")));
                warnings
            });
            held::once(held, draft, true, checked)
        };
        blog = written(floor, hall, "reporter", "blog", &[], check)?;
    }
    let labels = DebaterLabels::for_assessor(floor.opened(), &names);
    let debaters = labels.as_ref().map(DebaterLabels::letters);
    let roles = report::roles(debaters.unwrap_or_else(|| names.iter().copied().map(str::to_owned).collect()));
    let mut read = vec![("summary", json!(summary)), ("blog", json!(blog))];
    read.extend(labels.map(|labels| (LABELS, labels.fact())));
    written(floor, hall, "assessor", "assessment", &read, |draft| {
        let held = held.as_ref();
        let warnings = held::warnings(held, draft.text, false);
        held::once(held, draft, false, report::assessment(draft.text, &roles, &log).map(|_| warnings))
    })?;
    Ok(())
}

/// What the blog post may not repeat: what was struck, and entries whose source is unreliable.
fn barred(hall: &ChairedState) -> Quoted {
    let log = &hall.log;
    let mut barred = log.struck().clone();
    for logged in log.0.iter().filter(|logged| logged.struck.is_none()) {
        let ruled = announce::ruling(logged.item.seq, "the source ");
        if log.0.iter().any(|l| l.item.content.as_deref().is_some_and(|text| text.starts_with(&ruled))) {
            barred.bar(logged.original().0, log.run());
        }
    }
    if log.rules() >= RULES_LEAKS {
        borne_out(hall).iter().for_each(|text| barred.allow(text));
    }
    barred
}

/// What may be said although a faulty entry has the same words: the words of pages, and of entries whose sources are
/// verified, without the sentences in which those speak of another entry.
fn borne_out(hall: &ChairedState) -> Vec<String> {
    let stands = |seq: u64| hall.log.at(seq).filter(|logged| logged.struck.is_none());
    let latest = verification::latest(&hall.found);
    let pages = latest.iter().filter(|found| stands(found.seq).is_some());
    let mut texts: Vec<String> = pages.filter_map(|found| found.sentence.clone()).collect();
    for logged in hall.log.arguments() {
        let mut own = latest.iter().filter(|found| found.seq == logged.item.seq).peekable();
        if own.peek().is_some() && own.all(|found| found.status == SourceStatus::Verified) {
            let content = logged.content();
            let sentences = sentence_spans(&content).into_iter().map(|span| &content[span]);
            let own = sentences.filter(|words| !words.to_lowercase().contains("seq "));
            texts.extend(own.map(str::to_owned));
        }
    }
    texts
}

/// The audience's opinion, logged. One that misses its form a second time stands.
fn opinion(floor: &mut Floor<'_>, hall: &mut ChairedState) -> Flow<()> {
    let key = hall.key("opinion");
    let request = Request::new(&key, &common::seat("audience"), "opinion").or_absent();
    let log = &hall.log;
    let check = |draft: Attempt<'_>| {
        let opinion = opinion::read(draft.text)?;
        if log.struck().is_in(&opinion.opinion) {
            let mut faults = Faults::default();
            report::leaks(&opinion.opinion, log.struck(), log.rules(), &mut faults);
            if log.rules() < RULES_LEAKS {
                faults = Faults::one("leak", "opinion", "it repeats words of a redacted entry");
            }
            return Err(faults);
        }
        let shortcomings = audience::shortcomings(&opinion, log);
        if draft.was_told("L16") { Ok(opinion) } else { shortcomings.or(opinion) }
    };
    match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let short = audience::shortcomings(&statement.value, &hall.log);
            let warnings: Vec<String> =
                short.0.iter().map(|fault| format!("{}: {fault}", fault.rule)).collect();
            common::absence::warn(floor, &key, "audience", &warnings)?;
            let item =
                EntryRuling::said(Phase::System, "audience", Type::AudienceConclusion, &statement.key, 0);
            hall.log.write_text(floor, item, &statement.value.opinion)?;
        }
        Err(lost) => {
            let absent = rule_absent(floor, &common::seat("audience"), "audience", &key, &lost)?;
            hall.without(absent);
        }
    }
    Ok(())
}

/// Something that is written about the debate, accepted by a ruling that names its answer. `facts`
/// say what its author is shown; the check gives what is warned of.
fn written(
    floor: &mut Floor<'_>,
    hall: &mut ChairedState,
    seat: &str,
    what: &str,
    facts: &[(&str, Value)],
    check: impl Fn(Attempt<'_>) -> Result<Vec<String>, Faults>,
) -> Flow<Option<Key>> {
    let seat = common::seat(seat);
    let key = hall.key(what);
    let mut request = Request::new(&key, &seat, what).or_absent();
    for (name, of) in facts {
        request = request.fact(name, of.clone());
    }
    Ok(match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let conclusion = hall.log.conclusion().map(|logged| logged.item.seq);
            let data = json!({"key": statement.key, "what": what, "conclusion": conclusion});
            let ruling = Ruling::new(RulingKind::Noted, format!("{what} accepted")).with(data);
            floor.rule(format!("{key}/accepted"), ruling)?;
            common::absence::warn(floor, &key, seat.as_str(), &statement.value)?;
            Some(statement.key)
        }
        Err(lost) => {
            let mut absent = rule_absent(floor, &seat, seat.as_str(), &key, &lost)?;
            if hall.looks_at_all() {
                // Each of several statements of one seat has its own reason.
                let known = hall.absent.iter().find(|known| known.seat == seat);
                let before = known.map(|known| format!("{}; ", known.why)).unwrap_or_default();
                absent.why = format!("{before}no {what}: {}", absent.why);
            }
            hall.without(absent);
            None
        }
    })
}

/// The outcome; absent seats are named first.
pub(super) fn closed(hall: &ChairedState, outcome: &str, reason: &str) -> Outcome {
    let absent = hall.absent.clone();
    let first = missing(&absent, hall);
    let winner = outcome.strip_suffix("_wins").map(str::to_owned);
    let verdict = match (&winner, outcome) {
        (Some(name), _) => format!("{name} wins. {reason}"),
        (None, "void") => format!("The debate is void. {reason}"),
        (None, _) => format!("A draw. {reason}"),
    };
    let summary = format!("{first}{verdict}");
    let redactions = hall.log.0.iter().filter(|logged| logged.struck.is_some()).count();
    let mut figures = json!({"rounds": hall.round, "entries": hall.log.next(), "redactions": redactions});
    if let Some(judged) = &hall.judged {
        figures["judged"] = judged.clone();
    }
    let made =
        if outcome == "void" { Outcome::void(outcome, summary) } else { Outcome::valid(outcome, summary) };
    Outcome { winner, absent, figures, ..made }
}

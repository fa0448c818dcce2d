//! Phases 3 and 4: unresolved points, closings, the conclusion, and what is written about it.

use agon_core::{Attempt, Faults, Floor, Flow, Key, Kind, Lost, Outcome, Request, Ruling, Seat};
use serde_json::{Value, json};

use super::{
    announce, audience,
    blind::{self, LABELS, Labels},
    chair::{self, Contest},
    conduct,
    hall::Hall,
    log::{Item, Phase, Type},
    missing,
    report::{self, Barred},
    rounds, sources,
    turn::Part,
};
use crate::common::{self, absence::rule_absent};

/// Everything after the rounds.
pub(super) fn conclude(floor: &mut Floor<'_>, hall: &mut Hall) -> Flow<Outcome> {
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
        let request = Request::new(hall.key(&format!("closing/{}", debater.seat)), &debater.seat, "closing");
        rounds::speak(floor, hall, &debater, request, Part::Closing)?;
    }
    if hall.active().len() < 2 {
        return too_few(floor, hall);
    }
    hall.log.write(floor, Item::chair(Phase::System, Type::Announcement, announce::CLOSED))?;
    let contest = contest(hall);
    let key = hall.key("conclusion");
    let request = Request::new(&key, &chair_seat(), "conclusion").fact("eligible", json!(contest.eligible));
    let concluded = match blind::orders(floor.opened()) {
        Some(both) => blind::conclude(floor, hall, &contest, &key, both)?,
        None => {
            let answer = floor.ask_until_valid(request, |draft| contest.read(draft.text))?;
            answer.map(|statement| (*statement.value).clone())
        }
    };
    let (outcome, reason) = match concluded {
        Ok(concluded) => concluded,
        Err(lost) => return without_chair(floor, hall, &key, &lost),
    };
    let long = chair::too_long("the reason", &reason, chair::CONCLUSION_WORDS_MAX);
    rounds::warn_of_length(floor, hall, &key, long.into_iter().collect())?;
    log_conclusion(floor, hall, &outcome, &reason)?;
    if outcome == "void" {
        let ruling = Ruling::new(Kind::Invalidated, format!("The chair declared the debate void: {reason}"));
        floor.rule(hall.key("conclusion/void"), ruling)?;
    }
    write_about(floor, hall, &outcome)?;
    Ok(closed(hall, &outcome, &reason))
}

/// Who may be declared the winner. A debater lost for good bars a winner: the others were not
/// answered by it.
pub(super) fn contest(hall: &Hall) -> Contest {
    let names: Vec<String> = hall.cast.0.iter().map(|debater| debater.name.clone()).collect();
    let whole = hall.active().len() == names.len();
    let eligible = names.iter().filter(|name| whole && !hall.fabricators.contains(*name)).cloned().collect();
    Contest { names, eligible, whole_names: hall.log.rules_on_conduct() }
}

fn chair_seat() -> Seat {
    common::seat("chair")
}

/// One to three points that the closings should take up.
fn unresolved_points(floor: &mut Floor<'_>, hall: &mut Hall) -> Flow<Option<Outcome>> {
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
            hall.log.write(floor, Item::chair(Phase::System, Type::Announcement, text))?;
            Ok(None)
        }
        Err(lost) => without_chair(floor, hall, &key, &lost).map(Some),
    }
}

/// Fewer than two debaters are left: nothing can be concluded.
pub(super) fn too_few(floor: &mut Floor<'_>, hall: &mut Hall) -> Flow<Outcome> {
    let reason = "Fewer than two debaters are left, so the debate cannot be fairly concluded.";
    if hall.absent.is_empty() {
        floor.rule(hall.key("conclusion/void"), Ruling::new(Kind::Invalidated, "No argument stands."))?;
    }
    log_conclusion(floor, hall, "void", reason)?;
    Ok(closed(hall, "void", reason))
}

fn without_chair(floor: &mut Floor<'_>, hall: &mut Hall, key: &str, lost: &Lost) -> Flow<Outcome> {
    let absent = rule_absent(floor, &chair_seat(), "chair", key, lost)?;
    hall.without(absent);
    let reason = "The chair gave no usable answer, so the debate cannot be concluded.";
    log_conclusion(floor, hall, "void", reason)?;
    Ok(closed(hall, "void", reason))
}

fn log_conclusion(floor: &mut Floor<'_>, hall: &mut Hall, outcome: &str, reason: &str) -> Flow<()> {
    let text = announce::conclusion(outcome, reason);
    hall.log.write(floor, Item::chair(Phase::System, Type::Conclusion, text)).map(drop)
}

/// Audience, reporter and assessor; the debate stands without each.
fn write_about(floor: &mut Floor<'_>, hall: &mut Hall, outcome: &str) -> Flow<()> {
    opinion(floor, hall)?;
    let names: Vec<String> = hall.cast.0.iter().map(|debater| debater.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let log = hall.log.clone();
    let summary =
        written(floor, hall, "reporter", "summary", &[], |draft| report::summary(draft.text, &names, &log))?;
    let mut blog = None;
    if outcome != "void" {
        let topic = floor.opened().motion.clone();
        let barred = Barred { topic: &topic, names: &names, texts: barred_texts(hall, &log) };
        let check = |draft: Attempt<'_>| report::blog(draft.text, &barred, draft.was_told("length"));
        blog = written(floor, hall, "reporter", "blog", &[], check)?;
    }
    let labels = Labels::for_assessor(floor.opened(), &names);
    let debaters = labels.as_ref().map(Labels::letters);
    let roles = report::roles(debaters.unwrap_or_else(|| names.iter().copied().map(str::to_owned).collect()));
    let mut read = vec![("summary", json!(summary)), ("blog", json!(blog))];
    read.extend(labels.map(|labels| (LABELS, labels.fact())));
    written(floor, hall, "assessor", "assessment", &read, |draft| {
        report::assessment(draft.text, &roles, &log)
    })?;
    Ok(())
}

/// Entries of which the blog post may show nothing: redacted ones, and those whose source is
/// unreliable.
fn barred_texts<'l>(hall: &Hall, log: &'l super::log::Log) -> Vec<&'l str> {
    let unreliable = |seq: u64| {
        let ruled = announce::ruling(seq, "the source ");
        hall.log.0.iter().any(|l| l.item.content.as_deref().is_some_and(|text| text.starts_with(&ruled)))
    };
    let barred = log.0.iter().filter(|logged| logged.struck.is_some() || unreliable(logged.item.seq));
    barred.map(|logged| logged.original().0).collect()
}

/// The audience's opinion, logged. One that misses its form a second time stands.
fn opinion(floor: &mut Floor<'_>, hall: &mut Hall) -> Flow<()> {
    let key = hall.key("opinion");
    let request = Request::new(&key, &common::seat("audience"), "opinion").or_absent();
    let log = &hall.log;
    let check = |draft: Attempt<'_>| {
        let opinion = audience::read_opinion(draft.text)?;
        if report::leaked(&opinion.opinion, &report::struck(log)) {
            return Err(Faults::one("leak", "opinion", "it repeats words of a redacted entry"));
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
            let item = Item::said(Phase::System, "audience", Type::AudienceConclusion, &statement.key, 0);
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
/// say what its author is shown.
fn written<T: Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    hall: &mut Hall,
    seat: &str,
    what: &str,
    facts: &[(&str, Value)],
    check: impl Fn(Attempt<'_>) -> Result<T, Faults>,
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
            let ruling = Ruling::new(Kind::Noted, format!("{what} accepted")).with(data);
            floor.rule(format!("{key}/accepted"), ruling)?;
            Some(statement.key)
        }
        Err(lost) => {
            let absent = rule_absent(floor, &seat, seat.as_str(), &key, &lost)?;
            hall.without(absent);
            None
        }
    })
}

/// The outcome; absent seats are named first.
pub(super) fn closed(hall: &Hall, outcome: &str, reason: &str) -> Outcome {
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

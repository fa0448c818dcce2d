//! What is written about a concluded debate: the audience's opinion, the reporter's summary and blog post, and the
//! assessment, with what came of its objections. The debate stands without each.

use agon_core::{Attempt, Fault, Faults, Floor, Flow, Key, Redraft, Request, Ruling, RulingKind};
use agon_text::{HiddenPassages, sentences};
use serde_json::{Value, json};

use super::{
    announce, audience, conduct,
    debater_labels::{DebaterLabels, LABELS},
    log::{EntryRuling, Phase, Type},
    objections::{
        self, Objection, ObjectionCheck, ObjectionEnd, ObjectionKind, ObjectionRuling, RuledObjection,
    },
    opinion,
    published::{self, AcceptedText, ObjectedText, PublishedText},
    report::{self, Barred},
    rule::SOURCE_RULE,
    state::ChairedState,
    verification::{self, SourceStatus},
};
use crate::common::{self, absence::rule_absent, quoted::RUN};

/// Audience, reporter and assessor, in this order.
pub(super) fn write_about(floor: &mut Floor<'_>, state: &mut ChairedState, outcome: &str) -> Flow<()> {
    opinion(floor, state)?;
    let summary = summary(floor, state, "summary", None)?;
    let blog = if outcome == "void" { None } else { blog(floor, state, "blog", None)? };
    let labels = DebaterLabels::for_assessor(floor.opened(), &state.debaters);
    let titles = || state.debaters.titles().into_iter().map(str::to_owned).collect();
    let roles = report::roles(labels.as_ref().map_or_else(titles, DebaterLabels::letters));
    let answer = |text: &Option<PublishedText>| json!(text.as_ref().and_then(|text| text.answer.as_ref()));
    let mut read = vec![("summary", answer(&summary)), ("blog", answer(&blog))];
    read.extend(labels.as_ref().map(|labels| (LABELS, labels.fact())));
    let texts = published::published(&state.log, [summary, blog].into_iter().flatten());
    let log = state.log.clone();
    let mut shown = texts.clone();
    shown.iter_mut().for_each(|text| text.words = objections::veiled(labels.as_ref(), &text.words));
    let assessed = written(floor, state, "assessor", "assessment", &read, |draft| {
        let told = draft.was_told(objections::RULE);
        report::assessment(draft.text, &roles, &log, &shown, told)
            .map(|assessment| (assessment.objections, Vec::new()))
    })?;
    let Some((answer, objections)) = assessed else { return Ok(()) };
    let check = ObjectionCheck { answer: &answer, texts: &texts, log: &log, labels: labels.as_ref() };
    settle_objections(floor, state, &check, objections)
}

/// The accepted summary. `again` is the redraft that its author is asked for after objections.
fn summary(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    what: &str,
    again: Option<Redraft>,
) -> Flow<Option<PublishedText>> {
    let (log, debaters) = (state.log.clone(), state.debaters.clone());
    let writing = WrittenText { seat: "reporter", prompt: "summary", key: what, again };
    let written = writing.ask(floor, state, &[], |draft| {
        report::summary(draft.text, &debaters, &log)?;
        Ok((published::parse_prose(ObjectedText::Summary, draft.text).unwrap_or_default(), Vec::new()))
    })?;
    Ok(written.map(|(key, words)| PublishedText { text: ObjectedText::Summary, words, answer: Some(key) }))
}

/// The accepted blog post; `again` as for the summary.
fn blog(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    what: &str,
    again: Option<Redraft>,
) -> Flow<Option<PublishedText>> {
    let (topic, debaters) = (floor.opened().motion.clone(), state.debaters.clone());
    let barred = Barred { topic: &topic, names: &debaters.titles(), texts: barred(state) };
    let writing = WrittenText { seat: "reporter", prompt: "blog", key: what, again };
    let written = writing.ask(floor, state, &[], |draft| {
        let blog = report::blog(draft.text, &barred, |rule| draft.was_told(rule))?;
        Ok((blog.texts().join("\n"), report::blog_warnings(&blog, &barred)))
    })?;
    Ok(written.map(|(key, words)| PublishedText { text: ObjectedText::Blog, words, answer: Some(key) }))
}

/// Confirms the objections of an assessment, has the reporter write again what both readings object to, and puts what
/// comes of it on the record.
fn settle_objections(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    check: &ObjectionCheck<'_>,
    mut objections: Vec<Objection>,
) -> Flow<()> {
    let texts = check.texts;
    let meanings = check.confirm(floor, &objections)?;
    objections.iter_mut().for_each(|one| one.quote = objections::told(check.labels, &one.quote));
    let settled: Vec<bool> = meanings.iter().map(|meaning| meaning.settled().is_some()).collect();
    let mut again: Vec<PublishedText> = Vec::new();
    for text in texts.iter().filter(|text| text.answer.is_some()) {
        let of = objections
            .iter()
            .zip(&settled)
            .filter(|(objection, settled)| **settled && objection.text == text.text);
        let faults: Vec<Fault> = of.map(|(objection, _)| as_fault(objection)).collect();
        again.extend(if faults.is_empty() { None } else { write_again(floor, state, text, faults)? });
    }
    let mut ruled: Vec<RuledObjection> = Vec::new();
    for (at, (objection, meaning)) in objections.iter().zip(meanings).enumerate() {
        let old = texts.iter().find(|text| text.text == objection.text);
        let new = again.iter().find(|text| text.text == objection.text);
        let words = new.or(old).map_or("", |text| text.words.as_str());
        let end = objections::end_of(objection, &meaning);
        let quote = match new {
            Some(new) if meaning.settled().is_some() => check.recheck(floor, at, objection, new)?,
            // What another objection had written again may no longer have these words.
            Some(new) => Some(objection.quote.clone()).filter(|quote| objections::is_in(&new.words, quote)),
            None => Some(objection.quote.clone()),
        };
        let first = (old.map_or("", |text| text.words.as_str()), objection.quote.as_str());
        ruled.push(match &quote {
            Some(quote) => {
                let objection = Objection { quote: quote.clone(), ..objection.clone() };
                objections::ruled(&objection, meaning, end, &[first, (words, quote)])
            }
            None => objections::ruled(objection, meaning, ObjectionEnd::Redrafted, &[first]),
        });
    }
    let conclusion = state.log.conclusion().map_or(0, |logged| logged.item.seq);
    let ruling = ObjectionRuling { conclusion, objections: ruled };
    objections::put_on_record(floor, state.key(objections::KEY), ruling)
}

fn as_fault(objection: &Objection) -> Fault {
    let what = match objection.kind {
        ObjectionKind::Struck => {
            "these words tell again what was struck from the debate; leave the matter out"
        }
        ObjectionKind::Leak => "these words tell of the debate; write about the topic alone",
        _ => "these words favour a side; say it neutrally",
    };
    Fault {
        rule: objections::RULE.into(),
        at: String::new(),
        message: format!("{:?}: {what}", objection.quote),
    }
}

/// The text once its author has written it again; `None` where that gave nothing usable.
fn write_again(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    text: &PublishedText,
    faults: Vec<Fault>,
) -> Flow<Option<PublishedText>> {
    let Some(of) = text.answer.clone() else { return Ok(None) };
    let again = Some(Redraft { of, number: 1, faults });
    let key = format!("{}/objected", text.text.name());
    match text.text {
        ObjectedText::Blog => blog(floor, state, &key, again),
        _ => summary(floor, state, &key, again),
    }
}

/// What the blog post may not repeat: what was struck, and entries whose source is unreliable.
fn barred(state: &ChairedState) -> HiddenPassages {
    let log = &state.log;
    let mut barred = log.struck().clone();
    for logged in log.0.iter().filter(|logged| logged.struck.is_none()) {
        let ruled = announce::ruling(logged.item.seq, "the source ");
        let is_ruled =
            log.0.iter().any(|l| l.item.content.as_deref().is_some_and(|text| text.starts_with(&ruled)));
        if is_ruled && conduct::lifted_at(log, logged.item.seq, SOURCE_RULE).is_none() {
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

/// Something that is written about the debate.
struct WrittenText<'w> {
    seat: &'w str,
    prompt: &'w str,
    key: &'w str,
    again: Option<Redraft>,
}

/// Something that is written once.
fn written<T: Clone + Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    seat: &str,
    what: &str,
    facts: &[(&str, Value)],
    check: impl Fn(Attempt<'_>) -> Result<(T, Vec<String>), Faults>,
) -> Flow<Option<(Key, T)>> {
    WrittenText { seat, prompt: what, key: what, again: None }.ask(floor, state, facts, check)
}

impl WrittenText<'_> {
    /// Accepts it by a ruling that names its answer. `facts` say what its author is shown; the check gives what is
    /// warned of. What was asked for again and is lost leaves the first in place.
    fn ask<T: Clone + Send + Sync + 'static>(
        self,
        floor: &mut Floor<'_>,
        state: &mut ChairedState,
        facts: &[(&str, Value)],
        check: impl Fn(Attempt<'_>) -> Result<(T, Vec<String>), Faults>,
    ) -> Flow<Option<(Key, T)>> {
        let seat = common::seat(self.seat);
        let key = state.key(self.key);
        let mut request = Request::new(&key, &seat, self.prompt).or_absent();
        let is_again = self.again.is_some();
        request.redraft = self.again;
        for (name, of) in facts {
            request = request.fact(name, of.clone());
        }
        match floor.ask_until_valid(request, check)? {
            Ok(statement) => {
                let conclusion = state.log.conclusion().map(|logged| logged.item.seq);
                let what = self.prompt.to_owned();
                let ruling = Ruling::new(RulingKind::Noted, format!("{what} accepted"));
                let ruling = ruling.with(AcceptedText { key: statement.key.clone(), what, conclusion });
                floor.rule(format!("{key}/accepted"), ruling)?;
                let (value, warnings) = &*statement.value;
                common::absence::warn(floor, &key, seat.as_str(), warnings)?;
                Ok(Some((statement.key, value.clone())))
            }
            Err(lost) if is_again => rule_absent(floor, &seat, seat.as_str(), &key, &lost).map(|_| None),
            Err(lost) => {
                let mut absent = rule_absent(floor, &seat, seat.as_str(), &key, &lost)?;
                // Each of several statements of one seat has its own reason.
                let known = state.absent.iter().find(|known| known.seat == seat);
                let before = known.map(|known| format!("{}; ", known.why)).unwrap_or_default();
                absent.why = format!("{before}no {}: {}", self.prompt, absent.why);
                state.without(absent);
                Ok(None)
            }
        }
    }
}

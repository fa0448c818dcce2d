//! What is written about a concluded debate: the audience's opinion, the reporter's summary and blog post, and the
//! assessment, with what came of its objections. The debate stands without each.

use agon_core::{Attempt, Fault, Faults, Floor, Flow, Key, Redraft, Request, Ruling, RulingKind};
use agon_text::{HiddenPassages, split_sentences};
use serde_json::{Value, json};

use super::{
    announce, audience, conduct,
    debater_labels::{DebaterLabels, LABELS},
    log::{EntryRuling, Phase, Type},
    objections::{self, Objection, ObjectionCheck, ObjectionEnd, ObjectionKind, ObjectionRuling, RuledObjection},
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
    ask_opinion(floor, state)?;
    let summary = ask_summary(floor, state, "summary", None)?;
    let blog = if outcome == "void" { None } else { ask_blog(floor, state, "blog", None)? };
    let labels = DebaterLabels::for_assessor(floor.opened(), &state.debaters);
    let titles = || state.debaters.titles().into_iter().map(str::to_owned).collect();
    let roles = report::assessed_roles(labels.as_ref().map_or_else(titles, DebaterLabels::list_labels));
    let answer = |text: &Option<PublishedText>| json!(text.as_ref().and_then(|text| text.answer.as_ref()));
    let mut read = vec![("summary", answer(&summary)), ("blog", answer(&blog))];
    read.extend(labels.as_ref().map(|labels| (LABELS, labels.to_fact())));
    let texts = published::collect_published(&state.log, [summary, blog].into_iter().flatten());
    let log = state.log.clone();
    let mut shown = texts.clone();
    shown.iter_mut().for_each(|text| text.words = objections::hide_names(labels.as_ref(), &text.words));
    let assessed = ask_text_once(floor, state, "assessor", "assessment", &read, |draft| {
        let told = draft.was_told(objections::RULE);
        report::parse_assessment(draft.text, &roles, &log, &shown, told)
            .map(|assessment| (assessment.objections, Vec::new()))
    })?;
    let Some((answer, objections)) = assessed else { return Ok(()) };
    let check = ObjectionCheck { answer: &answer, texts: &texts, log: &log, labels: labels.as_ref() };
    settle_objections(floor, state, &check, objections)
}

/// The accepted summary. `again` is the redraft that its author is asked for after objections.
fn ask_summary(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    what: &str,
    again: Option<Redraft>,
) -> Flow<Option<PublishedText>> {
    let (log, debaters) = (state.log.clone(), state.debaters.clone());
    let writing = WrittenText { seat: "reporter", prompt: "summary", key: what, again };
    let written = writing.ask_and_accept(floor, state, &[], |draft| {
        report::parse_summary(draft.text, &debaters, &log)?;
        Ok((published::parse_prose(ObjectedText::Summary, draft.text).unwrap_or_default(), Vec::new()))
    })?;
    Ok(written.map(|(key, words)| PublishedText { text: ObjectedText::Summary, words, answer: Some(key) }))
}

/// The accepted blog post; `again` as for the summary.
fn ask_blog(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    what: &str,
    again: Option<Redraft>,
) -> Flow<Option<PublishedText>> {
    let (topic, debaters) = (floor.opened().motion.clone(), state.debaters.clone());
    let barred = Barred { topic: &topic, names: &debaters.titles(), texts: collect_barred(state) };
    let writing = WrittenText { seat: "reporter", prompt: "blog", key: what, again };
    let written = writing.ask_and_accept(floor, state, &[], |draft| {
        let blog = report::parse_blog(draft.text, &barred, |rule| draft.was_told(rule))?;
        Ok((blog.list_texts().join("\n"), report::blog_warnings(&blog, &barred)))
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
    let meanings = check.confirm_objections(floor, &objections)?;
    objections.iter_mut().for_each(|one| one.quote = objections::restore_names(check.labels, &one.quote));
    let settled: Vec<bool> = meanings.iter().map(|meaning| meaning.settled_choice().is_some()).collect();
    let mut again: Vec<PublishedText> = Vec::new();
    for text in texts.iter().filter(|text| text.answer.is_some()) {
        let of =
            objections.iter().zip(&settled).filter(|(objection, settled)| **settled && objection.text == text.text);
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
            Some(new) if meaning.settled_choice().is_some() => check.recheck_objection(floor, at, objection, new)?,
            // What another objection had written again may no longer have these words.
            Some(new) => Some(objection.quote.clone()).filter(|quote| objections::is_in(&new.words, quote)),
            None => Some(objection.quote.clone()),
        };
        let first = (old.map_or("", |text| text.words.as_str()), objection.quote.as_str());
        ruled.push(match &quote {
            Some(quote) => {
                let objection = Objection { quote: quote.clone(), ..objection.clone() };
                objections::build_ruled_objection(&objection, meaning, end, &[first, (words, quote)])
            }
            None => objections::build_ruled_objection(objection, meaning, ObjectionEnd::Redrafted, &[first]),
        });
    }
    let conclusion = state.log.find_conclusion().map_or(0, |logged| logged.item.seq);
    let ruling = ObjectionRuling { conclusion, objections: ruled };
    objections::put_on_record(floor, state.stage_key(objections::KEY), ruling)
}

fn as_fault(objection: &Objection) -> Fault {
    let what = match objection.kind {
        ObjectionKind::Struck => "these words tell again what was struck from the debate; leave the matter out",
        ObjectionKind::Leak => "these words tell of the debate; write about the topic alone",
        _ => "these words favour a side; say it neutrally",
    };
    Fault { rule: objections::RULE.into(), at: String::new(), message: format!("{:?}: {what}", objection.quote) }
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
        ObjectedText::Blog => ask_blog(floor, state, &key, again),
        _ => ask_summary(floor, state, &key, again),
    }
}

/// What the blog post may not repeat: what was struck, and entries whose source is unreliable.
fn collect_barred(state: &ChairedState) -> HiddenPassages {
    let log = &state.log;
    let mut barred = log.struck_passages().clone();
    for logged in log.0.iter().filter(|logged| logged.struck.is_none()) {
        let ruled = announce::ruling_text(logged.item.seq, "the source ");
        let is_ruled = log.0.iter().any(|l| l.item.content.as_deref().is_some_and(|text| text.starts_with(&ruled)));
        if is_ruled && conduct::lifted_at(log, logged.item.seq, SOURCE_RULE).is_none() {
            barred.hide_runs(logged.original_content().0, RUN);
        }
    }
    borne_out(state).iter().for_each(|text| barred.allow_text(text));
    barred
}

/// What may be said although a faulty entry has the same words: the words of pages, and of entries whose sources are
/// verified, without the sentences in which those speak of another entry.
fn borne_out(state: &ChairedState) -> Vec<String> {
    let stands = |seq: u64| state.log.entry_at(seq).filter(|logged| logged.struck.is_none());
    let latest = verification::latest_findings(&state.found);
    let pages = latest.iter().filter(|found| stands(found.seq).is_some());
    let mut texts: Vec<String> = pages.filter_map(|found| found.sentence.clone()).collect();
    for logged in state.log.standing_arguments() {
        let mut own = latest.iter().filter(|found| found.seq == logged.item.seq).peekable();
        if own.peek().is_some() && own.all(|found| found.status == SourceStatus::Verified) {
            let content = logged.visible_content();
            let all = split_sentences(&content).into_iter().map(|sentence| sentence.text.trim());
            let own = all.filter(|words| !words.to_lowercase().contains("seq "));
            texts.extend(own.map(str::to_owned));
        }
    }
    texts
}

/// The audience's opinion, logged. One that misses its form a second time stands.
fn ask_opinion(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<()> {
    let key = state.stage_key("opinion");
    let request = Request::new(&key, &common::named_seat("audience"), "opinion").or_absent();
    let log = &state.log;
    let check = |draft: Attempt<'_>| {
        let opinion = opinion::parse_opinion(draft.text)?;
        if log.struck_passages().is_in(&opinion.opinion) {
            let mut faults = Faults::default();
            report::check_leaks(&opinion.opinion, log.struck_passages(), &mut faults);
            return Err(faults);
        }
        let shortcomings = audience::check_opinion(&opinion, log);
        if draft.was_told("L16") { Ok(opinion) } else { shortcomings.into_result(opinion) }
    };
    match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let short = audience::check_opinion(&statement.value, &state.log);
            let warnings: Vec<String> = short.0.iter().map(|fault| format!("{}: {fault}", fault.rule)).collect();
            common::absence::record_warnings(floor, &key, "audience", &warnings)?;
            let item = EntryRuling::from_answer(Phase::System, "audience", Type::AudienceConclusion, &statement.key, 0);
            state.log.write_text(floor, item, &statement.value.opinion)?;
        }
        Err(lost) => {
            let absent = rule_absent(floor, &common::named_seat("audience"), "audience", &key, &lost)?;
            state.record_absent(absent);
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
fn ask_text_once<T: Clone + Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    seat: &str,
    what: &str,
    facts: &[(&str, Value)],
    check: impl Fn(Attempt<'_>) -> Result<(T, Vec<String>), Faults>,
) -> Flow<Option<(Key, T)>> {
    WrittenText { seat, prompt: what, key: what, again: None }.ask_and_accept(floor, state, facts, check)
}

impl WrittenText<'_> {
    /// Accepts it by a ruling that names its answer. `facts` say what its author is shown; the check gives what is
    /// warned of. What was asked for again and is lost leaves the first in place.
    fn ask_and_accept<T: Clone + Send + Sync + 'static>(
        self,
        floor: &mut Floor<'_>,
        state: &mut ChairedState,
        facts: &[(&str, Value)],
        check: impl Fn(Attempt<'_>) -> Result<(T, Vec<String>), Faults>,
    ) -> Flow<Option<(Key, T)>> {
        let seat = common::named_seat(self.seat);
        let key = state.stage_key(self.key);
        let mut request = Request::new(&key, &seat, self.prompt).or_absent();
        let is_again = self.again.is_some();
        request.redraft = self.again;
        for (name, of) in facts {
            request = request.with_fact(name, of.clone());
        }
        match floor.ask_until_valid(request, check)? {
            Ok(statement) => {
                let conclusion = state.log.find_conclusion().map(|logged| logged.item.seq);
                let what = self.prompt.to_owned();
                let ruling = Ruling::new(RulingKind::Noted, format!("{what} accepted"));
                let ruling = ruling.with_data(AcceptedText { key: statement.key.clone(), what, conclusion });
                floor.record_ruling(format!("{key}/accepted"), ruling)?;
                let (value, warnings) = &*statement.value;
                common::absence::record_warnings(floor, &key, seat.as_str(), warnings)?;
                Ok(Some((statement.key, value.clone())))
            }
            Err(lost) if is_again => rule_absent(floor, &seat, seat.as_str(), &key, &lost).map(|_| None),
            Err(lost) => {
                let mut absent = rule_absent(floor, &seat, seat.as_str(), &key, &lost)?;
                // Each of several statements of one seat has its own reason.
                let known = state.absent.iter().find(|known| known.seat == seat);
                let before = known.map(|known| format!("{}; ", known.why)).unwrap_or_default();
                absent.why = format!("{before}no {}: {}", self.prompt, absent.why);
                state.record_absent(absent);
                Ok(None)
            }
        }
    }
}

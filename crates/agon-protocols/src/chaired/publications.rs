//! What is written about a concluded debate: the audience's opinion, the reporter's summary and blog post, and the
//! assessment, with what came of its objections. The debate stands without each.

use agon_core::{Attempt, Fault, Faults, Floor, Flow, Key, Redraft, Request, Ruling, RulingKind, draft::Draft};
use agon_text::{HiddenPassages, split_sentences};

use super::{
    announcements, audience, conduct,
    conduct_rules::SOURCE_RULE,
    debaters::DebaterLabels,
    log::{EntryRuling, Phase, Type},
    objections::{
        self, AcceptedText, ObjectedText, Objection, ObjectionCheck, ObjectionEnd, ObjectionKind, ObjectionRuling,
        PublishedText, RuledObjection,
    },
    report::{self, Barred},
    state::ChairedState,
    verification::{self, SourceStatus},
};
use crate::common::{
    self,
    absence::{record_warnings, rule_absent},
    redacted_text::RUN,
    request_values::word_of,
};

/// Audience, reporter and assessor, in this order.
pub(super) fn write_about(floor: &mut Floor<'_>, state: &mut ChairedState, outcome: &str) -> Flow<()> {
    ask_opinion(floor, state)?;
    let summary = ask_prose(floor, state, ObjectedText::Summary, None)?;
    let blog = if outcome == "void" { None } else { ask_prose(floor, state, ObjectedText::Blog, None)? };
    // Who is read first follows from the seed.
    let labels = DebaterLabels::new(floor.opened(), &state.debaters, floor.opened().seed % 2 == 1);
    let roles = report::assessed_roles(&state.debaters, &labels);
    let answer = |text: &Option<PublishedText>| text.as_ref().and_then(|text| text.answer.clone()).map(String::from);
    let key = state.stage_key("assessment");
    let request = Request::new(&key, &common::named_seat("assessor"), "assessment").or_absent();
    let request = labels.add_to(request.with_fact("summary", answer(&summary)).with_fact("blog", answer(&blog)));
    let texts = objections::collect_published(&state.log, [summary, blog].into_iter().flatten().collect());
    let log = state.log.clone();
    let mut shown = texts.clone();
    shown.iter_mut().for_each(|text| text.words = labels.hide_names(&text.words));
    let assessed = ask_and_accept(floor, state, request, |draft| {
        let told = draft.was_told(objections::RULE);
        report::parse_assessment(draft.text, &roles, &log, &shown, told)
            .map(|assessment| (assessment.objections, Vec::new()))
    })?;
    let Some((answer, objections)) = assessed else { return Ok(()) };
    let check = ObjectionCheck { answer: &answer, texts: &texts, log: &log, labels: &labels };
    settle_objections(floor, state, &check, objections)
}

/// The accepted summary or blog post. `again` is the redraft that its author is asked for after objections.
fn ask_prose(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    text: ObjectedText,
    again: Option<Redraft>,
) -> Flow<Option<PublishedText>> {
    let (topic, log, debaters) = (floor.opened().motion.clone(), state.log.clone(), state.debaters.clone());
    let texts = if text == ObjectedText::Blog { collect_barred(state) } else { HiddenPassages::default() };
    let barred = Barred { topic: &topic, names: &debaters.titles(), texts };
    let prompt = word_of(text);
    let key = state.stage_key(&if again.is_some() { format!("{prompt}/objected") } else { prompt.clone() });
    let request = Request::new(key, &common::named_seat("reporter"), &prompt).or_absent();
    let written = ask_and_accept(floor, state, Request { redraft: again, ..request }, |draft| {
        if text == ObjectedText::Blog {
            let blog = report::parse_blog(draft.text, &barred, |rule| draft.was_told(rule))?;
            return Ok((blog.list_texts().join("\n"), report::blog_warnings(&blog, &barred)));
        }
        report::parse_summary(draft.text, &debaters, &log)?;
        Ok((objections::parse_prose(text, draft.text).unwrap_or_default(), Vec::new()))
    })?;
    Ok(written.map(|(key, words)| PublishedText { text, words, answer: Some(key) }))
}

/// Confirms the objections of an assessment, has the reporter write again what both readings object to, and puts what
/// comes of it on the record.
fn settle_objections(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    check: &ObjectionCheck<'_>,
    mut objections: Vec<Objection>,
) -> Flow<()> {
    let meanings = check.confirm_objections(floor, &objections)?;
    objections.iter_mut().for_each(|one| one.quote = check.labels.restore_names(&one.quote));
    let mut again: Vec<PublishedText> = Vec::new();
    for text in check.texts {
        let of = objections.iter().zip(&meanings).filter(|(objection, _)| objection.text == text.text);
        let settled = of.filter(|(_, meaning)| meaning.settled_choice().is_some());
        let faults: Vec<Fault> = settled.map(|(objection, _)| as_fault(objection)).collect();
        if let Some(of) = text.answer.clone().filter(|_| !faults.is_empty()) {
            again.extend(ask_prose(floor, state, text.text, Some(Redraft { of, number: 1, faults }))?);
        }
    }
    let mut ruled: Vec<RuledObjection> = Vec::new();
    for (at, (mut objection, meaning)) in objections.into_iter().zip(meanings).enumerate() {
        let old = check.find_text(&objection);
        let new = again.iter().find(|text| text.text == objection.text);
        let quote = match new {
            // Whether the new words still have what was objected to.
            Some(new) if meaning.settled_choice().is_some() => {
                let Draft { request, check: parse } = check.draft_second_reading(at, "/again", new);
                match floor.ask_until_valid(request, parse)? {
                    Ok(said) if said.value.choice == objection.kind => {
                        Some(check.labels.restore_names(&said.value.quote))
                    }
                    Ok(_) => None,
                    Err(_) => Some(objection.quote.clone()).filter(|quote| objections::is_in(&new.words, quote)),
                }
            }
            // What another objection had written again may no longer have these words.
            Some(new) => Some(objection.quote.clone()).filter(|quote| objections::is_in(&new.words, quote)),
            None => Some(objection.quote.clone()),
        };
        let mut end = ObjectionEnd::Redrafted;
        let mut told = vec![(old.words.as_str(), objection.quote.as_str())];
        if let Some(quote) = &quote {
            end = objections::end_of(&objection, &meaning);
            told.push((&new.unwrap_or(old).words, quote));
        }
        let withheld = objections::list_withheld(objection.kind, end, &told);
        objection.quote = quote.unwrap_or(objection.quote);
        ruled.push(RuledObjection { objection, meaning, end, withheld });
    }
    if ruled.is_empty() {
        return Ok(());
    }
    let conclusion = state.log.find_conclusion().map_or(0, |logged| logged.item.seq);
    let lines: Vec<String> = ruled.iter().map(RuledObjection::describe_result).collect();
    let ruling = ObjectionRuling { conclusion, objections: ruled };
    let key = state.stage_key(objections::KEY);
    floor.rule_by(key, || Ruling::new(RulingKind::Warned, lines.join(" ")).with_data(&ruling))
}

fn as_fault(objection: &Objection) -> Fault {
    let what = match objection.kind {
        ObjectionKind::Struck => "these words tell again what was struck from the debate; leave the matter out",
        ObjectionKind::Leak => "these words tell of the debate; write about the topic alone",
        _ => "these words favour a side; say it neutrally",
    };
    Fault { rule: objections::RULE.into(), at: String::new(), message: format!("{:?}: {what}", objection.quote) }
}

/// What the blog post may not repeat: what was struck, and entries whose source is unreliable.
fn collect_barred(state: &ChairedState) -> HiddenPassages {
    let log = &state.log;
    let mut barred = log.struck_passages().clone();
    for logged in log.0.iter().filter(|logged| logged.struck.is_none()) {
        let ruled = announcements::ruling_text(logged.item.seq, "the source ");
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
    let shortcomings = |opinion: &str| audience::check_opinion(opinion, |seq| log.standing_argument(seq).is_some());
    let check = |draft: Attempt<'_>| {
        let opinion = audience::parse_opinion(draft.text)?;
        let mut leaks = Faults::default();
        report::check_leaks(&opinion, log.struck_passages(), &mut leaks);
        let opinion = leaks.into_result(opinion)?;
        if draft.was_told("L16") { Ok(opinion) } else { shortcomings(&opinion).into_result(opinion) }
    };
    match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let short = shortcomings(&statement.value).0.into_iter();
            let warnings: Vec<String> = short.map(|fault| format!("{}: {fault}", fault.rule)).collect();
            record_warnings(floor, &key, "audience", &warnings)?;
            let item = EntryRuling::from_answer(Phase::System, "audience", Type::AudienceConclusion, &statement.key, 0);
            state.log.record_entry(floor, item, statement.value.to_string(), Vec::new())?;
        }
        Err(lost) => state.record_lost_official(floor, "audience", &key, &lost)?,
    }
    Ok(())
}

/// Accepts what is written about the debate by a ruling that names its answer. The check gives what is warned of. What
/// was asked for again and is lost leaves the first in place.
fn ask_and_accept<T: Clone + Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    state: &mut ChairedState,
    request: Request,
    check: impl Fn(Attempt<'_>) -> Result<(T, Vec<String>), Faults>,
) -> Flow<Option<(Key, T)>> {
    let (key, seat, what) = (request.key.to_string(), request.seat.clone(), request.prompt.clone());
    let is_again = request.redraft.is_some();
    match floor.ask_until_valid(request, check)? {
        Ok(statement) => {
            let conclusion = state.log.find_conclusion().map(|logged| logged.item.seq);
            let ruling = Ruling::new(RulingKind::Noted, format!("{what} accepted"));
            let ruling = ruling.with_data(AcceptedText { key: statement.key.clone(), what, conclusion });
            floor.record_ruling(format!("{key}/accepted"), ruling)?;
            let (value, warnings) = &*statement.value;
            record_warnings(floor, &key, seat.as_str(), warnings)?;
            Ok(Some((statement.key, value.clone())))
        }
        Err(lost) => {
            let mut absent = rule_absent(floor, &seat, seat.as_str(), &key, &lost)?;
            if !is_again {
                // Each of several statements of one seat has its own reason.
                let known = state.absent.iter().find(|known| known.seat == seat);
                let before = known.map(|known| format!("{}; ", known.why)).unwrap_or_default();
                absent.why = format!("{before}no {what}: {}", absent.why);
                state.record_absent(absent);
            }
            Ok(None)
        }
    }
}

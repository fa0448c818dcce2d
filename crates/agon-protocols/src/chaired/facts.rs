//! The facts of the prompts, and the schemas of their answers.

use std::collections::BTreeMap;

use agon_core::{Facts, Request, View, form::FormField};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    announcements, audience, chair, conduct,
    conduct_rules::RULES,
    confirmation,
    debaters::{Debater, DebaterLabels, Debaters, LABELS, WANTED},
    log::{DebateLog, Logged, Phase, Type},
    objections::{self, ObjectedText, PublishedText, published_in},
    observations,
    outcome::{Contest, REVERSED},
    report, statement,
    turn_rules::{self, DebatePart, TurnRules},
    verification::{self, LoggedResult, SourceStatus, SourceToCheck},
};
use crate::common::{
    OPENS_PAGES, claim_reading,
    lineup::{self, Member},
    prompt_facts::{FactSheet, shared_facts, shared_schema},
    request_values::{find_named_answer, find_verified_key, read_fact, read_option},
    verification::{CitedPlace, is_fetched, render_entries, verification_schema},
};

/// An entry of the log as prompts show it.
#[derive(Serialize)]
struct ShownEntry<'l> {
    seq: u64,
    by: String,
    #[serde(rename = "type")]
    kind: String,
    phase: Phase,
    content: String,
    corrected: Option<u64>,
    sources: Vec<Value>,
    rebuts: Option<u64>,
    about: Option<u64>,
    stands: bool,
    unsourced: Option<&'l Vec<String>>,
}

/// Who gave an entry, and in short what it says where that is told.
#[derive(Serialize)]
struct ShownSpeaker<'l> {
    name: &'l str,
    seq: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    gist: Option<String>,
}

/// A member of a line-up as it is proposed, with its place where that is told.
#[derive(Serialize)]
struct ShownMember<'m> {
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<usize>,
    name: &'m str,
    persona: &'m str,
    position: &'m str,
    incentives: &'m str,
}

/// Facts of every prompt: topic, cast and log; and by prompt what it is about.
pub fn prompt_facts(heard: &View<'_>, request: &Request) -> Facts {
    if let Some(facts) = shared_facts(heard, request) {
        return facts;
    }
    let mut facts = FactSheet::new(heard, request);
    if matches!(request.prompt.as_str(), "lineup" | "approval") {
        lineup_facts(heard, request, &mut facts);
        return facts.0;
    }
    let (debaters, log) = (Debaters::in_view(heard), DebateLog::from_view(heard));
    let labels = match request.prompt.as_str() {
        "conclusion" | "assessment" => DebaterLabels::from_request(request),
        _ => DebaterLabels::default(),
    };
    let hide = |text: &mut String| *text = labels.hide_names(text);
    let mut cast = if labels.is_empty() { debaters.prompt_facts() } else { labels.label_debaters(&debaters) };
    if !labels.is_empty() {
        facts.put(LABELS, ());
    } else if request.facts.contains_key(REVERSED) {
        cast.reverse();
    }
    facts.put("cast", cast);
    let statements = log.0.iter().filter(|logged| logged.item.kind.is_argument()).count();
    let shortened = heard.shortened.min(statements as u32);
    facts.put("shortened", shortened);
    let unsourced = turn_rules::find_unsourced(&heard.opened().motion, &log);
    let mut shown = show_log(&log, &debaters, shortened, &unsourced);
    shown.iter_mut().flat_map(|entry| [&mut entry.by, &mut entry.content]).for_each(hide);
    facts.put("log", shown);
    if let Some(debater) = debaters.find_by_seat(&request.seat) {
        debater_facts(heard, request, (debater, &debaters), &log, &mut facts);
    }
    if let Some(drafted) = draft_citations(heard, request) {
        facts.put("entries", render_entries(&drafted));
    }
    if matches!(request.prompt.as_str(), "chair" | "conclusion") {
        let mut rulings = conduct::conduct_facts(&log, &debaters, None);
        rulings.iter_mut().flat_map(|ruling| ruling.by.as_mut().into_iter().chain([&mut ruling.text])).for_each(hide);
        facts.put("rulings", rulings);
    }
    // What the chair or a second reading is asked about.
    let matter: String = read_fact(request, "matter").unwrap_or_default();
    match (request.prompt.as_str(), matter.as_str()) {
        ("", _) if request.facts.contains_key("seqs") => facts.put("entries", entries_to_verify(request, &log)),
        ("questions", _) => facts.put("round", this_round(&log, &debaters, None)),
        ("chair", "questions") => {
            let said = find_named_answer(heard, request, "of");
            let (questions, _) = audience::parse_questions(said.unwrap_or_default(), &debaters);
            let shown = questions.iter().map(|q| json!({"to": debaters.title_of(&q.to), "question": q.question}));
            facts.put("questions", shown.collect::<Vec<_>>());
        }
        ("chair", _) => {
            facts.put("rules", RULES.map(|(number, name)| json!({"number": number, "name": name})));
            facts.put("observations", observations::observe_entries(heard, &log));
            let (ruling, reason) = (chair::RULING_WORDS_MAX, chair::REASON_WORDS_MAX);
            facts.put("words", json!({"ruling": ruling, "reason": reason, "point": chair::POINT_WORDS_MAX}));
        }
        ("conclusion", _) => {
            facts.put("words", json!({"reason": chair::CONCLUSION_WORDS_MAX}));
            facts.put("outcomes", Contest::from_request(&debaters, request).list_outcomes());
            facts.put("blind", !labels.is_empty());
        }
        ("confirm", "objection") => objections::confirm_facts(heard, request, &mut facts),
        ("confirm", _) => confirmation::confirmation_facts(&log, request, &debaters, &mut facts),
        ("opinion" | "summary", _) => facts.put("conclusion", log.find_conclusion().map(Logged::visible_content)),
        ("blog", _) => facts.put("arguments", blog_arguments(heard, &debaters, &log, shortened)),
        ("assessment", _) => {
            facts.put("roles", report::assessed_roles(&debaters, &labels));
            let texts = objected_texts(heard, &log, request);
            facts.put("texts", texts.iter().map(|text| text.text).collect::<Vec<_>>());
            facts.put("struck", objections::list_struck_entries(&log, &labels));
            for name in ["summary", "blog"] {
                let said = find_named_answer(heard, request, name);
                facts.put(name, said.map(|said| labels.hide_names(said)));
            }
        }
        _ => {}
    }
    facts.0
}

/// The texts that an assessment is about.
fn objected_texts(heard: &View<'_>, log: &DebateLog, request: &Request) -> Vec<PublishedText> {
    let of = |name: &str| read_fact(request, name);
    published_in(heard, log, [(ObjectedText::Summary, of("summary")), (ObjectedText::Blog, of("blog"))])
}

/// The schema of what a prompt asks for; none for free words of the host.
pub fn answer_schema(heard: &View<'_>, request: &Request) -> Option<FormField> {
    if let Some(schema) = shared_schema(heard, request) {
        return Some(schema);
    }
    if request.prompt == "lineup" {
        return Some(lineup::proposal_schema(WANTED, request, []));
    }
    if let Some(drafted) = draft_citations(heard, request) {
        return Some(verification_schema(&drafted));
    }
    let (debaters, log) = (Debaters::in_view(heard), DebateLog::from_view(heard));
    let matter: String = read_fact(request, "matter").unwrap_or_default();
    let form = match (request.prompt.as_str(), matter.as_str()) {
        ("opening" | "turn" | "closing", _) => {
            let debater = debaters.find_by_seat(&request.seat)?;
            let part = debate_part(request)?;
            TurnRules { log: &log, speaker: &debater.name, part }.statement_form()
        }
        ("", _) if request.seat.as_str() == "verifier" => {
            verification::findings_form(&read_fact::<Vec<_>>(request, "sources").unwrap_or_default())
        }
        ("questions", _) => audience::questions_form(&debaters.titles()),
        ("chair", "clarification") => chair::clarification_form(),
        ("chair", "questions") => chair::relay_form(read_fact(request, "count").unwrap_or(0)),
        ("chair", "review" | "ending") => chair::review_form(&log, matter == "ending"),
        ("chair", _) => chair::unresolved_form(&log),
        ("confirm", "objection") => objections::confirm_form(read_fact(request, "choices").unwrap_or_default()),
        ("confirm", _) => confirmation::request_form(request)?,
        ("conclusion", _) => Contest::from_request(&debaters, request).conclusion_form(&log),
        ("opinion", _) => audience::opinion_form(),
        ("summary", _) => report::summary_form(&debaters, &log),
        ("blog", _) => report::blog_form(),
        ("assessment", _) => {
            let texts = objected_texts(heard, &log, request);
            report::assessment_form(
                &report::assessed_roles(&debaters, &DebaterLabels::from_request(request)),
                &log,
                &texts,
            )
        }
        _ => return None,
    };
    Some(form.to_schema())
}

/// In which part of the debate a debater is asked.
fn debate_part(request: &Request) -> Option<DebatePart> {
    match request.prompt.as_str() {
        "opening" => Some(DebatePart::Opening),
        "turn" => Some(DebatePart::Round(!is_resumed(request))),
        "closing" => Some(DebatePart::Closing),
        _ => None,
    }
}

/// Whether a turn continues that was interrupted by a request to the chair.
fn is_resumed(request: &Request) -> bool {
    read_fact(request, "resumed") == Some(true)
}

/// What a draft cites that is to be looked up before it is logged; `None` for other requests.
fn draft_citations(heard: &View<'_>, request: &Request) -> Option<Vec<CitedPlace>> {
    let key = find_verified_key(request).filter(|_| request.prompt.is_empty())?;
    let cited = || {
        let (debaters, log) = (Debaters::in_view(heard), DebateLog::from_view(heard));
        let speaker = heard.find_request(&key).and_then(|asked| debaters.find_by_seat(&asked.seat))?;
        let said = statement::parse_statement(heard.answer_text(&key)?).ok()?;
        Some(turn_rules::list_cited_places(&said, &log, &speaker.name))
    };
    Some(cited().unwrap_or_default())
}

/// What the opener said, what the chair proposed so far, and what the host said to it.
fn lineup_facts(heard: &View<'_>, request: &Request, facts: &mut FactSheet) {
    let given = lineup::list_row_members(heard.opened(), WANTED.row);
    let is_said = |member: &Member| !member.name.is_empty() || !member.persona.is_empty() || !member.details.is_empty();
    let said = given.iter().enumerate().filter(|(_, member)| is_said(member));
    facts.put("given", said.map(|(at, member)| show_member(Some(at + 1), member)).collect::<Vec<_>>());
    if request.prompt == "lineup" {
        facts.put("filled", lineup::prefill_lineup(&given));
    }
    facts.put("wishes", request.facts.get("wishes"));
    let proposal = if request.prompt == "approval" { "members" } else { "proposal" };
    let proposal: Vec<Member> = read_fact(request, proposal).unwrap_or_default();
    facts.put("proposal", proposal.iter().map(|member| show_member(None, member)).collect::<Vec<_>>());
}

fn show_member(place: Option<usize>, member: &Member) -> ShownMember<'_> {
    let (position, incentives) = (member.detail("starting_position"), member.detail("incentives"));
    ShownMember { place, name: &member.name, persona: &member.persona, position, incentives }
}

/// Who it is, and the cue of its turn.
fn debater_facts(
    heard: &View<'_>,
    request: &Request,
    (debater, debaters): (&Debater, &Debaters),
    log: &DebateLog,
    facts: &mut FactSheet,
) {
    facts.put("name", &debater.title);
    facts.put("persona", &debater.persona);
    facts.put("position", &debater.position);
    facts.put("incentives", &debater.incentives);
    facts.put("verify", is_fetched(heard.opened()));
    facts.put("reader", claim_reading::is_wanted(heard.opened()));
    let able: Vec<String> = read_option(heard.opened(), OPENS_PAGES).unwrap_or_default();
    facts.put("opens_pages", able.iter().any(|seat| seat == debater.seat.as_str()));
    facts.put("rulings", conduct::conduct_facts(log, debaters, Some(&debater.name)));
    facts.put("round", this_round(log, debaters, Some(&debater.name)));
    let show = |logged: &Logged| {
        let by = debaters.title_of(&logged.item.speaker);
        json!({"seq": logged.item.seq, "by": by, "gist": logged.gist(), "content": logged.visible_content()})
    };
    let (own, opposing): (Vec<&Logged>, Vec<&Logged>) =
        log.standing_arguments().partition(|logged| logged.item.speaker == debater.name);
    facts.put("own", own.into_iter().map(show).collect::<Vec<_>>());
    facts.put("opposing", opposing.into_iter().map(show).collect::<Vec<_>>());
    let mut frameworks = log.frameworks_for(&debater.name);
    frameworks.iter_mut().for_each(|framework| framework.by = debaters.title_of(&framework.by).to_owned());
    facts.put("frameworks", frameworks);
    let last = log.last_of(&debater.name);
    let questions = log.0.iter().filter(|l| l.item.to.as_deref() == Some(debater.name.as_str()));
    let questions = questions.filter(|l| last.is_none_or(|last| l.item.seq > last));
    // Who is asked need not be told whom it is for.
    let address = format!("To {}: ", debater.name);
    let asked = questions.map(|l| {
        let question = l.visible_content();
        let words = question.strip_prefix(&address).unwrap_or(&question).to_owned();
        json!({"seq": l.item.seq, "question": question, "words": words})
    });
    facts.put("questions", asked.collect::<Vec<_>>());
    facts.put("issues", source_issues(heard, debater, log));
    facts.put("resumed", is_resumed(request));
    if let Some((least, most)) = debate_part(request).map(DebatePart::word_bounds) {
        facts.put("words", json!({"least": least, "most": most}));
    }
    facts.put("openers", list_speakers(log, debaters, Type::OpeningStatement, 0));
    let review = announcements::find_review(log).map_or(log.next(), |logged| logged.item.seq);
    facts.put("closers", list_speakers(log, debaters, Type::ClosingStatement, review + 1));
    facts.put("unresolved", list_unresolved(log));
}

/// What the verifier said of its sources: what is unreliable, and notes on its latest entries.
fn source_issues(heard: &View<'_>, debater: &Debater, log: &DebateLog) -> Vec<impl Serialize> {
    let own = |seq: u64| log.entry_at(seq).is_some_and(|l| l.item.speaker == debater.name && l.struck.is_none());
    let last = log.last_of(&debater.name).unwrap_or(0);
    let found = verification::collect_standing_findings(heard, log);
    // What was looked at again counts once, and what was corrected no more.
    let standing = verification::latest_findings(&found).into_iter().filter(|finding| {
        let noted = finding.status != SourceStatus::Verified && !finding.explanation.is_empty() && finding.seq == last;
        let is_corrected = || log.find_corrections(finding.seq).iter().any(|(_, old)| *old == finding.url);
        own(finding.seq) && ((finding.status == SourceStatus::Unreliable && !is_corrected()) || noted)
    });
    standing.map(|f| json!({"seq": f.seq, "url": f.url, "status": f.status, "why": f.explanation})).collect()
}

/// What the part of the program that opens pages looks at: the entries, each with what it cites.
fn entries_to_verify(request: &Request, log: &DebateLog) -> Vec<impl Serialize> {
    let seqs: Vec<u64> = read_fact(request, "seqs").unwrap_or_default();
    let cited: Vec<SourceToCheck> = read_fact(request, "sources").unwrap_or_default();
    let entries = seqs.iter().filter_map(|seq| log.entry_at(*seq)).map(|logged| {
        let own = cited.iter().filter(|cited| cited.seq == logged.item.seq);
        let sources: Vec<_> = own.map(|cited| json!({"url": cited.url, "quote": cited.quote})).collect();
        json!({"seq": logged.item.seq, "content": logged.visible_content(), "sources": sources})
    });
    entries.collect()
}

/// The log as prompts show it; of the first `shortened` arguments the gist alone.
fn show_log<'l>(
    log: &'l DebateLog,
    debaters: &Debaters,
    shortened: u32,
    unsourced: &'l BTreeMap<u64, Vec<String>>,
) -> Vec<ShownEntry<'l>> {
    let mut left = shortened;
    let show = |logged: &'l Logged| {
        let item = &logged.item;
        let short = item.kind.is_argument() && left > 0;
        left -= u32::from(short);
        let sources = logged.visible_sources().iter().filter(|_| !short);
        let sources =
            sources.map(|s| json!({"title": s.title, "url": s.source, "quote": s.quote, "calculation": s.calculation}));
        ShownEntry {
            seq: item.seq,
            by: debaters.title_of(&item.speaker).to_owned(),
            kind: item.type_name().replace('_', " "),
            phase: item.phase,
            content: if short { logged.gist() } else { logged.visible_content() },
            corrected: log.find_corrections(item.seq).first().map(|(seq, _)| *seq),
            sources: sources.collect(),
            rebuts: item.rebuttal_to_seq,
            about: item.target_seq,
            stands: logged.is_standing_argument(),
            unsourced: unsourced.get(&item.seq).filter(|_| !short),
        }
    };
    // The chair relays every finding; what was verified needs no entry of its own besides that.
    log.0.iter().filter(|logged| !is_plain_finding(logged)).map(show).collect()
}

/// Whether an entry is the verifier's and finds nothing wrong.
fn is_plain_finding(logged: &Logged) -> bool {
    let is_plain = |found: LoggedResult| found.status.as_deref() == Some(SourceStatus::Verified.name());
    logged.item.kind == Type::VerificationResult && LoggedResult::parse(&logged.visible_content()).is_some_and(is_plain)
}

/// Entries of this round in a sentence each; without those of `except`.
fn this_round<'l>(log: &'l DebateLog, debaters: &'l Debaters, except: Option<&str>) -> Vec<ShownSpeaker<'l>> {
    let is_start = |logged: &Logged| logged.item.kind == Type::Announcement && logged.item.phase == Phase::Rebuttal;
    let start = log.0.iter().rposition(is_start).map_or(log.0.len(), |at| at + 1);
    let said = log.0[start..].iter().filter(|l| l.is_standing_argument() && Some(l.item.speaker.as_str()) != except);
    said.map(|l| ShownSpeaker { gist: Some(l.gist()), ..show_speaker(l, debaters) }).collect()
}

fn show_speaker<'l>(logged: &'l Logged, debaters: &'l Debaters) -> ShownSpeaker<'l> {
    ShownSpeaker { name: debaters.title_of(&logged.item.speaker), seq: logged.item.seq, gist: None }
}

/// Who gave entries of this kind, from the entry `first` on.
fn list_speakers<'l>(log: &'l DebateLog, debaters: &'l Debaters, kind: Type, first: u64) -> Vec<ShownSpeaker<'l>> {
    let spoke = log.0.iter().filter(|logged| logged.item.kind == kind && logged.item.seq >= first);
    spoke.map(|logged| show_speaker(logged, debaters)).collect()
}

fn list_unresolved(log: &DebateLog) -> Vec<String> {
    let text = announcements::find_review(log).map(Logged::visible_content).unwrap_or_default();
    let numbered = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    numbered.map(str::to_owned).collect()
}

/// Arguments for the blog post: without names, and without those whose source is unreliable.
fn blog_arguments(heard: &View<'_>, debaters: &Debaters, log: &DebateLog, shortened: u32) -> Vec<impl Serialize> {
    let found = verification::collect_standing_findings(heard, log).into_iter();
    let unreliable = found.filter(|finding| finding.status == SourceStatus::Unreliable);
    let unreliable: Vec<u64> = unreliable.map(|finding| finding.seq).collect();
    let usable = log.standing_arguments().filter(|logged| !unreliable.contains(&logged.item.seq));
    let show = |(i, logged): (usize, &Logged)| {
        let position = debaters.find_by_name(&logged.item.speaker).map(|debater| debater.position.clone());
        let short = i < shortened as usize;
        json!({"position": position, "content": if short { logged.gist() } else { logged.visible_content() }})
    };
    usable.enumerate().map(show).collect()
}

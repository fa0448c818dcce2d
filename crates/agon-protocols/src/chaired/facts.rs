//! The facts of the prompts, and the schemas of their answers.

use std::collections::BTreeMap;

use agon_core::{Facts, Key, Request, View};
use serde_json::{Value, json};

use super::{
    announce, audience, chair, conclusion, conduct, confirmation,
    debater_labels::DebaterLabels,
    debaters::{Debater, Debaters, WANTED},
    log::{DebateLog, Logged, Type},
    objections, observations, opinion,
    outcome::{Contest, Contestant},
    published::{ObjectedText, PublishedText, published_in},
    quoted_figures, report,
    rule::RULES,
    statement,
    turn::{self, DebatePart, TurnRules},
    verification::{self, SourceStatus, SourceToCheck},
};
use crate::common::{self, claim_reading, lineup};

/// Option that names the seats whose participants can open pages: nobody else is told to look something up.
pub const OPENS_PAGES: &str = "opens_pages";

/// Facts of every prompt: topic, cast and log; and by prompt what it is about.
pub fn prompt_facts(heard: &View<'_>, request: &Request) -> Facts {
    if request.prompt == claim_reading::PROMPT.0 {
        return claim_reading::reader_facts(heard, request);
    }
    if request.prompt == lineup::CONSENT.0 {
        return lineup::consent_facts(heard, request);
    }
    let mut facts = request.facts.clone();
    let mut put = |name: &str, value: Value| drop(facts.insert(name.to_owned(), value));
    put("motion", json!(heard.opened().motion));
    if matches!(request.prompt.as_str(), "lineup" | "approval") {
        lineup_facts(heard, request, &mut put);
        return facts;
    }
    let (debaters, log) = (Debaters::in_view(heard), DebateLog::of(heard));
    put("cast", json!(debaters.prompt_facts()));
    let statements = log.0.iter().filter(|logged| logged.item.kind.is_argument()).count();
    let shortened = heard.shortened.min(statements as u32);
    put("shortened", shortened.into());
    let unsourced = quoted_figures::find_unsourced(&heard.opened().motion, &log);
    put("log", log_facts(&log, shortened, &unsourced));
    if let Some(debater) = debaters.find_by_seat(&request.seat) {
        debater_facts(heard, debater, &log, &mut put);
        put("resumed", json!(request.facts.get("resumed") == Some(&true.into())));
        if let Some((least, most)) = debate_part(request).map(DebatePart::word_bounds) {
            put("words", json!({"least": least, "most": most}));
        }
        put("openers", json!(list_speakers(&log, Type::OpeningStatement)));
        put("closers", json!(list_closers(&log)));
        put("unresolved", json!(list_unresolved(&log)));
    }
    if let Some(drafted) = draft_citations(heard, request) {
        put("entries", common::verification::render_entries(&drafted));
    }
    match request.prompt.as_str() {
        "" if request.facts.contains_key("seqs") => verification_facts(request, &log, &mut put),
        "questions" => put("round", json!(this_round(&log, None))),
        "chair" if request.facts["matter"] == "questions" => {
            let said = request.facts["of"].as_str().and_then(|key| heard.answer_text(&Key::of(key)));
            let (questions, _) = audience::parse_questions(said.unwrap_or_default(), &debaters);
            let shown = questions.iter().map(|q| json!({"to": q.to, "question": q.question}));
            put("questions", shown.collect());
        }
        "chair" => {
            let rules = RULES.map(|(number, name)| json!({"number": number, "name": name}));
            put("rules", json!(rules));
            put("rulings", json!(conduct::conduct_facts(&log, None)));
            put("observations", json!(observations::observation_facts(heard, &log)));
            put(
                "words",
                json!({
                    "ruling": chair::RULING_WORDS_MAX, "reason": chair::REASON_WORDS_MAX, "point": chair::POINT_WORDS_MAX,
                }),
            );
        }
        "conclusion" => {
            put("words", json!({"reason": chair::CONCLUSION_WORDS_MAX}));
            put("rulings", json!(conduct::conduct_facts(&log, None)));
            put("outcomes", json!(request_contest(&debaters, request).list_outcomes()));
            if request.facts.contains_key(conclusion::REVERSED) {
                put("cast", debaters.prompt_facts().into_iter().rev().collect());
            }
            put("blind", json!(DebaterLabels::of(request).is_some()));
            if let Some(labels) = DebaterLabels::of(request) {
                put("labels", Value::Null);
                put("cast", json!(labels.label_debaters(&debaters)));
                put("rulings", labels.label_rulings(conduct::conduct_facts(&log, None)));
                put("log", labels.label_log(log_facts(&log, shortened, &unsourced)));
            }
        }
        "confirm" if request.facts["matter"] == "objection" => {
            objections::confirm_facts(heard, request, &mut put);
        }
        "confirm" => confirmation::confirmation_facts(heard, request, &mut put),
        "opinion" | "summary" => put("conclusion", json!(log.find_conclusion().map(Logged::visible_content))),
        "blog" => put("arguments", blog_arguments(heard, &debaters, &log, shortened)),
        "assessment" => {
            put("roles", json!(request_roles(&debaters, request)));
            let texts: Vec<&str> = objected_texts(heard, &log, request).iter().map(|text| text.text.name()).collect();
            put("texts", json!(texts));
            let labels = DebaterLabels::of(request);
            put("struck", objections::list_struck_entries(&log, labels.as_ref()));
            for name in ["summary", "blog"] {
                let said = request.facts[name].as_str().and_then(|key| heard.answer_text(&Key::of(key)));
                put(name, json!(said.map(|said| objections::hide_names(labels.as_ref(), said))));
            }
            if let Some(labels) = labels {
                put("labels", Value::Null);
                put("cast", json!(labels.label_debaters(&debaters)));
                put("log", labels.label_log(log_facts(&log, shortened, &unsourced)));
            }
        }
        _ => {}
    }
    for value in facts.values_mut() {
        name_debaters(value, &debaters);
    }
    facts
}

/// The texts that an assessment is about.
fn objected_texts(heard: &View<'_>, log: &DebateLog, request: &Request) -> Vec<PublishedText> {
    let of = |name: &str| request.facts.get(name);
    let written = [(ObjectedText::Summary, of("summary")), (ObjectedText::Blog, of("blog"))];
    published_in(heard, log, &written)
}

/// Gives debaters their written names where `value` says by whom something is.
fn name_debaters(value: &mut Value, debaters: &Debaters) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| name_debaters(item, debaters)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(said) if ["by", "name", "to"].contains(&name.as_str()) => {
                        *said = debaters.title_of(said).to_owned();
                    }
                    _ => name_debaters(field, debaters),
                }
            }
        }
        _ => {}
    }
}

/// The schema of what a prompt asks for; none for free words of the host.
pub fn answer_schema(heard: &View<'_>, request: &Request) -> Option<Value> {
    if request.prompt == claim_reading::PROMPT.0 {
        return Some(claim_reading::reader_schema(heard, request));
    }
    if request.prompt == lineup::CONSENT.0 {
        return Some(lineup::consent_schema(request));
    }
    if request.prompt == "lineup" {
        return Some(lineup::proposal_schema(WANTED, request));
    }
    if let Some(drafted) = draft_citations(heard, request) {
        return Some(common::verification::verification_schema(&drafted));
    }
    let (debaters, log) = (Debaters::in_view(heard), DebateLog::of(heard));
    let turn = |part: DebatePart| {
        let debater = debaters.find_by_seat(&request.seat)?;
        Some(TurnRules { log: &log, speaker: &debater.name, part }.statement_schema())
    };
    match request.prompt.as_str() {
        "opening" | "turn" | "closing" => turn(debate_part(request)?),
        "" if request.seat.as_str() == "verifier" => Some(verification::findings_schema(&request_sources(request))),
        "questions" => Some(audience::questions_schema(&debaters.titles())),
        "chair" => match request.facts["matter"].as_str().unwrap_or_default() {
            "clarification" => Some(chair::clarification_form().json_schema()),
            "questions" => {
                let count = request.facts["count"].as_u64().unwrap_or(0) as usize;
                Some(chair::relay_form(count).json_schema())
            }
            matter @ ("review" | "ending") => Some(chair::review_form(&log, matter == "ending").json_schema()),
            _ => Some(chair::unresolved_form(&log).json_schema()),
        },
        "confirm" if request.facts["matter"] == "objection" => Some(objections::confirm_schema(request)),
        "confirm" => confirmation::confirmation_schema(request),
        "conclusion" => Some(request_contest(&debaters, request).conclusion_form(&log).json_schema()),
        "opinion" => Some(opinion::opinion_schema()),
        "summary" => Some(report::summary_schema(&debaters, &log)),
        "blog" => Some(report::blog_schema()),
        "assessment" => {
            let texts = objected_texts(heard, &log, request);
            Some(report::assessment_schema(&request_roles(&debaters, request), &log, &texts))
        }
        _ => None,
    }
}

/// In which part of the debate a debater is asked.
fn debate_part(request: &Request) -> Option<DebatePart> {
    match request.prompt.as_str() {
        "opening" => Some(DebatePart::Opening),
        "turn" => Some(DebatePart::Round(request.facts.get("resumed") != Some(&true.into()))),
        "closing" => Some(DebatePart::Closing),
        _ => None,
    }
}

/// What a draft cites that is to be looked up before it is logged; `None` for other requests.
fn draft_citations(heard: &View<'_>, request: &Request) -> Option<Vec<common::verification::CitedPlace>> {
    if request.seat.as_str() != "verifier" || !request.prompt.is_empty() {
        return None;
    }
    let key = Key::of(request.facts.get("of")?.as_str()?);
    let cited = || {
        let (debaters, log) = (Debaters::in_view(heard), DebateLog::of(heard));
        let speaker = heard.find_request(&key).and_then(|asked| debaters.find_by_seat(&asked.seat))?;
        let said = statement::parse_statement(heard.answer_text(&key)?).ok()?;
        Some(turn::list_cited_places(&said, &log, &speaker.name))
    };
    Some(cited().unwrap_or_default())
}

fn request_contest(debaters: &Debaters, request: &Request) -> Contest {
    let eligible: Vec<String> = serde_json::from_value(request.facts["eligible"].clone()).unwrap_or_default();
    let mut all: Vec<Contestant> =
        debaters.0.iter().map(|debater| Contestant::of(debater, eligible.contains(&debater.name))).collect();
    if request.facts.contains_key(conclusion::REVERSED) {
        all.reverse();
    }
    let contest = Contest(all);
    DebaterLabels::of(request).map_or_else(|| contest.clone(), |labels| labels.label_contest(&contest))
}

fn request_roles(debaters: &Debaters, request: &Request) -> Vec<String> {
    let titles = || debaters.titles().into_iter().map(str::to_owned).collect();
    report::assessed_roles(DebaterLabels::of(request).map_or_else(titles, |labels| labels.list_labels()))
}

fn request_sources(request: &Request) -> Vec<SourceToCheck> {
    request.facts.get("sources").and_then(|sources| serde_json::from_value(sources.clone()).ok()).unwrap_or_default()
}

/// What the opener said, what the chair proposed so far, and what the host said to it.
fn lineup_facts(heard: &View<'_>, request: &Request, put: &mut dyn FnMut(&str, Value)) {
    let given = lineup::list_row_members(heard.opened(), WANTED.row);
    let said = given
        .iter()
        .enumerate()
        .filter(|(_, member)| !member.name.is_empty() || !member.persona.is_empty() || !member.details.is_empty());
    let said = said.map(|(i, member)| {
        json!({
            "place": i + 1, "name": member.name, "persona": member.persona,
            "position": member.detail("starting_position"), "incentives": member.detail("incentives"),
        })
    });
    put("given", said.collect());
    if request.prompt == "lineup" {
        put("filled", lineup::prefill_lineup(&given));
    }
    put("wishes", request.facts.get("wishes").cloned().unwrap_or(Value::Null));
    let proposal = request.facts.get(if request.prompt == "approval" { "members" } else { "proposal" });
    let member = |member: &Value| {
        let detail = |name: &str| member["details"][name].clone();
        json!({
            "name": member["name"], "persona": member["persona"],
            "position": detail("starting_position"), "incentives": detail("incentives"),
        })
    };
    put("proposal", proposal.and_then(Value::as_array).into_iter().flatten().map(member).collect());
}

/// Who it is, and the cue of its turn.
fn debater_facts(heard: &View<'_>, debater: &Debater, log: &DebateLog, put: &mut dyn FnMut(&str, Value)) {
    put("name", json!(debater.title));
    put("persona", json!(debater.persona));
    put("position", json!(debater.position));
    put("incentives", json!(debater.incentives));
    put("verify", json!(common::verification::is_fetched(heard.opened())));
    put("reader", json!(claim_reading::is_wanted(heard.opened())));
    let able = heard.opened().options.get(OPENS_PAGES).and_then(Value::as_array);
    let opens = able.is_some_and(|seats| seats.iter().any(|seat| seat == debater.seat.as_str()));
    put("opens_pages", opens.into());
    put("rulings", json!(conduct::conduct_facts(log, Some(&debater.name))));
    put("round", json!(this_round(log, Some(&debater.name))));
    let (own, opposing): (Vec<&Logged>, Vec<&Logged>) =
        log.standing_arguments().partition(|logged| logged.item.speaker == debater.name);
    put("own", own.into_iter().map(argument_facts).collect());
    put("opposing", opposing.into_iter().map(argument_facts).collect());
    let last = log.last_of(&debater.name);
    let frameworks = log.frameworks_for(&debater.name).into_iter();
    let frameworks = frameworks.map(|f| json!({"name": f.name, "about": f.about, "by": f.by, "seq": f.seq}));
    put("frameworks", frameworks.collect());
    let questions = log.0.iter().filter(|l| l.item.to.as_deref() == Some(debater.name.as_str()));
    let questions = questions.filter(|l| last.is_none_or(|last| l.item.seq > last));
    // Who is asked need not be told whom it is for.
    let address = format!("To {}: ", debater.name);
    let asked = questions.map(|l| {
        let question = l.visible_content();
        let words = question.strip_prefix(&address).unwrap_or(&question).to_owned();
        json!({"seq": l.item.seq, "question": question, "words": words})
    });
    put("questions", asked.collect());
    put("issues", json!(source_issues(heard, debater, log)));
}

/// Everything that was found about sources so far, as it stands.
fn collect_findings(heard: &View<'_>, log: &DebateLog) -> Vec<verification::SourceFinding> {
    let found = verification::collect_findings(heard).into_iter().flat_map(|all| all.findings);
    found.map(|finding| finding.apply_lifting(log)).collect()
}

/// What the verifier said of its sources: what is unreliable, and notes on its latest entries.
fn source_issues(heard: &View<'_>, debater: &Debater, log: &DebateLog) -> Vec<Value> {
    let own = |seq: u64| log.entry_at(seq).is_some_and(|l| l.item.speaker == debater.name && l.struck.is_none());
    let last = log.last_of(&debater.name).unwrap_or(0);
    let found = collect_findings(heard, log);
    // What was looked at again counts once, and what was corrected no more.
    let standing = verification::latest_findings(&found).into_iter().filter(|finding| {
        let noted = finding.status != SourceStatus::Verified && !finding.explanation.is_empty() && finding.seq == last;
        let is_corrected = || log.find_corrections(finding.seq).iter().any(|(_, old)| *old == finding.url);
        let is_faulty = finding.status == SourceStatus::Unreliable && !is_corrected();
        own(finding.seq) && (is_faulty || noted)
    });
    let shown = |f: &verification::SourceFinding| json!({"seq": f.seq, "url": f.url, "status": f.status.name(), "why": f.explanation});
    standing.map(shown).collect()
}

/// What the part of the program that opens pages looks at: the entries, each with what it cites.
fn verification_facts(request: &Request, log: &DebateLog, put: &mut dyn FnMut(&str, Value)) {
    let seqs: Vec<u64> = serde_json::from_value(request.facts["seqs"].clone()).unwrap_or_default();
    let cited = request_sources(request);
    let entries = seqs.iter().filter_map(|seq| log.entry_at(*seq)).map(|logged| {
        let own = cited.iter().filter(|cited| cited.seq == logged.item.seq);
        let sources: Vec<Value> = own.map(|cited| json!({"url": cited.url, "quote": cited.quote})).collect();
        json!({"seq": logged.item.seq, "content": logged.visible_content(), "sources": sources})
    });
    put("entries", entries.collect());
}

/// The log as prompts show it; of the first `shortened` arguments the gist alone.
fn log_facts(log: &DebateLog, shortened: u32, unsourced: &BTreeMap<u64, Vec<String>>) -> Value {
    let mut left = shortened;
    let show = |logged: &Logged| {
        let short = logged.item.kind.is_argument() && left > 0;
        left -= u32::from(short);
        entry_facts(log, logged, short, unsourced.get(&logged.item.seq))
    };
    // The chair relays every finding; what was verified needs no entry of its own besides that.
    log.0.iter().filter(|logged| !is_plain_finding(logged)).map(show).collect()
}

/// Whether an entry is the verifier's and finds nothing wrong.
fn is_plain_finding(logged: &Logged) -> bool {
    let is_finding = logged.item.kind == Type::VerificationResult;
    is_finding
        && serde_json::from_str::<Value>(&logged.visible_content()).is_ok_and(|found| found["status"] == "verified")
}

fn entry_facts(log: &DebateLog, logged: &Logged, short: bool, unsourced: Option<&Vec<String>>) -> Value {
    let item = &logged.item;
    let sources = logged
        .visible_sources()
        .iter()
        .map(|s| json!({"title": s.title, "url": s.source, "quote": s.quote, "calculation": s.calculation}));
    let sources: Vec<Value> = if short { Vec::new() } else { sources.collect() };
    json!({
        "seq": item.seq, "by": item.speaker, "type": item.type_name().replace('_', " "),
        "phase": item.phase.name(), "content": if short { logged.gist() } else { logged.visible_content() },
        "corrected": log.find_corrections(item.seq).first().map(|(seq, _)| seq),
        "sources": sources, "rebuts": item.rebuttal_to_seq, "about": item.target_seq, "stands": logged.is_standing_argument(),
        "unsourced": unsourced.filter(|_| !short),
    })
}

/// Entries of this round in a sentence each; without those of `except`.
fn this_round(log: &DebateLog, except: Option<&str>) -> Vec<Value> {
    let is_start =
        |logged: &Logged| logged.item.kind == Type::Announcement && logged.item.phase == super::log::Phase::Rebuttal;
    let start = log.0.iter().rposition(is_start).map_or(log.0.len(), |at| at + 1);
    let said = log.0[start..].iter().filter(|l| l.is_standing_argument() && Some(l.item.speaker.as_str()) != except);
    said.map(|l| json!({"name": l.item.speaker, "seq": l.item.seq, "gist": l.gist()})).collect()
}

/// A standing argument, with its first sentence.
fn argument_facts(logged: &Logged) -> Value {
    json!({"seq": logged.item.seq, "by": logged.item.speaker, "gist": logged.gist(), "content": logged.visible_content()})
}

fn list_speakers(log: &DebateLog, kind: Type) -> Vec<Value> {
    let spoke = log.0.iter().filter(|logged| logged.item.kind == kind);
    spoke.map(|logged| json!({"name": logged.item.speaker, "seq": logged.item.seq})).collect()
}

fn list_closers(log: &DebateLog) -> Vec<Value> {
    let after = announce::find_review(log).map_or(log.next(), |at| at as u64);
    let all = list_speakers(log, Type::ClosingStatement).into_iter();
    all.filter(|closer| closer["seq"].as_u64().is_some_and(|seq| seq > after)).collect()
}

fn list_unresolved(log: &DebateLog) -> Vec<String> {
    let text = announce::find_review(log).and_then(|at| log.0.get(at)).map(Logged::visible_content).unwrap_or_default();
    let numbered = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    numbered.map(str::to_owned).collect()
}

/// Arguments for the blog post: without names, and without those whose source is unreliable.
fn blog_arguments(heard: &View<'_>, debaters: &Debaters, log: &DebateLog, shortened: u32) -> Value {
    let found = collect_findings(heard, log).into_iter();
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

//! The facts of the prompts, and the schemas of their answers.

use agon_core::{Facts, Key, Request, View};
use serde_json::{Value, json};

use super::{
    audience,
    chair::{self, Contest},
    conduct,
    debater_labels::DebaterLabels,
    debaters::{Debater, Debaters, WANTED},
    log::{DebateLog, Logged, Type},
    opinion, report,
    rule::RULES,
    statement,
    turn::{self, DebatePart, TurnRules},
    verification::{self, SourceStatus, SourceToCheck, VerifyMode},
};
use crate::common::{self, claim_reading, lineup};

/// Option that names the seats whose participants can open pages: nobody else is told to look something up.
pub const OPENS_PAGES: &str = "opens_pages";

/// Facts of every prompt: topic, cast and log; and by prompt what it is about.
pub fn facts(heard: &View<'_>, request: &Request) -> Facts {
    if request.prompt == claim_reading::PROMPT.0 {
        return claim_reading::facts(heard, request);
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
    put("cast", json!(debaters.shown()));
    let statements = log.0.iter().filter(|logged| logged.item.kind.is_argument()).count();
    let shortened = heard.shortened.min(statements as u32);
    put("shortened", shortened.into());
    put("log", shown(&log, shortened));
    if let Some(debater) = debaters.at(&request.seat) {
        debater_facts(heard, debater, &log, &mut put);
        put("resumed", json!(request.facts.get("resumed") == Some(&true.into())));
        if let Some((least, most)) = part(request).map(DebatePart::words) {
            put("words", json!({"least": least, "most": most}));
        }
        put("openers", json!(speakers(&log, Type::OpeningStatement)));
        put("closers", json!(closers(&log)));
        put("unresolved", json!(unresolved(&log)));
    }
    if let Some(drafted) = drafted(heard, request) {
        put("entries", common::verification::entries(&drafted));
    }
    match request.prompt.as_str() {
        "verification" => verification_facts(heard, request, &log, &mut put),
        "questions" => put("round", json!(this_round(&log, None))),
        "chair" if request.facts["matter"] == "questions" => {
            let said = request.facts["of"].as_str().and_then(|key| heard.said(&Key::of(key)));
            let (questions, _) = audience::questions(said.unwrap_or_default(), &debaters.names());
            let shown = questions.iter().map(|q| json!({"to": q.to, "question": q.question}));
            put("questions", shown.collect());
        }
        "chair" => {
            let rules = RULES.map(|(number, name)| json!({"number": number, "name": name}));
            put("rules", json!(rules));
            put("rulings", json!(conduct::shown(&log, None)));
            put("suspicions", json!(conduct::suspicions(&log, &found(heard))));
            put(
                "words",
                json!({
                    "ruling": chair::RULING_WORDS_MAX, "reason": chair::REASON_WORDS_MAX, "point": chair::POINT_WORDS_MAX,
                }),
            );
        }
        "conclusion" => {
            put("words", json!({"reason": chair::CONCLUSION_WORDS_MAX}));
            put("rulings", json!(conduct::shown(&log, None)));
            put("outcomes", json!(contest(&debaters, request).outcomes()));
            put("blind", json!(DebaterLabels::of(request).is_some()));
            if let Some(labels) = DebaterLabels::of(request) {
                put("labels", Value::Null);
                put("cast", json!(labels.debaters(&debaters)));
                put("rulings", labels.rulings(conduct::shown(&log, None)));
                put("log", labels.log(shown(&log, shortened)));
            }
        }
        "opinion" | "summary" => put("conclusion", json!(log.conclusion().map(Logged::content))),
        "blog" => put("arguments", arguments(heard, &debaters, &log, shortened)),
        "assessment" => {
            put("roles", json!(roles(&debaters, request)));
            let labels = DebaterLabels::of(request);
            for name in ["summary", "blog"] {
                let said = request.facts[name].as_str().and_then(|key| heard.said(&Key::of(key)));
                let hidden = |said: &str| labels.as_ref().map_or_else(|| said.to_owned(), |l| l.hide(said));
                put(name, json!(said.map(hidden)));
            }
            if let Some(labels) = labels {
                put("labels", Value::Null);
                put("cast", json!(labels.debaters(&debaters)));
                put("log", labels.log(shown(&log, shortened)));
            }
        }
        _ => {}
    }
    facts
}

/// The schema of what a prompt asks for; none for free words of the host.
pub fn schema(heard: &View<'_>, request: &Request) -> Option<Value> {
    if request.prompt == claim_reading::PROMPT.0 {
        return Some(claim_reading::schema(heard, request));
    }
    if request.prompt == lineup::CONSENT.0 {
        return Some(lineup::consent_schema(request));
    }
    if request.prompt == "lineup" {
        return Some(lineup::schema(WANTED, request));
    }
    if let Some(drafted) = drafted(heard, request) {
        return Some(common::verification::schema(&drafted));
    }
    let (debaters, log) = (Debaters::in_view(heard), DebateLog::of(heard));
    let turn = |part: DebatePart| {
        let debater = debaters.at(&request.seat)?;
        Some(TurnRules { log: &log, speaker: &debater.name, part }.schema())
    };
    match request.prompt.as_str() {
        "opening" | "turn" | "closing" => turn(part(request)?),
        "verification" => Some(verification::schema(&cited(request), VerifyMode::of(heard.opened()))),
        "questions" => Some(audience::questions_schema(&debaters.names())),
        "chair" => match request.facts["matter"].as_str().unwrap_or_default() {
            "clarification" => Some(chair::clarification_schema()),
            "questions" => {
                Some(chair::questions_schema(request.facts["count"].as_u64().unwrap_or(0) as usize))
            }
            "review" => Some(chair::look_back_schema(&log)),
            "ending" => Some(chair::with_rulings(chair::ending_schema(), &log)),
            _ => Some(chair::with_rulings(chair::unresolved_schema(&log), &log)),
        },
        "conclusion" => Some(contest(&debaters, request).schema()),
        "opinion" => Some(opinion::schema()),
        "summary" => Some(report::summary_schema(&debaters.names(), &log)),
        "blog" => Some(report::blog_schema()),
        "assessment" => Some(report::assessment_schema(&roles(&debaters, request))),
        _ => None,
    }
}

/// In which part of the debate a debater is asked.
fn part(request: &Request) -> Option<DebatePart> {
    match request.prompt.as_str() {
        "opening" => Some(DebatePart::Opening),
        "turn" => Some(DebatePart::Round(request.facts.get("resumed") != Some(&true.into()))),
        "closing" => Some(DebatePart::Closing),
        _ => None,
    }
}

/// What a draft cites that is to be looked up before it is logged; `None` for other requests.
fn drafted(heard: &View<'_>, request: &Request) -> Option<Vec<common::verification::Citation>> {
    if request.seat.as_str() != "verifier" || !request.prompt.is_empty() {
        return None;
    }
    let key = Key::of(request.facts.get("of")?.as_str()?);
    let cited = || {
        let (debaters, log) = (Debaters::in_view(heard), DebateLog::of(heard));
        let speaker = heard.asked(&key).and_then(|asked| debaters.at(&asked.seat))?;
        let said = statement::read(heard.said(&key)?).ok()?;
        Some(turn::cited(&said, &log, &speaker.name))
    };
    Some(cited().unwrap_or_default())
}

fn contest(debaters: &Debaters, request: &Request) -> Contest {
    let eligible = serde_json::from_value(request.facts["eligible"].clone()).unwrap_or_default();
    let names = debaters.names().into_iter().map(str::to_owned).collect();
    let contest = Contest { names, eligible };
    DebaterLabels::of(request).map_or_else(|| contest.clone(), |labels| labels.contest(&contest))
}

fn roles(debaters: &Debaters, request: &Request) -> Vec<String> {
    let names = || debaters.names().into_iter().map(str::to_owned).collect();
    report::roles(DebaterLabels::of(request).map_or_else(names, |labels| labels.letters()))
}

fn cited(request: &Request) -> Vec<SourceToCheck> {
    request
        .facts
        .get("sources")
        .and_then(|sources| serde_json::from_value(sources.clone()).ok())
        .unwrap_or_default()
}

/// What the opener said, what the chair proposed so far, and what the host said to it.
fn lineup_facts(heard: &View<'_>, request: &Request, put: &mut dyn FnMut(&str, Value)) {
    let given = lineup::given(heard.opened(), WANTED.row);
    let said = given.iter().enumerate().filter(|(_, member)| {
        !member.name.is_empty() || !member.persona.is_empty() || !member.details.is_empty()
    });
    let said = said.map(|(i, member)| {
        json!({
            "place": i + 1, "name": member.name, "persona": member.persona,
            "position": member.detail("starting_position"), "incentives": member.detail("incentives"),
        })
    });
    put("given", said.collect());
    if request.prompt == "lineup" {
        put("filled", lineup::filled(&given));
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
    put("name", json!(debater.name));
    put("persona", json!(debater.persona));
    put("position", json!(debater.position));
    put("incentives", json!(debater.incentives));
    put("verify", json!(VerifyMode::of(heard.opened()) == VerifyMode::Fetched));
    let able = heard.opened().options.get(OPENS_PAGES).and_then(Value::as_array);
    let opens = able.is_some_and(|seats| seats.iter().any(|seat| seat == debater.seat.as_str()));
    put("opens_pages", opens.into());
    put("rulings", json!(conduct::shown(log, Some(&debater.name))));
    put("round", json!(this_round(log, Some(&debater.name))));
    let (own, opposing): (Vec<&Logged>, Vec<&Logged>) =
        log.arguments().partition(|logged| logged.item.speaker == debater.name);
    put("own", own.into_iter().map(argument).collect());
    put("opposing", opposing.into_iter().map(argument).collect());
    let last = log.last_of(&debater.name);
    let frameworks = log.frameworks_for(&debater.name).into_iter();
    let frameworks = frameworks.map(|f| json!({"name": f.name, "about": f.about, "by": f.by, "seq": f.seq}));
    put("frameworks", frameworks.collect());
    let questions = log.0.iter().filter(|l| l.item.to.as_deref() == Some(debater.name.as_str()));
    let questions = questions.filter(|l| last.is_none_or(|last| l.item.seq > last));
    // Who is asked need not be told whom it is for.
    let address = format!("To {}: ", debater.name);
    let asked = questions.map(|l| {
        let question = l.content();
        let words = question.strip_prefix(&address).unwrap_or(&question).to_owned();
        json!({"seq": l.item.seq, "question": question, "words": words})
    });
    put("questions", asked.collect());
    put("issues", json!(issues(heard, debater, log)));
}

/// Everything that was found about sources so far.
fn found(heard: &View<'_>) -> Vec<verification::SourceFinding> {
    verification::all(heard).into_iter().flat_map(|all| all.findings).collect()
}

/// What the verifier said of its sources: what is unreliable, and notes on its latest entries.
fn issues(heard: &View<'_>, debater: &Debater, log: &DebateLog) -> Vec<Value> {
    let own = |seq: u64| log.at(seq).is_some_and(|l| l.item.speaker == debater.name && l.struck.is_none());
    let last = log.last_of(&debater.name).unwrap_or(0);
    let found = found(heard);
    // What was looked at again counts once, and what was corrected no more.
    let standing = verification::latest(&found).into_iter().filter(|finding| {
        let noted = finding.status != SourceStatus::Verified
            && !finding.explanation.is_empty()
            && finding.seq == last;
        let is_corrected = || log.corrected(finding.seq).iter().any(|(_, old)| *old == finding.url);
        own(finding.seq) && (finding.status == SourceStatus::Unreliable && !is_corrected() || noted)
    });
    let shown = |f: &verification::SourceFinding| json!({"seq": f.seq, "url": f.url, "status": f.status.name(), "why": f.explanation});
    standing.map(shown).collect()
}

fn verification_facts(
    heard: &View<'_>,
    request: &Request,
    log: &DebateLog,
    put: &mut dyn FnMut(&str, Value),
) {
    let seqs: Vec<u64> = serde_json::from_value(request.facts["seqs"].clone()).unwrap_or_default();
    let cited = cited(request);
    let entries = seqs.iter().filter_map(|seq| log.at(*seq)).map(|logged| {
        let mut shown = entry(log, logged, false);
        if let Some(target) = turn::challenged(logged.item.kind, logged.item.target_seq, log) {
            shown["challenged"] = target.into();
        }
        let known: Vec<&str> = logged.sources().iter().map(|source| source.url.as_str()).collect();
        let named = cited.iter().filter(|cited| cited.seq == logged.item.seq);
        let in_words = named.filter(|cited| !known.contains(&cited.url.as_str()));
        if let Some(sources) = shown["sources"].as_array_mut() {
            sources.extend(in_words.map(|cited| json!({"title": "", "url": cited.url})));
        }
        shown
    });
    put("entries", entries.collect());
    let known = verification::all(heard)
        .into_iter()
        .flat_map(|all| all.findings)
        .filter(|finding| finding.status.is_result() && cited.iter().any(|cited| cited.url == finding.url));
    let shown = known.map(|f| json!({"seq": f.seq, "url": f.url, "status": f.status.name()}));
    put("known", shown.collect());
    put("fetched", json!(VerifyMode::of(heard.opened()) == VerifyMode::Fetched));
}

/// The log as prompts show it; of the first `shortened` arguments the gist alone.
fn shown(log: &DebateLog, shortened: u32) -> Value {
    let mut left = shortened;
    let show = |logged: &Logged| {
        let short = logged.item.kind.is_argument() && left > 0;
        left -= u32::from(short);
        entry(log, logged, short)
    };
    log.0.iter().map(show).collect()
}

fn entry(log: &DebateLog, logged: &Logged, short: bool) -> Value {
    let item = &logged.item;
    let sources = logged.sources().iter().map(|s| json!({"title": s.title, "url": s.url}));
    let sources: Vec<Value> = if short { Vec::new() } else { sources.collect() };
    json!({
        "seq": item.seq, "by": item.speaker, "type": item.type_name().replace('_', " "),
        "phase": item.phase.name(), "content": if short { logged.gist() } else { logged.content() },
        "corrected": log.corrected(item.seq).first().map(|(seq, _)| seq),
        "sources": sources, "rebuts": item.rebuttal_to_seq, "about": item.target_seq, "stands": logged.argues(),
    })
}

/// Entries of this round in a sentence each; without those of `except`.
fn this_round(log: &DebateLog, except: Option<&str>) -> Vec<Value> {
    let is_start = |logged: &Logged| {
        logged.item.kind == Type::Announcement && logged.item.phase == super::log::Phase::Rebuttal
    };
    let start = log.0.iter().rposition(is_start).map_or(log.0.len(), |at| at + 1);
    let said = log.0[start..].iter().filter(|l| l.argues() && Some(l.item.speaker.as_str()) != except);
    said.map(|l| json!({"name": l.item.speaker, "seq": l.item.seq, "gist": l.gist()})).collect()
}

/// A standing argument, with its first sentence.
fn argument(logged: &Logged) -> Value {
    json!({"seq": logged.item.seq, "by": logged.item.speaker, "gist": logged.gist(), "content": logged.content()})
}

fn speakers(log: &DebateLog, kind: Type) -> Vec<Value> {
    let spoke = log.0.iter().filter(|logged| logged.item.kind == kind);
    spoke.map(|logged| json!({"name": logged.item.speaker, "seq": logged.item.seq})).collect()
}

/// Where the review before the closings stands, the last one after an extension.
fn review(log: &DebateLog) -> Option<usize> {
    let is_review =
        |l: &Logged| l.item.content.as_deref().is_some_and(|text| text.starts_with("Pre-Phase-3 review:"));
    log.0.iter().rposition(is_review)
}

fn closers(log: &DebateLog) -> Vec<Value> {
    let after = review(log).map_or(log.next(), |at| at as u64);
    let all = speakers(log, Type::ClosingStatement).into_iter();
    all.filter(|closer| closer["seq"].as_u64().is_some_and(|seq| seq > after)).collect()
}

fn unresolved(log: &DebateLog) -> Vec<String> {
    let text = review(log).and_then(|at| log.0.get(at)).map(Logged::content).unwrap_or_default();
    let numbered = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    numbered.map(str::to_owned).collect()
}

/// Arguments for the blog post: without names, and without those whose source is unreliable.
fn arguments(heard: &View<'_>, debaters: &Debaters, log: &DebateLog, shortened: u32) -> Value {
    let unreliable: Vec<u64> = verification::all(heard)
        .iter()
        .flat_map(|all| &all.findings)
        .filter(|finding| finding.status == SourceStatus::Unreliable)
        .map(|finding| finding.seq)
        .collect();
    let usable = log.arguments().filter(|logged| !unreliable.contains(&logged.item.seq));
    let show = |(i, logged): (usize, &Logged)| {
        let position = debaters.named(&logged.item.speaker).map(|debater| debater.position.clone());
        let short = i < shortened as usize;
        json!({"position": position, "content": if short { logged.gist() } else { logged.content() }})
    };
    usable.enumerate().map(show).collect()
}

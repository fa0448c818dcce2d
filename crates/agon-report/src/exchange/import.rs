//! The folder of an exchange debate: `debate.md`, `scores.json` and `arguments/*.md` become the
//! statements of both sides and of the judge, `README.md` that of the reporter.

use std::collections::BTreeMap;

use agon_protocols::exchange::{
    argument::{Argument, Engagement, Side},
    report::{ReportProse, TurningPoint},
    state::exchange_key,
};
use serde::Serialize;
use serde_json::json;

use crate::import::{Files, Import, ImportError, ImportReader, Layout, require_file};
use crate::{
    exchange::{
        argument::ArgumentFile,
        debate::{DebateFile, NextPhase},
        derived_scores::{self, Sources},
        frontmatter::Document,
        motion_file::Body,
        scores::{ArgumentScore, ScoreFile, Scoring},
        verdict::Verdict,
    },
    foreign_time::is_time,
};

const DEBATE: &str = "debate.md";
const SCORES: &str = "scores.json";
const GRAPH: &str = "argument-graph.mmd";
const README: &str = "README.md";
/// What the last part of a report's heading is called.
const SECTIONS: [&str; 4] = ["The Question", "The Clash", "Turning Points", "The Verdict"];

/// What each exchange holds, by its number.
type Exchanges = BTreeMap<u32, ExchangeContents>;

/// What an exchange holds.
#[derive(Debug, Default)]
struct ExchangeContents {
    /// By side, in the order of file names.
    arguments: [Vec<ArgumentFile>; 2],
    judged: Verdict,
}

pub(super) static READER: ImportReader = ImportReader {
    layout: Layout { below: &["arguments"], beside: &[], stands_for: Some(DEBATE) },
    has_source: false,
    read: import_debate,
};

fn import_debate(files: &Files) -> Result<Import, ImportError> {
    let (debate_text, scores_text) = (require_file(files, DEBATE)?, files.get(SCORES).map_or("{}", String::as_str));
    let debate = DebateFile::parse(debate_text).map_err(|why| ImportError::new(DEBATE, why))?;
    let scores = ScoreFile::parse(scores_text).map_err(|why| ImportError::new(SCORES, why))?;
    let mut import = Import { protocol: super::PROTOCOL, motion: debate.body.motion.clone(), ..Import::default() };
    import_options(&mut import, &debate.body);
    for line in &debate.body.undefined {
        import.add_warning(DEBATE, format!("{line:?} among the definitions is not a definition"));
    }
    import.warn_of_doubled_keys(DEBATE, Document::frontmatter_text(debate_text).unwrap_or("{}"));
    import.warn_of_doubled_keys(SCORES, scores_text);
    let mut exchanges = Exchanges::new();
    for (path, text) in files.iter().filter(|(path, _)| is_argument(path)) {
        let argument = ArgumentFile::parse(text).map_err(|why| ImportError::new(path, why))?;
        check_place(path, &argument, &mut import)?;
        import.warn_of_doubled_keys(path, Document::frontmatter_text(text).unwrap_or("{}"));
        let held = exchanges.entry(argument.exchange).or_default();
        held.arguments[argument.side as usize].push(argument);
    }
    sort_scores(&scores, &mut exchanges, &mut import);
    compare_state(&debate, &scores, &mut exchanges, &mut import);
    let arguments = exchanges.values().flat_map(|held| held.arguments.iter().flatten().cloned()).collect();
    if let Some(why) = files.get(GRAPH).and_then(|graph| Sources { arguments, scores }.graph_fault(graph)) {
        import.add_warning(GRAPH, why);
    }
    let judged = import_answers(&exchanges, &mut import);
    if let (Some(readme), true) = (files.get(README), judged) {
        import.record_statement(format!("report-{:03}", exchanges.len()), parse_report(readme));
    }
    import.keep_originals(files.iter(), |path| [DEBATE, SCORES, GRAPH, README].contains(&path) || is_argument(path));
    Ok(import)
}

fn is_argument(path: &str) -> bool {
    path.strip_prefix("arguments/").is_some_and(|name| name.ends_with(".md") && !name.contains('/'))
}

fn import_options(import: &mut Import, body: &Body) {
    if !body.definitions.is_empty() {
        let terms = body.definitions.iter().map(|(term, means)| json!({"term": term, "definition": means}));
        import.options.insert("definitions".into(), terms.collect());
    }
    if let Some(scope) = body.scope.as_ref().filter(|scope| !scope.is_empty()) {
        import.options.insert("scope".into(), scope.as_str().into());
    }
}

/// Checks that an argument stands where its id says. Ids become file names: none may be anything
/// but side, number and letter.
fn check_place(path: &str, argument: &ArgumentFile, import: &mut Import) -> Result<(), ImportError> {
    let ArgumentFile { id, side, exchange, .. } = argument;
    let rest = id.strip_prefix(side.prefix()).and_then(|rest| rest.strip_prefix('_'));
    let (number, letter) = rest.and_then(|rest| rest.split_at_checked(3)).unwrap_or_default();
    let is_numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let why = if !is_numbered || letter.len() > 1 || !letter.bytes().all(|byte| byte.is_ascii_lowercase()) {
        format!("the id {id:?} is not {}_ with three digits and at most a letter", side.prefix())
    } else if path != format!("arguments/{id}.md") {
        format!("it contains the argument {id}")
    } else if number.parse() != Ok(*exchange) {
        format!("it states exchange {exchange}")
    } else {
        if argument.argument.title.trim().is_empty() {
            import.add_warning(path, "it has no title");
        }
        return Ok(());
    };
    Err(ImportError::new(path, why))
}

/// Sorts every scoring into the judgment that it was part of.
fn sort_scores(scores: &ScoreFile, exchanges: &mut Exchanges, import: &mut Import) {
    for (id, says, last) in scores.check_current_scores() {
        let why = format!("current_score of {id} is {says}, but the last score of its history is {last}");
        import.add_warning(SCORES, why);
    }
    let last = exchanges.keys().next_back().copied().unwrap_or_default();
    let of = |id: &str| {
        let number = id.split_once('_').and_then(|(_, rest)| rest.get(..3)?.parse::<u32>().ok());
        number.filter(|number| *number <= last).unwrap_or(last)
    };
    for (id, scored) in &scores.0 {
        if scored.history.is_empty() {
            let why = format!("{id} has a current_score but no history; the score is imported without a reason");
            import.add_warning(SCORES, why);
            let (argument_id, score) = (id.clone(), scored.current_score.clone());
            let score = ArgumentScore { argument_id, score, previous: None, reasoning: String::new() };
            exchanges.entry(of(id)).or_default().judged.scores.push(score);
        }
        for scoring in scored.history.iter().filter(|scoring| !is_time(&scoring.scored_at)) {
            import.add_warning(SCORES, format!("scored_at of {id} is {:?}, which is not a time", scoring.scored_at));
        }
        for Scoring { score, reasoning, triggered_by, previous_score, .. } in scored.history.iter().cloned() {
            let judged = &mut exchanges.entry(of(triggered_by.as_ref().unwrap_or(id))).or_default().judged;
            let list = if triggered_by.is_none() { &mut judged.scores } else { &mut judged.rescores };
            list.push(ArgumentScore { argument_id: id.clone(), score, previous: previous_score, reasoning });
        }
    }
}

/// Compares what `debate.md` says with what the other files hold.
fn compare_state(debate: &DebateFile, scores: &ScoreFile, exchanges: &mut Exchanges, import: &mut Import) {
    if let Some(why) = derived_scores::totals_fault(debate, &scores.with_last_scores().side_totals()) {
        import.add_warning(DEBATE, why);
    }
    let last = exchanges.keys().next_back().copied();
    // Every exchange up to the last one is asked for, also one that left no file.
    for exchange in 0..last.unwrap_or_default() {
        exchanges.entry(exchange).or_default();
    }
    let judged = exchanges.values().filter(|held| !held.judged.scores.is_empty()).count() as u32;
    if debate.current_exchange != judged {
        let says = debate.current_exchange;
        let why = format!("current_exchange is {says}, but the number of judged exchanges is {judged}");
        import.add_warning(DEBATE, why);
    }
    if (exchanges.len() as u32 > judged) != (debate.current_phase == NextPhase::AwaitingJudgment) {
        import.add_warning(DEBATE, "current_phase contradicts the arguments and scores");
    }
    import.rounds = last.unwrap_or_default();
}

/// What each side and the judge said; gives whether every exchange is judged.
fn import_answers(exchanges: &Exchanges, import: &mut Import) -> bool {
    let last = exchanges.keys().next_back().copied().unwrap_or_default();
    let mut complete = !exchanges.is_empty();
    for (exchange, held) in exchanges {
        let Verdict { scores, rescores, .. } = &held.judged;
        let rescores = rescores.iter().map(|ArgumentScore { argument_id, score, previous, reasoning }| {
            json!({"argument_id": argument_id, "old_score": previous, "new_score": score, "reasoning": reasoning})
        });
        let judgment = json!({"scores": scores, "rescores": rescores.collect::<Vec<_>>()});
        let argued = Side::BOTH.map(|side| {
            let arguments: Vec<_> = held.arguments[side as usize].iter().map(build_argument).collect();
            (!arguments.is_empty(), side.name(), json!({"stance": side.position(), "arguments": arguments}))
        });
        for (is_there, what, said) in argued.into_iter().chain([(!scores.is_empty(), "judgment", judgment)]) {
            match is_there || *exchange < last {
                true => import.record_statement(exchange_key(*exchange, what), said),
                false => complete = false,
            }
        }
    }
    complete
}

fn build_argument(file: &ArgumentFile) -> impl Serialize {
    let engaged = |all: &[Engagement], kind: &str| {
        let each = |e: &Engagement| json!({"target_id": e.target_id, kind: e.kind, "content": e.content});
        all.iter().map(each).collect::<Vec<_>>()
    };
    let Argument { title, claim, grounds, warrant, backing, qualifier, attacks, defends } = &file.argument;
    json!({
        "id": file.id, "title": title, "claim": claim, "grounds": grounds, "warrant": warrant,
        "backing": backing, "qualifier": qualifier,
        "attacks": engaged(attacks, "attack_type"), "defends": engaged(defends, "defense_type"),
    })
}

/// The report's prose, by its headings.
fn parse_report(readme: &str) -> ReportProse {
    let mut title = "";
    let mut sections: Vec<(&str, String)> = Vec::new();
    for line in readme.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            sections.push((heading.trim(), String::new()));
        } else if let Some(heading) = line.strip_prefix("# ").filter(|_| title.is_empty()) {
            title = heading.trim();
        } else if let Some((_, text)) = sections.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    let section = |name: &str| {
        let found = sections.iter().find(|(heading, _)| *heading == name);
        found.map(|(_, text)| text.trim().to_owned()).unwrap_or_default()
    };
    let [question, clash, points, verdict] = SECTIONS.map(section);
    let mut moments: Vec<(String, Vec<&str>)> = Vec::new();
    for block in points.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let heading = block.strip_prefix("**").and_then(|block| block.strip_suffix("**"));
        match (heading, moments.last_mut()) {
            (Some(heading), _) => moments.push((heading.to_owned(), Vec::new())),
            (None, Some((_, blocks))) => blocks.push(block),
            (None, None) => moments.push((String::new(), vec![block])),
        }
    }
    let moments = moments.into_iter().map(|(heading, text)| TurningPoint { heading, text: text.join("\n\n") });
    let (title, turning_points) = (title.to_owned(), moments.collect());
    ReportProse { title, question, clash, turning_points, verdict, answer: None, warnings: Vec::new() }
}

//! The facts of the prompts of the exchange.

use std::sync::Arc;

use agon_core::{Facts, Request, View, form::FormField};
use serde::Serialize;
use serde_json::json;

use super::{
    argument::{Argument, Engagement, Ground, Side},
    citations,
    judge_seats::JudgePanel,
    report,
    side_labels::{FIRST, Secrets, SideLabels},
    state::{ExchangeState, PlacedArgument, Scored},
};
use crate::common::{
    claim_reading,
    request_values::read_fact,
    verification::{self, CitedPlace, SourceCheck},
};

/// Facts of every prompt: motion and stance, and by prompt the arguments and scores it works on.
pub fn prompt_facts(heard: &View<'_>, request: &Request) -> Facts {
    if request.prompt == claim_reading::PROMPT.0 {
        return claim_reading::reader_facts(heard, request);
    }
    let mut facts = request.facts.clone();
    let opened = heard.opened();
    facts.insert("motion".into(), opened.motion.clone().into());
    for option in ["definitions", "scope"] {
        facts.extend(opened.options.get(option).map(|value| (option.to_owned(), value.clone())));
    }
    facts.insert("verify".into(), verification::is_fetched(opened).into());
    let state = ExchangeState::from_view(heard);
    if request.seat.as_str() == "verifier" {
        facts.insert(
            "entries".into(),
            json!(verification::render_entries(&collect_draft_citations(heard, &state, request))),
        );
        return facts;
    }
    // What is to be judged is always shown whole.
    let judged = |held: &&PlacedArgument| request.prompt != "judgment" || held.exchange < request_exchange(request);
    let shortened = heard.shortened.min(state.arguments.iter().filter(judged).count() as u32);
    facts.insert("shortened".into(), shortened.into());
    match request.prompt.as_str() {
        "opening" | "rebuttal" => {
            let side = request_side(request);
            facts.insert("stance".into(), side.stance().into());
            facts.insert("position".into(), side.position().into());
            facts.insert("opponent".into(), side.opposite().name().into());
            facts.insert("exchanges".into(), opened.limits.rounds.max(request_exchange(request)).into());
            let all = render_arguments(&state.arguments, shortened, None);
            facts.insert("arguments".into(), json!(all));
            let (own, opposing): (Vec<_>, Vec<_>) = all.into_iter().partition(|shown| shown.side == side.name());
            facts.insert("own".into(), json!(own));
            facts.insert("opposing".into(), json!(opposing));
        }
        "judgment" => {
            let exchange = request_exchange(request);
            let labels = SideLabels::from_request(request);
            let mut arguments: Vec<&PlacedArgument> = state.arguments.iter().collect();
            if let Some(SideLabels { first }) = labels {
                arguments.sort_by_key(|held| (held.exchange, held.side != first));
            }
            // Who is called A is nothing that a template needs.
            facts.remove(FIRST);
            let secrets = Secrets::from_opened(opened);
            let all = render_arguments(arguments.iter().copied(), shortened, labels.map(|labels| (labels, &secrets)));
            let (new, mut earlier): (Vec<_>, Vec<_>) = all.into_iter().partition(|shown| shown.exchange == exchange);
            for (argument, held) in earlier.iter_mut().zip(arguments.iter().filter(|h| h.exchange != exchange)) {
                argument.score = Some(ShownScore { score: state.current.get(&held.id).copied(), reasons: None });
            }
            facts.insert("new".into(), json!(new));
            facts.insert("earlier".into(), json!(earlier));
        }
        "report" => report_facts(&state, &JudgePanel::from_opened(opened), shortened, &mut facts),
        _ => {}
    }
    facts
}

/// The schema of what a prompt asks for.
pub fn answer_schema(heard: &View<'_>, request: &Request) -> Option<FormField> {
    if request.prompt == claim_reading::PROMPT.0 {
        return Some(claim_reading::reader_schema(heard, request));
    }
    let state = ExchangeState::from_view(heard);
    if request.seat.as_str() == "verifier" {
        return Some(verification::verification_schema(&collect_draft_citations(heard, &state, request)));
    }
    let (side, exchange) = (request_side(request), request_exchange(request));
    let form = match request.prompt.as_str() {
        "opening" | "rebuttal" => state.argument_rules(side, exchange).statement_form(),
        "judgment" => state.judgment_scope(exchange, SideLabels::from_request(request)).judgment_form(false),
        "report" => {
            report::report_form(&[report::ahead_name(JudgePanel::from_opened(heard.opened()).leading_side(&state))])
        }
        _ => return None,
    };
    Some(form.to_schema())
}

/// The grounds with pages of the statement that a verification is about.
fn collect_draft_citations(heard: &View<'_>, state: &ExchangeState, request: &Request) -> Vec<CitedPlace> {
    let (side, exchange) = (request_side(request), request_exchange(request));
    let parse = |text: &str| state.argument_rules(side, exchange).parse_redraft(text).map(Arc::new);
    match read_fact(request, "of").and_then(|key| heard.parse_statement(&key, parse)).as_deref() {
        Some(Ok(arguments)) => citations::collect_argument_citations(arguments, &side.argument_ids(exchange)),
        _ => Vec::new(),
    }
}

fn report_facts(state: &ExchangeState, judge_panel: &JudgePanel, shortened: u32, facts: &mut Facts) {
    let reasons = |id: &str| {
        let mut all = state.judgments.iter().flat_map(|judgment| &judgment.scores);
        all.rfind(|score| score.argument_id == id).map(|score| &score.reasoning)
    };
    let corrections = |id: &str| {
        let all =
            state.judgments.iter().flat_map(|judgment| judgment.rescores.iter().map(|made| (judgment.exchange, made)));
        let of_it = all.filter(|(_, made)| made.argument_id == id);
        let shown = of_it.map(|(exchange, made)| ShownCorrection {
            exchange,
            old: made.old_score,
            new: made.new_score,
            reasoning: made.reasoning.clone(),
        });
        shown.collect()
    };
    let mut all = render_arguments(&state.arguments, shortened, None);
    for argument in &mut all {
        let id = argument.id.as_str();
        let reasons = ScoreReasons { corrections: corrections(id), reasoning: reasons(id).cloned() };
        argument.score = Some(ShownScore { score: state.current.get(id).copied(), reasons: Some(reasons) });
    }
    let ranked: Vec<(&str, f64)> =
        state.rank_arguments().iter().map(|(held, score)| (held.id.as_str(), *score)).collect();
    let clash = |judgment: &Arc<Scored>| {
        let text = &judgment.clash.as_ref()?.text;
        Some(json!({"exchange": judgment.exchange, "text": text}))
    };
    facts.insert("arguments".into(), json!(all));
    facts.insert("clashes".into(), state.judgments.iter().filter_map(clash).collect());
    facts.insert("totals".into(), json!(state.totals()));
    facts.insert("ahead".into(), json!(judge_panel.leading_side(state).map(Side::name)));
    facts.insert("strongest".into(), json!(ranked.first()));
    facts.insert("weakest".into(), json!(ranked.last()));
}

/// An argument as prompts show it.
#[derive(Clone, Serialize)]
struct ShownArgument {
    id: String,
    side: &'static str,
    exchange: u32,
    title: String,
    claim: String,
    /// Left out where there is room for its claim alone.
    #[serde(flatten)]
    rest: Option<ArgumentRest>,
    #[serde(flatten)]
    score: Option<ShownScore>,
}

/// What an argument says behind its claim.
#[derive(Clone, Serialize)]
struct ArgumentRest {
    grounds: Vec<ShownGround>,
    warrant: String,
    backing: Option<String>,
    qualifier: Option<String>,
    attacks: Vec<ShownEngagement>,
    defends: Vec<ShownEngagement>,
}

/// A ground, with what was found about the page that it cites.
#[derive(Clone, Serialize)]
struct ShownGround {
    #[serde(flatten)]
    ground: Ground,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<String>,
}

/// An attack on another argument, or its defence.
#[derive(Clone, Serialize)]
struct ShownEngagement {
    target: String,
    kind: String,
    content: String,
}

/// How an argument stands; a report has the reason and the corrections, too.
#[derive(Clone, Serialize)]
struct ShownScore {
    score: Option<f64>,
    #[serde(flatten)]
    reasons: Option<ScoreReasons>,
}

#[derive(Clone, Serialize)]
struct ScoreReasons {
    corrections: Vec<ShownCorrection>,
    reasoning: Option<String>,
}

/// A score that a later judgment changed.
#[derive(Clone, Serialize)]
struct ShownCorrection {
    exchange: u32,
    old: f64,
    new: f64,
    reasoning: String,
}

/// Arguments as prompts show them; the first `shortened` by their claim alone. With labels, as a judge
/// may see them.
fn render_arguments<'h>(
    arguments: impl IntoIterator<Item = &'h PlacedArgument>,
    shortened: u32,
    veil: Option<(SideLabels, &Secrets)>,
) -> Vec<ShownArgument> {
    let show = |(i, held): (usize, &PlacedArgument)| {
        let veiled: Argument;
        let (mut argument, mut id, mut side) = (held.argument(), held.id.clone(), held.side.name());
        if let Some((labels, secrets)) = veil {
            veiled = labels.anonymise_argument(argument, secrets);
            (argument, id, side) = (&veiled, labels.label_id(&held.id).into_owned(), labels.label(held.side));
        }
        ShownArgument {
            id,
            side,
            exchange: held.exchange,
            title: argument.title.clone(),
            claim: held.tag_words("claim", &argument.claim),
            rest: (i >= shortened as usize).then(|| render_rest(held, argument)),
            score: None,
        }
    };
    arguments.into_iter().enumerate().map(show).collect()
}

/// What `argument`, which is `held` as a judge may see it, says behind its claim.
fn render_rest(held: &PlacedArgument, argument: &Argument) -> ArgumentRest {
    let engaged = |all: &[Engagement]| {
        let line = |e: &Engagement| ShownEngagement {
            target: e.target_id.clone(),
            kind: e.kind.replace('_', " "),
            content: e.content.clone(),
        };
        all.iter().map(line).collect()
    };
    let grounds = argument.grounds.iter().enumerate().map(|(i, ground)| {
        let tags: Vec<String> = held.source_checks(i).map(SourceCheck::describe_status).collect();
        ShownGround { ground: ground.clone(), checked: (!tags.is_empty()).then(|| tags.join("; ")) }
    });
    ArgumentRest {
        grounds: grounds.collect(),
        warrant: held.tag_words("warrant", &argument.warrant),
        backing: argument.backing.as_ref().map(|text| held.tag_words("backing", text)),
        qualifier: argument.qualifier.as_ref().map(|text| held.tag_words("qualifier", text)),
        attacks: engaged(&argument.attacks),
        defends: engaged(&argument.defends),
    }
}

fn request_side(request: &Request) -> Side {
    read_fact(request, "side").unwrap_or(Side::Proposition)
}

fn request_exchange(request: &Request) -> u32 {
    read_fact(request, "exchange").unwrap_or(0)
}

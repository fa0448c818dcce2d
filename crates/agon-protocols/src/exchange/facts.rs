//! What the prompts of the exchange are filled with.

use agon_core::{Facts, Request, View};
use serde_json::{Value, json};

use super::{
    argument::{Engagement, Side},
    hall::{Hall, Held},
    report,
};

/// Facts of every prompt: motion and stance, and by prompt the arguments and scores it works on.
pub fn facts(heard: &View<'_>, request: &Request) -> Facts {
    let mut facts = request.facts.clone();
    let opened = heard.opened();
    facts.insert("motion".into(), opened.motion.clone().into());
    for option in ["definitions", "scope"] {
        facts.extend(opened.options.get(option).map(|value| (option.to_owned(), value.clone())));
    }
    let hall = Hall::of(heard);
    // What is to be judged is always shown whole.
    let judged = |held: &&Held| request.prompt != "judgment" || held.exchange < exchange(request);
    let shortened = heard.shortened.min(hall.arguments.iter().filter(judged).count() as u32);
    facts.insert("shortened".into(), shortened.into());
    match request.prompt.as_str() {
        "opening" | "rebuttal" => {
            let side = side(request);
            facts.insert("stance".into(), side.stance().into());
            facts.insert("position".into(), side.position().into());
            facts.insert("opponent".into(), side.other().name().into());
            let all = shown(&hall.arguments, shortened);
            let (own, opposing): (Vec<_>, Vec<_>) = all.into_iter().partition(|a| a["side"] == side.name());
            facts.insert("own".into(), own.into());
            facts.insert("opposing".into(), opposing.into());
        }
        "judgment" => {
            let exchange = exchange(request);
            let batch = hall.batch(exchange);
            let all = shown(&hall.arguments, shortened);
            let (new, mut earlier): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|a| a["exchange"] == exchange);
            for argument in &mut earlier {
                argument["score"] = json!(argument["id"].as_str().and_then(|id| batch.current.get(id)));
            }
            facts.insert("new".into(), new.into());
            facts.insert("earlier".into(), earlier.into());
        }
        "report" => report_facts(&hall, shortened, &mut facts),
        _ => {}
    }
    facts
}

/// The schema of what a prompt asks for.
pub fn schema(heard: &View<'_>, request: &Request) -> Option<Value> {
    let hall = Hall::of(heard);
    match request.prompt.as_str() {
        "opening" | "rebuttal" => Some(hall.turn(side(request), exchange(request)).schema()),
        "judgment" => Some(hall.batch(exchange(request)).schema()),
        "report" => Some(report::schema()),
        _ => None,
    }
}

fn report_facts(hall: &Hall, shortened: u32, facts: &mut Facts) {
    let reasons = |id: &str| {
        let all = hall.judgments.iter().flat_map(|judgment| &judgment.scores);
        all.filter(|score| score.argument_id == id).map(|score| score.reasoning.clone()).next_back()
    };
    let mut all = shown(&hall.arguments, shortened);
    for argument in &mut all {
        let id = argument["id"].as_str().unwrap_or_default().to_owned();
        argument["score"] = json!(hall.current.get(&id));
        argument["reasoning"] = json!(reasons(&id));
    }
    let totals = hall.totals();
    facts.insert("arguments".into(), all.into());
    facts.insert("totals".into(), json!(totals));
    facts.insert("ahead".into(), json!(totals.ahead().map(Side::name)));
    let ranked = hall.ranked();
    facts.insert("strongest".into(), json!(ranked.first()));
    facts.insert("weakest".into(), json!(ranked.last()));
}

/// Arguments as prompts show them; the first `shortened` by their claim alone.
fn shown(arguments: &[Held], shortened: u32) -> Vec<Value> {
    let engaged = |all: &[Engagement]| {
        let line = |e: &Engagement| json!({"target": e.target_id, "kind": e.kind.replace('_', " "), "content": e.content});
        all.iter().map(line).collect::<Vec<_>>()
    };
    let show = |(i, held): (usize, &Held)| {
        let argument = held.argument();
        let mut shown = json!({
            "id": held.id, "side": held.side.name(), "exchange": held.exchange,
            "title": argument.title, "claim": argument.claim,
        });
        if i >= shortened as usize {
            shown["grounds"] = json!(argument.grounds);
            shown["warrant"] = json!(argument.warrant);
            shown["backing"] = json!(argument.backing);
            shown["qualifier"] = json!(argument.qualifier);
            shown["attacks"] = json!(engaged(&argument.attacks));
            shown["defends"] = json!(engaged(&argument.defends));
        }
        shown
    };
    arguments.iter().enumerate().map(show).collect()
}

fn side(request: &Request) -> Side {
    if request.facts["side"] == "opposition" { Side::Opposition } else { Side::Proposition }
}

fn exchange(request: &Request) -> u32 {
    request.facts["exchange"].as_u64().unwrap_or(0) as u32
}

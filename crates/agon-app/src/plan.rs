//! `agon run --plan`: the calls, the cost and the recipients of a debate. Sends nothing.

use std::collections::BTreeMap;

use agon_context::manifest::MaterialManifest;
use agon_core::{Basis, Digest, Opened, Protocol, Record, Role, Usage};
use agon_runtime::{
    config::{Config, ModelSpec},
    drive::limits,
    prices::{PriceOrigin, is_old},
    prompts::{Renderer, material::MATERIAL},
    rehearse::{Rehearsed, rehearse},
    stop::StopFlag,
};
use agon_text::count_noun;
use serde_json::{Value, json};

use crate::{
    budget_warning, companion, declarations,
    failure::Result,
    opening::{self, material},
    session, words,
};

/// How often the winner followed the side and not the case, with its interval.
pub(crate) const SIDE_SHARE: &str = "38.5 % (34.7 to 42.1)";
/// Tokens a second that are assumed for the time: read and written, on this machine and elsewhere.
const LOCAL_SPEED: (f64, f64) = (45.0, 8.0);
const REMOTE_SPEED: (f64, f64) = (5_000.0, 60.0);
#[derive(Default)]
struct PlanPart {
    seats: Vec<String>,
    calls: u64,
    prompt_tokens: u64,
    completion_tokens: u64,
    cost: Option<u64>,
    /// Who says what it costs.
    price: Option<PriceOrigin>,
    seconds: f64,
    goes_to: Option<String>,
}

/// The calls and cost of a debate, computed by rehearsal, as JSON and as text. Nothing was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// For programs, as `agon run --plan --output json` says it.
    pub json: Value,
    /// For people, as `agon run --plan` says it.
    pub text: String,
    /// What to know about its budgets.
    pub short: Option<String>,
}

/// What the debate that is `opened` would ask, cost and send away.
pub fn of(
    protocol: &dyn Protocol,
    opened: Opened,
    documents: &BTreeMap<Digest, String>,
    renderer: &Renderer,
    config: &Config,
    stop: &StopFlag,
) -> Result<Plan> {
    let lineup = opened.lineup.clone();
    let judging = opening::judging::cost(&opened);
    // What must be asked for again because a sample is not a statement is not part of the plan.
    let planned = |rounds: u32| -> Result<Vec<Rehearsed>> {
        let mut opened = opened.clone();
        opened.limits.rounds = opened.limits.rounds.min(rounds);
        opened.limits.rounds_min = opened.limits.rounds_min.map(|min| min.min(rounds));
        let calls = rehearse(protocol, opened, documents, renderer, stop)?;
        Ok(calls.into_iter().filter(|call| !call.redraft).collect())
    };
    let calls = planned(u32::MAX)?;
    let (rounds, limits) = (&protocol.manifest().rounds, &opened.limits);
    let after = |rounds: Option<u32>| -> Result<Option<(u32, usize)>> {
        let fewer = rounds.filter(|rounds| *rounds < limits.rounds);
        fewer.map(|rounds| Ok((rounds, planned(rounds)?.len()))).transpose()
    };
    let ends = Ends { early: after(limits.rounds_min.or(rounds.early))?, usual: after(rounds.usual)? };
    let mut parts: BTreeMap<String, PlanPart> = BTreeMap::new();
    for seat in &lineup {
        let part = parts.entry(seat.model.clone()).or_default();
        part.seats.push(seat.name.clone().unwrap_or_else(|| seat.seat.to_string()));
        let spec = ModelSpec::parse(&seat.model, config)?;
        let (mut price, mut speed, mut tokens_max) = (None, LOCAL_SPEED, None);
        match &spec {
            ModelSpec::Provider(choice) => {
                price = choice.price;
                tokens_max = choice.settings.tokens_max.map(u64::from);
                part.price.clone_from(&choice.price_origin);
                if !choice.is_paid() && price.is_none() {
                    part.cost = Some(0);
                }
                speed = REMOTE_SPEED;
            }
            ModelSpec::Local(_) => part.cost = Some(0),
            ModelSpec::Command(_) => {
                speed = REMOTE_SPEED;
            }
            ModelSpec::Fetched
            | ModelSpec::Material
            | ModelSpec::Scripted(_)
            | ModelSpec::Recorded(_)
            | ModelSpec::Human
            | ModelSpec::Outside => {
                part.cost = Some(0);
                speed = (f64::INFINITY, f64::INFINITY);
            }
        }
        part.goes_to = spec.leaves_machine();
        for call in calls.iter().filter(|call| call.seat == seat.seat.as_str()) {
            let written = tokens_max.unwrap_or(call.tokens_max);
            part.calls += 1;
            part.prompt_tokens += call.prompt_tokens;
            part.completion_tokens += written;
            part.seconds +=
                call.prompt_tokens as f64 / speed.0 + written as f64 * budget_warning::USUAL_SHARE / speed.1;
        }
        if let Some(price) = price {
            let usage = Usage {
                prompt_tokens: part.prompt_tokens,
                completion_tokens: part.completion_tokens,
                ..Usage::default()
            };
            part.cost = Some(price.microusd(&usage));
        }
    }
    let total = |of: fn(&PlanPart) -> u64| parts.values().map(of).sum::<u64>();
    let (all, read, written) =
        (total(|p| p.calls), total(|p| p.prompt_tokens), total(|p| p.completion_tokens));
    let models: Vec<Value> = parts
        .iter()
        .map(|(model, part)| {
            json!({
                "model": model, "seats": part.seats, "calls": part.calls, "prompt_tokens": part.prompt_tokens,
                "completion_tokens_max": part.completion_tokens, "cost_microusd": part.cost,
                "cost_basis": if part.cost.is_some() { Basis::Estimated } else { Basis::Unknown },
                "price": part.price.as_ref().map(origin),
                "minutes": (part.seconds / 6.0).round() / 10.0, "leaves_machine_to": part.goes_to,
            })
        })
        .collect();
    let short = budget_warning::warning(&calls, &opened.limits);
    let list = opened.documents.get(MATERIAL).and_then(|digest| documents.get(digest));
    let list = list.and_then(|list| MaterialManifest::read(list).ok());
    let mirror = mirror_advice(protocol, &opened);
    let plan = json!({
        "advice": mirror, "calls": all, "calls_early": ends.early.map(|(_, calls)| calls),
        "calls_usual": ends.usual.map(|(_, calls)| calls), "prompt_tokens": read, "completion_tokens_max": written, "models": models,
        "judging": judging, "budget": short, "material": list.as_ref().map(material::listed),
        "requests": calls.iter().map(|call| json!({"key": call.key, "seat": call.seat, "prompt": call.prompt})).collect::<Vec<_>>(),
    });
    let material = list.iter().flat_map(material::told);
    let text = [text(&parts, &ends, all, read, written)].into_iter();
    let text = text.chain(material).chain(judging).chain(short.clone()).chain(mirror);
    let text = text.collect::<Vec<_>>().join("\n");
    Ok(Plan { json: plan, text, short })
}

/// Why this debate should be mirrored, where one debate alone would name a winner of two sides.
fn mirror_advice(protocol: &dyn Protocol, opened: &Opened) -> Option<String> {
    let manifest = protocol.manifest();
    let is_judged = manifest.seats.iter().any(|seat| seat.role == Role::Judge);
    let takes = manifest.option(companion::MIRROR).is_some();
    (is_judged && takes && !opened.options.contains_key(companion::MIRROR)).then(|| {
        format!(
            "Recommended: --mirror. One debate alone would decide, and {SIDE_SHARE} of pairs of debates with swapped \
             sides, in a public benchmark of strong models, had the same side as the winner both times."
        )
    })
}

/// How many calls the debate of `record` makes at most if every first answer can be used, extensions counted;
/// `texts` are those that it is pinned to. `None` where that cannot be told.
pub fn calls_max(record: &Record, texts: &BTreeMap<Digest, String>) -> Option<u64> {
    let protocol = declarations::rules(record).ok()?;
    let renderer = session::renderer(record, texts).ok()?;
    let mut opened = record.opened().clone();
    opened.limits = limits(record);
    let calls = rehearse(protocol, opened, texts, &renderer, &StopFlag::default()).ok()?;
    Some(calls.iter().filter(|call| !call.redraft).count() as u64)
}

/// How many calls a debate takes that ends before its limit, and after how many rounds.
struct Ends {
    /// As early as it may.
    early: Option<(u32, usize)>,
    /// As debates by this protocol usually do.
    usual: Option<(u32, usize)>,
}

impl Ends {
    /// `all` calls, and how many fewer there may be.
    fn calls(&self, all: u64) -> String {
        let most = if self.early.is_some() || self.usual.is_some() { "at most " } else { "" };
        let mut text = format!("{most}{} if no answer needs a redraft", count_noun(all, "call", "calls"));
        if let Some((rounds, calls)) = self.usual {
            text += &format!(", {calls} in the usual {}", count_noun(rounds, "round", "rounds"));
        }
        if let Some((_, calls)) = self.early {
            text += &format!(", {calls} if it ends as early as possible");
        }
        text
    }
}

/// Who says what a model costs, for programs.
fn origin(price: &PriceOrigin) -> Value {
    match price {
        PriceOrigin::Configured => json!({"origin": "configuration"}),
        PriceOrigin::Listed { date, source } => {
            json!({"origin": "list", "date": date, "source": source, "old": is_old(date)})
        }
    }
}

/// Who says what a model costs, for people.
fn told(price: &PriceOrigin) -> String {
    match price {
        PriceOrigin::Configured => "the price in your configuration".into(),
        PriceOrigin::Listed { date, source } if is_old(date) => {
            format!("the list price of {date} ({source}; refresh it: agon prices refresh)")
        }
        PriceOrigin::Listed { date, source } => format!("the list price of {date} ({source})"),
    }
}

fn text(parts: &BTreeMap<String, PlanPart>, ends: &Ends, all: u64, read: u64, written: u64) -> String {
    let mut lines = vec![format!(
        "{}; about {} input tokens, at most {} output tokens. Nothing was sent.",
        ends.calls(all),
        words::count(read),
        words::count(written)
    )];
    for (model, part) in parts {
        let cost = match part.cost {
            Some(0) => "free".to_owned(),
            Some(cost) => {
                let by = part.price.as_ref().map_or(String::new(), |price| format!(" by {}", told(price)));
                format!("about {}{by}, more with longer answers and redrafts", words::money(cost))
            }
            None if model.starts_with("cli:") => "paid as that program is paid".to_owned(),
            None => "price unknown (set it under [providers] in agon.toml, or see agon prices)".to_owned(),
        };
        lines.push(format!("  {}: {}", model, part.seats.join(", ")));
        lines.push(format!(
            "    {}, {cost}, about {}",
            count_noun(part.calls, "call", "calls"),
            count_noun((part.seconds / 60.0).ceil() as u64, "minute", "minutes")
        ));
        lines.push(match &part.goes_to {
            None if model == "outside" => {
                "    motion and statements go to the person or program that claims the seat".to_owned()
            }
            Some(place) => format!("    motion and statements leave this machine, to {}", place),
            None => "    nothing leaves this machine".to_owned(),
        });
    }
    lines.join("\n")
}

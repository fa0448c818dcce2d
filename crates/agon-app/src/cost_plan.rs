//! `agon run --plan`: the calls, the cost and the recipients of a debate. Sends nothing.

use std::collections::BTreeMap;

use agon_core::{Basis, Digest, Opened, Protocol, Record, Role, SeatModel, Usage};
use agon_material::manifest::MaterialManifest;
use agon_runtime::{
    config::ModelSpec,
    drive::current_limits,
    lookups::LOOKUPS,
    prices::{PriceOrigin, is_old},
    prompts::{Renderer, material::MATERIAL},
    rehearse::{Rehearsed, rehearse_debate},
    stop::StopFlag,
};
use agon_text::count_noun;
use serde::Serialize;
use serde_json::json;

use crate::{
    budget_warning::{self, USUAL_SHARE},
    companion, declarations, display,
    failure::Result,
    local_run, lookups,
    model_speed::{MeasuredSpeeds, assumed_speed},
    models::SeatedModel,
    opening::{judging, material},
    prompt_templates::Texts,
};

/// How often the winner followed the side and not the case: 38.5 %, with an interval from 34.7 to 42.1.
pub(crate) const SIDE_SHARE: &str = "about 4 of 10";

/// What is asked of one model.
#[derive(Default)]
struct PlanPart {
    seats: Vec<String>,
    calls: u64,
    prompt_tokens: u64,
    completion_tokens: u64,
    /// Of these, the room for thinking.
    thinking_tokens: u64,
    cost: Option<u64>,
    /// Who says what it costs.
    price: Option<PriceOrigin>,
    /// As assumed, and the lowest and the highest share of it that is expected, where that was measured.
    seconds: f64,
    range: Option<(f64, f64)>,
    goes_to: Option<String>,
}

/// The calls and cost of a debate, computed by rehearsal, as JSON and as text. Nothing was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// For programs, as `agon run --plan --output json` says it.
    pub json: serde_json::Value,
    /// For people, as `agon run --plan` says it.
    pub text: String,
    /// What to know about its budgets.
    pub short: Option<String>,
    /// The calls, the cost and the time of each model, for people.
    pub costs: BTreeMap<String, String>,
}

/// A debate whose plan is wanted: how it is opened, and what its prompts are made with.
pub struct PlannedDebate<'a> {
    /// Its rules.
    pub protocol: &'a dyn Protocol,
    /// What its record begins with.
    pub opened: &'a Opened,
    /// Who answers, as `opened` names them.
    pub lineup: &'a [SeatedModel],
    /// Its templates and documents.
    pub texts: &'a Texts,
    /// Its templates, compiled.
    pub renderer: &'a Renderer,
    /// Set once nobody waits for the plan.
    pub stop: &'a StopFlag,
    /// What is known of the time that its models take.
    pub speeds: &'a MeasuredSpeeds,
}

impl PlannedDebate<'_> {
    /// What it would ask, cost and send away.
    ///
    /// # Errors
    ///
    /// Where it cannot be rehearsed.
    pub fn build_plan(&self) -> Result<Plan> {
        let Self { opened, texts, .. } = self;
        let mut calls = self.rehearse_calls(u32::MAX)?;
        self.set_seat_limits(&mut calls);
        let ends = self.estimate_ends()?;
        let mut parts: BTreeMap<&str, PlanPart> = BTreeMap::new();
        for sat in self.lineup {
            parts.entry(&sat.entry.model).or_default().add(sat, &calls, self.speeds);
        }
        let total = |of: fn(&PlanPart) -> u64| parts.values().map(of).sum::<u64>();
        let (all, read, written) = (total(|p| p.calls), total(|p| p.prompt_tokens), total(|p| p.completion_tokens));
        let judging = judging::describe_extra_costs(opened);
        let short = budget_warning::find_budget_warning(&calls, &opened.limits);
        let list = opened.documents.get(MATERIAL).and_then(|digest| texts.get(digest));
        let list = list.and_then(|list| MaterialManifest::parse(list).ok());
        let mirror = self.mirror_advice();
        let requests = calls.iter().map(|call| json!({"key": call.key, "seat": call.seat, "prompt": call.prompt}));
        let json = json!({
            "advice": mirror, "calls": all, "calls_early": ends.early.map(|(_, calls)| calls),
            "calls_usual": ends.usual.map(|(_, calls)| calls), "prompt_tokens": read,
            "completion_tokens_max": written,
            "models": parts.iter().map(|(model, part)| part.to_json(model)).collect::<Vec<_>>(),
            "judging": judging, "budget": short, "material": list.as_ref().map(material::material_json),
            "lookups": opened.options.get(LOOKUPS),
            "requests": requests.collect::<Vec<_>>(),
        });
        let mut lines = vec![format!(
            "{}; about {} input tokens, at most {} output tokens. Nothing was sent.",
            ends.describe_calls(all),
            display::format_count(read),
            display::format_count(written)
        )];
        lines.extend(parts.iter().flat_map(|(model, part)| part.render_lines(model)));
        lines.extend(list.iter().flat_map(material::describe_material));
        lines.extend(lookups::describe_plan(opened, list.as_ref()));
        lines.extend(judging.into_iter().chain(short.clone()).chain(mirror));
        let costs = parts.iter().map(|(model, part)| ((*model).to_owned(), part.calls_and_cost(model))).collect();
        Ok(Plan { json, text: lines.join("\n"), short, costs })
    }

    /// Its calls with at most so many rounds. What must be asked for again because a sample is not a statement is not
    /// part of the plan.
    fn rehearse_calls(&self, rounds: u32) -> Result<Vec<Rehearsed>> {
        let mut opened = self.opened.clone();
        opened.limits.rounds = opened.limits.rounds.min(rounds);
        opened.limits.rounds_min = opened.limits.rounds_min.map(|min| min.min(rounds));
        let (_, calls) = rehearse_debate(self.protocol, opened, self.texts, self.renderer, self.stop)?;
        Ok(calls.into_iter().filter(|call| !call.redraft).collect())
    }

    /// Gives the answers of `calls` the limits that the models at their seats have.
    fn set_seat_limits(&self, calls: &mut [Rehearsed]) {
        for call in calls {
            let sat = self.lineup.iter().find(|sat| sat.entry.seat.as_str() == call.seat);
            if let Some(ModelSpec::Provider(choice)) = sat.map(|sat| &sat.spec) {
                call.tokens_max = choice.settings.tokens_max.map_or(call.tokens_max, u64::from);
                call.thinking_tokens = choice.thinking_room().unwrap_or(0).into();
            }
        }
    }

    /// How many calls it takes if it ends before its limit.
    fn estimate_ends(&self) -> Result<Ends> {
        let (rounds, limits) = (&self.protocol.manifest().rounds, &self.opened.limits);
        let after = |rounds: Option<u32>| -> Result<Option<(u32, usize)>> {
            let fewer = rounds.filter(|rounds| *rounds < limits.rounds);
            fewer.map(|rounds| Ok((rounds, self.rehearse_calls(rounds)?.len()))).transpose()
        };
        Ok(Ends { early: after(limits.rounds_min.or(rounds.early))?, usual: after(rounds.usual)? })
    }

    /// Why this debate should be mirrored, where one debate alone would name a winner of two sides. The figure is known
    /// of strong models: it says nothing of people, scripts and the embedded model.
    fn mirror_advice(&self) -> Option<String> {
        let manifest = self.protocol.manifest();
        let is_judged = manifest.seats.iter().any(|seat| seat.role == Role::Judge);
        let takes = manifest.find_option(companion::MIRROR).is_some();
        let is_decisive = |sat: &&SeatedModel| {
            let seat = manifest.find_seat(sat.entry.seat.as_str());
            seat.is_some_and(|seat| matches!(seat.role, Role::Debater | Role::Judge))
        };
        let is_known = |sat: &SeatedModel| matches!(sat.spec, ModelSpec::Provider(_) | ModelSpec::Command(_));
        let applies = is_judged && takes && self.lineup.iter().filter(is_decisive).all(is_known);
        (applies && !self.opened.options.contains_key(companion::MIRROR)).then(|| {
            format!(
                "Recommended: --mirror, which repeats the debate with the sides swapped and so shows whether the case won \
                 or only the side. In a public benchmark of strong models, the same side won both times in \
                 {SIDE_SHARE} such pairs."
            )
        })
    }
}

impl PlanPart {
    /// Adds what the model is asked at another seat.
    fn add(&mut self, sat: &SeatedModel, calls: &[Rehearsed], speeds: &MeasuredSpeeds) {
        let SeatModel { seat, name, .. } = &sat.entry;
        self.seats.push(name.clone().unwrap_or_else(|| seat.to_string()));
        let mut price = None;
        let speed = assumed_speed(&sat.spec);
        self.range = speeds.range_of(&sat.entry.model, &sat.spec);
        match &sat.spec {
            ModelSpec::Provider(choice) => {
                price = choice.price;
                self.price.clone_from(&choice.price_origin);
                if !choice.is_paid() && price.is_none() {
                    self.cost = Some(0);
                }
            }
            ModelSpec::Command(_) => {}
            _ => self.cost = Some(0),
        }
        self.goes_to = sat.spec.leaves_machine();
        for call in calls.iter().filter(|call| call.seat == seat.as_str()) {
            let is_sent_schema = matches!(sat.spec, ModelSpec::Provider(_) | ModelSpec::Command(_));
            let read = call.prompt_tokens + if is_sent_schema { call.schema_tokens } else { 0 };
            let written = call.tokens_max + call.thinking_tokens;
            self.calls += 1;
            self.prompt_tokens += read;
            self.completion_tokens += written;
            self.thinking_tokens += call.thinking_tokens;
            self.seconds += read as f64 / speed.0 + written as f64 * USUAL_SHARE / speed.1;
        }
        if let Some(price) = price {
            // Thinking takes its whole room seldom.
            let unused = self.thinking_tokens as f64 * (1.0 - USUAL_SHARE);
            let (prompt_tokens, completion_tokens) = (self.prompt_tokens, self.completion_tokens - unused as u64);
            self.cost = Some(price.cost_microusd(&Usage { prompt_tokens, completion_tokens, ..Usage::default() }));
        }
    }

    /// The fewest and the most minutes that are expected, where the model's time was measured.
    fn estimate_minutes(&self) -> Option<(f64, f64)> {
        let minutes = self.seconds / 60.0;
        self.range.map(|(low, high)| (minutes * low, minutes * high))
    }

    /// For programs.
    fn to_json(&self, model: &str) -> impl Serialize {
        let tenth = |minutes: f64| (minutes * 10.0).round() / 10.0;
        let (low, high) = self.estimate_minutes().unzip();
        json!({
            "model": model, "seats": self.seats, "calls": self.calls, "prompt_tokens": self.prompt_tokens,
            "completion_tokens_max": self.completion_tokens, "cost_microusd": self.cost,
            "cost_basis": if self.cost.is_some() { Basis::Estimated } else { Basis::Unknown },
            "price": self.price.as_ref().map(price_origin_json),
            "minutes": tenth(self.seconds / 60.0), "minutes_min": low.map(tenth), "minutes_max": high.map(tenth),
            "leaves_machine_to": self.goes_to,
        })
    }

    /// Its calls, their cost and their time, for people.
    fn calls_and_cost(&self, model: &str) -> String {
        let cost = match self.cost {
            Some(0) => "free".to_owned(),
            Some(cost) => {
                let by =
                    self.price.as_ref().map_or(String::new(), |price| format!(" by {}", describe_price_origin(price)));
                format!("about {}{by}, more with longer answers and redrafts", display::format_money(cost))
            }
            None if model.starts_with("cli:") => "paid as that program is paid".to_owned(),
            None => "price unknown (set it under [providers] in agon.toml, or see agon prices)".to_owned(),
        };
        let calls = count_noun(self.calls, "call", "calls");
        let (low, high) = self.estimate_minutes().unwrap_or((self.seconds / 60.0, self.seconds / 60.0));
        let (low, high) = (low.ceil() as u64, high.ceil() as u64);
        let low = if low < high { format!("{low} to ") } else { String::new() };
        format!("{calls}, {cost}, about {low}{}", count_noun(high, "minute", "minutes"))
    }

    /// For people.
    fn render_lines(&self, model: &str) -> [String; 3] {
        let goes = match &self.goes_to {
            None if model == "outside" => {
                "motion and statements go to the person or program that claims the seat".to_owned()
            }
            Some(place) => format!("motion and statements leave this machine, to {place}"),
            None => "nothing leaves this machine".to_owned(),
        };
        [
            format!("  {model}: {}", self.seats.join(", ")),
            format!("    {}", self.calls_and_cost(model)),
            format!("    {goes}"),
        ]
    }
}

/// How many calls the debate of `record` makes at most if every first answer can be used, extensions counted;
/// `texts` are those that it is pinned to. `None` where that cannot be told.
pub fn calls_max(record: &Record, texts: &BTreeMap<Digest, String>) -> Option<u64> {
    let protocol = declarations::find_rules(record).ok()?;
    let renderer = local_run::compile_renderer(record, texts).ok()?;
    let mut opened = record.opened().clone();
    opened.limits = current_limits(record);
    let (_, calls) = rehearse_debate(protocol, opened, texts, &renderer, &StopFlag::default()).ok()?;
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
    fn describe_calls(&self, all: u64) -> String {
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
fn price_origin_json(price: &PriceOrigin) -> impl Serialize {
    match price {
        PriceOrigin::Configured => json!({"origin": "configuration"}),
        PriceOrigin::Listed { date, source } => {
            json!({"origin": "list", "date": date, "source": source, "old": is_old(date)})
        }
    }
}

/// Who says what a model costs, for people.
fn describe_price_origin(price: &PriceOrigin) -> String {
    match price {
        PriceOrigin::Configured => "the price in your configuration".into(),
        PriceOrigin::Listed { date, source } if is_old(date) => {
            format!("the list price of {date} ({source}; refresh it: agon prices refresh)")
        }
        PriceOrigin::Listed { date, source } => format!("the list price of {date} ({source})"),
    }
}

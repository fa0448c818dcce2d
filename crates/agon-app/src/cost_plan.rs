//! `agon run --plan`: the calls, the cost and the recipients of a debate. Sends nothing.

use std::collections::BTreeMap;

use agon_core::{Basis, Digest, Opened, Protocol, Record, Role, SeatModel, Usage};
use agon_material::manifest::MaterialManifest;
use agon_runtime::{
    cancellation::StopFlag,
    config::ModelSpec,
    drive::current_limits,
    lookups::LOOKUPS,
    prices::{PriceOrigin, is_old},
    prompts::{Renderer, material::MATERIAL},
    rehearse::{Rehearsed, rehearse_debate},
};
use agon_text::count_noun;
use serde::Serialize;

use crate::{
    budget_warning::{self, USUAL_SHARE},
    companion, declarations, display,
    failure::Result,
    local_run, lookups,
    model_speed::{MeasuredSpeeds, assumed_speed},
    models::SeatedModel,
    opening::{
        judging,
        material::{PlannedMaterial, describe_material},
    },
    prompt_templates::Texts,
};

/// How often the winner followed the side and not the case: 38.5 %, with an interval from 34.7 to 42.1.
pub(crate) const SIDE_SHARE: &str = "about 4 of 10";

/// The calls and cost of a debate, computed by rehearsal: as `agon run --plan --output json` says it, and as text. Nothing
/// was sent.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// What would make its result worth more.
    pub advice: Option<String>,
    /// Calls, if no answer needs a redraft.
    pub calls: u64,
    /// Those of a debate that ends as early as it may, where these are fewer.
    pub calls_early: Option<usize>,
    /// Those of a debate that ends as usual, where these are fewer.
    pub calls_usual: Option<usize>,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Most tokens of all answers.
    pub completion_tokens_max: u64,
    /// What is asked of each model.
    pub models: Vec<PlannedModel>,
    /// What judging it takes in addition.
    pub judging: Vec<String>,
    /// What to know about its budgets.
    pub budget: Option<String>,
    /// What its seats are shown.
    pub material: Option<PlannedMaterial>,
    /// What its seats may look up.
    pub lookups: Option<String>,
    /// The requests, in their order.
    pub requests: Vec<PlannedCall>,
    /// For people, as `agon run --plan` says it.
    #[serde(skip)]
    pub text: String,
}

/// What a debate asks of one model, and what that costs.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct PlannedModel {
    /// As the line-up names it.
    pub model: String,
    seats: Vec<String>,
    calls: u64,
    prompt_tokens: u64,
    completion_tokens_max: u64,
    /// Of these, the room for thinking.
    #[serde(skip)]
    thinking_tokens: u64,
    /// Cost in millionths of a dollar; `None` where no price is known.
    pub cost_microusd: Option<u64>,
    cost_basis: Basis,
    price: Option<PlannedPrice>,
    /// Minutes, of all calls one after the other: as assumed, and the fewest and the most that are expected, where that was
    /// measured. In tenths.
    pub minutes: f64,
    minutes_min: Option<f64>,
    minutes_max: Option<f64>,
    /// The same in seconds, not rounded: what the text for people is made of.
    #[serde(skip)]
    seconds: f64,
    #[serde(skip)]
    range: Option<(f64, f64)>,
    leaves_machine_to: Option<String>,
}

/// Who says what a model costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "origin")]
enum PlannedPrice {
    #[serde(rename = "configuration")]
    Configured,
    #[serde(rename = "list")]
    Listed { date: String, source: String, old: bool },
}

/// A request of a debate that is planned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlannedCall {
    key: String,
    seat: String,
    prompt: String,
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
        let mut parts: BTreeMap<&str, PlannedModel> = BTreeMap::new();
        for sat in self.lineup {
            parts.entry(&sat.entry.model).or_default().add(sat, &calls, self.speeds);
        }
        let total = |of: fn(&PlannedModel) -> u64| parts.values().map(of).sum::<u64>();
        let (all, read, written) = (total(|p| p.calls), total(|p| p.prompt_tokens), total(|p| p.completion_tokens_max));
        let judging = judging::describe_extra_costs(opened);
        let short = budget_warning::find_budget_warning(&calls, &opened.limits);
        let list = opened.documents.get(MATERIAL).and_then(|digest| texts.get(digest));
        let list = list.and_then(|list| MaterialManifest::parse(list).ok());
        let mirror = self.mirror_advice();
        let mut lines = vec![format!(
            "{}; about {} input tokens, at most {} output tokens. Nothing was sent.",
            ends.describe_calls(all),
            display::format_count(read),
            display::format_count(written)
        )];
        lines.extend(parts.values().flat_map(PlannedModel::render_lines));
        lines.extend(list.iter().flat_map(describe_material));
        lines.extend(lookups::describe_plan(opened, list.as_ref()));
        lines.extend(judging.iter().chain(&short).chain(&mirror).cloned());
        let requests =
            calls.into_iter().map(|Rehearsed { key, seat, prompt, .. }| PlannedCall { key, seat, prompt }).collect();
        Ok(Plan {
            advice: mirror,
            calls: all,
            calls_early: ends.early.map(|(_, calls)| calls),
            calls_usual: ends.usual.map(|(_, calls)| calls),
            prompt_tokens: read,
            completion_tokens_max: written,
            models: parts.into_values().collect(),
            judging,
            budget: short,
            material: list.map(PlannedMaterial::from),
            lookups: opened.options.get(LOOKUPS).and_then(|chosen| chosen.as_str()).map(str::to_owned),
            requests,
            text: lines.join("\n"),
        })
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

impl PlannedModel {
    /// Adds what the model is asked at another seat.
    fn add(&mut self, sat: &SeatedModel, calls: &[Rehearsed], speeds: &MeasuredSpeeds) {
        let SeatModel { seat, name, model, .. } = &sat.entry;
        self.model.clone_from(model);
        self.seats.push(name.clone().unwrap_or_else(|| seat.to_string()));
        let mut price = None;
        let speed = assumed_speed(&sat.spec);
        self.range = speeds.range_of(model, &sat.spec);
        match &sat.spec {
            ModelSpec::Provider(choice) => {
                price = choice.price;
                self.price = choice.price_origin.clone().map(PlannedPrice::from);
                if !choice.is_paid() && price.is_none() {
                    self.cost_microusd = Some(0);
                }
            }
            ModelSpec::Command(_) => {}
            _ => self.cost_microusd = Some(0),
        }
        self.leaves_machine_to = sat.spec.leaves_machine();
        for call in calls.iter().filter(|call| call.seat == seat.as_str()) {
            let is_sent_schema = matches!(sat.spec, ModelSpec::Provider(_) | ModelSpec::Command(_));
            let read = call.prompt_tokens + if is_sent_schema { call.schema_tokens } else { 0 };
            let written = call.tokens_max + call.thinking_tokens;
            self.calls += 1;
            self.prompt_tokens += read;
            self.completion_tokens_max += written;
            self.thinking_tokens += call.thinking_tokens;
            self.seconds += read as f64 / speed.0 + written as f64 * USUAL_SHARE / speed.1;
        }
        if let Some(price) = price {
            // Thinking takes its whole room seldom.
            let unused = self.thinking_tokens as f64 * (1.0 - USUAL_SHARE);
            let (prompt_tokens, completion_tokens) = (self.prompt_tokens, self.completion_tokens_max - unused as u64);
            self.cost_microusd =
                Some(price.cost_microusd(&Usage { prompt_tokens, completion_tokens, ..Usage::default() }));
        }
        self.cost_basis = if self.cost_microusd.is_some() { Basis::Estimated } else { Basis::Unknown };
        let tenth = |minutes: f64| (minutes * 10.0).round() / 10.0;
        let (low, high) = self.estimate_minutes().unzip();
        (self.minutes, self.minutes_min, self.minutes_max) =
            (tenth(self.seconds / 60.0), low.map(tenth), high.map(tenth));
    }

    /// The fewest and the most minutes that are expected, where the model's time was measured.
    fn estimate_minutes(&self) -> Option<(f64, f64)> {
        let minutes = self.seconds / 60.0;
        self.range.map(|(low, high)| (minutes * low, minutes * high))
    }

    /// Its calls, their cost and their time, for people.
    pub fn calls_and_cost(&self) -> String {
        let cost = match self.cost_microusd {
            Some(0) => "free".to_owned(),
            Some(cost) => {
                let by = self.price.as_ref().map_or(String::new(), |price| format!(" by {}", describe_price(price)));
                format!("about {}{by}, more with longer answers and redrafts", display::format_money(cost))
            }
            None if self.model.starts_with("cli:") => "paid as that program is paid".to_owned(),
            None => "price unknown (set it under [providers] in agon.toml, or see agon prices)".to_owned(),
        };
        let calls = count_noun(self.calls, "call", "calls");
        let (low, high) = self.estimate_minutes().unwrap_or((self.seconds / 60.0, self.seconds / 60.0));
        let (low, high) = (low.ceil() as u64, high.ceil() as u64);
        let low = if low < high { format!("{low} to ") } else { String::new() };
        format!("{calls}, {cost}, about {low}{}", count_noun(high, "minute", "minutes"))
    }

    /// For people.
    fn render_lines(&self) -> [String; 3] {
        let model = &self.model;
        let goes = match &self.leaves_machine_to {
            None if model == "outside" => {
                "motion and statements go to the person or program that claims the seat".to_owned()
            }
            Some(place) => format!("motion and statements leave this machine, to {place}"),
            None => "nothing leaves this machine".to_owned(),
        };
        [
            format!("  {model}: {}", self.seats.join(", ")),
            format!("    {}", self.calls_and_cost()),
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

impl From<PriceOrigin> for PlannedPrice {
    fn from(price: PriceOrigin) -> Self {
        match price {
            PriceOrigin::Configured => Self::Configured,
            PriceOrigin::Listed { date, source } => Self::Listed { old: is_old(&date), date, source },
        }
    }
}

/// Who says what a model costs, for people.
fn describe_price(price: &PlannedPrice) -> String {
    match price {
        PlannedPrice::Configured => "the price in your configuration".into(),
        PlannedPrice::Listed { date, source, old: true } => {
            format!("the list price of {date} ({source}; refresh it: agon prices refresh)")
        }
        PlannedPrice::Listed { date, source, old: false } => format!("the list price of {date} ({source})"),
    }
}

//! Arms: protocols that answer items. Each is checked once, and its debates differ in the item alone.

use agon_core::{Digest, Extension, Manifest, MotionKind, Opened, SeatModel};
use agon_eval::item::Item;
use agon_protocols::declared::{
    self, DOCUMENT, Declaration,
    declaration::OutcomeReading,
    form::CHOICES,
    quotes::CONTEXT,
    state::{SAMPLES, SAMPLES_MAX},
};
use serde_json::json;

use super::{
    EvaluationRequest, SampleCount,
    arm_plan::{self, ArmPlan},
    content_key::{ContentKey, item_digest},
    items::{self, ItemFile},
    run_folder::RunArm,
};
use crate::{
    context::Context,
    failure::{Failure, Result},
    models::check_prices,
    opening::{self, CheckedDebate},
    request::{OpeningRequest, SeatRequest},
};

/// Option of a debate that belongs to an evaluation: which item and arm it is for, and the gold answer. No prompt
/// gets it.
pub const EVALUATION: &str = "evaluation";
/// Items of which the debates are rehearsed for a plan.
const REHEARSED_MAX: usize = 5;
/// Most arms of an evaluation.
const ARMS_MAX: usize = 30;

/// A protocol that answers items, with its models.
#[derive(Clone)]
pub struct Arm {
    /// Its name, as the report says it, its models, and its number of samples.
    pub run: RunArm,
    /// What it asks of one item.
    pub plan: ArmPlan,
    pub(crate) checked: CheckedDebate,
}

/// What a debate of an evaluation says about itself.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EvaluationTag {
    /// Id of the item.
    pub item: String,
    /// Its cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Its gold answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold: Option<String>,
    /// Its choices in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Digest of the item.
    pub item_digest: Digest,
    /// Name of the arm.
    pub arm: String,
    /// Which repetition, from 0.
    pub repetition: u32,
    /// Seed of the evaluation.
    pub seed: u64,
}

/// Checks every arm of `request`. Nothing is sent.
pub(super) fn prepare_arms(
    context: &Context,
    request: &EvaluationRequest,
    items: &ItemFile,
    notes: &mut Vec<String>,
) -> Result<Vec<Arm>> {
    let remedy = "name at least one: --arm direct --arm debate-mirrored; agon protocols list shows all";
    if request.arms.is_empty() {
        return Err(Failure::usage("no arm is named", remedy));
    }
    if request.arms.len() > ARMS_MAX {
        return Err(Failure::usage(format!("{} arms", request.arms.len()), format!("name at most {ARMS_MAX}")));
    }
    let mut arms: Vec<Arm> = Vec::new();
    let mut known = vec![false; request.seats.seats.len()];
    for name in &request.arms {
        let arm = prepare_arm(context, request, name, items, &mut known, notes)?;
        if arms.iter().any(|other| other.run.name == arm.run.name) {
            return Err(Failure::usage(format!("the arm {:?} is named twice", arm.run.name), "name each arm once"));
        }
        arms.push(arm);
    }
    if let Some(at) = known.iter().position(|known| !known) {
        let seat = &request.seats.seats[at];
        let mut seats: Vec<&str> = arms.iter().flat_map(|arm| arm.run.models.keys().map(String::as_str)).collect();
        seats.sort_unstable();
        seats.dedup();
        return Err(Failure::unknown(
            format!("--seat {seat}: no arm has such a seat"),
            format!("the seats of these arms are {}", seats.join(", ")),
        ));
    }
    equalize_samples(request, &mut arms, items, notes)?;
    Ok(arms)
}

/// The arm called `name`.
fn prepare_arm(
    context: &Context,
    request: &EvaluationRequest,
    name: &str,
    items: &ItemFile,
    known: &mut [bool],
    notes: &mut Vec<String>,
) -> Result<Arm> {
    let manifest = crate::declarations::find_protocol(&context.places, name, false)?.protocol.manifest();
    if manifest.motion == MotionKind::Document {
        return Err(Failure::usage(
            format!("{name} debates a document, and an item is a question"),
            "choose a protocol whose motion is a text",
        ));
    }
    let seats = select_own_seats(manifest, &request.seats, known);
    let opening = OpeningRequest {
        protocol: name.to_owned(),
        motion: items.examples.first().map(|item| items::render_motion(item, &item.choices)),
        id: Some("evaluation".into()),
        seats: SeatRequest { seats, model: request.seats.model.clone() },
        seed: Some(request.seed),
        yes: true,
        offline: request.offline,
        ..OpeningRequest::default()
    };
    let checked = opening::check_request(context, &opening)?;
    let told = checked.notes.iter().map(|note| format!("{name}: {note}"));
    notes.extend(told);
    check_prices(&checked.lineup, &price_limits(request)?)?;
    if let Some(seat) = checked.opened.lineup.iter().find(|sat| is_person(sat)) {
        return Err(Failure::usage(
            format!("{name}: {} answers at the seat {}", seat.model, seat.seat),
            "evaluations ask models alone; name one with --seat",
        ));
    }
    check_answers(name, &checked, items)?;
    let models = checked.opened.lineup.iter().map(|sat| (sat.seat.to_string(), sat.model.clone())).collect();
    let run = RunArm { name: checked.opened.protocol.clone(), digest: Digest::from_content(""), models, samples: None };
    let mut arm = Arm { run, plan: ArmPlan::default(), checked };
    arm.run.samples = arm.declaration().and_then(|all| all.asks_with_phases().find_map(|(_, ask)| ask.samples));
    if let (Some(samples), SampleCount::Fixed(wanted)) = (arm.run.samples.as_mut(), request.samples) {
        if !(1..=SAMPLES_MAX).contains(&wanted) {
            let message = format!("--samples {wanted}");
            return Err(Failure::usage(message, format!("choose 1 to {SAMPLES_MAX} samples")));
        }
        *samples = wanted;
    }
    arm.update_plan(request, items)?;
    Ok(arm)
}

/// The limits that prices are checked for.
fn price_limits(request: &EvaluationRequest) -> Result<agon_core::Limits> {
    let Extension { cost_microusd_max, .. } = opening::parse_budget(&request.budget)?;
    Ok(agon_core::Limits { cost_microusd_max, ..agon_core::Limits::default() })
}

fn is_person(sat: &SeatModel) -> bool {
    matches!(sat.model.as_str(), "human" | "outside")
}

/// The `--seat` options that this protocol has a seat for.
fn select_own_seats(manifest: &Manifest, seats: &SeatRequest, known: &mut [bool]) -> Vec<String> {
    let is_own = |seat: &str| {
        let name = seat.split('=').next().unwrap_or_default();
        let row = name.rsplit_once('-').filter(|(_, number)| number.parse::<u32>().is_ok());
        let is_in = |row_name: &str| row.is_some_and(|(row, _)| row == row_name);
        manifest.seats.iter().any(|spec| spec.name == name || (spec.members.is_some() && is_in(&spec.name)))
    };
    let mut own = Vec::new();
    for (seat, known) in seats.seats.iter().zip(known) {
        if is_own(seat) {
            *known = true;
            own.push(seat.clone());
        }
    }
    own
}

/// Refuses an arm whose end names no choice of the items.
fn check_answers(name: &str, checked: &CheckedDebate, items: &ItemFile) -> Result<()> {
    let remedy = "give the protocol an [outcome] with read = \"answer\", or choose another arm: agon protocols list";
    let none = |why: &str| Err(Failure::usage(format!("the arm {name} has no judge of answers: {why}"), remedy));
    let declaration = parse_declaration(checked);
    if let Some(reading) = declaration.as_ref().map(|declared| declared.outcome.read) {
        match reading {
            OutcomeReading::Closed => return none("it ends without a decision"),
            OutcomeReading::Median => return none("it ends with a number"),
            OutcomeReading::Answer | OutcomeReading::Vote | OutcomeReading::Field | OutcomeReading::Word => {}
        }
        if let Some(item) = items.without_choices.as_ref().filter(|_| reading == OutcomeReading::Answer) {
            return Err(Failure::usage(
                format!("{}: item {item:?} has no choices, and {name} chooses one", items.path.display()),
                "add choices to the item, or leave it out",
            ));
        }
        return Ok(());
    }
    // A protocol of the program decides by its own words.
    let outcomes = &checked.protocol.manifest().outcomes;
    let fits = |choice: &String| outcomes.iter().any(|outcome| outcome.name.eq_ignore_ascii_case(choice));
    let wrong = items.examples.iter().find(|item| !item.choices.iter().any(fits));
    match wrong {
        None => Ok(()),
        Some(item) => {
            let names: Vec<&str> = outcomes.iter().map(|outcome| outcome.name.as_str()).collect();
            none(&format!(
                "its outcomes are {}, and none of them is among the choices of item {:?}",
                names.join(", "),
                item.id
            ))
        }
    }
}

/// Gives arms with samples as many as reach the tokens of the arm that takes most, where that is wanted.
fn equalize_samples(
    request: &EvaluationRequest,
    arms: &mut [Arm],
    items: &ItemFile,
    notes: &mut Vec<String>,
) -> Result<()> {
    if request.samples != SampleCount::EqualTokens {
        return Ok(());
    }
    let most = arms.iter().filter(|arm| arm.run.samples.is_none()).max_by_key(|arm| arm.plan.usual_tokens());
    let Some((name, tokens)) = most.map(|arm| (arm.run.name.clone(), arm.plan.usual_tokens())) else {
        return Err(Failure::usage(
            "--equal-tokens: no arm without samples is there to be equal to",
            "add one, for example --arm debate",
        ));
    };
    if arms.iter().all(|arm| arm.run.samples.is_none()) {
        return Err(Failure::usage(
            "--equal-tokens: no arm takes samples",
            "add one, for example --arm self-consistency",
        ));
    }
    for arm in arms.iter_mut().filter(|arm| arm.run.samples.is_some()) {
        let each = arm.plan.usual_tokens() / u64::from(arm.run.samples.unwrap_or(1)).max(1);
        let wanted = tokens.div_ceil(each.max(1)).clamp(1, SAMPLES_MAX.into()) as u32;
        arm.run.samples = Some(wanted);
        arm.update_plan(request, items)?;
        notes.push(format!(
            "{}: {wanted} samples take about as many tokens as {name}; the report has the measured figures",
            arm.run.name
        ));
    }
    Ok(())
}

/// The declaration of the protocol that `checked` opens.
fn parse_declaration(checked: &CheckedDebate) -> Option<Declaration> {
    declared::parse_declaration(checked.texts.get(checked.opened.documents.get(DOCUMENT)?)?).ok()
}

impl Arm {
    /// Its declaration, where it is one.
    pub fn declaration(&self) -> Option<Declaration> {
        parse_declaration(&self.checked)
    }

    /// Whether a single verdict decides between two that argue, which depends on who argues for what.
    pub fn is_unmirrored(&self) -> bool {
        self.declaration().is_some_and(|all| {
            let argues = all.seats.iter().filter(|seat| seat.argues.is_some()).count();
            argues > 1 && all.phases.iter().all(|phase| !phase.swap)
        })
    }

    /// What follows from its number of samples: its digest, and what it asks.
    fn update_plan(&mut self, request: &EvaluationRequest, items: &ItemFile) -> Result<()> {
        let Opened { protocol, rules, prompts, documents, .. } = &self.checked.opened;
        let all = json!([protocol, rules, prompts, documents.get(DOCUMENT), self.run.samples]);
        self.run.digest = Digest::from_content(all.to_string());
        let examples = items.examples.iter().take(REHEARSED_MAX);
        let debates =
            examples.map(|item| self.prepare_debate(item, request.seed, 0)).collect::<Result<Vec<CheckedDebate>>>()?;
        self.plan = arm_plan::average_arm_plan(&debates)?;
        Ok(())
    }

    /// The key of its debate about an item.
    pub(super) fn content_key<'k>(&'k self, item: &'k Digest, seed: u64, repetition: u32) -> ContentKey<'k> {
        ContentKey { item, arm: &self.run.digest, models: &self.run.models, seed, repetition }
    }

    /// Its debate about `item`, ready to be started.
    pub(super) fn prepare_debate(&self, item: &Item, seed: u64, repetition: u32) -> Result<CheckedDebate> {
        let digest = item_digest(item);
        let key = self.content_key(&digest, seed, repetition);
        let order = key.choice_order(&item.choices);
        let shown: Vec<&String> = order.iter().filter_map(|at| item.choices.get(*at)).collect();
        let tag = EvaluationTag {
            item: item.id.clone(),
            cluster: item.cluster.clone(),
            gold: item.gold.clone(),
            choices: item.choices.clone(),
            item_digest: digest.clone(),
            arm: self.run.name.clone(),
            repetition,
            seed,
        };
        let mut checked = self.checked.clone();
        let opened = &mut checked.opened;
        opened.debate = key.debate_id()?;
        opened.seed = key.debate_seed();
        opened.motion = items::render_motion(item, shown.iter().copied());
        opened.options.insert(EVALUATION.into(), json!(tag));
        if !shown.is_empty() {
            opened.options.insert(CHOICES.into(), json!(shown));
        }
        opened.options.insert(declared::QUESTION.into(), item.question.trim().into());
        if let Some(samples) = self.run.samples {
            opened.options.insert(SAMPLES.into(), samples.into());
        }
        if let Some(context) = &item.context {
            let digest = Digest::from_content(context);
            opened.documents.insert(CONTEXT.into(), digest.clone());
            checked.texts.insert(digest, context.clone());
        }
        Ok(checked)
    }
}

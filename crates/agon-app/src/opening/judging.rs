//! Who judges, in which orders, and who may: what a user says, and what a careful one would want
//! where nothing is said. `docs/judging.md` has the reasons.

use agon_core::{Manifest, Opened, Role, SeatSpec};
use agon_journal::Journal;
use agon_protocols::common::claim_reading;
use agon_report::{
    companion::{BASELINE, EXTRACTOR, MIRROR},
    participation::model_family,
};
use agon_runtime::config::{Config, ModelSpec};
use agon_text::{count_noun, join_names};

use super::requested_debate::RequestedDebate;
use crate::{
    failure::{Failure, Result},
    models::SeatedModel,
    request::{OpeningRequest, Options},
};

/// The options of judging: in which orders of the sides, and when to stop early.
const ORDERS: &str = "orders";
const STOP: &str = "stop";
/// What the seats of a panel of judges begin with, before their number.
const PANEL: &str = "judge-";

/// The seat that may become a panel, and how many seats that has at most.
fn find_panel_seat(manifest: &Manifest) -> Option<(&SeatSpec, u32)> {
    manifest.seats.iter().find_map(|seat| Some((seat, seat.panel_max?)))
}

/// The judges of a panel, each with its model where it is named; none for a single judge of whom
/// nothing is said.
pub fn panel_judges(manifest: &Manifest, given: &Options) -> Result<Vec<Option<String>>> {
    let (Some(wanted), Some((_, most))) = (given.text("judges"), find_panel_seat(manifest)) else {
        return Ok(Vec::new());
    };
    let judges: Vec<Option<String>> = match wanted.trim().parse::<u32>() {
        Ok(count) => vec![None; count.min(most + 1) as usize],
        Err(_) => wanted.split(',').map(|model| Some(model.trim().to_owned())).collect(),
    };
    if judges.iter().flatten().any(String::is_empty) {
        return Err(Failure::usage(format!("--judges {wanted:?} has an empty entry"), "write MODEL,MODEL,MODEL"));
    }
    if judges.len().is_multiple_of(2) || judges.len() > most as usize {
        return Err(Failure::usage(
            format!("--judges {wanted}: a panel needs an odd number of judges, at most {most}"),
            "for example --judges 3",
        ));
    }
    Ok(judges)
}

/// Whether a model's name says nothing about who answers.
fn is_unknown_model(spec: &ModelSpec) -> bool {
    use ModelSpec::{Human, Outside, Recorded, Scripted};
    matches!(spec, Human | Outside | Scripted(_) | Recorded(_))
}

/// A model's name without what it is asked with: it is the same model.
fn bare_model_name(sat: &SeatedModel) -> &str {
    let model = &sat.entry.model;
    model.split_once('?').map_or(model, |(model, _)| model)
}

fn of_role<'l>(
    manifest: &'l Manifest,
    lineup: &'l [SeatedModel],
    wanted: Role,
) -> impl Iterator<Item = &'l SeatedModel> {
    let role = |sat: &&SeatedModel| manifest.find_seat(sat.entry.seat.as_str()).map(|seat| seat.role);
    lineup.iter().filter(move |sat| role(sat) == Some(wanted))
}

/// Whether someone named a judge, for its seat alone: by a list, by a seat, or in the configuration.
pub fn is_judge_named(manifest: &Manifest, request: &OpeningRequest, config: &Config) -> bool {
    let Some(seat) = manifest.seats.iter().find(|seat| seat.role == Role::Judge) else { return false };
    let names_it = |name: &str| name == seat.name || name.starts_with(&format!("{}-", seat.name));
    let mut flags = request.seats.seats.iter().filter_map(|pair| pair.split_once('='));
    let mut configured = config.seats.get(&manifest.name).into_iter().flat_map(|seats| seats.keys());
    request.options.text("judges").is_some_and(|judges| judges.trim().parse::<u32>().is_err())
        || flags.any(|(name, _)| names_it(name.trim()))
        || configured.any(|name| names_it(name))
}

/// Refuses a judge that was named for its seat (`is_named`) and argues, too, unless that `is_allowed`; says what else a
/// user should know before anything is asked.
pub fn check_judges(
    manifest: &Manifest,
    lineup: &[SeatedModel],
    is_named: bool,
    is_allowed: bool,
) -> Result<Vec<String>> {
    let debaters: Vec<&SeatedModel> = of_role(manifest, lineup, Role::Debater).collect();
    let judges: Vec<&SeatedModel> =
        of_role(manifest, lineup, Role::Judge).filter(|judge| !is_unknown_model(&judge.spec)).collect();
    let mut models = debaters.iter().chain(&judges).map(|sat| bare_model_name(sat));
    let first = models.next();
    let several = models.any(|model| Some(model) != first);
    let mut notes = Vec::new();
    for judge in &judges {
        let model = &judge.entry.model;
        let own = debaters.iter().filter(|sat| bare_model_name(sat) == bare_model_name(judge));
        let own: Vec<&str> = own.map(|sat| sat.entry.seat.as_str()).collect();
        if !own.is_empty() && is_named && several && !is_allowed {
            let seat = &judge.entry.seat;
            return Err(Failure::usage(
                format!("{model} would judge itself: it is {} and {seat}", join_names(&own)),
                format!("name another model for {seat}, or allow this with --self-judging"),
            ));
        }
        let is_kin = |sat: &&&SeatedModel| {
            bare_model_name(sat) != bare_model_name(judge)
                && model_family(&sat.entry.model).is_some_and(|kin| model_family(model) == Some(kin))
        };
        match (own.is_empty(), debaters.iter().find(is_kin)) {
            // Where there is one model alone, the head of the report says it, and that is enough.
            (false, _) if several => {
                notes.push(format!("{model} judges its own statements as {}", join_names(&own)));
            }
            (true, Some(sat)) => notes.push(format!(
                "{model} judges {}, a model of the same family; both make similar mistakes",
                sat.entry.model
            )),
            (false, _) | (true, None) => {}
        }
    }
    notes.dedup();
    Ok(notes)
}

/// Puts the options of judging on the record: both orders for one model that judges, one for a panel,
/// and one for someone whose time is more expensive than a model's. A judge that answers from an earlier debate does so
/// in the words that it had for the labels of that debate: its orders and its seed are taken.
///
/// # Errors
///
/// Where that debate cannot be read.
pub(super) fn settle_judging(
    journal: &Journal,
    requested: &mut RequestedDebate<'_>,
    lineup: &[SeatedModel],
) -> Result<()> {
    let manifest = requested.protocol.manifest();
    let judges: Vec<&SeatedModel> = of_role(manifest, lineup, Role::Judge).collect();
    let recorded = judges.iter().find_map(|judge| match &judge.spec {
        ModelSpec::Recorded(id) => Some(id),
        _ => None,
    });
    let mut orders = None;
    if let Some(earlier) = recorded {
        let earlier = journal.read_record(earlier)?;
        requested.seed.get_or_insert(earlier.opened().seed);
        orders = earlier.opened().options.get(ORDERS).cloned();
    } else if find_panel_seat(manifest).is_some() {
        let is_one_model = judges.len() == 1 && !matches!(judges[0].spec, ModelSpec::Human | ModelSpec::Outside);
        orders = Some(if is_one_model { "both" } else { "one" }.into());
    }
    let (given, options) = (&requested.request.options, &mut requested.intake.options);
    // A chair that concludes blind does so because someone asked for it.
    orders = given.text("orders").map(Into::into).or(orders);
    options.extend(orders.map(|orders| (ORDERS.to_owned(), orders)));
    options.extend(given.text("stop").map(|stop| (STOP.to_owned(), stop.into())));
    Ok(())
}

/// What a debate costs more than one with one judge in one order, in a line for each reason.
pub fn describe_extra_costs(opened: &Opened) -> Vec<String> {
    let mut costs = Vec::new();
    if let Some(orders) = opened.options.get(ORDERS) {
        let numbers = opened.lineup.iter().filter_map(|sat| sat.seat.as_str().strip_prefix(PANEL)?.parse::<u32>().ok());
        let (judges, is_both) = (numbers.count().max(1), orders == "both");
        let calls = if is_both { 2 * judges } else { judges };
        let protocol = agon_protocols::find_protocol(&opened.protocol);
        let has_judge =
            protocol.is_none_or(|protocol| protocol.manifest().seats.iter().any(|seat| seat.role == Role::Judge));
        let one = if has_judge { "the judge" } else { "the chair that concludes" };
        let judges = if judges > 1 { count_noun(judges, "judge", "judges") } else { one.to_owned() };
        let (orders, half) = if is_both { ("both orders", " (--orders one: half)") } else { ("one order", "") };
        let told =
            format!("{judges} in {orders} of the sides: {} for each judgment", count_noun(calls, "call", "calls"));
        costs.extend((calls > 1).then(|| told + half));
    }
    if claim_reading::is_wanted(opened) {
        costs.push(
            "the reader reads the pages that were opened for a round in one call, and a second call confirms it".into(),
        );
    }
    if opened.options.contains_key(MIRROR) {
        costs.push("the mirror costs as much again; the limits apply to each of the two debates".into());
    }
    if opened.options.contains_key(BASELINE) {
        costs.push("the baseline uses at most as many tokens as the debate, in at most 25 calls".into());
    }
    if let Some(model) = opened.options.get(EXTRACTOR).and_then(|model| model.as_str()) {
        costs.push(format!("after the debate, {model} reads each statement that follows others twice"));
    }
    costs
}

#[cfg(test)]
mod tests {
    use agon_core::{Seat, SeatModel};

    use super::*;
    use crate::opening::tests;

    fn exchange() -> &'static Manifest {
        agon_protocols::find_protocol("exchange").unwrap().manifest()
    }

    fn seated(seat: &str, model: &str) -> SeatedModel {
        let entry = SeatModel::new(Seat::new(seat).unwrap(), model);
        SeatedModel::parse(entry, &Config::default()).unwrap()
    }

    fn lineup(models: [&str; 3]) -> Vec<SeatedModel> {
        let seats = ["proposition", "opposition", "judge"].into_iter().zip(models);
        seats.map(|(seat, model)| seated(seat, model)).collect()
    }

    #[test]
    fn a_panel_is_odd_and_bounded() {
        let judges = |text: &str| {
            let mut given = Options::default();
            given.set("judges", &text.into()).unwrap();
            panel_judges(exchange(), &given)
        };
        assert_eq!(judges("3").unwrap(), vec![None; 3]);
        assert_eq!(judges("a:x, b:y,c:z").unwrap()[1].as_deref(), Some("b:y"));
        for bad in ["2", "0", "11", "4000000000", "a:x,b:y", "a:x,,c:z"] {
            assert_eq!(judges(bad).unwrap_err().exit, 2, "{bad}");
        }
    }

    #[test]
    fn a_judge_that_is_named_may_not_have_argued_unless_it_is_wanted() {
        let mut request = tests::request("exchange");
        let ran = |request: &OpeningRequest, models| {
            let is_named = is_judge_named(exchange(), request, &Config::default());
            check_judges(exchange(), &lineup(models), is_named, request.options.has("self_judging"))
        };
        let own = ["ollama:a", "ollama:b", "ollama:a"];
        // The one model that is there for every other seat may judge, and it is said.
        assert_eq!(ran(&request, own).unwrap().len(), 1);
        request.seats.seats.push("judge=ollama:a".into());
        let error = ran(&request, own).unwrap_err();
        assert!(error.exit == 2 && error.message.contains("proposition and judge"), "{}", error.message);
        let warm = ran(&request, ["openai:gpt-5", "ollama:b", "openai:gpt-5?temperature=1"]);
        assert!(warm.is_err(), "another temperature is no other model");
        // With one model available it may.
        assert!(ran(&request, ["ollama:a"; 3]).unwrap().is_empty());
        request.options.set("self_judging", &true.into()).unwrap();
        assert_eq!(ran(&request, own).unwrap().len(), 1);
        request.options = Options::default();
        assert!(ran(&request, ["ollama:a", "ollama:b", "ollama:c"]).unwrap().is_empty());
        assert!(ran(&request, ["scripted:a", "ollama:b", "scripted:a"]).unwrap().is_empty());
        let kin = ran(&request, ["openai:gpt-5", "ollama:b", "openai:gpt-5-mini"]).unwrap();
        assert!(kin[0].contains("same family"), "{kin:?}");
    }

    #[test]
    fn a_judge_without_debaters_judges_nobody_it_knows() {
        let alone = [seated("judge", "ollama:a")];
        assert!(check_judges(exchange(), &alone, true, false).unwrap().is_empty());
    }

    #[test]
    fn one_model_hears_both_orders_and_a_person_or_a_panel_one() {
        let (home, request) = (tempfile::tempdir().unwrap(), tests::request("exchange"));
        let journal = Journal::open(home.path()).unwrap();
        for (model, seats, wanted) in
            [("local", 1, "both"), ("human", 1, "one"), ("outside", 1, "one"), ("local", 3, "one")]
        {
            let mut lineup = lineup(["local", "local", model]);
            if seats > 1 {
                lineup.truncate(2);
                lineup.extend((1..=seats).map(|n| seated(&format!("judge-{n}"), model)));
            }
            let mut requested = tests::requested(&request);
            settle_judging(&journal, &mut requested, &lineup).unwrap();
            assert_eq!(requested.intake.options[ORDERS], wanted, "{seats} {model}");
        }
    }
}

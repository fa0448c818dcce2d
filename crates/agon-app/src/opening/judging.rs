//! Who judges, in which orders, and who may: what a user says, and what a careful one would want
//! where nothing is said. `docs/judging.md` has the reasons.

use agon_core::{DebateId, Manifest, Opened, Role, SeatModel, SeatSpec};
use agon_formats::{
    companion::{BASELINE, EXTRACTOR, MIRROR},
    conduct::family,
};
use agon_protocols::{
    common::claim_reading,
    exchange::judges::{JudgePanel, ORDERS, STOP},
};
use agon_runtime::config::{Config, ModelSpec};
use agon_text::{count_noun, join_names};
use serde_json::{Map, Value};

use crate::{
    failure::{Failure, Result},
    request::{OpeningRequest, Options},
};

/// The seat that may become a panel, and how many seats that has at most.
fn panel(manifest: &Manifest) -> Option<(&SeatSpec, u32)> {
    manifest.seats.iter().find_map(|seat| Some((seat, seat.panel_max?)))
}

/// The judges of a panel, each with its model where it is named; none for a single judge of whom
/// nothing is said.
pub fn judges(manifest: &Manifest, given: &Options) -> Result<Vec<Option<String>>> {
    let (Some(wanted), Some((_, most))) = (given.text("judges"), panel(manifest)) else {
        return Ok(Vec::new());
    };
    let judges: Vec<Option<String>> = match wanted.trim().parse::<u32>() {
        Ok(count) => vec![None; count.min(most + 1) as usize],
        Err(_) => wanted.split(',').map(|model| Some(model.trim().to_owned())).collect(),
    };
    if judges.iter().flatten().any(String::is_empty) {
        return Err(Failure::usage(
            format!("--judges {wanted:?} has an empty entry"),
            "write MODEL,MODEL,MODEL",
        ));
    }
    if judges.len().is_multiple_of(2) || judges.len() > most as usize {
        return Err(Failure::usage(
            format!("--judges {wanted}: a panel needs an odd number of judges, at most {most}"),
            "for example --judges 3",
        ));
    }
    Ok(judges)
}

/// Whether a name of a model says nothing about who answers.
fn unknown(model: &str) -> bool {
    matches!(model, "human" | "outside") || model.starts_with("scripted:") || model.starts_with("recorded:")
}

fn role(manifest: &Manifest, sat: &SeatModel) -> Option<Role> {
    manifest.seat(sat.seat.as_str()).map(|seat| seat.role)
}

/// A model's name without what it is asked with: it is the same model.
fn bare(model: &str) -> &str {
    model.split_once('?').map_or(model, |(model, _)| model)
}

fn of_role(manifest: &Manifest, lineup: &[SeatModel], wanted: Role) -> Vec<SeatModel> {
    lineup.iter().filter(|sat| role(manifest, sat) == Some(wanted)).cloned().collect()
}

/// Refuses a judge that was named for its seat and argues, too; says what else a user should know
/// before anything is asked.
pub fn check(
    manifest: &Manifest,
    lineup: &[SeatModel],
    request: &OpeningRequest,
    config: &Config,
) -> Result<Vec<String>> {
    let debaters = of_role(manifest, lineup, Role::Debater);
    let mut judges = of_role(manifest, lineup, Role::Judge);
    judges.retain(|judge| !unknown(&judge.model));
    let Some(seat) = manifest.seats.iter().find(|seat| seat.role == Role::Judge) else {
        return Ok(Vec::new());
    };
    let names_it = |name: &str| name == seat.name || name.starts_with(&format!("{}-", seat.name));
    let flags = request.seats.seats.iter().filter_map(|pair| pair.split_once('='));
    let listed = request.options.text("judges").is_some_and(|judges| judges.trim().parse::<u32>().is_err());
    let named = listed
        || flags.into_iter().any(|(name, _)| names_it(name.trim()))
        || config.seats.get(&manifest.name).is_some_and(|seats| seats.keys().any(|name| names_it(name)));
    let several = debaters.iter().chain(&judges).any(|sat| bare(&sat.model) != bare(&debaters[0].model));
    let mut notes = Vec::new();
    for judge in &judges {
        let own: Vec<&str> = debaters
            .iter()
            .filter(|sat| bare(&sat.model) == bare(&judge.model))
            .map(|sat| sat.seat.as_str())
            .collect();
        if !own.is_empty() && named && several && !request.options.has("self_judging") {
            return Err(Failure::usage(
                format!("{} would judge itself: it is {} and {}", judge.model, join_names(&own), judge.seat),
                format!("name another model for {}, or allow this with --self-judging", judge.seat),
            ));
        }
        let kin = debaters.iter().find(|sat| {
            bare(&sat.model) != bare(&judge.model)
                && family(&sat.model).is_some_and(|f| family(&judge.model) == Some(f))
        });
        match (own.is_empty(), kin) {
            // Where there is one model alone, the head of the report says it, and that is enough.
            (false, _) if several => {
                notes.push(format!("{} judges its own statements as {}", judge.model, join_names(&own)))
            }
            (true, Some(sat)) => notes.push(format!(
                "{} judges {}, a model of the same family; both make similar mistakes",
                judge.model, sat.model
            )),
            (false, _) | (true, None) => {}
        }
    }
    notes.dedup();
    Ok(notes)
}

/// The earlier debate that a judge answers from.
pub fn recorded(manifest: &Manifest, lineup: &[SeatModel], config: &Config) -> Result<Option<DebateId>> {
    for judge in of_role(manifest, lineup, Role::Judge) {
        if let ModelSpec::Recorded(id) = ModelSpec::parse(&judge.model, config)? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Judges as an earlier debate did.
pub fn follow(options: &mut Map<String, Value>, given: &Options, earlier: &Opened) {
    options.extend(earlier.options.get(ORDERS).map(|orders| (ORDERS.to_owned(), orders.clone())));
    options.extend(given.text("orders").map(|orders| (ORDERS.to_owned(), orders.into())));
    options.extend(given.text("stop").map(|stop| (STOP.to_owned(), stop.into())));
}

/// Puts the options of judging on the record: both orders for one model that judges, one for a panel,
/// and one for someone whose time is more expensive than a model's.
pub fn settle(manifest: &Manifest, options: &mut Map<String, Value>, given: &Options, lineup: &[SeatModel]) {
    if panel(manifest).is_none() {
        // A chair that concludes blind does so because someone asked for it.
        options.extend(given.text("orders").map(|orders| (ORDERS.to_owned(), orders.into())));
        return;
    }
    let judges = of_role(manifest, lineup, Role::Judge);
    let default = match judges.as_slice() {
        [judge] if !matches!(judge.model.as_str(), "human" | "outside") => "both",
        _ => "one",
    };
    options.insert(ORDERS.into(), given.text("orders").unwrap_or(default).into());
    options.extend(given.text("stop").map(|stop| (STOP.to_owned(), stop.into())));
}

/// What a debate costs more than one with one judge in one order, in a line for each reason.
pub fn cost(opened: &Opened) -> Vec<String> {
    let mut costs = Vec::new();
    if opened.options.contains_key(ORDERS) {
        let judge_panel = JudgePanel::of(opened);
        let calls = judge_panel.seats.len() * judge_panel.orders.unwrap_or(1);
        let protocol = agon_protocols::find(&opened.protocol);
        let has_judge = protocol
            .is_none_or(|protocol| protocol.manifest().seats.iter().any(|seat| seat.role == Role::Judge));
        let one = if has_judge { "the judge" } else { "the chair that concludes" };
        let judges = if judge_panel.is_panel() {
            count_noun(judge_panel.seats.len(), "judge", "judges")
        } else {
            one.to_owned()
        };
        let orders = match judge_panel.orders {
            Some(2) => format!(
                "{judges} in both orders of the sides: {} for each judgment (--orders one: half)",
                count_noun(calls, "call", "calls")
            ),
            _ => format!(
                "{judges} in one order of the sides: {} for each judgment",
                count_noun(calls, "call", "calls")
            ),
        };
        costs.extend((calls > 1).then_some(orders));
    }
    if claim_reading::is_wanted(opened) {
        costs.push("the reader reads the pages that were opened for a round in one call, and a second call confirms it".into());
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
    use super::*;
    use crate::opening::testing;

    fn exchange() -> &'static Manifest {
        agon_protocols::find("exchange").unwrap().manifest()
    }

    fn lineup(models: [&str; 3]) -> Vec<SeatModel> {
        let seats = ["proposition", "opposition", "judge"].into_iter().zip(models);
        seats.map(|(seat, model)| SeatModel::new(agon_core::Seat::new(seat).unwrap(), model)).collect()
    }

    #[test]
    fn a_panel_is_odd_and_bounded() {
        let judges = |text: &str| {
            let mut given = Options::default();
            given.set("judges", &text.into()).unwrap();
            judges(exchange(), &given)
        };
        assert_eq!(judges("3").unwrap(), vec![None; 3]);
        assert_eq!(judges("a:x, b:y,c:z").unwrap()[1].as_deref(), Some("b:y"));
        for bad in ["2", "0", "11", "4000000000", "a:x,b:y", "a:x,,c:z"] {
            assert_eq!(judges(bad).unwrap_err().exit, 2, "{bad}");
        }
    }

    #[test]
    fn a_judge_that_is_named_may_not_have_argued_unless_it_is_wanted() {
        let config = Config::default();
        let mut request = testing::request("exchange");
        let ran = |request: &OpeningRequest, models| check(exchange(), &lineup(models), request, &config);
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
    fn one_model_hears_both_orders_and_a_person_or_a_panel_one() {
        for (model, seats, wanted) in
            [("local", 1, "both"), ("human", 1, "one"), ("outside", 1, "one"), ("local", 3, "one")]
        {
            let mut options = Map::new();
            let mut lineup = lineup(["local", "local", model]);
            if seats > 1 {
                lineup.truncate(2);
                let judge = |n| SeatModel::new(agon_core::Seat::new(format!("judge-{n}")).unwrap(), model);
                lineup.extend((1..=seats).map(judge));
            }
            settle(exchange(), &mut options, &Options::default(), &lineup);
            assert_eq!(options[ORDERS], wanted, "{seats} {model}");
        }
    }
}

//! The line-up: resolves the user's choices to a model for each seat.
//!
//! Users name a seat (`judge`, `panelist-2`), a row of seats (`panelist`, all of it), or someone
//! who takes part by name.

use std::collections::BTreeMap;

use agon_core::{Manifest, Record, Seat, SeatModel, SeatSpec, View};
use agon_protocols::common::lineup::{self as members, HOST};
use agon_runtime::config::{Config, ModelSpec, default_model};

use crate::{
    declarations,
    display::suggest_name,
    failure::{Failure, Result},
    models::{SeatedModel, parse_lineup},
    opening::MemberRequest,
    participants::page_verifier::FETCHED,
    request::SeatRequest,
};

/// Who is to take part in a new debate and who answers, by where it is said.
#[derive(Clone, Copy)]
pub struct NamedModels<'r> {
    /// The command line, or a program in its place.
    pub given: &'r SeatRequest,
    /// The members of the row, with the models that their line-up names.
    pub members: &'r [MemberRequest],
    /// The models that a line-up file names by seat.
    pub filed: Option<&'r BTreeMap<String, String>>,
    /// The judges of a panel, each with its model where it is named; none for a single judge.
    pub judges: &'r [Option<String>],
    /// How many seats the row has at least.
    pub row: u32,
}

impl<'r> NamedModels<'r> {
    /// Where nothing but `given` names anyone.
    pub fn new(given: &'r SeatRequest) -> Self {
        Self { given, members: &[], filed: None, judges: &[], row: 0 }
    }
}

/// The seats of a new debate, in the protocol's order, with who takes part and who is to answer.
///
/// # Errors
///
/// Where something names a seat that is not there, or a model that does not exist.
pub fn choose_models(manifest: &Manifest, named: &NamedModels<'_>, config: &Config) -> Result<Vec<SeatedModel>> {
    let lineup = build_empty_lineup(manifest, named)?;
    let given = parse_seat_models(manifest, &lineup, &named.given.seats)?;
    let filed = named.filed.map(|models| by_seat(manifest, &lineup, models, "the models of the line-up file"));
    let filed = filed.transpose()?.unwrap_or_default();
    let configured = collect_configured_models(manifest, &lineup, config)?;
    let everyone = default_model(config);
    let mut judges = named.judges.iter();
    let seated = lineup.into_iter().map(|mut entry| {
        let panel = manifest.find_seat(entry.seat.as_str()).is_some_and(|spec| spec.panel_max.is_some());
        let judge = if panel { judges.next().and_then(Option::as_ref) } else { None };
        let place = |row: &SeatSpec| entry.seat.as_str().strip_prefix(&format!("{}-", row.name))?.parse::<usize>().ok();
        let place = manifest.find_seat_row().and_then(|(row, _)| place(row));
        let member = place.and_then(|place| named.members.get(place.checked_sub(1)?));
        let model = given.get(&entry.seat).or(judge);
        // A model named for every seat on the command line is above files and configuration.
        let model = model.or(named.given.model.as_ref()).or(member.and_then(|member| member.model.as_ref()));
        let model = model.or(filed.get(&entry.seat)).or(configured.get(&entry.seat)).unwrap_or(&everyone);
        entry.model.clone_from(model);
        SeatedModel::parse(entry, config)
    });
    seated.collect()
}

/// The line-up of a record, with the names that its members got since it was opened.
pub fn recorded_lineup(record: &Record) -> Vec<SeatModel> {
    let members = members::ruled_members(&View::of_whole_record(record));
    let mut lineup = members::list_taken_seats(record.opened(), &members);
    for member in members {
        if let Some(sat) = lineup.iter_mut().find(|sat| sat.seat == member.seat) {
            sat.name.get_or_insert(member.name);
        }
    }
    lineup
}

/// A line-up with the seats that a command replaces.
///
/// # Errors
///
/// As [`choose_models`].
pub fn replace_models(
    manifest: &Manifest,
    mut lineup: Vec<SeatModel>,
    args: &SeatRequest,
    config: &Config,
) -> Result<Vec<SeatedModel>> {
    let given = parse_seat_models(manifest, &lineup, &args.seats)?;
    for sat in &mut lineup {
        // The host is the person at the terminal; a model for everyone else does not replace it.
        let everyone = args.model.as_ref().filter(|_| sat.seat.as_str() != HOST && sat.model != FETCHED);
        // The word of a model would count as if it had read the pages.
        if sat.model == FETCHED && given.get(&sat.seat).is_some_and(|model| model != FETCHED) {
            return Err(Failure::usage(
                format!("agon opens the cited pages of this debate itself, so the seat {} takes no model", sat.seat),
                "omit that --seat",
            ));
        }
        if let Some(model) = given.get(&sat.seat).or(everyone) {
            sat.model.clone_from(model);
        }
    }
    parse_lineup(&lineup, config)
}

/// The seats of a debate, nobody at them yet.
fn build_empty_lineup(manifest: &Manifest, named: &NamedModels<'_>) -> Result<Vec<SeatModel>> {
    let NamedModels { given, members, judges, row, .. } = *named;
    let mut lineup = Vec::new();
    for spec in &manifest.seats {
        if spec.panel_max.is_some() && judges.len() > 1 {
            for number in 1..=judges.len() {
                lineup.push(SeatModel::new(parse_seat(&format!("{}-{number}", spec.name))?, ""));
            }
            continue;
        }
        let count = spec.members.map_or(1, |most| match members.len() as u32 {
            // A seat with a model exists, up to the length limit of the row.
            0 if row == 0 => last_given(spec, &given.seats).map_or(most.default, |last| last.max(most.default)),
            named => named.max(row),
        });
        for (at, name) in spec.expand_seat_names(count).into_iter().enumerate() {
            let mut sat = SeatModel::new(parse_seat(&name)?, "");
            if let Some(member) = members.get(at).filter(|_| spec.members.is_some()) {
                sat.name = Some(member.name.clone()).filter(|name| !name.is_empty());
                sat.persona.clone_from(&member.persona);
                sat.details.clone_from(&member.details);
            }
            lineup.push(sat);
        }
    }
    Ok(lineup)
}

/// The last seat of the row `spec` that a user names by its number, up to the length limit of the row.
pub fn last_given(spec: &SeatSpec, given: &[String]) -> Option<u32> {
    let most = spec.members.map_or(0, |members| members.max);
    let number = |pair: &String| pair.split_once('=')?.0.trim().strip_prefix(&format!("{}-", spec.name))?.parse().ok();
    given.iter().filter_map(number).filter(|number| *number <= most).max()
}

fn parse_seat(name: &str) -> Result<Seat> {
    Seat::new(name).map_err(|error| Failure::usage(error.to_string(), "rename it in the protocol"))
}

/// The models that `--seat` names.
fn parse_seat_models(manifest: &Manifest, lineup: &[SeatModel], pairs: &[String]) -> Result<BTreeMap<Seat, String>> {
    let mut given = BTreeMap::new();
    for pair in pairs {
        let Some((name, model)) = pair.split_once('=').filter(|(_, model)| !model.is_empty()) else {
            return Err(Failure::usage(
                format!("--seat {pair:?} names no model"),
                "write --seat NAME=MODEL, for example --seat judge=local",
            ));
        };
        if given.insert(name.trim().to_owned(), model.to_owned()).is_some() {
            return Err(Failure::usage(format!("--seat {name} is given twice"), "give each seat one model"));
        }
    }
    by_seat(manifest, lineup, &given, "--seat")
}

/// Models by seat, out of models by what users call seats. What names one seat is above what names
/// its row.
fn by_seat(
    manifest: &Manifest,
    lineup: &[SeatModel],
    models: &BTreeMap<String, String>,
    place: &str,
) -> Result<BTreeMap<Seat, String>> {
    let (mut rows, mut single) = (BTreeMap::new(), BTreeMap::new());
    for (name, model) in models {
        match find_named_seats(manifest, lineup, name) {
            Some(Meant::Row(seats)) => rows.extend(seats.into_iter().map(|seat| (seat, model.clone()))),
            Some(Meant::Seat(seat)) => {
                if single.insert(seat.clone(), model.clone()).is_some() {
                    return Err(Failure::usage(
                        format!("{place}: the seat {seat} is given twice, once by a name"),
                        "give each seat one model",
                    ));
                }
            }
            None => return Err(unknown_seat(manifest, lineup, name, place)),
        }
    }
    rows.extend(single);
    Ok(rows)
}

enum Meant {
    Seat(Seat),
    Row(Vec<Seat>),
}

/// Which seats `name` means.
fn find_named_seats(manifest: &Manifest, lineup: &[SeatModel], name: &str) -> Option<Meant> {
    let by = |fits: &dyn Fn(&&SeatModel) -> bool| lineup.iter().find(fits).map(|sat| sat.seat.clone());
    let called = |sat: &&SeatModel| sat.name.as_ref().is_some_and(|own| own.to_lowercase() == name.to_lowercase());
    if let Some(seat) = by(&|sat| sat.seat.as_str() == name).or_else(|| by(&called)) {
        return Some(Meant::Seat(seat));
    }
    let several = |seat: &&SeatSpec| seat.members.is_some() || seat.panel_max.is_some();
    let row = manifest.seats.iter().filter(several).find(|row| row.name == name)?;
    let in_row = |sat: &&SeatModel| manifest.find_seat(sat.seat.as_str()) == Some(row);
    Some(Meant::Row(lineup.iter().filter(in_row).map(|sat| sat.seat.clone()).collect()))
}

/// The models that the configuration names for this protocol. It is written for many debates: seats
/// of a row and names of people that this one does not have are passed over.
fn collect_configured_models(
    manifest: &Manifest,
    lineup: &[SeatModel],
    config: &Config,
) -> Result<BTreeMap<Seat, String>> {
    for (protocol, seats) in &config.seats {
        declarations::may_be(protocol, manifest)?;
        for model in seats.values() {
            ModelSpec::parse(model, config)?;
        }
    }
    let place = format!("[seats.{}] of the configuration", manifest.name);
    let mut here = BTreeMap::new();
    for (name, model) in config.seats.get(&manifest.name).into_iter().flatten() {
        let elsewhere = || {
            let mistyped = !suggest_name(name, &list_seat_names(manifest)).is_empty();
            manifest.find_seat(name).is_some() || (manifest.find_seat_row().is_some() && !mistyped)
        };
        if find_named_seats(manifest, lineup, name).is_some() {
            here.insert(name.clone(), model.clone());
        } else if !elsewhere() {
            return Err(unknown_seat(manifest, lineup, name, &place));
        }
    }
    by_seat(manifest, lineup, &here, &place)
}

fn list_seat_names(manifest: &Manifest) -> Vec<&str> {
    manifest.seats.iter().map(|seat| seat.name.as_str()).collect()
}

fn unknown_seat(manifest: &Manifest, lineup: &[SeatModel], name: &str, place: &str) -> Failure {
    let seats = lineup.iter().map(|sat| sat.seat.as_str());
    let mut known: Vec<&str> = seats.chain(lineup.iter().filter_map(|sat| sat.name.as_deref())).collect();
    known.extend(manifest.find_seat_row().map(|(row, _)| row.name.as_str()));
    let hint = suggest_name(name, &known);
    Failure::unknown(
        format!("{place}: {} has no seat {name:?}", manifest.name),
        format!("{hint}its seats are {}", known.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::tests::manifest;

    fn who(names: &[&str], seats: &[&str], model: Option<&str>, config: &str) -> Result<Vec<String>> {
        let members: Vec<MemberRequest> =
            names.iter().map(|name| MemberRequest { name: (*name).into(), ..MemberRequest::default() }).collect();
        let args =
            SeatRequest { seats: seats.iter().map(|seat| (*seat).into()).collect(), model: model.map(str::to_owned) };
        let config: Config = toml::from_str(config).unwrap();
        // The configuration may only name protocols that exist.
        let named = NamedModels { members: &members, ..NamedModels::new(&args) };
        let lineup = choose_models(&manifest("exchange"), &named, &config)?;
        let told = |sat: SeatedModel| format!("{}={}", sat.entry.seat, sat.entry.model.replace("scripted:", ""));
        Ok(lineup.into_iter().map(told).collect())
    }

    #[test]
    fn a_model_is_given_to_a_seat_a_row_or_a_name() {
        let base = "model = \"scripted:x\"\n";
        for (names, seats, model, config, wanted) in [
            (&[][..], &[][..], None, "", "member-1=x member-2=x member-3=x judge=x"),
            (&[], &["member=scripted:r", "member-2=scripted:s"], None, "", "member-1=r member-2=s member-3=r judge=x"),
            (&[], &["member-4=scripted:s"], None, "", "member-1=x member-2=x member-3=x member-4=s judge=x"),
            (&["Ann", "Bo"], &["ANN=scripted:a"], Some("scripted:m"), "", "member-1=a member-2=m judge=m"),
            (
                &["Ann", "Bo"],
                &[],
                None,
                "[seats.exchange]\nmember = \"scripted:r\"\nbo = \"scripted:b\"\nmember-4 = \"scripted:n\"\nZoe = \"scripted:z\"",
                "member-1=r member-2=b judge=x",
            ),
        ] {
            let config = format!("{base}{config}");
            assert_eq!(who(names, seats, model, &config).unwrap().join(" "), wanted);
        }
    }

    #[test]
    fn what_names_no_seat_or_one_twice_is_refused() {
        let config = "model = \"scripted:x\"";
        for (names, seats, code, says) in [
            (&[][..], &["jugde=scripted:a"][..], 8, "did you mean judge"),
            (&[], &["member-5=scripted:a"], 8, "no seat \"member-5\""),
            (&["Ann", "Bo"], &["member-3=scripted:a"], 8, "Ann, Bo"),
            (&["Ann", "Bo"], &["Zoe=scripted:a"], 8, "no seat \"Zoe\""),
            (&["Ann", "Bo"], &["Ann=scripted:a", "member-1=scripted:b"], 2, "given twice"),
            (&[], &["judge=scripted:a", "judge=scripted:b"], 2, "given twice"),
        ] {
            let error = who(names, seats, None, config).expect_err(says);
            let text = format!("{} {}", error.message, error.remedy);
            assert!(error.exit == code && text.contains(says), "{seats:?}: {text}");
        }
        let error = who(&[], &[], None, "[seats.exchange]\njugde = \"local\"").unwrap_err();
        assert!(error.exit == 8 && error.remedy.contains("did you mean judge"), "{}", error.remedy);
    }

    #[test]
    fn a_file_names_models_below_flags_and_above_the_configuration() {
        let members = [
            MemberRequest { name: "Ann".into(), model: Some("scripted:file".into()), ..MemberRequest::default() },
            MemberRequest { name: "Bo".into(), ..MemberRequest::default() },
        ];
        let files = BTreeMap::from([("judge".to_owned(), "scripted:j".to_owned())]);
        let config: Config =
            toml::from_str("model = \"scripted:x\"\n[seats.exchange]\njudge = \"scripted:c\"").unwrap();
        let names = |args: &SeatRequest| -> Vec<String> {
            let named = NamedModels { members: &members, filed: Some(&files), ..NamedModels::new(args) };
            let lineup = choose_models(&manifest("exchange"), &named, &config).unwrap();
            lineup.into_iter().map(|sat| sat.entry.model.replace("scripted:", "")).collect()
        };
        assert_eq!(names(&SeatRequest::default()), ["file", "x", "j"]);
        let all = SeatRequest { model: Some("scripted:all".into()), seats: vec!["ann=scripted:a".into()] };
        assert_eq!(names(&all), ["a", "all", "all"]);
        let unknown = BTreeMap::from([("nobody".to_owned(), "local".to_owned())]);
        let named = NamedModels { members: &members, filed: Some(&unknown), ..NamedModels::new(&all) };
        assert!(choose_models(&manifest("exchange"), &named, &config).is_err());
    }
}

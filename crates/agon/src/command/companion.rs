//! `--mirror` and `--baseline`: debates beside a debate, opened and driven once it has ended.

use std::collections::BTreeMap;

use agon_core::{DebateId, Digest, Limits, Opened, Protocol, Record, Seat, SeatModel, Standing, View, What};
use agon_formats::companion::{self, Ended, MIRROR_OF};
pub use agon_formats::companion::{BASELINE, MIRROR};
use agon_protocols::{
    baseline::{Baseline, OF as BASELINE_OF, POSITIONS},
    chaired::cast::Cast,
    common::lineup::{self as members, HOST},
};
use agon_runtime::{config::Config, drive::DriveLock, files::is_free, journal::Journal};
use serde_json::json;

use super::{Hand, debate_id};
use crate::{
    cli::Output,
    conduct::{self, Seated},
    declared,
    failure::{Failure, Result, exit},
    opening::Folder,
    seating::Means,
    ui,
};

/// Longest part of a debate's id in that of a companion.
const ID_BYTES_MAX: usize = 50;

/// The id of a companion of `debate`.
pub fn id(debate: &DebateId, kind: &str) -> String {
    let text = debate.as_str();
    if text.len() <= ID_BYTES_MAX {
        return format!("{text}-{kind}");
    }
    format!("{}-{}-{kind}", &text[..ID_BYTES_MAX - 9], &Digest::of(text).as_str()[..8])
}

/// Holds the companions that a debate which has ended wants and does not have yet; gives the exit
/// code of all.
pub async fn follow(
    hand: &Hand,
    config: &Config,
    journal: &Journal,
    of: &DebateId,
    offline: bool,
) -> Result<u8> {
    let record = journal.read(of)?;
    let Some(outcome) = record.closed() else { return Ok(exit::OK) };
    if outcome.standing == Standing::Void {
        for (kind, _) in wanted(&record) {
            ui::err(&ui::paint(&format!("no {kind}: the debate has no result"), ui::YELLOW));
        }
    }
    while let Some((kind, id, Begun { protocol, seats, directory }, lock)) =
        next(hand, config, journal, &record, offline).await?
    {
        if hand.output == Output::Text && !hand.quiet {
            ui::out(&format!("\n{}", ui::paint(&format!("the {kind} of {of}"), ui::BOLD)));
        } else if hand.output == Output::Json {
            ui::out(&ui::json(&journal.read(&id)?.entries()[0]));
        }
        let seated = Seated {
            journal,
            id: &id,
            protocol,
            seats,
            directory: &directory,
            home: &hand.places.home,
            output: hand.output,
            quiet: hand.quiet,
        };
        conduct::drive(seated, lock).await?;
        if hand.output == Output::Text && !hand.quiet {
            for text in
                told(journal, &record)?.into_iter().filter(|(name, _)| *name == kind).map(|(_, text)| text)
            {
                ui::out("");
                ui::out(ui::visible(&text).trim_end());
            }
        }
    }
    Ok(conduct::code(outcome))
}

/// The kinds of companions that a debate wants, each with the id that it is to have.
fn wanted(record: &Record) -> impl Iterator<Item = (&'static str, &str)> {
    [MIRROR, BASELINE]
        .into_iter()
        .filter_map(|kind| Some((kind, record.opened().options.get(kind).and_then(|id| id.as_str())?)))
}

/// The first companion that a debate wants and that has not ended, opened and ready to be driven.
pub async fn next(
    hand: &Hand,
    config: &Config,
    journal: &Journal,
    of: &Record,
    offline: bool,
) -> Result<Option<(&'static str, DebateId, Begun, DriveLock)>> {
    if of.closed().is_none_or(|outcome| outcome.standing == Standing::Void) {
        return Ok(None);
    }
    for (kind, id) in wanted(of) {
        let id = debate_id(id)?;
        if let Some((begun, lock)) = begin(hand, config, journal, of, kind, &id, offline).await? {
            return Ok(Some((kind, id, begun, lock)));
        }
    }
    Ok(None)
}

/// What the companions of a debate say, by their kind.
pub fn told(journal: &Journal, record: &Record) -> Result<Vec<(&'static str, String)>> {
    let mut told = Vec::new();
    for (kind, id) in wanted(record) {
        let id = debate_id(id)?;
        if journal.summary(&id)?.is_none() {
            continue;
        }
        told.extend(companion::file(&journal.read(&id)?).map(|file| (kind, file.content)));
    }
    Ok(told)
}

/// A companion that can be driven.
pub struct Begun {
    pub protocol: &'static dyn Protocol,
    pub seats: agon_runtime::drive::Seats,
    pub directory: std::path::PathBuf,
}

/// Opens a companion, or takes up one that stopped; `None` where it has ended already.
pub async fn begin(
    hand: &Hand,
    config: &Config,
    journal: &Journal,
    of: &Record,
    kind: &str,
    id: &DebateId,
    offline: bool,
) -> Result<Option<(Begun, DriveLock)>> {
    let there = journal.summary(id)?.is_some();
    let (opened, texts) = match there {
        true => (journal.read(id)?.opened().clone(), BTreeMap::new()),
        false if kind == MIRROR => mirror(journal, of, id)?,
        false => baseline(hand, journal, of, id)?,
    };
    if there && journal.read(id)?.closed().is_some() {
        return Ok(None);
    }
    let means = Means {
        config,
        places: &hand.places,
        journal,
        debate: id,
        terminal: hand.terminal(),
        offline,
        quiet: hand.quiet,
    };
    let lock = DriveLock::take(&hand.places.home, id)?;
    let seats = conduct::seat(&opened.lineup, &means)
        .await
        .map_err(|failure| failure.resumable(&of.opened().debate))?;
    let protocol = if kind == MIRROR { declared::rules(of)? } else { &Baseline };
    let directory = match journal.summary(id)?.and_then(|summary| summary.directory) {
        Some(directory) => directory,
        None => folder(journal, of, &opened, kind)?.path,
    };
    if !there {
        journal.create(What::Opened(opened), texts.into_iter().collect(), Some(directory.clone())).await?;
    }
    Ok(Some((Begun { protocol, seats, directory }, lock)))
}

/// The folder beside that of the debate.
fn folder(journal: &Journal, of: &Record, opened: &Opened, kind: &str) -> Result<Folder> {
    let Some(beside) = journal.summary(&of.opened().debate)?.and_then(|summary| summary.directory) else {
        return Folder::take(None, &opened.motion, &opened.debate);
    };
    let name = beside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1..100 {
        let more = if number == 1 { String::new() } else { format!("-{number}") };
        let path = beside.with_file_name(format!("{name}-{kind}{more}"));
        if is_free(&path)? {
            return Folder::take(Some(&path), &opened.motion, &opened.debate);
        }
    }
    Folder::take(None, &opened.motion, &opened.debate)
}

type Texts = BTreeMap<Digest, String>;

/// How the debate ended, for its companion.
fn ended(journal: &Journal, of: &Record, lineup: &[SeatModel]) -> Result<Ended> {
    let opened = of.opened();
    let outcome = of.closed().ok_or_else(|| {
        Failure::usage(
            format!("{} has not ended", opened.debate),
            format!("go on with: agon resume {}", opened.debate),
        )
    })?;
    let tokens = journal.spent(&opened.debate)?.tokens();
    Ok(Ended::new(opened.debate.as_str(), &opened.protocol, lineup, outcome, tokens))
}

/// The line-up as it was in the end: with the names and parts that members were given.
fn settled(of: &Record) -> Vec<SeatModel> {
    let mut lineup = of.opened().lineup.clone();
    lineup.retain(|sat| sat.seat.as_str() != HOST);
    for member in members::of(&View::whole(of)) {
        if let Some(sat) = lineup.iter_mut().find(|sat| sat.seat == member.seat) {
            (sat.name, sat.details) = (Some(member.name), member.details);
            sat.persona = Some(member.persona).filter(|persona| !persona.is_empty());
        }
    }
    lineup
}

/// The same debate with those who argue in the reverse order: in an exchange the models change sides.
fn mirror(journal: &Journal, of: &Record, id: &DebateId) -> Result<(Opened, Texts)> {
    let before = settled(of);
    let argue: Vec<SeatModel> =
        companion::debaters(&of.opened().protocol, &before).into_iter().cloned().collect();
    let mut turned = argue.iter().rev();
    let lineup = before.iter().map(|sat| match argue.contains(sat).then(|| turned.next()).flatten() {
        Some(other) => SeatModel { seat: sat.seat.clone(), ..other.clone() },
        None => sat.clone(),
    });
    let mut opened =
        Opened { debate: id.clone(), lineup: lineup.collect(), parent: None, ..of.opened().clone() };
    for option in [MIRROR, BASELINE, "approve", "track", "apart"] {
        opened.options.remove(option);
    }
    opened.options.insert(MIRROR_OF.into(), json!(ended(journal, of, &before)?));
    let texts = journal.texts(opened.texts().map(|(_, digest)| digest))?;
    Ok((opened, texts))
}

/// The same question for the judge's model alone; for the first debater's where a person judges.
fn baseline(hand: &Hand, journal: &Journal, of: &Record, id: &DebateId) -> Result<(Opened, Texts)> {
    let lineup = settled(of);
    let judges = |sat: &&SeatModel| sat.seat.as_str().starts_with("judge") || sat.seat.as_str() == "chair";
    let judge = lineup.iter().find(judges);
    let judge = judge.filter(|sat| !["human", "outside"].contains(&sat.model.as_str()));
    let model = judge.or(lineup.first()).map(|sat| sat.model.clone()).unwrap_or_default();
    let templates = hand
        .places
        .prompts
        .resolve(&Baseline)
        .map_err(|error| Failure::new(exit::IO, "io", error.to_string(), "mend or remove that file"))?;
    let texts: Vec<(String, String)> =
        templates.into_iter().map(|(name, template)| (name, template.text)).collect();
    let seat = Seat::new("answerer").map_err(|error| Failure::usage(error.to_string(), ""))?;
    let manifest = Baseline.manifest();
    let kept = |name: &&str| of.opened().options.contains_key(*name);
    let mut options: serde_json::Map<_, _> = ["definitions", "scope"]
        .into_iter()
        .filter(kept)
        .map(|name| (name.to_owned(), of.opened().options[name].clone()))
        .collect();
    if of.opened().protocol == "chaired" {
        let cast = Cast::in_view(&View::whole(of));
        let held = cast.0.iter().map(|held| json!({"name": held.name, "position": held.position}));
        options.insert(POSITIONS.into(), held.collect());
    }
    options.insert(BASELINE_OF.into(), json!(ended(journal, of, &lineup)?));
    let opened = Opened {
        debate: id.clone(),
        protocol: manifest.name.clone(),
        rules: manifest.rules,
        options,
        lineup: vec![SeatModel::new(seat, model)],
        limits: Limits { rounds: manifest.rounds.default, rounds_min: None, ..of.opened().limits.clone() },
        prompts: texts.iter().map(|(name, text)| (name.clone(), Digest::of(text))).collect(),
        documents: BTreeMap::new(),
        parent: None,
        ..of.opened().clone()
    };
    Ok((opened, texts.into_iter().map(|(_, text)| (Digest::of(&text), text)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_companions_are_ids_and_never_the_same() {
        let long = |last: char| DebateId::new(format!("{}{last}", "x".repeat(63))).unwrap();
        let ids = [id(&long('a'), MIRROR), id(&long('b'), MIRROR), id(&long('a'), BASELINE)];
        assert!(ids.iter().all(|id| DebateId::new(id.as_str()).is_ok()), "{ids:?}");
        assert!(ids[0] != ids[1] && ids[0] != ids[2]);
        assert_eq!(id(&DebateId::new("d1").unwrap(), MIRROR), "d1-mirror");
    }
}

//! `agon resume`: goes on where a debate stopped.

use std::path::{Path, PathBuf};

use agon_core::{DebateId, Extension, Protocol, Record, SeatModel};
use agon_runtime::{
    config::Config,
    desk::Desk,
    drive::{DriveError, DriveLock, Seats},
    files::check_writable,
    journal::Journal,
};
use serde_json::{Value, json};

use super::{Hand, answer, companion, debate_id};
use crate::{
    cli::{Output, ResumeArgs, SeatArgs},
    conduct::{self, Seated},
    declared::rules,
    failure::{Failure, Result, exit},
    lineup,
    opening::Folder,
    seating::Means,
    shelf, ui,
};

pub async fn run(hand: &Hand, args: ResumeArgs) -> Result<u8> {
    let id = debate_id(&args.id)?;
    let journal = hand.journal()?;
    go_on(hand, &journal, &id, &args.seats, args.offline, Wish::Resume(answer::user())).await
}

/// What somebody wants of a debate that is there.
pub enum Wish {
    /// That it goes on, also after a pause; and who wants it.
    Resume(String),
    /// That it is allowed more.
    Extend(Extension),
}

impl Wish {
    fn more(&self) -> Extension {
        match self {
            Wish::Resume(_) => Extension::default(),
            Wish::Extend(more) => more.clone(),
        }
    }

    /// Puts it on the record; gives what was put there, where there was anything to put.
    pub async fn record(&self, desk: &Desk<'_>) -> Result<Option<Value>> {
        Ok(match self {
            Wish::Resume(by) => desk.unpause(by).await?.map(|acted| json!(acted)),
            Wish::Extend(more) => Some(json!(desk.extend(more).await?)),
        })
    }
}

/// Drives an existing debate on, with what is wished on the record once everybody is seated; a
/// closed one that gets no more is only given its files again.
pub async fn go_on(
    hand: &Hand,
    journal: &Journal,
    id: &DebateId,
    seats: &SeatArgs,
    offline: bool,
    wish: Wish,
) -> Result<u8> {
    let config = hand.config()?;
    let (record, protocol) = known(journal, id)?;
    let desk = Desk { journal, home: &hand.places.home, debate: id, protocol };
    let lock = match DriveLock::take(&hand.places.home, id) {
        Err(DriveError::Held { held }) => {
            // The process that drives it reads what is put on the record.
            let Some(entry) = wish.record(&desk).await? else { return Err(DriveError::Held { held }.into()) };
            hand.print(&json!([entry]), || format!("it is on the record; {held} and goes on with it"));
            return Ok(exit::OK);
        }
        lock => lock?,
    };
    let directory = directory(journal, &record).await?;
    // A name that nobody bears is a mistake, whether or not it matters by now.
    lineup::replaced(protocol.manifest(), lineup::of(&record), seats, &config)?;
    if let Some(outcome) = record.closed().filter(|_| matches!(wish, Wish::Resume(_))) {
        check_writable(&directory)?;
        shelf::leave(journal, &record, &directory)?;
        if hand.output == Output::Text {
            ui::out(&ui::wrapped(&outcome.told(), ""));
        }
        conduct::finish(&record, outcome, &directory, hand.output, hand.quiet);
        return companion::follow(hand, &config, journal, id, offline).await;
    }
    if !hand.quiet {
        for key in journal.unfinished(id)? {
            ui::err(&ui::paint(
                &format!("{key} was asked, its answer is unknown, and it is asked again"),
                ui::YELLOW,
            ));
        }
    }
    let going = Going { hand, config: &config, desk: &desk, record: &record, wish: &wish };
    let seats = going.seat(&directory, seats, offline).await;
    let seats = seats.map_err(|failure| conduct::suspended(failure.resumable(id), hand.output))?;
    if let (Some(entry), Output::Json, Wish::Extend(_)) = (wish.record(&desk).await?, hand.output, &wish) {
        ui::out(&ui::json(&entry));
    }
    let debate = Seated {
        journal,
        id,
        protocol,
        seats,
        directory: &directory,
        home: &hand.places.home,
        output: hand.output,
        quiet: hand.quiet,
    };
    conduct::drive(debate, lock).await?;
    companion::follow(hand, &config, journal, id, offline).await
}

/// A record and its rules, where this version knows them.
pub fn known(journal: &Journal, id: &DebateId) -> Result<(Record, &'static dyn Protocol)> {
    let record = journal.read(id)?;
    let protocol = rules(&record)?;
    if record.opened().rules > protocol.manifest().rules {
        return Err(Failure::new(
            exit::DAMAGED,
            "newer",
            format!(
                "{id} was opened under rules {} of {}, and this agon knows up to {}",
                record.opened().rules,
                protocol.name(),
                protocol.manifest().rules
            ),
            "a newer agon can go on with it; show, export and check work here too",
        ));
    }
    Ok((record, protocol))
}

/// A debate that is about to go on.
pub struct Going<'a> {
    pub hand: &'a Hand,
    pub config: &'a Config,
    pub desk: &'a Desk<'a>,
    pub record: &'a Record,
    pub wish: &'a Wish,
}

impl Going<'_> {
    /// Everybody seated, and nothing on the record yet.
    pub async fn seat(&self, directory: &Path, seats: &SeatArgs, offline: bool) -> Result<Seats> {
        let Self { hand, config, desk, record, wish } = self;
        check_writable(directory)?;
        let lineup: Vec<SeatModel> =
            lineup::replaced(desk.protocol.manifest(), lineup::of(record), seats, config)?;
        let mut limits = agon_runtime::drive::limits(record);
        limits.extend(&wish.more());
        lineup::check_prices(&lineup, &limits, config)?;
        let means = Means {
            config,
            places: &hand.places,
            journal: desk.journal,
            debate: desk.debate,
            terminal: hand.terminal(),
            offline,
            quiet: hand.quiet,
        };
        conduct::seat(&lineup, &means).await
    }
}

/// Where this debate's files are; a record without a folder gets one.
pub async fn directory(journal: &Journal, record: &Record) -> Result<PathBuf> {
    let id = &record.opened().debate;
    if let Some(directory) = journal.summary(id)?.and_then(|summary| summary.directory) {
        return Ok(directory);
    }
    let folder = Folder::take(None, &record.opened().motion, id)?;
    journal.set_directory(id, folder.path.clone()).await?;
    Ok(folder.path)
}

//! `agon resume`: goes on where a debate stopped.

use std::path::PathBuf;

use agon_core::{DebateId, Extension, Record, SeatModel};
use agon_runtime::{
    drive::{DriveError, DriveLock},
    files::check_writable,
    journal::{Journal, JournalError},
};
use serde_json::json;

use super::{Hand, debate_id, protocol};
use crate::{
    cli::{Output, ResumeArgs, SeatArgs},
    conduct::{self, Seated},
    failure::{Failure, Result, exit},
    lineup,
    opening::Folder,
    seating::Means,
    shelf::Shelf,
    ui,
};

pub async fn run(hand: &Hand, args: ResumeArgs) -> Result<u8> {
    let id = debate_id(&args.id)?;
    let journal = hand.journal()?;
    go_on(hand, &journal, &id, &args.seats, args.offline, None).await
}

/// Drives an existing debate on, with `more` allowed once everybody is seated; a closed one that
/// gets no more is only given its files again.
pub async fn go_on(
    hand: &Hand,
    journal: &Journal,
    id: &DebateId,
    seats: &SeatArgs,
    offline: bool,
    more: Option<Extension>,
) -> Result<u8> {
    let config = hand.config()?;
    let lock = match (DriveLock::take(&hand.places.home, id), &more) {
        (Err(DriveError::Held { held }), Some(more)) => {
            return hand_over(hand, journal, id, more, &held).await;
        }
        (lock, _) => lock?,
    };
    let record = journal.read(id)?;
    let protocol = protocol(&record.opened().protocol)?;
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
    let directory = directory(journal, &record).await?;
    check_writable(&directory)?;
    let lineup: Vec<SeatModel> = lineup::replaced(protocol.manifest(), lineup::of(&record), seats, &config)?;
    let texts = journal.texts(record.opened().texts().map(|(_, digest)| digest))?;
    if let Some(outcome) = record.closed().filter(|_| more.is_none()) {
        Shelf::of(&record, &directory).leave(&record, &texts)?;
        if hand.output == Output::Text {
            ui::out(&ui::wrapped(&outcome.summary, ""));
        }
        conduct::finish(&record, outcome, &directory, hand.output, hand.quiet);
        return Ok(conduct::code(outcome));
    }
    if !hand.quiet {
        for key in journal.unfinished(id)? {
            ui::err(&ui::paint(
                &format!("{key} was asked, its answer is unknown, and it is asked again"),
                ui::YELLOW,
            ));
        }
    }
    let mut limits = agon_runtime::drive::limits(&record);
    limits.extend(&more.clone().unwrap_or_default());
    lineup::check_prices(&lineup, &limits, &config)?;
    let means = Means {
        config: &config,
        places: &hand.places,
        journal,
        debate: id,
        terminal: hand.terminal(),
        offline,
        quiet: hand.quiet,
    };
    let seats = conduct::seat(&lineup, &means).await;
    let seats = seats.map_err(|failure| conduct::suspended(failure.resumable(id), hand.output))?;
    if let Some(limits) = more {
        let entry = journal.extend(record, limits).await?;
        if hand.output == Output::Json {
            ui::out(&ui::json(&entry));
        }
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
    conduct::drive(debate, lock).await
}

/// Allows a debate more that another process drives: that one reads it with its next append.
async fn hand_over(
    hand: &Hand,
    journal: &Journal,
    id: &DebateId,
    more: &Extension,
    held: &str,
) -> Result<u8> {
    loop {
        let record = journal.read(id)?;
        match journal.extend(record, more.clone()).await {
            Ok(entry) => {
                hand.print(&json!([entry]), || format!("extended; {held} and goes on with it"));
                return Ok(exit::OK);
            }
            // The driver was faster; its next entry comes no sooner than its next answer.
            Err(JournalError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Where this debate's files are; a record without a folder gets one.
async fn directory(journal: &Journal, record: &Record) -> Result<PathBuf> {
    let id = &record.opened().debate;
    if let Some(directory) = journal.summary(id)?.and_then(|summary| summary.directory) {
        return Ok(directory);
    }
    let folder = Folder::take(None, &record.opened().motion, id)?;
    journal.set_directory(id, folder.path.clone()).await?;
    Ok(folder.path)
}

//! Existing debates: resumes and extends them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use agon_core::{DebateId, Entry, Extension, Outcome, Protocol, Record, Standing};
use agon_journal::{DriveLock, Journal, LockError, accounts::PrincipalId};
use agon_runtime::{
    drive::Seats,
    files::check_writable,
    outside_seats::{Acted, OutsideSeats},
};
use serde::Serialize;

use crate::{
    context::Context,
    declarations::find_rules,
    failure::{Failure, Result},
    lineup,
    local_run::{self, StartedDebate},
    models::{check_local, check_prices},
    opening::Folder,
    remote_run::{self, DebateDriver},
    request::SeatRequest,
};

/// How to continue an existing debate: resume it, or extend it.
pub enum ResumeRequest {
    /// That it continues, also after a pause; and who wants it.
    Resume(String),
    /// The same, of a person whom the server has proved.
    ResumeBy(PrincipalId),
    /// That it is allowed more.
    Extend(Extension),
    /// Nothing: what is on the record already says how to continue.
    Recorded,
}

impl ResumeRequest {
    fn requested_extension(&self) -> Extension {
        match self {
            ResumeRequest::Resume(_) | ResumeRequest::ResumeBy(_) | ResumeRequest::Recorded => Extension::default(),
            ResumeRequest::Extend(more) => more.clone(),
        }
    }

    /// Puts it on the record; gives what was put there, where there was anything to put.
    pub async fn record_request(&self, desk: &OutsideSeats<'_>) -> Result<Option<RecordedWish>> {
        Ok(match self {
            ResumeRequest::Resume(by) => desk.unpause_debate(by).await?.map(RecordedWish::Resumed),
            ResumeRequest::ResumeBy(by) => desk.unpause_debate(*by).await?.map(RecordedWish::Resumed),
            ResumeRequest::Extend(more) => Some(RecordedWish::Extended(desk.extend_limits(more).await?)),
            ResumeRequest::Recorded => None,
        })
    }
}

/// What was put on the record so that a debate continues.
#[derive(Serialize)]
#[serde(untagged)]
pub enum RecordedWish {
    /// That its pause has ended.
    Resumed(Acted),
    /// That it is allowed more.
    Extended(Arc<Entry>),
}

/// The result of a resume or an extension: a debate to drive, or one that another process drives.
pub enum ResumeOutcome {
    /// The debate is seated and locked; what was put on the record for it.
    Ready(Box<StartedDebate>, Option<RecordedWish>),
    /// Another process drives it, and reads what was put on the record.
    Elsewhere {
        /// What was put there.
        entry: RecordedWish,
        /// Who drives it.
        held: String,
    },
}

/// Takes up the debate of `record`, with what is wished put on the record once everyone is seated.
///
/// # Errors
///
/// Where another process drives it and there was nothing to put on the record, or a seat cannot answer.
pub async fn resume_debate(
    context: &Context,
    record: &Record,
    protocol: &'static dyn Protocol,
    seats: &SeatRequest,
    wish: &ResumeRequest,
) -> Result<ResumeOutcome> {
    let id = &record.opened().debate;
    let home = &context.places.home;
    let desk = OutsideSeats { journal: &context.journal, home, debate: id, protocol };
    if context.engine.is_some() {
        remote_run::check_engine(context, protocol, record.opened()).await?;
        // Names and prices are checked here, participants where they are asked.
        seat_everyone(context, record, protocol, None, seats, wish).await?;
        let driver = DebateDriver::choose_driver(context, id, seats)?;
        let entry = wish.record_request(&desk).await?;
        let directory = find_folder(context, protocol, record).await?;
        let started = StartedDebate { id: id.clone(), protocol, seats: Seats::new(), directory, driver };
        return Ok(ResumeOutcome::Ready(Box::new(started), entry));
    }
    let (lock, said) = match take_drive_lock(&context.journal, record).await {
        Err(LockError::Held(held)) => {
            let Some(entry) = wish.record_request(&desk).await? else {
                return Err(LockError::Held(held).into());
            };
            // The process that held the lock may have been about to leave, or only looked who holds it. A process
            // that leaves reads the record again once the lock is free.
            tokio::time::sleep(LOOK_EVERY).await;
            match DriveLock::acquire(&context.journal, id) {
                Ok(lock) => (lock, Some(entry)),
                Err(_) => return Ok(ResumeOutcome::Elsewhere { entry, held }),
            }
        }
        lock => (lock?, None),
    };
    let directory = find_folder(context, protocol, record).await?;
    let seats = seat_everyone(context, record, protocol, directory.as_deref(), seats, wish).await?;
    let entry = match said {
        Some(said) => Some(said),
        None => wish.record_request(&desk).await?,
    };
    Ok(ResumeOutcome::Ready(
        Box::new(StartedDebate { id: id.clone(), protocol, seats, directory, driver: DebateDriver::Here(lock) }),
        entry,
    ))
}

/// How long the process that drove a debate to its end may take to write its last files.
const ENDING_WAIT: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The lock of a debate. One that has closed is not driven any more, only left: that is waited for.
///
/// # Errors
///
/// Where another process drives it.
pub async fn take_drive_lock(journal: &Journal, record: &Record) -> std::result::Result<DriveLock, LockError> {
    let began = Instant::now();
    loop {
        match DriveLock::acquire(journal, &record.opened().debate) {
            Err(LockError::Held(_)) if record.closing_outcome().is_some() && began.elapsed() < ENDING_WAIT => {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            taken => return taken,
        }
    }
}

/// Everyone seated, and nothing on the record yet.
async fn seat_everyone(
    context: &Context,
    record: &Record,
    protocol: &dyn Protocol,
    directory: Option<&Path>,
    seats: &SeatRequest,
    wish: &ResumeRequest,
) -> Result<Seats> {
    directory.map_or(Ok(()), check_writable)?;
    let lineup = lineup::replace_models(protocol.manifest(), lineup::recorded_lineup(record), seats, &context.config)?;
    check_local(&record.opened().options, &lineup)?;
    let mut limits = agon_runtime::drive::current_limits(record);
    limits.apply_extension(&wish.requested_extension());
    check_prices(&lineup, &limits)?;
    local_run::seat_and_probe(&lineup, context, &record.opened().debate).await
}

/// A record and its protocol.
///
/// # Errors
///
/// Exit code 6 where it was held by other rules than those of this version.
pub fn read_debate(journal: &Journal, id: &DebateId) -> Result<(Record, &'static dyn Protocol)> {
    let record = journal.read_record(id)?;
    let protocol = find_rules(&record)?;
    Ok((record, protocol))
}

/// Where the files of a debate by `protocol` are, where it has any.
pub async fn find_folder(context: &Context, protocol: &dyn Protocol, record: &Record) -> Result<Option<PathBuf>> {
    match context.has_folder(protocol, record.opened()) {
        true => ensure_directory(&context.journal, record).await.map(Some),
        false => Ok(None),
    }
}

/// Where this debate's files are; a record without a folder gets one.
pub async fn ensure_directory(journal: &Journal, record: &Record) -> Result<PathBuf> {
    let id = &record.opened().debate;
    if let Some(directory) = journal.find_summary(id)?.and_then(|summary| summary.directory) {
        return Ok(directory);
    }
    let folder = Folder::reserve(None, &record.opened().motion, id)?;
    journal.set_directory(id, folder.path.clone()).await?;
    Ok(folder.path)
}

/// Refuses what cannot be allowed, before anything is stored. A protocol's most rounds hold for a debate
/// however often it is extended.
pub fn check_extension(record: &Record, protocol: &dyn Protocol, limits: &Extension) -> Result<()> {
    let (manifest, closed) = (protocol.manifest(), record.closing_outcome());
    // Without more of anything, those are asked again who did not answer.
    let unfinished = |outcome: &Outcome| outcome.standing == Standing::Void || !outcome.absent.is_empty();
    if *limits == Extension::default() && !closed.is_some_and(unfinished) {
        return Err(Failure::usage("nothing to add", "give rounds or a limit, for example --rounds 1"));
    }
    let (most, counts) = (manifest.rounds.max, count_rounds(record, protocol));
    let all = counts.saturating_add(limits.rounds);
    if limits.rounds > 0 && all > most {
        let id = &record.opened().debate;
        let remedy = match most.saturating_sub(counts) {
            0 if closed.is_some_and(unfinished) => {
                format!("omit --rounds: agon extend {id} asks the seats that did not answer again")
            }
            0 => "start another debate instead".to_owned(),
            left => format!("add at most {left}"),
        };
        let what =
            format!("--rounds {}: this makes {all} in all, and {} allows at most {most}", limits.rounds, manifest.name);
        return Err(Failure::usage(what, remedy));
    }
    Ok(())
}

/// How many rounds count already: those that were held where what is left over lapses, else all that
/// were allowed.
fn count_rounds(record: &Record, protocol: &dyn Protocol) -> u32 {
    let held = record.closing_outcome().and_then(|outcome| protocol.count_rounds_held(outcome));
    held.unwrap_or_else(|| agon_runtime::drive::current_limits(record).rounds)
}

#[cfg(test)]
mod tests {
    use agon_core::{Event, Stamp, sample};

    use super::*;

    #[tokio::test]
    async fn a_debate_that_is_only_left_is_waited_for_and_one_that_is_driven_is_not() {
        let home = tempfile::tempdir().unwrap();
        let journal = Journal::open(home.path()).unwrap();
        let at = || Stamp("2026-01-01T00:00:00.000Z".into());
        let mut record = Record::open(sample::sample_opened("x", &["a"]), at()).unwrap();
        let held = DriveLock::acquire(&journal, &record.opened().debate).unwrap();
        assert!(matches!(take_drive_lock(&journal, &record).await, Err(LockError::Held(_))));
        record.append_event(at(), Event::Closed { outcome: Outcome::void("no_verdict", "x") }).unwrap();
        let leaving = async {
            tokio::time::sleep(LOOK_EVERY * 3).await;
            drop(held);
        };
        let (taken, ()) = tokio::join!(take_drive_lock(&journal, &record), leaving);
        assert!(taken.is_ok());
    }
}

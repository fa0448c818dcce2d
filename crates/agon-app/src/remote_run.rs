//! Debates that an engine drives, followed in the journal that it shares with this process.

use std::{sync::Arc, time::Duration};

use agon_core::{DebateId, MotionKind, Opened, Outcome, Protocol, Record};
use agon_journal::{DriveLock, LockError};
use agon_runtime::{drive::Watch, prompts::material::MATERIAL};

use crate::{
    context::Context,
    failure::{Failure, Result, exit},
    remote_engine::{DebateEngine, DriveOrder},
    request::SeatRequest,
};

/// How often the journal is looked at while a debate is followed.
const LOOK_EVERY: Duration = Duration::from_millis(400);

/// Who drives a debate.
pub enum DebateDriver {
    /// This process, as long as it has the lock.
    Here(DriveLock),
    /// An engine.
    Elsewhere(Arc<dyn DebateEngine>, DriveOrder),
}

impl DebateDriver {
    /// The engine of `context`, if it has one; else this process, which takes the lock.
    ///
    /// # Errors
    ///
    /// Where another process drives the debate.
    pub fn choose_driver(
        context: &Context,
        debate: &DebateId,
        seats: &SeatRequest,
    ) -> std::result::Result<Self, LockError> {
        match &context.engine {
            Some(engine) => {
                let order = DriveOrder::new(debate.clone(), seats, context.offline);
                Ok(Self::Elsewhere(Arc::clone(engine), order))
            }
            None => Ok(Self::Here(DriveLock::acquire(&context.journal, debate)?)),
        }
    }
}

/// Refuses a debate that only this machine can drive, where an engine is to drive it, and an engine that cannot be
/// reached, before anything is opened.
pub(crate) async fn check_engine(context: &Context, protocol: &dyn Protocol, opened: &Opened) -> Result<()> {
    let Some(engine) = &context.engine else { return Ok(()) };
    let here = |what: String| Err(Failure::usage(what, "omit --on to run it here"));
    if protocol.manifest().motion == MotionKind::Document {
        return here(format!("a {} works on a document of this machine, which a worker cannot guard", protocol.name()));
    }
    if opened.options.get("track") == Some(&true.into()) {
        return here("a track is a folder of this machine, which a worker cannot write".into());
    }
    if context.journal.is_shared() && opened.documents.contains_key(MATERIAL) {
        return here("material lies in AGON_HOME of this machine, where a worker does not find it".into());
    }
    if let Some(sat) = opened.lineup.iter().find(|sat| sat.model == "human") {
        let remedy = format!("use --seat {}=outside; agon answer and agon serve work from any machine", sat.seat);
        return Err(Failure::usage(
            format!("the seat {}: a worker cannot ask the person at this terminal", sat.seat),
            remedy,
        ));
    }
    engine.check_reachable().await
}

/// Has `engine` drive a debate, and shows on `screen` what is added to its `record` until it ends or stops.
///
/// # Errors
///
/// Why it stopped before its end, or that this process was told to follow it no longer; it continues then.
pub(crate) async fn drive_remotely(
    context: &Context,
    engine: &dyn DebateEngine,
    order: &DriveOrder,
    record: &Record,
    screen: &dyn Watch,
    interrupted: impl Future<Output = ()>,
) -> Result<(Outcome, Record)> {
    let (journal, id) = (&context.journal, &order.debate);
    let mut shown = record.len();
    let mut show = || -> Result<Record> {
        let record = journal.read_record(id)?;
        let end = record.len();
        if end > shown {
            record.entries()[shown as usize..end as usize].iter().for_each(|entry| screen.on_entry(entry));
            shown = end;
            screen.on_record(&record)?;
        }
        Ok(record)
    };
    let mut driving = std::pin::pin!(engine.drive_debate(order));
    let mut interrupted = std::pin::pin!(interrupted);
    let mut known = record.len();
    loop {
        tokio::select! {
            biased;
            ended = &mut driving => {
                let record = show()?;
                ended?;
                let outcome = record.closing_outcome().cloned().ok_or_else(|| continued_failure(id, engine))?;
                return Ok((outcome, record));
            }
            () = &mut interrupted => return Err(detached_failure(id, engine)),
            () = tokio::time::sleep(LOOK_EVERY), if screen.is_shown() => {
                // A journal that cannot be read for a moment is the engine's to report.
                if let Ok(Some(summary)) = journal.find_summary(id)
                    && summary.entries != known
                {
                    known = show()?.len();
                }
            }
        }
    }
}

fn detached_failure(id: &DebateId, engine: &dyn DebateEngine) -> Failure {
    Failure::new(
        exit::INTERRUPTED,
        "detached",
        format!("no longer followed here; {id} continues on {}", engine.address()),
        format!("agon watch {id} follows it; agon pause {id} and agon cancel {id} stop it"),
    )
}

/// It was extended between its end and now.
fn continued_failure(id: &DebateId, engine: &dyn DebateEngine) -> Failure {
    Failure::new(
        exit::CONFLICT,
        "continued",
        format!("{id} was continued by someone else"),
        format!("agon resume {id} --on {} follows it", engine.address()),
    )
}

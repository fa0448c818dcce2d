//! `agon batch`: runs many debates from a file, several at once, and summarises them.

mod again;
mod line;

use std::{path::PathBuf, time::Instant};

use agon_app::{
    Context, Failure, Result, companion, exit, opening, output_dir,
    request::SeatRequest,
    resume::{ResumeOutcome, ResumeRequest, directory, known, resume},
    session,
    start::start,
};
use agon_core::{DebateId, Outcome, Record, plural};
use agon_formats::agreement::{Agreement, Votes};
use agon_runtime::{
    drive::{DriveError, SilentWatch},
    files::check_writable,
};
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};

use self::line::DebateSpec;
use super::{CommandContext, answer, ending::interrupted};
use crate::{
    cli::{BatchArgs, Output},
    input, ui,
};

/// Longest file.
const FILE_MEGABYTES_MAX: u64 = 16;

pub async fn run(command_context: &CommandContext, args: BatchArgs) -> Result<u8> {
    command_context.config()?;
    let file = args.file.display();
    let remedy = "give a file with one JSON object per line, or split it";
    let text = String::from_utf8(input::bytes(&args.file, FILE_MEGABYTES_MAX, remedy)?)
        .map_err(|_| Failure::usage(format!("{file} is not UTF-8 text"), remedy))?;
    let lines = line::read(&text);
    if lines.is_empty() {
        return Err(Failure::usage(
            format!("{file} contains no debates"),
            "write one JSON object per line: {\"protocol\": \"exchange\", \"motion\": \"…\"}",
        ));
    }
    allow_files();
    // Nobody is asked at a terminal, and nothing but results is printed.
    let silent = CommandContext {
        output: Output::Json,
        quiet: true,
        lines: true,
        places: command_context.places.clone(),
    };
    let context = silent.context(args.offline)?;
    let interrupted = interrupted().shared();
    let batch = BatchRun { context: &context };
    let work = futures::stream::iter(lines).map(|(number, wanted)| {
        let interrupted = interrupted.clone();
        let batch = &batch;
        async move {
            let began = Instant::now();
            let mut at = None;
            let ended = match (interrupted.clone().now_or_never(), wanted) {
                (_, Err(failure)) => Err(failure),
                (Some(()), _) => {
                    Err(Failure::new(exit::INTERRUPTED, "interrupted", "not started", "run the batch again"))
                }
                (None, Ok(wanted)) => batch.hold(wanted, &mut at, interrupted).await,
            };
            let (ended, record) = match ended {
                Ok((outcome, record)) => (Ok(outcome), Some(record)),
                Err(failure) => (Err(failure), None),
            };
            LineResult { number, at, ended, record, seconds: began.elapsed().as_secs_f64() }
        }
    });
    let mut work = Box::pin(work.buffer_unordered(args.concurrency.into()));
    let mut codes = Vec::new();
    let mut held = Vec::new();
    let mut votes = Votes::default();
    while let Some(done) = work.next().await {
        codes.push(done.code());
        command_context.print(&done.json(), || done.text());
        if let Some(record) = &done.record {
            votes.hear(record);
        } else if let Some(record) = done.at.as_ref().and_then(|at| context.journal.read(&at.id).ok()) {
            votes.hear(&record);
        }
        held.extend(done.at);
    }
    summarise(command_context, &codes, &held, &votes.agreement());
    Ok(match &codes {
        codes if codes.contains(&exit::INTERRUPTED) => exit::INTERRUPTED,
        codes if codes.iter().all(|code| *code == exit::OK) => exit::OK,
        _ => exit::PROVIDER,
    })
}

/// Asks the system for as many open files as it may give: each debate holds a lock and some connections.
fn allow_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // Where it gives no more, debates that find none say so and can be run again.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

fn summarise(command_context: &CommandContext, codes: &[u8], held: &[LineDebate], agreement: &Agreement) {
    let well = codes.iter().filter(|code| **code == exit::OK).count();
    let of = |state: LineState| held.iter().filter(|at| at.state == state).count();
    let [new, resumed, repeated] = [LineState::New, LineState::Resumed, LineState::Repeated].map(of);
    let summary = json!({
        "event": "batch", "debates": codes.len(), "closed_well": well,
        "new": new, "resumed": resumed, "repeated": repeated,
        "agreement": agreement, "in_words": agreement.lines(),
    });
    command_context.print(&summary, || {
        let states = format!("{new} new, {resumed} resumed, {repeated} repeated");
        let mut lines = vec![format!(
            "{well} of {} closed with exit code 0 ({states})",
            plural(codes.len(), "debate", "debates")
        )];
        if agreement.debates > 0 {
            lines.extend(agreement.lines());
        }
        lines.join("\n")
    });
}

/// Where the debate of a line stood when the batch came to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineState {
    /// It was opened.
    New,
    /// It had begun, and went on.
    Resumed,
    /// It was over: its outcome is told again, and nothing is asked or paid.
    Repeated,
}

impl LineState {
    fn name(self) -> &'static str {
        match self {
            LineState::New => "new",
            LineState::Resumed => "resumed",
            LineState::Repeated => "repeated",
        }
    }
}

/// The debate of a line.
struct LineDebate {
    id: DebateId,
    directory: PathBuf,
    state: LineState,
}

/// The result of one line.
struct LineResult {
    number: usize,
    at: Option<LineDebate>,
    ended: Result<Outcome>,
    /// Its record, where it has ended.
    record: Option<Record>,
    seconds: f64,
}

impl LineResult {
    fn code(&self) -> u8 {
        match &self.ended {
            Ok(outcome) => session::code(outcome),
            Err(failure) => failure.exit,
        }
    }

    fn json(&self) -> Value {
        let mut line = json!({
            "line": self.number, "code": self.code(), "seconds": (self.seconds * 10.0).round() / 10.0,
            "id": self.at.as_ref().map(|at| &at.id), "directory": self.at.as_ref().map(|at| &at.directory),
            "state": self.at.as_ref().map(|at| at.state.name()),
        });
        match &self.ended {
            Ok(outcome) => line["outcome"] = json!(outcome),
            Err(failure) => line["error"] = failure.to_json(),
        }
        line
    }

    fn text(&self) -> String {
        let debate = self.at.as_ref().map(|at| format!("{} ({})", at.id, at.state.name()));
        let debate = debate.unwrap_or_else(|| "no debate".into());
        let what = match &self.ended {
            Ok(outcome) => outcome.name.clone(),
            Err(failure) => format!("{}; {}", failure.message, failure.remedy),
        };
        ui::visible(&format!("line {}: {debate}: {what} (code {})", self.number, self.code()))
    }
}

/// What every debate of a batch is held with.
struct BatchRun<'a> {
    context: &'a Context,
}

impl BatchRun<'_> {
    /// Brings the debate of one line to its end, wherever it stands, and holds its companions.
    async fn hold(
        &self,
        wanted: DebateSpec,
        at: &mut Option<LineDebate>,
        interrupted: impl Future<Output = ()> + Clone,
    ) -> Result<(Outcome, Record)> {
        let DebateSpec { mut request, is_named, key } = wanted;
        request.yes = true;
        let context = &self.context.clone().offline(request.offline);
        let journal = &context.journal;
        let mut checked = opening::check(context, &request, true)?;
        again::mark(&mut checked.opened, &key);
        let id = checked.opened.debate.clone();
        let (outcome, record) = match journal.find(&id)? {
            Some(record) => {
                again::check(record.opened(), &checked.opened)?;
                go_on(context, &record, at, interrupted.clone()).await?
            }
            None => {
                // A request without an id does not ask for another debate about the same.
                request.id = request.id.filter(|_| is_named);
                let started = start(context, &request, &checked).await?;
                *at = Some(LineDebate {
                    id: id.clone(),
                    directory: started.directory.clone(),
                    state: LineState::New,
                });
                // Of many debates at once, none keeps what only its opening needed.
                drop(checked);
                started.drive(context, Box::new(SilentWatch), interrupted.clone()).await?
            }
        };
        while let Some((_, companion)) = companion::next(context, &record).await? {
            companion.drive(context, Box::new(SilentWatch), interrupted.clone()).await?;
        }
        Ok((outcome, record))
    }
}

/// Continues with a debate that has begun; of one that is over, the outcome and its files again.
async fn go_on(
    context: &Context,
    record: &Record,
    at: &mut Option<LineDebate>,
    interrupted: impl Future<Output = ()>,
) -> Result<(Outcome, Record)> {
    let id = &record.opened().debate;
    let directory = directory(&context.journal, record).await?;
    let there = |state| LineDebate { id: id.clone(), directory: directory.clone(), state };
    if let Some(outcome) = record.closed() {
        *at = Some(there(LineState::Repeated));
        check_writable(&directory)?;
        output_dir::leave(&context.journal, record, &directory, &*context.frontend)?;
        return Ok((outcome.clone(), record.clone()));
    }
    *at = Some(there(LineState::Resumed));
    let (record, protocol) = known(&context.journal, id)?;
    // Who answers was settled when it was opened.
    let (seats, wish) = (SeatRequest::default(), ResumeRequest::Resume(answer::user()));
    let resumed = resume(context, &record, protocol, &seats, &wish).await;
    match resumed.map_err(|failure| failure.resumable(id))? {
        ResumeOutcome::Ready(started, _) => started.drive(context, Box::new(SilentWatch), interrupted).await,
        ResumeOutcome::Elsewhere { held, .. } => Err(DriveError::Held { held }.into()),
    }
}

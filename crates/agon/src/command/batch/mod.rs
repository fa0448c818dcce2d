//! `agon batch`: many debates out of a file, some of them at once, and what they say together.

mod again;
mod line;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use agon_core::{DebateId, Outcome, Protocol, Record, Standing};
use agon_formats::agreement::{Agreement, Votes};
use agon_runtime::{
    config::Config,
    desk::Desk,
    drive::{DriveLock, Quiet, Seats},
    files::check_writable,
    journal::Journal,
};
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};

use self::line::Wanted;
use super::{
    Hand, answer,
    companion::{self, Beside},
    resume::{self, Going, Wish},
    run as open,
};
use crate::{
    cli::{BatchArgs, Output, RunArgs, SeatArgs},
    conduct::{self, Seated},
    failure::{Failure, Result, exit},
    input, shelf, ui,
};

/// Longest file.
const FILE_MEGABYTES_MAX: u64 = 16;

pub async fn run(hand: &Hand, args: BatchArgs) -> Result<u8> {
    let config = hand.config()?;
    let file = args.file.display();
    let remedy = "name a file with a JSON object a line, or split it into several";
    let text = String::from_utf8(input::bytes(&args.file, FILE_MEGABYTES_MAX, remedy)?)
        .map_err(|_| Failure::usage(format!("{file} is no text in UTF-8"), remedy))?;
    let lines = line::read(&text);
    if lines.is_empty() {
        return Err(Failure::usage(
            format!("{file} holds no debate"),
            "write one JSON object a line: {\"protocol\": \"exchange\", \"motion\": \"…\"}",
        ));
    }
    let journal = hand.journal()?;
    allow_files();
    // Nobody is asked at a terminal, and nothing but results is printed.
    let silent = Hand { output: Output::Json, quiet: true, places: hand.places.clone() };
    let interrupted = async {
        // Without a handler for it the system ends the process, which is as resumable.
        let _ = tokio::signal::ctrl_c().await;
    }
    .shared();
    let bench = Bench { hand: &silent, config: &config, journal: &journal, offline: args.offline };
    let work = futures::stream::iter(lines).map(|(number, wanted)| {
        let interrupted = interrupted.clone();
        let bench = &bench;
        async move {
            let began = Instant::now();
            let mut at = None;
            let ended = match (interrupted.clone().now_or_never(), wanted) {
                (_, Err(failure)) => Err(failure),
                (Some(()), _) => {
                    Err(Failure::new(exit::INTERRUPTED, "interrupted", "not begun", "run the batch again"))
                }
                (None, Ok(wanted)) => bench.hold(wanted, &mut at, interrupted).await,
            };
            let (ended, record) = match ended {
                Ok((outcome, record)) => (Ok(outcome), Some(record)),
                Err(failure) => (Err(failure), None),
            };
            Done { number, at, ended, record, seconds: began.elapsed().as_secs_f64() }
        }
    });
    let mut work = Box::pin(work.buffer_unordered(args.concurrency.into()));
    let mut codes = Vec::new();
    let mut held = Vec::new();
    let mut votes = Votes::default();
    while let Some(done) = work.next().await {
        codes.push(done.code());
        hand.print(&done.json(), || done.text());
        if let Some(record) = &done.record {
            votes.hear(record);
        } else if let Some(record) = done.at.as_ref().and_then(|at| journal.read(&at.id).ok()) {
            votes.hear(&record);
        }
        held.extend(done.at);
    }
    summarise(hand, &codes, &held, &votes.agreement());
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

fn summarise(hand: &Hand, codes: &[u8], held: &[At], agreement: &Agreement) {
    let well = codes.iter().filter(|code| **code == exit::OK).count();
    let of = |state: State| held.iter().filter(|at| at.state == state).count();
    let [new, resumed, repeated] = [State::New, State::Resumed, State::Repeated].map(of);
    let summary = json!({
        "event": "batch", "debates": codes.len(), "closed_well": well,
        "new": new, "resumed": resumed, "repeated": repeated,
        "agreement": agreement, "in_words": agreement.lines(),
    });
    hand.print(&summary, || {
        let states = format!("{new} new, {resumed} resumed, {repeated} repeated");
        let mut lines = vec![format!("{well} of {} debates closed with exit code 0 ({states})", codes.len())];
        if agreement.debates > 0 {
            lines.extend(agreement.lines());
        }
        lines.join("\n")
    });
}

/// Where the debate of a line stood when the batch came to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It was opened.
    New,
    /// It had begun, and went on.
    Resumed,
    /// It was over: its outcome is told again, and nothing is asked or paid.
    Repeated,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::New => "new",
            State::Resumed => "resumed",
            State::Repeated => "repeated",
        }
    }
}

/// The debate of a line.
struct At {
    id: DebateId,
    directory: PathBuf,
    state: State,
}

/// What came of one line.
struct Done {
    number: usize,
    at: Option<At>,
    ended: Result<Outcome>,
    /// Its record, where it has ended.
    record: Option<Record>,
    seconds: f64,
}

impl Done {
    fn code(&self) -> u8 {
        match &self.ended {
            Ok(outcome) => conduct::code(outcome),
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
struct Bench<'a> {
    hand: &'a Hand,
    config: &'a Config,
    journal: &'a Journal,
    offline: bool,
}

impl Bench<'_> {
    fn seated<'s>(
        &'s self,
        id: &'s DebateId,
        protocol: &'s dyn Protocol,
        seats: Seats,
        directory: &'s Path,
    ) -> Seated<'s> {
        let Bench { hand, journal, .. } = *self;
        Seated {
            journal,
            id,
            protocol,
            seats,
            directory,
            home: &hand.places.home,
            output: hand.output,
            quiet: true,
        }
    }

    /// Brings the debate of one line to its end, wherever it stands, and holds its companions.
    async fn hold(
        &self,
        wanted: Wanted,
        at: &mut Option<At>,
        interrupted: impl Future<Output = ()> + Clone,
    ) -> Result<(Outcome, Record)> {
        let Bench { hand, config, journal, .. } = *self;
        let Wanted { mut args, is_named, key } = wanted;
        args.offline |= self.offline;
        args.yes = true;
        let mut checked = open::check(hand, config, &args)?;
        again::mark(&mut checked.opened, &key);
        let id = checked.opened.debate.clone();
        let (outcome, record) = match journal.find(&id)? {
            Some(record) => {
                again::check(record.opened(), &checked.opened)?;
                self.go_on(&record, &args, at, interrupted.clone()).await?
            }
            None => {
                // Whoever names no id has not said that another debate about the same is wanted.
                args.id = args.id.filter(|_| is_named);
                let begun = open::begin(hand, config, journal, &args, &checked).await?;
                *at = Some(At { id: id.clone(), directory: begun.directory.clone(), state: State::New });
                let protocol = checked.protocol;
                // Of many debates at once, none keeps what only its opening needed.
                drop(checked);
                let debate = self.seated(&id, protocol, begun.seats, &begun.directory);
                conduct::perform(debate, Box::new(Quiet), interrupted.clone(), begun.lock).await?
            }
        };
        if outcome.standing == Standing::Void {
            return Ok((outcome, record));
        }
        for kind in companion::KINDS {
            let Some(wanted) = record.opened().options.get(kind).and_then(Value::as_str) else { continue };
            let id = super::debate_id(wanted)?;
            let beside = Beside { hand, config, journal, of: &record, offline: args.offline };
            let Some((begun, lock)) = beside.begin(kind, &id).await? else { continue };
            let debate = self.seated(&id, begun.protocol, begun.seats, &begun.directory);
            conduct::perform(debate, Box::new(Quiet), interrupted.clone(), lock).await?;
        }
        Ok((outcome, record))
    }

    /// Goes on with a debate that has begun; of one that is over, the outcome and its files again.
    async fn go_on(
        &self,
        record: &Record,
        args: &RunArgs,
        at: &mut Option<At>,
        interrupted: impl Future<Output = ()>,
    ) -> Result<(Outcome, Record)> {
        let Bench { hand, config, journal, .. } = *self;
        let id = &record.opened().debate;
        let directory = resume::directory(journal, record).await?;
        let known = |state| At { id: id.clone(), directory: directory.clone(), state };
        if let Some(outcome) = record.closed() {
            *at = Some(known(State::Repeated));
            check_writable(&directory)?;
            shelf::leave(journal, record, &directory)?;
            return Ok((outcome.clone(), record.clone()));
        }
        *at = Some(known(State::Resumed));
        let (record, protocol) = resume::known(journal, id)?;
        let lock = DriveLock::take(&hand.places.home, id)?;
        let desk = Desk { journal, home: &hand.places.home, debate: id, protocol };
        let wish = Wish::Resume(answer::user());
        let going = Going { hand, config, desk: &desk, record: &record, wish: &wish };
        // Who answers was settled when it was opened.
        let seats = going.seat(&directory, &SeatArgs::default(), args.offline).await;
        let seats = seats.map_err(|failure| failure.resumable(id))?;
        wish.record(&desk).await?;
        let debate = self.seated(id, protocol, seats, &directory);
        conduct::perform(debate, Box::new(Quiet), interrupted, lock).await
    }
}

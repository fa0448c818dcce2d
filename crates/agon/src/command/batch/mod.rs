//! `agon batch`: runs many debates from a file or a stream, several at once, and summarises them.

mod existing_debate;
mod line_options;
mod line_reader;
mod line_run;
mod precheck;
mod progress;
mod result;
mod tally;

use std::{cell::Cell, pin::pin, sync::Arc};

use agon_app::{Context, Failure, Result, driving_threads::DrivingThreads, exit};
use agon_report::agreement::Votes;
use futures::{FutureExt, StreamExt, stream};

use self::{
    line_options::KnownLines,
    line_reader::BatchSource,
    line_run::run_debate,
    precheck::FirstLook,
    progress::{BatchProgress, DRAW_EVERY},
    result::LineResult,
    tally::BatchTally,
};
use super::{CommandContext, ending::wait_for_interrupt, open_files};
use crate::{cli::BatchArgs, ui};

pub async fn run(command_context: &CommandContext, args: BatchArgs) -> Result<u8> {
    command_context.load_config()?;
    let source = BatchSource::from_path(&args.file)?;
    // Nobody is asked at a terminal, and nothing but results is printed.
    let silent = command_context.to_silent();
    let context = Context { files: args.files, ..silent.context_on(args.offline, &args.on)? };
    let run = Arc::new(context.clone());
    let mut told =
        ToldLines { command_context, context: &context, tally: BatchTally::default(), votes: Votes::default() };
    let look = match source.is_repeatable() {
        true => Some(FirstLook::check_source(&source, &context, |line| told.print_result(line))?),
        false => None,
    };
    if look.as_ref().is_some_and(|look| look.lines == 0) {
        return Err(empty_batch(&source));
    }
    open_files::raise_limit();
    let total = look.as_ref().map(|look| look.lines);
    let faulty = look.map(|look| look.faulty).unwrap_or_default();
    let mut progress = BatchProgress::new(total, args.progress, command_context.quiet);
    let interrupted = wait_for_interrupt().shared();
    let (running, broken) = (Cell::new(0_usize), Cell::new(None));
    let mut known = KnownLines::default();
    let threads = DrivingThreads::start(args.concurrency.into());
    let lines = stream::unfold(source.stream_lines()?, async |mut lines| Some((lines.recv().await?, lines)));
    let wanted = lines.take_until(interrupted.clone()).filter_map(|line| {
        let wanted = match line {
            // What was told at the first look counts as it counted then, for equal lines after it.
            Ok(line) => Some((line.number, known.parse_line(&line))).filter(|_| !faulty.contains(&line.number)),
            Err(error) => {
                broken.set(Some(source.read_failure(&error)));
                None
            }
        };
        std::future::ready(wanted)
    });
    let work = wanted.map(|(number, wanted)| {
        let (interrupted, run, running, threads) = (interrupted.clone(), Arc::clone(&run), &running, &threads);
        async move {
            let wanted = match wanted {
                Ok(wanted) => wanted,
                Err(failure) => return LineResult::from_failure(number, failure),
            };
            running.set(running.get() + 1);
            let line = threads.run(move || async move { run_debate(&run, number, wanted, interrupted).await }).await;
            running.set(running.get() - 1);
            line
        }
    });
    let mut work = pin!(work.buffer_unordered(args.concurrency.into()));
    let mut beat = tokio::time::interval(DRAW_EVERY);
    loop {
        // Also where lines end faster than the beat.
        progress.show(&told.tally, running.get());
        tokio::select! {
            biased;
            line = work.next() => match line {
                Some(line) => told.print_result(line),
                None => break,
            },
            _ = beat.tick() => {}
        }
    }
    let ToldLines { mut tally, votes, .. } = told;
    if interrupted.clone().now_or_never().is_some() {
        tally.is_interrupted = true;
    }
    let broken = broken.take();
    if tally.told == 0 && tally.exit_code() == exit::OK {
        return Err(broken.unwrap_or_else(|| empty_batch(&source)));
    }
    let left = total.map(|total| total.saturating_sub(tally.told));
    let (agreement, seconds) = (votes.to_agreement(), progress.elapsed().as_secs_f64());
    command_context.print(&tally.to_json(&agreement, left, seconds), || {
        ui::escape_invisible(&tally.render_text(&agreement, left))
    });
    // What was read before was held; what follows cannot be.
    broken.map_or(Ok(tally.exit_code()), Err)
}

/// Results, told as they come.
struct ToldLines<'a> {
    command_context: &'a CommandContext,
    context: &'a Context,
    tally: BatchTally,
    votes: Votes,
}

impl ToldLines<'_> {
    fn print_result(&mut self, line: LineResult) {
        self.tally.count_line(&line);
        self.command_context.print(&line.to_json(), || line.summary_line());
        if let Some(record) = &line.record {
            self.votes.add_record(record);
        } else if let Some(at) = &line.at
            && let Ok(record) = self.context.journal.read_record(&at.id)
        {
            self.votes.add_record(&record);
        }
    }
}

fn empty_batch(source: &BatchSource) -> Failure {
    let why = format!("{} contains no debates", source.name());
    Failure::usage(why, "write one JSON object per line: {\"protocol\": \"exchange\", \"motion\": \"…\"}")
}

//! Brings the debate of one line to its end, wherever it stands.

use std::time::Instant;

use agon_app::{
    Context, Result, companion,
    declarations::find_rules,
    opening, output_folder,
    request::SeatRequest,
    resume::{ResumeOutcome, ResumeRequest, find_folder, read_debate, resume_debate},
    start::start_debate,
};
use agon_core::{DebateId, Outcome, Record, Usage};
use agon_journal::{JournalError, LockError};
use agon_runtime::{drive::SilentWatch, files::check_writable};

use super::{
    existing_debate,
    line_options::DebateSpec,
    result::{LineDebate, LineResult, LineState},
};
use crate::command::answer;

/// Says what is wrong with a line before anything is sent: everything that does not depend on who answers.
/// Material is read when the debate begins.
///
/// # Errors
///
/// What `run` would end with.
pub fn check_line(context: &Context, wanted: &DebateSpec) -> Result<()> {
    if !wanted.request.context.sources.is_empty() {
        return Ok(());
    }
    let context = &context.clone().with_offline(wanted.request.offline);
    let mut request = wanted.request.clone();
    request.yes = true;
    opening::check_request(context, &request).map(drop)
}

/// Holds the debate of the line `number` and its companions.
pub async fn run_debate(
    context: &Context,
    number: usize,
    wanted: DebateSpec,
    interrupted: impl Future<Output = ()> + Clone,
) -> LineResult {
    let began = Instant::now();
    let mut line = UnderWay::default();
    let ended = run_or_resume(context, wanted, &mut line, interrupted).await;
    let (ended, record) = match ended {
        Ok((outcome, record)) => (Ok(outcome), Some(record)),
        Err(failure) => (Err(failure), None),
    };
    // What cannot be read is reported by what failed for it.
    let spent = line.compute_spent(context).unwrap_or_default();
    LineResult { number, at: line.at, ended, record, spent, seconds: began.elapsed().as_secs_f64() }
}

async fn run_or_resume(
    context: &Context,
    wanted: DebateSpec,
    line: &mut UnderWay,
    interrupted: impl Future<Output = ()> + Clone,
) -> Result<(Outcome, Record)> {
    let DebateSpec { mut request, is_named, key } = wanted;
    request.yes = true;
    let context = &context.clone().with_offline(request.offline);
    let journal = &context.journal;
    let mut checked = opening::check_request(context, &request)?;
    existing_debate::record_line_key(&mut checked.opened, &key);
    let id = checked.opened.debate.clone();
    let (outcome, record) = match journal.find_record(&id)? {
        Some(record) => {
            existing_debate::check_same_debate(record.opened(), &checked.opened)?;
            drop(checked);
            resume_line(context, &record, line, interrupted.clone()).await?
        }
        None => {
            // A request without an id does not ask for another debate about the same.
            request.id = request.id.filter(|_| is_named);
            let started = start_debate(context, &request, &checked).await?;
            line.at = Some(LineDebate { id: id.clone(), directory: started.directory.clone(), state: LineState::New });
            line.paid.push((id, Usage::default()));
            // Of many debates at once, none keeps what only its opening needed.
            drop(checked);
            started.drive_debate(context, Box::new(SilentWatch), interrupted.clone()).await?
        }
    };
    while let Some((_, companion)) = companion::next(context, &record).await? {
        line.paid.push((companion.id.clone(), journal.sum_usage(&companion.id)?));
        companion.drive_debate(context, Box::new(SilentWatch), interrupted.clone()).await?;
    }
    Ok((outcome, record))
}

/// A line that is being worked on.
#[derive(Default)]
struct UnderWay {
    /// Its debate, as soon as there is one.
    at: Option<LineDebate>,
    /// Its debate and its companions, each with what had been spent on it before.
    paid: Vec<(DebateId, Usage)>,
}

impl UnderWay {
    /// What was spent since it was taken up.
    fn compute_spent(&self, context: &Context) -> std::result::Result<Usage, JournalError> {
        let mut sum = Usage::default();
        for (id, before) in &self.paid {
            sum += subtract_usage(context.journal.sum_usage(id)?, before);
        }
        Ok(sum)
    }
}

/// What `all` is more than `before`; how far it is known is as for all of it.
fn subtract_usage(all: Usage, before: &Usage) -> Usage {
    Usage {
        requests: all.requests.saturating_sub(before.requests),
        prompt_tokens: all.prompt_tokens.saturating_sub(before.prompt_tokens),
        cached_tokens: all.cached_tokens.saturating_sub(before.cached_tokens),
        cache_write_tokens: all.cache_write_tokens.saturating_sub(before.cache_write_tokens),
        completion_tokens: all.completion_tokens.saturating_sub(before.completion_tokens),
        cost_microusd: all.cost_microusd.saturating_sub(before.cost_microusd),
        ..all
    }
}

/// Continues with a debate that has begun; of one that is over, the outcome and its files again.
async fn resume_line(
    context: &Context,
    record: &Record,
    line: &mut UnderWay,
    interrupted: impl Future<Output = ()>,
) -> Result<(Outcome, Record)> {
    let id = &record.opened().debate;
    let directory = find_folder(context, find_rules(record)?, record).await?;
    let there = |state| LineDebate { id: id.clone(), directory: directory.clone(), state };
    if let Some(outcome) = record.closing_outcome() {
        line.at = Some(there(LineState::Repeated));
        if let Some(directory) = &directory {
            check_writable(directory)?;
            let (journal, frontend) = (&context.journal, &*context.frontend);
            output_folder::write_debate_files(journal, record, directory, context.files, frontend)?;
        }
        return Ok((outcome.clone(), record.clone()));
    }
    line.at = Some(there(LineState::Resumed));
    line.paid.push((id.clone(), context.journal.sum_usage(id)?));
    let (record, protocol) = read_debate(&context.journal, id)?;
    // Who answers was settled when it was opened.
    let (seats, wish) = (SeatRequest::default(), ResumeRequest::Resume(answer::user_name()));
    let resumed = resume_debate(context, &record, protocol, &seats, &wish).await;
    match resumed.map_err(|failure| failure.with_resume_hint(id))? {
        ResumeOutcome::Ready(started, _) => started.drive_debate(context, Box::new(SilentWatch), interrupted).await,
        ResumeOutcome::Elsewhere { held, .. } => Err(LockError::Held(held).into()),
    }
}

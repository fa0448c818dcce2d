//! `debate` and `debate_result`: a whole debate in one call, or in as many as its length needs.

use agon_app::request;
use agon_core::{DebateId, Manifest, MotionKind, Record, Standing};
use agon_protocols::common::{parallel_answers, struck_text};
use agon_report::{companion, first_page::FirstPage};
use rmcp::model::JsonObject;
use serde_json::json;
use tokio::time::Instant;

use crate::{
    ClientContext, Debates,
    arguments::{HoldArguments, ResultArguments},
    material,
    refusal::Result,
    results::{DebateFindings, DebateResult},
    wait::{BoundedWait, WAIT_SECONDS_MAX},
};

/// What can be done about a debate that stopped or is paused.
const CONTINUE: &str = "resume_debate continues it";

/// The protocol of a debate where the call names none: the first that argues about a text.
pub(crate) fn default_protocol(kinds: &[Manifest]) -> &str {
    kinds.iter().find(|kind| kind.motion == MotionKind::Text).map_or("", |kind| &kind.name)
}

impl Debates {
    pub(crate) async fn run_debate(&self, wanted: HoldArguments, context: &ClientContext) -> Result<DebateResult> {
        let started = Instant::now();
        let seconds = wanted.seconds;
        let opening = request::from_json(self.build_request(wanted)?)?;
        let id = self.launcher.open_debate(self.check_protocol(opening)?).await?;
        self.wait_for_result(&id, started, seconds, context).await
    }

    pub(crate) async fn result_of(
        &self,
        ResultArguments { debate, seconds }: ResultArguments,
        context: &ClientContext,
    ) -> Result<DebateResult> {
        self.wait_for_result(&debate, Instant::now(), seconds, context).await
    }

    /// The request that `wanted` stands for.
    fn build_request(&self, wanted: HoldArguments) -> Result<JsonObject> {
        let HoldArguments { motion, kind, material, seats, model, rounds, budget, .. } = wanted;
        let kinds = self.list_kinds();
        let kind = kind.unwrap_or_else(|| default_protocol(&kinds).to_owned());
        let mut sources = material::build_sources(material);
        let about_document = kinds.iter().any(|known| known.name == kind && known.motion == MotionKind::Document);
        let (motion, topic) = match about_document && !sources.is_empty() {
            true => (Some(material::document_source(sources.remove(0), self.launcher.reads_files())?), motion),
            false => (motion, None),
        };
        let request = json!({
            "motion": motion, "topic": topic, "context": sources,
            "protocol": kind, "seats": seats, "model": model, "rounds": rounds, "max_cost": budget,
        });
        Ok(request.as_object().cloned().unwrap_or_default())
    }

    /// Waits until a debate is over, or needs an answer from outside, or has stopped, or the server stops, or
    /// the time since `started` is up.
    async fn wait_for_result(
        &self,
        id: &DebateId,
        started: Instant,
        seconds: Option<u64>,
        context: &ClientContext,
    ) -> Result<DebateResult> {
        let mut waiting = BoundedWait::new(context, started, seconds.unwrap_or(WAIT_SECONDS_MAX));
        loop {
            let record = self.journal.read_record(id)?;
            if record.closing_outcome().is_some() {
                return self.closed_result(&record);
            }
            let open = self.find_outside_seats(id)?.list_open_requests().await?;
            let seats: Vec<_> = open.iter().filter(|open| open.outside && open.lease.is_none()).collect();
            if !seats.is_empty() {
                let seats = seats.iter().map(|open| open.request.seat.clone()).collect();
                let next = "take the turn with wait_for_turn and answer, then call debate_result";
                let mut result = unfinished_result(&record, "waiting", next);
                result.more.seats = Some(seats);
                return Ok(result);
            }
            if record.find_pause().is_some() {
                return Ok(unfinished_result(&record, "paused", CONTINUE));
            }
            if let Some(why) = waiting.find_stop_reason(self, id).await {
                let mut result = unfinished_result(&record, "stopped", CONTINUE);
                result.more.stopped = Some(why);
                return Ok(result);
            }
            if self.launcher.is_ending() {
                let next = "the server is stopping: call debate_result with its id again in some seconds";
                return Ok(unfinished_result(&record, "running", next));
            }
            if waiting.is_over() {
                return Ok(unfinished_result(&record, "running", "call debate_result with its id"));
            }
            waiting.pause_look(id, record.len()).await;
        }
    }

    /// How a debate ended, and what was not settled. The number of a sentence is that of its entry.
    fn closed_result(&self, record: &Record) -> Result<DebateResult> {
        let extraction = companion::find_extraction(record, |id| self.journal.find_record(id))?;
        let shown = struck_text::publishable_record(record);
        let page = FirstPage::with_extraction(&shown, extraction.as_ref());
        let id = record.opened().debate.clone();
        let outcome = shown.closing_outcome();
        let more = DebateFindings {
            question: Some(page.question),
            answers: Some(page.answers),
            verdict: Some(page.verdict),
            outcome: outcome.map(|outcome| outcome.name.clone()),
            valid: outcome.map(|outcome| outcome.standing == Standing::Valid),
            winner: outcome.and_then(|outcome| outcome.winner.clone()),
            reason: outcome.map(|outcome| outcome.render_summary()),
            absent: outcome.map(|outcome| outcome.absent.clone()),
            doubts: Some(page.doubts),
            rests_on: Some(page.basis),
            dissent: Some(page.open),
            would_change_it: Some(page.flips),
            used: Some(self.journal.sum_usage(&id)?.render_receipt()),
            directory: self.debate_directory(&id)?,
            ..DebateFindings::default()
        };
        Ok(DebateResult { debate: id, status: "closed", next: "transcript and export show the whole debate", more })
    }
}

/// How a debate stands that is not over.
fn unfinished_result(record: &Record, status: &'static str, next: &'static str) -> DebateResult {
    let readable = parallel_answers::readable_record(record);
    let stands = agon_report::views_of(record).progress_line(&struck_text::publishable_record(&readable));
    let debate = record.opened().debate.clone();
    let more = DebateFindings { entries: Some(record.len()), stands, ..DebateFindings::default() };
    DebateResult { debate, status, next, more }
}

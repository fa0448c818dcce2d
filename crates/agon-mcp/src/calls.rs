//! The implementation of each tool.

use std::{path::PathBuf, time::Duration};

use agon_app::{ContinueRequest, OpeningRequest, request::SourceRequest};
use agon_core::{DebateId, Key, RulingKind, Seat, View};
use agon_journal::{
    DebateSummary, JournalError,
    leases::{LEASE_SECONDS, Lease, Receipt, SeatClaim},
};
use agon_protocols::common::{
    lineup,
    struck_text::{self, Withheld},
};
use agon_report::companion;
use agon_runtime::{
    lookups::LookupTool,
    outside_seats::{Acted, OutsideSeatError, OutsideSeats, UnansweredRequest},
};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, JsonObject},
};

use crate::{
    ClientContext, Debates,
    arguments::{
        ActArguments, AnswerArguments, ClaimArguments, DebateArguments, ExportArguments, InterjectArguments,
        ListArguments, LookupArguments, RefreshArguments, ReleaseArguments, parse_arguments,
    },
    policy::NAMELESS,
    refusal::{Result, ToolRefusal},
    results::{
        ContinuedResult, ExportResult, ListedResult, ListedSummary, LookupResult, OpenSeat, PlanResult, ScoredRuling,
        ScoresResult, StartedResult, StatusResult, StopFinding, TakenSeat, ToolResult, TranscriptResult, TurnMessage,
        TurnPrompt,
    },
};

/// Longest time of a call, in seconds: many clients give up after a minute. Waits end earlier by themselves.
const CALL_SECONDS_MAX: u64 = 54;
/// Debates in a list where nobody says how many.
const LIST_LIMIT: u32 = 50;
pub(crate) const LIST_LIMIT_MAX: u32 = 500;
/// Maximum number of bytes of exported files in one result.
const EXPORT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What `work` gives, unless it takes longer than `limit`. What it began continues: the journal and the driver do not
/// depend on who waits.
async fn with_time_limit<T>(limit: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
        let seconds = limit.as_secs();
        let why = format!("this takes longer than {seconds} s; it may continue, and list_debates and status show it");
        Err(ToolRefusal::new("slow", why))
    })
}

impl Debates {
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: JsonObject,
        context: &ClientContext,
    ) -> Result<CallToolResult, ErrorData> {
        let limit = Duration::from_secs(CALL_SECONDS_MAX);
        let named = |name: &str| Some(arguments.get(name)?.as_str()?.to_owned());
        let (debate, seat) = (named("debate"), named("seat"));
        let (debate, seat) = (debate.as_deref(), seat.as_deref());
        let permitted = match &self.policy {
            Some(policy) => policy.check_permission(tool, debate, seat),
            None => Ok(()),
        };
        let done = match permitted {
            Ok(()) => with_time_limit(limit, self.run_tool(tool, arguments, context)).await,
            Err(failure) => Err(failure.into()),
        };
        if let Some(policy) = &self.policy {
            let result = done.as_ref().map_or_else(ToolRefusal::code, |_| "ok");
            policy.record_call(tool, debate, seat, result).await;
        }
        done.or_else(ToolRefusal::into_answer)
    }

    async fn run_tool(&self, tool: &str, arguments: JsonObject, context: &ClientContext) -> Result<CallToolResult> {
        Ok(match tool {
            "debate" => structured_result(&self.run_debate(parse_arguments(arguments)?, context).await?),
            "debate_result" => structured_result(&self.result_of(parse_arguments(arguments)?, context).await?),
            "start_debate" => structured_result(&self.start_debate(parse_arguments(arguments)?).await?),
            "plan_debate" => structured_result(&self.plan_debate(parse_arguments(arguments)?).await?),
            "list_debates" => structured_result(&self.list_debates(&parse_arguments(arguments)?).await?),
            "status" => structured_result(&self.report_status(parse_arguments(arguments)?).await?),
            "wait_for_turn" => structured_result(&self.wait_for_turn(parse_arguments(arguments)?, context).await?),
            "claim_seat" => structured_result(&self.claim_seat(parse_arguments(arguments)?).await?),
            "refresh_seat" => structured_result(&self.refresh_seat(parse_arguments(arguments)?).await?),
            "answer" => structured_result(&self.submit_answer(parse_arguments(arguments)?).await?),
            "lookup" => structured_result(&self.look_up(parse_arguments(arguments)?).await?),
            "release_seat" => structured_result(&self.release_seat(parse_arguments(arguments)?).await?),
            "interject" => structured_result(&self.record_interjection(parse_arguments(arguments)?).await?),
            "pause_debate" => structured_result(&self.pause_debate(parse_arguments(arguments)?).await?),
            "cancel_debate" => structured_result(&self.cancel_debate(parse_arguments(arguments)?).await?),
            "resume_debate" => structured_result(&self.continue_debate(parse_arguments(arguments)?).await?),
            "extend_debate" => {
                let wanted = ContinueRequest { extends: true, ..parse_arguments(arguments)? };
                structured_result(&self.continue_debate(wanted).await?)
            }
            "transcript" => {
                let DebateArguments { debate } = parse_arguments(arguments)?;
                let transcript = self.transcript_of(&debate)?;
                let mut told = structured_result(&TranscriptResult { debate, transcript: transcript.clone() });
                // As Markdown where a client shows text.
                told.content = vec![ContentBlock::text(transcript)];
                told
            }
            "scores" => structured_result(&self.report_scores(parse_arguments(arguments)?)?),
            "export" => structured_result(&self.export_debate(parse_arguments(arguments)?)?),
            _ => return Err(ToolRefusal::Malformed("unknown tool".into())),
        })
    }

    /// The outside seats of a debate that was held by the rules of this version.
    pub(crate) fn find_outside_seats<'a>(&'a self, debate: &'a DebateId) -> Result<OutsideSeats<'a>> {
        let record = self.journal.read_record(debate)?;
        let protocol = agon_app::declarations::find_rules(&record)?;
        Ok(OutsideSeats { journal: &self.journal, home: &self.home, debate, protocol })
    }

    /// The same where nobody holds the seat but the person who calls.
    fn find_own_seat<'a>(&'a self, debate: &'a DebateId, seat: &str) -> Result<OutsideSeats<'a>> {
        let seats = self.find_outside_seats(debate)?;
        if let Some(policy) = &self.policy {
            seats.check_holder(seat, policy.calling_person())?;
        }
        Ok(seats)
    }

    /// `opening`, if there is its protocol.
    pub(crate) fn check_protocol(&self, opening: OpeningRequest) -> Result<OpeningRequest> {
        let kinds = self.list_kinds();
        if !kinds.iter().any(|kind| kind.name == opening.protocol) {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
            let why = format!("no protocol {:?}; available: {}", opening.protocol, names.join(", "));
            return Err(ToolRefusal::new("unknown", why));
        }
        // Standard input is the connection to the client here.
        if opening.context.sources.iter().filter_map(SourceRequest::as_named).any(is_stdin) {
            let why = "material cannot be read from standard input here; send the text itself";
            return Err(ToolRefusal::new("usage", why));
        }
        Ok(opening)
    }

    async fn start_debate(&self, opening: OpeningRequest) -> Result<StartedResult> {
        let id = self.launcher.open_debate(self.check_protocol(opening)?).await?;
        Ok(StartedResult { directory: self.debate_directory(&id)?, debate: id })
    }

    async fn plan_debate(&self, opening: OpeningRequest) -> Result<PlanResult> {
        Ok(PlanResult(self.launcher.plan_debate(self.check_protocol(opening)?).await?))
    }

    async fn list_debates(&self, wanted: &ListArguments) -> Result<ListedResult> {
        let mut debates = self.list_summaries(wanted.limit.unwrap_or(LIST_LIMIT).min(LIST_LIMIT_MAX))?;
        if !self.launcher.reads_files() {
            debates.iter_mut().for_each(|debate| debate.directory = None);
        }
        let open = debates.iter().filter(|debate| debate.outcome.is_none()).map(|debate| debate.id.clone());
        let mut reasons = self.find_stop_reasons(open.collect()).await;
        let listed = debates.into_iter();
        let listed = listed.map(|summary| ListedSummary { stopped: reasons.remove(&summary.id), summary });
        Ok(ListedResult { debates: listed.collect() })
    }

    /// The newest debates that the client may read.
    pub(crate) fn list_summaries(&self, limit: u32) -> Result<Vec<DebateSummary>, JournalError> {
        match self.policy.as_ref().filter(|policy| !policy.reads_all()) {
            None => self.journal.list_debates(limit),
            Some(policy) => self.journal.list_for(policy.calling_person(), limit),
        }
    }

    /// Where the files of a debate are, for a client on this machine: a path says much about a machine.
    pub(crate) fn debate_directory(&self, id: &DebateId) -> Result<Option<PathBuf>> {
        let summary = if self.launcher.reads_files() { self.journal.find_summary(id)? } else { None };
        Ok(summary.and_then(|summary| summary.directory))
    }

    async fn report_status(&self, DebateArguments { debate }: DebateArguments) -> Result<StatusResult> {
        let open = match agon_report::other_rules(&self.journal.read_record(&debate)?) {
            // Nobody is asked anything any more.
            Some(_) => Vec::new(),
            None => self.find_outside_seats(&debate)?.list_open_requests().await?,
        };
        let (record, whole) = (self.load_shown_record(&debate)?, self.journal.read_record(&debate)?);
        let stopped = match whole.closing_outcome() {
            Some(_) => None,
            None => self.find_stop_reason(&debate).await,
        };
        let opened = record.opened();
        let members = lineup::ruled_members(&View::of_whole_record(&record));
        let lineup = lineup::list_taken_seats(opened, &members).into_iter().map(|sat| {
            let name = agon_report::participation::participant_name(&record, &sat.seat);
            TakenSeat { seat: sat.seat, name, model: sat.model }
        });
        let open = open.into_iter().map(|UnansweredRequest { request, model, outside, lease, .. }| OpenSeat {
            seat: request.seat,
            key: request.key,
            model,
            outside,
            lease,
        });
        Ok(StatusResult {
            protocol: opened.protocol.clone(),
            motion: opened.motion.clone(),
            entries: record.len(),
            lineup: lineup.collect(),
            open: open.collect(),
            closed: record.closing_outcome().cloned(),
            paused: whole.find_pause().map(agon_core::Act::describe_act),
            stopped: StopFinding(stopped),
            used: self.journal.sum_usage(&debate)?.render_receipt(),
            debate,
        })
    }

    async fn claim_seat(&self, wanted: ClaimArguments) -> Result<SeatClaim> {
        let (seats, who) = (self.find_outside_seats(&wanted.debate)?, self.acting_claimant(Some(&wanted.name)));
        Ok(seats.claim_seat(&wanted.seat, who, wanted.seconds.unwrap_or(LEASE_SECONDS)).await?)
    }

    async fn refresh_seat(&self, wanted: RefreshArguments) -> Result<Lease> {
        let seats = self.find_own_seat(&wanted.debate, &wanted.seat)?;
        Ok(seats.renew_lease(&wanted.seat, &wanted.token, wanted.seconds.unwrap_or(LEASE_SECONDS)).await?)
    }

    async fn submit_answer(&self, answer: AnswerArguments) -> Result<Receipt> {
        let (words, key) = (answer.statement_text(), answer.key.as_deref().map(Key::from_parts));
        Ok(match &answer.token {
            Some(token) => {
                let seats = self.find_own_seat(&answer.debate, &answer.seat)?;
                seats.answer(key.as_ref(), &answer.seat, token, &words).await?
            }
            None => {
                let who = self.acting_claimant(answer.name.as_deref());
                self.find_outside_seats(&answer.debate)?.answer_as(key.as_ref(), &answer.seat, who, &words).await?
            }
        })
    }

    async fn look_up(&self, wanted: LookupArguments) -> Result<LookupResult> {
        let LookupArguments { debate, seat, tool, object, first, last } = wanted;
        let seats = self.find_own_seat(&debate, &seat)?;
        let tool = LookupTool::from_name(&tool).ok_or_else(|| ToolRefusal::Malformed("no such lookup".into()))?;
        let asked = tool.request(&object, first, last).map_err(ToolRefusal::Malformed)?;
        let source = self.launcher.lookup_source(&self.journal.read_record(&debate)?)?;
        Ok(LookupResult { shown: seats.look_up(source, &seat, asked).await? })
    }

    async fn release_seat(&self, wanted: ReleaseArguments) -> Result<Lease> {
        let seats = self.find_own_seat(&wanted.debate, &wanted.seat)?;
        Ok(seats.release_seat(&wanted.seat, &wanted.token).await?)
    }

    async fn record_interjection(&self, wanted: InterjectArguments) -> Result<Acted> {
        let who = self.acting_claimant(wanted.name.as_deref());
        Ok(self.find_outside_seats(&wanted.debate)?.interject(who, &wanted.text).await?)
    }

    async fn pause_debate(&self, wanted: ActArguments) -> Result<Acted> {
        let who = self.acting_claimant(wanted.name.as_deref());
        Ok(self.find_outside_seats(&wanted.debate)?.pause_debate(who, &wanted.why).await?)
    }

    async fn cancel_debate(&self, wanted: ActArguments) -> Result<Acted> {
        let who = self.acting_claimant(wanted.name.as_deref());
        Ok(self.find_outside_seats(&wanted.debate)?.cancel_debate(who, &wanted.why).await?)
    }

    async fn continue_debate(&self, mut wanted: ContinueRequest) -> Result<ContinuedResult> {
        wanted.name.get_or_insert_with(|| NAMELESS.to_owned());
        wanted.principal = self.policy.as_ref().map(|policy| policy.calling_person());
        // One that there is not, or of other rules, is refused as everywhere.
        self.find_outside_seats(&wanted.debate)?;
        if !wanted.extends && self.journal.read_record(&wanted.debate)?.closing_outcome().is_some() {
            let why = "the debate is closed; continue it with extend_debate";
            return Err(ToolRefusal::new("closed", why));
        }
        self.launcher.continue_debate(wanted.clone()).await?;
        let entries = self.journal.find_summary(&wanted.debate)?.map(|summary| summary.entries);
        Ok(ContinuedResult { debate: wanted.debate, entries })
    }

    pub(crate) fn transcript_of(&self, debate: &DebateId) -> Result<String> {
        let files = agon_report::render_debate_files(&self.load_shown_record(debate)?, None);
        let transcript = files.into_iter().find(|file| file.path == "transcript.md");
        Ok(transcript.map(|file| file.content).unwrap_or_default())
    }

    fn report_scores(&self, DebateArguments { debate }: DebateArguments) -> Result<ScoresResult> {
        let record = self.load_shown_record(&debate)?;
        let scored = record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Scored);
        let scores = scored.map(|(entry, key, ruling)| ScoredRuling {
            entry,
            key: key.clone(),
            text: ruling.text.clone(),
            data: serde_json::json!(ruling.export_data()),
        });
        Ok(ScoresResult { debate, scores: scores.collect(), closed: record.closing_outcome().cloned() })
    }

    fn export_debate(&self, wanted: ExportArguments) -> Result<ExportResult> {
        let ExportArguments { debate, format } = wanted;
        let record = self.load_readable_record(&debate)?;
        let format = format.as_deref().unwrap_or("all");
        let extraction = companion::find_extraction(&record, |id| self.journal.find_record(id))?;
        let shown = struck_text::publishable_record(&record);
        let mut files = match format {
            "all" => agon_report::render_debate_files(&shown, extraction.as_ref()),
            "record" => Vec::new(),
            name => {
                let why = "unknown format; use all, record, transcript, report, or the name of a protocol";
                let format = agon_report::find_format(name).ok_or_else(|| ToolRefusal::new("usage", why))?;
                // Some files name others by their whole path.
                let folder = self.debate_directory(&debate)?;
                let folder = folder.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
                let folder = folder.map(|folder| folder.display().to_string()).unwrap_or_default();
                format.render_in(&shown, extraction.as_ref(), &folder)
            }
        };
        if files.is_empty() && format != "record" && agon_report::other_rules(&record).is_some() {
            agon_app::declarations::find_rules(&record)?;
        }
        if format == "record" || (format == "all" && !Withheld::from_record(&record).withholds_record()) {
            files.push(agon_report::File::new("record.jsonl", self.whole_record(&record)?));
        }
        if files.iter().map(|file| file.content.len()).sum::<usize>() > EXPORT_BYTES_MAX {
            let why = format!(
                "the files are larger than {EXPORT_BYTES_MAX} bytes; agon export {debate} --out DIR writes them"
            );
            return Err(ToolRefusal::new("too_large", why));
        }
        Ok(ExportResult { debate, files })
    }
}

/// A result for clients that read data, and for those that read text.
fn structured_result<R: ToolResult>(result: &R) -> CallToolResult {
    let value = serde_json::to_value(result).unwrap_or_default();
    let mut told = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    told.structured_content = Some(value);
    told
}

/// Whether a source of material is standard input, for all seats or for one.
fn is_stdin(source: &str) -> bool {
    source.rsplit_once('=').map_or(source, |(_, what)| what).trim() == "-"
}

/// What a seat is asked now, for its participant.
pub(crate) async fn prompt_of(seats: &OutsideSeats<'_>, seat: &Seat) -> Result<TurnPrompt, OutsideSeatError> {
    let (open, messages, schema) = seats.find_prompt(seat, None).await?;
    let messages = messages.into_iter().map(|message| TurnMessage { role: message.role.name(), text: message.text });
    let messages = messages.collect();
    Ok(TurnPrompt { seat: seat.clone(), key: open.request.key, lease: open.lease, schema, messages })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_that_takes_too_long_is_answered_in_time() {
        let limit = Duration::from_millis(50);
        let started = std::time::Instant::now();
        let never = std::future::pending::<Result<()>>();
        let refused = with_time_limit(limit, never).await;
        assert!(matches!(refused, Err(ToolRefusal::Refused { code, .. }) if code == "slow"));
        assert!(started.elapsed() < Duration::from_secs(10));
        assert!(matches!(with_time_limit(limit, async { Ok(1) }).await, Ok(1)));
    }
}

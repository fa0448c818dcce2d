//! The implementation of each tool.

use std::{path::PathBuf, time::Duration};

use agon_app::{ContinueRequest, OpeningRequest};
use agon_core::{DebateId, Key, Protocol, RulingKind, Seat, View};
use agon_formats::companion;
use agon_journal::{
    DebateSummary, JournalError,
    leases::{LEASE_SECONDS, Lease, Receipt, SeatClaim},
};
use agon_protocols::common::{
    lineup,
    withheld::{self, Withheld},
};
use agon_runtime::{
    lookups::LookupTool,
    outside_seats::{Acted, OutsideSeatError, OutsideSeats},
    participant::ChatRole,
};
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolResult, ContentBlock},
    service::RequestContext,
};
use serde_json::{Map, Value, json};

use crate::{
    Debates,
    arguments::{self, parse_arguments},
    refusal::ToolRefusal,
    results::{
        ContinuedResult, ExportResult, ListedResult, LookupResult, PlanResult, ScoresResult, StartedResult,
        StatusResult, ToolResult, TranscriptResult,
    },
};

/// Longest time of a call, in seconds: many clients give up after a minute. Waits end earlier by themselves.
const CALL_SECONDS_MAX: u64 = 54;
/// Who acts where nobody says a name.
const NAMELESS: &str = "mcp";
/// Debates in a list where nobody says how many.
const LIST_LIMIT: u32 = 50;
pub(crate) const LIST_LIMIT_MAX: u32 = 500;
/// Maximum number of bytes of exported files in one result.
const EXPORT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What `work` gives, unless it takes longer than `limit`. What it began continues: the journal and the driver do not
/// depend on who waits.
async fn with_time_limit<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, ToolRefusal>>,
) -> Result<T, ToolRefusal> {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
        let seconds = limit.as_secs();
        let why = format!("this takes longer than {seconds} s; it may continue, and list_debates and status show it");
        Err(ToolRefusal::new("slow", why))
    })
}

/// One debate with everything that outside seats borrow.
pub(crate) struct ToolDebate<'a> {
    pub(crate) debates: &'a Debates,
    pub(crate) id: DebateId,
    pub(crate) protocol: &'static dyn Protocol,
}

impl ToolDebate<'_> {
    pub(crate) fn outside_seats(&self) -> OutsideSeats<'_> {
        let Debates { journal, home, .. } = self.debates;
        OutsideSeats { journal: journal.as_ref(), home, debate: &self.id, protocol: self.protocol }
    }
}

impl Debates {
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let limit = Duration::from_secs(CALL_SECONDS_MAX);
        let told = arguments.clone();
        let done = match self.check_call_permission(tool, &told) {
            Ok(()) => with_time_limit(limit, self.run_tool(tool, arguments, context)).await,
            Err(refusal) => Err(refusal),
        };
        self.report_call(tool, &told, &done).await;
        done.or_else(ToolRefusal::into_answer)
    }

    async fn run_tool(
        &self,
        tool: &str,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolRefusal> {
        Ok(match tool {
            "debate" => structured_result(&self.hold_debate(arguments, context).await?),
            "debate_result" => structured_result(&self.result_of(arguments, context).await?),
            "start_debate" => structured_result(&self.start_debate(arguments).await?),
            "plan_debate" => structured_result(&self.plan_debate(arguments).await?),
            "list_debates" => structured_result(&self.list_debates(arguments)?),
            "status" => structured_result(&self.report_status(arguments).await?),
            "wait_for_turn" => structured_result(&self.wait_for_turn(parse_arguments(arguments)?, context).await?),
            "claim_seat" => structured_result(&self.claim_seat(arguments).await?),
            "refresh_seat" => structured_result(&self.refresh_seat(arguments).await?),
            "answer" => structured_result(&self.submit_answer(arguments).await?),
            "lookup" => structured_result(&self.look_up(arguments).await?),
            "release_seat" => structured_result(&self.release_seat(arguments).await?),
            "interject" => structured_result(&self.record_interjection(arguments).await?),
            "pause_debate" => structured_result(&self.pause_debate(arguments).await?),
            "cancel_debate" => structured_result(&self.cancel_debate(arguments).await?),
            "resume_debate" => structured_result(&self.go_on(arguments, false).await?),
            "extend_debate" => structured_result(&self.go_on(arguments, true).await?),
            "transcript" => {
                let result = self.report_transcript(arguments)?;
                let mut told = structured_result(&result);
                // As Markdown where a client shows text.
                told.content = vec![ContentBlock::text(result.transcript)];
                told
            }
            "scores" => structured_result(&self.report_scores(arguments)?),
            "export" => structured_result(&self.export_debate(arguments)?),
            _ => return Err(ToolRefusal::Malformed("unknown tool".into())),
        })
    }

    /// The outside seats of a debate that was held by the rules of this version.
    pub(crate) fn find_tool_debate(&self, id: &DebateId) -> Result<ToolDebate<'_>, ToolRefusal> {
        let record = self.journal.read_record(id)?;
        let protocol = agon_app::declarations::find_rules(&record)?;
        Ok(ToolDebate { debates: self, id: id.clone(), protocol })
    }

    /// What a debate is to be opened with, by a protocol that there is.
    fn parse_opening(&self, arguments: Value) -> Result<OpeningRequest, ToolRefusal> {
        self.check_protocol(parse_arguments(arguments)?)
    }

    /// `opening`, if there is its protocol.
    pub(crate) fn check_protocol(&self, opening: OpeningRequest) -> Result<OpeningRequest, ToolRefusal> {
        let kinds = self.list_kinds();
        if !kinds.iter().any(|kind| kind.name == opening.protocol) {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
            let why = format!("no protocol {:?}; available: {}", opening.protocol, names.join(", "));
            return Err(ToolRefusal::new("unknown", why));
        }
        // Standard input is the connection to the client here.
        if opening.context.sources.iter().filter_map(Value::as_str).any(is_stdin) {
            let why = "material cannot be read from standard input here; send the text itself";
            return Err(ToolRefusal::new("usage", why));
        }
        Ok(opening)
    }

    async fn start_debate(&self, arguments: Value) -> Result<StartedResult, ToolRefusal> {
        let opening = self.parse_opening(arguments)?;
        let id = self.launcher.open_debate(opening).await?;
        Ok(StartedResult { directory: self.debate_directory(&id)?, debate: id })
    }

    async fn plan_debate(&self, arguments: Value) -> Result<PlanResult, ToolRefusal> {
        Ok(PlanResult(self.launcher.plan_debate(self.parse_opening(arguments)?).await?.json))
    }

    fn list_debates(&self, arguments: Value) -> Result<ListedResult, ToolRefusal> {
        let arguments::List { limit } = parse_arguments(arguments)?;
        let mut debates = self.list_summaries(limit.unwrap_or(LIST_LIMIT).min(LIST_LIMIT_MAX))?;
        if !self.launcher.reads_files() {
            debates.iter_mut().for_each(|debate| debate.directory = None);
        }
        Ok(ListedResult { debates })
    }

    /// The newest debates that the client may read.
    pub(crate) fn list_summaries(&self, limit: u32) -> Result<Vec<DebateSummary>, JournalError> {
        match &self.policy {
            None => self.journal.list_debates(limit),
            Some(policy) if policy.reads_all() => self.journal.list_debates(limit),
            Some(policy) => self.journal.list_for(policy.calling_person(), limit),
        }
    }

    /// Where the files of a debate are, for a client on this machine: a path says much about a machine.
    pub(crate) fn debate_directory(&self, id: &DebateId) -> Result<Option<PathBuf>, ToolRefusal> {
        let summary = if self.launcher.reads_files() { self.journal.find_summary(id)? } else { None };
        Ok(summary.and_then(|summary| summary.directory))
    }

    /// Refuses where someone else than the person who calls holds the seat.
    fn check_seat_holder(&self, target: &ToolDebate<'_>, seat: &str) -> Result<(), ToolRefusal> {
        match &self.policy {
            None => Ok(()),
            Some(policy) => Ok(target.outside_seats().check_holder(seat, policy.calling_person())?),
        }
    }

    async fn report_status(&self, arguments: Value) -> Result<StatusResult, ToolRefusal> {
        let arguments::DebateArguments { debate } = parse_arguments(arguments)?;
        let open = match agon_formats::other_rules(&self.journal.read_record(&debate)?) {
            // Nobody is asked anything any more.
            Some(_) => Vec::new(),
            None => self.find_tool_debate(&debate)?.outside_seats().list_open_requests().await?,
        };
        let (record, whole) = (self.load_shown_record(&debate)?, self.journal.read_record(&debate)?);
        let opened = record.opened();
        let members = lineup::of(&View::of_whole_record(&record));
        let lineup = lineup::list_taken_seats(opened, &members).into_iter().map(|sat| {
            let name = agon_formats::conduct::participant_name(&record, &sat.seat);
            json!({"seat": sat.seat, "name": name, "model": sat.model})
        });
        let open: Vec<Value> = open.into_iter().map(|open| {
            json!({"seat": open.request.seat, "key": open.request.key, "model": open.model, "outside": open.outside, "lease": open.lease})
        }).collect();
        Ok(StatusResult {
            protocol: opened.protocol.clone(),
            motion: opened.motion.clone(),
            entries: record.len(),
            lineup: lineup.collect(),
            open,
            closed: record.closing_outcome().cloned(),
            paused: whole.find_pause().map(agon_core::Act::describe_act),
            used: self.journal.sum_usage(&debate)?.render_receipt(),
            debate,
        })
    }

    async fn claim_seat(&self, arguments: Value) -> Result<SeatClaim, ToolRefusal> {
        let arguments::ClaimArguments { debate, seat, name, seconds } = parse_arguments(arguments)?;
        let target = self.find_tool_debate(&debate)?;
        Ok(target
            .outside_seats()
            .claim_seat(&seat, self.acting_claimant(&name), seconds.unwrap_or(LEASE_SECONDS))
            .await?)
    }

    async fn refresh_seat(&self, arguments: Value) -> Result<Lease, ToolRefusal> {
        let arguments::RefreshArguments { debate, seat, token, seconds } = parse_arguments(arguments)?;
        let target = self.find_tool_debate(&debate)?;
        self.check_seat_holder(&target, &seat)?;
        Ok(target.outside_seats().renew_lease(&seat, &token, seconds.unwrap_or(LEASE_SECONDS)).await?)
    }

    async fn submit_answer(&self, arguments: Value) -> Result<Receipt, ToolRefusal> {
        let answer: arguments::AnswerArguments = parse_arguments(arguments)?;
        let target = self.find_tool_debate(&answer.debate)?;
        let (seats, words) = (target.outside_seats(), answer.statement_text());
        let key = answer.key.as_deref().map(Key::of);
        let receipt = match &answer.token {
            Some(token) => {
                self.check_seat_holder(&target, &answer.seat)?;
                seats.answer(key.as_ref(), &answer.seat, token, &words).await?
            }
            None => {
                let who = self.acting_claimant(answer.name.as_deref().unwrap_or(NAMELESS));
                seats.answer_as(key.as_ref(), &answer.seat, who, &words).await?
            }
        };
        Ok(receipt)
    }

    async fn look_up(&self, arguments: Value) -> Result<LookupResult, ToolRefusal> {
        let arguments::LookupArguments { debate, seat, tool, object, first, last } = parse_arguments(arguments)?;
        let target = self.find_tool_debate(&debate)?;
        self.check_seat_holder(&target, &seat)?;
        let tool = LookupTool::from_name(&tool).ok_or_else(|| ToolRefusal::Malformed("no such lookup".into()))?;
        let asked = tool.request(&object, first, last).map_err(ToolRefusal::Malformed)?;
        let source = self.launcher.lookup_source(&self.journal.read_record(&debate)?)?;
        Ok(LookupResult { shown: target.outside_seats().look_up(source, &seat, asked).await? })
    }

    async fn release_seat(&self, arguments: Value) -> Result<Lease, ToolRefusal> {
        let arguments::ReleaseArguments { debate, seat, token } = parse_arguments(arguments)?;
        let target = self.find_tool_debate(&debate)?;
        self.check_seat_holder(&target, &seat)?;
        Ok(target.outside_seats().release_seat(&seat, &token).await?)
    }

    async fn record_interjection(&self, arguments: Value) -> Result<Acted, ToolRefusal> {
        let arguments::Interject { debate, name, text } = parse_arguments(arguments)?;
        let target = self.find_tool_debate(&debate)?;
        Ok(target.outside_seats().interject(self.acting_claimant(name.as_deref().unwrap_or(NAMELESS)), &text).await?)
    }

    async fn pause_debate(&self, arguments: Value) -> Result<Acted, ToolRefusal> {
        let arguments::ActArguments { debate, name, why } = parse_arguments(arguments)?;
        let target = self.find_tool_debate(&debate)?;
        Ok(target.outside_seats().pause_debate(self.acting_claimant(name.as_deref().unwrap_or(NAMELESS)), &why).await?)
    }

    async fn cancel_debate(&self, arguments: Value) -> Result<Acted, ToolRefusal> {
        let arguments::ActArguments { debate, name, why } = parse_arguments(arguments)?;
        let target = self.find_tool_debate(&debate)?;
        Ok(target
            .outside_seats()
            .cancel_debate(self.acting_claimant(name.as_deref().unwrap_or(NAMELESS)), &why)
            .await?)
    }

    async fn go_on(&self, arguments: Value, extends: bool) -> Result<ContinuedResult, ToolRefusal> {
        let mut wanted = ContinueRequest { extends, ..parse_arguments(arguments)? };
        wanted.name.get_or_insert_with(|| NAMELESS.to_owned());
        wanted.principal = self.policy.as_ref().map(|policy| policy.calling_person());
        // One that there is not, or of other rules, is refused as everywhere.
        self.find_tool_debate(&wanted.debate)?;
        if !extends && self.journal.read_record(&wanted.debate)?.closing_outcome().is_some() {
            let why = "the debate is closed; continue it with extend_debate";
            return Err(ToolRefusal::new("closed", why));
        }
        self.launcher.go_on(wanted.clone()).await?;
        let entries = self.journal.find_summary(&wanted.debate)?.map(|summary| summary.entries);
        Ok(ContinuedResult { debate: wanted.debate, entries })
    }

    fn report_transcript(&self, arguments: Value) -> Result<TranscriptResult, ToolRefusal> {
        let arguments::DebateArguments { debate } = parse_arguments(arguments)?;
        Ok(TranscriptResult { transcript: self.transcript_of(&debate)?, debate })
    }

    pub(crate) fn transcript_of(&self, debate: &DebateId) -> Result<String, ToolRefusal> {
        let files = agon_formats::render_debate_files(&self.load_shown_record(debate)?, None);
        let transcript = files.into_iter().find(|file| file.path == "transcript.md");
        Ok(transcript.map(|file| file.content).unwrap_or_default())
    }

    fn report_scores(&self, arguments: Value) -> Result<ScoresResult, ToolRefusal> {
        let arguments::DebateArguments { debate } = parse_arguments(arguments)?;
        let record = self.load_shown_record(&debate)?;
        let scored = record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Scored);
        let scores: Vec<Value> = scored
            .map(|(entry, key, ruling)| json!({"entry": entry, "key": key, "text": ruling.text, "data": ruling.data}))
            .collect();
        Ok(ScoresResult { debate, scores, closed: record.closing_outcome().cloned() })
    }

    fn export_debate(&self, arguments: Value) -> Result<ExportResult, ToolRefusal> {
        let arguments::Export { debate, format } = parse_arguments(arguments)?;
        let record = self.load_readable_record(&debate)?;
        let format = format.as_deref().unwrap_or("all");
        let extraction = companion::find_extraction(&record, |id| self.journal.find_record(id))?;
        let shown = withheld::publishable_record(&record);
        let mut files = match format {
            "all" => agon_formats::render_debate_files(&shown, extraction.as_ref()),
            "record" => Vec::new(),
            name => match agon_formats::find_format(name) {
                Some(format) => {
                    // Some files name others by their whole path.
                    let folder = self.debate_directory(&debate)?;
                    let folder = folder.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
                    let folder = folder.map(|folder| folder.display().to_string()).unwrap_or_default();
                    format.render_in(&shown, extraction.as_ref(), &folder)
                }
                None => {
                    return Err(ToolRefusal::new(
                        "usage",
                        "unknown format; use all, record, transcript, report, or the name of a protocol",
                    ));
                }
            },
        };
        if files.is_empty() && format != "record" && agon_formats::other_rules(&record).is_some() {
            agon_app::declarations::find_rules(&record)?;
        }
        if format == "record" || (format == "all" && !Withheld::of(&record).withholds_record()) {
            files.push(agon_formats::File::new("record.jsonl", self.whole_record(&record)?));
        }
        if files.iter().map(|file| file.content.len()).sum::<usize>() > EXPORT_BYTES_MAX {
            let why = format!(
                "the files are larger than {EXPORT_BYTES_MAX} bytes; agon export {debate} --out DIR writes them"
            );
            return Err(ToolRefusal::new("too_large", why));
        }
        let files: Vec<Value> =
            files.into_iter().map(|file| json!({"path": file.path, "content": file.content})).collect();
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
pub(crate) async fn prompt_of(target: &ToolDebate<'_>, seat: &Seat) -> Result<Map<String, Value>, OutsideSeatError> {
    let (open, messages, schema) = target.outside_seats().find_prompt(seat, None).await?;
    let role = |role| match role {
        ChatRole::System => "system",
        ChatRole::User => "user",
        ChatRole::Assistant => "assistant",
    };
    let messages = messages.iter().map(|message| json!({"role": role(message.role), "text": message.text}));
    let prompt = json!({
        "seat": seat, "key": open.request.key, "lease": open.lease, "schema": schema,
        "messages": messages.collect::<Vec<_>>(),
    });
    Ok(prompt.as_object().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_that_takes_too_long_is_answered_in_time() {
        let limit = Duration::from_millis(50);
        let started = std::time::Instant::now();
        let never = std::future::pending::<Result<Value, ToolRefusal>>();
        let refused = with_time_limit(limit, never).await;
        assert!(matches!(refused, Err(ToolRefusal::Refused { code, .. }) if code == "slow"));
        assert!(started.elapsed() < Duration::from_secs(10));
        assert!(matches!(with_time_limit(limit, async { Ok(1) }).await, Ok(1)));
    }
}

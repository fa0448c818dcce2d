//! Agents that speak the Agent Client Protocol: one prompt in, the text of the answer out, with the debate's lookups and no
//! other tool. The client declares neither files nor terminals, so no agent asks for them, and answers every request for a
//! permission: yes for a lookup, no for anything else.

use std::{
    collections::HashMap,
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use agent_client_protocol::{
    Agent, ByteStreams, Client, on_receive_notification, on_receive_request,
    schema::ProtocolVersion,
    v1::{ConnectionTo, schema::*},
};
use agon_core::{FailureKind, Usage};
use serde_json::json;
use tokio::{
    io::AsyncReadExt,
    sync::mpsc::{UnboundedSender, unbounded_channel},
    time::sleep_until,
};
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

use super::{
    TOO_LARGE,
    process::{ProcessClock, ProcessRun, spawn_in_group},
    tool::{BRIDGE_COMMAND, TOOL_SERVER},
};
use crate::{lookups::LookupTool, participant::Deltas};

/// Bytes of standard error that are kept.
const STDERR_BYTES_MAX: u64 = 8 * 1024;
/// Bytes that an agent may send in all, for each byte of an answer: its messages have frames, and updates that are not
/// text.
const SENT_PER_BYTE: u64 = 64;

/// What one conversation offers and allows.
pub(super) struct AcpSession {
    /// The model, where the agent is to be told one.
    pub model: Option<String>,
    /// The program that serves the lookups, and the file that it is started with; `None` where there are none.
    pub server: Option<(PathBuf, PathBuf)>,
    /// The lookups.
    pub tools: Vec<LookupTool>,
    /// The folder that the agent works in, and what it is asked.
    pub folder: PathBuf,
    pub prompt: String,
    /// Maximum number of bytes of the answer.
    pub bytes_max: usize,
}

/// How a conversation ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AcpEnd {
    /// With an answer, and what it took where the agent says so.
    Complete(Option<Usage>),
    /// With something that is not a statement, in words for the user.
    NoStatement(FailureKind, &'static str),
    /// A limit in time passed; which one.
    Elapsed(String),
    /// The agent reported an error, or ended without an answer.
    Failed(String),
}

/// What an agent tells on the way.
enum AcpEvent {
    Text(String),
    Alive,
}

/// Holds the conversation to its end; gives how it ended, the text that came, and the end of standard error. Dropping the
/// future ends every process of the agent.
pub(super) async fn converse(
    run: ProcessRun<'_>,
    session: AcpSession,
    deltas: &dyn Deltas,
) -> io::Result<(AcpEnd, String, String)> {
    let mut clock = ProcessClock::start(run.limits);
    let (mut child, group) = spawn_in_group(run)?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("it has no standard streams"));
    };
    let complaint = child.stderr.take().map(|stderr| tokio::spawn(read_complaint(stderr)));
    let (told, mut heard) = unbounded_channel();
    let bytes_max = session.bytes_max;
    // A line without an end is not read for ever.
    let output = output.take((bytes_max as u64).saturating_mul(SENT_PER_BYTE));
    let streams = ByteStreams::new(input.compat_write(), output.compat());
    let mut talk = std::pin::pin!(hold_conversation(streams, session, told));
    let mut text = String::new();
    let end = loop {
        tokio::select! {
            biased;
            Some(event) = heard.recv() => {
                clock.mark_alive();
                if let AcpEvent::Text(piece) = event {
                    deltas.push_delta(&piece);
                    text.push_str(&piece);
                }
                if text.len() > bytes_max {
                    break AcpEnd::NoStatement(FailureKind::TooLarge, TOO_LARGE);
                }
            }
            end = &mut talk => {
                // What was told before, and is not taken yet.
                while let Ok(event) = heard.try_recv() {
                    if let AcpEvent::Text(piece) = event {
                        text.push_str(&piece);
                    }
                }
                break end;
            }
            () = sleep_until(clock.deadline()) => break AcpEnd::Elapsed(clock.describe_elapsed()),
        }
    };
    drop(group);
    let complaint = match complaint {
        Some(complaint) => complaint.await.unwrap_or_default(),
        None => String::new(),
    };
    Ok((end, text, complaint))
}

async fn read_complaint(stderr: tokio::process::ChildStderr) -> String {
    let mut bytes = Vec::new();
    let _ = stderr.take(STDERR_BYTES_MAX).read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Initialises, opens a session, asks, and waits for the end of the turn.
async fn hold_conversation(
    streams: impl agent_client_protocol::ConnectTo<Client> + 'static,
    session: AcpSession,
    told: UnboundedSender<AcpEvent>,
) -> AcpEnd {
    let allowed: Vec<String> = session.tools.iter().flat_map(|tool| list_tool_titles(*tool)).collect();
    let titles = Arc::new(Mutex::new(HashMap::<ToolCallId, String>::new()));
    let known = Arc::clone(&titles);
    let talk = Client
        .v1()
        .name("agon")
        .on_receive_notification(
            async move |update: SessionNotification, _| {
                let event = match update.update {
                    SessionUpdate::AgentMessageChunk(ContentChunk { content: ContentBlock::Text(text), .. }) => {
                        AcpEvent::Text(text.text)
                    }
                    SessionUpdate::ToolCall(call) => {
                        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                        known.insert(call.tool_call_id, call.title);
                        AcpEvent::Alive
                    }
                    _ => AcpEvent::Alive,
                };
                let _ = told.send(event);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |asked: RequestPermissionRequest, responder, _| {
                let call = asked.tool_call;
                // Codex names the tool in an earlier update alone.
                let earlier = || titles.lock().unwrap_or_else(PoisonError::into_inner).get(&call.tool_call_id).cloned();
                let title = call.fields.title.clone().or_else(earlier).unwrap_or_default();
                let kind = match allowed.contains(&title) {
                    true => PermissionOptionKind::AllowOnce,
                    false => PermissionOptionKind::RejectOnce,
                };
                let option = asked.options.iter().find(|option| option.kind == kind);
                responder.respond(RequestPermissionResponse::new(match option {
                    Some(option) => {
                        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
                    }
                    None => RequestPermissionOutcome::Cancelled,
                }))
            },
            on_receive_request!(),
        )
        .connect_with(streams, async |agent: ConnectionTo<Agent>| ask_agent(&agent, &session).await)
        .await;
    match talk {
        Ok(answer) => describe_end(&answer),
        Err(error) => AcpEnd::Failed(error.to_string()),
    }
}

async fn ask_agent(
    agent: &ConnectionTo<Agent>,
    session: &AcpSession,
) -> Result<PromptResponse, agent_client_protocol::Error> {
    agent.send_request(InitializeRequest::new(ProtocolVersion::V1)).block_task().await?;
    let servers = session.server.iter().map(|(program, file)| {
        let args = vec![BRIDGE_COMMAND.to_owned(), file.to_string_lossy().into_owned()];
        McpServer::Stdio(McpServerStdio::new(TOOL_SERVER, program.clone()).args(args))
    });
    // What the adapter of Claude Code reads, and others pass over: none of its tools, nothing of the user's settings.
    let options = json!({"claudeCode": {"options": {
        "tools": [], "settingSources": [], "strictMcpConfig": true, "promptSuggestions": false, "persistSession": false,
        "title": TOOL_SERVER,
    }}});
    let wanted = NewSessionRequest::new(session.folder.clone())
        .mcp_servers(servers.collect())
        .meta(options.as_object().cloned());
    let opened = agent.send_request(wanted).block_task().await?;
    let choices = [("mode", Some("default".to_owned())), ("model", session.model.clone())];
    let offered: Vec<String> = opened.config_options.iter().flatten().map(|option| option.id.to_string()).collect();
    for (id, value) in choices {
        if let Some(value) = value.filter(|_| offered.iter().any(|offered| offered == id)) {
            let choice = SetSessionConfigOptionRequest::new(opened.session_id.clone(), id.to_owned(), value.as_str());
            let set = agent.send_request(choice).block_task().await;
            // A model that is not there must not be answered for by another.
            if id == "model" {
                set?;
            }
        }
    }
    agent.send_request(PromptRequest::new(opened.session_id, vec![session.prompt.as_str().into()])).block_task().await
}

fn describe_end(answer: &PromptResponse) -> AcpEnd {
    match answer.stop_reason {
        StopReason::EndTurn => AcpEnd::Complete(answer.usage.as_ref().map(|usage| Usage {
            requests: 1,
            prompt_tokens: usage.input_tokens
                + usage.cached_read_tokens.unwrap_or(0)
                + usage.cached_write_tokens.unwrap_or(0),
            cached_tokens: usage.cached_read_tokens.unwrap_or(0),
            cache_write_tokens: usage.cached_write_tokens.unwrap_or(0),
            completion_tokens: usage.output_tokens,
            ..Usage::default()
        })),
        StopReason::MaxTokens | StopReason::MaxTurnRequests => {
            AcpEnd::NoStatement(FailureKind::Truncated, "it was cut at its limit of tokens or turns")
        }
        StopReason::Refusal => AcpEnd::NoStatement(FailureKind::Refused, "the model declined"),
        _ => AcpEnd::Failed("it ended its turn without an answer".into()),
    }
}

/// How agents call a tool of the server: Claude Code, Codex, OpenCode and Gemini. They are compared whole, because the
/// arguments of another tool can hold any words.
fn list_tool_titles(tool: LookupTool) -> [String; 4] {
    let (server, name) = (TOOL_SERVER, tool.name());
    [
        format!("mcp__{server}__{name}"),
        format!("mcp.{server}.{name}"),
        format!("{server}_{name}"),
        format!("{name} ({server} MCP Server)"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lookups_are_allowed_by_their_whole_name() {
        let titles = list_tool_titles(LookupTool::Search);
        assert_eq!(titles, ["mcp__agon__search", "mcp.agon.search", "agon_search", "search (agon MCP Server)"]);
        for other in ["bash", "mcp__agon__search; rm", "agon_shell", "search"] {
            assert!(!titles.contains(&other.to_owned()), "{other}");
        }
    }
}

//! How each family of servers is spoken to. A wire is pure: it knows no connection and no clock. It writes the body of
//! a request and decodes the frames of the answer, each once, into [`StreamEvent`]s.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, collections::BTreeSet, fmt};

use agon_core::Digest;
use reqwest::Url;
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

use super::{frames::Framing, request_fields::RequestFields};
use crate::{
    lookups::{LookupTool, LookupTurn, ToolCall},
    participant::{Call, ChatRole},
};

pub(super) use self::{
    anthropic::AnthropicWire,
    gemini::GeminiWire,
    ollama::OllamaWire,
    openai::{AzureWire, OpenAiWire},
};

/// Seeds are signed 32-bit numbers in some of the interfaces.
const SEED_MASK: u64 = 0x7fff_ffff;

/// Characters of the key by which a provider finds what it keeps of a prompt.
const PREFIX_KEY_CHARS: usize = 32;

/// What a family of servers has in common.
#[derive(Debug)]
pub(crate) struct WireProfile {
    /// The provider of that name needs no configuration; the kind has the same name in it.
    pub name: &'static str,
    /// The provider's own address; empty where every customer has another.
    pub address: &'static str,
    /// The path of the interface where an address has none.
    pub path: &'static str,
    /// Ends of an address that belong to other interfaces of the same server, or are added here.
    pub surplus: &'static [&'static str],
    /// The variable that holds the key.
    pub key_variable: &'static str,
    /// The variable that holds the address, where other programs know one.
    pub address_variable: Option<&'static str>,
    /// The header that carries the key; as a bearer token where it is `authorization`.
    pub key_header: &'static str,
    /// Headers that every request has.
    pub headers: &'static [(&'static str, &'static str)],
    /// Beginnings of its models' own names.
    pub families: &'static [&'static str],
    /// How complaints name the field of the schema.
    pub schema_fields: &'static [&'static str],
    /// Whether limits of rate count what a call may write, whatever it wrote then.
    pub counts_ahead: bool,
}

/// One family of servers.
pub(crate) trait Wire: fmt::Debug + Send + Sync {
    /// What is fixed.
    fn profile(&self) -> &'static WireProfile;

    /// How the answer is cut into frames.
    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// Where `model` is asked, below `base`.
    fn generation_url(&self, base: &Url, model: &str) -> Url;

    /// Where the models are listed.
    fn models_url(&self, base: &Url) -> Url {
        extend_path(base, &["models"])
    }

    /// Whether `model` is one of those listed.
    fn is_listed(&self, models: &BTreeSet<String>, model: &str) -> bool {
        models.contains(model)
    }

    /// The body of the request, without the fields that this server has refused before.
    fn build_body(&self, model: &str, call: &Call, fields: &RequestFields) -> Vec<u8>;

    /// Decodes one frame of the answer, or the whole answer of a server that does not stream.
    ///
    /// # Errors
    ///
    /// What is not JSON, or has another form than the interface promises.
    fn decode_frame(&self, frame: &str, sink: &mut dyn FnMut(StreamEvent<'_>)) -> Result<(), serde_json::Error>;
}

/// What a frame says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StreamEvent<'f> {
    /// Text of the answer.
    Text(&'f str),
    /// Thinking that is not part of it.
    Reasoning(&'f str),
    /// The model that answers.
    Model(&'f str),
    /// The provider's name of the answer.
    Id(&'f str),
    /// A call of a tool, or a part of one.
    ToolCall(ToolCallPiece<'f>),
    /// What a provider wants back with the thinking before it.
    ThoughtSignature(&'f str),
    /// Token counts; what is told later replaces what was told before.
    Usage(UsageReport),
    /// Words in which the model declines, marked as such by the provider.
    Refusal(&'f str),
    /// Why the answer ended. Counts may follow.
    End(AnswerEnd),
    /// Nothing follows.
    Done,
    /// The server reports an error, as JSON.
    Failed(&'f str),
}

/// What a frame says of a call of a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ToolCallPiece<'f> {
    /// Which of the calls it belongs to; without, it is a call of its own.
    pub index: Option<u32>,
    /// The provider's name of the call.
    pub id: Option<&'f str>,
    /// The tool.
    pub name: Option<&'f str>,
    /// What follows of its arguments, which are JSON once they are complete.
    pub arguments: Option<&'f str>,
    /// What the provider wants back with the call.
    pub signature: Option<&'f str>,
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerEnd {
    /// By itself.
    Complete,
    /// At the token limit.
    Truncated,
    /// The model, or its provider for it, declined; in its words or the provider's.
    Refused(String),
    /// A filter cut it, for this reason.
    Filtered(String),
    /// It broke off, for a reason that is none of the known good ends.
    Broken(String),
}

/// Token counts as far as a frame tells them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct UsageReport {
    /// Tokens read, cached ones included.
    pub prompt: Option<u64>,
    /// Read from a cache.
    pub cached: Option<u64>,
    /// Written into a cache.
    pub cache_write: Option<u64>,
    /// Tokens written, reasoning included.
    pub completion: Option<u64>,
    /// What the provider says that the call costs, in US dollars.
    pub cost_usd: Option<f64>,
}

/// `base` with `segments` behind its path.
fn extend_path(base: &Url, segments: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// One message, as most interfaces write it.
#[derive(Debug, Serialize)]
struct RoleMessage<'c> {
    role: ChatRole,
    content: Cow<'c, str>,
}

/// What is said, called for and looked up, as most interfaces write it.
#[derive(Serialize)]
#[serde(untagged)]
enum ChatTurn<'c, A> {
    Said(RoleMessage<'c>),
    Called {
        role: ChatRole,
        content: &'c str,
        tool_calls: Vec<CalledFunction<'c, A>>,
    },
    Result {
        role: &'static str,
        #[serde(flatten)]
        of: ResultOf<'c>,
        content: &'c str,
    },
}

/// A call of a function, whose arguments are written as `A`; some interfaces name it.
#[serde_with::skip_serializing_none]
#[derive(Serialize)]
struct CalledFunction<'c, A> {
    id: Option<&'c str>,
    r#type: Option<&'static str>,
    function: FunctionArguments<'c, A>,
}

#[derive(Serialize)]
struct FunctionArguments<'c, A> {
    name: &'c str,
    arguments: A,
}

/// What a result is of: a call by the provider's name of it, or a tool.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ResultOf<'c> {
    ToolCallId(&'c str),
    ToolName(&'c str),
}

/// The messages of a call, with what was looked up behind them; `show` says how the interface writes a call, and what
/// its result names.
fn chat_turns<'c, A>(
    call: &'c Call,
    fields: &RequestFields,
    show: impl Fn(&'c ToolCall) -> (CalledFunction<'c, A>, ResultOf<'c>),
) -> Vec<ChatTurn<'c, A>> {
    let mut turns: Vec<_> = role_messages(call, fields).into_iter().map(ChatTurn::Said).collect();
    for turn in lookup_turns(call) {
        let (tool_calls, of): (_, Vec<_>) = turn.requested.calls.iter().map(&show).unzip();
        turns.push(ChatTurn::Called { role: ChatRole::Assistant, content: &turn.requested.said, tool_calls });
        let results = of.into_iter().zip(&turn.results);
        turns.extend(results.map(|(of, content)| ChatTurn::Result { role: "tool", of, content }));
    }
    turns
}

/// The messages of `call` by role; for a model without a system role its text stands before the first message.
fn role_messages<'c>(call: &'c Call, fields: &RequestFields) -> Vec<RoleMessage<'c>> {
    let mut system: Vec<&str> = Vec::new();
    let mut messages = Vec::with_capacity(call.messages.len());
    for message in &call.messages {
        if message.role == ChatRole::System && !fields.system {
            system.push(&message.text);
            continue;
        }
        let content = match system.is_empty() {
            true => Cow::Borrowed(message.text.as_str()),
            false => Cow::Owned(format!("{}\n\n{}", system.join("\n\n"), message.text)),
        };
        system.clear();
        messages.push(RoleMessage { role: message.role, content });
    }
    messages
}

/// The same for interfaces that take the system text apart: it, and what remains.
fn split_system<'c>(call: &'c Call, fields: &RequestFields) -> (Option<Cow<'c, str>>, Vec<RoleMessage<'c>>) {
    let (system, rest): (Vec<_>, Vec<_>) =
        role_messages(call, fields).into_iter().partition(|message| message.role == ChatRole::System);
    let system =
        system.into_iter().map(|message| message.content).reduce(|all, text| format!("{all}\n\n{text}").into());
    (system, rest)
}

/// Of the decimal that was meant, not of the nearest binary fraction.
fn rounded_temperature(call: &Call, fields: &RequestFields) -> Option<f64> {
    fields.temperature.then(|| (f64::from(call.temperature) * 1_000.0).round() / 1_000.0)
}

/// A key of what other prompts of the debate begin with as well: a provider sends requests that share one to where it keeps
/// what it has read. `None` where nothing is marked.
fn shared_prefix_key(call: &Call) -> Option<String> {
    let at = call.messages.iter().position(|message| !message.shared.is_empty())?;
    let before = call.messages[..at].iter().map(|message| message.text.as_str());
    let marked = &call.messages[at];
    let prefix: Vec<&str> = before.chain(marked.text.get(..marked.shared[0])).collect();
    Some(Digest::from_content(prefix.join("\n")).as_str()[..PREFIX_KEY_CHARS].to_owned())
}

fn masked_seed(call: &Call, fields: &RequestFields) -> Option<u64> {
    fields.seed.then_some(call.seed & SEED_MASK)
}

/// The tools of a call as functions, in the form that OpenAI gave them; none where nothing more may be looked up.
fn function_tools(call: &Call, fields: &RequestFields) -> Option<Vec<impl Serialize + use<>>> {
    let lookups = call.lookups.as_ref().filter(|lookups| fields.tools && !lookups.desk.is_closed())?;
    let tools = lookups.desk.tools().iter();
    Some(tools.map(|tool| json!({"type": "function", "function": declare_tool(*tool, "parameters")})).collect())
}

/// What a model is told of a tool; `form` is what an interface calls the schema of what it takes.
fn declare_tool(tool: LookupTool, form: &str) -> impl Serialize + use<> {
    json!({"name": tool.name(), "description": tool.description(), form: tool.parameters()})
}

/// The turns of a call in which something was looked up.
fn lookup_turns(call: &Call) -> &[LookupTurn] {
    call.lookups.as_ref().map_or(&[], |lookups| &lookups.turns)
}

/// The arguments of a call as an object, as some interfaces want them back; empty where the model wrote none.
fn arguments_object(call: &ToolCall) -> Box<RawValue> {
    let written = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
    serde_json::value::to_raw_value(&written.unwrap_or_else(|| json!({}))).unwrap_or_default()
}

fn encode_json(body: &impl Serialize) -> Vec<u8> {
    // Text and numbers in memory always become JSON.
    serde_json::to_vec(body).unwrap_or_default()
}

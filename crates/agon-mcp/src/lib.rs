//! Debates for agents, over the Model Context Protocol: start one, wait for a turn, claim a seat, answer, read it.
//!
//! Every call goes through the journal and `outside_seats`, as on the command line, so a refusal has the same code everywhere.
//! The server keeps no state between two requests: leases are in the journal and their tokens in the arguments.
//! Therefore it supports clients that begin with `initialize` and clients of the revision without sessions.
//!
//! - `message_lines`: messages over standard streams; `tools` (told in `tools.json`), `arguments`, `calls`, `results`: the tools
//! - `debate_tool`: whole debates in one call, with `material`; `wait`: the bounded wait for a turn; `stop_reason`: why a debate has stopped; `resources`, `prompts`, `completion`: debates to read, prompts, completion
//! - [`ToolPolicy`]: who calls, and whether they may; `refusal`: the codes of outside seats as results

mod arguments;
mod calls;
mod completion;
mod debate_tool;
mod material;
mod message_lines;
mod policy;
mod prompts;
mod refusal;
mod resources;
mod results;
mod stop_reason;
mod tools;
mod wait;

use std::{path::PathBuf, sync::Arc};

use agon_app::Launcher;
use agon_core::{DebateId, Manifest, Record};
use agon_journal::Journal;
use agon_protocols::common::{parallel_answers, struck_text};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult,
        ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};

pub use self::policy::ToolPolicy;

/// What is known of the client of a request.
type ClientContext = RequestContext<RoleServer>;

const INSTRUCTIONS: &str = include_str!("prompts/instructions.md");

/// The names of all tools.
pub fn tool_names() -> Vec<String> {
    tools::list_tools(&[]).into_iter().map(|tool| tool.name.into_owned()).collect()
}

/// The MCP server for the debates of one journal. Clones share it; each client can have one.
#[derive(Clone)]
pub struct Debates {
    journal: Arc<Journal>,
    home: PathBuf,
    launcher: Arc<dyn Launcher>,
    policy: Option<Arc<dyn ToolPolicy>>,
}

impl Debates {
    /// Serves `journal`, whose data directory is `home`; debates are started by `launcher`.
    pub fn new(journal: Arc<Journal>, home: PathBuf, launcher: Arc<dyn Launcher>) -> Self {
        Self { journal, home, launcher, policy: None }
    }

    /// The same for one client whose person is proved, under `policy`.
    pub fn with_policy(self, policy: Arc<dyn ToolPolicy>) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// The record of a debate as it may be shown.
    fn load_shown_record(&self, id: &DebateId) -> Result<Record, refusal::ToolRefusal> {
        Ok(struck_text::publishable_record(&self.load_readable_record(id)?).into_owned())
    }

    /// The part of the record of a debate that may be read before all have answered who are asked now, with what was
    /// struck.
    fn load_readable_record(&self, id: &DebateId) -> Result<Record, refusal::ToolRefusal> {
        Ok(parallel_answers::readable_record(&self.journal.read_record(id)?).into_owned())
    }

    /// Every kind of debate that can be started, by its name alone: nobody names a file.
    fn list_kinds(&self) -> Vec<Manifest> {
        let shipped = agon_protocols::ALL.iter().map(|protocol| protocol.manifest().clone());
        shipped.chain(self.launcher.list_declared_protocols()).collect()
    }

    /// Serves clients over streamable HTTP, without sessions. Which hosts and origins may call, and
    /// with which token, is for the program that mounts it to decide.
    pub fn over_http(self) -> StreamableHttpService<Self, NeverSessionManager> {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_max_request_body_bytes(message_lines::LINE_BYTES_MAX)
            .disable_allowed_hosts();
        StreamableHttpService::new(move || Ok(self.clone()), Arc::default(), config)
    }

    /// Serves one client over standard input and output, until it closes its end.
    pub async fn over_standard_streams(self) {
        let (input, output) = rmcp::transport::io::stdio_pipes();
        // The first message that opens nothing is answered and dropped by the transport, so what is
        // left is a client that went away.
        if let Ok(serving) = self.serve(message_lines::LineTransport::new(input, output)).await {
            let _ = serving.waiting().await;
        }
    }
}

impl ServerHandler for Debates {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().enable_completions();
        let own = Implementation::new("agon", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities.build()).with_server_info(own).with_instructions(INSTRUCTIONS.trim())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: ClientContext,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list_tools(&self.list_kinds())))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list_tools(&self.list_kinds()).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: ClientContext,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut arguments = request.arguments.unwrap_or_default();
        if let Some(tool) = self.get_tool(&request.name) {
            arguments = arguments::adapt_arguments(&tool.input_schema, arguments);
        }
        Ok(self.call(&request.name, arguments, &context).await?.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: ClientContext,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(self.collect_resources()?))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: ClientContext,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::list_templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: ClientContext,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(self.load_resource(&request.uri)?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: ClientContext,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list_prompts(&self.list_kinds())))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: ClientContext,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::render_prompt(&self.list_kinds(), &request.name, &request.arguments.unwrap_or_default())?.into())
    }

    async fn complete(&self, request: CompleteRequestParams, _: ClientContext) -> Result<CompleteResult, ErrorData> {
        self.list_completions(&request)
    }

    /// A known method arrives here when its parameters are not what it takes.
    async fn on_custom_request(&self, request: CustomRequest, _: ClientContext) -> Result<CustomResult, ErrorData> {
        const KNOWN: [&str; 6] =
            ["initialize", "tools/call", "resources/read", "prompts/get", "tools/list", "prompts/list"];
        if KNOWN.contains(&request.method.as_str()) {
            let why = format!("invalid parameters of {}", request.method);
            return Err(ErrorData::invalid_params(why, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "unknown method", None))
    }
}

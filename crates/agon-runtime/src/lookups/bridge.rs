//! The tools for a command-line agent, by the Model Context Protocol. The agent starts a program of its own for that,
//! `agon lookup-bridge FILE`, which passes messages on to the process that drives the debate: only that one looks up and
//! counts. The file names the address and a key, and lies in the private folder of the call.

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpStream},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
        MetaObject, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
    },
    service::RequestContext,
};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    net::TcpListener,
    task::JoinHandle,
};

use super::{LookupDesk, LookupTool};

/// Bytes of a line that holds the key, at most.
const KEY_LINE_BYTES_MAX: u64 = 128;
/// The file that tells the program where to connect.
const FILE: &str = "lookups.json";

/// Where the tools of a call are, and what opens them.
#[derive(Debug, Serialize, Deserialize)]
struct BridgeAddress {
    port: u16,
    key: String,
}

/// The tools of one call, for as long as it lives.
pub(crate) struct LookupBridge {
    /// The file that the agent's program is started with.
    pub file: PathBuf,
    serving: JoinHandle<()>,
}

impl Drop for LookupBridge {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl LookupBridge {
    /// Offers the tools of `desk`; the file goes into `folder`, which is the user's alone.
    ///
    /// # Errors
    ///
    /// Where this machine has no free port, or the folder cannot be written.
    pub async fn open(desk: Arc<LookupDesk>, folder: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let key: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let address = BridgeAddress { port: listener.local_addr()?.port(), key };
        let file = folder.join(FILE);
        std::fs::write(&file, serde_json::to_string(&address)?)?;
        let serving = tokio::spawn(async move {
            // An agent may start its program more than once.
            while let Ok((stream, _)) = listener.accept().await {
                let (desk, key) = (Arc::clone(&desk), address.key.clone());
                tokio::spawn(serve_agent(desk, key, stream));
            }
        });
        Ok(Self { file, serving })
    }
}

async fn serve_agent(desk: Arc<LookupDesk>, key: String, stream: tokio::net::TcpStream) {
    let (read, write) = stream.into_split();
    let mut read = BufReader::new(read);
    let mut line = String::new();
    let given = (&mut read).take(KEY_LINE_BYTES_MAX).read_line(&mut line).await;
    if given.is_ok()
        && line.trim_end() == key
        && let Ok(serving) = (LookupServer { desk }).serve((read, write)).await
    {
        let _ = serving.waiting().await;
    }
}

/// The tools of one answer, as a server.
#[derive(Clone)]
struct LookupServer {
    desk: Arc<LookupDesk>,
}

fn describe_tool(tool: LookupTool) -> Tool {
    let parameters = serde_json::to_value(tool.parameters()).and_then(serde_json::from_value).unwrap_or_default();
    let hints = ToolAnnotations::new().read_only(true).open_world(tool.reach() != agon_core::LookupReach::Material);
    // Claude Code would offer them by a search for tools, which is off.
    let mut meta = MetaObject::new();
    meta.insert("anthropic/alwaysLoad".to_owned(), true.into());
    Tool::new(tool.name(), tool.description(), Arc::new(parameters)).with_annotations(hints).with_meta(meta)
}

impl ServerHandler for LookupServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("agon", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.desk.tools().iter().copied().map(describe_tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map(|arguments| serde_json::json!(arguments).to_string()).unwrap_or_default();
        let text = self.desk.look_up(&request.name, &arguments).await;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

/// Passes the messages of an agent on to the process that drives its debate, until one of them ends: what
/// `agon lookup-bridge FILE` does.
///
/// # Errors
///
/// Where the file cannot be read, or nobody is there.
pub fn relay_messages(file: &Path) -> io::Result<()> {
    let address: BridgeAddress = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, address.port))?;
    socket.write_all(format!("{}\n", address.key).as_bytes())?;
    let mut sender = socket.try_clone()?;
    thread::spawn(move || {
        let _ = copy_at_once(&mut io::stdin().lock(), &mut sender);
        let _ = sender.shutdown(Shutdown::Write);
    });
    copy_at_once(&mut socket, &mut io::stdout().lock())
}

/// Copies everything, each piece as soon as it is there. `io::copy` hands both over to the kernel, which keeps what an
/// agent that waits for an answer has written.
fn copy_at_once(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut piece = [0; 16 * 1024];
    loop {
        let count = match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(&piece[..count])?;
        to.flush()?;
    }
}

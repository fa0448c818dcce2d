//! One JSON-RPC message a line. Every line that is not a message is answered with an error of its
//! kind, and none of them ends the server or opens the conversation.

use std::{io, sync::Arc};

use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientRequest, ErrorData, GetMeta, ProtocolVersion, RequestId, ServerJsonRpcMessage,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::Mutex,
    task::JoinHandle,
};

/// Longest line, in bytes: the longest answer with every character escaped, and more.
pub(crate) const LINE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A client behind two streams.
pub(crate) struct LineTransport<R, W> {
    input: BufReader<R>,
    output: Arc<Mutex<W>>,
    /// Kept over calls of `receive`, which may be dropped in the middle of a line.
    line: Vec<u8>,
    /// The line is too long; its rest is dropped.
    overlong: bool,
    /// An error that is being written: by a task, since `receive` may be dropped at any time, and
    /// half a line must never stand in the output.
    answer: Option<JoinHandle<io::Result<()>>>,
    /// Whether the conversation has begun: what is not a request is dropped until then.
    begun: bool,
}

impl<R: AsyncRead + Unpin, W> LineTransport<R, W> {
    pub(crate) fn new(input: R, output: W) -> Self {
        let (input, output) = (BufReader::new(input), Arc::new(Mutex::new(output)));
        Self { input, output, line: Vec::new(), overlong: false, answer: None, begun: false }
    }

    /// Reads on until a line is whole; `false` at the end of the stream.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let chunk = self.input.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(false);
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            if self.line.len() + taken > LINE_BYTES_MAX {
                self.overlong = true;
                self.line.clear();
            }
            if !self.overlong {
                self.line.extend_from_slice(&chunk[..taken]);
            }
            self.input.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// The message of the line that was read, or the error that answers it; neither for an empty one.
    fn take_message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Box<ServerJsonRpcMessage>> {
        let wrong = |error, id| Box::new(ServerJsonRpcMessage::error(error, id));
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.overlong) {
            let why = format!("a message has at most {LINE_BYTES_MAX} bytes");
            return Err(wrong(ErrorData::invalid_request(why, None), None));
        }
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| wrong(ErrorData::parse_error(format!("this is not JSON: {error}"), None), None))?;
        let id = value.get("id").cloned();
        // A notification is never answered, whatever it says.
        let notification = value["method"].is_string() && id.is_none();
        match serde_json::from_value::<ClientJsonRpcMessage>(value) {
            Ok(ClientJsonRpcMessage::Request(request)) => {
                self.begun |= is_opening_request(&request.request);
                Ok(Some(ClientJsonRpcMessage::Request(request)))
            }
            Ok(message) => Ok(Some(message).filter(|_| self.begun)),
            Err(_) if notification => Ok(None),
            Err(_) => {
                let id = id.and_then(|id| serde_json::from_value::<RequestId>(id).ok());
                Err(wrong(ErrorData::invalid_request("this is not a message of the protocol", None), id))
            }
        }
    }
}

/// Whether a request opens the conversation: `initialize`, or one that says for itself which
/// revision it speaks. Looking around (`ping`, `server/discover`) opens nothing.
fn is_opening_request(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            meta.protocol_version().is_some_and(known)
                && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { write_line(&output, &line_of(&item)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(answer) = &mut self.answer {
                let written = answer.await;
                self.answer = None;
                written.ok()?.ok()?;
            }
            if !self.read_line().await.ok()? {
                return None;
            }
            match self.take_message() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(error) => {
                    let (output, line) = (Arc::clone(&self.output), line_of(&error).ok()?);
                    self.answer = Some(tokio::spawn(async move { write_line(&output, &line).await }));
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output.lock().await.flush().await
    }
}

fn line_of(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

async fn write_line<W: AsyncWrite + Unpin>(output: &Mutex<W>, line: &[u8]) -> io::Result<()> {
    let mut output = output.lock().await;
    output.write_all(line).await?;
    output.flush().await
}

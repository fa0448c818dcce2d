//! The server: its routes, its script and its log.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{self, Write},
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::{get, post},
    serve::ListenerExt,
};
use tokio::{
    net::TcpListener,
    task::JoinHandle,
    time::{Instant, sleep_until},
};

use crate::{
    LoggedRequest, MockConfig, MockFault, Say,
    ask::{SentBody, TextRequest},
    body::{AbandonedStreams, hang_forever, play_steps},
    log::{RequestLog, Tokens},
    rate::RequestBucket,
    refuse::build_refusal,
    reply::ReplyText,
    shape::{Anthropic, Gemini, Ollama, OpenAi, Responses, Shape},
    stream,
};

/// Tokens of a prompt are cached in blocks of this many, as OpenAI counts them.
const CACHE_BLOCK: u64 = 128;
/// Fewer tokens are not cached: no provider keeps a shorter beginning.
const CACHED_TOKENS_MIN: u64 = 1_024;
/// Prompts that the cache remembers.
const CACHED_PROMPTS_MAX: usize = 256;

/// A running server; stops when dropped.
#[derive(Debug)]
pub struct MockServer {
    /// Where it listens.
    pub addr: SocketAddr,
    state: Arc<Running>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Running {
    config: MockConfig,
    replies: Mutex<VecDeque<String>>,
    parts: Mutex<BTreeMap<String, VecDeque<Say>>>,
    prompts: Mutex<VecDeque<String>>,
    asked: AtomicUsize,
    log: RequestLog,
    left: AbandonedStreams,
    rate: Option<RequestBucket>,
}

impl MockServer {
    /// Starts on the current runtime.
    pub async fn start(config: MockConfig) -> io::Result<Self> {
        let listener = TcpListener::bind(config.listen).await?;
        let addr = listener.local_addr()?;
        let state = Arc::new(Running {
            replies: Mutex::new(config.replies.clone()),
            parts: Mutex::new(config.parts.clone()),
            prompts: Mutex::default(),
            asked: AtomicUsize::new(0),
            log: RequestLog::open(config.log.as_deref())?,
            left: AbandonedStreams::default(),
            rate: config.rate.map(RequestBucket::new),
            config,
        });
        let app = Router::new()
            .route("/v1/chat/completions", post(|s, u, h, b| answer_within_rate(&OpenAi, s, u, h, b)))
            .route("/v1/responses", post(|s, u, h, b| answer_within_rate(&Responses, s, u, h, b)))
            .route("/v1/messages", post(|s, u, h, b| answer_within_rate(&Anthropic, s, u, h, b)))
            .route("/api/chat", post(|s, u, h, b| answer_within_rate(&Ollama, s, u, h, b)))
            .route("/v1beta/models/{call}", post(|s, u, h, b| answer_within_rate(&Gemini, s, u, h, b)))
            // OpenRouter, Bedrock and Azure offer the shape of chat completions below paths of their own.
            .route("/api/v1/chat/completions", post(|s, u, h, b| answer_within_rate(&OpenAi, s, u, h, b)))
            .route("/openai/v1/chat/completions", post(|s, u, h, b| answer_within_rate(&OpenAi, s, u, h, b)))
            .route("/openai/deployments/{deployment}/chat/completions", post(answer_azure))
            .route("/api/v1/models", get(answer_models))
            .route("/openai/models", get(answer_models))
            .route("/v1/models", get(answer_models))
            .route("/v1beta/models", get(|s, u, h| list_models(&Gemini, s, u, h)))
            .route("/api/tags", get(|s, u, h| list_models(&Ollama, s, u, h)))
            .layer(DefaultBodyLimit::disable())
            .with_state(state.clone());
        let serve = async move {
            // Without this, small parts of a stream wait for the client's acknowledgement: 40 ms each.
            let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
            if let Err(error) = axum::serve(listener, app).await {
                let _ = writeln!(io::stderr(), "the mock stopped: {error}");
            }
        };
        Ok(Self { addr, state, task: tokio::spawn(serve) })
    }

    /// The address with this path behind it, for example `/v1`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// Every request so far, model lists included.
    pub fn logged_requests(&self) -> Vec<LoggedRequest> {
        self.state.log.list_requests()
    }

    /// Requests for text so far.
    pub fn request_count(&self) -> usize {
        self.state.asked.load(Ordering::SeqCst)
    }

    /// Replies that the client left before their end.
    pub fn abandoned_count(&self) -> usize {
        self.state.left.count()
    }

    /// Ends when the server does.
    pub async fn wait_until_finished(&mut self) {
        let _ = (&mut self.task).await;
    }
}

impl Drop for MockServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Running {
    fn is_accepted(&self, key: Option<&str>) -> bool {
        self.config.key.is_none() || self.config.key.as_deref() == key
    }

    /// Tokens at the head of `prompt` that an earlier one had too, in whole blocks; 0 where they are too few.
    fn count_cached_tokens(&self, prompt: &str) -> u64 {
        let mut prompts = self.prompts.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = |earlier: &String| earlier.bytes().zip(prompt.bytes()).take_while(|(a, b)| a == b).count();
        let longest = prompts.iter().map(shared).max().unwrap_or(0);
        let longest = prompt[..prompt.floor_char_boundary(longest)].chars().count() as u64;
        if prompts.len() == CACHED_PROMPTS_MAX {
            prompts.pop_front();
        }
        prompts.push_back(prompt.to_owned());
        let tokens = longest / 4 / CACHE_BLOCK * CACHE_BLOCK;
        if tokens < CACHED_TOKENS_MIN { 0 } else { tokens }
    }

    fn take_scripted_reply(&self, ask: &TextRequest) -> Option<String> {
        let rule = self.config.rules.iter().find(|(holds, _)| ask.prompt.contains(holds.as_str()));
        let next = || self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        rule.map(|(_, reply)| reply.clone()).or_else(next)
    }

    /// What the model says next of its part.
    fn take_next_part(&self, model: &str) -> Option<Say> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).get_mut(model)?.pop_front()
    }

    fn choose_fault(&self, number: usize, ask: &TextRequest, body: SentBody<'_>) -> Option<MockFault> {
        let failing = || self.config.failing.get(&ask.model).or(self.config.always.as_ref());
        let fault = self.config.faults.get(&number).or_else(failing).cloned();
        fault.filter(|fault| match fault {
            MockFault::RefusesSchema => ask.schema.is_some(),
            MockFault::RefusesField(field) => body.has_field(field),
            _ => true,
        })
    }
}

fn find_header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The header that carries a key, and the key.
fn find_key(headers: &HeaderMap) -> Option<(&'static str, &str)> {
    if let Some(bearer) = find_header(headers, "authorization").and_then(|value| value.strip_prefix("Bearer ")) {
        return Some(("authorization", bearer));
    }
    ["x-api-key", "x-goog-api-key", "api-key"].into_iter().find_map(|name| Some((name, find_header(headers, name)?)))
}

/// What the log says of a request to which nothing was generated.
fn build_log_entry(uri: &Uri, headers: &HeaderMap, kind: &str, status: StatusCode) -> LoggedRequest {
    LoggedRequest {
        endpoint: uri.path().to_owned(),
        generation: true,
        key_in: find_key(headers).map(|(name, _)| name.to_owned()),
        referer: find_header(headers, "http-referer").map(str::to_owned),
        kind: kind.to_owned(),
        status: status.as_u16(),
        ..LoggedRequest::default()
    }
}

/// Azure's way to the same shape: a deployment and a version in the address, and the key in a header of its own.
async fn answer_azure(state: State<Arc<Running>>, uri: Uri, headers: HeaderMap, bytes: Bytes) -> Response {
    let version = uri.query().is_some_and(|query| query.split('&').any(|pair| pair.starts_with("api-version=")));
    if !version || headers.contains_key(header::AUTHORIZATION) {
        let error = OpenAi.error_body("404", "Resource not found");
        return (StatusCode::NOT_FOUND, Json(error)).into_response();
    }
    answer_within_rate(&OpenAi, state, uri, headers, bytes).await
}

async fn answer_models(state: State<Arc<Running>>, uri: Uri, headers: HeaderMap) -> Response {
    match headers.contains_key("anthropic-version") {
        true => list_models(&Anthropic, state, uri, headers).await,
        false => list_models(&OpenAi, state, uri, headers).await,
    }
}

async fn list_models(
    shape: &'static impl Shape,
    State(state): State<Arc<Running>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let key = find_key(&headers).map(|(_, key)| key);
    let status = match state.config.models_status {
        Some(status) => status,
        None if !state.is_accepted(key) => StatusCode::UNAUTHORIZED,
        None => StatusCode::OK,
    };
    state.log.add(LoggedRequest { generation: false, ..build_log_entry(&uri, &headers, "models", status) });
    let error = format!("key {key:?} is not accepted");
    match status {
        StatusCode::OK => Json(shape.render_model_list(&state.config.models)).into_response(),
        _ => (status, Json(shape.error_body("authentication_error", &error))).into_response(),
    }
}

/// Refuses a request that comes too early, and tells with every other one how many are left.
async fn answer_within_rate(
    shape: &'static impl Shape,
    state: State<Arc<Running>>,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let is_anthropic = headers.contains_key("anthropic-version");
    let (taken, told) = match &state.rate {
        Some(bucket) => bucket.take_request(is_anthropic),
        None => (true, HeaderMap::new()),
    };
    let mut response = if taken {
        answer_text_request(shape, state, uri, headers, bytes).await
    } else {
        state.asked.fetch_add(1, Ordering::SeqCst);
        state.log.add(build_log_entry(&uri, &headers, "rate", StatusCode::TOO_MANY_REQUESTS));
        let error = shape.error_body("rate_limit_error", "Rate limit reached for requests.");
        (StatusCode::TOO_MANY_REQUESTS, Json(error)).into_response()
    };
    response.headers_mut().extend(told);
    response
}

async fn answer_text_request(
    shape: &'static impl Shape,
    State(state): State<Arc<Running>>,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let number = state.asked.fetch_add(1, Ordering::SeqCst);
    // The latency is what a client waits, whatever making the reply takes.
    let due = Instant::now() + state.config.latency;
    let body = serde_json::from_slice(&bytes).unwrap_or_default();
    let ask = shape.parse_request(uri.path().rsplit('/').next().unwrap_or_default(), SentBody(&body));
    let key = find_key(&headers).map(|(_, key)| key);
    let is_accepted = state.is_accepted(key);
    let part = if is_accepted { state.take_next_part(&ask.model) } else { None };
    let fault = match &part {
        _ if !is_accepted => Some(MockFault::Unauthorized),
        Some(Say::Fails(fault)) => Some(fault.clone()),
        Some(Say::Text(_)) => None,
        None => state.choose_fault(number, &ask, SentBody(&body)),
    };
    let kind: &str = fault.as_ref().map_or("reply", Into::into);
    let log = |status: StatusCode, usage: Option<Tokens>| {
        let entry = build_log_entry(&uri, &headers, kind, status);
        state.log.add(LoggedRequest { body: body.clone(), usage, ..entry });
    };
    if let Some(response) = fault.as_ref().and_then(|fault| build_refusal(shape, fault, key)) {
        sleep_until(due).await;
        log(response.status(), None);
        return response;
    }
    if fault == Some(MockFault::EndlessError) {
        sleep_until(due).await;
        log(StatusCode::INTERNAL_SERVER_ERROR, None);
        return (StatusCode::INTERNAL_SERVER_ERROR, play_steps(vec![stream::endless_step()], &state.left))
            .into_response();
    }
    if fault == Some(MockFault::Hang) {
        sleep_until(due).await;
        log(StatusCode::OK, None);
        match hang_forever(&state.left).await {}
    }
    let cached = state.count_cached_tokens(&ask.prompt);
    let scripted = match part {
        Some(Say::Text(text)) => Some(text),
        _ => state.take_scripted_reply(&ask),
    };
    let mut said = ReplyText::new(&ask, scripted, fault.as_ref(), cached);
    if let Some(model) = &state.config.answers_as {
        said.model.clone_from(model);
    }
    if !ask.stream {
        sleep_until(due).await;
        log(StatusCode::OK, Some(said.tokens));
        return Json(shape.render_whole_reply(&said)).into_response();
    }
    let parts = stream::plan_stream_steps(shape, &ask, &said, fault.as_ref(), state.config.pause);
    sleep_until(due).await;
    log(StatusCode::OK, Some(said.tokens));
    let mut response = Response::new(play_steps(parts, &state.left));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(shape.content_type()));
    if fault == Some(MockFault::GzipBomb) {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

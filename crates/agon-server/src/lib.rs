//! HTTP interface and live pages over a journal of debates. The server derives everything that it serves from the
//! record; the words of others are data and never markup.
//!
//! - `guard`, `allowed_hosts`, `token`, `connection_limit`: access: exact hosts, origins, the token, connections per machine (`slots`)
//! - `accounts`, `authorization`, `visitor`: people, where the server has accounts, and who may do what
//! - `health`, `limits`, `request_id`: readiness, rates and sizes of each route, an id for each request
//! - `api`: JSON routes and their types; `openapi`: the document about them and the pages of accounts; `refusal`: one form for every refusal
//! - `page`: pages, forms from schemas, charts and maps; `assets`: one style sheet, one script
//! - `evaluations`: runs of `agon eval` in a folder, read as they grow
//! - [`events`]: streams of watched debates, and drivers of debates that run here
//! - `search`: debates by words of what may be shown; `mcp`: the Model Context Protocol over HTTP; `redaction`, `requests`: what can be shown, and what is asked now

mod accounts;
mod allowed_hosts;
mod api;
mod authorization;
mod connection_limit;
mod deadline;
mod evaluations;
pub mod events;
mod guard;
mod health;
mod limits;
mod mcp;
mod openapi;
mod page;
mod redaction;
mod refusal;
mod request_id;
mod requests;
mod search;
mod slots;
mod token;
mod visitor;

use std::{
    io,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use agon_app::Launcher;
use agon_core::{DebateId, Manifest, Record};
use agon_journal::Journal;
use agon_protocols::common::{parallel_answers, struck_text};
use agon_runtime::{lookups::LookupTool, outside_seats::OutsideSeats};
use axum::{
    Router,
    body::Body,
    extract::Request,
    middleware::{from_fn, from_fn_with_state},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, sync::Semaphore};
use tower_http::{CompressionLevel, compression::CompressionLayer};

use self::authorization::{Route, build_routes};
pub use self::{
    accounts::{AccountsSettings, PASSWORD_CHARS_MIN, hash_password},
    allowed_hosts::{AllowedHosts, find_outward_address},
    events::EventHub,
    health::Health,
    limits::{ROUTE_LIMITS, RouteLimit, limits_table},
    refusal::Refusal,
    token::WriteToken,
};

/// Maximum number of connections at a time; further ones wait.
const CONNECTIONS_MAX: usize = 900;
/// Longest wait for the head of a request.
const HEAD_WAIT: Duration = Duration::from_secs(10);
/// Maximum number of fields in the head of a request.
const HEAD_FIELDS_MAX: usize = 64;
/// Maximum number of bytes of a request's head, and of what waits to be written.
const BUFFER_BYTES: usize = 32 * 1024;
/// How long open connections may take to end once the server is told to.
const END_WAIT: Duration = Duration::from_secs(3);
/// Wait after a connection could not be taken, for want of file descriptors for example.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long debates are added to the search index before others get their turn.
const INDEX_TIME: Duration = Duration::from_millis(100);
/// How often the server looks for debates that the search index does not hold.
const INDEX_PAUSE: Duration = Duration::from_secs(10);

/// The parts from which a server is built.
pub struct ServerConfig {
    /// Where the records are.
    pub journal: Arc<Journal>,
    /// The data directory.
    pub home: PathBuf,
    /// What allows reading and writing.
    pub token: WriteToken,
    /// Whether clients on this machine can read without the token.
    pub read_without_token: bool,
    /// Host names that the server accepts, in addition to its own address.
    pub hosts: Vec<String>,
    /// Who opens debates and drives them.
    pub launcher: Arc<dyn Launcher>,
    /// What happens in the debates that are driven here.
    pub events: Arc<EventHub>,
    /// Models that the start form offers.
    pub models: Vec<String>,
    /// The folder with runs of `agon eval`; it need not exist.
    pub evaluations: PathBuf,
    /// How it is operated.
    pub operation: OperationConfig,
}

/// How a server is operated.
#[derive(Debug, Clone)]
pub struct OperationConfig {
    /// By what the rates of [`ROUTE_LIMITS`] are multiplied; 0 for no rates.
    pub rate_factor: f64,
    /// Addresses of proxies that are believed who their clients are.
    pub trust_proxies: Vec<IpAddr>,
}

impl Default for OperationConfig {
    fn default() -> Self {
        Self { rate_factor: 1.0, trust_proxies: Vec::new() }
    }
}

/// What every route is given.
pub(crate) struct RouteContext {
    pub journal: Arc<Journal>,
    pub home: PathBuf,
    pub token: WriteToken,
    pub read_without_token: bool,
    pub hosts: AllowedHosts,
    pub launcher: Arc<dyn Launcher>,
    pub events: Arc<EventHub>,
    pub models: Vec<String>,
    pub evaluations: Arc<evaluations::EvaluationRuns>,
    pub pages: page::PageCache,
    pub accounts: Option<accounts::Accounts>,
    pub health: Arc<Health>,
    pub limits: limits::RouteRates,
    pub routes: Vec<authorization::RouteRow>,
    /// The OpenAPI document, as JSON.
    pub openapi: axum::body::Bytes,
}

pub(crate) type State = Arc<RouteContext>;

impl RouteContext {
    /// Does what reads the store where it holds up nobody.
    pub async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        look: impl FnOnce(&RouteContext) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let shared = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || look(&shared)).await;
        looked.unwrap_or_else(|_| Err(Refusal::interrupted()))
    }

    /// The record of a debate as it may be shown.
    pub fn read_shown_record(&self, id: &DebateId) -> Result<Record, Refusal> {
        Ok(struck_text::publishable_record(&self.read_readable_record(id)?).into_owned())
    }

    /// The part of the record of a debate that may be read before all have answered who are asked now, with what was
    /// struck.
    pub fn read_readable_record(&self, id: &DebateId) -> Result<Record, Refusal> {
        Ok(parallel_answers::readable_record(&self.journal.read_record(id)?).into_owned())
    }

    /// Whether a visitor may read every debate.
    pub fn reads_all(&self, visitor: visitor::Visitor) -> bool {
        visitor.administrator || self.accounts.as_ref().is_none_or(|accounts| accounts.config.role_of_all().is_some())
    }

    /// The whole record of a debate with what was struck: to step its rules, never to show it.
    pub fn read_whole_record(&self, id: &DebateId) -> Result<Record, Refusal> {
        Ok(self.journal.read_record(id)?)
    }

    /// Every kind of debate that can be opened here, by its name alone: nobody names a file.
    pub fn list_protocols(&self) -> Vec<Manifest> {
        let shipped = agon_protocols::ALL.iter().map(|protocol| protocol.manifest().clone());
        shipped.chain(self.launcher.list_declared_protocols()).collect()
    }

    /// The outside seats of a debate, with its protocol.
    pub fn find_outside_seats<'a>(&'a self, id: &'a DebateId) -> Result<OutsideSeats<'a>, Refusal> {
        let record = self.journal.find_record(id)?.ok_or_else(|| Refusal::no_such_debate(id.as_str()))?;
        let protocol = agon_app::declarations::find_rules(&record)?;
        Ok(OutsideSeats { journal: &self.journal, home: &self.home, debate: id, protocol })
    }

    /// What the tool of this name finds for a seat, between these lines where it reads a file.
    pub async fn look_up_for_seat(
        &self,
        id: &DebateId,
        seat: &str,
        tool: &str,
        object: &str,
        (first, last): (Option<u32>, Option<u32>),
    ) -> Result<String, Refusal> {
        let remedy = "use search, read, open or find";
        let tool = LookupTool::from_name(tool).ok_or_else(|| Refusal::unusable("no such lookup", remedy))?;
        let asked = tool.request(object, first, last).map_err(|why| Refusal::unusable(why, "say what to look up"))?;
        let source = self.launcher.lookup_source(&self.read_whole_record(id)?)?;
        Ok(self.find_outside_seats(id)?.look_up(source, seat, asked).await?)
    }
}

/// None of `kinds` is called `name`.
pub(crate) fn no_such_protocol(name: &str, kinds: &[Manifest]) -> Refusal {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
    let name: String = name.chars().take(80).collect();
    let why = format!("no protocol {name:?}");
    Refusal::new(422, "no_such_protocol", why, format!("available: {}", names.join(", ")))
}

/// A server that has its address.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: State,
}

impl Server {
    /// Takes `address`; port 0 is any free one.
    pub async fn bind(config: ServerConfig, address: SocketAddr) -> io::Result<Self> {
        Self::bind_with(config, None, address).await
    }

    /// The same, with accounts where there are settings of them: the token then counts nowhere.
    pub async fn bind_with(
        config: ServerConfig,
        accounts: Option<AccountsSettings>,
        address: SocketAddr,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let OperationConfig { rate_factor, trust_proxies } = config.operation;
        let routes = list_route_rows();
        let document = openapi::render_openapi(&routes, accounts.as_ref().map(|settings| &settings.config));
        let shared = Arc::new(RouteContext {
            routes,
            openapi: document.into(),
            journal: config.journal,
            home: config.home,
            token: config.token,
            read_without_token: config.read_without_token,
            hosts: AllowedHosts::new(address, config.hosts),
            launcher: config.launcher,
            events: config.events,
            models: config.models,
            evaluations: Arc::new(evaluations::EvaluationRuns::new(config.evaluations)),
            pages: page::PageCache::default(),
            accounts: accounts.map(accounts::Accounts::new),
            health: Arc::default(),
            limits: limits::RouteRates::new(rate_factor, trust_proxies),
        });
        Ok(Self { listener, address, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether it says that it can take requests.
    pub fn health(&self) -> Arc<Health> {
        Arc::clone(&self.shared.health)
    }

    /// Serves until `end` completes; then lets go of the watchers and waits for what is under way.
    pub async fn serve_until(self, end: impl Future<Output = ()>) {
        let router = build_router(Arc::clone(&self.shared));
        let ending = GracefulShutdown::new();
        let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let connections = slots::PlaceCounts::default();
        let indexing = tokio::spawn(keep_indexed(Arc::clone(&self.shared.journal)));
        let mut end = std::pin::pin!(end);
        loop {
            let accept = async {
                let place = Arc::clone(&room).acquire_owned().await;
                (place, self.listener.accept().await)
            };
            let (place, accepted) = tokio::select! {
                accepted = accept => accepted,
                () = &mut end => break,
            };
            let Ok((stream, peer)) = accepted else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let is_trusted_proxy = self.shared.limits.is_trusted_proxy(peer.ip());
            let counted = connection_limit::take_connection(&connections, peer.ip(), is_trusted_proxy);
            let Some(peer_place) = counted else { continue };
            let service = TowerToHyperService::new(router.clone());
            let service = service_fn(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(visitor::Peer(peer));
                hyper::service::Service::call(&service, request.map(Body::new))
            });
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WAIT);
            builder.max_headers(HEAD_FIELDS_MAX).max_buf_size(BUFFER_BYTES);
            let connection = ending.watch(builder.serve_connection(TokioIo::new(stream), service));
            tokio::spawn(async move {
                // A connection that breaks off concerns nobody but its client.
                let _ = connection.await;
                drop((place, peer_place));
            });
        }
        drop(self.listener);
        indexing.abort();
        self.shared.events.end_streams();
        let _ = tokio::time::timeout(END_WAIT, ending.shutdown()).await;
    }
}

/// Adds debates to the search index while the server runs, in short transactions with pauses between them.
async fn keep_indexed(journal: Arc<Journal>) {
    loop {
        let pause = match journal.index_for_search(INDEX_TIME).await {
            Ok(0) => INDEX_PAUSE,
            Ok(_) => INDEX_TIME,
            Err(error) => {
                tracing::warn!(%error, "search index");
                INDEX_PAUSE
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// What every route of a server with accounts needs, in the order of the page about it.
fn list_route_rows() -> Vec<authorization::RouteRow> {
    let routes = health::health_routes().into_iter().chain(page::page_routes()).chain(api::api_routes());
    routes.map(|route| route.row).chain([mcp::ROW]).collect()
}

/// The page docs/authorization.md: what every route and tool needs, and who has it.
pub fn render_permission_document() -> String {
    authorization::render_permission_document(&list_route_rows())
}

fn build_router(shared: State) -> Router {
    let has_accounts = shared.accounts.is_some();
    let is_served = |route: &Route| has_accounts || !route.needs_accounts;
    let pages = page::page_routes().into_iter().filter(is_served);
    let (account_pages, pages): (Vec<Route>, Vec<Route>) = pages.partition(|route| route.needs_accounts);
    let pages = page::with_fallbacks(build_routes(pages, ""));
    let api = api::with_fallbacks(build_routes(api::api_routes().into_iter().filter(is_served), api::ROOT));
    let routes = pages.nest(api::ROOT, api).merge(mcp::mcp_routes(&shared)).merge(build_routes(account_pages, ""));
    let guarded = routes.layer(from_fn_with_state(Arc::clone(&shared), guard::guard_request));
    let all = guarded
        .merge(build_routes(health::health_routes(), ""))
        .layer(from_fn_with_state(Arc::clone(&shared), limits::limit_request));
    // A page of a long debate is fetched at every entry. Streams of events are not compressed: they would be held back.
    all.layer(CompressionLayer::new().gzip(true).quality(CompressionLevel::Fastest))
        .layer(from_fn(request_id::with_id))
        .with_state(shared)
}

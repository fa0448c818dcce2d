//! A worker: it serves the object to Restate and drives what Restate gives it.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use agon_app::{Context, Failure, Result};
use agon_journal::Journal;
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use restate_sdk::{
    endpoint::{Endpoint, HandlerOptions, ServiceOptions},
    hyper::HyperEndpoint,
    service::IntoServiceDefinition,
};
use tokio::{
    net::{TcpListener, TcpSocket},
    sync::watch,
    task::{JoinHandle, JoinSet},
};
use url::Url;

use crate::{
    address::{parse_address, parse_addresses},
    admin,
    drivers::Drivers,
    service::{ClusterObject, DebateObject},
    waker,
};

/// Most invocations on one connection: few, so that Restate opens more connections and those who balance them, the
/// kernel for workers on one port or a load balancer, spread debates over all workers.
const STREAMS_MAX: u32 = 8;
/// How long a connection takes new invocations: then Restate is told to open another, which a worker that was added since
/// may get. Those under way stay. Connections end one after the other, by half a second.
const CONNECTION_AGE: Duration = Duration::from_secs(3);
const AGE_STEP: Duration = Duration::from_millis(500);
const AGE_STEPS: u32 = 5;
/// How long a silent node of Restate is believed.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// How long connections may take to end.
const CLOSING: Duration = Duration::from_secs(5);
const BACKLOG: u32 = 1024;
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// A drive may take as long as its debate. Where Restate ends an invocation all the same, the next one attaches.
const DRIVE_TIME: Duration = Duration::from_secs(24 * 3600);
/// How long the end of a drive is kept for those who wait for it.
const END_KEPT: Duration = Duration::from_secs(24 * 3600);
const RETRY_FIRST: Duration = Duration::from_millis(200);
const RETRY_LAST: Duration = Duration::from_secs(10);
/// A debate whose workers are away waits for them however long that takes.
const RETRIES_MAX: u64 = 1_000_000_000;

/// Where a worker listens, and who it works for.
#[derive(Debug, Clone)]
pub struct WorkerConfig {
    /// The admin addresses of Restate's nodes, separated by commas.
    pub restate: String,
    /// The address to listen on. Workers of one user on one machine may share it.
    pub listen: SocketAddr,
    /// The address at which Restate reaches this worker, or all workers behind one load balancer; `listen` if none.
    pub advertise: Option<String>,
    /// Most debates that are driven at the same time.
    pub concurrency: u16,
    /// Public keys of Restate's request identity; without one, the worker takes requests that nobody signed.
    pub identity_keys: Vec<String>,
}

/// A worker that serves, and that Restate knows.
pub struct ClusterWorker {
    drivers: Arc<Drivers>,
    uri: String,
    ending: watch::Sender<bool>,
    serving: JoinHandle<()>,
    journal: Arc<Journal>,
}

impl ClusterWorker {
    /// Listens, begins to serve, and registers with Restate.
    ///
    /// # Errors
    ///
    /// A wrong address (exit code 2), one that cannot be listened on (7), Restate cannot be reached or cannot reach the
    /// worker (3), or another cluster uses the journal (5).
    pub async fn start(context: Context, config: &WorkerConfig) -> Result<Self> {
        let admins = parse_addresses("--restate", &config.restate)?;
        let listener = open_listener(config.listen).map_err(|error| {
            let message = format!("{}: {error}", config.listen);
            Failure::io(message, "choose another address with --listen")
        })?;
        let own = listener.local_addr().unwrap_or(config.listen);
        let base = match &config.advertise {
            Some(given) => parse_address("--advertise", given)?,
            None if own.ip().is_unspecified() => {
                let what = format!("--listen {own}: other machines cannot reach this address");
                return Err(Failure::usage(what, "give the address at which they do with --advertise"));
            }
            None => parse_address("--listen", &format!("http://{own}"))?,
        };
        let journal = Arc::clone(&context.journal);
        let drivers = Arc::new(Drivers::start(context, config.concurrency.max(1).into()));
        let (ending, end) = watch::channel(false);
        let (admit, admitted) = watch::channel(false);
        let endpoint = build_endpoint(Arc::clone(&drivers), admitted, &config.identity_keys)?;
        let serving = tokio::spawn(serve_connections(listener, endpoint, CONNECTION_AGE, end.clone()));
        let worker = Self { drivers, uri: deployment_uri(&base), ending, serving, journal };
        match worker.join_cluster(&admins).await {
            Ok(()) => {
                tokio::spawn(waker::wake_waiting_debates(Arc::clone(&worker.journal), admins, end));
                let _ = admit.send(true);
                // Who drives need not ask any more.
                drop(admit);
                Ok(worker)
            }
            Err(failure) => {
                drop(admit);
                worker.stop().await;
                Err(failure)
            }
        }
    }

    /// Registers with Restate, and with the journal if no other cluster uses it.
    async fn join_cluster(&self, admins: &[Url]) -> Result<()> {
        admin::register_worker(admins, &self.uri).await?;
        let cluster = admin::cluster_name(admins).await?;
        let journal = Arc::clone(&self.journal);
        let joined = tokio::task::spawn_blocking(move || journal.join_drivers(&cluster)).await;
        joined.map_err(|error| Failure::io(error.to_string(), ""))?.map_err(Failure::from)
    }

    /// The address that is registered.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Stops every debate where it is, and serving; other workers continue the debates.
    pub async fn stop(self) {
        // First: an invocation hears that it is to be tried elsewhere as long as its connection stands.
        self.drivers.stop_all().await;
        let _ = self.ending.send(true);
        let _ = self.serving.await;
        let journal = self.journal;
        let _ = tokio::task::spawn_blocking(move || journal.leave_drivers()).await;
    }
}

/// The address of the deployment: another version of agon is another deployment.
fn deployment_uri(base: &Url) -> String {
    let mut uri = base.clone();
    uri.set_path(&format!("agon-{}", env!("CARGO_PKG_VERSION")));
    uri.into()
}

fn build_endpoint(
    drivers: Arc<Drivers>,
    admitted: watch::Receiver<bool>,
    identity_keys: &[String],
) -> Result<Endpoint> {
    let drive = HandlerOptions::new().inactivity_timeout(DRIVE_TIME).abort_timeout(DRIVE_TIME);
    let options = ServiceOptions::new()
        .idempotency_retention(END_KEPT)
        .retry_policy_initial_interval(RETRY_FIRST)
        .retry_policy_exponentiation_factor(2.0)
        .retry_policy_max_interval(RETRY_LAST)
        .retry_policy_max_attempts(RETRIES_MAX)
        .retry_policy_pause_on_max_attempts()
        .handler("drive", drive);
    let debates = DebateObject { drivers, admitted }.into_service_definition().options(options);
    let endpoint = Endpoint::builder().bind(debates).bind(ClusterObject.into_service_definition());
    let endpoint = identity_keys.iter().try_fold(endpoint, |endpoint, key| {
        endpoint.identity_key(key).map_err(|error| {
            let remedy = "give the public key that Restate prints at its start, for example publickeyv1_w7YH…";
            Failure::usage(format!("--identity-key {key}: {error}"), remedy)
        })
    })?;
    Ok(endpoint.build())
}

/// Listens at `address`, which workers of one user on one machine may share: the kernel then spreads connections.
fn open_listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    #[cfg(unix)]
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `end`. The server of the SDK does not limit the invocations of a connection, nor its `age`.
async fn serve_connections(listener: TcpListener, endpoint: Endpoint, age: Duration, mut end: watch::Receiver<bool>) {
    let endpoint = HyperEndpoint::new(endpoint);
    let mut connections = JoinSet::new();
    for number in (0..AGE_STEPS).cycle() {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            // What ended is forgotten.
            Some(_) = connections.join_next() => continue,
            _ = end.wait_for(|end| *end) => break,
        };
        let (stream, from) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Too many open files, for example: those that are open stay.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE)
            .max_concurrent_streams(STREAMS_MAX)
            .serve_connection(TokioIo::new(stream), endpoint.clone());
        let age = age + AGE_STEP * number;
        let mut end = end.clone();
        connections.spawn(async move {
            let mut connection = std::pin::pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => Some(ended),
                () = tokio::time::sleep(age) => None,
                _ = end.wait_for(|end| *end) => None,
            };
            let ended = match ended {
                Some(ended) => ended,
                None => {
                    // Invocations that are under way come to their end on it.
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = ended {
                tracing::warn!(%from, %error, "a connection of Restate broke off");
            }
        });
    }
    let closed = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(CLOSING, closed).await;
}

#[cfg(test)]
mod tests {
    use hyper::client::conn::http2 as client;

    use super::*;

    #[tokio::test]
    async fn a_connection_that_is_old_takes_no_more_invocations() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (ending, end) = watch::channel(false);
        let serving = tokio::spawn(serve_connections(listener, Endpoint::builder().build(), Duration::ZERO, end));
        let stream = TokioIo::new(tokio::net::TcpStream::connect(address).await.unwrap());
        let builder = client::Builder::new(TokioExecutor::new());
        let (sender, connection) = builder.handshake::<_, String>(stream).await.unwrap();
        // The worker ends it, though the client would keep it.
        connection.await.unwrap();
        assert!(sender.is_closed());
        ending.send(true).unwrap();
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn whoever_has_not_signed_a_request_is_refused_by_a_worker_with_a_key() {
        let signed = Endpoint::builder().identity_key("publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f");
        for (endpoint, status) in [(Endpoint::builder(), 200), (signed.unwrap(), 401)] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let (_ending, end) = watch::channel(false);
            let endpoint = endpoint.bind(ClusterObject.into_service_definition()).build();
            tokio::spawn(serve_connections(listener, endpoint, CONNECTION_AGE, end));
            let stream = TokioIo::new(tokio::net::TcpStream::connect(address).await.unwrap());
            let builder = client::Builder::new(TokioExecutor::new());
            let (mut sender, connection) = builder.handshake::<_, String>(stream).await.unwrap();
            tokio::spawn(connection);
            let accept = "application/vnd.restate.endpointmanifest.v3+json";
            let request = hyper::Request::get(format!("http://{address}/discover")).header("accept", accept);
            let answer = sender.send_request(request.body(String::new()).unwrap()).await.unwrap();
            assert_eq!(answer.status(), status);
        }
    }
}

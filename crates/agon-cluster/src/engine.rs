//! A client of Restate that has debates driven by its workers.

use std::time::Duration;

use agon_app::{
    Failure, Result, exit,
    remote_engine::{DebateEngine, DriveOrder},
};
use agon_journal::uuid;
use reqwest::{Client, Response, StatusCode};
use serde::Deserialize;
use url::Url;

use crate::{
    address::parse_addresses,
    order::{DriveEnd, OBJECT},
};

/// How long an order may take to be accepted, over all addresses.
const ACCEPT_WAIT: Duration = Duration::from_secs(20);
/// Longest wait for a connection, and for the answer to a question that Restate answers at once.
const ANSWER_WAIT: Duration = Duration::from_secs(5);
/// Pause before a node is asked again.
const PAUSE: Duration = Duration::from_millis(500);
/// Most bytes of an answer that are read.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Restate, reached at the ingress of one or more of its nodes.
pub struct RestateEngine {
    addresses: Vec<Url>,
    shown: String,
    http: Client,
}

/// What Restate says of an invocation that was sent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accepted {
    invocation_id: String,
}

/// What came of asking a node.
enum NodeAnswer {
    /// Its answer.
    Said(String),
    /// It cannot tell, or cannot be reached; another may.
    Silent(String),
    /// It refuses.
    Refused(Failure),
}

impl RestateEngine {
    /// The engine at `given`: the ingress addresses of its nodes, separated by commas.
    ///
    /// # Errors
    ///
    /// Where they are not addresses, with exit code 2.
    pub fn new(given: &str) -> Result<Self> {
        let addresses = parse_addresses("--on", given)?;
        let http = Client::builder().connect_timeout(ANSWER_WAIT).tcp_keepalive(ANSWER_WAIT).build();
        let http = http.map_err(|error| Failure::io(error.to_string(), ""))?;
        let shown = addresses.iter().map(|url| url.as_str().trim_end_matches('/')).collect::<Vec<_>>();
        Ok(Self { shown: shown.join(","), addresses, http })
    }

    /// Asks the nodes in turn, each at least once, until one can tell or `deadline` has passed.
    async fn ask_nodes(
        &self,
        deadline: Option<Duration>,
        request: impl Fn(&Client, &Url) -> reqwest::RequestBuilder,
    ) -> Result<String> {
        let since = tokio::time::Instant::now();
        let mut why = String::new();
        for (number, url) in self.addresses.iter().cycle().enumerate() {
            match read_node_answer(request(&self.http, url).send().await).await {
                NodeAnswer::Said(said) => return Ok(said),
                NodeAnswer::Refused(failure) => return Err(failure),
                NodeAnswer::Silent(said) => {
                    tracing::warn!(node = %url, why = said, "Restate does not answer");
                    why = said;
                }
            }
            if (number + 1) % self.addresses.len() == 0 {
                if deadline.is_some_and(|deadline| since.elapsed() >= deadline) {
                    break;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
        Err(unreachable_failure(&self.shown, &why))
    }

    fn build_url(base: &Url, path: &[&str]) -> Url {
        let mut url = base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().extend(path);
        }
        url
    }
}

/// What Restate, or a worker, does not do.
pub(crate) fn cluster_failure(message: String, remedy: &str) -> Failure {
    Failure::new(exit::PROVIDER, "cluster", message, remedy)
}

/// Restate cannot be reached at `address`.
pub(crate) fn unreachable_failure(address: &str, why: &str) -> Failure {
    let remedy = "start it as docs/cluster.md describes, or name another node";
    cluster_failure(format!("Restate does not answer at {address}: {why}"), remedy)
}

/// What a node's response means.
async fn read_node_answer(response: reqwest::Result<Response>) -> NodeAnswer {
    let response = match response {
        Ok(response) => response,
        Err(error) => return NodeAnswer::Silent(root_cause(&error)),
    };
    let status = response.status();
    let said = match read_body(response).await {
        Ok(said) => said,
        Err(why) => return NodeAnswer::Silent(why),
    };
    if status.is_success() {
        return NodeAnswer::Said(said);
    }
    let value: serde_json::Value = serde_json::from_str(&said).unwrap_or_default();
    let message = value["message"].as_str().unwrap_or(&said);
    let message: String = message.chars().take(1_000).collect();
    match status {
        // The node itself cannot tell, for example while another takes over its part.
        _ if status.is_server_error() && value["source"] == "ingress" => {
            NodeAnswer::Silent(format!("{status}: {message}"))
        }
        StatusCode::NOT_FOUND if message.starts_with("service ") => {
            let why = format!("Restate knows no worker of agon: {message}");
            NodeAnswer::Refused(cluster_failure(why, "start one with agon worker"))
        }
        StatusCode::NOT_FOUND | StatusCode::INTERNAL_SERVER_ERROR | StatusCode::CONFLICT | StatusCode::BAD_REQUEST => {
            let why = format!("Restate ended the invocation: {message}");
            NodeAnswer::Refused(cluster_failure(why, "continue it with agon resume --on"))
        }
        _ => NodeAnswer::Silent(format!("{status}: {message}")),
    }
}

async fn read_body(mut response: Response) -> std::result::Result<String, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| root_cause(&error))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > ANSWER_BYTES_MAX {
            return Err("its answer is too long".into());
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The innermost cause of an error.
pub(crate) fn root_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |&cause| cause.source());
    causes.last().map(ToString::to_string).unwrap_or_default()
}

#[async_trait::async_trait]
impl DebateEngine for RestateEngine {
    fn address(&self) -> &str {
        &self.shown
    }

    async fn check_reachable(&self) -> Result<()> {
        // A handler that no worker has: Restate tells it apart from an object that no worker serves.
        let asked = self.ask_nodes(Some(Duration::ZERO), |http, base| {
            http.post(Self::build_url(base, &[OBJECT, "check", "unknown"])).timeout(ANSWER_WAIT)
        });
        match asked.await {
            Err(failure) if failure.message.contains("handler") => Ok(()),
            said => said.map(drop),
        }
    }

    async fn drive_debate(&self, order: &DriveOrder) -> Result<()> {
        let once = uuid::random_uuid();
        let once = once.map_err(|error| Failure::io(error.to_string(), ""))?;
        let id = order.debate.as_str();
        // Sent under one key, so that a lost answer does not make two invocations.
        let sent = self.ask_nodes(Some(ACCEPT_WAIT), |http, base| {
            let url = Self::build_url(base, &[OBJECT, id, "drive", "send"]);
            http.post(url).timeout(ANSWER_WAIT).header("idempotency-key", &once).json(order)
        });
        let sent = sent.await.map_err(|failure| failure.with_resume_hint(&order.debate))?;
        let Accepted { invocation_id } = parse_answer(&sent)?;
        tracing::info!(debate = id, invocation = invocation_id, "sent to Restate");
        // However long it takes: the debate continues whether or not it is waited for.
        let ended = self.ask_nodes(None, |http, base| {
            http.get(Self::build_url(base, &["restate", "invocation", &invocation_id, "attach"]))
        });
        parse_answer::<DriveEnd>(&ended.await?)?.into_result()
    }
}

fn parse_answer<T: for<'d> Deserialize<'d>>(said: &str) -> Result<T> {
    serde_json::from_str(said).map_err(|error| {
        let message = format!("Restate gave an answer that this version does not understand: {error}");
        cluster_failure(message, "update agon on all machines")
    })
}

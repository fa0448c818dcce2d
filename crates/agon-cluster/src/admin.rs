//! What a worker tells Restate about itself.

use std::time::Duration;

use agon_app::{Failure, Result};
use agon_journal::uuid;
use reqwest::Client;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use crate::engine::{cluster_failure, root_cause, unreachable_failure};

/// Longest wait for an answer; Restate asks the worker meanwhile what it serves.
const ANSWER_WAIT: Duration = Duration::from_secs(15);
/// How long Restate may take to come up.
const START_WAIT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(500);

/// What a node of Restate says, where it says so.
#[derive(Default, Deserialize)]
struct AdminAnswer {
    message: Option<String>,
    ingress_endpoint: Option<String>,
}

fn build_client() -> Result<Client> {
    Client::builder().timeout(ANSWER_WAIT).build().map_err(|error| Failure::io(error.to_string(), ""))
}

/// Registers the worker that is reached at `uri` with one of the nodes at `admins`.
///
/// # Errors
///
/// Where none can be reached, or Restate cannot reach the worker, with exit code 3.
pub async fn register_worker(admins: &[Url], uri: &str) -> Result<()> {
    let http = build_client()?;
    let since = tokio::time::Instant::now();
    let shown = admins.iter().map(|url| url.as_str().trim_end_matches('/')).collect::<Vec<_>>().join(",");
    let mut why = String::new();
    for admin in admins.iter().cycle() {
        let url = admin.join("deployments");
        let url = url.map_err(|error| Failure::usage(error.to_string(), "give an address"))?;
        let body = json!({"uri": uri, "use_http_11": false, "force": false});
        match http.post(url).json(&body).send().await {
            Ok(response) if response.status().is_success() => return Ok(()),
            // Another worker of this build registered it.
            Ok(response) if response.status().as_u16() == 409 => return Ok(()),
            Ok(response) => {
                let status = response.status();
                let said: AdminAnswer = response.json().await.unwrap_or_default();
                let said = said.message.unwrap_or_else(|| status.to_string());
                if status.is_client_error() {
                    return Err(refused_worker_failure(uri, &said));
                }
                why = said;
            }
            Err(error) => why = root_cause(&error),
        }
        if since.elapsed() >= START_WAIT {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(unreachable_failure(&shown, &why))
}

/// The name of the cluster of the nodes at `admins`, which a worker that is registered serves.
///
/// # Errors
///
/// Where no node tells it, with exit code 3.
pub async fn cluster_name(admins: &[Url]) -> Result<String> {
    let http = build_client()?;
    let since = tokio::time::Instant::now();
    let mut why = "no node says where it takes invocations".to_owned();
    loop {
        for mut url in list_ingresses(&http, admins).await {
            url.set_path("AgonCluster/agon/name");
            match http.post(url.clone()).send().await {
                Ok(response) if response.status().is_success() => match response.json::<String>().await {
                    Ok(name) if uuid::is_one(&name) => return Ok(name),
                    _ => why = format!("{url}: not the name of a cluster"),
                },
                Ok(response) => why = format!("{url}: {}", response.status()),
                Err(error) => why = format!("{url}: {}", root_cause(&error)),
            }
        }
        if since.elapsed() >= START_WAIT {
            let what = format!("Restate does not tell the name of its cluster: {why}");
            let remedy = "a worker must reach the ingress that its nodes advertise; if another build of agon registered \
                          this address, choose another with --listen";
            return Err(cluster_failure(what, remedy));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Where the nodes at `admins` take invocations, if they say so.
pub async fn list_ingresses(http: &Client, admins: &[Url]) -> Vec<Url> {
    let mut found = Vec::new();
    for admin in admins {
        let Ok(url) = admin.join("version") else { continue };
        let Ok(response) = http.get(url).send().await else { continue };
        let said: AdminAnswer = response.json().await.unwrap_or_default();
        found.extend(said.ingress_endpoint.and_then(|word| Url::parse(&word).ok()));
    }
    found
}

fn refused_worker_failure(uri: &str, said: &str) -> Failure {
    let said: String = said.chars().take(1_000).collect();
    let remedy = "give the address at which Restate reaches this worker with --advertise";
    cluster_failure(format!("Restate does not accept the worker at {uri}: {said}"), remedy)
}

//! Wakes debates that nobody drives: when something was appended to one, by whatever server or command, the invocation
//! that waits for it is told. All workers look, so that one of them is enough; to be told twice does no harm.

use std::{sync::Arc, time::Duration};

use agon_journal::Journal;
use reqwest::Client;
use tokio::sync::watch;
use url::Url;

use crate::{admin, engine::root_cause};

/// How often the journal is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Most debates that are woken at one look.
const WOKEN_MAX: u32 = 200;
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// Looks until `end`.
pub(crate) async fn wake_waiting_debates(journal: Arc<Journal>, admins: Vec<Url>, mut end: watch::Receiver<bool>) {
    let Ok(http) = Client::builder().timeout(ANSWER_WAIT).build() else { return };
    let mut ingresses = Vec::new();
    loop {
        tokio::select! {
            _ = end.wait_for(|end| *end) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        // A journal that cannot be read now can be read later.
        let woken = journal.list_due_wakes(WOKEN_MAX).unwrap_or_default();
        if woken.is_empty() {
            continue;
        }
        if ingresses.is_empty() {
            ingresses = admin::list_ingresses(&http, &admins).await;
        }
        for awakeable in woken {
            if !resolve_awakeable(&http, &mut ingresses, &awakeable).await {
                break;
            }
        }
    }
}

/// Tells one who waits; whether a node took it. Nodes that do not answer are left out.
async fn resolve_awakeable(http: &Client, ingresses: &mut Vec<Url>, awakeable: &str) -> bool {
    while let Some(base) = ingresses.first() {
        let mut url = base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().extend(["restate", "awakeables", awakeable, "resolve"]);
        }
        match http.post(url).send().await {
            Ok(response) => {
                tracing::info!(awakeable, status = response.status().as_u16(), "woken");
                return true;
            }
            Err(error) => {
                tracing::warn!(node = %base, why = root_cause(&error), "Restate does not answer");
                ingresses.remove(0);
            }
        }
    }
    false
}

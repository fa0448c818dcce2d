//! Whether the process lives (`/healthz`) and can take requests (`/readyz`). Both need no token, name no host and tell
//! nothing about debates.

use std::{
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use agon_journal::Journal;
use agon_runtime::files;
use axum::{
    Json,
    extract::State as FromState,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::json;

use crate::{
    State,
    authorization::{Permission::Open, Route, reading_route},
};

/// Paths of the two routes.
pub(crate) const PATHS: [&str; 2] = ["/healthz", "/readyz"];
/// Least space on the disk of the journal, in bytes.
const SPACE_MIN: u64 = 64 << 20;
/// How long one result is given again.
const KEPT: Duration = Duration::from_secs(1);
/// Longest wait for the journal.
const JOURNAL_WAIT: Duration = Duration::from_secs(2);

/// Whether the server takes requests, and the last result of its checks.
#[derive(Debug, Default)]
pub struct Health {
    is_draining: AtomicBool,
    last: Mutex<Option<(Instant, Checks)>>,
}

/// What each check said.
#[derive(Debug, Clone, Copy, Serialize)]
struct Checks {
    journal_read: &'static str,
    journal_write: &'static str,
    disk: &'static str,
}

impl Health {
    /// From now on `/readyz` says no: the server is about to end.
    pub fn start_draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    fn recent_checks(&self) -> Option<Checks> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(at, _)| at.elapsed() < KEPT).map(|(_, checks)| *checks)
    }
}

pub(crate) fn health_routes() -> [Route; 2] {
    let [alive, ready] = PATHS;
    [
        reading_route(alive, Open, || async { Json(json!({"alive": true})) }),
        reading_route(ready, Open, self::show_readiness),
    ]
}

async fn show_readiness(FromState(shared): FromState<State>) -> Response {
    let checks = match shared.health.recent_checks() {
        Some(checks) => checks,
        None => {
            let checks = run_checks(&shared).await;
            let kept = Some((Instant::now(), checks));
            *shared.health.last.lock().unwrap_or_else(PoisonError::into_inner) = kept;
            checks
        }
    };
    let is_draining = shared.health.is_draining.load(Ordering::Relaxed);
    let is_sound = [checks.journal_read, checks.journal_write, checks.disk] == ["ok"; 3];
    let is_ready = is_sound && !is_draining;
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(json!({"ready": is_ready, "draining": is_draining, "checks": checks}))).into_response()
}

/// Each check with `ok` or what is wrong, without paths and messages of the system: everyone can read it.
async fn run_checks(shared: &State) -> Checks {
    let looking = tokio::task::spawn_blocking({
        let shared = std::sync::Arc::clone(shared);
        move || {
            (
                check_journal(&shared.journal),
                check_disk_space(&shared.home),
                files::check_writable(&shared.home).is_ok(),
            )
        }
    });
    let looked = tokio::time::timeout(JOURNAL_WAIT, looking).await.ok().and_then(Result::ok);
    let (read, space, folder) = looked.unwrap_or(("no answer in time", "unknown", false));
    let written = tokio::time::timeout(JOURNAL_WAIT, shared.journal.check_writable()).await;
    let written = match written {
        Ok(Ok(())) if folder => "ok",
        Ok(_) => "not writable",
        Err(_) => "no answer in time",
    };
    Checks { journal_read: read, journal_write: written, disk: space }
}

fn check_journal(journal: &Journal) -> &'static str {
    match journal.is_current() {
        Ok(true) => "ok",
        Ok(false) => "another version of agon has migrated it",
        Err(_) => "not readable",
    }
}

#[cfg(unix)]
fn check_disk_space(home: &Path) -> &'static str {
    match rustix::fs::statvfs(home) {
        Ok(disk) if disk.f_bavail.saturating_mul(disk.f_frsize) >= SPACE_MIN => "ok",
        Ok(_) => "nearly full",
        Err(_) => "unknown",
    }
}

#[cfg(not(unix))]
fn check_disk_space(_: &Path) -> &'static str {
    "ok"
}

//! What `agon serve` does next to answering: webhooks, retention, and a tidy end.

use std::{path::PathBuf, sync::Arc, time::Duration};

use agon_app::{
    Context, Result,
    deletion::retention,
    launcher::Observer,
    webhooks::{WebhookWorker, load_endpoints},
};
use agon_journal::Journal;
use agon_runtime::config::RetentionConfig;
use tokio::{sync::oneshot, task::JoinHandle};

/// How often debates that are too old are looked for.
const RETENTION_PAUSE: Duration = Duration::from_secs(3600);
/// Longest wait until what happened last is stored for the webhooks.
const STORE_WAIT: Duration = Duration::from_secs(2);

/// Tasks that run as long as the server.
pub struct Operation {
    telling: JoinHandle<()>,
    stop: oneshot::Sender<()>,
    deleting: Option<JoinHandle<()>>,
}

impl Operation {
    /// Begins; gives the observer for the debates of this process.
    ///
    /// # Errors
    ///
    /// Exit code 2 if the secret of a webhook is missing.
    pub async fn start(context: &Context, inner: Arc<dyn Observer>) -> Result<(Self, Arc<dyn Observer>)> {
        let endpoints = load_endpoints(&context.config.webhooks)?;
        let journal = Arc::clone(&context.journal);
        let (worker, observer) = WebhookWorker::start(journal, endpoints, inner).await?;
        let (stop, stopped) = oneshot::channel::<()>();
        let telling = tokio::spawn(worker.run(async {
            let _ = stopped.await;
        }));
        let config = context.config.retention.clone();
        let deleting = config
            .keep_days
            .is_some()
            .then(|| tokio::spawn(keep_deleting(Arc::clone(&context.journal), context.places.home.clone(), config)));
        Ok((Self { telling, stop, deleting }, observer))
    }

    /// Ends, after the debates have stopped.
    pub async fn end(self) {
        if let Some(deleting) = self.deleting {
            deleting.abort();
        }
        drop(self.stop);
        let _ = tokio::time::timeout(STORE_WAIT, self.telling).await;
    }
}

async fn keep_deleting(journal: Arc<Journal>, home: PathBuf, config: RetentionConfig) {
    loop {
        match retention::plan_retention(&journal, &config) {
            Ok(Some(plan)) => {
                retention::delete_expired(&journal, &home, plan, |summary, done| match done {
                    Ok(deleted) => tracing::info!(debate = %summary.id, files = deleted.files, "deleted by age"),
                    Err(failure) => tracing::warn!(debate = %summary.id, code = %failure.code, "not deleted"),
                })
                .await;
            }
            Ok(None) => return,
            Err(failure) => tracing::warn!(code = %failure.code, "retention"),
        }
        tokio::time::sleep(RETENTION_PAUSE).await;
    }
}

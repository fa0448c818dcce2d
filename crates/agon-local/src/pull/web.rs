//! Fetching a file over HTTP, continuing where an earlier download stopped.

use std::{error::Error, path::Path, time::Duration};

use futures::StreamExt;
use reqwest::{StatusCode, header::RANGE};
use tokio::{fs::OpenOptions, io::AsyncWriteExt};

use super::{OnProgress, Progress, SourceFailure, Stage};

/// Completes `part` to `size` bytes from `url`.
pub async fn fetch_from_web(
    url: &str,
    source: &'static str,
    size: u64,
    part: &Path,
    progress: &mut OnProgress<'_>,
) -> Result<(), SourceFailure> {
    // Short limits: there are other sources to turn to.
    let client = reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(5))
        .read_timeout(Duration::from_secs(20))
        .build()
        .map_err(explain_request_error)?;
    let present = std::fs::metadata(part).map_or(0, |file| file.len());
    let mut request = client.get(url);
    if present > 0 {
        request = request.header(RANGE, format!("bytes={present}-"));
    }
    let response = request.send().await.map_err(explain_request_error)?;
    let mut done = match response.status() {
        StatusCode::PARTIAL_CONTENT => present,
        StatusCode::OK => 0,
        status => return Err(SourceFailure::Source(format!("{url} answered {status}"))),
    };
    if response.content_length().is_some_and(|length| done + length != size) {
        return Err(SourceFailure::Source(format!("{url} offers a file of another size")));
    }
    let mut file = OpenOptions::new()
        .create(true)
        .append(done > 0)
        .write(true)
        .truncate(done == 0)
        .open(part)
        .await
        .map_err(SourceFailure::disk_failure(part))?;
    let mut body = response.bytes_stream();
    while let Some(bytes) = body.next().await {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => {
                // Keep what came, for the next source or run.
                file.flush().await.map_err(SourceFailure::disk_failure(part))?;
                return Err(explain_request_error(error));
            }
        };
        file.write_all(&bytes).await.map_err(SourceFailure::disk_failure(part))?;
        done += bytes.len() as u64;
        progress(Progress { stage: Stage::Fetching, source, done, total: size });
    }
    file.flush().await.map_err(SourceFailure::disk_failure(part))
}

/// The whole chain of causes: reqwest keeps the telling part at its end.
fn explain_request_error(error: reqwest::Error) -> SourceFailure {
    let causes = std::iter::successors(Some(&error as &dyn Error), |&cause| cause.source());
    SourceFailure::Source(causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
}

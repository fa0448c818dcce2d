//! What the program does, step by step, on standard error: where `AGON_LOG` asks for it.

use agon_app::{Failure, Result};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{FilterExt, filter_fn},
    fmt,
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

/// The variable: a level, or directives as `tracing-subscriber` has them.
const VARIABLE: &str = "AGON_LOG";
/// The variable that chooses the form of a line: `text`, or `json` for one object a line.
const FORMAT: &str = "AGON_LOG_FORMAT";
/// Targets of this program. What libraries log may hold prompts, answers and keys, and is never written.
const OWN: &str = "agon";

/// Begins to log, where that is wanted.
pub fn start_logging() -> Result<()> {
    let format = std::env::var_os(FORMAT).filter(|format| !format.is_empty()).unwrap_or_else(|| "text".into());
    let is_json = match format.to_str() {
        Some("text") => false,
        Some("json") => true,
        _ => {
            let message = format!("{FORMAT} is {:?}, which is not a format", format.to_string_lossy());
            return Err(Failure::usage(message, format!("use {FORMAT}=json or {FORMAT}=text")));
        }
    };
    let mut layers = crate::telemetry::build_export_layers()?;
    if let Some(wanted) = std::env::var_os(VARIABLE).filter(|wanted| !wanted.is_empty()) {
        let filter = wanted.to_str().and_then(|wanted| EnvFilter::builder().parse(wanted).ok());
        let filter = filter.ok_or_else(|| {
            let message = format!("{VARIABLE} is {:?}, which is not a filter", wanted.to_string_lossy());
            Failure::usage(message, format!("use for example {VARIABLE}=debug or {VARIABLE}=agon_runtime=debug"))
        })?;
        let own = filter_fn(|about| about.target().starts_with(OWN));
        let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
        let lines = if is_json { lines.json().boxed() } else { lines.boxed() };
        layers.push(lines.with_filter(filter.and(own)).boxed());
    }
    if !layers.is_empty() {
        // A second call finds the first one's.
        let _ = tracing_subscriber::registry().with(layers).try_init();
    }
    Ok(())
}

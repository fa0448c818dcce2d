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
/// Targets of this program. What libraries log may hold prompts, answers and keys, and is never written.
const OWN: &str = "agon";

/// Begins to log, where that is wanted.
pub fn log() -> Result<()> {
    let Some(wanted) = std::env::var_os(VARIABLE).filter(|wanted| !wanted.is_empty()) else { return Ok(()) };
    let filter = wanted.to_str().and_then(|wanted| EnvFilter::builder().parse(wanted).ok());
    let filter = filter.ok_or_else(|| {
        let message = format!("{VARIABLE} is {:?}, which is not a filter", wanted.to_string_lossy());
        Failure::usage(message, format!("use for example {VARIABLE}=debug or {VARIABLE}=agon_runtime=debug"))
    })?;
    let own = filter_fn(|about| about.target().starts_with(OWN));
    let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(false).with_filter(filter.and(own));
    // A second call finds the first one's.
    let _ = tracing_subscriber::registry().with(lines).try_init();
    Ok(())
}

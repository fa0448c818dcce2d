//! Traces and metrics to an OpenTelemetry collector, over OTLP and HTTP, where `OTEL_EXPORTER_OTLP_ENDPOINT` names one.

use agon_app::Result;
use tracing_subscriber::{Layer, Registry};

/// A layer of the program's subscriber.
pub type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// The layers that export; none where no collector is named.
///
/// # Errors
///
/// Exit code 2 if one is named that cannot be used.
#[cfg(feature = "otel")]
pub fn build_export_layers() -> Result<Vec<BoxedLayer>> {
    otel::build_export_layers()
}

/// None: this build cannot export, and says so where a collector is named.
#[cfg(not(feature = "otel"))]
pub fn build_export_layers() -> Result<Vec<BoxedLayer>> {
    if ENDPOINTS.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())) {
        crate::ui::print_error_line(&format!(
            "warning: {}: this build of agon lacks the feature otel; {}",
            ENDPOINTS[0],
            crate::features::REMEDY
        ));
    }
    Ok(Vec::new())
}

/// Where the collector is.
const ENDPOINTS: [&str; 3] =
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"];

/// Sends what was not sent yet; waits 5 seconds at most.
pub fn flush_telemetry() {
    #[cfg(feature = "otel")]
    otel::flush_telemetry();
}

#[cfg(feature = "otel")]
mod otel {
    use std::{sync::OnceLock, time::Duration};

    use agon_app::{Failure, Result};
    use agon_runtime::drive::telemetry::{FIGURES, SPANS, capture_content};
    use opentelemetry::trace::TracerProvider;
    use opentelemetry_otlp::{MetricExporter, SpanExporter};
    use opentelemetry_sdk::{Resource, metrics::SdkMeterProvider, trace::SdkTracerProvider};
    use tracing_opentelemetry::{MetricsLayer, OpenTelemetryLayer};
    use tracing_subscriber::{Layer, filter::filter_fn};

    use super::{BoxedLayer, ENDPOINTS};

    /// Whether spans hold the texts of prompts and answers.
    const CONTENT: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
    /// Longest wait for the collector at the end.
    const END_WAIT: Duration = Duration::from_secs(5);

    static PROVIDERS: OnceLock<(SdkTracerProvider, SdkMeterProvider)> = OnceLock::new();

    fn read_variable(name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn collector_failure(error: impl std::fmt::Display) -> Failure {
        let why = format!("the collector cannot be used: {error}");
        Failure::usage(why, "set OTEL_EXPORTER_OTLP_ENDPOINT to an address such as http://127.0.0.1:4318")
    }

    pub fn build_export_layers() -> Result<Vec<BoxedLayer>> {
        let is_disabled = read_variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        if is_disabled || !ENDPOINTS.iter().any(|name| read_variable(name).is_some()) {
            return Ok(Vec::new());
        }
        if read_variable(CONTENT).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            capture_content();
        }
        let mut resource = Resource::builder();
        if read_variable("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name("agon");
        }
        let resource = resource.build();
        let spans = SpanExporter::builder().with_http().build().map_err(collector_failure)?;
        let tracers = SdkTracerProvider::builder().with_batch_exporter(spans).with_resource(resource.clone()).build();
        let figures = MetricExporter::builder().with_http().build().map_err(collector_failure)?;
        let meters = SdkMeterProvider::builder().with_periodic_exporter(figures).with_resource(resource).build();
        let spans = OpenTelemetryLayer::new(tracers.tracer("agon"))
            .with_location(false)
            .with_threads(false)
            .with_filter(filter_fn(|about| about.target() == SPANS));
        let figures = MetricsLayer::new(meters.clone()).with_filter(filter_fn(|about| about.target() == FIGURES));
        let _ = PROVIDERS.set((tracers, meters));
        Ok(vec![spans.boxed(), figures.boxed()])
    }

    pub fn flush_telemetry() {
        if let Some((tracers, meters)) = PROVIDERS.get() {
            let _ = tracers.shutdown_with_timeout(END_WAIT);
            let _ = meters.shutdown_with_timeout(END_WAIT);
        }
    }
}

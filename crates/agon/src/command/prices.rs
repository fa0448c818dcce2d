//! `agon prices`: what hosted models cost and hold, by whom and since when.

use agon_app::{Failure, Result, exit};
use agon_runtime::prices::{Catalogue, ListedModel, PriceError, Prices, is_old, refresh_catalogue};
use serde_json::json;

use super::CommandContext;
use crate::{cli::PricesAction, ui};

pub async fn run(command_context: &CommandContext, action: Option<PricesAction>) -> Result<u8> {
    match action {
        None | Some(PricesAction::List) => {
            let prices = Prices::load(&command_context.places.home).map_err(price_failure)?;
            let taken = prices.source_and_time().map(|(from, at)| json!({"from": from, "at": at}));
            let value = json!({"providers": prices.providers, "models": prices.models, "taken": taken});
            command_context.print_success(&value, || ui::escape_invisible(&render_catalogue(&prices)))
        }
        Some(PricesAction::Refresh { from }) => {
            let done = refresh_catalogue(&command_context.places.home, &from).await.map_err(price_failure)?;
            let value = json!({"from": from, "models": done.models, "older": done.older});
            command_context.print_success(&value, || {
                let older = match done.older {
                    0 => String::new(),
                    older => format!("; {older} of them are older than what agon knows, and are not used"),
                };
                ui::escape_invisible(&format!("{} models with prices taken from {from}{older}", done.models))
            })
        }
    }
}

/// The catalogue for people: a line for each model, then what else to know.
fn render_catalogue(prices: &Catalogue) -> String {
    let name = |model: &ListedModel| format!("{}:{}", model.provider, model.name);
    let width = prices.models.iter().map(|model| name(model).len()).max().unwrap_or(0);
    let mut lines = vec![
        "List prices in US dollars per million tokens. Your own prices ([providers.NAME] price) hold above them."
            .to_owned(),
        format!("{:<width$}  {:>8}  {:>8}  {:>8}  {:>9}  as of", "model", "read", "cached", "written", "context"),
    ];
    lines.extend(prices.models.iter().map(|model| {
        let note = model.note.as_ref().map_or(String::new(), |note| format!("  {note}"));
        format!(
            "{:<width$}  {:>8}  {:>8}  {:>8}  {:>9}  {}{note}",
            name(model),
            format_dollars(Some(model.input)),
            format_dollars(model.cached),
            format_dollars(Some(model.output)),
            model.context,
            model.date,
        )
    }));
    lines.push(String::new());
    for (provider, listed) in &prices.providers {
        let stands = |model: &String| format!("{provider} stands for {provider}:{model}; ");
        let default = listed.default.as_ref().map_or(String::new(), stands);
        let mut of = prices.models.iter().filter(|model| model.provider == *provider);
        let source = of.next().map_or("", |model| model.source.as_str());
        lines.push(format!("{default}prices of {}, from {source}", listed.host));
    }
    if let Some((from, at)) = prices.source_and_time() {
        lines.push(format!("Some were taken from {from} on {}.", at.get(..10).unwrap_or(at)));
    }
    if prices.models.iter().any(|model| is_old(&model.date)) {
        lines.push("Some are more than half a year old: agon prices refresh FILE|URL takes newer ones.".into());
    }
    lines.join("\n")
}

fn format_dollars(microusd: Option<u64>) -> String {
    microusd.map_or_else(|| "-".into(), |microusd| format!("{:.3}", microusd as f64 / 1e6))
}

fn price_failure(error: PriceError) -> Failure {
    let message = error.to_string();
    match error {
        PriceError::Refused { .. } => {
            Failure::usage(message, "docs/configuration.md describes catalogues; what agon knew before holds on")
        }
        PriceError::Unreached { .. } => {
            Failure::new(exit::PROVIDER, "provider", message, "check the address, or take a file")
        }
        PriceError::File(_) => Failure::io(message, "check the file and its folder"),
    }
}

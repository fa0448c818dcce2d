//! `agon doctor`: what is set up and what is missing, one line each, with the remedy.

use std::path::Path;

use agon_app::{
    Failure, Result, available_models,
    lineup::{self, NamedModels},
    local_run, opening, participants,
    request::SeatRequest,
};
use agon_core::DebateId;
use agon_journal::Journal;
use agon_runtime::{config::default_model, files::check_writable};
use agon_text::{agree_with, count_noun};
use serde::Serialize;
use serde_json::json;

use super::CommandContext;
use crate::ui;

/// Maximum number of debates that are named of those which the journal does not hold.
const UNKNOWN_NAMED: usize = 5;

#[derive(Serialize)]
struct HealthCheck {
    ok: bool,
    what: String,
    remedy: String,
    /// Whether everything is sound without it.
    #[serde(skip)]
    optional: bool,
    /// The command that uses it.
    command: Option<String>,
}

pub async fn run(command_context: &CommandContext) -> Result<u8> {
    let mut findings = Vec::new();
    let mut found = Vec::new();
    let finding = |what: String, problem: Option<Failure>, optional: bool| {
        let (ok, what, remedy) = match problem {
            None => (true, what, String::new()),
            Some(failure) if failure.message.is_empty() => (false, what, failure.remedy),
            Some(failure) => (false, format!("{what}: {}", failure.message), failure.remedy),
        };
        HealthCheck { ok, what, remedy, optional, command: None }
    };
    let mut add = |what: String, problem: Option<Failure>| findings.push(finding(what, problem, false));
    let config = command_context.load_config();
    add(format!("features {}", crate::features::describe_features()), None);
    add("configuration".into(), config.as_ref().err().map(|f| Failure::usage(f.message.clone(), f.remedy.clone())));
    add(
        format!("data in {}", command_context.places.home.display()),
        check_writable(&command_context.places.home).err().map(Failure::from),
    );
    let journal = command_context.open_journal();
    let problem = match &journal {
        // Locks in the data directory tell of a journal in it.
        Ok(journal) if !journal.path().starts_with(&command_context.places.home) => None,
        Ok(journal) => unknown_debates(journal, &command_context.places.home),
        Err(failure) => Some(Failure::usage(failure.message.clone(), failure.remedy.clone())),
    };
    let shared = journal.as_ref().ok().filter(|journal| !journal.path().starts_with(&command_context.places.home));
    let what = shared.map_or("journal".into(), |journal| format!("journal in {}", journal.path().display()));
    add(what, problem);
    if let (Ok(config), Ok(_)) = (&config, &journal) {
        for available in available_models::find_models(config).await {
            let command = available.example_command();
            found.push(HealthCheck { command, ..finding(available.what, available.problem, true) });
        }
        let model = default_model(config);
        // Looks only at what is here: a check must not fetch a gigabyte.
        let debate = opening::choose_debate_id(None)?;
        let args = SeatRequest { seats: Vec::new(), model: Some(model.clone()) };
        let context = command_context.build_context(true)?;
        let lineup = agon_protocols::ALL
            .first()
            .map_or(Ok(Vec::new()), |first| lineup::choose_models(first.manifest(), &NamedModels::new(&args), config));
        let first = lineup.as_ref().ok().and_then(|lineup| lineup.first());
        let downloads = participants::describe_downloads(first.map(|sat| &sat.spec), &context);
        let problem = match &lineup {
            Ok(lineup) => local_run::seat_and_probe(&lineup[..lineup.len().min(1)], &context, &debate).await.err(),
            Err(failure) => Some(failure.clone()),
        };
        match downloads.first() {
            // Nothing is wrong: the first debate downloads it.
            Some(told) => {
                let name = model.strip_prefix("local").unwrap_or(&model).trim_start_matches(':');
                let pull = format!("{told} To do it now: agon models pull {name}");
                let later = Failure::usage(String::new(), pull.trim_end());
                found.push(finding(format!("default model {model}"), Some(later), true));
            }
            None => add(format!("default model {model}"), problem),
        }
        #[cfg(feature = "local")]
        {
            let (what, problem) = agon_app::participants::embedded::engine_health(&command_context.places.models).await;
            found.push(finding(what, problem, true));
        }
    }
    findings.append(&mut found);
    let sound = findings.iter().all(|finding| finding.ok || finding.optional);
    command_context.print_success(&json!({"sound": sound, "findings": findings}), || {
        let line = |finding: &HealthCheck| {
            let mark = match (finding.ok, finding.optional) {
                (true, _) => ui::paint_text("ok", ui::GREEN),
                (false, true) => ui::paint_text("not there", ui::DIM),
                (false, false) => ui::paint_text("missing", ui::RED),
            };
            let remedy = if finding.ok { String::new() } else { format!(" → {}", finding.remedy) };
            let command = finding.command.as_ref().map_or(String::new(), |command| format!("\n    {command}"));
            format!("{mark}  {}", ui::escape_invisible(&format!("{}{remedy}{command}", finding.what)))
        };
        ui::fold_text(&findings.iter().map(line).collect::<Vec<_>>().join("\n"))
    })
}

/// Debates that were driven with this data directory and that its journal does not hold.
fn unknown_debates(journal: &Journal, home: &Path) -> Option<Failure> {
    let locks = std::fs::read_dir(home.join("locks")).into_iter().flatten().flatten();
    let ids = locks.filter_map(|lock| {
        let id = DebateId::new(lock.path().file_stem()?.to_string_lossy()).ok()?;
        matches!(journal.find_summary(&id), Ok(None)).then(|| id.to_string())
    });
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    let remedy = "restore the journal that contained them, or remove their files from the folder locks";
    let named = ids.iter().take(UNKNOWN_NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = if ids.len() > UNKNOWN_NAMED { ", …" } else { "" };
    match (ids.len(), journal.orphan_trace()) {
        (0, None) => None,
        (0, Some(trace)) => {
            let made = format!("it was just created, but debates were held here ({})", trace.display());
            Some(Failure::usage(made, remedy))
        }
        (count, _) => Some(Failure::usage(
            format!(
                "it lacks {} that {} driven here ({named}{more})",
                count_noun(count, "debate", "debates"),
                agree_with(&count, "was", "were")
            ),
            remedy,
        )),
    }
}

//! `agon trust`: what the project's file asks for, and whether the user trusts the folder with it.

use agon_app::{Failure, Result, exit};
use agon_runtime::config::{ProjectFile, forget_trust, project_file};
use agon_text::count_noun;
use serde_json::json;

use super::CommandContext;
use crate::ui;

pub fn run(command_context: &CommandContext, revoke: bool) -> Result<u8> {
    let places = &command_context.places;
    if revoke {
        let was = forget_trust(places)?;
        let said = if was { "this folder is not trusted any more" } else { "this folder was not trusted" };
        return command_context.print_success(&json!({"trusted": false}), || said.to_owned());
    }
    let Some(project) = project_file(places)? else {
        return command_context.print_success(&json!({"requests": [], "trusted": false}), || {
            "this project has no agon.toml, so there is nothing to trust".to_owned()
        });
    };
    let needs_answer = !project.is_trusted && !project.requests.is_empty();
    let described = ui::escape_invisible(&describe_project(&project));
    if !(needs_answer && command_context.can_ask_person() && project.obstacle.is_none()) {
        let shown = json!({
        "folder": project.folder(), "file": project.path, "requests": project.requests, "trusted": project.is_trusted,
        });
        command_context.print(&shown, || described);
        return if needs_answer { Err(trust_refusal(&project)) } else { Ok(exit::OK) };
    }
    let held = ui::hold_screen();
    held.print_prompt(&format!("{described}\nTrust this folder with this file? [y/N] "));
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    drop(held);
    if read.is_err() || !["y", "yes"].contains(&line.trim().to_lowercase().as_str()) {
        ui::print_error_line("Not trusted.");
        return Ok(exit::OK);
    }
    project.remember_trust(places)?;
    ui::print_line(&format!("Trusted until {} changes.", ui::escape_invisible(&project.path.display().to_string())));
    Ok(exit::OK)
}

fn describe_project(project: &ProjectFile) -> String {
    let path = project.path.display();
    if project.requests.is_empty() {
        return format!("{path} asks for no variable, address or command of its own; it needs no trust");
    }
    let count = count_noun(project.requests.len(), "thing", "things");
    let stands = if project.is_trusted { "trusted" } else { "not trusted" };
    let lines = project.requests.iter().map(|request| format!("\n  {request}"));
    format!("{path} asks for {count} ({stands}):{}", lines.collect::<String>())
}

fn trust_refusal(project: &ProjectFile) -> Failure {
    let message = match project.obstacle {
        Some(why) => format!("{}: {why}", project.path.display()),
        None => "trust is given at a terminal, by a person who has read this list".to_owned(),
    };
    let remedy = format!(
        "in a pipeline, set AGON_TRUST={} in its own environment, or add --trust to its command; with --config-from \
         where a change can come from strangers",
        project.folder().display()
    );
    Failure::usage(message, remedy)
}

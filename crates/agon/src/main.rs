//! `agon`: structured debates between models, agents and people.
//!
//! - `cli`: the command line; `command`: one file per command
//! - `ui`: the screen: live text, the full-screen view, statements, warnings, JSON lines; all printing is here
//! - `human`: a person at a seat: dialogue, fields, drafts, editor; `frontend`: the terminal as a front end
//! - `artifact`: the artifact of a duel on disk; `skill`: installed skills; `input`: files that a user names;
//!   `telemetry`: traces and metrics

mod cli;
mod command;
mod frontend;
mod human;
mod input;
mod skill;
mod telemetry;
mod ui;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version are answers; a wrong line is an error like any other.
        Err(error) if error.use_stderr() && cli::wants_json() => {
            let message = error.to_string().lines().next().unwrap_or_default().replace("error: ", "");
            let failure = agon_app::Failure::usage(message, "agon --help lists the commands");
            ui::report(&failure, cli::Output::Json);
            return ExitCode::from(failure.exit);
        }
        Err(error) => error.exit(),
    };
    let output = cli.output();
    let done = ui::log().and_then(|()| command::run(cli));
    telemetry::end();
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            ui::report(&failure, output);
            ExitCode::from(failure.exit)
        }
    }
}

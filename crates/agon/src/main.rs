//! `agon`: structured debates between models, agents and people.
//!
//! - `cli`: the command line; `command`: one file per command
//! - `ui`: the screen: live text, the full-screen view, statements, warnings, JSON lines; all printing is here
//! - `human`: a person at a seat: dialogue, fields, drafts, editor; `frontend`: the terminal as a front end
//! - `artifact`: the artifact of a duel on disk; `skill`: installed skills; `input`: files that a user names;
//!   `telemetry`: traces and metrics

mod cli;
mod command;
mod features;
mod frontend;
mod human;
mod input;
mod skill;
mod telemetry;
mod ui;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::completion::answer_shell();
    let cli = match cli::Cli::parse_words() {
        Ok(cli) => cli,
        // Help and version are answers; a wrong line is an error like any other.
        Err(cli::NoCommand::Refused(failure)) => {
            return ExitCode::from(report_failure(&failure, cli::wanted_output()));
        }
        Err(cli::NoCommand::Shown(error)) => {
            let code = ExitCode::from(error.exit_code() as u8);
            return match error.print() {
                Err(lost) if lost.kind() != std::io::ErrorKind::BrokenPipe => {
                    ExitCode::from(report_failure(&output_lost(&lost), cli::Output::Text))
                }
                _ => code,
            };
        }
    };
    let output = cli.output;
    let done = ui::start_logging().and_then(|()| command::run(cli));
    telemetry::flush_telemetry();
    let code = done.unwrap_or_else(|failure| report_failure(&failure, output));
    match ui::lost_output() {
        Some(lost) if code == agon_app::exit::OK => ExitCode::from(report_failure(&output_lost(&lost), output)),
        _ => ExitCode::from(code),
    }
}

/// Tells what ended a command; gives its exit code.
fn report_failure(failure: &agon_app::Failure, output: cli::Output) -> u8 {
    ui::print_failure(failure, output);
    failure.exit
}

/// What was asked for is not where it was to go.
fn output_lost(why: &std::io::Error) -> agon_app::Failure {
    let message = format!("the output could not be written: {why}");
    let remedy = "free space, or send it elsewhere; what is on the record is not lost: agon list";
    agon_app::Failure::new(agon_app::exit::IO, "io", message, remedy)
}

//! `agon`: structured debates between models, agents and people.

mod artifact;
mod cli;
mod command;
mod conduct;
mod declared;
mod drawing;
mod dropin;
mod failure;
mod human;
mod input;
mod lineup;
#[cfg(feature = "local")]
mod local;
mod opening;
mod reader;
mod seating;
mod shelf;
mod skill;
mod ui;
mod verifier;
mod witness;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version are answers; a wrong line is an error like any other.
        Err(error) if error.use_stderr() && cli::wants_json() => {
            let message = error.to_string().lines().next().unwrap_or_default().replace("error: ", "");
            let failure = failure::Failure::usage(message, "agon --help shows what there is");
            failure.report(cli::Output::Json);
            return ExitCode::from(failure.exit);
        }
        Err(error) => error.exit(),
    };
    let output = cli.output();
    match command::run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.report(output);
            ExitCode::from(failure.exit)
        }
    }
}

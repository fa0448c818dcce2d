//! Draws observations as a page: `page <observations.jsonl >page.html`. With the argument `published` it reads debates
//! and judgments made elsewhere, with `text` it draws for a terminal.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

use std::process::ExitCode;

use agon_eval::{
    published::PublishedReader,
    report::{
        build::{ReportBuilder, ReportOptions},
        html::page,
        text::draw,
    },
};

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| asked.iter().any(|argument| argument == word);
    let input = std::io::stdin().lock();
    let observations = PublishedReader::new(input).map(|read| read.map_err(|error| error.to_string()));
    let mut builder =
        ReportBuilder::new(ReportOptions { seed: u64::from(!has("csv")), ..ReportOptions::default() });
    for observation in observations {
        let heard = observation.and_then(|found| builder.hear(&found).map_err(|fault| fault.to_string()));
        if let Err(error) = heard {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    let report = builder.finish();
    if has("csv") {
        agon_eval::report::csv::write_figures(&report, &mut std::io::stdout()).unwrap();
        return ExitCode::SUCCESS;
    }
    print!("{}", if has("text") { draw(&report) } else { page(&report) });
    ExitCode::SUCCESS
}

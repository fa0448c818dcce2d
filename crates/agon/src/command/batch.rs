//! `agon batch`: many debates out of a file, some of them at once, and what they say together.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use agon_core::{DebateId, Outcome, Protocol, Record, Standing};
use agon_formats::agreement::{self, Agreement};
use agon_runtime::{
    config::Config,
    drive::{Quiet, Seats},
    journal::Journal,
};
use clap::{CommandFactory, FromArgMatches};
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};

use super::{
    Hand,
    companion::{self, Beside},
    run as open,
};
use crate::{
    cli::{BatchArgs, Cli, Command, Output, RunArgs},
    conduct::{self, Seated},
    failure::{Failure, Result, exit},
    input, ui,
};

/// Longest file.
const FILE_MEGABYTES_MAX: u64 = 16;
/// Options of `run` that mean nothing in a file.
const NOT_HERE: [&str; 6] = ["plan", "output", "quiet", "help", "version", "yes"];

pub async fn run(hand: &Hand, args: BatchArgs) -> Result<u8> {
    let config = hand.config()?;
    let file = args.file.display();
    let remedy = "name a file with a JSON object a line, or split it into several";
    let text = String::from_utf8(input::bytes(&args.file, FILE_MEGABYTES_MAX, remedy)?)
        .map_err(|_| Failure::usage(format!("{file} is no text in UTF-8"), remedy))?;
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line))
        .filter(|(_, line)| !line.trim().is_empty())
        .collect();
    if lines.is_empty() {
        return Err(Failure::usage(
            format!("{file} holds no debate"),
            "write one JSON object a line: {\"protocol\": \"exchange\", \"motion\": \"…\"}",
        ));
    }
    let journal = hand.journal()?;
    // Nobody is asked at a terminal, and nothing but results is printed.
    let silent = Hand { output: Output::Json, quiet: true, places: hand.places.clone() };
    let interrupted = async {
        // Without a handler for it the system ends the process, which is as resumable.
        let _ = tokio::signal::ctrl_c().await;
    }
    .shared();
    let bench = Bench { hand: &silent, config: &config, journal: &journal, offline: args.offline };
    let work = futures::stream::iter(lines).map(|(number, line)| {
        let interrupted = interrupted.clone();
        let bench = &bench;
        async move {
            let began = Instant::now();
            let mut at = None;
            let ended = match interrupted.clone().now_or_never() {
                Some(()) => {
                    Err(Failure::new(exit::INTERRUPTED, "interrupted", "not begun", "run the batch again"))
                }
                None => bench.hold(line, &mut at, interrupted).await,
            };
            Done { number, at, ended, seconds: began.elapsed().as_secs_f64() }
        }
    });
    let mut work = Box::pin(work.buffer_unordered(args.concurrency.into()));
    let mut codes = Vec::new();
    let mut held = Vec::new();
    while let Some(done) = work.next().await {
        codes.push(done.code());
        hand.print(&done.json(), || done.text());
        held.extend(done.at.map(|(id, _)| id));
    }
    let records: Vec<Record> = held.iter().filter_map(|id| journal.read(id).ok()).collect();
    summarise(hand, &codes, &agreement::of(&records));
    Ok(match &codes {
        codes if codes.contains(&exit::INTERRUPTED) => exit::INTERRUPTED,
        codes if codes.iter().all(|code| *code == exit::OK) => exit::OK,
        _ => exit::PROVIDER,
    })
}

fn summarise(hand: &Hand, codes: &[u8], agreement: &Agreement) {
    let well = codes.iter().filter(|code| **code == exit::OK).count();
    let summary = json!({
        "event": "batch", "debates": codes.len(), "closed_well": well, "agreement": agreement,
        "in_words": agreement.lines(),
    });
    hand.print(&summary, || {
        let mut lines = vec![format!("{well} of {} debates closed with exit code 0", codes.len())];
        if agreement.debates > 0 {
            lines.extend(agreement.lines());
        }
        lines.join("\n")
    });
}

/// What came of one line.
struct Done {
    number: usize,
    at: Option<(DebateId, PathBuf)>,
    ended: Result<Outcome>,
    seconds: f64,
}

impl Done {
    fn code(&self) -> u8 {
        match &self.ended {
            Ok(outcome) => conduct::code(outcome),
            Err(failure) => failure.exit,
        }
    }

    fn json(&self) -> Value {
        let mut line = json!({
            "line": self.number, "code": self.code(), "seconds": (self.seconds * 10.0).round() / 10.0,
            "id": self.at.as_ref().map(|(id, _)| id), "directory": self.at.as_ref().map(|(_, path)| path),
        });
        match &self.ended {
            Ok(outcome) => line["outcome"] = json!(outcome),
            Err(failure) => line["error"] = failure.to_json(),
        }
        line
    }

    fn text(&self) -> String {
        let id = self.at.as_ref().map_or("no debate", |(id, _)| id.as_str());
        let what = match &self.ended {
            Ok(outcome) => outcome.name.clone(),
            Err(failure) => format!("{}; {}", failure.message, failure.remedy),
        };
        ui::visible(&format!("line {}: {id}: {what} (code {})", self.number, self.code()))
    }
}

/// What every debate of a batch is held with.
struct Bench<'a> {
    hand: &'a Hand,
    config: &'a Config,
    journal: &'a Journal,
    offline: bool,
}

impl Bench<'_> {
    fn seated<'s>(
        &'s self,
        id: &'s DebateId,
        protocol: &'s dyn Protocol,
        seats: Seats,
        directory: &'s Path,
    ) -> Seated<'s> {
        let Bench { hand, journal, .. } = *self;
        Seated {
            journal,
            id,
            protocol,
            seats,
            directory,
            home: &hand.places.home,
            output: hand.output,
            quiet: true,
        }
    }

    /// Opens the debate of one line, drives it to its end, and holds its companions.
    async fn hold(
        &self,
        line: &str,
        at: &mut Option<(DebateId, PathBuf)>,
        interrupted: impl Future<Output = ()> + Clone,
    ) -> Result<Outcome> {
        let Bench { hand, config, journal, .. } = *self;
        let mut args = read(line)?;
        args.offline |= self.offline;
        args.yes = true;
        let checked = open::check(hand, config, &args)?;
        let begun = open::begin(hand, config, journal, &args, &checked).await?;
        let id = checked.opened.debate.clone();
        *at = Some((id.clone(), begun.directory.clone()));
        let debate = self.seated(&id, checked.protocol, begun.seats, &begun.directory);
        let outcome = conduct::perform(debate, Box::new(Quiet), interrupted.clone(), begun.lock).await?;
        if outcome.standing == Standing::Void {
            return Ok(outcome);
        }
        let record = journal.read(&id)?;
        for kind in companion::KINDS {
            let Some(wanted) = record.opened().options.get(kind).and_then(Value::as_str) else { continue };
            let id = super::debate_id(wanted)?;
            let beside = Beside { hand, config, journal, of: &record, offline: args.offline };
            let Some((begun, lock)) = beside.begin(kind, &id).await? else { continue };
            let debate = self.seated(&id, begun.protocol, begun.seats, &begun.directory);
            conduct::perform(debate, Box::new(Quiet), interrupted.clone(), lock).await?;
        }
        Ok(outcome)
    }
}

/// A line as `agon run` would take it: every option of `run` under its own name.
fn read(line: &str) -> Result<RunArgs> {
    let wrong = |message: String| Failure::usage(message, "see agon run --help; one JSON object a line");
    let mut object = match agon_core::parse::strict(line) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return Err(wrong("not a JSON object".into())),
        Err(error) => return Err(wrong(format!("not a JSON object: {error}"))),
    };
    let mut text = |name: &str| match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(format!("{name:?} must be a text"))),
    };
    let (protocol, motion) = (text("protocol")?, text("motion")?);
    let protocol = protocol.ok_or_else(|| wrong("it names no \"protocol\"".into()))?;
    let mut words = vec!["agon".to_owned(), "run".into()];
    for (name, value) in object {
        words.extend(flags(&name, value).map_err(wrong)?);
    }
    words.extend(["--".into(), protocol]);
    words.extend(motion);
    let matches =
        Cli::command().try_get_matches_from(words).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = matches.map_err(|error| {
        let text = error.render().to_string();
        let first = text.lines().next().unwrap_or_default();
        wrong(first.strip_prefix("error: ").unwrap_or(first).to_owned())
    })?;
    match cli.command {
        Command::Run(args) => Ok(*args),
        _ => Err(wrong("it is no debate".into())),
    }
}

/// One option as words of a command line.
fn flags(name: &str, value: Value) -> std::result::Result<Vec<String>, String> {
    let flag = match name {
        "seats" => "seat".to_owned(),
        "debaters" => "debater".to_owned(),
        "definitions" => "define".to_owned(),
        "drafts" => "draft".to_owned(),
        name => name.replace('_', "-"),
    };
    let plain = flag.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !flag.starts_with('-');
    if !plain || NOT_HERE.contains(&flag.as_str()) {
        return Err(format!("{name:?} is no option of a debate in a file"));
    }
    let one = |value: Value| match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(format!("{name:?} holds what is neither text nor number")),
    };
    Ok(match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Bool(true) => vec![format!("--{flag}")],
        Value::Array(models) if flag == "judges" => {
            let models: std::result::Result<Vec<String>, String> = models.into_iter().map(one).collect();
            vec![format!("--judges={}", models?.join(","))]
        }
        Value::Array(values) => {
            let words = values.into_iter().map(|value| Ok(format!("--{flag}={}", one(value)?)));
            words.collect::<std::result::Result<_, String>>()?
        }
        Value::Object(pairs) => {
            let words = pairs.into_iter().map(|(key, value)| Ok(format!("--{flag}={key}={}", one(value)?)));
            words.collect::<std::result::Result<_, String>>()?
        }
        value => vec![format!("--{flag}={}", one(value)?)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_takes_the_options_of_run_by_their_names() {
        let args = read(
            r#"{"protocol": "exchange", "motion": "--not a flag", "rounds": 2, "seats": {"judge": "local"},
                "definitions": {"rest": "a pause"}, "max_requests": 9, "judges": ["a:x", "b:y", "c:z"],
                "self_judging": true, "mirror": false}"#,
        )
        .unwrap();
        assert_eq!((args.motion.as_deref(), args.rounds.rounds), (Some("--not a flag"), Some(2)));
        assert_eq!(
            (args.seats.seats[0].as_str(), args.own.definitions[0].as_str()),
            ("judge=local", "rest=a pause")
        );
        assert_eq!(
            (args.budget.max_requests, args.judging.judges.as_deref()),
            (Some(9), Some("a:x,b:y,c:z"))
        );
        assert!(args.judging.self_judging && !args.judging.mirror);
    }

    #[test]
    fn a_line_that_is_no_debate_says_why() {
        for (line, says) in [
            ("[]", "not a JSON object"),
            (
                r#"{"protocol": "exchange", "motion": "x", "rounds": 1, "rounds": 2}"#,
                "\"rounds\" stands twice",
            ),
            (r#"{"motion": "x"}"#, "names no \"protocol\""),
            (r#"{"protocol": "exchange", "motion": 3}"#, "must be a text"),
            (r#"{"protocol": "exchange", "motion": "x", "plan": true}"#, "\"plan\" is no option"),
            (r#"{"protocol": "exchange", "motion": "x", "-x": true}"#, "is no option"),
            (r#"{"protocol": "exchange", "motion": "x", "runds": 2}"#, "--runds"),
            (r#"{"protocol": "exchange", "motion": "x", "rounds": [[1]]}"#, "neither text nor number"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.exit == 2 && error.message.contains(says), "{line}: {}", error.message);
        }
    }
}

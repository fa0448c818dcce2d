//! What is told of a command line that cannot be parsed: one message and one remedy, as of every other failure.

use std::ffi::OsString;

use agon_app::{Failure, display::suggest_name};
use clap::{Command, error::ContextKind, error::ContextValue, error::ErrorKind};

/// Commands whose last word is a text of several words.
const WITH_TEXT: [&str; 2] = ["run", "ask"];

/// The failure that `error` is; `words` are those of the process.
pub fn explain_parse_error(error: &clap::Error, words: &[OsString], command: &Command) -> Failure {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let (named, path) = find_command(&words, command);
    let told = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let hint = |kind| {
        let near = Some(told(kind)).filter(|near| !near.is_empty());
        near.map_or(String::new(), |near| format!("did you mean {near}? "))
    };
    let help = match named.has_subcommands() {
        true => format!("{path} --help lists the commands"),
        false => format!("{path} --help describes it"),
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let given = told(ContextKind::InvalidSubcommand);
            let kinds = agon_protocols::ALL.iter().map(|kind| kind.name()).filter(|_| path == "agon");
            let shown = named.get_subcommands().filter(|one| !one.is_hide_set()).map(Command::get_name);
            let near = suggest_name(&given, &shown.chain(kinds).collect::<Vec<_>>());
            let ask = if path == "agon" { "; agon ask \"QUESTION\" proposes a debate" } else { "" };
            Failure::usage(format!("{path} has no command {given:?}"), format!("{near}{help}{ask}"))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Failure::usage(format!("{path} needs a command"), help)
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = told(ContextKind::InvalidArg);
            let kinds: Vec<&str> = agon_protocols::ALL.iter().map(|kind| kind.name()).collect();
            let remedy = match missing.as_str() {
                "<PROTOCOL>" => format!("name a kind of debate: {}", kinds.join(", ")),
                "<ID>" | "<DEBATE>" => "agon list shows the debates; last means the newest one".to_owned(),
                _ => help,
            };
            Failure::usage(format!("{path} needs {missing}"), remedy)
        }
        ErrorKind::UnknownArgument => {
            let given = told(ContextKind::InvalidArg);
            if !given.starts_with('-') && WITH_TEXT.contains(&named.get_name()) {
                let message = format!("{given:?} is one word too many");
                let remedy = format!("put the text in quotation marks: {}", quote_text(&words, named));
                return Failure::usage(message, remedy);
            }
            let near = hint(ContextKind::SuggestedArg);
            Failure::usage(format!("{path} does not take {given:?}"), format!("{near}{help}"))
        }
        _ => Failure::usage(clap_message(error), format!("{}{help}", hint(ContextKind::SuggestedValue))),
    }
}

/// The command that `words` name, and its words.
fn find_command<'c>(words: &[&str], command: &'c Command) -> (&'c Command, String) {
    let (mut named, mut path) = (command, "agon".to_owned());
    for word in words.iter().skip(1).filter(|word| !word.starts_with('-')) {
        match named.find_subcommand(word) {
            Some(found) => {
                named = found;
                path = format!("{path} {}", found.get_name());
            }
            // The value of an option of every command stands before the command.
            None if path != "agon" => break,
            None => {}
        }
    }
    (named, path)
}

/// The words of a command with those in quotation marks that are one text.
fn quote_text(words: &[&str], named: &Command) -> String {
    let rest = words.iter().skip_while(|word| **word != named.get_name()).skip(1);
    let mut rest = rest.skip_while(|word| word.starts_with('-'));
    let kind = if named.get_name() == "run" { rest.next() } else { None };
    let text: Vec<&str> = rest.take_while(|word| !word.starts_with('-')).copied().collect();
    let kind = kind.map_or(String::new(), |kind| format!("{kind} "));
    format!("agon {} {kind}\"{}\"", named.get_name(), text.join(" "))
}

/// What clap says, on one line, without what only a programmer understands.
fn clap_message(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let line = lines.join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    let (head, why) = line.rsplit_once("': ").unwrap_or((line, ""));
    match why {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            format!("{head}': it is not a whole number")
        }
        "invalid float literal" | "cannot parse float from empty string" => format!("{head}': it is not a number"),
        "number too large to fit in target type" => format!("{head}': the number is too large"),
        _ => line.replace(" is not in 0..=", " is not a number from 0 to ").replace("..=", " to "),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    fn told(line: &str) -> Failure {
        let words: Vec<OsString> = line.split('|').map(OsString::from).collect();
        let mut command = Cli::command();
        let error = command.try_get_matches_from_mut(words.clone()).unwrap_err();
        explain_parse_error(&error, &words, &command)
    }

    #[test]
    fn a_refused_line_has_one_message_and_one_remedy() {
        for (line, message, remedy) in [
            ("agon|rum", "agon has no command \"rum\"", "did you mean run? agon --help lists the commands; agon ask"),
            ("agon|exchang|x", "agon has no command \"exchang\"", "did you mean exchange?"),
            ("agon|protocols|shwo", "agon protocols has no command \"shwo\"", "did you mean show? agon protocols"),
            ("agon|run", "agon run needs <PROTOCOL>", "name a kind of debate:"),
            ("agon|show", "agon show needs <ID>", "agon list"),
            (
                "agon|run|exchange|Should|we|rest|--plan",
                "\"we\" is one word too many",
                "agon run exchange \"Should we rest\"",
            ),
            ("agon|ask|Should|we", "\"we\" is one word too many", "agon ask \"Should we\""),
            ("agon|show|d1|d2", "agon show does not take \"d2\"", "agon show --help"),
            ("agon|run|exchange|x|--ruonds|1", "agon run does not take \"--ruonds\"", "did you mean --rounds?"),
            (
                "agon|run|exchange|x|--rounds|many",
                "invalid value 'many' for '--rounds <N>': it is not a whole number",
                "agon run --help",
            ),
            ("agon|run|exchange|x|--max-cost|lots", "for '--max-cost <USD>': it is not a number", "agon run --help"),
            ("agon|list|--output|jsn", "[possible values: text, json]", "did you mean json?"),
        ] {
            let failure = told(line);
            assert!(failure.message.contains(message), "{line}: {}", failure.message);
            assert!(failure.remedy.contains(remedy), "{line}: {}", failure.remedy);
            assert!(!failure.message.contains('\n') && failure.exit == 2, "{line}: {}", failure.message);
        }
    }
}

//! The help: verbs in groups, and `agon run PROTOCOL --help` with the options of that protocol alone.

use std::{ffi::OsString, fmt::Write};

use agon_app::{declarations, request::list_known_options};
use agon_core::Manifest;
use agon_runtime::config::Paths;
use clap::{Arg, Command, CommandFactory};

use super::{Cli, options};

/// Verbs by what they are for. Those of other programs and of packaging are in no group, and hidden.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Debate", &["run", "ask", "batch", "eval", "resume", "extend", "fork", "interject", "pause", "cancel"]),
    ("Read", &["list", "show", "watch", "graph", "export", "check", "replay", "verify", "stats"]),
    ("Seats", &["seats", "answer", "lookup", "mcp", "skills"]),
    ("Serve", &["serve", "worker", "users", "webhooks"]),
    ("Keep", &["import", "backup", "restore", "delete", "label", "retention", "journal"]),
    ("Set up", &["protocols", "prompts", "models", "prices", "trust", "doctor"]),
];

/// Options for a line-up, which protocols with a row of seats take.
const LINEUP: [&str; 3] = ["debaters", "count", "lineup"];

/// What `words`, the words of this process, are parsed with.
pub fn build_command(words: &[OsString]) -> Command {
    let command = Cli::command();
    let template = render_template(&command);
    let command = command.help_template(template);
    match find_protocol(words) {
        Some((name, manifest)) => command.mut_subcommand("run", |run| narrow_run_help(run, &name, manifest)),
        None => command,
    }
}

/// The template of the help, with the verbs in groups.
fn render_template(command: &Command) -> String {
    let (heading, literal) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let columns = GROUPS.iter().flat_map(|(_, verbs)| *verbs).map(|verb| verb.len()).max().unwrap_or_default();
    let mut groups = String::new();
    for (name, verbs) in GROUPS {
        let _ = writeln!(groups, "{heading}{name}:{heading:#}");
        for verb in verbs.iter().filter_map(|verb| command.find_subcommand(verb)) {
            let (name, about) = (verb.get_name(), verb.get_about().cloned().unwrap_or_default());
            let _ = writeln!(groups, "  {literal}{name:columns$}{literal:#}  {about}");
        }
        groups.push('\n');
    }
    let options = format!("{heading}Options:{heading:#}\n{{options}}{{after-help}}");
    format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{options}")
}

/// The protocol of `agon run PROTOCOL --help`, if this is asked, with the word that names it.
fn find_protocol(words: &[OsString]) -> Option<(String, &'static Manifest)> {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let at = words.iter().position(|word| *word == "run")?;
    if !words.iter().any(|word| matches!(*word, "-h" | "--help")) {
        return None;
    }
    let places = Paths::find().ok()?;
    let mut named = words.get(at + 1..)?.iter().filter(|word| !word.starts_with('-'));
    named.find_map(|word| {
        let found = declarations::find_protocol(&places, word, false).ok()?;
        Some(((*word).to_owned(), found.protocol.manifest()))
    })
}

/// The help of `agon run`, without what the protocol of `manifest` does not take.
fn narrow_run_help(run: Command, name: &str, manifest: &'static Manifest) -> Command {
    let examples = run.get_after_help().map(ToString::to_string).unwrap_or_default();
    let of_it = format!("agon run {name} ");
    let examples: String =
        examples.lines().filter(|line| line.contains(&of_it)).map(|line| format!("\n{line}")).collect();
    let examples = if examples.is_empty() { examples } else { format!("Examples:{examples}\n\n") };
    run.about(manifest.summary.as_str())
        .override_usage(format!("agon run {name} [OPTIONS] [MOTION]"))
        .after_help(format!(
            "{examples}agon protocols show {name} lists its seats, agon run --help the options of all."
        ))
        .mut_args(|arg| narrow_arg_help(arg, manifest))
}

fn narrow_arg_help(arg: Arg, manifest: &Manifest) -> Arg {
    let id = arg.get_id().as_str().to_owned();
    match manifest.find_option(&id) {
        Some(option) if option.judging => arg.help(options::describe_option(option, option.default.as_deref())),
        Some(option) => arg
            .help(options::describe_option(option, option.default.as_deref()))
            .help_heading(format!("Options of {}", manifest.name)),
        None if id == "rounds" => {
            let rounds = &manifest.rounds;
            arg.help(format!("Rounds: {} [default: {}]", rounds.about, rounds.default))
        }
        None => {
            let is_lineup = LINEUP.contains(&id.as_str()) && manifest.find_seat_row().is_none();
            let is_other = list_known_options().iter().any(|option| option.name == id);
            arg.hide(id == "protocol" || is_lineup || is_other)
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_protocols::ALL;

    use super::*;

    fn help(words: &[&str]) -> String {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        build_command(&words).try_get_matches_from(words).unwrap_err().to_string()
    }

    #[test]
    fn every_verb_that_is_not_hidden_is_in_one_group_and_on_one_line() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| *verbs).copied().collect();
        let command = Cli::command();
        for verb in command.get_subcommands() {
            let count = grouped.iter().filter(|name| **name == verb.get_name()).count();
            assert_eq!(count, usize::from(!verb.is_hide_set()), "{}", verb.get_name());
        }
        let help = help(&["agon", "--help"]);
        let (verbs, _) = help.split_once("\nOptions:\n").unwrap();
        assert_eq!(verbs.lines().filter(|line| line.starts_with("  ")).count(), grouped.len(), "{help}");
        for line in verbs.lines().filter(|line| line.starts_with("  ")) {
            assert!(line.chars().count() <= 80, "{line}");
        }
        for verb in ["debate-ops", "write-log", "agent-tools", "extract-pdf", "try-engine"] {
            assert!(!help.lines().any(|line| line.trim_start().starts_with(verb)), "{verb}: {help}");
        }
    }

    #[test]
    fn the_help_of_a_protocol_has_its_options_alone() {
        let has = |help: &str, flag: &str| help.lines().any(|line| line.trim().split([' ', '.']).next() == Some(flag));
        for protocol in ALL {
            let manifest = protocol.manifest();
            let name = manifest.name.as_str();
            let help = help(&["agon", "run", "--model", "local", name, "--help"]);
            for option in list_known_options() {
                assert_eq!(
                    has(&help, &option.render_flag()),
                    manifest.find_option(&option.name).is_some(),
                    "{name}: {help}"
                );
            }
            for flag in ["--debater", "--debaters", "--lineup"] {
                assert_eq!(has(&help, flag), manifest.find_seat_row().is_some(), "{name}: {help}");
            }
            for flag in ["--rounds", "--seat", "--context", "--max-cost", "--plan", "--fail-on"] {
                assert!(has(&help, flag), "{name}: {help}");
            }
            assert!(!help.contains(" of some protocols"), "{help}");
            let others = ALL.iter().filter(|other| other.name() != name);
            for other in others.map(|other| format!("agon run {} ", other.name())) {
                assert!(!help.contains(&other), "{help}");
            }
        }
        let all = help(&["agon", "run", "--help"]);
        assert!(list_known_options().iter().all(|option| has(&all, &option.render_flag())), "{all}");
    }
}

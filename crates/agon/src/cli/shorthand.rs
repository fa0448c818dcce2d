//! Command lines that leave out the command: `agon review` means `agon run review`, and `agon "QUESTION"` means
//! `agon ask "QUESTION"`.

use std::ffi::OsString;

use agon_app::declarations;
use agon_runtime::config::Paths;
use clap::Command;

/// `words` with the command that they leave out. What begins with a command stays as it is.
pub fn add_command(mut words: Vec<OsString>, command: &Command) -> Vec<OsString> {
    let Some(at) = find_first(&words) else { return words };
    let word = |at: usize| words.get(at).and_then(|word| word.to_str());
    let is_command = |name: &str| name == "help" || command.find_subcommand(name).is_some();
    match (word(at), word(at + 1)) {
        (Some("help"), Some(kind)) if !is_command(kind) && is_kind(kind) => {
            let help = ["run".into(), kind.into(), "--help".into()];
            words.splice(at..at + 2, help);
        }
        (Some(first), _) if is_command(first) => {}
        (Some(question), _) if question.contains(char::is_whitespace) => words.insert(at, "ask".into()),
        (Some(kind), _) if is_kind(kind) => words.insert(at, "run".into()),
        _ => {}
    }
    words
}

/// Where the first word stands that is neither the program nor an option of every command.
fn find_first(words: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        match word.to_str() {
            Some("--output") => at += 2,
            Some("--") => return None,
            Some(option) if option.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

/// Whether `word` is the name of a kind of debate, or the file that declares one.
fn is_kind(word: &str) -> bool {
    let declared = || {
        let places = Paths::find().ok()?;
        declarations::find_protocol(&places, word, false).ok()
    };
    agon_protocols::find_protocol(word).is_some() || declared().is_some()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_command_that_is_left_out_is_added() {
        let command = Cli::command();
        for (words, wanted) in [
            ("agon|review|--context|git:.", "agon|run|review|--context|git:."),
            ("agon|exchange|This house would.", "agon|run|exchange|This house would."),
            ("agon|--output|json|panel|x", "agon|--output|json|run|panel|x"),
            ("agon|-q|duel|a.md", "agon|-q|run|duel|a.md"),
            ("agon|Should we rest?", "agon|ask|Should we rest?"),
            ("agon|Should we rest?|--plan", "agon|ask|Should we rest?|--plan"),
            ("agon|help|review", "agon|run|review|--help"),
            ("agon|help|show", "agon|help|show"),
            ("agon|show|review", "agon|show|review"),
            ("agon|run|review", "agon|run|review"),
            ("agon|rum|review", "agon|rum|review"),
            ("agon|--help", "agon|--help"),
            ("agon|--|a b", "agon|--|a b"),
            ("agon", "agon"),
        ] {
            let words: Vec<OsString> = words.split('|').map(OsString::from).collect();
            let wanted: Vec<OsString> = wanted.split('|').map(OsString::from).collect();
            assert_eq!(add_command(words, &command), wanted);
        }
    }

    #[test]
    fn no_command_is_called_like_a_kind_of_debate() {
        let command = Cli::command();
        for protocol in agon_protocols::ALL {
            assert!(command.find_subcommand(protocol.name()).is_none(), "{}", protocol.name());
        }
    }
}

//! Why a command gave no answer: from its exit status and what it says to what the user can do.

use std::process::ExitStatus;

use agon_core::Usage;

use crate::participant::CallFailure;

/// What a text means, first hit wins. Wordings change with versions: one that is missing here makes
/// a failure that is tried again in vain, and nothing worse.
const MEANINGS: [(ErrorMeaning, &[&str]); 6] = [
    (
        ErrorMeaning::Flag,
        &[
            "json-schema",
            "json_schema",
            "output-schema",
            "output_schema",
            "response_format",
            "unknown option",
            "unknown argument",
            "unexpected argument",
        ],
    ),
    (ErrorMeaning::TooLong, &["prompt is too long", "context window", "context length", "too many tokens"]),
    (
        ErrorMeaning::Quota,
        &["usage limit", "limit reached", "quota", "credit balance", "insufficient", "billing", "payment required"],
    ),
    (
        ErrorMeaning::SignedOut,
        &[
            "not logged in",
            "not signed in",
            "/login",
            "log in",
            "login",
            "sign in",
            "invalid api key",
            "incorrect api key",
            "api key not",
            "unauthorized",
            "401",
            "authenticat",
            "auth method",
            "oauth",
            "environment variable",
            "no credentials",
            "invalid credentials",
        ],
    ),
    (ErrorMeaning::NoSuchModel, &["model not found", "unknown model", "selected model", "model_not_found"]),
    (ErrorMeaning::Missing, &["command not found", "no such file or directory", "module not found", "modulenotfound"]),
];

/// How a text begins that some agents print in place of an answer, with exit status 0.
const BEGINNINGS: [&str; 10] = [
    "error:",
    "error ",
    "api error",
    "fatal:",
    "execution error",
    "invalid api key",
    "not logged in",
    "credit balance is too low",
    "traceback (most recent call last)",
    "claude ai usage limit",
];
/// An error in place of an answer is short; a statement that begins so is not.
const ERROR_CHARS_MAX: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorMeaning {
    Flag,
    TooLong,
    Quota,
    SignedOut,
    NoSuchModel,
    Missing,
}

fn find_meaning(text: &str) -> Option<ErrorMeaning> {
    let text = text.to_lowercase();
    let found = MEANINGS.iter().find(|(_, words)| words.iter().any(|word| text.contains(word)));
    found.map(|(meaning, _)| *meaning)
}

/// Whether `text` says that a flag, or the schema behind it, is not taken.
pub(super) fn is_flag_refused(text: &str) -> bool {
    find_meaning(text) == Some(ErrorMeaning::Flag)
}

/// Whether `text`, which came with exit status 0, is an error in place of an answer.
pub(super) fn is_error(text: &str) -> bool {
    let text = text.trim();
    let begins = text.chars().take(40).collect::<String>().to_lowercase();
    text.chars().count() <= ERROR_CHARS_MAX && BEGINNINGS.iter().any(|start| begins.starts_with(start))
}

/// The line of standard error that says why: the first that calls itself an error, or the last. What
/// else is there is notices and help.
pub(super) fn find_reason(stderr: &str) -> Option<&str> {
    let mut lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.clone().find(|line| is_error(line)).or_else(|| lines.next_back())
}

/// Who failed, for messages and remedies.
pub(super) struct FailedCommand<'a> {
    pub name: &'a str,
    pub sign_in: &'a str,
    pub install: &'a str,
}

/// The failure that `why`, already fit to be shown, tells of.
pub(super) fn build_failure(
    who: &FailedCommand<'_>,
    why: String,
    status: Option<ExitStatus>,
    usage: Option<Usage>,
) -> CallFailure {
    let is_missing = matches!(status.and_then(|status| status.code()), Some(126 | 127));
    let by_status = is_missing.then_some(ErrorMeaning::Missing);
    let message = if why.is_empty() { describe_exit(status) } else { why };
    let unavailable = |remedy: String| CallFailure::Unavailable { message: message.clone(), remedy };
    match by_status.or_else(|| find_meaning(&message)) {
        Some(ErrorMeaning::SignedOut) => unavailable(who.sign_in.to_owned()),
        Some(ErrorMeaning::Missing) => unavailable(who.install.to_owned()),
        Some(ErrorMeaning::NoSuchModel) => unavailable("choose another model for the seat".into()),
        Some(ErrorMeaning::Quota) => {
            unavailable(format!("wait until {} can be used again, or choose another model for the seat", who.name))
        }
        Some(ErrorMeaning::TooLong) => CallFailure::TooLong { message, usage },
        Some(ErrorMeaning::Flag) => unavailable(format!("this version does not accept it; {}", who.install)),
        None => CallFailure::Transient { message, retry_after: None, usage },
    }
}

/// How a process ended that said nothing about it.
fn describe_exit(status: Option<ExitStatus>) -> String {
    match status {
        None => "it gave no answer".into(),
        Some(status) if status.success() => "it ended without an answer".into(),
        // "exit status: 1" or "signal: 9 (SIGKILL)".
        Some(status) => format!("it ended with {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_means_decides_what_to_do() {
        let who = FailedCommand { name: "cli:x", sign_in: "sign in", install: "install" };
        for (text, wanted) in [
            ("Invalid API key · Please run /login", "sign in"),
            ("401 Unauthorized", "sign in"),
            ("You've hit your usage limit.", "wait until cli:x"),
            ("sh: mycoder: command not found", "install"),
            ("error: unknown option '--strict-mcp-config'", "this version does not accept it; install"),
            ("There's an issue with the selected model (nope).", "choose another model"),
        ] {
            let CallFailure::Unavailable { remedy, .. } = build_failure(&who, text.into(), None, None) else {
                panic!("{text} is tried again");
            };
            assert!(remedy.starts_with(wanted), "{text}: {remedy}");
        }
        for text in ["", "connection reset", "429 too many requests", "overloaded"] {
            let failure = build_failure(&who, text.into(), None, None);
            assert!(matches!(failure, CallFailure::Transient { .. }), "{text}: {failure:?}");
        }
        let long = build_failure(&who, "Prompt is too long".into(), None, None);
        assert!(matches!(long, CallFailure::TooLong { .. }));
    }

    #[test]
    fn the_reason_is_found_among_notices_and_help() {
        let clap = "error: unexpected argument '--output-schema' found\n\nUsage: x\n\nFor more, try '--help'.\n";
        for (stderr, wanted) in [
            (clap, Some("error: unexpected argument '--output-schema' found")),
            ("Loaded cached credentials.\nthe network is gone\n\n", Some("the network is gone")),
            (" \n", None),
        ] {
            assert_eq!(find_reason(stderr), wanted);
        }
        assert!(is_flag_refused(find_reason(clap).unwrap()));
    }

    #[test]
    fn an_error_is_told_from_a_statement() {
        for error in ["API Error: 500 overloaded", " Error: no\n", "Execution error", "error: unknown option"] {
            assert!(is_error(error), "{error}");
        }
        let long = format!("Error has many faces. {}", "They differ. ".repeat(60));
        for statement in ["{\"error\": 1}", "Errors are human.", "The error: none.", "", &long] {
            assert!(!is_error(statement), "{statement}");
        }
    }
}

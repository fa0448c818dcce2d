//! `agon answer`: an answer for an outside seat, from a file or standard input; `agon lookup`: what is looked up before.

use std::{
    io::{IsTerminal, Read},
    path::{Path, PathBuf},
};

use agon_app::{Failure, Result, exit, lookups::DebateLookups};
use agon_journal::leases::Receipt;
use agon_runtime::outside_seats::ANSWER_BYTES_MAX;
use serde_json::json;

use super::{CommandContext, outside_seats::CommandDebate};
use crate::{
    cli::{AnswerArgs, LookupArgs, OneSeat},
    ui,
};

pub async fn run(command_context: &CommandContext, args: AnswerArgs) -> Result<u8> {
    let AnswerArgs { seat: OneSeat { id, seat }, token, name, file, text, skip } = args;
    let debate = CommandDebate::open(command_context, &id)?;
    let seats = debate.outside_seats();
    let name = name.unwrap_or_else(user_name);
    let receipt = if skip {
        seats.skip_request(None, &seat, &name).await?
    } else {
        let text = text.map_or_else(|| read_file_or_stdin(&file), Ok)?;
        match token {
            Some(token) => seats.answer(None, &seat, &token, &text).await?,
            None => seats.answer_as(None, &seat, &name, &text).await?,
        }
    };
    let open = seats.list_open_requests().await?;
    let record = debate.journal.read_record(&debate.id)?;
    // What broke a rule is asked for again at once.
    let again = open.iter().find(|open| open.request.seat.as_str() == seat && open.request.redraft.is_some());
    let faults: Vec<String> = match again {
        Some(open) => {
            seats.describe_for_person(&record, &open.request)?.faults.iter().map(ToString::to_string).collect()
        }
        None => Vec::new(),
    };
    let next: Vec<String> = open.into_iter().map(|open| open.request.seat.into()).collect();
    let mut shown = json!(receipt);
    if !faults.is_empty() {
        shown["faults"] = json!(faults);
    }
    command_context.print_success(&shown, || {
        let what = if ui::is_verbose() { receipt.key.as_str() } else { seat.as_str() };
        ui::escape_invisible(&describe_receipt(what, &receipt, &next, &faults))
    })
}

pub async fn look_up(command_context: &CommandContext, args: LookupArgs) -> Result<u8> {
    let LookupArgs { seat: OneSeat { id, seat }, tool, object, first, last } = args;
    let asked = tool.request(&object.join(" "), first, last);
    let asked = asked.map_err(|why| Failure::usage(format!("{}: {why}", tool.name()), "say what to look up"))?;
    let debate = CommandDebate::open(command_context, &id)?;
    let record = debate.journal.read_record(&debate.id)?;
    let source = DebateLookups::of_record(&command_context.build_context(false)?, &record)?;
    let shown = debate.outside_seats().look_up(source, &seat, asked).await?;
    command_context
        .print_success(&json!({"debate": debate.id, "seat": seat, "tool": tool.name(), "shown": shown}), || {
            ui::escape_invisible(&shown)
        })
}

/// What an answer is acknowledged with.
fn describe_receipt(what: &str, receipt: &Receipt, next: &[String], faults: &[String]) -> String {
    let (seq, digest) = (receipt.seq, &receipt.digest.as_str()[..12]);
    let next = if next.is_empty() { String::new() } else { format!("; next: {}", next.join(", ")) };
    let faults: String =
        faults.iter().map(|fault| format!("\n  it broke a rule, and is asked for again: {fault}")).collect();
    format!("{what}: answer recorded as entry {seq} (digest {digest}){next}{faults}")
}

/// The name of the user of this machine: as the environment has it, else as the machine knows them.
pub(in crate::command) fn user_name() -> String {
    let passwd = || std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    resolve_user_name(|name| std::env::var(name).ok(), rustix::process::getuid().as_raw(), passwd)
}

fn resolve_user_name(variable: impl Fn(&str) -> Option<String>, uid: u32, passwd: impl Fn() -> String) -> String {
    let said = |name: &String| !name.trim().is_empty();
    let known = || {
        let passwd = passwd();
        let named = passwd.lines().find_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
        });
        named.filter(said)
    };
    let set = ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|name| variable(name).filter(said));
    set.or_else(known).unwrap_or_else(|| "a person at this machine".into())
}

/// The text in a file, or on standard input.
pub(super) fn read_file_or_stdin(path: &Path) -> Result<String> {
    let shown = if path == Path::new("-") { PathBuf::from("standard input") } else { path.to_owned() };
    let fault =
        |error: std::io::Error| Failure::io(format!("{}: {error}", shown.display()), "name the file with the answer");
    // One byte more than is taken tells that it is too long, without reading all of it.
    let most = ANSWER_BYTES_MAX as u64 + 1;
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        if std::io::stdin().is_terminal() {
            ui::print_error_line("Write the text; a line with Ctrl-D alone ends it.");
        }
        std::io::stdin().lock().take(most).read_to_end(&mut bytes).map_err(fault)?;
    } else {
        std::fs::File::open(path).map_err(fault)?.take(most).read_to_end(&mut bytes).map_err(fault)?;
    }
    let cut = bytes.len() as u64 == most;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // The limit may have cut a character; `outside_seats` refuses the length.
        Err(error) if cut => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        Err(_) => {
            let why = format!("{} is not UTF-8 text", shown.display());
            Err(Failure::new(exit::USAGE, "unusable", why, "write the answer as text"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_acts_has_a_name_also_without_user() {
        let passwd = || "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n".to_owned();
        let set = |wanted: &'static str| move |name: &str| (name == wanted).then(|| "ben".to_owned());
        assert_eq!(resolve_user_name(set("USER"), 1000, passwd), "ben");
        assert_eq!(resolve_user_name(set("LOGNAME"), 1000, passwd), "ben");
        assert_eq!(resolve_user_name(set("USERNAME"), 1000, passwd), "ben");
        assert_eq!(resolve_user_name(|_| Some(" ".into()), 1000, passwd), "ada");
        assert_eq!(resolve_user_name(|_| None, 7, passwd), "a person at this machine");
    }
}

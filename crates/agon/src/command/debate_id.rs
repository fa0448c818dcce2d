//! The debate that a command names: by its id, by the beginning of its id, or as `last`.

use agon_app::{Failure, Result, opening::debate_id};
use agon_core::DebateId;
use agon_journal::Journal;
use agon_report::companion::{self, BASELINE, MIRROR, extraction_ids};

/// What stands for the newest debate; companions of other debates do not count.
const LAST: &str = "last";
/// Fewest characters of the beginning of an id.
const BEGINNING_CHARS_MIN: usize = 4;
/// Candidates that are looked at: with this many, the newest debate is among its companions.
const CANDIDATES_MAX: u32 = 50;
/// Candidates that a message names.
const NAMED_MAX: usize = 5;

/// The debate of `journal` that `named` means. An id that no debate has is given back as it is: the command that reads
/// the debate says that there is none.
///
/// # Errors
///
/// What cannot be an id, `last` in an empty journal, and the beginning of several ids.
pub fn find_debate(journal: &Journal, named: &str) -> Result<DebateId> {
    let id = debate_id(named)?;
    if journal.find_summary(&id)?.is_some() || journal.find_tombstone(&id)?.is_some() {
        return Ok(id);
    }
    let found = match named {
        LAST => journal.list_debates(CANDIDATES_MAX)?,
        _ if named.len() < BEGINNING_CHARS_MIN => return Ok(id),
        _ => journal.list_beginning(&id, CANDIDATES_MAX)?,
    };
    let found: Vec<DebateId> = found.into_iter().map(|debate| debate.id).collect();
    let mut own = found.iter().filter(|id| !found.iter().any(|other| is_companion(id, other)));
    match (own.next(), own.next()) {
        (None, _) if named == LAST => Err(Failure::unknown(
            "this journal has no debates yet",
            "start one, for example: agon run exchange \"This house would …\"",
        )),
        (None, _) => Ok(id),
        (Some(first), Some(_)) if named != LAST => Err(ambiguous_id(named, first, &found)),
        (Some(first), _) => Ok(first.clone()),
    }
}

/// Whether `id` is the name of a companion of `debate`.
fn is_companion(id: &DebateId, debate: &DebateId) -> bool {
    [MIRROR, BASELINE].iter().any(|kind| companion::companion_id(debate, kind) == id.as_str())
        || extraction_ids(debate).any(|extraction| extraction == *id)
}

fn ambiguous_id(named: &str, first: &DebateId, found: &[DebateId]) -> Failure {
    let shown: Vec<&str> = found.iter().take(NAMED_MAX).map(DebateId::as_str).collect();
    let more = if found.len() > NAMED_MAX { ", …" } else { "" };
    let why = format!("{named} is the beginning of several ids: {}{more}", shown.join(", "));
    let remedy = format!("write more of the id, for example {first}");
    Failure::unknown(why, remedy)
}

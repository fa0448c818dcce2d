//! The looks at the files of a duel: before each turn, at the files that a turn cites, and once more
//! before the duel is closed, since a last turn takes as long to compose as any other.

use std::collections::BTreeSet;

use agon_core::{Floor, Flow, Outcome, Request, Ruling, RulingKind, Standing};

use super::{
    DuelState, WITNESS,
    artifact_check::{self, ArtifactState, FileState, SourceState, TurnSnapshot},
    history::InvalidatedBefore,
    outcome, support,
    turn::Contribution,
};
use crate::common::{self, absence::record_warnings};

/// Maximum number of files of one turn that are looked for: a turn has no more places to cite them.
const FILES_MAX: usize = 24;

/// Has the files looked at before the duel is closed as `outcome`, for the `number`th time. A duel
/// whose files someone else changed meanwhile has no result.
pub(super) fn before_close(
    floor: &mut Floor<'_>,
    duel: &mut DuelState,
    number: u32,
    outcome: Outcome,
) -> Flow<Outcome> {
    // Where the last turn was spoken elsewhere nobody was there to look.
    let elsewhere = outcome.absent.is_empty() && duel.history.is_taken(duel.history.turns.len() as u32);
    // What closed with a result closes again as it was, where an extension brought nothing.
    let again = outcome.absent.is_empty() && duel.closed_after == Some(duel.history.turns.len());
    if duel.is_invalidated || elsewhere || again {
        return Ok(outcome);
    }
    let key = format!("close-{number}");
    let Some(why) = inspect_files(floor, duel, &key, "before the duel was closed")? else {
        return Ok(outcome);
    };
    if outcome.standing == Standing::Void {
        record_warnings(floor, &key, WITNESS, &[why])?;
        return Ok(outcome);
    }
    invalidate_duel(floor, duel, &key, "Before the duel was closed", &why)
}

/// Rules that the duel has no result for what is wrong with its files, which was seen `when`.
pub(super) fn invalidate_duel(
    floor: &mut Floor<'_>,
    duel: &mut DuelState,
    key: &str,
    when: &str,
    why: &str,
) -> Flow<Outcome> {
    let before = InvalidatedBefore { turn: duel.history.next() };
    floor.record_ruling(format!("{key}/invalidated"), Ruling::new(RulingKind::Invalidated, why).with_data(before))?;
    duel.is_invalidated = true;
    Ok(outcome::invalid_outcome(&duel.history, when, why))
}

/// Has the files looked for that the turn `said` cites in addition to the document: what is nowhere stands,
/// with a warning.
pub(super) fn at_cited(floor: &mut Floor<'_>, turn: u32, name: &str, said: &Contribution) -> Flow<()> {
    let document = super::source::file_name(super::history::source_path(floor.opened())).to_lowercase();
    // What is said of the document is looked up in it.
    let of_files = said.support().filter(|entry| !entry.to_lowercase().contains(&document));
    let (mut told, files) = (BTreeSet::new(), of_files.flat_map(|entry| support::find_cited_files(entry)));
    let files: Vec<&str> = files.filter(|file| told.insert(*file)).take(FILES_MAX).collect();
    if files.is_empty() {
        return Ok(());
    }
    let key = format!("turn-{turn}/files");
    let request =
        Request::new(&key, &common::named_seat(WITNESS), "").with_fact("turn", turn).with_fact("files", files.clone());
    let states = artifact_check::read_files(&floor.ask_seat(request.or_absent())?.reply, &files);
    let warnings = match states {
        Err(why) => vec![format!("nobody looked for {}: {why}", files.join(", "))],
        Ok(states) => {
            let said = files
                .iter()
                .zip(states)
                .filter_map(|(file, state)| Some(format!("{file} {}", describe_file_state(state)?)));
            said.collect()
        }
    };
    record_warnings(floor, &key, name, &warnings)
}

/// What is said of a file that is cited.
fn describe_file_state(state: FileState) -> Option<&'static str> {
    match state {
        FileState::There => None,
        FileState::Missing => Some("is cited as support, and there is no such file"),
        FileState::Shorter => Some("is cited as support, and the file has no such line"),
        FileState::Outside => {
            Some("is cited as support; nobody looked for it, since it does not lie with the document")
        }
    }
}

/// Has document and artifact looked at. Gives the reason where the duel cannot continue.
pub(super) fn inspect_files(
    floor: &mut Floor<'_>,
    duel: &mut DuelState,
    key: &str,
    when: &str,
) -> Flow<Option<String>> {
    if floor.document("source").is_none() {
        return Ok(Some("The source document is not stored with the duel, so no evidence can be checked.".into()));
    }
    let key = format!("{key}/witness");
    let request =
        Request::new(&key, &common::named_seat(WITNESS), "").with_fact("turn", duel.history.next()).or_absent();
    let TurnSnapshot { source, artifact } = match artifact_check::parse_reply(&floor.ask_seat(request)?.reply) {
        Ok(snapshot) => snapshot,
        Err(why) => {
            let warning = format!("nobody looked at source and artifact {when}: {why}");
            record_warnings(floor, &key, WITNESS, &[warning])?;
            return Ok(None);
        }
    };
    if source == SourceState::Unreadable {
        return Ok(Some("The source document cannot be read any more.".into()));
    }
    if artifact == ArtifactState::Changed {
        return Ok(Some("Somebody else changed the debate artifact; the original is kept.".into()));
    }
    let mut warnings = Vec::new();
    if source == SourceState::Changed && !duel.told_of_change {
        duel.told_of_change = true;
        warnings.push("the source document was changed; evidence is checked against the copy of the opening".into());
    }
    if artifact == ArtifactState::Absent && !duel.history.turns.is_empty() {
        warnings.push("the debate artifact was gone; it is written again from the record".into());
    }
    record_warnings(floor, &key, WITNESS, &warnings)?;
    Ok(None)
}

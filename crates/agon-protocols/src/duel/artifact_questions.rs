//! The looks at the files of a duel: before each turn, at the files that a turn cites, and once more
//! before the duel is closed, since a last turn takes as long to compose as any other.

use std::collections::BTreeSet;

use agon_core::{Floor, Flow, Outcome, Request, Ruling, RulingKind, Standing};

use super::{
    DuelState,
    artifact_check::{self, ArtifactState, FileState, SourceState, TurnSnapshot},
    outcome,
    state::InvalidatedBefore,
    support,
    turn::Contribution,
};
use crate::common::{self, WITNESS, absence::record_warnings};

/// Maximum number of files of one turn that are looked for: a turn has no more places to cite them.
const FILES_MAX: usize = 24;

impl DuelState {
    /// Has the files looked at before the duel is closed as `outcome`, for the `number`th time. A duel
    /// whose files someone else changed meanwhile has no result.
    pub(super) fn look_before_close(&mut self, floor: &mut Floor<'_>, number: u32, outcome: Outcome) -> Flow<Outcome> {
        let turns = self.history.turns.len();
        // Where the last turn was spoken elsewhere nobody was there to look; and what closed with a result closes
        // again as it was, where an extension brought nothing.
        let is_known = self.history.is_taken(turns as u32) || self.closed_after == Some(turns);
        if self.is_invalidated || (outcome.absent.is_empty() && is_known) {
            return Ok(outcome);
        }
        let key = format!("close-{number}");
        match self.inspect_files(floor, &key, "before the duel was closed")? {
            Some(why) if outcome.standing == Standing::Valid => {
                self.invalidate_duel(floor, &key, "Before the duel was closed", &why)
            }
            why => {
                record_warnings(floor, &key, WITNESS, why.as_slice())?;
                Ok(outcome)
            }
        }
    }

    /// Rules that the duel has no result for what is wrong with its files, which was seen `when`.
    pub(super) fn invalidate_duel(&mut self, floor: &mut Floor<'_>, key: &str, when: &str, why: &str) -> Flow<Outcome> {
        let before = InvalidatedBefore { turn: self.history.next() };
        floor
            .record_ruling(format!("{key}/invalidated"), Ruling::new(RulingKind::Invalidated, why).with_data(before))?;
        self.is_invalidated = true;
        Ok(outcome::invalid_outcome(&self.history, when, why))
    }

    /// Has document and artifact looked at. Gives the reason where the duel cannot continue.
    pub(super) fn inspect_files(&mut self, floor: &mut Floor<'_>, key: &str, when: &str) -> Flow<Option<String>> {
        if floor.document("source").is_none() {
            return Ok(Some("The source document is not stored with the duel, so no evidence can be checked.".into()));
        }
        let key = format!("{key}/witness");
        let request = Request::new(&key, &common::named_seat(WITNESS), "").with_fact("turn", self.history.next());
        let seen: Result<TurnSnapshot, _> = artifact_check::parse_reply(&floor.ask_seat(request.or_absent())?.reply);
        let mut warnings: Vec<String> = Vec::new();
        match seen {
            Err(why) => warnings.push(format!("nobody looked at source and artifact {when}: {why}")),
            Ok(TurnSnapshot { source: SourceState::Unreadable, .. }) => {
                return Ok(Some("The source document cannot be read any more.".into()));
            }
            Ok(TurnSnapshot { artifact: ArtifactState::Changed, .. }) => {
                return Ok(Some("Somebody else changed the debate artifact; the original is kept.".into()));
            }
            Ok(TurnSnapshot { source, artifact }) => {
                if source == SourceState::Changed && !self.told_of_change {
                    self.told_of_change = true;
                    let text = "the source document was changed; evidence is checked against the copy of the opening";
                    warnings.push(text.into());
                }
                if artifact == ArtifactState::Absent && !self.history.turns.is_empty() {
                    warnings.push("the debate artifact was gone; it is written again from the record".into());
                }
            }
        }
        record_warnings(floor, &key, WITNESS, &warnings)?;
        Ok(None)
    }
}

/// Has the files looked for that the turn `said` cites in addition to the document: what is nowhere stands,
/// with a warning.
pub(super) fn at_cited(floor: &mut Floor<'_>, turn: u32, name: &str, said: &Contribution) -> Flow<()> {
    let document = common::citable_document::file_name(super::state::source_path(floor.opened())).to_lowercase();
    // What is said of the document is looked up in it.
    let of_files = said.support().filter(|entry| !entry.to_lowercase().contains(&document));
    let (mut told, files) = (BTreeSet::new(), of_files.flat_map(|entry| support::find_cited_files(entry)));
    let files: Vec<&str> = files.filter(|file| told.insert(*file)).take(FILES_MAX).collect();
    if files.is_empty() {
        return Ok(());
    }
    let key = format!("turn-{turn}/files");
    let request = Request::new(&key, &common::named_seat(WITNESS), "").with_fact("turn", turn);
    let request = request.with_fact("files", files.clone()).or_absent();
    let states = artifact_check::read_files(&floor.ask_seat(request)?.reply, &files);
    let warnings = match states {
        Err(why) => vec![format!("nobody looked for {}: {why}", files.join(", "))],
        Ok(states) => {
            let states = files.iter().zip(states);
            states.filter_map(|(file, state)| Some(format!("{file} {}", describe_file_state(state)?))).collect()
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

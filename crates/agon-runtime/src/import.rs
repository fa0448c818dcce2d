//! A debate out of files of other programs, put on a record by stepping its script: what the files hold
//! answers the requests that the script asks, so that the record follows from its rules like any other.

use std::collections::BTreeMap;

use agon_core::{Answered, Digest, Event, Opened, Protocol, Record, Reply};
use agon_journal::seal_entry;

use crate::drive::{
    DriveError,
    ledger::{Next, seal_decisions},
};

/// A debate that was taken over.
#[derive(Debug)]
pub struct ImportedDebate {
    /// Its record.
    pub record: Record,
    /// Keys of answers that the script never asked for.
    pub unasked: Vec<String>,
    /// Keys of what it asks and the files do not answer.
    pub open: Vec<String>,
}

/// Opens a debate in memory and answers what its script asks, as long as `answers` has them. Nothing is
/// stored.
pub fn import_debate(
    protocol: &dyn Protocol,
    opened: Opened,
    documents: &BTreeMap<Digest, String>,
    mut answers: BTreeMap<String, Reply>,
) -> Result<ImportedDebate, DriveError> {
    let mut record = Record::open(opened, agon_journal::time::current_stamp())?.with_documents(documents);
    let mut sealed = Vec::new();
    loop {
        let open = match seal_decisions(protocol, &mut record, &mut sealed)? {
            Next::Await(open) => open,
            Next::Closed(_) => Vec::new(),
        };
        let mut unanswered = Vec::new();
        let mut answered = false;
        for request in open {
            match answers.remove(request.key.as_str()) {
                Some(reply) => {
                    seal_entry(&mut record, Event::Answered(Answered::from_import(request.key, reply)))?;
                    answered = true;
                }
                // What no participant answers is not waited for by anyone.
                None if request.prompt.is_empty() => {}
                None => unanswered.push(request.key.to_string()),
            }
        }
        if !answered {
            return Ok(ImportedDebate { record, unasked: answers.into_keys().collect(), open: unanswered });
        }
    }
}

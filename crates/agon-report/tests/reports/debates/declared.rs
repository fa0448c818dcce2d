//! A debate by a protocol that a file declares, in which everybody answers with a sample.

#[path = "../../common/drive.rs"]
mod drive;

use std::collections::BTreeMap;

use agon_core::{Answerer, Digest, Protocol, Record, Reply, Request, Stamp, Usage, sample};
use agon_protocols::declared;

pub const DELPHI: &str = include_str!("../../../../../examples/protocols/delphi.toml");
pub const PRE_MORTEM: &str = include_str!("../../../../../examples/protocols/pre-mortem.toml");

/// A whole debate of two rounds by the protocol that `text` declares.
pub fn debate(text: &str) -> Record {
    let declaration = declared::parse_declaration(text).unwrap();
    let protocol = declared::intern_protocol(text, &declaration, &BTreeMap::new()).unwrap();
    let at = || Stamp("2026-03-01T00:00:00.000Z".into());
    let mut opened = sample::opened_for(protocol.manifest());
    opened.limits.rounds = protocol.manifest().rounds.max.min(2);
    opened.documents.insert(declared::DOCUMENT.into(), Digest::from_content(text));
    let documents = BTreeMap::from([(Digest::from_content(text), text.to_owned())]);
    let mut record = Record::open(opened, at()).unwrap().with_documents(&documents);
    let by = |_: &Request| (Answerer::default(), Usage::default());
    drive::drive(
        protocol,
        &mut record,
        |_| at(),
        by,
        |request, view| {
            let schema = protocol.answer_schema(view, request);
            let seed = request.key.as_str().bytes().map(u64::from).sum();
            Some(Reply::Said { text: sample::sample_answer(schema.as_ref(), seed) })
        },
    );
    record
}

//! Debates as resources: `agon://debates/ID/transcript`, `…/report` and `…/record`.

use agon_core::{DebateId, Record};
use agon_protocols::common::struck_text::Withheld;
use agon_report::record_jsonl;
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};

use crate::{
    Debates,
    refusal::{Result, ToolRefusal},
};

/// Debates whose resources are listed; others are read by their address.
pub(crate) const LISTED_MAX: u32 = 100;
const ROOT: &str = "agon://debates/";
/// What there is of each debate: its name, what it is, its type.
const PARTS: [(&str, &str, &str); 3] = [
    ("transcript", "Transcript of the whole debate", "text/markdown"),
    ("report", "The outcome", "text/plain"),
    ("record", "The hash-chained record, one entry per line", "application/jsonl"),
];

pub(crate) fn list_templates() -> Vec<ResourceTemplate> {
    let template = |(part, about, mime): (&str, &str, &str)| {
        ResourceTemplate::new(format!("{ROOT}{{debate}}/{part}"), part).with_description(about).with_mime_type(mime)
    };
    PARTS.into_iter().map(template).collect()
}

impl Debates {
    pub(crate) fn collect_resources(&self) -> Result<Vec<Resource>, ErrorData> {
        let debates = self.list_summaries(LISTED_MAX).map_err(|error| refusal_error(error.into()))?;
        let listed = debates.iter().flat_map(|debate| {
            let motion: String = debate.motion.split_whitespace().collect::<Vec<_>>().join(" ");
            let motion: String = motion.chars().take(80).collect();
            // A report is there once the debate is closed.
            let parts = PARTS.into_iter().filter(|(part, ..)| *part != "report" || debate.outcome.is_some());
            parts.map(move |(part, about, mime)| {
                Resource::new(format!("{ROOT}{}/{part}", debate.id), format!("{} {part}", debate.id))
                    .with_title(motion.clone())
                    .with_description(about)
                    .with_mime_type(mime)
            })
        });
        Ok(listed.collect())
    }

    pub(crate) fn load_resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let shown: String = uri.chars().take(120).collect();
        let missing = || ErrorData::resource_not_found(format!("unknown resource {shown:?}"), None);
        let (id, part) = uri.strip_prefix(ROOT).and_then(|rest| rest.split_once('/')).ok_or_else(missing)?;
        let (.., mime) = PARTS.into_iter().find(|(name, ..)| *name == part).ok_or_else(missing)?;
        let id = DebateId::new(id).map_err(|_| missing())?;
        // A debate that the person may not read is one that does not exist.
        if !self.can_read_debate(&id)
            || self.journal.find_summary(&id).map_err(|error| refusal_error(error.into()))?.is_none()
        {
            return Err(missing());
        }
        let text = match part {
            "transcript" => self.transcript_of(&id),
            "report" => self.render_report(&id),
            _ => self.load_readable_record(&id).and_then(|record| self.whole_record(&record)),
        };
        let content = ResourceContents::text(text.map_err(refusal_error)?, uri).with_mime_type(mime);
        Ok(ReadResourceResult::new(vec![content]))
    }

    fn render_report(&self, id: &DebateId) -> Result<String> {
        let record = self.load_shown_record(id)?;
        let format = agon_report::find_format(&record.opened().protocol);
        let report = format.and_then(|format| format.render_completion(&record));
        let summary = record.closing_outcome().map(|outcome| outcome.render_summary());
        Ok(report.or(summary).unwrap_or_else(|| format!("{id} is not closed")))
    }

    /// The record as a file; refused where something of it may not be shown, since it would not verify
    /// without that.
    pub(crate) fn whole_record(&self, record: &Record) -> Result<String> {
        if Withheld::from_record(record).withholds_record() {
            let id = &record.opened().debate;
            let why = format!(
                "a text of this debate was struck, or material for one seat was looked up, so its record is not served; the journal's owner can export it with agon export {id} --format record"
            );
            return Err(ToolRefusal::new("withheld", why));
        }
        let texts = self.journal.read_texts(record.list_text_digests())?;
        Ok(record_jsonl::write_record(record, &texts))
    }
}

fn refusal_error(refusal: ToolRefusal) -> ErrorData {
    match refusal {
        ToolRefusal::Malformed(why) => ErrorData::invalid_params(why, None),
        ToolRefusal::Refused { code, message, .. } => ErrorData::internal_error(format!("{code}: {message}"), None),
    }
}

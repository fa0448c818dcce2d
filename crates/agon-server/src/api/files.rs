//! A debate's files, drawn from its record at every request and never read from a disk.

use agon_protocols::common::struck_text::{self, Withheld};
use agon_report::{File, companion, record_jsonl};
use axum::{
    extract::State as FromState,
    http::header,
    response::{IntoResponse, Response},
};

use super::{
    ApiResult,
    input::PathParams,
    shape::{FileLine, Refused},
};
use crate::{Refusal, RouteContext, State};

/// Name of the file that holds the whole record, redacted texts included.
pub(crate) const RECORD: &str = "record.jsonl";

/// Every file of a debate as it may be shown. A record with something struck is not a file that is served: with
/// it, it may not be shown, and without it, it does not verify.
pub fn render_served_files(shared: &RouteContext, id: &agon_core::DebateId) -> Result<Vec<File>, Refusal> {
    let record = shared.read_readable_record(id)?;
    let texts = shared.journal.read_texts(record.list_text_digests())?;
    let extraction = companion::find_extraction(&record, |id| shared.journal.find_record(id))?;
    let mut files = agon_report::render_debate_files(&struck_text::publishable_record(&record), extraction.as_ref());
    if !Withheld::from_record(&record).withholds_record() {
        files.push(File::new(RECORD, record_jsonl::write_record(&record, &texts)));
    }
    Ok(files)
}

#[utoipa::path(get, path = "/api/v1/debates/{id}/files", operation_id = "listFiles", tag = "files",
    params(("id" = String, Path, description = "The debate")),
    responses((status = 200, description = "The files of the debate", body = Vec<FileLine>)))]
pub async fn list_files(FromState(shared): FromState<State>, at: PathParams) -> ApiResult {
    let files = shared.run_blocking(move |shared| render_served_files(shared, &at.id)).await?;
    let lines = files.into_iter().map(|file| FileLine { bytes: file.content.len(), path: file.path });
    super::json_response(lines.collect::<Vec<_>>())
}

#[utoipa::path(get, path = "/api/v1/debates/{id}/files/{path}", operation_id = "showFile", tag = "files",
    params(("id" = String, Path, description = "The debate"),
        ("path" = String, Path, description = "A path from the list of files; do not encode its slashes")),
    responses((status = 200, description = "The file, with its media type", content(
            (String = "text/plain"), (String = "text/markdown"), (serde_json::Value = "application/json"), (String = "application/x-ndjson"))),
        (status = 404, description = "No such debate, no such file, or a withheld record", body = Refused)))]
pub async fn show_file(FromState(shared): FromState<State>, at: PathParams) -> ApiResult {
    let path = at.path.clone();
    let files = shared.run_blocking(move |shared| render_served_files(shared, &at.id)).await?;
    // Paths are compared and never opened.
    match files.into_iter().find(|file| file.path == path) {
        Some(file) => Ok(file_response(file)),
        None if path == RECORD => {
            let why = "a text of this debate was struck, so its record is not served";
            let remedy = "the journal's owner can export it: agon export ID --format record";
            Err(Refusal::new(404, "withheld", why, remedy))
        }
        None => {
            let path: String = path.chars().take(200).collect();
            let why = format!("this debate has no file {path:?}");
            Err(Refusal::new(404, "no_such_file", why, "see the list of its files"))
        }
    }
}

#[utoipa::path(get, path = "/api/v1/debates/{id}/transcript", operation_id = "showTranscript", tag = "files",
    params(("id" = String, Path, description = "The debate")),
    responses((status = 200, description = "The debate as Markdown", body = String, content_type = "text/markdown")))]
pub async fn show_transcript(FromState(shared): FromState<State>, at: PathParams) -> ApiResult {
    let drawn = shared.run_blocking(move |shared| {
        let record = shared.read_shown_record(&at.id)?;
        let format = agon_report::find_format("transcript");
        Ok(format.into_iter().flat_map(|format| format.render_files(&record)).next())
    });
    let nothing = || Refusal::new(404, "no_such_file", "this debate has no transcript", "");
    drawn.await?.map(file_response).ok_or_else(nothing)
}

/// A file, with a media type that browsers do not execute.
fn file_response(file: File) -> Response {
    let kind = match file.path.rsplit_once('.').map(|(_, end)| end) {
        Some("md") => "text/markdown; charset=utf-8",
        Some("json") => "application/json",
        Some("jsonl") => "application/x-ndjson",
        _ => "text/plain; charset=utf-8",
    };
    ([(header::CONTENT_TYPE, kind)], file.content).into_response()
}

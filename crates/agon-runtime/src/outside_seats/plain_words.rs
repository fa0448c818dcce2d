//! Plain words at an outside seat: turns them into an answer before anything is recorded.

use agon_core::{
    Failed, FailureKind, Key, Record, Reply, Request, View,
    form::{self, Fitted, FormField},
    parse,
};
use agon_journal::leases::Receipt;
use serde_json::Value;

use super::{Claimant, OutsideSeatError, OutsideSeats};
use crate::prompts::description::labelled_schema;

impl OutsideSeats<'_> {
    /// Leaves out what is asked of a seat, where its protocol lets a person do so.
    pub async fn skip_request<'b>(
        &self,
        key: Option<&Key>,
        seat: &str,
        holder: impl Into<Claimant<'b>>,
    ) -> Result<Receipt, OutsideSeatError> {
        let holder = holder.into();
        let (at, who) = (self.find_seat(seat)?, super::parse_holder_name(holder)?);
        let open = self.open_at(&at, None).await?;
        let request = &open.request;
        if let Some(act) = self.journal.read_record(self.debate)?.find_pause() {
            return Err(OutsideSeatError::Paused(act.describe_act(), None));
        }
        if key.is_some_and(|key| *key != request.key) {
            let next = Some(at.to_string());
            return Err(OutsideSeatError::NotOpen { seat: at, next, kept: None });
        }
        let plain = self.protocol.human_prompts().get(&request.prompt);
        let Some(skip) = plain.and_then(|plain| plain.skip.as_ref()) else {
            return Err(OutsideSeatError::NotAllowed("this request cannot be skipped; it needs an answer".into()));
        };
        let reply = match &skip.answer {
            Some(answer) => Reply::Said { text: answer.clone() },
            None => Reply::Failed(Failed { kind: FailureKind::Empty, detail: format!("{who} skipped it") }),
        };
        let claim = self.claim_seat(seat, holder, super::ANSWERING_SECONDS).await?;
        let receipt = self.submit_reply(request, &at, &claim.token, reply, "").await;
        let _ = self.release_seat(seat, &claim.token).await;
        receipt
    }

    /// What `text` means as the answer to `request`, which is open in `record`. A program's JSON is passed on
    /// as it is, for the rules to look at; words must make a statement that stands.
    pub(super) fn interpret_answer(
        &self,
        record: &Record,
        request: &Request,
        text: &str,
    ) -> Result<String, OutsideSeatError> {
        let Some(said) = self.form_of(record, request, text) else { return Ok(text.to_owned()) };
        // A program may say something around an answer that stands.
        if parse::parse_json_answer(text).is_ok() && self.find_objections(record, request, text).is_empty() {
            return Ok(text.to_owned());
        }
        let said = said.map_err(OutsideSeatError::Unusable)?;
        let faults = self.find_objections(record, request, &said);
        if faults.is_empty() {
            return Ok(said);
        }
        let faults: Vec<String> = faults.iter().map(|(_, fault)| fault.to_string()).collect();
        Err(OutsideSeatError::Unusable(faults.join("; ")))
    }

    /// The form that plain words fill, or what is missing in them; `None` for prose, and for JSON.
    pub(super) fn form_of(&self, record: &Record, request: &Request, text: &str) -> Option<Result<String, String>> {
        let schema = labelled_schema(self.protocol, &View::new(record, request), request)?;
        if is_json(text) {
            return None;
        }
        let plain = self.protocol.human_prompts().get(&request.prompt);
        let skip = plain.and_then(|plain| plain.skip.as_ref()?.answer.as_ref());
        let form = schema.merge_variants();
        let is_nothing = form::says_nothing(&form, text);
        if let Some(answer) = skip.filter(|_| is_nothing) {
            return Some(Ok(answer.clone()));
        }
        if let Some(nothing) = form.empty_statement().filter(|_| is_nothing) {
            return Some(Ok(nothing.to_string()));
        }
        Some(match form::fit_words(&form, plain, text) {
            Fitted::Statement(value) => match form::check_statement(&form, &value) {
                faults if faults.is_empty() => Ok(value.to_string()),
                faults => Err(faults.join("; ")),
            },
            Fitted::Which(field, choices) => {
                Err(format!("{field}: the answer is ambiguous; name one of {}", choices.join(", ")))
            }
            Fitted::Unfit(_) => Err(describe_unfit(&form, text)),
        })
    }
}

/// The number of members of the longest list in an answer that is JSON.
pub(super) fn longest_list(text: &str) -> Option<usize> {
    fn longest(value: &Value) -> usize {
        let (items, fields) = (value.as_array().into_iter().flatten(), value.as_object().into_iter().flatten());
        let within: Vec<usize> = items.chain(fields.map(|(_, field)| field)).map(longest).collect();
        within.iter().copied().fold(within.len(), usize::max)
    }
    let is_json = text.trim_start().starts_with(['{', '[', '`']);
    is_json.then(|| parse::parse_json_answer(text).ok()).flatten().map(|value| longest(&value))
}

/// Whether the whole of `text` is JSON, or a fence around it: code that is quoted in plain words has brackets, too.
fn is_json(text: &str) -> bool {
    let text = text.trim();
    let fenced = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let text = fenced.and_then(|inner| inner.split_once('\n')).map_or(text, |(_, inner)| inner);
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object() || value.is_array())
}

fn describe_unfit(form: &FormField, text: &str) -> String {
    let (template, what) = (form::render_template(form), form::describe_misfit(form, text).unwrap_or_default());
    format!("{what}; fill in one line per field, or send JSON:\n{template}")
}

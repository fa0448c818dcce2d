//! Completions for clients: seats for a prompt, debates for a resource.

use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};

use crate::{Debates, resources::LISTED_MAX};

impl Debates {
    /// What the argument may be that begins as it was typed; nothing where anything may stand.
    pub(crate) fn list_completions(&self, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        let wrong = |why: String| ErrorData::internal_error(why, None);
        let all: Vec<String> = match (&request.r#ref, request.argument.name.as_str()) {
            (Reference::Prompt(prompt), "seat") => {
                let kinds = self.list_kinds();
                let seats = kinds.iter().filter(|kind| kind.name == prompt.name).flat_map(|kind| &kind.seats);
                seats.map(|seat| seat.name.clone()).collect()
            }
            (Reference::Resource(_), "debate") => {
                let debates = self.list_summaries(LISTED_MAX).map_err(|error| wrong(error.to_string()))?;
                debates.into_iter().map(|debate| debate.id.to_string()).collect()
            }
            _ => Vec::new(),
        };
        let typed = request.argument.value.as_str();
        let fitting = all.into_iter().filter(|value| value.starts_with(typed));
        let fitting = fitting.take(CompletionInfo::MAX_VALUES).collect();
        CompletionInfo::with_all_values(fitting).map(CompleteResult::new).map_err(wrong)
    }
}

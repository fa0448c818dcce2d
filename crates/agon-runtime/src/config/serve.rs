//! `[serve]`: what the debates of a server may use, and what it does when it starts again. Only the user's own
//! configuration may say so.

use serde::Deserialize;

use crate::value_fault::{ValueFault, refuse_found, refuse_if};

/// Most entries of the list of models.
const MODELS_MAX: usize = 200;

/// The section `[serve]` of the user's configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServeConfig {
    /// Models that the debates of a server may name, as `local`, `openai:gpt-5` or `openai:*`; without it, what the
    /// configuration and the keys of the environment set up.
    pub models: Option<Vec<String>>,
    /// Whether a debate may download the embedded model.
    pub download: bool,
    /// Whether a server that starts again continues the debates that it drove when it ended; without it, where it has
    /// accounts.
    pub resume: Option<bool>,
}

impl ServeConfig {
    /// Refuses the first field whose value cannot be meant.
    pub(super) fn check(&self) -> Result<(), ValueFault> {
        let models = self.models.as_deref().unwrap_or_default();
        let wrong = models.iter().find(|name| {
            let name = name.strip_suffix('*').unwrap_or(name);
            name.contains('*') || name.trim() != name || name.len() > 200
        });
        refuse_found(wrong, "models", |name| {
            format!("{name:?} is not the name of a model; * stands at the end alone")
        })?;
        let why = format!("at most {MODELS_MAX} entries are allowed");
        refuse_if(models.len() > MODELS_MAX, "models", why)
    }

    /// Whether the list names the model `name`, without its settings; `None` where there is not a list.
    pub fn is_model_listed(&self, name: &str) -> Option<bool> {
        let is_meant = |entry: &String| match entry.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => entry == name,
        };
        Some(self.models.as_ref()?.iter().any(is_meant))
    }
}

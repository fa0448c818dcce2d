//! What is wrong with a value of the configuration, or of a catalogue.

/// A value that cannot be meant.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {why}")]
pub(crate) struct ValueFault {
    /// The key of the value, below the section that was checked.
    pub key: String,
    /// What is wrong with it.
    pub why: String,
}

impl ValueFault {
    /// The same fault, with its key below `section`.
    pub(crate) fn within_section(self, section: &str) -> Self {
        Self { key: format!("{section}.{}", self.key), ..self }
    }
}

/// Refuses the value of `key` where it is wrong.
pub(crate) fn refuse_if(is_wrong: bool, key: &str, why: impl Into<String>) -> Result<(), ValueFault> {
    if is_wrong { Err(ValueFault { key: key.into(), why: why.into() }) } else { Ok(()) }
}

/// Refuses the value of `key` where a part of it was found to be wrong.
pub(crate) fn refuse_found<T>(wrong: Option<T>, key: &str, why: impl FnOnce(T) -> String) -> Result<(), ValueFault> {
    wrong.map_or(Ok(()), |wrong| refuse_if(true, key, why(wrong)))
}

/// Whether an address is one of the web, by its beginning.
pub(crate) fn is_web_address(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

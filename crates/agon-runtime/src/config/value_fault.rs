//! What is wrong with a value of the configuration.

/// A value that cannot be meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ValueFault {
    /// The key of the value, below the section that was checked.
    pub key: String,
    /// What is wrong with it.
    pub why: String,
}

impl ValueFault {
    /// The same fault, with its key below `section`.
    pub(super) fn within_section(self, section: &str) -> Self {
        Self { key: format!("{section}.{}", self.key), ..self }
    }
}

/// Refuses the value of `key` where it is wrong.
pub(super) fn refuse_if(is_wrong: bool, key: &str, why: impl Into<String>) -> Result<(), ValueFault> {
    if is_wrong { Err(ValueFault { key: key.into(), why: why.into() }) } else { Ok(()) }
}

/// Refuses the value of `key` where a part of it was found to be wrong.
pub(super) fn refuse_found<T>(wrong: Option<T>, key: &str, why: impl FnOnce(T) -> String) -> Result<(), ValueFault> {
    wrong.map_or(Ok(()), |wrong| refuse_if(true, key, why(wrong)))
}

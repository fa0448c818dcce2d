//! Lookups: what a seat looked up while it answered.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::Digest;

/// What was to be looked up, and by which tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(tag = "tool", rename_all = "lowercase", deny_unknown_fields)]
#[strum(serialize_all = "lowercase")]
pub enum LookupRequest {
    /// Passages of the material that have these words.
    Search {
        /// Words, names or a path.
        words: String,
    },
    /// Lines of a file of the material.
    Read {
        /// As the material lists it.
        path: String,
        /// The first line, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<u32>,
        /// The last line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<u32>,
    },
    /// The text of a page.
    Open {
        /// Its address.
        address: String,
        /// From which character of its text on, where it was read in part before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<u32>,
    },
    /// Addresses of pages, by a search service.
    Find {
        /// What is searched for.
        query: String,
    },
}

impl LookupRequest {
    /// The name of its tool.
    pub fn tool(&self) -> &'static str {
        self.into()
    }

    /// What it asked for, for a reader: the words, the place or the address.
    pub fn describe_object(&self) -> String {
        match self {
            Self::Search { words } => words.clone(),
            Self::Find { query } => query.clone(),
            Self::Open { address, from: None } => address.clone(),
            Self::Open { address, from: Some(from) } => format!("{address} (from character {from})"),
            Self::Read { path, first: None, last: None } => path.clone(),
            Self::Read { path, first, last: Some(last) } => format!("{path}:{}-{last}", first.unwrap_or(1)),
            Self::Read { path, first: Some(first), last: None } => format!("{path}:{first}"),
        }
    }
}

/// A lookup that was made, in the answer that it served. Its result lies in the store by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lookup {
    /// What was asked for.
    pub asked: LookupRequest,
    /// Digest of what the seat was shown.
    pub result: Digest,
    /// Bytes of that.
    pub bytes: u64,
    /// Whether there was nothing to show: no such file, a page that cannot be opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lookup_is_told_by_its_object_and_reads_back() {
        let read = |first, last| LookupRequest::Read { path: "src/a.rs".into(), first, last };
        for (asked, told) in [
            (read(None, None), "src/a.rs"),
            (read(Some(3), Some(9)), "src/a.rs:3-9"),
            (read(Some(3), None), "src/a.rs:3"),
            (read(None, Some(9)), "src/a.rs:1-9"),
            (LookupRequest::Search { words: "日本 fn".into() }, "日本 fn"),
            (LookupRequest::Open { address: "https://a.b/".into(), from: Some(8) }, "https://a.b/ (from character 8)"),
        ] {
            assert_eq!(asked.describe_object(), told);
            let lookup = Lookup { asked, result: Digest::from_content("x"), bytes: 1, failed: false };
            let json = serde_json::to_string(&lookup).unwrap();
            assert_eq!(serde_json::from_str::<Lookup>(&json).unwrap(), lookup, "{json}");
        }
    }
}

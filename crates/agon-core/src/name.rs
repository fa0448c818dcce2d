//! Identifiers: of a debate, of a seat, of a request.
//!
//! They become file names, SQL values and prompt text, so their alphabet is narrow and checked at
//! the door: no name can leave a directory, forge a heading or carry an escape.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// Longest debate id and seat name, in bytes.
pub const NAME_BYTES_MAX: usize = 64;
/// Longest key, in bytes.
pub const KEY_BYTES_MAX: usize = 200;

/// A name that breaks the rule of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {name:?} is not allowed: {rule}")]
pub struct NameError {
    /// What was being named.
    pub what: &'static str,
    /// The name as it was given, shortened to 80 characters.
    pub name: String,
    /// The rule it breaks.
    pub rule: &'static str,
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $what:literal, $rule:literal, $valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        // Shared: a name is copied at every step and never changed.
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks and takes a name.
            pub fn new(name: impl Into<String>) -> Result<Self, NameError> {
                let name: String = name.into();
                let valid: fn(&str) -> bool = $valid;
                if valid(&name) {
                    Ok(Self(name.into()))
                } else {
                    let name = name.chars().take(80).collect();
                    Err(NameError { what: $what, name, rule: $rule })
                }
            }
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl TryFrom<String> for $name {
            type Error = NameError;
            fn try_from(text: String) -> Result<Self, NameError> {
                Self::new(text)
            }
        }
        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0.to_string()
            }
        }
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

name!(
    /// Names one debate: `[a-z0-9-]`, 1 to 64 bytes.
    DebateId,
    "debate id",
    "use 1 to 64 of a-z, 0-9 and -",
    is_segment
);
name!(
    /// Names one seat of a debate: `[a-z0-9-]`, 1 to 64 bytes.
    Seat,
    "seat",
    "use 1 to 64 of a-z, 0-9 and -",
    is_segment
);
name!(
    /// Names one request of a debate for ever, for example `exchange-001/opposition`: segments of
    /// `[a-z0-9-]` joined by `/`, at most 200 bytes. Identity, idempotency key and file-name stem
    /// at once.
    Key,
    "key",
    "use segments of a-z, 0-9 and -, joined by /, 200 bytes at most",
    |key| key.len() <= KEY_BYTES_MAX && key.split('/').all(is_segment)
);

impl Key {
    /// A key that a script builds out of its own checked parts. Whatever does not belong into a
    /// key becomes `-`, so that a script never fails for the name of a seat.
    pub fn from_parts(parts: impl AsRef<str>) -> Self {
        let mut key = String::new();
        for part in parts.as_ref().split('/') {
            let plain = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
            let part: String = part.chars().map(plain).take(NAME_BYTES_MAX).collect();
            let part = if part.is_empty() { "-" } else { &part };
            if key.len() + 1 + part.len() <= KEY_BYTES_MAX {
                let slash = if key.is_empty() { "" } else { "/" };
                key.push_str(slash);
                key.push_str(part);
            }
        }
        Self(key.into())
    }
}

fn is_segment(name: &str) -> bool {
    (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_directory() {
        for bad in ["", "..", "a/../b", "/a", "a/", "A", "a b", "a\u{1b}[2J", "ä", &"x".repeat(65)] {
            assert!(DebateId::new(bad).is_err(), "{bad:?}");
            assert!(Seat::new(bad).is_err(), "{bad:?}");
        }
        for bad in ["", "a//b", "/a", "a/", "a/..", &"a/".repeat(101)] {
            assert!(Key::new(bad).is_err(), "{bad:?}");
        }
        assert!(Key::new("round-2/critique/claude").is_ok());
    }

    #[test]
    fn a_built_key_is_always_a_key() {
        assert_eq!(Key::from_parts("Round 1/Ä").as_str(), "-ound-1/-");
        for odd in ["", "a//b", "/", &"x".repeat(100), &"a/".repeat(300)] {
            assert!(Key::new(Key::from_parts(odd).as_str()).is_ok(), "{odd:?}");
        }
    }
}

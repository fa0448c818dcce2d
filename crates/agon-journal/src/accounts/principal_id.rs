//! The id of a person: what records name, and what is left of a deleted account.

use std::{fmt, str::FromStr};

use serde_with::{DeserializeFromStr, SerializeDisplay};

/// What the id of a proved person begins with where records name who acted. No claimed name may begin so.
pub const PERSON_PREFIX: &str = "person:";

/// The id of a person: `p-` and 16 hexadecimal digits. It is random and not a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, DeserializeFromStr, SerializeDisplay)]
pub struct PrincipalId(u64);

/// A text that is not the id of a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the id of an account")]
pub struct PrincipalError(String);

impl PrincipalId {
    /// A new id; `None` where the system gives no randomness.
    pub fn random() -> Option<Self> {
        let mut bytes = [0_u8; 8];
        getrandom::fill(&mut bytes).ok()?;
        Some(Self(u64::from_be_bytes(bytes)))
    }

    /// As records name the person: `person:p-…`.
    pub fn on_record(self) -> String {
        format!("{PERSON_PREFIX}{self}")
    }
}

impl fmt::Display for PrincipalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p-{:016x}", self.0)
    }
}

impl FromStr for PrincipalId {
    type Err = PrincipalError;
    fn from_str(text: &str) -> Result<Self, PrincipalError> {
        let number = text.strip_prefix("p-").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        // In no other way than it is written.
        let known = number.map(Self).filter(|id| id.to_string() == text);
        known.ok_or_else(|| PrincipalError(text.chars().take(80).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written_and_in_no_other_way() {
        let id = PrincipalId::random().unwrap();
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.on_record(), format!("person:{id}"));
        for bad in
            ["", "p-", "p-0", "p-00000000000000000", "p-000000000000000G", "p-+00000000000000f", "P-0000000000000000"]
        {
            assert!(bad.parse::<PrincipalId>().is_err(), "{bad}");
        }
    }
}

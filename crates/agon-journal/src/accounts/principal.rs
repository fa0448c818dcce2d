//! A person as the server knows them: an id that stands on records, and names that can be forgotten.

use agon_core::{Stamp, lookalike::visual_shape};
use serde::{Deserialize, Serialize};

use super::{PERSON_PREFIX, PrincipalId, Quotas};

/// Longest name of an account, in characters.
const NAME_CHARS_MAX: usize = 80;
/// Longest login name, in bytes.
const LOGIN_BYTES_MAX: usize = 64;

/// Whether a person may use the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, strum::IntoStaticStr)]
#[serde(from = "String", rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum PrincipalState {
    /// The person may log in.
    Active,
    /// An administrator keeps the person out; everything else of the account is kept.
    Disabled,
    /// The account was deleted; records still name its id.
    Deleted,
}

impl PrincipalState {
    /// As it is stored.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// As it is stored; an unknown one keeps the person out.
impl From<String> for PrincipalState {
    fn from(name: String) -> Self {
        [Self::Active, Self::Deleted].into_iter().find(|state| state.name() == name).unwrap_or(Self::Disabled)
    }
}

/// An account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Principal {
    /// Its id.
    pub id: PrincipalId,
    /// The name with which the person logs in; none once the account is deleted.
    pub login: Option<String>,
    /// The name that pages show.
    pub display: String,
    /// Whether the person administers the server.
    pub administrator: bool,
    /// Whether the person may use the server.
    pub state: PrincipalState,
    /// When the account was made.
    pub created_at: Stamp,
    /// Whether a password is set.
    pub has_password: bool,
    /// Quotas of this person in place of the server's.
    pub quotas: Quotas,
}

impl Principal {
    /// The state of the account in words.
    pub fn describe_state(&self) -> String {
        let mut words = vec![self.state.name()];
        words.extend(self.administrator.then_some("administrator"));
        words.join(", ")
    }
}

/// How another server, or a proxy, calls a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExternalIdentity {
    /// The issuer of an OpenID Connect login, or `proxy`.
    pub issuer: String,
    /// The name there; it is compared byte by byte.
    pub subject: String,
}

/// An account that is to be made.
#[derive(Debug, Clone, Default)]
pub struct NewPrincipal {
    /// See [`login_name`].
    pub login: String,
    /// See [`display_name`]; the login name where it is empty.
    pub display: String,
    /// The hash of a password, as a PHC string.
    pub password: Option<String>,
    /// Whether the person administers the server.
    pub administrator: bool,
    /// Where else the person logs in.
    pub identity: Option<ExternalIdentity>,
}

/// `name` as a login name: lower case, 1 to 64 letters, digits, `.`, `_`, `-`, `@` and `+`, beginning with a letter
/// or digit; `None` where it is none.
pub fn login_name(name: &str) -> Option<String> {
    let name = name.trim().to_ascii_lowercase();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@+".contains(&byte);
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    // What looks like an id would be taken for one.
    let is_id = name.parse::<PrincipalId>().is_ok();
    (begins && !is_id && name.len() <= LOGIN_BYTES_MAX && name.bytes().all(plain)).then_some(name)
}

/// What pages call a person whose account was deleted, and one whom they do not know; the id follows.
pub const MISSING_NAMES: [&str; 2] = ["deleted account", "unknown account"];

/// `name` as pages show it: one line of 1 to 80 characters; `None` where it is none, or passes itself off as the name
/// of a record or of a missing account.
pub fn display_name(name: &str) -> Option<String> {
    let name = agon_text::strip_invisible(name);
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = name.chars().count();
    let fits = (1..=NAME_CHARS_MAX).contains(&length) && !name.chars().any(char::is_control);
    (fits && !is_reserved(&name)).then_some(name)
}

/// Whether a name begins like that of a proved person, or of an account that is missing, for eyes or for programs.
pub fn is_reserved(name: &str) -> bool {
    let name = agon_text::strip_invisible(name);
    let seen = visual_shape(&name);
    if MISSING_NAMES.iter().any(|missing| seen.starts_with(&visual_shape(missing))) {
        return true;
    }
    let begin: String =
        name.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(PERSON_PREFIX.len()).collect();
    begin.eq_ignore_ascii_case(PERSON_PREFIX)
}

/// How a person can log in, apart from a password.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoginWays {
    /// Number of passkeys.
    pub passkeys: u32,
    /// Number of identities at other servers, and of names in a proxy's header.
    pub identities: u32,
    /// Whether an invitation counts now.
    pub invited: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(login_name(" Ada.L@example.org "), Some("ada.l@example.org".into()));
        for bad in ["", "-ada", "a b", "ada/..", "p-0123456789abcdef", "<ada>", "аda", &"a".repeat(65)] {
            assert_eq!(login_name(bad), None, "{bad}");
        }
        assert_eq!(display_name("  Ada \n Lovelace "), Some("Ada Lovelace".into()));
        for bad in [
            "",
            " ",
            "person:p-0123456789abcdef",
            "PERSON: x",
            "p e r s o n:x",
            &"a".repeat(81),
            "deleted account",
            "Dеleted  Account p-1",
            "unknоwn-account",
        ] {
            assert_eq!(display_name(bad), None, "{bad}");
        }
    }
}

//! Passwords: Argon2id with the library's own costs (19 MiB, 2 passes), stored as PHC strings.

use std::sync::LazyLock;

use agon_runtime::accounts::{AccountError, AccountSecret};
use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};

/// Fewest characters of a password.
pub const PASSWORD_CHARS_MIN: usize = 12;
/// Most bytes of a password.
const PASSWORD_BYTES_MAX: usize = 1024;

/// A password that nobody has: it is checked where there is not such a person, to take as long.
static NOBODY: LazyLock<Option<String>> = LazyLock::new(|| hash(AccountSecret::random("")?.text()));

fn hash(password: &str) -> Option<String> {
    let hash: PasswordHash = Argon2::default().hash_password(password.as_bytes()).ok()?;
    Some(hash.to_string())
}

/// The hash of a new password, as a PHC string.
///
/// # Errors
///
/// Where it has fewer than 12 characters or more than 1024 bytes.
pub fn hash_password(password: &str) -> Result<String, AccountError> {
    if password.chars().count() < PASSWORD_CHARS_MIN || password.len() > PASSWORD_BYTES_MAX {
        let why = format!(
            "a password has at least {PASSWORD_CHARS_MIN} characters and at most {PASSWORD_BYTES_MAX} bytes"
        );
        return Err(AccountError::Unusable(why));
    }
    hash(password).ok_or_else(|| AccountError::Unusable("the password could not be hashed".into()))
}

/// Whether `password` is that of `stored`; never where nothing is stored.
pub(super) fn is_right(stored: Option<&str>, password: &str) -> bool {
    let Some(hash) = stored.or(NOBODY.as_deref()) else { return false };
    let password = if password.len() > PASSWORD_BYTES_MAX { "" } else { password };
    let Ok(parsed) = PasswordHash::new(hash) else { return false };
    let is_same = Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok();
    is_same && stored.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_right_or_wrong_and_is_not_in_its_hash() {
        let hash = hash_password("correct horse battery").unwrap();
        assert!(hash.starts_with("$argon2id$") && !hash.contains("horse"));
        assert!(is_right(Some(&hash), "correct horse battery"));
        for wrong in ["", "correct horse batter", "Correct horse battery", &"x".repeat(2000)] {
            assert!(!is_right(Some(&hash), wrong), "{wrong}");
        }
        assert!(!is_right(None, "correct horse battery"));
        assert!(!is_right(Some("no hash"), ""));
        assert!(hash_password("too short").is_err());
        assert!(hash_password(&"x".repeat(1025)).is_err());
    }
}

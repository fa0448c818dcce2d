//! Who acts at a seat, or on a debate: a name that someone claims, or a person who is proved.

use agon_journal::accounts::PrincipalId;

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimant<'a> {
    /// Someone who calls themselves so.
    Named(&'a str),
    /// A person with an account, as the server has proved; the record names the id.
    Proved(PrincipalId),
}

impl<'a> From<&'a str> for Claimant<'a> {
    fn from(name: &'a str) -> Self {
        Self::Named(name)
    }
}

impl<'a> From<&'a String> for Claimant<'a> {
    fn from(name: &'a String) -> Self {
        Self::Named(name)
    }
}

impl From<PrincipalId> for Claimant<'_> {
    fn from(principal: PrincipalId) -> Self {
        Self::Proved(principal)
    }
}

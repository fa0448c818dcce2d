//! Where the password of a database may come from.

/// Where the password of a database may come from: it depends on who chose the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordSource {
    /// The environment, and the user's password file: the user has chosen the address.
    Environment,
    /// The user's password file alone, which names the host: a project has chosen the address.
    PasswordFile,
}

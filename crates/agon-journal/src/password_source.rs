//! Who chose the address of a database, and so which passwords it may get.

/// Where the password of a database may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordSource {
    /// The environment, and the user's password file: the user has chosen the address.
    Environment,
    /// The user's password file alone, which names the host: a project has chosen the address.
    PasswordFile,
}

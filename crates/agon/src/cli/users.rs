//! Arguments of the commands for accounts.

use std::path::PathBuf;

use clap::Subcommand;

/// What the help of `agon users` shows last.
pub const EXAMPLES: &str = "Examples:
  agon users add ada --administrator     add the first account; prints a password
  agon users role bob d1 judge           let bob answer at the judging seats of the debate d1
  agon users token ada --name ci --scopes run --days 30
  agon serve --accounts                  serve with accounts";

#[derive(Debug, Subcommand)]
pub enum UsersAction {
    /// List the accounts of the server
    List,
    /// Show an account: quotas, roles in debates, and tokens
    Show {
        /// Login name, or id
        person: String,
    },
    /// Add an account; prints a password unless one is given, or the person logs in elsewhere
    Add {
        /// Login name
        login: String,
        /// Name that pages show [default: the login name]
        #[arg(long)]
        name: Option<String>,
        /// Let the person administer the server
        #[arg(long)]
        administrator: bool,
        /// File with the password, - for standard input
        #[arg(long, value_name = "FILE", conflicts_with_all = ["subject", "proxy_name"])]
        password_file: Option<PathBuf>,
        /// Let the person log in by OpenID Connect only, as this subject of the configured issuer
        #[arg(long, value_name = "SUBJECT", conflicts_with = "proxy_name")]
        subject: Option<String>,
        /// Let the person log in through the proxy only, under this name in its header
        #[arg(long, value_name = "NAME")]
        proxy_name: Option<String>,
    },
    /// Set a new password; prints it unless one is given. All logins of the person end
    Password {
        /// Login name, or id
        person: String,
        /// File with the password, - for standard input
        #[arg(long, value_name = "FILE")]
        password_file: Option<PathBuf>,
    },
    /// Let a person log in by OpenID Connect as well, or through the proxy
    Link {
        /// Login name, or id
        person: String,
        /// Subject of the configured issuer
        #[arg(long, value_name = "SUBJECT", required_unless_present = "proxy_name", conflicts_with = "proxy_name")]
        subject: Option<String>,
        /// Name in the proxy's header
        #[arg(long, value_name = "NAME")]
        proxy_name: Option<String>,
    },
    /// Give a person a role in a debate, or take it back
    Role {
        /// Login name, or id
        person: String,
        /// Id of the debate
        debate: String,
        /// viewer, audience, debater, judge or owner
        role: String,
        /// The only seat at which the person answers by this role
        #[arg(long)]
        seat: Option<String>,
        /// Take the role back; with --seat, only as it was given for that seat
        #[arg(long)]
        revoke: bool,
    },
    /// Let a person administer the server, or end that
    Administrator {
        /// Login name, or id
        person: String,
        /// End it
        #[arg(long)]
        revoke: bool,
    },
    /// Set quotas of one person, in place of those of the configuration; without options, remove them
    Quota {
        /// Login name, or id
        person: String,
        /// Debates that the person may start within 24 hours
        #[arg(long, value_name = "N")]
        debates_per_day: Option<u32>,
        /// Debates that may be open at a time
        #[arg(long, value_name = "N")]
        open_debates: Option<u32>,
        /// What the debates of 30 days may cost, in US dollars
        #[arg(long, value_name = "USD")]
        max_cost: Option<f64>,
    },
    /// Make an invitation, with which a person logs in once and chooses a password or a passkey
    Invite {
        /// Login name, or id
        person: String,
        /// Days until it ends, 1 to 30
        #[arg(long, default_value_t = 7)]
        days: u32,
    },
    /// Keep a person out; the account stays
    Disable {
        /// Login name, or id
        person: String,
    },
    /// Let a disabled person in again
    Enable {
        /// Login name, or id
        person: String,
    },
    /// Delete an account; records keep the person's id
    Delete {
        /// Login name, or id
        person: String,
    },
    /// Make a token for programs, and print it
    Token {
        /// Login name, or id
        person: String,
        /// What it is for
        #[arg(long, required_unless_present = "revoke")]
        name: Option<String>,
        /// What it may be used for: read, answer, run, separated by commas
        #[arg(long, default_value = "read")]
        scopes: String,
        /// Days until it expires, 1 to 366
        #[arg(long, default_value_t = 90)]
        days: u32,
        /// Revoke the token with this id instead
        #[arg(long, value_name = "ID", conflicts_with = "name")]
        revoke: Option<String>,
    },
}

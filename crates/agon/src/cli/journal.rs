//! Arguments of `agon journal`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum JournalAction {
    /// Copy debates, calls, leases and texts, and compare what arrived line by line
    ///
    /// A copy that was interrupted continues. If both have gone on with a debate, nothing is copied.
    Copy {
        /// A data directory (see AGON_HOME), or postgres://USER@HOST/DATABASE
        #[arg(value_name = "FROM")]
        from: String,
        /// The same; it is made if it does not exist
        #[arg(value_name = "TO")]
        to: String,
    },
}

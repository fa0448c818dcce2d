//! The version of the tables in Postgres.

/// Version of the tables that this program writes; the one row of `agon_schema`.
pub(super) const SCHEMA: i64 = 4;
/// The version before it, which is brought up.
pub(super) const BEFORE: i64 = SCHEMA - 1;

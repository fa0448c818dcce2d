//! The version of the tables in Postgres.

/// Version of the tables that this program writes; the one row of `agon_schema`.
pub(super) const SCHEMA: i64 = 2;

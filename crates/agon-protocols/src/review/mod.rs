pub mod answers;
pub mod finding;

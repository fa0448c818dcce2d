//! Runs debates: the loop, participants, prompts, budgets and retries. It knows neither protocols nor files of a format.
//!
//! - [`drive`]: the only loop; `prepare`, `ledger`, `call`: one request from prompt to stored answer; `queue`, `clock`,
//!   `watch`
//! - [`outside_seats`]: seats that are answered from outside, and what people do unasked
//! - [`lookups`]: what a seat may look up while it answers
//! - [`participant`]: the trait `Participant`; providers, command-line agents, outside seats, scripts, recordings
//! - [`prompts`]: layers of templates, and how they become messages; [`config`]: `agon.toml` and names of models
//! - [`prices`]: list prices and default models of hosted providers, shipped or taken from elsewhere
//! - [`rehearse`], [`replay`], [`import`]: a script over sample answers, over every prefix, over the answers of files
//! - [`retry`], [`files`], [`cancellation`]: when to call again; files written completely or not at all; work that is given up

pub mod cancellation;
pub mod config;
pub mod drive;
pub mod files;
pub mod import;
pub mod lookups;
pub mod message;
pub mod outside_seats;
pub mod participant;
pub mod prices;
pub mod prompts;
pub mod rehearse;
pub mod replay;
pub mod retry;
mod value_fault;

//! The use cases that command line, server and agents share: turn a request into a checked opening, start it, run it,
//! resume it, and run its companions.
//!
//! A request ([`request::OpeningRequest`]) is the same for every caller. [`opening::check_request`] turns it into a
//! [`CheckedDebate`](opening::CheckedDebate), in three steps, and asks nobody; [`start::start_debate`] seats the participants
//! and stores the opening; [`session::StartedDebate::drive`] runs it to its end. A [`Launcher`](launcher::Launcher) does all of
//! that for a program that must not wait.
//!
//! - [`mod@ask`]: a request that is proposed for a question in plain words
//! - [`request`]: the request, its options, its JSON and its schema; [`opening`]: its three steps
//! - [`access`]: whether someone may have what a request names: other debates, files, models, addresses
//! - [`lineup`], [`models`], [`participants`]: from names to models for each seat, what is checked of them, and from models to
//!   participants
//! - [`available`]: the models that can answer on this machine
//! - [`start`], [`session`], [`resume`], [`launcher`]: start, run, resume; in this process or in one of its own
//! - [`engine`], [`follow`]: debates that other machines drive, and how they are followed; [`interruption`]: debates that
//!   nobody drives any more
//! - [`companion`], [`extraction`]: mirror, baseline and extraction, after the debate; `companion_opening`: how they begin; `companion_owner`:
//!   whose they are
//! - [`declarations`]: protocols from files; [`config_revision`]: configuration from git; [`plan`],
//!   [`speed`], `budget_warning`: what a debate would cost and how long it would take
//! - [`backup`], [`deletion`]: copies of the data directory; debates whose words go; [`webhooks`]: signed messages
//! - [`evaluation`]: arms, items and observations
//! - `drawing`, [`output_dir`], [`file_set`]: the thread that writes files, their folder, and which of them are wanted;
//!   [`own_files`]: which files of a working copy are agon's own
//! - [`context`], [`failure`], [`words`], [`machine`]: shared dependencies; one message, remedy and exit code; shared
//!   wordings; memory and processors

pub mod access;
pub mod ask;
pub mod asker;
pub mod available;
pub mod backup;
mod budget_warning;
pub mod companion;
mod companion_opening;
mod companion_owner;
pub mod config_revision;
pub mod context;
pub mod declarations;
pub mod deletion;
mod drawing;
pub mod driving_threads;
pub mod engine;
pub mod evaluation;
pub mod extraction;
pub mod failure;
pub mod file_set;
pub mod follow;
pub mod interruption;
pub mod launcher;
pub mod lineup;
pub mod lookups;
pub mod machine;
pub mod models;
pub mod opening;
pub mod output_dir;
pub mod own_files;
pub mod participants;
pub mod plan;
pub mod request;
pub mod resume;
pub mod session;
pub mod speed;
pub mod start;
pub mod templates;
pub mod webhooks;
pub mod words;

pub use self::{
    context::{Context, Frontend, SilentFrontend},
    failure::{Failure, Result, exit},
    file_set::FileSet,
    launcher::{ContinueRequest, Launcher},
    plan::Plan,
    request::OpeningRequest,
};

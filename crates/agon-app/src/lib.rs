//! The use cases that command line, server and agents share: turn a request into a checked opening, start it, run it,
//! resume it, and run its companions.
//!
//! A request ([`request::OpeningRequest`]) is the same for every caller. [`opening::check_request`] turns it into a
//! [`CheckedDebate`](opening::CheckedDebate), in three steps, and asks nobody; [`start::start_debate`] seats the participants
//! and stores the opening; [`local_run::StartedDebate::drive_debate`] runs it to its end. A [`Launcher`](launcher::Launcher) does all of
//! that for a program that must not wait.
//!
//! - [`mod@ask`]: a request that is proposed for a question in plain words
//! - [`request`]: the request, its options, its JSON and its schema; [`opening`]: its three steps
//! - [`access`]: whether someone may have what a request names: other debates, files, models, addresses
//! - [`lineup`], [`models`], [`participants`]: from names to models for each seat, what is checked of them, and from models to
//!   participants
//! - [`available_models`]: the models that can answer on this machine
//! - [`start`], [`local_run`], [`resume`], [`launcher`]: start, run, resume; in this process or in one of its own
//! - [`remote_engine`], [`remote_run`]: debates that other machines drive, and how they are followed; [`interruption`]: debates that
//!   nobody drives any more
//! - [`companion`], [`extraction`]: mirror, baseline and extraction, after the debate; `companion_opening`: how they begin; `companion_quota`:
//!   whose they are
//! - [`declarations`]: protocols from files; [`config_revision`]: configuration from git; [`cost_plan`],
//!   [`model_speed`], `budget_warning`: what a debate would cost and how long it would take
//! - [`backup`], [`deletion`]: copies of the data directory; debates whose words go; [`webhooks`]: signed messages
//! - [`evaluation`]: arms, items and observations
//! - `file_writer`, [`output_folder`], [`output_files`]: the thread that writes files, their folder, and which of them are wanted;
//!   [`own_files`]: which files of a working copy are agon's own
//! - [`context`], [`failure`], [`display`], [`hardware`]: shared dependencies; one message, remedy and exit code; shared
//!   wordings; memory and processors

pub mod access;
pub mod ask;
pub mod asker;
pub mod available_models;
pub mod backup;
mod budget_warning;
pub mod companion;
mod companion_opening;
mod companion_quota;
pub mod config_revision;
pub mod context;
pub mod cost_plan;
pub mod declarations;
pub mod deletion;
pub mod display;
pub mod driving_threads;
pub mod evaluation;
pub mod extraction;
pub mod failure;
mod file_writer;
pub mod hardware;
pub mod interruption;
pub mod launcher;
pub mod lineup;
pub mod local_run;
pub mod lookups;
pub mod model_speed;
pub mod models;
pub mod opening;
pub mod output_files;
pub mod output_folder;
pub mod own_files;
pub mod participants;
pub mod prompt_templates;
pub mod remote_engine;
pub mod remote_run;
pub mod request;
pub mod resume;
pub mod start;
pub mod webhooks;

pub use self::{
    context::{Context, Frontend, SilentFrontend},
    cost_plan::Plan,
    failure::{Failure, Result, exit},
    launcher::{ContinueRequest, Launcher},
    output_files::FileSet,
    request::OpeningRequest,
};

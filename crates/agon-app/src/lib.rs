//! What command line, server and agents do alike: turn a request to open a debate into a typed
//! [`Opening`](opening::Opening), seat its participants, start it, drive it, resume it, and hold the debates
//! beside it.
//!
//! A request ([`OpeningRequest`]) is the same whoever makes it. [`opening::check`] turns it into a
//! [`Checked`](opening::Checked) debate without asking or writing anything; [`start::start`] seats everybody
//! and stores it; [`session::Started::drive`] drives it to its end. A [`Launcher`](launcher::Launcher) does all of that
//! for a program that must not wait.

mod budget_warning;
pub mod companion;
pub mod context;
pub mod declarations;
mod drawing;
pub mod extraction;
pub mod failure;
pub mod launcher;
pub mod lineup;
pub mod opening;
pub mod output_dir;
pub mod participants;
pub mod plan;
pub mod request;
pub mod resume;
pub mod session;
pub mod start;
mod templates;
pub mod words;

pub use self::{
    context::{Context, Frontend, Silent},
    failure::{Failure, Result, exit},
    launcher::{ContinueRequest, Launcher},
    plan::Plan,
    request::OpeningRequest,
};

//! A scripted model provider on loopback: it speaks like OpenAI, Anthropic, Gemini and Ollama, and fails like them on
//! request.
//!
//! To a request with a JSON schema it answers with a valid instance, otherwise with prose. The text follows from the
//! prompt alone, so equal runs get equal replies. It logs every request with the tokens that it charged.
//!
//! - [`server`], [`config`], [`log`]: routes, script and log; [`shape`]: one file per interface
//! - [`fault`], [`refuse`], [`body`], [`stream`]: what fails, and how it looks on the wire
//! - [`rate`]: a limit of requests, with the headers that tell it
//! - [`reply`], [`prose`]: the answers

pub mod ask;
pub mod body;
pub mod config;
pub mod fault;
pub mod log;
pub mod prose;
pub mod rate;
pub mod refuse;
pub mod reply;
pub mod server;
pub mod shape;
pub mod stream;

pub use config::{MockConfig, Say};
pub use fault::MockFault;
pub use log::LoggedRequest;
pub use rate::MockRate;
pub use server::MockServer;

//! A scripted model provider on loopback: speaks like OpenAI, Anthropic, Gemini and Ollama, and
//! fails like them on request.
//!
//! For a request with a JSON schema it answers with a valid instance, else with prose; the text
//! follows from the prompt alone, so that equal runs get equal replies and different prompts get
//! different ones. Every request is logged with the tokens that it was charged, so that a test can
//! compare what the program counted with what was served.

pub mod body;
pub mod config;
pub mod fault;
pub mod log;
pub mod prose;
pub mod refuse;
pub mod reply;
pub mod server;
pub mod shape;
pub mod stream;

pub use config::{MockConfig, Say};
pub use fault::MockFault;
pub use log::LoggedRequest;
pub use server::MockServer;

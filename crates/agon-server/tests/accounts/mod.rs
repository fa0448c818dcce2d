//! A server with accounts, as people, programs and attackers see it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // Helpers are part of the tests.

mod authenticator;
mod document;
pub(crate) use crate::house;
mod life;
mod login;
mod management;
mod matrix;
mod mcp;
mod oidc;
mod passkeys;
mod people;
mod provider;
mod proxy;
mod quotas;
mod streams;

//! A server with accounts, as people, programs and attackers see it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // Helpers are part of the tests.

mod apart;
mod authenticator;
mod document;
// A type of its own here: people.rs gives it functions that others have under the same names.
#[path = "../house/mod.rs"]
#[allow(clippy::duplicate_mod)]
mod house;
mod life;
mod login;
mod management;
mod matrix;
mod mcp;
mod named;
#[cfg(feature = "oidc")]
mod oidc;
mod passkeys;
mod people;
#[cfg(feature = "oidc")]
mod provider;
mod proxy;
mod quotas;
mod streams;

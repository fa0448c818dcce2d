//! A server with accounts, as people, programs and attackers see it.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers are part of the tests.

mod house;
mod life;
mod login;
mod matrix;
mod mcp;
mod oidc;
mod provider;
mod proxy;
mod quotas;
#[path = "../server/store.rs"]
mod store;
mod streams;

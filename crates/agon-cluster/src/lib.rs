//! Debates on many machines: an existing engine, Restate, decides which worker drives which debate and starts it again
//! elsewhere when a worker is gone; the journal that all workers share holds the debates.
//!
//! A debate is one virtual object of Restate, so one invocation at a time drives it. The record stays the only state:
//! a worker drives with the same loop as `agon run`, and one that takes a debate over reads the record and continues.
//!
//! - [`engine`]: a client of Restate that has debates driven; [`order`]: how an invocation ends
//! - [`worker`]: a process that drives what Restate gives it; `service`: the object that it serves; `drivers`: the
//!   threads that drive
//! - `waker`: tells Restate that a debate which nobody drives can continue
//! - `address`: addresses of Restate and of workers; `admin`: registration of a worker

mod address;
mod admin;
mod drivers;
pub mod engine;
pub mod order;
mod service;
mod waker;
pub mod worker;

pub use self::{
    engine::RestateEngine,
    worker::{ClusterWorker, WorkerConfig},
};

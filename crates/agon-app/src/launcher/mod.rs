//! Starting debates for a program that does not wait for their end.

mod allowed_models;
mod detached;
mod driven_debates;
mod in_process;

use std::{collections::BTreeMap, sync::Arc};

use agon_core::{DebateId, Manifest, Record};
use agon_journal::accounts::PrincipalId;
use agon_runtime::lookups::LookupSource;
use serde::Deserialize;

pub use self::{
    detached::Detached,
    in_process::{DriverHandle, InProcess, Observer, Terms},
};
use crate::{
    cost_plan::Plan,
    failure::{Failure, Result},
    request::{Budget, OpeningRequest},
};

/// A request to resume or extend a debate.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContinueRequest {
    /// Which.
    pub debate: DebateId,
    /// Whether it is to be allowed more, or only to continue; a pause ends by the latter alone. Set by what was
    /// called, never by the caller's words.
    #[serde(skip)]
    pub extends: bool,
    /// Who wants it.
    pub name: Option<String>,
    /// Who wants it, where the server has proved it; the name does not count then. Never the caller's words.
    #[serde(skip)]
    pub principal: Option<PrincipalId>,
    /// Rounds more.
    pub rounds: Option<u32>,
    /// Maximum number of calls, from now on.
    pub max_requests: Option<u64>,
    /// Maximum number of tokens, from now on.
    pub max_tokens: Option<u64>,
    /// Maximum cost, in US dollars, from now on.
    pub max_cost: Option<f64>,
    /// Maximum driven time, from now on.
    pub max_time: Option<String>,
}

impl ContinueRequest {
    /// Without more.
    pub fn new(debate: DebateId) -> Self {
        Self {
            debate,
            extends: false,
            name: None,
            principal: None,
            rounds: None,
            max_requests: None,
            max_tokens: None,
            max_cost: None,
            max_time: None,
        }
    }

    /// What it may spend from now on.
    pub fn to_budget(&self) -> Budget {
        let &Self { max_requests, max_tokens, max_cost, .. } = self;
        Budget { max_requests, max_tokens, max_cost, max_time: self.max_time.clone() }
    }
}

/// Starts and continues debates for clients. A debate continues after its client disconnects.
#[async_trait::async_trait]
pub trait Launcher: Send + Sync {
    /// The protocols that the user or the project declared in their folders, in addition to the shipped ones.
    fn list_declared_protocols(&self) -> Vec<Manifest> {
        Vec::new()
    }

    /// Whether its clients may name files of this machine.
    fn reads_files(&self) -> bool {
        false
    }

    /// Whether the server that its clients call is about to end: then no call of theirs waits any longer.
    fn is_ending(&self) -> bool {
        false
    }

    /// Where seats of the debate of `record` look things up; `None` where nothing can be looked up.
    fn lookup_source(&self, record: &Record) -> Result<Option<Arc<dyn LookupSource>>> {
        let _ = record;
        Ok(None)
    }

    /// Why nobody drives those of `debates` that stopped before their end. It may block for a moment.
    fn find_stop_reasons(&self, debates: &[DebateId]) -> BTreeMap<DebateId, Failure> {
        let _ = debates;
        BTreeMap::new()
    }

    /// Checks everything as `agon run` does and opens a debate; it is in the journal when this returns.
    async fn open_debate(&self, request: OpeningRequest) -> Result<DebateId>;

    /// What that debate would ask, cost and send away; nothing is opened and nothing is sent.
    async fn plan_debate(&self, request: OpeningRequest) -> Result<Plan>;

    /// Continues a debate without a driver, as `agon resume` and `agon extend` do; a debate with a driver
    /// is extended, or continues after a pause, and stays with its driver.
    async fn continue_debate(&self, request: ContinueRequest) -> Result<()>;
}

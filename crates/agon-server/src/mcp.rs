//! The Model Context Protocol over streamable HTTP, behind the same door as everything else.

use std::sync::Arc;

use agon_core::{DebateId, Manifest};
use agon_mcp::{Debates, NotOpened, Opening};
use axum::{Router, routing::any_service};
use serde_json::Value;

use crate::{GoOn, Refusal, State, api};

/// Where clients call.
pub(crate) const PATH: &str = "/mcp";

/// The route of the protocol's one endpoint.
pub(crate) fn routes(shared: &State) -> Router<State> {
    let opener = Arc::new(Attended(Arc::clone(shared)));
    let debates = Debates::new(Arc::clone(&shared.journal), shared.home.clone(), opener);
    Router::new().route(PATH, any_service(debates.over_http()))
}

/// Opens debates in this server, which drives them.
struct Attended(State);

#[async_trait::async_trait]
impl agon_mcp::Opener for Attended {
    fn declared(&self) -> Vec<Manifest> {
        self.0.opener.declared()
    }

    async fn open(&self, opening: &Opening) -> Result<DebateId, NotOpened> {
        api::check(&self.0, opening.clone()).await.map_err(not_opened)
    }

    async fn plan(&self, opening: &Opening) -> Result<Value, NotOpened> {
        api::planned(&self.0, opening.clone()).await.map(|planned| planned.plan).map_err(not_opened)
    }

    async fn go_on(&self, wanted: &agon_mcp::GoOn) -> Result<(), NotOpened> {
        let agon_mcp::GoOn { debate, extends, name, rounds, max_requests, max_tokens, max_cost, max_time } =
            wanted.clone();
        let name = name.unwrap_or_else(|| "mcp".into());
        let rounds = rounds.unwrap_or_default();
        let wanted = GoOn { debate, extends, name, rounds, max_requests, max_tokens, max_cost, max_time };
        api::proceed(&self.0, wanted).await.map(drop).map_err(not_opened)
    }
}

fn not_opened(refusal: Refusal) -> NotOpened {
    NotOpened { code: refusal.code.into(), message: refusal.message, remedy: refusal.remedy }
}

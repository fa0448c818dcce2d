//! The Model Context Protocol over streamable HTTP, behind the same door as everything else.

use std::sync::Arc;

use agon_app::{ContinueRequest, Failure, Launcher, OpeningRequest, Plan, exit};
use agon_core::{DebateId, Manifest};
use agon_mcp::Debates;
use axum::{Router, routing::any_service};

use crate::{Refusal, State, api};

/// Where clients call.
pub(crate) const PATH: &str = "/mcp";

/// The route of the protocol's one endpoint.
pub(crate) fn routes(shared: &State) -> Router<State> {
    let launcher = Arc::new(Limited(Arc::clone(shared)));
    let debates = Debates::new(Arc::clone(&shared.journal), shared.home.clone(), launcher);
    Router::new().route(PATH, any_service(debates.over_http()))
}

/// Opens debates in this server, as many as it drives for any client.
struct Limited(State);

#[async_trait::async_trait]
impl Launcher for Limited {
    fn declared(&self) -> Vec<Manifest> {
        self.0.launcher.declared()
    }

    async fn open(&self, request: OpeningRequest) -> agon_app::Result<DebateId> {
        api::open(&self.0, request).await.map_err(failure)
    }

    async fn plan(&self, request: OpeningRequest) -> agon_app::Result<Plan> {
        self.0.launcher.plan(request).await
    }

    async fn go_on(&self, request: ContinueRequest) -> agon_app::Result<()> {
        api::proceed(&self.0, request).await.map(drop).map_err(failure)
    }
}

fn failure(refusal: Refusal) -> Failure {
    Failure::new(exit::CONFLICT, refusal.code, refusal.message, refusal.remedy)
}

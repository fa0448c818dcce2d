//! The Model Context Protocol over streamable HTTP, behind the same door as everything else.

use std::sync::Arc;

use agon_app::{ContinueRequest, Failure, Launcher, OpeningRequest, Plan, exit};
use agon_core::{DebateId, Manifest};
use agon_mcp::Debates;
use axum::{
    Extension, Router,
    body::Body,
    extract::{Request, State as FromState},
    response::{IntoResponse, Response},
    routing::{any, any_service},
};

use crate::{
    Refusal, State,
    accounts::{RequestCaller, not_permitted, tools::PersonPolicy},
    api,
    visitor::Visitor,
};

/// Where clients call.
pub(crate) const PATH: &str = "/mcp";

/// The route of the protocol's one endpoint.
pub(crate) fn routes(shared: &State) -> Router<State> {
    if shared.accounts.is_some() {
        return Router::new().route(PATH, any(personal));
    }
    let debates = debates(shared, Visitor::nameless(true));
    Router::new().route(PATH, any_service(debates.over_http()))
}

fn debates(shared: &State, visitor: Visitor) -> Debates {
    let launcher = Arc::new(Limited(Arc::clone(shared), visitor));
    Debates::new(Arc::clone(&shared.journal), shared.home.clone(), launcher)
}

/// The endpoint for one person, under the rules of the table.
async fn personal(
    FromState(shared): FromState<State>,
    Extension(caller): Extension<Arc<RequestCaller>>,
    request: Request,
) -> Response {
    let Some(person) = caller.visitor.person else { return not_permitted().into_response() };
    let debates = debates(&shared, caller.visitor);
    let policy = PersonPolicy { shared, caller: RequestCaller::clone(&caller), person };
    let response = debates.with_policy(Arc::new(policy)).over_http().handle(request).await;
    response.map(Body::new)
}

/// Opens debates in this server, as many as it drives for any client, and as the visitor's quotas allow.
struct Limited(State, Visitor);

#[async_trait::async_trait]
impl Launcher for Limited {
    fn declared(&self) -> Vec<Manifest> {
        self.0.launcher.declared()
    }

    async fn open(&self, request: OpeningRequest) -> agon_app::Result<DebateId> {
        api::open(&self.0, self.1, request).await.map_err(failure)
    }

    async fn plan(&self, request: OpeningRequest) -> agon_app::Result<Plan> {
        api::planned(&self.0, self.1, request).await.map_err(failure)
    }

    async fn go_on(&self, request: ContinueRequest) -> agon_app::Result<()> {
        api::proceed(&self.0, self.1, request).await.map(drop).map_err(failure)
    }
}

fn failure(refusal: Refusal) -> Failure {
    Failure::new(exit::CONFLICT, refusal.code, refusal.message, refusal.remedy)
}

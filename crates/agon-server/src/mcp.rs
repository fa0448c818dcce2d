//! The Model Context Protocol over streamable HTTP, behind the same door as everything else.

use std::{collections::BTreeMap, sync::Arc};

use agon_app::{ContinueRequest, Failure, Launcher, OpeningRequest, Plan, exit};
use agon_core::{DebateId, Manifest, Record};
use agon_mcp::Debates;
use agon_runtime::lookups::LookupSource;
use axum::{
    Router,
    body::Body,
    extract::Request,
    response::{IntoResponse, Response},
    routing::{any, any_service},
};

use crate::{
    Refusal, State,
    accounts::{Caller, RequestCaller, not_permitted, tools::PersonPolicy},
    api,
    authorization::{Permission, RouteRow},
    visitor::{Called, Visitor},
};

/// Where clients call.
pub(crate) const PATH: &str = "/mcp";

/// The row of the endpoint, for all methods.
pub(crate) const ROW: RouteRow = RouteRow { method: "*", path: PATH, permission: Permission::Member, action: "" };

/// The route of the protocol's one endpoint.
pub(crate) fn mcp_routes(shared: &State) -> Router<State> {
    if shared.accounts.is_some() {
        return Router::new().route(PATH, any(serve_person));
    }
    let debates = build_debates(shared, Visitor::without_account(true));
    Router::new().route(PATH, any_service(debates.over_http()))
}

fn build_debates(shared: &State, visitor: Visitor) -> Debates {
    let launcher = Arc::new(Limited(Arc::clone(shared), visitor));
    Debates::new(Arc::clone(&shared.journal), shared.home.clone(), launcher)
}

/// The endpoint for one person, under the rules of the table.
async fn serve_person(Called(shared, caller): Called<Caller>, request: Request) -> Response {
    let Some(person) = caller.visitor.person else { return not_permitted().into_response() };
    let debates = build_debates(&shared, caller.visitor);
    let policy = PersonPolicy { shared, caller: RequestCaller::clone(&caller), person };
    let response = debates.with_policy(Arc::new(policy)).over_http().handle(request).await;
    response.map(Body::new)
}

/// Opens debates in this server, as many as it drives for any client, and as the visitor's quotas allow.
struct Limited(State, Visitor);

#[async_trait::async_trait]
impl Launcher for Limited {
    fn list_declared_protocols(&self) -> Vec<Manifest> {
        self.0.launcher.list_declared_protocols()
    }

    fn is_ending(&self) -> bool {
        self.0.events.has_ended()
    }

    fn lookup_source(&self, record: &Record) -> agon_app::Result<Option<Arc<dyn LookupSource>>> {
        self.0.launcher.lookup_source(record)
    }

    fn find_stop_reasons(&self, debates: &[DebateId]) -> BTreeMap<DebateId, Failure> {
        let reasons = self.0.events.find_stop_reasons(debates);
        reasons.into_iter().map(|(debate, why)| (debate, to_failure(why))).collect()
    }

    async fn open_debate(&self, request: OpeningRequest) -> agon_app::Result<DebateId> {
        api::open_debate(&self.0, self.1, request).await.map_err(to_failure)
    }

    async fn plan_debate(&self, request: OpeningRequest) -> agon_app::Result<Plan> {
        api::plan_opening(&self.0, self.1, request).await.map_err(to_failure)
    }

    async fn continue_debate(&self, request: ContinueRequest) -> agon_app::Result<()> {
        api::continue_debate(&self.0, self.1, request).await.map(drop).map_err(to_failure)
    }
}

fn to_failure(refusal: Refusal) -> Failure {
    Failure::new(exit::CONFLICT, refusal.code, refusal.message, refusal.remedy)
}

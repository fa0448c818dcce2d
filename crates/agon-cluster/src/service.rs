//! The virtual object that a worker serves: one per debate, with the id of the debate as its key.

use std::sync::Arc;

use agon_app::engine::DriveOrder;
use restate_sdk::prelude::*;
use serde::Deserialize;

use crate::{
    drivers::Drivers,
    order::{DebateStatus, DriveEnd},
};

/// One debate of the shared journal.
pub(crate) struct DebateObject {
    pub(crate) drivers: Arc<Drivers>,
}

/// A person's act, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActRequest {
    /// Who acts.
    name: String,
    /// Why.
    #[serde(default)]
    why: String,
}

#[restate_sdk::object(name = "Debate", client_visibility = "pub(crate)")]
impl DebateObject {
    /// Drives the debate until it closes or must stop.
    #[handler]
    async fn drive(
        &self,
        ctx: ObjectContext<'_>,
        order: Json<DriveOrder>,
    ) -> Result<Json<DriveEnd>, HandlerError> {
        let order = order.into_inner();
        if order.debate.as_str() != ctx.key() {
            return Err(TerminalError::new_with_code(400, "the order names another debate").into());
        }
        loop {
            // What the record holds is not repeated here: this result only says that the record has an end, or waits.
            let (wake, woken) = ctx.awakeable::<()>();
            let driven = ctx.run(|| async {
                let driven = self.drivers.drive(order.clone(), &wake).await;
                driven.map(Json).map_err(HandlerError::from)
            });
            match driven.name("drive").await?.into_inner() {
                DriveEnd::Waiting => woken.await?,
                end => return Ok(Json(end)),
            }
        }
    }

    /// How far it is.
    #[handler]
    async fn status(&self, ctx: SharedObjectContext<'_>) -> Result<Json<DebateStatus>, HandlerError> {
        self.drivers.status(ctx.key()).map(Json).map_err(said)
    }

    /// Pauses it.
    #[handler]
    async fn pause(
        &self,
        ctx: SharedObjectContext<'_>,
        request: Json<ActRequest>,
    ) -> Result<Json<u64>, HandlerError> {
        let ActRequest { name, why } = request.into_inner();
        self.drivers.pause(ctx.key(), &name, &why).await.map(Json).map_err(said)
    }

    /// Ends it now, without a result.
    #[handler]
    async fn cancel(
        &self,
        ctx: SharedObjectContext<'_>,
        request: Json<ActRequest>,
    ) -> Result<Json<u64>, HandlerError> {
        let ActRequest { name, why } = request.into_inner();
        self.drivers.cancel(ctx.key(), &name, &why).await.map(Json).map_err(said)
    }
}

/// A refusal is final; a store that fails is tried again.
fn said(failure: agon_app::Failure) -> HandlerError {
    match failure.exit {
        agon_app::exit::IO => HandlerError::from(failure.message),
        agon_app::exit::UNKNOWN => TerminalError::new_with_code(404, failure.message).into(),
        _ => TerminalError::new_with_code(409, failure.message).into(),
    }
}

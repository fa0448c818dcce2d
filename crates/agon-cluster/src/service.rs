//! The virtual objects that a worker serves: one per debate, with the id of the debate as its key, and one that tells
//! this cluster from others.

use std::sync::Arc;

use agon_app::engine::DriveOrder;
use agon_runtime::journal::uuid;
use restate_sdk::prelude::*;
use serde::Deserialize;
use tokio::sync::watch;

use crate::{
    drivers::Drivers,
    order::{DebateStatus, DriveEnd},
};

/// One debate of the shared journal.
pub(crate) struct DebateObject {
    pub(crate) drivers: Arc<Drivers>,
    /// Whether this worker may drive.
    pub(crate) admitted: watch::Receiver<bool>,
}

/// The cluster: the object with the key `agon`.
pub(crate) struct ClusterObject;

/// Where the cluster keeps its name.
const NAME: &str = "name";

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
        if self.admitted.clone().wait_for(|admitted| *admitted).await.is_err() {
            return Err(HandlerError::from("this worker ends"));
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

#[restate_sdk::object(name = "AgonCluster", client_visibility = "pub(crate)")]
impl ClusterObject {
    /// A name that no other cluster has. It is made once, and kept as long as Restate's data.
    #[handler]
    async fn name(&self, ctx: ObjectContext<'_>) -> Result<Json<String>, HandlerError> {
        if let Some(Json(name)) = ctx.get::<Json<String>>(NAME).await? {
            return Ok(Json(name));
        }
        let made = ctx.run(|| async {
            uuid::random().map(Json).map_err(|error| HandlerError::from(error.to_string()))
        });
        let name = made.name("name").await?.into_inner();
        ctx.set(NAME, Json(name.clone()));
        Ok(Json(name))
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

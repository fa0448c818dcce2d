//! The virtual objects that a worker serves: one per debate, with the id of the debate as its key, and one that tells
//! this cluster from others.

use std::sync::Arc;

use agon_app::remote_engine::DriveOrder;
use agon_journal::uuid;
use restate_sdk::prelude::*;
use tokio::sync::watch;

use crate::{drivers::Drivers, order::DriveEnd};

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

#[restate_sdk::object(name = "Debate", client_visibility = "pub(crate)")]
impl DebateObject {
    /// Drives the debate until it closes or must stop.
    #[handler]
    async fn drive(&self, ctx: ObjectContext<'_>, order: Json<DriveOrder>) -> Result<Json<DriveEnd>, HandlerError> {
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
                let driven = self.drivers.drive_debate(order.clone(), &wake).await;
                driven.map(Json).map_err(HandlerError::from)
            });
            match driven.name("drive").await?.into_inner() {
                DriveEnd::Waiting => woken.await?,
                end => return Ok(Json(end)),
            }
        }
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
        let made =
            ctx.run(|| async { uuid::random_uuid().map(Json).map_err(|error| HandlerError::from(error.to_string())) });
        let name = made.name("name").await?.into_inner();
        ctx.set(NAME, Json(name.clone()));
        Ok(Json(name))
    }
}

//! Why a debate has stopped: nothing happens in it until it is continued.

use std::{collections::BTreeMap, sync::Arc};

use agon_app::Failure;
use agon_core::DebateId;

use crate::Debates;

impl Debates {
    /// Why nobody drives those of `debates` that stopped before their end, looked for where it holds up nobody.
    pub(crate) async fn find_stop_reasons(&self, debates: Vec<DebateId>) -> BTreeMap<DebateId, Failure> {
        let launcher = Arc::clone(&self.launcher);
        tokio::task::spawn_blocking(move || launcher.find_stop_reasons(&debates)).await.unwrap_or_default()
    }

    /// Why nobody drives `debate` before its end, if it stopped.
    pub(crate) async fn find_stop_reason(&self, debate: &DebateId) -> Option<Failure> {
        self.find_stop_reasons(vec![debate.clone()]).await.remove(debate)
    }
}

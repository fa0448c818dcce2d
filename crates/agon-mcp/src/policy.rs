//! Who calls a tool, and whether they may. Where nobody says so, everything is allowed to everybody, under the names
//! that they claim: the program that mounts the server has let them in.

use agon_app::Failure;
use agon_core::DebateId;
use agon_journal::accounts::PrincipalId;
use agon_runtime::outside_seats::Claimant;
use rmcp::ErrorData;
use serde_json::Value;

use crate::{Debates, refusal::ToolRefusal};

/// The rules for one client whose person is proved.
#[async_trait::async_trait]
pub trait ToolPolicy: Send + Sync {
    /// The person who calls; the names in arguments do not count.
    fn person(&self) -> PrincipalId;

    /// Whether the person may call `tool`, about this debate and seat where its arguments name them.
    fn permits(&self, tool: &str, debate: Option<&str>, seat: Option<&str>) -> Result<(), Failure>;

    /// Whether the person may read a debate.
    fn sees(&self, debate: &DebateId) -> bool;

    /// Whether the person may see what a seat is asked.
    fn sees_prompt(&self, debate: &DebateId, seat: &str) -> bool;

    /// Whether the person may read every debate.
    fn reads_all(&self) -> bool;

    /// Is told what was called, and `ok` or the code of its refusal.
    async fn called(&self, tool: &str, debate: Option<&str>, seat: Option<&str>, result: &str);
}

impl Debates {
    /// Refuses a call that its person may not make.
    pub(crate) fn permit(&self, tool: &str, arguments: &Value) -> Result<(), ToolRefusal> {
        let Some(policy) = &self.policy else { return Ok(()) };
        let named = |name: &str| arguments.get(name).and_then(Value::as_str);
        Ok(policy.permits(tool, named("debate"), named("seat"))?)
    }

    /// Says to the policy what became of a call.
    pub(crate) async fn told<T>(&self, tool: &str, arguments: &Value, done: &Result<T, ToolRefusal>) {
        let Some(policy) = &self.policy else { return };
        let named = |name: &str| arguments.get(name).and_then(Value::as_str);
        let result = match done {
            Ok(_) => "ok",
            Err(ToolRefusal::Malformed(_)) => "malformed",
            Err(ToolRefusal::Refused { code, .. }) => code,
        };
        policy.called(tool, named("debate"), named("seat"), result).await;
    }

    /// Whether the person may read a debate.
    pub(crate) fn sees(&self, debate: &DebateId) -> bool {
        self.policy.as_ref().is_none_or(|policy| policy.sees(debate))
    }

    /// Whether the person may see what a seat is asked.
    pub(crate) fn sees_prompt(&self, debate: &DebateId, seat: &str) -> bool {
        self.policy.as_ref().is_none_or(|policy| policy.sees_prompt(debate, seat))
    }

    /// Refuses a resource that its person may not read, as one that does not exist.
    pub(crate) fn visible(
        &self,
        debate: &DebateId,
        missing: impl FnOnce() -> ErrorData,
    ) -> Result<(), ErrorData> {
        if self.sees(debate) { Ok(()) } else { Err(missing()) }
    }

    /// Who acts: the person, or the name that is claimed.
    pub(crate) fn claimant<'n>(&self, name: &'n str) -> Claimant<'n> {
        match &self.policy {
            Some(policy) => policy.person().into(),
            None => name.into(),
        }
    }
}

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
    fn calling_person(&self) -> PrincipalId;

    /// Whether the person may call `tool`, about this debate and seat where its arguments name them.
    fn check_permission(&self, tool: &str, debate: Option<&str>, seat: Option<&str>) -> Result<(), Failure>;

    /// Whether the person may read a debate.
    fn can_read_debate(&self, debate: &DebateId) -> bool;

    /// Whether the person may see what a seat is asked.
    fn sees_prompt(&self, debate: &DebateId, seat: &str) -> bool;

    /// Whether the person may read every debate.
    fn reads_all(&self) -> bool;

    /// Is told what was called, and `ok` or the code of its refusal.
    async fn record_call(&self, tool: &str, debate: Option<&str>, seat: Option<&str>, result: &str);
}

impl Debates {
    /// Refuses a call that its person may not make.
    pub(crate) fn check_call_permission(&self, tool: &str, arguments: &Value) -> Result<(), ToolRefusal> {
        let Some(policy) = &self.policy else { return Ok(()) };
        let named = |name: &str| arguments.get(name).and_then(Value::as_str);
        Ok(policy.check_permission(tool, named("debate"), named("seat"))?)
    }

    /// Says to the policy what became of a call.
    pub(crate) async fn report_call<T>(&self, tool: &str, arguments: &Value, done: &Result<T, ToolRefusal>) {
        let Some(policy) = &self.policy else { return };
        let named = |name: &str| arguments.get(name).and_then(Value::as_str);
        let result = match done {
            Ok(_) => "ok",
            Err(ToolRefusal::Malformed(_)) => "malformed",
            Err(ToolRefusal::Refused { code, .. }) => code,
        };
        policy.record_call(tool, named("debate"), named("seat"), result).await;
    }

    /// Whether the person may read a debate.
    pub(crate) fn can_read_debate(&self, debate: &DebateId) -> bool {
        self.policy.as_ref().is_none_or(|policy| policy.can_read_debate(debate))
    }

    /// Whether the person may see what a seat is asked.
    pub(crate) fn sees_prompt(&self, debate: &DebateId, seat: &str) -> bool {
        self.policy.as_ref().is_none_or(|policy| policy.sees_prompt(debate, seat))
    }

    /// Refuses a resource that its person may not read, as one that does not exist.
    pub(crate) fn check_readable(
        &self,
        debate: &DebateId,
        missing: impl FnOnce() -> ErrorData,
    ) -> Result<(), ErrorData> {
        if self.can_read_debate(debate) { Ok(()) } else { Err(missing()) }
    }

    /// Who acts: the person, or the name that is claimed.
    pub(crate) fn acting_claimant<'n>(&self, name: &'n str) -> Claimant<'n> {
        match &self.policy {
            Some(policy) => policy.calling_person().into(),
            None => name.into(),
        }
    }
}

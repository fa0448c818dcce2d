//! The same rules for the tools of the Model Context Protocol.

use agon_app::{Failure, exit};
use agon_core::DebateId;
use agon_journal::accounts::{AuditEvent, PrincipalId};
use agon_mcp::ToolPolicy;

use super::RequestCaller;
use crate::{
    State,
    authorization::{AccessDecision, Permission, find_tool_row},
};

/// The rules for one person who calls tools.
pub(crate) struct PersonPolicy {
    pub shared: State,
    pub caller: RequestCaller,
    pub person: PrincipalId,
}

fn no_such_debate(name: &str) -> Failure {
    let name: String = name.chars().take(80).collect();
    Failure::new(exit::UNKNOWN, "no_such_debate", format!("no debate {name} in this journal"), "")
}

#[async_trait::async_trait]
impl ToolPolicy for PersonPolicy {
    fn calling_person(&self) -> PrincipalId {
        self.person
    }

    fn check_permission(&self, name: &str, debate: Option<&str>, seat: Option<&str>) -> Result<(), Failure> {
        let refused = |why: &str| {
            let remedy = "ask an owner of the debate for a role, or use a token with the scope";
            Failure::new(exit::CONFLICT, "not_permitted", why.to_owned(), remedy)
        };
        let Some(row) = find_tool_row(name) else { return Err(refused("unknown tool")) };
        // A call without its debate is refused as malformed by the tool itself.
        if row.permission.is_of_debate() && debate.is_none() {
            return Ok(());
        }
        match self.shared.decide_access(&self.caller, row.permission, debate, seat) {
            Ok(AccessDecision::Allowed) => Ok(()),
            Ok(AccessDecision::Unknown) => Err(no_such_debate(debate.unwrap_or_default())),
            Ok(_) => Err(refused("you are not permitted to do this")),
            Err(refusal) => Err(Failure::new(exit::IO, refusal.code, refusal.message, refusal.remedy)),
        }
    }

    fn can_read_debate(&self, debate: &DebateId) -> bool {
        let decision = self.shared.decide_access(&self.caller, Permission::Read, Some(debate.as_str()), None);
        matches!(decision, Ok(AccessDecision::Allowed))
    }

    fn sees_prompt(&self, debate: &DebateId, seat: &str) -> bool {
        let decision = self.shared.decide_access(&self.caller, Permission::Prompt, Some(debate.as_str()), Some(seat));
        matches!(decision, Ok(AccessDecision::Allowed))
    }

    fn reads_all(&self) -> bool {
        self.shared.reads_all(self.caller.visitor)
    }

    async fn record_call(&self, name: &str, debate: Option<&str>, seat: Option<&str>, result: &str) {
        let Some(row) = find_tool_row(name).filter(|row| row.is_audited) else { return };
        let event = AuditEvent {
            debate: debate.map(str::to_owned),
            target: seat.map(str::to_owned),
            result: result.to_owned(),
            ..super::audit_event(&self.caller, row.name)
        };
        super::write_audit(&self.shared.journal, event).await;
    }
}

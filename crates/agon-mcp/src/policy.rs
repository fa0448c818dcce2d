//! Who calls a tool, and whether they may. Where nobody says so, everything is allowed to everybody, under the names
//! that they claim: the program that mounts the server has let them in.

use agon_app::Failure;
use agon_core::DebateId;
use agon_journal::accounts::PrincipalId;
use agon_runtime::outside_seats::Claimant;

use crate::Debates;

/// Who acts where nobody says a name.
pub(crate) const NAMELESS: &str = "mcp";

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
    /// Whether the person may read a debate.
    pub(crate) fn can_read_debate(&self, debate: &DebateId) -> bool {
        self.policy.as_ref().is_none_or(|policy| policy.can_read_debate(debate))
    }

    /// Whether the person may see what a seat is asked.
    pub(crate) fn sees_prompt(&self, debate: &DebateId, seat: &str) -> bool {
        self.policy.as_ref().is_none_or(|policy| policy.sees_prompt(debate, seat))
    }

    /// Who acts: the person, or the name that is claimed.
    pub(crate) fn acting_claimant<'n>(&self, name: Option<&'n str>) -> Claimant<'n> {
        match &self.policy {
            Some(policy) => policy.calling_person().into(),
            None => name.unwrap_or(NAMELESS).into(),
        }
    }
}

//! Who asks for a debate, and what they may name.

use std::collections::BTreeSet;

use agon_core::DebateId;

/// Who asks for a debate.
#[derive(Debug, Default, Clone, PartialEq)]
pub enum Asker {
    /// A user of this machine, who may have what the machine lets them have.
    #[default]
    MachineUser,
    /// Someone elsewhere.
    Remote(RemoteRights),
}

/// What someone elsewhere may name. Nothing is, where nobody said so.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct RemoteRights {
    /// The debates that they may read, of those that the request names.
    pub readable: BTreeSet<DebateId>,
    /// Whether a model may be a file of this machine.
    pub model_files: bool,
}

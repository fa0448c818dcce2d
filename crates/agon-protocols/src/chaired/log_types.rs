//! Phases of a chaired debate and kinds of its log's entries, as its source system names them.

use serde::{Deserialize, Serialize};

/// A debate's phase, as log entries name it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Phase {
    #[default]
    System,
    Opening,
    Rebuttal,
    Closing,
}

/// The kind of a log entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Type {
    #[default]
    Setup,
    Announcement,
    Ruling,
    Redaction,
    Conclusion,
    OpeningStatement,
    NewPoint,
    Rebuttal,
    Conjecture,
    ClarificationRequest,
    ClosingStatement,
    SourceChallenge,
    VerificationResult,
    AudienceQuestion,
    AudienceConclusion,
    /// None of these: of a log made elsewhere. It is kept, and means nothing here.
    Other,
}

impl Phase {
    /// All, as the log writes them.
    pub const NAMES: [&'static str; 4] = ["system", "opening", "rebuttal", "closing"];

    /// As the log writes it.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl Type {
    /// All that a debate may have, as the log writes them.
    pub const NAMES: [&'static str; 15] = [
        "setup",
        "announcement",
        "ruling",
        "redaction",
        "conclusion",
        "opening_statement",
        "new_point",
        "rebuttal",
        "conjecture",
        "clarification_request",
        "closing_statement",
        "source_challenge",
        "verification_result",
        "audience_question",
        "audience_conclusion",
    ];

    /// As the log writes it.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or("other")
    }

    /// Whether it is an argument, which can be rebutted.
    pub fn is_argument(self) -> bool {
        matches!(
            self,
            Type::OpeningStatement | Type::NewPoint | Type::Rebuttal | Type::Conjecture | Type::ClosingStatement
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::request_values::word_of;

    #[test]
    fn every_name_is_that_of_files() {
        let phases = [Phase::System, Phase::Opening, Phase::Rebuttal, Phase::Closing];
        assert_eq!(phases.map(word_of), phases.map(|phase| phase.name().to_owned()));
        for (at, name) in Type::NAMES.into_iter().chain(["other"]).enumerate() {
            let kind: Type = crate::common::request_values::parse_word(name).unwrap();
            assert_eq!((kind as usize, kind.name()), (at, name));
        }
    }
}

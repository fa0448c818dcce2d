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
    /// As the log writes it.
    pub fn name(self) -> &'static str {
        match self {
            Phase::System => "system",
            Phase::Opening => "opening",
            Phase::Rebuttal => "rebuttal",
            Phase::Closing => "closing",
        }
    }
}

impl Type {
    /// All that a debate may have.
    pub const ALL: [Type; 15] = [
        Type::Setup,
        Type::Announcement,
        Type::Ruling,
        Type::Redaction,
        Type::Conclusion,
        Type::OpeningStatement,
        Type::NewPoint,
        Type::Rebuttal,
        Type::Conjecture,
        Type::ClarificationRequest,
        Type::ClosingStatement,
        Type::SourceChallenge,
        Type::VerificationResult,
        Type::AudienceQuestion,
        Type::AudienceConclusion,
    ];

    /// As the log writes it.
    pub fn name(self) -> &'static str {
        match self {
            Type::Setup => "setup",
            Type::Announcement => "announcement",
            Type::Ruling => "ruling",
            Type::Redaction => "redaction",
            Type::Conclusion => "conclusion",
            Type::OpeningStatement => "opening_statement",
            Type::NewPoint => "new_point",
            Type::Rebuttal => "rebuttal",
            Type::Conjecture => "conjecture",
            Type::ClarificationRequest => "clarification_request",
            Type::ClosingStatement => "closing_statement",
            Type::SourceChallenge => "source_challenge",
            Type::VerificationResult => "verification_result",
            Type::AudienceQuestion => "audience_question",
            Type::AudienceConclusion => "audience_conclusion",
            Type::Other => "other",
        }
    }

    /// Whether it is an argument, which can be rebutted.
    pub fn is_argument(self) -> bool {
        matches!(
            self,
            Type::OpeningStatement | Type::NewPoint | Type::Rebuttal | Type::Conjecture | Type::ClosingStatement
        )
    }
}

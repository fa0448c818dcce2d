//! What one turn of a duel says: the statement after its draft was accepted.

use agon_core::Faults;
use serde::{Deserialize, Serialize};

use crate::common::final_answer::FinalAnswer;

/// The position of a participant on the topic after a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Stance {
    /// Undecided.
    #[default]
    OpenToDebate,
    /// Moving towards the peer.
    Converging,
    /// Agrees, with nothing left that blocks.
    AcceptingConsensus,
    /// Disagrees.
    Dissenting,
    /// Takes something back, or changes it.
    Revising,
}

impl Stance {
    /// All of them, in the order of the format.
    pub const ALL: [Stance; 5] =
        [Stance::OpenToDebate, Stance::Converging, Stance::AcceptingConsensus, Stance::Dissenting, Stance::Revising];

    /// As turns and files name it.
    pub fn name(self) -> &'static str {
        ["OPEN_TO_DEBATE", "CONVERGING", "ACCEPTING_CONSENSUS", "DISSENTING", "REVISING"][self as usize]
    }

    /// As people write it: `ACCEPTING_CONSENSUS` as `accepting consensus`.
    pub fn describe(self) -> String {
        self.name().to_lowercase().replace('_', " ")
    }

    /// The stance called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stance| stance.name() == name)
    }
}

/// An objection, or a claim that nobody made before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TurnClaim {
    /// The turn or the part of the document that an objection answers.
    pub addresses: String,
    /// What is wrong or missing there, or what is new.
    pub claim: String,
    /// How it bears on the topic; empty where its author does not say.
    pub bears_on: String,
    /// What would fix it; empty where its author names nothing.
    pub repair: String,
    /// What the claim rests on; never empty.
    pub support: Vec<String>,
}

/// What a participant makes of a claim of its peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplyStance {
    /// It is right.
    Granted,
    /// It is right in part, or for another reason.
    Narrowed,
    /// It is wrong.
    Rejected,
}

impl ReplyStance {
    /// All of them, in the order of forms.
    pub const ALL: [ReplyStance; 3] = [ReplyStance::Granted, ReplyStance::Narrowed, ReplyStance::Rejected];

    /// As turns name it.
    pub fn name(self) -> &'static str {
        ["granted", "narrowed", "rejected"][self as usize]
    }
}

/// The reply to one claim of the peer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimReply {
    /// The claim, as the rules of the turn name it.
    pub claim: String,
    /// Whether it stands.
    pub stance: ReplyStance,
    /// Why, or what is left of it; may be empty.
    pub why: String,
}

/// A claim of the peer that a turn holds to be off the topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffTopicMark {
    /// The claim, as the rules of the turn name it.
    pub claim: String,
    /// Why.
    pub why: String,
}

/// An open question of a turn; a blocking one prevents consensus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unresolved {
    /// The question.
    pub text: String,
    /// Whether it stands in the way of consensus.
    pub blocking: bool,
}

/// The content of one turn, after its draft was accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contribution {
    /// Where the participant stands on the topic.
    pub position: String,
    /// Objections; never empty.
    pub counterpoints: Vec<TurnClaim>,
    /// What is granted; never empty.
    pub agreements: Vec<String>,
    /// What is new.
    pub novel: TurnClaim,
    /// What is left open; never empty.
    pub unresolved: Vec<Unresolved>,
    /// The stance after it.
    pub stance: Stance,
    /// Why the stance is another than before; empty where it is not.
    pub stance_support: Vec<String>,
    /// What it makes of claims of the peer; nothing in a turn that was not asked for it.
    pub replies: Option<Vec<ClaimReply>>,
    /// Its answer to the topic; none in a turn that was not asked for one.
    pub answer: Option<FinalAnswer>,
    /// Claims of the peer that it holds to be off the topic.
    pub off_topic: Vec<OffTopicMark>,
    /// What is worth a warning and no redraft.
    pub warnings: Vec<String>,
    /// Whether support was left out of it, which its author was told of before.
    pub told: bool,
}

impl Contribution {
    /// What it asserts, by the place in the draft: position, objections, the new claim.
    pub fn claims(&self) -> Vec<(String, &str)> {
        let objections = self.counterpoints.iter().enumerate();
        let objections = objections.map(|(i, point)| (format!("counterpoints[{i}].claim"), point.claim.as_str()));
        let first = [("position".to_owned(), self.position.as_str())].into_iter();
        first.chain(objections).chain([("novel_argument.claim".to_owned(), self.novel.claim.as_str())]).collect()
    }

    /// Every entry of support.
    pub fn support(&self) -> impl Iterator<Item = &String> {
        self.counterpoints.iter().chain([&self.novel]).flat_map(|claim| &claim.support).chain(&self.stance_support)
    }

    /// Its claims by the names that replies use, such as `Turn 2, counterpoint 1` of turn `number`.
    pub fn claim_names(&self, number: u32) -> impl Iterator<Item = String> + use<> {
        let points = (1..=self.counterpoints.len()).map(move |at| format!("Turn {number}, counterpoint {at}"));
        points.chain([format!("Turn {number}, novel argument")])
    }

    /// Everything that it says, as text in which a quotation can be looked up.
    pub fn searchable_text(&self) -> String {
        fn parts(claim: &TurnClaim) -> impl Iterator<Item = &String> {
            [&claim.claim, &claim.repair].into_iter().chain(&claim.support)
        }
        let items = self.unresolved.iter().map(|item| &item.text);
        let replies = self.replies.iter().flatten().map(|reply| &reply.why);
        let answer = self.answer.iter().flat_map(FinalAnswer::texts);
        let all = std::iter::once(&self.position).chain(self.counterpoints.iter().flat_map(parts));
        let all = all.chain(&self.agreements).chain(parts(&self.novel));
        let all = all.chain(items).chain(replies).chain(&self.stance_support).map(String::as_str).chain(answer);
        all.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// The same, standing in spite of `copies`.
    pub fn with_copy_warnings(mut self, copies: &Faults) -> Self {
        self.warnings.extend(copies.0.iter().map(ToString::to_string));
        self
    }

    /// How many open items stand in the way of consensus.
    pub fn count_blocking(&self) -> usize {
        self.unresolved.iter().filter(|item| item.blocking).count()
    }
}

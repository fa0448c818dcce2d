//! `debate.md`: the state of a debate and its motion.

use agon_core::Record;
use agon_protocols::exchange::state::{ExchangeState, exchange_key};
use agon_text::markdown;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    frontmatter::{self, Document},
    motion_file::{Body, MotionTerms},
    scores::SideTotals,
};

/// What must happen next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextPhase {
    /// Both sides argue.
    AwaitingArguments,
    /// The judge scores what is new.
    AwaitingJudgment,
}

/// The content of `debate.md`: motion, phase and cumulative scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebateFile {
    /// The debate's slug.
    pub debate_id: String,
    /// The exchange that is under way; as many are over.
    pub current_exchange: u32,
    /// What must happen next in it.
    pub current_phase: NextPhase,
    /// The sides' totals.
    pub cumulative_scores: SideTotals,
    /// What is debated, the terms and the scope.
    #[serde(skip)]
    pub body: Body,
}

impl DebateFile {
    /// The state of `record`, its texts guarded.
    pub fn from_record(record: &Record, argued: &ExchangeState, cumulative_scores: SideTotals) -> Self {
        let opened = record.opened();
        let current_exchange = argued.judgments.len() as u32;
        let argued = agon_core::Key::from_parts(exchange_key(current_exchange, "arguments"));
        let argued = record.find_ruling(&argued).is_some();
        let MotionTerms { definitions, scope } = MotionTerms::deserialize(&opened.options).unwrap_or_default();
        let definitions =
            definitions.iter().map(|one| [&one.term, &one.definition].map(|text| markdown::escape_line(text)));
        let definitions = definitions.filter(|texts| texts.iter().all(|text| !text.is_empty()));
        let body = Body {
            motion: markdown::escape_prose(opened.motion.trim()),
            definitions: definitions.map(Into::into).collect(),
            scope: scope.as_deref().map(markdown::escape_prose).filter(|scope| !scope.trim().is_empty()),
            ..Body::default()
        };
        Self {
            debate_id: super::debate_slug(record),
            current_exchange,
            current_phase: if argued { NextPhase::AwaitingJudgment } else { NextPhase::AwaitingArguments },
            cumulative_scores,
            body,
        }
    }

    /// The file. Optional sections that are empty are left out.
    pub fn render(&self) -> String {
        let Body { motion, definitions, scope, .. } = &self.body;
        let mut blocks = vec!["# Motion".to_owned(), motion.clone()];
        if !definitions.is_empty() {
            blocks.push("## Definitions".into());
            blocks.extend(definitions.iter().map(|(term, means)| format!("- **{term}**: {means}")));
        }
        blocks.extend(scope.iter().flat_map(|scope| ["## Scope".into(), scope.clone()]));
        frontmatter::render_document(self, &(blocks.join("\n\n") + "\n"))
    }

    /// The file `original`, which someone else wrote, with this state: its other keys and its body
    /// stay as they are.
    pub fn update_original(&self, original: &str) -> String {
        let Ok(Document { mut front, body }) = Document::parse(original) else { return self.render() };
        front.insert("current_exchange".into(), self.current_exchange.into());
        front.insert("current_phase".into(), json!(self.current_phase));
        front.insert("cumulative_scores".into(), json!(self.cumulative_scores));
        Document { front, body }.render()
    }

    /// Reads a file. The motion is what stands below the first heading, up to the next.
    ///
    /// # Errors
    ///
    /// Why the text is not a `debate.md`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Document { front, body } = Document::parse(text)?;
        let file: Self = serde_json::from_value(front.into()).map_err(|error| format!("frontmatter: {error}"))?;
        let body = Body::parse(&body);
        let body = body.ok_or("no motion: a heading with the motion below it is wanted after the frontmatter")?;
        Ok(Self { body, ..file })
    }
}

//! A reply, before a provider's dialect writes it.

use agon_core::{form::FormField, sample};
use serde::Serialize;
use serde_json::json;

use crate::{MockFault, ask::TextRequest, log::Tokens, prose::Prose};

/// Characters in a piece of a stream.
const PIECE_CHARS: usize = 24;

/// Maximum number of pieces of a stream; longer texts have longer pieces.
const PIECES_MAX: usize = 2_000;

/// Why a reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// By itself.
    Stop,
    /// At its token limit.
    Length,
    /// The model declined.
    Refusal,
    /// A filter cut it.
    Filter,
}

/// A piece of a reply: text, but for the faults that are about other things.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Piece {
    /// Text.
    Text(String),
    /// A number, or null.
    Other(Option<u64>),
}

/// One reply of the mock, before a provider's dialect writes it.
#[derive(Debug, Clone)]
pub struct ReplyText {
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// The tool whose input it is; none where it is text.
    pub tool: Option<String>,
    /// How it ends.
    pub finish: FinishReason,
    /// What was charged.
    pub tokens: Tokens,
    /// What is shown of it: the truth, nothing, or more than there is.
    pub shown: Option<Tokens>,
    /// The model that answered.
    pub model: String,
    /// The provider's id of it.
    pub id: String,
}

impl ReplyText {
    /// Composes the reply to `ask`: `scripted` where given, else generated; changed by `fault`.
    pub fn new(ask: &TextRequest, scripted: Option<String>, fault: Option<&MockFault>, cached: u64) -> Self {
        let text = scripted.unwrap_or_else(|| generate_reply(ask));
        let text = match fault {
            Some(MockFault::MaxTokens) => text.chars().take(text.chars().count() / 2).collect(),
            Some(MockFault::Refusal) => "I cannot help with that.".to_owned(),
            Some(MockFault::Filter) => text.chars().take(20).collect(),
            Some(MockFault::Malformed) => {
                format!("{{\"arguments\": [{{\"claim\": \"{}", &text[..text.len().min(9)])
            }
            Some(MockFault::Fenced) => format!("Here it is:\n\n```json\n{text}\n```\n"),
            Some(MockFault::WrongSchema) => json!({"unrelated": [1, 2, 3]}).to_string(),
            Some(MockFault::Empty | MockFault::Null | MockFault::WrongType) => String::new(),
            Some(MockFault::Nul) => format!("Before\0after. {text}"),
            Some(MockFault::Large(bytes) | MockFault::OnePiece(bytes)) => generate_large_text(ask, *bytes),
            _ => text,
        };
        let (text, cut) = truncate_tokens(text, ask.tokens_max.filter(|_| fault.is_none()));
        let finish = match fault {
            Some(MockFault::Refusal) => FinishReason::Refusal,
            Some(MockFault::Filter) => FinishReason::Filter,
            Some(MockFault::MaxTokens) => FinishReason::Length,
            _ if cut => FinishReason::Length,
            _ => FinishReason::Stop,
        };
        let pieces = match fault {
            Some(MockFault::Null) => vec![Piece::Other(None)],
            Some(MockFault::WrongType) => vec![Piece::Other(Some(42))],
            Some(MockFault::OnePiece(_)) => vec![Piece::Text(text.clone())],
            _ => split_pieces(&text),
        };
        let tokens = Tokens {
            prompt: count_tokens(&ask.prompt) + 3 * ask.messages as u64,
            cached,
            completion: count_tokens(&text),
        };
        let shown = match fault {
            Some(MockFault::MissingUsage) => None,
            Some(MockFault::AbsurdUsage) => {
                Some(Tokens { prompt: u32::MAX.into(), cached: 0, completion: 9_000_000_000_000_000_000 })
            }
            _ => Some(tokens),
        };
        let id = format!("mock-{:012x}", Prose::new(&ask.prompt).next_number() >> 16);
        let (tool, model) = (ask.tool.clone(), ask.model.clone());
        Self { pieces, tool, finish, tokens, shown, model, id }
    }

    /// The whole of it.
    pub fn whole_content(&self) -> Piece {
        let text_of = |piece: &Piece| match piece {
            Piece::Text(text) => Some(text.clone()),
            Piece::Other(_) => None,
        };
        match self.pieces.as_slice() {
            [only] => only.clone(),
            pieces => Piece::Text(pieces.iter().filter_map(text_of).collect()),
        }
    }
}

/// A valid instance for a schema, else prose; it follows from the prompt.
fn generate_reply(ask: &TextRequest) -> String {
    let mut prose = Prose::new(&ask.prompt);
    match &ask.schema {
        Some(schema) => {
            let mut value = sample::sample_value(&FormField::from_schema(schema), 0);
            prose.vary_strings(&mut value, schema);
            value.to_string()
        }
        None => prose.write_sentences(4),
    }
}

/// Tokens of `text`, as this server counts them: four characters each.
pub fn count_tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}

fn truncate_tokens(text: String, tokens_max: Option<u64>) -> (String, bool) {
    match tokens_max {
        Some(most) if count_tokens(&text) > most => (text.chars().take(most as usize * 4).collect(), true),
        _ => (text, false),
    }
}

/// Text of about `bytes` bytes.
fn generate_large_text(ask: &TextRequest, bytes: usize) -> String {
    let sentences = Prose::new(&ask.prompt).write_sentences(10);
    sentences.repeat(bytes / sentences.len() + 1)
}

fn split_pieces(text: &str) -> Vec<Piece> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(PIECE_CHARS.max(chars.len() / PIECES_MAX)).map(|piece| Piece::Text(piece.iter().collect())).collect()
}

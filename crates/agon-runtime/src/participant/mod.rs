//! Participants: one trait, and one file for each kind.

pub mod command;
mod json;
pub mod outside;
mod price;
pub mod provider;
pub mod recorded;
pub mod scripted;
mod settings;

use std::{borrow::Cow, sync::Arc, time::Duration};

use agon_core::{FailureKind, Key, Usage, form::FormField};

use crate::{
    lookups::{LookupDesk, LookupTurn, RequestedLookups},
    prompts::chain::{ChainStep, ModelSize},
};

pub use self::{
    price::{LongPromptPrice, Price, price_usage},
    settings::{Effort, Settings},
};
pub use crate::message::{ChatMessage, ChatRole};

/// Characters that are read for each token that was allowed, and those on top.
const WRITTEN_PER_TOKEN: usize = 4;
const WRITTEN_SPARE: usize = 1_024;
/// Bytes of text for one token, at worst.
const BYTES_PER_TOKEN: u64 = 3;

/// One call of a participant: prompt, schema, limits and seed.
#[derive(Debug, Clone)]
pub struct Call {
    /// The request that is answered.
    pub key: Key,
    /// Attempts before this one, restarts included.
    pub attempt: u32,
    /// Answers that this seat has on the record already.
    pub turn: u32,
    /// The rendered prompt. The last message is a user's.
    pub messages: Vec<ChatMessage>,
    /// How the answer is asked for piece by piece, for a participant that [`Participant::model_size`] says is small;
    /// empty where it is given at once.
    pub chain: Arc<[ChainStep]>,
    /// The form of the answer wanted; `None` for prose.
    pub schema: Option<Arc<FormField>>,
    /// [`count_schema_bytes`] of it.
    pub schema_bytes: usize,
    /// Maximum number of tokens to write.
    pub tokens_max: u32,
    /// Maximum number of bytes to read; reading stops there and the call fails as too large.
    pub bytes_max: usize,
    /// Sampling temperature, 0 to 2.
    pub temperature: f32,
    /// Sampling seed, derived from the debate's seed and the key.
    pub seed: u64,
    /// Everything said in the debate before, oldest first: what the answer should not copy.
    pub earlier: Arc<[String]>,
    /// What may be looked up for the answer; `None` where nothing may.
    pub lookups: Option<CallLookups>,
}

/// The lookups of a call: where they are made, and the turns in which the participant called for them.
#[derive(Debug, Clone)]
pub struct CallLookups {
    /// Makes and keeps them.
    pub desk: Arc<LookupDesk>,
    /// The turns so far, for a participant that says what it wants to look up and is asked again.
    pub turns: Vec<LookupTurn>,
}

/// Bytes of a schema as a model reads it, without examples.
pub fn count_schema_bytes(schema: Option<&FormField>) -> usize {
    schema.map_or(0, |schema| schema.clone().without_examples().to_string().len())
}

impl Call {
    /// The same without the examples of its schema: a model that reads the whole prompt copies from there.
    pub fn without_examples(&self) -> Cow<'_, Self> {
        let Some(schema) = &self.schema else { return Cow::Borrowed(self) };
        let plain = FormField::clone(schema).without_examples();
        match plain == **schema {
            true => Cow::Borrowed(self),
            false => Cow::Owned(Self { schema: Some(Arc::new(plain)), ..self.clone() }),
        }
    }

    /// Bytes of everything that the participant reads but the schema.
    pub fn prompt_bytes(&self) -> usize {
        let told: usize = self.messages.iter().map(|message| message.text.len()).sum();
        let turns = self.lookups.iter().flat_map(|lookups| &lookups.turns);
        told + turns.map(LookupTurn::bytes).sum::<usize>()
    }

    /// Whether something more may be looked up.
    pub fn may_look_up(&self) -> bool {
        self.lookups.as_ref().is_some_and(|lookups| !lookups.desk.is_closed())
    }

    /// How much a provider may write, thinking included, before reading stops: a server that ignores the
    /// limit of tokens is held to it in characters ([`count_weighted_chars`]). No tokenizer in use makes more than four
    /// and a half characters of prose a token, and an answer that is worth anything ends before its limit.
    pub fn written_max(&self) -> usize {
        (self.tokens_max as usize).saturating_mul(WRITTEN_PER_TOKEN).saturating_add(WRITTEN_SPARE)
    }

    /// The most tokens that an answer within [`Call::written_max`] is counted at.
    pub fn completion_tokens_worst(&self) -> u64 {
        u64::from(self.tokens_max).max((self.written_max() as u64).div_ceil(BYTES_PER_TOKEN))
    }
}

/// Characters of `text`; those of wide scripts, whose tokens hold fewer of them, count one and a half times.
pub fn count_weighted_chars(text: &str) -> usize {
    text.chars().count().max(text.len() / 2)
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Verbatim.
    pub text: String,
    /// Tokens of this call; `None` where the provider gave none.
    pub usage: Option<Usage>,
    /// The model that the provider says answered.
    pub model: Option<String>,
    /// What computed it; `None` where the provider does not say.
    pub engine: Option<String>,
}

/// Why a call gave no answer. The variant decides whether agon retries, stops, or records a failure.
#[derive(Debug, Clone, PartialEq, thiserror::Error, strum::IntoStaticStr)]
#[error("{message}")]
#[strum(serialize_all = "snake_case")]
pub enum CallFailure {
    /// May pass by itself: 408, 409, 429, 5xx, connect, reset, hang, broken stream. Tried again.
    Transient {
        /// One line, without secrets or markup.
        message: String,
        /// What the provider asked to wait.
        retry_after: Option<Duration>,
        /// Tokens that were paid for nevertheless, estimated where nobody said; `None` is nothing.
        usage: Option<Usage>,
    },
    /// Nothing, or nothing more, came within the limits of time. Tried again like what is transient;
    /// a participant that is silent every time has fallen silent, and a protocol may have a rule for that.
    Silent {
        /// One line, without secrets or markup.
        message: String,
        /// Tokens that were paid for nevertheless, estimated where nobody said; `None` is nothing.
        usage: Option<Usage>,
    },
    /// The request was turned down for a field that others take, and nothing was generated. The next
    /// one leaves it out: it is made at once, and is a request like any other.
    Narrowed {
        /// One line, without secrets or markup.
        message: String,
    },
    /// The provider cannot be used: key, quota, no such model, no network, wrong request. Never
    /// tried again; the debate stops, resumable.
    Unavailable {
        /// One line, without secrets or markup.
        message: String,
        /// What the user can do.
        remedy: String,
    },
    /// The same, found out when part of an answer had come.
    BrokenOff {
        /// One line, without secrets or markup.
        message: String,
        /// What the user can do.
        remedy: String,
        /// Tokens that were probably paid for.
        usage: Usage,
    },
    /// The participant answered in a way that is not a statement; the protocol's rule applies.
    #[strum(serialize = "no_statement")]
    Answered {
        /// What kind of answer it was.
        kind: FailureKind,
        /// One line.
        message: String,
        /// Tokens that were paid for nevertheless; `None` where the provider did not say.
        usage: Option<Usage>,
    },
    /// The participant wants to look something up first. It is asked again with what that gives, and nothing failed.
    #[error("it looks something up")]
    LooksUp {
        /// What it said and called.
        requested: Box<RequestedLookups>,
        /// Tokens of this turn; `None` where the provider did not say.
        usage: Option<Usage>,
    },
    /// The prompt does not fit the model. It is asked again with a shorter one where the protocol allows that.
    TooLong {
        /// One line, without secrets or markup.
        message: String,
        /// Tokens that were paid for nevertheless; `None` is nothing.
        usage: Option<Usage>,
    },
}

impl CallFailure {
    /// What kind of failure it is, in a word: for logs, which repeat nothing that a provider wrote.
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// Tokens that were paid for nevertheless; `None` where there were none, or nobody can say.
    pub fn usage(&self) -> Option<Usage> {
        match self {
            Self::Transient { usage, .. }
            | Self::Silent { usage, .. }
            | Self::Answered { usage, .. }
            | Self::LooksUp { usage, .. }
            | Self::TooLong { usage, .. } => *usage,
            Self::BrokenOff { usage, .. } => Some(*usage),
            Self::Narrowed { .. } | Self::Unavailable { .. } => None,
        }
    }

    /// What the user can do where it stops the debate; empty elsewhere.
    pub fn remedy(&self) -> &str {
        match self {
            Self::Unavailable { remedy, .. } | Self::BrokenOff { remedy, .. } => remedy,
            _ => "",
        }
    }
}

/// The result of a probe, which costs nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// It can be asked.
    Ready,
    /// It can probably be asked; the warning is shown.
    Doubtful(String),
}

/// Receives the text of an answer while the participant writes it. Only screens use it.
pub trait Deltas: Send + Sync {
    /// `text` follows what came before in this call.
    fn push_delta(&self, text: &str);
}

impl<F: Fn(&str) + Send + Sync> Deltas for F {
    fn push_delta(&self, text: &str) {
        self(text);
    }
}

/// A source of answers: a model, a command-line agent, a person or a script.
/// An error is a failure of the call, never an answer.
#[async_trait::async_trait]
pub trait Participant: Send + Sync {
    /// Waits until limits of rate that this process shares leave room for the call, and counts it. Nothing is
    /// sent; cancelled by dropping the future. Called once before each [`Participant::answer`].
    async fn admit_call(&self, _call: &Call) -> Result<(), CallFailure> {
        Ok(())
    }

    /// Answers one call. Cancelled by dropping the future.
    async fn answer(&self, call: &Call, deltas: &dyn Deltas) -> Result<Answer, CallFailure>;

    /// Whether it can be asked, found out without spending anything.
    async fn probe(&self) -> Result<Probe, CallFailure> {
        Ok(Probe::Ready)
    }

    /// Which layer of prompts it is asked with.
    fn model_size(&self) -> ModelSize {
        ModelSize::Large
    }

    /// What a token costs, where known.
    fn price(&self) -> Option<Price> {
        None
    }

    /// What it is asked with otherwise than its prompts say.
    fn settings(&self) -> Settings {
        Settings::default()
    }

    /// Tokens that the limit of an answer gets in addition, so that there is room for thinking. `None` where the limit
    /// is fixed: the user named it, or the participant has no longer answers to give.
    fn thinking_room(&self) -> Option<u32> {
        None
    }

    /// Whether its calls are charged by a provider. Where no price is known, their cost is unknown then, and
    /// not zero.
    fn is_paid(&self) -> bool {
        false
    }

    /// Whether it can be offered tools by which something is looked up.
    fn can_look_up(&self) -> bool {
        false
    }

    /// Whether a model answers: it can say something else when it is asked again.
    fn is_model(&self) -> bool {
        false
    }

    /// Whether it is a part of this program: it costs nothing, and is not tried again.
    fn is_program(&self) -> bool {
        false
    }

    /// Whether it is never called: its answers come as an outside seat.
    fn is_outside(&self) -> bool {
        false
    }
}

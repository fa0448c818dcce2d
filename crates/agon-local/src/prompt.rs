//! What goes into a generation and what comes out of it.

/// Who said a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum PromptRole {
    /// Instructions that hold for the whole conversation.
    System,
    /// The other side.
    User,
    /// The model itself.
    Assistant,
}

impl PromptRole {
    /// The name chat templates use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One message of a conversation. Its text is data: control tokens spelled out in it stay plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptMessage {
    /// Who said it.
    pub role: PromptRole,
    /// What was said.
    pub text: String,
}

impl PromptMessage {
    /// A message with role [`PromptRole::System`].
    pub fn system(text: impl Into<String>) -> Self {
        Self { role: PromptRole::System, text: text.into() }
    }

    /// A message with role [`PromptRole::User`].
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: PromptRole::User, text: text.into() }
    }

    /// A message with role [`PromptRole::Assistant`].
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: PromptRole::Assistant, text: text.into() }
    }
}

/// One request for text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalPrompt {
    /// The conversation so far, oldest first. Parts shared between requests belong at the start:
    /// a common beginning is evaluated only once.
    pub messages: Vec<PromptMessage>,
    /// A JSON Schema, as text, that the answer must follow. Keywords the decoder cannot enforce are ignored, so
    /// callers still validate; `maxLength` and `maxItems` are enforced and keep answers short.
    pub schema: Option<String>,
    /// Most tokens to generate, at least 1.
    pub tokens_max: u32,
    /// Seed of the sampler. Same seed, prompt, threads and build: same text, up to rounding
    /// differences between a cached and a freshly evaluated beginning, and between answers written alone and
    /// together.
    pub seed: u64,
    /// Sampling temperature; 0 always takes the likeliest token.
    pub temperature: f32,
    /// Words that the answer continues: they are read as if the model had begun with them, and are not part of what
    /// it is said to have written. Without a schema or choices only.
    pub lead: String,
    /// Texts that end the answer; they are not part of it.
    pub stop: Vec<String>,
    /// Short texts to choose from, for example `1` to `5`: if there are some, the likeliest is the whole answer,
    /// and [`Generation::weights`] says how likely each was. The first token must tell them apart.
    pub choices: Vec<String>,
    /// All earlier statements of the debate, oldest first. Phrases of four tokens and more that
    /// already occur in them become unlikely, which keeps small models from copying them.
    pub earlier: Vec<String>,
}

impl LocalPrompt {
    /// A prompt with these messages, at most 1,024 tokens of answer, seed 0, temperature 0.7,
    /// and no schema, lead, stop text or earlier statement.
    pub fn new(messages: Vec<PromptMessage>) -> Self {
        Self { messages, tokens_max: 1024, temperature: 0.7, ..Self::default() }
    }
}

/// Why a generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The model ended its answer, the schema was complete, or a stop text came.
    Stop,
    /// `tokens_max` was reached: the answer is probably incomplete.
    Length,
    /// The request was cancelled: the text holds what was there by then.
    Cancelled,
}

/// The outcome of a [`LocalPrompt`].
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// The answer: exactly the deltas joined.
    pub text: String,
    /// Tokens of the prompt, chat framing included.
    pub prompt_tokens: u32,
    /// Those of them that were already evaluated for an earlier request.
    pub cached_tokens: u32,
    /// Tokens generated, the end token included.
    pub completion_tokens: u32,
    /// How likely each of the prompt's choices was, in their order; the sum is 1. Empty without choices.
    pub weights: Vec<f32>,
    /// Why it ended.
    pub finish: StopReason,
    /// The name the model file gives itself, or else its file name.
    pub model_name: String,
    /// What computed it: "llama.cpp 0.5.0, haswell kernels, 2 threads".
    pub computed_by: String,
    /// Threads that computed it.
    pub threads: u32,
    /// Time to evaluate the prompt, in seconds, without waiting in the queue; answers of other requests are
    /// written meanwhile.
    pub prompt_seconds: f64,
    /// Time to generate the answer, in seconds.
    pub generation_seconds: f64,
}

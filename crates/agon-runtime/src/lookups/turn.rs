//! What a model said before it had answered: the tools that it called, and what they gave.

/// A call of a tool, as a model made it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The provider's name of the call; empty where it gives none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is given, as JSON; not checked.
    pub arguments: String,
    /// What the provider wants back with it unchanged.
    pub signature: Option<String>,
}

/// A part of a model's thinking that its provider wants back unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thought {
    /// The words.
    pub text: String,
    /// What proves to the provider that they are the model's; a thought without is not sent back.
    pub signature: String,
}

/// What a model wants to look up before it answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestedLookups {
    /// Its thinking, where its provider wants it back.
    pub thoughts: Vec<Thought>,
    /// What it said in addition to the calls.
    pub said: String,
    /// The calls; at least one.
    pub calls: Vec<ToolCall>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeCall {
    /// The call.
    pub call: ToolCall,
    /// What the model is shown, escaped and within its tags.
    pub text: String,
}

/// One turn: what the model said and called, and what it was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookupTurn {
    /// Its thinking, where its provider wants it back.
    pub thoughts: Vec<Thought>,
    /// What it said in addition to the calls; often nothing.
    pub said: String,
    /// The calls with their results, in the model's order. There is at least one.
    pub results: Vec<MadeCall>,
}

impl LookupTurn {
    /// Bytes that a model reads of it.
    pub fn bytes(&self) -> usize {
        let thoughts: usize = self.thoughts.iter().map(|thought| thought.text.len() + thought.signature.len()).sum();
        let result = |result: &MadeCall| result.text.len() + result.call.name.len() + result.call.arguments.len();
        thoughts + self.said.len() + self.results.iter().map(result).sum::<usize>()
    }
}

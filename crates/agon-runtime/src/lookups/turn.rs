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

/// One turn: what the model said and called, and what it was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookupTurn {
    /// What it said and called.
    pub requested: RequestedLookups,
    /// What the model is shown of each call, in their order, escaped and within its tags.
    pub results: Vec<String>,
}

impl LookupTurn {
    /// The calls, each with what the model is shown of it.
    pub fn made_calls(&self) -> impl Iterator<Item = (&ToolCall, &String)> {
        self.requested.calls.iter().zip(&self.results)
    }

    /// Bytes that a model reads of it.
    pub fn bytes(&self) -> usize {
        let thoughts = self.requested.thoughts.iter().map(|thought| thought.text.len() + thought.signature.len());
        let made = self.made_calls().map(|(call, text)| text.len() + call.name.len() + call.arguments.len());
        thoughts.sum::<usize>() + self.requested.said.len() + made.sum::<usize>()
    }
}

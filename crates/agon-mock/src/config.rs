//! The settings of a mock server.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    path::PathBuf,
    time::Duration,
};

use axum::http::StatusCode;

use crate::{MockFault, MockRate};

/// One scripted answer of one model.
#[derive(Debug, Clone, PartialEq)]
pub enum Say {
    /// This text.
    Text(String),
    /// None: it fails.
    Fails(MockFault),
}

/// The settings of the mock server.
#[derive(Debug, Clone)]
pub struct MockConfig {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// File that the log is appended to.
    pub log: Option<PathBuf>,
    /// Time before the first byte of a reply.
    pub latency: Duration,
    /// Time between the pieces of a reply.
    pub pause: Duration,
    /// Models that the list names.
    pub models: Vec<String>,
    /// The model that says it answered, where it is another than the one asked.
    pub answers_as: Option<String>,
    /// The one key that is accepted; `None` accepts everything.
    pub key: Option<String>,
    /// Replies given first, in order.
    pub replies: VecDeque<String>,
    /// Replies to prompts that hold the first text.
    pub rules: Vec<(String, String)>,
    /// What single models say first, in order, by their names: where each seat of a debate is a model
    /// of its own, its part.
    pub parts: BTreeMap<String, VecDeque<Say>>,
    /// Models whose every request for text fails, once they have said their part.
    pub failing: BTreeMap<String, MockFault>,
    /// Faults by the number of the request for text, from 0.
    pub faults: BTreeMap<usize, MockFault>,
    /// The fault of every other request for text.
    pub always: Option<MockFault>,
    /// How many requests for text are taken; `None` takes all.
    pub rate: Option<MockRate>,
    /// The status of the model list, where it fails.
    pub models_status: Option<StatusCode>,
}

impl Default for MockConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            log: None,
            latency: Duration::ZERO,
            pause: Duration::ZERO,
            models: vec!["mock".to_owned()],
            answers_as: None,
            key: None,
            replies: VecDeque::new(),
            rules: Vec::new(),
            parts: BTreeMap::new(),
            failing: BTreeMap::new(),
            faults: BTreeMap::new(),
            always: None,
            rate: None,
            models_status: None,
        }
    }
}

impl MockConfig {
    /// Every request for text fails like this.
    pub fn with_constant_fault(fault: MockFault) -> Self {
        Self { always: Some(fault), ..Self::default() }
    }

    /// The request for text with this number fails like this.
    pub fn with_fault_at(mut self, number: usize, fault: MockFault) -> Self {
        self.faults.insert(number, fault);
        self
    }

    /// These replies come first.
    pub fn with_replies<T: Into<String>>(mut self, replies: impl IntoIterator<Item = T>) -> Self {
        self.replies.extend(replies.into_iter().map(Into::into));
        self
    }
}

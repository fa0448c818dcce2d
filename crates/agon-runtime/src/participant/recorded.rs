//! A participant that repeats the answers of an earlier debate, by their keys.

use std::collections::BTreeMap;

use agon_core::{Answered, DebateId, Key, Record, Reply, Usage};

use super::{Answer, Call, CallFailure, Deltas, Participant};

/// Answers from an earlier record, at no cost.
#[derive(Debug, Clone)]
pub struct RecordedParticipant {
    debate: DebateId,
    replies: BTreeMap<Key, (Reply, Option<String>)>,
}

impl RecordedParticipant {
    /// Answers as `shown` shows those that `record` holds; where it shows nothing, there is none.
    pub fn new(record: &Record, shown: impl Fn(&Answered) -> Option<Reply>) -> Self {
        let replies = record
            .answers()
            .filter_map(|(_, answered)| Some((answered.key.clone(), (shown(answered)?, answered.by.model.clone()))));
        Self { debate: record.opened().debate.clone(), replies: replies.collect() }
    }
}

#[async_trait::async_trait]
impl Participant for RecordedParticipant {
    async fn answer(&self, call: &Call, deltas: &dyn Deltas) -> Result<Answer, CallFailure> {
        match self.replies.get(&call.key) {
            Some((Reply::Said { text }, model)) => {
                deltas.push_delta(text);
                let usage = Some(Usage { requests: 1, ..Usage::default() });
                Ok(Answer { text: text.clone(), usage, model: model.clone(), engine: None })
            }
            Some((Reply::Failed(failed), _)) => Err(CallFailure::Answered {
                kind: failed.kind,
                message: failed.detail.clone(),
                usage: Some(Usage { requests: 1, ..Usage::default() }),
            }),
            Some((Reply::Elapsed, _)) | None => Err(CallFailure::Unavailable {
                message: format!("the debate {} has no answer to {}", self.debate, call.key),
                remedy: "give the seat another model".into(),
            }),
        }
    }
}

//! Proposed line-ups: how many members they can have, and who approves them.

use agon_core::Manifest;
use agon_protocols::common::lineup::NUMBER;
use agon_runtime::config::{Config, default_model};
use serde_json::json;

use super::MemberRequest;
use crate::{lineup, prompt_templates::RecordOptions, request::OpeningRequest};

/// Maximum number of members that are proposed where nobody said how many.
const PROPOSED_MAX: u32 = 4;

/// A line-up that is proposed when the debate begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineupProposal {
    /// Whether it is put to the host.
    pub approve: bool,
    /// Seats that the row has, those in reserve included; 0 where the protocol's own number holds.
    pub row: u32,
    /// How many members it may have at first, where the row has more.
    number: Option<(u32, u32)>,
}

impl LineupProposal {
    /// What is proposed in a debate by `manifest` with these `members`; `None` where they are settled.
    /// `asked` says whether anyone is there to be asked.
    pub fn from_request(
        manifest: &Manifest,
        members: &[MemberRequest],
        request: &OpeningRequest,
        config: &Config,
        asked: bool,
    ) -> Option<Self> {
        let settled = !members.is_empty() && members.iter().all(|member| member.is_whole(&manifest.member_details));
        let (row, most) = manifest.find_seat_row().filter(|_| manifest.approval && !settled)?;
        if manifest.member_details.is_empty() {
            // Here a named debater needs nothing more, and the row is as long as it is said to be.
            let row = request.lineup.count.unwrap_or_default();
            return members.is_empty().then_some(Self { approve: asked, row, number: None });
        }
        let named = Some(members.len() as u32).filter(|count| *count > 0);
        let said =
            named.or(request.lineup.count).or(lineup::last_given(row, &request.seats.seats).map(|n| n.max(most.min)));
        // A seat that waits for a person is not kept in reserve.
        let given = request.seats.seats.iter().filter_map(|pair| pair.split_once('='));
        let model = given.into_iter().find(|(name, _)| *name == row.name).map(|(_, model)| model.to_owned());
        let model = model.or(request.seats.model.clone()).unwrap_or_else(|| default_model(config));
        let waits = ["human", "outside"].contains(&model.as_str());
        let number = match said {
            Some(said) => (said, said),
            None if waits => (most.default, most.default),
            None => (most.min, PROPOSED_MAX.clamp(most.min, most.max)),
        };
        let seats = if asked && !waits { most.max } else { number.1 };
        Some(Self { approve: asked, row: seats, number: Some(number).filter(|n| *n != (seats, seats)) })
    }

    /// Says on the record what the proposal may be.
    pub fn record_options(&self, options: &mut RecordOptions) {
        if let Some((min, max)) = self.number {
            options.insert(NUMBER.into(), json!({"min": min, "max": max}));
        }
        if self.approve {
            options.insert("approve".into(), true.into());
        }
    }
}

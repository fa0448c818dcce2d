//! The host's approval of a proposed line-up: asked for in words, read by the proposer, revised as wished.

use std::sync::Arc;

use agon_core::{Attempt, Floor, Flow, Lost, Request};
use serde::Serialize;
use serde_json::json;

use super::{
    HOST, MEMBERS_MIN, Member, SettledLineup, TEXT_CHARS_MAX, Unfilled,
    approval_reading::{self, Consent},
    proposal::{self, Proposal, Wishes},
};
use crate::common::{absence::record_warnings, fields::one_line, named_seat};

/// Revisions after which the host is asked to accept or to cancel.
const REVISIONS_MAX: u32 = 5;
/// How often one line-up is put to the host again because its answer settled nothing.
const AGAIN_MAX: u32 = 4;

/// Why a line-up is put to the host again, as the prompt tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum ApprovalNote {
    /// The answer could not be understood.
    Unclear,
    /// So many as it wants cannot take part.
    Number,
    /// The proposer could not make the change.
    Unchanged,
    /// No more changes can be made.
    Last,
}

/// Key of a revision.
fn revision_key(key: &str, revision: u32) -> String {
    match revision {
        0 => key.to_owned(),
        1 => format!("{key}/revised"),
        more => format!("{key}/revised-{more}"),
    }
}

impl Proposal<'_> {
    /// The members that the host accepts of this proposal, which was answered by `members` under `key`. A member who is
    /// not there to object accepts.
    pub fn obtain_approval(&self, floor: &mut Floor<'_>, key: &str, mut members: Vec<Member>) -> Flow<SettledLineup> {
        let (mut revision, mut note) = (0, None);
        loop {
            let mut again = 0;
            let (words, change) = loop {
                if again > AGAIN_MAX {
                    let why =
                        format!("The host was asked {again} times and neither accepted the line-up nor cancelled.");
                    return Ok(Err(Unfilled::Declined(why)));
                }
                let base = format!("{}/approval", revision_key(key, revision));
                let key = if again == 0 { base } else { format!("{base}/again-{again}") };
                again += 1;
                let Some(words) = self.ask_host(floor, &key, &members, note)? else { return Ok(Ok(members)) };
                match self.interpret_answer(floor, &key, &words, &members)? {
                    Consent::Approve => return Ok(Ok(members)),
                    Consent::Cancel => {
                        return Ok(Err(Unfilled::Declined("The host cancelled the debate before it began.".into())));
                    }
                    Consent::Unclear => note = Some(ApprovalNote::Unclear),
                    Consent::Change { .. } if revision >= REVISIONS_MAX => note = Some(ApprovalNote::Last),
                    Consent::Change { number: Some(number), .. }
                        if !(MEMBERS_MIN..=self.seats.len()).contains(&number) =>
                    {
                        note = Some(ApprovalNote::Number);
                    }
                    change => break (words, change),
                }
            };
            revision += 1;
            let key = revision_key(key, revision);
            match self.revise_proposal(&members, words, change).ask_proposer(floor, &key)? {
                Ok(other) => (members, note) = (other, None),
                Err(lost) => {
                    // What the proposer cannot do is told; it costs nobody the debate.
                    let warning = format!("the line-up was not changed: {lost}");
                    record_warnings(floor, &key, self.wanted.proposer, &[warning])?;
                    note = Some(ApprovalNote::Unchanged);
                }
            }
        }
    }

    /// Puts `members` to the host; its words, or `None` where nobody is there to object.
    fn ask_host(
        &self,
        floor: &mut Floor<'_>,
        key: &str,
        members: &[Member],
        note: Option<ApprovalNote>,
    ) -> Flow<Option<String>> {
        let alike = self.wanted.side.map(|side| proposal::list_alike_pairs(members, side)).unwrap_or_default();
        let request = Request::new(key, &named_seat(HOST), "approval").with_fact("members", json!(members));
        let request = request.with_fact("note", json!(note)).with_fact("most", self.seats.len());
        let request = request.with_fact("alike", json!(alike));
        let answer = floor.ask_seat(request.or_absent())?;
        Ok(answer.reply.text().map(|text| one_line(text).chars().take(TEXT_CHARS_MAX).collect()))
    }

    /// What the host's words mean.
    fn interpret_answer(&self, floor: &mut Floor<'_>, key: &str, words: &str, members: &[Member]) -> Flow<Consent> {
        if let Some(plain) = Consent::parse_choice(words) {
            return Ok(plain);
        }
        let key = format!("{key}/reading");
        let request = Request::new(&key, &named_seat(self.wanted.proposer), approval_reading::PROMPT.0).or_absent();
        let request = request.with_fact("members", json!(members)).with_fact("said", words);
        let read: Result<_, Lost> =
            floor.ask_until_valid(request, |draft: Attempt<'_>| Consent::parse_reading(draft.text, members, words))?;
        match read {
            Ok(statement) => Ok(Arc::unwrap_or_clone(statement.value)),
            Err(lost) => {
                let warning = format!("the host's answer was not read: {lost}");
                record_warnings(floor, &key, self.wanted.proposer, &[warning])?;
                // What nobody read is asked again, and is never a yes.
                Ok(Consent::Unclear)
            }
        }
    }

    /// The proposal that the host wishes for.
    fn revise_proposal(&self, members: &[Member], words: String, change: Consent) -> Self {
        let Consent::Change { number, changed, afresh } = change else {
            unreachable!("only a change is proposed anew")
        };
        // Where it is known whom a wish is about, everyone else stays as they are.
        let known = !afresh && (!changed.is_empty() || number.is_some_and(|number| number > members.len()));
        let kept = members.iter().filter(|member| known && !changed.contains(&member.name)).cloned().collect();
        let number = match number {
            Some(number) => number..=number,
            None if afresh => members.len()..=members.len(),
            None => MEMBERS_MIN..=self.seats.len(),
        };
        let wishes = Some(Wishes { words, to: members.to_vec(), afresh });
        Self { number, wishes, kept, ..self.clone() }
    }
}

//! Rounds in which all seats of a row are asked the same at once.

use agon_core::{
    Absent, AcceptedAnswers, Attempt, Faults, Floor, Flow, Request, RoundBegins, Ruling, RulingKind, Statement,
    draft::Draft,
};

use super::{absence::rule_absent, lineup::list_row_members};

/// What came of a round.
#[derive(Debug)]
pub struct AnsweredRound<T> {
    /// The answers that stand, in the order of the seats.
    pub statements: Vec<Statement<T>>,
    /// Who gave none.
    pub absent: Vec<Absent>,
}

/// Asks every seat of `row` with the template `prompt`, all at once, each until `check` passes. Rules that the round
/// begins, from 1, who did not answer, and which answers stand: later prompts have these in the fact `said`, and the graph
/// of the debate is made of them.
pub fn ask_round<T: Send + Sync + 'static>(
    floor: &mut Floor<'_>,
    round: u32,
    row: &str,
    prompt: &str,
    check: impl Fn(Attempt<'_>) -> Result<T, Faults> + Copy,
) -> Flow<AnsweredRound<T>> {
    let key = |what: &str| format!("round-{round}/{what}");
    let phase = Ruling::new(RulingKind::Phase, format!("Round {round}")).with_data(RoundBegins { round });
    floor.record_ruling(key("phase"), phase)?;
    let members = list_row_members(floor.opened(), row);
    let requests = members.iter().map(|member| Request::new(key(member.seat.as_str()), &member.seat, prompt));
    let drafts = requests.map(|request| Draft::new(request.or_absent(), check));
    let answers = floor.ask_each_until_valid(drafts.collect())?;
    let mut accepted = AcceptedAnswers { round, statements: Vec::new() };
    let mut answered = AnsweredRound { statements: Vec::new(), absent: Vec::new() };
    for (member, answer) in members.iter().zip(answers) {
        let seat = &member.seat;
        let name = if member.name.is_empty() { seat.as_str() } else { &member.name };
        match answer {
            Ok(statement) => {
                accepted.statements.push((seat.clone(), statement.key.clone()));
                answered.statements.push(statement);
            }
            Err(lost) => answered.absent.push(rule_absent(floor, seat, name, &key(seat.as_str()), &lost)?),
        }
    }
    if !accepted.statements.is_empty() {
        let text = format!("{} of {} answered", accepted.statements.len(), members.len());
        floor.record_ruling(key("accepted"), Ruling::new(RulingKind::Noted, text).with_data(accepted))?;
    }
    Ok(answered)
}

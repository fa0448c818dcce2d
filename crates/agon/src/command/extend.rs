//! `agon extend`: allows a debate more, and goes on.

use agon_core::{Extension, Outcome, Protocol, Record, Standing};

use super::{
    Hand, debate_id,
    resume::{self, Wish},
};
use crate::{
    cli::ExtendArgs,
    failure::{Failure, Result},
    opening,
};

pub async fn run(hand: &Hand, args: ExtendArgs) -> Result<u8> {
    let id = debate_id(&args.id)?;
    hand.config()?;
    let limits = Extension { rounds: args.rounds, ..opening::budget(&args.budget)? };
    let journal = hand.journal()?;
    let (record, protocol) = resume::known(&journal, &id)?;
    check(&record, protocol, &limits)?;
    resume::go_on(hand, &journal, &id, &args.seats, args.offline, Wish::Extend(limits)).await
}

/// Refuses what cannot be allowed, before anything is stored. A protocol's most rounds hold for a debate
/// however often it is extended.
pub fn check(record: &Record, protocol: &dyn Protocol, limits: &Extension) -> Result<()> {
    let (manifest, closed) = (protocol.manifest(), record.closed());
    // Without more of anything, those are asked again who did not answer.
    let unfinished = |outcome: &Outcome| outcome.standing == Standing::Void || !outcome.absent.is_empty();
    if *limits == Extension::default() && !closed.is_some_and(unfinished) {
        return Err(Failure::usage("nothing to extend by", "say how much more, for example --rounds 1"));
    }
    let (most, counts) = (manifest.rounds.max, counted(record, protocol));
    let all = counts.saturating_add(limits.rounds);
    if limits.rounds > 0 && all > most {
        let id = &record.opened().debate;
        let remedy = match most.saturating_sub(counts) {
            0 if closed.is_some_and(unfinished) => {
                format!("leave --rounds out: agon extend {id} asks again who did not answer")
            }
            0 => "open another debate to go on".to_owned(),
            left => format!("allow {left} at most"),
        };
        let what =
            format!("--rounds {}: {all} in all, and {} has at most {most}", limits.rounds, manifest.name);
        return Err(Failure::usage(what, remedy));
    }
    Ok(())
}

/// How many rounds count already: those that were held where what is left over lapses, else all that
/// were allowed.
fn counted(record: &Record, protocol: &dyn Protocol) -> u32 {
    let held = record.closed().and_then(|outcome| protocol.held(outcome));
    held.unwrap_or_else(|| agon_runtime::drive::limits(record).rounds)
}

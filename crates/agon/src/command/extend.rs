//! `agon extend`: allows a debate more, and goes on.

use agon_core::{Extension, Manifest, Record};

use super::{
    Hand, debate_id,
    resume::{self, Wish},
};
use crate::{
    cli::ExtendArgs,
    failure::{Failure, Result},
    opening::{self, Excess, Takes},
    ui,
};

/// Most rounds of a debate, whatever its protocol: past it something else is meant.
const ROUNDS_MAX: u32 = 1_000;

pub async fn run(hand: &Hand, args: ExtendArgs) -> Result<u8> {
    let id = debate_id(&args.id)?;
    hand.config()?;
    let limits = Extension { rounds: args.rounds, ..opening::budget(&args.budget)? };
    let journal = hand.journal()?;
    let (record, protocol) = resume::known(&journal, &id)?;
    if let Some(note) = check(&record, protocol.manifest(), &limits)?.filter(|_| !hand.quiet) {
        ui::err(&ui::paint(&note, ui::YELLOW));
    }
    resume::go_on(hand, &journal, &id, &args.seats, args.offline, Wish::Extend(limits)).await
}

/// Refuses what cannot be allowed; gives what a person should know of what can.
pub fn check(record: &Record, manifest: &Manifest, limits: &Extension) -> Result<Option<String>> {
    if *limits == Extension::default() {
        return Err(Failure::usage("nothing to extend by", "say how much more, for example --rounds 1"));
    }
    let rounds = agon_runtime::drive::limits(record).rounds.saturating_add(limits.rounds);
    // Where the rules end a debate of themselves, a person who wants more of it means it.
    let own = manifest.rounds.max;
    let most = if Takes::of(manifest).excess == Excess::Refused { own } else { ROUNDS_MAX };
    if rounds > most && limits.rounds > 0 {
        return Err(Failure::usage(
            format!("--rounds {}: {rounds} in all, and {} has at most {most}", limits.rounds, manifest.name),
            "allow fewer",
        ));
    }
    let more = rounds > own && limits.rounds > 0;
    Ok(more.then(|| {
        format!("{} has at most {own} rounds by its rules; {rounds} in all are more", manifest.name)
    }))
}

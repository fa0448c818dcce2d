//! `agon extend`: allows a debate more, and goes on.

use agon_core::Extension;

use super::{Hand, debate, debate_id, protocol, resume};
use crate::{
    cli::ExtendArgs,
    failure::{Failure, Result},
};

pub async fn run(hand: &Hand, args: ExtendArgs) -> Result<u8> {
    let id = debate_id(&args.id)?;
    hand.config()?;
    let limits = Extension { rounds: args.rounds, ..debate::budget(&args.budget)? };
    if limits == Extension::default() {
        return Err(Failure::usage("nothing to extend by", "say how much more, for example --rounds 1"));
    }
    let journal = hand.journal()?;
    let record = journal.read(&id)?;
    let most = protocol(&record.opened().protocol)?.manifest().rounds.max;
    let rounds = agon_runtime::drive::limits(&record).rounds.saturating_add(limits.rounds);
    if rounds > most {
        return Err(Failure::usage(
            format!(
                "--rounds {}: {} in all, and {} has at most {most}",
                limits.rounds,
                rounds,
                record.opened().protocol
            ),
            "allow fewer",
        ));
    }
    resume::go_on(hand, &journal, &id, &args.seats, args.offline, Some(limits)).await
}

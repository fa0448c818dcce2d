//! Which protocol takes which flags: the one place that knows. A flag that a protocol does not know
//! is an error before anything is sent, never ignored.

use agon_core::Manifest;

use crate::{
    cli::RunArgs,
    failure::{Failure, Result},
};

/// What a protocol takes beside a motion, `--rounds` and what every debate takes.
pub struct Takes {
    protocol: &'static str,
    flags: &'static [&'static str],
    /// Whether a proposed line-up is shown to the person at the terminal for approval.
    pub approves: bool,
    /// The texts about a member beside its persona. What a line-up leaves out of these, names and
    /// personas included, is proposed; without them a line-up names everybody or nobody.
    pub details: &'static [&'static str],
    /// Fewest rounds where nobody says, for a protocol that may end early.
    pub rounds_min: Option<u32>,
    /// What `run` does with more rounds than it has; `extend` refuses them.
    pub excess: Excess,
    /// Whether cited pages are opened where nobody says.
    pub verifies: bool,
}

/// What becomes of more rounds than a protocol has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// An error.
    Refused,
    /// As many as there are are taken, and a word is said about it.
    Clamped,
}

/// A protocol without flags of its own.
const PLAIN: Takes = Takes {
    protocol: "",
    flags: &[],
    approves: false,
    details: &[],
    rounds_min: None,
    excess: Excess::Refused,
    verifies: false,
};

/// A protocol out of a file.
static DECLARED: Takes = Takes { flags: &["--verify", "--reader"], ..PLAIN };

static TABLE: [Takes; 5] = [
    Takes {
        protocol: "exchange",
        flags: &[
            "--define",
            "--scope",
            "--verify",
            "--reader",
            "--judges",
            "--orders",
            "--self-judging",
            "--stop",
            "--mirror",
            "--baseline",
        ],
        ..PLAIN
    },
    Takes { protocol: "duel", flags: &["--topic", "--wait", "--verify", "--reader", "--mirror"], ..PLAIN },
    Takes {
        protocol: "panel",
        flags: &["--max-rounds", "--mirror", "--verify", "--reader"],
        approves: true,
        ..PLAIN
    },
    Takes {
        protocol: "revise",
        flags: &[
            "--mode",
            "--draft",
            "--track",
            "--phase",
            "--title",
            "--strategy",
            "--verify",
            "--reader",
            "--mirror",
        ],
        excess: Excess::Clamped,
        ..PLAIN
    },
    Takes {
        protocol: "chaired",
        flags: &[
            "--orders",
            "--verify",
            "--reader",
            "--mirror",
            "--baseline",
            "--min-rounds",
            "--max-rounds",
            "--time-budget",
        ],
        verifies: true,
        approves: true,
        details: &["starting_position", "incentives"],
        rounds_min: Some(3),
        ..PLAIN
    },
];

impl Takes {
    /// What the protocol of `manifest` takes.
    pub fn of(manifest: &Manifest) -> &'static Self {
        TABLE.iter().find(|takes| takes.protocol == manifest.name).unwrap_or(&DECLARED)
    }

    /// Whether it knows `flag`.
    pub fn takes(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }
}

/// Refuses the first flag that the protocol does not know, and names those that do.
pub fn check(manifest: &Manifest, args: &RunArgs) -> Result<()> {
    let takes = Takes::of(manifest);
    if let Some(flag) = given(args).into_iter().find(|flag| !takes.takes(flag)) {
        let others: Vec<&str> =
            TABLE.iter().filter(|other| other.takes(flag)).map(|other| other.protocol).collect();
        return Err(Failure::usage(
            format!("{} does not take {flag}", manifest.name),
            format!("{flag} belongs to {}; leave it out here", others.join(" and ")),
        ));
    }
    let lineup = [
        ("--debater", !args.lineup.debaters.is_empty()),
        ("--debaters", args.lineup.count.is_some()),
        ("--lineup", args.lineup.lineup.is_some()),
    ];
    if let Some((flag, _)) = lineup.into_iter().find(|(_, given)| *given && manifest.row().is_none()) {
        let rows = agon_protocols::ALL.iter().filter(|protocol| protocol.manifest().row().is_some());
        let rows: Vec<&str> = rows.map(|protocol| protocol.name()).collect();
        let who = if rows.is_empty() { String::new() } else { format!("{} take one; ", rows.join(", ")) };
        return Err(Failure::usage(
            format!("{} takes no line-up ({flag}): each of its seats has its part", manifest.name),
            format!("{who}name who answers at a seat with --seat NAME=MODEL"),
        ));
    }
    Ok(())
}

/// The flags of single protocols that a command line gives.
fn given(args: &RunArgs) -> Vec<&'static str> {
    let (own, rounds, judging) = (&args.own, &args.rounds, &args.judging);
    let all = [
        ("--define", !own.definitions.is_empty()),
        ("--scope", own.scope.is_some()),
        ("--topic", own.topic.is_some()),
        ("--wait", own.wait.is_some()),
        ("--mode", own.mode.is_some()),
        ("--draft", !own.drafts.is_empty()),
        ("--track", own.track.is_some()),
        ("--phase", own.phase.is_some()),
        ("--title", own.title.is_some()),
        ("--strategy", own.strategy.is_some()),
        ("--min-rounds", rounds.min_rounds.is_some()),
        ("--max-rounds", rounds.max_rounds.is_some()),
        ("--time-budget", rounds.time_budget.is_some()),
        ("--verify", own.verify.is_some()),
        ("--reader", own.reader.is_some()),
        ("--judges", judging.judges.is_some()),
        ("--orders", judging.orders.is_some()),
        ("--self-judging", judging.self_judging),
        ("--stop", judging.stop.is_some()),
        ("--mirror", judging.mirror),
        ("--baseline", judging.baseline),
    ];
    all.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_of_the_table_can_be_given() {
        let mut args = crate::opening::testing::args("duel");
        assert!(given(&args).is_empty());
        for flag in TABLE.iter().flat_map(|takes| takes.flags) {
            let value = match *flag {
                "--mode" => "plan",
                "--verify" => "on",
                "--strategy" => "single",
                "--define" | "--draft" => "a=b",
                "--orders" => "one",
                "--stop" => "stable",
                "--self-judging" | "--mirror" | "--baseline" => "",
                _ => "1",
            };
            let line = ["agon", "run", "duel", "x.md", flag, value];
            let line = line.into_iter().filter(|word| !word.is_empty());
            use clap::Parser;
            let crate::cli::Command::Run(one) = crate::cli::Cli::parse_from(line).command else { panic!() };
            assert_eq!(super::given(&one), [*flag]);
            args = *one;
        }
        assert!(check(&crate::opening::testing::manifest("exchange"), &args).is_err());
    }
}

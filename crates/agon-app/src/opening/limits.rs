//! Rounds and budgets of a new debate: flags over files over configuration.

use agon_core::{Extension, Limits, Manifest};
use agon_runtime::config::{LimitsConfig, parse_seconds};
use agon_text::count_noun;

use crate::{
    failure::{Failure, Result},
    request::{Budget, OpeningRequest},
};

/// Rounds that a file wants.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct FileRounds {
    pub min: Option<u32>,
    pub max: Option<u32>,
}

/// Who said how many rounds; the smaller wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RoundsSource {
    Flag,
    File,
    Nobody,
}

/// How many rounds a debate may have, and how many at least; a note if the request was adjusted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RoundLimits {
    pub max: u32,
    pub min: Option<u32>,
    pub note: Option<String>,
}

/// The rounds of a new debate.
pub fn choose_round_limits(manifest: &Manifest, request: &OpeningRequest, file: &FileRounds) -> Result<RoundLimits> {
    let bounds = &manifest.rounds;
    let (fewest, most) = (request.options.number("min_rounds"), request.options.number("max_rounds"));
    if request.rounds.is_some() && (fewest.is_some() || most.is_some()) {
        return Err(Failure::usage(
            "--rounds cannot be combined with --min-rounds or --max-rounds",
            "omit one of them",
        ));
    }
    let first = |flag: Option<u32>, file: Option<u32>, default: u32| match (flag, file) {
        (Some(flag), _) => (flag, RoundsSource::Flag),
        (None, Some(file)) => (file, RoundsSource::File),
        (None, None) => (default, RoundsSource::Nobody),
    };
    let (mut max, mut max_said) = first(request.rounds.or(most), file.max, bounds.default);
    let early = bounds.fewest.map(|default| {
        let default = default.min(max);
        first(request.rounds.or(fewest), file.min, default)
    });
    let mut min = early.map(|(min, _)| min);
    if let Some((fewest, said)) = early
        && fewest > max
    {
        // What was said louder moves the other.
        match said.cmp(&max_said) {
            std::cmp::Ordering::Less => (max, max_said) = (fewest, said),
            std::cmp::Ordering::Greater => min = Some(max),
            std::cmp::Ordering::Equal => {
                return Err(Failure::usage(
                    format!("the minimum of rounds, {fewest}, is above the maximum, {max}"),
                    "choose a --min-rounds that is not above --max-rounds",
                ));
            }
        }
    }
    let mut note = None;
    if bounds.clamped && max > bounds.max {
        note = Some(format!(
            "the request names {}; the protocol allows at most {}",
            count_noun(max, "round", "rounds"),
            bounds.max
        ));
        max = bounds.max;
    }
    for rounds in min.into_iter().chain([max]) {
        if !(bounds.min..=bounds.max).contains(&rounds) {
            let said = match (max_said, request.rounds) {
                (RoundsSource::File, _) => "the line-up file".to_owned(),
                (_, Some(_)) => format!("--rounds {rounds}"),
                (_, None) if rounds == max => format!("--max-rounds {rounds}"),
                (_, None) => format!("--min-rounds {rounds}"),
            };
            return Err(Failure::usage(
                format!("{said}: {} has {} to {} rounds", manifest.name, bounds.min, bounds.max),
                "choose a number in this range",
            ));
        }
    }
    Ok(RoundLimits { max, min, note })
}

/// The limits of a new debate.
pub fn build_limits(rounds: &RoundLimits, args: &Budget, config: &LimitsConfig) -> Result<Limits> {
    let flags = parse_budget(args)?;
    let time = config.max_time.as_deref().map(parse_seconds).transpose().map_err(|why| Failure::usage(why, ""))?;
    Ok(Limits {
        rounds: rounds.max,
        rounds_min: rounds.min,
        requests_max: flags.requests_max.or(config.max_requests),
        tokens_max: flags.tokens_max.or(config.max_tokens),
        cost_microusd_max: flags.cost_microusd_max.or(config.max_cost_usd.map(usd_to_microusd)),
        time_seconds_max: flags.time_seconds_max.or(time),
    })
}

/// The limits of a debate that has so many rounds.
pub fn fixed_limits(rounds: u32, args: &Budget, config: &LimitsConfig) -> Result<Limits> {
    build_limits(&RoundLimits { max: rounds, min: None, note: None }, args, config)
}

/// The budgets that a command allows.
pub fn parse_budget(args: &Budget) -> Result<Extension> {
    let positive = |name: &str, value: Option<u64>| match value {
        Some(0) => Err(Failure::usage(format!("{name} 0: a limit must be more than zero"), "omit it for no limit")),
        value => Ok(value),
    };
    if let Some(cost) = args.max_cost.filter(|cost| !(cost.is_finite() && *cost > 0.0)) {
        return Err(Failure::usage(
            format!("--max-cost {cost}: a limit must be an amount of money above zero"),
            "omit it for no limit",
        ));
    }
    let time = args.max_time.as_deref().map(parse_seconds).transpose();
    Ok(Extension {
        rounds: 0,
        requests_max: positive("--max-requests", args.max_requests)?,
        tokens_max: positive("--max-tokens", args.max_tokens)?,
        cost_microusd_max: args.max_cost.map(usd_to_microusd),
        time_seconds_max: time.map_err(|why| Failure::usage(format!("--max-time {why}"), "omit it for no limit"))?,
    })
}

fn usd_to_microusd(usd: f64) -> u64 {
    (usd * 1e6).round().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::tests::manifest;

    fn choose_limits(protocol: &str, args: [Option<u32>; 3], file: [Option<u32>; 2]) -> Result<RoundLimits> {
        let [rounds, min_rounds, max_rounds] = args;
        let mut request = OpeningRequest { rounds, ..OpeningRequest::default() };
        request.options.set("min_rounds", &min_rounds.into()).unwrap();
        request.options.set("max_rounds", &max_rounds.into()).unwrap();
        super::choose_round_limits(&manifest(protocol), &request, &FileRounds { min: file[0], max: file[1] })
    }

    #[test]
    fn rounds_come_from_flags_then_files_then_the_protocol() {
        // The sample manifest has 1 to 10 rounds, 8 by default.
        for (protocol, args, file, wanted) in [
            ("chaired", [None; 3], [None; 2], (8, Some(3))),
            ("chaired", [Some(2), None, None], [None; 2], (2, Some(2))),
            ("chaired", [None, None, Some(2)], [None; 2], (2, Some(2))),
            ("chaired", [None, Some(9), None], [None; 2], (9, Some(9))),
            ("chaired", [None; 3], [Some(4), Some(6)], (6, Some(4))),
            ("chaired", [None, None, Some(2)], [Some(4), Some(6)], (2, Some(2))),
            ("chaired", [None, Some(7), None], [Some(4), Some(6)], (7, Some(7))),
            ("panel", [None, None, Some(5)], [None; 2], (5, None)),
            ("panel", [None; 3], [Some(4), Some(6)], (6, None)),
            ("exchange", [Some(1), None, None], [None; 2], (1, None)),
        ] {
            let rounds = choose_limits(protocol, args, file).unwrap();
            assert_eq!((rounds.max, rounds.min), wanted, "{protocol} {args:?} {file:?}");
        }
    }

    #[test]
    fn rounds_that_cannot_be_are_refused_or_clamped_aloud() {
        assert!(choose_limits("chaired", [None, Some(5), Some(4)], [None; 2]).is_err());
        assert!(choose_limits("chaired", [None; 3], [Some(5), Some(4)]).is_err());
        let error = choose_limits("chaired", [None; 3], [None, Some(11)]).unwrap_err();
        assert!(error.message.contains("line-up file: chaired has 1 to 10"), "{}", error.message);
        let error = choose_limits("panel", [None, None, Some(11)], [None; 2]).unwrap_err();
        assert!(error.message.starts_with("--max-rounds 11"), "{}", error.message);
        let clamped = choose_limits("revise", [Some(99), None, None], [None; 2]).unwrap();
        assert_eq!(clamped.max, 10);
        assert!(clamped.note.unwrap().contains("the request names 99 rounds"));
    }
}

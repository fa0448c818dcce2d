//! The gate: whether the outcome of a debate lets a pipeline continue.

use serde::Serialize;

use crate::{
    Manifest, Outcome, Standing,
    outcome::{GateClass, OutcomeSpec},
};

/// What reviews call a negative outcome; every protocol knows it, so that one list fits several.
const BLOCKED: &str = "blocked";

/// Codes that every protocol knows, with their meaning.
pub const GATE_CODES: [(&str, &str); 6] = [
    ("fail", "the outcome is negative"),
    (BLOCKED, "the same as `fail`"),
    ("unclear", "the outcome is unclear"),
    ("void", "the debate has no result"),
    ("dissent", "participants still disagree"),
    ("degraded", "a seat gave no answer"),
];

/// What a pipeline does after a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GateResult {
    /// It continues.
    Pass,
    /// It stops: a code of the list applies.
    Fail,
    /// It stops: there is no clear result, whatever the list says.
    Unclear,
}

/// The codes that stop a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    codes: Vec<String>,
}

impl Gate {
    /// The codes of `list`, separated by `|` or commas, for debates by the protocol of `manifest`.
    ///
    /// # Errors
    ///
    /// The first code that such a debate never has, and all that it can have.
    pub fn parse(list: &str, manifest: &Manifest) -> Result<Self, String> {
        let codes = list.split(['|', ',']).map(|code| code.trim().to_lowercase());
        let codes: Vec<String> = codes.filter(|code| !code.is_empty()).collect();
        let named = manifest.outcomes.iter().filter(|spec| !spec.is_pattern()).map(|spec| spec.name.to_lowercase());
        // A name that stands for several is left out.
        let known: Vec<String> = named.chain(GATE_CODES.map(|(code, _)| code.to_owned())).collect();
        let is_known = |code: &String| {
            known.contains(code) || manifest.outcomes.iter().any(|spec| spec.is_pattern() && spec.matches_name(code))
        };
        match codes.iter().find(|code| !is_known(code)) {
            Some(code) => Err(format!("{code:?} is not an outcome of {}; it has {}", manifest.name, known.join(", "))),
            None if codes.is_empty() => Err(format!("the list is empty; name one of {}", known.join(", "))),
            None => Ok(Self { codes }),
        }
    }

    /// What follows from `outcome`, and the codes that led to it.
    pub fn evaluate_outcome(&self, manifest: &Manifest, outcome: &Outcome) -> (GateResult, Vec<String>) {
        let applied = list_applied_codes(manifest, outcome);
        let listed: Vec<String> = applied.iter().filter(|code| self.codes.contains(code)).cloned().collect();
        let is_clear = |code: &String| code != GateClass::Unclear.name() && code != "void";
        match (listed.is_empty(), applied.iter().all(is_clear)) {
            (false, _) => (GateResult::Fail, listed),
            (true, true) => (GateResult::Pass, Vec::new()),
            (true, false) => (GateResult::Unclear, applied),
        }
    }
}

/// Every code that applies to `outcome`: its name, its verdict, and those of [`GATE_CODES`].
fn list_applied_codes(manifest: &Manifest, outcome: &Outcome) -> Vec<String> {
    let verdict = outcome.figures["verdict"].as_str();
    let names = [Some(outcome.name.as_str()), verdict].into_iter().flatten();
    let mut codes: Vec<String> = names.clone().map(str::to_lowercase).collect();
    let specs: Vec<&OutcomeSpec> = names.filter_map(|name| manifest.find_outcome(name)).collect();
    // A verdict says more than how the debate ended.
    let class = match outcome.standing {
        Standing::Void => GateClass::Unclear,
        Standing::Valid => specs.last().map_or(GateClass::Unclear, |spec| spec.gate),
    };
    let applied = [
        (class != GateClass::Pass, class.name()),
        (class == GateClass::Fail, BLOCKED),
        (outcome.standing == Standing::Void, "void"),
        (specs.iter().any(|spec| spec.dissent), "dissent"),
        (!outcome.absent.is_empty(), "degraded"),
    ];
    for (_, code) in applied.into_iter().filter(|(applies, _)| *applies) {
        if !codes.iter().any(|known| known == code) {
            codes.push(code.to_owned());
        }
    }
    codes
}

impl Manifest {
    /// What is known of the outcome called `name`; one that is named in full goes first.
    pub fn find_outcome(&self, name: &str) -> Option<&OutcomeSpec> {
        let (patterns, full): (Vec<_>, Vec<_>) = self.outcomes.iter().partition(|spec| spec.is_pattern());
        full.into_iter().chain(patterns).find(|spec| spec.matches_name(name))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Absent, Seat};

    fn manifest() -> Manifest {
        let outcome =
            |name: &str, gate, dissent| OutcomeSpec { name: name.into(), gate, dissent, about: String::new() };
        let bare = json!({
            "name": "x", "summary": "x", "rules": 1, "motion": "text", "fit": "whole",
            "rounds": {"default": 1, "min": 1, "max": 1}, "seat": [], "prompt": {},
        });
        Manifest {
            outcomes: vec![
                outcome("*_wins", GateClass::Pass, false),
                outcome("nobody_wins", GateClass::Unclear, false),
                outcome("AGREED", GateClass::Pass, false),
                outcome("REJECTED", GateClass::Fail, false),
                outcome("deadlock", GateClass::Unclear, true),
            ],
            ..serde_json::from_value(bare).unwrap()
        }
    }

    #[test]
    fn a_listed_code_fails_and_what_is_unclear_never_passes() {
        let manifest = manifest();
        let absent = vec![Absent { seat: Seat::new("judge").unwrap(), why: "x".into() }];
        let degraded = Outcome { absent, ..Outcome::valid("agreed", "") };
        let verdict = Outcome { figures: json!({"verdict": "REJECTED"}), ..Outcome::valid("AGREED", "") };
        let other = Outcome::valid("something else", "");
        let void = Outcome::void("CANCELLED", "");
        for (list, outcome, result) in [
            ("fail", &Outcome::valid("AGREED", ""), GateResult::Pass),
            ("fail", &Outcome::valid("rejected", ""), GateResult::Fail),
            ("blocked|unclear", &Outcome::valid("rejected", ""), GateResult::Fail),
            ("REJECTED", &Outcome::valid("rejected", ""), GateResult::Fail),
            ("dissent", &Outcome::valid("rejected", ""), GateResult::Pass),
            ("fail", &Outcome::valid("deadlock", ""), GateResult::Unclear),
            ("fail, dissent", &Outcome::valid("deadlock", ""), GateResult::Fail),
            ("unclear", &Outcome::valid("deadlock", ""), GateResult::Fail),
            ("fail", &Outcome::valid("ada_wins", ""), GateResult::Pass),
            ("ada_wins", &Outcome::valid("ada_wins", ""), GateResult::Fail),
            ("fail", &Outcome::valid("nobody_wins", ""), GateResult::Unclear),
            ("fail", &degraded, GateResult::Pass),
            ("fail|degraded", &degraded, GateResult::Fail),
            ("fail", &verdict, GateResult::Fail),
            ("fail", &other, GateResult::Unclear),
            ("dissent", &void, GateResult::Unclear),
            ("void", &void, GateResult::Fail),
        ] {
            let gate = Gate::parse(list, &manifest).unwrap();
            assert_eq!(gate.evaluate_outcome(&manifest, outcome).0, result, "{list} of {}", outcome.name);
        }
    }

    #[test]
    fn an_unknown_code_is_refused_with_those_that_there_are() {
        let error = Gate::parse("fail|bloked", &manifest()).unwrap_err();
        assert!(error.contains("\"bloked\"") && error.contains("rejected") && error.contains("void"), "{error}");
        assert!(Gate::parse(" | ", &manifest()).is_err());
    }
}

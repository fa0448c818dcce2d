//! Two protocols that exist for the laws alone: they use every verb of the floor.

use std::sync::LazyLock;

use agon_core::{
    Facts, Faults, Floor, Flow, Manifest, MotionKind, Outcome, PromptFit, Protocol, Request, Ruling, RulingKind, Seat,
    View, protocol::RoundBounds,
};

fn manifest(name: &str) -> Manifest {
    Manifest {
        name: name.into(),
        summary: "a toy".into(),
        rules: 1,
        motion: MotionKind::Text,
        fit: PromptFit::Whole,
        rounds: RoundBounds { default: 2, min: 0, max: 9, ..RoundBounds::default() },
        interjections: false,
        approval: false,
        member_details: Vec::new(),
        opens_sources: false,
        needs_material: false,
        motion_default: None,
        ask: None,
        redacts_entries: false,
        options: Vec::new(),
        outcomes: Vec::new(),
        seats: Vec::new(),
        prompts: Default::default(),
    }
}

fn seat(name: &str) -> Seat {
    Seat::new(name).unwrap()
}

/// Turns in order; a verifier in the background; an audience with a deadline; extensions.
pub struct Background;

static BACKGROUND: LazyLock<Manifest> = LazyLock::new(|| manifest("background"));

impl Protocol for Background {
    fn manifest(&self) -> &Manifest {
        &BACKGROUND
    }
    fn prompt_templates(&self) -> &[(&str, &str)] {
        &[]
    }
    fn prompt_facts(&self, _: &View<'_>, request: &Request) -> Facts {
        request.facts.clone()
    }
    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let mut unverified = Vec::new();
        let mut round = 0;
        loop {
            while round < floor.current_limits().rounds {
                let waiting = std::mem::take(&mut unverified);
                for pending in waiting {
                    match floor.heard_answer(&pending) {
                        Some(found) => {
                            let text = found.reply.text().unwrap_or("no finding").to_owned();
                            floor.record_ruling(
                                format!("finding/{}", pending.key()),
                                Ruling::new(RulingKind::Noted, text),
                            )?;
                        }
                        None => unverified.push(pending),
                    }
                }
                for debater in ["a", "b"] {
                    let key = format!("round-{round}/{debater}");
                    floor.ask_seat(
                        Request::new(&key, &seat(debater), "turn").with_fact("unverified", unverified.len()),
                    )?;
                    unverified.push(floor.start_request(Request::new(
                        format!("verify/{key}"),
                        &seat("verifier"),
                        "verify",
                    ))?);
                }
                let question = Request::new(format!("round-{round}/question"), &seat("audience"), "question");
                let clock = Request::new(format!("round-{round}/deadline"), &seat("clock"), "").with_wait_seconds(120);
                let (first, _) = floor.ask_fastest([question, clock])?;
                floor
                    .record_ruling(format!("round-{round}/first"), Ruling::new(RulingKind::Noted, first.to_string()))?;
                round += 1;
            }
            // One verification is still wanted, the others are given up.
            let last = unverified.pop();
            for pending in unverified.drain(..) {
                floor.withdraw_request(pending);
            }
            if let Some(last) = last {
                floor.wait_for_answer(last)?;
            }
            floor.adjourn_debate(Outcome::valid("done", format!("{round} rounds")))?;
        }
    }
}

/// Three seats that redraft at once, and an end that cannot be extended.
pub struct Redrafts;

static REDRAFTS: LazyLock<Manifest> = LazyLock::new(|| manifest("redrafts"));

impl Protocol for Redrafts {
    fn manifest(&self) -> &Manifest {
        &REDRAFTS
    }
    fn prompt_templates(&self) -> &[(&str, &str)] {
        &[]
    }
    fn prompt_facts(&self, _: &View<'_>, request: &Request) -> Facts {
        request.facts.clone()
    }
    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let ask = |name: &str| Request::new(format!("draft/{name}"), &seat(name), "draft");
        let drafts = ["a", "b", "c"].map(|name| {
            agon_core::draft::Draft::new(ask(name), |draft| match draft.text.len() % 3 {
                0 => Ok(draft.text.to_owned()),
                n => Err(Faults::one("length", "", format!("{n} too many"))),
            })
        });
        let mut kept = 0;
        for (name, draft) in ["a", "b", "c"].iter().zip(floor.ask_each_until_valid(drafts.into())?) {
            let text = match draft {
                Ok(statement) => {
                    kept += 1;
                    format!("{} stands", statement.key)
                }
                Err(lost) => lost.to_string(),
            };
            floor.record_ruling(format!("draft/{name}/kept"), Ruling::new(RulingKind::Noted, text))?;
        }
        let vote = |name: &str| Request::new(format!("vote/{name}"), &seat(name), "vote");
        let votes = floor.ask_each(vec![vote("x"), vote("y")])?;
        let votes = votes.iter().filter(|vote| vote.reply.text().is_some()).count();
        Ok(Outcome::valid("done", format!("{kept} drafts, {votes} votes")))
    }
}

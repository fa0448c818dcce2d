//! The poll: three speakers answer at once, in rounds, and the last round is counted.

pub mod answer;

use std::sync::{Arc, LazyLock};

use agon_core::{
    Facts, Faults, Floor, Flow, Key, Manifest, Outcome, People, Protocol, Request, Ruling, RulingKind, View,
    draft::Draft, form::FormField,
};
use serde_json::{Value, json};

use self::answer::PollAnswer;
use agon_protocols::common::{self, absence::rule_absent, named_seat};

/// The protocol.
pub struct Poll;

static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| common::parse_shipped_manifest(include_str!("poll.toml")));
static PEOPLE: LazyLock<People> = LazyLock::new(|| common::parse_people(include_str!("people.toml")));
/// Seats of those who answer.
pub const SPEAKERS: [&str; 3] = ["speaker-1", "speaker-2", "speaker-3"];

impl Protocol for Poll {
    fn manifest(&self) -> &Manifest {
        &MANIFEST
    }

    fn prompt_templates(&self) -> &[(&str, &str)] {
        &[("answer", include_str!("prompts/answer.md")), common::REDRAFT]
    }

    fn human_prompts(&self) -> &People {
        &PEOPLE
    }

    fn skill_text(&self) -> Option<&str> {
        Some(include_str!("skill.md"))
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let (mut round, mut yes, mut absent) = (0, 0, Vec::new());
        loop {
            while round < floor.current_limits().rounds {
                round += 1;
                let base = format!("round-{round}");
                let phase = Ruling::new(RulingKind::Phase, format!("Round {round}")).with_data(json!({"round": round}));
                floor.record_ruling(format!("{base}/phase"), phase)?;
                let drafts = SPEAKERS.map(|name| {
                    let request = Request::new(format!("{base}/{name}"), &named_seat(name), "answer");
                    Draft::new(request.or_absent(), |draft| PollAnswer::read(draft.text))
                });
                let (mut keys, mut missing) = (Vec::new(), Vec::new());
                yes = 0;
                for (name, answer) in SPEAKERS.iter().zip(floor.ask_each_until_valid(drafts.into())?) {
                    match answer {
                        Ok(statement) => {
                            yes += u32::from(statement.value.yes);
                            keys.push(statement.key);
                        }
                        Err(lost) => {
                            let key = format!("{base}/{name}");
                            missing.push(rule_absent(floor, &named_seat(name), name, &key, &lost)?);
                        }
                    }
                }
                let counted = Ruling::new(RulingKind::Scored, format!("{yes} of {} say yes", keys.len()));
                floor.record_ruling(format!("{base}/counted"), counted.with_data(json!({"keys": keys, "yes": yes})))?;
                absent = missing;
            }
            floor.adjourn_debate(outcome(yes, absent.clone()))?;
        }
    }

    fn prompt_facts(&self, heard: &View<'_>, request: &Request) -> Facts {
        let mut facts = request.facts.clone();
        facts.insert("motion".into(), heard.opened().motion.clone().into());
        let mut before = Vec::new();
        for (round, (_, ruling)) in heard.rulings_of_kind(RulingKind::Scored).enumerate() {
            for key in ruling.data["keys"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                // What the check made of the answer is kept with its entry.
                let answer: Option<Arc<Result<Arc<PollAnswer>, Faults>>> =
                    heard.parse_statement(&Key::from_parts(key), |text| PollAnswer::read(text).map(Arc::new));
                if let Some(Ok(answer)) = answer.as_deref() {
                    let said = if answer.yes { "yes" } else { "no" };
                    before.push(json!({"round": round + 1, "yes": said, "reason": answer.reason}));
                }
            }
        }
        facts.insert("before".into(), before.into());
        facts
    }

    fn answer_schema(&self, _: &View<'_>, _: &Request) -> Option<FormField> {
        Some(PollAnswer::schema())
    }
}

/// Who is ahead; no result where fewer than two answered.
fn outcome(yes: u32, absent: Vec<agon_core::Absent>) -> Outcome {
    let answered = SPEAKERS.len() as u32 - absent.len() as u32;
    if answered < 2 {
        let summary = format!("No result: {answered} of {} speakers answered.", SPEAKERS.len());
        return Outcome { absent, ..Outcome::void("no_quorum", summary) };
    }
    let name = match (2 * yes).cmp(&answered) {
        std::cmp::Ordering::Greater => "yes",
        std::cmp::Ordering::Less => "no",
        std::cmp::Ordering::Equal => "even",
    };
    Outcome { absent, ..Outcome::valid(name, format!("{yes} of {answered} say yes.")) }
}

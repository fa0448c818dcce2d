//! A deterministic world: who answers next, and how, follows from a seed.

use std::sync::LazyLock;

use agon_core::{
    Answered, Answerer, Digest, Event, Extension, Failed, FailureKind, Opened, Protocol, Record, Reply, Request, Stamp,
    Step, View, compute_next_step, sample,
};
use agon_protocols::extraction::material::{AnonymousStatement, Material, STATEMENTS};
use serde_json::{Value, json};

/// Entries after which a debate counts as endless.
const ENTRIES_MAX: usize = 20_000;

pub struct World {
    pub seed: u64,
    /// Extensions that may still come.
    pub extensions: u32,
    /// Whether seats fail and talk nonsense.
    pub faulty: bool,
}

pub fn stamp() -> Stamp {
    Stamp("2026-01-01T00:00:00.000Z".into())
}

impl World {
    pub fn new(seed: u64) -> Self {
        Self { seed: seed.wrapping_mul(7919).wrapping_add(1), extensions: 3, faulty: true }
    }

    pub fn roll(&mut self, n: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % n
    }

    fn reply(&mut self, protocol: &dyn Protocol, record: &Record, request: &Request) -> Reply {
        const NONSENSE: [&str; 6] = ["", "I cannot help with that.", "{}", "[1, 2", "{\"scores\": null}", "## Verdict"];
        if request.seat.as_str() == "clock" {
            return Reply::Elapsed;
        }
        let said = |text: String| Reply::Said { text };
        if self.faulty && self.roll(8) == 0 {
            let kinds = [FailureKind::Refused, FailureKind::Truncated, FailureKind::TooLong, FailureKind::Exhausted];
            return Reply::Failed(Failed { kind: kinds[self.roll(4)], detail: "it failed".into() });
        }
        if self.faulty && self.roll(6) == 0 {
            return said(NONSENSE[self.roll(NONSENSE.len())].into());
        }
        let view = View::new(record, request);
        let cites = record.opened().options.get("verify").is_some() && request.seat.as_str() != "verifier";
        match protocol.answer_schema(&view, request) {
            None => {
                let mut text = sample::sample_answer(None, self.roll(1 << 20) as u64);
                if cites {
                    self.cite(&mut text, usize::MAX);
                }
                said(text)
            }
            Some(schema) => {
                let mut value = sample::sample_value(&schema, self.roll(1 << 20) as u64);
                let schema = json!(schema);
                self.shake(&mut value, &schema);
                if cites {
                    self.cite_within(&mut value, &schema);
                }
                self.relate(&mut value, &schema, &view, request);
                self.find(&mut value, &schema);
                // What a reader is given to read.
                for finding in value["findings"].as_array_mut().into_iter().flatten() {
                    finding["around"] = json!(["The page says so."]);
                    finding["claim"] = "It is so.".into();
                }
                said(value.to_string())
            }
        }
    }

    /// Most readings of a statement find something in it, and now and then what is not there.
    fn relate(&mut self, value: &mut Value, schema: &Value, view: &View<'_>, request: &Request) {
        let of = request.facts.get("of").and_then(Value::as_str).unwrap_or_default();
        let material = Material::from_document(view.document(STATEMENTS));
        let Some(statement) = material.0.iter().find(|statement| statement.id == of) else { return };
        let Some(relations) = value["relations"].as_array_mut() else { return };
        let fields = &schema["properties"]["relations"]["items"]["properties"];
        let quotes = [&statement.text, "It says what it does not say."];
        for _ in 0..self.roll(3) {
            let mut pick = |field: &str| {
                let all = fields[field]["enum"].as_array().unwrap();
                all[self.roll(all.len())].clone()
            };
            let (relation, to) = (pick("relation"), pick("to"));
            relations.push(json!({"quote": quotes[self.roll(4) / 3], "relation": relation, "to": to}));
        }
    }

    /// Reviewers find something more often than not, now and then the same, and say how much it matters.
    fn find(&mut self, value: &mut Value, schema: &Value) {
        let severities = schema["properties"]["findings"]["items"]["properties"]["severity"]["enum"].clone();
        let (Some(findings), Some(severities)) = (value["findings"].as_array_mut(), severities.as_array()) else {
            return;
        };
        for _ in 0..self.roll(4) {
            findings.push(json!({
                "place": format!("src/a.rs:{}", 1 + self.roll(3)), "quote": "let x = 1;", "claim": "It is wrong.",
                "why": "It fails.", "refuted_by": "A line.", "severity": severities[self.roll(severities.len())],
            }));
        }
    }

    /// Now and then a text names a page.
    fn cite(&mut self, text: &mut String, chars_max: usize) {
        if text.ends_with('.') && text.len() + 40 < chars_max && self.roll(4) == 0 {
            text.pop();
            text.push_str(&format!(" (http://site-{}.org/page).", self.roll(9)));
        }
    }

    fn cite_within(&mut self, value: &mut Value, schema: &Value) {
        match value {
            Value::String(text) if schema["enum"].is_null() && schema["const"].is_null() => {
                let chars_max = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
                self.cite(text, usize::try_from(chars_max).unwrap_or(usize::MAX));
            }
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.cite_within(item, &schema["items"]));
            }
            Value::Object(fields) => {
                // One of several kinds: where it may be cited in one of them, it may in this one.
                let kinds = schema["anyOf"].as_array().and_then(|kinds| kinds.first());
                let properties = kinds.unwrap_or(schema)["properties"].clone();
                for (name, field) in fields {
                    self.cite_within(field, &properties[name]);
                }
            }
            _ => {}
        }
    }

    /// Gives numbers other values, so that grades and scores differ and often miss zero, and now and then says
    /// yes. Numbers of a list stay numbers of that list.
    fn shake(&mut self, value: &mut Value, schema: &Value) {
        match value {
            Value::Bool(flag) => *flag = self.roll(6) == 0,
            Value::Number(_) => {
                *value = match schema["enum"].as_array().filter(|numbers| !numbers.is_empty()) {
                    Some(numbers) => numbers[self.roll(numbers.len())].clone(),
                    // Within its bounds it is at least sometimes what is wanted.
                    None if schema["type"] == "integer" => json!(self.roll(12) as i64 - 1),
                    // A grade; other numbers are now and then outside their bounds.
                    None => match schema["maximum"].as_f64().filter(|most| *most > 1.0) {
                        Some(most) => json!(most * self.roll(21) as f64 / 20.0),
                        None => json!((self.roll(21) as f64 - 10.0) / 10.0),
                    },
                }
            }
            // What is found about a source is any of what can be found.
            Value::String(text) if text == "unchecked" => {
                *text = ["unchecked", "verified", "unreliable", "fabricated", "unverified"][self.roll(5)].into();
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.shake(item, &schema["items"])),
            Value::Object(fields) => {
                for (name, field) in fields {
                    let schema = &schema["properties"][name];
                    self.shake(field, schema);
                    // A reading is any of its choices.
                    if let Some(choices) = schema["enum"].as_array().filter(|_| name == "choice") {
                        *field = choices[self.roll(choices.len())].clone();
                    }
                }
            }
            _ => {}
        }
    }
}

pub fn answered(request: &Request, reply: Reply) -> Event {
    Event::Answered(Answered::new(request.key.clone(), reply, Answerer::default()))
}

pub fn open(opened: Opened) -> Record {
    let mut documents = sample::sample_documents();
    documents.extend([READ.clone()]);
    Record::open(opened, stamp()).unwrap().with_documents(&documents)
}

/// What an extraction reads.
pub static READ: LazyLock<(Digest, String)> = LazyLock::new(|| {
    let document = material().to_document();
    (Digest::from_content(&document), document)
});

/// More statements than any law has an extraction read.
fn material() -> Material {
    let statement = |seq: u64| AnonymousStatement {
        id: format!("turn-{seq}"),
        side: seq as usize % 2,
        seq,
        heard: seq - 1,
        text: format!("{} It is said in turn {seq}.", sample::sample_answer(None, seq)),
    };
    Material((1..=90).map(statement).collect())
}

/// Runs a debate to its last end in `world`.
pub fn run(protocol: &dyn Protocol, opened: Opened, world: &mut World) -> Record {
    let mut record = open(opened);
    while record.entries().len() < ENTRIES_MAX {
        let extend = world.extensions > 0 && world.roll(12) == 0;
        if extend {
            world.extensions -= 1;
            let limits = Extension { rounds: world.roll(2) as u32, ..Extension::default() };
            record.append_event(stamp(), Event::Extended { limits }).unwrap();
            continue;
        }
        match compute_next_step(protocol, &record).expect("a record of these rules does not diverge from them") {
            Step::Record(whats) => {
                // Sometimes the process dies between two entries of one step.
                let written = if world.roll(4) == 0 { 1 + world.roll(whats.len()) } else { whats.len() };
                for what in whats.into_iter().take(written) {
                    record.append_event(stamp(), what).unwrap();
                }
            }
            Step::Await(open) => {
                assert!(!open.is_empty(), "{}: waits for nothing", protocol.name());
                let late = withdrawn(&record, &open).filter(|_| world.roll(2) == 0);
                let request = late.unwrap_or_else(|| open[world.roll(open.len())].clone());
                let reply = world.reply(protocol, &record, &request);
                record.append_event(stamp(), answered(&request, reply)).unwrap();
            }
            Step::Close(outcome) if record.closing_outcome().is_none() => {
                record.append_event(stamp(), Event::Closed { outcome }).unwrap();
            }
            Step::Close(_) if world.extensions > 0 && world.roll(2) == 0 => {
                world.extensions -= 1;
                // Budgets are extended without a round more, too.
                let limits = Extension { rounds: world.roll(2) as u32, ..Extension::default() };
                record.append_event(stamp(), Event::Extended { limits }).unwrap();
            }
            Step::Close(_) => return record,
        }
    }
    panic!("{}: does not end", protocol.name());
}

/// A request that was asked, is not wanted any more, and was never answered: its answer may still
/// be under way.
pub fn withdrawn(record: &Record, open: &[Request]) -> Option<Request> {
    record.unanswered_requests().find(|request| !open.contains(request)).cloned()
}

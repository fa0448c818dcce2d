//! A person at the terminal as a participant: shown what a model would be asked, answering line by
//! line or in an editor. What was typed is kept, so that an interruption loses nothing.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    sync::{LazyLock, mpsc as blocking},
    thread,
};

use agon_core::{DebateId, Key, Seat, Usage};
use agon_protocols::common::lineup::HOST;
use agon_runtime::participant::{Answer, Call, ChatRole, Deltas, Failure, Participant, Probe};
use serde_json::{Map, Value, json};
use tokio::sync::{Mutex, mpsc};

use crate::ui;

/// Where a debate's drafts are kept until it is closed.
pub fn drafts(home: &Path, debate: &DebateId) -> PathBuf {
    home.join("drafts").join(debate.as_str())
}

/// Forgets the drafts of a debate that is over.
pub fn forget_drafts(home: &Path, debate: &DebateId) {
    // What cannot be removed is only a few lines of the person's own.
    let _ = fs::remove_dir_all(drafts(home, debate));
}

/// The person at the terminal.
pub struct Human {
    seat: Seat,
    title: String,
    drafts: PathBuf,
}

impl Human {
    /// At `seat`, which readers call `title`.
    pub fn new(seat: Seat, title: &str, drafts: PathBuf) -> Self {
        Self { seat, title: title.to_owned(), drafts }
    }

    fn draft(&self, key: &Key) -> PathBuf {
        self.drafts.join(format!("{key}.txt"))
    }
}

#[async_trait::async_trait]
impl Participant for Human {
    async fn answer(&self, call: &Call, _: &dyn Deltas) -> Result<Answer, Failure> {
        // One person answers one question at a time, and meanwhile nothing else is printed.
        let mut lines = LINES.lock().await;
        let held = ui::hold();
        let path = self.draft(&call.key);
        let kept = fs::read_to_string(&path).ok().filter(|text| !text.trim().is_empty());
        held.say(&heading(&self.title));
        for message in call.messages.iter().filter(|message| message.role != ChatRole::Assistant) {
            held.say(&ui::wrapped(&message.text, "  "));
            held.say("");
        }
        let editor = call.schema.as_deref().and_then(|schema| Some((editor()?, schema)));
        let text = match editor {
            Some((editor, schema)) => {
                let skeleton = || serde_json::to_string_pretty(&skeleton(schema)).unwrap_or_default();
                edit(editor, path, kept.unwrap_or_else(skeleton)).await?
            }
            None => {
                let wants_json = call.schema.is_some();
                lines.answer(&held, &path, kept, wants_json, self.seat.as_str() == HOST).await?
            }
        };
        let usage = Some(Usage { requests: 1, ..Usage::default() });
        Ok(Answer { text: text.trim().to_owned(), usage, model: None })
    }

    async fn probe(&self) -> Result<Probe, Failure> {
        Ok(Probe::Ready)
    }
}

/// The host where there is no terminal: consent is assumed, as `--yes` would give it.
pub struct Nobody;

#[async_trait::async_trait]
impl Participant for Nobody {
    async fn answer(&self, _: &Call, _: &dyn Deltas) -> Result<Answer, Failure> {
        Ok(Answer { text: "yes".into(), usage: Some(Usage::default()), model: None })
    }

    async fn probe(&self) -> Result<Probe, Failure> {
        Ok(Probe::Ready)
    }
}

fn heading(title: &str) -> String {
    ui::paint(&format!("▌{} (you)", ui::visible(&title.to_uppercase())), ui::BOLD)
}

/// Lines that are typed. A thread of its own reads them, when one is wanted: a person who is no
/// longer waited for must not hold up the program.
struct Lines {
    wanted: blocking::Sender<()>,
    typed: mpsc::UnboundedReceiver<Option<String>>,
    /// A line was asked for and has not come.
    outstanding: bool,
}

static LINES: LazyLock<Mutex<Lines>> = LazyLock::new(|| {
    let (wanted, wants) = blocking::channel::<()>();
    let (sender, typed) = mpsc::unbounded_channel();
    thread::spawn(move || {
        for () in wants {
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line);
            let line =
                read.is_ok_and(|bytes| bytes > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned());
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Mutex::new(Lines { wanted, typed, outstanding: false })
});

impl Lines {
    /// The next line; `None` for the end of input. Dropping the future loses no line.
    async fn next(&mut self) -> Option<String> {
        if !self.outstanding {
            self.wanted.send(()).ok()?;
            self.outstanding = true;
        }
        let line = self.typed.recv().await.flatten();
        self.outstanding = false;
        line
    }

    async fn answer(
        &mut self,
        held: &ui::Hold,
        path: &Path,
        kept: Option<String>,
        wants_json: bool,
        may_be_empty: bool,
    ) -> Result<String, Failure> {
        if let Some(kept) = &kept {
            held.say(&ui::paint("What you had written:", ui::DIM));
            held.say(&ui::wrapped(kept, "  "));
            held.say(&ui::paint("An empty line sends it; anything else begins anew.", ui::DIM));
        } else if may_be_empty {
            held.say(&ui::paint("An empty line is a yes; say otherwise what you want changed.", ui::DIM));
        } else {
            let what = if wants_json { "Your answer, as text or JSON" } else { "Your answer" };
            held.say(&ui::paint(&format!("{what}; an empty line ends it. Ctrl-C interrupts."), ui::DIM));
        }
        let mut text = String::new();
        loop {
            held.prompt("> ");
            match self.next().await {
                Some(line) if !line.trim().is_empty() => {
                    text.push_str(&line);
                    text.push('\n');
                    keep(path, &text).map_err(lost)?;
                    // A consent, or a wish, is one line.
                    if may_be_empty {
                        return Ok(text);
                    }
                }
                _ if !text.is_empty() => return Ok(text),
                Some(_) => match &kept {
                    Some(kept) => return Ok(kept.clone()),
                    None if may_be_empty => return Ok("yes".into()),
                    None => {}
                },
                None => {
                    return Err(Failure::Unavailable {
                        message: "the input ended without an answer".into(),
                        remedy: "answer when it is asked again".into(),
                    });
                }
            }
        }
    }
}

/// Keeps what was typed so far.
fn keep(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text))
}

fn lost(error: io::Error) -> Failure {
    Failure::Unavailable {
        message: format!("the draft: {error}"),
        remedy: "make room, or set AGON_HOME".into(),
    }
}

/// The person's editor, and its arguments.
fn editor() -> Option<Vec<String>> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let command = set("VISUAL").or_else(|| set("EDITOR"))?;
    Some(command.split_whitespace().map(str::to_owned).collect())
}

/// Lets the person edit `text` at `path`; gives what is there afterwards.
async fn edit(editor: Vec<String>, path: PathBuf, text: String) -> Result<String, Failure> {
    keep(&path, &text).map_err(lost)?;
    let edited = tokio::task::spawn_blocking(move || {
        let [program, arguments @ ..] = editor.as_slice() else { return Err(io::Error::other("no editor")) };
        let done = Command::new(program).args(arguments).arg(&path).status()?;
        if done.success() {
            fs::read_to_string(&path)
        } else {
            Err(io::Error::other(format!("{program}: {done}")))
        }
    });
    let edited = edited.await.map_err(io::Error::other).and_then(|edited| edited);
    edited.map_err(|error| Failure::Unavailable {
        message: format!("the editor: {error}"),
        remedy: "set VISUAL to an editor, or unset it to answer at the terminal".into(),
    })
}

/// What a schema wants, to be filled in.
fn skeleton(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0).or_else(|| schema.get("const")) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            fields.map(|(name, field)| (name.clone(), skeleton(field))).collect::<Map<_, _>>().into()
        }
        Some("array") => {
            let count = schema["minItems"].as_u64().unwrap_or(0).max(1);
            (0..count).map(|_| skeleton(&schema["items"])).collect()
        }
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(0)),
        Some("boolean") => json!(false),
        _ => json!(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skeleton_has_every_field_to_fill_in() {
        let schema = json!({"type": "object", "properties": {
            "stance": {"type": "string", "enum": ["for", "against"]},
            "arguments": {"type": "array", "minItems": 2, "items": {"type": "object", "properties": {
                "title": {"type": "string"}, "score": {"type": "number", "minimum": -1}}}},
            "blocking": {"type": "boolean"}}});
        let argument = json!({"title": "", "score": -1});
        let wanted = json!({"stance": "for", "arguments": [argument, argument], "blocking": false});
        assert_eq!(skeleton(&schema), wanted);
    }
}

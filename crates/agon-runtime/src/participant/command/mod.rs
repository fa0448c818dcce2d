//! Command-line agents: Claude Code, Codex, Gemini CLI, and any command that reads a prompt and
//! prints an answer.
//!
//! Each call is a separate process in an empty folder, with a cleared environment and without
//! tools. Its answer is its final text; whatever it says when it fails is a [`CallFailure`].

mod acp;
mod failure;
mod output_parser;
mod process;
mod tool;

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agon_core::FailureKind;
use tokio::sync::OnceCell;

pub use self::tool::{CommandOutput, list_agent_names};
use self::{
    acp::{AcpEnd, AcpSession},
    failure::{FailedCommand, build_failure, find_reason, is_error, is_flag_refused},
    output_parser::OutputParser,
    process::{Heed, ProcessEnd, ProcessLimits, ProcessRun},
    tool::{ENV, TextDelivery, Tool},
};
use super::{Answer, Call, CallFailure, ChatMessage, Deltas, Participant, Probe, provider::redact};
use crate::lookups::LookupBridge;

const ANSWER: &str = include_str!("prompts/answer.md");
const SCHEMA: &str = include_str!("prompts/schema.md");
/// Longest silence where nobody says otherwise: agents think long.
const SILENCE: Duration = Duration::from_secs(300);
/// Longest call where nobody says otherwise.
const TOTAL: Duration = Duration::from_secs(900);
/// How long a program may take to say its version, or whether it is signed in: one that starts a
/// JavaScript engine first takes seconds on a busy machine.
const LOOK: Duration = Duration::from_secs(30);
/// Maximum number of bytes that are read of what it says then.
const LOOK_BYTES_MAX: usize = 64 * 1024;
/// What is said of an answer that is larger than it may be.
const TOO_LARGE: &str = "the answer is too large; agon stopped reading";

/// A command as someone named it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommandChoice {
    /// As the user names it, for example `cli:claude`.
    pub name: String,
    /// Program and arguments; empty for an agent that is known.
    pub run: Vec<String>,
    /// How its output is read.
    pub output: CommandOutput,
    /// The model it is told to use; known agents alone take one.
    pub model: Option<String>,
    /// Variables that it may see, in addition to those of every command.
    pub env: Vec<String>,
    /// Longest call, in seconds.
    pub timeout_seconds: Option<f64>,
}

impl CommandChoice {
    /// The agent called `name` that needs no configuration.
    pub fn from_known_agent(name: &str, model: Option<&str>) -> Option<Self> {
        let tool = tool::find_tool(name)?;
        let (name, model) = (format!("cli:{name}"), model.map(str::to_owned));
        Some(Self { name, output: tool.output, model, ..Self::default() })
    }
}

/// A command at a seat.
pub struct CommandParticipant {
    choice: CommandChoice,
    /// The agent whose flags are used; none for a command of the user's own.
    tool: Option<&'static Tool>,
    program: String,
    args: Vec<OsString>,
    limits: ProcessLimits,
    /// Cleared when the agent refuses to be told a schema.
    structured: AtomicBool,
    probed: OnceCell<Result<Probe, CallFailure>>,
    version: OnceLock<String>,
}

impl CommandParticipant {
    /// A command; nothing is run.
    pub fn new(choice: CommandChoice) -> Self {
        let known = if choice.run.is_empty() { tool::find_tool_by_output(choice.output) } else { None };
        let (program, args) = match (known, choice.run.split_first()) {
            (Some(tool), _) => (tool.name.to_owned(), known_args(tool, choice.model.as_deref())),
            (None, Some((program, args))) => (program.clone(), args.iter().map(absolute_argument).collect()),
            (None, None) => (String::new(), Vec::new()),
        };
        let total = choice.timeout_seconds.map_or(TOTAL, Duration::from_secs_f64);
        // Plain text may come all at once at the end.
        let silence = if choice.output == CommandOutput::Text { total } else { SILENCE.min(total) };
        let limits = ProcessLimits { silence, total };
        let structured = AtomicBool::new(known.is_some_and(|tool| tool.schema.is_some()));
        let (probed, version) = (OnceCell::new(), OnceLock::new());
        Self { choice, tool: known, program, args, limits, structured, probed, version }
    }

    /// The version that a known agent says it has, once it has been probed.
    pub fn version(&self) -> Option<&str> {
        self.version.get().map(String::as_str)
    }

    /// Whether its program is on this machine.
    pub fn is_installed(&self) -> bool {
        find_on_path(&self.program).is_some()
    }

    /// Where its program is.
    fn program_path(&self) -> Result<PathBuf, CallFailure> {
        let name = redact::redact_line(&self.program, None);
        let message = format!("the program {name} is not installed on this machine");
        find_on_path(&self.program)
            .ok_or_else(|| CallFailure::Unavailable { message, remedy: self.failed_command().install.into() })
    }

    fn failed_command(&self) -> FailedCommand<'_> {
        let own = tool::find_tool_by_output(self.choice.output);
        FailedCommand {
            name: &self.choice.name,
            sign_in: own.map_or("sign it in, or list the variable of its key under env", |tool| tool.sign_in),
            install: self.tool.map_or("install it, or fix run of this command in agon.toml", |tool| tool.install),
        }
    }

    /// Variables whose values it sees.
    fn visible_variables(&self) -> impl Iterator<Item = &str> {
        let own = tool::find_tool_by_output(self.choice.output).map_or(&[][..], |tool| tool.env);
        let named = self.choice.env.iter().map(String::as_str);
        ENV.iter().chain(own).copied().chain(named)
    }

    fn build_environment(&self) -> Vec<(String, OsString)> {
        let seen = self.visible_variables().filter_map(|name| Some((name.to_owned(), env::var_os(name)?)));
        let set = tool::find_tool_by_output(self.choice.output).map_or(&[][..], |tool| tool.set);
        let set = set.iter().chain(&[("NO_COLOR", "1")]).map(|(name, value)| ((*name).to_owned(), value.into()));
        seen.chain(set).collect()
    }

    /// `text` as one line that shows no value of a variable that may be a key.
    fn redact_text(&self, text: &str) -> String {
        let mut text = output_parser::strip_controls(text);
        for name in self.visible_variables().filter(|name| !ENV.contains(name)) {
            let value = env::var(name).ok().filter(|value| value.len() >= 8 && !value.contains("://"));
            if let Some(value) = value {
                text = text.replace(&value, "[key]");
            }
        }
        redact::redact_line(&text, None)
    }

    /// One run. `None` where it refused to be told the schema, and nothing was generated.
    async fn run_once(
        &self,
        call: &Call,
        deltas: &dyn Deltas,
        structured: bool,
    ) -> Result<Option<Answer>, CallFailure> {
        let fault = |error: std::io::Error| CallFailure::Transient {
            message: format!("{} could not be run: {error}", self.choice.name),
            retry_after: None,
            usage: Some(agon_core::Usage::default()),
        };
        let place = tempfile::tempdir().map_err(fault)?;
        let mut parser = OutputParser::new(self.choice.output, call.bytes_max);
        let bridge = open_bridge(call, place.path()).await.map_err(fault)?;
        let run = self.prepare_run(call, place.path(), structured, bridge.as_ref()).map_err(fault)?;
        let program = self.program_path()?;
        let folder = place.path().join("empty");
        let run = ProcessRun { program: &program, folder: &folder, ..run };
        if self.choice.output == CommandOutput::Acp {
            return self.converse(call, run, bridge.as_ref(), deltas).await.map_err(fault)?.map(Some);
        }
        let (end, stderr) = process::run(run, |bytes| parser.push(bytes, deltas)).await.map_err(fault)?;
        parser.finish(deltas);
        match self.conclude_run(end, &stderr, parser) {
            Err(CallFailure::Unavailable { message, .. }) if structured && is_flag_refused(&message) => Ok(None),
            result => result.map(Some),
        }
    }

    /// Everything but the program and the folder it runs in, which is made here.
    fn prepare_run<'a>(
        &self,
        call: &Call,
        place: &'a Path,
        structured: bool,
        bridge: Option<&LookupBridge>,
    ) -> std::io::Result<ProcessRun<'a>> {
        std::fs::create_dir(place.join("empty"))?;
        let (mut args, mut env) = (self.args.clone(), self.build_environment());
        let mut give = |given: TextDelivery, file: &str, text: &str| {
            let path = place.join(file);
            if !matches!(given, TextDelivery::Inline(_)) {
                std::fs::write(&path, text)?;
            }
            match given {
                TextDelivery::Inline(flag) => args.extend([flag.into(), text.into()]),
                TextDelivery::File(flag) => args.extend([flag.into(), path.into()]),
                TextDelivery::Setting(name) => args.extend(["-c".into(), format_path_setting(name, &path).into()]),
                TextDelivery::Variable(name) => env.push((name.to_owned(), path.into())),
            }
            std::io::Result::Ok(())
        };
        for (given, file, text) in self.tool.map_or(&[][..], |tool| tool.texts) {
            give(*given, file, text)?;
        }
        if let (true, Some(given), Some(schema)) = (structured, self.tool.and_then(|tool| tool.schema), &call.schema) {
            give(given, "schema.json", &schema.to_string())?;
        }
        if let (Some(flags), Some(bridge), Some(lookups)) =
            (self.tool.and_then(|tool| tool.lookups), bridge, &call.lookups)
        {
            args.extend(flags.build(&env::current_exe()?, &bridge.file, lookups.desk.tools()));
            env.retain(|(name, _)| !flags.unset_variables().contains(&name.as_str()));
        }
        args.extend(self.tool.map_or(&[][..], |tool| tool.last).iter().map(OsString::from));
        let (input, limits) = (render_prompt_text(call), self.limits);
        Ok(ProcessRun { program: place, args, env, folder: place, input, limits })
    }

    /// One answer of an agent that speaks the Agent Client Protocol.
    async fn converse(
        &self,
        call: &Call,
        run: ProcessRun<'_>,
        bridge: Option<&LookupBridge>,
        deltas: &dyn Deltas,
    ) -> std::io::Result<Result<Answer, CallFailure>> {
        let program = env::current_exe()?;
        let session = AcpSession {
            model: self.choice.model.clone(),
            server: bridge.map(|bridge| (program, bridge.file.clone())),
            tools: call.lookups.iter().flat_map(|lookups| lookups.desk.tools()).copied().collect(),
            folder: run.folder.to_owned(),
            prompt: run.input.clone(),
            bytes_max: call.bytes_max,
        };
        let (end, text, stderr) = acp::converse(run, session, deltas).await?;
        Ok(match end {
            AcpEnd::Complete(usage) if !text.trim().is_empty() => {
                Ok(Answer { text: text.trim().to_owned(), usage, model: self.choice.model.clone(), engine: None })
            }
            AcpEnd::Complete(usage) => {
                let message = "the answer is empty".into();
                Err(CallFailure::Answered { kind: FailureKind::Empty, message, usage })
            }
            AcpEnd::NoStatement(kind, why) => Err(CallFailure::Answered { kind, message: why.into(), usage: None }),
            AcpEnd::Elapsed(why) => Err(CallFailure::Silent { message: format!("{why}: stopped"), usage: None }),
            AcpEnd::Failed(why) => {
                let why = find_reason(&stderr).filter(|_| why.trim().is_empty()).unwrap_or(&why);
                Err(build_failure(&self.failed_command(), self.redact_text(why), None, None))
            }
        })
    }

    fn conclude_run(&self, end: ProcessEnd, stderr: &str, heard: OutputParser) -> Result<Answer, CallFailure> {
        let status = match end {
            ProcessEnd::Exited(status) => Some(status),
            ProcessEnd::Lingered => None,
            ProcessEnd::TooLarge => {
                let (kind, message) = (FailureKind::TooLarge, TOO_LARGE.into());
                return Err(CallFailure::Answered { kind, message, usage: heard.usage });
            }
            ProcessEnd::Elapsed(why) => {
                return Err(CallFailure::Silent { message: format!("{why}: stopped"), usage: heard.usage });
            }
        };
        let text = heard.text.trim();
        // Plain text has no other sign that it is whole than its end.
        let whole = heard.complete || self.choice.output == CommandOutput::Text;
        let sound = status.is_none_or(|status| status.success()) && heard.error.is_none();
        if sound && whole && !text.is_empty() && !is_error(text) {
            return Ok(Answer { text: text.to_owned(), usage: heard.usage, model: heard.model, engine: None });
        }
        // Some print their errors where answers go; half an answer explains nothing.
        let code = status.and_then(|status| status.code());
        let blurted = (is_error(text) || code.is_some_and(|code| code != 0)).then_some(text);
        let said = [heard.error.as_deref(), heard.trouble.as_deref(), find_reason(stderr), blurted];
        let why = said.into_iter().flatten().find(|why| !why.trim().is_empty()).unwrap_or_default();
        Err(build_failure(&self.failed_command(), self.redact_text(why), status, heard.usage))
    }

    async fn probe_program(&self) -> Result<Probe, CallFailure> {
        let program = self.program_path()?;
        let Some(tool) = tool::find_tool_by_output(self.choice.output) else {
            // What a command of someone's own does with a flag is not known: it is not run.
            return Ok(Probe::Ready);
        };
        if self.tool.is_some() {
            let _ = self.version.set(self.read_first_line(&program, &["--version"]).await?);
        }
        let (variables, files) = tool.signs;
        let set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        if variables.iter().any(set) || files.iter().any(|file| home.join(file).exists()) {
            return Ok(Probe::Ready);
        }
        let asked = self.tool.is_some() && !tool.status.is_empty();
        if asked && self.read_first_line(&program, tool.status).await.is_ok() {
            return Ok(Probe::Ready);
        }
        Ok(Probe::Doubtful(format!("it does not seem to be signed in; {}", tool.sign_in)))
    }

    /// What the program says first when it is started so; a failure where it does not end well.
    async fn read_first_line(&self, program: &Path, args: &[&str]) -> Result<String, CallFailure> {
        let unavailable = |message: String| CallFailure::Unavailable {
            message: format!("{} {} {message}", redact::redact_line(&self.program, None), args.join(" ")),
            remedy: self.failed_command().install.into(),
        };
        let place = tempfile::tempdir().map_err(|error| unavailable(error.to_string()))?;
        let limits = ProcessLimits { silence: LOOK, total: LOOK };
        let (args, env, folder) = (args.iter().map(OsString::from).collect(), self.build_environment(), place.path());
        let run = ProcessRun { program, args, env, folder, input: String::new(), limits };
        let mut said = Vec::new();
        let listen = |bytes: &[u8]| {
            said.extend_from_slice(bytes);
            if said.len() < LOOK_BYTES_MAX { Heed::More } else { Heed::TooLarge }
        };
        match process::run(run, listen).await {
            Ok((ProcessEnd::Exited(status), _)) if status.success() => {}
            Ok((ProcessEnd::Exited(status), stderr)) => {
                return Err(unavailable(format!("ended with {status}: {}", self.redact_text(&stderr))));
            }
            Ok((ProcessEnd::Elapsed(why), _)) => return Err(unavailable(format!("said {why}"))),
            Ok((ProcessEnd::Lingered | ProcessEnd::TooLarge, _)) => {}
            Err(error) => return Err(unavailable(format!("could not be run: {error}"))),
        }
        let said = String::from_utf8_lossy(&said);
        Ok(self.redact_text(said.lines().next().unwrap_or_default()))
    }
}

#[async_trait::async_trait]
impl Participant for CommandParticipant {
    async fn answer(&self, call: &Call, deltas: &dyn Deltas) -> Result<Answer, CallFailure> {
        let call = &*call.without_examples();
        let structured = call.schema.is_some() && self.structured.load(Ordering::Relaxed);
        if let Some(answer) = self.run_once(call, deltas, structured).await? {
            return Ok(answer);
        }
        // The schema stands in the prompt too; from now on only there.
        self.structured.store(false, Ordering::Relaxed);
        let without = self.run_once(call, deltas, false).await?;
        Ok(without.unwrap_or_else(|| unreachable!("only a run with a schema can be refused one")))
    }

    fn is_model(&self) -> bool {
        true
    }

    fn can_look_up(&self) -> bool {
        let tool = tool::find_tool_by_output(self.choice.output).filter(|_| self.choice.output == CommandOutput::Acp);
        self.tool.or(tool).is_some_and(|tool| tool.lookups.is_some())
    }

    async fn probe(&self) -> Result<Probe, CallFailure> {
        self.probed.get_or_init(|| self.probe_program()).await.clone()
    }

    fn is_paid(&self) -> bool {
        true
    }
}

fn known_args(tool: &Tool, model: Option<&str>) -> Vec<OsString> {
    let model =
        model.filter(|_| !tool.model_flag.is_empty()).map(|model| [tool.model_flag, model]).into_iter().flatten();
    tool.args.iter().copied().chain(model).map(OsString::from).collect()
}

/// A setting whose value is a path, as `-c` takes it: TOML, where a string is written as in JSON.
fn format_path_setting(name: &str, path: &Path) -> String {
    format!("{name}={}", serde_json::json!(path.to_string_lossy()))
}

/// The tools of a call, for an agent that begins its answer; none where nothing may be looked up.
async fn open_bridge(call: &Call, folder: &Path) -> std::io::Result<Option<LookupBridge>> {
    let Some(lookups) = &call.lookups else { return Ok(None) };
    lookups.desk.clear();
    LookupBridge::open(Arc::clone(&lookups.desk), folder).await.map(Some)
}

/// The whole prompt as plain text, the schema included.
fn render_prompt_text(call: &Call) -> String {
    let mut parts = vec![ANSWER.trim().to_owned()];
    parts.extend(call.messages.iter().map(|ChatMessage { text, .. }| text.trim().to_owned()));
    parts.extend(call.schema.as_ref().map(|schema| format!("{}\n\n{schema}", SCHEMA.trim())));
    parts.join("\n\n") + "\n"
}

/// An argument that names a file of the current folder, by its whole path: the command runs
/// elsewhere.
fn absolute_argument(arg: &String) -> OsString {
    let path = Path::new(arg);
    let file = !arg.starts_with('-') && path.is_file();
    std::path::absolute(path).ok().filter(|_| file).map_or_else(|| arg.into(), Into::into)
}

/// Where a program is: by its path, or on `PATH`.
fn find_on_path(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return std::path::absolute(program).ok().filter(|path| is_program(path));
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

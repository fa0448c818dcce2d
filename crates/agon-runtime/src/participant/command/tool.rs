//! The command-line agents that need no configuration: how each is started without its tools, how
//! it is told a schema, and which signs show that someone is signed in. Everything that differs
//! between them and may change with their versions stands here.

use std::{ffi::OsString, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ANSWER;
use crate::lookups::LookupTool;

/// The format of a command's standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CommandOutput {
    /// All of it is the answer.
    #[default]
    Text,
    /// The events of `claude --output-format stream-json`.
    Claude,
    /// The events of `codex exec --json`.
    Codex,
    /// The events of `gemini --output-format stream-json`.
    Gemini,
    /// Messages of the Agent Client Protocol, both ways.
    Acp,
}

/// How an agent gets a text in addition to its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextDelivery {
    /// The text itself follows this flag.
    Inline(&'static str),
    /// The path of a file with it follows this flag.
    File(&'static str),
    /// The path of a file with it is this setting, which `-c` takes.
    Setting(&'static str),
    /// The path of a file with it is the value of this variable.
    Variable(&'static str),
}

/// How an agent is told of a server of the Model Context Protocol, and that it may call its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolServerFlags {
    /// Flags of Claude Code.
    Claude,
    /// Settings of Codex.
    Codex,
    /// What an agent is told when its session opens.
    Session,
}

/// The name of that server.
pub(super) const TOOL_SERVER: &str = "agon";
/// The hidden command by which this program is that server.
pub(super) const BRIDGE_COMMAND: &str = "lookup-bridge";

impl ToolServerFlags {
    /// Variables that must not be set for it to start the server.
    pub fn unset_variables(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["CLAUDE_CODE_SAFE_MODE"],
            Self::Codex | Self::Session => &[],
        }
    }

    /// The flags for `tools`, which `program` serves when it is started with `file`.
    pub fn build(self, program: &Path, file: &Path, tools: &[LookupTool]) -> Vec<OsString> {
        let (program, file) = (program.to_string_lossy(), file.to_string_lossy());
        match self {
            Self::Claude => {
                let servers =
                    json!({"mcpServers": {TOOL_SERVER: {"command": program, "args": [BRIDGE_COMMAND, file]}}});
                let allowed: Vec<String> =
                    tools.iter().map(|tool| format!("mcp__{TOOL_SERVER}__{}", tool.name())).collect();
                // In place of the safe mode: nothing of the user's settings, and of what they told it to remember.
                let apart = ["--setting-sources".into(), String::new()];
                let offer = ["--mcp-config".into(), servers.to_string(), "--allowedTools".into(), allowed.join(",")];
                apart.into_iter().chain(offer).map(OsString::from).collect()
            }
            Self::Codex => {
                let settings = [
                    ("command", json!(program)),
                    ("args", json!([BRIDGE_COMMAND, file])),
                    ("default_tools_approval_mode", json!("approve")),
                ];
                let set = settings.map(|(name, value)| format!("mcp_servers.{TOOL_SERVER}.{name}={value}"));
                set.into_iter().flat_map(|setting| ["-c".into(), setting]).map(OsString::from).collect()
            }
            Self::Session => Vec::new(),
        }
    }
}

/// One agent.
#[derive(Debug)]
pub(super) struct Tool {
    /// Its name after `cli:`, and its program.
    pub name: &'static str,
    pub output: CommandOutput,
    /// Headless, without tools or with those alone that only read, without the user's own servers
    /// and sessions.
    pub args: &'static [&'static str],
    /// What ends the arguments.
    pub last: &'static [&'static str],
    pub model_flag: &'static str,
    /// What it is given on every call: how, as which file, and the text.
    pub texts: &'static [(TextDelivery, &'static str, &'static str)],
    /// How it is given the schema of its answer.
    pub schema: Option<TextDelivery>,
    /// How it is given tools by which something is looked up.
    pub lookups: Option<ToolServerFlags>,
    /// Variables that it may see in addition to the ones that every command sees.
    pub env: &'static [&'static str],
    /// Variables that it is given.
    pub set: &'static [(&'static str, &'static str)],
    /// Any of these variables, or of these files below the home directory, shows a sign-in.
    pub signs: (&'static [&'static str], &'static [&'static str]),
    /// What it is started with to say by its exit status whether it is signed in; spends nothing.
    pub status: &'static [&'static str],
    pub install: &'static str,
    pub sign_in: &'static str,
}

/// The agents that are known, in the order in which they are listed.
pub(super) const TOOLS: [Tool; 4] = [
    Tool {
        name: "claude",
        output: CommandOutput::Claude,
        args: &[
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--include-partial-messages",
            "--no-session-persistence",
            // Both are needed: the first takes away its own tools, the second those of the user's
            // MCP servers.
            "--tools",
            "",
            "--strict-mcp-config",
        ],
        last: &[],
        model_flag: "--model",
        texts: &[(TextDelivery::Inline("--system-prompt"), "instructions.md", ANSWER)],
        schema: Some(TextDelivery::Inline("--json-schema")),
        lookups: Some(ToolServerFlags::Claude),
        env: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR",
        ],
        set: &[
            // The user's instructions, hooks, skills and plugins are for work, not for a debate.
            ("CLAUDE_CODE_SAFE_MODE", "1"),
            // Of ten attempts of its own, the last wait for minutes; agon tries again itself.
            ("CLAUDE_CODE_MAX_RETRIES", "2"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ],
        signs: (&["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"], &[]),
        status: &["auth", "status"],
        install: "install Claude Code (npm install -g @anthropic-ai/claude-code)",
        sign_in: "run claude once and sign in, or set ANTHROPIC_API_KEY",
    },
    Tool {
        name: "codex",
        output: CommandOutput::Codex,
        args: &[
            "exec",
            "--json",
            "--sandbox",
            "read-only",
            "--skip-git-repo-check",
            "--ephemeral",
            // A version that does not know one of these says so and continues.
            "-c",
            "features.shell_tool=false",
            "-c",
            "features.multi_agent=false",
            "-c",
            "features.goals=false",
            "-c",
            "features.plugins=false",
            "-c",
            "features.apps=false",
            "-c",
            "web_search=disabled",
            // Without the network it would wait for it for ever.
            "-c",
            "features.unbounded_connection_retries=false",
        ],
        last: &["-"],
        model_flag: "--model",
        texts: &[(TextDelivery::Setting("model_instructions_file"), "instructions.md", ANSWER)],
        schema: Some(TextDelivery::File("--output-schema")),
        lookups: Some(ToolServerFlags::Codex),
        env: &["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"],
        set: &[],
        signs: (&["CODEX_API_KEY"], &[]),
        status: &["login", "status"],
        install: "install Codex (npm install -g @openai/codex)",
        sign_in: "run codex login, or set CODEX_API_KEY",
    },
    Tool {
        name: "gemini",
        output: CommandOutput::Gemini,
        args: &[
            "--output-format",
            "stream-json",
            "--approval-mode",
            "default",
            // None of the user's extensions, and of their MCP servers those called so.
            "--extensions",
            "none",
            "--allowed-mcp-server-names",
            "none",
        ],
        last: &["-p", ""],
        model_flag: "--model",
        texts: &[
            (TextDelivery::Variable("GEMINI_SYSTEM_MD"), "instructions.md", ANSWER),
            (TextDelivery::File("--policy"), "policy.toml", include_str!("few_tools.toml")),
        ],
        schema: None,
        lookups: None,
        env: &[
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_GEMINI_BASE_URL",
            "GOOGLE_GENAI_USE_GCA",
            "GOOGLE_GENAI_USE_VERTEXAI",
        ],
        // The folder is empty and private, and nobody is there to be asked about it.
        set: &[("GEMINI_CLI_TRUST_WORKSPACE", "true")],
        signs: (&["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"], &[".gemini/oauth_creds.json"]),
        status: &[],
        install: "install Gemini CLI (npm install -g @google/gemini-cli)",
        sign_in: "run gemini once and sign in, or set GEMINI_API_KEY",
    },
    Tool {
        name: "opencode",
        output: CommandOutput::Acp,
        args: &["acp"],
        last: &[],
        model_flag: "",
        texts: &[],
        schema: None,
        lookups: Some(ToolServerFlags::Session),
        // What the agents and adapters read that speak this protocol.
        env: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR",
            "CODEX_API_KEY",
            "CODEX_HOME",
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_GEMINI_BASE_URL",
            "OPENAI_API_KEY",
            "OPENCODE_CONFIG",
        ],
        set: &[
            ("OPENCODE_CONFIG_CONTENT", include_str!("opencode.json")),
            ("CODEX_CONFIG", include_str!("codex.json")),
            ("INITIAL_AGENT_MODE", "read-only"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ],
        signs: (&["ANTHROPIC_API_KEY", "OPENAI_API_KEY"], &[".local/share/opencode/auth.json"]),
        status: &[],
        install: "install OpenCode (npm install -g opencode-ai)",
        sign_in: "run opencode auth login",
    },
];

/// What every command may see of the environment.
pub(super) const ENV: [&str; 17] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TERM",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// Names of the known agents.
pub fn list_agent_names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|tool| tool.name)
}

pub(super) fn find_tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

pub(super) fn find_tool_by_output(output: CommandOutput) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.output == output)
}

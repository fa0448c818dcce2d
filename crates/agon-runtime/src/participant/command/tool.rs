//! The command-line agents that need no configuration: how each is started without its tools, how
//! it is told a schema, and which signs show that somebody is signed in. Everything that differs
//! between them and may change with their versions stands here.

use serde::{Deserialize, Serialize};

/// How the standard output of a command is read.
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
}

/// How an agent is told the schema of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaFlag {
    /// The schema itself follows this flag.
    Inline(&'static str),
    /// The path of a file with it follows this flag.
    File(&'static str),
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
    pub schema: Option<SchemaFlag>,
    /// Variables that it may see beside the ones that every command sees.
    pub env: &'static [&'static str],
    /// Variables that it is given.
    pub set: &'static [(&'static str, &'static str)],
    /// Any of these variables, or of these files below the home directory, shows a sign-in.
    pub signs: (&'static [&'static str], &'static [&'static str]),
    pub install: &'static str,
    pub sign_in: &'static str,
}

/// The agents that are known, in the order in which they are listed.
pub(super) const TOOLS: [Tool; 3] = [
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
        schema: Some(SchemaFlag::Inline("--json-schema")),
        env: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR",
        ],
        set: &[],
        signs: (
            &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
            &[".claude/.credentials.json"],
        ),
        install: "install Claude Code (npm install -g @anthropic-ai/claude-code)",
        sign_in: "run claude once and sign in, or set ANTHROPIC_API_KEY",
    },
    Tool {
        name: "codex",
        output: CommandOutput::Codex,
        args: &["exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral"],
        last: &["-"],
        model_flag: "--model",
        schema: Some(SchemaFlag::File("--output-schema")),
        env: &["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY", "CODEX_HOME"],
        set: &[],
        signs: (&["CODEX_API_KEY", "OPENAI_API_KEY"], &[".codex/auth.json"]),
        install: "install Codex (npm install -g @openai/codex)",
        sign_in: "run codex login, or set CODEX_API_KEY",
    },
    Tool {
        name: "gemini",
        output: CommandOutput::Gemini,
        // What would need a person's permission is denied in headless mode.
        args: &["--output-format", "stream-json", "--approval-mode", "default", "-p", ""],
        last: &[],
        model_flag: "--model",
        schema: None,
        env: &[
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_GENAI_USE_GCA",
            "GOOGLE_GENAI_USE_VERTEXAI",
        ],
        // The folder is empty and private, and nobody is there to be asked about it.
        set: &[("GEMINI_CLI_TRUST_WORKSPACE", "true")],
        signs: (
            &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
            &[".gemini/oauth_creds.json"],
        ),
        install: "install Gemini CLI (npm install -g @google/gemini-cli)",
        sign_in: "run gemini once and sign in, or set GEMINI_API_KEY",
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
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|tool| tool.name)
}

pub(super) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

pub(super) fn speaking(output: CommandOutput) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.output == output)
}

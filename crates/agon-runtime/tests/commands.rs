//! Command-line agents at a seat: fakes that say what real ones say, and everything that goes wrong
//! with programs.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)] // Helpers are part of the tests.

use std::{
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use agon_core::{
    FailureKind, Key,
    form::{FormField, Holds},
};
use agon_runtime::participant::{
    Answer, Call, CallFailure, ChatMessage, ChatRole, Deltas, Participant, Probe,
    command::{CommandChoice, CommandOutput, CommandParticipant},
};

struct Fake {
    folder: tempfile::TempDir,
    command: CommandParticipant,
    said: Mutex<String>,
}

impl Deltas for Fake {
    fn push_delta(&self, text: &str) {
        self.said.lock().unwrap().push_str(text);
    }
}

impl Fake {
    /// An agent that is a shell script, with so many seconds for a call.
    fn new(output: CommandOutput, seconds: f64, script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent");
        let script = script.replace("HERE", &folder.path().display().to_string());
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let command = CommandParticipant::new(CommandChoice {
            name: "cli:fake".into(),
            run: vec![path.display().to_string()],
            output,
            model: None,
            env: vec!["CARGO_PKG_NAME".into()],
            timeout_seconds: Some(seconds),
        });
        Self { folder, command, said: Mutex::default() }
    }

    async fn ask(&self, prompt: &str) -> Result<Answer, CallFailure> {
        let message = |role, text: &str| ChatMessage::new(role, text);
        let call = Call {
            key: Key::from_parts("turn/fake"),
            attempt: 0,
            turn: 0,
            messages: vec![message(ChatRole::System, "You are strict."), message(ChatRole::User, prompt)],
            chain: [].into(),
            schema: Some(Arc::new(FormField { title: Some("wanted".into()), ..FormField::new(Holds::Fields) })),
            schema_bytes: 200,
            tokens_max: 100,
            bytes_max: 64 * 1024,
            temperature: 0.5,
            seed: 1,
            earlier: Arc::new([]),
            lookups: None,
        };
        self.command.answer(&call, self).await
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

/// Whether the process whose number is in a file is gone, or only waits to be collected.
fn is_gone(pid: &Path) -> bool {
    let pid = std::fs::read_to_string(pid).unwrap();
    match std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())) {
        Ok(stat) => stat.rsplit(')').next().is_some_and(|state| state.trim().starts_with('Z')),
        Err(_) => true,
    }
}

async fn gone_soon(pid: &Path) -> bool {
    for _ in 0..100 {
        if is_gone(pid) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

#[tokio::test]
async fn the_prompt_goes_in_and_the_answer_comes_out() {
    let fake = Fake::new(
        CommandOutput::Text,
        20.0,
        "cat > HERE/in; pwd > HERE/where; ls -a > HERE/ls; env > HERE/env; printf '\\033[1mIt is\\033[0m so.\\n'",
    );
    let answer = fake.ask("Is it so?").await.unwrap();
    assert_eq!((answer.text.as_str(), answer.usage), ("It is so.", None));
    assert_eq!(*fake.said.lock().unwrap(), "It is so.\n");
    let read = |name: &str| std::fs::read_to_string(fake.file(name)).unwrap();
    let asked = read("in");
    for part in ["You are strict.", "Is it so?", "\"title\":\"wanted\"", "nothing else"] {
        assert!(asked.contains(part), "{part} is not in {asked}");
    }
    assert_eq!(read("ls").split_whitespace().count(), 2, "its folder is empty");
    assert!(!Path::new(read("where").trim()).exists(), "its folder is gone with it");
    let env = read("env");
    assert!(env.contains("PATH=") && env.contains("CARGO_PKG_NAME="), "{env}");
    assert!(!env.contains("CARGO_MANIFEST_DIR"), "{env}");
}

#[tokio::test]
async fn what_an_agent_used_is_counted() {
    let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"{\"a\": 1}","total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":4}}"#;
    let fake = Fake::new(
        CommandOutput::Claude,
        20.0,
        &format!("echo '{{\"type\":\"system\",\"model\":\"claude-x\"}}'; echo '{result}'"),
    );
    let answer = fake.ask("x").await.unwrap();
    assert_eq!((answer.text.as_str(), answer.model.as_deref()), ("{\"a\": 1}", Some("claude-x")));
    let usage = answer.usage.unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.cost_microusd), (10, 4, 500_000));
}

#[tokio::test]
async fn a_hang_ends_at_its_limit() {
    let fake = Fake::new(CommandOutput::Text, 0.3, "sleep 30");
    let started = Instant::now();
    let Err(CallFailure::Silent { message, .. }) = fake.ask("x").await else { panic!() };
    assert!(message.contains("0.3 s"), "{message}");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_flood_is_not_read_to_its_end() {
    for output in [CommandOutput::Text, CommandOutput::Codex] {
        let fake = Fake::new(output, 30.0, "yes '{}'");
        let failure = fake.ask("x").await.unwrap_err();
        assert!(matches!(failure, CallFailure::Answered { kind: FailureKind::TooLarge, .. }), "{failure:?}");
    }
}

#[tokio::test]
async fn a_death_is_no_answer() {
    for (output, script, says) in [
        (CommandOutput::Text, "echo half an answer; kill -9 $$", "signal: 9"),
        (CommandOutput::Text, "echo half an answer; echo 'the network is gone' >&2; exit 3", "the network is gone"),
        (CommandOutput::Codex, "echo '{\"type\":\"turn.started\"}'", "ended without an answer"),
        (
            CommandOutput::Gemini,
            "echo '{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"half\"}'",
            "ended without an answer",
        ),
        (CommandOutput::Text, "true", "ended without an answer"),
        (CommandOutput::Text, "printf 'caf\\351\\n'", "not UTF-8"),
    ] {
        let failure = Fake::new(output, 20.0, script).ask("x").await.unwrap_err();
        let CallFailure::Transient { message, .. } = &failure else { panic!("{script}: {failure:?}") };
        assert!(message.contains(says), "{script}: {message}");
    }
}

#[tokio::test]
async fn an_error_with_exit_status_0_is_no_speech() {
    for (output, line) in [
        (CommandOutput::Text, "API Error: 500 overloaded"),
        (CommandOutput::Claude, r#"{"type":"result","subtype":"success","result":"API Error: 500 overloaded"}"#),
        (CommandOutput::Claude, r#"{"type":"result","subtype":"error_during_execution","is_error":true}"#),
        (CommandOutput::Codex, r#"{"type":"turn.failed","error":{"message":"stream disconnected"}}"#),
        (CommandOutput::Gemini, r#"{"type":"result","status":"error","error":{"message":"overloaded"}}"#),
    ] {
        let failure = Fake::new(output, 20.0, &format!("echo '{line}'")).ask("x").await.unwrap_err();
        assert!(matches!(failure, CallFailure::Transient { .. }), "{line}: {failure:?}");
    }
    let line = r#"{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key, please run /login"}"#;
    let failure = Fake::new(CommandOutput::Claude, 20.0, &format!("echo '{line}'; exit 1")).ask("x").await;
    let Err(CallFailure::Unavailable { remedy, .. }) = failure else { panic!("{failure:?}") };
    assert!(remedy.contains("sign in"), "{remedy}");
}

#[tokio::test]
async fn a_question_back_is_an_answer_like_any_other() {
    let fake = Fake::new(CommandOutput::Text, 20.0, "echo 'Which motion do you mean?'");
    assert_eq!(fake.ask("x").await.unwrap().text, "Which motion do you mean?");
}

#[tokio::test]
async fn everything_it_started_ends_with_it() {
    let script = "sleep 300 & echo $! > HERE/child; (sleep 300 & echo $! > HERE/grandchild; wait) & sleep 0.1; ";
    // At a limit, and after an answer.
    for (seconds, rest) in [(0.6, "wait"), (20.0, "echo done")] {
        let fake = Fake::new(CommandOutput::Text, seconds, &format!("{script}{rest}"));
        let _ = fake.ask("x").await;
        for pid in ["child", "grandchild"] {
            assert!(gone_soon(&fake.file(pid)).await, "{rest}: {pid} lives on");
        }
    }
    // When nobody waits for it any longer.
    let fake = Fake::new(CommandOutput::Text, 20.0, &format!("{script}wait"));
    let waited = tokio::time::timeout(Duration::from_millis(600), fake.ask("x")).await;
    assert!(waited.is_err());
    for pid in ["child", "grandchild"] {
        assert!(gone_soon(&fake.file(pid)).await, "{pid} lives on");
    }
}

#[tokio::test]
async fn a_prompt_that_is_not_read_holds_nothing_up() {
    let fake = Fake::new(CommandOutput::Text, 20.0, "exec <&-; echo 'I know already.'");
    let prompt = "x".repeat(2_000_000);
    assert_eq!(fake.ask(&prompt).await.unwrap().text, "I know already.");
}

#[tokio::test]
async fn what_cannot_be_run_is_named_with_a_remedy() {
    let choice = CommandChoice {
        name: "cli:absent".into(),
        run: vec!["agon-test-no-such-program".into()],
        output: CommandOutput::Text,
        model: None,
        env: Vec::new(),
        timeout_seconds: None,
    };
    let Err(CallFailure::Unavailable { message, remedy }) = CommandParticipant::new(choice).probe().await else {
        panic!()
    };
    assert!(message.contains("agon-test-no-such-program") && remedy.contains("agon.toml"), "{message} {remedy}");
    // A command of somebody's own is not run to find out about it.
    let fake = Fake::new(CommandOutput::Text, 20.0, "touch HERE/ran; sleep 30");
    assert_eq!(fake.command.probe().await, Ok(Probe::Ready));
    assert!(!fake.file("ran").exists());
}

/// An agent that speaks the Agent Client Protocol: it asks whether it may call a lookup and a shell, and says what it was
/// told; then ends its turn as `END` says.
const ACP: &str = r#"
id_of() { printf '%s' "$1" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p'; }
say() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"; }
may() {
    printf '{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t%s","title":"%s"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}\n' "$1" "$1" "$2"
    read -r reply
    case "$reply" in *'"yes"'*) say "$2: yes. " ;; *) say "$2: no. " ;; esac
}
while read -r line; do
    id=$(id_of "$line")
    case "$line" in
        *'"initialize"'*) printf '%s' "$line" > HERE/hello; printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentCapabilities":{}}}\n' "$id" ;;
        *'"session/new"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s1"}}\n' "$id" ;;
        *'"session/prompt"'*)
            printf '%s' "$line" > HERE/asked
            may 900 "bash"
            may 901 "mcp__agon__search"
            END
            printf '{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"STOP","usage":{"totalTokens":9,"inputTokens":5,"outputTokens":4}}}\n' "$id" ;;
    esac
done
"#;

#[tokio::test]
async fn an_agent_of_the_client_protocol_answers_and_may_do_nothing_that_is_not_a_lookup() {
    let script = ACP.replace("STOP", "end_turn").replace("END", "say 'It is so.'");
    let fake = Fake::new(CommandOutput::Acp, 20.0, &script);
    let answer = fake.ask("Is it so?").await.unwrap();
    // Without lookups there is nothing that it may call.
    assert_eq!(answer.text, "bash: no. mcp__agon__search: no. It is so.");
    assert_eq!(answer.usage.map(|usage| (usage.prompt_tokens, usage.completion_tokens)), Some((5, 4)));
    assert_eq!(*fake.said.lock().unwrap(), answer.text);
    let read = |name: &str| std::fs::read_to_string(fake.file(name)).unwrap();
    assert!(read("asked").contains("Is it so?") && read("asked").contains("You are strict."));
    assert!(
        !read("hello").contains("readTextFile\":true") && !read("hello").contains("terminal\":true"),
        "{}",
        read("hello")
    );
}

#[tokio::test]
async fn how_an_agent_of_the_client_protocol_fails_is_told() {
    let kind = |failure: CallFailure| match failure {
        CallFailure::Answered { kind, .. } => kind.name().to_owned(),
        other => format!("{}: {other}", other.kind()),
    };
    for (end, stop, wanted) in [
        ("", "max_tokens", "truncated"),
        ("", "refusal", "refused"),
        ("exit 3", "end_turn", "transient"),
        ("sleep 60", "end_turn", "silent"),
        ("yes '{}' | head -c 300000 | tr -d '\\n'", "end_turn", "silent"),
        ("yes '{}' | tr -d '\\n'", "end_turn", ""),
        ("say \"$(head -c 70000 /dev/zero | tr '\\0' x)\"", "end_turn", "too-large"),
    ] {
        let script = ACP.replace("STOP", stop).replace("END", end);
        let started = Instant::now();
        let failure = Fake::new(CommandOutput::Acp, 3.0, &script).ask("x").await.unwrap_err();
        let told = kind(failure);
        assert!(told.starts_with(wanted), "{end} {stop}: {told}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}

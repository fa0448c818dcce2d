//! Command-line agents at every seat of a debate: fakes on PATH that print what real ones print.

use std::{os::unix::fs::PermissionsExt, process::Output};

use serde_json::Value;

use crate::outside::workspace::{Ran, Workspace};

/// A fake of each agent: reads its prompt, answers by the schema that it is told, writes down how
/// it was called.
pub const AGENT: &str = r#"#!/usr/bin/env python3
import json, os, random, sys
here, name, args = os.path.dirname(os.path.abspath(__file__)), os.path.basename(sys.argv[0]), sys.argv[1:]
if "--version" in args:
    print("1.2.3 (fake)")
    sys.exit(0)
if args in (["auth", "status"], ["login", "status"]):
    sys.exit(0 if os.path.exists(os.path.join(here, "signed-in-" + name)) else 1)
prompt = sys.stdin.read()
after = lambda flag: args[args.index(flag) + 1]
if "--json-schema" in args:
    if os.path.exists(os.path.join(here, "old-" + name)):
        print("error: unknown option '--json-schema'", file=sys.stderr)
        sys.exit(1)
    schema, told = json.loads(after("--json-schema")), "flag"
elif "--output-schema" in args:
    schema, told = json.load(open(after("--output-schema"))), "file"
else:
    schema, told = json.loads(prompt.strip().splitlines()[-1]), "prompt"
with open(os.path.join(here, name + ".log"), "a") as log:
    texts = [args[args.index("--system-prompt") + 1]] if "--system-prompt" in args else []
    texts += [open(json.loads(arg.split("=", 1)[1])).read() for arg in args if arg.startswith("model_instructions_file=")]
    texts += [open(path).read() for path in [os.environ.get("GEMINI_SYSTEM_MD")] if path]
    texts += [open(after("--policy")).read()] if "--policy" in args else []
    log.write(json.dumps({"args": args, "env": sorted(os.environ), "files": os.listdir("."), "told": told, "texts": texts}) + "\n")

def text():
    return "This fake says: " + " ".join(random.choice("plain cost rule risk doubt habit trial order".split()) + str(random.randrange(999)) for _ in range(14)) + "."

def value(schema, at=0):
    if schema.get("enum"):
        return schema["enum"][at % len(schema["enum"])]
    kind = schema.get("type")
    if kind == "object":
        return {name: value(field, at) for name, field in schema["properties"].items() if name in schema["required"]}
    if kind == "array":
        return [value(schema["items"], i) for i in range(schema.get("minItems", 0))]
    if kind in ("integer", "number"):
        return 0
    return False if kind == "boolean" else text()

answer = json.dumps(value(schema))
if name == "claude":
    print(json.dumps({"type": "system", "subtype": "init", "model": "claude-fake"}))
    print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": answer, "total_cost_usd": 0.01, "usage": {"input_tokens": 100, "output_tokens": 10}}))
elif name == "codex":
    print(json.dumps({"type": "thread.started", "thread_id": "t"}))
    print(json.dumps({"type": "item.completed", "item": {"type": "agent_message", "text": answer}}))
    print(json.dumps({"type": "turn.completed", "usage": {"input_tokens": 200, "cached_input_tokens": 50, "cache_write_input_tokens": 0, "output_tokens": 20, "reasoning_output_tokens": 0}}))
elif name == "gemini":
    print("Loaded cached credentials.")
    print(json.dumps({"type": "init", "model": "auto"}))
    for i in range(0, len(answer), 50):
        print(json.dumps({"type": "message", "role": "assistant", "content": answer[i:i + 50], "delta": True}))
    models = {"gemini-router": {"output_tokens": 0}, "gemini-fake-pro": {"output_tokens": 30}}
    print(json.dumps({"type": "result", "status": "success", "stats": {"input_tokens": 300, "output_tokens": 30, "cached": 0, "models": models}}))
else:
    print("\x1b[32m" + answer + "\x1b[0m")
"#;

struct Agents {
    workspace: Workspace,
}

impl Agents {
    fn new() -> Self {
        let workspace = Workspace::new();
        for name in ["claude", "codex", "gemini", "coder"] {
            let path = workspace.write(&format!("bin/{name}"), AGENT);
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        workspace.write("agon.toml", "[commands.coder]\nrun = [\"coder\", \"--print\"]\ntimeout_seconds = 30\n");
        Self { workspace }
    }

    fn agon(&self, args: &[&str]) -> Ran {
        let mut command = self.workspace.command(args);
        let path = format!("{}:{}", self.workspace.work().join("bin").display(), std::env::var("PATH").unwrap());
        command.env("PATH", path).env("ANTHROPIC_API_KEY", "sk-ant-fake-key-1234").env("OTHER_SECRET", "x");
        let Output { status, stdout, stderr } = command.output().unwrap();
        Ran {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }

    fn calls(&self, name: &str) -> Vec<Value> {
        let log = self.workspace.read(&format!("bin/{name}.log"));
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn run(&self, more: &[&str]) -> Ran {
        let args = ["run", "exchange", "This house would rest.", "--rounds", "0", "--id", "d1", "--out", "d"];
        self.agon(&[&args, more].concat())
    }
}

const EVERYBODY: [&str; 8] = [
    "--seat",
    "proposition=cli:claude",
    "--seat",
    "opposition=cli:codex",
    "--seat",
    "judge=cli:gemini:flash",
    "--seat",
    "reporter=coder",
];

#[test]
fn agents_hold_a_debate() {
    let agents = Agents::new();
    let ran = agents.run(&EVERYBODY);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let used = &agents.workspace.json(&["show", "d1"])["used"];
    assert_eq!((used["requests"].as_u64(), used["cached_tokens"].as_u64()), (Some(5), Some(50)));
    assert_eq!(used["cost_microusd"], 10_000, "what an agent says that it cost is counted");
    assert_eq!(agents.workspace.json(&["check", "d1"])["sound"], true);
    let record = agents.workspace.read("d/record.jsonl");
    assert!(record.contains("claude-fake") && record.contains("gemini-fake-pro"));

    for (name, told, flags) in [
        ("claude", "flag", &["-p", "stream-json", "--strict-mcp-config", "--no-session-persistence"][..]),
        ("codex", "file", &["exec", "--json", "read-only", "--ephemeral", "features.shell_tool=false", "-"]),
        ("gemini", "prompt", &["stream-json", "default", "flash", "--policy"]),
        ("coder", "prompt", &["--print"]),
    ] {
        let call = &agents.calls(name)[0];
        assert_eq!(call["told"], told, "{name}");
        assert_eq!(call["files"], serde_json::json!([]), "{name}");
        let args: Vec<&str> = call["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        assert!(flags.iter().all(|flag| args.contains(flag)), "{name}: {args:?}");
        if name != "coder" {
            let instructions = call["texts"][0].as_str().unwrap();
            assert!(instructions.contains("one seat of a structured debate"), "{name}: {}", call["texts"]);
        }
        let env: Vec<&str> = call["env"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(env.contains(&"ANTHROPIC_API_KEY"), name == "claude", "{name}");
        assert!(!env.contains(&"OTHER_SECRET") && !env.contains(&"AGON_HOME"), "{name}: {env:?}");
    }
}

#[test]
fn an_agent_that_cannot_be_told_a_schema_is_asked_without() {
    let agents = Agents::new();
    agents.workspace.write("bin/old-claude", "");
    let ran = agents.run(&["--model", "cli:claude"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(agents.calls("claude").iter().all(|call| call["told"] == "prompt"));
    assert_eq!(agents.workspace.json(&["show", "d1"])["used"]["requests"], 5, "nothing was generated by a refusal");
}

#[test]
fn an_agent_that_is_missing_or_signed_out_stops_before_or_resumably() {
    let agents = Agents::new();
    std::fs::remove_file(agents.workspace.work().join("bin/gemini")).unwrap();
    let ran = agents.run(&EVERYBODY);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("program gemini is not installed") && ran.err.contains("nothing was sent"), "{}", ran.err);
    assert!(ran.err.contains("npm install"), "{}", ran.err);

    let out = r#"#!/bin/sh
case "$*" in *--version* | *status*) exit 0;; esac
cat > /dev/null
echo '{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key sk-ant-fake-key-1234, please run /login"}'
exit 1
"#;
    agents.workspace.write("bin/claude", out);
    let willing = agents.workspace.willing();
    let ran = agents.run(&["--model", &willing, "--seat", "judge=cli:claude"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("Invalid API key") && ran.err.contains("agon resume d1"), "{}", ran.err);
    assert!(!ran.err.contains("sk-ant-fake-key-1234"), "{}", ran.err);
    let ran = agents.agon(&["resume", "d1", "--seat", &format!("judge={willing}")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn doctor_lists_agents_and_misses_none_that_is_not_wanted() {
    let agents = Agents::new();
    agents.workspace.write(
        "agon.toml",
        format!("model = \"{}\"\n[commands.lost]\nrun = [\"agon-no-such\"]\n", agents.workspace.willing()),
    );
    let ran = agents.agon(&["doctor", "--output", "json"]);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(found["sound"], true, "{found}");
    let line = |name: &str| {
        let all = found["findings"].as_array().unwrap();
        all.iter().find(|one| one["what"].as_str().unwrap().contains(name)).unwrap().clone()
    };
    assert_eq!(line("cli:claude, 1.2.3 (fake)")["ok"], true);
    assert!(line("cli:codex")["what"].as_str().unwrap().contains("signed in"), "{found}");
    assert_eq!(line("cli:lost")["ok"], false);
    agents.workspace.write("bin/signed-in-codex", "");
    let again = agents.agon(&["doctor"]).out;
    assert!(again.contains("ok  agent cli:codex, 1.2.3 (fake)"), "it says itself that it is signed in: {again}");
}

#[test]
fn a_limit_of_money_refuses_agents_whose_price_nobody_knows() {
    let agents = Agents::new();
    let ran = agents.run(&["--model", "cli:claude", "--max-cost", "1"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let ran = agents.run(&["--model", "cli:claud"]);
    assert_eq!(ran.code, 8, "{}", ran.err);
    assert!(ran.err.contains("claude, codex, gemini, opencode, coder"), "{}", ran.err);
}

/// A workspace in which Claude Code alone is installed, signed in where `is_signed_in`.
fn with_claude(is_signed_in: bool) -> impl Fn(&[&str]) -> Ran {
    let workspace = Workspace::new();
    let path = workspace.write("bin/claude", AGENT);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    if is_signed_in {
        workspace.write("bin/signed-in-claude", "");
    }
    move |args| {
        let mut command = workspace.command(args);
        // Nothing answers there, whatever runs on this machine.
        command.env("OLLAMA_HOST", "127.0.0.1:1");
        command.env("PATH", format!("{}:/usr/bin:/bin", workspace.work().join("bin").display()));
        let Output { status, stdout, stderr } = command.output().unwrap();
        Ran {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }
}

#[test]
fn a_debate_of_the_embedded_model_names_the_agent_that_is_here() {
    let agon = with_claude(true);
    let ask = agon(&["ask", "Should we rest?", "--plan"]);
    assert_eq!(ask.code, 0, "{}", ask.err);
    for part in [
        "since nothing names one; a stronger model is here, cli:claude: add --model cli:claude",
        "Instead of the embedded model:\n  1: --model cli:claude: ",
        "paid as that program is paid, about ",
    ] {
        assert!(ask.out.contains(part), "{part}: {}", ask.out);
    }
    let told = agon(&["ask", "Should we rest?", "--plan", "--output", "json"]);
    let told: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(told["choices"][0]["model"], "cli:claude");
    assert_eq!(told["choices"].as_array().unwrap().len(), 1);
    let run = ["run", "exchange", "This house would rest.", "--plan"];
    let planned = agon(&run);
    let sentence = "does not debate well; a stronger model is here, cli:claude: add --model cli:claude. A debate of capable participants: agon show example.";
    assert!(planned.err.contains(sentence), "{}", planned.err);
    let local = agon(&["ask", "Should we rest?", "--plan", "--local-only"]);
    assert!(local.out.contains("by local: nothing may leave this machine"), "{}", local.out);
    for more in [&["--model", "local"][..], &["--local-only"], &["--quiet"], &["--output", "json"]] {
        let planned = agon(&[&run, more].concat());
        assert!(!planned.err.contains("The embedded model answers"), "{more:?}: {}", planned.err);
    }
}

#[test]
fn a_debate_of_the_embedded_model_never_claims_that_an_agent_is_not_there() {
    let run = ["run", "exchange", "This house would rest.", "--plan"];
    let ran = with_claude(false)(&run);
    assert!(ran.err.contains("cli:claude, 1.2.3 (fake); it does not seem to be signed in"), "{}", ran.err);
    let workspace = Workspace::new();
    let mut command = workspace.command(&run);
    command.env("OLLAMA_HOST", "127.0.0.1:1").env("PATH", "/nowhere");
    let ran = command.output().unwrap();
    let told = String::from_utf8(ran.stderr).unwrap();
    assert!(told.contains("no key, no command-line agent and no Ollama was found here; agon doctor"), "{told}");
}

#[test]
fn the_tools_of_an_agent_answer_while_it_keeps_its_pipes_open() {
    use std::io::{BufRead, BufReader, Write};
    let workspace = Workspace::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = serde_json::json!({"port": listener.local_addr().unwrap().port(), "key": "k"});
    let file = workspace.write("lookups.json", address.to_string());
    let mut command = workspace.command(&["lookup-bridge", file.to_str().unwrap()]);
    let mut bridge = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let (socket, _) = listener.accept().unwrap();
    socket.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
    let mut asked = BufReader::new(socket.try_clone().unwrap()).lines();
    assert_eq!(asked.next().unwrap().unwrap(), "k");
    let (told, heard) = std::sync::mpsc::channel();
    let output = bridge.stdout.take().unwrap();
    std::thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| told.send(line))
    });
    for line in ["first", "second"] {
        writeln!(bridge.stdin.as_mut().unwrap(), "{line}?").unwrap();
        assert_eq!(asked.next().unwrap().unwrap(), format!("{line}?"));
        writeln!(&socket, "{line}!").unwrap();
        assert_eq!(heard.recv_timeout(std::time::Duration::from_secs(20)).unwrap(), format!("{line}!"));
    }
    drop(bridge.stdin.take());
    drop((asked, socket));
    assert!(bridge.wait().unwrap().success());
}

//! A duel between two different command-line agents: stand-ins that print the events of the real ones.

use std::{os::unix::fs::PermissionsExt, process::Output};

use serde_json::{Value, json};

use crate::outside::workspace::Workspace;

const DOCUMENT: &str = "# Moving house\n\nWe should move to the river. The rent is lower there and the rooms are \
                        light.\n\n## Costs\n\nThe van costs two hundred, and the deposit is three months.\n";

/// Says the turn that is due, in the words of its own kind, as `agon-runtime/tests/events` has them: Claude
/// Code streams the input of a tool and ends with a result, Codex loses its connection, thinks, says
/// something on the way and then its message.
const DUELLIST: &str = r#"#!/usr/bin/env python3
import json, os, sys
here, name = os.path.dirname(os.path.abspath(__file__)), os.path.basename(sys.argv[0])
if "--version" in sys.argv:
    print("2.0.0 (stand-in)")
    sys.exit(0)
if "status" in sys.argv:
    sys.exit(0)
prompt = sys.stdin.read()
turns = os.path.join(here, "turns.log")
n = 1 + (len(open(turns).read().splitlines()) if os.path.exists(turns) else 0)
with open(turns, "a") as log:
    log.write(json.dumps({"agent": name, "reads": [k for k in range(1, 7) if f"weakness {k} of the price" in prompt]}) + "\n")
source = {"kind": "source", "text": "The rent is lower there and the rooms are light."}
pick = lambda *words: words[n - 1]
turn = json.dumps({
    "position": pick("The river is the better place while the deposit stays open.",
                     "Lower rent carries the move, and turn 1 names the one real doubt.",
                     "Turn 2 settles the deposit by the rent that is saved within a year.") + f" So stands {name}.",
    "counterpoints": [{"addresses": "Source: Costs" if n == 1 else f"Turn {n - 1}", "support": [source],
                       "claim": f"There is weakness {n} of the price: {pick('paint', 'lamps', 'curtains')} are named nowhere."}],
    "agreements": [f"It is right about {pick('light', 'rent', 'the van')}, since the document says so plainly."],
    "novel_argument": {"claim": f"Nobody has counted {pick('the walk to work', 'winter floods', 'quiet nights')} yet.",
                       "support": [{"kind": "principle", "text": f"Reason {n}: what is paid once weighs less than what is paid each month."}]},
    "unresolved_items": [{"text": f"How long does the contract of room {n} run?", "blocking": False}],
    "answer": {"do": "Move to the river once the deposit is settled.", "unless": ""},
    "stance": pick("OPEN_TO_DEBATE", "ACCEPTING_CONSENSUS", "ACCEPTING_CONSENSUS"),
    "stance_revision_support": [source, {"kind": "turn", "text": "Turn 2: the rent that is saved pays the deposit"}] if n == 3 else [],
})
say = lambda event: print(json.dumps(event), flush=True)
if name == "claude":
    part = lambda event: say({"type": "stream_event", "event": event, "session_id": "5f0c", "parent_tool_use_id": None})
    say({"type": "system", "subtype": "init", "cwd": os.getcwd(), "session_id": "5f0c", "tools": ["StructuredOutput"], "mcp_servers": [], "model": "claude-stand-in", "permissionMode": "default"})
    say({"type": "system", "subtype": "status", "status": "requesting", "session_id": "5f0c"})
    part({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-stand-in-2", "content": []}})
    part({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "StructuredOutput", "input": {}}})
    for at in range(0, len(turn), 200):
        part({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": turn[at:at + 200]}})
    say({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "StructuredOutput", "input": json.loads(turn)}]}})
    say({"type": "user", "message": {"role": "user", "content": [{"tool_use_id": "toolu_1", "type": "tool_result", "content": "Structured output provided successfully"}]}})
    say({"duration_api_ms": 4211, "stop_reason": "tool_use", "session_id": "5f0c", "total_cost_usd": 0.02, "is_error": False, "num_turns": 1,
         "usage": {"input_tokens": 40, "cache_creation_input_tokens": 60, "cache_read_input_tokens": 200, "output_tokens": 300},
         "subtype": "success", "result": turn, "structured_output": json.loads(turn), "type": "result"})
else:
    say({"type": "thread.started", "thread_id": "0199"})
    say({"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "Model metadata for `x` not found. Defaulting to fallback metadata."}})
    say({"type": "turn.started"})
    say({"type": "error", "message": "Reconnecting... 2/5 (stream disconnected before completion)"})
    say({"type": "item.completed", "item": {"id": "item_1", "type": "reasoning", "text": "**Weighing the document**"}})
    say({"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": "I have read it and answer now."}})
    say({"type": "item.completed", "item": {"id": "item_3", "type": "agent_message", "text": turn}})
    say({"type": "turn.completed", "usage": {"input_tokens": 500, "cached_input_tokens": 100, "cache_write_input_tokens": 0, "output_tokens": 310, "reasoning_output_tokens": 0}})
"#;

#[test]
fn two_different_agents_hold_a_duel_to_its_end() {
    let workspace = Workspace::new();
    for name in ["claude", "codex"] {
        let path = workspace.write(&format!("bin/{name}"), DUELLIST);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    workspace.write("house.md", DOCUMENT);
    let seats = ["--seat", "participant-1=cli:claude", "--seat", "participant-2=cli:codex"];
    let args = ["run", "duel", "house.md", "--id", "d1", "--out", "d", "--output", "json"];
    let mut command = workspace.command(&[&args[..], &seats].concat());
    let path = format!("{}:{}", workspace.work().join("bin").display(), std::env::var("PATH").unwrap());
    let Output { status, stdout, stderr } = command.env("PATH", path).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert_eq!(status.code(), Some(0), "{out}{err}");
    let shown = workspace.json(&["show", "d1"]);
    assert_eq!(shown["outcome"]["name"], "ACCEPTED_CONSENSUS", "{shown}");
    assert_eq!(shown["used"]["requests"], 3, "nothing was asked for again");
    assert_eq!(shown["used"]["cost_microusd"], 40_000);

    // Each took its turn and read what the other had said; what was said on the way is no speech.
    let turns: Vec<Value> =
        workspace.read("bin/turns.log").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let wanted = [
        json!({"agent": "claude", "reads": []}),
        json!({"agent": "codex", "reads": [1]}),
        json!({"agent": "claude", "reads": [1, 2]}),
    ];
    assert_eq!(turns, wanted);
    let artifact = std::fs::read_dir(workspace.work().join("d/debates")).unwrap().next().unwrap().unwrap().path();
    let artifact = std::fs::read_to_string(artifact).unwrap();
    for part in ["So stands claude.", "So stands codex.", "ACCEPTED_CONSENSUS"] {
        assert!(artifact.contains(part), "{part}");
    }
    assert!(!artifact.contains("I have read it and answer now."));
    assert!(workspace.read("d/record.jsonl").contains("claude-stand-in-2"), "the model that really answered");
    assert_eq!(workspace.json(&["check", "d1"])["sound"], true);
}

"""Agents at seats that may look something up: each finds the tools of the debate, and no others, and what it looks up is on
the record."""

import json
import subprocess

from host_model import HostModel, Responses, pick
from room import Room, ok, said

CHANGED = "def total(net, country):\n    return net * (1 + tax_rate(country))\n"


# What an agent's own tool for files would write.
PATCH = "*** Begin Patch\n*** Add File: written.txt\n+mine\n*** End Patch\n"


def reviewer(answer, patched, model):
    """A model that writes a file by the agent's own tool where there is one, searches once, reads once a file that is not
    there, and then answers. `patched` gets what the agent said of it."""

    def wanted(tools, results, searched):
        if "ToolSearch" in tools and not any(tool.endswith("__search") for tool in tools):
            if patched:
                # A conversation of its own, after one that has ended.
                model.searched = 0
            return "ToolSearch", {"query": "select:mcp__agon__search"}
        found = results[searched:]
        # Codex's tools are reached by a script, which its tool `exec` runs. Where one is refused, the turn may end.
        if "exec" in tools and not patched:
            patched.append("the turn ends")
            return "apply_patch", PATCH
        if patched and found and "tax_rate" not in found[0]:
            patched[:], found = found[:1], found[1:]
        if not found:
            return pick(tools, "search"), {"words": "tax_rate"}
        if len(found) == 1:
            return pick(tools, "read"), {"path": "../../etc/passwd"}
        if "StructuredOutput" in tools:
            return ("StructuredOutput", answer) if len(found) == 2 else (None, json.dumps(answer))
        return None, json.dumps(answer)

    return wanted


def repository(room):
    """A change whose cause lies in another file."""
    git = lambda *words: subprocess.run(
        ["git", "-C", room.path / "code", "-c", "user.name=a", "-c", "user.email=a@b.test", *words], check=True, capture_output=True
    )
    room.write("code/src/tax.py", 'def tax_rate(country):\n    """In percent."""\n    return {"de": 19}[country]\n')
    room.write("code/src/bill.py", "def total(net, country):\n    return net\n")
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "one")
    room.write("code/src/bill.py", CHANGED)
    git("commit", "--quiet", "--all", "--message", "two")


def review(room, id, seat, more=(), watch=list):
    room.write("sample.json", '{"rules": [{"key": "*", "sample": true}]}')
    seats = ["--model", f"scripted:{room.path}/sample.json", "--debaters", "1"]
    seats += ["--seat", f"reviewer-1={seat}"] if seat else []
    command = ["run", "review", "--context", "git:HEAD~1..HEAD", "--id", id, *seats, "--output", "json"]
    process = subprocess.run(watch([room.agon, *command, *more]), cwd=room.path / "code", env=room.env, capture_output=True, text=True, timeout=120)
    ok(process.returncode == 0, f"the review with {seat} ended with {process.returncode}", room.model.errors, process.stdout[-1500:], process.stderr[-1500:])
    out, _, _ = room.run("export", id, "--format", "record", "--out", id)
    ok(out == 0, "the record is exported")
    entries = [json.loads(line) for line in (room.path / id / "record.jsonl").read_text().splitlines()]
    answered = [entry["what"]["answered"] for entry in entries if "answered" in entry.get("what", {})]
    shown = {entry["text"]: entry["content"] for entry in entries if "text" in entry}
    return next(one for one in answered if "reviewer-1" in one["key"]), shown


OWN = {"exec", "StructuredOutput", "DeferredToolPlaceholder", "ToolSearch", "request_user_input", "view_image"}


def looks_up(name, seat, prepare=lambda room, model: None, own=OWN):
    """An agent at the seat of a reviewer searches, reads, and answers; nothing else is offered to it but `own`."""
    model = HostModel()
    room = Room(model)
    room.model = model
    prepare(room, model)
    repository(room)
    sample, _ = review(room, "sample", None)
    patched = []
    model.wanted = reviewer(json.loads(sample["reply"]["said"]["text"]), patched, model)
    answered, shown = review(room, name, seat)
    ok(not model.errors, f"{name} is offered the tools", model.errors)
    made = answered.get("lookups", [])
    asked = [one["asked"]["tool"] for one in made]
    ok(asked == ["search", "read"], f"what {name} looked up is on the record", answered, [tools for _, tools, _ in model.asked])
    ok(made[1]["failed"] and "root:" not in shown[made[1]["result"]], "nothing outside the material is read", shown)
    ok("In percent" in shown[made[0]["result"]], "the file around the change is found", shown)
    offered = {tool for _, tools, _ in model.asked for tool in tools}
    others = {tool for tool in offered if "agon" not in tool}
    ok(others <= own, f"{name} is offered no other tool", offered)
    ok(room.json("check", name)["sound"], "the record is sound")
    written = [*room.path.rglob("written.txt"), *(text for text in patched if "Success" in text)]
    ok(not written and (patched or "codex" not in name), f"{name} writes nothing by its own tools", written, patched)
    ok(room.living() == [], "nothing outlives the answer", room.living())
    model.close()
    said(f"{name} looks things up in the material of a review; offered: {', '.join(sorted(offered))}")
    if patched:
        said(f"{name} refuses its own tool: {patched[0][:120]}")


def check():
    Responses.names = ("search", "read")
    for name in ["claude", "codex"]:
        looks_up(name, f"cli:{name}")
    Responses.names = ("debate", "debate_result")


def command(words):
    """The configuration of an agent that speaks the Agent Client Protocol."""
    return f'[commands.agent]\nrun = {json.dumps(words)}\noutput = "acp"\n'


def use_provider(room, model):
    """Makes OpenCode ask the provider on loopback."""
    provider = {"anthropic": {"options": {"baseURL": f"http://{model.address}/v1"}}}
    room.write("opencode.json", json.dumps({"provider": provider}))
    room.env["OPENCODE_CONFIG"] = str(room.path / "opencode.json")


def acp():
    """The real adapters, each against a provider on loopback."""
    Responses.names = ("search", "read")

    def configured(words):
        return lambda room, model: room.write("home/.config/agon/config.toml", command(words))

    looks_up("opencode", "cli:opencode:anthropic/claude-sonnet-4-5", use_provider)
    looks_up("claude-agent-acp", "cli:agent", configured(["claude-agent-acp"]))
    looks_up("codex-acp", "cli:agent", configured(["codex-acp"]))

    def gemini(room, model):
        rules = [("*", "deny", 900)] + [(f"mcp_agon_{tool}", "allow", 999) for tool in ("search", "read")]
        rule = '[[rule]]\ntoolName = "{}"\ndecision = "{}"\npriority = {}\n'
        room.write("policy.toml", "\n".join(rule.format(*values) for values in rules))
        words = ["gemini", "--acp", "--allowed-mcp-server-names", "agon", "--extensions", "none", "--policy", str(room.path / "policy.toml")]
        room.write("home/.config/agon/config.toml", command([*words, "--model", "gemini-3-pro"]))

    looks_up("gemini", "cli:agent", gemini)

"""Real command-line agents at the seats of real debates; ends at the first thing that is not as it should be.

Run by scripts/check-agents, which fetches the agents and names the programs in AGON and MOCK.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import audit
import hosts
import lookups
from room import AGENTS, KEY, Provider, Room, ok, said

def turn(n, name):
    """The words of turn `n` of a duel about DOCUMENT."""
    source = {"kind": "source", "text": "The rent is lower there and the rooms are light."}
    pick = lambda *words: words[n - 1]
    position = pick(
        "The river is the better place while the deposit stays open.",
        "Lower rent carries the move, and turn 1 names the one real doubt.",
        "Turn 2 settles the deposit by the rent that is saved within a year.",
    )
    weakness = f"There is weakness {n} of the price: {pick('paint', 'lamps', 'curtains')} are named nowhere."
    reason = f"Reason {n}: what is paid once weighs less than what is paid each month."
    return {
        "position": f"{position} So stands {name}.",
        "counterpoints": [
            {"addresses": "Source: Costs" if n == 1 else f"Turn {n - 1}", "support": [source], "claim": weakness, "bears_on": "", "repair": ""}
        ],
        "agreements": [f"It is right about {pick('light', 'rent', 'the van')}, since the document says so plainly."],
        "novel_argument": {
            "claim": f"Nobody has counted {pick('the walk to work', 'winter floods', 'quiet nights')} yet.",
            "support": [{"kind": "principle", "text": reason}],
            "bears_on": "",
            "repair": "",
        },
        "unresolved_items": [{"text": f"How long does the contract of room {n} run?", "blocking": False}],
        "answer": {
            "do": "Move to the river once the deposit is settled.",
            "because": "The rent that is saved pays the deposit within three years.",
            "unless": "the contract runs for years",
        },
        "stance": pick("OPEN_TO_DEBATE", "ACCEPTING_CONSENSUS", "ACCEPTING_CONSENSUS"),
        "stance_revision_support": [source, {"kind": "turn", "text": "Turn 2: the rent that is saved pays the deposit"}]
        if n == 3
        else [],
        **({"off_topic": [], "replies": []} if n > 1 else {}),
    }


def doctor(provider):
    findings = {}
    for key in [KEY, None]:
        room = Room(provider, key)
        all = room.json("doctor")["findings"]
        for name in AGENTS:
            findings[name, key] = next(one for one in all if one["what"].startswith(f"agent cli:{name}, "))
    for name in AGENTS:
        signed_in, signed_out = findings[name, KEY], findings[name, None]
        ok(signed_in["ok"], f"doctor finds {name}", signed_in)
        ok(not signed_out["ok"] and "signed in" in signed_out["what"], f"doctor finds {name} signed out", signed_out)
        said(signed_in["what"])


def duel():
    provider = Provider(tempfile.gettempdir(), "--key", KEY, replies=[turn(1, "claude"), turn(2, "codex"), turn(3, "claude")])
    room = Room(provider)
    seats = ["--seat", "participant-1=cli:claude", "--seat", "participant-2=cli:codex"]
    code, out, err = room.run("run", "duel", "house.md", "--id", "d1", "--out", "d", *seats, "--output", "json")
    ok(code == 0, f"the duel ended with {code}", out, err)
    shown = room.json("show", "d1")
    ok(shown["outcome"]["name"] == "ACCEPTED_CONSENSUS", "the duel's outcome", shown)
    used, asked = shown["used"], provider.asked()
    ok(used["requests"] == 3 and used["cost_microusd"] > 0 and used["completion_tokens"] > 500, "the duel's usage", used)
    by = [one["endpoint"] for one in asked]
    ok(by == ["/v1/messages", "/v1/responses", "/v1/messages"], "who asked", by)
    for one in asked:
        tools = [tool.get("name") for tool in one["body"].get("tools", [])]
        allowed = {"StructuredOutput", "DeferredToolPlaceholder", "request_user_input", "view_image"}
        ok(set(tools) <= allowed, "no tool acts", tools)
        ok("one seat of a structured debate" in json.dumps(one["body"]), "the seat's instructions")
        ok("software engineering" not in json.dumps(one["body"]), "no instructions for other work")
    artifact = next((room.path / "d/debates").glob("*.md")).read_text()
    ok("So stands claude." in artifact and "So stands codex." in artifact, "the artifact", artifact)
    ok(room.json("check", "d1")["sound"], "the record")
    ok(room.living() == [], "no agent outlives its turn", room.living())
    provider.close()
    said("a duel between claude and codex")


def panel():
    """The hosts do not pass on which passages can be quoted, so the words of the panel are written here."""
    quote = "The road along the river floods every spring"
    held = "Whoever keeps it open pays for the clearing each time."
    opening = f"{quote}. {held}"
    said_of = lambda name, words: {"panelist": name, "quote": words}
    comparison = {
        "shared_position": "Both know that the road floods.",
        "agreements": [],
        "all_agree": False,
        "disagreements": [
            {"topic": "who pays", "kind": "weight", "rank": "high", "claims": [said_of("Cody", quote), said_of("Gem", held)]}
        ],
        "next": {"target": "Cody", "quote": held, "question": "What did the clearing cost the town in the last five years?"},
    }
    review = {
        "claim": {"choice": "holds", "quote": "", "with": "Gem"},
        "shift": {"toward": "nobody", "on": ""},
        "deadlock": "none",
        "repeats_round": 0,
        "new_insight": True,
        "new_evidence": [],
        "position_shift": False,
    }
    open_point = {"disagreement": "D1", "one_side": "It floods.", "other_side": "It costs.", "why": "Nobody had the bills."}
    finding = {"finding": "The road floods.", "disagreement": "none", "evidence": "Both say so."}
    agreed = [{"name": "Cody", "quote": quote}, {"name": "Gem", "quote": quote}]
    synthesis = {"findings": [{**finding, "agreed": agreed, "objected": []}], "modifications": [], "unresolved": [open_point], "insights": []}
    synthesis["answer"] = {"do": "Close the road in spring.", "unless": "the bills say otherwise"}
    lens = lambda name, of: {"panelist": name, "lens": of}
    lenses = {"lenses": [lens("Cody", "Contrarian"), lens("Gem", "Practitioner Experience")]}
    answer = "Forty thousand in five years, and most of it for one night in March."
    provider = Provider(tempfile.gettempdir(), "--key", KEY, replies=[lenses, opening, opening, comparison, answer, review, synthesis])
    room = Room(provider)
    # A model by name: "auto" would ask another one first which it should be.
    seats = ["--model", "cli:claude", "--seat", "Cody=cli:codex", "--seat", "Gem=cli:gemini:gemini-3-pro"]
    seats += ["--debater", "Cody:an engineer", "--debater", "Gem:a shopkeeper"]
    code, out, err = room.run("run", "panel", "Should the town close its river road?", "--id", "p1", "--out", "p", "--rounds", "1", *seats)
    ok(code == 0, f"the panel ended with {code}", out, err)
    ok("who pays" in (room.path / "p/synthesis.md").read_text(), "the panel's synthesis", out, err)
    paths = {one["endpoint"].split("/models/")[0] for one in provider.asked()}
    ok(paths == {"/v1/messages", "/v1/responses", "/v1beta"}, "who asked", paths)
    provider.close()
    said("a panel of claude, codex and gemini")


def refused():
    provider = Provider(tempfile.gettempdir(), "--key", KEY)
    for key, reasons in [("sk-ant-wrong-key-5678", ["401", "key"]), (None, ["key", "auth", "login"])]:
        rooms = [(name, Room(provider, key)) for name in AGENTS]
        runs = [
            (name, room, room.start("run", "exchange", "This house would rest.", "--rounds", "0", "--id", "e1", "--model", f"cli:{name}"))
            for name, room in rooms
        ]
        for name, room, process in runs:
            out, err = process.communicate(timeout=100)
            ok(process.returncode == 3, f"{name} without a key that is taken ended with {process.returncode}", out, err)
            ok(any(reason in err.lower() for reason in reasons) and "agon resume e1" in err, f"{name} says why", err)
            ok("5678" not in err + out, f"{name} shows no key", err)
            record = room.run("export", "e1", "--format", "record")[1]
            ok('"answered"' not in record, f"nothing that {name} said is a speech", record)
            said(f"{name} {'with a wrong key' if key else 'signed out'}: {err[err.find('error:'):].splitlines()[0]}")
    provider.close()


def interrupted():
    provider = Provider(tempfile.gettempdir(), "--fault", "hang")
    for name in AGENTS:
        room, before = Room(provider), len(provider.asked())
        process = room.start("run", "exchange", "This house would rest.", "--rounds", "0", "--id", "i1", "--model", f"cli:{name}")
        until = time.monotonic() + 60
        while len(provider.asked()) == before and time.monotonic() < until:
            time.sleep(0.1)
        ok(len(provider.asked()) > before, f"{name} asks its provider")
        ok(room.living(), f"{name} runs")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        ok(process.returncode == 130, f"{name} interrupted ended with {process.returncode}", out, err)
        time.sleep(0.5)
        ok(room.living() == [], f"nothing of {name} is left", room.living())
        said(f"Ctrl-C ends {name} and all that it started")
    provider.close()


def plugin(_):
    """The hosts' own validators, in an empty home: each takes the manifests as they are, and refuses broken ones."""
    here = Path(__file__).resolve().parents[2]
    skills = sorted(path.name for path in (here / "plugin/skills").iterdir())
    with tempfile.TemporaryDirectory(prefix="agon-plugin-") as home:
        home = Path(home)
        (home / "codex").mkdir()
        env = {"PATH": os.environ["PATH"], "HOME": str(home), "CODEX_HOME": str(home / "codex")}

        def host(*command):
            done = subprocess.run(command, cwd=home, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            return done.returncode, done.stdout + done.stderr

        for command in [
            ["claude", "plugin", "validate", "--strict", here / "plugin"],
            ["claude", "plugin", "validate", "--strict", here],
            ["gemini", "extensions", "validate", here / "plugin"],
            ["codex", "plugin", "marketplace", "add", here],
            ["codex", "plugin", "add", "agon@agon"],
        ]:
            command = [str(word) for word in command]
            code, out = host(*command)
            ok(code == 0, f"{' '.join(command)} ended with {code}", out)
            shown = " ".join(command).replace(str(here), ".")
            if "/plugin" in command[-1] and command[0] == "claude":
                missing = [name for name in skills if f"agon:{name}\n" not in out]
                ok(not missing and "mcpServers: agon" in out, "what the plugin provides", missing, out)
            said(shown)
        installed = list((home / "codex/plugins").rglob("SKILL.md"))
        ok(len(installed) == len(skills), "Codex installs every skill", installed)
        broken = home / "broken"
        shutil.copytree(here / "plugin", broken)
        for manifest in [".claude-plugin/plugin.json", "gemini-extension.json"]:
            (broken / manifest).write_text('{"name": ["agon"]}')
        for command in [["claude", "plugin", "validate"], ["gemini", "extensions", "validate"]]:
            code, out = host(*command, str(broken))
            ok(code != 0, f"{' '.join(command)} takes a broken manifest", out)
        said("broken manifests are refused")


PARTS = {"plugin": plugin, "hosts": hosts.check, "doctor": doctor, "duel": duel, "panel": panel, "lookups": lookups.check, "refused": refused, "interrupted": interrupted}
willing = Provider(tempfile.gettempdir(), "--key", KEY)
try:
    for part in sys.argv[1:] or PARTS:
        # The agents of the first take 1.2 GB, and the second wants strace.
        if part in ("acp", "audit"):
            lookups.acp() if part == "acp" else audit.check("acp" in sys.argv)
            continue
        PARTS[part](willing) if part in ("doctor", "plugin") else PARTS[part]()
finally:
    willing.close()

"""The calls that are killed: for each the folder it is made in, its words, and a proof that what it gave holds.

A case is its name and a function that prepares a room and gives words and proof. A proof is made after the call, out of the room and what the call said; it is compared with
the proof of an undisturbed call.
"""

import json
from pathlib import Path

GOLDEN = Path(__file__).parent / "../../crates/agon/tests/dropin/golden"
SEATS = [word for seat in ("proposition", "opposition", "judge") for word in ("--seat", f"{seat}=outside")]


def nothing(room, said):
    return None


def joining(room, name):
    source = room.write("source.md", "# Rest\n\nRest is owed.\n")
    return ["agent-tools", "socratic-duel", "join", "--target", source, "--topic", "Is rest owed?", "--debate-dir",
            str(room.work / "debates"), "--participant-name", name, "--harness", "codex", "--model-id", "m", "--run-id", "r"]


def joined(room, name):
    return room.data(*joining(room, name)[2:])


def ids(who):
    return ["--duel-id", who["duel_id"], "--participant-id", who["participant_id"]]


def claimed(room):
    ada = joined(room, "Ada")
    joined(room, "Bob")
    claim = room.data("claim-lock", *ids(ada))
    Path(ada["debate_path"]).write_text("# Socratic Duel: Is rest owed?\n")
    return ada, ["--lease-token", claim["lease_token"]]


def verb(*words):
    return ["agent-tools", "socratic-duel", *words]


def check_duel(ada):
    return lambda room, said: room.run("check", ada["duel_id"])[0]


def first_join(room):
    return joining(room, "Ada"), nothing


def second_join(room):
    ada = joined(room, "Ada")
    return joining(room, "Bob"), check_duel(ada)


def claim(room):
    ada = joined(room, "Ada")
    joined(room, "Bob")

    def proof(room, said):
        token = json.loads(said)["data"]["lease_token"]
        return room.data("refresh-lock", *ids(ada), "--lease-token", token)["refreshed"]

    return verb("claim-lock", *ids(ada)), proof


def claim_for_timeout(room):
    ada = joined(room, "Ada")
    return verb("claim-lock", *ids(ada), "--for-timeout"), check_duel(ada)


def claim_refused(room):
    ada, _ = claimed(room)
    return verb("claim-lock", *ids(joined(room, "Bob"))), check_duel(ada)


def refresh(room):
    ada, token = claimed(room)
    return verb("refresh-lock", *ids(ada), *token), check_duel(ada)


def release(room):
    ada, token = claimed(room)
    return verb("release-lock", *ids(ada), *token), check_duel(ada)


def close(room):
    ada, token = claimed(room)
    return verb("release-lock", *ids(ada), *token, "--close", "--outcome", "DISSENT"), check_duel(ada)


def emitting(step, data, *more):
    return ["agent-tools", "emit", "--harness", "codex", "--workflow", "socratic-duel", "--run-id", "r", "--type",
            "status_change", "--step", step, "--data", data, *more]


def next_event(room, said):
    """The next event has the next number, and said again on purpose it is another one."""
    step = emitting("closing", '{"status":"running"}')
    first, second = (json.loads(room.run(*step)[1])["data"]["eventId"] for _ in range(2))
    return first - json.loads(said)["data"]["eventId"], second - first


def first_event(room):
    return emitting("preparing", '{"status":"running","target":"/x.md"}'), next_event


def event(room):
    room.run(*emitting("preparing", '{"status":"running"}'))
    return emitting("debating", '{"status":"running"}'), next_event


def artifact(room):
    room.run(*emitting("preparing", '{"status":"running"}'))
    words = emitting("debating", '{"path":"debates/x.md"}')
    return ["artifact_registered" if word == "status_change" else word for word in words], next_event


def last_event(room):
    room.run(*emitting("debating", '{"status":"running"}'))
    return emitting("completed", '{"status":"completed","outcome":"DISSENT"}', "--close-run"), next_event


def argument(title):
    ground = {"source": "own reasoning", "relevance": f"It shows that {title} bears on the motion.",
              "content": f"Whoever looks at how {title} sees it again and again."}
    return {"title": title, "claim": f"{title} makes the case.", "grounds": [ground],
            "warrant": f"What shows as often as that {title} is no accident at all."}


def side(*titles):
    return json.dumps([argument(title) for title in titles])


FOR = side("Rest restores attention", "Mistakes come of haste", "Neighbours meet outside")
AGAINST = side("Work feeds families", "Monday is soon enough", "Idle machines cost money")


def scores(values):
    names = [f"{side}_000{letter}" for side in ("prop", "opp") for letter in "abc"]
    entries = [{"argument_id": name, "score": score, "reasoning": "It holds up."} for name, score in zip(names, values)]
    return json.dumps({"scores": entries})


def debate(room):
    totals = {name: {"total": 0, "count": 0} for name in ("proposition", "opposition")}
    front = {"debate_id": "rest", "current_exchange": 0, "current_phase": "awaiting_arguments", "cumulative_scores": totals}
    room.write("rest/debate.md", json.dumps(front, indent=2) + "\n\n# Motion\n\nThis house would rest.\n")
    room.write("rest/scores.json", "{}")


def handed_in(room, prop=FOR, opp=AGAINST):
    room.write("p.json", prop)
    room.write("o.json", opp)
    return ["debate-ops", "process-exchange", "rest", "0", "--prop-file", "p.json", "--opp-file", "o.json"]


def judged(room, values):
    room.write("j.json", scores(values))
    return ["debate-ops", "process-judge", "rest", "--json-file", "j.json"]


def exchange(room):
    debate(room)
    return handed_in(room), nothing


def exchange_found(room):
    """Two arguments are one too few: that is kept in the journal."""
    debate(room)
    return handed_in(room, side("Rest restores attention", "Mistakes come of haste")), nothing


def exchange_refused(room):
    debate(room)
    return handed_in(room, opp="[]"), nothing


def judge(room):
    debate(room)
    assert room.run(*handed_in(room))[0] == 0
    return judged(room, [0.3, 0.2, -0.1, -0.2, -0.1, -0.1]), nothing


def judge_refused(room):
    debate(room)
    assert room.run(*handed_in(room))[0] == 0
    return judged(room, [0.3, 0.2, -0.1, -0.2, -0.1, 0.1]), nothing


def opened(room):
    room.write("willing.json", '{"rules": [{"key": "*", "sample": true}]}')
    debate(room)
    (room.work / "rest").rename(room.work / "there")
    words = ["import", "exchange", "there", "--id", "d", "--out", "rest", "--model", "scripted:willing.json", *SEATS]
    code, out, err = room.run(*words)
    assert code == 0, err


def sound(room, said):
    return room.run("check", "d")[0]


def own_exchange(room):
    opened(room)
    return handed_in(room), sound


def own_judge(room):
    opened(room)
    assert room.run(*handed_in(room))[0] == 0
    return judged(room, [0.3, 0.2, -0.1, -0.2, -0.1, -0.1]), sound


def log_line(room):
    room.write("say.txt", "What I say.\n")
    room.env["DEBATE_OUTPUT_DIR"] = "out"
    (room.work / "out").mkdir()
    return ["write-log", "rebuttal", "chair", "ruling", "say.txt", "null", "0"]


def first_line(room):
    return log_line(room), nothing


def line(room):
    words = log_line(room)
    room.run(*words)
    return words, nothing


def line_after_torn(room):
    words = log_line(room)
    room.run(*words)
    log = room.work / "out/debate-log.jsonl"
    log.write_text(log.read_text() + log.read_text()[:40])

    def proof(room, said):
        return sorted(path.read_text()[:30] for path in room.work.glob("out/*.torn-*"))

    return words, proof


def own_line(room):
    room.write("willing.json", '{"rules": [{"key": "*", "sample": true}]}')
    lines = (GOLDEN / "chaired/debate-log.jsonl").read_text().splitlines(keepends=True)
    room.write("log.jsonl", "".join(lines[:6]))
    words = ["import", "chaired", "log.jsonl", "--id", "d", "--out", "out", "--model", "scripted:willing.json", "--seat", "debater=outside"]
    code, out, err = room.run(*words)
    assert code == 0, err
    room.write("say.txt", "[CONJECTURE] People who study at home would come, for they have no quiet table there.")
    room.env["DEBATE_OUTPUT_DIR"] = "out"
    return ["write-log", "rebuttal", "reader", "conjecture", "say.txt"], sound


def importing(room):
    room.write("there/plan.md", (GOLDEN / "duel/plan.md").read_text())
    name = "2026-01-31-move.md"
    room.write(f"there/debates/{name}", (GOLDEN / "duel/debates" / name).read_text())
    return ["import", "duel", f"there/debates/{name}", "--source", "there/plan.md", "--id", "d", "--out", "taken"], sound


def exporting(room):
    words, _ = importing(room)
    assert room.run(*words)[0] == 0
    return ["export", "d", "--out", "copy"], sound


CASES = [
    ("socratic-duel join, into a new journal", first_join),
    ("socratic-duel join, the second", second_join),
    ("socratic-duel claim-lock", claim),
    ("socratic-duel claim-lock --for-timeout", claim_for_timeout),
    ("socratic-duel claim-lock, refused", claim_refused),
    ("socratic-duel refresh-lock", refresh),
    ("socratic-duel release-lock", release),
    ("socratic-duel release-lock --close", close),
    ("emit, into a new journal", first_event),
    ("emit", event),
    ("emit artifact_registered", artifact),
    ("emit --close-run", last_event),
    ("debate-ops process-exchange", exchange),
    ("debate-ops process-exchange, with findings", exchange_found),
    ("debate-ops process-exchange, refused", exchange_refused),
    ("debate-ops process-judge", judge),
    ("debate-ops process-judge, refused", judge_refused),
    ("debate-ops process-exchange, in a debate of agon's", own_exchange),
    ("debate-ops process-judge, in a debate of agon's", own_judge),
    ("write-log, into a new log", first_line),
    ("write-log", line),
    ("write-log, after a line that was cut off", line_after_torn),
    ("write-log, in a debate of agon's", own_line),
    ("import", importing),
    ("export", exporting),
]

"""What users and machines do wrong to a cluster, and what agon says or does then."""

import hashlib
import json
import re
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

from servers import AGON, Worker, cluster, free_ports, sample, started, until


def said(env, *words, code, holds, seconds=60):
    """Runs a command that must end with `code` and say `holds`."""
    ran = subprocess.run([AGON, *words], cwd=env["HOME"], env=env, capture_output=True, text=True, timeout=seconds,
                         stdin=subprocess.DEVNULL)
    told = ran.stdout + ran.stderr
    assert ran.returncode == code and holds in told, f"{words}: exit {ran.returncode}, not {code} with {holds!r}: {told[-1500:]}"
    return ran.stdout


def debate(name, *more):
    return ["run", "exchange", f"Motion {name}", "--rounds", "1", "--model", "mock:mock", "--id", name, "--output", "json", *more]


def before_workers(room):
    """No Restate, and no worker yet."""
    mock = room.mock("mock-faults", 0)
    env = room.environment("faults", mock, room.postgres and room.postgres.address)
    said(env, *debate("f1", "--on", "http://127.0.0.1:1"), code=3, holds="Restate does not answer")
    said(env, *debate("f1", "--on", "127.0.0.1:8080"), code=2, holds="--on")
    said(env, *debate("f1", "--on", room.on), code=3, holds="no worker")
    said(env, "show", "f1", code=8, holds="no debate f1")
    said(env, "worker", "--restate", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", code=3, holds="Restate does not answer")
    said(env, "run", "duel", __file__, "--on", room.on, code=2, holds="")
    mock.kill()
    print("without Restate or workers: refused with a message before anything is opened", flush=True)


def with_workers(room, env):
    """Workers that stop, nodes that are silent, other rules, other clusters, people who take their time."""
    outside(room, env)
    acts(room, env)
    newer_rules(room, env)
    if room.postgres:
        other_cluster(room, env)
    zombie(room, env)
    if len(room.nodes) > 1:
        silent(room, env)


def newer_rules(room, env):
    """A debate of rules that these workers do not know is left alone, with a message."""
    said(env, *debate("r1"), code=0, holds="")
    lines = said(env, "export", "r1", "--format", "record", code=0, holds="").splitlines()
    opened = next(line for line in lines if json.loads(line).get("seq") == 0)
    forged = re.sub(r'"rules":\d+', '"rules":999', opened.replace('"debate":"r1"', '"debate":"r2"'), count=1)
    forged = re.sub(r',"hash":"[0-9a-f]{64}"}$', "", forged) + "}"
    own = hashlib.sha256(forged.encode()).hexdigest()
    kept = [line for line in lines if "seq" not in json.loads(line) and "end" not in json.loads(line)]
    file = Path(env["HOME"]) / "newer.jsonl"
    end = json.dumps({"end": {"entries": 1, "head": own}}, separators=(",", ":"))
    at = lines.index(opened)
    before = [line for line in lines[:at] if line in kept]
    after = [line for line in lines[at:] if line in kept]
    file.write_text("\n".join([*before, f'{forged[:-1]},"hash":"{own}"}}', *after, end]) + "\n")
    said(env, "import", "record", str(file), code=0, holds="r2")
    # The command refuses; a worker that is given it all the same, by a newer command, does so too.
    said(env, "resume", "r2", "--on", room.on, code=6, holds="rules 999")
    body = json.dumps({"debate": "r2"}).encode()
    request = urllib.request.Request(f"{room.nodes[0].ingress}/Debate/r2/drive", data=body, headers={"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        told = json.load(response)
    assert told["exit"] == 6 and "rules 999" in told["message"] and "newer version" in told["remedy"], told
    assert room.length(env, "r2") == 1
    print("a debate of newer rules: left as it is, with a message", flush=True)


def other_cluster(room, env):
    """A worker of a second cluster does not start on the database of the first."""
    (other,) = cluster(room.folder / "other", 1, 1)
    words = ["worker", "--restate", other.admin, "--listen", "127.0.0.1:0"]
    ran = said(env, *words, code=5, holds="another Restate cluster")
    assert not ran, ran
    # A schema of its own is a journal of its own.
    separate = {**env, "AGON_JOURNAL": f"{env['AGON_JOURNAL']}?schema=other"}
    worker = Worker(room.folder / "other/worker", 9, [other.admin], free_ports(1)[0], separate)
    worker.start()
    said(separate, *debate("e1", "--on", other.ingress), code=0, holds='"closed"')
    # A command and a worker that do not share a journal.
    said(env, *debate("e2", "--on", other.ingress), code=8, holds="the same AGON_JOURNAL")
    worker.kill(signal.SIGTERM)
    other.kill()
    print("a second cluster on one database: refused; on a schema of its own: works", flush=True)


def followed(env, *words):
    return started(words, env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def outside(room, env):
    """Nobody drives a debate while a person thinks, and an answer from anywhere wakes it."""
    child = followed(env, *debate("o1", "--seat", "judge=outside", "--on", room.on))
    until("it is opened", 30, lambda: room.length(env, "o1") > 0)
    until("the judge is asked", 60, lambda: '"judge"' in said(env, "seats", "o1", "--output", "json", code=0, holds=""))
    until("nobody drives the debate that waits", 60, lambda: room.rows(env, "SELECT wake FROM waits WHERE debate = 'o1'"))
    answer = Path(env["HOME"]) / "answer.txt"
    answer.write_text("Neither side says how.")
    words = ["answer", "o1", "--seat", "judge", "--file", str(answer)]
    refused = subprocess.run([AGON, *words], cwd=env["HOME"], env=env, capture_output=True, text=True)
    assert refused.returncode and "one line per field" in refused.stderr, refused.stderr
    asked = json.loads(said(env, "seats", "o1", "--seat", "judge", "--output", "json", code=0, holds=""))
    answer.write_text(json.dumps(sample(asked["schema"])))
    said(env, *words, code=0, holds="")
    woken = until("the answer wakes it", 30, lambda: not room.rows(env, "SELECT wake FROM waits WHERE debate = 'o1'"))
    print(f"a debate that waits for a person is driven by nobody; an answer woke it after {woken:.1f} s", flush=True)
    if child.poll() is None and not room.rows(env, "SELECT 1 FROM debates WHERE id = 'o1' AND outcome IS NOT NULL"):
        subprocess.run([AGON, "cancel", "o1", "--why", "seen enough"], cwd=env["HOME"], env=env, capture_output=True)
    code = child.wait(60)
    assert code in (0, 9), f"the one who followed ended with {code}: {child.stderr.read()[-800:]}"


def acts(room, env):
    """Detach, pause, resume, extend."""
    child = followed(env, *debate("p1", "--on", room.on))
    until("it is under way", 30, lambda: room.length(env, "p1") > 2)
    child.send_signal(signal.SIGINT)
    assert child.wait(20) == 130 and "continues on" in child.stderr.read()
    said(env, "pause", "p1", "--why", "lunch", code=0, holds="")
    time.sleep(3)
    paused = room.length(env, "p1")
    time.sleep(2)
    assert room.length(env, "p1") == paused, "it went on although it is paused"
    said(env, "resume", "p1", "--on", room.on, "--output", "json", code=0, holds='"closed"')
    said(env, "extend", "p1", "--rounds", "1", "--on", room.on, "--output", "json", code=0, holds='"closed"')
    said(env, "fork", "p1", "--id", "p2", code=0, holds="p2")
    said(env, "resume", "p2", "--on", room.on, "--output", "json", code=0, holds='"closed"')
    print("detached, paused, resumed, extended and forked", flush=True)


def zombie(room, env):
    """A worker that stops and comes back when another has taken its debates over."""
    seconds = 60 if room.args.full else 40
    names = [f"z{number}" for number in range(12)]
    before = {worker.name: worker.drives() for worker in room.workers}
    children = [followed(env, *debate(name, "--on", room.on)) for name in names]
    until("they are under way", 60, lambda: all(room.length(env, name) > 2 for name in names))
    known = len(room.repeated_calls(env))
    # The one that drives most of them now.
    worker = max(room.workers, key=lambda each: each.drives() - before[each.name])
    worker.stop()
    time.sleep(seconds)
    worker.go_on()
    codes = [child.wait(180) for child in children]
    assert codes == [0] * len(names), f"ended with {codes}: {[child.stderr.read()[-300:] for child in children]}"
    again = len(room.repeated_calls(env)) - known
    held = worker.drives() - before[worker.name]
    print(f"a worker with {held} of {len(names)} debates stopped for {seconds} s and came back: all closed, {again} calls made again", flush=True)
    for name in names:
        said(env, "check", name, code=0, holds="")


def silent(room, env):
    """A node that is stopped for a while."""
    seconds = 60 if room.args.full else 15
    names = [f"c{number}" for number in range(6)]
    node = room.nodes[-1]
    children = [followed(env, *debate(name, "--on", room.on)) for name in names]
    until("they are under way", 60, lambda: all(room.length(env, name) > 2 for name in names))
    node.stop()
    time.sleep(seconds)
    node.go_on()
    codes = [child.wait(180) for child in children]
    assert codes == [0] * len(names), f"ended with {codes}: {[child.stderr.read()[-300:] for child in children]}"
    print(f"{node.name} was silent for {seconds} s: {len(names)} debates closed", flush=True)

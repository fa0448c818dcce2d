"""Sends what the OpenAPI document of a server with accounts allows, and what it forbids, as every kind of visitor. Every
answer must conform to the document, and let in or refuse as docs/authorization.md says.

    visitors.py AGON FOLDER EXAMPLES

AGON is the program; FOLDER holds an agon.toml, and AGON_HOME names an empty place for the journal.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

AGON, ROOM, EXAMPLES = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
HERE = Path(__file__).resolve().parent
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
PASSWORD = "a password of a check"
# A judging seat, one that argues, and the audience's: the order of the three values in a cell.
SEATS = ["chair", "debater-1", "audience"]
ROLES = ["viewer", "audience", "debater", "judge", "owner"]
FAILURES_TOLD = 30


def table():
    """The rows of the table of routes: method and path, with a cell for each visitor."""
    lines = (HERE / "../../docs/authorization.md").read_text(encoding="utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("| route |"))
    cells = [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines[start:]]
    heads, rows = cells[0][2:], {}
    for row in cells[2:]:
        if len(row) < 3:
            break
        rows[row[0].replace("{*", "{")] = (row[1], dict(zip(heads, row[2:])))
    return heads, rows


def agon(*args):
    done = subprocess.run([AGON, *args, "--output", "json"], cwd=ROOM, capture_output=True, text=True)
    assert done.returncode == 0, (args, done.stdout, done.stderr)
    return json.loads(done.stdout)


def listening(server):
    line = server.stdout.readline()
    assert line, "the server did not start"
    return json.loads(line)["listening"]


class People:
    """The visitors: name, and the headers by which each proves what it is."""

    def __init__(self):
        (ROOM / "password").write_text(PASSWORD)
        self.ids = {}
        for login in ["administrator", "member", "guest", "gone", *ROLES]:
            more = ["--administrator"] if login == "administrator" else []
            self.ids[login] = agon("users", "add", login, "--password-file", "password", *more)["id"]
        self.server = subprocess.Popen(
            [AGON, "serve", "--accounts", "--listen", "127.0.0.1:0", "--rate-factor", "0", "--output", "json"],
            cwd=ROOM,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.address = listening(self.server)
        self.url = f"http://{self.address}"
        self.proofs = {}
        self.debate = ""

    def session(self, login):
        form = {"login": login, "password": PASSWORD}
        sent = requests.post(f"{self.url}/login", form, headers={"Origin": self.url}, allow_redirects=False)
        assert sent.status_code == 303, (login, sent.status_code, sent.text)
        return {"Cookie": sent.headers["Set-Cookie"].split(";")[0], "Origin": self.url}

    def link(self, owner):
        sent = requests.post(f"{self.url}/debates/{self.debate}/share", {"act": "link", "days": "2"}, headers=owner)
        return re.search(r"/shared\?link=(agon_link_[0-9a-f]+)", sent.text)[1]

    def prepare(self):
        owner = self.session("owner")
        opening = {"protocol": "chaired", "motion": "This house would rest.", "id": "d1", "model": "outside"}
        started = requests.post(f"{self.url}/api/v1/debates", json=opening, headers=owner)
        assert started.status_code == 201, started.text
        # The server makes an id of its own of the one that a person wishes for.
        self.debate = started.json()["id"]
        for role in ROLES[:-1]:
            agon("users", "role", role, self.debate, role)
        token = {
            name: agon("users", "token", "owner", "--name", name, "--scopes", name.split()[0])
            for name in ["read", "answer", "run", "read expired", "read withdrawn"]
        }
        bearer = {name: {"Authorization": f"Bearer {made['secret']}"} for name, made in token.items()}
        lost = agon("users", "token", "gone", "--name", "lost", "--scopes", "read")
        ended = self.link(owner)
        page = requests.get(f"{self.url}/debates/{self.debate}/share", headers=owner).text
        # The newest link, which is the only one yet.
        link_id = re.search(r'name="link" value="([0-9a-f]+)"', page)[1]
        requests.post(f"{self.url}/debates/{self.debate}/share", {"act": "revoke", "link": link_id}, headers=owner)
        lent = self.link(owner)
        page = {"Origin": self.url}
        self.proofs = {"anonymous": page, "link": {"Authorization": f"Bearer {lent}", **page}}
        self.proofs |= {name: self.session(name) for name in ["member", *ROLES, "administrator"]}
        self.proofs |= {f"token {name}": bearer[name] for name in ["read", "answer", "run"]}
        self.proofs["expired"] = self.session("owner")
        # Beyond the table: what never counts, whatever the route is.
        self.proofs["expired token"] = bearer["read expired"]
        self.proofs["withdrawn token"] = bearer["read withdrawn"]
        self.proofs["token of a disabled person"] = {"Authorization": f"Bearer {lost['secret']}"}
        self.proofs["no token at all"] = {"Authorization": "Bearer agon_token_00"}
        self.proofs["link taken back"] = {"Authorization": f"Bearer {ended}", **page}
        agon("users", "token", "owner", "--revoke", token["read withdrawn"]["token"]["id"])
        agon("users", "disable", "gone")
        import hashlib

        secret = self.proofs["expired"]["Cookie"].split("=", 1)[1]
        digest = hashlib.sha256(secret.encode()).hexdigest()
        past = "2020-01-01T00:00:00.000Z"
        recent = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 60))
        with sqlite3.connect(Path(os.environ["AGON_HOME"]) / "journal.db", timeout=20) as db:
            changed = db.execute("UPDATE sessions SET expires_at = ? WHERE digest LIKE ?", (recent, f"%{digest}"))
            assert changed.rowcount == 1
            expired = token["read expired"]["token"]["id"]
            assert db.execute("UPDATE personal_tokens SET expires_at = ? WHERE id = ?", (past, expired)).rowcount == 1
        # Who logs out does so with a login of its own.
        self.leaving = {name: self.session(name) for name in ["member", *ROLES, "administrator"]}

    def end(self):
        self.server.terminate()
        self.server.wait(30)


def expected(visitor, cells, needs, path):
    """What an answer must be, seat by seat: `yes`, or the status of the refusal."""
    if visitor in cells:
        return cells[visitor].split("/")
    if visitor == "link taken back":
        if needs == "open":
            return ["yes"]
        return ["ended"]
    return ["401"]


def seen(operation, response):
    """The same of an answer."""
    status, text = response.status_code, response.text
    if status == 303 and operation != "logOut" and response.headers["location"][0].split("?")[0] == "/login":
        return "401"
    if status == 401 and not re.search("login name or the password is wrong|passkey_refused", text):
        return "401"
    if status == 403 and re.search("not_permitted|You are not permitted", text):
        return "403"
    if status == 404 and re.search("no_such_debate|Unknown debate", text):
        return "404"
    if operation != "followShareLink" and status in (403, 410) and re.search("link_ended|This link has ended", text):
        return "ended"
    return "yes"


def generated(operation, mode):
    cases = []

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def gather(case):
        cases.append(case)

    try:
        gather()
    except schemathesis.errors.InvalidSchema:
        raise
    except Exception as error:  # Nothing can be wrong with a request that has no parts.
        if "negative" not in str(error).lower() and not cases:
            raise
    return cases


def main():
    heads, rows = table()
    people = People()
    failures, count, began = [], 0, time.monotonic()
    try:
        people.prepare()
        document = requests.get(f"{people.url}/api/v1/openapi.json", headers=people.proofs["member"]).json()
        schema = schemathesis.openapi.from_dict(document)
        operations = [found.ok() for found in schema.get_all_operations()]
        # What would end the logins of the visitors comes last. A stream without end is seen by other checks.
        operations = [one for one in operations if not one.path.endswith("/events")]
        operations.sort(key=lambda one: one.path == "/logout")
        fixed = {"id": people.debate, "path": "transcript.md", "person": people.ids["guest"]}
        for operation in operations:
            route = f"{operation.method.upper()} {operation.path}"
            definition = document["paths"][operation.path][operation.method]
            name, access = definition["operationId"], definition["x-agon-access"]
            needs, cells = rows[route]
            if (access["needs"], access["visitors"]) != (needs, cells):
                failures.append(f"{route}: the document says {access}, the table {needs} {cells}")
            cases = generated(operation, GenerationMode.POSITIVE)
            if name == "logOut":
                cases = cases[:1]
            elif definition.get("parameters") or definition.get("requestBody"):
                cases += generated(operation, GenerationMode.NEGATIVE)
            for case in cases:
                for visitor, proof in people.proofs.items():
                    if name == "logOut":
                        proof = people.leaving.get(visitor, proof)
                    for kind, seat in zip(expected(visitor, cells, needs, operation.path), SEATS):
                        parts = case.path_parameters or {}
                        known = {**fixed, "seat": seat}
                        case.path_parameters = {part: known.get(part, "none") for part in parts}
                        for held in (case.headers, case.cookies):
                            for header in [h for h in held or {} if h.lower() in ("authorization", "cookie", "origin", "agon_session")]:
                                del held[header]
                        response = case.call(people.url, headers=proof, allow_redirects=False, timeout=20)
                        count += 1
                        got = seen(name, response)
                        if got != kind:
                            failures.append(f"{route} as {visitor}: {response.status_code} ({got}), the table says {kind}")
                        try:
                            case.validate_response(response, checks=CHECKS)
                        except (Exception, BaseExceptionGroup) as error:  # One, or a group of them.
                            failures.append(f"{route} as {visitor}: {str(error)[:600]}")
                    if len(failures) > FAILURES_TOLD:
                        return failures, count, began
        if people.server.poll() is not None:
            failures.append(f"the server ended with {people.server.returncode}")
        unseen = [route for route in rows if "/api/v1/" in route and route.split()[1] not in document["paths"]]
        failures += [f"{route} is not in the document" for route in unseen]
    finally:
        people.end()
    return failures, count, began


failures, count, began = main()
print(f"{count} requests of visitors in {time.monotonic() - began:.0f} s, {len(failures)} wrong")
for failure in failures[:FAILURES_TOLD]:
    print(f"FAIL  {failure}")
sys.exit(bool(failures))

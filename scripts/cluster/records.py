"""Compares the records of the same debates that were held twice."""

import json
import subprocess
from collections import Counter

from servers import AGON

# What no two runs have in common: moments, hashes over them, what calls used (a call that was made twice costs twice),
# and numbers of entries, since answers that come together come in any order.
OWN = {"at", "prev", "hash", "usage", "seq", "heard"}


def bare(value):
    if isinstance(value, dict):
        return {name: bare(part) for name, part in value.items() if name not in OWN}
    return [bare(part) for part in value] if isinstance(value, list) else value


def exported(env, debate, form):
    ran = subprocess.run([AGON, "export", debate, "--format", form], env=env, capture_output=True, text=True)
    if ran.returncode:
        raise AssertionError(f"export {debate}: {ran.stderr}")
    return ran.stdout


def entries(env, debate):
    """The entries of a record, without what no two runs have in common."""
    lines = [json.loads(line) for line in exported(env, debate, "record").splitlines()]
    return [json.dumps(bare(line), sort_keys=True) for line in lines if "what" in line or "seq" in line]


class Comparison:
    """What differs between the debates of two journals."""

    def __init__(self):
        self.lost = self.added = self.reordered = self.transcripts = self.open = 0
        self.shown = []

    def compare(self, debate, want_env, got_env):
        want, got = entries(want_env, debate), entries(got_env, debate)
        lost, added = Counter(want) - Counter(got), Counter(got) - Counter(want)
        self.lost += lost.total()
        self.added += added.total()
        self.open += '"closed"' not in got[-1]
        if lost or added:
            self.shown += [f"{debate} - {line[:300]}" for line in list(lost)[:2]] + [f"{debate} + {line[:300]}" for line in list(added)[:2]]
        else:
            self.reordered += want != got
        self.transcripts += exported(want_env, debate, "transcript") != exported(got_env, debate, "transcript")

    def is_clean(self):
        return self.lost + self.added + self.transcripts + self.open == 0

    def told(self):
        return (f"entries lost {self.lost}, added {self.added}; debates open {self.open}, transcripts that differ {self.transcripts}, "
                f"records in another order of simultaneous answers {self.reordered}")

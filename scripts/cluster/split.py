"""Parts of a cluster that the network cuts off for a while and joins again."""

import time
from pathlib import Path

from records import Comparison
from servers import until


def splits(room, held_here, lines, batch, ended):
    """A node, then a worker, each cut off while debates run."""
    count, seconds = (24, 60) if room.args.full else (10, 20)
    # Debates must still be open when a worker comes back, or it reads that they have ended and appends nothing: TCP sends
    # again after twice the pause before, and a call takes 1.5 s.
    for kind, rounds in (("node", 3), ("worker", seconds * 3 // 5)):
        file = room.folder / f"split-{kind}.jsonl"
        names = [f"n{kind}{number}" for number in range(count)]
        file.write_text("\n".join(lines(count, f"n{kind}", rounds)) + "\n")
        mock = room.mock(f"mock-split-here-{kind}", 0)
        here, _ = held_here(room, file, mock, f"split-here-{kind}", count)
        want = set(mock.calls())
        mock.kill()

        mock = room.mock(f"mock-split-{kind}", 1500)
        there = room.environment("split-there", mock, room.journal)
        room.replace_workers(2, there)
        known = len(room.repeated_calls(there))
        child = batch(there, file, "--on", room.on, "--concurrency", str(count))
        until("they are under way", 60, lambda: all(room.length(there, name) > 2 for name in names))
        part = room.nodes[-1] if kind == "node" else max(room.workers, key=lambda worker: worker.drives())
        part.place.cut()
        time.sleep(seconds)
        part.place.join()
        code = ended(child, there, 600)
        assert code == 0, f"exit {code}: {(Path(there['HOME']) / 'batch.out').read_text()[-1500:]}"
        comparison = Comparison()
        for name in names:
            comparison.compare(name, here, there)
        again, moved = len(room.repeated_calls(there)) - known, room.moved(there, names)
        other = len(set(mock.calls()) ^ want)
        print(f"{part.name} was cut off by the network for {seconds} s while {count} debates ran: {comparison.told()}; "
              f"{moved} debates moved, {again} calls made again", flush=True)
        for line in comparison.shown[:8]:
            print("  " + line)
        assert comparison.is_clean(), "the records are not those of one machine"
        assert other == 0, f"{other} calls are not those of one machine"
        if kind == "node":
            assert again == 0, "a node that is cut off costs no call"
        else:
            woke(room, part, moved, again, there)
        mock.kill()


def woke(room, worker, moved, again, env):
    """What a worker that was cut off still did when it came back was refused."""
    assert moved > 0, "nothing was taken over from the worker that was cut off"
    assert again <= 3 * moved, f"{again} calls made again for {moved} debates"
    assert worker.child.poll() is None, f"{worker.name} ended: {worker.said()[-1000:]}"
    refused = worker.said().count("another process drives n")
    assert refused > 0, f"{worker.name} came back to open debates and was refused nothing: {worker.said()[-1000:]}"
    more = room.rows(env, "SELECT debate, key FROM calls WHERE attempt > 1 AND debate LIKE 'nworker%'")
    assert not more, f"made again more than once: {more[:3]}"
    twice = room.rows(env, "SELECT debate, key FROM entries WHERE kind = 'answered' GROUP BY debate, key HAVING count(*) > 1")
    assert not twice, f"answered twice: {twice[:3]}"
    print(f"  it came back, and what it wanted to append was refused {refused} times; no request has two answers", flush=True)

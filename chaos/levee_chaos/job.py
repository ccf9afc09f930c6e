"""A FaultExperiment as a Job runs it: `chaos run` in a process of its own, and beside it who undoes, counts and tells how it went.

Why: the process that does faults may be killed like any other; whoever has started it is still there then, undoes by the journal, and says
what is known. Nobody is asked for the right to write that down: it is lines of output, and last words that the kubelet keeps.
Called by: the container of an experiment's Job (python -m levee_chaos.job run), with the order in its environment; and where that Job's pod
was lost, of another one that undoes what is left (python -m levee_chaos.job undo).
"""

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from levee.experiments.orders import BY, EVENT, JOURNAL, LAST_WORDS, ORDER, VERDICT, Order, last_words
from levee.experiments.status import Phase
from levee_chaos import inflicting, streams
from levee_chaos.findings import Seen
from levee_chaos.keeping import Keeping
from levee_chaos.refusals import NotUndone, Refused
from levee_chaos.toolkit import WRITTEN, started
from levee_chaos.verdict import Verdict, verdict
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.kubernetes import leftovers
from levee_chaos.worlds.world import Where

LOOK_S, UNDO_S = 0.5, 60.0
KEPT_JOURNAL = 400_000  # characters: a ConfigMap holds no more than a megabyte


def main(words: Sequence[str]) -> int:
    order = Order.of(os.environ[ORDER])
    if list(words) == ["undo"]:
        return undo(order)
    return run(order)


def run(order: Order) -> int:
    """Whatever becomes of it, there is a verdict."""
    where = Where(order.topology, "", order.namespace)
    told = Told(where)
    told.begin()
    running = started(order)
    while running.process.poll() is None:
        time.sleep(LOOK_S)
        told.follow()
    told.follow()
    journal = json.loads(WRITTEN.read_text()) if WRITTEN.exists() else None
    undone, compared = told.keeping is None or is_undone(told.keeping), differences(where)
    conclude(verdict(Seen(journal, told.events, order.steps, running.stopped, running.last_words, undone, *compared)), journal)
    return 0


# ---- what it tells


@dataclass(slots=True)
class Told:
    """What our control writes down as it happens, told again as lines of output."""

    where: Where
    keeping: Keeping | None = None  # until it is known which topology is meant
    position: int = 0
    events: list[Mapping[str, Any]] = field(default_factory=list)

    def begin(self) -> None:
        """What earlier experiments have told is theirs."""
        self.keeping = keeping_of(self.where)
        if self.keeping is not None and self.keeping.stream.exists():
            self.position = self.keeping.stream.stat().st_size

    def follow(self) -> None:
        self.keeping = self.keeping or keeping_of(self.where)
        if self.keeping is None or not self.keeping.stream.exists():
            return
        whole, end, _ = self.keeping.stream.read_bytes()[self.position :].rpartition(b"\n")
        self.position += len(whole) + len(end)
        for line in filter(None, whole.split(b"\n")):
            self.events.append(json.loads(line))
            say(self.events[-1])


def keeping_of(where: Where) -> Keeping | None:
    """None: there is no such topology; the experiment itself says so."""
    try:
        return Keeping(find(where).folder)
    except Refused:
        return None


def conclude(found: Verdict, journal: Mapping[str, Any] | None) -> None:
    """The whole of it as output, and what the kubelet keeps of it for whoever cannot read that any more."""
    say({EVENT: JOURNAL, JOURNAL: json.dumps(journal)[:KEPT_JOURNAL]})
    say({EVENT: VERDICT, VERDICT: found.document()})
    last = Path(LAST_WORDS)
    if last.exists():
        last.write_text(last_words(found.document()))


def say(event: Mapping[str, Any]) -> None:
    print(json.dumps(event, default=str), flush=True)


# ---- what is left of it


def is_undone(keeping: Keeping) -> bool:
    """Whatever the experiment has left; tried for a while."""
    until_s = time.monotonic() + UNDO_S
    while keeping.standing():
        try:
            inflicting.undo_all(keeping)
        except Refused as wrong:
            print(wrong, file=sys.stderr, flush=True)
        if keeping.standing() and time.monotonic() > until_s:
            return False
        time.sleep(LOOK_S)
    return True


def undo(order: Order) -> int:
    """What a Job has left whose pod was lost, journal and all: the helper pods that it had made, which undo when they end."""
    found: list[str] = []
    try:
        found = leftovers.end_all_of(os.environ[BY], order.namespaces)
        undone, message = True, f"{len(found)} helper pods were left, and have ended"
    except (Refused, NotUndone) as wrong:
        undone, message = False, str(wrong)
    conclude(Verdict(Phase.ABORTED, "Undone" if undone else "NotUndone", message, undone), None)
    return 0


def differences(where: Where) -> tuple[int | None, int | None]:
    """Epochs that are lost, and those that are not what they were; nothing, where nobody remembers how they were."""
    try:
        world = find(where)
        mark = streams.remembered(world, Keeping(world.folder).mark)
        return (None, None) if mark is None else streams.counted(mark, streams.streams_of(world, since=streams.since(mark)))
    except Refused:
        return None, None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

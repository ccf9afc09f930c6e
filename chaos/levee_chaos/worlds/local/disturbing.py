"""Faults of network, store, disk and clock: disturbances, which the workers of a run obey that `levee-chaos run` has started.

Called by: deeds.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from levee.topology.complaint import Complaint
from levee.worlds.local import asking, processes
from levee.worlds.local.table import WorkerEntry
from levee_chaos.aim import Aimed
from levee_chaos.disturbed.place import Felt, Place
from levee_chaos.disturbed.values import Disturbance, Way
from levee_chaos.fault import Fault, Kind
from levee_chaos.journal import Undo
from levee_chaos.worlds.local.run import Run

END = "end disturbance"
EFFECT_S = 60.0  # a share of few requests is not met at once
ASK_S = 1.0  # whoever can be reached answers by then
ENOUGH = 3  # requests, for a median
WAYS: Mapping[Kind, Way] = {
    Kind.PARTITION_NODE: Way.PARTITION,
    Kind.DELAY_NETWORK: Way.DELAY,
    Kind.LOSE_PACKETS: Way.LOSS,
    Kind.LIMIT_BANDWIDTH: Way.BANDWIDTH,
    Kind.FAIL_STORE: Way.FAILS,
    Kind.SLOW_STORE: Way.DELAY,
    Kind.FILL_DISK: Way.FULL,
    Kind.SKEW_CLOCK: Way.CLOCK,
    Kind.SKEW_STORE_CLOCK: Way.STORE_CLOCK,
}


@dataclass(slots=True)
class Disturbing:
    run: Run
    kind: Kind
    disturbance: Disturbance
    workers: tuple[WorkerEntry, ...]  # that live and are concerned
    share: float = 0.0
    patience_s: float = EFFECT_S
    has_begun: bool = False

    @property
    def place(self) -> Place:
        return Place(self.run.folder)

    @property
    def name(self) -> str:
        return f"{self.kind} {self.disturbance.node or 'everywhere'} {self.disturbance.name}"

    @property
    def undo(self) -> Undo:
        return Undo("local", END, {"folder": str(self.run.folder), "name": self.disturbance.name})

    def without_means(self) -> Iterator[Complaint]:
        if not self.place.is_open(self.run.table.controller):
            fix = "end it (levee stop, or Ctrl-C) and start it with levee-chaos run: it goes on where it has ended"
            yield Complaint("the run", "was started by levee run, whose workers obey no disturbance", fix)
        peer = self.disturbance.peer
        if peer == "operator" and self.disturbance.way is not Way.PARTITION:
            wrong = "who runs the topology and its workers speak on this machine only, and can be cut off from each other, no more"
            yield Complaint("peer", wrong, "use store, or partition_node")
        elif peer not in {"", "store", "operator"}:
            wrong = f"'{peer}' is nobody whom a node of this machine speaks to: all that goes between nodes goes through the store"
            yield Complaint("peer", wrong, "use store or operator, or leave it out for both")

    def do(self) -> None:
        """Once: what the dead man has ended stays so."""
        if not self.has_begun:
            self.place.begin(self.disturbance)
        self.has_begun = True

    def lacking(self) -> list[str]:
        """Everybody whom it concerns; of the store's, somebody: who only waits for others may not write for long."""
        living = [one for one in self.workers if one.process is not None and processes.lives(one.process)]
        felt = self.place.felt(self.disturbance.name)
        left = [one for one in living if one.process is not None and not self.is_felt(felt.get(one.process.pid), one)]
        is_enough_here = not self.disturbance.node and len(left) < len(living)
        return [] if is_enough_here else [f"worker {one.worker}" for one in left]

    def is_felt(self, felt: Felt | None, worker: WorkerEntry) -> bool:
        cut = self.disturbance.way is Way.PARTITION
        if cut and self.disturbance.cuts_off("operator") and answers(worker):
            return False
        if cut and not self.disturbance.cuts_off("store"):
            return True
        return felt is not None and is_enough(self.disturbance, felt)


def is_enough(what: Disturbance, felt: Felt) -> bool:
    """A delay is measured; everything else has happened at least once."""
    if what.way is Way.DELAY:
        return felt.answered >= ENOUGH and felt.took_ms >= what.ms - what.jitter_ms
    return felt.times > 0


def answers(worker: WorkerEntry) -> bool:
    port = asking.port_of(worker.directory)
    return port is not None and asking.state_of(port, patience_s=ASK_S) is not None


def disturb(run: Run, fault: Fault, aimed: Aimed) -> Disturbing:
    node = aimed.nodes[0] if aimed.nodes else ""
    disturbance = Disturbance(WAYS[fault.kind], node, **fault.how)
    concerned = tuple(one for one in run.table.workers if one.process is not None and disturbance.concerns(one.node))
    return Disturbing(run, fault.kind, disturbance, concerned)


def end(how: Mapping[str, Any]) -> None:
    Place(Path(how["folder"])).end(how["name"])

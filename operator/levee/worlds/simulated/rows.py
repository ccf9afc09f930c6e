"""One step of rows: nodes share their cores among what works there, primaries emit, and queues that are full drop what comes.

Why: rows are a fluid here, and time goes in steps: of all that happens only rates matter, and a step costs the same at 10 and at
100,000 rows a second. A step of 100 ms is a twentieth of what a queue holds, so that no queue fills up or runs empty unseen, and less
than an epoch; what it gets wrong is a delay of one step from task to task.
Called by: `world`, at every step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from levee.control.names import ReplicaName
from levee.worlds.simulated.flow import Flow
from levee.worlds.simulated.tally import Tally


@dataclass(slots=True, eq=False)
class Working:
    """A replica that computes: its queues, one per port."""

    replica: ReplicaName
    task: int
    queues: list[float]
    leads: bool = False  # it is the primary
    blocked: bool = False  # something above it has no rows to give


@dataclass(frozen=True, slots=True)
class Roster:
    """Who computes where, until that changes."""

    nodes: tuple[tuple[float, tuple[Working, ...]], ...] = ()  # cores, and who shares them
    of_tasks: tuple[tuple[Working, ...], ...] = ()
    flowing: tuple[bool, ...] = ()  # per source task: somebody ingests its rows


def empty_queues(flow: Flow, task: int) -> list[float]:
    return [0.0] * len(flow.ports[task]) if task >= 0 else []


def shares(works: Sequence[float], room: float) -> list[float]:
    """How much of its work each may do: whoever wants less than the others' equal part gets all of it."""
    if sum(works) <= room:
        return [1.0] * len(works)
    found, left = [1.0] * len(works), len(works)
    for place in sorted(range(len(works)), key=works.__getitem__):
        part = min(works[place], room / left)
        if works[place] > 0:
            found[place] = part / works[place]
        room, left = room - part, left - 1
    return found


@dataclass(slots=True)
class Rows:
    flow: Flow
    emitted: list[float] = field(init=False)  # in this step, by each task's primary

    def __post_init__(self) -> None:
        self.emitted = [0.0] * len(self.flow.ports)

    def step(self, roster: Roster, rows_per_s: Sequence[float], seconds: float, tally: Tally) -> None:
        self.emitted = [0.0] * len(self.flow.ports)
        for cores, working in roster.nodes:
            self.compute(working, cores * seconds, tally)
        offered = [rate * seconds for rate in rows_per_s]
        tally.seconds += seconds
        tally.due += sum(gain * rows for gain, rows in zip(self.flow.gains, offered, strict=True))
        tally.delivered += sum(rows for rows, delivers in zip(self.emitted, self.flow.delivers, strict=True) if delivers)
        tally.idle_task_s += seconds * sum(not working for working in roster.of_tasks)
        self.send(roster, [rows if flows else 0.0 for rows, flows in zip(offered, roster.flowing, strict=True)], tally)

    def compute(self, working: Sequence[Working], room_s: float, tally: Tally) -> None:
        works = [0.0 if one.blocked else self.work_s(one) for one in working]
        for one, work, share in zip(working, works, shares(works, room_s), strict=True):
            if one.blocked:
                continue
            if one.leads:
                ports = self.flow.ports[one.task]
                self.emitted[one.task] = share * sum([rows * port.selectivity for rows, port in zip(one.queues, ports, strict=True)])
                tally.processed += sum(one.queues) * share
            one.queues[:] = [rows - rows * share for rows in one.queues]
            tally.cpu_s += work * share

    def work_s(self, one: Working) -> float:
        return sum([rows * port.cost_s for rows, port in zip(one.queues, self.flow.ports[one.task], strict=True)])

    def pending(self, roster: Roster) -> float:
        """What is due because of rows that have come, and are queued."""
        flow, leaders = self.flow, [working[0] for working in roster.of_tasks if working]
        return sum(
            rows * flow.worth(port, flow.after[one.task])
            for one in leaders
            for rows, port in zip(one.queues, flow.ports[one.task], strict=True)
        )

    def send(self, roster: Roster, offered: Sequence[float], tally: Tally) -> None:
        for ports, working in zip(self.flow.ports, roster.of_tasks, strict=True):
            for number, port in enumerate(ports):
                rows = port.fraction * (self.emitted[port.producer] if port.producer >= 0 else offered[~port.producer])
                for one in working:
                    queued = one.queues[number] + rows
                    if queued > port.rows_max:
                        tally.dropped += queued - port.rows_max
                        tally.lost += (queued - port.rows_max) * one.leads
                        queued = port.rows_max
                    one.queues[number] = queued
                if not working:
                    tally.lost += rows

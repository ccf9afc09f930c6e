"""A run of the chain with faulty workers, taken turn by turn until something holds.

Why: a fault is injected when a topology works, and judged when it works again; both are waited for, never slept for.
Called by: the tests of faults.
"""

import http.client
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest.mock import patch

from levee.cli.local.start import Ask, setup_of
from levee.control.events import primary_of
from levee.control.names import ReplicaName
from levee.control.seen import Phase, Status
from levee.control.wanted import Wanted
from levee.topology.names import TaskId
from levee.worlds.local import faults
from levee.worlds.local import run as local_run
from levee.worlds.local.faults import Fault, Kind
from levee.worlds.local.opening import Setup, running
from levee.worlds.local.run import LocalRun, Turn
from levee_spark.log.wiring import Wiring
from tests.faults.chain import SOURCE, Wish, expected, resource
from tests.faults.points import Point, armed
from tests.faults.streams import Streams, check_lines, delivered, streams_of

WORKER = (sys.executable, "-m", "tests.faults.faulty_worker")
START_MS = 600_000
ORPHANS_S = 120.0
PATIENCE_S = 600.0  # for something that must happen, however slow the machine
TURN_S = 0.2  # what is waited for is seen soon
BACKOFF_MS = 1  # whoever is killed by a test starts again at once


@dataclass
class Plant:
    place: Path
    run: LocalRun
    turns: Iterator[Turn] = field(init=False)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.turns = self.run.turns()

    # ---- going on

    def until(self, what: str, holds: Callable[[Turn], bool]) -> Turn:
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            turn = next(self.turns)
            self.told += [f"{one.at} {one.subject}: {one.text}" for one in turn.news]
            if holds(turn):
                return turn
        raise AssertionError("\n".join([f"it never came about that {what}", *self.told[-40:], self.last_logs()]))

    def last_logs(self) -> str:
        logs = sorted((self.place / "run" / "logs").glob("*.log"))
        return "\n".join(f"--- {log.name}\n" + "\n".join(log.read_text().splitlines()[-15:]) for log in logs)

    def goes_on(self, epochs: int = 4) -> Turn:
        """The sink gets so many more epochs."""
        first = self.delivered_epoch()
        return self.until(f"{epochs} more epochs come out", lambda _: self.delivered_epoch() >= first + epochs)

    def is_whole(self) -> Turn:
        """Every replica works and has caught up, and more comes out."""
        self.until("all replicas work", everybody_works)
        return self.goes_on()

    def delivered_epoch(self) -> int:
        names = [file.stem.rpartition("-")[2] for file in (self.place / "out").glob("part-*.json")]
        return max(map(int, names), default=0)

    # ---- faults

    def arm(self, name: str, text: str = "") -> Path:
        """Whole or not at all: whoever sees it takes it."""
        path = armed(self.place / "faults", name)
        fresh = path.with_suffix(".new")
        fresh.write_text(text)
        fresh.rename(path)
        return path

    def kill_at(self, point: Point, operator: str = "total") -> None:
        """Whoever comes there first; it must have come there."""
        path = self.arm(f"{point.value}-{operator}")
        self.until(f"somebody dies {point.value}", lambda _: path.with_suffix(".by").exists())
        path.with_suffix(".by").unlink()

    def inflict(self, kind: Kind, name: str) -> faults.Hit:
        """By hand, as `levee kill` and `levee pause` do."""
        table, seen = self.run.table(), self.run.before
        hit = faults.aim(Fault(kind, name), table, primary_of(seen))
        (faults.pause if kind.is_pause else faults.kill)(hit)
        return hit

    def primary(self, task: str) -> ReplicaName | None:
        return primary_of(self.run.before).get(TaskId(task))

    def led(self, task: str) -> ReplicaName:
        """By whom, once that is known."""
        self.until(f"somebody leads {task}", lambda _: self.primary(task) is not None)
        found = self.primary(task)
        assert found is not None
        return found

    # ---- the verdict

    def metrics(self, *names: str) -> dict[str, float]:
        """Summed up over all replicas of all workers that live."""
        found = dict.fromkeys(names, 0.0)
        for worker in self.run.world.workers.values():
            connection = http.client.HTTPConnection("127.0.0.1", worker.find_port() or 0, timeout=30)
            connection.request("GET", "/metrics")
            for line in connection.getresponse().read().decode().splitlines():
                name, _, value = line.partition("{")[0], *line.rpartition(" ")[1:]
                if name in found:
                    found[name] += float(value)
            connection.close()
        return found

    def streams(self) -> Streams:
        return streams_of(self.run.world.book.wiring, self.run.blank.store)

    def says(self, event: str) -> list[dict[str, object]]:
        """What the workers' logs have of an event, dead ones included."""
        found = []
        for log in (self.place / "run" / "logs").glob("*.log"):
            lines = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("{")]
            found += [one for one in map(json.loads, lines) if one["event"] == event]
        return found


def patient(setup: Setup, folder: Path) -> Setup:
    """Workers look for faults there; and a machine that is slow to start Java is none of them."""

    def want(wiring: Wiring) -> Wanted:
        wanted = setup.want(wiring)
        patience = replace(wanted.patience, start_ms=START_MS, hang_ms=START_MS, settle_ms=START_MS)
        return replace(wanted, patience=replace(patience, backoff_ms=BACKOFF_MS, backoff_ms_max=BACKOFF_MS))

    return replace(setup, want=want, environment={**setup.environment, "FAULTS": str(folder)})


def everybody_works(turn: Turn) -> bool:
    seen = turn.seen
    states = seen.states()
    ready = all(home.phase is Phase.READY for home in seen.homes.values())
    working = all(one.status is Status.RUNNING for one in states.values() if one.task != SOURCE)  # a standby ingestor has nothing to do
    return seen.anchored and ready and len(states) == len(seen.homes) and working


def remains(place: Path) -> list[str]:
    """Processes of a run that is over; of killed workers, too: their Java and Python processes must have seen that they are alone."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"FAULTS={place}".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " ")[:200])
    return found


@contextmanager
def planted(place: Path, wish: Wish | None = None, *, whole: bool = True) -> Iterator[Plant]:
    """Running, and with some epochs delivered, unless it cannot be `whole` at once."""
    (place / "faults").mkdir(exist_ok=True)
    file = place / "chain.yaml"
    file.write_text(resource(place, wish or Wish()))
    with (
        patch.object(local_run, "TURN_S", TURN_S),
        running(patient(setup_of(Ask(str(file), directory=str(place / "run"), command=WORKER)), place / "faults")) as run,
    ):
        plant = Plant(place, run)
        if whole:
            plant.is_whole()
        yield plant
    until_s = time.monotonic() + ORPHANS_S
    while (left := remains(place)) and time.monotonic() < until_s:
        time.sleep(0.5)
    assert not left


def check_undisturbed(place: Path, streams: Streams) -> None:
    """Each stream is one line without a break, and the rows are those of the undisturbed run, each once."""
    check_lines(streams)
    assert not [one for line in streams.values() for one in line if one.rebased or one.kind.value != "final"]
    out = delivered(place / "out")
    assert out == expected(max(out))


__all__ = ["Plant", "check_undisturbed", "planted"]

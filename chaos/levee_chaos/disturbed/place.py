"""Where disturbances lie, in the folder of a run, and what those who met them have felt.

Why: a worker asks at every request which disturbances hold, so that must cost next to nothing: the names in one folder. A file is there
whole or not at all, and what stands in it never changes.
Called by: passage, worker, starting; the local world.
"""

import json
import os
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import get_ident

from levee.worlds.local.folder import put
from levee.worlds.local.processes import Process
from levee_chaos.disturbed.values import Disturbance, read, written

ENDING = ".json"


@dataclass(frozen=True, slots=True)
class Felt:
    """By one worker, of one disturbance."""

    times: int  # that it has done something to a request
    answered: int  # of those, how often an answer came nevertheless
    took_ms: float  # the median of the requests that were met


@dataclass(frozen=True, slots=True)
class Place:
    run: Path  # its folder

    @property
    def folder(self) -> Path:
        return self.run / "chaos" / "disturbances"

    @property
    def starter(self) -> Path:
        """Whose workers obey: the run's process that wrote it."""
        return self.run / "chaos" / "disturbed.json"

    def felt_of(self, name: str) -> Path:
        return self.run / "chaos" / "felt" / name

    # ---- who starts the run

    def open(self, by: Process) -> None:
        """What an earlier run has left is over."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.felt_of(""), ignore_errors=True)
        self.folder.mkdir(parents=True)
        put(self.starter, json.dumps([by.pid, by.started]).encode())

    def is_open(self, controller: Process | None) -> bool:
        try:
            return controller is not None and Process(*json.loads(self.starter.read_text())) == controller
        except FileNotFoundError:
            return False

    # ---- who disturbs

    def begin(self, one: Disturbance) -> None:
        put(self.folder / f"{one.name}{ENDING}", written(one).encode())

    def end(self, name: str) -> None:
        (self.folder / f"{name}{ENDING}").unlink(missing_ok=True)
        shutil.rmtree(self.felt_of(name), ignore_errors=True)

    def felt(self, name: str) -> dict[int, Felt]:
        """By the numbers of processes."""
        files = self.felt_of(name).glob(f"*{ENDING}")
        return {int(file.stem): Felt(**json.loads(file.read_text())) for file in files}

    def feel(self, name: str, felt: Felt) -> None:
        """Not where it has ended meanwhile."""
        if (self.folder / f"{name}{ENDING}").exists():
            fresh = self.felt_of(name) / f"{os.getpid()}-{get_ident()}.new"  # the replicas of a worker feel it at once, each in its thread
            fresh.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                fresh.write_text(json.dumps(asdict(felt)))
                fresh.replace(fresh.with_name(f"{os.getpid()}{ENDING}"))


@dataclass(slots=True)
class InForce:
    """What holds now for one node, as its workers see it."""

    place: Place
    node: str
    known: dict[str, Disturbance] = field(default_factory=dict)

    def now(self) -> list[Disturbance]:
        try:
            names = sorted(name for name in os.listdir(self.place.folder) if name.endswith(ENDING))  # noqa: PTH208  (at every request)
        except FileNotFoundError:
            return []
        found = (self.read(name) for name in names)
        return [one for one in found if one is not None and one.concerns(self.node)]

    def read(self, name: str) -> Disturbance | None:
        if name not in self.known:
            with suppress(FileNotFoundError):  # it has just ended
                self.known[name] = read((self.place.folder / name).read_text())
        return self.known.get(name)

    def holds(self, one: Disturbance) -> bool:
        return (self.place.folder / f"{one.name}{ENDING}").exists()

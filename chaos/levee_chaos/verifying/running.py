"""A run of one's own, for one configuration: the user's topology and plan, driven to its rates, its store and output in a folder.

Why: what is broken on purpose should be nobody's; and a configuration is a rate, which only its own source can be brought to.
Called by: campaign.
"""

import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread

import yaml

from levee.cli.local import preflight
from levee.cli.local.ready import Ready
from levee.cli.local.runnable import folder_of
from levee.control.names import ReplicaName
from levee.plans.ending import Refused
from levee.topology.complaint import Complaint
from levee.topology.graph import Configuration
from levee.topology.load import load_bytes
from levee.topology.timing import period_s
from levee.worlds.local.folder import Folder, Occupied
from levee.worlds.local.opening import CannotRun, Setup, running
from levee.worlds.local.run import LocalRun
from levee_chaos.verifying import steady
from levee_chaos.verifying.driving import NotDrivable, Place, driven, rates_at
from levee_chaos.verifying.grouping import grouped
from levee_spark.ingest.function import CannotIngest, load
from levee_spark.ingest.opening import with_period
from levee_spark.store.address import CannotOpen

HEADING = "levee verify: it cannot run."
LOOK_S = 0.2
MARK = ".levee-verify"
START_S = 600.0  # until it is there to be looked at


@dataclass(slots=True)
class Running:
    """Its turns are taken by a thread."""

    setup: Setup
    run: LocalRun | None = None
    wrong: BaseException | None = None
    thread: Thread = field(init=False)

    def __post_init__(self) -> None:
        self.thread = Thread(target=self.take_turns, name="levee-run", daemon=True)

    def take_turns(self) -> None:
        try:
            with running(self.setup) as self.run:
                for _turn in self.run.turns():
                    pass
        except (CannotRun, CannotOpen, Refused, OSError) as wrong:
            self.wrong = wrong

    def begin(self) -> None:
        self.thread.start()
        until_s = time.monotonic() + START_S
        while self.thread.is_alive() and not self.is_there() and time.monotonic() < until_s:
            time.sleep(LOOK_S)
        if self.wrong is not None:
            complaints = self.wrong.complaints if isinstance(self.wrong, CannotRun) else ()
            raise Refused(HEADING if complaints else f"{HEADING}\n{self.wrong}", complaints)

    def is_there(self) -> bool:
        return self.run is not None and self.run.last is not None

    def end(self) -> None:
        if self.run is not None:
            self.run.interrupted = True
        self.thread.join()


@contextmanager
def own_run(ready: Ready, place: Path, at: Configuration, dead: frozenset[ReplicaName]) -> Iterator[str]:
    """Yields its directory. `dead`: who is to die for good in the worst case shares no worker with who is not."""
    found = Running(own_setup(ready, place / at.name, at, dead))
    try:
        found.begin()
        yield str(found.setup.folder.path)
    finally:
        found.end()


def own_setup(ready: Ready, place: Path, at: Configuration, dead: frozenset[ReplicaName]) -> Setup:
    empty(place)
    [document] = [one for one in yaml.safe_load_all(ready.data) if one is not None]
    every = ready.topology.configurations
    rates = rates_at(every, at) if len(every) > 1 else {}
    changed = driven(document, rates, Place(place, period_s(ready.resource.spec)), lambda *asked: span_of(ready, *asked))
    data = yaml.safe_dump(changed, sort_keys=False).encode()
    [loaded] = load_bytes(data, origin=str(place))
    assert loaded.resource is not None, loaded.complaints
    setup = ready.setup(data, loaded.resource)
    return replace(setup, folder=Folder(place / "run"), want=lambda wiring: grouped(ready.wanted(wiring), dead), faults=())


def empty(place: Path) -> None:
    """Streams of an earlier verification would go on. Only what is ours is emptied, and not while somebody uses it."""
    if place.exists() and any(place.iterdir()) and not (place / MARK).exists():
        complaint = Complaint("--place", f"{place} holds something that is not of levee verify", "name another folder")
        raise Refused(HEADING, [complaint])
    place.mkdir(parents=True, exist_ok=True)
    try:
        with Folder(place / "run").held():
            pass
    except Occupied:
        raise Refused(
            HEADING, [Complaint("--place", f"another levee verify runs in {place}", "wait for its end, or name another")]
        ) from None
    shutil.rmtree(place)
    place.mkdir()
    (place / MARK).touch()


def span_of(ready: Ready, options: Mapping[str, str], per_epoch: float, tasks: int) -> int:
    """Asks the generator itself, here."""
    period_ms = round(1_000 * period_s(ready.resource.spec))
    own = {name: value for name, value in options.items() if name != "generator"}
    try:
        with found_here(preflight.places_of(folder_of(ready.ask.file))):
            return steady.span_for(load(options["generator"]), with_period(own, period_ms), per_epoch, tasks)
    except CannotIngest as wrong:
        raise NotDrivable(f"its generator {options['generator']} {wrong.complaint.wrong}") from None
    except Exception as wrong:  # the generator is the user's: whatever it raises is told
        raise NotDrivable(f"its generator {options['generator']}: {wrong}") from wrong


@contextmanager
def found_here(places: tuple[str, ...]) -> Iterator[None]:
    """As workers find modules."""
    before = list(sys.path)
    sys.path[:0] = places
    try:
        yield
    finally:
        sys.path[:] = before

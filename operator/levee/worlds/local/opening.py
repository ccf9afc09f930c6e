"""From what was decided to a run: the folder is taken, what a crashed run has left is ended, and the streams are looked at.

Why: a run may begin after a clean end, after a stop, after a crash or for the first time; only here does that make a difference.
Called by: `levee run`, `make demo`, tests.
"""

import os
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace

from levee.control.account import Level
from levee.control.events import Event
from levee.control.wanted import Wanted
from levee.topology.complaint import Complaint
from levee.topology.names import ConfigurationName, NodeName
from levee.worlds import reshaping
from levee.worlds.accounting import Accounting
from levee.worlds.local import cleaning, editing, lasting
from levee.worlds.local.book import Book, StoreSilent
from levee.worlds.local.drifting import drifting
from levee.worlds.local.faults import Fault
from levee.worlds.local.folder import CannotHold, CannotRead, Folder, Occupied, put, writing
from levee.worlds.local.run import LocalRun
from levee.worlds.local.script import Script
from levee.worlds.local.table import RunTable, read_table
from levee.worlds.local.worker import Program
from levee.worlds.local.world import LocalWorld
from levee_spark.log.values import ControlRecord
from levee_spark.log.wiring import Wiring
from levee_spark.store.address import open_store
from levee_spark.store.driver import StoreDriver

WORKER = (sys.executable, "-m", "levee_spark.worker")
WAYS = reshaping.Ways(
    to_rest="run it as it was, end that with `levee stop`, and then run this: all of it goes on with the epoch after",
    anew="put the graph back, or name another --directory: that begins new streams",
)

OCCUPIED = (
    "to edit it, end that run (levee stop, or Ctrl-C) and then run this: the streams go on with what is new; "
    "another --directory begins new streams, from the first epoch"
)


class CannotRun(Exception):
    """A run cannot begin; why, and what to do."""

    def __init__(self, *complaints: Complaint) -> None:
        super().__init__("\n".join(f"{one.where}: {one.wrong}" for one in complaints))
        self.complaints = complaints


@dataclass(frozen=True, slots=True)
class Setup:
    """What a run is of and where; everything that was decided before it."""

    topology: str  # "shop/clicks"
    resource: bytes  # the file, as it was read
    store: str
    nodes: tuple[NodeName, ...]
    wire: Callable[[str], Wiring]  # by the UID
    want: Callable[[Wiring], Wanted]
    folder: Folder
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    command: Sequence[str] = WORKER
    faults: tuple[Fault, ...] = ()
    level: Callable[[Wiring], Level] = lambda _wiring: Level()  # by which its service is accounted


@contextmanager
def running(setup: Setup) -> Iterator[LocalRun]:
    """Everything is ended on the way out, however that is."""
    with in_words(setup), setup.folder.held():
        run = prepared(setup)
        try:
            run.begin(setup.nodes)
            yield run
        finally:
            run.end()


def check_free(setup: Setup) -> None:
    """That nobody else runs it: before anything is told that would matter only then."""
    with in_words(setup):
        with writing():
            has_run = setup.folder.lock.exists()
        with setup.folder.held() if has_run else nullcontext():
            pass


@contextmanager
def in_words(setup: Setup) -> Iterator[None]:
    """Why its folder cannot be had."""
    try:
        yield
    except Occupied:
        earlier = read_table(setup.folder)
        wrong = f"somebody else runs {earlier.topology if earlier else setup.topology} in {setup.folder.path}"
        raise CannotRun(Complaint("--directory", wrong, OCCUPIED)) from None
    except CannotRead as unread:
        raise CannotRun(unread.complaint) from None
    except CannotHold as refused:
        wrong = f"{setup.folder.path} cannot be used: {refused}"
        raise CannotRun(Complaint("--directory", wrong, "name a folder that can be written, or one that can be made")) from None


def prepared(setup: Setup) -> LocalRun:
    folder = setup.folder
    earlier = read_table(folder)
    if earlier is not None and earlier.topology != setup.topology:
        wrong = f"{folder.path} belongs to {earlier.topology}"
        raise CannotRun(Complaint("--directory", wrong, "name another directory"))
    if earlier is not None and (changed := list(lasting.of_resource(folder, earlier, setup.resource, setup.store))):
        raise CannotRun(*changed)
    left = cleaning.end_leftovers(earlier) if earlier else 0
    uid = earlier.uid if earlier else uuid.uuid4().hex
    wiring = setup.wire(uid)
    book = Book(wiring, StoreDriver(open_store(setup.store)), f"controller-{uuid.uuid4().hex[:12]}")
    wanted = setup.want(wiring)
    record = newest(book)
    lost = list(lasting.of_log(earlier, record)) if earlier is not None else []
    if complaints := lost or list(refused(setup, book, wanted, record)):
        raise CannotRun(*complaints)
    if record is not None and reshaping.is_other(record, wanted):
        reshaping.begin(book, record, wanted)
    run = LocalRun(
        blank(setup, uid, earlier),
        folder,
        LocalWorld(wanted, book, folder, program(setup, uid), configuration=configuration_before(earlier, wanted)),
        Script(list(setup.faults)),
        accounting=Accounting(book.driver.blobs, wiring.layout, setup.level(wiring)),
        drifting=drifting(setup.resource),
    )
    if left:
        run.tell(Event("run", f"ended {left} processes of a run that had crashed", grave=True))
    return run


def blank(setup: Setup, uid: str, earlier: RunTable | None) -> RunTable:
    """Until this run knows more, what the earlier one knew of the log stays written."""
    table = RunTable(setup.topology, uid, setup.store, None)
    return replace(table, record=earlier.record, workers=earlier.closed("").workers) if earlier else table


def configuration_before(earlier: RunTable | None, wanted: Wanted) -> ConfigurationName | None:
    return earlier.configuration if earlier is not None and earlier.configuration in wanted.active else None


def program(setup: Setup, uid: str) -> Program:
    """Workers' disks are disposable; their logs are not."""
    for past in (setup.folder.path / "workers", setup.folder.revivals):
        shutil.rmtree(past, ignore_errors=True)
    with writing():
        put(setup.folder.resource, setup.resource)
    return Program(setup.command, setup.folder.resource, uid, setup.environment)


def newest(book: Book) -> ControlRecord | None:
    try:
        return book.newest()
    except StoreSilent as silent:
        raise CannotRun(Complaint("spec.store", f"the store does not answer: {silent}", "start it, or mend spec.store.uri")) from None


def refused(setup: Setup, book: Book, wanted: Wanted, record: ControlRecord | None) -> Iterator[Complaint]:
    """What was edited and cannot be: its graph, or what becomes of its states."""
    wrong = list(reshaping.complaints(book, record, wanted, WAYS)) if record is not None and reshaping.is_other(record, wanted) else []
    yield from wrong
    if not wrong:
        yield from editing.complaints(setup.resource, book.wiring.layout.uid, editing.edited(record, wanted), setup.environment)

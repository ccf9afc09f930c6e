"""The streams of a run, from outside of it: its wiring and its control log.

Called by: cli.commands.stop, cli.commands.tail; cli.local.start, for the wiring.
"""

import os
from dataclasses import replace

from levee.cli.shared.files import told
from levee.plans.ending import Refused
from levee.topology.complaint import Complaint
from levee.topology.load import load_bytes
from levee.topology.spec import Resource
from levee.worlds.local.book import Book, StoreSilent
from levee.worlds.local.folder import Folder
from levee.worlds.local.table import RunTable
from levee_spark.log import control
from levee_spark.log.wiring import Wiring
from levee_spark.store.address import CannotOpen, open_store
from levee_spark.store.driver import StoreDriver


def wiring_in(folder: Folder, uid: str) -> Wiring:
    """As the run itself has it: of the topology it was started with."""
    [loaded] = load_bytes(folder.resource.read_bytes(), origin=str(folder.resource))
    if loaded.resource is None:
        raise Refused(told(loaded))
    return wired(loaded.resource, uid)


def wired(resource: Resource, uid: str) -> Wiring:
    from levee_spark.worker.wiring import wiring_of

    return wiring_of(resource, uid)


def driver_of(command: str, table: RunTable, *, writes: bool) -> StoreDriver:
    try:
        return StoreDriver(open_store(table.store, writes=writes))
    except CannotOpen as wrong:
        raise Refused(f"{command}: the store cannot be used.", [wrong.complaint]) from None


def book_of(folder: Folder, table: RunTable) -> Book:
    return Book(wiring_in(folder, table.uid), driver_of("levee stop", table, writes=True), f"levee stop {os.getpid()}")


def stop_epoch(folder: Folder, table: RunTable) -> int | None:
    """The last, once the sources have agreed on it."""
    book = book_of(folder, table)
    try:
        return book.stop_epoch() if book.newest() is not None else None
    except StoreSilent:
        return None
    finally:
        book.driver.close()


def order_stop(folder: Folder, table: RunTable) -> int:
    """The number of the record that orders it; who loses the race for a number tries the next."""
    book = book_of(folder, table)
    try:
        while (record := book.newest()) is not None and not record.shape.stopped:
            stopped = control.successor(record, book.holder, shape=replace(record.shape, stopped=True))
            book.write(replace(stopped, reason="levee stop"))
    except StoreSilent as silent:
        complaint = Complaint("spec.store", f"the store does not answer: {silent}", "try again when it does")
        raise Refused("levee stop: the order was not written.", [complaint]) from None
    finally:
        book.driver.close()
    if record is None:
        raise Refused(
            "levee stop: it has not begun.", [Complaint(table.topology, "has no control record yet", "end levee run with Ctrl-C")]
        )
    return record.number

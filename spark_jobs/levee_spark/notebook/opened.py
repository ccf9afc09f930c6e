"""A topology's store as a notebook opens it: to read from it at the most, unless somebody writes.

Called by: `look`.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from levee.topology.wording import all_close_to
from levee_spark.log.keys import Layout
from levee_spark.notebook.asked import Asked
from levee_spark.notebook.trouble import CannotUse
from levee_spark.store.address import CannotOpen, open_store, remedy
from levee_spark.store.blobs import Blobs, Trouble
from levee_spark.store.driver import StoreDriver
from levee_spark.store.shared import Shared

OWN = {"streams", "control"}  # folders that a topology has
KNOWN_MAX = 12  # topologies that are named
REMEMBERED_BYTES = 0  # what has been trimmed since must be seen to be gone


@lru_cache(maxsize=8)  # Spark asks a new reader in the same process, again and again
def opened(uri: str, *, writes: bool) -> StoreDriver:
    return StoreDriver(blobs_of(uri, writes=writes), looks_ahead=False, shared=Shared(REMEMBERED_BYTES))


def blobs_of(uri: str, *, writes: bool) -> Blobs:
    try:
        return open_store(uri, check=False, writes=writes)
    except CannotOpen as cannot:
        raise CannotUse(cannot.complaint.where, cannot.complaint.wrong, cannot.complaint.fix) from cannot


def only_uid(asked: Asked, driver: StoreDriver) -> str:
    found = list(folders(driver, asked.topology))
    if len(found) == 1:
        return found[0]
    if not found:
        raise nothing_there(asked, driver)
    raise CannotUse(asked.where, f"there were several of this name: {', '.join(found)}", '.option("uid", one of them)')


def must_have_begun(asked: Asked, driver: StoreDriver, layout: Layout) -> None:
    """A UID that was given says nothing of whether there is anything."""
    if next(folders(driver, layout.root()), None) is None:
        raise nothing_there(asked, driver)


def nothing_there(asked: Asked, driver: StoreDriver) -> CannotUse:
    known = list(islice(topologies(driver), KNOWN_MAX))
    if asked.topology in known:
        uids = ", ".join(folders(driver, asked.topology))
        return CannotUse(asked.where, f"{asked.store} holds nothing of it under the UID {asked.uid}", f'.option("uid", one of {uids})')
    fix = f"use {' or '.join(all_close_to(asked.topology, known) or known)}" if known else "mend the store's address"
    return CannotUse(asked.where, f"{asked.store} holds no topology {asked.topology}", fix)


def topologies(driver: StoreDriver) -> Iterator[str]:
    """Whatever else lies in the same bucket."""
    for namespace in folders(driver, ""):
        found = (f"{namespace}/{name}" for name in folders(driver, namespace))
        yield from (one for one in found if any(is_root(driver, f"{one}/{uid}") for uid in folders(driver, one)))


def is_root(driver: StoreDriver, folder: str) -> bool:
    return not OWN.isdisjoint(folders(driver, folder))


def folders(driver: StoreDriver, folder: str) -> Iterator[str]:
    """What is in a folder, whether the store lists what is in it or all that lies below."""
    after, prefix = "", f"{folder}/" if folder else ""
    while True:
        try:
            page = driver.blobs.names(folder, after, 1)
        except Trouble as trouble:
            raise CannotUse(driver.blobs.where, f"the store does not answer: {trouble}", remedy(str(trouble))) from trouble
        if not page:
            return
        name, below, _ = page[0].removeprefix(prefix).partition("/")
        if not name.startswith("."):  # what a store keeps for itself
            yield name
        after = f"{prefix}{name}" + ("0" if below else "")  # "0" follows "/"

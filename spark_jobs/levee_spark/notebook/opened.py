"""A topology's store as a notebook opens it: to read from it at the most, unless somebody writes.

Called by: `look`.
"""

from collections.abc import Iterator
from functools import lru_cache

from levee_spark.notebook.asked import Asked
from levee_spark.notebook.trouble import CannotUse
from levee_spark.store.address import CannotOpen, open_store, remedy
from levee_spark.store.blobs import Blobs, Trouble
from levee_spark.store.driver import StoreDriver
from levee_spark.store.shared import Shared

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
        raise CannotUse(
            asked.where, f"{asked.store} holds no topology {asked.topology}", "write namespace/name, or mend the store's address"
        )
    raise CannotUse(asked.where, f"there were several of this name: {', '.join(found)}", '.option("uid", one of them)')


def folders(driver: StoreDriver, folder: str) -> Iterator[str]:
    """What is in a folder, whether the store lists what is in it or all that lies below."""
    after = ""
    while True:
        try:
            page = driver.blobs.names(folder, after, 1)
        except Trouble as trouble:
            raise CannotUse(driver.blobs.where, f"the store does not answer: {trouble}", remedy(str(trouble))) from trouble
        if not page:
            return
        name, below, _ = page[0].removeprefix(f"{folder}/").partition("/")
        yield name
        after = f"{folder}/{name}" + ("0" if below else "")  # "0" follows "/"

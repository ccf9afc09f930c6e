"""One object of a topology's store, corrupted in place: an epoch, a published checkpoint or a control record; and put back.

Why: the store is the same in every world, and so is this fault. The checksums of the epoch log must notice it; what was there is kept
beside the journal, so that it can be put back whatever becomes of the experiment.
Called by: the deeds of both worlds.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from levee.plans.ending import use_instead
from levee.topology.complaint import Complaint
from levee.topology.names import TaskId
from levee.worlds.local.folder import put
from levee_chaos.fault import Fault
from levee_chaos.journal import Undo
from levee_chaos.refusals import NOTHING, NotUndone, Refused
from levee_spark.log import ask, codec
from levee_spark.log.keys import numbered, second_key
from levee_spark.log.values import PublishedCheckpoint
from levee_spark.log.wiring import Wiring
from levee_spark.store.blobs import Blobs, Trouble
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

PUT_BACK = "put back"
FLIPPED = 8  # bytes at the end of the object: of its payload, where it has any
Reading = Callable[[], AbstractContextManager[tuple[Wiring, StoreDriver]]]


@dataclass(frozen=True, slots=True)
class Corrupting:
    reading: Reading
    key: str
    was: bytes
    saved: Path  # where what was is kept
    undo: Undo
    share: float = 0.0
    patience_s: float = 30.0

    @property
    def name(self) -> str:
        return f"corrupt object {self.key}"

    def without_means(self) -> Iterator[Complaint]:
        if is_corrupt(self.key, self.was):
            yield Complaint("object", f"{self.key} is corrupt already", "name another one")

    def do(self) -> None:
        self.saved.parent.mkdir(parents=True, exist_ok=True)
        put(self.saved, self.was)
        with self.reading() as (_, driver):
            if data_of(driver.blobs, self.key) == self.was:
                driver.blobs.overwrite(self.key, flipped(self.was))

    def lacking(self) -> list[str]:
        """Read again: it must be there, and no reader may take it for what it was."""
        with self.reading() as (_, driver):
            data = data_of(driver.blobs, self.key)
        return [] if data is not None and is_corrupt(self.key, data) else [self.key]


def corrupt(world: str, where: Mapping[str, Any], reading: Reading, chaos: Path, fault: Fault) -> Corrupting:
    """`where`: by which `reading` can be found again when it is undone."""
    try:
        with reading() as (wiring, driver):
            key = chosen(wiring, driver, **fault.how)
            was = data_of(driver.blobs, key)
    except (Trouble, ask.CorruptRecord) as wrong:
        raise refused("store", str(wrong), "see that the store can be read") from None
    if was is None:
        raise refused("object", f"{key} is gone", "try again: it was trimmed just now")
    saved = chaos / "originals" / mark(key.encode())
    was = saved.read_bytes() if saved.exists() and was == flipped(saved.read_bytes()) else was  # done already
    undo = Undo(world, PUT_BACK, {**where, "key": key, "saved": str(saved), "made": mark(flipped(was))})
    return Corrupting(reading, key, was, saved, undo)


# ---- which one


def chosen(wiring: Wiring, driver: StoreDriver, what: str, task: str, which: str) -> str:
    layout = wiring.layout
    if what == "control":
        return picked(driver, layout.control(0).rpartition("/")[0], what, which)
    if task not in wiring.tasks or (wiring.tasks[TaskId(task)].sink and what == "epoch"):
        streams = [one for one, wired in wiring.tasks.items() if not wired.sink]
        wrong = f"there is no stream of '{task}'" if task else f"whose {what} it is, is not said"
        raise refused("task", wrong, use_instead(task, streams))
    if what == "epoch":
        return picked(driver, layout.epochs(TaskId(task)), what, which)
    key = picked(driver, layout.checkpoints(TaskId(task)), what, which)
    found = drive(ask.read(key, PublishedCheckpoint), driver)
    return found.files[0] if found is not None and found.files else key


def picked(driver: StoreDriver, folder: str, what: str, which: str) -> str:
    names = drive(ask.names(folder), driver)
    if not names:
        raise refused("object", f"there is no {what} in {folder}", "wait until there is one")
    found = {"newest": names[-1], "oldest": names[0]}.get(which) or next((one for one in names if str(numbered(one)) == which), None)
    if found is None:
        wrong = f"there is no {what} {which}, there are {numbered(names[0])} to {numbered(names[-1])}"
        raise refused("which", wrong, "use newest, oldest, or one of these numbers")
    return found


def refused(where: str, wrong: str, fix: str) -> Refused:
    return Refused(NOTHING, [Complaint(where, wrong, fix)])


# ---- its bytes


def flipped(data: bytes) -> bytes:
    return data[:-FLIPPED] + bytes(one ^ 0xFF for one in data[-FLIPPED:])


def is_corrupt(key: str, data: bytes) -> bool:
    try:
        codec.decode(data, key)
    except codec.Undecodable:
        return True
    return False


def data_of(blobs: Blobs, key: str) -> bytes | None:
    found = blobs.get(key)
    return None if found is None else bytes(found.data)


def mark(data: bytes) -> str:
    return blake2b(data, digest_size=12).hexdigest()


# ---- undone


def put_back(how: Mapping[str, Any], reading: Reading) -> None:
    """Not where it was trimmed, replaced, or rebuilt under its second key: then somebody has repaired it, and that stands."""
    try:
        with reading() as (_, driver):
            data = data_of(driver.blobs, how["key"])
            if data is None or mark(data) != how["made"] or is_rebuilt(driver.blobs, how["key"]):
                return
            driver.blobs.overwrite(how["key"], Path(how["saved"]).read_bytes())
    except (Trouble, Refused) as wrong:
        raise NotUndone(str(wrong)) from None


def is_rebuilt(blobs: Blobs, key: str) -> bool:
    return "/epochs/" in key and blobs.get(second_key(key)) is not None

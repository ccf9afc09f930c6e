"""Whose a folder of files is: a mark in it names the run and the sink that deliver there.

Why: a file is put only where there is none of its name, and its name is an epoch's. In a folder with the files of another run, which
counts from epoch 1 as well, nothing would be written, and nobody would be told.
Called by: `files`, before the first epoch is delivered.
"""

import json
from dataclasses import asdict, dataclass

from levee_spark.deliver.delivery import CannotDeliver
from levee_spark.store.blobs import Blob, Blobs, Trouble

MARK = "_levee"  # readers of folders pass over such names; and it is no *.json, *.csv or *.parquet
FILES = "part-"


@dataclass(frozen=True, slots=True)
class Owner:
    topology: str  # "shop/clicks"
    uid: str
    sink: str

    def __str__(self) -> str:
        return f"sink {self.sink!r} of {self.topology} (uid {self.uid})"


@dataclass(frozen=True, slots=True)
class Mark:
    owner: Owner
    found_files: bool  # there were some already: which of them are whose, nobody knows

    def encode(self) -> bytes:
        return json.dumps({**asdict(self.owner), "found_files": self.found_files}, indent=1).encode() + b"\n"


def claim(blobs: Blobs, owner: Owner) -> Mark:
    """The folder's mark, which is put if there is none; refused if it is another's. Files are put only after it."""
    there = blobs.get(MARK)
    if there is None:
        mine = Mark(owner, found_files=has_files(blobs))
        if blobs.create(MARK, mine.encode()):
            return mine
        there = blobs.get(MARK)
    if there is None:
        raise Trouble(f"{MARK} in {blobs.where} comes and goes")
    return checked(read(there), owner, blobs.where)


def has_files(blobs: Blobs) -> bool:
    return any(name.startswith(FILES) for name in blobs.names("", FILES, 1))


def read(there: Blob) -> Mark | None:
    """None: whatever it is, it was not written by a sink."""
    try:
        told = json.loads(bytes(there.data))
        return Mark(Owner(told["topology"], told["uid"], told["sink"]), told["found_files"])
    except (ValueError, TypeError, KeyError):
        return None


def checked(mark: Mark | None, owner: Owner, where: str) -> Mark:
    if mark is None:
        raise refused(owner, f"{where}/{MARK} is not what a sink writes there")
    if mark.owner == owner:
        return mark
    if (mark.owner.topology, mark.owner.sink) == (owner.topology, owner.sink):
        raise refused(
            owner, f"{where} holds the output of another run of {owner.topology} (its uid is {mark.owner.uid}, this run's {owner.uid})"
        )
    raise refused(owner, f"{where} holds the output of {mark.owner}")


def refused(owner: Owner, wrong: str) -> CannotDeliver:
    fix = f"name another path; or, if nobody needs what is there, remove all of it, {MARK} too"
    return CannotDeliver(f"sink {owner.sink!r}", f"{wrong}; nothing was written", fix)

"""The files of a sink, wherever they are.

Called by: probes.
"""

from collections.abc import Mapping
from pathlib import Path

from levee.topology.complaint import Complaint
from levee_chaos.refusals import UNKNOWN, Refused
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Where
from levee_spark.store.address import CannotOpen, open_store

FILES_MAX = 100_000


def files_at(name: str, place: str, where: Where) -> list[tuple[str, bytes]]:
    if "://" in place:
        return stored(place, find(where).secret())
    if not Path(place).is_dir():
        raise Refused(UNKNOWN, [Complaint(name, f"{place} is no folder", "name the sink's folder")])
    return [(file.name, file.read_bytes()) for file in Path(place).iterdir() if file.is_file()]


def stored(place: str, secret: Mapping[str, str]) -> list[tuple[str, bytes]]:
    try:
        store = open_store(place, secret=secret, writes=False)
    except CannotOpen as wrong:
        raise Refused(UNKNOWN, [wrong.complaint]) from None
    return [(name, bytes(blob.data)) for name in store.names("", "", FILES_MAX) if (blob := store.get(name)) is not None]

"""Where the parts of a file source's list are kept: beside its stream, in the topology's store.

Why: whoever goes on from a manifest must find what it names, on whatever machine.
Called by: `opening`; `seen` uses it.
"""

from dataclasses import dataclass

from levee_spark.store.blobs import Blobs, Trouble


@dataclass(frozen=True, slots=True)
class StoreShelf:
    blobs: Blobs
    folder: str

    def put(self, name: str, data: bytes) -> None:
        self.blobs.create(f"{self.folder}/{name}", data)  # named by content: what is there already is the same

    def get(self, name: str) -> bytes:
        found = self.blobs.get(f"{self.folder}/{name}")
        if found is None:
            raise Trouble(f"{self.folder}/{name} is gone, a part of the list of files that were read. It is kept until no epoch needs it.")
        return bytes(found.data)

    def delete(self, name: str) -> None:
        self.blobs.delete(f"{self.folder}/{name}")

"""Where a test's store lies, and records to put there.

Why: a process that a test starts must find the same store.
Called by: the tests of this folder, and the processes they start.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from levee.topology.names import TaskId
from levee_spark.log.digest import lineage
from levee_spark.log.keys import Layout
from levee_spark.log.values import GENESIS, EpochObject, Kind, Manifest
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs

ROOT = Path(__file__).parents[2]  # from where processes find this module
LAYOUT, TASK = Layout("shop/clicks", "uid-1"), TaskId("vwap/0")


@dataclass(frozen=True, slots=True)
class Place:
    uri: str
    secret: tuple[tuple[str, str], ...] = ()

    def open(self, *, durable: bool = False) -> Blobs:
        return open_store(self.uri, secret=dict(self.secret), durable=durable)

    def to_json(self) -> str:
        return json.dumps([self.uri, self.secret])

    @classmethod
    def from_json(cls, text: str) -> Self:
        uri, secret = json.loads(text)
        return cls(uri, tuple((name, value) for name, value in secret))


def key(epoch: int) -> str:
    return LAYOUT.epoch(TASK, epoch)


def epoch_by(writer: str, epoch: int, before: str = GENESIS, payload: object = b"rows") -> EpochObject:
    digest = f"digest of {writer}"
    return EpochObject(Manifest(epoch, Kind.FINAL, 1, digest, lineage(before, digest), 1, writer), payload)

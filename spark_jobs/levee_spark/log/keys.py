"""Rule 9: where everything lies, under the UID of its resource.

Why: a re-created name must never meet old data. Numbers are padded so that keys sort as they count; no key is a folder of another
(some stores refuse `p` beside `p/q`); segments of a path stay far below the 250 characters that some stores allow.
Called by: every role.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from levee.topology.names import OperatorName, TaskId

DIGITS = 12
SEGMENT_LIMIT = 250
PLAIN = re.compile(r"[a-zA-Z0-9._=-]+\Z")
READABLE = 60  # characters of a name that are kept when it must be hashed


@dataclass(frozen=True, slots=True)
class Layout:
    prefix: str
    uid: str

    def root(self) -> str:
        return f"{self.prefix}/{segment(self.uid)}"

    def stream(self, task: TaskId) -> str:
        return f"{self.root()}/streams/{segment(task)}"

    def epochs(self, task: TaskId) -> str:
        return f"{self.stream(task)}/epochs"

    def epoch(self, task: TaskId, epoch: int) -> str:
        return f"{self.epochs(task)}/{number(epoch)}"

    def rebuilt(self, task: TaskId, epoch: int) -> str:
        return f"{self.rebuilts(task)}/{number(epoch)}"

    def rebuilts(self, task: TaskId) -> str:
        return f"{self.stream(task)}/rebuilt"

    def damage(self, task: TaskId) -> str:
        """One at a time: whoever has rebuilt it makes room for the next."""
        return f"{self.stream(task)}/damage"

    def verdict(self, task: TaskId, epoch: int) -> str:
        return f"{self.verdicts(task)}/{number(epoch)}"

    def verdicts(self, task: TaskId) -> str:
        return f"{self.stream(task)}/verdicts"

    def segments(self, task: TaskId) -> str:
        return f"{self.stream(task)}/segments"

    def segment(self, task: TaskId, epoch: int, digest: str) -> str:
        """Named by content: whoever computes the same may use it, whoever computes another never overwrites it."""
        return f"{self.segments(task)}/{number(epoch)}-{segment(digest)}"

    def floors(self, task: TaskId) -> str:
        return f"{self.stream(task)}/floors"

    def floor(self, task: TaskId, count: int) -> str:
        return f"{self.floors(task)}/{number(count)}"

    def checkpoints(self, task: TaskId) -> str:
        return f"{self.stream(task)}/checkpoints"

    def checkpoint(self, task: TaskId, epoch: int) -> str:
        return f"{self.checkpoints(task)}/{number(epoch)}"

    def checkpoint_files(self, task: TaskId) -> str:
        return f"{self.stream(task)}/files"

    def checkpoint_file(self, task: TaskId, epoch: int, writer: str, name: str) -> str:
        return f"{self.checkpoint_files(task)}/{number(epoch)}-{segment(writer)}-{segment(name)}"

    def pins(self, task: TaskId) -> str:
        return f"{self.stream(task)}/pins"

    def pin(self, task: TaskId, holder: str) -> str:
        return f"{self.pins(task)}/{segment(holder)}"

    def registrations(self, operator: OperatorName) -> str:
        """Of those who import its stream, whatever tasks it has."""
        return f"{self.importers()}/{segment(operator)}"

    def importers(self) -> str:
        return f"{self.root()}/importers"

    def registration(self, operator: OperatorName, holder: str) -> str:
        return f"{self.registrations(operator)}/{segment(holder)}"

    def imported(self, source: OperatorName) -> str:
        return f"{self.root()}/imports/{segment(source)}"

    def control(self, count: int) -> str:
        return f"{self.root()}/control/{number(count)}"

    def change(self, count: int) -> str:
        return f"{self.root()}/changes/{number(count)}"

    def correction(self, count: int, task: TaskId) -> str:
        return f"{self.root()}/corrections/{number(count)}-{segment(task)}"

    def plan(self, count: int) -> str:
        return f"{self.root()}/plans/{number(count)}"

    def account(self, part_ms: int, count: int) -> str:
        """A part of a window, by its length."""
        return f"{self.root()}/accounts/{number(part_ms)}-{number(count)}"

    def anchor(self, count: int) -> str:
        return f"{self.root()}/anchors/{number(count)}"

    def probe(self, holder: str, name: str) -> str:
        return f"{self.root()}/probes/{segment(holder)}-{segment(name)}"


def second_key(key: str) -> str:
    """Where an epoch is rebuilt whose object at `key` is corrupt."""
    folder, _, name = key.rpartition("/")
    return f"{folder.removesuffix('epochs')}rebuilt/{name}"


def number(count: int) -> str:
    if not 0 <= count < 10**DIGITS:
        raise ValueError(f"{count} is no number of {DIGITS} digits: keys would no longer sort as they count")
    return f"{count:0{DIGITS}d}"


def next_key(key: str) -> str:
    folder, _, _ = key.rpartition("/")
    return f"{folder}/{number(numbered(key) + 1)}"


def numbered(name: str) -> int:
    """The number that a key ends in, or that its last segment begins with."""
    return int(name.rpartition("/")[2][:DIGITS])


@lru_cache(maxsize=4096)  # the same few tasks and holders, again and again
def segment(name: str) -> str:
    """A name as one path segment: itself where it is plain and short, else its readable part and a hash of all of it."""
    if PLAIN.match(name) and len(name) <= READABLE and name not in {".", ".."} and "~" not in name:
        return name
    readable = re.sub(r"[^a-zA-Z0-9._=-]", ".", name)[:READABLE]
    return f"{readable}~{blake2b(name.encode(), digest_size=8).hexdigest()}"

"""The streams of a run: remembered before an experiment, compared after it.

Why: a topology that looks well after a fault may still have lost an epoch, or have written another in its place.
Called by: controls (remember), probes (compare, and when epochs were committed).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from levee.topology.names import TaskId
from levee.worlds.local.folder import put
from levee_chaos.worlds.world import World
from levee_spark.log import floor, history
from levee_spark.log.requests import Found, Get, Want
from levee_spark.log.values import Floor, Manifest
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

REMEMBERED = 500  # epochs of each stream before the experiment: what a fault might change is near the head
LOST = " is lost"
SHOWN = 5  # of what is wrong with one stream


@dataclass(frozen=True, slots=True)
class Sealed:
    """What makes an epoch that very one."""

    digest: str
    lineage: str
    kind: str


@dataclass(frozen=True, slots=True)
class Stream:
    """From `first` on; `floor`: what is before it was trimmed."""

    floor: int
    manifests: tuple[Manifest, ...]

    @property
    def sealed(self) -> dict[int, Sealed]:
        return {one.epoch: Sealed(one.digest, one.lineage, one.kind.value) for one in self.manifests}


Mark = Mapping[TaskId, Mapping[int, Sealed]]


# ---- the verdict


def complaints(before: Mapping[int, Sealed], now: Stream) -> list[str]:
    """What was remembered stands as it was, unless it was trimmed; all that came since is one line with it."""
    sealed, trimmed = now.sealed, now.floor
    lost = [epoch for epoch in before if epoch >= trimmed and epoch not in sealed]
    changed = [epoch for epoch in before if epoch in sealed and sealed[epoch] != before[epoch]]
    since = [one for one in now.manifests if one.epoch >= max(before, default=1)]
    known = {text for one in since if one.epoch in before for text in history.complaints([one])}  # was so when the experiment began
    return [
        *(f"epoch {epoch}{LOST}" for epoch in lost),
        *(f"epoch {epoch} is another one: {before[epoch].digest} before, {sealed[epoch].digest} now" for epoch in changed),
        *(text for text in history.complaints(since) if text not in known),
    ]


def verdict(mark: Mark, now: Mapping[TaskId, Stream]) -> list[str]:
    found = {task: complaints(mark.get(task, {}), stream) for task, stream in now.items()}
    return [f"{task}: {text}" for task, texts in found.items() for text in texts[:SHOWN]]


def counted(mark: Mark, now: Mapping[TaskId, Stream]) -> tuple[int, int]:
    """How many epochs are lost, and how many are not what they were or break their line."""
    found = [text for task, stream in now.items() for text in complaints(mark.get(task, {}), stream)]
    lost = sum(text.endswith(LOST) for text in found)
    return lost, len(found) - lost


def since(mark: Mark) -> dict[TaskId, int]:
    """From which epoch on streams are to be read, to be compared."""
    return {task: min(sealed, default=1) for task, sealed in mark.items()}


def longest_ms(stamps: Sequence[int], since_ms: int, until_ms: int) -> int:
    """The longest time without an epoch that ended after that moment; one that lasts counts until now."""
    times = [*sorted(stamps), until_ms]
    return max((later - max(sooner, since_ms) for sooner, later in pairwise(times) if later > since_ms), default=until_ms - since_ms)


# ---- the streams themselves


def streams_of(world: World, most: int = REMEMBERED, since: Mapping[TaskId, int] | None = None) -> dict[TaskId, Stream]:
    """Sinks have none. `since`: from those epochs on; else the newest."""
    with world.reading() as (wiring, driver):
        return {task: stream(wiring, driver, task, most, since) for task, wired in wiring.tasks.items() if not wired.sink}


def stream(wiring: Wiring, driver: StoreDriver, task: TaskId, most: int, since: Mapping[TaskId, int] | None) -> Stream:
    layout = wiring.layout
    script = history.newest(layout, task, most) if since is None else history.manifests(layout, task, max(0, since.get(task, 1) - 1))
    found = drive(script, driver)
    lowest = drive(floor.latest(layout, task, Floor(0, 0)), driver).epoch  # afterwards: it only rises
    return Stream(lowest, tuple(one for one in found if one.epoch >= lowest))


def stamps(world: World, operator: str, since_ms: int) -> dict[TaskId, list[int]]:
    """When the epochs of each task were committed, by the store; the last before that moment, and all since."""
    with world.reading() as (wiring, driver):
        chosen = [task for task, wired in wiring.tasks.items() if not wired.sink and operator in {"", wired.operator}]
        return {task: backwards(wiring, driver, task, since_ms) for task in chosen}


def backwards(wiring: Wiring, driver: StoreDriver, task: TaskId, since_ms: int) -> list[int]:
    found: list[int] = []
    last = drive(history.newest(wiring.layout, task, 1), driver)
    epoch = last[-1].epoch if last else 0
    while epoch > 0 and (not found or found[-1] > since_ms):
        answer = driver.answer(Get(wiring.layout.epoch(task, epoch), Want.STAMP))
        if not isinstance(answer, Found):
            break
        found.append(answer.written_ms)
        epoch -= 1
    return found


# ---- the mark


def remember(world: World, path: Path) -> Mark:
    mark = {task: stream.sealed for task, stream in streams_of(world).items()}
    path.parent.mkdir(exist_ok=True)
    document = {task: {str(epoch): asdict(one) for epoch, one in sealed.items()} for task, sealed in mark.items()}
    put(path, json.dumps({"uid": world.uid, "streams": document}).encode())
    return mark


def remembered(world: World, path: Path) -> Mark | None:
    """None: nothing was, or of other streams."""
    try:
        value = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    if value["uid"] != world.uid:
        return None
    return {TaskId(task): {int(epoch): Sealed(**one) for epoch, one in sealed.items()} for task, sealed in value["streams"].items()}

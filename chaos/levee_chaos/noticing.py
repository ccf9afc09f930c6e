"""Whether a corrupt object was noticed, and by what that is seen.

Why: damage that nobody notices may be read by nobody, or be taken for what it was; an experiment must tell the two apart.
Called by: probes.
"""

import time
from collections.abc import Sequence

from levee.topology.complaint import Complaint
from levee.topology.names import TaskId
from levee_chaos.fault import Kind
from levee_chaos.journal import Entry, Line, Step, Undo
from levee_chaos.keeping import Keeping
from levee_chaos.refusals import UNKNOWN, Refused
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.kubernetes import statuses
from levee_chaos.worlds.kubernetes.plainly import again
from levee_chaos.worlds.objects import data_of
from levee_chaos.worlds.world import Where, World
from levee_spark.log import ask
from levee_spark.log.keys import Layout, numbered, second_key
from levee_spark.log.values import Damage
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

LOOK_S = 0.2
KINDS = {Kind.CORRUPT_OBJECT, Kind.CORRUPT_STATUS}


def waited(where: Where, timeout_s: float) -> str:
    """How it was noticed; Refused after the timeout."""
    began_s, undo = time.monotonic(), corrupted(find(where))
    while not (sign := sign_of(find(where), undo)):
        if time.monotonic() - began_s > timeout_s:
            what = undo.how.get("key") or f"{undo.how['field']} of the status"
            wrong, fix = f"{what} is corrupt, and nobody has said so", "have somebody read it: pause or crash a replica that does"
            raise Refused(f"levee-chaos: it was not noticed within {timeout_s:g} s.", [Complaint("object", wrong, fix)])
        time.sleep(LOOK_S)
    return sign


def corrupted(world: World) -> Undo:
    """The last."""
    entry = newest(Keeping(world.folder).lines())
    if entry is None or entry.undo is None:
        raise Refused(UNKNOWN, [Complaint("journal", f"no object of {world.topology} was corrupted yet", "use it after corrupt_object")])
    return entry.undo


def newest(lines: Sequence[Line]) -> Entry | None:
    """The corruption that has happened last."""
    entries = {line.name: line.entry for line in lines if line.entry is not None and line.entry.kind in KINDS}
    done = [line.name for line in lines if line.step is Step.DONE and line.name in entries]
    return entries[done[-1]] if done else None


def sign_of(world: World, undo: Undo) -> str:
    """How it shows; empty: nobody has noticed it so far."""
    if undo.do == statuses.WRITE_BACK:
        return in_the_status(undo)
    key = undo.how["key"]
    with world.reading() as (wiring, driver):
        if "/epochs/" in key and (sign := in_the_store(wiring, driver, key)):
            return sign
    if any(key in row.error for row in world.seen().replicas):
        return "reported by a replica that cannot go on without it"
    return "reported by a worker" if world.has_told(key) else ""


def in_the_status(undo: Undo) -> str:
    with again(undo.how) as reached:
        return "" if statuses.still_stands(reached, undo.how) else "written anew"


def in_the_store(wiring: Wiring, driver: StoreDriver, key: str) -> str:
    if data_of(driver.blobs, second_key(key)) is not None:
        return "rebuilt under its second key"
    damage = drive(ask.read(damage_key(wiring.layout, key), Damage), driver)
    return "a rebuild was asked for" if damage is not None and damage.epoch == numbered(key) else ""


def damage_key(layout: Layout, key: str) -> str:
    return layout.damage(TaskId("it")).replace(layout.stream(TaskId("it")), key.partition("/epochs/")[0])

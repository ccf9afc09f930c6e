"""A running topology as `levee verify` sees it: whether it is whole, in which configuration, and what its streams did.

Called by: taking.
"""

from collections.abc import Mapping

from levee.topology.names import OperatorName, TaskId
from levee_chaos.verifying.course import Committed, Course, Reads
from levee_chaos.worlds.world import World
from levee_spark.log import history
from levee_spark.log.requests import Found, Get, Want
from levee_spark.log.values import Manifest
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.judging import allowed_ms, sharing

MARKED = 100  # epochs of each stream before those that count: what a fault might change is near the head

Lines = Mapping[TaskId, Mapping[int, Manifest]]


def newest(world: World, last_s: float) -> Lines:
    """The epochs of every stream that were due in the last seconds, and some before them."""
    with world.reading() as (wiring, driver):
        most = MARKED + round(1_000 * last_s / wiring.times.period_ms)
        found = {task: drive(history.newest(wiring.layout, task, most), driver) for task in computing(wiring)}
    return {task: {one.epoch: one for one in line} for task, line in found.items()}


def course(world: World, first: int) -> Course:
    """From that epoch on."""
    with world.reading() as (wiring, driver):
        allowed = allowed_ms(wiring, world.declared().spec)
        return Course(
            {task: committed(wiring, driver, task, first) for task in computing(wiring)},
            {task: reads(wiring, one, allowed) for task, one in computing(wiring).items() if not one.is_source},
            allowed,
            outputs(wiring),
            wiring.times.period_ms,
        )


def committed(wiring: Wiring, driver: StoreDriver, task: TaskId, first: int) -> dict[int, Committed]:
    found: dict[int, Committed] = {}
    for manifest in drive(history.manifests(wiring.layout, task, max(0, first - 1)), driver):
        answer = driver.answer(Get(wiring.layout.epoch(task, manifest.epoch), Want.STAMP))
        if isinstance(answer, Found):  # else it was trimmed meanwhile
            found[manifest.epoch] = Committed(manifest, answer.written_ms)
    return found


def computing(wiring: Wiring) -> dict[TaskId, TaskWiring]:
    """Who has a stream: all but sinks, whoever is read before who reads."""
    return {task: one for task, one in wiring.tasks.items() if not one.sink}


def reads(wiring: Wiring, one: TaskWiring, allowed: Mapping[TaskId, int]) -> Reads:
    shares = {producer: 1 / among for producer, among in zip(one.inputs, sharing(wiring, one), strict=True)}
    return Reads(shares, allowed[one.task])


def outputs(wiring: Wiring) -> dict[OperatorName, tuple[TaskId, ...]]:
    """What sinks read; where there is none, the streams that nobody reads."""
    delivered = {producer for one in wiring.tasks.values() if one.sink for producer in one.inputs}
    read = {producer for one in wiring.tasks.values() for producer in one.inputs}
    ends = [one for task, one in computing(wiring).items() if task in delivered or (not delivered and task not in read)]
    return {one.operator: tuple(each.task for each in ends if each.operator == one.operator) for one in ends}

"""Read a stream of a topology, where its store can be reached: in one of its workers, or here.

Why: a store inside a cluster cannot be reached from outside, and its address is not the same there. Workers have the address, the
credentials and the code; so the command sends its question there, and only where there is none it reads by itself.
Called by: cli.kube.tail, here; `python -m levee.cli.kube.inside`, in a worker's pod.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from levee.plans.ending import Refused
from levee.topology.spec import Resource


@dataclass(frozen=True, slots=True)
class Question:
    stream: str
    begin: int | None
    rows: int
    follow: bool
    dead: bool

    def text(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def of(text: str) -> "Question":
        return Question(**json.loads(text))


def lines(resource: Resource, uid: str, secret: Mapping[str, str] | None, asked: Question) -> Iterator[str]:
    """Only who reads needs what reads."""
    from levee.cli.local.tailing import Tail, tasks_of
    from levee_spark.store.address import CannotOpen, open_store
    from levee_spark.store.driver import StoreDriver
    from levee_spark.worker.wiring import wiring_of

    wiring = wiring_of(resource, uid)
    tasks = tasks_of(asked.stream, wiring)
    try:
        driver = StoreDriver(open_store(resource.spec.store.uri, secret=secret, writes=False))
    except CannotOpen as wrong:
        raise Refused("levee tail: the store cannot be used.", [wrong.complaint]) from None
    try:
        yield from Tail(wiring, driver, tasks, dead=asked.dead).lines(asked.begin, asked.rows, follow=asked.follow)
    finally:
        driver.close()


def told(refused: Refused) -> str:
    """The same words as of a local run, in the name of the command that was called."""
    return refused.text.replace("levee tail", "kubectl levee tail")

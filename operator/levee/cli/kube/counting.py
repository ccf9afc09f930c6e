"""Count in a worker's pod how many rows have passed: `python -m levee.cli.kube.counting EPOCHS`.

Why: as with rows, the worker has the topology, its UID and the store's credentials; nothing has to leave it but counts.
Called by: cli.kube.profile, as kubectl exec would do it.
"""

import sys
from collections.abc import Mapping, Sequence

from levee.cli.kube.counted import text
from levee.cli.kube.inside import answer
from levee.planning.measured.counts import Passed
from levee.plans.ending import Refused
from levee.topology.complaint import Complaint
from levee.topology.spec import Resource
from levee.worlds.passed import passed


def main(arguments: Sequence[str]) -> int:
    return answer(lambda resource, uid: [text(counted(resource, uid, None, int(arguments[0])))], lambda refused: refused.text)


def counted(resource: Resource, uid: str, secret: Mapping[str, str] | None, most: int) -> Passed:
    """Only who reads needs what reads."""
    from levee_spark.store.address import CannotOpen, open_store
    from levee_spark.store.driver import StoreDriver
    from levee_spark.worker.wiring import wiring_of

    try:
        driver = StoreDriver(open_store(resource.spec.store.uri, secret=secret, writes=False))
    except CannotOpen as wrong:
        complaint: Complaint = wrong.complaint
        raise Refused("kubectl levee profile: the store cannot be used.", [complaint]) from None
    try:
        return passed(wiring_of(resource, uid), driver, most)
    finally:
        driver.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

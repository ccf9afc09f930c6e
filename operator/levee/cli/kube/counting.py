"""Count in a worker's pod how many rows have passed: `python -m levee.cli.kube.counting EPOCHS`.

Why: as with rows, the worker has the topology, its UID and the store's credentials; nothing has to leave it but counts.
Called by: cli.kube.profile, as kubectl exec would do it.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Thread

from levee.cli.kube.counted import text
from levee.cli.kube.inside import ORDER, end_with_whoever_asked
from levee.planning.measured.counts import Passed
from levee.plans.ending import Exit, Refused
from levee.topology.complaint import Complaint
from levee.topology.load import load_bytes
from levee.topology.spec import Resource
from levee.worlds.passed import passed


def main(arguments: Sequence[str]) -> int:
    order = json.loads(os.environ[ORDER])
    file = Path(order["resource"])
    [loaded] = load_bytes(file.read_bytes(), origin=str(file))
    assert loaded.resource is not None, "the worker runs it"
    Thread(target=end_with_whoever_asked, daemon=True).start()
    try:
        print(text(counted(loaded.resource, order["uid"], None, int(arguments[0]))), flush=True)
    except Refused as refused:
        print(refused.text, file=sys.stderr)
        return Exit.REFUSED
    except (BrokenPipeError, KeyboardInterrupt):
        return Exit.PIPE
    return Exit.OK


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

"""The streams of a topology on a cluster: its store, with the Secret that the topology names.

Why: an experiment reads more than a question to a worker can answer; where the store is in the cluster, so must the experiment be.
Called by: placed.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from levee.cli.kube.looking import loaded, owner_of
from levee.cli.kube.place import error
from levee.cli.kube.tail import secret
from levee.cli.local.streams import wired
from levee.plans.ending import Refused
from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.person import Reached
from levee_spark.log.wiring import Wiring
from levee_spark.store.address import CannotOpen, open_store
from levee_spark.store.driver import StoreDriver


@contextmanager
def opened(reached: Reached, resource: Object) -> Iterator[tuple[Wiring, StoreDriver]]:
    owner, found = owner_of(resource), loaded(resource).resource
    if found is None:
        raise error(f"the resource of {owner.key} is not valid; see kubectl describe ftt {owner.name}")
    try:
        driver = StoreDriver(open_store(found.spec.store.uri, secret=secret(reached, found.spec.store.secret), writes=False))
    except CannotOpen as wrong:
        raise Refused("levee-chaos: the store cannot be used.", [wrong.complaint]) from None
    try:
        yield wired(found, owner.uid), driver
    finally:
        driver.close()

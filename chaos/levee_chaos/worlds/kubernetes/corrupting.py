"""An object of a topology's store, corrupted; and put back by the journal alone.

Called by: deeds.
"""

from collections.abc import Mapping
from typing import Any

from levee.cli.kube.place import API, KIND
from levee.worlds.kubernetes.person import Reached
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault
from levee_chaos.worlds import objects
from levee_chaos.worlds.kubernetes.placed import Placed
from levee_chaos.worlds.kubernetes.plainly import address_of, again
from levee_chaos.worlds.kubernetes.store import opened


def corrupt(placed: Placed, fault: Fault, _aimed: Aimed) -> objects.Corrupting:
    metadata = placed.resource["metadata"]
    where = {**address_of(placed.reached), "namespace": metadata["namespace"], "topology": metadata["name"]}
    return objects.corrupt("kubernetes", where, placed.reading, placed.folder / "chaos", fault)


def put_back(how: Mapping[str, Any]) -> None:
    """Nothing is left to be put back where the topology is deleted."""
    with again(how) as reached:
        resource = reached.api.get(f"{API}/namespaces/{how['namespace']}/{KIND}/{how['topology']}")
        if resource is not None:
            there = Reached(reached.api, how["namespace"], reached.server, reached.context)  # the Secret of its store is beside it
            objects.put_back(how, lambda: opened(there, resource))

"""What a cluster does not answer, or refuses, in the words of this extension.

Called by: everything here that asks it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from levee.cli.kube.place import asking
from levee.plans import ending
from levee.worlds.kubernetes.person import NoConfig, Reached, reach
from levee_chaos.refusals import NotUndone, Refused, told


@contextmanager
def plainly(reached: Reached) -> Iterator[None]:
    with told(), asking(reached):
        yield


# ---- for whoever undoes, and knows nothing but what was written down


def address_of(reached: Reached) -> Mapping[str, Any]:
    return {"context": reached.context}


@contextmanager
def again(how: Mapping[str, Any]) -> Iterator[Reached]:
    """The same cluster, whatever the kubeconfig's current context is by now. NotUndone: it cannot be reached, or refuses."""
    try:
        reached = reach(None, how["context"], None)
        with plainly(reached):
            yield reached
    except (NoConfig, Refused, ending.Refused) as wrong:
        raise NotUndone(str(wrong)) from None

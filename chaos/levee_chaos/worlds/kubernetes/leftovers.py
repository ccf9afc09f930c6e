"""What a Job has left of which nothing else is left: helper pods that bear the name of its experiment.

Called by: job, where another pod of the experiment was lost.
"""

from collections.abc import Sequence

from levee.experiments.orders import MADE_BY
from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.person import Reached, reach
from levee_chaos.worlds.kubernetes.helpers import end, pods_in
from levee_chaos.worlds.kubernetes.plainly import plainly


def end_all_of(by: str, namespaces: Sequence[str]) -> list[str]:
    """Of an experiment of which nothing else is left; the names of what was ended. Where pods may not be seen, none was made."""
    reached = reach(None, None, namespaces[0])
    with plainly(reached):
        found = [(namespace, one["metadata"]["name"]) for namespace in namespaces for one in made_by(reached, namespace, by)]
        end(reached, found)
    return [name for _, name in found]


def made_by(reached: Reached, namespace: str, by: str) -> list[Object]:
    listed = reached.api.get(pods_in(namespace), labelSelector=f"{MADE_BY}={by}", limit="500")
    return [] if listed is None else list(listed["items"])

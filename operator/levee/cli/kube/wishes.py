"""`kubectl levee suspend | resume | restart`: what can be asked of a topology with one word.

Why: each is a field of the resource that kubectl patch could write, by a name that nobody remembers.
Called by: cli.kube.group.
"""

from typing import TYPE_CHECKING, Any

import click

from levee.cli.kube.place import Place, find, path_of, placed, reaching

if TYPE_CHECKING:
    from levee.worlds.kubernetes.api import Object


@click.command()
@click.argument("name")
@placed
def suspend(place: Place, name: str) -> None:
    """Bring the topology NAME to one last epoch and end its pods. Streams and state are kept."""
    wish(place, name, lambda _: {"suspend": True}, "suspended")


@click.command()
@click.argument("name")
@placed
def resume(place: Place, name: str) -> None:
    """Let the suspended topology NAME go on with the epoch after its last."""
    wish(place, name, lambda _: {"suspend": False}, "resumed")


@click.command()
@click.argument("name")
@placed
def restart(place: Place, name: str) -> None:
    """Start all pods of the topology NAME anew, at once; one that has failed is submitted again. Streams and state are kept."""
    wish(place, name, lambda spec: {"restartNonce": int(spec.get("restartNonce") or 0) + 1}, "restarted")


def wish(place: Place, name: str, changed: Any, done: str) -> None:
    """Of the resource as it was just read: who is overtaken hears of it."""
    with reaching(place) as reached:
        resource: Object = find(reached, name)
        body = {"metadata": {"resourceVersion": resource["metadata"]["resourceVersion"]}, "spec": changed(resource["spec"])}
        reached.api.patch(path_of(reached.namespace, name), body)
        click.echo(f"faulttoleranttopology.levee.dev/{name} {done}")

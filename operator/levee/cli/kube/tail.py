"""`kubectl levee tail`: the committed rows of a stream, as JSON lines.

Called by: cli.kube.group.
"""

import base64
import sys
from typing import TYPE_CHECKING

import click

from levee.cli.kube.place import Place, error, find, placed, reaching
from levee.plans.ending import Exit, Refused

if TYPE_CHECKING:
    from levee.cli.kube.reading import Question
    from levee.worlds.kubernetes.api import Object
    from levee.worlds.kubernetes.person import Reached

INSIDE = ("python3", "-m", "levee.cli.kube.inside")
ELSEWHERE = ("file://", "memory://")  # what is there is not here


@click.command()
@click.argument("name")
@click.argument("stream")
@click.option("--follow", "-f", is_flag=True, help="Go on with what comes.")
@click.option("--from", "begin", type=click.IntRange(min=1), metavar="EPOCH", help="Begin at this epoch, not at the end.")
@click.option(
    "--tail", "rows", type=click.IntRange(min=0), default=10, show_default=True, help="So many rows from the end, at least whole epochs."
)
@click.option("--dead", is_flag=True, help="The epochs that have no rows because they were skipped or failed, instead of rows.")
@placed
@click.pass_context
def tail(ctx: click.Context, place: Place, name: str, stream: str, *, follow: bool, begin: int | None, rows: int, dead: bool) -> None:
    """Print the committed rows of a STREAM of the topology NAME: of an operator or a source (vwap), or of one of its tasks (vwap/1).

    One JSON object for each row: its columns, and before them _epoch and _task. They are read by a worker, as kubectl exec would do it
    (that takes the right to pods/exec); where none runs, from here, with the Secret that the topology names.
    """
    with reaching(place) as reached:
        from levee.cli.kube.reading import Question

        resource, asked = find(reached, name), Question(stream, begin, rows, follow, dead)
        pod = a_worker(reached, resource)
        ctx.exit(in_a_pod(reached, pod, asked) if pod is not None else from_here(reached, resource, asked))


def a_worker(reached: "Reached", resource: "Object") -> str | None:
    """One that runs; the ready ones first."""
    from levee.cli.kube.looking import owner_of, pods_of

    able = [pod for pod in pods_of(reached, owner_of(resource)) if is_able(pod)]
    able.sort(key=lambda pod: (not is_ready(pod), pod["metadata"]["name"]))
    return str(able[0]["metadata"]["name"]) if able else None


def is_able(pod: "Object") -> bool:
    return pod.get("status", {}).get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]


def is_ready(pod: "Object") -> bool:
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions") or ())


def in_a_pod(reached: "Reached", pod: str, asked: "Question") -> int:
    from levee.worlds.kubernetes.command import run_in

    def out(told: bytes) -> None:
        sys.stdout.buffer.write(told)
        sys.stdout.buffer.flush()

    code = run_in(reached, pod, [*INSIDE, asked.text()], out, lambda told: click.echo(told, nl=False, err=True))
    return Exit.OK if code == Exit.OK else Exit.REFUSED


def from_here(reached: "Reached", resource: "Object", asked: "Question") -> int:
    from levee.cli.kube.looking import loaded
    from levee.cli.kube.reading import lines, told

    found = loaded(resource).resource
    store = str(resource["spec"].get("store", {}).get("uri", ""))
    if found is None or store.startswith(ELSEWHERE):
        raise error(f"no worker of {reached.namespace}/{resource['metadata']['name']} runs, and its store is not here; resume or mend it")
    try:
        for line in lines(found, resource["metadata"]["uid"], secret(reached, found.spec.store.secret), asked):
            click.echo(line)
    except Refused as refused:
        raise Refused(told(refused)) from None
    except ImportError as missing:
        package = str(missing.name).partition(".")[0]
        raise error(f"no worker runs, and to read the store from here {package} is missing; pip install 'levee[spark]'") from None
    return Exit.OK


def secret(reached: "Reached", name: str | None) -> dict[str, str]:
    """With the rights of whoever asks; it is handed on to the store's client, and shown to nobody."""
    if name is None:
        return {}
    found = reached.api.get(f"/api/v1/namespaces/{reached.namespace}/secrets/{name}")
    if found is None:
        raise error(f"no worker runs, and the Secret '{name}' that spec.store.secret names is not in namespace {reached.namespace}")
    return {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}

"""`kubectl levee profile`: the descriptor of a topology on a cluster as it is measured.

Why: on a cluster rows are counted where the store can be reached, in a worker's pod, and CPU time is asked for through the API server.
Called by: cli.kube.group.
"""

import json
import time
from typing import TYPE_CHECKING, Any

import click

from levee.cli.kube.place import Place, error, find, placed, reaching
from levee.cli.shared.flags import Parsed
from levee.plans import amounts
from levee.plans.ending import Exit, Refused

if TYPE_CHECKING:
    from levee.planning.measured.counts import Passed
    from levee.planning.measured.spending import Look
    from levee.topology.load import Loaded
    from levee.worlds.kubernetes.api import Object
    from levee.worlds.kubernetes.person import Reached

COUNTING = ("python3", "-m", "levee.cli.kube.counting")


@click.command()
@click.argument("name")
@click.option("--epochs", type=click.IntRange(min=1), default=600, show_default=True, help="Look back over so many epochs at most.")
@click.option(
    "--for", "for_s", type=Parsed("duration", amounts.seconds), default="60s", show_default=True, help="Count the CPU time of so long."
)
@click.option("--levels", type=click.IntRange(1, 8), metavar="N", help="So many rates of each source. Default: as few as cover them well.")
@click.option("--write", metavar="FILE", help="Write the values into this file of the topology; nothing else in it changes.")
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True, help="To paste, or for machines.")
@placed
def profile(place: Place, name: str, *, epochs: int, for_s: float, levels: int | None, write: str | None, output: str) -> None:
    """Measure the rates of the sources of the topology NAME, and selectivity and cost of every operator and input.

    Rows are counted by a worker, as kubectl exec would do it (that takes the right to pods/exec); CPU time is asked for through the API
    server (pods/proxy). Behind each value stands the interval that it lies in with 95 %.
    """
    from levee.cli.local.profiled import check_writable, told

    if write:
        check_writable(write)
    with reaching(place) as reached:
        found = measure(reached, find(reached, name), epochs, for_s, levels, write)
    told(found, output, write)


def measure(reached: "Reached", resource: "Object", epochs: int, for_s: float, levels: int | None, file: str | None) -> Any:
    from levee.cli.kube.looking import owner_of
    from levee.cli.local.profiled import Profiled, check_enough
    from levee.planning.measured.descriptor import measured
    from levee.planning.measured.spending import spending

    data, loaded = described(resource, file)
    rows = counted(reached, resource, epochs)
    check_enough(rows, owner_of(resource).key, epochs, runs=True)
    click.echo(f"{owner_of(resource).key}: counting CPU time for {for_s:g} s", err=True)
    spent = spending(looked(reached, resource, for_s))
    notes = () if spent else ("no worker could be asked for its CPU time (pods/proxy): cost stays as declared",)
    assert loaded.topology is not None
    assert loaded.resource is not None
    rows_max = loaded.resource.spec.epoch.max_rows
    return Profiled(data, loaded, measured(loaded.topology, rows, spent, rows_max=rows_max, exactly=levels), notes)


def described(resource: "Object", file: str | None) -> "tuple[bytes, Loaded]":
    """The file that is to be written, or what the cluster has."""
    from levee.cli.kube.looking import loaded, owner_of
    from levee.cli.local.profiled import in_own_name
    from levee.topology.drawing import drawn
    from levee.worlds.kubernetes import companions

    owner, there = owner_of(resource), loaded(resource)
    if there.topology is None:
        raise error(f"the resource of {owner.key} is not valid; see kubectl describe ftt {owner.name}")
    if file is None:
        return companions.text(owner, resource).encode(), there
    data, found = in_own_name(file)
    if found.short_name != owner.key or found.topology is None or drawn(found.topology) != drawn(there.topology):
        raise error(f"{file} describes {found.short_name}, or another graph, and not {owner.key} as the cluster has it; apply it first")
    return data, found


def counted(reached: "Reached", resource: "Object", epochs: int) -> "Passed":
    """By a worker, or else from here with the Secret that the topology names."""
    from levee.cli.kube.counted import parsed
    from levee.cli.kube.looking import loaded
    from levee.cli.kube.tail import ELSEWHERE, a_worker, secret
    from levee.worlds.kubernetes.command import run_in

    pod, out = a_worker(reached, resource), bytearray()
    if pod is not None:
        code = run_in(reached, pod, [*COUNTING, str(epochs)], out.extend, lambda told: click.echo(told, nl=False, err=True))
        if code != Exit.OK:
            raise Refused(f"kubectl levee profile: {pod} could not count the rows.")
        return parsed(json.loads(bytes(out)))
    found = loaded(resource).resource
    if found is None or found.spec.store.uri.startswith(ELSEWHERE):
        raise error(f"no worker of {reached.namespace}/{resource['metadata']['name']} runs, and its store is not here; resume or mend it")
    try:
        from levee.cli.kube.counting import counted as counted_here

        return counted_here(found, resource["metadata"]["uid"], secret(reached, found.spec.store.secret), epochs)
    except ImportError as missing:
        package = str(missing.name).partition(".")[0]
        raise error(f"no worker runs, and to read the store from here {package} is missing; pip install 'levee[spark]'") from None


def looked(reached: "Reached", resource: "Object", for_s: float) -> "list[dict[str, Look]]":
    """At all of its pods, again and again."""
    from levee.cli.kube.looking import owner_of, pods_of
    from levee.cli.kube.tail import is_able
    from levee.planning.measured.interval import BLOCKS
    from levee.worlds.kubernetes.api import Denied, Unreachable
    from levee.worlds.kubernetes.person import answers
    from levee.worlds.spending import looks

    pods = [str(pod["metadata"]["name"]) for pod in pods_of(reached, owner_of(resource)) if is_able(pod)]
    found = []
    for turn in range(BLOCKS + 1):
        time.sleep(for_s / BLOCKS if turn else 0)
        told = answers(reached, pods, "spent")
        found.append(looks({pod: None if isinstance(one, Unreachable | Denied) else one for pod, one in told.items()}))
    return found

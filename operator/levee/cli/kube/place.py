"""Which cluster and namespace a command is about, and what is said when it cannot be asked.

Why: a person's cluster is away, or says no, more often than it is broken: each such end is one line with what to do.
Called by: every command of `kubectl levee`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import click

from levee.plans.ending import Refused
from levee.topology.wording import close_to

if TYPE_CHECKING:  # the command must start fast
    from levee.worlds.kubernetes.api import Object
    from levee.worlds.kubernetes.person import Reached

FLAGS = ("namespace", "context", "kubeconfig")
API = "/apis/levee.dev/v1alpha1"
KIND = "faulttoleranttopologies"


@dataclass(frozen=True, slots=True)
class Place:
    namespace: str | None
    context: str | None
    kubeconfig: str | None


def place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("-n", "--namespace", metavar="NAMESPACE", help="Default: the context's.")(command)
    command = click.option("--context", metavar="NAME", help="Of the kubeconfig. Default: the current one.")(command)
    return click.option("--kubeconfig", metavar="FILE", help="Default: KUBECONFIG, or ~/.kube/config.")(command)


def placed(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command that gets its place first, from its own flags or from those before its name."""

    @place_options
    @click.pass_context
    @wraps(command)
    def call(ctx: click.Context, /, **words: Any) -> Any:
        before = ctx.parent.params if ctx.parent is not None else {}
        return command(Place(*(words.pop(flag) or before.get(flag) for flag in FLAGS)), **words)

    return call


def error(text: str) -> Refused:
    """One line, as kubectl has them."""
    return Refused(f"error: {text}" + ("" if text.endswith("?") else "."))


@contextmanager
def reaching(place: Place) -> Iterator["Reached"]:
    """The cluster, or one line that says why not and what to do."""
    try:
        from levee.worlds.kubernetes.person import NoConfig, reach
    except ImportError as missing:
        raise error(f"{missing.name} is not installed; pip install 'levee[operator]'") from None
    try:
        reached = reach(place.kubeconfig, place.context, place.namespace)
    except NoConfig as wrong:
        raise error(str(wrong)) from None
    try:
        with asking(reached):
            yield reached
    finally:
        reached.close()


@contextmanager
def asking(reached: "Reached") -> Iterator[None]:
    """What it does not answer, or refuses, as one line."""
    from levee.worlds.kubernetes.api import Conflict, Denied, Unreachable
    from levee.worlds.kubernetes.command import BrokenOff

    try:
        yield
    except Unreachable as wrong:
        raise error(f"the API server at {reached.server} does not answer: {cause(wrong)}; see kubectl cluster-info") from None
    except Conflict:
        raise error("somebody else has changed it meanwhile; try again") from None
    except BrokenOff as wrong:
        raise error(f"it could not be run in the worker's pod: {wrong}; try again") from None
    except Denied as wrong:
        raise error(refusal(wrong.status, wrong.message)) from None


def cause(wrong: BaseException) -> str:
    """The last of what wraps what: 'Connection refused'."""
    return str(wrong).strip().rpartition(": ")[2].rstrip(".)>'\"")[:200]


def refusal(status: int, message: str) -> str:
    match status:
        case HTTPStatus.UNAUTHORIZED:
            return "the API server does not know who you are; log in again, and see kubectl auth whoami"
        case HTTPStatus.FORBIDDEN:
            return f"{message.rstrip('.')}; ask for a role that allows it"
        case _:
            return f"the API server refuses ({status}): {message.rstrip('.')}"


def path_of(namespace: str, name: str = "") -> str:
    return f"{API}/namespaces/{namespace}/{KIND}" + (f"/{name}" if name else "")


def find(reached: "Reached", name: str) -> "Object":
    """The resource of that name; where there is none, the names that there are."""
    found = reached.api.get(path_of(reached.namespace, name))
    return found if found is not None else missing(reached, name, [one["metadata"]["name"] for one in listed(reached)])


def listed(reached: "Reached") -> "list[Object]":
    found = reached.api.get(path_of(reached.namespace))
    if found is None:
        raise error("this cluster has no FaultTolerantTopology; install Levee first (helm install levee)")
    return list(found["items"])


def missing(reached: "Reached", name: str, names: list[str]) -> Any:
    wrong = f"there is no topology '{name}' in namespace {reached.namespace}"
    if not names:
        raise error(f"{wrong}, nor any other; name its namespace by -n (kubectl get ftt --all-namespaces)")
    near = close_to(name, names)
    raise error(f"{wrong}; did you mean '{near}'?" if near else f"{wrong}; there is {', '.join(names[:12])}")

"""What is to fail in a simulation, as people name it: NAME, NAME@WHEN, NAME@WHEN+HOW-LONG.

Called by: cli.simulate_run.
"""

from collections.abc import Iterator, Mapping, Sequence

from levee.control.names import operator_of
from levee.control.wanted import Wanted
from levee.plans import amounts
from levee.plans.ending import Exit, Refused, use_instead
from levee.topology.complaint import Complaint
from levee.topology.names import NodeName, ZoneName
from levee.worlds.simulated.faults import Fault, Kind, worst

WHERE = "--fail"
WORST = "worst"
FIX = "write node-2@2m+16s: what fails, when, and for how long"


def faults_of(texts: Sequence[str], wanted: Wanted, seconds: float) -> tuple[Fault, ...]:
    """A task means all its replicas, an operator those of all its tasks, a zone its nodes; `worst` all replicas but the least active."""
    return tuple(fault for text in texts for fault in named(text, wanted, seconds))


def named(text: str, wanted: Wanted, seconds: float) -> Iterator[Fault]:
    name, at_ms, for_ms = parts(text)
    if at_ms >= 1_000 * seconds:
        raise refusal(text, f"it fails at {at_ms / 1_000:g} s, and the trace lasts {seconds:g} s", "let it fail earlier")
    if for_ms == 0:
        raise refusal(text, "it fails for no time at all, which is no failure", "say for how long, as in +16s; without + it fails for good")
    if name == WORST:
        yield from (Fault(one.kind, one.name, at_ms, for_ms) for one in worst(wanted))
        return
    found = things(wanted)
    if name not in found:
        raise refusal(text, f"nothing is called '{name}'", use_instead(name, [*found, WORST]))
    yield from (Fault(kind, thing, at_ms, for_ms) for kind, thing in found[name])


def parts(text: str) -> tuple[str, int, int | None]:
    """`+` may also follow the name: then it fails at the beginning."""
    rest, plus, length = text.strip().partition("+")
    name, at, when = rest.partition("@")
    return name.strip(), milliseconds(when, text) if at else 0, milliseconds(length, text) if plus else None


def milliseconds(text: str, whole: str) -> int:
    if text.strip() in {"0", "0s"}:
        return 0
    try:
        return round(1_000 * amounts.seconds(text.strip()))
    except ValueError:
        raise refusal(whole, f"'{text}' is not a time", FIX) from None


def things(wanted: Wanted) -> Mapping[str, tuple[tuple[Kind, str], ...]]:
    """By every name that something has; where two have the same one, the larger is meant."""
    found: dict[str, tuple[tuple[Kind, str], ...]] = {}
    for task, replicas in wanted.replicas.items():
        found |= {replica: ((Kind.REPLICA, replica),) for replica in replicas}
        found[task] = tuple((Kind.REPLICA, one) for one in replicas)
        found[operator_of(task)] = (*found.get(operator_of(task), ()), *found[task])
    nodes = list(wanted.capacities)
    zones = {node: wanted.zones.get(node, ZoneName(node)) for node in nodes}
    found |= {zone: tuple((Kind.NODE, node) for node in nodes if zones[node] == zone) for zone in zones.values()}
    return found | {NodeName(node): ((Kind.NODE, node),) for node in nodes}


def refusal(text: str, wrong: str, fix: str) -> Refused:
    return Refused("levee simulate: this cannot fail.", [Complaint(f"{WHERE} {text}", wrong, fix)], Exit.USAGE)

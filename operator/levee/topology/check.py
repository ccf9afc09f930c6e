"""Everything that must hold of a topology besides its shape, in the order in which users are told.

Why: one tuple to review; each rule is a pure function of the resource and yields complaints.
Called by: topology.load.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from levee.topology.checks import files, graph, names, placement, rates, spark_conf, wanted
from levee.topology.complaint import Complaint
from levee.topology.paths import Path, shown_path
from levee.topology.spec import Resource

Check = Callable[[Resource], Iterable[Complaint]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A check, and on what it depends: where such a field was made up for the sake of checking, the rule is silent."""

    check: Check
    needs: frozenset[str] = frozenset()  # fields, wherever one of them was made up
    beside: str = ""  # a field beside the place of the complaint
    about: str = ""  # the only field below the place of the complaint that matters; all of them when empty


_NAMES = frozenset({"name", "sources", "operators"})
_STREAMS = _NAMES | {"from", "inputs", "sinks"}
_TIMES = frozenset({"period", "hold", "deadline", "failureTimeout", "replicas", "uri", "store", "epoch", "faultTolerance"})

RULES: tuple[Rule, ...] = (
    Rule(names.labels),
    Rule(names.duplicates, _NAMES | {"sinks"}),
    Rule(names.duplicate_levels),
    Rule(names.duplicate_inputs, about="from"),
    Rule(names.unknown_references, _NAMES, about="from"),
    Rule(graph.cycles, frozenset({"name", "from"}), about="from"),
    Rule(graph.unreachable, _STREAMS - {"sinks"}, about="name"),
    Rule(graph.unused, _STREAMS, about="name"),
    Rule(graph.wiring, frozenset({"parallelism", "partitionBy", "name", "from"}), about="from"),
    Rule(wanted.source_of_rows, frozenset({"spark", "import"}), about="name"),
    Rule(wanted.imports_itself),
    Rule(files.options, frozenset({"spark", "options", "format"})),
    Rule(files.shared_paths, frozenset({"spark", "options", "format"})),
    Rule(spark_conf.settings),
    Rule(rates.rates_known, frozenset({"configurations"})),
    Rule(rates.probabilities),
    Rule(rates.equal_rates),
    Rule(rates.joint_sources, frozenset({"name", "sources"})),
    Rule(rates.joint_levels, frozenset({"name", "rate", "rates", "probability"})),
    Rule(rates.too_many, frozenset({"configurations"})),
    Rule(rates.shares, beside="parallelism"),
    Rule(wanted.one_target, frozenset({"target", "faultTolerance"})),
    Rule(wanted.target_of_strategy, frozenset({"strategy", "target", "faultTolerance"})),
    Rule(wanted.single, frozenset({"target", "faultTolerance"})),
    Rule(wanted.takes_over),
    Rule(wanted.standbys),
    Rule(wanted.price_of_completeness, frozenset({"target", "faultTolerance"})),
    Rule(wanted.room_for_reserve, frozenset({"target", "faultTolerance"})),
    Rule(wanted.deadlines, _TIMES),
    Rule(wanted.failure_timeout, _TIMES),
    Rule(wanted.retention, frozenset({"failureTimeout", "faultTolerance"})),
    Rule(wanted.leases, frozenset({"failureTimeout", "faultTolerance"})),
    Rule(wanted.backlog, frozenset({"period", "uri", "store", "epoch"})),
    Rule(placement.duplicate_nodes),
    Rule(placement.pinned_tasks, frozenset({"name", "operators", "parallelism"})),
    Rule(placement.pinned_nodes, frozenset({"nodes", "replicas"})),
)


def check(resource: Resource, made_up: frozenset[Path] = frozenset()) -> tuple[Complaint, ...]:
    """All complaints that do not depend on values which the user did not write."""
    ours = {next((step for step in reversed(path) if isinstance(step, str)), "") for path in made_up}
    shown = tuple(map(shown_path, made_up))
    spoken = ((rule, complaint) for rule in RULES if not rule.needs & ours for complaint in rule.check(resource))
    return tuple(complaint for rule, complaint in spoken if not any(_depends(rule, complaint.where, path) for path in shown))


def _depends(rule: Rule, where: str, made_up: str) -> bool:
    neighbour = f"{where.rpartition('.')[0]}.{rule.beside}"
    subject = f"{where}.{rule.about}" if rule.about else where
    return _related(subject, made_up) or made_up == neighbour


def _related(where: str, made_up: str) -> bool:
    """One of the two stands within the other."""
    short, long = sorted((where, made_up), key=len)
    return long == short or (long.startswith(short) and long[len(short)] in ".[")

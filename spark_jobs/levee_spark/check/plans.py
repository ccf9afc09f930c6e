"""What in a function's plan cannot be the same in two replicas, or may not be.

Why: a clock or a die in a plan is found for certain by looking, and only by luck by running; the plan names each expression by its class.
Called by: passing.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql import DataFrame

from levee_spark.check.finding import Finding, Weight
from levee_spark.check.lines import places_of

CLOCK = ("asks for the time, which is another one in each replica", "use the column _epoch_time, which all replicas share")
CHANCE = ("draws at random, and each replica draws something else", "derive it from the row: xxhash64 of a key")
PLACEMENT = ("numbers rows by where they happen to be computed", "number them by a key of theirs")
FORBIDDEN = {  # the class of an expression -> what users call it, what is wrong, what to do
    "CurrentTimestamp": ("current_timestamp", *CLOCK),
    "Now": ("now", *CLOCK),
    "LocalTimestamp": ("localtimestamp", *CLOCK),
    "CurrentDate": ("current_date", *CLOCK),
    "CurrentTime": ("current_time", *CLOCK),
    "UnixTimestamp": ("unix_timestamp", *CLOCK),
    "Rand": ("rand", *CHANCE),
    "Randn": ("randn", *CHANCE),
    "RandStr": ("randstr", *CHANCE),
    "Uniform": ("uniform", *CHANCE),
    "Uuid": ("uuid", *CHANCE),
    "Shuffle": ("shuffle", *CHANCE),
    "Sample": ("sample", *CHANCE),
    "MonotonicallyIncreasingID": ("monotonically_increasing_id", *PLACEMENT),
    "SparkPartitionID": ("spark_partition_id", *PLACEMENT),
    "InputFileName": ("input_file_name", *PLACEMENT),
}
WITH_AN_ARGUMENT = {"UnixTimestamp"}  # of a column they are harmless
ORDER_FIX = "sort within the group (array_sort), or take the smallest or largest"
BY_ORDER = {"First": "first", "Last": "last", "AnyValue": "any_value", "CollectList": "collect_list"}
SUMS = {"Sum": "sum", "Average": "avg"}
PROCESSING_TIME = {"processingtimetimeout", "processingtime"}

Node = dict[str, Any]


def findings_of(operator: str, function: Callable[..., Any], frame: DataFrame) -> Iterator[Finding]:
    plan = frame._jdf.queryExecution().analyzed()  # noqa: SLF001  # there is no other way to a plan
    nodes = list(nodes_in(json.loads(plan.toJSON())))
    named = {class_of(node): node for node in nodes}
    for name, (called, wrong, fix) in FORBIDDEN.items():
        if name in named and not (name in WITH_AN_ARGUMENT and reads_columns(named[name], nodes)):
            yield Finding(operator, Weight.DIFFERS, f"{called} {wrong}", fix, place(function, called))
    if any(is_processing_time(node) for node in nodes):
        wrong = "its state runs out by the time of the machine, which is another one in each replica"
        yield Finding(
            operator, Weight.DIFFERS, wrong, "use timeouts in event time, with a watermark on _epoch_time", place(function, *STATEFUL)
        )
    for name in BY_ORDER.keys() & named.keys():
        wrong = f"{BY_ORDER[name]} depends on the order of rows, which nothing promises"
        yield Finding(operator, Weight.WARNING, wrong, ORDER_FIX, place(function, BY_ORDER[name]))
    for name in float_sums(nodes):
        wrong = f"{name} of floating-point numbers depends on the order of rows in its last digits"
        yield Finding(operator, Weight.WARNING, wrong, "sum integers or decimals, or round what comes of it", place(function, name))


STATEFUL = ("applyInPandasWithState", "transformWithState", "transformWithStateInPandas")


def place(function: Callable[..., Any], *names: str) -> str:
    return next(iter(places_of(function, frozenset(names))), "")


def nodes_in(value: Any) -> Iterator[Node]:
    """Plans and expressions: Spark writes a tree as the list of its nodes, and has trees in the fields of nodes."""
    if isinstance(value, list):
        for one in value:
            yield from nodes_in(one)
    elif isinstance(value, dict):
        if "class" in value:
            yield value
        for one in value.values():
            yield from nodes_in(one)


def class_of(node: Node) -> str:
    return str(node["class"]).rpartition(".")[2]


def reads_columns(node: Node, nodes: list[Node]) -> bool:
    """Whether what follows it, its arguments, is something other than the clock."""
    at = next(index for index, one in enumerate(nodes) if one is node)
    return at + 1 < len(nodes) and class_of(nodes[at + 1]) not in {"CurrentTimestamp", "Now"}


def is_processing_time(node: Node) -> bool:
    return any(str(of).rpartition(".")[2].lower().rstrip("$") in PROCESSING_TIME for of in texts_in(node))


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts_in(one)


def float_sums(nodes: list[Node]) -> tuple[str, ...]:
    """Its argument follows it."""
    found = {
        SUMS[class_of(node)]
        for node, argument in itertools.pairwise(nodes)
        if class_of(node) in SUMS and argument.get("dataType") in {"double", "float"}
    }
    return tuple(sorted(found))

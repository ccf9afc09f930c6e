"""Each kind of mistake, and the exact words that the user reads about it."""

import math
from typing import Any

import pytest
import yaml

from levee.topology.load import load
from levee.topology.wording import complaint_text
from tests.topology.shop import Change, Tree, changed, drop, put, said_after, text


def add(kind: str, item: Any) -> Change:
    return lambda spec: spec[kind].append(item)


def source(name: str, rates: int = 1) -> Tree:
    levels = [{"rate": rate + 1, "probability": 1 / rates} for rate in range(rates)]
    return {"name": name, "spark": {"format": "rate"}, "configurations": levels}


def reading(*origins: str) -> list[Tree]:
    return [{"from": origin, "cost": "1us"} for origin in origins]


def node(*names: str) -> list[Tree]:
    return [{"name": name} for name in names]


def rated(rate: Any) -> Change:
    return put("sources.0.configurations.1.rate", rate)


def costing(cost: Any) -> Change:
    return put("operators.0.inputs.0.cost", cost)


def joint(*lines: tuple[float, Tree]) -> Change:
    return put("configurations", [{"probability": probability, "rates": rates} for probability, rates in lines])


RATE, COST = "spec.sources[0].configurations[1].rate", "spec.operators[0].inputs[0].cost"
MISSPELLED = "use 'orders', or add an operator that emits 'ordres'"
NAMES = "only lower-case letters, digits and '-' may stand in it, and a letter comes first"
DURATION = "write a number and a unit (ns, us, ms, s, m, h), such as 12us, 250ms or 1.5s"
FAILOVER = "2 replicas x 100ms hold + 250ms period"

ONE_MISTAKE: list[tuple[str, list[Change], str]] = [
    (
        "a cycle is shown as the cycle",
        [
            put("operators.0.inputs", reading("web", "totals")),
            put("operators.0.parallelism", 1),
            put("operators.1.inputs.0.partitionBy", ["user"]),
        ],
        text(
            "spec.operators[0].inputs[1]",
            "streams run in a circle: orders -> joined -> totals -> orders",
            "remove one of these inputs, such as 'totals' of 'orders'",
        ),
    ),
    (
        "an operator that reads itself",
        [put("operators.2.inputs", reading("joined", "totals"))],
        text("spec.operators[2].inputs[1]", "'totals' reads its own output", "remove this input: an operator keeps its state without it"),
    ),
    (
        "probabilities that do not add up",
        [put("sources.0.configurations.1.probability", 0.3)],
        text(
            "spec.sources[0].configurations", "the probabilities add up to 1.1, not to 1", "make them add up to 1, such as 0.2 for the last"
        ),
    ),
    (
        "probabilities where the last cannot mend it",
        [put("sources.0.configurations.0.probability", 1), put("sources.0.configurations.1.probability", 0.3)],
        text("spec.sources[0].configurations", "the probabilities add up to 1.3, not to 1", "lower them so that they add up to 1"),
    ),
    (
        "a probability above 1",
        [put("sources.0.configurations.0.probability", 1.3)],
        text("spec.sources[0].configurations[0].probability", "is 1.3, but must be at most 1", "write at most 1"),
    ),
    (
        "a negative rate",
        [rated(-800)],
        text(RATE, "is -800, but must be more than 0", "write more than 0"),
    ),
    (
        "a rate of zero",
        [rated(0)],
        text(RATE, "is 0, but must be more than 0", "write more than 0"),
    ),
    (
        "a rate that is no number",
        [rated(math.nan)],
        text(RATE, "is nan, which is not a finite number", "write a number"),
    ),
    (
        "an endless rate",
        [rated(math.inf)],
        text(RATE, "is inf, which is not a finite number", "write a number"),
    ),
    (
        "a rate in words",
        [rated("many")],
        text(RATE, "is the text 'many', but must be a number", "write a number, without quotes"),
    ),
    (
        "a rate of more digits than anybody means",
        [rated("9" * 5000)],
        text(RATE, f"is {'9' * 57}..., a number of 5000 characters, which is beyond all use", "write a shorter number"),
    ),
    (
        "a cost of zero",
        [costing("0us")],
        text(COST, "is 0us, but must be more than 0", "write a duration such as 250ms"),
    ),
    (
        "a negative cost",
        [costing("-3us")],
        text(COST, "'-3us' is not a duration", DURATION),
    ),
    (
        "a unit that does not parse",
        [costing("12 parsecs")],
        text(COST, "'12 parsecs' is not a duration", DURATION),
    ),
    (
        "a missing unit",
        [costing(12)],
        text(COST, "12 is not a duration", "say the unit, such as 12ms or 12s"),
    ),
    (
        "cores that do not parse",
        [put("placement.capacity", "two")],
        text(
            "spec.placement.capacity",
            "'two' is not a number of CPU cores",
            'write cores, such as "2", or thousandths of a core, such as "500m"',
        ),
    ),
    (
        "no cores at all",
        [put("placement.capacity", 0)],
        text("spec.placement.capacity", "is 0, but must be more than 0", "write a number of cores such as 2 or 500m"),
    ),
    (
        "a negative selectivity",
        [put("operators.0.inputs.0.selectivity", -1)],
        text("spec.operators[0].inputs[0].selectivity", "is -1, but must be more than 0", "write more than 0"),
    ),
    (
        "a misspelled reference",
        [put("operators.1.inputs.0.from", "ordres")],
        text("spec.operators[1].inputs[0]", "reads stream 'ordres', which nothing emits", MISSPELLED),
    ),
    (
        "a reference to nothing known",
        [put("operators.1.inputs.0.from", "xyzzy")],
        text(
            "spec.operators[1].inputs[0]",
            "reads stream 'xyzzy', which nothing emits",
            "use web, app, orders or totals, or add an operator that emits 'xyzzy'",
        ),
    ),
    (
        "a misspelled reference of a sink",
        [put("sinks.0.from", "total")],
        text("spec.sinks[0]", "reads stream 'total', which nothing emits", "use 'totals', or add an operator that emits 'total'"),
    ),
    (
        "reading a sink",
        [add("operators", {"name": "late", "function": "a:b", "inputs": reading("report")}), put("sinks.0.from", "totals")],
        text("spec.operators[3].inputs[0]", "reads 'report', which is a sink and emits nothing", "read what 'report' reads"),
    ),
    (
        "reading one stream twice",
        [put("operators.0.inputs", reading("web", "web"))],
        text("spec.operators[0].inputs[1]", "reads 'web', which inputs[0] reads already", "read each stream once"),
    ),
    (
        "work that reaches no sink",
        [add("operators", {"name": "lost", "function": "a:b", "inputs": reading("app")})],
        text("spec.operators[3]", "what 'lost' emits reaches no sink", "add a sink with from: lost, or remove 'lost'"),
    ),
    (
        "a source that nobody reads",
        [add("sources", source("spare"))],
        text("spec.sources[2]", "what 'spare' emits reaches no sink", "add a sink with from: spare, or remove 'spare'"),
    ),
    ("no sink", [put("sinks", [])], text("spec.sinks", "is empty", "add at least one: where streams are delivered")),
    ("sinks left out", [drop("sinks")], text("spec.sinks", "is missing", "add sinks: where streams are delivered")),
    ("no source", [put("sources", [])], text("spec.sources", "is empty", "add at least one: where rows come from")),
    ("no operator", [drop("operators")], text("spec.operators", "is missing", "add operators: what is computed from the streams")),
    (
        "no store",
        [drop("store")],
        text("spec.store", "is missing", "add store: where streams, checkpoints and the control log are kept; cannot be changed"),
    ),
    (
        "a name twice",
        [add("sinks", {"name": "orders", "from": "orders", "spark": {"format": "parquet", "options": {"path": "/more"}}})],
        text(
            "spec.sinks[1].name",
            "'orders' is already the name of spec.operators[0]",
            "give each source, operator and sink a name of its own",
        ),
    ),
    (
        "a file sink without a path",
        [put("sinks.0.spark.format", "parquet")],
        text(
            "spec.sinks[0].spark.options",
            "name no path for parquet files",
            "name a folder or a bucket: options: {path: s3://bucket/folder}",
        ),
    ),
    (
        "an option that no file sink knows",
        [put("sinks.0.spark", {"format": "csv", "options": {"path": "/report", "headr": "true"}})],
        text("spec.sinks[0].spark.options", "csv files know no option 'headr'", "use 'header'"),
    ),
    (
        "a value that an option of a file sink cannot have",
        [put("sinks.0.spark", {"format": "parquet", "options": {"path": "/report", "compression": "lzo"}})],
        text("spec.sinks[0].spark.options.compression", "'lzo' is none of its values", "use snappy, zstd, gzip or none"),
    ),
    (
        "two sinks in one folder, however it is written",
        [
            put("sinks.0.spark", {"format": "csv", "options": {"path": "/report"}}),
            add("sinks", {"name": "more", "from": "orders", "spark": {"format": "json", "options": {"path": "file:///report/"}}}),
        ],
        text(
            "spec.sinks[1].spark.options.path",
            "'file:///report/' is where 'report' writes already, and a folder belongs to one sink",
            "name a folder of its own",
        ),
    ),
    (
        "a name that is no DNS label",
        [put("operators.2.name", "DailyTotals_2"), put("sinks.0.from", "DailyTotals_2")],
        text("spec.operators[2].name", f"'DailyTotals_2' is not a name: {NAMES}", "use 'daily-totals-2'"),
    ),
    (
        "a name too long",
        [put("operators.2.name", "t" * 64), put("sinks.0.from", "t" * 64)],
        text("spec.operators[2].name", f"'{'t' * 57}...' has 64 characters, but a name has at most 63", "shorten it"),
    ),
    (
        "a number instead of text",
        [put("sources.0.spark.format", 5)],
        text("spec.sources[0].spark.format", "5 is a number, but must be text", "quote it: '5'"),
    ),
    (
        "a boolean as a name",
        [put("operators.2.name", True), put("sinks.0.from", "true")],
        text("spec.operators[2].name", "true is read as a boolean, not as text", "quote it: 'true'"),
    ),
    (
        "parallelism that fits no partitioning",
        [put("operators.0.parallelism", 6), put("operators.1.parallelism", 4)],
        text(
            "spec.operators[1].inputs[0]",
            "4 tasks cannot be wired to the 6 tasks of 'orders': without partitionBy one number must be a multiple of the other",
            "add partitionBy with the key's columns, or set parallelism of 'joined' to 1, 2, 3, 6 or 12",
        ),
    ),
    (
        "a parallelism of zero",
        [put("operators.2.parallelism", 0)],
        text("spec.operators[2].parallelism", "is 0, but must be at least 1", "write at least 1"),
    ),
    (
        "half a task",
        [put("operators.2.parallelism", 1.5)],
        text("spec.operators[2].parallelism", "is 1.5, but must be a whole number", "write a whole number, without quotes"),
    ),
    (
        "too few shares",
        [put("operators.0.shares", [1])],
        text("spec.operators[0].shares", "has 1 share for 2 tasks", "give one share per task, or leave them out for equal ones"),
    ),
    (
        "shares that do not add up",
        [put("operators.0.shares", [0.5, 0.3])],
        text("spec.operators[0].shares", "the shares add up to 0.8, not to 1", "make them add up to 1, such as 0.5 for the last"),
    ),
    (
        "a source with spark and import",
        [put("sources.0.import", {"topology": "other", "stream": "s"})],
        text("spec.sources[0]", "'web' has both spark and import", "keep one of them"),
    ),
    (
        "a source with neither",
        [drop("sources.0.spark")],
        text(
            "spec.sources[0]",
            "'web' does not say what it reads",
            "add spark: {format: kafka, options: {...}}, or import: {topology: ..., stream: ...}",
        ),
    ),
    (
        "an import from oneself",
        [drop("sources.0.spark"), put("sources.0.import", {"topology": "clicks", "stream": "orders"})],
        text("spec.sources[0].import.topology", "'clicks' is this topology itself", "let the operators read 'orders' directly"),
    ),
    (
        "a source without rates",
        [drop("sources.0.configurations")],
        text("spec.sources[0].configurations", "says nothing about the rates of 'web'", "add the rows per second to expect: [{rate: 400}]"),
    ),
    (
        "one rate twice",
        [rated(400)],
        text(
            RATE,
            "400 is already the rate of configurations[0]",
            "join the two and add up their probabilities",
        ),
    ),
    (
        "one configuration's name twice",
        [put("sources.0.configurations.1.name", "low")],
        text(
            "spec.sources[0].configurations[1].name",
            "'low' is already the name of spec.sources[0].configurations[0]",
            "give each configuration a name of its own",
        ),
    ),
    (
        "a joint table that does not add up",
        [joint((0.8, {"web": 400, "app": 20}), (0.1, {"web": 800, "app": 20}))],
        text("spec.configurations", "the probabilities add up to 0.9, not to 1", "make them add up to 1, such as 0.2 for the last"),
    ),
    (
        "a joint table without one of the sources",
        [joint((0.8, {"web": 400, "app": 20}), (0.2, {"web": 800}))],
        text("spec.configurations[1].rates", "says nothing about 'app'", "give a rate for every source"),
    ),
    (
        "a joint table with a source that is none",
        [joint((0.8, {"web": 400, "app": 20}), (0.2, {"web": 800, "app": 20, "apps": 1}))],
        text("spec.configurations[1].rates.apps", "there is no source 'apps'", "use 'app'"),
    ),
    (
        "a joint table with a rate that its source does not have",
        [joint((0.8, {"web": 400, "app": 20}), (0.2, {"web": 900, "app": 20}))],
        text("spec.configurations[1].rates.web", "900 is not a rate of 'web'", "use 400 or 800, or leave out the configurations of 'web'"),
    ),
    (
        "a joint rate below zero",
        [joint((0.8, {"web": 400, "app": 20}), (0.2, {"web": 800, "app": -20}))],
        text("spec.configurations[1].rates.app", "is -20, but must be more than 0", "write more than 0"),
    ),
    (
        "too many configurations",
        [
            put("sources", [source(name, 16) for name in ("web", "app", "tv", "radio")]),
            put("operators.0.inputs", reading("web", "app", "tv", "radio")),
        ],
        text(
            "spec.sources",
            "the rates of the sources combine to 65536 configurations, but no more than 4096 can be planned for",
            "declare fewer rates, or list the combinations that matter in spec.configurations",
        ),
    ),
    (
        "no target",
        [put("faultTolerance.target", {})],
        text(
            "spec.faultTolerance.target",
            "is missing, but the strategy 'completeness' needs to know how much to promise",
            "add target: {completeness: 0.7}",
        ),
    ),
    (
        "two targets",
        [put("faultTolerance.target.budget", 3)],
        text("spec.faultTolerance.target", "has completeness and budget, but a plan has one target", "keep one of them"),
    ),
    (
        "a target of another strategy",
        [put("faultTolerance.target", {"fidelity": 0.9})],
        text(
            "spec.faultTolerance.target",
            "asks for fidelity, but the strategy is 'completeness'",
            "use strategy: fidelity, or a target of completeness",
        ),
    ),
    (
        "a reserve without completeness",
        [put("faultTolerance", {"strategy": "fidelity", "target": {"fidelity": 0.9, "reserve": 0.1}})],
        text(
            "spec.faultTolerance.target.reserve",
            "is set aside from completeness, but completeness is not the target",
            "add completeness, or remove the reserve",
        ),
    ),
    (
        "replicas that differ, and a fidelity",
        [
            put("operators.1.repeatable", False),
            put("faultTolerance", {"strategy": "fidelity", "target": {"fidelity": 0.9}}),
        ],
        text(
            "spec.operators[1].repeatable",
            "replicas of 'joined' differ, and a plan for a fidelity or a budget does not know that",
            "ask for a completeness, or compute it from the rows alone",
        ),
    ),
    (
        "replicas that differ, and may not",
        [put("operators.1.repeatable", False), put("operators.1.onDivergence", "fail")],
        text(
            "spec.operators[1].onDivergence",
            "'joined' is not repeatable, so the first replica that takes over would diverge, and end its stream",
            "write resync, which marks the break, or leave it out",
        ),
    ),
    (
        "a setting of Spark that is Levee's own",
        [put("sparkConf", {"spark.scheduler.mode": "FIFO", "spark.jars": "/jars/mine.jar", "spark.hadoop.fs.s3a.endpoint": "http://here"})],
        text("spec.sparkConf", "'spark.scheduler.mode' is Levee's own to set", "leave it out"),
    ),
    (
        "settings of Spark that have another place",
        [put("sparkConf", {"spark.kubernetes.namespace": "mine"})],
        text(
            "spec.sparkConf",
            "'spark.kubernetes.namespace' is Levee's own to set",
            "write what is to be otherwise in pods under spec.podTemplate",
        ),
    ),
    (
        "a setting that is none of Spark's",
        [put("sparkConf", {"jars": "/jars/mine.jar"})],
        text("spec.sparkConf", "'jars' is no setting of Spark", "begin it with 'spark.', Hadoop's with 'spark.hadoop.'"),
    ),
    (
        "standbys that are to be removed",
        [put("faultTolerance.standby", "removed")],
        text(
            "spec.faultTolerance.standby",
            "cannot be yet: replicas that are not active stay as idle workers, so that they take over at once",
            "write idle, or leave it out; replicas: 1 starts none besides",
        ),
    ),
    (
        "a reserve beside a price",
        [put("faultTolerance.target", {"completeness": 0.7, "penalty": "20h", "reserve": 0.1})],
        text(
            "spec.faultTolerance.target.reserve",
            "asks for more than completeness, and a penalty for less",
            "remove the reserve or the penalty",
        ),
    ),
    (
        "a reserve that leaves too little",
        [put("faultTolerance.target", {"completeness": 0.9, "reserve": 0.15})],
        text("spec.faultTolerance.target.reserve", "0.15 leaves no plan that could reach completeness 0.9", "use 0.1 or less"),
    ),
    (
        "a price without completeness",
        [put("faultTolerance", {"strategy": "fidelity", "target": {"fidelity": 0.9, "penalty": "20h"}})],
        text(
            "spec.faultTolerance.target.penalty",
            "is the price of missing completeness, but completeness is not the target",
            "add completeness, or remove the penalty",
        ),
    ),
    (
        "a target beyond reach",
        [put("faultTolerance.target.completeness", 70)],
        text("spec.faultTolerance.target.completeness", "is 70, but must be at most 1", "write at most 1"),
    ),
    (
        "a negative budget",
        [put("faultTolerance.target", {"budget": -1})],
        text("spec.faultTolerance.target.budget", "is -1, but must be at least 0", "write at least 0"),
    ),
    (
        "no replica",
        [put("faultTolerance.replicas", 0)],
        text("spec.faultTolerance.replicas", "is 0, but must be at least 1", "write at least 1"),
    ),
    (
        "a window of nothing",
        [put("faultTolerance.window", "0s")],
        text("spec.faultTolerance.window", "is 0s, but must be more than 0", "write a duration such as 250ms"),
    ),
    (
        "a deadline shorter than a failover",
        [put("operators.0.deadline", "450ms")],
        text("spec.operators[0].deadline", f"is 450ms, but {FAILOVER} take 450ms", "write more than 450ms, or lower hold or period"),
    ),
    (
        "a deadline longer than the failure timeout",
        [put("sources.0.deadline", "6s")],
        text(
            "spec.sources[0].deadline",
            "is 6s, but after failureTimeout, 5s, the task already counts as failed",
            "write less than 5s, or raise failureTimeout",
        ),
    ),
    (
        "a failure timeout that leaves no room for the deadline",
        [put("faultTolerance.failureTimeout", "800ms")],
        text(
            "spec.faultTolerance.failureTimeout",
            f"is 800ms, but must be more than the deadline, 900ms: twice what {FAILOVER} take",
            "write more than 900ms, or lower hold or period",
        ),
    ),
    (
        "epochs that are gone before the failure is noticed",
        [put("epoch", {"retention": "5s"})],
        text("spec.epoch.retention", "is 5s, but a failed task is noticed only after failureTimeout, 5s", "write more than 5s"),
    ),
    (
        "a backlog of less than an epoch",
        [put("epoch", {"backlog": "100ms"})],
        text("spec.epoch.backlog", "is 100ms, less than one epoch of 250ms", "write at least the time of one epoch"),
    ),
    (
        "a node twice",
        [put("placement.nodes", node("node-1", "node-1"))],
        text("spec.placement.nodes[1].name", "'node-1' is already the name of nodes[0]", "name each node once"),
    ),
    (
        "a pin on a node that is not there",
        [put("placement", {"nodes": node("node-1", "node-2"), "assignment": {"orders": ["node-1", "nod-2"]}})],
        text("spec.placement.assignment['orders'][1]", "there is no node 'nod-2'", "use 'node-2'"),
    ),
    (
        "a pin of an operator that is not there",
        [put("placement.assignment", {"ordrs": ["node-1", "node-2"]})],
        text("spec.placement.assignment['ordrs']", "there is no operator or task 'ordrs'", "use 'orders'"),
    ),
    (
        "a pin of a task that is not there",
        [put("placement.assignment", {"orders/2": ["node-1", "node-2"]})],
        text("spec.placement.assignment['orders/2']", "'orders' has no such task; it has 2 tasks", "use 'orders/0' to 'orders/1'"),
    ),
    (
        "a pin for too few replicas",
        [put("placement.assignment", {"orders": ["node-1"]})],
        text("spec.placement.assignment['orders']", "names 1 node for 2 replicas", "name 2: the node of each replica, in order"),
    ),
    (
        "two replicas on one node",
        [put("placement", {"nodes": node("node-1", "node-2"), "assignment": {"orders": ["node-1", "node-1"]}})],
        text(
            "spec.placement.assignment['orders']",
            "puts more than one replica on 'node-1', so that they would fail together",
            "name another node for each replica",
        ),
    ),
    (
        "a misspelled field",
        [put("operators.0.paralelism", 2)],
        text("spec.operators[0].paralelism", "is not a known field", "use 'parallelism'"),
    ),
    (
        "a field in another case",
        [put("operators.0.on_error", "fail")],
        text("spec.operators[0].on_error", "is not a known field", "use 'onError'"),
    ),
    (
        "a field that is none",
        [put("sinks.0.colour", "red")],
        text("spec.sinks[0].colour", "is not a known field", "remove it; known here: name, from and spark"),
    ),
    (
        "a missing field",
        [drop("operators.0.function")],
        text(
            "spec.operators[0].function", "is missing", "add function: the Python function that computes the operator, as module:function"
        ),
    ),
    (
        "a function that is a file",
        [put("operators.0.function", "orders.py")],
        text("spec.operators[0].function", "'orders.py' is not allowed here", "write something like shop.clicks:count"),
    ),
    (
        "a store without a scheme",
        [put("store.uri", "/var/levee")],
        text("spec.store.uri", "'/var/levee' is not allowed here", "write something like s3://bucket/prefix"),
    ),
    (
        "a misspelled choice",
        [put("operators.0.late", "skp")],
        text("spec.operators[0].late", "'skp' is not one of wait, skip, tentative or predict", "use 'skip'"),
    ),
    (
        "a choice that is none",
        [put("operators.0.late", "never")],
        text("spec.operators[0].late", "'never' is not one of wait, skip, tentative or predict", "use wait, skip, tentative or predict"),
    ),
    (
        "an option that is a number",
        [put("sources.0.spark.options", {"rowsPerSecond": 10})],
        text("spec.sources[0].spark.options.rowsPerSecond", "10 is a number, but must be text", "quote it: '10'"),
    ),
    (
        "one column instead of a list",
        [put("operators.1.inputs.1.partitionBy", "user")],
        text(
            "spec.operators[1].inputs[1].partitionBy",
            "is the text 'user', but must be a list",
            "write a list: items that begin with '- ', or [...]",
        ),
    ),
    (
        "an operator in one word",
        [add("operators", "hello")],
        text("spec.operators[3]", "is the text 'hello', but must be a mapping", "write a mapping with name, function and inputs"),
    ),
    (
        "a text too long",
        [put("image", "i" * 1025)],
        text("spec.image", "has more than 1024 characters", "keep it to 1024"),
    ),
    (
        "too many tasks to name a share for",
        [put("operators.2.shares", [0.001] * 1025)],
        text("spec.operators[2].shares", "has more than 1024 items", "keep it to 1024"),
    ),
    (
        "a switch in quotes",
        [put("suspend", "true")],
        text("spec.suspend", "is the text 'true', but must be true or false", "write true or false, without quotes"),
    ),
]


@pytest.mark.parametrize(("changes", "expected"), [case[1:] for case in ONE_MISTAKE], ids=[case[0] for case in ONE_MISTAKE])
def test_one_mistake_is_told_in_these_words_and_nothing_else_is(changes: list[Change], expected: str) -> None:
    assert said_after(*changes) == [expected]


def test_operators_that_only_a_cycle_feeds_are_unreachable() -> None:
    late: Tree = {"name": "late", "function": "a:b", "inputs": reading("totals")}
    changes: list[Change] = [
        put("operators.0.inputs", reading("totals")),
        put("operators.1.inputs", reading("orders")),
        add("operators", late),
    ]
    changes += [add("sinks", {"name": "more", "from": "late", "spark": {"format": "parquet", "options": {"path": "/more"}}})]
    wrong = text("spec.operators[3]", "'late' gets no rows: no source reaches it", "let it read a source, or what comes from one")
    assert wrong in said_after(*changes)


def test_all_mistakes_of_shape_and_meaning_are_told_at_once() -> None:
    changes = [
        put("sources.0.configurations.1.probability", 0.3),
        costing("12 parsecs"),
        put("operators.0.colour", "red"),
        put("operators.1.inputs.0.from", "ordres"),
        put("operators.1.inputs.0.cost", "dear"),
        add("sinks", "hello"),
    ]
    assert [complaint.split(": ")[0].strip() for complaint in said_after(*changes)] == [
        COST,
        "spec.operators[0].colour",
        "spec.operators[1].inputs[0].cost",
        "spec.sinks[1]",
        "spec.operators[1].inputs[0]",
        "spec.sources[0].configurations",
    ]


@pytest.mark.parametrize(
    ("changes", "not_said"),
    [
        ([put("operators.0.paralelism", 3)], "cannot be wired"),  # the parallelism that was meant is not known
        ([drop("operators.0.name")], "which nothing emits"),  # the operator that is read may be the one without a name
        ([put("operators.0.parallelism", 0), put("operators.0.shares", [0.5, 0.5])], "shares for"),
        ([put("sources.0.configurations.1.probability", -1)], "add up"),
        ([put("faultTolerance.failureTimeout", "soon"), put("operators.0.deadline", "20s")], "already counts"),
        ([put("faultTolerance.target.completeness", 7)], "is missing, but"),
    ],
)
def test_nothing_is_said_that_follows_from_another_mistake(changes: list[Change], not_said: str) -> None:
    complaints = said_after(*changes)
    assert complaints
    assert not [complaint for complaint in complaints if not_said in complaint]


SOUND: list[list[Change]] = [
    [put("placement", {"nodes": node("node-1"), "assignment": {"orders": ["node-1", "node-1"]}})],  # the only node there is
    [put("faultTolerance", {"strategy": "static"})],
    [put("faultTolerance", {"strategy": "none"})],
    [put("faultTolerance", {"strategy": "greedy"})],
    [put("faultTolerance", {"strategy": "greedy", "target": {"budget": 3}})],
    [put("faultTolerance.target", {"completeness": 0.7, "penalty": "20h"})],
    [put("faultTolerance.target", {"completeness": 0.7, "reserve": 0.3})],
    [put("epoch", None)],  # a field without a value counts as left out
    [put("sources.0.configurations.0.probability", 0.8000001)],
    [drop("sources.0.spark"), put("sources.0.import", {"topology": "other", "stream": "web"})],
    [drop("sources.0.configurations"), drop("sources.1.configurations"), joint((1, {"web": 400, "app": 20}))],
]


@pytest.mark.parametrize("changes", SOUND)
def test_what_is_unusual_but_sound_is_accepted(changes: list[Change]) -> None:
    assert said_after(*changes) == []


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (
            "apiVersion",
            "levee.dev/v1",
            text("apiVersion", "is 'levee.dev/v1', but only levee.dev/v1alpha1 is understood here", "write apiVersion: levee.dev/v1alpha1"),
        ),
        (
            "apiVersion",
            None,
            text("apiVersion", "is missing, but only levee.dev/v1alpha1 is understood here", "write apiVersion: levee.dev/v1alpha1"),
        ),
        (
            "kind",
            "Deployment",
            text("kind", "is 'Deployment', but only FaultTolerantTopology is understood here", "write kind: FaultTolerantTopology"),
        ),
        ("kind", 3, text("kind", "is a number, but only FaultTolerantTopology is understood here", "write kind: FaultTolerantTopology")),
        ("metadata", {}, text("metadata.name", "is missing", "add name: name of the topology")),
        ("metadata", {"name": "Clicks"}, text("metadata.name", f"'Clicks' is not a name: {NAMES}", "use 'clicks'")),
        (
            "metadata",
            {"name": "clicks", "namespace": "my shop"},
            text("metadata.namespace", f"'my shop' is not a name: {NAMES}", "use 'my-shop'"),
        ),
        ("specs", {}, text("specs", "is not a known field", "use 'spec'")),
        ("spec", None, text("spec", "is missing", "add spec: what is wanted")),
    ],
)
def test_what_a_document_says_about_itself_is_checked(key: str, value: Any, expected: str) -> None:
    (one,) = load(yaml.safe_dump(changed() | {key: value}), origin="clicks.yaml")
    assert [complaint_text(complaint) for complaint in one.complaints] == [expected]

"""A planning problem as a topology that runs: its YAML, and the module of its elements.

Called by: live.
"""

from pathlib import Path

from benchmarks.laar.live_case import HIGH_NAME, LOW_NAME, PERIOD_MS, Case
from levee.control.names import operator_of
from levee.planning.problem import Edge, Problem, Task
from levee.topology.names import TaskId

MODULE = "elements"
HEAD = """\
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: laar}}
spec:
  store: {{uri: "{store}"}}
  epoch: {{period: {period_ms}ms}}
  sources:
  - name: {source}
    spark:
      format: replay
      options: {{generator: "benchmarks.laar.burning:readings", low: "{low}", high: "{high}", epochsOfEach: "{each}"}}
    configurations:
    - {{name: {low_name}, rate: {low}, probability: {low_part}}}
    - {{name: {high_name}, rate: {high}, probability: {high_part}}}
  operators:
"""
OPERATOR = """\
  - {{name: {name}, function: "{module}:{function}", inputs: [{inputs}]}}
"""
INPUT = "{{from: {name}, selectivity: {selectivity}, cost: {cost_us}us}}"
TAIL = """\
  sinks: [{sinks}]
  faultTolerance: {{{wanted}}}
  placement: {{capacity: "{capacity}", nodes: [{nodes}], assignment: {{{assignment}}}}}
"""
SINK = '{{name: out-{name}, from: {name}, spark: {{format: json, options: {{path: "{out}/{name}"}}}}}}'


def text_of(case: Case, work: Path) -> str:
    problem = case.problem()
    operators = (
        OPERATOR.format(name=task.operator, module=MODULE, function=function(task.id), inputs=inputs(task)) for task in problem.tasks
    )
    return head(case, problem, work) + "".join(operators) + tail(case, problem, work)


def head(case: Case, problem: Problem, work: Path) -> str:
    [source], (low, high) = problem.sources, problem.configurations
    return HEAD.format(
        store=(work / "store").as_uri(),
        period_ms=PERIOD_MS,
        source=source.operator,
        low=source.rows_per_s[0],
        high=source.rows_per_s[1],
        each=case.epochs_of_each,
        low_name=LOW_NAME,
        high_name=HIGH_NAME,
        low_part=low.probability,
        high_part=high.probability,
    )


def tail(case: Case, problem: Problem, work: Path) -> str:
    homes = (f"{operator_of(task)}: [{', '.join(on)}]" for task, on in problem.placement.items())
    return TAIL.format(
        sinks=", ".join(SINK.format(name=operator_of(task), out=work / "out") for task in problem.sinks),
        wanted=case.wanted,
        capacity=problem.nodes[0].capacity_cores,
        nodes=", ".join(f"{{name: {node.name}}}" for node in problem.nodes),
        assignment=", ".join(homes),
    )


def inputs(task: Task) -> str:
    return ", ".join(
        INPUT.format(name=operator_of(edge.producer), selectivity=edge.selectivity, cost_us=round(1e6 * edge.cost_s))
        for edge in task.inputs
    )


def module_of(problem: Problem) -> str:
    """A function for each element, as any user would write it."""
    functions = (f"def {function(task.id)}(inputs):\n    return element(inputs, {ports(task.inputs)})\n" for task in problem.tasks)
    return "from benchmarks.laar.burning import element\n\n\n" + "\n\n".join(functions)


def ports(edges: tuple[Edge, ...]) -> dict[str, tuple[float, float]]:
    return {operator_of(edge.producer): (edge.selectivity, edge.cost_s) for edge in edges}


def function(task: TaskId) -> str:
    return operator_of(task).replace("-", "_")

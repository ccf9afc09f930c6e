"""The plan as a table for people.

Why: the first answer a user gets from Levee; it must say what is active where, what that guarantees, and at what price.
Called by: cli.commands.plan, with a Report.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from levee.cli.render import table_ending
from levee.cli.shared.page import bar, facts, grid
from levee.plans import words
from levee.plans.amounts import number, percent
from levee.plans.report import ConfigurationPart, Copy, NodePart, Report

CONFIGURATIONS_MAX = 12  # The others are in the documents (--format json).
NODES_MAX = 40


def show(console: Console, report: Report) -> None:
    console.print(Text("Plan for ").append(words.full_name(report), style="bold"))
    console.print(facts(list(header(report))))
    for configuration in report.configurations[:CONFIGURATIONS_MAX]:
        console.print()
        show_configuration(console, configuration)
    if (hidden := len(report.configurations) - CONFIGURATIONS_MAX) > 0:
        console.print(f"\n... and {hidden} more configurations: --format json has them all")
    console.print()
    table_ending.show(console, report)


def header(report: Report) -> Iterable[tuple[str, RenderableType]]:
    yield "strategy", f"{report.search.strategy}: {report.search.says}"
    yield "target", words.target(report.wanted)
    yield "failures", words.failures(report.wanted.failures)
    yield "size", words.size(report.size)
    yield "nodes", report.nodes_from


def show_configuration(console: Console, configuration: ConfigurationPart) -> None:
    rates = ", ".join(f"{source} {number(rate)} rows/s" for source, rate in configuration.rows_per_s.items())
    title = Text(configuration.name, style="bold").append(f"  {percent(configuration.probability)} of the time", style="not bold")
    console.print(title.append(f", {rates}", style="not bold"))
    table = grid("  node", "cores>", "load>", "", "active replicas*")
    for node in _busiest(configuration.nodes):
        style = _style(node)
        table.add_row(
            f"  {node.name}",
            f"{number(node.load_cores)} of {number(node.capacity_cores)}",
            Text(percent(node.load_share), style=style),
            bar(node.load_share, style),
            _active(node),
        )
    console.print(table)
    if len(configuration.nodes) > NODES_MAX:
        console.print(f"  ... and {len(configuration.nodes) - NODES_MAX} nodes that are less loaded")


def _busiest(nodes: Sequence[NodePart]) -> Sequence[NodePart]:
    if len(nodes) <= NODES_MAX:
        return nodes
    return sorted(nodes, key=lambda node: -node.load_share)[:NODES_MAX]


def _style(node: NodePart) -> str:
    return "bold red" if node.overloaded else "yellow" if node.load_share >= 0.9 else "green"


def _active(node: NodePart) -> Text:
    text = Text("OVERLOADED  " if node.overloaded else "", style="bold red")
    return text.append(" ".join(copies(node.active)) or "-", style="default not bold")


def copies(active: Sequence[Copy]) -> list[str]:
    """Task names; 'x2' where two replicas of one task stand on the node."""
    counts = Counter(copy.task for copy in active)
    return [task if count == 1 else f"{task} x{count}" for task, count in counts.items()]

"""What a simulation has shown, as a table for people.

Called by: cli.simulate_run, with a Simulation.
"""

from collections.abc import Iterable
from typing import assert_never

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from levee.cli.shared.page import facts, grid
from levee.plans import words
from levee.plans.amounts import floor4, number, percent
from levee.plans.simulation import Simulation, Verdict
from levee.topology.units import shown_duration

HAPPENINGS_MAX = 24


def show(console: Console, found: Simulation) -> None:
    name = found.topology if found.namespace == "default" else f"{found.namespace}/{found.topology}"
    console.print(Text("Simulation of ").append(name, style="bold"))
    console.print(facts(list(header(found))))
    console.print()
    console.print(by_configuration(found))
    console.print()
    console.print(facts(list(outcome(found))))
    console.print()
    show_happenings(console, found)
    console.print(verdict(found))
    for reason in found.shortcomings:
        console.print(Text(reason, style="yellow"))


def verdict(found: Simulation) -> Text:
    match found.verdict:
        case Verdict.KEPT:
            return Text("The promise was kept.", style="bold green")
        case Verdict.BELOW_TARGET:
            promises = f"This plan promises completeness {floor4(found.plan_completeness)}, and is not what was asked for ({found.target})"
            return Text(f"{promises}; what it promises was kept.", style="bold yellow")
        case Verdict.BROKEN:
            return Text("The promise was not kept.", style="bold red")
        case _:
            assert_never(found.verdict)


def header(found: Simulation) -> Iterable[tuple[str, RenderableType]]:
    yield "strategy", f"{found.strategy}: {found.says}"
    yield "nodes", found.nodes_from
    yield "trace", f"{number(found.seconds)} s, seed {found.seed}"
    yield "fails", ", ".join(found.failed) or "nothing"


def by_configuration(found: Simulation) -> Table:
    table = grid("  configuration", "time>", "in force>", "completeness>", "promised>", "rows lost>", "dropped>", "cores>")
    for one in found.configurations:
        table.add_row(
            f"  {one.name}",
            percent(one.share),
            f"{number(one.in_force_seconds)} s",
            Text(floor4(one.completeness), style="default" if one.completeness >= one.promised else "red"),
            floor4(one.promised),
            number(one.lost_rows),
            number(one.dropped_rows),
            number(one.cores),
        )
    return table


def outcome(found: Simulation) -> Iterable[tuple[str, RenderableType]]:
    yield "completeness", f"{floor4(found.completeness)}, promised {floor4(found.promised)}"
    rows = f"{number(found.processed_rows)} of {number(found.due_rows)} that tasks had to read"
    yield "rows", f"{rows}; {number(found.lost_rows)} lost on their way"
    yield "cores", f"{number(found.cores)} of {number(found.capacity_cores)} in use, on average"
    yield "failovers", f"{found.failovers}; tasks were without anybody for {number(found.uncomputed_task_seconds)} s, added up"
    yield "switches", words.plural(found.switches, "change") + " of the configuration in force"
    if found.beyond_seconds:
        text = f"above every declared configuration for {shown_duration(found.beyond_seconds)}: no promise covers that"
        yield "input", Text(text, style="yellow")


def show_happenings(console: Console, found: Simulation) -> None:
    if not found.happenings:
        return
    table = grid("  at>", "", "*")
    for one in found.happenings[:HAPPENINGS_MAX]:
        table.add_row(f"{one.at_seconds:.1f} s", Text(one.subject, style="red" if one.grave else "default"), one.text)
    console.print(table)
    if (hidden := len(found.happenings) - HAPPENINGS_MAX) > 0:
        console.print(f"  ... and {hidden} more: -o json has them all")
    console.print()

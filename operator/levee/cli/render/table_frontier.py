"""What each level of guarantee costs, as a table for people.

Why: one screen on which to choose a target; every number in it can be pasted as one.
Called by: cli.render.forms, with a Frontier.
"""

from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from levee.cli.shared.page import bar, facts, grid
from levee.planning.result import Status
from levee.plans import words
from levee.plans.amounts import floor4, number
from levee.plans.report import Frontier, Level


def show(console: Console, frontier: Frontier) -> None:
    console.print(Text("What each guarantee costs: ").append(words.full_name(frontier), style="bold"))
    console.print(facts(list(_header(frontier))))
    console.print()
    console.print(_by_budget(frontier) if frontier.guarantee == "fidelity" else _by_goal(frontier))
    for price in frontier.compared:
        if price.overloads:
            console.print(Text(f"  {price.name} would load {words.overload(price.overloads[0])}", style="red"))
    if others := [model for model in _models(frontier) if model != frontier.failures]:
        console.print(f"  {' and '.join(others)}: the cores for the same completeness against those failures", style="dim")
    if any(level.unproven_under for level in frontier.levels):
        console.print("  ~: not proven to be the least", style="dim")
    console.print()
    if frontier.interrupted:
        console.print(Text("Interrupted: these are the levels found so far; others are missing or not proven.", style="bold yellow"))
    if frontier.knee is not None:
        console.print(Text(frontier.knee, style="bold"))
    for remark in frontier.remarks:
        console.print(Text(remark, style="default" if frontier.levels else "bold red"))


def _header(frontier: Frontier) -> Iterable[tuple[str, RenderableType]]:
    proof = "each level optimal, proven" if frontier.complete else "not every level is proven to be the cheapest"
    proof = proof if frontier.levels else "no level was found"
    if frontier.budgets_tried != frontier.budgets_in_all:
        proof += f"; {frontier.budgets_tried} of {frontier.budgets_in_all} budgets tried"
    yield "strategy", f"{frontier.strategy}, {frontier.seconds:.2f} s; {proof}"
    yield "failures", words.failures(frontier.failures)
    yield "size", words.size(frontier.size)
    yield "nodes", frontier.nodes_from
    if frontier.levels:
        yield "verified by", frontier.verified_by


def _by_goal(frontier: Frontier) -> Table:
    others = _models(frontier)
    spare = [f"{model}>" for model in others if model != frontier.failures]
    table = grid("  completeness>", "cores>", f"{words.per_window(frontier.size.window_s)}>", "", "over none>", *spare, "")
    for level in frontier.levels:
        beside = [_maybe(level, model) for model in others if model != frontier.failures]
        cells = (f"{floor4(level.completeness)}", number(level.cores), number(level.cpu_hours_per_window))
        table.add_row(*cells, bar(level.completeness, "green"), _over(frontier, level), *beside, _remark(level))
    return table


def _models(frontier: Frontier) -> list[str]:
    return [model for model in words.FAILURES if any(model in level.cores_under for level in frontier.levels)]


def _by_budget(frontier: Frontier) -> Table:
    table = grid("  active replicas>", "fidelity>", "", "completeness>", "cores>", f"{words.per_window(frontier.size.window_s)}>", "")
    for level in frontier.levels:
        cells = (floor4(level.completeness), number(level.cores), number(level.cpu_hours_per_window))
        table.add_row(f"{level.budget}", floor4(level.fidelity), bar(level.fidelity, "green"), *cells, _remark(level))
    return table


def _maybe(level: Level, model: str) -> str:
    cores = level.cores_under.get(model)
    return "-" if cores is None else f"~{number(cores)}" if model in level.unproven_under else number(cores)


def _over(frontier: Frontier, level: Level) -> str:
    none = frontier.compared[0].cores
    return f"+{100 * (level.cores / none - 1):.0f} %" if none > 0 else "-"


def _remark(level: Level) -> Text:
    text = Text("<- knee" if level.is_knee else "", style="bold")
    if level.status is not Status.OPTIMAL:
        gap = f" ({within})" if (within := words.within(level.gap)) else ""
        text.append(f" not proven{gap}", style="yellow")
    return text

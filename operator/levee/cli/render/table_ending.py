"""The end of a plan's table: what is guaranteed, what it costs, how sure that is, and what a failure takes away.

Why: this is what people read first; it stands last, where the terminal leaves them.
Called by: cli.render.table.
"""

from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from levee.cli.shared.page import facts, grid
from levee.planning.result import Status
from levee.plans import words
from levee.plans.amounts import floor4, number, percent
from levee.plans.report import Failure, Guarantee, OperatorLoss, Price, Report


def show(console: Console, report: Report) -> None:
    if report.price is not None and report.guarantee is not None:
        console.print(Text("Guaranteed, if the nodes could carry it" if report.price.overloads else "Guaranteed", style="bold"))
        console.print(facts(list(_guaranteed(report, report.guarantee))))
        console.print()
        console.print(Text("Cost", style="bold"))
        console.print(prices(report, [report.price, *report.compared]))
        if report.store is not None:
            console.print(facts([("store", words.asks(report.store))]))
        console.print()
    console.print(Text("Search", style="bold"))
    console.print(facts(list(_search(report))))
    if report.failure is not None:
        console.print()
        show_failure(console, report.failure)
    console.print()
    show_verdict(console, report)


def _guaranteed(report: Report, guarantee: Guarantee) -> Iterable[tuple[str, RenderableType]]:
    worst = "" if report.wanted.failures == "pessimistic" else f", when {guarantee.worst_failure} is lost"
    yield "completeness", f"{floor4(guarantee.completeness)} of the tuple processing goes on in time{worst}"
    yield "fidelity", f"{floor4(guarantee.fidelity)} of the source input is reflected in output in time"
    yield "active replicas", f"at most {guarantee.budget_used} beyond one per task{'' if report.replicated is None else ' and source task'}"
    if report.replicated:
        yield "replicated", " ".join(words.ranges(report.replicated))
    if guarantee.expected_completeness is not None:
        width = f" ± {guarantee.expected_half_width:.2g}" if guarantee.expected_half_width else ""
        chance = percent(report.wanted.node_failure_probability or 0.0)
        yield "expected", f"completeness {floor4(guarantee.expected_completeness)}{width}, if each node fails by itself with {chance}"


def prices(report: Report, rows: list[Price]) -> Table:
    table = grid("", "cores>", f"{words.per_window(report.size.window_s)}>", "completeness>", "fidelity>", "*")
    for price in rows:
        table.add_row(
            f"  {price.name}",
            number(price.cores),
            number(price.cpu_hours_per_window),
            floor4(price.completeness),
            floor4(price.fidelity),
            Text(f"would load {words.overload(price.overloads[0])}", style="red") if price.overloads else "",
        )
    return table


def _search(report: Report) -> Iterable[tuple[str, RenderableType]]:
    search = report.search
    if report.price is not None:
        yield "quality", words.certainty(search)
    if search.objective is not None and search.bound is not None:
        yield "bound", f"{words.objective(search, search.bound)}, this plan {words.objective(search, search.objective)}"
    yield "optimiser", f"{search.strategy}, {search.seconds:.2f} s"
    if search.status is not Status.INFEASIBLE and report.price is not None:
        yield "verified by", search.verified_by
    for note in search.notes:
        yield "note", note


def show_failure(console: Console, failure: Failure) -> None:
    console.print(Text(f"If {words.failing(failure)}", style="bold"))
    console.print(facts(list(_failed(failure))))
    table = grid("", "", "configuration", "rows/s in time>", "before>", "kept>")
    for loss in failure.losses:
        style = "red" if loss.kept_share < 1 - 1e-9 else "default"
        cells = (number(loss.after_rows_per_s), number(loss.before_rows_per_s), _kept(loss))
        table.add_row(f"  {loss.name}", loss.kind, loss.configuration, *(Text(cell, style=style) for cell in cells))
    console.print(table)
    held = (
        Text("the guarantee holds", style="green")
        if failure.guarantee_holds
        else Text(f"the guarantee does not hold: {failure.why}", "red")
    )
    measured = f"completeness {floor4(failure.completeness)}, fidelity {floor4(failure.fidelity)} until they are back: "
    console.print(facts([("what is left", Text(measured).append(held))]))


def _failed(failure: Failure) -> Iterable[tuple[str, RenderableType]]:
    for name, tasks in failure.tasks_lost.items():
        yield f"lost in {name}", " ".join(words.ranges(tasks)) or "no task"
    if failure.outside_model:
        names = " ".join(words.ranges(failure.outside_model))
        yield (
            "note",
            Text(f"outside the failure model: it always leaves {names} an ingestor, and here all are gone for good", style="yellow"),
        )


def _kept(loss: OperatorLoss) -> str:
    return percent(loss.kept_share)


def show_verdict(console: Console, report: Report) -> None:
    if report.search.interrupted:
        console.print(Text(words.interrupted(report), style="bold yellow"))
    if report.verdict.met:
        console.print(Text(words.success(report), style="bold green"))
        if report.failure is not None and not report.failure.guarantee_holds:
            console.print(Text("It does not promise that for the failure above.", style="yellow"))
    for reason in report.verdict.reasons:
        console.print(Text(reason, style="bold red" if not report.verdict.met else "yellow"))

"""What was planned in the form that was asked for.

Why: one place knows all forms; each renderer knows one, and is imported only for it (matplotlib is slow to start).
Called by: cli.plan_run.
"""

import os
from collections.abc import Sequence

from rich.console import Console

from levee.cli.render.output import Output
from levee.plans.planner import Planned
from levee.plans.report import Frontier

Shown = Planned | Frontier


def rendered(shown: Sequence[Shown], output: Output) -> str | bytes:
    match output.form:
        case "json" | "yaml":
            return _document(shown, output.form)
        case "svg" | "png":
            return _picture(shown[0], output.form)
        case _:
            return _tables(shown, output)


def _document(shown: Sequence[Shown], form: str) -> str:
    from levee.cli.shared.document import as_json, as_yaml, document, several

    kind = "Frontier" if isinstance(shown[0], Frontier) else "Plan"
    whole = several(kind, [document(kind, one if isinstance(one, Frontier) else one.report) for one in shown])
    return as_json(whole) if form == "json" else as_yaml(whole)


def _picture(shown: Shown, kind: str) -> bytes:
    from levee.cli.render import draw, draw_frontier

    if isinstance(shown, Frontier):
        return draw_frontier.draw(shown, kind)
    return draw.draw(shown.ready.topology, shown.ready.problem, shown.report, kind)


def _tables(shown: Sequence[Shown], output: Output) -> str:
    from levee.cli.shared import page

    console = page.sheet(output.to_terminal, page.reader_width(output.to_terminal, os.environ.get("COLUMNS")))
    for index, one in enumerate(shown):
        if index:
            console.print("\n")
        _table(console, one)
    return page.printed(console)


def _table(console: Console, shown: Shown) -> None:
    from levee.cli.render import table, table_frontier

    if isinstance(shown, Frontier):
        table_frontier.show(console, shown)
    else:
        table.show(console, shown.report)

"""The demo's report as one HTML page, with its plot inside.

Called by: cli.demo.run.
"""

import html
from collections.abc import Sequence
from pathlib import Path

from levee.cli.demo.findings import Compared
from levee.cli.demo.recovery import Recovery, Struck, Timeline
from levee.cli.demo.telling import measured
from levee.cli.render.one_page import document, svg_of


def write_page(
    path: Path, compared: Compared, promised: Sequence[str], found: Sequence[Recovery], times: Timeline, struck: Sequence[Struck]
) -> None:
    mood, verdict = ("good", "Nothing was lost, nothing doubled.") if compared.identical else ("bad", "The outputs differ.")
    rows = [("rows compared", f"{compared.rows} in {compared.epochs} epochs"), ("lost", compared.lost), ("duplicates", compared.doubled)]
    rows += [("promised" if index == 0 else "", text) for index, text in enumerate(promised)]
    for one in found:
        rows += [("killed", one.what), *measured(one, times.period_ms)]
    table = "\n".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows)
    body = (
        f"<h1>Bargain Discovery under failures</h1>\n<p class={mood}><strong>{verdict}</strong> The output of the run with failures was "
        f"compared with that of an undisturbed run, row by row.</p>\n<table>\n{table}\n</table>\n"
        f"<h2>When the output came</h2>\n<p>Each dot is an epoch of the output: how long after it was due all of its tasks had "
        f"committed it, by the store's clock.</p>\n{plot(times, struck)}"
    )
    path.write_text(document("Levee demo", body), encoding="utf-8")


def plot(times: Timeline, struck: Sequence[Struck]) -> str:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 3.6), layout="constrained")
    output = times.output()
    axes.plot(list(output), [at - times.due_ms[epoch] for epoch, at in output.items()], ".-", color="#264653", linewidth=0.8)
    for one in (each.inflicted for each in struck):
        axes.axvline(one.epoch, color="#d1495b", linewidth=1)
        axes.annotate(f" {one.fault.kind.value}", (one.epoch, 1), xycoords=("data", "axes fraction"), va="top", fontsize=9)
    axes.set_xlabel("epoch")
    axes.set_ylabel("ms from due to committed")
    axes.set_ylim(bottom=0)
    return svg_of(figure)

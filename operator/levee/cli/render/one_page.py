"""A report as one HTML file with its plots inside, which needs no network.

Called by: cli.demo.page; `levee verify`.
"""

import html
import io

import matplotlib as mpl
from matplotlib.figure import Figure

mpl.use("Agg")

STYLE = """body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 3rem auto; padding: 0 1rem; color: #223; }
table { border-collapse: collapse; } td, th { padding: .3rem 1rem .3rem 0; text-align: left; vertical-align: top; }
.good { color: #1b7f5c; } .bad { color: #b3261e; } .unsure { color: #8a5a00; } svg { max-width: 100%; height: auto; }"""


def document(title: str, body: str) -> str:
    head = f"<meta charset=utf-8><title>{html.escape(title)}</title><style>{STYLE}</style>"
    return f"<!doctype html>\n<html lang=en>{head}\n{body}\n</html>\n"


def svg_of(figure: Figure) -> str:
    """What stands in a page; the figure is done with."""
    from matplotlib import pyplot as plt

    out = io.StringIO()
    figure.savefig(out, format="svg")
    plt.close(figure)
    return "<svg" + out.getvalue().partition("<svg")[2]

"""The few kinds of panels that the dashboards are made of, and the frame around them.

Why: one way to draw a rate, a number or a state, so that a dashboard is a list of questions.
Called by: overview, topology, operator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grafana_foundation_sdk.builders import common, prometheus, stat, statetimeline, timeseries
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.models import common as options
from grafana_foundation_sdk.models import dashboard as models

FULL, HALF, THIRD, SIXTH = 24, 12, 8, 4  # widths
HIGH, LOW = 8, 4
SOURCE = models.DataSourceRef("prometheus", "${datasource}")
YES_NO = {"0": models.ValueMappingResult("no", "red"), "1": models.ValueMappingResult("yes", "green")}
ON_OFF = {"0": models.ValueMappingResult("–", "transparent"), "1": models.ValueMappingResult("yes", "blue")}
WARNING = {"0": models.ValueMappingResult("no", "green"), "1": models.ValueMappingResult("yes", "red")}

Panel: TypeAlias = timeseries.Panel | stat.Panel | statetimeline.Panel
Words: TypeAlias = dict[str, models.ValueMappingResult]


@dataclass(frozen=True, slots=True)
class Query:
    asks: str  # in PromQL
    legend: str = ""


def target(query: Query, *, instant: bool = False) -> prometheus.Dataquery:
    made = prometheus.Dataquery().expr(query.asks).legend_format(query.legend or "__auto").datasource(SOURCE)
    return made.instant() if instant else made.range()


def lettered(queries: Sequence[Query], *, instant: bool = False) -> list[prometheus.Dataquery]:
    return [target(query, instant=instant).ref_id(chr(ord("A") + number)) for number, query in enumerate(queries)]


def lines(title: str, says: str, *queries: Query, unit: str = "short", width: int = HALF) -> timeseries.Panel:
    made = timeseries.Panel().title(title).description(says).datasource(SOURCE).unit(unit).min(0).span(width).height(HIGH)
    legend = (
        common.VizLegendOptions().display_mode(options.LegendDisplayMode.LIST).placement(options.LegendPlacement.BOTTOM).show_legend(True)
    )
    tooltip = common.VizTooltipOptions().mode(options.TooltipDisplayMode.MULTI).sort(options.SortOrder.DESCENDING)
    made = made.fill_opacity(8).show_points(options.VisibilityMode.NEVER).legend(legend).tooltip(tooltip)
    return made.targets(list(lettered(queries)))


def number(title: str, says: str, asks: str, *, unit: str = "short", words: Words | None = None, alarm: float | None = None) -> stat.Panel:
    """`alarm`: red from there on."""
    made = stat.Panel().title(title).description(says).datasource(SOURCE).unit(unit).span(SIXTH).height(LOW)
    made = made.graph_mode(options.BigValueGraphMode.NONE if words else options.BigValueGraphMode.AREA)
    made = made.mappings([models.ValueMap(words)] if words else []).thresholds(thresholds(alarm))
    return made.targets(list(lettered([Query(asks)])))


def thresholds(alarm: float | None) -> builders.ThresholdsConfig:
    steps = [models.Threshold(None, "green"), *([] if alarm is None else [models.Threshold(alarm, "red")])]
    return builders.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(steps)


def states(title: str, says: str, *queries: Query, words: Words, width: int = HALF) -> statetimeline.Panel:
    made = statetimeline.Panel().title(title).description(says).datasource(SOURCE).span(width).height(HIGH)
    made = made.mappings([models.ValueMap(words)]).show_value(options.VisibilityMode.NEVER).row_height(0.8)
    return made.targets(list(lettered(queries)))


def frame(uid: str, title: str, says: str, variables: Sequence[builders.QueryVariable] = ()) -> builders.Dashboard:
    made = builders.Dashboard(title).uid(uid).description(says).tags(["levee"]).time("now-1h", "now").refresh("30s").timezone("browser")
    link = builders.DashboardLink("Levee").type(models.DashboardLinkType.DASHBOARDS).tags(["levee"]).keep_time(True)
    made = made.tooltip(models.DashboardCursorSync.CROSSHAIR).readonly().link(link)
    made = made.with_variable(builders.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
    for variable in variables:
        made = made.with_variable(variable)
    return made


def with_rows(made: builders.Dashboard, rows: dict[str, Sequence[Panel]]) -> models.Dashboard:
    """Each with its heading."""
    for title, panels in rows.items():
        made = made.with_row(builders.Row(title))
        for panel in panels:
            made = made.with_panel(panel)
    found = made.build()
    for place, drawn in enumerate(found.panels or (), start=1):
        drawn.id_val = place  # links to a panel name it
    return found

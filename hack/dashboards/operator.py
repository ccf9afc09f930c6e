"""The operator: whether somebody leads, how topologies come along, and what keeps turns from being short.

Called by: written.
"""

from grafana_foundation_sdk.models.dashboard import Dashboard

from dashboards.panels import YES_NO, Panel, Query, frame, lines, number, with_rows

UID = "levee-operator"


def dashboard() -> Dashboard:
    made = frame(UID, "Levee / operator", "Who looks after the topologies.")
    return with_rows(made, {"Now": now(), "Turns": turns(), "Lives": lives(), "Plans": plans()})


def now() -> list[Panel]:
    unsettled = "sum(max by (state) (levee_operator_topologies)) - max(levee_operator_topologies_settled)"
    mistakes = 'sum(increase(levee_operator_turn_errors_total{why!~"Unreachable|Conflict"}[1h])) or vector(0)'
    silent = "sum(max by (topology) (levee_operator_store_silent))"
    return [
        number("Somebody leads", "One operator acts.", "max(levee_operator_leads)", words=YES_NO),
        number("Topologies", "In any state.", "sum(max by (state) (levee_operator_topologies))"),
        number("Not settled", "Those at rest included.", unsettled),
        number("Longest on its way", "In a state that is only passed.", "max(levee_operator_oldest_passing_seconds)", unit="s", alarm=1800),
        number("Mistakes", "Turns of the last hour that waiting does not mend.", mistakes, alarm=1),
        number("Stores silent", "Topologies whose store does not answer.", silent, alarm=1),
    ]


def turns() -> list[Panel]:
    mistakes = Query("sum by (why) (rate(levee_operator_turn_errors_total[$__rate_interval]))", "{{why}}")
    asked = Query("sum by (verb, answer) (rate(levee_operator_api_requests_total[$__rate_interval]))", "{{verb}} {{answer}}")
    return [
        lines(
            "Turns", "Looks at topologies.", Query("sum(rate(levee_operator_turn_seconds_count[$__rate_interval]))", "turns"), unit="ops"
        ),
        lines("Time of a turn", "A slow one waits for a store or the API server.", *quantiles("levee_operator_turn_seconds"), unit="s"),
        lines("Turns that failed", "By why.", mistakes, unit="ops"),
        lines("Requests to the API server", "By verb and answer.", asked, unit="reqps"),
    ]


def lives() -> list[Panel]:
    by_state = Query("max by (state) (levee_operator_topologies) > 0", "{{state}}")
    taken = Query("sum by (origin, event) (increase(levee_operator_transitions_total[$__rate_interval]))", "{{origin}} {{event}}")
    return [
        lines("Topologies by state", "Those that there are.", by_state),
        lines("Transitions", "By where they began, and why.", taken),
        lines("Time of a transition", "Storing it, and its methods.", *quantiles("levee_operator_transition_seconds"), unit="s"),
        lines("Time in a state", "Of those that were left.", *quantiles("levee_operator_state_seconds"), unit="s"),
        *decisions(),
    ]


def decisions() -> list[Panel]:
    decided = Query("sum by (reason) (increase(levee_operator_decisions_total[$__rate_interval]))", "{{reason}}")
    wanted = Query("sum(increase(levee_operator_control_records_wanted_total[$__rate_interval]))", "wanted")
    written = Query("sum(max by (topology) (delta(levee_operator_control_record[$__rate_interval])))", "written")
    steps = "sum by (le, step) (rate(levee_operator_switch_seconds_bucket[1h]))"
    switch = Query(f"histogram_quantile(0.9, {steps})", "{{step}}")
    return [
        lines("Decisions", "That did something, by reason.", decided),
        lines("Control records", "What is wanted and not written: the log stands still.", wanted, written),
        lines("Steps of a switch", "To another configuration: of 90 in 100.", switch, unit="s"),
    ]


def plans() -> list[Panel]:
    gap = Query("max by (topology) (levee_operator_plan_gap)", "{{topology}}")
    return [
        lines("Time of a plan", "Whatever came of it.", *quantiles("levee_operator_plan_seconds"), unit="s"),
        lines("Gap", "How far plans may be from the best.", gap, unit="percentunit"),
    ]


def quantiles(name: str) -> tuple[Query, ...]:
    found = f"sum by (le) (rate({name}_bucket[$__rate_interval]))"
    return tuple(Query(f"histogram_quantile({share}, {found})", f"{share:.0%}") for share in (0.5, 0.9, 0.99))

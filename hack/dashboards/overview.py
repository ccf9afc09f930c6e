"""All topologies at a glance: which of them is not well.

Called by: written.
"""

from grafana_foundation_sdk.models.dashboard import Dashboard

from dashboards.panels import WARNING, YES_NO, Panel, Query, frame, lines, number, states, with_rows

UID = "levee-overview"
EACH = "{{topology}}"
LAG = "max by (topology) (min by (topology, task) (levee_lag_epochs and levee_active == 1))"
TAKEN_IN = (
    'sum by (topology) (max by (topology, task) (rate(levee_rows_total{direction="out"}[$__rate_interval]) '
    "and on (topology, task) levee_rows_offered_total))"
)


def dashboard() -> Dashboard:
    made = frame(UID, "Levee / overview", "All topologies, and whether they keep what they promise.")
    return with_rows(made, {"Now": now(), "Promises": promises(), "Work": work()})


def now() -> list[Panel]:
    lost = "sum(increase(levee_epochs_skipped_total[1h])) + sum(increase(levee_epochs_failed_total[1h]))"
    return [
        number("Topologies", "That the operator knows.", "sum(max by (state) (levee_operator_topologies))"),
        number("Failed", "That have given up.", 'sum(max by (state) (levee_operator_topologies{state="failed"}))', alarm=1),
        number("Guarantee not met", "Topologies.", "sum(1 - max by (topology) (levee_operator_guarantee_met))", alarm=1),
        number("Input above contract", "Topologies.", "sum(max by (topology) (levee_operator_input_above_contract))", alarm=1),
        number("Divergences", "In the last hour.", "sum(increase(levee_divergences_total[1h]))", alarm=1),
        number("Epochs without rows", "Skipped or failed in the last hour, as their policies permit.", lost, alarm=1),
    ]


def promises() -> list[Panel]:
    met = Query("max by (topology) (levee_operator_guarantee_met)", EACH)
    above = Query("max by (topology) (levee_operator_input_above_contract)", EACH)
    spared = "1 - max by (topology) (levee_operator_plan_cost_seconds) / max by (topology) (levee_operator_static_cost_seconds)"
    return [
        states("Guarantee met", "With the replicas that could take over.", met, words=YES_NO),
        states("Input above contract", "More is offered than every configuration declares.", above, words=WARNING),
        lines("Guaranteed", "What holds now.", Query("max by (topology) (levee_operator_guarantee)", EACH), unit="percentunit"),
        lines("Spared", "CPU time of the plan, against static replication.", Query(spared, EACH), unit="percentunit"),
    ]


def work() -> list[Panel]:
    cpu = Query("sum by (topology) (rate(levee_cpu_seconds_total[$__rate_interval]))", EACH)
    replicas = (
        Query("max by (topology) (levee_operator_replicas_active)", f"{EACH} active"),
        Query("max by (topology) (levee_operator_replicas_desired)", f"{EACH} desired"),
    )
    return [
        lines("Lag", "Epochs by which the slowest task is behind, by its best replica.", Query(LAG, EACH)),
        lines("Rows taken in", "By all sources.", Query(TAKEN_IN, EACH), unit="rowsps"),
        lines("CPU", "Of all workers.", cpu, unit="cores"),
        lines("Replicas", "Active ones, and those that should be.", *replicas),
        lines("Topologies by state", "Of the operator.", Query("max by (state) (levee_operator_topologies) > 0", "{{state}}")),
    ]

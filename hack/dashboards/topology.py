"""One topology: its rates against what it declares, who is active, how far it is, what is guaranteed, and at what cost.

Called by: written.
"""

from grafana_foundation_sdk.builders.dashboard import QueryVariable
from grafana_foundation_sdk.models.dashboard import Dashboard, VariableRefresh

from dashboards.panels import FULL, ON_OFF, SOURCE, YES_NO, Panel, Query, frame, lines, number, states, with_rows

UID = "levee-topology"
MINE = 'topology="$topology"'
LAG = f"min by (task) (levee_lag_epochs{{{MINE}}} and levee_active == 1)"
FAILOVERS = f'sum(increase(levee_operator_decisions_total{{{MINE}, reason="SurvivorsLead"}}[1h])) or vector(0)'
OF_SOURCE = '"source", "$1", "task", "(.*)/[0-9]+"'


def dashboard() -> Dashboard:
    names = QueryVariable("topology").label("Topology").datasource(SOURCE).refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
    made = frame(UID, "Levee / topology", "One topology.", [names.query("label_values(levee_active, topology)")])
    rows = {"Now": now(), "Rates against configurations": rates(), "Activation": activation(), "Progress": progress()}
    return with_rows(made, {**rows, "Guarantee and cost": guarantee_and_cost(), "Account": account(), "Store": store()})


def now() -> list[Panel]:
    plan, static = (f"max({name}{{{MINE}}})" for name in ("levee_operator_plan_cost_seconds", "levee_operator_static_cost_seconds"))
    missing = f"max(levee_operator_replicas_desired{{{MINE}}} - levee_operator_replicas_active)"
    return [
        number("Guarantee met", "Now.", f"max(levee_operator_guarantee_met{{{MINE}}})", words=YES_NO),
        number("Guaranteed", "With who could take over now.", f"max(levee_operator_guarantee{{{MINE}}})", unit="percentunit"),
        number("Lag", "Epochs, of the slowest task.", f"max({LAG})", alarm=20),
        number("Replicas missing", "That should be active.", missing, alarm=1),
        number("Failovers", "In the last hour.", FAILOVERS),
        number("Cost against static", "CPU time, as declared.", f"{plan} / {static}", unit="percentunit"),
    ]


def rates() -> list[Panel]:
    force = Query(f"max by (configuration) (levee_operator_configuration_in_force{{{MINE}}})", "{{configuration}}")
    waiting = Query(f"max by (task) (levee_rows_waiting{{{MINE}}})", "{{task}}")
    says = "What sources offer, and what each configuration declares."
    return [
        lines("Rates against configurations", says, *rates_shown(), unit="rowsps", width=FULL),
        states("Configuration in force", "By which replicas are active.", force, words=ON_OFF),
        lines("Rows that wait", "Of sources that can tell.", waiting),
    ]


def rates_shown() -> tuple[Query, ...]:
    offered = f"max by (task) (rate(levee_rows_offered_total{{{MINE}}}[$__rate_interval]))"
    rows = f'rate(levee_rows_total{{{MINE}, direction="out"}}[$__rate_interval])'
    taken = f"max by (task) ({rows} and on (topology, task) levee_rows_offered_total)"
    return (
        Query(f"sum by (source) (label_replace({offered}, {OF_SOURCE}))", "{{source}} offered"),
        Query(f"sum by (source) (label_replace({taken}, {OF_SOURCE}))", "{{source}} taken in"),
        Query(f"max by (source) (levee_operator_source_rate{{{MINE}}})", "{{source}} as measured"),
        Query(f"max by (source, configuration) (levee_operator_configuration_rate{{{MINE}}})", "{{source}} in {{configuration}}"),
    )


def activation() -> list[Panel]:
    active = Query(f"max by (replica) (levee_active{{{MINE}}})", "{{replica}}")
    failed = Query(f"max by (replica) (levee_failed{{{MINE}}})", "{{replica}}")
    wins = Query(f"sum by (replica) (rate(levee_races_won_total{{{MINE}}}[$__rate_interval]))", "{{replica}}")
    return [
        states("Active replicas", "That take part in the race.", active, words=ON_OFF),
        states("Failed replicas", "Why stands in their logs.", failed, words=ON_OFF),
        lines("Who leads", "Epochs per second that a replica committed; another one takes over: a failover.", wins),
        *decisions(),
    ]


def decisions() -> list[Panel]:
    why = Query(f"sum by (reason) (increase(levee_operator_decisions_total{{{MINE}}}[$__rate_interval]))", "{{reason}}")
    record = Query(f"max(levee_operator_control_record{{{MINE}}})", "record")
    return [
        lines("Decisions", "By reason; SurvivorsLead is a failover.", why),
        lines("Control records", "The number of the newest.", record),
    ]


def progress() -> list[Panel]:
    passed = f"sum by (task) (rate(levee_races_won_total{{{MINE}}}[$__rate_interval]))"
    rows = f'max by (task) (rate(levee_rows_total{{{MINE}, direction="out"}}[$__rate_interval]))'
    buckets = f"sum by (le, phase) (rate(levee_epoch_seconds_bucket{{{MINE}}}[$__rate_interval]))"
    return [
        lines("Lag", "Epochs, by the best replica.", Query(LAG, "{{task}}")),
        lines("Epochs", "Committed.", Query(passed, "{{task}}"), unit="ops"),
        lines("Rows", "Emitted.", Query(rows, "{{task}}"), unit="rowsps"),
        lines("Time of an epoch by phase", "Of 95 in 100.", Query(f"histogram_quantile(0.95, {buckets})", "{{phase}}"), unit="s"),
        lines("What went wrong", "In the last hour.", *wrong()),
    ]


def wrong() -> tuple[Query, ...]:
    names = {
        "diverged": "levee_divergences_total",
        "adopted": "levee_adoptions_total",
        "skipped": "levee_epochs_skipped_total",
        "failed": "levee_epochs_failed_total",
        "raised": "levee_failures_total",
    }
    return tuple(Query(f"sum by (task) (increase({name}{{{MINE}}}[1h]))", f"{{{{task}}}} {what}") for what, name in names.items())


def guarantee_and_cost() -> list[Panel]:
    promised = told(now="levee_operator_guarantee", wanted="levee_operator_guarantee_wanted")
    cost = told(plan="levee_operator_plan_cost_seconds", static="levee_operator_static_cost_seconds")
    cpu = Query(f"sum by (process) (rate(levee_cpu_seconds_total{{{MINE}}}[$__rate_interval]))", "{{process}}")
    drift = Query(f"max by (quantity, of) (levee_operator_drift{{{MINE}}})", "{{quantity}} of {{of}}")
    return [
        lines("Guarantee", "What holds now, and what was asked for.", *promised, unit="percentunit"),
        lines("Cost per window", "CPU time of this plan and of static replication, as declared.", *cost, unit="s"),
        lines("CPU", "Of all workers, as measured.", cpu, unit="cores"),
        lines("Drift", "What is measured, relative to what the plan was made for; 1 is as planned.", drift),
    ]


def account() -> list[Panel]:
    """Over the window."""
    achieved = told(promised="levee_operator_account_promised", achieved="levee_operator_account_achieved")
    rows = Query(f"max by (outcome) (levee_operator_account_rows{{{MINE}}})", "{{outcome}}")
    used = told(active="levee_operator_account_replica_seconds", static="levee_operator_account_static_seconds")
    return [
        lines("Rows in time", "Over the window: the share that was promised, and the one achieved.", *achieved, unit="percentunit"),
        lines("Rows by outcome", "Over the window.", rows),
        lines("Replicas over the window", "Time of those that were active, and were all always active.", *used, unit="s"),
    ]


def told(**names: str) -> tuple[Query, ...]:
    return tuple(Query(f"max({name}{{{MINE}}})", legend) for legend, name in names.items())


def store() -> list[Panel]:
    asked = Query(f"sum by (kind, outcome) (rate(levee_store_requests_total{{{MINE}}}[$__rate_interval]))", "{{kind}} {{outcome}}")
    checkpoints = Query(f"sum by (task) (increase(levee_checkpoints_published_total{{{MINE}}}[1h]))", "{{task}}")
    return [
        lines("Requests", "To the store.", asked, unit="reqps"),
        lines("Checkpoints", "Published in the last hour.", checkpoints),
    ]

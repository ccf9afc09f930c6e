"""The CustomResourceDefinition of FaultExperiment, made from the same models that validate and render.

Why: the API server should refuse at once what it can see is wrong; what would cost it too much is checked by the operator.
Called by: levee crds.
"""

from typing import Final

from levee.experiments.checks.alone import TRIGGERS
from levee.experiments.spec import KIND, PLURAL, SHORT, ExperimentSpec
from levee.experiments.status import ExperimentStatus
from levee.topology.crd import Definition
from levee.topology.crd_rules import RULES as OF_TOPOLOGIES
from levee.topology.crd_rules import Besides, Rule

FOR_GOOD = "an experiment cannot be changed: delete it, which undoes what it has done, and make another one"

_MOMENTS = ", ".join(f"has(self.{name})" for name in TRIGGERS)
RULES: Final = {
    "": OF_TOPOLOGIES[""],
    "spec": (Rule("self == oldSelf", FOR_GOOD),),
    "spec.steps[]": (Rule("has(self.action) != has(self.probe)", "a step has either an action or a probe"),),
    "spec.steps[].when": (Rule(f"[{_MOMENTS}].filter(given, given).size() == 1", f"a step has one moment: {', '.join(TRIGGERS)}"),),
    "spec.steps[].when.rate": (Rule("has(self.atLeast) != has(self.atMost)", "a rate has either atLeast or atMost"),),
    "spec.steadyState.probes[]": (
        Rule("!has(self.equals) || (!has(self.atLeast) && !has(self.atMost))", "a probe equals a text, or is within limits"),
    ),
    "spec.safety": (  # the API server tries a default, `{}`, by the rules before it fills in those of its fields
        Rule(
            "!has(self.lostFor) || !has(self.timeLimit) || duration(self.lostFor) < duration(self.timeLimit)",
            "lostFor must be shorter than timeLimit",
        ),
    ),
}
KEYS: Final = {"status.steps": "name", "status.conditions": "type"}
COLUMNS: Final = (
    ("Topology", "string", "The topology that is put to the test.", ".spec.topology"),
    ("Phase", "string", "How far it is, and in the end the verdict.", ".status.phase"),
    ("Reason", "string", "Why, in one word.", ".status.reason"),
    ("Faults", "integer", "Faults that have happened.", ".status.figures.faults"),
    ("Recovery", "number", "Seconds until every planned replica worked again.", ".status.figures.recoverySeconds"),
    ("Gap", "number", "The longest time in seconds without a new epoch.", ".status.figures.gapSeconds"),
    ("Lost", "integer", "Epochs that are gone.", ".status.figures.epochsLost"),
    ("Age", "date", "Since when it exists.", ".metadata.creationTimestamp"),
)
WIDE: Final = (
    ("Changed", "integer", "Epochs that are not what they were.", ".status.figures.epochsChanged"),
    ("Unsteady", "number", "For how many seconds the steady state was lost at most.", ".status.figures.lostSeconds"),
    ("Waits for", "string", "The experiment that has to end first.", ".status.waitsFor"),
    ("Report", "string", "The ConfigMap with journal and report.", ".status.report"),
)
EXPERIMENT: Final = Definition(
    KIND,
    PLURAL,
    SHORT,
    "Faults that are done to a topology, what must hold meanwhile, and a verdict.",
    ExperimentSpec,
    ExperimentStatus,
    Besides(RULES, KEYS),
    COLUMNS,
    WIDE,
)

"""What was asked for: the flags of the command line over the words of the topology.

Why: a flag may replace a part of the declared wish, and what then contradicts itself must be said, not guessed.
Called by: plans.planner.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from levee.planning.case import Kind, Objective, Place, Strategy
from levee.plans.ending import Exit, Refused, use_instead
from levee.topology.complaint import Complaint
from levee.topology.graph import FailureModel, Target, Topology


@dataclass(frozen=True, slots=True)
class Asked:
    """The flags of `levee plan` that say what to plan; None where none was given."""

    strategy: str | None = None
    target: Target | None = None
    penalty_s: float | None = None
    failures: FailureModel | None = None
    nodes: str | None = None
    place: Place = Place.BALANCED
    node_failure_probability: float | None = None
    fail: tuple[str, ...] = ()
    objective: Objective | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """What is planned for, without contradictions."""

    strategy: Strategy
    target: Target
    failures: FailureModel
    objective: Objective | None = None  # of a plan for a budget

    @property
    def says(self) -> str:
        """What the strategy does in this case."""
        said = (self.strategy.says_of_budget if self.target.budget is not None else None) or self.strategy.says
        return said.replace("fidelity", "completeness") if self.objective is Objective.COMPLETENESS else said

    @property
    def sources_fail(self) -> bool:
        """A fidelity and a budget are about source tasks, too; for a completeness they have a standby and cost nothing."""
        return self.target.fidelity is not None or self.target.budget is not None


def wish(topology: Topology, asked: Asked, known: Mapping[str, Strategy]) -> Wish:
    target = _priced(asked.target or topology.wanted.target, asked.penalty_s)
    strategy = _strategy(asked.strategy or _declared(topology, asked), known)
    _check_fits(strategy, target)
    return Wish(strategy, target, asked.failures or topology.wanted.failures, _objective(strategy, target, asked.objective))


def has_target(target: Target) -> bool:
    return any(value is not None for value in (target.completeness, target.fidelity, target.budget))


def _declared(topology: Topology, asked: Asked) -> str:
    """A target on the command line chooses among the exact optimisers; else the topology's word counts."""
    if asked.target is None:
        return topology.wanted.strategy.value
    return "completeness" if asked.target.completeness is not None else "fidelity"


def _strategy(name: str, known: Mapping[str, Strategy]) -> Strategy:
    if name not in known:
        raise Refused(
            "levee plan: the strategy is not known.",
            [Complaint("--strategy", f"there is no strategy '{name}'", use_instead(name, known))],
            Exit.USAGE,
        )
    return known[name]


def _priced(target: Target, penalty_s: float | None) -> Target:
    if penalty_s is None:
        return target
    if target.completeness is None:
        wrong = "a penalty is paid for missing completeness, and no completeness is asked for"
        raise Refused(
            "levee plan: the target contradicts itself.", [Complaint("--penalty", wrong, "add --target completeness=0.9")], Exit.USAGE
        )
    return replace(target, penalty=penalty_s)


def _objective(strategy: Strategy, target: Target, asked: Objective | None) -> Objective | None:
    """Only a budget leaves open what there is to be most of."""
    natural = Objective.COMPLETENESS if strategy.kind is Kind.COMPLETENESS else Objective.FIDELITY
    if asked is not None and (refusal := _no_objective(strategy, target, asked, natural)):
        raise Refused("levee plan: there is no such choice of objective.", [Complaint("--objective", *refusal)], Exit.USAGE)
    return None if target.budget is None or strategy.kind is Kind.BASELINE else asked or natural


def _no_objective(strategy: Strategy, target: Target, asked: Objective, natural: Objective) -> tuple[str, str] | None:
    """What is wrong with it and what to do, if anything."""
    if strategy.kind is Kind.BASELINE:
        return f"strategy {strategy.name} looks for the most of nothing", f"use --strategy {asked}"
    if target.budget is None:
        return "only a plan for a budget has an objective of its own; another target says what counts", "add --target budget=6"
    if strategy.kind is Kind.COMPLETENESS and asked is not natural:
        return f"strategy {strategy.name} plans for completeness", "use --strategy fidelity"
    return None


def _check_fits(strategy: Strategy, target: Target) -> None:
    given = "completeness" if target.completeness is not None else "fidelity" if target.fidelity is not None else "budget"
    fix = wrong = ""
    if strategy.kind is Kind.COMPLETENESS and target.fidelity is not None:
        wrong, fix = f"strategy {strategy.name} plans for completeness, and the target is a {given}", "add --target completeness=0.9"
    if strategy.kind is Kind.FIDELITY and (not has_target(target) or given == "completeness"):
        wanted = f"the target is a {given}" if has_target(target) else "there is no target"
        wrong, fix = (
            f"strategy {strategy.name} plans for a fidelity or a budget, and {wanted}",
            "add --target fidelity=0.9 or --target budget=6",
        )
    if wrong:
        raise Refused("levee plan: strategy and target do not fit.", [Complaint("--strategy", wrong, fix)], Exit.USAGE)

"""Where trials are taken: in runs of one's own, one for each configuration, or in one that runs already.

Called by: subject, which chooses; campaign.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from levee.cli.local.ready import Ready
from levee.control.names import ReplicaName
from levee.topology.names import ConfigurationName
from levee_chaos.verifying.driving import NotDrivable
from levee_chaos.verifying.promises import Promised
from levee_chaos.verifying.running import own_run
from levee_chaos.verifying.trials import Kind, Trial
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Where


@dataclass(frozen=True, slots=True)
class Own:
    ready: Ready
    place: Path
    promised: Promised

    @contextmanager
    def at(self, configuration: ConfigurationName, trials: Sequence[Trial]) -> Iterator[Where]:
        [wanted] = [one for one in self.promised.configurations if one.name == configuration]
        with own_run(self.ready, self.place, wanted, dead_in(trials)) as directory:
            yield Where(directory=directory)


@dataclass(frozen=True, slots=True)
class Attached:
    """To a run of somebody: it is at the rates that it is at."""

    where: Where

    @contextmanager
    def at(self, configuration: ConfigurationName, trials: Sequence[Trial]) -> Iterator[Where]:
        now = find(self.where).configuration
        if now != configuration:
            raise NotDrivable(f"it runs in configuration {now}, and its sources are not ours to drive")
        yield self.where


def dead_in(trials: Sequence[Trial]) -> frozenset[ReplicaName]:
    """Who is to die for good."""
    return next((one.dead for one in trials if one.kind is Kind.WORST), frozenset())

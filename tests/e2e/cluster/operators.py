"""Operators outside of the cluster, several at once, so that they can be killed and paused without the cluster's help.

Called by: tests of this folder.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.cluster.kube import Kube

DYING, FIT, HURRIED = (str(Path(__file__).with_name(f"{name}_operator.py")) for name in ("dying", "fit", "hurried"))
IDENTITY = re.compile(r" levee: (\S+) watches ")
TOLD = 4_000  # characters of a log, where something has gone wrong


@dataclass(frozen=True, slots=True)
class Operator:
    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def lives(self) -> bool:
        return self.process.poll() is None

    @property
    def identity(self) -> str | None:
        """Once it has begun."""
        found = IDENTITY.search(self.log.read_text(encoding="utf-8"))
        return found[1] if found else None

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        """Its planner goes by itself: its pipe has no other end."""
        self.process.kill()  # also of one that is stopped
        self.process.wait()


@dataclass
class Operators:
    kube: Kube
    folder: Path
    started: list[Operator] = field(default_factory=list)

    def start(
        self, *, dies_after: tuple[str, int] | None = None, dies_at: str = "", hurried: bool = False, lease_in: str = "", **settings: str
    ) -> Operator:
        """`dies_at`: FIT documents. `hurried`: it sees drift after seconds. `lease_in`: another namespace than the others', so that it
        leads beside them. `settings`: more of its environment."""
        usual = {
            "KUBECONFIG": str(self.kube.kubeconfig),
            "LEVEE_NAMESPACE": lease_in or self.kube.namespace,
            "LEVEE_WATCH_NAMESPACES": self.kube.namespace,
        }
        usually = [HURRIED] if hurried else ["-m", "levee.serve"]
        words = usually if dies_after is None else [DYING, dies_after[0], str(dies_after[1])]
        path = self.folder / f"operator-{len(self.started)}.log"
        if dies_at:
            path.with_suffix(".fit.yaml").write_text(dies_at, encoding="utf-8")
            words = [FIT, str(path.with_suffix(".fit.yaml"))]
        with path.open("wb") as log:
            process = subprocess.Popen([sys.executable, *words], env=os.environ | usual | settings, stdout=log, stderr=log)
        self.started.append(Operator(process, path))
        return self.started[-1]

    def leader(self) -> Operator | None:
        """Of those that live; None: nobody, or one that is dead and is still waited for."""
        holder = self.holder()
        return next((one for one in self.started if one.lives and holder and one.identity == holder), None)

    def holder(self) -> str:
        found = self.kube.get("leases", "--field-selector=metadata.name=levee-operator")["items"]
        return str(found[0]["spec"].get("holderIdentity") or "") if found else ""

    def kill_all(self) -> None:
        for one in self.started:
            if one.lives:
                one.kill()

    def said(self) -> str:
        """The ends of the logs of those that live, and of the last that died."""
        return "\n".join(f"--- {one.log.name}\n{one.log.read_text(encoding='utf-8')[-TOLD:]}" for one in self.started[-3:])


@contextmanager
def operating(kube: Kube, folder: Path) -> Iterator[Operators]:
    operators = Operators(kube, folder)
    try:
        yield operators
    finally:
        operators.kill_all()

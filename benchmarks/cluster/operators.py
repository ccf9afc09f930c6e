"""The operator as a process: started, asked for its metrics, and killed.

Called by: watched; benchmarks.lifecycle.jobs.
"""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cluster.waiting import KIB_PER_MIB, Unfinished, await_true, need_memory

METRICS_PORT = 18098
LOOK_S, PATIENCE_S, ANSWERS_WITHIN_S = 0.05, 5.0, 60.0
LEADS, SETTLED, REQUESTS = "levee_operator_leads", "levee_operator_topologies_settled", "levee_operator_api_requests_total"
CHANGING = {"POST", "PATCH", "DELETE"}  # what it puts is its lease
SAID = 500  # characters of its log, where it has ended
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
LABEL = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Sample:
    labels: Mapping[str, str]
    value: float


@dataclass(slots=True)
class Operator:
    process: "subprocess.Popen[bytes]"
    began_s: float
    log: Path

    def kill(self) -> None:
        """Its planner's processes die of their own: they read from it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def samples(self, name: str) -> list[Sample]:
        """None, as long as it does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{METRICS_PORT}/metrics", timeout=PATIENCE_S) as answer:
                text = answer.read().decode()
        except (urllib.error.URLError, OSError):
            return []
        return samples(text, name)

    def value(self, name: str) -> float:
        return sum(one.value for one in self.samples(name))

    def await_value(self, name: str, wanted: float, within_s: float) -> float:
        """Seconds since its start."""

        def reached() -> bool:
            need_memory()
            if self.process.poll() is not None:
                said = self.log.read_text(encoding="utf-8", errors="replace")[-SAID:]
                raise Unfinished(f"the operator has ended by itself, with {self.process.returncode}: {said}")
            return self.value(name) >= wanted

        await_true(reached, within_s, f"{name} is {wanted:.0f}", lambda: f"it is {self.value(name):.0f}", LOOK_S)
        return time.monotonic() - self.began_s

    def writes(self) -> int:
        """By its own count. One that does not answer has not written nothing: it is asked again."""
        found: list[Sample] = []

        def answers() -> bool:
            found[:] = self.samples(REQUESTS)
            return bool(found)

        await_true(answers, ANSWERS_WITHIN_S, "the operator tells its metrics")
        return int(sum(one.value for one in found if is_change(one.labels)))

    def memory_mib(self) -> float:
        """Resident, and that of its planner's processes."""
        return sum(resident_kib(pid) for pid in (self.process.pid, *children(self.process.pid))) / KIB_PER_MIB

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_change(labels: Mapping[str, str]) -> bool:
    return labels["verb"] in CHANGING and labels["answer"].startswith("2")


def start(namespace: str, log: Path) -> Operator:
    """Under the same name each time, as the container of a pod that is started again; once its modules are compiled, as in the image."""
    mine = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    told = {
        "PYTHONPYCACHEPREFIX": str(log.parent / "compiled"),
        "LEVEE_NAMESPACE": namespace,
        "LEVEE_POD": "levee-bench",
        "LEVEE_WATCH_NAMESPACES": namespace,
        "LEVEE_METRICS_PORT": str(METRICS_PORT),
    }
    with log.open("ab") as output:
        process = subprocess.Popen([sys.executable, "-m", "levee.serve"], stdout=output, stderr=output, env={**mine, **told})
    return Operator(process, time.monotonic(), log)


def samples(text: str, name: str) -> list[Sample]:
    """Of Prometheus' text format, as far as it is used here."""
    found = (match.groups() for match in SAMPLE.finditer(text))
    return [Sample(dict(LABEL.findall(labels or "")), float(value)) for metric, labels, value in found if metric == name]


def resident_kib(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    found = re.search(r"^VmRSS:\s+(\d+)", status, re.MULTILINE)
    return int(found[1]) if found else 0


def children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []

"""Ask pods how their replicas are, many at once and none of them for long, and no pod more often than is of use.

Why: what Kubernetes knows of a pod is whether it is ready; which epoch its replicas are at, and why one failed, only its worker can say.
Called by: world, at every observation.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from levee.control.names import Instant
from levee.control.seen import Phase, ReplicaSeen
from levee.worlds.kubernetes.pods import PORT
from levee.worlds.kubernetes.seen import PodSeen
from levee.worlds.local.asking import answer_of, replicas_in, state_of

PATIENCE_S = 1.0
AT_ONCE = 16
UNHEARD_MS, UNHEARD_TIMES = 15_000, 3  # of the turns in which it was asked
EVERY_MS_MIN, EVERY_MS_PER_POD = 1_000, 4  # of pods that have answered, 250 are asked again each second, however many there are


@dataclass(slots=True)
class Asker:
    heard: dict[str, tuple[Instant, tuple[ReplicaSeen, ...]]] = field(default_factory=dict)  # by UID
    port: int = PORT
    crowd: Callable[[], int] = lambda: 0  # how many pods all topologies have

    def states(self, uid: str) -> tuple[ReplicaSeen, ...]:
        return self.heard[uid][1] if uid in self.heard else ()

    def refresh(self, pods: Iterable[PodSeen], now: Instant) -> None:
        """Forgets pods that are gone. Who does not answer keeps what he said last: whether he is ready, the kubelet knows."""
        there = {pod.uid: pod for pod in pods}
        self.heard = {uid: told for uid, told in self.heard.items() if uid in there}
        every_ms = max(EVERY_MS_MIN, EVERY_MS_PER_POD * max(len(there), self.crowd()))
        due = [pod for pod in there.values() if self.is_due(pod, now, every_ms)]
        if any(pod.uid in self.heard for pod in due):  # all of them: epochs that were told at different times cannot be compared
            due = [pod for pod in there.values() if self.is_due(pod, now, 0)]
        self.hear(due, now)
        self.doubt(now, max(UNHEARD_MS, UNHEARD_TIMES * every_ms))

    def doubt(self, now: Instant, at_most_ms: int) -> None:
        """What was said long ago is no rate of now, though its replica may work as before."""
        for uid, (then, states) in self.heard.items():
            if now - then > at_most_ms and any(one.measured for one in states):
                self.heard[uid] = then, tuple(replace(one, measured=False) for one in states)

    def ask_again(self, pods: Iterable[PodSeen], now: Instant) -> None:
        """Of a few, of which something is to be known soon."""
        self.hear([pod for pod in pods if self.is_due(pod, now, EVERY_MS_MIN)], now)

    def hear(self, due: Sequence[PodSeen], now: Instant) -> None:
        if not due:
            return
        with ThreadPoolExecutor(min(AT_ONCE, len(due))) as pool:
            for pod, state in zip(due, pool.map(self.ask, due), strict=True):
                if state is not None:
                    self.heard[pod.uid] = now, replicas_in(state)

    def is_due(self, pod: PodSeen, now: Instant, every_ms: int) -> bool:
        asked = self.heard.get(pod.uid)
        return pod.address is not None and pod.worker.phase is Phase.READY and (asked is None or now - asked[0] >= every_ms)

    def spent(self, pods: Iterable[PodSeen]) -> dict[str, Mapping[str, Any] | None]:
        """What those that are ready have spent, by name; each looks at its processes for that, so it is asked seldom."""
        able = [pod for pod in pods if pod.address is not None and pod.worker.phase is Phase.READY]
        with ThreadPoolExecutor(max(1, min(AT_ONCE, len(able)))) as pool:
            told = pool.map(lambda pod: answer_of(self.port, "/spent", pod.address or "", PATIENCE_S), able)
            return dict(zip((pod.name for pod in able), told, strict=True))

    def ask(self, pod: PodSeen) -> Mapping[str, Any] | None:
        return state_of(self.port, pod.address or "", PATIENCE_S)

"""How long each phase of an epoch takes, seen from outside the role: by what it asks for, and when.

Why: roles know no clock but the answers they are given, and whoever drives them sees all of these; so nothing in the protocol has to
measure itself.
Called by: replica, around the role that it drives.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from levee_spark.log.requests import Answer, Compute, Deliver, Ingest, PutIfAbsent, Report, Request, Restore, Script, Snapshot, T, Wait
from levee_spark.worker.status import Phase

ENDS = frozenset({"won", "lost"})
DETOURS = frozenset({"forks again", "begins again"})  # whatever was under way is begun anew
Took = Callable[[Phase, float], None]


@dataclass(slots=True)
class Phases:
    took: Took
    now_s: Callable[[], float]
    look: Callable[[], None] = lambda: None  # whenever the role has gone on
    computed: bool = False
    spent: dict[Phase, float] = field(default_factory=dict)  # in this epoch, so far

    def watch(self, script: Script[T]) -> Script[T]:
        """The same script; its last epoch is told when it has ended."""
        answer: Answer | None = None
        while True:
            try:
                request = next(script) if answer is None else script.send(answer)
            except StopIteration as end:
                value: T = end.value
                return value
            self.look()
            began_s = self.now_s()
            answer = yield request
            self.account(request, self.now_s() - began_s)

    def account(self, request: Request, seconds: float) -> None:
        phase = self.phase_of(request)
        self.spent[phase] = self.spent.get(phase, 0.0) + seconds
        match request:
            case Compute() | Ingest():
                self.computed = True
            case Report(what) if what in ENDS:
                self.end()
            case Deliver():
                self.end()
            case Report(what) if what in DETOURS:
                self.computed = False
            case _:
                pass

    def phase_of(self, request: Request) -> Phase:
        match request:
            case Compute() | Ingest():
                return Phase.COMPUTE
            case Deliver():
                return Phase.DELIVER
            case Restore():
                return Phase.FORK
            case Snapshot():
                return Phase.PUBLISH
            case Wait():
                return Phase.HOLD if self.computed else Phase.WAIT
            case PutIfAbsent() if not self.computed:
                return Phase.PUBLISH
            case _:
                return Phase.COMMIT if self.computed else Phase.READ

    def end(self) -> None:
        for phase, seconds in self.spent.items():
            self.took(phase, seconds)
        self.spent, self.computed = {}, False

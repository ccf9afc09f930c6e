"""What a campaign tells of each of its files, and of all of them.

Called by: campaign, `levee fit`.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from levee.fit.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Row:
    file: str
    documents: tuple[str, ...]
    digest: str
    seed: int
    verdict: Verdict
    why: str = ""
    took_s: float = 0.0  # until it had settled, in virtual time

    def replay(self, document: str = "") -> str:
        """The one command that does it again; `document`: the file of its lifecycle, where that did not come with Levee."""
        words = ["levee", "fit", "run", self.file, "--seed", str(self.seed), "--log", *(["--document", document] if document else [])]
        return shlex.join(words)

    def fields(self) -> dict[str, object]:
        """For a journal and for other programs."""
        return asdict(self) | {"verdict": self.verdict.value, "documents": list(self.documents)}


def counted(rows: Sequence[Row]) -> dict[Verdict, int]:
    return {one: sum(row.verdict is one for row in rows) for one in Verdict}


def worst(rows: Sequence[Row]) -> Verdict:
    """A failure is worse than not to know."""
    found = {row.verdict for row in rows}
    return next((one for one in (Verdict.FAILED, Verdict.INCONCLUSIVE) if one in found), Verdict.PASSED)


def row_of(told: Mapping[str, object]) -> Row:
    """A line of a journal; what is no such line raises ValueError."""
    try:
        documents = told["documents"]
        names = tuple(map(str, documents)) if isinstance(documents, list) else ()
        seed, took_s = int(str(told["seed"])), float(str(told["took_s"]))
        return Row(str(told["file"]), names, str(told["digest"]), seed, Verdict(str(told["verdict"])), str(told["why"]), took_s)
    except KeyError as missing:
        raise ValueError(f"it has no {missing}") from None

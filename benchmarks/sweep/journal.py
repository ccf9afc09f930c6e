"""What was found, a row for each life, as it comes: an interrupted sweep goes on where it ended.

Why: a row counts for the code that it was found with and for no other.
Called by: __main__, campaign, report.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.sweep.points import Trial

ROOT = Path(__file__).parents[2]
SWEPT = ("operator/levee", "spark_jobs/levee_spark", "benchmarks/sweep", "crds")
CODE = {".py", ".yaml", ".java"}

Row = Mapping[str, Any]


def code_hash(root: Path = ROOT) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for folder in SWEPT for path in (root / folder).rglob("*") if path.suffix in CODE):
        digest.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Journal:
    folder: Path
    code: str

    def rows(self) -> dict[str, Row]:
        """By trial; what was tried again counts as it was found last."""
        if not self.path.exists():
            return {}
        found = (json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines() if line.endswith("}"))
        return {row["trial"]: row for row in found if row["code"] == self.code}

    def add(self, row: Row) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"code": self.code, **row}) + "\n")

    def left(self, trials: Iterable[Trial]) -> list[Trial]:
        known = self.rows()
        return [one for one in trials if str(one) not in known]

    def forget(self) -> None:
        for path in (self.path, self.golden_path):
            path.unlink(missing_ok=True)

    def golden(self) -> Row | None:
        """The undisturbed life, by which others are judged."""
        return json.loads(self.golden_path.read_text(encoding="utf-8")) if self.golden_path.exists() else None

    def keep_golden(self, row: Row) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.golden_path.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")

    @property
    def path(self) -> Path:
        return self.folder / "journal.jsonl"

    @property
    def golden_path(self) -> Path:
        return self.folder / f"undisturbed-{self.code}.json"
